//! The states outside, which no accepted run visits infinitely often. Their order does not matter, so a worker expands
//! a group of them before it looks any successor up, as breadth-first search does.

use super::team::Worker;
use crate::search::parts::held::{Halt, Reading};
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
    /// One for each of them.
    pub(super) entries: Vec<Entry<Key>>,
    /// The states of the group, each with the number of its first successor.
    group: Vec<(Ref, usize)>,
    /// How many successors have been put in the store.
    placed: usize,
}

/// What is known of one successor.
#[derive(Clone, Copy)]
pub(super) struct Entry<Key> {
    key: Key,
    /// Where it lies, or may lie as long as it is not placed. [`Ref::NONE`] if it was not wanted.
    pub(super) at: Ref,
    /// Whether it was put there just now.
    pub(super) new: bool,
    /// Whether it is inside.
    pub(super) recurs: bool,
}

/// A group ends with this many states ...
const GROUP: usize = 16;
/// ... or as soon as it has this many successors: about as many prefetches as the processor keeps in flight.
const ENOUGH: usize = 48;

impl<S: Noted> Outside<S> {
    pub(super) fn new(local: S::Worker) -> Self {
        let batch =
            Batch { successors: Successors::default(), entries: Vec::new(), group: Vec::new(), placed: 0 };
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
        while taken < GROUP && self.outside.batch.entries.len() < ENOUGH {
            let Some(at) = self.outside.queue.pop_front() else { break };
            self.fire_all(&store, at);
            taken += 1;
        }
        let store = self.place_group(store, true)?;
        let Outside { queue, seeds, batch, .. } = &mut self.outside;
        self.transitions += batch.entries.len() as u64;
        for entry in batch.entries.iter().filter(|entry| entry.new) {
            if entry.recurs {
                seeds.push(entry.at);
            } else {
                queue.push_back(entry.at);
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
        batch.entries.clear();
        batch.group.clear();
        batch.placed = 0;
    }

    /// Makes the successors of one more state of the group, and has their places fetched.
    #[inline]
    fn fire_all(&mut self, store: &S, at: Ref) {
        let Outside { local, batch, buffer, .. } = &mut self.outside;
        let Batch { successors, entries, group, .. } = batch;
        let first = entries.len();
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
        entries.extend(successors.kept_states(first).map(|state| {
            let key = store.key(local, state).unwrap_or_else(|Full| unreachable!("a key takes no room"));
            store.prefetch(key);
            let recurs = match (&self.recurs, state) {
                (Some(recurs), [.., last]) => recurs[usize::from(*last)],
                _ => self.stepper.may_recur(state),
            };
            Entry { key, at: Ref::NONE, new: false, recurs }
        }));
        self.generated += (entries.len() - first) as u64;
    }

    /// Puts the successors of the group in the store; those outside only if `everything` is wanted.
    #[inline]
    fn place_group(&mut self, mut store: Reading<'c, S>, everything: bool) -> Result<Reading<'c, S>, Halt> {
        for entry in &mut self.outside.batch.entries {
            entry.at = store.locate(entry.key).unwrap_or(Ref::NONE);
        }
        while self.place_rest(&store, everything).is_err() {
            store = self.team.held.make_room(store)?;
        }
        Ok(store)
    }

    #[inline]
    fn place_rest(&mut self, store: &S, everything: bool) -> Result<(), Full> {
        let Outside { local, batch, .. } = &mut self.outside;
        let Batch { successors, entries, group, placed } = batch;
        for (index, &(from, _)) in group.iter().enumerate() {
            let end = group.get(index + 1).map_or(entries.len(), |&(_, first)| first);
            // All of them, unless there was no room just now.
            let Some(left) = entries.get_mut(*placed..end) else { continue };
            for (entry, state) in left.iter_mut().zip(successors.kept_states(*placed)) {
                if !everything && !entry.recurs {
                    entry.at = Ref::NONE;
                } else if entry.at == Ref::NONE || !store.is_at(entry.at, state) {
                    (entry.at, entry.new) = store.place(local, state, entry.key, from)?;
                }
                *placed += 1;
            }
        }
        Ok(())
    }
}
