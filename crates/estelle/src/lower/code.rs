//! Statements of one transition: a graph of commands within one step, or a single command where that is enough.
//!
//! A command can take or send one message and then store values, so that straight code is split where it communicates only. Calls are
//! carried out where they stand: without recursion, the variables of a routine are places of their own (see [`crate::tree`]).

use super::expr::{all, any, binary, choose, constant, global, load, not, within};
use super::{Lowering, Refusal};
use crate::ast::{Operator, Span};
use crate::tree::{Arg, Base, BodyDef, K, L, Ordinal, S, SK, Sel, Ty, VarKind, X};
use elnath_program::ir::{Binary, Effect, Expr, Sync, Unary};
use std::collections::HashMap;

pub(super) type Result<T> = std::result::Result<T, Refusal>;

/// Scalars that are copied one by one.
const MOST_COPIED: u64 = 4096;

/// A way from one point to another.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    pub guard: Option<Expr>,
    pub sync: Sync,
    pub effects: Vec<Effect>,
    pub target: usize,
    pub text: Span,
}

/// The edge that is being written.
struct Open {
    from: usize,
    guard: Option<Expr>,
    sync: Sync,
    effects: Vec<Effect>,
    text: Span,
}

/// A part of a variable, with the indices found so far.
#[derive(Clone)]
pub(super) struct Place {
    pub var: usize,
    pub fields: Vec<usize>,
    pub indices: Vec<Expr>,
}

/// The code of a transition while it is made.
pub(super) struct Code<'c, 'a> {
    pub(super) to: &'c mut Lowering<'a>,
    pub(super) instance: usize,
    pub(super) body: &'a BodyDef,
    /// By point, the ways that leave it; at each the first that is possible is taken.
    pub(super) points: Vec<Vec<Edge>>,
    open: Option<Open>,
    /// What variables stand for: those of choices, and in guards all local ones.
    pub(super) known: HashMap<usize, Expr>,
    pub(super) references: Vec<(usize, Place)>,
    /// Whether nothing may be stored: what is computed is a guard.
    pub(super) pure: bool,
    /// In guards, the values of scalars of the message.
    pub(super) message: HashMap<(usize, Vec<usize>), Expr>,
}

impl<'c, 'a> Code<'c, 'a> {
    pub(super) fn new(to: &'c mut Lowering<'a>, instance: usize, known: HashMap<usize, Expr>) -> Self {
        let body = to.body(instance);
        Self {
            to,
            instance,
            body,
            points: vec![Vec::new()],
            open: None,
            known,
            references: Vec::new(),
            pure: false,
            message: HashMap::new(),
        }
    }

    // The graph.

    pub(super) fn point(&mut self) -> usize {
        self.points.push(Vec::new());
        self.points.len() - 1
    }

    /// Begins a way from a point.
    pub(super) fn begin(&mut self, from: usize, guard: Option<Expr>, text: &Span) {
        debug_assert!(self.open.is_none(), "one way at a time");
        self.open = Some(Open { from, guard, sync: Sync::None, effects: Vec::new(), text: text.clone() });
    }

    /// Ends the way that is being written.
    pub(super) fn end(&mut self, target: usize) {
        if let Some(open) = self.open.take() {
            let Open { from, guard, sync, effects, text } = open;
            self.points[from].push(Edge { guard, sync, effects, target, text });
        }
    }

    /// Ends it where the next begins.
    fn split(&mut self, text: &Span) -> usize {
        let at = self.point();
        self.end(at);
        self.begin(at, None, text);
        at
    }

    pub(super) fn effect(&mut self, effect: Effect) {
        if let Some(open) = &mut self.open {
            open.effects.push(effect);
        }
    }

    pub(super) fn sync(&mut self, sync: Sync, text: &Span) {
        let free = self.open.as_ref().is_some_and(|open| open.sync == Sync::None && open.effects.is_empty());
        if !free {
            self.split(text);
        }
        if let Some(open) = &mut self.open {
            open.sync = sync;
            open.text = text.clone();
        }
    }

    // Statements.

