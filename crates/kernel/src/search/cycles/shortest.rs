//! Short lassos: shortening the cycle of a given lasso, and finding a shortest lasso.
//!
//! A lasso found by depth-first search is as long as the path happened to be. [`shorten`] explores the surroundings of
//! the cycle, within a limit, and replaces it by a shortest one that starts somewhere on the given run: cheap enough
//! for every report. [`shortest`] minimises prefix and cycle together. It needs the whole reachable graph, with its
//! transitions, in memory (the state, about 30 bytes, and 24 for each transition), and one breadth-first search from
//! every state that is near enough to begin a shorter lasso than the best so far: in the worst case the square of the
//! size of the graph, times the number of subsets of the marks. In practice the first lasso found is short, and bounds
//! all later searches.

use crate::Successors;
use crate::budget::{Budget, WATCH_WORK};
use crate::lasso::{AcceptedBy, Lasso};
use crate::search::parts::explicit::{Arc, Explicit};
use crate::search::parts::meter::Meter;
use crate::search::{Emptiness, End};
use crate::store::{Known, Numbered, Numbers, Ref, Room, States, Store, Visit};
use crate::system::{Fault, Stepper, Transition};
use crate::verdict::Limit;

/// The same lasso with a loop that is as short as can be found: among the cycles that begin in a state of the lasso, and
/// stay among the `most` states nearest to its cycle, one with which it is shortest; a very long one stays as it is. The
/// lasso must be a real one.
pub fn shorten(
    stepper: &mut dyn Stepper,
    acceptance: &AcceptedBy,
    root: &[u8],
    lasso: &Lasso,
    most: usize,
) -> Lasso {
    /// A longer cycle would take longer to shorten than people wait for what is known already, and more memory than they
    /// may have granted.
    const LONGEST: usize = 20_000;
    if lasso.cycle.len() > LONGEST {
        return lasso.clone();
    }
    let mut near = Surroundings::default();
    let (mut state, mut next) = (root.to_vec(), Vec::new());
    let mut run = Vec::with_capacity(lasso.len());
    for (step, t) in lasso.steps().enumerate() {
        if step >= lasso.prefix.len() {
            near.node(&state, usize::MAX);
        }
        run.push(state.clone());
        let _ = stepper.fire(&state, t, &mut next);
        std::mem::swap(&mut state, &mut next);
    }
    near.expand_all(stepper, acceptance, most, |_, _| Ok(())).expect("nothing is limited");
    let condition = acceptance.condition();
    let allowed = near.graph.candidates(&condition);
    let mut best = lasso.clone();
    // Each step is 50 ns or so: a fifth of a second at most.
    let mut work = 4_000_000;
    for (step, state) in run.iter().enumerate() {
        let Some(node) = near.number_of(state) else { continue };
        let Some(longest) = (best.len() - 1).checked_sub(step) else { break };
        if let Some(cycle) = near.graph.shortest_cycle(node, &condition, longest, &allowed, &mut work) {
            best = Lasso { prefix: lasso.steps().take(step).collect(), cycle };
        }
    }
    best
}

/// Looks for a lasso that is accepted and no longer than any other, prefix and cycle together. The head of the source
/// file tells what this costs.
pub fn shortest(
    stepper: &mut dyn Stepper,
    acceptance: &AcceptedBy,
    root: &[u8],
    budget: &mut Budget<'_>,
) -> Emptiness {
    let mut meter = Meter::new(budget);
    let mut all = Surroundings::default();
    all.node(root, usize::MAX);
    let mut result = all.expand_all(stepper, acceptance, usize::MAX, |stepper, all| {
        meter.counters.path_bytes = all.bytes();
        meter.counters.generated = all.generated;
        meter.counters.transitions = all.generated;
        if all.store.bytes() + all.bytes() > meter.budget.memory {
            return Err(End::Limited(Limit::Memory));
        }
        if all.states.len() as u64 > meter.budget.states {
            return Err(End::Limited(Limit::States));
        }
        meter.watch(stepper, &all.store, all.graph.len().is_multiple_of(1024))
    });
    let condition = acceptance.condition();
    let candidates = if result.is_ok() { all.graph.candidates(&condition) } else { Vec::new() };
    let (mut distances, mut best) = (Vec::with_capacity(candidates.len()), None::<Lasso>);
    let mut steps = u64::MAX;
    let mut watched = steps;
    for (node, &candidate) in candidates.iter().enumerate() {
        let distance = if node == 0 { 0 } else { distances[all.parents[node].0 as usize] + 1 };
        distances.push(distance);
        let shorter = best.as_ref().map_or(meter.budget.depth, |best| best.len() - 1);
        if !candidate || distance >= shorter {
            // A cycle has at least one transition.
            continue;
        }
        let node = node as u32;
        let longest = shorter - distance;
        let cycle = all.graph.shortest_cycle(node, &condition, longest, &candidates, &mut steps);
        if let Some(cycle) = cycle {
            best = Some(Lasso { prefix: all.run_to(node), cycle });
        }
        let due = watched - steps >= WATCH_WORK;
        if due {
            watched = steps;
        }
        if let Err(end) = meter.watch(stepper, &all.store, due) {
            // A lasso that is perhaps not a shortest one is not the answer, but says that there is one.
            result = Err(if best.take().is_some() { End::Limited(Limit::Witness) } else { end });
            break;
        }
    }
    meter.read(&all.store);
    meter.faults = all.faults;
    meter.counters.depth = distances.last().copied().unwrap_or(0);
    if best.is_some() {
        result = Err(End::Stopped);
    } else if result.is_ok() && candidates.contains(&true) && meter.budget.depth < usize::MAX {
        result = Err(End::Limited(Limit::Depth));
    }
    Emptiness::new(meter, result, best)
}

