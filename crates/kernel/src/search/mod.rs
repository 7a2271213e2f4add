//! Searches: depth first with replacement, breadth first, both of them by many workers, breadth first on disk, and
//! depth first with sleep sets. A search is a walk with holes ([`Hooks`]); the question that fills the holes decides
//! what is verified.
//!
//! [`reach`] has the searches for states, [`cycles`] those for infinite runs that an automaton accepts, and [`parts`] what
//! they are made of.

mod cycles;
mod parts;
mod reach;

pub use cycles::deterministic::deterministic;
pub use cycles::nested::{nested, two_passes};
pub use cycles::parallel::{CycleKind, MOST_WORKERS, cndfs, ufscc};
pub use cycles::scc::scc;
pub use cycles::se05::se05;
pub use cycles::shortest::{shorten, shortest};
pub use cycles::weak::weak;
pub use parts::hooks::{Edge, Hooks};
pub use parts::order::{Order, Reordered};
pub use parts::sample::sample;
pub use reach::bfs::bfs;
pub use reach::dfsr::dfsr;
pub use reach::parallel_bfs::{Walked, parallel_bfs, parallel_bfs_sharing};
pub use reach::parallel_dfs::parallel_dfs;
pub use reach::sleep::sleeping;
pub use reach::spill::spill;

use crate::budget::Counters;
use crate::lasso::Lasso;
use crate::store::States;
use crate::system::{Fault, Transition};
use crate::verdict::Limit;
use parts::meter::Meter;

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
    /// What is known of the runs that hooks wanted to be [kept](Hooks::keeps), worker by worker in the order in which they were
    /// found.
    pub kept: Vec<Witness>,
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
