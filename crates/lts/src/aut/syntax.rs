//! One line of an `.aut` file: a header or a transition.
//!
//! A transition is read from both ends towards the label, which makes commas, parentheses and quotes in labels harmless
//! without any escape: see the dialects in [`super`]. This is the hottest code of the reader; what happens when a line
//! is wrong is kept out of the way in cold functions.

use elnath_source::Message;

use super::complaints::place;
use super::lines::Line;

/// The largest state number: one less than the largest number of states.
const LARGEST_STATE: u64 = u32::MAX as u64 - 1;

pub(super) const HEADER_HELP: &str =
    "an .aut file begins with `des (initial state, number of transitions, number of states)`";

/// A number and where it stands in the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number {
    pub(super) value: u32,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The header; a count that is `?` is `None`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    pub(super) initial: Number,
    pub(super) transitions: Option<u64>,
    pub(super) states: Option<Number>,
    /// Where the counts stand, given or not.
    pub(super) transitions_token: Number,
    pub(super) states_token: Number,
}

/// A transition; the label without its quotes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transition<'a> {
    pub(super) from: Number,
    pub(super) label: &'a [u8],
    pub(super) to: Number,
}

/// What is wrong with a line, and where.
#[derive(Debug)]
pub(super) struct Problem {
    start: usize,
    end: usize,
    text: String,
    label: &'static str,
    help: Option<&'static str>,
}

impl Problem {
    #[cold]
    fn new(start: usize, end: usize, text: impl Into<String>) -> Box<Self> {
        Box::new(Self { start, end, text: text.into(), label: "", help: None })
    }

    fn label(mut self: Box<Self>, label: &'static str) -> Box<Self> {
        self.label = label;
        self
    }

    fn help(mut self: Box<Self>, help: &'static str) -> Box<Self> {
        self.help = Some(help);
        self
    }

    /// As a message about that line.
    pub(super) fn message(self, file: &str, line: &Line<'_>) -> Message {
        let place = place(file, line.number, line.text, self.start, self.end);
        let message = Message::error(self.text, place).label(self.label);
        match self.help {
            Some(help) => message.help(help),
            None => message,
        }
    }
}

/// Reads `des (initial, transitions, states)`.
pub(super) fn header(line: &[u8]) -> Result<Header, Box<Problem>> {
    // Some editors put a byte order mark before everything.
    let bom = if line.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let mut cursor = Cursor { line, at: bom };
    cursor.blanks();
    let start = cursor.at;
    if !line[start..].starts_with(b"des") {
        return Err(Problem::new(start, line.len(), "not a .aut file: the first line is not a header")
            .label("expected `des (`")
            .help(HEADER_HELP));
    }
    cursor.at += 3;
    let header = cursor.header_counts();
    header.map_err(|problem| if problem.help.is_none() { problem.help(HEADER_HELP) } else { problem })
}

/// Reads `(from, label, to)`.
#[inline]
pub(super) fn transition(line: &[u8]) -> Result<Transition<'_>, Box<Problem>> {
    let mut front = Cursor { line, at: 0 };
    front.token(b'(')?;
    let from = front.state()?;
    front.token(b',')?;
    front.blanks();

    // From the end: `)`, the target, the last comma.
    let close = back_over_blanks(line, line.len());
    if close == 0 || line[close - 1] != b')' {
        return Err(missing_close(line, close));
    }
    let end = back_over_blanks(line, close - 1);
    let mut start = end;
    while start > 0 && line[start - 1].is_ascii_digit() {
        start -= 1;
    }
    let comma = back_over_blanks(line, start);
    if start == end || comma <= front.at || line[comma - 1] != b',' {
        return Err(bad_target(line, front.at, close - 1));
    }
    let to = Cursor { line, at: start }.state()?;

    let label = label(line, front.at, back_over_blanks(line, comma - 1).max(front.at))?;
    Ok(Transition { from, label, to })
}

/// Whether there is nothing in the line.
pub(super) fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|&byte| is_blank_byte(byte))
}

/// The label `line[start..end]` without its quotes.
#[inline]
fn label(line: &[u8], start: usize, end: usize) -> Result<&[u8], Box<Problem>> {
    let label = &line[start..end];
    match label {
        [b'"', inner @ .., b'"'] => Ok(inner),
        [b'"', ..] => Err(Problem::new(start, end, "the closing quote of this label is missing")),
        [] => Err(Problem::new(start, end, "the label is missing").label("expected a label here")),
        _ => match label.iter().position(|&byte| byte == b'"' || byte == b'\\') {
            None => Ok(label),
            Some(at) => Err(odd_bare_label(start, end, label[at])),
        },
    }
}

