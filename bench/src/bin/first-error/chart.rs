//! One point per model: our time over that of the other side, both on logarithmic scales, with the line on which they are the same.

use crate::Row;
use crate::sides::{Side, Verdict};
use plotters::prelude::*;

/// The drawing as SVG.
pub(crate) fn draw(rows: &[Row], other: Side) -> String {
    let mut svg = String::new();
    render(&mut svg, rows, other).expect("drawing into a string cannot fail");
    svg
}

fn render(svg: &mut String, rows: &[Row], other: Side) -> Result<(), Box<dyn std::error::Error>> {
    let points: Vec<(f64, f64, bool)> = rows
        .iter()
        .filter_map(|row| {
            let (ours, theirs) = (row.of(Side::Elnath)?, row.of(other)?);
            let answered = |verdict| matches!(verdict, Verdict::Fails | Verdict::Holds);
            Some((theirs.seconds, ours.seconds, answered(ours.verdict) && answered(theirs.verdict)))
        })
        .collect();
    let ends = |value: fn(&(f64, f64, bool)) -> f64| {
        let low = points.iter().map(value).fold(f64::MAX, f64::min).max(1e-3);
        let high = points.iter().map(value).fold(low, f64::max);
        (low, high)
    };
    let ((left, right), (low, high)) = (ends(|point| point.0), ends(|point| point.1));
    let (least, most) = (left.min(low) / 1.5, right.max(high) * 1.5);
    let root = SVGBackend::with_string(svg, (640, 660)).into_drawing_area();
    root.fill(&WHITE)?;
    let (plot, _) = root.split_vertically(632);
    let mut chart = ChartBuilder::on(&plot)
        .caption(format!("Seconds from source to verdict, elnath and {}", other.name()), ("sans-serif", 17))
        .margin(14)
        .x_label_area_size(44)
        .y_label_area_size(64)
        .build_cartesian_2d((least..most).log_scale(), (least..most).log_scale())?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .bold_line_style(BLACK.mix(0.08))
        .x_desc(format!("{} (s)", other.name()))
        .y_desc("elnath (s)")
        .x_label_formatter(&|x| label(*x))
        .y_label_formatter(&|y| label(*y))
        .draw()?;
    for (factor, strength) in [(1.0, 0.6), (10.0, 0.25)] {
        let line = [(least.max(least * factor), least.max(least * factor) / factor), (most, most / factor)];
        chart.draw_series(LineSeries::new(line, BLACK.mix(strength).stroke_width(1)))?;
    }
    let style = ("sans-serif", 12).into_font().color(&BLACK.mix(0.6));
    chart.draw_series([
        Text::new("as fast", (most / 2.6, most / 2.1), style.clone()),
        Text::new("10 times faster", (most / 4.2, most / 34.0), style),
    ])?;
    chart.draw_series(points.iter().map(|&(x, y, answered)| {
        let colour = if answered { RGBColor(40, 90, 160) } else { RGBColor(200, 80, 60) };
        Circle::new((x.clamp(least, most), y.clamp(least, most)), 3, colour.mix(0.7).filled())
    }))?;
    let note = "Blue: both answered; red: one ran out of time or depth, or refused the model.";
    root.draw(&Text::new(note, (14, 642), ("sans-serif", 11).into_font().color(&BLACK.mix(0.7))))?;
    root.present()?;
    Ok(())
}

fn label(value: f64) -> String {
    if value >= 0.0999 { format!("{value:.1}") } else { format!("{value:.3}") }
}
