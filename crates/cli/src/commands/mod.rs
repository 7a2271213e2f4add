//! The commands, one file each: they translate options for the library, ask, and have the answer reported.

pub(crate) mod bounded;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod convert;
pub(crate) mod experiment;
pub(crate) mod info;
pub(crate) mod ltl;
pub(crate) mod random;
pub(crate) mod reduce;
pub(crate) mod replay;
pub(crate) mod simulate;
pub(crate) mod temporal;
