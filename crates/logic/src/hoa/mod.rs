//! Files in the Hanoi Omega-Automata format: HOA, version 1, and the negated properties of version 1.1.
//!
//! What is read is any automaton without universal branching: labels on states, on edges or implied by the order of the
//! edges; aliases; marks on states or on edges; several initial states; any acceptance condition (its translation, and
//! what that costs, is in `acceptance.rs`). A stream may hold several automata; one of them is read.
//!
//! As the standard asks, a header that begins with a capital letter and that we do not know is refused, because it may
//! change what the automaton means, and one that begins with a small letter is skipped. Properties are hints that could
//! be wrong, so nothing here relies on them. What a state is called is forgotten.
//!
//! A file cannot make us use memory or time that its own length does not pay for: no state has a number larger than the
//! file is long, labels have a limit ([`crate::label::MOST_CUBES`]), nesting has one too.

mod acceptance;
mod expression;
mod lexer;
mod read;
mod write;

pub use read::{Loaded, count, read};
pub use write::{is_state_based, write, write_finite};
