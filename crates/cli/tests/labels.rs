//! `--hide`, `--hide-all-but` and `--rename`: one meaning in every command that has labels.

mod common;

use common::{Folder, Ran, case, directives, run};

const GRAPH: &str = "des (0, 4, 3)\n(0, \"put !1\", 1)\n(1, step, 2)\n(2, \"get !1\", 0)\n(1, i, 1)\n";
const NET: &str = "let A = \"model.aut\"\nA ||| A\n";
const PROMELA: &str = "chan put = [0] of { byte }; chan get = [0] of { byte }; chan step = [1] of { byte }
active proctype Left() { byte x; do :: put?x; step!x; step?x; get!x od }
active proctype User() { do :: put!1 od }
active proctype Taker() { byte y; do :: get?y od }
";
const FIFO: &str = "channel put from A to B of one
channel get from B to A of one
machine A { 0 -> 1: put!one\n 1 -> 0: get?one }
machine B { 0 -> 1: put?one\n 1 -> 0: get!one }
";

/// One model in each kind of language.
fn models(folder: &Folder) -> [String; 4] {
    let graph = folder.file("model.aut", GRAPH);
    let network = folder.file("model.net", NET);
    [graph, network, folder.file("model.pml", PROMELA), folder.file("model.fifo", FIFO)]
}

/// A command on a model.
fn with(command: &str, model: &str, options: &[&str]) -> Ran {
    let first = match command {
        "compare" => vec!["compare", model, model],
        "reduce" => vec!["reduce", model, "--relation", "weak-trace"],
        "convert" => vec!["convert", model, "-", "--format", "cadp"],
        _ => vec![command, model],
    };
    run([&first, options].concat())
}

const COMMANDS: [&str; 5] = ["check", "compare", "reduce", "convert", "info"];

#[test]
fn five_commands_take_the_three_options_on_every_kind_of_model() {
    let folder = Folder::new("labels-matrix");
    for model in models(&folder) {
        for command in COMMANDS {
            for options in [["--hide", "put.*"], ["--hide-all-but", "put.*"], ["--rename", "put(.*)=>in\\1"]]
            {
                let ran = with(command, &model, &options);
                assert_eq!(ran.code, Some(0), "{command} {options:?}: {ran:#?}");
                assert!(!ran.err.contains("no label"), "{command} {options:?}: {ran:#?}");
                // What is written has the new labels, and only these.
                if command == "convert" {
                    let has = |text: &str| ran.out.contains(text);
                    let (old, new, others) = match options[0] {
                        "--hide" => (false, false, true),
                        "--hide-all-but" => (true, false, false),
                        _ => (false, true, true),
                    };
                    let found = (has("\"put"), has("\"in"), has("\"get"));
                    assert_eq!(found, (old, new, others), "{ran:#?}");
                }
            }
        }
    }
}

#[test]
fn what_is_no_pattern_is_refused_everywhere() {
    let folder = Folder::new("labels-wrong");
    for model in models(&folder) {
        for command in COMMANDS {
            for (options, reason) in [
                (["--hide", "("], "`(` is not a regular expression: unclosed group"),
                (["--hide-all-but", "a)(b"], "`a)(b` is not a regular expression"),
                (["--rename", "a->b"], "`a->b` is not a renaming: it has no `=>`"),
                (["--rename", "a=>\\1"], "\\1 stands for nothing"),
                (["--rename", "a=>"], "`a` is renamed to nothing"),
            ] {
                let ran = with(command, &model, &options);
                assert!(ran.code == Some(2) && ran.err.contains(reason), "{command} {options:?}: {ran:#?}");
            }
        }
        // All of it at once.
        let ran = with("check", &model, &["--hide", "(", "--rename", "x"]);
        assert!(ran.err.contains("`(` is not") && ran.err.contains("`x` is not a renaming"), "{ran:#?}");
    }
}

