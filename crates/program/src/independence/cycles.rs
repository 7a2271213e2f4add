//! Which locations of a process must not go on alone, so that no cycle of states leaves the others out for ever.
//!
//! In a cycle of states every process that moves comes back to where it was, so it walks a cycle of its own locations.
//! If each of these has a location at which the process is never alone, each cycle of states has a state in which all
//! transitions are explored. Such locations are chosen greedily, where they cost least: first those at which the process
//! would hardly ever be alone anyway. Many cycles need none, since they have a location at which it never is.
//!
//! **Loops that count** are no cycles of states: if all assignments to a variable within a component of the graph make it
//! greater, coming back would mean that it overflows. It does not if between any two of these there is a test of an upper
//! bound, low enough for what is added until the next test. So the edges that count are left out.

use crate::analysis::control::{Step, components, inner};
use crate::analysis::{Operation, StoredValue, communicates, for_each_written, operations};
use crate::ir::{Binary, Command, CommandId, Expr, Guard, Loc, Lvalue, ProcessType, Type, VariableRef};

/// The locations at which the process must not be alone. `cost` tells how much is lost at each; where it is `None` the
/// process is never alone.
pub(super) fn breaking_points(kind: &ProcessType, cost: &[Option<u32>]) -> Vec<bool> {
    let mut chosen = vec![false; kind.locations.len()];
    let mut steps: Vec<Step> = Vec::new();
    for from in (0..kind.locations.len()).filter(|&at| cost[at].is_some()) {
        for (command, Command { target, guard, .. }) in kind.leaving(Loc(from as u32)) {
            // A process whose condition has a fault goes on where it would have ended.
            let goes_on = *guard != Guard::Exit || kind.provided.is_some();
            if goes_on && cost[target.index()].is_some() {
                steps.push(Step { from, to: target.index(), command });
            }
        }
    }
    loop {
        let component = components(kind.locations.len(), &steps);
        steps.retain(|step| component[step.from] == component[step.to]);
        if remove_counting(kind, &mut steps, &component) {
            continue;
        }
        let Some(worst) = steps.iter().map(|step| step.from).min_by_key(|&at| {
            let leaving = steps.iter().filter(|step| step.from == at).count();
            let entering = steps.iter().filter(|step| step.to == at).count();
            (cost[at], usize::MAX - leaving * entering, at)
        }) else {
            return chosen;
        };
        chosen[worst] = true;
        steps.retain(|step| step.from != worst && step.to != worst);
    }
}

/// Leaves out the steps of one component that only make some variable greater or smaller; whether there were any.
fn remove_counting(kind: &ProcessType, steps: &mut Vec<Step>, component: &[usize]) -> bool {
    let mut roots: Vec<usize> = steps.iter().map(|step| component[step.from]).collect();
    roots.sort_unstable();
    roots.dedup();
    for root in roots {
        let own: Vec<Step> = steps.iter().copied().filter(|step| component[step.from] == root).collect();
        // Nothing counts what no step stores to, and each candidate takes a look at every step.
        let mut stored = vec![false; kind.locals.len()];
        for step in &own {
            for_each_written(&kind.commands[step.command.index()], &mut |lvalue| {
                if let VariableRef::Local(local) = lvalue.variable {
                    stored[local as usize] = true;
                }
            });
        }
        for local in (0..kind.locals.len() as u32).filter(|&local| stored[local as usize]) {
            for up in [true, false] {
                if let Some(counting) = counts(kind, &own, local, up) {
                    steps.retain(|step| !counting.contains(&step.command) || component[step.from] != root);
                    return true;
                }
            }
        }
    }
    false
}

/// The commands among these steps that count a variable up (or down), if they do nothing else to it and a test keeps it
/// from overflowing.
fn counts(kind: &ProcessType, steps: &[Step], local: u32, up: bool) -> Option<Vec<CommandId>> {
    let variable = &kind.locals[local as usize];
    if !variable.dims.is_empty() {
        return None;
    }
    let (lowest, highest) = limits(variable.ty);
    let (mut counting, mut sum) = (Vec::new(), 0i64);
    let mut bound: Option<i64> = None;
    let mut untested = Vec::new();
    for step in steps {
        let command = &kind.commands[step.command.index()];
        match change(kind, command, local) {
            Change::None => {}
            Change::Add(by) if (by > 0) == up && by != 0 => {
                counting.push(step.command);
                sum += by.abs();
            }
            _ => return None,
        }
        match tested(kind, *step, local, up) {
            Some(tested) => {
                // The weakest of the tests is what can be relied on.
                let weaker = |bound: i64| if up { bound.max(tested) } else { bound.min(tested) };
                bound = Some(bound.map_or(tested, weaker));
            }
            None => untested.push(*step),
        }
    }
    let bound = bound.filter(|_| !counting.is_empty())?;
    let stays = if up { bound + sum <= highest } else { bound - sum >= lowest };
    let without_test = components(kind.locations.len(), &untested);
    let tested_between = untested
        .iter()
        .filter(|step| counting.contains(&step.command))
        .all(|step| without_test[step.from] != without_test[step.to]);
    (stays && tested_between).then_some(counting)
}

enum Change {
    None,
    Add(i64),
    Other,
}

