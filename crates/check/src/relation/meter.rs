//! What a comparison has spent: both sides and the table of pairs draw on one budget.
//!
//! A side may explore a million internal steps without a single new pair, and a solver may make a million pairs of two
//! small systems; so both report here, each time they have made something, and whoever exceeds the memory stops all.
//! *Work* is counted as well, in transitions and candidates looked at: it is what the engines that run by turns are
//! measured with, and no single list, however long, keeps the caller from being asked.

use elnath_kernel::budget::{WATCH_INTERVAL, WATCH_WORK};
use elnath_kernel::{Budget, Counters, Limit};

/// The account of one comparison.
pub(crate) struct Meter<'a, 'b> {
    budget: &'a mut Budget<'b>,
    /// Bytes of the left side, the right side, the same two as a second engine knows them, the solver, the partition, the
    /// diagnosis and the sets of states.
    bytes: [usize; 8],
    /// States seen of each side.
    states: [u64; 4],
    /// Pairs analysed.
    pairs: u64,
    /// The most work that may be done, if others do the rest.
    most_work: u64,
    peak: usize,
    ticks: u64,
    /// Work done, and how much of it when the caller was asked last.
    spent: u64,
    asked_at: u64,
}

/// Who spends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spender {
    /// The left one (0) or the right one (1), or one of them as a second engine knows it (2 and 3).
    Side(usize),
    Solver,
    Partition,
    Diagnosis,
    Sets,
}

impl<'a, 'b> Meter<'a, 'b> {
    pub(crate) fn new(budget: &'a mut Budget<'b>) -> Self {
        Self {
            budget,
            bytes: [0; 8],
            states: [0; 4],
            pairs: 0,
            most_work: u64::MAX,
            peak: 0,
            ticks: 0,
            spent: 0,
            asked_at: 0,
        }
    }

    /// Notes what a spender now occupies and how much it has made, and looks at the clock now and then.
    ///
    /// # Errors
    /// The limit that was reached.
    pub(crate) fn tick(&mut self, who: Spender, bytes: usize, made: u64) -> Result<(), Limit> {
        match who {
            Spender::Side(side) => {
                self.bytes[side] = bytes;
                self.states[side] = made;
            }
            Spender::Solver => {
                self.bytes[4] = bytes;
                self.pairs = made;
            }
            Spender::Partition => self.bytes[5] = bytes,
            Spender::Diagnosis => self.bytes[6] = bytes,
            Spender::Sets => self.bytes[7] = bytes,
        }
        let total = self.total();
        self.peak = self.peak.max(total);
        if total > self.budget.memory {
            return Err(Limit::Memory);
        }
        if self.pairs > self.budget.states || self.spent > self.most_work {
            return Err(Limit::States);
        }
        self.ticks += 1;
        self.spent += 1;
        if self.ticks.is_multiple_of(WATCH_INTERVAL) { self.ask() } else { Ok(()) }
    }

    /// Work is done until there is so much of it in all, or any amount; more is [`Limit::States`].
    pub(crate) fn limit_work(&mut self, most: Option<u64>) {
        self.most_work = most.unwrap_or(u64::MAX);
    }

    /// Notes some work, in transitions or candidates looked at, and looks at the clock now and then.
    ///
    /// # Errors
    /// The limit that was reached.
    #[inline]
    pub(crate) fn work(&mut self, amount: usize) -> Result<(), Limit> {
        self.spent += amount as u64;
        if self.spent - self.asked_at < WATCH_WORK { Ok(()) } else { self.ask() }
    }

    #[cold]
    fn ask(&mut self) -> Result<(), Limit> {
        self.asked_at = self.spent;
        let counters = self.counters();
        match (self.budget.watch)(&counters) {
            Some(limit) => Err(limit),
            // A single pair may take more than that.
            None if self.spent > self.most_work => Err(Limit::States),
            None => Ok(()),
        }
    }

    /// The work done so far.
    pub(crate) fn spent(&self) -> u64 {
        self.spent
    }

    fn total(&self) -> usize {
        self.bytes.iter().sum()
    }

    /// Bytes that nobody has taken yet.
    pub(crate) fn room(&self) -> usize {
        self.budget.memory.saturating_sub(self.total())
    }

    /// Whether more than half of the memory is taken.
    pub(crate) fn is_half_full(&self) -> bool {
        self.total() > self.budget.memory / 2
    }

    /// The most bytes that were taken at a time.
    pub(crate) fn peak(&self) -> usize {
        self.peak
    }

    /// As searches count: states are those of both sides, insertions the pairs.
    fn counters(&self) -> Counters {
        Counters {
            states: self.states[0] + self.states[1],
            states_exact: true,
            insertions: self.pairs,
            stored: self.pairs,
            store_bytes: self.bytes[4],
            path_bytes: self.bytes[0] + self.bytes[1],
            ..Counters::default()
        }
    }
}
