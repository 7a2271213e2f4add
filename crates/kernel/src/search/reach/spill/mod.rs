//! Breadth-first search on disk (out of core), for sets of states that outgrow the memory.
//!
//! The technique is delayed duplicate detection, exact: Stern and Dill, *Using magnetic disk instead of main memory in
//! the Murphi verifier* (CAV 1998); Korf, *Best-first frontier search with delayed duplicate detection* (AAAI 2004). A
//! state is represented by the root key of its tree ([`Tree`]). The nodes of trees stay in memory, since they are few;
//! the keys are written to disk, as sorted [`runs`].
//!
//! The states of every level are written to disk in the order of their keys, and read again from there to be explored.
//! Meanwhile the set of the [`Tree`] remembers what was reached. As long as it has never been emptied it is complete:
//! what it reports as new is new. When it is full it is emptied, and from then on it is only a filter: what it reports
//! as new is a *candidate*, and at the end of a level the candidates are sorted and compared with all levels so far, in
//! one pass over runs that are kept few ([`Visited`]). What remains is the next level.
//!
//! Only the set is ever emptied, so any memory that holds the nodes is enough; the disk holds each state two or three
//! times: in its level, and in a run in which levels were merged.
//!
//! **Runs to violations** are found backwards: the previous level is explored again until some state has the right
//! successor, and so on to the initial state. This needs no parents and costs at most one more search, for however many runs.
//!
//! **Many workers** claim pieces of a level from its file one after the other; one worker explores a level that is too
//! thin to share. One worker sorts and merges.

mod runs;

use super::parallel_bfs::Walked;
use crate::budget::{Budget, Counters};
use crate::disk::{Disk, Scratch};
use crate::search::{Edge, End, Hooks, Outcome, Witness};
use crate::store::{Full, Ref, Shared, Tree, TreeKey, TreeWorker};
use crate::successors::{Successor, Successors};
use crate::system::{Action, Stepper, System, Transition};
use crate::verdict::Limit;
use runs::{Cursor, Merge, Run, Visited, Writer};
use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock};

/// States that a worker takes at a time.
const PIECE: usize = 256;
/// Levels of fewer states are walked by one worker: to begin a thread takes as long as some hundred states.
const THIN: u64 = 4096;
/// Runs of candidates that are merged at a time.
const MOST_CANDIDATE_RUNS: usize = 16;
/// Keys merged between two looks at the clock.
const MERGE_INTERVAL: u64 = 1 << 20;
const UNBROKEN: &str = "no worker panicked";

/// Walks everything reachable from the initial state, with as many workers as there are hooks. Of the hooks, `expand` and
/// `edge` are called.
///
/// # Panics
/// If a worker panics; and if there are no hooks.
pub fn spill<H: Hooks + Send>(
    system: &dyn System,
    store: Tree,
    disk: &Disk,
    hooks: Vec<H>,
    budget: &mut Budget<'_>,
) -> Walked<H> {
    let common = Common::new(store, disk, budget);
    let mut hooks = hooks.into_iter();
    let mut leader = Worker::new(&common, system, hooks.next().expect("there is at least one worker"));
    let helpers = hooks.collect();
    let mut walk = SpillingSearch {
        common: &common,
        system,
        disk,
        budget,
        levels: Vec::new(),
        states: 0,
        index: 0,
        visited: Visited::default(),
        helpers,
    };
    walk.common.unfired.lock().expect(UNBROKEN).replace(leader.stepper.unfired());
    let end = match walk.run(&mut leader) {
        Ok(()) => End::Complete,
        Err(Halt::Found) => End::Stopped,
        Err(Halt::Limit(limit)) => End::Limited(limit),
    };
    let found = *common.found.lock().expect(UNBROKEN);
    // The first run, and then those that hooks want to be kept.
    let ends: Vec<Found> = found.into_iter().chain(common.kept.lock().expect(UNBROKEN).drain(..)).collect();
    let mut runs = walk.runs_to(&mut leader, &ends).into_iter().zip(&ends);
    let told = |(run, found): (Option<Vec<Transition>>, &Found)| {
        run.map_or(Witness::Length(found.length()), Witness::Run)
    };
    let witness = found.and_then(|_| runs.next()).map(told);
    let kept = runs.map(told).collect();
    let counters = walk.counters();
    common.note_unfired(&leader.stepper.unfired());
    let mut hooks = vec![leader.hooks];
    hooks.append(&mut walk.helpers);
    let unfired = common.unfired.lock().expect(UNBROKEN).take().unwrap_or_default();
    Walked { outcome: Outcome { end, counters, witness, kept }, hooks, unfired }
}

