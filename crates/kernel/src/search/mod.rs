//! Walks over a system: depth first with replacement, breadth first, breadth first by many workers, and the same with
//! the disk as memory.
//!
//! A walk is a simulation with holes ([`Hooks`]); what is verified depends on what fills them.

mod bfs;
mod dfsr;
mod hooks;
mod parallel;
mod spill;
mod successors;

pub use bfs::bfs;
pub use dfsr::dfsr;
pub use hooks::{Edge, Hooks};
pub use parallel::{Walked, parallel};
pub use spill::spill;

use crate::budget::Counters;
use crate::store::States;
use crate::system::Transition;
use crate::verdict::Limit;

/// How a walk ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Why it ended.
    pub end: End,
    /// What it did.
    pub counters: Counters,
    /// If a hook stopped it, or would have: the run from the root to where that first happened.
    pub witness: Option<Vec<Transition>>,
}

/// Why a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Everything reachable was seen, as far as the store can tell.
    Complete,
    /// A hook had seen enough.
    Stopped,
    /// Something ran out.
    Limited(Limit),
}

/// Copies into `counters` what only the store knows.
fn read_store(counters: &mut Counters, store: &impl States) {
    counters.states = store.distinct();
    counters.states_exact = store.replacements() == 0;
    counters.insertions = store.insertions();
    counters.stored = store.len();
    counters.fill = store.fill();
    counters.replacements = store.replacements();
    counters.store_bytes = store.bytes();
}
