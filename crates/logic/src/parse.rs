//! Text to formula.
//!
//! # Operators
//!
//! | | spellings |
//! |---|---|
//! | constants | `true` `false` `1` `0` |
//! | negation | `!` `~` `¬` |
//! | conjunction, disjunction | `&&` `&` `/\` `∧`, and `\|\|` `\|` `\/` `∨` |
//! | implication, equivalence, exclusive or | `->` `=>` `→` `implies`, `<->` `<=>` `↔` `equivalent`, `xor` `^` `⊕` |
//! | always, eventually | `[]` `G` `□` `always`, `<>` `F` `◇` `eventually` |
//! | next | `X`; `X[!]`, which on finite words demands that there is a next position |
//! | until, release, weak until, strong release | `U` `until`, `R` `V` `release`, `W` `weakuntil`, `M` |
//!
//! SPIN, Spot and LTSmin agree on these but not on how they bind, which is a matter of the [`Dialect`]. Unary operators
//! bind tightest in all of them.
//!
//! | | from loosest to tightest |
//! |---|---|
//! | Spot | `->` `<->` (right), `\|`, `xor`, `&`, `U R W M` (right) |
//! | SPIN | `->` `<->` (left), `\|\|`, `xor`, `&&`, `U V W M` (left) |
//! | LTSmin | `U R W M` (right), `->` (right), `<->`, `\|\|`, `xor`, `&&` |
//!
//! # Propositions
//!
//! A proposition is kept as its text with its place; what it means is for the language of the model, later. It may be
//! - anything in double quotes, `"x > 3"`, or in braces, `{x > 3 && y < 2}`;
//! - a name, also with the forms that models use behind one: `q[0]`, `len(q)`, `p@label`, `proc[1]:var`, `a.b`,
//!   `q?[msg]`;
//! - a comparison of sums of such, of numbers and of parenthesised expressions: `x == 1`, `q[0] + 1 < (n - 1) * 2`;
//! - `action(PATTERN)`, a pattern over the label of the step that is taken: one word, or any text in double quotes.
//!
//! `&`, `|` and `^` are always operators of the logic, never of the model's arithmetic; braces or quotes hide them.
//!
//! Spot writes `GFp` for `G F p`, and models have variables such as `Full`. A word that begins with `G`, `F` or `X` is
//! read as Spot reads it unless the caller, who has the model, says that it [knows](Syntax::known) the word. At the
//! place of an operand `U`, `R`, `V`, `W` and `M` are names like any other.
//!
//! No input overflows the stack: nesting beyond [`DEEPEST`] is refused, and with it every formula whose depth, on which
//! everything else in this crate may recurse, is greater.

use std::ops::Range;

use elnath_source::{Message, SourceText, codes};

use crate::formula::{Atom, Formulas, Id};
use crate::scan::{Kind, Scanner, Token, Unclosed};

/// The deepest formula.
pub const DEEPEST: usize = 400;

/// Whose rules of precedence and associativity hold; see the table above.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// As Spot reads formulas, which is also what most papers mean.
    #[default]
    Spot,
    /// As SPIN reads an `ltl` block. Also, `!x == 1` compares `!x` there, as in Promela.
    Spin,
    /// As LTSmin reads formulas: until binds looser than anything.
    Ltsmin,
}

/// How a text is to be read.
#[derive(Clone, Copy)]
pub struct Syntax<'a> {
    /// How operators bind.
    pub dialect: Dialect,
    /// Whether a word is a name of the model.
    pub known: &'a dyn Fn(&str) -> bool,
}

impl Default for Syntax<'_> {
    fn default() -> Self {
        Self { dialect: Dialect::Spot, known: &|_| false }
    }
}

/// A formula that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// The formula, as written: not in normal form.
    pub formula: Id,
    /// Each occurrence of a proposition: its number, and the bytes of its text (without quotes or braces).
    pub occurrences: Vec<(u32, Range<usize>)>,
}

