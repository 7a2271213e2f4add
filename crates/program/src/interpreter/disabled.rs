//! Why statements cannot be executed: for each statement at the location of a process that no transition begins or takes part in,
//! the first thing that is in its way, in the order in which the walker looks: the process' condition, an escape of `unless`, the guard,
//! the channel or gate, the priority.
//!
//! What is possible is taken from the walker itself, so that nothing is called disabled that can be executed.

use super::eval::{ChannelAt, View};
use super::operands::operands;
use super::show::channel;
use super::story::{Snapshot, actor, place};
use super::{Interpreter, decode};
use crate::ir::{Binary, Command, CommandId, Expr, Guard, Loc, Pattern, Sync};
use crate::text::print_expression;
use elnath_kernel::Stepper as _;
use elnath_kernel::event::{Disabled, Obstacle};
use std::collections::HashSet;

/// What the processes cannot do in a state.
pub(super) fn disabled(system: &Interpreter, state: &[u8]) -> Vec<Disabled> {
    let mut enabled = Vec::new();
    system.walker().enabled(state, &mut enabled);
    let begun: HashSet<(usize, CommandId)> =
        enabled.iter().map(|&t| (decode(t).0.pid, decode(t).0.command)).collect();
    let timeout = enabled.iter().any(|&t| decode(t).0.timeout);
    let mut tables = crate::layout::Tables::default();
    tables.read(&system.layout, state);
    let snapshot = Snapshot::new(system, state);
    let count = tables.processes.len();
    let (mut possible, mut outranked) = (HashSet::new(), HashSet::new());
    for pid in 0..count {
        let view = system.view(state, &tables, pid, timeout);
        view.moves(|step| {
            if !begun.contains(&(pid, step.command)) {
                outranked.insert((pid, step.command));
                return;
            }
            possible.insert((pid, step.command));
            possible.extend(step.partner);
            possible.extend(view.meeting_of(step).into_iter().flat_map(|meeting| meeting.members));
        });
    }
    let mut out = Vec::new();
    for pid in 0..count {
        let view = system.view(state, &tables, pid, timeout);
        let (kind, process) = (view.process_id(pid), view.process(pid));
        for (id, command) in process.leaving(view.location(pid)) {
            if possible.contains(&(pid, id)) {
                continue;
            }
            let why = if outranked.contains(&(pid, id)) {
                Obstacle::Priority
            } else {
                Asker { view: &view, snapshot: &snapshot, possible: &possible }.why(id, command)
            };
            let (actor, text, place) =
                (actor(system, kind, pid), command.text.clone(), place(system, command));
            out.push(Disabled { actor, text, place, why });
        }
    }
    out
}

struct Asker<'v, 'a> {
    view: &'v View<'a>,
    snapshot: &'v Snapshot<'a>,
    possible: &'v HashSet<(usize, CommandId)>,
}

impl Asker<'_, '_> {
    fn why(&self, id: CommandId, command: &Command) -> Obstacle {
        let (view, process) = (self.view, self.view.process(self.view.pid));
        if let Some(provided) = &process.provided
            && view.is_true(provided) == Ok(false)
        {
            return self.first_false(provided);
        }
        let groups = &process.locations[view.location(view.pid).index()].groups;
        let own = groups.iter().position(|group| group.contains(&id)).unwrap_or(0);
        let earlier = groups[..own].iter().flatten();
        if earlier.clone().any(|&other| self.possible.contains(&(view.pid, other))) {
            return Obstacle::Overtaken;
        }
        self.of_command(command)
    }

