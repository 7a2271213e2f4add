//! The path of a depth-first search and how it grows: what all depth-first searches share.
//!
//! When a table has outgrown the caches, a look-up is a cache miss. So when a state is entered, all its successors are
//! fired, hashed and prefetched, and then looked up together ([`Descent::look_ahead`]). Edges to known states are
//! handled at once; only transitions to new states become pending, and are fired again when their turn comes, since the
//! state may have been reached another way by then. The order in which states are entered is that of the papers; only
//! edges to known states are seen a little earlier. The first pending successor is entered directly from the look-ahead
//! buffer, so that few states are computed twice.
//!
//! A frame costs 20 bytes beside the state, which lies in the store and is not kept twice, and 12 bytes for each
//! pending transition: the transition, and the store's hint where to look for its target. A descent owns its buffers,
//! so that a search that consists of many walks reuses them.

use super::meter::Meter;
use super::successors::Hashed;
use crate::search::{Edge, End};
use crate::store::{Ref, Store, Visit};
use crate::successors::Successor;
use crate::system::{Stepper, Transition};

pub(in crate::search) struct Descent<Hash> {
    pub(in crate::search) path: Path,
    /// The papers' S, x or v: the state on top of the path.
    pub(in crate::search) state: Vec<u8>,
    /// The papers' S', y or w: the successor being entered or met.
    pub(in crate::search) next: Vec<u8>,
    /// The successors of `state` found by looking ahead; empty once the walk has moved on from it.
    pub(in crate::search) successors: Hashed<Hash>,
}

impl<Hash> Default for Descent<Hash> {
    fn default() -> Self {
        Self { path: Path::default(), state: Vec::new(), next: Vec::new(), successors: Hashed::default() }
    }
}

impl<Hash: Copy> Descent<Hash> {
    /// Makes S' the root of a new walk, and looks it up.
    pub(in crate::search) fn start<S: Store<Hash = Hash>>(
        &mut self,
        store: &mut S,
        meter: &Meter<'_, '_>,
        root: &[u8],
    ) -> Result<Visit, End> {
        self.path.clear();
        self.next.clear();
        self.next.extend_from_slice(root);
        let hash = store.hash(&self.next);
        self.visit(store, meter, hash)
    }

    /// Looks S' up; if it is new, the store takes it in.
    pub(in crate::search) fn visit<S: Store<Hash = Hash>>(
        &mut self,
        store: &mut S,
        meter: &Meter<'_, '_>,
        hash: Hash,
    ) -> Result<Visit, End> {
        meter.visit(store, &self.path, &self.next, hash)
    }

    /// Puts S', which the store has just taken in, on the path, and computes its successors.
    pub(in crate::search) fn enter<S: Store<Hash = Hash>>(
        &mut self,
        stepper: &mut dyn Stepper,
        store: &S,
        meter: &mut Meter<'_, '_>,
        at: Ref,
        by: Transition,
    ) -> Result<(), End> {
        std::mem::swap(&mut self.state, &mut self.next);
        self.path.push(at, by);
        meter.entered(stepper, &self.path, store)?;
        self.successors.fire_all(stepper, store, &self.state);
        Ok(())
    }

    /// Shows each successor of the state just entered to `is_new`, which looks it up, and leaves those that are new
    /// pending.
    pub(in crate::search) fn look_ahead(
        &mut self,
        meter: &mut Meter<'_, '_>,
        mut is_new: impl FnMut(&Path, Edge<'_>, Hash) -> Result<bool, End>,
    ) -> Result<(), End> {
        let may_descend = meter.may_descend(&self.path);
        for (index, (Successor { transition, state: to, fault }, hash)) in self.successors.iter().enumerate()
        {
            if let Some(fault) = fault {
                meter.fault(fault);
            }
            let edge = Edge { from: &self.state, transition, to, fault };
            if is_new(&self.path, edge, hash)? {
                if may_descend {
                    self.path.add_pending(transition, self.successors.hint(index));
                } else {
                    meter.cut = true;
                }
            }
        }
        self.path.seal_pending();
        meter.expanded(&self.path, self.successors.successors.len());
        Ok(())
    }

    /// The paper's `extract_one_of (top (St_Ens_Trans))`.
    ///
    /// The pending transitions of all states lie on one stack, and those below the top come next if what is on top turns
    /// out to be known. So what they lead to is fetched meanwhile: first its place in the table, two turns later its
    /// bytes.
    pub(in crate::search) fn next_pending<S: Store<Hash = Hash>>(&mut self, store: &S) -> Option<Transition> {
        let t = self.path.next_pending()?;
        let mut next = self.path.hints.iter().rev();
        if let Some(&hint) = next.next() {
            store.prefetch_hint_bytes(hint);
        }
        if let Some(&hint) = next.nth(1) {
            store.prefetch_hint(hint);
        }
        Some(t)
    }

    /// Makes S' the successor by a pending transition: still there from looking ahead, or fired again.
    pub(in crate::search) fn succ<S: Store<Hash = Hash>>(
        &mut self,
        stepper: &mut dyn Stepper,
        store: &S,
        meter: &mut Meter<'_, '_>,
        t: Transition,
    ) -> Result<Hash, End> {
        if let Some((successor, hash)) = self.successors.by(t) {
            self.next.clear();
            self.next.extend_from_slice(successor.state);
            return Ok(hash);
        }
        // Firing again may be as much work as it was the first time.
        meter.watch(stepper, store, false)?;
        // A fault was reported when the transition was first fired.
        let _ = stepper.fire(&self.state, t, &mut self.next);
        meter.counters.generated += 1;
        Ok(store.hash(&self.next))
    }

    /// The edge by a pending transition to S'.
    pub(in crate::search) fn edge(&self, transition: Transition) -> Edge<'_> {
        Edge { from: &self.state, transition, to: &self.next, fault: None }
    }

