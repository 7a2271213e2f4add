//! Nothing but benchmarks: `cargo bench -p elnath-bench`, or with `-- NAME` those whose name contains NAME.
//! The comparison with SPIN is a command, `versus-spin`: see `src/bin/versus-spin/main.rs`.
//! The figures that were measured, and where, are in `RESULTS.md`.
