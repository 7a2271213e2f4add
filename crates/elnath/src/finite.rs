//! Formulas about finite runs, as users write them: text to a property of a given system.
//!
//! What a proposition means depends on the system. One of its own propositions (a property of a Rust model, or an
//! expression that was read with a program, see [`crate::Wanted::Ltlf`]) is about states. In an explicit graph a name is
//! that of an action, as in the 1989 paper, and `tau` is every action that the formula does not name. `action(PATTERN)`
//! is about the actions of any system: a regular expression that the whole label must match.

use crate::frontend::Loaded;
use crate::labels;
use crate::property::with_near;
use elnath_check::finite::{FiniteRuns, Proposition};
use elnath_kernel::System;
use elnath_logic::automaton::MOST_PROPOSITIONS;
use elnath_logic::finite::Reading;
use elnath_logic::formula::{Atom, Formulas, Id, Spelling};
use elnath_logic::parse::{self, Syntax};
use elnath_lts::Lts;
use elnath_source::{Message, SourceText, nearest};
use regex::Regex;
use std::collections::BTreeSet;
use std::ops::Range;

/// A formula over the finite runs of a system. Made with [`FiniteProperty::parse`], asked with
/// [`crate::Check::finite`].
pub struct FiniteProperty {
    formulas: Formulas,
    formula: Id,
    propositions: Vec<Proposition>,
    reading: Reading,
    empty_word: bool,
}

impl FiniteProperty {
    /// Reads a formula about a model that was loaded. Operators bind as the language of the model has them, and the actions are
    /// those that are left of it by [hiding and renaming](crate::labels). The messages returned with it are warnings: names of
    /// actions that occur nowhere.
    ///
    /// # Errors
    /// All that is wrong with it, each with its place.
    pub fn of_loaded(text: &str, loaded: &Loaded) -> Result<(Self, Vec<Message>), Vec<Message>> {
        let Some(lts) = loaded.explicit.as_deref() else {
            return Self::of_names(text, parse::Dialect::Spin, &*loaded.system, None);
        };
        let new = loaded.rules.as_ref().map(|rules| labels::all_of(lts.labels().iter(), rules));
        let labels = new.as_ref().map_or(Names::Graph(lts), Names::New);
        Self::of_names(text, parse::Dialect::Spot, &*loaded.system, Some(labels))
    }

    /// Reads a formula about `system`, which is the graph `explicit` if it is one. The messages returned with it are
    /// warnings: names of actions that occur nowhere.
    ///
    /// # Errors
    /// All that is wrong with it, each with its place.
    pub fn parse(
        text: &str,
        dialect: parse::Dialect,
        system: &dyn System,
        explicit: Option<&Lts>,
    ) -> Result<(Self, Vec<Message>), Vec<Message>> {
        Self::of_names(text, dialect, system, explicit.map(Names::Graph))
    }

