//! Every translation against the definition of the logic on words that repeat themselves, against the translation of the
//! negation, and against a second translator that shares nothing with it.

use super::oracle::{Lasso, Random, corpus_set, formula, gpvw, holds, parsed};
#[cfg(test)]
use elnath_logic::Refusal;
use elnath_logic::class::{classify, syntactic};
use elnath_logic::degeneralise::{accepting_states, degeneralise};
use elnath_logic::lasso::accepts;
use elnath_logic::parse::{Syntax, parse_text};
use elnath_logic::product::disjoint;
use elnath_logic::scc::{Strength, strength};
use elnath_logic::simplify::simplify;
use elnath_logic::{Formulas, Id, Options, Spelling, translate};

use super::Part;
use crate::trial::Trial;

pub(super) const PARTS: &[Part] = &[
    Part {
        name: "well-known",
        meaning: "patterns and benchmarks from the literature, translated",
        run: well_known,
    },
    Part {
        name: "translated",
        meaning: "random formulas: two translators against the definition on words",
        run: meant,
    },
    Part { name: "simplified", meaning: "simplified formulas mean the same", run: simple },
    Part { name: "printed", meaning: "printed formulas are read back", run: read_back },
    Part { name: "classes", meaning: "safety, guarantee and the other classes on words", run: classes },
];

/// Translates a formula and its negation, and compares on random words.
fn check(formulas: &mut Formulas, f: Id, options: Options, random: &mut Random, words: usize, context: &str) {
    let not_f = formulas.not(f);
    let shown = formulas.show(f, Spelling::Spot);
    let (Ok(yes), Ok(no)) = (translate(formulas, f, options), translate(formulas, not_f, options)) else {
        panic!("{context}: {shown} was refused");
    };
    assert_eq!(disjoint(&yes, &no), Some(true), "{context}: {shown} and its negation share a word");
    let classical = degeneralise(&yes);
    assert!(
        accepting_states(&classical).is_some(),
        "{context}: {shown}: acceptance is not a matter of states"
    );
    let numbers = formulas.propositions(f);
    let second = gpvw::translate(formulas, f, &numbers, 300);
    for _ in 0..words {
        let word = Lasso::random(random, formulas.atoms().len());
        let wanted = holds(formulas, f, &word);
        let Lasso { prefix, cycle } = word.for_propositions(&numbers);
        let told = format!("{context}: {shown} on {prefix:?} {cycle:?}");
        assert_eq!(accepts(&yes, &prefix, &cycle), wanted, "{told}");
        assert_eq!(accepts(&no, &prefix, &cycle), !wanted, "the negation: {told}");
        assert_eq!(accepts(&classical, &prefix, &cycle), wanted, "on states: {told}");
        if let Some(second) = &second {
            assert_eq!(accepts(second, &prefix, &cycle), wanted, "the second translator: {told}");
        }
    }
}

fn well_known(trial: &mut Trial<'_>) {
    let Some(folder) = trial.corpus("ltl") else { return };
    let sets = ["dac", "eh", "sb", "beem-p"];
    let texts: Vec<String> = sets.iter().flat_map(|set| corpus_set(&folder, set)).collect();
    let (): () = trial.items(&texts, 1, String::clone, |text, case, ()| {
        let (mut random, mut formulas) = (Random(case.seed), Formulas::new());
        let f = parsed(&mut formulas, text);
        check(&mut formulas, f, Options::default(), &mut random, 100, text);
        Ok(())
    });
    trial.enough(texts.len() > 100, "formulas");
}

fn meant(trial: &mut Trial<'_>) {
    let (): () = trial.cases(0..600, |case, ()| {
        let round = case.seed;
        let mut random = Random(round);
        let mut formulas = Formulas::new();
        let size = 1 + random.below(12);
        let f = formula(&mut random, &mut formulas, size, 3);
        let options = Options { reduce: round % 4 != 0, ..Options::default() };
        check(&mut formulas, f, options, &mut random, 20, &format!("seed {round}"));
        Ok(())
    });
}

/// Rules that random formulas seldom meet, and what the tableau must not do: hand a promise on for ever.
#[test]
fn rare_rules_mean_the_same() {
    let mut random = Random(2);
    for text in [
        "G!a | F(a & F b)",
        "(a R b) | (!a U (!b & F c))",
        "F a & G(!a | G b)",
        "(a U b) & (!a R (!b | G c))",
        "G(a & X F(b & X F c))",
        "G X F a",
        "FG a | GF b",
        "F(a & GF b) | X(c U GF a)",
        "GF(a & F b) & FG(a | G c)",
        "b | (a & X(a U b)) | (c & X(c W b))",
        "G(a -> F b) & ((X a U b) | !X(a U (a & b)))",
        "(a & !b) U b | (a | b) U b",
        "(F a) M (G b) | (G a) M c",
        // More conditions of fairness than are told apart by letters, alone and with something that needs states.
        "GF a & GF !a & GF b & GF !b & GF c & GF !c & GF(a <-> b) & GF(a <-> c) & GF(b <-> c) & (a U b)",
        "GF a & GF !a & GF b & GF !b & GF c & GF !c & GF(a <-> b) & GF(a <-> c) & GF(b xor c) & G(a -> F(b & X F c))",
        // A guarantee again and again; breakpoints; parts that others imply.
        "GF(a <-> X X a)",
        "GF(a & X F(b & X c))",
        "G(a -> F(b & X F(c & X F a)))",
        "G(a -> F b) & G(b -> F c) & (a U c)",
        "G(a -> X(b U c)) & F(c & X a) & (a W b)",
        "G(a -> (b | X(b | X(b | X b))))",
        "a U (b U (c U (a & b)))",
        "((a R b) R c) R a",
    ] {
        let mut formulas = Formulas::new();
        let f = parsed(&mut formulas, text);
        let g = simplify(&mut formulas, f);
        for _ in 0..500 {
            let word = Lasso::random(&mut random, 3);
            assert_eq!(holds(&formulas, f, &word), holds(&formulas, g, &word), "{text} on {word:?}");
        }
        check(&mut formulas, f, Options::default(), &mut random, 200, "seed 2");
    }
}

