//! Data as numbers: the values of a sort that has few, and terms as expressions of the IR.
//!
//! A number stands for itself, any other value for its place among those of its sort. Operations that are computed become arithmetic, others
//! tables, as conditionals that are nested like a binary search. What has no value, or one outside its sort, becomes an expression with a fault
//! (a division by zero): what the fault is, the rules on terms know.

use super::NotLowered;
use crate::data::{Builtin, Condition, Data, Meaning, OpId, SortId, SortKind, Term, Val};
use crate::values::{Datum, Values};
use elnath_program::ir::{Binary, Expr, Unary};
use std::collections::HashMap;
use std::rc::Rc;

/// The most values of a sort, and of all arguments of an operation together.
const MOST_VALUES: usize = 1 << 12;
/// The largest expression, in operators.
const LARGEST: usize = 4_000;

/// The values of a sort.
pub(super) struct Domain {
    pub(super) all: Rc<[Val]>,
    /// The least and the greatest number that stands for one.
    pub(super) low: i32,
    pub(super) high: i32,
    numbers: HashMap<Val, i32>,
}

/// An expression of the IR, and whether it may have a fault.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Value {
    pub(super) expr: Expr,
    pub(super) fails: bool,
}

impl Value {
    pub(super) fn constant(number: i32) -> Self {
        Self { expr: Expr::Const(number), fails: false }
    }

    pub(super) fn known(&self) -> Option<i32> {
        match self.expr {
            Expr::Const(number) => Some(number),
            _ => None,
        }
    }
}

/// What becomes of the data of a specification.
pub(super) struct Translation<'a> {
    pub(super) data: &'a Data,
    pub(super) values: Values,
    domains: HashMap<SortId, Rc<Domain>>,
}

pub(super) fn both(operator: Binary, left: Expr, right: Expr) -> Expr {
    Expr::Binary(operator, Box::new([left, right]))
}

/// Both conditions, of which any may be missing.
pub(super) fn all(conditions: &[Expr]) -> Option<Expr> {
    conditions.iter().cloned().reduce(|left, right| both(Binary::And, left, right))
}

fn fault() -> Expr {
    both(Binary::Div, Expr::Const(1), Expr::Const(0))
}

fn size(expr: &Expr) -> usize {
    let mut size = 0;
    expr.for_each(&mut |_| size += 1);
    size
}

impl<'a> Translation<'a> {
    pub(super) fn new(data: &'a Data) -> Self {
        Self { data, values: Values::new(data), domains: HashMap::new() }
    }

    pub(super) fn domain(&mut self, sort: SortId) -> Result<Rc<Domain>, NotLowered> {
        if let Some(domain) = self.domains.get(&sort) {
            return Ok(Rc::clone(domain));
        }
        let name = &self.data.sorts[sort as usize].name;
        let too_many = || NotLowered(format!("the sort {name} has too many values"));
        let all = self.values.all(self.data, sort).map_err(|_| too_many())?;
        let is_number = matches!(self.data.sorts[sort as usize].kind, SortKind::Numbers(..));
        if all.is_empty() || all.len() > if is_number { 1 << 16 } else { MOST_VALUES } {
            return Err(too_many());
        }
        let number = |(at, &value): (usize, &Val)| match self.values.get(value) {
            Datum::Number(_, number) => (value, number as i32),
            Datum::Construct(..) => (value, at as i32),
        };
        let numbers: Vec<(Val, i32)> = all.iter().enumerate().map(number).collect();
        let (low, high) = (numbers[0].1, numbers[numbers.len() - 1].1);
        let domain = Rc::new(Domain { all, low, high, numbers: numbers.into_iter().collect() });
        self.domains.insert(sort, Rc::clone(&domain));
        Ok(domain)
    }

    /// The value that a number stands for.
    pub(super) fn value(&mut self, sort: SortId, number: i32) -> Result<Val, NotLowered> {
        let domain = self.domain(sort)?;
        Ok(domain.all[(number - domain.low) as usize])
    }

    pub(super) fn condition(
        &mut self,
        condition: &Condition,
        env: &HashMap<u32, Value>,
    ) -> Result<Value, NotLowered> {
        let (left, right) = (self.term(&condition.left, env)?, self.term(&condition.right, env)?);
        Ok(equal(left, right))
    }

    pub(super) fn term(&mut self, term: &Term, env: &HashMap<u32, Value>) -> Result<Value, NotLowered> {
        let value = match term {
            Term::Variable(slot) => env.get(slot).expect("static checks bind every variable").clone(),
            Term::Number(sort, number) => {
                let domain = self.domain(*sort)?;
                match i32::try_from(*number) {
                    Ok(number) if (domain.low..=domain.high).contains(&number) => Value::constant(number),
                    _ => Value { expr: fault(), fails: true },
                }
            }
            Term::Apply(op, args) => {
                let args = args.iter().map(|arg| self.term(arg, env)).collect::<Result<Vec<_>, _>>()?;
                self.apply(*op, &args)?
            }
        };
        if size(&value.expr) > LARGEST {
            return Err(NotLowered("an expression becomes too large".to_owned()));
        }
        Ok(value)
    }

