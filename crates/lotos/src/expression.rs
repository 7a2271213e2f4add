//! Expressions: which operation is meant.
//!
//! Names of operations may be used for several, which differ in the sorts of their arguments or of their result. Bottom-up, an
//! expression has at most one reading for each sort; what surrounds it picks one of them. Where two readings have the same sort,
//! the text must say `of`. Variables win over constants of the same name.

use crate::ast::{Cond, Expr, ExprKind};
use crate::data::{OpId, SortId, Term};
use crate::sources::Sources;
use crate::types::{DeclaredOp, DeclaredSort, UNKNOWN, Visible};
use elnath_source::{Message, codes, nearest};
use std::rc::Rc;

/// Two values that must be equal; where the text has one, it is compared with `true`.
pub(crate) type TypedCondition = (Term, Term);

/// What an expression may name.
pub(crate) struct Scope<'a> {
    pub(crate) sources: &'a Sources,
    pub(crate) sorts: &'a [DeclaredSort],
    pub(crate) ops: &'a [DeclaredOp],
    pub(crate) visible: &'a Visible,
    /// The innermost last: name, sort, and where its value is.
    pub(crate) variables: &'a [(Rc<str>, SortId, u32)],
    pub(crate) messages: &'a mut Vec<Message>,
}

/// One reading of an expression; its sort is that of no other.
#[derive(Clone)]
struct Reading {
    sort: SortId,
    term: Term,
    /// There is another with this sort.
    ambiguous: bool,
}

