//! `elnath compare`: options to a question, and the answer to its two forms ([`crate::report::compare`]).

use crate::commands::{check, convert};
use crate::options::{CompareArgs, CompareEngine, LabelArgs, PairOrder, PairStore};
use crate::report::compare::{Compared, TooLarge};
use crate::report::terminal::Terminal;
use crate::report::{progress, render};
use crate::{Exit, limits};
use elnath::compare::{self, Difference, RelationEngine};
use elnath::net::{BadPattern, Pattern, Relabelled, Rules};
use elnath::source::Message;
use elnath::{Compare, CompareReport, Direction, LoadError, LoadOptions, Loaded, System, Verdict};
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

const COMMAND: &str = "compare";

pub(crate) fn run(args: &CompareArgs, terminal: &Terminal) -> Exit {
    answered(args, terminal).unwrap_or_else(|messages| terminal.bad_input(&messages, COMMAND))
}

/// Reads the models, asks, and shows the answer; or tells what is wrong with what was given.
fn answered(args: &CompareArgs, terminal: &Terminal) -> Result<Exit, Vec<Message>> {
    if let Some(message) = trouble(args) {
        return Err(vec![message]);
    }
    let rules = rules(&args.labels).map_err(|bad| vec![message(&bad)])?;
    let memory = args.memory.unwrap_or_else(limits::default_memory);
    let memory = usize::try_from(memory).unwrap_or(usize::MAX);
    let begin = Instant::now();
    let mut loaded = Vec::new();
    for file in [&args.left, &args.right] {
        match load(args, file, memory) {
            Ok(model) => {
                terminal.warnings(&model.warnings);
                loaded.push(model);
            }
            Err(LoadError::Broken(messages)) => return Err(messages),
            Err(LoadError::TooLarge { .. }) => return Ok(too_large(args, terminal, file, memory)),
        }
    }
    terminal.warnings(&check::unmet_taus(&args.model, &loaded));
    let loading = begin.elapsed().as_secs_f64();
    let begin = Instant::now();
    let report = question(args, &loaded, &rules, memory, terminal).run().or_else(|problem| match problem
        .is_usage()
    {
        true => Err(problem.into_messages()),
        false => panic!("{problem}; please report this as a bug of elnath"),
    })?;
    let seconds = begin.elapsed().as_secs_f64();
    terminal.warnings(&unmet(&args.labels, &rules, matches!(report.verdict(), Verdict::Holds(_))));
    write_files(args, &report).map_err(|message| vec![*message])?;
    show(args, &loaded, &report, (loading, seconds), terminal);
    Ok(Exit::of(&report.verdict()))
}

/// Shows the answer.
fn show(
    args: &CompareArgs,
    loaded: &[Loaded],
    report: &CompareReport<'_>,
    (loading, seconds): (f64, f64),
    terminal: &Terminal,
) {
    let files = [&args.left, &args.right].map(|file| file.display().to_string());
    let written = [&args.seq, &args.aut, &args.svg].into_iter().flatten();
    let compared = Compared {
        files: [&files[0], &files[1]],
        engines: [loaded[0].engine, loaded[1].engine],
        report,
        formula: args.formula,
        engine_chosen: args.engine != CompareEngine::Auto,
        written: written.map(|file| file.display().to_string()).collect(),
        loading,
        seconds,
    };
    if terminal.json {
        terminal.object(&compared.json());
        return;
    }
    compared.text(terminal);
    if let Verdict::Unknown(_) = report.verdict() {
        check::without_bound(loaded, terminal);
    }
}

/// What can be told to be wrong before anything is read.
fn trouble(args: &CompareArgs) -> Option<Message> {
    if args.left.as_os_str() == "-" && args.right.as_os_str() == "-" {
        return Some(Message::about_file("only one of the two models can come from standard input"));
    }
    let files = [&args.seq, &args.aut, &args.svg].into_iter().flatten();
    let existing = files.into_iter().find(|file| !args.force && file.exists())?;
    Some(render::file_error(existing, &std::io::ErrorKind::AlreadyExists.into()))
}

fn load(args: &CompareArgs, file: &Path, memory: usize) -> Result<Loaded, LoadError> {
    let options = LoadOptions {
        memory: Some(memory),
        engine: elnath::Engine::Jit,
        observed: true,
        ..check::load_options(&args.model)
    };
    elnath::load(file, &options)
}

/// What becomes of the labels of the left model and of the right one.
fn rules(args: &LabelArgs) -> Result<[Arc<Rules>; 2], BadPattern> {
    let side = |hide: &[String], all_but: &[String], rename: &[String]| {
        let mut rules = Rules::new();
        for rule in args.rename.iter().chain(rename) {
            rules = rules.rename_by(rule)?;
        }
        for pattern in args.hide.iter().chain(hide) {
            rules = rules.hide(Pattern::regex(pattern)?);
        }
        for pattern in args.hide_all_but.iter().chain(all_but) {
            rules = rules.hide_all_but(Pattern::regex(pattern)?);
        }
        Ok(Arc::new(rules))
    };
    Ok([
        side(&args.hide_left, &args.hide_all_but_left, &args.rename_left)?,
        side(&args.hide_right, &args.hide_all_but_right, &args.rename_right)?,
    ])
}

