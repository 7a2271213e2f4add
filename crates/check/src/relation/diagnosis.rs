//! Why two systems are not related: a graph of moves and answers.
//!
//! An [`Exchange`] says of two states: this one can do something, these are all the answers that the other has, and each of
//! them leads to an exchange that ends badly for it. An exchange without answers is a leaf: one can do what the other
//! cannot. The exchanges are sorted so that answers lead to later ones; the graph has no cycle, or it would explain nothing.
//!
//! The papers' explanation sequence (equivalences-on-the-fly-1991, Definition 5.1) is the case in which each exchange has one
//! answer, or all answers lead to the same ([`GameDiagnosis::is_sequence`]). Their construction links a pair to *any* successor
//! that is not related; with several answers that can be a successor which the answerer need not choose, and the sequence
//! explains nothing. So what is kept of a refuted pair is the obligation that failed, and the graph has all its candidates.

use super::game::{Challenge, Game, Pair};
use super::side::{DIVERGES, NamedLabels, Style, TAU};
use elnath_kernel::System;

/// Why two systems are not related, by a relation that compares states: a strategy of the one who attacks. There is at least one exchange, the one between the initial states.
#[doc(alias = "diagnosis")]
pub struct GameDiagnosis {
    /// The exchanges; the first is that of the initial states, and answers lead to later ones.
    pub exchanges: Vec<Exchange>,
    /// Whether the left system is below the right one, but not the other way round: then it is the right system that
    /// challenges, in a comparison of its own.
    pub exchanged: bool,
    /// Whether no difference is decided after fewer exchanges; otherwise that is not known.
    pub shallowest: bool,
    /// The states of the left system and of the right one that are spoken of.
    states: [States; 2],
    pub(crate) labels: NamedLabels,
    pub(crate) style: Style,
}

/// What one of two states can do, and what becomes of the other's answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The states, left and right: numbers for [`GameDiagnosis::state`].
    pub states: [u32; 2],
    /// Who moves: 0 for the left, 1 for the right.
    pub mover: usize,
    /// With what: a number for [`GameDiagnosis::label`].
    pub label: u32,
    /// The state in which it does so, if internal steps lead there first and the relation cares about it.
    pub from: Option<u32>,
    /// Where to.
    pub to: u32,
    /// All answers.
    pub answers: Vec<Answered>,
    /// Whether the answerer has not shown this label anywhere, as far as it was explored.
    pub unheard_of: bool,
}

/// An answer, and why it is no good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The state just before the last step of the answer, where the relation cares about it.
    pub before: Option<u32>,
    /// Where the answer leads.
    pub to: u32,
    /// The exchange that shows it; it may be one between other states, which no formula of that depth tells apart from those
    /// that are reached.
    pub then: usize,
    /// Whether that is about the states before the last steps, and not about where the two have arrived.
    pub disputes_before: bool,
}

/// What is done in the main line of a diagnosis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineStep {
    /// With what label, in both systems: a number for [`GameDiagnosis::label`].
    pub label: u32,
    /// Or in one system alone, left (0) or right (1), by internal steps: what it came through before it could answer is disputed, and
    /// the other has not moved.
    pub alone: Option<usize>,
}

/// What labels stand for beside names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelKind {
    /// The internal action.
    Internal,
    /// Being busy inside for ever.
    Divergence,
    /// An action with a name.
    Visible,
}

impl GameDiagnosis {
    /// A state of the left system (0) or the right one (1).
    pub fn state(&self, side: usize, number: u32) -> &[u8] {
        self.states[side].get(number)
    }

    /// All states of the left system (0) or the right one (1), by their numbers.
    pub(crate) fn states(&self, side: usize) -> impl Iterator<Item = &[u8]> {
        (0..self.states[side].ends.len()).map(move |number| self.states[side].get(number as u32))
    }

