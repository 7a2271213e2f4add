//! What a search may spend, and what it has spent.
//!
//! Limits are given at the start, memory is accounted in bytes, and running out is reported with figures. The kernel
//! reads no clock: time limits and interrupts arrive through [`Budget::watch`], which the caller supplies.

use crate::disk::Disk;
use crate::verdict::Limit;

/// What a search may spend.
pub struct Budget<'a> {
    /// Bytes for the store, the path and the queue together.
    pub memory: usize,
    /// Longest run followed, in transitions.
    pub depth: usize,
    /// Most states entered.
    pub states: u64,
    /// Where a search that knows how to may go on when the memory is used up.
    pub disk: Option<&'a Disk>,
    /// Called now and then with the figures so far; a returned limit stops the search. This is where progress lines,
    /// time limits and Ctrl-C come in.
    pub watch: &'a mut Watch<'a>,
}

/// What is called now and then with the figures so far; a returned limit stops the search.
pub type Watch<'a> = dyn FnMut(&Counters) -> Option<Limit> + 'a;

/// How many states are expanded between two calls of [`Budget::watch`].
pub const WATCH_INTERVAL: u64 = 1024;
/// How much [work](crate::Stepper::work) there may be between two calls: some hundredths of a second.
pub const WATCH_WORK: u64 = 1 << 16;

/// What a search has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counters {
    /// Distinct states seen. Exact unless states were replaced; then an estimate (see `states_exact`).
    pub states: u64,
    /// Whether `states` is a count rather than an estimate.
    pub states_exact: bool,
    /// States put into the store, repetitions included (the paper's R_ins).
    #[doc(alias = "R_ins")]
    pub insertions: u64,
    /// Successor states computed, repetitions included (the paper's R_gen).
    #[doc(alias = "R_gen")]
    pub generated: u64,
    /// Transitions looked at, one for every enabled transition of every state each time it is expanded.
    pub transitions: u64,
    /// Transitions looked at but not followed, because what they lead to is found on another way: sleep sets.
    pub asleep: u64,
    /// Longest path, or the number of levels of a breadth-first search, in transitions.
    pub depth: usize,
    /// States that a breadth-first search has yet to expand: those of the level at hand, from its beginning, and those that are
    /// known of the next; 0 where a search has a path instead of a queue. (With more bits, results with these figures in their
    /// errors would be too large to be passed by value.)
    pub waiting: u32,
    /// States now in the store.
    pub stored: u64,
    /// How full the store is, from 0 to 1, where its size is fixed.
    pub fill: Option<f64>,
    /// States that were replaced to make room.
    pub replacements: u64,
    /// Bytes of the store.
    pub store_bytes: usize,
    /// Bytes of the path or queue at its longest.
    pub path_bytes: usize,
    /// Bytes on disk.
    pub disk_bytes: u64,
}

impl Counters {
    /// Memory per state now stored, path included.
    pub fn bytes_per_state(&self) -> f64 {
        (self.store_bytes + self.path_bytes) as f64 / (self.stored.max(1)) as f64
    }
}
