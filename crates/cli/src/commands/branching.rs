//! `elnath check --mu`, `--ctl` and `--mu-file`: options to a question about branching time, and the answer to its two forms
//! ([`crate::report::branching`]); and `elnath mu`, which shows what a formula becomes.

use crate::commands::{check, convert};
use crate::options::{CheckArgs, MuArgs};
use crate::output::{Output, Outputs};
use crate::report::branching::{BranchingAnswered, describe};
use crate::report::terminal::Terminal;
use crate::report::{json, progress, story};
use crate::{Exit, limits};
use elnath::branching::{Branching, BranchingChecked, BranchingProperties, BranchingReport};
use elnath::logic::picture::Picture;
use elnath::source::Message;
use elnath::{LoadError, LoadOptions, Story};
use serde_json::Value;
use std::sync::Arc;
use std::time::Instant;

pub(crate) fn run(args: &CheckArgs, terminal: &Terminal) -> Exit {
    answered(args, terminal).unwrap_or_else(|messages| terminal.bad_input(&messages, "check"))
}

/// Shows what formulas become.
pub(crate) fn show(args: &MuArgs, terminal: &Terminal) -> Exit {
    let properties = match (&args.file, &args.formula) {
        (Some(path), _) => BranchingProperties::load(path),
        (None, formula) => BranchingProperties::parse(formula.as_deref().unwrap_or_default()),
    };
    let properties = match properties {
        Ok(properties) => properties,
        Err(messages) => return terminal.bad_input(&messages, "mu"),
    };
    let (texts, objects): (Vec<Vec<String>>, Vec<Value>) =
        properties.list().iter().map(|property| describe(&properties, property)).unzip();
    if terminal.json {
        terminal.object(&json::object("mu", serde_json::json!({ "formulas": objects })));
    } else {
        texts.iter().flatten().for_each(|line| terminal.say(line));
    }
    Exit::Holds
}

/// Reads the formulas and the model, asks, and shows the answers; or tells what is wrong with what was given.
fn answered(args: &CheckArgs, terminal: &Terminal) -> Result<Exit, Vec<Message>> {
    let [graph, chart] = outputs(args, terminal)?;
    let format = graph.as_ref().map(|graph| convert::format_of(graph.path())).transpose()?;
    let choice = check::chosen(&args.search)?;
    let properties = read(args)?;
    let memory = args.search.memory.unwrap_or_else(limits::default_memory);
    let memory = usize::try_from(memory).unwrap_or(usize::MAX);
    let begin = Instant::now();
    let options = LoadOptions {
        memory: Some(memory),
        property: Some(properties.wanted()),
        engine: args.engine.into(),
        rules: args.labels.rules()?,
        ..check::load_options(&args.model)
    };
    let loaded = match elnath::load(&args.file, &options) {
        Ok(loaded) => loaded,
        Err(LoadError::Broken(messages)) => return Err(messages),
        Err(LoadError::TooLarge { transitions }) => {
            let limit = check::chosen(&args.search)?;
            let wanted = properties.wanted();
            let seconds = begin.elapsed().as_secs_f64();
            return Ok(check::too_large(
                args,
                terminal,
                &limit,
                Some(&wanted),
                (memory, transitions, seconds),
            ));
        }
    };
    terminal.warnings(&loaded.warnings);
    let begin = Instant::now();
    let question = Branching::of(&loaded, properties)?;
    terminal.warnings(&question.warnings);
    let watch = progress::watch("branching time", memory as u64, args.search.time, terminal);
    let mut question = question.choice(choice).memory(memory, args.search.memory.is_some()).watch(watch);
    if let Some(states) = args.search.states {
        question = question.states(states);
    }
    if let Some(depth) = args.search.depth {
        question = question.depth(usize::try_from(depth).unwrap_or(usize::MAX));
    }
    let report = question.run().map_err(super::wrong)?;
    let seconds = begin.elapsed().as_secs_f64();
    if let (Some(output), Some(format)) = (&graph, format) {
        match told(&report).figures.evidence_graph() {
            Some(lts) => convert::write(&lts, format, output).unwrap_or_else(|wrong| terminal.failed(wrong)),
            None => terminal
                .note(&format!("no evidence is known, so {} was not written", output.path().display())),
        }
    }
    if let Some(output) = &chart {
        draw(told(&report), output, terminal).unwrap_or_else(|wrong| terminal.failed(wrong));
    }
    let file = args.file.display().to_string();
    let answer = BranchingAnswered { file: &file, engine: loaded.engine, report: &report, seconds };
    answer.findings().into_iter().for_each(|finding| terminal.found(finding));
    if terminal.json {
        terminal.object(&answer.json());
    } else {
        answer.text(terminal);
    }
    Ok(Exit::of(&report.verdict()))
}

/// The property whose evidence is written: the worst, if it has some, else the first that has.
fn told<'r, 'a>(report: &'r BranchingReport<'a>) -> &'r BranchingChecked<'a> {
    let has = |property: &&BranchingChecked<'a>| property.figures.evidence.is_some();
    Some(report.worst()).filter(has).or_else(|| report.properties.iter().find(has)).unwrap_or(report.first())
}

fn read(args: &CheckArgs) -> Result<Arc<BranchingProperties>, Vec<Message>> {
    let branching = &args.branching;
    match (&branching.mu_file, branching.mu.as_ref().or(branching.ctl.as_ref())) {
        (Some(path), _) => BranchingProperties::load(path),
        (None, formula) => BranchingProperties::parse(formula.map_or("", String::as_str)),
    }
}

/// Where the evidence goes: as a graph, and as a chart.
fn outputs(args: &CheckArgs, terminal: &Terminal) -> Result<[Option<Output>; 2], Vec<Message>> {
    let inputs = [Some(&args.file), args.branching.mu_file.as_ref()];
    let mut outputs = Outputs::beside(inputs.into_iter().flatten(), args.force);
    let graph = args.branching.evidence.as_ref().and_then(|path| outputs.any(path, "the evidence"));
    let chart = args.chart.as_ref().and_then(|path| outputs.chart(path));
    outputs.tried(terminal)?;
    Ok([graph, chart])
}

/// A picture with more states than this says nothing.
const MOST_DRAWN: usize = 100;

/// Draws evidence: a run as a chart, a graph as circles with the numbers of the states and arrows with labels.
fn draw(property: &BranchingChecked<'_>, output: &Output, terminal: &Terminal) -> Result<(), Vec<Message>> {
    let Some((run, loop_start)) = property.figures.run() else {
        let graph = property.figures.evidence_graph();
        let Some(graph) = graph.filter(|graph| graph.num_states() <= MOST_DRAWN && output.ending() == "svg")
        else {
            terminal.note(&format!(
                "the evidence is not a run, and only pictures (.svg) of graphs of at most {MOST_DRAWN} states are drawn"
            ));
            return Ok(());
        };
        let circles = graph.states().map(|state| (state.to_string(), graph.edges(state).is_empty()));
        let arrows: Vec<(usize, String, usize)> = graph
            .states()
            .flat_map(|from| graph.edges(from).iter().map(move |edge| (from, edge)))
            .map(|(from, edge)| (from as usize, graph.label(edge.label).to_owned(), edge.target as usize))
            .collect();
        return output.text(&Picture::graph(circles.collect(), 0, &arrows).svg());
    };
    let tale = Story::new(&*property.figures.system, &run);
    story::draw(
        terminal,
        (&tale, loop_start),
        (&property.text, property.verdict.evidence().is_some()),
        output,
    )
}
