//! Formulas over finite words: the automaton against the definition, on all short words.

use elnath_kernel::rng::Rng;
use elnath_logic::automaton::{Letter, State};
use elnath_logic::derivative::{Alphabet, Derivatives, EmptyWord};
use elnath_logic::finite::Dfa;
use elnath_logic::formula::Formulas;

use super::Part;
use super::oracle::finite::{Raw, numbers};
use crate::trial::Trial;

pub(super) const PARTS: &[Part] = &[
    Part {
        name: "one-proposition",
        meaning: "formulas about finite words with one proposition, on all short words",
        run: one_proposition,
    },
    Part { name: "two-propositions", meaning: "with two propositions", run: two_propositions },
    Part { name: "three-actions", meaning: "with three actions", run: three_actions },
];

const NAMES: [&str; 3] = ["a", "b", "c"];

/// A random formula of at most so many operators, nested at most four deep.
fn raw(rng: &mut Rng, propositions: usize, depth: u32, size: &mut u32) -> Raw {
    if depth == 0 || *size == 0 || rng.below(4) == 0 {
        return match rng.below(9) {
            0 => Raw::Constant(rng.below(2) == 0),
            _ => Raw::Proposition(rng.below(propositions as u64) as usize),
        };
    }
    *size -= 1;
    let operator = rng.below(11);
    let mut one = || Box::new(raw(rng, propositions, depth - 1, size));
    match operator {
        0 => Raw::Not(one()),
        1 => Raw::Next(one()),
        2 => Raw::StrongNext(one()),
        3 => Raw::Eventually(one()),
        4 => Raw::Always(one()),
        5 => Raw::And(one(), one()),
        6 => Raw::Or(one(), one()),
        7 => Raw::Until(one(), one()),
        8 => Raw::Release(one(), one()),
        9 => Raw::WeakUntil(one(), one()),
        _ => Raw::StrongRelease(one(), one()),
    }
}

/// Every word over `letters` of at most `longest` letters.
fn words(letters: &[Letter], longest: usize) -> Vec<Vec<Letter>> {
    let mut all = vec![Vec::new()];
    let mut from = 0;
    for _ in 0..longest {
        let to = all.len();
        for i in from..to {
            for &letter in letters {
                let mut word: Vec<Letter> = all[i].clone();
                word.push(letter);
                all.push(word);
            }
        }
        from = to;
    }
    all
}

/// A word over the propositions of the formula alone, which may be fewer than three.
fn projected(word: &[Letter], numbers: &[usize]) -> Vec<Letter> {
    let letter = |l: Letter| (0..).zip(numbers).fold(0, |new, (bit, p)| new | (l >> p & 1) << bit);
    word.iter().map(|&l| letter(l)).collect()
}

/// The lazy automaton, the whole one, the minimal one and that of the prefix reading, all against the definition.
fn agrees(formula: &Raw, alphabet: Alphabet, letters: &[Letter], longest: usize) {
    let mut table = Formulas::new();
    let f = formula.build(&mut table, &NAMES);
    let mut lazy =
        Derivatives::new(&table, f, alphabet, EmptyWord::ByDefinition).expect("three propositions");
    let numbers = numbers(&table, lazy.propositions(), &NAMES);
    let mut whole = None;
    let all = words(letters, longest);
    for word in &all {
        let expected = formula.holds(word, 0);
        let short = projected(word, &numbers);
        let end = short.iter().fold(lazy.initial(), |state, &letter| lazy.successor(state, letter));
        assert_eq!(lazy.accepting(end), expected, "lazy: {formula:?} on {word:?}");
        assert_eq!(elnath_logic::word::holds(&table, f, &short), expected, "{formula:?} on {word:?}");
        assert!(!lazy.hopeless(end) || !lazy.accepting(end) || word.is_empty() || expected);
        let (dfa, minimal) = whole.get_or_insert_with(|| {
            let dfa = lazy.dfa(10_000).expect("small");
            let minimal = dfa.minimised();
            (dfa, minimal)
        });
        assert_eq!(dfa.accepts(&short), expected, "whole: {formula:?} on {word:?}");
        assert_eq!(minimal.accepts(&short), expected, "minimal: {formula:?} on {word:?}");
    }
    let (dfa, minimal) = whole.expect("the empty word");
    assert!(minimal.states() <= dfa.states());
    let prefix = dfa.prefix();
    for word in &all {
        let expected = (1..=word.len()).all(|n| formula.holds(&word[..n], 0));
        let short = projected(word, &numbers);
        let mut state = Some(prefix.initial());
        for &letter in &short {
            state = state.and_then(|s| prefix.successor(s, letter));
        }
        assert_eq!(state.is_some(), expected, "prefix: {formula:?} on {word:?}");
        assert!(word.is_empty() || state.is_none_or(|s| prefix.accepting(s)));
    }
    minimal_indeed(&minimal);
}

