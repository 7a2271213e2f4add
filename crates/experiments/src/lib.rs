//! The papers' experiments, repeated: what is measured, over which sizes, and the figures that come out.
//!
//! | module | paper | what is measured |
//! |---|---|---|
//! | [`replacement`] | on-the-fly-verification-1993, 2.3, figures 1 and 2 | depth-first search with replacement in less and less memory |
//! | [`caching`] | Godefroid, Holzmann, Pirottin 1992 | the same with sleep sets |
//! | [`connect_disconnect`] | on-line-model-checking-1989, 4.3, figure 8 | the on-line check with smaller and smaller heaps |
//! | [`datalink`] | equivalences-on-the-fly-1991, 5.2.1 | pairs that a comparison on the fly explores |
//!
//! Each is a function that gives rows of figures. Tables, plots and options belong to the command `elnath experiment`, and so
//! do the clock and Ctrl-C, which come in through a [`Meter`]: no clock is read below the command line. These are
//! experiments, not something to build on, so that they are no part of the public API of `elnath`; the random graphs of the 1993
//! paper are (`elnath::random`), since `elnath random` and the benchmarks generate them, too.

pub mod caching;
pub mod connect_disconnect;
pub mod datalink;
mod meter;
pub mod replacement;

pub use meter::{Meter, states};
