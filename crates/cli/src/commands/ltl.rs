//! `elnath ltl`: the automaton of a formula, as a table, a file for other tools or a picture.

use crate::options::{AutomatonFormat, AutomatonType, Dialect, FiniteWords, LtlArgs, Next};
use crate::output::Outputs;
use crate::report::terminal::{Paint, Terminal};
use crate::report::{json, render};
use crate::{Exit, limits};
use elnath::logic::automaton::{Automaton, Edge, Label, Marks, State};
use elnath::logic::degeneralise::{accepting_states, degeneralise};
use elnath::logic::derivative::{Alphabet, Derivatives, EmptyWord};
use elnath::logic::finite::Dfa;
use elnath::logic::formula::{Formulas, Id, Node, Spelling};
use elnath::logic::parse::{self, Syntax};
use elnath::logic::picture::Picture;
use elnath::logic::{Options, class, hoa, never, scc, simplify};
use elnath::refused;
use elnath::source::{Message, SourceText, codes};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::Read;
use std::path::Path;

/// The largest automaton over finite words that is built.
const MOST_STATES: usize = 100_000;

/// What there is to show.
struct Subject {
    /// The formula as it was simplified, or what a file calls its automaton.
    title: String,
    automaton: Words,
    /// The class of the property, where it is known.
    class: Option<&'static str>,
}

enum Words {
    Infinite(Automaton),
    Finite(Dfa),
}

pub(crate) fn run(args: &LtlArgs, terminal: &Terminal) -> Exit {
    match answer(args, terminal) {
        Ok(()) => Exit::Holds,
        Err(messages) => terminal.bad_input(&messages, "ltl"),
    }
}

fn answer(args: &LtlArgs, terminal: &Terminal) -> Result<(), Vec<Message>> {
    let format = format_of(args, terminal)?;
    let mut outputs = Outputs::beside(&args.automaton, args.force);
    let to_file = args.output.as_os_str() != "-";
    let output = to_file.then(|| outputs.any(&args.output, "the automaton")).flatten();
    outputs.tried(terminal)?;
    let subject = match (&args.automaton, &args.formula) {
        (Some(path), _) => of_file(path, terminal)?,
        (None, formula) => of_formula(args, formula.as_deref().unwrap_or_default())?,
    };
    let subject = match subject.automaton {
        Words::Infinite(automaton)
            if args.kind == AutomatonType::Buchi || format == AutomatonFormat::Never =>
        {
            Subject { automaton: Words::Infinite(degeneralise(&automaton)), ..subject }
        }
        _ => subject,
    };
    // Colours are for the terminal alone.
    let paint = |paint: Paint, text: &str| {
        if to_file || terminal.json { text.to_owned() } else { terminal.paint(paint, text) }
    };
    let text = written(&subject, format, &paint)?;
    if let Some(output) = output {
        output.text(&text)?;
    }
    if terminal.json {
        terminal.object(&json::object("ltl", object(args, &subject, format, &text)));
    } else if to_file {
        terminal.detail(&format!("{}: {}", args.output.display(), facts(&subject)));
    } else {
        terminal.say(text.trim_end());
    }
    Ok(())
}

fn format_of(args: &LtlArgs, terminal: &Terminal) -> Result<AutomatonFormat, Vec<Message>> {
    let ending = args.output.extension().and_then(|ending| ending.to_str());
    let format = match (args.format, ending) {
        (Some(format), _) => format,
        // A program that reads the object wants the automaton in a form that it can read too.
        (None, _) if args.output.as_os_str() == "-" && terminal.json => AutomatonFormat::Hoa,
        (None, _) if args.output.as_os_str() == "-" => AutomatonFormat::Text,
        (None, Some("hoa")) => AutomatonFormat::Hoa,
        (None, Some("dot" | "gv")) => AutomatonFormat::Dot,
        (None, Some("svg")) => AutomatonFormat::Svg,
        (None, Some("never" | "pml" | "prm")) => AutomatonFormat::Never,
        (None, Some("txt")) => AutomatonFormat::Text,
        (None, _) => {
            let text = format!("{}: I cannot tell the format to write from this name", args.output.display());
            let help = "end it in .hoa, .dot, .svg, .never or .txt, or use --format";
            return Err(vec![Message::about_file(text).help(help)]);
        }
    };
    if args.finite.is_some() && format == AutomatonFormat::Never {
        let message = Message::about_file("a never claim is about infinite runs, not about finite words");
        return Err(vec![message.help("without --finite, or with --format hoa, dot, svg or text")]);
    }
    Ok(format)
}

