//! What is told of communicating machines: each property by its name, and why a search cannot end.

mod common;

use common::{Folder, run};

fn case(name: &str) -> String {
    format!("{}/../../tests/cases/cfsm/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn each_property_has_a_name_a_verdict_and_words() {
    for (model, capacity, name, words) in [
        ("unspecified-reception.fifo", "9", "unspecified-reception", "B in state 0"),
        ("orphan-message.fifo", "9", "orphan-message", "m in f: B in state 1 never receives from it again"),
        ("message-left.fifo", "9", "orphan-message", "n in f: nothing is possible any more"),
        ("full-channel.fifo", "1", "full-channel", "--capacity 1 is too little"),
    ] {
        let model = case(model);
        let asked = ["check", model.as_str(), "--capacity", capacity];
        let answer = run(asked.iter().chain(&["--json"])).json();
        let properties = answer["properties"].as_array().expect("a list");
        let names: Vec<&str> = properties.iter().filter_map(|property| property["name"].as_str()).collect();
        assert_eq!(names, ["deadlock", "unspecified-reception", "orphan-message", "full-channel"]);
        for property in properties {
            let expected = if property["name"] == name { "fails" } else { "holds" };
            assert_eq!(property["verdict"], expected, "{model}: {property:#}");
        }
        assert_eq!(answer["violation"]["kind"], name);
        let ran = run(asked.iter().chain(&["-q"]));
        let first = ran.out.lines().next().unwrap_or_default();
        assert!(ran.code == Some(1) && first.starts_with("fails: ") && first.contains(words), "{ran:#?}");
    }
}

/// A channel that grows for ever: the search would never end, and after a second it is said why and what to do.
#[test]
fn a_search_that_cannot_end_says_why_after_a_second() {
    let folder = Folder::new("endless");
    let flood = "channel q from A to B of m\nmachine A { 0 -> 0: q!m }\nmachine B { 0 -> 0: q?m }\n";
    let model = folder.file("flood.fifo", flood);
    let ran = run(["check", &model, "--time", "2s", "-q"]);
    assert_eq!(ran.code, Some(3), "{ran:#?}");
    for words in ["W0304", "`q` grows for ever", "elnath bounded", "--capacity N"] {
        assert!(ran.err.contains(words), "{words}: {ran:#?}");
    }
    assert_eq!(ran.err.matches("W0304").count(), 1, "it is said once: {ran:#?}");
}
