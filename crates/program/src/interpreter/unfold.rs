//! A simplified program, and its runs as runs of the program as it was written.
//!
//! Simplifying ([`crate::transform`]) adds marks and assignments to commands and leaves them where they are. So a run of
//! the simplified program says which command of which process comes after which; the same commands, one after the
//! other, are possible in the program as it was written, only that several of its transitions may make up one. This is
//! what people are told about, with all values as they would have been.
//!
//! **Loops.** Where a variable is forgotten, the loop of a run closes however different that variable was before it was
//! entered. In the program that it was simplified from it closes one lap later: every lap does the same, so it leaves in what nobody
//! reads what the one before left there. So the loop is followed until it closes.
//!
//! **Slicing** comes first, as a program of its own from which the others are made, since there loops need not close at all: a
//! counter that nobody reads has another value in every lap. A step of the sliced program is one of the program as it was
//! written, and all that can be said of its loop is that the same steps can be taken again and again.

use super::{Interpreter, Walker};
use crate::interpreter::eval::Move;
use crate::ir::Program;
use crate::keep::Keep;
use crate::transform::{forget, merge, slice};
use crate::verify::verify;
use elnath_kernel::{Run, Stepper, Transition};
use std::ops::Range;
use std::sync::Arc;

/// Two are enough; whoever needs more has found a bug of ours.
const MOST_LAPS: usize = 8;

impl Interpreter {
    /// The program without the variables that can decide nothing ([`slice`]), and their names; itself if there are none.
    #[must_use]
    pub fn sliced(self: &Arc<Self>) -> (Arc<Self>, Vec<String>) {
        let mut program = self.program.clone();
        let sliced = slice(&mut program);
        let changed = program != self.program;
        (if changed { self.made_into(program, true) } else { Arc::clone(self) }, sliced)
    }

    /// The program that forgets dead variables ([`forget`]), and at how many places; itself if at none.
    #[must_use]
    pub fn forgetful(self: &Arc<Self>) -> (Arc<Self>, usize) {
        let mut program = self.program.clone();
        let places = forget(&mut program);
        (self.changed(program, places), places)
    }

    /// The program with statements merged ([`merge`]), and at how many places; itself if at none.
    ///
    /// # Errors
    /// Why this is not possible, in words that follow "because".
    pub fn merged(self: &Arc<Self>, keep: Keep) -> Result<(Arc<Self>, usize), &'static str> {
        let mut program = self.program.clone();
        let places = merge(&mut program, keep)?;
        Ok((self.changed(program, places), places))
    }

    /// What this program was made of by one of these changes; `None` if it is the program as it was written.
    pub fn origin(&self) -> Option<&Arc<Self>> {
        self.origin.as_ref()
    }

    fn changed(self: &Arc<Self>, program: Program, places: usize) -> Arc<Self> {
        if places == 0 { Arc::clone(self) } else { self.made_into(program, false) }
    }

    fn made_into(self: &Arc<Self>, program: Program, is_sliced: bool) -> Arc<Self> {
        debug_assert_eq!(verify(&program), Ok(()), "what was a program still is");
        let mut simple = Self::new(program).expect("the initial state is made as before");
        simple.merges = self.merges;
        simple.origin = Some(Arc::clone(self));
        simple.is_sliced = is_sliced;
        Arc::new(simple)
    }

    /// A run of this program as one of its [origin](Self::origin), with the step, from 0, with which its loop begins if it has
    /// one; `None` if there is no such run, which would be a bug of ours, or no origin.
    pub fn unfold(&self, run: &Run, loop_start: Option<usize>) -> Option<(Run, Option<usize>)> {
        let origin = self.origin.as_ref()?;
        let initial = origin.initial.clone();
        let unfolded = Run { states: vec![initial], steps: Vec::new(), fault: None };
        let mut unfolding = Unfolding { simple: self.walker(), written: origin.walker(), unfolded };
        let first = loop_start.map_or(run.steps.len(), |start| start.min(run.steps.len()));
        unfolding.follow(run, 0..first)?;
        if loop_start.is_none() {
            return Some((unfolding.unfolded, None));
        }
        if self.is_sliced {
            let begins = unfolding.unfolded.steps.len();
            unfolding.follow(run, first..run.steps.len())?;
            return Some((unfolding.unfolded, Some(begins)));
        }
        let mut laps = vec![unfolding.unfolded.steps.len()];
        loop {
            unfolding.follow(run, first..run.steps.len())?;
            let unfolded = &unfolding.unfolded;
            let closes = laps.iter().copied().find(|&lap| unfolded.states[lap] == *unfolded.last());
            if let Some(begins) = closes {
                return Some((unfolding.unfolded, Some(begins)));
            }
            if laps.len() == MOST_LAPS {
                return None;
            }
            laps.push(unfolded.steps.len());
        }
    }
}

/// A run of a simplified program that is being found again.
struct Unfolding<'a> {
    simple: Walker<'a>,
    written: Walker<'a>,
    unfolded: Run,
}

impl Unfolding<'_> {
    /// Goes on by these steps of the run.
    fn follow(&mut self, run: &Run, steps: Range<usize>) -> Option<()> {
        let Self { simple, written, unfolded } = self;
        for step in steps {
            let ends_with_fault = step + 1 == run.steps.len() && run.fault.is_some();
            let moves = simple.steps_of(&run.states[step], run.steps[step]);
            let mut rest = &moves[..];
            while !rest.is_empty() {
                let (state, mut next) = (unfolded.last(), Vec::new());
                let (t, made) = written.beginning_with(state, rest)?;
                let fault = written.fire(state, t, &mut next).err();
                unfolded.fault = fault;
                unfolded.steps.push(t);
                unfolded.states.push(next);
                rest = &rest[made..];
                if ends_with_fault && fault.is_some() {
                    break;
                }
            }
        }
        Some(())
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