#[test]
fn a_pattern_that_matches_no_label_is_told_everywhere() {
    let folder = Folder::new("labels-unmet");
    for model in models(&folder) {
        for command in COMMANDS {
            let ran = with(command, &model, &["--hide", "nothing at all"]);
            let known = command != "info" || model.ends_with(".aut") || model.ends_with(".net");
            let told = ran.err.contains("warning[W0118]: no label matches `nothing at all`\n");
            assert_eq!((ran.code, told), (Some(0), known), "{command} {model}: {ran:#?}");
            let note = ran.err.contains("not known before it is explored");
            assert_eq!(note, !known, "{command} {model}: {ran:#?}");
        }
        // Where not all was seen, that is said: except of a graph, whose labels are all known.
        let ran = with("check", &model, &["--hide", "nothing", "--forbid", "put.*"]);
        let so_far = ran.err.contains("no label matches `nothing` among those met so far");
        assert_eq!((ran.code, so_far), (Some(1), !model.ends_with(".aut")), "{ran:#?}");
        let ran = with("check", &model, &["--rename", "pot=>x", "--ltl", "[] (!action(nothing))"]);
        assert!(ran.err.contains("no label matches `pot`\n"), "{ran:#?}");
    }
    let ran = with("convert", &case("vending.aut"), &["--hide", "COFEE"]);
    assert!(ran.err.contains("did you mean `COFFEE`?"), "{ran:#?}");
}

/// `reduce --hide` matched parts of labels once.
#[test]
fn parts_of_labels_are_told_with_the_new_spelling() {
    for (old, new) in [("OFF", ".*OFF.*"), ("^JA", "JA.*"), ("EE$", ".*EE"), ("JA|OIN", ".*(JA|OIN).*")] {
        for command in ["reduce", "check"] {
            let ran = with(command, &case("vending.aut"), &["--hide", old]);
            let help = format!("a pattern must match the whole label: `{new}` matches `");
            assert!(ran.code == Some(0) && ran.err.contains(&help), "{old}: {ran:#?}");
            let ran = with(command, &case("vending.aut"), &["--hide", new]);
            assert!(!ran.err.contains("warning"), "{new}: {ran:#?}");
        }
    }
    // Whole labels between anchors mean what they meant.
    let ran = with("reduce", &case("vending.aut"), &["--hide", "^COIN$"]);
    assert!(!ran.err.contains("warning") && !ran.out.contains("COIN"), "{ran:#?}");
}

#[test]
fn a_check_of_labels_says_that_programs_are_not_reduced() {
    let folder = Folder::new("labels-reductions");
    let [graph, _, promela, fifo] = models(&folder);
    let why = "reductions do not keep the labels of a program (--hide, --hide-all-but, --rename)";
    for model in [&promela, &fifo] {
        let ran = with("check", model, &["--hide", "put.*", "-v"]);
        assert!(ran.out.contains(&format!("no partial order reduction, because {why}")), "{ran:#?}");
        let ran = with("check", model, &["-v"]);
        assert!(!ran.out.contains(why), "{ran:#?}");
        let sleep = ["--hide", "put.*", "--reductions", "sleep", "--search", "dfs"];
        let ran = with("check", model, &sleep);
        assert!(ran.out.contains(&format!("because {why}")), "{ran:#?}");
        let ran = with("check", model, &["--hide", "put.*", "--reductions", "symmetry"]);
        assert!(ran.code == Some(2) && ran.err.contains(why), "{ran:#?}");
    }
    let ran = with("check", &graph, &["--hide", "put.*"]);
    assert!(ran.code == Some(0) && !ran.out.contains(why), "{ran:#?}");
}

#[test]
fn a_run_is_told_with_both_names() {
    let folder = Folder::new("labels-story");
    let [graph, ..] = models(&folder);
    let ran = with("check", &graph, &["--rename", "put !(.)=>in \\1", "--hide", "step", "--forbid", "get.*"]);
    assert!(ran.code == Some(1), "{ran:#?}");
    assert!(ran.out.contains("in 1 (put !1)") && ran.out.contains("i (step)"), "{ran:#?}");
}

