//! The truth of a formula and of each of its subformulas at every position of a run.
//!
//! On a run that repeats a cycle for ever, and on one whose last state lasts for ever because it is an end, every formula is true or
//! false, and is decided by the definition: the greatest or least solution of what each operator says of the next position. On a run that
//! could go on, a temporal formula may be [open](Truth::Open): it is true or false only if it is so whatever comes. (The
//! approximation is Kleene's, operator by operator: `p || !p` of an open `p` stays open. What is told is never wrong.)
//!
//! A proposition about steps is open at the last position of a run that could go on, since its step is not chosen yet.

use elnath_logic::formula::Node;
use elnath_logic::{Formulas, Id};
use serde::Serialize;

/// Whether a formula holds at a position of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Truth {
    /// It does, whatever comes.
    True,
    /// It does not, whatever comes.
    False,
    /// That depends on how the run goes on, as far as is known.
    Open,
}

impl From<bool> for Truth {
    fn from(value: bool) -> Self {
        if value { Truth::True } else { Truth::False }
    }
}

impl std::ops::Not for Truth {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Truth::True => Truth::False,
            Truth::False => Truth::True,
            Truth::Open => Truth::Open,
        }
    }
}

impl Truth {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Truth::False, _) | (_, Truth::False) => Truth::False,
            (Truth::True, Truth::True) => Truth::True,
            _ => Truth::Open,
        }
    }

    fn or(self, other: Self) -> Self {
        !(!self).and(!other)
    }
}

/// How a run goes on after its last position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    /// Nobody knows.
    Open,
    /// It goes back to this position, from 0, again and again; the last position itself if it stays there for ever.
    Back(usize),
}

/// The truth of each of `parts`, which come after their own parts, at each position; `letters` has the truth of each proposition there.
///
/// # Panics
/// If there is no position, or the run goes back to one that is not there.
pub fn truths(formulas: &Formulas, parts: &[Id], letters: &[Vec<Truth>], after: After) -> Vec<Vec<Truth>> {
    let length = letters.len();
    assert!(length > 0, "a run has at least its initial state");
    let mut of: Vec<Vec<Truth>> = vec![Vec::new(); formulas.len()];
    for f in formulas_below(formulas, parts) {
        let child = |g: Id| &of[g.index()];
        let node = formulas.node(f);
        let pointwise = |value: &dyn Fn(usize) -> Truth| (0..length).map(value).collect();
        // What an operator says here by what it says at the next position; and what it is where it is repeated for ever.
        let fixpoint = |begin: bool, here: &dyn Fn(usize, Truth) -> Truth| {
            let mut values = vec![Truth::Open; length];
            // Around a cycle twice: what the first round assumes of its own beginning, the second knows.
            let mut next = match after {
                After::Open => Truth::Open,
                After::Back(_) => begin.into(),
            };
            let rounds = if let After::Back(_) = after { 2 } else { 1 };
            for round in 0..rounds {
                let last_round = round + 1 == rounds;
                let from = match after {
                    After::Back(start) if !last_round => start,
                    _ => 0,
                };
                for at in (from..length).rev() {
                    next = here(at, next);
                    values[at] = next;
                }
                if let (After::Back(start), false) = (after, last_round) {
                    next = values[start];
                }
            }
            values
        };
        let values: Vec<Truth> = match node {
            Node::True => vec![Truth::True; length],
            Node::False => vec![Truth::False; length],
            Node::Proposition(number) => pointwise(&|at| letters[at][*number as usize]),
            Node::Not(g) => pointwise(&|at| !child(*g)[at]),
            Node::And(all) => pointwise(&|at| all.iter().fold(Truth::True, |sum, &g| sum.and(child(g)[at]))),
            Node::Or(all) => pointwise(&|at| all.iter().fold(Truth::False, |sum, &g| sum.or(child(g)[at]))),
            // On runs that do not end both nexts are the same.
            Node::Next(g) | Node::StrongNext(g) => pointwise(&|at| match after {
                _ if at + 1 < length => child(*g)[at + 1],
                After::Open => Truth::Open,
                After::Back(start) => child(*g)[start],
            }),
            Node::Eventually(g) => fixpoint(false, &|at, next| child(*g)[at].or(next)),
            Node::Always(g) => fixpoint(true, &|at, next| child(*g)[at].and(next)),
            Node::Until(g, h) => fixpoint(false, &|at, next| child(*h)[at].or(child(*g)[at].and(next))),
            Node::WeakUntil(g, h) => fixpoint(true, &|at, next| child(*h)[at].or(child(*g)[at].and(next))),
            Node::Release(g, h) => fixpoint(true, &|at, next| child(*h)[at].and(child(*g)[at].or(next))),
            Node::StrongRelease(g, h) => {
                fixpoint(false, &|at, next| child(*h)[at].and(child(*g)[at].or(next)))
            }
        };
        of[f.index()] = values;
    }
    parts.iter().map(|part| of[part.index()].clone()).collect()
}

