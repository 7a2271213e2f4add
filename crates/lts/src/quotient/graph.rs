//! The graph that reductions work on: the table of an [`Lts`] without the texts of its labels, and with one number for
//! the internal action whatever its names are.

use std::borrow::Cow;

use elnath_kernel::Limit;
use elnath_kernel::store::prefetch_line;

use super::meter::Meter;
use crate::lts::{Edge, Lts};
use crate::scc::Components;

/// No state, no class, no label.
pub(super) const NONE: u32 = u32::MAX;

/// What refinement asks of a graph: one table of transitions, or [several](super::beside) that are looked at as one.
pub(super) trait Transitions {
    /// How many states there are.
    fn len(&self) -> usize;

    /// The table that has the transitions of a state, and the number of the state there.
    fn part(&self, state: u32) -> (Part<'_>, u32);

    /// The transitions of a state.
    #[inline]
    fn of(&self, state: u32) -> impl Iterator<Item = Edge> {
        let (part, own) = self.part(state);
        part.of(own).iter().map(move |&edge| part.seen(edge))
    }

    /// Has the memory fetch what the next states of a list will be asked for: where their transitions begin, these, and, by
    /// `target`, what is known of their targets. Nearly all the time of refinement is waiting for that.
    #[inline]
    fn expect(&self, list: &[u32], index: usize, target: impl Fn(u32)) {
        if let Some(&state) = list.get(index + 3 * AHEAD) {
            let (part, own) = self.part(state);
            prefetch_line(part.offsets, own as usize);
        }
        if let Some(&state) = list.get(index + 2 * AHEAD) {
            let (part, own) = self.part(state);
            prefetch_line(part.edges, part.offsets[own as usize] as usize);
        }
        if let Some(&state) = list.get(index + AHEAD) {
            let (part, own) = self.part(state);
            part.of(own).iter().take(AHEAD).for_each(|edge| target(part.first + edge.target));
        }
    }
}

/// A table of transitions, and how it is seen in a graph of several.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    pub(super) offsets: &'a [u32],
    pub(super) edges: &'a [Edge],
    /// What is added to the number of a state.
    pub(super) first: u32,
    /// By label: what it is called, if it is not called as here.
    pub(super) names: Option<&'a [u32]>,
}

impl<'a> Part<'a> {
    #[inline]
    pub(super) fn of(&self, own: u32) -> &'a [Edge] {
        let own = own as usize;
        &self.edges[self.offsets[own] as usize..self.offsets[own + 1] as usize]
    }

    #[inline]
    pub(super) fn seen(&self, edge: Edge) -> Edge {
        let label = self.names.map_or(edge.label, |names| names[edge.label as usize]);
        Edge { label, target: self.first + edge.target }
    }
}

/// How many states ahead memory is fetched, for each of three stages that need what the one before has fetched.
const AHEAD: usize = 6;

/// States, their transitions, and which label is internal. Invariants as for [`Lts`].
pub(super) struct Graph<'a> {
    pub(super) initial: u32,
    pub(super) offsets: Cow<'a, [u32]>,
    pub(super) edges: Cow<'a, [Edge]>,
    /// The label of internal steps, or [`NONE`].
    pub(super) tau: u32,
}

impl<'a> Graph<'a> {
    /// The graph of a system. Nothing is copied unless several labels are internal.
    pub(super) fn new(lts: &'a Lts, meter: &mut Meter<'_, '_>) -> Result<Self, Limit> {
        let (offsets, edges) = lts.table();
        let mut taus = (0..lts.labels().len() as u32).filter(|&label| lts.is_tau(label));
        let tau = taus.next().unwrap_or(NONE);
        let edges = if taus.next().is_none() {
            Cow::Borrowed(edges)
        } else {
            meter.take(size_of_val(edges))?;
            let one = |label: u32| if lts.is_tau(label) { tau } else { label };
            edges.iter().map(|edge| Edge { label: one(edge.label), ..*edge }).collect()
        };
        Ok(Self { initial: lts.initial(), offsets: Cow::Borrowed(offsets), edges, tau })
    }

