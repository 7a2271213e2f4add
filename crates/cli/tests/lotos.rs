//! What holds of labels and places of LOTOS specifications at the command line: hiding, comparison with graphs, networks, formulas, stories
//! and messages.

mod common;

use common::{Folder, run};

/// Two cells in a row; the middle gate is hidden. Values are bits.
const ROW: &str = "specification Row [put, get] : noexit
library Bit endlib
behaviour
  hide mid in Cell [put, mid] |[mid]| Cell [mid, get]
where
  process Cell [in1, out1] : noexit :=
    in1 ?b : Bit;
    out1 !b;
    Cell [in1, out1]
  endproc
endspec
";

#[test]
fn labels_are_those_of_caesar() {
    let folder = Folder::new("lotos-labels");
    let row = folder.file("row.lotos", ROW);
    let graph = folder.path("row.aut");
    assert_eq!(run(["convert", &row, &graph]).code, Some(0));
    let text = std::fs::read_to_string(&graph).expect("it was written");
    for label in ["\"PUT !0\"", "\"PUT !1\"", "\"GET !0\"", "\"GET !1\"", "i"] {
        assert!(text.contains(label), "{label}: {text}");
    }
    // Each cell is empty or holds a bit: 9 states; 6 in which a bit is put, 6 in which one is given, 2 in which it is passed on.
    assert!(text.starts_with("des (0, 14, 9)"), "{text}");
    // The graph is the specification; by hand, a queue of two bits is it too where internal steps do not count.
    assert_eq!(run(["compare", &row, &graph, "--relation", "strong"]).code, Some(0));
    let first = "des (0, 2, 2)\n(0, \"PUT !0\", 1)\n(1, \"GET !0\", 0)\n";
    let first = folder.file("one.aut", first);
    let ran = run(["compare", &row, &first, "--relation", "tau-star-a"]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    assert!(ran.out.contains("PUT !"), "{ran:#?}");
}

#[test]
fn labels_can_be_hidden_and_named_in_formulas() {
    let folder = Folder::new("lotos-hiding");
    let row = folder.file("row.lotos", ROW);
    let graph = folder.path("hidden.aut");
    assert_eq!(run(["convert", &row, &graph, "--hide", "PUT.*"]).code, Some(0));
    let text = std::fs::read_to_string(&graph).expect("it was written");
    assert!(!text.contains("PUT") && text.contains("GET !1"), "{text}");
    // What is put in is not always given out, since one may stop putting; but it is never given out before.
    let holds = run(["check", &row, "--ltl", "(!\"GET !1\") W \"PUT !1\""]);
    assert_eq!(holds.code, Some(0), "{holds:#?}");
    let fails = run(["check", &row, "--ltl", "G F \"GET !1\""]);
    assert_eq!(fails.code, Some(1), "{fails:#?}");
    let hidden = run(["check", &row, "--hide", "GET.*", "--forbid", "GET !1"]);
    assert_eq!(hidden.code, Some(0), "{hidden:#?}");
    assert_eq!(run(["check", &row, "--forbid", "GET !1"]).code, Some(1));
}

#[test]
fn stories_have_places_and_values() {
    let folder = Folder::new("lotos-stories");
    let row = folder.file("row.lotos", ROW);
    let story = run(["check", &row, "--forbid", "GET !1", "--shortest"]).out;
    // The place of each action, the gate that is hidden, and the value that a place holds.
    for part in ["line 7", "line 8", "PUT !1", "i (OUT1)", "GET !1", "b=1"] {
        assert!(story.contains(part), "{part}: {story}");
    }
    let simulated = run(["simulate", &row, "--steps", "3"]);
    assert_eq!(simulated.code, Some(0), "{simulated:#?}");
    assert!(simulated.out.contains("CELL") && simulated.out.contains("line 7"), "{}", simulated.out);
    let json = run(["check", &row, "--forbid", "GET !1", "--json"]).json();
    assert_eq!(json["verdict"], "fails", "{json:#}");
}

/// A question that makes no sense of a language is refused with the reason.
#[test]
fn boundedness_does_not_apply() {
    let folder = Folder::new("lotos-bounded");
    let row = folder.file("row.lotos", ROW);
    let ran = run(["bounded", &row]);
    assert_eq!(ran.code, Some(2), "{ran:#?}");
    assert!(ran.err.contains("LOTOS) has no channels to ask about: its parts act together"), "{}", ran.err);
}

/// Everything that is wrong is said at once, each with the line and a caret.
#[test]
fn messages_have_carets() {
    let folder = Folder::new("lotos-carets");
    let broken = ROW.replace("out1 !b", "out2 !c").replace("Cell [put, mid]", "Cel [put, mid]");
    let broken = folder.file("broken.lotos", broken);
    let ran = run(["check", &broken]);
    assert_eq!(ran.code, Some(2), "{ran:#?}");
    for part in [
        "4 |   hide mid in Cel [put, mid] |[mid]| Cell [mid, get]\n  |               ^^^\n",
        "help: is `cell` meant?",
        "8 |     out2 !c;\n  |     ^^^^\n",
        "8 |     out2 !c;\n  |           ^\n",
        "3 errors",
    ] {
        assert!(ran.err.contains(part), "{part}\n{}", ran.err);
    }
}

/// A library beside the specification, in a file that is written in other letters and in Latin-1.
#[test]
fn libraries_are_found_beside_the_specification() {
    let folder = Folder::new("lotos-library");
    let library = b"(* donn\xe9es *) type Colour is sorts Colour opns red, green : -> Colour endtype";
    std::fs::write(folder.path("Colours.lib"), library).expect("it can be written");
    let text = "specification S [g] : noexit library Colours endlib behaviour P [g] where \
                process P [g] : noexit := g ?c : Colour; P [g] endproc endspec";
    let model = folder.file("colours.lotos", text);
    let answer = run(["check", &model, "--json"]).json();
    assert_eq!((&answer["verdict"], &answer["transitions"]), (&"holds".into(), &2.into()), "{answer:#}");
}
