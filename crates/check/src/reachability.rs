//! Can the system reach something it must not? Deadlocks, faults, forbidden actions, broken invariants.
//!
//! The walk stops at the first violation, or goes on, counts them all, and tells them apart ([`crate::distinct`]).

use crate::distinct::{ErrorPlace, ErrorTable, FoundErrors};
use crate::plan::{Exploration, Plan};
use crate::polish::Polished;
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
    /// Count all violations and tell them apart instead of stopping at the first.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    /// What was done to that run to make it easier to read.
    pub polished: Option<Polished>,
    /// The violations met.
    pub errors: ErrorCounts,
    /// If all were to be met, the errors that they are; the first of them is `violation`.
    pub distinct: FoundErrors,
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
    ViolationHooks {
        system,
        question,
        errors: ErrorCounts::default(),
        distinct: ErrorTable::default(),
        only: None,
        forbidden: Vec::new(),
        gave_up: false,
    }
}

/// The same, to look for one error only.
pub(crate) fn hooks_for<'q>(
    system: &'q dyn System,
    question: &'q Safety<'q>,
    only: ErrorPlace,
) -> ViolationHooks<'q> {
    ViolationHooks { only: Some(only), ..hooks(system, question) }
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
    let distinct = if question.all {
        let table = ErrorTable::together(hooks.iter().map(|watch| &watch.distinct));
        table.errors(system, question, &outcome.kept)?
    } else {
        FoundErrors::default()
    };
    let mut violation = distinct.list.first().and_then(|error| Some((error.violation, error.run.clone()?)));
    // That a violation was seen comes first, and how the walk ended only counts where none was: what the hooks have counted
    // is asked too, so that no search can lose what they saw.
    let verdict = match (&outcome.witness, outcome.end) {
        _ if let Some((_, run)) = &violation => {
            Verdict::Fails(Diagnosis { steps: run.steps.clone(), loop_start: None })
        }
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
    let (polished, scouted) = (None, None);
    Ok(SafetyAnswer {
        verdict,
        violation,
        polished,
        errors,
        distinct,
        counters,
        end,
        coverage,
        unfired,
        scouted,
    })
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
    if ends_in(system, question, violation, &again) { Ok(()) } else { Err(Refusal::NO_VIOLATION) }
}

/// Whether a replayed run ends in this violation.
pub(crate) fn ends_in(system: &dyn System, question: &Safety<'_>, violation: Violation, run: &Run) -> bool {
    let mut is_there = false;
    each_violation(system, question, &mut *system.stepper(), run, |found| is_there |= found == violation);
    is_there
}

/// Makes a run of a quotient to a violation one of the system itself: it is followed there, replayed, and ends in the same
/// violation.
///
/// # Errors
/// If there is no such run, which would be a bug of ours.
pub fn lift_run(
    system: &dyn System,
    quotient: QuotientSystem<'_>,
    question: &Safety<'_>,
    (violation, run): (Violation, &Run),
) -> Result<Run, Refusal> {
    let mut steps = lift(system, quotient, run)?;
    let mut lifted = replay(system, &steps)?;
    // In a deadlock of the quotient processes may be left that could cease to exist.
    let mut stepper = system.stepper();
    let mut enabled = Vec::new();
    let whole = (quotient.essence)(run.last());
    let deadlock = violation == Violation::Deadlock;
    loop {
        stepper.enabled(lifted.last(), &mut enabled);
        let Some(&first) = enabled.first().filter(|_| deadlock) else { break };
        steps.push(first);
        lifted = replay(system, &steps)?;
        if (quotient.essence)(lifted.last()) != whole {
            return Err(Refusal::NO_VIOLATION);
        }
    }
    if !ends_in(system, question, violation, &lifted) {
        return Err(Refusal::NO_VIOLATION);
    }
    Ok(lifted)
}

/// Looks for violations while the system is walked.
pub(crate) struct ViolationHooks<'q> {
    system: &'q dyn System,
    question: &'q Safety<'q>,
    errors: ErrorCounts,
    /// If all violations are to be met, the errors that they are.
    distinct: ErrorTable,
    /// The only error that is looked for, if there is one.
    only: Option<ErrorPlace>,
    /// Which actions are forbidden, as far as asked: the question may be slow to tell, and actions are few.
    forbidden: Vec<Option<bool>>,
    /// Whether something was not computed to its end.
    gave_up: bool,
}

