//! Writing automata as never claims, SPIN's form of Büchi automata.
//!
//! A claim has its accepting states marked by labels that begin with `accept`, so acceptance must be a matter of states
//! and of one set. Where it is not, the sets are awaited one after the other: a state is copied for each number of sets
//! met since they were last all met, and the copy for "all of them" accepts.
//!
//! A proposition is written as it is called, so its name must be an expression of Promela. Reading a claim is the
//! business of the Promela front end, since any sequence of statements can be one.

use crate::automaton::{Automaton, Cube, Label, Marks, State};
use std::collections::HashMap;
use std::fmt::Write;

/// The automaton as a never claim with a comment, which usually is the formula.
pub fn write(automaton: &Automaton, comment: &str) -> String {
    let claim = Claim::new(automaton);
    // The comment must not end before it ends.
    let comment = comment.replace("*/", "* /");
    let mut out = format!("never {{ /* {comment} */\n");
    for (at, &copy) in claim.order.iter().enumerate() {
        let _ = writeln!(out, "{}:", claim.name(copy));
        let edges = claim.edges(copy);
        if edges.is_empty() {
            // A claim that cannot move matches nothing more.
            out.push_str("\tfalse;\n");
            continue;
        }
        out.push_str("\tdo\n");
        for (label, to) in edges {
            let _ = writeln!(
                out,
                "\t:: {} -> goto {}",
                condition(label, &automaton.propositions),
                claim.name(to)
            );
        }
        out.push_str(if at + 1 < claim.order.len() { "\tod;\n" } else { "\tod\n" });
    }
    out.push_str("}\n");
    out
}

/// A state and how many sets were met in a row.
type Copied = (State, u32);

struct Claim<'a> {
    automaton: &'a Automaton,
    /// Whether states accept as they are, with one set or none.
    plain: bool,
    order: Vec<Copied>,
    names: HashMap<Copied, usize>,
}

impl<'a> Claim<'a> {
    fn new(automaton: &'a Automaton) -> Self {
        let plain = automaton.sets <= 1 && crate::hoa::is_state_based(automaton);
        let mut claim = Claim { automaton, plain, order: Vec::new(), names: HashMap::new() };
        claim.meet((automaton.initial, 0));
        let mut at = 0;
        while let Some(&copy) = claim.order.get(at) {
            at += 1;
            for (_, to) in claim.edges(copy) {
                claim.meet(to);
            }
        }
        claim
    }

    fn meet(&mut self, copy: Copied) {
        let next = self.order.len();
        if *self.names.entry(copy).or_insert(next) == next {
            self.order.push(copy);
        }
    }

    fn edges(&self, (state, met): Copied) -> Vec<(&'a Label, Copied)> {
        let leaving = self.automaton.leaving(state).iter().filter(|edge| !edge.label.is_never());
        leaving.map(|edge| (&edge.label, (edge.to, self.met_after(met, edge.marks)))).collect()
    }

    /// How many sets were met in a row after one more edge; all of them is followed by none.
    fn met_after(&self, met: u32, marks: Marks) -> u32 {
        if self.plain {
            return 0;
        }
        let met = if met == self.automaton.sets { 0 } else { met };
        (met..self.automaton.sets).find(|set| marks.0 >> set & 1 == 0).unwrap_or(self.automaton.sets)
    }

    fn accepts(&self, (state, met): Copied) -> bool {
        if !self.plain {
            return met == self.automaton.sets;
        }
        self.automaton.sets == 0
            || self.automaton.leaving(state).first().is_some_and(|edge| edge.marks.0 & 1 != 0)
    }

    fn name(&self, copy: Copied) -> String {
        let prefix = if self.accepts(copy) { "accept" } else { "T0" };
        match self.names[&copy] {
            0 => format!("{prefix}_init"),
            n => format!("{prefix}_S{n}"),
        }
    }
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
