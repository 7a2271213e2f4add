//! `elnath explore`, and what `--explore` does in other commands: the page is served until Ctrl-C.

use crate::Exit;
use crate::commands::check;
use crate::limits::{self, Listening};
use crate::options::{ExploreArgs, ThenArgs};
use crate::report::json;
use crate::report::terminal::Terminal;
use elnath::source::{Message, codes};
use elnath::{CheckReport, LoadError, LoadOptions, Loaded};
use elnath_explore::{Explorer, Server};
use serde_json::json;
use std::path::Path;

pub(crate) fn run(args: &ExploreArgs, terminal: &Terminal) -> Exit {
    explored(args, terminal).unwrap_or_else(|messages| terminal.bad_input(&messages, "explore"))
}

fn explored(args: &ExploreArgs, terminal: &Terminal) -> Result<Exit, Vec<Message>> {
    let options = LoadOptions { rules: args.labels.rules()?, ..check::load_options(&args.model) };
    let (mut explorer, warnings) =
        Explorer::of_file(&args.file, &options).map_err(LoadError::into_messages)?;
    terminal.warnings(&warnings);
    if let Some(path) = &args.trail {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|error| vec![crate::report::render::file_error(path, &error)])?;
        explorer.show_trail(&name, &text)?;
    }
    let server = open(explorer.memory(memory(args.memory)), args.port)?;
    if terminal.json {
        let file = args.file.display().to_string();
        terminal.object(&json::object("explore", json!({ "model": file, "url": server.url() })));
    } else {
        terminal.say(&server.url());
    }
    serve(server, terminal)?;
    Ok(Exit::Holds)
}

/// Serves a page after an answer, if that is wanted; its address is no part of the answer.
pub(crate) fn then(args: &ThenArgs, explorer: Explorer, terminal: &Terminal) -> Result<(), Vec<Message>> {
    let server = open(explorer.memory(memory(None)), args.port.unwrap_or(0))?;
    terminal.ask(&server.url());
    serve(server, terminal)
}

/// A page about a model, where an answer has no run to be shown in it.
pub(crate) fn of_file(
    (file, options): (&Path, &LoadOptions),
    args: &ThenArgs,
    terminal: &Terminal,
) -> Result<(), Vec<Message>> {
    let (explorer, _) = Explorer::of_file(file, options).map_err(LoadError::into_messages)?;
    then(args, explorer, terminal)
}

/// A page about a model with the runs that a check has found.
pub(crate) fn after_check(
    (file, options): (&Path, &LoadOptions),
    (models, reports): (&[Loaded], &[CheckReport<'_>]),
    terminal: &Terminal,
) -> Result<Explorer, Vec<Message>> {
    let options = LoadOptions { property: None, ..options.clone() };
    let (mut explorer, _) = Explorer::of_file(file, &options).map_err(LoadError::into_messages)?;
    for (report, model) in reports.iter().zip(models) {
        for property in &report.properties {
            let Some(run) = property.verdict.evidence() else { continue };
            let name = property.name.as_deref().unwrap_or(property.kind.name());
            let text = property.summary.as_ref().map_or("", |summary| &summary.headline);
            if let Err(trouble) = explorer.show_violation((name, text), run, Some(model)) {
                terminal.note(&format!("the run to {name} is not in the page: {trouble}"));
            }
        }
    }
    Ok(explorer)
}

fn memory(granted: Option<u64>) -> usize {
    let memory = granted.unwrap_or_else(|| limits::default_memory() / 3 * 2);
    usize::try_from(memory).unwrap_or(usize::MAX)
}

fn open(explorer: Explorer, port: u16) -> Result<Server, Vec<Message>> {
    explorer.bind(port).map_err(|error| {
        let text = format!("port {port} of this machine cannot be used: {error}");
        vec![Message::about_file(text).code(codes::USAGE).help("without --port, one that is free is chosen")]
    })
}

fn serve(server: Server, terminal: &Terminal) -> Result<(), Vec<Message>> {
    terminal.note("open this address in a browser on this machine; Ctrl-C ends elnath");
    let listening = Listening::new();
    server.serve(&|| listening.interrupted()).map_err(|error| vec![Message::about_file(error.to_string())])
}