    /// The same about other states, by the same numbers.
    pub(crate) fn about(mut self, states: [Vec<Vec<u8>>; 2]) -> Self {
        for (known, new) in self.states.iter_mut().zip(states) {
            *known = States::default();
            new.iter().for_each(|state| _ = known.push(state));
        }
        self
    }

    /// A state for people.
    pub fn show_state(&self, systems: [&dyn System; 2], side: usize, number: u32) -> String {
        systems[side].show_state(self.state(side, number))
    }

    /// The text of a label; the internal action is `i`.
    pub fn label(&self, label: u32) -> &str {
        self.labels.name(label)
    }

    /// What a label stands for.
    pub fn kind(&self, label: u32) -> LabelKind {
        match label {
            TAU => LabelKind::Internal,
            DIVERGES => LabelKind::Divergence,
            _ => LabelKind::Visible,
        }
    }

    /// The option with which a shallowest difference is found, if this may not be one.
    pub fn shallower_with(&self) -> Option<&'static str> {
        let by_pairs = matches!(self.style, Style::Strong | Style::TauStar);
        let option = if by_pairs { "--shortest" } else { "--engine classes" };
        (!self.shallowest).then_some(option)
    }

    /// Whether each exchange has only one that can follow: an explanation sequence.
    pub fn is_sequence(&self) -> bool {
        self.exchanges.iter().all(|exchange| {
            let then = exchange.answers.first().map(|answer| answer.then);
            exchange.answers.iter().all(|answer| Some(answer.then) == then)
        })
    }

    /// For each exchange, after how many exchanges at most it is decided, this one included: the papers' k.
    pub fn ranks(&self) -> Vec<u32> {
        let mut ranks = vec![0; self.exchanges.len()];
        for (at, exchange) in self.exchanges.iter().enumerate().rev() {
            ranks[at] = 1 + exchange.answers.iter().map(|answer| ranks[answer.then]).max().unwrap_or(0);
        }
        ranks
    }

    /// What it occupies, about.
    pub(crate) fn bytes(&self) -> usize {
        let answers: usize = self.exchanges.iter().map(|exchange| exchange.answers.len()).sum();
        let states: usize = self.states.iter().map(|states| states.bytes.len() + 8 * states.ends.len()).sum();
        self.exchanges.len() * size_of::<Exchange>() + answers * size_of::<Answered>() + states
    }

    /// A longest way through the exchanges (the sequence, where there is one): what is done, and the exchange in which one can
    /// do what the other cannot.
    pub fn main_line(&self) -> (Vec<LineStep>, &Exchange) {
        let ranks = self.ranks();
        let (mut steps, mut at) = (Vec::new(), &self.exchanges[0]);
        while let Some(answer) = at.answers.iter().max_by_key(|answer| ranks[answer.then]) {
            if answer.disputes_before {
                let alone = |side: usize| LineStep { label: TAU, alone: Some(side) };
                steps.extend(at.from.map(|_| alone(at.mover)));
                steps.extend(answer.before.map(|_| alone(1 - at.mover)));
            } else {
                steps.push(LineStep { label: at.label, alone: None });
            }
            at = &self.exchanges[answer.then];
        }
        (steps, at)
    }
}

/// An exchange of a strategy, by the numbers of the game.
pub(crate) struct Planned {
    pub(crate) pair: Pair,
    /// The [code](elnath_solve::Obligation::code) of what the mover does.
    pub(crate) code: u32,
    /// For each answer: the exchange that refutes it, a later one, and whether that is about the node before its last step.
    pub(crate) then: Vec<(u32, bool)>,
}

/// What so many planned exchanges and answers occupy, and again when a diagnosis is made of them.
pub(crate) fn bytes_of_plan(exchanges: usize, answers: usize) -> usize {
    exchanges * (size_of::<Planned>() + size_of::<Exchange>()) + answers * (8 + size_of::<Answered>())
}

