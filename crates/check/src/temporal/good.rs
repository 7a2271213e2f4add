//! An automaton of the *good* runs, for the search of on-the-fly-verification-1993, 4.1.
//!
//! That search needs an automaton that is deterministic and complete, with accepting states: then a run is bad exactly if
//! its only run of the automaton meets them finitely often, and a cycle without one is what there is to find. Properties
//! that can be said so are those of class *recurrence*; others have no such automaton, and the search is refused.
//!
//! Where a run cannot become bad any more, whatever comes, it is not followed: no cycle is to be found there, and a fault
//! of the model is nobody's business, as it is not with an automaton of the bad runs, which has no such runs at all.

use super::Observable;
use elnath_logic::Automaton;
use elnath_logic::automaton::{Cube, Edge, Label, Marks, State};
use elnath_logic::class::is_deterministic;
use elnath_logic::degeneralise::{accepting_states, degeneralise};

/// A deterministic and complete automaton of the good runs.
#[derive(Clone)]
pub struct Good {
    pub(super) automaton: Automaton,
    pub(super) accepting: Vec<bool>,
    pub(super) watches: Vec<Observable>,
}

/// Makes it when it is wanted, if there is one.
pub type MakeGood = dyn Fn() -> Option<Good> + Send + Sync;

impl Good {
    /// Makes it of an automaton that accepts the good runs, if that is deterministic.
    pub fn new(automaton: &Automaton, watches: Vec<Observable>) -> Option<Self> {
        let mut good = Self::complete(automaton, watches)?;
        let may_be_bad = good.may_be_bad();
        for edges in &mut good.automaton.edges {
            edges.retain(|edge| may_be_bad[edge.to.0 as usize]);
        }
        Some(good)
    }

    fn complete(automaton: &Automaton, watches: Vec<Observable>) -> Option<Self> {
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

    /// By state: whether it leads to a cycle without accepting states.
    fn may_be_bad(&self) -> Vec<bool> {
        let leads_to = |found: &[bool], from: usize| {
            self.automaton.edges[from].iter().any(|edge| found[edge.to.0 as usize])
        };
        // Those that lead to others of these for ever: what is left when all others are taken away.
        let mut found: Vec<bool> = self.accepting.iter().map(|accepting| !accepting).collect();
        while let Some(state) = (0..found.len()).find(|&state| found[state] && !leads_to(&found, state)) {
            found[state] = false;
        }
        while let Some(state) = (0..found.len()).find(|&state| !found[state] && leads_to(&found, state)) {
            found[state] = true;
        }
        found
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
        let watches = vec![Observable::State(0); automaton.propositions.len()];
        Good::complete(&automaton, watches)
    }

    #[test]
    fn what_cannot_become_bad_is_not_followed() {
        for (text, settled) in [("F p", 1), ("p U q", 1), ("G p", 0), ("GF p", 0), ("G(p -> F q)", 0)] {
            let good = good(text).expect("a recurrence");
            let may_be_bad = good.may_be_bad();
            assert!(may_be_bad[good.automaton.initial.0 as usize], "{text}");
            let good = may_be_bad.iter().filter(|may| !**may).count();
            assert_eq!(good, settled, "{text}: {may_be_bad:?}");
        }
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
