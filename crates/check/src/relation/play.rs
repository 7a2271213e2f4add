//! A relation as a game that is played move by move, by people or against them.
//!
//! Stirling's bisimulation games, for every relation that is decided here: the *attacker* claims that two places differ and makes a step on one
//! side, the *defender* answers with the same label on the other side. Who cannot move loses, and a play that goes on for ever is the
//! defender's. The rules are the obligations and candidates of the [game](super::game) that the solvers play, so that what a person may do
//! is what decides the verdict:
//!
//! | relation | an attack | an answer |
//! |---|---|---|
//! | bisimulations, simulations | a challenge of either side, or of the left one | an entry of the other's list with its label |
//! | branching bisimulations | the same | the same; then the attacker says whether it goes on before the last step of the answer or after it |
//! | ready simulation | also: a label that only the other side offers | none |
//! | traces | a step of the left side | the set of all states that the other may be in then; nothing is to be chosen |
//! | failures, divergences | also: stopping here, being busy for ever | whether the other may do so; that ends the play |
//!
//! Neither side is made beforehand. Who wins from a place is asked of the [local solver](elnath_solve::watched), whose table stays from question to question,
//! within the work that is granted; of traces, of a search over pairs from that place. If that is not enough, the answer is that it is not known, and the play goes on
//! all the same.

use super::diagnosis::{self, LabelKind};
use super::formula;
use super::game::{Challenge as _, Game, Pair, Played, Rules};
use super::meter::Meter;
use super::refinement::Model;
use super::refinement::divergence::Divergence;
use super::refinement::sets::{Set, Specification};
use super::render::SideNames;
use super::side::{DIVERGES, Labels, Side, Style, TAU};
use super::strategy;
use elnath_kernel::{Budget, Direction, Limit, Relation, System};
use elnath_solve::Refutations as _;
use elnath_solve::below::{Turn, Whole};
use elnath_solve::watched::Watched;
use std::collections::{HashMap, VecDeque};

/// Two places that are compared: in a game of states two nodes, in one of observations a state and a set of states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Standing(At);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum At {
    Pair(Pair),
    Set(u32, Set),
}

/// Something that the attacker can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attack {
    /// Who moves: 0 for the left system, 1 for the right one.
    pub mover: usize,
    /// What is done.
    pub what: Deed,
    /// The label, as people read it.
    pub label: String,
    /// Where it leads, if it leads somewhere: a state of the mover.
    pub to: Option<Vec<u8>>,
    /// How many answers there are.
    pub answers: u32,
    code: u32,
    number: u32,
}

/// What an attack consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// A step with a label of this kind.
    Step(LabelKind),
    /// To offer a label that the other side does not offer, where both must offer the same.
    Offer,
    /// To stop here and refuse everything that is not offered.
    Stop,
    /// To be busy inside for ever.
    Diverge,
}

/// An answer of the defender.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Where it leads: a state of the one who answers; of traces, all states in which it may be.
    pub to: Vec<Vec<u8>>,
    /// The state before its last step, if what the attacker did so far is disputed there as well.
    pub before: Option<Vec<u8>>,
    /// Where the play goes on.
    pub then: Sequel,
}

/// What follows an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sequel {
    /// Here.
    At(Standing),
    /// The attacker chooses: before the last step of the answer, or after it.
    Dispute {
        /// The attacker's old state and the state before the last step.
        before: Standing,
        /// The states that were reached.
        after: Standing,
    },
    /// Nowhere: the attacker has claimed what is not so, and loses.
    Settled,
}

/// Who wins a play from some place, if both play well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Winner {
    /// The attacker.
    Attacker,
    /// The defender.
    Defender,
    /// That would take more work than was granted.
    Unknown,
}

/// How the attacker wins from some place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Strategy {
    /// After how many rounds at most.
    pub rounds: u32,
    /// What it does, line by line.
    pub lines: Vec<String>,
    /// What tells the two apart, as definitions of formulas, the whole last.
    pub formula: Vec<(String, String)>,
}

