//! Labels, jumps, and statements nobody can reach.
//!
//! A label belongs to its process, except that each expansion of an inline has labels of its own (otherwise an inline
//! with a label could be used only once); a `goto` looks for its label from the inside out. The table is made before the
//! statements are checked, because most jumps go forward. Statements and labels are then met again in the same order, so
//! a [`Position`] that counts is all that is needed to find them back.

use std::collections::HashMap;
use std::sync::Arc;

use crate::ast::{Sequence, Stmt, StmtKind};
use crate::model::{Label, LabelId};
use crate::sources::Span;

/// The labels of a process in the order of the text.
#[derive(Clone, Debug, Default)]
pub(super) struct LabelTable {
    entries: Vec<Entry>,
    /// The first label of each name in each expansion, and anywhere.
    within: HashMap<(Arc<str>, usize), usize>,
    anywhere: HashMap<Arc<str>, usize>,
    /// For each expansion of an inline, the one around it; number 0 is the process itself.
    parents: Vec<usize>,
    d_steps: usize,
}

#[derive(Clone, Debug)]
struct Entry {
    name: Arc<str>,
    span: Span,
    inline: usize,
    /// Which `d_step` it stands in; 0 is none.
    d_step: usize,
}

/// Where the walk over the statements is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Position {
    pub(super) labels_met: usize,
    pub(super) inlines_met: usize,
    pub(super) d_steps_met: usize,
    /// The inline and the `d_step` around this place, 0 if none.
    pub(super) inline: usize,
    pub(super) d_step: usize,
    /// Loops around this place, and how many of them are inside the `d_step`.
    pub(super) loops: usize,
    pub(super) loops_in_d_step: usize,
}

/// What a `goto` finds.
pub(super) enum Jump {
    To(LabelId),
    /// The label exists, but a `d_step` is in the way.
    AcrossDStep(LabelId),
    Nowhere,
}

impl LabelTable {
    pub(super) fn collect(body: &Sequence) -> Self {
        let mut table = LabelTable { parents: vec![0], ..LabelTable::default() };
        table.sequence(body, 0, 0);
        for (index, entry) in table.entries.iter().enumerate() {
            table.within.entry((entry.name.clone(), entry.inline)).or_insert(index);
            table.anywhere.entry(entry.name.clone()).or_insert(index);
        }
        table
    }

    pub(super) fn labels(&self) -> Vec<Label> {
        self.entries.iter().map(|entry| Label { name: entry.name.clone(), span: entry.span }).collect()
    }

    pub(super) fn names(&self) -> Vec<Arc<str>> {
        self.entries.iter().map(|entry| entry.name.clone()).collect()
    }

    /// Name, second place, first place of each label that is declared twice in the same process or expansion.
    pub(super) fn duplicates(&self) -> Vec<(Arc<str>, Span, Span)> {
        let mut first = HashMap::new();
        let mut duplicates = Vec::new();
        for entry in &self.entries {
            let known = *first.entry((&entry.name, entry.inline)).or_insert(entry.span);
            if known != entry.span {
                duplicates.push((entry.name.clone(), entry.span, known));
            }
        }
        duplicates
    }

    pub(super) fn find(&self, name: &Arc<str>, from: Position) -> Jump {
        let mut inline = from.inline;
        loop {
            if let Some(&index) = self.within.get(&(name.clone(), inline)) {
                return self.jump(index, from.d_step);
            }
            if inline == 0 {
                break;
            }
            inline = self.parents[inline];
        }
        // A jump into an inline from outside: SPIN allows it, whatever it may be good for.
        match self.anywhere.get(name) {
            Some(&index) => self.jump(index, from.d_step),
            None => Jump::Nowhere,
        }
    }

    /// The label another process means by `p@name`.
    pub(super) fn remote(&self, name: &Arc<str>) -> Option<LabelId> {
        let index = self.within.get(&(name.clone(), 0)).or_else(|| self.anywhere.get(name))?;
        Some(LabelId(*index as u32))
    }

