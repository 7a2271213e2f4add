//! Traces: the deterministic graph with the same finite traces, and the smallest of these.
//!
//! A state of the deterministic graph is the set of states that a trace may have led to. There may be exponentially many,
//! which no algorithm avoids; running out of memory is then the answer, with how many there were. The graph comes
//! reduced, by strong bisimulation or, if internal steps do not count, by tau*.a bisimulation, after which there are
//! none. On deterministic graphs strong bisimulation is equality of traces, so it finishes the work.

use elnath_kernel::Limit;

use super::classes::{Reduced, quotient};
use super::graph::Graph;
use super::meter::Meter;
use super::signatures::Signatures;
use super::strong;
use crate::lts::Edge;

/// The smallest deterministic graph with the same traces; all labels count.
pub(super) fn reduce(graph: &Graph<'_>, meter: &mut Meter<'_, '_>) -> Result<Graph<'static>, Limit> {
    let deterministic = determinised(graph, &mut Nothing, meter)?;
    let classes = strong::classes(&deterministic.table(), meter)?;
    let Reduced { graph, .. } = quotient(&deterministic, classes, meter)?;
    Ok(graph)
}

/// What is observed besides the labels of a trace.
pub(super) trait Behind {
    /// Adds the states that are reached without being observed, and sorts.
    fn close(&mut self, states: &mut Vec<u64>);

    fn is_observed(&self, edge: &Edge) -> bool;

    /// Adds to the transitions of a set of states.
    fn more(&mut self, node: u32, states: &[u64], edges: &mut Vec<Edge>);

    fn bytes(&self) -> usize;
}

/// Every step is observed, and nothing else.
struct Nothing;

impl Behind for Nothing {
    fn close(&mut self, _: &mut Vec<u64>) {}

    fn is_observed(&self, _: &Edge) -> bool {
        true
    }

    fn more(&mut self, _: u32, _: &[u64], _: &mut Vec<Edge>) {}

    fn bytes(&self) -> usize {
        0
    }
}

/// The deterministic graph of sets of states.
pub(super) fn determinised(
    graph: &Graph<'_>,
    behind: &mut impl Behind,
    meter: &mut Meter<'_, '_>,
) -> Result<Graph<'static>, Limit> {
    let mut sets = Signatures::default();
    sets.clear(64);
    let mut charged = sets.bytes();
    meter.take(charged)?;
    let mut initial = vec![graph.initial.into()];
    behind.close(&mut initial);
    sets.key(&initial);
    let (mut offsets, mut edges) = (vec![0], Vec::<Edge>::new());
    let (mut steps, mut targets) = (Vec::<Edge>::new(), Vec::new());
    let mut next = 0;
    while next < sets.len() {
        steps.clear();
        for &state in sets.get(next as u32) {
            steps.extend(graph.edges(state as u32).iter().filter(|edge| behind.is_observed(edge)));
        }
        steps.sort_unstable();
        steps.dedup();
        for group in steps.chunk_by(|a, b| a.label == b.label) {
            targets.clear();
            targets.extend(group.iter().map(|edge| u64::from(edge.target)));
            behind.close(&mut targets);
            let target = sets.key(&targets);
            edges.push(Edge { label: group[0].label, target });
        }
        behind.more(next as u32, sets.get(next as u32), &mut edges);
        offsets.push(edges.len() as u32);
        meter.work(steps.len() + sets.get(next as u32).len() + 1)?;
        next += 1;
        meter.found(sets.len());
        let bytes = sets.bytes()
            + behind.bytes()
            + edges.capacity() * size_of::<Edge>()
            + offsets.capacity() * size_of::<u32>();
        if bytes > charged {
            meter.take(bytes - charged)?;
            charged = bytes;
        }
    }
    Ok(Graph { initial: 0, offsets: offsets.into(), edges: edges.into(), tau: graph.tau })
}
