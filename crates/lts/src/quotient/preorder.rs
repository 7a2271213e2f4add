//! The simulation preorder, as a partition of the states and a relation between its blocks.
//!
//! After Ranzato and Tapparo (LICS 2007), for graphs with labels. Each block has the blocks that may simulate it, a row of
//! bits; its *candidates* are the states of these. At the beginning a block is the states that offer the same labels, and
//! whoever offers at least these may simulate it. When a block B loses a candidate, some states may be left without a step
//! `a` into what remains of its candidates: these are *removed* for B and a, which says that they simulate nobody who has a
//! step a into B. So blocks are split such that the removed states are blocks of their own, and these are taken from the
//! row of every block that has such a step, which then has lost candidates itself.
//!
//! Why nothing is lost that simulates: the candidates of a block are *upward closed* at any time, that is, whoever
//! simulates one of them is one. They are so at the beginning; and what remains of the candidates of a block C is those
//! that have a step a into the candidates of B, which is upward closed if these are. (That those are all that remain is
//! the invariant: if C has a step a into B, then each candidate of C has one into a candidate of B, or is removed for B and
//! a.) A block is always among its own candidates, hence so is whatever simulates one of its states. When nobody is removed
//! any more, the invariant says that the relation is a simulation. It does not matter whether a block is split too often:
//! what simulates each other is put together in the end.
//!
//! Time is O(transitions x blocks), where the paper counts, for each state and block, the steps that remain; here they are
//! looked for when one is lost, which costs the steps of a state with one label, mostly one or two, and saves a table
//! of states x blocks. The corrected algorithm of Gentilini, Piazza and Policriti (van Glabbeek and Ploeger 2008) needs as
//! little memory, and a factor of blocks more of time.

use std::collections::VecDeque;

use elnath_kernel::Limit;

use super::graph::Graph;
use super::meter::Meter;
use super::signatures::{Signatures, normalise};

/// Blocks of states, and which of them simulate which.
pub(super) struct Preorder {
    blocks: Blocks,
    rows: Rows,
}

impl Preorder {
    /// The preorder of a graph whose edges are sorted, state by state. Ready simulation also asks for the same labels.
    pub(super) fn new(graph: &Graph<'_>, ready: bool, meter: &mut Meter<'_, '_>) -> Result<Self, Limit> {
        debug_assert!((0..graph.len() as u32).all(|state| graph.edges(state).is_sorted()));
        let back = Backwards::new(graph, meter)?;
        let mut refinement = Refinement::new(graph, &back, ready, meter)?;
        while let Some(block) = refinement.pending.pop_front() {
            refinement.process(block, meter)?;
            meter.found(refinement.blocks.len());
        }
        let Refinement { blocks, rows, .. } = refinement;
        meter.give_back(back.bytes());
        Ok(Self { blocks, rows })
    }

    /// Whether a state is simulated by another one.
    pub(super) fn has(&self, state: u32, by: u32) -> bool {
        self.rows.has(self.blocks.of(state), self.blocks.of(by))
    }

    /// By state: the first state that simulates it and is simulated by it.
    pub(super) fn classes(&self) -> Vec<u32> {
        let blocks = 0..self.blocks.len() as u32;
        let first_state: Vec<u32> =
            blocks.clone().map(|block| *self.blocks.states(block).iter().min().expect("not empty")).collect();
        let first = |block: u32| {
            let same = self.rows.ones(block).filter(|&other| self.rows.has(other, block));
            same.map(|other| first_state[other as usize]).min().expect("a block simulates itself")
        };
        let class: Vec<u32> = blocks.map(first).collect();
        let states = 0..self.blocks.of.len() as u32;
        states.map(|state| class[self.blocks.of(state) as usize]).collect()
    }

    pub(super) fn bytes(&self) -> usize {
        self.rows.bytes() + Blocks::bytes(self.blocks.of.len())
    }
}

