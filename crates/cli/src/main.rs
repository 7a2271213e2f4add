//! The command `elnath`. This crate alone prints, reads clocks and exits; everything it says comes from `elnath`.

mod commands;
mod limits;
mod options;
mod report;

use clap::{CommandFactory, Parser};
use commands::{bounded, check, compare, convert, experiment, info, ltl, random, reduce, replay, simulate};
use options::{Args, Command};
use report::terminal::Terminal;
use report::{json, render};
use std::io::Write as _;
use std::process::ExitCode;

/// How a command ended, as the shell sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exit {
    Holds = 0,
    Fails = 1,
    BadInput = 2,
    Unknown = 3,
}

impl Exit {
    /// How a command with this answer ends.
    fn of<E>(verdict: &elnath::Verdict<E>) -> Self {
        match verdict {
            elnath::Verdict::Holds(_) => Exit::Holds,
            elnath::Verdict::Fails(_) => Exit::Fails,
            elnath::Verdict::Unknown(_) => Exit::Unknown,
        }
    }
}

fn main() -> ExitCode {
    limits::catch_interrupts();
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return usage(&error),
    };
    let terminal = Terminal::new(&args.common);
    if matches!(args.command, Command::Check(_) | Command::Simulate(_) | Command::Replay(_)) {
        mention_old_spellings(&terminal);
    }
    let exit = match args.command {
        Command::Check(args) => check::run(&args, &terminal),
        Command::Compare(args) => compare::run(&args, &terminal),
        Command::Simulate(args) => simulate::run(&args, &terminal),
        Command::Replay(args) => replay::run(&args, &terminal),
        Command::Bounded(args) => bounded::run(&args, &terminal),
        Command::Info(args) => info::run(&args, &terminal),
        Command::Convert(args) => convert::run(&args, &terminal),
        Command::Reduce(args) => reduce::run(&args, &terminal),
        Command::Ltl(args) => ltl::run(&args, &terminal),
        Command::Random(args) => random::run(&args, &terminal),
        Command::Experiment(args) => experiment::run(&args, &terminal),
        Command::Completions { shell } => completions(shell, &terminal),
        Command::Man { directory } => man_pages(&directory, &terminal),
    };
    ExitCode::from(exit as u8)
}

/// Says what to write instead of options that will not be read any more.
fn mention_old_spellings(terminal: &Terminal) {
    let words: Vec<String> = std::env::args().skip(1).take_while(|word| word != "--").collect();
    for (old, new) in options::OLD {
        let is_old =
            |word: &String| word == old || word.strip_prefix(old).is_some_and(|rest| rest.starts_with('='));
        if words.iter().any(is_old) {
            terminal
                .note(&format!("note: {old} is now {new}; the old spelling works until the next release"));
        }
    }
}

/// A command line that cannot be read, or one that asks for help. Nothing is known of the options then, so that what machines
/// get depends on whether the word --json is among them.
fn usage(error: &clap::Error) -> ExitCode {
    // A reader that has gone away is no reason to complain.
    let _ = error.print();
    let words: Vec<String> = std::env::args().skip(1).take_while(|word| word != "--").collect();
    if error.use_stderr() && words.iter().any(|word| word == "--json") {
        let known = Args::command();
        let command = words.iter().find(|word| known.find_subcommand(word).is_some());
        let object = json::bad_input(command.map_or("", String::as_str), &[render::usage_error(error)]);
        let _ = writeln!(std::io::stdout(), "{object:#}");
    }
    ExitCode::from(error.exit_code() as u8)
}

fn completions(shell: clap_complete::Shell, terminal: &Terminal) -> Exit {
    // Into memory first: the generator panics if its reader goes away.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "elnath", &mut script);
    let script = String::from_utf8_lossy(&script);
    if terminal.json {
        let fields = serde_json::json!({ "shell": shell.to_string(), "script": script });
        terminal.object(&json::object("completions", fields));
    } else {
        terminal.say(script.trim_end());
    }
    Exit::Holds
}

fn man_pages(directory: &std::path::Path, terminal: &Terminal) -> Exit {
    let written = std::fs::create_dir_all(directory)
        .and_then(|()| clap_mangen::generate_to(Args::command(), directory));
    match written {
        Ok(()) => {
            if terminal.json {
                let fields = serde_json::json!({ "directory": directory.display().to_string() });
                terminal.object(&json::object("man", fields));
            }
            terminal.note(&format!("man pages written to {}", directory.display()));
            Exit::Holds
        }
        Err(error) => terminal.bad_input(&[render::file_error(directory, &error)], "man"),
    }
}
