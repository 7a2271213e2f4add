//! Whether two explicit systems are equivalent: they are, if their initial states are in one class of both together.
//!
//! Where there is much to choose, this is the fastest way to be sure, since partitions are refined in nearly linear time;
//! but it says nothing about why two systems differ, and it looks at all of both even if they differ at once. So it is
//! for those who have looked at many pairs already and have not found a difference. The two are [not copied](super::beside)
//! into one, but for the relations that take several reductions, of which the first makes a copy anyway.

use elnath_kernel::Limit;
use elnath_kernel::budget::Budget;
use elnath_kernel::relation::Relation;

use super::beside::{Beside, Names};
use super::branching::{self, Inside};
use super::graph::{Graph, NONE};
use super::meter::Meter;
use super::{
    Failure, Quotient, classes, collapsed, inertly_collapsed, left_of, quotient_of, reduce, strong, tau_star,
    then, weak,
};
use crate::lts::Lts;

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
pub fn equivalent(
    left: &Lts,
    right: &Lts,
    relation: Relation,
    budget: &mut Budget<'_>,
) -> Result<bool, Failure> {
    if !BISIMULATIONS.contains(&relation) {
        return Err(Failure::NotOffered(relation));
    }
    let mut meter = Meter::new(budget);
    let same = are_equivalent(left, right, relation, &mut meter);
    same.map_err(|limit| Failure::Stopped { limit, counters: meter.counters() })
}

fn are_equivalent(
    left: &Lts,
    right: &Lts,
    relation: Relation,
    meter: &mut Meter<'_, '_>,
) -> Result<bool, Limit> {
    match relation {
        Relation::Strong => strongly(left, right, meter).map(|both| both.same()),
        Relation::Weak => then_same(left, right, weak::reduce, meter),
        Relation::TauStarA => then_same(left, right, tau_star::reduce, meter),
        _ => inertly_same(left, right, relation == Relation::DivergenceBranching, meter),
    }
}

/// The quotients of two systems that are not equivalent, nothing if they are; and the most bytes that this took.
///
/// # Errors
/// If something ran out, or if the relation is not one of [`BISIMULATIONS`].
pub fn told_apart(
    left: &Lts,
    right: &Lts,
    relation: Relation,
    budget: &mut Budget<'_>,
) -> Result<(Option<[Quotient; 2]>, usize), Failure> {
    if !BISIMULATIONS.contains(&relation) {
        return Err(Failure::NotOffered(relation));
    }
    // Most graphs are not much smaller afterwards, and it is quicker to refine both at once than each by itself and then both. By the
    // other relations they are, and to have one after the other in memory takes half of it.
    if relation == Relation::Strong {
        let mut meter = Meter::new(budget);
        let quotients = strongly(left, right, &mut meter).and_then(|both| match both.same() {
            true => Ok(None),
            false => both.quotients(left, right, &mut meter).map(Some),
        });
        match quotients {
            Ok(quotients) => return Ok((quotients, meter.peak())),
            Err(Limit::Memory) => {}
            Err(limit) => return Err(Failure::Stopped { limit, counters: meter.counters() }),
        }
    }
    let left = reduce(left, relation, budget)?;
    let mut taken = left.occupied();
    let right = reduce(right, relation, &mut left_of(budget, taken))?;
    let mut peak = left.bytes.max(taken + right.bytes);
    taken += right.occupied();
    let mut rest = left_of(budget, taken);
    let mut meter = Meter::new(&mut rest);
    let same = are_equivalent(&left.lts, &right.lts, relation, &mut meter);
    peak = peak.max(taken + meter.peak());
    match same {
        Ok(same) => Ok(((!same).then_some([left, right]), peak)),
        Err(limit) => Err(Failure::Stopped { limit, counters: meter.counters() }),
    }
}

/// Strong classes of two systems.
struct Strongly {
    /// By state of the one and then of the other.
    block: Vec<u32>,
    initial: [u32; 2],
    first_right: u32,
}

fn strongly(left: &Lts, right: &Lts, meter: &mut Meter<'_, '_>) -> Result<Strongly, Limit> {
    let names = Names::new(left, right, meter)?;
    let both = Beside::new([left, right].map(Graph::part_of), &names);
    let initial = [left.initial(), both.second(right.initial())];
    let first_right = both.second(0);
    Ok(Strongly { block: strong::classes(&both, meter)?, initial, first_right })
}

