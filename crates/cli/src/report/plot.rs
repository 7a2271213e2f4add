//! Plots of experiments as SVG.

use crate::report::render;
use plotters::coord::combinators::BindKeyPoints;
use plotters::prelude::*;
use std::borrow::Cow;

/// A curve.
pub(crate) struct Series {
    pub(crate) name: Cow<'static, str>,
    pub(crate) points: Vec<(f64, f64)>,
}

/// One panel per series, each over the memory in states, with the two bounds as dashed vertical lines: the form of the
/// 1993 paper's figures 1 and 2.
pub(crate) fn over_memory(title: &str, series: &[Series], bounds: (f64, f64)) -> String {
    let mut svg = String::new();
    draw(&mut svg, title, series, bounds).expect("drawing into a string cannot fail");
    svg
}

/// One panel per series over the size of the heap, from none to `all` states, the values on a logarithmic scale: the form
/// of the 1989 paper's figure 8, in which one end of the curve is a thousand times as high as the other.
pub(crate) fn over_heap(title: &str, series: &[Series], all: f64) -> String {
    let mut svg = String::new();
    draw_heap(&mut svg, title, series, all).expect("drawing into a string cannot fail");
    svg
}

fn draw_heap(
    svg: &mut String,
    title: &str,
    series: &[Series],
    all: f64,
) -> Result<(), Box<dyn std::error::Error>> {
    let root = SVGBackend::with_string(svg, (960, 440)).into_drawing_area();
    root.fill(&WHITE)?;
    let root = root.titled(title, ("sans-serif", 18))?;
    for (panel, series) in root.split_evenly((1, series.len())).iter().zip(series) {
        let values = || series.points.iter().map(|&(_, y)| y);
        let low = values().fold(f64::MAX, f64::min).max(f64::MIN_POSITIVE);
        let high = values().fold(low, f64::max);
        let mut chart = ChartBuilder::on(panel)
            .caption(&series.name, ("sans-serif", 15))
            .margin(12)
            .x_label_area_size(42)
            .y_label_area_size(72)
            .build_cartesian_2d(0.0..all * 1.08, (low / 1.5..high * 1.5).log_scale())?;
        chart
            .configure_mesh()
            .light_line_style(WHITE)
            .bold_line_style(BLACK.mix(0.08))
            .x_desc("heap (states)")
            .x_labels(6)
            .y_labels(8)
            .x_label_formatter(&|&x| render::grouped(x as u64))
            .y_label_formatter(&|&y| label(y))
            .draw()?;
        for (part, name) in [(1.0, "D"), (0.1, "D/10")] {
            let x = all * part;
            let style = ("sans-serif", 13).into_font().color(&BLACK.mix(0.6));
            chart.draw_series([Text::new(name, (x + all * 0.01, high * 1.3), style)])?;
            let line = [(x, low / 1.5), (x, high * 1.5)];
            chart.draw_series(DashedLineSeries::new(line, 5, 4, BLACK.mix(0.5).into()))?;
        }
        chart.draw_series(LineSeries::new(series.points.iter().copied(), BLUE.stroke_width(2)))?;
        chart.draw_series(series.points.iter().map(|&point| Circle::new(point, 2, BLUE.filled())))?;
    }
    root.present()?;
    Ok(())
}

/// Panels with several curves each, over a number of things, both scales logarithmic.
pub(crate) fn over_numbers(title: &str, of: &str, panels: &[(&str, Vec<Series>)]) -> String {
    let mut svg = String::new();
    draw_numbers(&mut svg, title, of, panels).expect("drawing into a string cannot fail");
    svg
}

