//! Statements.

use super::expression::{Direction, Use};
use super::flow::{Jump, unreachable};
use super::{Checker, Current};
use crate::ast;
use crate::model::*;
use crate::sources::Span;
use elnath_source::codes;

impl Checker<'_> {
    /// Whether the body being checked is that of a trace, whose sends and receives are events to wait for.
    fn in_trace(&self) -> bool {
        let kind = self.current.as_ref().map(|current| current.kind);
        matches!(kind, Some(ProcessKind::Trace | ProcessKind::NoTrace))
    }

    /// The statements of a body, an option or a block, in the scope that is open.
    pub(super) fn sequence(&mut self, sequence: &ast::Sequence) -> Sequence {
        self.sequence_in(sequence, false)
    }

    /// `option`: the first statement may be `else`.
    fn sequence_in(&mut self, sequence: &ast::Sequence, option: bool) -> Sequence {
        let mut statements = Vec::with_capacity(sequence.statements.len());
        for (index, statement) in sequence.statements.iter().enumerate() {
            self.statement(statement, option && index == 0, &mut statements);
        }
        if let Some(lost) = unreachable(sequence) {
            self.warn(codes::UNREACHABLE, "this statement cannot be reached", lost.span);
        }
        Sequence { statements, span: sequence.span }
    }

    fn block(&mut self, sequence: &ast::Sequence, option: bool) -> Sequence {
        self.scoped(|checker| checker.sequence_in(sequence, option))
    }

    fn current(&mut self) -> Option<&mut Current> {
        self.current.as_mut()
    }

    /// Checks one statement and appends what it becomes: a declaration of three variables is three statements.
    fn statement(&mut self, statement: &ast::Stmt, option: bool, out: &mut Vec<Stmt>) {
        let labels = self.labels_before(statement);
        let span = statement.span;
        if let ast::StmtKind::Decl(decl) = &statement.kind {
            return self.declaration(decl, labels, out);
        }
        if !matches!(statement.kind, ast::StmtKind::Exclusive(..))
            && let Some(current) = self.current()
        {
            current.at_start = false;
        }
        let kind = self.kind(statement, option);
        out.push(Stmt { labels, kind, span });
    }

    fn labels_before(&mut self, statement: &ast::Stmt) -> Vec<LabelId> {
        let Some(current) = self.current() else { return Vec::new() };
        let first = current.flow.labels_met;
        current.flow.labels_met += statement.labels.len();
        (first..current.flow.labels_met).map(|index| LabelId(index as u32)).collect()
    }

    fn declaration(&mut self, decl: &ast::Decl, labels: Vec<LabelId>, out: &mut Vec<Stmt>) {
        let Some((process, at_start)) = self.current().map(|current| (current.id, current.at_start)) else {
            return;
        };
        let outermost = self.scopes.len() == 2;
        let variables = self.declare(decl, Owner::Local(process));
        if at_start && outermost {
            if let Some(current) = self.current() {
                current.start.extend(variables);
            }
            return;
        }
        if let Some(current) = self.current() {
            current.at_start = false;
        }
        let mut labels = Some(labels);
        for (variable, declarator) in variables.into_iter().zip(&decl.declarators) {
            match self.variables[variable.index()].init {
                Some(Initial::Channel(_)) => {
                    let text = "a channel can only be created at the start of a process";
                    let message = self
                        .sources
                        .error(text, declarator.span)
                        .help("move this declaration before the first statement of the process");
                    self.report(message);
                }
                Some(Initial::List(_)) => {
                    self.error(
                        "a list of initial values can only stand at the start of a process",
                        declarator.span,
                    );
                }
                _ => {}
            }
            let labels = labels.take().unwrap_or_default();
            out.push(Stmt { labels, kind: StmtKind::Declare(variable), span: declarator.span });
        }
    }

    fn kind(&mut self, statement: &ast::Stmt, option: bool) -> StmtKind {
        let span = statement.span;
        match &statement.kind {
            ast::StmtKind::Decl(_) | ast::StmtKind::Refused => nothing(span),
            ast::StmtKind::Exclusive(which, channels) => {
                let channels = channels.iter().filter_map(|channel| self.exclusive(channel)).collect();
                StmtKind::Exclusive(*which, channels)
            }
            ast::StmtKind::Expr(expr) => StmtKind::Expr(self.expr(expr)),
            ast::StmtKind::Else => {
                if !option {
                    // Nothing else can be executed where there is no choice, so neither SPIN nor we need a rule for it.
                    let text = "this `else` does not begin an option: it is always executable";
                    self.warn(codes::MISPLACED_ELSE, text, span);
                }
                StmtKind::Else
            }
            ast::StmtKind::Assign(target, operation) => self.assignment(target, operation, span),
            ast::StmtKind::Send { channel, fields, .. } if self.in_trace() => match self.channel(channel) {
                Some(channel) => {
                    let fields: Vec<ast::ReceiveArg> = fields.iter().map(expected).collect();
                    let fields = self.patterns(&fields, &channel, true, span);
                    StmtKind::Event { channel, send: true, fields }
                }
                None => nothing(span),
            },
            ast::StmtKind::Receive { channel, fields, .. } if self.in_trace() => {
                match self.channel(channel) {
                    Some(channel) => {
                        let fields = self.patterns(fields, &channel, true, span);
                        StmtKind::Event { channel, send: false, fields }
                    }
                    None => nothing(span),
                }
            }
            ast::StmtKind::Send { channel, sorted, fields } => match self.channel(channel) {
                Some(channel) => {
                    let fields = self.message(fields, &channel, span);
                    StmtKind::Send { channel, sorted: *sorted, fields }
                }
                None => nothing(span),
            },
            ast::StmtKind::Receive { channel, random, copy, fields } => match self.channel(channel) {
                Some(channel) => {
                    let fields = self.patterns(fields, &channel, false, span);
                    StmtKind::Receive { channel, random: *random, copy: *copy, fields }
                }
                None => nothing(span),
            },
            ast::StmtKind::If(options) => StmtKind::If(self.options(options)),
            ast::StmtKind::Do(options) => StmtKind::Do(self.in_loop(|checker| checker.options(options))),
            ast::StmtKind::For { variable, from, to, body } => self.for_range(variable, from, to, body),
            ast::StmtKind::ForIn { variable, container, body } => {
                self.for_in(variable, container, body, span)
            }
            ast::StmtKind::Select { variable, from, to, literal } => {
                self.select(variable, from, to, *literal)
            }
            ast::StmtKind::Atomic(body) => StmtKind::Atomic(self.block(body, option)),
            ast::StmtKind::Block(body) => StmtKind::Block(self.block(body, option)),
            ast::StmtKind::DStep(body) => StmtKind::DStep(self.d_step(body, option)),
            ast::StmtKind::Inline { name, body } => {
                StmtKind::Inline(name.text.clone(), self.inline(body, option))
            }
            ast::StmtKind::Unless(main, escape) => {
                let (mut first, mut second) = (Vec::new(), Vec::new());
                self.statement(main, option, &mut first);
                self.statement(escape, false, &mut second);
                if self.current.as_ref().is_some_and(|current| current.flow.d_step != 0) {
                    let text = "this escape is never taken: nothing interrupts a `d_step`";
                    self.warn(codes::ESCAPE_NEVER_TAKEN, text, escape.span);
                }
                StmtKind::Unless(single(first, main.span), single(second, escape.span))
            }
            ast::StmtKind::Goto(label) => self.goto(label),
            ast::StmtKind::Break => {
                self.check_break(span);
                StmtKind::Break
            }
            ast::StmtKind::Printf(format, arguments) => {
                let arguments: Vec<Expr> = arguments.iter().map(|argument| self.expr(argument)).collect();
                let wanted = directives(format);
                if wanted != arguments.len() {
                    let text = format!("the format asks for {wanted} values, {} are given", arguments.len());
                    self.warn(codes::FORMAT_ARGUMENTS, text, span);
                }
                StmtKind::Printf(format.clone(), arguments)
            }
            ast::StmtKind::Printm(value) => StmtKind::Printm(self.expr(value)),
            ast::StmtKind::Assert(condition) => StmtKind::Assert(self.expr(condition)),
            ast::StmtKind::SetPriority(pid, priority) => {
                StmtKind::SetPriority(self.expr(pid), self.expr(priority))
            }
        }
    }

    /// `xr q` for an array of channels names them all, so an index may be missing.
    fn exclusive(&mut self, channel: &ast::Reference) -> Option<Access> {
        let variable = self.lookup(&channel.parts[0].name.text);
        let array = variable.is_some_and(|id| self.variables[id.index()].size.is_some());
        if let (Some(variable), true, [ast::Part { index: None, .. }]) =
            (variable, array, channel.parts.as_slice())
        {
            let index = Some(Box::new(Expr { kind: ExprKind::Number(0), span: channel.span }));
            return Some(Access { variable, index, fields: Vec::new(), ty: Type::Chan, span: channel.span });
        }
        self.channel(channel)
    }

    fn assignment(&mut self, target: &ast::Reference, operation: &ast::AssignOp, span: Span) -> StmtKind {
        let discard = target.parts.len() == 1 && &*target.parts[0].name.text == "_";
        let value = match operation {
            ast::AssignOp::Set(value) => self.expr(value),
            ast::AssignOp::Increment | ast::AssignOp::Decrement if discard => {
                Expr { kind: ExprKind::Number(0), span }
            }
            ast::AssignOp::Increment | ast::AssignOp::Decrement => {
                // `x++` alone does not make `x` a variable that somebody reads, so the read is not recorded.
                let Some(access) = self.access(target, Use::Write) else { return nothing(span) };
                let operator =
                    if matches!(operation, ast::AssignOp::Increment) { BinaryOp::Add } else { BinaryOp::Sub };
                let old = Expr { kind: ExprKind::Load(access), span };
                let one = Expr { kind: ExprKind::Number(1), span };
                Expr { kind: ExprKind::Binary(operator, old.into(), one.into()), span }
            }
        };
        if discard {
            return StmtKind::Assign(Target::Discard, value);
        }
        if target.parts.len() == 1 && &*target.parts[0].name.text == "_priority" {
            return StmtKind::SetPriority(Expr { kind: ExprKind::Pid, span: target.span }, value);
        }
        let predefined = matches!(&*target.parts[0].name.text, "_pid" | "_nr_pr" | "_last");
        if predefined {
            self.error(format!("`{}` cannot be assigned to", target.parts[0].name.text), target.span);
            return nothing(span);
        }
        let Some(access) = self.access(target, Use::Write) else { return nothing(span) };
        if let Type::Struct(_) = access.ty {
            self.error("a structure cannot be assigned as a whole", target.span);
        }
        self.fits(access.ty, &value);
        StmtKind::Assign(Target::Variable(access), value)
    }

    fn options(&mut self, options: &[ast::Sequence]) -> Vec<Sequence> {
        let mut otherwise = 0;
        for option in options {
            let Some(first) = option.statements.first() else { continue };
            otherwise += usize::from(matches!(first.kind, ast::StmtKind::Else));
            if otherwise == 2 {
                self.error("there is an `else` in this selection already", first.span);
                break;
            }
        }
        options.iter().map(|option| self.sequence_in(option, true)).collect()
    }

    fn in_loop<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        let change = |checker: &mut Self, by: isize| {
            if let Some(current) = checker.current() {
                current.flow.loops = current.flow.loops.saturating_add_signed(by);
                if current.flow.d_step != 0 {
                    current.flow.loops_in_d_step = current.flow.loops_in_d_step.saturating_add_signed(by);
                }
            }
        };
        change(self, 1);
        let result = inside(self);
        change(self, -1);
        result
    }

    /// A variable that counts: a scalar that is both read and written.
    fn counter(&mut self, variable: &ast::Reference) -> Option<Access> {
        let access = self.access(variable, Use::Both)?;
        if matches!(access.ty, Type::Struct(_) | Type::Chan) {
            self.error("a number is needed to count with", variable.span);
        }
        Some(access)
    }

    fn for_range(
        &mut self,
        variable: &ast::Reference,
        from: &ast::Expr,
        to: &ast::Expr,
        body: &ast::Sequence,
    ) -> StmtKind {
        let counter = self.counter(variable);
        let (from, to) = (self.expr(from), self.expr(to));
        let body_checked = self.in_loop(|checker| checker.block(body, false));
        let Some(variable) = counter else { return nothing(body.span) };
        self.fits(variable.ty, &from);
        if let (Some(last), Some((_, greatest))) = (to.constant(), variable.ty.range())
            && i64::from(last) >= greatest
            && variable.ty != Type::Int
        {
            let text = format!("the loop never ends: its variable cannot exceed {greatest}");
            self.warn(codes::ENDLESS_LOOP, text, to.span);
        }
        StmtKind::For { variable, from, to, body: body_checked }
    }

    fn for_in(
        &mut self,
        variable: &ast::Reference,
        container: &ast::Reference,
        body: &ast::Sequence,
        span: Span,
    ) -> StmtKind {
        let name = &container.parts[0].name;
        let Some(id) = self.lookup(&name.text) else {
            self.unknown_variable(name);
            return nothing(span);
        };
        let (ty, size) = (self.variables[id.index()].ty, self.variables[id.index()].size);
        let plain = container.parts.len() == 1 && container.parts[0].index.is_none();
        if let (true, Some(size)) = (plain, size) {
            self.uses[id.index()].read = true;
            let counter = self.counter(variable);
            let body = self.in_loop(|checker| checker.block(body, false));
            let Some(variable) = counter else { return nothing(span) };
            let number = |value: u32| Expr { kind: ExprKind::Number(value as i32), span: container.span };
            return StmtKind::For { variable, from: number(0), to: number(size - 1), body };
        }
        if ty != Type::Chan {
            self.error("`for (.. in ..)` needs the name of an array, or a channel", container.span);
            return nothing(span);
        }
        self.for_messages(variable, container, body, span)
    }

    fn for_messages(
        &mut self,
        variable: &ast::Reference,
        container: &ast::Reference,
        body: &ast::Sequence,
        span: Span,
    ) -> StmtKind {
        let channel = self.channel(container);
        let message = self.access(variable, Use::Both);
        let owner = self.current.as_ref().map_or(Owner::Global, |current| Owner::Local(current.id));
        let counter = self.add_variable(Variable {
            name: "for_counter".into(),
            ty: Type::Int,
            size: None,
            owner,
            visibility: Visibility::Plain,
            init: None,
            span,
        });
        self.uses[counter.index()] = super::Uses { read: true, written: true };
        let body = self.in_loop(|checker| checker.block(body, false));
        let (Some(channel), Some(message)) = (channel, message) else { return nothing(span) };
        if !matches!(message.ty, Type::Struct(_)) {
            self.error("the messages of a channel are taken by a variable of a typedef", variable.span);
        }
        let fields = self.take_apart(&message);
        self.arity(&channel, fields.len(), Direction::Receive, variable.span);
        StmtKind::ForMessages { counter, channel, fields, body }
    }

    fn select(
        &mut self,
        variable: &ast::Reference,
        from: &ast::Expr,
        to: &ast::Expr,
        literal: bool,
    ) -> StmtKind {
        let span = variable.span;
        let counter = self.counter(variable);
        let (from, to) = (self.expr(from), self.expr(to));
        if let (Some(least), Some(greatest)) = (from.constant(), to.constant())
            && least > greatest
        {
            let text = format!("there is nothing between {least} and {greatest}");
            self.warn(codes::EMPTY_RANGE, text, from.span);
        }
        let Some(variable) = counter else { return nothing(span) };
        self.fits(variable.ty, &from);
        self.fits(variable.ty, &to);
        StmtKind::Select { variable, from, to, literal }
    }

    fn d_step(&mut self, body: &ast::Sequence, option: bool) -> Sequence {
        let mut outer = None;
        if let Some(current) = self.current() {
            outer = Some((current.flow.d_step, current.flow.loops_in_d_step));
            current.flow.d_steps_met += 1;
            if current.flow.d_step == 0 {
                current.flow.d_step = current.flow.d_steps_met;
                current.flow.loops_in_d_step = 0;
            }
        }
        let body = self.block(body, option);
        if let (Some(current), Some((d_step, loops))) = (self.current(), outer) {
            current.flow.d_step = d_step;
            current.flow.loops_in_d_step = loops;
        }
        body
    }

    fn inline(&mut self, body: &ast::Sequence, option: bool) -> Sequence {
        let mut outer = 0;
        if let Some(current) = self.current() {
            outer = current.flow.inline;
            current.flow.inlines_met += 1;
            current.flow.inline = current.flow.inlines_met;
        }
        let body = self.block(body, option);
        if let Some(current) = self.current() {
            current.flow.inline = outer;
        }
        body
    }

    fn goto(&mut self, label: &ast::Ident) -> StmtKind {
        let Some(current) = &self.current else { return nothing(label.span) };
        match current.labels.find(&label.text, current.flow) {
            Jump::To(id) => self.jump(label, id),
            Jump::AcrossDStep(id) => {
                let place = self.sources.place(current.labels.labels()[id.index()].span);
                let message = self
                    .sources
                    .error("a jump cannot enter or leave a `d_step`", label.span)
                    .also(place, "to here");
                self.report(message);
                StmtKind::Goto(id)
            }
            Jump::Nowhere => {
                let names = current.labels.names();
                self.unknown("label", &label.text, label.span, names);
                nothing(label.span)
            }
        }
    }

    fn jump(&mut self, label: &ast::Ident, id: LabelId) -> StmtKind {
        let process = self.current.as_ref().map(|current| current.name.clone());
        self.used_labels.extend(process.map(|process| (process, label.text.clone())));
        StmtKind::Goto(id)
    }

    fn check_break(&mut self, span: Span) {
        let Some(current) = &self.current else { return };
        let flow = current.flow;
        if flow.loops == 0 {
            self.error("`break` outside a loop", span);
        } else if flow.d_step != 0 && flow.loops_in_d_step == 0 {
            self.error("this `break` would leave a `d_step`", span);
        }
    }
}

