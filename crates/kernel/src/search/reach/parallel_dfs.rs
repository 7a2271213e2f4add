//! Parallel depth-first search with shared marks.
//!
//! Each worker has its own path and its own store, and skips what another worker has marked: a state is expanded by the
//! worker that finds it new. So when all paths are empty, every marked state has been expanded, and each of its
//! successors has been marked. A question that looks only at states and transitions needs no more; the postorder, which
//! searches for cycles rely on, is lost.
//!
//! Breadth-first search ([`super::parallel_bfs`]) would balance the work better. But its frontier consists of whole states,
//! which may be a large part of all states, and it remembers parents, which a store that keeps a few bits per state
//! cannot; a path is short, and is the run to be shown.
//!
//! **Load balancing.** An idle worker says so, and a busy worker gives it the targets of some pending transitions from
//! the bottom of its path, where most of the work remains, each with the run that leads there. The targets are
//! *copied*: they stay pending on the giver's path, which later finds them marked. So giving costs a few firings and no
//! change to the path.
//!
//! The caller's thread is one of the workers, and the only one to call [`Budget::watch`].

use super::dfsr::Told;
use crate::budget::{Budget, Counters};
use crate::search::parts::descent::Descent;
use crate::search::parts::meter::Meter;
use crate::search::{Edge, End, Hooks, Outcome, Walked, Witness};
use crate::store::{Store, Visit};
use crate::system::{Action, Stepper, System, Transition};
use crate::verdict::Limit;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};
use std::time::Duration;

/// How many states are given away at a time: some of them will be marked before they are looked at.
const GIFT: usize = 16;
/// A gift is complete when its runs are as long as this together: they are not accounted for.
const LONG: usize = 1 << 16;
/// How often the leader, when he has nothing to do, looks whether the walk is to end.
const LEADER_LOOKS: Duration = Duration::from_millis(20);

/// Walks everything reachable from the initial state, with as many workers as there are stores, which must share what is
/// visited, and hooks. Of the hooks, `expand` and `edge` are called. The memory that the budget grants beyond `shared` bytes, which the stores have
/// in common, is divided among the workers.
///
/// # Panics
/// If a worker panics; and if there are no stores, or not as many hooks.
pub fn parallel_dfs<S: Store + Send, H: Hooks + Send>(
    system: &dyn System,
    shared: usize,
    stores: Vec<S>,
    hooks: Vec<H>,
    budget: &mut Budget<'_>,
) -> Walked<H> {
    assert_eq!(stores.len(), hooks.len(), "each worker has a store and hooks");
    let exchange = Exchange::new(stores.len());
    let memory = shared.saturating_add(budget.memory.saturating_sub(shared) / stores.len());
    let (depth, states) = (budget.depth, budget.states);
    let mut root = Vec::new();
    system.stepper().initial(&mut root);
    exchange.give([Unit { run: Vec::new(), state: root }]);
    let mut workers = stores.into_iter().zip(hooks);
    let (my_store, my_hooks) = workers.next().expect("there is at least one worker");
    let mut done = std::thread::scope(|scope| {
        let exchange = &exchange;
        let helpers: Vec<_> = workers
            .map(|(store, hooks)| {
                scope.spawn(move || {
                    let _halt = HaltOnPanic(exchange);
                    let mut told = 0;
                    let mut watch = |counters: &Counters| {
                        exchange.note(counters, &mut told);
                        exchange.halted().then_some(Limit::Interrupted)
                    };
                    let mut budget = Budget { memory, depth, states, disk: None, watch: &mut watch };
                    work(exchange, system, store, hooks, &mut budget)
                })
            })
            .collect();
        let _halt = HaltOnPanic(exchange);
        let mut watch = |counters: &Counters| {
            if exchange.halted() {
                return Some(Limit::Interrupted);
            }
            let others = exchange.transitions.load(Ordering::Relaxed);
            let (generated, transitions) = (counters.generated + others, counters.transitions + others);
            (budget.watch)(&Counters { generated, transitions, ..*counters })
        };
        let mut mine = Budget { memory, depth, states, disk: None, watch: &mut watch };
        let mut done = vec![work(exchange, system, my_store, my_hooks, &mut mine)];
        let joined = helpers.into_iter().map(|helper| helper.join());
        done.extend(joined.map(|done| done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))));
        done
    });
    let end = exchange.end.into_inner().expect(UNBROKEN).unwrap_or(End::Complete);
    let mut counters = done[0].counters;
    for other in &done[1..] {
        counters.generated += other.counters.generated;
        counters.transitions += other.counters.transitions;
        counters.depth = counters.depth.max(other.counters.depth);
        counters.path_bytes += other.counters.path_bytes;
        // Each store has the shared part.
        counters.store_bytes += other.counters.store_bytes.saturating_sub(shared);
        if other.counters.states > counters.states {
            // The last to end knows what all have found.
            counters.states = other.counters.states;
            (counters.insertions, counters.stored) = (other.counters.insertions, other.counters.stored);
            counters.fill = other.counters.fill;
        }
    }
    let mut unfired = std::mem::take(&mut done[0].unfired);
    unfired.retain(|action| done[1..].iter().all(|other| other.unfired.contains(action)));
    let witness = done.iter_mut().filter_map(|done| done.told.witness.take()).min_by_key(Vec::len);
    let witness = witness.map(Witness::Run);
    let (mut hooks, mut kept) = (Vec::new(), Vec::new());
    for Done { hooks: own, told, .. } in done {
        hooks.push(own);
        kept.extend(told.kept.into_runs());
    }
    Walked { outcome: Outcome { end, counters, witness, kept }, hooks, unfired }
}

