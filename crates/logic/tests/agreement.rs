//! Every translation against the definition of the logic on words that repeat themselves, against the translation of the
//! negation, and against a second translator that shares nothing with it.
//!
//! `ELNATH_LTL_ROUNDS` multiplies the number of random formulas.

mod oracle;

use elnath_logic::lasso::accepts;
use elnath_logic::parse::{Syntax, parse_text};
use elnath_logic::product::disjoint;
use elnath_logic::simplify::simplify;
use elnath_logic::{Formulas, Id, Options, Spelling, translate};
use oracle::{Lasso, Random, corpus_folder, corpus_set, formula, gpvw, holds, parsed};

fn rounds() -> usize {
    std::env::var("ELNATH_LTL_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// Translates a formula and its negation, and compares on random words. Returns how many words were compared.
fn check(
    formulas: &mut Formulas,
    f: Id,
    options: Options,
    random: &mut Random,
    words: usize,
    context: &str,
) -> usize {
    let not_f = formulas.not(f);
    let shown = formulas.show(f, Spelling::Spot);
    let (Ok(yes), Ok(no)) = (translate(formulas, f, options), translate(formulas, not_f, options)) else {
        panic!("{context}: {shown} was refused");
    };
    assert_eq!(disjoint(&yes, &no), Some(true), "{context}: {shown} and its negation share a word");
    let numbers = formulas.propositions(f);
    let second = gpvw::translate(formulas, f, &numbers, 300);
    for _ in 0..words {
        let word = Lasso::random(random, formulas.atoms().len());
        let wanted = holds(formulas, f, &word);
        let Lasso { prefix, cycle } = word.for_propositions(&numbers);
        let told = format!("{context}: {shown} on {prefix:?} {cycle:?}");
        assert_eq!(accepts(&yes, &prefix, &cycle), wanted, "{told}");
        assert_eq!(accepts(&no, &prefix, &cycle), !wanted, "the negation: {told}");
        if let Some(second) = &second {
            assert_eq!(accepts(second, &prefix, &cycle), wanted, "the second translator: {told}");
        }
    }
    words
}

#[test]
fn well_known_formulas_mean_what_they_say() {
    let mut random = Random(1);
    let mut compared = 0;
    let Some(folder) = corpus_folder() else { return };
    for set in ["dac", "eh", "sb", "beem-p"] {
        for text in corpus_set(&folder, set) {
            let mut formulas = Formulas::new();
            let f = parsed(&mut formulas, &text);
            compared += check(&mut formulas, f, Options::default(), &mut random, 100, set);
        }
    }
    assert!(compared >= 10_000, "{compared} words");
}

#[test]
fn random_formulas_mean_what_they_say() {
    for round in 0..600 * rounds() as u64 {
        let mut random = Random(round);
        let mut formulas = Formulas::new();
        let size = 1 + random.below(12);
        let f = formula(&mut random, &mut formulas, size, 3);
        let options = Options { reduce: round % 4 != 0, ..Options::default() };
        check(&mut formulas, f, options, &mut random, 20, &format!("seed {round}"));
    }
}

#[test]
fn simplified_formulas_mean_the_same() {
    for round in 0..5_000 * rounds() as u64 {
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
    }
}

#[test]
fn printed_formulas_are_read_back() {
    for round in 0..2_000 {
        let mut random = Random(round);
        let mut formulas = Formulas::new();
        let f = formula(&mut random, &mut formulas, 8, 3);
        let text = formulas.show(f, Spelling::Spot);
        let g = parse_text(&mut formulas, &text, Syntax::default()).expect(&text).formula;
        assert_eq!(f, g, "{text}");
    }
}
