//! How the time of comparisons grows with the size of two graphs that differ in one transition.
//!
//! Philosophers around a table, each a cycle of four steps: take the left fork, take the right one (both internal), eat (a label
//! of his own), put both down (internal). Two to eight of them are compared, by every relation, with the same graph whose states have other
//! numbers, and with that graph after one change: a transition leads elsewhere, is missing, or has another label. Nearly everything is related
//! then, and what is not is far from the initial states, which is the worst case for a game on the fly.
//!
//! Every comparison is one process, diagnosis included. What counts is its processor time, so that a busy machine matters little, and
//! the most memory it held. The *slope* is that of the line through the points on logarithmic scales: 1 is linear in
//! the states. Times below a hundredth of a second are mostly those of starting a program and are left out of it.

#![allow(clippy::print_stdout, clippy::print_stderr)] // A command for developers; this is what it is for.

mod chart;

use clap::Parser;
use elnath_bench::machine::Machine;
use elnath_bench::process;
use elnath_bench::results::{grouped, markdown, record};
use elnath_bench::setup::{Work, build};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Compare philosophers with themselves and with mutants, by every relation.
///
/// Exit codes: 0 done, 1 a comparison was not answered within its bounds, 2 it could not be run.
#[derive(Parser)]
#[command(name = "philosophers", max_term_width = 100)]
struct Args {
    /// The most philosophers
    #[arg(long, default_value_t = 8, value_name = "N", value_parser = clap::value_parser!(u32).range(2..10))]
    most: u32,
    /// The command measured [default: built from this project, optimised]
    #[arg(long, value_name = "FILE")]
    elnath: Option<PathBuf>,
    /// Where philosophers.csv and .svg go [default: bench/out]
    #[arg(long, value_name = "DIRECTORY")]
    out: Option<PathBuf>,
    /// Also keep the result in bench/RESULTS.md (its own section there, in place of the last one)
    #[arg(long)]
    record: bool,
}

const RELATIONS: [&str; 14] = [
    "strong",
    "divergence-branching",
    "branching",
    "delay",
    "weak",
    "tau-star-a",
    "safety",
    "simulation",
    "ready-simulation",
    "weak-simulation",
    "trace",
    "weak-trace",
    "failures",
    "failures-divergences",
];

const CHANGES: [&str; 4] = ["related", "redirected", "removed", "relabelled"];

/// What a comparison may take.
const SECONDS: f64 = 2.0;
const BYTES: u64 = 200 << 20;

/// One comparison.
pub(crate) struct Measured {
    n: u32,
    pub(crate) states: usize,
    transitions: usize,
    pub(crate) relation: &'static str,
    change: &'static str,
    answer: &'static str,
    pub(crate) seconds: f64,
    peak: u64,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(message) => {
            eprintln!("philosophers: {message}");
            ExitCode::from(2)
        }
    }
}

/// Everything; whether all comparisons stayed within their bounds.
fn run(args: &Args) -> Result<bool, String> {
    let bench = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = bench.parent().expect("bench lies in the project");
    let elnath = args.elnath.clone().map_or_else(|| build(root), Ok)?;
    let work = Work::new().map_err(|error| error.to_string())?;
    let mut all = Vec::new();
    for n in 2..=args.most {
        measure(n, &elnath, &work.0, &mut all).map_err(|error| error.to_string())?;
        eprintln!("{n} philosophers: {} comparisons so far", all.len());
    }
    let text = report(&Machine::look(root), &all);
    print!("\n{text}");
    let out = args.out.clone().unwrap_or_else(|| bench.join("out"));
    let failed = |error: std::io::Error| format!("{}: {error}", out.display());
    fs::create_dir_all(&out).map_err(failed)?;
    fs::write(out.join("philosophers.csv"), csv(&all)).map_err(failed)?;
    fs::write(out.join("philosophers.svg"), chart::draw(&all)).map_err(failed)?;
    if args.record {
        let drawing = "Seconds over states, the slowest of four comparisons, one line per relation";
        record(bench, &out, "philosophers", &text, drawing)
            .map_err(|error| format!("{}: {error}", bench.display()))?;
    }
    Ok(all.iter().all(|one| one.answer != "unknown" && one.seconds <= SECONDS && one.peak <= BYTES))
}

