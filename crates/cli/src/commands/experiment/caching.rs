//! `elnath experiment caching`: what sleep sets do for a store that forgets (Godefroid, Holzmann, Pirottin 1992), beside
//! the 1993 paper's random graphs, which have none.
//!
//! Times are those of the processor where the system tells them: the searches have one thread, and what is compared are
//! searches of seconds, which anything else on the machine would disturb.

use super::{Files, interrupted, measured_by, replacing};
use crate::Exit;
use crate::commands::check;
use crate::limits;
use crate::options::{CachingArgs, Replacement};
use crate::report::plot::{self, Series};
use crate::report::terminal::Terminal;
use crate::report::{json, render};
use elnath::source::Message;
use elnath::{Engine, Limit, LoadError, LoadOptions, System};
use elnath_experiments::caching::{Row, Sweep, random_graph};
use elnath_experiments::states;
use serde_json::json;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

const COMMAND: &str = "experiment caching";

pub(super) fn run(args: &CachingArgs, terminal: &Terminal) -> Exit {
    let files = match Files::new(&args.output, &args.files, args.force, terminal) {
        Ok(files) => files,
        Err(messages) => return terminal.bad_input(&messages, "experiment"),
    };
    let begin = Instant::now();
    let clock = || limits::processor_time().unwrap_or_else(|| begin.elapsed());
    let sweep =
        Sweep { store: replacing(Replacement::Stratified, args.strata, args.thrashing), seed: args.seed };
    let mut rows = Vec::new();
    for file in args.files.iter().map(Some).chain([None]) {
        let (system, name) = match subject(args, file, terminal) {
            Ok(subject) => subject,
            Err(messages) => return terminal.bad_input(&messages, "experiment"),
        };
        let states = states(&system);
        terminal.note(&format!("{name}: {}", render::plural(states, "state")));
        let mut each = |row: &Row, full: &Row| terminal.note(&describe(row, full.seconds));
        let more = measured_by(&clock, |meter| sweep.run(&system, (&name, states), meter, &mut each));
        let Some(more) = more else { return interrupted(terminal, COMMAND, None) };
        rows.extend(more);
    }
    if let Err(messages) = files.write(&csv(args, &rows), &svg(&rows)) {
        return terminal.bad_input(&messages, "experiment");
    }
    let [csv, svg] = files.names();
    if terminal.json {
        let rows: Vec<_> = rows.iter().map(row_json).collect();
        terminal.object(&json::object(COMMAND, json!({ "rows": rows, "csv": csv, "svg": svg })));
    } else {
        terminal.say(&format!("{csv} and {svg} written"));
    }
    Exit::Holds
}

/// A model, or the random graph for comparison.
fn subject(
    args: &CachingArgs,
    file: Option<&PathBuf>,
    terminal: &Terminal,
) -> Result<(Arc<dyn System>, String), Vec<Message>> {
    let Some(file) = file else {
        return Ok((Arc::new(random_graph()), "random graph (1993)".to_owned()));
    };
    let options = LoadOptions { engine: Engine::Jit, ..check::load_options(&args.model) };
    let loaded = elnath::load(file, &options).map_err(LoadError::into_messages)?;
    terminal.warnings(&loaded.warnings);
    let name = file.file_stem().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
    Ok((loaded.system, name))
}

fn how(row: &Row) -> &'static str {
    if row.sleep { "sleep" } else { "plain" }
}

fn describe(row: &Row, full: f64) -> String {
    let mut text = format!("{:>8} {:>3} %: ", how(row), row.percent);
    match row.given_up {
        Some(limit) => {
            let _ = write!(text, "given up: {}", limit.name());
        }
        None => {
            let states = row.states as f64;
            let _ = write!(
                text,
                "{:.2} R insertions, {:.2} followed per insertion, {:.2} s",
                row.insertions as f64 / states,
                row.followed as f64 / row.insertions as f64,
                row.seconds
            );
            // Of what takes no time that can be measured there is no ratio.
            if full > 0.0 {
                let _ = write!(text, ", {:.2} times as long", row.seconds / full);
            }
        }
    }
    text
}

fn csv(args: &CachingArgs, rows: &[Row]) -> String {
    let mut text = format!(
        "# stratified replacement, every {}th level spared; seed {}; given up at {} insertions per state seen so far\n",
        args.strata, args.seed, args.thrashing
    );
    text += "model,search,memory_percent,states,insertions,insertions_per_state,followed,depth,seconds,\
             times_as_long,given_up\n";
    for row in rows {
        let Row { model, percent, states, insertions, followed, depth, seconds, given_up, .. } = row;
        let full =
            rows.iter().find(|all| all.model == *model && all.sleep == row.sleep && all.percent == 100);
        let _ = write!(text, "{model},{},{percent},{states},", how(row));
        match given_up {
            Some(limit) => {
                let _ = writeln!(text, ",,,,,,{}", limit.name());
            }
            None => {
                let per_state = *insertions as f64 / *states as f64;
                // A search may be over before the clock has moved.
                let slower = full.map(|full| seconds / full.seconds).filter(|ratio| ratio.is_finite());
                let slower = slower.map(|ratio| format!("{ratio:.2}")).unwrap_or_default();
                let _ =
                    writeln!(text, "{insertions},{per_state:.4},{followed},{depth},{seconds:.3},{slower},");
            }
        }
    }
    text
}

/// Insertions per state over the memory, without sleep sets and with them.
fn svg(rows: &[Row]) -> String {
    let panel = |sleep: bool| {
        let mut models: Vec<&str> = rows.iter().map(|row| row.model.as_str()).collect();
        models.dedup();
        let curve = |model: &str| {
            let points =
                rows.iter().filter(|row| row.model == model && row.sleep == sleep && row.given_up.is_none());
            let points = points.map(|row| (row.percent as f64, row.insertions as f64 / row.states as f64));
            let mut points: Vec<_> = points.collect();
            // The name stands at the first point, and with all of the memory all curves meet.
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            Series { name: model.to_owned().into(), points }
        };
        models.into_iter().map(curve).collect::<Vec<_>>()
    };
    let panels =
        [("without sleep sets: insertions per state", panel(false)), ("with sleep sets", panel(true))];
    plot::over_numbers("State-space caching", "memory (percent of all states)", &panels)
}

fn row_json(row: &Row) -> serde_json::Value {
    json!({
        "model": row.model,
        "sleep": row.sleep,
        "memory_percent": row.percent,
        "states": row.states,
        "insertions": row.insertions,
        "followed": row.followed,
        "depth": row.depth,
        "seconds": row.seconds,
        "given_up": row.given_up.map(Limit::name),
    })
}
