//! Transitions of programs as [`Event`]s: one per statement, with what it changed.
//!
//! A channel is shown where its contents change and under the name of the variable that created it, not under every
//! variable and parameter that refers to it. The variables of a new process are not changes: nobody saw them before.

use super::explain::Micro;
use super::operands;
use super::show::{channel, element_name, scalar};
use super::trace::ChannelOp;
use super::{Interpreter, Meeting, eval::View};
use crate::ir::{ChannelId, Command, Guard, Init, ProcessId, Sync, Type, Variable};
use crate::layout::{Tables, read_scalar};
use elnath_kernel::Transition;
use elnath_kernel::event::{Call, Change, Event, Message, MessageKind, Place, Scope};

/// What happens when a transition is fired.
pub(super) fn events(system: &Interpreter, state: &[u8], t: Transition) -> Vec<Event> {
    let mut events = Vec::new();
    for micro in system.explain(state, t) {
        match &micro.meeting {
            Some(meeting) => together(system, &micro, meeting, &mut events),
            None => events.push(event(system, &micro)),
        }
    }
    events
}

/// One event for each of those who meet at a gate; what they change together comes with the last.
fn together(system: &Interpreter, micro: &Micro, meeting: &Meeting, out: &mut Vec<Event>) {
    let whole = event(system, micro);
    let before = Snapshot::new(system, &micro.before);
    let label = system.label_of(meeting);
    for (number, &(pid, id)) in meeting.members.iter().enumerate() {
        let command = system.command(before.process_id(pid), id);
        let is_last = number + 1 == meeting.members.len();
        out.push(Event {
            actor: before.actor(pid),
            place: place(system, command),
            calls: calls(system, command),
            text: format!("{label} ({})", command.text),
            changes: if is_last { whole.changes.clone() } else { Some(Vec::new()) },
            output: if is_last { whole.output.clone() } else { Vec::new() },
            created: if is_last { whole.created.clone() } else { Vec::new() },
            operands: if is_last { whole.operands.clone() } else { Vec::new() },
            ..Event::default()
        });
    }
}

/// The processes of a state.
pub(super) fn actors(system: &Interpreter, state: &[u8]) -> Vec<String> {
    let at = Snapshot::new(system, state);
    (0..at.tables.processes.len()).map(|pid| at.actor(pid)).collect()
}

/// What the processes of a state wait for, one event per statement.
pub(super) fn waiting(system: &Interpreter, state: &[u8]) -> Vec<Event> {
    let at = Snapshot::new(system, state);
    let mut events = Vec::new();
    for pid in 0..at.tables.processes.len() {
        let view = at.view(pid);
        for (_, command) in view.process(pid).leaving(view.location(pid)) {
            events.push(Event {
                actor: at.actor(pid),
                place: place(system, command),
                calls: calls(system, command),
                text: command.text.clone(),
                ended: command.guard == Guard::Exit,
                operands: operands::of_waiting(&view, command),
                ..Event::default()
            });
        }
    }
    events
}

fn event(system: &Interpreter, micro: &Micro) -> Event {
    let (before, after) = (Snapshot::new(system, &micro.before), Snapshot::new(system, &micro.after));
    let command = system.command(micro.process, micro.command);
    let created = before.tables.processes.len()..after.tables.processes.len();
    Event {
        actor: actor(system, micro.process, micro.pid),
        place: place(system, command),
        calls: calls(system, command),
        text: command.text.clone(),
        changes: Some(changes(&before, &after)),
        output: micro.printed.clone(),
        message: message(&before, micro, command),
        inside: inside(&before, micro, command),
        created: created.map(|pid| after.actor(pid)).collect(),
        ended: command.guard == Guard::Exit,
        operands: micro.operands.clone(),
    }
}

pub(super) fn actor(system: &Interpreter, process: ProcessId, pid: usize) -> String {
    format!("{}:{pid}", system.program.processes[process.index()].name)
}

