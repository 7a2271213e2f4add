//! Numbers that make neighbours near, for graphs whose states have come in no order.
//!
//! Refinement goes through states and looks at the blocks of their successors. If the numbers of these are scattered over a table
//! that is larger than the caches, each look is a miss. A search numbers states breadth first, and so do graphs that
//! tools have written; but those that were sorted by something else, or written by many workers, can take twice the time. Numbered
//! breadth first they do not, and the states that cannot be reached are gone. The transitions of a state keep their order, so the quotient
//! is the same to the last number.

use super::graph::NONE;
use super::meter::Meter;
use crate::lts::{Edge, Lts};

/// Fewer states than this are near each other anyway.
const MANY: usize = 1 << 16;
/// How many states are looked at to see whether a graph is scattered.
const SAMPLE: usize = 1 << 10;

/// The graph with its states numbered breadth first, and by state its new number or [`NONE`]; nothing if that is not worth the copy, or
/// if there is no room for one.
pub(super) fn renumbered(lts: &Lts, meter: &mut Meter<'_, '_>) -> Option<(Lts, Vec<u32>)> {
    let (offsets, edges) = lts.table();
    if lts.num_states() < MANY || !is_scattered(offsets, edges) {
        return None;
    }
    let bytes = (3 * lts.num_states()) * size_of::<u32>() + size_of_val(edges);
    if meter.take(bytes).is_err() {
        meter.give_back(bytes);
        return None;
    }
    let mut number = vec![NONE; lts.num_states()];
    number[lts.initial() as usize] = 0;
    let mut order = vec![lts.initial()];
    let (mut ends, mut table) = (vec![0u32], Vec::with_capacity(edges.len()));
    let mut next = 0;
    while let Some(&state) = order.get(next) {
        next += 1;
        let state = state as usize;
        for edge in &edges[offsets[state] as usize..offsets[state + 1] as usize] {
            let number = &mut number[edge.target as usize];
            if *number == NONE {
                *number = order.len() as u32;
                order.push(edge.target);
            }
            table.push(Edge { target: *number, ..*edge });
        }
        ends.push(table.len() as u32);
    }
    Some((lts.with_table(0, ends, table), number))
}

/// Whether most transitions lead far away, as if their targets had been drawn.
fn is_scattered(offsets: &[u32], edges: &[Edge]) -> bool {
    let states = offsets.len() - 1;
    let (mut far, mut all) = (0, 0);
    for state in (0..states).step_by(states / SAMPLE) {
        for edge in &edges[offsets[state] as usize..offsets[state + 1] as usize] {
            all += 1;
            far += usize::from((edge.target as usize).abs_diff(state) > states / 8);
        }
    }
    2 * far > all
}

/// The classes of the states as they were numbered.
pub(super) fn back(number: &[u32], classes: &[u32]) -> Vec<u32> {
    number.iter().map(|&state| if state == NONE { NONE } else { classes[state as usize] }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::reduce;
    use super::*;
    use crate::Builder;
    use elnath_kernel::budget::Budget;
    use elnath_kernel::relation::Relation;
    use elnath_kernel::rng::Rng;

    /// A ring of states under numbers that a step of `stride` makes, with some transitions to anywhere.
    fn ring(states: u32, stride: u64) -> Lts {
        let at = |k: u32| (u64::from(k) * stride % u64::from(states)) as u32;
        let mut rng = Rng::new(7);
        let mut builder = Builder::new();
        for k in 0..states {
            builder.add(at(k), ["a", "b", "i"][(k % 97 % 3) as usize], at((k + 1) % states));
            if rng.below(16) == 0 {
                builder.add(at(k), "c", at((k + 5) % states));
            }
        }
        builder.finish(0)
    }

    #[test]
    fn the_quotient_does_not_depend_on_the_numbers() {
        let states = 100_003; // A prime: every stride visits all.
        let (near, far) = (ring(states, 1), ring(states, 61_403));
        let (offsets, edges) = far.table();
        assert!(is_scattered(offsets, edges));
        let (offsets, edges) = near.table();
        assert!(!is_scattered(offsets, edges));
        for relation in [Relation::Strong, Relation::Branching] {
            let mut budget =
                Budget { memory: 1 << 30, depth: 0, states: 0, disk: None, watch: &mut |_| None };
            let expected = reduce(&near, relation, &mut budget).unwrap();
            let found = reduce(&far, relation, &mut budget).unwrap();
            assert_eq!(found.lts, expected.lts);
            let (expected, found) = (expected.classes.unwrap(), found.classes.unwrap());
            for k in 0..states {
                let there = u64::from(k) * 61_403 % u64::from(states);
                assert_eq!(found[there as usize], expected[k as usize]);
            }
        }
    }

    #[test]
    fn without_room_nothing_is_renumbered() {
        let far = ring(100_003, 61_403);
        let mut budget = Budget { memory: 1 << 20, depth: 0, states: 0, disk: None, watch: &mut |_| None };
        assert!(renumbered(&far, &mut Meter::new(&mut budget)).is_none());
    }
}
