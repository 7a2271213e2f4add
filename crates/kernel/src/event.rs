//! What a transition did, as people want to be told: who, where, which statement, what it changed.
//!
//! A search knows transitions only by number, and [`System::show_transition`](crate::System::show_transition) gives one
//! line of text, which is enough for a table of states. A counterexample of a protocol needs more: the process that moved, the
//! line of the model, the variables that are different now, the message that went from one process to another. An
//! [`Event`] holds these apart, so that a listing, a chart and JSON can be made from the same data. A system without finer
//! structure fills only the text.
//!
//! The same holds for states: [`StatePart`] is a state as a table of texts, and [`Field`] the same with values that a program can
//! compare, draw and evaluate. [`Disabled`] is what could happen and does not, with the reason.

use serde::Serialize;

/// One statement of a transition.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Operand {
    /// Its name in the expression.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// One of the things that a state consists of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StatePart {
    /// The actor that it belongs to; empty if all share it.
    pub owner: String,
    /// Its name; empty if the value says what it is, such as the location of a process.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// A place in a source file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

/// One use of a piece of text that has a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Call {
    /// The name.
    pub name: String,
    /// Where it is used.
    pub place: Place,
}

/// Something that has another value now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// What kind of thing.
    pub scope: Scope,
    /// Its name; a local variable's begins with its actor's.
    pub name: String,
    /// The new value.
    pub value: String,
}

/// What kind of thing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// A variable that all see.
    Global,
    /// A variable of one actor.
    Local,
    /// The contents of a channel.
    Channel,
}

/// A message, from the point of view of the event's actor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Message {
    /// The channel.
    pub channel: String,
    /// The fields of the message.
    pub values: String,
    /// What happened to it.
    #[serde(flatten)]
    pub kind: MessageKind,
}

/// What happened to a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
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

/// One of the things that a state consists of, with its value taken apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Field {
    /// The actor that it belongs to; empty if all share it.
    pub owner: String,
    /// Its name; empty for the location of the owner. In the name of an array, `[]` stands after each part that has an index:
    /// `v[].f`.
    pub name: String,
    /// Its value.
    pub content: Content,
}

/// A value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Content {
    /// A number.
    Number {
        /// It.
        value: i64,
    },
    /// True or false.
    Truth {
        /// Which of them.
        value: bool,
    },
    /// A value with a name.
    Symbol {
        /// The name.
        name: String,
    },
    /// Anything else, as it is shown.
    Text {
        /// It.
        value: String,
    },
    /// An array.
    Array {
        /// Its lengths, outermost first.
        dims: Vec<u32>,
        /// Its elements; the last index runs fastest.
        elements: Vec<Content>,
    },
    /// A channel, told where it was created.
    Queue {
        /// The number of the channel, from 1.
        number: u32,
        /// How many messages it holds: 0 for a rendez-vous, nothing if any number.
        capacity: Option<u32>,
        /// Its messages, the next to be received first; each has its fields.
        messages: Vec<Vec<Content>>,
    },
    /// A reference to a channel that was created elsewhere; 0 is none.
    Channel {
        /// Its number.
        number: u32,
    },
    /// Where a process is.
    Location {
        /// The number of the location.
        number: u32,
        /// Its first label.
        label: Option<String>,
        /// Where the statements that leave it are written.
        place: Option<Place>,
    },
    /// How many tokens a place holds.
    Tokens {
        /// How many.
        count: u64,
    },
}

impl Content {
    /// The value as people read it.
    pub fn text(&self) -> String {
        let list = |elements: &[Content], between: &str| {
            let texts: Vec<String> = elements.iter().map(Content::text).collect();
            texts.join(between)
        };
        match self {
            Content::Number { value } => value.to_string(),
            Content::Truth { value } => value.to_string(),
            Content::Symbol { name } => name.clone(),
            Content::Text { value } => value.clone(),
            Content::Array { elements, .. } => format!("[{}]", list(elements, ", ")),
            Content::Queue { number, capacity: Some(0), .. } => format!("rendez-vous {number}"),
            Content::Queue { messages, .. } => {
                let messages: Vec<String> = messages.iter().map(|fields| list(fields, ",")).collect();
                format!("[{}]", messages.join(" | "))
            }
            Content::Channel { number: 0 } => "none".to_owned(),
            Content::Channel { number } => format!("channel {number}"),
            Content::Location { number, label, place } => match (label, place) {
                (Some(label), Some(place)) => format!("at {label}, line {}", place.line),
                (Some(label), None) => format!("at {label}"),
                (None, Some(place)) => format!("at line {}", place.line),
                (None, None) => format!("at location {number}"),
            },
            Content::Tokens { count } => count.to_string(),
        }
    }
}

