//! Comparisons against naive oracles, the counterexamples to the papers' printed algorithms, and what relations imply.

#[cfg(test)]
mod errata;
mod lattice;
mod mutants;
mod oracle;
mod plain;
#[cfg(test)]
mod printed;
mod random;
mod refinement;
mod second;
mod told;

pub(super) use lattice::PARTS as LATTICE;
pub(super) use mutants::PARTS as MUTANTS;
pub(super) use plain::Plain;
pub(super) use random::PARTS as RANDOM;
pub(super) use refinement::PARTS as REFINEMENT;
pub(super) use refinement::refuted_after;
pub(super) use second::PARTS as SECOND;