/// Why a walk ends early.
#[derive(Clone, Copy)]
enum Halt {
    Found,
    Limit(Limit),
}

impl From<io::Error> for Halt {
    /// What it was, the [`Disk`] remembers.
    fn from(_: io::Error) -> Self {
        Halt::Limit(Limit::Disk)
    }
}

/// Where a hook said `Break`: at a state of a level, or at one of its transitions.
#[derive(Clone, Copy)]
struct Found {
    key: u64,
    last: Option<Transition>,
    depth: usize,
}

impl Found {
    /// The length of the run to there.
    fn length(self) -> usize {
        self.depth + usize::from(self.last.is_some())
    }
}

/// What the workers share.
struct Common<'a> {
    store: RwLock<Tree>,
    /// What is left of the level to be explored.
    level: Mutex<Option<Cursor>>,
    depth: AtomicU64,
    candidates: Mutex<Candidates>,
    disk: &'a Disk,
    /// Whether the set in memory has been emptied, so that it no longer knows everything.
    emptied: AtomicBool,
    transitions: AtomicU64,
    halt: Mutex<Option<Halt>>,
    halted: AtomicBool,
    /// A violation at a transition was found: only one in a state of this level would be shorter.
    only_states: AtomicBool,
    found: Mutex<Option<Found>>,
    /// Where the runs end that hooks want to be kept.
    kept: Mutex<Vec<Found>>,
    unfired: Mutex<Option<Vec<Action>>>,
    /// Bytes for the store.
    store_bytes: usize,
    /// Candidates kept in memory.
    most_candidates: usize,
    candidate_bytes: AtomicU64,
}

/// What the level being explored led to that the set did not know.
#[derive(Default)]
struct Candidates {
    keys: Vec<u64>,
    runs: Vec<Arc<Run>>,
}

impl<'a> Common<'a> {
    fn new(store: Tree, disk: &'a Disk, budget: &Budget<'_>) -> Self {
        // An eighth for the candidates, which are sorted in place, and a little for blocks of runs.
        let share = (budget.memory / 8).min(1 << 30);
        Self {
            store: RwLock::new(store),
            level: Mutex::default(),
            depth: AtomicU64::new(0),
            candidates: Mutex::default(),
            disk,
            emptied: AtomicBool::new(false),
            transitions: AtomicU64::new(0),
            halt: Mutex::default(),
            halted: AtomicBool::new(false),
            only_states: AtomicBool::new(false),
            found: Mutex::default(),
            kept: Mutex::default(),
            unfired: Mutex::default(),
            store_bytes: budget.memory - share,
            most_candidates: (share / 8).max(PIECE),
            candidate_bytes: AtomicU64::new(0),
        }
    }

    fn stop(&self, halt: Halt) -> Halt {
        self.halted.store(true, Ordering::Relaxed);
        *self.halt.lock().expect(UNBROKEN).get_or_insert(halt)
    }

    fn check_halted(&self) -> Result<(), Halt> {
        if !self.halted.load(Ordering::Relaxed) {
            return Ok(());
        }
        Err(self.halt.lock().expect(UNBROKEN).expect("it was set before"))
    }

