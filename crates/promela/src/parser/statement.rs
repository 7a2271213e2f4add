//! Statements, their separators, and the expansion of inlines.
//!
//! `;` and `->` mean the same between statements, and superfluous ones are ignored. One may be missing where SPIN's
//! lexer supplies it: at the end of a line, after a `}`, after `else`, and after the call of an inline, whose text ends
//! with a `}`.

use std::sync::Arc;

use super::Parser;
use crate::ast::*;
use crate::lexer::{Kind, Punct, Token};
use crate::sources::{ExpansionKind, Span};
use elnath_source::codes;

/// How deep inlines may call each other. Recursion is found before; this bounds long chains.
const INLINE_DEPTH: usize = 60;

impl Parser<'_> {
    pub(super) fn braced_sequence(&mut self) -> Option<Sequence> {
        let open = self.span();
        self.expect(Punct::OpenBrace)?;
        let mut sequence = self.sequence(open);
        if !self.eat(Punct::CloseBrace) {
            let message = self
                .sources
                .error(format!("expected `}}`, found {}", self.found()), self.span())
                .also(self.sources.place(open), "to close this one");
            self.report(message);
            return None;
        }
        sequence.span = self.since(open);
        Some(sequence)
    }

    /// Statements up to `}`, `::`, `fi`, `od` or the end; never fails, for mistakes are skipped statement by statement.
    pub(super) fn sequence(&mut self, start: Span) -> Sequence {
        let mut statements = Vec::new();
        loop {
            while self.eat(Punct::Semi) || self.eat(Punct::Arrow) {}
            if self.sequence_ends() {
                break;
            }
            let before = self.at;
            match self.nested(Self::step) {
                Some(statement) => {
                    let forgiven = separates_itself(&statement) || self.behind_brace();
                    statements.push(statement);
                    let separated = self.sees(Punct::Semi)
                        || self.sees(Punct::Arrow)
                        || self.sequence_ends()
                        || self.token().line_start;
                    if !separated && !forgiven {
                        self.missing_separator();
                    }
                }
                None => self.skip_statement(before),
            }
        }
        Sequence { statements, span: self.since(start) }
    }

    fn sequence_ends(&self) -> bool {
        self.at_end()
            || self.sees(Punct::CloseBrace)
            || self.sees(Punct::DoubleColon)
            || self.at_any_word(&["fi", "od"])
            || self.at_next_item()
    }

    /// At something that cannot stand in a body: a brace was forgotten, and the body ends here.
    fn at_next_item(&self) -> bool {
        let starts = ["proctype", "active", "init", "never", "ltl", "typedef", "inline", "trace", "notrace"];
        self.token().line_start && self.expanding.is_empty() && self.at_any_word(&starts)
    }

    fn behind_brace(&self) -> bool {
        self.at > 0 && self.tokens[self.at - 1].is(Punct::CloseBrace)
    }

    fn missing_separator(&mut self) {
        let begins_statement = self.token().name().is_some() || self.sees(Punct::OpenBrace);
        if begins_statement {
            let previous = self.tokens[self.at - 1].span;
            let message = self
                .sources
                .error(format!("`;` or `->` is missing before {}", self.found()), self.span())
                .also(self.sources.place(previous), "the statement before ends here");
            self.report(message);
            return;
        }
        let before = self.at;
        self.expected::<()>("`;` or `->`");
        self.skip_statement(before);
    }

    /// After a mistake: to the next separator or end at the same depth of brackets.
    fn skip_statement(&mut self, before: usize) {
        let mut depth = 0usize;
        let mut selections = 0usize;
        while !self.at_end() {
            if depth == 0 && selections == 0 && (self.sees(Punct::Semi) || self.sees(Punct::Arrow)) {
                break;
            }
            if depth == 0 && selections == 0 && self.at > before && self.sequence_ends() {
                break;
            }
            if self.at_next_item() {
                break;
            }
            match self.token().kind {
                Kind::Punct(Punct::OpenBrace) => depth += 1,
                Kind::Punct(Punct::CloseBrace) if depth == 0 => break,
                Kind::Punct(Punct::CloseBrace) => depth -= 1,
                _ if self.at_any_word(&["if", "do"]) => selections += 1,
                _ if self.at_any_word(&["fi", "od"]) && selections == 0 => break,
                _ if self.at_any_word(&["fi", "od"]) => selections -= 1,
                _ => {}
            }
            self.advance();
        }
        let stops = self.sees(Punct::CloseBrace) || self.at_any_word(&["fi", "od"]) || self.at_next_item();
        if self.at == before && !stops {
            self.advance();
        }
    }

    /// A statement with labels and escapes.
    fn step(&mut self) -> Option<Stmt> {
        let mut main = self.labelled()?;
        if !self.eat_word("unless") {
            return Some(main);
        }
        let escape = self.nested(Self::labelled)?;
        if self.at_word("unless") {
            // SPIN's grammar has no chains either; and a chain would be a tree of unbounded depth.
            let span = self.span();
            self.error("a second `unless` needs braces around the first", span);
            return None;
        }
        let span = self.sources.join(main.span, escape.span);
        let labels = std::mem::take(&mut main.labels);
        Some(Stmt { labels, kind: StmtKind::Unless(main.into(), escape.into()), span })
    }

    fn labelled(&mut self) -> Option<Stmt> {
        let mut labels = Vec::new();
        while self.at_label() {
            labels.push(self.ident("a label")?);
            self.pass();
        }
        let start = self.span();
        if let Some(label) = labels.last()
            && (self.sequence_ends() || self.sees(Punct::Semi) || self.sees(Punct::Arrow))
        {
            // A label before nothing names an added `skip`, as in SPIN.
            let span = label.span;
            return Some(Stmt { labels, kind: StmtKind::Expr(one(span)), span });
        }
        if let Some(label) = labels.last()
            && self.at_declaration()
        {
            let span = label.span;
            self.error("a declaration cannot have a label", span);
        }
        let kind = self.statement()?;
        Some(Stmt { labels, kind, span: self.since(start) })
    }

    fn at_label(&self) -> bool {
        let Some(name) = self.token().name() else { return false };
        self.ahead(1).is(Punct::Colon)
            && !super::KEYWORDS.contains(&&**name)
            && !self.proctypes_met.contains(name)
    }

    fn statement(&mut self) -> Option<StmtKind> {
        let start = self.span();
        if self.sees(Punct::OpenBrace) {
            return Some(StmtKind::Block(self.braced_sequence()?));
        }
        if self.at_word("mtype") && self.at_mtype_names() {
            self.error("names of an `mtype` are declared outside processes", start);
            return None;
        }
        if self.at_declaration() {
            return Some(StmtKind::Decl(self.declaration()?));
        }
        let Some(word) = self.token().name().cloned() else {
            return self.expression_statement();
        };
        let then = |parser: &mut Self| parser.pass();
        Some(match &*word {
            "if" => StmtKind::If(self.options("fi")?),
            "do" => StmtKind::Do(self.options("od")?),
            "else" => {
                then(self);
                StmtKind::Else
            }
            "break" => {
                then(self);
                StmtKind::Break
            }
            "goto" => {
                then(self);
                StmtKind::Goto(self.ident("a label")?)
            }
            "atomic" => {
                then(self);
                StmtKind::Atomic(self.braced_sequence()?)
            }
            "d_step" => {
                then(self);
                StmtKind::DStep(self.braced_sequence()?)
            }
            "while" if self.ahead(1).is(Punct::Open) => {
                let help = "write `do :: condition -> statements :: else -> break od`";
                let message = self.sources.error("Promela has no `while`", start).help(help);
                self.report(message);
                return None;
            }
            "for" => self.for_loop()?,
            "select" => {
                then(self);
                let literal = self.literal_select();
                self.expect(Punct::Open)?;
                let variable = self.reference()?;
                let (from, to) = self.range()?;
                self.expect(Punct::Close)?;
                StmtKind::Select { variable, from, to, literal }
            }
            "printf" => self.printf()?,
            "printm" => {
                then(self);
                self.expect(Punct::Open)?;
                let value = self.expression()?;
                self.expect(Punct::Close)?;
                StmtKind::Printm(value)
            }
            "assert" => {
                then(self);
                StmtKind::Assert(self.expression()?)
            }
            "set_priority" => {
                then(self);
                self.expect(Punct::Open)?;
                let pid = self.expression()?;
                self.expect(Punct::Comma)?;
                let priority = self.expression()?;
                self.expect(Punct::Close)?;
                StmtKind::SetPriority(pid, priority)
            }
            "xr" | "xs" => {
                then(self);
                let mut channels = vec![self.reference()?];
                while self.eat(Punct::Comma) {
                    channels.push(self.reference()?);
                }
                let which = if &*word == "xr" { Exclusive::Receive } else { Exclusive::Send };
                StmtKind::Exclusive(which, channels)
            }
            "return" => self.return_value()?,
            "c_code" | "c_decl" | "c_state" | "c_track" => {
                self.embedded_c();
                StmtKind::Refused
            }
            "inline" | "proctype" | "active" | "typedef" | "never" | "ltl" | "init" => {
                let text = format!("`{word}` cannot stand inside a process; is a `}}` missing before it?");
                self.error(text, start);
                return None;
            }
            _ if self.ahead(1).is(Punct::Open) && self.inlines.contains_key(&word) => {
                self.inline_call(&word, None)?
            }
            _ if self.ahead(1).is(Punct::Open) && self.later_inlines.contains(&word) => {
                self.error(format!("inline `{word}` is used before its definition"), start);
                return None;
            }
            _ => return self.expression_statement(),
        })
    }

    /// An expression, or what begins like one: an assignment, a send, a receive.
    fn expression_statement(&mut self) -> Option<StmtKind> {
        let parenthesised = self.sees(Punct::Open);
        let start = self.span();
        let expr = self.expression()?;
        let operator = self.token().clone();
        let reference = match expr.kind {
            ExprKind::Reference(reference) if !parenthesised => reference,
            kind => {
                let meant = [Punct::Assign, Punct::Bang, Punct::BangBang, Punct::Query, Punct::QueryQuery];
                // On the next line, a `!` begins the next condition.
                if !operator.line_start && meant.iter().any(|&punct| operator.is(punct)) {
                    self.error(format!("`{}` needs a variable on its left", operator.spelling()), start);
                    return None;
                }
                return Some(StmtKind::Expr(Expr { kind, ..expr }));
            }
        };
        let next_line = operator.line_start && (operator.is(Punct::Bang) || operator.is(Punct::Open));
        let Kind::Punct(punct) = operator.kind else {
            return Some(StmtKind::Expr(Expr { kind: ExprKind::Reference(reference), ..expr }));
        };
        Some(match punct {
            // `x` and on the next line `!y` or `(y)`: two conditions.
            _ if next_line => StmtKind::Expr(Expr { kind: ExprKind::Reference(reference), ..expr }),
            Punct::Assign => {
                self.pass();
                if let Some(inline) =
                    self.token().name().filter(|name| self.inlines.contains_key(*name)).cloned()
                    && self.ahead(1).is(Punct::Open)
                {
                    return self.inline_call(&inline, Some(reference));
                }
                let value = self.expression()?;
                StmtKind::Assign(reference, AssignOp::Set(value))
            }
            Punct::Inc => {
                self.pass();
                StmtKind::Assign(reference, AssignOp::Increment)
            }
            Punct::Dec => {
                self.pass();
                StmtKind::Assign(reference, AssignOp::Decrement)
            }
            Punct::Bang | Punct::BangBang => {
                self.pass();
                let fields = self.send_arguments()?;
                StmtKind::Send { channel: reference, sorted: punct == Punct::BangBang, fields }
            }
            Punct::Query | Punct::QueryQuery => {
                self.pass();
                let copy = self.eat(Punct::Less);
                let fields = self.receive_arguments()?;
                if copy {
                    self.expect(Punct::Greater)?;
                }
                StmtKind::Receive { channel: reference, random: punct == Punct::QueryQuery, copy, fields }
            }
            Punct::Open => {
                let name = &reference.parts[0].name;
                let message = self
                    .sources
                    .error(format!("there is no inline `{}`", name.text), name.span)
                    .code(codes::UNKNOWN_NAME);
                let help = self.habit_of_call(&name.text);
                let message = match help {
                    Some(help) => message.help(help),
                    None => message,
                };
                self.report(message);
                return None;
            }
            _ => StmtKind::Expr(Expr { kind: ExprKind::Reference(reference), ..expr }),
        })
    }

    /// `a, b` or `m(a, b)`.
    fn send_arguments(&mut self) -> Option<Vec<Expr>> {
        let mut arguments = vec![self.expression()?];
        // On the next line, a `(` begins another statement.
        if !self.token().line_start && self.eat(Punct::Open) {
            while !self.eat(Punct::Close) {
                arguments.push(self.expression()?);
                if !self.sees(Punct::Close) {
                    self.expect(Punct::Comma)?;
                }
            }
            return Some(arguments);
        }
        while self.eat(Punct::Comma) {
            arguments.push(self.expression()?);
        }
        Some(arguments)
    }

    fn options(&mut self, close: &str) -> Option<Vec<Sequence>> {
        let open = self.span();
        let word = self.token().spelling();
        self.pass();
        while self.eat(Punct::Semi) {}
        let mut options = Vec::new();
        while self.sees(Punct::DoubleColon) {
            let start = self.span();
            self.pass();
            let sequence = self.sequence(start);
            if sequence.statements.is_empty() && self.messages.is_empty() {
                self.error("this option is empty", start);
            }
            options.push(sequence);
        }
        if !self.eat_word(close) {
            let what = if options.is_empty() { "`::`".to_owned() } else { format!("`::` or `{close}`") };
            let message = self
                .sources
                .error(format!("expected {what}, found {}", self.found()), self.span())
                .also(self.sources.place(open), format!("in this `{word}`"));
            self.report(message);
            return None;
        }
        if options.is_empty() {
            self.error(format!("this `{word}` has no options"), open);
        }
        Some(options)
    }

    fn for_loop(&mut self) -> Option<StmtKind> {
        self.pass();
        self.expect(Punct::Open)?;
        let variable = self.reference()?;
        if self.eat_word("in") {
            let container = self.reference()?;
            self.expect(Punct::Close)?;
            self.eat(Punct::Semi);
            let body = self.braced_sequence()?;
            return Some(StmtKind::ForIn { variable, container, body });
        }
        if self.sees(Punct::Assign) {
            let help = "write `for (i : 0 .. 9) { .. }`, with both ends of the range included";
            let message = self.sources.error("a `for` loop goes through a range", self.span()).help(help);
            self.report(message);
            return None;
        }
        let (from, to) = self.range()?;
        self.expect(Punct::Close)?;
        // SPIN's grammar has this semicolon, for the ends of lines.
        self.eat(Punct::Semi);
        let body = self.braced_sequence()?;
        Some(StmtKind::For { variable, from, to, body })
    }

    /// `(v : 1 .. 3)`: SPIN replaces this as text, before it parses, where it can read it so: a name of letters and digits
    /// alone, two numbers (`(1)`, `true` and `'a'` do not count), no line break between the parentheses; and not in an
    /// inline, where it cannot look ahead.
    fn literal_select(&self) -> bool {
        let number = |token: &Token| matches!(token.kind, Kind::Number(_));
        let plain = |name: &Arc<str>| !name.contains('_');
        self.expanding.is_empty()
            && self.sees(Punct::Open)
            && self.ahead(1).name().is_some_and(plain)
            && self.ahead(2).is(Punct::Colon)
            && number(self.ahead(3))
            && self.ahead(4).is(Punct::DotDot)
            && number(self.ahead(5))
            && self.ahead(6).is(Punct::Close)
            && !(1..=6).any(|by| self.ahead(by).line_start)
    }

    fn range(&mut self) -> Option<(Expr, Expr)> {
        self.expect(Punct::Colon)?;
        let from = self.expression()?;
        self.expect(Punct::DotDot)?;
        Some((from, self.expression()?))
    }

    fn printf(&mut self) -> Option<StmtKind> {
        self.pass();
        self.expect(Punct::Open)?;
        let Kind::Text(format) = self.token().kind.clone() else {
            return self.expected("a string");
        };
        self.pass();
        let mut arguments = Vec::new();
        while self.eat(Punct::Comma) {
            arguments.push(self.expression()?);
        }
        self.expect(Punct::Close)?;
        Some(StmtKind::Printf(format, arguments))
    }

    // ---- inlines -----------------------------------------------------------------------------------------------

    /// Inside an inline that was called as `v = f(..)`, `return e` assigns to `v` (it does not jump).
    fn return_value(&mut self) -> Option<StmtKind> {
        let span = self.span();
        self.pass();
        let value = self.expression()?;
        match self.expanding.last() {
            Some((_, Some(result))) => Some(StmtKind::Assign(result.clone(), AssignOp::Set(value))),
            Some((name, None)) => {
                let text = format!("`return` in a use of inline `{name}` that does not assign its result");
                self.error(text, span);
                None
            }
            None => {
                self.error("`return` outside an inline", span);
                None
            }
        }
    }

    fn inline_call(&mut self, name: &Arc<str>, result: Option<Reference>) -> Option<StmtKind> {
        let usage = self.span();
        self.at += 2;
        let arguments = self.inline_arguments(usage)?;
        let definition = self.inlines.get(name)?;
        let (definition_span, body) = (definition.name.span, definition.body.clone());
        if self.expanding.iter().any(|(open, _)| open == name) {
            let message = self
                .sources
                .error(format!("inline `{name}` uses itself"), usage)
                .also(self.sources.place(definition_span), "defined here")
                .help(
                    "an inline is replaced by its text, so it cannot be recursive: use a loop or a proctype",
                );
            self.report(message);
            return None;
        }
        if arguments.len() != definition.parameters.len() {
            let text = format!(
                "inline `{name}` takes {} argument{}, not {}",
                definition.parameters.len(),
                if definition.parameters.len() == 1 { "" } else { "s" },
                arguments.len()
            );
            let message =
                self.sources.error(text, usage).also(self.sources.place(definition_span), "defined here");
            self.report(message);
            return None;
        }
        if self.expanding.len() >= INLINE_DEPTH {
            self.error(format!("inlines are nested more than {INLINE_DEPTH} deep"), usage);
            return None;
        }
        let from = self.sources.add_expansion(ExpansionKind::Inline, name, usage, definition_span);
        let parameters = &self.inlines[name].parameters;
        let mut tokens: Vec<Token> = Vec::with_capacity(body.len());
        let limit = self.budget;
        for token in body.iter() {
            let parameter =
                token.name().and_then(|name| parameters.iter().position(|parameter| parameter == name));
            match parameter {
                // SPIN writes an argument on one line, in the place of the parameter: what ended the line before
                // the parameter ends it before the argument, and line ends within the argument are lost.
                Some(index) => {
                    let first = tokens.len();
                    let argument = arguments[index].iter();
                    tokens.extend(argument.map(|part| Token { line_start: false, ..part.clone() }));
                    if let Some(part) = tokens.get_mut(first) {
                        part.line_start = token.line_start;
                    }
                }
                // A token that a macro put into the body keeps its macro: the message then points at the use of the
                // macro, inside the inline. (The inline's own call is lost there; macros in inlines are short.)
                None if token.span.from.is_some() => tokens.push(token.clone()),
                None => tokens.push(Token { span: Span { from: Some(from), ..token.span }, ..token.clone() }),
            }
            if tokens.len() > limit {
                break;
            }
        }
        self.budget = self.budget.saturating_sub(tokens.len());
        if self.budget == 0 {
            let message = self
                .sources
                .error("the inlines of this model expand to too many tokens", usage)
                .code(codes::BEYOND_LIMIT)
                .help("they do not fit into the memory that is granted; `--memory` raises it");
            self.report(message);
            self.stop();
            return None;
        }
        self.inline_body(Ident { text: name.clone(), span: usage }, tokens, result)
    }

    /// Reads the body in place of the call: the parser's tokens are exchanged and put back.
    fn inline_body(
        &mut self,
        name: Ident,
        mut tokens: Vec<Token>,
        result: Option<Reference>,
    ) -> Option<StmtKind> {
        if let Some(close) = tokens.last_mut() {
            close.kind = Kind::End;
        }
        let outer = std::mem::replace(&mut self.tokens, tokens);
        let at = std::mem::replace(&mut self.at, 0);
        self.expanding.push((name.text.clone(), result));
        let body = self.sequence(name.span);
        if !self.at_end() {
            self.expected::<()>("a statement");
        }
        self.expanding.pop();
        self.tokens = outer;
        self.at = if self.stopped { self.tokens.len() - 1 } else { at };
        let body = Sequence { span: name.span, ..body };
        Some(StmtKind::Inline { name, body })
    }

    /// Behind the `(`: the arguments as tokens, split at commas outside brackets.
    fn inline_arguments(&mut self, usage: Span) -> Option<Vec<Vec<Token>>> {
        let mut arguments: Vec<Vec<Token>> = vec![Vec::new()];
        let mut depth = 0usize;
        loop {
            let token = self.token().clone();
            match token.kind {
                Kind::End => {
                    self.error("the arguments of this inline are not closed by `)`", usage);
                    return None;
                }
                Kind::Punct(Punct::Close) if depth == 0 => break,
                Kind::Punct(Punct::Comma) if depth == 0 => {
                    arguments.push(Vec::new());
                    self.pass();
                    continue;
                }
                Kind::Punct(Punct::Open | Punct::OpenBracket | Punct::OpenBrace) => depth += 1,
                Kind::Punct(Punct::Close | Punct::CloseBracket | Punct::CloseBrace) => {
                    depth = depth.saturating_sub(1);
                }
                _ => {}
            }
            if let Some(last) = arguments.last_mut() {
                last.push(token);
            }
            self.pass();
        }
        self.pass();
        if arguments.len() == 1 && arguments[0].is_empty() {
            arguments.clear();
        }
        Some(arguments)
    }
}

/// Whether the next statement may follow without a separator, on the same line.
fn separates_itself(statement: &Stmt) -> bool {
    match &statement.kind {
        StmtKind::Else | StmtKind::Inline { .. } => true,
        StmtKind::Unless(_, escape) => separates_itself(escape),
        _ => false,
    }
}

/// `skip`.
fn one(span: Span) -> Expr {
    Expr { kind: ExprKind::Number(1), span, height: 1 }
}
