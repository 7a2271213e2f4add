//! Statements to locations and commands, as SPIN does it (`docs/promela-semantics.md`, sections 1 to 8).
//!
//! First every statement becomes an *element* that knows the element after it. Some elements are only passed through
//! (gotos, the joins after `if` and `do`), some stand for the first elements of their parts (selections, blocks). Then
//! the elements at which a process can rest become locations, and the commands of a location are those of the first
//! elements it stands for. Two rules say where a step really leads and which elements are passed through: see
//! [`locations`], the second half.

mod account;
mod locations;
mod sequences;

use super::data::Data;
use super::trail::Origin;
use crate::model::{
    Access, BinaryOp, ChannelOp, Expr, ExprKind, Initial, LabelId, Pattern, Process, ProcessKind,
    SELECT_OPTIONS, Sequence, Stmt, StmtKind, Target, Type,
};
use crate::sources::Span;
use account::Account;
use elnath_program::EventPattern;
use elnath_program::ir::{self, Command, Effect, Guard, Loc, Location, Sync};
use std::collections::HashMap;
use std::ops::RangeInclusive;

/// A process's control structure.
pub(super) struct Built {
    pub(super) locations: Vec<Location>,
    pub(super) commands: Vec<Command>,
    /// Which element each command comes from, for SPIN's trails.
    pub(super) origins: Vec<Origin>,
    /// Which element each location is, for `pc_value`.
    pub(super) places: Vec<Origin>,
    pub(super) entry: Loc,
    /// For each command of a trace, the event it waits for.
    pub(super) events: Vec<Option<EventPattern>>,
}

/// Builds the locations and commands of a process.
pub(super) fn build(data: &mut Data<'_>, process: &Process) -> Built {
    let mut builder = Builder {
        data,
        process,
        elements: Vec::new(),
        first: None,
        labels: HashMap::new(),
        moved_labels: Vec::new(),
        break_targets: Vec::new(),
        escapes: Vec::new(),
        in_atomic: false,
        in_d_step: false,
        account: Account::default(),
        origin: Origin::END,
        generated: false,
        made: u32::MAX,
        reserved: None,
        locations: HashMap::new(),
        queue: Vec::new(),
        built: Built {
            locations: Vec::new(),
            commands: Vec::new(),
            origins: Vec::new(),
            places: Vec::new(),
            entry: Loc(0),
            events: Vec::new(),
        },
    };
    let end = builder.element(Kind::End, None, process.span);
    let first = builder.sequence(&process.body.statements, end);
    builder.first = Some(first);
    builder.flag_jumps();
    let entry = builder.hop(first, false);
    builder.built.entry = builder.location(entry);
    builder.finish();
    builder.account_for(&process.body);
    builder.built
}

/// An index into [`Builder::elements`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct ElementId(usize);

/// What SPIN would call an element.
struct Element {
    kind: Kind,
    /// What comes after it.
    next: Option<ElementId>,
    /// Executed as part of an atomic sequence that goes on after it (the A flag).
    atomic: bool,
    /// Within an atomic sequence, its last element included.
    inside_atomic: bool,
    /// Within a deterministic sequence.
    inside_d_step: bool,
    /// The first elements of the escapes it is under, outermost first.
    escapes: Vec<ElementId>,
    /// SPIN's number of it: the order in which it makes elements, which shows in [`Builder::groups`].
    made: u32,
    labels: Vec<LabelId>,
    span: Span,
    text: Option<&'static str>,
    origin: Origin,
    /// Part of a statement that stands for several, so that its text would not say which.
    generated: bool,
}

