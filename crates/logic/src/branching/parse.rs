//! Text to formula of branching time.
//!
//! One grammar for all doors, since what they have in common is nearly everything:
//!
//! | | spellings |
//! |---|---|
//! | constants, states without successors | `true` `false`, `deadlock` |
//! | negation, conjunction, disjunction | `!` `~` `not`, `&&` `&` `and`, `\|\|` `\|` `or` |
//! | implication, equivalence | `->` `=>` `implies` `imply`, `<->` `<=>` |
//! | fixpoints | `mu X. p`, `nu X. p` (also `min`, `max`), which reach as far to the right as they can |
//! | modalities | `<R> p`, `[R] p`, `<R> @`, `[R] -\|` |
//! | CTL | `AX AF AG EX EF EG`, `A[p U q]`, `E(p W q)`, `A[p R q]`, `A[] p`, `E<> p`, `p --> q` (that is `AG (p -> AF q)`) |
//! | regular formulas | `.`, `\|` or `+` between, `*` `+` `?` after, `nil`, parentheses |
//! | action formulas | `true` `false` `tau`, `not` `and` `or` as above, and labels |
//! | labels | `GET` (this label or gate), `c(1,true)`, `"GET !.*"` (`.*` is any text), `~"regex"` or `'regex'` (of the whole label) |
//!
//! Operators of action formulas bind more tightly than those of regular formulas, so that `not a . b` is `(not a) . b` and `a or b*` is
//! `(a or b)*`, as in mCRL2. A proposition about states is written as in formulas of LTL: a name with what models put after one, a comparison, or
//! anything in double quotes or braces.
//!
//! The parser keeps its own stack. What belongs to a language with data (quantifiers, `val`, parameters of fixpoints) is refused by
//! its name.

mod regular;

use super::ast::RegularId;
use super::ast::{CtlOperator, Fixpoint, MuFormulas, MuId, MuNode, Quantifier};
use super::check;
use crate::scan::{Kind, Scanner, Token, Unclosed};
use elnath_source::{Message, SourceText, codes};
use std::collections::HashMap;
use std::ops::Range;

/// Whose text it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Door {
    /// Ours: the mu-calculus and CTL.
    #[default]
    Own,
    /// mCRL2's `.mcf`: a name is the label without arguments, and `a|b` is a multi-action; comments begin with `%`.
    Mcf,
    /// CADP's MCL: a text in double quotes is that label; comments stand in `(* *)`.
    Mcl,
}

/// Reads the bytes `range` of `source` as a formula.
///
/// # Errors
/// The first thing that is wrong, with its place.
pub fn parse_branching(
    formulas: &mut MuFormulas,
    source: &SourceText,
    range: Range<usize>,
    door: Door,
) -> Result<MuId, Box<Message>> {
    let plain = without_comments(source.text(), door);
    let scanner = Scanner::new(&plain, range.end);
    let closed = closing_parentheses(&plain[..range.end], range.start);
    let mut parser = Parser { formulas, source, scanner, door, at: range.start, scope: Vec::new(), closed };
    let formula = parser.formula()?;
    check::variables(formulas, formula).map_err(|wrong| {
        let place = source.place(wrong.place.start, wrong.place.end);
        let name = &wrong.name;
        let message = Message::error(
            format!("`{name}` stands under an odd number of negations, so that its fixpoint may not exist"),
            place,
        );
        let help = "between a fixpoint and its variable there may be only pairs of negations; the left side of an implication and both sides \
                    of an equivalence count as negated";
        Box::new(message.code(codes::FORMULA_SYNTAX).label("negated").help(help))
    })?;
    Ok(formula)
}

