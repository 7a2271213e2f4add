//! The one error of the facade: why a question got no answer.

use elnath_check::Refusal;
use elnath_check::plan::Unsuitable;
use elnath_kernel::Relation;
use elnath_source::{Message, classified, codes};
use std::fmt;

/// Why a question got no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// What was asked for cannot work; or what was found could not be confirmed, which is a bug of elnath.
    Refused(Refusal),
    /// A reduction was insisted on, and this is why it cannot be made, with the places in the model.
    Reduction(Vec<Message>),
    /// A parameter of a store has a value that makes no sense.
    Store(String),
    /// There are no quotients by this relation: see [`elnath_lts::quotient::RELATIONS`].
    NoQuotient(Relation),
    /// The model has no channels to ask about, or not those that were named.
    Channels(Vec<Message>),
    /// The model is not made of session automata, with the places where it departs from them.
    Machines(Vec<Message>),
    /// Weakly fair runs of an observed program with steps that become several. Between these no other process can move, and a
    /// process that waits there for its turn would be taken for one that cannot go on.
    WeaklyFairLabels,
}

impl Problem {
    /// Whether the user asked for something that cannot work, as opposed to a bug of ours.
    pub fn is_usage(&self) -> bool {
        match self {
            Problem::Refused(refusal) => refusal.is_usage(),
            Problem::Reduction(_)
            | Problem::Store(_)
            | Problem::NoQuotient(_)
            | Problem::Channels(_)
            | Problem::Machines(_)
            | Problem::WeaklyFairLabels => true,
        }
    }

    /// What is to be told, each thing with its place if it has one.
    pub fn into_messages(self) -> Vec<Message> {
        match self {
            Problem::Reduction(messages) => classified(messages, codes::REFUSED_REDUCTION),
            Problem::Channels(messages) => classified(messages, codes::UNKNOWN_NAME),
            Problem::Machines(messages) => classified(messages, codes::NOT_SESSION_AUTOMATA),
            other => vec![Message::about_file(other.to_string()).code(codes::UNFIT_CHOICE)],
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Refused(refusal) => refusal.fmt(f),
            Problem::Store(text) => f.write_str(text),
            Problem::NoQuotient(relation) => write!(f, "there are no quotients by {}", relation.name()),
            Problem::Reduction(messages) | Problem::Channels(messages) | Problem::Machines(messages) => {
                let lines: Vec<String> = messages.iter().map(Message::to_string).collect();
                f.write_str(&lines.join("\n"))
            }
            Problem::WeaklyFairLabels => f.write_str(
                "weak fairness cannot be decided with --hide, --hide-all-but or --rename here: an atomic sequence of the \
                 model has several labels, between which no other process can move",
            ),
        }
    }
}

impl std::error::Error for Problem {}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        Problem::Refused(refusal)
    }
}

impl From<Unsuitable> for Problem {
    fn from(why: Unsuitable) -> Self {
        Problem::Refused(Refusal::Unsuitable(why))
    }
}