enum Kind {
    /// A statement that is a step.
    Step { guard: Guard, sync: Sync, effects: Vec<Effect> },
    /// A step of a trace.
    Event(EventPattern),
    /// `goto`.
    Goto(LabelId),
    /// `break`, to a break target.
    Break(ElementId),
    /// The join after an `if`, `do` or `unless`.
    Join,
    /// Where `break` leads.
    BreakTarget,
    /// `if`, `do`: the first elements of the options.
    Selection(Vec<ElementId>),
    /// A block or atomic sequence: its first element.
    Block(ElementId),
    /// The first element of the main sequence.
    Unless(ElementId),
    /// A deterministic sequence: its first element and where it ends.
    Deterministic(ElementId, ElementId),
    /// The end of a deterministic sequence.
    DeterministicEnd,
    /// The `else` that a deterministic sequence begins with, before the sequence itself.
    DeterministicElse,
    /// The closing brace.
    End,
}

struct Builder<'b, 'm> {
    data: &'b mut Data<'m>,
    process: &'b Process,
    elements: Vec<Element>,
    /// Where the body begins.
    first: Option<ElementId>,
    labels: HashMap<LabelId, ElementId>,
    /// Labels that SPIN moves to the target of the statement they stand before.
    moved_labels: Vec<(LabelId, ElementId)>,
    break_targets: Vec<ElementId>,
    escapes: Vec<ElementId>,
    in_atomic: bool,
    in_d_step: bool,
    /// What became of the statements.
    account: Account,
    /// Of the next element.
    origin: Origin,
    /// See [`Element::generated`].
    generated: bool,
    /// The last number given to an element, and one that is kept for the next.
    made: u32,
    reserved: Option<u32>,
    locations: HashMap<ElementId, Loc>,
    queue: Vec<ElementId>,
    built: Built,
}

impl Builder<'_, '_> {
    fn element(&mut self, kind: Kind, next: Option<ElementId>, span: Span) -> ElementId {
        let made = self.number();
        self.numbered(made, kind, next, span)
    }

    /// The next number for an element. Statements are visited from the last to the first, so numbers go down; and what
    /// SPIN makes after its parts must ask for its number before them.
    fn number(&mut self) -> u32 {
        self.reserved.take().unwrap_or_else(|| {
            self.made -= 1;
            self.made
        })
    }

    fn numbered(&mut self, made: u32, kind: Kind, next: Option<ElementId>, span: Span) -> ElementId {
        self.elements.push(Element {
            kind,
            next,
            atomic: self.in_atomic,
            inside_atomic: self.in_atomic,
            inside_d_step: self.in_d_step,
            escapes: self.escapes.clone(),
            made,
            labels: Vec::new(),
            span,
            text: None,
            origin: self.origin,
            generated: self.generated,
        });
        self.origin.nth += 1;
        ElementId(self.elements.len() - 1)
    }

    fn named(&mut self, text: &'static str, kind: Kind, next: Option<ElementId>, span: Span) -> ElementId {
        let id = self.element(kind, next, span);
        self.elements[id.0].text = Some(text);
        id
    }

    fn get(&self, id: ElementId) -> &Element {
        &self.elements[id.0]
    }

    /// Statements from the last to the first, since each must know what comes after it; the first element.
    fn sequence(&mut self, statements: &[Stmt], next: ElementId) -> ElementId {
        let mut next = next;
        for stmt in statements.iter().rev() {
            next = self.statement(stmt, next);
        }
        next
    }

    fn statement(&mut self, stmt: &Stmt, next: ElementId) -> ElementId {
        let generated = matches!(
            stmt.kind,
            StmtKind::Declare(_)
                | StmtKind::For { .. }
                | StmtKind::ForMessages { .. }
                | StmtKind::Select { .. }
        );
        let outer = std::mem::replace(&mut self.origin, Origin::first(stmt));
        let outer_generated = std::mem::replace(&mut self.generated, generated);
        let before = self.elements.len();
        let mut first = self.unlabelled(stmt, next);
        self.account.lowered(stmt, self.elements.len() - before);
        let special = |id: &LabelId| {
            let label = &self.process.labels[id.index()];
            label.is_end() || label.is_progress() || label.is_accept() || self.data.is_remote(*id)
        };
        let jump = matches!(stmt.kind, StmtKind::Goto(_) | StmtKind::Break);
        if jump && stmt.labels.iter().any(special) {
            // Nobody rests at a jump, so SPIN puts a step before it for the label to name.
            first = self.skip("(1)", first, stmt.span);
        }
        // A label before a counted loop names the loop itself: who jumps there does not begin to count anew.
        let counted = matches!(
            stmt.kind,
            StmtKind::For { .. } | StmtKind::ForMessages { .. } | StmtKind::Select { .. }
        );
        // (Not so for one that SPIN replaces as text: there the label stands before an assignment.)
        let as_text = matches!(stmt.kind, StmtKind::Select { literal: true, .. });
        let begins = counted && !as_text && matches!(self.get(first).kind, Kind::Step { .. });
        let named = self.get(first).next.filter(|_| begins).unwrap_or(first);
        for &label in &stmt.labels {
            self.labels.insert(label, named);
            self.elements[named.0].labels.push(label);
        }
        self.origin = outer;
        self.generated = outer_generated;
        first
    }

