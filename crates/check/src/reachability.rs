//! Can the system reach something it must not? Deadlocks, faults, forbidden actions, broken invariants.
//!
//! The walk stops at the first violation, or goes on and counts them all.

use crate::plan::{Plan, Unsuitable};
use elnath_kernel::diagnosis::NotARun;
use elnath_kernel::{
    Action, Budget, Counters, Coverage, Diagnosis, Edge, End, Fault, Hooks, Run, Stepper, System, Transition,
    Verdict, replay,
};
use std::fmt;
use std::ops::ControlFlow;

/// What must not be reachable.
pub struct Question<'a> {
    /// States without transitions in which a run may not end.
    pub deadlocks: bool,
    /// Transitions that run into a fault.
    pub faults: bool,
    /// Transitions with an action for which this is true.
    pub forbidden: Option<&'a dyn Fn(Action) -> bool>,
    /// States in which one of these propositions (bits of the valuation) is false.
    pub invariants: u64,
    /// Count all violations instead of stopping at the first.
    pub all: bool,
}

impl Question<'_> {
    /// Deadlocks and faults, stopping at the first.
    pub const DEADLOCKS: Question<'static> =
        Question { deadlocks: true, faults: true, forbidden: None, invariants: 0, all: false };
}

/// Something that must not be reachable and is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Violation {
    /// The run ends in a state without transitions.
    Deadlock,
    /// The last transition ran into a fault.
    Fault(Fault),
    /// The last transition has a forbidden action.
    Forbidden(Action),
    /// The run ends in a state where this proposition is false.
    Invariant(u32),
}

/// How many violations of each kind were met. A state or transition that is met again, because it was forgotten in
/// between, counts again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ErrorCounts {
    /// Deadlocks.
    pub deadlocks: u64,
    /// Transitions with a fault.
    pub faults: u64,
    /// Transitions with a forbidden action.
    pub forbidden: u64,
    /// States in which some invariant is false.
    pub invariants: u64,
}

impl ErrorCounts {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.deadlocks + self.faults + self.forbidden + self.invariants
    }
}

/// The answer, with its figures.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Whether nothing forbidden is reachable.
    pub verdict: Verdict,
    /// The first violation met, with its run replayed.
    pub violation: Option<(Violation, Run)>,
    /// The violations met.
    pub errors: ErrorCounts,
    /// What the walk did.
    pub counters: Counters,
    /// Whether the walk saw everything.
    pub end: End,
    /// What the store can claim about it.
    pub coverage: Coverage,
    /// After a complete walk, the actions that were never fired.
    pub unfired: Vec<Action>,
}

/// Why there is no answer at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The plan makes no sense.
    Unsuitable(Unsuitable),
    /// The diagnosis could not be replayed: a bug of ours, which must not be shown as a verdict.
    NotReplayed(Option<NotARun>),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Unsuitable(why) => why.fmt(f),
            Refusal::NotReplayed(Some(why)) => why.fmt(f),
            Refusal::NotReplayed(None) => {
                f.write_str("the replayed run does not end in the reported violation")
            }
        }
    }
}

impl std::error::Error for Refusal {}

/// Asks the question.
///
/// To count all violations is a second walk, made only if the first has met one: should it be cut short, the verdict
/// and its run are there already, and a system without violations is walked once.
///
/// # Errors
/// If the plan makes no sense, or a diagnosis does not replay.
pub fn ask(
    system: &dyn System,
    question: &Question<'_>,
    plan: &Plan,
    budget: &mut Budget<'_>,
) -> Result<Answer, Refusal> {
    let first = walk(system, &Question { all: false, ..*question }, plan, budget)?;
    if !question.all || first.violation.is_none() {
        return Ok(first);
    }
    let all = walk(system, question, plan, budget)?;
    // The second walk may have been stopped before it came to the first violation.
    let errors = if all.errors.total() > 0 { all.errors } else { first.errors };
    Ok(Answer { verdict: first.verdict, violation: first.violation, errors, ..all })
}

