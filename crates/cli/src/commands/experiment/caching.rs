//! `elnath experiment caching`: what sleep sets do for a store that forgets (Godefroid, Holzmann, Pirottin 1992), beside
//! the 1993 paper's random graphs, which have none.
//!
//! Times are those of the processor where the system tells them: the searches have one thread, and what is compared are
//! searches of seconds, which anything else on the machine would disturb.

use crate::Exit;
use crate::commands::{check, convert, random};
use crate::limits::{self, Listening};
use crate::options::{CachingArgs, GraphArgs};
use crate::report::plot::{self, Series};
use crate::report::terminal::Terminal;
use crate::report::{json, render};
use elnath::{
    Check, Engine, Limit, LoadError, LoadOptions, Reductions, Replacement, SearchPlan, StorePlan, System,
    Verdict,
};
use serde_json::json;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// In percent of all states.
const SIZES: [u64; 4] = [100, 50, 25, 10];

/// One search.
struct Row {
    model: String,
    sleep: bool,
    percent: u64,
    states: u64,
    insertions: u64,
    /// Transitions followed, which is all but those asleep.
    followed: u64,
    depth: usize,
    seconds: f64,
    given_up: Option<Limit>,
}

pub(crate) fn run(args: &CachingArgs, terminal: &Terminal) -> Exit {
    const COMMAND: &str = "experiment caching";
    let files = ["csv", "svg"].map(|ending| args.output.with_added_extension(ending));
    if let Some(file) = files.iter().find(|file| file.exists() && !args.force) {
        let error = std::io::ErrorKind::AlreadyExists.into();
        return terminal.bad_input(&[render::file_error(file, &error)], "experiment");
    }
    let mut rows = Vec::new();
    for file in args.files.iter().map(Some).chain([None]) {
        let (system, name) = match subject(args, file, terminal) {
            Ok(subject) => subject,
            Err(messages) => return terminal.bad_input(&messages, "experiment"),
        };
        let Some(more) = sweep(args, &system, &name, terminal) else {
            if terminal.json {
                let fields = json!({ "verdict": "unknown", "reason": "interrupted" });
                terminal.object(&json::object(COMMAND, fields));
            }
            terminal.note("interrupted: nothing was written");
            return Exit::Unknown;
        };
        rows.extend(more);
    }
    for (file, text) in files.iter().zip([csv(args, &rows), svg(&rows)]) {
        let written = convert::replace_file(file, args.force, |mut out| out.write_all(text.as_bytes()));
        if let Err(error) = written {
            return terminal.bad_input(&[render::file_error(file, &error)], "experiment");
        }
    }
    let [csv, svg] = files.each_ref().map(|file| file.display().to_string());
    if terminal.json {
        let rows: Vec<_> = rows.iter().map(row_json).collect();
        terminal.object(&json::object(COMMAND, json!({ "rows": rows, "csv": csv, "svg": svg })));
    } else {
        terminal.say(&format!("{csv} and {svg} written"));
    }
    Exit::Holds
}

/// A model, or the random graph of the 1993 paper's figure 1 as it is told in docs/experiments/replacement.md.
fn subject(
    args: &CachingArgs,
    file: Option<&PathBuf>,
    terminal: &Terminal,
) -> Result<(Arc<dyn System>, String), Vec<elnath::source::Message>> {
    let Some(file) = file else {
        let graph = GraphArgs { states: 300, degree: 3, labels: 4, seed: 3_372_947 };
        return Ok((Arc::new(random::generate(&graph)?.lts), "random graph (1993)".to_owned()));
    };
    let options = LoadOptions { engine: Engine::Jit, ..check::load_options(&args.model) };
    let loaded = elnath::load(file, &options).map_err(LoadError::into_messages)?;
    terminal.warnings(&loaded.warnings);
    let name = file.file_stem().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
    Ok((loaded.system, name))
}

/// Without sleep sets and with them, from all memory down to where the search is given up. `None` if the user interrupts.
fn sweep(args: &CachingArgs, system: &Arc<dyn System>, name: &str, terminal: &Terminal) -> Option<Vec<Row>> {
    let exact = Check::system(Arc::clone(system)).ignore_deadlocks().run().expect("the default is suitable");
    let states = exact.first().figures.counters.states;
    terminal.note(&format!("{name}: {}", render::plural(states, "state")));
    let mut rows: Vec<Row> = Vec::new();
    for sleep in [false, true] {
        for percent in SIZES {
            let row = measure(args, system, (name, states), sleep, percent)?;
            let full = rows.iter().find(|all| all.sleep == sleep && all.percent == 100).unwrap_or(&row);
            terminal.note(&describe(&row, full.seconds));
            let given_up = row.given_up.is_some();
            rows.push(row);
            if given_up {
                break;
            }
        }
    }
    Some(rows)
}

fn measure(
    args: &CachingArgs,
    system: &Arc<dyn System>,
    (name, states): (&str, u64),
    sleep: bool,
    percent: u64,
) -> Option<Row> {
    let listening = Listening::new();
    let begin = Clock::now();
    let report = Check::system(Arc::clone(system))
        .ignore_deadlocks()
        .reductions(if sleep { Reductions::NONE.with("sleep") } else { Reductions::NONE })
        .search(SearchPlan::DepthFirst)
        .store(StorePlan::Replacing {
            replacement: Replacement::Stratified { period: args.strata },
            most: (states * percent).div_ceil(100).max(1) as usize,
            thrashing: args.thrashing,
        })
        .seed(args.seed)
        .watch(|_| listening.interrupted().then_some(Limit::Interrupted))
        .run()
        .expect("depth-first search may use the replacing store");
    let seconds = begin.seconds();
    let given_up = match report.verdict() {
        Verdict::Unknown(Limit::Interrupted) => return None,
        Verdict::Unknown(limit) => Some(limit),
        _ => None,
    };
    let counters = report.first().figures.counters;
    Some(Row {
        model: name.to_owned(),
        sleep,
        percent,
        states,
        insertions: counters.insertions,
        followed: counters.transitions - counters.asleep,
        depth: counters.depth,
        seconds,
        given_up,
    })
}

/// The processor's time where it is known, or else that of the wall.
struct Clock(Option<f64>, Instant);

impl Clock {
    fn now() -> Self {
        Self(limits::processor_seconds(), Instant::now())
    }

    fn seconds(&self) -> f64 {
        match (self.0, limits::processor_seconds()) {
            (Some(begin), Some(end)) => end - begin,
            _ => self.1.elapsed().as_secs_f64(),
        }
    }
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