/// Also of a model whose atomic sequences have several labels: the trail is one of the program.
#[test]
fn trails_are_of_the_program() {
    let folder = Folder::new("labels-trail");
    let model = folder.file(
        "two.pml",
        "byte x; active proctype p() { do :: atomic { x++; printf(\"a\\n\"); printf(\"b\\n\") } :: x == 3 -> assert(false) od }",
    );
    let (plain, labels) = (folder.path("plain.trail"), folder.path("labels.trail"));
    let shortest = ["--reductions", "none", "--shortest"];
    let ran = with("check", &model, &[&shortest[..], &["--trail", &plain]].concat());
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    let options = ["--trail", &labels, "--rename", "a=>c"];
    let ran = with("check", &model, &[&shortest[..], &options].concat());
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    assert_eq!(std::fs::read(&plain).expect("written"), std::fs::read(&labels).expect("written"));
    let replayed = run(["replay", &model, &labels]);
    assert!(replayed.code == Some(1) && replayed.out.contains("assert"), "{replayed:#?}");
    // A lasso, too.
    let endless = folder.file(
        "endless.pml",
        "byte x; active proctype p() { do :: atomic { x = 1 - x; printf(\"a\\n\"); printf(\"b\\n\") } od }",
    );
    let ran =
        with("check", &endless, &["--ltl", "<> action(c)", "--trail", &labels, "--force", "--hide", "b"]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    assert_eq!(run(["replay", &endless, &labels]).code, Some(0));
}

#[test]
fn what_cannot_be_decided_of_labels_is_refused() {
    let folder = Folder::new("labels-refused");
    let model = folder.file(
        "two.pml",
        "active proctype p() { do :: atomic { printf(\"a\\n\"); printf(\"b\\n\") } od }
         byte x; active proctype q() { x = 1 }",
    );
    let fair = ["--ltl", "<> (x == 1)", "--fair", "weak"];
    assert_eq!(with("check", &model, &fair).code, Some(0));
    let ran = with("check", &model, &[&fair[..], &["--hide", "a"]].concat());
    assert!(ran.code == Some(2) && ran.err.contains("weak fairness cannot be decided"), "{ran:#?}");
    let fair = ["--ltl", "<> (x == 1)", "--fair", "strong", "--hide", "a"];
    assert_eq!(with("check", &model, &fair).code, Some(0));
    let traced = folder.file(
        "traced.pml",
        "chan c = [1] of { byte }; trace { do :: c!1; c?1 od } active proctype p() { c!2 }",
    );
    assert_eq!(with("check", &traced, &[]).code, Some(1));
    let ran = with("check", &traced, &["--hide", "c!2"]);
    assert!(ran.code == Some(2) && ran.err.contains("its `trace` is about statements"), "{ran:#?}");
    let ran = with("convert", &traced, &["--hide", "c!2"]);
    assert!(ran.code == Some(0) && ran.err.contains("its `trace` is not looked at"), "{ran:#?}");
}

/// What is not about actions is answered the same of a program that is observed, whatever is hidden of it.
#[test]
fn the_cases_have_the_same_answers_with_labels() {
    let about_actions =
        ["--forbid", "--hide", "--hide-all-but", "--rename", "--reductions", "--ltlf", "--mu", "--ctl"];
    let (mut same, mut refused, mut too_many) = (0, 0, 0);
    for directive in directives() {
        let options = &directive.options;
        let has = |text: &str| options.iter().any(|option| option.contains(text));
        // A step with several labels counts as several.
        let counts = ["X", "--states", "--depth", "--swarm", "action("].iter().any(|text| has(text));
        // Of graphs, networks, LOTOS specifications and nets the propositions are actions, or may be.
        let of_actions = ["aut", "net", "lotos", "pnml"];
        let is_program =
            !directive.model.extension().is_some_and(|ending| of_actions.iter().any(|own| ending == *own));
        let counts = counts || has("--ltl") && !is_program;
        let wanted = options[0] == "check" && !about_actions.iter().any(|option| has(option)) && !counts;
        let expected = directive.expected.iter().find(|(key, _)| key == "verdict");
        let Some((_, expected)) = expected.filter(|_| wanted) else { continue };
        let command =
            [vec!["check".to_owned(), directive.model.display().to_string()], options[1..].to_vec()];
        let hidden = ["--hide", ".*", "--quiet", "--reductions", "none"].map(str::to_owned);
        let ran = run(command.concat().into_iter().chain(hidden));
        if ran.code == Some(2) {
            assert!(ran.err.contains("cannot be"), "{directive:?}: {ran:#?}");
            refused += 1;
            continue;
        }
        if ran.code == Some(3) && is_program && ran.out.contains("a step has more outcomes") {
            // The ways through it are told apart, since they may have different labels.
            too_many += 1;
            continue;
        }
        let verdict = match ran.code {
            Some(0) => "holds",
            Some(1) => "fails",
            _ => "unknown",
        };
        assert_eq!(verdict, expected, "{directive:?}: {ran:#?}");
        same += 1;
    }
    let text = format!("{same} the same, {refused} refused, {too_many} with too many ways");
    assert!(same > 100 && refused < 20 && too_many < 5, "{text}");
}
