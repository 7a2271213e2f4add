//! Guards: expressions of the program, since whether a transition is possible is asked without doing anything.
//!
//! A guard may call functions, which are then carried out on expressions instead of values: stores to local variables rename what is known
//! of them, branches become conditional expressions, loops with constant bounds are unrolled. And it may look at the message that the
//! transition would take. A program can ask whether the first message matches a pattern, but not for its fields; so `x = e` becomes a pattern,
//! and any other condition is asked for each value of the fields that it looks at.

use super::Refusal;
use super::code::{Code, Place, Result};
use super::expr::{all, any, binary, choose, constant, size, within};
use crate::ast::{Operator, Span};
use crate::tree::{Arg, K, L, Ordinal, S, SK, Ty, VarKind, X};
use elnath_program::ir::{Binary, Expr, Pattern};
use std::collections::HashMap;

/// Combinations of values of fields that a guard looks at.
const MOST_COMBINATIONS: u64 = 4096;
/// Rounds of a loop in a function of a guard.
const MOST_ROUNDS: usize = 1024;
/// Operators of a guard.
const MOST_OPERATORS: usize = 200_000;

/// The head of a queue, as a guard looks at it.
pub(super) struct Head {
    pub queue: Expr,
    pub tag: i32,
    /// How many fields a message of the queue has.
    pub fields: usize,
    /// Where each scalar of the parameters is: variable, fields, number of the field.
    pub slots: Vec<(usize, Vec<usize>, usize)>,
}

impl Head {
    /// Whether the head is this message, with these values in some fields.
    pub(super) fn poll(&self, values: &[(usize, Expr)]) -> Expr {
        let mut patterns = vec![Pattern::Any; self.fields];
        patterns[0] = Pattern::Match(constant(self.tag));
        for (slot, value) in values {
            patterns[*slot] = Pattern::Match(value.clone());
        }
        Expr::Poll { channel: Box::new(self.queue.clone()), patterns, random: false, ahead: 0 }
    }
}

