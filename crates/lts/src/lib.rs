//! Explicit labelled transition systems: graphs that somebody has already generated and written to a file.
//!
//! An [`Lts`] is a table, read from an `.aut` file ([`aut::read_file`]) or built in memory ([`Builder`]). It is a
//! [`System`](elnath_kernel::System) like any other, so every search walks it; and since the whole graph is there,
//! questions that need all of it at once (its components, its deadlocks, its determinism) have an answer here, one
//! file each, gathered in [`Info`].
//!
//! Three limits hold everywhere and are checked by the reader: states, labels and transitions are numbered with 32
//! bits, so that a transition costs 8 bytes; a system has at least one state; and there is no more than a fixed number
//! of states per transition ([`lts::most_states`]), so that an array indexed by states is always affordable.

pub mod aut;
mod builder;
pub mod deadlock;
pub mod determinism;
pub mod dot;
pub mod duplicates;
pub mod format;
pub mod info;
pub mod labels;
pub mod livelock;
pub mod lts;
pub mod quotient;
pub mod reach;
pub mod scc;
mod system;

pub use builder::Builder;
pub use format::{GRAPH_FORMATS, GraphFormat};
pub use info::Info;
pub use labels::{Labels, Taus};
pub use lts::{Edge, Lts};
