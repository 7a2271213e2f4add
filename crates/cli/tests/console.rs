//! The documents show what elnath prints: every command in a `console` block is run, and its output is compared.
//!
//! A block is a transcript: a line `$ COMMAND`, the lines that it prints (standard output and standard error, as a terminal shows
//! them), the next command, and so on.
//!
//! - A command is run by `sh` in a folder of its document's own that has a copy of `examples`, so that a command finds the
//!   files that those before it have written, and nothing is written into the repository.
//! - Figures of the machine (times, memory, threads) are normalised on both sides, by the patterns in [`MACHINE`].
//! - Where a search with several threads ends early, how far it came depends on which thread was faster. Its figures are normalised,
//!   too ([`SEARCH`]), and everything else is compared. A document that wants those figures compared says `--threads 1`.
//! - A line `...` stands for any number of lines. `$ echo $?` shows the exit code of the command before it.
//! - A line that begins with `#` is a note of the document about the line before it.
//! - A command without output lines must be accepted: it may end with exit code 0, 1 or 3.
//! - Commands of other programs ([`NOT_RUN`]) and those with a mark ([`MARKS`]) are not run; the last line counts them.
//! - A block ```` ```promela PATH ```` shows the file PATH of the repository.
//! - A file that a command writes and that `docs/pictures` has, too, is the same as there.
//! - Commands in the text, such as `elnath check FILE --json`, name commands and options that exist.
//!
//! `cargo test -p elnath-cli --test console -- --write` writes the documents anew where they differ. That is why this test
//! has a `main` of its own: libtest would not hand on the option.

mod common;

use common::{Folder, copy};
use regex::Regex;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// What depends on the machine: a pattern, and what stands for it in a comparison.
const MACHINE: &[(&str, &str)] = &[
    (r"\b\d+(\.\d+)? (ms|s)\b", "TIME"),
    (r"\b\d+(\.\d+)? (bytes|KiB|MiB|GiB)\b", "MEMORY"),
    (r"\b\d+ threads?\b", "THREADS"),
    (r"\b\d+(\.\d+)? ?[kMG]?/s\b", "SPEED"),
];

/// How far a search has come: a pattern, and what stands for it in a comparison. The patterns know numbers and their units, not the
/// layout of the report.
const SEARCH: &[(&str, &str)] = &[
    (r"\b\d[\d,]* of \d[\d,]*\b", "COUNT of COUNT"),
    (r"\b\d[\d,]*( \w+)? (states?|transitions?)\b", "COUNT$1 $2"),
    (r"\bdepth \d[\d,]*\b", "depth COUNT"),
];

/// How a reader who has not installed elnath runs it; here it is the elnath under test.
const UNINSTALLED: &str = "cargo run --release --bin elnath -- ";

/// Programs that are run.
const RUN: &[&str] = &["elnath", "echo", "cat"];

/// Programs that are not run, and why.
const NOT_RUN: &[(&str, &str)] = &[
    ("cargo", "builds for minutes"),
    ("spin", "another tool"),
    ("gcc", "another tool"),
    ("./pan", "another tool"),
    ("strip", "changes what is installed"),
    ("git", "needs a network"),
];

/// Marks of commands that are not run, and why.
const MARKS: &[(&str, &str)] =
    &[("# takes minutes", "takes minutes"), ("# not here: ", "needs models of other people")];

/// Documents that record what was said at some time.
const RECORDS: &[&str] = &["CHANGELOG.md", "docs/campaigns.md"];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let write = arguments.iter().any(|argument| argument == "--write");
    // As libtest does: words are filters.
    let filters: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    if !filters.is_empty() && !filters.iter().any(|filter| "console".contains(filter.as_str())) {
        say("console: filtered out");
        return ExitCode::SUCCESS;
    }
    let mut reader = Reader::new(write);
    compares_what_it_should(&reader);
    for document in documents(&reader.root) {
        reader.read(&document);
    }
    reader.judge()
}

