//! The questions, one file each. A question fills the holes of a walk ([`elnath_kernel::Hooks`]), and turns what the
//! walk found into a verdict whose diagnosis has been replayed.

pub mod branching;
pub mod capability;
pub mod choice;
pub mod distinct;
pub mod finite;
pub mod plan;
pub mod polish;
pub mod reachability;
mod refusal;
pub mod relation;
pub mod scout;
mod shorten;
pub mod stores;
pub mod survey;
pub mod swarm;
pub mod temporal;
mod tighten;

pub use capability::{Capability, SEARCHES};
pub use choice::{SearchChoice, StoreChoice, WantedStore};
pub use distinct::{FoundError, FoundErrors};
pub use plan::{Plan, SearchPlan};
pub use polish::Polished;
pub use reachability::{ErrorCounts, Safety, SafetyAnswer, Violation};
pub use refusal::{NotReplayed, Refusal};
pub use scout::{Portfolio, Scouted};
pub use stores::{STORES, StorePlan};
pub use swarm::{Member, Swarm, Swarmed};
pub use tighten::tighten;
