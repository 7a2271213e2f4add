//! Families of formulas with a number in them: how their automata grow, and that those which must explode end within their limits.
//!
//! The laws are those of the families, not of a release: a construction that explodes where another does not would show as a jump.

use elnath_logic::parse::{Syntax, parse_text};
use elnath_logic::{Automaton, Formulas, Limits, Options, Refusal, translate, translate_within};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

fn automaton(text: &str) -> Automaton {
    let mut formulas = Formulas::new();
    let f = parse_text(&mut formulas, text, Syntax::default()).expect(text).formula;
    translate(&formulas, f, Options::default()).unwrap_or_else(|why| panic!("{text}: {why}"))
}

fn joined(n: usize, operator: &str, part: impl Fn(usize) -> String) -> String {
    (1..=n).map(part).collect::<Vec<_>>().join(operator)
}

/// `p1 OP (p2 OP (... pn))`.
fn to_the_right(n: usize, operator: &str) -> String {
    (1..n).rev().fold(format!("p{n}"), |inner, i| format!("(p{i} {operator} {inner})"))
}

/// `((p1 OP p2) OP ...) OP pn`.
fn to_the_left(n: usize, operator: &str) -> String {
    (2..=n).fold("p1".to_owned(), |inner, i| format!("({inner} {operator} p{i})"))
}

fn response_chain(n: usize) -> String {
    let chain = (1..n).rev().fold(format!("p{n}"), |inner, i| format!("(p{i} & X F {inner})"));
    format!("G(p -> F {chain})")
}

/// Occurrences of p: n at least.
fn counted(n: usize) -> String {
    format!("F {}", (1..n).fold("p".to_owned(), |inner, _| format!("(p & X F {inner})")))
}

/// The same number for every n but 1, where most families are another formula.
fn but_for_one(n: usize, first: usize, law: usize) -> usize {
    if n == 1 { first } else { law }
}

#[test]
fn sizes_follow_the_laws_of_their_families() {
    for n in 1..=32 {
        let fair = joined(n, " & ", |i| format!("GF p{i}"));
        let deadlines = (1..n).fold("q".to_owned(), |inner, _| format!("(q | X {inner})"));
        for (text, states) in [
            (format!("G(p -> {deadlines})"), n),
            (to_the_right(n, "U"), but_for_one(n, 2, n)),
            (to_the_right(n, "R"), but_for_one(n, 2, n)),
            (to_the_right(n, "W"), but_for_one(n, 2, n)),
            (to_the_right(n, "M"), but_for_one(n, 2, n)),
            (fair.clone(), 1),
            (joined(n, " | ", |i| format!("GF p{i}")), 1),
            (joined(n, " & ", |i| format!("FG p{i}")), 2),
            (format!("!(({fair}) -> G(q -> F r))"), 2),
            (counted(n), n + 1),
            (format!("!{}", counted(n)), n),
        ] {
            assert_eq!(automaton(&text).states(), states, "{n}: {text}");
        }
    }
}

/// The same for families that take longer.
#[test]
fn large_members_of_families_follow_their_laws() {
    for n in [1, 2, 3, 5, 9, 13, 17, 32] {
        for (text, states) in [
            (to_the_left(n, "R"), but_for_one(n, 2, n)),
            (to_the_left(n, "M"), but_for_one(n, 2, n)),
            (joined(n, " | ", |i| format!("FG p{i}")), n + 1),
            (joined(n, " | ", |i| format!("G p{i}")), but_for_one(n, 1, n + 1)),
            (format!("GF(a <-> {}a)", "X ".repeat(n)), 2 * n + 1),
            (format!("F(p & {}q)", "X ".repeat(n)), n + 2),
            (response_chain(n), n * (n + 1) / 2 + 1),
        ] {
            assert_eq!(automaton(&text).states(), states, "{n}: {text}");
        }
    }
}

