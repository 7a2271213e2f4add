//! Promela models and their properties.

use super::claim::{self, NoAutomaton};
use super::formula::{FORMULA, Parsed, action_of, parse_formula};
use super::{
    FormulaFacts, TemporalProperty, Wanted, actions, facts, is_stutter_invariant, negated, question,
    read_automaton, with_good,
};
use crate::frontend::{LoadError, LoadOptions};
use crate::report::PropertyKind;
use elnath_check::temporal::{Bad, InfiniteRuns, Observable};
use elnath_logic::automaton::{Automaton, MOST_PROPOSITIONS};
use elnath_logic::parse::Dialect;
use elnath_logic::{Atom, Formulas, Id, Limits, Refusal, stutter};
use elnath_lts::Taus;
use elnath_program::ir::{Expr, ProcessType, Program};
use elnath_promela::model::{Formula, FormulaKind, Ltl, Model, TemporalOp};
use elnath_promela::{FileSystem, Loader, Lowered, Snippet, lower};
use elnath_source::{Message, codes, nearest};
use std::collections::HashSet;
use std::io::Read as _;
use std::sync::Arc;

/// A model, with what is to be checked of it.
pub(crate) struct Promela {
    pub(crate) lowered: Lowered,
    pub(crate) property: Option<TemporalProperty>,
    /// Those that were wanted together, where they can be checked so.
    pub(crate) together: Vec<Option<TemporalProperty>>,
    /// A claim that could not be made an automaton.
    pub(crate) claim: Option<ProcessType>,
    /// The names of its formulas.
    pub(crate) formulas: Vec<String>,
    /// What stands between the braces of each.
    pub(crate) formula_texts: Vec<String>,
    /// The names of formulas with mistakes.
    pub(crate) unreadable: Vec<String>,
    /// The text of standard input, if that is what was read.
    pub(crate) input: Option<Arc<str>>,
    pub(crate) warnings: Vec<Message>,
}

/// A main file whose text is known, and what it includes on disk.
struct Given<'a> {
    name: &'a str,
    text: &'a str,
}

impl Loader for Given<'_> {
    fn load(&mut self, name: &str) -> Result<String, String> {
        if name == self.name { Ok(self.text.to_owned()) } else { FileSystem.load(name) }
    }
}

/// The text of standard input, which can be read only once.
fn standard_input() -> Result<String, LoadError> {
    let mut bytes = Vec::new();
    match std::io::stdin().lock().read_to_end(&mut bytes) {
        Ok(_) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) => Err(LoadError::Broken(vec![
            Message::about_file(format!("cannot read standard input: {error}")).code(codes::UNREADABLE),
        ])),
    }
}

/// The program of a model that is read with these expressions, as its propositions: after those that the options name.
pub(crate) fn expressions(
    file: &str,
    options: &LoadOptions,
    snippets: Vec<Snippet>,
) -> Result<Program, LoadError> {
    let named = options.looks_at.iter().map(|text| whole(text));
    let read = elnath_promela::Options {
        defines: options.defines.clone(),
        propositions: named.chain(snippets).collect(),
        memory: options.memory.map(|memory| memory / 4),
    };
    let (model, _) = match &options.input {
        Some(text) => elnath_promela::parse(&mut Given { name: STANDARD_INPUT, text }, STANDARD_INPUT, &read),
        None => elnath_promela::parse(&mut FileSystem, file, &read),
    }?;
    let file = if options.input.is_some() { STANDARD_INPUT } else { file };
    Ok(lower(&model, file)?.program)
}

/// An expression that is a text of its own.
fn whole(text: &str) -> Snippet {
    Snippet { name: FORMULA.to_owned(), text: text.to_owned(), range: 0..text.len() }
}

/// What standard input is called.
const STANDARD_INPUT: &str = "<standard input>";

