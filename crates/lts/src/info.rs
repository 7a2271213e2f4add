//! Everything about a system that can be said without a question: what `elnath info` prints.
//!
//! Two figures are those of the file, all others are about the part of the system that the initial state can reach,
//! since that is all that any search will ever see.

use crate::deadlock::deadlocks;
use crate::determinism::{is_deterministic, sort_into};
use crate::duplicates::distinct;
use crate::livelock::livelocked;
use crate::lts::Lts;
use crate::reach::{StateSet, reachable};
use crate::scc;

/// The figures of a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    /// States in the file, reachable or not.
    pub states: usize,
    /// Transitions in the file, with duplicates.
    pub transitions: usize,
    /// States that can be reached.
    pub reachable_states: usize,
    /// Different transitions between them.
    pub distinct_reachable_transitions: usize,
    /// How many of the transitions that can be reached carry tau, with duplicates.
    pub tau_transitions: usize,
    /// Which labels were taken as tau, of those that occur.
    pub tau_labels: Vec<String>,
    /// Different labels on transitions that can be reached, tau among them.
    pub labels: usize,
    /// States that can be reached and have no transition.
    pub deadlock_states: usize,
    /// Strongly connected components.
    pub components: usize,
    /// Those that contain a cycle: more than one state, or one state with a loop.
    pub nontrivial_components: usize,
    /// States in the largest component.
    pub largest_component: usize,
    /// States on cycles of tau; there is a livelock if there are any.
    pub livelocked_states: usize,
    /// Whether no state that can be reached has two transitions with the same label and different targets.
    pub deterministic: bool,
}

impl Info {
    /// Examines a system. Besides the system this takes up to 28 bytes per state.
    pub fn new(lts: &Lts) -> Self {
        let reached = reachable(lts);
        let edges = count_edges(lts, &reached);
        let components = scc::components(lts, [lts.initial()], |_| true);
        let cyclic = components.cyclic(lts, |_| true);
        Self {
            states: lts.num_states(),
            transitions: lts.num_transitions(),
            reachable_states: reached.len(),
            distinct_reachable_transitions: edges.distinct,
            tau_transitions: edges.taus,
            tau_labels: edges.tau_labels,
            labels: edges.labels,
            deadlock_states: deadlocks(lts, &reached).count(),
            components: components.len(),
            nontrivial_components: cyclic.iter().filter(|&&cyclic| cyclic).count(),
            largest_component: components.largest() as usize,
            livelocked_states: livelocked(lts, &reached),
            deterministic: edges.deterministic,
        }
    }

    /// Whether the system can do internal steps for ever.
    pub fn livelock(&self) -> bool {
        self.livelocked_states > 0
    }
}

struct EdgeCounts {
    distinct: usize,
    taus: usize,
    tau_labels: Vec<String>,
    labels: usize,
    deterministic: bool,
}

/// One pass over the transitions of these states, for all figures that need each state's transitions sorted.
fn count_edges(lts: &Lts, states: &StateSet) -> EdgeCounts {
    let (mut distinct_edges, mut taus, mut deterministic) = (0, 0, true);
    let mut used = vec![false; lts.labels().len()];
    let mut sorted = Vec::new();
    for state in states.iter() {
        sort_into(lts.edges(state), &mut sorted);
        distinct_edges += distinct(&sorted);
        deterministic = deterministic && is_deterministic(&sorted);
        for edge in &sorted {
            taus += usize::from(lts.is_tau(edge.label));
            used[edge.label as usize] = true;
        }
    }
    let used_labels = (0..).zip(&used).filter(|&(_, &used)| used).map(|(label, _)| label);
    EdgeCounts {
        distinct: distinct_edges,
        taus,
        tau_labels: used_labels
            .clone()
            .filter(|&label| lts.is_tau(label))
            .map(|label| lts.label(label).to_owned())
            .collect(),
        labels: used_labels.count(),
        deterministic,
    }
}
