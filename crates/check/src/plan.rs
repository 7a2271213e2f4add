//! Which walk over which store: the choices of the user as one value, and the one place where a choice becomes code.
//!
//! Stores and hooks are known at compile time (the hot loop has no virtual call but the stepper's), so this is a
//! match over all combinations that make sense.

use elnath_kernel::rng::Rng;
use elnath_kernel::search::{Hooks, Outcome, bfs, dfsr};
use elnath_kernel::store::{Bitstate, Compact, Exact, Lossy, Marks, Replacement, Replacing, Store};
use elnath_kernel::{Budget, Coverage, Stepper};
use std::fmt;

/// A walk over a store.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// The order in which states are visited.
    pub search: SearchPlan,
    /// How they are remembered.
    pub store: StorePlan,
    /// The seed of random replacement.
    pub seed: u64,
}

/// The order in which states are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchPlan {
    /// Depth first with replacement (DFSR).
    DepthFirst,
    /// Breadth first: shortest runs.
    BreadthFirst,
}

/// How states are remembered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StorePlan {
    /// All of them, byte for byte.
    Exact,
    /// As many as there is room for; visited ones are replaced.
    Replacing {
        /// Which visited state goes.
        replacement: Replacement,
        /// At most this many states, and no more than the memory allows.
        most: usize,
        /// How many insertions per distinct state are taken for thrashing.
        thrashing: u64,
    },
    /// A few bits each.
    Bitstate {
        /// Size of the bit array.
        bytes: usize,
        /// Bits per state.
        k: u32,
    },
    /// A fingerprint each.
    Compact {
        /// Bits of the fingerprint, 40 to 64.
        bits: u32,
    },
}

impl SearchPlan {
    /// The name used in reports and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            SearchPlan::DepthFirst => "dfs",
            SearchPlan::BreadthFirst => "bfs",
        }
    }
}

impl StorePlan {
    /// The name used in reports and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            StorePlan::Exact => "exact",
            StorePlan::Replacing { .. } => "replacing",
            StorePlan::Bitstate { .. } => "bitstate",
            StorePlan::Compact { .. } => "compact",
        }
    }
}

/// A combination that cannot work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsuitable;

impl fmt::Display for Unsuitable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "breadth-first search cannot use the replacing store: \
             it keeps no path, so a forgotten state would be explored again and again",
        )
    }
}

impl std::error::Error for Unsuitable {}

impl Plan {
    /// Whether the combination makes sense.
    ///
    /// # Errors
    /// If it does not.
    pub fn check(&self) -> Result<(), Unsuitable> {
        match (self.search, self.store) {
            (SearchPlan::BreadthFirst, StorePlan::Replacing { .. }) => Err(Unsuitable),
            _ => Ok(()),
        }
    }

    /// Walks everything reachable from the initial state.
    ///
    /// # Errors
    /// If the combination makes no sense.
    pub fn walk(
        &self,
        stepper: &mut dyn Stepper,
        hooks: &mut impl Hooks,
        budget: &mut Budget<'_>,
    ) -> Result<(Outcome, Coverage), Unsuitable> {
        self.check()?;
        let mut root = Vec::new();
        stepper.initial(&mut root);
        let typical = root.len();
        Ok(match (self.search, self.store) {
            (SearchPlan::DepthFirst, StorePlan::Exact) => {
                depth_first(Exact::new(), stepper, hooks, &root, budget)
            }
            (SearchPlan::DepthFirst, StorePlan::Replacing { replacement, most, thrashing }) => {
                let store = Replacing::new(replacement, typical, most, Rng::new(self.seed));
                depth_first(store.with_thrashing_factor(thrashing), stepper, hooks, &root, budget)
            }
            (SearchPlan::DepthFirst, StorePlan::Bitstate { bytes, k }) => {
                depth_first(Lossy::new(Bitstate::new(bytes, k), typical), stepper, hooks, &root, budget)
            }
            (SearchPlan::DepthFirst, StorePlan::Compact { bits }) => {
                depth_first(Lossy::new(Compact::new(bits), typical), stepper, hooks, &root, budget)
            }
            (SearchPlan::BreadthFirst, StorePlan::Exact) => {
                breadth_first(Exact::new(), stepper, hooks, &root, budget)
            }
            (SearchPlan::BreadthFirst, StorePlan::Bitstate { bytes, k }) => {
                breadth_first(Bitstate::new(bytes, k), stepper, hooks, &root, budget)
            }
            (SearchPlan::BreadthFirst, StorePlan::Compact { bits }) => {
                breadth_first(Compact::new(bits), stepper, hooks, &root, budget)
            }
            (SearchPlan::BreadthFirst, StorePlan::Replacing { .. }) => return Err(Unsuitable),
        })
    }
}

fn depth_first<S: Store>(
    mut store: S,
    stepper: &mut dyn Stepper,
    hooks: &mut impl Hooks,
    root: &[u8],
    budget: &mut Budget<'_>,
) -> (Outcome, Coverage) {
    let outcome = dfsr(stepper, &mut store, hooks, root, budget);
    (outcome, store.coverage())
}

fn breadth_first<M: Marks>(
    mut marks: M,
    stepper: &mut dyn Stepper,
    hooks: &mut impl Hooks,
    root: &[u8],
    budget: &mut Budget<'_>,
) -> (Outcome, Coverage) {
    let outcome = bfs(stepper, &mut marks, hooks, root, budget);
    (outcome, marks.coverage())
}