/// Reads a model with the property that is wanted; `-` is standard input.
pub(crate) fn load(file: &str, options: &LoadOptions) -> Result<Promela, LoadError> {
    let input: Option<Arc<str>> = match &options.input {
        Some(text) => Some(Arc::clone(text)),
        None if file == "-" => Some(standard_input()?.into()),
        None => None,
    };
    let file = if file == "-" { STANDARD_INPUT } else { file };
    let read = |propositions: Vec<Snippet>| {
        let defines = options.defines.clone();
        // The rest is for the states.
        let memory = options.memory.map(|memory| memory / 4);
        let options = elnath_promela::Options { defines, propositions, memory };
        match &input {
            Some(text) => elnath_promela::parse(&mut Given { name: file, text }, file, &options),
            None => elnath_promela::parse(&mut FileSystem, file, &options),
        }
    };
    let (mut model, mut warnings) = read(Vec::new())?;
    let mut how = How::Nothing;
    if options.property.is_none() && !options.looks_at.is_empty() {
        (model, warnings) = read(options.looks_at.iter().map(|text| whole(text)).collect())?;
    }
    match &options.property {
        None if !options.together.is_empty() => {
            let known = |name: &String| model.formulas.iter().find(|ltl| *ltl.name == **name).cloned();
            let blocks: Vec<Option<Ltl>> = options.together.iter().map(known).collect();
            for ltl in blocks.iter().flatten() {
                each_atom(&ltl.formula, &mut |atom| model.propositions.push(atom.clone()));
            }
            how = How::Together(blocks);
        }
        None | Some(Wanted::AcceptanceCycles | Wanted::NonProgress) => {}
        Some(Wanted::EventualReception) => return Err(vec![super::only_machines()].into()),
        Some(Wanted::Ltl(text) | Wanted::Ltlf(text)) => {
            let words = words(&model, &options.defines);
            let parsed = parse_formula(text, Dialect::Spin, &|word| words.contains(word))?;
            parsed.check_patterns()?;
            let snippets = snippets(&parsed);
            // Again, now that it is known what is looked at.
            (model, warnings) = read(snippets)?;
            how = match options.property {
                Some(Wanted::Ltlf(_)) => How::Finite(parsed),
                _ => How::Formula(parsed),
            };
        }
        Some(Wanted::Branching(properties)) => {
            let (source, formulas) = (properties.source(), properties.formulas());
            let snippet = |(_, range): &(String, std::ops::Range<usize>)| Snippet {
                name: source.name().to_owned(),
                text: source.text().to_owned(),
                range: range.clone(),
            };
            (model, warnings) = read(formulas.propositions().iter().map(snippet).collect())?;
            how = How::Branching(formulas.propositions().iter().map(|(name, _)| name.clone()).collect());
        }
        Some(Wanted::Automaton(path)) => {
            let mut about_automaton = Vec::new();
            let (automaton, name) = read_automaton(path, &mut about_automaton)?;
            for pattern in automaton.propositions.iter().filter_map(|text| action_of(text)) {
                actions::matching(&pattern, &Taus::default()).map_err(|text| {
                    vec![
                        Message::about_file(format!("{}: {text}", path.display()))
                            .code(codes::UNKNOWN_PROPOSITION),
                    ]
                })?;
            }
            let texts = automaton.propositions.iter().filter(|text| action_of(text).is_none());
            let snippet = |text: &String| Snippet {
                name: format!("proposition of {}", path.display()),
                text: text.clone(),
                range: 0..text.len(),
            };
            (model, warnings) = read(texts.map(snippet).collect())?;
            warnings.extend(about_automaton);
            how = How::Automaton(automaton, name, format!("no run is accepted by {}", path.display()));
        }
        Some(Wanted::Claim(wanted)) => {
            if let Some(unreadable) = model.unreadable.iter().find(|ltl| *ltl.name == **wanted) {
                return Err(LoadError::Broken(unreadable.messages.clone()));
            }
            if let Some(ltl) = model.formulas.iter().find(|ltl| *ltl.name == **wanted) {
                let ltl = ltl.clone();
                each_atom(&ltl.formula, &mut |atom| model.propositions.push(atom.clone()));
                how = How::Block(ltl);
            } else {
                how = How::Claim(wanted.clone());
            }
        }
    }
    let mut lowered = lower(&model, file)?;
    let mut together = Vec::new();
    let (property, claim) = match how {
        How::Together(blocks) => {
            together = of_blocks(&blocks, options, &model, &mut lowered)?;
            (None, None)
        }
        How::Nothing => {
            lowered.program.propositions.clear();
            (plain(options, &mut lowered), None)
        }
        How::Formula(parsed) => (Some(of_formula(parsed, &mut lowered.program, &options.formulas)?), None),
        How::Finite(parsed) => {
            name_propositions(&parsed, &mut lowered.program)?;
            (None, None)
        }
        How::Branching(names) => {
            for ((name, _), wanted) in lowered.program.propositions.iter_mut().zip(names) {
                *name = wanted;
            }
            (None, None)
        }
        How::Automaton(automaton, name, text) => {
            (Some(of_automaton(automaton, name, text, &mut lowered.program)), None)
        }
        How::Block(ltl) => (Some(of_block(&ltl, &model, &mut lowered.program, &options.formulas)?), None),
        How::Claim(name) => {
            let claim = find_claim(file, &model, &lowered, &name)?;
            match of_claim(&claim, &mut lowered.program) {
                Ok(property) => (Some(property), None),
                Err(NoAutomaton::Acts(text)) => {
                    let text = format!("{file}: a claim may only look at the system: {text}");
                    return Err(vec![Message::about_file(text).code(codes::ACTING_CLAIM)].into());
                }
                Err(NoAutomaton::Guards) => {
                    let text = format!(
                        "the claim `{name}` has more than {MOST_PROPOSITIONS} different guards: \
                         it is only followed to its end, and its acceptance cycles are not looked for"
                    );
                    warnings.push(Message::finding(codes::CLAIM_FOLLOWED, text, None));
                    (None, Some(claim))
                }
            }
        }
    };
    let formulas = model.formulas.iter().map(|ltl| ltl.name.to_string()).collect();
    let formula_texts = model.formulas.iter().map(|ltl| text_of(ltl, &model)).collect();
    let unreadable = model.unreadable.iter().map(|ltl| ltl.name.to_string()).collect();
    Ok(Promela { lowered, property, together, claim, formulas, formula_texts, unreadable, input, warnings })
}

