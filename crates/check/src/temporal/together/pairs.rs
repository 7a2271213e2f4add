//! The product of a recording and an automaton: pairs of a state of each, which are numbers.

use super::Recording;

/// A step of an automaton: the acceptance sets that it belongs to, and where it leads.
pub(super) type Way = (u64, u32);

/// The graph of pairs.
#[derive(Clone, Copy)]
pub(super) struct Pairs<'r> {
    pub(super) recording: &'r Recording,
    /// Whether a run that has stopped goes on there for ever.
    pub(super) stutter: bool,
    /// All acceptance sets.
    pub(super) all: u64,
    /// The steps of the automaton, by its state and the class of the system's.
    pub(super) ways: &'r [Vec<Way>],
    /// How many states the automaton has.
    pub(super) width: usize,
}

impl<'r> Pairs<'r> {
    /// How many there are; nothing if they cannot be told apart by small numbers.
    pub(super) fn count(&self) -> Option<usize> {
        self.recording.states().checked_mul(self.width).filter(|&pairs| pairs < u32::MAX as usize)
    }

    /// The number of a pair. What belongs to one state of the automaton is together: a part that is not met costs no memory.
    pub(super) fn index(&self, state: u32, at: u32) -> usize {
        at as usize * self.recording.states() + state as usize
    }

    /// The pair of a number.
    pub(super) fn pair(&self, index: usize) -> (u32, u32) {
        ((index % self.recording.states()) as u32, (index / self.recording.states()) as u32)
    }

    /// The steps of the automaton from one of its states in a state of the system.
    pub(super) fn ways_of(&self, state: u32, at: u32) -> &'r [Way] {
        let class = self.recording.classes[state as usize] as usize;
        &self.ways[at as usize * self.recording.valuations.len() + class]
    }

    /// The successors of a state, which are only itself if it has none and its run goes on there for ever.
    pub(super) fn successors<'s>(&self, state: u32, itself: &'s [u32; 1]) -> &'s [u32]
    where
        'r: 's,
    {
        match self.recording.successors(state) {
            [] if self.stutter => itself,
            successors => successors,
        }
    }
}
