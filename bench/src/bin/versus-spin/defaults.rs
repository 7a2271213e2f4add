//! Both tools as they come, each with its reductions: who visits fewer states, and who is sooner at a verdict.

use crate::report::{Summary, middle, ranged, ratio, seconds};
use elnath_bench::results::{grouped, markdown};
use elnath_bench::stats::geometric_mean;

/// The table and the bars, in Markdown that can be read on a terminal.
pub(crate) fn tables(summaries: &[Summary]) -> String {
    let mut text = "Both as they come, with their reductions, so that they visit different states; their verdicts are the same. \
         *States*: ours over SPIN's, below 1 elnath visits fewer. *Total*: SPIN's time from source to verdict (`spin -a`, `gcc` and `pan`) over \
         ours, wall clock, medians, in brackets the least and the largest; above 1 elnath is sooner.\n\n"
        .to_owned();
    let header = [
        "model",
        "SPIN states",
        "our states",
        "states",
        "SPIN s",
        "one thread s",
        "total",
        "total CPU",
        "two threads: total",
    ];
    let mut rows = vec![header.map(str::to_owned)];
    for one in summaries {
        rows.push([
            one.name.clone(),
            grouped(one.spin_states),
            grouped(one.states),
            ratio(Some(fewer(one))),
            seconds(one.total_seconds.0),
            seconds(one.total_seconds.1),
            ranged(one.total),
            ranged(one.total_cpu),
            ranged(one.total_two),
        ]);
    }
    let mean = |value: fn(&Summary) -> Option<f64>| geometric_mean(summaries.iter().filter_map(value));
    let mut last: [String; 9] = Default::default();
    last[0] = "geometric mean".to_owned();
    last[3] = ratio(mean(|one| Some(fewer(one))));
    last[6] = ratio(mean(|one| middle(one.total)));
    last[7] = ratio(mean(|one| middle(one.total_cpu)));
    last[8] = ratio(mean(|one| middle(one.total_two)));
    rows.push(last);
    text.push_str(&markdown(&rows));

    text.push_str("\nWhat was asked for, and what these figures say:\n\n");
    let mut rows = vec![["bar", "asked", "measured", "met"].map(str::to_owned)];
    let mut add = |bar: &str, asked: f64, at_least: bool, measured: Option<f64>| {
        let met = measured.map(|value| if at_least { value >= asked } else { value <= asked });
        rows.push([
            bar.to_owned(),
            format!("{} {asked}", if at_least { "at least" } else { "at most" }),
            ratio(measured),
            met.map_or("not measured", |met| if met { "yes" } else { "no" }).to_owned(),
        ]);
    };
    add("states, geometric mean", 1.1, false, mean(|one| Some(fewer(one))));
    add("states, worst model", 2.0, false, summaries.iter().map(fewer).reduce(f64::max));
    add("source to verdict, one thread, geometric mean", 4.0, true, mean(|one| middle(one.total)));
    add("same with two threads, the default here", 4.0, true, mean(|one| middle(one.total_two)));
    text.push_str(&markdown(&rows));
    text
}

/// Our states over SPIN's.
fn fewer(one: &Summary) -> f64 {
    one.states / one.spin_states
}