/// `a[1][2]` for an element of an array, by its number; the indices stand where the name has `[]`, and the others at its end.
pub fn element_name(name: &str, dims: &[u32], element: usize) -> String {
    let mut indices = Vec::new();
    let mut rest = element;
    for &length in dims.iter().rev() {
        indices.push(rest % length as usize);
        rest /= length as usize;
    }
    let mut out = String::new();
    for (i, part) in name.split('.').enumerate() {
        if i > 0 {
            out.push('.');
        }
        match part.strip_suffix("[]") {
            Some(part) => {
                out.push_str(part);
                if let Some(index) = indices.pop() {
                    out.push_str(&format!("[{index}]"));
                }
            }
            None => out.push_str(part),
        }
    }
    while let Some(index) = indices.pop() {
        out.push_str(&format!("[{index}]"));
    }
    out
}

/// The fields of a state of which only the parts as texts are known.
pub fn fields_of(parts: Vec<StatePart>) -> Vec<Field> {
    let field = |part: StatePart| Field {
        owner: part.owner,
        name: part.name,
        content: Content::Text { value: part.value },
    };
    parts.into_iter().map(field).collect()
}

/// Something that an actor could do next in a state, as far as its location is concerned, and that is not possible there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Disabled {
    /// Who; empty if the system has no parts.
    pub actor: String,
    /// The statement.
    pub text: String,
    /// Where it is written.
    pub place: Option<Place>,
    /// Why it is not possible.
    pub why: Obstacle,
}

/// Why something is not possible.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Obstacle {
    /// A part of the condition is false: of a conjunction, the first that is.
    False {
        /// This part.
        part: String,
        /// The values that it reads.
        values: Vec<Operand>,
    },
    /// The channel that is sent to is full.
    Full {
        /// The channel.
        channel: String,
        /// How many messages it holds.
        capacity: u32,
    },
    /// The channel that is received from is empty.
    Empty {
        /// The channel.
        channel: String,
    },
    /// The channel holds messages, but none that this statement takes.
    Mismatch {
        /// The channel.
        channel: String,
        /// The message that would be received.
        first: String,
        /// The values that it is compared with.
        values: Vec<Operand>,
    },
    /// Nobody takes part on the other side of a rendez-vous or at a gate.
    NoPartner {
        /// The channel or gate.
        at: String,
        /// Who would have to take part, where that is known.
        missing: Vec<String>,
    },
    /// All who would have to take part are there, but do not agree on the values.
    Disagreement {
        /// The channel or gate.
        at: String,
    },
    /// It is an `else`, and another statement can be executed.
    Otherwise,
    /// Another statement goes first: an escape of `unless`.
    Overtaken,
    /// A process ends only after those that were created later.
    Younger,
    /// A process with a higher priority can move.
    Priority,
    /// A place holds too few tokens: the first that does.
    Tokens {
        /// The place.
        place: String,
        /// How many it holds.
        has: u64,
        /// How many are taken.
        needs: u64,
    },
    /// The language does not tell.
    Unknown,
}

impl Obstacle {
    /// In words.
    pub fn text(&self) -> String {
        let listed = |values: &[Operand]| {
            let parts: Vec<String> = values.iter().map(|v| format!("{} = {}", v.name, v.value)).collect();
            if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) }
        };
        match self {
            Obstacle::False { part, values } => format!("{part} is false{}", listed(values)),
            Obstacle::Full { channel, capacity } => format!("{channel} is full ({capacity} of {capacity})"),
            Obstacle::Empty { channel } => format!("{channel} is empty"),
            Obstacle::Mismatch { channel, first, values } => {
                format!("the first message of {channel} is {first}{}", listed(values))
            }
            Obstacle::NoPartner { at, missing } if missing.is_empty() => {
                format!("nobody is ready for {at}")
            }
            Obstacle::NoPartner { at, missing } => format!("{at} needs {}", missing.join(" and ")),
            Obstacle::Disagreement { at } => format!("the values offered at {at} differ"),
            Obstacle::Otherwise => "another statement can be executed".to_owned(),
            Obstacle::Overtaken => "an escape (unless) can be executed".to_owned(),
            Obstacle::Younger => "processes created later have not ended".to_owned(),
            Obstacle::Priority => "a process with a higher priority can move".to_owned(),
            Obstacle::Tokens { place, has, needs } => {
                format!(
                    "{place} holds {has} of the {needs} {} it takes",
                    if *needs == 1 { "token" } else { "tokens" }
                )
            }
            Obstacle::Unknown => "not possible now".to_owned(),
        }
    }
}