/// The algorithm at work.
struct Refinement<'a> {
    graph: &'a Graph<'a>,
    back: &'a Backwards,
    blocks: Blocks,
    rows: Rows,
    /// By block: labels and states; a state that is removed for the block and the label, and which nobody was told yet.
    removed: Vec<Vec<(u32, u32)>>,
    /// How many these are together.
    waiting: usize,
    /// The blocks for which states were removed, in the order in which that happened.
    pending: VecDeque<u32>,
    /// Room for [`Refinement::process`]: the states of a block, and the blocks that step into it.
    members: Vec<u32>,
    sources: Vec<u32>,
    /// By block: the last round in which it was put among the sources.
    noted: Vec<u32>,
    round: u32,
    /// Room for [`Refinement::lose`]: by which label who steps into a block.
    steps: Vec<(u32, u32)>,
    charged: usize,
}

impl<'a> Refinement<'a> {
    fn new(
        graph: &'a Graph<'a>,
        back: &'a Backwards,
        ready: bool,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Self, Limit> {
        meter.take(Blocks::bytes(graph.len()))?;
        let mut sets = Signatures::default();
        sets.clear(64);
        let mut list = Vec::new();
        let mut set_of = Vec::with_capacity(graph.len());
        for state in 0..graph.len() as u32 {
            list.clear();
            list.extend(graph.edges(state).iter().map(|edge| u64::from(edge.label)));
            normalise(&mut list);
            set_of.push(sets.key(&list));
            meter.work(list.len() + 1)?;
        }
        let blocks = Blocks::new(set_of, sets.len());
        let mut refinement = Self {
            graph,
            back,
            blocks,
            rows: Rows::new(sets.len()),
            removed: vec![Vec::new(); sets.len()],
            waiting: 0,
            pending: VecDeque::new(),
            members: Vec::new(),
            sources: Vec::new(),
            noted: vec![0; sets.len()],
            round: 0,
            steps: Vec::new(),
            charged: 0,
        };
        refinement.charge(meter)?;
        refinement.relate(&sets, ready, meter)?;
        refinement.remove_all(meter)?;
        Ok(refinement)
    }

    /// Whoever offers at least the labels of a block may simulate it; or exactly these.
    fn relate(&mut self, sets: &Signatures, ready: bool, meter: &mut Meter<'_, '_>) -> Result<(), Limit> {
        for wanted in 0..sets.len() as u32 {
            let row = self.rows.push();
            for offered in 0..sets.len() as u32 {
                let offers = sets.get(offered);
                let enough = || sets.get(wanted).iter().all(|label| offers.binary_search(label).is_ok());
                if if ready { wanted == offered } else { enough() } {
                    row[offered as usize / 64] |= 1 << (offered % 64);
                }
            }
            meter.work(sets.len() * (sets.get(wanted).len() + 1))?;
            self.charge(meter)?;
        }
        Ok(())
    }

    /// At the beginning, who has a step into a block's candidates is compared with who has a step at all.
    fn remove_all(&mut self, meter: &mut Meter<'_, '_>) -> Result<(), Limit> {
        let bytes = self.graph.edges.len() * size_of::<(u32, u32)>();
        meter.take(bytes)?;
        let mut by_label: Vec<(u32, u32)> = Vec::with_capacity(self.graph.edges.len());
        for state in 0..self.graph.len() as u32 {
            by_label.extend(self.graph.edges(state).iter().map(|edge| (edge.label, state)));
        }
        by_label.sort_unstable();
        by_label.dedup();
        let mut entering = Vec::new();
        for block in 0..self.blocks.len() as u32 {
            entering.clear();
            for &state in self.blocks.states(block) {
                entering.extend(self.back.by_label(state).map(|(label, _)| label));
            }
            entering.sort_unstable();
            entering.dedup();
            for &label in &entering {
                let start = by_label.partition_point(|&(other, _)| other < label);
                let with_label = by_label[start..].iter().take_while(|&&(other, _)| other == label);
                for &(_, state) in with_label {
                    if !self.steps_into_candidates(state, label, block) {
                        self.removed[block as usize].push((label, state));
                    }
                    meter.work(1)?;
                }
            }
            self.waiting += self.removed[block as usize].len();
            if !self.removed[block as usize].is_empty() {
                self.pending.push_back(block);
            }
            self.charge(meter)?;
        }
        meter.give_back(bytes);
        Ok(())
    }

    /// Tells those who step into a block which states were removed for it.
    fn process(&mut self, block: u32, meter: &mut Meter<'_, '_>) -> Result<(), Limit> {
        let mut removed = std::mem::take(&mut self.removed[block as usize]);
        self.waiting -= removed.len();
        removed.sort_unstable();
        removed.dedup();
        // The block may be split on the way; what was removed for it was so for all its parts.
        self.members.clear();
        self.members.extend_from_slice(self.blocks.states(block));
        for removed in removed.chunk_by(|a, b| a.0 == b.0) {
            let label = removed[0].0;
            let nobody = self.members.iter().all(|&member| self.back.with_label(member, label).is_empty());
            meter.work(self.members.len() + removed.len())?;
            if nobody {
                continue;
            }
            let gone = self.split(removed, meter)?;
            self.note_sources(label, meter)?;
            for lost in gone {
                self.lose(lost, meter)?;
            }
        }
        self.charge(meter)
    }

    /// Makes blocks of the removed states, and says which these are.
    fn split(&mut self, removed: &[(u32, u32)], meter: &mut Meter<'_, '_>) -> Result<Vec<u32>, Limit> {
        let mut touched = Vec::new();
        for &(_, state) in removed {
            if self.blocks.mark(state) {
                touched.push(self.blocks.of(state));
            }
        }
        // Old blocks with the new ones that were part of them.
        let mut parts = Vec::new();
        for block in &mut touched {
            if let Some(new) = self.blocks.split(*block) {
                parts.push((*block, new));
                *block = new;
            }
        }
        self.rows.split(&parts);
        for &(old, new) in &parts {
            let removed = self.removed[old as usize].clone();
            if !removed.is_empty() {
                self.waiting += removed.len();
                self.pending.push_back(new);
            }
            self.removed.push(removed);
        }
        self.noted.resize(self.blocks.len(), 0);
        meter.work(parts.len() * self.blocks.len())?;
        self.charge(meter)?;
        Ok(touched)
    }

    /// The blocks that step by this label into the block that is processed.
    fn note_sources(&mut self, label: u32, meter: &mut Meter<'_, '_>) -> Result<(), Limit> {
        self.round += 1;
        self.sources.clear();
        for &member in &self.members {
            let from = self.back.with_label(member, label);
            for &state in from {
                let source = self.blocks.of(state);
                if std::mem::replace(&mut self.noted[source as usize], self.round) != self.round {
                    self.sources.push(source);
                }
            }
            meter.work(from.len())?;
        }
        Ok(())
    }

    /// Takes a block from the rows of all sources.
    fn lose(&mut self, lost: u32, meter: &mut Meter<'_, '_>) -> Result<(), Limit> {
        self.steps.clear();
        let mut known = false;
        for index in 0..self.sources.len() {
            let source = self.sources[index];
            if !self.rows.has(source, lost) {
                continue;
            }
            self.rows.clear(source, lost);
            if !std::mem::replace(&mut known, true) {
                for &state in self.blocks.states(lost) {
                    for (label, from) in self.back.by_label(state) {
                        self.steps.extend(from.iter().map(|&from| (label, from)));
                    }
                }
                self.steps.sort_unstable();
                self.steps.dedup();
            }
            let before = self.removed[source as usize].len();
            for &(label, from) in &self.steps {
                if !self.steps_into_candidates(from, label, source) {
                    self.removed[source as usize].push((label, from));
                }
            }
            self.waiting += self.removed[source as usize].len() - before;
            if before == 0 && !self.removed[source as usize].is_empty() {
                self.pending.push_back(source);
            }
            meter.work(self.steps.len())?;
        }
        meter.work(self.sources.len())
    }

    /// Whether a state has a step with this label into a candidate of the block.
    fn steps_into_candidates(&self, state: u32, label: u32, block: u32) -> bool {
        let edges = self.graph.edges(state);
        let start = edges.partition_point(|edge| edge.label < label);
        let mut steps = edges[start..].iter().take_while(|edge| edge.label == label);
        steps.any(|edge| self.rows.has(block, self.blocks.of(edge.target)))
    }

    /// Accounts for the rows and for what waits.
    fn charge(&mut self, meter: &mut Meter<'_, '_>) -> Result<(), Limit> {
        let bytes = self.rows.bytes() + self.waiting * size_of::<(u32, u32)>();
        if bytes > self.charged {
            meter.take(bytes - self.charged)?;
            self.charged = bytes;
        }
        Ok(())
    }
}

/// A partition of the states. Some states of a block may be marked, which then stand in front.
struct Blocks {
    /// The states, block by block.
    states: Vec<u32>,
    /// By state: its place in `states`, and its block.
    places: Vec<u32>,
    of: Vec<u32>,
    bounds: Vec<Bounds>,
}

/// The states of a block stand at `start..end`, the marked ones at `start..marked`.
#[derive(Clone, Copy, Default)]
struct Bounds {
    start: u32,
    marked: u32,
    end: u32,
}

impl Blocks {
    /// From the block of each state. No block is empty.
    fn new(of: Vec<u32>, blocks: usize) -> Self {
        let mut bounds = vec![Bounds::default(); blocks];
        for &block in &of {
            bounds[block as usize].end += 1;
        }
        let mut next = 0;
        for Bounds { start, marked, end } in &mut bounds {
            (*start, *marked) = (next, next);
            next += std::mem::replace(end, next);
        }
        let (mut states, mut places) = (vec![0; of.len()], Vec::with_capacity(of.len()));
        for (state, &block) in (0..).zip(&of) {
            let place = &mut bounds[block as usize].end;
            states[*place as usize] = state;
            places.push(*place);
            *place += 1;
        }
        Self { states, places, of, bounds }
    }