struct Cursor<'a> {
    line: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    #[inline]
    fn peek(&self) -> Option<u8> {
        self.line.get(self.at).copied()
    }

    #[inline]
    fn blanks(&mut self) {
        while self.peek().is_some_and(is_blank_byte) {
            self.at += 1;
        }
    }

    /// Blanks and then this character.
    #[inline]
    fn token(&mut self, expected: u8) -> Result<(), Box<Problem>> {
        self.blanks();
        if self.peek() == Some(expected) {
            self.at += 1;
            return Ok(());
        }
        Err(self.unexpected(&format_token(expected)))
    }

    /// Blanks and then a state.
    #[inline]
    fn state(&mut self) -> Result<Number, Box<Problem>> {
        let (value, start) = self.digits("a state number")?;
        if value > LARGEST_STATE {
            return Err(too_large("a state number", start, self.at, LARGEST_STATE));
        }
        Ok(Number { value: value as u32, start, end: self.at })
    }

    /// Blanks and then digits: their value, which stays above all limits once it has passed them, and their start.
    #[inline]
    fn digits(&mut self, what: &str) -> Result<(u64, usize), Box<Problem>> {
        self.blanks();
        let start = self.at;
        let mut value = 0;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            value = (value * 10 + u64::from(digit - b'0')).min(1 << 40);
            self.at += 1;
        }
        if self.at == start {
            return Err(self.not_a_number(what));
        }
        Ok((value, start))
    }

    fn header_counts(&mut self) -> Result<Header, Box<Problem>> {
        self.token(b'(')?;
        let initial = self.state()?;
        self.token(b',')?;
        let (transitions_token, transitions) = self.count("the number of transitions")?;
        self.token(b',')?;
        let (states_token, states) = self.count("the number of states")?;
        self.token(b')')?;
        self.blanks();
        if self.at < self.line.len() {
            let text = "there is something after the header";
            return Err(
                Problem::new(self.at, self.line.len(), text).label("transitions begin on the next line")
            );
        }
        Ok(Header {
            initial,
            transitions: transitions.then_some(u64::from(transitions_token.value)),
            states: states.then_some(states_token),
            transitions_token,
            states_token,
        })
    }

    /// Blanks and then a count, or `?` for one that is not known.
    fn count(&mut self, what: &str) -> Result<(Number, bool), Box<Problem>> {
        self.blanks();
        let start = self.at;
        if self.peek() == Some(b'?') {
            self.at += 1;
            return Ok((Number { value: 0, start, end: self.at }, false));
        }
        let (value, start) = self.digits(what)?;
        match u32::try_from(value) {
            Ok(value) => Ok((Number { value, start, end: self.at }, true)),
            Err(_) => Err(too_large(what, start, self.at, u64::from(u32::MAX))),
        }
    }

    #[cold]
    fn unexpected(&self, expected: &str) -> Box<Problem> {
        let rest = self.line[self.at..].utf8_chunks().next();
        match rest.and_then(|chunk| chunk.valid().chars().next()) {
            Some(found) => {
                let text = format!("expected {expected}, found `{found}`");
                Problem::new(self.at, self.at + found.len_utf8(), text)
            }
            None => Problem::new(self.at, self.at, format!("expected {expected}, but the line ends")),
        }
    }

    #[cold]
    fn not_a_number(&self, what: &str) -> Box<Problem> {
        match self.line[self.at..] {
            [b'-', b'0'..=b'9', ..] => {
                let digits = self.line[self.at + 1..].iter().take_while(|b| b.is_ascii_digit()).count();
                let text = format!("{what} cannot be negative");
                Problem::new(self.at, self.at + 1 + digits, text)
            }
            _ => self.unexpected(what),
        }
    }
}

#[inline]
fn is_blank_byte(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// The end of what stands before `end` if blanks are left out.
#[inline]
fn back_over_blanks(line: &[u8], mut end: usize) -> usize {
    while end > 0 && is_blank_byte(line[end - 1]) {
        end -= 1;
    }
    end
}

fn format_token(token: u8) -> String {
    format!("`{}`", char::from(token))
}

#[cold]
fn too_large(what: &str, start: usize, end: usize, largest: u64) -> Box<Problem> {
    let text = format!("{what} cannot be larger than {largest}");
    Problem::new(start, end, text).label("does not fit in 32 bits")
}

#[cold]
fn missing_close(line: &[u8], end: usize) -> Box<Problem> {
    match memchr::memrchr(b')', line) {
        Some(close) => Problem::new(close + 1, end, "there is something after the transition")
            .label("after the last `)`"),
        None => Problem::new(end, end, "the transition does not end with `)`").label("expected `)` here"),
    }
}

/// Why what stands between the label's beginning and the last `)` does not end with a comma and a state.
#[cold]
fn bad_target(line: &[u8], label: usize, close: usize) -> Box<Problem> {
    let Some(comma) = memchr::memrchr(b',', &line[label..close]) else {
        return Problem::new(label, close, "a transition has three parts").help("write `(from, label, to)`");
    };
    let mut cursor = Cursor { line, at: label + comma + 1 };
    match cursor.state() {
        Err(problem) => problem,
        Ok(state) => Problem::new(state.end, close, "the target is not one state")
            .help("probabilistic transitions are not supported; a label with a comma in it needs no quotes, but a target after it"),
    }
}

#[cold]
fn odd_bare_label(start: usize, end: usize, odd: u8) -> Box<Problem> {
    let text = format!("a label without quotes cannot hold {}", format_token(odd));
    Problem::new(start, end, text)
        .help("put double quotes around the whole label; inside them anything may stand")
}
