//! `elnath simulate`, `--chart` and the story of counterexamples, as a user meets them.

use serde_json::Value;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

fn case(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/promela/trails").join(name);
    path.to_str().unwrap().to_owned()
}

fn elnath(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_elnath"))
        .args(arguments)
        .args(["--color", "never"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("elnath starts");
    // A simulation that ends early does not read everything.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().expect("elnath ends")
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_counterexample_names_process_line_statement_and_changes() {
    let output = elnath(&["check", &case("buffers.pml")], "");
    let told = out(&output);
    assert_eq!(output.status.code(), Some(1));
    assert!(told.contains("     1  a:0  line 9   to_b!ping,1            to_b = [ping,1]\n"), "{told}");
    assert!(told.contains("     2  b:1  line 19  to_b?ping,n  [ping,1]  b:1.n = 1, to_b = []\n"), "{told}");
    assert!(told.contains("        a:0  line 12  waits for to_b!ping,n + 2\n"), "{told}");
    assert!(told.contains("        b:1  line 22  waits for to_a!pong,n + 20\n"), "{told}");
    let output = elnath(&["check", &case("rendezvous.pml"), "--search", "bfs"], "");
    let told = out(&output);
    assert!(told.contains("client:1 → server:2  line 9 → 16"), "{told}");
    assert!(told.contains("└"), "an atomic sequence is grouped\n{told}");
}

#[test]
fn json_has_the_events_beside_the_old_fields() {
    let output = elnath(&["check", &case("buffers.pml"), "--json"], "");
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let step = &answer["violation"]["steps"][0];
    assert!(step["action"].is_string() && step["state"].is_string());
    let event = &step["events"][0];
    assert_eq!(event["actor"], "a:0");
    assert_eq!(event["line"], 9);
    assert_eq!(event["message"]["kind"], "sent");
    assert_eq!(event["message"]["channel"], "to_b");
    assert_eq!(event["changes"][0]["value"], "[ping,1]");
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let run = |seed: &str| elnath(&["simulate", &case("ring.pml"), "--seed", seed, "--steps", "30"], "");
    assert_eq!(run("3").stdout, run("3").stdout);
    assert_ne!(run("3").stdout, run("4").stdout);
    assert!(out(&run("3")).contains("prints: philosopher"), "{}", out(&run("3")));
}

#[test]
fn a_simulation_says_how_it_ended() {
    let output = elnath(&["simulate", &case("merged.pml")], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(out(&output).contains("error after 4 steps (seed 1): assertion violated: assert(b == 1)"));
    let output = elnath(&["simulate", &case("merged.pml"), "--steps", "2"], "");
    assert_eq!(output.status.code(), Some(0));
    assert!(out(&output).contains("stopped after 2 steps (seed 1): the 2 steps granted are used up"));
    let output = elnath(&["simulate", &case("buffers.pml")], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(out(&output).contains("deadlock"), "{}", out(&output));
    assert_eq!(elnath(&["simulate", "no-such-file.pml"], "").status.code(), Some(2));
}

#[test]
fn a_person_chooses_by_number() {
    let output = elnath(&["simulate", &case("buffers.pml"), "--interactive"], "1\nfoo\n9\n1\nq\n");
    let asked = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0));
    assert!(asked.contains("[1] a:0 line 9 to_b!ping,1"), "{asked}");
    assert!(asked.contains("`foo` is none") && asked.contains("`9` is none"), "{asked}");
    assert!(out(&output).contains("stopped after 2 steps: stopped"), "{}", out(&output));
    // The end of the input is an end too.
    let output = elnath(&["simulate", &case("buffers.pml"), "-i"], "1\n");
    assert_eq!(output.status.code(), Some(0));
}

/// The prompt goes back and forth, looks for things, explains, and takes a default.
#[test]
fn a_person_goes_back_and_looks_around() {
    let lines = "\n\nback\nback 9\nforward\nstate\nwatch len(to_b)\nbreak len(to_a) == 1\nrandom 50\ntree\nhelp\njump 0\nuntil len(to_a) == 2\n\
                 until len(to_a) == 1\nback\nanother\nwatch nonsense + 1\nq\n";
    let output = elnath(&["simulate", &case("buffers.pml"), "-i"], lines);
    let asked = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{asked}");
    for part in [
        "choose 1 to 1 [1], back, state, help, or q to quit:",
        "back after 1 step",
        "back after 0 steps",
        "position 1 after 1 step",
        "* to_b = [ping,1]",
        "watched from now on",
        "len(to_b) = ",
        "breakpoint added",
        "len(to_a) == 1 holds after",
        "len(to_a) == 2 holds nowhere",
        "  * ",
        "go to another continuation",
        "nonsense",
    ] {
        assert!(asked.contains(part), "{part} in\n{asked}");
    }
    assert!(out(&output).contains("to_b!ping,1"), "{}", out(&output));
    // What is not possible is said with the reason.
    let output = elnath(&["simulate", &case("buffers.pml"), "-i"], "state\nq\n");
    let asked = String::from_utf8_lossy(&output.stderr);
    assert!(asked.contains("to_b is empty"), "{asked}");
}

/// A session is written and read again; a trail is where the run goes on from.
#[test]
fn a_session_is_recorded_and_replayed() {
    let folder = std::env::temp_dir().join(format!("elnath-record-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let record = folder.join("session.json");
    let record = record.to_str().expect("a name");
    let model = case("ring.pml");
    let first =
        elnath(&["simulate", &model, "-i", "--record", record, "--watch", "1 + 1"], "\n\nback\n\n\nq\n");
    assert_eq!(first.status.code(), Some(0), "{}", String::from_utf8_lossy(&first.stderr));
    let written: Value =
        serde_json::from_str(&std::fs::read_to_string(record).expect("it was written")).expect("JSON");
    assert_eq!((&written["version"], &written["watches"][0]), (&Value::from(1), &Value::from("1 + 1")));
    let again = elnath(&["simulate", &model, "-i", "--replay", record, "--json"], "q\n");
    let answer: Value = serde_json::from_slice(&again.stdout).expect("JSON");
    assert_eq!(answer["length"], 3);
    let refused =
        elnath(&["simulate", &case("buffers.pml"), "-i", "--replay", record, "--record", record], "q\n");
    assert_eq!(refused.status.code(), Some(2), "what is read is not written over");
    let trail = case("ring.merged.trail");
    let on = elnath(&["simulate", &model, "-i", "--trail", &trail, "--json"], "back 2\nq\n");
    let answer: Value = serde_json::from_slice(&on.stdout).expect("JSON");
    assert_eq!(answer["ending"], "open", "two steps before the deadlock");
    std::fs::remove_dir_all(&folder).expect("it was made here");
}

#[test]
fn only_what_is_asked_for_is_shown() {
    let only = |what: &str| out(&elnath(&["simulate", &case("buffers.pml"), "--show", what], ""));
    let sends = only("s");
    assert!(sends.contains("to_b!ping,1") && !sends.contains("to_b?ping"), "{sends}");
    assert!(!sends.contains("to_b = "), "{sends}");
    let globals = only("globals");
    assert!(globals.contains("to_b = [ping,1]") && !globals.contains("line 9"), "{globals}");
    let receives = only("receives,locals");
    assert!(receives.contains("to_b?ping,n  [ping,1]") && receives.contains("b:1.n = 1"), "{receives}");
}

#[test]
fn a_trail_guides_a_simulation() {
    let trail = case("ring.merged.trail");
    let output = elnath(&["simulate", &case("ring.pml"), "--trail", &trail, "--json"], "");
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(answer["ending"], "deadlock");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn graphs_are_simulated_too() {
    let input = "des (0, 2, 3)\n(0, \"a\", 1)\n(1, \"b\", 2)\n";
    let output = elnath(&["simulate", "-"], input);
    assert!(out(&output).contains("     1  a"), "{}", out(&output));
    assert!(out(&output).contains("state 1") && out(&output).contains("deadlock"), "{}", out(&output));
}

#[test]
fn charts_have_lifelines_and_arrows() {
    let chart = out(&elnath(&["check", &case("rendezvous.pml"), "--search", "bfs", "--chart", "-"], ""));
    assert!(chart.contains("client:0") && chart.contains("├── r!") | chart.contains("├─"), "{chart}");
    assert!(chart.contains('▶') && chart.contains('◀'), "{chart}");
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let file = directory.join("buffers.svg");
    elnath(&["check", &case("buffers.pml"), "--chart", file.to_str().unwrap()], "");
    let svg = std::fs::read_to_string(&file).expect("the chart was written");
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    assert!(svg.contains(">a:0</text>") && svg.contains("class=\"send\"") && svg.contains("to_b!ping,1"));
}
