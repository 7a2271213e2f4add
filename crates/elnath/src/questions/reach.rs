//! What can be reached: deadlocks, faults, forbidden actions, broken properties, and finite runs against a formula.

use super::Inquiry;
use crate::asked::{About, Asked};
use crate::check::Problem;
use crate::finite::FiniteProperty;
use crate::prepare::Prepared;
use crate::reductions::{Back, Reductions};
use crate::report::Findings;
use crate::subject::Subject;
use elnath_check::finite;
use elnath_check::plan::Unsuitable;
use elnath_check::reachability;
use elnath_check::swarm::{self, Swarm, Swarmed};
use elnath_check::{
    ErrorCounts, Plan, Refusal, Safety, SafetyAnswer, Scouted, SearchPlan, StorePlan, tighten,
};
use elnath_kernel::{
    Budget, Counters, Diagnosis, Limit, QuotientSystem, Run, System, Transition, Verdict, replay,
};
use std::sync::Arc;

/// A question about what can be reached.
pub(crate) struct Reach<'q> {
    /// What must not be.
    pub(crate) question: Safety<'q>,
    /// The formula that finite runs must satisfy instead.
    pub(crate) finite: Option<&'q FiniteProperty>,
    pub(crate) only_deadlocks: bool,
    pub(crate) shortest: bool,
    pub(crate) reductions: Reductions,
    /// Whether many searches look for it.
    pub(crate) swarm: bool,
    /// What they did.
    pub(crate) swarmed: Option<Swarmed>,
    /// Of a formula about runs that end: whether one was met.
    pub(crate) met_an_end: Option<bool>,
}

impl<'a> Inquiry<'a> for Reach<'_> {
    type Answer = SafetyAnswer;

    fn asked(&self) -> Asked<'_> {
        let forbids = self.question.forbidden.is_some();
        let about = match self.finite {
            Some(_) => About::FiniteRuns,
            None => About::Reachability { only_deadlocks: self.only_deadlocks, forbids },
        };
        let Self { shortest, swarm, .. } = *self;
        Asked { about, all: self.question.all, shortest, swarm, wanted: self.reductions }
    }

    fn walk(
        &mut self,
        system: &Arc<dyn System + 'a>,
        plan: &Plan,
        budget: &mut Budget<'_>,
    ) -> Result<SafetyAnswer, Problem> {
        let all = self.question.all;
        match (self.finite, self.swarm, plan.store) {
            (None, true, StorePlan::Bitstate { bytes, .. }) if !all => {
                let threads = plan.threads.max(1);
                let swarm = Swarm { threads, bytes: bytes / threads, seed: plan.seed };
                let (answer, figures) = swarm::ask(&**system, &self.question, &swarm, budget)?;
                self.swarmed = Some(figures);
                Ok(answer)
            }
            (_, true, _) => Err(Refusal::Unsuitable(Unsuitable::NoSwarm).into()),
            (None, false, _) => Ok(reachability::ask(&**system, &self.question, plan, budget)?),
            (Some(property), false, _) => {
                let finite = finite::ask(&**system, &property.question(), all, plan, budget)?;
                self.met_an_end = Some(finite.met_an_end);
                Ok(finite.answer)
            }
        }
    }

    fn ran_out(&self, plan: &Plan, answer: &SafetyAnswer) -> Option<Counters> {
        let breadth_first = plan.search.without_scouts() == SearchPlan::BreadthFirst;
        let exact = breadth_first && plan.store == StorePlan::Exact;
        (exact && answer.verdict == Verdict::Unknown(Limit::Memory)).then_some(answer.counters)
    }

    fn map_back(&self, answer: &mut SafetyAnswer, back: &Back<'a>) -> Result<(), Problem> {
        if let Back::Lift(quotient, program) = back {
            let essence = |state: &[u8]| quotient.essence(state);
            let quotient = QuotientSystem { system: &**quotient, essence: &essence };
            reachability::lift_answer(&**program, quotient, &self.question, answer)?;
        } else if let Some((_, run)) = &mut answer.violation {
            *run = unfolded(run, back).ok_or(Refusal::NO_VIOLATION)?;
        }
        Ok(())
    }

    fn confirm(
        self,
        answer: SafetyAnswer,
        plan: &Plan,
        subject: &Subject<'a>,
        prepared: &Prepared<'a>,
        budget: &mut Budget<'_>,
    ) -> Result<Findings<'a>, Problem> {
        let system = subject.as_written();
        let SafetyAnswer {
            mut verdict,
            violation,
            mut errors,
            counters,
            end,
            coverage,
            mut unfired,
            mut scouted,
        } = answer;
        if self.only_deadlocks && prepared.used("por") {
            // Some may have been left out for ever.
            unfired.clear();
        }
        let mut found = violation;
        if let (Some((violation, run)), None) = (&mut found, self.finite) {
            // What was found in a reduced system is true only if it is so in the one that was written.
            reachability::confirm(&*system, &self.question, *violation, run)?;
            let by_scout = scouted.as_ref().is_some_and(|scouted| scouted.find.is_some());
            if matches!(plan.search, SearchPlan::Portfolio(_))
                && (by_scout || prepared.is_reduced)
                && let Some(shorter) = tighten(&*subject.system(), &self.question, run, &counters, budget)?
            {
                (*violation, *run) = shorter;
                errors = ErrorCounts::of(*violation);
            }
        }
        if let Some((_, run)) = &found {
            verdict = Verdict::Fails(Diagnosis { steps: run.steps.clone(), loop_start: None });
            tell_lengths(&mut scouted, run, prepared);
        }
        let mut plan = *plan;
        if scouted.is_none() {
            // No scout had to set out.
            plan.search = plan.search.without_scouts();
        }
        let Self { met_an_end, swarmed: swarm, .. } = self;
        let stages = prepared.reports(&counters);
        Ok(Findings {
            system,
            plan,
            verdict,
            violation: found,
            errors,
            counters,
            end,
            coverage,
            unfired,
            met_an_end,
            swarm,
            scouted,
            temporal: None,
            stages,
        })
    }
}

/// A run before a reduction of programs, of one with it.
fn unfolded(run: &Run, back: &Back<'_>) -> Option<Run> {
    match back {
        Back::Same | Back::Lift(..) => Some(run.clone()),
        Back::Unfold(program) | Back::Follow(program) => Some(program.unfold(run, None)?.0),
    }
}

/// How long the run of a scout was, in steps of the model as it was written, and how long what was made of it is.
fn tell_lengths(scouted: &mut Option<Scouted>, run: &Run, prepared: &Prepared<'_>) {
    let Some(find) = scouted.as_mut().and_then(|scouted| scouted.find.as_mut()) else { return };
    find.shortened = run.steps.len();
    let replayed = |steps: &[Transition]| replay(&*prepared.system, steps).ok();
    let found = prepared
        .ways_back()
        .try_fold(replayed(&find.run), |run, back| Some(run.and_then(|run| unfolded(&run, back))));
    find.length = found.flatten().map_or(find.length, |run| run.steps.len());
}
