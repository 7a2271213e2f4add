//! The answer to a question, with all its figures.

use crate::finite::FiniteProperty;
use crate::property::TemporalProperty;
use crate::reductions::StageReport;
use elnath_check::swarm::Swarmed;
use elnath_check::temporal::{Fairness, Method, Size};
use elnath_check::{ErrorCounts, Plan, Scouted, Violation};
use elnath_kernel::{Action, Counters, Coverage, Disk, End, Run, System, Verdict};
use elnath_logic::scc::Strength;
use std::sync::Arc;

/// The answer, with all its figures.
pub struct Report<'a> {
    /// The system asked about.
    pub system: Arc<dyn System + 'a>,
    /// How it was walked.
    pub plan: Plan,
    /// What an exact store had done when it ran out of memory, if a tree store began again ([`Check::or_tree`]).
    pub before: Option<Counters>,
    /// The disk it could go on on.
    pub disk: Option<Disk>,
    /// The verdict.
    pub verdict: Verdict,
    /// The first violation, with its replayed run.
    pub violation: Option<(Violation, Run)>,
    /// How many violations were met.
    pub errors: ErrorCounts,
    /// What the walk did.
    pub counters: Counters,
    /// Why the walk ended.
    pub end: End,
    /// What the store can claim about a complete walk.
    pub coverage: Coverage,
    /// After a complete walk, the actions that were never fired.
    pub unfired: Vec<Action>,
    /// The formula over finite runs that was asked about.
    pub finite: Option<FiniteProperty>,
    /// If a formula about runs that end was asked about: whether the walk met one.
    pub met_an_end: Option<bool>,
    /// What a swarm did, if there was one.
    pub swarm: Option<Swarmed>,
    /// What scouts did, if they had to set out.
    pub scouted: Option<Scouted>,
    /// If it was asked about infinite runs, how.
    pub temporal: Option<Temporal>,
    /// What became of the reductions that were wanted, in the order in which they were applied.
    pub stages: Vec<StageReport>,
    /// How many programs this process has compiled to machine code.
    pub compilations: u64,
}

/// What a question found out: what is to be reported, apart from what is the same for all questions.
pub(crate) struct Findings<'a> {
    pub(crate) system: Arc<dyn System + 'a>,
    pub(crate) plan: Plan,
    pub(crate) verdict: Verdict,
    pub(crate) violation: Option<(Violation, Run)>,
    pub(crate) errors: ErrorCounts,
    pub(crate) counters: Counters,
    pub(crate) end: End,
    pub(crate) coverage: Coverage,
    pub(crate) unfired: Vec<Action>,
    pub(crate) met_an_end: Option<bool>,
    pub(crate) swarm: Option<Swarmed>,
    pub(crate) scouted: Option<Scouted>,
    pub(crate) temporal: Option<Temporal>,
    pub(crate) stages: Vec<StageReport>,
}

/// What is to be told of an answer about infinite runs, beside what is told of any.
pub struct Temporal {
    /// What was asked.
    pub property: TemporalProperty,
    /// How it was looked for.
    pub method: Method,
    /// The strength of the automaton of the bad runs.
    pub strength: Strength,
    /// Its size, in the form that the search wanted.
    pub size: Size,
    /// How many workers looked for it.
    pub workers: usize,
    /// Why there was one only, if more were wanted, in words that follow "because".
    pub one_worker: Option<&'static str>,
    /// The step of the run with which its cycle begins, from 0. If there is none, the run is bad whatever comes after it.
    pub loop_start: Option<usize>,
    /// The run without the automaton and without the steps in which only that moves: one of the system alone, as it was
    /// written, with the step with which its cycle begins.
    pub alone: Option<(Run, Option<usize>)>,
    /// The faults that the search came across, in words, whether they count or not.
    pub faults: Vec<String>,
}

