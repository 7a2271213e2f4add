//! Several properties of one system on one recording of its graph: the states are computed once, whatever the number of
//! properties.
//!
//! A search for a bad run spends its time on making states and looking them up. Both are the same for all properties
//! that are asked about together, so the graph is walked once and *recorded*: for each state, a number, its successors, and the
//! class of states with the same propositions. Then the product with each automaton is small arithmetic: a pair of state and automaton's state is an
//! index into an array, and nothing is hashed. Emptiness is decided by strongly connected components (Couvreur 1999), which serves automata
//! of every strength with any number of acceptance sets on edges.
//!
//! What is recorded is complete, or there is no recording: this pays only where the graph is walked to its end anyway, that is, where
//! properties hold. So a recording only tells *that* a property holds. One that fails is asked about by itself, by a search that makes
//! states while it walks and tends to find a violation long before it has seen all of them; its counterexample comes from there.
//!
//! Not recorded, and so not decided here: faults (the walk is given up when it meets one, or a proposition without a value), fairness,
//! acceptance labels of the system, and propositions about actions.

use super::product::FEW;
use super::{Bad, Fairness, InfiniteRuns, Looked, Observable, Size};
use elnath_kernel::budget::{WATCH_INTERVAL, WATCH_WORK};
use elnath_kernel::store::{Known, Numbered, Numbers, Ref, Room, States, Store, Visit};
use elnath_kernel::{Budget, Counters, Limit, Stepper, Successors, System, Watch};
use elnath_logic::Automaton;
use elnath_logic::automaton::Letter;
use elnath_logic::scc::{Strength, in_accepting_component, strength};
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
#[derive(Clone, Copy, Debug)]
pub struct SharedVerdict {
    /// Whether there is no bad run.
    pub holds: bool,
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
            let decided = self.recording.holds(question, budget).ok();
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

/// A step of an automaton: the acceptance sets that it belongs to, and where it leads.
type Way = (u64, u32);

/// A pair on the path of the search, and which of its successors comes next: the next but so many of the system, and of
/// the automaton.
struct Frame {
    state: u32,
    at: u32,
    successor: u32,
    way: u32,
}

/// A component on the path: its first number, the marks of the edge by which it was entered, and those within.
struct Root {
    number: u32,
    entered: u64,
    within: u64,
}

/// A pair that was not met, in an array of numbers.
const NEW: u32 = 0;
/// A pair of a component that was left.
const LEFT: u32 = u32::MAX;

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

    /// Whether the system has no bad run, with what it took to see that: pairs of state and automaton's state as states.
    fn holds(&self, question: &InfiniteRuns, budget: &mut Budget<'_>) -> Result<SharedVerdict, Limit> {
        let Bad::Automaton(automaton) = &question.bad else { panic!("a recording knows of automata only") };
        assert!(can_decide(question), "not recorded");
        let letters = self.letters(&question.watches);
        let ways = self.ways(automaton, &letters);
        let mut search = Search {
            recording: self,
            stutter: question.stutter,
            all: automaton.sets.checked_sub(1).map_or(0, |last| u64::MAX >> (63 - last)),
            ways: &ways,
            width: automaton.states(),
            waiting: self.only_waits(automaton, &ways, automaton.initial.0),
            numbers: Vec::new(),
            next: NEW + 1,
            path: Vec::new(),
            roots: Vec::new(),
            active: Vec::new(),
            counters: Counters { states_exact: true, ..Counters::default() },
        };
        let holds = !search.accepts(automaton.initial.0, budget)?;
        search.count();
        let mut counters = search.counters;
        counters.store_bytes += self.bytes();
        let few = question.watches.len() <= FEW;
        let looked = Looked {
            letters: few.then(|| letters.iter().fold(0, |seen, letter| seen | 1 << letter)),
            true_ones: letters.iter().fold(0, |seen, letter| seen | letter),
            stayed: search.stayed(automaton.initial.0),
        };
        let recurs = in_accepting_component(automaton);
        let leaving = automaton.leaving(automaton.initial).iter().filter(|edge| edge.to != automaton.initial);
        let accepts_at_once = leaving.into_iter().any(|edge| recurs[edge.to.index()]);
        let (strength, size) = (strength(automaton), Size::of(automaton));
        Ok(SharedVerdict { holds, counters, strength, size, looked, accepts_at_once })
    }

    /// Whether a state of an automaton only waits: it may stay whatever is seen, staying is not accepted, and nothing leads back to it.
    /// Then it is met with every state of the system if it is the initial one, and what lies behind it can be searched at once.
    fn only_waits(&self, automaton: &Automaton, ways: &[Vec<Way>], at: u32) -> bool {
        let (initial, own) = (at as usize, at);
        let stays = |ways: &Vec<Way>| {
            let mut loops = ways.iter().filter(|way| way.1 == own).map(|way| way.0);
            loops.next() == Some(0) && loops.next().is_none()
        };
        let of_state = &ways[initial * self.valuations.len()..][..self.valuations.len()];
        let others = automaton.edges.iter().enumerate().filter(|(from, _)| *from != initial);
        let returns = others.flat_map(|(_, edges)| edges).any(|edge| edge.to.0 == own);
        automaton.sets > 0 && !returns && of_state.iter().all(stays)
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

/// A search for an accepted cycle of the product, by components.
struct Search<'r> {
    recording: &'r Recording,
    stutter: bool,
    /// All acceptance sets.
    all: u64,
    ways: &'r [Vec<Way>],
    /// How many states the automaton has.
    width: usize,
    /// Whether its initial state [only waits](Recording::only_waits).
    waiting: bool,
    /// By pair: the number in the order in which pairs were met, [`NEW`] or [`LEFT`].
    numbers: Vec<u32>,
    next: u32,
    path: Vec<Frame>,
    roots: Vec<Root>,
    /// The pairs of the components on the path, in the order of their numbers.
    active: Vec<usize>,
    counters: Counters,
}

impl<'r> Search<'r> {
    /// Whether some run is accepted.
    fn accepts(&mut self, initial: u32, budget: &mut Budget<'_>) -> Result<bool, Limit> {
        let pairs = self.recording.states().checked_mul(self.width).filter(|&pairs| pairs < LEFT as usize);
        let pairs = pairs.filter(|pairs| pairs * size_of::<u32>() <= budget.memory).ok_or(Limit::Memory)?;
        self.numbers = vec![NEW; pairs];
        if !self.waiting {
            return self.accepts_from((0, initial), budget);
        }
        let recording = self.recording;
        for state in 0..recording.states() as u32 {
            let ways = self.ways_of(state, initial);
            for &(_, at) in ways.iter().filter(|way| way.1 != initial) {
                for &to in self.successors(state, &[state]) {
                    let new = self.numbers[self.index(to, at)] == NEW;
                    if new && self.accepts_from((to, at), budget)? {
                        return Ok(true);
                    }
                }
            }
        }
        self.counters.states += recording.states() as u64;
        Ok(false)
    }

