//! `elnath ltl`: the automata of formulas, as people and other tools read them.

mod common;

use common::{Folder, Ran, run, skipped};
use serde_json::Value;
use std::process::Command;

const PHI1: &str = "G(a -> X(!a U b))";
const PHI2: &str = "(F a) U (G b)";

fn ltl(arguments: &[&str]) -> Ran {
    let ran = run(["ltl"].into_iter().chain(arguments.iter().copied()));
    assert_eq!(ran.code, Some(0), "{arguments:?}: {ran:#?}");
    ran
}

fn object(arguments: &[&str]) -> Value {
    ltl(&[arguments, &["--json"]].concat()).json()
}

#[test]
fn the_papers_formulas_over_finite_words() {
    // q0* b,t->q0 a->q1; q1* b->q0 t->q2 a->dead; q2 b->q0 t->q2 a->dead.
    let phi1 = ltl(&[PHI1, "--finite", "--actions"]);
    let table = "\
G(!a | X(!a U b))
4 states, 9 edges, 2 accepting, over finite words, the empty word accepted

  state  letters  to
  0*     !a       0
         a        1
  1*     b        0
         !a & !b  2
         a        3
  2      b        0
         !a & !b  2
         a        3
  3      true     3
";
    assert_eq!(phi1.out, table);
    // p0: b->p1, a->p0, t->p2; p1*: b->p1, a->p0, t->p2; p2: b->p2, a->p0, t->p2. The numbers are 0, 2 and 1.
    let phi2 = ltl(&[PHI2, "--finite", "--actions"]);
    let table = "\
F a U G b
3 states, 8 edges, 1 accepting, over finite words, the empty word rejected

  state  letters  to
  0      a        0
         !a & !b  1
         b        2
  1      a        0
         !a       1
  2*     a        0
         !a & !b  1
         b        2
";
    assert_eq!(phi2.out, table);
    let json = object(&[PHI1, "--finite", "--actions"]);
    assert_eq!((&json["states"], &json["type"]), (&4.into(), &"finite".into()));
    assert_eq!((&json["acceptance_sets"], &json["strength"]), (&Value::Null, &Value::Null));
    assert_eq!(json["accepting_states"], serde_json::json!([0, 1]));
    // The effective automata of the prefix reading: after a comes b at once; b and nothing else.
    assert_eq!(object(&[PHI1, "--finite=prefix", "--actions"])["states"], 2);
    let phi2 = ltl(&[PHI2, "--finite=prefix", "--actions"]).out;
    assert!(phi2.ends_with("  state  letters  to\n  0      b        1\n  1*     b        1\n"), "{phi2}");
    // A final a is legal with the weak next and not with the strong one, which makes the states after a one.
    assert_eq!(object(&[PHI1, "--finite", "--actions", "--next", "strong"])["states"], 3);
    assert_eq!(object(&["G(a -> X[!](!a U b))", "--finite", "--actions"])["states"], 3);
    // Of sets of propositions a and b may hold together.
    assert_eq!(object(&["F(a & b)", "--finite"])["states"], 2);
    assert_eq!(object(&["F(a & b)", "--finite", "--actions"])["states"], 1);
}

#[test]
fn the_facts_about_an_automaton() {
    let json = object(&["GFa & GFb"]);
    assert_eq!((&json["states"], &json["acceptance_sets"]), (&1.into(), &2.into()));
    assert_eq!((&json["strength"], &json["class"]), (&"strong".into(), &"recurrence".into()));
    assert_eq!((&json["type"], &json["deterministic"]), (&"tgba".into(), &true.into()));
    assert_eq!(json["propositions"], serde_json::json!(["a", "b"]));
    let json = object(&["GFa & GFb", "--type", "buchi"]);
    assert_eq!((&json["states"], &json["acceptance_sets"]), (&3.into(), &1.into()));
    assert_eq!(json["type"], "buchi");
    let json = object(&["G(a -> F b)", "--negate"]);
    assert_eq!((&json["strength"], &json["class"]), (&"weak".into(), &"persistence".into()));
    assert_eq!(json["formula"], "F(a & G!b)");
    assert_eq!(json["negated"], true);
    let json = object(&["F a"]);
    assert_eq!((&json["strength"], &json["class"]), (&"terminal".into(), &"guarantee".into()));
    assert_eq!(object(&["a & !a"])["strength"], "empty");
    // How operators bind is a matter of whose they are.
    let bound = |dialect| object(&["a U b U c", "--dialect", dialect])["formula"].clone();
    assert_ne!(bound("spot"), bound("spin"));
    let text = ltl(&["GFa & GFb"]).out;
    let expected = "1 state, 4 edges, 2 acceptance sets on transitions, deterministic, strong; \
                    the property is of class recurrence\n";
    assert!(text.contains(expected), "{text}");
    assert!(text.contains("a & b") && text.contains("{0 1}"), "{text}");
}

