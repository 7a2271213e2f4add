//! The tests of guarded commands, in one binary since each would link the same crates again.

mod analysis;
mod common;
mod interpreter;
mod modules;
mod semantics;
mod text;
mod verifier;
