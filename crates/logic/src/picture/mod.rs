//! Pictures of automata: DOT for Graphviz, and SVG without it.
//!
//! Both are drawn from a [`Picture`], in which an automaton is circles and arrows with words at them. Where one set of
//! marks is a matter of states, accepting states are double circles; otherwise marks are numbers in black discs, at the
//! states or at the arrows that have them.

mod dot;
mod layout;
mod svg;

use crate::automaton::{Automaton, Marks, State};
use crate::finite::Dfa;
use crate::hoa::is_state_based;

/// What is to be drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    circles: Vec<Circle>,
    initial: usize,
    /// At most one from one circle to another.
    arrows: Vec<Arrow>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Circle {
    name: String,
    double: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Arrow {
    from: usize,
    to: usize,
    /// What stands at it, line by line.
    lines: Vec<String>,
}

/// A line of a label is broken if it has more characters than this.
const LONG: usize = 26;

impl Picture {
    /// Of an automaton over infinite words.
    pub fn of(automaton: &Automaton) -> Picture {
        let on_states = is_state_based(automaton);
        let double = on_states && automaton.sets == 1;
        let circle = |state: usize| {
            let shared = automaton.edges[state].first().map_or(Marks(0), |edge| edge.marks);
            let marks = if on_states && !double { discs(shared) } else { String::new() };
            Circle { name: format!("{state}{marks}"), double: double && shared.0 != 0 }
        };
        let mut picture = Picture {
            circles: (0..automaton.states()).map(circle).collect(),
            initial: automaton.initial.index(),
            arrows: Vec::new(),
        };
        for (from, leaving) in automaton.edges.iter().enumerate() {
            for edge in leaving {
                let marks = if on_states { String::new() } else { discs(edge.marks) };
                picture.add(from, edge.to.index(), &edge.label.terms(&automaton.propositions), &marks);
            }
        }
        picture
    }

    /// Of an automaton over finite words; double circles accept.
    pub fn of_finite(dfa: &Dfa) -> Picture {
        let states = || (0..dfa.states() as u32).map(State);
        let circle = |state: State| Circle { name: state.to_string(), double: dfa.accepting(state) };
        let mut picture = Picture {
            circles: states().map(circle).collect(),
            initial: dfa.initial().index(),
            arrows: Vec::new(),
        };
        for state in states() {
            for step in dfa.short_steps(state) {
                picture.add(state.index(), step.to.index(), &step.label.terms(dfa.propositions()), "");
            }
        }
        picture
    }

    /// Adds an arrow, or lines to the one that is there.
    fn add(&mut self, from: usize, to: usize, terms: &[String], marks: &str) {
        let mut lines = vec![String::new()];
        for (i, term) in terms.iter().enumerate() {
            let or = if i == 0 { "" } else { " | " };
            let last = lines.last_mut().expect("there is one");
            if !last.is_empty() && last.chars().count() + term.chars().count() > LONG {
                last.push_str(" |");
                lines.push(term.clone());
            } else {
                last.push_str(or);
                last.push_str(term);
            }
        }
        lines.last_mut().expect("there is one").push_str(marks);
        match self.arrows.iter_mut().find(|arrow| (arrow.from, arrow.to) == (from, to)) {
            Some(arrow) => arrow.lines.append(&mut lines),
            None => self.arrows.push(Arrow { from, to, lines }),
        }
    }
}

/// The numbers of sets in black discs, as far as there are such characters.
fn discs(marks: Marks) -> String {
    let disc = |set: u32| match set {
        0 => '\u{24ff}'.to_string(),
        1..=10 => char::from_u32(0x2775 + set).into_iter().collect(),
        11..=20 => char::from_u32(0x24eb + set - 11).into_iter().collect(),
        _ => format!("({set})"),
    };
    let sets: String = (0..64).filter(|set| marks.0 >> set & 1 != 0).map(disc).collect();
    if sets.is_empty() { sets } else { format!(" {sets}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_discs() {
        assert_eq!(discs(Marks(0)), "");
        assert_eq!(discs(Marks(0b111 | 1 << 10 | 1 << 11 | 1 << 20 | 1 << 21)), " ⓿❶❷❿⓫⓴(21)");
    }

    #[test]
    fn long_labels_are_broken_between_terms() {
        let mut picture = Picture { circles: Vec::new(), initial: 0, arrows: Vec::new() };
        let terms: Vec<String> = (0..5).map(|i| format!("p{i} & !q{i}")).collect();
        picture.add(0, 1, &terms, " ⓿");
        picture.add(0, 1, &["r".into()], "");
        let lines = ["p0 & !q0 | p1 & !q1 |", "p2 & !q2 | p3 & !q3 |", "p4 & !q4 ⓿", "r"];
        assert_eq!(picture.arrows[0].lines, lines);
    }
}
