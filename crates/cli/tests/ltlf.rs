//! `elnath check --ltlf`: formulas over finite runs.

mod common;

use common::{Folder, case, run};

const PHI1: &str = "G(a -> X(!a U b))";

#[test]
fn the_report_says_which_runs_were_asked_about() {
    let folder = Folder::new("ltlf");
    let file = folder.file("atb.aut", "des (0, 3, 4)\n(0, a, 1)\n(1, t, 2)\n(2, b, 3)\n");
    // Between a and b comes t: too late for every prefix, in time for the end.
    let ran = run(["check", &file, "--ltlf", PHI1]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    assert!(
        ran.out.contains("fails: this run does not satisfy G(!a | X(!a U b)): after 2 steps, "),
        "{ran:#?}"
    );
    assert!(ran.out.contains("asked: after every step of every run, the steps so far"), "{ran:#?}");
    assert!(ran.out.contains("the empty run left out"), "{ran:#?}");
    let ran = run(["check", &file, "--ltlf", PHI1, "--finite", "maximal"]);
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    assert!(ran.out.contains("asked: every run that ends in a deadlock"), "{ran:#?}");
    assert!(
        ran.out.contains("holds: G(!a | X(!a U b)) (4 pairs of state and automaton, exhaustive)"),
        "{ran:#?}"
    );
    let json = run(["check", &file, "--ltlf", PHI1, "--json", "--shortest"]).json();
    assert_eq!(json["finite"]["formula"], "G(!a | X(!a U b))");
    assert_eq!((&json["violation"]["kind"], &json["violation"]["length"]), (&"formula".into(), &2.into()));
    assert_eq!(json["violation"]["steps"][1]["action"], "t");
    // The run can be drawn like any other, and all ends of wrong runs can be counted.
    let chart = run(["check", &file, "--ltlf", PHI1, "--chart", "-"]);
    assert_eq!(chart.code, Some(1), "{chart:#?}");
    let all = run(["check", &file, "--ltlf", PHI1, "--all-errors", "--json"]).json();
    assert_eq!((&all["error_kinds"]["formula"], &all["error_kinds"]["deadlock"]), (&1.into(), &0.into()));
    let endless = run(["check", &case("vending.aut"), "--ltlf", "F TEA", "--finite", "maximal"]);
    assert!(endless.out.contains("no run of this model ends"), "{endless:#?}");
}

#[test]
fn bounded_memory_gives_the_same_answers() {
    // After a disconnect A may open again before B has seen the close: two opens without a close between.
    let file = case("connect-disconnect-20.aut");
    for (formula, reading, code) in [
        ("G(AOpens -> X(!AOpens W (ACloses | AIsDisconnected)))", "prefix", 0),
        ("G(AOpens -> X(!AOpens U ACloses))", "maximal", 1),
        ("G !BDisconnects", "prefix", 1),
        ("F BDisconnects", "maximal", 0),
    ] {
        for options in [
            &["--store", "exact"][..],
            &["--store", "exact", "--threads", "2"],
            &["--store", "tree"],
            &["--store", "replacing"],
            &["--store", "replacing", "--cache", "70", "--thrashing", "100000"],
            &["--store", "bitstate", "--memory", "8MiB"],
            &["--store", "compact"],
        ] {
            let arguments = ["check", &file, "--ltlf", formula, "--finite", reading];
            let ran = run(arguments.iter().chain(options));
            assert_eq!(ran.code, Some(code), "{formula}, {reading}, {options:?}: {ran:#?}");
        }
    }
}

#[test]
fn formulas_about_models_have_places() {
    let folder = Folder::new("ltlf-places");
    let vending = case("vending.aut");
    let ran = run(["check", &vending, "--ltlf", "G(COIN -> )"]);
    assert_eq!(ran.code, Some(2), "{ran:#?}");
    assert!(ran.err.contains("formula:1:11") && ran.err.contains('^'), "{ran:#?}");
    // A name that labels nothing is doubtful, not wrong: that it never happens may be the point.
    let ran = run(["check", &vending, "--ltlf", "G !COFFE"]);
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    assert!(ran.err.contains("no transition is labelled `COFFE`"), "{ran:#?}");
    assert!(ran.err.contains("did you mean `COFFEE`?"), "{ran:#?}");
    // Patterns are about whole labels.
    assert_eq!(run(["check", &vending, "--ltlf", "G !action(\"CO.*\")"]).code, Some(1));
    assert_eq!(run(["check", &vending, "--ltlf", "G !action(CO)"]).code, Some(0));
    assert_eq!(run(["check", &vending, "--ltlf", "G !action(\"(\")"]).code, Some(2));
    // Names with spaces are quoted.
    let file = folder.file("quoted.aut", "des (0, 1, 2)\n(0, \"PUT !1\", 1)\n");
    assert_eq!(run(["check", &file, "--ltlf", "G !\"PUT !1\""]).code, Some(1));
    // In a program propositions are its expressions, read at each state of the run and at its last one.
    let program = folder.file("p.pml", "byte x; active proctype p() { x = 1; x = 2 }");
    let ran = run(["check", &program, "--ltlf", "F nothing"]);
    assert_eq!(ran.code, Some(2), "{ran:#?}");
    assert!(ran.err.contains("nothing") && ran.err.contains('^'), "{ran:#?}");
    for (formula, reading, code) in [
        ("F action(\"p: x = 2\")", "maximal", 0),
        ("F action(\".*x = 3\")", "maximal", 1),
        ("x == 0 && F x == 2", "maximal", 0),
        ("F x == 3", "maximal", 1),
        ("G(x == 1 -> X x == 2)", "prefix", 0),
        ("G(x == 1 -> X[!] x == 2)", "prefix", 1),
        ("G(x == 1 -> action(\"p: x = 2\"))", "maximal", 0),
    ] {
        for engine in ["jit", "interpreter"] {
            let ran = run(["check", &program, "--ltlf", formula, "--finite", reading, "--engine", engine]);
            assert_eq!(ran.code, Some(code), "{formula}, {reading}, {engine}: {ran:#?}");
        }
    }
    // A word that begins like an operator is a name if the model has it.
    let full = folder.file("full.pml", "byte Full; active proctype p() { Full = 1 }");
    assert_eq!(run(["check", &full, "--ltlf", "F Full == 1", "--finite", "maximal"]).code, Some(0));
    let trail = folder.path("p.trail");
    let ran = run(["check", &program, "--ltlf", "G !action(\"p: x = 2\")", "--trail", &trail]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    assert!(run(["replay", &program, &trail]).out.contains("x = 2"));
    // These make no sense together.
    assert_eq!(run(["check", &vending, "--finite", "maximal"]).code, Some(2));
    assert_eq!(run(["check", &vending, "--ltlf", "F TEA", "--forbid", "JAM"]).code, Some(2));
    assert_eq!(run(["check", &vending, "--ltlf", "F TEA", "--ltl", "F TEA"]).code, Some(2));
}
