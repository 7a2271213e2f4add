//! One worker of the parallel breadth-first search: how it expands the states that it claims.

use super::level::{Level, NextLevel};
use super::{Common, Found};
use crate::budget::{WATCH_INTERVAL, WATCH_WORK, Watch};
use crate::search::parts::held::{Halt, Reading, UNBROKEN};
use crate::search::{Edge, Hooks};
use crate::store::{Full, Ref, Shared};
use crate::successors::Successors;
use crate::system::{Stepper, System, Transition};
use crate::verdict::Limit;
use std::sync::atomic::Ordering;

pub(super) struct Worker<'c, S: Shared, H> {
    common: &'c Common<S>,
    pub(super) number: usize,
    pub(super) stepper: Box<dyn Stepper + 'c>,
    pub(super) hooks: H,
    /// What the store keeps for this worker.
    local: S::Worker,
    state: Vec<u8>,
    claimed: Vec<Ref>,
    /// The states of the group, each with the number of its first successor.
    group: Vec<(Ref, usize)>,
    /// The successors of the whole group, and their keys.
    successors: Successors,
    keys: Vec<S::Key>,
    /// Where there may be a state with that key.
    located: Vec<Option<Ref>>,
    pub(super) next: NextLevel,
    /// States expanded since the last call of the watch.
    expanded: u64,
    /// How much work there had been then.
    watched: u64,
    transitions: u64,
    /// How many more states may be new before the limit on states is looked at.
    allowed: u64,
}

/// The supplier of time limits and interrupts, which only the leader has.
pub(super) type LeadersWatch<'a> = Option<&'a mut Watch<'a>>;

/// A group ends with this many states ...
const GROUP: usize = 16;
/// ... or as soon as it has this many successors: about as many prefetches as the processor keeps in flight.
const ENOUGH: usize = 48;

impl<'c, S: Shared, H: Hooks> Worker<'c, S, H> {
    pub(super) fn new(common: &'c Common<S>, number: usize, system: &'c dyn System, hooks: H) -> Self {
        Self {
            common,
            number,
            stepper: system.stepper(),
            hooks,
            local: common.held.store.read().expect(UNBROKEN).worker(),
            state: Vec::new(),
            claimed: Vec::new(),
            group: Vec::with_capacity(GROUP),
            successors: Successors::default(),
            keys: Vec::new(),
            located: Vec::new(),
            next: NextLevel::default(),
            expanded: 0,
            watched: 0,
            transitions: 0,
            allowed: 0,
        }
    }

    /// Puts the initial state in, as the only one of the first level.
    pub(super) fn enter_root(&mut self) -> Result<Ref, Halt> {
        let mut store = self.common.held.store.read().expect(UNBROKEN);
        self.stepper.initial(&mut self.state);
        loop {
            let result = store
                .key(&mut self.local, &self.state)
                .and_then(|key| store.insert(&mut self.local, &self.state, key, Ref::NONE));
            match result {
                Ok(at) => {
                    let at = at.expect("the store was empty");
                    let Self { next, common, allowed, .. } = self;
                    News { next, common, allowed }.reach(&store, at)?;
                    return Ok(at);
                }
                Err(Full) => store = self.common.held.make_room(store)?,
            }
        }
    }

    /// Expands states of the level until none is left.
    pub(super) fn work(&mut self, level: &Level, mut watch: LeadersWatch<'_>) -> Result<(), Halt> {
        let mut claimed = std::mem::take(&mut self.claimed);
        let mut result = Ok(());
        while result.is_ok() && !self.common.held.halted() && level.claim(self.number, &mut claimed) {
            result = self.expand_all(&claimed, &mut watch);
            self.common.transitions.fetch_add(std::mem::take(&mut self.transitions), Ordering::Relaxed);
        }
        self.claimed = claimed;
        result
    }

    fn expand_all(&mut self, claimed: &[Ref], watch: &mut LeadersWatch<'_>) -> Result<(), Halt> {
        let mut store = self.common.held.reading();
        if store.wants_growth() {
            store = self.common.held.make_room(store)?;
        }
        let mut left = claimed;
        while !left.is_empty() {
            if self.common.only_states.load(Ordering::Relaxed) {
                left.iter().for_each(|&at| self.look_at(&store, at));
                return Ok(());
            }
            let taken;
            (taken, store) = self.expand(left, store)?;
            left = &left[taken..];
            self.expanded += taken as u64;
            let work = self.stepper.work();
            if (self.expanded >= WATCH_INTERVAL || work - self.watched >= WATCH_WORK)
                && let Some(watch) = watch
            {
                self.expanded = 0;
                self.watched = work;
                self.common.transitions.fetch_add(std::mem::take(&mut self.transitions), Ordering::Relaxed);
                drop(store);
                if let Some(limit) = watch(&self.common.counters()) {
                    return Err(self.common.held.stop(limit));
                }
                store = self.common.held.store.read().expect(UNBROKEN);
            }
            if self.common.held.halted() {
                return Err(Halt);
            }
            if self.common.held.wanted() {
                drop(store);
                store = self.common.held.reading();
            }
        }
        Ok(())
    }

    /// Expands the first few of some states: how many, and the store.
    fn expand(&mut self, states: &[Ref], mut store: Reading<'c, S>) -> Result<(usize, Reading<'c, S>), Halt> {
        self.group.clear();
        self.successors.forget();
        self.keys.clear();
        for &at in &states[..GROUP.min(states.len())] {
            self.group.push((at, self.keys.len()));
            self.fire_all(&store, at)?;
            while self.find_keys(&store).is_err() {
                store = self.common.held.make_room(store)?;
            }
            if self.keys.len() >= ENOUGH {
                break;
            }
        }
        self.transitions += self.keys.len() as u64;
        self.located.clear();
        self.located.extend(self.keys.iter().map(|&key| store.locate(key)));
        let mut done = 0;
        while let Err(Full) = self.look_up(&store, &mut done)? {
            store = self.common.held.make_room(store)?;
        }
        Ok((self.group.len(), store))
    }

