//! The rounds in which nodes part: by what they can do with any number of internal steps before it.
//!
//! A node has two sets: the blocks that it reaches inside, and the labels and blocks that it reaches by one visible step, with
//! internal steps before it and, for weak bisimulation, after it. For the branching relations the second set has the block just before the
//! step as well, and internal steps count, of which one may be to stay. For strong bisimulation no step is internal. Both sets are inductive along internal steps: a node has what it has
//! itself and what those have to which an internal step leads, so no saturated transitions are stored. Equal sets are stored
//! once. After a round only those nodes are looked at that reach, in such a way, a node whose block has another number now.
//! The graph comes reduced by branching bisimulation, which keeps all of these relations and does most of the work.

use super::super::lists::Lists;
use super::super::meter::{Meter, Spender};
use super::super::side::{DIVERGES, Move, Style, TAU};
use super::graph::Graph;
use super::history::History;
use super::pair;
use elnath_kernel::Limit;
use std::collections::HashMap;

pub(super) struct Saturated {
    style: Style,
    inside: Lists<u32>,
    acts: Lists<u64>,
    /// By node, its two sets.
    reached: Vec<u32>,
    acted: Vec<u32>,
    /// By node, whether it is in the list that is being made.
    listed: Vec<bool>,
    /// Labels and blocks under numbers, for the branching relations.
    steps: HashMap<u64, u32>,
}

impl Saturated {
    pub(super) fn new(style: Style, nodes: usize) -> Self {
        Self {
            style,
            inside: Lists::new(),
            acts: Lists::new(),
            reached: vec![0; nodes],
            acted: vec![0; nodes],
            listed: vec![false; nodes],
            steps: HashMap::new(),
        }
    }

    /// One round; false if nothing was split.
    pub(super) fn round(
        &mut self,
        graph: &Graph,
        history: &mut History,
        meter: &mut Meter<'_, '_>,
    ) -> Result<bool, Limit> {
        let all = || (0..graph.len() as u32).collect::<Vec<_>>();
        let moved = history.moved().to_vec();
        let first = history.round() == 0;
        let (reached, acted) = if first {
            (if self.reaches() { all() } else { Vec::new() }, all())
        } else {
            let reached = if self.reaches() {
                self.backwards(graph, moved.iter().copied(), meter)?
            } else {
                Vec::new()
            };
            let others = if self.style == Style::Weak { &reached } else { &moved };
            let sources = others.iter().flat_map(|&node| graph.visible_sources(node)).copied();
            let own = if self.is_branching() { &moved[..] } else { &[] };
            let acted = self.backwards(graph, sources.chain(own.iter().copied()), meter)?;
            (reached, acted)
        };
        // These lists, and the same once more.
        let lists = 8 * (reached.len() + acted.len());
        meter.tick(Spender::Partition, graph.bytes() + history.bytes() + self.bytes() + lists, 0)?;
        if self.inside.len().max(self.acts.len()) > 4 * graph.len() + 64 {
            // Most sets are nobody's any more.
            self.inside.clear(graph.len());
            self.acts.clear(graph.len());
            self.update(graph, history, if self.reaches() { all() } else { Vec::new() }, all(), meter)?;
        } else {
            self.update(graph, history, reached.clone(), acted.clone(), meter)?;
        }
        reached.iter().chain(&acted).for_each(|&node| history.mark(node));
        history.split(|node| pair(self.reached[node as usize], self.acted[node as usize]));
        Ok(!history.moved().is_empty())
    }

    /// Whether being able to reach a block inside is something that counts.
    fn reaches(&self) -> bool {
        matches!(self.style, Style::Weak | Style::Delay)
    }

    fn is_branching(&self) -> bool {
        matches!(self.style, Style::Branching { .. })
    }

