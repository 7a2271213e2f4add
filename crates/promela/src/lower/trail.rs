//! The numbers by which SPIN's trails name statements.
//!
//! A trail is a list of lines `depth:process:statement`, and the statement is the number of the *element* (see `graph`)
//! that was executed. SPIN counts elements from 0, over all process types, claims and traces of the text, in the order in
//! which its parser completes them: a construct after its parts, and its join after itself. An `ltl` block comes after
//! everything else, so it disturbs nothing. Found with `pan -d`, which prints the numbers as `id`.
//!
//! The graph is built from the last statement to the first, so the numbers cannot be given on the way. Instead the
//! graph notes for each element which statement made it, and as that statement's how-manieth ([`Origin`]); this module
//! walks the text forwards and says which number each of them has.

use super::graph::options_of_select;
use crate::model::{Label, Model, Sequence, Stmt, StmtKind};
use std::collections::HashMap;

/// Who made an element: the address of the statement (0 for the closing brace of a process), and how many elements the
/// statement had made before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Origin {
    pub(super) stmt: usize,
    pub(super) nth: u32,
}

impl Origin {
    /// The closing brace.
    pub(super) const END: Origin = Origin { stmt: 0, nth: 0 };

    /// The first element of a statement.
    pub(super) fn first(stmt: &Stmt) -> Self {
        Origin { stmt: std::ptr::from_ref(stmt).addr(), nth: 0 }
    }
}

/// The number of every command of a program in SPIN's trails.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrailTable {
    /// By process type and command.
    ids: Vec<Vec<Option<u32>>>,
}

impl TrailTable {
    /// The number of a command, if it has one.
    pub fn id(&self, process: usize, command: usize) -> Option<u32> {
        *self.ids.get(process)?.get(command)?
    }

    pub(super) fn push(&mut self, numbers: &Numbers<'_>, origins: &[Origin]) {
        self.ids.push(origins.iter().map(|origin| numbers.ids.get(origin).copied()).collect());
    }
}

/// The numbers of all elements of a model: one table per process type or claim, in the order of the text.
pub(super) fn number(model: &Model) -> Vec<Numbers<'_>> {
    let (mut all, mut next) = (Vec::new(), 0);
    for process in &model.processes {
        let mut numbers = Numbers { first: next, next, ids: HashMap::new(), labels: &process.labels };
        numbers.sequence(&process.body);
        numbers.give(Origin::END);
        next = numbers.next;
        all.push(numbers);
    }
    all
}

/// The numbers of the elements of one process.
pub(super) struct Numbers<'m> {
    first: u32,
    next: u32,
    ids: HashMap<Origin, u32>,
    labels: &'m [Label],
}

impl Numbers<'_> {
    /// What `pc_value` is at an element: elements are counted from 1 in each process type.
    pub(super) fn within_process(&self, origin: Origin) -> Option<u32> {
        self.ids.get(&origin).map(|id| id - self.first + 1)
    }

    fn give(&mut self, origin: Origin) {
        self.ids.insert(origin, self.next);
        self.next += 1;
    }

    /// Numbers elements of a statement, given by the order in which the graph makes them.
    fn own(&mut self, stmt: &Stmt, made: impl IntoIterator<Item = u32>) {
        for nth in made {
            self.give(Origin { nth, ..Origin::first(stmt) });
        }
    }

    fn sequence(&mut self, sequence: &Sequence) {
        for stmt in &sequence.statements {
            self.parts(stmt);
            self.itself(stmt);
        }
    }

    /// What SPIN's parser completes before the statement itself.
    fn parts(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::If(options) | StmtKind::Do(options) => {
                options.iter().for_each(|option| self.sequence(option));
            }
            StmtKind::Atomic(body)
            | StmtKind::DStep(body)
            | StmtKind::Block(body)
            | StmtKind::Inline(_, body) => self.sequence(body),
            // The first assignment and the condition; the body; the increment, `else` and `break`.
            StmtKind::For { body, .. } => {
                self.own(stmt, [7, 6]);
                self.sequence(body);
                self.own(stmt, [5, 4, 3]);
            }
            // The same with a receive and a send before the body.
            StmtKind::ForMessages { body, .. } => {
                self.own(stmt, [9, 8, 7, 6]);
                self.sequence(body);
                self.own(stmt, [5, 4, 3]);
            }
            StmtKind::Unless(main, escape) => {
                // Of a block, only the contents count here. Any other part is put into a sequence of its own when both
                // are known, and there the escape comes first.
                self.parts(main);
                self.parts(escape);
                for part in [escape, main] {
                    if !matches!(part.kind, StmtKind::Block(_) | StmtKind::Inline(..)) {
                        self.itself(part);
                    }
                }
            }
            _ => {}
        }
    }

    /// The elements of the statement that SPIN's parser makes when its parts are complete.
    fn itself(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Exclusive(..) => {}
            // The join, though made first, comes last; the block and the d_step have none.
            StmtKind::If(_) | StmtKind::Unless(..) => self.own(stmt, [1, 0]),
            StmtKind::Do(_) | StmtKind::For { .. } | StmtKind::ForMessages { .. } => {
                self.own(stmt, [2, 1, 0]);
            }
            StmtKind::Select { from, to, literal, .. } => match options_of_select(from, to, *literal) {
                Some(values) => {
                    let options = values.count() as u32;
                    self.own(stmt, 1..=options);
                    self.own(stmt, [options + 1, 0]);
                }
                None => self.own(stmt, [6, 5, 4, 3, 2, 1, 0]),
            },
            StmtKind::DStep(_) => self.own(stmt, [1]),
            StmtKind::Goto(_) | StmtKind::Break => self.jump(stmt),
            _ => self.own(stmt, [0]),
        }
    }

    /// A step that is put before a jump for a special label is made after it. For a label that is only looked at from
    /// outside, the jump itself becomes the step. (Such a reference also costs SPIN a number where it stands, which is
    /// not done here: trails of such models do not cross over.)
    fn jump(&mut self, stmt: &Stmt) {
        let is_special = |label: &Label| label.is_end() || label.is_progress() || label.is_accept();
        self.own(stmt, [0]);
        if !stmt.labels.iter().any(|id| is_special(&self.labels[id.index()])) {
            self.next -= 1;
        }
        self.own(stmt, [1]);
    }
}
