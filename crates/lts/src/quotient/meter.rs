//! What a reduction may spend and has spent: bytes of its arrays, and the moments at which the caller is asked whether
//! to go on.

use elnath_kernel::Limit;
use elnath_kernel::budget::{Budget, Counters, WATCH_WORK};

/// Counts memory and work against a budget.
pub(super) struct Meter<'a, 'b> {
    budget: &'a mut Budget<'b>,
    /// Bytes of the arrays that exist now.
    used: usize,
    /// The most there ever were.
    peak: usize,
    /// Work since the caller was asked last.
    work: u64,
    /// What the caller is shown.
    counters: Counters,
}

impl<'a, 'b> Meter<'a, 'b> {
    pub(super) fn new(budget: &'a mut Budget<'b>) -> Self {
        let counters = Counters { states_exact: true, ..Counters::default() };
        Self { budget, used: 0, peak: 0, work: 0, counters }
    }

    /// Notes that so many bytes are about to be allocated.
    pub(super) fn take(&mut self, bytes: usize) -> Result<(), Limit> {
        self.used += bytes;
        self.peak = self.peak.max(self.used);
        self.counters.store_bytes = self.used;
        if self.used > self.budget.memory { Err(Limit::Memory) } else { Ok(()) }
    }

    /// Notes that so many bytes were given back.
    pub(super) fn give_back(&mut self, bytes: usize) {
        self.used -= bytes.min(self.used);
        self.counters.store_bytes = self.used;
    }

    /// Notes some work, in transitions looked at or something as cheap, and asks the caller now and then.
    #[inline]
    pub(super) fn work(&mut self, amount: usize) -> Result<(), Limit> {
        self.work += amount as u64;
        if self.work < WATCH_WORK { Ok(()) } else { self.ask() }
    }

    #[cold]
    fn ask(&mut self) -> Result<(), Limit> {
        self.counters.transitions += self.work;
        self.work = 0;
        match (self.budget.watch)(&self.counters) {
            Some(limit) => Err(limit),
            None => Ok(()),
        }
    }

    /// Notes how many classes, or states of what is being built, there are so far.
    pub(super) fn found(&mut self, classes: usize) {
        self.counters.states = classes as u64;
        self.counters.stored = classes as u64;
        self.counters.insertions = classes as u64;
    }

    pub(super) fn peak(&self) -> usize {
        self.peak
    }

    pub(super) fn counters(&self) -> Counters {
        let mut counters = self.counters;
        counters.transitions += self.work;
        counters
    }
}