    /// What a node can do itself, with its own block as the one before.
    fn own_triples(&mut self, graph: &Graph, history: &History, node: u32, acts: &mut Vec<u64>) {
        let here = history.of(node);
        let mut act = |label: u32, block: u32| {
            let next = self.steps.len() as u32;
            acts.push(pair(here, *self.steps.entry(pair(label, block)).or_insert(next)));
        };
        act(TAU, here);
        if graph.is_busy(node) {
            act(DIVERGES, here);
        }
        for step in graph.internal(node).iter().chain(graph.visible(node)) {
            act(step.label, history.of(step.target));
        }
    }

    /// Some nodes and all that lead to them inside, in ascending order.
    fn backwards(
        &mut self,
        graph: &Graph,
        from: impl Iterator<Item = u32>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Vec<u32>, Limit> {
        let listed = &mut self.listed;
        let mut list = Vec::new();
        let mut add = |list: &mut Vec<u32>, node: u32| {
            if !std::mem::replace(&mut listed[node as usize], true) {
                list.push(node);
            }
        };
        from.for_each(|node| add(&mut list, node));
        let mut next = 0;
        while let Some(&node) = list.get(next) {
            next += 1;
            graph.inside_sources(node).iter().for_each(|&source| add(&mut list, source));
            meter.work(1 + graph.inside_sources(node).len())?;
        }
        list.iter().for_each(|&node| self.listed[node as usize] = false);
        list.sort_unstable();
        Ok(list)
    }

    /// Computes sets anew; the lists are ascending, so that internal steps lead to what is up to date.
    fn update(
        &mut self,
        graph: &Graph,
        history: &History,
        reached: Vec<u32>,
        acted: Vec<u32>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<(), Limit> {
        let (mut blocks, mut acts, mut below) = (Vec::new(), Vec::new(), Vec::new());
        for node in reached {
            blocks.clear();
            blocks.push(history.of(node));
            unite(&self.inside, &self.reached, graph.internal(node), &mut below, &mut blocks);
            self.reached[node as usize] = self.inside.insert(&blocks)?.0;
            self.spend(graph, history, node, blocks.len(), meter)?;
        }
        for node in acted {
            acts.clear();
            if self.is_branching() {
                self.own_triples(graph, history, node, &mut acts);
            }
            for step in graph.visible(node).iter().filter(|_| !self.is_branching()) {
                if self.style == Style::Weak {
                    let reached = self.inside.get(self.reached[step.target as usize]);
                    acts.extend(reached.iter().map(|&block| pair(step.label, block)));
                } else {
                    acts.push(pair(step.label, history.of(step.target)));
                }
            }
            unite(&self.acts, &self.acted, graph.internal(node), &mut below, &mut acts);
            self.acted[node as usize] = self.acts.insert(&acts)?.0;
            self.spend(graph, history, node, acts.len(), meter)?;
        }
        Ok(())
    }

    fn spend(
        &self,
        graph: &Graph,
        history: &History,
        node: u32,
        work: usize,
        meter: &mut Meter<'_, '_>,
    ) -> Result<(), Limit> {
        meter.work(work + 1 + graph.internal(node).len())?;
        if node.is_multiple_of(64) {
            meter.tick(Spender::Partition, graph.bytes() + history.bytes() + self.bytes(), 0)?;
        }
        Ok(())
    }

    pub(super) fn bytes(&self) -> usize {
        self.inside.bytes()
            + self.acts.bytes()
            + 4 * (self.reached.capacity() + self.acted.capacity())
            + self.listed.capacity()
            + 16 * self.steps.capacity()
    }
}

/// Adds the sets of those to whom internal steps lead, and sorts.
fn unite<T: Copy + Ord + Into<u64>>(
    sets: &Lists<T>,
    set: &[u32],
    steps: &[Move],
    below: &mut Vec<u32>,
    list: &mut Vec<T>,
) {
    below.clear();
    below.extend(steps.iter().map(|step| set[step.target as usize]));
    below.sort_unstable();
    below.dedup();
    below.iter().for_each(|&set| list.extend_from_slice(sets.get(set)));
    list.sort_unstable();
    list.dedup();
}
