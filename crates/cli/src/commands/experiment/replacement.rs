//! `elnath experiment replacement`: figures 1 and 2 of on-the-fly-verification-1993.

use super::{Files, interrupted, measured, replacing};
use crate::Exit;
use crate::commands::{check, random};
use crate::options::ReplacementArgs;
use crate::report::plot::{self, Series};
use crate::report::terminal::Terminal;
use crate::report::{json, render};
use elnath::source::Message;
use elnath::{Limit, LoadError, System};
use elnath_experiments::replacement::{Row, Sweep};
use elnath_experiments::states;
use serde_json::json;
use std::fmt::Write as _;
use std::sync::Arc;

const COMMAND: &str = "experiment replacement";

pub(super) fn run(args: &ReplacementArgs, terminal: &Terminal) -> Exit {
    let files = match Files::new(&args.output, &args.file, args.force, terminal) {
        Ok(files) => files,
        Err(messages) => return terminal.bad_input(&messages, "experiment"),
    };
    let (system, title) = match subject(args, terminal) {
        Ok(subject) => subject,
        Err(messages) => return terminal.bad_input(&messages, "experiment"),
    };
    let states = states(&system);
    terminal.note(&format!("{title}: {}", render::plural(states, "state")));
    let sweep = Sweep {
        store: replacing(args.replacement, args.strata, args.thrashing),
        runs: args.runs,
        seed: args.graph.seed,
    };
    let mut each = |row: &Row| terminal.note(&describe(row, states));
    let Some(rows) = measured(|meter| sweep.run(&system, states, meter, &mut each)) else {
        return interrupted(terminal, COMMAND, Some(states));
    };
    if let Err(messages) = files.write(&csv(args, &title, states, &rows), &svg(&title, states, &rows)) {
        return terminal.bad_input(&messages, "experiment");
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

fn svg(title: &str, states: u64, rows: &[Row]) -> String {
    let ended = || rows.iter().filter(|row| row.ended > 0);
    let points = |value: fn(&Row) -> f64| ended().map(|row| (row.memory as f64, value(row))).collect();
    let smallest = ended().map(|row| row.memory).min().unwrap_or(states) as f64;
    plot::over_memory(
        title,
        &[
            Series { name: "insertions (R_ins)".into(), points: points(|row| row.insertions) },
            Series { name: "time (s, median)".into(), points: points(|row| row.seconds) },
        ],
        (smallest, states as f64),
    )
}

fn report(terminal: &Terminal, files: &Files, states: u64, seed: u64, rows: &[Row]) {
    let [csv, svg] = files.names();
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
        terminal.object(&json::object(COMMAND, fields));
        return;
    }
    terminal.say(&format!(
        "the search ended with memory for {} of {} states ({:.0} %); {csv} and {svg} written",
        render::grouped(smallest),
        render::grouped(states),
        smallest as f64 * 100.0 / states as f64
    ));
}