/// What the property is made of, while the model is lowered.
enum How {
    Nothing,
    Formula(Parsed),
    Finite(Parsed),
    /// The names of its propositions.
    Branching(Vec<String>),
    Automaton(Automaton, Option<String>, String),
    Block(Ltl),
    Claim(String),
    /// Several at once: those of them that are formulas.
    Together(Vec<Option<Ltl>>),
}

/// The words that occur in a model: a word that begins with `G`, `F` or `X` and is one of them is a name.
fn words(model: &Model, defines: &[String]) -> HashSet<String> {
    let mut words = HashSet::new();
    model.sources.texts().for_each(|text| words_of(text, &mut words));
    for define in defines {
        words_of(&format!("#define {}", define.replacen('=', " ", 1)), &mut words);
    }
    words
}

/// The words of a text outside its comments and strings, which name nothing. `action` is one of them only where it is a macro with
/// parameters: nothing else of Promela has `action(` in an expression, so that it is the pattern of actions otherwise.
pub(crate) fn words_of(text: &str, words: &mut HashSet<String>) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    // The end of what begins with `open`, after its first `close` that follows.
    let after = |rest: &str, open: usize, close: &str| {
        rest[open..].find(close).map_or(rest.len(), |at| open + at + close.len())
    };
    let (mut rest, mut before) = (text, "");
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("/*") {
            after(rest, 2, "*/")
        } else if rest.starts_with("//") {
            after(rest, 2, "\n")
        } else if first == '"' {
            end_of_string(rest)
        } else if is_word(first) {
            let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            let word = &rest[..length];
            if word != "action" || (before == "define" && rest[length..].starts_with('(')) {
                words.insert(word.to_owned());
            }
            before = word;
            length
        } else {
            first.len_utf8()
        };
        rest = &rest[length..];
    }
}

