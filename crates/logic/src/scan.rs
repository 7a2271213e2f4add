//! The words and signs of a formula's text, one at a time.
//!
//! There is no list of tokens made beforehand: what a sign means depends on where it stands (`M` is an operator between
//! two operands and a variable at the place of one), and the text between braces belongs to the language of the model,
//! which may hold signs that no formula has. So the parser asks for the token at its place, and moves on as it likes.

use elnath_source::{Message, SourceText, codes};

/// What stands at some place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Nothing more.
    End,
    /// Letters, digits and underscores, not beginning with a digit.
    Word,
    /// Digits.
    Number,
    /// A double quote; the text behind it is read by [`Scanner::quoted`].
    Quote,
    /// One of [`SIGNS`], or a mathematical sign as the one of them that it stands for.
    Sign(&'static str),
    /// Anything else.
    Other(char),
}

/// A token: its kind and its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Token {
    pub(crate) fn is(self, sign: &str) -> bool {
        matches!(self.kind, Kind::Sign(s) if s == sign)
    }
}

/// Longer signs first, since the longest that fits is taken.
const SIGNS: [&str; 41] = [
    "<->", "<=>", "[]", "<>", "->", "=>", "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "/\\", "\\/", "??",
    "&", "|", "^", "!", "~", "(", ")", "[", "]", "{", "}", "<", ">", "=", "+", "-", "*", "/", "%", "@", ":",
    ".", "?", ",",
];

const MATHEMATICAL: [(char, &str); 14] = [
    ('□', "[]"),
    ('◻', "[]"),
    ('◇', "<>"),
    ('◊', "<>"),
    ('∧', "&"),
    ('∨', "|"),
    ('¬', "!"),
    ('→', "->"),
    ('⇒', "->"),
    ('↔', "<->"),
    ('⇔', "<->"),
    ('⊕', "^"),
    ('≤', "<="),
    ('≥', ">="),
];

/// A text and a range of it that is to be read.
#[derive(Clone, Copy)]
pub(crate) struct Scanner<'a> {
    text: &'a str,
    end: usize,
}

impl<'a> Scanner<'a> {
    /// Reads the bytes before `end`.
    pub(crate) fn new(text: &'a str, end: usize) -> Self {
        Self { text, end }
    }

    /// Where the text ends.
    pub(crate) fn end(&self) -> usize {
        self.end
    }

    /// The bytes of a range.
    pub(crate) fn slice(&self, start: usize, end: usize) -> &'a str {
        &self.text[start..end]
    }

    /// The token that begins at `at` or after white space there.
    pub(crate) fn token(&self, at: usize) -> Token {
        let rest = &self.text[at..self.end];
        let start = self.end - rest.trim_start().len();
        let rest = &self.text[start..self.end];
        let Some(first) = rest.chars().next() else {
            return Token { kind: Kind::End, start: self.end, end: self.end };
        };
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let (kind, length) = if first.is_ascii_digit() {
            (Kind::Number, rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()))
        } else if word(first) {
            (Kind::Word, rest.find(|c| !word(c)).unwrap_or(rest.len()))
        } else if first == '"' {
            (Kind::Quote, 1)
        } else if let Some(sign) = SIGNS.iter().find(|&&sign| rest.starts_with(sign)) {
            (Kind::Sign(sign), sign.len())
        } else if let Some(&(_, sign)) = MATHEMATICAL.iter().find(|&&(c, _)| c == first) {
            (Kind::Sign(sign), first.len_utf8())
        } else {
            (Kind::Other(first), first.len_utf8())
        };
        Token { kind, start, end: start + length }
    }

    /// The text of a string whose opening quote is at `quote`, its escapes undone, and the place after its closing
    /// quote; `None` if it is not closed.
    pub(crate) fn quoted(&self, quote: usize) -> Option<(String, usize)> {
        let mut content = String::new();
        let mut escaped = false;
        for (offset, c) in self.text[quote + 1..self.end].char_indices() {
            match c {
                _ if escaped => {
                    content.push(c);
                    escaped = false;
                }
                '\\' => escaped = true,
                '"' => return Some((content, quote + 1 + offset + 1)),
                _ => content.push(c),
            }
        }
        None
    }

    /// The end of what follows a name of the model that ends at `end`: arguments, indices, fields, labels, polls.
    pub(crate) fn suffixes(&self, mut end: usize) -> Result<usize, Unclosed> {
        loop {
            let token = self.token(end);
            let next = self.token(token.end);
            let glued = token.start == end;
            end = match token.kind {
                Kind::Sign("(" | "[") if glued => self.closing(token.start)?,
                Kind::Sign("@" | ":" | ".") if matches!(next.kind, Kind::Word | Kind::Number) => next.end,
                Kind::Sign("?" | "??") if next.is("[") && next.start == token.end => {
                    self.closing(next.start)?
                }
                _ => return Ok(end),
            };
        }
    }

    /// The place after the bracket that closes the one at `open`, or the innermost bracket that is left open, or the
    /// bracket of another shape that comes where it should be closed. Brackets inside strings do not count.
    pub(crate) fn closing(&self, open: usize) -> Result<usize, Unclosed> {
        let bytes = self.text.as_bytes();
        let mut stack: Vec<usize> = Vec::new();
        let mut at = open;
        while at < self.end {
            match bytes[at] {
                b'"' => match self.quoted(at) {
                    Some((_, after)) => {
                        at = after;
                        continue;
                    }
                    None => return Err(Unclosed::Open(at)),
                },
                b'(' | b'[' | b'{' => stack.push(at),
                close @ (b')' | b']' | b'}') => {
                    let opened = stack.pop().expect("the first byte opens");
                    let fits = matches!((bytes[opened], close), (b'(', b')') | (b'[', b']') | (b'{', b'}'));
                    if !fits {
                        return Err(Unclosed::Other { open: opened, close: at });
                    }
                    if stack.is_empty() {
                        return Ok(at + 1);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        Err(Unclosed::Open(stack.pop().unwrap_or(open)))
    }
}

/// Why a bracket is not closed.
#[derive(Clone, Copy)]
pub(crate) enum Unclosed {
    /// The text ends before this bracket (or quote) is closed.
    Open(usize),
    /// A bracket of another shape comes first.
    Other { open: usize, close: usize },
}

impl Unclosed {
    /// What to tell about it.
    pub(crate) fn message(self, scanner: &Scanner<'_>, source: &SourceText) -> Message {
        let at = |start: usize| source.place(start, start + 1);
        let sign = |start: usize| scanner.slice(start, start + 1);
        let error = |start: usize, text: String| Message::error(text, at(start)).code(codes::FORMULA_SYNTAX);
        match self {
            Unclosed::Open(open) => {
                error(open, format!("this `{}` is never closed", sign(open))).label("opened here")
            }
            Unclosed::Other { open, close } => {
                error(close, format!("`{}` where `{}` should be closed", sign(close), sign(open)))
                    .label("does not match")
                    .also(at(open), "opened here")
            }
        }
    }
}
