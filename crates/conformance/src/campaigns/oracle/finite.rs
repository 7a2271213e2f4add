//! Formulas over finite words as they are written: the definition is read off them, while automata get what `Formulas` makes
//! of them.

use elnath_logic::automaton::Letter;
use elnath_logic::formula::{Formulas, Id};

/// A formula. Propositions are numbers: a letter has a bit for each.
#[derive(Clone, Debug)]
pub(crate) enum Raw {
    Constant(bool),
    Proposition(usize),
    Not(Box<Raw>),
    And(Box<Raw>, Box<Raw>),
    Or(Box<Raw>, Box<Raw>),
    Next(Box<Raw>),
    StrongNext(Box<Raw>),
    Eventually(Box<Raw>),
    Always(Box<Raw>),
    Until(Box<Raw>, Box<Raw>),
    Release(Box<Raw>, Box<Raw>),
    WeakUntil(Box<Raw>, Box<Raw>),
    StrongRelease(Box<Raw>, Box<Raw>),
}

impl Raw {
    /// The formula in a table, with these names of propositions.
    pub(crate) fn build(&self, f: &mut Formulas, names: &[&str]) -> Id {
        let mut one = |x: &Raw| x.build(f, names);
        match self {
            Raw::Constant(value) => f.constant(*value),
            Raw::Proposition(p) => f.proposition(names[*p]),
            Raw::Not(x) | Raw::Next(x) | Raw::StrongNext(x) | Raw::Eventually(x) | Raw::Always(x) => {
                let x = one(x);
                match self {
                    Raw::Not(_) => f.not(x),
                    Raw::Next(_) => f.next(x),
                    Raw::StrongNext(_) => f.strong_next(x),
                    Raw::Eventually(_) => f.eventually(x),
                    _ => f.always(x),
                }
            }
            Raw::And(x, y)
            | Raw::Or(x, y)
            | Raw::Until(x, y)
            | Raw::Release(x, y)
            | Raw::WeakUntil(x, y)
            | Raw::StrongRelease(x, y) => {
                let (x, y) = (one(x), one(y));
                match self {
                    Raw::And(..) => f.and(x, y),
                    Raw::Or(..) => f.or(x, y),
                    Raw::Until(..) => f.until(x, y),
                    Raw::Release(..) => f.release(x, y),
                    Raw::WeakUntil(..) => f.weak_until(x, y),
                    _ => f.strong_release(x, y),
                }
            }
        }
    }

    /// The definition: whether it holds at position `i` of `word`, or on the empty word if there is no such position.
    pub(crate) fn holds(&self, word: &[Letter], i: usize) -> bool {
        let n = word.len();
        let lambda = n == 0;
        let later = |x: &Raw| (i..n).any(|j| x.holds(word, j));
        // x U y, written out.
        let until = |x: &Raw, y: &Raw| (i..n).any(|j| y.holds(word, j) && (i..j).all(|k| x.holds(word, k)));
        let always = |x: &Raw| (i..n).all(|j| x.holds(word, j));
        match self {
            Raw::Constant(value) => *value,
            Raw::Proposition(p) => !lambda && word[i] >> p & 1 == 1,
            Raw::Not(x) => !x.holds(word, i),
            Raw::And(x, y) => x.holds(word, i) && y.holds(word, i),
            Raw::Or(x, y) => x.holds(word, i) || y.holds(word, i),
            Raw::Next(x) => lambda || i + 1 == n || x.holds(word, i + 1),
            Raw::StrongNext(x) => !lambda && i + 1 < n && x.holds(word, i + 1),
            Raw::Eventually(x) | Raw::Always(x) if lambda => x.holds(word, i),
            Raw::Until(_, y) | Raw::Release(_, y) if lambda => y.holds(word, i),
            Raw::WeakUntil(x, y) if lambda => x.holds(word, i) || y.holds(word, i),
            Raw::StrongRelease(x, y) if lambda => x.holds(word, i) && y.holds(word, i),
            Raw::Eventually(x) => later(x),
            Raw::Always(x) => always(x),
            Raw::Until(x, y) => until(x, y),
            Raw::WeakUntil(x, y) => until(x, y) || always(x),
            // y up to and including the first x.
            Raw::StrongRelease(x, y) => (i..n).any(|j| x.holds(word, j) && (i..=j).all(|k| y.holds(word, k))),
            Raw::Release(x, y) => {
                always(y) || (i..n).any(|j| x.holds(word, j) && (i..=j).all(|k| y.holds(word, k)))
            }
        }
    }
}

/// The propositions of a formula in a table, as the numbers that [`Raw`] gives them.
pub(crate) fn numbers(
    formulas: &Formulas,
    propositions: impl IntoIterator<Item = u32>,
    names: &[&str],
) -> Vec<usize> {
    let name = |number: u32| formulas.atoms()[number as usize].name();
    let place = |number: u32| names.iter().position(|known| *known == name(number)).expect("one of ours");
    propositions.into_iter().map(place).collect()
}
