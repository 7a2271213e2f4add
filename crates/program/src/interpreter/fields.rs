//! States as values: the same parts as in [`show`](super::show), for those who compute with them.

use super::Interpreter;
use super::story::{actor, place};
use crate::ir::{Init, Loc, ProcessType, Type, Variable};
use crate::layout::{Tables, read_length, read_scalar};
use elnath_kernel::event::{Content, Field};

/// Globals, then the locals of each process with its location.
pub(super) fn fields(system: &Interpreter, state: &[u8]) -> Vec<Field> {
    let mut tables = Tables::default();
    tables.read(&system.layout, state);
    let reader = Reader { system, state, tables: &tables };
    let mut out = Vec::new();
    for (variable, &at) in system.program.globals.iter().zip(&system.layout.globals) {
        if !variable.hidden {
            let (owner, content) = (String::new(), reader.variable(variable, at));
            out.push(Field { owner, name: variable.name.clone(), content });
        }
    }
    for pid in 0..tables.processes.len() {
        let view = system.view(state, &tables, pid, false);
        let (kind, process, base) = (view.process_id(pid), view.process(pid), tables.processes[pid] as usize);
        let owner = actor(system, kind, pid);
        for (variable, &offset) in process.locals.iter().zip(&system.layout.frames[kind.index()].locals) {
            let content = reader.variable(variable, base + offset);
            out.push(Field { owner: owner.clone(), name: variable.name.clone(), content });
        }
        let content = location(system, process, view.location(pid));
        out.push(Field { owner, name: String::new(), content });
    }
    out
}

/// Where a claim or trace is.
pub(super) fn of_observer(process: &ProcessType, at: Loc) -> Field {
    let content = Content::Location { number: at.0, label: None, place: None };
    Field { owner: process.name.clone(), name: String::new(), content }
}

fn location(system: &Interpreter, process: &ProcessType, at: Loc) -> Content {
    let leaving = process.leaving(at).filter(|(_, command)| command.place.is_some());
    let first = leaving.min_by_key(|(_, command)| command.place.map(|place| place.line));
    let place = first.and_then(|(_, command)| place(system, command));
    let label = process.locations[at.index()].labels.first().cloned();
    Content::Location { number: at.0, label, place }
}

struct Reader<'a> {
    system: &'a Interpreter,
    state: &'a [u8],
    tables: &'a Tables,
}

impl Reader<'_> {
    fn variable(&self, variable: &Variable, at: usize) -> Content {
        let creates = matches!(variable.init, Init::Channel(_));
        let element = |number: usize| {
            let value = read_scalar(self.state, at + number * variable.ty.size() as usize, variable.ty);
            if creates { self.queue(value) } else { self.scalar(variable.ty, value) }
        };
        if variable.dims.is_empty() {
            return element(0);
        }
        let elements = (0..variable.len() as usize).map(element).collect();
        Content::Array { dims: variable.dims.clone(), elements }
    }

    fn scalar(&self, ty: Type, value: i32) -> Content {
        match ty {
            Type::Bool => Content::Truth { value: value != 0 },
            Type::Channel => Content::Channel { number: value as u32 },
            Type::Symbol(set) => {
                let name = self.system.program.symbol(Some(set), value);
                match name.parse::<i64>() {
                    // A value without a name.
                    Ok(value) => Content::Number { value },
                    Err(_) => Content::Symbol { name },
                }
            }
            _ => Content::Number { value: i64::from(value) },
        }
    }

    /// A channel where it was created. The variable may hold another one by now, or none.
    fn queue(&self, number: i32) -> Content {
        let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        let Some(&(at, kind)) = index.and_then(|index| self.tables.channels.get(index)) else {
            return Content::Channel { number: 0 };
        };
        let block = self.system.layout.block(kind);
        let fields = &self.system.program.channels[kind.index()].fields;
        let messages = (0..read_length(self.state, at as usize, block)).map(|message| {
            let mut at = at as usize + block.header + message * block.message;
            let field = |&ty: &Type| {
                let value = read_scalar(self.state, at, ty);
                at += ty.size() as usize;
                self.scalar(ty, value)
            };
            fields.iter().map(field).collect()
        });
        let capacity = block.capacity.map(|capacity| capacity as u32);
        Content::Queue { number: number as u32, capacity, messages: messages.collect() }
    }
}
