//! Temporal formulas in `ltl` blocks.
//!
//! SPIN's grammar gives them the precedences (loosest first) `->` and `<->`, `||`, `&&`, then `U`, `W`, `V`, then the
//! operators of C from `|` on, then the prefixes `!`, `[]`, `<>`, `X`; all binary ones associate to the left. Two of these
//! surprise, and are treated so:
//! - `p -> q -> r` is `(p -> q) -> r`: read as SPIN does, with a warning;
//! - `[] x == 1` would be `([] x) == 1`, of which SPIN silently makes nonsense (it compares the number of a token with
//!   1): read as `[] (x == 1)`, which is what everybody means by it, with a warning.
//!
//! A subformula without temporal operators becomes one atom, as large as possible, so that the automaton has few
//! propositions.

use super::{HEIGHT, Parser};
use crate::ast::*;
use crate::lexer::{Kind, Punct, Token};
use crate::sources::Span;
use elnath_source::{classified, codes};

/// Loosest first. The level above the last is that of C's operators, from `|` on.
const IMPLICATION: u8 = 1;
const OR: u8 = 2;
const AND: u8 = 3;
const UNTIL: u8 = 4;
/// The least level of [`Parser::binary`] that excludes `&&` and `||`.
const ARITHMETIC: u8 = 3;

