//! Propositions about actions, as the formulas about finite runs have them: in a graph a name is that of an action, and
//! `tau` every action that the formula does not name; `action(PATTERN)` is a regular expression that the whole label must
//! match, in any system.

use elnath_check::temporal::Observable;
use regex::Regex;
use std::sync::Arc;

/// The action of this name.
pub(super) fn named(name: &str) -> Observable {
    let name = name.to_owned();
    Observable::Action(Arc::new(move |label: &str| label == name))
}

/// Any action but these.
pub(super) fn none_of(names: Vec<String>) -> Observable {
    Observable::Action(Arc::new(move |label: &str| names.iter().all(|name| name != label)))
}

/// Whether a name stands for the actions that have none.
pub(super) fn is_tau(name: &str) -> bool {
    matches!(name, "tau" | "τ")
}

/// The actions that match a pattern.
pub(super) fn matching(pattern: &str) -> Result<Observable, String> {
    match Regex::new(&format!("^(?:{pattern})$")) {
        Ok(regex) => Ok(Observable::Action(Arc::new(move |label: &str| regex.is_match(label)))),
        Err(_) => Err(format!("`{pattern}` is not a regular expression")),
    }
}
