//! The comparison in words and numbers.

use crate::Row;
use crate::sides::{Answer, Length, Side, Verdict};
use elnath_bench::machine::Machine;
use elnath_bench::results::markdown;
use elnath_bench::stats::{geometric_mean, spread};
use std::fmt::Write as _;

/// What is printed while it runs.
pub(crate) fn line(row: &Row) -> String {
    let mut text = row.name.clone();
    for (side, answer) in &row.answers {
        let _ = write!(text, "  {} {} {:.3} s", side.name(), answer.verdict.name(), answer.seconds);
        if let Some(Length { transitions, statements }) = answer.length {
            let _ = write!(text, " {transitions} transitions {statements} statements");
        }
    }
    text
}

/// Models with an error: how soon it is seen, and how long the run is.
pub(crate) fn failing(machine: &Machine, repeat: u32, rows: &[Row]) -> String {
    let mut text = format!(
        "## First error, against SPIN\n\n{}- From source to the first error: `elnath check FILE --safety-only`, `spin -run -noclaim FILE`; \
         {} models, {repeat} repetitions, wall clock, medians\n\n",
        machine.markdown(),
        rows.len()
    );
    text.push_str(&verdicts(rows));
    let both: Vec<&Row> =
        rows.iter().filter(|row| fails(row, Side::Elnath) && fails(row, Side::Spin)).collect();
    let ratio = |row: &Row| seconds(row, Side::Spin) / seconds(row, Side::Elnath);
    let slower = both.iter().filter(|row| ratio(row) < 1.0).count();
    if let (Some(mean), Some(all)) =
        (geometric_mean(both.iter().map(|row| ratio(row))), spread(both.iter().map(|row| ratio(row))))
    {
        let _ = writeln!(
            text,
            "\nBoth see an error in {} models: elnath **{mean:.1}** times as fast in the geometric mean, at least {:.2}, at \
             most {:.0}; slower than SPIN on {slower}.",
            both.len(),
            all.least,
            all.most
        );
    }
    for (unit, count) in UNITS {
        text.push_str(&lengths(rows, Side::Spin, "SPIN's", (unit, count)));
        let whose = "the earlier elnath's, where that answers within a second";
        text.push_str(&lengths(rows, Side::Baseline, whose, (unit, count)));
    }
    let lost: Vec<&str> = rows.iter().filter(|row| lost(row)).map(|row| row.name.as_str()).collect();
    if !lost.is_empty() {
        let _ = writeln!(text, "\nSPIN's trail could not be followed to an error: {}.", lost.join(", "));
    }
    let mut worst = both;
    worst.sort_by(|a, b| ratio(a).total_cmp(&ratio(b)));
    text.push_str("\nThe twenty models with the least advantage:\n\n");
    text.push_str(&table(worst.iter().take(20).copied(), Side::Spin));
    let alone: Vec<&Row> =
        rows.iter().filter(|row| !fails(row, Side::Elnath) || !fails(row, Side::Spin)).collect();
    if !alone.is_empty() {
        text.push_str("\nModels on which a side sees no error:\n\n");
        text.push_str(&table(alone.into_iter(), Side::Spin));
    }
    text
}

