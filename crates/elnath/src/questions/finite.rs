//! Finite runs and a formula; faults are reported as well.

use super::safety::{error_list, judged, ran_out, tell_lengths};
use super::setting::{Setting, Walked};
use crate::asked::About;
use crate::driver::Question;
use crate::explanation::{in_words, of_finite_run};
use crate::finite::FiniteProperty;
use crate::prepare::Prepared;
use crate::problem::Problem;
use crate::report::{CheckReport, FiniteFigures, PropertyKind, PropertyReport, SearchFigures};
use elnath_check::finite::{self, FiniteAnswer};
use elnath_check::plan::Unsuitable;
use elnath_check::polish::{context_switches, movable, reorder};
use elnath_check::{FoundError, Plan, Polished, Refusal, SafetyAnswer, Violation};
use elnath_kernel::{Budget, Counters, Run};
use std::sync::Arc;

/// A question about finite runs.
pub(crate) struct FiniteQuestion<'a> {
    pub(crate) setting: Setting<'a>,
    /// The formula that they must satisfy.
    pub(crate) property: FiniteProperty,
}

impl FiniteQuestion<'_> {
    /// Confirms a run on the model as it was written; then makes it easier to read, if it still does not satisfy the formula
    /// after that.
    fn polish(
        &self,
        violation: Violation,
        run: &mut Run,
        walk: &Counters,
        budget: &mut Budget<'_>,
    ) -> Result<Option<Polished>, Refusal> {
        let system = self.setting.as_written();
        let confirm = |run: &Run| finite::confirm(&*system, &self.property.question(), violation, run);
        confirm(run)?;
        let figures = |run: &Run| Some((run.steps.len(), context_switches(&*system, &run.steps)?));
        let before = figures(run);
        let mut better = run.clone();
        reorder(&*system, &mut better, movable(violation, run), &mut || (budget.watch)(walk).is_some());
        if confirm(&better).is_ok() {
            *run = better;
        }
        Ok(before.zip(figures(run)).map(|(before, after)| Polished { before, after }))
    }
}

impl<'a> Question<'a> for FiniteQuestion<'a> {
    type Plan = Plan;
    type Prepared = Prepared<'a>;
    type Answer = Walked<FiniteAnswer>;
    type Report = CheckReport<'a>;

    fn bytes(&self) -> usize {
        self.setting.bytes()
    }

    fn plan(&self, memory: usize, named: bool) -> Result<Plan, Problem> {
        self.setting.plan(memory, named)
    }

    fn prepare(&mut self, plan: Plan) -> Result<Prepared<'a>, Problem> {
        self.setting.prepare(About::FiniteRuns, plan)
    }

    fn walk(&mut self, prepared: &Prepared<'a>, budget: &mut Budget<'_>) -> Result<Self::Answer, Problem> {
        if self.setting.choice.swarm {
            return Err(Unsuitable::NoSwarm.into());
        }
        let (system, runs) = (&*prepared.system, self.property.question());
        let walk = |plan: &Plan| Ok(finite::ask(system, &runs, self.setting.all, plan, budget)?);
        self.setting.walk_or_tree(prepared.plan, walk, |plan, finite| ran_out(plan, &finite.answer))
    }

    fn map_back(&self, prepared: &Prepared<'a>, walked: &mut Self::Answer) -> Result<(), Problem> {
        let SafetyAnswer { violation, distinct, .. } = &mut walked.answer.answer;
        let others = distinct.list.iter_mut().filter_map(|error| error.run.as_mut());
        for run in violation.iter_mut().map(|(_, run)| run).chain(others) {
            for back in prepared.ways_back() {
                *run = back.run(run)?;
            }
        }
        Ok(())
    }

    fn confirm(
        &self,
        prepared: &Prepared<'a>,
        walked: &mut Self::Answer,
        budget: &mut Budget<'_>,
    ) -> Result<(), Problem> {
        let answer = &mut walked.answer.answer;
        if let Some((violation, run)) = &mut answer.violation {
            answer.polished = self.polish(*violation, run, &answer.counters, budget)?;
        }
        for FoundError { violation, run, polished, .. } in &mut answer.distinct.list {
            if let Some(run) = run {
                *polished = self.polish(*violation, run, &answer.counters, budget)?;
            }
        }
        if let Some((_, run)) = &answer.violation {
            tell_lengths(&mut answer.scouted, run, prepared);
        }
        if answer.scouted.is_none() {
            // No scout had to set out.
            walked.plan.search = walked.plan.search.without_scouts();
        }
        Ok(())
    }

    fn report(self, prepared: Prepared<'a>, walked: Self::Answer) -> CheckReport<'a> {
        let Self { setting, property } = self;
        let Walked { answer: FiniteAnswer { answer, met_an_end, .. }, plan, before } = walked;
        let (system, text, kind) = (setting.as_written(), property.formula(), PropertyKind::Ltlf);
        let words = |violation| in_words(violation, &*system, kind, &text);
        let explain = |violation, run: &Run| {
            let truths = property.truths(&*system, run);
            let operands = |state: &[u8], number: usize| property.operands(&*system, state, number);
            let summary =
                of_finite_run(violation, &*system, run, words(violation), Some((&truths, &operands)));
            (summary, Some(truths))
        };
        let (verdict, summary) = judged(answer.verdict, answer.violation, answer.polished, explain);
        let distinct = error_list(answer.distinct, &*system, explain, words);
        let figures = SearchFigures {
            system,
            choice: setting.choice.clone(),
            plan,
            before,
            disk: setting.disk.clone(),
            all: setting.all,
            errors: answer.errors,
            distinct,
            counters: answer.counters,
            end: answer.end,
            coverage: answer.coverage,
            unfired: answer.unfired,
            swarm: None,
            scouted: answer.scouted,
            finite: Some(Arc::new(FiniteFigures { property, met_an_end })),
            temporal: None,
            reach: None,
            stages: prepared.reports(&answer.counters),
        };
        setting.report(PropertyReport { name: None, kind, text, place: None, verdict, summary, figures })
    }
}
