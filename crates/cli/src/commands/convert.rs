//! `elnath convert`.

use crate::commands::check;
use crate::options::ConvertArgs;
use crate::output::{Output, Outputs};
use crate::report::terminal::Terminal;
use crate::report::{json, progress, reduce, render};
use crate::{Exit, limits};
use elnath::generate::{Generated, graph_of};
use elnath::lts::{GRAPH_FORMATS, GraphFormat, Lts};
use elnath::source::Message;
use elnath::{Counters, Limit, LoadError, LoadOptions};
use serde_json::json;
use std::path::{Path, PathBuf};

pub(crate) fn run(args: &ConvertArgs, terminal: &Terminal) -> Exit {
    let format = match format_named(args.format.as_deref()).map_or_else(|| format_of(&args.output), Ok) {
        Ok(format) => format,
        Err(messages) => return terminal.bad_input(&messages, "convert"),
    };
    let output = match graph_output(&args.output, &[&args.input], args.force, terminal) {
        Ok(output) => output,
        Err(messages) => return terminal.bad_input(&messages, "convert"),
    };
    let lts = match graph(args, terminal) {
        Ok(lts) => lts,
        Err(exit) => return exit,
    };
    if let Err(messages) = write(&lts, format, &output) {
        return terminal.bad_input(&messages, "convert");
    }
    if !output.is_standard() {
        let (states, transitions) = (lts.num_states() as u64, lts.num_transitions() as u64);
        if terminal.json {
            let output = args.output.display().to_string();
            let fields = json!({ "output": output, "states": states, "transitions": transitions });
            terminal.object(&json::object("convert", fields));
        } else {
            terminal.detail(&format!(
                "{}: {}, {}",
                args.output.display(),
                render::plural(states, "state"),
                render::plural(transitions, "transition")
            ));
        }
    }
    Exit::Holds
}

/// The graph to write: the file's own, or that of what can be seen of a program or a network.
fn graph(args: &ConvertArgs, terminal: &Terminal) -> Result<Lts, Exit> {
    let rules = args.labels.rules().map_err(|messages| terminal.bad_input(&messages, "convert"))?;
    let memory = args.memory.unwrap_or_else(limits::default_memory);
    let memory = usize::try_from(memory).unwrap_or(usize::MAX);
    let options = LoadOptions {
        memory: Some(memory),
        engine: elnath::Engine::Jit,
        observed: true,
        rules: rules.clone(),
        ..check::load_options(&args.model)
    };
    let loaded = match elnath::load(&args.input, &options) {
        Ok(loaded) => loaded,
        Err(LoadError::Broken(messages)) => return Err(terminal.bad_input(&messages, "convert")),
        Err(LoadError::TooLarge { transitions }) => {
            let seen = Counters { transitions, ..Counters::default() };
            return Err(unknown(args, terminal, "reading", Limit::Memory, &seen));
        }
    };
    terminal.warnings(&loaded.warnings);
    let mut watch = progress::watch("generating", memory as u64, args.time, terminal);
    let generated = graph_of(loaded, args.model.tau.clone(), memory, &mut watch);
    drop(watch);
    terminal.warnings(&rules.map_or_else(Vec::new, |rules| rules.warnings(generated.is_ok())));
    match generated {
        Ok(Generated { lts, faults }) => {
            if faults > 0 {
                let many = render::plural(faults, "transition");
                let text = "of the model ran into a fault, and are in the graph like others";
                terminal.note(&format!("{many} {text}"));
            }
            Ok(lts)
        }
        Err((limit, seen)) => Err(unknown(args, terminal, "generating", limit, &seen)),
    }
}

/// Something ran out, which is an answer.
fn unknown(args: &ConvertArgs, terminal: &Terminal, doing: &str, limit: Limit, seen: &Counters) -> Exit {
    if terminal.json {
        let fields = json!({
            "verdict": "unknown",
            "reason": limit.name(),
            "doing": doing,
            "model": args.input.display().to_string(),
            "states": seen.states,
            "transitions": seen.transitions,
        });
        terminal.object(&json::object("convert", fields));
    } else {
        terminal.note(&reduce::what_ran_out(doing, limit, seen));
    }
    Exit::Unknown
}

/// Where a graph goes.
pub(crate) fn graph_output(
    path: &Path,
    inputs: &[&PathBuf],
    force: bool,
    terminal: &Terminal,
) -> Result<Output, Vec<Message>> {
    let mut outputs = Outputs::beside(inputs, force);
    let output = outputs.any(path, "the graph");
    outputs.tried(terminal)?;
    Ok(output.expect("nothing is wrong with it"))
}

/// The name without an ending that names a compression.
fn stem(path: &Path) -> PathBuf {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("gz" | "zst") => path.with_extension(""),
        _ => path.to_owned(),
    }
}

/// The format that was asked for.
pub(crate) fn format_named(name: Option<&str>) -> Option<&'static GraphFormat> {
    name.and_then(GraphFormat::named)
}

/// The format that the name of a file says; CADP's where there is no name: standard output, devices and pipes.
pub(crate) fn format_of(path: &Path) -> Result<&'static GraphFormat, Vec<Message>> {
    if path.as_os_str() == "-" || path.metadata().is_ok_and(|found| !found.is_file()) {
        return Ok(&GRAPH_FORMATS[0]);
    }
    GraphFormat::by_ending(&stem(path)).ok_or_else(|| {
        let text = format!("{}: I cannot tell the format to write from this name", path.display());
        let help = "end it in .aut or .dot (and .gz or .zst), or use --format";
        vec![Message::about_file(text).help(help)]
    })
}

/// Writes a graph, compressed if the name says so.
pub(crate) fn write(lts: &Lts, format: &GraphFormat, output: &Output) -> Result<(), Vec<Message>> {
    output.write(|mut out| {
        match output.path().extension().and_then(|ending| ending.to_str()) {
            Some("gz") => {
                let mut out = flate2::write::GzEncoder::new(out, flate2::Compression::default());
                format.write(lts, &mut out)?;
                out.finish()?;
            }
            Some("zst") => {
                let mut out = zstd::Encoder::new(out, 3)?;
                format.write(lts, &mut out)?;
                out.finish()?;
            }
            _ => format.write(lts, &mut out)?,
        }
        Ok(())
    })
}
