//! Can the system reach something it must not? Deadlocks, faults, forbidden actions, broken invariants.
//!
//! The walk stops at the first violation, or goes on and counts them all.

use crate::plan::{Exploration, Plan};
use crate::refusal::Refusal;
use crate::scout::Scouted;
use elnath_kernel::{
    Action, Budget, Counters, Coverage, Diagnosis, Edge, End, Fault, Hooks, Limit, Outcome, QuotientSystem,
    Run, Stepper, Successors, System, Verdict, Witness, lift, replay,
};
use std::ops::{Add, ControlFlow};

/// What must not be reachable.
pub struct Safety<'a> {
    /// States without transitions in which a run may not end.
    pub deadlocks: bool,
    /// Transitions that run into a fault.
    pub faults: bool,
    /// Transitions with an action for which this is true.
    pub forbidden: Option<&'a (dyn Fn(Action) -> bool + Sync)>,
    /// States in which one of these propositions (bits of the valuation) is false.
    pub invariants: u64,
    /// States without transitions in which one of these propositions is false, whether a run may end there or not.
    pub at_ends: u64,
    /// A state without transitions in which one of these propositions is false is no deadlock: it has a name of its own.
    pub excuses: u64,
    /// Count all violations instead of stopping at the first.
    pub all: bool,
}

impl Safety<'_> {
    /// Deadlocks and faults, stopping at the first.
    pub const DEADLOCKS: Safety<'static> = Safety {
        deadlocks: true,
        faults: true,
        forbidden: None,
        invariants: 0,
        at_ends: 0,
        excuses: 0,
        all: false,
    };
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
    /// The run is finite, and does not satisfy the formula ([`crate::finite`]).
    FiniteRun,
    /// The run itself, which goes on for ever, must not be: the answer to a temporal question
    /// ([`crate::temporal`]), never to this one.
    BadRun,
}

impl Violation {
    /// What kind it is, in one word, as `--json` prints it.
    pub fn name(self) -> &'static str {
        match self {
            Violation::Deadlock => "deadlock",
            Violation::Fault(_) => "fault",
            Violation::Forbidden(_) => "forbidden",
            Violation::Invariant(_) => "invariant",
            Violation::FiniteRun => "formula",
            Violation::BadRun => "run",
        }
    }
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
    /// Ends of finite runs that do not satisfy the formula ([`crate::finite`]).
    pub formula: u64,
}

impl ErrorCounts {
    /// One violation.
    pub fn of(violation: Violation) -> Self {
        let mut counts = Self::default();
        match violation {
            Violation::Deadlock => counts.deadlocks = 1,
            Violation::Fault(_) => counts.faults = 1,
            Violation::Forbidden(_) => counts.forbidden = 1,
            Violation::Invariant(_) | Violation::BadRun => counts.invariants = 1,
            Violation::FiniteRun => counts.formula = 1,
        }
        counts
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        self.deadlocks + self.faults + self.forbidden + self.invariants + self.formula
    }
}

impl Add for ErrorCounts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            deadlocks: self.deadlocks + other.deadlocks,
            faults: self.faults + other.faults,
            forbidden: self.forbidden + other.forbidden,
            invariants: self.invariants + other.invariants,
            formula: self.formula + other.formula,
        }
    }
}

/// The answer, with its figures.
#[derive(Clone, Debug)]
pub struct SafetyAnswer {
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
    /// What scouts did, if they had to set out.
    pub scouted: Option<Scouted>,
}

/// Asks the question: one walk, to the first violation, or over everything to count them. Should a count be cut short, the
/// verdict and its run stand; should the run itself not be known in the end, the answer is [`Limit::Witness`].
///
/// # Errors
/// If the plan makes no sense, or a diagnosis does not replay.
pub fn ask(
    system: &dyn System,
    question: &Safety<'_>,
    plan: &Plan,
    budget: &mut Budget<'_>,
) -> Result<SafetyAnswer, Refusal> {
    let Exploration { outcome, coverage, hooks, unfired, scouted } =
        plan.walk(system, || hooks(system, question), budget)?;
    let answer = answer(system, question, &outcome, coverage, &hooks, unfired)?;
    Ok(SafetyAnswer { scouted, ..answer })
}

