//! CNDFS: nested depth-first search by many workers (Evangelista, Laarman, Petrucci and van de Pol 2012, "Improved
//! multi-core nested depth-first search").
//!
//! Each worker makes the two searches of [`se05`](crate::search::se05), in an order of its own, and the workers share
//! colours. Cyan (on the path of the blue search) and pink (reached by the current red search) belong to one worker;
//! blue (left by some worker's blue search) and red (on no accepting cycle) are shared. The colours are bits of one
//! word beside the state. A blue search enters no blue state, so that work finished by one worker is not repeated by
//! another; a red search enters no red state.
//!
//! **Correctness.** What a red search has reached becomes red when the search has ended, and not before every accepting
//! state among it, except its seed, has become red by that state's own red search. Of all red searches that reach a
//! state on an accepting cycle take the one whose wait ends first. No state of the cycle was red before, so it has
//! reached the whole cycle. If an accepting state of the cycle is not the seed, that state was red: a contradiction. So
//! the seed is on the cycle; but the seed is cyan, and the edge to it was reported. Thus a red state is on no accepting
//! cycle. And every accepting state becomes red in the end, since every state inside is entered by some worker.
//!
//! **No deadlock.** If a worker waits for a state that is not red, then that state is the seed of another worker's red
//! search, or it was reached through a state on the path of another worker, which is a successor of the blue state
//! before it: every successor of a blue state is blue, or was on the path of the worker that made the state blue, and
//! still is. If these workers wait for each other in a circle, then the way from the first seed to the path of the next
//! worker, up to that worker's seed and so on, leads back to the path of the first: an accepting cycle without red
//! states, and the first worker has reached all of it and would have reported it. Waiting workers release the store.
//!
//! **If every successor is red** a state is red without a search of its own: if it were on an accepting cycle, so would
//! be one of them. This saves most red searches.
//!
//! **Weak automata**, in which every cycle inside is accepting ([`CycleKind::Weak`]), need no red search at all: of the
//! states of a cycle take the one that becomes blue first. When the worker that makes it blue looked at the next state
//! of the cycle, that state was not blue, so it was on the worker's path (had the worker entered it, it would have
//! become blue first). That is an edge to a cyan state, and is reported.
//!
//! The words are read with acquire and written with release: seeing that a state is blue or red orders everything that
//! its writer did before, which is the only order that the arguments above need.

use super::Inside;
use super::outside::Entry;
use super::team::{Found, Worker, search};
use crate::budget::Budget;
use crate::lasso::Lasso;
use crate::rng::Rng;
use crate::search::Emptiness;
use crate::search::parts::held::{Halt, Reading};
use crate::store::{Noted, Ref};
use crate::system::System;
use std::sync::atomic::Ordering;

/// What is known of the cycles of the states that [may recur](crate::Stepper::may_recur).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CycleKind {
    /// Nothing: those are accepting that have an accepting state.
    Strong,
    /// All of them are accepting.
    Weak,
}

/// Looks for an accepting state on a cycle, with so many workers, at most [`MOST_WORKERS`].
///
/// # Panics
/// If a worker panics.
#[doc(alias = "multi-core nested depth-first search")]
pub fn cndfs<S: Noted>(
    system: &dyn System,
    store: S,
    kind: CycleKind,
    workers: usize,
    seed: u64,
    budget: &mut Budget<'_>,
) -> Emptiness {
    const { assert!(S::NOTES >= 1, "colours are noted") };
    let workers = workers.clamp(1, MOST_WORKERS);
    let inside = (0..workers).map(|number| Cndfs::new(kind, number, workers, seed)).collect();
    search(system, store, inside, budget, |worker, store, found| {
        let Found::Cycle(mut cycle) = found else { unreachable!("a cycle was found") };
        let prefix = worker.run_to(store, cycle[0]);
        cycle.push(cycle[0]);
        Ok(Lasso { prefix, cycle: worker.run_along(store, &cycle) })
    })
}

/// There are as many pairs of bits in a word beside the two that all share.
pub const MOST_WORKERS: usize = 31;

const BLUE: u64 = 1;
const RED: u64 = 2;

struct Cndfs {
    kind: CycleKind,
    /// This worker's bits.
    cyan: u64,
    pink: u64,
    /// Nobody else writes to the words.
    alone: bool,
    order: Order,
    blue: Path,
    red: Path,
    /// The states that the red search has met, and those among them that are accepting, without the seed.
    met: Vec<Ref>,
    accepting: Vec<Ref>,
}

/// In which order a worker takes the successors of a state.
enum Order {
    Forth,
    Back,
    Random(Rng),
}

#[derive(Default)]
struct Path {
    frames: Vec<Frame>,
    /// The successors yet to be entered of all states on the path.
    pending: Vec<Ref>,
}