    /// Whether the automaton never left its initial state.
    fn stayed(&self, initial: u32) -> bool {
        let (states, first) = (self.recording.states(), initial as usize);
        let others = (0..self.width).filter(|&at| at != first);
        others.into_iter().all(|at| self.numbers[at * states..][..states].iter().all(|&number| number == NEW))
    }

    /// Where the number of a pair is. What belongs to one state of the automaton is together: a part that is not met costs no memory.
    fn index(&self, state: u32, at: u32) -> usize {
        at as usize * self.recording.states() + state as usize
    }

    /// The steps of the automaton from one of its states in a state of the system.
    fn ways_of(&self, state: u32, at: u32) -> &'r [Way] {
        let class = self.recording.classes[state as usize] as usize;
        &self.ways[at as usize * self.recording.valuations.len() + class]
    }

    /// The successors of a state, which are only itself if it has none and its run goes on there for ever.
    fn successors<'s>(&self, state: u32, itself: &'s [u32; 1]) -> &'s [u32]
    where
        'r: 's,
    {
        match self.recording.successors(state) {
            [] if self.stutter => itself,
            successors => successors,
        }
    }

    /// Whether some run from a pair that was not met is accepted.
    fn accepts_from(&mut self, pair: (u32, u32), budget: &mut Budget<'_>) -> Result<bool, Limit> {
        self.enter(pair, 0, budget)?;
        while let Some(&Frame { state, at, .. }) = self.path.last() {
            let (ways, itself) = (self.ways_of(state, at), [state]);
            let successors = self.successors(state, &itself);
            let frame = self.path.last_mut().expect("just seen");
            if frame.way as usize == ways.len() {
                (frame.way, frame.successor) = (0, frame.successor + 1);
            }
            let Some(&to) = successors.get(frame.successor as usize).filter(|_| !ways.is_empty()) else {
                self.leave();
                continue;
            };
            let (marks, at) = ways[frame.way as usize];
            frame.way += 1;
            self.counters.transitions += 1;
            match self.numbers[self.index(to, at)] {
                NEW => self.enter((to, at), marks, budget)?,
                LEFT => {}
                number => {
                    if self.close(number, marks) {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// Puts a new pair on the path, as a component of its own.
    fn enter(&mut self, (state, at): (u32, u32), entered: u64, budget: &mut Budget<'_>) -> Result<(), Limit> {
        let pair = self.index(state, at);
        self.numbers[pair] = self.next;
        self.roots.push(Root { number: self.next, entered, within: 0 });
        self.next += 1;
        self.active.push(pair);
        self.path.push(Frame { state, at, successor: 0, way: 0 });
        self.counters.depth = self.counters.depth.max(self.path.len());
        self.counters.states += 1;
        if self.counters.states.is_multiple_of(WATCH_INTERVAL) {
            self.count();
            if self.counters.store_bytes + self.counters.path_bytes > budget.memory {
                return Err(Limit::Memory);
            }
            if let Some(limit) = (budget.watch)(&self.counters) {
                return Err(limit);
            }
        }
        Ok(())
    }

    /// An edge leads back to a component on the path, which takes in all that came after it. Whether it is accepted then.
    fn close(&mut self, number: u32, marks: u64) -> bool {
        let mut within = marks;
        while let Some(root) = self.roots.pop_if(|root| root.number > number) {
            within |= root.entered | root.within;
        }
        let root = self.roots.last_mut().expect("the component of a pair that was not left is on the path");
        root.within |= within;
        root.within & self.all == self.all
    }

    /// Takes the last pair off the path, and leaves its component if it was the first of it.
    fn leave(&mut self) {
        let frame = self.path.pop().expect("there is one");
        let number = self.numbers[self.index(frame.state, frame.at)];
        if self.roots.pop_if(|root| root.number == number).is_some() {
            while let Some(pair) = self.active.pop_if(|pair| self.numbers[*pair] >= number) {
                self.numbers[pair] = LEFT;
            }
        }
    }

    fn count(&mut self) {
        self.counters.insertions = self.counters.states;
        self.counters.stored = self.counters.states;
        self.counters.store_bytes = self.numbers.len() * size_of::<u32>();
        self.counters.path_bytes = self.path.capacity() * size_of::<Frame>()
            + self.roots.capacity() * size_of::<Root>()
            + self.active.capacity() * size_of::<usize>();
    }
}