/// Models without an error: what looking for deep errors costs.
pub(crate) fn holding(machine: &Machine, repeat: u32, rows: &[Row]) -> String {
    let mut text = format!(
        "## Models without an error\n\n{}- `elnath check FILE --safety-only`, this one and an earlier one, {} models, {repeat} repetitions, \
         wall clock, medians\n\n",
        machine.markdown(),
        rows.len()
    );
    text.push_str(&verdicts(rows));
    let holds = |row: &&Row| {
        [Side::Elnath, Side::Baseline]
            .iter()
            .all(|side| row.of(*side).is_some_and(|one| one.verdict == Verdict::Holds))
    };
    let both: Vec<&Row> = rows.iter().filter(holds).collect();
    let ratio = |row: &Row| seconds(row, Side::Elnath) / seconds(row, Side::Baseline);
    for (least, what) in
        [(0.0, "all"), (0.2, "those that took 0.2 s or more"), (1.0, "those that took 1 s or more")]
    {
        let some: Vec<&&Row> = both.iter().filter(|row| seconds(row, Side::Baseline) >= least).collect();
        if let Some(mean) = geometric_mean(some.iter().map(|row| ratio(row))) {
            let sum = |side| some.iter().map(|row| seconds(row, side)).sum::<f64>();
            let cpu = |row: &Row, side| row.of(side).map_or(f64::NAN, |answer| answer.cpu);
            let by_cpu = some.iter().map(|row| cpu(row, Side::Elnath) / cpu(row, Side::Baseline));
            let _ = writeln!(
                text,
                "- {what}: {} models, {mean:.3} times the time in the geometric mean, {:.3} in the sum; {:.3} times the \
                 processor time in the geometric mean",
                some.len(),
                sum(Side::Elnath) / sum(Side::Baseline),
                geometric_mean(by_cpu).unwrap_or(f64::NAN)
            );
        }
    }
    let mut worst = both;
    worst.sort_by(|a, b| ratio(b).total_cmp(&ratio(a)));
    text.push_str("\nThe twenty models whose time grew most:\n\n");
    text.push_str(&table(worst.iter().take(20).copied(), Side::Baseline));
    text
}

/// All answers.
pub(crate) fn csv(rows: &[Row]) -> String {
    let mut text = "model,side,verdict,seconds,cpu,transitions,statements,states\n".to_owned();
    for row in rows {
        for (side, answer) in &row.answers {
            let length =
                answer.length.map(|Length { transitions, statements }| format!("{transitions},{statements}"));
            let length = length.unwrap_or_else(|| ",".to_owned());
            let states = answer.states.map(|states| states.to_string()).unwrap_or_default();
            let (side, verdict) = (side.name(), answer.verdict.name());
            let (seconds, cpu) = (answer.seconds, answer.cpu);
            let _ = writeln!(text, "{},{side},{verdict},{seconds:.4},{cpu:.4},{length},{states}", row.name);
        }
    }
    text
}

fn fails(row: &Row, side: Side) -> bool {
    row.of(side).is_some_and(|answer| answer.verdict == Verdict::Fails)
}

fn seconds(row: &Row, side: Side) -> f64 {
    row.of(side).map_or(f64::NAN, |answer| answer.seconds)
}

fn verdicts(rows: &[Row]) -> String {
    let mut text = String::new();
    for side in [Side::Elnath, Side::Baseline, Side::Spin] {
        let count = |verdict| {
            rows.iter().filter_map(|row| row.of(side)).filter(|answer| answer.verdict == verdict).count()
        };
        if rows.iter().any(|row| row.of(side).is_some()) {
            let all = [Verdict::Fails, Verdict::Holds, Verdict::Unknown, Verdict::Refused];
            let counts: Vec<String> =
                all.iter().map(|&one| format!("{} {}", count(one), one.name())).collect();
            let _ = writeln!(text, "- {}: {}", side.name(), counts.join(", "));
        }
    }
    let contradictions: Vec<&str> =
        rows.iter().filter(|row| row.contradiction()).map(|row| row.name.as_str()).collect();
    if !contradictions.is_empty() {
        let _ = writeln!(text, "- **contradicting verdicts**: {}", contradictions.join(", "));
    }
    text
}

/// How many models with a longer run are named; all are in the CSV file.
const NAMED: usize = 8;

/// How a run is counted.
type Count = fn(Length) -> usize;

/// What runs are counted in.
const UNITS: [(&str, Count); 2] =
    [("transitions", |length| length.transitions), ("statements", |length| length.statements)];

/// Whether SPIN sees an error and there is no run to it.
fn lost(row: &Row) -> bool {
    fails(row, Side::Spin) && row.of(Side::Spin).is_some_and(|answer| answer.length.is_none())
}