fn of_file(path: &Path, terminal: &Terminal) -> Result<Subject, Vec<Message>> {
    let mut text = String::new();
    let read = if path.as_os_str() == "-" {
        std::io::stdin().lock().read_to_string(&mut text)
    } else {
        std::fs::File::open(path).and_then(|mut file| file.read_to_string(&mut text))
    };
    read.map_err(|error| vec![render::file_error(path, &error)])?;
    let name = if path.as_os_str() == "-" { "<standard input>".into() } else { path.display().to_string() };
    let source = SourceText::new(name.as_str(), text);
    let loaded = hoa::read(&source, 0)?;
    terminal.warnings(&loaded.warnings);
    let others = hoa::count(&source).saturating_sub(1);
    if others > 0 {
        let automata = if others == 1 { "automaton" } else { "automata" };
        let text = format!("{name} has {others} more {automata}, not looked at");
        terminal.warnings(&[Message::finding(codes::MORE_AUTOMATA, text, None)]);
    }
    let title = loaded.name.unwrap_or(name);
    Ok(Subject { title, automaton: Words::Infinite(loaded.automaton), class: None })
}

fn of_formula(args: &LtlArgs, text: &str) -> Result<Subject, Vec<Message>> {
    let mut formulas = Formulas::new();
    let dialect = match args.dialect {
        Dialect::Spot => parse::Dialect::Spot,
        Dialect::Spin => parse::Dialect::Spin,
        Dialect::Ltsmin => parse::Dialect::Ltsmin,
    };
    let syntax = Syntax { dialect, ..Syntax::default() };
    let parsed = parse::parse_text(&mut formulas, text, syntax).map_err(|message| vec![*message])?;
    let mut f = parsed.formula;
    if args.finite.is_some() && args.next == Next::Strong {
        f = with_strong_next(&mut formulas, f);
    }
    if args.negate {
        f = formulas.negative(f);
    }
    match args.finite {
        Some(which) => finite(args, &formulas, f, which),
        None => infinite(args, &mut formulas, f),
    }
}

fn infinite(args: &LtlArgs, formulas: &mut Formulas, f: Id) -> Result<Subject, Vec<Message>> {
    let memory = args.memory.unwrap_or_else(limits::default_memory);
    let limits = limits::of_formulas(usize::try_from(memory).unwrap_or(usize::MAX), Some(args.time));
    let classified = class::classified(formulas, f, Options::default(), &limits);
    let (automaton, classes) = classified.map_err(|why| vec![refused(why)])?;
    let class = classes.name();
    let simple = simplify::simplify(formulas, f);
    let title = formulas.show(simple, Spelling::Spot);
    Ok(Subject { title, automaton: Words::Infinite(automaton), class: Some(class) })
}

fn finite(args: &LtlArgs, formulas: &Formulas, f: Id, which: FiniteWords) -> Result<Subject, Vec<Message>> {
    let alphabet = if args.actions { Alphabet::Actions } else { Alphabet::Sets };
    let refused = |why: String| vec![Message::about_file(why)];
    let mut derivatives = Derivatives::new(formulas, f, alphabet, EmptyWord::ByDefinition)
        .map_err(|why| refused(why.to_string()))?;
    let dfa = derivatives
        .dfa(MOST_STATES)
        .ok_or_else(|| refused(format!("the automaton of the formula has more than {MOST_STATES} states")))?;
    let dfa = match which {
        FiniteWords::Words => dfa.minimised(),
        FiniteWords::Prefix => dfa.prefix(),
    };
    Ok(Subject { title: formulas.show(f, Spelling::Spot), automaton: Words::Finite(dfa), class: None })
}

/// Every weak next made strong.
fn with_strong_next(formulas: &mut Formulas, f: Id) -> Id {
    let mut done = std::collections::HashMap::new();
    for g in formulas.subformulas(f) {
        let children: Vec<Id> = formulas.children(g).iter().map(|child| done[child]).collect();
        let strong = match formulas.node(g) {
            Node::Next(_) => formulas.strong_next(children[0]),
            _ => formulas.rebuild(g, &children),
        };
        done.insert(g, strong);
    }
    done[&f]
}

