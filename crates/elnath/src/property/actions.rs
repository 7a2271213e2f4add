//! The names of actions that a formula may use, with one meaning in every language and logic.
//!
//! | in a formula | means |
//! |---|---|
//! | `a`, in a graph or network | the action with exactly this label |
//! | `tau`, `τ` or `i`, in a graph or network | every internal action: the labels of `--tau` (without it `i` and `tau`), and what is hidden |
//! | `other`, in a graph or network | every action that the formula does not name |
//! | `action(PATTERN)`, in any language | the actions whose whole label matches the regular expression; `action(tau)` and `action(i)` are the internal ones too |
//!
//! `--forbid PATTERN` means the same actions as `action(PATTERN)` ([`ActionPattern`]), so that it is `G !action(PATTERN)` of the
//! steps that can be reached.
//!
//! (The 1989 paper has `tau` for what is called `other` here. There, all actions that the formula does not name are internal;
//! in a graph that has internal actions of its own, the two are not the same.)

use crate::labels;
use elnath_lts::{Lts, Taus};
use elnath_net::Rules;
use elnath_source::{Message, Place, codes, nearest};
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The actions of a model whose propositions they are.
#[derive(Clone)]
pub(crate) struct Actions {
    labels: Labels,
    internal: Taus,
}

#[derive(Clone)]
enum Labels {
    /// Those of a graph, of which there may be millions.
    Graph(Arc<Lts>),
    /// These.
    These(Arc<BTreeSet<String>>),
    /// They become known only when the model is walked.
    Unknown,
}

/// A test of labels.
pub(crate) type Matches = Arc<dyn Fn(&str) -> bool + Send + Sync>;

impl Actions {
    /// The actions of a graph, after the rules if there are any.
    pub(crate) fn of_graph(lts: &Arc<Lts>, internal: Taus, rules: Option<&Rules>) -> Self {
        let labels = match rules {
            None => Labels::Graph(Arc::clone(lts)),
            Some(rules) => Labels::These(Arc::new(labels::all_of(lts.labels().iter(), rules))),
        };
        Self { labels, internal }
    }

    /// The actions of a network, if they are known without walking it.
    pub(crate) fn of_network(labels: Option<BTreeSet<String>>, internal: Taus) -> Self {
        let labels = labels.map_or(Labels::Unknown, |labels| Labels::These(Arc::new(labels)));
        Self { labels, internal }
    }

    /// Whether it is known that there is such a label.
    pub(crate) fn has(&self, label: &str) -> bool {
        match &self.labels {
            Labels::Graph(lts) => lts.labels().find(label).is_some(),
            Labels::These(labels) => labels.contains(label),
            Labels::Unknown => false,
        }
    }

    /// Whether a label matches; `None` if not all are known.
    pub(crate) fn any(&self, matches: &dyn Fn(&str) -> bool) -> Option<bool> {
        match &self.labels {
            Labels::Graph(lts) => Some(lts.labels().iter().any(matches)),
            Labels::These(labels) => Some(labels.iter().any(|label| matches(label))),
            Labels::Unknown => None,
        }
    }

    /// A label that may have been meant.
    pub(crate) fn near(&self, label: &str) -> Option<String> {
        const MOST: usize = 10_000;
        match &self.labels {
            Labels::Graph(lts) => nearest(label, lts.labels().iter().take(MOST)),
            Labels::These(labels) => nearest(label, labels.iter().take(MOST)),
            Labels::Unknown => None,
        }
    }

    /// Whether a name stands for the internal actions. Where `--tau` names others, a label `i` is one like any other.
    fn names_internal(&self, name: &str) -> bool {
        is_internal_name(name) && (self.internal.contains(name) || !self.has(name))
    }

    /// Whether a name in a formula stands for one label.
    pub(crate) fn is_label(&self, name: &str) -> bool {
        name != OTHER && !self.names_internal(name)
    }

    /// What a name in a formula looks at; `named` are all names of the formula.
    ///
    /// # Errors
    /// If it could mean two things.
    pub(crate) fn named(&self, name: &str, named: &[String]) -> Result<Matches, String> {
        if self.names_internal(name) {
            let internal = self.internal.clone();
            return Ok(Arc::new(move |label: &str| internal.contains(label)));
        }
        if name == OTHER {
            if self.has(OTHER) {
                return Err(format!(
                    "`{OTHER}` means every action that the formula does not name, and is a label too: \
                     write action({OTHER}) for the label"
                ));
            }
            let named = named.iter().filter(|name| *name != OTHER).map(|name| self.named(name, &[]));
            let named = named.collect::<Result<Vec<Matches>, String>>()?;
            return Ok(Arc::new(move |label: &str| !named.iter().any(|matches| matches(label))));
        }
        let name = name.to_owned();
        Ok(Arc::new(move |label: &str| label == name))
    }

