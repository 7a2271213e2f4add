//! A system watched by an automaton over infinite words: one product for formulas, automata in files and never claims.
//!
//! From (s, q) the automaton reads a letter, which propositions hold in s and which match the action of the transition
//! that is taken, and goes along one of its edges that admit it, while the system goes along the transition. A run of the
//! product is thus a run of the system with a run of the automaton on its word (SPIN's reading: propositions are those
//! of the *source*, so the first letter is the initial state's).
//!
//! **Runs that end.** A state without transitions would cut the word off, and an automaton over infinite words could say
//! nothing about it. With the *stutter extension* the last state is repeated for ever: the automaton goes on alone, and
//! no action matches. Without it only infinite runs count.
//!
//! **Fairness** is a matter of the system's transitions, so it lives here too, as more marks. Weak: a set for each
//! process, to which a transition belongs if the process moves or could not have moved. Strong: two bits for each, the
//! request that it could have moved and the response that it does. A process that does not exist cannot move. And where
//! processes are Büchi automata themselves, with acceptance labels of their own, a set for each of those, to which a
//! transition belongs if the process is at such a label or has none.
//!
//! **Faults.** A run that breaks a rule of the model on the way, by a failed assertion for instance, goes nowhere that
//! could be trusted. If faults count, it ends in a state of its own, behind which it is accepted for ever, so that every
//! search finds it as it finds any other bad run. Only runs that the automaton follows are looked at: of those the property
//! has nothing more against, nothing is known. The same becomes of a run to a state in which a proposition has no value (an
//! index out of range, a channel that is none) *and that value matters*: an edge might be possible or not. A conjunct that
//! is false settles the matter whatever the others are, in any order.
//!
//! A state is that of the system with the automaton's behind it, one byte or two; a transition is the system's with the
//! number of the automaton's edge above it. Nothing is allocated per state, and the system's successors are made once per
//! state, together, whatever computes them, where the product's are to lie: the automaton's state is put behind them, and
//! only where it has several ways to go on are they copied. Which ways it has with which letter is written down beforehand
//! if there are few letters. Copies and labels were a third of all instructions of a search through small states.

mod walker;

use elnath_kernel::event::{Disabled, Field, Operand, StatePart};
use elnath_kernel::successors::Way;
use elnath_kernel::{
    Action, Condition, Describe, Essence, Event, Fault, Run, Stepper, StreettPair, System, Transition,
};
use elnath_logic::Automaton;
use elnath_logic::automaton::{Edge, Letter, State};
use elnath_logic::scc::in_accepting_component;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use walker::Walker;

/// What a proposition of the automaton looks at.
#[derive(Clone)]
pub enum Observable {
    /// A proposition of the system: a bit of [`Stepper::valuation`].
    State(u32),
    /// The name of the action that is taken.
    Action(Arc<dyn Fn(&str) -> bool + Send + Sync>),
}

/// Which infinite runs of a system of processes count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fairness {
    /// All.
    #[default]
    None,
    /// Those in which no process is able to move from some point on without ever moving.
    Weak,
    /// Those in which every process that is able to move again and again does so.
    Strong,
    /// Those in which every process with acceptance labels is at one of them again and again: programs whose components are
    /// Büchi automata (memory-efficient-algorithms-1992, section 4).
    Live,
}

/// How the automaton's state says whether a run is accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Accepting {
    /// Those of its states.
    States(Vec<bool>),
    /// The system's own: [`Stepper::accepting`].
    System,
    /// Those of its states, and the system's.
    Either(Vec<bool>),
}

/// What a run that meets a fault of the system is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Faults {
    /// A run like any other, as if nothing had happened.
    Ignored,
    /// A bad run, which ends there in a state that counts as accepting.
    Accepted,
    /// The same for a search that looks for cycles *without* accepting states.
    Rejected,
}

