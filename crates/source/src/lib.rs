//! Places in a text and messages about them.
//!
//! Every front end answers broken input with a list of [`Message`]s: all that is wrong, once, each with its place.
//! A message is self-contained (it carries the line it points into), so that a reader which streams a file of many
//! gigabytes can complain about line 7,000,000 without keeping the text, and so that nothing below the command line
//! needs to know how a message is drawn.

pub mod codes;
mod near;

pub use codes::Code;
pub use near::nearest;

use std::fmt;

/// How bad it is. An error means that there is no model to work with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// The input is usable, but probably not what its author meant.
    Warning,
    /// The input cannot be used.
    Error,
}

/// A range within one line of one file, with the text of that line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file's name as the user gave it.
    pub file: String,
    /// Line number, from 1.
    pub line: u64,
    /// The line (or, of a very long line, a window of it) without its line ending.
    pub text: String,
    /// Bytes of the line that stand before `text`; 0 unless a long line was cut.
    pub cut: usize,
    /// The marked range as byte offsets into `text`, `start <= end <= text.len()`.
    pub start: usize,
    /// End of the marked range.
    pub end: usize,
}

impl Severity {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

impl Place {
    /// The column of the marked range, from 1, counted in characters as editors do.
    pub fn column(&self) -> usize {
        self.cut + self.text[..self.start].chars().count() + 1
    }
}

/// One thing that is wrong (or doubtful) with the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Error, warning or note.
    pub severity: Severity,
    /// Which kind of finding it is: see [`codes`].
    pub code: Option<Code>,
    /// What is wrong, in one sentence without a full stop.
    pub text: String,
    /// Where; `None` when it concerns the file as a whole (`file` then names it in the text).
    pub place: Option<Place>,
    /// A few words under the caret; may be empty.
    pub label: String,
    /// Other places that explain this one ("first declared here").
    pub also: Vec<(Place, String)>,
    /// What to do about it, if we know.
    pub help: Option<String>,
}

impl Message {
    /// An error about a place.
    pub fn error(text: impl Into<String>, place: Place) -> Self {
        Self::new(Severity::Error, text, Some(place))
    }

    /// A warning about a place.
    pub fn warning(text: impl Into<String>, place: Place) -> Self {
        Self::new(Severity::Warning, text, Some(place))
    }

    /// An error about a whole file, such as one that cannot be opened.
    pub fn about_file(text: impl Into<String>) -> Self {
        Self::new(Severity::Error, text, None)
    }

    /// A finding of this kind, about a place if it has one.
    pub fn finding(code: Code, text: impl Into<String>, place: Option<Place>) -> Self {
        Self { code: Some(code), ..Self::new(code.severity(), text, place) }
    }

    fn new(severity: Severity, text: impl Into<String>, place: Option<Place>) -> Self {
        let (label, also) = (String::new(), Vec::new());
        Self { severity, code: None, text: text.into(), place, label, also, help: None }
    }

    /// Says which kind of finding it is, which decides how bad it is.
    #[must_use]
    pub fn code(self, code: Code) -> Self {
        Self { code: Some(code), severity: code.severity(), ..self }
    }

    /// Adds the words under the caret.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Adds a second place.
    #[must_use]
    pub fn also(mut self, place: Place, label: impl Into<String>) -> Self {
        self.also.push((place, label.into()));
        self
    }

    /// Adds advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Says of the messages whose kind is not known that they are of this one: what a parser complains about, for example, is a
/// syntax error unless it knows better.
#[must_use]
pub fn classified(mut messages: Vec<Message>, code: Code) -> Vec<Message> {
    for message in messages.iter_mut().filter(|message| message.code.is_none()) {
        if message.severity == code.severity() {
            message.code = Some(code);
        }
    }
    messages
}

/// The one-line form `file:line:column: error: text`, which editors can jump to.
impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{}:{}:{}: ", place.file, place.line, place.column())?;
        }
        write!(f, "{}: {}", self.severity.name(), self.text)
    }
}

/// A text held in memory, for front ends that keep the whole source; it turns byte offsets into [`Place`]s.
#[derive(Clone, Debug)]
pub struct SourceText {
    name: String,
    text: String,
    line_starts: Vec<usize>,
}

impl SourceText {
    /// Keeps `text`, to be called `name` in messages.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let line_starts = std::iter::once(0).chain(text.match_indices('\n').map(|(i, _)| i + 1)).collect();
        Self { name: name.into(), text, line_starts }
    }

    /// The file's name as the user gave it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The line, from 1, that holds the byte at `offset`.
    pub fn line_of(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|&start| start <= offset)
    }

    /// The place of the bytes `start..end`; a range over several lines is cut at the end of its first line.
    pub fn place(&self, start: usize, end: usize) -> Place {
        let start = floor_char(&self.text, start.min(self.text.len()));
        let line = self.line_of(start);
        let line_start = self.line_starts[line - 1];
        let line_end = self.line_starts.get(line).map_or(self.text.len(), |&next| next - 1);
        let text = self.text[line_start..line_end].trim_end_matches('\r');
        let from = (start - line_start).min(text.len());
        let to = floor_char(text, end.saturating_sub(line_start).min(text.len())).max(from);
        window(&self.name, line as u64, text, from, to)
    }
}

/// A place in a line that may be very long: keeps at most about 240 bytes around the marked range.
pub fn window(file: &str, line: u64, text: &str, start: usize, end: usize) -> Place {
    const BEFORE: usize = 100;
    const WIDTH: usize = 240;
    let from = if text.len() <= WIDTH { 0 } else { floor_char(text, start.saturating_sub(BEFORE)) };
    let to = floor_char(text, text.len().min(from + WIDTH));
    Place {
        file: file.to_owned(),
        line,
        text: text[from..to].to_owned(),
        cut: from,
        start: start.clamp(from, to) - from,
        end: end.clamp(from, to) - from,
    }
}

fn floor_char(text: &str, mut index: usize) -> usize {
    while !text.is_char_boundary(index) {
        index -= 1;
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_knows_its_line_and_column() {
        let source = SourceText::new("m.pml", "byte x;\r\nactive proctype p() {\n}\n");
        let place = source.place(16, 24);
        assert_eq!((place.line, place.column(), place.text.as_str()), (2, 8, "active proctype p() {"));
        assert_eq!(&place.text[place.start..place.end], "proctype");
        let end = source.place(1000, 1001);
        assert_eq!((end.line, end.column()), (4, 1));
    }

    #[test]
    fn a_long_line_is_shown_through_a_window() {
        let text = format!("{}é!{}", "x".repeat(5000), "y".repeat(5000));
        let place = window("a", 1, &text, 5002, 5003);
        assert!(place.text.len() <= 240);
        assert_eq!(&place.text[place.start..place.end], "!");
        assert_eq!(place.column(), 5002);
    }

    #[test]
    fn the_display_form_is_what_editors_parse() {
        let source = SourceText::new("a.aut", "des (0, 1)\n");
        assert_eq!(
            Message::error("bad header", source.place(8, 9)).to_string(),
            "a.aut:1:9: error: bad header"
        );
    }
}
