//! Static Estelle (ISO 9074): lexer, parser, checks, the tree of modules, and the program of guarded commands that it becomes.
//!
//! | module | what |
//! |---|---|
//! | `lexer`, `parser`, `ast` | the whole grammar, with the place of everything; several mistakes are told at once |
//! | `check`, `tree` | names, types, roles, clauses of groups; what static Estelle leaves out is refused by its name |
//! | `evaluate`, `instance` | initialisations are carried out: modules, connections, queues, initial values |
//! | `lower` | one process per active module, one channel per queue, one step per transition |
//! | `proposition`, `blocked` | what formulas can ask, and where a module is blocked for ever |
//!
//! The language is the one of unbounded-fifo-channels-1990, section 4.3. docs/estelle.md says what is read, what it means, and what is
//! refused.

mod ast;
mod check;
mod evaluate;
mod instance;
mod lexer;
mod lower;
mod parser;
mod proposition;
mod tree;

pub mod blocked;

pub use lower::{Delays, Lowered, ModuleInfo, Names, Options, QueueInfo, Stepping};
pub use proposition::{proposition, words};

use elnath_source::{Message, Severity, SourceText, classified, codes};

/// Reads a specification.
///
/// # Errors
/// All that is wrong with it; if nothing is, what is doubtful comes with it.
pub fn read(source: &SourceText, options: Options) -> Result<(Lowered, Vec<Message>), Vec<Message>> {
    let is_error = |message: &Message| message.severity == Severity::Error;
    let (specification, messages) = parser::parse(source);
    let Some(specification) = specification.filter(|_| !messages.iter().any(is_error)) else {
        return Err(classified(messages, codes::SYNTAX));
    };
    let (checked, more) = check::check(source, &specification, options.integers);
    let mut messages = messages;
    messages.extend(more);
    if messages.iter().any(is_error) {
        return Err(messages);
    }
    let tree = instance::instances(source, &checked)?;
    let lowered = lower::lower(source, &checked, &tree, options)?;
    Ok((lowered, messages))
}