fn draw_numbers(
    svg: &mut String,
    title: &str,
    of: &str,
    panels: &[(&str, Vec<Series>)],
) -> Result<(), Box<dyn std::error::Error>> {
    let root = SVGBackend::with_string(svg, (960, 440)).into_drawing_area();
    root.fill(&WHITE)?;
    let root = root.titled(title, ("sans-serif", 18))?;
    for (area, (caption, curves)) in root.split_evenly((1, panels.len())).iter().zip(panels) {
        let points = || curves.iter().flat_map(|curve| curve.points.iter().copied());
        let least = |value: fn((f64, f64)) -> f64| points().map(value).fold(f64::MAX, f64::min);
        let most = |value: fn((f64, f64)) -> f64| points().map(value).fold(0.0, f64::max);
        let x = least(|p| p.0).max(1.0) / 1.3..most(|p| p.0).max(2.0) * 1.6;
        let (low, high) = (least(|p| p.1).max(1e-9), most(|p| p.1).max(1e-8));
        // Some room for names, by how far apart the curves are.
        let spare = (high / low).powf(0.2).clamp(1.1, 2.5);
        let y = low / spare..high * spare;
        let mut chart = ChartBuilder::on(area)
            .caption(caption, ("sans-serif", 15))
            .margin(12)
            .x_label_area_size(42)
            .y_label_area_size(78)
            .build_cartesian_2d(
                x.clone().log_scale().with_key_points(ticks(x.start, x.end)),
                y.clone().log_scale().with_key_points(ticks(y.start, y.end)),
            )?;
        chart
            .configure_mesh()
            .light_line_style(WHITE)
            .bold_line_style(BLACK.mix(0.08))
            .x_desc(of)
            .x_labels(6)
            .y_labels(8)
            .x_label_formatter(&|&x| render::grouped(x as u64))
            .y_label_formatter(&|&y| label(y))
            .draw()?;
        let mut names: Vec<(i32, i32, i32)> = Vec::new();
        for (curve, color) in curves.iter().zip([BLUE, RED, BLACK, GREEN, MAGENTA, CYAN].into_iter().cycle())
        {
            chart.draw_series(LineSeries::new(curve.points.iter().copied(), color.stroke_width(2)))?;
            chart.draw_series(curve.points.iter().map(|&point| Circle::new(point, 2, color.filled())))?;
            if let Some(&first) = curve.points.first() {
                // Away from the curve; names of curves that begin together stand above each other.
                let rises = curve.points.get(1).is_some_and(|second| second.1 > first.1);
                let (mut away, step) = if rises { (3, NAME) } else { (-NAME, -NAME) };
                let (x, y) = chart.backend_coord(&first);
                let right = x + curve.name.chars().count() as i32 * NAME / 2;
                while names
                    .iter()
                    .any(|&(left, place, end)| x < end && left < right && (y + away - place).abs() < NAME)
                {
                    away += step;
                }
                names.push((x, y + away, right));
                let style = ("sans-serif", 13).into_font().color(&color);
                let name = Text::new(curve.name.clone(), (5, away), style);
                chart.draw_series([EmptyElement::at(first) + name])?;
            }
        }
    }
    root.present()?;
    Ok(())
}

/// The height of a curve's name, in pixels.
const NAME: i32 = 15;

/// Where a logarithmic axis is marked: at powers of ten, and at some numbers between them if there would be few of those.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let digits: &[f64] = match (high / low).log10() {
        decades if decades < 0.5 => &[1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0],
        decades if decades < 1.5 => &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0],
        decades if decades < 4.0 => &[1.0, 2.0, 5.0],
        _ => &[1.0],
    };
    let decades = low.log10().floor() as i32..=high.log10().floor() as i32;
    let all = decades.flat_map(|decade| digits.iter().map(move |digit| digit * 10f64.powi(decade)));
    all.filter(|tick| (low..high).contains(tick)).collect()
}

