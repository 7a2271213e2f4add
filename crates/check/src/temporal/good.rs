//! An automaton of the *good* runs, for the search of on-the-fly-verification-1993, 4.1.
//!
//! That search needs an automaton that is deterministic and complete, with accepting states: then a run is bad exactly if
//! its only run of the automaton meets them finitely often, and a cycle without one is what there is to find. Properties
//! that can be said so are those of class *recurrence*; others have no such automaton, and the search is refused.

use super::Watch;
use elnath_logic::Automaton;
use elnath_logic::automaton::{Cube, Edge, Label, Marks, State};
use elnath_logic::class::is_deterministic;
use elnath_logic::degeneralise::{accepting_states, degeneralise};

/// A deterministic and complete automaton of the good runs.
#[derive(Clone)]
pub struct Good {
    pub(super) automaton: Automaton,
    pub(super) accepting: Vec<bool>,
    pub(super) watches: Vec<Watch>,
}

impl Good {
    /// Makes it of an automaton that accepts the good runs, if that is deterministic.
    pub fn new(automaton: &Automaton, watches: Vec<Watch>) -> Option<Self> {
        if !is_deterministic(automaton) {
            return None;
        }
        let mut automaton = degeneralise(automaton);
        let mut accepting = accepting_states(&automaton)?;
        // What the automaton does not admit is bad from there on.
        let sink = State(automaton.states() as u32);
        for edges in &mut automaton.edges {
            let others = none_of(edges.iter().map(|edge| &edge.label))?;
            if !others.0.is_empty() {
                edges.push(Edge { label: others, marks: Marks(0), to: sink });
            }
        }
        automaton.edges.push(vec![Edge { label: Label::always(), marks: Marks(0), to: sink }]);
        accepting.push(false);
        is_deterministic(&automaton).then_some(Self { automaton, accepting, watches })
    }
}

/// The letters that satisfy none of these labels, unless there are too many ways to say it.
fn none_of<'l>(labels: impl Iterator<Item = &'l Label>) -> Option<Label> {
    let mut others = Label::always();
    for cube in labels.flat_map(|label| &label.0) {
        let bits = |mask: u64| (0..64).filter(move |bit| mask >> bit & 1 == 1);
        let without = bits(cube.with).map(|bit| Cube::literal(bit, false));
        let with = bits(cube.without).map(|bit| Cube::literal(bit, true));
        others = others.and(&Label(without.chain(with).collect()))?.tidy();
    }
    Some(others)
}

#[cfg(test)]
mod tests {
    use super::*;
    use elnath_logic::parse::{Syntax, parse_text};
    use elnath_logic::{Formulas, Options, translate};

    fn good(text: &str) -> Option<Good> {
        let mut formulas = Formulas::new();
        let f = parse_text(&mut formulas, text, Syntax::default()).expect("a formula").formula;
        let automaton = translate(&formulas, f, Options::default()).expect("a small formula");
        let watches = vec![Watch::State(0); automaton.propositions.len()];
        Good::new(&automaton, watches)
    }

    /// Every state has exactly one edge for every letter, where there is such an automaton at all.
    #[test]
    fn it_is_deterministic_and_complete() {
        for text in ["G(p -> F q)", "G p", "F p", "p U q", "GF p & GF q", "G(p -> X q)", "X p | X q"] {
            let good = good(text).unwrap_or_else(|| panic!("{text} is a recurrence"));
            for edges in &good.automaton.edges {
                for letter in 0..4 {
                    let admitting = edges.iter().filter(|edge| edge.label.admits(letter)).count();
                    assert_eq!(admitting, 1, "{text}");
                }
            }
        }
        assert!(good("F G p").is_none(), "it has no deterministic automaton");
    }
}