/// A round that was played, for [`Arena::formula`].
#[derive(Clone, Debug)]
pub struct Round {
    /// What the attacker did.
    pub attack: Attack,
    /// Whether the play went on before the last step of the answer.
    pub before: bool,
}

/// What people may play: two systems and a relation.
pub struct Arena<'s, 'l> {
    kind: Kind<'s, 'l>,
    exchanged: bool,
}

enum Kind<'s, 'l> {
    Pairs(Box<Pairs<'s, 'l>>),
    Sets(Box<Sets<'s, 'l>>),
}

struct Pairs<'s, 'l> {
    game: Game<'s, 'l>,
    solver: Watched<Pair>,
}

struct Sets<'s, 'l> {
    model: Model,
    labels: Labels<'l>,
    left: Side<'s>,
    divergence: Divergence,
    specification: Specification<'s>,
}

/// By place, the one before it and the step between; nothing for the first.
type Before = HashMap<(u32, Set), Option<((u32, Set), u32)>>;

/// How the search from a place ended: the first step to what the right side does not allow, and how many there are.
enum Found {
    Nothing,
    /// The numbers of the steps among the challenges of each state, and the deed at the end.
    Problem(Vec<u32>, Deed),
}

/// Whether the attacker has to choose a side before the play begins: there is one game for each direction.
pub fn begins_with_a_side(relation: Relation, direction: Direction) -> bool {
    match Rules::of(relation, direction) {
        Some(rules) => rules.twice,
        None => direction == Direction::Equivalence,
    }
}

impl<'s, 'l> Arena<'s, 'l> {
    /// The game of a relation. Where only one side attacks, `attacker` says which: 0, or 1 for the second game of an equivalence.
    pub fn new(
        systems: [&'s dyn System; 2],
        relation: Relation,
        direction: Direction,
        attacker: usize,
        internal: &'l dyn Fn(&str) -> bool,
    ) -> Self {
        let exchanged = attacker == 1 && begins_with_a_side(relation, direction);
        let kind = match Rules::of(relation, direction) {
            Some(rules) => {
                let mut game = Game::new(systems, &rules, internal);
                if exchanged {
                    game.exchange();
                }
                Kind::Pairs(Box::new(Pairs { game, solver: solver() }))
            }
            None => {
                let model = Model::of(relation).expect("a relation compares states or observations");
                let [left, right] = if exchanged { [systems[1], systems[0]] } else { systems };
                let specification = Specification::new(Side::new(right, 1, Style::Strong), model);
                Kind::Sets(Box::new(Sets {
                    model,
                    labels: Labels::new(internal),
                    left: Side::new(left, 0, Style::Strong),
                    divergence: Divergence::default(),
                    specification,
                }))
            }
        };
        Self { kind, exchanged }
    }

    /// The side of the question that is this one in the game, and the other way round.
    fn side(&self, side: usize) -> usize {
        if self.exchanged { 1 - side } else { side }
    }

    /// Where the play begins.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn start(&mut self, budget: &mut Budget<'_>) -> Result<Standing, Limit> {
        let mut meter = Meter::new(budget);
        match &mut self.kind {
            Kind::Pairs(pairs) => pairs.game.root(&mut meter).map(|pair| Standing(At::Pair(pair))),
            Kind::Sets(sets) => {
                let left = sets.left.root(&mut sets.labels, &mut meter)?;
                let right = sets.specification.root(&mut sets.labels, &mut meter)?;
                Ok(Standing(At::Set(left, right)))
            }
        }
    }

    /// The states of a side at a place: one, or all in which the one who answers may be.
    pub fn states(&self, place: Standing, side: usize) -> Vec<Vec<u8>> {
        let mut state = Vec::new();
        match (&self.kind, place.0) {
            (Kind::Pairs(pairs), At::Pair(pair)) => {
                let side = self.side(side);
                pairs.game.sides[side].read(pair.node(side), &mut state);
                vec![state]
            }
            (Kind::Sets(sets), At::Set(left, set)) => {
                if self.side(side) == 0 {
                    sets.left.read(left, &mut state);
                    return vec![state];
                }
                sets.specification.states_of(set)
            }
            _ => unreachable!("a place belongs to one arena"),
        }
    }

