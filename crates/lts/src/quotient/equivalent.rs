//! Whether two explicit systems are equivalent: they are, if their initial states are in one class of their union.
//!
//! Where there is much to choose, this is the fastest way to be sure, since partitions are refined in nearly linear time;
//! but it says nothing about why two systems differ, and it looks at all of both even if they differ at once. So it is
//! for those who have looked at many pairs already and have not found a difference.

use elnath_kernel::Limit;
use elnath_kernel::budget::{Budget, Counters};
use elnath_kernel::relation::Relation;

use super::graph::Graph;
use super::meter::Meter;
use super::{Failure, Inert, inert_classes, reduce, strong};
use crate::labels::{Labels, Taus};
use crate::lts::{Edge, Lts};

/// The relations for which this is offered: bisimulations, whose classes are all that counts.
pub const BISIMULATIONS: [Relation; 5] = [
    Relation::Strong,
    Relation::DivergenceBranching,
    Relation::Branching,
    Relation::Weak,
    Relation::TauStarA,
];

/// Whether two systems are equivalent.
///
/// # Errors
/// If something ran out, or if the relation is not one of [`BISIMULATIONS`].
///
/// # Panics
/// Not by what is in the systems.
pub fn equivalent(
    left: &Lts,
    right: &Lts,
    relation: Relation,
    budget: &mut Budget<'_>,
) -> Result<bool, Failure> {
    if !BISIMULATIONS.contains(&relation) {
        return Err(Failure::NotOffered(relation));
    }
    // The copy is made where others still have theirs, so that whether there is room must be known before.
    let bytes = union_bytes(left, right);
    if bytes > budget.memory {
        let counters = Counters { store_bytes: bytes, ..Counters::default() };
        return Err(Failure::Stopped { limit: Limit::Memory, counters });
    }
    let (union, left, right) = union(left, right);
    debug_assert!(union.bytes() <= bytes);
    let mut rest = Budget {
        memory: budget.memory.saturating_sub(union.bytes()),
        depth: budget.depth,
        states: budget.states,
        disk: None,
        watch: &mut *budget.watch,
    };
    let mut meter = Meter::new(&mut rest);
    let classes = match blocks(&union, relation, &mut meter) {
        Some(Ok(blocks)) => blocks,
        Some(Err(limit)) => return Err(Failure::Stopped { limit, counters: meter.counters() }),
        None => reduce(&union, relation, &mut rest)?.classes.expect("bisimulations have classes"),
    };
    Ok(classes[left as usize] == classes[right as usize])
}

/// The classes without a quotient, where they are found without one.
fn blocks(lts: &Lts, relation: Relation, meter: &mut Meter<'_, '_>) -> Option<Result<Vec<u32>, Limit>> {
    match relation {
        Relation::Strong => Some(Graph::new(lts, meter).and_then(|graph| strong::classes(&graph, meter))),
        Relation::Branching | Relation::DivergenceBranching => {
            let found = inert_classes(lts, relation == Relation::DivergenceBranching, meter);
            let by_state = |inert: Inert| {
                lts.states().map(|state| inert.block[inert.components.of(state) as usize]).collect()
            };
            Some(found.map(by_state))
        }
        _ => None,
    }
}

/// The most bytes that making a union takes, and so the union itself. Labels that both systems have are there once, but a
/// table of labels may be half empty.
fn union_bytes(left: &Lts, right: &Lts) -> usize {
    let [transitions, states] = union_size(left, right);
    let labels =
        |lts: &Lts| lts.labels().bytes() + lts.labels().len() * (size_of::<u32>() + size_of::<bool>());
    transitions * size_of::<Edge>() + (states + 1) * size_of::<u32>() + 2 * (labels(left) + labels(right))
}

/// How many transitions and states a union has.
fn union_size(left: &Lts, right: &Lts) -> [usize; 2] {
    [2 + left.num_transitions() + right.num_transitions(), 1 + left.num_states() + right.num_states()]
}

