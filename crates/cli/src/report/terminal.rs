//! What goes to the terminal, in which colours, and what does not because it was asked to be quiet.

use crate::Exit;
use crate::options::{Color, Common};
use crate::report::{json, render};
use elnath::Finding;
use elnath::findings::Denied;
use elnath::source::{Message, Severity, classified, codes};
use std::cell::{Cell, RefCell};
use std::io::{self, IsTerminal, Write};

pub(crate) struct Terminal {
    pub(crate) json: bool,
    pub(crate) quiet: bool,
    /// Whether how the answer was found is told, too.
    pub(crate) verbose: bool,
    /// Whether all steps of a run are shown.
    pub(crate) full: bool,
    colored_out: bool,
    colored_err: bool,
    /// Whether the answer goes to standard error, since a file goes to standard output.
    aside: Cell<bool>,
    /// Why standard output took no more.
    lost: RefCell<Option<io::Error>>,
    /// What could not be written beside the answer.
    failed: RefCell<Vec<Message>>,
    /// What was found so far, each thing once.
    found: RefCell<Vec<Finding>>,
    /// Which findings are errors.
    denied: Denied,
}

/// A colour of the output.
#[derive(Clone, Copy)]
pub(crate) enum Paint {
    Good,
    Bad,
    Doubt,
    Dim,
    Strong,
    /// Of the actor with this number.
    Actor(usize),
}

