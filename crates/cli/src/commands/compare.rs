//! `elnath compare`.

use crate::commands::{check, convert};
use crate::options::{CompareArgs, CompareEngine, PairOrder, PairStore};
use crate::report::terminal::{Paint, Terminal};
use crate::report::{json, render};
use crate::{Exit, limits};
use elnath::compare::{
    self, Counterexample, Difference, GameDiagnosis, PairOrder as Order, RelationEngine as Engine,
};
use elnath::labels;
use elnath::net::Rules;
use elnath::source::Message;
use elnath::{Compare, Compared, Coverage, Direction, Limit, LoadError, LoadOptions, Loaded, Verdict};
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

const COMMAND: &str = "compare";
/// Lines of a story that are shown on the terminal.
const STORY: usize = 40;

pub(crate) fn run(args: &CompareArgs, terminal: &Terminal) -> Exit {
    if let Some(message) = trouble(args) {
        return terminal.bad_input(&[message], COMMAND);
    }
    let [left, right] = args.label_options();
    let rules = match (left.rules(), right.rules()) {
        (Ok(left), Ok(right)) => [left, right],
        // A pattern for both is wrong in both.
        (Err(messages), _) | (Ok(_), Err(messages)) => return terminal.bad_input(&messages, COMMAND),
    };
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
            Err(LoadError::Broken(messages)) => return terminal.bad_input(&messages, COMMAND),
            Err(LoadError::TooLarge { .. }) => return too_large(args, terminal, file, memory),
        }
    }
    terminal.warnings(&check::unmet_taus(&args.model, &loaded));
    let loading = begin.elapsed().as_secs_f64();
    let begin = Instant::now();
    let compared = match question(args, &loaded, memory, terminal).run() {
        Ok(compared) => compared,
        Err(refusal) if refusal.is_usage() => {
            return terminal.bad_input(&[Message::about_file(refusal.to_string())], COMMAND);
        }
        Err(refusal) => panic!("{refusal}; please report this as a bug of elnath"),
    };
    let seconds = begin.elapsed().as_secs_f64();
    let complete = matches!(compared.comparison.verdict, Verdict::Holds(_));
    let rules = rules.each_ref().map(Option::as_ref);
    terminal.warnings(&labels::warnings_of_two(&args.labels.options(), rules, complete));
    if let Err(message) = write_files(args, &compared.comparison.verdict) {
        return terminal.bad_input(&[*message], COMMAND);
    }
    if terminal.json {
        let engines = [loaded[0].engine, loaded[1].engine];
        terminal.object(&object(args, &compared, engines, loading, seconds));
    } else {
        print(args, terminal, &compared, loading, seconds);
        if let Verdict::Unknown(_) = compared.comparison.verdict {
            check::without_bound(&loaded, terminal);
        }
    }
    match compared.comparison.verdict {
        Verdict::Holds(_) => Exit::Holds,
        Verdict::Fails(_) => Exit::Fails,
        Verdict::Unknown(_) => Exit::Unknown,
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

fn load(
    args: &CompareArgs,
    file: &Path,
    rules: Option<Arc<Rules>>,
    memory: usize,
) -> Result<Loaded, LoadError> {
    let options = LoadOptions {
        memory: Some(memory),
        engine: elnath::Engine::Jit,
        observed: true,
        rules,
        ..check::load_options(&args.model)
    };
    elnath::load(file, &options)
}

fn question(args: &CompareArgs, loaded: &[Loaded], memory: usize, terminal: &Terminal) -> Compare<'static> {
    let bytes = memory / 2;
    let store = match args.store {
        PairStore::Exact => compare::PairStore::Exact,
        PairStore::Replacing => compare::PairStore::Replacing { bytes },
        PairStore::Bitstate => compare::PairStore::Bitstate { bytes: bytes.min(128 << 20), k: 3 },
    };
    let mut question = Compare::systems(Arc::clone(&loaded[0].system), Arc::clone(&loaded[1].system))
        .relation(args.relation)
        .direction(if args.preorder { Direction::Preorder } else { Direction::Equivalence })
        .engine(match args.engine {
            CompareEngine::Auto => Engine::Auto,
            CompareEngine::Local => Engine::Local,
            CompareEngine::Conjunctive => Engine::Conjunctive,
            CompareEngine::Restart => Engine::Restart,
        })
        .order(match args.search {
            PairOrder::Auto => Order::ShallowFirst,
            PairOrder::Dfs => Order::DepthFirst,
            PairOrder::Bfs => Order::BreadthFirst,
        })
        .store(store)
        .memory(memory)
        .watch(check::watch_for(args.time, terminal));
    if args.shortest {
        question = question.shortest();
    }
    if let [Some(left), Some(right)] = [&loaded[0].explicit, &loaded[1].explicit]
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

fn write_files(args: &CompareArgs, verdict: &Verdict<Difference>) -> Result<(), Box<Message>> {
    let names = names(args);
    let names = [names[0].as_str(), names[1].as_str()];
    let write = |file: &Option<std::path::PathBuf>, text: &dyn Fn() -> String| match file {
        None => Ok(()),
        Some(file) => convert::replace_file(file, args.force, |mut out| out.write_all(text().as_bytes()))
            .map_err(|error| Box::new(render::file_error(file, &error))),
    };
    match verdict {
        Verdict::Fails(Difference::Game(diagnosis)) => {
            write(&args.seq, &|| diagnosis.seq(names))?;
            write(&args.aut, &|| diagnosis.aut(names))?;
            write(&args.svg, &|| diagnosis.svg(names))
        }
        Verdict::Fails(Difference::Observation(example)) => {
            write(&args.seq, &|| example.seq(names))?;
            write(&args.aut, &|| example.aut(names))?;
            write(&args.svg, &|| example.svg(names))
        }
        Verdict::Holds(_) | Verdict::Unknown(_) => Ok(()),
    }
}

/// A run that one model can do and the other does not allow.
fn tell_example(args: &CompareArgs, terminal: &Terminal, example: &Counterexample, names: [&str; 2]) {
    for line in example.story(names, STORY) {
        terminal.detail(&format!("  {line}"));
    }
    if args.formula {
        terminal.note("--formula: relations between runs are explained by runs; there is no formula");
    }
}

fn print(args: &CompareArgs, terminal: &Terminal, compared: &Compared<'_>, loading: f64, seconds: f64) {
    let names = names(args);
    let both = [names[0].as_str(), names[1].as_str()];
    let comparison = &compared.comparison;
    if let Verdict::Fails(Difference::Game(diagnosis)) = &comparison.verdict {
        if diagnosis.exchanged {
            terminal.detail(&format!("{} is below {}, but not the other way round:", both[0], both[1]));
        }
        for line in diagnosis.story(both, STORY) {
            terminal.detail(&format!("  {line}"));
        }
        if diagnosis.looks_through() {
            terminal.detail(
                &terminal
                    .paint(Paint::Dim, "  (internal steps before or after an action are looked through)"),
            );
        }
        if args.formula {
            terminal.detail(&format!("a formula that is true of {} and false of {}:", both[0], both[1]));
            for (name, text) in diagnosis.formula() {
                terminal.detail(&format!("  {name} = {text}"));
            }
            terminal.detail(&terminal.paint(Paint::Dim, &format!("  {}", diagnosis.modality_in_words())));
        }
    }
    if matches!(comparison.verdict, Verdict::Fails(_)) {
        for file in [&args.seq, &args.aut, &args.svg].into_iter().flatten() {
            terminal.detail(&format!("{} written", file.display()));
        }
    }
    if let Verdict::Fails(Difference::Observation(example)) = &comparison.verdict {
        tell_example(args, terminal, example, both);
    }
    for (side, faulty) in comparison.faults.into_iter().enumerate() {
        if faulty {
            terminal.note(&format!(
                "{}: some transitions break a rule of the model (see elnath check)",
                both[side]
            ));
        }
    }
    let decided = &comparison.decided;
    let passes = match decided.passes {
        None => String::new(),
        Some(1) => ", one pass".to_owned(),
        Some(n) => format!(", {} passes", render::grouped(n)),
    };
    terminal.detail(&format!(
        "{} analysed; {} of {} and {} of {} seen",
        render::plural(comparison.pairs, "pair"),
        render::plural(comparison.states[0], "state"),
        both[0],
        render::grouped(comparison.states[1]),
        both[1],
    ));
    terminal.detail(&format!(
        "{} engine ({}){passes}; {}; {seconds:.3} s, and {loading:.3} s to load",
        decided.engine,
        decided.why,
        render::bytes(comparison.peak_bytes as u64)
    ));
    let (positive, negative) = compared.asked();
    let relation = compared.relation.name();
    let line = match &comparison.verdict {
        Verdict::Holds(coverage) => {
            let (word, paint, doubt) = match coverage {
                Coverage::Exhaustive => ("related", Paint::Good, ""),
                Coverage::Lossy { .. } => {
                    ("no difference found", Paint::Doubt, "; a few bits per pair are no proof")
                }
            };
            let sure = if doubt.is_empty() { positive } else { "may be related to" };
            format!("{}: {} {sure} {} ({relation}){doubt}", terminal.paint(paint, word), both[0], both[1])
        }
        Verdict::Fails(Difference::Game(diagnosis)) => format!(
            "{}: {} {negative} {} ({relation}): {}",
            terminal.paint(Paint::Bad, "not related"),
            both[0],
            both[1],
            diagnosis.headline(both)
        ),
        Verdict::Fails(Difference::Observation(example)) => format!(
            "{}: {} {negative} {} ({relation}): {}",
            terminal.paint(Paint::Bad, "not related"),
            both[0],
            both[1],
            example.headline(both)
        ),
        Verdict::Unknown(limit) => {
            format!("{}: {}", terminal.paint(Paint::Doubt, "unknown"), unknown(*limit, args))
        }
    };
    terminal.say(&line);
}

fn unknown(limit: Limit, args: &CompareArgs) -> String {
    match limit {
        Limit::Memory => {
            let more = if args.store == PairStore::Exact && args.engine != CompareEngine::Auto {
                "; --engine restart --store replacing needs less"
            } else {
                ""
            };
            format!("the comparison ran out of memory (--memory){more}")
        }
        Limit::Time => "the comparison ran out of time (--time)".to_owned(),
        Limit::Interrupted => "interrupted".to_owned(),
        Limit::Witness => {
            "what tells them apart was found, but something ran out before it could be shown".to_owned()
        }
        Limit::Sequence => "a single step of a model has too many outcomes to compute".to_owned(),
        other => format!("the comparison reached the limit of {}", other.name()),
    }
}

fn object(
    args: &CompareArgs,
    compared: &Compared<'_>,
    engines: [&str; 2],
    loading: f64,
    seconds: f64,
) -> Value {
    let comparison = &compared.comparison;
    let (verdict, reason, coverage) = match &comparison.verdict {
        Verdict::Holds(Coverage::Exhaustive) => ("holds", None, json!({ "kind": "exhaustive" })),
        Verdict::Holds(Coverage::Lossy { expected_omissions, omission_probability }) => (
            "holds",
            None,
            json!({
                "kind": "lossy",
                "expected_omissions": expected_omissions,
                "omission_probability": omission_probability,
            }),
        ),
        Verdict::Fails(_) => ("fails", None, json!({ "kind": "partial" })),
        Verdict::Unknown(limit) => ("unknown", Some(limit.name()), json!({ "kind": "partial" })),
    };
    let diagnosis = match &comparison.verdict {
        Verdict::Fails(Difference::Game(diagnosis)) => diagnosis_object(args, compared, diagnosis),
        Verdict::Fails(Difference::Observation(example)) => example_object(args, example),
        Verdict::Holds(_) | Verdict::Unknown(_) => Value::Null,
    };
    let [left, right] = [(&args.left, 0), (&args.right, 1)].map(|(file, side)| {
        json!({
            "model": file.display().to_string(),
            "engine": engines[side],
            "states": comparison.states[side],
            "faults": comparison.faults[side],
        })
    });
    json::object(
        COMMAND,
        json!({
            "verdict": verdict,
            "reason": reason,
            "relation": compared.relation.name(),
            "direction": match compared.direction {
                Direction::Preorder => "preorder",
                Direction::Equivalence => "equivalence",
            },
            "left": left,
            "right": right,
            "states": comparison.states[0] + comparison.states[1],
            "pairs": comparison.pairs,
            "engine": comparison.decided.engine,
            "why": comparison.decided.why,
            "passes": comparison.decided.passes,
            "forgotten": comparison.decided.forgotten,
            "store": match args.store {
                PairStore::Exact => "exact",
                PairStore::Replacing => "replacing",
                PairStore::Bitstate => "bitstate",
            },
            "coverage": coverage,
            "compare_bytes": comparison.peak_bytes,
            "load_seconds": loading,
            "seconds": seconds,
            "reductions": [],
            "diagnosis": diagnosis,
        }),
    )
}

fn diagnosis_object(args: &CompareArgs, compared: &Compared<'_>, diagnosis: &GameDiagnosis) -> Value {
    const MOST: usize = 10_000;
    let names = names(args);
    let names = [names[0].as_str(), names[1].as_str()];
    let side = |side: usize| if side == 0 { "left" } else { "right" };
    let exchange = |exchange: &compare::Exchange| {
        let states = compared.show_states(diagnosis, exchange);
        json!({
            "left": states[0],
            "right": states[1],
            "mover": side(exchange.mover),
            "label": diagnosis.label(exchange.label),
            "kind": match diagnosis.kind(exchange.label) {
                compare::LabelKind::Internal => "internal",
                compare::LabelKind::Divergence => "divergence",
                compare::LabelKind::Visible => "visible",
            },
            "unheard_of": exchange.unheard_of,
            "answers": exchange.answers.iter().map(|answer| json!({
                "then": answer.then,
                "about": if answer.disputes_before { "before" } else { "after" },
            })).collect::<Vec<_>>(),
        })
    };
    let line = diagnosis.main_line();
    json!({
        "text": diagnosis.headline(names),
        "sequence": diagnosis.is_sequence(),
        "exchanged": diagnosis.exchanged,
        "depth": diagnosis.ranks()[0],
        "labels": line.iter().map(|&at| diagnosis.label(diagnosis.exchanges[at].label)).collect::<Vec<_>>(),
        "exchanges_in_all": diagnosis.exchanges.len(),
        "exchanges": diagnosis.exchanges.iter().take(MOST).map(exchange).collect::<Vec<_>>(),
        "formula": if args.formula {
            let parts = diagnosis.formula();
            json!(parts.iter().map(|(name, text)| json!({ "name": name, "text": text })).collect::<Vec<_>>())
        } else {
            Value::Null
        },
    })
}

fn example_object(args: &CompareArgs, example: &Counterexample) -> Value {
    let names = names(args);
    let (kind, offered, allowed) = match &example.why {
        compare::Why::Label => ("label", None, None),
        compare::Why::Refusal { offered, allowed } => ("refusal", Some(offered), Some(allowed)),
        compare::Why::Divergence { .. } => ("divergence", None, None),
    };
    json!({
        "text": example.headline([&names[0], &names[1]]),
        "sequence": true,
        "exchanged": example.mover == 1,
        "depth": example.trace.len(),
        "labels": example.trace,
        "mover": if example.mover == 0 { "left" } else { "right" },
        "steps": example.labels,
        "kind": kind,
        "offered": offered,
        "allowed": allowed,
    })
}

/// The answer when not even a model fits into the memory.
fn too_large(args: &CompareArgs, terminal: &Terminal, file: &Path, memory: usize) -> Exit {
    let text = format!(
        "{} alone needs more than the {} granted (--memory)",
        file.display(),
        render::bytes(memory as u64)
    );
    if terminal.json {
        let fields = json!({
            "verdict": "unknown",
            "reason": "memory",
            "relation": args.relation.name(),
            "pairs": 0,
            "diagnosis": null,
            "text": text,
        });
        terminal.object(&json::object(COMMAND, fields));
    } else {
        terminal.say(&format!("{}: {text}", terminal.paint(Paint::Doubt, "unknown")));
    }
    Exit::Unknown
}
