//! Infinite runs: formulas, claims, automata, acceptance and progress labels.

use super::setting::{Setting, Walked};
use crate::asked::About;
use crate::driver::Question;
use crate::explanation::{Truths, in_words, of_finite_run, of_infinite_run};
use crate::prepare::Prepared;
use crate::problem::Problem;
use crate::property::TemporalProperty;
use crate::report::{CheckReport, ErrorList, PropertyReport, SearchFigures, Summary, Temporal, ViolatingRun};
use elnath_check::plan::Unsuitable;
use elnath_check::temporal::{self, InfiniteAnswer, Method, TemporalPlan};
use elnath_check::{ErrorCounts, Plan, Scouted, SearchChoice, SearchPlan, StorePlan, Violation};
use elnath_kernel::{Budget, Counters, Limit, System, Verdict};
use std::sync::Arc;

/// A question about infinite runs.
pub(crate) struct InfiniteQuestion<'a> {
    pub(crate) setting: Setting<'a>,
    pub(crate) property: TemporalProperty,
}

impl<'a> Question<'a> for InfiniteQuestion<'a> {
    type Plan = Plan;
    type Prepared = Prepared<'a>;
    type Answer = Walked<InfiniteAnswer<'a>>;
    type Report = CheckReport<'a>;

    fn bytes(&self) -> usize {
        self.setting.bytes()
    }

    fn plan(&self, memory: usize, named: bool) -> Result<Plan, Problem> {
        if self.setting.choice.swarm {
            return Err(Unsuitable::NoSwarm.into());
        }
        self.setting.plan(memory, named)
    }

    fn prepare(&mut self, plan: Plan) -> Result<Prepared<'a>, Problem> {
        self.setting.prepare(About::InfiniteRuns(&self.property), plan)
    }

    fn walk(&mut self, prepared: &Prepared<'a>, budget: &mut Budget<'_>) -> Result<Self::Answer, Problem> {
        let SearchChoice { method, shortest, .. } = self.setting.choice;
        let walk = |plan: &Plan| {
            let Plan { store, threads, seed, .. } = *plan;
            let plan = TemporalPlan { method, shortest, store, threads, seed };
            let system = Arc::clone(&prepared.system);
            Ok(temporal::ask(system, &self.property.question, &plan, budget)?)
        };
        self.setting.walk_or_tree(prepared.plan, walk, ran_out)
    }

    fn map_back(&self, prepared: &Prepared<'a>, walked: &mut Self::Answer) -> Result<(), Problem> {
        map_back(prepared, &mut walked.answer)
    }

    fn confirm(
        &self,
        _: &Prepared<'a>,
        walked: &mut Self::Answer,
        budget: &mut Budget<'_>,
    ) -> Result<(), Problem> {
        confirm(&self.setting, walked, budget)
    }

    fn report(self, prepared: Prepared<'a>, walked: Self::Answer) -> CheckReport<'a> {
        report(&self.setting, self.property, &prepared, walked, 0)
    }
}

/// Makes a bad run one of the model as it was written.
pub(super) fn map_back<'a>(prepared: &Prepared<'a>, answer: &mut InfiniteAnswer<'a>) -> Result<(), Problem> {
    prepared.ways_back().try_for_each(|back| back.infinite(answer))?;
    Ok(())
}

/// Confirms a bad run on the model as it was written, and makes it easier to read.
pub(super) fn confirm<'a>(
    setting: &Setting<'a>,
    walked: &mut Walked<InfiniteAnswer<'a>>,
    budget: &mut Budget<'_>,
) -> Result<(), Problem> {
    let Walked { answer, plan, .. } = walked;
    temporal::confirm(answer, setting.as_written())?;
    match &mut answer.run {
        Some((run, Some(loop_start))) => answer.product.roll_back(run, loop_start),
        // What follows the letter that made it bad is of no interest.
        Some((run, None)) => *run = answer.product.up_to_last_letter(run),
        None => {}
    }
    let counters = answer.counters;
    answer.polished = temporal::polish(answer, &mut || (budget.watch)(&counters).is_some());
    if let (Some(Scouted { find: Some(find), .. }), Some((run, _))) = (&mut answer.scouted, &answer.run) {
        find.shortened = run.steps.len();
    }
    plan.search = match answer.method {
        Method::Reachability(order) => order,
        _ => SearchPlan::DepthFirst,
    };
    (plan.store, plan.threads) = (answer.store, answer.workers);
    Ok(())
}