/// What a worker leaves behind.
struct Done<H> {
    counters: Counters,
    told: Told,
    hooks: H,
    unfired: Vec<Action>,
}

/// A state that somebody is to explore, and the run that leads to it.
struct Unit {
    run: Vec<Transition>,
    state: Vec<u8>,
}

/// What the workers share beside the marks.
struct Exchange {
    units: Mutex<VecDeque<Unit>>,
    wake: Condvar,
    workers: usize,
    /// How many have nothing to do.
    idle: AtomicUsize,
    /// How much lies ready.
    ready: AtomicUsize,
    halt: AtomicBool,
    /// Why the walk ended, if not because everything was seen.
    end: Mutex<Option<End>>,
    /// What the helpers have done, as far as they have told.
    transitions: AtomicU64,
}

/// A lock is broken only if a worker has panicked, and then so does everybody.
const UNBROKEN: &str = "no worker has panicked";

impl Exchange {
    fn new(workers: usize) -> Self {
        Self {
            units: Mutex::default(),
            wake: Condvar::new(),
            workers,
            idle: AtomicUsize::new(0),
            ready: AtomicUsize::new(0),
            halt: AtomicBool::new(false),
            end: Mutex::new(None),
            transitions: AtomicU64::new(0),
        }
    }

    fn halted(&self) -> bool {
        self.halt.load(Ordering::Relaxed)
    }

    /// Everybody is to go home.
    fn halt(&self) {
        self.halt.store(true, Ordering::SeqCst);
        self.wake.notify_all();
    }

    /// The walk is to end so, unless something else ended it before. A violation counts for more than a limit.
    fn end(&self, end: End) {
        let mut first = self.end.lock().expect(UNBROKEN);
        if first.is_none() || end == End::Stopped {
            *first = Some(end);
        }
        drop(first);
        self.halt();
    }

    /// Whether somebody has nothing to do and nothing lies ready for him.
    fn is_wanting(&self) -> bool {
        self.idle.load(Ordering::Relaxed) > self.ready.load(Ordering::Relaxed)
    }

    fn give(&self, gift: impl IntoIterator<Item = Unit>) {
        let mut units = self.units.lock().expect(UNBROKEN);
        units.extend(gift);
        self.ready.store(units.len(), Ordering::Relaxed);
        drop(units);
        self.wake.notify_all();
    }

    /// Something to do; none when all is done, or the walk is to end, which `look` may find out while there is nothing.
    fn take(&self, look: &mut dyn FnMut() -> bool) -> Option<Unit> {
        let mut units = self.units.lock().expect(UNBROKEN);
        self.idle.fetch_add(1, Ordering::SeqCst);
        loop {
            if self.halted() {
                return None;
            }
            if let Some(unit) = units.pop_front() {
                self.ready.store(units.len(), Ordering::Relaxed);
                self.idle.fetch_sub(1, Ordering::SeqCst);
                return Some(unit);
            }
            if self.idle.load(Ordering::SeqCst) == self.workers {
                // Nobody has anything left to give.
                self.halt();
                return None;
            }
            units = self.wake.wait_timeout(units, LEADER_LOOKS).expect(UNBROKEN).0;
            if look() {
                return None;
            }
        }
    }

    /// A helper tells how many transitions it has looked at.
    fn note(&self, counters: &Counters, told: &mut u64) {
        self.transitions.fetch_add(counters.transitions - *told, Ordering::Relaxed);
        *told = counters.transitions;
    }
}

/// A worker that panics must not leave the others waiting.
struct HaltOnPanic<'a>(&'a Exchange);

impl Drop for HaltOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.halt();
        }
    }
}

