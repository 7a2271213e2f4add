//! What the large members of scalable families take while they are translated.
//!
//! A program of its own, because the peak of a process is measured: attempts that are given up leave no trace in the result, but half a gigabyte
//! in the peak (a disjunction of 24 `F G p` did, since the negation of it was read by products).

#![cfg(target_os = "linux")]

use elnath_logic::parse::{Syntax, parse_text};
use elnath_logic::{Formulas, Options, translate};

/// The largest resident size of this process so far, in KiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux tells");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("Linux tells the peak");
    line.trim().trim_end_matches(" kB").parse().expect("a number of KiB")
}

#[test]
fn large_members_of_families_take_little_memory() {
    let before = peak();
    let joined = |operator: &str, part: &str| {
        (1..=32).map(|i| format!("{part} p{i}")).collect::<Vec<_>>().join(operator)
    };
    let nested = |operator: &str| {
        (1..32).rev().fold("p32".to_owned(), |inner, i| format!("(p{i} {operator} {inner})"))
    };
    let deadlines = (1..32).fold("q".to_owned(), |inner, _| format!("(q | X {inner})"));
    for text in [
        joined(" | ", "F G"),
        joined(" & ", "F G"),
        joined(" | ", "G F"),
        joined(" & ", "G F"),
        joined(" | ", "G"),
        nested("U"),
        nested("R"),
        nested("W"),
        nested("M"),
        format!("G(p -> {deadlines})"),
        format!("GF(a <-> {}a)", "X ".repeat(32)),
    ] {
        let mut formulas = Formulas::new();
        let f = parse_text(&mut formulas, &text, Syntax::default()).expect(&text).formula;
        translate(&formulas, f, Options::default()).unwrap_or_else(|why| panic!("{text}: {why}"));
        let peak = peak() - before;
        assert!(peak < 600 << 10, "{text}: a peak of {peak} KiB");
    }
}
