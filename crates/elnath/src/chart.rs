//! Message sequence charts: a lifeline per process, an arrow per message.
//!
//! This module only arranges: which row an event has, which send belongs to which receive, which lifelines exist from when
//! to when. Drawing is done by [`svg`] and [`text`], from the same arrangement.
//!
//! A message through a buffered channel is one arrow from the row of its send to the row of its receive. The receive
//! is matched with the oldest message in that channel that has the same fields, which is right for first-in-first-out
//! channels, for sorted sends and for receives from the middle alike, since messages with equal fields cannot be told
//! apart. Messages that nobody receives keep a stub. A rendez-vous has one row. Where a statement sends or receives several
//! messages at once (a transition with words, a deterministic sequence), each has a row of its own. Where the cycle of a run
//! begins that goes on for ever, a row says so.

mod svg;
mod text;

use crate::story::Story;
use elnath_kernel::Event;
use elnath_kernel::event::{Message, MessageKind};

/// Nobody reads a longer chart: of a longer run, the last steps are drawn.
const MOST_STEPS: usize = 250;

/// A chart, arranged but not drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chart {
    lifelines: Vec<Lifeline>,
    rows: Vec<Row>,
    arrows: Vec<Arrow>,
    /// How many steps at the beginning are not drawn.
    left_out: usize,
    /// How the run ended, in words.
    why: String,
    /// Whether that is an error.
    is_error: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Lifeline {
    name: String,
    /// The row in which it is created, if it is not there from the start.
    created: Option<usize>,
    /// The row in which it ends.
    ended: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    /// The number of the step, from 1.
    step: usize,
    /// Whether this is the first row of the step.
    first: bool,
    lifeline: usize,
    mark: Mark,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Mark {
    /// A statement that concerns one process.
    Local(String),
    /// Something printed.
    Output(String),
    /// The beginning of an arrow.
    Send(usize),
    /// The end of an arrow.
    Receive(usize),
    /// A receive whose send is not drawn.
    ReceiveOld(String),
    /// A whole arrow.
    HandOver(usize),
    /// The creation of other lifelines.
    Create(Vec<usize>),
    /// The end of the lifeline.
    End,
    /// What comes now is repeated for ever, in words: a row across all lifelines.
    Repeated(String),
}

/// A message: where it was sent and where it was received.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Arrow {
    label: String,
    from: (usize, usize),
    to: Option<(usize, usize)>,
}

/// A message on its way.
struct Pending {
    channel: String,
    values: String,
    arrow: usize,
}

impl Chart {
    /// The chart of a run that ended as `why` says, which may be an error.
    pub fn of(story: &Story<'_>, why: &str, is_error: bool) -> Self {
        Self::of_lasso(story, None, why, is_error)
    }

    /// The same of a run whose steps from `loop_start` on, counted from 0, are repeated for ever.
    pub fn of_lasso(story: &Story<'_>, loop_start: Option<usize>, why: &str, is_error: bool) -> Self {
        let left_out = story.len().saturating_sub(MOST_STEPS);
        let mut chart = Chart {
            lifelines: Vec::new(),
            rows: Vec::new(),
            arrows: Vec::new(),
            left_out,
            why: why.to_owned(),
            is_error,
        };
        for name in story.actors(left_out) {
            chart.lifelines.push(Lifeline { name, created: None, ended: None });
        }
        let mut pending = Vec::new();
        for step in left_out..story.len() {
            if let Some(start) = loop_start
                && step == start.max(left_out)
            {
                chart.repeat(start, story.len());
            }
            let step = story.step(step);
            for (i, event) in step.events.iter().enumerate() {
                chart.add(step.number, i == 0, event, &mut pending);
            }
        }
        chart
    }

    /// The chart of the end of a run, before which `before` steps are left out.
    pub fn of_end(story: &Story<'_>, before: usize, why: &str, is_error: bool) -> Self {
        let mut chart = Self::of(story, why, is_error);
        chart.left_out += before;
        chart.rows.iter_mut().for_each(|row| row.step += before);
        chart
    }

    /// Adds the row that says which steps, from `start` (counted from 0) to the last, are repeated.
    fn repeat(&mut self, start: usize, last: usize) {
        let text = match start + 1 {
            first if start < self.left_out => {
                format!("steps {first} to {last} are repeated for ever (the first of them are not drawn)")
            }
            first if first == last => format!("from here on step {last} is repeated for ever"),
            first => format!("from here on steps {first} to {last} are repeated for ever"),
        };
        self.rows.push(Row { step: start + 1, first: true, lifeline: 0, mark: Mark::Repeated(text) });
    }