fn written(
    subject: &Subject,
    format: AutomatonFormat,
    paint: &dyn Fn(Paint, &str) -> String,
) -> Result<String, Vec<Message>> {
    let picture = || match &subject.automaton {
        Words::Infinite(automaton) => Picture::of(automaton),
        Words::Finite(dfa) => Picture::of_finite(dfa),
    };
    Ok(match (format, &subject.automaton) {
        (AutomatonFormat::Text, _) => table(subject, paint),
        (AutomatonFormat::Hoa, Words::Infinite(automaton)) => hoa::write(automaton, Some(&subject.title)),
        (AutomatonFormat::Hoa, Words::Finite(dfa)) => hoa::write(&as_buchi(dfa), Some(&subject.title)),
        (AutomatonFormat::Never, Words::Infinite(automaton)) => {
            if let Some(name) = automaton.propositions.iter().find(|name| name.starts_with("action(")) {
                let text = format!("a never claim cannot speak of actions, as {name} does");
                return Err(vec![Message::about_file(text)]);
            }
            never::write(automaton, &subject.title)
        }
        (AutomatonFormat::Never, Words::Finite(_)) => unreachable!("refused before"),
        (AutomatonFormat::Dot, _) => picture().dot(),
        (AutomatonFormat::Svg, _) => picture().svg(),
    })
}

/// An automaton over finite words as HOA can hold it. A state without edges has no place for its mark, so that an
/// accepting one gets an edge which no letter takes.
fn as_buchi(dfa: &Dfa) -> Automaton {
    let mut automaton = dfa.automaton();
    for (state, leaving) in (0..).map(State).zip(&mut automaton.edges) {
        if leaving.is_empty() && dfa.accepting(state) {
            leaving.push(Edge { label: Label::never(), marks: Marks(1), to: state });
        }
    }
    automaton
}

/// One line about the automaton and the property.
fn facts(subject: &Subject) -> String {
    let mut text = render::plural(subject.states() as u64, "state");
    let _ = write!(text, ", {}", render::plural(subject.edges() as u64, "edge"));
    match &subject.automaton {
        Words::Infinite(automaton) => {
            let on = if accepting_states(automaton).is_some() { "states" } else { "transitions" };
            text += &match automaton.sets {
                0 => ", every infinite run accepted".to_owned(),
                n => format!(", {} on {on}", render::plural(u64::from(n), "acceptance set")),
            };
            let determinism = if class::is_deterministic(automaton) { "" } else { "non" };
            let _ = write!(text, ", {determinism}deterministic, {}", scc::strength(automaton).name());
        }
        Words::Finite(dfa) => {
            let accepting = (0..dfa.states() as u32).filter(|&state| dfa.accepting(State(state))).count();
            let empty = if dfa.accepting(dfa.initial()) { "accepted" } else { "rejected" };
            let _ = write!(text, ", {accepting} accepting, over finite words, the empty word {empty}");
        }
    }
    if let Some(class) = subject.class {
        let _ = write!(text, "; the property is of class {class}");
    }
    text
}

