//! Models by other people, with the verdicts SPIN gave about their infinite runs: formulas, never claims, acceptance and
//! progress labels, with and without weak fairness.
//!
//! The table has the verdicts of `pan -a`, `pan -l` (compiled with -DNP), and the same with `-f`. States are compared
//! where both automata must be the same: those of never claims that hold, and of progress.

use super::Part;
use crate::differential::{Row, rows};
use crate::trial::{Trial, counts};
use elnath::{Check, Fairness, LoadOptions, Verdict, Wanted};
use std::path::Path;

pub(super) const PARTS: &[Part] =
    &[Part { name: "infinite", meaning: "verdicts about infinite runs", run: infinite }];

counts! {
    /// Verdicts that both have given.
    struct Verdicts { hold, fail }
}

/// The property that SPIN checks: the claim that is named, the first one, or the labels.
fn wanted(corpus: &Path, row: &Row) -> Wanted {
    if row.config.starts_with("np") {
        return Wanted::NonProgress;
    }
    if let Some(claim) = &row.claim {
        return Wanted::Claim(claim.clone());
    }
    let options = LoadOptions { defines: row.defines.clone(), ..LoadOptions::default() };
    let loaded = elnath::load(&corpus.join(&row.file), &options).expect("a good model");
    let first = loaded.claims.into_iter().chain(loaded.formulas).next();
    first.map_or(Wanted::AcceptanceCycles, Wanted::Claim)
}

fn infinite(trial: &mut Trial<'_>) {
    let Some(corpus) = trial.corpus("promela") else { return };
    let configs = ["accref", "accfair", "np", "npfair"];
    let all = rows(&corpus).expect("a table of SPIN's answers").into_iter();
    let rows: Vec<Row> = all.filter(|row| configs.contains(&row.config.as_str())).collect();
    let name = |row: &Row| format!("{} {}", row.file, row.config);
    let verdicts = trial.items(&rows, 1, name, |row, _, verdicts: &mut Verdicts| {
        let wanted = wanted(&corpus, row);
        let options = LoadOptions {
            defines: row.defines.clone(),
            property: Some(wanted.clone()),
            engine: elnath::Engine::Jit,
            ..LoadOptions::default()
        };
        let loaded = elnath::load(&corpus.join(&row.file), &options);
        let loaded = loaded.unwrap_or_else(|error| panic!("{}", error.into_messages()[0]));
        let fair = if row.config.ends_with("fair") { Fairness::Weak } else { Fairness::None };
        let property = loaded.property.expect("it was wanted").fair(fair);
        let report = Check::system(loaded.system).property(property).run().expect("an answer");
        let same = match report.verdict() {
            Verdict::Holds(_) => {
                verdicts.hold += 1;
                // SPIN's automaton of a formula may be larger than ours.
                let comparable = matches!(wanted, Wanted::NonProgress) && fair == Fairness::None;
                row.verdict == "pass" && (!comparable || report.first().figures.counters.states == row.states)
            }
            Verdict::Fails(_) => {
                verdicts.fail += 1;
                row.verdict.starts_with("error")
            }
            Verdict::Unknown(_) => false,
        };
        assert!(
            same,
            "{wanted:?}: SPIN {} with {} states, elnath {:?} with {}",
            row.verdict,
            row.states,
            report.verdict(),
            report.first().figures.counters.states
        );
        Ok(())
    });
    trial.enough(verdicts.hold + verdicts.fail >= 55, "rows");
}