impl Strongly {
    fn same(&self) -> bool {
        let [left, right] = self.initial.map(|state| self.block[state as usize]);
        left == right
    }

    fn quotients(
        mut self,
        left: &Lts,
        right: &Lts,
        meter: &mut Meter<'_, '_>,
    ) -> Result<[Quotient; 2], Limit> {
        let right_block = self.block.split_off(self.first_right as usize);
        self.block.shrink_to_fit();
        let mut quotient = |lts: &Lts, block: Vec<u32>| {
            let graph = Graph::new(lts, meter)?;
            let reduced = classes::quotient(&graph, block, meter)?;
            Ok(quotient_of(lts, Relation::Strong, (reduced.graph, Some(reduced.class)), meter.peak()))
        };
        Ok([quotient(left, self.block)?, quotient(right, right_block)?])
    }
}

fn inertly_same(left: &Lts, right: &Lts, divergence: bool, meter: &mut Meter<'_, '_>) -> Result<bool, Limit> {
    let names = Names::new(left, right, meter)?;
    let [one, other] = [collapsed(left, divergence, meter)?, collapsed(right, divergence, meter)?];
    let both = Beside::new([one.graph.table(), other.graph.table()], &names);
    let busy = one.busy.zip(other.busy).map(|(one, other)| [one, other].concat());
    let inside = Inside { graph: &both, tau: names.tau, busy: busy.as_deref() };
    let block = branching::classes(&inside, meter)?;
    Ok(block[one.graph.initial as usize] == block[both.second(other.graph.initial) as usize])
}

/// Whether the branching quotient of both, reduced once more, has one state for the initial states.
fn then_same(
    left: &Lts,
    right: &Lts,
    reduce: impl Fn(Graph<'static>, &mut Meter<'_, '_>) -> Result<classes::Reduced, Limit>,
    meter: &mut Meter<'_, '_>,
) -> Result<bool, Limit> {
    let names = Names::new(left, right, meter)?;
    let [one, other] = [collapsed(left, false, meter)?.graph, collapsed(right, false, meter)?.graph];
    let both = Beside::new([one.table(), other.table()], &names);
    let joined = both.joined([one.initial, other.initial], &names, meter)?;
    let initial = [one.initial, both.second(other.initial)];
    meter.give_back(one.bytes() + other.bytes());
    drop((one, other));
    let reduced = then(inertly_collapsed(&joined, None, meter)?, reduce, meter)?;
    let [left, right] = initial.map(|state| reduced.class[state as usize]);
    debug_assert!(left != NONE && right != NONE, "a visible step leads to each");
    Ok(left == right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::Builder;
    use crate::labels::Taus;

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
    fn without_room_nothing_is_decided() {
        let mut builder = Builder::new();
        for state in 0..10_000 {
            builder.add(state, &format!("a{state}"), state + 1);
        }
        let lts = builder.finish(0);
        for relation in BISIMULATIONS {
            let watch = &mut |_: &_| None;
            let mut budget = Budget { memory: 100_000, depth: 0, states: 0, disk: None, watch };
            let stopped = equivalent(&lts, &lts, relation, &mut budget);
            let Err(Failure::Stopped { limit: Limit::Memory, .. }) = stopped else { panic!("{stopped:?}") };
            let watch = &mut |_: &_| None;
            let mut budget = Budget { memory: 10 << 20, depth: 0, states: 0, disk: None, watch };
            assert_eq!(equivalent(&lts, &lts, relation, &mut budget), Ok(true));
        }
    }

    #[test]
    fn quotients_of_what_differs_are_those_of_each() {
        let left = lts(&[(0, "a", 1), (1, "i", 2), (2, "b", 0), (0, "a", 3), (3, "i", 2)]);
        let right = lts(&[(0, "c", 0), (0, "a", 1), (1, "tau", 2), (2, "b", 0)]);
        for relation in BISIMULATIONS {
            let watch = &mut |_: &_| None;
            let mut budget = Budget { memory: 1 << 20, depth: 0, states: 0, disk: None, watch };
            assert!(told_apart(&left, &left, relation, &mut budget).unwrap().0.is_none(), "{relation:?}");
            let apart = told_apart(&left, &right, relation, &mut budget).unwrap().0.expect("they differ");
            for (graph, quotient) in [&left, &right].into_iter().zip(apart) {
                let alone = reduce(graph, relation, &mut budget).unwrap();
                assert_eq!((quotient.lts, quotient.classes), (alone.lts, alone.classes), "{relation:?}");
            }
        }
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
