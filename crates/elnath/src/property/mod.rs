//! What must be true of the infinite runs of a model, from however the user says it to the one question that
//! [`elnath_check::temporal`] answers: an automaton of the runs that must not be, and what its propositions look at.
//!
//! | the user gives | the automaton of the bad runs |
//! |---|---|
//! | a formula, or the name of an `ltl` block | that of the negated formula |
//! | the name of a never claim | the claim itself: it only looks, so its guards are propositions (`claim`) |
//! | an automaton in a file | that automaton |
//! | cycles without progress | that of FG np_ |
//! | cycles through acceptance labels | the system itself |
//!
//! Propositions about states are expressions in the language of the model. They become part of the program *before* it
//! is made ready for walking, because a label that somebody looks at from outside may be a place of its own to rest at.
//! Where the model is a graph, the propositions are its actions.

pub(crate) mod actions;
mod claim;
mod formula;
mod machines;
mod markings;
mod promela;

pub use actions::ActionPattern;
pub(crate) use formula::of_states;
pub use formula::parse_formula;
pub(crate) use machines::{Vocabulary, of_machines};
pub(crate) use markings::{is_word, of_markings};
pub(crate) use promela::{Promela, expressions, load, words_of};

use crate::Loaded;
use crate::report::PropertyKind;
use crate::subject::Subject;
use actions::Actions;
use elnath_check::temporal::{Bad, Fairness, Good, InfiniteRuns, Observable};
use elnath_kernel::{Describe, System};
use elnath_logic::formula::Node;
use elnath_logic::parse::Dialect;
use elnath_logic::translate::is_contradictory;
use elnath_logic::{
    Automaton, Formulas, Id, Limits, Options, Spelling, hoa, stutter, translate, translate_within,
};
use elnath_lts::Taus;
use elnath_program::Interpreter;
use elnath_source::{Message, SourceText, codes, nearest};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A property as the user names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// A formula that every run satisfies.
    Ltl(String),
    /// A formula about finite runs, of which only the propositions are read with the model: see
    /// [`crate::FiniteProperty`].
    Ltlf(String),
    /// Formulas of branching time, of which only the propositions are read with the model: see [`crate::branching`].
    Branching(Arc<crate::branching::BranchingProperties>),
    /// A formula or a never claim of the model, by its name.
    Claim(String),
    /// A file with an automaton, in the HOA format, that accepts no run.
    Automaton(PathBuf),
    /// No run has a state of progress only finitely often.
    NonProgress,
    /// No run is again and again at a location with an acceptance label.
    AcceptanceCycles,
    /// Every message that is sent is received in the end, on every run that is weakly fair to each machine.
    EventualReception,
}

impl Wanted {
    /// What kind of property it is; a claim may turn out to be a formula.
    pub fn kind(&self) -> PropertyKind {
        match self {
            Wanted::Ltl(_) | Wanted::EventualReception => PropertyKind::Ltl,
            Wanted::Ltlf(_) => PropertyKind::Ltlf,
            Wanted::Branching(_) => PropertyKind::Branching,
            Wanted::Claim(_) => PropertyKind::NeverClaim,
            Wanted::Automaton(_) => PropertyKind::Automaton,
            Wanted::NonProgress => PropertyKind::Progress,
            Wanted::AcceptanceCycles => PropertyKind::Acceptance,
        }
    }
}

/// That a property is one of communicating machines, and the model has none.
fn only_machines() -> Message {
    let text = "eventual reception is a property of communicating machines";
    Message::about_file(text)
        .code(codes::UNKNOWN_PROPERTY)
        .help("of other models, ask about a message with --ltl '[] (sent -> <> received)'")
}

/// A property of the infinite runs of a system.
#[derive(Clone)]
pub struct TemporalProperty {
    /// What kind of property it is: [`PropertyKind::Ltl`], `NeverClaim`, `Automaton`, `Progress` or `Acceptance`.
    pub kind: PropertyKind,
    /// Its name, where it has one.
    pub name: Option<String>,
    /// The formula, or what it says in words.
    pub text: String,
    /// Where it is written, as `file:line`, if it is part of the model.
    pub place: Option<String>,
    /// The question.
    pub question: InfiniteRuns,
    /// Whether it is known that repeating states, or leaving repetitions out, makes no good run bad: so it is for formulas
    /// without X, and for what [`elnath_logic::stutter`] shows to be so.
    pub stutter_invariant: bool,
    /// What is known of the formula without the model.
    pub facts: FormulaFacts,
}