/// The same text with blanks where it has comments.
fn without_comments(text: &str, door: Door) -> String {
    let (open, close) = match door {
        Door::Own => return text.to_owned(),
        Door::Mcf => ("%", "\n"),
        Door::Mcl => ("(*", "*)"),
    };
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find(open) {
        out.push_str(&rest[..at]);
        let inside = &rest[at + open.len()..];
        let length = inside.find(close).map_or(inside.len(), |end| end + close.len());
        let comment = &rest[at..at + open.len() + length];
        out.extend(comment.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        rest = &rest[at + comment.len()..];
    }
    out.push_str(rest);
    out
}

/// For each parenthesis that is opened and closed, the place after its end. Looked for each time anew, they would take time that is
/// quadratic in their depth.
fn closing_parentheses(text: &str, from: usize) -> HashMap<usize, usize> {
    let (mut closed, mut open, mut quoted) = (HashMap::new(), Vec::new(), false);
    let mut bytes = text.bytes().enumerate().skip(from);
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' if quoted => drop(bytes.next()),
            b'"' => quoted = !quoted,
            b'(' if !quoted => open.push(at),
            b')' if !quoted => {
                if let Some(open) = open.pop() {
                    closed.insert(open, at + 1);
                }
            }
            _ => {}
        }
    }
    closed
}

type Read<T> = Result<T, Box<Message>>;

/// What waits for an operand.
enum Pending {
    Not,
    Modal { square: bool, regular: RegularId },
    Ctl(Quantifier, Unary),
    Fix { kind: Fixpoint, variable: u32 },
    Binary { left: MuId, operator: Binary },
    Open { at: usize },
    First { quantifier: Quantifier, open: usize },
    Second { quantifier: Quantifier, open: usize, left: MuId, operator: Between },
}

#[derive(Clone, Copy)]
enum Unary {
    Next,
    Finally,
    Globally,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Binary {
    And,
    Or,
    Implies,
    Iff,
    LeadsTo,
}

#[derive(Clone, Copy)]
enum Between {
    Until,
    Weak,
    Release,
}

impl Binary {
    /// How tightly it binds, and whether it groups to the right.
    fn binding(self) -> (u8, bool) {
        match self {
            Binary::LeadsTo => (1, true),
            Binary::Implies | Binary::Iff => (2, true),
            Binary::Or => (3, false),
            Binary::And => (4, false),
        }
    }
}

struct Parser<'a> {
    formulas: &'a mut MuFormulas,
    source: &'a SourceText,
    scanner: Scanner<'a>,
    door: Door,
    at: usize,
    /// The variables that are bound here, innermost last.
    scope: Vec<(String, u32)>,
    /// Where parentheses are closed.
    closed: HashMap<usize, usize>,
}

