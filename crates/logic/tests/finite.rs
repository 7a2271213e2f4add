//! Formulas over finite words: the automaton against the definition, the examples of the 1989 paper as corrected in
//! `docs/papers.md`, and sizes.

use elnath_logic::automaton::{Letter, State};
use elnath_logic::derivative::{Alphabet, Derivatives, EmptyWord};
use elnath_logic::finite::{Dfa, Reading};
use elnath_logic::formula::{Formulas, Id};
use elnath_logic::hoa;
use elnath_logic::parse::{Syntax, parse_text};
use elnath_source::SourceText;
use proptest::prelude::*;

/// A formula as it is written: the definition is read off this, while the automaton gets what `Formulas` makes of it.
#[derive(Clone, Debug)]
enum Raw {
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

const NAMES: [&str; 3] = ["a", "b", "c"];

impl Raw {
    fn build(&self, f: &mut Formulas) -> Id {
        let mut pair = |x: &Raw, y: &Raw| (x.build(f), y.build(f));
        match self {
            Raw::Constant(value) => f.constant(*value),
            Raw::Proposition(p) => f.proposition(NAMES[*p]),
            Raw::Not(x) => {
                let x = x.build(f);
                f.not(x)
            }
            Raw::And(x, y) => {
                let (x, y) = pair(x, y);
                f.and(x, y)
            }
            Raw::Or(x, y) => {
                let (x, y) = pair(x, y);
                f.or(x, y)
            }
            Raw::Next(x) => {
                let x = x.build(f);
                f.next(x)
            }
            Raw::StrongNext(x) => {
                let x = x.build(f);
                f.strong_next(x)
            }
            Raw::Eventually(x) => {
                let x = x.build(f);
                f.eventually(x)
            }
            Raw::Always(x) => {
                let x = x.build(f);
                f.always(x)
            }
            Raw::Until(x, y) => {
                let (x, y) = pair(x, y);
                f.until(x, y)
            }
            Raw::Release(x, y) => {
                let (x, y) = pair(x, y);
                f.release(x, y)
            }
            Raw::WeakUntil(x, y) => {
                let (x, y) = pair(x, y);
                f.weak_until(x, y)
            }
            Raw::StrongRelease(x, y) => {
                let (x, y) = pair(x, y);
                f.strong_release(x, y)
            }
        }
    }