/// Reads the bytes `range` of `source` as a formula.
///
/// # Errors
///
/// The first thing that is wrong, with its place.
pub fn parse(
    formulas: &mut Formulas,
    source: &SourceText,
    range: Range<usize>,
    syntax: Syntax<'_>,
) -> Result<Parsed, Box<Message>> {
    let scanner = Scanner::new(source.text(), range.end);
    let mut parser =
        Parser { formulas, source, scanner, syntax, at: range.start, nesting: 0, occurrences: Vec::new() };
    let part = parser.formula(0)?;
    let rest = parser.token();
    if rest.kind != Kind::End {
        return Err(parser.no_operator(rest));
    }
    Ok(Parsed { formula: part.id, occurrences: parser.occurrences })
}

/// Reads a whole text, called `formula` in messages.
///
/// # Errors
///
/// The first thing that is wrong, with its place.
pub fn parse_text(formulas: &mut Formulas, text: &str, syntax: Syntax<'_>) -> Result<Parsed, Box<Message>> {
    parse(formulas, &SourceText::new("formula", text), 0..text.len(), syntax)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Binary {
    And,
    Or,
    Xor,
    Implies,
    Iff,
    Until,
    Release,
    WeakUntil,
    StrongRelease,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

/// How tightly an operator binds, and to which side it groups.
fn binding(dialect: Dialect, operator: Binary) -> (u8, Side) {
    use Binary::{And, Iff, Implies, Or, Xor};
    match (dialect, operator) {
        (Dialect::Spot, Implies | Iff) => (1, Side::Right),
        (Dialect::Spin, Implies | Iff) => (1, Side::Left),
        (Dialect::Ltsmin, Implies) => (1, Side::Right),
        (Dialect::Ltsmin, Iff) => (2, Side::Left),
        (_, Or) => (3, Side::Left),
        (_, Xor) => (4, Side::Left),
        (_, And) => (5, Side::Left),
        (Dialect::Spot, _) => (6, Side::Right),
        (Dialect::Spin, _) => (6, Side::Left),
        (Dialect::Ltsmin, _) => (0, Side::Right),
    }
}

/// A formula that was read, and how deep it is.
#[derive(Clone, Copy)]
struct Part {
    id: Id,
    depth: usize,
}

type Read<T> = Result<T, Box<Message>>;

struct Parser<'a, 's> {
    formulas: &'a mut Formulas,
    source: &'a SourceText,
    scanner: Scanner<'a>,
    syntax: Syntax<'s>,
    at: usize,
    nesting: usize,
    occurrences: Vec<(u32, Range<usize>)>,
}

impl Parser<'_, '_> {
    fn token(&self) -> Token {
        self.scanner.token(self.at)
    }

    fn words(&self, token: Token) -> &str {
        self.scanner.slice(token.start, token.end)
    }

    /// Operands joined by operators that bind at least as tightly as `loosest`.
    fn formula(&mut self, loosest: u8) -> Read<Part> {
        let mut left = self.nested(Self::operand)?;
        loop {
            let token = self.token();
            let Some(operator) = self.binary(token)? else { return Ok(left) };
            let (level, side) = binding(self.syntax.dialect, operator);
            if level < loosest {
                return Ok(left);
            }
            self.at = token.end;
            if matches!(operator, Binary::And | Binary::Or) {
                // All operands of a chain at once: joined one by one they would take quadratic time, and look deep.
                let mut parts = vec![left.id];
                let mut depth = left.depth;
                loop {
                    let right = self.nested(|parser| parser.formula(level + 1))?;
                    parts.push(right.id);
                    depth = depth.max(right.depth);
                    let token = self.token();
                    if self.binary(token)? != Some(operator) {
                        break;
                    }
                    self.at = token.end;
                }
                let id = match operator {
                    Binary::And => self.formulas.conjunction(parts),
                    _ => self.formulas.disjunction(parts),
                };
                left = self.part(id, depth, token)?;
                continue;
            }
            let next = if side == Side::Right { level } else { level + 1 };
            let right = self.nested(|parser| parser.formula(next))?;
            let formulas = &mut *self.formulas;
            let (f, g) = (left.id, right.id);
            let id = match operator {
                Binary::And => formulas.and(f, g),
                Binary::Or => formulas.or(f, g),
                Binary::Xor => formulas.xor(f, g),
                Binary::Implies => formulas.implies(f, g),
                Binary::Iff => formulas.iff(f, g),
                Binary::Until => formulas.until(f, g),
                Binary::Release => formulas.release(f, g),
                Binary::WeakUntil => formulas.weak_until(f, g),
                Binary::StrongRelease => formulas.strong_release(f, g),
            };
            // Equivalence becomes three operators deep.
            let extra = if matches!(operator, Binary::Iff | Binary::Xor) { 3 } else { 1 };
            left = self.part(id, left.depth.max(right.depth) + extra, token)?;
        }
    }

    fn part(&self, id: Id, depth: usize, at: Token) -> Read<Part> {
        if depth > DEEPEST { Err(self.too_deep(at)) } else { Ok(Part { id, depth }) }
    }

    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Read<Part>) -> Read<Part> {
        if self.nesting >= 2 * DEEPEST {
            return Err(self.too_deep(self.token()));
        }
        self.nesting += 1;
        let part = read(self);
        self.nesting -= 1;
        part
    }

    fn too_deep(&self, at: Token) -> Box<Message> {
        self.error(at.start, at.end, "the formula is nested too deeply")
            .label("here")
            .help(format!("operators and parentheses may be {DEEPEST} deep"))
            .into()
    }

    /// The operator between two operands that `token` is, if any.
    fn binary(&self, token: Token) -> Read<Option<Binary>> {
        let operator = match token.kind {
            Kind::Sign("&&" | "&" | "/\\") => Binary::And,
            Kind::Sign("||" | "|" | "\\/") => Binary::Or,
            Kind::Sign("->" | "=>") => Binary::Implies,
            Kind::Sign("<->" | "<=>") => Binary::Iff,
            Kind::Sign("^") => Binary::Xor,
            Kind::Sign("=") => {
                return Err(self
                    .error(token.start, token.end, "`=` is not a comparison")
                    .label("write `==`")
                    .help("`x == 1` compares; `p <-> q` says that two formulas hold together")
                    .into());
            }
            Kind::Word => match self.words(token) {
                "xor" => Binary::Xor,
                "implies" => Binary::Implies,
                "equivalent" => Binary::Iff,
                "U" | "until" => Binary::Until,
                "R" | "V" | "release" => Binary::Release,
                "W" | "weakuntil" => Binary::WeakUntil,
                "M" => Binary::StrongRelease,
                word => match written_out(word) {
                    Some(sign) => return Err(self.write_sign(token, word, sign)),
                    None => return Ok(None),
                },
            },
            _ => return Ok(None),
        };
        Ok(Some(operator))
    }

    /// A proposition, a formula in parentheses, or a unary operator with its operand.
    fn operand(&mut self) -> Read<Part> {
        let token = self.token();
        match token.kind {
            Kind::Sign("!" | "~") => {
                if self.syntax.dialect == Dialect::Spin && self.is_compared_negation(token)? {
                    return self.comparison(token.start);
                }
                self.unary(token, token.end, Formulas::not)
            }
            Kind::Sign("[]") => self.unary(token, token.end, Formulas::always),
            Kind::Sign("<>") => self.unary(token, token.end, Formulas::eventually),
            Kind::Sign("{") => {
                let end = self.closing(token.start)?;
                self.at = end;
                self.delimited(token.start + 1, end - 1)
            }
            Kind::Quote => {
                let Some((text, end)) = self.scanner.quoted(token.start) else {
                    return Err(self.unclosed(Unclosed::Open(token.start)));
                };
                self.at = end;
                if text.trim().is_empty() {
                    return Err(self.empty_proposition(token.start, end));
                }
                Ok(self.atom(Atom::State(text.trim().to_owned()), token.start + 1..end - 1))
            }
            Kind::Sign("(") => {
                let end = self.closing(token.start)?;
                if self.continues(self.scanner.token(end)) {
                    return self.comparison(token.start);
                }
                self.at = token.end;
                if self.token().is(")") {
                    return Err(self.missing_operand(self.token(), "between the parentheses"));
                }
                let part = self.formula(0)?;
                let close = self.token();
                if !close.is(")") {
                    return Err(self.no_operator(close));
                }
                self.at = close.end;
                Ok(part)
            }
            Kind::Sign("-") => self.comparison(token.start),
            Kind::Number => {
                if self.continues(self.scanner.token(token.end)) {
                    return self.comparison(token.start);
                }
                self.at = token.end;
                match self.words(token) {
                    "0" => Ok(Part { id: Id::FALSE, depth: 0 }),
                    "1" => Ok(Part { id: Id::TRUE, depth: 0 }),
                    number => Err(self
                        .error(token.start, token.end, format!("the number {number} is not a formula"))
                        .label("neither true nor false")
                        .help("compare it with something, as in `x == 3`; `1` and `0` stand for true and false")
                        .into()),
                }
            }
            Kind::Word => self.word(token),
            Kind::End | Kind::Sign(_) => Err(self.missing_operand(token, "here")),
            Kind::Other(c) => Err(self
                .error(token.start, token.end, format!("`{c}` has no meaning in a formula"))
                .label("unexpected")
                .help("a proposition in the model's language may hold any sign when it stands in quotes or braces")
                .into()),
        }
    }

    fn word(&mut self, token: Token) -> Read<Part> {
        let word = self.words(token).to_owned();
        let after = self.scanner.token(token.end);
        let known = (self.syntax.known)(&word);
        let first = word.as_bytes()[0];
        let second = word.as_bytes().get(1);
        let glued = second.is_none_or(|&b| !b.is_ascii_digit() && b != b'_');
        if matches!(first, b'G' | b'F' | b'X') && glued && (!known || second.is_none()) {
            return self.letter(token, first);
        }
        if word == "action" && after.is("(") && after.start == token.end && !known {
            return self.action(after.start);
        }
        if !known && !self.continues(after) {
            match word.as_str() {
                "true" | "false" => {
                    self.at = token.end;
                    return Ok(Part { id: self.formulas.constant(word == "true"), depth: 0 });
                }
                "always" if begins_operand(after) => return self.unary(token, token.end, Formulas::always),
                "eventually" if begins_operand(after) => {
                    return self.unary(token, token.end, Formulas::eventually);
                }
                "AG" | "AF" | "AX" | "EG" | "EF" | "EX" if begins_operand(after) => {
                    return Err(self.branching(token, &word));
                }
                "A" | "E" if after.is("[") => return Err(self.branching(token, &word)),
                "not" | "NOT" | "Not" if begins_operand(after) => {
                    return Err(self.write_sign(token, &word, "!"));
                }
                _ => {}
            }
        }
        self.comparison(token.start)
    }

    /// `G`, `F` or `X`, perhaps with more letters glued to it.
    fn letter(&mut self, token: Token, letter: u8) -> Read<Part> {
        let end = token.start + 1;
        let bracket = self.scanner.token(end);
        let glued_bracket = (bracket.is("[") || bracket.is("[]")) && bracket.start == end;
        if letter == b'X' && self.scanner.slice(end, token.end).is_empty() && glued_bracket && bracket.is("[")
        {
            let mark = self.scanner.token(bracket.end);
            let close = self.scanner.token(mark.end);
            if mark.is("!") && close.is("]") {
                return self.unary(token, close.end, Formulas::strong_next);
            }
        }
        if glued_bracket && bracket.is("[") {
            return Err(self
                .error(bracket.start, bracket.end, "temporal operators take no bounds here")
                .label("only `X[!]` is known")
                .help("write the steps out, as in `X X p`")
                .into());
        }
        match letter {
            b'G' => self.unary(token, end, Formulas::always),
            b'F' => self.unary(token, end, Formulas::eventually),
            _ => self.unary(token, end, Formulas::next),
        }
    }

    fn unary(&mut self, operator: Token, end: usize, make: fn(&mut Formulas, Id) -> Id) -> Read<Part> {
        self.at = end;
        let operand = self.nested(Self::operand)?;
        let id = make(self.formulas, operand.id);
        self.part(id, operand.depth + 1, operator)
    }

    fn action(&mut self, open: usize) -> Read<Part> {
        let end = self.closing(open)?;
        self.at = end;
        let inside = self.scanner.slice(open + 1, end - 1);
        let pattern = inside.trim();
        let start = open + 1 + (inside.len() - inside.trim_start().len());
        if pattern.is_empty() {
            return Err(self.empty_proposition(open, end));
        }
        let quoted = if pattern.starts_with('"') { self.scanner.quoted(start) } else { None };
        match quoted {
            Some((text, after)) if after == start + pattern.len() => {
                Ok(self.atom(Atom::Action(text), start + 1..after - 1))
            }
            _ => Ok(self.atom(Atom::Action(pattern.to_owned()), start..start + pattern.len())),
        }
    }

    /// Sums of the model's terms, compared or not, beginning at `start`.
    fn comparison(&mut self, start: usize) -> Read<Part> {
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
        Ok(self.state(start, end))
    }

    /// Whether an expression of the model goes on with `token`: a sign of arithmetic or of comparison.
    fn continues(&self, token: Token) -> bool {
        matches!(
            token.kind,
            Kind::Sign(
                "==" | "!=" | "<" | "<=" | ">" | ">=" | "+" | "-" | "*" | "/" | "%" | "<<" | ">>" | "??"
            )
        )
    }

    /// The end of a number, a string, an expression in parentheses, or a name with what follows it.
    fn term(&mut self) -> Read<usize> {
        let mut token = self.token();
        // A sign may be repeated, but not so often that it matters that this is a loop.
        while token.is("-") || (self.syntax.dialect == Dialect::Spin && token.is("!")) {
            self.at = token.end;
            token = self.token();
        }
        match token.kind {
            Kind::Number => Ok(token.end),
            Kind::Sign("(") => self.closing(token.start),
            Kind::Quote => match self.scanner.quoted(token.start) {
                Some((_, end)) => Ok(end),
                None => Err(self.unclosed(Unclosed::Open(token.start))),
            },
            Kind::Word => self.name_end(token.end),
            _ => Err(self.missing_operand(token, "of the comparison")),
        }
    }

    /// The end of a name that ends at `end` with what follows it.
    fn name_end(&self, end: usize) -> Read<usize> {
        self.scanner.suffixes(end).map_err(|why| self.unclosed(why))
    }

    /// Whether this is Promela's `!x == 1`, which compares `!x`.
    fn is_compared_negation(&self, negation: Token) -> Read<bool> {
        let next = self.scanner.token(negation.end);
        let end = match next.kind {
            Kind::Word => self.name_end(next.end)?,
            Kind::Number => next.end,
            _ => return Ok(false),
        };
        // A glued operator, as in `!Fx == 1`, is read as everywhere else.
        let word = self.words(next);
        let glued = word.starts_with(['G', 'F', 'X']) && !(self.syntax.known)(word);
        Ok(!glued && self.continues(self.scanner.token(end)))
    }

    fn state(&mut self, start: usize, end: usize) -> Part {
        let text = self.scanner.slice(start, end).to_owned();
        self.atom(Atom::State(text), start..end)
    }

    fn delimited(&mut self, start: usize, end: usize) -> Read<Part> {
        let inside = self.scanner.slice(start, end);
        let text = inside.trim();
        if text.is_empty() {
            return Err(self.empty_proposition(start - 1, end + 1));
        }
        let from = start + (inside.len() - inside.trim_start().len());
        Ok(self.state(from, from + text.len()))
    }

    fn atom(&mut self, atom: Atom, range: Range<usize>) -> Part {
        let number = self.formulas.number(atom.clone());
        self.occurrences.push((number, range));
        Part { id: self.formulas.atom(atom), depth: 0 }
    }

    fn closing(&self, open: usize) -> Read<usize> {
        self.scanner.closing(open).map_err(|why| self.unclosed(why))
    }

    fn error(&self, start: usize, end: usize, text: impl Into<String>) -> Message {
        Message::error(text, self.source.place(start, end)).code(codes::FORMULA_SYNTAX)
    }

    fn unclosed(&self, why: Unclosed) -> Box<Message> {
        why.message(&self.scanner, self.source).into()
    }

    fn empty_proposition(&self, start: usize, end: usize) -> Box<Message> {
        self.error(start, end, "an empty proposition").label("nothing between these").into()
    }

    fn missing_operand(&self, token: Token, place: &str) -> Box<Message> {
        let found = match token.kind {
            Kind::End => "the formula ends".to_owned(),
            _ => format!("there is `{}`", self.words(token)),
        };
        // One caret also at the end of the text.
        let message = self
            .error(
                token.start,
                token.end,
                format!("an operand is missing: {found} where a formula should begin"),
            )
            .label(format!("missing {place}"));
        match token.kind {
            Kind::Sign(")") => message.help("each `)` closes a `(`; is there one too many?").into(),
            _ => message.into(),
        }
    }

    /// An operand was read, and what follows joins it with nothing.
    fn no_operator(&self, token: Token) -> Box<Message> {
        let text = self.words(token);
        match token.kind {
            Kind::Sign(")") => self
                .error(token.start, token.end, "this `)` closes nothing")
                .label("no `(` before it is open")
                .into(),
            Kind::Sign("!" | "~") => self
                .error(token.start, token.end, "an operator is missing before a negation")
                .label("expected `&&`, `||`, `->`, `U`, ...")
                .into(),
            Kind::Other(c) => self
                .error(token.start, token.end, format!("`{c}` has no meaning in a formula"))
                .label("unexpected")
                .into(),
            _ => self
                .error(token.start, token.end, format!("an operator is missing before `{text}`"))
                .label("expected `&&`, `||`, `->`, `U`, ...")
                .help("a proposition of several words stands in quotes or braces: \"x > 3\" or {x > 3}")
                .into(),
        }
    }

    /// An operator of CTL.
    fn branching(&self, token: Token, word: &str) -> Box<Message> {
        let help = match word {
            "AG" | "AF" | "AX" => format!("in LTL every run is meant anyway: write `{}`", &word[1..]),
            "EF" => "`EF p` holds if `G !p` fails; the run that is shown leads to p".to_owned(),
            "EG" => "`EG p` holds if `F !p` fails; the run that is shown is one of p".to_owned(),
            "EX" => "`EX p` holds if `X !p` fails".to_owned(),
            "A" => "in LTL every run is meant anyway: write `p U q` for `A[p U q]`".to_owned(),
            _ => "`E[p U q]` holds if `!(p U q)` fails".to_owned(),
        };
        let help = format!(
            "{help}. What has an E inside an A, such as `AG EF p`, cannot be said in LTL: ask with --ctl"
        );
        let text = format!("`{word}` is an operator of CTL, and formulas are read as LTL");
        self.error(token.start, token.end, text).label("branching time").help(help).into()
    }

    fn write_sign(&self, token: Token, word: &str, sign: &str) -> Box<Message> {
        self.error(token.start, token.end, format!("`{word}` is not an operator"))
            .label(format!("write `{sign}`"))
            .into()
    }
}

/// The sign for an operator that people write in letters.
fn written_out(word: &str) -> Option<&'static str> {
    match word.to_ascii_lowercase().as_str() {
        "and" => Some("&&"),
        "or" => Some("||"),
        "iff" => Some("<->"),
        "then" | "imply" | "implies" => Some("->"),
        "u" => Some("U"),
        "w" => Some("W"),
        "xor" => Some("xor"),
        _ => None,
    }
}

fn begins_operand(token: Token) -> bool {
    matches!(
        token.kind,
        Kind::Word | Kind::Number | Kind::Quote | Kind::Sign("(" | "{" | "!" | "~" | "[]" | "<>")
    )
}
