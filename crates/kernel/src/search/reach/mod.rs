//! Searches for states: everything reachable is visited once, unless a hook has seen enough.
//!
//! | search | order | workers | store |
//! |---|---|---|---|
//! | [`dfsr`](mod@dfsr) | depth first with replacement | one | any that knows its path |
//! | [`sleep`] | the same with sleep sets | one | one that keeps them |
//! | [`parallel_dfs`](mod@parallel_dfs) | depth first, each its own way | many | one array of bits |
//! | [`bfs`](mod@bfs) | breadth first | one | any that forgets nothing |
//! | [`parallel_bfs`](mod@parallel_bfs) | breadth first, level by level | many | a shared one |
//! | [`spill`](mod@spill) | the same, on disk when the memory is used up | many | the tree store |

pub(super) mod bfs;
pub(super) mod dfsr;
pub(super) mod parallel_bfs;
pub(super) mod parallel_dfs;
pub(super) mod sleep;
pub(super) mod spill;