/// A system and the automaton that watches it. See the [module](self).
pub struct Product<'s> {
    system: Arc<dyn System + 's>,
    automaton: Automaton,
    accepting: Accepting,
    /// By state of the automaton, and behind a fault: whether accepted runs may be there again and again.
    recurs: Vec<bool>,
    watches: Vec<Observable>,
    /// Whether the letter is the system's valuation as it is.
    plain: bool,
    /// Whether every proposition has a value, besides.
    direct: bool,
    /// The propositions that are about actions.
    actions: u64,
    stutter: bool,
    fairness: Fairness,
    faults: Faults,
    /// The propositions that may have no value.
    fallible: u64,
    /// By state of the automaton: the propositions that its edges mention.
    mentioned: Vec<u64>,
    /// The edges by state of the automaton and letter: see [`Product::ways`].
    ways: Option<Arc<[Vec<Way>]>>,
    /// How many low bits of a transition are the system's.
    bits: u32,
    /// Bytes of the automaton's state.
    width: usize,
    /// Whether there was a process for which there is no mark.
    too_many_processes: AtomicBool,
    /// What its steppers have seen.
    met: Met,
}

/// What steppers have seen of a product, in words of bits that cost an instruction or two per state. Each stepper has its own, and
/// adds them when it is dropped.
#[derive(Debug, Default)]
pub(super) struct Met {
    /// The letters, one bit each, if there are at most [`FEW`] propositions.
    letters: AtomicU64,
    /// The propositions that were true.
    true_ones: AtomicU64,
    /// The states of the automaton; the last bit is for all from 63 on.
    states: AtomicU64,
}

/// So many propositions have at most 64 letters.
pub(super) const FEW: usize = 6;

/// What a search has seen of the propositions of a property, in the states in which the automaton looked at one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Looked {
    /// The letters that were read, one bit each, if there are few propositions.
    pub letters: Option<u64>,
    /// The propositions that were true, one bit each.
    pub true_ones: u64,
    /// Whether the automaton never left its initial state.
    pub stayed: bool,
}

/// A product that cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TooLarge {
    /// The automaton has too many states or edges for a transition to name them.
    Automaton,
    /// The automaton has so many acceptance sets that fairness finds no room.
    Sets,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TooLarge::Automaton => "the automaton is too large to watch this system",
            TooLarge::Sets => "the automaton has too many acceptance sets for a check with fairness",
        })
    }
}

impl<'s> Product<'s> {
    pub(super) fn new(
        system: Arc<dyn System + 's>,
        automaton: Automaton,
        accepting: Accepting,
        watches: Vec<Observable>,
        stutter: bool,
        fairness: Fairness,
        faults: Faults,
    ) -> Result<Self, TooLarge> {
        assert_eq!(automaton.propositions.len(), watches.len(), "every proposition looks at something");
        let bits = system.stepper().transition_bits();
        let most_edges = automaton.edges.iter().map(Vec::len).max().unwrap_or(0) as u64;
        // One more edge and one more state than it has are for faults.
        if bits >= 64 || most_edges + 1 > 1 << (64 - bits) || automaton.states() >= 1 << 16 {
            return Err(TooLarge::Automaton);
        }
        let plain = watches
            .iter()
            .enumerate()
            .all(|(i, watch)| matches!(watch, Observable::State(bit) if *bit as usize == i));
        let is_action =
            |(i, watch): (usize, &Observable)| u64::from(matches!(watch, Observable::Action(_))) << i;
        let actions = watches.iter().enumerate().map(is_action).fold(0, |all, bit| all | bit);
        let width = if automaton.states() < 256 { 1 } else { 2 };
        let may_fail = if faults == Faults::Ignored { 0 } else { system.fallible_propositions() };
        let fallible = watches.iter().enumerate().fold(0, |all, (i, watch)| match watch {
            Observable::State(bit) => all | (may_fail >> bit & 1) << i,
            Observable::Action(_) => all,
        });
        let cubes =
            |edges: &Vec<Edge>| edges.iter().flat_map(|edge| edge.label.0.clone()).collect::<Vec<_>>();
        let mentions = |edges| cubes(edges).iter().fold(0, |all, cube| all | cube.with | cube.without);
        let mentioned = automaton.edges.iter().map(mentions).collect();
        let mut recurs = match accepting {
            Accepting::States(_) => in_accepting_component(&automaton),
            // The system's labels accept wherever the automaton is.
            Accepting::System | Accepting::Either(_) => vec![true; automaton.states()],
        };
        // Behind a fault a run is accepted for ever.
        recurs.push(true);
        let (too_many_processes, met) = (AtomicBool::new(false), Met::default());
        let mut product = Self {
            system,
            automaton,
            accepting,
            recurs,
            watches,
            plain,
            direct: plain && fallible == 0,
            actions,
            stutter,
            fairness,
            faults,
            fallible,
            mentioned,
            ways: None,
            bits,
            width,
            too_many_processes,
            met,
        };
        product.ways = product.all_ways();
        if product.fairness != Fairness::None && product.most_processes() < 2 {
            return Err(TooLarge::Sets);
        }
        Ok(product)
    }

