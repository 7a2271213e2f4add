//! Nothing but benchmarks: `cargo bench -p elnath-bench`, or with `-- NAME` those whose name contains NAME.
//! The figures that were measured, and where, are in `RESULTS.md`.
