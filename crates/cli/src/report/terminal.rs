//! What goes to the terminal, in which colours, and what does not because it was asked to be quiet.

use crate::Exit;
use crate::options::{Color, Common};
use crate::report::render;
use elnath::source::{Message, Severity};
use std::io::{IsTerminal, Write};

pub(crate) struct Terminal {
    pub(crate) json: bool,
    pub(crate) quiet: bool,
    colored_out: bool,
    colored_err: bool,
}

/// A colour of the output.
#[derive(Clone, Copy)]
pub(crate) enum Paint {
    Good,
    Bad,
    Doubt,
    Dim,
    Strong,
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
            colored_out: colored(std::io::stdout().is_terminal()),
            colored_err: colored(std::io::stderr().is_terminal()),
        }
    }

    /// A line of the answer.
    pub(crate) fn say(&self, line: &str) {
        // A reader that has gone away, such as head, is no reason to complain.
        let _ = writeln!(std::io::stdout(), "{line}");
    }

    /// A line of the answer that --quiet and --json leave out.
    pub(crate) fn detail(&self, line: &str) {
        if !self.quiet && !self.json {
            self.say(line);
        }
    }

    /// A remark that is not part of the answer.
    pub(crate) fn note(&self, line: &str) {
        if !self.quiet {
            let _ = writeln!(std::io::stderr(), "{line}");
        }
    }

    /// A question to a person who wants to be asked.
    pub(crate) fn ask(&self, line: &str) {
        let _ = writeln!(std::io::stderr(), "{line}");
    }

    pub(crate) fn object(&self, object: &serde_json::Value) {
        self.say(&serde_json::to_string_pretty(object).expect("JSON of our own making"));
    }

    pub(crate) fn paint(&self, paint: Paint, text: &str) -> String {
        let code = match paint {
            Paint::Good => "32;1",
            Paint::Bad => "31;1",
            Paint::Doubt => "33;1",
            Paint::Dim => "2",
            Paint::Strong => "1",
        };
        if self.colored_out { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    pub(crate) fn warnings(&self, messages: &[Message]) {
        if !self.quiet {
            self.messages(messages);
        }
    }

    /// Reports broken input: the messages for people on standard error, and for machines on standard output.
    pub(crate) fn bad_input(&self, messages: &[Message], command: &str) -> Exit {
        self.messages(messages);
        if self.json {
            self.object(&crate::report::json::bad_input(command, messages));
        } else {
            let errors = messages.iter().filter(|message| message.severity == Severity::Error).count();
            if errors > 1 {
                self.note(&format!("{errors} errors"));
            }
        }
        Exit::BadInput
    }

    fn messages(&self, messages: &[Message]) {
        for message in messages {
            let _ = writeln!(std::io::stderr(), "{}", render::message(message, self.colored_err));
        }
    }
}
