//! Elnath's side: the answer of the check, and an independent walk that tells the kinds of all errors.

use super::{Figures, Kind};
use elnath::{Check, LoadOptions, Verdict};
use elnath_kernel::{Fault, System};
use elnath_program::Program;
use elnath_program::analysis::{Operation, Purpose, operations};
use elnath_program::interpreter::Cause;
use elnath_program::ir::{Command, Guard};
use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::time::{Duration, Instant};

/// How far a walk may go.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most states.
    pub states: u64,
    /// The longest time.
    pub time: Duration,
}

/// What became of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ours {
    /// The figures of a complete walk.
    Done(Figures),
    /// The limit on states was reached.
    TooLarge,
    /// The time was over.
    OutOfTime,
    /// The model was refused, with these messages.
    Refused(String),
    /// A fault of ours: two ways of computing the same figure differ, or something panicked.
    Broken(String),
}

/// Checks a model for all its errors. With `kinds`, walks it a second time in the simplest possible way, which must give
/// the same figures and tells the kinds of errors.
pub fn answer(
    model: &Path,
    options: &LoadOptions,
    ignore_end_states: bool,
    kinds: bool,
    limits: Limits,
) -> Ours {
    let work = std::panic::AssertUnwindSafe(|| checked(model, options, ignore_end_states, kinds, limits));
    std::panic::catch_unwind(work).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Ours::Broken(format!("panic: {}", text.unwrap_or_default()))
    })
}

fn checked(
    model: &Path,
    options: &LoadOptions,
    ignore_end_states: bool,
    kinds: bool,
    limits: Limits,
) -> Ours {
    let loaded = match elnath::load(model, options) {
        Ok(loaded) => loaded,
        Err(messages) => {
            let lines: Vec<String> = messages.into_messages().iter().map(ToString::to_string).collect();
            return Ours::Refused(lines.join("\n"));
        }
    };
    let start = Instant::now();
    let watch = move |_: &elnath::Counters| (start.elapsed() > limits.time).then_some(elnath::Limit::Time);
    let mut check = Check::system(loaded.system.clone()).all_errors().states(limits.states).watch(watch);
    if ignore_end_states {
        check = check.ignore_deadlocks();
    }
    let report = match check.run() {
        Ok(report) => report,
        Err(problem) => return Ours::Broken(problem.to_string()),
    };
    match report.first().figures.end {
        elnath::End::Limited(elnath::Limit::Time) => return Ours::OutOfTime,
        elnath::End::Limited(_) => return Ours::TooLarge,
        _ => {}
    }
    if let Verdict::Unknown(_) = report.verdict() {
        return Ours::TooLarge;
    }
    if matches!(report.verdict(), Verdict::Holds(_)) != (report.first().figures.errors.total() == 0) {
        return Ours::Broken("the verdict and the number of errors do not agree".to_owned());
    }
    let mut figures = Figures {
        states: report.first().figures.counters.states,
        transitions: report.first().figures.counters.transitions,
        errors: report.first().figures.errors.total(),
        kinds: BTreeSet::new(),
        asserts_inside: loaded.program.as_ref().is_some_and(|program| asserts_inside(program.program())),
        has_sequences: loaded.program.as_ref().is_some_and(|program| has_sequences(program.program())),
    };
    if kinds {
        let Some(program) = &loaded.program else { return Ours::Broken("not a program".to_owned()) };
        let kind = |fault| kind(program.fault_at(fault).cause);
        let Some(naive) = walk(&*loaded.system, ignore_end_states, &kind, limits.time) else {
            return Ours::OutOfTime;
        };
        let same = (naive.states, naive.transitions, naive.errors)
            == (figures.states, figures.transitions, figures.errors);
        if !same {
            return Ours::Broken(format!("the check gives {figures:?}, a naive walk {naive:?}"));
        }
        figures.kinds = naive.kinds;
    }
    Ours::Done(figures)
}

/// A walk with a set of states; nothing if it takes too long.
fn walk(
    system: &dyn System,
    ignore_end_states: bool,
    kind: &dyn Fn(Fault) -> Kind,
    limit: Duration,
) -> Option<Figures> {
    let start = Instant::now();
    let mut figures = Figures {
        states: 0,
        transitions: 0,
        errors: 0,
        kinds: BTreeSet::new(),
        asserts_inside: false,
        has_sequences: false,
    };
    let mut stepper = system.stepper();
    let (mut state, mut transitions, mut next) = (Vec::new(), Vec::new(), Vec::new());
    stepper.initial(&mut state);
    let mut seen = HashSet::from([state.clone()]);
    let mut queue = vec![state];
    while let Some(state) = queue.pop() {
        if start.elapsed() > limit {
            return None;
        }
        figures.states += 1;
        stepper.enabled(&state, &mut transitions);
        if transitions.is_empty() && !ignore_end_states && !stepper.may_end(&state) {
            figures.errors += 1;
            figures.kinds.insert(Kind::EndState);
        }
        for &t in &transitions {
            figures.transitions += 1;
            if let Err(fault) = stepper.fire(&state, t, &mut next)
                && !system.gave_up(fault)
            {
                figures.errors += 1;
                figures.kinds.insert(kind(fault));
            }
            if !seen.contains(&next) {
                seen.insert(next.clone());
                queue.push(next.clone());
            }
        }
    }
    Some(figures)
}

/// Whether an assertion is executed in a transition that consists of more than it.
fn asserts_inside(program: &Program) -> bool {
    let is_assertion =
        |operation: &Operation<'_>| matches!(operation, Operation::Evaluate(_, Purpose::Asserted));
    let asserts = |command: &Command| operations(command).iter().any(is_assertion);
    program.processes.iter().any(|process| {
        let body = process.commands.iter().any(|command| matches!(command.guard, Guard::Body { .. }));
        process.commands.iter().any(|command| asserts(command) && (command.atomic || body))
    })
}

fn has_sequences(program: &Program) -> bool {
    let mut commands = program.processes.iter().flat_map(|process| &process.commands);
    commands.any(|command| command.atomic || matches!(command.guard, Guard::Body { .. }))
}

fn kind(cause: Cause) -> Kind {
    match cause {
        Cause::Assertion => Kind::Assertion,
        Cause::Index => Kind::Index,
        Cause::DivisionByZero => Kind::Division,
        Cause::NoChannel => Kind::NoChannel,
        Cause::Arity => Kind::Arity,
        Cause::PollRendezvous => Kind::Poll,
        Cause::TooManyProcesses => Kind::Processes,
        Cause::TooManyChannels => Kind::Channels,
        Cause::BlockedBody => Kind::BlockedBody,
        _ => Kind::Other,
    }
}
