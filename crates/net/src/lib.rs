//! Systems made of systems, by their labels: what is hidden, what is called otherwise, who moves together.
//!
//! | module | what |
//! |---|---|
//! | [`pattern`] | which labels are meant: a gate, one label, a regular expression |
//! | [`rules`] | what becomes of a label: hidden, renamed, or left as it is |
//! | [`relabel`] | a system whose labels have gone through rules |
//! | [`network`] | components side by side, as one system |
//! | [`ast`], [`parse`](mod@parse), [`build`](mod@build) | the language of `.net` files, and from there to a network |

pub mod ast;
pub mod build;
mod lexer;
pub mod network;
pub mod parse;
pub mod pattern;
pub mod relabel;
pub mod rules;
mod stepper;

pub use build::{Built, NotLoaded, Part, build};
pub use network::{Alphabet, Component, Composition, Network, Together};
pub use parse::parse;
pub use pattern::{BadPattern, Pattern};
pub use relabel::Relabelled;
pub use rules::Rules;

/// What the internal action is called when it was hidden.
pub const INTERNAL: &str = "i";