    /// Fires all transitions of a state and shows them to the hooks.
    fn fire_all(&mut self, store: &S, at: Ref) -> Result<(), Halt> {
        let Self { stepper, hooks, local, state: buffer, successors, common, .. } = self;
        let state = store.state(local, at, buffer);
        stepper.successors(state, successors);
        let found = |last: Option<Transition>, hooks: &mut H| {
            let depth = common.depth.load(Ordering::Relaxed);
            let length = match last {
                Some(_) => depth + 1,
                None => depth,
            };
            common.found(Found { at, last, length }, (hooks.goes_on(), hooks.keeps()));
        };
        if hooks.expand(&mut **stepper, state, successors).is_break() {
            found(None, hooks);
            if !hooks.goes_on() {
                return Err(Halt);
            }
        }
        let looked_at = if hooks.sees_all_edges() || successors.has_faults() { successors.len() } else { 0 };
        for successor in successors.iter().take(looked_at) {
            let edge = Edge {
                from: state,
                transition: successor.transition,
                to: successor.state,
                fault: successor.fault,
            };
            if hooks.edge(&mut **stepper, edge).is_break() {
                found(Some(successor.transition), hooks);
                if !hooks.goes_on() {
                    // The walk ends with this level: the other transitions no longer matter.
                    break;
                }
            }
        }
        successors.keep();
        Ok(())
    }

    /// Computes the keys of the successors that have none yet, and prefetches their slots.
    fn find_keys(&mut self, store: &S) -> Result<(), Full> {
        let states = self.successors.kept_states(self.keys.len());
        self.keys.reserve(states.len());
        for state in states {
            let key = store.key(&mut self.local, state)?;
            store.prefetch(key);
            self.keys.push(key);
        }
        Ok(())
    }

    /// Puts the successors of the group in, from the `done`-th on.
    fn look_up(&mut self, store: &S, done: &mut usize) -> Result<Result<(), Full>, Halt> {
        let Self { group, keys, located, successors, local, next, common, allowed, .. } = self;
        let mut news = News { next, common, allowed };
        let mut states = successors.kept_states(*done).zip(&keys[*done..]).zip(&located[*done..]);
        for (index, &(at, _)) in group.iter().enumerate() {
            let end = group.get(index + 1).map_or(keys.len(), |&(_, first)| first);
            for ((state, &key), located) in states.by_ref().take(end.saturating_sub(*done)) {
                if !located.is_some_and(|at| store.is_at(at, state)) {
                    match store.insert(local, state, key, at) {
                        Ok(None) => {}
                        Ok(Some(new)) => news.reach(store, new)?,
                        Err(Full) => return Ok(Err(Full)),
                    }
                }
                *done += 1;
            }
        }
        Ok(Ok(()))
    }

    /// Whether there is a violation in the state itself, after one was found at a transition of this level.
    fn look_at(&mut self, store: &S, at: Ref) {
        store.read(&mut self.local, at, &mut self.state);
        let successors = &mut self.successors;
        successors.forget();
        self.stepper.successors(&self.state, successors);
        if self.hooks.expand(&mut *self.stepper, &self.state, successors).is_break() {
            let length = self.common.depth.load(Ordering::Relaxed);
            self.common.found(Found { at, last: None, length }, (false, false));
        }
    }

    /// The run to where something was found, if the store knows it: up to the root by parents, and down again by firing.
    pub(super) fn run_to(&mut self, store: &S, root: Ref, found: Found) -> Option<Vec<Transition>> {
        let mut path = vec![found.at];
        while *path.last()? != root {
            path.push(store.parent(*path.last()?)?);
        }
        let (mut target, successors) = (Vec::new(), &mut self.successors);
        successors.forget();
        let mut run = Vec::with_capacity(path.len());
        store.read(&mut self.local, path.pop()?, &mut self.state);
        while let Some(at) = path.pop() {
            store.read(&mut self.local, at, &mut target);
            self.stepper.successors(&self.state, successors);
            // A run without a fault, if there are several ways.
            let there = || successors.iter().filter(|successor| successor.state == target);
            let by = there().find(|successor| successor.fault.is_none()).or_else(|| there().next());
            run.push(by.expect("a state's parent leads to it").transition);
            std::mem::swap(&mut self.state, &mut target);
        }
        run.extend(found.last);
        Some(run)
    }
}

/// Where new states go.
struct News<'w, 'c, S: Shared> {
    next: &'w mut NextLevel,
    common: &'c Common<S>,
    allowed: &'w mut u64,
}

impl<S: Shared> News<'_, '_, S> {
    /// A new state belongs to the next level.
    #[inline]
    fn reach(&mut self, store: &S, at: Ref) -> Result<(), Halt> {
        if *self.allowed == 0 {
            let len = store.len();
            if len > self.common.held.states {
                return Err(self.common.held.stop(Limit::States));
            }
            // Exact for one worker; several may overstep the limit by what the others find meanwhile.
            *self.allowed = (self.common.held.states - len) / self.common.workers as u64;
        } else {
            *self.allowed -= 1;
        }
        if !self.next.push(at) {
            self.next.pieces.push(self.common.piece(store.bytes())?);
            self.next.push(at);
        }
        Ok(())
    }
}
