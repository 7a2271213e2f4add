//! Hiding and renaming, with one meaning in every command: what the options say becomes [`Rules`], which a model is loaded with.
//!
//! Patterns match whole labels ([`elnath_net::pattern`]), and what is hidden is called `i`. In a graph or a network the labels
//! are those of its transitions. The transitions of a program are labelled with statements, of which a variable may be part and
//! its value is not; so a program that is loaded with rules is [observed](elnath_program::Observed), and its labels are messages
//! with values and what is printed, as comparisons have them. Observed programs are walked as they are: reductions keep the
//! statements that a question is about, and know nothing of these labels.
//!
//! Who asks a question about actions is asked about those that the rules have made. Deadlocks, faults and propositions are not
//! touched, since [`Relabelled`] changes no state and no transition.

use crate::frontend::Loaded;
use crate::subject::Subject;
use elnath_kernel::System;
use elnath_lts::{Lts, Taus};
use elnath_net::{BadPattern, INTERNAL, Pattern, Relabelled, Rules};
use elnath_source::{Message, codes};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What is to become of labels, as users write it. Patterns are regular expressions that match the whole label.
#[derive(Clone, Debug, Default)]
pub struct LabelOptions {
    /// Patterns of labels that become the internal action.
    pub hide: Vec<String>,
    /// If there are any, patterns of the only labels that do not.
    pub hide_all_but: Vec<String>,
    /// Other names, as `PATTERN=>NEW`.
    pub rename: Vec<String>,
}

impl LabelOptions {
    /// The rules; none if nothing is to become of labels.
    ///
    /// # Errors
    /// All that is wrong with the patterns.
    pub fn rules(&self) -> Result<Option<Arc<Rules>>, Vec<Message>> {
        let (mut rules, mut wrong) = (Rules::new(), Vec::new());
        let mut bad = |bad: BadPattern| wrong.push(message(bad));
        for rule in &self.rename {
            match Rules::new().rename_by(rule) {
                Ok(_) => rules = rules.rename_by(rule).expect("it was tried"),
                Err(error) => bad(error),
            }
        }
        for pattern in &self.hide {
            match Pattern::regex(pattern) {
                Ok(pattern) => rules = rules.hide(pattern),
                Err(error) => bad(error),
            }
        }
        for pattern in &self.hide_all_but {
            match Pattern::regex(pattern) {
                Ok(pattern) => rules = rules.hide_all_but(pattern),
                Err(error) => bad(error),
            }
        }
        if wrong.is_empty() { Ok((!rules.is_empty()).then(|| Arc::new(rules))) } else { Err(wrong) }
    }

    /// These, and others.
    #[must_use]
    pub fn and(&self, others: &Self) -> Self {
        let join = |ours: &[String], theirs: &[String]| [ours, theirs].concat();
        Self {
            hide: join(&self.hide, &others.hide),
            hide_all_but: join(&self.hide_all_but, &others.hide_all_but),
            rename: join(&self.rename, &others.rename),
        }
    }

    /// Whether one of them has this pattern.
    fn has(&self, pattern: &str) -> bool {
        let plain = self.hide.iter().chain(&self.hide_all_but).map(String::as_str);
        let renamed = self.rename.iter().filter_map(|rule| Rules::halves(rule)).map(|(old, _)| old);
        plain.chain(renamed).any(|text| text == pattern)
    }
}

fn message(bad: BadPattern) -> Message {
    let message = Message::about_file(bad.to_string()).code(codes::BAD_PATTERN);
    match bad.help {
        Some(help) => message.help(help),
        None => message,
    }
}

/// Warnings about patterns that no label matches, of two models with rules of their own: a pattern for both is told only if it
/// is so in both.
pub fn warnings_of_two(both: &LabelOptions, rules: [Option<&Arc<Rules>>; 2], complete: bool) -> Vec<Message> {
    let unmet = |rules: Option<&Arc<Rules>>| -> Vec<(String, Message)> {
        let Some(rules) = rules else { return Vec::new() };
        rules.unmet().into_iter().map(str::to_owned).zip(rules.warnings(complete)).collect()
    };
    let [left, right] = rules.map(unmet);
    let right_too = |pattern: &str| right.iter().any(|(other, _)| other == pattern);
    let told_left = |(pattern, _): &&(String, Message)| !both.has(pattern) || right_too(pattern);
    let told_right = |(pattern, _): &&(String, Message)| !both.has(pattern);
    let messages = left.iter().filter(told_left).chain(right.iter().filter(told_right));
    messages.map(|(_, message)| message.clone()).collect()
}

/// A system whose labels have gone through rules, if there are any.
pub(crate) fn relabelled(
    system: Arc<dyn System>,
    rules: Option<&Arc<Rules>>,
    notices: bool,
) -> Arc<dyn System> {
    let Some(rules) = rules else { return system };
    let relabelled = Relabelled::new(system, Arc::clone(rules));
    Arc::new(if notices { relabelled.noticing() } else { relabelled })
}

/// What rules make of all labels.
pub(crate) fn all_of<'l>(labels: impl Iterator<Item = &'l str>, rules: &Rules) -> BTreeSet<String> {
    labels.map(|label| rules.apply(label).into_owned()).collect()
}

/// These labels as the internal action (without any, `i` and `tau`), and what is hidden by rules.
pub(crate) fn internal(taus: Option<Vec<String>>, hides: bool) -> Taus {
    match taus {
        None => Taus::default(),
        Some(taus) => Taus::new(taus.into_iter().chain(hides.then(|| INTERNAL.to_owned()))),
    }
}

impl Loaded {
    /// Warnings about patterns that no label matches, for when the model was walked; `complete` says whether all of it was. The
    /// labels of a graph are known without that.
    pub fn label_warnings(&self, complete: bool) -> Vec<Message> {
        let complete = complete || self.explicit.is_some();
        self.rules.as_ref().map_or_else(Vec::new, |rules| rules.warnings(complete))
    }

    /// The labels that count as the internal action: these (without any, `i` and `tau`), and what was hidden.
    pub fn internal(&self, taus: Option<Vec<String>>) -> Taus {
        internal(taus, self.rules.is_some())
    }

    /// The graph that the file contains, if it is one, with the labels that the rules have made and with these labels (without
    /// any, `i` and `tau`) as the internal action.
    pub fn into_graph(self, taus: Option<Vec<String>>) -> Option<Lts> {
        let Loaded { explicit, subject, system, rules, .. } = self;
        let lts = explicit?;
        // They are the same graph: without them, it is ours alone and need not be copied.
        drop((subject, system));
        let mut lts = Arc::unwrap_or_clone(lts);
        if let Some(rules) = rules {
            lts.relabel(|label| rules.apply(label).into_owned(), &internal(taus, true));
        }
        Some(lts)
    }

    /// A run of a program that was observed as one of the program, and where its loop begins if it has one.
    pub fn run_of_program(
        &self,
        run: &elnath_kernel::Run,
        loop_start: Option<usize>,
    ) -> (elnath_kernel::Run, Option<usize>) {
        match &self.subject {
            Subject::Observed { observed, .. } => observed.of_program(run, loop_start),
            Subject::Program { .. } | Subject::Specification { .. } | Subject::System(_) => {
                (run.clone(), loop_start)
            }
        }
    }
}
