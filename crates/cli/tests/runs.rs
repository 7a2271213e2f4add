//! How runs to violations are shown: what is left out, what is explained beside the steps.

mod common;

use common::{Folder, run};

/// The numbers of the steps that are shown.
fn steps_of(out: &str) -> Vec<usize> {
    let number = |line: &str| line.split_whitespace().next().and_then(|word| word.parse().ok());
    out.lines().filter(|line| line.starts_with("  ") && line.contains("line ")).filter_map(number).collect()
}

const LONG: &str =
    "byte n; active proctype Counter() { do :: n < 100 -> n++ :: else -> break od; assert(n < 100) }";

#[test]
fn a_long_run_is_cut_in_the_middle_and_full_shows_all_of_it() {
    let folder = Folder::new("long");
    let file = folder.file("m.pml", LONG);
    let cut = run(["check", &file]);
    let steps = steps_of(&cut.out);
    assert!(steps.len() < 60 && steps.starts_with(&[1, 2]), "{cut:#?}");
    let last = *steps.last().expect("steps");
    assert!(last > 200, "{cut:#?}");
    let left_out = format!("... {} steps left out (--full shows all {last}) ...", last - steps.len());
    assert!(cut.out.contains(&left_out), "{left_out}: {cut:#?}");
    let full = run(["check", &file, "--full"]);
    assert_eq!(steps_of(&full.out), (1..=last).collect::<Vec<_>>(), "{full:#?}");
    assert!(!full.out.contains("left out"), "{full:#?}");
}

#[test]
fn the_line_where_the_cycle_begins_is_not_cut() {
    let folder = Folder::new("lasso");
    let text = "byte n; active proctype P() { do :: n < 100 -> n++ :: n >= 50 -> n = 50; n = 51 od }";
    let file = folder.file("m.pml", text);
    let ran = run(["check", &file, "--ltl", "<> (n > 200)"]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    let lines: Vec<&str> = ran.out.lines().collect();
    let at = lines.iter().position(|line| line.contains("--- from here on")).expect("a cycle");
    let first = lines[at].split_whitespace().find_map(|word| word.parse::<usize>().ok()).expect("a number");
    let number = |line: &str| line.split_whitespace().next().and_then(|word| word.parse::<usize>().ok());
    assert!(first > 30, "the cycle begins late: {ran:#?}");
    assert_eq!(number(lines[at + 1]), Some(first), "the first step of the cycle follows: {ran:#?}");
    assert_eq!(number(lines[at - 1]), Some(first - 1), "the step before it stands before: {ran:#?}");
}

const INLINE: &str = "\
mtype = { idle, busy };
mtype phase = idle;
bool flag, done[20];
byte n;
inline lock() {
  flag = true;
  phase = busy;
  n++
}
active [2] proctype P() {
  lock();
  assert(n == 1)
}
";

/// The lines between a heading and the next line that begins further left.
fn table_of<'o>(out: &'o str, heading: &str) -> Vec<&'o str> {
    let after = out.lines().skip_while(|line| !line.ends_with(heading)).skip(1);
    after.take_while(|line| line.starts_with("          ")).collect()
}

#[test]
fn a_run_begins_and_ends_with_a_table_of_the_state() {
    let folder = Folder::new("table");
    let file = folder.file("m.pml", INLINE);
    let ran = run(["check", &file]);
    let (initial, last) = (table_of(&ran.out, "initial state"), table_of(&ran.out, "final state"));
    // What all share, and a line for each of the two processes.
    assert_eq!((initial.len(), initial[0].trim_start().split("  ").next()), (3, Some("global")), "{ran:#?}");
    assert!(initial[0].contains("phase = idle") && !initial[0].contains("done["), "{ran:#?}");
    assert!(initial[0].contains("22 more are zero, false or empty"), "{ran:#?}");
    assert!(initial[1].trim().starts_with("P:0     at line 6"), "{ran:#?}");
    for part in ["phase = busy", "flag = true", "n = 2"] {
        assert!(last[0].contains(part), "{part}: {ran:#?}");
    }
    let full = run(["check", &file, "--full"]);
    let initial = table_of(&full.out, "initial state");
    assert!(
        initial.concat().contains("done[19] = 0") && initial.concat().contains("flag = false"),
        "{full:#?}"
    );
    assert!(full.out.lines().all(|line| line.len() < 130), "no endless line: {full:#?}");
    let json = run(["check", &file, "--json"]).json();
    let last = json["violation"]["final"].as_str().expect("the final state");
    assert!(last.contains("phase = busy, flag = true"), "{json:#}");
}