    pub(super) fn statements(&mut self, all: &'a [S]) -> Result<()> {
        all.iter().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &'a S) -> Result<()> {
        let span = &statement.span;
        self.to.spend(span)?;
        match &statement.kind {
            SK::Assign(target, value) => self.assign(target, value, span),
            SK::Call(routine, arguments) => self.call(*routine, arguments, span).map(|_| ()),
            SK::If(condition, then, other) => {
                let condition = self.value(condition)?;
                self.branch(condition, then, other, span)
            }
            SK::Case(value, arms, otherwise) => {
                let value = self.value(value)?;
                self.case(&value, arms, otherwise.as_deref(), span)
            }
            SK::While(condition, body) => {
                let head = self.split(span);
                // What the condition needs is computed anew each time.
                let condition = self.value(condition)?;
                let at = self.point();
                self.end(at);
                let after = self.point();
                self.begin(at, Some(condition), span);
                self.statements(body)?;
                self.end(head);
                self.begin(at, None, span);
                self.end(after);
                self.begin(after, None, span);
                Ok(())
            }
            SK::Repeat(body, condition) => {
                let head = self.split(span);
                self.statements(body)?;
                let condition = self.value(condition)?;
                let at = self.point();
                self.end(at);
                let after = self.point();
                self.begin(at, Some(condition), span);
                self.end(after);
                self.begin(at, None, span);
                self.end(head);
                self.begin(after, None, span);
                Ok(())
            }
            SK::For { variable, from, to, down, body } => self.count(variable, (from, to), *down, body, span),
            SK::Output { point, indices, message, arguments } => {
                self.output(*point, indices, *message, arguments, span)
            }
            SK::All(vars, body) => {
                for values in self.choices(vars) {
                    self.known.extend(values);
                    self.statements(body)?;
                }
                Ok(())
            }
            SK::ForOne { vars, such, body, otherwise } => {
                let after = self.point();
                for values in self.choices(vars) {
                    self.known.extend(values);
                    let condition = self.value(such)?;
                    let at = self.point();
                    self.end(at);
                    self.begin(at, Some(condition), span);
                    self.statements(body)?;
                    self.end(after);
                    self.begin(at, None, span);
                }
                self.statements(otherwise)?;
                self.end(after);
                self.begin(after, None, span);
                Ok(())
            }
            SK::Init { .. } | SK::Bind { .. } => {
                Err(Refusal::new("the tree of modules does not change", span))
            }
        }
    }

    /// All combinations of values of choice variables.
    pub(super) fn choices(&self, vars: &[usize]) -> Vec<HashMap<usize, Expr>> {
        let mut all = vec![HashMap::new()];
        for &var in vars {
            let Some(ordinal) = self.body.vars[var].ty.ordinal() else { continue };
            let with = |known: &HashMap<usize, Expr>, value: i32| {
                let mut known = known.clone();
                known.insert(var, constant(value));
                known
            };
            all =
                all.iter().flat_map(|known| ordinal.values().map(move |value| with(known, value))).collect();
        }
        all
    }

    fn branch(&mut self, condition: Expr, then: &'a [S], other: &'a [S], span: &Span) -> Result<()> {
        if let Expr::Const(value) = condition {
            return self.statements(if value != 0 { then } else { other });
        }
        let (at, after) = (self.point(), self.point());
        self.end(at);
        self.begin(at, Some(condition), span);
        self.statements(then)?;
        self.end(after);
        self.begin(at, None, span);
        self.statements(other)?;
        self.end(after);
        self.begin(after, None, span);
        Ok(())
    }

    fn case(
        &mut self,
        value: &Expr,
        arms: &'a [crate::tree::Arm],
        otherwise: Option<&'a [S]>,
        span: &Span,
    ) -> Result<()> {
        let (at, after) = (self.point(), self.point());
        self.end(at);
        for (ranges, body) in arms {
            let condition = any(ranges.iter().map(|&(low, high)| {
                if low == high {
                    binary(Binary::Eq, value.clone(), constant(low))
                } else {
                    within(value, low, high)
                }
            }));
            self.begin(at, Some(condition), span);
            self.statements(body)?;
            self.end(after);
        }
        self.begin(at, None, span);
        match otherwise {
            Some(body) => self.statements(body)?,
            // Pascal calls it an error.
            None => self.effect(Effect::Assert(constant(0))),
        }
        self.end(after);
        self.begin(after, None, span);
        Ok(())
    }