    fn skip(&mut self, text: &'static str, next: ElementId, span: Span) -> ElementId {
        let kind = Kind::Step { guard: Guard::Always, sync: Sync::None, effects: Vec::new() };
        self.named(text, kind, Some(next), span)
    }

    fn step(
        &mut self,
        guard: Guard,
        sync: Sync,
        effects: Vec<Effect>,
        next: ElementId,
        span: Span,
    ) -> ElementId {
        self.element(Kind::Step { guard, sync, effects }, Some(next), span)
    }

    fn effect(&mut self, effect: Effect, next: ElementId, span: Span) -> ElementId {
        self.step(Guard::Always, Sync::None, vec![effect], next, span)
    }

    /// Printing happens only where somebody watches, but what is printed is always computed: it may run into a fault.
    fn print(
        &mut self,
        format: String,
        arguments: Vec<(ir::Expr, Option<ir::SymbolsId>)>,
        next: ElementId,
        span: Span,
    ) -> ElementId {
        let faulty = arguments.iter().map(|(expr, _)| expr).filter(|expr| may_fail(expr));
        let mut effects: Vec<Effect> = faulty.cloned().map(evaluate).collect();
        effects.push(Effect::Print { format, arguments });
        self.step(Guard::Always, Sync::None, effects, next, span)
    }

