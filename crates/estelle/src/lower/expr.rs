//! Expressions of the program, with constants computed at once.

use elnath_program::ir::{Binary, Expr, Lvalue, Unary, VariableRef};

pub(super) fn constant(value: i32) -> Expr {
    Expr::Const(value)
}

pub(super) fn binary(operator: Binary, a: Expr, b: Expr) -> Expr {
    if let (Expr::Const(a), Expr::Const(b)) = (&a, &b)
        && let Some(value) = operator.apply(*a, *b)
    {
        return Expr::Const(value);
    }
    match (operator, &a, &b) {
        // What decides alone makes the rest superfluous; what does not can be left out where the rest is a truth value.
        (Binary::And, Expr::Const(0), _) => Expr::Const(0),
        (Binary::And, Expr::Const(_), _) if is_truth(&b) => b,
        (Binary::And, _, Expr::Const(1)) if is_truth(&a) => a,
        (Binary::Or, Expr::Const(1), _) => Expr::Const(1),
        (Binary::Or, Expr::Const(0), _) if is_truth(&b) => b,
        (Binary::Or, _, Expr::Const(0)) if is_truth(&a) => a,
        (Binary::Add | Binary::Sub, _, Expr::Const(0)) => a,
        _ => Expr::Binary(operator, Box::new([a, b])),
    }
}

/// Whether it is 0 or 1 whatever the state is.
fn is_truth(expr: &Expr) -> bool {
    match expr {
        Expr::Const(value) => (0..=1).contains(value),
        Expr::Unary(Unary::Not, _) | Expr::Poll { .. } | Expr::At { .. } => true,
        Expr::Binary(operator, _) => matches!(
            operator,
            Binary::Eq
                | Binary::Ne
                | Binary::Lt
                | Binary::Le
                | Binary::Gt
                | Binary::Ge
                | Binary::And
                | Binary::Or
        ),
        _ => false,
    }
}

pub(super) fn not(a: Expr) -> Expr {
    match a {
        Expr::Const(value) => Expr::Const(i32::from(value == 0)),
        a => Expr::Unary(Unary::Not, Box::new(a)),
    }
}

pub(super) fn all(parts: impl IntoIterator<Item = Expr>) -> Expr {
    parts.into_iter().reduce(|a, b| binary(Binary::And, a, b)).unwrap_or(Expr::Const(1))
}

pub(super) fn any(parts: impl IntoIterator<Item = Expr>) -> Expr {
    parts.into_iter().reduce(|a, b| binary(Binary::Or, a, b)).unwrap_or(Expr::Const(0))
}

pub(super) fn choose(condition: Expr, then: Expr, other: Expr) -> Expr {
    match condition {
        Expr::Const(0) => other,
        Expr::Const(_) => then,
        _ if then == other => then,
        condition => Expr::Cond(Box::new([condition, then, other])),
    }
}

/// Whether it lies between these.
pub(super) fn within(value: &Expr, low: i32, high: i32) -> Expr {
    all([binary(Binary::Ge, value.clone(), constant(low)), binary(Binary::Le, value.clone(), constant(high))])
}

pub(super) fn global(index: usize, indices: Vec<Expr>) -> Lvalue {
    Lvalue { variable: VariableRef::Global(index as u32), indices }
}

pub(super) fn load(index: usize, indices: Vec<Expr>) -> Expr {
    Expr::Load(global(index, indices))
}

/// How many operators it has.
pub(super) fn size(expr: &Expr) -> usize {
    let mut count = 0;
    expr.for_each(&mut |_| count += 1);
    count
}
