//! Which errors are one error: violations told apart by kind and place.
//!
//! Whoever asks for all errors wants to know what to mend, and a thousand states in which one assertion fails are one thing to
//! mend. So violations are grouped while the system is walked:
//!
//! | violation | its place |
//! |---|---|
//! | fault | what went wrong, and the statement |
//! | forbidden action | the action |
//! | broken invariant | the proposition |
//! | deadlock | where the processes are ([`Processes::locations`](elnath_kernel::Processes::locations)) |
//!
//! A system that is not made of processes is one place: all its deadlocks are one error. To take every state for a place was
//! considered; a graph with a million deadlocks would have as many errors.
//!
//! The walk keeps a run to the first violation of each group ([`Hooks::keeps`](elnath_kernel::Hooks::keeps)), which is a shortest
//! one if the walk is breadth first. There are bounds: a worker tells [`MOST_TOLD_APART`] groups apart, and [`MOST_ERRORS`] of them
//! are listed with a run; how many more there are is counted.

use crate::polish::Polished;
use crate::reachability::{Safety, Violation, each_violation};
use elnath_kernel::diagnosis::NotARun;
use elnath_kernel::store::hash64;
use elnath_kernel::{Run, Stepper, System, Transition, Witness, replay};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// So many errors are listed.
pub const MOST_ERRORS: usize = 32;
/// So many errors are told apart by a worker; it takes some hundreds of kilobytes.
pub const MOST_TOLD_APART: usize = 4096;
/// The states of all runs together may take so many bytes, beside those of the shortest.
const MOST_BYTES: usize = 64 << 20;

/// One error: all violations of one kind at one place.
#[derive(Clone, Debug)]
pub struct FoundError {
    /// What is wrong.
    pub violation: Violation,
    /// In how many states, or at how many transitions, it was met.
    pub met: u64,
    /// A run to it, replayed, if one is known.
    pub run: Option<Run>,
    /// What was done to it to make it easier to read.
    pub polished: Option<Polished>,
}

/// The errors that a walk over everything has met.
#[derive(Clone, Debug, Default)]
pub struct FoundErrors {
    /// Those that are listed: the ones with short runs first, and then those of which no run is known.
    pub list: Vec<FoundError>,
    /// How many more there are.
    pub more: u64,
    /// Whether that is only how many could be told apart.
    pub at_least: bool,
}

impl FoundErrors {
    /// Puts the errors with short runs first; of runs of the same length the order stays.
    pub fn sort(&mut self) {
        let length = |error: &FoundError| error.run.as_ref().map_or(usize::MAX, |run| run.steps.len());
        self.list.sort_by_key(length);
    }
}

/// What violations of one error have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ErrorPlace {
    violation: Violation,
    /// Of a deadlock, a hash of where the processes are.
    locations: u64,
}

impl ErrorPlace {
    /// That of a violation at, or on the way to, this state.
    pub(crate) fn of(violation: Violation, stepper: &mut dyn Stepper, state: &[u8]) -> Self {
        if violation != Violation::Deadlock {
            return Self { violation, locations: 0 };
        }
        let mut locations = Vec::new();
        stepper.locations(state, &mut locations);
        let bytes: Vec<u8> = locations.iter().flat_map(|at| at.to_le_bytes()).collect();
        Self { violation, locations: hash64(&bytes) }
    }

    /// Those in which a replayed run ends.
    pub(crate) fn of_run(system: &dyn System, question: &Safety<'_>, run: &Run) -> Vec<Self> {
        let mut stepper = system.stepper();
        let mut violations = Vec::new();
        each_violation(system, question, &mut *stepper, run, |violation| violations.push(violation));
        violations.into_iter().map(|violation| Self::of(violation, &mut *stepper, run.last())).collect()
    }
}

/// What one worker tells apart.
#[derive(Default)]
pub(crate) struct ErrorTable {
    numbers: HashMap<ErrorPlace, usize>,
    /// By number, in the order in which they were met: the place, and how often.
    met: Vec<(ErrorPlace, u64)>,
    /// Whether there were more than can be told apart.
    overflow: bool,
    /// Whether the last violation was the first of a group whose run is wanted.
    pub(crate) wants_run: bool,
}

impl ErrorTable {
    /// A violation was met.
    pub(crate) fn note(&mut self, place: ErrorPlace) {
        self.add(place, 1);
    }

    fn add(&mut self, place: ErrorPlace, times: u64) {
        let count = self.met.len();
        match self.numbers.entry(place) {
            Entry::Occupied(number) => self.met[*number.get()].1 += times,
            Entry::Vacant(_) if count >= MOST_TOLD_APART => self.overflow = true,
            Entry::Vacant(free) => {
                free.insert(count);
                self.met.push((place, times));
                self.wants_run |= count < MOST_ERRORS;
            }
        }
    }

    /// What several workers have told apart, together.
    pub(crate) fn together<'t>(tables: impl Iterator<Item = &'t ErrorTable>) -> Self {
        let mut all = Self::default();
        for table in tables {
            table.met.iter().for_each(|&(place, times)| all.add(place, times));
            all.overflow |= table.overflow;
        }
        all
    }

    /// The errors, with the runs that the walk has kept.
    ///
    /// # Errors
    /// If one of the runs is none, which would be a bug of ours.
    pub(crate) fn errors(
        self,
        system: &dyn System,
        question: &Safety<'_>,
        kept: &[Witness],
    ) -> Result<FoundErrors, NotARun> {
        let mut runs: Vec<&Vec<Transition>> = kept
            .iter()
            .filter_map(|witness| match witness {
                Witness::Run(run) => Some(run),
                Witness::Length(_) => None,
            })
            .collect();
        runs.sort_by_key(|run| run.len());
        let mut found: Vec<Option<Run>> = self.met.iter().map(|_| None).collect();
        let mut bytes = 0;
        for steps in runs {
            let run = replay(system, steps)?;
            let size: usize = run.states.iter().map(Vec::len).sum();
            if bytes > 0 && bytes + size > MOST_BYTES {
                continue;
            }
            for place in ErrorPlace::of_run(system, question, &run) {
                if let Some(&number) = self.numbers.get(&place)
                    && found[number].is_none()
                {
                    bytes += size;
                    found[number] = Some(run.clone());
                }
            }
        }
        let error = |(&(place, met), run): (&(ErrorPlace, u64), _)| FoundError {
            violation: place.violation,
            met,
            run,
            polished: None,
        };
        let list: Vec<FoundError> = self.met.iter().zip(found).map(error).collect();
        let mut errors = FoundErrors { list, more: 0, at_least: self.overflow };
        errors.sort();
        errors.more = errors.list.len().saturating_sub(MOST_ERRORS) as u64;
        errors.list.truncate(MOST_ERRORS);
        Ok(errors)
    }
}
