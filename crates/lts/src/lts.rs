//! The table: all transitions in one array, grouped by the state they leave (compressed sparse rows).
//!
//! A transition costs 8 bytes (label and target) and a state 4 (where its transitions begin), so the largest public
//! graph, 34 million states and 165 million transitions, takes 1.5 GB. Offsets of 4 bytes suffice because a
//! [`Transition`](elnath_kernel::Transition) of this system is a 32-bit index anyway; a file with more transitions is
//! refused with a message. Storing label and target in two arrays was considered and not done: every walk wants both.
//!
//! Within a state, transitions stay in the order in which they were given, so that a search over a file visits what
//! its author would expect and the same file always gives the same run.

use std::fmt;
use std::sync::Arc;

use crate::labels::{Labels, Taus};

/// What stands on a transition besides its source: 8 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    /// The number of its label in [`Lts::labels`].
    pub label: u32,
    /// The state it leads to.
    pub target: u32,
}

/// The most states that a system of so many transitions may have.
///
/// States that no transition mentions are allowed (VLTS has a file with as many of them as of the others), but a file
/// of thirty bytes that speaks of four thousand million states must not make anybody allocate an array of that size.
pub fn most_states(transitions: usize) -> u64 {
    (1 << 20) + 16 * transitions as u64
}

/// A labelled transition system, all of it in memory.
///
/// Invariants: `offsets` has one entry more than there are states, begins with 0, never decreases and ends with
/// `edges.len()`; targets and the initial state are states; labels are labels; there is at least one state.
#[derive(Clone)]
pub struct Lts {
    initial: u32,
    offsets: Vec<u32>,
    edges: Vec<Edge>,
    /// Shared with the quotients of this system, of which some have ten million labels.
    labels: Arc<Labels>,
    /// One entry per label.
    is_tau: Vec<bool>,
}

impl Lts {
    pub(crate) fn new(
        initial: u32,
        offsets: Vec<u32>,
        edges: Vec<Edge>,
        labels: Labels,
        taus: &Taus,
    ) -> Self {
        let labels = Arc::new(labels);
        let mut lts = Self { initial, offsets, edges, labels, is_tau: Vec::new() };
        lts.set_taus(taus);
        lts.check();
        lts
    }

    /// The offsets and the edges, as the invariants describe them.
    pub(crate) fn table(&self) -> (&[u32], &[Edge]) {
        (&self.offsets, &self.edges)
    }

    /// Another graph with the same labels.
    pub(crate) fn with_table(&self, initial: u32, offsets: Vec<u32>, edges: Vec<Edge>) -> Self {
        let (labels, is_tau) = (Arc::clone(&self.labels), self.is_tau.clone());
        let lts = Self { initial, offsets, edges, labels, is_tau };
        lts.check();
        lts
    }

    /// The same with a label for the internal action, and that label; nothing is added if there is one.
    pub(crate) fn with_internal(mut self) -> (Self, u32) {
        if let Some(tau) = self.is_tau.iter().position(|&tau| tau) {
            return (self, tau as u32);
        }
        let labels = Arc::make_mut(&mut self.labels);
        let mut name = "i".to_owned();
        while labels.find(&name).is_some() {
            // A visible action may be called so.
            name.push('i');
        }
        let tau = labels.intern(&name);
        self.is_tau.push(true);
        (self, tau)
    }

    /// The initial state.
    pub fn initial(&self) -> u32 {
        self.initial
    }

    /// How many states there are, whether reachable or not; they are `0..num_states`.
    pub fn num_states(&self) -> usize {
        self.offsets.len() - 1
    }

    /// How many transitions there are, counting duplicates as often as they occur.
    pub fn num_transitions(&self) -> usize {
        self.edges.len()
    }

    /// The label table. Labels that no transition carries may be in it.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// The text of a label.
    pub fn label(&self, id: u32) -> &str {
        self.labels.get(id)
    }

    /// Whether a label is the internal action.
    #[inline]
    pub fn is_tau(&self, label: u32) -> bool {
        self.is_tau[label as usize]
    }

