//! Weak bisimulation, of a graph that is minimal for branching bisimulation already.
//!
//! The weak signature of a state is the blocks it can reach internally, and the labels and blocks it can reach by one
//! visible step with internal ones around it. Both are inductive along internal steps, which do not form cycles here:
//! a state can do what it can do itself, and what those can do to which an internal step leads. So one round goes over
//! the states in that order and unites sets, each stored once. Rounds go on until no block is split. Branching
//! bisimulation does most of the work beforehand: of the graphs of the VLTS suite that we know, one has a state left to
//! merge. Dirty states would have to be found against weak transitions, which nobody wants to store; so each round
//! looks at all states.
//!
//! The quotient has the fewest transitions there can be: those that follow from others are left out. There is one such
//! set only (Eloranta, Tienari and Valmari 1997), because classes do not reach each other internally both ways.

use elnath_kernel::Limit;

use super::classes::Reduced;
use super::graph::{Graph, NONE};
use super::meter::Meter;
use super::signatures::{Signatures, normalise, pair};
use crate::lts::Edge;

/// The quotient by weak bisimulation; the graph must have no cycle of internal steps.
pub(super) fn reduce(graph: &Graph<'_>, meter: &mut Meter<'_, '_>) -> Result<Reduced, Limit> {
    let order = internal_order(graph);
    let mut block = vec![0; graph.len()];
    let mut blocks = 1;
    loop {
        let sets = WeakSets::new(graph, &order, &block, meter)?;
        let mut next = Signatures::default();
        next.clear(graph.len());
        let mut refined = vec![0; graph.len()];
        for (state, new) in refined.iter_mut().enumerate() {
            let key = [block[state].into(), sets.reached[state].into(), sets.acted[state].into()];
            *new = next.key(&key);
        }
        meter.give_back(sets.bytes());
        if next.len() == blocks {
            return essential(graph, &order, block, meter);
        }
        block = refined;
        blocks = next.len();
        meter.found(blocks);
    }
}

/// What states can reach internally and by one visible step with internal ones around it, as seen through a partition.
struct WeakSets {
    /// Sets of blocks.
    internal: Signatures,
    /// Sets of labels and blocks.
    visible: Signatures,
    /// By state: the key of its set in `internal`.
    reached: Vec<u32>,
    /// By state: the key of its set in `visible`.
    acted: Vec<u32>,
}

impl WeakSets {
    fn new(
        graph: &Graph<'_>,
        order: &[u32],
        block: &[u32],
        meter: &mut Meter<'_, '_>,
    ) -> Result<Self, Limit> {
        let mut sets = Self {
            internal: Signatures::default(),
            visible: Signatures::default(),
            reached: vec![0; graph.len()],
            acted: vec![0; graph.len()],
        };
        sets.internal.clear(graph.len());
        sets.visible.clear(graph.len());
        let mut charged = sets.bytes();
        meter.take(charged)?;
        let (mut list, mut below) = (Vec::new(), Vec::new());
        for &state in order {
            list.clear();
            list.push(block[state as usize].into());
            unite(
                &sets.internal,
                graph.internal(state).map(|next| sets.reached[next as usize]),
                &mut below,
                &mut list,
            );
            sets.reached[state as usize] = sets.internal.key(&list);
            meter.work(list.len())?;
        }
        for &state in order {
            list.clear();
            for edge in graph.edges(state).iter().filter(|edge| edge.label != graph.tau) {
                let reached = sets.internal.get(sets.reached[edge.target as usize]);
                list.extend(reached.iter().map(|&block| pair(edge.label, block as u32)));
            }
            unite(
                &sets.visible,
                graph.internal(state).map(|next| sets.acted[next as usize]),
                &mut below,
                &mut list,
            );
            sets.acted[state as usize] = sets.visible.key(&list);
            meter.work(list.len())?;
            if sets.bytes() > charged {
                meter.take(sets.bytes() - charged)?;
                charged = sets.bytes();
            }
        }
        Ok(sets)
    }

    fn bytes(&self) -> usize {
        self.internal.bytes()
            + self.visible.bytes()
            + (self.reached.len() + self.acted.len()) * size_of::<u32>()
    }

    fn reaches(&self, state: u32, block: u32) -> bool {
        self.internal.get(self.reached[state as usize]).binary_search(&block.into()).is_ok()
    }

    fn acts(&self, state: u32, label: u32, block: u32) -> bool {
        self.visible.get(self.acted[state as usize]).binary_search(&pair(label, block)).is_ok()
    }
}

