//! Which labels are meant.
//!
//! Three ways are enough. A *gate* is the first word of a label, as in LOTOS: `GET` means `GET`, `GET !1`, `GET(1)` and
//! `GET?x`, but not `GETTING`. A whole label is given as it is. A regular expression must match the whole label, as in
//! `action(PATTERN)` of formulas. The internal action is meant by none of them: rules that took tau for a name like
//! others would make visible what nobody sees, or lose the difference between hidden and not.
//!
//! A pattern remembers whether it has met a label. One that never did is mostly a slip of the pen, and hiding that
//! silently does nothing makes a comparison fail for no visible reason.

use elnath_kernel::relation::is_internal;
use regex::Regex;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

/// Some labels.
#[derive(Debug)]
pub struct Pattern {
    text: String,
    kind: Kind,
    met: AtomicBool,
}

#[derive(Debug)]
enum Kind {
    Gate(String),
    Label(String),
    Regex(Regex),
}

/// Why a pattern is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadPattern {
    /// What is wrong, in one sentence without a full stop.
    pub text: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl fmt::Display for BadPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for BadPattern {}

impl BadPattern {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), help: None }
    }
}

impl Pattern {
    /// The labels whose first word this is.
    pub fn gate(gate: &str) -> Self {
        Self::new(gate.to_owned(), Kind::Gate(gate.to_owned()))
    }

    /// This label.
    pub fn label(label: &str) -> Self {
        Self::new(format!("\"{label}\""), Kind::Label(label.to_owned()))
    }

    /// The labels that a regular expression matches from the first character to the last.
    ///
    /// # Errors
    /// If it is no regular expression.
    pub fn regex(pattern: &str) -> Result<Self, BadPattern> {
        // Alone first: `a)(b` would be a regular expression between the parentheses that are put around it.
        let regex = Regex::new(pattern).and_then(|_| Regex::new(&format!("^(?:{pattern})$")));
        match regex {
            Ok(regex) => Ok(Self::new(pattern.to_owned(), Kind::Regex(regex))),
            Err(regex::Error::CompiledTooBig(_)) => {
                Err(BadPattern::new(format!("the regular expression `{pattern}` is too large")))
            }
            Err(error) => {
                let why = error.to_string();
                let why = why.lines().last().unwrap_or_default().trim_start_matches("error: ");
                Err(BadPattern::new(format!("`{pattern}` is not a regular expression: {why}")))
            }
        }
    }

    fn new(text: String, kind: Kind) -> Self {
        Self { text, kind, met: AtomicBool::new(false) }
    }

    /// As its author wrote it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it means this label.
    pub fn matches(&self, label: &str) -> bool {
        if is_internal(label) {
            return false;
        }
        let matches = match &self.kind {
            Kind::Gate(gate) => label.strip_prefix(gate.as_str()).is_some_and(ends_a_word),
            Kind::Label(text) => text == label,
            Kind::Regex(regex) => regex.is_match(label),
        };
        if matches {
            self.met.store(true, Ordering::Relaxed);
        }
        matches
    }

    /// Whether it has met a label that it means.
    pub fn has_met(&self) -> bool {
        self.met.load(Ordering::Relaxed)
    }

    /// How many groups in parentheses it has.
    pub(crate) fn groups(&self) -> usize {
        match &self.kind {
            Kind::Regex(regex) => regex.captures_len() - 1,
            Kind::Gate(_) | Kind::Label(_) => 0,
        }
    }

    /// What each group matched in a label that it means: group 0 is the label. A group that took no part is empty.
    pub(crate) fn captures<'l>(&self, label: &'l str, out: &mut Vec<&'l str>) {
        out.clear();
        match &self.kind {
            Kind::Regex(regex) => {
                let captures = regex.captures(label);
                let groups = captures.iter().flat_map(|captures| captures.iter());
                out.extend(groups.map(|group| group.map_or("", |group| group.as_str())));
            }
            Kind::Gate(_) | Kind::Label(_) => out.push(label),
        }
    }

    /// What a gate leaves of a label: the values behind its first word.
    pub(crate) fn behind_gate<'l>(&self, label: &'l str) -> Option<&'l str> {
        match &self.kind {
            Kind::Gate(gate) => label.strip_prefix(gate.as_str()),
            Kind::Label(_) | Kind::Regex(_) => None,
        }
    }
}

/// Whether what stands behind the first word of a label is no part of that word.
fn ends_a_word(rest: &str) -> bool {
    match rest.chars().next() {
        None => true,
        Some(c) => c.is_whitespace() || matches!(c, '!' | '?' | '(' | ','),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_is_the_first_word() {
        let gate = Pattern::gate("GET");
        for label in ["GET", "GET !1", "GET!1", "GET ?x", "GET(1)"] {
            assert!(gate.matches(label), "{label}");
        }
        for label in ["GETTING", "GET_1", "get", "PUT !GET", " GET", ""] {
            assert!(!gate.matches(label), "{label}");
        }
    }

    #[test]
    fn nothing_means_the_internal_action() {
        let any = Pattern::regex(".*").expect("a regular expression");
        assert!(any.matches("a") && any.matches("") && any.matches("I"));
        for tau in ["i", "tau"] {
            assert!(
                !any.matches(tau) && !Pattern::gate(tau).matches(tau) && !Pattern::label(tau).matches(tau)
            );
        }
    }

    #[test]
    fn a_regular_expression_matches_the_whole_label() {
        let pattern = Pattern::regex("a|bc").expect("a regular expression");
        assert!(!pattern.matches("ac") && !pattern.matches("abc") && !pattern.has_met());
        assert!(pattern.matches("bc") && pattern.has_met());
        assert!(Pattern::regex("a)(b").is_err());
        let error = Pattern::regex("(a").expect_err("not closed");
        assert_eq!(error.text, "`(a` is not a regular expression: unclosed group");
    }
}
