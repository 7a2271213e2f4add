//! Ways to go on without choosing every step: by chance, to a state where an expression holds, to a place that was not met before; and
//! the states around a position.
//!
//! Each is bounded by an effort that is given, and asks from time to time whether it should stop, so that a large model costs what the
//! user grants. What is found becomes a part of the tree; what was only looked at does not.

use super::expression::Expression;
use super::tree::NodeId;
use super::view::{NeighbourEdge, NeighbourState, Neighbourhood};
use super::{Session, Trouble};
use crate::simulation::Ending;
use elnath_kernel::rng::Rng;
use elnath_kernel::{Fault, Limit, Successors};
use elnath_source::Message;
use serde::Serialize;
use std::collections::HashMap;

/// How much a search may cost.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// How many states.
    pub states: u64,
    /// How many bytes they may take.
    pub memory: usize,
}

impl Default for Effort {
    /// A million states, 512 MiB.
    fn default() -> Self {
        Self { states: 1 << 20, memory: 1 << 29 }
    }
}

/// Whether to stop; asked every few hundred states with how many were looked at.
pub type Interrupt<'i> = &'i mut dyn FnMut(u64) -> bool;

/// How often it is asked.
const ASKED: u64 = 256;

/// What became of a run by chance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RandomRun {
    /// Where it came to: the session is there now.
    pub node: NodeId,
    /// How many steps it took.
    pub steps: u64,
    /// Why it stopped.
    pub stopped: RandomStop,
}

/// Why a run by chance stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RandomStop {
    /// It took as many steps as were wanted.
    Steps,
    /// A breakpoint holds.
    Breakpoint {
        /// Its number in the list.
        number: usize,
        /// The expression.
        text: String,
    },
    /// The run has ended.
    Ended {
        /// How, in words.
        text: String,
    },
    /// Somebody interrupted it.
    Interrupted,
    /// The tree is full.
    Full,
}

/// What became of a search for a state where an expression holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Search {
    /// There is one, on a shortest way: the session is there now.
    Found {
        /// Where.
        node: NodeId,
        /// How many steps it is from where the session was.
        steps: u64,
        /// How many states were looked at.
        states: u64,
    },
    /// There is none among all states that can be reached from here.
    Nowhere {
        /// How many states these are.
        states: u64,
    },
    /// What it might cost ran out.
    Unknown {
        /// What ran out.
        limit: String,
        /// How many states were looked at.
        states: u64,
    },
}

/// Where a step of a search leads to.
struct Reached<'r> {
    state: &'r [u8],
    label: Option<&'r str>,
    fault: Option<Fault>,
}

