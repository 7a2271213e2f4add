//! How we compare with SPIN: both tools on the same models, in one run.
//!
//! Figures of two tools from two different hours say little on a shared machine, so each repetition runs both, one
//! directly after the other and in alternating order, and only neighbours are divided by each other ([`report`]). Every
//! run must first give the number of states and transitions that is known; a tool that does something else may well be
//! faster at it, so then there is no ratio.
//!
//! Before each search, ours and `pan`'s, as much memory as it may need is touched and let go ([`machine::warm`]): on a
//! virtual machine what the host takes for handing out memory otherwise falls on whoever is first.
//!
//! Not done: pinning to cores and fixing the clock rate need rights that users do not have. Instead processor times are
//! given beside wall-clock times, and the load average with every measurement in the CSV file.

#![allow(clippy::print_stdout, clippy::print_stderr)] // A command for developers; this is what it is for.

mod chart;
mod defaults;
mod pan;
mod report;
mod sides;
mod table;

use clap::Parser;
use elnath_bench::machine::{self, Machine};
use elnath_bench::results::record;
use elnath_bench::setup::{Work, build};
use report::Summary;
use sides::{Elnath, Model, Run, Variant};
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use table::{Entry, Table};

/// Run elnath and SPIN on the same models and print the ratios.
///
/// Exit codes: 0 done, 1 some model has no ratio (its counts differ or a tool failed), 2 bad input, or SPIN is missing.
#[derive(Parser)]
#[command(name = "versus-spin", max_term_width = 100)]
struct Args {
    /// The table of models (its format: src/bin/versus-spin/table.rs) [default: bench/models/BENCH.tsv]
    #[arg(long, value_name = "FILE")]
    models: Option<PathBuf>,
    /// Properties of infinite runs instead: the table bench/ltl.tsv, whose models lie beside this repository
    #[arg(long, conflicts_with = "models")]
    ltl: bool,
    /// Both tools as they come, with their reductions, instead of walking all states
    #[arg(long, conflicts_with = "ltl")]
    defaults: bool,
    /// How often each model is run by each side
    #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Only these models
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Vec<String>,
    /// Only models with at most so many states
    #[arg(long, value_name = "N")]
    max_states: Option<u64>,
    /// Leave out a part: two threads, or compression (tree against -DCOLLAPSE; once per model)
    #[arg(long, value_name = "PARTS", value_delimiter = ',', value_parser = ["threads", "compression"])]
    without: Vec<String>,
    /// Also run the models that the table has for elnath alone: minutes, and gigabytes of memory
    #[arg(long)]
    large: bool,
    /// Which engine of elnath's [default: elnath's own default]
    #[arg(long)]
    engine: Option<String>,
    /// The command measured [default: built from this project, optimised]
    #[arg(long, value_name = "FILE")]
    elnath: Option<PathBuf>,
    /// Where versus-spin.csv, .svg and .md go [default: bench/out]
    #[arg(long, value_name = "DIRECTORY")]
    out: Option<PathBuf>,
    /// Also keep the result in bench/RESULTS.md (its own section there, in place of the last one)
    #[arg(long)]
    record: bool,
    /// Touch so much memory, and nothing else: what a measurement is preceded by
    #[arg(long, value_name = "BYTES", hide = true)]
    touch: Option<usize>,
}

fn main() -> ExitCode {
    let args = Args::parse();
    if let Some(bytes) = args.touch {
        machine::touch(bytes);
        return ExitCode::SUCCESS;
    }
    match run(&args) {
        Ok(complete) => ExitCode::from(u8::from(!complete)),
        Err(messages) => {
            for message in messages {
                eprintln!("versus-spin: {message}");
            }
            ExitCode::from(2)
        }
    }
}

