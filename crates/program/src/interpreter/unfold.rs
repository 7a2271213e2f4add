//! A simplified program, and its runs as runs of the program as it was written.
//!
//! Simplifying ([`crate::transform`]) adds marks and assignments to commands and leaves them where they are. So a run of
//! the simplified program says which command of which process comes after which; the same commands, one after the
//! other, are possible in the program as it was written, only that several of its transitions may make up one. This is
//! what people are told about, with all values as they would have been.

use super::{Interpreter, Walker};
use crate::interpreter::eval::Move;
use crate::transform::simplify;
use elnath_kernel::{Run, Simplified, Simplify, Stepper, Transition};
use std::sync::Arc;

impl Interpreter {
    /// The program with fewer states that does the same; itself if there is nothing to change.
    pub fn simplify(self: &Arc<Self>, how: Simplify) -> (Arc<Self>, Simplified) {
        let (program, simplified) = simplify(&self.program, how);
        if simplified.merged.unwrap_or(0) == 0 && simplified.forgotten == 0 {
            return (Arc::clone(self), simplified);
        }
        let mut simple = Self::new(program).expect("the initial state is made as before");
        simple.merges = self.merges;
        simple.origin = Some(Arc::clone(self));
        (Arc::new(simple), simplified)
    }

    /// See [`elnath_kernel::System::unfolded`].
    pub(super) fn unfold(&self, run: &Run, loop_start: Option<usize>) -> Option<(Run, Option<usize>)> {
        let origin = self.origin.as_ref()?;
        let (mut simple, mut written) = (self.walker(), origin.walker());
        let (mut state, mut next) = (origin.initial.clone(), Vec::new());
        let mut unfolded = Run { states: vec![state.clone()], steps: Vec::new(), fault: None };
        let mut begins = None;
        for (step, (before, &t)) in run.states.iter().zip(&run.steps).enumerate() {
            if loop_start == Some(step) {
                begins = Some(unfolded.steps.len());
            }
            let ends_with_fault = step + 1 == run.steps.len() && run.fault.is_some();
            let moves = simple.steps_of(before, t);
            let mut rest = &moves[..];
            while !rest.is_empty() {
                let (t, made) = written.beginning_with(&state, rest)?;
                unfolded.fault = written.fire(&state, t, &mut next).err();
                std::mem::swap(&mut state, &mut next);
                unfolded.steps.push(t);
                unfolded.states.push(state.clone());
                rest = &rest[made..];
                if ends_with_fault && unfolded.fault.is_some() {
                    break;
                }
            }
        }
        if loop_start.is_some() && begins.is_none() {
            // Nothing happens any more, for ever.
            begins = Some(unfolded.steps.len());
        }
        Some((unfolded, begins))
    }
}

impl Walker<'_> {
    /// The transition that consists of the first of these moves, and how many they are.
    fn beginning_with(&mut self, state: &[u8], moves: &[Move]) -> Option<(Transition, usize)> {
        self.outcomes_of_command(state, moves[0]);
        let transitions: Vec<Transition> = self.outcomes.items.iter().map(|item| item.transition).collect();
        transitions.into_iter().find_map(|t| {
            let own = self.steps_of(state, t);
            moves.starts_with(&own).then_some((t, own.len()))
        })
    }
}