/// A placeholder after a mistake.
fn nothing(span: Span) -> StmtKind {
    StmtKind::Expr(Expr { kind: ExprKind::Number(1), span })
}

/// The two sides of `unless` are single statements (a declaration there would be several).
fn single(mut statements: Vec<Stmt>, span: Span) -> Box<Stmt> {
    if statements.len() == 1
        && let Some(statement) = statements.pop()
    {
        return Box::new(statement);
    }
    let body = Sequence { statements, span };
    Box::new(Stmt { labels: Vec::new(), kind: StmtKind::Block(body), span })
}

/// How many values a format consumes.
fn directives(format: &str) -> usize {
    let mut count = 0;
    let mut characters = format.chars();
    while let Some(c) = characters.next() {
        if c == '%' {
            match characters.next() {
                Some('%') | None => {}
                Some(_) => count += 1,
            }
        }
    }
    count
}

/// A field of a message that a trace waits for, written like one that is sent.
fn expected(field: &ast::Expr) -> ast::ReceiveArg {
    match &field.kind {
        ast::ExprKind::Reference(reference) => ast::ReceiveArg::Name(reference.clone()),
        ast::ExprKind::Number(value) => ast::ReceiveArg::Constant(*value, field.span),
        _ => ast::ReceiveArg::Eval(field.clone(), field.span),
    }
}