/// Any two states are told apart by some word: the naive check, pair by pair.
fn minimal_indeed(dfa: &Dfa) {
    let n = dfa.states();
    let letters: Vec<Letter> = (0..1 << dfa.propositions().len()).collect();
    let mut apart = vec![vec![false; n]; n];
    let at = |s: usize, letter| dfa.successor(State(s as u32), letter).map(State::index);
    for _ in 0..=n {
        for p in 0..n {
            for q in 0..n {
                apart[p][q] |= dfa.accepting(State(p as u32)) != dfa.accepting(State(q as u32))
                    || letters.iter().any(|&l| match (at(p, l), at(q, l)) {
                        (Some(x), Some(y)) => apart[x][y],
                        (None, None) => false,
                        _ => true,
                    });
            }
        }
    }
    assert!((0..n).all(|p| (0..n).all(|q| p == q || apart[p][q])), "two states of {n} are equal");
}

/// Formulas over so many propositions on all words of up to six letters.
fn on_all_words(trial: &mut Trial<'_>, propositions: usize, alphabet: Alphabet, letters: &[Letter]) {
    let (): () = trial.cases(0..120, |case, ()| {
        let formula = raw(&mut Rng::new(case.seed), propositions, 4, &mut 10);
        agrees(&formula, alphabet, letters, 6);
        Ok(())
    });
}

fn one_proposition(trial: &mut Trial<'_>) {
    on_all_words(trial, 1, Alphabet::Sets, &[0, 1]);
}

fn two_propositions(trial: &mut Trial<'_>) {
    on_all_words(trial, 2, Alphabet::Sets, &[0, 1, 2, 3]);
}

fn three_actions(trial: &mut Trial<'_>) {
    on_all_words(trial, 3, Alphabet::Actions, &[0, 1, 2, 4]);
}

#[cfg(test)]
type Unary = fn(Box<Raw>) -> Raw;
#[cfg(test)]
type Binary = fn(Box<Raw>, Box<Raw>) -> Raw;

#[test]
fn all_small_formulas_on_all_words_up_to_six() {
    let p = || Box::new(Raw::Proposition(0));
    let atoms = [Raw::Proposition(0), Raw::Proposition(1), Raw::Not(p()), Raw::Constant(true)];
    let unary: [Unary; 5] = [Raw::Not, Raw::Next, Raw::StrongNext, Raw::Eventually, Raw::Always];
    let binary: [Binary; 6] =
        [Raw::And, Raw::Or, Raw::Until, Raw::Release, Raw::WeakUntil, Raw::StrongRelease];
    let mut small: Vec<Raw> = Vec::new();
    for a in &atoms {
        small.extend(unary.iter().map(|op| op(Box::new(a.clone()))));
        for b in &atoms[..2] {
            small.extend(binary.iter().map(|op| op(Box::new(a.clone()), Box::new(b.clone()))));
        }
    }
    for f in small.clone() {
        small.extend(unary.iter().map(|op| op(Box::new(f.clone()))));
    }
    assert!(small.len() > 400);
    for f in &small {
        agrees(f, Alphabet::Sets, &[0, 1, 2, 3], 6);
        agrees(f, Alphabet::Actions, &[0, 1, 2], 6);
    }
}
