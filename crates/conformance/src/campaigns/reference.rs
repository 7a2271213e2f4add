//! Models by other people, with the figures SPIN gave for them: the same states, transitions and errors, where the models
//! are at hand.
//!
//! The table is too large for every run of the tests, so models with more than [`LARGEST`] states are left out there; the
//! campaign compares all of them, which takes some minutes.

use super::Part;
use crate::differential::{Limits, Ours, Row, answer, rows};
use crate::trial::{Trial, counts};
use elnath::{Check, LoadOptions, Verdict};
use std::path::PathBuf;
use std::time::Duration;

pub(super) const PARTS: &[Part] = &[
    Part { name: "figures", meaning: "states, transitions and errors without reductions", run: figures },
    Part { name: "verdicts", meaning: "verdicts, where SPIN had its reductions", run: verdicts },
];

counts! {
    /// States that both have seen.
    struct Seen { states }
}

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

/// A row of a table, with its model; models of the second table may need files or definitions that are not at hand.
struct Wanted {
    path: PathBuf,
    row: Row,
    may_be_refused: bool,
}

/// The rows of all tables that are at hand. Where SPIN's verifier did not even begin there is nothing to compare.
fn wanted(trial: &mut Trial<'_>, config: &str) -> Vec<Wanted> {
    let most = trial.states(if trial.is_thorough() { u64::MAX } else { LARGEST });
    let mut wanted = Vec::new();
    for (number, name) in CORPORA.iter().enumerate() {
        let Some(folder) = trial.corpus(name) else { continue };
        let all = rows(&folder).expect("a table of SPIN's answers");
        let all = all.into_iter().filter(|row| row.config == config && (1..=most).contains(&row.states));
        let all = all.filter(|row| !LEFT_OUT.contains(&row.file.as_str()));
        let of = |row: Row| Wanted { path: folder.join(&row.file), row, may_be_refused: number > 0 };
        wanted.extend(all.map(of));
    }
    wanted
}

fn options(row: &Row) -> LoadOptions {
    LoadOptions { defines: row.defines.clone(), ..LoadOptions::default() }
}

fn figures(trial: &mut Trial<'_>) {
    let rows = wanted(trial, "ref");
    trial.items(
        &rows,
        1,
        |wanted| wanted.row.file.clone(),
        |Wanted { path, row, may_be_refused }, _, seen: &mut Seen| {
            let limits = Limits {
                states: row.states.saturating_mul(2).saturating_add(1000),
                time: Duration::from_secs(1000),
            };
            let ours = answer(path, &options(row), !row.end_states, false, limits);
            let expected = (row.states, row.transitions, row.errors);
            let aside = ERRORS_ASIDE.contains(&row.file.as_str());
            let errors = |found: u64| if aside && found > 0 { row.errors } else { found };
            match ours {
                Ours::Done(found) => {
                    assert_eq!(
                        (found.states, found.transitions + 1, errors(found.errors)),
                        expected,
                        "elnath, SPIN"
                    );
                    seen.states += found.states;
                    Ok(())
                }
                Ours::Refused(_) if *may_be_refused => Err("refused"),
                other => panic!("SPIN {expected:?}, elnath {other:?}"),
            }
        },
    );
}

/// With its reductions SPIN stops at the first error, so only the verdict can be compared.
fn verdicts(trial: &mut Trial<'_>) {
    let rows = wanted(trial, "opt");
    trial.items(
        &rows,
        1,
        |wanted| wanted.row.file.clone(),
        |Wanted { path, row, may_be_refused }, _, seen: &mut Seen| {
            let loaded = match elnath::load(path, &options(row)) {
                Ok(loaded) => loaded,
                Err(_) if *may_be_refused => return Err("refused"),
                Err(error) => panic!("{}", error.into_messages()[0]),
            };
            // SPIN's reductions make its figures smaller than ours; beyond this the full table is the place.
            let mut check = Check::system(loaded.system).states(LARGEST * 5);
            if !row.end_states {
                check = check.ignore_deadlocks();
            }
            let report = check.run().expect("an answer");
            let same = match report.verdict() {
                Verdict::Holds(_) => row.verdict == "pass",
                Verdict::Fails(_) => row.verdict.starts_with("error"),
                Verdict::Unknown(_) => return Err("too large"),
            };
            assert!(same, "SPIN {}, elnath {:?}", row.verdict, report.first().violation_text());
            seen.states += report.first().figures.counters.states;
            Ok(())
        },
    );
}