impl ViolationHooks<'_> {
    /// What was met at a state, or on the way to it; of several violations the first is counted.
    fn report(&mut self, stepper: &mut dyn Stepper, state: &[u8], violations: Violations) -> ControlFlow<()> {
        let Some(first) = violations.first() else { return ControlFlow::Continue(()) };
        if let Some(only) = self.only {
            let mut places = violations.map(|violation| ErrorPlace::of(violation, stepper, state));
            let is_met = places.any(|place| place == only);
            return if is_met { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        }
        self.errors = self.errors + ErrorCounts::of(first);
        if self.question.all {
            violations.for_each(|found| self.distinct.note(ErrorPlace::of(found, stepper, state)));
        }
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
        let violations = violations_at(self.question, stepper, state, successors.is_empty());
        self.report(stepper, state, violations)
    }

    fn edge(&mut self, stepper: &mut dyn Stepper, edge: Edge<'_>) -> ControlFlow<()> {
        let question = self.question;
        self.gave_up |= edge.fault.is_some_and(|fault| self.system.gave_up(fault));
        let violation = violation_by(self.system, question, stepper, edge, |action, forbidden| {
            self.is_forbidden(action, forbidden)
        });
        self.report(stepper, edge.to, Violations { by: violation, ..Violations::default() })
    }

    fn keeps(&mut self) -> bool {
        std::mem::take(&mut self.distinct.wants_run)
    }

    fn sees_all_edges(&self) -> bool {
        self.question.forbidden.is_some()
    }

    fn goes_on(&self) -> bool {
        self.question.all
    }
}

/// What is wrong with a state, or a transition.
#[derive(Clone, Copy, Default)]
struct Violations {
    /// With the transition.
    by: Option<Violation>,
    deadlock: bool,
    /// Invariants that are false, one bit each.
    broken: u64,
}

impl Violations {
    fn first(mut self) -> Option<Violation> {
        self.next()
    }
}

impl Iterator for Violations {
    type Item = Violation;

    fn next(&mut self) -> Option<Violation> {
        if let Some(violation) = self.by.take() {
            return Some(violation);
        }
        if std::mem::take(&mut self.deadlock) {
            return Some(Violation::Deadlock);
        }
        let bit = (self.broken != 0).then(|| self.broken.trailing_zeros())?;
        self.broken &= self.broken - 1;
        Some(Violation::Invariant(bit))
    }
}

fn violations_at(question: &Safety<'_>, stepper: &mut dyn Stepper, state: &[u8], stuck: bool) -> Violations {
    // A state without transitions may have a name of its own, and is no deadlock then.
    let at_end = if stuck { question.at_ends } else { 0 };
    let excused = stuck && question.excuses != 0 && question.excuses & !stepper.valuation(state) != 0;
    let deadlock = question.deadlocks && stuck && !excused && !stepper.may_end(state);
    let looked_at = question.invariants | at_end;
    // Where nothing more is told than the first, the rest need not be known.
    let looks = looked_at != 0 && (question.all || !deadlock);
    let broken = if looks { looked_at & !stepper.valuation(state) } else { 0 };
    Violations { by: None, deadlock, broken }
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
    let mut first = None;
    each_violation(system, question, &mut *system.stepper(), run, |violation| {
        first.get_or_insert(violation);
    });
    first
}

/// All violations in which a replayed run ends: that of its last transition first.
pub(crate) fn each_violation(
    system: &dyn System,
    question: &Safety<'_>,
    stepper: &mut dyn Stepper,
    run: &Run,
    mut found: impl FnMut(Violation),
) {
    if let ([.., from, to], Some(&transition)) = (&run.states[..], run.steps.last()) {
        let edge = Edge { from, transition, to, fault: run.fault };
        let ask = |action, forbidden: &dyn Fn(Action) -> bool| forbidden(action);
        violation_by(system, question, stepper, edge, ask).into_iter().for_each(&mut found);
    }
    let mut enabled = Vec::new();
    stepper.enabled(run.last(), &mut enabled);
    violations_at(question, stepper, run.last(), enabled.is_empty()).for_each(found);
}