/// Some states and the transitions among them, numbered breadth first.
#[derive(Default)]
struct Surroundings {
    /// The number of a state is one more than that of its node.
    store: Numbered,
    states: Vec<Ref>,
    /// By node: the node it was reached from, and how.
    parents: Vec<(u32, Transition)>,
    graph: Explicit,
    generated: u64,
    /// The faults met, each once.
    faults: Vec<Fault>,
}

impl Surroundings {
    /// Bytes of all but the store.
    fn bytes(&self) -> usize {
        self.graph.bytes() + self.states.len() * (size_of::<Ref>() + size_of::<(u32, Transition)>())
    }

    /// The node of a state; it is made if there is none and there are fewer than `most`. Whether it is new comes with it.
    fn node(&mut self, state: &[u8], most: usize) -> Option<(u32, bool)> {
        let hash = self.store.hash(state);
        if self.states.len() >= most.min(u32::MAX as usize) {
            let at = self.store.find(state, hash)?.at;
            return Some((self.store.number(at) - 1, false));
        }
        match self.store.visit(state, hash, Room::UNLIMITED).ok()? {
            Visit::Known(Known { at, .. }) => Some((self.store.number(at) - 1, false)),
            Visit::New(at) => {
                self.states.push(at);
                self.store.set_number(at, self.states.len() as u32);
                self.parents.push((0, Transition(0)));
                Some((self.states.len() as u32 - 1, true))
            }
        }
    }

    fn number_of(&mut self, state: &[u8]) -> Option<u32> {
        let hash = self.store.hash(state);
        let at = self.store.find(state, hash)?.at;
        Some(self.store.number(at) - 1)
    }

    /// Expands the states one after the other until there are `most`; `each` is called after each.
    fn expand_all(
        &mut self,
        stepper: &mut dyn Stepper,
        acceptance: &AcceptedBy,
        most: usize,
        mut each: impl FnMut(&dyn Stepper, &Self) -> Result<(), End>,
    ) -> Result<(), End> {
        let (mut successors, mut state) = (Successors::default(), Vec::new());
        let mut node = 0;
        while let Some(&at) = self.states.get(node) {
            self.store.read(at, &mut state);
            stepper.successors(&state, &mut successors);
            self.generated += successors.len() as u64;
            for successor in successors.iter() {
                let by = successor.transition;
                if let Some(fault) = successor.fault
                    && !self.faults.contains(&fault)
                {
                    self.faults.push(fault);
                }
                let Some((to, new)) = self.node(successor.state, most) else { continue };
                if new {
                    self.parents[to as usize] = (node as u32, by);
                }
                if let Some(marks) = acceptance.marks(stepper, &state, by) {
                    self.graph.add(Arc { to, by, marks });
                }
            }
            self.graph.close_node();
            each(stepper, self)?;
            node += 1;
        }
        Ok(())
    }

    fn run_to(&self, mut node: u32) -> Vec<Transition> {
        let mut run = Vec::new();
        while node != 0 {
            let (parent, by) = self.parents[node as usize];
            run.push(by);
            node = parent;
        }
        run.reverse();
        run
    }
}
