//! The machine-readable form of answers. The schema is described in docs/json.md: fields are added, never renamed.

use crate::limits;
use elnath::Finding;
use elnath::source::{Code, Message, codes};
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
    let mut wrong = json!({ "messages": messages.iter().map(message).collect::<Vec<_>>() });
    if messages.iter().any(|message| message.code == Some(codes::FORMULA_LIMIT)) {
        wrong["verdict"] = "unknown".into();
    }
    object(command, wrong)
}

/// A message about what is wrong.
pub(crate) fn message(message: &Message) -> Value {
    let place = message.place.as_ref();
    json!({
        "code": message.code.map(Code::text),
        "severity": message.severity.name(),
        "text": message.text,
        "file": place.map(|place| &place.file),
        "line": place.map(|place| place.line),
        "column": place.map(elnath::source::Place::column),
        "help": message.help,
    })
}

/// A finding: a message that has a kind, with the property that it is about.
pub(crate) fn finding(finding: &Finding, denied: bool) -> Value {
    let mut object = message(&finding.message);
    object["name"] = finding.code().map(Code::name).into();
    object["property"] = finding.property.clone().into();
    object["denied"] = denied.into();
    object
}
