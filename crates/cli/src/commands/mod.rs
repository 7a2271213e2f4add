//! The commands, one file each: they translate options for the library, ask, and have the answer reported.

pub(crate) mod bounded;
pub(crate) mod branching;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod compatible;
pub(crate) mod convert;
pub(crate) mod experiment;
pub(crate) mod explain;
pub(crate) mod explore;
pub(crate) mod info;
pub(crate) mod ltl;
pub(crate) mod net_properties;
pub(crate) mod random;
pub(crate) mod reduce;
pub(crate) mod replay;
pub(crate) mod simulate;
pub(crate) mod temporal;

use elnath::Problem;
use elnath::source::Message;

/// What is wrong with what the user asked for.
///
/// # Panics
/// If it is a bug of ours instead.
fn wrong(problem: Problem) -> Vec<Message> {
    assert!(problem.is_usage(), "{problem}; please report this as a bug of elnath");
    problem.into_messages()
}