    /// The same automaton watching another system, of which this one is a quotient.
    pub(super) fn over(&self, system: Arc<dyn System + 's>) -> Self {
        Self {
            system,
            automaton: self.automaton.clone(),
            accepting: self.accepting.clone(),
            recurs: self.recurs.clone(),
            watches: self.watches.clone(),
            mentioned: self.mentioned.clone(),
            ways: self.ways.clone(),
            too_many_processes: AtomicBool::new(false),
            met: Met {
                letters: AtomicU64::new(self.met.letters.load(Ordering::Relaxed)),
                true_ones: AtomicU64::new(self.met.true_ones.load(Ordering::Relaxed)),
                states: AtomicU64::new(self.met.states.load(Ordering::Relaxed)),
            },
            ..*self
        }
    }

    /// What is kept of a state if this is the product of a quotient, of which that is known.
    pub(super) fn essence(&self, state: &[u8], of_system: Essence<'_>) -> Vec<u8> {
        let (system, automaton) = state.split_at(state.len() - self.width);
        let mut essence = of_system(system);
        essence.extend_from_slice(automaton);
        essence
    }

    /// What its steppers have seen, when they are dropped.
    pub fn looked(&self) -> Looked {
        let few = self.watches.len() <= FEW;
        let initial = 1u64 << self.automaton.initial.index().min(63);
        Looked {
            letters: few.then(|| self.met.letters.load(Ordering::Relaxed)),
            true_ones: self.met.true_ones.load(Ordering::Relaxed),
            stayed: self.met.states.load(Ordering::Relaxed) & !initial == 0,
        }
    }

    /// Whether the automaton can accept right after it has left its initial state, so that staying there is what holding means.
    pub fn accepts_at_once(&self) -> bool {
        let leaving = self.automaton.leaving(self.automaton.initial);
        leaving.iter().any(|edge| edge.to != self.automaton.initial && self.recurs[edge.to.index()])
    }

