//! Specifications as programs of guarded commands that meet at gates ([`elnath_program::ir::Gate`]).
//!
//! Where control is static, the parts of a specification that parallel operators join are processes of a program; who
//! acts together is said by synchronisation vectors, as in the nets of CAESAR (Garavel, Sifakis 1990) and in FC2 networks. Values are numbers, so that
//! all sorts must have few values. So everything that is known about programs (text, machine code, reductions) can be used for LOTOS.
//!
//! | file | what |
//! |---|---|
//! | `data` | sorts and operations as numbers and expressions |
//! | `lower` | units as processes, and how they meet |
//! | `system` | the program as a system with the labels of the specification |
//!
//! What cannot be expressed is refused with its reason ([`NotLowered`]): sorts with many values, recursion without an action, a choice of values
//! with a parallel operator as its body, `>>` that is atomic, gates renamed as in the standard.
//!
//! Not done: values in locations instead of locals, which would allow any finite sort, but multiplies locations with the ranges of sorts; and
//! processes that are created and ended ([`elnath_program::ir::Effect::Run`]), since only the youngest process of a program can end.

mod data;
mod lower;
mod system;

pub use system::Programmed;

use std::fmt;

/// Why a specification is no program, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotLowered(pub String);

impl fmt::Display for NotLowered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