fn simple(trial: &mut Trial<'_>) {
    let (): () = trial.cases(0..5_000, |case, ()| {
        let round = case.seed;
        let mut random = Random(round);
        let mut formulas = Formulas::new();
        let size = 1 + random.below(12);
        let f = formula(&mut random, &mut formulas, size, 2);
        let g = simplify(&mut formulas, f);
        for _ in 0..20 {
            let word = Lasso::random(&mut random, 2);
            assert_eq!(
                holds(&formulas, f, &word),
                holds(&formulas, g, &word),
                "seed {round}: {} became {} on {word:?}",
                formulas.show(f, Spelling::Spot),
                formulas.show(g, Spelling::Spot)
            );
        }
        Ok(())
    });
}

fn read_back(trial: &mut Trial<'_>) {
    let (): () = trial.cases(0..2_000, |case, ()| {
        let round = case.seed;
        let mut random = Random(round);
        let mut formulas = Formulas::new();
        let f = formula(&mut random, &mut formulas, 8, 3);
        let text = formulas.show(f, Spelling::Spot);
        let g = parse_text(&mut formulas, &text, Syntax::default()).expect(&text).formula;
        assert_eq!(f, g, "{text}");
        Ok(())
    });
}

/// What a class claims, on words: a safety property that a word violates is violated by every word that begins as this
/// one does for long enough, and dually; the automaton of a recurrence, or of its negation, is of the right kind.
fn classes(trial: &mut Trial<'_>) {
    let (): () = trial.cases(0..400, |case, ()| {
        let round = case.seed;
        let mut random = Random(round);
        let mut formulas = Formulas::new();
        let size = 1 + random.below(8);
        let f = formula(&mut random, &mut formulas, size, 2);
        let shown = formulas.show(f, Spelling::Spot);
        let written = syntactic(&formulas, f);
        let Ok(found) = classify(&formulas, f, Options::default()) else { panic!("{shown} was refused") };
        let not_f = formulas.not(f);
        let Ok(dual) = classify(&formulas, not_f, Options::default()) else {
            panic!("!({shown}) was refused")
        };
        for (shows, is) in [
            (written.safety, found.safety),
            (written.guarantee, found.guarantee),
            (written.obligation, found.obligation),
            (written.recurrence, found.recurrence),
            (written.persistence, found.persistence),
        ] {
            assert!(
                !shows || is,
                "seed {round}: {shown} is written as more than it is: {written:?} {found:?}"
            );
        }
        assert_eq!((found.safety, found.guarantee), (dual.guarantee, dual.safety), "seed {round}: {shown}");
        assert_eq!(found.obligation, dual.obligation, "seed {round}: {shown}");
        let automaton = translate(&formulas, f, Options::default()).expect("classified already");
        assert!(
            strength(&automaton) > Strength::Terminal || found.guarantee,
            "seed {round}: {shown} is terminal"
        );
        // A prefix of a violation of a safety property, longer than any automaton here, has no good continuation.
        let bad = if found.safety {
            f
        } else if found.guarantee {
            not_f
        } else {
            return Ok(());
        };
        for _ in 0..20 {
            let word = Lasso::random(&mut random, 2);
            if holds(&formulas, bad, &word) {
                continue;
            }
            let long: Vec<u64> = word.cycle.iter().cycle().take(60).copied().collect();
            let other = Lasso::random(&mut random, 2);
            let prefix: Vec<u64> = word.prefix.iter().chain(&long).chain(&other.prefix).copied().collect();
            let extended = Lasso { prefix, cycle: other.cycle };
            assert!(!holds(&formulas, bad, &extended), "seed {round}: {shown} on {word:?} and {extended:?}");
        }
        Ok(())
    });
}

#[test]
fn well_known_classes() {
    for (text, class) in [
        ("p & X q", "safety and guarantee"),
        ("G(p -> X q)", "safety"),
        ("p W q", "safety"),
        ("F(p & X q)", "guarantee"),
        ("G p | F q", "obligation"),
        ("G(p -> F q)", "recurrence"),
        ("GF p & GF q", "recurrence"),
        ("FG p", "persistence"),
        ("GF p -> GF q", "reactivity"),
        // Not what it looks like: p holds for ever, or q one day.
        ("G(p | F q) & FG !q & G p", "persistence"),
        ("F(p & !p) | G q", "safety"),
        ("true", "safety and guarantee"),
    ] {
        let mut formulas = Formulas::new();
        let f = parsed(&mut formulas, text);
        let classes = classify(&formulas, f, Options::default()).expect("a small formula");
        assert_eq!(classes.name(), class, "{text}");
    }
}

#[test]
fn too_large_is_an_answer() {
    let mut formulas = Formulas::new();
    let many: Vec<Id> = (0..70).map(|i| formulas.proposition(&format!("p{i}"))).collect();
    let any = formulas.disjunction(many.iter().copied());
    assert_eq!(translate(&formulas, any, Options::default()), Err(Refusal::Propositions(70)));
    let each: Vec<Id> = many[..16].iter().map(|&p| formulas.eventually(p)).collect();
    let all = formulas.conjunction(each);
    let options = Options { most_states: 1_000, ..Options::default() };
    let refused = translate(&formulas, all, options).expect_err("2^16 states are needed");
    assert!(matches!(refused, Refusal::TooLarge | Refusal::Memory(_)), "{refused:?}");
}
