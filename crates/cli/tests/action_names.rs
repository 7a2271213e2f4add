//! The names of actions have one meaning in every language and every way to ask: `--ltl`, `--ltlf` and `--forbid`.

mod common;

use common::{Folder, run};

/// A model whose runs alternate between the action `visible` and an internal one, and how it is loaded.
struct Alternating {
    file: String,
    options: &'static [&'static str],
    visible: &'static str,
    /// Whether a name in a formula is an action.
    bare_names: bool,
}

fn alternating(folder: &Folder) -> Vec<Alternating> {
    let graph = folder.file("tau.aut", "des (0, 2, 2)\n(0, \"go !1\", 1)\n(1, tau, 0)\n");
    let named = folder.file("named.aut", "des (0, 2, 2)\n(0, \"go !1\", 1)\n(1, quiet, 0)\n");
    let network = folder.file("tau.net", "\"tau.aut\"\n");
    let machines = folder.file(
        "go.fifo",
        "channel c from A to B of go\nmachine A {\n 0 -> 0: c!go\n}\nmachine B {\n 0 -> 0: c?go\n}\n",
    );
    let promela = folder
        .file("go.pml", "chan c = [1] of { byte };\nactive proctype P() { byte x; do :: c!1; c?x od }\n");
    let model = |file, options, visible, bare_names| Alternating { file, options, visible, bare_names };
    vec![
        model(graph, &[], "go !1", true),
        model(named, &["--tau", "quiet"], "go !1", true),
        model(network, &[], "go !1", true),
        model(machines, &["--capacity", "1", "--hide", "c\\?go"], "c!go", false),
        model(promela, &["--hide", "c\\?.*"], "c!1", false),
    ]
}

#[test]
fn internal_actions_are_the_same_in_every_language_and_logic() {
    let folder = Folder::new("action-names");
    for model in alternating(&folder) {
        let code = |option: &str, text: &str| {
            let ran = run(["check", &model.file, option, text].iter().chain(model.options));
            assert!(matches!(ran.code, Some(0 | 1)), "{option} {text}: {ran:#?}");
            ran.code == Some(0)
        };
        let visible = format!("action(\"{}\")", model.visible);
        let mut internal = vec!["action(tau)", "action(i)", "action(\"τ\")"];
        if model.bare_names {
            internal.extend(["tau", "i", "τ"]);
        }
        for logic in ["--ltl", "--ltlf"] {
            for name in &internal {
                let says = |formula: String, holds: bool| {
                    assert_eq!(code(logic, &formula), holds, "{}: {logic} {formula}", model.file);
                };
                says(format!("G({visible} | {name})"), true);
                says(format!("G !{name}"), false);
                says(format!("G {name}"), false);
                says(format!("G({visible} -> !{name})"), true);
            }
        }
        for (pattern, holds) in [
            ("tau", false),
            ("i", false),
            ("τ", false),
            (model.visible, false),
            // Whole labels, not parts of them.
            (&model.visible[..1], true),
            ("t", true),
            (".*", false),
        ] {
            let ran = run(["check", &model.file, "--end-states", "ignore", "--forbid", pattern]
                .iter()
                .chain(model.options));
            assert_eq!(ran.code, Some(i32::from(!holds)), "--forbid {pattern}: {ran:#?}");
        }
    }
}

#[test]
fn without_internal_actions_their_names_mean_nothing() {
    let folder = Folder::new("no-internal");
    let graph = folder.file("go.aut", "des (0, 2, 2)\n(0, go, 1)\n(1, stop, 0)\n");
    let promela = folder.file("go.pml", "byte i;\nactive proctype P() { do :: i = 1; i = 0 od }\n");
    for file in [&graph, &promela] {
        for (option, text) in [("--ltl", "G !action(tau)"), ("--ltlf", "G !action(i)"), ("--forbid", "tau")] {
            let ran = run(["check", file, option, text]);
            assert_eq!(ran.code, Some(0), "{option} {text}: {ran:#?}");
        }
    }
    // In Promela a name outside of `action(..)` is a variable.
    assert_eq!(run(["check", &promela, "--ltl", "G (i <= 1)"]).code, Some(0));
}

#[test]
fn a_forbidden_pattern_that_matches_parts_only_is_pointed_out() {
    let folder = Folder::new("forbidden-parts");
    let graph = folder.file("crash.aut", "des (0, 2, 2)\n(0, \"CRASH !1\", 1)\n(1, stop, 0)\n");
    let ran = run(["check", &graph, "--forbid", "CRASH"]);
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    assert!(ran.err.contains("--forbid CRASH matches parts of labels, but no whole label"), "{ran:#?}");
    assert!(ran.err.contains("did you mean --forbid '.*CRASH.*'?"), "{ran:#?}");
    assert_eq!(run(["check", &graph, "--forbid", ".*CRASH.*"]).code, Some(1));
    // The same of statements, and nothing of an action that never happens.
    let promela = folder.file("x.pml", "byte x;\nactive proctype P() { do :: x = 1; x = 0 od }\n");
    let ran = run(["check", &promela, "--forbid", "x = "]);
    assert!(ran.err.contains("did you mean --forbid '.*x = .*'?"), "{ran:#?}");
    assert!(!run(["check", &promela, "--forbid", "y = .*"]).err.contains("--forbid"), "{ran:#?}");
}

#[test]
fn channels_of_machines_are_written_as_they_are_printed() {
    let folder = Folder::new("channels-as-printed");
    let machines = folder.file(
        "hello.fsa",
        ".outputs A\n.state graph\nq0 1 ! hello q1\n.marking q0\n.end\n\n\
         .outputs B\n.state graph\nq0 0 ? hello q1\n.marking q0\n.end\n",
    );
    for logic in ["--ltl", "--ltlf"] {
        for (formula, code) in [
            ("G (len(A>B) <= 1)", 0),
            ("G (len(A>B) == 0)", 1),
            ("G !nempty(A>B)", 1),
            ("G empty( A>B )", 1),
            ("G (first(A>B) != hello)", 1),
            ("G (A@q0 -> empty(A>B))", 0),
            ("G empty(\"A>B\")", 1),
        ] {
            let ran = run(["check", &machines, logic, formula]);
            assert_eq!(ran.code, Some(code), "{logic} {formula}: {ran:#?}");
        }
        let ran = run(["check", &machines, logic, "G empty(A>C)"]);
        assert!(ran.code == Some(2) && ran.err.contains("did you mean `A>B`?"), "{ran:#?}");
    }
}

#[test]
fn words_of_comments_and_strings_are_no_names() {
    let folder = Folder::new("words");
    let text = "/* an action( of Fred */ // action\nbyte Gate;\n\
                active proctype P() { do :: Gate = 1; printf(\"action(\\\"Gone\\\")\"); Gate = 0 od }\n";
    let model = folder.file("words.pml", text);
    let ran = run(["check", &model, "--ltl", "G !action(\".*Gate = 1\")"]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    // A variable that begins with an operator is a name still.
    assert_eq!(run(["check", &model, "--ltl", "G (Gate <= 1)"]).code, Some(0));
    // A macro called `action` is the model's.
    let text = "#define action(v) (x == v)\nbyte x;\nactive proctype P() { do :: x = 1; x = 0 od }\n";
    let model = folder.file("macro.pml", text);
    assert_eq!(run(["check", &model, "--ltl", "G !action(1)"]).code, Some(1));
    assert_eq!(run(["check", &model, "--ltl", "G !action(2)"]).code, Some(0));
}
