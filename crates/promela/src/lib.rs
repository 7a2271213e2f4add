//! Promela, the language of SPIN: from text to a checked model.
//!
//! ```text
//! text ─► preprocess (macros, includes) ─► parser (inlines, syntax tree) ─► check (names, types) ─► Model
//!      ─► lower ─► Program
//! ```
//!
//! Every stage keeps the place of what it handles and returns messages, all of them: see [`parse`]. The stages after the
//! first error still run where their input makes sense (a model with a syntax error is not checked, since half of the
//! complaints would be consequences). What SPIN does with a model, as found by experiment, is written down in
//! `docs/promela-semantics.md`.

pub mod ast;
mod check;
mod lexer;
mod lower;
pub mod model;
mod parser;
mod preprocess;
pub mod sources;

use elnath_source::{Message, Severity};

pub use lower::{Lowered, TrailTable, lower};
pub use model::Model;
pub use sources::{FileSystem, Loader, SourceMap, Span};

/// How to read a model.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `NAME`, `NAME=VALUE` or `NAME(x)=VALUE`, as after `-D`.
    pub defines: Vec<String>,
    /// Expressions over the state, from outside the model: they are read in its scope, with its macros.
    pub propositions: Vec<Snippet>,
}

/// An expression in some text that is not the model's, such as a formula on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    /// What messages call the text.
    pub name: String,
    /// The whole text, for messages to point into.
    pub text: String,
    /// The bytes that are the expression.
    pub range: std::ops::Range<usize>,
}

/// Reads, parses and checks the model called `main`.
///
/// Returns the model with warnings, or, if there is at least one error, all messages in the order in which the stages
/// found them.
pub fn parse(
    loader: &mut dyn Loader,
    main: &str,
    options: &Options,
) -> Result<(Model, Vec<Message>), Vec<Message>> {
    let mut sources = SourceMap::default();
    let preprocessed = preprocess::preprocess(loader, &mut sources, main, options);
    let mut messages = preprocessed.messages;
    let (module, more) = parser::parse(&mut sources, preprocessed.tokens, preprocessed.snippets);
    messages.extend(more);
    if has_errors(&messages) {
        return Err(messages);
    }
    let (checked, more) = check::check(&sources, &module);
    messages.extend(more);
    if has_errors(&messages) {
        return Err(messages);
    }
    let check::Checked { mtypes, typedefs, variables, processes, formulas, unreadable, propositions } =
        checked;
    let model = Model { sources, mtypes, typedefs, variables, processes, formulas, unreadable, propositions };
    Ok((model, messages))
}

fn has_errors(messages: &[Message]) -> bool {
    messages.iter().any(|message| message.severity == Severity::Error)
}
