//! `elnath reduce` as a user meets it.

mod common;

use common::{Folder, case, run};
use std::fs;

#[test]
fn the_quotient_goes_where_it_was_asked_to() {
    let folder = Folder::new("reduce");
    let vending = case("vending.aut");
    let ran = run(["reduce", &vending, "--relation", "branching"]);
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    assert!(ran.out.starts_with("des (0, ") && ran.err.contains("became"), "{ran:#?}");
    let (small, classes) = (folder.path("small.aut"), folder.path("classes.txt"));
    let written = run(["reduce", &vending, "-r", "branching", "-o", &small, "--classes", &classes]);
    assert_eq!(written.code, Some(0), "{written:#?}");
    assert_eq!(fs::read_to_string(&small).expect("it was written"), ran.out);
    assert_eq!(fs::read_to_string(&classes).expect("it was written"), "0 0\n1 1\n2 2\n3 3\n4 4\n");
    for name in ["small.dot", "small.aut.gz", "small.aut.zst"] {
        let ran = run(["reduce", &vending, "-r", "strong", "-o", &folder.path(name)]);
        assert_eq!(ran.code, Some(0), "{ran:#?}");
    }
    // What was written can be read, and is as small as it gets.
    let again = run(["reduce", &folder.path("small.aut.zst"), "-r", "strong", "--json"]).json();
    assert_eq!(again["states"], again["states_before"]);
    let names = ["classes.txt", "small.aut", "small.aut.gz", "small.aut.zst", "small.dot"];
    assert_eq!(folder.names(), names, "nothing else is left behind");
}

#[test]
fn what_exists_is_not_written_over() {
    let folder = Folder::new("reduce-over");
    let model = folder.file("model.aut", "des (0, 1, 2)\n(0, a, 1)\n");
    let other = folder.file("other.aut", "precious");
    let ran = run(["reduce", &model, "-r", "strong", "-o", &other]);
    assert_eq!(
        (ran.code, fs::read_to_string(&other).expect("it is there")),
        (Some(2), "precious".to_owned())
    );
    let ran = run(["reduce", &model, "-r", "strong", "-o", &other, "--force"]);
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    assert!(fs::read_to_string(&other).expect("it is there").starts_with("des"));
    // The model itself never, under whatever name.
    let detour = folder.as_path().join(".").join("model.aut").display().to_string();
    for path in [&model, &detour] {
        for option in ["-o", "--classes"] {
            let ran = run(["reduce", &model, "-r", "strong", option, path, "--force"]);
            assert_eq!(ran.code, Some(2), "{ran:#?}");
            assert!(ran.err.contains("not written over"), "{ran:#?}");
        }
    }
    assert!(fs::read_to_string(&model).expect("it is there").starts_with("des (0, 1, 2)"));
}

#[test]
fn wrong_wishes_are_refused_with_a_reason() {
    let vending = case("vending.aut");
    for (options, reason) in [
        (&["--relation", "brnaching"][..], "did you mean `branching`?"),
        (&["--relation", "failures-divergences", "--classes", "x"], "no classes"),
        (&[], "--relation"),
        (&["--relation", "trace", "--classes", "x"], "no classes"),
        (&["--relation", "weak", "--json", "-o", "-"], "both go to standard output"),
        (&["--relation", "weak", "-o", "small.bcg"], "format"),
    ] {
        let ran = run(["reduce", vending.as_str()].iter().chain(options));
        assert_eq!(ran.code, Some(2), "{ran:#?}");
        assert!(ran.err.contains(reason), "{reason}: {ran:#?}");
    }
}

#[test]
fn hiding_makes_actions_internal() {
    let vending = case("vending.aut");
    let count = |options: &[&str]| {
        let json = run(["reduce", &vending, "--json", "-r", "weak-trace"].iter().chain(options)).json();
        (json["states"].as_u64(), json["transitions"].as_u64(), json["tau_labels"].clone())
    };
    assert_eq!(count(&["--hide", "^(TEA|COFFEE|JAM)$"]).0, Some(1), "COIN for ever");
    assert_eq!(
        count(&["--hide", ".*"]),
        (Some(1), Some(0), serde_json::json!(["i", "COFFEE", "COIN", "JAM", "TEA"]))
    );
    assert_eq!(count(&["--tau", "i,JAM"]).2, serde_json::json!(["i", "JAM"]));
}

#[test]
fn programs_are_generated_first_and_seen_from_outside() {
    let folder = Folder::new("reduce-program");
    let text = "chan c = [0] of { byte }; byte x;
        active proctype p() { do :: x < 3 -> x++; c!x :: x == 3 -> x = 0 od }
        active proctype q() { byte y; do :: c?y od }";
    let model = folder.file("count.pml", text);
    let ran = run(["reduce", &model, "-r", "branching"]);
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    // Three messages, round and round; counting is internal.
    let labels: Vec<&str> = ran.out.lines().skip(1).filter_map(|line| line.split('"').nth(1)).collect();
    assert_eq!(labels, ["c!1", "c!2", "c!3"], "{ran:#?}");
    assert!(ran.out.starts_with("des (0, 3, 3)\n"), "{ran:#?}");
    let json = run(["reduce", &model, "-r", "divergence-branching", "--json"]).json();
    assert!(json["states_before"].as_u64() > Some(3) && json["states"] == 3, "{json:#}");
    let ran = run(["reduce", &model, "-r", "strong", "--memory", "100B"]);
    assert_eq!(ran.code, Some(3), "{ran:#?}");
}

#[test]
fn running_out_is_told_with_figures() {
    let folder = Folder::new("reduce-limits");
    // The thirtieth letter from the end: a thousand million sets.
    let mut text = "des (0, 61, 31)\n(0, a, 0)\n(0, b, 0)\n(0, a, 1)\n".to_owned();
    for state in 1..30 {
        text += &format!("({state}, a, {0})\n({state}, b, {0})\n", state + 1);
    }
    let model = folder.file("letters.aut", text);
    let output = folder.path("out.aut");
    for (option, value, reason) in [("--memory", "20MB", "memory"), ("--time", "300ms", "time")] {
        let ran = run(["reduce", &model, "-r", "trace", option, value, "--json", "-o", &output]);
        let json = ran.json();
        assert_eq!((ran.code, &json["reason"]), (Some(3), &reason.into()), "{ran:#?}");
        assert!(json["states"].as_u64() > Some(1000) && json["doing"] == "reducing", "{json:#}");
        let ran = run(["reduce", &model, "-r", "trace", option, value, "-o", &output]);
        assert!(ran.code == Some(3) && ran.err.contains("nothing was written"), "{ran:#?}");
    }
    assert_eq!(folder.names(), ["letters.aut"]);
    assert_eq!(run(["reduce", &model, "-r", "strong", "--memory", "200B"]).code, Some(3));
}