/// Everything; whether all models have their ratios.
fn run(args: &Args) -> Result<bool, Vec<String>> {
    let bench = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = bench.parent().expect("bench lies in the project");
    let one = |message: String| vec![message];
    for (program, argument) in [("spin", "-V"), ("gcc", "--version")] {
        let found = Command::new(program).arg(argument).stdout(Stdio::null()).stderr(Stdio::null()).status();
        if found.is_err() {
            return Err(one(format!(
                "{program} is not installed, and there is nothing to compare with (Debian: apt install spin gcc)"
            )));
        }
    }
    let usual = if args.ltl { "ltl.tsv" } else { "models/BENCH.tsv" };
    let table_file = args.models.clone().unwrap_or_else(|| bench.join(usual));
    let (table, chosen) = choose(args, &table_file)?;
    // Figures of the one kind do not replace those of the other.
    let cycles = chosen.iter().any(|entry| entry.property.is_some());
    let (files, of_what) = match (cycles, args.defaults) {
        (true, _) => ("versus-spin-ltl", ": infinite runs"),
        (false, true) => ("versus-spin-defaults", ", each with its reductions"),
        (false, false) => ("versus-spin", ""),
    };
    let machine = Machine::look(root);
    let binary = match &args.elnath {
        Some(binary) => {
            fs::canonicalize(binary).map_err(|error| one(format!("{}: {error}", binary.display())))?
        }
        None => build(root).map_err(one)?,
    };
    let work = Work::new().map_err(|error| one(error.to_string()))?;
    let elnath = Elnath::probe(binary, args.engine.clone(), &work.0).map_err(one)?;
    let out = args.out.clone().unwrap_or_else(|| bench.join("out"));
    let failed = |error: std::io::Error| vec![format!("{}: {error}", out.display())];
    fs::create_dir_all(&out).map_err(failed)?;
    let mut csv = File::create(out.join(format!("{files}.csv"))).map_err(failed)?;
    csv.write_all(report::CSV_COLUMNS.as_bytes()).map_err(failed)?;

    let (mut variants, mut notes) = variants(args, &elnath, machine.cores);
    if cycles || args.defaults {
        // No search for cycles compresses, and nothing compresses unasked.
        variants.retain(|variant| *variant == Variant::Threads);
    }
    let (mut summaries, mut large, mut complete) = (Vec::new(), Vec::new(), true);
    for entry in &chosen {
        let (runs, refused) = measure(entry, &table, &elnath, &variants, args.repeat, &work.0, &mut csv);
        complete &= refused.is_empty();
        notes.extend(refused.iter().map(|why| format!("{}: {why}", entry.name)));
        if entry.spin_too {
            summaries.extend(Summary::of(&entry.name, entry.property.is_some(), &runs));
        } else {
            large.extend(runs.into_iter().map(|run| (entry.name.clone(), run)));
        }
    }

    let name = table_file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut text = format!(
        "## Against SPIN{}\n\n{}- Models: {} of {name}, {} repetitions; spin {}; gcc {}\n\n",
        of_what,
        machine.markdown(),
        chosen.len(),
        args.repeat,
        table.spin.join(" "),
        table.gcc.join(" ")
    );
    text.push_str(&if args.defaults { defaults::tables(&summaries) } else { report::tables(&summaries) });
    if !large.is_empty() {
        text.push_str("\nModels that are too large for SPIN here, by elnath alone:\n\n");
        text.push_str(&report::large(&large));
    }
    if !notes.is_empty() {
        text.push_str("\nLeft out:\n\n");
        text.extend(notes.iter().map(|note| format!("- {note}\n")));
    }
    print!("\n{text}");
    let title = format!("elnath ({}) against SPIN: how many times better", machine.commit);
    fs::write(out.join(format!("{files}.svg")), chart::draw(&title, &summaries)).map_err(failed)?;
    fs::write(out.join(format!("{files}.md")), &text).map_err(failed)?;
    if args.record {
        record(bench, &out, files, &text, "The ratios as bars")
            .map_err(|error| one(format!("{}: {error}", bench.display())))?;
    }
    Ok(complete)
}

/// The table, and the models of it that were asked for.
fn choose(args: &Args, file: &Path) -> Result<(Table, Vec<Entry>), Vec<String>> {
    let text = fs::read_to_string(file).map_err(|error| vec![format!("{}: {error}", file.display())])?;
    let table = table::read(&text, file.parent().unwrap_or(Path::new(""))).map_err(|messages| {
        messages.iter().map(|message| format!("{}: {message}", file.display())).collect::<Vec<_>>()
    })?;
    let table = if args.defaults { table.with_defaults() } else { table };
    let unknown: Vec<String> = args
        .only
        .iter()
        .filter(|name| table.models.iter().all(|model| model.name != **name))
        .map(|name| format!("the table has no model {name}"))
        .collect();
    if !unknown.is_empty() {
        return Err(unknown);
    }
    let chosen: Vec<Entry> = table
        .models
        .iter()
        .filter(|model| args.only.is_empty() || args.only.contains(&model.name))
        .filter(|model| args.max_states.is_none_or(|most| model.states.is_none_or(|states| states <= most)))
        .filter(|model| model.spin_too || args.large)
        .cloned()
        .collect();
    if chosen.is_empty() {
        return Err(vec!["no model is left to run".to_owned()]);
    }
    Ok((table, chosen))
}