struct Frame {
    at: Ref,
    /// Where its pending successors begin.
    pending_from: u32,
    /// How many successors it has.
    successors: u32,
    accepting: bool,
    /// Every successor that was looked at is red.
    all_red: bool,
}

impl Cndfs {
    fn new(kind: CycleKind, number: usize, workers: usize, seed: u64) -> Self {
        Self {
            kind,
            cyan: 4 << (2 * number),
            pink: 8 << (2 * number),
            alone: workers == 1,
            order: match number {
                0 => Order::Forth,
                1 => Order::Back,
                _ => Order::Random(Rng::new(seed.wrapping_add(number as u64))),
            },
            blue: Path::default(),
            red: Path::default(),
            met: Vec::new(),
            accepting: Vec::new(),
        }
    }

    #[inline]
    fn colours<S: Noted>(store: &S, at: Ref) -> u64 {
        store.note(at, 0).load(Ordering::Acquire)
    }

    /// Gives a state some colours and takes others from it; those it had when it was given some.
    #[inline]
    fn paint<S: Noted>(&self, store: &S, at: Ref, colours: u64, instead_of: u64) -> u64 {
        let note = store.note(at, 0);
        let mut old = 0;
        if self.alone {
            old = note.load(Ordering::Relaxed);
            note.store(old & !instead_of | colours, Ordering::Relaxed);
            return old;
        }
        if colours != 0 {
            old = note.fetch_or(colours, Ordering::AcqRel);
        }
        if instead_of != 0 {
            note.fetch_and(!instead_of, Ordering::AcqRel);
        }
        old
    }

    fn stack_bytes(&self) -> usize {
        self.blue.bytes() + self.red.bytes() + (self.met.capacity() + self.accepting.capacity()) * 8
    }

    /// Puts a state on the blue path and looks at its successors.
    fn enter_blue<'c, S: Noted>(
        &mut self,
        worker: &mut Worker<'c, S>,
        store: Reading<'c, S>,
        at: Ref,
    ) -> Result<Reading<'c, S>, Halt> {
        self.paint(&*store, at, self.cyan, 0);
        let store = worker.expanded_inside(store, || self.stack_bytes())?;
        let store = worker.expand_inside(store, at, true)?;
        let accepting = self.kind == CycleKind::Weak || worker.accepts(&store, at);
        let successors = worker.outside.batch.entries.len() as u32;
        let pending_from = self.blue.pending_from();
        let mut frame = Frame { at, pending_from, successors, accepting, all_red: true };
        for index in 0..worker.outside.batch.entries.len() {
            let Entry { at: to, new, recurs, .. } = worker.outside.batch.entries[index];
            if !recurs {
                if new {
                    worker.outside.take(to, false);
                }
                continue;
            }
            // Who put it there need not look: if another has entered it since, that is seen when it is taken.
            let colours = if new { 0 } else { Self::colours(&*store, to) };
            if colours & self.cyan != 0 {
                if accepting || worker.accepts(&store, to) {
                    self.blue.frames.push(frame);
                    let cycle = self.blue.since(to);
                    return Err(worker.found(Found::Cycle(cycle), self.unfinished(&*store)));
                }
                frame.all_red = false;
            } else if colours & BLUE == 0 {
                self.blue.pending.push(to);
            } else {
                frame.all_red &= colours & RED != 0;
            }
        }
        self.order.arrange(&mut self.blue.pending[frame.pending_from as usize..]);
        self.blue.frames.push(frame);
        worker.depth = worker.depth.max(self.blue.frames.len());
        Ok(store)
    }

    /// Takes the topmost state, all of whose successors have been seen to, off the blue path.
    fn leave_blue<'c, S: Noted>(
        &mut self,
        worker: &mut Worker<'c, S>,
        mut store: Reading<'c, S>,
    ) -> Result<Reading<'c, S>, Halt> {
        let Frame { at, successors, accepting, all_red, .. } =
            *self.blue.frames.last().expect("there is a state to leave");
        let red = if all_red { RED } else { 0 };
        let done = self.kind == CycleKind::Weak || all_red;
        let old = self.paint(&*store, at, BLUE | red, if done { self.cyan } else { 0 });
        if old & BLUE == 0 {
            // Whoever is first counts.
            worker.transitions += u64::from(successors);
        }
        if done {
            self.blue.frames.pop();
            return Ok(store);
        }
        if accepting {
            store = self.search_red(worker, store, at)?;
        }
        self.paint(&*store, at, 0, self.cyan);
        self.blue.frames.pop();
        if !accepting && let Some(below) = self.blue.frames.last_mut() {
            // It may have become red by the search of another.
            below.all_red &= Self::colours(&*store, at) & RED != 0;
        }
        Ok(store)
    }

    /// The transitions of those states on the path that nobody has finished.
    fn unfinished<S: Noted>(&self, store: &S) -> u64 {
        let open = self.blue.frames.iter().filter(|frame| Self::colours(store, frame.at) & BLUE == 0);
        open.map(|frame| u64::from(frame.successors)).sum()
    }

    /// The red search from an accepting state that is being left.
    fn search_red<'c, S: Noted>(
        &mut self,
        worker: &mut Worker<'c, S>,
        mut store: Reading<'c, S>,
        seed: Ref,
    ) -> Result<Reading<'c, S>, Halt> {
        self.met.clear();
        self.accepting.clear();
        store = self.enter_red(worker, store, seed)?;
        while let Some(top) = self.red.frames.last() {
            if self.red.pending.len() > top.pending_from as usize {
                let to = self.red.pending.pop().expect("there is one");
                if Self::colours(&*store, to) & (self.pink | RED) == 0 {
                    if worker.accepts(&store, to) {
                        self.accepting.push(to);
                    }
                    store = self.enter_red(worker, store, to)?;
                }
            } else {
                self.red.frames.pop();
            }
        }
        for index in 0..self.accepting.len() {
            let at = self.accepting[index];
            store = worker.wait_until(store, |store| Self::colours(store, at) & RED != 0)?;
        }
        for &at in &self.met {
            self.paint(&*store, at, RED, self.pink);
        }
        Ok(store)
    }

    fn enter_red<'c, S: Noted>(
        &mut self,
        worker: &mut Worker<'c, S>,
        store: Reading<'c, S>,
        at: Ref,
    ) -> Result<Reading<'c, S>, Halt> {
        self.paint(&*store, at, self.pink, 0);
        self.met.push(at);
        let store = worker.expanded_inside(store, || self.stack_bytes())?;
        let store = worker.expand_inside(store, at, false)?;
        let pending_from = self.red.pending_from();
        self.red.frames.push(Frame { at, pending_from, successors: 0, accepting: false, all_red: false });
        for index in 0..worker.outside.batch.entries.len() {
            let Entry { at: to, recurs, .. } = worker.outside.batch.entries[index];
            if !recurs {
                continue;
            }
            let colours = Self::colours(&*store, to);
            if colours & self.cyan != 0 {
                let mut cycle = self.blue.since(to);
                // The seed is on both paths.
                cycle.extend(self.red.frames.iter().skip(1).map(|frame| frame.at));
                return Err(worker.found(Found::Cycle(cycle), self.unfinished(&*store)));
            }
            if colours & (self.pink | RED) == 0 {
                self.red.pending.push(to);
            }
        }
        Ok(store)
    }
}