    /// The system that is watched.
    pub fn system(&self) -> &Arc<dyn System + 's> {
        &self.system
    }

    /// The state of the system in a state of the product.
    pub fn inner<'b>(&self, state: &'b [u8]) -> &'b [u8] {
        self.split(state).0
    }

    /// The system's transition in one of the product's; `None` where the system stays in its last state.
    pub fn inner_transition(&self, t: Transition) -> Option<Transition> {
        let (_, inner) = self.decode(t);
        (inner != self.stays()).then_some(inner)
    }

    /// The same edge of the automaton with another transition of the system.
    pub(super) fn with_inner(&self, t: Transition, inner: Transition) -> Transition {
        self.encode(self.decode(t).0, inner)
    }

    /// The state of the automaton in a state of the product.
    pub(super) fn outer(&self, state: &[u8]) -> State {
        self.split(state).1
    }

    /// The run up to the fault in which it ends, if it does, with that fault.
    pub(super) fn up_to_fault(&self, run: &Run) -> Option<Run> {
        let steps = run.states.iter().position(|state| self.has_failed(state))?.checked_sub(1)?;
        let fault = self.stepper().fire(&run.states[steps], run.steps[steps], &mut Vec::new()).err();
        debug_assert!(fault.is_some(), "only a fault leads there");
        Some(Run { states: run.states[..=steps + 1].to_vec(), steps: run.steps[..=steps].to_vec(), fault })
    }

    /// Whether this is where a run that met a fault is.
    fn has_failed(&self, state: &[u8]) -> bool {
        self.split(state).1 == self.failed()
    }

    /// The state, none of the automaton's, in which that is said.
    fn failed(&self) -> State {
        State(self.automaton.states() as u32)
    }

    /// Whether a fault ends the run.
    fn counts(&self, fault: Fault) -> bool {
        self.faults != Faults::Ignored && !self.system.gave_up(fault)
    }

    /// Where the automaton is after a transition along `edge`.
    fn after(&self, edge: &Edge, fault: Option<Fault>) -> State {
        if fault.is_some_and(|fault| self.counts(fault)) { self.failed() } else { edge.to }
    }

    /// The only transition of a state in which the automaton cannot be read: its number is that of an edge it has not.
    fn unreadable(&self, at: State) -> Transition {
        self.encode(self.automaton.leaving(at).len(), self.stays())
    }

    /// The ways in which the automaton goes on with each letter, of one state after the other; unless there are too many
    /// letters, or what the edges say about actions has to be looked at with each transition.
    fn all_ways(&self) -> Option<Arc<[Vec<Way>]>> {
        let letters = 1usize.checked_shl(self.watches.len() as u32)?;
        if self.actions != 0 || self.automaton.states().checked_mul(letters)? > MOST_WAYS {
            return None;
        }
        let of_letter = |at: State, letter: usize| self.ways(at, letter as Letter).collect();
        let states = (0..self.automaton.states() as u32).map(State);
        Some(states.flat_map(|at| (0..letters).map(move |letter| of_letter(at, letter))).collect())
    }

    /// The ways in which the automaton goes on with a letter, where no edge says anything about actions.
    fn ways(&self, at: State, letter: Letter) -> impl Iterator<Item = Way> {
        let edges = self.automaton.leaving(at).iter().enumerate();
        edges
            .filter(move |(_, edge)| edge.label.admits(letter))
            .map(|(index, edge)| Way { bits: self.encode(index, Transition(0)).0, tail: self.tail(edge.to) })
    }

    /// The propositions of the automaton, that of bit 0 of a letter first.
    pub fn propositions(&self) -> &[String] {
        &self.automaton.propositions
    }

    /// The propositions that are about actions, one bit each; the others are about states.
    pub fn about_actions(&self) -> u64 {
        self.actions
    }

    /// The letters that the automaton reads along a run, and behind them what holds in its last state.
    pub fn letters(&self, run: &Run) -> Vec<Letter> {
        let mut stepper = self.system.stepper();
        let steps = run.steps.iter().map(|&t| self.inner_transition(t)).chain([None]);
        let letter = |(state, step): (&Vec<u8>, Option<Transition>)| {
            let state = self.inner(state);
            let valuation = stepper.valuation(state);
            let action = step.map(|t| self.system.action_name(stepper.action(state, t)));
            let holds = |watch: &Observable| match watch {
                Observable::State(bit) => valuation >> bit & 1 == 1,
                Observable::Action(matches) => action.as_ref().is_some_and(|name| matches(name)),
            };
            let bits = self.watches.iter().enumerate();
            bits.fold(0, |letter, (bit, watch)| letter | Letter::from(holds(watch)) << bit)
        };
        run.states.iter().zip(steps).map(letter).collect()
    }

    /// The values that a proposition reads in a state of the product; none if it is about actions.
    pub fn operands(&self, state: &[u8], proposition: usize) -> Vec<Operand> {
        match self.watches[proposition] {
            Observable::State(bit) => self.system.stepper().operands(self.inner(state), bit),
            Observable::Action(_) => Vec::new(),
        }
    }

    /// A run after which nothing can be good any more, without its last step if the automaton needed that only to read
    /// the state before it: what made the run bad is in its last state then, or in its last step.
    pub fn up_to_last_letter(&self, run: &Run) -> Run {
        let mut run = run.clone();
        let Some((&last, state)) = run.steps.last().zip(run.states.iter().rev().nth(1)) else { return run };
        let (at, (edge, _)) = (self.outer(state), self.decode(last));
        let reads_action = self.automaton.leaving(at).get(edge).is_none_or(|edge| {
            edge.label.0.iter().any(|cube| (cube.with | cube.without) & self.actions != 0)
        });
        if run.fault.is_none() && !reads_action {
            run.steps.pop();
            run.states.pop();
        }
        run
    }

    /// A run without the automaton: the states and steps of the system. It ends where the system does.
    pub fn alone(&self, run: &Run) -> Run {
        let steps: Vec<Transition> = run.steps.iter().map_while(|&t| self.inner_transition(t)).collect();
        let states = run.states[..=steps.len()].iter().map(|state| self.inner(state).to_vec()).collect();
        Run { states, steps, fault: run.fault }
    }

    /// The same infinite run of the system with its cycle as early as it can begin. The automaton often needs a step or
    /// two more to make up its mind, which is of no interest to those who want to see what the system does.
    pub fn roll_back(&self, run: &mut Run, loop_start: &mut usize) {
        let step = |run: &Run, at: usize| {
            (self.inner(&run.states[at]).to_vec(), self.inner_transition(run.steps[at]))
        };
        while *loop_start > 0 && step(run, *loop_start - 1) == step(run, run.steps.len() - 1) {
            *loop_start -= 1;
            run.steps.pop();
            run.states.pop();
        }
        // Where faults are ignored, the step that is the last one now may be another with one.
        let last = run.steps.len().checked_sub(1).map(|last| (&run.states[last], run.steps[last]));
        run.fault = last.and_then(|(state, t)| self.stepper().fire(state, t, &mut Vec::new()).err());
    }

    /// The acceptance of runs by the marks of transitions.
    pub(super) fn condition(&self) -> Condition {
        let own = self.own_sets();
        let mut sets = ones(own);
        let mut pairs = Vec::new();
        let processes = self.most_processes();
        match self.fairness {
            Fairness::None => {}
            Fairness::Weak | Fairness::Live => sets |= ones(processes) << own,
            Fairness::Strong => {
                let bit = |pid: u32, which: u32| 1u64 << (own + 2 * pid + which);
                pairs.extend(
                    (0..processes).map(|pid| StreettPair { request: bit(pid, 0), response: bit(pid, 1) }),
                );
            }
        }
        Condition { sets, pairs }
    }

    /// The marks of a cycle that is accepted, and fair to everybody.
    fn all_marks(&self) -> u64 {
        let fair = match self.fairness {
            // Nobody asks for anything.
            Fairness::None | Fairness::Strong => 0,
            Fairness::Weak | Fairness::Live => ones(self.most_processes()) << self.own_sets(),
        };
        ones(self.own_sets()) | fair
    }

    /// Whether fairness could not be told for some process, of which there were too many.
    pub(super) fn lost_processes(&self) -> bool {
        self.too_many_processes.load(Ordering::Relaxed)
    }

    /// For how many processes there are marks.
    pub(super) fn most_processes(&self) -> u32 {
        let room = 63 - self.own_sets();
        match self.fairness {
            Fairness::None => 0,
            Fairness::Weak | Fairness::Live => room,
            Fairness::Strong => room / 2,
        }
    }

    /// The marks that are not about fairness.
    fn own_sets(&self) -> u32 {
        self.automaton.sets + u32::from(self.accepting == Accepting::System)
    }

    /// What is told of a step in which the system stays where it is.
    fn idle(&self, state: &[u8], t: Transition) -> &'static str {
        let (_, at) = self.split(state);
        if at != self.failed() && t == self.unreadable(at) { UNREADABLE } else { STAYS }
    }

    #[inline]
    fn split<'b>(&self, state: &'b [u8]) -> (&'b [u8], State) {
        let (system, number) = match (self.width, state) {
            (1, [system @ .., low]) => (system, u32::from(*low)),
            (2, [system @ .., low, high]) => (system, u32::from(u16::from_le_bytes([*low, *high]))),
            _ => unreachable!("the automaton's state has one byte or two"),
        };
        (system, State(number))
    }

    /// Whether accepted runs may be there again and again.
    #[inline]
    fn may_recur(&self, state: &[u8]) -> bool {
        self.recurs[self.split(state).1.index()]
    }

    fn tail(&self, at: State) -> [u8; 2] {
        (at.0 as u16).to_le_bytes()
    }

    fn encode(&self, edge: usize, inner: Transition) -> Transition {
        Transition(if self.bits == 64 { inner.0 } else { (edge as u64) << self.bits | inner.0 })
    }

    fn decode(&self, t: Transition) -> (usize, Transition) {
        ((t.0 >> self.bits) as usize, Transition(t.0 & ones(self.bits)))
    }

    /// The number of the system's transition where it has none.
    fn stays(&self) -> Transition {
        Transition(ones(self.bits))
    }
}