pub(super) fn place(system: &Interpreter, command: &Command) -> Option<Place> {
    command.place.map(|place| written(system, place))
}

fn written(system: &Interpreter, place: crate::ir::Place) -> Place {
    Place { file: system.program.files[place.file as usize].clone(), line: place.line }
}

/// The calls that a command lies in, the innermost first.
fn calls(system: &Interpreter, command: &Command) -> Vec<Call> {
    let mut calls = Vec::new();
    let mut next = command.place.and_then(|place| place.call);
    while let Some(call) = next {
        let call = &system.program.calls[call as usize];
        calls.push(Call { name: call.name.clone(), place: written(system, call.place) });
        next = call.place.call;
    }
    calls
}

/// A state that can be looked into.
pub(super) struct Snapshot<'a> {
    system: &'a Interpreter,
    state: &'a [u8],
    tables: Tables,
}

impl<'a> Snapshot<'a> {
    pub(super) fn new(system: &'a Interpreter, state: &'a [u8]) -> Self {
        let mut tables = Tables::default();
        tables.read(&system.layout, state);
        Self { system, state, tables }
    }

    pub(super) fn view(&self, pid: usize) -> View<'_> {
        self.system.view(self.state, &self.tables, pid, false)
    }

    fn process_id(&self, pid: usize) -> ProcessId {
        self.view(pid).process_id(pid)
    }

    fn actor(&self, pid: usize) -> String {
        actor(self.system, self.process_id(pid), pid)
    }

    /// The offsets of the local variables of a process.
    fn locals(&self, pid: usize) -> impl Iterator<Item = (&'a Variable, usize)> {
        let system = self.system;
        let (process, base) = (self.process_id(pid).index(), self.tables.processes[pid] as usize);
        let offsets = &system.layout.frames[process].locals;
        system.program.processes[process].locals.iter().zip(offsets).map(move |(v, at)| (v, base + at))
    }

    fn globals(&self) -> impl Iterator<Item = (&'a Variable, usize)> {
        self.system.program.globals.iter().zip(self.system.layout.globals.iter().copied())
    }

    fn element(&self, variable: &Variable, at: usize, element: usize) -> i32 {
        read_scalar(self.state, at + element * variable.ty.size() as usize, variable.ty)
    }

    pub(super) fn show(&self, ty: Type, value: i32) -> String {
        match ty {
            Type::Channel => self.channel_name(value),
            ty => scalar(&self.system.program, ty, value),
        }
    }

    /// The kind of the channel with this index, which is its number less one.
    pub(super) fn channel_kind(&self, index: usize) -> Option<ChannelId> {
        self.tables.channels.get(index).map(|&(_, kind)| kind)
    }

    /// The name of the variable that created a channel.
    pub(super) fn channel_name(&self, number: i32) -> String {
        let created = |(variable, at): (&Variable, usize)| {
            let here = matches!(variable.init, Init::Channel(_));
            let elements = if here { variable.len() as usize } else { 0 };
            let element = (0..elements).find(|&element| self.element(variable, at, element) == number);
            element.map(|element| element_name(variable, element))
        };
        if number == 0 {
            return "none".to_owned();
        }
        let local = |pid: usize| {
            let name = self.locals(pid).find_map(created)?;
            Some(format!("{}.{name}", self.actor(pid)))
        };
        let name = self.globals().find_map(created);
        let name = name.or_else(|| (0..self.tables.processes.len()).find_map(local));
        name.unwrap_or_else(|| format!("channel {number}"))
    }

    /// A message on the channel with this number, if it is there.
    fn message(&self, number: i32, values: &[i32], kind: MessageKind) -> Option<Message> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        let fields = &self.system.program.channels[self.channel_kind(index)?.index()].fields;
        let shown: Vec<String> =
            fields.iter().zip(values).map(|(&ty, &value)| self.show(ty, value)).collect();
        Some(Message { channel: self.channel_name(number), values: shown.join(","), kind })
    }

    fn contents(&self, number: i32) -> String {
        channel(&self.system.program, &self.system.layout, self.state, &self.tables, number)
    }
}

