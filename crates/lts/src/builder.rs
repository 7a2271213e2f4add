//! Making an [`Lts`] out of transitions that arrive one by one.
//!
//! Nearly every `.aut` file lists its transitions by source state, as the generator that wrote it explored them. While
//! that holds, the array of edges is already in its final order and only the offsets need to be noted: building costs
//! nothing beyond the result. At the first source that is smaller than the one before, the builder begins to keep the
//! source of each transition, and at the end distributes the edges into a second array. So the most memory ever in use,
//! besides labels, is 8 bytes per transition and 4 per state if the transitions come sorted, and 20 and 4 if not.
//! Sorting in place along the cycles of the permutation was tried and works with 12 bytes instead of 20, but each of its
//! steps waits for the cache miss of the step before: reading 222 MB of shuffled transitions took 1.47 s, not 0.80 s.

use crate::labels::{Labels, Taus};
use crate::lts::{Edge, Lts, most_states};

/// Collects transitions and becomes an [`Lts`].
///
/// ```
/// let mut builder = elnath_lts::Builder::new();
/// builder.add(0, "coin", 1);
/// builder.add(1, "coffee", 0);
/// let lts = builder.finish(0);
/// assert_eq!((lts.num_states(), lts.num_transitions()), (2, 2));
/// ```
#[derive(Clone, Debug)]
pub struct Builder {
    labels: Labels,
    taus: Taus,
    edges: Vec<Edge>,
    sources: Sources,
    /// One more than the largest state seen; at least as many states as were asked for.
    states: u64,
}

#[derive(Clone, Debug)]
enum Sources {
    /// Sources have never decreased so far. `offsets[s]` is known for each state up to the last source.
    Sorted { offsets: Vec<u32> },
    /// The source of each edge.
    Any(Vec<u32>),
}

impl Default for Builder {
    fn default() -> Self {
        Self::new()
    }
}

impl Builder {
    /// A system without transitions, in which `i` and `tau` are tau.
    pub fn new() -> Self {
        Self {
            labels: Labels::new(),
            taus: Taus::default(),
            edges: Vec::new(),
            sources: Sources::Sorted { offsets: Vec::new() },
            states: 0,
        }
    }

    /// Chooses which labels are tau.
    pub fn taus(&mut self, taus: Taus) {
        self.taus = taus;
    }

    /// Asks for at least this many states; otherwise there are as many as the transitions mention.
    pub fn at_least_states(&mut self, states: u32) {
        self.states = self.states.max(states.into());
    }

    /// The number of a label, which is added if it is new.
    pub fn label(&mut self, label: &str) -> u32 {
        self.labels.intern(label)
    }

    /// The labels so far.
    pub(crate) fn labels_mut(&mut self) -> &mut Labels {
        &mut self.labels
    }

    /// Adds a transition.
    pub fn add(&mut self, from: u32, label: &str, to: u32) {
        let label = self.label(label);
        self.push(from, label, to);
    }

    /// Adds a transition whose label came from [`Builder::label`].
    ///
    /// # Panics
    /// If there are `u32::MAX` transitions already, a state is `u32::MAX`, or the label is unknown.
    #[inline]
    pub fn push(&mut self, from: u32, label: u32, to: u32) {
        let index = self.edges.len();
        assert!(index < u32::MAX as usize, "transitions are numbered with 32 bits");
        assert!((label as usize) < self.labels.len(), "label {label} is not in the table");
        let last = from.max(to);
        assert!(last < u32::MAX, "states are numbered below 2^32 - 1");
        self.states = self.states.max(u64::from(last) + 1);
        match &mut self.sources {
            // The commonest case first: one more transition of the same state as before.
            Sources::Sorted { offsets } if offsets.len() == from as usize + 1 => {}
            Sources::Sorted { offsets }
                if offsets.len() <= from as usize && u64::from(from) < most_states(index) =>
            {
                offsets.resize(from as usize + 1, index as u32);
            }
            // Not sorted, or a gap so large that the offsets cannot be trusted to be affordable.
            Sources::Sorted { offsets } => {
                let mut sources = sources_of(offsets, index);
                sources.push(from);
                self.sources = Sources::Any(sources);
            }
            Sources::Any(sources) => sources.push(from),
        }
        self.edges.push(Edge { label, target: to });
    }

    /// Whether a transition from this state can be appended without remembering where each one starts.
    pub(crate) fn keeps_order(&self, from: u32) -> bool {
        match &self.sources {
            Sources::Sorted { offsets } => {
                offsets.len() <= from as usize + 1 && u64::from(from) < most_states(self.edges.len())
            }
            Sources::Any(_) => true,
        }
    }

