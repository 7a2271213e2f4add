//! Quotients: a small system that is equivalent to a given one, the smallest where that is possible.
//!
//! One file per relation, all on a [`Graph`] of numbers:
//!
//! | relation | how |
//! |---|---|
//! | strong | signatures of dirty states ([`strong`]) |
//! | branching, with or without divergence | internal components collapsed, then inductive signatures ([`branching`]) |
//! | weak, delay | after branching: weak signatures, then essential transitions only ([`weak`]) |
//! | tau-star-a | after branching: saturated, then strong ([`tau_star`]) |
//! | simulation | after strong: without little brothers, then strong again ([`siblings`], [`preorder`], [`simulation`]) |
//! | ready-simulation | the same, among states that offer the same labels |
//! | safety, weak-simulation | after tau-star-a: as simulation; they are one relation |
//! | trace | after strong: determinised, then strong ([`trace`]) |
//! | weak-trace | after tau-star-a: as trace |
//! | failures | after branching with divergence: the normal form, with a state for each acceptance ([`failures`]) |
//! | failures-divergences | the same, with chaos after what diverges |
//!
//! How small each is, [`Quotient::smallness`] says. States that cannot be reached are not in the quotient, its initial state is 0, and its
//! states are numbered breadth first.
//!
//! A reduction runs within a [`Budget`]: memory is counted before it is allocated, and the caller is asked now and then
//! whether to go on.

mod beside;
mod branching;
mod classes;
mod equivalent;
mod failures;
mod graph;
mod meter;
mod nearer;
mod partition;
mod preorder;
mod siblings;
mod signatures;
mod simulation;
mod strong;
mod tau_star;
mod trace;
mod weak;

pub use equivalent::{BISIMULATIONS, equivalent, told_apart};

use elnath_kernel::Limit;
use elnath_kernel::budget::{Budget, Counters};
use elnath_kernel::relation::Relation;

use crate::lts::Lts;
use crate::scc::{self, Components};
use branching::Inside;
use classes::Reduced;
use graph::{Graph, NONE};
use meter::Meter;

/// The relations for which there are quotients.
pub const RELATIONS: [Relation; 14] = [
    Relation::Strong,
    Relation::DivergenceBranching,
    Relation::Branching,
    Relation::Delay,
    Relation::Weak,
    Relation::TauStarA,
    Relation::Safety,
    Relation::Simulation,
    Relation::ReadySimulation,
    Relation::WeakSimulation,
    Relation::Trace,
    Relation::WeakTrace,
    Relation::Failures,
    Relation::FailuresDivergences,
];

/// How small a quotient is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Smallness {
    /// No equivalent system has fewer states, or as many and fewer transitions.
    Smallest,
    /// No equivalent system has fewer states; some may have fewer transitions.
    FewestStates,
    /// No equivalent deterministic system is smaller. It may be larger than the original, which is not deterministic.
    SmallestDeterministic,
    /// It is equivalent; others may be smaller, the original among them.
    NotMinimal,
}

impl Smallness {
    /// The name used in reports for machines.
    pub fn name(self) -> &'static str {
        match self {
            Smallness::Smallest => "smallest",
            Smallness::FewestStates => "fewest-states",
            Smallness::SmallestDeterministic => "smallest-deterministic",
            Smallness::NotMinimal => "not-minimal",
        }
    }

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Smallness::Smallest => "the smallest",
            Smallness::FewestStates => "fewest states",
            Smallness::SmallestDeterministic => "the smallest deterministic one",
            Smallness::NotMinimal => "equivalent, not minimal",
        }
    }

    /// That of quotients by a relation.
    pub fn of(relation: Relation) -> Self {
        match relation {
            // Its transitions are all steps tau*.a of its states, as CADP writes it.
            Relation::TauStarA | Relation::Delay => Smallness::FewestStates,
            Relation::Trace | Relation::WeakTrace => Smallness::SmallestDeterministic,
            Relation::Failures | Relation::FailuresDivergences => Smallness::NotMinimal,
            _ => Smallness::Smallest,
        }
    }
}

/// A small system that is equivalent to another one.
#[derive(Clone, Debug)]
pub struct Quotient {
    /// The system, with the labels of the original.
    pub lts: Lts,
    /// By state of the original: the state of the quotient that stands for it, or [`Quotient::NONE`] if none does.
    /// There is no such table for traces and failures, where a state of the quotient stands for a set of states.
    pub classes: Option<Vec<u32>>,
    /// How it was made, in a few words.
    pub algorithm: &'static str,
    /// How small it is.
    pub smallness: Smallness,
    /// The most bytes that the reduction occupied, besides the original.
    pub bytes: usize,
}

impl Quotient {
    /// The class of states that are not in the quotient: those that cannot be reached, or only by internal steps in a
    /// quotient without these.
    pub const NONE: u32 = NONE;

    /// Bytes that it occupies now.
    pub fn occupied(&self) -> usize {
        self.lts.bytes() + self.classes.as_ref().map_or(0, |classes| size_of_val(&**classes))
    }
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
    // Normal forms have internal steps, even where the original has none.
    let (labels, tau) = match relation {
        Relation::Failures | Relation::FailuresDivergences => {
            lts.with_table(0, vec![0, 0], Vec::new()).with_internal()
        }
        _ => (lts.with_table(0, vec![0, 0], Vec::new()), NONE),
    };
    let near = nearer::renumbered(lts, &mut meter);
    let reduced = match &near {
        None => by_relation(lts, relation, tau, &mut meter),
        Some((near, number)) => by_relation(near, relation, tau, &mut meter)
            .map(|(graph, classes)| (graph, classes.map(|classes| nearer::back(number, &classes)))),
    };
    match reduced {
        Ok(reduced) => Ok(quotient_of(&labels, relation, reduced, meter.peak())),
        Err(limit) => Err(Failure::Stopped { limit, counters: meter.counters() }),
    }
}

