//! What the benchmarks share: `cargo bench -p elnath-bench`, or with `-- NAME` those whose name contains NAME, and two
//! commands that run elnath and SPIN side by side: `versus-spin` (whole state spaces, see `src/bin/versus-spin/main.rs`) and
//! `first-error` (from source to the first error, see `src/bin/first-error/main.rs`).
//! The figures that were measured, and where, are in `RESULTS.md`.

pub mod machine;
pub mod process;
pub mod results;
pub mod setup;
pub mod stats;
