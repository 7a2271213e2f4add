//! DFSR: depth-first search with replacement (on-the-fly-verification-1993, 2.1), not recursive.
//!
//! The loop is the paper's, with its misprints mended (temporal.md, part c): firable(S0) goes to the pending sets; a
//! transition stays on the path's transition stack as long as the state it led to is on the path; and the walk ends
//! as soon as a hook or the memory says so.
//!
//! One thing is done differently, for speed. When a table has outgrown the caches, looking a state up is a wait for
//! memory. So a state's successors are all fired, hashed and prefetched when the state is entered, and then looked up
//! together ([`Walk::look_ahead`]). Those already known are dealt with at once; only the transitions that led to new
//! states become pending, and are fired again when their turn comes, since the state may by then have been reached
//! another way. The order in which states are entered is the paper's; only the hooks of known targets are called a
//! little earlier. The first pending successor is entered straight from the look-ahead buffer, so few states are
//! computed twice.
//!
//! A frame costs 20 bytes beside the state, which lies in the store and is not kept twice, and 8 bytes for every
//! pending transition.

use super::successors::Hashed;
use super::{Edge, End, Hooks, Outcome, read_store};
use crate::budget::{Budget, Counters, WATCH_INTERVAL, WATCH_WORK};
use crate::store::{Known, Ref, Room, Status, Store, Visit};
use crate::successors::Successor;
use crate::system::{Stepper, Transition};
use crate::verdict::Limit;
use std::ops::ControlFlow;

/// Walks everything reachable from `root`.
///
/// The store is not emptied: several walks may share it, as the partial searches of the paper's section 4.1 do. A root
/// that an earlier walk deferred is walked; one that it has explored is not walked again.
pub fn dfsr<S: Store, H: Hooks>(
    stepper: &mut dyn Stepper,
    store: &mut S,
    hooks: &mut H,
    root: &[u8],
    budget: &mut Budget<'_>,
) -> Outcome {
    let mut walk = Walk {
        stepper,
        store,
        hooks,
        budget,
        path: Path::default(),
        state: root.to_vec(),
        successors: Hashed::default(),
        next: Vec::new(),
        counters: Counters::default(),
        witness: None,
        watched: 0,
        cut: false,
    };
    let end = match walk.run() {
        Ok(()) if walk.cut => End::Limited(Limit::Depth),
        Ok(()) => End::Complete,
        Err(end) => end,
    };
    walk.report(end)
}

struct Walk<'w, 'b, S: Store, H: Hooks> {
    stepper: &'w mut dyn Stepper,
    store: &'w mut S,
    hooks: &'w mut H,
    budget: &'w mut Budget<'b>,
    path: Path,
    /// The paper's S: the state on top of the path.
    state: Vec<u8>,
    /// The paper's S': the successor being entered or met.
    next: Vec<u8>,
    /// The successors of `state` found by looking ahead; empty once the walk has moved on from it.
    successors: Hashed<S::Hash>,
    counters: Counters,
    /// The run to where a hook first said `Break`.
    witness: Option<Vec<Transition>>,
    /// How much work there had been when the watch was last called.
    watched: u64,
    /// Whether the depth limit kept a state from being entered.
    cut: bool,
}

