//! Random programs: the verifier accepts them, their text is read back, and the interpreter agrees with the naive one.

use elnath_program::text::{parse, print};
use elnath_program::verify::verify;
use elnath_source::SourceText;
use elnath_testkit::{Compared, compare_with_naive, random_program};

#[test]
fn the_verifier_accepts_what_the_generator_makes() {
    for seed in 0..2_000 {
        let program = random_program(seed);
        assert_eq!(verify(&program), Ok(()), "seed {seed}");
    }
}

#[test]
fn the_text_of_a_program_is_read_back() {
    for seed in 0..2_000 {
        let program = random_program(seed);
        let text = print(&program);
        let read = parse(&SourceText::new("printed", text.clone()));
        assert_eq!(read.as_ref(), Ok(&program), "seed {seed}:\n{text}");
    }
}

/// A thousand programs here; `ELNATH_SEEDS=from..to` walks others.
#[test]
fn the_interpreter_agrees_with_the_naive_one() {
    let seeds = std::env::var("ELNATH_SEEDS").ok().and_then(|range| {
        let (from, to) = range.split_once("..")?;
        Some(from.parse().ok()?..to.parse().ok()?)
    });
    let seeds = seeds.unwrap_or(0..1_000);
    let programs = seeds.end - seeds.start;
    let (mut all, mut endless) = (Compared::default(), 0);
    for seed in seeds {
        let compared = compare_with_naive(&random_program(seed), 500);
        all.states += compared.states;
        all.transitions += compared.transitions;
        all.faults += compared.faults;
        all.deadlocks += compared.deadlocks;
        endless += u64::from(compared.endless);
    }
    // If the generator gets dull, this is a comparison of nothing.
    assert!(all.states as u64 > 20 * programs && all.faults as u64 > programs, "{all:?}");
    assert!(all.deadlocks as u64 > programs / 10 && endless < programs / 4, "{all:?}, {endless} endless");
}
