//! Expressions, uses of variables, messages.

use super::Checker;
use crate::ast;
use crate::model::*;
use crate::sources::Span;
use elnath_source::codes;

/// What is done with a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    Read,
    Write,
    Both,
}

/// Whether a message is sent or received; a poll counts as receiving.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Send,
    Receive,
}

impl Checker<'_> {
    pub(super) fn expr(&mut self, expr: &ast::Expr) -> Expr {
        let span = expr.span;
        let kind = match &expr.kind {
            ast::ExprKind::Number(value) => ExprKind::Number(*value),
            ast::ExprKind::Reference(reference) => self.value(reference),
            ast::ExprKind::Unary(operator, operand) => ExprKind::Unary(*operator, self.boxed(operand)),
            ast::ExprKind::Binary(operator, left, right) => {
                let (left, right) = (self.boxed(left), self.boxed(right));
                let division = matches!(operator, BinaryOp::Div | BinaryOp::Rem);
                if division && right.constant() == Some(0) {
                    // A fault if it is ever evaluated, as in SPIN: `x > 3 && y / 0 == 1` need not be.
                    let text = "division by zero: an error when this is evaluated";
                    self.warn(codes::DIVISION_BY_ZERO, text, right.span);
                }
                ExprKind::Binary(*operator, left, right)
            }
            ast::ExprKind::Conditional(parts) => ExprKind::Conditional(Box::new((
                self.expr(&parts.0),
                self.expr(&parts.1),
                self.expr(&parts.2),
            ))),
            ast::ExprKind::Run { proctype, arguments, priority } => {
                self.run_process(proctype, arguments, priority.as_deref(), span)
            }
            ast::ExprKind::Channel(question, channel) => match self.channel(channel) {
                Some(channel) => ExprKind::Channel(*question, channel),
                None => ExprKind::Number(0),
            },
            ast::ExprKind::Poll { channel, random, fields } => match self.channel(channel) {
                Some(channel) => {
                    let fields = self.patterns(fields, &channel, true, span);
                    ExprKind::Poll { channel, random: *random, fields }
                }
                None => ExprKind::Number(0),
            },
            ast::ExprKind::Timeout => ExprKind::Timeout,
            ast::ExprKind::NonProgress => {
                if self.current.as_ref().is_some_and(|current| current.kind != ProcessKind::Never) {
                    self.error("`np_` has a meaning only in a claim", span);
                }
                ExprKind::NonProgress
            }
            ast::ExprKind::Enabled(pid) => ExprKind::Enabled(self.boxed(pid)),
            ast::ExprKind::PcValue(pid) => ExprKind::PcValue(self.boxed(pid)),
            ast::ExprKind::GetPriority(pid) => ExprKind::GetPriority(self.boxed(pid)),
            ast::ExprKind::RemoteLabel { proctype, pid, label } => {
                self.remote_label(proctype, pid.as_deref(), label)
            }
            ast::ExprKind::RemoteVariable { proctype, pid, variable } => {
                self.remote_variable(proctype, pid.as_deref(), variable)
            }
        };
        Expr { kind, span }
    }

    fn boxed(&mut self, expr: &ast::Expr) -> Box<Expr> {
        Box::new(self.expr(expr))
    }

    /// A name in an expression: predefined, a variable, or a symbolic constant.
    fn value(&mut self, reference: &ast::Reference) -> ExprKind {
        if let Some(predefined) = self.predefined(reference) {
            return predefined;
        }
        let Some(access) = self.access(reference, Use::Read) else { return ExprKind::Number(0) };
        if let Type::Struct(_) = access.ty {
            self.incomplete(reference);
        }
        ExprKind::Load(access)
    }

    fn predefined(&mut self, reference: &ast::Reference) -> Option<ExprKind> {
        let [ast::Part { name, index: None }] = reference.parts.as_slice() else { return None };
        let in_process = self
            .current
            .as_ref()
            .is_some_and(|current| matches!(current.kind, ProcessKind::Proctype | ProcessKind::Init));
        match &*name.text {
            "_pid" if in_process => return Some(ExprKind::Pid),
            "_pid" => {
                self.error("`_pid` has a meaning only inside a process", name.span);
                return Some(ExprKind::Number(0));
            }
            "_priority" => {
                if !in_process {
                    self.error("`_priority` has a meaning only inside a process", name.span);
                }
                return Some(ExprKind::GetPriority(Expr { kind: ExprKind::Pid, span: name.span }.into()));
            }
            "_nr_pr" => return Some(ExprKind::ProcessCount),
            "_last" => return Some(ExprKind::Last),
            "_" => {
                self.error("`_` can only be written", name.span);
                return Some(ExprKind::Number(0));
            }
            _ => {}
        }
        if self.lookup(&name.text).is_some() {
            return None;
        }
        self.symbols.get(&name.text).map(|&(set, value, _)| ExprKind::Symbol(set, value))
    }

    fn incomplete(&mut self, reference: &ast::Reference) {
        let name = &reference.parts[reference.parts.len() - 1].name;
        self.error(
            format!("`{}` is a structure; one of its fields is needed here", name.text),
            reference.span,
        );
    }

    /// A variable, or `None` after a complaint. Structures are let through.
    pub(super) fn access(&mut self, reference: &ast::Reference, usage: Use) -> Option<Access> {
        let name = &reference.parts[0].name;
        let Some(id) = self.lookup(&name.text) else {
            if self.symbols.contains_key(&name.text) {
                self.error(format!("`{}` is a symbolic constant, not a variable", name.text), name.span);
            } else {
                self.unknown_variable(name);
            }
            // The indices may have mistakes of their own.
            for index in reference.parts.iter().filter_map(|part| part.index.as_deref()) {
                self.expr(index);
            }
            return None;
        };
        self.uses[id.index()].read |= usage != Use::Write;
        self.uses[id.index()].written |= usage != Use::Read;
        let variable = &self.variables[id.index()];
        let (ty, size) = (variable.ty, variable.size);
        self.path(reference, id, ty, size)
    }

    fn path(
        &mut self,
        reference: &ast::Reference,
        variable: VarId,
        ty: Type,
        size: Option<u32>,
    ) -> Option<Access> {
        let index = self.index(&reference.parts[0], size);
        let mut ty = if size.is_some() { ty.element() } else { ty };
        let mut fields = Vec::new();
        for part in &reference.parts[1..] {
            let Type::Struct(id) = ty else {
                self.error(
                    format!("there is no field `{}`: this is not a structure", part.name.text),
                    part.name.span,
                );
                return None;
            };
            let typedef = &self.typedefs[id.index()];
            let Some(position) = typedef.fields.iter().position(|field| field.name == part.name.text) else {
                let what = format!("field in type `{}` called", typedef.name);
                let names = typedef.fields.iter().map(|field| field.name.clone()).collect();
                self.unknown(&what, &part.name.text, part.name.span, names);
                return None;
            };
            let field = &typedef.fields[position];
            let size = field.size;
            ty = if size.is_some() { field.ty.element() } else { field.ty };
            let index = self.index(part, size);
            fields.push(FieldAccess { field: position as u32, index });
        }
        Some(Access { variable, index, fields, ty, span: reference.span })
    }

    fn index(&mut self, part: &ast::Part, size: Option<u32>) -> Option<Box<Expr>> {
        let Some(index) = &part.index else {
            if size.is_some() {
                self.error(format!("`{}` is an array; an index is needed", part.name.text), part.name.span);
            }
            return None;
        };
        let index = self.expr(index);
        let constant = index.constant();
        match (size, constant) {
            // SPIN lets a scalar be written as its own element 0.
            (None, Some(0)) => return None,
            (None, _) => self.error(format!("`{}` is not an array", part.name.text), part.name.span),
            (Some(size), Some(value)) if value < 0 || value as u32 >= size => {
                // Macros and inlines make such code where it is never executed.
                let text = format!(
                    "index {value} is outside the array `{}` of {size} elements: an error when this is evaluated",
                    part.name.text
                );
                self.warn(codes::INDEX_OUT_OF_RANGE, text, index.span);
            }
            _ => {}
        }
        Some(Box::new(index))
    }

    /// A channel to be used, or `None` after a complaint.
    pub(super) fn channel(&mut self, reference: &ast::Reference) -> Option<Access> {
        let access = self.access(reference, Use::Read)?;
        if access.ty != Type::Chan {
            self.error("this is not a channel", reference.span);
            return None;
        }
        Some(access)
    }

    /// The type of a channel, if it is certain: it was declared with one and nothing is ever assigned to it.
    pub(super) fn channel_type_of(&self, access: &Access) -> Option<(ChannelType, Span)> {
        if !self.facts.complete
            || !access.fields.is_empty()
            || self.facts.uses[access.variable.index()].written
        {
            return None;
        }
        let variable = &self.variables[access.variable.index()];
        match &variable.init {
            Some(Initial::Channel(ty)) => Some((ty.clone(), variable.span)),
            _ => None,
        }
    }

    /// Compares the length of a message with the channel's. SPIN refuses to send too much; all else is an error only
    /// when it is executed.
    pub(super) fn arity(&mut self, channel: &Access, written: usize, direction: Direction, span: Span) {
        let Some((ty, declared)) = self.channel_type_of(channel) else { return };
        let expected = ty.fields.len();
        if written == expected {
            return;
        }
        let plural = if expected == 1 { "" } else { "s" };
        let text = format!("a message of this channel has {expected} field{plural}, not {written}");
        let message = if written > expected && direction == Direction::Send {
            self.sources.error(text, span)
        } else {
            self.sources.warning(text, span).code(codes::MESSAGE_LENGTH)
        };
        let message = message.also(self.sources.place(declared), "the channel is declared here");
        self.report(message);
    }

    /// The expressions of a message; structures are taken apart.
    pub(super) fn message(&mut self, fields: &[ast::Expr], channel: &Access, span: Span) -> Vec<Expr> {
        let mut values = Vec::with_capacity(fields.len());
        for field in fields {
            if let ast::ExprKind::Reference(reference) = &field.kind
                && self.lookup(&reference.parts[0].name.text).is_some()
            {
                if let Some(access) = self.access(reference, Use::Read) {
                    let scalars = self.take_apart(&access);
                    values.extend(
                        scalars
                            .into_iter()
                            .map(|access| Expr { kind: ExprKind::Load(access), span: field.span }),
                    );
                }
                continue;
            }
            values.push(self.expr(field));
        }
        self.arity(channel, values.len(), Direction::Send, span);
        if let Some((ty, _)) = self.channel_type_of(channel) {
            for (value, &ty) in values.iter().zip(&ty.fields) {
                self.fits(ty, value);
            }
        }
        values
    }

    /// The fields of a receive or of a poll; structures are taken apart.
    pub(super) fn patterns(
        &mut self,
        fields: &[ast::ReceiveArg],
        channel: &Access,
        poll: bool,
        span: Span,
    ) -> Vec<Pattern> {
        let mut patterns = Vec::with_capacity(fields.len());
        for field in fields {
            match field {
                ast::ReceiveArg::Constant(value, span) => {
                    patterns.push(Pattern::Match(Expr { kind: ExprKind::Number(*value), span: *span }));
                }
                ast::ReceiveArg::Eval(expr, _) => patterns.push(Pattern::Match(self.expr(expr))),
                ast::ReceiveArg::Name(reference) => self.pattern(reference, poll, &mut patterns),
            }
        }
        self.bound_twice(&patterns);
        self.arity(channel, patterns.len(), Direction::Receive, span);
        if let Some((ty, _)) = self.channel_type_of(channel) {
            for (pattern, &ty) in patterns.iter().zip(&ty.fields) {
                if let Pattern::Match(value) = pattern {
                    self.fits(ty, value);
                }
            }
        }
        patterns
    }

    fn pattern(&mut self, reference: &ast::Reference, poll: bool, patterns: &mut Vec<Pattern>) {
        let name = &reference.parts[0].name;
        if &*name.text == "_" {
            return patterns.push(Pattern::Discard);
        }
        if self.lookup(&name.text).is_none()
            && let Some(&(set, value, _)) = self.symbols.get(&name.text)
        {
            return patterns
                .push(Pattern::Match(Expr { kind: ExprKind::Symbol(set, value), span: reference.span }));
        }
        if &*name.text == "_pid" {
            return patterns.push(Pattern::Match(Expr { kind: ExprKind::Pid, span: reference.span }));
        }
        let usage = if poll { Use::Read } else { Use::Write };
        let Some(access) = self.access(reference, usage) else {
            return patterns.push(Pattern::Discard);
        };
        for scalar in self.take_apart(&access) {
            patterns.push(if poll { Pattern::Discard } else { Pattern::Bind(scalar) });
        }
    }

    /// SPIN refuses `q?x,x`, since the order of the two assignments would matter, except within a `d_step`, where the last
    /// one counts.
    fn bound_twice(&mut self, patterns: &[Pattern]) {
        if self.current.as_ref().is_some_and(|current| current.flow.d_step != 0) {
            return;
        }
        let plain = |pattern: &Pattern| match pattern {
            Pattern::Bind(access) if access.index.is_none() && access.fields.is_empty() => {
                Some((access.variable, access.span))
            }
            _ => None,
        };
        let mut seen = std::collections::HashSet::new();
        for (variable, span) in patterns.iter().filter_map(plain) {
            if !seen.insert(variable) {
                self.error("the same variable takes two fields of one message", span);
            }
        }
    }

    /// The scalars of a structure (or the scalar itself), arrays element by element.
    pub(super) fn take_apart(&mut self, access: &Access) -> Vec<Access> {
        let Type::Struct(id) = access.ty else { return vec![access.clone()] };
        if self.size_of(access.ty) > super::LONGEST_MESSAGE as u64 {
            self.beyond(format!("a message has at most {} fields", super::LONGEST_MESSAGE), access.span);
            return Vec::new();
        }
        let mut scalars = Vec::new();
        for position in 0..self.typedefs[id.index()].fields.len() {
            let field = &self.typedefs[id.index()].fields[position];
            let size = field.size;
            let ty = if size.is_some() { field.ty.element() } else { field.ty };
            for element in 0..size.unwrap_or(1) {
                let index = Expr { kind: ExprKind::Number(element as i32), span: access.span };
                let mut inner = access.clone();
                inner.ty = ty;
                inner
                    .fields
                    .push(FieldAccess { field: position as u32, index: size.map(|_| Box::new(index)) });
                scalars.extend(self.take_apart(&inner));
            }
        }
        scalars
    }

    fn run_process(
        &mut self,
        proctype: &ast::Ident,
        arguments: &[ast::Expr],
        priority: Option<&ast::Expr>,
        span: Span,
    ) -> ExprKind {
        let mut arguments: Vec<Expr> = arguments.iter().map(|argument| self.argument(argument)).collect();
        let priority = priority.map(|priority| Box::new(self.expr(priority)));
        let runnable =
            self.process_names.get(&proctype.text).filter(|(_, decl)| decl.kind == ProcessKind::Proctype);
        let Some(&(process, decl)) = runnable else {
            let names = self.process_names.keys().cloned().collect();
            self.unknown("proctype", &proctype.text, proctype.span, names);
            return ExprKind::Number(0);
        };
        self.runs.push(proctype.text.clone());
        if self.current.is_none() {
            self.error("`run` stands outside every process", span);
        }
        let expected: usize = decl.parameters.iter().map(|parameter| parameter.declarators.len()).sum();
        if arguments.len() != expected {
            let plural = if expected == 1 { "" } else { "s" };
            let text =
                format!("`{}` has {expected} parameter{plural}, not {}", proctype.text, arguments.len());
            let message = if arguments.len() > expected {
                self.sources.error(text, span)
            } else {
                let message = self.sources.warning(text, span).code(codes::MISSING_ARGUMENTS);
                message.help("SPIN passes 0 for those that are missing")
            };
            let message = message.also(self.sources.place(decl.name.span), "declared here");
            self.report(message);
        }
        while arguments.len() < expected {
            arguments.push(Expr { kind: ExprKind::Number(0), span });
        }
        ExprKind::Run { process, arguments, priority }
    }

    /// An argument of `run` may be a whole structure.
    fn argument(&mut self, argument: &ast::Expr) -> Expr {
        if let ast::ExprKind::Reference(reference) = &argument.kind
            && self.lookup(&reference.parts[0].name.text).is_some()
        {
            let kind = match self.access(reference, Use::Read) {
                Some(access) => ExprKind::Load(access),
                None => ExprKind::Number(0),
            };
            return Expr { kind, span: argument.span };
        }
        self.expr(argument)
    }

    fn remote_process(&mut self, proctype: &ast::Ident) -> Option<ProcessId> {
        let found = self.process_names.get(&proctype.text).map(|&(process, _)| process);
        if found.is_none() {
            let names = self.process_names.keys().cloned().collect();
            self.unknown("proctype", &proctype.text, proctype.span, names);
        }
        found
    }

    fn remote_label(
        &mut self,
        proctype: &ast::Ident,
        pid: Option<&ast::Expr>,
        label: &ast::Ident,
    ) -> ExprKind {
        let pid = pid.map(|pid| self.boxed(pid));
        let Some(process) = self.remote_process(proctype) else { return ExprKind::Number(0) };
        if !self.facts.complete {
            return ExprKind::Number(0);
        }
        let table = &self.facts.labels[process.index()];
        let Some(found) = table.remote(&label.text) else {
            let names = table.names();
            let what = format!("label in `{}` called", proctype.text);
            self.unknown(&what, &label.text, label.span, names);
            return ExprKind::Number(0);
        };
        self.used_labels.insert((proctype.text.clone(), label.text.clone()));
        if pid.is_none() {
            self.by_type.push((proctype.text.clone(), proctype.span));
        }
        ExprKind::RemoteLabel { process, pid, label: found }
    }

    fn remote_variable(
        &mut self,
        proctype: &ast::Ident,
        pid: Option<&ast::Expr>,
        variable: &ast::Reference,
    ) -> ExprKind {
        let pid = pid.map(|pid| self.boxed(pid));
        let Some(process) = self.remote_process(proctype) else { return ExprKind::Number(0) };
        if !self.facts.complete {
            return ExprKind::Number(0);
        }
        let name = &variable.parts[0].name;
        let owned = |known: &&Variable| known.owner.process() == Some(process);
        let position = self.facts.variables.iter().position(|known| owned(&known) && known.name == name.text);
        let Some(position) = position else {
            let names = self.facts.variables.iter().filter(owned).map(|known| known.name.clone()).collect();
            let what = format!("variable in `{}` called", proctype.text);
            self.unknown(&what, &name.text, name.span, names);
            return ExprKind::Number(0);
        };
        let (ty, size) = (self.facts.variables[position].ty, self.facts.variables[position].size);
        // The process may come later: then its use is noted in the facts only, which is where unused variables are
        // looked up last.
        if let Some(uses) = self.uses.get_mut(position) {
            uses.read = true;
        }
        self.facts.uses[position].read = true;
        if pid.is_none() {
            self.by_type.push((proctype.text.clone(), proctype.span));
        }
        match self.path(variable, VarId(position as u32), ty, size) {
            Some(variable) => ExprKind::RemoteVariable { process, pid, variable },
            None => ExprKind::Number(0),
        }
    }
}
