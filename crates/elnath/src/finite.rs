//! Formulas about finite runs, as users write them: text to a property of a given system.
//!
//! What a proposition means depends on the system. One of its own propositions (a property of a Rust model, or an
//! expression that was read with a program, see [`crate::Wanted::Ltlf`]) is about states. In a graph or a network a name is
//! that of an action, as with formulas over infinite runs (`crate::property::actions` says which names there are).

use crate::explanation::Truths;
use crate::frontend::Loaded;
use crate::property::actions::{self, Actions};
use crate::property::with_near;
use crate::subject::Subject;
use elnath_check::finite::{FiniteRuns, Proposition, word_of};
use elnath_kernel::event::Operand;
use elnath_kernel::{Describe, Run, System};
use elnath_logic::automaton::MOST_PROPOSITIONS;
use elnath_logic::finite::Reading;
use elnath_logic::formula::{Atom, Formulas, Id, Spelling};
use elnath_logic::parse::{self, Syntax};
use elnath_lts::Taus;
use elnath_program::Interpreter;
use elnath_source::{Message, SourceText, codes, nearest};
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
        let dialect = if loaded.actions.is_some() { parse::Dialect::Spot } else { parse::Dialect::Spin };
        let (property, mut warnings) =
            Self::of_names(text, dialect, &*loaded.system, loaded.actions.as_ref())?;
        if let Subject::Program { program, .. } = &loaded.subject {
            warnings.extend(property.doubtful_patterns(program));
        }
        Ok((property, warnings))
    }

    /// Reads a formula about the propositions of `system` and the patterns of its actions. The messages returned with it are
    /// warnings.
    ///
    /// # Errors
    /// All that is wrong with it, each with its place.
    pub fn of_system(
        text: &str,
        dialect: parse::Dialect,
        system: &dyn System,
    ) -> Result<(Self, Vec<Message>), Vec<Message>> {
        Self::of_names(text, dialect, system, None)
    }

    /// Warnings about patterns that match no action of a program.
    fn doubtful_patterns(&self, program: &Interpreter) -> Vec<Message> {
        let names: Vec<String> = program.actions().map(|action| program.action_name(action)).collect();
        let any = |test: &dyn Fn(&str) -> bool| names.iter().any(|name| test(name));
        let numbers = self.formulas.propositions(self.formula);
        let bound = numbers.iter().map(|&number| &self.formulas.atoms()[number as usize]);
        let unmatched =
            bound.zip(&self.propositions).filter_map(|(atom, proposition)| match (atom, proposition) {
                (Atom::Action(pattern), Proposition::Pattern(matches)) if !any(&**matches) => Some(pattern),
                _ => None,
            });
        unmatched
            .map(|pattern| actions::unmatched(pattern, |part| any(&|label| part.is_match(label)), None))
            .collect()
    }

    fn of_names(
        text: &str,
        dialect: parse::Dialect,
        system: &dyn System,
        actions: Option<&Actions>,
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
        let named: Vec<String> = (formulas.atoms().iter())
            .filter_map(|atom| match atom {
                Atom::State(name) => Some(name.clone()),
                Atom::Action(_) => None,
            })
            .collect();
        let numbers = formulas.propositions(formula);
        if numbers.len() > MOST_PROPOSITIONS {
            let why = elnath_logic::derivative::TooManyPropositions(numbers.len());
            return Err(vec![Message::about_file(why.to_string()).code(codes::BEYOND_LIMIT)]);
        }
        let (mut propositions, mut warnings, mut errors) = (Vec::new(), Vec::new(), Vec::new());
        for number in numbers {
            let (_, range) = parsed.occurrences.iter().find(|(n, _)| *n == number).expect("it occurs");
            let vocabulary = Vocabulary { source: &source, names: &names, actions, named: &named };
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

    /// Which of its propositions hold where along a run.
    pub(crate) fn truths(&self, system: &dyn System, run: &Run) -> Truths {
        let question = self.question();
        let about_actions = |proposition: &Proposition| !matches!(proposition, Proposition::State(_));
        let bits = self.propositions.iter().enumerate();
        let actions = bits.fold(0, |bits, (bit, p)| bits | u64::from(about_actions(p)) << bit);
        let letters = word_of(system, &question, run);
        Truths { names: self.formulas.atoms().iter().map(Atom::name).collect(), actions, letters }
    }

    /// The values that one of its propositions reads in a state.
    pub(crate) fn operands(&self, system: &dyn System, state: &[u8], number: usize) -> Vec<Operand> {
        match self.propositions[number] {
            Proposition::State(bit) => system.stepper().operands(state, bit),
            _ => Vec::new(),
        }
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
    actions: Option<&'a Actions>,
    /// All names of the formula.
    named: &'a [String],
}

/// A proposition, and what is doubtful about it.
type Bound = (Proposition, Option<Message>);

impl Vocabulary<'_> {
    fn bind(&self, atom: &Atom, range: Range<usize>) -> Result<Bound, Box<Message>> {
        let place = || self.source.place(range.start, range.end);
        let name = match atom {
            Atom::Action(pattern) => {
                let internal = self.actions.map_or_else(Taus::default, |actions| actions.internal().clone());
                let matches = actions::matching(pattern, &internal)
                    .map_err(|text| Box::new(Message::error(text, place()).code(codes::BAD_PATTERN)))?;
                let doubt = self.actions.and_then(|actions| actions.doubt_pattern(pattern, Some(place())));
                return Ok((Proposition::Pattern(Box::new(move |label: &str| matches(label))), doubt));
            }
            Atom::State(name) => name,
        };
        if let Some(bit) = self.names.iter().position(|known| known == name) {
            return Ok((Proposition::State(bit as u32), None));
        }
        let Some(actions) = self.actions else {
            let message = Message::error(format!("there is no proposition `{name}`"), place())
                .code(codes::UNKNOWN_PROPOSITION);
            let near = nearest(name, self.names.iter().map(String::as_str));
            return Err(Box::new(with_near(message, near)));
        };
        let matches = actions
            .named(name, self.named)
            .map_err(|text| Box::new(Message::error(text, place()).code(codes::UNKNOWN_PROPOSITION)))?;
        let doubt = actions.doubt(name, Some(place()));
        // Names of different labels exclude each other, which makes automata smaller.
        let proposition = match actions.is_label(name) {
            true => Proposition::Action(name.clone()),
            false => Proposition::Pattern(Box::new(move |label: &str| matches(label))),
        };
        Ok((proposition, doubt))
    }
}
