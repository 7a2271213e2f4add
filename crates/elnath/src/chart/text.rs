//! Charts in characters, for terminals: a row is a line.
//!
//! A slanted line does not go into characters, so a message through a buffer has the same number where it is sent and
//! where it is received.

use super::{Chart, Mark, cut};

/// The width of the column of step numbers.
const MARGIN: usize = 6;
const LONGEST: usize = 36;

impl Chart {
    /// The chart as lines of text.
    pub fn to_text(&self) -> String {
        let width = self.text_spacing();
        let column = |lifeline: usize| MARGIN + width / 2 + lifeline * width;
        let mut out = String::new();
        let mut names = Line::new();
        for (i, lifeline) in self.lifelines.iter().enumerate() {
            if lifeline.created.is_none() {
                names.centre(column(i), &lifeline.name);
            }
        }
        names.end(&mut out);
        if self.left_out > 0 {
            out.push_str(&format!("      ... {} steps before ...\n", self.left_out));
        }
        for (index, row) in self.rows.iter().enumerate() {
            let mut line = Line::new();
            if let Some(step) = Self::step_of(row) {
                line.put(0, &format!("{step:>4}"));
            }
            for lifeline in (0..self.lifelines.len()).filter(|&lifeline| self.is_alive(lifeline, index)) {
                line.put(column(lifeline), "│");
            }
            let at = column(row.lifeline);
            match &row.mark {
                Mark::Local(text) => line.put(at, &format!("• {}", cut(text, LONGEST))),
                Mark::Output(text) => line.put(at, &format!("» {text}")),
                Mark::Send(arrow) => {
                    let label = cut(&self.arrows[*arrow].label, LONGEST);
                    line.put(at, &format!("├─▶ {label} ({})", arrow + 1));
                }
                Mark::Receive(arrow) => {
                    let label = cut(&self.arrows[*arrow].label.replacen('!', "?", 1), LONGEST);
                    line.put(at, &format!("├◀─ {label} ({})", arrow + 1));
                }
                Mark::ReceiveOld(label) => line.put(at, &format!("├◀─ {}", cut(label, LONGEST))),
                Mark::HandOver(arrow) => {
                    let arrow = &self.arrows[*arrow];
                    let to = arrow.to.map_or(at, |(_, to)| column(to));
                    line.arrow(at, to, &cut(&arrow.label, LONGEST));
                }
                Mark::Create(created) => {
                    for &new in created {
                        line.dashes(at, column(new));
                        line.centre(column(new), &format!("[{}]", self.lifelines[new].name));
                    }
                }
                Mark::End => line.put(at, "┴"),
                Mark::Repeated(text) => line.put(MARGIN, &format!("--- {text} ---")),
            }
            line.end(&mut out);
        }
        for lifeline in &self.arrows {
            if lifeline.to.is_none() {
                out.push_str(&format!("      never received: {}\n", lifeline.label));
            }
        }
        out.push_str(&format!("      {}\n", self.why));
        out
    }

    /// Columns wide enough for what is handed over between neighbours.
    fn text_spacing(&self) -> usize {
        let handed = self.rows.iter().filter_map(|row| match &row.mark {
            Mark::HandOver(arrow) => Some(self.arrows[*arrow].label.chars().count() + 7),
            _ => None,
        });
        let names = self.lifelines.iter().map(|lifeline| lifeline.name.chars().count() + 4);
        handed.chain(names).max().unwrap_or(0).clamp(16, LONGEST)
    }
}

/// A line of characters that things can be put into.
struct Line(Vec<char>);

impl Line {
    fn new() -> Self {
        Line(Vec::new())
    }

    fn put(&mut self, at: usize, text: &str) {
        for (i, c) in text.chars().enumerate() {
            if self.0.len() <= at + i {
                self.0.resize(at + i + 1, ' ');
            }
            self.0[at + i] = c;
        }
    }

    fn centre(&mut self, at: usize, text: &str) {
        self.put(at.saturating_sub(text.chars().count() / 2), text);
    }

    /// `├── label ──▶│` in either direction.
    fn arrow(&mut self, from: usize, to: usize, label: &str) {
        let (low, high) = (from.min(to), from.max(to));
        self.put(low + 1, &"─".repeat((high - low).saturating_sub(1)));
        self.put(from, if from < to { "├" } else { "┤" });
        self.put(if from < to { to - 1 } else { to + 1 }, if from < to { "▶" } else { "◀" });
        self.centre((low + high).div_ceil(2), &format!(" {label} "));
    }

    fn dashes(&mut self, from: usize, to: usize) {
        self.put(from, "├");
        self.put(from + 1, &"╌".repeat(to.saturating_sub(from + 1)));
    }

    fn end(&self, out: &mut String) {
        let text: String = self.0.iter().collect();
        out.push_str(text.trim_end());
        out.push('\n');
    }
}