    fn note_unfired(&self, unfired: &[Action]) {
        if let Some(all) = &mut *self.unfired.lock().expect(UNBROKEN) {
            all.retain(|action| unfired.contains(action));
        }
    }

    /// The next states of the level; none at its end.
    fn piece(&self, piece: &mut Vec<u64>) -> io::Result<()> {
        piece.clear();
        let mut level = self.level.lock().expect(UNBROKEN);
        let Some(cursor) = &mut *level else { return Ok(()) };
        while piece.len() < PIECE
            && let Some(key) = cursor.key()
        {
            piece.push(key);
            cursor.advance()?;
        }
        Ok(())
    }

    /// Hands a worker's candidates over; those in memory go to disk when they are many.
    fn offer(&self, keys: &mut Vec<u64>) -> Result<(), Halt> {
        let mut candidates = self.candidates.lock().expect(UNBROKEN);
        if candidates.keys.len() + keys.len() > self.most_candidates {
            candidates.write(self.disk)?;
        }
        let needed = candidates.keys.len() + keys.len();
        if needed > candidates.keys.capacity() {
            // Not more than there may be: a vector that doubles could take twice its share.
            let capacity = (2 * needed).min(self.most_candidates).max(needed);
            let more = capacity - candidates.keys.len();
            candidates.keys.reserve_exact(more);
            self.candidate_bytes.fetch_max(capacity as u64 * 8, Ordering::Relaxed);
        }
        candidates.keys.append(keys);
        Ok(())
    }

    /// Makes room in the store: by growing, or by emptying its set.
    fn make_room(&self) -> Result<(), Halt> {
        let mut store = self.store.write().expect(UNBROKEN);
        if store.grow(self.store_bytes).is_ok() {
            return Ok(());
        }
        self.emptied.store(true, Ordering::Relaxed);
        let left = self.store_bytes.saturating_sub(store.node_bytes());
        // A quarter, from which the set grows while the parts may still grow too.
        let states = left / 8 / 4;
        if states < PIECE {
            return Err(Halt::Limit(Limit::Memory));
        }
        store.forget_states(states);
        store.grow(self.store_bytes).map_err(Halt::Limit)
    }
}

impl Candidates {
    /// Writes the keys in memory to a run.
    fn write(&mut self, disk: &Disk) -> io::Result<()> {
        if self.runs.len() >= MOST_CANDIDATE_RUNS {
            let mut merge = Merge::new(&self.runs)?;
            let mut writer = Writer::new(Arc::new(disk.scratch()?));
            while let Some(key) = merge.next()? {
                writer.push(key)?;
            }
            self.runs = vec![writer.finish()?];
        }
        self.keys.sort_unstable();
        self.keys.dedup();
        let mut writer = Writer::new(Arc::new(disk.scratch()?));
        for &key in &self.keys {
            writer.push(key)?;
        }
        self.keys.clear();
        self.runs.push(writer.finish()?);
        Ok(())
    }
}

/// What one worker has.
struct Worker<'a, H> {
    common: &'a Common<'a>,
    stepper: Box<dyn Stepper + 'a>,
    tree: TreeWorker,
    hooks: H,
    state: Vec<u8>,
    successors: Successors,
    keys: Vec<TreeKey>,
    new: Vec<u64>,
    piece: Vec<u64>,
}

impl<'a, H: Hooks> Worker<'a, H> {
    fn new(common: &'a Common<'a>, system: &'a dyn System, hooks: H) -> Self {
        Self {
            common,
            stepper: system.stepper(),
            tree: common.store.read().expect(UNBROKEN).worker(),
            hooks,
            state: Vec::new(),
            successors: Successors::default(),
            keys: Vec::new(),
            new: Vec::new(),
            piece: Vec::new(),
        }
    }

