//! Several properties of infinite runs at once, on one recording of the graph: see [`elnath_check::temporal::together`].
//!
//! The answer is a report for each property that holds, and nothing for the others: those are asked about one by one, which is how
//! a counterexample is found.

use super::setting::Setting;
use crate::asked::About;
use crate::driver::Question;
use crate::prepare::Prepared;
use crate::problem::Problem;
use crate::property::TemporalProperty;
use crate::report::{CheckReport, ErrorList, PropertyReport, SearchFigures, Temporal};
use elnath_check::temporal::Method;
use elnath_check::temporal::together::{NotRecorded, SharedVerdict, record};
use elnath_check::{ErrorCounts, Plan, SearchPlan, StorePlan};
use elnath_kernel::{Budget, Coverage, End, Verdict};

/// A question about infinite runs with several properties.
pub(crate) struct TogetherQuestion<'a> {
    pub(crate) setting: Setting<'a>,
    /// The properties, over the propositions of one program.
    pub(crate) properties: Vec<TemporalProperty>,
}

impl<'a> Question<'a> for TogetherQuestion<'a> {
    type Plan = Plan;
    type Prepared = Prepared<'a>;
    type Answer = Result<Vec<Option<SharedVerdict>>, NotRecorded>;
    type Report = Result<Vec<Option<CheckReport<'a>>>, NotRecorded>;

    fn bytes(&self) -> usize {
        self.setting.bytes()
    }

    fn plan(&self, memory: usize, named: bool) -> Result<Plan, Problem> {
        self.setting.plan(memory, named)
    }

    fn prepare(&mut self, plan: Plan) -> Result<Prepared<'a>, Problem> {
        // A reduction that is sound for all of them at once.
        let mut all = self.properties[0].clone();
        for property in &self.properties[1..] {
            all.stutter_invariant &= property.stutter_invariant;
            all.question.watches.extend(property.question.watches.iter().cloned());
        }
        self.setting.prepare(About::InfiniteRuns(&all), plan)
    }

    fn walk(&mut self, prepared: &Prepared<'a>, budget: &mut Budget<'_>) -> Result<Self::Answer, Problem> {
        let recording = match record(&*prepared.system, budget) {
            Ok(recording) => recording,
            Err(why) => return Ok(Err(why)),
        };
        let questions: Vec<_> = self.properties.iter().map(|property| &property.question).collect();
        Ok(Ok(recording.decide(&questions, prepared.plan.threads, budget)))
    }

    /// There is nothing to map back: what holds has no run.
    fn map_back(&self, _: &Prepared<'a>, _: &mut Self::Answer) -> Result<(), Problem> {
        Ok(())
    }

    /// Nothing to confirm, for the same reason.
    fn confirm(&self, _: &Prepared<'a>, _: &mut Self::Answer, _: &mut Budget<'_>) -> Result<(), Problem> {
        Ok(())
    }

    fn report(self, prepared: Prepared<'a>, answer: Self::Answer) -> Self::Report {
        let Self { setting, properties } = self;
        let answer = answer?;
        let shared = answer.iter().flatten().filter(|decided| decided.holds).count();
        let report = |(property, decided): (TemporalProperty, Option<SharedVerdict>)| {
            let SharedVerdict { counters, strength, size, looked, accepts_at_once, .. } =
                decided.filter(|decided| decided.holds)?;
            let (name, kind, text) = (property.name.clone(), property.kind, property.text.clone());
            let place = property.place.clone();
            let plan =
                Plan { search: SearchPlan::DepthFirst, store: StorePlan::Exact, threads: 1, ..prepared.plan };
            let figures = SearchFigures {
                system: setting.as_written(),
                choice: setting.choice.clone(),
                plan,
                before: None,
                disk: None,
                all: false,
                errors: ErrorCounts::default(),
                distinct: ErrorList::default(),
                counters,
                end: End::Complete,
                coverage: Coverage::Exhaustive,
                unfired: Vec::new(),
                swarm: None,
                scouted: None,
                finite: None,
                temporal: Some(Temporal {
                    property,
                    method: Method::Scc,
                    strength,
                    size,
                    workers: 1,
                    one_worker: None,
                    faults: Vec::new(),
                    looked,
                    accepts_at_once,
                    shared,
                }),
                reach: None,
                stages: prepared.reports(&counters),
            };
            let (verdict, summary) = (Verdict::Holds(Coverage::Exhaustive), None);
            Some(setting.report(PropertyReport { name, kind, text, place, verdict, summary, figures }))
        };
        Ok(properties.into_iter().zip(answer).map(report).collect())
    }
}