#[test]
fn statements_of_an_inline_name_the_call() {
    let folder = Folder::new("inline");
    let file = folder.file("m.pml", INLINE);
    let ran = run(["check", &file]);
    let steps = ran.out.lines().filter(|line| line.contains("line 8   n++"));
    assert!(
        steps.clone().count() == 2 && steps.clone().all(|line| line.contains("in lock called at line 11")),
        "{ran:#?}"
    );
    let json = run(["check", &file, "--json"]).json();
    let call = &json["violation"]["steps"][0]["events"][0]["calls"][0];
    assert_eq!((&call["name"], &call["line"]), (&"lock".into(), &11.into()), "{json:#}");
    // Calls in calls: the innermost first.
    let nested = folder
        .file("nested.pml", "inline a(x) {\n  assert(x)\n}\ninline b() {\n  a(false)\n}\ninit {\n  b()\n}\n");
    let ran = run(["check", &nested]);
    assert!(ran.out.contains("(line 2, in a called at line 5, in b called at line 8)"), "{ran:#?}");
}

#[test]
fn processes_have_colours_on_a_terminal_only() {
    let folder = Folder::new("colours");
    let file = folder.file("m.pml", INLINE);
    let plain = run(["check", &file]);
    assert!(!plain.out.contains('\u{1b}'), "{plain:#?}");
    let colored = run(["check", &file, "--color", "always"]);
    let colour_of = |actor: &str| {
        let colours = colored.out.match_indices(actor).filter_map(|(at, _)| {
            let before = &colored.out[..at];
            before.ends_with('m').then(|| &before[before.rfind('\u{1b}').expect("a colour")..])
        });
        let mut colours: Vec<&str> = colours.filter(|colour| *colour != "\u{1b}[1m").collect();
        colours.dedup();
        assert_eq!(colours.len(), 1, "{actor} has one colour: {colored:#?}");
        colours[0]
    };
    assert_ne!(colour_of("P:0"), colour_of("P:1"));
}

#[test]
fn the_truth_of_propositions_stands_beside_a_temporal_run() {
    let folder = Folder::new("truths");
    let text = "byte x; active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 1 od }";
    let file = folder.file("m.pml", text);
    let ran = run(["check", &file, "--ltl", "[] (x < 2 || <> (x == 0))"]);
    let names: Vec<&str> =
        ran.out.lines().filter(|line| line.starts_with("        ")).take(2).map(str::trim).collect();
    assert_eq!(names, ["a  x < 2", "b  x == 0"], "{ran:#?}");
    let shown = |number: usize| {
        let line = ran.out.lines().find(|line| line.trim_start().starts_with(&format!("{number}  ")));
        line.expect("a step").split_whitespace().nth(1).expect("what holds").to_owned()
    };
    // In the initial state both hold; x = 1 after the second step, and x = 2 after the fourth.
    assert_eq!([0, 1, 2, 3, 4].map(shown), ["ab", "ab", "a.", "a.", ".."], "{ran:#?}");
    let json = run(["check", &file, "--ltl", "[] (x < 2 || <> (x == 0))", "--json"]).json();
    let holds = &json["violation"]["propositions"][0]["holds"];
    assert_eq!((&holds[0], &holds[4]), (&true.into(), &false.into()), "{json:#}");
}

#[test]
fn the_run_to_a_violated_safety_formula_ends_where_it_became_false() {
    let folder = Folder::new("prefix");
    let text =
        "byte x, y; active proctype P() { do :: x < 3 -> x++ od } active proctype Q() { do :: y = 1 - y od }";
    let file = folder.file("m.pml", text);
    let json = run(["check", &file, "--ltl", "[] (x < 2)", "--json"]).json();
    let steps = json["violation"]["steps"].as_array().expect("steps");
    let last = steps.last().expect("a step");
    assert_eq!(last["events"][0]["text"], "x++", "{json:#}");
    assert!(last["state"].as_str().expect("a state").contains("x = 2"), "{json:#}");
    assert_eq!(steps.len(), 4, "{json:#}");
}
