//! What initialisations compute, while a specification is loaded: values of variables, and which modules there are.
//!
//! The same statements in transitions become commands of the program ([`crate::lower`]); here they are carried out, once.

use crate::ast::{Operator, Span};
use crate::tree::{Arg, BodyDef, K, L, Ordinal, S, SK, Sel, Ty, X};

/// Statements and expressions that one initialisation carries out; more are a loop without end.
const MOST_STEPS: u64 = 1_000_000;

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Scalar(i32),
    /// Fields or elements.
    Parts(Vec<Value>),
}

impl Value {
    /// What a variable holds that nothing was stored to.
    pub(crate) fn first(ty: &Ty) -> Self {
        match ty {
            Ty::Ordinal(ordinal) => Value::Scalar(ordinal.first()),
            Ty::Set(_) | Ty::Bad => Value::Scalar(0),
            Ty::Record(record) => {
                Value::Parts(record.fields.iter().map(|(_, _, ty)| Self::first(ty)).collect())
            }
            Ty::Array(array) => Value::Parts(vec![Self::first(&array.element); array.index.count() as usize]),
        }
    }

    fn scalar(&self) -> i32 {
        match self {
            Value::Scalar(value) => *value,
            Value::Parts(_) => 0,
        }
    }
}

/// Why an initialisation failed, and where.
#[derive(Debug)]
pub(crate) struct Failed {
    pub text: String,
    pub span: Span,
}

type Result<T> = std::result::Result<T, Failed>;

fn failed<T>(text: impl Into<String>, span: &Span) -> Result<T> {
    Err(Failed { text: text.into(), span: span.clone() })
}

/// What builds the tree of modules.
pub(crate) trait Builder {
    /// `init` of a module variable.
    fn init(
        &mut self,
        modvar: usize,
        indices: &[i32],
        body: usize,
        arguments: Vec<Value>,
        span: &Span,
    ) -> Result<()>;
    /// `connect` or `attach` of two interaction points, each of a module variable or one's own.
    fn bind(&mut self, connect: bool, ends: [End; 2], span: &Span) -> Result<()>;
}

/// An interaction point of a module variable, or one's own.
#[derive(Debug)]
pub(crate) struct End {
    pub module: Option<(usize, Vec<i32>)>,
    pub point: usize,
    pub indices: Vec<i32>,
}

/// A variable, or a part of one, with known indices.
#[derive(Clone)]
struct Place {
    var: usize,
    path: Vec<usize>,
}

/// Carries out statements of one module.
pub(crate) struct Evaluator<'a> {
    pub body: &'a BodyDef,
    pub values: Vec<Value>,
    references: Vec<(usize, Place)>,
    steps: u64,
}

impl<'a> Evaluator<'a> {
    pub(crate) fn new(body: &'a BodyDef) -> Self {
        let values = body.vars.iter().map(|var| Value::first(&var.ty)).collect();
        Self { body, values, references: Vec::new(), steps: 0 }
    }

