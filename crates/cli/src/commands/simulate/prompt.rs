//! The plain prompt: a person who goes through a model line by line, over a pipe as well as at a terminal.
//!
//! Questions go to standard error, so that they are seen next to `--json` too and are no part of the answer.

use super::{save, shown};
use crate::limits::Listening;
use crate::options::SimulateArgs;
use crate::report::render;
use crate::report::story::{self, Columns};
use crate::report::terminal::{Paint, Terminal};
use elnath::Story;
use elnath::session::{Effort, NodeId, RandomStop, Search, Session, View};
use elnath::source::Message;
use std::io::BufRead;

const HELP: &[(&str, &str)] = &[
    ("NUMBER", "take this move; nothing takes the one in brackets"),
    ("back [N]", "go back one step, or N (short: b)"),
    ("forward", "go forward again (short: f)"),
    ("state", "show the state, the watches and what is not possible, with the reasons (short: s)"),
    ("random [N]", "take N steps by chance, by default 10, until a breakpoint holds (short: r)"),
    ("another", "go to another continuation, which leads to a state not met yet (short: a)"),
    ("until EXPR", "go a shortest way to a state where the expression holds"),
    ("break EXPR", "add a breakpoint, also about steps: break action(PATTERN)"),
    ("watch EXPR", "show the value of an expression at every step"),
    ("formula TEXT", "show whether a temporal formula holds along the run"),
    ("tree", "show what was tried (short: t)"),
    ("jump N", "go to position N of the tree (short: j)"),
    ("save FILE", "write the session to a file, which --replay reads"),
    ("quit", "stop here (short: q)"),
];

/// What the user wants next.
enum Answer {
    Stay,
    Moved,
    Quit,
}

/// Asks until the user quits or the input ends.
pub(super) fn run(args: &SimulateArgs, terminal: &Terminal, session: &mut Session<'_>) {
    let mut prompt = Prompt { args, terminal, session, seed: args.seed };
    prompt.begin();
    let mut line = String::new();
    let mut moved = true;
    loop {
        let view = prompt.session.view();
        if moved {
            prompt.offer(&view);
        }
        let moves = view.moves.enabled().len();
        if moves == 0 {
            // A person may want to go back from here; who sends lines over a pipe sends no more of them than there are moves.
            terminal.ask(&format!("{}; back, state, tree, help, or q to quit:", view.ending.text));
        } else {
            terminal.ask(&format!(
                "choose 1 to {moves} [{}], back, state, help, or q to quit:",
                preferred(&view) + 1
            ));
        }
        line.clear();
        if !matches!(std::io::stdin().lock().read_line(&mut line), Ok(read) if read > 0) {
            break;
        }
        match prompt.answer(line.trim(), &view) {
            Answer::Stay => moved = false,
            Answer::Moved => moved = true,
            Answer::Quit => break,
        }
    }
}

/// The move that is taken when nothing is said: the first that leads to a state not met yet, else the first.
pub(super) fn preferred(view: &View) -> u32 {
    let enabled = view.moves.enabled();
    enabled.iter().find(|one| !one.met).or(enabled.first()).map_or(0, |one| one.choice)
}

struct Prompt<'p, 's> {
    args: &'p SimulateArgs,
    terminal: &'p Terminal,
    session: &'p mut Session<'s>,
    seed: u64,
}

impl Prompt<'_, '_> {
    fn begin(&mut self) {
        if shown(&self.args.show).globals && self.session.here() == NodeId::ROOT {
            let text = self.session.view().text;
            self.terminal.detail(&format!("        {}", self.terminal.paint(Paint::Dim, &text)));
        }
    }

    /// The moves, and what is not possible where nothing is.
    fn offer(&self, view: &View) {
        for one in view.moves.enabled() {
            let met = if one.met { "  (a state met before)" } else { "" };
            let fault = one.fault.as_ref().map_or_else(String::new, |fault| format!("  ({fault})"));
            let group =
                view.moves.groups.iter().find(|group| group.enabled.iter().any(|e| e.choice == one.choice));
            let actor = group.map_or("", |group| group.actor.as_str());
            let line = one.place.as_ref().map_or_else(String::new, |place| format!("line {} ", place.line));
            let gap = if actor.is_empty() { "" } else { " " };
            let with =
                if one.with.is_empty() { String::new() } else { format!(" with {}", one.with.join(", ")) };
            let more = match one.statements {
                0 | 1 => String::new(),
                n => format!(" and {}", render::plural(n as u64 - 1, "more statement")),
            };
            let text = format!("{actor}{gap}{line}{}{with}{more}{met}{fault}", one.text);
            self.terminal.ask(&format!("  [{}] {text}", one.choice + 1));
        }
        if view.moves.more > 0 {
            self.terminal.ask(&format!("  and {} more", view.moves.more));
        }
        if view.moves.enabled().is_empty() {
            self.reasons(view);
        }
        for watch in &view.watches {
            let value = watch.value.as_ref().map_or_else(
                || format!("no value: {}", watch.problem.clone().unwrap_or_default()),
                elnath::event::Content::text,
            );
            self.terminal.ask(&format!("  {} = {value}", watch.text));
        }
    }