/// The comparison itself: two outputs of one command that a machine has printed, and some that it must not take for the same.
fn compares_what_it_should(reader: &Reader) {
    let early = "7 states, 7 transitions, depth 2, 0.00 s, 12.6 KiB (1838 bytes per state)
weak search, 2 threads, seed 1
partial order reduction: one process stood for all in 6 of 16 states expanded
fails: delivers: [] <> Receiver@fresh (the formula is violated)";
    let late = "12 states, 1,014 transitions, depth 4, 0.20 s, 2 MiB (90 bytes per state)
weak search, 1 thread, seed 1
partial order reduction: one process stood for all in 7 of 21 states expanded
fails: delivers: [] <> Receiver@fresh (the formula is violated)";
    let lines = |text: &str| -> Vec<String> { text.lines().map(str::to_owned).collect() };
    let agree = |command: &str, code, left: &str, right: &str| {
        reader.agree(&lines(left), &lines(right), figures_vary(command, code))
    };
    let command = "elnath check m.pml --claim delivers";
    assert!(agree(command, 1, early, late), "how far several threads came is not compared");
    assert!(agree(command, 3, early, late), "nor if they were stopped");
    assert!(!agree(command, 0, early, late), "a search that went to its end has the same figures always");
    assert!(!agree("elnath check m.pml --threads 1", 1, early, late), "and so has one by one thread");
    assert!(!agree("elnath compare a.aut b.aut", 1, early, late), "comparing has one thread");
    for (from, to) in [("fails", "holds"), ("weak search", "nested search"), ("seed 1", "seed 2")] {
        assert!(!agree(command, 1, early, &late.replace(from, to)), "{from} is compared");
    }
}

/// The documents, as paths from the root: those at the root and those below `docs`.
fn documents(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of the repository") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                if path.starts_with(root.join("docs")) {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|it| it == "md") {
                let short = path.strip_prefix(root).expect("a path below the root").display().to_string();
                if !RECORDS.contains(&short.as_str()) {
                    found.push(short);
                }
            }
        }
    }
    found.sort();
    found
}

