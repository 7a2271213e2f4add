//! Formulas on the command line: text, atoms, and what the atoms look at.

use super::{
    TemporalProperty, actions, facts, is_stutter_invariant, negated, question, with_good, with_near,
};
use crate::report::PropertyKind;
use elnath_check::temporal::{Bad, Observable};
use elnath_logic::parse::{Dialect, Syntax, parse};
use elnath_logic::{Atom, Formulas, Id, Limits};
use elnath_lts::Taus;
use elnath_source::{Message, Place, SourceText, codes};
use std::ops::Range;

/// What messages call the text of a formula.
pub(super) const FORMULA: &str = "formula";

/// A formula whose propositions are still text.
pub struct Parsed {
    /// The formula.
    pub source: SourceText,
    pub(super) formulas: Formulas,
    pub(super) formula: Id,
    /// For each proposition, where it occurs first.
    pub(super) places: Vec<Range<usize>>,
}

/// Reads a formula; `known` tells the words that are names of the model.
///
/// # Errors
/// The first thing that is wrong.
pub fn parse_formula(
    text: &str,
    dialect: Dialect,
    known: &dyn Fn(&str) -> bool,
) -> Result<Parsed, Vec<Message>> {
    let source = SourceText::new(FORMULA, text);
    let mut formulas = Formulas::new();
    let parsed = parse(&mut formulas, &source, 0..text.len(), Syntax { dialect, known })
        .map_err(|message| vec![*message])?;
    let place =
        |number: u32| parsed.occurrences.iter().find(|(n, _)| *n == number).map(|(_, range)| range.clone());
    let places = (0..formulas.atoms().len() as u32).map(|number| place(number).unwrap_or(0..0)).collect();
    Ok(Parsed { source, formulas, formula: parsed.formula, places })
}

/// A formula whose propositions look at something.
pub(super) struct Bound {
    parsed: Parsed,
    /// One for each proposition.
    watches: Vec<Observable>,
}

impl Parsed {
    /// Lets `watch` say what each proposition about states looks at, or what is wrong with it and which name is near.
    pub(super) fn bind(
        self,
        internal: &Taus,
        watch: impl Fn(&str) -> Result<Observable, (String, Option<String>)>,
    ) -> Result<Bound, Vec<Message>> {
        let (mut watches, mut messages) = (Vec::new(), Vec::new());
        for (atom, place) in self.formulas.atoms().iter().zip(&self.places) {
            match self.watch(atom, internal, &watch) {
                Ok(watch) => watches.push(watch),
                Err((text, near)) => {
                    let place = self.source.place(place.start, place.end);
                    let code = match atom {
                        Atom::State(_) => codes::UNKNOWN_PROPOSITION,
                        Atom::Action(_) => codes::BAD_PATTERN,
                    };
                    messages.push(with_near(Message::error(text, place).code(code), near));
                }
            }
        }
        if messages.is_empty() { Ok(Bound { parsed: self, watches }) } else { Err(messages) }
    }

    fn watch(
        &self,
        atom: &Atom,
        internal: &Taus,
        watch: &impl Fn(&str) -> Result<Observable, (String, Option<String>)>,
    ) -> Result<Observable, (String, Option<String>)> {
        match atom {
            Atom::State(text) => watch(text),
            Atom::Action(pattern) => match actions::matching(pattern, internal) {
                Ok(matches) => Ok(Observable::Action(matches)),
                Err(text) => Err((text, None)),
            },
        }
    }

    /// The propositions about states, or in a graph the named actions, with their places.
    pub(super) fn states(&self) -> impl Iterator<Item = (&str, Place)> {
        self.formulas.atoms().iter().zip(&self.places).filter_map(|(atom, place)| match atom {
            Atom::State(name) => Some((name.as_str(), self.source.place(place.start, place.end))),
            Atom::Action(_) => None,
        })
    }

    /// The patterns over actions, with their places.
    pub(super) fn patterns(&self) -> impl Iterator<Item = (&str, Place)> {
        self.formulas.atoms().iter().zip(&self.places).filter_map(|(atom, place)| match atom {
            Atom::Action(pattern) => Some((pattern.as_str(), self.source.place(place.start, place.end))),
            Atom::State(_) => None,
        })
    }

    /// Their names.
    pub(super) fn state_names(&self) -> Vec<String> {
        self.states().map(|(name, _)| name.to_owned()).collect()
    }

    /// Checks the patterns over actions, before anything is made of them.
    pub(super) fn check_patterns(&self) -> Result<(), Vec<Message>> {
        let wrong = self.formulas.atoms().iter().zip(&self.places).filter_map(|(atom, place)| match atom {
            Atom::Action(pattern) => {
                actions::matching(pattern, &Taus::default()).err().map(|text| (text, place))
            }
            Atom::State(_) => None,
        });
        let messages: Vec<Message> = wrong
            .map(|(text, place)| {
                Message::error(text, self.source.place(place.start, place.end)).code(codes::BAD_PATTERN)
            })
            .collect();
        if messages.is_empty() { Ok(()) } else { Err(messages) }
    }
}

/// The pattern of a proposition called `action(PATTERN)`.
pub(super) fn action_of(name: &str) -> Option<String> {
    let mut formulas = Formulas::new();
    elnath_logic::parse::parse_text(&mut formulas, name, Syntax::default()).ok()?;
    match formulas.atoms() {
        [Atom::Action(pattern)] => Some(pattern.clone()),
        _ => None,
    }
}

/// The property that every run satisfies a formula whose propositions, in their order, are the bits of valuations.
pub(crate) fn of_states(
    formulas: Formulas,
    formula: Id,
    (name, text): (String, &str),
) -> Result<TemporalProperty, Vec<Message>> {
    let watches = (0..formulas.atoms().len() as u32).map(Observable::State).collect();
    let parsed = Parsed { source: SourceText::new(FORMULA, text), formulas, formula, places: Vec::new() };
    Bound { parsed, watches }.property(PropertyKind::Ltl, Some(name), &Limits::default())
}

impl Bound {
    /// The property that every run satisfies it.
    pub(super) fn property(
        mut self,
        kind: PropertyKind,
        name: Option<String>,
        limits: &Limits,
    ) -> Result<TemporalProperty, Vec<Message>> {
        let written = self.parsed.formulas.antecedents().to_vec();
        let automaton = negated(&mut self.parsed.formulas, self.parsed.formula, limits)?;
        let atoms = self.parsed.formulas.atoms();
        let watch = |name: &String| {
            let number = atoms.iter().position(|atom| atom.name() == *name);
            self.watches[number.expect("the automaton's propositions are the formula's")].clone()
        };
        let watches = automaton.propositions.iter().map(watch).collect();
        let text = self.parsed.source.text().to_owned();
        let question = question(Bad::Automaton(automaton), watches, true);
        let question = with_good(question, &self.parsed.formulas, self.parsed.formula);
        let (formulas, formula) = (&self.parsed.formulas, self.parsed.formula);
        let stutter_invariant = is_stutter_invariant(formulas, formula, &question.bad);
        let facts = facts(formulas, formula, &written, &question.bad);
        let place = None;
        Ok(TemporalProperty { kind, name, text, place, question, stutter_invariant, facts })
    }
}