    /// Bytes of a partition of so many states, at the most.
    fn bytes(states: usize) -> usize {
        states * (3 * size_of::<u32>() + size_of::<Bounds>())
    }

    fn len(&self) -> usize {
        self.bounds.len()
    }

    #[inline]
    fn of(&self, state: u32) -> u32 {
        self.of[state as usize]
    }

    fn states(&self, block: u32) -> &[u32] {
        let Bounds { start, end, .. } = self.bounds[block as usize];
        &self.states[start as usize..end as usize]
    }

    /// Marks a state, and says whether it is the first of its block.
    fn mark(&mut self, state: u32) -> bool {
        let bounds = &mut self.bounds[self.of[state as usize] as usize];
        let place = self.places[state as usize];
        if place < bounds.marked {
            return false;
        }
        let front = bounds.marked;
        bounds.marked += 1;
        let other = self.states[front as usize];
        self.states.swap(front as usize, place as usize);
        (self.places[state as usize], self.places[other as usize]) = (front, place);
        front == bounds.start
    }

    /// Makes a new block of the marked states, unless they are all there are; none is marked then.
    fn split(&mut self, block: u32) -> Option<u32> {
        let bounds = &mut self.bounds[block as usize];
        let Bounds { start, marked, end } = *bounds;
        if marked == end {
            bounds.marked = start;
            return None;
        }
        bounds.start = marked;
        let new = self.bounds.len() as u32;
        self.bounds.push(Bounds { start, marked: start, end: marked });
        for &state in &self.states[start as usize..marked as usize] {
            self.of[state as usize] = new;
        }
        Some(new)
    }
}

/// A square of bits that grows: by block, a row of those that may simulate it.
struct Rows {
    rows: Vec<Vec<u64>>,
    words: usize,
    /// The most words that a row has room for.
    room: usize,
}

impl Rows {
    /// Without rows, and soon with so many.
    fn new(blocks: usize) -> Self {
        let words = blocks.div_ceil(64);
        Self { rows: Vec::with_capacity(blocks), words, room: words }
    }

