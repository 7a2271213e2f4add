//! `--reductions symmetry` on the command line: what is refused is refused with its place.

mod common;

use common::run;
use std::path::Path;

fn promela(name: &str) -> String {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/promela");
    cases.join(name).display().to_string()
}

#[test]
fn a_number_that_tells_processes_apart_is_shown_where_it_is() {
    let model = promela("peterson.pml");
    let ran = run(["check", &model, "--reductions", "symmetry"]);
    assert_eq!(ran.code, Some(2), "{ran:#?}");
    assert!(ran.err.contains("peterson.pml:7"), "{ran:#?}");
    assert!(ran.err.contains("the number of a process is used as any other number"), "{ran:#?}");
    assert!(ran.err.contains("^^^^"), "{ran:#?}");
    assert_eq!(ran.err.matches("must hold nothing else").count(), 1, "{ran:#?}");
}

#[test]
fn what_cannot_be_asked_together_is_said() {
    let model = promela("symmetry-of-workers.pml");
    let with = |more: &[&str]| run(["check", &model, "--reductions", "symmetry"].iter().chain(more));
    let ran = with(&["--all-errors"]);
    assert_eq!(ran.code, Some(2), "{ran:#?}");
    assert!(ran.err.contains("all errors are to be counted"), "{ran:#?}");
    let ran = with(&["--ltl", "[] <> (working == 0)", "--fair", "weak"]);
    assert_eq!(ran.code, Some(2), "{ran:#?}");
    assert!(ran.err.contains("fairness tells processes apart"), "{ran:#?}");
    assert_eq!(with(&[]).code, Some(0));
}