/// What is known of a formula without the model.
#[derive(Clone, Default)]
pub struct FormulaFacts {
    /// The conditions of its implications, as far as they are about one state or step.
    pub antecedents: Vec<Antecedent>,
    /// Whether no run of any model satisfies it.
    pub contradictory: bool,
}

/// The condition of an implication.
#[derive(Clone)]
pub struct Antecedent {
    /// As it is written in formulas.
    pub text: String,
    /// The letters of the automaton that satisfy it, one bit each, if there are at most 64 letters.
    pub letters: Option<u64>,
    /// The proposition of the automaton that it is, if it is one.
    pub proposition: Option<usize>,
}

impl TemporalProperty {
    /// What is asked, with its name and place.
    pub(crate) fn asked(&self) -> String {
        let named = match &self.name {
            Some(name) => format!("{name}: {}", self.text),
            None => self.text.clone(),
        };
        self.place.as_ref().map_or(named.clone(), |place| format!("{named} ({place})"))
    }

    /// A formula over the propositions of a system, such as the properties of a [`crate::Model`], by their names; and
    /// over its actions, as `action(PATTERN)`.
    ///
    /// # Errors
    /// The first thing that is wrong with the formula.
    pub fn of_system(system: &dyn System, text: &str) -> Result<Self, Vec<Message>> {
        let names = system.propositions();
        let known = |word: &str| names.iter().any(|name| name == word);
        let parsed = parse_formula(text, Dialect::Spot, &known)?;
        let bound =
            parsed.bind(&Taus::default(), |atom| match names.iter().position(|name| name == atom) {
                Some(bit) => Ok(Observable::State(bit as u32)),
                None => Err((
                    format!("there is no proposition `{atom}`"),
                    nearest(atom, names.iter().map(String::as_str)),
                )),
            })?;
        bound.property(PropertyKind::Ltl, None, &Limits::default())
    }

    /// The same with another reading of runs that end.
    #[must_use]
    pub fn stutter(mut self, stutter: bool) -> Self {
        self.question.stutter = stutter;
        self
    }

    /// The same where faults of the model, and propositions without a value, are bad too, or are not.
    #[must_use]
    pub fn faults(mut self, faults: bool) -> Self {
        self.question.faults = faults;
        self
    }

    /// The same for fair runs only.
    #[must_use]
    pub fn fair(mut self, fairness: Fairness) -> Self {
        self.question.fairness = fairness;
        self
    }
}

/// What is known of a formula, in which the implications with the conditions `written` were made.
pub(crate) fn facts(formulas: &Formulas, f: Id, written: &[Id], bad: &Bad) -> FormulaFacts {
    let contradictory = is_contradictory(formulas, f, Options::SMALL);
    FormulaFacts { antecedents: antecedents(formulas, written, bad), contradictory }
}

/// The conditions of implications, among `written`, in terms of the automaton's propositions.
fn antecedents(formulas: &Formulas, written: &[Id], bad: &Bad) -> Vec<Antecedent> {
    const FEW: usize = 6;
    let Bad::Automaton(Automaton { propositions, .. }) = bad else { return Vec::new() };
    let place = |number: u32| {
        let name = formulas.atoms()[number as usize].name();
        propositions.iter().position(|other| *other == name)
    };
    let watched = |&&f: &&Id| {
        formulas.is_boolean(f) && formulas.propositions(f).into_iter().all(|number| place(number).is_some())
    };
    let describe = |&f: &Id| {
        let satisfies = |letter: u64| {
            formulas.evaluate(f, &|number| place(number).is_some_and(|bit| letter >> bit & 1 == 1))
        };
        let few = propositions.len() <= FEW;
        let letters = (0..1u64 << propositions.len().min(FEW)).filter(|&letter| satisfies(letter));
        let proposition = match formulas.node(f) {
            Node::Proposition(number) => place(*number),
            _ => None,
        };
        let letters = few.then(|| letters.fold(0, |all, letter| all | 1 << letter));
        Antecedent { text: formulas.show(f, Spelling::Spin), letters, proposition }
    };
    written.iter().filter(watched).map(describe).collect()
}

