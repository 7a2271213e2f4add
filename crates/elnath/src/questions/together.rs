//! Several properties of infinite runs at once, on one recording of the graph: see [`elnath_check::temporal::together`].
//!
//! The answer is a report for each property that the recording decides, and nothing for the others, which are asked about one by one.
//! A bad run goes the way of every other: it is mapped back to the model as it was written, and confirmed there.

use super::infinite;
use super::setting::{Setting, Walked};
use crate::asked::About;
use crate::driver::Question;
use crate::prepare::Prepared;
use crate::problem::Problem;
use crate::property::TemporalProperty;
use crate::report::{CheckReport, ErrorList, PropertyReport, SearchFigures, Temporal};
use elnath_check::temporal::together::{NotRecorded, SharedVerdict, record};
use elnath_check::temporal::{InfiniteAnswer, Method, along_recording};
use elnath_check::{ErrorCounts, Plan, Refusal, SearchPlan, StorePlan};
use elnath_kernel::{Budget, Coverage, End, Verdict};
use std::sync::Arc;

/// A question about infinite runs with several properties.
pub(crate) struct TogetherQuestion<'a> {
    pub(crate) setting: Setting<'a>,
    /// The properties, over the propositions of one program.
    pub(crate) properties: Vec<TemporalProperty>,
}

/// What a recording says about one property.
pub(crate) struct Decided<'a> {
    verdict: SharedVerdict,
    /// The bad run, if there is one.
    fails: Option<Walked<InfiniteAnswer<'a>>>,
}

impl<'a> Question<'a> for TogetherQuestion<'a> {
    type Plan = Plan;
    type Prepared = Prepared<'a>;
    type Answer = Result<Vec<Option<Decided<'a>>>, NotRecorded>;
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
        let verdicts = recording.decide(&questions, prepared.plan.threads, budget);
        drop(recording);
        let decided = |(question, verdict): (_, Option<SharedVerdict>)| {
            let Some(verdict) = verdict else { return Ok(None) };
            let Some(run) = &verdict.run else { return Ok(Some(Decided { verdict, fails: None })) };
            match along_recording(Arc::clone(&prepared.system), question, run, verdict.counters) {
                Ok(answer) => {
                    let fails = Some(Walked { answer, plan: prepared.plan, before: None });
                    Ok(Some(Decided { verdict, fails }))
                }
                // There may be a form of the automaton that is smaller.
                Err(Refusal::TooLarge(_)) => Ok(None),
                Err(why) => Err(why.into()),
            }
        };
        let decided: Result<_, Problem> = questions.into_iter().zip(verdicts).map(decided).collect();
        Ok(Ok(decided?))
    }

    fn map_back(&self, prepared: &Prepared<'a>, answer: &mut Self::Answer) -> Result<(), Problem> {
        failed(answer).try_for_each(|walked| infinite::map_back(prepared, &mut walked.answer))
    }

    fn confirm(
        &self,
        _: &Prepared<'a>,
        answer: &mut Self::Answer,
        budget: &mut Budget<'_>,
    ) -> Result<(), Problem> {
        failed(answer).try_for_each(|walked| infinite::confirm(&self.setting, walked, budget))
    }

    fn report(self, prepared: Prepared<'a>, answer: Self::Answer) -> Self::Report {
        let Self { setting, properties } = self;
        let answer = answer?;
        let shared = answer.iter().flatten().count();
        let report = |(property, decided): (TemporalProperty, Option<Decided<'a>>)| {
            let Decided { verdict, fails } = decided?;
            if let Some(walked) = fails {
                return Some(infinite::report(&setting, property, &prepared, walked, shared));
            }
            let SharedVerdict { counters, strength, size, looked, accepts_at_once, .. } = verdict;
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

/// The properties that fail.
fn failed<'w, 'a>(
    answer: &'w mut Result<Vec<Option<Decided<'a>>>, NotRecorded>,
) -> impl Iterator<Item = &'w mut Walked<InfiniteAnswer<'a>>> {
    answer.iter_mut().flatten().flatten().filter_map(|decided| decided.fails.as_mut())
}
