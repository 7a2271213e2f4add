//! What was made of the components of a network before it was explored, as text and as JSON.

use crate::report::render;
use crate::report::terminal::Terminal;
use elnath::compositional::{MinimisedPart, MinimisedParts};
use serde_json::{Value, json};

/// Parts that are listed as text.
const MOST: usize = 40;

/// For people: one line, and with --verbose one for each part.
pub(crate) fn text(told: &MinimisedParts, name: &str, terminal: &Terminal) {
    let [before, after] = told.components;
    let relation = told.relation.name();
    let components = render::plural(before as u64, "component");
    terminal.detail(&format!("{name}: {components} minimised first ({relation}), {after} left"));
    for part in told.parts.iter().take(MOST) {
        let MinimisedPart { names, before, after } = part;
        let before = render::plural(*before, "state");
        terminal.more(&format!("  {}: {before} became {}", names.join(", "), render::grouped(*after)));
    }
    if told.parts.len() > MOST {
        terminal.more(&format!("  and {} more", told.parts.len() - MOST));
    }
}

/// For machines.
pub(crate) fn json(told: Option<&MinimisedParts>) -> Value {
    let Some(told) = told else { return Value::Null };
    let part = |part: &MinimisedPart| json!({ "components": part.names, "states_before": part.before, "states_after": part.after });
    json!({
        "relation": told.relation.name(),
        "before": told.components[0],
        "after": told.components[1],
        "parts": told.parts.iter().map(part).collect::<Vec<_>>(),
    })
}
