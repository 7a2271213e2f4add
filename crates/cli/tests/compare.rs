//! `elnath compare`: verdicts, stories and files as users see them.

mod common;

use common::{Folder, Ran, run};
use std::path::Path;

fn compare(arguments: &[&str]) -> Ran {
    run(["compare"].into_iter().chain(arguments.iter().copied()))
}

/// `0 a 1, 1 b 2` as a file.
fn graph(folder: &Folder, name: &str, edges: &str) -> String {
    let edges: Vec<Vec<&str>> = edges
        .split(',')
        .map(|edge| edge.split_whitespace().collect())
        .filter(|e: &Vec<&str>| e.len() == 3)
        .collect();
    let states =
        edges.iter().flat_map(|e| [e[0], e[2]]).map(|n| n.parse::<u32>().unwrap() + 1).max().unwrap_or(1);
    let mut text = format!("des (0, {}, {states})\n", edges.len());
    for edge in edges {
        text += &format!("({}, \"{}\", {})\n", edge[0], edge[1].replace('_', " "), edge[2]);
    }
    folder.file(name, text)
}

#[test]
fn related_systems_and_what_decided() {
    let folder = Folder::new("compare-related");
    let left = graph(&folder, "left.aut", "0 GET_!1 1, 1 i 2, 2 GIVE 0");
    let right = graph(&folder, "right.aut", "0 GET_!1 1, 1 GIVE 0");
    for relation in [
        "branching",
        "weak",
        "delay",
        "divergence-branching",
        "tau-star-a",
        "safety",
        "weak-simulation",
        "weak-trace",
        "failures",
        "failures-divergences",
    ] {
        let ran = compare(&[&left, &right, "--relation", relation]);
        assert_eq!(ran.code, Some(0), "{ran:#?}");
        let verdict = format!("related: left.aut is equivalent to right.aut ({relation})");
        assert_eq!(ran.out.lines().next(), Some(verdict.as_str()));
    }
    let ran = compare(&[&left, &right]);
    assert_eq!(ran.code, Some(1));
    let verdict = "not related: left.aut is not equivalent to right.aut (strong): after GET !1, left.aut can do an internal step, right.aut cannot";
    assert_eq!(ran.out.lines().next(), Some(verdict));
    let json = compare(&[&left, &right, "--relation", "branching", "--json"]).json();
    assert_eq!((&json["verdict"], &json["command"]), (&"holds".into(), &"compare".into()));
    assert_eq!((&json["diagnosis"], &json["coverage"]["kind"]), (&().into(), &"exhaustive".into()));
    assert_eq!((&json["left"]["states"], &json["right"]["states"]), (&3.into(), &2.into()));
    assert!(json["pairs"].as_u64() >= Some(2) && json["engine"].is_string());
}

#[test]
fn a_difference_is_told_and_written() {
    let folder = Folder::new("compare-different");
    let left = graph(&folder, "left.aut", "0 a 1, 1 b 2, 1 c 3");
    let right = graph(&folder, "right.aut", "0 a 1, 0 a 2, 1 b 3, 2 c 4");
    let [seq, aut, svg] = ["why.seq", "why.aut", "why.svg"].map(|name| folder.path(name));
    let files = ["--seq", &seq, "--aut", &aut, "--svg", &svg];
    let ran = compare(&[&[&left, &right, "--shortest", "--formula"], &files[..]].concat());
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    // The same formula whoever moves first, as long as it is true on the left.
    assert!(
        ran.out.contains("  F = not <\"a\">not <\"c\">true") || ran.out.contains("  F = <\"a\">"),
        "{}",
        ran.out
    );
    assert!(std::fs::read_to_string(&seq).unwrap().contains("\n\"a\"\n"));
    assert!(std::fs::read_to_string(&svg).unwrap().starts_with("<svg"));
    let info = run(["info", aut.as_str(), "--json"]);
    assert_eq!(info.code, Some(0), "{info:#?}");
    // They are not written over.
    let ran = compare(&[&left, &right, "--seq", &seq]);
    assert!(ran.code == Some(2) && ran.err.contains("exists already"), "{ran:#?}");
    let json = compare(&[&left, &right, "--shortest", "--formula", "--json"]).json();
    let diagnosis = &json["diagnosis"];
    assert_eq!((&json["verdict"], &diagnosis["depth"]), (&"fails".into(), &2.into()));
    assert!(diagnosis["formula"].is_array() && diagnosis["exchanges"][0]["label"] == "a");
}

#[test]
fn one_way_and_both_ways() {
    let folder = Folder::new("compare-ways");
    let small = graph(&folder, "small.aut", "0 a 1");
    let large = graph(&folder, "large.aut", "0 a 1, 0 b 1");
    let ran = compare(&[&small, &large, "--relation", "safety", "--preorder"]);
    assert!(ran.code == Some(0) && ran.out.contains("small.aut is below large.aut (safety)"), "{ran:#?}");
    let ran = compare(&[&small, &large, "--relation", "safety"]);
    assert!(ran.code == Some(1) && ran.out.contains("but not the other way round"), "{ran:#?}");
    assert!(ran.out.contains("at once, large.aut can do b, small.aut cannot"), "{ran:#?}");
    // A label that one side does not have at all.
    assert!(ran.out.contains("(nowhere in what was explored of it)"), "{ran:#?}");
    let ran = compare(&[&large, &small, "--relation", "trace", "--preorder"]);
    assert!(
        ran.code == Some(1) && ran.out.contains("large.aut does not refine small.aut (trace)"),
        "{ran:#?}"
    );
}

