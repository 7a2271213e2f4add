//! Determinism: no state has two transitions with the same label and different targets.
//!
//! Tau counts as a label like any other, as in the VLTS tables: a state may have one tau transition and still be
//! deterministic. A relation that abstracts from tau needs more than this: there, what counts is determinism
//! of the steps "any number of taus, then a".

use crate::lts::{Edge, Lts};

/// Whether one state's transitions are deterministic; `edges` must be sorted.
pub fn is_deterministic(edges: &[Edge]) -> bool {
    debug_assert!(edges.is_sorted());
    edges.windows(2).all(|pair| pair[0].label != pair[1].label || pair[0].target == pair[1].target)
}

/// Some state, of those given, that is not deterministic.
pub fn nondeterministic_state(lts: &Lts, states: impl IntoIterator<Item = u32>) -> Option<u32> {
    let mut sorted = Vec::new();
    states.into_iter().find(|&state| {
        sort_into(lts.edges(state), &mut sorted);
        !is_deterministic(&sorted)
    })
}

/// Sorts a copy, in a buffer that is used again for every state.
pub(crate) fn sort_into(edges: &[Edge], sorted: &mut Vec<Edge>) {
    sorted.clear();
    sorted.extend_from_slice(edges);
    sorted.sort_unstable();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Builder;

    #[test]
    fn a_duplicate_is_not_a_choice() {
        let mut builder = Builder::new();
        builder.add(0, "a", 1);
        builder.add(0, "b", 0);
        builder.add(0, "a", 1);
        builder.add(1, "a", 0);
        let lts = builder.clone().finish(0);
        assert_eq!(nondeterministic_state(&lts, lts.states()), None);
        builder.add(1, "a", 1);
        let lts = builder.finish(0);
        assert_eq!(nondeterministic_state(&lts, lts.states()), Some(1));
    }
}