    fn apply(&mut self, op: OpId, args: &[Value]) -> Result<Value, NotLowered> {
        let operation = &self.data.ops[op as usize];
        let sorts = operation.args.clone();
        self.domain(operation.result)?;
        let mut domains = Vec::new();
        for &sort in &sorts {
            domains.push(self.domain(sort)?);
        }
        let known: Option<Vec<i32>> = args.iter().map(Value::known).collect();
        if let Some(known) = known {
            return Ok(match self.result(op, &sorts, &known)? {
                Some(number) => Value::constant(number),
                None => Value { expr: fault(), fails: true },
            });
        }
        let bounds: Vec<(i64, i64)> = args
            .iter()
            .zip(&domains)
            .map(|(arg, domain)| match arg.known() {
                Some(number) => (number.into(), number.into()),
                None => (domain.low.into(), domain.high.into()),
            })
            .collect();
        match &operation.meaning {
            Meaning::Builtin(builtin) => {
                if let Some(value) = self.compute(*builtin, operation.result, args, &bounds)? {
                    return Ok(value);
                }
            }
            Meaning::Successor => {
                let next = both(Binary::Add, args[0].expr.clone(), Expr::Const(1));
                let bounds = (bounds[0].0 + 1, bounds[0].1 + 1);
                return self.checked(next, args[0].fails, bounds, operation.result);
            }
            Meaning::Constructor | Meaning::Zero | Meaning::Equations(_) => {}
        }
        let count = domains.iter().zip(args).filter(|(_, arg)| arg.known().is_none());
        let count = count.fold(1_usize, |count, (domain, _)| count.saturating_mul(domain.all.len()));
        if count > MOST_VALUES {
            return Err(NotLowered(format!("{} has too many arguments for a table", operation.name)));
        }
        let mut row = vec![0; args.len()];
        let table = self.table(op, (&sorts, &domains), args, &mut row, 0)?;
        let mut value = Value { expr: table.expr, fails: table.fails };
        for arg in args.iter().filter(|arg| arg.fails) {
            // It is evaluated whatever the table makes of it.
            let nothing = both(Binary::Mul, arg.expr.clone(), Expr::Const(0));
            value = Value { expr: both(Binary::Add, value.expr, nothing), fails: true };
        }
        Ok(value)
    }

    /// What an operation gives for values; nothing if that is a fault.
    fn result(&mut self, op: OpId, sorts: &[SortId], row: &[i32]) -> Result<Option<i32>, NotLowered> {
        let mut env = Vec::new();
        for (&sort, &number) in sorts.iter().zip(row) {
            env.push(self.value(sort, number)?);
        }
        let variables = (0..row.len() as u32).map(Term::Variable).collect();
        match self.values.eval(self.data, &Term::Apply(op, variables), &env) {
            Ok(value) => {
                let domain = self.domain(self.data.ops[op as usize].result)?;
                Ok(domain.numbers.get(&value).copied())
            }
            Err(trouble) if trouble.gave_up => Err(NotLowered(trouble.text)),
            Err(_) => Ok(None),
        }
    }

    /// The table of an operation, from the argument with this number on.
    fn table(
        &mut self,
        op: OpId,
        of: (&[SortId], &[Rc<Domain>]),
        args: &[Value],
        row: &mut Vec<i32>,
        at: usize,
    ) -> Result<Value, NotLowered> {
        let Some(arg) = args.get(at) else {
            return Ok(match self.result(op, of.0, row)? {
                Some(number) => Value::constant(number),
                None => Value { expr: fault(), fails: true },
            });
        };
        if let Some(number) = arg.known() {
            row[at] = number;
            return self.table(op, of, args, row, at + 1);
        }
        let domain = Rc::clone(&of.1[at]);
        let mut rows = Vec::new();
        for number in domain.low..=domain.high {
            row[at] = number;
            rows.push((number, self.table(op, of, args, row, at + 1)?));
        }
        let found = search(&arg.expr, &rows);
        if size(&found.expr) > LARGEST {
            let name = &self.data.ops[op as usize].name;
            return Err(NotLowered(format!("the table of {name} becomes too large")));
        }
        Ok(found)
    }

