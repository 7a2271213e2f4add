//! Makes a run easier to read once the verdict is known: steps that are not needed are left out, and steps that commute are put
//! into an order in which the same process goes on as long as it can (fewer context switches).
//!
//! **Leaving out** is what [`crate::shorten`] does, here with hooks that stop only at the same error: the same kind of violation
//! at the same place ([`crate::distinct`]).
//!
//! **Reordering** needs no independence relation. Of two blocks of one process, with blocks of others between them, one
//! is moved to the other, or some of what is between goes before both and the rest behind. The steps of the piece of the run that
//! is changed are fired one by one in the new order; if each is possible and the piece ends in the same state as
//! before, byte for byte, then so does the run, and its length is the same. (What sleep sets call commuting, observed
//! and not inferred: `kernel/src/search/reach/sleep.rs`.) The step that is the violation stays last. Runs of a product with an
//! automaton are reordered in the product, so that the automaton's state is part of the comparison; whether a cycle is still
//! accepted is for [`crate::temporal`] to say.
//!
//! The order with the fewest switches is not looked for, which would be a search of its own: each change makes them fewer,
//! until none does or the effort is used up. Runs so long that nobody reads them are left as they are.

use crate::distinct::ErrorPlace;
use crate::reachability::{Safety, Violation, hooks_for};
use crate::shorten::shorten;
use elnath_kernel::{Budget, Counters, Run, Stepper, System, Transition, replay};
use std::ops::Range;

/// So many steps are fired.
const EFFORT: u64 = 200_000;
/// Longer runs are not reordered.
const MOST_STEPS: usize = 1 << 14;
/// Between two blocks of a process that are to be joined there are at most so many others.
const MOST_BETWEEN: usize = 8;
/// After so many fired steps it is asked whether there is time for more.
const WATCH: u64 = 1 << 12;

/// What was made of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Polished {
    /// Steps and context switches of the run that was found.
    pub before: (usize, usize),
    /// The same of what was made of it.
    pub after: (usize, usize),
}

impl Polished {
    /// Whether anything was done.
    pub fn is_changed(&self) -> bool {
        self.before != self.after
    }
}

/// The steps of a run to this violation whose order may change: a transition that is the violation stays the last.
pub fn movable(violation: Violation, run: &Run) -> Range<usize> {
    let steps = run.steps.len();
    match violation {
        Violation::Fault(_) | Violation::Forbidden(_) => 0..steps.saturating_sub(1),
        Violation::Deadlock | Violation::Invariant(_) | Violation::FiniteRun | Violation::BadRun => 0..steps,
    }
}

/// A run to the same error without steps that are not needed, if one is found within a small effort: `run` ends in this violation, and
/// the walk that found it had these figures.
pub fn without_needless_steps(
    system: &dyn System,
    question: &Safety<'_>,
    (violation, run): (Violation, &Run),
    walk: &Counters,
    budget: &mut Budget<'_>,
) -> Option<Run> {
    let place = ErrorPlace::of(violation, &mut *system.stepper(), run.last());
    let hooks = hooks_for(system, question, place);
    let mut stop = || (budget.watch)(walk).is_some();
    let steps = shorten(system, hooks, run.steps.clone(), (EFFORT, budget.memory), &mut stop);
    let shorter = replay(system, &steps).ok().filter(|_| steps.len() < run.steps.len())?;
    let is_same = ErrorPlace::of_run(system, question, &shorter).contains(&place);
    is_same.then_some(shorter)
}

/// The number of context switches in a run: how often another process begins a step than the step before. None if the system does not
/// tell who moves.
pub fn context_switches(system: &dyn System, steps: &[Transition]) -> Option<usize> {
    let mut stepper = system.stepper();
    stepper.processes()?;
    Some(switches(&movers(&mut *stepper, steps)))
}

/// Puts these steps of a run into an order with fewer context switches, in which they end in the same state. `stop` is called now
/// and then, and ends it when it says so.
pub fn reorder(system: &dyn System, run: &mut Run, steps: Range<usize>, stop: &mut dyn FnMut() -> bool) {
    let mut stepper = system.stepper();
    if run.steps.len() > MOST_STEPS || stepper.processes().is_none() || stop() {
        return;
    }
    let movers = movers(&mut *stepper, &run.steps);
    let mut reordering = Reordering { stepper, run, movers, left: EFFORT, watched: EFFORT, stop };
    reordering.improve(steps);
}

type Mover = Option<u32>;

