//! `elnath experiment connect-disconnect`: figure 8 of on-line-model-checking-1989.

use super::{Files, interrupted, measured};
use crate::Exit;
use crate::options::ProtocolArgs;
use crate::report::plot::{self, Series};
use crate::report::terminal::Terminal;
use crate::report::{json, render};
use elnath::Limit;
use elnath_experiments::connect_disconnect::connect_disconnect;
use elnath_experiments::connect_disconnect::heap::{Row, Sweep};
use serde_json::json;
use std::fmt::Write as _;

const COMMAND: &str = "experiment connect-disconnect";

pub(super) fn run(args: &ProtocolArgs, terminal: &Terminal) -> Exit {
    let files = match Files::new(&args.output, [], args.force, terminal) {
        Ok(files) => files,
        Err(messages) => return terminal.bad_input(&messages, "experiment"),
    };
    let lts = connect_disconnect(usize::from(args.n));
    let (states, transitions) = (lts.num_states() as u64, lts.num_transitions() as u64);
    let title = format!("connect-disconnect protocol, n = {}", args.n);
    terminal.note(&format!("{title}: {}", render::plural(states, "state")));
    let sweep = Sweep { thrashing: args.thrashing, runs: args.runs, seed: args.seed };
    let mut each = |row: &Row| terminal.note(&describe(row));
    let Some(rows) = measured(|meter| sweep.run(&lts, meter, &mut each)) else {
        return interrupted(terminal, COMMAND, Some(states));
    };
    let points = |value: fn(&Row) -> f64| {
        rows.iter().filter(|row| row.ended > 0).map(|row| (row.heap as f64, value(row))).collect()
    };
    let series = [
        Series { name: "generated states (NGS)".into(), points: points(|row| row.generated) },
        Series { name: "time (microseconds, median)".into(), points: points(|row| row.seconds * 1e6) },
    ];
    let svg = plot::over_heap(&title, &series, states as f64);
    if let Err(messages) = files.write(&csv(args, &title, states, &rows), &svg) {
        return terminal.bad_input(&messages, "experiment");
    }
    let [csv, svg] = files.names();
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

fn describe(row: &Row) -> String {
    let mut text = format!("{:>8} states of heap: ", render::grouped(row.heap));
    if row.ended > 0 {
        let _ = write!(text, "{:.1} generated, {:.6} s", row.generated, row.seconds);
    }
    if let Some(limit) = row.given_up {
        let _ = write!(text, " given up: {}", limit.name());
    }
    text
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
