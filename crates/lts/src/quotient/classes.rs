//! From classes to a quotient: one state per class that can be reached, numbered breadth first.
//!
//! The numbers depend on the graph only, not on how the classes were found: a class is named when the first of its
//! states is reached, and the transitions of a state are followed by label and otherwise in the order in which they are
//! written. So the quotient of a quotient is itself, to the last number.

use elnath_kernel::Limit;

use super::branching::bottom;
use super::graph::{Graph, NONE};
use super::meter::Meter;
use crate::lts::Edge;

/// A quotient and where the states went.
pub(super) struct Reduced {
    pub(super) graph: Graph<'static>,
    /// By state of the graph that was reduced: its state in the quotient, or [`NONE`].
    pub(super) class: Vec<u32>,
}

impl Reduced {
    /// Notes that this quotient was made after another one, whose states it consists of.
    pub(super) fn after(mut self, mut first: Vec<u32>) -> Self {
        for class in &mut first {
            if *class != NONE {
                *class = self.class[*class as usize];
            }
        }
        self.class = first;
        self
    }
}

/// The quotient in which internal steps count like others: all states of a class have the same transitions.
pub(super) fn quotient(
    graph: &Graph<'_>,
    block: Vec<u32>,
    meter: &mut Meter<'_, '_>,
) -> Result<Reduced, Limit> {
    build(graph, block, meter, |_, state| state, |_, _, _| {})
}

/// The quotient without inert steps: a state without inert steps has all the transitions of its class. Busy classes get
/// an internal loop.
pub(super) fn quotient_without_inert_steps(
    graph: &Graph<'_>,
    block: Vec<u32>,
    busy: Option<&[bool]>,
    meter: &mut Meter<'_, '_>,
) -> Result<Reduced, Limit> {
    build(
        graph,
        block,
        meter,
        |block, state| bottom(&graph.table(), graph.tau, state, |state| block[state as usize]),
        |state, class, edges| {
            if busy.is_some_and(|busy| busy[state as usize]) {
                edges.push(Edge { label: graph.tau, target: class });
            }
        },
    )
}

/// `speaker` is the state that speaks for the class of a state; `more` may add transitions to a class.
fn build(
    graph: &Graph<'_>,
    mut block: Vec<u32>,
    meter: &mut Meter<'_, '_>,
    speaker: impl Fn(&[u32], u32) -> u32,
    more: impl Fn(u32, u32, &mut Vec<Edge>),
) -> Result<Reduced, Limit> {
    // By block: its number in the quotient. Some blocks may have states of another graph only.
    let blocks = block.iter().max().map_or(0, |&last| last as usize + 1);
    meter.take((graph.len() + blocks) * size_of::<u32>())?;
    let mut number = vec![NONE; blocks];
    let mut speakers = Vec::new();
    let mut name = |block: &[u32], state: u32, speakers: &mut Vec<u32>| {
        let number = &mut number[block[state as usize] as usize];
        if *number == NONE {
            *number = speakers.len() as u32;
            speakers.push(speaker(block, state));
        }
        *number
    };
    name(&block, graph.initial, &mut speakers);
    let (mut offsets, mut edges, mut mine) = (vec![0], Vec::new(), Vec::new());
    let mut class = 0;
    while let Some(&state) = speakers.get(class) {
        mine.clear();
        mine.extend_from_slice(graph.edges(state));
        mine.sort_by_key(|edge| edge.label);
        for edge in &mut mine {
            edge.target = name(&block, edge.target, &mut speakers);
        }
        more(state, class as u32, &mut mine);
        mine.sort_unstable();
        mine.dedup();
        edges.extend_from_slice(&mine);
        offsets.push(edges.len() as u32);
        meter.work(mine.len() + 1)?;
        class += 1;
    }
    edges.shrink_to_fit();
    for block in &mut block {
        *block = number[*block as usize];
    }
    let graph = Graph { initial: 0, offsets: offsets.into(), edges: edges.into(), tau: graph.tau };
    meter.take(graph.bytes())?;
    Ok(Reduced { graph, class: block })
}
