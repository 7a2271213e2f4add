//! Two graphs beside each other, refined as one without a copy of either.
//!
//! The states of the second graph come after those of the first, and labels that mean the same have one number. A copy of both
//! tables would take as much memory as the graphs themselves, which are kept by those who have asked; this costs a
//! comparison per state that is looked at.

use std::borrow::Cow;

use elnath_kernel::Limit;

use super::graph::{Graph, NONE, Part, Transitions};
use super::meter::Meter;
use crate::lts::{Edge, Lts};

/// What the labels of two systems are called in common.
pub(super) struct Names {
    /// By label of each system; nothing if they are called as in the system.
    names: [Option<Vec<u32>>; 2],
    /// The internal action.
    pub(super) tau: u32,
    /// How many numbers there are, some of which may not be used.
    len: u32,
}

impl Names {
    /// What is internal in either system has one name, and is never called as a visible action is, whatever the texts say.
    pub(super) fn new(left: &Lts, right: &Lts, meter: &mut Meter<'_, '_>) -> Result<Self, Limit> {
        let [many, more] = [left, right].map(|lts| lts.labels().len());
        let len = u32::try_from(many + more + 1).map_err(|_| Limit::Memory)?;
        let taus = (0..many as u32).filter(|&label| left.is_tau(label));
        let tau = taus.clone().next().unwrap_or(len - 1);
        let several = taus.count() > 1;
        meter.take((more + if several { many } else { 0 }) * size_of::<u32>())?;
        let common = |label: u32| if left.is_tau(label) { tau } else { label };
        let first = several.then(|| (0..many as u32).map(common).collect());
        let second = |label: u32| {
            if right.is_tau(label) {
                return tau;
            }
            let same = left.labels().find(right.label(label)).filter(|&label| !left.is_tau(label));
            same.unwrap_or(many as u32 + label)
        };
        let second = Some((0..more as u32).map(second).collect());
        Ok(Self { names: [first, second], tau, len })
    }
}

/// The two graphs as one.
pub(super) struct Beside<'a> {
    parts: [Part<'a>; 2],
}

impl<'a> Beside<'a> {
    pub(super) fn new(graphs: [Part<'a>; 2], names: &'a Names) -> Self {
        let [left, right] = graphs;
        let [first, second] = names.names.each_ref().map(Option::as_deref);
        let parts = [
            Part { first: 0, names: first, ..left },
            Part { first: (left.offsets.len() - 1) as u32, names: second, ..right },
        ];
        Self { parts }
    }

    /// The number of a state of the second graph.
    pub(super) fn second(&self, state: u32) -> u32 {
        self.parts[1].first + state
    }

    /// A copy as one graph, which begins with a step to each, by labels of their own.
    pub(super) fn joined(
        &self,
        initial: [u32; 2],
        names: &Names,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Graph<'static>, Limit> {
        let transitions = 2 + self.parts.iter().map(|part| part.edges.len()).sum::<usize>();
        let last = self.len() as u32;
        if names.len > NONE - 2 || transitions > NONE as usize {
            return Err(Limit::Memory);
        }
        meter.take((self.len() + 2) * size_of::<u32>() + transitions * size_of::<Edge>())?;
        let (mut offsets, mut edges) = (Vec::with_capacity(self.len() + 2), Vec::with_capacity(transitions));
        offsets.push(0);
        for state in 0..last {
            edges.extend(self.of(state));
            offsets.push(edges.len() as u32);
        }
        edges.push(Edge { label: names.len, target: initial[0] });
        edges.push(Edge { label: names.len + 1, target: self.second(initial[1]) });
        offsets.push(edges.len() as u32);
        Ok(Graph { initial: last, offsets: Cow::Owned(offsets), edges: Cow::Owned(edges), tau: names.tau })
    }
}

impl Transitions for Beside<'_> {
    fn len(&self) -> usize {
        self.parts.iter().map(|part| part.offsets.len() - 1).sum()
    }

    #[inline]
    fn part(&self, state: u32) -> (Part<'_>, u32) {
        let [left, right] = &self.parts;
        if state < right.first { (*left, state) } else { (*right, state - right.first) }
    }
}
