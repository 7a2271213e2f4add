//! Systems made of systems, by their labels: what is hidden, what is called otherwise, who moves together.
//!
//! | module | what |
//! |---|---|
//! | [`pattern`] | which labels are meant: a gate, one label, a regular expression |
//! | [`rules`] | what becomes of a label: hidden, renamed, or left as it is |
//! | [`relabel`] | a system whose labels have gone through rules |

pub mod pattern;
pub mod relabel;
pub mod rules;

pub use pattern::{BadPattern, Pattern};
pub use relabel::Relabelled;
pub use rules::Rules;

/// What the internal action is called when it was hidden.
pub const INTERNAL: &str = "i";