/// Adds the sets with these keys to a list, and sorts it.
fn unite(sets: &Signatures, keys: impl Iterator<Item = u32>, below: &mut Vec<u32>, list: &mut Vec<u64>) {
    below.clear();
    below.extend(keys);
    below.sort_unstable();
    below.dedup();
    for &key in &*below {
        list.extend_from_slice(sets.get(key));
    }
    normalise(list);
}

/// The states in an order in which internal steps lead backwards.
fn internal_order(graph: &Graph<'_>) -> Vec<u32> {
    let mut order = Vec::with_capacity(graph.len());
    let mut entered = vec![false; graph.len()];
    let mut path: Vec<(u32, usize)> = Vec::new();
    for root in 0..graph.len() as u32 {
        if std::mem::replace(&mut entered[root as usize], true) {
            continue;
        }
        path.push((root, 0));
        while let Some((state, next)) = path.last_mut() {
            let Some(edge) = graph.edges(*state).get(*next) else {
                order.push(*state);
                path.pop();
                continue;
            };
            *next += 1;
            if edge.label == graph.tau && !std::mem::replace(&mut entered[edge.target as usize], true) {
                path.push((edge.target, 0));
            }
        }
    }
    order
}

/// The quotient with its essential transitions only.
fn essential(
    graph: &Graph<'_>,
    order: &[u32],
    mut block: Vec<u32>,
    meter: &mut Meter<'_, '_>,
) -> Result<Reduced, Limit> {
    // All transitions of all members of a class, less the inert ones: each of them is a weak transition of the class.
    let blocks = block.iter().max().map_or(0, |&last| last as usize + 1);
    meter.take(graph.edges.len() * size_of::<(u32, Edge)>())?;
    let mut all: Vec<(u32, Edge)> = Vec::new();
    for state in 0..graph.len() as u32 {
        let from = block[state as usize];
        for edge in graph.edges(state) {
            let target = block[edge.target as usize];
            if edge.label != graph.tau || target != from {
                all.push((from, Edge { label: edge.label, target }));
            }
        }
    }
    all.sort_unstable();
    all.dedup();
    let mut offsets = vec![0u32; blocks + 1];
    for &(from, _) in &all {
        offsets[from as usize + 1] += 1;
    }
    for from in 0..blocks {
        offsets[from + 1] += offsets[from];
    }
    let full = Graph {
        initial: block[graph.initial as usize],
        offsets: offsets.into(),
        edges: all.iter().map(|&(_, edge)| edge).collect(),
        tau: graph.tau,
    };
    drop(all);
    // Weak transitions of one member are those of all, and so of the class.
    let mut speaker = vec![NONE; blocks];
    for &state in order {
        speaker[block[state as usize] as usize] = state;
    }
    let sets = WeakSets::new(graph, order, &block, meter)?;
    let follows = |from: u32, edge: &Edge| {
        let by_internal = full.internal(from).any(|next| {
            let next_state = speaker[next as usize];
            if edge.label == full.tau {
                next != edge.target && sets.reaches(next_state, edge.target)
            } else {
                sets.acts(next_state, edge.label, edge.target)
            }
        });
        let by_sibling = || {
            edge.label != full.tau
                && full.edges(from).iter().any(|other| {
                    other.label == edge.label
                        && other.target != edge.target
                        && sets.reaches(speaker[other.target as usize], edge.target)
                })
        };
        by_internal || by_sibling()
    };

    // Breadth first, as in `classes`.
    let mut number = vec![NONE; blocks];
    number[full.initial as usize] = 0;
    let mut named = vec![full.initial];
    let (mut offsets, mut edges) = (vec![0], Vec::new());
    let mut class = 0;
    while let Some(&from) = named.get(class) {
        let start = edges.len();
        for edge in full.edges(from) {
            meter.work(full.edges(from).len())?;
            if follows(from, edge) {
                continue;
            }
            let number = &mut number[edge.target as usize];
            if *number == NONE {
                *number = named.len() as u32;
                named.push(edge.target);
            }
            edges.push(Edge { label: edge.label, target: *number });
        }
        edges[start..].sort_unstable();
        offsets.push(edges.len() as u32);
        class += 1;
    }
    meter.give_back(sets.bytes());
    for block in &mut block {
        *block = number[*block as usize];
    }
    let graph = Graph { initial: 0, offsets: offsets.into(), edges: edges.into(), tau: graph.tau };
    Ok(Reduced { graph, class: block })
}
