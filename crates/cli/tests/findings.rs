//! Findings: every code has a case in `tests/cases/findings`, and the documents have what the table has.
//!
//! A case is a directive as in `cases.rs`, run once in the folder of the cases; `{}` is the model where it does not come first. Beside
//! fields of the answer it expects `finding=CODE`: the finding is given (and `at=LINE:COLUMN`: there), and `without=CODE`: it is not.

mod common;

use common::{Directive, Folder, Ran, directives_in, elnath, run};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn folder() -> PathBuf {
    root().join("tests/cases/findings")
}

/// Runs a case with more options.
fn ran(directive: &Directive, more: &[&str]) -> Ran {
    let model = directive.model.file_name().expect("a case is a file").to_string_lossy().into_owned();
    let (command, options) = directive.options.split_first().expect("a directive has a command");
    let mut words = vec![command.clone()];
    if !options.iter().any(|option| option == "{}") {
        words.push(model.clone());
    }
    words.extend(options.iter().map(|option| if option == "{}" { model.clone() } else { option.clone() }));
    let mut process = elnath(&words);
    Ran::new(&process.args(more).current_dir(folder()).output().expect("elnath can be started"))
}

/// The findings of an answer: what was found, and what is wrong with the input.
fn found(answer: &Value) -> Vec<&Value> {
    let of = |field: &str| answer[field].as_array().into_iter().flatten();
    of("findings").chain(of("messages")).collect()
}

fn wanted<'d>(directive: &'d Directive, key: &str) -> impl Iterator<Item = &'d str> {
    directive.expected.iter().filter(move |(found, _)| found == key).map(|(_, code)| code.as_str())
}

/// The whole table, as `elnath explain --json` has it.
fn table() -> Vec<Value> {
    run(["explain", "--json"]).json()["index"].as_array().expect("a list").clone()
}

#[test]
fn every_case_has_its_finding() {
    for directive in directives_in(&folder()) {
        let ran = ran(&directive, &["--json"]);
        let (answer, shown) = (ran.json(), format!("{directive:?}\n{}", ran.err));
        let codes: Vec<&str> = found(&answer).iter().filter_map(|found| found["code"].as_str()).collect();
        for (key, value) in &directive.expected {
            match key.as_str() {
                "finding" => assert!(codes.contains(&value.as_str()), "{codes:?}: {shown}"),
                "without" => assert!(!codes.contains(&value.as_str()), "{codes:?}: {shown}"),
                "at" => {
                    let code = wanted(&directive, "finding").next().expect("a place belongs to a finding");
                    let at = |found: &&&Value| {
                        found["code"] == code && format!("{}:{}", found["line"], found["column"]) == *value
                    };
                    assert!(found(&answer).iter().find(at).is_some(), "{code} is at {value}: {shown}");
                }
                key => assert_eq!(answer[key].as_str(), Some(value.as_str()), "{key}: {shown}"),
            }
        }
    }
}

#[test]
fn every_code_has_a_case_and_every_case_a_code() {
    let directives = directives_in(&folder());
    let with_case: BTreeSet<&str> =
        directives.iter().flat_map(|directive| wanted(directive, "finding")).collect();
    let table = table();
    let in_table: BTreeSet<&str> = table.iter().filter_map(|row| row["code"].as_str()).collect();
    assert_eq!(with_case, in_table);
    assert!(in_table.len() >= 40, "{}", in_table.len());
}

#[test]
fn what_is_denied_ends_with_2_and_what_bears_on_the_verdict_is_never_dropped() {
    for directive in directives_in(&folder()) {
        for code in wanted(&directive, "finding") {
            let is_error = code.starts_with('E');
            let denied = ran(&directive, &["--deny", code]);
            assert_eq!(denied.code, Some(2), "{directive:?}: {denied:#?}");
            assert!(denied.err.contains(&format!("error[{code}]")), "{directive:?}: {denied:#?}");
            let quiet = ran(&directive, &["--quiet"]);
            let told = quiet.err.contains(&format!("[{code}]"));
            assert_eq!(told, is_error || code.starts_with('W'), "{directive:?}: {quiet:#?}");
        }
    }
}

#[test]
fn the_page_of_the_index_is_the_table() {
    let page = std::fs::read_to_string(root().join("docs/findings.md")).expect("docs/findings.md");
    let made = run(["explain", "--markdown"]).out;
    assert!(page == made, "write it anew: elnath explain --markdown > docs/findings.md");
}

#[test]
fn a_code_a_name_and_a_group_are_explained() {
    let by_code = run(["explain", "w0102"]);
    assert_eq!(by_code.code, Some(0));
    assert!(by_code.out.starts_with("W0102 antecedent-never-true: "), "{by_code:#?}");
    assert_eq!(run(["explain", "antecedent-never-true"]).out, by_code.out);
    let group = run(["explain", "vacuous"]).out;
    assert!(group.contains("W0101") && group.contains("W0102") && !group.contains("W0201"), "{group}");
    let all = run(["explain"]).out;
    assert!(table().iter().all(|row| all.contains(row["code"].as_str().unwrap())), "{all}");
}

#[test]
fn what_there_is_not_is_not_explained_but_guessed() {
    let misspelt = run(["explain", "vacous"]);
    assert_eq!(misspelt.code, Some(2));
    assert!(misspelt.err.contains("error[E0010]") && misspelt.err.contains("`vacuous`"), "{misspelt:#?}");
    let nonsense = run(["explain", "nonsense"]);
    assert!(nonsense.code == Some(2) && nonsense.err.contains("elnath explain"), "{nonsense:#?}");
    let denied = run(["check", "m.pml", "--deny", "vacous"]);
    assert!(denied.code == Some(2) && denied.err.contains("`vacuous`"), "{denied:#?}");
}

#[test]
fn a_group_denies_its_findings_and_no_others() {
    let folder = Folder::new("findings-deny");
    let model = folder.file("m.pml", "byte b = 256; byte x;\nactive proctype P() { x = b }\n");
    assert_eq!(run(["check", &model, "--deny", "vacuous"]).code, Some(0));
    assert_eq!(run(["check", &model, "--deny", "warnings"]).code, Some(2));
    let answer = run(["check", &model, "--deny", "truncated", "--json"]);
    let json = answer.json();
    assert_eq!((answer.code, json["verdict"].as_str()), (Some(2), Some("holds")));
    let denied: Vec<&Value> = found(&json).into_iter().filter(|found| found["denied"] == true).collect();
    assert_eq!(denied.len(), 1);
    assert_eq!(denied[0]["code"], "W0201");
}