    /// One more row, without any bits.
    fn push(&mut self) -> &mut [u64] {
        self.rows.push(vec![0; self.words]);
        self.rows.last_mut().expect("just pushed")
    }

    #[inline]
    fn has(&self, block: u32, by: u32) -> bool {
        self.rows[block as usize][by as usize / 64] >> (by % 64) & 1 != 0
    }

    fn clear(&mut self, block: u32, by: u32) {
        self.rows[block as usize][by as usize / 64] &= !(1 << (by % 64));
    }

    /// New blocks, the last ones, are what the old ones were: in whose rows these are, and which rows they have.
    fn split(&mut self, parts: &[(u32, u32)]) {
        let Some(&(_, last)) = parts.last() else { return };
        let words = last as usize / 64 + 1;
        if words > self.room {
            self.room = words + words / 4;
        }
        for row in &mut self.rows {
            if words > row.len() {
                if words > row.capacity() {
                    row.reserve_exact(self.room - row.len());
                }
                row.resize(words, 0);
            }
            for &(old, new) in parts {
                let bit = row[old as usize / 64] >> (old % 64) & 1;
                row[new as usize / 64] |= bit << (new % 64);
            }
        }
        self.words = words;
        for &(old, _) in parts {
            let row = self.rows[old as usize].clone();
            self.rows.push(row);
        }
    }

