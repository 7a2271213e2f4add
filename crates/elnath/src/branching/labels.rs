//! Which actions of a model an action formula means.

use elnath_logic::branching::ast::ActionNode;
use elnath_logic::branching::{ActionId, LabelTest, MuFormulas};
use elnath_lts::Taus;
use regex::Regex;

/// The action formulas of a formula, made ready for many labels.
pub(crate) struct LabelMatcher<'f> {
    formulas: &'f MuFormulas,
    /// By action formula, if it is a test of labels.
    tests: Vec<Option<Matcher>>,
    internal: Taus,
}

/// A test of labels.
pub(super) enum Matcher {
    Name(String),
    Exactly(String),
    Call(String),
    Regex(Regex),
}

impl Matcher {
    /// Makes a test ready.
    ///
    /// # Errors
    /// What is wrong with its regular expression.
    pub(super) fn new(test: &LabelTest) -> Result<Self, String> {
        Ok(match test {
            LabelTest::Name(name) => Matcher::Name(name.clone()),
            LabelTest::Exactly(text) => Matcher::Exactly(text.clone()),
            LabelTest::Call(text) => Matcher::Call(text.clone()),
            LabelTest::Text(text) if !text.contains(".*") => Matcher::Exactly(text.clone()),
            LabelTest::Text(text) => {
                let parts: Vec<String> = text.split(".*").map(regex::escape).collect();
                let whole = Regex::new(&format!("(?s)^(?:{})$", parts.join(".*")));
                Matcher::Regex(whole.map_err(|error| error.to_string())?)
            }
            LabelTest::Regex(pattern) => {
                crate::property::ActionPattern::new(pattern)?;
                let whole = Regex::new(&format!("^(?:{pattern})$"));
                Matcher::Regex(whole.map_err(|error| error.to_string())?)
            }
        })
    }

    /// Whether a label passes it.
    pub(super) fn matches(&self, label: &str) -> bool {
        match self {
            Matcher::Name(name) => label.strip_prefix(name.as_str()).is_some_and(|rest| {
                rest.chars().next().is_none_or(|c| c.is_whitespace() || matches!(c, '!' | '?' | '('))
            }),
            Matcher::Exactly(text) => label == text,
            Matcher::Call(text) => label.split_whitespace().flat_map(str::chars).eq(text.chars()),
            Matcher::Regex(regex) => regex.is_match(label),
        }
    }
}

impl<'f> LabelMatcher<'f> {
    /// Makes them ready; the tests were looked at before.
    pub(crate) fn new(formulas: &'f MuFormulas, internal: Taus) -> Self {
        let ready = |node: &ActionNode| match node {
            ActionNode::Label(test) => Matcher::new(test).ok(),
            _ => None,
        };
        Self { formulas, tests: formulas.actions().iter().map(ready).collect(), internal }
    }

    /// Which of these action formulas a label satisfies. An action formula comes after those that it is made of.
    pub(crate) fn matches(&self, actions: &[ActionId], label: &str) -> Vec<bool> {
        let mut values: Vec<bool> = Vec::with_capacity(self.tests.len());
        for (node, test) in self.formulas.actions().iter().zip(&self.tests) {
            let of = |action: &ActionId| values[action.index()];
            let value = match node {
                ActionNode::True => true,
                ActionNode::False => false,
                ActionNode::Tau => self.internal.contains(label),
                ActionNode::Label(_) => test.as_ref().is_some_and(|test| test.matches(label)),
                ActionNode::Not(other) => !of(other),
                ActionNode::And(parts) => parts.iter().all(of),
                ActionNode::Or(parts) => parts.iter().any(of),
            };
            values.push(value);
        }
        actions.iter().map(|action| values[action.index()]).collect()
    }
}
