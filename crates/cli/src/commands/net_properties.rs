//! `elnath check NET --properties FILE` (several times, if wanted): many properties of a Petri net at once, and the answers to their two forms
//! ([`crate::report::nets`]).

use crate::commands::check::{chosen, load_options};
use crate::options::CheckArgs;
use crate::report::nets::NetAnswers;
use crate::report::progress;
use crate::report::terminal::Terminal;
use crate::{Exit, limits};
use elnath::source::Message;
use elnath::{LoadError, NetProperties};
use std::path::PathBuf;
use std::time::Instant;

/// Reads the net and the properties, asks, and shows the answers; or tells what is wrong with what was given.
pub(crate) fn answered(
    args: &CheckArgs,
    properties: &[PathBuf],
    terminal: &Terminal,
) -> Result<Exit, Vec<Message>> {
    let choice = chosen(&args.search)?;
    let memory = args.search.memory.unwrap_or_else(limits::default_memory);
    let loaded = elnath::load(&args.file, &load_options(&args.model)).map_err(LoadError::into_messages)?;
    terminal.warnings(&loaded.warnings);
    let begin = Instant::now();
    let watch = progress::watch("properties", memory, args.search.time, terminal);
    let (first, others) = properties.split_first().expect("there is one");
    let question = NetProperties::of(&loaded, first)?;
    let mut question = others
        .iter()
        .try_fold(question, |question, other| question.and(other))?
        .choice(choice)
        .memory(usize::try_from(memory).unwrap_or(usize::MAX))
        .watch(watch);
    if let Some(states) = args.search.states {
        question = question.states(states);
    }
    if let Some(depth) = args.search.depth {
        question = question.depth(usize::try_from(depth).unwrap_or(usize::MAX));
    }
    let report = question.run().map_err(super::wrong)?;
    let file = args.file.display().to_string();
    let seconds = begin.elapsed().as_secs_f64();
    let answers = NetAnswers { file: &file, engine: loaded.engine, report: &report, seconds };
    if terminal.json {
        terminal.object(&answers.json());
    } else {
        answers.text(terminal);
    }
    Ok(Exit::of(&report.verdict()))
}
