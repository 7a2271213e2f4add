//! Both sides beside each other, as one graph of nodes: what rounds refine.

use super::super::meter::{Meter, Spender};
use super::super::side::{Move, Side, Style, TAU};
use elnath_kernel::Limit;

/// Nodes and their transitions, both ways. Internal steps lead to smaller numbers.
pub(super) struct Graph {
    offsets: Vec<u32>,
    edges: Vec<Move>,
    /// How many of the first transitions of a node are internal steps that are looked through.
    internal: Vec<u32>,
    /// Which nodes can be busy inside for ever, and whether that counts.
    cyclic: Vec<bool>,
    divergence: bool,
    /// The sources of internal steps and of the others.
    into: [Incoming; 2],
}

impl Graph {
    /// The graph of two explored sides, the nodes of the left one first.
    pub(super) fn of(sides: &[Side<'_>; 2], style: Style, meter: &mut Meter<'_, '_>) -> Result<Self, Limit> {
        let mut graph = Self::empty(style == (Style::Branching { divergence: true }));
        let mut first = 0;
        for side in sides {
            for node in 0..side.nodes() as u32 {
                let moved = |step: Move| Move { target: first + step.target, ..step };
                graph.push(
                    side.edges(node).map(moved),
                    style != Style::Strong,
                    side.is_cyclic(node),
                    meter,
                )?;
            }
            first += side.nodes() as u32;
        }
        graph.linked(meter)
    }

    /// The graph of classes: the first node of each has all the transitions of its class that are not inert, and they
    /// are numbered in that order. Returns the class of each node as well.
    pub(super) fn of_classes(
        &self,
        block: impl Fn(u32) -> u32,
        meter: &mut Meter<'_, '_>,
    ) -> Result<(Self, Vec<u32>), Limit> {
        const NONE: u32 = u32::MAX;
        let beside = 8 * self.len();
        meter.tick(Spender::Partition, self.bytes() + beside, 0)?;
        let mut number = vec![NONE; self.len()];
        let mut class = Vec::with_capacity(self.len());
        let mut graph = Self::empty(self.divergence);
        let mut mine = Vec::new();
        for node in 0..self.len() as u32 {
            let number = &mut number[block(node) as usize];
            let first = *number == NONE;
            if first {
                *number = graph.len() as u32;
            }
            class.push(*number);
            if first {
                // Internal steps lead to nodes whose class is known; visible ones need not, and are renamed below.
                mine.clear();
                mine.extend(
                    self.internal(node)
                        .iter()
                        .map(|step| Move { target: class[step.target as usize], ..*step }),
                );
                mine.extend_from_slice(self.visible(node));
                graph.push(mine.iter().copied(), true, self.cyclic[node as usize], meter)?;
            }
        }
        for (node, &internal) in graph.internal.iter().enumerate() {
            let edges = graph.offsets[node] + internal..graph.offsets[node + 1];
            for edge in &mut graph.edges[edges.start as usize..edges.end as usize] {
                edge.target = class[edge.target as usize];
            }
        }
        Ok((graph.linked(meter)?, class))
    }

    fn empty(divergence: bool) -> Self {
        let into = [Incoming::default(), Incoming::default()];
        let (edges, internal, cyclic) = (Vec::new(), Vec::new(), Vec::new());
        Self { offsets: vec![0], edges, internal, cyclic, divergence, into }
    }

    fn push(
        &mut self,
        edges: impl Iterator<Item = Move>,
        looks_through: bool,
        cyclic: bool,
        meter: &mut Meter<'_, '_>,
    ) -> Result<(), Limit> {
        let start = self.edges.len();
        self.edges.extend(edges);
        let internal = self.edges[start..].partition_point(|step| step.label == TAU);
        self.internal.push(if looks_through { internal as u32 } else { 0 });
        self.cyclic.push(cyclic);
        self.offsets.push(u32::try_from(self.edges.len()).map_err(|_| Limit::Memory)?);
        meter.work(self.edges.len() - start + 1)?;
        if self.internal.len().is_multiple_of(1024) {
            meter.tick(Spender::Partition, self.bytes(), 0)?;
        }
        Ok(())
    }

    fn linked(mut self, meter: &mut Meter<'_, '_>) -> Result<Self, Limit> {
        meter.tick(Spender::Partition, self.bytes() + 4 * (self.edges.len() + 2 * self.len()), 0)?;
        let into = [Incoming::new(&self, Self::internal), Incoming::new(&self, Self::visible)];
        self.into = into;
        meter.work(self.edges.len())?;
        Ok(self)
    }

    pub(super) fn len(&self) -> usize {
        self.internal.len()
    }

    /// How many transitions and nodes there are: what a walk over all costs.
    pub(super) fn size(&self) -> usize {
        self.edges.len() + self.len()
    }

    #[inline]
    pub(super) fn internal(&self, node: u32) -> &[Move] {
        let start = self.offsets[node as usize];
        &self.edges[start as usize..(start + self.internal[node as usize]) as usize]
    }

    #[inline]
    pub(super) fn visible(&self, node: u32) -> &[Move] {
        let start = self.offsets[node as usize] + self.internal[node as usize];
        &self.edges[start as usize..self.offsets[node as usize + 1] as usize]
    }

    /// Whether a node can be busy inside for ever, where that counts.
    pub(super) fn is_busy(&self, node: u32) -> bool {
        self.divergence && self.is_cyclic(node)
    }

    /// Whether a node has internal steps to itself, which are not among its transitions.
    pub(super) fn is_cyclic(&self, node: u32) -> bool {
        self.cyclic[node as usize]
    }

    /// Who leads to a node by an internal step.
    pub(super) fn inside_sources(&self, node: u32) -> &[u32] {
        self.into[0].of(node)
    }

    /// Who leads to a node by another one.
    pub(super) fn visible_sources(&self, node: u32) -> &[u32] {
        self.into[1].of(node)
    }

    pub(super) fn bytes(&self) -> usize {
        8 * self.edges.capacity()
            + 4 * (self.offsets.capacity() + self.internal.capacity())
            + self.cyclic.capacity()
            + self.into.iter().map(Incoming::bytes).sum::<usize>()
    }
}

/// The sources of transitions, by target.
#[derive(Default)]
struct Incoming {
    offsets: Vec<u32>,
    sources: Vec<u32>,
}

impl Incoming {
    fn new(graph: &Graph, wanted: fn(&Graph, u32) -> &[Move]) -> Self {
        // First how many there are, two places further on; then where they begin, one place further on; and when the
        // sources are distributed, each place advances to its end, which is where the next one begins.
        let nodes = graph.len();
        let mut offsets = vec![0u32; nodes + 2];
        for node in 0..nodes as u32 {
            wanted(graph, node).iter().for_each(|step| offsets[step.target as usize + 2] += 1);
        }
        for node in 1..=nodes {
            offsets[node + 1] += offsets[node];
        }
        let mut sources = vec![0u32; offsets[nodes + 1] as usize];
        for node in 0..nodes as u32 {
            for step in wanted(graph, node) {
                let place = &mut offsets[step.target as usize + 1];
                sources[*place as usize] = node;
                *place += 1;
            }
        }
        Self { offsets, sources }
    }

    fn of(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.sources[self.offsets[node] as usize..self.offsets[node + 1] as usize]
    }

    fn bytes(&self) -> usize {
        4 * (self.offsets.capacity() + self.sources.capacity())
    }
}
