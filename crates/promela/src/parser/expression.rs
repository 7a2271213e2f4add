//! Expressions, with SPIN's precedences.
//!
//! They are those of C, with `!`, `~` and `-` binding tighter than everything, and the conditional written
//! `(c -> a : b)`, always in parentheses. SPIN's grammar keeps `empty(q)` and its kin out of most places (they
//! may not be negated or compared); nothing is gained by repeating that, so they are ordinary operands here.

use super::{HEIGHT, Parser};
use crate::ast::*;
use crate::lexer::{Kind, Punct, Token};
use crate::sources::Span;
use elnath_source::codes;

/// The binary operators from the loosest to the tightest.
fn binary_operator(token: &Token) -> Option<(u8, BinaryOp)> {
    let Kind::Punct(punct) = token.kind else { return None };
    Some(match punct {
        Punct::OrOr => (1, BinaryOp::Or),
        Punct::AndAnd => (2, BinaryOp::And),
        Punct::Bar => (3, BinaryOp::BitOr),
        Punct::Caret => (4, BinaryOp::BitXor),
        Punct::Amp => (5, BinaryOp::BitAnd),
        Punct::EqEq => (6, BinaryOp::Eq),
        Punct::NotEq => (6, BinaryOp::Ne),
        Punct::Less => (7, BinaryOp::Lt),
        Punct::LessEq => (7, BinaryOp::Le),
        Punct::Greater => (7, BinaryOp::Gt),
        Punct::GreaterEq => (7, BinaryOp::Ge),
        Punct::Shl => (8, BinaryOp::Shl),
        Punct::Shr => (8, BinaryOp::Shr),
        Punct::Plus => (9, BinaryOp::Add),
        Punct::Minus => (9, BinaryOp::Sub),
        Punct::Star => (10, BinaryOp::Mul),
        Punct::Slash => (10, BinaryOp::Div),
        Punct::Percent => (10, BinaryOp::Rem),
        _ => return None,
    })
}

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Option<Expr> {
        self.binary(1)
    }

    /// An expression that is all there is.
    pub(super) fn proposition(&mut self) -> Option<Expr> {
        let expr = self.expression()?;
        if self.at_end() { Some(expr) } else { self.expected("an operator or the end of the proposition") }
    }

    /// A rule inside brackets, where the ends of lines mean nothing.
    fn bracketed<T>(&mut self, rule: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.brackets += 1;
        let result = self.nested(rule);
        self.brackets -= 1;
        result
    }

    /// Precedence climbing; all operators are left associative.
    pub(super) fn binary(&mut self, least: u8) -> Option<Expr> {
        let first = self.unary()?;
        self.binary_from(first, least)
    }

    /// Goes on behind an operand that was read already.
    pub(super) fn binary_from(&mut self, first: Expr, least: u8) -> Option<Expr> {
        let mut left = first;
        while let Some((level, operator)) = binary_operator(self.token()).filter(|&(level, _)| level >= least)
        {
            if self.expression_ends() {
                break;
            }
            self.looks_like_an_arrow();
            self.pass();
            let right = self.nested(|parser| parser.binary(level + 1))?;
            let span = self.sources.join(left.span, right.span);
            let height = left.height.max(right.height);
            left = self.tree(ExprKind::Binary(operator, left.into(), right.into()), span, height)?;
        }
        Some(left)
    }

    /// `q <- 1` is a comparison with -1, and somebody who writes it so means to send, or to assign.
    fn looks_like_an_arrow(&mut self) {
        let (less, minus, operand) = (self.token(), self.ahead(1), self.ahead(2));
        let spaced = minus.span.end < operand.span.start && minus.span.file == operand.span.file;
        let arrow = less.is(Punct::Less) && minus.is(Punct::Minus) && less.span.end == minus.span.start;
        if !(arrow && spaced && minus.span.from.is_none()) {
            return;
        }
        let span = self.sources.join(less.span, minus.span);
        let message = self.sources.warning("`<-` is read as `<` and `-`: a comparison", span);
        let help = "write `!` to send, `=` to assign, or `< -` to compare";
        self.report(message.code(codes::REVERSED_ARROW).help(help));
    }

    /// At what looks like an operator but is not one here.
    fn expression_ends(&self) -> bool {
        // `<->` and `/\` of formulas begin like operators of C, but nothing in C goes on like them.
        let formula = self.ahead(1).is(Punct::Arrow) || self.ahead(1).is(Punct::Backslash);
        // A new line separates statements, so a `-` there begins the next one. (SPIN takes a line end for a separator
        // even before `+` and then complains; we read on.)
        let next_line = self.brackets == 0 && self.token().line_start && self.sees(Punct::Minus);
        formula || next_line
    }

    /// A node over operands of the given height.
    fn tree(&mut self, kind: ExprKind, span: Span, below: u16) -> Option<Expr> {
        if below >= HEIGHT {
            self.error(format!("this expression has more than {HEIGHT} operators in a row"), span);
            self.stop();
            return None;
        }
        Some(Expr { kind, span, height: below + 1 })
    }

    fn unary(&mut self) -> Option<Expr> {
        let start = self.span();
        let (operator, twice) = match self.token().kind {
            Kind::Punct(Punct::Bang) => (UnaryOp::Not, false),
            Kind::Punct(Punct::BangBang) => (UnaryOp::Not, true),
            Kind::Punct(Punct::Minus) => (UnaryOp::Minus, false),
            Kind::Punct(Punct::Dec) => (UnaryOp::Minus, true),
            Kind::Punct(Punct::Tilde) => (UnaryOp::Complement, false),
            _ => return self.primary(),
        };
        self.pass();
        let operand = self.nested(Self::unary)?;
        let span = self.since(start);
        let height = operand.height;
        let once = self.tree(ExprKind::Unary(operator, operand.into()), span, height)?;
        if twice { self.tree(ExprKind::Unary(operator, once.into()), span, height + 1) } else { Some(once) }
    }

    pub(super) fn primary(&mut self) -> Option<Expr> {
        let start = self.span();
        match self.token().kind.clone() {
            Kind::Number(text) => {
                self.pass();
                let value = self.number(&text, start);
                self.tree(ExprKind::Number(value), start, 0)
            }
            Kind::Char(value) => {
                self.pass();
                self.tree(ExprKind::Number(i32::from(value)), start, 0)
            }
            Kind::Punct(Punct::Open) => {
                self.pass();
                self.bracketed(|parser| parser.parenthesised(start))
            }
            Kind::Name(word) => self.nested(|parser| parser.word(&word, start)),
            _ => self.expected("an expression"),
        }
    }

    /// Numbers are decimal in Promela, whatever they begin with. SPIN reads 64 bits and keeps the lower 32.
    pub(super) fn number(&mut self, text: &str, span: Span) -> i32 {
        if let Ok(value) = text.parse::<i32>() {
            return value;
        }
        if !text.bytes().all(|byte| byte.is_ascii_digit()) {
            self.error(format!("`{text}` is not a number; Promela has only decimal ones"), span);
            return 0;
        }
        let value = text.parse::<i64>().unwrap_or(i64::MAX) as i32;
        // Behind a minus sign, it is the least int.
        let least = value == i32::MIN && self.at >= 2 && self.tokens[self.at - 2].is(Punct::Minus);
        if !least {
            let text = format!("`{text}` does not fit into an int and becomes {value}, as in SPIN");
            let message = self.sources.warning(text, span).code(codes::TRUNCATED);
            self.report(message);
        }
        value
    }

    fn parenthesised(&mut self, start: Span) -> Option<Expr> {
        let first = self.expression()?;
        if !self.eat(Punct::Arrow) {
            self.expect(Punct::Close)?;
            // The parentheses belong to the place, so that messages mark the whole. A parenthesised name must not be
            // taken for the start of an assignment, see `statement`; the wider span is how it is told apart.
            return Some(Expr { span: self.since(start), ..first });
        }
        let then = self.expression()?;
        self.expect(Punct::Colon)?;
        let otherwise = self.expression()?;
        self.expect(Punct::Close)?;
        let height = first.height.max(then.height).max(otherwise.height);
        let span = self.since(start);
        self.tree(ExprKind::Conditional(Box::new((first, then, otherwise))), span, height)
    }

    fn word(&mut self, word: &str, start: Span) -> Option<Expr> {
        let constant = match word {
            "true" | "skip" => Some(ExprKind::Number(1)),
            "false" => Some(ExprKind::Number(0)),
            "timeout" => Some(ExprKind::Timeout),
            "np_" => Some(ExprKind::NonProgress),
            _ => None,
        };
        if let Some(kind) = constant {
            self.pass();
            return self.tree(kind, start, 0);
        }
        match word {
            "run" => self.run(),
            "len" => self.channel_question(ChannelOp::Len),
            "empty" => self.channel_question(ChannelOp::Empty),
            "nempty" => self.channel_question(ChannelOp::NotEmpty),
            "full" => self.channel_question(ChannelOp::Full),
            "nfull" => self.channel_question(ChannelOp::NotFull),
            "enabled" => self.process_question(ExprKind::Enabled),
            "pc_value" => self.process_question(ExprKind::PcValue),
            "get_priority" => self.process_question(ExprKind::GetPriority),
            "c_expr" | "c_code" => {
                self.embedded_c();
                self.tree(ExprKind::Number(0), start, 0)
            }
            _ if self.proctypes.contains(word) && self.at_remote() => self.remote(),
            _ => self.reference_or_poll(),
        }
    }

    fn run(&mut self) -> Option<Expr> {
        let start = self.span();
        self.pass();
        let proctype = self.ident("the name of a proctype")?;
        self.expect(Punct::Open)?;
        let mut arguments = Vec::new();
        while !self.eat(Punct::Close) {
            arguments.push(self.bracketed(Self::expression)?);
            if !self.sees(Punct::Close) {
                self.expect(Punct::Comma)?;
            }
        }
        let priority = if self.eat_word("priority") { Some(Box::new(self.primary()?)) } else { None };
        let height = arguments.iter().map(|argument| argument.height).max().unwrap_or(0);
        let span = self.since(start);
        self.tree(ExprKind::Run { proctype, arguments, priority }, span, height)
    }

    fn channel_question(&mut self, question: ChannelOp) -> Option<Expr> {
        let start = self.span();
        self.pass();
        self.expect(Punct::Open)?;
        let channel = self.reference()?;
        self.expect(Punct::Close)?;
        let span = self.since(start);
        let height = channel.height();
        self.tree(ExprKind::Channel(question, channel), span, height)
    }

    fn process_question(&mut self, question: fn(Box<Expr>) -> ExprKind) -> Option<Expr> {
        let start = self.span();
        self.pass();
        self.expect(Punct::Open)?;
        let pid = self.expression()?;
        self.expect(Punct::Close)?;
        let height = pid.height;
        let span = self.since(start);
        self.tree(question(Box::new(pid)), span, height)
    }

    /// `p@`, `p:` (not `p::`) or `p[`, where `p` is known to be a proctype.
    fn at_remote(&self) -> bool {
        [Punct::At, Punct::Colon, Punct::OpenBracket].iter().any(|&punct| self.ahead(1).is(punct))
    }

    fn remote(&mut self) -> Option<Expr> {
        let start = self.span();
        let proctype = Ident { text: self.token().name()?.clone(), span: start };
        self.pass();
        let mut pid = None;
        let mut height = 0;
        if self.eat(Punct::OpenBracket) {
            let index = self.bracketed(Self::expression)?;
            height = index.height;
            pid = Some(Box::new(index));
            self.expect(Punct::CloseBracket)?;
        }
        if self.eat(Punct::At) {
            let label = self.ident("a label")?;
            let span = self.since(start);
            return self.tree(ExprKind::RemoteLabel { proctype, pid, label }, span, height);
        }
        if !self.eat(Punct::Colon) {
            return self.expected("`@` and a label, or `:` and a variable,");
        }
        let variable = self.reference()?;
        let span = self.since(start);
        let height = height.max(variable.height());
        self.tree(ExprKind::RemoteVariable { proctype, pid, variable }, span, height)
    }

    fn reference_or_poll(&mut self) -> Option<Expr> {
        let start = self.span();
        let reference = self.reference()?;
        let height = reference.height();
        if self.sees(Punct::At) {
            let text = format!("there is no proctype `{}` to look at", reference.parts[0].name.text);
            self.error(text, reference.span);
            self.pass();
            self.ident("a label")?;
            return self.tree(ExprKind::Number(0), start, 0);
        }
        let random = self.sees(Punct::QueryQuery);
        let poll = (random || self.sees(Punct::Query)) && self.ahead(1).is(Punct::OpenBracket);
        if !poll {
            return self.tree(ExprKind::Reference(reference), start, height).map(|expr| {
                let ExprKind::Reference(reference) = &expr.kind else { return expr };
                Expr { span: reference.span, ..expr }
            });
        }
        self.at += 2;
        let fields = self.receive_arguments()?;
        self.expect(Punct::CloseBracket)?;
        let span = self.since(start);
        self.tree(ExprKind::Poll { channel: reference, random, fields }, span, height)
    }

    /// `a[i].b`.
    pub(super) fn reference(&mut self) -> Option<Reference> {
        let start = self.span();
        let mut parts = vec![self.part("a variable")?];
        while self.eat(Punct::Dot) {
            parts.push(self.part("a field")?);
        }
        Some(Reference { parts, span: self.since(start) })
    }

    fn part(&mut self, what: &str) -> Option<Part> {
        let name = self.ident(what)?;
        let mut index = None;
        if self.eat(Punct::OpenBracket) {
            index = Some(Box::new(self.bracketed(Self::expression)?));
            self.expect(Punct::CloseBracket)?;
        }
        Some(Part { name, index })
    }

    /// `a, b`, `m(a, b)` or `(a, b)`; `m(a)` is another way to write `m, a`.
    pub(super) fn receive_arguments(&mut self) -> Option<Vec<ReceiveArg>> {
        let mut arguments = Vec::new();
        let mut open = 0usize;
        loop {
            while self.eat(Punct::Open) {
                open += 1;
            }
            arguments.push(self.receive_argument()?);
            while open > 0 && self.eat(Punct::Close) {
                open -= 1;
            }
            // On the next line, a `(` begins another statement.
            let more = self.sees(Punct::Open) && (open > 0 || self.brackets > 0 || !self.token().line_start);
            if !more && !self.eat(Punct::Comma) {
                break;
            }
        }
        if open > 0 {
            return self.expected("`)`");
        }
        Some(arguments)
    }

    fn receive_argument(&mut self) -> Option<ReceiveArg> {
        let start = self.span();
        if self.eat_word("eval") {
            self.expect(Punct::Open)?;
            let value = self.expression()?;
            self.expect(Punct::Close)?;
            return Some(ReceiveArg::Eval(value, self.since(start)));
        }
        if self.at_any_word(&["true", "false", "skip"]) {
            let value = i32::from(!self.at_word("false"));
            self.pass();
            return Some(ReceiveArg::Constant(value, start));
        }
        if self.token().name().is_some() {
            return Some(ReceiveArg::Name(self.reference()?));
        }
        let negative = self.eat(Punct::Minus);
        let span = self.span();
        let value = match self.token().kind.clone() {
            Kind::Number(text) => self.number(&text, span),
            Kind::Char(value) => i32::from(value),
            _ => return self.expected("a variable or a constant"),
        };
        self.pass();
        Some(ReceiveArg::Constant(if negative { -value } else { value }, self.since(start)))
    }
}

impl Reference {
    fn height(&self) -> u16 {
        self.parts.iter().filter_map(|part| part.index.as_ref()).map(|index| index.height).max().unwrap_or(0)
    }
}