/// The report about a property that was decided together with so many others, or by itself.
pub(super) fn report<'a>(
    setting: &Setting<'a>,
    property: TemporalProperty,
    prepared: &Prepared<'a>,
    walked: Walked<InfiniteAnswer<'a>>,
    shared: usize,
) -> CheckReport<'a> {
    let Walked { answer, plan, before } = walked;
    let stages = prepared.reports(&answer.counters);
    let (verdict, summary, errors) = judged(&answer, &property);
    let (looked, accepts_at_once) = (answer.product.looked(), answer.product.accepts_at_once());
    let system: Arc<dyn System + 'a> = answer.product;
    let faults = answer.faults.iter().map(|&fault| system.fault_name(fault)).collect();
    let (name, kind, text) = (property.name.clone(), property.kind, property.text.clone());
    let place = property.place.clone();
    let figures = SearchFigures {
        system,
        choice: setting.choice.clone(),
        plan,
        before,
        disk: setting.disk.clone(),
        all: setting.all,
        errors,
        distinct: ErrorList::default(),
        counters: answer.counters,
        end: answer.end,
        coverage: answer.coverage,
        unfired: Vec::new(),
        swarm: None,
        scouted: answer.scouted,
        finite: None,
        temporal: Some(Temporal {
            property,
            method: answer.method,
            strength: answer.strength,
            size: answer.size,
            workers: answer.workers,
            one_worker: answer.one_worker,
            faults,
            looked,
            accepts_at_once,
            shared,
        }),
        reach: None,
        stages,
    };
    setting.report(PropertyReport { name, kind, text, place, verdict, summary, figures })
}

/// The figures of a breadth-first walk whose exact store had no room for all states, if that is what became of it.
fn ran_out(_: &Plan, answer: &InfiniteAnswer<'_>) -> Option<Counters> {
    let by_reaching = matches!(answer.method, Method::Reachability(order) if order.without_scouts() == SearchPlan::BreadthFirst);
    let exact = by_reaching && answer.store == StorePlan::Exact;
    (exact && answer.verdict == Verdict::Unknown(Limit::Memory)).then_some(answer.counters)
}

/// The verdict with the run that shows it, that run in a few words, and what is counted.
fn judged(
    answer: &InfiniteAnswer<'_>,
    property: &TemporalProperty,
) -> (Verdict<ViolatingRun>, Option<Summary>, ErrorCounts) {
    // A fault in the last step of a loop is not what is wrong with it if faults are ignored.
    let counts = property.question.faults;
    let fault = answer.run.as_ref().and_then(|(run, _)| run.fault).filter(|_| counts);
    let violation = fault.map_or(Violation::BadRun, Violation::Fault);
    let Some((run, loop_start)) = answer.run.clone() else {
        let verdict = answer.verdict.as_ref().map(|_| unreachable!("a violation has a run that shows it"));
        // There may be a violation although the run that shows it is not known.
        let is_known = answer.verdict == Verdict::Unknown(Limit::Witness);
        return (verdict, None, if is_known { ErrorCounts::of(violation) } else { ErrorCounts::default() });
    };
    let text = in_words(violation, &*answer.product, property.kind, &property.text);
    let product = &answer.product;
    let (names, actions) = (product.propositions().to_vec(), product.about_actions());
    let truths = Truths { names, actions, letters: product.letters(&run) };
    let summary = match fault {
        Some(_) => of_finite_run(violation, &**product, &run, text, None),
        None => {
            let operands = |state: &[u8], number: usize| product.operands(state, number);
            let asked = (property.kind, property.asked());
            of_infinite_run(asked, &**product, (&run, loop_start), text, (&truths, &operands))
        }
    };
    let alone = Some((product.alone(&run), loop_start));
    let shown =
        ViolatingRun { violation, run, loop_start, alone, truths: Some(truths), polished: answer.polished };
    (Verdict::Fails(shown), Some(summary), ErrorCounts::of(violation))
}
