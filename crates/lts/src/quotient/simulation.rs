//! Simulation, and the smallest graph that simulates a given one and is simulated by it.
//!
//! The states that simulate a state are a row of bits. A row starts with the states that offer at least the same labels,
//! and loses those that cannot follow: when the row of a state loses some, then for each label the states are found
//! that can no longer step into it, and whoever steps to that state by that label loses these (Henzinger, Henzinger and
//! Kopke 1995, with rows of bits in place of their lists; whether a state has another successor in a row is looked up, not
//! counted). The graph comes reduced by strong bisimulation. A pair costs a bit, which is 1.25 GB
//! at 100,000 states: Ranzato and Tapparo's partitions would need less, and more care.
//!
//! States that simulate each other become one, and a transition is left out if another one with the same label leads to
//! a state that can do strictly more, its "big brother". That is the smallest graph, in states and in transitions
//! (Bustan and Grumberg 2003).

use elnath_kernel::Limit;

use super::classes::Reduced;
use super::graph::{Graph, NONE};
use super::meter::Meter;
use crate::lts::Edge;

/// The quotient by simulation equivalence, without little brothers. Internal steps count like others.
pub(super) fn reduce(graph: &Graph<'_>, meter: &mut Meter<'_, '_>) -> Result<Reduced, Limit> {
    let above = preorder(graph, meter)?;
    // The class of a state is the first state that is equivalent to it.
    let first = |state: u32| {
        let mut equivalent = above.row(state).filter(|&other| above.has(other, state));
        equivalent.next().expect("a state simulates itself")
    };
    let class: Vec<u32> = (0..graph.len() as u32).map(first).collect();
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
        for edge in &mine {
            let little = mine.iter().any(|big| {
                big.label == edge.label && big.target != edge.target && above.has(edge.target, big.target)
            });
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
        meter.work(mine.len() * mine.len() + 1)?;
        edges[start..].sort_unstable();
        offsets.push(edges.len() as u32);
        next += 1;
    }
    meter.give_back(above.bytes());
    let class = class.into_iter().map(|first| number[first as usize]).collect();
    let graph = Graph { initial: 0, offsets: offsets.into(), edges: edges.into(), tau: graph.tau };
    Ok(Reduced { graph, class })
}

/// A square of bits: by state, a row of those that simulate it.
struct Above {
    words: usize,
    bits: Vec<u64>,
}

impl Above {
    fn has(&self, state: u32, by: u32) -> bool {
        self.bits[state as usize * self.words + by as usize / 64] >> (by % 64) & 1 != 0
    }

    fn row(&self, state: u32) -> impl Iterator<Item = u32> {
        ones(&self.bits[state as usize * self.words..][..self.words])
    }

    fn bytes(&self) -> usize {
        size_of_val(&*self.bits)
    }
}

/// The numbers of the bits that are set.
fn ones(words: &[u64]) -> impl Iterator<Item = u32> {
    words.iter().enumerate().flat_map(|(index, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| rest.trailing_zeros())?;
            rest &= rest - 1;
            Some(index as u32 * 64 + bit)
        })
    })
}

