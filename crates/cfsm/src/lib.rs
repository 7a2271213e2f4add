//! Communicating finite state machines and fifo nets.
//!
//! ```text
//! text ─► language, session, fsa or scm ─► Network (names resolved) ─► lower ─► Program
//! ```
//!
//! Four ways of writing the same thing: a [small language](language) for people, and what other tools read and write:
//! local session types and `.fsa` machines (k-MC, GMC, ChorGram), `.scm` systems (McScM, ReSCu). Channels hold any
//! number of messages unless something else is said: whether they need to is what `elnath bounded` finds out.
//!
//! Every reader tells all that is wrong at once, with places, and suggests the name that may have been meant.

pub mod blocked;
mod fsa;
pub mod language;
mod lexer;
mod lower;
pub mod network;
mod proposition;
mod resolve;
mod scm;
mod session;

pub use blocked::Blocked;
pub use lower::{Options, lower};
pub use network::Network;
pub use proposition::{proposition, words};

use elnath_source::{Message, Severity, SourceText, classified, codes};

/// A way of writing machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The [language](language) of this crate.
    Language,
    /// Local session types.
    Session,
    /// `.fsa` blocks.
    Fsa,
    /// `.scm` systems.
    Scm,
}

impl Format {
    /// How a file is written, as far as its ending and its text tell: `.fifo` is our language, `.scm` is McScM's, and
    /// the others share their endings, so that the text decides.
    pub fn guess(ending: &str, text: &str) -> Self {
        match ending {
            "fifo" => Format::Language,
            "scm" => Format::Scm,
            _ if fsa::is_meant(text) => Format::Fsa,
            _ if declares(text) => Format::Language,
            "fsa" => Format::Fsa,
            _ => Format::Session,
        }
    }
}

/// Whether a line begins as only lines of our language do.
fn declares(text: &str) -> bool {
    let begins = |line: &str| {
        let mut words = line.split_whitespace();
        matches!(words.next(), Some("machine" | "channel" | "net" | "system"))
            && words.next().is_some_and(|word| !word.starts_with(':'))
    };
    text.lines().any(begins)
}

/// Reads a network.
///
/// # Errors
/// All that is wrong with the text; if nothing is, what is doubtful comes with the network.
pub fn parse(source: &SourceText, format: Format) -> Result<(Network, Vec<Message>), Vec<Message>> {
    let (network, messages) = match format {
        Format::Language => {
            let (tree, mut messages) = language::parse(source);
            let (network, more) = resolve::resolve(source, &tree);
            // What could not be read is missing from the tree: only complaints about what is there are worth telling.
            if messages.is_empty() {
                messages = more;
            } else {
                messages.extend(more.into_iter().filter(|message| message.severity == Severity::Error));
            }
            (network, messages)
        }
        Format::Session => session::parse(source),
        Format::Fsa => fsa::parse(source),
        Format::Scm => scm::parse(source),
    };
    if messages.iter().any(|message| message.severity == Severity::Error) {
        return Err(classified(messages, codes::SYNTAX));
    }
    Ok((network, messages))
}