    /// Explores pieces of the level until there is none left; between two of them, `pause` may end it.
    fn explore(&mut self, mut pause: impl FnMut() -> Option<Limit>) -> Result<(), Halt> {
        let common = self.common;
        loop {
            common.check_halted()?;
            let mut piece = std::mem::take(&mut self.piece);
            common.piece(&mut piece).map_err(|error| common.stop(error.into()))?;
            if piece.is_empty() {
                return Ok(());
            }
            for &key in &piece {
                self.expand(key).map_err(|halt| common.stop(halt))?;
            }
            self.piece = piece;
            common.offer(&mut self.new).map_err(|halt| common.stop(halt))?;
            let crowded = common.store.read().expect(UNBROKEN).wants_growth();
            if crowded {
                common.make_room().map_err(|halt| common.stop(halt))?;
            }
            if let Some(limit) = pause() {
                return Err(common.stop(Halt::Limit(limit)));
            }
        }
    }

    /// Explores one state.
    fn expand(&mut self, key: u64) -> Result<(), Halt> {
        let mut store = self.common.store.read().expect(UNBROKEN);
        store.read(&mut self.tree, Ref(key), &mut self.state);
        self.stepper.successors(&self.state, &mut self.successors);
        self.common.transitions.fetch_add(self.successors.len() as u64, Ordering::Relaxed);
        self.look(key)?;
        // All are folded, and their places asked for, before the first is looked up.
        self.keys.clear();
        let (mut folded, mut inserted) = (0, 0);
        while inserted < self.successors.len() {
            let result = if folded < self.successors.len() {
                let state = self.successors.get(folded).state;
                store.key(&mut self.tree, state).map(|key| {
                    store.prefetch(key);
                    self.keys.push(key);
                    folded += 1;
                })
            } else {
                let state = self.successors.get(inserted).state;
                store.insert(&mut self.tree, state, self.keys[inserted], Ref(key)).map(|new| {
                    self.new.extend(new.map(|at| at.0));
                    inserted += 1;
                })
            };
            if let Err(Full) = result {
                drop(store);
                self.common.make_room()?;
                store = self.common.store.read().expect(UNBROKEN);
            }
        }
        Ok(())
    }

    /// Asks the hooks about the state and its transitions.
    fn look(&mut self, key: u64) -> Result<(), Halt> {
        let stepper = &mut *self.stepper;
        if self.hooks.expand(stepper, &self.state, &self.successors).is_break() {
            self.note(key, None)?;
        }
        if self.common.only_states.load(Ordering::Relaxed) {
            return Ok(());
        }
        for number in 0..self.successors.len() {
            let Successor { transition, state: to, fault } = self.successors.get(number);
            let edge = Edge { from: &self.state, transition, to, fault };
            if self.hooks.edge(&mut *self.stepper, edge).is_break() {
                self.note(key, Some(transition))?;
            }
        }
        Ok(())
    }

    /// Notes where a hook said `Break`, unless a shorter run to one is known.
    fn note(&mut self, key: u64, last: Option<Transition>) -> Result<(), Halt> {
        let depth = self.common.depth.load(Ordering::Relaxed) as usize;
        let this = Found { key, last, depth };
        if self.hooks.keeps() {
            self.common.kept.lock().expect(UNBROKEN).push(this);
        }
        let mut found = self.common.found.lock().expect(UNBROKEN);
        if found.is_none_or(|found| this.length() < found.length()) {
            *found = Some(this);
        }
        if self.hooks.goes_on() {
            return Ok(());
        }
        if last.is_some() {
            self.common.only_states.store(true, Ordering::Relaxed);
            return Ok(());
        }
        Err(Halt::Found)
    }
}

/// What the leader has.
struct SpillingSearch<'w, 'b, H> {
    common: &'w Common<'w>,
    system: &'w dyn System,
    disk: &'w Disk,
    budget: &'w mut Budget<'b>,
    /// The states of each level.
    levels: Vec<Arc<Run>>,
    /// How many they are.
    states: u64,
    /// Bytes of memory for the levels.
    index: usize,
    /// All of them in fewer runs, once the set in memory no longer knows everything.
    visited: Visited,
    /// The hooks of the other workers, between two levels that they share.
    helpers: Vec<H>,
}

