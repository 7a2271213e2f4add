//! Models with their expected answers: every file below `tests/cases`, `examples/fifo`, `examples/lotos`, `examples/estelle` and `examples/classics` that
//! has directives is checked with every store, search and engine that applies.
//!
//! A directive is a line `//! OPTIONS => EXPECTATIONS` in the model, or, for languages without comments, a line of a
//! file `MODEL.expect` beside it (without the `//!`). The first option is the command. Expectations are `key=value`
//! pairs over the JSON answer, where `a.b` goes into objects; a bare word is the verdict. A directive `info ..` is run once.

mod common;

use common::{Directive, directives};
use serde_json::Value;
use std::process::Command;

/// The ways a check is run; all must give the expected answer.
const WAYS: &[&[&str]] = &[
    &["--store", "exact", "--search", "dfs"],
    &["--store", "exact", "--search", "bfs", "--threads", "1"],
    &["--store", "exact", "--shortest", "--threads", "3"],
    &["--engine", "interpreter", "--threads", "1"],
    &["--engine", "jit", "--threads", "1"],
    &["--store", "compact", "--search", "dfs"],
    &["--store", "compact", "--fingerprint", "48", "--search", "bfs"],
    &["--store", "bitstate", "--memory", "8MiB", "--search", "dfs"],
    &["--store", "bitstate", "--memory", "8MiB", "--search", "bfs"],
    &["--store", "replacing", "--search", "dfs"],
];

/// The ways a property of infinite runs is checked.
const TEMPORAL_WAYS: &[&[&str]] = &[
    &[],
    &["--engine", "interpreter"],
    &["--shortest"],
    &["--search", "scc"],
    &["--threads", "1"],
    &["--search", "se05"],
    &["--search", "cndfs"],
    &["--search", "ufscc"],
    &["--search", "algorithm-a"],
    &["--search", "algorithm-b"],
    &["--store", "replacing", "--cache", "200"],
    &["--store", "replacing", "--search", "algorithm-b"],
    &["--store", "bitstate", "--memory", "8MiB"],
    &["--store", "bitstate", "--memory", "8MiB", "--search", "algorithm-b"],
    &["--store", "compact", "--search", "algorithm-a"],
];

/// The ways a formula of branching time is checked: what decides depends on the formula, and most formulas need all states.
const BRANCHING_WAYS: &[&[&str]] = &[&[], &["--engine", "interpreter"], &["--threads", "1"]];

/// Of these, the ones for fair runs.
const FAIR_WAYS: usize = 5;

/// Runs a directive; `reductions` is for checks, of which the expectations are those of the reference mode.
fn run(directive: &Directive, way: &[&str], reductions: &str) -> (Value, Option<i32>, String) {
    let (command, options) = directive.options.split_first().expect("a directive has a command");
    let mut process = Command::new(env!("CARGO_BIN_EXE_elnath"));
    process.arg(command).arg(&directive.model).args(options).args(way).arg("--json");
    if command == "check" && !options.iter().any(|option| option == "--reductions") {
        process.args(["--reductions", reductions]);
    }
    let shown = format!("{process:?}");
    let output = process.output().expect("elnath runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let value = serde_json::from_str(&text).unwrap_or_else(|error| {
        panic!("{shown}: {error}\n{text}{}", String::from_utf8_lossy(&output.stderr))
    });
    (value, output.status.code(), shown)
}

fn lookup<'v>(value: &'v Value, key: &str) -> &'v Value {
    key.split('.').fold(value, |value, part| &value[part])
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn compare(directive: &Directive, way: &[&str]) {
    let (value, code, command) = run(directive, way, "none");
    for (key, expected) in &directive.expected {
        let found = shown(lookup(&value, key));
        assert_eq!(&found, expected, "{key} of {command}");
    }
    let expected_code = match value["verdict"].as_str() {
        Some("holds") => 0,
        Some("fails" | "unbounded" | "incompatible") => 1,
        Some("unknown") => 3,
        _ => 0,
    };
    assert_eq!(code, Some(expected_code), "{command}");
    if directive.options[0] == "check" && value["verdict"] != "unknown" {
        same_verdict(directive, way, &value);
    }
}

/// Reductions keep the verdict, and what is never executed, whatever they do to the figures.
fn same_verdict(directive: &Directive, way: &[&str], full: &Value) {
    for reductions in ["por", "usual"] {
        let (reduced, _, command) = run(directive, way, reductions);
        assert_eq!(reduced["verdict"], full["verdict"], "{command}");
        assert_eq!(reduced["never_executed"], full["never_executed"], "{command}");
    }
}

#[test]
fn every_case_gives_the_expected_answer_in_every_way() {
    let directives = directives();
    assert!(directives.len() > 5, "the cases are there");
    for directive in &directives {
        let fixed = directive.options.iter().any(|option| option == "--store" || option == "--search");
        if directive.options[0] != "check" || fixed {
            compare(directive, &[]);
            continue;
        }
        let has = |wanted: &[&str]| directive.options.iter().any(|option| wanted.contains(&option.as_str()));
        let temporal = has(&[
            "--ltl",
            "--claim",
            "--automaton",
            "--non-progress",
            "--accept-cycles",
            "--eventual-reception",
        ]);
        let ways = match temporal {
            true if has(&["--fair", "--eventual-reception"]) => &TEMPORAL_WAYS[..FAIR_WAYS],
            true => TEMPORAL_WAYS,
            false if has(&["--mu", "--ctl"]) => BRANCHING_WAYS,
            false => WAYS,
        };
        let named = has(&["--engine"]);
        let ways = ways.iter().filter(|way| !named || !way.contains(&"--engine"));
        ways.for_each(|way| compare(directive, way));
    }
}
