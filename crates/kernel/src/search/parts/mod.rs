//! What searches are made of.
//!
//! | module | what |
//! |---|---|
//! | [`hooks`] | the holes of a walk, which a question fills |
//! | [`descent`] | the path of a depth-first search, and what it meets |
//! | [`successors`] | the successors of a state, hashed together |
//! | [`meter`] | what a walk has done, and whether it may go on |
//! | [`order`] | the same system with its transitions in another order |
//! | [`explicit`] | a part of the graph, in memory |
//! | [`kept`] | the runs that are told beside the first |
//! | [`held`] | how workers stop together |
//! | [`sample`](mod@sample) | some states, to see what they look like |

pub(super) mod descent;
pub(super) mod explicit;
pub(super) mod held;
pub(super) mod hooks;
pub(super) mod kept;
pub(super) mod meter;
pub(super) mod order;
pub(super) mod sample;
pub(super) mod successors;
