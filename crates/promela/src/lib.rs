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

use elnath_source::{Message, Severity, classified, codes};

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
    /// The most bytes that reading may take, by default [`DEFAULT_MEMORY`]: it bounds the tokens that macros and inlines
    /// make. Models of up to a million tokens are read in any case.
    pub memory: Option<usize>,
}

/// What reading a model may take where nobody says: a hostile one is refused after some seconds.
pub const DEFAULT_MEMORY: usize = 1 << 30;
/// Bytes that a token costs on its way to the program; 250 to 420 in models of 300,000 tokens.
const TOKEN_BYTES: usize = 400;
const LEAST_TOKENS: usize = 1_000_000;

impl Options {
    /// How many tokens fit.
    fn most_tokens(&self) -> usize {
        (self.memory.unwrap_or(DEFAULT_MEMORY) / TOKEN_BYTES).max(LEAST_TOKENS)
    }
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
    let mut messages = classified(preprocessed.messages, codes::PREPROCESSOR);
    let (module, more) =
        parser::parse(&mut sources, preprocessed.tokens, preprocessed.snippets, options.most_tokens());
    messages.extend(classified(more, codes::SYNTAX));
    if has_errors(&messages) {
        return Err(messages);
    }
    let (checked, more) = check::check(&sources, &module);
    messages.extend(classified(more, codes::WRONG_USE));
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