    fn reasons(&self, view: &View) {
        for group in &view.moves.groups {
            for one in &group.disabled {
                let line =
                    one.place.as_ref().map_or_else(String::new, |place| format!(" line {}", place.line));
                self.terminal.ask(&format!("  {}{line}  {}: {}", group.actor, one.text, one.why.text()));
            }
        }
    }

    fn answer(&mut self, line: &str, view: &View) -> Answer {
        let (word, rest) = line.split_once(' ').map_or((line, ""), |(word, rest)| (word, rest.trim()));
        let terminal = self.terminal;
        match (word, rest) {
            ("q" | "quit", _) => return Answer::Quit,
            ("", _) if view.moves.enabled().is_empty() => {}
            ("", _) => return self.take(preferred(view)),
            ("b" | "u" | "back" | "undo", rest) => return self.back(rest.parse().unwrap_or(1)),
            ("f" | "forward", _) => {
                if self.session.forward() {
                    return Answer::Moved;
                }
                terminal.ask("nothing was tried from here");
            }
            ("s" | "state" | "why", _) => self.state(view),
            ("h" | "?" | "help", _) => {
                HELP.iter().for_each(|(word, what)| terminal.ask(&format!("  {word:<14}{what}")));
            }
            ("r" | "random", rest) => return self.random(rest.parse().unwrap_or(10)),
            ("a" | "another", _) => match self.session.another() {
                Ok(Some(_)) => {
                    self.tell(self.session.here());
                    return Answer::Moved;
                }
                Ok(None) => terminal.ask("every move on the way here leads to a state met before"),
                Err(trouble) => terminal.ask(&trouble.to_string()),
            },
            ("until", text) => return self.until(text),
            ("break", text) => {
                let added = self.session.add_breakpoint(text).map(|_| ());
                self.told(added, "breakpoint added");
            }
            ("watch", text) => {
                let added = self.session.watch(text).map(|_| ());
                self.told(added, "watched from now on");
            }
            ("formula", text) => {
                let added = self.session.add_formula(text).map(|_| ());
                self.told(added, "shown with the state from now on");
            }
            ("t" | "tree", _) => self.tree(),
            ("j" | "jump", rest) => match rest.parse().map(|number| self.session.jump(NodeId(number))) {
                Ok(Ok(())) => return Answer::Moved,
                Ok(Err(trouble)) => terminal.ask(&trouble.to_string()),
                Err(_) => terminal.ask("jump needs the number of a position; tree shows them"),
            },
            ("save", path) if !path.is_empty() => {
                let saved = save(self.session, path.as_ref(), self.args);
                self.told(saved, &format!("written to {path}"));
            }
            (word, _) => match word.parse::<usize>() {
                Ok(number) if (1..=view.moves.enabled().len()).contains(&number) => {
                    return self.take(number as u32 - 1);
                }
                _ => terminal.ask(&format!("`{word}` is none of the choices; help lists the commands")),
            },
        }
        Answer::Stay
    }

    fn told(&self, done: Result<(), Vec<Message>>, text: &str) {
        match done {
            Ok(()) => self.terminal.ask(text),
            Err(messages) => messages.iter().for_each(|message| self.terminal.ask(&message.to_string())),
        }
    }

    fn take(&mut self, choice: u32) -> Answer {
        match self.session.step(choice) {
            Ok(node) => {
                self.tell(node);
                Answer::Moved
            }
            Err(trouble) => {
                self.terminal.ask(&trouble.to_string());
                Answer::Stay
            }
        }
    }

    fn back(&mut self, steps: u64) -> Answer {
        let gone = (0..steps).take_while(|_| self.session.back()).count();
        if gone == 0 {
            self.terminal.ask("this is the start");
            return Answer::Stay;
        }
        let depth = self.session.position().len();
        self.terminal.ask(&format!("back after {}", render::plural(depth as u64, "step")));
        Answer::Moved
    }

    fn random(&mut self, steps: u64) -> Answer {
        let before = self.session.position().len();
        let listening = Listening::new();
        let run = self.session.random(self.seed, steps, &mut |_| listening.take_interrupt());
        // The next run by chance is another one.
        self.seed = self.seed.wrapping_add(1);
        self.tell_from(before);
        let why = match run.stopped {
            RandomStop::Steps => format!("{} by chance", render::plural(run.steps, "step")),
            RandomStop::Breakpoint { text, .. } => {
                format!("{text} holds after {}", render::plural(run.steps, "step"))
            }
            RandomStop::Ended { text } => text,
            RandomStop::Interrupted => "interrupted".to_owned(),
            RandomStop::Full => "the history is full".to_owned(),
        };
        self.terminal.ask(&why);
        Answer::Moved
    }

