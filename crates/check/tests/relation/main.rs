//! Comparisons against naive oracles, the counterexamples to the papers' printed algorithms, and what relations imply.

mod errata;
mod lattice;
mod oracle;
mod plain;
mod printed;
mod random;
mod refinement;
