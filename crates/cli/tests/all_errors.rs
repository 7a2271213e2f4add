//! `--all-errors`: every error once, with its place, how often it was met, and a run; and runs that are easy to read.

mod common;

use common::{Folder, Ran, run};
use serde_json::Value;

/// Two assertions, an index out of range, and a deadlock.
const FOUR: &str = "\
byte x, y, i;
byte a[3];
chan c = [1] of { byte };
active [2] proctype P() {
  x = x + 1;
  y = y + 1;
  if
  :: x == 2 -> assert(y == 2)
  :: else -> skip
  fi;
  i = i + 2;
  a[i % 4] = a[0];
  c!1
}
active proctype Q() {
  assert(x != 1);
  c?y; c?y; c?y
}
";

/// The four errors, in the order in which they are listed: kind and place.
const PLACES: [(&str, &str); 4] =
    [("fault", "m.pml:16"), ("fault", "m.pml:8"), ("fault", "m.pml:12"), ("deadlock", "m.pml:17")];

/// Those that are left where the index is always within the array.
const THREE: &[usize] = &[0, 1, 3];

fn errors(ran: &Ran) -> Vec<Value> {
    ran.json()["errors_found"].as_array().expect("a list").clone()
}

/// Every search with a store that it can use.
const WAYS: [&[&str]; 9] = [
    &["--threads", "1"],
    &["--threads", "2"],
    &["--store", "tree", "--threads", "2"],
    &["--store", "compact"],
    &["--search", "dfs"],
    &["--search", "dfs", "--store", "replacing"],
    &["--search", "dfs", "--store", "bitstate", "--threads", "1"],
    &["--search", "dfs", "--store", "bitstate", "--threads", "2"],
    &["--search", "dfs", "--reductions", "sleep"],
];

#[test]
fn every_search_and_store_lists_each_error_once_with_a_run() {
    let folder = Folder::new("distinct");
    let file = folder.file("m.pml", FOUR.replace("i % 4", "i + 0"));
    let disk = folder.path("");
    let spill: &[&str] = &["--spill", &disk];
    for way in WAYS.iter().chain([&spill]) {
        let ran = run(["check", &file, "--all-errors", "--json"].iter().chain(*way));
        assert_eq!(ran.code, Some(1), "{way:?}: {ran:#?}");
        let errors = errors(&ran);
        assert_eq!(errors.len(), 4, "{way:?}: {errors:#?}");
        for ((kind, place), error) in PLACES.iter().zip(&errors) {
            assert_eq!(error["kind"], *kind, "{way:?}: {errors:#?}");
            assert!(error["place"].as_str().is_some_and(|at| at.ends_with(place)), "{way:?}: {errors:#?}");
            let run = &error["run"];
            assert_eq!(run["kind"], *kind);
            assert_eq!(run["steps"].as_array().map(Vec::len), run["length"].as_u64().map(|n| n as usize));
            assert!(error["count"].as_u64() > Some(0), "{way:?}: {errors:#?}");
        }
        let lengths: Vec<u64> = errors.iter().filter_map(|error| error["run"]["length"].as_u64()).collect();
        assert!(lengths.len() == 4 && lengths.is_sorted(), "{way:?}: {lengths:?}");
        let counted: u64 = errors.iter().filter_map(|error| error["count"].as_u64()).sum();
        assert_eq!(Some(counted), ran.json()["errors"].as_u64(), "{way:?}: each violation is one of them");
        assert_eq!(ran.json()["more_errors"], 0);
        assert_eq!(ran.json()["violation"], errors[0]["run"], "{way:?}: the first is the one that is told");
    }
}