    /// What the attacker can do.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn attacks(&mut self, place: Standing, budget: &mut Budget<'_>) -> Result<Vec<Attack>, Limit> {
        let mut meter = Meter::new(budget);
        let exchanged = self.exchanged;
        let mut attacks = match (&mut self.kind, place.0) {
            (Kind::Pairs(pairs), At::Pair(pair)) => pairs.attacks(pair, &mut meter)?,
            (Kind::Sets(sets), At::Set(left, set)) => sets.attacks(left, set, &mut meter)?,
            _ => unreachable!("a place belongs to one arena"),
        };
        for (number, attack) in (0..).zip(&mut attacks) {
            attack.number = number;
            attack.mover = if exchanged { 1 - attack.mover } else { attack.mover };
        }
        Ok(attacks)
    }

    /// What the defender can answer to an attack at a place.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn answers(
        &mut self,
        place: Standing,
        attack: &Attack,
        budget: &mut Budget<'_>,
    ) -> Result<Vec<Answer>, Limit> {
        let mut meter = Meter::new(budget);
        match (&mut self.kind, place.0) {
            (Kind::Pairs(pairs), At::Pair(pair)) => Ok(pairs.answers(pair, attack)),
            (Kind::Sets(sets), At::Set(left, set)) => sets.answers(left, set, attack, &mut meter),
            _ => unreachable!("a place belongs to one arena"),
        }
    }

    /// Who wins from a place, if that is found out by this much work.
    pub fn winner(&mut self, place: Standing, work: u64, budget: &mut Budget<'_>) -> Winner {
        let mut meter = Meter::new(budget);
        match (&mut self.kind, place.0) {
            (Kind::Pairs(pairs), At::Pair(pair)) => match pairs.solve(pair, work, &mut meter) {
                Some(true) => Winner::Defender,
                Some(false) => Winner::Attacker,
                None => Winner::Unknown,
            },
            (Kind::Sets(sets), At::Set(left, set)) => match sets.search(left, set, work, &mut meter) {
                Ok(Found::Nothing) => Winner::Defender,
                Ok(Found::Problem(..)) => Winner::Attacker,
                Err(_) => Winner::Unknown,
            },
            _ => unreachable!("a place belongs to one arena"),
        }
    }

    /// The number of an attack that wins in the end, of those that [`Arena::attacks`] lists, if the attacker is known to win.
    pub fn winning_attack(&mut self, place: Standing, work: u64, budget: &mut Budget<'_>) -> Option<usize> {
        let mut meter = Meter::new(budget);
        match (&mut self.kind, place.0) {
            (Kind::Pairs(pairs), At::Pair(pair)) => {
                if pairs.solve(pair, work, &mut meter) != Some(false) {
                    return None;
                }
                let refuted = pairs.solver.refuted(pair)?;
                let attacks = pairs.attacks(pair, &mut meter).ok()?;
                attacks.iter().position(|attack| attack.code == refuted.code)
            }
            (Kind::Sets(sets), At::Set(left, set)) => {
                let Ok(Found::Problem(steps, deed)) = sets.search(left, set, work, &mut meter) else {
                    return None;
                };
                let attacks = sets.attacks(left, set, &mut meter).ok()?;
                match steps.first() {
                    Some(step) => attacks.iter().position(|attack| attack.code == *step),
                    None => attacks.iter().position(|attack| attack.what == deed && attack.answers == 0),
                }
            }
            _ => unreachable!("a place belongs to one arena"),
        }
    }

    /// When the solver has found that the attacker wins from a place: later is harder for the attacker, as far as it knows.
    pub fn stamp(&self, place: Standing) -> Option<u32> {
        match (&self.kind, place.0) {
            (Kind::Pairs(pairs), At::Pair(pair)) => pairs.solver.refuted(pair).map(|refuted| refuted.stamp),
            _ => None,
        }
    }

    /// How the attacker wins from a place, if that is found out by this much work; the systems are called by these names.
    pub fn plan(
        &mut self,
        place: Standing,
        names: SideNames<'_>,
        work: u64,
        budget: &mut Budget<'_>,
    ) -> Option<Strategy> {
        /// Nobody reads more.
        const LINES: usize = 40;
        let mut meter = Meter::new(budget);
        let names = if self.exchanged { [names[1], names[0]] } else { names };
        match (&mut self.kind, place.0) {
            (Kind::Pairs(pairs), At::Pair(pair)) => {
                if pairs.solve(pair, work, &mut meter) != Some(false) {
                    return None;
                }
                let plan = strategy::planned(&mut pairs.game, pair, &pairs.solver, &mut meter).ok()?;
                let diagnosis = diagnosis::build(&pairs.game, &plan, false);
                let asked = if self.exchanged { [names[1], names[0]] } else { names };
                let rounds = diagnosis.ranks().first().copied().unwrap_or(0);
                Some(Strategy { rounds, lines: diagnosis.story(asked, LINES), formula: diagnosis.formula() })
            }
            (Kind::Sets(sets), At::Set(left, set)) => {
                let Ok(Found::Problem(steps, deed)) = sets.search(left, set, work, &mut meter) else {
                    return None;
                };
                sets.plan(left, &steps, deed, names)
            }
            _ => unreachable!("a place belongs to one arena"),
        }
    }

    /// What the attacker has shown so far, as a formula with a hole for what is still to come; none, if the defender had no answer
    /// to the last attack.
    pub fn formula(&self, rounds: &[Round], decided: bool) -> String {
        // When it is decided, nothing more is to come: what was not disputed holds of any state.
        let hole = if decided { "true" } else { "…" };
        let mut inner = hole.to_owned();
        let mut mover = None;
        for round in rounds.iter().rev() {
            let attack = &round.attack;
            if mover.is_some_and(|mover| mover != attack.mover) {
                inner = format!("not {inner}");
            }
            mover = Some(attack.mover);
            inner = match (&self.kind, attack.what) {
                (_, Deed::Stop) => "stops".to_owned(),
                (_, Deed::Diverge) => "diverges".to_owned(),
                (_, Deed::Offer) => format!("offers {:?}", attack.label),
                (Kind::Pairs(pairs), Deed::Step(kind)) => {
                    let (before, after) =
                        if round.before { (inner.as_str(), hole) } else { (hole, inner.as_str()) };
                    formula::modality(pairs.game.style, kind, &attack.label, before, after)
                }
                (Kind::Sets(sets), Deed::Step(kind)) => {
                    if sets.model.is_weak() && kind == LabelKind::Internal {
                        continue;
                    }
                    let style = if sets.model.is_weak() { Style::Weak } else { Style::Strong };
                    formula::modality(style, kind, &attack.label, "true", &inner)
                }
            };
        }
        match mover {
            Some(1) => format!("not {inner}"),
            _ => inner,
        }
    }
}

