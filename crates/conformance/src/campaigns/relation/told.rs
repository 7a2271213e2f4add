//! What is told of a difference is true: the `.seq` form, read as a person would and followed in both systems.
//!
//! The oracle knows nothing of diagnoses. It reads the text: quoted labels that both systems do, those that one does alone, and at
//! the end what one can do and the other cannot. It follows all pairs of states that the labels can lead to, through
//! internal steps where the relation looks through them, and asks whether the last sentence is true of one of them.

use super::plain::{Plain, TAU};
use elnath_kernel::Relation;
use std::collections::BTreeSet;

/// What the systems are called in the text.
pub(super) const NAMES: [&str; 2] = ["left", "right"];

/// Whether what a text in the `.seq` format says is true of two systems; what is wrong, if not.
pub(super) fn is_true(text: &str, systems: [&Plain; 2], relation: Relation) -> Result<(), String> {
    let weak = !matches!(relation, Relation::Strong | Relation::Simulation | Relation::ReadySimulation);
    let (mut pairs, mut alone, mut ends) = (BTreeSet::from([(0, 0)]), None, None);
    for line in text.lines().skip(1) {
        let Some(label) = line.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
            let side = |start: &str| {
                let rest = line.strip_prefix(start)?;
                NAMES.iter().position(|name| rest.starts_with(name))
            };
            alone = side("in ").filter(|_| line.ends_with("alone:"));
            ends = side("then ").filter(|_| line.contains(" can and "));
            continue;
        };
        if label == "diverges" {
            // An infinite run is not followed here.
            return Ok(());
        }
        if let Some(mover) = ends {
            let can = |side: usize, state: usize| {
                let from = if weak { systems[side].inside(state) } else { BTreeSet::from([state]) };
                from.into_iter().any(|state| !systems[side].after(state, label).is_empty())
            };
            let told = |&(left, right): &(usize, usize)| {
                let states = [left, right];
                can(mover, states[mover]) && !can(1 - mover, states[1 - mover])
            };
            return match pairs.iter().any(told) {
                true => Ok(()),
                false => Err(format!("after these labels both can do {label}, or none can")),
            };
        }
        let step = |side: usize, state: usize| -> BTreeSet<usize> {
            match (alone, weak) {
                (Some(mover), _) if mover != side => BTreeSet::from([state]),
                (None, false) => systems[side].after(state, label),
                _ if label == "i" => systems[side].inside(state),
                _ => systems[side].through(state, label),
            }
        };
        pairs = pairs
            .iter()
            .flat_map(|&(left, right)| {
                let (left, right) = (step(0, left), step(1, right));
                left.into_iter()
                    .flat_map(move |left| right.clone().into_iter().map(move |right| (left, right)))
            })
            .collect();
        if pairs.is_empty() {
            return Err(format!("one of them cannot do {label} here"));
        }
        alone = None;
    }
    Err("it has no end".to_owned())
}

impl Plain {
    /// The states after one step with this label.
    fn after(&self, state: usize, label: &str) -> BTreeSet<usize> {
        let edges = self.0[state].iter().filter(|(number, _)| name(*number) == label);
        edges.map(|&(_, to)| to).collect()
    }

    /// The states after any number of internal steps.
    fn inside(&self, state: usize) -> BTreeSet<usize> {
        let (mut seen, mut todo) = (BTreeSet::from([state]), vec![state]);
        while let Some(at) = todo.pop() {
            todo.extend(self.after(at, "i").into_iter().filter(|&to| seen.insert(to)));
        }
        seen
    }

    /// The states after a visible step, with internal ones before and after it.
    fn through(&self, state: usize, label: &str) -> BTreeSet<usize> {
        let steps = self.inside(state).into_iter().flat_map(|at| self.after(at, label));
        steps.flat_map(|to| self.inside(to)).collect()
    }
}

/// The name of a label; the internal action has one here.
fn name(label: u8) -> String {
    if label == TAU { "i".to_owned() } else { char::from(b'a' + label - 1).to_string() }
}

/// The oracle sees what it was written for: the labels of a move that was disputed before it was answered.
#[test]
fn a_false_line_is_seen() {
    let (right, left) = (Plain::new("0 a 1, 1 b 2, 1 c 3"), Plain::new("0 a 1, 1 tau 2, 2 b 3, 1 c 4"));
    let told = "not related\n\"a\"\n\"b\"\nthen right can and left cannot:\n\"c\"\n";
    assert!(is_true(told, [&left, &right], Relation::Branching).is_err());
    let told = "not related\n\"a\"\nin left alone:\n\"i\"\nthen right can and left cannot:\n\"c\"\n";
    assert_eq!(is_true(told, [&left, &right], Relation::Branching), Ok(()));
}
