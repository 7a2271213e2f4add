//! Petri nets and their property files, as a user asks about them.

mod common;

use common::{Folder, run};
use serde_json::Value;

fn example(name: &str) -> String {
    format!("{}/../../examples/petri/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn asked(properties: &str, more: &[&str]) -> (Option<i32>, Value) {
    let net = example("philosophers.pnml");
    let ran = run(["check", net.as_str(), "--properties", properties, "--json"].iter().chain(more));
    (ran.code, ran.json())
}

/// The names of properties with their verdicts and values.
fn answers(answer: &Value) -> Vec<(String, String, Option<i64>)> {
    let text = |property: &Value, field: &str| property[field].as_str().unwrap_or_default().to_owned();
    let properties = answer["properties"].as_array().expect("a list");
    properties.iter().map(|own| (text(own, "name"), text(own, "verdict"), own["value"].as_i64())).collect()
}

#[test]
fn a_file_of_properties_has_a_verdict_each() {
    let expected = [
        ("somebody-may-eat", "holds", None),
        ("neighbours-exclude-each-other", "holds", None),
        ("it-is-always-possible-to-eat", "fails", None),
        ("LTL-who-is-hungry-eats", "fails", None),
        ("how-many-eat", "holds", Some(2)),
    ]
    .map(|(name, verdict, value)| (name.to_owned(), verdict.to_owned(), value));
    for more in [&[][..], &["--threads", "1"], &["--store", "tree"]] {
        let (code, answer) = asked(&example("philosophers-properties.xml"), more);
        assert_eq!((code, answers(&answer)), (Some(1), expected.to_vec()), "{more:?}");
        // What is possible is shown by a run, and so is a bad run.
        let eats = &answer["properties"][0]["run"];
        assert_eq!(eats["steps"].as_array().map(Vec::len), Some(2), "{eats}");
        assert!(answer["properties"][3]["run"]["steps"].is_array(), "{answer}");
        assert!(answer["properties"][1]["run"].is_null(), "{answer}");
    }
}

#[test]
fn examinations_need_no_file() {
    let (code, answer) = asked("StateSpace", &[]);
    let values: Vec<Option<i64>> = answers(&answer).into_iter().map(|(.., value)| value).collect();
    assert_eq!((code, values), (Some(0), vec![Some(34), Some(88), Some(1), Some(8)]));
    let (code, answer) = asked("StateSpace", &["--states", "10"]);
    assert_eq!((code, &answer["reason"]), (Some(3), &Value::from("states")));
    assert!(answer["properties"][0]["value"].is_null() && answer["properties"][0]["at_least"].is_u64());
    let (code, answer) = asked("Livenes", &[]);
    assert_eq!(code, Some(2));
    assert_eq!(answer["messages"][0]["help"], "did you mean `Liveness`?");
    let (code, answer) = asked("Liveness", &["--store", "bitstate"]);
    assert_eq!((code, &answer["messages"][0]["code"]), (Some(2), &Value::from("E0017")));
}

#[test]
fn what_is_wrong_with_a_file_is_told_with_its_place() {
    let folder = Folder::new("net-properties");
    let cases = [
        (
            "<is-fireable><transition>take-lefd0</transition></is-fireable>",
            "the net has no transition `take-lefd0`",
        ),
        (
            "<integer-le><tokens-count><place>eat9</place></tokens-count><integer-constant>1</integer-constant></integer-le>",
            "the net has no place `eat9`",
        ),
        (
            "<integer-le><deadlock/><integer-constant>1</integer-constant></integer-le>",
            "<deadlock> is no number",
        ),
        ("<is-live/>", "<is-live> is not read in formulas"),
        ("<negation/>", "<negation> has 0 parts, and must have 1"),
        ("<integer-constant>1</integer-constant>", "this is not a formula"),
        ("<conjunction><integer-constant>1</integer-constant></conjunction>", "this is not a formula"),
        ("<negation>", "this is no XML"),
    ];
    for (formula, expected) in cases {
        let text = format!(
            "<property-set>\n<property><id>q</id><formula>{formula}</formula></property></property-set>"
        );
        let (code, answer) = asked(&folder.file("wrong.xml", text), &[]);
        let message = &answer["messages"][0];
        assert_eq!(code, Some(2), "{formula}: {answer}");
        assert!(message["text"].as_str().is_some_and(|text| text.contains(expected)), "{formula}: {message}");
        assert_eq!(message["line"], 2, "{formula}: {message}");
    }
}

/// Deep formulas overflow no stack: they are decided, or larger than what is translated.
#[test]
fn a_hundred_thousand_operators_are_an_ordinary_formula() {
    const DEPTH: usize = 100_000;
    let folder = Folder::new("deep-properties");
    let nested = |open: &str, close: &str| {
        let inner = "<is-fireable><transition>take-left0</transition></is-fireable>";
        let formula = format!("{}{inner}{}", open.repeat(DEPTH), close.repeat(DEPTH));
        format!(
            "<property-set><property><id>LTL-deep</id><formula>{formula}</formula></property></property-set>"
        )
    };
    let verdict = |text: String| {
        let (code, answer) = asked(&folder.file("deep.xml", text), &[]);
        (code, answer["verdict"].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(verdict(nested("<negation>", "</negation>")), (Some(0), "holds".to_owned()));
    let some = ("<exists-path><next>", "</next></exists-path>");
    assert_eq!(verdict(nested(some.0, some.1)).1, "holds");
    let linear = nested("<next>", "</next>")
        .replace("<formula>", "<formula><all-paths>")
        .replace("</formula>", "</all-paths></formula>");
    assert_eq!(verdict(linear), (Some(3), "unknown".to_owned()));
}

#[test]
fn an_unbounded_net_is_shown_with_what_can_be_repeated() {
    let net = example("unbounded.pnml");
    let answer = run(["bounded", net.as_str(), "--json"]).json();
    assert_eq!(answer["verdict"], "unbounded");
    let flood = &answer["flood"];
    assert_eq!((&flood["prefix"], &flood["length"]), (&Value::from(0), &Value::from(2)));
    assert_eq!(flood["growing"][0]["place"], "log");
    let grows: Vec<(&str, bool)> = answer["places"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|place| (place["name"].as_str().expect("a name"), place["grows"] == true))
        .collect();
    assert_eq!(grows, [("free", false), ("taken", false), ("log", true)]);
}

/// Nets are compared, reduced and converted as any other system of labels.
#[test]
fn a_net_is_a_system_of_labels() {
    let folder = Folder::new("net-graphs");
    let (net, graph) = (example("batches.pnml"), folder.path("batches.aut"));
    assert_eq!(run(["convert", net.as_str(), graph.as_str()]).code, Some(0));
    assert_eq!(run(["compare", net.as_str(), graph.as_str(), "--relation", "strong"]).code, Some(0));
    let reduced = folder.path("reduced.aut");
    assert_eq!(
        run([
            "reduce",
            net.as_str(),
            "--relation",
            "branching",
            "--hide-all-but",
            "deliver",
            "-o",
            reduced.as_str()
        ])
        .code,
        Some(0)
    );
    assert_eq!(run(["simulate", net.as_str(), "--steps", "5", "--json"]).code, Some(0));
}
