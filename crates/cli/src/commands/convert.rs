//! `elnath convert`.

use crate::commands::check;
use crate::options::ConvertArgs;
use crate::report::terminal::Terminal;
use crate::report::{json, progress, reduce, render};
use crate::{Exit, limits};
use elnath::generate::{Generated, graph_of};
use elnath::lts::{GraphFormat, Lts};
use elnath::source::Message;
use elnath::{Counters, Limit, LoadError, LoadOptions};
use serde_json::json;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

pub(crate) fn run(args: &ConvertArgs, terminal: &Terminal) -> Exit {
    let format = match format_named(args.format.as_deref()).map_or_else(|| format_of(&args.output), Ok) {
        Ok(format) => format,
        Err(messages) => return terminal.bad_input(&messages, "convert"),
    };
    if let Some(messages) = standard_output_twice(terminal, &args.output) {
        return terminal.bad_input(&messages, "convert");
    }
    let lts = match graph(args, terminal) {
        Ok(lts) => lts,
        Err(exit) => return exit,
    };
    if let Err(error) = write(&lts, format, &args.output, args.force) {
        return terminal.bad_input(&[render::file_error(&args.output, &error)], "convert");
    }
    if args.output.as_os_str() != "-" {
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
    let mut watch = progress::watch(args.time, terminal);
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

/// A graph and a JSON object cannot both go to standard output.
pub(crate) fn standard_output_twice(terminal: &Terminal, output: &Path) -> Option<Vec<Message>> {
    (terminal.json && output.as_os_str() == "-").then(|| {
        let text = "--json and the graph would both go to standard output";
        vec![Message::about_file(text).help("name a file to write the graph to")]
    })
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

pub(crate) fn format_of(path: &Path) -> Result<&'static GraphFormat, Vec<Message>> {
    GraphFormat::by_ending(&stem(path)).ok_or_else(|| {
        let text = format!("{}: I cannot tell the format to write from this name", path.display());
        let help = "end it in .aut or .dot (and .gz or .zst), or use --format";
        vec![Message::about_file(text).help(help)]
    })
}

/// Writes a graph. A file appears under its name only when it is complete, and an existing one is not touched unless
/// that was asked for.
pub(crate) fn write(lts: &Lts, format: &GraphFormat, path: &Path, force: bool) -> io::Result<()> {
    if path.as_os_str() == "-" {
        let out = io::stdout().lock();
        return ignore_broken_pipe(write_to(lts, format, BufWriter::new(out)).map(drop));
    }
    replace_file(path, force, |file| {
        let file = BufWriter::new(file);
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("gz") => {
                let out = flate2::write::GzEncoder::new(file, flate2::Compression::default());
                write_to(lts, format, out)?.finish()?.into_inner()?;
            }
            Some("zst") => {
                let out = zstd::Encoder::new(file, 3)?;
                write_to(lts, format, out)?.finish()?.into_inner()?;
            }
            _ => {
                write_to(lts, format, file)?.into_inner()?;
            }
        }
        Ok(())
    })
}

/// Fills a new file beside `path` and moves it there when it is complete.
pub(crate) fn replace_file(
    path: &Path,
    force: bool,
    fill: impl FnOnce(File) -> io::Result<()>,
) -> io::Result<()> {
    if !force && path.exists() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    if path.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_string_lossy();
    let partial = path.with_file_name(format!(".{name}.{}.partial", std::process::id()));
    let result = File::create(&partial).and_then(fill).and_then(|()| fs::rename(&partial, path));
    if result.is_err() {
        let _ = fs::remove_file(&partial);
    }
    result
}

fn write_to<W: Write>(lts: &Lts, format: &GraphFormat, mut out: W) -> io::Result<W> {
    format.write(lts, &mut out)?;
    out.flush()?;
    Ok(out)
}

fn ignore_broken_pipe(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}
