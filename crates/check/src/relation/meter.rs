//! What a comparison has spent: both sides and the table of pairs draw on one budget.
//!
//! A side may explore a million internal steps without a single new pair, and a solver may make a million pairs of two
//! small systems; so both report here, each time they have made something, and whoever exceeds the memory stops all.

use elnath_kernel::budget::WATCH_INTERVAL;
use elnath_kernel::{Budget, Counters, Limit};

/// The account of one comparison.
pub(crate) struct Meter<'a, 'b> {
    budget: &'a mut Budget<'b>,
    /// Bytes of the left side, the right side and the solver.
    bytes: [usize; 3],
    /// States seen of each side.
    states: [u64; 2],
    /// Pairs analysed.
    pairs: u64,
    peak: usize,
    ticks: u64,
}

/// Who spends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spender {
    Side(usize),
    Solver,
}

impl<'a, 'b> Meter<'a, 'b> {
    pub(crate) fn new(budget: &'a mut Budget<'b>) -> Self {
        Self { budget, bytes: [0; 3], states: [0; 2], pairs: 0, peak: 0, ticks: 0 }
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
                self.bytes[2] = bytes;
                self.pairs = made;
            }
        }
        let total = self.total();
        self.peak = self.peak.max(total);
        if total > self.budget.memory {
            return Err(Limit::Memory);
        }
        if self.pairs > self.budget.states {
            return Err(Limit::States);
        }
        self.ticks += 1;
        if self.ticks.is_multiple_of(WATCH_INTERVAL) {
            let counters = self.counters();
            if let Some(limit) = (self.budget.watch)(&counters) {
                return Err(limit);
            }
        }
        Ok(())
    }

    fn total(&self) -> usize {
        self.bytes.iter().sum()
    }

    /// Bytes that nobody has taken yet.
    pub(crate) fn room(&self) -> usize {
        self.budget.memory.saturating_sub(self.total())
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
            store_bytes: self.bytes[2],
            path_bytes: self.bytes[0] + self.bytes[1],
            ..Counters::default()
        }
    }
}
