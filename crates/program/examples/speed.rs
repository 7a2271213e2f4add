//! Transitions per second of the interpreter, with the search and store of the kernel: `speed FILE..`.

#![allow(clippy::print_stdout, clippy::print_stderr)] // It is a tool for the terminal.

use elnath_kernel::{Budget, System, search::dfsr, store::Exact};
use elnath_program::{Interpreter, text::parse};
use elnath_source::SourceText;
use std::time::Instant;

fn main() {
    for file in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&file).expect("the file can be read");
        let program = parse(&SourceText::new(&file, text)).unwrap_or_else(|messages| {
            messages.iter().for_each(|message| eprintln!("{message}"));
            std::process::exit(2)
        });
        let system = Interpreter::new(program).expect("there is an initial state");
        let mut watch = |_: &_| None;
        let mut budget =
            Budget { memory: 4 << 30, depth: usize::MAX, states: 3_000_000, disk: None, watch: &mut watch };
        let mut stepper = system.stepper();
        let mut root = Vec::new();
        stepper.initial(&mut root);
        let start = Instant::now();
        let outcome = dfsr(&mut *stepper, &mut Exact::new(), &mut (), &root, &mut budget);
        let seconds = start.elapsed().as_secs_f64();
        let figures = outcome.counters;
        println!(
            "{file}: {:?}, {} states of about {} bytes, {} transitions in {seconds:.2} s: {:.2} million a second",
            outcome.end,
            figures.states,
            root.len(),
            figures.transitions,
            figures.transitions as f64 / seconds / 1e6,
        );
    }
}
