//! Broken and doubtful texts: each says in its first line what must be said about it.
//!
//! `/* expect error 3:7 "part of the text" */` with line and column. The messages must be exactly those, in any order: a
//! consequential complaint too many is a failure, too.

use elnath_cfsm::{Format, parse};
use elnath_source::{Message, Severity, SourceText};
use std::path::{Path, PathBuf};

struct Expected {
    severity: Severity,
    place: (u64, usize),
    text: String,
}

fn expectations(first_line: &str) -> Vec<Expected> {
    let directives = first_line.split("/* expect ").skip(1);
    directives
        .map(|directive| {
            let (head, rest) = directive.split_once('"').expect("a quoted text");
            let (text, _) = rest.split_once('"').expect("a closed quote");
            let words: Vec<&str> = head.split_whitespace().collect();
            let severity = if words[0] == "warning" { Severity::Warning } else { Severity::Error };
            let (line, column) = words[1].split_once(':').expect("line:column");
            let place = (line.parse().expect("a line"), column.parse().expect("a column"));
            Expected { severity, place, text: text.to_owned() }
        })
        .collect()
}

fn fits(expected: &Expected, message: &Message) -> bool {
    let place = message.place.as_ref().map(|place| (place.line, place.column()));
    expected.severity == message.severity
        && Some(expected.place) == place
        && message.text.contains(&expected.text)
}

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.is_file());
    paths.sort();
    paths
}

fn read(path: &Path, text: &str) -> (bool, Vec<Message>) {
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    let source = SourceText::new(path.to_string_lossy(), text);
    match parse(&source, Format::guess(&ending, text)) {
        Ok((_, warnings)) => (true, warnings),
        Err(messages) => (false, messages),
    }
}

#[test]
fn broken_texts_are_answered_as_they_expect() {
    let mut failures = Vec::new();
    let paths = files("tests/cases/cfsm/broken");
    assert!(paths.len() >= 10, "only {} broken texts", paths.len());
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a text");
        let expected = expectations(text.lines().next().unwrap_or(""));
        assert!(!expected.is_empty(), "{} expects nothing", path.display());
        let (good, messages) = read(&path, &text);
        let wants_error = expected.iter().any(|expected| expected.severity == Severity::Error);
        assert_eq!(good, !wants_error, "{}", path.display());
        let all_expected =
            messages.iter().all(|message| expected.iter().any(|expected| fits(expected, message)));
        let all_found =
            expected.iter().all(|expected| messages.iter().any(|message| fits(expected, message)));
        if !all_expected || !all_found {
            let got: Vec<String> = messages.iter().map(ToString::to_string).collect();
            failures.push(format!("{}\n{}", path.display(), got.join("\n")));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

/// Whatever is cut out of a text or doubled in it, reading ends with an answer.
#[test]
fn mutilated_texts_do_no_harm() {
    let mut seed = 1u64;
    let mut below = |bound: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % bound
    };
    let mut answered = 0;
    for folder in ["tests/cases/cfsm/broken", "tests/cases/cfsm", "examples/fifo"] {
        for path in files(folder) {
            let text = std::fs::read_to_string(&path).expect("a text");
            let chars: Vec<char> = text.chars().collect();
            for _ in 0..200 {
                let (from, length) = (below(chars.len()), below(30));
                let to = (from + length).min(chars.len());
                let put = below(chars.len());
                let doubled = &chars[put..(put + below(20)).min(chars.len())];
                let changed = chars[..from].iter().chain(doubled).chain(&chars[to..]).collect::<String>();
                let (good, messages) = read(&path, &changed);
                assert!(good || !messages.is_empty(), "{}: refused without a word", path.display());
                answered += 1;
            }
        }
    }
    assert!(answered > 3000, "only {answered} texts");
}
