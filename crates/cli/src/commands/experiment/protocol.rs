//! `elnath experiment connect-disconnect`: figure 8 of on-line-model-checking-1989.

use crate::Exit;
use crate::commands::convert;
use crate::limits::Listening;
use crate::options::ProtocolArgs;
use crate::report::plot::{self, Series};
use crate::report::terminal::Terminal;
use crate::report::{json, render};
use elnath::lts::Lts;
use elnath::protocol::{connect_disconnect, with_heap};
use elnath::{End, Limit};
use serde_json::json;
use std::fmt::Write as _;
use std::io::Write as _;
use std::time::Instant;

/// One size of the heap: the means over the runs that ended, and the median of their times.
struct Row {
    heap: u64,
    ended: u32,
    generated: f64,
    depth: f64,
    seconds: f64,
    given_up: Option<Limit>,
}

pub(crate) fn run(args: &ProtocolArgs, terminal: &Terminal) -> Exit {
    const COMMAND: &str = "experiment connect-disconnect";
    let files = ["csv", "svg"].map(|ending| args.output.with_added_extension(ending));
    if let Some(file) = files.iter().find(|file| file.exists() && !args.force) {
        let error = std::io::ErrorKind::AlreadyExists.into();
        return terminal.bad_input(&[render::file_error(file, &error)], "experiment");
    }
    let lts = connect_disconnect(usize::from(args.n));
    let (states, transitions) = (lts.num_states() as u64, lts.num_transitions() as u64);
    let title = format!("connect-disconnect protocol, n = {}", args.n);
    terminal.note(&format!("{title}: {}", render::plural(states, "state")));
    let Some(rows) = sweep(args, &lts, terminal) else {
        if terminal.json {
            let fields = json!({ "verdict": "unknown", "reason": "interrupted", "states": states });
            terminal.object(&json::object(COMMAND, fields));
        }
        terminal.note("interrupted: nothing was written");
        return Exit::Unknown;
    };
    let points = |value: fn(&Row) -> f64| {
        rows.iter().filter(|row| row.ended > 0).map(|row| (row.heap as f64, value(row))).collect()
    };
    let series = [
        Series { name: "generated states (NGS)".into(), points: points(|row| row.generated) },
        Series { name: "time (microseconds, median)".into(), points: points(|row| row.seconds * 1e6) },
    ];
    let texts = [csv(args, &title, states, &rows), plot::over_heap(&title, &series, states as f64)];
    for (file, text) in files.iter().zip(texts) {
        let written = convert::replace_file(file, args.force, |mut out| out.write_all(text.as_bytes()));
        if let Err(error) = written {
            return terminal.bad_input(&[render::file_error(file, &error)], "experiment");
        }
    }
    let [csv, svg] = files.each_ref().map(|file| file.display().to_string());
    if terminal.json {
        let row = |row: &Row| {
            let mean = |value: f64| if row.ended > 0 { Some(value) } else { None };
            json!({
                "heap": row.heap,
                "runs_ended": row.ended,
                "generated": mean(row.generated),
                "depth": mean(row.depth),
                "seconds": mean(row.seconds),
                "given_up": row.given_up.map(Limit::name),
            })
        };
        let fields = json!({
            "states": states,
            "transitions": transitions,
            "store": "replacing",
            "seed": args.seed,
            "rows": rows.iter().map(row).collect::<Vec<_>>(),
            "csv": csv,
            "svg": svg,
        });
        terminal.object(&json::object(COMMAND, fields));
    } else {
        terminal.say(&format!("{csv} and {svg} written"));
    }
    Exit::Holds
}

/// The sizes of the heap: tenths of D, hundredths below D/10, and none. Among them are D/2, D/4, D/10 and D/20.
fn sizes(states: u64) -> Vec<u64> {
    let percents = (2..=10).rev().map(|n| n * 10).chain([25, 15]).chain((1..=10).rev());
    let mut sizes: Vec<u64> = percents.map(|percent| states * percent / 100).chain([0]).collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    sizes.dedup();
    sizes
}

/// `None` if the user interrupts.
fn sweep(args: &ProtocolArgs, lts: &Lts, terminal: &Terminal) -> Option<Vec<Row>> {
    let states = lts.num_states() as u64;
    let mut rows: Vec<Row> = Vec::new();
    for heap in sizes(states) {
        let row = measure(args, lts, heap)?;
        let mut text = format!("{:>8} states of heap: ", render::grouped(heap));
        if row.ended > 0 {
            let _ = write!(text, "{:.1} generated, {:.6} s", row.generated, row.seconds);
        }
        if let Some(limit) = row.given_up {
            let _ = write!(text, " given up: {}", limit.name());
        }
        terminal.note(&text);
        let done = row.ended == 0;
        rows.push(row);
        if done {
            break;
        }
    }
    Some(rows)
}

fn measure(args: &ProtocolArgs, lts: &Lts, heap: u64) -> Option<Row> {
    let listening = Listening::new();
    let most = (lts.num_states() as u64).saturating_mul(args.thrashing);
    let mut times = Vec::new();
    let mut row = Row { heap, ended: 0, generated: 0.0, depth: 0.0, seconds: 0.0, given_up: None };
    for run in 0..args.runs {
        let seed = args.seed.wrapping_add(u64::from(run));
        let begin = Instant::now();
        let (end, counters) = with_heap(lts, heap as usize, seed, &mut |counters| {
            if listening.interrupted() {
                return Some(Limit::Interrupted);
            }
            (counters.insertions > most).then_some(Limit::Thrashing)
        });
        match end {
            End::Limited(Limit::Interrupted) => return None,
            End::Limited(limit) => row.given_up = Some(limit),
            End::Complete | End::Stopped => {
                row.ended += 1;
                row.generated += counters.insertions as f64;
                row.depth += counters.depth as f64;
                times.push(begin.elapsed().as_secs_f64());
            }
        }
    }
    let ended = f64::from(row.ended.max(1));
    row.generated /= ended;
    row.depth /= ended;
    times.sort_by(f64::total_cmp);
    row.seconds = times.get(times.len() / 2).copied().unwrap_or(0.0);
    Some(row)
}

fn csv(args: &ProtocolArgs, title: &str, states: u64, rows: &[Row]) -> String {
    let mut text =
        format!("# {title}; D = {states}; {} runs per size, seeds from {}\n", args.runs, args.seed);
    text += "heap_states,heap_percent,runs_ended,generated,generated_per_state,depth,seconds,given_up\n";
    for Row { heap, ended, generated, depth, seconds, given_up } in rows {
        let _ = write!(text, "{heap},{:.2},{ended},", *heap as f64 * 100.0 / states as f64);
        if *ended > 0 {
            let _ = write!(text, "{generated:.1},{:.4},{depth:.1},{seconds:.6},", generated / states as f64);
        } else {
            text += ",,,,";
        }
        let _ = writeln!(text, "{}", given_up.map_or("", Limit::name));
    }
    text
}
