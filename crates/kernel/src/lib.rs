//! The on-the-fly kernel of elnath: it walks the states of a system while generating them, in the memory it is
//! granted.
//!
//! | module | what |
//! |---|---|
//! | [`system`] | what is walked: `System` and `Stepper`, the contract with languages |
//! | [`successors`] | all successors of a state, in reused buffers |
//! | [`facets`] | what a system may offer besides: texts, propositions, acceptance, processes, a tally |
//! | [`hand_on!`] | what a system over a system leaves to the one beneath |
//! | [`event`] | what a transition did, as people want to be told |
//! | [`names`] | numbers for actions that are met on the way |
//! | [`texts`] | texts, each stored once under a number |
//! | [`by_action`] | a table by the numbers of actions |
//! | [`store`] | where states are remembered: exact, replacing, bitstate, hash compaction |
//! | [`search`] | the walks, depth first with replacement and breadth first, by one worker or many, with their holes |
//! | [`budget`] | what a walk may spend, and has spent |
//! | [`disk`] | files without names, for walks that outgrow the memory |
//! | [`verdict`], [`diagnosis`], [`lasso`] | answers, and the replayed runs that support them |
//! | [`relation`] | the names of equivalences and preorders |
//! | [`rng`] | the one source of chance |

pub mod budget;
pub mod by_action;
pub mod diagnosis;
pub mod disk;
pub mod event;
pub mod facets;
mod hand_on;
pub mod lasso;
mod lift;
pub mod names;
pub mod relation;
pub mod rng;
pub mod search;
pub mod store;
pub mod successors;
pub mod system;
pub mod texts;
pub mod verdict;

pub use budget::{Budget, Counters, Watch};
pub use by_action::ByAction;
pub use diagnosis::{Diagnosis, Run, replay};
pub use disk::Disk;
pub use event::Event;
pub use facets::{Acceptance, Describe, Processes, Propositions, Tally, Terse};
pub use lasso::{AcceptedBy, Condition, Lasso, NotALasso, StreettPair, replay_lasso};
pub use lift::{Essence, QuotientSystem, lift, lift_lasso};
pub use names::Names;
pub use relation::{Direction, Relation};
pub use search::{Edge, Emptiness, End, Hooks, Outcome, Walked, Witness, bfs, dfsr, parallel_bfs};
pub use successors::{Successor, Successors};
pub use system::{Action, Fault, Stepper, System, Transition};
pub use texts::Texts;
pub use verdict::{Coverage, Limit, Verdict};