    fn count(
        &mut self,
        variable: &'a L,
        (from, to): (&'a X, &'a X),
        down: bool,
        body: &'a [S],
        span: &Span,
    ) -> Result<()> {
        let from = self.value(from)?;
        let to = self.value(to)?;
        // The bounds are found once.
        let number = Ty::Ordinal(Ordinal::int(i32::MIN, i32::MAX));
        let at = self.to.temporary(self.instance, &number);
        let last = self.to.temporary(self.instance, &number);
        self.effect(Effect::Assign(global(at, Vec::new()), from));
        self.effect(Effect::Assign(global(last, Vec::new()), to));
        let head = self.split(span);
        let at_value = load(at, Vec::new());
        let operator = if down { Binary::Ge } else { Binary::Le };
        let condition = binary(operator, at_value.clone(), load(last, Vec::new()));
        let branch = self.point();
        self.end(branch);
        let after = self.point();
        debug_assert!(head != branch);
        self.begin(branch, Some(condition), span);
        self.store(variable, at_value.clone(), span)?;
        self.statements(body)?;
        let next = binary(if down { Binary::Sub } else { Binary::Add }, at_value, constant(1));
        self.effect(Effect::Assign(global(at, Vec::new()), next));
        self.end(head);
        self.begin(branch, None, span);
        self.end(after);
        self.begin(after, None, span);
        Ok(())
    }

    fn store(&mut self, target: &'a L, value: Expr, span: &Span) -> Result<()> {
        let place = self.place(target)?;
        let (variable, indices) = self.to.piece(self.instance, &place, span)?;
        self.effect(Effect::Assign(global(variable, indices), value));
        Ok(())
    }

    fn assign(&mut self, target: &'a L, value: &'a X, span: &Span) -> Result<()> {
        if target.ty.is_scalar() {
            let to = self.value(value)?;
            self.demand_names(value, &target.ty, &to);
            return self.store(target, to, span);
        }
        let K::Load(from) = &value.kind else {
            return Err(Refusal::new("this value cannot be copied", &value.span));
        };
        let (from, to) = (self.place(from)?, self.place(target)?);
        self.copy(&from, &to, &target.ty, span)
    }

    /// Copies a record or array, scalar by scalar.
    fn copy(&mut self, from: &Place, to: &Place, ty: &Ty, span: &Span) -> Result<()> {
        if ty.scalars() > MOST_COPIED {
            return Err(Refusal::new(format!("more than {MOST_COPIED} values are copied at once"), span));
        }
        for (fields, indices) in scalars(ty) {
            let extend = |place: &Place| {
                let mut place = place.clone();
                place.fields.extend(&fields);
                place.indices.extend(indices.iter().map(|&index| constant(index)));
                place
            };
            let value = self.load(&extend(from), span)?;
            let (variable, indices) = self.to.piece(self.instance, &extend(to), span)?;
            self.effect(Effect::Assign(global(variable, indices), value));
        }
        Ok(())
    }

    /// Where the program does not check a value that is stored in a variable, this does: numbers and characters have a range there, names do not.
    fn demand_names(&mut self, value: &X, ty: &Ty, expr: &Expr) {
        if !ty.ordinal().is_some_and(|ordinal| matches!(ordinal.base, Base::Int | Base::Char)) {
            self.demand(value, ty, expr);
        }
    }

    /// That a value is one of its type.
    fn demand(&mut self, value: &X, ty: &Ty, expr: &Expr) {
        let Ty::Ordinal(ordinal) = ty else { return };
        if !fits(value, ordinal) && !matches!(ordinal.base, Base::Bool) {
            self.effect(Effect::Assert(within(expr, ordinal.low, ordinal.high)));
        }
    }

