//! `--spill`: the same answers on disk, running out as an answer, and nothing left behind.

mod common;

use common::{Folder, elnath, run};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

fn counters() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/counters.pml").display().to_string()
}

#[test]
fn the_disk_knows_as_many_states_as_the_memory() {
    let folder = Folder::new("spill-same");
    let directory = folder.as_path().display().to_string();
    let (model, file) = (["-DN=5", "-DK=9"], counters());
    for threads in ["1", "3"] {
        for store in [
            &["--store", "exact"][..],
            &["--store", "tree"],
            &["--spill", &directory, "--memory", "1MiB"],
            &["--spill", &directory, "--memory", "1MiB", "--shortest"],
        ] {
            let arguments = ["check", &file, "--json", "--threads", threads, "--reductions", "none"];
            let ran = run(arguments.iter().chain(&model).chain(store));
            let json = ran.json();
            assert_eq!((ran.code, json["states"].as_u64()), (Some(0), Some(9u64.pow(5))), "{store:?}");
            assert_eq!(
                (json["transitions"].as_u64(), json["depth"].as_u64()),
                (Some(5 * 9u64.pow(5)), Some(40))
            );
        }
    }
    assert!(folder.names().is_empty());
}

#[test]
fn a_full_disk_is_an_answer_with_figures() {
    let folder = Folder::new("spill-full");
    let directory = folder.as_path().display().to_string();
    let arguments = [
        "check",
        &counters(),
        "-DN=5",
        "-DK=9",
        "--spill",
        &directory,
        "--memory",
        "1MiB",
        "--disk",
        "20kB",
        "--reductions",
        "none",
    ];
    let ran = run(arguments);
    assert_eq!(ran.code, Some(3), "{ran:#?}");
    assert!(ran.out.contains("unknown: out of disk at ") && ran.out.contains("states seen"), "{ran:#?}");
    let json = run(arguments.iter().chain(&["--json"])).json();
    assert_eq!(json["reason"], "disk");
    assert!(json["disk_bytes"].as_u64().is_some_and(|bytes| bytes > 0 && bytes <= 20_000), "{json:#}");
    assert!(folder.names().is_empty());
}

#[test]
fn killing_leaves_nothing_behind() {
    let folder = Folder::new("spill-kill");
    let file = folder.file("kept", "mine");
    for milliseconds in [0, 30, 300, 1000] {
        let mut child = elnath([
            "check",
            &counters(),
            "-DN=6",
            "-DK=26",
            "--memory",
            "2MiB",
            "--reductions",
            "none",
            "--spill",
        ])
        .arg(folder.as_path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("elnath can be started");
        std::thread::sleep(Duration::from_millis(milliseconds));
        child.kill().expect("it is still running");
        child.wait().expect("it ends");
        assert_eq!(folder.names(), ["kept"]);
    }
    assert_eq!(std::fs::read_to_string(file).expect("still there"), "mine");
}

#[test]
fn runs_come_from_the_disk_too() {
    let folder = Folder::new("spill-run");
    let model = folder.file(
        "m.pml",
        "active [4] proctype P() { byte x; do :: x < 9 -> x++ :: x == 9 -> break od; assert(_pid != 3 || x != 9) }",
    );
    let directory = folder.as_path().display().to_string();
    let length = |store: &[&str]| {
        let json = run(["check", &model, "--json", "--reductions", "none"].iter().chain(store)).json();
        assert_eq!(json["verdict"], "fails", "{json:#}");
        json["violation"]["length"].as_u64()
    };
    let exact = length(&["--store", "exact"]);
    assert!(exact.is_some_and(|length| length > 10));
    assert_eq!(length(&["--store", "tree"]), exact);
    assert_eq!(length(&["--spill", &directory, "--memory", "1MiB"]), exact);
}

#[test]
fn a_directory_that_is_not_there_is_bad_usage() {
    let ran = run(["check", &counters(), "--spill", "/nonexistent/elnath"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("--spill /nonexistent/elnath"), "{ran:#?}");
}

/// Without a choice of store, the exact one is tried first, and the report says what came of it.
#[test]
fn the_default_goes_over_to_trees_when_memory_runs_out() {
    let arguments = ["check", &counters(), "-DN=5", "-DK=10", "--memory", "3MB", "--reductions", "none"];
    let json = run(arguments.iter().chain(&["--json"])).json();
    assert_eq!((json["store"].as_str(), json["states"].as_u64()), (Some("tree"), Some(100_000)), "{json:#}");
    assert!(json["exact_ran_out_at"].as_u64().is_some_and(|states| states > 1000 && states < 100_000));
    let ran = run(arguments);
    assert!(ran.out.contains("tree store (the exact store had no room for more than"), "{ran:#?}");
}
