//! `elnath reduce`.

use crate::Exit;
use crate::commands::{check, convert};
use crate::limits;
use crate::options::{self, LabelArgs, ModelArgs, memory, time};
use crate::output::{Output, Outputs};
use crate::report::reduce::Reduced;
use crate::report::terminal::Terminal;
use crate::report::{progress, render};
use clap::Args as ClapArgs;
use elnath::lts::quotient::{Quotient, RELATIONS};
use elnath::lts::{GRAPH_FORMATS, GraphFormat};
use elnath::source::{Message, nearest};
use elnath::{
    Counters, Limit, LoadError, LoadOptions, QuotientReport, Reduce, ReducedGraph, Relation, Stopped,
};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The last line of the help.
pub(crate) const QUOTIENTS: &str = "Relations: strong, divergence-branching, branching, delay, weak, tau-star-a, safety, simulation, ready-simulation, weak-simulation, trace, weak-trace, failures, failures-divergences.";

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
    #[arg(long, value_parser = options::graph_formats())]
    format: Option<String>,
    /// Write the class of each state: a line `STATE CLASS`, with - for states that are not in the quotient
    #[arg(long, value_name = "FILE")]
    classes: Option<PathBuf>,
    /// Do not minimise the components of a network first
    #[arg(long)]
    as_written: bool,
    /// Write over existing files, but never over the model
    #[arg(long, short)]
    force: bool,
    /// Memory for the model and the reduction, such as 512MiB or 2GB [default: three quarters of what is free]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
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
        Some((_, relation)) => Ok(*relation),
        None => match nearest(text, offered) {
            Some(near) => Err(format!("did you mean `{near}`? {known}")),
            None => Err(known),
        },
    }
}

pub(crate) fn run(args: &ReduceArgs, terminal: &Terminal) -> Exit {
    answered(args, terminal).unwrap_or_else(|messages| terminal.bad_input(&messages, "reduce"))
}

/// Reads the model, reduces it, and writes and shows what became of it; or tells what is wrong with what was given.
fn answered(args: &ReduceArgs, terminal: &Terminal) -> Result<Exit, Vec<Message>> {
    let format = refusals(args)?;
    let files = files(args, terminal)?;
    let rules = args.labels.rules()?;
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
    let file = args.file.display().to_string();
    let output = args.output.as_ref().map(|output| output.display().to_string());
    let loaded = match elnath::load(&args.file, &options) {
        Ok(loaded) => loaded,
        Err(LoadError::Broken(messages)) => return Err(messages),
        Err(LoadError::TooLarge { transitions }) => {
            let counters = Counters { transitions, ..Counters::default() };
            let stopped = Stopped { doing: "reading", limit: Limit::Memory, counters };
            let report = QuotientReport { relation: args.relation, product: Err(stopped) };
            let (loading, reducing) = (Duration::ZERO, begin.elapsed());
            let engine = "graph";
            return Ok(
                Reduced { file: &file, output, engine, report: &report, loading, reducing }.show(terminal)
            );
        }
    };
    terminal.warnings(&loaded.warnings);
    terminal.warnings(&check::unmet_taus(&args.model, std::slice::from_ref(&loaded)));
    let (engine, loading) = (loaded.engine, begin.elapsed());
    let begin = Instant::now();
    let mut question = Reduce::of(loaded, args.relation).memory(memory);
    if let Some(taus) = &args.model.tau {
        question = question.internal(taus.clone());
    }
    if args.as_written || args.classes.is_some() {
        question = question.as_written();
    }
    let report = question.watch(progress::watch("reducing", memory as u64, args.time, terminal)).run();
    let (report, reducing) = (report.map_err(elnath::Problem::into_messages)?, begin.elapsed());
    let complete = !matches!(&report.product, Err(Stopped { doing: "generating", .. }));
    terminal.warnings(&rules.map_or_else(Vec::new, |rules| rules.warnings(complete)));
    if let Ok(reduced) = &report.product {
        if reduced.faults > 0 {
            let many = render::plural(reduced.faults, "transition");
            terminal.note(&format!("{many} of the model ran into a fault, and are in the graph like others"));
        }
        write(files, format, reduced).unwrap_or_else(|wrong| terminal.failed(wrong));
    }
    Ok(Reduced { file: &file, output, engine, report: &report, loading, reducing }.show(terminal))
}

/// What can be refused before anything is read.
fn refusals(args: &ReduceArgs) -> Result<&'static GraphFormat, Vec<Message>> {
    let sets = [Relation::Trace, Relation::WeakTrace, Relation::Failures, Relation::FailuresDivergences];
    if args.classes.is_some() && sets.contains(&args.relation) {
        let text = "a state of the quotient by traces or failures stands for a set of states, so that there are no classes";
        return Err(vec![Message::about_file(text).help("leave out --classes")]);
    }
    match (convert::format_named(args.format.as_deref()), &args.output) {
        (Some(format), _) => Ok(format),
        (None, Some(output)) => convert::format_of(output),
        (None, None) => Ok(&GRAPH_FORMATS[0]),
    }
}

/// Where the quotient and the classes go.
fn files(args: &ReduceArgs, terminal: &Terminal) -> Result<[Option<Output>; 2], Vec<Message>> {
    let mut outputs = Outputs::beside([&args.file], args.force);
    let output = match &args.output {
        None if terminal.json => None,
        None => Some(Path::new("-")),
        Some(output) => Some(output.as_path()),
    };
    let output = output.and_then(|path| outputs.any(path, "the graph"));
    let classes = args.classes.as_ref().and_then(|path| outputs.any(path, "the classes"));
    outputs.tried(terminal)?;
    Ok([output, classes])
}

fn write(
    [output, classes]: [Option<Output>; 2],
    format: &GraphFormat,
    reduced: &ReducedGraph,
) -> Result<(), Vec<Message>> {
    if let Some(output) = output {
        convert::write(&reduced.quotient.lts, format, &output)?;
    }
    let (Some(output), Some(classes)) = (classes, &reduced.quotient.classes) else { return Ok(()) };
    output.write(|out| {
        for (state, &class) in classes.iter().enumerate() {
            match class {
                Quotient::NONE => writeln!(out, "{state} -")?,
                class => writeln!(out, "{state} {class}")?,
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relation_that_was_misspelt_is_suggested() {
        assert_eq!(relation("strong"), Ok(Relation::Strong));
        assert!(relation("branchnig").is_err_and(|text| text.starts_with("did you mean `branching`?")));
        assert_eq!(relation("failures-divergences"), Ok(Relation::FailuresDivergences));
        assert!(relation("zzz").is_err_and(|text| text.starts_with("there are strong")));
    }

    #[test]
    fn the_examples_name_every_relation() {
        let line = QUOTIENTS;
        let named: Vec<&str> = RELATIONS.iter().map(|relation| relation.name()).collect();
        assert_eq!(line, format!("Relations: {}.", named.join(", ")));
    }
}
