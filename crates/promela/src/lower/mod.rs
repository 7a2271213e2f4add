//! From a checked model to guarded commands.
//!
//! The control structure is built as SPIN builds it, element by element (`graph`), because the number of places a process
//! can rest at decides how many states there are; data are taken apart into scalars and arrays of scalars (`data`).
//! `docs/promela-semantics.md` says which rule comes from where.

mod data;
mod graph;
mod hidden;
mod remote;
mod text;
mod trail;

use crate::model::{ExprKind, Model, Process, ProcessId, ProcessKind, Stmt, StmtKind};
use data::Data;
use elnath_program::ir::{ProcessType, Program};
use elnath_program::verify::verify;
use elnath_program::{EventPattern, Trace};
use elnath_source::Message;

pub use trail::TrailTable;

/// The invariant of programs that large models, and not only mistakes of ours, can break.
const LIMITS: u8 = 1;

/// A model as a program, with the claims that may watch it.
pub struct Lowered {
    /// The processes.
    pub program: Program,
    /// The `never` claims, in the order of the text.
    pub claims: Vec<ProcessType>,
    /// The `trace` or `notrace`, if there is one.
    pub trace: Option<Trace>,
    /// How SPIN's trails name the program's commands.
    pub trail: TrailTable,
}

/// Turns a model into a program of guarded commands.
///
/// # Errors
/// What cannot be expressed.
pub fn lower(model: &Model, name: &str) -> Result<Lowered, Vec<Message>> {
    let mut data = Data::new(model);
    let numbers = trail::number(model);
    let mut trail = TrailTable::default();
    let mut program = Program {
        name: name.to_owned(),
        files: data.files(),
        calls: data.calls(),
        symbols: data.symbols(),
        globals: Vec::new(),
        channels: Vec::new(),
        gates: Vec::new(),
        vectors: Vec::new(),
        processes: Vec::new(),
        initial: Vec::new(),
        propositions: Vec::new(),
        tracks_last: false,
        has_priorities: false,
    };
    program.globals = data.globals();
    // All variables come first, since processes may refer to each other's.
    let proctypes = data.proctypes();
    let locals: Vec<_> = proctypes.iter().map(|(id, process)| data.locals(*id, process)).collect();
    for ((id, process), (parameters, locals)) in proctypes.into_iter().zip(locals) {
        data.begin(id);
        let provided = process.provided.as_ref().map(|expr| data.expr(expr));
        let ir_id = data.process(id);
        let built = graph::build(&mut data, process);
        trail.push(&numbers[id.index()], &built.origins);
        data.places_at(&built.places, &numbers[id.index()]);
        program.processes.push(ProcessType {
            name: process.name.to_string(),
            parameters,
            locals,
            locations: built.locations,
            commands: built.commands,
            entry: built.entry,
            provided,
            priority: process.priority.map_or(1, |priority| priority.clamp(1, 255) as u8),
        });
        program.initial.extend(std::iter::repeat_n(ir_id, process.active as usize));
    }
    let mut claims: Vec<ProcessType> = model
        .processes
        .iter()
        .enumerate()
        .filter(|(_, process)| process.kind == ProcessKind::Never)
        .map(|(index, process)| claim(&mut data, ProcessId(index as u32), process).0)
        .collect();
    let is_trace = |process: &&Process| matches!(process.kind, ProcessKind::Trace | ProcessKind::NoTrace);
    let trace = model.processes.iter().position(|process| is_trace(&process)).map(|index| {
        let process = &model.processes[index];
        let (automaton, events) = claim(&mut data, ProcessId(index as u32), process);
        Trace { process: automaton, events, negated: process.kind == ProcessKind::NoTrace }
    });
    data.end();
    for expr in &model.propositions {
        let name = data.text(expr.span);
        let expr = data.expr(expr);
        program.propositions.push((name, expr));
    }
    data.resolve_labels(&mut program, &mut claims);
    data.resolve_places(&mut program, &mut claims);
    program.channels = data.take_channels();
    hidden::keep_what_is_read(&mut program, &claims);
    program.tracks_last = data.asks_last();
    program.has_priorities = has_priorities(model);
    if program.initial.len() > 255 {
        data.complain_at_first_process("more than 255 processes exist at the start");
    }
    if program.processes.len() > 255 {
        data.complain_at_first_process("more than 255 kinds of processes");
    }
    let mut messages = data.take_messages();
    if messages.is_empty() {
        // In every build: an engine takes these for granted, and one that is broken shows as a wrong answer.
        for violation in verify(&program).err().into_iter().flatten() {
            let text = match violation.invariant {
                LIMITS => violation.to_string(),
                _ => format!("internal error: {violation}; please report it"),
            };
            data.complain_at_first_process(&text);
        }
        messages = data.take_messages();
    }
    if messages.is_empty() { Ok(Lowered { program, claims, trace, trail }) } else { Err(messages) }
}

/// A claim is built like a process, but has no variables of its own.
fn claim(data: &mut Data<'_>, id: ProcessId, process: &Process) -> (ProcessType, Vec<Option<EventPattern>>) {
    data.begin(id);
    if data.model.locals(id).next().is_some() {
        data.complain("a claim with variables of its own is not supported", process.span);
    }
    let built = graph::build(data, process);
    let claim = ProcessType {
        name: process.name.to_string(),
        parameters: 0,
        locals: Vec::new(),
        locations: built.locations,
        commands: built.commands,
        entry: built.entry,
        provided: None,
        priority: 1,
    };
    (claim, built.events)
}

/// Priorities count only if the model speaks of them anywhere.
fn has_priorities(model: &Model) -> bool {
    fn in_statement(stmt: &Stmt) -> bool {
        match &stmt.kind {
            StmtKind::SetPriority(..) => true,
            StmtKind::Expr(expr) | StmtKind::Assign(_, expr) => {
                matches!(&expr.kind, ExprKind::Run { priority: Some(_), .. })
            }
            StmtKind::If(options) | StmtKind::Do(options) => {
                options.iter().any(|option| option.statements.iter().any(in_statement))
            }
            StmtKind::For { body, .. } | StmtKind::ForMessages { body, .. } => {
                body.statements.iter().any(in_statement)
            }
            StmtKind::Atomic(body)
            | StmtKind::DStep(body)
            | StmtKind::Block(body)
            | StmtKind::Inline(_, body) => body.statements.iter().any(in_statement),
            StmtKind::Unless(main, escape) => in_statement(main) || in_statement(escape),
            _ => false,
        }
    }
    let speaks =
        |process: &Process| process.priority.is_some() || process.body.statements.iter().any(in_statement);
    model.processes.iter().filter(|process| is_proctype(process)).any(speaks)
}

fn is_proctype(process: &Process) -> bool {
    matches!(process.kind, ProcessKind::Proctype | ProcessKind::Init)
}
