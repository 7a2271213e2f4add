//! Runs of a quotient as runs of the system that it is a quotient of.
//!
//! A quotient has one state for many, so that a run of it need not be a run of the system: what one process begins, another
//! seems to go on with. But the two are bisimilar, so the system can follow: wherever it is in a state
//! that corresponds to that of the quotient, it has a transition that corresponds to the quotient's next one, and any
//! that leads to a corresponding state will do. The steps found in this way are only a claim, and are replayed as those of any
//! search.
//!
//! A cycle of the quotient leads the system from a state to one that corresponds to it, with its processes exchanged. It is
//! followed again until a state has been met before.

use crate::diagnosis::{NotARun, Run};
use crate::lasso::Lasso;
use crate::system::{Action, Fault, Stepper, System, Transition};
use std::collections::HashMap;

/// A system of which each state stands for all that correspond to it.
#[derive(Clone, Copy)]
pub struct QuotientSystem<'a> {
    /// The system of these states.
    pub system: &'a dyn System,
    /// Which states correspond to each other.
    pub essence: Essence<'a>,
}

/// What a quotient keeps of a state of the system: states correspond to each other if this is the same of both.
pub type Essence<'a> = &'a dyn Fn(&[u8]) -> Vec<u8>;

/// The transitions of a run of `system` that corresponds to a run of its quotient.
///
/// # Errors
/// The first step of the quotient's run to which no transition corresponds: a bug of ours.
pub fn lift(
    system: &dyn System,
    quotient: QuotientSystem<'_>,
    run: &Run,
) -> Result<Vec<Transition>, NotARun> {
    let mut follower = Follower::new(system, quotient);
    follower.follow(run, 0..run.steps.len())?;
    Ok(follower.steps)
}

/// The same for an infinite run, the cycle of which begins with step `loop_start`.
///
/// # Errors
/// As with [`lift`].
pub fn lift_lasso(
    system: &dyn System,
    quotient: QuotientSystem<'_>,
    run: &Run,
    loop_start: usize,
) -> Result<Lasso, NotARun> {
    let mut follower = Follower::new(system, quotient);
    follower.follow(run, 0..loop_start)?;
    let mut met = HashMap::new();
    loop {
        if let Some(&before) = met.get(&follower.state) {
            return Ok(Lasso::new(follower.steps, before));
        }
        met.insert(follower.state.clone(), follower.steps.len());
        follower.follow(run, loop_start..run.steps.len())?;
    }
}

struct Follower<'a> {
    stepper: Box<dyn Stepper + 'a>,
    essence: Essence<'a>,
    watcher: Box<dyn Stepper + 'a>,
    state: Vec<u8>,
    steps: Vec<Transition>,
    enabled: Vec<Transition>,
    next: Vec<u8>,
}

/// What is to be the same of two transitions that correspond.
#[derive(PartialEq, Eq)]
struct Seen {
    marks: u64,
    fault: Option<Fault>,
    to: Vec<u8>,
}

impl<'a> Follower<'a> {
    fn new(system: &'a dyn System, quotient: QuotientSystem<'a>) -> Self {
        let mut stepper = system.stepper();
        let mut state = Vec::new();
        stepper.initial(&mut state);
        let (steps, enabled, next) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            stepper,
            essence: quotient.essence,
            watcher: quotient.system.stepper(),
            state,
            steps,
            enabled,
            next,
        }
    }

    fn follow(&mut self, run: &Run, steps: std::ops::Range<usize>) -> Result<(), NotARun> {
        for step in steps {
            let (from, t) = (&run.states[step], run.steps[step]);
            let mut to = Vec::new();
            let fault = self.watcher.fire(from, t, &mut to).err();
            let marks = self.watcher.marks(from, t);
            let wanted = Seen { marks, fault, to: (self.essence)(&to) };
            let action = self.watcher.action(from, t);
            // The same action if possible: only where the quotient waits for ever, the system may still have something
            // to do that makes no difference.
            let found = self.matching(&wanted, Some(action)).or_else(|| self.matching(&wanted, None));
            let t = found.ok_or(NotARun { step })?;
            self.steps.push(t);
            std::mem::swap(&mut self.state, &mut self.next);
        }
        Ok(())
    }

    /// The first transition that corresponds; where it leads to is left in `self.next`.
    fn matching(&mut self, wanted: &Seen, action: Option<Action>) -> Option<Transition> {
        self.stepper.enabled(&self.state, &mut self.enabled);
        let Self { stepper, essence, state, enabled, next, .. } = self;
        enabled.iter().copied().find(|&t| {
            if action.is_some_and(|action| stepper.action(state, t) != action) {
                return false;
            }
            let fault = stepper.fire(state, t, next).err();
            *wanted == Seen { marks: stepper.marks(state, t), fault, to: essence(next) }
        })
    }
}