    /// The blocks that may simulate this one.
    fn ones(&self, block: u32) -> impl Iterator<Item = u32> {
        self.rows[block as usize].iter().enumerate().flat_map(|(index, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros())?;
                rest &= rest - 1;
                Some(index as u32 * 64 + bit)
            })
        })
    }

    fn bytes(&self) -> usize {
        self.rows.len() * (self.room * size_of::<u64>() + size_of::<Vec<u64>>())
    }
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
        meter.give_back(graph.edges.len() * 12);
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

    fn bytes(&self) -> usize {
        size_of_val(&*self.offsets) + size_of_val(&*self.labels) + size_of_val(&*self.sources)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lts::Edge;
    use elnath_kernel::budget::Budget;
    use elnath_kernel::rng::Rng;

    fn random(states: u32, edges: u64, labels: u64, rng: &mut Rng) -> Graph<'static> {
        let mut all: Vec<(u32, Edge)> = (0..edges)
            .map(|_| {
                let label = rng.below(labels) as u32;
                let (from, target) = (rng.below(states.into()) as u32, rng.below(states.into()) as u32);
                (from, Edge { label, target })
            })
            .collect();
        all.sort_unstable();
        let mut offsets = vec![0; states as usize + 1];
        for &(from, _) in &all {
            offsets[from as usize + 1] += 1;
        }
        for state in 0..states as usize {
            offsets[state + 1] += offsets[state];
        }
        let edges = all.into_iter().map(|(_, edge)| edge).collect();
        Graph { initial: 0, offsets: offsets.into(), edges, tau: super::super::graph::NONE }
    }

    /// The definition: pairs are taken out until every step of the first is answered by the second.
    fn naive(graph: &Graph<'_>, ready: bool) -> Vec<Vec<bool>> {
        let states = graph.len();
        let labels = |state: usize| {
            graph.edges(state as u32).iter().map(|edge| edge.label).collect::<std::collections::BTreeSet<_>>()
        };
        let may = |p: usize, q: usize| !ready || labels(p) == labels(q);
        let mut above: Vec<Vec<bool>> =
            (0..states).map(|p| (0..states).map(|q| may(p, q)).collect()).collect();
        loop {
            let mut changed = false;
            for p in 0..states {
                for q in 0..states {
                    let answered = graph.edges(p as u32).iter().all(|step| {
                        graph.edges(q as u32).iter().any(|answer| {
                            answer.label == step.label && above[step.target as usize][answer.target as usize]
                        })
                    });
                    changed |= above[p][q] && !answered;
                    above[p][q] &= answered;
                }
            }
            if !changed {
                return above;
            }
        }
    }

    #[test]
    fn the_preorder_is_the_greatest_simulation() {
        for seed in 0..600 {
            let mut rng = Rng::new(seed);
            let states = 1 + rng.below(40) as u32;
            let edges = rng.below(3 * u64::from(states) + 1);
            let graph = random(states, edges, 1 + seed % 3, &mut rng);
            let watch = &mut |_: &_| None;
            let mut budget = Budget { memory: 1 << 30, depth: 0, states: 0, disk: None, watch };
            let ready = seed % 2 == 1;
            let preorder =
                Preorder::new(&graph, ready, &mut Meter::new(&mut budget)).expect("nothing runs out");
            let expected = naive(&graph, ready);
            let classes = preorder.classes();
            for p in 0..states {
                for q in 0..states {
                    let above = expected[p as usize][q as usize];
                    assert_eq!(preorder.has(p, q), above, "seed {seed}: {p} and {q}");
                    let same = above && expected[q as usize][p as usize];
                    assert_eq!(classes[p as usize] == classes[q as usize], same, "seed {seed}: {p} and {q}");
                }
                assert!(classes[p as usize] <= p, "seed {seed}: the first of a class speaks for it");
            }
        }
    }
}
