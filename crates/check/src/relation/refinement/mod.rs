//! Refinement: is what the left system can be seen to do, or to refuse, something that the right one may?
//!
//! These relations compare sets of observations, not states, so that the right system is made deterministic on the way:
//! a *pair* is a state of the left system and the set of all states in which the right one may be after the same trace.
//! No determinised system is made beforehand, and neither side is generated beyond what pairs need.
//!
//! # Definitions
//!
//! Internal steps are those whose label is internal; `=>` is any number of them. A state is *stable* if it has none. A
//! state *offers* the visible labels of its transitions, and *refuses* any set of labels that it does not offer.
//!
//! | relation | the left system is below the right one if |
//! |---|---|
//! | trace | each sequence of labels that it can do, internal ones counted as labels (all the same one), the right one can do too |
//! | weak trace | the same for sequences of visible labels |
//! | failures | weak traces are included, and each *failure*: if it can be in a stable state that refuses X after a trace, so can the right one |
//! | failures-divergences | its divergences are included, and its failures, where a system that has diverged may do and refuse anything |
//!
//! A *divergence* is a trace after which internal steps can go on for ever, or an extension of such a trace: CSP calls
//! what happens after that chaos. So under failures-divergences a right system that diverges allows everything from there
//! on, and its pairs are not followed. The failures are those of CSP's stable failures model: a divergent state has no
//! refusals there, and two systems may be equal although one of them is busy for ever where the other stops. There is no
//! termination label; a state without transitions refuses everything. Deadlock is hence seen by both failures relations
//! (and by none of the traces), livelock by the last one only.
//!
//! # The search
//!
//! Breadth first over pairs. Of two pairs with the same left state, the one with fewer right states is harder to pass, in
//! all four relations, and whatever goes wrong after the other goes wrong after it with the same trace: so a pair is
//! dropped if one with a subset of its right states is known (an *antichain*: De Wulf, Doyen, Henzinger, Raskin 2006). It
//! was found no later, so that counterexamples are shortest in steps of the left system all the same. Pairs are tested
//! when they are found, not when their turn comes, or the queue fills with repetitions (Laveaux, Groote, Willemse 2019).
//! The other way round, a pair that waits is dropped when a harder one of its level is found. A pair of an earlier level
//! is not: what goes wrong after it might take one step more after the harder one, and counterexamples would no longer be shortest.
//!
//! Sets of right states can be exponentially many; memory is accounted, and running out of it is an answer.

mod confirm;
mod divergence;
mod sets;
mod story;

pub use story::Why;

use super::game::{Game, Rules};
use super::lifted::finer_bisimulation;
use super::meter::{Meter, Spender};
use super::portfolio;
use super::rounds::{Rounds, Turn};
use super::side::{Labels, Side, Style, TAU};
use crate::refusal::Refusal;
use divergence::Divergence;
use elnath_kernel::{Budget, Coverage, Direction, Limit, Relation, System, Transition, Verdict};
use sets::{Set, Specification};

/// What is asked.
pub struct RefinementQuestion<'a> {
    /// The left system, the implementation.
    pub left: &'a dyn System,
    /// The right system, the specification.
    pub right: &'a dyn System,
    /// One of those that [`decides`] names.
    pub relation: Relation,
    /// Both ways, or whether the left one is below the right one.
    pub direction: Direction,
    /// Which labels are the internal action.
    pub internal: &'a dyn Fn(&str) -> bool,
    /// Whether pairs that are no harder than others are left out; without that, only those that are known.
    pub antichain: bool,
    /// Whether the systems are known not to be bisimilar, so that no classes need be looked for beside the search.
    pub apart: bool,
}

/// What a search over pairs of a state and a set of states has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Explored {
    /// Pairs whose steps were looked at.
    pub pairs: u64,
    /// Pairs that were left out, since one with a subset of their right states was known.
    pub covered: u64,
    /// Pairs that waited, and were left out when one with a subset of their right states was found.
    pub dropped: u64,
    /// Pairs in the antichain at the end: by left state, those none of which covers another.
    pub antichain: u64,
    /// Different sets of right states.
    pub sets: u64,
    /// How many states the largest of these has.
    pub largest_set: u64,
}

