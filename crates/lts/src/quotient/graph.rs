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

    /// Has the memory fetch what the next states of a list will be asked for: where their transitions begin, these, and, by
    /// `target`, what is known of their targets. Nearly all the time of refinement is waiting for that.
    #[inline]
    pub(super) fn expect(&self, list: &[u32], index: usize, target: impl Fn(u32)) {
        expect(&self.offsets, &self.edges, list, index, |edge| target(edge.target));
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

/// The sources of the transitions that lead to each state.
pub(super) struct Incoming {
    offsets: Vec<u32>,
    sources: Vec<u32>,
}

impl Incoming {
    /// Those of the transitions that are wanted.
    pub(super) fn new(
        graph: &Graph<'_>,
        meter: &mut Meter<'_, '_>,
        wanted: impl Fn(&Edge) -> bool,
    ) -> Result<Self, Limit> {
        let states = graph.len();
        meter.take((states + 2) * size_of::<u32>())?;
        // First how many there are, two places further on; then where they begin, one place further on; and when the
        // sources are distributed, each place advances to its end, which is where the next one begins.
        let mut offsets = vec![0u32; states + 2];
        for edge in graph.edges.iter().filter(|edge| wanted(edge)) {
            offsets[edge.target as usize + 2] += 1;
        }
        for state in 1..=states {
            offsets[state + 1] += offsets[state];
        }
        let total = offsets[states + 1] as usize;
        meter.take(total * size_of::<u32>())?;
        let mut sources = vec![0u32; total];
        for state in 0..states as u32 {
            for edge in graph.edges(state).iter().filter(|edge| wanted(edge)) {
                let place = &mut offsets[edge.target as usize + 1];
                sources[*place as usize] = state;
                *place += 1;
            }
        }
        Ok(Self { offsets, sources })
    }

    /// As [`Graph::expect`], for the sources.
    #[inline]
    pub(super) fn expect(&self, list: &[u32], index: usize, source: impl Fn(u32)) {
        expect(&self.offsets, &self.sources, list, index, |&state| source(state));
    }

    #[inline]
    pub(super) fn of(&self, state: u32) -> &[u32] {
        let state = state as usize;
        &self.sources[self.offsets[state] as usize..self.offsets[state + 1] as usize]
    }

    pub(super) fn bytes(&self) -> usize {
        (self.offsets.len() + self.sources.len()) * size_of::<u32>()
    }
}

/// Three stages, each of which needs what the one before has fetched.
#[inline]
fn expect<T>(offsets: &[u32], table: &[T], list: &[u32], index: usize, each: impl Fn(&T)) {
    const AHEAD: usize = 6;
    if let Some(&state) = list.get(index + 3 * AHEAD) {
        prefetch_line(offsets, state as usize);
    }
    if let Some(&state) = list.get(index + 2 * AHEAD) {
        prefetch_line(table, offsets[state as usize] as usize);
    }
    if let Some(&state) = list.get(index + AHEAD) {
        let (start, end) = (offsets[state as usize] as usize, offsets[state as usize + 1] as usize);
        table[start..end.min(start + AHEAD)].iter().for_each(each);
    }
}
