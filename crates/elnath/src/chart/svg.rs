//! Charts as SVG.
//!
//! Texts have a white outline under them, so that lifelines and slanted arrows may pass behind without making them
//! unreadable; hence everything with letters is drawn last.

use super::{Chart, Mark, cut};
use std::fmt::Write;

const ROW: usize = 26;
const LEFT: usize = 64;
const TOP: usize = 76;
const BOX: usize = 28;
/// The width of a character of the fixed-width font at 12 pixels.
const LETTER: f64 = 7.25;
const LONGEST: usize = 34;

const STYLE: &str = "\
text{font-family:'DejaVu Sans Mono',Menlo,Consolas,monospace;font-size:12px;fill:#1f2933}\
.halo{paint-order:stroke;stroke:#fff;stroke-width:5px;stroke-linejoin:round}\
.name{font-weight:bold;text-anchor:middle}.box{fill:#e8eef7;stroke:#3d5a80;stroke-width:1.2}\
.life{stroke:#9aa5b1;stroke-width:1.2}.step{fill:#9aa5b1;font-size:11px;text-anchor:end}\
.group{stroke:#c8d0da;stroke-width:3;stroke-linecap:round}\
.note{fill:#616e7c;font-size:11px}.out{fill:#7a5c00;font-style:italic}.lost{fill:#b42318}\
.send{stroke:#1d4ed8;stroke-width:1.5;fill:none}.meet{stroke:#0f7b4f;stroke-width:1.7;fill:none}\
.new{stroke:#3d5a80;stroke-width:1.2;stroke-dasharray:5 3;fill:none}\
.gone{stroke:#b42318;stroke-width:1.5;stroke-dasharray:3 3;fill:none}\
.again{stroke:#b42318;stroke-width:1.2;stroke-dasharray:7 4}.repeated{fill:#b42318;font-size:11px}\
.dot{fill:#616e7c}.bad{fill:#fdecea;stroke:#b42318;stroke-width:1.2}.why{fill:#b42318;font-weight:bold}";

impl Chart {
    /// The chart as an SVG document.
    pub fn to_svg(&self) -> String {
        let spacing = self.spacing();
        let rows_end = TOP + self.rows.len() * ROW + 14;
        let name_width = |name: &str| ((name.chars().count() as f64 * LETTER) as usize + 20).max(56);
        // What stands beside the last lifelines must not be cut off.
        let beside = self.rows.iter().map(|row| {
            let text = match &row.mark {
                Mark::Local(text) | Mark::Output(text) | Mark::ReceiveOld(text) => text.chars().count(),
                Mark::Send(arrow) if self.arrows[*arrow].to.is_none() => {
                    self.arrows[*arrow].label.chars().count() + 7
                }
                _ => 0,
            };
            let right = (text + 2).min(LONGEST + 2) as f64 * LETTER;
            LEFT + row.lifeline * spacing + spacing * 45 / 100 + right as usize + 24
        });
        let content = LEFT + self.lifelines.len().max(1) * spacing;
        let content = content.max(beside.max().unwrap_or(0));
        let across = self.rows.iter().map(|row| match &row.mark {
            Mark::Repeated(text) => text.chars().count(),
            _ => 0,
        });
        let across = across.chain([self.why.chars().count()]).max().unwrap_or(0);
        let width = content.max(LEFT + (across as f64 * (LETTER + 0.2)) as usize + 60);
        let drawing =
            Drawing { chart: self, spacing, width, rows_end, lines: String::new(), texts: String::new() };
        drawing.draw(name_width)
    }

    /// Lifelines far enough apart for most of what is written between them.
    fn spacing(&self) -> usize {
        let labels = self.arrows.iter().map(|arrow| arrow.label.chars().count() + 3);
        let notes = self.rows.iter().map(|row| match &row.mark {
            Mark::Local(text) | Mark::Output(text) | Mark::ReceiveOld(text) => text.chars().count(),
            _ => 0,
        });
        let names = self.lifelines.iter().map(|lifeline| lifeline.name.chars().count() + 5);
        let longest = labels.chain(notes).chain(names).max().unwrap_or(0).min(LONGEST);
        ((longest as f64 * LETTER) as usize + 26).clamp(120, 250)
    }
}

