//! From source to the first error, elnath and SPIN side by side, each as it comes.
//!
//! A model with a bug is what people have most of the day, so what counts is the time until they see it and how long the
//! run is that they have to read. SPIN is asked with its own command for that, `spin -run` (it translates, compiles and
//! searches depth first); elnath with `check`. Every run is one of a process, the two sides in alternating order, the wall
//! clock counts, and the median of the repetitions is compared.
//!
//! The models are those of folders with a `REFERENCE.tsv` (columns `file`, `config`, `errors`; rows whose config is `opt`).
//! They are other people's and not part of this repository.
//!
//! How long a run is: a line of SPIN's trail may stand for several statements, which it has merged, and not for the same ones that
//! we merge. So the trail is followed in the program without reductions (`elnath replay`), and of both runs the
//! transitions of that program are counted, in which an atomic sequence is one, and the statements.
//!
//! `--baseline` names an earlier elnath: lengths of runs and, with `--holding`, times of models without an error are
//! compared with it, so that looking for deep errors is seen to cost little where there is none.

#![allow(clippy::print_stdout, clippy::print_stderr)] // A command for developers; this is what it is for.

mod chart;
mod report;
mod sides;

use clap::Parser;
use elnath_bench::machine::Machine;
use elnath_bench::results::record;
use elnath_bench::setup::{Work, build};
use elnath_bench::stats::spread;
use sides::{Answer, Side, Verdict};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Run elnath and SPIN on models with errors and compare the time to the first one.
///
/// Exit codes: 0 done, 1 an answer contradicts another, 2 bad input.
#[derive(Parser)]
#[command(name = "first-error", max_term_width = 100)]
struct Args {
    /// Folders of models, each with a REFERENCE.tsv
    #[arg(required = true, value_name = "FOLDER")]
    folders: Vec<PathBuf>,
    /// Models without an error instead, elnath against the earlier one of --baseline
    #[arg(long, requires = "baseline")]
    holding: bool,
    /// An earlier elnath to compare with
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// The command measured [default: built from this project, optimised]
    #[arg(long, value_name = "FILE")]
    elnath: Option<PathBuf>,
    /// Only models whose path contains this
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// How often each side runs each model
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Seconds after which a side has no answer
    #[arg(long, default_value_t = 60, value_name = "SECONDS")]
    time: u32,
    /// Where first-error.csv, .svg and .md go [default: bench/out]
    #[arg(long, value_name = "DIRECTORY")]
    out: Option<PathBuf>,
    /// Also keep the result in bench/RESULTS.md (its own section there, in place of the last one)
    #[arg(long)]
    record: bool,
}

/// A model and what each side said of it, the median of its runs.
pub(crate) struct Row {
    /// The folder and the path in it.
    pub(crate) name: String,
    pub(crate) answers: Vec<(Side, Answer)>,
}

impl Row {
    pub(crate) fn of(&self, side: Side) -> Option<&Answer> {
        self.answers.iter().find(|(other, _)| *other == side).map(|(_, answer)| answer)
    }

    /// Whether one side says that there is an error and another that there is none.
    pub(crate) fn contradiction(&self) -> bool {
        let said = |verdict| self.answers.iter().any(|(_, answer)| answer.verdict == verdict);
        said(Verdict::Holds) && said(Verdict::Fails)
    }
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(agreed) => ExitCode::from(u8::from(!agreed)),
        Err(message) => {
            eprintln!("first-error: {message}");
            ExitCode::from(2)
        }
    }
}