fn ones(bits: u32) -> u64 {
    1u64.checked_shl(bits).map_or(u64::MAX, |bit| bit - 1)
}

impl System for Product<'_> {
    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(Walker::new(self))
    }

    fn describe(&self) -> &dyn Describe {
        self
    }

    elnath_kernel::hand_on! { system: bytes }
}

impl Describe for Product<'_> {
    fn show_state(&self, state: &[u8]) -> String {
        self.system.show_state(self.inner(state))
    }

    fn state_parts(&self, state: &[u8]) -> Vec<StatePart> {
        self.system.state_parts(self.inner(state))
    }

    fn fields(&self, state: &[u8]) -> Vec<Field> {
        self.system.fields(self.inner(state))
    }

    fn show_transition(&self, state: &[u8], t: Transition) -> String {
        match self.inner_transition(t) {
            Some(t) => self.system.show_transition(self.inner(state), t),
            None => self.idle(state, t).to_owned(),
        }
    }

    fn events(&self, state: &[u8], t: Transition) -> Vec<Event> {
        match self.inner_transition(t) {
            Some(t) => self.system.events(self.inner(state), t),
            None => {
                let text = self.idle(state, t).to_owned();
                vec![Event { changes: Some(Vec::new()), ..Event::plain(text) }]
            }
        }
    }

    fn actors(&self, state: &[u8]) -> Vec<String> {
        self.system.actors(self.inner(state))
    }

    fn waiting(&self, state: &[u8]) -> Vec<Event> {
        self.system.waiting(self.inner(state))
    }

    fn disabled(&self, state: &[u8]) -> Vec<Disabled> {
        self.system.disabled(self.inner(state))
    }

    fn action_name(&self, action: Action) -> String {
        if action == NO_ACTION { STAYS.to_owned() } else { self.system.action_name(action) }
    }

    fn action_place(&self, action: Action) -> Option<String> {
        if action == NO_ACTION { None } else { self.system.action_place(action) }
    }

    elnath_kernel::hand_on! { system: fault_name, gave_up }
}

/// The most lists of ways that are written down beforehand: they stay in the second cache.
const MOST_WAYS: usize = 1 << 10;
/// What is told where only the automaton goes on.
const STAYS: &str = "(nothing is possible any more: this state lasts for ever)";
/// What is told where the property has no truth.
const UNREADABLE: &str = "(the property cannot be evaluated here)";
const NO_ACTION: Action = Action(u32::MAX);
