//! What can be reached: deadlocks, faults, forbidden actions, broken properties.

use super::setting::{Setting, Walked};
use crate::asked::About;
use crate::driver::Question;
use crate::explanation::{Truths, in_words, of_finite_run, place};
use crate::machines::{self, MachineSafety};
use crate::prepare::Prepared;
use crate::problem::Problem;
use crate::property::actions::ActionPattern;
use crate::report::{
    CheckReport, ErrorList, ErrorReport, PropertyKind, PropertyReport, SearchFigures, Summary, ViolatingRun,
};
use elnath_cfsm::Blocked;
use elnath_check::plan::Unsuitable;
use elnath_check::polish::{self, context_switches, movable, reorder};
use elnath_check::swarm::{self, Swarm, Swarmed};
use elnath_check::{
    ErrorCounts, FoundError, FoundErrors, Plan, Polished, Refusal, Safety, SafetyAnswer, Scouted, SearchPlan,
    StorePlan, Violation, reachability, tighten,
};
use elnath_kernel::{Action, Budget, Counters, Limit, Run, System, Transition, Verdict, replay};
use elnath_lts::Taus;
use std::sync::Arc;

/// A question about what can be reached.
pub(crate) struct SafetyQuestion<'a> {
    pub(crate) setting: Setting<'a>,
    pub(crate) deadlocks: bool,
    pub(crate) only_deadlocks: bool,
    pub(crate) forbid: Vec<ActionPattern>,
    /// The labels of the internal actions, which `tau` and `i` in a pattern mean.
    pub(crate) internal: Taus,
    /// Whether the model has statements that can go wrong.
    pub(crate) can_fail: bool,
    /// Of communicating machines: which of their properties are asked about.
    pub(crate) machines: Option<(Arc<MachineSafety>, Vec<Blocked>)>,
    /// What a swarm did.
    pub(crate) swarmed: Option<Swarmed>,
}

impl SafetyQuestion<'_> {
    /// Does something with the question as the search takes it.
    fn asking<R>(&self, ask: impl FnOnce(&Safety<'_>) -> R) -> R {
        let system = self.setting.as_written();
        let forbidden = |action: Action| {
            let name = system.action_name(action);
            self.forbid.iter().any(|pattern| pattern.matches(&name, &self.internal))
        };
        let safety = Safety {
            deadlocks: self.deadlocks || self.only_deadlocks,
            faults: !self.only_deadlocks,
            forbidden: if self.forbids() { Some(&forbidden) } else { None },
            all: self.setting.all,
            ..Safety::DEADLOCKS
        };
        let all_bits = u64::MAX.checked_shr(64 - system.propositions().len() as u32).unwrap_or(0);
        ask(&match &self.machines {
            _ if self.only_deadlocks => safety,
            None => Safety { invariants: all_bits, ..safety },
            Some((machines, wanted)) => {
                let (invariants, at_ends) = machines.masks(wanted);
                let deadlocks = wanted.contains(&Blocked::Deadlock);
                Safety { deadlocks, invariants, at_ends, excuses: machines.excuses(), ..safety }
            }
        })
    }

    /// What was found in a reduced system is true only if it is so in the one that was written.
    fn confirm_run(&self, violation: Violation, run: &Run) -> Result<(), Refusal> {
        let system = self.setting.as_written();
        self.asking(|safety| reachability::confirm(&*system, safety, violation, run))
    }

    /// Makes a run easier to read, and confirms what became of it.
    fn polish(
        &self,
        violation: Violation,
        run: &mut Run,
        is_short: bool,
        walk: &Counters,
        budget: &mut Budget<'_>,
    ) -> Result<Option<Polished>, Refusal> {
        let system = self.setting.as_written();
        let figures = |run: &Run| Some((run.steps.len(), context_switches(&*system, &run.steps)?));
        let before = figures(run);
        if !is_short {
            let engine = self.setting.subject.system();
            let shorter = self.asking(|safety| {
                polish::without_needless_steps(&*engine, safety, (violation, run), walk, budget)
            });
            if let Some(shorter) = shorter {
                *run = shorter;
            }
        }
        let movable = movable(violation, run);
        reorder(&*system, run, movable, &mut || (budget.watch)(walk).is_some());
        self.confirm_run(violation, run)?;
        Ok(before.zip(figures(run)).map(|(before, after)| Polished { before, after }))
    }

    fn forbids(&self) -> bool {
        !self.forbid.is_empty() && !self.only_deadlocks
    }

    /// What is asked, in words.
    fn text(&self) -> String {
        if self.only_deadlocks {
            return "no deadlock (nothing else was looked for)".to_owned();
        }
        let mut parts = Vec::new();
        if let Some((_, wanted)) = &self.machines {
            parts.extend(wanted.iter().map(|&property| machines::text(property)));
        } else if self.deadlocks {
            parts.push("no deadlock".to_owned());
        }
        parts.extend(self.forbid.iter().map(|pattern| format!("no action matches {}", pattern.text())));
        if self.can_fail {
            parts.push("no failed assertion or other fault".to_owned());
        }
        if self.machines.is_none() {
            let names = self.setting.as_written().propositions();
            parts.extend(names.iter().map(|name| format!("always \"{name}\"")));
        }
        if parts.is_empty() { "no error".to_owned() } else { parts.join(", ") }
    }
}