struct Drawing<'c> {
    chart: &'c Chart,
    spacing: usize,
    width: usize,
    rows_end: usize,
    /// What lies below.
    lines: String,
    /// What lies above.
    texts: String,
}

impl Drawing<'_> {
    fn x(&self, lifeline: usize) -> usize {
        LEFT + self.spacing * 45 / 100 + lifeline * self.spacing
    }

    fn y(row: usize) -> usize {
        TOP + row * ROW + ROW / 2
    }

    fn line(&mut self, class: &str, (x1, y1): (usize, usize), (x2, y2): (usize, usize)) {
        let _ = writeln!(self.lines, r#"<line class="{class}" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>"#);
    }

    fn text(&mut self, class: &str, x: usize, y: usize, anchor: &str, text: &str) {
        let text = escape(&cut(text, LONGEST));
        let _ = writeln!(
            self.texts,
            r#"<text class="{class}" x="{x}" y="{y}" text-anchor="{anchor}">{text}</text>"#
        );
    }

    fn arrow(&mut self, class: &str, from: (usize, usize), to: (usize, usize)) {
        let ((x1, y1), (x2, y2)) = (from, to);
        let _ = writeln!(
            self.lines,
            r#"<path class="{class}" marker-end="url(#{class})" d="M{x1} {y1} L{x2} {y2}"/>"#
        );
    }

    fn draw(mut self, name_width: impl Fn(&str) -> usize) -> String {
        self.lifelines(name_width);
        self.steps();
        for (index, row) in self.chart.rows.iter().enumerate() {
            self.row(index, row.lifeline, &row.mark);
        }
        let bottom = self.why();
        let (width, lines, texts) = (self.width, &self.lines, &self.texts);
        let mut markers = String::new();
        for (name, colour) in
            [("send", "#1d4ed8"), ("meet", "#0f7b4f"), ("new", "#3d5a80"), ("gone", "#b42318")]
        {
            let _ = writeln!(
                markers,
                "<marker id=\"{name}\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"9\" \
                 markerHeight=\"9\" markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 1 L10 5 L0 9 z\" \
                 fill=\"{colour}\"/></marker>"
            );
        }
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{bottom}\" \
             viewBox=\"0 0 {width} {bottom}\">\n<style>{STYLE}</style>\n<defs>{markers}</defs>\n\
             <rect width=\"{width}\" height=\"{bottom}\" fill=\"#fff\"/>\n{lines}{texts}</svg>\n"
        )
    }

    fn lifelines(&mut self, name_width: impl Fn(&str) -> usize) {
        let chart = self.chart;
        for (i, lifeline) in chart.lifelines.iter().enumerate() {
            let x = self.x(i);
            let head = lifeline.created.map_or(TOP - BOX - 12, |row| Self::y(row) - BOX / 2 + 2);
            let end = lifeline.ended.map_or(self.rows_end, Self::y);
            let height = if lifeline.created.is_some() { BOX - 6 } else { BOX };
            self.line("life", (x, head + height), (x, end));
            if lifeline.ended.is_some() {
                self.line("life", (x - 9, end), (x + 9, end));
            }
            let name = if lifeline.name.is_empty() { "system" } else { &lifeline.name };
            let heads = std::iter::once((head, height));
            // A long chart has the names at its end too.
            let foot = (chart.rows.len() > 28 && lifeline.ended.is_none()).then_some((self.rows_end, BOX));
            for (y, height) in heads.chain(foot) {
                let (w, half) = (name_width(name), name_width(name) / 2);
                let _ = writeln!(
                    self.texts,
                    r#"<rect class="box" x="{}" y="{y}" width="{w}" height="{height}" rx="4"/>"#,
                    x - half.min(x)
                );
                self.text("name", x, y + height / 2 + 4, "middle", name);
            }
        }
    }

    /// The numbers of the steps, and a bar along those that have several rows.
    fn steps(&mut self) {
        let chart = self.chart;
        if chart.left_out > 0 {
            let text = format!("… {} steps before", chart.left_out);
            self.text("note", 10, 20, "start", &text);
        }
        let mut begin = 0;
        for (i, row) in chart.rows.iter().enumerate() {
            if row.first {
                begin = i;
            }
            if let Some(step) = Chart::step_of(row) {
                self.text("step", LEFT - 26, Self::y(i) + 4, "end", &step.to_string());
            }
            let last = chart.rows.get(i + 1).is_none_or(|next| next.first);
            if last && i > begin {
                self.line("group", (LEFT - 16, Self::y(begin) - 4), (LEFT - 16, Self::y(i) + 4));
            }
        }
    }

    fn row(&mut self, index: usize, lifeline: usize, mark: &Mark) {
        let chart = self.chart;
        let (x, y) = (self.x(lifeline), Self::y(index));
        match mark {
            Mark::Local(text) => {
                let _ = writeln!(self.lines, r#"<circle class="dot" cx="{x}" cy="{y}" r="2.6"/>"#);
                self.text("note halo", x + 8, y + 4, "start", text);
            }
            Mark::Output(text) => self.text("out halo", x + 8, y + 4, "start", &format!("“{text}”")),
            Mark::Send(arrow) => self.message(&chart.arrows[*arrow]),
            Mark::HandOver(arrow) => {
                let arrow = &chart.arrows[*arrow];
                let to = arrow.to.map_or(x, |(_, to)| self.x(to));
                let tip = if to > x { to - 1 } else { to + 1 };
                self.arrow("meet", (x, y), (tip, y));
                self.text("halo", x.midpoint(to), y - 5, "middle", &arrow.label);
            }
            // The arrow is drawn where it begins.
            Mark::Receive(_) => {}
            Mark::ReceiveOld(label) => {
                self.arrow("send", (x.saturating_sub(40), y), (x - 1, y));
                self.text("halo", x + 8, y + 4, "start", label);
            }
            Mark::Create(created) => {
                for &new in created {
                    let name = &chart.lifelines[new].name;
                    let half = (name.chars().count() as f64 * LETTER) as usize / 2 + 12;
                    self.arrow("new", (x, y), (self.x(new).saturating_sub(half.max(30)), y));
                }
            }
            Mark::End => {}
            Mark::Repeated(text) => {
                // The line goes on where the text ends: a halo hides nothing between words.
                let end = 28 + (text.chars().count() as f64 * LETTER * 11.0 / 12.0) as usize;
                self.line("again", (end, y), (self.width - 20, y));
                let _ = writeln!(
                    self.texts,
                    r#"<text class="repeated halo" x="20" y="{}">{}</text>"#,
                    y + 4,
                    escape(text)
                );
            }
        }
    }

    /// A message through a buffer.
    fn message(&mut self, arrow: &super::Arrow) {
        let (row, lifeline) = arrow.from;
        let (x, y) = (self.x(lifeline), Self::y(row));
        match arrow.to {
            None => {
                self.arrow("gone", (x, y), (x + 44, y));
                self.text("lost halo", x + 50, y + 4, "start", &arrow.label);
            }
            Some((to_row, to)) if to == lifeline => {
                // To itself: out and back again.
                let end = Self::y(to_row);
                let _ = writeln!(
                    self.lines,
                    r#"<path class="send" marker-end="url(#send)" d="M{x} {y} C{} {y} {} {end} {} {end}"/>"#,
                    x + 34,
                    x + 34,
                    x + 1
                );
                self.text("halo", x + 12, y - 4, "start", &arrow.label);
            }
            Some((to_row, to)) => {
                let (to_x, to_y) = (self.x(to), Self::y(to_row));
                let tip = if to_x > x { to_x - 1 } else { to_x + 1 };
                self.arrow("send", (x, y), (tip, to_y));
                if to_x > x {
                    self.text("halo", x + 9, y - 3, "start", &arrow.label);
                } else {
                    self.text("halo", x - 9, y - 3, "end", &arrow.label);
                }
            }
        }
    }

    /// How the run ended, below everything; how high the drawing is.
    fn why(&mut self) -> usize {
        let y = self.rows_end + if self.chart.rows.len() > 28 { BOX + 16 } else { 16 };
        let width = self.width - 40;
        let (around, inside) = if self.chart.is_error { ("bad", "why") } else { ("box", "fine") };
        let _ = writeln!(
            self.texts,
            r#"<rect class="{around}" x="20" y="{y}" width="{width}" height="30" rx="5"/><text class="{inside}" x="34" y="{}">{}</text>"#,
            y + 20,
            escape(&self.chart.why)
        );
        y + 50
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
