//! Pictures as SVG, laid out by ourselves.

use super::layout::{Bend, LINE, LOOP, Layout, RADIUS, is_reversed, layout};
use super::{Arrow, Picture};
use std::f64::consts::PI;
use std::fmt::Write;

const HEAD: &str = r##"<style>
  text { font: 13px "DejaVu Sans", sans-serif; text-anchor: middle; fill: #111 }
  path, circle { fill: none; stroke: #333; stroke-width: 1.2 }
  circle { fill: #fff }
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
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0}\" height=\"{1:.0}\" viewBox=\"0 0 {0:.0} {1:.0}\">\n{HEAD}",
            layout.width, layout.height
        );
        for (arrow, bends) in self.arrows.iter().zip(&layout.bends) {
            if arrow.from == arrow.to {
                around(&mut out, arrow, &layout)
            } else {
                along(&mut out, arrow, bends, &layout)
            }
        }
        let (x, y) = layout.circles[self.initial];
        path(&mut out, &format!("M{:.1},{y:.1} h22", x - RADIUS - 22.0));
        for (circle, &(x, y)) in self.circles.iter().zip(&layout.circles) {
            let _ = writeln!(out, r#"<circle cx="{x:.1}" cy="{y:.1}" r="{RADIUS}"/>"#);
            if circle.double {
                let _ = writeln!(out, r#"<circle cx="{x:.1}" cy="{y:.1}" r="{}"/>"#, RADIUS - 3.5);
            }
            text(&mut out, x, y + 4.5, &circle.name);
        }
        out.push_str("</svg>\n");
        out
    }
}

/// A loop above its circle.
fn around(out: &mut String, arrow: &Arrow, layout: &Layout) {
    let (x, y) = layout.circles[arrow.from];
    let (foot, peak) = (y - RADIUS + 2.5, y - RADIUS - LOOP - 4.0);
    path(
        out,
        &format!(
            "M{:.1},{foot:.1} C{:.1},{peak:.1} {:.1},{peak:.1} {:.1},{foot:.1}",
            x - 8.0,
            x - 24.0,
            x + 24.0,
            x + 8.0
        ),
    );
    words(out, arrow, x, y - RADIUS - LOOP + 2.0);
}

/// An arrow from circle to circle, through its bends.
fn along(out: &mut String, arrow: &Arrow, bends: &[Bend], layout: &Layout) {
    let reversed = is_reversed(layout, arrow.from, arrow.to);
    let (left, right) = if reversed { (arrow.to, arrow.from) } else { (arrow.from, arrow.to) };
    let (left, right) = (layout.circles[left], layout.circles[right]);
    // From left to right: the rim of a circle, in and out of each bend, the rim of the other circle.
    let middle: Vec<(f64, f64)> =
        bends.iter().flat_map(|b| [(b.x - b.half, b.y), (b.x + b.half, b.y)]).collect();
    let mut points = vec![rim(left, *middle.first().unwrap_or(&right), 1.0)];
    points.extend(&middle);
    points.push(rim(right, *middle.last().unwrap_or(&left), -1.0));
    if reversed {
        points.reverse();
    }
    let mut line = format!("M{:.1},{:.1}", points[0].0, points[0].1);
    for pair in points.windows(2) {
        let ((x1, y1), (x2, y2)) = (pair[0], pair[1]);
        let half = (x1 + x2) / 2.0;
        let _ = write!(line, " C{half:.1},{y1:.1} {half:.1},{y2:.1} {x2:.1},{y2:.1}");
    }
    path(out, &line);
    for bend in bends.iter().filter(|bend| bend.words) {
        words(out, arrow, bend.x, bend.y - 4.0);
    }
}

/// Where an arrow towards `target` leaves a circle, on its right side (`side` 1) or its left one (-1).
fn rim((x, y): (f64, f64), target: (f64, f64), side: f64) -> (f64, f64) {
    let slope = ((target.1 - y) / (target.0 - x).abs().max(1.0)).atan();
    let angle = (slope * 0.8).clamp(-PI / 3.0, PI / 3.0);
    (x + side * RADIUS * angle.cos(), y + RADIUS * angle.sin())
}

/// The lines of an arrow, the last one standing on `y`.
fn words(out: &mut String, arrow: &Arrow, x: f64, y: f64) {
    for (above, line) in arrow.lines.iter().rev().enumerate() {
        text(out, x, y - above as f64 * LINE, line);
    }
}

fn path(out: &mut String, line: &str) {
    let _ = writeln!(out, r#"<path d="{line}" marker-end="url(#tip)"/>"#);
}

fn text(out: &mut String, x: f64, y: f64, words: &str) {
    let words = words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let _ = writeln!(out, r#"<text x="{x:.1}" y="{y:.1}">{words}</text>"#);
}