#[test]
fn hoa_goes_round() {
    let folder = Folder::new("ltl-hoa");
    for (i, formula) in ["GFa & GFb", PHI1, "F G (x > 3)", "false", "p U (q | X r)"].iter().enumerate() {
        let (first, second) = (folder.path(&format!("{i}.hoa")), folder.path(&format!("{i}-again.hoa")));
        ltl(&[formula, "-o", &first]);
        ltl(&["--automaton", &first, "-o", &second]);
        let text = |path: &str| std::fs::read_to_string(path).expect("it was written");
        assert_eq!(text(&first), text(&second), "{formula}");
        let (direct, read) = (object(&[formula]), object(&["--automaton", &first]));
        for field in ["states", "edges", "acceptance_sets", "strength", "deterministic", "propositions"] {
            assert_eq!(direct[field], read[field], "{field} of {formula}");
        }
        assert_eq!((&read["formula"], &read["class"]), (&Value::Null, &Value::Null));
        assert_eq!(read["name"], direct["formula"]);
        assert_eq!(read["automaton"].as_str(), Some(&*text(&first)));
    }
    // Over finite words, the accepting state that nothing leaves keeps its mark.
    let finite = ltl(&["a & X false", "--finite=prefix", "--actions", "--format", "hoa"]).out;
    assert!(finite.contains("State: 1 {0}\n[f] 1\n"), "{finite}");
    // From standard input, which holds two.
    let two = ltl(&["F a", "--format", "hoa"]).out.repeat(2);
    let file = folder.file("two.hoa", two);
    let mut command = common::elnath(["ltl", "--automaton", "-", "--type", "buchi"]);
    let ran = Ran::new(&command.stdin(std::fs::File::open(file).unwrap()).output().expect("elnath runs"));
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    assert!(
        ran.err.contains("1 more automaton") && ran.out.contains("1 acceptance set on states"),
        "{ran:#?}"
    );
}

#[test]
fn spin_reads_the_claims() {
    if Command::new("spin").arg("-V").output().is_err() {
        skipped("spin is not installed: never claims are only looked at");
    }
    let folder = Folder::new("ltl-never");
    for (i, formula) in ["GFa & GFb", "F (a & G !b)", "false", "true", PHI1, PHI2].iter().enumerate() {
        let claim = ltl(&[formula, "--format", "never"]).out;
        assert!(claim.starts_with("never {") && claim.trim_end().ends_with('}'), "{claim}");
        let model = format!("bool a, b;\nactive proctype p() {{ do :: a = !a :: b = !b od }}\n{claim}");
        let name = format!("claim{i}.pml");
        folder.file(&name, model);
        let Ok(spin) = Command::new("spin").args(["-a", &name]).current_dir(folder.as_path()).output() else {
            continue;
        };
        let said =
            String::from_utf8_lossy(&spin.stdout).into_owned() + &String::from_utf8_lossy(&spin.stderr);
        assert!(spin.status.success() && !said.contains("rror"), "{formula}: {said}\n{claim}");
        // Our own front end reads it too.
        let ran = run(["check", &folder.path(&name), "--claim", "never"]);
        assert_ne!(ran.code, Some(2), "{ran:#?}");
    }
}

#[test]
fn pictures_are_well_formed() {
    let folder = Folder::new("ltl-pictures");
    for (i, arguments) in
        [&["GFa & GFb"][..], &[PHI1, "--finite", "--actions"], &["F \"x < 3 & y\""]].iter().enumerate()
    {
        let svg = ltl(&[arguments, &["--format", "svg"][..]].concat()).out;
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{svg}");
        for tag in ["<g", "<text", "<marker", "<defs", "<title"] {
            let opened = svg.matches(&format!("{tag} ")).count() + svg.matches(&format!("{tag}>")).count();
            assert_eq!(opened, svg.matches(&format!("</{}>", &tag[1..])).count(), "{tag} in {svg}");
        }
        assert!(!svg.contains("x < 3"), "names are escaped: {svg}");
        let dot = folder.path(&format!("{i}.dot"));
        ltl(&[arguments, &["-o", &dot][..]].concat());
        match Command::new("dot").args(["-Tsvg", &dot]).output() {
            Ok(drawn) => assert!(drawn.status.success() && drawn.stderr.is_empty(), "{drawn:?}"),
            Err(_) => skipped("dot is not installed: DOT was not drawn"),
        }
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let folder = Folder::new("ltl-refused");
    let kept = folder.file("kept.hoa", "precious");
    let refused = |arguments: &[&str], text: &str| {
        let ran = run(["ltl"].into_iter().chain(arguments.iter().copied()));
        assert_eq!(ran.code, Some(2), "{arguments:?}: {ran:#?}");
        assert!(ran.err.contains(text) && ran.out.is_empty(), "{arguments:?}: {ran:#?}");
        ran
    };
    let ran = refused(&["G(a -> ) & b"], "formula:1:8");
    assert!(ran.err.contains("G(a -> ) & b") && ran.err.contains('^'), "{ran:#?}");
    let json = run(["ltl", "a U", "--json"]).json();
    assert_eq!((&json["command"], &json["messages"][0]["column"]), (&"ltl".into(), &4.into()));
    refused(&[], "required");
    refused(&["F a", "-o", &kept], "--force");
    assert_eq!(std::fs::read_to_string(&kept).expect("it is there"), "precious");
    ltl(&["F a", "-o", &kept, "--force", "--quiet"]);
    assert!(std::fs::read_to_string(&kept).expect("it is there").starts_with("HOA: v1"));
    refused(&["F a", "-o", &folder.path("what.ever")], "cannot tell the format");
    refused(&["F a", "--finite", "--format", "never"], "infinite runs");
    refused(&["F action(send)", "--format", "never"], "cannot speak of actions");
    refused(&["F a", "--actions"], "--finite");
    refused(&["F a", "--automaton", &kept], "cannot be used with");
    refused(
        &["--automaton", &folder.file("bad.hoa", "HOA: v1\nStates: x\n--BODY--\n--END--\n")],
        "bad.hoa:2",
    );
    let many: Vec<String> = (0..65).map(|i| format!("p{i}")).collect();
    refused(&[&many.join(" | ")], "65 propositions");
}
