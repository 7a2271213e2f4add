//! Symmetry reduction: see [`elnath_program::symmetry`].
//!
//! Somebody who asks for symmetry expects a model to become many times smaller. To leave it out silently would make him wait for
//! the answer to another question than he asked, so a refusal is an error, with every place in the model where a process
//! can be told from others of its kind.

use super::back::Lift;
use super::{Below, Did, Figure, Over, Reduction, Refused, Stage};
use crate::asked::Asked;
use crate::words::grouped;
use elnath_kernel::System;
use elnath_program::symmetry::{Exchanges, Leak, Symmetric};
use elnath_source::{Message, window};
use std::sync::Arc;

pub(super) const SYMMETRY: Reduction = Reduction {
    name: "symmetry",
    title: "symmetry",
    meaning: "takes one of all states that differ only by a permutation of identical processes",
    usual: false,
    insists: true,
    sound: |asked| asked.ignores_identities(),
    stage: Stage::System(apply),
};

fn apply<'a>(below: &Below<'a>, asked: &Asked<'_>) -> Result<Over<'a>, Refused> {
    let program = &below.program;
    let quotient = Symmetric::of(Arc::clone(&below.system), program, asked.notices())
        .map_err(|leaks| Refused { why: "processes can be told apart", messages: told(&leaks) })?;
    let quotient = Arc::new(quotient);
    let system = Arc::clone(&quotient) as Arc<dyn System + 'a>;
    let back = Lift { quotient: Arc::clone(&quotient), program: Arc::clone(program) };
    let did = Box::new(move || did(quotient.exchanges()));
    Ok(Over { system, back: Some(Box::new(back)), exchanges: true, did })
}

fn did(Exchanges { kinds, made, exchanged, .. }: Exchanges) -> Did {
    let words = format!(
        " of {}: {} of {} successors stood for by another state",
        kinds.join(", "),
        grouped(exchanged),
        grouped(made)
    );
    let figures = vec![
        ("kinds", Figure::Names(kinds)),
        ("successors", Figure::Count(made)),
        ("exchanged", Figure::Count(exchanged)),
    ];
    Did { figures, words: Some(words) }
}

/// All leaks, and once what would make them none.
fn told(leaks: &[Leak]) -> Vec<Message> {
    let mut messages: Vec<Message> = leaks.iter().map(message).collect();
    if let Some(last) = messages.pop() {
        messages.push(last.help(
            "a variable or message that ever holds the number of a process (`_pid`, what `run` returns) must hold nothing else; \
             such numbers may be stored, sent, compared for equality with each other, and used as an index",
        ));
    }
    messages
}

/// A leak with its place in the model, as far as the file is still there to show it.
fn message(leak: &Leak) -> Message {
    let text = format!("--reductions symmetry is not possible: {}", leak.text);
    let Some((file, line)) = &leak.place else { return Message::about_file(text) };
    let source = std::fs::read_to_string(file).unwrap_or_default();
    let shown = source.lines().nth(*line as usize - 1).unwrap_or_default();
    let start = find_word(shown, &leak.mark);
    let (start, end) = match start {
        Some(start) => (start, start + leak.mark.len()),
        None => (shown.len() - shown.trim_start().len(), shown.trim_end().len()),
    };
    Message::error(text, window(file, u64::from(*line), shown, start, end.max(start)))
        .label("this tells processes of one kind apart")
}

/// Where a name stands in a line, and not as a part of another.
fn find_word(line: &str, word: &str) -> Option<usize> {
    let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let alone = |&(at, _): &(usize, &str)| {
        !part(line[..at].chars().next_back()) && !part(line[at + word.len()..].chars().next())
    };
    line.match_indices(word).filter(|_| !word.is_empty()).find(alone).map(|(at, _)| at)
}
