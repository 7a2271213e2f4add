//! Propositions about markings, as users write them in formulas.
//!
//! | written | true when |
//! |---|---|
//! | `tokens(p) >= 2` | the place `p` holds at least two tokens; also `<`, `<=`, `>`, `==`, `!=` |
//! | `tokens(p, q) + 2 * tokens(r) < tokens(s) - 1` | sums of tokens compare so; `tokens(p, q)` is `tokens(p) + tokens(q)` |
//! | `fireable(t)`, `fireable(t, u)` | the transition `t` is enabled; one of them is |
//! | `deadlock` | no transition is enabled |
//!
//! A place or transition is written by its id or its name; in quotation marks if there is a comma, a parenthesis or a space in it.

use crate::net::PetriNet;
use crate::predicate::{AgainstZero, MarkingTest, Predicate, TokenSum};
use elnath_source::{Message, SourceText, codes, nearest};
use std::ops::Range;

/// The words that begin a proposition, or are one.
pub const WORDS: &[&str] = &["tokens", "fireable", "deadlock"];

/// Whether a text is meant to be a proposition about markings.
pub fn is_proposition(text: &str) -> bool {
    let text = text.trim();
    text == "deadlock"
        || text.contains("tokens(")
        || text.contains("tokens (")
        || text.starts_with("fireable(")
        || text.starts_with("fireable (")
}

/// Reads the proposition at `range` of a text.
///
/// # Errors
/// What is wrong with it.
pub fn proposition(
    net: &PetriNet,
    source: &SourceText,
    range: Range<usize>,
) -> Result<Predicate, Box<Message>> {
    let mut reader = Reader { net, source, at: range.start, end: range.end };
    let predicate = reader.proposition()?;
    reader.skip();
    if reader.at < reader.end {
        return Err(reader.expected("the end of the proposition"));
    }
    Ok(predicate)
}

struct Reader<'a> {
    net: &'a PetriNet,
    source: &'a SourceText,
    at: usize,
    end: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.source.text()[self.at..self.end]
    }

    fn skip(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn eat(&mut self, sign: &str) -> bool {
        self.skip();
        let is_there = self.rest().starts_with(sign);
        if is_there {
            self.at += sign.len();
        }
        is_there
    }

    fn message(&self, range: Range<usize>, text: String) -> Message {
        Message::error(text, self.source.place(range.start, range.end)).code(codes::UNKNOWN_PROPOSITION)
    }

    fn expected(&self, what: &str) -> Box<Message> {
        let next = self.rest().chars().next().map_or(0, char::len_utf8);
        self.message(self.at..self.at + next, format!("{what} is expected here"))
            .help("write, for example, `tokens(p) >= 2`, `fireable(t)` or `deadlock`")
            .into()
    }

    fn proposition(&mut self) -> Result<Predicate, Box<Message>> {
        if self.eat("fireable") {
            let mut all = Vec::new();
            for (word, range) in self.names()? {
                let meant = self.net.transitions_named(&word);
                if meant.is_empty() {
                    let names = self.net.transitions.iter().map(|transition| transition.name.as_str());
                    return Err(self.unknown("transition", &word, range, nearest(&word, names)));
                }
                all.extend(meant);
            }
            return Ok(Predicate::test(MarkingTest::Fireable(all)));
        }
        if self.eat("deadlock") {
            return Ok(Predicate::test(MarkingTest::Dead));
        }
        let left = self.sum()?;
        // Each comparison as one of a difference with zero: left minus right or the other way round, and what is added to it.
        let operators = [
            ("<=", 1, 0, AgainstZero::AtMost),
            (">=", -1, 0, AgainstZero::AtMost),
            ("==", 1, 0, AgainstZero::Equal),
            ("!=", 1, 0, AgainstZero::Different),
            ("<", 1, 1, AgainstZero::AtMost),
            (">", -1, 1, AgainstZero::AtMost),
        ];
        let operator = operators.into_iter().find(|operator| self.eat(operator.0));
        let (_, sign, added, against) = operator.ok_or_else(|| self.expected("a comparison"))?;
        let right = self.sum()?;
        let difference =
            TokenSum { places: Vec::new(), constant: added }.plus(&left, sign).plus(&right, -sign);
        Ok(Predicate::test(MarkingTest::Compare(difference, against)))
    }

    fn sum(&mut self) -> Result<TokenSum, Box<Message>> {
        let sign = if self.eat("-") { -1 } else { 1 };
        let mut sum = TokenSum::default().plus(&self.product()?, sign);
        loop {
            let sign = if self.eat("+") {
                1
            } else if self.eat("-") {
                -1
            } else {
                return Ok(sum);
            };
            sum = sum.plus(&self.product()?, sign);
        }
    }

    fn product(&mut self) -> Result<TokenSum, Box<Message>> {
        let mut product = self.operand()?;
        while self.eat("*") {
            let other = self.operand()?;
            let (factor, sum) = if product.places.is_empty() { (product, other) } else { (other, product) };
            if !factor.places.is_empty() {
                return Err(self.expected("a number as the factor"));
            }
            product = TokenSum::default().plus(&sum, factor.constant);
        }
        Ok(product)
    }

    fn operand(&mut self) -> Result<TokenSum, Box<Message>> {
        if self.eat("tokens") {
            let mut sum = TokenSum::default();
            for (word, range) in self.names()? {
                let Some(place) = self.net.place(&word) else {
                    let names = self.net.places.iter().map(|place| place.name.as_str());
                    return Err(self.unknown("place", &word, range, nearest(&word, names)));
                };
                sum = sum.plus(&TokenSum { places: vec![(place, 1)], constant: 0 }, 1);
            }
            return Ok(sum);
        }
        if self.eat("(") {
            let sum = self.sum()?;
            return if self.eat(")") { Ok(sum) } else { Err(self.expected("`)`")) };
        }
        self.skip();
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        let number = self.rest()[..digits].parse::<i64>();
        let constant = number.map_err(|_| self.expected("`tokens(PLACE)` or a number"))?;
        self.at += digits;
        Ok(TokenSum { places: Vec::new(), constant })
    }

    /// Names in parentheses, with their places.
    fn names(&mut self) -> Result<Vec<(String, Range<usize>)>, Box<Message>> {
        if !self.eat("(") {
            return Err(self.expected("`(`"));
        }
        let mut names = Vec::new();
        loop {
            self.skip();
            let quoted = self.eat("\"");
            let start = self.at;
            let ends = |c: char| if quoted { c == '"' } else { c == ',' || c == ')' };
            let Some(length) = self.rest().find(ends) else { return Err(self.expected("`)`")) };
            let word = self.rest()[..length].trim_end().to_owned();
            if word.is_empty() {
                return Err(self.expected("a name"));
            }
            self.at += length + usize::from(quoted);
            let range = start..start + word.len();
            names.push((word, range));
            if self.eat(")") {
                return Ok(names);
            }
            if !self.eat(",") {
                return Err(self.expected("`,` or `)`"));
            }
        }
    }

    fn unknown(&self, what: &str, word: &str, range: Range<usize>, near: Option<String>) -> Box<Message> {
        let message = self.message(range, format!("the net has no {what} `{word}`"));
        match near {
            Some(near) => message.help(format!("did you mean `{near}`?")).into(),
            None => message.into(),
        }
    }
}
