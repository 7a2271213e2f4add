//! Searches: depth first with replacement, breadth first, both of them by many workers, breadth first on disk, and
//! depth first with sleep sets. A search is a walk with holes ([`Hooks`]); the question that fills the holes decides
//! what is verified.
//!
//! The other searches look for accepting cycles, that is, for infinite runs that an automaton accepts:
//!
//! | search | accepts | memory | may forget | lossy |
//! |---|---|---|---|---|
//! | [`two_passes`] (Algorithm A) | states | one mark and a queue | yes | yes |
//! | [`nested`] (Algorithm B) | states | two marks | yes | yes |
//! | [`se05`] | states | two marks | no | yes |
//! | [`cndfs`], many workers | states | a word beside each state, shared | no | no |
//! | [`scc`] | transitions, any number of sets, Streett pairs | a number | no | no |
//! | [`ufscc`], many workers | transitions, any number of sets | four words beside each state, shared | no | no |
//! | [`weak`] | states, of weak automata | one mark | yes | yes |
//! | [`deterministic`] | cycles *without* accepting states | one mark; accepting states kept | yes | yes |
//! | [`shortest`] | any of these; a shortest lasso | the whole graph | no | no |

mod bfs;
mod descent;
mod deterministic;
mod dfsr;
mod explicit;
mod held;
mod hooks;
mod meter;
mod multicore;
mod nested;
mod order;
mod parallel;
mod sample;
mod scc;
mod se05;
mod seek;
mod shortest;
mod sleep;
mod spill;
mod successors;
mod together;
mod weak;

pub use bfs::bfs;
pub use deterministic::deterministic;
pub use dfsr::dfsr;
pub use hooks::{Edge, Hooks};
pub use multicore::{Kind, MOST_WORKERS, cndfs, ufscc};
pub use nested::{nested, two_passes};
pub use order::{Order, Reordered};
pub use parallel::{Walked, parallel, parallel_sharing};
pub use sample::sample;
pub use scc::scc;
pub use se05::se05;
pub use shortest::{shorten, shortest};
pub use sleep::sleeping;
pub use spill::spill;
pub use together::together;
pub use weak::weak;

use crate::budget::Counters;
use crate::lasso::Lasso;
use crate::store::States;
use crate::system::{Fault, Transition};
use crate::verdict::Limit;
use meter::Meter;

/// How a walk ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Why it ended.
    pub end: End,
    /// What it did.
    pub counters: Counters,
    /// If a hook stopped it, or would have: what is known of the run from the root to where that first happened. A hook that
    /// has said `Break` is never forgotten, whatever runs out afterwards.
    pub witness: Option<Witness>,
}

/// What a walk knows of the run to where a hook first said `Break`. That there is such a run and which run it is are kept in
/// one value: a walk that cannot tell the run (its store keeps no parents, or its disk fails) has still seen that there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Witness {
    /// The run itself.
    Run(Vec<Transition>),
    /// How long it is.
    Length(usize),
}

impl Witness {
    /// The run, if it is known.
    pub fn run(self) -> Option<Vec<Transition>> {
        match self {
            Witness::Run(run) => Some(run),
            Witness::Length(_) => None,
        }
    }

    /// The number of its steps.
    pub fn length(&self) -> usize {
        match self {
            Witness::Run(run) => run.len(),
            Witness::Length(length) => *length,
        }
    }
}

/// How a search for an accepting cycle ended: whether the language of the automaton that was walked is empty.
#[derive(Clone, Debug, PartialEq)]
pub struct Emptiness {
    /// Why it ended: [`End::Stopped`] if there is a cycle, [`End::Complete`] if there is none, as far as the store can
    /// tell.
    pub end: End,
    /// What it did, in all its passes.
    pub counters: Counters,
    /// A run that is accepted, if there is one.
    pub lasso: Option<Lasso>,
    /// The faults that firing ran into, each once. The search goes on behind them; where that is not what is wanted,
    /// a search for the faults themselves finds the run to one.
    pub faults: Vec<Fault>,
}

impl Emptiness {
    /// What `meter` says, when the search's loop ended with `result` and `lasso`.
    fn new(meter: Meter<'_, '_>, result: Result<(), End>, lasso: Option<Lasso>) -> Self {
        let end = meter.end(result);
        assert_eq!(end == End::Stopped, lasso.is_some(), "a cycle comes with its lasso");
        Self { end, counters: meter.counters, lasso, faults: meter.faults }
    }
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
