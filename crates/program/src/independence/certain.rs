//! What is certain in the middle of an atomic sequence because of how it began.
//!
//! A careful model asks before it acts: `atomic { nempty(c) && nfull(d) -> c?x; d!x }`. Within the sequence nobody else
//! moves, so the receive finds its message and the send its room; neither of them ever shows anybody whether it would
//! have been blocked. Without this, both would count as looking at how many messages there are, which everybody who uses
//! the other end of the channel minds.
//!
//! This is an analysis of the locations of one process, forwards from its guards: a fact is known at a location if it is
//! on every way there, and if each of these ways is within a sequence that has not been left. What is received may have
//! been the only message, what is sent may have taken the last place. A send may be a rendez-vous, after which the
//! receiver goes on and not the sender, so nothing is known after one. Nor is anything known of what was known before
//! where the process may be blocked, since it rests there then.
//!
//! Guards may have faults, and the process goes on after one. They are evaluated from left to right until one of several
//! conditions is false: so what was found to be true before the first that may fail is true in any case.

use super::scan::{Condition, Scan};
use crate::analysis::control::inner;
use crate::analysis::faults::evaluation_may_fail;
use crate::analysis::{
    Observation, Operation, communicates, for_each_operation, observation, operations, sent_to,
};
use crate::ir::{Binary, ChannelQuery, Command, Expr, Guard, Loc, Pattern};

/// A channel that is known to hold a message, or to have room.
pub(super) type Fact = (Condition, usize);

/// What is known at each location of a process.
pub(super) fn certain(scan: &Scan<'_>) -> Vec<Vec<Fact>> {
    let kind = scan.kind();
    let count = kind.locations.len();
    if kind.provided.is_some() || scan.instance.is_none() {
        return vec![Vec::new(); count];
    }
    // Nothing yet where no way leads that was looked at.
    let mut known: Vec<Option<Vec<Fact>>> = vec![None; count];
    known[kind.entry.index()] = Some(Vec::new());
    for command in &kind.commands {
        if let Guard::Body { entry, exit } = command.guard {
            inner(kind, entry, exit).into_iter().for_each(|at| known[at.index()] = Some(Vec::new()));
        }
    }
    loop {
        let mut changed = false;
        for at in 0..count {
            let Some(before) = known[at].clone() else { continue };
            for (_, command) in kind.leaving(Loc(at as u32)) {
                let after = after(scan, Loc(at as u32), &before, command);
                let target = &mut known[command.target.index()];
                let less = match target {
                    None => Some(after),
                    Some(facts) => {
                        let both: Vec<Fact> =
                            facts.iter().copied().filter(|fact| after.contains(fact)).collect();
                        (both.len() < facts.len()).then_some(both)
                    }
                };
                if less.is_some() {
                    *target = less;
                    changed = true;
                }
            }
        }
        if !changed {
            return known.into_iter().map(Option::unwrap_or_default).collect();
        }
    }
}

/// What is known after a command, if `known` is before it.
fn after(scan: &Scan<'_>, at: Loc, known: &[Fact], command: &Command) -> Vec<Fact> {
    let leaves = !command.atomic || matches!(command.guard, Guard::Body { .. } | Guard::Exit);
    if leaves || sent_to(command).is_some() {
        return Vec::new();
    }
    let mut facts = if goes_on(scan, at, known) { known.to_vec() } else { Vec::new() };
    if let Guard::When(expr) = &command.guard {
        found_true(scan, expr, &mut facts);
    }
    for_each_operation(command, &mut |operation| {
        let Operation::Receive { channel, copy: false, .. } = operation else { return };
        let number = scan.number(channel);
        facts.retain(|&(condition, of)| {
            condition == Condition::NotFull || number.is_some_and(|number| number != of)
        });
    });
    facts
}

/// Adds what a guard finds to be true before anything in it can fail; whether nothing can.
fn found_true(scan: &Scan<'_>, expr: &Expr, facts: &mut Vec<Fact>) -> bool {
    if let Expr::Binary(Binary::And, ab) = expr {
        return ab.iter().all(|part| found_true(scan, part, facts));
    }
    match observation(expr) {
        Some(Observation::Length {
            query: query @ (ChannelQuery::NotEmpty | ChannelQuery::NotFull),
            channel,
        }) => {
            let Some(number) = scan.number(channel) else { return false };
            let nempty = query == ChannelQuery::NotEmpty;
            facts.push((if nempty { Condition::NotEmpty } else { Condition::NotFull }, number));
            true
        }
        _ => !evaluation_may_fail(scan, expr),
    }
}

/// Whether the process is never blocked at a location at which this is known.
fn goes_on(scan: &Scan<'_>, at: Loc, known: &[Fact]) -> bool {
    scan.kind().leaving(at).any(|(_, command)| match command.guard {
        Guard::Else => true,
        Guard::Always => !communicates(command) || is_certain(scan, known, command),
        _ => false,
    })
}

/// Whether the communication of a command is certainly possible.
pub(super) fn is_certain(scan: &Scan<'_>, known: &[Fact], command: &Command) -> bool {
    if known.is_empty() || !communicates(command) {
        return false;
    }
    let certain = operations(command).into_iter().find_map(|operation| match operation {
        Operation::Send { channel, sorted: false, .. } => Some((Condition::NotFull, channel)),
        Operation::Receive { channel, patterns, random: false, .. }
            if !patterns.iter().any(|pattern| matches!(pattern, Pattern::Match(_))) =>
        {
            Some((Condition::NotEmpty, channel))
        }
        _ => None,
    });
    let Some((condition, channel)) = certain else { return false };
    scan.number(channel).is_some_and(|number| known.contains(&(condition, number)))
}
