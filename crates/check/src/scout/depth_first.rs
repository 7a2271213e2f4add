//! A scout that searches depth first, in one of several orders.
//!
//! It is not the search that a user asks for by name (`dfsr`): that one walks to its end, and this one is left and taken up
//! again every few thousand transitions. States are marked by fingerprints of 64 bits. If two of them are confused
//! the scout misses something, as it may anyhow; nothing that it says depends on it, since a run that it finds is replayed.

use super::{Advance, Ended, Scout, effort_of, look};
use elnath_kernel::search::{Order, Reordered};
use elnath_kernel::store::{Compact, Marks, Room, States};
use elnath_kernel::{Hooks, Stepper, Successors, System, Transition};

pub(super) struct DepthFirst<'s, H> {
    stepper: Box<dyn Stepper + 's>,
    hooks: H,
    depth: usize,
    seen: Compact,
    /// The states of the path, one after the other.
    states: Vec<u8>,
    path: Vec<Frame>,
    /// The transitions of all states of the path that are still to be followed; the next one is the last.
    pending: Vec<Transition>,
    next: Vec<u8>,
    /// Whether the next transition has been fired already: `next` is where it leads.
    fired: bool,
    successors: Successors,
}

/// A state of the path.
struct Frame {
    /// Where its bytes begin.
    state: usize,
    /// The transition that led to it; that of the initial state means nothing.
    by: Transition,
    /// Where its pending transitions begin.
    pending: usize,
}

impl<'s, H: Hooks> DepthFirst<'s, H> {
    pub(super) fn new(system: &'s dyn System, hooks: H, order: Order, seed: u64, depth: usize) -> Self {
        Self {
            stepper: Box::new(Reordered::new(system.stepper(), order, seed)),
            hooks,
            depth,
            seen: Compact::new(64),
            states: Vec::new(),
            path: Vec::new(),
            pending: Vec::new(),
            next: Vec::new(),
            fired: false,
            successors: Successors::default(),
        }
    }

    /// Enters the state in `self.next`, if it is new: how many transitions it has.
    fn enter(&mut self, by: Transition, memory: usize) -> Result<Option<u64>, Ended> {
        let Self { stepper, hooks, seen, next, successors, .. } = self;
        let bytes = memory.saturating_sub(
            self.states.capacity()
                + self.path.capacity() * size_of::<Frame>()
                + self.pending.capacity() * size_of::<Transition>(),
        );
        let hash = seen.hash(next);
        let is_new = seen.mark(next, hash, Room { bytes, depth: self.path.len() });
        if !is_new.map_err(|_| Ended::Exhausted)? {
            return Ok(None);
        }
        stepper.successors(next, successors);
        if let Some(last) = look(hooks, &mut **stepper, next, successors) {
            let first = !self.path.is_empty();
            let run = self.path.iter().skip(1).map(|frame| frame.by);
            return Err(Ended::Found(run.chain(first.then_some(by)).chain(last).collect()));
        }
        self.path.push(Frame { state: self.states.len(), by, pending: self.pending.len() });
        self.states.extend_from_slice(next);
        if self.path.len() <= self.depth {
            let new = |state| !seen.is_marked(state, seen.hash(state));
            let pending = successors.iter().filter(|successor| new(successor.state));
            self.pending.extend(pending.map(|successor| successor.transition));
            self.pending[self.path[self.path.len() - 1].pending..].reverse();
            // Where it goes on is known; to fire the transition again takes as long as all this.
            if let Some(first) = successors.iter().find(|successor| new(successor.state)) {
                next.clear();
                next.extend_from_slice(first.state);
                self.fired = true;
            }
        }
        Ok(Some(successors.len() as u64))
    }
}

impl<H: Hooks> Scout for DepthFirst<'_, H> {
    fn advance(&mut self, effort: u64, memory: usize) -> Advance {
        let mut advance = Advance::default();
        while advance.effort < effort {
            let work = self.stepper.work();
            let by = match self.path.last() {
                Some(top) if self.pending.len() > top.pending => {
                    let by = self.pending.pop().expect("there are some");
                    if !std::mem::replace(&mut self.fired, false) {
                        // A fault was seen when the state was entered.
                        let _ = self.stepper.fire(&self.states[top.state..], by, &mut self.next);
                    }
                    by
                }
                Some(top) => {
                    self.states.truncate(top.state);
                    self.path.pop();
                    if self.path.is_empty() {
                        advance.end = Some(Ended::Exhausted);
                        return advance;
                    }
                    continue;
                }
                None => {
                    self.stepper.initial(&mut self.next);
                    Transition(0)
                }
            };
            match self.enter(by, memory) {
                Ok(None) => {}
                Ok(Some(transitions)) => {
                    advance.transitions += transitions;
                    advance.states += 1;
                    advance.effort += transitions * effort_of(self.next.len());
                }
                Err(end) => {
                    advance.end = Some(end);
                    return advance;
                }
            }
            let work = self.stepper.work() - work;
            advance.work += work;
            advance.effort += 1 + work;
        }
        advance
    }

    fn bytes(&self) -> usize {
        self.seen.bytes()
            + self.states.capacity()
            + self.path.capacity() * size_of::<Frame>()
            + self.pending.capacity() * size_of::<Transition>()
    }
}
