//! The files of a model, and where a piece of it was written.
//!
//! A token of Promela may come a long way: out of an included file, out of a macro used in another macro's argument, out
//! of an inline. A message must point at something the user recognises, so a [`Span`] remembers two things: the bytes
//! where the token was *written*, and the [`Expansion`] that brought it here, which remembers the span of its use, and so
//! on up to the text of a file. Spans are small and `Copy`; the chain lives once, in the [`SourceMap`]. Tokens of macro
//! *arguments* keep the span they had at the use, since that is where the user wrote them.
//!
//! Macros and inlines differ in what one wants to see. A macro is pointed at where it is used (its definition becomes a
//! note), because half an expression in a `#define` says little. An inline is pointed at in its body (its call becomes
//! a note), because there stands a statement.

use std::collections::HashMap;
use std::sync::Arc;

use elnath_source::{Message, Place, Severity, SourceText};

/// Which file of the [`SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileId(pub(crate) u32);

/// Which [`Expansion`] of the [`SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExpansionId(u32);

/// Where something was written and how it got here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// The file it was written in.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// The macro or inline expansion it came out of.
    pub from: Option<ExpansionId>,
}

/// What kind of thing was expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpansionKind {
    /// A `#define`.
    Macro,
    /// An `inline`.
    Inline,
}

/// One use of a macro or an inline.
#[derive(Clone, Debug)]
pub struct Expansion {
    /// Macro or inline.
    pub kind: ExpansionKind,
    /// Its name.
    pub name: Arc<str>,
    /// The name where it is used; this may itself lie in an expansion.
    pub usage: Span,
    /// The name where it is defined.
    pub definition: Span,
    /// How many expansions lie around it, itself included.
    pub(crate) depth: u32,
}

/// From here on, the file claims to be another one (`#line`).
#[derive(Clone, Debug)]
struct LineMark {
    /// The physical line from which it holds.
    from_line: usize,
    line: u64,
    name: Option<String>,
}

/// All files and all expansions of one model.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<(SourceText, Vec<LineMark>)>,
    expansions: Vec<Expansion>,
}

impl SourceMap {
    /// The text of a file.
    pub fn text(&self, file: FileId) -> &str {
        self.files[file.0 as usize].0.text()
    }

    /// The name of a file as it was loaded.
    pub fn name(&self, file: FileId) -> &str {
        self.files[file.0 as usize].0.name()
    }

    /// The names of all files, as they were loaded.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|(source, _)| source.name())
    }

    /// The texts of all files.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|(source, _)| source.text())
    }

    /// The use behind an expansion.
    pub fn expansion(&self, id: ExpansionId) -> &Expansion {
        &self.expansions[id.0 as usize]
    }

    /// The bytes a span was written with; what a person would call "this statement" if it came from no macro.
    pub fn snippet(&self, span: Span) -> &str {
        self.text(span.file).get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// The place to show for a span: in an inline the body, of a macro its outermost use.
    pub fn place(&self, span: Span) -> Place {
        self.written_place(self.shown(span))
    }

    /// The uses of inlines, in the order in which they were expanded.
    pub fn calls(&self) -> impl Iterator<Item = (ExpansionId, &Expansion)> {
        let all = self.expansions.iter().enumerate();
        all.filter(|(_, expansion)| expansion.kind == ExpansionKind::Inline)
            .map(|(id, expansion)| (ExpansionId(id as u32), expansion))
    }

    /// The innermost use of an inline that a span came out of.
    pub fn call(&self, span: Span) -> Option<ExpansionId> {
        self.shown(span).from
    }

    /// An error at a span, with a note for each expansion that led there.
    pub fn error(&self, text: impl Into<String>, span: Span) -> Message {
        self.message(Severity::Error, text, span)
    }

    /// A warning at a span, with a note for each expansion that led there.
    pub fn warning(&self, text: impl Into<String>, span: Span) -> Message {
        self.message(Severity::Warning, text, span)
    }

    /// The span that covers both, as far as they have a common origin; `first` otherwise.
    pub fn join(&self, first: Span, last: Span) -> Span {
        // Climb out of expansions until both stand in the same text: first to the same depth, then together.
        let (mut a, mut b) = (first, last);
        loop {
            let (depth_a, depth_b) = (self.depth(a), self.depth(b));
            if depth_a == depth_b && a.from == b.from && a.file == b.file {
                return Span { start: a.start.min(b.start), end: a.end.max(b.end), ..a };
            }
            if depth_a == 0 && depth_b == 0 {
                return first;
            }
            if depth_a >= depth_b {
                a = self.usage(a);
            }
            if depth_b >= depth_a {
                b = self.usage(b);
            }
        }
    }

    fn depth(&self, span: Span) -> u32 {
        span.from.map_or(0, |id| self.expansion(id).depth)
    }

    /// The use of what the span came out of; itself at the top.
    fn usage(&self, span: Span) -> Span {
        span.from.map_or(span, |id| self.expansion(id).usage)
    }

    /// The innermost file position, for the line numbers of a simulation or of `pan`-like reports.
    pub fn line(&self, span: Span) -> u64 {
        self.place(span).line
    }

    fn message(&self, severity: Severity, text: impl Into<String>, span: Span) -> Message {
        // More notes than this would bury the message; nested macros beyond it explain nothing.
        const NOTES: usize = 4;
        let mut message = Message {
            severity,
            code: None,
            text: text.into(),
            place: Some(self.place(span)),
            label: String::new(),
            also: Vec::new(),
            help: None,
        };
        let mut from = span.from;
        while let Some(id) = from {
            let expansion = self.expansion(id);
            if message.also.len() < NOTES {
                let (span, note) = match expansion.kind {
                    ExpansionKind::Macro => (
                        expansion.definition,
                        format!("in the expansion of macro `{}` defined here", expansion.name),
                    ),
                    ExpansionKind::Inline => {
                        (expansion.usage, format!("in this use of inline `{}`", expansion.name))
                    }
                };
                message.also.push((self.place(span), note));
            }
            from = expansion.usage.from;
        }
        message
    }

    fn shown(&self, mut span: Span) -> Span {
        while let Some(id) = span.from {
            let expansion = self.expansion(id);
            match expansion.kind {
                ExpansionKind::Macro => span = expansion.usage,
                ExpansionKind::Inline => break,
            }
        }
        span
    }

    fn written_place(&self, span: Span) -> Place {
        let (source, marks) = &self.files[span.file.0 as usize];
        let mut place = source.place(span.start as usize, span.end as usize);
        let physical = place.line as usize;
        if let Some(mark) = marks.iter().rev().find(|mark| mark.from_line <= physical) {
            place.line = mark.line.saturating_add((physical - mark.from_line) as u64);
            if let Some(name) = &mark.name {
                place.file.clone_from(name);
            }
        }
        place
    }

    pub(crate) fn add_file(&mut self, name: &str, text: String) -> FileId {
        self.files.push((SourceText::new(name, text), Vec::new()));
        FileId(self.files.len() as u32 - 1)
    }

    pub(crate) fn add_expansion(
        &mut self,
        kind: ExpansionKind,
        name: &Arc<str>,
        usage: Span,
        definition: Span,
    ) -> ExpansionId {
        let depth = self.depth(usage) + 1;
        self.expansions.push(Expansion { kind, name: name.clone(), usage, definition, depth });
        ExpansionId(self.expansions.len() as u32 - 1)
    }

    /// Records that the line after the directive at `offset` calls itself `line` (of `name`).
    pub(crate) fn mark_line(&mut self, file: FileId, offset: u32, line: u64, name: Option<String>) {
        let (source, marks) = &mut self.files[file.0 as usize];
        let name = name.or_else(|| marks.last().and_then(|mark| mark.name.clone()));
        marks.push(LineMark { from_line: source.line_of(offset as usize) + 1, line, name });
    }

    /// The line that `__LINE__` stands for: in a macro's text, that of its outermost use, as with gcc.
    pub(crate) fn physical_line(&self, span: Span) -> usize {
        let span = self.shown(span);
        self.files[span.file.0 as usize].0.line_of(span.start as usize)
    }
}

