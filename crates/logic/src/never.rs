//! Writing automata as never claims, SPIN's form of Büchi automata.
//!
//! A claim has its accepting states marked by labels that begin with `accept`, so acceptance must be a matter of states
//! and of one set, or of none; any other automaton is made so first ([`crate::degeneralise`]).
//!
//! A proposition is written as it is called, so its name must be an expression of Promela. Reading a claim is the
//! business of the Promela front end, since any sequence of statements can be one.

use crate::automaton::{Automaton, Cube, Label, State};
use crate::degeneralise::{accepting_states, degeneralise};
use std::fmt::Write;

/// The automaton as a never claim with a comment, which usually is the formula.
pub fn write(automaton: &Automaton, comment: &str) -> String {
    match accepting_states(automaton) {
        Some(accepting) => claim(automaton, &accepting, comment),
        None if automaton.sets == 0 => claim(automaton, &vec![true; automaton.states()], comment),
        None => {
            let buchi = degeneralise(automaton);
            let accepting = accepting_states(&buchi).expect("this is what degeneralising is for");
            claim(&buchi, &accepting, comment)
        }
    }
}

fn claim(automaton: &Automaton, accepting: &[bool], comment: &str) -> String {
    let name = |state: State| {
        let prefix = if accepting[state.index()] { "accept" } else { "T0" };
        if state == automaton.initial { format!("{prefix}_init") } else { format!("{prefix}_S{state}") }
    };
    // A comment must not end before it ends.
    let mut out = format!("never {{ /* {} */\n", comment.replace("*/", "* /"));
    // A claim begins with its first state.
    let others = (0..automaton.states() as u32).map(State).filter(|&state| state != automaton.initial);
    for state in std::iter::once(automaton.initial).chain(others) {
        let _ = writeln!(out, "{}:", name(state));
        let leaving: Vec<_> = automaton.leaving(state).iter().filter(|edge| !edge.label.is_never()).collect();
        if leaving.is_empty() {
            // A claim that cannot move matches nothing more.
            out.push_str("\tfalse;\n");
            continue;
        }
        out.push_str("\tdo\n");
        for edge in leaving {
            let condition = condition(&edge.label, &automaton.propositions);
            let _ = writeln!(out, "\t:: {condition} -> goto {}", name(edge.to));
        }
        out.push_str("\tod;\n");
    }
    out.push_str("}\n");
    out
}

fn condition(label: &Label, propositions: &[String]) -> String {
    let cubes: Vec<String> = label.0.iter().map(|&cube| conjunction(cube, propositions)).collect();
    match &cubes[..] {
        [one] => format!("({one})"),
        several => format!("({})", several.iter().map(|c| format!("({c})")).collect::<Vec<_>>().join(" || ")),
    }
}

fn conjunction(cube: Cube, propositions: &[String]) -> String {
    let literals = propositions.iter().enumerate().filter_map(|(i, name)| {
        match (cube.with >> i & 1, cube.without >> i & 1) {
            (0, 0) => None,
            (0, _) => Some(format!("!({name})")),
            _ => Some(format!("({name})")),
        }
    });
    let literals: Vec<String> = literals.collect();
    if literals.is_empty() { "1".into() } else { literals.join(" && ") }
}
