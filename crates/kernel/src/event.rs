//! What a transition did, as people want to be told: who, where, which statement, what it changed.
//!
//! A search knows transitions only by number, and [`System::show_transition`](crate::System::show_transition) gives one
//! line of text, which is enough for a table of states. A counterexample of a protocol needs more: the process that moved, the
//! line of the model, the variables that are different now, the message that went from one process to another. An
//! [`Event`] holds these apart, so that a listing, a chart and JSON can be made from the same data. A system without finer
//! structure fills only the text.

/// One statement of a transition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// Who did it, such as `Sender:1`; empty if the system has no parts.
    pub actor: String,
    /// Where the statement is written.
    pub place: Option<Place>,
    /// What brought the statement to where it is executed, if it is written elsewhere, such as in an inline: the innermost
    /// first.
    pub calls: Vec<Call>,
    /// The statement.
    pub text: String,
    /// What is different after it; `None` if that is not known, so that the whole state must be shown.
    pub changes: Option<Vec<Change>>,
    /// What it printed.
    pub output: Vec<String>,
    /// The message it sent or received.
    pub message: Option<Message>,
    /// The messages it sent and received, in order, if it is several things at once.
    pub inside: Vec<Message>,
    /// The actors it created.
    pub created: Vec<String>,
    /// Whether it was the actor's last.
    pub ended: bool,
    /// The values that it read, if it failed; of a statement that is waited for, those that keep it from being executed.
    pub operands: Vec<Operand>,
}

impl Event {
    /// An event of which only the text is known.
    pub fn plain(text: String) -> Self {
        Self { text, ..Self::default() }
    }
}

/// Something that an expression read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Its name in the expression.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// One of the things that a state consists of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatePart {
    /// The actor that it belongs to; empty if all share it.
    pub owner: String,
    /// Its name; empty if the value says what it is, such as the location of a process.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// A place in a source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

/// One use of a piece of text that has a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The name.
    pub name: String,
    /// Where it is used.
    pub place: Place,
}

/// Something that has another value now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What kind of thing.
    pub scope: Scope,
    /// Its name; a local variable's begins with its actor's.
    pub name: String,
    /// The new value.
    pub value: String,
}

/// What kind of thing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// A variable that all see.
    Global,
    /// A variable of one actor.
    Local,
    /// The contents of a channel.
    Channel,
}

/// A message, from the point of view of the event's actor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The channel.
    pub channel: String,
    /// The fields of the message.
    pub values: String,
    /// What happened to it.
    pub kind: MessageKind,
}

/// What happened to a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessageKind {
    /// It was put into the channel.
    Sent,
    /// It was taken out of the channel.
    Received,
    /// It was read, and is still in the channel.
    Copied,
    /// It was handed over: sender and receiver moved together.
    HandedOver {
        /// Who received it.
        receiver: String,
        /// Where the receiving statement is written.
        place: Option<Place>,
        /// The receiving statement.
        text: String,
    },
}
