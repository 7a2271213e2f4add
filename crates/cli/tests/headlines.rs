//! On every failing model the first line says what is violated, where (in languages that have places), and by which values.

mod common;

use common::{Directive, directives, run};
use serde_json::Value;

/// Whether a line names a line of a file with this name.
fn names_a_place(line: &str, file: &str) -> bool {
    let ends = line.match_indices(file).map(|(at, name)| at + name.len());
    ends.filter_map(|end| line[end..].strip_prefix(':'))
        .any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Whether an expression reads variables: it has a word that is no constant.
fn reads_variables(expression: &str) -> bool {
    let words = expression.split(|c: char| !c.is_alphanumeric() && c != '_');
    let is_name = |word: &str| word.starts_with(|c: char| c.is_alphabetic() || c == '_');
    words.into_iter().any(|word| is_name(word) && !["true", "false", "assert", "timeout"].contains(&word))
}

fn text_and_json(directive: &Directive) -> (String, Value) {
    let (command, options) = directive.options.split_first().expect("a directive has a command");
    let model = directive.model.display().to_string();
    let one_thread = command == "check" && !options.iter().any(|option| option == "--threads");
    let arguments = |more: &'static str| {
        let threads = if one_thread { &["--threads", "1"][..] } else { &[] };
        let last = threads.iter().chain((!more.is_empty()).then_some(&more)).map(|word| (*word).to_owned());
        [command.clone(), model.clone()]
            .into_iter()
            .chain(options.iter().cloned())
            .chain(last)
            .collect::<Vec<_>>()
    };
    let (text, json) = (run(arguments("")), run(arguments("--json")));
    assert_eq!((text.code, json.code), (Some(1), Some(1)), "{directive:?}: {text:#?}");
    (text.out, json.json())
}

fn look_at(directive: &Directive) {
    let (text, json) = text_and_json(directive);
    let first = text.lines().next().unwrap_or_default();
    let told = format!("{first}\n  of {directive:?}");
    if directive.options[0] == "bounded" {
        assert!(first.starts_with("unbounded: `"), "the channel is named: {told}");
        return;
    }
    if directive.options[0] == "compatible" {
        assert!(first.starts_with("incompatible: "), "the verdict comes first: {told}");
        let properties = json["properties"].as_array().expect("properties");
        let named =
            |property: &Value| property["violation"]["text"].as_str().is_some_and(|why| first.contains(why));
        assert!(properties.iter().any(named), "what is wrong is named: {told}");
        return;
    }
    if directive.options[0] == "compare" {
        let relation = json["relation"].as_str().expect("a relation");
        assert!(first.starts_with("not related: "), "the verdict comes first: {told}");
        assert!(first.contains(&format!("({relation})")), "the relation is named: {told}");
        let named = [" can do ", "cannot", "may offer only"].iter().any(|word| first.contains(word));
        assert!(named, "the difference is named: {told}");
        return;
    }
    assert!(first.starts_with("fails: "), "the verdict comes first: {told}");
    let violation = &json["violation"];
    let worst = json["properties"].as_array().expect("properties").iter().find(|p| p["verdict"] == "fails");
    let property = worst.expect("one fails");
    if let Some("branching" | "reachability" | "bound") = property["kind"].as_str() {
        // What shows it is a story, or a run.
        let asked = property["name"].as_str().or(property["text"].as_str()).expect("a name or a text");
        let evidence = &property["branching"]["evidence"];
        let shown = match evidence["story"].as_str() {
            Some(story) => first.contains(story),
            None => ["after", "already"].iter().any(|word| first.contains(word)),
        };
        assert!(first.contains(asked) && (shown || evidence.is_null()), "{asked} is not in {told}");
        return;
    }
    let headline = violation["headline"].as_str().expect("a violation has a headline");
    assert!(first.contains(headline), "{headline} is not in {told}");
    if violation["kind"] == "run" {
        let asked = property["text"].as_str().expect("a text");
        assert!(first.contains(asked), "the property is named: {told}");
        if let Some(name) = property["name"].as_str() {
            assert!(first.contains(name), "the property is named by its name: {told}");
        }
        if let Some(place) = property["place"].as_str() {
            assert!(first.contains(place), "the place of the property is named: {told}");
        }
    }
    for value in violation["values"].as_array().expect("values") {
        let shown = format!(
            "{} = {}",
            value["name"].as_str().unwrap_or_default(),
            value["value"].as_str().unwrap_or_default()
        );
        assert!(first.contains(&shown), "{shown} is not in {told}");
    }
    let file = directive.model.file_name().expect("a file").to_string_lossy().into_owned();
    let has_places = file.ends_with(".pml") || file.ends_with(".fifo");
    let is_statement = ["fault", "deadlock"].iter().any(|kind| violation["kind"] == *kind);
    let text = violation["text"].as_str().unwrap_or_default();
    // A claim or a trace has no statement that fails, and where nobody waits nobody waits at a place.
    let nowhere = text.contains("the claim")
        || text.contains("events of")
        || text.contains("does not allow")
        || text.contains("the proposition");
    let waits = violation["waiting"]
        .as_array()
        .is_some_and(|waiting| waiting.iter().any(|event| event["ended"] == false));
    if has_places && is_statement && !nowhere && (violation["kind"] == "fault" || waits) {
        assert!(names_a_place(first, &file), "no place in {told}");
    }
    if let Some((_, asserted)) = text.split_once("assertion violated: assert(") {
        let asserted = asserted.rsplit_once(" (").map_or(asserted, |(asserted, _)| asserted);
        assert!(
            !reads_variables(asserted)
                || first.rsplit_once("): ").is_some_and(|(_, values)| values.contains(" = ")),
            "no values in {told}"
        );
    }
    if text.starts_with("array index out of range") {
        assert!(first.contains(".length = "), "the size is told: {told}");
    }
}

#[test]
fn the_first_line_names_property_place_and_values() {
    let all = directives();
    let failing = all.iter().filter(|directive| {
        matches!(directive.expects("verdict"), Some("fails" | "unbounded" | "incompatible"))
    });
    let mut count = 0;
    for directive in failing {
        count += 1;
        look_at(directive);
    }
    assert!(count > 60, "the failing cases are there: {count}");
    for (example, options) in [("stop-and-wait.pml", vec![]), ("abp.pml", vec!["--ltl", "[] <> false"])] {
        let model = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(example);
        let options = ["check"].into_iter().chain(options).map(str::to_owned).collect();
        look_at(&Directive { model, options, expected: Vec::new() });
    }
}