    fn output(
        &mut self,
        point: usize,
        indices: &'a [X],
        message: usize,
        arguments: &'a [X],
        span: &Span,
    ) -> Result<()> {
        let def = &self.body.points[point];
        let types: Vec<Ty> = self.to.checked.channels[def.channel].messages[message]
            .parameters
            .iter()
            .map(|(_, _, ty)| ty.clone())
            .collect();
        let mut fields = Vec::new();
        for (argument, ty) in arguments.iter().zip(&types) {
            if ty.is_scalar() {
                let value = self.value(argument)?;
                self.demand(argument, ty, &value);
                fields.push(value);
                continue;
            }
            let K::Load(from) = &argument.kind else {
                return Err(Refusal::new("this value cannot be sent", &argument.span));
            };
            let from = self.place(from)?;
            for (path, at) in scalars(ty) {
                let mut place = from.clone();
                place.fields.extend(path);
                place.indices.extend(at.into_iter().map(constant));
                fields.push(self.load(&place, span)?);
            }
        }
        let surely = indices.iter().zip(&def.dims).all(|(index, dim)| fits(index, dim));
        let indices: Vec<Expr> = indices.iter().map(|index| self.value(index)).collect::<Result<_>>()?;
        let ways = self.to.elements(&def.dims, &indices);
        if let [(_, element)] = ways[..] {
            self.send(point, element, message, fields, span);
            return Ok(());
        }
        // The interaction point is chosen by values: one way for each.
        let (at, after) = (self.point(), self.point());
        self.end(at);
        let last = ways.len().saturating_sub(1);
        for (number, (condition, element)) in ways.into_iter().enumerate() {
            self.begin(at, (!surely || number < last).then_some(condition), span);
            self.send(point, element, message, fields.clone(), span);
            self.end(after);
        }
        if !surely {
            self.begin(at, None, span);
            self.effect(Effect::Assert(constant(0)));
            self.end(after);
        }
        self.begin(after, None, span);
        Ok(())
    }

    fn send(&mut self, point: usize, element: usize, message: usize, fields: Vec<Expr>, span: &Span) {
        // Through a point that is not connected, it is lost.
        if let Some(sync) = self.to.send((self.instance, point, element), message, fields) {
            self.sync(sync, span);
        }
    }

    fn call(&mut self, routine: usize, arguments: &'a [Arg], span: &Span) -> Result<Expr> {
        if self.pure {
            return self.pure_call(routine, arguments, span);
        }
        let def = &self.body.routines[routine];
        let depth = self.references.len();
        let mut bound = Vec::new();
        for (&parameter, argument) in def.parameters.iter().zip(arguments) {
            match argument {
                Arg::Reference(target) => {
                    // The variable is found once: its indices may change meanwhile.
                    let mut place = self.place(target)?;
                    for index in &mut place.indices {
                        if !matches!(index, Expr::Const(_)) {
                            let number = Ty::Ordinal(Ordinal::int(i32::MIN, i32::MAX));
                            let kept = self.to.temporary(self.instance, &number);
                            self.effect(Effect::Assign(global(kept, Vec::new()), index.clone()));
                            *index = load(kept, Vec::new());
                        }
                    }
                    bound.push((parameter, place));
                }
                Arg::Value(value) => {
                    let ty = &self.body.vars[parameter].ty;
                    let to = Place { var: parameter, fields: Vec::new(), indices: Vec::new() };
                    if ty.is_scalar() {
                        let expr = self.value(value)?;
                        self.demand_names(value, ty, &expr);
                        let (variable, indices) = self.to.piece(self.instance, &to, span)?;
                        self.effect(Effect::Assign(global(variable, indices), expr));
                    } else if let K::Load(from) = &value.kind {
                        let from = self.place(from)?;
                        self.copy(&from, &to, ty, span)?;
                    }
                }
            }
        }
        self.references.extend(bound);
        self.statements(&def.body)?;
        self.references.truncate(depth);
        let Some(result) = def.result else { return Ok(constant(0)) };
        // Another call of the same function may follow before the result is used.
        let ty = self.body.vars[result].ty.clone();
        let kept = self.to.temporary(self.instance, &ty);
        let value = self.load(&Place { var: result, fields: Vec::new(), indices: Vec::new() }, span)?;
        self.effect(Effect::Assign(global(kept, Vec::new()), value));
        Ok(load(kept, Vec::new()))
    }

    // Values.

    pub(super) fn place(&mut self, place: &'a L) -> Result<Place> {
        let known = self.references.iter().rev().find(|(var, _)| *var == place.var);
        let mut found = match known {
            Some((_, found)) => found.clone(),
            None => Place { var: place.var, fields: Vec::new(), indices: Vec::new() },
        };
        for sel in &place.path {
            match sel {
                Sel::Field(number) => found.fields.push(*number),
                Sel::Index(index, ordinal) => {
                    let index = self.value(index)?;
                    found.indices.push(binary(Binary::Sub, index, constant(ordinal.low)));
                }
            }
        }
        Ok(found)
    }