impl Explored {
    /// Of two searches.
    fn and(self, other: Self) -> Self {
        Self {
            pairs: self.pairs + other.pairs,
            covered: self.covered + other.covered,
            dropped: self.dropped + other.dropped,
            antichain: self.antichain + other.antichain,
            sets: self.sets + other.sets,
            largest_set: self.largest_set.max(other.largest_set),
        }
    }
}

/// The answer, with its figures.
pub struct Refinement {
    /// Whether the left system is below the right one, or both are equivalent: a proof, if it is so.
    /// Of what is not so, a run that shows it; or what ran out before it was confirmed.
    pub verdict: Verdict<Told>,
    /// Pairs looked at, in all.
    pub pairs: u64,
    /// What was explored, in both halves of an equivalence together.
    pub explored: Explored,
    /// States seen of the left system and of the right one, in whichever half saw more.
    pub states: [u64; 2],
    /// The most bytes taken at a time.
    pub peak_bytes: usize,
    /// Whether a transition of the left or right system broke a rule of the model; it was compared all the same.
    pub faults: [bool; 2],
    /// Whether the systems turned out to be bisimilar before all pairs were looked at.
    pub by_classes: bool,
}

/// A counterexample, or the limit that was reached before it was confirmed.
pub type Told = Result<Box<Counterexample>, Limit>;

/// A run of one system that the other one does not allow. It has been confirmed on both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// Whose run it is: 0 for the left system, and 1 for the right one, in the second half of an equivalence.
    pub mover: usize,
    /// The run, from the initial state.
    pub run: Vec<Transition>,
    /// The labels of its steps.
    pub labels: Vec<String>,
    /// Those of them that count: without internal ones, unless the relation counts these.
    pub trace: Vec<String>,
    /// What the other system does not allow, after the run or, for a trace, in its last step.
    pub why: Why,
    /// Whether no run of that system that shows as much is shorter; otherwise that is not known.
    pub shortest: bool,
}

/// Whether a relation is decided here.
pub fn decides(relation: Relation) -> bool {
    Model::of(relation).is_some()
}

/// Asks whether what one system can be seen to do is allowed by the other, or by each other. Counterexamples are confirmed
/// on both, in release builds too, before they are returned.
///
/// # Errors
/// If the relation is none of these, or if a counterexample does not stand up, which is a bug of ours.
pub fn ask(question: &RefinementQuestion<'_>, budget: &mut Budget<'_>) -> Result<Refinement, Refusal> {
    let RefinementQuestion { left, right, relation, direction, internal, antichain, apart } = *question;
    let mut meter = Meter::new(budget);
    let mut rival = (!apart).then(|| Rival::new([left, right], relation, internal));
    let mut answer = one_way([left, right], relation, (internal, antichain), &mut rival, &mut meter)?;
    let again = direction == Direction::Equivalence && !answer.by_classes;
    if again && matches!(answer.verdict, Verdict::Holds(_)) {
        let back = one_way([right, left], relation, (internal, antichain), &mut rival, &mut meter)?;
        answer.verdict = match back.verdict {
            Verdict::Fails(Ok(example)) => {
                Verdict::Fails(Ok(Box::new(Counterexample { mover: 1, ..*example })))
            }
            other => other,
        };
        answer.pairs += back.pairs;
        answer.explored = answer.explored.and(back.explored);
        answer.states = [0, 1].map(|side| answer.states[side].max(back.states[1 - side]));
        answer.peak_bytes = answer.peak_bytes.max(back.peak_bytes);
        answer.faults = [0, 1].map(|side| answer.faults[side] || back.faults[1 - side]);
        answer.by_classes = back.by_classes;
    }
    Ok(answer)
}

