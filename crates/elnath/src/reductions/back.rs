//! Ways back: how what was found in a reduced system becomes something about what was there before the reduction.
//!
//! There are three kinds of runs to be mapped (to a violation, of finite length, and infinite ones), and a way back maps all of them,
//! so that a new reduction brings its own way back and touches no question.

use elnath_check::reachability;
use elnath_check::temporal::{self, InfiniteAnswer};
use elnath_check::{Refusal, Safety, Violation};
use elnath_kernel::{QuotientSystem, Run, System, lift, replay};
use elnath_program::Interpreter;
use elnath_program::symmetry::Symmetric;
use std::sync::Arc;

/// How runs of what is walked become runs of what was there before a reduction.
pub(crate) trait WayBack<'a> {
    /// A finite run, whatever it ends in.
    fn run(&self, run: &Run) -> Result<Run, Refusal>;

    /// A run to a violation.
    fn to_violation(&self, found: (Violation, &Run), asked: &Safety<'_>) -> Result<Run, Refusal>;

    /// A bad infinite run.
    fn infinite(&self, answer: &mut InfiniteAnswer<'a>) -> Result<(), Refusal>;
}

/// The run of a program that was made of another is [unfolded](Interpreter::unfold).
pub(crate) struct Unfold {
    /// The program that was made.
    pub(crate) program: Arc<Interpreter>,
    /// Whether each of its steps is one of the other, and its cycles need not close there, though their steps can be repeated for
    /// ever.
    pub(crate) step_by_step: bool,
}

impl<'a> WayBack<'a> for Unfold {
    fn run(&self, run: &Run) -> Result<Run, Refusal> {
        Ok(self.program.unfold(run, None).ok_or(Refusal::NO_VIOLATION)?.0)
    }

    fn to_violation(&self, (_, run): (Violation, &Run), _: &Safety<'_>) -> Result<Run, Refusal> {
        self.run(run)
    }

    fn infinite(&self, answer: &mut InfiniteAnswer<'a>) -> Result<(), Refusal> {
        let Some((run, loop_start)) = &mut answer.run else { return Ok(()) };
        if self.step_by_step
            && let Some(loop_start) = loop_start
        {
            // While the cycle closes.
            answer.product.roll_back(run, loop_start);
        }
        let unfolded = self.program.unfold(&answer.product.alone(run), *loop_start);
        let origin = self.program.origin().expect("it was made of another");
        let origin = Arc::clone(origin) as Arc<dyn System>;
        if self.step_by_step {
            temporal::follow_answer(answer, origin, unfolded)
        } else {
            temporal::unfold_answer(answer, origin, unfolded)
        }
    }
}

/// A run of a quotient is [lifted](elnath_kernel::lift()) to the program that it is a quotient of.
pub(crate) struct Lift<'a> {
    /// The quotient.
    pub(crate) quotient: Arc<Symmetric<'a>>,
    /// The program.
    pub(crate) program: Arc<Interpreter>,
}

impl Lift<'_> {
    fn with_quotient<R>(&self, with: impl FnOnce(QuotientSystem<'_>) -> R) -> R {
        let essence = |state: &[u8]| self.quotient.essence(state);
        with(QuotientSystem { system: &*self.quotient, essence: &essence })
    }
}

impl<'a> WayBack<'a> for Lift<'a> {
    fn run(&self, run: &Run) -> Result<Run, Refusal> {
        let steps = self.with_quotient(|quotient| lift(&*self.program, quotient, run))?;
        Ok(replay(&*self.program, &steps)?)
    }

    fn to_violation(&self, found: (Violation, &Run), asked: &Safety<'_>) -> Result<Run, Refusal> {
        self.with_quotient(|quotient| reachability::lift_run(&*self.program, quotient, asked, found))
    }

    fn infinite(&self, answer: &mut InfiniteAnswer<'a>) -> Result<(), Refusal> {
        let essence = |state: &[u8]| self.quotient.essence(state);
        temporal::lift_answer(answer, Arc::clone(&self.program) as Arc<dyn System>, &essence)
    }
}
