//! One line per relation: seconds over states, both on logarithmic scales.

use crate::{Measured, RELATIONS, slowest};
use plotters::prelude::*;

/// The drawing as SVG.
pub(crate) fn draw(all: &[Measured]) -> String {
    let mut svg = String::new();
    render(&mut svg, all).expect("drawing into a string cannot fail");
    svg
}

fn render(svg: &mut String, all: &[Measured]) -> Result<(), Box<dyn std::error::Error>> {
    // What takes no time at all is drawn at a millisecond.
    const LEAST: f64 = 1e-3;
    let most = all.iter().map(|one| one.seconds).fold(LEAST, f64::max) * 1.5;
    let states =
        |best: fn(f64, f64) -> f64, from: f64| all.iter().map(|one| one.states as f64).fold(from, best);
    let (small, large) = (states(f64::min, f64::MAX) / 1.2, states(f64::max, 1.0) * 1.2);
    let root = SVGBackend::with_string(svg, (760, 560)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption("Philosophers with one transition changed: the slowest of four", ("sans-serif", 17))
        .margin(14)
        .x_label_area_size(44)
        .y_label_area_size(64)
        .build_cartesian_2d((small..large).log_scale(), (LEAST..most.max(2.0 * LEAST)).log_scale())?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .bold_line_style(BLACK.mix(0.08))
        .x_desc("states of each graph")
        .y_desc("processor seconds")
        .y_label_formatter(&|y| format!("{y:.3}"))
        .draw()?;
    for (index, relation) in RELATIONS.iter().enumerate() {
        let colour = Palette99::pick(index).to_rgba();
        let points = || slowest(all, relation).into_iter().map(|(x, y)| (x, y.max(LEAST)));
        chart
            .draw_series(LineSeries::new(points(), colour.stroke_width(2)))?
            .label(*relation)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour.stroke_width(2)));
        chart.draw_series(points().map(|point| Circle::new(point, 2, colour.filled())))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .label_font(("sans-serif", 11))
        .background_style(WHITE.mix(0.8))
        .draw()?;
    root.present()?;
    Ok(())
}