fn draw(
    svg: &mut String,
    title: &str,
    series: &[Series],
    (low, high): (f64, f64),
) -> Result<(), Box<dyn std::error::Error>> {
    let root = SVGBackend::with_string(svg, (960, 440)).into_drawing_area();
    root.fill(&WHITE)?;
    let root = root.titled(title, ("sans-serif", 18))?;
    for (panel, series) in root.split_evenly((1, series.len())).iter().zip(series) {
        let top = series.points.iter().map(|&(_, y)| y).fold(f64::MIN_POSITIVE, f64::max) * 1.08;
        let mut chart = ChartBuilder::on(panel)
            .caption(&series.name, ("sans-serif", 15))
            .margin(12)
            .x_label_area_size(42)
            .y_label_area_size(64)
            .build_cartesian_2d(0.0..high * 1.08, 0.0..top)?;
        chart
            .configure_mesh()
            .disable_mesh()
            .x_desc("memory (states)")
            .x_labels(6)
            .y_labels(6)
            .x_label_formatter(&|&x| render::grouped(x as u64))
            .y_label_formatter(&|&y| label(y))
            .draw()?;
        for (bound, name) in [(low, "least"), (high, "R")] {
            let at = (bound + high * 0.01, top * 0.97);
            chart.draw_series([Text::new(
                name,
                at,
                ("sans-serif", 13).into_font().color(&BLACK.mix(0.6)),
            )])?;
            chart.draw_series(DashedLineSeries::new(
                [(bound, 0.0), (bound, top)],
                5,
                4,
                BLACK.mix(0.5).into(),
            ))?;
        }
        chart.draw_series(LineSeries::new(series.points.iter().copied(), BLUE.stroke_width(2)))?;
        chart.draw_series(series.points.iter().map(|&point| Circle::new(point, 2, BLUE.filled())))?;
    }
    root.present()?;
    Ok(())
}

/// A value of the vertical axis: whole numbers as such, parts of a second with as many digits as they need.
fn label(value: f64) -> String {
    if value.fract() == 0.0 {
        render::grouped(value as u64)
    } else {
        format!("{value:.6}").trim_end_matches('0').to_owned()
    }
}

/// Curves over the steps of a run, with dashed vertical lines where rounds of a repetition begin and end.
pub(crate) fn along_run(title: &str, curves: &[(String, Vec<(f64, f64)>)], rounds: &[f64]) -> String {
    let mut svg = String::new();
    draw_run(&mut svg, title, curves, rounds).expect("drawing into a string cannot fail");
    svg
}

fn draw_run(
    svg: &mut String,
    title: &str,
    curves: &[(String, Vec<(f64, f64)>)],
    rounds: &[f64],
) -> Result<(), Box<dyn std::error::Error>> {
    let points = || curves.iter().flat_map(|(_, points)| points.iter().copied());
    let last = points().map(|(x, _)| x).fold(1.0, f64::max);
    let high = points().map(|(_, y)| y).fold(1.0, f64::max);
    let root = SVGBackend::with_string(svg, (960, 440)).into_drawing_area();
    root.fill(&WHITE)?;
    let root = root.titled(title, ("sans-serif", 18))?;
    // Room for the names on the right.
    let mut chart = ChartBuilder::on(&root)
        .margin(12)
        .margin_right(24)
        .x_label_area_size(42)
        .y_label_area_size(60)
        .build_cartesian_2d(0.0..last * 1.16, 0.0..high * 1.12)?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .bold_line_style(BLACK.mix(0.08))
        .x_desc("step")
        .y_desc("messages")
        .x_label_formatter(&|&x| render::grouped(x as u64))
        .y_label_formatter(&|&y| render::grouped(y as u64))
        .y_labels((high as usize + 1).min(10))
        .draw()?;
    for &x in rounds {
        let dashes = (0..24).map(|dash| {
            let y = high * 1.1 * f64::from(dash) / 24.0;
            PathElement::new(vec![(x, y), (x, y + high * 0.6 / 24.0)], BLACK.mix(0.35))
        });
        chart.draw_series(dashes)?;
    }
    let mut ends: Vec<f64> = Vec::new();
    for (index, (name, points)) in curves.iter().enumerate() {
        let colour = Palette99::pick(index).mix(0.9);
        // Lengths change at steps, not in between.
        let mut steps = Vec::new();
        for (at, &(x, y)) in points.iter().enumerate() {
            if at > 0 {
                steps.push((x, points[at - 1].1));
            }
            steps.push((x, y));
        }
        chart.draw_series([PathElement::new(steps, colour.stroke_width(2))])?;
        if let Some(&(x, y)) = points.last() {
            // Names of curves that end together stand above each other.
            let mut place = y;
            while ends.iter().any(|other| (other - place).abs() < high * 0.055) {
                place += high * 0.055;
            }
            ends.push(place);
            let style = ("sans-serif", 14).into_font().color(&colour);
            chart.draw_series([Text::new(name.clone(), (x + last * 0.01, place), style)])?;
        }
    }
    root.present()?;
    Ok(())
}
