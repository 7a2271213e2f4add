//! Programs with fewer states that do the same: changes made before a search begins.
//!
//! * [`slice`](mod@slice): variables that can decide nothing keep their first value.
//! * [`dead`]: what a variable holds that nobody will read again tells states apart for nothing, so it is forgotten.
//! * [`merging`]: a process that has only its own business to see to need not rest in the middle of it.
//!
//! All change a [`Program`] into another with *the same commands at the same places*, so that whatever names a command
//! (a transition, a fault, a statement that was never executed, a line of a trail) means the same in both. What is added
//! are assertions that only evaluate something, effects at the end of commands, and the mark that the process goes on alone after a command
//! ([`crate::ir::Command::atomic`]). Interpreter, machine code, partial order reduction and stories of runs know nothing
//! of it; a run of the changed program is found again in the one that was written by [`crate::Interpreter::unfold`],
//! since that is the one that people are told about.

mod dead;
mod merging;
mod slice;

use crate::independence::{for_each_expr, for_each_written};
use crate::ir::{
    Binary, Command, Effect, Expr, Guard, Init, Lvalue, ProcessType, Program, Sync, Type, Variable,
    VariableRef,
};

pub use dead::forget;
pub use merging::merge;
pub use slice::slice;

/// By kind of process and local: whether other processes or propositions look at it.
fn remotely_read(program: &Program) -> Vec<Vec<bool>> {
    let mut read: Vec<Vec<bool>> =
        program.processes.iter().map(|kind| vec![false; kind.locals.len()]).collect();
    for_each_expr(program, &mut |expr| {
        if let Expr::Remote { process, variable, .. } = expr {
            read[process.index()][*variable as usize] = true;
        }
    });
    read
}

/// By global: whether it keeps its first value.
fn constants(program: &Program) -> Vec<bool> {
    let mut constant = vec![true; program.globals.len()];
    for command in program.processes.iter().flat_map(|kind| &kind.commands) {
        for_each_written(command, &mut |lvalue| {
            if let VariableRef::Global(global) = lvalue.variable {
                constant[global as usize] = false;
            }
        });
    }
    constant
}

/// Why every order of steps must be walked if runs go on after faults, in words that follow "because". A fault ends
/// what a command does, but the process goes on to its target, so that tests count as passed that were not made, and variables
/// have values that they should have lost. Only an assertion has nothing that could be left undone.
pub(crate) fn goes_astray(program: &Program) -> Option<&'static str> {
    let has_value = |kind: &ProcessType, expr: &Expr| {
        let mut has_value = true;
        expr.for_each(&mut |expr| has_value &= !may_have_no_value(program, kind, expr));
        has_value
    };
    let only_asserts = |kind: &ProcessType, command: &Command| {
        let asserts = matches!(&command.effects[..], [Effect::Assert(expr)] if has_value(kind, expr));
        asserts && command.sync == Sync::None && command.guard == Guard::Always && kind.provided.is_none()
    };
    let strays = |kind: &ProcessType| {
        let mut commands = kind.commands.iter();
        commands.any(|command| may_fail(program, kind, command) && !only_asserts(kind, command))
    };
    // Propositions have no locals, so that any kind will do.
    let any = program.processes.first();
    let is_strange = |(_, expr): &(String, Expr)| any.is_some_and(|kind| !has_value(kind, expr));
    (program.propositions.iter().any(is_strange) || program.processes.iter().any(strays))
        .then_some("runs go on after a fault, and it is not only assertions that may fail")
}

/// Whether executing a command may be a fault.
fn may_fail(program: &Program, kind: &ProcessType, command: &Command) -> bool {
    let mut fails = kind.provided.is_some()
        || matches!(command.guard, Guard::Body { .. })
        || communication_may_fail(program, command)
        || command.effects.iter().any(|effect| {
            matches!(effect, Effect::Assert(_) | Effect::Run { .. } | Effect::SetPriority { .. })
        });
    command.for_each_expr(&mut |expr| fails |= may_have_no_value(program, kind, expr));
    for_each_written(command, &mut |lvalue| {
        let variable = declared(program, kind, lvalue.variable);
        fails |= matches!(variable.ty, Type::Range(..)) || !in_range(&lvalue.indices, &variable.dims);
    });
    fails
}

/// A message has another number of fields than its channel, or what it is sent to is none.
fn communication_may_fail(program: &Program, command: &Command) -> bool {
    let (channel, given) = match &command.sync {
        Sync::None => return false,
        Sync::Send { channel, fields, .. } => (channel, fields.len()),
        Sync::Receive { channel, patterns, .. } => (channel, patterns.len()),
    };
    let Expr::Load(Lvalue { variable: VariableRef::Global(global), .. }) = channel else { return true };
    let Init::Channel(kind) = program.globals[*global as usize].init else { return true };
    let fields = &program.channels[kind.index()].fields;
    !constants(program)[*global as usize]
        || fields.len() != given
        || fields.iter().any(|ty| matches!(ty, Type::Range(..)))
}

fn may_have_no_value(program: &Program, kind: &ProcessType, expr: &Expr) -> bool {
    match expr {
        Expr::Load(lvalue) => !in_range(&lvalue.indices, &declared(program, kind, lvalue.variable).dims),
        Expr::Binary(Binary::Div | Binary::Rem, ab) => !matches!(ab[1], Expr::Const(by) if by != 0),
        Expr::Channel(..) | Expr::Poll { .. } | Expr::Remote { .. } | Expr::At { .. } => true,
        Expr::Location(_) | Expr::Enabled(_) | Expr::Priority(_) => true,
        _ => false,
    }
}

fn declared<'a>(program: &'a Program, kind: &'a ProcessType, variable: VariableRef) -> &'a Variable {
    match variable {
        VariableRef::Global(global) => &program.globals[global as usize],
        VariableRef::Local(local) => &kind.locals[local as usize],
    }
}

fn in_range(indices: &[Expr], dims: &[u32]) -> bool {
    let known = |(index, &length): (&Expr, &u32)| matches!(index, Expr::Const(index) if u32::try_from(*index).is_ok_and(|index| index < length));
    indices.iter().zip(dims).all(known)
}
