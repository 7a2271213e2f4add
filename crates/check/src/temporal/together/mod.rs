//! Several properties of one system on one recording of its graph: the states are computed once, whatever the number of
//! properties.
//!
//! A search for a bad run spends its time on making states and looking them up. Both are the same for all properties
//! that are asked about together, so the graph is walked once and *recorded*: for each state, a number, its successors, and the
//! class of states with the same propositions. Then the product with each automaton is small arithmetic: a pair of state and automaton's state is an
//! index into an array, and nothing is hashed. Emptiness is decided by strongly connected components ([`components`]), which serves automata
//! of every strength with any number of acceptance sets on edges; and if there is a bad run, a short one is [looked for](lasso).
//!
//! What is recorded is complete, or there is no recording: this pays where the graph is walked to its end anyway, as it is when a model
//! is safe. The bad run of a recording says which successor comes next. What that means is seen by
//! making the states along it once more ([`super::along_recording`]).
//!
//! Not recorded, and so not decided here: faults (the walk is given up when it meets one, or a proposition without a value), fairness,
//! acceptance labels of the system, and propositions about actions.

mod components;
mod lasso;
mod pairs;

use super::product::FEW;
use super::{Bad, Fairness, InfiniteRuns, Looked, Observable, Size};
use components::Search;
use elnath_kernel::budget::{WATCH_INTERVAL, WATCH_WORK};
use elnath_kernel::store::{Known, Numbered, Numbers, Ref, Room, States, Store, Visit};
use elnath_kernel::{Budget, Counters, Limit, Stepper, Successors, System, Watch};
use elnath_logic::Automaton;
use elnath_logic::automaton::Letter;
use elnath_logic::scc::{Strength, in_accepting_component, strength};
pub use lasso::RecordedRun;
use pairs::{Pairs, Way};
use std::collections::HashMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// The graph of a system with its propositions, all of it.
pub struct Recording {
    /// The successors of state *s* are `targets[starts[s]..starts[s + 1]]`.
    starts: Vec<u32>,
    targets: Vec<u32>,
    /// By state: the class of states with the same propositions.
    classes: Vec<u32>,
    /// By class: the propositions that hold.
    valuations: Vec<u64>,
    /// What recording it cost.
    pub counters: Counters,
}

/// Why there is no recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotRecorded {
    /// The system has something that is not recorded: a fault, or a proposition without a value.
    Faults,
    /// Something ran out.
    Limit(Limit),
}

impl From<Limit> for NotRecorded {
    fn from(limit: Limit) -> Self {
        NotRecorded::Limit(limit)
    }
}

/// Whether a recording can decide a question.
pub fn can_decide(question: &InfiniteRuns) -> bool {
    let about_states = |watch: &Observable| matches!(watch, Observable::State(_));
    matches!(question.bad, Bad::Automaton(_))
        && !question.labels
        && question.faults
        && question.fairness == Fairness::None
        && question.watches.iter().all(about_states)
}

/// Walks the whole system, breadth first, and records it.
///
/// # Errors
/// If it has something that is not recorded, or something runs out.
pub fn record(system: &dyn System, budget: &mut Budget<'_>) -> Result<Recording, NotRecorded> {
    let mut stepper = system.stepper();
    let fallible = system.fallible_propositions();
    let mut store = Numbered::default();
    let (mut places, mut by_valuation): (Vec<Ref>, HashMap<u64, u32>) = (Vec::new(), HashMap::new());
    let counters = Counters { states_exact: true, ..Counters::default() };
    let (starts, targets, classes) = (vec![0], Vec::new(), Vec::new());
    let mut recording = Recording { starts, targets, classes, valuations: Vec::new(), counters };
    let (mut state, mut successors, mut hashes) = (Vec::new(), Successors::default(), Vec::new());
    let mut watched = stepper.work();
    stepper.initial(&mut state);
    number(&mut store, &mut places, &state, None, budget.memory)?;

    let mut from = 0;
    while let Some(&place) = places.get(from) {
        store.read(place, &mut state);
        let valuation = valuation(&mut *stepper, &state, fallible).ok_or(NotRecorded::Faults)?;
        let class = *by_valuation.entry(valuation).or_insert_with(|| {
            recording.valuations.push(valuation);
            recording.valuations.len() as u32 - 1
        });
        recording.classes.push(class);
        stepper.successors(&state, &mut successors);
        if successors.has_faults() {
            return Err(NotRecorded::Faults);
        }
        hashes.clear();
        for successor in successors.iter() {
            let hash = store.hash(successor.state);
            store.prefetch(hash);
            hashes.push(hash);
        }
        let room = budget.memory.saturating_sub(recording.bytes() + places.capacity() * size_of::<Ref>());
        for (successor, &hash) in successors.iter().zip(&hashes) {
            let to = number(&mut store, &mut places, successor.state, Some(hash), room)?;
            recording.targets.push(to);
        }
        let end = u32::try_from(recording.targets.len()).map_err(|_| Limit::Memory)?;
        recording.starts.push(end);
        if places.len() as u64 > budget.states {
            return Err(Limit::States.into());
        }
        from += 1;
        let work = stepper.work();
        if (from as u64).is_multiple_of(WATCH_INTERVAL) || work - watched >= WATCH_WORK {
            watched = work;
            recording.count(&places, &store);
            if recording.counters.store_bytes > budget.memory {
                return Err(Limit::Memory.into());
            }
            if let Some(limit) = (budget.watch)(&recording.counters) {
                return Err(limit.into());
            }
        }
    }
    recording.count(&places, &store);
    Ok(recording)
}

