//! Patterns over the labels of actions.

use elnath_lts::Lts;

/// A label, in which `*` stands for any text: `SEND !1 !*`. All of the label must fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// What must occur, in this order; between two of them lies any text.
    parts: Vec<String>,
}

impl Pattern {
    /// Reads a pattern; every text is one.
    pub fn new(text: &str) -> Self {
        Self { parts: text.split('*').map(str::to_owned).collect() }
    }

    /// Whether a label fits.
    pub fn matches(&self, label: &str) -> bool {
        let [first, middle @ .., last] = &self.parts[..] else {
            return label == self.parts[0];
        };
        let Some(mut rest) = label.strip_prefix(first.as_str()) else { return false };
        for part in middle {
            // The earliest place leaves the most for the others.
            let Some(at) = rest.find(part.as_str()) else { return false };
            rest = &rest[at + part.len()..];
        }
        rest.ends_with(last.as_str())
    }
}

/// The labels of a graph.
pub(super) fn labels(lts: &Lts) -> Vec<String> {
    lts.labels().iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_any_text() {
        let cases = [
            ("a", "a", true),
            ("a", "ab", false),
            ("a*", "ab", true),
            ("*b", "ab", true),
            ("a*a", "a", false),
            ("a*a", "aa", true),
            ("SEND !*!2", "SEND !1 !2", true),
            ("*b*b", "ab", false),
            ("*", "", true),
            ("", "", true),
            ("", "a", false),
        ];
        for (pattern, label, fits) in cases {
            assert_eq!(Pattern::new(pattern).matches(label), fits, "{pattern} on {label}");
        }
    }
}