/// Both systems beside each other, behind a state that leads to each by a label of its own; and where their initial states
/// are now. What is internal in either is so in the union.
fn union(left: &Lts, right: &Lts) -> (Lts, u32, u32) {
    const INTERNAL: &str = "i";
    // No file has such labels: a line does not end within one.
    const MARKS: [&str; 2] = ["\n left", "\n right"];
    const NOT_INTERNAL: &str = "\n i";
    let [transitions, states] = union_size(left, right);
    let mut labels = Labels::new();
    let (mut offsets, mut edges) = (Vec::with_capacity(states + 1), Vec::with_capacity(transitions));
    let first = [1, 1 + left.num_states() as u32];
    let initial = [first[0] + left.initial(), first[1] + right.initial()];
    offsets.push(0);
    for (mark, target) in MARKS.into_iter().zip(initial) {
        edges.push(Edge { label: labels.intern(mark), target });
    }
    offsets.push(edges.len() as u32);
    for (lts, first) in [left, right].into_iter().zip(first) {
        // A label that is called as the internal action is and is not one must not become one.
        let name = |label: u32| match lts.label(label) {
            _ if lts.is_tau(label) => INTERNAL,
            INTERNAL => NOT_INTERNAL,
            name => name,
        };
        let number: Vec<u32> =
            (0..lts.labels().len() as u32).map(|label| labels.intern(name(label))).collect();
        let (ends, table) = lts.table();
        let before = edges.len() as u32;
        offsets.extend(ends[1..].iter().map(|end| before + end));
        let moved = |edge: &Edge| Edge { label: number[edge.label as usize], target: first + edge.target };
        edges.extend(table.iter().map(moved));
    }
    (Lts::new(0, offsets, edges, labels, &Taus::new([INTERNAL])), initial[0], initial[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::Builder;

    fn lts(transitions: &[(u32, &str, u32)]) -> Lts {
        let mut builder = Builder::new();
        for &(from, label, to) in transitions {
            builder.add(from, label, to);
        }
        builder.finish(0)
    }

    fn are(left: &[(u32, &str, u32)], right: &[(u32, &str, u32)], relation: Relation) -> bool {
        let watch = &mut |_: &_| None;
        let mut budget = Budget { memory: 1 << 20, depth: 0, states: 0, disk: None, watch };
        equivalent(&lts(left), &lts(right), relation, &mut budget).unwrap()
    }

    #[test]
    fn there_must_be_room_before_anything_is_copied() {
        let mut builder = Builder::new();
        for state in 0..10_000 {
            builder.add(state, &format!("a{state}"), state + 1);
        }
        let lts = builder.finish(0);
        let (union, ..) = union(&lts, &lts);
        let bytes = union_bytes(&lts, &lts);
        assert!(union.bytes() <= bytes && bytes < 4 * union.bytes(), "{} of {bytes}", union.bytes());
        let watch = &mut |_: &_| None;
        let mut budget = Budget { memory: bytes - 1, depth: 0, states: 0, disk: None, watch };
        let stopped = equivalent(&lts, &lts, Relation::Strong, &mut budget);
        let Err(Failure::Stopped { limit: Limit::Memory, counters }) = stopped else { panic!("{stopped:?}") };
        assert_eq!(counters.store_bytes, bytes, "nothing was begun");
    }

    #[test]
    fn a_visible_action_may_be_called_as_the_internal_one() {
        let mut builder = Builder::new();
        builder.taus(Taus::new(["tau"]));
        builder.add(0, "i", 1);
        builder.add(1, "a", 2);
        let (visible, plain) = (builder.finish(0), lts(&[(0, "a", 1)]));
        let watch = &mut |_: &_| None;
        let mut budget = Budget { memory: 1 << 20, depth: 0, states: 0, disk: None, watch };
        assert_eq!(equivalent(&visible, &plain, Relation::Branching, &mut budget), Ok(false));
        assert_eq!(equivalent(&visible, &visible, Relation::Branching, &mut budget), Ok(true));
    }

    #[test]
    fn classes_of_the_union_decide() {
        let plain: &[_] = &[(0, "a", 1), (1, "b", 0)];
        let busy: &[_] = &[(0, "a", 1), (1, "i", 2), (2, "tau", 1), (2, "b", 0)];
        let early: &[_] = &[(0, "a", 1), (0, "a", 2), (1, "b", 0), (2, "c", 0)];
        let late: &[_] = &[(0, "a", 1), (1, "b", 0), (1, "c", 0)];
        for relation in BISIMULATIONS {
            assert!(are(plain, plain, relation) && are(busy, busy, relation), "{relation:?}");
            assert!(!are(early, late, relation), "{relation:?}");
            let tells = [Relation::Strong, Relation::DivergenceBranching].contains(&relation);
            assert_eq!(are(plain, busy, relation), !tells, "{relation:?}");
        }
        assert!(!are(&[(0, "i", 1)], &[(0, "i", 0)], Relation::DivergenceBranching));
    }
}
