//! UFSCC: strongly connected components by many workers (Bloemen, Laarman and van de Pol 2016, "Multi-core on-the-fly
//! SCC decomposition"), for any number of acceptance sets on transitions (Bloemen, Duret-Lutz and van de Pol 2017).
//!
//! The workers share sets of states that are known to be in one component ([`Sets`]). Each worker has a path of its
//! own, and on it a stack of *roots*, one for each set that the path goes through. An edge to a complete set is
//! ignored; an edge to a set that the worker has not entered lengthens its path; an edge to a set that it has entered
//! closes a cycle, and all sets from there to the top of its stack are united, whichever worker made them. Other
//! workers see united sets as one. When a worker has explored all transitions of a state it looks for another state of
//! the same set that is not finished, and explores that one; when there is none the set is complete, and the worker
//! leaves it.
//!
//! **Marks.** A set has the marks of the transitions inside it. The marks of a transition that lengthens the path wait
//! with the root, and are added when its set is united with the one below, or when the worker has left it and both ends
//! turn out to be in one set, which another worker may have caused. So when a set is complete all its transitions have
//! been accounted for, and as soon as its marks are accepted all workers stop: each set is strongly connected all the
//! time.
//!
//! One worker then searches the set, as an explicit graph, for the cycle.
//!
//! Strong fairness needs more than sets: whether a component can respond to its requests is known when it is complete,
//! and it may have to be divided again. That is left to [`scc`](crate::search::scc).

use super::Inside;
use super::outside::Entry;
use super::team::{Found, Worker, search};
use super::union_find::{Claim, Sets, WORDS};
use crate::budget::Budget;
use crate::lasso::{Condition, Lasso};
use crate::rng::Rng;
use crate::search::Emptiness;
use crate::search::parts::explicit::{Arc, Explicit};
use crate::search::parts::held::{Halt, Reading};
use crate::store::{Noted, Ref};
use crate::system::System;
use crate::verdict::Limit;
use std::collections::HashMap;

/// Looks for a run that meets all sets of the condition again and again, with so many workers, at most 64.
///
/// # Panics
/// If the condition has pairs, or a worker panics.
#[doc(alias = "union-find")]
pub fn ufscc<S: Noted>(
    system: &dyn System,
    store: S,
    condition: &Condition,
    workers: usize,
    seed: u64,
    budget: &mut Budget<'_>,
) -> Emptiness {
    const { assert!(S::NOTES >= WORDS, "sets are noted") };
    assert!(condition.pairs.is_empty(), "strong fairness is not a matter of sets");
    let workers = workers.clamp(1, 64);
    let memory = budget.memory;
    let inside = (0..workers).map(|number| Ufscc {
        condition,
        bit: 1 << number,
        rng: Rng::new(seed.wrapping_add(number as u64)),
        frames: Vec::new(),
        pending: Vec::new(),
        roots: Vec::new(),
    });
    search(system, store, inside.collect(), budget, |worker, store, found| {
        let Found::Component(at) = found else { unreachable!("a component was found") };
        cycle_in(worker, store, condition, at, memory)
    })
}

struct Ufscc<'s> {
    condition: &'s Condition,
    /// This worker's.
    bit: u64,
    rng: Rng,
    frames: Vec<Frame>,
    /// The transitions yet to be seen to of the states that are being expanded.
    pending: Vec<Edge>,
    /// The sets that the path goes through.
    roots: Vec<Root>,
}

/// A set that was entered at a state.
struct Frame {
    entered: Ref,
    /// The marks of the transition that led there.
    entry: u64,
    /// The state of the set that is being expanded, if one is.
    expanding: Option<Ref>,
    pending_from: u32,
    successors: u32,
}

#[derive(Clone, Copy)]
struct Edge {
    to: Ref,
    marks: u64,
}

struct Root {
    at: Ref,
    /// The marks of the transition that led there.
    entry: u64,
}

