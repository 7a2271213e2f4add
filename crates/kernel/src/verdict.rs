//! Answers, and how sure we are of them.
//!
//! Running out of memory, time or depth is an answer ([`Verdict::Unknown`]) with figures, not an error: errors are
//! for broken input, panics are for our bugs. How much of the system a search has seen travels inside the verdict.

use crate::diagnosis::Diagnosis;

/// The answer to a question about a system, with what shows it if the answer is no: a run, unless the question needs evidence of
/// another kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict<E = Diagnosis> {
    /// No violation was found; the coverage says whether that is a proof.
    Holds(Coverage),
    /// A violation was found, with evidence.
    Fails(E),
    /// The search ended early without finding a violation.
    Unknown(Limit),
}

impl<E> Verdict<E> {
    /// The verdict in one word, as reports and `--json` print it.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Holds(_) => "holds",
            Verdict::Fails(_) => "fails",
            Verdict::Unknown(_) => "unknown",
        }
    }

    /// The same verdict with other evidence.
    pub fn map<F>(self, evidence: impl FnOnce(E) -> F) -> Verdict<F> {
        match self {
            Verdict::Holds(coverage) => Verdict::Holds(coverage),
            Verdict::Fails(shown) => Verdict::Fails(evidence(shown)),
            Verdict::Unknown(limit) => Verdict::Unknown(limit),
        }
    }

    /// The same verdict, with its evidence borrowed.
    pub fn as_ref(&self) -> Verdict<&E> {
        match self {
            Verdict::Holds(coverage) => Verdict::Holds(*coverage),
            Verdict::Fails(shown) => Verdict::Fails(shown),
            Verdict::Unknown(limit) => Verdict::Unknown(*limit),
        }
    }

    /// What shows that the answer is no.
    pub fn evidence(&self) -> Option<&E> {
        match self {
            Verdict::Fails(shown) => Some(shown),
            Verdict::Holds(_) | Verdict::Unknown(_) => None,
        }
    }

    /// What ran out, if that is the answer.
    pub fn limit(&self) -> Option<Limit> {
        match self {
            Verdict::Unknown(limit) => Some(*limit),
            Verdict::Holds(_) | Verdict::Fails(_) => None,
        }
    }

    /// The worse of two verdicts: one that fails, then one that is unknown, then one that holds with less coverage. Of two that are
    /// equally bad, the first.
    #[must_use]
    pub fn worse(self, other: Self) -> Self {
        let badness = |verdict: &Self| match verdict {
            Verdict::Fails(_) => (2, 0.0),
            Verdict::Unknown(_) => (1, 0.0),
            Verdict::Holds(Coverage::Exhaustive) => (0, -1.0),
            Verdict::Holds(Coverage::Lossy { expected_omissions, .. }) => (0, *expected_omissions),
        };
        if badness(&other) > badness(&self) { other } else { self }
    }
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
    /// The formula is larger than what is translated or followed.
    Formula,
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
            Limit::Formula => "formula",
            Limit::Interrupted => "interrupted",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_verdict_fails_then_is_unknown_then_is_no_proof() {
        let lossy = |expected_omissions| {
            Verdict::Holds(Coverage::Lossy { expected_omissions, omission_probability: 0.0 })
        };
        let ranked = [
            Verdict::Fails(1),
            Verdict::Unknown(Limit::Time),
            lossy(2.0),
            lossy(1.0),
            Verdict::Holds(Coverage::Exhaustive),
        ];
        for (i, worse) in ranked.iter().enumerate() {
            for better in &ranked[i..] {
                assert_eq!(worse.clone().worse(better.clone()), *worse);
                assert_eq!(better.clone().worse(worse.clone()), *worse);
            }
        }
        assert_eq!(Verdict::Fails(1).worse(Verdict::Fails(2)), Verdict::Fails(1), "the first of two");
    }
}
