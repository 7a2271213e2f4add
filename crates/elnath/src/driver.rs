//! The one way from a question to its report: plan, prepare what is walked, walk it, map what was found back to the model as it was
//! written, confirm it there, and report.
//!
//! Each question is a file in [`crate::questions`] that says what it does in each step. A question that has nothing to do in one says
//! so: a step that was forgotten would be a counterexample that nobody replayed.

use crate::problem::Problem;
use elnath_kernel::{Budget, Counters, Disk, Limit, Watch};
use std::sync::Arc;

/// A question that [`drive`] can ask.
pub(crate) trait Question<'a>: Sized {
    /// How it is walked.
    type Plan;
    /// What is walked, and the ways back to the model as it was written.
    type Prepared;
    /// What a walk finds: first of what is walked, and after the ways back of the model as it was written.
    type Answer;
    /// What is told in the end.
    type Report;

    /// Bytes that the models occupy, which are no longer there for the walk.
    fn bytes(&self) -> usize;

    /// Makes a plan of what was chosen, in this much memory, which was named or is what there is.
    fn plan(&self, memory: usize, named: bool) -> Result<Self::Plan, Problem>;

    /// Makes what is walked.
    fn prepare(&mut self, plan: Self::Plan) -> Result<Self::Prepared, Problem>;

    /// Walks it.
    fn walk(&mut self, prepared: &Self::Prepared, budget: &mut Budget<'_>) -> Result<Self::Answer, Problem>;

    /// Makes the answer about what was walked one about the model as it was written.
    fn map_back(&self, prepared: &Self::Prepared, answer: &mut Self::Answer) -> Result<(), Problem>;

    /// Confirms the answer on the model as it was written.
    fn confirm(
        &self,
        prepared: &Self::Prepared,
        answer: &mut Self::Answer,
        budget: &mut Budget<'_>,
    ) -> Result<(), Problem>;

    /// Says what was asked, and what the answer is.
    fn report(self, prepared: Self::Prepared, answer: Self::Answer) -> Self::Report;
}

/// Asks a question.
pub(crate) fn drive<'a, Q: Question<'a>>(
    mut question: Q,
    limits: &mut Limits<'_>,
) -> Result<Q::Report, Problem> {
    let memory = limits.memory.saturating_sub(question.bytes());
    let plan = question.plan(memory, limits.memory_named)?;
    let prepared = question.prepare(plan)?;
    let mut budget = limits.budget(memory);
    let mut answer = question.walk(&prepared, &mut budget)?;
    question.map_back(&prepared, &mut answer)?;
    question.confirm(&prepared, &mut answer, &mut budget)?;
    Ok(question.report(prepared, answer))
}

/// What a question may cost.
pub(crate) struct Limits<'a> {
    /// Bytes for the models and everything else.
    pub(crate) memory: usize,
    /// Whether somebody named that, as opposed to what there is.
    pub(crate) memory_named: bool,
    pub(crate) depth: usize,
    pub(crate) states: u64,
    pub(crate) disk: Option<Arc<Disk>>,
    pub(crate) watch: Box<Watch<'a>>,
}

impl Default for Limits<'_> {
    fn default() -> Self {
        Self {
            memory: usize::MAX,
            memory_named: false,
            depth: usize::MAX,
            states: u64::MAX,
            disk: None,
            watch: Box::new(|_| None),
        }
    }
}

impl<'a> Limits<'a> {
    /// Calls `watch` now and then.
    pub(crate) fn watched(self, watch: impl FnMut(&Counters) -> Option<Limit> + 'a) -> Self {
        Self { watch: Box::new(watch), ..self }
    }

    /// The budget of a walk in this much memory.
    pub(crate) fn budget(&mut self, memory: usize) -> Budget<'_> {
        let Self { depth, states, .. } = *self;
        Budget { memory, depth, states, disk: self.disk.as_deref(), watch: &mut *self.watch }
    }
}