/// Where the text of a model and of its `#include`s comes from.
pub trait Loader {
    /// The text called `name`, or a few words why there is none.
    fn load(&mut self, name: &str) -> Result<String, String>;
}

/// Files on disk. Bytes that are not UTF-8 are replaced: old models have Latin-1 comments.
#[derive(Clone, Copy, Debug, Default)]
pub struct FileSystem;

impl Loader for FileSystem {
    fn load(&mut self, name: &str) -> Result<String, String> {
        let bytes = std::fs::read(name).map_err(|error| error.to_string())?;
        Ok(String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
    }
}

/// Files in memory, by name.
impl Loader for HashMap<String, String> {
    fn load(&mut self, name: &str) -> Result<String, String> {
        self.get(name).cloned().ok_or_else(|| "no such file".to_owned())
    }
}

/// The name of the file that `including` means by `#include "included"`.
pub(crate) fn include_path(including: &str, included: &str) -> String {
    if included.starts_with('/') {
        return included.to_owned();
    }
    match including.rfind('/') {
        Some(slash) => format!("{}{included}", &including[..=slash]),
        None => included.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_mark_renames_what_follows() {
        let mut map = SourceMap::default();
        let file = map.add_file("a.i", "# 7 \"m.pml\"\nbyte x;\nbyte y;\n".to_owned());
        map.mark_line(file, 0, 7, Some("m.pml".to_owned()));
        let place = map.place(Span { file, start: 20, end: 24, from: None });
        assert_eq!((place.file.as_str(), place.line), ("m.pml", 8));
    }

    #[test]
    fn a_macro_is_shown_at_its_use_and_joined_there() {
        let mut map = SourceMap::default();
        let file = map.add_file("m", "#define A 1\nx = A + A;\n".to_owned());
        let at = |start: u32, from| Span { file, start, end: start + 1, from };
        let name = "A".into();
        let one = map.add_expansion(ExpansionKind::Macro, &name, at(16, None), at(8, None));
        let two = map.add_expansion(ExpansionKind::Macro, &name, at(20, None), at(8, None));
        let (left, right) = (at(10, Some(one)), at(10, Some(two)));
        assert_eq!(map.place(left).column(), 5);
        let both = map.join(left, right);
        assert_eq!((both.start, both.end, both.from), (16, 21, None));
        let message = map.error("odd", right);
        assert_eq!(message.also[0].1, "in the expansion of macro `A` defined here");
        assert_eq!(message.place.map(|place| place.column()), Some(9));
    }

    #[test]
    fn includes_are_relative_to_the_including_file() {
        assert_eq!(include_path("dir/m.pml", "h.h"), "dir/h.h");
        assert_eq!(include_path("m.pml", "h.h"), "h.h");
        assert_eq!(include_path("m.pml", "/h.h"), "/h.h");
    }
}