/// What a walk that looks for violations needs.
pub(crate) fn hooks<'q>(system: &'q dyn System, question: &'q Safety<'q>) -> ViolationHooks<'q> {
    ViolationHooks { system, question, errors: ErrorCounts::default(), forbidden: Vec::new(), gave_up: false }
}

/// The answer that a walk with these hooks has given.
pub(crate) fn answer(
    system: &dyn System,
    question: &Safety<'_>,
    outcome: &Outcome,
    coverage: Coverage,
    hooks: &[ViolationHooks<'_>],
    unfired: Vec<Action>,
) -> Result<SafetyAnswer, Refusal> {
    let mut errors = hooks.iter().fold(ErrorCounts::default(), |sum, watch| sum + watch.errors);
    let mut violation = None;
    // That a violation was seen comes first, and how the walk ended only counts where none was: what the hooks have counted
    // is asked too, so that no search can lose what they saw.
    let verdict = match (&outcome.witness, outcome.end) {
        (Some(Witness::Run(steps)), _) => {
            let run = replay(system, steps)?;
            let found = violation_of(system, question, &run).ok_or(Refusal::NO_VIOLATION)?;
            if !question.all {
                // Several workers may have met one each before they stopped.
                errors = ErrorCounts::of(found);
            }
            violation = Some((found, run));
            Verdict::Fails(Diagnosis { steps: steps.clone(), loop_start: None })
        }
        (Some(Witness::Length(_)), _) | (None, End::Stopped) => Verdict::Unknown(Limit::Witness),
        (None, _) if errors.total() > 0 => Verdict::Unknown(Limit::Witness),
        (None, End::Limited(limit)) => Verdict::Unknown(limit),
        (None, End::Complete) if hooks.iter().any(|watch| watch.gave_up) => Verdict::Unknown(Limit::Sequence),
        (None, End::Complete) => Verdict::Holds(coverage),
    };
    let complete = outcome.end == End::Complete && !matches!(verdict, Verdict::Unknown(_));
    let unfired = if complete { unfired } else { Vec::new() };
    let (counters, end) = (outcome.counters, outcome.end);
    Ok(SafetyAnswer { verdict, violation, errors, counters, end, coverage, unfired, scouted: None })
}

/// Replays a run and looks whether it ends in this violation.
///
/// # Errors
/// If it does not, which would be a bug of ours.
pub fn confirm(
    system: &dyn System,
    question: &Safety<'_>,
    violation: Violation,
    run: &Run,
) -> Result<(), Refusal> {
    let again = replay(system, &run.steps)?;
    match violation_of(system, question, &again) {
        Some(found) if found == violation => Ok(()),
        _ => Err(Refusal::NO_VIOLATION),
    }
}

/// Makes an answer about a quotient one about the system itself: the run to its violation is followed there, replayed,
/// and ends in the same violation.
///
/// # Errors
/// If there is no such run, which would be a bug of ours.
pub fn lift_answer(
    system: &dyn System,
    quotient: QuotientSystem<'_>,
    question: &Safety<'_>,
    answer: &mut SafetyAnswer,
) -> Result<(), Refusal> {
    let Some((violation, run)) = &mut answer.violation else { return Ok(()) };
    let mut steps = lift(system, quotient, run)?;
    let mut lifted = replay(system, &steps)?;
    // In a deadlock of the quotient processes may be left that could cease to exist.
    let mut stepper = system.stepper();
    let mut enabled = Vec::new();
    let whole = (quotient.essence)(run.last());
    let deadlock = *violation == Violation::Deadlock;
    loop {
        stepper.enabled(lifted.last(), &mut enabled);
        let Some(&first) = enabled.first().filter(|_| deadlock) else { break };
        steps.push(first);
        lifted = replay(system, &steps)?;
        if (quotient.essence)(lifted.last()) != whole {
            return Err(Refusal::NO_VIOLATION);
        }
    }
    if violation_of(system, question, &lifted) != Some(*violation) {
        return Err(Refusal::NO_VIOLATION);
    }
    answer.verdict = Verdict::Fails(Diagnosis { steps: lifted.steps.clone(), loop_start: None });
    *run = lifted;
    Ok(())
}

/// Looks for violations while the system is walked.
pub(crate) struct ViolationHooks<'q> {
    system: &'q dyn System,
    question: &'q Safety<'q>,
    errors: ErrorCounts,
    /// Which actions are forbidden, as far as asked: the question may be slow to tell, and actions are few.
    forbidden: Vec<Option<bool>>,
    /// Whether something was not computed to its end.
    gave_up: bool,
}

