//! What expressions mean in the language of a session's model: see [`expression`](super::expression).

use super::expression::{FieldTest, Sight, dialect, full_name};
use crate::frontend::{LoadError, LoadOptions, Loaded};
use crate::machines::MachineSafety;
use crate::property::actions::{Actions, matching};
use crate::property::{expressions, is_word, words_of};
use elnath_kernel::System;
use elnath_logic::Atom;
use elnath_logic::parse::Dialect;
use elnath_lts::Taus;
use elnath_petri::{PetriSystem, is_proposition, proposition};
use elnath_program::Interpreter;
use elnath_program::ir::Program;
use elnath_promela::Snippet;
use elnath_source::{Message, SourceText, codes, nearest};
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

/// How expressions about a model are read.
#[derive(Clone)]
pub(super) struct Language {
    kind: Kind,
    /// The words that are names of the model.
    words: HashSet<String>,
    /// The labels, where formulas use them as names.
    actions: Option<Actions>,
    /// The propositions that the system has itself.
    own: Vec<String>,
    /// The names of the fields of the initial state.
    fields: Vec<String>,
}

#[derive(Clone)]
enum Kind {
    Promela { file: String, options: Box<LoadOptions>, program: Arc<Interpreter> },
    Machines(Arc<MachineSafety>, Arc<Interpreter>),
    Net(Arc<PetriSystem>),
    Fields,
}

impl Language {
    /// That of a model which was read with these options.
    pub(super) fn of_loaded(file: &str, options: &LoadOptions, loaded: &Loaded, system: &dyn System) -> Self {
        let mut words = HashSet::new();
        let plain = loaded.subject.program();
        let kind = match (plain, &loaded.machines, &loaded.petri) {
            (Some(program), Some(machines), _) => {
                words.extend(machines.words());
                Kind::Machines(Arc::clone(machines), Arc::clone(program))
            }
            (Some(program), None, _) if loaded.trail.is_some() => {
                match &loaded.input {
                    Some(text) => words_of(text, &mut words),
                    None => {
                        let texts = program
                            .program()
                            .files
                            .iter()
                            .filter_map(|file| std::fs::read_to_string(file).ok());
                        texts.for_each(|text| words_of(&text, &mut words));
                    }
                }
                let options = LoadOptions { input: loaded.input.clone(), ..options.clone() };
                let (file, program) = (file.to_owned(), Arc::clone(program));
                Kind::Promela { file, options: Box::new(options), program }
            }
            (_, _, Some(net)) => Kind::Net(Arc::clone(net)),
            _ => Kind::Fields,
        };
        let mut language = Self::of_system(system);
        (language.kind, language.actions) = (kind, loaded.actions.clone());
        language.words.extend(words);
        if !matches!(language.kind, Kind::Fields) {
            language.own.clear();
        }
        language
    }

    /// That of any system: its propositions, and the fields of its states.
    pub(super) fn of_system(system: &dyn System) -> Self {
        let mut initial = Vec::new();
        system.stepper().initial(&mut initial);
        let fields: Vec<String> = system.fields(&initial).iter().map(full_name).collect();
        let words = fields.iter().cloned().collect();
        Self { kind: Kind::Fields, words, actions: None, own: system.propositions(), fields }
    }

    pub(super) fn dialect(&self) -> Dialect {
        dialect(matches!(self.kind, Kind::Promela { .. } | Kind::Machines(..)))
    }

    pub(super) fn knows(&self, word: &str) -> bool {
        self.words.contains(word)
            || self.own.iter().any(|name| name == word)
            || self.actions.as_ref().is_some_and(|actions| actions.has(word))
            || matches!(&self.kind, Kind::Net(net) if is_word(net.net(), word))
    }

    /// What the atoms of a formula look at; `occurrences` say where they stand in the text.
    pub(super) fn sights(
        &self,
        source: &SourceText,
        atoms: &[Atom],
        occurrences: &[(u32, Range<usize>)],
    ) -> Result<Vec<Sight>, Vec<Message>> {
        let place = |number: usize| {
            let found = occurrences.iter().find(|(other, _)| *other as usize == number);
            found.map_or(0..0, |(_, range)| range.clone())
        };
        let numbered: Vec<(Range<usize>, &Atom)> =
            atoms.iter().enumerate().map(|(number, atom)| (place(number), atom)).collect();
        let states: Vec<Range<usize>> = numbered
            .iter()
            .filter(|(_, atom)| matches!(atom, Atom::State(_)))
            .map(|(range, _)| range.clone())
            .collect();
        let mut of_states = self.of_states(source, &states)?.into_iter();
        let internal = self.actions.as_ref().map_or_else(Taus::default, |actions| actions.internal().clone());
        let (mut sights, mut messages) = (Vec::new(), Vec::new());
        for (range, atom) in numbered {
            match atom {
                Atom::State(_) => sights.extend(of_states.next()),
                Atom::Action(pattern) => match matching(pattern, &internal) {
                    Ok(matches) => sights.push(Sight::Label(matches)),
                    Err(text) => {
                        let place = source.place(range.start, range.end);
                        messages.push(Message::error(text, place).code(codes::BAD_PATTERN));
                    }
                },
            }
        }
        if messages.is_empty() { Ok(sights) } else { Err(messages) }
    }