/// The propositions that hold; nothing if one of them has no value.
fn valuation(stepper: &mut dyn Stepper, state: &[u8], fallible: u64) -> Option<u64> {
    let valuation = stepper.valuation(state);
    let doubtful = fallible & !valuation;
    let has_value = |bit: u32| doubtful >> bit & 1 == 0 || stepper.proposition_fault(state, bit).is_none();
    (doubtful == 0 || (0..64).all(has_value)).then_some(valuation)
}

/// The number of a state, a new one if it is new.
fn number(
    store: &mut Numbered,
    places: &mut Vec<Ref>,
    state: &[u8],
    hash: Option<<Numbered as States>::Hash>,
    bytes: usize,
) -> Result<u32, Limit> {
    let hash = hash.unwrap_or_else(|| store.hash(state));
    match store.visit(state, hash, Room { bytes, depth: 0 })? {
        Visit::Known(Known { at, .. }) => Ok(store.number(at)),
        Visit::New(at) => {
            let number = u32::try_from(places.len()).map_err(|_| Limit::States)?;
            store.set_number(at, number);
            places.push(at);
            Ok(number)
        }
    }
}

/// What a recording tells about a question.
#[derive(Clone, Debug)]
pub struct SharedVerdict {
    /// A bad run, if there is one.
    pub run: Option<RecordedRun>,
    /// What it took to see that: pairs of state and automaton's state as states.
    pub counters: Counters,
    /// Of the automaton.
    pub strength: Strength,
    /// Of the automaton.
    pub size: Size,
    /// What was seen of the propositions, in all states.
    pub looked: Looked,
    /// Whether the automaton can accept right after it has left its initial state.
    pub accepts_at_once: bool,
}

/// What the workers share.
struct Common<'r> {
    recording: &'r Recording,
    questions: &'r [&'r InfiniteRuns],
    /// The first question that nobody has taken.
    next: AtomicUsize,
    /// Set when something ran out for all.
    halt: AtomicBool,
    answers: Vec<OnceLock<Option<SharedVerdict>>>,
}

impl Common<'_> {
    /// Answers questions until none is left.
    fn work(&self, budget: &mut Budget<'_>) {
        while !self.halt.load(Ordering::Relaxed) {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(question) = self.questions.get(number) else { return };
            let decided = self.recording.answer(question, budget).ok();
            self.answers[number].set(decided).expect("each question is taken once");
        }
    }
}

/// The budget of a worker.
fn of_worker<'w>(memory: usize, watch: &'w mut Watch<'w>) -> Budget<'w> {
    Budget { memory, depth: usize::MAX, states: u64::MAX, disk: None, watch }
}

/// How long a worker without work waits before it looks whether there is time left for the others.
const BETWEEN_LOOKS: Duration = Duration::from_millis(1);

impl Recording {
    /// How many states it has.
    pub fn states(&self) -> usize {
        self.classes.len()
    }

    /// The propositions that hold in a state.
    pub fn valuation(&self, state: u32) -> u64 {
        self.valuations[self.classes[state as usize] as usize]
    }

    /// Bytes that it occupies.
    pub fn bytes(&self) -> usize {
        let words = self.starts.capacity() + self.targets.capacity() + self.classes.capacity();
        words * size_of::<u32>() + self.valuations.capacity() * size_of::<u64>()
    }

    fn count(&mut self, places: &[Ref], store: &Numbered) {
        let bytes = self.bytes() + size_of_val(places) + store.bytes();
        let counters = &mut self.counters;
        counters.states = places.len() as u64;
        (counters.insertions, counters.stored) = (counters.states, counters.states);
        counters.transitions = self.targets.len() as u64;
        counters.store_bytes = bytes;
    }

