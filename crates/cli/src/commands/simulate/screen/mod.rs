//! The simulator at a terminal: panes for moves, state, source, chart, history and watches, around one [session](elnath::session).
//!
//! Everything that is known comes from the session, and is asked for again after each step ([`Screen::refresh`]); what is drawn is made
//! of that by [`draw`], which has no state of its own but how far each pane is scrolled. So a terminal that changes its size needs
//! nothing but to be drawn again.
//!
//! A search is interrupted by Escape: between two portions of states the keyboard is asked.

mod draw;
mod keys;
mod lines;

use super::prompt::preferred;
use crate::options::SimulateArgs;
use elnath::session::{Effort, FormulaView, NodeId, RandomRun, RandomStop, Search, Session, StepView, View};
use elnath::source::Message;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::time::Duration;

/// How many of the last steps are told.
const MOST_STEPS: usize = 100;
/// Larger files are not shown.
const MOST_SOURCE: u64 = 4 << 20;

/// A part of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Pane {
    Moves,
    State,
    Source,
    Chart,
    Tree,
    Watches,
}

impl Pane {
    const ALL: [Pane; 6] = [Pane::Moves, Pane::State, Pane::Source, Pane::Chart, Pane::Tree, Pane::Watches];

    fn title(self) -> &'static str {
        match self {
            Pane::Moves => "Moves",
            Pane::State => "State",
            Pane::Source => "Source",
            Pane::Chart => "Chart",
            Pane::Tree => "History",
            Pane::Watches => "Watches",
        }
    }
}

/// What a line of text is for, while the user writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ask {
    Random,
    Until,
    Break,
    Watch,
    Formula,
    Save,
    Number,
    Remove,
}

impl Ask {
    fn label(self) -> &'static str {
        match self {
            Ask::Random => "steps by chance",
            Ask::Until => "run until",
            Ask::Break => "break where",
            Ask::Watch => "watch",
            Ask::Formula => "formula",
            Ask::Save => "save to (.json)",
            Ask::Number => "move number",
            Ask::Remove => "remove number",
        }
    }
}

/// A line of the history.
struct TreeLine {
    node: NodeId,
    text: String,
    /// Whether it lies on the way to where the session is.
    on_path: bool,
    /// How far it is indented.
    indent: usize,
    /// How many positions lie after it.
    after: usize,
}

struct Screen<'p, 's> {
    args: &'p SimulateArgs,
    session: &'p mut Session<'s>,
    view: View,
    steps: Vec<StepView>,
    chart: Vec<String>,
    formulas: Vec<FormulaView>,
    tree: Vec<TreeLine>,
    sources: HashMap<String, Option<Vec<String>>>,
    /// The choice that Enter takes.
    selected: usize,
    /// The line of the history that Enter goes to.
    tree_at: usize,
    focus: Pane,
    /// The pane beside the moves where there is room for one only.
    beside: Pane,
    scroll: HashMap<Pane, i32>,
    asking: Option<(Ask, String)>,
    message: String,
    help: bool,
    seed: u64,
    /// The loaded run that is gone through, and its step.
    run: Option<(usize, usize)>,
    colored: bool,
    quit: bool,
}

/// Lets a person go through the model until they quit.
pub(super) fn run(args: &SimulateArgs, session: &mut Session<'_>, colored: bool) -> io::Result<()> {
    let mut terminal = ratatui::try_init()?;
    let mut screen = Screen::new(args, session, colored);
    let done = screen.go(&mut terminal);
    ratatui::try_restore()?;
    done
}

impl<'p, 's> Screen<'p, 's> {
    fn new(args: &'p SimulateArgs, session: &'p mut Session<'s>, colored: bool) -> Self {
        let run = (!session.runs().is_empty()).then(|| (0, session.runs()[0].nodes.len() - 1));
        let view = session.view();
        let mut screen = Self {
            args,
            session,
            view,
            steps: Vec::new(),
            chart: Vec::new(),
            formulas: Vec::new(),
            tree: Vec::new(),
            sources: HashMap::new(),
            selected: 0,
            tree_at: 0,
            focus: Pane::Moves,
            beside: Pane::State,
            scroll: HashMap::new(),
            asking: None,
            message: "? shows the keys".to_owned(),
            help: false,
            seed: args.seed,
            run,
            colored,
            quit: false,
        };
        screen.refresh();
        screen
    }

