//! `elnath reduce`.

use crate::Exit;
use crate::commands::{check, convert};
use crate::limits::{self, Listening};
use crate::options::{Format, LabelArgs, ModelArgs, size, time};
use crate::report::progress::Progress;
use crate::report::terminal::Terminal;
use crate::report::{json, render};
use clap::Args as ClapArgs;
use elnath::lts::quotient::{Quotient, RELATIONS};
use elnath::source::{Message, nearest};
use elnath::{Counters, Limit, LoadError, LoadOptions, NotReduced, Reduce, ReducedGraph, Relation};
use serde_json::{Value, json};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub(crate) const EXAMPLES: &str = "\
Examples:
  elnath reduce lift.aut --relation strong -o small.aut
  elnath reduce lift.aut --relation branching -o small.dot     a picture of what can be seen
  elnath reduce lift.aut.gz --relation weak --hide 'LOG.*' --json -o small.aut.zst
                                                               hide some actions first
  elnath reduce abp.pml --relation divergence-branching > abp.aut
                                                               a program is generated first: its messages
                                                               and prints, see docs/comparing.md
  elnath reduce lift.aut --relation safety --classes classes.txt -o small.aut
                                                               and which state went where
  elnath reduce lift.aut --relation trace --json               only how large it is
Relations: strong, divergence-branching, branching, weak, tau-star-a, safety, simulation, trace, weak-trace.";

#[derive(ClapArgs)]
pub(crate) struct ReduceArgs {
    /// The model; - for standard input
    file: PathBuf,
    /// What must stay the same
    #[arg(long, short, value_name = "RELATION", value_parser = relation)]
    relation: Relation,
    /// Where to write the quotient (.aut, .dot; .gz or .zst is appended for compression); - for standard output
    /// [default: standard output; nowhere with --json]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The format to write [default: by the ending of the output's name, else CADP's .aut]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Write the class of each state: a line `STATE CLASS`, with - for states that are not in the quotient
    #[arg(long, value_name = "FILE")]
    classes: Option<PathBuf>,
    /// Write over existing files, but never over the model
    #[arg(long, short)]
    force: bool,
    /// Memory for the model and the reduction, such as 512MiB or 2GB [default: three quarters of what is free]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    memory: Option<u64>,
    /// Time for generating and reducing, such as 30s, 10m or 1h30m; without a unit, seconds [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = time)]
    time: Option<Duration>,
    #[command(flatten)]
    labels: LabelArgs,
    #[command(flatten)]
    model: ModelArgs,
}

/// A relation for which there are quotients.
fn relation(text: &str) -> Result<Relation, String> {
    let named = Relation::NAMES.iter().find(|(name, _)| *name == text);
    let offered: Vec<&str> = RELATIONS.iter().map(|relation| relation.name()).collect();
    let known = format!("there are {}", offered.join(", "));
    match named {
        Some((_, relation)) if RELATIONS.contains(relation) => Ok(*relation),
        Some(_) => Err(format!("there are no quotients by this relation; {known}")),
        None => match nearest(text, offered) {
            Some(near) => Err(format!("did you mean `{near}`? {known}")),
            None => Err(known),
        },
    }
}