/// The formulas, with all that they consist of, each after its own parts.
fn formulas_below(formulas: &Formulas, parts: &[Id]) -> Vec<Id> {
    let mut order: Vec<Id> = Vec::new();
    let mut seen = vec![false; formulas.len()];
    for &part in parts {
        for f in formulas.subformulas(part) {
            if !std::mem::replace(&mut seen[f.index()], true) {
                order.push(f);
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use elnath_kernel::rng::Rng;
    use elnath_logic::automaton::Letter;
    use elnath_logic::lasso::accepts;
    use elnath_logic::{Options, translate};

    fn random(formulas: &mut Formulas, depth: u32, rng: &mut Rng) -> Id {
        if depth == 0 || rng.chance(20) {
            let name = ["a", "b"][rng.below(2) as usize];
            return formulas.proposition(name);
        }
        let f = random(formulas, depth - 1, rng);
        let kind = rng.below(11);
        if kind < 4 {
            return match kind {
                0 => formulas.not(f),
                1 => formulas.next(f),
                2 => formulas.eventually(f),
                _ => formulas.always(f),
            };
        }
        let g = random(formulas, depth - 1, rng);
        match kind {
            4 => formulas.and(f, g),
            5 => formulas.or(f, g),
            6 => formulas.until(f, g),
            7 => formulas.release(f, g),
            8 => formulas.weak_until(f, g),
            9 => formulas.strong_release(f, g),
            _ => formulas.implies(f, g),
        }
    }

    fn word(length: u64, rng: &mut Rng) -> Vec<Letter> {
        (0..length).map(|_| rng.below(4)).collect()
    }

    fn letters(word: &[Letter]) -> Vec<Vec<Truth>> {
        word.iter().map(|letter| (0..2).map(|bit| (letter >> bit & 1 == 1).into()).collect()).collect()
    }

    /// What automata say of words that repeat themselves, and what is told of a prefix is so for every way in which it goes on.
    #[test]
    fn truths_are_those_of_automata() {
        let (mut told, mut open) = (0, 0);
        for seed in 0..600 {
            let rng = &mut Rng::new(seed);
            let mut formulas = Formulas::new();
            // So that the bits of letters are those of the formula's propositions.
            let (a, b) = (formulas.proposition("a"), formulas.proposition("b"));
            let f = random(&mut formulas, 3, rng);
            let both = formulas.or(a, b);
            let not = formulas.not(both);
            let something = formulas.or(both, not);
            let padded = formulas.and(f, something);
            let (prefix, cycle) = (word(rng.below(5), rng), word(1 + rng.below(4), rng));
            let whole = [prefix.clone(), cycle.clone()].concat();
            let Ok(automaton) = translate(&formulas, padded, Options::SMALL) else { continue };
            let bit = |name: &str| automaton.propositions.iter().position(|other| other == name);
            let as_read = |letter: Letter| {
                let of = |name: &str, from: u32| bit(name).map_or(0, |to| (letter >> from & 1) << to);
                of("a", 0) | of("b", 1)
            };
            for at in 0..whole.len() {
                // The suffix that begins here.
                let (before, around) = if at < prefix.len() {
                    (prefix[at..].to_vec(), cycle.clone())
                } else {
                    let turn = at - prefix.len();
                    (Vec::new(), [&cycle[turn..], &cycle[..turn]].concat())
                };
                let read = |word: &[Letter]| word.iter().map(|&letter| as_read(letter)).collect::<Vec<_>>();
                let expected = accepts(&automaton, &read(&before), &read(&around));
                let all = truths(&formulas, &[f], &letters(&whole), After::Back(prefix.len()));
                assert_eq!(all[0][at], expected.into(), "seed {seed} at {at}");
                // Cut anywhere after it, what is told does not contradict what comes.
                for end in at + 1..=whole.len() {
                    match truths(&formulas, &[f], &letters(&whole[..end]), After::Open)[0][at] {
                        Truth::Open => open += 1,
                        known => {
                            told += 1;
                            assert_eq!(known, expected.into(), "seed {seed} at {at} of {end}");
                        }
                    }
                }
            }
        }
        assert!(told > 1000 && open > 1000, "both occur: {told} told, {open} open");
    }
}
