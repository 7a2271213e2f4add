//! Parallel breadth-first search over one shared store: all cores, shortest runs.
//!
//! The search proceeds level by level. Workers claim the states of a level, a few dozen at a time, each beginning with
//! those it has found itself; the new states that they find are the next level. One of the workers, the leader, is the
//! caller's thread: it alone calls [`Budget::watch`], and it explores levels that are too thin to share by itself
//! ([`gate`]). With one worker there are no threads and everything is deterministic.
//!
//! Work stealing without levels was considered: it would use two cores on graphs that are deep and thin, but loses
//! shortest runs, the depth, and a frontier in the order in which states are stored. The two have not been measured
//! against each other.
//!
//! Memory access dominates the time. So a worker expands a *group* of states before it looks any successor up: it
//! generates all successors, computes their keys and prefetches their slots; then it reads all slots and prefetches the
//! states to compare with; only then does it insert ([`Worker::expand`]).
//!
//! **Shortest.** A violation in a state of level d is a run of d steps, a violation at a transition from there d + 1
//! steps. So after the first violation at a transition the rest of the level is still searched for a violation in a
//! state; only that ends the search at once.

mod gate;
mod level;
mod worker;

use crate::budget::{Budget, Counters};
use crate::search::parts::held::{AtEnd, Halt, Held, UNBROKEN};
use crate::search::parts::kept::Kept;
use crate::search::{End, Hooks, Outcome, Witness};
use crate::store::{Ref, Shared};
use crate::system::{Action, System, Transition};
use crate::verdict::Limit;
use gate::Gate;
use level::{Level, PIECE_BYTES, Piece};
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use worker::Worker;

/// What a walk by many workers leaves behind.
pub struct Walked<H> {
    /// How it ended. If the store keeps no parents, only the length of a witness is known.
    pub outcome: Outcome,
    /// The hooks of each worker.
    pub hooks: Vec<H>,
    /// The actions that no worker has fired.
    pub unfired: Vec<Action>,
}

/// Walks everything reachable from the initial state, with as many workers as there are hooks. Of the hooks, `expand` and
/// `edge` are called.
///
/// # Panics
/// If a worker panics; and if there are no hooks.
pub fn parallel_bfs<S: Shared, H: Hooks + Send>(
    system: &dyn System,
    store: S,
    hooks: Vec<H>,
    budget: &mut Budget<'_>,
) -> Walked<H> {
    parallel_bfs_sharing(system, store, hooks, budget, Arc::default())
}

