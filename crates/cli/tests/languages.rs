//! The language of a model: by the ending of its name, by `--language`, from standard input; and formulas that cannot be
//! read, which matter unless others are asked for.

mod common;

use common::{Folder, fed, run};

const MODEL: &str = "byte x; active proctype p() { x = 1; assert(x == 1) }\n";

#[test]
fn endings_of_promela_models() {
    let folder = Folder::new("endings");
    for ending in ["pml", "pr", "prom", "promela", "prm", "pm", "spin", "pml.txt", "PML"] {
        let ran = run(["check", &folder.file(&format!("model.{ending}"), MODEL)]);
        assert_eq!(ran.code, Some(0), "{ending}: {ran:#?}");
    }
    // Text files that say nothing about Promela remain communicating machines.
    assert_eq!(run(["check", &folder.file("model.txt", MODEL)]).code, Some(2));
}

#[test]
fn a_language_can_be_named() {
    let folder = Folder::new("languages");
    for name in ["model.abc", "model", "model.aut"] {
        let file = folder.file(name, MODEL);
        assert_eq!(run(["check", &file]).code, Some(2), "{name}");
        for command in ["check", "info"] {
            let ran = run([command, &file, "--language", "promela"]);
            assert_eq!(ran.code, Some(0), "{name}: {ran:#?}");
        }
    }
    let unknown = run(["check", &folder.file("model.abc", MODEL)]);
    assert!(unknown.err.contains("--language promela"), "{unknown:#?}");
    let wrong = run(["check", &folder.file("model.abc", MODEL), "--language", "pascal"]);
    assert!(wrong.code == Some(2) && wrong.err.contains("promela"), "{wrong:#?}");
}

#[test]
fn a_model_on_standard_input() {
    let ran = fed(&["check", "-", "--language", "promela"], MODEL);
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    // The text is needed twice here: for the model, and for the formula's propositions in its scope.
    let ran = fed(&["check", "-", "--language", "promela", "--ltl", "<> (x == 1)"], MODEL);
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    let ran = fed(&["check", "-", "--language", "promela"], "byte x;\ninit { x = }\n");
    assert_eq!(ran.code, Some(2), "{ran:#?}");
    assert!(ran.err.contains("<standard input>:2:12") && ran.err.contains('^'), "{ran:#?}");
}

#[test]
fn a_formula_with_mistakes_matters_unless_others_are_asked_for() {
    let folder = Folder::new("unreadable");
    let file = folder.file(
        "model.pml",
        format!("{MODEL}ltl f {{ <> x == 1 }}\nltl g {{ [] (x -> ) }}\nltl h {{ [] y }}\n"),
    );
    let ran = run(["check", &file]);
    assert_eq!(ran.code, Some(2), "a property of the model cannot be checked: {ran:#?}");
    let ran = run(["check", &file, "--only", "safety", "--only", "f"]);
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    for part in [
        "formula `g` cannot be checked: expected an expression",
        "formula `h` cannot be checked: there is no variable `y`",
    ] {
        assert!(ran.err.contains(part), "{part}: {ran:#?}");
    }
    assert_eq!(run(["check", &file, "--claim", "f"]).code, Some(0));
    let asked = run(["check", &file, "--claim", "g"]);
    assert_eq!(asked.code, Some(2), "{asked:#?}");
    assert!(asked.err.starts_with("error[E0012]: expected an expression, found `)`"), "{asked:#?}");
    assert!(asked.err.contains(":3:18"), "{asked:#?}");
    assert_eq!(run(["check", &file, "--claim", "h"]).code, Some(2));
}
