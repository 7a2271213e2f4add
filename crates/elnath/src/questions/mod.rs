//! The questions, one file each: what a question observes, how it is walked, and how what was found becomes an answer about the model as
//! it was written. [`crate::driver`] asks them.

pub(crate) mod boundedness;
pub(crate) mod branching;
pub(crate) mod compatibility;
pub(crate) mod finite;
pub(crate) mod infinite;
pub(crate) mod quotient;
pub(crate) mod relation;
pub(crate) mod safety;
pub(crate) mod setting;
pub(crate) mod together;
