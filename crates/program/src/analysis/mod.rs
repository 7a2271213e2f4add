//! What commands and expressions do, described once.
//!
//! Reductions and questions about a program need to know what its commands do: which variables they read and write, with
//! whom they communicate, what they create, where they may fail. If each of them matched on the effects and expressions of the
//! IR, a new effect would have to be explained to all of them. So it is explained here, in terms that do not grow with the
//! IR, and everything else interprets the description:
//!
//! * A command is a sequence of [operations](Operation) ([`operations`]): evaluate an expression for some
//!   [`Purpose`], store a value, send, receive, meet others at a gate, create a process or put one elsewhere, end, print.
//! * An expression [observes](Observation) the state: variables, channels, numbers and places of processes
//!   ([`for_each_observation`]). Operators observe nothing.
//! * What may fail, given what is known of values ([`faults`]).
//! * The control structure of a process: cycles, bodies, reachable locations ([`control`]).
//! * What all commands together do to a variable ([`variables`]).
//!
//! A purpose says where a value goes, so that data flow needs nothing else: slicing follows values into
//! variables, symmetry follows numbers of processes, the boundedness question follows channels. Operations come in an
//! order in which every evaluation is before the store that needs it, so that a backward analysis (live variables) walks
//! them in reverse.
//!
//! **To add an effect or a kind of expression**, change the IR with its text, its verifier and its engines, and
//! `operation.rs` or `observation.rs` here. A new *operation* or *observation* is needed only for something that no command
//! could do so far. Then the compiler names the analyses that list all operations (partial order reduction, merging, dead
//! variables, slicing, numbers of processes, faults); those that look for one kind (who sends, who creates) have a
//! wildcard and must be found by searching for `operations(`.
//!
//! **What is not here.** Analyses that compute with expressions (constant folding, bounds of counters, sorts of process
//! numbers) look at operators themselves, and transformations that rewrite a program at what they rewrite. Control
//! (guards, `else`, atomicity) is read off [`crate::ir::Guard`] directly.

pub mod control;
pub mod faults;
mod observation;
mod operation;
pub mod variables;

pub use observation::{Observation, ProcessQuery, for_each_observation, observation, observes};
pub use operation::{
    Operation, Purpose, StoredValue, communicates, created, for_each_operation, for_each_written, joins,
    meets, operations, placed, prints, received_from, sent_to, sets_priority,
};