impl<'a> Code<'_, 'a> {
    /// What a guard demands, beside that the head is the message.
    pub(super) fn guard(&mut self, guard: &'a X, head: Option<&Head>) -> Result<Vec<Expr>> {
        self.pure = true;
        let mut conjuncts = Vec::new();
        split(guard, &mut conjuncts);
        let mut parts = Vec::new();
        for conjunct in conjuncts {
            let part = self.conjunct(conjunct, head)?;
            if size(&part) > MOST_OPERATORS {
                return Err(Refusal::new("this guard has too many cases", &conjunct.span));
            }
            parts.push(part);
        }
        self.pure = false;
        parts.retain(|part| *part != constant(1));
        Ok(parts)
    }

    fn conjunct(&mut self, conjunct: &'a X, head: Option<&Head>) -> Result<Expr> {
        let mut seen: Vec<(usize, Vec<usize>, &'a L)> = Vec::new();
        self.looked_at(conjunct, &mut seen);
        let Some(head) = head.filter(|_| !seen.is_empty()) else { return self.value(conjunct) };
        let slot = |(var, fields, _): &(usize, Vec<usize>, &L)| {
            head.slots
                .iter()
                .find(|(known, path, _)| known == var && path == fields)
                .map(|(_, _, slot)| *slot)
        };
        // `x = e`.
        if let K::Binary(Operator::Eq, operands) = &conjunct.kind
            && seen.len() == 1
        {
            for (field, other) in [(&operands[0], &operands[1]), (&operands[1], &operands[0])] {
                let mut others = Vec::new();
                self.looked_at(other, &mut others);
                if matches!(field.kind, K::Load(_)) && others.is_empty() {
                    let Some(slot) = slot(&seen[0]) else { break };
                    let value = self.value(other)?;
                    // A pattern compares what is stored, and a value outside the type is never stored.
                    return Ok(head.poll(&[(slot, value)]));
                }
            }
        }
        let mut fields: Vec<(usize, Vec<usize>, usize, Ordinal)> = Vec::new();
        for one in &seen {
            let (Some(slot), Some(ordinal)) = (slot(one), ordinal_of(&one.2.ty)) else {
                return Err(Refusal::new("a guard cannot look at an array in a message", &conjunct.span));
            };
            if !fields.iter().any(|(_, _, known, _)| *known == slot) {
                fields.push((one.0, one.1.clone(), slot, ordinal));
            }
        }
        let combinations =
            fields.iter().fold(1u64, |n, (_, _, _, ordinal)| n.saturating_mul(ordinal.count()));
        if combinations > MOST_COMBINATIONS {
            let text = format!(
                "this guard looks at fields of a message that have {combinations} values together; {MOST_COMBINATIONS} are the most"
            );
            return Err(
                Refusal::new(text, &conjunct.span).with_help("`x = e` is possible with any number of values")
            );
        }
        let mut cases = Vec::new();
        let mut values: Vec<i32> = fields.iter().map(|(_, _, _, ordinal)| ordinal.low).collect();
        loop {
            for ((var, path, _, _), value) in fields.iter().zip(&values) {
                self.message.insert((*var, path.clone()), constant(*value));
            }
            let holds = self.value(conjunct)?;
            if holds != constant(0) {
                let wanted: Vec<(usize, Expr)> = fields
                    .iter()
                    .zip(&values)
                    .map(|((_, _, slot, _), value)| (*slot, constant(*value)))
                    .collect();
                cases.push(all([head.poll(&wanted), holds]));
            }
            // The next combination.
            let Some(at) = (0..values.len()).rev().find(|&at| values[at] < fields[at].3.high) else { break };
            values[at] += 1;
            for (value, (_, _, _, ordinal)) in values[at + 1..].iter_mut().zip(&fields[at + 1..]) {
                *value = ordinal.low;
            }
        }
        self.message.clear();
        Ok(any(cases))
    }

    /// The scalars of the message that an expression looks at.
    fn looked_at(&self, value: &'a X, out: &mut Vec<(usize, Vec<usize>, &'a L)>) {
        let mut places = Vec::new();
        loads(value, &mut places);
        for place in places {
            if matches!(self.body.vars[place.var].kind, VarKind::Message(_)) {
                let fields = place.path.iter().filter_map(|sel| match sel {
                    crate::tree::Sel::Field(number) => Some(*number),
                    crate::tree::Sel::Index(..) => None,
                });
                let indexed = place.path.iter().any(|sel| matches!(sel, crate::tree::Sel::Index(..)));
                // One with an index is found nowhere, and refused.
                let fields = if indexed { vec![usize::MAX] } else { fields.collect() };
                out.push((place.var, fields, place));
            }
        }
    }

    /// A function, carried out on expressions.
    pub(super) fn pure_call(&mut self, routine: usize, arguments: &'a [Arg], span: &Span) -> Result<Expr> {
        let def = &self.body.routines[routine];
        let depth = self.references.len();
        let mut known = Vec::new();
        for (&parameter, argument) in def.parameters.iter().zip(arguments) {
            let Arg::Value(value) = argument else {
                return Err(refused("changes a variable that it is given", span));
            };
            if self.body.vars[parameter].ty.is_scalar() {
                known.push((parameter, self.value(value)?));
            } else if let K::Load(from) = &value.kind {
                let from = self.place(from)?;
                self.references.push((parameter, from));
            }
        }
        self.known.extend(known);
        if let Some(result) = def.result {
            self.known.remove(&result);
        }
        self.carry_out(&def.body)?;
        self.references.truncate(depth);
        let Some(result) = def.result else { return Ok(constant(0)) };
        self.load(&Place { var: result, fields: Vec::new(), indices: Vec::new() }, span)
    }

    fn carry_out(&mut self, all: &'a [S]) -> Result<()> {
        all.iter().try_for_each(|statement| self.carry_out_one(statement))
    }

    fn carry_out_one(&mut self, statement: &'a S) -> Result<()> {
        let span = &statement.span;
        self.to.spend(span)?;
        match &statement.kind {
            SK::Assign(target, value) => {
                let local = self.body.vars[target.var].kind == VarKind::Local;
                if !local || !target.path.is_empty() || !target.ty.is_scalar() {
                    return Err(refused("stores to more than its own simple variables", span));
                }
                let value = self.value(value)?;
                self.known.insert(target.var, value);
                Ok(())
            }
            SK::Call(routine, arguments) => self.pure_call(*routine, arguments, span).map(|_| ()),
            SK::If(condition, then, other) => {
                let condition = self.value(condition)?;
                self.either(&condition, &mut |it| it.carry_out(then), &mut |it| it.carry_out(other))
            }
            SK::Case(value, arms, otherwise) => {
                let value = self.value(value)?;
                self.cases(&value, arms, otherwise.as_deref().unwrap_or(&[]))
            }
            SK::For { variable, from, to, down, body } => {
                let (from, to) = (self.value(from)?, self.value(to)?);
                let (Expr::Const(from), Expr::Const(to)) = (from, to) else {
                    return Err(refused("has a loop whose bounds are no constants", span));
                };
                if from.abs_diff(to) as usize > MOST_ROUNDS || !variable.path.is_empty() {
                    return Err(refused("has a loop that is too long", span));
                }
                let rounds: Vec<i32> =
                    if *down { (to..=from).rev().collect() } else { (from..=to).collect() };
                for round in rounds {
                    self.known.insert(variable.var, constant(round));
                    self.carry_out(body)?;
                }
                Ok(())
            }
            SK::While(condition, body) => {
                for _ in 0..MOST_ROUNDS {
                    match self.value(condition)? {
                        Expr::Const(0) => return Ok(()),
                        Expr::Const(_) => self.carry_out(body)?,
                        _ => break,
                    }
                }
                Err(refused("has a loop whose length depends on the state", span))
            }
            SK::Repeat(body, condition) => {
                for _ in 0..MOST_ROUNDS {
                    self.carry_out(body)?;
                    match self.value(condition)? {
                        Expr::Const(0) => {}
                        Expr::Const(_) => return Ok(()),
                        _ => break,
                    }
                }
                Err(refused("has a loop whose length depends on the state", span))
            }
            SK::All(vars, body) => {
                for values in self.choices(vars) {
                    self.known.extend(values);
                    self.carry_out(body)?;
                }
                Ok(())
            }
            SK::ForOne { .. } | SK::Output { .. } | SK::Init { .. } | SK::Bind { .. } => {
                Err(refused("does more than compute a value", span))
            }
        }
    }

    /// Both branches, and what is known after either of them.
    fn either(
        &mut self,
        condition: &Expr,
        then: &mut dyn FnMut(&mut Self) -> Result<()>,
        other: &mut dyn FnMut(&mut Self) -> Result<()>,
    ) -> Result<()> {
        match condition {
            Expr::Const(0) => return other(self),
            Expr::Const(_) => return then(self),
            _ => {}
        }
        let before = self.known.clone();
        then(self)?;
        let after_then = std::mem::replace(&mut self.known, before);
        other(self)?;
        let after_other = std::mem::take(&mut self.known);
        let mut merged = HashMap::new();
        let vars: std::collections::BTreeSet<usize> =
            after_then.keys().chain(after_other.keys()).copied().collect();
        for var in vars {
            let first = || constant(self.body.vars[var].ty.ordinal().map_or(0, Ordinal::first));
            let value = |known: &HashMap<usize, Expr>| known.get(&var).cloned().unwrap_or_else(first);
            let value = choose(condition.clone(), value(&after_then), value(&after_other));
            if size(&value) > MOST_OPERATORS {
                let span = 0..0;
                return Err(refused("has too many cases", &span));
            }
            merged.insert(var, value);
        }
        self.known = merged;
        Ok(())
    }

    fn cases(&mut self, value: &Expr, arms: &'a [crate::tree::Arm], otherwise: &'a [S]) -> Result<()> {
        let Some(((ranges, body), rest)) = arms.split_first() else { return self.carry_out(otherwise) };
        let condition = any(ranges.iter().map(|&(low, high)| {
            if low == high {
                binary(Binary::Eq, value.clone(), constant(low))
            } else {
                within(value, low, high)
            }
        }));
        self.either(&condition, &mut |it| it.carry_out(body), &mut |it| it.cases(value, rest, otherwise))
    }
}