impl Ufscc<'_> {
    /// A set of this worker's path has these marks now.
    fn judge<S: Noted>(
        &self,
        worker: &mut Worker<'_, S>,
        store: &S,
        at: Ref,
        marks: u64,
    ) -> Result<(), Halt> {
        if !self.condition.accepts(marks) {
            return Ok(());
        }
        // A state that is being expanded may have been picked again further up.
        let unfinished = |frame: &Frame| {
            let at = frame.expanding.filter(|&at| !Sets(store).is_done(at))?;
            Some((at.0, u64::from(frame.successors)))
        };
        let unfinished: HashMap<_, u64> = self.frames.iter().filter_map(unfinished).collect();
        Err(worker.found(Found::Component(at), unfinished.values().sum()))
    }

    /// Enters a set that this worker has just claimed.
    fn enter(&mut self, at: Ref, entry: u64) {
        let pending_from = u32::try_from(self.pending.len()).expect("2^32 pending edges are over 64 GiB");
        self.roots.push(Root { at, entry });
        self.frames.push(Frame { entered: at, entry, expanding: None, pending_from, successors: 0 });
    }

    /// Makes the transitions of a state inside pending.
    fn expand<'c, S: Noted>(
        &mut self,
        worker: &mut Worker<'c, S>,
        store: Reading<'c, S>,
        at: Ref,
    ) -> Result<Reading<'c, S>, Halt> {
        let store = worker.expanded_inside(store, || self.stack_bytes())?;
        let store = worker.expand_inside(store, at, true)?;
        let from = self.pending.len();
        for index in 0..worker.outside.batch.entries.len() {
            let Entry { at: to, new, recurs, .. } = worker.outside.batch.entries[index];
            if recurs {
                let marks = worker.marks_of(&store, at, index);
                self.pending.push(Edge { to, marks });
            } else if new {
                worker.outside.take(to, false);
            }
        }
        let pending = &mut self.pending[from..];
        if self.bit == 1 {
            pending.reverse();
        } else {
            for last in (1..pending.len()).rev() {
                pending.swap(last, self.rng.below(last as u64 + 1) as usize);
            }
        }
        let frame = self.frames.last_mut().expect("a set was entered");
        frame.expanding = Some(at);
        frame.successors = worker.outside.batch.entries.len() as u32;
        Ok(store)
    }

    /// A transition from the set on top of the path.
    fn see_to<S: Noted>(&mut self, worker: &mut Worker<'_, S>, store: &S, edge: Edge) -> Result<(), Halt> {
        let sets = Sets(store);
        match sets.claim(edge.to, self.bit) {
            Claim::Dead => {}
            Claim::New => {
                self.enter(edge.to, edge.marks);
                worker.depth = worker.depth.max(self.frames.len());
            }
            Claim::Entered => {
                loop {
                    let top =
                        self.roots.last().expect("a set that was entered and is not complete has a root");
                    if sets.same(top.at, edge.to) {
                        break;
                    }
                    let Root { at, entry } = self.roots.pop().expect("there is one");
                    let below = self.roots.last().expect("the set that was entered is below");
                    sets.unite(at, below.at, entry);
                }
                let marks = sets.add_marks(edge.to, edge.marks);
                self.judge(worker, store, edge.to, marks)?;
            }
        }
        Ok(())
    }

    /// The set on top of the path is complete: goes back.
    fn leave<S: Noted>(&mut self, worker: &mut Worker<'_, S>, store: &S) -> Result<(), Halt> {
        let Frame { entered, entry, .. } = self.frames.pop().expect("a set was entered");
        if self.roots.last().is_some_and(|root| root.at == entered) {
            self.roots.pop();
        }
        // Others may have united what the transition to it connects.
        if let Some(below) = self.frames.last()
            && Sets(store).same(below.entered, entered)
        {
            let marks = Sets(store).add_marks(entered, entry);
            self.judge(worker, store, entered, marks)?;
        }
        Ok(())
    }

    fn stack_bytes(&self) -> usize {
        self.frames.capacity() * size_of::<Frame>()
            + self.pending.capacity() * size_of::<Edge>()
            + self.roots.capacity() * size_of::<Root>()
    }
}

impl<S: Noted> Inside<S> for Ufscc<'_> {
    fn explore<'c>(
        &mut self,
        worker: &mut Worker<'c, S>,
        mut store: Reading<'c, S>,
        seed: Ref,
    ) -> Result<Reading<'c, S>, Halt> {
        if Sets(&*store).claim(seed, self.bit) != Claim::New {
            return Ok(store);
        }
        self.enter(seed, 0);
        while let Some(top) = self.frames.last_mut() {
            if self.pending.len() > top.pending_from as usize {
                let edge = self.pending.pop().expect("there is one");
                self.see_to(worker, &store, edge)?;
                continue;
            }
            if let Some(at) = top.expanding.take()
                && Sets(&*store).mark_done(at)
            {
                // Whoever is first counts.
                worker.transitions += u64::from(top.successors);
            }
            match Sets(&*store).pick(top.entered) {
                Some(at) => store = self.expand(worker, store, at)?,
                None => self.leave(worker, &store)?,
            }
        }
        Ok(store)
    }

    fn is_finished(&self, store: &S, seed: Ref) -> bool {
        Sets(store).is_dead(seed)
    }

    fn bytes(&self) -> usize {
        self.stack_bytes()
    }
}

/// An accepted cycle in the set of a state, and the way to it.
fn cycle_in<S: Noted>(
    worker: &mut Worker<'_, S>,
    store: &S,
    condition: &Condition,
    at: Ref,
    memory: usize,
) -> Result<Lasso, Limit> {
    let sets = Sets(store);
    let (mut graph, mut states) = (Explicit::default(), vec![at]);
    let mut numbers = HashMap::from([(at.0, 0)]);
    let mut done = 0;
    while let Some(&from) = states.get(done) {
        done += 1;
        for (to, by, marks) in worker.known_successors(store, from) {
            if !sets.same(to, at) {
                continue;
            }
            let next = states.len() as u32;
            let number = *numbers.entry(to.0).or_insert_with(|| {
                states.push(to);
                next
            });
            graph.add(Arc { to: number, by, marks });
        }
        graph.close_node();
        // A state costs some forty bytes beside its arcs.
        if store.bytes().saturating_add(graph.bytes() + states.len() * 40) > memory {
            return Err(Limit::Memory);
        }
    }
    let part = graph.accepted(condition).expect("the marks of the set are those of its transitions");
    let begin = part.nodes[0];
    let cycle = graph.cycle(&part, condition, begin);
    Ok(Lasso { prefix: worker.run_to(store, states[begin as usize]), cycle })
}