fn preorder(graph: &Graph<'_>, meter: &mut Meter<'_, '_>) -> Result<Above, Limit> {
    let states = graph.len();
    let words = states.div_ceil(64);
    // The rows, and what each has lost since its predecessors were told.
    meter.take(2 * states * words * size_of::<u64>())?;
    let mut above = Above { words, bits: vec![0; states * words] };
    let mut lost = vec![0u64; states * words];
    let back = Backwards::new(graph, meter)?;

    offers(graph, &mut above, meter)?;
    let mut pending: Vec<u32> = Vec::new();
    let mut waits = vec![false; states];
    for state in 0..states as u32 {
        // At the beginning every state has lost all that are not in its row.
        let row = state as usize * words..(state as usize + 1) * words;
        for (word, (lost, row)) in lost[row.clone()].iter_mut().zip(&above.bits[row]).enumerate() {
            let valid = if (word + 1) * 64 <= states { u64::MAX } else { (1 << (states % 64)) - 1 };
            *lost = !row & valid;
        }
        pending.push(state);
        waits[state as usize] = true;
    }
    // Which states could step into the row of the target with a label, and no longer can.
    let mut step_out: Vec<u64> = vec![0; words];
    let mut touched: Vec<u32> = Vec::new();
    while let Some(target) = pending.pop() {
        waits[target as usize] = false;
        let gone: Vec<u32> = ones(&lost[target as usize * words..][..words]).collect();
        lost[target as usize * words..][..words].fill(0);
        if gone.is_empty() {
            continue;
        }
        // By label that leads to the target: its sources lose the states that stepped to the lost ones only.
        for (label, sources) in back.by_label(target) {
            touched.clear();
            step_out.fill(0);
            for &state in &gone {
                let into = back.with_label(state, label);
                for &from in into {
                    let word = &mut step_out[from as usize / 64];
                    if *word >> (from % 64) & 1 == 0 {
                        *word |= 1 << (from % 64);
                        touched.push(from);
                    }
                }
                meter.work(into.len() + 1)?;
            }
            for &from in &touched {
                let mut still = graph.edges(from).iter().filter(|edge| edge.label == label);
                if still.any(|edge| above.has(target, edge.target)) {
                    step_out[from as usize / 64] &= !(1 << (from % 64));
                }
                meter.work(graph.edges(from).len())?;
            }
            for &source in sources {
                let start = source as usize * words;
                let mut lost_some = false;
                for (word, &out) in step_out.iter().enumerate() {
                    let now = above.bits[start + word] & out;
                    if now != 0 {
                        above.bits[start + word] &= !now;
                        lost[start + word] |= now;
                        lost_some = true;
                    }
                }
                meter.work(words)?;
                if lost_some && !waits[source as usize] {
                    waits[source as usize] = true;
                    pending.push(source);
                }
            }
        }
    }
    meter.give_back(size_of_val(&*lost));
    Ok(above)
}

/// Fills each row with the states that offer at least the labels of its state.
fn offers(graph: &Graph<'_>, above: &mut Above, meter: &mut Meter<'_, '_>) -> Result<(), Limit> {
    let states = graph.len();
    for state in 0..states as u32 {
        let mut wanted: Vec<u32> = graph.edges(state).iter().map(|edge| edge.label).collect();
        wanted.sort_unstable();
        wanted.dedup();
        for other in 0..states as u32 {
            let offered = |label: &u32| graph.edges(other).iter().any(|edge| edge.label == *label);
            if wanted.iter().all(offered) {
                above.bits[state as usize * above.words + other as usize / 64] |= 1 << (other % 64);
            }
        }
        meter.work(states)?;
    }
    Ok(())
}

/// The sources of transitions by target, and of each target by label.
struct Backwards {
    offsets: Vec<u32>,
    /// Label and source, sorted within a target.
    labels: Vec<u32>,
    sources: Vec<u32>,
}

impl Backwards {
    fn new(graph: &Graph<'_>, meter: &mut Meter<'_, '_>) -> Result<Self, Limit> {
        meter.take(graph.edges.len() * 20)?;
        let mut all: Vec<(u32, u32, u32)> = Vec::with_capacity(graph.edges.len());
        for from in 0..graph.len() as u32 {
            all.extend(graph.edges(from).iter().map(|edge| (edge.target, edge.label, from)));
        }
        all.sort_unstable();
        all.dedup();
        let mut offsets = vec![0u32; graph.len() + 1];
        for &(target, ..) in &all {
            offsets[target as usize + 1] += 1;
        }
        for target in 0..graph.len() {
            offsets[target + 1] += offsets[target];
        }
        let labels = all.iter().map(|step| step.1).collect();
        let sources = all.iter().map(|step| step.2).collect();
        Ok(Self { offsets, labels, sources })
    }

    fn range(&self, target: u32) -> std::ops::Range<usize> {
        self.offsets[target as usize] as usize..self.offsets[target as usize + 1] as usize
    }

    /// The labels that lead to a state, each with the sources.
    fn by_label(&self, target: u32) -> impl Iterator<Item = (u32, &[u32])> {
        let range = self.range(target);
        let mut rest = (&self.labels[range.clone()], &self.sources[range]);
        std::iter::from_fn(move || {
            let label = *rest.0.first()?;
            let end = rest.0.partition_point(|&other| other == label);
            let sources = &rest.1[..end];
            rest = (&rest.0[end..], &rest.1[end..]);
            Some((label, sources))
        })
    }

    /// The sources from which this label leads to a state.
    fn with_label(&self, target: u32, label: u32) -> &[u32] {
        let range = self.range(target);
        let labels = &self.labels[range.clone()];
        let start = labels.partition_point(|&other| other < label);
        let end = labels.partition_point(|&other| other <= label);
        &self.sources[range.start + start..range.start + end]
    }
}
