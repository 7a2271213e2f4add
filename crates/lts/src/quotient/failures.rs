//! Stable failures, or failures and divergences: a graph with the same of them, made of the normal form.
//!
//! The normal form (Roscoe, *The Theory and Practice of Concurrency*, section 11.1.1) is deterministic: one node for what a trace may have led
//! to, with its *acceptances*, the smallest sets of labels that a stable state offers there. Nodes with the same behaviour are
//! found by strong bisimulation, with an acceptance as a step that no label has.
//!
//! A graph has no acceptances, so each becomes a state. A node whose only acceptance is all its labels is one stable state.
//! Another one has an internal step to a stable state for each acceptance, and the labels in none of these; and if it has no
//! acceptance at all, an internal loop, since it is never stable. States that are strongly bisimilar are one in the end. There may be
//! smaller graphs: what is smallest depends on which acceptances share states.
//!
//! With divergences, as CSP has them, a trace after which the graph may be busy for ever leads to *chaos*, where anything may be done and refused
//! (Roscoe, chapter 8): such a node has no steps and no acceptances, and becomes a state with an internal loop, whatever else the graph could do there.
//!
//! The graph comes reduced by branching bisimulation with divergence. Without divergence a state that is busy for ever would become
//! a stable one.

use elnath_kernel::Limit;

use super::classes::{Reduced, quotient};
use super::graph::Graph;
use super::meter::Meter;
use super::signatures::{Signatures, normalise};
use super::strong;
use super::trace::{Behind, determinised};
use crate::lts::Edge;

/// A graph with the same stable failures, or with the same failures and divergences.
pub(super) fn reduce(
    graph: &Graph<'_>,
    divergences: bool,
    tau: u32,
    meter: &mut Meter<'_, '_>,
) -> Result<Graph<'static>, Limit> {
    // All labels are below it: a graph may have no internal step, and the new ones need a number.
    let first = graph.edges.iter().map(|edge| edge.label).max().map_or(0, |last| last + 1);
    let mut acceptances = Acceptances::new(graph, divergences, first);
    let nodes = determinised(graph, &mut acceptances, meter)?;
    let classes = strong::classes(&nodes.table(), meter)?;
    let Reduced { graph: nodes, .. } = quotient(&nodes, classes, meter)?;
    let spread = spread(&nodes, &acceptances, tau, meter)?;
    let classes = strong::classes(&spread.table(), meter)?;
    Ok(quotient(&spread, classes, meter)?.graph)
}

/// What is behind a trace: states closed under internal steps, and what the stable ones of them offer.
struct Acceptances<'a> {
    graph: &'a Graph<'a>,
    /// Whether what may be busy for ever is chaos.
    divergences: bool,
    /// Sets of labels under numbers; as steps they have the labels from `first` on.
    offers: Signatures,
    first: u32,
    stack: Vec<u32>,
    /// By state, the last closure that it was in.
    met: Vec<u32>,
    closures: u32,
}

impl<'a> Acceptances<'a> {
    fn new(graph: &'a Graph<'a>, divergences: bool, first: u32) -> Self {
        let mut offers = Signatures::default();
        offers.clear(64);
        Self { graph, divergences, offers, first, stack: Vec::new(), met: vec![0; graph.len()], closures: 0 }
    }

    fn is_stable(&self, state: u32) -> bool {
        self.graph.internal(state).next().is_none()
    }

    fn is_busy(&self, state: u32) -> bool {
        self.graph.internal(state).any(|next| next == state)
    }
}

impl Behind for Acceptances<'_> {
    fn close(&mut self, states: &mut Vec<u64>) {
        self.closures += 1;
        self.stack.clear();
        for &state in &*states {
            self.met[state as usize] = self.closures;
            self.stack.push(state as u32);
        }
        while let Some(state) = self.stack.pop() {
            for next in self.graph.internal(state) {
                if std::mem::replace(&mut self.met[next as usize], self.closures) != self.closures {
                    states.push(next.into());
                    self.stack.push(next);
                }
            }
        }
        normalise(states);
        // The graph has no other internal cycles than loops. No trace leads to the empty set, which stands for chaos.
        if self.divergences && states.iter().any(|&state| self.is_busy(state as u32)) {
            states.clear();
        }
    }

    fn is_observed(&self, edge: &Edge) -> bool {
        edge.label != self.graph.tau
    }

    /// The smallest offers, each as a loop with a label of its own.
    fn more(&mut self, node: u32, states: &[u64], edges: &mut Vec<Edge>) {
        let mut offers: Vec<Vec<u64>> = Vec::new();
        for &state in states.iter().filter(|&&state| self.is_stable(state as u32)) {
            let mut labels = self.graph.edges(state as u32).iter().map(|edge| edge.label.into()).collect();
            normalise(&mut labels);
            offers.push(labels);
        }
        offers.sort_unstable_by_key(Vec::len);
        let mut least: Vec<Vec<u64>> = Vec::new();
        for offer in offers {
            let includes = |other: &Vec<u64>| other.iter().all(|label| offer.binary_search(label).is_ok());
            if !least.iter().any(includes) {
                least.push(offer);
            }
        }
        for offer in least {
            edges.push(Edge { label: self.first + self.offers.key(&offer), target: node });
        }
    }

    fn bytes(&self) -> usize {
        self.offers.bytes() + (self.met.len() + self.stack.capacity()) * size_of::<u32>()
    }
}

/// A state for each node and for each acceptance that needs one.
fn spread(
    nodes: &Graph<'_>,
    acceptances: &Acceptances<'_>,
    tau: u32,
    meter: &mut Meter<'_, '_>,
) -> Result<Graph<'static>, Limit> {
    let count = nodes.len() as u32;
    // The stable states that are added: their transitions, one list behind the other.
    let mut stable: Vec<Vec<Edge>> = Vec::new();
    let (mut offsets, mut edges) = (vec![0u32], Vec::<Edge>::new());
    for node in 0..count {
        let (steps, accepted): (Vec<Edge>, Vec<Edge>) =
            nodes.edges(node).iter().copied().partition(|edge| edge.label < acceptances.first);
        let offers = |edge: &Edge| acceptances.offers.get(edge.label - acceptances.first);
        let offered = |edge: &Edge, label: u32| offers(edge).binary_search(&label.into()).is_ok();
        if let [only] = &accepted[..]
            && steps.iter().all(|step| offered(only, step.label))
        {
            edges.extend_from_slice(&steps);
        } else {
            for edge in &accepted {
                let target = count + stable.len() as u32;
                stable.push(steps.iter().copied().filter(|step| offered(edge, step.label)).collect());
                edges.push(Edge { label: tau, target });
            }
            if accepted.is_empty() {
                edges.push(Edge { label: tau, target: node });
            }
            let covered = |step: &Edge| accepted.iter().any(|edge| offered(edge, step.label));
            edges.extend(steps.iter().copied().filter(|step| !covered(step)));
        }
        offsets.push(edges.len() as u32);
        meter.work(nodes.edges(node).len() * (accepted.len() + 1))?;
    }
    for steps in stable {
        edges.extend(steps);
        offsets.push(edges.len() as u32);
    }
    for state in 0..offsets.len() - 1 {
        edges[offsets[state] as usize..offsets[state + 1] as usize].sort_unstable();
    }
    meter.take(edges.len() * size_of::<Edge>() + offsets.len() * size_of::<u32>())?;
    Ok(Graph { initial: 0, offsets: offsets.into(), edges: edges.into(), tau })
}
