//! The contents of the panes, as lines with styles: made of what the session says, whatever the size of the screen.

use super::{Pane, Screen};
use elnath::event::{Content, Event, Field, MessageKind};
use elnath::session::{FormulaView, Truth, WatchView};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

/// What is told apart.
#[derive(Clone, Copy)]
pub(super) struct Styles {
    pub(super) plain: Style,
    pub(super) dim: Style,
    pub(super) strong: Style,
    pub(super) changed: Style,
    pub(super) good: Style,
    pub(super) bad: Style,
    pub(super) selected: Style,
    pub(super) actor: Style,
    pub(super) focus: Style,
}

impl Styles {
    pub(super) fn new(colored: bool) -> Self {
        let plain = Style::new();
        let color = |color: Color| if colored { plain.fg(color) } else { plain };
        Self {
            plain,
            dim: if colored { plain.fg(Color::DarkGray) } else { plain.add_modifier(Modifier::DIM) },
            strong: plain.add_modifier(Modifier::BOLD),
            changed: color(Color::Yellow).add_modifier(Modifier::BOLD),
            good: color(Color::Green),
            bad: color(Color::Red).add_modifier(Modifier::BOLD),
            selected: plain.add_modifier(Modifier::REVERSED),
            actor: color(Color::Cyan),
            focus: color(Color::Cyan).add_modifier(Modifier::BOLD),
        }
    }
}

/// Lines, and the one that must be in sight.
#[derive(Default)]
pub(super) struct Lines<'l> {
    pub(super) lines: Vec<Line<'l>>,
    pub(super) sight: Option<usize>,
}

impl<'l> Lines<'l> {
    fn push(&mut self, spans: impl Into<Vec<Span<'l>>>) {
        self.lines.push(Line::from(spans.into()));
    }
}

fn span(text: impl Into<String>, style: Style) -> Span<'static> {
    Span::styled(text.into(), style)
}

