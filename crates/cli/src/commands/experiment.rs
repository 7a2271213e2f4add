//! `elnath experiment replacement`: figures 1 and 2 of on-the-fly-verification-1993.

mod caching;
mod datalink;
mod protocol;

use crate::Exit;
use crate::commands::{check, convert, random};
use crate::limits::Listening;
use crate::options::{ExperimentCommand, ReplacementArgs};
use crate::report::plot::{self, Series};
use crate::report::terminal::Terminal;
use crate::report::{json, render};
use elnath::source::Message;
use elnath::{Check, Limit, LoadError, SearchPlan, StorePlan, System, Verdict};
use serde_json::json;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// One memory size: the means over the runs that ended, and the median of their times, which are easily disturbed.
struct Row {
    memory: u64,
    ended: u32,
    insertions: f64,
    generated: f64,
    depth: f64,
    seconds: f64,
    /// Why the runs that did not end were given up.
    given_up: Option<Limit>,
}

pub(crate) fn run(command: &ExperimentCommand, terminal: &Terminal) -> Exit {
    match command {
        ExperimentCommand::Replacement(args) => replacement(args, terminal),
        ExperimentCommand::ConnectDisconnect(args) => protocol::run(args, terminal),
        ExperimentCommand::Datalink(args) => datalink::run(args, terminal),
        ExperimentCommand::Caching(args) => caching::run(args, terminal),
    }
}

fn replacement(args: &ReplacementArgs, terminal: &Terminal) -> Exit {
    let (system, title) = match subject(args, terminal) {
        Ok(subject) => subject,
        Err(messages) => return terminal.bad_input(&messages, "experiment"),
    };
    let files = [args.output.with_added_extension("csv"), args.output.with_added_extension("svg")];
    if let Some(file) = files.iter().find(|file| file.exists() && !args.force) {
        let error = std::io::ErrorKind::AlreadyExists.into();
        return terminal.bad_input(&[render::file_error(file, &error)], "experiment");
    }
    let exact =
        Check::system(Arc::clone(&system)).ignore_deadlocks().run().expect("the default plan is suitable");
    let states = exact.first().figures.counters.states;
    terminal.note(&format!("{title}: {}", render::plural(states, "state")));
    let Some(rows) = sweep(args, &system, states, terminal) else {
        if terminal.json {
            let fields = json!({ "verdict": "unknown", "reason": "interrupted", "states": states });
            terminal.object(&json::object("experiment replacement", fields));
        }
        terminal.note("interrupted: nothing was written");
        return Exit::Unknown;
    };
    if let Err((file, error)) = save(args, &files, &title, states, &rows) {
        return terminal.bad_input(&[render::file_error(&file, &error)], "experiment");
    }
    report(terminal, &files, states, args.graph.seed, &rows);
    Exit::Holds
}

/// What is walked, and what to call it.
fn subject(args: &ReplacementArgs, terminal: &Terminal) -> Result<(Arc<dyn System>, String), Vec<Message>> {
    if let Some(file) = &args.file {
        let loaded =
            elnath::load(file, &check::load_options(&args.model)).map_err(LoadError::into_messages)?;
        terminal.warnings(&loaded.warnings);
        return Ok((loaded.system, file.display().to_string()));
    }
    let generated = random::generate(&args.graph)?;
    let title = format!("random graph, degree {}, seed {}", args.graph.degree, generated.seed);
    Ok((Arc::new(generated.lts), title))
}

/// From all states down in steps of 5 %, then of 1 %, until no run ends any more.
fn sweep(
    args: &ReplacementArgs,
    system: &Arc<dyn System>,
    states: u64,
    terminal: &Terminal,
) -> Option<Vec<Row>> {
    let percents = (4..=20).rev().map(|n| n * 5).chain((1..20).rev());
    let mut rows: Vec<Row> = Vec::new();
    for percent in percents {
        let memory = (states * percent).div_ceil(100).max(1);
        if rows.last().is_some_and(|last| last.memory == memory) {
            continue;
        }
        let row = measure(args, system, memory)?;
        terminal.note(&describe(&row, states));
        let done = row.ended == 0;
        rows.push(row);
        if done {
            break;
        }
    }
    Some(rows)
}

