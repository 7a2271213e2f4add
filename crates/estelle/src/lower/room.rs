//! How many messages a transition may send to each queue: with a capacity, it waits for room for all of them.

use super::code::Result;
use super::{Lowering, Refusal};
use crate::instance::{element, elements};
use crate::tree::{K, S, SK, X};
use std::collections::BTreeMap;

/// By queue, the most messages.
pub(super) type Sent = BTreeMap<usize, u64>;

fn add(to: &mut Sent, more: &Sent, times: u64) {
    for (&queue, &count) in more {
        let sum = to.entry(queue).or_default();
        *sum = sum.saturating_add(count.saturating_mul(times));
    }
}

fn most(to: &mut Sent, other: &Sent) {
    for (&queue, &count) in other {
        let greatest = to.entry(queue).or_default();
        *greatest = (*greatest).max(count);
    }
}

impl Lowering<'_> {
    pub(super) fn sent(&self, instance: usize, all: &[S]) -> Result<Sent> {
        let mut sum = Sent::new();
        for statement in all {
            let more = self.sent_by(instance, statement)?;
            add(&mut sum, &more, 1);
        }
        Ok(sum)
    }

    fn sent_by(&self, instance: usize, statement: &S) -> Result<Sent> {
        let body = self.body(instance);
        let choices = |vars: &[usize]| -> u64 {
            vars.iter()
                .map(|&var| body.vars[var].ty.ordinal().map_or(0, crate::tree::Ordinal::count))
                .product()
        };
        let times = |inner: &[S], count: u64| -> Result<Sent> {
            let mut sum = Sent::new();
            add(&mut sum, &self.sent(instance, inner)?, count);
            Ok(sum)
        };
        match &statement.kind {
            SK::Output { point, indices, .. } => {
                let mut sum = Sent::new();
                for element in self.possible(instance, *point, indices) {
                    let to = self.tree.peer((instance, *point, element));
                    sum.extend(to.and_then(|to| self.tree.queue(to)).map(|queue| (queue, 1)));
                }
                Ok(sum)
            }
            // Functions of expressions send as well, but what computes a value seldom does.
            SK::Call(routine, _) => self.sent(instance, &body.routines[*routine].body),
            SK::If(_, then, other) => {
                let mut greatest = self.sent(instance, then)?;
                most(&mut greatest, &self.sent(instance, other)?);
                Ok(greatest)
            }
            SK::Case(_, arms, otherwise) => {
                let mut greatest = self.sent(instance, otherwise.as_deref().unwrap_or(&[]))?;
                for (_, arm) in arms {
                    most(&mut greatest, &self.sent(instance, arm)?);
                }
                Ok(greatest)
            }
            SK::While(_, inner) | SK::Repeat(inner, _) => {
                let sum = self.sent(instance, inner)?;
                if sum.is_empty() {
                    return Ok(sum);
                }
                let text = "with --capacity, it must be known how often this loop sends";
                Err(Refusal::new(text, &statement.span))
            }
            SK::For { from, to, body: inner, .. } => {
                let sum = self.sent(instance, inner)?;
                match (&from.kind, &to.kind) {
                    _ if sum.is_empty() => Ok(sum),
                    (K::Const(from), K::Const(to)) => times(inner, u64::from(from.abs_diff(*to)) + 1),
                    _ => {
                        let text = "with --capacity, it must be known how often this loop sends";
                        Err(Refusal::new(text, &statement.span))
                    }
                }
            }
            SK::All(vars, inner) => times(inner, choices(vars)),
            SK::ForOne { body: inner, otherwise, .. } => {
                let mut greatest = self.sent(instance, inner)?;
                most(&mut greatest, &self.sent(instance, otherwise)?);
                Ok(greatest)
            }
            SK::Assign(..) | SK::Init { .. } | SK::Bind { .. } => Ok(Sent::new()),
        }
    }

    fn possible(&self, instance: usize, point: usize, indices: &[X]) -> Vec<usize> {
        let dims = &self.body(instance).points[point].dims;
        let known = indices.iter().map(|index| match index.kind {
            K::Const(value) => Some(value),
            _ => None,
        });
        match known.collect::<Option<Vec<i32>>>() {
            Some(known) => element(dims, &known).into_iter().collect(),
            None => (0..elements(dims)).collect(),
        }
    }
}