    fn compute(
        &mut self,
        builtin: Builtin,
        result: SortId,
        args: &[Value],
        bounds: &[(i64, i64)],
    ) -> Result<Option<Value>, NotLowered> {
        use Builtin as B;
        let fails = args.iter().any(|arg| arg.fails);
        let (left, right) = (args[0].clone(), args.get(1).cloned().unwrap_or(Value::constant(0)));
        let compared = |operator| {
            let expr = both(operator, left.expr.clone(), right.expr.clone());
            Ok(Some(Value { expr, fails }))
        };
        let (a, b) = (bounds[0], bounds.get(1).copied().unwrap_or((0, 0)));
        let arithmetic = |operator| both(operator, left.expr.clone(), right.expr.clone());
        let chosen = |operator, one: &Expr, other: &Expr| {
            Expr::Cond(Box::new([arithmetic(operator), one.clone(), other.clone()]))
        };
        let corners = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
        let (expr, bounds) = match builtin {
            B::Equal => return compared(Binary::Eq),
            B::Unequal => return compared(Binary::Ne),
            B::Less => return compared(Binary::Lt),
            B::LessEqual => return compared(Binary::Le),
            B::Greater => return compared(Binary::Gt),
            B::GreaterEqual => return compared(Binary::Ge),
            // False is 0 and true is 1; the second operand is evaluated only where it matters, here as there.
            B::And => return compared(Binary::And),
            B::Or => return compared(Binary::Or),
            B::Implies => {
                let not = both(Binary::Eq, left.expr.clone(), Expr::Const(0));
                return Ok(Some(Value { expr: both(Binary::Or, not, right.expr.clone()), fails }));
            }
            B::Add => (arithmetic(Binary::Add), (a.0 + b.0, a.1 + b.1)),
            B::Subtract => (arithmetic(Binary::Sub), (a.0 - b.1, a.1 - b.0)),
            B::Multiply => (
                arithmetic(Binary::Mul),
                (corners.into_iter().min().unwrap_or(0), corners.into_iter().max().unwrap_or(0)),
            ),
            B::Minimum => (chosen(Binary::Lt, &left.expr, &right.expr), (a.0.min(b.0), a.1.min(b.1))),
            B::Maximum => (chosen(Binary::Gt, &left.expr, &right.expr), (a.0.max(b.0), a.1.max(b.1))),
            B::Negate => (Expr::Unary(Unary::Neg, Box::new(left.expr.clone())), (-a.1, -a.0)),
            B::Convert => (left.expr.clone(), a),
            B::Divide | B::Modulo if a.0 >= 0 && b.0 >= 0 => {
                let operator = if builtin == B::Divide { Binary::Div } else { Binary::Rem };
                // A division by zero is a fault of the IR, too.
                return self.checked(arithmetic(operator), fails || b.0 == 0, (0, a.1), result).map(Some);
            }
            B::Divide | B::Modulo | B::Power | B::Absolute => return Ok(None),
        };
        self.checked(expr, fails, bounds, result).map(Some)
    }

    /// An expression with a fault where it is outside a sort.
    fn checked(
        &mut self,
        expr: Expr,
        fails: bool,
        (least, greatest): (i64, i64),
        sort: SortId,
    ) -> Result<Value, NotLowered> {
        let domain = self.domain(sort)?;
        if i32::try_from(least).is_err() || i32::try_from(greatest).is_err() {
            return Err(NotLowered("numbers become too large for 32 bits".to_owned()));
        }
        let mut within = Vec::new();
        if least < i64::from(domain.low) {
            within.push(both(Binary::Ge, expr.clone(), Expr::Const(domain.low)));
        }
        if greatest > i64::from(domain.high) {
            within.push(both(Binary::Le, expr.clone(), Expr::Const(domain.high)));
        }
        Ok(match all(&within) {
            Some(within) => Value { expr: Expr::Cond(Box::new([within, expr, fault()])), fails: true },
            None => Value { expr, fails },
        })
    }
}

pub(super) fn equal(left: Value, right: Value) -> Value {
    if let (Some(left), Some(right)) = (left.known(), right.known()) {
        return Value::constant(i32::from(left == right));
    }
    let fails = left.fails || right.fails;
    // `f(x) = true` is `f(x)` for what is 0 or 1.
    Value { expr: both(Binary::Eq, left.expr, right.expr), fails }
}

/// Finds the row of a number by halving; neighbours with one result are one.
fn search(number: &Expr, rows: &[(i32, Value)]) -> Value {
    if rows.iter().all(|row| row.1 == rows[0].1) {
        return rows[0].1.clone();
    }
    let (low, high) = rows.split_at(rows.len() / 2);
    let before = both(Binary::Lt, number.clone(), Expr::Const(high[0].0));
    let (one, other) = (search(number, low), search(number, high));
    let fails = one.fails || other.fails;
    Value { expr: Expr::Cond(Box::new([before, one.expr, other.expr])), fails }
}