    fn of_command(&self, command: &Command) -> Obstacle {
        let view = self.view;
        match &command.guard {
            Guard::Always => {}
            Guard::When(expr) => {
                if view.is_true(expr) == Ok(false) {
                    return self.first_false(expr);
                }
            }
            Guard::Else => return Obstacle::Otherwise,
            Guard::Body { entry, .. } => return self.of_body(*entry),
            Guard::Exit => return Obstacle::Younger,
        }
        match &command.sync {
            Sync::None => Obstacle::Unknown,
            Sync::Send { channel, .. } => self.of_channel(channel, |at, name| match at.block.capacity {
                Some(0) | None => Obstacle::NoPartner { at: name, missing: Vec::new() },
                Some(capacity) => Obstacle::Full { channel: name, capacity: capacity as u32 },
            }),
            Sync::Receive { channel, patterns, .. } => self.of_channel(channel, |at, name| {
                if at.block.capacity == Some(0) {
                    return Obstacle::NoPartner { at: name, missing: Vec::new() };
                }
                if view.length(at) == 0 {
                    return Obstacle::Empty { channel: name };
                }
                let matched = patterns.iter().filter_map(|pattern| match pattern {
                    Pattern::Match(expr) => Some(expr),
                    Pattern::Bind(_) | Pattern::Any => None,
                });
                let values = operands(view, matched.filter(|expr| !matches!(expr, Expr::Const(_))));
                Obstacle::Mismatch { channel: name, first: self.first_message(channel), values }
            }),
            Sync::Gate { gate, .. } => {
                let at = view.program.gates[gate.index()].name.clone();
                let own = (view.process_id(view.pid), *gate);
                let vectors = || view.program.vectors.iter().filter(|vector| vector.members.contains(&own));
                let is_there = |&(kind, gate): &(crate::ir::ProcessId, crate::ir::GateId)| {
                    (0..view.tables.processes.len()).any(|pid| {
                        let process = view.process(pid);
                        let offers = |command: &Command| matches!(command.sync, Sync::Gate { gate: at, .. } if at == gate);
                        view.process_id(pid) == kind
                            && process.leaving(view.location(pid)).any(|(_, command)| offers(command))
                    })
                };
                let mut missing: Vec<String> = vectors()
                    .flat_map(|vector| vector.members.iter().filter(|member| !is_there(member)))
                    .map(|(kind, _)| view.program.processes[kind.index()].name.clone())
                    .collect();
                missing.sort_unstable();
                missing.dedup();
                if missing.is_empty() {
                    Obstacle::Disagreement { at }
                } else {
                    Obstacle::NoPartner { at, missing }
                }
            }
        }
    }

    /// The first statement of a deterministic sequence decides.
    fn of_body(&self, entry: Loc) -> Obstacle {
        let process = self.view.process(self.view.pid);
        let first = process.leaving(entry).next();
        first.map_or(Obstacle::Unknown, |(_, command)| self.of_command(command))
    }

    /// Of a conjunction, the first part that is false, with what it reads.
    fn first_false(&self, expr: &Expr) -> Obstacle {
        if let Expr::Binary(Binary::And, parts) = expr {
            let first = parts.iter().find(|part| self.view.is_true(part) != Ok(true));
            return self.first_false(first.unwrap_or(&parts[0]));
        }
        let process = self.view.process(self.view.pid);
        let part = print_expression(self.view.program, Some(process), expr);
        let mut values = operands(self.view, [expr]);
        values.retain(|value| value.name != part);
        Obstacle::False { part, values }
    }

    fn of_channel(&self, expr: &Expr, why: impl FnOnce(ChannelAt, String) -> Obstacle) -> Obstacle {
        match (self.view.channel(expr), self.view.eval(expr)) {
            (Ok(at), Ok(number)) => why(at, self.snapshot.channel_name(number)),
            _ => Obstacle::Unknown,
        }
    }

    /// The first message of a channel as it is shown.
    fn first_message(&self, expr: &Expr) -> String {
        let View { program, layout, state, tables, .. } = *self.view;
        let shown = channel(program, layout, state, tables, self.view.eval(expr).unwrap_or(0));
        let inner = shown.trim_start_matches('[').trim_end_matches(']');
        inner.split(" | ").next().unwrap_or_default().to_owned()
    }
}
