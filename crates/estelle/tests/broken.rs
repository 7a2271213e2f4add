//! Broken texts: each says in its first line what must be said about it.
//!
//! `{ expect error 3:7 "part of the text" }` with line and column, one after the other. The messages must be exactly those, in any order:
//! a consequential complaint too many is a failure, too.

use elnath_estelle::{Options, read};
use elnath_source::{Message, Severity, SourceText};
use std::path::{Path, PathBuf};

struct Expected {
    severity: Severity,
    place: (u64, usize),
    text: String,
}

fn expectations(first_line: &str) -> Vec<Expected> {
    let directives = first_line.split("{ expect ").skip(1);
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
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "est"));
    paths.sort();
    paths
}

fn messages(path: &Path, text: &str, options: Options) -> (bool, Vec<Message>) {
    match read(&SourceText::new(path.to_string_lossy(), text), options) {
        Ok((lowered, warnings)) => {
            let verified = elnath_program::verify::verify(&lowered.program);
            assert!(verified.is_ok(), "{}: {verified:?}\n{text}", path.display());
            (true, warnings)
        }
        Err(messages) => (false, messages),
    }
}

#[test]
fn broken_texts_are_answered_as_they_expect() {
    let mut failures = Vec::new();
    let paths = files("tests/cases/estelle/broken");
    assert!(paths.len() >= 30, "only {} broken texts", paths.len());
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a text");
        let expected = expectations(text.lines().next().unwrap_or(""));
        let (good, found) = messages(&path, &text, Options::default());
        let all_expected =
            found.iter().all(|message| expected.iter().any(|expected| fits(expected, message)));
        let all_found = expected.iter().all(|expected| found.iter().any(|message| fits(expected, message)));
        if good || expected.is_empty() || !all_expected || !all_found {
            let got: Vec<String> = found.iter().map(ToString::to_string).collect();
            failures.push(format!("{}\n{}", path.display(), got.join("\n")));
        }
        assert!(
            found.iter().all(|message| message.code.is_some()),
            "{}: a message without code",
            path.display()
        );
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

/// Whatever is cut out of a text or doubled in it, reading ends with an answer, and what is read is a good program.
#[test]
fn mutilated_texts_do_no_harm() {
    let mut seed = 1u64;
    let mut below = |bound: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % bound
    };
    let words = [
        "begin",
        "end",
        ";",
        "from",
        "when",
        "provided",
        "any i: 0..1 do",
        "delay (1)",
        "priority 0",
        "otherwise",
        "(",
        ")",
        "[",
        "]",
        ":=",
        "..",
        "p",
        "1",
        "'a'",
        "record",
        "array [1..2] of",
        "set of 0..3",
        "if true then",
        "else",
        "case",
        "while false do",
        "with",
        "output",
        "init",
        "connect",
        "trans",
        "body",
        "function f: boolean;",
        "var",
        "-",
        "div",
        "in",
    ];
    let (mut answered, mut good_ones) = (0, 0);
    for folder in ["tests/cases/estelle/broken", "tests/cases/estelle", "examples/estelle"] {
        for path in files(folder) {
            let text = std::fs::read_to_string(&path).expect("a text");
            let chars: Vec<char> = text.chars().collect();
            for round in 0..150 {
                let (from, length) = (below(chars.len()), below(30));
                let to = (from + length).min(chars.len());
                let put = below(chars.len());
                let doubled: String = chars[put..(put + below(20)).min(chars.len())].iter().collect();
                let between =
                    if round % 2 == 0 { doubled } else { format!(" {} ", words[below(words.len())]) };
                let to = if round % 3 == 0 { from } else { to };
                let changed: String = chars[..from]
                    .iter()
                    .copied()
                    .chain(between.chars())
                    .chain(chars[to..].iter().copied())
                    .collect();
                let (good, found) =
                    messages(&path, &changed, Options { integers: Some((0, 3)), ..Options::default() });
                assert!(good || !found.is_empty(), "{}: refused without a word", path.display());
                answered += 1;
                good_ones += usize::from(good);
            }
        }
    }
    assert!(answered > 5000, "only {answered} texts");
    assert!(good_ones > 200, "only {good_ones} of {answered} texts were read to the end");
}