    /// Adds the rows of an event.
    fn add(&mut self, step: usize, mut first: bool, event: &Event, pending: &mut Vec<Pending>) {
        let lifeline = self.lifeline(&event.actor);
        let row = self.rows.len();
        let mark = match &event.message {
            Some(message) => self.message((row, lifeline), message, &event.text, pending),
            // Several messages at once have a row each.
            None if !event.inside.is_empty() => {
                let (last, others) = event.inside.split_last().expect("there are messages");
                for (i, message) in others.iter().enumerate() {
                    let mark = self.message((row + i, lifeline), message, &event.text, pending);
                    self.rows.push(Row { step, first: first && i == 0, lifeline, mark });
                }
                first &= others.is_empty();
                self.message((row + others.len(), lifeline), last, &event.text, pending)
            }
            None if event.ended => {
                self.lifelines[lifeline].ended = Some(row);
                Mark::End
            }
            None if !event.created.is_empty() => {
                Mark::Create(event.created.iter().map(|name| self.create(name, row)).collect())
            }
            None => Mark::Local(event.text.clone()),
        };
        let printed = event.output.concat();
        // What a statement prints says more than the statement.
        let marks = match mark {
            Mark::Local(_) if !printed.trim().is_empty() => Vec::new(),
            mark => vec![mark],
        };
        let output = printed.lines().filter(|line| !line.trim().is_empty());
        let marks = marks.into_iter().chain(output.map(|line| Mark::Output(line.to_owned())));
        for (i, mark) in marks.enumerate() {
            self.rows.push(Row { step, first: first && i == 0, lifeline, mark });
        }
    }

    /// What is drawn of a message in this row of this lifeline.
    fn message(
        &mut self,
        (row, lifeline): (usize, usize),
        message: &Message,
        text: &str,
        pending: &mut Vec<Pending>,
    ) -> Mark {
        let label = |sign: char| format!("{}{sign}{}", message.channel, message.values);
        match &message.kind {
            MessageKind::Sent => {
                let arrow = self.arrow(label('!'), (row, lifeline), None);
                pending.push(Pending {
                    channel: message.channel.clone(),
                    values: message.values.clone(),
                    arrow,
                });
                Mark::Send(arrow)
            }
            MessageKind::HandedOver { receiver, .. } => {
                let receiver = self.lifeline(receiver);
                Mark::HandOver(self.arrow(label('!'), (row, lifeline), Some((row, receiver))))
            }
            MessageKind::Copied => Mark::Local(format!("{text} [{}]", message.values)),
            MessageKind::Received => {
                let same = |sent: &Pending| sent.channel == message.channel && sent.values == message.values;
                match pending.iter().position(same) {
                    Some(index) => {
                        let arrow = pending.remove(index).arrow;
                        self.arrows[arrow].to = Some((row, lifeline));
                        Mark::Receive(arrow)
                    }
                    None => Mark::ReceiveOld(label('?')),
                }
            }
        }
    }

    fn arrow(&mut self, label: String, from: (usize, usize), to: Option<(usize, usize)>) -> usize {
        self.arrows.push(Arrow { label, from, to });
        self.arrows.len() - 1
    }

    /// The newest lifeline of this name: numbers of processes are used again.
    fn lifeline(&mut self, name: &str) -> usize {
        let found = self.lifelines.iter().rposition(|lifeline| lifeline.name == name);
        found.unwrap_or_else(|| {
            self.lifelines.push(Lifeline { name: name.to_owned(), created: None, ended: None });
            self.lifelines.len() - 1
        })
    }

    fn create(&mut self, name: &str, row: usize) -> usize {
        self.lifelines.push(Lifeline { name: name.to_owned(), created: Some(row), ended: None });
        self.lifelines.len() - 1
    }

    /// The step that begins with this row.
    fn step_of(row: &Row) -> Option<usize> {
        (row.first && !matches!(row.mark, Mark::Repeated(_))).then_some(row.step)
    }

    /// Whether a lifeline is there before (or in) a row.
    fn is_alive(&self, lifeline: usize, row: usize) -> bool {
        let Lifeline { created, ended, .. } = self.lifelines[lifeline];
        created.is_none_or(|created| created < row) && ended.is_none_or(|ended| row <= ended)
    }
}

/// At most `most` characters.
fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}
