//! Broken and doubtful models: each says in its first line what must be said about it.
//!
//! `/* expect error 3:7 "part of the text" */` with line and column, or without a place for what concerns the whole
//! model. The messages must be exactly those, in any order: a consequential complaint too many is a failure, too.

use std::path::Path;

use elnath_promela::{FileSystem, Options, parse};
use elnath_source::{Message, Severity};

struct Expected {
    severity: Severity,
    place: Option<(u64, usize)>,
    text: String,
}

fn expectations(first_line: &str) -> Vec<Expected> {
    let directives = first_line.split("/* expect ").skip(1);
    directives
        .map(|directive| {
            let (head, rest) = directive.split_once('"').expect("a quoted text");
            let (text, _) = rest.split_once('"').expect("a closed quote");
            let mut words = head.split_whitespace();
            let severity = match words.next() {
                Some("error") => Severity::Error,
                Some("warning") => Severity::Warning,
                Some("note") => Severity::Note,
                other => panic!("expect what? {other:?}"),
            };
            let place = words.next().map(|place| {
                let (line, column) = place.split_once(':').expect("line:column");
                (line.parse().expect("a line"), column.parse().expect("a column"))
            });
            Expected { severity, place, text: text.to_owned() }
        })
        .collect()
}

fn fits(expected: &Expected, message: &Message) -> bool {
    let place = message.place.as_ref().map(|place| (place.line, place.column()));
    expected.severity == message.severity && expected.place == place && message.text.contains(&expected.text)
}

#[test]
fn broken_models_are_answered_as_they_expect() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/promela/broken");
    let mut failures = Vec::new();
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).expect("the folder of broken models") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "pml") {
            continue;
        }
        count += 1;
        let text = std::fs::read_to_string(&path).expect("a text");
        let expected = expectations(text.lines().next().unwrap_or(""));
        assert!(!expected.is_empty(), "{} expects nothing", path.display());
        let name = path.to_string_lossy();
        let result = parse(&mut FileSystem, &name, &Options::default());
        let wants_error = expected.iter().any(|expected| expected.severity == Severity::Error);
        assert_eq!(result.is_err(), wants_error, "{name}");
        let messages = match result {
            Ok((_, warnings)) => warnings,
            Err(messages) => messages,
        };
        let all_expected =
            messages.iter().all(|message| expected.iter().any(|expected| fits(expected, message)));
        let all_found =
            expected.iter().all(|expected| messages.iter().any(|message| fits(expected, message)));
        if !all_expected || !all_found {
            let got: Vec<String> = messages.iter().map(ToString::to_string).collect();
            failures.push(format!("{}\n{}", path.display(), got.join("\n")));
        }
    }
    assert!(count >= 30, "only {count} broken models");
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

/// The message that is one too many may come in the middle of any rule, which then must not read past the end.
#[test]
fn giving_up_in_the_middle_of_a_rule() {
    for bad in 80..120 {
        let text = format!("init{{{}}}\nltl{{ q || p@}}\n", "\0 ".repeat(bad));
        let mut files = std::collections::HashMap::from([("model.pml".to_owned(), text)]);
        let options = Options::default();
        let messages = parse(&mut files, "model.pml", &options).map(|_| ()).unwrap_err();
        assert!((bad.min(100)..=100).contains(&messages.len()), "{bad}: {}", messages.len());
    }
}