/// Walks the system with room for `memory` states, once per seed. `None` if the user interrupts.
fn measure(args: &ReplacementArgs, system: &Arc<dyn System>, memory: u64) -> Option<Row> {
    let listening = Listening::new();
    let mut times = Vec::new();
    let mut row =
        Row { memory, ended: 0, insertions: 0.0, generated: 0.0, depth: 0.0, seconds: 0.0, given_up: None };
    for run in 0..args.runs {
        let begin = Instant::now();
        let report = Check::system(Arc::clone(system))
            .ignore_deadlocks()
            .search(SearchPlan::DepthFirst)
            .store(StorePlan::Replacing {
                replacement: check::replacement(args.replacement, args.strata),
                most: memory as usize,
                thrashing: args.thrashing,
            })
            .seed(args.graph.seed.wrapping_add(u64::from(run)))
            .watch(|_| listening.interrupted().then_some(Limit::Interrupted))
            .run()
            .expect("depth-first search may use the replacing store");
        match report.verdict() {
            Verdict::Unknown(Limit::Interrupted) => return None,
            Verdict::Unknown(limit) => row.given_up = Some(limit),
            _ => {
                row.ended += 1;
                row.insertions += report.first().figures.counters.insertions as f64;
                row.generated += report.first().figures.counters.generated as f64;
                row.depth += report.first().figures.counters.depth as f64;
                times.push(begin.elapsed().as_secs_f64());
            }
        }
    }
    let ended = f64::from(row.ended.max(1));
    row.insertions /= ended;
    row.generated /= ended;
    row.depth /= ended;
    times.sort_by(f64::total_cmp);
    row.seconds = times.get(times.len() / 2).copied().unwrap_or(0.0);
    Some(row)
}

fn describe(row: &Row, states: u64) -> String {
    let percent = row.memory as f64 * 100.0 / states as f64;
    let mut text = format!("{:>12} states of memory ({percent:>5.1} %): ", render::grouped(row.memory));
    if row.ended > 0 {
        let _ = write!(text, "{:.3} R insertions, {:.3} s", row.insertions / states as f64, row.seconds);
    }
    if let Some(limit) = row.given_up {
        let _ = write!(text, "{}given up: {}", if row.ended > 0 { "; some runs " } else { "" }, limit.name());
    }
    text
}

fn csv(args: &ReplacementArgs, title: &str, states: u64, rows: &[Row]) -> String {
    let mut text =
        format!("# {title}; R = {states}; {} runs per size, seeds from {}\n", args.runs, args.graph.seed);
    text += "memory_states,memory_percent,runs_ended,insertions,insertions_per_state,generated,depth,seconds,given_up\n";
    for row in rows {
        let Row { memory, ended, insertions, generated, depth, seconds, given_up } = row;
        let percent = *memory as f64 * 100.0 / states as f64;
        let _ = write!(text, "{memory},{percent:.2},{ended},");
        if *ended > 0 {
            let per_state = insertions / states as f64;
            let _ = write!(text, "{insertions:.1},{per_state:.4},{generated:.1},{depth:.1},{seconds:.6},");
        } else {
            text += ",,,,,";
        }
        let _ = writeln!(text, "{}", given_up.map_or("", Limit::name));
    }
    text
}

fn save(
    args: &ReplacementArgs,
    files: &[PathBuf; 2],
    title: &str,
    states: u64,
    rows: &[Row],
) -> Result<(), (PathBuf, std::io::Error)> {
    let ended = || rows.iter().filter(|row| row.ended > 0);
    let points = |value: fn(&Row) -> f64| ended().map(|row| (row.memory as f64, value(row))).collect();
    let smallest = ended().map(|row| row.memory).min().unwrap_or(states) as f64;
    let svg = plot::over_memory(
        title,
        &[
            Series { name: "insertions (R_ins)".into(), points: points(|row| row.insertions) },
            Series { name: "time (s, median)".into(), points: points(|row| row.seconds) },
        ],
        (smallest, states as f64),
    );
    for (file, text) in files.iter().zip([csv(args, title, states, rows), svg]) {
        convert::replace_file(file, args.force, |mut out| out.write_all(text.as_bytes()))
            .map_err(|error| (file.clone(), error))?;
    }
    Ok(())
}

fn report(terminal: &Terminal, files: &[PathBuf; 2], states: u64, seed: u64, rows: &[Row]) {
    let [csv, svg] = files.each_ref().map(|file| file.display().to_string());
    let smallest = rows.iter().filter(|row| row.ended > 0).map(|row| row.memory).min().unwrap_or(states);
    if terminal.json {
        let rows: Vec<_> = rows
            .iter()
            .map(|row| {
                json!({
                    "memory": row.memory,
                    "runs_ended": row.ended,
                    "insertions": if row.ended > 0 { Some(row.insertions) } else { None },
                    "depth": if row.ended > 0 { Some(row.depth) } else { None },
                    "seconds": if row.ended > 0 { Some(row.seconds) } else { None },
                    "given_up": row.given_up.map(Limit::name),
                })
            })
            .collect();
        let fields = json!({
            "states": states,
            "store": "replacing",
            "seed": seed,
            "smallest_memory": smallest,
            "rows": rows,
            "csv": csv,
            "svg": svg,
        });
        terminal.object(&json::object("experiment replacement", fields));
        return;
    }
    terminal.say(&format!(
        "the search ended with memory for {} of {} states ({:.0} %); {csv} and {svg} written",
        render::grouped(smallest),
        render::grouped(states),
        smallest as f64 * 100.0 / states as f64
    ));
}
