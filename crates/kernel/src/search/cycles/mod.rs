//! Searches for accepting cycles, that is, for infinite runs that an automaton accepts.
//!
//! | search | accepts | memory | may forget | lossy |
//! |---|---|---|---|---|
//! | [`two_passes`](nested::two_passes) (Algorithm A) | states | one mark and a queue | yes | yes |
//! | [`nested`](nested::nested) (Algorithm B) | states | two marks | yes | yes |
//! | [`se05`](mod@se05) | states | two marks | no | yes |
//! | [`cndfs`](parallel::cndfs), many workers | states | a word beside each state, shared | no | no |
//! | [`scc`](mod@scc) | transitions, any number of sets, Streett pairs | a number | no | no |
//! | [`ufscc`](parallel::ufscc), many workers | transitions, any number of sets | four words beside each state, shared | no | no |
//! | [`weak`](mod@weak) | states, of weak automata | one mark | yes | yes |
//! | [`deterministic`](mod@deterministic) | cycles *without* accepting states | one mark; accepting states kept | yes | yes |
//! | [`shortest`](mod@shortest) | any of these; a shortest lasso | the whole graph | no | no |

pub(super) mod deterministic;
pub(super) mod nested;
pub(super) mod parallel;
pub(super) mod scc;
pub(super) mod se05;
mod seek;
pub(super) mod shortest;
pub(super) mod weak;