    fn go(&mut self, terminal: &mut DefaultTerminal) -> io::Result<()> {
        while !self.quit {
            terminal.draw(|frame| self.draw(frame))?;
            match event::read()? {
                Event::Key(key) if key.kind != KeyEventKind::Release => {
                    if let Some(long) = self.key(key) {
                        self.message = format!("{}: Escape stops it", long.text());
                        terminal.draw(|frame| self.draw(frame))?;
                        self.message.clear();
                        self.work(long);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Asks the session for everything that is shown.
    fn refresh(&mut self) {
        self.view = self.session.view();
        let here = self.view.node;
        self.steps = self.session.steps_to(here, MOST_STEPS).unwrap_or_default();
        self.chart = match self.session.chart_to(here, MOST_STEPS) {
            Ok(chart) if self.view.depth > 0 => chart.to_text().lines().map(str::to_owned).collect(),
            _ => Vec::new(),
        };
        self.formulas = self.session.formulas();
        self.selected = preferred(&self.view) as usize;
        self.tree = self.tree_lines();
        self.tree_at = self.tree.iter().position(|line| line.node == here).unwrap_or(0);
        self.scroll.clear();
        self.read_sources();
    }

    /// The texts of the files in which something is written that is shown.
    fn read_sources(&mut self) {
        let files: Vec<String> = self.session.model().files.clone();
        for file in files {
            if self.sources.contains_key(&file) {
                continue;
            }
            let small = std::fs::metadata(&file).map_or(true, |found| found.len() <= MOST_SOURCE);
            let text = if small { self.session.source(&file) } else { None };
            let lines = text.map(|text| text.lines().map(|line| line.replace('\t', "    ")).collect());
            self.sources.insert(file, lines);
        }
    }

    /// The history: the way to where the session is, and beside each position on it the other moves that were tried there.
    fn tree_lines(&mut self) -> Vec<TreeLine> {
        const MOST: usize = 2000;
        let path = self.session.path();
        let from = path.len().saturating_sub(MOST);
        let mut sizes: HashMap<NodeId, usize> = HashMap::new();
        // Each position comes after the one it was reached from.
        for entry in self.session.tree().iter().rev() {
            let own = sizes.get(&entry.node).copied().unwrap_or(0);
            if let Some(parent) = entry.parent {
                *sizes.entry(parent).or_default() += own + 1;
            }
        }
        let mut lines = Vec::new();
        let mut add = |session: &mut Session<'_>, node: NodeId, on_path: bool, indent: usize| {
            let text = match session.step_to(node) {
                Ok(Some(step)) => {
                    let actor = step.events.first().map_or("", |event| event.actor.as_str());
                    let text = step.events.first().map_or(step.text.as_str(), |event| event.text.as_str());
                    if actor.is_empty() { text.to_owned() } else { format!("{actor} {text}") }
                }
                _ => "start".to_owned(),
            };
            let after = sizes.get(&node).copied().unwrap_or(0);
            lines.push(TreeLine { node, text, on_path, indent, after });
        };
        for (at, &node) in path.iter().enumerate().skip(from) {
            add(self.session, node, true, 0);
            let next = path.get(at + 1);
            for child in self.session.children(node).into_iter().rev() {
                if Some(&child) != next {
                    add(self.session, child, false, 1);
                    // A branch is told to its end, as long as it does not branch again.
                    let mut below = child;
                    for _ in 0..3 {
                        let [only] = self.session.children(below)[..] else { break };
                        add(self.session, only, false, 1);
                        below = only;
                    }
                }
            }
        }
        lines
    }

    /// Does what may take a while.
    fn work(&mut self, long: Long) {
        let mut stop = |_: u64| pressed_escape();
        match long {
            Long::Random(steps) => {
                let RandomRun { steps, stopped, .. } = self.session.random(self.seed, steps, &mut stop);
                let seed = self.seed;
                self.seed = self.seed.wrapping_add(1);
                let after = format!("after {} by chance (seed {seed})", plural(steps, "step"));
                self.message = match stopped {
                    RandomStop::Steps => format!("{} by chance (seed {seed})", plural(steps, "step")),
                    RandomStop::Breakpoint { text, .. } => format!("breakpoint {text} {after}"),
                    RandomStop::Ended { text } => format!("{text} {after}"),
                    RandomStop::Interrupted => format!("stopped {after}"),
                    RandomStop::Full => format!("the history is full {after}; X forgets the other branches"),
                };
            }
            Long::Until(text) => match self.session.until(&text, Effort::default(), &mut stop) {
                Ok(found) => self.message = searched(&format!("{text} holds"), &found),
                Err(messages) => self.complain(&messages),
            },
            Long::Breakpoint => {
                let found = self.session.to_breakpoint(Effort::default(), &mut stop);
                self.message = searched("a breakpoint holds", &found);
            }
            Long::Error => {
                let found = self.session.to_end(true, Effort::default(), &mut stop);
                self.message = searched("an error", &found);
            }
        }
        self.run = None;
        self.refresh();
    }

    fn complain(&mut self, messages: &[Message]) {
        let first = messages.first().map_or_else(String::new, |message| {
            let help = message.help.as_ref().map_or_else(String::new, |help| format!(" ({help})"));
            format!("{}{help}", message.text)
        });
        self.message = first;
    }

    /// Takes the line that the user has written.
    fn answer(&mut self, ask: Ask, text: &str) -> Option<Long> {
        let text = text.trim();
        if text.is_empty() {
            return None;
        }
        match ask {
            Ask::Random => match text.parse() {
                Ok(steps) => return Some(Long::Random(steps)),
                Err(_) => self.message = format!("`{text}` is no number of steps"),
            },
            Ask::Until => return Some(Long::Until(text.to_owned())),
            Ask::Break => match self.session.add_breakpoint(text) {
                Ok(number) => self.message = format!("breakpoint {}: r and G stop where {text}", number + 1),
                Err(messages) => self.complain(&messages),
            },
            Ask::Watch => match self.session.watch(text) {
                Ok(_) => self.message = format!("watching {text}"),
                Err(messages) => self.complain(&messages),
            },
            Ask::Formula => match self.session.add_formula(text) {
                Ok(_) => self.message = format!("showing {text}"),
                Err(messages) => self.complain(&messages),
            },
            Ask::Save => match super::save(self.session, Path::new(text), self.args) {
                Ok(()) => self.message = format!("written to {text}"),
                Err(messages) => self.complain(&messages),
            },
            Ask::Number => match text.parse::<u32>() {
                Ok(number) if number > 0 => self.take(number - 1),
                _ => self.message = format!("`{text}` is no number of a move"),
            },
            Ask::Remove => self.remove(text),
        }
        if matches!(ask, Ask::Break | Ask::Watch | Ask::Formula) {
            self.show(Pane::Watches);
        }
        let message = std::mem::take(&mut self.message);
        self.refresh();
        self.message = message;
        None
    }

    /// Removes what has this number in the pane of watches: watches first, then breakpoints, then formulas.
    fn remove(&mut self, text: &str) {
        let (watches, breakpoints) = (self.view.watches.len(), self.view.breakpoints.len());
        let number = text.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let removed = number.is_some_and(|number| {
            if number < watches {
                self.session.unwatch(number)
            } else if number < watches + breakpoints {
                self.session.remove_breakpoint(number - watches)
            } else {
                self.session.remove_formula(number - watches - breakpoints)
            }
        });
        self.message = if removed { "removed".to_owned() } else { format!("there is no number {text}") };
    }

    fn take(&mut self, choice: u32) {
        match self.session.step(choice) {
            Ok(_) => {
                self.message.clear();
                self.run = None;
                self.refresh();
            }
            Err(trouble) => self.message = trouble.to_string(),
        }
    }

    /// Goes so many steps of the run that was loaded.
    fn scrub(&mut self, by: isize) {
        if self.session.runs().is_empty() {
            self.message = "no run is loaded; --trail FILE loads one".to_owned();
            return;
        }
        let (run, step) = self.run.unwrap_or((self.session.runs().len() - 1, 0));
        let step = step.saturating_add_signed(by);
        match self.session.scrub(run, step) {
            Ok(_) => {
                self.run = Some((run, step));
                self.refresh();
                self.message = format!("step {step} of {}", self.session.runs()[run].name);
            }
            Err(_) => self.message = "this is the end of the run".to_owned(),
        }
    }

    fn show(&mut self, pane: Pane) {
        self.focus = pane;
        if pane != Pane::Moves {
            self.beside = pane;
        }
    }
}

/// What may take a while.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Long {
    Random(u64),
    Until(String),
    Breakpoint,
    Error,
}

impl Long {
    fn text(&self) -> String {
        match self {
            Long::Random(steps) => format!("{} by chance", plural(*steps, "step")),
            Long::Until(text) => format!("looking for {text}"),
            Long::Breakpoint => "looking for a breakpoint".to_owned(),
            Long::Error => "looking for an error".to_owned(),
        }
    }
}

fn searched(what: &str, found: &Search) -> String {
    match found {
        Search::Found { steps, states, .. } => {
            format!("{what} after {} ({} looked at)", plural(*steps, "step"), plural(*states, "state"))
        }
        Search::Nowhere { states } => {
            format!("{what} nowhere: all {} that follow were looked at", plural(*states, "state"))
        }
        Search::Unknown { limit, states } => {
            format!("{what} was not found in {} ({limit})", plural(*states, "state"))
        }
    }
}

fn plural(count: u64, what: &str) -> String {
    crate::report::render::plural(count, what)
}

/// Whether Escape, q or Ctrl-C was pressed meanwhile; other keys are dropped.
fn pressed_escape() -> bool {
    while event::poll(Duration::ZERO).unwrap_or(false) {
        if let Ok(Event::Key(KeyEvent { code, modifiers, .. })) = event::read()
            && (code == KeyCode::Esc
                || code == KeyCode::Char('q')
                || code == KeyCode::Char('c') && modifiers.contains(KeyModifiers::CONTROL))
        {
            return true;
        }
    }
    false
}