impl ViolationHooks<'_> {
    fn report(&mut self, violation: Violation) -> ControlFlow<()> {
        self.errors = self.errors + ErrorCounts::of(violation);
        ControlFlow::Break(())
    }

    fn is_forbidden(&mut self, action: Action, forbidden: &dyn Fn(Action) -> bool) -> bool {
        let index = action.0 as usize;
        if self.forbidden.len() <= index {
            self.forbidden.resize(index + 1, None);
        }
        *self.forbidden[index].get_or_insert_with(|| forbidden(action))
    }
}

impl Hooks for ViolationHooks<'_> {
    fn expand(
        &mut self,
        stepper: &mut dyn Stepper,
        state: &[u8],
        successors: &Successors,
    ) -> ControlFlow<()> {
        match violation_at(self.question, stepper, state, successors.is_empty()) {
            Some(violation) => self.report(violation),
            None => ControlFlow::Continue(()),
        }
    }

    fn edge(&mut self, stepper: &mut dyn Stepper, edge: Edge<'_>) -> ControlFlow<()> {
        let question = self.question;
        self.gave_up |= edge.fault.is_some_and(|fault| self.system.gave_up(fault));
        match violation_by(self.system, question, stepper, edge, |action, forbidden| {
            self.is_forbidden(action, forbidden)
        }) {
            Some(violation) => self.report(violation),
            None => ControlFlow::Continue(()),
        }
    }

    fn sees_all_edges(&self) -> bool {
        self.question.forbidden.is_some()
    }

    fn goes_on(&self) -> bool {
        self.question.all
    }
}

fn violation_at(
    question: &Safety<'_>,
    stepper: &mut dyn Stepper,
    state: &[u8],
    stuck: bool,
) -> Option<Violation> {
    let looked_at = question.invariants | if stuck { question.at_ends | question.excuses } else { 0 };
    let broken = if looked_at == 0 { 0 } else { looked_at & !stepper.valuation(state) };
    if question.deadlocks && stuck && broken & question.excuses == 0 && !stepper.may_end(state) {
        return Some(Violation::Deadlock);
    }
    let violated = broken & (question.invariants | question.at_ends);
    (violated != 0).then(|| Violation::Invariant(violated.trailing_zeros()))
}

fn violation_by(
    system: &dyn System,
    question: &Safety<'_>,
    stepper: &mut dyn Stepper,
    edge: Edge<'_>,
    is_forbidden: impl FnOnce(Action, &dyn Fn(Action) -> bool) -> bool,
) -> Option<Violation> {
    if question.faults
        && let Some(fault) = edge.fault
        && !system.gave_up(fault)
    {
        return Some(Violation::Fault(fault));
    }
    let forbidden = question.forbidden?;
    let action = stepper.action(edge.from, edge.transition);
    is_forbidden(action, forbidden).then_some(Violation::Forbidden(action))
}

/// The violation in which a replayed run ends. A search says only where it found one; what it is, is found again here.
pub(crate) fn violation_of(system: &dyn System, question: &Safety<'_>, run: &Run) -> Option<Violation> {
    let mut stepper = system.stepper();
    if let ([.., from, to], Some(&transition)) = (&run.states[..], run.steps.last()) {
        let edge = Edge { from, transition, to, fault: run.fault };
        let ask = |action, forbidden: &dyn Fn(Action) -> bool| forbidden(action);
        if let Some(violation) = violation_by(system, question, &mut *stepper, edge, ask) {
            return Some(violation);
        }
    }
    let mut enabled = Vec::new();
    stepper.enabled(run.last(), &mut enabled);
    violation_at(question, &mut *stepper, run.last(), enabled.is_empty())
}
