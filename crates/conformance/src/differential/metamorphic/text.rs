//! Promela text as a list of tokens, with everything between them kept, and edits of that text.
//!
//! Rewritings must not share the blind spots of the parser under test, so nothing of `elnath-promela` is used here: a
//! rewriting sees words and marks, and writes text. White space, comments and preprocessor lines stay in the text,
//! since edits replace ranges of bytes; a token only remembers whether a line break or a directive comes before it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A keyword, a variable, a macro.
    Name,
    /// A number.
    Number,
    /// A string or a character.
    Quoted,
    /// An operator, a bracket, a separator.
    Mark,
}

/// A token.
#[derive(Clone, Debug)]
pub struct Token {
    /// What it is.
    pub sort: Sort,
    /// Where it is.
    pub range: Range<usize>,
    /// Whether a line break lies between it and the token before it.
    pub after_break: bool,
    /// Whether a preprocessor line lies between it and the token before it.
    pub after_directive: bool,
}

/// A text and its tokens.
#[derive(Clone, Debug)]
pub struct Text {
    /// The characters.
    pub text: String,
    /// The tokens outside preprocessor lines.
    pub tokens: Vec<Token>,
    /// The preprocessor lines, continuation lines included.
    pub directives: Vec<Range<usize>>,
    /// The comments.
    pub comments: Vec<Range<usize>>,
}

/// Marks of more than one character, longest first.
const LONG_MARKS: &[&str] = &[
    "-->", "<->", "->", "--", "++", "::", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "!!", "??", "..",
    "[]", "<>",
];

impl Text {
    /// Takes a text apart.
    pub fn new(text: String) -> Self {
        let mut scan = Scan::default();
        scan.all(&text, 0..text.len());
        Text { text, tokens: scan.tokens, directives: scan.directives, comments: scan.comments }
    }

    /// The characters of token `index`; nothing beyond the last one.
    pub fn at(&self, index: usize) -> &str {
        self.tokens.get(index).map_or("", |token| &self.text[token.range.clone()])
    }

    /// What token `index` is, if it is there.
    pub fn sort(&self, index: usize) -> Option<Sort> {
        self.tokens.get(index).map(|token| token.sort)
    }

    /// Whether token `index` is a name.
    pub fn is_name(&self, index: usize) -> bool {
        self.sort(index) == Some(Sort::Name)
    }

    /// The characters from one token to another, both included.
    pub fn between(&self, first: usize, last: usize) -> &str {
        &self.text[self.tokens[first].range.start..self.tokens[last].range.end]
    }

