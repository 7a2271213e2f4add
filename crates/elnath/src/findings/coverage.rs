//! How much of the model was seen, and which parts of it no run reaches.

use super::Answered;
use elnath_kernel::{Coverage, Verdict};
use elnath_source::{Message, Place, codes, window};

pub(super) fn look(answered: &Answered<'_, '_>, found: &mut Vec<Message>) {
    let figures = &answered.property.figures;
    if let Verdict::Holds(Coverage::Lossy { .. }) = answered.property.verdict {
        let text =
            format!("the {} store may have missed states: this is no proof", figures.plan.store.name());
        let help = "--store exact or --store tree proves it, if the memory is enough";
        found.push(Message::finding(codes::LOSSY, text, None).help(help));
    }
    if let Some(before) = figures.before {
        let text = format!(
            "the exact store ran out of memory after {} states, so that the tree store began again",
            before.states
        );
        found.push(
            Message::finding(codes::TREE_STORE, text, None).help("--store tree saves the first attempt"),
        );
    }
    // A claim or an automaton beside the program can keep a run from going on, and a violation ends one.
    let alone =
        figures.temporal.is_none() && figures.finite.is_none() && answered.subject.program().is_some();
    let holds = matches!(answered.property.verdict, Verdict::Holds(_));
    if alone && holds && answered.complete() {
        for (place, statement) in figures.dead_parts() {
            let text = format!("`{statement}` is never executed");
            let place = place.as_deref().and_then(|place| line_of(place, &statement));
            found.push(Message::finding(codes::NEVER_EXECUTED, text, place));
        }
    }
}

/// The place of a statement, of which file and line are known, as far as the file is still there to show it.
fn line_of(place: &str, statement: &str) -> Option<Place> {
    let (file, line) = place.rsplit_once(':')?;
    let number: usize = line.parse().ok()?;
    let source = std::fs::read_to_string(file).unwrap_or_default();
    let shown = source.lines().nth(number.checked_sub(1)?).unwrap_or_default();
    let text = statement.split_once(": ").map_or(statement, |(_, text)| text);
    let (start, end) = match shown.find(text) {
        Some(start) => (start, start + text.len()),
        None => (shown.len() - shown.trim_start().len(), shown.trim_end().len()),
    };
    Some(window(file, number as u64, shown, start, end.max(start)))
}