    /// The definition: whether it holds at position `i` of `word`, or on the empty word if there is no such position.
    fn holds(&self, word: &[Letter], i: usize) -> bool {
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

fn raw(propositions: usize) -> impl Strategy<Value = Raw> {
    let leaf = prop_oneof![
        8 => (0..propositions).prop_map(Raw::Proposition),
        1 => any::<bool>().prop_map(Raw::Constant),
    ];
    leaf.prop_recursive(4, 10, 2, |inner| {
        let one = inner.clone().prop_map(Box::new);
        let two = (inner.clone(), inner).prop_map(|(x, y)| (Box::new(x), Box::new(y)));
        prop_oneof![
            one.clone().prop_map(Raw::Not),
            one.clone().prop_map(Raw::Next),
            one.clone().prop_map(Raw::StrongNext),
            one.clone().prop_map(Raw::Eventually),
            one.prop_map(Raw::Always),
            two.clone().prop_map(|(x, y)| Raw::And(x, y)),
            two.clone().prop_map(|(x, y)| Raw::Or(x, y)),
            two.clone().prop_map(|(x, y)| Raw::Until(x, y)),
            two.clone().prop_map(|(x, y)| Raw::Release(x, y)),
            two.clone().prop_map(|(x, y)| Raw::WeakUntil(x, y)),
            two.prop_map(|(x, y)| Raw::StrongRelease(x, y)),
        ]
    })
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
    let f = formula.build(&mut table);
    let mut lazy =
        Derivatives::new(&table, f, alphabet, EmptyWord::ByDefinition).expect("three propositions");
    let name = |n: u32| table.atoms()[n as usize].name();
    let numbers: Vec<usize> =
        lazy.propositions().map(|n| NAMES.iter().position(|p| *p == name(n)).unwrap()).collect();
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

/// How many random formulas of each kind; more with ELNATH_FINITE_CASES.
fn cases() -> u32 {
    std::env::var("ELNATH_FINITE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(120)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn one_proposition_all_words_up_to_six(formula in raw(1)) {
        agrees(&formula, Alphabet::Sets, &[0, 1], 6);
    }

    #[test]
    fn two_propositions_all_words_up_to_six(formula in raw(2)) {
        agrees(&formula, Alphabet::Sets, &[0, 1, 2, 3], 6);
    }

    #[test]
    fn three_actions_all_words_up_to_six(formula in raw(3)) {
        agrees(&formula, Alphabet::Actions, &[0, 1, 2, 4], 6);
    }
}

type Unary = fn(Box<Raw>) -> Raw;
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

fn derivatives(text: &str, alphabet: Alphabet, empty: EmptyWord) -> Derivatives {
    let mut formulas = Formulas::new();
    let f = parse_text(&mut formulas, text, Syntax::default()).expect("a formula").formula;
    Derivatives::new(&formulas, f, alphabet, empty).expect("few propositions")
}

fn actions(text: &str) -> Dfa {
    derivatives(text, Alphabet::Actions, EmptyWord::ByDefinition).dfa(1000).expect("small")
}

/// The letters of a word of `a`, `b` and `t`, where `t` is any other action.
fn spelled(word: &str) -> Vec<Letter> {
    word.bytes()
        .map(|c| match c {
            b'a' => 1,
            b'b' => 2,
            _ => 0,
        })
        .collect()
}

const PHI1: &str = "G(a -> X(!a U b))";
const PHI2: &str = "(F a) U (G b)";

/// State by state: whether it accepts, and where a, b and t lead.
fn rows(dfa: &Dfa) -> Vec<(bool, [Option<u32>; 3])> {
    let row = |s: u32| {
        let to = |letter| dfa.successor(State(s), letter).map(|to| to.0);
        (dfa.accepting(State(s)), [to(1), to(2), to(0)])
    };
    (0..dfa.states() as u32).map(row).collect()
}

#[test]
fn phi1_of_the_paper() {
    let dfa = actions(PHI1);
    // With the value on the empty word as part of the key there are four derivatives, the sink included.
    assert_eq!(dfa.states(), 4);
    let minimal = dfa.minimised();
    // q0*: b,t->q0, a->q1; q1*: b->q0, t->q2, a->dead; q2: b->q0, t->q2, a->dead. Numbers: q0, q1, q2, dead.
    let some = |a, b, t| [Some(a), Some(b), Some(t)];
    assert_eq!(
        rows(&minimal),
        [(true, some(1, 0, 0)), (true, some(3, 0, 2)), (false, some(3, 0, 2)), (false, some(3, 3, 3))]
    );
    // The printed expression misses these two; and its gloss, "between two a at least one b", would allow the third.
    assert!(minimal.accepts(&spelled("bab")) && minimal.accepts(&spelled("a")));
    assert!(!minimal.accepts(&spelled("at")));
    // The star-free expression printed later is that of the strong next.
    let strong = actions("G(a -> X[!](!a U b))");
    assert!(!strong.accepts(&spelled("a")) && strong.accepts(&spelled("bab")));
    // After a comes b at once.
    assert_eq!(rows(&dfa.prefix()), [(true, some(1, 0, 0)), (true, [None, Some(0), None])]);
}

#[test]
fn phi2_of_the_paper() {
    let dfa = actions(PHI2);
    assert_eq!(dfa.states(), 4);
    let minimal = dfa.minimised();
    // p0: b->p1, a->p0, t->p2; p1*: b->p1, a->p0, t->p2; p2: b->p2, a->p0, t->p2. Numbers: p0, p2, p1.
    let some = |a, b, t| [Some(a), Some(b), Some(t)];
    let expected = [(false, some(0, 2, 1)), (false, some(0, 1, 1)), (true, some(0, 2, 1))];
    assert_eq!(rows(&minimal), expected);
    for word in words(&[0, 1, 2], 6) {
        // b+ or anything, an a, and b+.
        let tail = word.iter().rev().take_while(|&&l| l == 2).count();
        let expected = tail > 0 && (tail == word.len() || word[word.len() - tail - 1] == 1);
        assert_eq!(minimal.accepts(&word), expected, "{word:?}");
    }
    assert_eq!(rows(&dfa.prefix()), [(false, [None, Some(1), None]), (true, [None, Some(1), None])]);
}

#[test]
fn the_prefix_reading_of_eventually_is_not_what_one_expects() {
    // F a: the first action is a. GF a: every action is a.
    let first = actions("F a").reading(Reading::Prefix);
    assert_eq!(first.states(), 2);
    assert!(first.successor(State(0), 0).is_none() && first.successor(State(0), 1) == Some(State(1)));
    assert!(first.successor(State(1), 0) == Some(State(1)) && first.successor(State(1), 1) == Some(State(1)));
    let every = actions("G F a").reading(Reading::Prefix);
    for state in (0..every.states() as u32).map(State) {
        assert!(every.successor(state, 0).is_none() && every.successor(state, 1).is_some());
    }
    // Where runs end, they say what one expects.
    let maximal = actions("F a").reading(Reading::Maximal);
    assert!(maximal.accepts(&[0, 0, 1, 0]) && !maximal.accepts(&[0, 0]));
    assert_ne!(Reading::Prefix.words(), Reading::Maximal.words());
}

#[test]
fn the_first_step_is_tested_too() {
    // Figure 5 pushes the initial pair unchecked: a system whose only step is a, and G !a, was not reported.
    let never = actions("G !a").prefix();
    assert!(never.accepting(State(0)));
    assert_eq!(never.successor(State(0), 1), None);
    assert_eq!(never.successor(State(0), 0), Some(State(0)));
}

#[test]
fn deterministic_formulas_without_finite_models() {
    // Section 5 says that the automaton of a "deterministic" formula is the right Büchi automaton. GF a & GF b is one,
    // but over actions no finite word satisfies it, so no state accepts; nor with a strong next that is always asked.
    for text in ["(G F a) & (G F b)", "G X[!] true"] {
        let dfa = actions(text).minimised();
        assert!((0..dfa.states() as u32).all(|s| !dfa.accepting(State(s))), "{text}");
        assert_eq!((dfa.states(), dfa.dead()), (1, vec![true]), "{text}");
    }
}

#[test]
fn the_empty_word() {
    let value = |text| derivatives(text, Alphabet::Sets, EmptyWord::ByDefinition).accepting(State(0));
    for (text, expected) in [
        ("G a", false),
        ("G !a", true),
        ("F !a", true),
        ("F a", false),
        ("a U b", false),
        ("X false", true),
        ("X[!] true", false),
        ("!X[!] a", true),
        ("a W b", false),
        ("!a M !b", true),
        ("true", true),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
    assert!(!derivatives("true", Alphabet::Sets, EmptyWord::Rejected).accepting(State(0)));
}

#[test]
fn a_named_tau_is_a_letter_of_its_own() {
    // With tau among the names exactly one proposition holds, so that "not a" is "tau".
    let dfa = actions("G(a | tau)");
    assert_eq!(dfa.minimised().states(), 2);
    assert_eq!(dfa.successor(State(0), 0), None);
    assert!(dfa.accepts(&[1, 2]) && dfa.successor(State(0), 3).is_none());
    // Without it an action that is not named is no proposition at all.
    assert!(!actions("G a").accepts(&[0]) && actions("G !a").accepts(&[0]));
}

#[test]
fn states_can_be_read() {
    let mut lazy = derivatives(PHI1, Alphabet::Sets, EmptyWord::ByDefinition);
    let after_a = lazy.successor(State(0), 1);
    let shown = lazy.show(after_a);
    assert_eq!(shown, "(!a U b) & G (X (!a U b) | !a)");
    let dead = lazy.successor(after_a, 1);
    assert!(lazy.hopeless(dead));
    assert_eq!(lazy.show(dead), "false");
}

#[test]
fn nothing_is_made_before_it_is_asked_for() {
    // More than 2^20 states, and a row with millions of leaves, of which a walk of 100 steps sees at most 101.
    let conjunction = |n: usize| -> String {
        (0..n).map(|i| format!("F(p{i} & X p{})", (i + 1) % n)).collect::<Vec<_>>().join(" & ")
    };
    let mut lazy = derivatives(&conjunction(20), Alphabet::Sets, EmptyWord::ByDefinition);
    assert_eq!(lazy.states(), 1);
    let mut state = lazy.initial();
    for step in 0..100u64 {
        state = lazy.successor(state, 1 << (step % 20) | 1 << (step * 7 % 20));
    }
    assert!((10..=101).contains(&lazy.states()), "{}", lazy.states());
    assert!(lazy.bytes() < 10_000_000, "{}", lazy.bytes());
    // The whole is refused before it has eaten the memory.
    assert!(lazy.dfa(usize::MAX).is_none());
    assert!(lazy.bytes() < 1_000_000_000, "{}", lazy.bytes());
    assert!(derivatives(&conjunction(5), Alphabet::Sets, EmptyWord::ByDefinition).dfa(30).is_none());
}

#[test]
fn as_hoa_with_a_warning_for_readers() {
    let dfa = actions("G(a -> X b)").prefix();
    let expected = r#"HOA: v1
name: "after a, b"
States: 2
Start: 0
AP: 2 "a" "b"
acc-name: Buchi
Acceptance: 1 Inf(0)
properties: trans-labels explicit-labels state-acc deterministic
Finite-words: t
--BODY--
State: 0 {0}
[!0] 0
[0&!1] 1
State: 1 {0}
[!0&1] 0
--END--
"#;
    let text = hoa::write_finite(&dfa, Some("after a, b"));
    assert_eq!(text, expected);
    let messages = hoa::read(&SourceText::new("a.hoa", text), 0).expect_err("not of infinite words");
    assert_eq!(messages[0].to_string(), "a.hoa:9:1: error: this automaton is over finite words");
}