/// What a command does to a local.
fn change(kind: &ProcessType, command: &Command, local: u32) -> Change {
    let is_it = |lvalue: &Lvalue| lvalue.variable == VariableRef::Local(local);
    let mut writes = 0;
    for_each_written(command, &mut |lvalue| writes += u32::from(is_it(lvalue)));
    if let Guard::Body { entry, exit } = command.guard {
        for at in inner(kind, entry, exit) {
            for (_, inner) in kind.leaving(at) {
                for_each_written(inner, &mut |lvalue| writes += 2 * u32::from(is_it(lvalue)));
            }
        }
    }
    if writes == 0 {
        return Change::None;
    }
    let mut assigned = operations(command).into_iter().filter_map(|operation| match operation {
        Operation::Store(lvalue, StoredValue::Expr(expr)) if is_it(lvalue) => Some(expr),
        _ => None,
    });
    let (Some(expr), 1) = (assigned.next(), writes) else { return Change::Other };
    let loads = |expr: &Expr| matches!(expr, Expr::Load(lvalue) if is_it(lvalue));
    match expr {
        Expr::Binary(Binary::Add, ab) => match &**ab {
            [own, Expr::Const(by)] | [Expr::Const(by), own] if loads(own) => Change::Add(i64::from(*by)),
            _ => Change::Other,
        },
        Expr::Binary(Binary::Sub, ab) => match &**ab {
            [own, Expr::Const(by)] if loads(own) => Change::Add(-i64::from(*by)),
            _ => Change::Other,
        },
        _ => Change::Other,
    }
}

/// The bound of a local that is known when this step is made: what it is at most if it counts up, else at least.
fn tested(kind: &ProcessType, step: Step, local: u32, up: bool) -> Option<i64> {
    let command = &kind.commands[step.command.index()];
    match &command.guard {
        Guard::When(expr) => bound_by(kind, expr, local, up, true),
        Guard::Else => {
            // Only the commands before it in its group keep an `else` from being executed.
            let location = &kind.locations[step.from];
            let group = location.groups.iter().find(|group| group.contains(&step.command))?;
            group.iter().take_while(|&&id| id != step.command).find_map(|id| {
                let command = &kind.commands[id.index()];
                match &command.guard {
                    Guard::When(expr) if !communicates(command) => bound_by(kind, expr, local, up, false),
                    _ => None,
                }
            })
        }
        _ => None,
    }
}

/// The bound that follows from an expression being true, or false.
fn bound_by(kind: &ProcessType, expr: &Expr, local: u32, up: bool, holds: bool) -> Option<i64> {
    let Expr::Binary(operator, ab) = expr else { return None };
    let either = || ab.iter().find_map(|part| bound_by(kind, part, local, up, holds));
    let is_it = |expr: &Expr| {
        matches!(expr, Expr::Load(Lvalue { variable: VariableRef::Local(index), indices })
            if *index == local && indices.is_empty())
    };
    let operator = match operator {
        Binary::And if holds => return either(),
        Binary::Or if !holds => return either(),
        operator => *operator,
    };
    // As if the variable stood on the left, and the comparison held.
    let (operator, other) = match (is_it(&ab[0]), is_it(&ab[1])) {
        (true, false) => (operator, &ab[1]),
        (false, true) => (mirrored(operator)?, &ab[0]),
        _ => return None,
    };
    let operator = if holds { operator } else { negated(operator)? };
    let (least, most) = match other {
        Expr::Const(value) => (i64::from(*value), i64::from(*value)),
        Expr::Load(Lvalue { variable: VariableRef::Local(index), .. }) => {
            limits(kind.locals[*index as usize].ty)
        }
        _ => return None,
    };
    match (operator, up) {
        (Binary::Lt, true) => Some(most - 1),
        (Binary::Le | Binary::Eq, true) => Some(most),
        (Binary::Gt, false) => Some(least + 1),
        (Binary::Ge | Binary::Eq, false) => Some(least),
        _ => None,
    }
}

fn mirrored(operator: Binary) -> Option<Binary> {
    Some(match operator {
        Binary::Lt => Binary::Gt,
        Binary::Le => Binary::Ge,
        Binary::Gt => Binary::Lt,
        Binary::Ge => Binary::Le,
        Binary::Eq => Binary::Eq,
        Binary::Ne => Binary::Ne,
        _ => return None,
    })
}

fn negated(operator: Binary) -> Option<Binary> {
    Some(match operator {
        Binary::Lt => Binary::Ge,
        Binary::Le => Binary::Gt,
        Binary::Gt => Binary::Le,
        Binary::Ge => Binary::Lt,
        Binary::Eq => Binary::Ne,
        Binary::Ne => Binary::Eq,
        _ => return None,
    })
}

/// The least and the greatest value of a type, as it is read.
fn limits(ty: Type) -> (i64, i64) {
    match ty {
        Type::Unsigned(bits) if bits < 32 => (0, (1 << bits) - 1),
        Type::Signed(16) => (i64::from(i16::MIN), i64::from(i16::MAX)),
        Type::Unsigned(_) | Type::Signed(_) => (i64::from(i32::MIN), i64::from(i32::MAX)),
        Type::Bool => (0, 1),
        Type::Channel | Type::Symbol(_) => (0, 255),
        Type::Range(low, high) => (i64::from(low), i64::from(high)),
    }
}
