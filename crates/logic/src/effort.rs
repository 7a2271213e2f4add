//! What a translation may spend, and that it ran out.
//!
//! An automaton may be exponentially larger than its formula, and so may what is built on the way to a small one. There are two kinds of
//! bounds. *Limits* are the user's: memory, and time or Ctrl-C by a function that says when to stop, since this crate reads no clock.
//! Exceeding them ends the translation. *Work* is counted in steps on decision diagrams, states and pairs, the same on every machine: it bounds
//! a single attempt where there are others ([`crate::translate`]), so that a formula has the same automaton whatever the machine and its load.
//!
//! Running out is sticky. An operation on diagrams that ran out returns nonsense at once, remembers nothing of it, and whoever asked must look
//! at [`crate::bdd::Bdds::spend`] before making use of the result; so the recursion needs no `Result` at each step, and cannot go on for hours.

use std::fmt;
use std::sync::Arc;

/// Whether to stop: time is up, or somebody pressed Ctrl-C.
pub type Stop = dyn Fn() -> bool + Send + Sync;

/// What the user allows.
#[derive(Clone)]
pub struct Limits {
    /// Bytes.
    pub memory: usize,
    /// Asked every few milliseconds.
    pub stop: Option<Arc<Stop>>,
}

impl Limits {
    /// No limit at all.
    pub const NONE: Self = Self { memory: usize::MAX, stop: None };
}

impl Default for Limits {
    /// As much memory as a formula may be worth where nobody says how much, and no limit on time.
    fn default() -> Self {
        Self { memory: 1 << 30, stop: None }
    }
}

impl fmt::Debug for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Limits").field("memory", &self.memory).finish_non_exhaustive()
    }
}

/// What ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Out {
    /// The work allowed for this attempt; another one may succeed.
    Work,
    /// The user's time, or patience.
    Time,
    /// The user's memory.
    Memory,
}

/// What a translation was doing when it ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Rewriting the formula.
    Simplifying,
    /// Building an automaton.
    Building,
    /// Making it smaller.
    Reducing,
    /// Looking for a deterministic one.
    Determinising,
    /// Writing labels as sums of products.
    Labelling,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Phase::Simplifying => "the formula was simplified",
            Phase::Building => "the automaton of the formula was built",
            Phase::Reducing => "the automaton of the formula was reduced",
            Phase::Determinising => "the automaton of the formula was made deterministic",
            Phase::Labelling => "the labels of the formula's automaton were written",
        })
    }
}