    fn unlabelled(&mut self, stmt: &Stmt, next: ElementId) -> ElementId {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Declare(variable) => self.declare(*variable, next, span),
            StmtKind::Exclusive(..) => next,
            StmtKind::Expr(Expr { kind: ExprKind::Run { process, arguments, priority }, .. }) => {
                let run = self.run(*process, arguments, priority.as_deref(), None);
                self.effect(run, next, span)
            }
            StmtKind::Expr(expr) => {
                let guard = match expr.constant() {
                    Some(value) if value != 0 => Guard::Always,
                    _ => Guard::When(self.data.expr(expr)),
                };
                self.step(guard, Sync::None, Vec::new(), next, span)
            }
            StmtKind::Else => self.named("else", otherwise(), Some(next), span),
            StmtKind::Assign(target, Expr { kind: ExprKind::Run { process, arguments, priority }, .. }) => {
                let result = match target {
                    Target::Variable(access) => Some(self.data.lvalue(access)),
                    Target::Discard => None,
                };
                let run = self.run(*process, arguments, priority.as_deref(), result);
                self.effect(run, next, span)
            }
            StmtKind::Assign(Target::Variable(access), expr) => self.assign(access, expr, next, span),
            StmtKind::Assign(Target::Discard, expr) => {
                // The value is lost, but computing it may run into a fault.
                let expr = self.data.expr(expr);
                self.effect(evaluate(expr), next, span)
            }
            StmtKind::Send { channel, sorted, fields } => {
                let number = self.data.load(channel);
                let fields = fields.iter().map(|field| self.data.expr(field)).collect();
                let sync = Sync::Send { channel: number, fields, sorted: *sorted };
                let send = self.step(Guard::Always, sync, Vec::new(), next, span);
                if self.in_d_step { self.test_room(channel, send, span) } else { send }
            }
            StmtKind::Receive { channel, random, copy, fields } => {
                let sync = self.receive(channel, *random, *copy, fields);
                self.step(Guard::Always, sync, Vec::new(), next, span)
            }
            StmtKind::Event { channel, send, fields } => {
                let channel = self.data.load(channel);
                let fields = fields.iter().map(|field| self.data.pattern(field)).collect();
                let event = EventPattern { channel, send: *send, fields };
                self.element(Kind::Event(event), Some(next), span)
            }
            StmtKind::If(options) => self.selection(options, next, span),
            StmtKind::Do(options) => {
                self.repetition(next, span, |builder, join| builder.options(options, join))
            }
            StmtKind::For { variable, from, to, body } => {
                let turn = less_or_equal(variable, to);
                let bump = increment(variable);
                let first = self.counted_loop(&turn, next, span, |builder, join| {
                    let last = builder.assign(variable, &bump, join, span);
                    builder.sequence(&body.statements, last)
                });
                self.assign(variable, from, first, span)
            }
            StmtKind::ForMessages { counter, channel, fields, body } => {
                self.for_messages(*counter, channel, fields, body, next, span)
            }
            StmtKind::Select { variable, from, to, literal } => {
                self.select(variable, from, to, *literal, next, span)
            }
            StmtKind::Atomic(body) if !self.in_d_step => self.atomic(body, next, span),
            StmtKind::DStep(body) if !self.in_d_step => self.deterministic(body, next, span),
            // Within a deterministic sequence, further sequences are blocks: it is one step anyway.
            StmtKind::Block(body)
            | StmtKind::Inline(_, body)
            | StmtKind::Atomic(body)
            | StmtKind::DStep(body) => {
                let made = self.number();
                let first = self.sequence(&body.statements, next);
                if body.statements.is_empty() {
                    first
                } else {
                    self.numbered(made, Kind::Block(first), Some(next), span)
                }
            }
            // Nothing interrupts a deterministic sequence; but a jump may lead into the escape.
            StmtKind::Unless(main, escape) if self.in_d_step => {
                let made = self.number();
                self.part(escape, next);
                let first = self.part(main, next);
                self.numbered(made, Kind::Block(first), Some(next), span)
            }
            StmtKind::Unless(main, escape) => {
                let join = self.named(".(goto)", Kind::Join, Some(next), span);
                let unless = self.number();
                let main_number = if is_plain_block(main) { None } else { Some(self.number()) };
                let escape_first = self.part(escape, join);
                self.escapes.push(escape_first);
                self.reserved = main_number;
                let main_first = self.part(main, join);
                self.escapes.pop();
                self.numbered(unless, Kind::Unless(main_first), Some(join), span)
            }
            StmtKind::Goto(label) => self.element(Kind::Goto(*label), None, span),
            StmtKind::Break => match self.break_targets.last() {
                Some(&target) => self.named("break", Kind::Break(target), None, span),
                None => next,
            },
            StmtKind::Printf(format, arguments) => {
                let arguments = arguments
                    .iter()
                    .map(|argument| (self.data.expr(argument), self.data.symbols_of(argument)))
                    .collect();
                self.print(format.to_string(), arguments, next, span)
            }
            StmtKind::Printm(expr) => {
                let arguments = vec![(self.data.expr(expr), self.data.symbols_of(expr))];
                self.print("%e".to_owned(), arguments, next, span)
            }
            StmtKind::Assert(expr) => {
                let expr = self.data.expr(expr);
                self.effect(Effect::Assert(expr), next, span)
            }
            StmtKind::SetPriority(process, priority) => {
                let (process, priority) = (self.data.expr(process), self.data.expr(priority));
                self.effect(Effect::SetPriority { process, priority }, next, span)
            }
        }
    }

    /// One side of an `unless`. A plain block is the sequence itself, so that a jump at its beginning is passed through.
    fn part(&mut self, stmt: &Stmt, next: ElementId) -> ElementId {
        match &stmt.kind {
            StmtKind::Block(body) | StmtKind::Inline(_, body) if is_plain_block(stmt) => {
                let before = self.elements.len();
                let first = self.sequence(&body.statements, next);
                self.account.lowered(stmt, self.elements.len() - before);
                first
            }
            _ => self.statement(stmt, next),
        }
    }

    /// A declaration in the middle of a body assigns the initial value, to element 0 of an array.
    fn declare(&mut self, variable: crate::model::VarId, next: ElementId, span: Span) -> ElementId {
        let model = self.data.model;
        let Some(lvalue) = self.data.declared(variable) else { return self.skip("(1)", next, span) };
        let value = match &model.variables[variable.index()].init {
            Some(Initial::Value(expr)) => self.data.expr(expr),
            _ => ir::Expr::Const(0),
        };
        self.effect(Effect::Assign(lvalue, value), next, span)
    }

    fn run(
        &mut self,
        process: crate::model::ProcessId,
        arguments: &[Expr],
        priority: Option<&Expr>,
        result: Option<ir::Lvalue>,
    ) -> Effect {
        let arguments = self.data.arguments(arguments);
        // Only processes that exist from the start have the priority of their declaration.
        let declared = self.data.model.processes[process.index()].priority.is_some();
        let priority = match priority {
            Some(priority) => Some(self.data.expr(priority)),
            None => declared.then_some(ir::Expr::Const(1)),
        };
        Effect::Run { process: self.data.process(process), arguments, priority, result }
    }

    fn assign(&mut self, access: &Access, expr: &Expr, next: ElementId, span: Span) -> ElementId {
        let (lvalue, expr) = (self.data.lvalue(access), self.data.expr(expr));
        self.effect(Effect::Assign(lvalue, expr), next, span)
    }

    fn receive(&mut self, channel: &Access, random: bool, copy: bool, fields: &[Pattern]) -> Sync {
        let channel = self.data.load(channel);
        let patterns = fields.iter().map(|field| self.data.pattern(field)).collect();
        Sync::Receive { channel, patterns, random, copy }
    }

    /// The first element of an option, or nothing if its first statement is the constant 0.
    fn option(&mut self, option: &Sequence, next: ElementId) -> Option<ElementId> {
        let first = option.statements.first()?;
        let statements = self.without_idle_steps(&option.statements);
        let dropped = matches!(&first.kind, StmtKind::Expr(expr) if expr.constant() == Some(0));
        if dropped {
            self.account.dropped(first);
        }
        // The rest of an option that is dropped may still be the target of a jump.
        let made = if dropped { &statements[1..] } else { &statements[..] };
        let id = made.iter().rev().fold(next, |next, stmt| self.statement(stmt, next));
        if dropped {
            return None;
        }
        // Nobody rests before the first statement of an option: SPIN moves its special labels behind it.
        for &label in &first.labels {
            self.moved_labels.push((label, id));
        }
        Some(id)
    }

    /// The statements of an option that SPIN keeps: of several in a row that do nothing (`skip` and the like, and
    /// `printf`) all `skip`s but the first go, except at the very end and where there is a label. Claims keep all.
    fn without_idle_steps<'s>(&mut self, statements: &'s [Stmt]) -> Vec<&'s Stmt> {
        if self.process.kind == ProcessKind::Never {
            return statements.iter().collect();
        }
        let is_skip = |stmt: &Stmt| match &stmt.kind {
            StmtKind::Expr(expr) => matches!(expr.kind, ExprKind::Number(1) | ExprKind::Symbol(_, 1)),
            _ => false,
        };
        let prints = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Printf(..) | StmtKind::Printm(_));
        let mut kept: Vec<&Stmt> = Vec::with_capacity(statements.len());
        let mut idle = false;
        for (index, stmt) in statements.iter().enumerate() {
            if matches!(stmt.kind, StmtKind::Exclusive(..)) {
                kept.push(stmt);
                continue;
            }
            let was_idle = idle;
            idle = stmt.labels.is_empty() && (is_skip(stmt) || prints(stmt));
            let last = index + 1 == statements.len();
            if !(was_idle && idle && is_skip(stmt)) || last {
                kept.push(stmt);
            } else {
                self.account.dropped(stmt);
            }
        }
        kept
    }

    /// The first elements of the options, made from the last to the first like all elements; an `else` is the last one,
    /// since it can be executed only if nothing before it can.
    fn options(&mut self, options: &[Sequence], next: ElementId) -> Vec<ElementId> {
        let (mut first, mut otherwise) = (Vec::new(), Vec::new());
        for option in options.iter().rev() {
            let is_else = option.statements.first().is_some_and(|stmt| matches!(stmt.kind, StmtKind::Else));
            let list = if is_else { &mut otherwise } else { &mut first };
            list.extend(self.option(option, next));
        }
        first.reverse();
        first.extend(otherwise);
        first
    }

    fn selection(&mut self, options: &[Sequence], next: ElementId, span: Span) -> ElementId {
        let made = self.number();
        let join = self.named(".(goto)", Kind::Join, Some(next), span);
        let options = self.options(options, join);
        self.numbered(made, Kind::Selection(options), Some(next), span)
    }

    /// A loop whose options are made by `options`, each leading back to the join it is given.
    fn repetition(
        &mut self,
        next: ElementId,
        span: Span,
        options: impl FnOnce(&mut Self, ElementId) -> Vec<ElementId>,
    ) -> ElementId {
        let made = self.number();
        let target = self.named("break", Kind::BreakTarget, Some(next), span);
        // The join leads back to a selection that does not exist yet.
        let join = self.named(".(goto)", Kind::Join, None, span);
        let selection = self.numbered(made, Kind::Selection(Vec::new()), Some(target), span);
        self.elements[join.0].next = Some(selection);
        self.break_targets.push(target);
        let options = options(self, join);
        self.break_targets.pop();
        self.elements[selection.0].kind = Kind::Selection(options);
        selection
    }

    /// `do :: turn -> body :: else -> break od`
    fn counted_loop(
        &mut self,
        turn: &Expr,
        next: ElementId,
        span: Span,
        body: impl FnOnce(&mut Self, ElementId) -> ElementId,
    ) -> ElementId {
        self.repetition(next, span, |builder, join| {
            let target = *builder.break_targets.last().expect("this is a loop");
            let leave = builder.named("break", Kind::Break(target), None, span);
            let leave = builder.named("else", otherwise(), Some(leave), span);
            let body = body(builder, join);
            let guard = Guard::When(builder.data.expr(turn));
            let enter = builder.step(guard, Sync::None, Vec::new(), body, span);
            vec![enter, leave]
        })
    }

    fn for_messages(
        &mut self,
        counter: crate::model::VarId,
        channel: &Access,
        fields: &[Access],
        body: &Sequence,
        next: ElementId,
        span: Span,
    ) -> ElementId {
        let counter =
            Access { variable: counter, index: None, fields: Vec::new(), ty: Type::Int, span: channel.span };
        let length = Expr { kind: ExprKind::Channel(ChannelOp::Len, channel.clone()), span };
        let turn = compare(BinaryOp::Lt, &counter, length);
        let bump = increment(&counter);
        let first = self.counted_loop(&turn, next, span, |builder, join| {
            let last = builder.assign(&counter, &bump, join, span);
            let body = builder.sequence(&body.statements, last);
            let load = |access: &Access| Expr { kind: ExprKind::Load(access.clone()), span };
            let again = Sync::Send {
                channel: builder.data.load(channel),
                fields: fields.iter().map(|field| builder.data.expr(&load(field))).collect(),
                sorted: false,
            };
            let send = builder.step(Guard::Always, again, Vec::new(), body, span);
            let patterns: Vec<Pattern> = fields.iter().cloned().map(Pattern::Bind).collect();
            let take = builder.receive(channel, false, false, &patterns);
            builder.step(Guard::Always, take, Vec::new(), send, span)
        });
        self.assign(&counter, &number(0, span), first, span)
    }

    fn select(
        &mut self,
        variable: &Access,
        from: &Expr,
        to: &Expr,
        literal: bool,
        next: ElementId,
        span: Span,
    ) -> ElementId {
        if let Some(values) = options_of_select(from, to, literal) {
            let join = self.named(".(goto)", Kind::Join, Some(next), span);
            let options =
                values.map(|value| self.assign(variable, &number(value, span), join, span)).collect();
            return self.element(Kind::Selection(options), Some(next), span);
        }
        let turn = compare(BinaryOp::Lt, variable, to.clone());
        let bump = increment(variable);
        let first = self.repetition(next, span, |builder, join| {
            let target = *builder.break_targets.last().expect("this is a loop");
            let leave = builder.named("break", Kind::Break(target), None, span);
            let more = builder.assign(variable, &bump, join, span);
            let guard = Guard::When(builder.data.expr(&turn));
            let enter = builder.step(guard, Sync::None, Vec::new(), more, span);
            // The order shows in a deterministic sequence. SPIN's parser puts leaving first, so that only the lowest value
            // is chosen there; what it replaces as text has it last, and the highest value is chosen.
            if literal { vec![enter, leave] } else { vec![leave, enter] }
        });
        self.assign(variable, from, first, span)
    }

    /// A jump within an atomic sequence goes on atomically if and only if it leads into one, even where it is the last
    /// element of its own.
    fn flag_jumps(&mut self) {
        for index in 0..self.elements.len() {
            let target = match self.elements[index].kind {
                Kind::Goto(label) => self.labels.get(&label).copied(),
                Kind::Break(target) => Some(target),
                _ => continue,
            };
            let leads_into_one = target.is_some_and(|target| self.get(target).inside_atomic);
            let element = &mut self.elements[index];
            element.atomic = element.inside_atomic && leads_into_one;
        }
    }
}

