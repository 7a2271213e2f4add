//! The ratios as bars, one panel for each question, on one logarithmic scale per panel with a line at 1.

use crate::report::Summary;
use elnath_bench::stats::geometric_mean;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

type Value = fn(&Summary) -> Option<f64>;

const PANELS: [(&str, Value); 4] = [
    ("source to verdict", |one| one.total.map(|all| all.median)),
    ("search time", |one| one.search.map(|all| all.median)),
    ("search, processor time", |one| one.cpu.map(|all| all.median)),
    ("peak memory", |one| one.peak.map(|all| all.median)),
];
const TWO: (&str, Value) = ("2 threads over 1", |one| one.threads.map(|all| all.median));
const TREE: (&str, Value) = ("memory, COLLAPSE over tree", |one| one.compression);

const NAMES: i32 = 150;
const PANEL: i32 = 210;
const ROW: i32 = 18;
const TOP: i32 = 66;

/// How many times better than SPIN, for each model.
pub(crate) fn draw(title: &str, summaries: &[Summary]) -> String {
    let mut svg = String::new();
    render(&mut svg, title, summaries).expect("drawing into a string cannot fail");
    svg
}

fn render(svg: &mut String, title: &str, summaries: &[Summary]) -> Result<(), Box<dyn std::error::Error>> {
    let panels: Vec<(&str, Value)> = PANELS
        .into_iter()
        .chain([TWO, TREE].into_iter().filter(|(_, value)| summaries.iter().any(|one| value(one).is_some())))
        .collect();
    let rows = summaries.len() as i32 + 1;
    let (width, height) = (NAMES + PANEL * panels.len() as i32 + 20, TOP + ROW * rows + 40);
    let root = SVGBackend::with_string(svg, (width as u32, height as u32)).into_drawing_area();
    root.fill(&WHITE)?;
    let style = |size: i32, h: HPos| {
        ("sans-serif", size).into_font().color(&BLACK.mix(0.85)).pos(Pos::new(h, VPos::Center))
    };
    root.draw(&Text::new(title.to_owned(), (12, 18), style(17, HPos::Left)))?;
    let row = |index: usize| TOP + ROW * index as i32 + ROW / 2;
    for (index, one) in summaries.iter().enumerate() {
        root.draw(&Text::new(one.name.clone(), (NAMES - 8, row(index)), style(12, HPos::Right)))?;
    }
    let last = row(summaries.len()) + 6;
    root.draw(&Text::new("geometric mean", (NAMES - 8, last), style(12, HPos::Right)))?;
    for (panel, (name, value)) in panels.iter().enumerate() {
        let left = NAMES + PANEL * panel as i32;
        root.draw(&Text::new((*name).to_owned(), (left + 4, TOP - 18), style(13, HPos::Left)))?;
        let values: Vec<Option<f64>> = summaries.iter().map(value).collect();
        let known = || values.iter().flatten().copied();
        // Logarithms, so that twice as fast and half as fast are equally far from 1. The room right of the longest bar
        // is for its number.
        let low = known().fold(1.0, f64::min).ln();
        let high = known().fold(2.0, f64::max).ln();
        let x = |ratio: f64| {
            left + 4 + ((ratio.ln() - low) / (high - low) * f64::from(PANEL - 60)).round() as i32
        };
        let bar = |ratio: f64, middle: i32, mean: bool| {
            let colour = match (ratio < 1.0, mean) {
                (true, _) => RGBColor(200, 80, 60),
                (false, false) => RGBColor(90, 140, 190),
                (false, true) => RGBColor(30, 70, 120),
            };
            let (from, to) = (x(1.0).min(x(ratio)), x(1.0).max(x(ratio)));
            root.draw(&Rectangle::new([(from, middle - 6), (to, middle + 6)], colour.filled()))?;
            root.draw(&Text::new(format!("{ratio:.2}"), (to + 4, middle), style(11, HPos::Left)))
        };
        for (index, ratio) in values.iter().enumerate() {
            if let Some(ratio) = ratio {
                bar(*ratio, row(index), false)?;
            }
        }
        if let Some(mean) = geometric_mean(known()) {
            bar(mean, last, true)?;
        }
        let line = BLACK.mix(0.6).stroke_width(1);
        root.draw(&PathElement::new(vec![(x(1.0), TOP - 6), (x(1.0), last + 10)], line))?;
    }
    let note = "SPIN's figure over elnath's (of threads: one over two), medians, logarithmic; right of the line, at 1, is better.";
    root.draw(&Text::new(note.to_owned(), (12, height - 10), style(11, HPos::Left)))?;
    root.present()?;
    Ok(())
}