impl<S: Noted> Inside<S> for Cndfs {
    fn explore<'c>(
        &mut self,
        worker: &mut Worker<'c, S>,
        store: Reading<'c, S>,
        seed: Ref,
    ) -> Result<Reading<'c, S>, Halt> {
        let mut store = self.enter_blue(worker, store, seed)?;
        while let Some(top) = self.blue.frames.last_mut() {
            if self.blue.pending.len() == top.pending_from as usize {
                store = self.leave_blue(worker, store)?;
                continue;
            }
            let to = self.blue.pending.pop().expect("there is one");
            let mut next = self.blue.pending.iter().rev();
            if let Some(&soon) = next.next() {
                store.prefetch_at(soon);
            }
            let colours = Self::colours(&*store, to);
            if colours & BLUE == 0 {
                store = self.enter_blue(worker, store, to)?;
            } else {
                top.all_red &= colours & RED != 0;
            }
        }
        Ok(store)
    }

    fn is_finished(&self, store: &S, seed: Ref) -> bool {
        Self::colours(store, seed) & BLUE != 0
    }

    fn bytes(&self) -> usize {
        self.stack_bytes()
    }
}

impl Path {
    fn pending_from(&self) -> u32 {
        u32::try_from(self.pending.len()).expect("2^32 pending states are over 32 GiB")
    }

    /// The states on the path from this one on.
    fn since(&self, at: Ref) -> Vec<Ref> {
        let from = self.frames.iter().rposition(|frame| frame.at == at).expect("a cyan state is on the path");
        self.frames[from..].iter().map(|frame| frame.at).collect()
    }

    fn bytes(&self) -> usize {
        self.frames.capacity() * size_of::<Frame>() + self.pending.capacity() * size_of::<Ref>()
    }
}

impl Order {
    /// Arranges pending states, of which the last will be taken first.
    fn arrange(&mut self, pending: &mut [Ref]) {
        match self {
            Order::Forth => pending.reverse(),
            Order::Back => {}
            Order::Random(rng) => {
                for last in (1..pending.len()).rev() {
                    pending.swap(last, rng.below(last as u64 + 1) as usize);
                }
            }
        }
    }
}