fn message(bad: &BadPattern) -> Message {
    let message = Message::about_file(bad.to_string());
    match &bad.help {
        Some(help) => message.help(help.clone()),
        None => message,
    }
}

/// Warnings about patterns that no label matches: those for both models, if it is so in both.
fn unmet(args: &LabelArgs, rules: &[Arc<Rules>; 2], complete: bool) -> Vec<Message> {
    let of_both = |pattern: &str| {
        let plain = args.hide.iter().chain(&args.hide_all_but);
        let renamed = args.rename.iter().filter_map(|rule| rule.rsplit_once("=>"));
        plain.map(String::as_str).chain(renamed.map(|(old, _)| old.trim())).any(|text| text == pattern)
    };
    let [left, right] = rules;
    let right_too = right.unmet();
    let of = |rules: &Rules, keep: &dyn Fn(&str) -> bool| -> Vec<Message> {
        let named = rules.unmet().into_iter().map(str::to_owned).collect::<Vec<_>>();
        let messages = named.into_iter().zip(rules.warnings(complete));
        messages.filter(|(pattern, _)| keep(pattern)).map(|(_, message)| message).collect()
    };
    let mut messages = of(left, &|pattern| !of_both(pattern) || right_too.contains(&pattern));
    messages.extend(of(right, &|pattern| !of_both(pattern)));
    messages
}

fn question(
    args: &CompareArgs,
    loaded: &[Loaded],
    rules: &[Arc<Rules>; 2],
    memory: usize,
    terminal: &Terminal,
) -> Compare<'static> {
    let store = match args.store {
        PairStore::Exact => compare::PairStore::Exact,
        PairStore::Replacing => compare::PairStore::replacing(memory),
        PairStore::Bitstate => compare::PairStore::bitstate(memory),
    };
    let system = |side: usize| -> Arc<dyn System> {
        let system = Arc::clone(&loaded[side].system);
        if rules[side].is_empty() {
            system
        } else {
            Arc::new(Relabelled::new(system, Arc::clone(&rules[side])))
        }
    };
    let [left, right] = names(args);
    let mut question = Compare::systems(system(0), system(1))
        .names(&left, &right)
        .relation(args.relation)
        .direction(if args.preorder { Direction::Preorder } else { Direction::Equivalence })
        .engine(match args.engine {
            CompareEngine::Auto => RelationEngine::Auto,
            CompareEngine::Local => RelationEngine::Local,
            CompareEngine::Conjunctive => RelationEngine::Conjunctive,
            CompareEngine::Restart => RelationEngine::Restart,
        })
        .order(match args.search {
            PairOrder::Auto => compare::PairOrder::ShallowFirst,
            PairOrder::Dfs => compare::PairOrder::DepthFirst,
            PairOrder::Bfs => compare::PairOrder::BreadthFirst,
        })
        .store(store)
        .memory(memory)
        .watch(progress::watch(args.time, terminal));
    if args.shortest {
        question = question.shortest();
    }
    if let [Some(left), Some(right)] = [&loaded[0].explicit, &loaded[1].explicit]
        && rules.iter().all(|rules| rules.is_empty())
    {
        question = question.explicit(Arc::clone(left), Arc::clone(right));
    }
    if let Some(taus) = &args.model.tau {
        // What is hidden is called i.
        let hidden = rules.iter().any(|rules| !rules.is_empty()).then(|| "i".to_owned());
        question = question.internal(taus.iter().cloned().chain(hidden).collect());
    }
    question
}

/// What the models are called in texts: their files, or sides if these have one name.
fn names(args: &CompareArgs) -> [String; 2] {
    let name = |path: &Path| {
        path.file_name().map_or_else(|| "-".to_owned(), |name| name.to_string_lossy().into_owned())
    };
    let names = [name(&args.left), name(&args.right)];
    if names[0] == names[1] { ["the left".to_owned(), "the right".to_owned()] } else { names }
}

/// Writes the difference where the user wants it.
fn write_files(args: &CompareArgs, report: &CompareReport<'_>) -> Result<(), Box<Message>> {
    let property = report.worst();
    let (Some(difference), names) = (property.verdict.evidence(), property.figures.names()) else {
        return Ok(());
    };
    let forms: [(_, &dyn Fn(&Difference) -> String); 3] = [
        (&args.seq, &|difference| difference.seq(names)),
        (&args.aut, &|difference| difference.aut(names)),
        (&args.svg, &|difference| difference.svg(names)),
    ];
    for (file, text) in forms {
        let Some(file) = file else { continue };
        convert::replace_file(file, args.force, |mut out| out.write_all(text(difference).as_bytes()))
            .map_err(|error| Box::new(render::file_error(file, &error)))?;
    }
    Ok(())
}

/// The answer when not even a model fits into the memory.
fn too_large(args: &CompareArgs, terminal: &Terminal, file: &Path, memory: usize) -> Exit {
    let file = file.display().to_string();
    let answer = TooLarge { file: &file, relation: args.relation, memory: memory as u64 };
    if terminal.json {
        terminal.object(&answer.json())
    } else {
        answer.text(terminal)
    }
    Exit::Unknown
}