    /// The table of a system, whatever its internal steps are called.
    pub(super) fn part_of(lts: &Lts) -> Part<'_> {
        let (offsets, edges) = lts.table();
        Part { offsets, edges, first: 0, names: None }
    }

    /// The table, without the question whether the graph owns it.
    pub(super) fn table(&self) -> Part<'_> {
        Part { offsets: &self.offsets, edges: &self.edges, first: 0, names: None }
    }

    pub(super) fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    #[inline]
    pub(super) fn edges(&self, state: u32) -> &[Edge] {
        let state = state as usize;
        &self.edges[self.offsets[state] as usize..self.offsets[state + 1] as usize]
    }

    /// The internal steps of a state.
    pub(super) fn internal(&self, state: u32) -> impl Iterator<Item = u32> {
        self.edges(state).iter().filter(|edge| edge.label == self.tau).map(|edge| edge.target)
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.offsets) + size_of_val(&*self.edges)
    }

    /// The graph in which each component is one state, without internal loops. With components of internal steps, an
    /// internal step of the result leads to a smaller number.
    pub(super) fn collapsed(
        &self,
        components: &Components,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Graph<'static>, Limit> {
        let states = components.len();
        meter
            .take((states + 1 + 2 * self.len()) * size_of::<u32>() + self.edges.len() * size_of::<Edge>())?;
        // The states by component.
        let mut starts = vec![0u32; states + 1];
        for state in 0..self.len() as u32 {
            starts[components.of(state) as usize + 1] += 1;
        }
        for component in 0..states {
            starts[component + 1] += starts[component];
        }
        let mut members = vec![0u32; self.len()];
        let mut next = starts.clone();
        for state in 0..self.len() as u32 {
            let place = &mut next[components.of(state) as usize];
            members[*place as usize] = state;
            *place += 1;
        }
        drop(next);
        let mut offsets = Vec::with_capacity(states + 1);
        let mut edges = Vec::with_capacity(self.edges.len());
        offsets.push(0);
        for component in 0..states {
            for &state in &members[starts[component] as usize..starts[component + 1] as usize] {
                let moved = |edge: &Edge| Edge { label: edge.label, target: components.of(edge.target) };
                let stays = |edge: &Edge| edge.label == self.tau && edge.target as usize == component;
                edges.extend(self.edges(state).iter().map(moved).filter(|edge| !stays(edge)));
            }
            offsets.push(edges.len() as u32);
            meter.work(1)?;
        }
        meter.give_back(2 * self.len() * size_of::<u32>());
        let initial = components.of(self.initial);
        Ok(Graph { initial, offsets: offsets.into(), edges: edges.into(), tau: self.tau })
    }
}

impl Transitions for Part<'_> {
    fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    #[inline]
    fn part(&self, state: u32) -> (Part<'_>, u32) {
        (Part { first: 0, names: None, ..*self }, state)
    }
}

/// The sources of the transitions that lead to each state, those of internal steps first.
pub(super) struct Incoming {
    offsets: Vec<u32>,
    /// Those of internal steps with [`INTERNAL`].
    sources: Vec<u32>,
}

/// Marks the source of an internal step.
const INTERNAL: u32 = 1 << 31;

impl Incoming {
    /// The sources in a graph in which this label, if it is one, is internal.
    pub(super) fn new(graph: &impl Transitions, tau: u32, meter: &mut Meter<'_, '_>) -> Result<Self, Limit> {
        let states = graph.len();
        if states > INTERNAL as usize {
            // A partition of so many states takes some 40 GiB, which nobody has had yet.
            return Err(Limit::Memory);
        }
        meter.take((states + 2) * size_of::<u32>())?;
        // First how many there are, two places further on; then where they begin, one place further on; and when the
        // sources are distributed, each place advances to its end, which is where the next one begins.
        let mut offsets = vec![0u32; states + 2];
        for edge in (0..states as u32).flat_map(|state| graph.of(state)) {
            offsets[edge.target as usize + 2] += 1;
        }
        for state in 1..=states {
            offsets[state + 1] += offsets[state];
        }
        let total = offsets[states + 1] as usize;
        meter.take(total * size_of::<u32>())?;
        let mut sources = vec![0u32; total];
        for mark in if tau == NONE { &[0][..] } else { &[INTERNAL, 0] } {
            for state in 0..states as u32 {
                for edge in graph.of(state).filter(|edge| (edge.label == tau) == (*mark == INTERNAL)) {
                    let place = &mut offsets[edge.target as usize + 1];
                    sources[*place as usize] = state | mark;
                    *place += 1;
                }
            }
        }
        Ok(Self { offsets, sources })
    }

    /// Has the memory fetch the sources of the next states of a list, as [`Transitions::expect`] does.
    #[inline]
    pub(super) fn expect(&self, list: &[u32], index: usize, source: impl Fn(u32)) {
        if let Some(&state) = list.get(index + 3 * AHEAD) {
            prefetch_line(&self.offsets, state as usize);
        }
        if let Some(&state) = list.get(index + 2 * AHEAD) {
            prefetch_line(&self.sources, self.offsets[state as usize] as usize);
        }
        if let Some(&state) = list.get(index + AHEAD) {
            self.table(state).iter().take(AHEAD).for_each(|entry| source(entry & !INTERNAL));
        }
    }

    #[inline]
    fn table(&self, state: u32) -> &[u32] {
        let state = state as usize;
        &self.sources[self.offsets[state] as usize..self.offsets[state + 1] as usize]
    }

    /// All sources, and whether the step is internal.
    #[inline]
    pub(super) fn of(&self, state: u32) -> impl Iterator<Item = (u32, bool)> {
        self.table(state).iter().map(|entry| (entry & !INTERNAL, entry & INTERNAL != 0))
    }

    /// The sources of internal steps.
    #[inline]
    pub(super) fn internal(&self, state: u32) -> impl Iterator<Item = u32> {
        self.of(state).take_while(|&(_, internal)| internal).map(|(source, _)| source)
    }

    /// The sources of the other steps.
    #[inline]
    pub(super) fn visible(&self, state: u32) -> impl Iterator<Item = u32> {
        self.of(state).skip_while(|&(_, internal)| internal).map(|(source, _)| source)
    }

    pub(super) fn bytes(&self) -> usize {
        (self.offsets.len() + self.sources.len()) * size_of::<u32>()
    }
}