/// Sorts exchanges and keeps their references right.
pub(crate) fn sorted<K: Ord>(mut plan: Vec<Planned>, key: impl Fn(&Planned) -> K) -> Vec<Planned> {
    let mut order: Vec<u32> = (0..plan.len() as u32).collect();
    order.sort_by_cached_key(|&number| key(&plan[number as usize]));
    let mut places = vec![0; order.len()];
    for (place, &number) in order.iter().enumerate() {
        places[number as usize] = place as u32;
    }
    for planned in &mut plan {
        planned.then.iter_mut().for_each(|(then, _)| *then = places[*then as usize]);
    }
    let mut plan: Vec<(u32, Planned)> = places.into_iter().zip(plan).collect();
    plan.sort_unstable_by_key(|&(place, _)| place);
    plan.into_iter().map(|(_, planned)| planned).collect()
}

/// Makes a diagnosis of a plan. In an exchanged game the sides have changed places; in the diagnosis they are where they were.
pub(crate) fn build(game: &Game<'_, '_>, plan: &[Planned], shallowest: bool) -> GameDiagnosis {
    let exchanged = game.exchanged;
    let mut names = Numbering { game, exchanged, numbers: Default::default(), states: Default::default() };
    let mut labels = NamedLabels::default();
    let exchange = |planned: &Planned| {
        let pair = planned.pair;
        let obligation = game.obligation(pair, planned.code);
        let (mover, answerer) = (obligation.mover(), 1 - obligation.mover());
        let challenge = game.sides[mover].step(obligation.challenge());
        let mut answers: Vec<Answered> = Vec::new();
        for (k, &(then, disputes_before)) in (0..).zip(&planned.then) {
            let candidate = game.candidate(pair, obligation, k);
            let answer = Answered {
                before: candidate.also.map(|mid| names.number(answerer, mid.node(answerer))),
                to: names.number(answerer, candidate.target.node(answerer)),
                then: then as usize,
                disputes_before,
            };
            answers.push(answer);
        }
        let mut states = [names.number(0, pair.0), names.number(1, pair.1)];
        if exchanged {
            states.swap(0, 1);
        }
        let label = match challenge.label {
            fixed @ (TAU | DIVERGES) => fixed,
            visible => labels.number(game.labels.name(visible)),
        };
        let from = game.sides[mover].mid(obligation.challenge()).filter(|&from| from != pair.node(mover));
        Exchange {
            states,
            mover: names.side(mover),
            label,
            from: from.map(|from| names.number(mover, from)),
            to: names.number(mover, challenge.target),
            answers,
            unheard_of: challenge.label > DIVERGES && !game.sides[answerer].has_met(challenge.label),
        }
    };
    let exchanges = plan.iter().map(exchange).collect();
    GameDiagnosis { exchanges, exchanged, shallowest, states: names.states, labels, style: game.style }
}

/// States, one behind the other.
#[derive(Default)]
struct States {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl States {
    fn get(&self, number: u32) -> &[u8] {
        let number = number as usize;
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.bytes[start..self.ends[number]]
    }

    fn push(&mut self, state: &[u8]) -> u32 {
        self.bytes.extend_from_slice(state);
        self.ends.push(self.bytes.len());
        self.ends.len() as u32 - 1
    }
}

/// The states that are spoken of.
struct Numbering<'a, 's, 'l> {
    game: &'a Game<'s, 'l>,
    exchanged: bool,
    /// By side and node: its number and one more, or 0.
    numbers: [Vec<u32>; 2],
    states: [States; 2],
}

impl Numbering<'_, '_, '_> {
    /// A side of the game as one of the question.
    fn side(&self, side: usize) -> usize {
        if self.exchanged { 1 - side } else { side }
    }

    fn number(&mut self, side: usize, node: u32) -> u32 {
        let at = self.side(side);
        let numbers = &mut self.numbers[at];
        numbers.resize(numbers.len().max(node as usize + 1), 0);
        let number = &mut numbers[node as usize];
        if *number == 0 {
            let mut state = Vec::new();
            self.game.sides[side].read(node, &mut state);
            *number = self.states[at].push(&state) + 1;
        }
        *number - 1
    }
}
