//! Channels: those that grow for ever, so that no search of all states can end, and those with more room than any run needs.

use super::Answered;
use crate::bounded::Bounded;
use crate::words::plural;
use elnath_kernel::{Successors, System as _, Verdict};
use elnath_program::Interpreter;
use elnath_program::ir::{Capacity, Init, Program};
use elnath_source::{Message, codes};
use std::collections::HashSet;

/// How much may be tried to find out whether a channel grows: far less than a second.
const FIRINGS: u64 = 20_000;
const MEMORY: usize = 64 << 20;

/// So many states are looked at again to see how full channels are. Of more, nothing is said.
const STATES: usize = 10_000;

/// What is to be said of a search that has not ended and may never end, because channels have no bound; nothing if they have one, or
/// are known to need none.
pub fn endless(program: &Interpreter) -> Option<Message> {
    let names: Vec<String> = channels(program.program())
        .filter(|(_, capacity)| *capacity == Capacity::Unbounded)
        .map(|(name, _)| name.to_owned())
        .collect();
    if names.is_empty() {
        return None;
    }
    let asked = Bounded::of_program(program.program().clone()).channels(&names);
    let report = asked.firings(FIRINGS).memory(MEMORY).run();
    let help = "elnath bounded tells whether one can grow for ever, --capacity N gives each N places";
    let (code, text) = match report.as_ref().map(|report| &report.first().verdict) {
        Ok(Verdict::Holds(_)) => return None,
        Ok(Verdict::Fails(flood)) => {
            let growing: Vec<String> = flood.growing.iter().map(|(name, _)| format!("`{name}`")).collect();
            let grow = if growing.len() == 1 { "grows" } else { "grow" };
            let text = format!("{} {grow} for ever: the state space is infinite", growing.join(" and "));
            (codes::GROWS, text)
        }
        _ => (codes::UNBOUNDED_CHANNELS, "channels without bound may make infinitely many states".to_owned()),
    };
    Some(Message::finding(code, text, None).help(match code {
        codes::GROWS => "elnath bounded shows how; --capacity N gives each channel N places",
        _ => help,
    }))
}

/// The channels of global variables, with their capacities.
fn channels(program: &Program) -> impl Iterator<Item = (&str, Capacity)> {
    program.globals.iter().filter_map(|variable| match variable.init {
        Init::Channel(kind) if variable.dims.is_empty() => {
            Some((variable.name.as_str(), program.channels[kind.index()].capacity))
        }
        _ => None,
    })
}

/// Notes channels that are never full. Reductions leave out states in which one is fuller, so that all states are looked at again.
pub(super) fn look(answered: &Answered<'_, '_>, found: &mut Vec<Message>) {
    let figures = &answered.property.figures;
    let about_states = figures.temporal.is_none() && figures.finite.is_none();
    let holds = matches!(answered.property.verdict, Verdict::Holds(_));
    let Some(program) = answered.subject.program().filter(|_| about_states && holds && answered.complete())
    else {
        return;
    };
    let bounded = |(_, capacity): &(&str, Capacity)| matches!(capacity, Capacity::Bounded(2..));
    if !channels(program.program()).any(|channel| bounded(&channel)) {
        return;
    }
    let Some(longest) = longest(program) else { return };
    for (number, (name, capacity)) in channels(program.program()).enumerate() {
        let (Capacity::Bounded(most @ 2..), Some(&longest)) = (capacity, longest.get(number)) else {
            continue;
        };
        // One that nothing is ever sent on is told by statements that are never executed.
        if longest > 0 && longest < most as usize {
            let room = plural(u64::from(most), "message");
            let text =
                format!("`{name}` is never full: it has room for {room} and never holds more than {longest}");
            found.push(Message::finding(codes::NEVER_FULL, text, None));
        }
    }
}

/// The most messages that each of the first channels ever holds, if there are few states.
fn longest(program: &Interpreter) -> Option<Vec<usize>> {
    let (mut stepper, mut successors) = (program.stepper(), Successors::default());
    let initial = program.initial_state().to_vec();
    let mut longest: Vec<usize> = program.contents(&initial).iter().map(Vec::len).collect();
    let mut seen = HashSet::from([initial.clone()]);
    let mut queue = vec![initial];
    while let Some(state) = queue.pop() {
        for (longest, now) in longest.iter_mut().zip(program.contents(&state)) {
            *longest = now.len().max(*longest);
        }
        stepper.successors(&state, &mut successors);
        for next in successors.iter() {
            if seen.insert(next.state.to_vec()) {
                queue.push(next.state.to_vec());
            }
        }
        if seen.len() > STATES {
            return None;
        }
    }
    Some(longest)
}
