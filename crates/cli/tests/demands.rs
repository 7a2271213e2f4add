//! What a model demands is what is checked.

mod common;

use common::{Folder, run};

/// SPIN reports the violation of p1; a tool that does not look at it would say that the model holds.
const FALSE_FORMULA: &str = "byte x;\nltl p1 { [] (x == 0) }\nactive proctype P() { x = 1 }\n";

const MANY: &str = "\
byte x;
ltl never_two { [] (x < 2) }
ltl one { <> (x == 1) }
active proctype P() { x = 1; progress: do :: x = 1 od }
never { do :: x == 3 -> break :: else od }
";

#[test]
fn a_formula_of_the_model_is_checked() {
    let folder = Folder::new("demands-formula");
    let file = folder.file("m.pml", FALSE_FORMULA);
    let ran = run(["check", &file]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    assert!(ran.out.contains("fails: p1: [] (x == 0)"), "{ran:#?}");
    assert!(ran.out.contains("2 properties: 1 hold, 1 fail"), "{ran:#?}");
    assert_eq!(run(["check", &file, "--safety-only"]).code, Some(0));
    assert_eq!(run(["check", &file, "--only", "safety"]).code, Some(0));
    assert_eq!(run(["check", &file, "--only", "p1"]).code, Some(1));
}

#[test]
fn formulas_claims_and_labels_have_a_line_and_a_verdict_each() {
    let folder = Folder::new("demands-many");
    let file = folder.file("m.pml", MANY);
    let ran = run(["check", &file, "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    let json = ran.json();
    let field = |property: &serde_json::Value, name: &str| property[name].as_str().map(str::to_owned);
    let told: Vec<_> = json["properties"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|property| (field(property, "kind"), field(property, "name"), field(property, "verdict")))
        .collect();
    let expected = [
        ("safety", None),
        ("ltl", Some("never_two")),
        ("ltl", Some("one")),
        ("never claim", Some("never")),
        ("progress", None),
    ];
    let expected: Vec<_> = expected
        .into_iter()
        .map(|(kind, name)| (Some(kind.to_owned()), name.map(str::to_owned), Some("holds".to_owned())))
        .collect();
    assert_eq!(told, expected);
    let two = run(["check", &file, "--claim", "one", "--claim", "never", "--json"]).json();
    assert_eq!(two["properties"].as_array().map(Vec::len), Some(2));
    let wrong = run(["check", &file, "--only", "nevr"]);
    assert_eq!(wrong.code, Some(2), "{wrong:#?}");
    assert!(wrong.err.contains("did you mean `never`?"), "{wrong:#?}");
}

#[test]
fn standard_input_is_read_once_for_all_properties() {
    let ran = common::fed(&["check", "-", "--language", "promela"], FALSE_FORMULA);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
}

/// A store that cannot serve one of the properties serves the others.
#[test]
fn a_store_is_used_where_it_can_be() {
    let folder = Folder::new("demands-store");
    let file = folder
        .file("m.pml", "byte x;\nltl p { [] <> (x == 1) }\nactive proctype P() { do :: x = 1 - x od }\n");
    let ran = run(["check", &file, "--store", "tree"]);
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    assert!(
        ran.err.contains("warning[W0303]: p: ") && ran.err.contains("the usual search is used"),
        "{ran:#?}"
    );
    // Who names the property is refused, as before.
    assert_eq!(run(["check", &file, "--store", "tree", "--claim", "p"]).code, Some(2));
}

#[test]
fn options_about_infinite_runs_need_a_property_of_them() {
    let folder = Folder::new("demands-fair");
    let fine = folder.file("fine.pml", FALSE_FORMULA);
    assert_eq!(run(["check", &fine, "--fair", "weak"]).code, Some(1));
    let plain = folder.file("plain.pml", "init { skip }\n");
    let ran = run(["check", &plain, "--fair", "weak"]);
    assert_eq!(ran.code, Some(2), "{ran:#?}");
    assert!(ran.err.contains("--fair is about properties of infinite runs"), "{ran:#?}");
}

/// A formula that holds does not stand for labels that it does not look at.
#[test]
fn acceptance_labels_are_checked_beside_a_formula() {
    let folder = Folder::new("demands-accept");
    let model = "byte x;\nltl p { [] (x == 0) }\nactive proctype P() { accept: do :: x = 0 od }\n";
    let file = folder.file("m.pml", model);
    let json = run(["check", &file, "--json"]).json();
    let told =
        |at: usize| (json["properties"][at]["kind"].as_str(), json["properties"][at]["verdict"].as_str());
    assert_eq!(told(1), (Some("ltl"), Some("holds")));
    assert_eq!(told(2), (Some("acceptance"), Some("fails")));
    assert_eq!(json["verdict"], "fails");
}

/// A claim with too many guards for an automaton has its own name, and what is not looked for is told.
#[test]
fn what_is_doubtful_about_a_claim_is_told() {
    let folder = Folder::new("demands-guards");
    let guards: String = (1..70).map(|value| format!(":: x == {value} -> break ")).collect();
    let model = format!("byte x;\nactive proctype P() {{ skip }}\nnever {{ do {guards} :: else od }}\n");
    let file = folder.file("m.pml", model);
    let ran = run(["check", &file, "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    assert!(ran.err.contains("more than 64 different guards"), "{ran:#?}");
    let claim = &ran.json()["properties"][1];
    assert_eq!((claim["kind"].as_str(), claim["name"].as_str()), (Some("never claim"), Some("never")));
}

/// Formulas are decided on one recording of the graph, those that fail too: with the run that a search for each of them finds.
#[test]
fn properties_share_one_walk() {
    let folder = Folder::new("demands-shared");
    let holding = (0..8).map(|number| format!("ltl p{number} {{ [] (x < {}) }}\n", 5 + number));
    let program =
        "byte x;\nactive [2] proctype P() { do :: atomic { x < 3 -> x++ } :: atomic { x > 0 -> x-- } od }\n";
    let wrong = "ltl high { [] (x < 3) }\nltl stays { <> [] (x > 0) }\n";
    let text = program.to_owned() + &holding.collect::<String>() + wrong;
    let file = folder.file("m.pml", &text);
    let ran = run(["check", &file, "--json"]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    let json = ran.json();
    let properties = json["properties"].as_array().expect("a list");
    let told = |name: &str, field: &str| {
        let one = properties.iter().find(|property| property["name"].as_str() == Some(name));
        one.expect("a property of the model")[field].clone()
    };
    for number in 0..8 {
        assert_eq!(told(&format!("p{number}"), "shared_by"), 10, "{json:#}");
    }
    for (name, is_lasso) in [("high", false), ("stays", true)] {
        assert_eq!(told(name, "shared_by"), 10, "{json:#}");
        assert_eq!(told(name, "verdict"), "fails");
        let alone = run(["check", &file, "--json", "--only", name]).json();
        let alone = &alone["properties"][0]["violation"];
        let together = told(name, "violation");
        assert_eq!(together["loop_start"].is_null(), !is_lasso, "{together:#}");
        assert_eq!(alone["loop_start"].is_null(), !is_lasso, "{alone:#}");
        if !is_lasso {
            assert_eq!(together["length"], alone["length"], "both are shortest");
        }
    }
    // What was chosen about the search is kept to.
    let chosen = run(["check", &file, "--json", "--store", "tree"]).json();
    assert!(
        chosen["properties"].as_array().is_some_and(|all| all.iter().all(|one| one["shared_by"].is_null()))
    );
}

/// The search for one property leaves time for the others.
#[test]
fn time_is_shared_among_properties() {
    let folder = Folder::new("demands-time");
    let bytes = (0..6).map(|number| format!("byte x{number};\n"));
    let processes = (0..6).map(|number| format!("active proctype P{number}() {{ do :: x{number}++ od }}\n"));
    let text = bytes.chain(processes).collect::<String>() + "ltl low { [] (x0 < 3) }\n";
    let file = folder.file("m.pml", &text);
    let ran = run(["check", &file, "--json", "--time", "2s", "--reductions", "none"]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    let json = ran.json();
    assert_eq!(json["properties"][0]["verdict"], "unknown", "2^48 states: {json:#}");
    assert_eq!(json["properties"][1]["verdict"], "fails", "{json:#}");
}