impl Parser<'_> {
    pub(super) fn ltl(&mut self) -> Option<LtlDecl> {
        let start = self.span();
        self.pass();
        let name = if self.sees(Punct::OpenBrace) { None } else { Some(self.ident("a name or `{`")?) };
        self.expect(Punct::OpenBrace)?;
        let (begin, said) = (self.at, self.messages.len());
        if let Some(formula) = self.formula_to_brace() {
            return Some(LtlDecl { name, formula: Ok(formula), span: self.since(start) });
        }
        let stuck = std::mem::replace(&mut self.at, begin);
        if self.stopped || self.skip_braces().is_none() {
            self.at = stuck;
            return None;
        }
        // Only who asks for the formula needs it: its mistakes travel with it.
        let faults = classified(self.messages.split_off(said), codes::FORMULA_SYNTAX);
        Some(LtlDecl { name, formula: Err(faults), span: self.since(start) })
    }

    fn formula_to_brace(&mut self) -> Option<Formula> {
        let formula = self.formula(IMPLICATION)?;
        while self.eat(Punct::Semi) {}
        self.expect(Punct::CloseBrace)?;
        Some(formula)
    }

    fn formula(&mut self, least: u8) -> Option<Formula> {
        let mut left = self.nested(Self::temporal_unary)?;
        let mut chained: Option<Span> = None;
        while let Some((level, operator, length)) =
            self.temporal_operator().filter(|&(level, ..)| level >= least)
        {
            let at = self.span();
            self.at += length;
            let right = self.nested(|parser| parser.formula(level + 1))?;
            if level == IMPLICATION {
                if chained.is_some() {
                    let message = self
                        .sources
                        .warning("a chain of implications is read from the left, as SPIN does", at)
                        .code(codes::IMPLICATION_CHAIN)
                        .help("write the parentheses: `p -> (q -> r)`");
                    self.report(message);
                }
                chained = Some(at);
            }
            left = self.combine(operator, left, right)?;
        }
        Some(left)
    }

    /// The operator here, its level, and of how many tokens it consists.
    fn temporal_operator(&self) -> Option<(u8, TemporalOp, usize)> {
        use TemporalOp::*;
        let token = self.token();
        let adjacent = |punct| self.ahead(1).is(punct) && !self.ahead(1).space_before;
        Some(match &token.kind {
            Kind::Punct(Punct::Arrow) => (IMPLICATION, Implies, 1),
            Kind::Punct(Punct::Less) if adjacent(Punct::Arrow) => (IMPLICATION, Equivalent, 2),
            Kind::Punct(Punct::OrOr) => (OR, Or, 1),
            Kind::Punct(Punct::AndAnd) => (AND, And, 1),
            Kind::Punct(Punct::Backslash) if adjacent(Punct::Slash) => (OR, Or, 2),
            Kind::Punct(Punct::Slash) if adjacent(Punct::Backslash) => (AND, And, 2),
            Kind::Name(word) => match &**word {
                "implies" => (IMPLICATION, Implies, 1),
                "equivalent" => (IMPLICATION, Equivalent, 1),
                "U" | "until" | "stronguntil" => (UNTIL, Until, 1),
                "W" | "weakuntil" => (UNTIL, WeakUntil, 1),
                "V" | "R" | "release" => (UNTIL, Release, 1),
                _ => return None,
            },
            _ => return None,
        })
    }

    fn combine(&mut self, operator: TemporalOp, left: Formula, right: Formula) -> Option<Formula> {
        let span = self.sources.join(left.span, right.span);
        let below = left.height.max(right.height);
        let pure = match operator {
            TemporalOp::And => Some(BinaryOp::And),
            TemporalOp::Or => Some(BinaryOp::Or),
            _ => None,
        };
        let kind = match (pure, left.kind, right.kind) {
            (Some(operator), FormulaKind::Atom(a), FormulaKind::Atom(b)) => {
                let height = a.height.max(b.height) + 1;
                let kind = ExprKind::Binary(operator, a.into(), b.into());
                FormulaKind::Atom(Expr { kind, span, height })
            }
            (_, a, b) => {
                let left = Formula { kind: a, span: left.span, height: left.height };
                let right = Formula { kind: b, span: right.span, height: right.height };
                FormulaKind::Binary(operator, left.into(), right.into())
            }
        };
        self.over(kind, span, below)
    }

    fn over(&mut self, kind: FormulaKind, span: Span, below: u16) -> Option<Formula> {
        if below >= HEIGHT {
            self.error(format!("this formula has more than {HEIGHT} operators in a row"), span);
            self.stop();
            return None;
        }
        Some(Formula { kind, span, height: below + 1 })
    }

    fn temporal_unary(&mut self) -> Option<Formula> {
        let start = self.span();
        let prefix = self.prefix();
        if let Some((make, length)) = prefix {
            self.at += length;
            let operand = self.nested(Self::temporal_unary_tight)?;
            let operand = self.compared_operand(operand)?;
            let span = self.since(start);
            let below = operand.height;
            let formula = self.over(make(operand.into()), span, below)?;
            return self.no_arithmetic_behind(formula);
        }
        if self.sees(Punct::Bang) {
            self.pass();
            let operand = self.nested(Self::temporal_unary_tight)?;
            let span = self.since(start);
            let below = operand.height;
            if let FormulaKind::Atom(expr) = operand.kind {
                let not = ExprKind::Unary(UnaryOp::Not, expr.into());
                let expr = self.binary_from(Expr { kind: not, span, height: below + 1 }, ARITHMETIC)?;
                return self.atom(expr);
            }
            let formula = self.over(FormulaKind::Not(operand.into()), span, below)?;
            return self.no_arithmetic_behind(formula);
        }
        if self.sees(Punct::Open) {
            let formula = self.parenthesised_formula()?;
            return match formula.kind {
                // `(a + b) * c == d`: an expression that merely begins with a parenthesis.
                FormulaKind::Atom(expr) => {
                    let expr = self.binary_from(expr, ARITHMETIC)?;
                    self.atom(expr)
                }
                _ => self.no_arithmetic_behind(formula),
            };
        }
        let expr = self.binary(ARITHMETIC)?;
        self.atom(expr)
    }

    /// `[] x == 1`: the comparison that follows the operand of a prefix belongs to it.
    fn compared_operand(&mut self, operand: Formula) -> Option<Formula> {
        let FormulaKind::Atom(expr) = operand.kind else { return Some(operand) };
        let operator = self.token().clone();
        let before = self.at;
        let expr = self.binary_from(expr, ARITHMETIC)?;
        if self.at > before {
            let text =
                format!("`{}` is read as part of the temporal operator's operand", operator.spelling());
            let message = self
                .sources
                .warning(text, operator.span)
                .code(codes::COMPARISON_OPERAND)
                .help("write `[] (x == 1)`: SPIN compares the number of an internal token here");
            self.report(message);
        }
        self.atom(expr)
    }

    /// The operand of a prefix, which binds tighter than arithmetic.
    fn temporal_unary_tight(&mut self) -> Option<Formula> {
        if self.prefix().is_some() || self.sees(Punct::Bang) {
            return self.temporal_unary();
        }
        if self.sees(Punct::Open) {
            return self.parenthesised_formula();
        }
        let expr = self.primary()?;
        self.atom(expr)
    }

    fn parenthesised_formula(&mut self) -> Option<Formula> {
        let start = self.span();
        self.pass();
        let inner = self.nested(|parser| parser.formula(IMPLICATION))?;
        self.expect(Punct::Close)?;
        let span = self.since(start);
        Some(match inner.kind {
            FormulaKind::Atom(expr) => {
                Formula { kind: FormulaKind::Atom(Expr { span, ..expr }), span, ..inner }
            }
            kind => Formula { kind, span, ..inner },
        })
    }

    fn atom(&mut self, expr: Expr) -> Option<Formula> {
        let (span, height) = (expr.span, expr.height);
        self.over(FormulaKind::Atom(expr), span, height)
    }

    #[allow(clippy::type_complexity)] // A constructor and a length, used once.
    fn prefix(&self) -> Option<(fn(Box<Formula>) -> FormulaKind, usize)> {
        let token: &Token = self.token();
        Some(match &token.kind {
            Kind::Punct(Punct::OpenBracket) if self.ahead(1).is(Punct::CloseBracket) => {
                (FormulaKind::Always, 2)
            }
            Kind::Punct(Punct::Less) if self.ahead(1).is(Punct::Greater) => (FormulaKind::Eventually, 2),
            Kind::Name(word) => match &**word {
                "always" => (FormulaKind::Always, 1),
                "eventually" => (FormulaKind::Eventually, 1),
                "X" | "next" => (FormulaKind::Next, 1),
                _ => return None,
            },
            _ => return None,
        })
    }

    /// `([] x) == 1` makes no sense.
    fn no_arithmetic_behind(&mut self, formula: Formula) -> Option<Formula> {
        let operators = [
            Punct::EqEq,
            Punct::NotEq,
            Punct::LessEq,
            Punct::Greater,
            Punct::GreaterEq,
            Punct::Plus,
            Punct::Minus,
            Punct::Star,
            Punct::Percent,
            Punct::Bar,
            Punct::Caret,
            Punct::Amp,
            Punct::Shl,
            Punct::Shr,
            Punct::Slash,
            Punct::Less,
        ];
        let arithmetic =
            operators.iter().any(|&punct| self.sees(punct)) && self.temporal_operator().is_none();
        if arithmetic {
            let text = format!("the operand of `{}` is a temporal formula", self.token().spelling());
            let message = self
                .sources
                .error(text, self.span())
                .also(self.sources.place(formula.span), "this one")
                .help("write `[] (x == 1)`");
            self.report(message);
            return None;
        }
        Some(formula)
    }
}
