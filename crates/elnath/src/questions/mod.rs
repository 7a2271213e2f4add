//! The questions that [`crate::Check`] asks, one file each: what a question observes, how it is walked, and how what was found in
//! a reduced system becomes an answer about the model as it was written.

pub(crate) mod infinite;
pub(crate) mod reach;

use crate::asked::Asked;
use crate::check::Problem;
use crate::prepare::Prepared;
use crate::reductions::Back;
use crate::report::Findings;
use crate::subject::Subject;
use elnath_check::Plan;
use elnath_kernel::{Budget, Counters, System};
use std::sync::Arc;

/// A question that the [driver](crate::check) can ask.
pub(crate) trait Inquiry<'a> {
    /// What a walk finds.
    type Answer;

    /// What is observed.
    fn asked(&self) -> Asked<'_>;

    /// Walks a system.
    fn walk(
        &mut self,
        system: &Arc<dyn System + 'a>,
        plan: &Plan,
        budget: &mut Budget<'_>,
    ) -> Result<Self::Answer, Problem>;

    /// The figures of a breadth-first walk whose exact store had no room for all states, if that is what became of it: then
    /// the tree store may still have.
    fn ran_out(&self, plan: &Plan, answer: &Self::Answer) -> Option<Counters>;

    /// Makes an answer about what is walked one about what was there before a reduction.
    fn map_back(&self, answer: &mut Self::Answer, back: &Back<'a>) -> Result<(), Problem>;

    /// Confirms an answer on the model as it was written.
    fn confirm(
        self,
        answer: Self::Answer,
        plan: &Plan,
        subject: &Subject<'a>,
        prepared: &Prepared<'a>,
        budget: &mut Budget<'_>,
    ) -> Result<Findings<'a>, Problem>;
}
