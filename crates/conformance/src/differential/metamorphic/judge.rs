//! Compares the answers to a model and to its rewriting; asks SPIN where they differ.

use super::{Preserves, Rewriting};
use crate::differential::{Comparison, Figures, Limits, Ours, answer, compare, spin};
use elnath::LoadOptions;
use std::path::PathBuf;
use std::time::Duration;

/// How much memory a model itself may take.
const MOST_BYTES: usize = 256 << 20;

/// What became of one rewriting of one model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// What must be the same is the same.
    Same,
    /// Nothing was compared, for this reason.
    Skipped(&'static str),
    /// SPIN's answer changes in the same way, though the rewriting claims that none does.
    NotPreserved,
    /// A fault.
    Different(String),
}

/// Checks models, with SPIN beside if it is wanted.
pub struct Judge {
    /// Where models are written.
    pub directory: PathBuf,
    /// How far a check may go.
    pub limits: Limits,
    /// The C compiler for SPIN's verifiers; without one, SPIN is not asked.
    pub compiler: Option<String>,
}

impl Judge {
    /// Our answer to a text.
    pub fn ours(&self, text: &str, kinds: bool) -> Ours {
        let model = self.directory.join("model.pml");
        if let Err(error) = std::fs::write(&model, text) {
            return Ours::Broken(error.to_string());
        }
        // Macros of some models make millions of tokens of a page of text.
        let options = LoadOptions { memory: Some(MOST_BYTES), ..LoadOptions::default() };
        answer(&model, &options, false, kinds, self.limits)
    }

    /// SPIN's answer; nothing if it is not wanted or cannot be started.
    pub fn spin(&self, text: &str) -> Option<spin::Spin> {
        let compiler = self.compiler.as_ref()?;
        // Nothing of an earlier model may be left there.
        let directory = self.directory.join("spin");
        if directory.exists() {
            std::fs::remove_dir_all(&directory).ok()?;
        }
        std::fs::create_dir_all(&directory).ok()?;
        std::fs::write(directory.join("model.pml"), text).ok()?;
        let limits = spin::Limits { depth: 100_000, time: Duration::from_secs(4) };
        spin::answer(&directory, "model.pml", &[], true, compiler, limits).ok()
    }

    /// Compares our answers before and after a rewriting.
    pub fn compare(&self, before: &Ours, rewriting: &Rewriting, after: &str) -> Outcome {
        if rewriting.preserves == Preserves::Nothing {
            return self.with_spin(after);
        }
        let ours = self.ours(after, false);
        let how = match (before, &ours) {
            (Ours::Done(before), Ours::Done(after)) if same(rewriting.preserves, before, after) => {
                return Outcome::Same;
            }
            (_, Ours::OutOfTime) => return Outcome::Skipped("out of time"),
            (_, Ours::TooLarge) if rewriting.preserves == Preserves::Verdict => {
                return Outcome::Skipped("too large after it");
            }
            (before, after) => format!("before: {}; after: {}", shown(before), shown(after)),
        };
        match self.with_spin(after) {
            Outcome::Same => Outcome::NotPreserved,
            Outcome::Different(spin) => Outcome::Different(format!("{how}; {spin}")),
            Outcome::Skipped("SPIN is not asked") => Outcome::Different(how),
            // Larger than expected, and SPIN does not know either.
            other => other,
        }
    }

    /// Compares our answer to a text with SPIN's.
    pub fn with_spin(&self, text: &str) -> Outcome {
        let Some(spin) = self.spin(text) else { return Outcome::Skipped("SPIN is not asked") };
        if matches!(spin, spin::Spin::Refused(_)) {
            return Outcome::Skipped("refused by SPIN");
        }
        let ours = self.ours(text, true);
        match compare(&ours, &spin, self.limits.states) {
            Comparison::Same | Comparison::SameButErrors | Comparison::SameError => Outcome::Same,
            Comparison::Skipped(why) => Outcome::Skipped(why),
            Comparison::Different(how) | Comparison::OtherFaults(how) => Outcome::Different(how),
        }
    }
}

fn same(preserves: Preserves, before: &Figures, after: &Figures) -> bool {
    match preserves {
        Preserves::Figures => before == after,
        Preserves::Verdict => (before.errors == 0) == (after.errors == 0),
        Preserves::Nothing => true,
    }
}

/// An answer in a few words.
pub fn shown(ours: &Ours) -> String {
    match ours {
        Ours::Done(figures) => {
            let Figures { states, transitions, errors, .. } = figures;
            format!("{states} states, {transitions} transitions, {errors} errors")
        }
        Ours::TooLarge => "too large".to_owned(),
        Ours::OutOfTime => "out of time".to_owned(),
        Ours::Refused(why) => {
            let error = why.lines().find(|line| line.contains("error:"));
            format!("refused: {}", error.or(why.lines().next()).unwrap_or_default())
        }
        Ours::Broken(why) => format!("broken: {why}"),
    }
}
