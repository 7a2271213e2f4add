//! Comparisons against naive oracles, the counterexamples to the papers' printed algorithms, and what relations imply.

#![allow(clippy::print_stderr, reason = "figures of campaigns, for those who want them")]

mod errata;
mod lattice;
mod oracle;
mod plain;
mod printed;
mod random;
mod refinement;
mod second;
