//! Random programs: the verifier accepts them, their text is read back, and the interpreter agrees with the naive one.

use elnath_program::ir::Program;
use elnath_program::text::{parse, print};
use elnath_program::verify::verify;
use elnath_source::SourceText;
use elnath_testkit::{compare_with_naive, random_program, random_program_with_gates};

use super::Part;
use crate::trial::{Trial, counts};

pub(super) const PARTS: &[Part] = &[
    Part { name: "verified", meaning: "the verifier accepts random programs", run: verified },
    Part { name: "text", meaning: "the text of a program is read back", run: read_back },
    Part { name: "naive", meaning: "the interpreter against a naive one", run: against_the_naive_one },
    Part { name: "gates", meaning: "the same where processes meet at gates", run: at_gates },
];

/// Every second one has gates.
fn any_program(seed: u64) -> Program {
    if seed.is_multiple_of(2) { random_program(seed) } else { random_program_with_gates(seed) }
}

fn verified(trial: &mut Trial<'_>) {
    let (): () = trial.cases(0..2_000, |case, ()| {
        let seed = case.seed;
        let program = any_program(seed);
        assert_eq!(verify(&program), Ok(()), "seed {seed}");
        Ok(())
    });
}

fn read_back(trial: &mut Trial<'_>) {
    let (): () = trial.cases(0..2_000, |case, ()| {
        let seed = case.seed;
        let program = any_program(seed);
        let text = print(&program);
        let read = parse(&SourceText::new("printed", text.clone()));
        assert_eq!(read.as_ref(), Ok(&program), "seed {seed}:\n{text}");
        Ok(())
    });
}

counts! {
    struct Seen { states, transitions, faults, joint, deadlocks, endless }
}

fn against_the_naive_one(trial: &mut Trial<'_>) {
    compared(trial, random_program);
}

fn at_gates(trial: &mut Trial<'_>) {
    let seen = compared(trial, random_program_with_gates);
    trial.enough(seen.joint > 10 * trial.asked(), "joint steps");
}

fn compared(trial: &mut Trial<'_>, make: fn(u64) -> Program) -> Seen {
    let seen = trial.cases(0..1_000, |case, seen: &mut Seen| {
        let program = make(case.seed);
        case.keep(print(&program));
        let compared = compare_with_naive(&program, 500);
        seen.states += compared.states as u64;
        seen.transitions += compared.transitions as u64;
        seen.faults += compared.faults as u64;
        seen.joint += compared.joint as u64;
        seen.deadlocks += compared.deadlocks as u64;
        seen.endless += u64::from(compared.endless);
        Ok(())
    });
    let asked = trial.asked();
    // If the generator gets dull, this is a comparison of nothing.
    trial.enough(seen.states > 20 * asked && seen.faults > asked, "states and faults");
    trial.enough(seen.deadlocks > asked / 10 && seen.endless < asked / 4, "deadlocks");
    seen
}