/// What is run on each model besides the two sides themselves, and what is not because this elnath or this machine
/// cannot.
fn variants(args: &Args, elnath: &Elnath, cores: usize) -> (Vec<Variant>, Vec<String>) {
    let wanted = |part: &str| !args.without.iter().any(|other| other == part);
    let (mut variants, mut notes) = (Vec::new(), Vec::new());
    match (wanted("threads"), elnath.has_threads, cores >= 2) {
        (true, true, true) => variants.push(Variant::Threads),
        (true, false, _) => notes.push("two threads: this elnath has no --threads".to_owned()),
        (true, true, false) => notes.push("two threads: this machine has one core".to_owned()),
        (false, ..) => {}
    }
    match (wanted("compression"), elnath.has_tree) {
        (true, true) => variants.extend([Variant::Tree, Variant::Collapse]),
        (true, false) => notes.push("compression: this elnath has no --store tree".to_owned()),
        (false, _) => {}
    }
    (variants, notes)
}

/// All repetitions of one model: the runs that count, and why others do not.
fn measure(
    entry: &Entry,
    table: &Table,
    elnath: &Elnath,
    extra: &[Variant],
    repeat: u32,
    work: &Path,
    csv: &mut File,
) -> (Vec<Run>, Vec<String>) {
    let model = match Model::prepare(entry, work) {
        Ok(model) => model,
        Err(message) => return (Vec::new(), vec![message]),
    };
    let (mut runs, mut refused) = (Vec::<Run>::new(), Vec::new());
    for repetition in 1..=if entry.spin_too { repeat } else { 1 } {
        for variant in order(entry, extra, repetition) {
            // What failed once would fail again, and may have taken minutes.
            if refused.iter().any(|(failed, _)| *failed == variant) {
                continue;
            }
            eprint!("{} {repetition}/{repeat} {}: ", entry.name, variant.name());
            let result = match variant {
                Variant::Spin | Variant::Collapse => sides::spin(table, &model, variant, repetition),
                _ => elnath.run(&model, variant, repetition),
            };
            let run = match result {
                Ok(run) => run,
                Err(message) => {
                    eprintln!("{message}");
                    refused.push((variant, message));
                    continue;
                }
            };
            eprintln!(
                "{:.2} s, search {:.2} s ({:.2} s CPU), {} MiB",
                run.total,
                run.search,
                run.cpu,
                run.peak >> 20
            );
            let other = runs.iter().find(|other| matches!(other.variant, Variant::Spin | Variant::Ours));
            let disagreement = report::disagreement(entry, &run, other);
            // Written at once, so that an interrupted run leaves what it has measured.
            if let Err(error) =
                csv.write_all(report::csv(&entry.name, &run, disagreement.is_none()).as_bytes())
            {
                eprintln!("versus-spin: the CSV file: {error}");
            }
            match disagreement {
                Some(message) => {
                    eprintln!("  {message}");
                    refused.push((variant, message));
                }
                None => runs.push(run),
            }
        }
    }
    runs.retain(|run| refused.iter().all(|(variant, _)| *variant != run.variant));
    (runs, refused.into_iter().map(|(_, message)| message).collect())
}

/// What one repetition runs, in which order: ours first in odd ones, SPIN first in even ones. Two threads stand beside
/// one thread, with which they are compared. Compression is about memory, which does not vary: once.
fn order(entry: &Entry, extra: &[Variant], repetition: u32) -> Vec<Variant> {
    if !entry.spin_too {
        return vec![Variant::Ours];
    }
    let threads = extra.iter().copied().filter(|variant| *variant == Variant::Threads);
    let mut order: Vec<Variant> = threads.chain([Variant::Ours, Variant::Spin]).collect();
    if repetition.is_multiple_of(2) {
        order.reverse();
    } else {
        order.extend(extra.iter().filter(|variant| repetition == 1 && **variant != Variant::Threads));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_take_turns() {
        let table = "# spin -a; gcc -O2\nname\tfile\tpan_flags\tsides\nm\tm.pml\t-c0\t\nl\tl.pml\t\telnath\n";
        let table = table::read(table, Path::new("")).unwrap();
        use Variant::{Collapse, Ours, Spin, Threads, Tree};
        let extra = [Threads, Tree, Collapse];
        let order = |repetition| order(&table.models[0], &extra, repetition);
        assert_eq!(order(1), [Threads, Ours, Spin, Tree, Collapse]);
        assert_eq!(order(2), [Spin, Ours, Threads]);
        assert_eq!(order(3), [Threads, Ours, Spin]);
        assert_eq!(super::order(&table.models[1], &extra, 1), [Ours]);
    }

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory as _;
        Args::command().debug_assert();
    }
}