/// Related is the greatest solution.
fn solver() -> Watched<Pair> {
    Watched::new(true, elnath_solve::Order::default())
}

fn kind_of(label: u32) -> LabelKind {
    match label {
        TAU => LabelKind::Internal,
        DIVERGES => LabelKind::Divergence,
        _ => LabelKind::Visible,
    }
}

impl Pairs<'_, '_> {
    fn attacks(&mut self, pair: Pair, meter: &mut Meter<'_, '_>) -> Result<Vec<Attack>, Limit> {
        let game = &mut self.game;
        for side in 0..2 {
            game.sides[side].open(pair.node(side), &mut game.labels, meter)?;
        }
        let mut attacks = Vec::new();
        for mover in 0..2 {
            let asks = mover == 0 || game.is_bisimulation();
            if !asks && !game.wants_equal_labels() {
                continue;
            }
            for challenge in game.sides[mover].challenges(pair.node(mover)).range() {
                let challenge = challenge as u32;
                let step = game.sides[mover].step(challenge);
                let answers = game.sides[1 - mover].answers(pair.node(1 - mover), step.label).len;
                if !asks && answers > 0 {
                    continue;
                }
                let mut to = Vec::new();
                game.sides[mover].read(step.target, &mut to);
                attacks.push(Attack {
                    mover,
                    what: if asks { Deed::Step(kind_of(step.label)) } else { Deed::Offer },
                    label: game.labels.name(step.label).to_owned(),
                    to: Some(to),
                    answers,
                    code: challenge << 1 | mover as u32,
                    number: 0,
                });
            }
        }
        Ok(attacks)
    }

