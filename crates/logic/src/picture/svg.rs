//! Pictures as SVG, laid out by ourselves.

use super::layout::{Bend, LINE, LOOP, Layout, MARK, RADIUS, is_reversed, layout, width};
use super::{Arrow, Line, Picture, sets};
use crate::automaton::Marks;
use std::f64::consts::PI;
use std::fmt::Write;

const HEAD: &str = r##"<style>
  text { font: 13px "DejaVu Sans", sans-serif; text-anchor: middle; fill: #111 }
  path, circle { fill: none; stroke: #333; stroke-width: 1.2 }
  circle { fill: #fff }
  .mark { fill: #111; stroke: none }
  .number { fill: #fff; font-size: 9px }
</style>
<defs><marker id="tip" markerWidth="10" markerHeight="8" refX="8.5" refY="4" orient="auto" markerUnits="userSpaceOnUse"><path d="M0,0.5 L9,4 L0,7.5 Z" style="fill:#333;stroke:none"/></marker></defs>
<rect width="100%" height="100%" fill="#fff"/>
"##;

impl Picture {
    /// As an SVG image. Legible for up to about thirty states.
    pub fn svg(&self) -> String {
        if self.circles.is_empty() {
            return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\" height=\"1\"/>\n".into();
        }
        let layout = layout(self);
        let size = layout.xy((layout.length, layout.breadth));
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0}\" height=\"{1:.0}\" viewBox=\"0 0 {0:.0} {1:.0}\">\n{HEAD}",
            size.0, size.1
        );
        for (arrow, bends) in self.arrows.iter().zip(&layout.bends) {
            if arrow.from == arrow.to {
                around(&mut out, arrow, &layout);
            } else {
                along(&mut out, arrow, bends, &layout);
            }
        }
        let (along, across) = layout.circles[self.initial];
        smooth(&mut out, &layout, &[(along - RADIUS - 22.0, across), (along - RADIUS, across)]);
        for (circle, &at) in self.circles.iter().zip(&layout.circles) {
            let (x, y) = layout.xy(at);
            let _ = writeln!(out, r#"<circle cx="{x:.1}" cy="{y:.1}" r="{RADIUS}"/>"#);
            if circle.double {
                let _ = writeln!(out, r#"<circle cx="{x:.1}" cy="{y:.1}" r="{}"/>"#, RADIUS - 3.5);
            }
            text(&mut out, x, y + 4.5, "", &circle.name);
            let marks = sets(circle.marks).count() as f64 * MARK;
            if layout.down {
                discs(&mut out, x - RADIUS - marks, y, circle.marks);
            } else {
                discs(&mut out, x - marks / 2.0, y + RADIUS + MARK / 2.0 + 3.0, circle.marks);
            }
        }
        out.push_str("</svg>\n");
        out
    }
}

/// A loop above its circle, or on its right.
fn around(out: &mut String, arrow: &Arrow, layout: &Layout) {
    let (x, y) = layout.xy(layout.circles[arrow.from]);
    let (foot, peak) = (RADIUS - 2.5, RADIUS + LOOP + 4.0);
    // Up from the centre, as if it were above.
    let turned = |aside: f64, up: f64| if layout.down { (x + up, y + aside) } else { (x + aside, y - up) };
    let points = [turned(-8.0, foot), turned(-24.0, peak), turned(24.0, peak), turned(8.0, foot)];
    let [a, b, c, d] = points.map(|(x, y)| format!("{x:.1},{y:.1}"));
    path(out, &format!("M{a} C{b} {c} {d}"));
    let (x, y) = turned(0.0, RADIUS + LOOP + 2.0);
    words(out, arrow, layout, x, y);
}

/// An arrow from circle to circle, through its bends.
fn along(out: &mut String, arrow: &Arrow, bends: &[Bend], layout: &Layout) {
    let reversed = is_reversed(layout, arrow.from, arrow.to);
    let (front, behind) = if reversed { (arrow.to, arrow.from) } else { (arrow.from, arrow.to) };
    // Along the layers: the rim of a circle, straight to the edge of its layer, in and out of each bend, and so on.
    let middle: Vec<(f64, f64)> =
        bends.iter().flat_map(|b| [(b.at.0 - b.half, b.at.1), (b.at.0 + b.half, b.at.1)]).collect();
    let (mut points, end) = match middle[..] {
        [first, .., last] => (ends(layout, front, first, 1.0), ends(layout, behind, last, -1.0)),
        _ => return,
    };
    points.extend(&middle);
    points.extend(end.iter().rev());
    if reversed {
        points.reverse();
    }
    smooth(out, layout, &points);
    for bend in bends.iter().filter(|bend| bend.words) {
        let (x, y) = layout.xy(bend.at);
        if layout.down {
            words(out, arrow, layout, x + 6.0, y);
        } else {
            words(out, arrow, layout, x, y - 4.0);
        }
    }
}

/// An arrow through points, at each of which it runs along the layers.
fn smooth(out: &mut String, layout: &Layout, points: &[(f64, f64)]) {
    let show = |point| {
        let (x, y) = layout.xy(point);
        format!("{x:.1},{y:.1}")
    };
    let mut line = format!("M{}", show(points[0]));
    for pair in points.windows(2) {
        let half = (pair[0].0 + pair[1].0) / 2.0;
        let (first, second) = (show((half, pair[0].1)), show((half, pair[1].1)));
        let _ = write!(line, " C{first} {second} {}", show(pair[1]));
    }
    path(out, &line);
}

/// Where an arrow towards `target` leaves a circle, on its right side (`side` 1) or its left one (-1), and where it
/// leaves the layer: below the words of a loop, so not yet up or down.
fn ends(layout: &Layout, circle: usize, target: (f64, f64), side: f64) -> Vec<(f64, f64)> {
    let ((x, y), half) = (layout.circles[circle], layout.halves[circle]);
    let slope = ((target.1 - y) / (target.0 - x).abs().max(1.0)).atan();
    let angle = (slope * 0.8).clamp(-PI / 3.0, PI / 3.0);
    let rim = (x + side * RADIUS * angle.cos(), y + RADIUS * angle.sin());
    if half > RADIUS + 4.0 { vec![rim, (x + side * half, rim.1)] } else { vec![rim] }
}

/// The lines of an arrow: above a place, or on its right.
fn words(out: &mut String, arrow: &Arrow, layout: &Layout, x: f64, y: f64) {
    let count = arrow.lines.len() as f64;
    for (i, line) in arrow.lines.iter().enumerate() {
        if layout.down {
            marks_and_words(out, line, x, y + 4.5 + (i as f64 - (count - 1.0) / 2.0) * LINE);
        } else {
            words_and_marks(out, line, x, y + (i as f64 - (count - 1.0)) * LINE);
        }
    }
}

/// In the middle. The width of words is only estimated: they end where the marks begin, so that these never touch them.
fn words_and_marks(out: &mut String, line: &Line, x: f64, y: f64) {
    let marks = sets(line.marks).count() as f64 * MARK;
    if marks == 0.0 {
        return text(out, x, y, "", &line.words);
    }
    let end = x + width(line) / 2.0 - marks;
    text(out, end - 3.0, y, " style=\"text-anchor:end\"", &line.words);
    discs(out, end, y - 4.5, line.marks);
}

/// From `x` on; the marks first, for the same reason.
fn marks_and_words(out: &mut String, line: &Line, x: f64, y: f64) {
    discs(out, x, y - 4.5, line.marks);
    let marks = sets(line.marks).count() as f64 * MARK;
    text(
        out,
        x + marks + if marks > 0.0 { 3.0 } else { 0.0 },
        y,
        " style=\"text-anchor:start\"",
        &line.words,
    );
}

/// Numbers in black discs, from `x` on.
fn discs(out: &mut String, x: f64, y: f64, marks: Marks) {
    for (i, set) in sets(marks).enumerate() {
        let x = x + MARK * (i as f64 + 0.5);
        let _ = writeln!(out, r#"<circle class="mark" cx="{x:.1}" cy="{y:.1}" r="6.5"/>"#);
        text(out, x, y + 3.2, " class=\"number\"", &set.to_string());
    }
}

fn path(out: &mut String, line: &str) {
    let _ = writeln!(out, r#"<path d="{line}" marker-end="url(#tip)"/>"#);
}

fn text(out: &mut String, x: f64, y: f64, attributes: &str, words: &str) {
    let words = words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let _ = writeln!(out, r#"<text x="{x:.1}" y="{y:.1}"{attributes}>{words}</text>"#);
}
