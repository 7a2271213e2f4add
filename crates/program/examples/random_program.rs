//! Prints the random program of a seed, as the comparison of interpreters names it: `random_program 52`.

#![allow(clippy::print_stdout)] // It is a tool for the terminal.

fn main() {
    let seed = std::env::args().nth(1).and_then(|seed| seed.parse().ok()).unwrap_or(0);
    print!("{}", elnath_program::text::print(&elnath_testkit::random_program(seed)));
}
