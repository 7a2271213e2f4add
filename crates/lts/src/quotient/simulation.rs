//! Simulation equivalence: the smallest graph that simulates a given one and is simulated by it.
//!
//! The graph comes reduced by strong bisimulation, and who simulates whom is the business of [`siblings`] or, where these have too many
//! pairs, of [`Preorder`].
//!
//! States that simulate each other become one, and a transition is left out if another one with the same label leads to
//! a state that can do strictly more, its "big brother". That is the smallest graph, in states and in transitions
//! (Bustan and Grumberg 2003).
//!
//! *Ready* simulation also asks for the same labels, which count like a label of the state: a transition to a little brother leaves
//! its label behind when it is left out, so that all of this is true of it as well.
//!
//! In a deterministic graph nothing is to be chosen, so that states which simulate each other are bisimilar, and no
//! transition has a brother: the graph is what it was. That is worth asking, since such graphs can be the worst for a
//! preorder: in vasy_40_60, a counter of twenty thousand that goes up and down, no state simulates another, and each pair
//! is refuted by itself, after one of its neighbours.

use elnath_kernel::Limit;

use super::classes::{Reduced, quotient};
use super::graph::{Graph, NONE};
use super::meter::Meter;
use super::preorder::Preorder;
use super::{siblings, strong};
use crate::lts::Edge;

/// The quotient by simulation equivalence, without little brothers. Internal steps count like others.
pub(super) fn reduce(graph: Graph<'static>, meter: &mut Meter<'_, '_>) -> Result<Reduced, Limit> {
    without_little_brothers(graph, false, meter)
}

/// The quotient by ready simulation equivalence.
pub(super) fn reduce_by_ready(graph: Graph<'static>, meter: &mut Meter<'_, '_>) -> Result<Reduced, Limit> {
    without_little_brothers(graph, true, meter)
}

fn without_little_brothers(
    graph: Graph<'static>,
    ready: bool,
    meter: &mut Meter<'_, '_>,
) -> Result<Reduced, Limit> {
    if is_deterministic(&graph) {
        meter.take(graph.len() * size_of::<u32>())?;
        return Ok(Reduced { class: (0..graph.len() as u32).collect(), graph });
    }
    if let Some(less) = siblings::without_little_brothers(&graph, ready, meter)? {
        let classes = strong::classes(&less.table(), meter)?;
        return quotient(&less, classes, meter);
    }
    let graph = &graph;
    let above = Preorder::new(graph, ready, meter)?;
    let class = above.classes();
    let mut number = vec![NONE; graph.len()];
    let mut named = vec![class[graph.initial as usize]];
    number[named[0] as usize] = 0;
    let (mut offsets, mut edges) = (vec![0], Vec::new());
    let mut next = 0;
    let mut mine: Vec<Edge> = Vec::new();
    while let Some(&from) = named.get(next) {
        mine.clear();
        mine.extend(
            graph.edges(from).iter().map(|e| Edge { label: e.label, target: class[e.target as usize] }),
        );
        mine.sort_unstable();
        mine.dedup();
        let start = edges.len();
        for siblings in mine.chunk_by(|a, b| a.label == b.label) {
            meter.work(siblings.len() * siblings.len())?;
            for edge in siblings {
                let little = siblings
                    .iter()
                    .any(|big| big.target != edge.target && above.has(edge.target, big.target));
                if little {
                    continue;
                }
                let number = &mut number[edge.target as usize];
                if *number == NONE {
                    *number = named.len() as u32;
                    named.push(edge.target);
                }
                edges.push(Edge { label: edge.label, target: *number });
            }
        }
        meter.work(1)?;
        edges[start..].sort_unstable();
        offsets.push(edges.len() as u32);
        next += 1;
    }
    meter.give_back(above.bytes());
    let class = class.into_iter().map(|first| number[first as usize]).collect();
    let graph = Graph { initial: 0, offsets: offsets.into(), edges: edges.into(), tau: graph.tau };
    Ok(Reduced { graph, class })
}

/// Whether no state has two transitions with one label. They are sorted, and none is there twice.
fn is_deterministic(graph: &Graph<'_>) -> bool {
    let states = 0..graph.len() as u32;
    states.into_iter().all(|state| graph.edges(state).windows(2).all(|two| two[0].label != two[1].label))
}
