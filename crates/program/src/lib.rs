//! Programs of guarded commands: what every language of elnath is translated into.
//!
//! A [`Program`] is data ([`ir`]) with a text form, a verifier whose header lists the invariants, and an
//! interpreter, which is the semantics: what a program means is what [`Interpreter`] does. Everything faster must agree
//! with it state by state.

pub mod independence;
pub mod interpreter;
pub mod ir;
mod keep;
pub mod layout;
pub mod symmetry;
pub mod text;
pub mod transform;
pub mod verify;

pub use interpreter::{
    ChannelEvent, ChannelOp, Claimed, EventPattern, Interpreter, Observed, Recorder, Trace, Traced,
};
pub use ir::Program;
pub use keep::Keep;
