//! Whether a formula holds on a finite word, by the definition (on-line-model-checking-1989, section 2).
//!
//! There is no automaton here, only the meaning of the operators, position by position from the end: it is what a
//! diagnosis is checked with before it is shown.

use crate::automaton::Letter;
use crate::formula::{Formulas, Id, Node};

/// Whether `f` holds on `word`. Bit *i* of a letter is the *i*-th of [`Formulas::propositions`].
///
/// On the empty word the paper's definition is what a last position says at which no proposition holds.
pub fn holds(formulas: &Formulas, f: Id, word: &[Letter]) -> bool {
    let parts = formulas.subformulas(f);
    let numbers = formulas.propositions(f);
    let mut later: Option<Vec<bool>> = None;
    let nothing = [0];
    for &letter in if word.is_empty() { &nothing } else { word }.iter().rev() {
        let mut now: Vec<bool> = vec![false; formulas.len()];
        for &g in &parts {
            let here = |h: Id| now[h.index()];
            // What `h` is at the next position, or `end` if there is none.
            let next = |h: Id, end: bool| later.as_ref().map_or(end, |values| values[h.index()]);
            let value = match formulas.node(g) {
                Node::True => true,
                Node::False => false,
                Node::Proposition(p) => numbers.binary_search(p).is_ok_and(|bit| letter >> bit & 1 == 1),
                Node::Not(h) => !here(*h),
                Node::And(all) => all.iter().all(|&h| here(h)),
                Node::Or(all) => all.iter().any(|&h| here(h)),
                Node::Next(h) => next(*h, true),
                Node::StrongNext(h) => next(*h, false),
                Node::Eventually(h) => here(*h) || next(g, false),
                Node::Always(h) => here(*h) && next(g, true),
                Node::Until(a, b) => here(*b) || here(*a) && next(g, false),
                Node::Release(a, b) => here(*b) && (here(*a) || next(g, true)),
                Node::WeakUntil(a, b) => here(*b) || here(*a) && next(g, true),
                Node::StrongRelease(a, b) => here(*b) && (here(*a) || next(g, false)),
            };
            now[g.index()] = value;
        }
        later = Some(now);
    }
    later.is_some_and(|values| values[f.index()])
}