impl Screen<'_, '_> {
    pub(super) fn lines(&self, pane: Pane, width: usize, styles: &Styles) -> Lines<'static> {
        match pane {
            Pane::Moves => self.moves(width, styles),
            Pane::State => self.state(styles),
            Pane::Source => self.source(styles),
            Pane::Chart => self.chart_lines(styles),
            Pane::Tree => self.history(styles),
            Pane::Watches => self.watched(styles),
        }
    }

    fn moves(&self, room: usize, styles: &Styles) -> Lines<'static> {
        let mut out = Lines::default();
        let enabled: usize = self.view.moves.groups.iter().map(|group| group.enabled.len()).sum();
        if enabled == 0 {
            let style = if self.view.ending.is_error { styles.bad } else { styles.good };
            out.push([span(self.view.ending.text.clone(), style)]);
        }
        let mut choices: Vec<_> = self
            .view
            .moves
            .groups
            .iter()
            .flat_map(|group| group.enabled.iter().map(move |one| (group.actor.as_str(), one)))
            .collect();
        choices.sort_by_key(|(_, one)| one.choice);
        let width = choices.iter().map(|(actor, _)| actor.chars().count()).max().unwrap_or(0);
        for (number, (actor, one)) in choices.into_iter().enumerate() {
            let selected = number == self.selected;
            if selected {
                out.sight = Some(out.lines.len());
            }
            let style = if selected { styles.selected } else { styles.plain };
            let line = one.place.as_ref().map_or_else(String::new, |place| format!("{:>4} ", place.line));
            let mut spans = vec![
                span(format!("{:>3} ", one.choice + 1), if selected { style } else { styles.strong }),
                span(format!("{actor:width$} "), if selected { style } else { styles.actor }),
                span(line, if selected { style } else { styles.dim }),
                span(one.text.clone(), style),
            ];
            if !one.with.is_empty() {
                spans.push(span(format!(" with {}", one.with.join(", ")), styles.actor));
            }
            if one.statements > 1 && one.with.is_empty() {
                spans.push(span(format!(" +{}", one.statements - 1), styles.dim));
            }
            if let Some(fault) = &one.fault {
                spans.push(span(format!("  {fault}"), styles.bad));
            } else if one.node.is_some() {
                spans.push(span("  tried", styles.dim));
            } else if one.met {
                spans.push(span("  met", styles.dim));
            }
            out.push(spans);
        }
        if self.view.moves.more > 0 {
            out.push([span(format!("and {} more", self.view.moves.more), styles.dim)]);
        }
        let disabled = || self.view.moves.groups.iter().flat_map(|group| &group.disabled);
        if disabled().next().is_some() {
            out.push([span("", styles.plain)]);
            out.push([span("not possible:", styles.dim)]);
        }
        let width = disabled().map(|one| one.actor.chars().count()).max().unwrap_or(0);
        for one in disabled() {
            let line = one.place.as_ref().map_or_else(String::new, |place| format!("{:>4} ", place.line));
            let what = format!("  - {:width$} {line}{}", one.actor, one.text);
            let why = one.why.text();
            // The reason is what matters: it has a line of its own where it would be cut off.
            if what.chars().count() + why.chars().count() + 2 <= room {
                out.push([span(what, styles.dim), span(format!("  {why}"), styles.plain)]);
            } else {
                out.push([span(what, styles.dim)]);
                out.push([span(format!("      {why}"), styles.plain)]);
            }
        }
        out
    }

    fn state(&self, styles: &Styles) -> Lines<'static> {
        let mut out = Lines::default();
        let mut owners: Vec<&str> = Vec::new();
        for field in &self.view.fields {
            if !owners.contains(&field.owner.as_str()) {
                owners.push(&field.owner);
            }
        }
        for owner in owners {
            let own: Vec<&Field> = self.view.fields.iter().filter(|field| field.owner == owner).collect();
            let location = own.iter().find(|field| field.name.is_empty());
            if !owner.is_empty() {
                let mut spans = vec![span(owner.to_owned(), styles.actor.add_modifier(Modifier::BOLD))];
                if let Some(location) = location {
                    let style = if self.changed(location, None) { styles.changed } else { styles.dim };
                    spans.push(span(format!("  {}", location.content.text()), style));
                }
                out.push(spans);
            } else if let Some(location) = location {
                out.push([span(location.content.text(), styles.plain)]);
            }
            for field in own.into_iter().filter(|field| !field.name.is_empty()) {
                self.field(field, styles, &mut out);
            }
        }
        let gone = self.view.changes.iter().filter(|change| change.new.is_none());
        for change in gone.filter(|change| change.name.is_empty()) {
            out.push([span(format!("{} has ended", change.owner), styles.dim)]);
        }
        out
    }

    fn changed(&self, field: &Field, element: Option<&str>) -> bool {
        let name = element.unwrap_or(&field.name);
        self.view
            .changes
            .iter()
            .any(|change| change.owner == field.owner && change.name == name && change.old.is_some())
    }

    fn field(&self, field: &Field, styles: &Styles, out: &mut Lines<'static>) {
        let old = |name: &str| {
            let found =
                self.view.changes.iter().find(|change| change.owner == field.owner && change.name == name);
            found.and_then(|change| change.old.as_ref()).map(Content::text)
        };
        let indent = if field.owner.is_empty() { "" } else { "  " };
        let name = field.name.replace("[]", "");
        match &field.content {
            Content::Queue { capacity, messages, .. } if *capacity != Some(0) => {
                let style = if self.changed(field, None) { styles.changed } else { styles.plain };
                let mut boxes = String::from("│");
                for fields in messages.iter().take(16) {
                    let texts: Vec<String> = fields.iter().map(Content::text).collect();
                    boxes.push_str(&format!("{}│", texts.join(",")));
                }
                if messages.len() > 16 {
                    boxes.push_str("...│");
                }
                let free =
                    capacity.map_or(0, |capacity| capacity as usize - messages.len().min(capacity as usize));
                boxes.push_str(&" │".repeat(free.min(12)));
                let of = match capacity {
                    Some(capacity) => format!(" {} of {capacity}", messages.len()),
                    None => format!(" {}", messages.len()),
                };
                out.push([
                    span(format!("{indent}{name} "), styles.plain),
                    span(boxes, style),
                    span(of, styles.dim),
                ]);
            }
            Content::Array { dims, elements } => {
                let mut spans = vec![span(format!("{indent}{name} = ["), styles.plain)];
                for (at, element) in elements.iter().enumerate() {
                    if at > 0 {
                        spans.push(span(", ", styles.plain));
                    }
                    let whole = elnath::event::element_name(&field.name, dims, at);
                    let style = if self.changed(field, Some(&whole)) { styles.changed } else { styles.plain };
                    spans.push(span(element.text(), style));
                }
                spans.push(span("]", styles.plain));
                out.push(spans);
            }
            content => {
                let mut spans = vec![span(format!("{indent}{name} = "), styles.plain)];
                match old(&field.name) {
                    Some(old) => {
                        spans.push(span(content.text(), styles.changed));
                        spans.push(span(format!("  was {old}"), styles.dim));
                    }
                    None => spans.push(span(content.text(), styles.plain)),
                }
                out.push(spans);
            }
        }
    }

    /// The file of the last step or of the first process, with the processes beside the lines at which they are.
    fn source(&self, styles: &Styles) -> Lines<'static> {
        let mut out = Lines::default();
        let places = self.view.fields.iter().filter_map(|field| match &field.content {
            Content::Location { place: Some(place), .. } => Some((field.owner.as_str(), place)),
            _ => None,
        });
        let places: Vec<_> = places.collect();
        let events = self.steps.last().map_or(&[][..], |step| &step.events);
        let last: Vec<_> = events.iter().filter_map(|event| event.place.as_ref()).collect();
        let enabled = self.view.moves.enabled();
        let chosen = enabled.get(self.selected).and_then(|one| one.place.as_ref());
        let file = chosen
            .or(last.first().copied())
            .or(places.first().map(|(_, place)| *place))
            .map(|place| place.file.clone())
            .or_else(|| self.session.model().files.first().cloned());
        let Some(file) = file else { return out };
        let Some(Some(text)) = self.sources.get(&file) else {
            out.push([span(format!("{file} is not shown"), styles.dim)]);
            return out;
        };
        let here =
            |number: usize, place: &elnath::event::Place| place.file == file && place.line as usize == number;
        let names = |number: usize| {
            let at = places.iter().filter(|(_, place)| here(number, place)).map(|(owner, _)| *owner);
            at.collect::<Vec<_>>().join(" ")
        };
        let margin = (1..=text.len()).map(|number| names(number).chars().count()).max().unwrap_or(0).min(20);
        for (at, line) in text.iter().enumerate() {
            let number = at + 1;
            let done = last.iter().any(|place| here(number, place));
            let next = chosen.is_some_and(|place| here(number, place));
            if next || done && chosen.is_none() {
                out.sight = Some(at);
            }
            let names: String = names(number).chars().take(margin).collect();
            let mark = if done { '>' } else { ' ' };
            let style = match (next, done) {
                (true, _) => styles.selected,
                (_, true) => styles.changed,
                _ => styles.plain,
            };
            out.push([
                span(format!("{names:>margin$}"), styles.actor),
                span(format!("{mark}{number:>4} "), styles.dim),
                span(line.clone(), style),
            ]);
        }
        out
    }

    fn chart_lines(&self, styles: &Styles) -> Lines<'static> {
        let mut out = Lines::default();
        if self.chart.is_empty() {
            out.push([span("nothing has happened yet", styles.dim)]);
        }
        // The state of the run is said elsewhere.
        let lines = self.chart.len().saturating_sub(1);
        for (at, line) in self.chart.iter().take(lines).enumerate() {
            out.push([span(line.clone(), if at == 0 { styles.actor } else { styles.plain })]);
        }
        out.sight = out.lines.len().checked_sub(1);
        out
    }

    fn history(&self, styles: &Styles) -> Lines<'static> {
        let mut out = Lines::default();
        for (at, line) in self.tree.iter().enumerate() {
            let here = line.node == self.view.node;
            let selected = self.focus == Pane::Tree && at == self.tree_at;
            if here && self.focus != Pane::Tree || selected {
                out.sight = Some(at);
            }
            let style = match (selected, here, line.on_path) {
                (true, ..) => styles.selected,
                (_, true, _) => styles.changed,
                (_, _, true) => styles.plain,
                _ => styles.dim,
            };
            let mark = if here { '*' } else { ' ' };
            let depth = self.session.entry(line.node).depth;
            let branch = if line.indent > 0 { "  ├ " } else { "" };
            let after = match line.after {
                0 => String::new(),
                _ if line.on_path => String::new(),
                after => format!("  ({after} after it)"),
            };
            out.push([
                span(format!("{mark}{depth:>4} "), styles.dim),
                span(format!("{branch}{}", line.text), style),
                span(after, styles.dim),
            ]);
        }
        out
    }

    /// Watches, breakpoints, formulas, the loaded runs and the last step.
    fn watched(&self, styles: &Styles) -> Lines<'static> {
        let mut out = Lines::default();
        let mut number = 0;
        let mut next = || {
            number += 1;
            format!("{number:>2} ")
        };
        for WatchView { text, value, problem, .. } in &self.view.watches {
            let value = match (value, problem) {
                (Some(value), _) => span(value.text(), styles.strong),
                (None, problem) => span(problem.clone().unwrap_or_default(), styles.dim),
            };
            out.push([span(next(), styles.dim), span(format!("{text} = "), styles.plain), value]);
        }
        for one in &self.view.breakpoints {
            let style = if one.holds { styles.changed } else { styles.plain };
            let holds = if one.holds { "  holds here" } else { "" };
            out.push([span(next(), styles.dim), span(format!("break {}{holds}", one.text), style)]);
        }
        for formula in &self.formulas {
            self.formula(formula, &next(), styles, &mut out);
        }
        for (at, run) in self.session.runs().iter().enumerate() {
            let step = self.run.filter(|(run, _)| *run == at).map(|(_, step)| step);
            let step = step.map_or_else(String::new, |step| format!(", step {step}"));
            let text = format!("   run {}: {} steps{step}", run.name, run.nodes.len() - 1);
            out.push([span(text, styles.plain)]);
        }
        if let Some(step) = self.steps.last() {
            out.push([span(format!("last step ({}):", step.number), styles.dim)]);
            for event in &step.events {
                out.push([span(format!("  {}", told(event)), styles.plain)]);
                for printed in event.output.concat().lines() {
                    out.push([span(format!("    prints {printed}"), styles.strong)]);
                }
            }
            if let Some(fault) = &step.fault {
                out.push([span(format!("  {fault}"), styles.bad)]);
            }
        }
        if out.lines.is_empty() {
            out.push([span("w watches an expression, b adds a breakpoint, F a formula", styles.dim)]);
        }
        out
    }

    /// A formula and its parts, each with what it is here and at the positions before and after.
    fn formula(&self, formula: &FormulaView, number: &str, styles: &Styles, out: &mut Lines<'static>) {
        /// How many positions are shown.
        const WINDOW: usize = 24;
        let here = self.run.map_or(self.view.depth as usize, |(_, step)| step);
        let at = here.saturating_sub(formula.from as usize);
        let name = formula.name.as_ref().map_or_else(String::new, |name| format!("{name}: "));
        out.push([
            span(number.to_owned(), styles.dim),
            span(format!("{name}{}", formula.text), styles.strong),
        ]);
        for part in formula.parts.iter().rev() {
            let length = part.truths.len();
            // In a lasso the position after the last is one within it.
            let at = at.min(length.saturating_sub(1));
            let from = (at + 1).saturating_sub(WINDOW * 3 / 4);
            let mut spans = vec![span("   ", styles.plain)];
            for (position, truth) in part.truths.iter().enumerate().skip(from).take(WINDOW) {
                let (sign, style) = match truth {
                    Truth::True => ("T", styles.good),
                    Truth::False => ("f", styles.bad),
                    Truth::Open => ("?", styles.dim),
                };
                let style = if position == at { style.add_modifier(Modifier::REVERSED) } else { style };
                spans.push(span(sign, style));
            }
            spans.push(span(format!("  {}", part.text), styles.plain));
            out.push(spans);
        }
    }
}

/// An event on one line.
fn told(event: &Event) -> String {
    let actor = match event.message.as_ref().map(|message| &message.kind) {
        Some(MessageKind::HandedOver { receiver, .. }) => format!("{} → {receiver}", event.actor),
        _ => event.actor.clone(),
    };
    let changes = event.changes.iter().flatten();
    let changes: Vec<String> = changes.map(|change| format!("{} = {}", change.name, change.value)).collect();
    let gap = if actor.is_empty() { "" } else { " " };
    let changes = if changes.is_empty() { String::new() } else { format!("   {}", changes.join(", ")) };
    format!("{actor}{gap}{}{changes}", event.text)
}