/// A state: how far each philosopher is.
type Table = Vec<u8>;
/// Source, label (0 is internal) and target.
type Step = (usize, usize, usize);

/// The graph, state 0 the initial one: the number of its states and its transitions.
fn philosophers(n: usize) -> (usize, Vec<Step>) {
    let mut states: Vec<Table> = vec![vec![0; n]];
    let mut numbers = std::collections::HashMap::from([(states[0].clone(), 0)]);
    let mut steps = Vec::new();
    let mut from = 0;
    while let Some(state) = states.get(from).cloned() {
        for who in 0..n {
            let (before, after) = (state[(who + n - 1) % n], state[(who + 1) % n]);
            let (label, next) = match state[who] {
                // The fork at the left is the right one of whoever sits before.
                0 if before < 2 => (0, 1),
                1 if after == 0 => (0, 2),
                2 => (1 + who, 3),
                3 => (0, 0),
                _ => continue,
            };
            let mut to = state.clone();
            to[who] = next;
            let number = *numbers.entry(to.clone()).or_insert_with(|| {
                states.push(to);
                states.len() - 1
            });
            steps.push((from, label, number));
        }
        from += 1;
    }
    (states.len(), steps)
}

/// The same with other numbers and maybe one change, in a transition two thirds of the way through.
fn changed(states: usize, steps: &[Step], change: &str) -> Vec<Step> {
    // The initial state keeps its number, the others are counted backwards.
    let other = |state: usize| if state == 0 { 0 } else { states - state };
    let mut new: Vec<Step> = steps.iter().map(|&(from, label, to)| (other(from), label, other(to))).collect();
    let at = new.len() * 2 / 3;
    match change {
        "redirected" => new[at].2 = (new[at].2 + states / 2) % states,
        "removed" => drop(new.swap_remove(at)),
        "relabelled" => new[at].1 = if new[at].1 == 1 { 2 } else { 1 },
        _ => {}
    }
    new
}

fn aut(states: usize, steps: &[Step]) -> String {
    let mut text = format!("des (0, {}, {states})\n", steps.len());
    for &(from, label, to) in steps {
        let label = if label == 0 { "i".to_owned() } else { format!("eat{label}") };
        let _ = writeln!(text, "({from}, {label}, {to})");
    }
    text
}

fn measure(n: u32, elnath: &Path, work: &Path, all: &mut Vec<Measured>) -> std::io::Result<()> {
    let (states, steps) = philosophers(n as usize);
    let [left, right, said, complained] =
        ["left.aut", "right.aut", "said", "complained"].map(|name| work.join(name));
    fs::write(&left, aut(states, &steps))?;
    for change in CHANGES {
        fs::write(&right, aut(states, &changed(states, &steps, change)))?;
        for relation in RELATIONS {
            let mut command = Command::new(elnath);
            command.arg("compare").args([&left, &right]).args(["--relation", relation, "--time", "60"]);
            let usage = process::run(&mut command, &said, &complained)?;
            let answer = match usage.code {
                Some(0) => "related",
                Some(1) => "not related",
                _ => "unknown",
            };
            let (transitions, seconds, peak) = (steps.len(), usage.cpu, usage.peak);
            all.push(Measured { n, states, transitions, relation, change, answer, seconds, peak });
        }
    }
    Ok(())
}

/// The slowest comparisons by a relation: states and seconds, by size.
pub(crate) fn slowest(all: &[Measured], relation: &str) -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64)> = Vec::new();
    for one in all.iter().filter(|one| one.relation == relation) {
        match points.last_mut() {
            Some((states, seconds)) if *states == one.states as f64 => *seconds = seconds.max(one.seconds),
            _ => points.push((one.states as f64, one.seconds)),
        }
    }
    points
}

/// The slope of the line through points on logarithmic scales, if there are two that took long enough.
fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let logs: Vec<(f64, f64)> =
        points.iter().filter(|point| point.1 >= 0.01).map(|&(x, y)| (x.ln(), y.ln())).collect();
    if logs.len() < 2 {
        return None;
    }
    let mean = |value: fn(&(f64, f64)) -> f64| logs.iter().map(value).sum::<f64>() / logs.len() as f64;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let product: f64 = logs.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    Some(product / logs.iter().map(|point| (point.0 - x).powi(2)).sum::<f64>())
}

