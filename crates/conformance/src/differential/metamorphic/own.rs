//! Rewritings of our own models that must not change their answers: all sites at once and one random half of them.
//!
//! The campaign `metamorphic` does the same with any models, with more rounds, and with SPIN as a judge; this needs no
//! SPIN, so that only rewritings that preserve something are tried.

use super::judge::{Judge, Outcome};
use super::text::apply;
use super::{Preserves, Source, chosen, rewritings};
use crate::differential::{Limits, Ours};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Models with more states are left to the campaign.
const MOST_STATES: u64 = 600;
const SEED: u64 = 1;
const ROUNDS: u64 = 2;

/// Where a figure depends on the order in which a search goes on: ways through a loop in an atomic sequence that meet are
/// taken for one after 16,384 steps (`docs/spin-differences.md`), and which those are depends on the order of options.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("atomic-loop-with-a-choice.pml", "options-reversed"),
    ("atomic-loop-with-a-choice.pml", "options-rotated"),
];

fn models() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    for directory in ["tests/cases/promela", "examples"] {
        files(&root.join(directory), &mut found);
    }
    found
}

fn files(directory: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(directory)
        .expect("the models are there")
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, out);
        } else if path.extension().is_some_and(|ending| ending == "pml") {
            out.push(path);
        }
    }
}

#[test]
fn rewritings_change_no_answer() {
    let directory = std::env::temp_dir().join(format!("elnath-metamorphic-test-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory");
    let limits = Limits { states: MOST_STATES, time: Duration::from_secs(20) };
    let judge = Judge { directory: directory.clone(), limits, compiler: None };
    let (mut models_compared, mut compared) = (0, 0);
    let mut never: BTreeSet<&str> = BTreeSet::new();
    let mut different = Vec::new();
    let preserving = || rewritings().filter(|rewriting| rewriting.preserves != Preserves::Nothing);
    never.extend(preserving().map(|rewriting| rewriting.name));
    for path in models() {
        let Ok(source) = Source::read(&path) else { continue };
        let before = judge.ours(&source.text.text, false);
        if !matches!(before, Ours::Done(_)) {
            continue;
        }
        models_compared += 1;
        // The whole path would choose other sites on every machine.
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        for rewriting in preserving() {
            let sites = (rewriting.sites)(&source);
            if sites.is_empty() || EXCEPTIONS.contains(&(&*name, rewriting.name)) {
                continue;
            }
            never.remove(rewriting.name);
            let rounds = if sites.len() == 1 { 1 } else { ROUNDS };
            for round in 0..rounds {
                let chosen = chosen(rewriting, &name, &sites, round, SEED);
                let after = apply(&source.text.text, &chosen).0;
                compared += 1;
                if let Outcome::Different(how) = judge.compare(&before, rewriting, &after) {
                    different.push(format!("{name}, {}, round {round}: {how}", rewriting.name));
                    break;
                }
            }
        }
    }
    std::fs::remove_dir_all(directory).expect("the directory was there");
    assert!(different.is_empty(), "{} differences:\n{}", different.len(), different.join("\n"));
    assert!(models_compared > 100 && compared > 5000, "{models_compared} models, {compared} rewritten");
    assert!(never.is_empty(), "never applicable: {never:?}");
}
