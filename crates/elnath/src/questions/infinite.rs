//! Infinite runs: formulas, claims, automata, acceptance and progress labels.

use super::Inquiry;
use crate::asked::{About, Asked};
use crate::check::Problem;
use crate::prepare::Prepared;
use crate::property::TemporalProperty;
use crate::reductions::{Back, Reductions};
use crate::report::{Findings, Temporal};
use crate::subject::Subject;
use elnath_check::temporal::{self, Method, TemporalPlan};
use elnath_check::{ErrorCounts, Plan, SearchPlan, StorePlan, Violation};
use elnath_kernel::{Budget, Counters, Limit, System, Verdict};
use std::sync::Arc;

/// A question about infinite runs.
pub(crate) struct Infinite {
    pub(crate) property: TemporalProperty,
    /// How they are looked for, if somebody chose it.
    pub(crate) method: Option<Method>,
    pub(crate) shortest: bool,
    pub(crate) reductions: Reductions,
}

impl<'a> Inquiry<'a> for Infinite {
    type Answer = temporal::InfiniteAnswer<'a>;

    fn asked(&self) -> Asked<'_> {
        let about = About::InfiniteRuns(&self.property);
        Asked { about, all: false, shortest: self.shortest, swarm: false, wanted: self.reductions }
    }

    fn walk(
        &mut self,
        system: &Arc<dyn System + 'a>,
        plan: &Plan,
        budget: &mut Budget<'_>,
    ) -> Result<Self::Answer, Problem> {
        let (method, shortest) = (self.method, self.shortest);
        let Plan { store, threads, seed, .. } = *plan;
        let plan = TemporalPlan { method, shortest, store, threads, seed };
        Ok(temporal::ask(Arc::clone(system), &self.property.question, &plan, budget)?)
    }

    fn ran_out(&self, _: &Plan, answer: &Self::Answer) -> Option<Counters> {
        let by_reaching = answer.method == Method::Reachability(SearchPlan::BreadthFirst);
        let exact = by_reaching && answer.store == StorePlan::Exact;
        (exact && answer.verdict == Verdict::Unknown(Limit::Memory)).then_some(answer.counters)
    }

    fn map_back(&self, answer: &mut Self::Answer, back: &Back<'a>) -> Result<(), Problem> {
        match back {
            Back::Same => {}
            Back::Lift(quotient, program) => {
                let essence = |state: &[u8]| quotient.essence(state);
                temporal::lift_answer(answer, Arc::clone(program) as Arc<dyn System>, &essence)?;
            }
            Back::Unfold(program) | Back::Follow(program) => {
                let step_by_step = matches!(back, Back::Follow(_));
                let Some((run, loop_start)) = &mut answer.run else { return Ok(()) };
                if step_by_step && let Some(loop_start) = loop_start {
                    // While the cycle closes.
                    answer.product.roll_back(run, loop_start);
                }
                let unfolded = program.unfold(&answer.product.alone(run), *loop_start);
                let origin = program.origin().expect("it was made of another");
                let origin = Arc::clone(origin) as Arc<dyn System>;
                if step_by_step {
                    temporal::follow_answer(answer, origin, unfolded)?;
                } else {
                    temporal::unfold_answer(answer, origin, unfolded)?;
                }
            }
        }
        Ok(())
    }

    fn confirm(
        self,
        mut answer: Self::Answer,
        plan: &Plan,
        subject: &Subject<'a>,
        prepared: &Prepared<'a>,
        _: &mut Budget<'_>,
    ) -> Result<Findings<'a>, Problem> {
        temporal::confirm(&mut answer, subject.as_written())?;
        let search = match answer.method {
            Method::Reachability(order) => order,
            _ => SearchPlan::DepthFirst,
        };
        if let Some((run, Some(loop_start))) = &mut answer.run {
            answer.product.roll_back(run, loop_start);
        }
        let loop_start = answer.run.as_ref().and_then(|(_, loop_start)| *loop_start);
        let alone = answer.run.as_ref().map(|(run, _)| (answer.product.alone(run), loop_start));
        let product: Arc<dyn System + 'a> = answer.product;
        let faults = answer.faults.iter().map(|&fault| product.fault_name(fault)).collect();
        // A fault in the last step of a loop is not what is wrong with it if faults are ignored.
        let counts = self.property.question.faults;
        let fault = answer.run.as_ref().and_then(|(run, _)| run.fault).filter(|_| counts);
        let violation = fault.map_or(Violation::BadRun, Violation::Fault);
        // There may be a violation although the run that shows it is not known.
        let is_known = answer.run.is_some() || answer.verdict == Verdict::Unknown(Limit::Witness);
        Ok(Findings {
            system: product,
            plan: Plan { search, store: answer.store, threads: answer.workers, ..*plan },
            verdict: answer.verdict,
            violation: answer.run.map(|(run, _)| (violation, run)),
            errors: if is_known { ErrorCounts::of(violation) } else { ErrorCounts::default() },
            counters: answer.counters,
            end: answer.end,
            coverage: answer.coverage,
            unfired: Vec::new(),
            met_an_end: None,
            swarm: None,
            scouted: None,
            temporal: Some(Temporal {
                property: self.property,
                method: answer.method,
                strength: answer.strength,
                size: answer.size,
                workers: answer.workers,
                one_worker: answer.one_worker,
                loop_start,
                alone,
                faults,
            }),
            stages: prepared.reports(&answer.counters),
        })
    }
}