    /// The most bytes that building takes at any time, should the transitions end here: those of the system, and of
    /// the arrays out of which it is sorted if it must be.
    pub(crate) fn bytes(&self) -> usize {
        match &self.sources {
            Sources::Sorted { .. } => self.bytes_with(size_of::<Edge>()),
            Sources::Any(_) => self.bytes_if_out_of_order(),
        }
    }

    /// As [`Builder::bytes`], if a transition came that does not keep the order.
    pub(crate) fn bytes_if_out_of_order(&self) -> usize {
        self.bytes_with(2 * size_of::<Edge>() + size_of::<u32>())
    }

    fn bytes_with(&self, per_transition: usize) -> usize {
        // A system with more states than this is refused before they are given memory.
        let states = self.states.min(most_states(self.edges.len())) as usize + 1;
        self.edges.len() * per_transition + states * size_of::<u32>() + self.labels.bytes()
    }

    /// How many transitions there are so far.
    pub fn num_transitions(&self) -> usize {
        self.edges.len()
    }

    /// How many states there are so far.
    pub fn num_states(&self) -> u64 {
        self.states
    }

    /// The system that starts in `initial`.
    ///
    /// # Panics
    /// If `initial` is `u32::MAX`. The bound of [`most_states`] is the reader's business, not checked here: whoever
    /// builds a graph in memory knows what it is doing.
    pub fn finish(mut self, initial: u32) -> Lts {
        assert!(initial < u32::MAX, "states are numbered below 2^32 - 1");
        let states = self.states.max(u64::from(initial) + 1) as usize;
        let (edges, offsets) = match self.sources {
            Sources::Sorted { mut offsets } => {
                offsets.resize(states + 1, self.edges.len() as u32);
                offsets.shrink_to_fit();
                self.edges.shrink_to_fit();
                (self.edges, offsets)
            }
            Sources::Any(sources) => group_by_source(&self.edges, &sources, states),
        };
        Lts::new(initial, offsets, edges, self.labels, &self.taus)
    }
}

/// The source of each of the first `edges` edges, given the offsets of the states up to the last source.
fn sources_of(offsets: &[u32], edges: usize) -> Vec<u32> {
    let mut sources = Vec::with_capacity(edges + 1);
    for state in 0..offsets.len() {
        let end = offsets.get(state + 1).map_or(edges, |&next| next as usize);
        sources.resize(end, state as u32);
    }
    sources
}

/// The edges grouped by source, in their order otherwise, and the offsets of the states.
fn group_by_source(edges: &[Edge], sources: &[u32], states: usize) -> (Vec<Edge>, Vec<u32>) {
    // First how many transitions each state has, one place further on, then where they begin.
    let mut offsets = vec![0; states + 1];
    for &source in sources {
        offsets[source as usize + 1] += 1;
    }
    for state in 0..states {
        offsets[state + 1] += offsets[state];
    }
    // Distributing advances offsets[s] to the end of s, which is the beginning of s + 1; shifting by one undoes it.
    let mut grouped = vec![Edge { label: 0, target: 0 }; edges.len()];
    for (&source, &edge) in sources.iter().zip(edges) {
        let next = &mut offsets[source as usize];
        grouped[*next as usize] = edge;
        *next += 1;
    }
    offsets.copy_within(0..states, 1);
    offsets[0] = 0;
    (grouped, offsets)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The builder agrees with a stable sort, whatever the order in which transitions arrive.
        #[test]
        fn edges_are_grouped_by_source_and_stay_in_order(
            mut triples in proptest::collection::vec((0u32..6, 0u32..3, 0u32..6), 0..40),
            sorted_part in 0usize..40,
        ) {
            let part = sorted_part.min(triples.len());
            triples[..part].sort_by_key(|t| t.0);
            let mut builder = Builder::new();
            for name in ["a", "b", "i"] {
                builder.label(name);
            }
            for &(from, label, to) in &triples {
                builder.push(from, label, to);
            }
            let lts = builder.finish(0);
            triples.sort_by_key(|t| t.0);
            prop_assert!(lts.transitions().eq(triples));
        }
    }

    #[test]
    fn a_far_source_costs_nothing_until_the_end() {
        let mut builder = Builder::new();
        builder.add(0, "a", 1);
        builder.add(4_000_000_000, "a", 1);
        assert!(matches!(builder.sources, Sources::Any(_)));
        assert_eq!(builder.num_states(), 4_000_000_001);
    }

    #[test]
    fn a_system_without_transitions_has_its_initial_state() {
        let lts = Builder::new().finish(0);
        assert_eq!((lts.num_states(), lts.num_transitions()), (1, 0));
        assert_eq!(lts.edges(0), []);
    }
}