/// Everything; whether no answer contradicts another.
fn run(args: &Args) -> Result<bool, String> {
    let bench = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = bench.parent().expect("bench lies in the project");
    let mut models = Vec::new();
    for folder in &args.folders {
        models.extend(models_of(folder, args.holding)?);
    }
    models.retain(|(name, _)| args.only.as_ref().is_none_or(|part| name.contains(part)));
    if models.is_empty() {
        return Err("no model is left to run".to_owned());
    }
    let here =
        |file: &PathBuf| fs::canonicalize(file).map_err(|error| format!("{}: {error}", file.display()));
    let elnath = args.elnath.as_ref().map_or_else(|| build(root), here)?;
    let baseline = args.baseline.as_ref().map(here).transpose()?;
    let mut sides = vec![(Side::Elnath, elnath)]; // The first one also replays trails.
    sides.extend(baseline.map(|file| (Side::Baseline, file)));
    if !args.holding {
        sides.push((Side::Spin, PathBuf::from("spin")));
    }

    let work = Work::new().map_err(|error| error.to_string())?;
    let mut rows = Vec::new();
    for (name, file) in &models {
        let row = measure(name, file, &sides, args, &work.0);
        eprintln!("{}", report::line(&row));
        rows.push(row);
    }

    let name = if args.holding { "holding" } else { "first-error" };
    let machine = Machine::look(root);
    let text = match args.holding {
        true => report::holding(&machine, args.repeat, &rows),
        false => report::failing(&machine, args.repeat, &rows),
    };
    print!("\n{text}");
    let out = args.out.clone().unwrap_or_else(|| bench.join("out"));
    let failed = |error: std::io::Error| format!("{}: {error}", out.display());
    fs::create_dir_all(&out).map_err(failed)?;
    fs::write(out.join(format!("{name}.csv")), report::csv(&rows)).map_err(failed)?;
    let other = if args.holding { Side::Baseline } else { Side::Spin };
    fs::write(out.join(format!("{name}.svg")), chart::draw(&rows, other)).map_err(failed)?;
    fs::write(out.join(format!("{name}.md")), &text).map_err(failed)?;
    if args.record {
        let drawing = format!("Seconds of elnath over seconds of {}, one point per model", other.name());
        record(bench, &out, name, &text, &drawing)
            .map_err(|error| format!("{}: {error}", bench.display()))?;
    }
    Ok(rows.iter().all(|row| !row.contradiction()))
}

/// All repetitions of one model; the answer of a side is that of its run with the median time.
fn measure(name: &str, file: &Path, sides: &[(Side, PathBuf)], args: &Args, work: &Path) -> Row {
    let mut runs: Vec<Vec<Answer>> = vec![Vec::new(); sides.len()];
    for repetition in 0..args.repeat {
        let mut order: Vec<usize> = (0..sides.len()).collect();
        if repetition % 2 == 1 {
            order.reverse();
        }
        for index in order {
            let (side, program) = &sides[index];
            runs[index].push(sides::ask(*side, program, &sides[0].1, file, work, args.time));
        }
    }
    let answers = sides.iter().zip(runs).map(|((side, _), runs)| {
        let median = spread(runs.iter().map(|run| run.seconds)).expect("there was a run").median;
        let middle =
            runs.into_iter().min_by(|a, b| (a.seconds - median).abs().total_cmp(&(b.seconds - median).abs()));
        (*side, Answer { seconds: median, ..middle.expect("there was a run") })
    });
    Row { name: name.to_owned(), answers: answers.collect() }
}

/// The models of a folder whose row of SPIN's default search has an error, or has none.
fn models_of(folder: &Path, holding: bool) -> Result<Vec<(String, PathBuf)>, String> {
    let table = folder.join("REFERENCE.tsv");
    let text = fs::read_to_string(&table).map_err(|error| format!("{}: {error}", table.display()))?;
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let column = |name: &str| {
        let found = header.iter().position(|other| *other == name);
        found.ok_or_else(|| format!("{}: no column `{name}`", table.display()))
    };
    let (file, config, errors) = (column("file")?, column("config")?, column("errors")?);
    let base = fs::canonicalize(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let short = base.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut models = Vec::new();
    for line in lines {
        let cells: Vec<&str> = line.split('\t').collect();
        let cell = |index: usize| cells.get(index).copied().unwrap_or_default();
        let wanted = cell(errors).parse::<u64>().is_ok_and(|errors| (errors == 0) == holding);
        if cell(config) == "opt" && wanted {
            models.push((format!("{short}/{}", cell(file)), base.join(cell(file))));
        }
    }
    Ok(models)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory as _;
        Args::command().debug_assert();
    }

    #[test]
    fn rows_of_the_default_search_are_chosen() {
        let work = Work::new().unwrap();
        let table = "file\tsha1\tconfig\tclaim\tverdict\terrors\na.pml\t0\tref\t\tpass\t1\n\
                     a.pml\t0\topt\t\tpass\t1\nb.pml\t0\topt\t\tpass\t0\nc.pml\t0\topt\t\tlimit\t\n";
        fs::write(work.0.join("REFERENCE.tsv"), table).unwrap();
        let names = |holding| -> Vec<String> {
            let models = models_of(&work.0, holding).unwrap();
            models.iter().map(|(_, file)| file.file_name().unwrap().to_string_lossy().into_owned()).collect()
        };
        assert_eq!((names(false), names(true)), (vec!["a.pml".to_owned()], vec!["b.pml".to_owned()]));
    }
}
