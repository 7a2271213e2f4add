//! Temporal logic: formulas, and the automata that accept the words on which they hold. There is no search here and no
//! system; a question takes an [`Automaton`] from here and walks its product with a system.

pub mod automaton;
pub mod bdd;
pub mod branching;
pub mod class;
pub mod degeneralise;
pub mod derivative;
pub mod effort;
pub mod finite;
pub mod formula;
mod hash;
pub mod hoa;
mod implication;
pub mod label;
pub mod lasso;
mod minimise;
pub mod mtbdd;
pub mod never;
mod obligation;
pub mod parse;
pub mod picture;
pub mod product;
mod progression;
mod scan;
pub mod scc;
mod show;
pub mod simplify;
mod simulation;
pub mod stutter;
mod symbolic;
mod tableau;
pub mod translate;
pub mod word;

pub use automaton::Automaton;
pub use effort::Limits;
pub use formula::{Atom, Formulas, Id, Spelling};
pub use translate::{Options, Refusal, translate, translate_within};
