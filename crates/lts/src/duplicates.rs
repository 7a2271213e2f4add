//! Duplicate transitions: files of the field do list the same (from, label, to) several times, and every count should
//! say whether it minds.

use crate::lts::Edge;

/// How many different transitions there are among one state's; `edges` must be sorted.
pub fn distinct(edges: &[Edge]) -> usize {
    debug_assert!(edges.is_sorted());
    edges.chunk_by(|a, b| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_neighbours_count_once() {
        let edge = |label, target| Edge { label, target };
        assert_eq!(distinct(&[]), 0);
        assert_eq!(distinct(&[edge(0, 1), edge(0, 1), edge(0, 2), edge(1, 2), edge(1, 2), edge(1, 2)]), 3);
    }
}
