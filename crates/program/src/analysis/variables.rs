//! What all commands of a program together do to its variables, and who looks at a process from outside.

use super::{Observation, for_each_observation, for_each_written, placed};
use crate::ir::{Expr, Init, Loc, Program, VariableRef};

/// Calls `visit` for every expression of the program, except initial values of globals.
pub fn for_each_expr<'a>(program: &'a Program, visit: &mut dyn FnMut(&'a Expr)) {
    for kind in &program.processes {
        kind.provided.iter().for_each(|expr| expr.for_each(visit));
        kind.commands.iter().for_each(|command| command.for_each_expr(visit));
        for variable in &kind.locals {
            initial_values(&variable.init).iter().for_each(|expr| expr.for_each(visit));
        }
    }
    program.propositions.iter().for_each(|(_, expr)| expr.for_each(visit));
}

/// Calls `visit` for everything that some expression of the program looks at.
pub fn for_each_observation_of<'a>(program: &'a Program, visit: &mut dyn FnMut(Observation<'a>)) {
    for_each_expr(program, &mut |expr| super::observation(expr).into_iter().for_each(&mut *visit));
}

/// The expressions of which a variable gets its first value.
pub fn initial_values(init: &Init) -> &[Expr] {
    match init {
        Init::Value(expr) => std::slice::from_ref(expr),
        Init::List(exprs) => exprs,
        Init::Zero | Init::Channel(_) => &[],
    }
}

/// By global: whether it keeps its first value.
pub fn constants(program: &Program) -> Vec<bool> {
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

/// By kind of process: whether others (or it) put it elsewhere, with new values.
pub fn placed_kinds(program: &Program) -> Vec<bool> {
    let mut found = vec![false; program.processes.len()];
    for process in program.processes.iter().flat_map(|kind| &kind.commands).flat_map(placed) {
        found[process.index()] = true;
    }
    found
}

/// By kind of process and local: whether it keeps the value it begins with.
pub fn fixed_locals(program: &Program) -> Vec<Vec<bool>> {
    let placed = placed_kinds(program);
    let of_kind = |(kind, &placed): (&crate::ir::ProcessType, &bool)| {
        let mut fixed = vec![!placed; kind.locals.len()];
        for command in &kind.commands {
            for_each_written(command, &mut |lvalue| {
                if let VariableRef::Local(local) = lvalue.variable {
                    fixed[local as usize] = false;
                }
            });
        }
        fixed
    };
    program.processes.iter().zip(&placed).map(of_kind).collect()
}

/// By kind of process and local: whether other processes or propositions look at it.
pub fn remotely_read(program: &Program) -> Vec<Vec<bool>> {
    let mut read: Vec<Vec<bool>> =
        program.processes.iter().map(|kind| vec![false; kind.locals.len()]).collect();
    for_each_observation_of(program, &mut |observation| {
        if let Observation::Remote { process, variable, .. } = observation {
            read[process.index()][variable as usize] = true;
        }
    });
    read
}

/// By kind of process: the sets of locations that others ask about.
pub fn watched_locations(program: &Program) -> Vec<Vec<Vec<Loc>>> {
    let mut watched = vec![Vec::new(); program.processes.len()];
    for_each_observation_of(program, &mut |observation| {
        if let Observation::Position { process, locations, .. } = observation {
            watched[process.index()].push(locations.to_vec());
        }
    });
    watched
}

/// The locals that an expression reads.
pub fn for_each_local_read(expr: &Expr, visit: &mut dyn FnMut(u32)) {
    for_each_observation(expr, &mut |observation| {
        if let Observation::Variable(lvalue) = observation
            && let VariableRef::Local(local) = lvalue.variable
        {
            visit(local);
        }
    });
}
