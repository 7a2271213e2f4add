//! `elnath compare`: options to a question, and the answer to its two forms ([`crate::report::compare`]).

use crate::commands::{check, explore};
use crate::options::{CompareArgs, CompareEngine, PairOrder, PairStore};
use crate::output::{Output, Outputs};
use crate::report::compare::{Compared, TooLarge};
use crate::report::progress;
use crate::report::terminal::Terminal;
use crate::{Exit, limits};
use elnath::compare::{self, RelationEngine};
use elnath::labels;
use elnath::net::Rules;
use elnath::source::Message;
use elnath::{Compare, CompareReport, Direction, LoadError, LoadOptions, Loaded, Verdict};
use elnath_explore::{Explorer, Sides};
use std::path::{Path, PathBuf};
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
    let files = files(args, terminal)?;
    let [left, right] = args.label_options();
    // A pattern for both is wrong in both.
    let rules = [left.rules()?, right.rules()?];
    let memory = args.memory.unwrap_or_else(limits::default_memory);
    let memory = usize::try_from(memory).unwrap_or(usize::MAX);
    let begin = Instant::now();
    let mut loaded = Vec::new();
    for (file, rules) in [&args.left, &args.right].into_iter().zip(&rules) {
        match load(args, file, rules.clone(), memory) {
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
    let report = question(args, &loaded, memory, terminal).run().map_err(super::wrong)?;
    let seconds = begin.elapsed().as_secs_f64();
    let complete = matches!(report.verdict(), Verdict::Holds(_));
    let rules = rules.each_ref().map(Option::as_ref);
    terminal.warnings(&labels::warnings_of_two(&args.labels.options(), rules, complete));
    let written = write_files(&files, &report).unwrap_or_else(|wrong| {
        terminal.failed(wrong);
        Vec::new()
    });
    show(args, &loaded, &report, written, (loading, seconds), terminal);
    let exit = Exit::of(&report.verdict());
    drop(report);
    if args.then.explore {
        explore::then(&args.then, explorer(args, loaded, [left.rules()?, right.rules()?], memory), terminal)?;
    }
    Ok(exit)
}

/// A page about both models, with the game of the relation.
fn explorer(
    args: &CompareArgs,
    loaded: Vec<Loaded>,
    rules: [Option<Arc<Rules>>; 2],
    memory: usize,
) -> Explorer {
    let [left, right] = rules;
    let loaded: [Loaded; 2] = loaded.try_into().unwrap_or_else(|_| unreachable!("there are two models"));
    let sides = Sides {
        files: [&args.left, &args.right],
        options: [load_options(args, left, memory), load_options(args, right, memory)],
        names: names(args),
        loaded,
    };
    let direction = if args.preorder { Direction::Preorder } else { Direction::Equivalence };
    Explorer::comparing(sides, args.relation, direction, args.model.tau.clone())
}

/// Shows the answer.
fn show(
    args: &CompareArgs,
    loaded: &[Loaded],
    report: &CompareReport<'_>,
    written: Vec<String>,
    (loading, seconds): (f64, f64),
    terminal: &Terminal,
) {
    let files = [&args.left, &args.right].map(|file| file.display().to_string());
    let compared = Compared {
        files: [&files[0], &files[1]],
        engines: [loaded[0].engine, loaded[1].engine],
        report,
        formula: args.formula,
        engine_chosen: args.engine != CompareEngine::Auto,
        written,
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
        check::given_up(loaded, terminal);
    }
}

/// What can be told to be wrong before anything is read.
fn trouble(args: &CompareArgs) -> Option<Message> {
    if args.left.as_os_str() == "-" && args.right.as_os_str() == "-" {
        return Some(Message::about_file("only one of the two models can come from standard input"));
    }
    None
}

fn load(
    args: &CompareArgs,
    file: &Path,
    rules: Option<Arc<Rules>>,
    memory: usize,
) -> Result<Loaded, LoadError> {
    elnath::load(file, &load_options(args, rules, memory))
}

/// How both models are read.
fn load_options(args: &CompareArgs, rules: Option<Arc<Rules>>, memory: usize) -> LoadOptions {
    LoadOptions {
        memory: Some(memory),
        engine: elnath::Engine::Jit,
        observed: true,
        rules,
        ..check::load_options(&args.model)
    }
}

fn question(args: &CompareArgs, loaded: &[Loaded], memory: usize, terminal: &Terminal) -> Compare<'static> {
    let store = match args.store {
        PairStore::Exact => compare::PairStore::Exact,
        PairStore::Replacing => compare::PairStore::replacing(memory),
        PairStore::Bitstate => compare::PairStore::bitstate(memory),
    };
    let [left, right] = names(args);
    let mut question = Compare::systems(Arc::clone(&loaded[0].system), Arc::clone(&loaded[1].system))
        .names(&left, &right)
        .relation(args.relation)
        .direction(if args.preorder { Direction::Preorder } else { Direction::Equivalence })
        .engine(match args.engine {
            CompareEngine::Auto => RelationEngine::Auto,
            CompareEngine::Local => RelationEngine::Local,
            CompareEngine::Conjunctive => RelationEngine::Conjunctive,
            CompareEngine::Restart => RelationEngine::Restart,
            CompareEngine::Classes => RelationEngine::Classes,
        })
        .order(match args.search {
            PairOrder::Auto => compare::PairOrder::ShallowFirst,
            PairOrder::Dfs => compare::PairOrder::DepthFirst,
            PairOrder::Bfs => compare::PairOrder::BreadthFirst,
        })
        .store(store)
        .memory(memory)
        .watch(progress::watch("comparing", memory as u64, args.time, terminal));
    if args.shortest {
        question = question.shortest();
    }
    if !args.as_written {
        question = question.networks([loaded[0].parts(), loaded[1].parts()]);
    }
    if let [Some(left), Some(right)] = [&loaded[0].explicit, &loaded[1].explicit]
        && !args.as_written
        && loaded.iter().all(|model| model.rules.is_none())
    {
        question = question.explicit(Arc::clone(left), Arc::clone(right));
    }
    if let Some(taus) = &args.model.tau {
        let internal = |model: &Loaded| model.internal(Some(taus.clone())).names().to_vec();
        question = question.internal(loaded.iter().flat_map(internal).collect());
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

/// Where the difference goes: as a sequence, as a graph, as a picture.
fn files(args: &CompareArgs, terminal: &Terminal) -> Result<[Option<Output>; 3], Vec<Message>> {
    let mut outputs = Outputs::beside([&args.left, &args.right], args.force);
    let mut file = |path: &Option<PathBuf>, what, endings: &[&'static str]| {
        path.as_ref().and_then(|path| outputs.ending_in(path, what, endings))
    };
    let seq = file(&args.seq, "the sequence", &["seq", "txt"]);
    let aut = file(&args.aut, "the graph", &["aut"]);
    let svg = file(&args.svg, "the picture", &["svg"]);
    outputs.tried(terminal)?;
    Ok([seq, aut, svg])
}

/// Writes the difference where the user wants it, and tells the names of the files.
fn write_files(files: &[Option<Output>; 3], report: &CompareReport<'_>) -> Result<Vec<String>, Vec<Message>> {
    let property = report.worst();
    let (Some(difference), names) = (property.verdict.evidence(), property.figures.names()) else {
        return Ok(Vec::new());
    };
    let texts: [&dyn Fn() -> String; 3] =
        [&|| difference.seq(names), &|| difference.aut(names), &|| difference.svg(names)];
    let mut written = Vec::new();
    for (output, text) in files.iter().zip(texts) {
        let Some(output) = output else { continue };
        output.text(&text())?;
        written.extend((!output.is_standard()).then(|| output.path().display().to_string()));
    }
    Ok(written)
}

/// The answer when not even a model fits into the memory.
fn too_large(args: &CompareArgs, terminal: &Terminal, file: &Path, memory: usize) -> Exit {
    let file = file.display().to_string();
    let answer = TooLarge { file: &file, relation: args.relation, memory: memory as u64 };
    if terminal.json {
        terminal.object(&answer.json());
    } else {
        answer.text(terminal);
    }
    Exit::Unknown
}
