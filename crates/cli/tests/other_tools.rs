//! Who comes from SPIN, mCRL2 or CADP is understood, or is told what to write.

mod common;

use common::{Folder, case, fed, run};

const LOOP: &str = "byte x;\nactive proctype P() { do :: x = 1; x = 0 od }\n";

#[test]
fn a_file_alone_is_checked() {
    let folder = Folder::new("file-alone");
    let model = folder.file("m.pml", "byte x;\nactive proctype P() { x = 1; assert(x == 0) }\n");
    let [alone, check] = [run([&model, "--threads", "1"]), run(["check", &model, "--threads", "1"])];
    assert_eq!((alone.code, check.code), (Some(1), Some(1)), "{alone:#?}");
    let without_time = |text: &str| text.lines().filter(|line| !line.contains(" s, ")).collect::<String>();
    assert_eq!(without_time(&alone.out), without_time(&check.out));
    assert_eq!(run(["--json", &model]).json()["verdict"], "fails");
    // A misspelt command is no file.
    let ran = run(["chek", &model]);
    assert!(ran.code == Some(2) && ran.err.contains("check"), "{ran:#?}");
}

#[test]
fn options_of_spin_are_read_as_ours() {
    let folder = Folder::new("options-of-spin");
    let model = folder.file("m.pml", LOOP);
    let ran = run(["-run", "-a", "-m10000", &model]);
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    assert!(ran.err.contains("-m10000 of SPIN is --depth 10000"), "{ran:#?}");
    assert!(ran.err.contains("-run of SPIN is not needed"), "{ran:#?}");
    let ran = run(["-search", "-l", &model]);
    assert!(ran.err.contains("-l of SPIN is --non-progress"), "{ran:#?}");
    assert_eq!(ran.code, Some(1), "no state makes progress: {ran:#?}");
    let ran = run(["check", &model, "-DNFAIR=3"]);
    assert!(ran.code == Some(0) && ran.err.contains("--fair weak needs no limit"), "{ran:#?}");
    let ran = run(["-w28", &model]);
    assert!(ran.code == Some(2) && ran.err.contains("--memory 2GiB"), "{ran:#?}");
}

#[test]
fn relations_have_their_names_of_other_tools() {
    let vending = case("vending.aut");
    for name in
        ["bisim", "branching-bisim", "dpbranching-bisim", "weak-bisim", "observational", "tau*.a", "sim"]
    {
        let ran = run(["compare", &vending, &vending, "--relation", name]);
        assert_eq!(ran.code, Some(0), "{name}: {ran:#?}");
    }
    let ran = run(["compare", &vending, &vending, "--relation", "branching-bisim", "--json"]).json();
    assert_eq!(ran["relation"], "branching");
}

#[test]
fn files_of_other_tools_are_answered_with_their_conversion() {
    let folder = Folder::new("foreign-files");
    for (ending, command) in
        [("bcg", "bcg_io"), ("lts", "ltsconvert"), ("mcrl2", "lps2lts"), ("lnt", "lnt.open")]
    {
        let file = folder.file(&format!("m.{ending}"), "\0");
        for words in [&["check", &file][..], &[&file], &["compare", &file, &file]] {
            let ran = run(words);
            assert_eq!(ran.code, Some(2), "{ran:#?}");
            assert!(ran.err.contains("convert it to .aut first") && ran.err.contains(command), "{ran:#?}");
        }
    }
}

#[test]
fn formulas_of_ctl_are_answered() {
    let vending = case("vending.aut");
    for (formula, answer) in
        [("AG EF COIN", "write `G`"), ("EF COIN", "`G !p` fails"), ("A[TEA U COIN]", "write `p U q`")]
    {
        for logic in ["--ltl", "--ltlf"] {
            let ran = run(["check", &vending, logic, formula]);
            assert!(ran.code == Some(2) && ran.err.contains("operator of CTL"), "{ran:#?}");
            assert!(ran.err.contains(answer) && ran.err.contains("formula:1:1"), "{ran:#?}");
        }
    }
}

#[test]
fn c_in_promela_is_answered_with_promela() {
    let folder = Folder::new("c-in-promela");
    for (body, answer) in [
        ("while (x < 3) { x++ }", "do :: condition -> statements :: else -> break od"),
        ("for (x = 0; x < 3; x++) { skip }", "for (i : 0 .. 9)"),
        ("int y == 3; x = y", "write `=` for the initial value"),
    ] {
        let model = folder.file("c.pml", format!("byte x;\nactive proctype P() {{\n  {body}\n}}\n"));
        let ran = run(["check", &model]);
        assert!(ran.code == Some(2) && ran.err.contains(answer), "{ran:#?}");
        assert!(ran.err.contains("c.pml:3:") && ran.err.contains('^'), "{ran:#?}");
    }
    // A variable may have this name.
    let model = folder.file("while.pml", "byte while;\nactive proctype P() { while = 1; (while == 1) }\n");
    assert_eq!(run(["check", &model]).code, Some(0));
}

#[test]
fn little_memory_needs_a_unit() {
    let vending = case("vending.aut");
    for words in
        [&["check", &vending][..], &["compare", &vending, &vending], &["reduce", &vending, "-r", "strong"]]
    {
        let ran = run(words.iter().chain(&["--memory", "1000"]));
        assert!(ran.code == Some(2) && ran.err.contains("did you mean 1000MiB?"), "{ran:#?}");
    }
    assert_eq!(run(["check", &vending, "--memory", "2000000"]).code, Some(0));
}

#[test]
fn a_language_can_be_named_for_any_file_and_standard_input() {
    let folder = Folder::new("languages-named");
    for name in ["m.pr", "m.pml.txt"] {
        assert_eq!(run(["check", &folder.file(name, LOOP)]).code, Some(0), "{name}");
    }
    let odd = folder.file("m.xyz", LOOP);
    let ran = run([&odd]);
    assert!(ran.code == Some(2) && ran.err.contains("--language promela"), "{ran:#?}");
    assert_eq!(run([&odd, "--language", "promela"]).code, Some(0));
    for words in [
        &["check", "-", "--language", "promela"][..],
        &["-", "--language", "promela"],
        &["--language", "promela", "-"],
    ] {
        let ran = fed(words, LOOP);
        assert_eq!(ran.code, Some(0), "{words:?}: {ran:#?}");
    }
    let machines =
        "channel c from A to B of go\nmachine A {\n 0 -> 0: c!go\n}\nmachine B {\n 0 -> 0: c?go\n}\n";
    for words in [
        &["-", "--language", "machines", "--capacity", "1"][..],
        &["check", "-", "--language", "machines", "--capacity", "1", "--ltl", "[](len(c) <= 1)"],
    ] {
        let ran = fed(words, machines);
        assert_eq!(ran.code, Some(0), "{words:?}: {ran:#?}");
    }
}