impl Terminal {
    pub(crate) fn new(common: &Common) -> Self {
        let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let colored = |is_terminal: bool| match common.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => is_terminal && !plain,
        };
        Self {
            json: common.json,
            quiet: common.quiet,
            verbose: common.verbose,
            full: common.full,
            colored_out: colored(io::stdout().is_terminal()),
            colored_err: colored(io::stderr().is_terminal()),
            aside: Cell::new(false),
            lost: RefCell::new(None),
            failed: RefCell::new(Vec::new()),
            found: RefCell::new(Vec::new()),
            denied: common.denied(),
        }
    }

    /// One without colours.
    #[cfg(test)]
    pub(crate) fn plain() -> Self {
        let color = Color::Never;
        Self::new(&Common { json: false, quiet: false, verbose: false, full: false, color, deny: Vec::new() })
    }

    /// Whether what goes to standard output has colours.
    pub(crate) fn is_colored(&self) -> bool {
        self.colored_out
    }

    /// From now on the answer goes to standard error: a file goes to standard output.
    pub(crate) fn step_aside(&self) {
        self.aside.set(true);
    }

    /// An output that failed when the answer was known. The answer is still given, and says so.
    pub(crate) fn failed(&self, messages: Vec<Message>) {
        self.messages(&messages);
        self.failed.borrow_mut().extend(messages);
    }

    /// How the command ends: an answer of 1 or 3 keeps its code although an output failed, since it is no success anyhow
    /// and more important; that the answer itself could not be written is bad.
    pub(crate) fn end(&self, exit: Exit) -> Exit {
        if let Err(error) = io::stdout().flush() {
            self.lose(error);
        }
        if let Some(error) = &*self.lost.borrow() {
            let _ = writeln!(io::stderr(), "error: standard output: {error}; the answer is not complete");
            return Exit::BadInput;
        }
        if exit != Exit::BadInput && self.found.borrow().iter().any(|finding| self.denies(finding)) {
            let _ = writeln!(io::stderr(), "{}", self.refusal());
            return Exit::BadInput;
        }
        if exit == Exit::Holds && !self.failed.borrow().is_empty() { Exit::BadInput } else { exit }
    }

    fn lose(&self, error: io::Error) {
        // A reader that has gone away, such as head, is no reason to complain.
        if error.kind() != io::ErrorKind::BrokenPipe {
            self.lost.borrow_mut().get_or_insert(error);
        }
    }

    /// A line of the answer.
    pub(crate) fn say(&self, line: &str) {
        if self.aside.get() {
            let _ = writeln!(io::stderr(), "{line}");
        } else if let Err(error) = writeln!(io::stdout(), "{line}") {
            self.lose(error);
        }
    }

    /// A line of the answer that --quiet and --json leave out.
    pub(crate) fn detail(&self, line: &str) {
        if !self.quiet && !self.json {
            self.say(line);
        }
    }

    /// A line of the answer that only --verbose prints.
    pub(crate) fn more(&self, line: &str) {
        if self.verbose {
            self.detail(line);
        }
    }

    /// A remark that is not part of the answer.
    pub(crate) fn note(&self, line: &str) {
        if !self.quiet {
            let _ = writeln!(io::stderr(), "{line}");
        }
    }

    /// A question to a person who wants to be asked.
    pub(crate) fn ask(&self, line: &str) {
        let _ = writeln!(io::stderr(), "{line}");
    }

    pub(crate) fn object(&self, object: &serde_json::Value) {
        let mut object = object.clone();
        if !self.failed.borrow().is_empty() {
            object["messages"] = self.failed.borrow().iter().map(json::message).collect();
        }
        let found = self.found.borrow();
        object["findings"] = found.iter().map(|found| json::finding(found, self.denies(found))).collect();
        self.say(&serde_json::to_string_pretty(&object).expect("JSON of our own making"));
    }

    pub(crate) fn paint(&self, paint: Paint, text: &str) -> String {
        /// Told apart on dark and on light ground; none of them is that of a verdict.
        const ACTORS: [&str; 6] = ["36", "35", "34", "96", "95", "94"];
        let code = match paint {
            Paint::Good => "32;1",
            Paint::Bad => "31;1",
            Paint::Doubt => "33;1",
            Paint::Dim => "2",
            Paint::Strong => "1",
            Paint::Actor(number) => ACTORS[number % ACTORS.len()],
        };
        if self.colored_out && !text.is_empty() {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }

    /// What was found in a model or about an option.
    pub(crate) fn warnings(&self, messages: &[Message]) {
        messages.iter().cloned().map(Finding::from).for_each(|finding| self.found(finding));
    }

    /// Something that was found. What bears on the verdict is told even if nothing but the verdict is to be printed.
    pub(crate) fn found(&self, finding: Finding) {
        if self.found.borrow().contains(&finding) {
            return;
        }
        let denied = self.denies(&finding);
        if !self.quiet || denied || finding.message.severity > Severity::Note {
            let severity = if denied { Severity::Error } else { finding.message.severity };
            let _ = writeln!(
                io::stderr(),
                "{}",
                render::message_at(&finding.message, severity, self.colored_err)
            );
        }
        self.found.borrow_mut().push(finding);
    }

    /// Something that was found and that the report tells already.
    pub(crate) fn found_and_told(&self, finding: Finding) {
        if self.denies(&finding) {
            self.found(finding);
        } else if !self.found.borrow().contains(&finding) {
            self.found.borrow_mut().push(finding);
        }
    }

    fn denies(&self, finding: &Finding) -> bool {
        finding.code().is_some_and(|code| self.denied.has(code))
    }

    /// Why a command with an answer ends like one without.
    fn refusal(&self) -> String {
        let found = self.found.borrow();
        let mut codes: Vec<&str> = found
            .iter()
            .filter(|found| self.denies(found))
            .filter_map(|found| Some(found.code()?.text()))
            .collect();
        codes.sort_unstable();
        codes.dedup();
        format!(
            "error: denied (--deny): {}; elnath explain {} says what it means",
            codes.join(", "),
            codes[0]
        )
    }

    /// Reports broken input: the messages for people on standard error, and for machines on standard output.
    pub(crate) fn bad_input(&self, messages: &[Message], command: &str) -> Exit {
        let messages = &classified(messages.to_vec(), codes::USAGE)[..];
        self.messages(messages);
        if self.json {
            self.object(&json::bad_input(command, messages));
        } else {
            let errors = messages.iter().filter(|message| message.severity == Severity::Error).count();
            if errors > 1 {
                self.note(&format!("{errors} errors"));
            }
        }
        // What ran out before there was a question to answer is no fault of the input, unless it is denied.
        let ran_out = |message: &Message| message.code == Some(codes::FORMULA_LIMIT);
        let forgiven = messages.iter().any(ran_out) && !self.denied.has(codes::FORMULA_LIMIT);
        if forgiven { Exit::Unknown } else { Exit::BadInput }
    }

    fn messages(&self, messages: &[Message]) {
        for message in messages {
            let _ = writeln!(io::stderr(), "{}", render::message(message, self.colored_err));
        }
    }
}