/// As [`parallel_bfs`], with a grant of memory that is shared with others, who add to `beside` what they occupy and subtract
/// what they give back. The walk counts its queues there too.
///
/// # Panics
/// As [`parallel_bfs`].
pub fn parallel_bfs_sharing<S: Shared, H: Hooks + Send>(
    system: &dyn System,
    store: S,
    hooks: Vec<H>,
    budget: &mut Budget<'_>,
    beside: Arc<AtomicUsize>,
) -> Walked<H> {
    let common = Common::new(store, hooks.len(), budget, beside);
    let mut hooks = hooks.into_iter();
    let mine = hooks.next().expect("there is at least one worker");
    let (mut walked, rest) = std::thread::scope(|scope| {
        let helpers: Vec<_> = hooks
            .zip(1..)
            .map(|(hooks, number)| {
                let common = &common;
                scope.spawn(move || help(common, Worker::new(common, number, system, hooks)))
            })
            .collect();
        // Helpers go home even if the leader panics: the scope waits for them.
        let finish = AtEnd(|| {
            common.held.halt();
            common.gate.finish();
        });
        let walked = lead(&common, Worker::new(&common, 0, system, mine), budget);
        drop(finish);
        let rest: Vec<_> = helpers
            .into_iter()
            .map(|helper| helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect();
        (walked, rest)
    });
    for (hooks, unfired) in rest {
        walked.hooks.push(hooks);
        let unfired: HashSet<u32> = unfired.iter().map(|action| action.0).collect();
        walked.unfired.retain(|action| unfired.contains(&action.0));
    }
    walked
}

/// What the workers share.
struct Common<S> {
    held: Held<S>,
    level: RwLock<Level>,
    /// The length of runs to the states of the level.
    depth: AtomicUsize,
    /// States of the levels before.
    expanded: AtomicU64,
    gate: Gate,
    /// Pieces of the next level that each worker has filled.
    filled: Mutex<Vec<Vec<Piece>>>,
    /// Empty pieces.
    empty: Mutex<Vec<Piece>>,
    transitions: AtomicU64,
    /// A violation at a transition was found: only one in a state of this level would be shorter.
    only_states: AtomicBool,
    found: Mutex<Option<Found>>,
    /// Where the runs end that hooks want to be kept.
    kept: Mutex<Vec<Found>>,
    workers: usize,
}

/// Where a hook said `Break`: at a state, or at one of its transitions.
#[derive(Clone, Copy)]
struct Found {
    at: Ref,
    last: Option<Transition>,
    length: usize,
}

impl<S: Shared> Common<S> {
    fn new(store: S, workers: usize, budget: &Budget<'_>, beside: Arc<AtomicUsize>) -> Self {
        Self {
            held: Held::new(store, budget).sharing(beside),
            level: RwLock::new(Level::new(workers)),
            depth: AtomicUsize::new(0),
            expanded: AtomicU64::new(0),
            gate: Gate::new(),
            filled: Mutex::new(vec![Vec::new(); workers]),
            empty: Mutex::default(),
            transitions: AtomicU64::new(0),
            only_states: AtomicBool::new(false),
            found: Mutex::new(None),
            kept: Mutex::default(),
            workers,
        }
    }

    /// A hook said `Break`. Of several runs the shortest is told, and of these the first; and those that the hook wants to keep.
    fn found(&self, found: Found, (go_on, keep): (bool, bool)) {
        if keep {
            self.kept.lock().expect(UNBROKEN).push(found);
        }
        let mut best = self.found.lock().expect(UNBROKEN);
        if best.is_none_or(|best| found.length < best.length) {
            *best = Some(found);
        }
        if go_on {
            return;
        }
        if found.last.is_some() {
            self.only_states.store(true, Ordering::Relaxed);
        } else {
            self.held.halt();
        }
    }

    /// An empty piece of a level, if there is memory for it.
    fn piece(&self, store_bytes: usize) -> Result<Piece, Halt> {
        if let Some(piece) = self.empty.lock().expect(UNBROKEN).pop() {
            return Ok(piece);
        }
        self.held.occupy(PIECE_BYTES, store_bytes)?;
        Ok(level::piece())
    }

    fn counters(&self) -> Counters {
        let store = self.held.store.read().expect(UNBROKEN);
        let (states, transitions) = (store.len(), self.transitions.load(Ordering::Relaxed));
        let waiting = states.saturating_sub(self.expanded.load(Ordering::Relaxed));
        Counters {
            disk_bytes: 0,
            asleep: 0,
            states,
            states_exact: true,
            insertions: states,
            generated: transitions,
            transitions,
            depth: self.depth.load(Ordering::Relaxed),
            stored: states,
            waiting: u32::try_from(waiting).unwrap_or(u32::MAX),
            fill: None,
            replacements: 0,
            store_bytes: store.bytes(),
            path_bytes: self.held.beside.load(Ordering::Relaxed),
        }
    }
}

/// Fewer states than this are not worth waking anybody.
const WORTH_SHARING: usize = 128;

fn lead<S: Shared, H: Hooks>(
    common: &Common<S>,
    mut worker: Worker<'_, S, H>,
    budget: &mut Budget<'_>,
) -> Walked<H> {
    let mut root = Ref::NONE;
    let end = match worker.enter_root() {
        Ok(at) => {
            root = at;
            levels(common, &mut worker, budget)
        }
        Err(Halt) => Err(Halt),
    };
    let found = *common.found.lock().expect(UNBROKEN);
    let end = match (end, common.held.limit()) {
        (_, Some(limit)) => limit,
        (Ok(()), None) if !common.only_states.load(Ordering::Relaxed) => End::Complete,
        _ => End::Stopped,
    };
    let counters = common.counters();
    let mut run_to = |found| worker.run_to(&common.held.store.read().expect(UNBROKEN), root, found);
    let witness = found.map(|found| run_to(found).map_or(Witness::Length(found.length), Witness::Run));
    let mut kept = Kept::default();
    for &found in &*common.kept.lock().expect(UNBROKEN) {
        kept.keep(found.length, || run_to(found));
    }
    let outcome = Outcome { end, counters, witness, kept: kept.into_runs() };
    let unfired = worker.stepper.unfired();
    Walked { outcome, hooks: vec![worker.hooks], unfired }
}

/// The walk itself.
fn levels<S: Shared, H: Hooks>(
    common: &Common<S>,
    worker: &mut Worker<'_, S, H>,
    budget: &mut Budget<'_>,
) -> Result<(), Halt> {
    loop {
        let shared = {
            let mut filled = common.filled.lock().expect(UNBROKEN);
            filled[0].append(&mut worker.next.pieces);
            let mut level = common.level.write().expect(UNBROKEN);
            level.replace(filled.iter_mut());
            let mut empty = common.empty.lock().expect(UNBROKEN);
            filled.iter_mut().for_each(|pieces| empty.append(pieces));
            if level.len() == 0 || common.only_states.load(Ordering::Relaxed) {
                return Ok(());
            }
            let known = common.held.store.read().expect(UNBROKEN).len();
            common.expanded.store(known.saturating_sub(level.len() as u64), Ordering::Relaxed);
            common.workers > 1 && level.len() >= WORTH_SHARING
        };
        if shared {
            common.gate.open();
        }
        let watch = &mut |counters: &Counters| (budget.watch)(counters);
        let result = worker.work(&common.level.read().expect(UNBROKEN), Some(watch));
        if shared {
            common.gate.close();
        }
        result?;
        if common.held.halted() {
            return Err(Halt);
        }
        if common.held.store.read().expect(UNBROKEN).len() > budget.states {
            return Err(common.held.stop(Limit::States));
        }
        let filled = common.filled.lock().expect(UNBROKEN).iter().any(|pieces| !pieces.is_empty());
        if worker.next.pieces.is_empty() && !filled || common.only_states.load(Ordering::Relaxed) {
            return Ok(());
        }
        if common.depth.load(Ordering::Relaxed) >= budget.depth {
            return Err(common.held.stop(Limit::Depth));
        }
        common.depth.fetch_add(1, Ordering::Relaxed);
    }
}

/// What a worker that is not the leader does.
fn help<S: Shared, H: Hooks>(common: &Common<S>, mut worker: Worker<'_, S, H>) -> (H, Vec<Action>) {
    let _halt = AtEnd(|| {
        if std::thread::panicking() {
            common.held.halt();
        }
    });
    let mut last = 0;
    while let Some(inside) = common.gate.enter(last) {
        last = inside.level;
        // Why it has ended is known to the leader too.
        let _ = worker.work(&common.level.read().expect(UNBROKEN), None);
        common.filled.lock().expect(UNBROKEN)[worker.number].append(&mut worker.next.pieces);
    }
    (worker.hooks, worker.stepper.unfired())
}