pub(crate) fn run(args: &ReduceArgs, terminal: &Terminal) -> Exit {
    let format = match refusals(args, terminal) {
        Ok(format) => format,
        Err(messages) => return terminal.bad_input(&messages, "reduce"),
    };
    let rules = match args.labels.rules() {
        Ok(rules) => rules,
        Err(messages) => return terminal.bad_input(&messages, "reduce"),
    };
    let memory = args.memory.unwrap_or_else(limits::default_memory);
    let memory = usize::try_from(memory).unwrap_or(usize::MAX);
    let begin = Instant::now();
    let options = LoadOptions {
        memory: Some(memory),
        engine: elnath::Engine::Jit,
        // A quotient is about what can be seen, as a comparison is.
        observed: true,
        rules: rules.clone(),
        ..check::load_options(&args.model)
    };
    let loaded = match elnath::load(&args.file, &options) {
        Ok(loaded) => loaded,
        Err(LoadError::Broken(messages)) => return terminal.bad_input(&messages, "reduce"),
        Err(LoadError::TooLarge { transitions }) => {
            let seen = Counters { transitions, ..Counters::default() };
            return unknown(args, terminal, "reading", Limit::Memory, &seen, begin.elapsed());
        }
    };
    terminal.warnings(&loaded.warnings);
    terminal.warnings(&check::unmet_taus(&args.model, std::slice::from_ref(&loaded)));
    let engine = loaded.engine;
    let loading = begin.elapsed();
    let begin = Instant::now();
    let mut watch = watch(args.time, terminal);
    let question =
        Reduce { relation: args.relation, taus: args.model.tau.clone(), memory, watch: &mut watch };
    let result = elnath::reduce(loaded, question);
    drop(watch);
    let reducing = begin.elapsed();
    let complete = !matches!(result, Err(NotReduced::Generating(..)));
    terminal.warnings(&rules.map_or_else(Vec::new, |rules| rules.warnings(complete)));
    let reduction = match result {
        Ok(reduction) => reduction,
        Err(NotReduced::Generating(limit, seen)) => {
            return unknown(args, terminal, "generating", limit, &seen, reducing);
        }
        Err(NotReduced::Reducing(limit, seen)) => {
            return unknown(args, terminal, "reducing", limit, &seen, reducing);
        }
        Err(NotReduced::NotOffered(relation)) => {
            let text = format!("there are no quotients by {}", relation.name());
            return terminal.bad_input(&[Message::about_file(text)], "reduce");
        }
    };
    if reduction.faults > 0 {
        let many = render::plural(reduction.faults, "transition");
        terminal.note(&format!("{many} of the model ran into a fault, and are in the graph like others"));
    }
    if let Err(message) = write(args, terminal, format, &reduction) {
        return terminal.bad_input(&[*message], "reduce");
    }
    if terminal.json {
        terminal.object(&object(args, &reduction, engine, loading, reducing));
    } else {
        tell(args, terminal, &reduction, loading, reducing);
    }
    Exit::Holds
}

/// What can be refused before anything is read.
fn refusals(args: &ReduceArgs, terminal: &Terminal) -> Result<Format, Vec<Message>> {
    if let Some(messages) =
        args.output.as_ref().and_then(|output| convert::standard_output_twice(terminal, output))
    {
        return Err(messages);
    }
    for output in [&args.output, &args.classes].into_iter().flatten() {
        if same_file(output, &args.file) {
            let text = format!("{}: this is the model, which is not written over", output.display());
            return Err(vec![Message::about_file(text).help("name another file")]);
        }
        if !args.force && output.as_os_str() != "-" && output.exists() {
            return Err(vec![render::file_error(output, &std::io::ErrorKind::AlreadyExists.into())]);
        }
    }
    let shared = |classes: &PathBuf| classes.as_os_str() == "-" || Some(classes) == args.output.as_ref();
    if args.classes.as_ref().is_some_and(shared) {
        let text = "--classes needs a file of its own";
        return Err(vec![Message::about_file(text)]);
    }
    if args.classes.is_some() && matches!(args.relation, Relation::Trace | Relation::WeakTrace) {
        let text =
            "a state of the quotient by traces stands for a set of states, so that there are no classes";
        return Err(vec![Message::about_file(text).help("leave out --classes")]);
    }
    match (args.format, &args.output) {
        (Some(format), _) => Ok(format),
        (None, Some(output)) if output.as_os_str() != "-" => convert::format_of(output),
        (None, _) => Ok(Format::Cadp),
    }
}

fn same_file(output: &Path, input: &Path) -> bool {
    let canonical = |path: &Path| path.canonicalize().ok();
    output == input && output.as_os_str() != "-"
        || canonical(output).is_some_and(|output| Some(output) == canonical(input))
}

/// Shows progress, and stops what was interrupted or has used up its time.
pub(crate) fn watch(
    time: Option<Duration>,
    terminal: &Terminal,
) -> impl FnMut(&Counters) -> Option<Limit> + use<> {
    let deadline = time.and_then(|time| Instant::now().checked_add(time));
    let mut progress = Progress::new(terminal);
    let listening = Listening::new();
    move |counters| {
        progress.update(counters);
        if listening.interrupted() {
            return Some(Limit::Interrupted);
        }
        deadline.is_some_and(|deadline| Instant::now() >= deadline).then_some(Limit::Time)
    }
}

fn write(
    args: &ReduceArgs,
    terminal: &Terminal,
    format: Format,
    reduction: &ReducedGraph,
) -> Result<(), Box<Message>> {
    let output = match &args.output {
        None if terminal.json => None,
        None => Some(Path::new("-")),
        Some(output) => Some(output.as_path()),
    };
    if let Some(output) = output {
        convert::write(&reduction.quotient.lts, format, output, args.force)
            .map_err(|error| Box::new(render::file_error(output, &error)))?;
    }
    let (Some(path), Some(classes)) = (&args.classes, &reduction.quotient.classes) else { return Ok(()) };
    let written = convert::replace_file(path, args.force, |file| {
        let mut out = BufWriter::new(file);
        for (state, &class) in classes.iter().enumerate() {
            match class {
                Quotient::NONE => writeln!(out, "{state} -")?,
                class => writeln!(out, "{state} {class}")?,
            }
        }
        out.flush()
    });
    written.map_err(|error| Box::new(render::file_error(path, &error)))
}