    /// The token that closes the bracket at `open`.
    pub fn closing(&self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for index in open..self.tokens.len() {
            match self.at(index) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(index);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// The tokens of preprocessor lines, without the `#` and the directive's own name.
    pub fn tokens_of_directives(&self) -> Vec<Token> {
        let mut tokens = Vec::new();
        for range in &self.directives {
            let mut scan = Scan { inside_directive: true, ..Scan::default() };
            scan.all(&self.text, range.clone());
            tokens.extend(
                scan.tokens.into_iter().filter(|token| &self.text[token.range.clone()] != "#").skip(1),
            );
        }
        tokens
    }
}

#[derive(Default)]
struct Scan {
    tokens: Vec<Token>,
    directives: Vec<Range<usize>>,
    comments: Vec<Range<usize>>,
    after_break: bool,
    after_directive: bool,
    inside_directive: bool,
}

impl Scan {
    fn all(&mut self, text: &str, range: Range<usize>) {
        let bytes = text.as_bytes();
        let mut at = range.start;
        let mut line_begins = !self.inside_directive;
        while at < range.end {
            let rest = &bytes[at..range.end];
            match rest[0] {
                b'\n' => {
                    (self.after_break, line_begins) = (true, true);
                    at += 1;
                }
                byte if byte.is_ascii_whitespace() || (byte == b'\\' && rest.get(1) == Some(&b'\n')) => {
                    at += 1;
                }
                b'/' if rest.starts_with(b"/*") => {
                    let length = find(&rest[2..], b"*/").map_or(rest.len(), |end| end + 4);
                    self.after_break |= rest[..length].contains(&b'\n');
                    self.comments.push(at..at + length);
                    at += length;
                }
                b'/' if rest.starts_with(b"//") => {
                    let ends = |&at: &usize| rest[at] == b'\n' && rest[at - 1] != b'\\';
                    let length = (1..rest.len()).find(ends).unwrap_or(rest.len());
                    self.comments.push(at..at + length);
                    at += length;
                }
                b'#' if line_begins => {
                    let length = directive(rest);
                    self.directives.push(at..at + length);
                    self.after_directive = true;
                    at += length;
                }
                _ => {
                    let (sort, length) = token(text, at, range.end);
                    self.tokens.push(Token {
                        sort,
                        range: at..at + length,
                        after_break: std::mem::take(&mut self.after_break),
                        after_directive: std::mem::take(&mut self.after_directive),
                    });
                    line_begins = false;
                    at += length;
                }
            }
        }
    }
}

fn token(text: &str, at: usize, end: usize) -> (Sort, usize) {
    let rest = &text[at..end];
    let bytes = rest.as_bytes();
    let word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let run = bytes.iter().position(|byte| !word(byte)).unwrap_or(bytes.len());
    match bytes[0] {
        b'0'..=b'9' => (Sort::Number, run),
        byte if word(&byte) => (Sort::Name, run),
        quote @ (b'"' | b'\'') => {
            let mut index = 1;
            while index < bytes.len() && bytes[index] != quote && bytes[index] != b'\n' {
                index += if bytes[index] == b'\\' { 2 } else { 1 };
            }
            (Sort::Quoted, (index + 1).min(bytes.len()))
        }
        _ => {
            let long = LONG_MARKS.iter().find(|mark| rest.starts_with(**mark));
            (
                Sort::Mark,
                long.map_or_else(|| rest.chars().next().map_or(1, char::len_utf8), |mark| mark.len()),
            )
        }
    }
}

/// How long a preprocessor line is, without the line break that ends it.
fn directive(rest: &[u8]) -> usize {
    let mut at = 0;
    while at < rest.len() {
        match rest[at] {
            b'\n' => return at,
            // White space may stand between a backslash and the line end that it takes back.
            b'\\' => {
                let blank = rest[at + 1..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
                at += if rest.get(at + 1 + blank) == Some(&b'\n') { blank + 2 } else { 2 };
            }
            // A comment may go on over the end of the line; cpp takes it for a space.
            b'/' if rest[at..].starts_with(b"/*") => {
                at += find(&rest[at + 2..], b"*/").map_or(rest.len(), |end| end + 4);
            }
            _ => at += 1,
        }
    }
    rest.len()
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

/// One change of a text: the bytes of `range` become `with`.
#[derive(Clone, Debug)]
pub struct Edit {
    range: Range<usize>,
    with: String,
    /// Of several insertions at one place, which comes first: what closes before what opens, the inner of two closing
    /// ones first, the outer of two opening ones first.
    rank: i64,
}

/// A place where a rewriting can be applied: edits that belong together.
#[derive(Clone, Debug, Default)]
pub struct Site {
    edits: Vec<Edit>,
}

impl Site {
    /// Replaces a range of bytes.
    pub fn replace(mut self, range: Range<usize>, with: impl Into<String>) -> Self {
        self.edits.push(Edit { range, with: with.into(), rank: 0 });
        self
    }

    /// Puts text before one token and text after another.
    pub fn wrap(mut self, text: &Text, first: usize, last: usize, before: &str, after: &str) -> Self {
        let (start, end) = (text.tokens[first].range.start, text.tokens[last].range.end);
        let length = (end - start) as i64;
        self.edits.push(Edit { range: start..start, with: before.to_owned(), rank: i64::MAX / 2 - length });
        self.edits.push(Edit { range: end..end, with: after.to_owned(), rank: length - i64::MAX / 2 });
        self
    }

    /// Puts text before a token.
    pub fn before(mut self, text: &Text, token: usize, with: impl Into<String>) -> Self {
        let start = text.tokens.get(token).map_or(text.text.len(), |token| token.range.start);
        self.edits.push(Edit { range: start..start, with: with.into(), rank: 0 });
        self
    }

    /// Where it begins.
    pub fn start(&self) -> usize {
        self.edits.iter().map(|edit| edit.range.start).min().unwrap_or(0)
    }
}

/// The text with the edits of some sites. A site that touches what another one replaces is left out; the second value
/// says how many were applied.
pub fn apply(text: &str, sites: &[&Site]) -> (String, usize) {
    let mut edits: Vec<&Edit> = Vec::new();
    let (mut taken, mut applied) = (Taken::default(), 0);
    for site in sites {
        if !site.edits.iter().any(|new| taken.clashes(&new.range)) {
            site.edits.iter().for_each(|edit| taken.take(&edit.range));
            edits.extend(&site.edits);
            applied += 1;
        }
    }
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end, edit.rank));
    let (mut out, mut at) = (String::with_capacity(text.len() * 2), 0);
    for edit in edits {
        out.push_str(&text[at..edit.range.start]);
        out.push_str(&edit.with);
        at = edit.range.end;
    }
    out.push_str(&text[at..]);
    (out, applied)
}

/// What edits have taken of a text. Insertions never clash with each other, nor with a replacement that begins or ends where they
/// are.
#[derive(Default)]
struct Taken {
    /// What is replaced: where it begins, and where it ends.
    replaced: BTreeMap<usize, usize>,
    /// Where something is inserted.
    inserted: BTreeSet<usize>,
}

impl Taken {
    fn clashes(&self, new: &Range<usize>) -> bool {
        // Replacements do not overlap, so that the last one that begins before the end ends last.
        let before = self.replaced.range(..new.end).next_back();
        let overlaps = before.is_some_and(|(_, &end)| end > new.start);
        overlaps || self.inserted.range(new.start..new.end).any(|&at| at > new.start)
    }

    fn take(&mut self, new: &Range<usize>) {
        if new.is_empty() {
            self.inserted.insert(new.start);
        } else {
            self.replaced.insert(new.start, new.end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_keep_what_lies_between_them() {
        let text =
            Text::new("#define A /* x\n */ 1 \\\n 2\nbyte x = 'a'; // end\nx>>1->q!!\"}\\\"\"".to_owned());
        let shown: Vec<&str> = (0..text.tokens.len()).map(|index| text.at(index)).collect();
        assert_eq!(shown, ["byte", "x", "=", "'a'", ";", "x", ">>", "1", "->", "q", "!!", "\"}\\\"\""]);
        assert_eq!(text.directives.len(), 1);
        assert_eq!(text.comments.len(), 1);
        assert!(text.tokens[0].after_directive && text.tokens[5].after_break && !text.tokens[6].after_break);
        let names: Vec<&str> =
            text.tokens_of_directives().into_iter().map(|token| &text.text[token.range]).collect();
        assert_eq!(names, ["A", "1", "2"]);
    }

    #[test]
    fn insertions_nest() {
        let text = Text::new("a b c".to_owned());
        let outer = Site::default().wrap(&text, 0, 2, "(", ")");
        let inner = Site::default().wrap(&text, 0, 1, "[", "]");
        let last = Site::default().wrap(&text, 2, 2, "<", ">");
        assert_eq!(apply(&text.text, &[&inner, &last, &outer]), ("([a b] <c>)".to_owned(), 3));
        let replaced = Site::default().replace(2..3, "B");
        assert_eq!(apply(&text.text, &[&replaced, &outer]).0, "(a B c)");
    }
}