/// The edges, a line each: state, letters, target, acceptance sets. Accepting states have a star.
fn table(subject: &Subject, paint: &dyn Fn(Paint, &str) -> String) -> String {
    let mut rows: Vec<[String; 4]> = Vec::new();
    let mut leave = |name: String, edges: Vec<[String; 3]>| {
        let names = std::iter::once(name).chain(std::iter::repeat(String::new()));
        let none = [["-".to_owned(), "-".to_owned(), String::new()]];
        let edges = if edges.is_empty() { none.to_vec() } else { edges };
        rows.extend(names.zip(edges).map(|(name, [letters, to, sets])| [name, letters, to, sets]));
    };
    match &subject.automaton {
        Words::Infinite(automaton) => {
            let accepting = accepting_states(automaton);
            for (state, leaving) in automaton.edges.iter().enumerate() {
                let star = if accepting.as_ref().is_some_and(|all| all[state]) { "*" } else { "" };
                let edge = |edge: &Edge| {
                    let sets = if accepting.is_some() { String::new() } else { sets(edge.marks) };
                    [edge.label.show(&automaton.propositions), edge.to.to_string(), sets]
                };
                leave(format!("{state}{star}"), leaving.iter().map(edge).collect());
            }
        }
        Words::Finite(dfa) => {
            for state in (0..dfa.states() as u32).map(State) {
                let star = if dfa.accepting(state) { "*" } else { "" };
                let step = |step: elnath::logic::finite::Step| {
                    [step.label.show(dfa.propositions()), step.to.to_string(), String::new()]
                };
                let mut steps = dfa.short_steps(state);
                steps.sort_by_key(|step| step.to);
                leave(format!("{state}{star}"), steps.into_iter().map(step).collect());
            }
        }
    }
    let head = ["state", "letters", "to", "sets"].map(str::to_owned);
    let width = |column: usize| {
        rows.iter().chain([&head]).map(|row| row[column].chars().count()).max().unwrap_or_default()
    };
    let widths = [width(0), width(1), width(2)];
    let has_sets = rows.iter().any(|row| !row[3].is_empty());
    let line = |row: &[String; 4]| {
        let [name, letters, to, sets] = row;
        let [n, l, t] = widths;
        let sets = if has_sets { sets.as_str() } else { "" };
        format!("  {name:n$}  {letters:l$}  {to:t$}  {sets}").trim_end().to_owned()
    };
    let mut text = format!("{}\n{}\n\n", paint(Paint::Strong, &subject.title), facts(subject));
    text += &paint(Paint::Dim, &line(&head));
    text.push('\n');
    for row in &rows {
        text += &line(row);
        text.push('\n');
    }
    text
}

fn sets(marks: Marks) -> String {
    let sets: Vec<String> =
        (0..64).filter(|set| marks.0 >> set & 1 == 1).map(|set: u32| set.to_string()).collect();
    if sets.is_empty() { String::new() } else { format!("{{{}}}", sets.join(" ")) }
}

fn object(args: &LtlArgs, subject: &Subject, format: AutomatonFormat, text: &str) -> Value {
    let (kind, sets, strength, deterministic) = match &subject.automaton {
        Words::Infinite(automaton) => (
            if accepting_states(automaton).is_some() { "buchi" } else { "tgba" },
            Some(automaton.sets),
            Some(scc::strength(automaton).name()),
            class::is_deterministic(automaton),
        ),
        Words::Finite(_) => ("finite", None, None, true),
    };
    let accepting: Option<Vec<u32>> = match &subject.automaton {
        Words::Infinite(automaton) => accepting_states(automaton)
            .map(|all| (0..).zip(all).filter(|(_, accepting)| *accepting).map(|(state, _)| state).collect()),
        Words::Finite(dfa) => {
            Some((0..dfa.states() as u32).filter(|&state| dfa.accepting(State(state))).collect())
        }
    };
    let written = args.output.as_os_str() != "-";
    json!({
        "formula": args.formula.as_ref().map(|_| &subject.title),
        "name": args.automaton.as_ref().map(|_| &subject.title),
        "negated": args.negate,
        "type": kind,
        "states": subject.states(),
        "edges": subject.edges(),
        "acceptance_sets": sets,
        "accepting_states": accepting,
        "strength": strength,
        "class": subject.class,
        "deterministic": deterministic,
        "propositions": subject.propositions(),
        "format": match format {
            AutomatonFormat::Text => "text",
            AutomatonFormat::Hoa => "hoa",
            AutomatonFormat::Dot => "dot",
            AutomatonFormat::Never => "never",
            AutomatonFormat::Svg => "svg",
        },
        "automaton": if written { Value::Null } else { text.into() },
        "output": if written { Value::from(args.output.display().to_string()) } else { Value::Null },
    })
}

impl Subject {
    fn states(&self) -> usize {
        match &self.automaton {
            Words::Infinite(automaton) => automaton.states(),
            Words::Finite(dfa) => dfa.states(),
        }
    }

    fn edges(&self) -> usize {
        match &self.automaton {
            Words::Infinite(automaton) => automaton.edge_count(),
            Words::Finite(dfa) => (0..dfa.states() as u32).map(|state| dfa.steps(State(state)).len()).sum(),
        }
    }

    fn propositions(&self) -> &[String] {
        match &self.automaton {
            Words::Infinite(automaton) => &automaton.propositions,
            Words::Finite(dfa) => dfa.propositions(),
        }
    }
}
