//! Models by other people, with the verdicts SPIN gave about their infinite runs: formulas, never claims, acceptance and
//! progress labels, with and without weak fairness.
//!
//! The table has the verdicts of `pan -a`, `pan -l` (compiled with -DNP), and the same with `-f`. States are compared
//! where both automata must be the same: those of never claims that hold, and of progress.

use elnath::{Check, Fairness, LoadOptions, Verdict, Wanted};
use elnath_differential::{Row, rows};
use std::path::{Path, PathBuf};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/promela")
}

#[allow(clippy::print_stderr)] // The one thing a test says when it has nothing to test.
fn temporal_rows() -> Vec<Row> {
    let Some(all) = rows(&corpus()) else {
        eprintln!("no corpus beside the working tree: nothing to compare");
        return Vec::new();
    };
    let configs = ["accref", "accfair", "np", "npfair"];
    all.into_iter().filter(|row| configs.contains(&row.config.as_str())).collect()
}

/// The property that SPIN checks: the claim that is named, the first one, or the labels.
fn wanted(row: &Row) -> Wanted {
    if row.config.starts_with("np") {
        return Wanted::NonProgress;
    }
    if let Some(claim) = &row.claim {
        return Wanted::Claim(claim.clone());
    }
    let options = LoadOptions { defines: row.defines.clone(), ..LoadOptions::default() };
    let loaded = elnath::load(&corpus().join(&row.file), &options).expect("a good model");
    let first = loaded.claims.into_iter().chain(loaded.formulas).next();
    first.map_or(Wanted::AcceptanceCycles, Wanted::Claim)
}

#[test]
fn verdicts_about_infinite_runs_are_those_of_spin() {
    let (mut different, mut compared) = (Vec::new(), 0);
    for row in temporal_rows() {
        let wanted = wanted(&row);
        let options = LoadOptions {
            defines: row.defines.clone(),
            property: Some(wanted.clone()),
            engine: elnath::Engine::Jit,
            ..LoadOptions::default()
        };
        let loaded = match elnath::load(&corpus().join(&row.file), &options) {
            Ok(loaded) => loaded,
            Err(error) => {
                different.push(format!("{}: {}", row.file, error.into_messages()[0]));
                continue;
            }
        };
        let fair = if row.config.ends_with("fair") { Fairness::Weak } else { Fairness::None };
        let property = loaded.property.expect("it was wanted").fair(fair);
        let report = Check::system(loaded.system).property(property).run().expect("an answer");
        let same = match report.verdict {
            Verdict::Holds(_) => {
                // SPIN's automaton of a formula may be larger than ours.
                let comparable = matches!(wanted, Wanted::NonProgress) && fair == Fairness::None;
                row.verdict == "pass" && (!comparable || report.counters.states == row.states)
            }
            Verdict::Fails(_) => row.verdict.starts_with("error"),
            Verdict::Unknown(_) => false,
        };
        compared += 1;
        if !same {
            different.push(format!(
                "{} {} {wanted:?}: SPIN {} with {} states, elnath {:?} with {}",
                row.file, row.config, row.verdict, row.states, report.verdict, report.counters.states
            ));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
    assert!(compared == 0 || compared >= 55, "{compared}");
}