impl Parser<'_> {
    fn token(&self) -> Token {
        self.scanner.token(self.at)
    }

    fn words(&self, token: Token) -> &str {
        self.scanner.slice(token.start, token.end)
    }

    /// The whole text: operands and operators in turn, with a stack of what waits.
    fn formula(&mut self) -> Read<MuId> {
        let mut stack: Vec<Pending> = Vec::new();
        loop {
            let Some(mut value) = self.operand(&mut stack)? else { continue };
            // An operand is complete: what follows it?
            loop {
                let token = self.token();
                if let Some((operator, end)) = self.binary(token) {
                    let (level, right) = operator.binding();
                    value = self.reduce(&mut stack, value, level, right);
                    self.at = end;
                    stack.push(Pending::Binary { left: value, operator });
                    break;
                }
                if let Some(between) = self.between(token) {
                    let value = self.reduce(&mut stack, value, 0, false);
                    let Some(Pending::First { quantifier, open }) = stack.pop() else {
                        return Err(self.until_outside(token));
                    };
                    self.at = token.end;
                    stack.push(Pending::Second { quantifier, open, left: value, operator: between });
                    break;
                }
                match token.kind {
                    Kind::Sign(")" | "]") => {
                        value = self.reduce(&mut stack, value, 0, false);
                        value = self.close(&mut stack, value, token)?;
                    }
                    Kind::End => {
                        value = self.reduce(&mut stack, value, 0, false);
                        return match stack.pop() {
                            None => Ok(value),
                            Some(
                                Pending::Open { at: open }
                                | Pending::First { open, .. }
                                | Pending::Second { open, .. },
                            ) => Err(self.unclosed(Unclosed::Open(open))),
                            Some(_) => unreachable!("what waits for an operand was given it"),
                        };
                    }
                    _ => return Err(self.no_operator(token)),
                }
            }
        }
    }

    /// Gives a value to all that wait for it and bind more tightly than an operator of this level.
    fn reduce(&mut self, stack: &mut Vec<Pending>, mut value: MuId, level: u8, right: bool) -> MuId {
        loop {
            let tighter = match stack.last() {
                None | Some(Pending::Open { .. } | Pending::First { .. } | Pending::Second { .. }) => false,
                Some(Pending::Not | Pending::Modal { .. } | Pending::Ctl(..)) => true,
                Some(Pending::Fix { .. }) => level == 0,
                Some(Pending::Binary { operator, .. }) => {
                    let (other, _) = operator.binding();
                    other > level || (other == level && !right)
                }
            };
            if !tighter {
                return value;
            }
            value = match stack.pop().expect("it was looked at") {
                Pending::Not => self.formulas.not(value),
                Pending::Modal { square: true, regular } => self.formulas.add(MuNode::Square(regular, value)),
                Pending::Modal { square: false, regular } => {
                    self.formulas.add(MuNode::Diamond(regular, value))
                }
                Pending::Ctl(quantifier, operator) => {
                    let operator = match operator {
                        Unary::Next => CtlOperator::Next(value),
                        Unary::Finally => CtlOperator::Finally(value),
                        Unary::Globally => CtlOperator::Globally(value),
                    };
                    self.formulas.ctl(quantifier, operator)
                }
                Pending::Fix { kind, variable } => {
                    self.scope.pop();
                    self.formulas.add(MuNode::Fix(kind, variable, value))
                }
                Pending::Binary { left, operator } => self.joined(left, operator, value),
                Pending::Open { .. } | Pending::First { .. } | Pending::Second { .. } => unreachable!(),
            };
        }
    }

    fn joined(&mut self, left: MuId, operator: Binary, right: MuId) -> MuId {
        match operator {
            Binary::And => self.formulas.and([left, right]),
            Binary::Or => self.formulas.or([left, right]),
            Binary::Implies => self.formulas.add(MuNode::Implies(left, right)),
            Binary::Iff => self.formulas.add(MuNode::Iff(left, right)),
            Binary::LeadsTo => {
                let then = self.formulas.ctl(Quantifier::All, CtlOperator::Finally(right));
                let implies = self.formulas.add(MuNode::Implies(left, then));
                self.formulas.ctl(Quantifier::All, CtlOperator::Globally(implies))
            }
        }
    }

    /// Closes the innermost bracket.
    fn close(&mut self, stack: &mut Vec<Pending>, value: MuId, token: Token) -> Read<MuId> {
        let sign = self.words(token).to_owned();
        let open = match stack.last() {
            Some(Pending::Open { at }) => *at,
            Some(Pending::First { open, .. } | Pending::Second { open, .. }) => *open,
            _ => {
                let text = format!("this `{sign}` closes nothing");
                return Err(self.error(token.start, token.end, text).label("no bracket is open here").into());
            }
        };
        let fits = matches!((self.scanner.slice(open, open + 1), sign.as_str()), ("(", ")") | ("[", "]"));
        if !fits {
            return Err(self.unclosed(Unclosed::Other { open, close: token.start }));
        }
        self.at = token.end;
        match stack.pop() {
            Some(Pending::Second { quantifier, left, operator, .. }) => {
                let operator = match operator {
                    Between::Until => CtlOperator::Until(left, value),
                    Between::Weak => CtlOperator::WeakUntil(left, value),
                    Between::Release => CtlOperator::Release(left, value),
                };
                Ok(self.formulas.ctl(quantifier, operator))
            }
            Some(Pending::First { .. }) => Err(self
                .error(
                    open,
                    token.end,
                    "a path quantifier with brackets needs `U`, `W` or `R` between two formulas",
                )
                .label("there is one formula only")
                .help("write `AG p`, `AF p` or `AX p` for operators with one operand")
                .into()),
            _ => Ok(value),
        }
    }

    /// The operator between two operands that `token` begins, and its end.
    fn binary(&self, token: Token) -> Option<(Binary, usize)> {
        let operator = match token.kind {
            Kind::Sign("&&" | "&" | "/\\") => Binary::And,
            Kind::Sign("||" | "|" | "\\/") => Binary::Or,
            Kind::Sign("->" | "=>") => Binary::Implies,
            Kind::Sign("<->" | "<=>") => Binary::Iff,
            Kind::Sign("-") => {
                let next = self.scanner.token(token.end);
                return (next.is("->") && next.start == token.end).then_some((Binary::LeadsTo, next.end));
            }
            Kind::Word => match self.words(token) {
                "and" | "AND" => Binary::And,
                "or" | "OR" => Binary::Or,
                "implies" | "imply" => Binary::Implies,
                "iff" | "equ" => Binary::Iff,
                _ => return None,
            },
            _ => return None,
        };
        Some((operator, token.end))
    }

    fn between(&self, token: Token) -> Option<Between> {
        match (token.kind, self.words(token)) {
            (Kind::Word, "U" | "until") => Some(Between::Until),
            (Kind::Word, "W") => Some(Between::Weak),
            (Kind::Word, "R" | "V" | "release") => Some(Between::Release),
            _ => None,
        }
    }

    /// An operand, or something that waits for one and is put on the stack.
    fn operand(&mut self, stack: &mut Vec<Pending>) -> Read<Option<MuId>> {
        let token = self.token();
        match token.kind {
            Kind::Sign("!" | "~") => {
                self.at = token.end;
                stack.push(Pending::Not);
                Ok(None)
            }
            Kind::Sign("<") => self.modality(stack, token, ">"),
            Kind::Sign("[") => self.modality(stack, token, "]"),
            Kind::Sign("[]" | "<>") => {
                let text = format!("`{}` has no path quantifier", self.words(token));
                let help = "write `A[] p` or `E<> p` (CTL), `[true*] p` or `<true*> p` (mu-calculus), or ask with --ltl";
                Err(self
                    .error(token.start, token.end, text)
                    .label("in all runs, or in some?")
                    .help(help)
                    .into())
            }
            Kind::Sign("(") => {
                let Some(&after) = self.closed.get(&token.start) else {
                    return Err(self.unclosed(Unclosed::Open(token.start)));
                };
                if self.continues(self.scanner.token(after)) {
                    return self.comparison(token.start).map(Some);
                }
                self.at = token.end;
                stack.push(Pending::Open { at: token.start });
                Ok(None)
            }
            Kind::Sign("{") => {
                let end = self.scanner.closing(token.start).map_err(|why| self.unclosed(why))?;
                self.at = end;
                self.delimited(token.start + 1, end - 1).map(Some)
            }
            Kind::Quote => {
                let Some((text, end)) = self.scanner.quoted(token.start) else {
                    return Err(self.unclosed(Unclosed::Open(token.start)));
                };
                self.at = end;
                if text.trim().is_empty() {
                    return Err(self.error(token.start, end, "an empty proposition").into());
                }
                Ok(Some(self.formulas.proposition_at(text.trim(), token.start + 1..end - 1)))
            }
            Kind::Number | Kind::Sign("-") => self.comparison(token.start).map(Some),
            Kind::Word => self.word(stack, token),
            Kind::End | Kind::Sign(_) => Err(self.missing_operand(token)),
            Kind::Other(c) => Err(self
                .error(token.start, token.end, format!("`{c}` has no meaning in a formula"))
                .label("unexpected")
                .into()),
        }
    }

    fn word(&mut self, stack: &mut Vec<Pending>, token: Token) -> Read<Option<MuId>> {
        let word = self.words(token).to_owned();
        let after = self.scanner.token(token.end);
        if let Some((_, variable)) = self.scope.iter().rev().find(|(name, _)| *name == word) {
            let node = MuNode::Variable(*variable);
            if after.is("(") && after.start == token.end {
                return Err(self.refused(token, "a parameter of a fixpoint"));
            }
            self.at = token.end;
            let id = self.formulas.add(node);
            self.formulas.variable_places.insert(id, token.start..token.end);
            return Ok(Some(id));
        }
        let begins = matches!(after.kind, Kind::Word | Kind::Number | Kind::Quote)
            || matches!(after.kind, Kind::Sign("(" | "{" | "!" | "~" | "[" | "<" | "-"));
        match word.as_str() {
            "mu" | "nu" | "min" | "max" if after.kind == Kind::Word => {
                let name = self.words(after).to_owned();
                let dot = self.scanner.token(after.end);
                if dot.is("(") {
                    return Err(self.refused(after, "a parameter of a fixpoint"));
                }
                if !dot.is(".") {
                    return Err(self
                        .error(dot.start, dot.end, format!("`{word} {name}` is not followed by a dot"))
                        .label(format!("write `{word} {name}. formula`"))
                        .into());
                }
                let kind =
                    if matches!(word.as_str(), "mu" | "min") { Fixpoint::Least } else { Fixpoint::Greatest };
                let variable = self.formulas.variable(&name);
                self.scope.push((name, variable));
                stack.push(Pending::Fix { kind, variable });
                self.at = dot.end;
                return Ok(None);
            }
            "not" | "NOT" if begins => {
                self.at = token.end;
                stack.push(Pending::Not);
                return Ok(None);
            }
            "forall" | "exists" | "some" | "all" if after.kind == Kind::Word => {
                return Err(self.refused(token, &format!("`{word}` over data")));
            }
            "inf" | "sup" | "sum" | "delay" | "yaled" | "let" | "case" | "if" | "export" | "choice"
            | "macro" | "library" | "act" | "sort" | "cons" | "map" | "eqn" | "proc"
                if after.kind == Kind::Word =>
            {
                return Err(self.refused(token, &format!("`{word}`")));
            }
            "val" if after.is("(") => return Err(self.refused(token, "a data expression `val(..)`")),
            "delay" | "yaled" if !self.continues(after) => {
                return Err(self.refused(token, &format!("`{word}`")));
            }
            "true" | "false" if !self.continues(after) => {
                self.at = token.end;
                return Ok(Some(self.formulas.constant(word == "true")));
            }
            "deadlock" if !self.continues(after) => {
                self.at = token.end;
                return Ok(Some(self.formulas.add(MuNode::Deadlock)));
            }
            _ => {}
        }
        if let Some((quantifier, operator)) = unary_ctl(&word).filter(|_| begins) {
            self.at = token.end;
            stack.push(Pending::Ctl(quantifier, operator));
            return Ok(None);
        }
        if matches!(word.as_str(), "A" | "E") {
            let quantifier = if word == "A" { Quantifier::All } else { Quantifier::Some };
            let operator = match after.kind {
                Kind::Sign("[]") => Some(Unary::Globally),
                Kind::Sign("<>") => Some(Unary::Finally),
                Kind::Word if matches!(self.words(after), "G" | "always") => Some(Unary::Globally),
                Kind::Word if matches!(self.words(after), "F" | "eventually") => Some(Unary::Finally),
                Kind::Word if self.words(after) == "X" => Some(Unary::Next),
                Kind::Sign("[" | "(") => {
                    self.at = after.end;
                    stack.push(Pending::First { quantifier, open: after.start });
                    return Ok(None);
                }
                _ => None,
            };
            if let Some(operator) = operator {
                self.at = after.end;
                stack.push(Pending::Ctl(quantifier, operator));
                return Ok(None);
            }
        }
        if matches!(word.as_str(), "G" | "F" | "X") && begins && !self.continues(after) {
            let text = format!("`{word}` has no path quantifier");
            let help = format!("write `A{word}` (in all runs) or `E{word}` (in some), or ask with --ltl");
            return Err(self
                .error(token.start, token.end, text)
                .label("in all runs, or in some?")
                .help(help)
                .into());
        }
        self.comparison(token.start).map(Some)
    }

    /// `<R>` or `[R]`, perhaps with what makes it a formula already.
    fn modality(&mut self, stack: &mut Vec<Pending>, open: Token, close: &str) -> Read<Option<MuId>> {
        self.at = open.end;
        let regular = self.regular_formula(open, close)?;
        let next = self.token();
        let square = close == "]";
        if !square && next.is("@") {
            self.at = next.end;
            return Ok(Some(self.formulas.add(MuNode::Forever(regular))));
        }
        if square && next.is("-") {
            let bar = self.scanner.token(next.end);
            if bar.is("|") {
                self.at = bar.end;
                return Ok(Some(self.formulas.add(MuNode::NotForever(regular))));
            }
        }
        stack.push(Pending::Modal { square, regular });
        Ok(None)
    }

    /// Sums of the model's terms, compared or not, beginning at `start`.
    fn comparison(&mut self, start: usize) -> Read<MuId> {
        self.at = start;
        let end = loop {
            let end = self.term()?;
            self.at = end;
            let operator = self.token();
            if !self.continues(operator) {
                break end;
            }
            self.at = operator.end;
        };
        let text = self.scanner.slice(start, end).to_owned();
        match text.as_str() {
            "0" => Ok(self.formulas.constant(false)),
            "1" => Ok(self.formulas.constant(true)),
            _ => Ok(self.formulas.proposition_at(&text, start..end)),
        }
    }

    /// Whether an expression of the model goes on with `token`: a sign of arithmetic or of comparison.
    fn continues(&self, token: Token) -> bool {
        if token.is("-") {
            // `p --> q`
            let next = self.scanner.token(token.end);
            return !(next.is("->") && next.start == token.end);
        }
        matches!(
            token.kind,
            Kind::Sign("==" | "!=" | "<" | "<=" | ">" | ">=" | "+" | "*" | "/" | "%" | "<<" | ">>" | "??")
        )
    }

    /// The end of a number, a string, an expression in parentheses, or a name with what follows it.
    fn term(&mut self) -> Read<usize> {
        let mut token = self.token();
        while token.is("-") {
            self.at = token.end;
            token = self.token();
        }
        match token.kind {
            Kind::Number => Ok(token.end),
            Kind::Sign("(") => self.scanner.closing(token.start).map_err(|why| self.unclosed(why)),
            Kind::Word => self.scanner.suffixes(token.end).map_err(|why| self.unclosed(why)),
            _ => Err(self.missing_operand(token)),
        }
    }

    fn delimited(&mut self, start: usize, end: usize) -> Read<MuId> {
        let inside = self.scanner.slice(start, end);
        let text = inside.trim().to_owned();
        if text.is_empty() {
            return Err(self.error(start - 1, end + 1, "an empty proposition").into());
        }
        let from = start + (inside.len() - inside.trim_start().len());
        Ok(self.formulas.proposition_at(&text, from..from + text.len()))
    }

    pub(super) fn error(&self, start: usize, end: usize, text: impl Into<String>) -> Message {
        Message::error(text, self.source.place(start, end)).code(codes::FORMULA_SYNTAX)
    }

    fn refused(&self, token: Token, what: &str) -> Box<Message> {
        self.error(
            token.start,
            token.end,
            format!("{what} is not read: formulas here have no data parameters"),
        )
        .label("outside the language")
        .help("write one formula for each value, or a pattern over labels such as \"GET !.*\"")
        .into()
    }

    fn unclosed(&self, why: Unclosed) -> Box<Message> {
        why.message(&self.scanner, self.source).into()
    }

    fn missing_operand(&self, token: Token) -> Box<Message> {
        let found = match token.kind {
            Kind::End => "the formula ends".to_owned(),
            _ => format!("there is `{}`", self.words(token)),
        };
        let text = format!("an operand is missing: {found} where a formula should begin");
        self.error(token.start, token.end, text).label("missing here").into()
    }

    fn until_outside(&self, token: Token) -> Box<Message> {
        let text = format!("`{}` stands outside `A[..]` and `E[..]`", self.words(token));
        self.error(token.start, token.end, text)
            .label("in all runs, or in some?")
            .help("write `A[p U q]` or `E[p U q]`, or ask with --ltl")
            .into()
    }

    fn no_operator(&self, token: Token) -> Box<Message> {
        let text = format!("an operator is missing before `{}`", self.words(token));
        self.error(token.start, token.end, text)
            .label("expected `&&`, `||`, `->`, ...")
            .help("a proposition of several words stands in quotes or braces: \"x > 3\" or {x > 3}")
            .into()
    }
}

fn unary_ctl(word: &str) -> Option<(Quantifier, Unary)> {
    Some(match word {
        "AX" => (Quantifier::All, Unary::Next),
        "AF" => (Quantifier::All, Unary::Finally),
        "AG" => (Quantifier::All, Unary::Globally),
        "EX" => (Quantifier::Some, Unary::Next),
        "EF" => (Quantifier::Some, Unary::Finally),
        "EG" => (Quantifier::Some, Unary::Globally),
        _ => return None,
    })
}
