//! `atomic` and `d_step`.
//!
//! A deterministic sequence is one command with a body of inner locations, of which always the first executable command
//! is taken. Sequences within it are blocks. Five things about it are SPIN's and nobody else's
//! (`docs/promela-semantics.md`, section 5):
//!
//! * One that begins with `else` is executable where an `else` would be. The IR has no such guard, so an `else` goes
//!   before it, as an atomic step: the state in between is no state of the system.
//! * An option within it that begins with a block or a selection is taken without asking whether what it begins with can
//!   be executed; if not, the sequence is blocked, which is an error.
//! * Whether one that begins with a selection can be executed is asked of those options only that begin with a
//!   condition, a send, a receive or `else`: one that begins with an assignment does not count. If no option
//!   counts, it can.
//! * A send within it can be executed where the channel is not full, whether or not anyone receives. At a rendez-vous
//!   channel it always can, and that is an error: nobody can be met within a sequence.
//! * One that begins with a jump can be executed.

use super::{Builder, ElementId, Kind};
use crate::model::{Access, Expr, ExprKind, Pattern, Sequence, Stmt, StmtKind};
use crate::sources::Span;
use elnath_program::ir::{self, Guard, Sync};

impl Builder<'_, '_> {
    pub(super) fn atomic(&mut self, body: &Sequence, next: ElementId, span: Span) -> ElementId {
        let made = self.number();
        let outer = std::mem::replace(&mut self.in_atomic, true);
        let begin = self.elements.len();
        let first = self.sequence(&body.statements, next);
        self.in_atomic = outer;
        if first == next {
            return next;
        }
        // Everything goes on atomically except the last element, unless another atomic sequence goes on around this one.
        if !outer && let Some(last) = self.last_of(&body.statements, begin) {
            self.elements[last.0].atomic = false;
            if let Some(otherwise) = self.elements.get_mut(last.0 + 1)
                && matches!(otherwise.kind, Kind::DeterministicElse)
            {
                otherwise.atomic = false;
            }
        }
        self.numbered(made, Kind::Block(first), Some(next), span)
    }

    /// The last element of a sequence that was built from element `begin` on. Elements are made from the last statement
    /// to the first, and a construct makes its closing element first.
    fn last_of(&self, statements: &[Stmt], begin: usize) -> Option<ElementId> {
        let makes_none = |stmt: &&Stmt| matches!(stmt.kind, StmtKind::Exclusive(..));
        let last = statements.iter().rev().find(|stmt| !makes_none(stmt))?;
        match &last.kind {
            StmtKind::Block(body) | StmtKind::Inline(_, body) | StmtKind::Atomic(body) => {
                self.last_of(&body.statements, begin)
            }
            StmtKind::DStep(_) => {
                // Its own element was made after those of its body.
                (begin..self.elements.len())
                    .map(ElementId)
                    .find(|&id| matches!(self.get(id).kind, Kind::Deterministic(..)))
            }
            _ => Some(ElementId(begin)),
        }
    }

    pub(super) fn deterministic(&mut self, body: &Sequence, next: ElementId, span: Span) -> ElementId {
        let made = self.number();
        let outer = std::mem::replace(&mut self.in_atomic, false);
        let escapes = std::mem::take(&mut self.escapes);
        self.in_d_step = true;
        let end = self.element(Kind::DeterministicEnd, None, span);
        let first = self.sequence(&body.statements, end);
        let first = self.asked_before(body, first, span);
        self.in_d_step = false;
        self.in_atomic = outer;
        self.escapes = escapes;
        let sequence = self.numbered(made, Kind::Deterministic(first, end), Some(next), span);
        match leading(body) {
            Some(Stmt { kind: StmtKind::Else, .. }) => {
                self.named("else", Kind::DeterministicElse, Some(sequence), span)
            }
            _ => sequence,
        }
    }

    /// Puts before the first element of a deterministic sequence what SPIN asks to see whether it can be executed, if that
    /// is not what its options begin with. The tests lead to the first element. A receive may also be half of a
    /// rendez-vous, which no test can foresee, so that it stands behind the tests itself.
    fn asked_before(&mut self, body: &Sequence, first: ElementId, span: Span) -> ElementId {
        let mut asked = Asked::default();
        match leading(body).map(|stmt| &stmt.kind) {
            Some(StmtKind::If(options) | StmtKind::Do(options)) => self.ask(options, &mut asked),
            Some(StmtKind::Goto(_)) => asked.passes_over = true,
            _ => return first,
        }
        if !asked.passes_over {
            return first;
        }
        let origin = self.origin;
        let mut tests: Vec<ElementId> = Vec::new();
        for guard in asked.guards {
            tests.push(self.step(guard, Sync::None, Vec::new(), first, span));
        }
        self.leading_receives(first, 0, &mut tests);
        let test = match tests[..] {
            [] => self.skip(".(goto)", first, span),
            _ => self.element(Kind::Selection(tests), Some(first), span),
        };
        self.origin = origin;
        test
    }