/// What has been made is a system with these labels.
fn quotient_of(
    labels: &Lts,
    relation: Relation,
    (graph, classes): (Graph<'static>, Option<Vec<u32>>),
    bytes: usize,
) -> Quotient {
    Quotient {
        lts: labels.with_table(graph.initial, graph.offsets.into_owned(), graph.edges.into_owned()),
        classes,
        algorithm: algorithm(relation),
        smallness: Smallness::of(relation),
        bytes,
    }
}

/// What is left of a budget when so many bytes are taken.
fn left_of<'b>(budget: &'b mut Budget<'_>, taken: usize) -> Budget<'b> {
    Budget {
        memory: budget.memory.saturating_sub(taken),
        depth: budget.depth,
        states: budget.states,
        disk: None,
        watch: &mut *budget.watch,
    }
}

type Result2 = Result<(Graph<'static>, Option<Vec<u32>>), Limit>;

/// Internal steps of what is made get the label `tau`, where the original may have none.
fn by_relation(lts: &Lts, relation: Relation, tau: u32, meter: &mut Meter<'_, '_>) -> Result2 {
    let with_classes = |reduced: Reduced| (reduced.graph, Some(reduced.class));
    match relation {
        Relation::Strong => strongly(lts, meter).map(with_classes),
        Relation::Branching => inertly(lts, false, meter).map(with_classes),
        Relation::DivergenceBranching => inertly(lts, true, meter).map(with_classes),
        Relation::Weak => then(inertly(lts, false, meter)?, weak::reduce, meter).map(with_classes),
        Relation::Delay => then(inertly(lts, false, meter)?, weak::reduce_by_delay, meter).map(with_classes),
        Relation::TauStarA => looking_through(lts, meter).map(with_classes),
        Relation::Simulation => then(strongly(lts, meter)?, simulation::reduce, meter).map(with_classes),
        Relation::ReadySimulation => {
            then(strongly(lts, meter)?, simulation::reduce_by_ready, meter).map(with_classes)
        }
        Relation::Safety | Relation::WeakSimulation => {
            then(looking_through(lts, meter)?, simulation::reduce, meter).map(with_classes)
        }
        Relation::Trace => Ok((trace::reduce(&strongly(lts, meter)?.graph, meter)?, None)),
        Relation::WeakTrace => Ok((trace::reduce(&looking_through(lts, meter)?.graph, meter)?, None)),
        Relation::Failures | Relation::FailuresDivergences => {
            let divergences = relation == Relation::FailuresDivergences;
            Ok((failures::reduce(&inertly(lts, true, meter)?.graph, divergences, tau, meter)?, None))
        }
        _ => unreachable!("asked for by nobody but `reduce`, which knows what is offered"),
    }
}

fn algorithm(relation: Relation) -> &'static str {
    match relation {
        Relation::Strong => "signatures of dirty states",
        Relation::Branching | Relation::DivergenceBranching => "inductive signatures of dirty states",
        Relation::Weak => "inductive signatures, then weak signatures",
        Relation::TauStarA => "inductive signatures, then signatures of tau*.a steps",
        Relation::Delay => "inductive signatures, then delay signatures",
        Relation::ReadySimulation => "signatures, then ready simulation without little brothers",
        Relation::Failures | Relation::FailuresDivergences => {
            "inductive signatures, determinisation with acceptances, signatures"
        }
        Relation::Simulation => "signatures, then simulation without little brothers",
        Relation::Safety | Relation::WeakSimulation => {
            "signatures of tau*.a steps, then simulation without little brothers"
        }
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
    let block = strong::classes(&graph.table(), meter)?;
    classes::quotient(&graph, block, meter)
}

/// A graph in which each component of internal steps is one state.
struct Collapsed {
    /// By state of the original: its component.
    component: Vec<u32>,
    /// Which components can be busy inside for ever, where that counts.
    busy: Option<Vec<bool>>,
    graph: Graph<'static>,
}

fn collapsed(lts: &Lts, divergence: bool, meter: &mut Meter<'_, '_>) -> Result<Collapsed, Limit> {
    let graph = Graph::new(lts, meter)?;
    let components = internal_components(lts, meter)?;
    let busy = divergence.then(|| components.cyclic(lts, |edge| lts.is_tau(edge.label)));
    let graph = graph.collapsed(&components, meter)?;
    let sizes = components.len() * size_of::<u32>();
    let component = components.into_numbers();
    meter.give_back(sizes);
    Ok(Collapsed { component, busy, graph })
}

fn inertly(lts: &Lts, divergence: bool, meter: &mut Meter<'_, '_>) -> Result<Reduced, Limit> {
    let Collapsed { component, busy, graph } = collapsed(lts, divergence, meter)?;
    let reduced = inertly_collapsed(&graph, busy.as_deref(), meter)?;
    meter.give_back(graph.bytes());
    Ok(reduced.after(component))
}

/// Internal steps lead to smaller numbers.
fn inertly_collapsed(
    graph: &Graph<'_>,
    busy: Option<&[bool]>,
    meter: &mut Meter<'_, '_>,
) -> Result<Reduced, Limit> {
    let block = branching::classes(&Inside { graph: &graph.table(), tau: graph.tau, busy }, meter)?;
    classes::quotient_without_inert_steps(graph, block, busy, meter)
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