fn changes(before: &Snapshot<'_>, after: &Snapshot<'_>) -> Vec<Change> {
    let mut out = Vec::new();
    let pairs = before.globals().zip(after.globals());
    for ((variable, old), (_, new)) in pairs.filter(|((variable, _), _)| !variable.hidden) {
        compare(before, after, (variable, old, new), Scope::Global, "", &mut out);
    }
    let processes = before.tables.processes.len().min(after.tables.processes.len());
    for pid in 0..processes {
        let prefix = format!("{}.", after.actor(pid));
        for ((variable, old), (_, new)) in before.locals(pid).zip(after.locals(pid)) {
            compare(before, after, (variable, old, new), Scope::Local, &prefix, &mut out);
        }
    }
    let channels = before.tables.channels.len().min(after.tables.channels.len());
    for number in 1..=channels as i32 {
        let value = after.contents(number);
        if value != before.contents(number) {
            out.push(Change { scope: Scope::Channel, name: after.channel_name(number), value });
        }
    }
    out
}

fn compare(
    before: &Snapshot<'_>,
    after: &Snapshot<'_>,
    (variable, old, new): (&Variable, usize, usize),
    scope: Scope,
    prefix: &str,
    out: &mut Vec<Change>,
) {
    for element in 0..variable.len() as usize {
        let value = after.element(variable, new, element);
        if value != before.element(variable, old, element) {
            let name = format!("{prefix}{}", element_name(variable, element));
            out.push(Change { scope, name, value: after.show(variable.ty, value) });
        }
    }
}

/// The message that a statement sent or received.
fn message(before: &Snapshot<'_>, micro: &Micro, command: &Command) -> Option<Message> {
    let view = before.view(micro.pid);
    let (number, values, kind) = match &command.sync {
        Sync::None | Sync::Gate { .. } => return None,
        Sync::Send { channel, fields, .. } => {
            let mut values = Vec::new();
            view.message_values(view.channel(channel).ok()?, fields, &mut values).ok()?;
            let kind = match micro.partner {
                None => MessageKind::Sent,
                Some(partner) => {
                    let received = before.system.command(partner.process, partner.command);
                    MessageKind::HandedOver {
                        receiver: actor(before.system, partner.process, partner.pid),
                        place: place(before.system, received),
                        text: received.text.clone(),
                    }
                }
            };
            (view.eval(channel).ok()?, values, kind)
        }
        Sync::Receive { channel, patterns, random, copy } => {
            let at = view.channel(channel).ok()?;
            let index = view.matching(at, patterns, *random).ok()??;
            let mut offset = view.message(at, index);
            let fields = &before.system.program.channels[at.kind.index()].fields;
            let values = fields.iter().map(|&ty| {
                let value = read_scalar(before.state, offset, ty);
                offset += ty.size() as usize;
                value
            });
            let values = values.collect();
            let kind = if *copy { MessageKind::Copied } else { MessageKind::Received };
            (view.eval(channel).ok()?, values, kind)
        }
    };
    before.message(number, &values, kind)
}

/// The messages of a deterministic sequence.
fn inside(before: &Snapshot<'_>, micro: &Micro, command: &Command) -> Vec<Message> {
    if !matches!(command.guard, Guard::Body { .. }) {
        return Vec::new();
    }
    let shown = micro.events.iter().filter_map(|event| {
        let kind = match event.op {
            ChannelOp::Send => MessageKind::Sent,
            ChannelOp::Receive => MessageKind::Received,
            ChannelOp::Copy => MessageKind::Copied,
        };
        before.message(event.channel as i32, &event.values, kind)
    });
    shown.collect()
}