#[test]
fn the_list_is_told_and_then_a_run_for_each() {
    let folder = Folder::new("told");
    let file = folder.file("m.pml", FOUR);
    let ran = run(["check", &file, "--all-errors"]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    let first = ran.out.lines().next().unwrap_or_default();
    assert!(first.contains("(3 distinct errors: "), "{ran:#?}");
    for (number, place) in (1..).zip(THREE) {
        let place = PLACES[*place].1;
        let in_list = ran.out.lines().find(|line| line.starts_with(&format!("   {number}. ")));
        assert!(in_list.is_some_and(|line| line.contains(place) && line.contains(" step")), "{ran:#?}");
        let heading = format!("--- error {number}: ");
        assert!(ran.out.lines().any(|line| line.starts_with(&heading) && line.contains(place)), "{ran:#?}");
    }
    assert_eq!(ran.out.matches("        final state").count(), 3, "a run each: {ran:#?}");
    let quiet = run(["check", &file, "--all-errors", "-q"]);
    assert_eq!(quiet.out.lines().count(), 4, "the verdict and the list: {quiet:#?}");
    // The search goes on after a fault, and what comes after it says so.
    let file = folder.file("m.pml", "byte n; active proctype P() { assert(false); n = 1; false }");
    let ran = run(["check", &file, "--all-errors", "-q"]);
    assert!(ran.out.contains("(1 state, 2 steps, after a fault in step 1)"), "{ran:#?}");
}

#[test]
fn deadlocks_are_one_error_where_processes_are_at_the_same_places() {
    let folder = Folder::new("deadlocks");
    // Three processes of one kind; which one waits for the second message does not matter, and what it holds neither.
    let text = "byte n; chan c = [4] of { byte };\n\
        active [3] proctype P() {\n  n = _pid;\n  c?1\n}\n\
        init {\n  if :: c!1 :: c!1; c!1 fi\n}\n";
    let file = folder.file("m.pml", text);
    let answer = run(["check", &file, "--all-errors", "--json"]);
    let found = errors(&answer);
    assert_eq!(found.len(), 2, "two wait, or one: {found:#?}");
    assert!(found.iter().all(|error| error["count"].as_u64() > Some(3)), "{found:#?}");
    // A graph is one place.
    let graph = folder.file("g.aut", "des (0,3,4)\n(0,a,1)\n(0,b,2)\n(0,c,3)\n");
    let found = errors(&run(["check", &graph, "--all-errors", "--json"]));
    assert_eq!((found.len(), &found[0]["count"]), (1, &Value::from(3)), "{found:#?}");
    let found = errors(&run([
        "check",
        &graph,
        "--all-errors",
        "--json",
        "--end-states",
        "ignore",
        "--forbid",
        "a|b",
    ]));
    assert_eq!(found.len(), 2, "forbidden actions are told apart: {found:#?}");
}

#[test]
fn many_errors_are_counted_and_some_of_them_have_runs() {
    let folder = Folder::new("many");
    let asserts: String = (0..50).map(|n| format!("  :: assert(x == {n})\n")).collect();
    let file =
        folder.file("m.pml", format!("byte x = 99;\nactive proctype P() {{\n  if\n{asserts}  fi\n}}\n"));
    let ran = run(["check", &file, "--all-errors", "--json"]);
    assert_eq!(errors(&ran).len(), 32, "{ran:#?}");
    assert_eq!((&ran.json()["more_errors"], &ran.json()["errors"]), (&Value::from(18), &Value::from(50)));
    let told = run(["check", &file, "--all-errors", "-q"]);
    assert!(told.out.contains("(50 distinct errors: 50 faults in all)"), "{told:#?}");
    assert!(told.out.contains("... and 18 more distinct errors, without a run"), "{told:#?}");
}

#[test]
fn a_formula_about_finite_runs_is_one_error_beside_the_faults() {
    let folder = Folder::new("finite");
    let file = folder.file("m.pml", "byte n; active [2] proctype P() { n++; assert(n < 2) }");
    let found = errors(&run(["check", &file, "--ltlf", "G(n < 1)", "--all-errors", "--json"]));
    let kinds: Vec<&str> = found.iter().filter_map(|error| error["kind"].as_str()).collect();
    assert_eq!(kinds, ["formula", "fault"], "{found:#?}");
    assert!(found.iter().all(|error| !error["run"].is_null()), "{found:#?}");
}

/// Two processes that have nothing to do with each other until the end.
const APART: &str = "\
byte a, b;
active proctype A() { a = 1; a = 2; a = 3 }
active proctype B() { b = 1; b = 2; b = 3 }
active proctype Z() { (a == 3 && b == 3) -> assert(false) }
";

#[test]
fn a_process_goes_on_as_long_as_it_can() {
    let folder = Folder::new("polished");
    let file = folder.file("m.pml", APART);
    for options in [&["--shortest"][..], &["--all-errors"], &[]] {
        let ran = run(["check", &file, "--json", "--threads", "1"].iter().chain(options));
        let violation = &ran.json()["violation"];
        assert_eq!(violation["length"], 8, "{options:?}: {ran:#?}");
        assert_eq!(violation["context_switches"], 2, "{options:?}: {ran:#?}");
    }
    // The trail is of the run that is shown, and replays.
    let trail = folder.path("m.trail");
    let told = run(["check", &file, "--shortest", "--trail", &trail]);
    assert_eq!(told.code, Some(1), "{told:#?}");
    let replayed = run(["replay", &file, &trail]);
    assert_eq!(replayed.code, Some(1), "{replayed:#?}");
}

#[test]
fn steps_that_are_not_needed_are_left_out_of_a_long_run() {
    let folder = Folder::new("dropped");
    let text = "byte x; active proctype P() { x = 1; assert(x == 0) }\n\
        byte n; active proctype Idle() { do :: n < 9 -> n++ :: else -> break od }";
    let file = folder.file("m.pml", text);
    let ran = run(["check", &file, "--search", "dfs", "--reductions", "none", "--json"]);
    assert_eq!(ran.json()["violation"]["length"], 2, "{ran:#?}");
    let found = ran.json()["violation"]["polished_from"]["length"].as_u64();
    assert!(found > Some(2), "the search found a longer one: {ran:#?}");
    let told = run(["check", &file, "--search", "dfs", "--reductions", "none", "-v"]);
    let polished = format!("  polished: {} steps became 2", found.unwrap_or(0));
    assert!(told.out.contains(&polished), "{polished}: {told:#?}");
}

#[test]
fn infinite_runs_are_polished_before_their_cycle_and_in_it() {
    let folder = Folder::new("lassos");
    let text = "byte a, b; bool on;\n\
        active proctype A() { a = 1; a = 2; a = 3; do :: on = true; a = 4; a = 5 od }\n\
        active proctype B() { b = 1; b = 2; b = 3; do :: b == 3 && on -> b = 4; b = 3 od }";
    let file = folder.file("m.pml", text);
    let ran = run(["check", &file, "--ltl", "<> [] (b != 4)", "--json", "--threads", "1"]);
    let violation = &ran.json()["violation"];
    let (length, start) = (violation["length"].as_u64(), violation["loop_start"].as_u64());
    assert!(start.is_some() && length > start, "{ran:#?}");
    // One switch from one process to the other before the cycle, and few in it.
    assert!(violation["context_switches"].as_u64().is_some_and(|switches| switches <= 5), "{ran:#?}");
}
