//! Runs as people read them: a line per statement, with columns for the process, the line of the model, the statement
//! and what it changed. The same data as JSON, and the chart.

use crate::report::render;
use crate::report::terminal::{Paint, Terminal};
use elnath::chart::Chart;
use elnath::event::{Change, Event, MessageKind, Scope};
use elnath::source::Message;
use elnath::{Loaded, Step, Story};
use serde_json::{Value, json};
use std::path::Path;

/// What is shown of each statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) statements: bool,
    pub(crate) globals: bool,
    pub(crate) locals: bool,
    pub(crate) sends: bool,
    pub(crate) receives: bool,
}

impl Shown {
    pub(crate) const ALL: Self =
        Self { statements: true, globals: true, locals: true, sends: true, receives: true };

    fn has_statement(self, event: &Event) -> bool {
        let mut kinds = event.message.iter().chain(&event.inside).map(|message| &message.kind);
        let sends =
            kinds.clone().any(|kind| matches!(kind, MessageKind::Sent | MessageKind::HandedOver { .. }));
        let receives = kinds.any(|kind| *kind != MessageKind::Sent);
        self.statements || self.sends && sends || self.receives && receives
    }

    fn has_change(self, change: &Change) -> bool {
        match change.scope {
            Scope::Global | Scope::Channel => self.globals,
            Scope::Local => self.locals,
        }
    }
}

/// The widths of the columns.
#[derive(Clone, Copy)]
pub(crate) struct Columns {
    actor: usize,
    place: usize,
    text: usize,
}

impl Columns {
    /// For runs that are not known yet.
    pub(crate) const DEFAULT: Self = Self { actor: 14, place: 8, text: 30 };

    fn of(steps: &[Step]) -> Self {
        let mut columns = Self { actor: 0, place: 0, text: 0 };
        for event in steps.iter().flat_map(|step| &step.events) {
            let width = |text: &str| text.chars().count();
            columns.actor = columns.actor.max(width(&actor(event))).min(28);
            columns.place = columns.place.max(width(&place(event))).min(14);
            columns.text = columns.text.max(width(&statement(event))).min(44);
        }
        columns
    }
}

/// The run to a violation. Of a very long one, the two ends.
pub(crate) fn tell(terminal: &Terminal, story: &Story<'_>) {
    tell_lasso(terminal, story, None);
}

/// The same of a run whose steps from `loop_start` on, counted from 0, are repeated for ever.
pub(crate) fn tell_lasso(terminal: &Terminal, story: &Story<'_>, loop_start: Option<usize>) {
    const ENDS: usize = 20;
    if terminal.quiet || terminal.json {
        return;
    }
    terminal.detail(&format!("        {}", terminal.paint(Paint::Dim, &story.initial())));
    let left_out = if story.len() > 2 * ENDS + 5 { ENDS..story.len() - ENDS } else { 0..0 };
    let shown = (0..story.len()).filter(|step| !left_out.contains(step));
    let steps: Vec<Step> = shown.map(|step| story.step(step)).collect();
    let columns = Columns::of(&steps);
    let mut begins = loop_start;
    for step in &steps {
        if !left_out.is_empty() && step.number == left_out.end + 1 {
            let count = left_out.len();
            terminal.detail(&format!("     ... {count} steps more (all of them with --json) ..."));
        }
        if let Some(start) = begins.filter(|&start| step.number > start) {
            let text = match (start + 1, story.len()) {
                (first, last) if first == last => {
                    format!("--- from here on step {first} is repeated for ever")
                }
                (first, last) => format!("--- from here on steps {first} to {last} are repeated for ever"),
            };
            terminal.detail(&format!("     {}", terminal.paint(Paint::Strong, &text)));
            begins = None;
        }
        lines(terminal, step, columns, Shown::ALL).iter().for_each(|line| terminal.detail(line));
    }
    if let Some(start) = loop_start {
        let text = format!("--- and again from step {}", start + 1);
        terminal.detail(&format!("     {}", terminal.paint(Paint::Strong, &text)));
    }
}

/// The lines of one step: its statements, a bar beside them if there are several, and what they printed.
pub(crate) fn lines(terminal: &Terminal, step: &Step, columns: Columns, shown: Shown) -> Vec<String> {
    let mut lines = Vec::new();
    let last = step.events.len().saturating_sub(1);
    for (i, event) in step.events.iter().enumerate() {
        let bar = match i {
            _ if last == 0 => ' ',
            0 => '┌',
            i if i == last => '└',
            _ => '│',
        };
        let number = if i == 0 { step.number.to_string() } else { String::new() };
        let changes = match &event.changes {
            None if shown.globals => step.state.clone(),
            None => String::new(),
            Some(changes) => {
                let shown = changes.iter().filter(|change| shown.has_change(change));
                shown
                    .map(|change| format!("{} = {}", change.name, change.value))
                    .collect::<Vec<_>>()
                    .join(", ")
            }
        };
        let created = event.created.iter().map(|name| format!("{name} is created"));
        let ended = event.ended.then(|| format!("{} ends", event.actor));
        let notes: Vec<String> =
            created.chain(ended).chain((!changes.is_empty()).then_some(changes)).collect();
        let notes = terminal.paint(Paint::Dim, &notes.join(", "));
        if shown.has_statement(event) {
            let Columns { actor: a, place: p, text: t } = columns;
            let (actor, place) = (actor(event), place(event));
            let gap = if event.actor.is_empty() { "" } else { "  " };
            let a = if event.actor.is_empty() { 0 } else { a };
            let p = if event.place.is_none() { 0 } else { p };
            let text = cut(&statement(event), 44);
            let line = format!("  {number:>4} {bar}{actor:a$}{gap}{place:p$}{gap}{text:t$}  {notes}");
            lines.push(line.trim_end().to_owned());
        } else if event.changes.iter().flatten().any(|change| shown.has_change(change)) {
            lines.push(format!("  {number:>4} {bar}{notes}"));
        }
        for line in event.output.concat().lines() {
            lines.push(format!("         {} {line}", terminal.paint(Paint::Strong, "prints:")));
        }
    }
    lines
}