fn object(
    args: &ReduceArgs,
    reduction: &ReducedGraph,
    engine: &str,
    loading: Duration,
    reducing: Duration,
) -> Value {
    let ReducedGraph { quotient, before, tau_labels, faults } = reduction;
    json::object(
        "reduce",
        json!({
            "model": args.file.display().to_string(),
            "output": args.output.as_ref().map(|output| output.display().to_string()),
            "relation": args.relation.name(),
            "algorithm": quotient.algorithm,
            "states": quotient.lts.num_states(),
            "transitions": quotient.lts.num_transitions(),
            "states_before": before.0,
            "transitions_before": before.1,
            // A system of 10^7 hidden labels has a long list: the first ones tell which rule was meant.
            "tau_labels": tau_labels.iter().take(1000).collect::<Vec<_>>(),
            "faults": faults,
            "reduction_bytes": quotient.bytes,
            "seconds": reducing.as_secs_f64(),
            "load_seconds": loading.as_secs_f64(),
            "engine": engine,
        }),
    )
}

fn tell(
    args: &ReduceArgs,
    terminal: &Terminal,
    reduction: &ReducedGraph,
    loading: Duration,
    reducing: Duration,
) {
    let ReducedGraph { quotient, before, .. } = reduction;
    let sizes = |states: usize, transitions: usize| {
        let states = render::plural(states as u64, "state");
        format!("{states} and {}", render::plural(transitions as u64, "transition"))
    };
    let line = format!(
        "{}: {} became {}, {:.2} s after {:.2} s of reading, {} ({})",
        args.relation.name(),
        sizes(before.0, before.1),
        sizes(quotient.lts.num_states(), quotient.lts.num_transitions()),
        reducing.as_secs_f64(),
        loading.as_secs_f64(),
        render::bytes(quotient.bytes as u64),
        quotient.algorithm,
    );
    let to_file = args.output.as_ref().is_some_and(|output| output.as_os_str() != "-");
    if to_file { terminal.detail(&line) } else { terminal.note(&line) }
}

/// Something ran out, which is an answer.
fn unknown(
    args: &ReduceArgs,
    terminal: &Terminal,
    doing: &str,
    limit: Limit,
    seen: &Counters,
    after: Duration,
) -> Exit {
    if terminal.json {
        terminal.object(&json::object(
            "reduce",
            json!({
                "verdict": "unknown",
                "reason": limit.name(),
                "doing": doing,
                "model": args.file.display().to_string(),
                "relation": args.relation.name(),
                "states": seen.states,
                "transitions": seen.transitions,
                "reduction_bytes": seen.store_bytes,
                "seconds": after.as_secs_f64(),
            }),
        ));
    } else {
        terminal.note(&what_ran_out(doing, limit, seen));
    }
    Exit::Unknown
}

/// What ran out, in a line, of a command that writes a graph.
pub(crate) fn what_ran_out(doing: &str, limit: Limit, seen: &Counters) -> String {
    let found = match doing {
        "reading" => render::plural(seen.transitions, "transition"),
        "generating" => render::plural(seen.states, "state"),
        _ => format!("{} so far", render::plural(seen.states, "class").replace("classs", "classes")),
    };
    let why = match limit {
        Limit::Memory => "out of memory",
        Limit::Time => "out of time",
        Limit::Interrupted => "interrupted",
        _ => "too many states",
    };
    let help = if limit == Limit::Memory { " (--memory)" } else { "" };
    let bytes = render::bytes(seen.store_bytes as u64);
    format!("unknown: {why} while {doing}; {found}, {bytes}{help}; nothing was written")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relation_that_was_misspelt_is_suggested() {
        assert_eq!(relation("strong"), Ok(Relation::Strong));
        assert!(relation("branchnig").is_err_and(|text| text.starts_with("did you mean `branching`?")));
        assert!(relation("failures").is_err_and(|text| text.starts_with("there are no quotients")));
        assert!(relation("zzz").is_err_and(|text| text.starts_with("there are strong")));
    }

    #[test]
    fn the_examples_name_every_relation() {
        let line = EXAMPLES.lines().last().expect("a line of relations");
        let named: Vec<&str> = RELATIONS.iter().map(|relation| relation.name()).collect();
        assert_eq!(line, format!("Relations: {}.", named.join(", ")));
    }
}
