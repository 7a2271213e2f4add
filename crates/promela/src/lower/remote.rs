//! Which labels are referred to from outside their process: SPIN gives a jump with such a label a step of its own, so that
//! somebody can be seen there.

use crate::model::{
    Access, Expr, ExprKind, Formula, FormulaKind, Initial, LabelId, Model, Pattern, ProcessId, Sequence,
    Stmt, StmtKind, Target,
};
use std::collections::HashSet;

/// All labels that occur in remote references of a model, its claims and its formulas.
pub(super) fn labels(model: &Model) -> HashSet<(ProcessId, LabelId)> {
    let mut found = Found(HashSet::new());
    for process in &model.processes {
        process.provided.iter().for_each(|expr| found.expr(expr));
        found.sequence(&process.body);
    }
    for variable in &model.variables {
        match &variable.init {
            Some(Initial::Value(expr)) => found.expr(expr),
            Some(Initial::List(values)) => values.iter().for_each(|expr| found.expr(expr)),
            Some(Initial::Channel(_)) | None => {}
        }
    }
    model.formulas.iter().for_each(|ltl| found.formula(&ltl.formula));
    model.propositions.iter().for_each(|expr| found.expr(expr));
    found.0
}

struct Found(HashSet<(ProcessId, LabelId)>);

impl Found {
    fn sequence(&mut self, sequence: &Sequence) {
        sequence.statements.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Expr(expr) | StmtKind::Assert(expr) | StmtKind::Printm(expr) => self.expr(expr),
            StmtKind::Assign(target, expr) => {
                if let Target::Variable(access) = target {
                    self.access(access);
                }
                self.expr(expr);
            }
            StmtKind::Send { channel, fields, .. } => {
                self.access(channel);
                fields.iter().for_each(|field| self.expr(field));
            }
            StmtKind::Receive { channel, fields, .. } => {
                self.access(channel);
                fields.iter().for_each(|field| self.pattern(field));
            }
            StmtKind::If(options) | StmtKind::Do(options) => {
                options.iter().for_each(|option| self.sequence(option));
            }
            StmtKind::For { from, to, body, .. } => {
                self.expr(from);
                self.expr(to);
                self.sequence(body);
            }
            StmtKind::ForMessages { body, .. } => self.sequence(body),
            StmtKind::Select { from, to, .. } => {
                self.expr(from);
                self.expr(to);
            }
            StmtKind::Atomic(body)
            | StmtKind::DStep(body)
            | StmtKind::Block(body)
            | StmtKind::Inline(_, body) => {
                self.sequence(body);
            }
            StmtKind::Unless(main, escape) => {
                self.stmt(main);
                self.stmt(escape);
            }
            StmtKind::Printf(_, arguments) => arguments.iter().for_each(|argument| self.expr(argument)),
            StmtKind::SetPriority(process, priority) => {
                self.expr(process);
                self.expr(priority);
            }
            StmtKind::Event { channel, fields, .. } => {
                self.access(channel);
                fields.iter().for_each(|field| self.pattern(field));
            }
            StmtKind::Declare(_)
            | StmtKind::Exclusive(..)
            | StmtKind::Else
            | StmtKind::Goto(_)
            | StmtKind::Break => {}
        }
    }

    fn access(&mut self, access: &Access) {
        let indices =
            access.index.iter().chain(access.fields.iter().filter_map(|field| field.index.as_ref()));
        indices.for_each(|index| self.expr(index));
    }

    fn pattern(&mut self, pattern: &Pattern) {
        match pattern {
            Pattern::Bind(access) => self.access(access),
            Pattern::Match(expr) => self.expr(expr),
            Pattern::Discard => {}
        }
    }

    fn formula(&mut self, formula: &Formula) {
        match &formula.kind {
            FormulaKind::Atom(expr) => self.expr(expr),
            FormulaKind::Not(a)
            | FormulaKind::Next(a)
            | FormulaKind::Always(a)
            | FormulaKind::Eventually(a) => {
                self.formula(a);
            }
            FormulaKind::Binary(_, a, b) => {
                self.formula(a);
                self.formula(b);
            }
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Load(access) | ExprKind::Channel(_, access) => self.access(access),
            ExprKind::Unary(_, a)
            | ExprKind::Enabled(a)
            | ExprKind::PcValue(a)
            | ExprKind::GetPriority(a) => {
                self.expr(a);
            }
            ExprKind::Binary(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Conditional(parts) => {
                [&parts.0, &parts.1, &parts.2].into_iter().for_each(|part| self.expr(part));
            }
            ExprKind::Run { arguments, priority, .. } => {
                arguments.iter().chain(priority.as_deref()).for_each(|argument| self.expr(argument));
            }
            ExprKind::Poll { channel, fields, .. } => {
                self.access(channel);
                fields.iter().for_each(|field| self.pattern(field));
            }
            ExprKind::RemoteLabel { process, pid, label } => {
                self.0.insert((*process, *label));
                pid.iter().for_each(|pid| self.expr(pid));
            }
            ExprKind::RemoteVariable { pid, variable, .. } => {
                pid.iter().for_each(|pid| self.expr(pid));
                self.access(variable);
            }
            ExprKind::Number(_)
            | ExprKind::Symbol(..)
            | ExprKind::Pid
            | ExprKind::ProcessCount
            | ExprKind::Last
            | ExprKind::Timeout
            | ExprKind::NonProgress => {}
        }
    }
}
