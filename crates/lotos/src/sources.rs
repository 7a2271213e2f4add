//! The texts that a specification consists of: its file, and the libraries that it includes.
//!
//! A place is a file and a range of bytes, small enough to stand in every node of a syntax tree.

use elnath_source::{Message, Place, SourceText};

/// A range of bytes of one of the [`Sources`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) file: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Span {
    /// From the beginning of this to the end of the other, if they are in one file.
    pub(crate) fn to(self, other: Self) -> Self {
        if self.file == other.file && other.end >= self.start {
            Self { end: other.end, ..self }
        } else {
            self
        }
    }
}

/// The texts, the specification's own first; and which of them are libraries of ours.
#[derive(Debug)]
pub(crate) struct Sources(pub(crate) Vec<SourceText>, pub(crate) Vec<u32>);

impl Sources {
    /// Whether this place is in one of our own libraries.
    pub(crate) fn is_ours(&self, span: Span) -> bool {
        self.1.contains(&span.file)
    }

    pub(crate) fn place(&self, span: Span) -> Place {
        self.0[span.file as usize].place(span.start as usize, span.end as usize)
    }

    /// File and line, for stories.
    pub(crate) fn line(&self, span: Span) -> (&str, u32) {
        let source = &self.0[span.file as usize];
        (source.name(), source.line_of(span.start as usize) as u32)
    }

    /// What stands there.
    pub(crate) fn text(&self, span: Span) -> &str {
        self.0[span.file as usize].text().get(span.start as usize..span.end as usize).unwrap_or("")
    }

    pub(crate) fn error(&self, text: impl Into<String>, span: Span) -> Message {
        Message::error(text, self.place(span))
    }
}