    /// The value of a scalar place.
    pub(super) fn load(&mut self, place: &Place, span: &Span) -> Result<Expr> {
        if let Some(value) = self.known.get(&place.var) {
            return Ok(value.clone());
        }
        if self.pure && matches!(self.body.vars[place.var].kind, VarKind::Message(_)) {
            let found =
                self.message.get(&(place.var, place.fields.clone())).filter(|_| place.indices.is_empty());
            return found
                .cloned()
                .ok_or_else(|| Refusal::new("a guard cannot look at an array in a message", span));
        }
        if self.pure && matches!(self.body.vars[place.var].kind, VarKind::Local) {
            // It was not stored to yet.
            let first = self.body.vars[place.var].ty.ordinal().map_or(0, Ordinal::first);
            return Ok(constant(first));
        }
        if let Some(value) = self.to.fixed(self.instance, place) {
            return Ok(constant(value));
        }
        let (variable, indices) = self.to.piece(self.instance, place, span)?;
        Ok(load(variable, indices))
    }

    /// The value of a scalar expression. What has to be done first becomes part of the code.
    pub(super) fn value(&mut self, value: &'a X) -> Result<Expr> {
        self.to.spend(&value.span)?;
        Ok(match &value.kind {
            K::Const(value) => constant(*value),
            K::Load(place) => {
                let place = self.place(place)?;
                self.load(&place, &value.span)?
            }
            K::Not(operand) => not(self.value(operand)?),
            K::Minus(operand) => match self.value(operand)? {
                Expr::Const(value) => constant(value.wrapping_neg()),
                operand => Expr::Unary(Unary::Neg, Box::new(operand)),
            },
            K::Odd(operand) => binary(Binary::BitAnd, self.value(operand)?, constant(1)),
            K::Abs(operand) => {
                let operand = self.value(operand)?;
                let negative = binary(Binary::Lt, operand.clone(), constant(0));
                choose(negative, Expr::Unary(Unary::Neg, Box::new(operand.clone())), operand)
            }
            K::Binary(operator, operands) => {
                let (left, right) = (self.value(&operands[0])?, self.value(&operands[1])?);
                operation(*operator, (&operands[0], left), (&operands[1], right))
            }
            K::Among(value, members) => {
                let value = self.value(value)?;
                let mut parts = Vec::new();
                for (first, last) in members {
                    let low = self.value(first)?;
                    parts.push(match last {
                        None => binary(Binary::Eq, value.clone(), low),
                        Some(last) => {
                            let high = self.value(last)?;
                            let above = binary(Binary::Ge, value.clone(), low);
                            all([above, binary(Binary::Le, value.clone(), high)])
                        }
                    });
                }
                any(parts)
            }
            K::SetOf(members) => self.set(members, &value.ty)?,
            K::Call(routine, arguments) => self.call(*routine, arguments, &value.span)?,
            K::Exist(vars, such) => {
                let mut parts = Vec::new();
                for values in self.choices(vars) {
                    self.known.extend(values);
                    parts.push(self.value(such)?);
                }
                for var in vars {
                    self.known.remove(var);
                }
                any(parts)
            }
        })
    }

    fn set(&mut self, members: &'a [(X, Option<X>)], ty: &Ty) -> Result<Expr> {
        let Ty::Set(base) = ty else { return Ok(constant(0)) };
        let mut bits = constant(0);
        for (first, last) in members {
            let low = self.value(first)?;
            let high = match last {
                Some(last) => self.value(last)?,
                None => low.clone(),
            };
            for member in base.values() {
                let is_in = all([
                    binary(Binary::Le, low.clone(), constant(member)),
                    binary(Binary::Ge, high.clone(), constant(member)),
                ]);
                let bit = choose(is_in, constant(1 << (member - base.low)), constant(0));
                bits = match (bits, bit) {
                    (bits, Expr::Const(0)) => bits,
                    (Expr::Const(0), bit) => bit,
                    (bits, bit) => binary(Binary::BitOr, bits, bit),
                };
            }
        }
        Ok(bits)
    }
}

