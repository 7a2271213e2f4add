//! A diagnosis for people and for files: a story, a sequence, a graph.

use super::diagnosis::{GameDiagnosis, LabelKind, LineStep};
use super::refinement::{Counterexample, Why};
use super::side::Style;
use elnath_logic::picture::Picture;
use std::fmt::Write;

/// What the two systems are called in texts.
pub type SideNames<'a> = [&'a str; 2];

impl GameDiagnosis {
    /// The diagnosis in one sentence.
    pub fn headline(&self, names: SideNames<'_>) -> String {
        let (steps, last) = self.main_line();
        let done = |step: &LineStep| match step.alone {
            None => self.done(step.label),
            Some(side) => format!("an internal step of {}", names[side]),
        };
        let done: Vec<String> = steps.iter().map(done).collect();
        let ends = format!(
            "{} can {}, {} cannot",
            names[last.mover],
            self.ability(last.label),
            names[1 - last.mover]
        );
        match (&done[..], self.is_sequence()) {
            ([], _) => format!("at once, {ends}"),
            (_, true) => format!("after {}, {ends}", shortened(&done)),
            (_, false) => {
                let first = &self.exchanges[0];
                format!(
                    "{} can {}, and whatever {} answers is refuted; for one, after {}, {ends}",
                    names[first.mover],
                    self.ability(first.label),
                    names[1 - first.mover],
                    shortened(&done)
                )
            }
        }
    }

    fn done(&self, label: u32) -> String {
        match self.kind(label) {
            LabelKind::Internal => "an internal step".to_owned(),
            LabelKind::Divergence => "being busy inside".to_owned(),
            LabelKind::Visible => self.label(label).to_owned(),
        }
    }

    fn ability(&self, label: u32) -> String {
        match self.kind(label) {
            LabelKind::Internal => "do an internal step".to_owned(),
            LabelKind::Divergence => "be busy inside for ever".to_owned(),
            LabelKind::Visible => format!("do {}", self.label(label)),
        }
    }

    /// The whole diagnosis, a line each, answers under their exchanges; at most so many lines, the last of which then says
    /// how many exchanges are missing.
    pub fn story(&self, names: SideNames<'_>, most: usize) -> Vec<String> {
        let mut lines = Vec::new();
        let mut told = vec![false; self.exchanges.len()];
        let sequence = self.is_sequence();
        // What is still to be told: an exchange, how far in, and what led to it.
        let mut pending = vec![(0, 0, None)];
        while let Some((at, depth, intro)) = pending.pop() {
            if lines.len() + 1 >= most {
                let left = told.iter().filter(|&&told| !told).count();
                lines.push(format!("... and {left} more of {} exchanges", self.exchanges.len()));
                break;
            }
            let exchange = &self.exchanges[at];
            let (mover, other) = (names[exchange.mover], names[1 - exchange.mover]);
            let indent = "  ".repeat(depth);
            let intro: String = intro.unwrap_or_default();
            if told[at] {
                lines.push(format!("{indent}{intro}as in ({})", at + 1));
                continue;
            }
            told[at] = true;
            let number = if sequence { String::new() } else { format!("({}) ", at + 1) };
            let mut line = format!("{indent}{intro}{number}{mover} can {}", self.ability(exchange.label));
            match exchange.answers.len() {
                0 => {
                    let _ = write!(line, ", {other} cannot");
                    if exchange.unheard_of {
                        let _ = write!(line, " (nowhere in what was explored of it)");
                    }
                }
                1 => {
                    let _ = write!(line, "; {other} has one answer");
                }
                n => {
                    let _ = write!(line, "; {other} has {n} answers");
                }
            }
            lines.push(line);
            let deeper = if sequence { 0 } else { depth + 1 };
            let mut next = Vec::new();
            for answer in &exchange.answers {
                let intro = match (answer.disputes_before, sequence) {
                    (true, _) => match (exchange.from, answer.before) {
                        (None, _) => format!("{other} must go on inside before it answers, and there "),
                        (Some(_), None) => format!("{mover} goes on inside before it does so, and there "),
                        (Some(_), Some(_)) => "both go on inside before that, and there ".to_owned(),
                    },
                    (false, true) => "then ".to_owned(),
                    (false, false) => "- then ".to_owned(),
                };
                if !next.iter().any(|(then, _, _)| *then == answer.then) {
                    next.push((answer.then, deeper, Some(intro)));
                }
            }
            pending.extend(next.into_iter().rev());
        }
        lines
    }

    /// The main line in the `.seq` format: a quoted label per line, everything else a comment.
    pub fn seq(&self, names: SideNames<'_>) -> String {
        let mut out = format!("not related: {}\n", self.headline(names));
        if !self.is_sequence() {
            out += "there are other answers: this is a longest of several lines\n";
        }
        let (steps, last) = self.main_line();
        for step in steps {
            if let Some(side) = step.alone {
                let _ = writeln!(out, "in {} alone:", names[side]);
            }
            let _ = writeln!(out, "\"{}\"", self.label(step.label));
        }
        let _ = writeln!(
            out,
            "then {} can and {} cannot:\n\"{}\"",
            names[last.mover],
            names[1 - last.mover],
            self.label(last.label)
        );
        out
    }

