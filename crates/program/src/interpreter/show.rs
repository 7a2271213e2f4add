//! States, statements and faults in words.

use super::explain::Micro;
use super::{FaultAt, Interpreter};
use crate::ir::{Command, Place, ProcessId, Program, Type, Variable};
use crate::layout::{Layout, Tables, read_length, read_scalar};
use elnath_kernel::event::StatePart;

/// All variables and locations on one line.
pub(super) fn state(system: &Interpreter, state: &[u8]) -> String {
    let mut parts: Vec<String> =
        values(system, state).into_iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let mut tables = Tables::default();
    tables.read(&system.layout, state);
    for pid in 0..tables.processes.len() {
        let view = system.view(state, &tables, pid, false);
        let (process, location) = (view.process(pid), view.location(pid));
        let names = &process.locations[location.index()].labels;
        let label = names.first().map_or_else(|| location.0.to_string(), Clone::clone);
        parts.push(format!("{}:{pid}@{label}", process.name));
    }
    parts.join(", ")
}

/// All variables, and where processes are, as parts of a table.
pub(super) fn parts(system: &Interpreter, state: &[u8]) -> Vec<StatePart> {
    let part = |(name, value): (String, String)| {
        // A process and its variable, `Sender:0.number`; a global variable may be a structure with a field.
        match name.split_once('.') {
            Some((owner, name)) if owner.contains(':') => {
                StatePart { owner: owner.to_owned(), name: name.to_owned(), value }
            }
            _ => StatePart { owner: String::new(), name, value },
        }
    };
    let mut parts: Vec<StatePart> = values(system, state).into_iter().map(part).collect();
    let mut tables = Tables::default();
    tables.read(&system.layout, state);
    for pid in 0..tables.processes.len() {
        let view = system.view(state, &tables, pid, false);
        let (process, at) = (view.process(pid), view.location(pid));
        let label = process.locations[at.index()].labels.first();
        let leaving = process.locations[at.index()].groups.iter().flatten();
        let line = leaving
            .filter_map(|command| process.commands[command.index()].place)
            .map(|place| place.line)
            .min();
        let value = match (label, line) {
            (Some(label), Some(line)) => format!("at {label}, line {line}"),
            (Some(label), None) => format!("at {label}"),
            (None, Some(line)) => format!("at line {line}"),
            (None, None) => format!("at location {}", at.0),
        };
        let owner = format!("{}:{pid}", process.name);
        let behind = parts.iter().rposition(|part| part.owner == owner);
        let last = behind.unwrap_or(parts.len().wrapping_sub(1)).wrapping_add(1);
        parts.insert(last.min(parts.len()), StatePart { owner, name: String::new(), value });
    }
    parts
}

/// Every scalar of a state with its name and value: globals, then locals as `process:pid.name`, then channels.
pub(super) fn values(system: &Interpreter, state: &[u8]) -> Vec<(String, String)> {
    let mut tables = Tables::default();
    tables.read(&system.layout, state);
    let mut out = Vec::new();
    for (variable, &at) in system.program.globals.iter().zip(&system.layout.globals) {
        if !variable.hidden {
            add_variable(system, state, &tables, "", variable, at, &mut out);
        }
    }
    for pid in 0..tables.processes.len() {
        let view = system.view(state, &tables, pid, false);
        let process = view.process(pid);
        let base = tables.processes[pid] as usize;
        let frame = &system.layout.frames[view.process_id(pid).index()];
        let prefix = format!("{}:{pid}.", process.name);
        for (variable, &offset) in process.locals.iter().zip(&frame.locals) {
            add_variable(system, state, &tables, &prefix, variable, base + offset, &mut out);
        }
    }
    out
}