fn one_way(
    systems: [&dyn System; 2],
    relation: Relation,
    (internal, antichain): (&dyn Fn(&str) -> bool, bool),
    rival: &mut Option<Rival<'_, '_>>,
    meter: &mut Meter<'_, '_>,
) -> Result<Refinement, Refusal> {
    let model = Model::of(relation).ok_or(Refusal::NotHere(relation))?;
    let mut labels = Labels::new(internal);
    let mut search = Search {
        model,
        left: Side::new(systems[0], 0, Style::Strong),
        divergence: Divergence::default(),
        specification: Specification::new(Side::new(systems[1], 1, Style::Strong), model),
        pairs: Vec::new(),
        hardest: Vec::new(),
        fronts: 0,
        antichain,
        level: 1,
        explored: Explored::default(),
    };
    let found = search.run(&mut labels, rival, meter);
    let by_classes = matches!(found, Ok(Found::Bisimilar));
    let pairs = search.pairs.len() as u64;
    let verdict = match found {
        Ok(Found::Nothing | Found::Bisimilar) => Verdict::Holds(Coverage::Exhaustive),
        Ok(Found::Problem(pair, problem)) => {
            let steps = search.path(pair, &labels);
            // What was found was found: the pairs are of no more use.
            search.explored.antichain = search.fronts as u64;
            (search.pairs, search.hardest) = (Vec::new(), Vec::new());
            let freed = meter.tick(Spender::Solver, search.bytes(), pairs);
            let claim = match problem {
                Problem::Label(label) => Claim::Label(labels.name(label)),
                Problem::Refusal => Claim::Refusal,
                Problem::Divergence => Claim::Divergence,
            };
            let example =
                freed.and_then(|()| confirm::example(systems, &steps, claim, model, internal, meter));
            Verdict::Fails(match example {
                Ok(example) => Ok(Box::new(example.ok_or(Refusal::NO_DIFFERENCE)?)),
                Err(limit) => Err(limit),
            })
        }
        Err(limit) => Verdict::Unknown(limit),
    };
    let explored = Explored {
        antichain: search.explored.antichain.max(search.fronts as u64),
        sets: search.specification.sets(),
        largest_set: search.specification.largest() as u64,
        ..search.explored
    };
    Ok(Refinement {
        verdict,
        pairs,
        explored,
        states: [search.left.states(), search.specification.states()],
        peak_bytes: meter.peak(),
        faults: [search.left.faults, search.specification.faults()],
        by_classes,
    })
}

/// Partition refinement beside the search: bisimilar systems have the same observations, and may need very many pairs. It has its turn when the
/// search has had one, as in the [portfolio](super::portfolio).
struct Rival<'s, 'l> {
    game: Game<'s, 'l>,
    rounds: Rounds,
    next: u64,
}

impl<'s, 'l> Rival<'s, 'l> {
    fn new(systems: [&'s dyn System; 2], relation: Relation, internal: &'l dyn Fn(&str) -> bool) -> Self {
        let rules =
            Rules::of(finer_bisimulation(relation), Direction::Equivalence).expect("it is a bisimulation");
        let game = Game::beside(systems, &rules, internal, 2);
        let rounds = Rounds::new(game.style, false);
        Self { game, rounds, next: portfolio::FIRST_TURN }
    }

    /// Has its turn, if it is time for it; true if the systems are bisimilar, and false if it has nothing more to say.
    fn turn(&mut self, meter: &mut Meter<'_, '_>) -> Result<Option<bool>, Limit> {
        if meter.spent() < self.next {
            return Ok(None);
        }
        let share = portfolio::FIRST_TURN.max(meter.spent() / 8);
        let turn = match self.rounds.turn(&mut self.game, meter.spent() + share, meter) {
            Ok(Turn::Paused) if self.rounds.is_exploring() && meter.is_half_full() => Some(false),
            Ok(Turn::Paused) => None,
            Ok(Turn::Same) => Some(true),
            Ok(Turn::Parted) | Err(Limit::Memory) => Some(false),
            Err(limit) => return Err(limit),
        };
        self.next = meter.spent() + share;
        Ok(turn)
    }
}

/// What is observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Model {
    /// Internal steps are not.
    weak: bool,
    /// What is refused is.
    failures: bool,
    /// Internal steps without end are.
    divergences: bool,
}

