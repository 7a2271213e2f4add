//! elnath's quotients and comparisons beside those of MERC 2 (crates.io, BSL-1.0).

pub mod apart;
pub mod disturb;

use elnath_kernel::budget::Budget;
use elnath_kernel::relation::Relation;
use elnath_lts::Lts;
use elnath_lts::quotient::{Quotient, reduce};
use merc_lts::LabelledTransitionSystem;
use merc_reduction::{Equivalence, reduce_lts};
use merc_utilities::Timing;

/// MERC's systems.
pub type Merc = LabelledTransitionSystem<String>;

/// Our quotient, with no limits.
///
/// # Panics
/// If there is none by this relation.
pub fn ours(lts: &Lts, relation: Relation) -> Quotient {
    let mut budget = Budget { memory: usize::MAX, depth: 0, states: 0, disk: None, watch: &mut |_| None };
    reduce(lts, relation, &mut budget).expect("no limits, and a relation that we have")
}

/// Theirs. Preprocessing for weak bisimulation is asked for only if `preprocess` is set.
pub fn theirs(lts: Merc, equivalence: Equivalence, preprocess: bool) -> Merc {
    reduce_lts(lts, equivalence, preprocess, &Timing::new())
}