/// How often our run is no longer than that of `side`.
fn lengths(rows: &[Row], side: Side, whose: &str, (unit, count): (&str, Count)) -> String {
    let pairs: Vec<(usize, usize, &str)> = rows
        .iter()
        .filter(|row| side == Side::Spin || seconds(row, side) <= 1.0)
        .filter_map(|row| {
            let length = |side| row.of(side)?.length.map(count);
            Some((length(Side::Elnath)?, length(side)?, row.name.as_str()))
        })
        .collect();
    if pairs.is_empty() {
        return String::new();
    }
    let longer: Vec<String> = pairs
        .iter()
        .filter(|(ours, theirs, _)| ours > theirs)
        .map(|(ours, theirs, name)| format!("{name} ({ours} against {theirs})"))
        .collect();
    let ratios = pairs.iter().map(|&(ours, theirs, _)| theirs.max(1) as f64 / ours.max(1) as f64);
    let mut text = format!(
        "\nCounted in {unit}, our run is not longer than {whose} in {} of {} models ({:.1} %), {:.2} times as short in the \
         geometric mean.",
        pairs.len() - longer.len(),
        pairs.len(),
        (pairs.len() - longer.len()) as f64 * 100.0 / pairs.len() as f64,
        geometric_mean(ratios).unwrap_or(f64::NAN)
    );
    if !longer.is_empty() {
        let more = longer.len().saturating_sub(NAMED);
        let _ = write!(text, " Longer: {}", longer[..longer.len() - more].join(", "));
        text.push_str(&if more > 0 { format!(" and {more} more.") } else { ".".to_owned() });
    }
    text + "\n"
}

fn table<'a>(rows: impl Iterator<Item = &'a Row>, other: Side) -> String {
    let mut cells = vec![[
        "model".to_owned(),
        "elnath".to_owned(),
        "s".to_owned(),
        "statements".to_owned(),
        other.name().to_owned(),
        "s".to_owned(),
        "statements".to_owned(),
        "times".to_owned(),
    ]];
    for row in rows {
        let answer = |side| {
            let length =
                |one: &Answer| one.length.map_or("-".to_owned(), |length| length.statements.to_string());
            row.of(side).map_or_else(
                || ["-", "-", "-"].map(str::to_owned),
                |one| [one.verdict.name().to_owned(), format!("{:.3}", one.seconds), length(one)],
            )
        };
        let ([verdict, time, length], [their_verdict, their_time, their_length]) =
            (answer(Side::Elnath), answer(other));
        let times = format!("{:.2}", seconds(row, other) / seconds(row, Side::Elnath));
        cells.push([row.name.clone(), verdict, time, length, their_verdict, their_time, their_length, times]);
    }
    markdown(&cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, ours: (Verdict, f64, usize), spin: (Verdict, f64, usize)) -> Row {
        let answer = |(verdict, seconds, statements)| {
            let length = Some(Length { transitions: statements / 2, statements });
            Answer { verdict, seconds, cpu: seconds, length, states: None }
        };
        Row { name: name.to_owned(), answers: vec![(Side::Elnath, answer(ours)), (Side::Spin, answer(spin))] }
    }

    #[test]
    fn ratios_lengths_and_contradictions() {
        let rows = [
            row("quick", (Verdict::Fails, 0.1, 5), (Verdict::Fails, 1.0, 50)),
            row("slow", (Verdict::Fails, 4.0, 60), (Verdict::Fails, 1.0, 50)),
            row("other", (Verdict::Holds, 0.1, 5), (Verdict::Fails, 1.0, 50)),
        ];
        let text = failing(&Machine::look(std::path::Path::new(".")), 1, &rows);
        assert!(text.contains("2 models: elnath **1.6** times as fast"), "{text}");
        assert!(text.contains("slower than SPIN on 1"), "{text}");
        assert!(text.contains("**contradicting verdicts**: other"), "{text}");
        assert!(text.contains("Longer: slow (60 against 50)"), "{text}");
        assert!(
            text.contains("Counted in transitions, our run is not longer than SPIN's in 2 of 3"),
            "{text}"
        );
        assert_eq!(csv(&rows).lines().count(), 7);
    }
}