fn report(machine: &Machine, all: &[Measured]) -> String {
    let mut text = "## Philosophers with one transition changed\n\n".to_owned();
    let _ = writeln!(text, "{}", machine.markdown());
    text.push_str(
        "`compare` of n philosophers with the same graph renumbered, and with one transition redirected, removed or relabelled: \
         processor seconds of the slowest of the four, diagnosis included, and over all sizes the most memory resident and the slope of time \
         over states on logarithmic scales.\n\n",
    );
    let sizes: Vec<(u32, usize, usize)> = all.iter().fold(Vec::new(), |mut sizes, one| {
        if sizes.last() != Some(&(one.n, one.states, one.transitions)) {
            sizes.push((one.n, one.states, one.transitions));
        }
        sizes
    });
    let mut rows = vec![["relation", "small", "large", "largest", "memory", "slope"].map(str::to_owned)];
    let shown: Vec<_> = sizes.iter().rev().take(3).rev().collect();
    for (column, (n, states, transitions)) in shown.iter().enumerate() {
        rows[0][1 + column] = format!(
            "n = {n}: {} states, {} transitions",
            grouped(*states as f64),
            grouped(*transitions as f64)
        );
    }
    for relation in RELATIONS {
        let points = slowest(all, relation);
        let peak = all.iter().filter(|one| one.relation == relation).map(|one| one.peak).max().unwrap_or(0);
        let mut row = [relation, "", "", "", "", ""].map(str::to_owned);
        for (column, (_, states, _)) in shown.iter().enumerate() {
            let seconds = points.iter().find(|point| point.0 == *states as f64).map_or(0.0, |point| point.1);
            row[1 + column] = format!("{seconds:.2} s");
        }
        row[4] = format!("{} MiB", peak >> 20);
        row[5] = slope(&points).map_or("-".to_owned(), |slope| format!("{slope:.2}"));
        rows.push(row);
    }
    text.push_str(&markdown(&rows));
    let related = all.iter().filter(|one| one.answer == "related").count();
    let unknown = all.iter().filter(|one| one.answer == "unknown").count();
    let slow = all.iter().filter(|one| one.seconds > SECONDS || one.peak > BYTES).count();
    let _ = writeln!(
        text,
        "\n{} comparisons: {related} related, {} not related, {unknown} unknown; {slow} took more than {SECONDS} s or {} MiB.",
        all.len(),
        all.len() - related - unknown,
        BYTES >> 20
    );
    text
}

fn csv(all: &[Measured]) -> String {
    let mut text = "n,states,transitions,relation,change,answer,seconds,peak_bytes\n".to_owned();
    for one in all {
        let Measured { n, states, transitions, relation, change, answer, seconds, peak } = one;
        let _ = writeln!(text, "{n},{states},{transitions},{relation},{change},{answer},{seconds:.3},{peak}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_those_of_the_paper_and_pencil() {
        let (states, steps) = philosophers(2);
        // Two philosophers: both at rest, one of them at one of three places with the other at rest, and both with a left fork.
        assert_eq!(states, 8);
        assert!(
            steps.iter().any(|&(_, label, _)| label == 1) && steps.iter().any(|&(_, label, _)| label == 2)
        );
        for change in CHANGES {
            let new = changed(states, &steps, change);
            assert_eq!(new.len(), steps.len() - usize::from(change == "removed"));
            let same: usize =
                changed(states, &steps, "related").iter().filter(|step| new.contains(step)).count();
            assert_eq!(same, steps.len() - usize::from(change != "related"), "{change}");
        }
    }

    #[test]
    fn a_slope_is_the_power_of_the_states() {
        let points =
            |power: f64| (1..6).map(|x| (f64::from(x), f64::from(x).powf(power))).collect::<Vec<_>>();
        assert!((slope(&points(1.5)).unwrap() - 1.5).abs() < 1e-9);
        assert_eq!(slope(&[(1.0, 0.001), (2.0, 0.02)]), None);
    }
}