impl Scope<'_> {
    /// The value of this sort that is meant.
    pub(crate) fn value(&mut self, expr: &Expr, sort: SortId) -> Option<Term> {
        let readings = self.readings(expr)?;
        match readings.iter().find(|reading| reading.sort == sort) {
            Some(reading) => self.chosen(reading, expr),
            None => {
                let found = self.list_sorts(readings.iter().map(|reading| reading.sort));
                let text = format!("this is of sort {found}, and sort `{}` is needed", self.sort_name(sort));
                self.wrong(text, expr);
                None
            }
        }
    }

    /// The value of any sort that is meant.
    pub(crate) fn any_value(&mut self, expr: &Expr) -> Option<(Term, SortId)> {
        let readings = self.readings(expr)?;
        match readings.as_slice() {
            [reading] => Some((self.chosen(reading, expr)?, reading.sort)),
            _ => {
                let found = self.list_sorts(readings.iter().map(|reading| reading.sort));
                self.ambiguous(format!("this may be of sort {found}"), expr);
                None
            }
        }
    }

    pub(crate) fn condition(&mut self, cond: &Cond) -> Option<TypedCondition> {
        match &cond.right {
            Some(right) => self.equal(&cond.left, right, None),
            None => {
                let bool = self.visible.sorts.get("bool").copied();
                let truths = self.visible.ops.get("true").into_iter().flatten().copied();
                let is_truth = |op: &OpId| {
                    let DeclaredOp { args, result, .. } = &self.ops[*op as usize];
                    args.is_empty() && Some(*result) == bool
                };
                let truth = truths.into_iter().find(is_truth);
                let (Some(bool), Some(truth)) = (bool, truth) else {
                    let message = self.sources.error(
                        "there is no sort `Bool` with `true` here, which a condition needs",
                        cond.left.span,
                    );
                    let message = message.code(codes::UNKNOWN_NAME);
                    self.messages
                        .push(message.help("include it: `library Boolean endlib`, or write `V1 = V2`"));
                    return None;
                };
                Some((self.value(&cond.left, bool)?, Term::Apply(truth, Box::default())))
            }
        }
    }

    /// Two values of one sort.
    pub(crate) fn equal(&mut self, left: &Expr, right: &Expr, sort: Option<SortId>) -> Option<(Term, Term)> {
        if let Some(sort) = sort {
            let left = self.value(left, sort);
            return Some((left?, self.value(right, sort)?));
        }
        let (lefts, rights) = (self.readings(left), self.readings(right));
        let (lefts, rights) = (lefts?, rights?);
        let common: Vec<SortId> = lefts
            .iter()
            .map(|reading| reading.sort)
            .filter(|sort| rights.iter().any(|reading| reading.sort == *sort))
            .collect();
        match common.as_slice() {
            [sort] => {
                let pick =
                    |readings: &[Reading]| readings.iter().find(|reading| reading.sort == *sort).cloned();
                let (one, other) = (pick(&lefts)?, pick(&rights)?);
                Some((self.chosen(&one, left)?, self.chosen(&other, right)?))
            }
            [] => {
                let (one, other) = (
                    self.list_sorts(lefts.iter().map(|reading| reading.sort)),
                    self.list_sorts(rights.iter().map(|reading| reading.sort)),
                );
                self.wrong(format!("the left side is of sort {one}, the right side of sort {other}"), right);
                None
            }
            _ => {
                let found = self.list_sorts(common.iter().copied());
                self.ambiguous(format!("both sides may be of sort {found}"), left);
                None
            }
        }
    }

    fn chosen(&mut self, reading: &Reading, expr: &Expr) -> Option<Term> {
        if reading.ambiguous {
            self.ambiguous("more than one operation fits here".to_owned(), expr);
            return None;
        }
        Some(reading.term.clone())
    }

    fn readings(&mut self, expr: &Expr) -> Option<Vec<Reading>> {
        let (name, args) = match &expr.kind {
            ExprKind::Of(inner, name) => {
                let Some(&sort) = self.visible.sorts.get(&name.name) else {
                    let word = self.sources.text(name.span);
                    let message = self.sources.error(format!("there is no sort `{word}` here"), name.span);
                    self.messages.push(message.code(codes::UNKNOWN_NAME));
                    return None;
                };
                let term = self.value(inner, sort)?;
                return Some(vec![Reading { sort, term, ambiguous: false }]);
            }
            ExprKind::Apply(name, args) => (name, args),
        };
        if args.is_empty()
            && let Some((_, sort, slot)) = self.variables.iter().rev().find(|(other, ..)| *other == name.name)
        {
            // What is wrong with its sort was said.
            let reading = Reading { sort: *sort, term: Term::Variable(*slot), ambiguous: false };
            return (*sort != UNKNOWN).then(|| vec![reading]);
        }
        // All arguments are looked at, so that all that is wrong is said.
        let args: Vec<Option<Vec<Reading>>> = args.iter().map(|arg| self.readings(arg)).collect();
        let args: Vec<Vec<Reading>> = args.into_iter().collect::<Option<_>>()?;
        let mut readings: Vec<Reading> = Vec::new();
        let known: &[OpId] = self.visible.ops.get(&name.name).map_or(&[], Vec::as_slice);
        for &op in known {
            let DeclaredOp { args: sorts, result, .. } = &self.ops[op as usize];
            if sorts.len() != args.len() {
                continue;
            }
            let picked: Option<Vec<&Reading>> = sorts
                .iter()
                .zip(&args)
                .map(|(sort, readings)| readings.iter().find(|reading| reading.sort == *sort))
                .collect();
            let Some(picked) = picked else { continue };
            if let Some(other) = readings.iter_mut().find(|reading| reading.sort == *result) {
                other.ambiguous = true;
                continue;
            }
            let ambiguous = picked.iter().any(|reading| reading.ambiguous);
            let term = Term::Apply(op, picked.into_iter().map(|reading| reading.term.clone()).collect());
            readings.push(Reading { sort: *result, term, ambiguous });
        }
        if args.is_empty() && name.name.bytes().all(|byte| byte.is_ascii_digit()) {
            self.literals(&name.name, &mut readings);
        }
        if !readings.is_empty() {
            return Some(readings);
        }
        let word = self.sources.text(name.span).to_owned();
        if known.is_empty() {
            let what = if args.is_empty() { "value" } else { "operation" };
            let mut message = self.sources.error(format!("there is no {what} `{word}` here"), name.span);
            let variables = self.variables.iter().map(|(name, ..)| &**name);
            let names = self.visible.ops.keys().map(|name| &**name).chain(variables);
            if let Some(near) = nearest(&name.name, names) {
                message = message.help(format!("is `{near}` meant?"));
            } else if self.ops.iter().any(|op| op.name == name.name) {
                message = message.help("the type that declares it must be imported here");
            }
            self.messages.push(message.code(codes::UNKNOWN_NAME));
            return None;
        }
        let given: Vec<String> = args
            .iter()
            .map(|readings| self.list_sorts(readings.iter().map(|reading| reading.sort)))
            .collect();
        let show = |sorts: &str| if sorts.is_empty() { "nothing".to_owned() } else { sorts.to_owned() };
        let text = format!("no operation `{word}` takes {}", show(&given.join(", ")));
        let mut wanted: Vec<String> = Vec::new();
        for &op in known {
            let sorts: Vec<&str> =
                self.ops[op as usize].args.iter().map(|&sort| self.sort_name(sort)).collect();
            let sorts = show(&sorts.join(", "));
            if !wanted.contains(&sorts) {
                wanted.push(sorts);
            }
        }
        let help = format!("it takes {}", wanted.join("; or "));
        let message = self.sources.error(text, expr.span).code(codes::WRONG_USE);
        self.messages.push(message.help(help));
        None
    }

    /// Numbers that no type declares are those of our own libraries.
    fn literals(&self, digits: &str, readings: &mut Vec<Reading>) {
        let Ok(number) = digits.parse::<i32>() else { return };
        let mut sorts: Vec<SortId> = self.visible.sorts.values().copied().collect();
        sorts.sort_unstable();
        sorts.dedup();
        for sort in sorts {
            let is_number = self.sorts[sort as usize].builtin.is_some();
            if is_number && !readings.iter().any(|reading| reading.sort == sort) {
                let term = Term::Number(sort, number.into());
                readings.push(Reading { sort, term, ambiguous: false });
            }
        }
    }

    fn sort_name(&self, sort: SortId) -> &str {
        &self.sorts[sort as usize].name
    }

    fn list_sorts(&self, sorts: impl Iterator<Item = SortId>) -> String {
        let names: Vec<String> = sorts.map(|sort| format!("`{}`", self.sort_name(sort))).collect();
        names.join(" or ")
    }

    fn wrong(&mut self, text: String, expr: &Expr) {
        self.messages.push(self.sources.error(text, expr.span).code(codes::WRONG_USE));
    }

    fn ambiguous(&mut self, text: String, expr: &Expr) {
        let message = self.sources.error(text, expr.span).code(codes::WRONG_USE);
        self.messages.push(message.help("say which is meant: `(...) of SORT`"));
    }
}