/// One walk: to the first violation, or over everything to count them.
fn walk(
    system: &dyn System,
    question: &Question<'_>,
    plan: &Plan,
    budget: &mut Budget<'_>,
) -> Result<Answer, Refusal> {
    let mut watch = Watch { question, errors: ErrorCounts::default(), first: None };
    let mut stepper = system.stepper();
    let (outcome, coverage) = plan.walk(&mut *stepper, &mut watch, budget).map_err(Refusal::Unsuitable)?;
    let unfired = if outcome.end == End::Complete { stepper.unfired() } else { Vec::new() };
    let errors = watch.errors;
    let violation = match watch.first {
        Some(violation) => {
            let run = replay(system, &outcome.witness).map_err(|why| Refusal::NotReplayed(Some(why)))?;
            if !shows(system, question, violation, &run) {
                return Err(Refusal::NotReplayed(None));
            }
            Some((violation, run))
        }
        None => None,
    };
    let verdict = match (&violation, outcome.end) {
        (Some((_, run)), _) => Verdict::Fails(Diagnosis { steps: run.steps.clone(), loop_start: None }),
        (None, End::Limited(limit)) => Verdict::Unknown(limit),
        (None, _) => Verdict::Holds(coverage),
    };
    Ok(Answer { verdict, violation, errors, counters: outcome.counters, end: outcome.end, coverage, unfired })
}

/// Looks for violations while the system is walked.
struct Watch<'q> {
    question: &'q Question<'q>,
    errors: ErrorCounts,
    first: Option<Violation>,
}

impl Watch<'_> {
    fn report(&mut self, violation: Violation) -> ControlFlow<()> {
        match violation {
            Violation::Deadlock => self.errors.deadlocks += 1,
            Violation::Fault(_) => self.errors.faults += 1,
            Violation::Forbidden(_) => self.errors.forbidden += 1,
            Violation::Invariant(_) => self.errors.invariants += 1,
        }
        if self.question.all {
            return ControlFlow::Continue(());
        }
        self.first = Some(violation);
        ControlFlow::Break(())
    }
}

impl Hooks for Watch<'_> {
    fn expand(&mut self, stepper: &mut dyn Stepper, state: &[u8], enabled: &[Transition]) -> ControlFlow<()> {
        match violation_at(self.question, stepper, state, enabled) {
            Some(violation) => self.report(violation),
            None => ControlFlow::Continue(()),
        }
    }

    fn edge(&mut self, stepper: &mut dyn Stepper, edge: Edge<'_>) -> ControlFlow<()> {
        match violation_by(self.question, stepper, edge) {
            Some(violation) => self.report(violation),
            None => ControlFlow::Continue(()),
        }
    }
}

fn violation_at(
    question: &Question<'_>,
    stepper: &mut dyn Stepper,
    state: &[u8],
    enabled: &[Transition],
) -> Option<Violation> {
    if question.deadlocks && enabled.is_empty() && !stepper.may_end(state) {
        return Some(Violation::Deadlock);
    }
    if question.invariants != 0 {
        let broken = question.invariants & !stepper.valuation(state);
        if broken != 0 {
            return Some(Violation::Invariant(broken.trailing_zeros()));
        }
    }
    None
}

fn violation_by(question: &Question<'_>, stepper: &mut dyn Stepper, edge: Edge<'_>) -> Option<Violation> {
    if question.faults
        && let Some(fault) = edge.fault
    {
        return Some(Violation::Fault(fault));
    }
    let forbidden = question.forbidden?;
    let action = stepper.action(edge.from, edge.transition);
    forbidden(action).then_some(Violation::Forbidden(action))
}

/// Whether a replayed run ends in the violation it is said to show.
fn shows(system: &dyn System, question: &Question<'_>, violation: Violation, run: &Run) -> bool {
    let mut stepper = system.stepper();
    let found = match violation {
        Violation::Deadlock | Violation::Invariant(_) => {
            let mut enabled = Vec::new();
            stepper.enabled(run.last(), &mut enabled);
            violation_at(question, &mut *stepper, run.last(), &enabled)
        }
        Violation::Fault(_) | Violation::Forbidden(_) => {
            let ([.., from, to], Some(&transition)) = (&run.states[..], run.steps.last()) else {
                return false;
            };
            violation_by(question, &mut *stepper, Edge { from, transition, to, fault: run.fault })
        }
    };
    found == Some(violation)
}