    fn answers(&mut self, pair: Pair, attack: &Attack) -> Vec<Answer> {
        if attack.what == Deed::Offer {
            return Vec::new();
        }
        let obligation = self.game.obligation(pair, attack.code);
        let answerer = &self.game.sides[1 - obligation.mover()];
        let read = |node: u32| {
            let mut state = Vec::new();
            answerer.read(node, &mut state);
            state
        };
        let answer = |number: u32| {
            let candidate = self.game.candidate(pair, obligation, number);
            let at = |pair: Pair| Standing(At::Pair(pair));
            let node = |pair: Pair| pair.node(1 - obligation.mover());
            let then = match candidate.also {
                None => Sequel::At(at(candidate.target)),
                Some(before) => Sequel::Dispute { before: at(before), after: at(candidate.target) },
            };
            let before = candidate.also.map(|before| read(node(before)));
            Answer { to: vec![read(node(candidate.target))], before, then }
        };
        (0..obligation.len).map(answer).collect()
    }

    /// Whether two nodes are related, if that is found out by so much work.
    fn solve(&mut self, pair: Pair, work: u64, meter: &mut Meter<'_, '_>) -> Option<bool> {
        if let Some(known) = self.solver.value(pair) {
            return Some(known);
        }
        let game = &mut self.game;
        match self.solver.solve(&mut Played { game, meter }, &Whole, pair, work) {
            Ok(Turn::Holds) => Some(true),
            Ok(Turn::Refuted) => Some(false),
            Ok(_) => None,
            Err(_) => {
                // Whoever was to be told of a refutation when it stopped was not told: what is in the table is no longer complete.
                self.solver = solver();
                None
            }
        }
    }
}

impl Sets<'_, '_> {
    fn attacks(&mut self, left: u32, set: Set, meter: &mut Meter<'_, '_>) -> Result<Vec<Attack>, Limit> {
        let plain = |what: Deed, label: &str, answers: u32| Attack {
            mover: 0,
            what,
            label: label.to_owned(),
            to: None,
            answers,
            code: u32::MAX,
            number: 0,
        };
        let mut attacks = Vec::new();
        if self.model.sees_divergences() {
            if self.specification.diverges(set) {
                // Whoever has diverged may do anything: there is nothing to attack.
                return Ok(attacks);
            }
            if self.divergence.of(&mut self.left, left, &mut self.labels, meter)? {
                attacks.push(plain(Deed::Diverge, "is busy inside for ever", 0));
            }
        }
        self.left.open(left, &mut self.labels, meter)?;
        self.specification.open(set, &mut self.labels, meter)?;
        let steps = self.left.challenges(left).range();
        let stable = steps.is_empty() || self.left.step(steps.start as u32).label != TAU;
        if self.model.sees_failures() && stable {
            let may = self.specification.may_refuse(set, &self.left, left);
            attacks.push(plain(Deed::Stop, "stops here and refuses the rest", u32::from(may)));
        }
        for number in steps {
            let number = number as u32;
            let step = self.left.step(number);
            let ignored = self.model.ignores(step.label);
            let answers = u32::from(ignored || self.specification.after(set, step.label).is_some());
            let mut to = Vec::new();
            self.left.read(step.target, &mut to);
            attacks.push(Attack {
                mover: 0,
                what: Deed::Step(kind_of(step.label)),
                label: self.labels.name(step.label).to_owned(),
                to: Some(to),
                answers,
                code: number,
                number: 0,
            });
        }
        Ok(attacks)
    }