#[test]
fn labels_are_hidden_and_renamed() {
    let folder = Folder::new("compare-labels");
    let left = graph(&folder, "left.aut", "0 PUT_!1 1, 1 step 2, 2 GET_!1 0");
    let right = graph(&folder, "right.aut", "0 in_1 1, 1 out_1 0");
    let renamed = ["--rename-left", "PUT !(.*)=>in \\1", "--rename-left", "GET !(.*)=>out \\1"];
    let ran =
        compare(&[&[&left, &right, "--relation", "branching"], &renamed[..], &["--hide", "step"]].concat());
    assert!(ran.code == Some(0) && ran.err.is_empty(), "{ran:#?}");
    let ran = compare(&[&left, &right, "--relation", "weak", "--hide-all-but", "nothing"]);
    assert!(ran.code == Some(0) && ran.err.contains("no label matches `nothing`"), "{ran:#?}");
    let ran = compare(&[&left, &right, "--tau", "stepp"]);
    assert!(ran.err.contains("no label is `stepp`") && ran.err.contains("did you mean `step`"), "{ran:#?}");
    let ran = compare(&[&left, &right, "--hide", "("]);
    assert_eq!(ran.code, Some(2));
    // What is hidden is internal also where the internal action has another name.
    let ran = compare(
        &[&[&left, &right, "--relation", "branching", "--tau", "t"], &renamed[..], &["--hide", "step"]]
            .concat(),
    );
    assert_eq!(ran.code, Some(0), "{ran:#?}");
}

#[test]
fn engines_and_stores() {
    let folder = Folder::new("compare-engines");
    let left = graph(&folder, "left.aut", "0 a 1, 0 a 2, 1 b 0, 2 c 0");
    for engine in ["local", "restart", "auto"] {
        let ran = compare(&[&left, &left, "--engine", engine]);
        assert!(ran.code == Some(0) && ran.out.contains("the left is equivalent to the right"), "{ran:#?}");
    }
    let ran = compare(&[&left, &left, "--engine", "conjunctive"]);
    assert!(ran.code == Some(2) && ran.err.contains("several steps with one label"), "{ran:#?}");
    let ran = compare(&[&left, &left, "--engine", "restart", "--store", "replacing", "--memory", "4MiB"]);
    assert!(ran.code == Some(0) && ran.out.contains("restart engine"), "{ran:#?}");
    let ran = compare(&[&left, &left, "--engine", "local", "--store", "bitstate"]);
    assert!(ran.code == Some(2) && ran.err.contains("bitstate goes with"), "{ran:#?}");
    let line = graph(&folder, "line.aut", "0 a 1, 1 b 0");
    let ran = compare(&[&line, &line, "--store", "bitstate", "--memory", "1MiB"]);
    assert!(ran.code == Some(0) && ran.out.contains("no difference found"), "{ran:#?}");
    let ran = compare(&[&line, &line, "--memory", "10000B"]);
    assert!(ran.code == Some(3) && ran.out.contains("out of memory"), "{ran:#?}");
}

#[test]
fn broken_questions() {
    let folder = Folder::new("compare-broken");
    let one = graph(&folder, "one.aut", "0 a 1");
    let ran = compare(&[&one, &one, "--relation", "brnaching"]);
    assert!(ran.code == Some(2) && ran.err.contains("did you mean branching?"), "{ran:#?}");
    let ran = compare(&[&one, "missing.aut"]);
    assert!(ran.code == Some(2) && ran.err.contains("missing.aut"), "{ran:#?}");
    let ran = compare(&["-", "-"]);
    assert!(ran.code == Some(2) && ran.err.contains("only one of the two"), "{ran:#?}");
    // Systems that do nothing at all.
    let empty = graph(&folder, "empty.aut", "");
    for relation in ["strong", "branching", "weak", "safety", "ready-simulation", "trace", "failures"] {
        assert_eq!(compare(&[&empty, &empty, "--relation", relation]).code, Some(0));
        assert_eq!(compare(&[&one, &empty, "--relation", relation]).code, Some(1));
    }
}

#[test]
fn a_program_against_a_graph() {
    let folder = Folder::new("compare-program");
    let program = folder.file(
        "buffer.pml",
        "chan put = [0] of { byte }; chan get = [0] of { byte }; chan inside = [1] of { byte };\n\
         active proctype Left() { byte x; do :: put?x; inside!x; inside?x; get!x od }\n\
         active proctype User() { do :: put!0 :: put!1 od }\n\
         active proctype Taker() { byte y; do :: get?y od }\n",
    );
    let service = graph(&folder, "service.aut", "0 put!0 1, 0 put!1 2, 1 get!0 0, 2 get!1 0");
    let hidden = ["--hide", "inside.*", "--relation", "branching"];
    let ran = compare(&[&[program.as_str(), &service], &hidden[..]].concat());
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    let wrong = graph(&folder, "wrong.aut", "0 put!0 1, 0 put!1 2, 1 get!0 0, 2 get!0 0");
    let ran = compare(&[&[program.as_str(), &wrong], &hidden[..]].concat());
    assert!(ran.code == Some(1) && ran.out.contains("after put!1, "), "{ran:#?}");
}

#[test]
fn the_datalink_experiment() {
    let folder = Folder::new("compare-datalink");
    let name = folder.path("datalink");
    let ran = run(["experiment", "datalink", "-n", "20", "-n", "3", "--runs", "1", "-o", name.as_str()]);
    assert!(ran.code == Some(0) && ran.err.contains("as in the paper"), "{ran:#?}");
    let table = std::fs::read_to_string(format!("{name}.csv")).unwrap();
    assert!(table.contains("\n20,7241,10560,41,440,1661,7241,10560,41,440,1661,19,true,local,"), "{table}");
    assert!(Path::new(&format!("{name}.svg")).exists());
}