impl SafetyQuestion<'_> {
    /// The same with the name that a violation has among machines.
    fn named(&self, violation: Violation, run: &Run, summary: Summary) -> Summary {
        let Some((machines, _)) = &self.machines else { return summary };
        let Some(property) = machines.violated(violation).filter(|_| violation != Violation::Deadlock) else {
            return summary;
        };
        let text = property.text().to_owned();
        let program = self.setting.subject.program();
        let told = program.and_then(|program| machines.explain(program, run.last(), property));
        Summary {
            kind: property.name(),
            headline: told.unwrap_or_else(|| text.clone()),
            text,
            values: Vec::new(),
            ..summary
        }
    }
}

impl<'a> Question<'a> for SafetyQuestion<'a> {
    type Plan = Plan;
    type Prepared = Prepared<'a>;
    type Answer = Walked<SafetyAnswer>;
    type Report = CheckReport<'a>;

    fn bytes(&self) -> usize {
        self.setting.bytes()
    }

    fn plan(&self, memory: usize, named: bool) -> Result<Plan, Problem> {
        self.setting.plan(memory, named)
    }

    fn prepare(&mut self, plan: Plan) -> Result<Prepared<'a>, Problem> {
        let timeless = self.machines.as_ref().map_or(0, |(machines, _)| machines.timeless());
        let (only_deadlocks, forbids) = (self.only_deadlocks, self.forbids());
        let about = About::Reachability { only_deadlocks, forbids, timeless };
        self.setting.prepare(about, plan)
    }

    fn walk(&mut self, prepared: &Prepared<'a>, budget: &mut Budget<'_>) -> Result<Self::Answer, Problem> {
        let (system, plan) = (&*prepared.system, prepared.plan);
        if self.setting.choice.swarm {
            let StorePlan::Bitstate { bytes, .. } = plan.store else {
                return Err(Unsuitable::NoSwarm.into());
            };
            if self.setting.all {
                return Err(Unsuitable::NoSwarm.into());
            }
            let threads = plan.threads.max(1);
            let swarm = Swarm { threads, bytes: bytes / threads, seed: plan.seed };
            let (answer, figures) = self.asking(|safety| swarm::ask(system, safety, &swarm, budget))?;
            self.swarmed = Some(figures);
            return Ok(Walked { answer, plan, before: None });
        }
        self.asking(|safety| {
            let walk = |plan: &Plan| Ok(reachability::ask(system, safety, plan, budget)?);
            self.setting.walk_or_tree(plan, walk, ran_out)
        })
    }

    fn map_back(&self, prepared: &Prepared<'a>, walked: &mut Self::Answer) -> Result<(), Problem> {
        let SafetyAnswer { violation, distinct, .. } = &mut walked.answer;
        let others =
            distinct.list.iter_mut().filter_map(|error| Some((error.violation, error.run.as_mut()?)));
        let found = violation.iter_mut().map(|(violation, run)| (*violation, run));
        for (violation, run) in found.chain(others) {
            for back in prepared.ways_back() {
                *run = self.asking(|safety| back.to_violation((violation, run), safety))?;
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
        let Walked { answer, plan, .. } = walked;
        if self.only_deadlocks && prepared.used("por") {
            // Some may have been left out for ever.
            answer.unfired.clear();
        }
        if let Some((violation, run)) = &mut answer.violation {
            self.confirm_run(*violation, run)?;
            let by_scout = answer.scouted.as_ref().is_some_and(|scouted| scouted.find.is_some());
            if matches!(plan.search, SearchPlan::Portfolio(_)) && (by_scout || prepared.is_reduced) {
                let system = self.setting.subject.system();
                let shorter =
                    self.asking(|safety| tighten(&*system, safety, run, &answer.counters, budget))?;
                if let Some(shorter) = shorter {
                    (*violation, *run) = shorter;
                    answer.errors = ErrorCounts::of(*violation);
                }
            }
            tell_lengths(&mut answer.scouted, run, prepared);
        }
        // A breadth-first walk of the model as it was written has found shortest runs, and others have just been made shorter.
        let is_short = match plan.search {
            SearchPlan::Portfolio(_) => true,
            SearchPlan::BreadthFirst => !prepared.is_reduced,
            SearchPlan::DepthFirst | SearchPlan::Sleeping => false,
        };
        let SafetyAnswer { violation, polished, distinct, counters, .. } = answer;
        if let Some((violation, run)) = violation
            && !self.setting.all
        {
            *polished = self.polish(*violation, run, is_short, counters, budget)?;
        }
        for FoundError { violation, run, polished, .. } in &mut distinct.list {
            if let Some(run) = run {
                self.confirm_run(*violation, run)?;
                *polished = self.polish(*violation, run, is_short, counters, budget)?;
            }
        }
        distinct.sort();
        if let Some(FoundError { violation: first, run: Some(run), polished: how, .. }) =
            distinct.list.first()
        {
            (*violation, *polished) = (Some((*first, run.clone())), *how);
        }
        if answer.scouted.is_none() {
            // No scout had to set out.
            plan.search = plan.search.without_scouts();
        }
        Ok(())
    }

    fn report(self, prepared: Prepared<'a>, walked: Self::Answer) -> CheckReport<'a> {
        let Walked { answer, plan, before } = walked;
        let system = self.setting.as_written();
        let words = |violation| in_words(violation, &*system, PropertyKind::Safety, "");
        let explain = |violation, run: &Run| {
            let summary = of_finite_run(violation, &*system, run, words(violation), None);
            (self.named(violation, run, summary), None)
        };
        let (verdict, summary) = judged(answer.verdict, answer.violation, answer.polished, explain);
        let distinct = error_list(answer.distinct, &*system, explain, words);
        let figures = SearchFigures {
            system,
            choice: self.setting.choice.clone(),
            plan,
            before,
            disk: self.setting.disk.clone(),
            all: self.setting.all,
            errors: answer.errors,
            distinct,
            counters: answer.counters,
            end: answer.end,
            coverage: answer.coverage,
            unfired: answer.unfired,
            swarm: self.swarmed,
            scouted: answer.scouted,
            finite: None,
            temporal: None,
            reach: None,
            stages: prepared.reports(&answer.counters),
        };
        let (kind, text) = (PropertyKind::Safety, self.text());
        self.setting.report(PropertyReport { name: None, kind, text, place: None, verdict, summary, figures })
    }
}

/// The figures of a breadth-first walk whose exact store had no room for all states, if that is what became of it.
pub(super) fn ran_out(plan: &Plan, answer: &SafetyAnswer) -> Option<Counters> {
    let breadth_first = plan.search.without_scouts() == SearchPlan::BreadthFirst;
    let exact = breadth_first && plan.store == StorePlan::Exact;
    (exact && answer.verdict == Verdict::Unknown(Limit::Memory)).then_some(answer.counters)
}

/// A verdict with the run that shows it, and that run in a few words.
pub(super) fn judged(
    verdict: Verdict,
    found: Option<(Violation, Run)>,
    polished: Option<Polished>,
    explain: impl FnOnce(Violation, &Run) -> (Summary, Option<Truths>),
) -> (Verdict<ViolatingRun>, Option<Summary>) {
    let Some((violation, run)) = found else {
        return (verdict.map(|_| unreachable!("a violation has a run that shows it")), None);
    };
    let (summary, truths) = explain(violation, &run);
    let shown = ViolatingRun { violation, run, loop_start: None, alone: None, truths, polished };
    (Verdict::Fails(shown), Some(summary))
}

/// The errors that were told apart, in words.
pub(super) fn error_list(
    found: FoundErrors,
    system: &dyn System,
    explain: impl Fn(Violation, &Run) -> (Summary, Option<Truths>),
    words: impl Fn(Violation) -> String,
) -> ErrorList {
    let FoundErrors { list, more, at_least } = found;
    let error = |FoundError { violation, met, run, polished }| {
        let place = place(violation, system, run.as_ref());
        let Some(run) = run else {
            let summary = Summary::brief(violation.name(), words(violation), 0);
            return ErrorReport { violation, summary, place, met, shown: None, after_fault: None };
        };
        let (summary, truths) = explain(violation, &run);
        let shown = ViolatingRun { violation, run, loop_start: None, alone: None, truths, polished };
        let after_fault = faulty_step(system, &shown.run);
        ErrorReport { violation, summary, place, met, shown: Some(shown), after_fault }
    };
    ErrorList { errors: list.into_iter().map(error).collect(), more, at_least }
}

/// The first step of a run, before the last, that runs into a fault.
fn faulty_step(system: &dyn System, run: &Run) -> Option<usize> {
    let (mut stepper, mut next) = (system.stepper(), Vec::new());
    let before_last = run.steps.len().saturating_sub(1);
    (0..before_last).find(|&step| stepper.fire(&run.states[step], run.steps[step], &mut next).is_err())
}

/// How long the run of a scout was, in steps of the model as it was written, and how long what was made of it is.
pub(super) fn tell_lengths(scouted: &mut Option<Scouted>, run: &Run, prepared: &Prepared<'_>) {
    let Some(find) = scouted.as_mut().and_then(|scouted| scouted.find.as_mut()) else { return };
    find.shortened = run.steps.len();
    let replayed = |steps: &[Transition]| replay(&*prepared.system, steps).ok();
    let found = replayed(&find.run)
        .and_then(|run| prepared.ways_back().try_fold(run, |run, back| back.run(&run).ok()));
    find.length = found.map_or(find.length, |run| run.steps.len());
}
