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
    let deterministic = determinised(graph, meter)?;
    let classes = strong::classes(&deterministic, meter)?;
    let Reduced { graph, .. } = quotient(&deterministic, classes, meter)?;
    Ok(graph)
}

fn determinised(graph: &Graph<'_>, meter: &mut Meter<'_, '_>) -> Result<Graph<'static>, Limit> {
    let mut sets = Signatures::default();
    sets.clear(64);
    let mut charged = sets.bytes();
    meter.take(charged)?;
    sets.key(&[graph.initial.into()]);
    let (mut offsets, mut edges) = (vec![0], Vec::<Edge>::new());
    let (mut steps, mut targets) = (Vec::<Edge>::new(), Vec::new());
    let mut next = 0;
    while next < sets.len() {
        steps.clear();
        for &state in sets.get(next as u32) {
            steps.extend_from_slice(graph.edges(state as u32));
        }
        steps.sort_unstable();
        steps.dedup();
        for group in steps.chunk_by(|a, b| a.label == b.label) {
            targets.clear();
            targets.extend(group.iter().map(|edge| u64::from(edge.target)));
            let target = sets.key(&targets);
            edges.push(Edge { label: group[0].label, target });
        }
        offsets.push(edges.len() as u32);
        next += 1;
        meter.work(steps.len() + 1)?;
        meter.found(sets.len());
        let bytes =
            sets.bytes() + edges.capacity() * size_of::<Edge>() + offsets.capacity() * size_of::<u32>();
        if bytes > charged {
            meter.take(bytes - charged)?;
            charged = bytes;
        }
    }
    Ok(Graph { initial: 0, offsets: offsets.into(), edges: edges.into(), tau: graph.tau })
}