    fn answers(
        &mut self,
        left: u32,
        set: Set,
        attack: &Attack,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Vec<Answer>, Limit> {
        self.left.open(left, &mut self.labels, meter)?;
        self.specification.open(set, &mut self.labels, meter)?;
        let settled = Answer { to: self.specification.states_of(set), before: None, then: Sequel::Settled };
        Ok(match attack.what {
            Deed::Stop if self.specification.may_refuse(set, &self.left, left) => vec![settled],
            Deed::Step(_) => {
                let step = self.left.step(attack.code);
                let ignored = self.model.ignores(step.label);
                let next = if ignored { Some(set) } else { self.specification.after(set, step.label) };
                let answer = |next: Set| Answer {
                    to: self.specification.states_of(next),
                    before: None,
                    then: Sequel::At(Standing(At::Set(step.target, next))),
                };
                next.map(answer).into_iter().collect()
            }
            _ => Vec::new(),
        })
    }

    /// Looks, breadth first, for what the right side does not allow.
    fn search(&mut self, left: u32, set: Set, work: u64, meter: &mut Meter<'_, '_>) -> Result<Found, Limit> {
        let mut before: Before = HashMap::from([((left, set), None)]);
        let mut waiting = VecDeque::from([(left, set)]);
        while let Some((left, set)) = waiting.pop_front() {
            meter.work(1)?;
            if meter.spent() > work {
                return Err(Limit::States);
            }
            let way = |last: Option<u32>, before: &Before| {
                let mut steps: Vec<u32> = last.into_iter().collect();
                let mut at = (left, set);
                while let Some((earlier, step)) = before[&at] {
                    steps.push(step);
                    at = earlier;
                }
                steps.reverse();
                steps
            };
            for attack in self.attacks(left, set, meter)? {
                match attack.what {
                    Deed::Step(_) if attack.answers == 0 => {
                        return Ok(Found::Problem(way(Some(attack.code), &before), attack.what));
                    }
                    Deed::Step(_) => {
                        let step = self.left.step(attack.code);
                        let ignored = self.model.ignores(step.label);
                        let next =
                            if ignored { Some(set) } else { self.specification.after(set, step.label) };
                        let next = (step.target, next.expect("it has an answer"));
                        if let std::collections::hash_map::Entry::Vacant(entry) = before.entry(next) {
                            entry.insert(Some(((left, set), attack.code)));
                            waiting.push_back(next);
                        }
                        meter.work(1)?;
                    }
                    deed if attack.answers == 0 => return Ok(Found::Problem(way(None, &before), deed)),
                    _ => {}
                }
            }
        }
        Ok(Found::Nothing)
    }

    fn plan(&self, mut left: u32, steps: &[u32], deed: Deed, names: SideNames<'_>) -> Option<Strategy> {
        let mut lines = Vec::new();
        for &number in steps {
            if !self.left.challenges(left).range().contains(&(number as usize)) {
                return None;
            }
            let step = self.left.step(number);
            lines.push(format!("{} does {}", names[0], self.labels.name(step.label)));
            left = step.target;
        }
        let last = match deed {
            Deed::Stop => Some(format!("{} stops there, and {} offers something", names[0], names[1])),
            Deed::Diverge => Some(format!("{} is busy inside for ever, and {} is not", names[0], names[1])),
            Deed::Step(_) | Deed::Offer => None,
        };
        match last {
            Some(last) => lines.push(last),
            None => lines.last_mut()?.push_str(&format!(", which {} cannot", names[1])),
        }
        Some(Strategy { rounds: lines.len() as u32, lines, formula: Vec::new() })
    }
}