/// The automaton of the runs that a formula forbids.
pub(crate) fn negated(formulas: &mut Formulas, f: Id, limits: &Limits) -> Result<Automaton, Vec<Message>> {
    let not = formulas.not(f);
    translate_within(formulas, not, Options::default(), limits).map_err(|why| vec![refused(why)])
}

/// What to tell of a formula that has no automaton. That a limit was reached is no fault of the formula.
pub fn refused(why: elnath_logic::Refusal) -> Message {
    if why.ran_out() {
        let help = "more --memory or --time may be enough, and so may two formulas instead of one";
        return Message::about_file(why.to_string()).code(codes::FORMULA_LIMIT).help(help);
    }
    Message::about_file(why.to_string()).code(codes::BEYOND_LIMIT)
}

pub(crate) fn question(bad: Bad, watches: Vec<Observable>, stutter: bool) -> InfiniteRuns {
    InfiniteRuns { bad, labels: false, watches, stutter, faults: true, fairness: Fairness::None, good: None }
}

/// The question with a way to a deterministic automaton of the good runs, if the formula has a small one that looks at nothing else. Only one
/// search wants it, and makes it when it is chosen.
pub(crate) fn with_good(mut question: InfiniteRuns, formulas: &Formulas, f: Id) -> InfiniteRuns {
    if let Bad::Automaton(bad) = &question.bad {
        let (names, known) = (bad.propositions.clone(), question.watches.clone());
        let formulas = formulas.clone();
        question.good = Some(Arc::new(move || {
            let good = translate(&formulas, f, Options::SMALL).ok()?;
            let place = |name: &String| names.iter().position(|other| other == name);
            let watch = |name: &String| Some(known[place(name)?].clone());
            let watches: Option<Vec<Observable>> = good.propositions.iter().map(watch).collect();
            Good::new(&good, watches?)
        }));
    }
    question
}

/// Whether it is known that a formula does not count steps. Its automaton and that of its negation are equally good for showing
/// it, and sometimes only one of them is good enough.
pub(crate) fn is_stutter_invariant(formulas: &Formulas, f: Id, bad: &Bad) -> bool {
    let shown = |automaton: &Automaton| stutter::is_invariant(automaton);
    !formulas.has_next(f)
        || matches!(bad, Bad::Automaton(bad) if shown(bad))
        || translate(formulas, f, Options::SMALL).is_ok_and(|good| shown(&good))
}

/// Reads an automaton.
pub(crate) fn read_automaton(
    path: &Path,
    warnings: &mut Vec<Message>,
) -> Result<(Automaton, Option<String>), Vec<Message>> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| {
        vec![Message::about_file(format!("cannot read {name}: {error}")).code(codes::UNREADABLE)]
    })?;
    let loaded = hoa::read(&SourceText::new(name, text), 0)?;
    warnings.extend(loaded.warnings);
    Ok((loaded.automaton, loaded.name))
}