/// What a worker does.
fn work<S: Store, H: Hooks>(
    exchange: &Exchange,
    system: &dyn System,
    store: S,
    hooks: H,
    budget: &mut Budget<'_>,
) -> Done<H> {
    let (mut meter, stepper) = (Meter::new(budget), system.stepper());
    let mut worker = Worker {
        exchange,
        stepper,
        store,
        hooks,
        descent: Descent::default(),
        prefix: Vec::new(),
        given: 0,
        told: Told::default(),
    };
    loop {
        let mut limit = None;
        let unit = exchange.take(&mut || {
            limit = (meter.budget.watch)(&meter.counters);
            limit.is_some()
        });
        if let Some(limit) = limit
            && !exchange.halted()
        {
            exchange.end(End::Limited(limit));
            break;
        }
        let Some(unit) = unit else { break };
        match worker.explore(unit, &mut meter) {
            Ok(()) => {}
            // It was told to stop, and whoever told it knows why.
            Err(End::Limited(Limit::Interrupted)) if exchange.halted() => break,
            Err(end) => {
                exchange.end(end);
                break;
            }
        }
    }
    if meter.cut && !exchange.end.lock().expect(UNBROKEN).is_some_and(|end| end == End::Stopped) {
        exchange.end.lock().expect(UNBROKEN).get_or_insert(End::Limited(Limit::Depth));
    }
    meter.read(&worker.store);
    let Worker { hooks, told, stepper, .. } = worker;
    Done { counters: meter.counters, told, hooks, unfired: stepper.unfired() }
}

struct Worker<'w, S: Store, H> {
    exchange: &'w Exchange,
    stepper: Box<dyn Stepper + 'w>,
    store: S,
    hooks: H,
    descent: Descent<S::Hash>,
    /// The run to the root of the path.
    prefix: Vec<Transition>,
    /// How many pending transitions, from the bottom, were given away.
    given: usize,
    /// The runs to where hooks said `Break`.
    told: Told,
}

impl<S: Store, H: Hooks> Worker<'_, S, H> {
    /// The walk of [`super::dfsr`] from a state on, without the holes that are about the order of things.
    fn explore(&mut self, unit: Unit, meter: &mut Meter<'_, '_>) -> Result<(), End> {
        self.prefix = unit.run;
        self.given = 0;
        meter.below = self.prefix.len();
        meter.beside = self.prefix.len() * size_of::<Transition>() + self.told.kept.bytes();
        if let Visit::New(at) = self.descent.start(&mut self.store, meter, &unit.state)? {
            self.enter(meter, at, Transition(0))?;
        }
        while !self.descent.path.is_empty() {
            if let Some(t) = self.descent.next_pending(&self.store) {
                let hash = self.descent.succ(&mut *self.stepper, &self.store, meter, t)?;
                if let Visit::New(at) = self.descent.visit(&mut self.store, meter, hash)? {
                    self.enter(meter, at, t)?;
                }
            } else {
                let at = self.descent.path.pop();
                self.store.set_status(at, crate::store::Status::Visited);
                self.descent.back(&self.store);
            }
            if self.exchange.is_wanting() {
                self.share();
            }
        }
        Ok(())
    }

    fn enter(&mut self, meter: &mut Meter<'_, '_>, at: crate::store::Ref, by: Transition) -> Result<(), End> {
        let Self { stepper, store, hooks, descent, prefix, told, .. } = self;
        let stepper = &mut **stepper;
        descent.enter(stepper, store, meter, at, by)?;
        let mut found =
            |hooks: &mut H, path: &crate::search::parts::descent::Path, last: Option<Transition>| {
                told.found(hooks, || prefix.iter().copied().chain(path.transitions()).chain(last))
            };
        if hooks.expand(stepper, &descent.state, &descent.successors.successors).is_break() {
            found(hooks, &descent.path, None)?;
        }
        descent.look_ahead(meter, |path, edge: Edge<'_>, hash| {
            if hooks.edge(stepper, edge).is_break() {
                found(hooks, path, Some(edge.transition))?;
            }
            Ok(store.find(edge.to, hash).is_none())
        })
    }

    /// Gives others something to do, from the bottom of the path.
    #[cold]
    fn share(&mut self) {
        let Self { exchange, stepper, store, descent, prefix, given, .. } = self;
        let path = &descent.path;
        *given = (*given).min(path.pending_len());
        let (mut gift, mut state, mut next, mut length) = (Vec::new(), Vec::new(), Vec::new(), 0);
        while gift.len() < GIFT
            && length < LONG
            && let Some((position, at, t)) = path.pending_at(*given)
        {
            *given += 1;
            store.read(at, &mut state);
            // A fault was reported when the transition was first fired.
            let _ = stepper.fire(&state, t, &mut next);
            let hash = store.hash(&next);
            if store.find(&next, hash).is_some() {
                continue;
            }
            let run = prefix.iter().copied().chain(path.transitions().take(position)).chain([t]);
            let run: Vec<Transition> = run.collect();
            length += run.len();
            gift.push(Unit { run, state: next.clone() });
        }
        if !gift.is_empty() {
            exchange.give(gift);
        }
    }
}
