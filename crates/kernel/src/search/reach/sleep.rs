//! Depth-first search with sleep sets: explores one order of independent steps, so that fewer transitions lead to known
//! states (Godefroid 1990; with a store that forgets: Godefroid, Holzmann, Pirottin 1992, "State-space caching
//! revisited").
//!
//! Two transitions of different processes *commute* in a state if they lead to the same state in either order. When one
//! has been explored with everything that follows it, it need not be explored again after the other: it *sleeps* there,
//! and keeps sleeping until a transition is fired with which it does not commute. All states are still visited, so a
//! store that keeps them all gains little; but the cost of a store that forgets is second arrivals at forgotten states,
//! and these are what sleep sets save.
//!
//! **What sleeps is a process**, with all its transitions. If q sleeps in S and t, of another process, leads from S to
//! S', then q keeps sleeping in S' if it has the same transitions there, and each of them commutes with t in S. The
//! sleeping processes are a bit mask, with the same meaning in all states, so that two sets are compared without
//! looking at the state. Sets of single transitions would be a little larger: they could contain one of several
//! transitions of q.
//!
//! **Commuting is observed, not inferred**: u and t commute in S if u can be fired after t, t after u, and both orders
//! lead to the same bytes. (This is the refined dependency of Godefroid and Pirottin, 1993; it is a property of *this*
//! state.) An analysis of what commands read and write ([`System::reduced`](crate::System::reduced) has one) would be
//! faster and less precise, since it has to be correct for all values of all variables. It would also have to be
//! trusted; this needs nothing from a language except which process moves.
//!
//! **States that are reached again.** The store keeps for each state which processes slept when it was left. If a state
//! is reached again and one of them does not sleep on this path, it is woken: its transitions are explored now, and
//! from then on it does not sleep there any more. A state that was forgotten is explored again.
//!
//! **Why every state is visited.** Call what happens to a state between its insertion and its being forgotten a *life*;
//! let Z be the set that sleeps in it in the end. The transitions of a life are explored in *batches*: first those of
//! the processes that did not sleep at the first arrival, then, at each arrival that wakes processes, those of the
//! processes woken. Order them so that later batches come before earlier ones, and within a batch in the order of
//! exploration. What is passed on with t is, of those asleep at the time or explored before t in the same batch, those
//! that commute with t. Hence everything passed on with t either sleeps until the end or comes before t in this order
//! (\*): a process that sleeps at the time and is woken later is in a later batch.
//!
//! Now consider the tree of all runs without a store, in which the transitions of each node are explored in the order
//! of the life that the node belongs to (a node's child by t belongs to the life at which t arrived), with sleep sets
//! as defined above. By induction along a run, with (\*), Z of a node's life is a subset of the set that sleeps in the
//! node: an arrival makes Z no larger than what is passed on. So whatever is explored in the tree is explored in some
//! life, and every state in the tree is visited. And every reachable state is in the tree: of all runs to it that
//! differ only by exchanging neighbours that commute, which are finitely many, take the first one by the order in the
//! nodes. If it were not in the tree, one of its transitions would sleep where it is to be explored; it was put to
//! sleep at an earlier node, where it comes before the transition that the run takes, and commutes with all in between;
//! so it can be moved there, which gives a run that comes before the first one: a contradiction. The argument does not
//! depend on the path, nor on what a system that is already reduced leaves out of a state.
//!
//! **Hooks.** All transitions of a state are fired when it is entered, sleeping or not, and `expand` and `edge` see
//! them all. Since all states are visited, a question about states and transitions misses nothing. Edges to known
//! states are not all looked up: the other hooks are not called.

use super::dfsr::Told;
use crate::budget::Budget;
use crate::search::parts::descent::Path;
use crate::search::parts::meter::Meter;
use crate::search::parts::successors::Hashed;
use crate::search::{Edge, End, Hooks, Outcome, Witness};
use crate::store::{Known, Ref, Sleeps, Status, Visit};
use crate::successors::{Successor, Successors};
use crate::system::{Stepper, Transition};

/// Walks everything reachable from `root`, from which no walk over this store has begun before. Of the hooks, `expand` and
/// `edge` are called.
pub fn sleeping<S: Sleeps, H: Hooks>(
    stepper: &mut dyn Stepper,
    store: &mut S,
    hooks: &mut H,
    root: &[u8],
    budget: &mut Budget<'_>,
) -> Outcome {
    let mut meter = Meter::new(budget);
    let mut walk = SleepSetSearch {
        stepper,
        store,
        hooks,
        meter: &mut meter,
        path: Path::default(),
        frames: Vec::new(),
        state: Vec::new(),
        next: root.to_vec(),
        here: Hashed::default(),
        above: Hashed::default(),
        fired: false,
        own: Successors::default(),
        both: Successors::default(),
        told: Told::default(),
    };
    let result = walk.run();
    let Told { witness, kept } = walk.told;
    meter.read(store);
    let (witness, kept) = (witness.map(Witness::Run), kept.into_runs());
    Outcome { end: meter.end(result), counters: meter.counters, witness, kept }
}

