//! The smallest equivalent of a model, whatever its language.

use crate::frontend::Loaded;
use crate::generate::{Generated, graph_of};
use elnath_kernel::Limit;
use elnath_kernel::budget::{Budget, Counters};
use elnath_kernel::relation::Relation;
use elnath_lts::Lts;
use elnath_lts::quotient::{self, Failure, Quotient};
use elnath_net::Rules;

/// What to reduce by, and within which limits.
pub struct Reduce<'a> {
    /// The equivalence.
    pub relation: Relation,
    /// The labels that count as the internal action, where the graph has still to be generated; the default is `i` and
    /// `tau`. A graph that was read knows its own.
    pub taus: Option<Vec<String>>,
    /// Bytes for the graph and the reduction together.
    pub memory: usize,
    /// Called now and then; a returned limit stops the reduction.
    pub watch: &'a mut dyn FnMut(&Counters) -> Option<Limit>,
}

/// A model that was reduced.
pub struct ReducedGraph {
    /// The quotient and the classes.
    pub quotient: Quotient,
    /// States and transitions of the graph that was reduced.
    pub before: (usize, usize),
    /// The labels of that graph that were taken as the internal action, and those of the model that were hidden.
    pub tau_labels: Vec<String>,
    /// How many of its transitions ran into a fault of the model.
    pub faults: u64,
}

/// Why there is no quotient.
#[derive(Clone, Copy, Debug)]
pub enum NotReduced {
    /// Something ran out while the graph was generated.
    Generating(Limit, Counters),
    /// Something ran out while it was reduced.
    Reducing(Limit, Counters),
    /// There are no quotients by this relation: see [`quotient::RELATIONS`].
    NotOffered(Relation),
}

/// Reduces a model; its graph is generated first if it is not one.
///
/// # Errors
/// See [`NotReduced`].
///
/// ```
/// use elnath::{LoadOptions, Reduce, Relation, load, reduce};
///
/// let file = std::env::temp_dir().join("elnath-doc-reduce.aut");
/// std::fs::write(&file, "des (0, 3, 3)\n(0, coin, 1)\n(1, i, 2)\n(2, coffee, 0)\n").unwrap();
/// let loaded = load(&file, &LoadOptions::default()).unwrap();
/// let watch = &mut |_: &_| None;
/// let relation = Relation::Branching;
/// let question = Reduce { relation, taus: None, memory: 1 << 30, watch };
/// let reduction = reduce(loaded, question).ok().unwrap();
/// assert_eq!((reduction.before, reduction.quotient.lts.num_states()), ((3, 3), 2));
/// ```
pub fn reduce(loaded: Loaded, question: Reduce<'_>) -> Result<ReducedGraph, NotReduced> {
    let Reduce { relation, taus, memory, watch } = question;
    if !quotient::RELATIONS.contains(&relation) {
        return Err(NotReduced::NotOffered(relation));
    }
    let rules = loaded.rules.clone();
    let graph = graph_of(loaded, taus, memory, &mut *watch);
    let Generated { lts, faults } =
        graph.map_err(|(limit, counters)| NotReduced::Generating(limit, counters))?;
    let memory = memory.saturating_sub(lts.bytes());
    let mut budget = Budget { memory, depth: usize::MAX, states: u64::MAX, disk: None, watch };
    match quotient::reduce(&lts, relation, &mut budget) {
        Ok(quotient) => Ok(ReducedGraph {
            quotient,
            before: (lts.num_states(), lts.num_transitions()),
            tau_labels: used_taus(&lts, rules.as_deref()),
            faults,
        }),
        Err(Failure::Stopped { limit, counters }) => Err(NotReduced::Reducing(limit, counters)),
        Err(Failure::NotOffered(relation)) => Err(NotReduced::NotOffered(relation)),
    }
}

fn used_taus(lts: &Lts, rules: Option<&Rules>) -> Vec<String> {
    let hidden = rules.map(Rules::hidden).unwrap_or_default();
    lts.tau_labels().map(str::to_owned).chain(hidden).collect()
}
