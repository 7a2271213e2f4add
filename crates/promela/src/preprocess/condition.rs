//! The expressions of `#if` and `#elif`: integers, all of C's operators, `defined`.
//!
//! As in C, `defined X` is answered before macros are expanded, and a name that is still there afterwards counts as 0. An
//! operand that is not needed (`0 && 1/0`) is read but its mistakes are not reported.

use super::Preprocessor;
use crate::lexer::{Kind, Punct, Token};
use crate::sources::Span;

const DEPTH: usize = 100;

impl Preprocessor<'_> {
    /// Whether the condition holds; a broken one is reported and counts as false.
    pub(super) fn condition(&mut self, at: Span, tokens: &[Token]) -> bool {
        let resolved = self.answer_defined(tokens);
        let tokens = self.expand(&resolved);
        // As in gcc, a macro may bring another `defined` in.
        let tokens = self.answer_defined(&tokens);
        let mut parser = Parser { tokens: &tokens, at: 0, depth: 0, live: true };
        let value = match parser.ternary() {
            Ok(value) if parser.at == tokens.len() => Ok(value),
            Ok(_) => Err(format!("unexpected `{}` in the condition", tokens[parser.at].spelling())),
            Err(text) => Err(text),
        };
        match value {
            Ok(value) => value != 0,
            Err(text) => {
                let span = tokens.get(parser.at).or(tokens.last()).map_or(at, |token| token.span);
                self.error(text, span);
                false
            }
        }
    }

    fn answer_defined(&self, tokens: &[Token]) -> Vec<Token> {
        let mut out = Vec::with_capacity(tokens.len());
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            if token.name().is_some_and(|name| &**name == "defined") {
                let parenthesised = tokens.get(at + 1).is_some_and(|token| token.is(Punct::Open))
                    && tokens.get(at + 3).is_some_and(|token| token.is(Punct::Close));
                let (name, length) = if parenthesised { (at + 2, 4) } else { (at + 1, 2) };
                if let Some(name) = tokens.get(name).and_then(Token::name) {
                    let answer = if self.macros.contains_key(name) { "1" } else { "0" };
                    out.push(Token { kind: Kind::Number(answer.into()), ..token.clone() });
                    at += length;
                    continue;
                }
            }
            out.push(token.clone());
            at += 1;
        }
        out
    }
}

struct Parser<'t> {
    tokens: &'t [Token],
    at: usize,
    depth: usize,
    /// False while reading an operand whose value does not matter.
    live: bool,
}

type Value = Result<i64, String>;

impl Parser<'_> {
    fn eat(&mut self, punct: Punct) -> bool {
        let found = self.tokens.get(self.at).is_some_and(|token| token.is(punct));
        self.at += usize::from(found);
        found
    }

    fn dead(&mut self, dead: bool, operand: impl FnOnce(&mut Self) -> Value) -> Value {
        let live = self.live;
        self.live &= !dead;
        let value = operand(self);
        self.live = live;
        value
    }

    fn ternary(&mut self) -> Value {
        let condition = self.binary(0)?;
        if !self.eat(Punct::Query) {
            return Ok(condition);
        }
        self.nest()?;
        let then = self.dead(condition == 0, Self::ternary)?;
        if !self.eat(Punct::Colon) {
            return Err("expected `:` in the condition".to_owned());
        }
        let otherwise = self.dead(condition != 0, Self::ternary)?;
        self.depth -= 1;
        Ok(if condition != 0 { then } else { otherwise })
    }

    fn nest(&mut self) -> Result<(), String> {
        self.depth += 1;
        if self.depth > DEPTH { Err("the condition is nested too deeply".to_owned()) } else { Ok(()) }
    }

    /// Precedence climbing; level 0 is `||`.
    fn binary(&mut self, level: usize) -> Value {
        use Punct::*;
        const LEVELS: [&[Punct]; 10] = [
            &[OrOr],
            &[AndAnd],
            &[Bar],
            &[Caret],
            &[Amp],
            &[EqEq, NotEq],
            &[Less, Greater, LessEq, GreaterEq],
            &[Shl, Shr],
            &[Plus, Minus],
            &[Star, Slash, Percent],
        ];
        if level == LEVELS.len() {
            return self.unary();
        }
        let mut left = self.binary(level + 1)?;
        while let Some(&operator) =
            LEVELS[level].iter().find(|&&punct| self.tokens.get(self.at).is_some_and(|token| token.is(punct)))
        {
            self.at += 1;
            let decided = (operator == OrOr && left != 0) || (operator == AndAnd && left == 0);
            let right = self.dead(decided, |parser| parser.binary(level + 1))?;
            left = match operator {
                OrOr => i64::from(left != 0 || right != 0),
                AndAnd => i64::from(left != 0 && right != 0),
                Bar => left | right,
                Caret => left ^ right,
                Amp => left & right,
                EqEq => i64::from(left == right),
                NotEq => i64::from(left != right),
                Less => i64::from(left < right),
                Greater => i64::from(left > right),
                LessEq => i64::from(left <= right),
                GreaterEq => i64::from(left >= right),
                Shl => left.wrapping_shl(right as u32),
                Shr => left.wrapping_shr(right as u32),
                Plus => left.wrapping_add(right),
                Minus => left.wrapping_sub(right),
                Star => left.wrapping_mul(right),
                _ if right == 0 && !self.live => 0,
                _ if right == 0 => return Err("division by zero in the condition".to_owned()),
                Slash => left.wrapping_div(right),
                _ => left.wrapping_rem(right),
            };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Value {
        let Some(token) = self.tokens.get(self.at) else {
            return Err("the condition ends too early".to_owned());
        };
        self.at += 1;
        self.nest()?;
        let value = match &token.kind {
            Kind::Number(text) => number(text).ok_or_else(|| format!("`{text}` is not a number")),
            Kind::Char(value) => Ok(i64::from(*value)),
            Kind::Name(_) => Ok(0),
            Kind::Punct(Punct::Bang) => self.unary().map(|value| i64::from(value == 0)),
            Kind::Punct(Punct::BangBang) => self.unary().map(|value| i64::from(value != 0)),
            Kind::Punct(Punct::Tilde) => self.unary().map(|value| !value),
            Kind::Punct(Punct::Minus) => self.unary().map(i64::wrapping_neg),
            Kind::Punct(Punct::Plus) => self.unary(),
            Kind::Punct(Punct::Open) => self.ternary().and_then(|value| {
                if self.eat(Punct::Close) {
                    Ok(value)
                } else {
                    Err("expected `)` in the condition".to_owned())
                }
            }),
            _ => {
                self.at -= 1;
                Err(format!("unexpected `{}` in the condition", token.spelling()))
            }
        };
        self.depth -= 1;
        value
    }
}

/// A C integer constant with its suffixes.
fn number(text: &str) -> Option<i64> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    if let Some(hexadecimal) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        return i64::from_str_radix(hexadecimal, 16).ok();
    }
    if digits.len() > 1 && digits.starts_with('0') {
        return i64::from_str_radix(digits, 8).ok();
    }
    digits.parse().ok()
}