    /// What the parts of a text at these places mean.
    fn of_states(&self, source: &SourceText, ranges: &[Range<usize>]) -> Result<Vec<Sight>, Vec<Message>> {
        match &self.kind {
            Kind::Promela { file, options, program } => {
                of_promela(file, options, program, source, ranges).map_err(LoadError::into_messages)
            }
            Kind::Machines(machines, program) => {
                let read = |range: &Range<usize>| {
                    let expr = machines.proposition(source, range.clone())?;
                    Ok(Sight::Program(Arc::clone(program), Arc::new(expr)))
                };
                ranges.iter().map(read).collect()
            }
            Kind::Net(net) => ranges.iter().map(|range| self.of_net(net, source, range)).collect(),
            Kind::Fields => {
                let text = |range: &Range<usize>| source.text()[range.clone()].trim().to_owned();
                let all: Vec<String> = ranges.iter().map(text).collect();
                let names: Vec<String> =
                    all.iter().filter(|name| !self.is_of_states(name)).cloned().collect();
                let places = all.iter().zip(ranges);
                places.map(|(text, range)| self.of_fields(text, &names, source, range)).collect()
            }
        }
    }

    /// Whether a text is about states, where labels are names too.
    fn is_of_states(&self, text: &str) -> bool {
        let is_field = |name: &str| self.fields.iter().any(|field| field == name);
        self.own.iter().any(|name| name == text)
            || self.actions.is_none()
            || FieldTest::parse(text).is_some_and(|test| test.compares() || test.names().all(is_field))
    }

    fn of_fields(
        &self,
        text: &str,
        named: &[String],
        source: &SourceText,
        range: &Range<usize>,
    ) -> Result<Sight, Vec<Message>> {
        let wrong = |text: String, near: Option<String>| {
            let place = source.place(range.start, range.end);
            let message = Message::error(text, place).code(codes::UNKNOWN_PROPOSITION);
            vec![crate::property::with_near(message, near)]
        };
        if let Some(number) = self.own.iter().position(|name| name == text) {
            return Ok(Sight::Own(number as u32));
        }
        if !self.is_of_states(text) {
            let actions = self.actions.as_ref().expect("there are labels, or it would be about states");
            return actions.named(text, named).map(Sight::Label).map_err(|text| wrong(text, None));
        }
        let test = FieldTest::parse(text).ok_or_else(|| wrong(format!("`{text}` is no expression"), None))?;
        // Of processes that are created later nothing is known yet.
        let unknown = test.names().next().filter(|name| {
            let base = name.split('[').next().unwrap_or_default();
            !self
                .fields
                .iter()
                .any(|field| field.replace("[]", "") == **name || field.split('[').next() == Some(base))
        });
        match unknown {
            Some(name) if !name.contains([':', '.']) => {
                let near = nearest(name, self.fields.iter().map(String::as_str));
                Err(wrong(format!("the states have no field `{name}`"), near))
            }
            _ => Ok(Sight::Fields(test)),
        }
    }

    fn of_net(
        &self,
        net: &Arc<PetriSystem>,
        source: &SourceText,
        range: &Range<usize>,
    ) -> Result<Sight, Vec<Message>> {
        let text = source.text()[range.clone()].trim();
        if is_proposition(text) {
            let predicate =
                proposition(net.net(), source, range.clone()).map_err(|message| vec![*message])?;
            let system = Arc::new(net.with_propositions(vec![(text.to_owned(), predicate)]));
            return Ok(Sight::Proposition(system, 0));
        }
        if let Some(place) = net.net().place(text) {
            return Ok(Sight::Tokens(Arc::clone(net), place));
        }
        match &self.actions {
            Some(actions) if actions.has(text) => {
                let label = text.to_owned();
                Ok(Sight::Label(Arc::new(move |other: &str| other == label)))
            }
            _ => {
                let names = net.net().places.iter().map(|place| place.name.as_str());
                let near = nearest(text, names.chain(net.labels()));
                let place = source.place(range.start, range.end);
                let message = Message::error(format!("there is no place and no transition `{text}`"), place);
                Err(vec![crate::property::with_near(message.code(codes::UNKNOWN_PROPOSITION), near)])
            }
        }
    }
}

/// Expressions of Promela: the model is read again with them, since they have its scope and its macros.
fn of_promela(
    file: &str,
    options: &LoadOptions,
    program: &Arc<Interpreter>,
    source: &SourceText,
    ranges: &[Range<usize>],
) -> Result<Vec<Sight>, LoadError> {
    if ranges.is_empty() {
        return Ok(Vec::new());
    }
    let snippet = |range: &Range<usize>| Snippet {
        name: source.name().to_owned(),
        text: source.text().to_owned(),
        range: range.clone(),
    };
    let mut read = expressions(file, options, ranges.iter().map(snippet).collect())?;
    let found: Vec<_> = std::mem::take(&mut read.propositions).into_iter().map(|(_, expr)| expr).collect();
    // The text of the expression is one of its files.
    let own = program.program();
    read.files.clone_from(&own.files);
    if (Program { propositions: Vec::new(), ..own.clone() }) != read {
        let text =
            format!("`{}` looks at something that the states of this session leave out", source.text());
        let help = "name it when the session begins, with --watch";
        return Err(vec![Message::about_file(text).code(codes::UNKNOWN_PROPOSITION).help(help)].into());
    }
    let new = found.into_iter().skip(options.looks_at.len());
    Ok(new.map(|expr| Sight::Program(Arc::clone(program), Arc::new(expr))).collect())
}
