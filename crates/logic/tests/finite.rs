//! Formulas over finite words: the examples of the 1989 paper as corrected in `docs/papers.md`, and sizes. Random formulas are
//! compared with the definition by the campaign `formulas` of `elnath-conformance`.

use elnath_logic::automaton::{Letter, State};
use elnath_logic::derivative::{Alphabet, Derivatives, EmptyWord};
use elnath_logic::finite::{Dfa, Reading};
use elnath_logic::formula::Formulas;
use elnath_logic::hoa;
use elnath_logic::parse::{Syntax, parse_text};
use elnath_source::SourceText;

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