fn add_variable(
    system: &Interpreter,
    state: &[u8],
    tables: &Tables,
    prefix: &str,
    variable: &Variable,
    at: usize,
    out: &mut Vec<(String, String)>,
) {
    let size = variable.ty.size() as usize;
    for element in 0..variable.len() as usize {
        let name = format!("{prefix}{}", element_name(variable, element));
        let value = read_scalar(state, at + element * size, variable.ty);
        let text = match variable.ty {
            Type::Channel => channel(&system.program, &system.layout, state, tables, value),
            ty => scalar(&system.program, ty, value),
        };
        out.push((name, text));
    }
}

/// `a[1][2]` for an element of an array; fields of structures keep their indices where they belong: `v[1].f[2]`. (A front end marks
/// the parts of a name that are arrays with `[]`.)
pub(super) fn element_name(variable: &Variable, element: usize) -> String {
    elnath_kernel::event::element_name(&variable.name, &variable.dims, element)
}

/// A value of a type: by its name, if it has one.
pub(super) fn scalar(program: &Program, ty: Type, value: i32) -> String {
    match ty {
        Type::Symbol(set) => program.symbol(Some(set), value),
        Type::Bool => (value != 0).to_string(),
        _ => value.to_string(),
    }
}

/// The contents of a channel, `[a, b | c, d]`.
pub(super) fn channel(
    program: &Program,
    layout: &Layout,
    state: &[u8],
    tables: &Tables,
    number: i32,
) -> String {
    let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
    let Some(&(at, kind)) = index.and_then(|index| tables.channels.get(index)) else {
        return "none".to_owned();
    };
    let block = layout.block(kind);
    if block.capacity == Some(0) {
        return format!("rendez-vous {number}");
    }
    let fields = &program.channels[kind.index()].fields;
    let messages = (0..read_length(state, at as usize, block)).map(|message| {
        let mut at = at as usize + block.header + message * block.message;
        let fields = fields.iter().map(|&ty| {
            let value = read_scalar(state, at, ty);
            at += ty.size() as usize;
            scalar(program, ty, value)
        });
        fields.collect::<Vec<_>>().join(",")
    });
    format!("[{}]", messages.collect::<Vec<_>>().join(" | "))
}

/// What went wrong and where.
pub(super) fn fault(system: &Interpreter, fault: FaultAt) -> String {
    let Some((process, command)) = fault.at else {
        return format!("{} while the initial state is made", fault.cause.text());
    };
    let command = system.command(process, command);
    let place = command.place.map(|place| format!(" ({})", system.show_place(place))).unwrap_or_default();
    format!("{}: {}{place}", fault.cause.text(), command.text)
}

impl Interpreter {
    /// `file:line`.
    pub fn show_place(&self, place: Place) -> String {
        format!("{}:{}", self.program.files[place.file as usize], place.line)
    }

    /// One statement: who, where, what.
    pub fn show_micro(&self, micro: &Micro) -> String {
        let who = |pid: usize, process: ProcessId| {
            format!("{}:{pid}", self.program.processes[process.index()].name)
        };
        let command = self.command(micro.process, micro.command);
        let place =
            |command: &Command| command.place.map_or(String::new(), |place| format!(" line {}", place.line));
        let mut text = format!("{}{} {}", who(micro.pid, micro.process), place(command), command.text);
        if let Some(partner) = micro.partner {
            let received = self.command(partner.process, partner.command);
            let receiver = who(partner.pid, partner.process);
            text += &format!(" -> {receiver}{} {}", place(received), received.text);
        }
        if let Some(meeting) = &micro.meeting {
            let mut tables = Tables::default();
            tables.read(&self.layout, &micro.before);
            for &(pid, id) in meeting.members.iter().skip(1) {
                let process = self.view(&micro.before, &tables, pid, false).process_id(pid);
                let own = self.command(process, id);
                text += &format!(" with {}{} {}", who(pid, process), place(own), own.text);
            }
            text += &format!(": {}", self.label_of(meeting));
        }
        text
    }

    /// Every scalar of a state with its name and value.
    pub fn values(&self, state: &[u8]) -> Vec<(String, String)> {
        values(self, state)
    }
}
