//! The runner of all campaigns: `cargo run --release -p elnath-conformance -- list`.

use std::process::ExitCode;

fn main() -> ExitCode {
    elnath_conformance::main(std::env::args().skip(1).collect())
}
