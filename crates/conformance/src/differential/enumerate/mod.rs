//! Small-scope enumeration: every production of the grammar nested in every other, compared with SPIN.
//!
//! Generators, naive interpreters and engines written by one mind share its blind spots. A hundred thousand random models
//! did not show that a `d_step` within a `d_step` lost its statements, because whoever wrote the generator did not think
//! of it either. So here nobody thinks of cases: a grammar ([`grammar`]), kept apart from the parser, is walked
//! systematically ([`derive`]); SPIN, another tool by other people, says what is right ([`judge`]); and what was compared is
//! shown as a matrix of pairs of productions ([`matrix`]), in which a gap can be seen. The small-scope hypothesis (Jackson,
//! *Software Abstractions*) says that most mistakes have a small example: what goes wrong in a large model goes wrong in
//! one of two or three nested constructs, which is minimal as it is found.
//!
//! A difference is explained if an entry of [`known`] covers it.

pub mod derive;
pub mod grammar;
pub mod judge;
pub mod known;
pub mod matrix;