fn refused(what: &str, span: &Span) -> Refusal {
    Refusal::new(format!("a function that a guard calls {what}"), span)
}

/// The values of a field, a set as the number of its bits.
fn ordinal_of(ty: &Ty) -> Option<Ordinal> {
    match ty {
        Ty::Ordinal(ordinal) => Some(ordinal.clone()),
        Ty::Set(base) if base.count() < 31 => Some(Ordinal::int(0, (1 << base.count()) - 1)),
        _ => None,
    }
}

/// The parts of a conjunction.
fn split<'a>(guard: &'a X, out: &mut Vec<&'a X>) {
    match &guard.kind {
        K::Binary(Operator::And, operands) => {
            split(&operands[0], out);
            split(&operands[1], out);
        }
        _ => out.push(guard),
    }
}

/// The variables that an expression loads.
fn loads<'a>(value: &'a X, out: &mut Vec<&'a L>) {
    match &value.kind {
        K::Const(_) => {}
        K::Load(place) => {
            out.push(place);
            for sel in &place.path {
                if let crate::tree::Sel::Index(index, _) = sel {
                    loads(index, out);
                }
            }
        }
        K::Not(a) | K::Minus(a) | K::Abs(a) | K::Odd(a) | K::Exist(_, a) => loads(a, out),
        K::Binary(_, operands) => operands.iter().for_each(|operand| loads(operand, out)),
        K::Among(value, members) => {
            loads(value, out);
            members
                .iter()
                .flat_map(|(first, last)| [Some(first), last.as_ref()])
                .flatten()
                .for_each(|x| loads(x, out));
        }
        K::SetOf(members) => {
            members
                .iter()
                .flat_map(|(first, last)| [Some(first), last.as_ref()])
                .flatten()
                .for_each(|x| loads(x, out));
        }
        K::Call(_, arguments) => {
            for argument in arguments {
                match argument {
                    Arg::Value(value) => loads(value, out),
                    Arg::Reference(place) => out.push(place),
                }
            }
        }
    }
}