impl Session<'_> {
    /// Takes steps by chance until so many are taken, a breakpoint holds or the run ends.
    pub fn random(&mut self, seed: u64, steps: u64, interrupt: Interrupt<'_>) -> RandomRun {
        let mut rng = Rng::new(seed);
        let mut taken = 0;
        let system = self.shared();
        let mut stepper = system.stepper();
        let mut state = self.tree.state(&mut *stepper, self.here);
        let (mut enabled, mut next) = (Vec::new(), Vec::new());
        let stopped = loop {
            let ending = Ending::at(&*system, &mut *stepper, &state, self.tree.fault(self.here));
            if ending != Ending::Open {
                break RandomStop::Ended { text: ending.text(&*system) };
            }
            if taken == steps {
                break RandomStop::Steps;
            }
            if taken > 0 && taken.is_multiple_of(ASKED) && interrupt(taken) {
                break RandomStop::Interrupted;
            }
            stepper.enabled(&state, &mut enabled);
            let choice = rng.below(enabled.len() as u64) as u32;
            let t = enabled[choice as usize];
            let fault = stepper.fire(&state, t, &mut next).err();
            let Some(node) = self.tree.add(self.here, choice, t, (&next, fault)) else {
                break RandomStop::Full;
            };
            let label = || system.action_name(stepper.action(&state, t));
            let label = self.breakpoints.iter().any(Expression::looks_at_labels).then(label);
            self.here = node;
            taken += 1;
            std::mem::swap(&mut state, &mut next);
            let held = self.breakpoints.iter().position(|one| one.holds(&*system, &state, label.as_deref()));
            if let Some(number) = held {
                break RandomStop::Breakpoint { number, text: self.breakpoints[number].text.clone() };
            }
        };
        RandomRun { node: self.here, steps: taken, stopped }
    }

    /// Goes a shortest way, of at least one step, to a state where a condition holds.
    ///
    /// # Errors
    /// What is wrong with the condition.
    pub fn until(
        &mut self,
        text: &str,
        effort: Effort,
        interrupt: Interrupt<'_>,
    ) -> Result<Search, Vec<Message>> {
        let condition = Expression::condition(text, &self.language)?;
        let wanted = |session: &Self, reached: &Reached<'_>| {
            condition.holds(&*session.system, reached.state, reached.label)
        };
        Ok(self.nearest(condition.looks_at_labels(), &wanted, effort, interrupt))
    }

    /// Goes a shortest way to a state in which a breakpoint holds.
    pub fn to_breakpoint(&mut self, effort: Effort, interrupt: Interrupt<'_>) -> Search {
        let labels = self.breakpoints.iter().any(Expression::looks_at_labels);
        let wanted = |session: &Self, reached: &Reached<'_>| {
            session.breakpoints.iter().any(|one| one.holds(&*session.system, reached.state, reached.label))
        };
        self.nearest(labels, &wanted, effort, interrupt)
    }

    /// Goes a shortest way to a state at which a run ends: a deadlock, a fault, a violated invariant, or (unless only errors are
    /// wanted) an end that is fine.
    pub fn to_end(&mut self, only_errors: bool, effort: Effort, interrupt: Interrupt<'_>) -> Search {
        let wanted = |session: &Self, reached: &Reached<'_>| {
            let system = &*session.system;
            let ending = Ending::at(system, &mut *system.stepper(), reached.state, reached.fault);
            ending.is_error() || !only_errors && ending != Ending::Open
        };
        self.nearest(false, &wanted, effort, interrupt)
    }

    /// A breadth-first search from here.
    fn nearest(
        &mut self,
        labels: bool,
        wanted: &dyn Fn(&Self, &Reached<'_>) -> bool,
        effort: Effort,
        interrupt: Interrupt<'_>,
    ) -> Search {
        let system = self.shared();
        let mut stepper = system.stepper();
        let start = self.tree.state(&mut *stepper, self.here);
        let mut seen: HashMap<Box<[u8]>, ()> = HashMap::from([(start.clone().into_boxed_slice(), ())]);
        // Each state with the one before it and the choice made there.
        let mut queue: Vec<(Box<[u8]>, usize, u32)> = vec![(start.into_boxed_slice(), 0, 0)];
        let mut bytes = 0;
        let mut successors = Successors::default();
        let mut at = 0;
        while at < queue.len() {
            let states = queue.len() as u64;
            let unknown = |limit: Limit| Search::Unknown { limit: limit.name().to_owned(), states };
            if (at as u64).is_multiple_of(ASKED) && at > 0 && interrupt(states) {
                return unknown(Limit::Interrupted);
            }
            let state = queue[at].0.clone();
            stepper.successors(&state, &mut successors);
            for (choice, successor) in (0..).zip(successors.iter()) {
                let label = labels.then(|| system.action_name(stepper.action(&state, successor.transition)));
                let reached =
                    Reached { state: successor.state, label: label.as_deref(), fault: successor.fault };
                if wanted(self, &reached) {
                    let mut choices = vec![choice];
                    let mut from = at;
                    while from > 0 {
                        choices.push(queue[from].2);
                        from = queue[from].1;
                    }
                    let steps = choices.len() as u64;
                    for choice in choices.into_iter().rev() {
                        if self.step(choice).is_err() {
                            return Search::Unknown { limit: Trouble::Full.to_string(), states };
                        }
                    }
                    return Search::Found { node: self.here, steps, states };
                }
                // What follows a fault is not gone through.
                if successor.fault.is_some() || seen.contains_key(successor.state) {
                    continue;
                }
                bytes += 2 * successor.state.len() + 96;
                if bytes > effort.memory {
                    return unknown(Limit::Memory);
                }
                if queue.len() as u64 >= effort.states {
                    return unknown(Limit::States);
                }
                seen.insert(successor.state.into(), ());
                queue.push((successor.state.into(), at, choice));
            }
            at += 1;
        }
        Search::Nowhere { states: queue.len() as u64 }
    }

    /// Goes to another continuation: from here, or from the nearest position before it where there is one, the first move that was not
    /// tried and leads to a state that this session has not met. None if there is no such move on the way back to the start.
    pub fn another(&mut self) -> Result<Option<NodeId>, Trouble> {
        let system = self.shared();
        let (mut stepper, mut walker) = (system.stepper(), system.stepper());
        let mut successors = Successors::default();
        let mut from = Some(self.here);
        while let Some(node) = from {
            let state = self.tree.state(&mut *stepper, node);
            if self.tree.fault(node).is_none() {
                stepper.successors(&state, &mut successors);
                let new = (0..).zip(successors.iter()).find(|(choice, successor)| {
                    self.tree.child(node, *choice).is_none()
                        && !self.tree.has_state(&mut *walker, successor.state)
                });
                if let Some((choice, successor)) = new {
                    let (t, fault) = (successor.transition, successor.fault);
                    let found =
                        self.tree.add(node, choice, t, (successor.state, fault)).ok_or(Trouble::Full)?;
                    self.here = found;
                    return Ok(Some(found));
                }
            }
            from = self.tree.parent(node);
        }
        Ok(None)
    }

    /// The states that can be reached from a position, the nearest first, at most so many.
    ///
    /// # Errors
    /// If there is no such position.
    pub fn around(&mut self, node: NodeId, most: usize) -> Result<Neighbourhood, Trouble> {
        self.known(node)?;
        let system = self.shared();
        let (mut stepper, mut walker) = (system.stepper(), system.stepper());
        let start = self.tree.state(&mut *stepper, node);
        let mut numbers: HashMap<Vec<u8>, u32> = HashMap::from([(start.clone(), 0)]);
        let mut all: Vec<(Vec<u8>, Vec<u32>)> = vec![(start, Vec::new())];
        let mut picture = Neighbourhood { states: Vec::new(), edges: Vec::new() };
        let mut successors = Successors::default();
        let mut at = 0;
        while at < all.len() {
            let (state, choices) = all[at].clone();
            stepper.successors(&state, &mut successors);
            let mut expanded = true;
            for (choice, successor) in (0..).zip(successors.iter()) {
                let to = match numbers.get(successor.state) {
                    Some(&to) => to,
                    None if all.len() >= most => {
                        expanded = false;
                        continue;
                    }
                    None => {
                        let to = all.len() as u32;
                        numbers.insert(successor.state.to_vec(), to);
                        all.push((successor.state.to_vec(), [&choices[..], &[choice]].concat()));
                        to
                    }
                };
                let label = system.action_name(stepper.action(&state, successor.transition));
                let fault = successor.fault.is_some();
                picture.edges.push(NeighbourEdge { from: at as u32, to, label, choice, fault });
            }
            let ending = Ending::at(&*system, &mut *stepper, &state, None);
            picture.states.push(NeighbourState {
                text: system.show_state(&state),
                distance: choices.len() as u32,
                choices,
                expanded,
                met: self.tree.has_state(&mut *walker, &state),
                ending: ending.name(),
            });
            at += 1;
        }
        Ok(picture)
    }
}