/// Every automaton of these has an exponential number of states.
#[test]
fn families_that_must_explode_do_so_by_their_law() {
    for n in 1..=6 {
        let power = 1 << n;
        for (text, states) in [
            (to_the_left(n, "U"), but_for_one(n, 2, power / 2)),
            (to_the_left(n, "W"), but_for_one(n, 2, power / 2)),
            (joined(n, " & ", |i| format!("F p{i}")), power),
            (format!("G(p -> {}q)", "X ".repeat(n)), power),
            (format!("FG(a <-> {}a)", "X ".repeat(n)), 2 * power - 1),
        ] {
            assert_eq!(automaton(&text).states(), states, "{n}: {text}");
        }
    }
}

fn within(text: &str, limits: &Limits) -> Result<Automaton, Refusal> {
    let mut formulas = Formulas::new();
    let f = parse_text(&mut formulas, text, Syntax::default()).expect(text).formula;
    translate_within(&formulas, f, Options::default(), limits)
}

#[test]
fn memory_is_a_limit() {
    let limits = Limits { memory: 24 << 20, stop: None };
    for text in
        [joined(28, " & ", |i| format!("F p{i}")), format!("G({})", joined(28, " xor ", |i| format!("p{i}")))]
    {
        let why = within(&text, &limits).expect_err("it has an exponential number of states, or of products");
        assert!(why.ran_out(), "{why}: {text}");
    }
}

#[test]
fn time_is_a_limit_in_every_phase() {
    let text = joined(28, " & ", |i| format!("F p{i}"));
    let whole = Limits::NONE;
    assert!(within("F a & G b", &whole).is_ok());
    for looks in [0, 1, 5, 50] {
        let left = AtomicU32::new(looks);
        let stop =
            move || left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1)).is_err();
        let limits = Limits { memory: usize::MAX, stop: Some(Arc::new(stop)) };
        let why = within(&text, &limits).expect_err("it has 2^28 states");
        assert!(matches!(why, Refusal::Time(_)), "{looks}: {why}");
    }
}

/// With a stack of a megabyte: what is deeper than may be read is refused, and what is not needs no more.
#[test]
fn hostile_formulas_are_answered() {
    let hostile = || {
        let many = 100_000;
        let refused = |text: String| {
            let mut formulas = Formulas::new();
            parse_text(&mut formulas, &text, Syntax::default()).expect_err("nested too deeply").text
        };
        for text in [
            format!("{}p", "!".repeat(many)),
            format!("{}p", "X ".repeat(many)),
            format!("{}p{}", "(".repeat(many), ")".repeat(many)),
            format!("{}p", "p U ".repeat(many)),
            format!("{}p", "p -> ".repeat(many)),
            format!("{}p", "p <-> ".repeat(many)),
            format!("{}p", "GF".repeat(many)),
        ] {
            let why = refused(text);
            assert!(why.contains("nested too deeply") || why.contains("never closed"), "{why}");
        }
        let limits = Limits { memory: 64 << 20, stop: None };
        for (text, states) in [
            (joined(20, " & ", |i| format!("G F a{i}")), Some(1)),
            (format!("{}p", "X ".repeat(399)), Some(401)),
            (vec!["p"; many].join(" | "), Some(2)),
            (joined(24, " xor ", |i| format!("p{i}")), None),
            (joined(24, " xor ", |i| format!("F p{i}")), None),
            (joined(24, " <-> ", |i| format!("G F p{i}")), None),
        ] {
            let found = within(&text, &limits);
            match states {
                Some(states) => {
                    assert_eq!(found.map(|automaton| automaton.states()), Ok(states), "{:.60}", text);
                }
                None => assert!(
                    found.is_ok() || found.as_ref().is_err_and(|why| why.ran_out()),
                    "{text}: {found:?}"
                ),
            }
        }
    };
    std::thread::Builder::new()
        .stack_size(1 << 20)
        .spawn(hostile)
        .expect("a thread")
        .join()
        .expect("no overflow");
}
