//! The machine-readable form of answers. The schema is described in docs/json.md: fields are added, never renamed.

use crate::limits;
use elnath::source::{Message, Severity};
use serde_json::{Map, Value, json};

/// The version of the schema; it changes only if a field changes its meaning.
const SCHEMA: u32 = 1;

/// The fields that every object has; those about which a command has nothing to say are null.
const COMMON: [&str; 13] = [
    "verdict",
    "states",
    "transitions",
    "insertions",
    "depth",
    "seconds",
    "peak_bytes",
    "bytes_per_state",
    "coverage",
    "engine",
    "store",
    "reductions",
    "seed",
];

/// An object with the fields that every command's answer has.
pub(crate) fn object(command: &str, fields: Value) -> Value {
    let mut object = Map::new();
    object.insert("schema".into(), SCHEMA.into());
    object.insert("elnath".into(), env!("CARGO_PKG_VERSION").into());
    object.insert("command".into(), command.into());
    object.extend(COMMON.map(|field| (field.to_owned(), Value::Null)));
    object.insert("peak_bytes".into(), limits::peak_bytes().into());
    if let Value::Object(fields) = fields {
        object.extend(fields);
    }
    Value::Object(object)
}

/// Broken input.
pub(crate) fn bad_input(command: &str, messages: &[Message]) -> Value {
    object(command, json!({ "messages": messages.iter().map(message).collect::<Vec<_>>() }))
}

fn message(message: &Message) -> Value {
    let place = message.place.as_ref();
    json!({
        "severity": match message.severity { Severity::Error => "error", Severity::Warning => "warning" },
        "text": message.text,
        "file": place.map(|place| &place.file),
        "line": place.map(|place| place.line),
        "column": place.map(elnath::source::Place::column),
        "help": message.help,
    })
}
