//! Text to tokens, for the preprocessor and the parser alike.
//!
//! There is one kind of token for both. The lexer never complains: whatever it cannot read becomes a [`Kind::Bad`]
//! token, which is reported only if it survives the preprocessor. So an apostrophe in text that `#if 0` removes, or in
//! the C code of a `c_code` block, does no harm. Keywords are ordinary names here; the parser knows them.
//!
//! `[]`, `<>` and `<->` of temporal formulas are left as two tokens: in Promela proper `a[]`, `q?<>` and `x<-1` need
//! them apart, and the formula parser can see adjacency from the spans.

use std::sync::Arc;

use crate::sources::{FileId, Span};

/// A token with its place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
    /// First of its line (after blanks and comments): a `#` here begins a directive.
    pub(crate) line_start: bool,
    /// Something blank stands before it.
    pub(crate) space_before: bool,
    /// The name of a macro that was met during its own expansion: never expand it again.
    pub(crate) painted: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Name(Arc<str>),
    /// As written: the parser reads decimal as SPIN does, `#if` also hexadecimal and octal.
    Number(Arc<str>),
    /// A character constant, by value.
    Char(u8),
    /// A string as written, without the quotes, escapes untouched.
    Text(Arc<str>),
    Punct(Punct),
    Bad(Bad),
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bad {
    Comment,
    String,
    Char,
    /// A `*/` that ends no comment. SPIN passes over it; so does the preprocessor, with a warning.
    CommentEnd,
    Character(char),
}

macro_rules! puncts {
    ($($name:ident = $text:literal),* $(,)?) => {
        /// Operators and brackets.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum Punct { $($name),* }

        impl Punct {
            pub(crate) fn text(self) -> &'static str {
                match self { $(Punct::$name => $text),* }
            }
            /// Longest first, so that the first match is the right one.
            const ALL: &'static [(&'static str, Punct)] = &[$(($text, Punct::$name)),*];
        }
    };
}

puncts! {
    Arrow = "->", DoubleColon = "::", DotDot = "..", Inc = "++", Dec = "--", OrOr = "||", AndAnd = "&&", EqEq = "==",
    NotEq = "!=", BangBang = "!!", LessEq = "<=", GreaterEq = ">=", Shl = "<<", Shr = ">>", QueryQuery = "??",
    HashHash = "##",
    Semi = ";", Comma = ",", Colon = ":", Dot = ".", Open = "(", Close = ")", OpenBrace = "{", CloseBrace = "}",
    OpenBracket = "[", CloseBracket = "]", At = "@", Bang = "!", Query = "?", Assign = "=", Less = "<", Greater = ">",
    Plus = "+", Minus = "-", Star = "*", Slash = "/", Percent = "%", Amp = "&", Bar = "|", Caret = "^", Tilde = "~",
    Hash = "#", Backslash = "\\",
}

impl Token {
    pub(crate) fn is(&self, punct: Punct) -> bool {
        self.kind == Kind::Punct(punct)
    }

    pub(crate) fn name(&self) -> Option<&Arc<str>> {
        match &self.kind {
            Kind::Name(name) => Some(name),
            _ => None,
        }
    }

    /// The token as text, for `##`, for `#` and for messages.
    pub(crate) fn spelling(&self) -> String {
        match &self.kind {
            Kind::Name(text) | Kind::Number(text) => text.to_string(),
            Kind::Char(value) => format!("'{}'", (*value as char).escape_default()),
            Kind::Text(text) => format!("\"{text}\""),
            Kind::Punct(punct) => punct.text().to_owned(),
            Kind::Bad(Bad::Character(c)) => c.to_string(),
            Kind::Bad(Bad::Comment) => "/*".to_owned(),
            Kind::Bad(Bad::CommentEnd) => "*/".to_owned(),
            Kind::Bad(Bad::String) => "\"".to_owned(),
            Kind::Bad(Bad::Char) => "'".to_owned(),
            Kind::End => "end of file".to_owned(),
        }
    }
}