    /// The warning about a name that no label has. (It may be what the user wants to be sure of.)
    pub(crate) fn doubt(&self, name: &str, place: Option<Place>) -> Option<Message> {
        let is_label = |label: &str| label == name;
        if name == OTHER || self.names_internal(name) || self.any(&is_label) != Some(false) {
            return None;
        }
        let message = warning(format!("no transition is labelled `{name}`"), place);
        Some(super::with_near(message, self.near(name)))
    }

    /// The warning about a pattern that no label matches.
    pub(crate) fn doubt_pattern(&self, pattern: &str, place: Option<Place>) -> Option<Message> {
        let matches = matching(pattern, &self.internal).ok()?;
        let is_part = |part: &Regex| self.any(&|label| part.is_match(label)) == Some(true);
        (self.any(&*matches) == Some(false)).then(|| unmatched(pattern, is_part, place))
    }

    /// The warning about a forbidden pattern that no label matches.
    pub(crate) fn doubt_forbidden(&self, pattern: &ActionPattern) -> Option<Message> {
        let matches = |label: &str| pattern.matches(label, &self.internal);
        let is_part = |part: &Regex| self.any(&|label| part.is_match(label)) == Some(true);
        (self.any(&matches) == Some(false)).then(|| unmatched_forbidden(pattern, is_part)).flatten()
    }

    /// The internal ones.
    pub(crate) fn internal(&self) -> &Taus {
        &self.internal
    }
}

/// The word for every action that a formula does not name.
const OTHER: &str = "other";

/// Whether a name stands for the internal actions.
fn is_internal_name(name: &str) -> bool {
    matches!(name, "tau" | "τ" | "i")
}

/// Some actions: those whose whole label matches a regular expression. `tau`, `τ` and `i` are the internal actions too.
#[derive(Clone, Debug)]
pub struct ActionPattern {
    text: String,
    whole: Regex,
}

impl ActionPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// If it is no regular expression.
    pub fn new(pattern: &str) -> Result<Self, String> {
        // Alone first: `a)(b` would be a regular expression between the parentheses that are put around it.
        match Regex::new(pattern).and_then(|_| Regex::new(&format!("^(?:{pattern})$"))) {
            Ok(whole) => Ok(Self { text: pattern.to_owned(), whole }),
            Err(error) => {
                let why = error.to_string();
                let why = why.lines().last().unwrap_or_default().trim_start_matches("error: ");
                Err(format!("`{pattern}` is not a regular expression: {why}"))
            }
        }
    }

    /// As its author wrote it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it means this label of a model with these internal actions.
    pub(crate) fn matches(&self, label: &str, internal: &Taus) -> bool {
        self.whole.is_match(label) || (is_internal_name(&self.text) && internal.contains(label))
    }
}

impl std::str::FromStr for ActionPattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::new(text)
    }
}

/// The actions whose whole label matches a pattern, of a model with these internal actions.
///
/// # Errors
/// If it is no regular expression.
pub(crate) fn matching(pattern: &str, internal: &Taus) -> Result<Matches, String> {
    let (pattern, internal) = (ActionPattern::new(pattern)?, internal.clone());
    Ok(Arc::new(move |label: &str| pattern.matches(label, &internal)))
}

/// The warning about a forbidden pattern that matches parts of labels only. That no label matches at all is what the user
/// wants to be sure of.
pub(crate) fn unmatched_forbidden(
    pattern: &ActionPattern,
    is_part: impl Fn(&Regex) -> bool,
) -> Option<Message> {
    let text = pattern.text();
    let part = Regex::new(text).ok().filter(is_part)?;
    let message = warning(format!("--forbid {text} matches parts of labels, but no whole label"), None);
    Some(message.help(format!("a pattern matches whole labels: did you mean --forbid '{}'?", around(&part))))
}

/// A pattern with any text before and after it, where it does not say that there is none.
fn around(pattern: &Regex) -> String {
    let text = pattern.as_str();
    let before = if text.starts_with('^') { "" } else { ".*" };
    let after = if text.ends_with('$') { "" } else { ".*" };
    let inner = if text.contains('|') { format!("({text})") } else { text.to_owned() };
    format!("{before}{inner}{after}")
}

/// The warning about a pattern that matches no label; `is_part` says whether it matches a part of some label.
pub(crate) fn unmatched(pattern: &str, is_part: impl Fn(&Regex) -> bool, place: Option<Place>) -> Message {
    let message = warning(format!("action({pattern}) matches no action of the model"), place);
    match Regex::new(pattern) {
        Ok(part) if is_part(&part) => {
            message.help(format!("a pattern matches whole labels: did you mean action({})?", around(&part)))
        }
        _ => message,
    }
}

fn warning(text: String, place: Option<Place>) -> Message {
    let message = match place {
        Some(place) => Message::error(text, place),
        None => Message::about_file(text),
    };
    message.code(codes::UNKNOWN_LABEL)
}
