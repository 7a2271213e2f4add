//! Answers, and how sure we are of them.
//!
//! Running out of memory, time or depth is an answer ([`Verdict::Unknown`]) with figures, not an error: errors are
//! for broken input, panics are for our bugs. How much of the system a search has seen travels inside the verdict.

use crate::diagnosis::Diagnosis;

/// The answer to a question about a system.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// No violation was found; the coverage says whether that is a proof.
    Holds(Coverage),
    /// A violation was found, with a run that shows it.
    Fails(Diagnosis),
    /// The search ended early without finding a violation.
    Unknown(Limit),
}

/// How much of the reachable states a finished search has seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Coverage {
    /// All of them: a proof.
    Exhaustive,
    /// A lossy store may have taken new states for known ones: not a proof.
    Lossy {
        /// How many states the store is expected to have omitted directly (their successors may be missed too).
        expected_omissions: f64,
        /// The probability that the store took the next new state for a known one, when the search ended.
        omission_probability: f64,
    },
}

/// What a search ran out of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The granted memory: no state could be stored, and none could be replaced.
    #[doc(alias = "memory_overflow")]
    Memory,
    /// The granted space on disk, or the disk itself.
    Disk,
    /// The granted time.
    Time,
    /// The depth bound cut off at least one run.
    Depth,
    /// The bound on the number of states.
    States,
    /// Replacement forgot so much that the search mostly repeats itself.
    Thrashing,
    /// A single transition was more than the system was willing to compute, and the search went on without its rest.
    Sequence,
    /// There is a violation, but something ran out before the run that shows it was known.
    Witness,
    /// The user stopped it.
    Interrupted,
}

impl Limit {
    /// The limit in one word, as reports and `--json` print it.
    pub fn name(self) -> &'static str {
        match self {
            Limit::Memory => "memory",
            Limit::Disk => "disk",
            Limit::Time => "time",
            Limit::Depth => "depth",
            Limit::States => "states",
            Limit::Thrashing => "thrashing",
            Limit::Sequence => "sequence",
            Limit::Witness => "witness",
            Limit::Interrupted => "interrupted",
        }
    }
}
