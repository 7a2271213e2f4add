//! Temporal logic: formulas, and the automata that accept the words on which they hold. There is no search here and no
//! system; a question takes an [`Automaton`] from here and walks its product with a system.

pub mod automaton;
pub mod bdd;
pub mod derivative;
pub mod finite;
pub mod formula;
pub mod hoa;
pub mod label;
mod minimise;
pub mod mtbdd;
pub mod never;
pub mod parse;
pub mod picture;
mod scan;

pub use automaton::Automaton;
pub use formula::{Atom, Formulas, Id, Spelling};