impl<S: Store, H: Hooks> Walk<'_, '_, S, H> {
    fn run(&mut self) -> Result<(), End> {
        std::mem::swap(&mut self.state, &mut self.next);
        let hash = self.store.hash(&self.next);
        match self.visit(hash)? {
            Visit::New(at) => self.enter(at, Transition(0))?,
            // A state that an earlier walk over this store put aside: its turn has come.
            Visit::Known(Known { status: Status::Needed, at }) => {
                self.store.set_status(at, Status::Path);
                self.enter(at, Transition(0))?;
            }
            Visit::Known(_) => {}
        }
        while !self.path.is_empty() {
            if let Some(t) = self.path.next_pending() {
                let hash = self.succ(t)?;
                match self.visit(hash)? {
                    Visit::New(at) if self.hooks.defer(self.stepper, &self.next) => {
                        self.store.set_status(at, Status::Needed);
                    }
                    Visit::New(at) => self.enter(at, t)?,
                    Visit::Known(known) => self.met_meanwhile(t, known)?,
                }
            } else {
                let at = self.path.pop();
                let status = match self.hooks.leave(self.stepper, &self.state) {
                    ControlFlow::Continue(status) => status,
                    ControlFlow::Break(()) => {
                        found(self.hooks, &mut self.witness, &self.path, None)?;
                        Status::Visited
                    }
                };
                self.store.set_status(at, status);
                self.successors.clear();
                if let Some(top) = self.path.top() {
                    self.store.read(top, &mut self.state);
                }
            }
        }
        Ok(())
    }

    /// Puts S', which the store has just taken in, on the path, and looks ahead at its successors.
    fn enter(&mut self, at: Ref, by: Transition) -> Result<(), End> {
        std::mem::swap(&mut self.state, &mut self.next);
        self.path.push(at, by);
        self.counters.depth = self.counters.depth.max(self.path.len() - 1);
        self.watch(self.store.insertions().is_multiple_of(WATCH_INTERVAL))?;
        self.successors.fire_all(self.stepper, self.store, &self.state);
        if self.hooks.expand(self.stepper, &self.state, &self.successors.successors).is_break() {
            found(self.hooks, &mut self.witness, &self.path, None)?;
        }
        self.look_ahead()
    }

    /// Deals with the successors of the current state that are already known, and leaves the others pending.
    fn look_ahead(&mut self) -> Result<(), End> {
        self.counters.generated += self.successors.successors.len() as u64;
        self.counters.transitions += self.successors.successors.len() as u64;
        let may_descend = self.path.len() <= self.budget.depth;
        for (Successor { transition, state: to, fault }, hash) in self.successors.iter() {
            let edge = Edge { from: &self.state, transition, to, fault };
            if self.hooks.edge(self.stepper, edge).is_break() {
                found(self.hooks, &mut self.witness, &self.path, Some(transition))?;
            }
            match self.store.find(to, hash) {
                Some(known) => {
                    if meet(self.hooks, self.stepper, &self.path, edge, known).is_break() {
                        found(self.hooks, &mut self.witness, &self.path, Some(transition))?;
                    }
                }
                None if may_descend => self.path.add_pending(transition),
                None => self.cut = true,
            }
        }
        self.path.seal_pending();
        self.counters.path_bytes = self.counters.path_bytes.max(self.path.bytes());
        Ok(())
    }

    /// Makes S' the successor by a pending transition: still there from looking ahead, or fired again.
    fn succ(&mut self, t: Transition) -> Result<S::Hash, End> {
        if let Some((successor, hash)) = self.successors.by(t) {
            self.next.clear();
            self.next.extend_from_slice(successor.state);
            return Ok(hash);
        }
        // Firing again may be as much work as it was the first time.
        self.watch(false)?;
        // A fault was reported when the transition was first fired.
        let _ = self.stepper.fire(&self.state, t, &mut self.next);
        self.counters.generated += 1;
        Ok(self.store.hash(&self.next))
    }

    /// The paper's `search (S')` and, if it answers Null, the insertion, with a replacement if the memory is full.
    fn visit(&mut self, hash: S::Hash) -> Result<Visit, End> {
        // The path at its longest, since its memory is not given back when it becomes shorter.
        let path = self.counters.path_bytes.max(self.path.bytes() + Path::FRAME);
        let bytes = self.budget.memory.saturating_sub(path);
        let visit = self.store.visit(&self.next, hash, Room { bytes, depth: self.path.len() });
        if matches!(visit, Ok(Visit::New(_))) && self.store.insertions() > self.budget.states {
            return Err(End::Limited(Limit::States));
        }
        visit.map_err(End::Limited)
    }