/// What each process waits for at the end of a run, to explain a deadlock.
pub(crate) fn tell_waiting(terminal: &Terminal, story: &Story<'_>) {
    let waiting = story.waiting();
    let width = waiting.iter().map(|event| event.actor.chars().count()).max().unwrap_or(0);
    for (i, event) in waiting.iter().enumerate() {
        let again = i > 0 && waiting[i - 1].actor == event.actor;
        let (actor, verb) = match (again, event.ended) {
            (true, _) => ("", "or for"),
            (false, true) => (event.actor.as_str(), "is at its end"),
            (false, false) => (event.actor.as_str(), "waits for"),
        };
        let what = if event.ended { String::new() } else { format!(" {}", cut(&event.text, 60)) };
        terminal.detail(&format!("        {actor:width$}  {}  {verb}{what}", place(event)));
    }
}

fn actor(event: &Event) -> String {
    match event.message.as_ref().map(|message| &message.kind) {
        Some(MessageKind::HandedOver { receiver, .. }) => format!("{} → {receiver}", event.actor),
        _ => event.actor.clone(),
    }
}

fn place(event: &Event) -> String {
    let Some(place) = &event.place else { return String::new() };
    match event.message.as_ref().map(|message| &message.kind) {
        Some(MessageKind::HandedOver { place: Some(to), .. }) => format!("line {} → {}", place.line, to.line),
        _ => format!("line {}", place.line),
    }
}

fn statement(event: &Event) -> String {
    match &event.message {
        Some(message) => match &message.kind {
            MessageKind::HandedOver { text, .. } => {
                format!("{} → {text}  [{}]", event.text, message.values)
            }
            MessageKind::Received | MessageKind::Copied => format!("{}  [{}]", event.text, message.values),
            MessageKind::Sent => event.text.clone(),
        },
        None => event.text.clone(),
    }
}

/// At most `most` characters.
fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}

/// All steps of a run for machines.
pub(crate) fn json_steps(story: &Story<'_>) -> Vec<Value> {
    story.steps().map(|step| json_step(&step)).collect()
}

/// What each process waits for, for machines.
pub(crate) fn json_waiting(story: &Story<'_>) -> Vec<Value> {
    story.waiting().iter().map(json_event).collect()
}

fn json_step(step: &Step) -> Value {
    json!({
        "action": step.action,
        "state": step.state,
        "events": step.events.iter().map(json_event).collect::<Vec<_>>(),
    })
}

fn json_event(event: &Event) -> Value {
    let message = |message: &elnath::event::Message| {
        let mut object = json!({
            "channel": message.channel,
            "values": message.values,
            "kind": match message.kind {
                MessageKind::Sent => "sent",
                MessageKind::Received => "received",
                MessageKind::Copied => "copied",
                MessageKind::HandedOver { .. } => "handed over",
            },
        });
        if let MessageKind::HandedOver { receiver, place, text } = &message.kind {
            object["receiver"] = json!({
                "actor": receiver,
                "file": place.as_ref().map(|place| &place.file),
                "line": place.as_ref().map(|place| place.line),
                "text": text,
            });
        }
        object
    };
    let change = |change: &Change| {
        json!({
            "scope": match change.scope {
                Scope::Global => "global",
                Scope::Local => "local",
                Scope::Channel => "channel",
            },
            "name": change.name,
            "value": change.value,
        })
    };
    json!({
        "actor": event.actor,
        "file": event.place.as_ref().map(|place| &place.file),
        "line": event.place.as_ref().map(|place| place.line),
        "text": event.text,
        "changes": event.changes.as_ref().map(|changes| changes.iter().map(change).collect::<Vec<_>>()),
        "output": event.output,
        "message": event.message.as_ref().map(message),
        "inside": event.inside.iter().map(message).collect::<Vec<_>>(),
        "created": event.created,
        "ended": event.ended,
    })
}

/// Draws the chart of a run, whose steps from `loop_start` on are repeated for ever, into a file, or as text on the terminal.
pub(crate) fn draw(
    terminal: &Terminal,
    (story, loop_start): (&Story<'_>, Option<usize>),
    (why, is_error): (&str, bool),
    path: &Path,
) -> Result<(), Vec<Message>> {
    let chart = Chart::of_lasso(story, loop_start, why, is_error);
    if path.as_os_str() == "-" {
        chart.to_text().lines().for_each(|line| terminal.detail(line));
        return Ok(());
    }
    write(path, &chart.to_svg())
}

/// Writes a file, over an existing one.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Vec<Message>> {
    std::fs::write(path, text).map_err(|error| vec![render::file_error(path, &error)])
}

/// What is needed to read and write trails; only Promela has them.
pub(crate) fn with_trails<'l>(
    loaded: &'l Loaded,
    file: &Path,
) -> Result<(&'l elnath::trail::Interpreter, &'l elnath::trail::TrailTable), Vec<Message>> {
    match (&loaded.program, &loaded.trail) {
        (Some(program), Some(table)) => Ok((program, table)),
        _ => Err(vec![Message::about_file(format!("{}: only Promela models have trails", file.display()))]),
    }
}