impl Temporal {
    /// What the runs that count are, in words.
    pub fn reading(&self) -> String {
        let runs = match self.property.question.fairness {
            Fairness::None => "all runs",
            Fairness::Weak => "runs that are weakly fair to each process",
            Fairness::Strong => "runs that are strongly fair to each process",
            Fairness::Live => {
                "runs in which each process with accept labels is at one of them again and again"
            }
        };
        let ends = if self.property.question.stutter {
            "the last state of a run that ends lasts for ever"
        } else {
            "runs that end do not count"
        };
        let faults = if self.property.question.faults { "" } else { "; faults of the model are ignored" };
        format!("{runs}; {ends}{faults}")
    }
}

impl<'a> Report<'a> {
    pub(crate) fn new(findings: Findings<'a>, disk: Option<Disk>, before: Option<Counters>) -> Self {
        let Findings { system, plan, verdict, violation, errors, counters, end, coverage, .. } = findings;
        let Findings { unfired, met_an_end, swarm, scouted, temporal, stages, .. } = findings;
        let compilations = elnath_jit::compilations();
        Self {
            system,
            plan,
            before,
            disk,
            verdict,
            violation,
            errors,
            counters,
            end,
            coverage,
            unfired,
            finite: None,
            met_an_end,
            swarm,
            scouted,
            temporal,
            stages,
            compilations,
        }
    }

    /// What became of a reduction, by its name, if it was wanted.
    pub fn stage(&self, name: &str) -> Option<&StageReport> {
        self.stages.iter().find(|stage| stage.name == name)
    }

    /// How many workers the search had.
    pub fn workers(&self) -> usize {
        self.temporal.as_ref().map_or(self.plan.workers(), |temporal| temporal.workers)
    }

    /// Why there was one only, if more were wanted, in words that follow "because".
    pub fn one_worker(&self) -> Option<&'static str> {
        self.temporal.as_ref().map_or(self.plan.one_worker(), |temporal| temporal.one_worker)
    }

    /// The steps to the violation: each action with the state it leads to.
    pub fn steps(&self) -> impl Iterator<Item = (String, String)> + '_ {
        self.violation.iter().flat_map(move |(_, run)| {
            run.steps.iter().enumerate().map(move |(i, &t)| {
                let action = self.system.show_transition(&run.states[i], t);
                (action, self.system.show_state(&run.states[i + 1]))
            })
        })
    }

    /// The steps to the violation, a line each.
    pub fn story(&self) -> Vec<String> {
        self.steps().map(|(action, state)| format!("{action} -> {state}")).collect()
    }

    /// The parts of the model that were never executed, after a complete walk: place and text, in the order
    /// of the lines.
    pub fn dead_parts(&self) -> Vec<(Option<String>, String)> {
        let part = |&action: &Action| (self.system.action_place(action), self.system.action_name(action));
        let mut parts: Vec<(Option<String>, String)> = self.unfired.iter().map(part).collect();
        let line = |place: &String| place.rsplit_once(':').and_then(|(_, line)| line.parse::<u32>().ok());
        parts.sort_by_key(|(place, _)| place.as_ref().and_then(line));
        parts
    }

    /// The violation in words.
    pub fn violation_text(&self) -> Option<String> {
        self.violation.as_ref().map(|(violation, _)| match violation {
            Violation::Deadlock => "deadlock: no transition is possible".to_owned(),
            Violation::Fault(fault) => self.system.fault_name(*fault),
            Violation::Forbidden(action) => format!("forbidden action {}", self.system.action_name(*action)),
            Violation::BadRun => {
                let temporal = self.temporal.as_ref().expect("only temporal questions have such answers");
                match temporal.property.kind {
                    "ltl" => "the formula is violated".to_owned(),
                    "progress" => "a cycle without progress".to_owned(),
                    "acceptance" => "a cycle through an acceptance label".to_owned(),
                    "automaton" => "a run that the automaton accepts".to_owned(),
                    _ => "the claim is matched".to_owned(),
                }
            }
            Violation::Invariant(bit) => {
                format!("property \"{}\" is violated", self.system.propositions()[*bit as usize])
            }
            Violation::FiniteRun => {
                let formula = self.finite.as_ref().map(FiniteProperty::formula).unwrap_or_default();
                format!("this run does not satisfy {formula}")
            }
        })
    }
}
