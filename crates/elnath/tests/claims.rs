//! Never claims, and formulas with X that do not count steps after all, are asked of the reduced system, with the same verdict.

use elnath::{Check, LoadOptions, Reductions, Verdict, Wanted, load};
use elnath_logic::parse::{Dialect, Syntax, parse_text};
use elnath_logic::{Formulas, Options, never, translate};
use elnath_testkit::random_tandem;

/// Formulas about what the models below have in common.
const FORMULAS: [(&str, bool); 9] = [
    ("[] <> (g == 1)", true),
    ("<> [] (g != 1)", true),
    ("[] ((g == 2) -> <> h)", true),
    ("(g < 2) U h", true),
    ("<> ((g == 1) && X !(g == 1))", true),
    ("[] X <> h", true),
    ("[] (h -> X h)", true),
    ("[] (h -> X !h)", false),
    ("X (g == 1)", false),
];

/// The formula as a claim about what must never be.
fn claim(formula: &str) -> String {
    let mut formulas = Formulas::new();
    let syntax = Syntax { dialect: Dialect::Spin, ..Syntax::default() };
    let f = parse_text(&mut formulas, formula, syntax).expect(formula).formula;
    let not_f = formulas.not(f);
    never::write(&translate(&formulas, not_f, Options::default()).expect("a small formula"), formula)
}

/// Whether it holds, and whether the reductions were used; nothing if there is no answer.
fn ask(text: &str, wanted: Wanted, reductions: Reductions) -> Option<(bool, bool)> {
    let name = format!("elnath-claims-{}.pml", std::process::id());
    let path = std::env::temp_dir().join(name);
    std::fs::write(&path, text).expect("a file can be written");
    let loaded = load(&path, &LoadOptions { property: Some(wanted), ..LoadOptions::default() });
    std::fs::remove_file(&path).expect("it was there");
    let Ok(loaded) = loaded else { panic!("{text}") };
    let check = Check::loaded(&loaded).property(loaded.property.expect("a property"));
    let report = check.states(20_000).reductions(reductions).run().expect("an answer");
    let used = ["por", "merge"]
        .iter()
        .any(|name| report.first().figures.stage(name).is_some_and(|stage| stage.outcome.is_ok()));
    match report.verdict() {
        Verdict::Holds(_) => Some((true, used)),
        Verdict::Fails(_) => Some((false, used)),
        Verdict::Unknown(_) => None,
    }
}

#[test]
fn claims_are_asked_of_the_reduced_system() {
    let (mut hold, mut fail) = (0, 0);
    for seed in 0..12 {
        let model = random_tandem(seed);
        for (formula, invariant) in FORMULAS {
            let as_formula = Wanted::Ltl(formula.to_owned());
            let Some((holds, _)) = ask(&model, as_formula.clone(), Reductions::NONE) else { continue };
            let with_claim = format!("{model}\n{}", claim(formula));
            let named = Wanted::Claim("never".to_owned());
            for (text, wanted) in [(&model, as_formula), (&with_claim, named)] {
                let told = format!("seed {seed}, {formula}, {wanted:?}");
                let (still, used) = ask(text, wanted, Reductions::USUAL).expect(&told);
                assert_eq!(still, holds, "{told}");
                assert_eq!(used, invariant, "{told}");
            }
            if holds { hold += 1 } else { fail += 1 }
        }
    }
    assert!(hold > 15 && fail > 15, "{hold} hold, {fail} fail");
}
