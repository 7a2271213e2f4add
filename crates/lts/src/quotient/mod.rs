//! Quotients: the smallest system that is equivalent to a given one.
//!
//! One file per relation, all on a [`Graph`] of numbers:
//!
//! | relation | how |
//! |---|---|
//! | strong | signatures of dirty states ([`strong`]) |
//! | branching, with or without divergence | internal components collapsed, then inductive signatures ([`branching`]) |
//! | weak | after branching: weak signatures, then essential transitions only ([`weak`]) |
//! | tau-star-a | after branching: saturated, then strong ([`tau_star`]) |
//! | simulation | after strong: the preorder of blocks, then without little brothers ([`preorder`], [`simulation`]) |
//! | safety | after tau-star-a: as simulation |
//! | trace | after strong: determinised, then strong ([`trace`]) |
//! | weak-trace | after tau-star-a: as trace |
//!
//! Each has as few states as a system that is equivalent can have, and for each but tau-star-a, whose transitions are
//! all steps tau*.a of its states (as CADP writes it), as few transitions. States that cannot be reached are not in the
//! quotient, its initial state is 0, and its states are numbered breadth first.
//!
//! A reduction runs within a [`Budget`]: memory is counted before it is allocated, and the caller is asked now and then
//! whether to go on.

mod branching;
mod classes;
mod equivalent;
mod graph;
mod meter;
mod partition;
mod preorder;
mod signatures;
mod simulation;
mod strong;
mod tau_star;
mod trace;
mod weak;

pub use equivalent::{BISIMULATIONS, equivalent};

use elnath_kernel::Limit;
use elnath_kernel::budget::{Budget, Counters};
use elnath_kernel::relation::Relation;

use crate::lts::Lts;
use crate::scc::{self, Components};
use classes::Reduced;
use graph::Graph;
use meter::Meter;

/// The relations for which there are quotients.
pub const RELATIONS: [Relation; 9] = [
    Relation::Strong,
    Relation::DivergenceBranching,
    Relation::Branching,
    Relation::Weak,
    Relation::TauStarA,
    Relation::Safety,
    Relation::Simulation,
    Relation::Trace,
    Relation::WeakTrace,
];

/// The smallest system that is equivalent to another one.
#[derive(Clone, Debug)]
pub struct Quotient {
    /// The system, with the labels of the original.
    pub lts: Lts,
    /// By state of the original: the state of the quotient that stands for it, or [`Quotient::NONE`] if none does.
    /// There is no such table for traces, where a state of the quotient stands for a set of states.
    pub classes: Option<Vec<u32>>,
    /// How it was made, in a few words.
    pub algorithm: &'static str,
    /// The most bytes that the reduction occupied, besides the original.
    pub bytes: usize,
}

impl Quotient {
    /// The class of states that are not in the quotient: those that cannot be reached, or only by internal steps in a
    /// quotient without these.
    pub const NONE: u32 = graph::NONE;
}

/// Why there is no quotient.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Failure {
    /// Something ran out.
    Stopped {
        /// What.
        limit: Limit,
        /// How far it came: `states` are the classes found so far, `store_bytes` what it occupied.
        counters: Counters,
    },
    /// There is no quotient for this relation, see [`RELATIONS`].
    NotOffered(Relation),
}

/// The quotient of a system by an equivalence.
///
/// # Errors
/// If something ran out, or if there are no quotients by this relation.
///
/// ```
/// use elnath_kernel::budget::Budget;
/// use elnath_kernel::relation::Relation;
/// use elnath_lts::{Builder, quotient};
///
/// let mut builder = Builder::new();
/// for (from, label, to) in [(0, "coin", 1), (1, "i", 2), (2, "coffee", 0)] {
///     builder.add(from, label, to);
/// }
/// let watch = &mut |_: &_| None;
/// let mut budget = Budget { memory: 1 << 20, depth: 0, states: 0, disk: None, watch };
/// let quotient = quotient::reduce(&builder.finish(0), Relation::Branching, &mut budget).unwrap();
/// assert_eq!(quotient.lts.num_states(), 2);
/// assert_eq!(quotient.classes, Some(vec![0, 1, 1]));
/// ```
pub fn reduce(lts: &Lts, relation: Relation, budget: &mut Budget<'_>) -> Result<Quotient, Failure> {
    if !RELATIONS.contains(&relation) {
        return Err(Failure::NotOffered(relation));
    }
    let mut meter = Meter::new(budget);
    match by_relation(lts, relation, &mut meter) {
        Ok((graph, classes)) => Ok(Quotient {
            lts: lts.with_table(graph.initial, graph.offsets.into_owned(), graph.edges.into_owned()),
            classes,
            algorithm: algorithm(relation),
            bytes: meter.peak(),
        }),
        Err(limit) => Err(Failure::Stopped { limit, counters: meter.counters() }),
    }
}

