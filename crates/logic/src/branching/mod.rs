//! Branching time: formulas about the graph of a system rather than about its runs one by one.
//!
//! The language is the modal mu-calculus (Kozen 1983) with regular formulas over actions (PDL, Fischer and Ladner 1979; as CADP's MCL
//! and mCRL2 have them) and propositions about states. CTL (Emerson and Clarke 1982) is a door to it: its operators are kept in
//! [`ast`], so that a formula is printed as it was written, and become fixpoints in [`lower`]. What an engine walks is the result of
//! that: an alternating automaton of a few positions ([`lower::Positions`]), in which a regular modality has one position
//! for each state of its automaton and is not unfolded into fixpoints.
//!
//! Everything here works on arenas with explicit stacks: a formula of a hundred thousand nested operators is an ordinary one.
//!
//! # States without a successor
//!
//! Runs are maximal: one that comes to a state without successors ends there. So `EX p` and `<a> p` are false in such a state, `AX p` and
//! `[a] p` true, `EG p` and `AF p` are `p`, `E[p U q]` and `A[p U q]` are `q`. This is the convention of the Model Checking Contest. (Formulas of
//! LTL repeat the last state for ever instead; the two differ in what "next" means there and in nothing else.)

pub mod ast;
mod check;
pub mod lower;
pub mod parse;
mod regular;
mod rewrite;
mod show;

pub use ast::{ActionId, CtlOperator, Fixpoint, LabelTest, MuFormulas, MuId, MuNode, Quantifier, RegularId};
pub use lower::{Positions, lower};
pub use parse::{Door, parse_branching};