impl Model {
    fn of(relation: Relation) -> Option<Self> {
        let (weak, failures, divergences) = match relation {
            Relation::Trace => (false, false, false),
            Relation::WeakTrace => (true, false, false),
            Relation::Failures => (true, true, false),
            Relation::FailuresDivergences => (true, true, true),
            _ => return None,
        };
        Some(Self { weak, failures, divergences })
    }

    /// Whether steps with this label are not observed.
    fn ignores(self, label: u32) -> bool {
        self.weak && label == TAU
    }
}

/// What the right system does not allow, in numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Problem {
    /// A step with this label.
    Label(u32),
    /// Refusing what this state does not offer.
    Refusal,
    /// Being busy inside for ever.
    Divergence,
}

/// The same, in words: what a counterexample is to show.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Claim<'a> {
    Label(&'a str),
    Refusal,
    Divergence,
}

/// The counterexample that a run and a claim make, if it is one; see [`confirm`].
///
/// # Errors
/// If a limit is reached before that is known.
pub(crate) fn confirmed(
    systems: [&dyn System; 2],
    steps: &[(String, Vec<u8>)],
    claim: Claim<'_>,
    relation: Relation,
    internal: &dyn Fn(&str) -> bool,
    meter: &mut Meter<'_, '_>,
) -> Result<Option<Counterexample>, Limit> {
    let model = Model::of(relation).expect("what it claims is about observations");
    confirm::example(systems, steps, claim, model, internal, meter)
}

/// How a search ended.
enum Found {
    Nothing,
    /// The systems are bisimilar, so there is nothing to find.
    Bisimilar,
    /// In this pair.
    Problem(u32, Problem),
}

/// A state of the left system, with the states in which the right one may be.
struct Pair {
    left: u32,
    right: Set,
    /// The pair before it, and the label of the step between.
    before: u32,
    label: u32,
}

const NONE: u32 = u32::MAX;
/// The left state of a pair that was dropped. No path leads through it, since its steps were not looked at.
const DROPPED: u32 = u32::MAX;

struct Search<'s> {
    model: Model,
    left: Side<'s>,
    divergence: Divergence,
    specification: Specification<'s>,
    /// All pairs, in the order in which they were found; those behind the one being looked at are the queue.
    pairs: Vec<Pair>,
    /// By left state: the sets with which it was paired, none of which includes another, each with the number of the pair.
    hardest: Vec<Vec<(Set, u32)>>,
    /// How many sets these hold.
    fronts: usize,
    /// Whether inclusion counts, and not only equality.
    antichain: bool,
    /// The first pair of the level after the one that is being looked at.
    level: usize,
    explored: Explored,
}

