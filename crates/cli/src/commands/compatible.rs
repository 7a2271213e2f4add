//! `elnath compatible`: options to a question, and the answer to its two forms ([`crate::report::compatible`]).

use crate::options::CompatibleArgs;
use crate::output::{Output, Outputs};
use crate::report::compatible::CompatibleAnswer;
use crate::report::terminal::Terminal;
use crate::report::{progress, story};
use crate::{Exit, limits};
use elnath::compatible::CompatibleProperty;
use elnath::source::Message;
use elnath::{Compatible, LoadOptions, Story};
use std::time::Instant;

pub(crate) fn run(args: &CompatibleArgs, terminal: &Terminal) -> Exit {
    answered(args, terminal).unwrap_or_else(|messages| terminal.bad_input(&messages, "compatible"))
}

/// Reads the model, asks, and shows the answer; or tells what is wrong with what was given.
fn answered(args: &CompatibleArgs, terminal: &Terminal) -> Result<Exit, Vec<Message>> {
    let chart = drawing(args, terminal)?;
    let begin = Instant::now();
    let engine = elnath::Engine::Interpreter;
    let options = LoadOptions { language: args.language.clone(), engine, ..LoadOptions::default() };
    let loaded = elnath::load(&args.file, &options).map_err(elnath::LoadError::into_messages)?;
    terminal.warnings(&loaded.warnings);
    let memory = args.memory.unwrap_or_else(limits::default_memory);
    let question = match args.k {
        Some(k) => Compatible::of(&loaded).k(k),
        None => Compatible::of(&loaded).max_k(args.max_k),
    };
    let question = question.memory(usize::try_from(memory).unwrap_or(usize::MAX)).watch(progress::watch(
        "walking within the capacity",
        memory,
        args.time,
        terminal,
    ));
    let report = question.run().map_err(super::wrong)?;
    let seconds = begin.elapsed().as_secs_f64();
    draw(chart, terminal, report.told()).unwrap_or_else(|wrong| terminal.failed(wrong));
    let file = args.file.display().to_string();
    let answer = CompatibleAnswer { file: &file, report: &report, seconds };
    if terminal.json {
        terminal.object(&answer.json());
    } else {
        answer.text(terminal);
    }
    Ok(Exit::of(&report.verdict()))
}

/// Where the chart goes.
fn drawing(args: &CompatibleArgs, terminal: &Terminal) -> Result<Option<Output>, Vec<Message>> {
    let mut outputs = Outputs::beside([&args.file], args.force);
    let chart = args.chart.as_ref().and_then(|path| outputs.chart(path));
    outputs.tried(terminal)?;
    Ok(chart)
}

/// Draws the run to where something is wrong, if the user wants it.
fn draw(
    chart: Option<Output>,
    terminal: &Terminal,
    property: &CompatibleProperty,
) -> Result<(), Vec<Message>> {
    let Some(output) = chart else { return Ok(()) };
    let Some(breach) = property.verdict.evidence() else {
        terminal.note("nothing was found to be wrong, so nothing was drawn");
        return Ok(());
    };
    let system = &*property.figures.decisive().system;
    let why = property.violation_text().unwrap_or_default();
    story::draw(terminal, (&Story::new(system, &breach.run), None), (why, true), &output)
}
