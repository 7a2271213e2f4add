//! Writing HOA.

use super::lexer::escaped;
use crate::automaton::{Automaton, Cube, Edge, Label, Marks, State};
use crate::finite::Dfa;
use std::fmt::Write;

/// The automaton in HOA, version 1. Marks are written on states where they are a matter of the source state only.
pub fn write(automaton: &Automaton, name: Option<&str>) -> String {
    let mut out = String::new();
    let on_states = is_state_based(automaton);
    let text = &mut out;
    head(text, automaton, name);
    line(text, format_args!("properties: {}", properties(automaton, on_states)));
    line(text, format_args!("--BODY--"));
    for (state, leaving) in (0..).map(State).zip(&automaton.edges) {
        let shared = leaving.first().map_or(Marks(0), |edge| edge.marks);
        line(text, format_args!("State: {state}{}", marks(if on_states { shared } else { Marks(0) })));
        for edge in leaving {
            let own = marks(if on_states { Marks(0) } else { edge.marks });
            line(text, format_args!("[{}] {}{own}", label(&edge.label), edge.to));
        }
    }
    line(text, format_args!("--END--"));
    out
}

/// An automaton over finite words, in the words of HOA: the table of a Büchi automaton whose marked states are those
/// where a word may end. The format knows no finite words. Whoever reads this as a Büchi automaton gets another language,
/// so there is a header with a capital letter, about which the standard says that readers should at least warn.
pub fn write_finite(dfa: &Dfa, name: Option<&str>) -> String {
    let automaton = dfa.automaton();
    let mut out = String::new();
    let text = &mut out;
    head(text, &automaton, name);
    line(text, format_args!("properties: {}", properties(&automaton, true)));
    line(text, format_args!("Finite-words: t"));
    line(text, format_args!("--BODY--"));
    for (state, leaving) in (0..).map(State).zip(&automaton.edges) {
        // A state without edges has marks here, too, which is why this is not the loop above.
        line(text, format_args!("State: {state}{}", marks(Marks(u64::from(dfa.accepting(state))))));
        for edge in leaving {
            line(text, format_args!("[{}] {}", label(&edge.label), edge.to));
        }
    }
    line(text, format_args!("--END--"));
    out
}

/// Whether the marks of an edge are a matter of its source only, as in a Büchi automaton in the usual sense.
pub fn is_state_based(automaton: &Automaton) -> bool {
    automaton.edges.iter().all(|leaving| leaving.windows(2).all(|pair| pair[0].marks == pair[1].marks))
}

/// The header up to the acceptance condition.
fn head(text: &mut String, automaton: &Automaton, name: Option<&str>) {
    line(text, format_args!("HOA: v1"));
    if let Some(name) = name {
        line(text, format_args!("name: \"{}\"", escaped(name)));
    }
    line(text, format_args!("States: {}", automaton.states()));
    line(text, format_args!("Start: {}", automaton.initial));
    let propositions = automaton.propositions.iter().map(|p| format!(" \"{}\"", escaped(p)));
    line(text, format_args!("AP: {}{}", automaton.propositions.len(), propositions.collect::<String>()));
    line(text, format_args!("acc-name: {}", acceptance_name(automaton.sets)));
    line(text, format_args!("Acceptance: {} {}", automaton.sets, condition(automaton.sets)));
}

fn line(out: &mut String, words: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{words}");
}

fn acceptance_name(sets: u32) -> String {
    match sets {
        0 => "all".into(),
        1 => "Buchi".into(),
        n => format!("generalized-Buchi {n}"),
    }
}

fn condition(sets: u32) -> String {
    match sets {
        0 => "t".into(),
        n => (0..n).map(|i| format!("Inf({i})")).collect::<Vec<_>>().join("&"),
    }
}

fn properties(automaton: &Automaton, on_states: bool) -> String {
    let mut words =
        vec!["trans-labels", "explicit-labels", if on_states { "state-acc" } else { "trans-acc" }];
    if automaton.edges.iter().all(|leaving| is_deterministic(leaving)) {
        words.push("deterministic");
    }
    words.join(" ")
}

/// Whether no letter allows two of the edges.
fn is_deterministic(leaving: &[Edge]) -> bool {
    (0..leaving.len()).all(|i| leaving[i + 1..].iter().all(|other| !leaving[i].label.meets(&other.label)))
}

fn marks(marks: Marks) -> String {
    let sets: Vec<String> = (0..64).filter(|i| marks.0 >> i & 1 != 0).map(|i| i.to_string()).collect();
    if sets.is_empty() { String::new() } else { format!(" {{{}}}", sets.join(" ")) }
}

fn label(label: &Label) -> String {
    if label.is_never() {
        return "f".into();
    }
    label.0.iter().map(|&c| cube(c)).collect::<Vec<_>>().join(" | ")
}

fn cube(cube: Cube) -> String {
    let literals = (0..64).filter_map(|i| match (cube.with >> i & 1, cube.without >> i & 1) {
        (0, 0) => None,
        (0, _) => Some(format!("!{i}")),
        _ => Some(i.to_string()),
    });
    let literals: Vec<String> = literals.collect();
    if literals.is_empty() { "t".into() } else { literals.join("&") }
}