/// Processes, one bit each. Those with higher numbers than there are bits never sleep.
type Processes = u32;

/// What is known of a state on the path beside what its place in the store tells.
#[derive(Clone, Copy)]
struct Frame {
    /// Who sleeps, as far as this frame has noticed.
    asleep: Processes,
    /// Whose transitions the batch consists of.
    batch: Processes,
}

struct SleepSetSearch<'w, 'm, 'b, S: Sleeps, H: Hooks> {
    stepper: &'w mut dyn Stepper,
    store: &'w mut S,
    hooks: &'w mut H,
    meter: &'w mut Meter<'m, 'b>,
    path: Path,
    frames: Vec<Frame>,
    /// The state on top of the path, and its successors if they have been fired since it is there.
    state: Vec<u8>,
    here: Hashed<S::Hash>,
    fired: bool,
    /// The successor being entered or met.
    next: Vec<u8>,
    /// The successors of the state from which `state` was entered, just then.
    above: Hashed<S::Hash>,
    /// What [`SleepSetSearch::commutes`] works with.
    own: Successors,
    both: Successors,
    /// The runs to where hooks said `Break`.
    told: Told,
}

impl<S: Sleeps, H: Hooks> SleepSetSearch<'_, '_, '_, S, H> {
    fn run(&mut self) -> Result<(), End> {
        let hash = self.store.hash(&self.next);
        if let Visit::New(at) = self.meter.visit(self.store, &self.path, &self.next, hash)? {
            self.enter(at, Transition(0), 0)?;
        }
        while let Some(at) = self.path.top() {
            if let Some(t) = self.path.next_pending() {
                self.fire_again()?;
                let (successor, hash) = self.here.by(t).expect("what is pending is enabled");
                self.next.clear();
                self.next.extend_from_slice(successor.state);
                let resting = self.resting(t);
                match self.meter.visit(self.store, &self.path, &self.next, hash)? {
                    Visit::New(at) => self.enter(at, t, resting)?,
                    Visit::Known(known) => self.meet(known, t, resting)?,
                }
            } else if self.store.asleep(at) != self.frame().asleep {
                self.wake(at)?;
            } else {
                self.path.pop();
                self.frames.pop();
                self.store.set_status(at, Status::Visited);
                self.fired = false;
                if let Some(top) = self.path.top() {
                    self.store.read(top, &mut self.state);
                }
            }
        }
        Ok(())
    }

    fn frame(&self) -> Frame {
        *self.frames.last().expect("the path is not empty")
    }

    fn bit(&mut self, t: Transition) -> Processes {
        bit(self.stepper, t) & S::PROCESSES
    }

    /// The processes that begin the transitions of the state on top.
    fn movers(&mut self) -> Processes {
        let Self { stepper, here, .. } = self;
        here.iter().fold(0, |all, (successor, _)| all | bit(*stepper, successor.transition)) & S::PROCESSES
    }

    /// Fires all transitions of the state on top, unless that was just done.
    fn fire_again(&mut self) -> Result<(), End> {
        if !self.fired {
            self.meter.watch(&*self.stepper, self.store, false)?;
            self.here.fire_all(self.stepper, self.store, &self.state);
            self.meter.counters.generated += self.here.successors.len() as u64;
            self.fired = true;
        }
        Ok(())
    }

    /// Who sleeps in the state on top or has been followed in this batch: those that may sleep behind t, if they commute
    /// with it.
    fn resting(&mut self, t: Transition) -> Processes {
        let Frame { asleep, batch } = self.frame();
        let Self { stepper, path, .. } = self;
        let to_come =
            path.pending().iter().fold(0, |all, &pending| all | bit(*stepper, pending)) & S::PROCESSES;
        (asleep | (batch & !to_come)) & !self.bit(t)
    }

    /// Puts the next state, which the store has just taken in, on the path.
    fn enter(&mut self, at: Ref, by: Transition, resting: Processes) -> Result<(), End> {
        self.descend(at, by)?;
        self.fired = true;
        if self.hooks.expand(self.stepper, &self.state, &self.here.successors).is_break() {
            self.found(None)?;
        }
        let asleep = self.commuting(by, resting, true);
        self.store.set_asleep(at, asleep);
        let may_descend = self.meter.may_descend(&self.path);
        for index in 0..self.here.successors.len() {
            let Successor { transition, state: to, fault } = self.here.successors.get(index);
            if let Some(fault) = fault {
                self.meter.fault(fault);
            }
            let edge = Edge { from: &self.state, transition, to, fault };
            if self.hooks.edge(self.stepper, edge).is_break() {
                self.found(Some(transition))?;
            }
            if self.bit(transition) & asleep != 0 {
                self.meter.counters.asleep += 1;
                continue;
            }
            let to = self.here.successors.get(index).state;
            // Whom nobody could wake there need not be met in his turn.
            let known = self.store.find(to, self.here.hash(index));
            if known.is_some_and(|known| self.store.asleep(known.at) == 0) {
                continue;
            }
            if may_descend {
                self.path.add_pending(transition, self.here.hint(index));
            } else {
                self.meter.cut = true;
            }
        }
        self.path.seal_pending();
        self.meter.expanded(&self.path, self.here.successors.len());
        let batch = self.movers() & !asleep;
        self.frames.push(Frame { asleep, batch });
        Ok(())
    }

    /// Makes the next state the one on top, with its successors fired, and those of the one before above.
    fn descend(&mut self, at: Ref, by: Transition) -> Result<(), End> {
        std::mem::swap(&mut self.state, &mut self.next);
        std::mem::swap(&mut self.here, &mut self.above);
        self.path.push(at, by);
        self.meter.beside = self.path.len() * size_of::<Frame>() + self.told.kept.bytes();
        self.meter.entered(&*self.stepper, &self.path, self.store)?;
        self.here.fire_all(self.stepper, self.store, &self.state);
        Ok(())
    }

    /// The next state is known. Who slept when it was left and does not on this way is to be woken: at once, or when the path
    /// has come back to it.
    fn meet(&mut self, known: Known, by: Transition, resting: Processes) -> Result<(), End> {
        let asleep = self.store.asleep(known.at);
        if asleep == 0 {
            return Ok(());
        }
        let still = self.commuting(by, resting & asleep, false);
        let woken = asleep & !still;
        if woken == 0 {
            return Ok(());
        }
        self.store.set_asleep(known.at, still);
        if known.status == Status::Path {
            return Ok(());
        }
        debug_assert_eq!(known.status, Status::Visited, "nobody puts states aside here");
        self.store.reopen(known.at);
        self.descend(known.at, by)?;
        self.fired = true;
        self.frames.push(Frame { asleep: still, batch: woken });
        self.follow(woken);
        Ok(())
    }

    /// Somebody was woken in the state on top while it was below others.
    fn wake(&mut self, at: Ref) -> Result<(), End> {
        self.fire_again()?;
        let still = self.store.asleep(at);
        let frame = self.frames.last_mut().expect("the path is not empty");
        let woken = frame.asleep & !still;
        *frame = Frame { asleep: still, batch: woken };
        self.follow(woken);
        Ok(())
    }

    /// Makes the transitions of these processes pending.
    fn follow(&mut self, processes: Processes) {
        let may_descend = self.meter.may_descend(&self.path);
        for index in 0..self.here.successors.len() {
            let transition = self.here.successors.get(index).transition;
            if self.bit(transition) & processes == 0 {
                continue;
            }
            if may_descend {
                self.path.add_pending(transition, self.here.hint(index));
            } else {
                self.meter.cut = true;
            }
        }
        self.path.seal_pending();
        self.meter.expanded(&self.path, 0);
    }

    /// Which of these processes commute with t, which has been fired: from the state whose successors lie above to the one on
    /// top if that was `entered`, from the one on top to the next state if not.
    fn commuting(&mut self, t: Transition, processes: Processes, entered: bool) -> Processes {
        let mover = self.stepper.mover(t);
        let (Some(mover), true) = (mover, processes != 0) else { return 0 };
        let mut commuting = 0;
        let mut left = processes;
        while left != 0 {
            let process = left.trailing_zeros();
            left &= left - 1;
            if self.commutes(t, mover, process, entered) {
                commuting |= 1 << process;
            }
        }
        commuting
    }

    fn commutes(&mut self, t: Transition, mover: u32, process: u32, entered: bool) -> bool {
        let Self { stepper, here, above, next, own, both, .. } = self;
        // What the process can do before t, and behind it.
        let (before, behind) = if entered {
            (&above.successors, &here.successors)
        } else {
            stepper.successors_of(next, process, own);
            (&here.successors, &*own)
        };
        let is_own = |stepper: &mut dyn Stepper, u: Transition| stepper.mover(u) == Some(process);
        let mut count = |all: &Successors| all.iter().filter(|u| is_own(*stepper, u.transition)).count();
        if count(before) != count(behind) {
            return false;
        }
        before.iter().all(|u| {
            if !is_own(*stepper, u.transition) {
                return true;
            }
            let Some(last) = behind.iter().find(|v| v.transition == u.transition) else { return false };
            stepper.successors_of(u.state, mover, both);
            both.iter().any(|v| v.transition == t && v.state == last.state)
        })
    }

    /// A hook said `Break`, at the top of the path or at a transition from there.
    fn found(&mut self, last: Option<Transition>) -> Result<(), End> {
        let Self { told, hooks, path, .. } = self;
        told.found(*hooks, || path.transitions().chain(last))
    }
}

/// The bit of the process that begins `t`.
fn bit(stepper: &mut dyn Stepper, t: Transition) -> Processes {
    stepper.mover(t).and_then(|pid| 1u32.checked_shl(pid)).unwrap_or(0)
}