impl<H: Hooks + Send> SpillingSearch<'_, '_, H> {
    fn run(&mut self, leader: &mut Worker<'_, H>) -> Result<(), Halt> {
        let file = Arc::new(self.disk.scratch()?);
        self.begin(leader)?;
        let mut emptied = false;
        loop {
            // Sorted before, so that what is known is known in the runs when the set is first emptied.
            let level = self.settle(&file, emptied)?;
            if level.count == 0 {
                return Ok(());
            }
            self.states += level.count;
            self.index += level.bytes();
            if self.states > self.budget.states {
                return Err(Halt::Limit(Limit::States));
            }
            let depth = self.levels.len();
            if depth > self.budget.depth {
                return Err(Halt::Limit(Limit::Depth));
            }
            self.levels.push(Arc::clone(&level));
            self.common.depth.store(depth as u64, Ordering::Relaxed);
            self.explore(leader, &level)?;
            if self.common.only_states.load(Ordering::Relaxed) {
                return Err(Halt::Found);
            }
            // What was found new before the set was emptied is among the candidates, so the levels so far are enough.
            match (emptied, self.common.emptied.load(Ordering::Relaxed)) {
                (false, true) => {
                    for level in &self.levels {
                        self.visited.add(Arc::clone(level), self.disk)?;
                    }
                }
                (true, _) => self.visited.add(level, self.disk)?,
                (false, false) => {}
            }
            emptied = self.common.emptied.load(Ordering::Relaxed);
        }
    }

    /// Makes the initial state the only candidate.
    fn begin(&mut self, leader: &mut Worker<'_, H>) -> Result<(), Halt> {
        let mut root = Vec::new();
        leader.stepper.initial(&mut root);
        loop {
            let store = self.common.store.read().expect(UNBROKEN);
            let at = store
                .key(&mut leader.tree, &root)
                .and_then(|key| store.insert(&mut leader.tree, &root, key, Ref::NONE));
            drop(store);
            match at {
                Ok(at) => return self.common.offer(&mut at.map(|at| at.0).into_iter().collect()),
                Err(Full) => self.common.make_room()?,
            }
        }
    }

    /// The candidates that are in no level so far, as a level.
    fn settle(&mut self, file: &Arc<Scratch>, emptied: bool) -> Result<Arc<Run>, Halt> {
        let mut candidates = std::mem::take(&mut *self.common.candidates.lock().expect(UNBROKEN));
        let mut writer = Writer::new(Arc::clone(file));
        if !emptied && candidates.runs.is_empty() {
            candidates.keys.sort_unstable();
            for &key in &candidates.keys {
                writer.push(key)?;
            }
        } else {
            candidates.write(self.disk)?;
            let mut merge = Merge::new(&candidates.runs)?;
            let mut lookup = self.visited.lookup()?;
            let mut merged = 0u64;
            while let Some(key) = merge.next()? {
                if !lookup.contains(key)? {
                    writer.push(key)?;
                }
                merged += 1;
                if merged.is_multiple_of(MERGE_INTERVAL) {
                    let counters = self.counters();
                    if let Some(limit) = (self.budget.watch)(&counters) {
                        return Err(Halt::Limit(limit));
                    }
                }
            }
        }
        // The buffer is used again for the next level.
        candidates.keys.clear();
        candidates.runs.clear();
        *self.common.candidates.lock().expect(UNBROKEN) = candidates;
        Ok(writer.finish()?)
    }