/// All tokens of a text, with a [`Kind::End`] behind them. A byte order mark at its beginning means nothing.
pub(crate) fn lex(file: FileId, text: &str) -> Vec<Token> {
    let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut lexer =
        Lexer { file, text, at, line_start: true, directive: false, space: false, tokens: Vec::new() };
    while lexer.blank() {
        lexer.token();
    }
    lexer.push(text.len(), Kind::End);
    lexer.tokens
}

struct Lexer<'t> {
    file: FileId,
    text: &'t str,
    at: usize,
    line_start: bool,
    /// A `#` began this line.
    directive: bool,
    space: bool,
    tokens: Vec<Token>,
}

impl Lexer<'_> {
    fn push(&mut self, start: usize, kind: Kind) {
        let span = Span { file: self.file, start: start as u32, end: self.at as u32, from: None };
        let (line_start, space_before) = (self.line_start, self.space);
        self.directive |= line_start && kind == Kind::Punct(Punct::Hash);
        self.tokens.push(Token { kind, span, line_start, space_before, painted: false });
        self.line_start = false;
        self.space = false;
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// Skips blanks, comments and continued line ends; false at the end of the text.
    fn blank(&mut self) -> bool {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b'\n' => {
                    self.line_start = true;
                    self.directive = false;
                    self.at += 1;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.at += 1,
                b'\\' if let Some(length) = continuation(self.rest()) => self.at += length,
                b'/' if self.rest().starts_with("//") => self.line_comment(),
                b'/' if self.rest().starts_with("/*") => {
                    let start = self.at;
                    match self.rest()[2..].find("*/") {
                        Some(length) => {
                            // gcc's preprocessor begins a new line after a comment over several, and SPIN then sees the
                            // end of a statement; but, as in C, such a comment does not end the line of a directive.
                            let lines = self.rest()[..length + 2].contains('\n');
                            self.line_start |= lines && !self.directive;
                            self.at += length + 4;
                        }
                        None => {
                            self.at += 2;
                            self.push(start, Kind::Bad(Bad::Comment));
                            self.at = self.text.len();
                        }
                    }
                }
                _ => return true,
            }
            self.space = true;
        }
        false
    }

    /// Skips a comment to the end of its line, or of the last line that a backslash adds to it.
    fn line_comment(&mut self) {
        loop {
            let rest = self.rest();
            let Some(length) = rest.find('\n') else {
                self.at = self.text.len();
                return;
            };
            let continued = rest[..length].trim_end_matches([' ', '\t', '\r']).ends_with('\\');
            self.at += length;
            if !continued {
                return;
            }
            self.at += 1;
        }
    }

    fn token(&mut self) {
        let start = self.at;
        let first = self.rest().chars().next().unwrap_or('\0');
        match first {
            'a'..='z' | 'A'..='Z' | '_' => {
                self.word();
                let name = self.text[start..self.at].into();
                self.push(start, Kind::Name(name));
            }
            '0'..='9' => {
                self.word();
                let digits = self.text[start..self.at].into();
                self.push(start, Kind::Number(digits));
            }
            '"' => self.string(start),
            '\'' => self.character(start),
            // `a */* comment */ b` is a product.
            '*' if self.rest().starts_with("*/") && !self.rest().starts_with("*/*") => {
                self.at += 2;
                self.push(start, Kind::Bad(Bad::CommentEnd));
            }
            // SPIN reads `-->` as `->`, even in `n-->0`.
            '-' if self.rest().starts_with("-->") => {
                self.at += 3;
                self.push(start, Kind::Punct(Punct::Arrow));
            }
            _ => {
                let punct = Punct::ALL.iter().find(|(text, _)| self.rest().starts_with(text));
                let kind = match punct {
                    Some(&(text, punct)) => {
                        self.at += text.len();
                        Kind::Punct(punct)
                    }
                    None => {
                        self.at += first.len_utf8();
                        Kind::Bad(Bad::Character(first))
                    }
                };
                self.push(start, kind);
            }
        }
    }

    fn word(&mut self) {
        let rest = self.rest();
        self.at += rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    }

    fn string(&mut self, start: usize) {
        let bytes = self.text.as_bytes();
        let mut at = start + 1;
        loop {
            match bytes.get(at) {
                Some(b'"') => break,
                Some(b'\\') if at + 1 < bytes.len() => at += 2,
                None | Some(b'\n') => {
                    self.at = at;
                    return self.push(start, Kind::Bad(Bad::String));
                }
                Some(_) => at += 1,
            }
        }
        self.at = at + 1;
        // A backslash may have stepped into the middle of a character, never over a quote: the slice is on boundaries.
        let text = self.text.get(start + 1..at).unwrap_or("").into();
        self.push(start, Kind::Text(text));
    }

    /// `'c'` or `'\c'`. Anything else is a stray apostrophe, one byte long.
    fn character(&mut self, start: usize) {
        let bytes = self.text.as_bytes();
        let get = |i: usize| bytes.get(start + i).copied();
        let (value, length) = match (get(1), get(2), get(3)) {
            (Some(b'\\'), Some(c), Some(b'\'')) => {
                let value = match c {
                    b'n' => b'\n',
                    b't' => b'\t',
                    b'r' => b'\r',
                    b'f' => 0x0c,
                    b'0' => 0,
                    other => other,
                };
                (value, 4)
            }
            (Some(c), Some(b'\''), _) if c != b'\\' && c != b'\n' => (c, 3),
            _ => {
                self.at = start + 1;
                return self.push(start, Kind::Bad(Bad::Char));
            }
        };
        self.at = start + length;
        self.push(start, Kind::Char(value));
    }
}

