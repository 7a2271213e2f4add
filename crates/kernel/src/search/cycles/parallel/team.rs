//! The workers of a parallel cycle search, what they share, and how the search begins and ends.

use super::Inside;
use super::outside::Outside;
use super::pool::{Offer, Pool, Share};
use crate::budget::{Budget, Counters, WATCH_INTERVAL, WATCH_WORK, Watch};
use crate::lasso::Lasso;
use crate::search::parts::held::{AtEnd, Halt, Held, LOOKS, Reading, UNBROKEN};
use crate::search::{Emptiness, End};
use crate::store::{Full, Noted, Ref};
use crate::successors::Successors;
use crate::system::{Fault, Stepper, System, Transition};
use crate::verdict::Limit;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// What the workers share.
pub(super) struct Team<S> {
    pub(super) held: Held<S>,
    pool: Pool,
    found: Mutex<Option<Found>>,
    transitions: AtomicU64,
    generated: AtomicU64,
    depth: AtomicUsize,
}

/// A violation.
pub(super) enum Found {
    /// A cycle: its states, beginning with the one to which the last leads back.
    Cycle(Vec<Ref>),
    /// A set of states, of which this is one, that is strongly connected and has an accepted cycle.
    Component(Ref),
}

/// What one worker has beside the search of the inside.
pub(super) struct Worker<'c, S: Noted> {
    pub(super) team: &'c Team<S>,
    pub(super) number: usize,
    pub(super) stepper: Box<dyn Stepper + 'c>,
    /// See [`Stepper::recurs_by_last_byte`].
    pub(super) recurs: Option<Box<[bool; 256]>>,
    pub(super) outside: Outside<S>,
    pub(super) faults: Vec<Fault>,
    /// States expanded since it was last looked whether something is to be done.
    expanded: u64,
    since_watch: u64,
    since_reckoning: u64,
    reckonings: u64,
    watched: u64,
    pub(super) transitions: u64,
    pub(super) generated: u64,
    pub(super) depth: usize,
    /// Bytes that were accounted for.
    occupied: usize,
    /// The caller's, which only the leader has.
    watch: Option<&'c mut Watch<'c>>,
}

/// Every so many states a worker looks at what the others want,
const LOOK: u64 = 32;
/// and every so many at what it costs: that takes locks, and who finds one taken sleeps for longer than all this takes.
const RECKON: u64 = 512;

