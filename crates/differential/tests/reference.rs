//! Models by other people, with the figures SPIN gave for them: the same states, transitions and errors, where the models
//! are at hand.
//!
//! The table is too large for every run of the tests, so models with more than [`LARGEST`] states are left out; all of
//! them are compared by `ELNATH_REFERENCE=all cargo test --release -p elnath-differential --test reference`, which
//! takes some minutes. The tables are looked for beside the working tree, or in the directory `ELNATH_CORPUS`.

use elnath::{Check, LoadOptions, Verdict};
use elnath_differential::{Limits, Ours, Row, answer, rows};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The most states of a model that is compared in every run. Unoptimised builds are an order of magnitude slower.
const LARGEST: u64 = if cfg!(debug_assertions) { 10_000 } else { 100_000 };

/// The tables.
const CORPORA: &[&str] = &["promela", "promela2"];

/// Models that cannot be compared, and why: see `docs/spin-differences.md`.
const LEFT_OUT: &[&str] = &[
    "spin/wordcount.pml",
    // SPIN stops where a `d_step` is blocked.
    "motib+erigone/psmc-erigone/ch04/relay.pml",
    // A rendez-vous channel is polled: the same states, but SPIN counts no transition for the attempt.
    "utwente-fmt+spins/tests/regression/20110228_channel_poll.prom",
];

/// Models in which several faults lie on one way through an atomic sequence, or (the last) in one statement: only states
/// and transitions are compared.
const ERRORS_ASIDE: &[&str] = &[
    "glycerine+spin_paxos/promela-models/ltl.invariant.pots-connect.prm",
    "glycerine+spin_paxos/promela-models/ltl.invariant.pots-error.prm",
    "glycerine+spin_paxos/promela-models/ltl.invariant.pots2.prm",
    "utwente-fmt+spins/tests/case_studies/fluke/src/test/syntax/ipcFunc.pr",
];

fn corpus(name: &str) -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    std::env::var_os("ELNATH_CORPUS").map_or_else(beside, PathBuf::from).join(name)
}

/// The rows of all tables that are at hand, with the paths of their models. Where SPIN's verifier did not even begin there
/// is nothing to compare.
#[allow(clippy::print_stderr)] // The one thing a test says when it has nothing to test.
fn wanted(config: &str) -> Vec<(PathBuf, Row)> {
    let everything = std::env::var("ELNATH_REFERENCE").is_ok_and(|value| value == "all");
    let most = if everything { u64::MAX } else { LARGEST };
    let mut wanted = Vec::new();
    for name in CORPORA {
        let Some(all) = rows(&corpus(name)) else {
            eprintln!("no corpus {name} beside the working tree: nothing to compare");
            continue;
        };
        let all = all.into_iter().filter(|row| row.config == config && (1..=most).contains(&row.states));
        let all = all.filter(|row| !LEFT_OUT.contains(&row.file.as_str()));
        wanted.extend(all.map(|row| (corpus(name).join(&row.file), row)));
    }
    wanted
}

fn options(row: &Row) -> LoadOptions {
    LoadOptions { defines: row.defines.clone(), ..LoadOptions::default() }
}

/// Models of the second table may need files or definitions that are not at hand; what is refused is said, and the
/// subject of other tests.
#[allow(clippy::print_stderr)]
fn say_refused(refused: &[String]) {
    if !refused.is_empty() {
        eprintln!("{} models were refused and not compared:\n{}", refused.len(), refused.join("\n"));
    }
}

fn may_be_refused(path: &Path) -> bool {
    !path.starts_with(corpus(CORPORA[0]))
}

#[test]
fn figures_without_reductions_are_those_of_spin() {
    let mut different = Vec::new();
    let mut refused = Vec::new();
    for (path, row) in wanted("ref") {
        let limits = Limits { states: row.states * 2 + 1000, time: Duration::from_secs(1000) };
        let ours = answer(&path, &options(&row), !row.end_states, false, limits);
        let expected = (row.states, row.transitions, row.errors);
        let aside = ERRORS_ASIDE.contains(&row.file.as_str());
        let errors = |found: u64| if aside && found > 0 { row.errors } else { found };
        match ours {
            Ours::Done(found) if (found.states, found.transitions + 1, errors(found.errors)) == expected => {}
            Ours::Refused(_) if may_be_refused(&path) => refused.push(row.file),
            other => different.push(format!("{}: SPIN {expected:?}, elnath {other:?}", row.file)),
        }
    }
    say_refused(&refused);
    assert!(different.is_empty(), "{}", different.join("\n"));
}

/// With its reductions SPIN stops at the first error, so only the verdict can be compared.
#[test]
fn verdicts_are_those_of_spin_with_its_reductions() {
    let mut different = Vec::new();
    let mut refused = Vec::new();
    for (path, row) in wanted("opt") {
        let loaded = match elnath::load(&path, &options(&row)) {
            Ok(loaded) => loaded,
            Err(_) if may_be_refused(&path) => {
                refused.push(row.file);
                continue;
            }
            Err(error) => {
                different.push(format!("{}: {}", row.file, error.into_messages()[0]));
                continue;
            }
        };
        // SPIN's reductions make its figures smaller than ours; beyond this the full table is the place.
        let mut check = Check::system(loaded.system).states(LARGEST * 5);
        if !row.end_states {
            check = check.ignore_deadlocks();
        }
        let report = check.run().expect("an answer");
        let same = match report.verdict {
            Verdict::Holds(_) => row.verdict == "pass",
            Verdict::Fails(_) => row.verdict.starts_with("error"),
            Verdict::Unknown(_) => true,
        };
        if !same {
            different.push(format!(
                "{}: SPIN {}, elnath {:?}",
                row.file,
                row.verdict,
                report.violation_text()
            ));
        }
    }
    say_refused(&refused);
    assert!(different.is_empty(), "{}", different.join("\n"));
}
