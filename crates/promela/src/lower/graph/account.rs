//! Every statement is accounted for: it becomes at least one element, and what can be reached becomes a command.
//!
//! A lowering that forgets a statement gives a program that looks right and proves the wrong thing, so this is checked
//! in every build. Two halves:
//!
//! * Each statement of the tree was lowered to an element, or is one of those that by rule make none
//!   ([`makes_none`]), or was dropped by a rule that says so where it drops it ([`Account::dropped`]).
//! * Each element that is a step, and to which control can come, has a command. Control is followed here from element to
//!   element without the rules about where a process rests, so that a mistake in those does not hide itself.
//!
//! That commands are executed is the interpreter's part; what it relies on (such as no deterministic sequence within
//! another) is what `verify` checks.

use super::{Builder, ElementId, Kind};
use crate::lower::trail::Origin;
use crate::model::{Sequence, Stmt, StmtKind};
use crate::sources::Span;
use std::collections::HashSet;

/// What became of the statements of a process. A statement is known by its address.
#[derive(Default)]
pub(super) struct Account {
    handled: HashSet<usize>,
    /// The elements that have a command.
    pub(super) commanded: HashSet<ElementId>,
    /// The elements whose steps a process can take from where it rests: only there escapes compete with them. What an
    /// escape begins with may have escapes of its own, which SPIN does not look at when it enters the first.
    pub(super) resting: HashSet<ElementId>,
    /// Those that can never be executed where they stand, and need none.
    pub(super) dead: HashSet<ElementId>,
}

impl Account {
    /// A statement was lowered to so many elements.
    pub(super) fn lowered(&mut self, stmt: &Stmt, elements: usize) {
        if elements > 0 || makes_none(stmt) {
            self.handled.insert(Origin::first(stmt).stmt);
        }
    }

    /// A statement is left out, by a rule.
    pub(super) fn dropped(&mut self, stmt: &Stmt) {
        self.handled.insert(Origin::first(stmt).stmt);
    }
}

/// Statements that are no step: `xr` and `xs`, and blocks in which there is nothing else.
fn makes_none(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Exclusive(..) => true,
        StmtKind::Block(body)
        | StmtKind::Inline(_, body)
        | StmtKind::Atomic(body)
        | StmtKind::DStep(body) => body.statements.iter().all(makes_none),
        _ => false,
    }
}

impl Builder<'_, '_> {
    /// Complains about every statement that was lost.
    pub(super) fn account_for(&mut self, body: &Sequence) {
        let mut lost = Vec::new();
        for_each(body, &mut |stmt| {
            if !self.account.handled.contains(&Origin::first(stmt).stmt) {
                lost.push(stmt.span);
            }
        });
        lost.extend(self.reached_without_command());
        for span in lost {
            self.data.complain("internal error: this statement was lost; please report it", span);
        }
    }

    /// The steps to which control can come and that have no command.
    fn reached_without_command(&self) -> Vec<Span> {
        let Some(first) = self.first else { return Vec::new() };
        let (mut seen, mut waiting, mut lost) = (HashSet::from([first]), vec![first], Vec::new());
        while let Some(id) = waiting.pop() {
            let element = self.get(id);
            let commanded = self.account.commanded.contains(&id);
            if !commanded && self.account.dead.contains(&id) {
                continue;
            }
            let mut follow = |id: ElementId| {
                if seen.insert(id) {
                    waiting.push(id);
                }
            };
            match &element.kind {
                Kind::Goto(_) | Kind::Break(_) | Kind::Join | Kind::BreakTarget => {
                    self.passed_to(id).into_iter().for_each(follow);
                    continue;
                }
                Kind::Selection(options) => {
                    options.iter().copied().for_each(follow);
                    continue;
                }
                Kind::Block(first) | Kind::Unless(first) => {
                    follow(*first);
                    continue;
                }
                Kind::DeterministicEnd => continue,
                Kind::Deterministic(first, _) => follow(*first),
                Kind::Step { .. } | Kind::Event(_) | Kind::DeterministicElse | Kind::End => {}
            }
            if self.account.resting.contains(&id) {
                element.escapes.iter().copied().for_each(&mut follow);
            }
            element.next.iter().copied().for_each(&mut follow);
            if !commanded {
                lost.push(element.span);
            }
        }
        lost
    }
}

/// Visits every statement of a sequence, and those within them.
fn for_each<'s>(sequence: &'s Sequence, visit: &mut impl FnMut(&'s Stmt)) {
    for stmt in &sequence.statements {
        within(stmt, visit);
    }
}

fn within<'s>(stmt: &'s Stmt, visit: &mut impl FnMut(&'s Stmt)) {
    visit(stmt);
    match &stmt.kind {
        StmtKind::If(options) | StmtKind::Do(options) => {
            options.iter().for_each(|option| for_each(option, visit));
        }
        StmtKind::For { body, .. } | StmtKind::ForMessages { body, .. } => for_each(body, visit),
        StmtKind::Atomic(body)
        | StmtKind::DStep(body)
        | StmtKind::Block(body)
        | StmtKind::Inline(_, body) => for_each(body, visit),
        StmtKind::Unless(main, escape) => {
            within(main, visit);
            within(escape, visit);
        }
        StmtKind::Declare(_)
        | StmtKind::Exclusive(..)
        | StmtKind::Expr(_)
        | StmtKind::Else
        | StmtKind::Assign(..)
        | StmtKind::Send { .. }
        | StmtKind::Receive { .. }
        | StmtKind::Event { .. }
        | StmtKind::Select { .. }
        | StmtKind::Goto(_)
        | StmtKind::Break
        | StmtKind::Printf(..)
        | StmtKind::Printm(_)
        | StmtKind::Assert(_)
        | StmtKind::SetPriority(..) => {}
    }
}