/// The values of a `select` that is a selection and not a loop.
pub(super) fn options_of_select(from: &Expr, to: &Expr, literal: bool) -> Option<RangeInclusive<i32>> {
    let (low, high) = (from.constant()?, to.constant()?);
    (literal && i64::from(high) - i64::from(low) <= i64::from(SELECT_OPTIONS)).then_some(low..=high)
}

fn is_plain_block(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Block(_) | StmtKind::Inline(..)) && stmt.labels.is_empty()
}

/// Computes a value only for the fault there may be in it.
fn evaluate(expr: ir::Expr) -> Effect {
    Effect::Assert(ir::Expr::Binary(ir::Binary::Or, Box::new([expr, ir::Expr::Const(1)])))
}

/// Whether computing a value may run into a fault, as far as a glance can tell.
pub(super) fn may_fail(expr: &ir::Expr) -> bool {
    match expr {
        ir::Expr::Const(_) | ir::Expr::Pid => false,
        ir::Expr::Load(lvalue) => !lvalue.indices.is_empty(),
        ir::Expr::Unary(_, operand) => may_fail(operand),
        ir::Expr::Binary(ir::Binary::Div | ir::Binary::Rem, operands) => {
            may_fail(&operands[0]) || !matches!(operands[1], ir::Expr::Const(value) if value != 0)
        }
        ir::Expr::Binary(_, operands) => operands.iter().any(may_fail),
        _ => true,
    }
}

fn otherwise() -> Kind {
    Kind::Step { guard: Guard::Else, sync: Sync::None, effects: Vec::new() }
}

fn number(value: i32, span: Span) -> Expr {
    Expr { kind: ExprKind::Number(value), span }
}

fn compare(operator: BinaryOp, access: &Access, right: Expr) -> Expr {
    let span = access.span;
    let left = Expr { kind: ExprKind::Load(access.clone()), span };
    Expr { kind: ExprKind::Binary(operator, Box::new(left), Box::new(right)), span }
}

fn less_or_equal(access: &Access, right: &Expr) -> Expr {
    compare(BinaryOp::Le, access, right.clone())
}

fn increment(access: &Access) -> Expr {
    compare(BinaryOp::Add, access, number(1, access.span))
}