type Result2 = Result<(Graph<'static>, Option<Vec<u32>>), Limit>;

fn by_relation(lts: &Lts, relation: Relation, meter: &mut Meter<'_, '_>) -> Result2 {
    let with_classes = |reduced: Reduced| (reduced.graph, Some(reduced.class));
    match relation {
        Relation::Strong => strongly(lts, meter).map(with_classes),
        Relation::Branching => inertly(lts, false, meter).map(with_classes),
        Relation::DivergenceBranching => inertly(lts, true, meter).map(with_classes),
        Relation::Weak => then(inertly(lts, false, meter)?, weak::reduce, meter).map(with_classes),
        Relation::TauStarA => looking_through(lts, meter).map(with_classes),
        Relation::Simulation => then(strongly(lts, meter)?, simulation::reduce, meter).map(with_classes),
        Relation::Safety => then(looking_through(lts, meter)?, simulation::reduce, meter).map(with_classes),
        Relation::Trace => Ok((trace::reduce(&strongly(lts, meter)?.graph, meter)?, None)),
        Relation::WeakTrace => Ok((trace::reduce(&looking_through(lts, meter)?.graph, meter)?, None)),
        _ => unreachable!("asked for by nobody but `reduce`, which knows what is offered"),
    }
}

fn algorithm(relation: Relation) -> &'static str {
    match relation {
        Relation::Strong => "signatures of dirty states",
        Relation::Branching | Relation::DivergenceBranching => "inductive signatures of dirty states",
        Relation::Weak => "inductive signatures, then weak signatures",
        Relation::TauStarA => "inductive signatures, then signatures of tau*.a steps",
        Relation::Simulation => "signatures, then simulation without little brothers",
        Relation::Safety => "signatures of tau*.a steps, then simulation without little brothers",
        Relation::Trace => "signatures, determinisation, signatures",
        _ => "signatures of tau*.a steps, determinisation, signatures",
    }
}

/// One reduction after another.
fn then(
    first: Reduced,
    second: impl Fn(Graph<'static>, &mut Meter<'_, '_>) -> Result<Reduced, Limit>,
    meter: &mut Meter<'_, '_>,
) -> Result<Reduced, Limit> {
    Ok(second(first.graph, meter)?.after(first.class))
}

fn strongly(lts: &Lts, meter: &mut Meter<'_, '_>) -> Result<Reduced, Limit> {
    let graph = Graph::new(lts, meter)?;
    let block = strong::classes(&graph, meter)?;
    classes::quotient(&graph, block, meter)
}

fn inertly(lts: &Lts, divergence: bool, meter: &mut Meter<'_, '_>) -> Result<Reduced, Limit> {
    let graph = Graph::new(lts, meter)?;
    let components = internal_components(lts, meter)?;
    let busy = divergence.then(|| components.cyclic(lts, |edge| lts.is_tau(edge.label)));
    let collapsed = graph.collapsed(&components, meter)?;
    drop(graph);
    let block = branching::classes(&collapsed, busy.as_deref(), meter)?;
    let reduced = classes::quotient_without_inert_steps(&collapsed, block, busy.as_deref(), meter)?;
    meter.give_back(collapsed.bytes());
    Ok(reduced.after(lts.states().map(|state| components.of(state)).collect()))
}

fn looking_through(lts: &Lts, meter: &mut Meter<'_, '_>) -> Result<Reduced, Limit> {
    then(inertly(lts, false, meter)?, tau_star::reduce, meter)
}

fn internal_components(lts: &Lts, meter: &mut Meter<'_, '_>) -> Result<Components, Limit> {
    // Numbers, stack and path, see there.
    meter.take(lts.num_states() * 24)?;
    let components = scc::components(lts, lts.states(), |edge| lts.is_tau(edge.label));
    meter.give_back(lts.num_states() * 16);
    Ok(components)
}