fn movers(stepper: &mut dyn Stepper, steps: &[Transition]) -> Vec<Mover> {
    steps.iter().map(|&t| stepper.mover(t)).collect()
}

fn switches(movers: &[Mover]) -> usize {
    movers.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

struct Reordering<'r, 's, 'w> {
    stepper: Box<dyn Stepper + 's>,
    run: &'r mut Run,
    /// Who begins each step.
    movers: Vec<Mover>,
    /// How many steps may still be fired.
    left: u64,
    /// How many that were when `stop` was last called.
    watched: u64,
    stop: &'w mut dyn FnMut() -> bool,
}

impl Reordering<'_, '_, '_> {
    /// Joins blocks of these steps as long as that helps.
    fn improve(&mut self, steps: Range<usize>) {
        let mut is_better = true;
        while std::mem::take(&mut is_better) {
            let mut first = 0;
            loop {
                let blocks = self.blocks(steps.clone());
                if self.left == 0 || first >= blocks.len() {
                    break;
                }
                if self.join(&blocks[first..]) {
                    is_better = true;
                } else {
                    first += 1;
                }
            }
        }
    }

    /// The blocks of steps that one process begins.
    fn blocks(&self, steps: Range<usize>) -> Vec<Range<usize>> {
        let mut blocks: Vec<Range<usize>> = Vec::new();
        for step in steps {
            match blocks.last_mut() {
                Some(block) if self.movers[block.start] == self.movers[step] => block.end = step + 1,
                _ => blocks.push(step..step + 1),
            }
        }
        blocks
    }

    /// Joins the first of these blocks with the next of the same process, if that makes the switches fewer.
    fn join(&mut self, blocks: &[Range<usize>]) -> bool {
        let own = self.movers[blocks[0].start];
        let mut near = blocks.iter().enumerate().skip(2).take(MOST_BETWEEN);
        let Some((next, _)) = near.find(|(_, block)| self.movers[block.start] == own) else { return false };
        if own.is_none() {
            return false;
        }
        let between = &blocks[1..next];
        // All of what is between behind both, all of it before both, or some of it before.
        let splits = [0, between.len()].into_iter().chain(1..between.len());
        for split in splits {
            let (before, behind) = between.split_at(split);
            let both = [&blocks[0], &blocks[next]];
            let order: Vec<usize> =
                before.iter().chain(both).chain(behind).flat_map(|block| block.clone()).collect();
            if self.try_order(blocks[0].start, &order) {
                return true;
            }
        }
        false
    }

    /// Takes the steps from `start` on in this order, if that is possible and better.
    fn try_order(&mut self, start: usize, order: &[usize]) -> bool {
        let end = start + order.len();
        let around = start.saturating_sub(1)..(end + 1).min(self.movers.len());
        let mut movers = self.movers[around.clone()].to_vec();
        let before = switches(&movers);
        for (at, &step) in order.iter().enumerate() {
            movers[start - around.start + at] = self.movers[step];
        }
        if switches(&movers) >= before {
            return false;
        }
        let steps: Vec<Transition> = order.iter().map(|&step| self.run.steps[step]).collect();
        let Some(states) = self.fire(&self.run.states[start].clone(), &steps) else { return false };
        if states.last() != Some(&self.run.states[end]) {
            return false;
        }
        self.run.steps[start..end].copy_from_slice(&steps);
        for (at, state) in states.into_iter().enumerate() {
            self.run.states[start + 1 + at] = state;
        }
        self.movers[around].copy_from_slice(&movers);
        true
    }

    /// The states that these steps lead through, if each is possible and none runs into a fault.
    fn fire(&mut self, from: &[u8], steps: &[Transition]) -> Option<Vec<Vec<u8>>> {
        let (mut states, mut enabled): (Vec<Vec<u8>>, _) = (Vec::new(), Vec::new());
        for &step in steps {
            let work = self.stepper.work();
            let state = states.last().map_or(from, |state| &state[..]);
            self.stepper.enabled(state, &mut enabled);
            if !enabled.contains(&step) || self.is_out_of_effort() {
                return None;
            }
            let mut next = Vec::new();
            self.stepper.fire(state, step, &mut next).ok()?;
            self.left = self.left.saturating_sub(1 + (self.stepper.work() - work) / 16);
            states.push(next);
        }
        Some(states)
    }

    fn is_out_of_effort(&mut self) -> bool {
        if self.watched - self.left >= WATCH {
            self.watched = self.left;
            if (self.stop)() {
                (self.left, self.watched) = (0, 0);
            }
        }
        self.left == 0
    }
}