    fn jump(&self, index: usize, d_step: usize) -> Jump {
        let label = LabelId(index as u32);
        if self.entries[index].d_step == d_step { Jump::To(label) } else { Jump::AcrossDStep(label) }
    }

    fn sequence(&mut self, sequence: &Sequence, inline: usize, d_step: usize) {
        for statement in &sequence.statements {
            self.statement(statement, inline, d_step);
        }
    }

    fn statement(&mut self, statement: &Stmt, inline: usize, d_step: usize) {
        for label in &statement.labels {
            self.entries.push(Entry { name: label.text.clone(), span: label.span, inline, d_step });
        }
        match &statement.kind {
            StmtKind::If(options) | StmtKind::Do(options) => {
                for option in options {
                    self.sequence(option, inline, d_step);
                }
            }
            StmtKind::For { body, .. } | StmtKind::ForIn { body, .. } => self.sequence(body, inline, d_step),
            StmtKind::Atomic(body) | StmtKind::Block(body) => self.sequence(body, inline, d_step),
            StmtKind::DStep(body) => {
                self.d_steps += 1;
                // A d_step within a d_step is the same d_step.
                let d_step = if d_step == 0 { self.d_steps } else { d_step };
                self.sequence(body, inline, d_step);
            }
            StmtKind::Inline { body, .. } => {
                self.parents.push(inline);
                self.sequence(body, self.parents.len() - 1, d_step);
            }
            StmtKind::Unless(main, escape) => {
                self.statement(main, inline, d_step);
                self.statement(escape, inline, d_step);
            }
            _ => {}
        }
    }
}

/// The first statement of a sequence that control cannot reach, judged by jumps alone (a label anywhere in a statement
/// counts as a way in).
pub(super) fn unreachable(sequence: &Sequence) -> Option<&Stmt> {
    let pairs = sequence.statements.windows(2);
    pairs.filter(|pair| diverts(&pair[0]) && !has_label(&pair[1])).map(|pair| &pair[1]).next()
}

/// Control never comes out at the end of this statement.
fn diverts(statement: &Stmt) -> bool {
    let ends = |sequence: &Sequence| sequence.statements.last().is_some_and(diverts);
    match &statement.kind {
        StmtKind::Goto(_) | StmtKind::Break => true,
        StmtKind::If(options) => options.iter().all(ends),
        StmtKind::Do(options) => !options.iter().any(breaks),
        StmtKind::Atomic(body) | StmtKind::DStep(body) | StmtKind::Block(body) => ends(body),
        _ => false,
    }
}

/// There is a `break` in here that leaves the loop around it.
fn breaks(sequence: &Sequence) -> bool {
    sequence.statements.iter().any(statement_breaks)
}

fn statement_breaks(statement: &Stmt) -> bool {
    match &statement.kind {
        StmtKind::Break => true,
        StmtKind::If(options) => options.iter().any(breaks),
        StmtKind::Atomic(body) | StmtKind::DStep(body) | StmtKind::Block(body) => breaks(body),
        StmtKind::Inline { body, .. } => breaks(body),
        StmtKind::Unless(main, escape) => statement_breaks(main) || statement_breaks(escape),
        _ => false,
    }
}

fn has_label(statement: &Stmt) -> bool {
    let inside = |sequence: &Sequence| sequence.statements.iter().any(has_label);
    if !statement.labels.is_empty() {
        return true;
    }
    match &statement.kind {
        StmtKind::If(options) | StmtKind::Do(options) => options.iter().any(inside),
        StmtKind::For { body, .. } | StmtKind::ForIn { body, .. } => inside(body),
        StmtKind::Atomic(body) | StmtKind::DStep(body) | StmtKind::Block(body) => inside(body),
        StmtKind::Inline { body, .. } => inside(body),
        StmtKind::Unless(main, escape) => has_label(main) || has_label(escape),
        // A declaration is no statement to its author.
        StmtKind::Decl(_) => true,
        _ => false,
    }
}
