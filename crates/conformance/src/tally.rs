//! What a campaign has found, and its last line.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

/// What was compared, what was not and why, and what differed.
#[derive(Debug, Default)]
pub struct Tally {
    /// The seeds, where a command has made them out of its options.
    pub seeds: Option<Range<u64>>,
    /// Cases that were made.
    pub cases: u64,
    /// Cases whose answers were compared; those with a difference among them.
    pub compared: u64,
    /// The others, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// One message per difference.
    pub differences: Vec<String>,
}

impl Tally {
    /// A case that says nothing, and why.
    pub fn skip(&mut self, why: &str) {
        self.skip_many(why, 1);
    }

    /// Several of them.
    pub fn skip_many(&mut self, why: &str, count: u64) {
        self.cases += count;
        *self.skipped.entry(why.to_owned()).or_default() += count;
    }

    /// Takes over what another part has found.
    pub fn merge(&mut self, other: Self) {
        self.cases += other.cases;
        self.compared += other.compared;
        for (why, count) in other.skipped {
            *self.skipped.entry(why).or_default() += count;
        }
        self.differences.extend(other.differences);
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let skipped: u64 = self.skipped.values().sum();
        write!(f, "{} cases, {} compared, {skipped} skipped", self.cases, self.compared)?;
        let reasons: Vec<String> = self.skipped.iter().map(|(why, count)| format!("{count} {why}")).collect();
        if !reasons.is_empty() {
            write!(f, " ({})", reasons.join(", "))?;
        }
        let differences = self.differences.len();
        write!(f, ", {differences} difference{}", if differences == 1 { "" } else { "s" })
    }
}
