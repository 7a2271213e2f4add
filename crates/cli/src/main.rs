//! The command `elnath`. This crate alone prints, reads clocks and exits; everything it says comes from `elnath`.

mod commands;
mod limits;
mod options;
mod output;
mod report;

use clap::CommandFactory;
use commands::{
    bounded, branching, check, compare, compatible, convert, experiment, explain, explore, info, ltl, random,
    reduce, replay, simulate,
};
use elnath::source::{Message, codes};
use options::{Args, Command};
use output::Outputs;
use report::terminal::Terminal;
use report::{json, render};
use std::io::{IsTerminal as _, Write as _};
use std::path::Path;
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
    let words = std::env::args_os().collect();
    let (words, notes) = match options::foreign::understood(words) {
        Ok(understood) => (understood.words, understood.notes),
        Err(answer) => return usage(&Args::command().error(clap::error::ErrorKind::UnknownArgument, answer)),
    };
    let args = match options::read(words) {
        Ok(args) => args,
        Err(error) => return usage(&error),
    };
    let terminal = Terminal::new(&args.common);
    notes.iter().for_each(|note| terminal.note(note));
    if matches!(args.command, Command::Check(_) | Command::Simulate(_) | Command::Replay(_)) {
        mention_old_spellings(&terminal);
    }
    let exit = match args.command {
        Command::Check(args) => check::run(&args, &terminal),
        Command::Compare(args) => compare::run(&args, &terminal),
        Command::Explore(args) => explore::run(&args, &terminal),
        Command::Simulate(args) => simulate::run(&args, &terminal),
        Command::Replay(args) => replay::run(&args, &terminal),
        Command::Bounded(args) => bounded::run(&args, &terminal),
        Command::Compatible(args) => compatible::run(&args, &terminal),
        Command::Info(args) => info::run(&args, &terminal),
        Command::Convert(args) => convert::run(&args, &terminal),
        Command::Reduce(args) => reduce::run(&args, &terminal),
        Command::Ltl(args) => ltl::run(&args, &terminal),
        Command::Mu(args) => branching::show(&args, &terminal),
        Command::Random(args) => random::run(&args, &terminal),
        Command::Experiment(args) => experiment::run(&args, &terminal),
        Command::Explain(args) => explain::run(&args, &terminal),
        Command::Completions { shell } => completions(shell, &terminal),
        Command::Man { directory, force } => man_pages(&directory, force, &terminal),
    };
    ExitCode::from(terminal.end(exit) as u8)
}

/// Says what to write instead of options that will not be read any more.
fn mention_old_spellings(terminal: &Terminal) {
    let words: Vec<String> = std::env::args().skip(1).take_while(|word| word != "--").collect();
    for (old, new) in options::OLD {
        let is_old =
            |word: &String| word == old || word.strip_prefix(old).is_some_and(|rest| rest.starts_with('='));
        if words.iter().any(is_old) {
            let text = format!("{old} is now {new}; the old spelling works until the next release");
            terminal.warnings(&[Message::finding(codes::OLD_SPELLING, text, None)]);
        }
    }
}

/// What clap has to say, errors with their code.
fn print_usage(error: &clap::Error) -> std::io::Result<()> {
    if !error.use_stderr() || !error.to_string().starts_with("error:") {
        return error.print();
    }
    let code = codes::USAGE;
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let text = error.render();
    let text =
        if std::io::stderr().is_terminal() && !plain { text.ansi().to_string() } else { text.to_string() };
    write!(std::io::stderr(), "{}", text.replacen("error:", &format!("error[{code}]:"), 1))
}

/// A command line that cannot be read, or one that asks for help. Nothing is known of the options then, so that what machines
/// get depends on whether the word --json is among them.
fn usage(error: &clap::Error) -> ExitCode {
    let printed = print_usage(error).and_then(|()| std::io::stdout().flush());
    // A reader that has gone away is no reason to complain.
    if let Err(why) = printed
        && why.kind() != std::io::ErrorKind::BrokenPipe
    {
        let _ = writeln!(std::io::stderr(), "error: standard output: {why}; the help is not complete");
        return ExitCode::from(Exit::BadInput as u8);
    }
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
    clap_complete::generate(shell, &mut options::described(), "elnath", &mut script);
    let script = String::from_utf8_lossy(&script);
    if terminal.json {
        let fields = serde_json::json!({ "shell": shell.to_string(), "script": script });
        terminal.object(&json::object("completions", fields));
    } else {
        terminal.say(script.trim_end());
    }
    Exit::Holds
}

/// Writes a page for each command; to standard output, the page of the command without a word after it.
fn man_pages(directory: &Path, force: bool, terminal: &Terminal) -> Exit {
    match written_pages(directory, force, terminal) {
        Ok(()) => {
            if terminal.json {
                let fields = serde_json::json!({ "directory": directory.display().to_string() });
                terminal.object(&json::object("man", fields));
            }
            if directory.as_os_str() != "-" {
                terminal.note(&format!("man pages written to {}", directory.display()));
            }
            Exit::Holds
        }
        Err(messages) => terminal.bad_input(&messages, "man"),
    }
}

fn written_pages(directory: &Path, force: bool, terminal: &Terminal) -> Result<(), Vec<Message>> {
    let mut main = options::described();
    // So that the pages of the commands know their whole names.
    main.build();
    let mut outputs = Outputs::beside::<&Path>([], force);
    let mut pages = Vec::new();
    if directory.as_os_str() == "-" {
        pages.push((outputs.any(directory, "the page"), main));
    } else {
        std::fs::create_dir_all(directory).map_err(|error| vec![render::file_error(directory, &error)])?;
        let mut rest = vec![main];
        while let Some(command) = rest.pop() {
            rest.extend(command.get_subcommands().filter(|command| !command.is_hide_set()).cloned());
            let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
            let path = directory.join(format!("{name}.1"));
            pages.push((outputs.any(&path, "the page"), command));
        }
    }
    outputs.tried(terminal)?;
    for (output, command) in pages {
        if let Some(output) = output {
            output.write(|mut out| clap_mangen::Man::new(command).render(&mut out))?;
        }
    }
    Ok(())
}
