//! Branching classes, by what a node can do after *inert* steps, those within its block.
//!
//! The signature of Blom and van de Pol 2009, written out as a set. It finds the classes with little work, but its rounds are
//! not those of formulas: the modality may lead through other blocks. So the classes come first, and then the rounds on these.
//! Where no step is internal, the rounds *are* those of formulas, and these are the classes of strong bisimulation.
//!
//! A set has a number among those of its block only: the table stays small, and is forgotten with the block.

use super::super::lists::Lists;
use super::super::meter::{Meter, Spender};
use super::super::side::DIVERGES;
use super::graph::Graph;
use super::history::History;
use super::pair;
use elnath_kernel::Limit;

pub(super) struct Inert {
    sets: Lists<u64>,
    /// By node, its set in this round, where it was computed.
    set: Vec<u32>,
}

impl Inert {
    pub(super) fn new(nodes: usize) -> Self {
        Self { sets: Lists::new(), set: vec![0; nodes] }
    }

    /// One round; false if nothing was split.
    pub(super) fn round(
        &mut self,
        graph: &Graph,
        history: &mut History,
        meter: &mut Meter<'_, '_>,
    ) -> Result<bool, Limit> {
        let blocks = history.pending().to_vec();
        for &block in &blocks {
            close_backwards(graph, history, block, meter)?;
            history.sort_dirty(block);
        }
        let (mut list, mut below) = (Vec::new(), Vec::new());
        for &block in &blocks {
            self.sets.clear(history.dirty(block).len() + 1);
            // Clean nodes lead inertly to clean ones, and one of them without inert steps has the set of all.
            let rest = match history.clean(block).first() {
                None => u32::MAX,
                Some(&node) => {
                    self.own(graph, history, bottom(graph, history, node), &mut list);
                    let set = self.insert(&mut list)?;
                    self.set[node as usize] = set;
                    set
                }
            };
            for &node in history.dirty(block) {
                self.own(graph, history, node, &mut list);
                below.clear();
                for step in graph.internal(node).iter().filter(|step| history.of(step.target) == block) {
                    let dirty = history.is_dirty(step.target);
                    below.push(if dirty { self.set[step.target as usize] } else { rest });
                }
                below.sort_unstable();
                below.dedup();
                below.iter().for_each(|&set| list.extend_from_slice(self.sets.get(set)));
                meter.work(list.len() + graph.internal(node).len() + 1)?;
                self.set[node as usize] = self.insert(&mut list)?;
                if node % 256 == 0 {
                    meter.tick(Spender::Partition, graph.bytes() + history.bytes() + self.bytes(), 0)?;
                }
            }
        }
        history.split(|node| self.set[node as usize].into());
        let moved = history.moved().to_vec();
        for &node in &moved {
            for &source in graph.visible_sources(node).iter().chain(graph.inside_sources(node)) {
                history.mark(source);
            }
            // Steps that were inert may no longer be.
            if !graph.internal(node).is_empty() {
                history.mark(node);
            }
            meter.work(1 + graph.visible_sources(node).len() + graph.inside_sources(node).len())?;
        }
        Ok(!moved.is_empty())
    }

    /// What a node can do itself that is not inert.
    fn own(&self, graph: &Graph, history: &History, node: u32, list: &mut Vec<u64>) {
        let here = history.of(node);
        list.clear();
        list.extend(graph.visible(node).iter().map(|step| pair(step.label, history.of(step.target))));
        let leaving = graph.internal(node).iter().map(|step| (step.label, history.of(step.target)));
        list.extend(leaving.filter(|&(_, block)| block != here).map(|(label, block)| pair(label, block)));
        if graph.is_busy(node) {
            list.push(pair(DIVERGES, 0));
        }
    }

    fn insert(&mut self, list: &mut Vec<u64>) -> Result<u32, Limit> {
        list.sort_unstable();
        list.dedup();
        Ok(self.sets.insert(list)?.0)
    }

    pub(super) fn bytes(&self) -> usize {
        self.sets.bytes() + 4 * self.set.capacity()
    }
}

/// A node without inert steps that this one leads to inertly.
fn bottom(graph: &Graph, history: &History, mut node: u32) -> u32 {
    let here = history.of(node);
    while let Some(next) = graph.internal(node).iter().find(|step| history.of(step.target) == here) {
        node = next.target;
    }
    node
}

/// Makes all nodes dirty that lead inertly to dirty ones.
fn close_backwards(
    graph: &Graph,
    history: &mut History,
    block: u32,
    meter: &mut Meter<'_, '_>,
) -> Result<(), Limit> {
    let mut index = 0;
    while let Some(&node) = history.dirty(block).get(index) {
        if history.clean(block).is_empty() {
            break;
        }
        for &source in graph.inside_sources(node) {
            if history.of(source) == block {
                history.mark(source);
            }
        }
        meter.work(1 + graph.inside_sources(node).len())?;
        index += 1;
    }
    Ok(())
}