    fn until(&mut self, text: &str) -> Answer {
        let before = self.session.position().len();
        let listening = Listening::new();
        match self.session.until(text, Effort::default(), &mut |_| listening.take_interrupt()) {
            Ok(Search::Found { steps, .. }) => {
                self.tell_from(before);
                self.terminal.ask(&format!("{text} holds after {}", render::plural(steps, "step")));
                return Answer::Moved;
            }
            Ok(Search::Nowhere { states }) => {
                let states = render::plural(states, "state");
                self.terminal.ask(&format!("{text} holds nowhere: all {states} that follow were looked at"));
            }
            Ok(Search::Unknown { limit, states }) => {
                let states = render::plural(states, "state");
                self.terminal.ask(&format!("{text} was not found in {states} ({limit})"));
            }
            Err(messages) => messages.iter().for_each(|message| self.terminal.ask(&message.to_string())),
        }
        Answer::Stay
    }

    fn state(&mut self, view: &View) {
        let terminal = self.terminal;
        let steps = render::plural(u64::from(view.depth), "step");
        terminal.ask(&format!("position {} after {steps}: {}", view.node.0, view.ending.text));
        for field in &view.fields {
            let changed = view.changes.iter().any(|change| {
                change.owner == field.owner && change.name.split('[').next() == field.name.split('[').next()
            });
            let mark = if changed { '*' } else { ' ' };
            let name = match (field.owner.as_str(), field.name.as_str()) {
                ("", name) => name.to_owned(),
                (owner, "") => owner.to_owned(),
                (owner, name) => format!("{owner}.{name}"),
            };
            let text = match &field.content {
                elnath::event::Content::Location { .. } => format!("{name} {}", field.content.text()),
                content => format!("{} = {}", name.replace("[]", ""), content.text()),
            };
            terminal.ask(&format!("  {mark} {text}"));
        }
        for formula in self.session.formulas() {
            let Some(whole) = formula.parts.last() else { continue };
            let at = (view.depth - formula.from.min(view.depth)) as usize;
            let truth = whole.truths.get(at).or(whole.truths.last());
            let truth = match truth {
                Some(elnath::session::Truth::True) => "true",
                Some(elnath::session::Truth::False) => "false",
                _ => "open",
            };
            let name = formula.name.map_or_else(String::new, |name| format!("{name}: "));
            terminal.ask(&format!("    {name}{} is {truth} here", formula.text));
        }
        for one in &view.breakpoints {
            terminal.ask(&format!("    breakpoint {}{}", one.text, if one.holds { " (holds)" } else { "" }));
        }
        self.reasons(view);
    }

    /// The tree: a line for each position, those of a long chain without branches left out.
    fn tree(&mut self) {
        const MOST: usize = 60;
        let entries = self.session.tree();
        let here = self.session.here();
        let is_told = |entry: &elnath::session::TreeEntry| {
            let branches = |node: NodeId| entries[node.0 as usize].children != 1;
            branches(entry.node) || entry.parent.is_none_or(branches) || entry.node == here
        };
        let told: Vec<_> = entries.iter().filter(|entry| is_told(entry)).collect();
        for entry in told.iter().take(MOST) {
            let mark = if entry.node == here { '*' } else { ' ' };
            let from = entry.parent.map_or_else(String::new, |parent| {
                format!(" from {}, move {}", parent.0, u64::from(entry.choice) + 1)
            });
            let depth = render::plural(u64::from(entry.depth), "step");
            self.terminal.ask(&format!("  {mark} {} after {depth}{from}", entry.node.0));
        }
        if told.len() > MOST {
            self.terminal.ask(&format!("  and {} more", told.len() - MOST));
        }
    }

    /// The step to a position.
    fn tell(&mut self, node: NodeId) {
        let depth = self.session.position_of(node).len();
        self.tell_from(depth.saturating_sub(1));
    }

    /// The steps to where the session is, from this one on, counted from 0.
    fn tell_from(&mut self, first: usize) {
        let Ok(run) = self.session.run_to(self.session.here()) else { return };
        let story = Story::new(self.session.system(), &run);
        if self.terminal.quiet || self.terminal.json {
            return;
        }
        for step in first..story.len() {
            let lines =
                story::lines(self.terminal, &story.step(step), Columns::DEFAULT, shown(&self.args.show), "");
            lines.iter().for_each(|line| self.terminal.detail(line));
        }
    }
}