    fn step(&mut self, span: &Span) -> Result<()> {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return failed("this initialisation does not end", span);
        }
        Ok(())
    }

    pub(crate) fn run(&mut self, all: &'a [S], out: &mut dyn Builder) -> Result<()> {
        for statement in all {
            self.statement(statement, out)?;
        }
        Ok(())
    }

    fn statement(&mut self, statement: &'a S, out: &mut dyn Builder) -> Result<()> {
        let span = &statement.span;
        self.step(span)?;
        match &statement.kind {
            SK::Assign(target, value) => {
                let value = self.any_value(value)?;
                self.store(target, value, span)
            }
            SK::Call(routine, arguments) => self.call(*routine, arguments, span, out).map(|_| ()),
            SK::If(condition, then, other) => {
                let branch = if self.value(condition)? != 0 { then } else { other };
                self.run(branch, out)
            }
            SK::Case(value, arms, otherwise) => {
                let value = self.value(value)?;
                let fits = |(ranges, _): &&(Vec<(i32, i32)>, Vec<S>)| {
                    ranges.iter().any(|&(low, high)| (low..=high).contains(&value))
                };
                match (arms.iter().find(fits), otherwise) {
                    (Some((_, body)), _) | (None, Some(body)) => self.run(body, out),
                    (None, None) => failed(format!("`case` has no option for {value}"), span),
                }
            }
            SK::While(condition, body) => {
                while self.value(condition)? != 0 {
                    self.step(span)?;
                    self.run(body, out)?;
                }
                Ok(())
            }
            SK::Repeat(body, condition) => loop {
                self.step(span)?;
                self.run(body, out)?;
                if self.value(condition)? != 0 {
                    return Ok(());
                }
            },
            SK::For { variable, from, to, down, body } => {
                let (from, to) = (i64::from(self.value(from)?), i64::from(self.value(to)?));
                let (mut at, step) = (from, if *down { -1 } else { 1 });
                while if *down { at >= to } else { at <= to } {
                    self.step(span)?;
                    self.store(variable, Value::Scalar(at as i32), span)?;
                    self.run(body, out)?;
                    at += step;
                }
                Ok(())
            }
            SK::All(vars, body) => self
                .each(vars, &mut |it| {
                    it.step(span)?;
                    it.run(body, out)?;
                    Ok(false)
                })
                .map(|_| ()),
            SK::ForOne { vars, such, body, otherwise } => {
                let found = self.each(vars, &mut |it| {
                    let found = it.value(such)? != 0;
                    if found {
                        it.run(body, out)?;
                    }
                    Ok(found)
                })?;
                if found { Ok(()) } else { self.run(otherwise, out) }
            }
            SK::Init { modvar, indices, body, arguments } => {
                let indices = self.indices(indices)?;
                let arguments =
                    arguments.iter().map(|argument| self.any_value(argument)).collect::<Result<_>>()?;
                out.init(*modvar, &indices, *body, arguments, span)
            }
            SK::Bind { connect, ends } => {
                let mut end = |number: usize| -> Result<End> {
                    let end = &ends[number];
                    let module = match &end.module {
                        Some((modvar, indices)) => Some((*modvar, self.indices(indices)?)),
                        None => None,
                    };
                    Ok(End { module, point: end.point, indices: self.indices(&end.indices)? })
                };
                let ends = [end(0)?, end(1)?];
                out.bind(*connect, ends, span)
            }
            // Refused before.
            SK::Output { .. } => Ok(()),
        }
    }

    fn indices(&mut self, indices: &'a [X]) -> Result<Vec<i32>> {
        indices.iter().map(|index| self.value(index)).collect()
    }

    /// Gives variables all values, one after the other, until something is found.
    fn each(&mut self, vars: &[usize], visit: &mut dyn FnMut(&mut Self) -> Result<bool>) -> Result<bool> {
        let Some((&first, rest)) = vars.split_first() else { return visit(self) };
        let Some(ordinal) = self.body.vars[first].ty.ordinal().cloned() else { return Ok(false) };
        for value in ordinal.values() {
            self.values[first] = Value::Scalar(value);
            if self.each(rest, visit)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn call(
        &mut self,
        routine: usize,
        arguments: &'a [Arg],
        span: &Span,
        out: &mut dyn Builder,
    ) -> Result<i32> {
        self.step(span)?;
        let def = &self.body.routines[routine];
        let mut values = Vec::new();
        let depth = self.references.len();
        for (&parameter, argument) in def.parameters.iter().zip(arguments) {
            match argument {
                Arg::Value(value) => values.push((parameter, self.any_value(value)?)),
                Arg::Reference(place) => {
                    let place = self.place(place)?;
                    self.references.push((parameter, place));
                }
            }
        }
        if let Some(result) = def.result {
            self.values[result] = Value::first(&self.body.vars[result].ty);
        }
        for (parameter, value) in values {
            self.check(&self.body.vars[parameter].ty.clone(), &value, span)?;
            self.values[parameter] = value;
        }
        self.run(&def.body, out)?;
        self.references.truncate(depth);
        Ok(def.result.map_or(0, |result| self.values[result].scalar()))
    }

    fn place(&mut self, place: &'a L) -> Result<Place> {
        let known = self.references.iter().rev().find(|(var, _)| *var == place.var);
        let mut found =
            known.map_or_else(|| Place { var: place.var, path: Vec::new() }, |(_, place)| place.clone());
        for sel in &place.path {
            found.path.push(match sel {
                Sel::Field(number) => *number,
                Sel::Index(index, ordinal) => {
                    let value = self.value(index)?;
                    if !ordinal.values().contains(&value) {
                        return failed(
                            format!("the index {value} is not among {}", ordinal.name()),
                            &index.span,
                        );
                    }
                    (value - ordinal.low) as usize
                }
            });
        }
        Ok(found)
    }

    fn load(&mut self, place: &'a L) -> Result<Value> {
        let place = self.place(place)?;
        let mut value = &self.values[place.var];
        for &at in &place.path {
            let Value::Parts(parts) = value else { break };
            value = &parts[at];
        }
        Ok(value.clone())
    }

    fn check(&self, ty: &Ty, value: &Value, span: &Span) -> Result<()> {
        match (ty, value) {
            (Ty::Ordinal(ordinal), Value::Scalar(value)) if !ordinal.values().contains(value) => {
                failed(format!("{} is not among {}", ordinal.show(*value), ordinal.name()), span)
            }
            _ => Ok(()),
        }
    }

    fn store(&mut self, target: &'a L, value: Value, span: &Span) -> Result<()> {
        self.check(&target.ty, &value, span)?;
        let place = self.place(target)?;
        let mut at = &mut self.values[place.var];
        for &number in &place.path {
            let Value::Parts(parts) = at else { break };
            at = &mut parts[number];
        }
        *at = value;
        Ok(())
    }

    fn any_value(&mut self, value: &'a X) -> Result<Value> {
        match &value.kind {
            K::Load(place) => self.load(place),
            _ => self.value(value).map(Value::Scalar),
        }
    }

    /// The value of a scalar expression.
    pub(crate) fn value(&mut self, value: &'a X) -> Result<i32> {
        let span = &value.span;
        self.step(span)?;
        Ok(match &value.kind {
            K::Const(value) => *value,
            K::Load(place) => self.load(place)?.scalar(),
            K::Not(operand) => i32::from(self.value(operand)? == 0),
            K::Minus(operand) => self.value(operand)?.wrapping_neg(),
            K::Abs(operand) => self.value(operand)?.wrapping_abs(),
            K::Odd(operand) => self.value(operand)? & 1,
            K::Binary(operator, operands) => {
                let left = self.value(&operands[0])?;
                match (operator, left) {
                    (Operator::And, 0) => return Ok(0),
                    (Operator::Or, 1) => return Ok(1),
                    _ => {}
                }
                let right = self.value(&operands[1])?;
                let set = match (&operands[0].ty, &operands[1].ty) {
                    (Ty::Set(base), _) | (_, Ty::Set(base)) => Some(base),
                    _ => None,
                };
                match apply(*operator, left, right, set) {
                    Some(value) => value,
                    None => return failed("a division by zero", span),
                }
            }
            K::Among(value, members) => {
                let value = self.value(value)?;
                for (first, last) in members {
                    let low = self.value(first)?;
                    let high = last.as_ref().map_or(Ok(low), |last| self.value(last))?;
                    if (low..=high).contains(&value) {
                        return Ok(1);
                    }
                }
                0
            }
            K::SetOf(members) => {
                let Ty::Set(base) = &value.ty else { return Ok(0) };
                let mut bits = 0;
                for (first, last) in members {
                    let low = self.value(first)?;
                    let high = last.as_ref().map_or(Ok(low), |last| self.value(last))?;
                    for member in low.max(base.low)..=high.min(base.high) {
                        bits |= 1 << (member - base.low);
                    }
                }
                bits
            }
            K::Call(routine, arguments) => self.call(*routine, arguments, span, &mut NoTree)?,
            K::Exist(vars, such) => i32::from(self.each(vars, &mut |it| Ok(it.value(such)? != 0))?),
        })
    }
}

/// Functions build no tree.
struct NoTree;

impl Builder for NoTree {
    fn init(&mut self, _: usize, _: &[i32], _: usize, _: Vec<Value>, span: &Span) -> Result<()> {
        failed("a function cannot build modules", span)
    }

    fn bind(&mut self, _: bool, _: [End; 2], span: &Span) -> Result<()> {
        failed("a function cannot connect modules", span)
    }
}

/// An operation on two values; on the bits of sets if there is a base.
pub(crate) fn apply(operator: Operator, a: i32, b: i32, set: Option<&Ordinal>) -> Option<i32> {
    use Operator::{Add, And, Div, Eq, Ge, Gt, In, Le, Lt, Mod, Mul, Ne, Or, Quotient, Sub};
    if let Some(base) = set {
        return Some(match operator {
            Add => a | b,
            Sub => a & !b,
            Mul => a & b,
            Eq => i32::from(a == b),
            Ne => i32::from(a != b),
            Le => i32::from(a & !b == 0),
            Ge => i32::from(b & !a == 0),
            In => i32::from(base.values().contains(&a) && b >> (a - base.low) & 1 == 1),
            _ => return None,
        });
    }
    Some(match operator {
        Add => a.wrapping_add(b),
        Sub => a.wrapping_sub(b),
        Mul => a.wrapping_mul(b),
        Div if b == 0 => return None,
        Mod if b == 0 => return None,
        Div => a.wrapping_div(b),
        // As in the program: for divisors above 0, which Pascal demands, this is what Pascal says.
        Mod => a.wrapping_rem(b).wrapping_add(b).wrapping_rem(b),
        And => i32::from(a != 0 && b != 0),
        Or => i32::from(a != 0 || b != 0),
        Eq => i32::from(a == b),
        Ne => i32::from(a != b),
        Lt => i32::from(a < b),
        Le => i32::from(a <= b),
        Gt => i32::from(a > b),
        Ge => i32::from(a >= b),
        In | Quotient => return None,
    })
}