/// The length of a backslash with the line end that it takes back; as in gcc, blanks may stand between.
fn continuation(text: &str) -> Option<usize> {
    let blanks = text[1..].find(|c: char| !matches!(c, ' ' | '\t' | '\r'))?;
    text[1 + blanks..].starts_with('\n').then_some(blanks + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spellings(text: &str) -> Vec<String> {
        lex(FileId(0), text).iter().map(Token::spelling).collect()
    }

    #[test]
    fn operators_are_as_long_as_they_can_be() {
        assert_eq!(
            spellings("q!!x->y??[z]..w::a--b-->c"),
            [
                "q",
                "!!",
                "x",
                "->",
                "y",
                "??",
                "[",
                "z",
                "]",
                "..",
                "w",
                "::",
                "a",
                "--",
                "b",
                "->",
                "c",
                "end of file"
            ]
        );
    }

    #[test]
    fn comments_strings_and_characters() {
        assert_eq!(
            spellings("a/* b \n */c // d\n\"e\\\"\" 'f' '\\n'"),
            ["a", "c", "\"e\\\"\"", "'f'", "'\\n'", "end of file"]
        );
    }

    #[test]
    fn a_directive_line_goes_on_after_a_backslash() {
        let tokens = lex(FileId(0), "#define a \\ \n b // d\\\n e\nc");
        let starts: Vec<bool> = tokens.iter().map(|token| token.line_start).collect();
        assert_eq!(starts, [true, false, false, false, true, false]);
        let starts =
            |text: &str| lex(FileId(0), text).iter().map(|token| token.line_start).collect::<Vec<_>>();
        assert_eq!(starts("a /* \n */ b /* */ c"), [true, true, false, false]);
        assert_eq!(starts("#a /* \n */ b\nc"), [true, false, false, true, false]);
    }

    #[test]
    fn what_cannot_be_read_is_a_token_too() {
        let bad = |text: &str| lex(FileId(0), text)[0].kind.clone();
        assert_eq!(bad("'ab"), Kind::Bad(Bad::Char));
        assert_eq!(bad("\"ab\n"), Kind::Bad(Bad::String));
        assert_eq!(bad("/* "), Kind::Bad(Bad::Comment));
        assert_eq!(bad("*/"), Kind::Bad(Bad::CommentEnd));
        assert_eq!(bad("*/* a product */"), Kind::Punct(Punct::Star));
        assert_eq!(bad("\u{feff}"), Kind::End);
        assert_eq!(bad("é"), Kind::Bad(Bad::Character('é')));
        assert_eq!(bad("\"a\\é"), Kind::Bad(Bad::String));
    }
}
