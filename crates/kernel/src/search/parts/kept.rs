//! The runs that a walk keeps beside the first one: those to where a hook said `Break` and wanted the run
//! ([`Hooks::keeps`](super::hooks::Hooks::keeps)).
//!
//! A hook bounds how many they are; this bounds how long they are together, since the path of a depth-first search may have
//! millions of steps. Of a run for which there is no room the length is kept.

use crate::search::Witness;
use crate::system::Transition;

/// All runs together may have so many steps: 8 MiB.
const MOST_STEPS: usize = 1 << 20;

#[derive(Default)]
pub(in crate::search) struct Kept {
    runs: Vec<Witness>,
    steps: usize,
}

impl Kept {
    /// Keeps a run of this length, if it can be told and there is room for it.
    pub(in crate::search) fn keep(&mut self, length: usize, run: impl FnOnce() -> Option<Vec<Transition>>) {
        let run = if length <= MOST_STEPS - self.steps { run() } else { None };
        self.steps += run.as_ref().map_or(0, Vec::len);
        self.runs.push(run.map_or(Witness::Length(length), Witness::Run));
    }

    /// Bytes that they occupy.
    pub(in crate::search) fn bytes(&self) -> usize {
        self.steps * size_of::<Transition>()
    }

    /// The runs, in the order in which they were kept.
    pub(in crate::search) fn into_runs(self) -> Vec<Witness> {
        self.runs
    }
}
