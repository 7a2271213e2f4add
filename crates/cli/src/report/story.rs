//! Runs as people read them: a line per statement, with columns for the process, the line of the model, the statement
//! and what it changed. The same data as JSON, and the chart.

use crate::output::Output;
use crate::report::render;
use crate::report::terminal::{Paint, Terminal};
use elnath::chart::Chart;
use elnath::event::{Change, Event, MessageKind, Operand, Scope, StatePart};
use elnath::explanation::Truths;
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
    /// The length from which a statement is cut.
    most: usize,
}

/// The length from which a statement is cut unless everything is to be shown.
const MOST_TEXT: usize = 44;

impl Columns {
    /// For runs that are not known yet.
    pub(crate) const DEFAULT: Self = Self { actor: 14, place: 8, text: 30, most: MOST_TEXT };

    fn of(steps: &[Step], full: bool) -> Self {
        let most = if full { usize::MAX } else { MOST_TEXT };
        let mut columns = Self { actor: 0, place: 0, text: 0, most };
        for event in steps.iter().flat_map(|step| &step.events) {
            let width = |text: &str| text.chars().count();
            columns.actor = columns.actor.max(width(&actor(event))).min(28);
            columns.place = columns.place.max(width(&place(event))).min(14);
            columns.text = columns.text.max(width(&statement(event))).min(MOST_TEXT);
        }
        columns
    }
}

/// What is told of a run beside its steps.
#[derive(Clone, Copy, Default)]
pub(crate) struct Beside<'b> {
    /// The step, from 0, from which on the steps are repeated for ever.
    pub(crate) loop_start: Option<usize>,
    /// The propositions that hold.
    pub(crate) truths: Option<&'b Truths>,
}

/// The run to a violation. Of a very long one, the two ends.
pub(crate) fn tell(terminal: &Terminal, story: &Story<'_>, beside: Beside<'_>) {
    let Beside { loop_start, truths } = beside;
    if terminal.quiet || terminal.json {
        return;
    }
    let truths = truths.filter(|truths| !truths.names.is_empty() && truths.names.len() <= LETTERS.len());
    tell_names(terminal, truths);
    let initial = story.initial_parts();
    if initial.is_empty() {
        let text = format!("{}initial state: {}", holding(truths, 0), story.initial());
        terminal.detail(&format!("     0  {text}"));
    } else {
        terminal.detail(&format!("     0  {}initial state", holding(truths, 0)));
        table(terminal, &initial);
    }
    let shown = shown_steps(story.len(), loop_start, terminal.full);
    let steps: Vec<Step> = shown.into_iter().map(|step| story.step(step)).collect();
    let columns = Columns::of(&steps, terminal.full);
    let mut told = 0;
    for step in &steps {
        let left_out = step.number - 1 - told;
        if left_out > 0 {
            let steps = render::plural(left_out as u64, "step");
            terminal.detail(&format!("     ... {steps} left out (--full shows all {}) ...", story.len()));
        }
        told = step.number;
        if loop_start == Some(step.number - 1) {
            let text = match (step.number, story.len()) {
                (first, last) if first == last => {
                    format!("--- from here on step {first} is repeated for ever")
                }
                (first, last) => format!("--- from here on steps {first} to {last} are repeated for ever"),
            };
            terminal.detail(&format!("     {}", terminal.paint(Paint::Strong, &text)));
        }
        let holding = holding(truths, step.number);
        lines(terminal, step, columns, Shown::ALL, &holding).iter().for_each(|line| terminal.detail(line));
    }
    if let Some(start) = loop_start {
        let text = format!("--- and again from step {}", start + 1);
        terminal.detail(&format!("     {}", terminal.paint(Paint::Strong, &text)));
    } else if !story.is_empty() && !initial.is_empty() {
        terminal.detail("        final state");
        table(terminal, &story.final_parts());
    }
}

/// What stands for a proposition beside a run.
const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz";

/// Which letter stands for which proposition.
fn tell_names(terminal: &Terminal, truths: Option<&Truths>) {
    let Some(truths) = truths else { return };
    for (letter, name) in LETTERS.chars().zip(&truths.names) {
        terminal.detail(&format!("        {letter}  {name}"));
    }
}

/// The propositions that hold after so many steps by their letters, and a dot for those that do not.
fn holding(truths: Option<&Truths>, steps: usize) -> String {
    let Some(truths) = truths else { return String::new() };
    let holding = truths.after(steps);
    let letters = LETTERS.chars().zip(0..truths.names.len());
    let mut text: String =
        letters.map(|(letter, bit)| if holding >> bit & 1 == 1 { letter } else { '.' }).collect();
    text.push_str("  ");
    text
}