/// Goes through the documents and collects what is wrong with them.
struct Reader {
    root: PathBuf,
    write: bool,
    machine: Vec<(Regex, &'static str)>,
    search: Vec<(Regex, &'static str)>,
    /// The search path of `sh`: the elnath under test comes first.
    path: OsString,
    /// The help texts that have been asked for, by command.
    helps: BTreeMap<String, Option<String>>,
    wrong: Vec<String>,
    ran: usize,
    files: usize,
    inline: usize,
    not_run: BTreeMap<&'static str, usize>,
}

impl Reader {
    fn new(write: bool) -> Self {
        let root =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository");
        let compile =
            |(pattern, name): &(&str, &'static str)| (Regex::new(pattern).expect("a pattern"), *name);
        let binary = Path::new(env!("CARGO_BIN_EXE_elnath")).parent().expect("a folder").to_path_buf();
        let others = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths([binary].into_iter().chain(std::env::split_paths(&others)));
        Self {
            root,
            write,
            machine: MACHINE.iter().map(compile).collect(),
            search: SEARCH.iter().map(compile).collect(),
            path: path.expect("a search path"),
            helps: BTreeMap::new(),
            wrong: Vec::new(),
            ran: 0,
            files: 0,
            inline: 0,
            not_run: BTreeMap::new(),
        }
    }

    /// Checks one document, or writes it anew.
    fn read(&mut self, document: &str) {
        let text = std::fs::read_to_string(self.root.join(document)).expect("a document");
        let lines: Vec<&str> = text.lines().collect();
        let folder = Folder::new(&format!("console-{}", document.replace(['/', '.'], "-")));
        copy(&self.root.join("examples"), &folder.as_path().join("examples"));
        let mut out: Vec<String> = Vec::new();
        let mut at = 0;
        while at < lines.len() {
            let line = lines[at];
            out.push(line.to_owned());
            at += 1;
            let Some(info) = line.trim_start().strip_prefix("```") else {
                if line.trim_start().starts_with("$ ") {
                    self.wrong.push(format!("{document}:{at}: a command outside a `console` block"));
                }
                self.spans(document, at, line);
                continue;
            };
            let end = at + lines[at..].iter().take_while(|line| line.trim_start() != "```").count();
            let body = &lines[at..end];
            let words: Vec<&str> = info.split_whitespace().collect();
            match words[..] {
                ["console"] => out.extend(self.transcript(document, at, body, &folder)),
                [_, path] => out.extend(self.shown_file(document, at, body, path)),
                _ => {
                    if let Some(line) = body.iter().position(|line| line.starts_with("$ ")) {
                        let place = at + line + 1;
                        self.wrong.push(format!("{document}:{place}: a command outside a `console` block"));
                    }
                    out.extend(body.iter().map(|line| (*line).to_owned()));
                }
            }
            at = end;
            if at < lines.len() {
                out.push(lines[at].to_owned());
                at += 1;
            }
        }
        self.pictures(document, &folder);
        let new = out.join("\n") + "\n";
        if self.write && new != text {
            std::fs::write(self.root.join(document), new).expect("the document can be written");
            say(&format!("written: {document}"));
        }
    }

    /// Runs the commands of a block that begins after line `at`; gives what the block should be.
    fn transcript(&mut self, document: &str, at: usize, body: &[&str], folder: &Folder) -> Vec<String> {
        let mut out = Vec::new();
        let mut code = 0;
        let mut next = 0;
        while next < body.len() {
            let line = body[next];
            let place = format!("{document}:{}", at + next + 1);
            next += 1;
            out.push(line.to_owned());
            let Some(command) = line.strip_prefix("$ ") else {
                self.wrong.push(format!("{place}: output without a command"));
                continue;
            };
            let mut command = command.to_owned();
            while command.ends_with('\\') && next < body.len() {
                command.pop();
                command += body[next].trim_start();
                out.push(body[next].to_owned());
                next += 1;
            }
            let shown = body[next..].iter().take_while(|line| !line.starts_with("$ "));
            let shown: Vec<String> = shown.map(|line| (*line).to_owned()).collect();
            next += shown.len();
            let command = match command.strip_prefix(UNINSTALLED) {
                Some(arguments) => format!("elnath {arguments}"),
                None => command,
            };
            let program = command.split_whitespace().next().unwrap_or_default();
            let other = NOT_RUN.iter().find(|(name, _)| *name == program).map(|(_, why)| *why);
            let marked = MARKS.iter().find(|(mark, _)| command.contains(mark)).map(|(_, why)| *why);
            if let Some(reason) = other.or(marked) {
                *self.not_run.entry(reason).or_default() += 1;
                out.extend(shown);
                continue;
            }
            if !RUN.contains(&program) {
                self.wrong
                    .push(format!("{place}: `{program}` is in neither list of programs (RUN, NOT_RUN)"));
                out.extend(shown);
                continue;
            }
            let (printed, ended) = self.run(&command.replace("$?", &code.to_string()), folder);
            code = ended;
            self.ran += 1;
            if !(0..=3).contains(&code) {
                self.wrong.push(format!("{place}: `{command}` ends with {code}:\n{}", printed.join("\n")));
            }
            if shown.is_empty() {
                if code == 2 {
                    self.wrong.push(format!("{place}: `{command}` is refused:\n{}", printed.join("\n")));
                }
            } else if self.agree(&shown, &printed, figures_vary(&command, code)) {
                out.extend(shown);
            } else {
                let wanted = rewritten(&shown, &printed);
                let lost = shown.iter().filter(|line| is_note(line) && !wanted.contains(line));
                let lost: Vec<String> =
                    lost.map(|note| format!("{place}: no place any more for: {note}")).collect();
                if !self.write {
                    self.wrong.push(format!(
                        "{place}: `{command}` prints\n{}\n    and the document shows\n{}",
                        wanted.join("\n"),
                        shown.join("\n")
                    ));
                }
                self.wrong.extend(lost);
                out.extend(wanted);
            }
        }
        out
    }

    /// What a command prints, line by line, and its exit code.
    fn run(&self, command: &str, folder: &Folder) -> (Vec<String>, i32) {
        let printed = std::env::temp_dir().join(format!("elnath-console-{}.out", std::process::id()));
        let file = File::create(&printed).expect("a temporary file");
        let both = file.try_clone().expect("a second handle");
        let mut process = Command::new("sh");
        process.args(["-c", command]).current_dir(folder.as_path()).env("PATH", &self.path);
        process.stdin(Stdio::null()).stdout(file).stderr(both);
        let status = process.status().expect("sh can be started");
        let text = String::from_utf8_lossy(&std::fs::read(&printed).expect("its output")).into_owned();
        let _ = std::fs::remove_file(&printed);
        (text.lines().map(|line| line.trim_end().to_owned()).collect(), status.code().unwrap_or(-1))
    }

    /// Whether what is shown is what was printed, but for figures of the machine and, if they vary, those of the search.
    fn agree(&self, shown: &[String], printed: &[String], figures_vary: bool) -> bool {
        let search: &[_] = if figures_vary { &self.search } else { &[] };
        let plain = |lines: &[String]| -> Vec<String> {
            let plain = |line: &String| {
                let line = line.trim_end().to_owned();
                let patterns = self.machine.iter().chain(search);
                patterns.fold(line, |line, (pattern, name)| pattern.replace_all(&line, *name).into_owned())
            };
            lines.iter().map(plain).collect()
        };
        let shown: Vec<String> = shown.iter().filter(|line| !is_note(line)).cloned().collect();
        matches(&plain(&shown), &plain(printed))
    }

    /// A block that shows a file.
    fn shown_file(&mut self, document: &str, at: usize, body: &[&str], path: &str) -> Vec<String> {
        self.files += 1;
        let body: Vec<String> = body.iter().map(|line| (*line).to_owned()).collect();
        let Ok(text) = std::fs::read_to_string(self.root.join(path)) else {
            self.wrong.push(format!("{document}:{at}: there is no file {path}"));
            return body;
        };
        let text: Vec<String> = text.lines().map(str::to_owned).collect();
        if text != body && !self.write {
            self.wrong.push(format!("{document}:{at}: the block differs from {path}"));
        }
        text
    }

    /// Pictures that the document's commands have drawn are those of the repository.
    fn pictures(&mut self, document: &str, folder: &Folder) {
        for name in folder.names() {
            let here = self.root.join("docs/pictures").join(&name);
            if !here.is_file() {
                continue;
            }
            self.files += 1;
            let drawn = std::fs::read(folder.as_path().join(&name)).expect("what was written");
            if std::fs::read(&here).expect("a picture") == drawn {
                continue;
            }
            if self.write {
                std::fs::write(&here, drawn).expect("the picture can be written");
                say(&format!("written: docs/pictures/{name}"));
            } else {
                self.wrong.push(format!("{document}: its commands draw another docs/pictures/{name}"));
            }
        }
    }

    /// Code spans of a line that are commands: there are such commands and options.
    fn spans(&mut self, document: &str, line: usize, text: &str) {
        for span in text.split('`').skip(1).step_by(2) {
            let mut words = span.split_whitespace();
            let Some("elnath") = words.next() else { continue };
            let Some(command) = words.next() else { continue };
            if !command.chars().all(|c| c.is_ascii_lowercase()) {
                continue;
            }
            self.inline += 1;
            let Some(help) = self.help(command) else {
                self.wrong.push(format!("{document}:{line}: `{span}`: there is no command `{command}`"));
                continue;
            };
            let options = words.filter(|word| word.starts_with("--") && word.len() > 2);
            let names = options.map(|word| word.split('=').next().unwrap_or(word));
            let has =
                |name: &&str| help.split(|c: char| !(c.is_alphanumeric() || c == '-')).any(|it| it == *name);
            let missing: Vec<&str> = names.filter(|name| !has(name)).collect();
            for name in missing {
                self.wrong.push(format!("{document}:{line}: `{span}`: there is no option `{name}`"));
            }
        }
    }

    fn help(&mut self, command: &str) -> Option<String> {
        if command == "help" {
            return Some(String::new());
        }
        let ask = || {
            let ran = common::run([command, "--help"]);
            (ran.code == Some(0)).then_some(ran.out)
        };
        self.helps.entry(command.to_owned()).or_insert_with(ask).clone()
    }

    fn judge(self) -> ExitCode {
        let not_run: Vec<String> = self.not_run.iter().map(|(why, count)| format!("{count} {why}")).collect();
        let count: usize = self.not_run.values().sum();
        for wrong in &self.wrong {
            say(wrong);
        }
        let (ran, files, inline) = (self.ran, self.files, self.inline);
        assert!(ran > 30 && inline > 20, "{ran} and {inline} commands found: does the rule still find them?");
        if !self.wrong.is_empty() {
            say("if the documents are out of date: cargo test -p elnath-cli --test console -- --write");
        }
        say(&format!(
            "console: {} wrong; {ran} commands run, {files} files compared, {inline} commands in the text; not run: {count} ({})",
            self.wrong.len(),
            not_run.join(", ")
        ));
        if self.wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

/// Whether the command's search can end early (fails, unknown), and may have had more than one thread. What this machine has does not
/// count: the document may have been written on another.
fn figures_vary(command: &str, code: i32) -> bool {
    let words: Vec<&str> = command.split_whitespace().collect();
    let one_thread = words.windows(2).any(|pair| pair == ["--threads", "1"]);
    (code == 1 || code == 3) && words.get(1) == Some(&"check") && !one_thread
}

fn is_gap(line: &str) -> bool {
    line.trim() == "..."
}

/// Whether the lines are those of the pattern, in which `...` stands for any number of lines.
fn matches(pattern: &[String], lines: &[String]) -> bool {
    match pattern.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if is_gap(first) => {
            (0..=lines.len()).any(|skipped| matches(rest, &lines[skipped..]))
        }
        Some((first, rest)) => {
            lines.split_first().is_some_and(|(line, lines)| line == first && matches(rest, lines))
        }
    }
}

fn is_note(line: &str) -> bool {
    line.trim_start().starts_with('#')
}

/// What a block should show: all that was printed, or, where it had one gap, as many lines before and after it as before;
/// and its notes, each after the line that it was about.
fn rewritten(shown: &[String], printed: &[String]) -> Vec<String> {
    let lines: Vec<&String> = shown.iter().filter(|line| !is_note(line)).collect();
    let gaps: Vec<usize> = (0..lines.len()).filter(|at| is_gap(lines[*at])).collect();
    let mut wanted = printed.to_vec();
    if let [gap] = gaps[..] {
        let after = lines.len() - gap - 1;
        if gap + after < printed.len() {
            wanted.splice(gap..printed.len() - after, [lines[gap].clone()]);
        }
    }
    // Steps may have other numbers and columns other widths now.
    let key =
        |line: &str| line.split_whitespace().skip_while(|it| it.parse::<u32>().is_ok()).collect::<String>();
    let (mut about, mut from) = (String::new(), 0);
    for line in shown {
        if !is_note(line) {
            about = key(line);
        } else if let Some(at) =
            (from..wanted.len()).find(|at| !is_note(&wanted[*at]) && key(&wanted[*at]) == about)
        {
            let notes = wanted[at + 1..].iter().take_while(|line| is_note(line)).count();
            wanted.insert(at + 1 + notes, line.clone());
            from = at;
        }
    }
    wanted
}

#[expect(clippy::print_stdout, reason = "what a test says")]
fn say(text: &str) {
    println!("{text}");
}
