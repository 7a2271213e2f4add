//! Help: `-h` of every command is one screen, everyday options come first, options are under their headings, and every example
//! in every `--help` runs.

mod common;

use common::{Folder, copy, elnath, run};
use std::path::Path;
use std::process::{Command, Stdio};

const LINES: usize = 24;
const COLUMNS: usize = 80;

/// The words of all commands, such as `["experiment", "caching"]`.
fn commands() -> Vec<Vec<String>> {
    let (mut found, mut next) = (Vec::new(), vec![Vec::new()]);
    while let Some(words) = next.pop() {
        let help = run(words.iter().map(String::as_str).chain(["-h"]));
        assert_eq!(help.code, Some(0), "{words:?}");
        let listed = help.out.lines().skip_while(|line| *line != "Commands:").skip(1);
        let listed = listed.take_while(|line| !line.is_empty()).filter_map(|line| line.strip_prefix("  "));
        // Lines that go on with what a command does are indented further.
        let listed =
            listed.filter(|line| !line.starts_with(' ')).filter_map(|line| line.split_whitespace().next());
        for name in listed.filter(|name| *name != "help") {
            next.push(words.iter().cloned().chain([name.to_owned()]).collect());
        }
        found.push(words);
    }
    assert!(found.len() > 15, "{found:?}");
    found
}

fn help(words: &[String], option: &str) -> String {
    let output = elnath(words.iter().map(String::as_str).chain([option])).env("COLUMNS", "80").output();
    String::from_utf8(output.expect("elnath can be started").stdout).expect("text")
}

#[test]
fn short_help_is_one_screen() {
    let mut wrong = Vec::new();
    for words in commands() {
        let text = help(&words, "-h");
        let wide = text.lines().filter(|line| line.chars().count() > COLUMNS).count();
        let (lines, long) = (text.lines().count(), help(&words, "--help").lines().count());
        if lines > LINES || wide > 0 || long < lines {
            wrong.push(format!(
                "elnath {} -h: {lines} lines, {wide} too wide; --help: {long}\n{text}",
                words.join(" ")
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn short_help_begins_with_everyday_options_and_has_examples() {
    for words in commands() {
        let text = help(&words, "-h");
        let has_commands = text.contains("\nCommands:\n");
        assert!(has_commands || text.contains("\nExamples:\n  "), "{text}");
    }
    let check = help(&["check".to_owned()], "-h");
    let at =
        |word: &str| check.find(word).unwrap_or_else(|| panic!("{word} is an everyday option:\n{check}"));
    assert!(at("--only") < at("--ltl") && at("--ltl") < at("--fair"), "{check}");
    for rare in ["--empty-word", "--disk", "--tau", "--faults"] {
        assert!(!check.contains(rare), "{rare} is not for every day:\n{check}");
        assert!(help(&["check".to_owned()], "--help").contains(rare), "{rare}");
    }
}

/// Where `--engine` and what follows it was once listed under the labels.
#[test]
fn options_are_under_their_headings() {
    let heading = |words: &[&str], option: &str| -> String {
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        let text = help(&words, "--help");
        let mut heading = "";
        for line in text.lines() {
            if line.starts_with(|c: char| c.is_alphabetic()) && line.ends_with(':') {
                heading = line;
            }
            let mut named = line.trim_start().split([' ', ',']).filter(|word| word.starts_with("--"));
            if line.trim_start().starts_with('-') && named.next() == Some(option) {
                return heading.to_owned();
            }
        }
        panic!("{option} is not in the help:\n{text}")
    };
    for (words, option, wanted) in [
        (&["compare"][..], "--engine", "How to search:"),
        (&["compare"], "--svg", "What to show:"),
        (&["compare"], "--memory", "Limits:"),
        (&["compare"], "--relation", "Options:"),
        (&["bounded"], "--time", "Limits:"),
        (&["bounded"], "--plot", "What to show:"),
        (&["check"], "--disk", "Limits:"),
        (&["check"], "--ltl", "What to check:"),
        (&["check"], "--json", "In every command:"),
        (&["convert"], "--memory", "Limits:"),
        (&["reduce"], "--classes", "What to show:"),
    ] {
        assert_eq!(heading(words, option), wanted, "{words:?} {option}");
    }
}

/// The commands among the examples of a help text: lines of which two blanks and no more stand before the first word.
fn examples(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Examples:").skip(1);
    let lines = lines.filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
    lines.map(|line| line.split_once("  ").map_or(line, |(command, _)| command).to_owned()).collect()
}

#[test]
fn every_example_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let binary = Path::new(env!("CARGO_BIN_EXE_elnath")).parent().expect("a folder").to_path_buf();
    let others = std::env::var_os("PATH").unwrap_or_default();
    let path =
        std::env::join_paths([binary].into_iter().chain(std::env::split_paths(&others))).expect("a path");
    let (mut wrong, mut ran) = (Vec::new(), 0);
    for words in commands() {
        let folder = Folder::new(&format!("help-{}", words.join("-")));
        copy(&root.join("examples"), &folder.as_path().join("examples"));
        // As wide as help can be, so that no command is broken into lines.
        let text = run(words.iter().map(String::as_str).chain(["--help"])).out;
        for command in examples(&text) {
            // What serves until Ctrl-C gets one.
            let serves = command.contains("explore");
            let command = match serves {
                true => format!("timeout --preserve-status -s INT 2 {command}"),
                false => command,
            };
            let mut shell = Command::new("sh");
            shell
                .args(["-c", &command])
                .current_dir(folder.as_path())
                .env("PATH", &path)
                .stdin(Stdio::null());
            let output = shell.output().expect("sh can be started");
            ran += 1;
            if !matches!(output.status.code(), Some(0 | 1 | 3)) {
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                wrong.push(format!("{command}\n  ends with {:?}: {said}", output.status.code()));
            }
        }
    }
    assert!(ran > 45, "{ran} examples found: does the rule still find them?");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
