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
    marks: Marks,
    double: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Arrow {
    from: usize,
    to: usize,
    /// What stands at it, line by line.
    lines: Vec<Line>,
}

/// A line of words, and marks at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    words: String,
    marks: Marks,
}

impl Line {
    /// With the marks as characters.
    fn text(&self) -> String {
        let discs = discs(self.marks);
        if discs.is_empty() { self.words.clone() } else { format!("{} {discs}", self.words) }
    }
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
            let marks = if on_states && !double { shared } else { Marks(0) };
            Circle { name: state.to_string(), marks, double: double && shared.0 != 0 }
        };
        let mut picture = Picture {
            circles: (0..automaton.states()).map(circle).collect(),
            initial: automaton.initial.index(),
            arrows: Vec::new(),
        };
        for (from, leaving) in automaton.edges.iter().enumerate() {
            for edge in leaving {
                let marks = if on_states { Marks(0) } else { edge.marks };
                picture.add(from, edge.to.index(), &edge.label.terms(&automaton.propositions), marks);
            }
        }
        picture
    }

    /// Of an automaton over finite words; double circles accept.
    pub fn of_finite(dfa: &Dfa) -> Picture {
        let states = || (0..dfa.states() as u32).map(State);
        let circle =
            |state: State| Circle { name: state.to_string(), marks: Marks(0), double: dfa.accepting(state) };
        let mut picture = Picture {
            circles: states().map(circle).collect(),
            initial: dfa.initial().index(),
            arrows: Vec::new(),
        };
        for state in states() {
            for step in dfa.short_steps(state) {
                picture.add(state.index(), step.to.index(), &step.label.terms(dfa.propositions()), Marks(0));
            }
        }
        picture
    }

    /// Of any graph: names of circles with whether they are double, the circle to begin with, and arrows with words at
    /// them.
    pub fn graph(circles: Vec<(String, bool)>, initial: usize, arrows: &[(usize, String, usize)]) -> Picture {
        let circle = |(name, double)| Circle { name, marks: Marks(0), double };
        let circles = circles.into_iter().map(circle).collect();
        let mut picture = Picture { circles, initial, arrows: Vec::new() };
        for (from, words, to) in arrows {
            picture.add(*from, *to, std::slice::from_ref(words), Marks(0));
        }
        picture
    }

    /// Adds an arrow, or lines to the one that is there.
    fn add(&mut self, from: usize, to: usize, terms: &[String], marks: Marks) {
        let mut lines: Vec<Line> = Vec::new();
        for term in terms {
            match lines.last_mut() {
                Some(last) if last.words.chars().count() + term.chars().count() <= LONG => {
                    last.words.push_str(" | ");
                    last.words.push_str(term);
                }
                last => {
                    if let Some(last) = last {
                        last.words.push_str(" |");
                    }
                    lines.push(Line { words: term.clone(), marks: Marks(0) });
                }
            }
        }
        if let Some(last) = lines.last_mut() {
            last.marks = marks;
        }
        match self.arrows.iter_mut().find(|arrow| (arrow.from, arrow.to) == (from, to)) {
            Some(arrow) => arrow.lines.append(&mut lines),
            None => self.arrows.push(Arrow { from, to, lines }),
        }
    }
}

/// The sets, ascending.
fn sets(marks: Marks) -> impl Iterator<Item = u32> {
    (0..64).filter(move |set| marks.0 >> set & 1 != 0)
}

/// The numbers of sets in black discs, as far as there are such characters.
fn discs(marks: Marks) -> String {
    let disc = |set: u32| match set {
        0 => '\u{24ff}'.to_string(),
        1..=10 => char::from_u32(0x2775 + set).into_iter().collect(),
        11..=20 => char::from_u32(0x24eb + set - 11).into_iter().collect(),
        _ => format!("({set})"),
    };
    sets(marks).map(disc).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_discs() {
        assert_eq!(discs(Marks(0)), "");
        assert_eq!(discs(Marks(0b111 | 1 << 10 | 1 << 11 | 1 << 20 | 1 << 21)), "⓿❶❷❿⓫⓴(21)");
    }

    #[test]
    fn long_labels_are_broken_between_terms() {
        let mut picture = Picture { circles: Vec::new(), initial: 0, arrows: Vec::new() };
        let terms: Vec<String> = (0..5).map(|i| format!("p{i} & !q{i}")).collect();
        picture.add(0, 1, &terms, Marks(1));
        picture.add(0, 1, &["r".into()], Marks(0));
        let lines = ["p0 & !q0 | p1 & !q1 |", "p2 & !q2 | p3 & !q3 |", "p4 & !q4 ⓿", "r"];
        let found: Vec<String> = picture.arrows[0].lines.iter().map(Line::text).collect();
        assert_eq!(found, lines);
    }
}
