//! Formulas of branching time as a user asks about them: files of other tools, evidence on models without an IR, and how little is walked.

mod common;

use common::{Folder, run};
use serde_json::Value;

fn example(name: &str) -> String {
    format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// The names of properties with their verdicts.
fn verdicts(answer: &Value) -> Vec<(String, String)> {
    let text = |property: &Value, field: &str| property[field].as_str().unwrap_or_default().to_owned();
    let properties = answer["properties"].as_array().expect("a list");
    properties.iter().map(|own| (text(own, "name"), text(own, "verdict"))).collect()
}

const GRAPH: &str =
    "des (0, 5, 4)\n(0, \"a\", 1)\n(1, \"b\", 2)\n(1, \"c\", 3)\n(2, \"SEND !1\", 0)\n(3, \"i\", 3)\n";

/// What is understood of the formulas of mCRL2 and CADP, with its verdict on a small graph.
#[test]
fn formulas_of_other_tools_without_data_are_read() {
    let folder = Folder::new("mcf-and-mcl");
    let graph = folder.file("m.aut", GRAPH);
    let cases = [
        ("mcf", "[true*. a. (!b)*. c] false", "fails"),
        ("mcf", "% what mCRL2 writes\nnu X. [true]X && <true>true % no deadlock\n", "holds"),
        ("mcf", "[true*]<true*.a>true", "fails"),
        ("mcf", "mu X. [!c]X && <true>true", "fails"),
        ("mcf", "forall_a", "refused"),
        ("mcl", "[ true* . a . (not b)* . c ] false", "fails"),
        ("mcl", "nu X . ([ true ] X and < true > true)", "holds"),
        ("mcl", "(* CADP's comment *) < \"a\" . true* . 'SEND.*' > true", "holds"),
        ("mcl", "< 'SEND.*' > true", "fails"),
        ("mcl", "< true* > < \"i\" > @", "holds"),
    ];
    for (ending, text, expected) in cases {
        let file = folder.file(&format!("f.{ending}"), text);
        let ran = run(["check", &graph, "--mu-file", &file, "--json"]);
        let answer = ran.json();
        let found = if ran.code == Some(2) { "refused" } else { answer["verdict"].as_str().unwrap_or("") };
        assert_eq!(found, expected, "{text}: {answer}");
    }
}

/// What needs data is refused by its name, where it stands.
#[test]
fn what_needs_data_is_refused_with_its_place() {
    let folder = Folder::new("mcf-with-data");
    let graph = folder.file("m.aut", GRAPH);
    let cases = [
        ("mcf", "[true*]\nforall n: Nat. <true>true", "forall"),
        ("mcf", "[true*]\nexists n: Nat. <a(n)>true", "exists"),
        ("mcf", "true &&\nval(1 < 2)", "val"),
        ("mcf", "[true*]\n<a@3>true", "@"),
        ("mcf", "true &&\nnu X(n: Nat = 0). [true]X(n + 1)", "a parameter of a fixpoint"),
        ("mcl", "[ true* ]\nforall x : nat . < true > true", "forall"),
        ("mcl", "[ true* .\n{ SEND ?x:nat } ] false", "a label that binds values"),
        ("mcl", "true and\nlet x : nat := 1 in true end let", "let"),
        ("mcl", "true and\nmacro M () = true end_macro", "macro"),
        ("mcl", "true and\nlibrary standard.mcl end_library", "library"),
    ];
    for (ending, text, named) in cases {
        let file = folder.file(&format!("f.{ending}"), text);
        let ran = run(["check", &graph, "--mu-file", &file, "--json"]);
        let answer = ran.json();
        let message = &answer["messages"][0];
        let told = message["text"].as_str().unwrap_or_default();
        assert!(ran.code == Some(2) && told.contains(named), "{text}: {answer}");
        assert_eq!(message["line"], 2, "{text}: {message}");
    }
}

#[test]
fn a_file_of_named_formulas_has_a_verdict_each() {
    let folder = Folder::new("named-formulas");
    let graph = folder.file("m.aut", GRAPH);
    let file = folder
        .file("f.mu", "# three\nfirst: <a> true\n\nsecond: [true*] <true> true\nthird:\n  AF <c> true\n");
    let ran = run(["check", &graph, "--mu-file", &file, "--json"]);
    let expected = ["first", "second", "third"].map(|name| (name.to_owned(), "holds".to_owned()));
    assert_eq!((ran.code, verdicts(&ran.json())), (Some(0), expected.to_vec()), "{ran:#?}");
}

/// Evidence is part of the model, also where there is no IR.
#[test]
fn verdicts_on_nets_and_lotos_come_with_evidence() {
    let folder = Folder::new("branching-evidence");
    let lotos = folder.file(
        "m.lotos",
        "specification S [a, b] : noexit behaviour P [a, b] where\n\
         process P [a, b] : noexit := a; (b; P [a, b] [] a; stop) endproc endspec\n",
    );
    for (model, formula, verdict) in [
        (example("petri/philosophers.pnml"), "AG EF (tokens(eat0) >= 1)", "fails"),
        (example("petri/philosophers.pnml"), "EG (tokens(eat0) == 0)", "holds"),
        (lotos.clone(), "[true*] <true* . B> true", "fails"),
        (lotos, "nu X. <A . B> X", "holds"),
    ] {
        let graph = folder.path("evidence.aut");
        let ran = run([
            "check",
            &model,
            "--mu",
            formula,
            "--evidence",
            &graph,
            "--force",
            "--json",
            "--threads",
            "1",
        ]);
        let answer = ran.json();
        assert_eq!(answer["verdict"], verdict, "{formula}: {answer}");
        let evidence = &answer["properties"][0]["branching"]["evidence"];
        let steps = evidence["transitions"].as_array().expect("steps");
        assert!(!steps.is_empty(), "{formula}: {evidence}");
        let written = std::fs::read_to_string(&graph).expect("the evidence was written");
        assert_eq!(written.lines().count(), 1 + steps.len(), "{written}");
    }
}

/// A formula that is refuted ten steps from the initial state of a million is refuted after less than one in a hundred.
#[test]
fn a_shallow_refutation_walks_a_small_part() {
    let folder = Folder::new("shallow");
    let counters: String = "abcdef".chars().map(|x| format!(":: atomic {{ {x} < 9 -> {x}++ }}\n")).collect();
    let model = folder.file(
        "million.pml",
        format!("byte a, b, c, d, e, f;\nactive proctype P() {{ do\n{counters}:: atomic {{ a + b + c + d + e + f == 54 -> a = 0 }} od }}\n"),
    );
    for formula in [
        "AG (a + b + c + d + e + f < 10)",
        "AG (a + b + c + d + e + f < 10 || EX (a == 255))",
        "AG EX (a + b + c + d + e + f < 11)",
    ] {
        let answer = run(["check", &model, "--ctl", formula, "--json", "--threads", "1"]).json();
        assert_eq!(answer["verdict"], "fails", "{formula}: {answer}");
        let states = answer["states"].as_u64().expect("a number");
        assert!(states < 10_000, "{formula}: {states} of 1,000,000 states");
    }
}

#[test]
fn a_limit_of_depth_is_honoured() {
    let folder = Folder::new("branching-depth");
    let graph = folder.file("m.aut", "des (0, 3, 4)\n(0, \"a\", 1)\n(1, \"a\", 2)\n(2, \"b\", 3)\n");
    for (formula, depth, code) in [
        ("<true*> <b> true", "1", 3),
        ("<true*> <b> true", "9", 0),
        ("[true*] <true*> <b> true", "1", 3),
        ("[true*] (<true*> <b> true || deadlock)", "9", 0),
        ("<a> true", "1", 0),
    ] {
        let ran = run(["check", &graph, "--mu", formula, "--depth", depth, "--threads", "1"]);
        assert_eq!(ran.code, Some(code), "{formula} {depth}: {ran:#?}");
    }
}