impl Search<'_> {
    /// Looks for a pair in which the left system does what the right one may not.
    fn run(
        &mut self,
        labels: &mut Labels<'_>,
        rival: &mut Option<Rival<'_, '_>>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Found, Limit> {
        let left = self.left.root(labels, meter)?;
        let right = self.specification.root(labels, meter)?;
        self.add(Pair { left, right, before: NONE, label: TAU });
        let mut at = 0;
        while let Some(&Pair { left, right, .. }) = self.pairs.get(at) {
            if at == self.level {
                self.level = self.pairs.len();
            }
            if left == DROPPED {
                at += 1;
                continue;
            }
            self.explored.pairs += 1;
            if let Some(problem) = self.look(at as u32, left, right, labels, meter)? {
                return Ok(Found::Problem(at as u32, problem));
            }
            meter.tick(Spender::Solver, self.bytes(), self.pairs.len() as u64)?;
            meter.tick(Spender::Sets, self.specification.bytes(), 0)?;
            at += 1;
            let turn = rival.as_mut().map_or(Ok(None), |rival| rival.turn(meter))?;
            match turn {
                None => {}
                Some(true) => return Ok(Found::Bisimilar),
                Some(false) => {
                    *rival = None;
                    for spender in [Spender::Side(2), Spender::Side(3), Spender::Partition] {
                        meter.tick(spender, 0, 0)?;
                    }
                }
            }
        }
        Ok(Found::Nothing)
    }

    /// Looks at one pair, and adds those that its steps lead to.
    fn look(
        &mut self,
        at: u32,
        left: u32,
        right: Set,
        labels: &mut Labels<'_>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Option<Problem>, Limit> {
        if self.model.divergences && self.divergence.of(&mut self.left, left, labels, meter)? {
            return Ok(Some(Problem::Divergence));
        }
        self.left.open(left, labels, meter)?;
        self.specification.open(right, labels, meter)?;
        let steps = self.left.challenges(left).range();
        // Internal steps come first.
        let stable = steps.is_empty() || self.left.step(steps.start as u32).label != TAU;
        if self.model.failures && stable && !self.specification.may_refuse(right, &self.left, left) {
            return Ok(Some(Problem::Refusal));
        }
        for step in steps {
            let step = self.left.step(step as u32);
            let next = if self.model.ignores(step.label) {
                Some(right)
            } else {
                self.specification.after(right, step.label)
            };
            let Some(next) = next else { return Ok(Some(Problem::Label(step.label))) };
            let compared = self.add(Pair { left: step.target, right: next, before: at, label: step.label });
            meter.work(1 + compared)?;
        }
        Ok(None)
    }

    /// Adds a pair, unless it is no harder than one that is known, or nothing can go wrong after it.
    /// Returns how much it was compared with: of each set so many states as the smaller of two has.
    fn add(&mut self, pair: Pair) -> usize {
        if self.model.divergences && self.specification.diverges(pair.right) {
            return 0;
        }
        let left = pair.left as usize;
        if self.hardest.len() <= left {
            self.hardest.resize_with(left + 1, Vec::new);
        }
        let (sets, known, pairs) = (&self.specification, &mut self.hardest[left], &mut self.pairs);
        let covers = |a: Set, b: Set| if self.antichain { sets.is_subset(a, b) } else { a == b };
        let before = known.len();
        let compared = if self.antichain {
            known.iter().map(|&(other, _)| sets.least_size(other, pair.right)).sum()
        } else {
            before
        };
        if known.iter().any(|&(other, _)| covers(other, pair.right)) {
            self.explored.covered += 1;
            return compared;
        }
        known.retain(|&(other, number)| {
            let covered = covers(pair.right, other);
            // It waits on the level that the new one is on.
            if covered && number as usize >= self.level {
                pairs[number as usize].left = DROPPED;
                self.explored.dropped += 1;
            }
            !covered
        });
        known.push((pair.right, pairs.len() as u32));
        self.fronts = self.fronts + known.len() - before;
        pairs.push(pair);
        compared
    }

    /// The left states on the way to a pair, each with the label of the step that leads to it.
    fn path(&self, pair: u32, labels: &Labels<'_>) -> Vec<(String, Vec<u8>)> {
        let mut steps = Vec::new();
        let mut at = pair;
        while at != NONE {
            let Pair { left, before, label, .. } = self.pairs[at as usize];
            let mut state = Vec::new();
            self.left.read(left, &mut state);
            steps.push((labels.name(label).to_owned(), state));
            at = before;
        }
        steps.reverse();
        steps
    }

    fn bytes(&self) -> usize {
        self.pairs.capacity() * size_of::<Pair>()
            + self.hardest.capacity() * size_of::<Vec<(Set, u32)>>()
            // A vector that grows is up to twice as long as what it holds.
            + self.fronts * 2 * size_of::<(Set, u32)>()
            + self.divergence.bytes()
    }
}