/// The length of the string that a text begins with. One that is not closed ends with its line.
fn end_of_string(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return at,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The propositions about states, as parts of the formula's text.
fn snippets(parsed: &Parsed) -> Vec<Snippet> {
    let atoms = parsed.formulas.atoms().iter().zip(&parsed.places);
    let states = atoms.filter(|(atom, _)| matches!(atom, Atom::State(_)));
    states
        .map(|(_, range)| Snippet {
            name: parsed.source.name().to_owned(),
            text: parsed.source.text().to_owned(),
            range: range.clone(),
        })
        .collect()
}

/// The property, with the program's propositions in the order in which the automaton has them.
fn finish(
    program: &mut Program,
    automaton: Automaton,
    watch: impl Fn(&str) -> Seen,
) -> (Bad, Vec<Observable>) {
    let mut propositions: Vec<(String, Expr)> = Vec::new();
    let mut watches = Vec::new();
    for name in &automaton.propositions {
        watches.push(match watch(name) {
            Seen::Action(pattern) => {
                let matches = actions::matching(&pattern, &Taus::default());
                Observable::Action(matches.expect("the patterns were checked"))
            }
            Seen::State(number) => {
                propositions.push((name.clone(), program.propositions[number].1.clone()));
                Observable::State(propositions.len() as u32 - 1)
            }
        });
    }
    program.propositions = propositions;
    (Bad::Automaton(automaton), watches)
}

/// What a proposition looks at.
enum Seen {
    /// A proposition of the program, by its number.
    State(usize),
    /// An action, by its pattern.
    Action(String),
}

pub(super) fn of_formula(
    mut parsed: Parsed,
    program: &mut Program,
    limits: &Limits,
) -> Result<TemporalProperty, Vec<Message>> {
    let written = parsed.formulas.antecedents().to_vec();
    let automaton = negated(&mut parsed.formulas, parsed.formula, limits)?;
    let atoms = parsed.formulas.atoms();
    let (bad, watches) = finish(program, automaton, |name| {
        let number = atoms.iter().position(|atom| atom.name() == name);
        let number = number.expect("the automaton's propositions are the formula's");
        match &atoms[number] {
            Atom::Action(pattern) => Seen::Action(pattern.clone()),
            Atom::State(_) => {
                let states = atoms[..number].iter().filter(|atom| matches!(atom, Atom::State(_)));
                Seen::State(states.count())
            }
        }
    });
    let text = parsed.source.text().to_owned();
    let question = with_good(question(bad, watches, true), &parsed.formulas, parsed.formula);
    let stutter_invariant = is_stutter_invariant(&parsed.formulas, parsed.formula, &question.bad);
    let facts = facts(&parsed.formulas, parsed.formula, &written, &question.bad);
    Ok(TemporalProperty {
        kind: PropertyKind::Ltl,
        name: None,
        text,
        place: None,
        question,
        stutter_invariant,
        facts,
    })
}

/// Calls the program's propositions as the formula does, which finds them by these names.
pub(super) fn name_propositions(parsed: &Parsed, program: &mut Program) -> Result<(), Vec<Message>> {
    if program.propositions.len() > MOST_PROPOSITIONS {
        let many = Refusal::Propositions(program.propositions.len());
        return Err(vec![Message::about_file(many.to_string()).code(codes::BEYOND_LIMIT)]);
    }
    let states = parsed.formulas.atoms().iter().filter(|atom| matches!(atom, Atom::State(_)));
    for ((name, _), atom) in program.propositions.iter_mut().zip(states) {
        *name = atom.name();
    }
    Ok(())
}

pub(super) fn of_automaton(
    automaton: Automaton,
    name: Option<String>,
    text: String,
    program: &mut Program,
) -> TemporalProperty {
    let names = automaton.propositions.clone();
    let stutter_invariant = stutter::is_invariant(&automaton);
    let (bad, watches) = finish(program, automaton, |name| match action_of(name) {
        Some(pattern) => Seen::Action(pattern),
        None => {
            let before = names.iter().take_while(|other| *other != name);
            Seen::State(before.filter(|other| action_of(other).is_none()).count())
        }
    });
    let question = question(bad, watches, true);
    let (kind, place, facts) = (PropertyKind::Automaton, None, FormulaFacts::default());
    TemporalProperty { kind, name, text, place, question, stutter_invariant, facts }
}

/// Calls `visit` for the expressions of a formula, from left to right.
fn each_atom(formula: &Formula, visit: &mut dyn FnMut(&elnath_promela::model::Expr)) {
    match &formula.kind {
        FormulaKind::Atom(expr) => visit(expr),
        FormulaKind::Not(f) | FormulaKind::Next(f) | FormulaKind::Always(f) | FormulaKind::Eventually(f) => {
            each_atom(f, visit);
        }
        FormulaKind::Binary(_, a, b) => {
            each_atom(a, visit);
            each_atom(b, visit);
        }
    }
}

/// An `ltl` block. Its atoms are known only as expressions, of which two are the same proposition if they were lowered
/// to the same: the text of a macro says nothing about its arguments.
fn of_block(
    ltl: &Ltl,
    model: &Model,
    program: &mut Program,
    limits: &Limits,
) -> Result<TemporalProperty, Vec<Message>> {
    let mut distinct: Vec<(String, usize)> = Vec::new();
    let mut numbers = Vec::new();
    for (index, (text, expr)) in program.propositions.iter().enumerate() {
        let known = distinct.iter().position(|&(_, first)| program.propositions[first].1 == *expr);
        numbers.push(known.unwrap_or_else(|| {
            let mut text = text.clone();
            while distinct.iter().any(|(other, _)| *other == text) {
                text.push('\'');
            }
            distinct.push((text, index));
            distinct.len() - 1
        }));
    }
    let mut formulas = Formulas::new();
    let atoms: Vec<Id> = distinct.iter().map(|(text, _)| formulas.atom(Atom::State(text.clone()))).collect();
    let mut occurrences = numbers.into_iter().map(|number| atoms[number]);
    let f = convert(&mut formulas, &ltl.formula, &mut occurrences);
    let text = text_of(ltl, model);
    let written = formulas.antecedents().to_vec();
    let automaton = negated(&mut formulas, f, limits)?;
    let (bad, watches) = finish(program, automaton, |name| {
        let found = distinct.iter().find(|(text, _)| text == name);
        Seen::State(found.expect("the automaton's propositions are the formula's").1)
    });
    let question = with_good(question(bad, watches, true), &formulas, f);
    let stutter_invariant = is_stutter_invariant(&formulas, f, &question.bad);
    let place = model.sources.place(ltl.span);
    let place = Some(format!("{}:{}", place.file, place.line));
    let (kind, name) = (PropertyKind::Ltl, Some(ltl.name.to_string()));
    let facts = facts(&formulas, f, &written, &question.bad);
    Ok(TemporalProperty { kind, name, text, place, question, stutter_invariant, facts })
}

/// The text of an `ltl` block, as it stands between the braces: the formula's own span would begin and end within the macros it is
/// made of.
fn text_of(ltl: &Ltl, model: &Model) -> String {
    let block = model.sources.snippet(ltl.span);
    let between = block.split_once('{').and_then(|(_, rest)| Some(rest.rsplit_once('}')?.0));
    let words: Vec<&str> = between.unwrap_or(block).split_whitespace().collect();
    words.join(" ")
}

/// A never claim that is an automaton, with its guards as the program's propositions.
fn of_claim(claim: &ProcessType, program: &mut Program) -> Result<TemporalProperty, NoAutomaton> {
    let (automaton, guards) = claim::automaton(claim)?;
    let watches = (0..guards.len() as u32).map(Observable::State).collect();
    let stutter_invariant =
        claim::letters(&guards).is_some_and(|letters| stutter::is_invariant_on(&automaton, &letters));
    program.propositions = guards;
    let labels = program.processes.iter().flat_map(|process| &process.locations).any(|at| at.accept);
    let question = InfiniteRuns { labels, ..question(Bad::Automaton(automaton), watches, true) };
    let text = "no run takes the claim to its end or through an acceptance cycle".to_owned();
    let (kind, name) = (PropertyKind::NeverClaim, Some(claim.name.clone()));
    let (place, facts) = (place_of(claim, program), FormulaFacts::default());
    Ok(TemporalProperty { kind, name, text, place, question, stutter_invariant, facts })
}

/// Several formulas and claims of one program, whose propositions are those of all of them: first those of the first. What
/// is no automaton, or has no room for its propositions any more, is left out.
fn of_blocks(
    blocks: &[Option<Ltl>],
    options: &LoadOptions,
    model: &Model,
    lowered: &mut Lowered,
) -> Result<Vec<Option<TemporalProperty>>, Vec<Message>> {
    let mut atoms = std::mem::take(&mut lowered.program.propositions).into_iter();
    let mut all: Vec<(String, Expr)> = Vec::new();
    let mut properties = Vec::new();
    for (block, name) in blocks.iter().zip(&options.together) {
        let claim = lowered.claims.iter().find(|claim| claim.name == *name).cloned();
        let property = match (block, claim) {
            (Some(ltl), _) => {
                let mut count = 0;
                each_atom(&ltl.formula, &mut |_| count += 1);
                lowered.program.propositions = atoms.by_ref().take(count).collect();
                Some(of_block(ltl, model, &mut lowered.program, &options.formulas)?)
            }
            (None, Some(claim)) => of_claim(&claim, &mut lowered.program).ok(),
            (None, None) => None,
        };
        let own = std::mem::take(&mut lowered.program.propositions);
        let fits = |_: &TemporalProperty| all.len() + own.len() <= MOST_PROPOSITIONS;
        properties.push(property.filter(fits).map(|mut property| {
            property.question.look_further(all.len() as u32);
            all.extend(own);
            property
        }));
    }
    lowered.program.propositions = all;
    Ok(properties)
}

fn convert(formulas: &mut Formulas, formula: &Formula, atoms: &mut dyn Iterator<Item = Id>) -> Id {
    match &formula.kind {
        FormulaKind::Atom(expr) => {
            let atom = atoms.next().expect("the atoms were counted in the same order");
            expr.constant().map_or(atom, |value| formulas.constant(value != 0))
        }
        FormulaKind::Not(f) => {
            let f = convert(formulas, f, atoms);
            formulas.not(f)
        }
        FormulaKind::Next(f) => {
            let f = convert(formulas, f, atoms);
            formulas.next(f)
        }
        FormulaKind::Always(f) => {
            let f = convert(formulas, f, atoms);
            formulas.always(f)
        }
        FormulaKind::Eventually(f) => {
            let f = convert(formulas, f, atoms);
            formulas.eventually(f)
        }
        FormulaKind::Binary(operator, a, b) => {
            let (a, b) = (convert(formulas, a, atoms), convert(formulas, b, atoms));
            match operator {
                TemporalOp::And => formulas.and(a, b),
                TemporalOp::Or => formulas.or(a, b),
                TemporalOp::Implies => formulas.implies(a, b),
                TemporalOp::Equivalent => formulas.iff(a, b),
                TemporalOp::Until => formulas.until(a, b),
                TemporalOp::WeakUntil => formulas.weak_until(a, b),
                TemporalOp::Release => formulas.release(a, b),
            }
        }
    }
}

/// The properties that need nothing but the program. As in SPIN, a run that ends at an acceptance label is as bad as one
/// that comes back to it for ever, while one that ends makes no progress and is not blamed for it.
fn plain(options: &LoadOptions, lowered: &mut Lowered) -> Option<TemporalProperty> {
    match options.property.as_ref()? {
        Wanted::NonProgress => {
            lowered.program.propositions = vec![("np_".to_owned(), Expr::NonProgress)];
            let mut formulas = Formulas::new();
            let np = formulas.proposition("np_");
            let progress = formulas.not(np);
            let again = formulas.eventually(progress);
            let always = formulas.always(again);
            let automaton = negated(&mut formulas, always, &Limits::default()).expect("a small formula");
            let text = "no cycle without progress".to_owned();
            let question = question(Bad::Automaton(automaton), vec![Observable::State(0)], false);
            Some(TemporalProperty {
                kind: PropertyKind::Progress,
                name: None,
                text,
                place: None,
                question,
                stutter_invariant: true,
                facts: FormulaFacts::default(),
            })
        }
        Wanted::AcceptanceCycles => {
            let text = "no cycle through an acceptance label".to_owned();
            Some(TemporalProperty {
                kind: PropertyKind::Acceptance,
                name: None,
                text,
                place: None,
                question: question(Bad::System, Vec::new(), true),
                stutter_invariant: true,
                facts: FormulaFacts::default(),
            })
        }
        Wanted::Ltl(_)
        | Wanted::Ltlf(_)
        | Wanted::Branching(_)
        | Wanted::Claim(_)
        | Wanted::Automaton(_)
        | Wanted::EventualReception => None,
    }
}

/// Where a claim is written: at its first statement.
fn place_of(claim: &ProcessType, program: &Program) -> Option<String> {
    let place = claim.commands.iter().find_map(|command| command.place)?;
    Some(format!("{}:{}", program.files.get(place.file as usize)?, place.line))
}

fn find_claim(
    file: &str,
    model: &Model,
    lowered: &Lowered,
    wanted: &str,
) -> Result<ProcessType, Vec<Message>> {
    if let Some(claim) = lowered.claims.iter().find(|claim| claim.name == wanted) {
        return Ok(claim.clone());
    }
    let names: Vec<&str> = (lowered.claims.iter().map(|claim| claim.name.as_str()))
        .chain(model.formulas.iter().map(|ltl| &*ltl.name))
        .collect();
    let message =
        Message::about_file(format!("{file}: there is no ltl block or never claim called `{wanted}`"))
            .code(codes::UNKNOWN_PROPERTY);
    Err(vec![match (&names[..], nearest(wanted, names.iter().copied())) {
        ([], _) => message.help("the model has neither"),
        (_, Some(near)) => message.help(format!("did you mean `{near}`?")),
        (names, None) => message.help(format!("there are: {}", names.join(", "))),
    }])
}