/// Searches from the initial state with as many workers as there are ways to search the inside.
pub(super) fn search<S: Noted, I: Inside<S>>(
    system: &dyn System,
    store: S,
    inside: Vec<I>,
    budget: &mut Budget<'_>,
    lasso: impl FnOnce(&mut Worker<'_, S>, &S, Found) -> Result<Lasso, Limit>,
) -> Emptiness {
    let workers = inside.len();
    let held = Held::new(store, budget);
    let mut watch = |counters: &Counters| (budget.watch)(counters);
    let team = Team {
        held,
        pool: Pool::new(workers),
        found: Mutex::new(None),
        transitions: AtomicU64::new(0),
        generated: AtomicU64::new(0),
        depth: AtomicUsize::new(0),
    };
    let mut inside = inside.into_iter();
    let mine = inside.next().expect("there is at least one worker");
    std::thread::scope(|scope| {
        let team = &team;
        let helpers: Vec<_> = inside
            .enumerate()
            .map(|(number, inside)| {
                scope.spawn(move || {
                    // The others must not wait for one that has panicked.
                    let _halt = AtEnd(|| {
                        if std::thread::panicking() {
                            team.held.halt();
                        }
                    });
                    let mut worker = Worker::new(team, number + 1, system, None);
                    // Why it has ended is known to the leader too.
                    let _ = worker.work(inside);
                    worker.tell();
                    worker.faults
                })
            })
            .collect();
        let halt = AtEnd(|| {
            if std::thread::panicking() {
                team.held.halt();
            }
        });
        let mut leader = Worker::new(team, 0, system, Some(&mut watch));
        let _ = leader.work(mine);
        leader.tell();
        drop(halt);
        for helper in helpers {
            let faults = helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            faults.into_iter().for_each(|fault| leader.fault(fault));
        }
        let found = team.found.lock().expect(UNBROKEN).take();
        let store = team.held.store.read().expect(UNBROKEN);
        let counters = team.counters(&store);
        let faults = std::mem::take(&mut leader.faults);
        let (end, lasso) = match found.map(|found| lasso(&mut leader, &store, found)) {
            Some(Ok(lasso)) => (End::Stopped, Some(lasso)),
            Some(Err(_)) => (End::Limited(Limit::Witness), None),
            None => (team.held.limit().unwrap_or(End::Complete), None),
        };
        Emptiness { end, counters, lasso, faults }
    })
}

impl<S: Noted> Team<S> {
    /// A violation: the first is told, and everybody stops. Whether this is the first.
    fn found(&self, found: Found) -> (bool, Halt) {
        let mut known = self.found.lock().expect(UNBROKEN);
        let first = known.is_none();
        known.get_or_insert(found);
        (first, self.held.halt())
    }

    fn counters(&self, store: &S) -> Counters {
        let states = store.len();
        Counters {
            disk_bytes: 0,
            states,
            states_exact: true,
            insertions: states,
            generated: self.generated.load(Ordering::Relaxed),
            transitions: self.transitions.load(Ordering::Relaxed),
            depth: self.depth.load(Ordering::Relaxed),
            stored: states,
            waiting: 0,
            fill: None,
            replacements: 0,
            asleep: 0,
            store_bytes: store.bytes(),
            path_bytes: self.held.beside.load(Ordering::Relaxed),
        }
    }
}

impl<'c, S: Noted> Worker<'c, S> {
    /// Tells a violation. The states on the path to it will not be finished, so their transitions are counted now.
    pub(super) fn found(&mut self, found: Found, on_the_path: u64) -> Halt {
        let (first, halt) = self.team.found(found);
        self.transitions += if first { on_the_path } else { 0 };
        halt
    }

    fn new(
        team: &'c Team<S>,
        number: usize,
        system: &'c dyn System,
        watch: Option<&'c mut Watch<'c>>,
    ) -> Self {
        let mut stepper = system.stepper();
        Self {
            team,
            number,
            recurs: stepper.recurs_by_last_byte(),
            stepper,
            outside: Outside::new(team.held.store.read().expect(UNBROKEN).worker()),
            faults: Vec::new(),
            expanded: 0,
            since_watch: 0,
            since_reckoning: 0,
            reckonings: 0,
            watched: 0,
            transitions: 0,
            generated: 0,
            depth: 0,
            occupied: 0,
            watch,
        }
    }

    /// Works until nobody has anything to do.
    fn work(&mut self, mut inside: impl Inside<S>) -> Result<(), Halt> {
        let mut store = self.team.held.reading();
        if self.number == 0 {
            store = self.put_root(store)?;
        }
        loop {
            // A violation is inside, so that is searched as soon as it is reached.
            while let Some(seed) = self.outside.seeds.pop() {
                store = self.search_from(&mut inside, store, seed)?;
                store = self.look_around(store, inside.bytes())?;
            }
            if !self.outside.queue.is_empty() {
                let taken;
                (taken, store) = self.expand_outside(store)?;
                self.expanded += taken as u64;
                store = self.look_around(store, inside.bytes())?;
                continue;
            }
            drop(store);
            let Some(offer) = self.rest(&inside)? else { return Ok(()) };
            store = self.team.held.reading();
            match offer {
                Offer::Share(share) => {
                    self.outside.queue.extend(share.outside);
                    self.outside.seeds = share.seeds;
                }
                Offer::Join(seed) => store = self.search_from(&mut inside, store, seed)?,
                Offer::Wait | Offer::Done => unreachable!("no offers"),
            }
        }
    }

    fn search_from(
        &mut self,
        inside: &mut impl Inside<S>,
        store: Reading<'c, S>,
        seed: Ref,
    ) -> Result<Reading<'c, S>, Halt> {
        if inside.is_finished(&store, seed) {
            return Ok(store);
        }
        self.team.pool.search(self.number, Some(seed));
        let store = inside.explore(self, store, seed)?;
        self.team.pool.search(self.number, None);
        Ok(store)
    }

    /// Waits until there is something to do; none if there will never be.
    fn rest(&mut self, inside: &impl Inside<S>) -> Result<Option<Offer>, Halt> {
        let team = self.team;
        self.tell();
        team.pool.rest();
        let mut looks = 0;
        loop {
            if team.held.halted() {
                return Err(Halt);
            }
            let finished = |seed| inside.is_finished(&team.held.reading(), seed);
            match team.pool.offer(self.number, finished) {
                Offer::Done => return Ok(None),
                Offer::Wait => {}
                offer => return Ok(Some(offer)),
            }
            looks += 1;
            if looks < LOOKS / 64 {
                (0..64).for_each(|_| std::hint::spin_loop());
            } else {
                std::thread::yield_now();
                if looks % 64 == 0 {
                    self.call_watch(&team.held.reading())?;
                }
            }
        }
    }

    fn put_root(&mut self, mut store: Reading<'c, S>) -> Result<Reading<'c, S>, Halt> {
        let mut root = Vec::new();
        self.stepper.initial(&mut root);
        let recurs = self.stepper.may_recur(&root);
        loop {
            let local = &mut self.outside.local;
            let put = store.key(local, &root).and_then(|key| store.place(local, &root, key, Ref::NONE));
            match put {
                Ok((at, _)) => {
                    self.outside.take(at, recurs);
                    return Ok(store);
                }
                Err(Full) => store = self.team.held.make_room(store)?,
            }
        }
    }

    /// To be called for every state that is expanded inside; what it does it does now and then.
    #[inline]
    pub(super) fn expanded_inside(
        &mut self,
        store: Reading<'c, S>,
        inside_bytes: impl FnOnce() -> usize,
    ) -> Result<Reading<'c, S>, Halt> {
        self.expanded += 1;
        if self.expanded < LOOK {
            return Ok(store);
        }
        let bytes = inside_bytes();
        self.look_around(store, bytes)
    }

    /// Sees to everything that is not the search itself: limits, the others who want work or the store, the watch.
    fn look_around(
        &mut self,
        mut store: Reading<'c, S>,
        inside_bytes: usize,
    ) -> Result<Reading<'c, S>, Halt> {
        let held = &self.team.held;
        let expanded = std::mem::take(&mut self.expanded);
        self.since_watch += expanded;
        self.since_reckoning += expanded;
        if held.halted() {
            return Err(Halt);
        }
        if self.team.pool.is_wanting() {
            self.give_away();
        }
        if self.since_watch >= WATCH_INTERVAL || self.stepper.work() - self.watched >= WATCH_WORK {
            self.since_watch = 0;
            self.watched = self.stepper.work();
            self.call_watch(&store)?;
        }
        // Before much is there, a few states more are much.
        if self.since_reckoning >= RECKON.min(self.reckonings * LOOK) {
            self.since_reckoning = 0;
            self.reckonings += 1;
            let bytes = self.outside.bytes() + inside_bytes;
            if bytes > self.occupied {
                held.occupy(bytes - self.occupied, store.bytes())?;
                self.occupied = bytes;
            }
            if store.len() > held.states {
                return Err(held.stop(Limit::States));
            }
            if store.wants_growth() {
                return held.make_room(store);
            }
        }
        if held.wanted() {
            drop(store);
            store = held.reading();
        }
        Ok(store)
    }

    /// Half of what there is to do, for whoever has nothing.
    fn give_away(&mut self) {
        let Outside { queue, seeds, .. } = &mut self.outside;
        if queue.len() + seeds.len() < 2 {
            return;
        }
        let outside = queue.drain(queue.len() / 2..).collect();
        let seeds = seeds.drain(..seeds.len() / 2).collect();
        self.team.pool.give(Share { outside, seeds });
    }

    /// Adds what this worker has done to the figures of all.
    fn tell(&mut self) {
        let team = self.team;
        team.transitions.fetch_add(std::mem::take(&mut self.transitions), Ordering::Relaxed);
        team.generated.fetch_add(std::mem::take(&mut self.generated), Ordering::Relaxed);
        team.depth.fetch_max(self.depth, Ordering::Relaxed);
    }

    fn call_watch(&mut self, store: &S) -> Result<(), Halt> {
        self.tell();
        let counters = self.team.counters(store);
        match self.watch.as_mut().and_then(|watch| watch(&counters)) {
            Some(limit) => Err(self.team.held.stop(limit)),
            None => Ok(()),
        }
    }

    /// Whether the state that lies there is accepting.
    #[inline]
    pub(super) fn accepts(&mut self, store: &S, at: Ref) -> bool {
        let Outside { local, buffer, .. } = &mut self.outside;
        self.stepper.accepting(store.state(local, at, buffer))
    }

    #[cold]
    fn fault(&mut self, fault: Fault) {
        if !self.faults.contains(&fault) {
            self.faults.push(fault);
        }
    }

    /// Waits until something is so, while the others work.
    pub(super) fn wait_until(
        &mut self,
        mut store: Reading<'c, S>,
        so: impl Fn(&S) -> bool,
    ) -> Result<Reading<'c, S>, Halt> {
        let mut looks = 0;
        while !so(&store) {
            if self.team.held.halted() {
                return Err(Halt);
            }
            if self.team.held.wanted() {
                drop(store);
                store = self.team.held.reading();
            }
            looks += 1;
            if looks < LOOKS {
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
                if looks % 64 == 0 {
                    self.call_watch(&store)?;
                }
            }
        }
        Ok(store)
    }

    /// The marks of the transition to the successor with this number of the state inside that was just expanded.
    pub(super) fn marks_of(&mut self, store: &S, at: Ref, index: usize) -> u64 {
        let Outside { local, buffer, batch, .. } = &mut self.outside;
        self.stepper.marks(store.state(local, at, buffer), batch.successors.kept_transition(index))
    }

    /// The successors of a state that the store holds: where they lie, by which transition, and its marks.
    pub(super) fn known_successors(&mut self, store: &S, at: Ref) -> Vec<(Ref, Transition, u64)> {
        let (mut state, mut successors) = (Vec::new(), Successors::default());
        let local = &mut self.outside.local;
        store.read(local, at, &mut state);
        self.stepper.successors(&state, &mut successors);
        let mut known = Vec::new();
        for successor in successors.iter() {
            let key = store.key(local, successor.state).ok();
            if let Some(to) = key.and_then(|key| store.find(successor.state, key)) {
                let by = successor.transition;
                known.push((to, by, self.stepper.marks(&state, by)));
            }
        }
        known
    }

    /// The run from the initial state to a state, by parents.
    pub(super) fn run_to(&mut self, store: &S, at: Ref) -> Vec<Transition> {
        let mut states = vec![at];
        while let Some(parent) = store.parent(states[states.len() - 1]) {
            states.push(parent);
        }
        states.reverse();
        self.run_along(store, &states)
    }

    /// The run that goes through these states, each of which leads to the next.
    pub(super) fn run_along(&mut self, store: &S, states: &[Ref]) -> Vec<Transition> {
        let (mut state, mut target, mut successors) = (Vec::new(), Vec::new(), Successors::default());
        let mut step = |pair: &[Ref]| {
            store.read(&mut self.outside.local, pair[0], &mut state);
            store.read(&mut self.outside.local, pair[1], &mut target);
            self.stepper.successors(&state, &mut successors);
            // A run without a fault, if there are several ways.
            let there = || successors.iter().filter(|successor| successor.state == target);
            let by = there().find(|successor| successor.fault.is_none()).or_else(|| there().next());
            by.expect("each state leads to the next").transition
        };
        states.windows(2).map(&mut step).collect()
    }
}
