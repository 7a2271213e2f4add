//! Runs that show a violation, and the check that they are real.
//!
//! A search hands over nothing but the transitions it fired. [`replay`] walks them again on a fresh stepper, step by
//! step, and fails if any of them is not enabled where the search claims it was: no diagnosis is shown unreplayed.

use crate::system::{Fault, System, Transition};
use std::fmt;

/// A run from the initial state that shows a violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnosis {
    /// The transitions, from the initial state on.
    pub steps: Vec<Transition>,
    /// For an infinite run: the step with which its loop begins; the run goes back there after the last step.
    pub loop_start: Option<usize>,
}

/// A replayed run: `states[i]` is where `steps[i]` is fired, the last state is where the run ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// One state more than there are steps.
    pub states: Vec<Vec<u8>>,
    /// The transitions fired.
    pub steps: Vec<Transition>,
    /// The fault that the last step ran into, if it did.
    pub fault: Option<Fault>,
}

impl Run {
    /// The state in which the run ends.
    pub fn last(&self) -> &[u8] {
        self.states.last().expect("a run has at least its initial state")
    }
}

/// A claimed run that the system cannot do: always a bug of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotARun {
    /// The step, from 0, that is not enabled.
    pub step: usize,
}

impl fmt::Display for NotARun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {} of the diagnosis is not enabled when it is replayed", self.step + 1)
    }
}

impl std::error::Error for NotARun {}

/// Fires `steps` from the initial state of `system`, checking that each is enabled where it is fired.
///
/// # Errors
/// The first step that is not enabled.
pub fn replay(system: &dyn System, steps: &[Transition]) -> Result<Run, NotARun> {
    let mut stepper = system.stepper();
    let (mut state, mut next, mut enabled) = (Vec::new(), Vec::new(), Vec::new());
    stepper.initial(&mut state);
    let mut run = Run { states: vec![state.clone()], steps: steps.to_vec(), fault: None };
    for (step, &t) in steps.iter().enumerate() {
        stepper.enabled(&state, &mut enabled);
        if !enabled.contains(&t) {
            return Err(NotARun { step });
        }
        run.fault = stepper.fire(&state, t, &mut next).err();
        std::mem::swap(&mut state, &mut next);
        run.states.push(state.clone());
    }
    Ok(run)
}
