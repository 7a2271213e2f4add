//! For elnath's own tests: random systems, naive oracles that are too simple to be wrong, and suites that every
//! implementation of a contract must pass. Every function that uses chance takes a seed and names it when it fails.

mod automaton;
pub mod branching;
mod cache;
pub mod corpus;
mod graph;
mod naive;
mod programs;
mod promela;
pub mod relation;
mod stores;
mod world;

pub use automaton::Automaton;
pub use cache::Cache;
pub use graph::Graph;
pub use naive::{Endless, Naive, NaiveState, NaiveStep};
pub use programs::{
    Compared, compare_with_naive, random_lean_program_with_gates, random_program, random_program_with_gates,
};
pub use promela::{
    CORNER_FORMULAS, CREATION_MODELS, Occurrences, RARITIES, counted_rarities, creation_model,
    random_corners, random_numbered, random_promela, random_promela_with_formula,
    random_promela_with_formulas, random_rarities, random_symmetric, random_tandem,
};
pub use relation::Labelled;
pub use stores::{check_marks, check_store};
pub use world::{World, WorldEdge};
