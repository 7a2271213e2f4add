//! The states outside: those that no accepted run meets again and again. Their order does not matter, so a worker expands
//! a group of them before it looks any successor up, as the breadth-first search does.

use super::team::Worker;
use crate::search::held::{Halt, Reading};
use crate::store::{Full, Noted, Ref};
use crate::successors::Successors;
use std::collections::VecDeque;

/// The states outside that one worker has to expand, and what expanding needs.
pub(super) struct Outside<S: Noted> {
    /// What the store keeps for this worker.
    pub(super) local: S::Worker,
    /// States outside that this worker was the first to meet; the first in is the first out, for the sake of short runs.
    pub(super) queue: VecDeque<Ref>,
    /// States inside that were first met from outside.
    pub(super) seeds: Vec<Ref>,
    pub(super) batch: Batch<S::Key>,
    pub(super) buffer: Vec<u8>,
}

/// The successors of a group of states, and where they lie.
pub(super) struct Batch<Key> {
    pub(super) successors: Successors,
    keys: Vec<Key>,
    located: Vec<Option<Ref>>,
    /// The states of the group, each with the number of its first successor.
    group: Vec<(Ref, usize)>,
    /// By successor: whether it is inside.
    pub(super) recurs: Vec<bool>,
    /// By successor: where it lies, and whether it is new. [`Ref::NONE`] if it was not wanted.
    pub(super) placed: Vec<(Ref, bool)>,
}

/// A group ends with this many states ...
const GROUP: usize = 16;
/// ... or as soon as it has this many successors: about as many prefetches as the processor keeps in flight.
const ENOUGH: usize = 48;

impl<S: Noted> Outside<S> {
    pub(super) fn new(local: S::Worker) -> Self {
        let batch = Batch {
            successors: Successors::default(),
            keys: Vec::new(),
            located: Vec::new(),
            group: Vec::new(),
            recurs: Vec::new(),
            placed: Vec::new(),
        };
        Self { local, queue: VecDeque::new(), seeds: Vec::new(), batch, buffer: Vec::new() }
    }

    /// A state that is this worker's to see to.
    #[inline]
    pub(super) fn take(&mut self, at: Ref, recurs: bool) {
        if recurs {
            self.seeds.push(at);
        } else {
            self.queue.push_back(at);
        }
    }

    pub(super) fn bytes(&self) -> usize {
        (self.queue.capacity() + self.seeds.capacity()) * size_of::<Ref>()
    }
}

impl<'c, S: Noted> Worker<'c, S> {
    /// Expands the first few states of the queue: how many, and the store.
    pub(super) fn expand_outside(&mut self, store: Reading<'c, S>) -> Result<(usize, Reading<'c, S>), Halt> {
        self.begin_group();
        let mut taken = 0;
        while taken < GROUP && self.outside.batch.keys.len() < ENOUGH {
            let Some(at) = self.outside.queue.pop_front() else { break };
            self.fire_all(&store, at);
            taken += 1;
        }
        let store = self.place_group(store, true)?;
        self.transitions += self.outside.batch.placed.len() as u64;
        for index in 0..self.outside.batch.placed.len() {
            let Batch { placed, recurs, .. } = &self.outside.batch;
            if let ((at, true), recurs) = (placed[index], recurs[index]) {
                self.outside.take(at, recurs);
            }
        }
        Ok((taken, store))
    }

    /// Expands one state inside; `everything` is not wanted by who is not the first to come by.
    #[inline]
    pub(super) fn expand_inside(
        &mut self,
        store: Reading<'c, S>,
        at: Ref,
        everything: bool,
    ) -> Result<Reading<'c, S>, Halt> {
        self.begin_group();
        self.fire_all(&store, at);
        self.place_group(store, everything)
    }

    fn begin_group(&mut self) {
        let batch = &mut self.outside.batch;
        batch.successors.forget();
        batch.keys.clear();
        batch.group.clear();
        batch.recurs.clear();
    }

    /// Makes the successors of one more state of the group, and has their places fetched.
    #[inline]
    fn fire_all(&mut self, store: &S, at: Ref) {
        let Outside { local, batch, buffer, .. } = &mut self.outside;
        let Batch { successors, keys, group, recurs, .. } = batch;
        let first = keys.len();
        group.push((at, first));
        self.stepper.successors(store.state(local, at, buffer), successors);
        if successors.has_faults() {
            for fault in successors.iter().filter_map(|successor| successor.fault) {
                if !self.faults.contains(&fault) {
                    self.faults.push(fault);
                }
            }
        }
        successors.keep();
        for state in successors.kept_states(first) {
            let key = store.key(local, state).unwrap_or_else(|Full| unreachable!("a key takes no room"));
            store.prefetch(key);
            keys.push(key);
        }
        self.stepper.may_recur_all(successors, first, recurs);
        self.generated += (keys.len() - first) as u64;
    }

    /// Puts the successors of the group in the store; those outside only if `everything` is wanted.
    #[inline]
    fn place_group(&mut self, mut store: Reading<'c, S>, everything: bool) -> Result<Reading<'c, S>, Halt> {
        let batch = &mut self.outside.batch;
        batch.placed.clear();
        batch.located.clear();
        batch.located.extend(batch.keys.iter().map(|&key| store.locate(key)));
        while self.place_rest(&store, everything).is_err() {
            store = self.team.held.make_room(store)?;
        }
        Ok(store)
    }

    #[inline]
    fn place_rest(&mut self, store: &S, everything: bool) -> Result<(), Full> {
        let Outside { local, batch, .. } = &mut self.outside;
        let Batch { successors, keys, located, group, recurs, placed } = batch;
        let mut group = group.iter().peekable();
        let mut from = Ref::NONE;
        for (index, state) in successors.kept_states(0).enumerate() {
            while let Some((at, _)) = group.next_if(|(_, first)| *first <= index) {
                from = *at;
            }
            if index < placed.len() {
                continue;
            }
            if !everything && !recurs[index] {
                placed.push((Ref::NONE, false));
                continue;
            }
            match located[index] {
                Some(at) if store.is_at(at, state) => placed.push((at, false)),
                _ => placed.push(store.place(local, state, keys[index], from)?),
            }
        }
        Ok(())
    }
}