    /// Explores a level with as many workers as it is worth.
    fn explore(&mut self, leader: &mut Worker<'_, H>, level: &Arc<Run>) -> Result<(), Halt> {
        *self.common.level.lock().expect(UNBROKEN) = Some(Cursor::new(level)?);
        let helpers = if level.count < THIN { Vec::new() } else { std::mem::take(&mut self.helpers) };
        let mut counters = self.counters();
        let (common, system, disk) = (self.common, self.system, self.disk);
        let watch = &mut *self.budget.watch;
        let pause = || {
            counters.transitions = common.transitions.load(Ordering::Relaxed);
            counters.generated = counters.transitions;
            counters.disk_bytes = disk.used();
            watch(&counters)
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = helpers
                .into_iter()
                .map(|hooks| {
                    scope.spawn(move || {
                        let mut worker = Worker::new(common, system, hooks);
                        let _ = worker.explore(|| None);
                        common.note_unfired(&worker.stepper.unfired());
                        worker.hooks
                    })
                })
                .collect();
            let result = leader.explore(pause);
            for thread in threads {
                let hooks = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                self.helpers.push(hooks);
            }
            result.and_then(|()| common.check_halted())
        })
    }

    fn counters(&self) -> Counters {
        let transitions = self.common.transitions.load(Ordering::Relaxed);
        let queue = self.common.candidate_bytes.load(Ordering::Relaxed) as usize;
        Counters {
            states: self.states,
            states_exact: true,
            insertions: self.states,
            generated: transitions,
            transitions,
            depth: self.levels.len().saturating_sub(1),
            stored: self.states,
            store_bytes: self.common.store.read().expect(UNBROKEN).bytes(),
            path_bytes: queue + self.index + self.visited.bytes(),
            disk_bytes: self.disk.peak(),
            ..Counters::default()
        }
    }

    /// The runs to where hooks said `Break`, found backwards level by level, all of them at once.
    fn runs_to(&self, leader: &mut Worker<'_, H>, found: &[Found]) -> Vec<Option<Vec<Transition>>> {
        let mut runs: Vec<Option<Vec<Transition>>> =
            found.iter().map(|found| Some(found.last.into_iter().collect())).collect();
        // Where each run is at the level that was looked at last.
        let mut wanted: Vec<u64> = found.iter().map(|found| found.key).collect();
        let deepest = found.iter().map(|found| found.depth).max().unwrap_or(0);
        for (depth, level) in self.levels[..deepest].iter().enumerate().rev() {
            let mut targets: HashMap<u64, Option<(u64, Transition)>> = HashMap::new();
            let reaching: Vec<usize> = (0..found.len())
                .filter(|&number| found[number].depth > depth && runs[number].is_some())
                .collect();
            targets.extend(reaching.iter().map(|&number| (wanted[number], None)));
            // If the disk fails, some have no predecessor.
            let _ = leader.find_predecessors(level, &mut targets);
            for number in reaching {
                match targets[&wanted[number]] {
                    Some((from, by)) => {
                        runs[number].iter_mut().for_each(|run| run.push(by));
                        wanted[number] = from;
                    }
                    None => runs[number] = None,
                }
            }
        }
        runs.iter_mut().flatten().for_each(|run| run.reverse());
        runs
    }
}

impl<H> Worker<'_, H> {
    /// For each of some states, one of a level that leads to it, and by which transition.
    fn find_predecessors(
        &mut self,
        level: &Arc<Run>,
        targets: &mut HashMap<u64, Option<(u64, Transition)>>,
    ) -> io::Result<()> {
        let (mut missing, mut cursor) = (targets.len(), Cursor::new(level)?);
        while missing > 0
            && let Some(from) = cursor.key()
        {
            let store = self.common.store.read().expect(UNBROKEN);
            store.read(&mut self.tree, Ref(from), &mut self.state);
            self.stepper.successors(&self.state, &mut self.successors);
            for next in self.successors.iter() {
                // The state was explored, so all parts of its successors are there and nothing can be full.
                let Ok(key) = store.key(&mut self.tree, next.state) else { continue };
                if let Some(target @ None) = targets.get_mut(&key.reference().0) {
                    *target = Some((from, next.transition));
                    missing -= 1;
                }
            }
            drop(store);
            cursor.advance()?;
        }
        Ok(())
    }
}
