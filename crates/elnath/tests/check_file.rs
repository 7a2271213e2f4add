//! A Rust program that checks a file gets what `elnath check FILE` gives: a verdict on everything that the model demands.

use elnath::{LoadOptions, NoAnswer, Verdict, check_file};
use std::path::Path;

fn case(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases").join(name)
}

fn verdicts(text: &str, language: &str) -> Vec<(String, &'static str)> {
    let options = LoadOptions {
        language: Some(language.to_owned()),
        input: Some(text.into()),
        ..LoadOptions::default()
    };
    let report = check_file(Path::new("-"), &options).expect("a good model");
    let named = report.properties.iter().map(|property| {
        let name = property.name.clone().unwrap_or_else(|| property.kind.name().to_owned());
        (name, property.verdict.name())
    });
    named.collect()
}

#[test]
fn every_property_of_a_promela_model_is_checked() {
    let text = "byte x;\nltl never_two { [] (x < 2) }\nltl zero { [] (x == 0) }\nltl one { <> (x == 1) }\n\
                active proctype P() { x = 1; progress: do :: x = 1 od }\nnever { do :: x == 3 -> break :: else od }\n";
    let expected = [
        ("safety", "holds"),
        ("never_two", "holds"),
        ("zero", "fails"),
        ("one", "holds"),
        ("never", "holds"),
        ("progress", "holds"),
    ];
    let found = verdicts(text, "promela");
    let found: Vec<(&str, &str)> = found.iter().map(|(name, verdict)| (name.as_str(), *verdict)).collect();
    assert_eq!(found, expected);
}

#[test]
fn every_property_of_machines_is_checked() {
    let report = check_file(&case("cfsm/unspecified-reception.fifo"), &LoadOptions::default());
    let report = report.expect("a good model");
    let names: Vec<Option<&str>> =
        report.properties.iter().map(|property| property.name.as_deref()).collect();
    assert_eq!(names, [Some("deadlock"), Some("unspecified-reception"), Some("orphan-message")]);
    assert!(matches!(report.verdict(), Verdict::Fails(_)));
    let headline = &report.worst().summary.as_ref().expect("it fails").headline;
    assert!(headline.contains("waits for answers?yes, and the first message in answers is no"), "{headline}");
}

#[test]
fn what_is_wrong_with_a_file_is_told() {
    let options = LoadOptions {
        language: Some("promela".to_owned()),
        input: Some("active proctype P() { y = 1 }".into()),
        ..LoadOptions::default()
    };
    match check_file(Path::new("-"), &options) {
        Err(NoAnswer::Messages(messages)) => assert!(messages[0].text.contains('y'), "{messages:?}"),
        _ => panic!("there is no variable y"),
    }
}
