//! tau*.a bisimulation: the papers' w-bisimulation, which looks through internal steps and never answers them.
//!
//! A step of the saturated graph is any number of internal steps and then a visible one. On it, this is strong
//! bisimulation; and whatever only internal steps lead to is no longer reached. Branching bisimulation is finer, so the
//! graph comes reduced by it, which leaves less to saturate.

use elnath_kernel::Limit;

use super::classes::{Reduced, quotient};
use super::graph::{Graph, NONE};
use super::meter::Meter;
use super::strong;
use crate::lts::Edge;

/// The quotient by tau*.a bisimulation, which has no internal steps.
pub(super) fn reduce(graph: Graph<'static>, meter: &mut Meter<'_, '_>) -> Result<Reduced, Limit> {
    let Reduced { graph: saturated, class: first } = saturated(&graph, meter)?;
    meter.give_back(graph.bytes());
    drop(graph);
    let classes = strong::classes(&saturated.table(), meter)?;
    let reduced = quotient(&saturated, classes, meter)?;
    meter.give_back(saturated.bytes());
    Ok(reduced.after(first))
}

/// The graph of tau*.a steps between the states that they reach from the initial one.
fn saturated(graph: &Graph<'_>, meter: &mut Meter<'_, '_>) -> Result<Reduced, Limit> {
    meter.take(3 * graph.len() * size_of::<u32>())?;
    let mut number = vec![NONE; graph.len()];
    number[graph.initial as usize] = 0;
    let mut named = vec![graph.initial];
    let (mut offsets, mut edges) = (vec![0], Vec::<Edge>::new());
    // By state: the last state from whose closure it was seen.
    let mut seen_from = vec![NONE; graph.len()];
    let (mut pending, mut mine) = (Vec::new(), Vec::new());
    let mut class = 0;
    while let Some(&from) = named.get(class) {
        mine.clear();
        pending.push(from);
        seen_from[from as usize] = from;
        while let Some(state) = pending.pop() {
            for edge in graph.edges(state) {
                if edge.label != graph.tau {
                    mine.push(*edge);
                } else if seen_from[edge.target as usize] != from {
                    seen_from[edge.target as usize] = from;
                    pending.push(edge.target);
                }
            }
            meter.work(graph.edges(state).len() + 1)?;
        }
        mine.sort_unstable();
        mine.dedup();
        for edge in &mut mine {
            let number = &mut number[edge.target as usize];
            if *number == NONE {
                *number = named.len() as u32;
                named.push(edge.target);
            }
            edge.target = *number;
        }
        meter.take(mine.len() * size_of::<Edge>())?;
        if edges.len() + mine.len() >= NONE as usize {
            return Err(Limit::Memory);
        }
        edges.extend_from_slice(&mine);
        offsets.push(edges.len() as u32);
        class += 1;
    }
    let graph = Graph { initial: 0, offsets: offsets.into(), edges: edges.into(), tau: graph.tau };
    Ok(Reduced { graph, class: number })
}