    /// The receives among the elements that a selection begins with.
    fn leading_receives(&self, at: ElementId, depth: usize, found: &mut Vec<ElementId>) {
        if depth > self.elements.len() {
            return;
        }
        match &self.get(at).kind {
            Kind::Selection(options) => {
                options.iter().for_each(|&option| self.leading_receives(option, depth + 1, found));
            }
            Kind::Block(first) => self.leading_receives(*first, depth + 1, found),
            Kind::Step { sync: Sync::Receive { .. }, .. } => found.push(at),
            _ => {}
        }
    }

    fn ask(&mut self, options: &[Sequence], asked: &mut Asked) {
        for option in options {
            let Some(first) = option.statements.iter().find(|stmt| !is_exclusive(stmt)) else { continue };
            match &first.kind {
                StmtKind::Else | StmtKind::Expr(Expr { kind: ExprKind::Run { .. }, .. }) => {
                    asked.guards.push(Guard::Always);
                }
                StmtKind::Expr(expr) => {
                    let expr = self.data.expr(expr);
                    asked.guards.push(Guard::When(expr));
                }
                StmtKind::Send { channel, .. } => asked.guards.push(self.room(channel)),
                StmtKind::Receive { channel, random, fields, .. } => {
                    asked.guards.push(self.holds_message(channel, *random, fields));
                }
                StmtKind::If(inner) | StmtKind::Do(inner) => {
                    asked.passes_over = true;
                    self.ask(inner, asked);
                }
                StmtKind::Block(body)
                | StmtKind::Inline(_, body)
                | StmtKind::Atomic(body)
                | StmtKind::DStep(body) => {
                    asked.passes_over = true;
                    if let Some(Stmt { kind: StmtKind::If(inner), .. }) = body.statements.first() {
                        self.ask(inner, asked);
                    }
                }
                _ => asked.passes_over = true,
            }
        }
    }

    /// Whether a channel holds a message that a receive takes. (To poll a rendez-vous channel is an error.)
    fn holds_message(&mut self, channel: &Access, random: bool, fields: &[Pattern]) -> Guard {
        let field = |field: &Pattern| match field {
            Pattern::Bind(_) => ir::Pattern::Any,
            other => self.data.pattern(other),
        };
        let mut patterns: Vec<ir::Pattern> = fields.iter().map(field).collect();
        // Fields too many are an error of the receive, not of the test.
        while patterns.last() == Some(&ir::Pattern::Any) {
            patterns.pop();
        }
        let number = Box::new(self.data.load(channel));
        let some = ir::Expr::Channel(ir::ChannelQuery::NotEmpty, number.clone());
        let poll = ir::Expr::Poll { channel: number, patterns, random, ahead: 0 };
        Guard::When(ir::Expr::Binary(ir::Binary::And, Box::new([some, poll])))
    }

    /// The test before a send that a deterministic sequence or an option within one begins with: whether it goes on is
    /// decided without asking whether anyone receives, and then it must be possible to send.
    pub(super) fn test_room(&mut self, channel: &Access, send: ElementId, span: Span) -> ElementId {
        let guard = self.room(channel);
        let origin = self.origin;
        let test = self.step(guard, Sync::None, Vec::new(), send, span);
        self.origin = origin;
        test
    }

    /// Whether a channel is not full, which a rendez-vous channel never is.
    fn room(&mut self, channel: &Access) -> Guard {
        let channel = Box::new(self.data.load(channel));
        Guard::When(ir::Expr::Channel(ir::ChannelQuery::NotFull, channel))
    }
}

/// What is asked of the options of a selection that a deterministic sequence begins with.
#[derive(Default)]
struct Asked {
    guards: Vec<Guard>,
    /// There is an option that does not count.
    passes_over: bool,
}

/// The statement that a sequence begins with, blocks looked into.
fn leading(body: &Sequence) -> Option<&Stmt> {
    let first = body.statements.iter().find(|stmt| !is_exclusive(stmt))?;
    match &first.kind {
        StmtKind::Block(body)
        | StmtKind::Inline(_, body)
        | StmtKind::Atomic(body)
        | StmtKind::DStep(body) => leading(body),
        _ => Some(first),
    }
}

fn is_exclusive(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Exclusive(..))
}