    /// The labels in the table that are taken as tau: what to tell the user.
    pub fn tau_labels(&self) -> impl Iterator<Item = &str> {
        self.labels.iter().zip(&self.is_tau).filter(|&(_, &tau)| tau).map(|(label, _)| label)
    }

    /// Chooses which labels are tau, in place of the choice made before.
    pub fn set_taus(&mut self, taus: &Taus) {
        self.is_tau = self.labels.iter().map(|label| taus.contains(label)).collect();
    }

    /// Gives each label another text, and chooses which of the new ones are tau. Labels that get one text become one.
    pub fn relabel(&mut self, mut new: impl FnMut(&str) -> String, taus: &Taus) {
        let mut labels = Labels::new();
        let numbers: Vec<u32> = self.labels.iter().map(|label| labels.intern(&new(label))).collect();
        for edge in &mut self.edges {
            edge.label = numbers[edge.label as usize];
        }
        self.labels = Arc::new(labels);
        self.set_taus(taus);
        self.check();
    }

    /// The transitions that leave a state, in the order given.
    #[inline]
    pub fn edges(&self, state: u32) -> &[Edge] {
        let (start, end) = self.range(state);
        &self.edges[start as usize..end as usize]
    }

    /// The indices of those transitions among all: `start..end`.
    #[inline]
    pub fn range(&self, state: u32) -> (u32, u32) {
        (self.offsets[state as usize], self.offsets[state as usize + 1])
    }

    /// The transition with this index.
    #[inline]
    pub fn edge(&self, index: u32) -> Edge {
        self.edges[index as usize]
    }

    /// All states.
    pub fn states(&self) -> std::ops::Range<u32> {
        0..self.num_states() as u32
    }

    /// All transitions as (source, label, target), by source.
    pub fn transitions(&self) -> impl Iterator<Item = (u32, u32, u32)> {
        self.states().flat_map(|from| self.edges(from).iter().map(move |e| (from, e.label, e.target)))
    }

    /// Bytes of memory in use, those of the labels included.
    pub fn bytes(&self) -> usize {
        self.offsets.capacity() * size_of::<u32>()
            + self.edges.capacity() * size_of::<Edge>()
            + self.labels.bytes()
            + self.is_tau.capacity()
    }

    /// Debug builds check every invariant of the table.
    fn check(&self) {
        debug_assert!(self.num_states() > 0 && (self.initial as usize) < self.num_states());
        debug_assert!(self.offsets[0] == 0 && self.offsets.is_sorted());
        debug_assert!(self.offsets[self.num_states()] as usize == self.edges.len());
        debug_assert!(self.edges.iter().all(|e| (e.target as usize) < self.num_states()));
        debug_assert!(self.edges.iter().all(|e| (e.label as usize) < self.labels.len()));
    }
}

/// The first transitions, as in a file: what a failing test should show, and no more.
impl fmt::Debug for Lts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "des ({}, {}, {})", self.initial, self.num_transitions(), self.num_states())?;
        for (from, label, to) in self.transitions().take(100) {
            write!(f, " ({from}, {:?}, {to})", self.label(label))?;
        }
        if self.num_transitions() > 100 { f.write_str(" ...") } else { Ok(()) }
    }
}

/// Equal graphs: the same states, the same initial state, and from each state the same transitions in the same order.
/// How labels are numbered does not count, nor does what tau is called.
impl PartialEq for Lts {
    fn eq(&self, other: &Self) -> bool {
        let visible = |lts: &Self, label: u32| (!lts.is_tau(label)).then_some(label);
        // Labels that have been compared once: a graph has few labels and many transitions.
        let mut same = vec![None; self.labels.len()];
        let mut same_label = |a: u32, b: u32| match (visible(self, a), visible(other, b)) {
            (None, None) => true,
            (Some(a), Some(b)) if same[a as usize] == Some(b) => true,
            (Some(a), Some(b)) if self.label(a) == other.label(b) => {
                same[a as usize] = Some(b);
                true
            }
            _ => false,
        };
        self.initial == other.initial
            && self.offsets == other.offsets
            && self
                .edges
                .iter()
                .zip(&other.edges)
                .all(|(a, b)| a.target == b.target && same_label(a.label, b.label))
    }
}

impl Eq for Lts {}