    /// A successor that was new when the walk looked ahead has been reached another way since.
    fn met_meanwhile(&mut self, transition: Transition, known: Known) -> Result<(), End> {
        let edge = Edge { from: &self.state, transition, to: &self.next, fault: None };
        if meet(self.hooks, self.stepper, &self.path, edge, known).is_break() {
            found(self.hooks, &mut self.witness, &self.path, Some(transition))?;
        }
        Ok(())
    }

    /// Calls the watch if it is due, by the number of states or by the work that they were.
    fn watch(&mut self, due: bool) -> Result<(), End> {
        let work = self.stepper.work();
        if due || work - self.watched >= WATCH_WORK {
            self.watched = work;
            read_store(&mut self.counters, self.store);
            if let Some(limit) = (self.budget.watch)(&self.counters) {
                return Err(End::Limited(limit));
            }
        }
        Ok(())
    }

    fn report(mut self, end: End) -> Outcome {
        read_store(&mut self.counters, self.store);
        Outcome { end, counters: self.counters, witness: self.witness }
    }
}

/// The paper's cases Stack and Nec, Perm, Vis.
fn meet<H: Hooks>(
    hooks: &mut H,
    stepper: &mut dyn Stepper,
    path: &Path,
    edge: Edge<'_>,
    known: Known,
) -> ControlFlow<()> {
    match known.status {
        Status::Path if H::BACK_EDGES => hooks.back_edge(stepper, edge, path.position(known.at)),
        Status::Path => ControlFlow::Continue(()),
        status => hooks.known(stepper, edge, status),
    }
}

/// A hook said `Break`, at the top of the path or at a transition from there.
fn found<H: Hooks>(
    hooks: &H,
    witness: &mut Option<Vec<Transition>>,
    path: &Path,
    last: Option<Transition>,
) -> Result<(), End> {
    witness.get_or_insert_with(|| path.transitions().chain(last).collect());
    if hooks.goes_on() { Ok(()) } else { Err(End::Stopped) }
}

/// The paper's three stacks: St (as references into the store), St_Trans and St_Ens_Trans.
#[derive(Default)]
struct Path {
    states: Vec<Ref>,
    /// The transition by which each state was entered; that of the root means nothing.
    by: Vec<Transition>,
    pending: Vec<Transition>,
    /// Where the pending transitions of each state begin.
    pending_from: Vec<u32>,
}

impl Path {
    /// Bytes of a frame with one pending transition.
    const FRAME: usize = 20 + 8;

    fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    fn len(&self) -> usize {
        self.states.len()
    }

    fn bytes(&self) -> usize {
        self.states.len() * 20 + self.pending.len() * 8
    }

    fn top(&self) -> Option<Ref> {
        self.states.last().copied()
    }

    fn push(&mut self, at: Ref, by: Transition) {
        self.states.push(at);
        self.by.push(by);
        let from = u32::try_from(self.pending.len()).expect("2^32 pending transitions are over 32 GiB");
        self.pending_from.push(from);
    }

    fn pop(&mut self) -> Ref {
        self.by.pop();
        self.pending_from.pop();
        self.states.pop().expect("the path is not empty")
    }

    fn add_pending(&mut self, t: Transition) {
        self.pending.push(t);
    }

    /// Turns the pending transitions of the top state around, so that the first is taken first.
    fn seal_pending(&mut self) {
        let from = *self.pending_from.last().expect("the path is not empty") as usize;
        self.pending[from..].reverse();
    }

    /// The paper's `extract_one_of (top (St_Ens_Trans))`.
    fn next_pending(&mut self) -> Option<Transition> {
        let from = *self.pending_from.last()? as usize;
        if self.pending.len() > from { self.pending.pop() } else { None }
    }

    fn position(&self, at: Ref) -> usize {
        self.states.iter().rposition(|&state| state == at).expect("a state with status Path is on the path")
    }

    fn transitions(&self) -> impl Iterator<Item = Transition> + '_ {
        self.by.iter().skip(1).copied()
    }
}
