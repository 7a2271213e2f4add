//! `elnath check --ltl` and its kin: what users see of properties of infinite runs.

mod common;

use common::{Folder, run};

const MODEL: &str = "\
#define big (x > 3)
mtype = { idle, busy };
mtype st = idle;
byte x;
active proctype P() { do :: x < 5 -> W: x++; st = busy :: x > 2 -> x = 0; st = idle od }
active proctype Q() { bit z; do :: z = 1 - z od }
ltl live { [] <> (x == 0) }
ltl safe { [] (x <= 5) }
never { do :: true :: x == 5 -> break od }
";

#[test]
fn a_violation_is_a_lasso_with_its_cycle_marked() {
    let folder = Folder::new("lasso");
    let file = folder.file("m.pml", MODEL);
    let ran = run(["check", &file, "--claim", "live", "-v"]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    for part in [
        "in the cycle of ",
        "repeated for ever",
        "--- and again from step",
        "weak automaton of the bad runs: 2 states",
        "weak search",
        "read on all runs; the last state of a run that ends lasts for ever",
        "fails: live: [] <> (x == 0)",
        "x == 0 is never true",
    ] {
        assert!(ran.out.contains(part), "{part}: {ran:#?}");
    }
    let fair = run(["check", &file, "--claim", "live", "--fair", "weak"]);
    assert_eq!(fair.code, Some(0), "{fair:#?}");
    assert!(fair.out.contains("read on runs that are weakly fair to each process"), "{fair:#?}");
    let json = run(["check", &file, "--ltl", "[] <> big", "--shortest", "--json"]).json();
    let (length, start) = (&json["violation"]["length"], &json["violation"]["loop_start"]);
    assert_eq!((length.as_u64(), start.as_u64()), (Some(2), Some(0)), "{json:#}");
    assert_eq!((&json["search"], &json["property"]["kind"]), (&"shortest".into(), &"ltl".into()));
}

#[test]
fn a_safety_property_needs_no_cycle() {
    let folder = Folder::new("safety");
    let file = folder.file("m.pml", MODEL);
    let ran = run(["check", &file, "--ltl", "G(x < 5)"]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    assert!(ran.out.contains(": after 14 steps, x < 5 is false (x = 5)"), "{ran:#?}");
    let claim = run(["check", &file, "--claim", "never"]);
    assert_eq!(claim.code, Some(1), "{claim:#?}");
    assert!(claim.out.contains("the claim is matched"), "{claim:#?}");
    let valid = run(["check", &file, "--ltl", "G big || F !big"]);
    assert_eq!(valid.code, Some(0), "{valid:#?}");
    assert!(valid.out.contains("no run can be bad"), "{valid:#?}");
}

#[test]
fn mistakes_are_shown_in_the_formula() {
    let folder = Folder::new("mistakes");
    let file = folder.file("m.pml", MODEL);
    for (formula, text, place) in [
        ("G(P@W -> F bgi)", "there is no variable `bgi`", "formula:1:12"),
        ("G(P@W -> F big", "is never closed", "formula:1:2"),
        ("G(st == idel)", "did you mean `idle`?", "formula:1:9"),
        ("G P@V", "there is no label in `P` called `V`", "formula:1:"),
        ("F (x == _pid)", "only inside a process", "formula:1:9"),
        ("F {run P() > 0}", "stands outside every process", "formula:1:4"),
        ("F action(\"[\")", "is not a regular expression", "formula:1:"),
    ] {
        let ran = run(["check", &file, "--ltl", formula]);
        assert_eq!(ran.code, Some(2), "{formula}: {ran:#?}");
        assert!(ran.err.contains(text) && ran.err.contains(place), "{formula}: {ran:#?}");
    }
    let ran = run(["check", &file, "--claim", "liv"]);
    assert!(ran.code == Some(2) && ran.err.contains("did you mean `live`?"), "{ran:#?}");
}

#[test]
fn what_cannot_work_is_refused() {
    let folder = Folder::new("refused");
    let file = folder.file("m.pml", MODEL);
    for (options, text) in [
        (&["--safety-only", "--search", "scc"][..], "looks for cycles that a property forbids"),
        (&["--claim", "live", "--search", "bfs"], "their automaton is weak"),
        (&["--claim", "live", "--fair", "weak", "--search", "se05"], "fairness needs --search scc"),
        (&["--claim", "live", "--fair", "weak", "--store", "bitstate"], "needs --store exact"),
        (
            &["--claim", "live", "--store", "replacing", "--search", "se05"],
            "algorithm-b or deterministic can use the",
        ),
        (&["--claim", "live", "--store", "tree"], "cannot use the tree store"),
        (&["--claim", "live", "--ltl", "F big"], "cannot be used with"),
        (&["--claim", "live", "--all-errors"], "cannot be used with"),
        (&["--safety-only", "--fair", "weak"], "is about properties of infinite runs"),
    ] {
        let ran = run(["check", &file].iter().chain(options));
        assert_eq!(ran.code, Some(2), "{options:?}: {ran:#?}");
        assert!(ran.err.contains(text), "{options:?}: {ran:#?}");
    }
}

#[test]
fn options_that_cannot_serve_a_property_of_the_model_leave_it_out_aloud() {
    let folder = Folder::new("mentioned");
    let file = folder.file("m.pml", MODEL);
    let ran = run(["check", &file, "--all-errors"]);
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    assert!(
        ran.err.contains("`live`") && ran.err.contains("[W0105]") && ran.err.contains("--only NAME"),
        "{ran:#?}"
    );
    // Somebody who asks for less knows it.
    let ran = run(["check", &file, "--safety-only"]);
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    assert!(!ran.err.contains("not checked"), "{ran:#?}");
}

#[test]
fn an_automaton_in_a_file_describes_the_bad_runs() {
    let folder = Folder::new("automaton");
    let model = folder.file("m.pml", MODEL);
    let graph = folder.file("g.aut", "des (0, 3, 3)\n(0, \"a\", 1)\n(1, \"b\", 0)\n(1, \"c\", 2)\n");
    for (file, bad, code) in [
        (&model, "F G !\"x == 0\"", 1),
        (&model, "F \"x > 5\"", 0),
        (&model, "F(\"P@W\" && X \"P@W\")", 1),
        (&graph, "F(c && X a)", 0),
        (&graph, "F(a && X c)", 1),
        (&graph, "F(\"action(a)\" && X \"action([bc])\")", 1),
    ] {
        let hoa = run(["ltl", bad, "--format", "hoa"]);
        assert_eq!(hoa.code, Some(0), "{hoa:#?}");
        let automaton = folder.file("bad.hoa", &hoa.out);
        let ran = run(["check", file, "--automaton", &automaton]);
        assert_eq!(ran.code, Some(code), "{bad}: {ran:#?}");
    }
}

#[test]
fn a_chart_says_where_the_cycle_begins() {
    let folder = Folder::new("chart");
    let file = folder.file("m.pml", MODEL);
    let chart = folder.path("m.svg");
    let checked = run(["check", &file, "--claim", "live", "--msc", &chart, "--json"]);
    assert_eq!(checked.code, Some(1), "{checked:#?}");
    let svg = std::fs::read_to_string(&chart).expect("it was written");
    assert_eq!(svg.matches("repeated for ever").count(), 1, "{svg}");
    let text = run(["check", &file, "--claim", "live", "--shortest", "--threads", "1", "--msc", "-"]).out;
    assert!(text.contains("--- from here on step") && text.contains("repeated for ever ---"), "{text}");
    let safe = run(["check", &file, "--claim", "safe", "--msc", &folder.path("not.svg")]);
    assert!(safe.code == Some(0) && safe.err.contains("not.svg was not written"), "{safe:#?}");
}

#[test]
fn a_trail_says_where_the_cycle_begins() {
    let folder = Folder::new("cycle");
    let file = folder.file("m.pml", MODEL);
    let trail = folder.path("m.trail");
    // One run: of two, several workers may find another cycle.
    let checked = run(["check", &file, "--claim", "live", "--trail", &trail, "--json"]);
    assert_eq!(checked.code, Some(1), "{checked:#?}");
    let text = std::fs::read_to_string(&trail).expect("it was written");
    assert!(text.lines().any(|line| line == "-1:-1:-1"), "{text}");
    let replayed = run(["replay", &file, &trail, "--json"]);
    let start = |out: &str| {
        out.lines().find(|line| line.contains("\"loop_start\"")).map(str::trim).map(str::to_owned)
    };
    assert!(start(&checked.out).is_some_and(|line| !line.contains("null")), "{checked:#?}");
    assert_eq!(start(&checked.out), start(&replayed.out), "{replayed:#?}");
    assert!(run(["replay", &file, &trail]).out.contains("repeated for ever"));
}