/// Every scalar of a type: the fields and the indices, from 0, that lead to it.
pub(super) fn scalars(ty: &Ty) -> Vec<(Vec<usize>, Vec<i32>)> {
    match ty {
        Ty::Ordinal(_) | Ty::Set(_) | Ty::Bad => vec![(Vec::new(), Vec::new())],
        Ty::Record(record) => {
            let mut all = Vec::new();
            for (number, (_, _, ty)) in record.fields.iter().enumerate() {
                all.extend(scalars(ty).into_iter().map(|(mut fields, indices)| {
                    fields.insert(0, number);
                    (fields, indices)
                }));
            }
            all
        }
        Ty::Array(array) => {
            let inner = scalars(&array.element);
            let count = array.index.count() as i32;
            let with = |index: i32, (fields, indices): &(Vec<usize>, Vec<i32>)| {
                let mut indices = indices.clone();
                indices.insert(0, index);
                (fields.clone(), indices)
            };
            (0..count).flat_map(|index| inner.iter().map(move |scalar| with(index, scalar))).collect()
        }
    }
}

/// Whether a value is among those of a type, whatever the state is.
fn fits(value: &X, ordinal: &Ordinal) -> bool {
    let known = matches!(value.kind, K::Const(_) | K::Load(_) | K::Call(..));
    known && value.ty.ordinal().is_some_and(|from| from.low >= ordinal.low && from.high <= ordinal.high)
}

/// Whether a number is never negative.
fn is_natural(value: &X) -> bool {
    use Operator::{Add, Div, Mod, Mul};
    match &value.kind {
        K::Const(value) => *value >= 0,
        K::Load(_) | K::Call(..) => value.ty.ordinal().is_some_and(|ordinal| ordinal.low >= 0),
        K::Binary(Add | Mul | Div | Mod, operands) => operands.iter().all(is_natural),
        K::Abs(_) => true,
        _ => false,
    }
}

fn operation(operator: Operator, (left, a): (&X, Expr), (right, b): (&X, Expr)) -> Expr {
    use Operator::{Add, And, Div, Eq, Ge, Gt, In, Le, Lt, Mod, Mul, Ne, Or, Quotient, Sub};
    let without = |a: Expr, b: Expr| {
        let b = match b {
            Expr::Const(b) => constant(!b),
            b => Expr::Unary(Unary::Complement, Box::new(b)),
        };
        binary(Binary::BitAnd, a, b)
    };
    if let (In, Ty::Set(base)) = (operator, &right.ty) {
        let shift = binary(Binary::Sub, a.clone(), constant(base.low));
        let bit = binary(Binary::BitAnd, binary(Binary::Shr, b, shift), constant(1));
        let inside = left.ty.ordinal().is_some_and(|ordinal| fits(left, base) && ordinal.count() > 0);
        return if inside { bit } else { choose(within(&a, base.low, base.high), bit, constant(0)) };
    }
    if matches!(left.ty, Ty::Set(_)) {
        return match operator {
            Add => binary(Binary::BitOr, a, b),
            Sub => without(a, b),
            Mul => binary(Binary::BitAnd, a, b),
            Le => binary(Binary::Eq, without(a, b), constant(0)),
            Ge => binary(Binary::Eq, without(b, a), constant(0)),
            Ne => binary(Binary::Ne, a, b),
            _ => binary(Binary::Eq, a, b),
        };
    }
    let plain = match operator {
        Add => Binary::Add,
        Sub => Binary::Sub,
        Mul => Binary::Mul,
        Div => Binary::Div,
        And => Binary::And,
        Or => Binary::Or,
        Eq => Binary::Eq,
        Ne => Binary::Ne,
        Lt => Binary::Lt,
        Le => Binary::Le,
        Gt => Binary::Gt,
        Ge => Binary::Ge,
        Mod if is_natural(left) => Binary::Rem,
        // Pascal's result is never negative.
        Mod => {
            let rest = binary(Binary::Rem, a, b.clone());
            return binary(Binary::Rem, binary(Binary::Add, rest, b.clone()), b);
        }
        // Refused, or done above.
        In | Quotient => return constant(0),
    };
    binary(plain, a, b)
}
