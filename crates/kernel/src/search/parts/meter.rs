//! The budget of a depth-first search, in one place for all of them: a search may consist of several walks, with two
//! paths at once or a queue beside them, and one memory limit applies to all of that together.

use super::descent::Path;
use crate::budget::{Budget, Counters, WATCH_INTERVAL, WATCH_WORK};
use crate::search::{End, read_store};
use crate::store::{Room, States, Store, Visit};
use crate::system::{Fault, Stepper};
use crate::verdict::Limit;

pub(in crate::search) struct Meter<'m, 'b> {
    pub(in crate::search) budget: &'m mut Budget<'b>,
    pub(in crate::search) counters: Counters,
    /// Bytes of queues and of other paths than the one that grows now.
    pub(in crate::search) beside: usize,
    /// Bytes of another store than the one that grows now.
    pub(in crate::search) other_store: usize,
    /// Whether a second search is under way, whose store does not tell how many states there are.
    pub(in crate::search) nested: bool,
    /// How many transitions led to where the path that grows now begins.
    pub(in crate::search) below: usize,
    /// Whether the depth limit kept a state from being entered.
    pub(in crate::search) cut: bool,
    /// The faults met, each once.
    pub(in crate::search) faults: Vec<Fault>,
    expanded: u64,
    /// How much work there had been when the watch was last called.
    watched: u64,
}

impl<'m, 'b> Meter<'m, 'b> {
    pub(in crate::search) fn new(budget: &'m mut Budget<'b>) -> Self {
        Self {
            budget,
            counters: Counters::default(),
            beside: 0,
            other_store: 0,
            nested: false,
            below: 0,
            cut: false,
            faults: Vec::new(),
            expanded: 0,
            watched: 0,
        }
    }

    /// The paper's `search (S')` and, if it answers Null, the insertion, with a replacement if the memory is full.
    pub(in crate::search) fn visit<S: Store>(
        &self,
        store: &mut S,
        path: &Path,
        state: &[u8],
        hash: S::Hash,
    ) -> Result<Visit, End> {
        // The path at its longest, since its memory is not given back when it becomes shorter.
        let path_bytes = self.counters.path_bytes.max(self.beside + path.bytes() + Path::FRAME);
        let bytes = self.budget.memory.saturating_sub(path_bytes + self.other_store);
        let visit = store.visit(state, hash, Room { bytes, depth: path.len() });
        if matches!(visit, Ok(Visit::New(_))) && store.insertions() > self.budget.states {
            return Err(End::Limited(Limit::States));
        }
        visit.map_err(End::Limited)
    }

    /// A state was put on the path.
    pub(in crate::search) fn entered(
        &mut self,
        stepper: &dyn Stepper,
        path: &Path,
        store: &impl States,
    ) -> Result<(), End> {
        self.counters.depth = self.counters.depth.max(self.below + path.len() - 1);
        self.expanded += 1;
        self.watch(stepper, store, self.expanded.is_multiple_of(WATCH_INTERVAL))
    }

    /// A state's successors were computed, and those that are new are pending.
    pub(in crate::search) fn expanded(&mut self, path: &Path, successors: usize) {
        self.counters.generated += successors as u64;
        self.counters.transitions += successors as u64;
        self.counters.path_bytes = self.counters.path_bytes.max(self.beside + path.bytes());
    }

    /// Whether a run may be followed beyond the top of the path.
    pub(in crate::search) fn may_descend(&self, path: &Path) -> bool {
        self.below + path.len() <= self.budget.depth
    }

    #[cold]
    pub(in crate::search) fn fault(&mut self, fault: Fault) {
        if !self.faults.contains(&fault) {
            self.faults.push(fault);
        }
    }

    /// Calls the watch if it is due, by the number of states or by the work that they were.
    pub(in crate::search) fn watch(
        &mut self,
        stepper: &dyn Stepper,
        store: &impl States,
        due: bool,
    ) -> Result<(), End> {
        let work = stepper.work();
        if due || work - self.watched >= WATCH_WORK {
            self.watched = work;
            if !self.nested {
                self.read(store);
            }
            if let Some(limit) = (self.budget.watch)(&self.counters) {
                return Err(End::Limited(limit));
            }
        }
        Ok(())
    }

    /// Copies into the counters what only the store knows.
    pub(in crate::search) fn read(&mut self, store: &impl States) {
        read_store(&mut self.counters, store);
        self.counters.store_bytes += self.other_store;
    }

    /// Begins a second search, above the top of `path`, while a store of `bytes` bytes is left as it is.
    pub(in crate::search) fn nest(&mut self, path: &Path, bytes: usize) {
        (self.nested, self.below) = (true, path.len() - 1);
        (self.beside, self.other_store) = (path.bytes(), bytes);
    }

    /// Ends it: its store has `bytes` bytes now.
    pub(in crate::search) fn unnest(&mut self, bytes: usize) {
        (self.nested, self.below) = (false, 0);
        (self.beside, self.other_store) = (0, bytes);
    }

    /// How a search ended whose loop ended so.
    pub(in crate::search) fn end(&self, result: Result<(), End>) -> End {
        match result {
            Ok(()) if self.cut => End::Limited(Limit::Depth),
            Ok(()) => End::Complete,
            Err(end) => end,
        }
    }
}
