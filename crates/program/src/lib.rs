//! Programs of guarded commands: what every language of elnath is translated into.
//!
//! A [`Program`] is data ([`ir`]) with a text form, a verifier whose header lists the invariants, and an
//! interpreter, which is the semantics: what a program means is what [`Interpreter`] does. Everything faster must agree
//! with it state by state.
//!
//! # The order of modules
//!
//! A module uses only those before it in this list (a test compares it with the source):
//! `ir`, `verify`, `text`, `layout`, `keep`, `analysis`, `transform`, `interpreter`, `symmetry`, `independence`.
//!
//! [`analysis`] describes once what commands and expressions do; [`transform`], [`symmetry`] and [`independence`] interpret that
//! description. The interpreter follows runs of transformed programs, and knows neither of the reductions of systems.

pub mod analysis;
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