    fn of_names(
        text: &str,
        dialect: parse::Dialect,
        system: &dyn System,
        actions: Option<Names<'_>>,
    ) -> Result<(Self, Vec<Message>), Vec<Message>> {
        let source = SourceText::new("formula", text);
        let names = system.propositions();
        // Propositions may be expressions, and words of theirs are names of the model.
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let known = |word: &str| {
            names.iter().any(|name| name.split(|c| !is_word(c)).any(|part| part == word))
                || actions.is_some_and(|actions| actions.has(word))
        };
        let mut formulas = Formulas::new();
        let syntax = Syntax { dialect, known: &known };
        let parsed =
            parse::parse(&mut formulas, &source, 0..text.len(), syntax).map_err(|wrong| vec![*wrong])?;
        let formula = parsed.formula;
        let numbers = formulas.propositions(formula);
        if numbers.len() > MOST_PROPOSITIONS {
            let why = elnath_logic::derivative::TooManyPropositions(numbers.len());
            return Err(vec![Message::about_file(why.to_string())]);
        }
        let (mut propositions, mut warnings, mut errors) = (Vec::new(), Vec::new(), Vec::new());
        for number in numbers {
            let (_, range) = parsed.occurrences.iter().find(|(n, _)| *n == number).expect("it occurs");
            let vocabulary = Vocabulary { source: &source, names: &names, actions };
            match vocabulary.bind(&formulas.atoms()[number as usize], range.clone()) {
                Ok((proposition, warning)) => {
                    propositions.push(proposition);
                    warnings.extend(warning);
                }
                Err(message) => errors.push(*message),
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let property = Self { formulas, formula, propositions, reading: Reading::Prefix, empty_word: false };
        Ok((property, warnings))
    }

    /// Chooses which runs must satisfy it: by default every finite computation, without the empty one. Of the runs that
    /// end in a deadlock, the one without steps counts as any other.
    #[must_use]
    pub fn reading(mut self, reading: Reading) -> Self {
        self.reading = reading;
        self.empty_word = reading == Reading::Maximal;
        self
    }

    /// Chooses whether the run without steps must satisfy it, too; after [`FiniteProperty::reading`].
    #[must_use]
    pub fn empty_word(mut self, asked: bool) -> Self {
        self.empty_word = asked;
        self
    }

    /// The formula.
    pub fn formula(&self) -> String {
        self.formulas.show(self.formula, Spelling::Spot)
    }

    /// Which runs must satisfy it.
    pub fn which(&self) -> Reading {
        self.reading
    }

    /// What is asked, in words.
    pub fn words(&self) -> String {
        let mut text = self.reading.words().to_owned();
        if !self.question().reads_states() {
            text += if self.empty_word { ", the empty run included" } else { ", the empty run left out" };
        }
        text
    }

    /// As the question takes it.
    pub(crate) fn question(&self) -> FiniteRuns<'_> {
        FiniteRuns {
            formulas: &self.formulas,
            formula: self.formula,
            propositions: &self.propositions,
            reading: self.reading,
            empty_word: self.empty_word,
        }
    }
}

/// What names can mean.
struct Vocabulary<'a> {
    source: &'a SourceText,
    names: &'a [String],
    /// The actions, where names that are no propositions are theirs.
    actions: Option<Names<'a>>,
}

/// The names of the actions of a graph.
#[derive(Clone, Copy)]
enum Names<'a> {
    /// As it has them.
    Graph(&'a Lts),
    /// As rules have made them.
    New(&'a BTreeSet<String>),
}

impl Names<'_> {
    fn has(self, name: &str) -> bool {
        match self {
            Names::Graph(lts) => lts.labels().find(name).is_some(),
            Names::New(labels) => labels.contains(name),
        }
    }

    /// One that may have been meant. A graph may have millions of labels.
    fn near(self, name: &str) -> Option<String> {
        match self {
            Names::Graph(lts) => nearest(name, lts.labels().iter().take(10_000)),
            Names::New(labels) => nearest(name, labels.iter().take(10_000)),
        }
    }
}

/// A proposition, and what is doubtful about it.
type Bound = (Proposition, Option<Message>);

impl Vocabulary<'_> {
    fn bind(&self, atom: &Atom, range: Range<usize>) -> Result<Bound, Box<Message>> {
        let place = || self.source.place(range.start, range.end);
        let name = match atom {
            Atom::Action(pattern) => {
                let Ok(regex) = Regex::new(&format!("^(?:{pattern})$")) else {
                    let text = format!("`{pattern}` is not a regular expression");
                    return Err(Box::new(Message::error(text, place())));
                };
                return Ok((Proposition::Pattern(Box::new(move |label: &str| regex.is_match(label))), None));
            }
            Atom::State(name) => name,
        };
        if let Some(bit) = self.names.iter().position(|known| known == name) {
            return Ok((Proposition::State(bit as u32), None));
        }
        let Some(actions) = self.actions else {
            let message = Message::error(format!("there is no proposition `{name}`"), place());
            let near = nearest(name, self.names.iter().map(String::as_str));
            return Err(Box::new(with_near(message, near)));
        };
        if matches!(&**name, "tau" | "τ") {
            return Ok((Proposition::Tau, None));
        }
        // A label that occurs nowhere may be what the user wants to be sure of.
        let warning = (!actions.has(name)).then(|| {
            let message = Message::warning(format!("no transition is labelled `{name}`"), place());
            with_near(message, actions.near(name))
        });
        Ok((Proposition::Action(name.clone()), warning))
    }
}