    /// After a pop: makes S the state that is now on top.
    pub(in crate::search) fn back<S: Store>(&mut self, store: &S) {
        self.successors.clear();
        if let Some(top) = self.path.top() {
            store.read(top, &mut self.state);
        }
    }
}

/// The three stacks of on-the-fly-verification-1993: St (as references into the store), St_Trans and St_Ens_Trans.
#[derive(Default)]
pub(in crate::search) struct Path {
    states: Vec<Ref>,
    /// The transition by which each state was entered; that of the root means nothing.
    by: Vec<Transition>,
    pending: Vec<Transition>,
    /// By pending transition: where the store will look for its target.
    hints: Vec<u32>,
    /// Where the pending transitions of each state begin.
    pending_from: Vec<u32>,
}

impl Path {
    /// Bytes of a frame with one pending transition.
    pub(in crate::search) const FRAME: usize = 20 + 12;

    pub(in crate::search) fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    pub(in crate::search) fn len(&self) -> usize {
        self.states.len()
    }

    pub(in crate::search) fn bytes(&self) -> usize {
        self.states.len() * 20 + self.pending.len() * 12
    }

    pub(in crate::search) fn top(&self) -> Option<Ref> {
        self.states.last().copied()
    }

    pub(in crate::search) fn push(&mut self, at: Ref, by: Transition) {
        self.states.push(at);
        self.by.push(by);
        let from = u32::try_from(self.pending.len()).expect("2^32 pending transitions are over 32 GiB");
        self.pending_from.push(from);
    }

    pub(in crate::search) fn pop(&mut self) -> Ref {
        self.by.pop();
        self.pending_from.pop();
        self.states.pop().expect("the path is not empty")
    }

    fn clear(&mut self) {
        self.states.clear();
        self.by.clear();
        self.pending.clear();
        self.hints.clear();
        self.pending_from.clear();
    }

    pub(in crate::search) fn add_pending(&mut self, t: Transition, hint: u32) {
        self.pending.push(t);
        self.hints.push(hint);
    }

    /// Turns the pending transitions of the top state around, so that the first is taken first.
    pub(in crate::search) fn seal_pending(&mut self) {
        let from = *self.pending_from.last().expect("the path is not empty") as usize;
        self.pending[from..].reverse();
        self.hints[from..].reverse();
    }

    pub(in crate::search) fn next_pending(&mut self) -> Option<Transition> {
        let from = *self.pending_from.last()? as usize;
        if self.pending.len() > from {
            self.hints.pop();
            self.pending.pop()
        } else {
            None
        }
    }

    /// The pending transitions of the top state.
    pub(in crate::search) fn pending(&self) -> &[Transition] {
        &self.pending[self.pending_from.last().map_or(0, |&from| from as usize)..]
    }

    /// How many transitions are pending, of all states.
    pub(in crate::search) fn pending_len(&self) -> usize {
        self.pending.len()
    }

    /// The pending transition with this index, the root's last one being the first: at which position of the path, from
    /// which state, and which it is.
    pub(in crate::search) fn pending_at(&self, index: usize) -> Option<(usize, Ref, Transition)> {
        let &t = self.pending.get(index)?;
        let position = self.pending_from.partition_point(|&from| from as usize <= index) - 1;
        Some((position, self.states[position], t))
    }

    pub(in crate::search) fn position(&self, at: Ref) -> usize {
        self.states.iter().rposition(|&state| state == at).expect("a state with status Path is on the path")
    }

    /// The run from the root to the top.
    pub(in crate::search) fn transitions(&self) -> impl Iterator<Item = Transition> + '_ {
        self.by.iter().skip(1).copied()
    }
}