    /// What each question's answer is, as far as there is one within the budget, by so many workers.
    ///
    /// # Panics
    /// If there is a question that a recording cannot [decide](can_decide).
    pub fn decide(
        &self,
        questions: &[&InfiniteRuns],
        workers: usize,
        budget: &mut Budget<'_>,
    ) -> Vec<Option<SharedVerdict>> {
        let workers = workers.clamp(1, questions.len().max(1));
        let memory = budget.memory.saturating_sub(self.bytes()) / workers;
        let common = Common {
            recording: self,
            questions,
            next: AtomicUsize::new(0),
            halt: AtomicBool::new(false),
            answers: questions.iter().map(|_| OnceLock::new()).collect(),
        };
        let shared = &common;
        std::thread::scope(|scope| {
            let halted = |_: &Counters| shared.halt.load(Ordering::Relaxed).then_some(Limit::Interrupted);
            let helper = move || shared.work(&mut of_worker(memory, &mut { halted }));
            let helpers: Vec<_> = (1..workers).map(|_| scope.spawn(helper)).collect();
            // Only this thread can ask whether there is time left, so it does so until the others are through.
            let mut watch = |counters: &Counters| {
                let limit = (budget.watch)(counters);
                common.halt.fetch_or(limit.is_some(), Ordering::Relaxed);
                limit
            };
            common.work(&mut of_worker(memory, &mut watch));
            while !helpers.iter().all(|helper| helper.is_finished()) {
                std::thread::sleep(BETWEEN_LOOKS);
                watch(&self.counters);
            }
        });
        common.answers.into_iter().map(|answer| answer.into_inner().flatten()).collect()
    }

    /// Whether the system has a bad run, with what it took to see that: pairs of state and automaton's state as states.
    fn answer(&self, question: &InfiniteRuns, budget: &mut Budget<'_>) -> Result<SharedVerdict, Limit> {
        let Bad::Automaton(automaton) = &question.bad else { panic!("a recording knows of automata only") };
        assert!(can_decide(question), "not recorded");
        let letters = self.letters(&question.watches);
        let ways = self.ways(automaton, &letters);
        let (initial, sets) = (automaton.initial.0, automaton.sets);
        let pairs = Pairs {
            recording: self,
            stutter: question.stutter,
            all: sets.checked_sub(1).map_or(0, |last| u64::MAX >> (63 - last)),
            ways: &ways,
            width: automaton.states(),
        };
        let strength = strength(automaton);
        let recurs = in_accepting_component(automaton);
        // Then it is bad to come to such a state of the automaton at all, and how is looked for when it is known to be possible.
        let by_reaching = question.by_reaching(strength);
        let mut search = Search::new(pairs, &recurs);
        let holds = !search.accepts(initial, by_reaching, budget)?;
        let (mut counters, stayed) = (search.counters(), search.stayed(initial));
        counters.store_bytes += self.bytes();
        let run = match search.into_accepted() {
            _ if holds => None,
            (_, unused) if by_reaching => {
                let is_bad = |pair| recurs[pairs.pair(pair).1 as usize];
                pairs.run_to(initial, is_bad, unused, budget)?
            }
            (accepted, unused) => pairs.lasso(initial, &accepted, unused, budget)?,
        };
        assert_eq!(holds, run.is_none(), "a bad run can be found");
        let few = question.watches.len() <= FEW;
        let looked = Looked {
            letters: few.then(|| letters.iter().fold(0, |seen, letter| seen | 1 << letter)),
            true_ones: letters.iter().fold(0, |seen, letter| seen | letter),
            stayed,
        };
        let leaving = automaton.leaving(automaton.initial).iter().filter(|edge| edge.to != automaton.initial);
        let accepts_at_once = leaving.into_iter().any(|edge| recurs[edge.to.index()]);
        let size = Size::of(automaton);
        Ok(SharedVerdict { run, counters, strength, size, looked, accepts_at_once })
    }

    /// What an automaton reads in each class of states.
    fn letters(&self, watches: &[Observable]) -> Vec<Letter> {
        let letter = |&valuation: &u64| {
            let bit = |(i, watch): (usize, &Observable)| match watch {
                Observable::State(bit) => (valuation >> bit & 1) << i,
                Observable::Action(_) => unreachable!("a recording knows no actions"),
            };
            watches.iter().enumerate().map(bit).fold(0, |letter, bit| letter | bit)
        };
        self.valuations.iter().map(letter).collect()
    }

    /// The steps of an automaton, by its state and the class of the system's, one state after the other.
    fn ways(&self, automaton: &Automaton, letters: &[Letter]) -> Vec<Vec<Way>> {
        let of_state = |edges: &Vec<elnath_logic::automaton::Edge>| {
            letters
                .iter()
                .map(|&letter| {
                    let possible = edges.iter().filter(|edge| edge.label.admits(letter));
                    possible.map(|edge| (edge.marks.0, edge.to.0)).collect()
                })
                .collect::<Vec<Vec<Way>>>()
        };
        automaton.edges.iter().flat_map(of_state).collect()
    }

    /// The successors of a state, one for each transition. State 0 is the initial one.
    pub fn successors(&self, state: u32) -> &[u32] {
        let at = state as usize;
        &self.targets[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}