/// A state: a line for what all share, then one for each process, longer ones broken. Of many values that are zero only the number is
/// told, unless everything is to be shown.
fn table(terminal: &Terminal, parts: &[StatePart]) {
    const WIDTH: usize = 100;
    const MANY: usize = 8;
    let width = |text: &str| text.chars().count();
    let shared = if parts.iter().all(|part| part.owner.is_empty()) { "" } else { "global" };
    let owners = parts.iter().map(|part| width(&part.owner)).max().unwrap_or(0).max(width(shared));
    let cell = |part: &StatePart| {
        if part.name.is_empty() { part.value.clone() } else { format!("{} = {}", part.name, part.value) }
    };
    let is_zero =
        |part: &&StatePart| !part.name.is_empty() && ["0", "false", "[]"].contains(&part.value.as_str());
    let mut groups: Vec<Vec<&StatePart>> = Vec::new();
    for part in parts {
        match groups.last_mut() {
            Some(group) if group[0].owner == part.owner => group.push(part),
            _ => groups.push(vec![part]),
        }
    }
    for group in groups {
        let zeros = group.iter().copied().filter(|part| is_zero(part)).count();
        let hides = zeros > MANY && !terminal.full;
        let shown = group.iter().copied().filter(|part| !(hides && is_zero(part)));
        let mut cells: Vec<String> = shown.map(cell).collect();
        if hides {
            cells.push(format!("{zeros} more are zero, false or empty"));
        }
        let mut rows = vec![String::new()];
        let column = cells.iter().map(|cell| width(cell)).max().unwrap_or(0).min(24);
        for cell in cells {
            let last = rows.last_mut().expect("there is a row");
            if !last.is_empty() && width(last) + width(&cell) > WIDTH - owners {
                rows.push(String::new());
            }
            let last = rows.last_mut().expect("there is a row");
            last.push_str(&format!("{cell:column$}  "));
        }
        for (number, row) in rows.iter().enumerate() {
            let owner = match (number, group[0].owner.as_str()) {
                (0, "") => format!("{shared:owners$}"),
                (0, owner) => painted(terminal, owner, owners),
                _ => " ".repeat(owners),
            };
            let gap = if owners == 0 { "" } else { "  " };
            let row = terminal.paint(Paint::Dim, row.trim_end());
            terminal.detail(format!("          {owner}{gap}{row}").trim_end());
        }
    }
}

/// The name of an actor, filled up to a width, in its colour.
fn painted(terminal: &Terminal, actor: &str, width: usize) -> String {
    let first = actor.split(' ').next().unwrap_or_default();
    let number = first.rsplit_once(':').and_then(|(_, number)| number.parse().ok());
    let number = number.unwrap_or_else(|| first.bytes().map(usize::from).sum());
    let text = format!("{actor:width$}");
    if actor.is_empty() { text } else { terminal.paint(Paint::Actor(number), &text) }
}

/// The steps, from 0, that are shown of a run: if not all are asked for, its two ends and, if it ends in a cycle, those
/// around the beginning of the cycle. A gap so small that it is no easier to read than its steps is not made.
fn shown_steps(length: usize, loop_start: Option<usize>, full: bool) -> Vec<usize> {
    const ENDS: usize = 20;
    const AROUND: usize = 5;
    const LEAST_GAP: usize = 6;
    let is_shown = |step: &usize| {
        let around = loop_start.is_some_and(|start| step.abs_diff(start) <= AROUND);
        full || around || *step < ENDS || *step + ENDS >= length
    };
    let mut shown: Vec<usize> = Vec::new();
    for step in (0..length).filter(is_shown) {
        let next = shown.last().map_or(0, |last| last + 1);
        if step - next < LEAST_GAP {
            shown.extend(next..step);
        }
        shown.push(step);
    }
    shown
}

/// The lines of one step: its statements, a bar beside them if there are several, and what they printed.
pub(crate) fn lines(
    terminal: &Terminal,
    step: &Step,
    columns: Columns,
    shown: Shown,
    holding: &str,
) -> Vec<String> {
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
        let called =
            event.calls.iter().map(|call| format!("in {} called at line {}", call.name, call.place.line));
        let notes: Vec<String> =
            called.chain(created).chain(ended).chain((!changes.is_empty()).then_some(changes)).collect();
        let notes = terminal.paint(Paint::Dim, &notes.join(", "));
        if shown.has_statement(event) {
            let Columns { actor: a, place: p, text: t, most } = columns;
            let (actor, place) = (actor(event), place(event));
            let gap = if event.actor.is_empty() { "" } else { "  " };
            let a = if event.actor.is_empty() { 0 } else { a };
            let p = if event.place.is_none() { 0 } else { p };
            let text = cut(&statement(event), most);
            // What holds is told with the last statement of a step.
            let blank = " ".repeat(holding.chars().count());
            let holding = if i == last { holding } else { &blank };
            let actor = painted(terminal, &actor, a);
            let line = format!("  {number:>4} {bar}{holding}{actor}{gap}{place:p$}{gap}{text:t$}  {notes}");
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
        let actor = painted(terminal, actor, width);
        terminal.detail(&format!("        {actor}  {}  {verb}{what}", place(event)));
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

/// A value that was read, for machines.
pub(crate) fn json_operand(operand: &Operand) -> Value {
    json!({ "name": operand.name, "value": operand.value })
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
        "calls": event.calls.iter().map(|call| json!({
            "name": call.name,
            "file": call.place.file,
            "line": call.place.line,
        })).collect::<Vec<_>>(),
        "text": event.text,
        "changes": event.changes.as_ref().map(|changes| changes.iter().map(change).collect::<Vec<_>>()),
        "output": event.output,
        "message": event.message.as_ref().map(message),
        "inside": event.inside.iter().map(message).collect::<Vec<_>>(),
        "created": event.created,
        "ended": event.ended,
        "operands": event.operands.iter().map(json_operand).collect::<Vec<_>>(),
    })
}

/// Draws the chart of a run, whose steps from `loop_start` on are repeated for ever, into a file, or as text into the report.
pub(crate) fn draw(
    terminal: &Terminal,
    (story, loop_start): (&Story<'_>, Option<usize>),
    (why, is_error): (&str, bool),
    output: &Output,
) -> Result<(), Vec<Message>> {
    let chart = Chart::of_lasso(story, loop_start, why, is_error);
    if output.is_standard() {
        chart.to_text().lines().for_each(|line| terminal.say(line));
        return Ok(());
    }
    output.text(&if output.ending() == "txt" { chart.to_text() } else { chart.to_svg() })
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