/// Adds the property that is wanted to a graph or a network: its propositions are actions.
pub(crate) fn of_actions(
    loaded: &mut Loaded,
    actions: &Actions,
    wanted: &Wanted,
    limits: &Limits,
) -> Result<(), Vec<Message>> {
    let mut warnings = Vec::new();
    // A net has propositions too, which come before labels.
    let states = loaded.system.propositions();
    let state = |name: &str| {
        let bit = states.iter().position(|known| known == name)?;
        Some(Observable::State(bit as u32))
    };
    loaded.property = Some(match wanted {
        Wanted::Ltlf(_) | Wanted::Branching(_) => return Ok(()),
        Wanted::EventualReception => return Err(vec![only_machines()]),
        Wanted::Ltl(text) => {
            let known = |word: &str| {
                actions.has(word) || loaded.petri.as_ref().is_some_and(|net| is_word(net.net(), word))
            };
            let parsed = parse_formula(text, Dialect::Spot, &known)?;
            let named: Vec<String> =
                parsed.state_names().into_iter().filter(|name| state(name).is_none()).collect();
            let labels = parsed.states().filter(|(name, _)| state(name).is_none());
            warnings.extend(labels.filter_map(|(name, place)| actions.doubt(name, Some(place))));
            let patterns = parsed.patterns();
            warnings
                .extend(patterns.filter_map(|(pattern, place)| actions.doubt_pattern(pattern, Some(place))));
            let watch = |name: &str| match actions.named(name, &named) {
                _ if let Some(state) = state(name) => Ok(state),
                Ok(matches) => Ok(Observable::Action(matches)),
                Err(text) => Err((text, None)),
            };
            parsed.bind(actions.internal(), watch)?.property(PropertyKind::Ltl, None, limits)?
        }
        Wanted::Automaton(path) => {
            let (automaton, name) = read_automaton(path, &mut warnings)?;
            let is_name = |name: &&String| formula::action_of(name).is_none() && state(name).is_none();
            let named: Vec<String> = automaton.propositions.iter().filter(is_name).cloned().collect();
            warnings.extend(named.iter().filter_map(|name| actions.doubt(name, None)));
            let patterns = automaton.propositions.iter().filter_map(|name| formula::action_of(name));
            warnings.extend(patterns.filter_map(|pattern| actions.doubt_pattern(&pattern, None)));
            let action = |name: &String| match formula::action_of(name) {
                Some(pattern) => actions::matching(&pattern, actions.internal()),
                None => actions.named(name, &named),
            };
            let bind = |name: &String| match state(name) {
                Some(state) => Ok(state),
                None => action(name).map(Observable::Action),
            };
            let watches = automaton.propositions.iter().map(bind).collect::<Result<_, _>>();
            let watches = watches.map_err(|text| {
                vec![
                    Message::about_file(format!("{}: {text}", path.display()))
                        .code(codes::UNKNOWN_PROPOSITION),
                ]
            })?;
            let text = format!("no run is accepted by {}", path.display());
            let stutter_invariant = stutter::is_invariant(&automaton);
            let question = question(Bad::Automaton(automaton), watches, true);
            TemporalProperty {
                kind: PropertyKind::Automaton,
                name,
                text,
                place: None,
                question,
                stutter_invariant,
                facts: FormulaFacts::default(),
            }
        }
        Wanted::Claim(_) | Wanted::NonProgress | Wanted::AcceptanceCycles => {
            return Err(vec![Message::about_file(
                "a graph or network of labelled transitions has no claims and no progress or acceptance labels",
            )
            .code(codes::UNKNOWN_PROPERTY)]);
        }
    });
    loaded.warnings.extend(warnings);
    Ok(())
}

/// Warnings about the patterns of a property that match no action of a program.
pub(crate) fn doubtful_patterns(property: &TemporalProperty, program: &Interpreter) -> Vec<Message> {
    let Bad::Automaton(automaton) = &property.question.bad else { return Vec::new() };
    let names: Vec<String> = program.actions().map(|action| program.action_name(action)).collect();
    let any = |test: &dyn Fn(&str) -> bool| names.iter().any(|name| test(name));
    let watched = automaton.propositions.iter().zip(&property.question.watches);
    let unmatched = watched.filter_map(|(name, watch)| match watch {
        Observable::Action(matches) if !any(&**matches) => formula::action_of(name),
        _ => None,
    });
    unmatched
        .map(|pattern| actions::unmatched(&pattern, |part| any(&|label| part.is_match(label)), None))
        .collect()
}

impl Loaded {
    /// Warnings about forbidden patterns that match parts of labels only, where labels are known without walking the model.
    pub fn forbidden_warnings(&self, patterns: &[ActionPattern]) -> Vec<Message> {
        if let Some(actions) = &self.actions {
            return patterns.iter().filter_map(|pattern| actions.doubt_forbidden(pattern)).collect();
        }
        let Subject::Program { program, .. } = &self.subject else { return Vec::new() };
        let names: Vec<String> = program.actions().map(|action| program.action_name(action)).collect();
        let any = |test: &dyn Fn(&str) -> bool| names.iter().any(|name| test(name));
        let is_whole = |pattern: &ActionPattern| any(&|label| pattern.matches(label, &Taus::default()));
        let unmatched = patterns.iter().filter(|pattern| !is_whole(pattern));
        unmatched
            .filter_map(|pattern| {
                actions::unmatched_forbidden(pattern, |part| any(&|label| part.is_match(label)))
            })
            .collect()
    }
}

pub(crate) fn with_near(message: Message, near: Option<String>) -> Message {
    match near {
        Some(near) => message.help(format!("did you mean `{near}`?")),
        None => message,
    }
}