    /// The edges of the graph: from exchange to exchange with what is done in both systems, and from leaves to one more node,
    /// with what is done in one and not in the other.
    fn edges(&self, names: SideNames<'_>) -> Vec<(usize, String, usize)> {
        let end = self.exchanges.len();
        let mut edges = Vec::new();
        for (at, exchange) in self.exchanges.iter().enumerate() {
            let label = self.label(exchange.label);
            for answer in &exchange.answers {
                // Before the answer's last step only the answerer has moved, inside.
                let label = if answer.disputes_before { self.label(0) } else { label };
                edges.push((at, label.to_owned(), answer.then));
            }
            if exchange.answers.is_empty() {
                edges.push((at, format!("Present in {}: {label}", names[exchange.mover]), end));
                edges.push((at, format!("Absent in {}: {label}", names[1 - exchange.mover]), end));
            }
        }
        edges.sort();
        edges.dedup();
        edges
    }

    /// The graph in the `.aut` format.
    pub fn aut(&self, names: SideNames<'_>) -> String {
        let edges = self.edges(names);
        let mut out = format!("des (0, {}, {})\n", edges.len(), self.exchanges.len() + 1);
        for (from, label, to) in edges {
            let _ = writeln!(out, "({from}, \"{label}\", {to})");
        }
        out
    }

    /// The graph as a picture; legible for up to about thirty exchanges. Arrows say who moves.
    pub fn svg(&self, names: SideNames<'_>) -> String {
        let end = self.exchanges.len();
        let mut arrows = Vec::new();
        for (at, exchange) in self.exchanges.iter().enumerate() {
            let name = self.done(exchange.label);
            for answer in &exchange.answers {
                let words = if answer.disputes_before {
                    format!("{}: inside", names[1 - exchange.mover])
                } else {
                    format!("{}: {name}", names[exchange.mover])
                };
                if !arrows.contains(&(at, words.clone(), answer.then)) {
                    arrows.push((at, words, answer.then));
                }
            }
            if exchange.answers.is_empty() {
                arrows.push((at, format!("only {}: {name}", names[exchange.mover]), end));
            }
        }
        let circles = (1..=end).map(|at| (at.to_string(), false)).chain([(String::new(), true)]).collect();
        Picture::graph(circles, 0, &arrows).svg()
    }

    /// Whether the relation looks through internal steps, so that "can do a" may mean after some of them.
    pub fn looks_through(&self) -> bool {
        self.style != Style::Strong
    }
}

impl Counterexample {
    /// The run in the `.seq` format: a quoted label per line, everything else a comment.
    pub fn seq(&self, names: SideNames<'_>) -> String {
        let mut out = format!("not related: {}\n", self.headline(names));
        for label in &self.labels {
            let _ = writeln!(out, "\"{label}\"");
        }
        out
    }

    /// The run with what is wrong at its end: labels, and whether each is one that both systems can do.
    fn line(&self, names: SideNames<'_>) -> Vec<String> {
        let (mover, other) = (names[self.mover], names[1 - self.mover]);
        let mut line = self.labels.clone();
        let (kind, end) = match &self.why {
            Why::Label => ("Present", line.pop().unwrap_or_default()),
            Why::Refusal { .. } => ("Refusal", "nothing else is offered".to_owned()),
            Why::Divergence { .. } => ("Present", "diverges".to_owned()),
        };
        line.push(format!("{kind} in {mover}, not in {other}: {end}"));
        line
    }

    /// The run in the `.aut` format.
    pub fn aut(&self, names: SideNames<'_>) -> String {
        let line = self.line(names);
        let mut out = format!("des (0, {}, {})\n", line.len(), line.len() + 1);
        for (at, label) in line.iter().enumerate() {
            let _ = writeln!(out, "({at}, \"{label}\", {})", at + 1);
        }
        out
    }

    /// The run as a picture.
    pub fn svg(&self, names: SideNames<'_>) -> String {
        let line = self.line(names);
        let end = line.len();
        let circles = (0..=end).map(|at| (at.to_string(), at == end)).collect();
        let arrows: Vec<(usize, String, usize)> =
            line.into_iter().enumerate().map(|(at, label)| (at, label, at + 1)).collect();
        Picture::graph(circles, 0, &arrows).svg()
    }
}

/// The first few and the last few.
fn shortened(labels: &[String]) -> String {
    const MOST: usize = 12;
    if labels.len() <= MOST {
        return labels.join(", ");
    }
    let (head, tail) = (&labels[..MOST / 2], &labels[labels.len() - MOST / 2..]);
    format!("{}, ... ({} more), {}", head.join(", "), labels.len() - MOST, tail.join(", "))
}
