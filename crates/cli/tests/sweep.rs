//! Limits change no verdict: whatever is granted, the answer is the one that is known, or `unknown`.
//!
//! `elnath_conformance::sweep` says why and how; here its questions are models whose violations come late ([`own`]), the cases of
//! `tests/cases`, comparisons and quotients. Limits on states, depth and time, and interrupts, are swept as well. The campaign
//! `sweep` of `elnath-conformance` asks the same of models by other people.

mod common;

use common::{Folder, directives, note};
use elnath_conformance::sweep::{
    Asked, CYCLE_SEARCHES, LEAST, MODES, MOST, SEARCHES, Seen, Sweep, Swept, grants, judge, memory,
};
use std::fmt::Write;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

/// The build of the command that is tested, asked two questions at once.
fn command() -> Sweep {
    Sweep { binary: env!("CARGO_BIN_EXE_elnath").into(), deadline: None, jobs: 2 }
}

/// Says what was found out, and fails if something was wrong.
fn finish(swept: &Swept, name: &str) {
    let Swept { questions, seen, wrong } = swept;
    let text =
        format!("{name}: {questions} questions, {} runs, {seen:?}, {} wrong", swept.runs(), wrong.len());
    note(&text);
    let shown: Vec<&str> = wrong.iter().take(40).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{text}\n{}", shown.join("\n"));
    assert!(swept.count(Seen::Known) > 0, "nothing was answered: {text}");
}

/// Models whose violations come late, with some thousand states before them; and one without.
fn own(folder: &Folder) -> Vec<Asked> {
    let grid = folder.file("grid.pml", GRID);
    let counters = "byte a, b, c; \
         proctype up(byte n) { do :: n == 0 && a < 7 -> a++ :: n == 1 && b < 7 -> b++ :: n == 2 && c < 7 -> c++ \
         :: a == 7 && b == 7 && c == 7 -> break od LAST } \
         init { atomic { run up(0); run up(1); run up(2) } }\n";
    let deadlock = folder.file("deadlock.pml", counters.replace("LAST", "; false"));
    let fault = folder.file("fault.pml", counters.replace("LAST", "; assert(a == 6)"));
    let holds = folder.file("holds.pml", counters.replace("LAST", ""));
    let ask = |options: String, verdict: &str, modes: &[&str]| {
        Asked::new(&options, verdict).in_ways(SEARCHES, modes)
    };
    [
        ask(format!("check {grid}"), "fails", MODES),
        ask(format!("check {deadlock}"), "fails", &MODES[3..]),
        ask(format!("check {fault}"), "fails", &MODES[..1]),
        ask(format!("check {holds}"), "holds", &MODES[3..]),
        ask(format!("check {grid} --end-states ignore --forbid .*assert.*"), "fails", &MODES[..1]),
        ask(format!("check {grid} --ltlf G{{a+b<149}}"), "fails", &MODES[..2]),
        ask(format!("check {deadlock} --ltlf G{{a+b+c<21}} --finite maximal"), "fails", &MODES[1..2]),
        ask(format!("check {holds} --ltlf G{{a<8}}"), "holds", &MODES[..1]),
    ]
    .concat()
}

/// Nearly all states lie before the violation. (One counter would be as good and thinner, but then runs of thousands of steps
/// are what takes the time.)
const GRID: &str = "byte a, b; active proctype p() { do :: a < 75 -> a++ :: b < 75 -> b++ \
                    :: a == 75 && b == 75 -> assert(false) od }\n";

/// Infinite runs: what is wrong with them is at the end, by a state, by a component, by a cycle.
fn own_cycles(folder: &Folder) -> Vec<Asked> {
    let late = folder.file(
        "late.pml",
        "byte a, b, y; active proctype p() { do :: a < 60 -> a++ :: a < 60 && b < 60 -> b++ :: a == 60 -> progress: y = 1 - y od }\n",
    );
    let questions = [
        ("[]{a<59}", "fails"),
        ("<>{a>60}", "fails"),
        ("[]<>{y==2}", "fails"),
        ("<>[]{y==0}", "fails"),
        ("([]<>{y==0})->([]<>{a==3})", "fails"),
        ("[]{a<61}", "holds"),
        ("[]{b<61}", "holds"),
        ("([]<>{y==1})->([]<>{y==0})", "holds"),
    ];
    let asked =
        questions.map(|(formula, verdict)| Asked::new(&format!("check {late} --ltl {formula}"), verdict));
    let grid = folder.file("grid.pml", GRID);
    let others = [
        Asked::new(&format!("check {grid} --ltl []{{a+b<150}} --reductions none"), "fails"),
        Asked::new(&format!("check {late} --non-progress"), "holds"),
        Asked::new(&format!("check {late} --ltl <>[]{{y==0}} --finite-runs ignore"), "fails"),
    ];
    asked.iter().chain(&others).flat_map(|asked| asked.in_ways(CYCLE_SEARCHES, &MODES[..1])).collect()
}

/// Two graphs that differ at the end, or do not; and their quotients.
fn own_graphs(folder: &Folder) -> Vec<Asked> {
    let chain = |name: &str, last: &str| {
        const LENGTH: usize = 1000;
        let mut text = format!("des (0, {}, {})\n", 2 * LENGTH + 1, LENGTH + 2);
        for state in 0..LENGTH {
            let _ = writeln!(text, "({state}, a, {})\n({state}, b, {})", state + 1, state / 2);
        }
        let _ = writeln!(text, "({LENGTH}, {last}, {})", LENGTH + 1);
        folder.file(name, text)
    };
    let (left, right, same) = (chain("left.aut", "c"), chain("right.aut", "d"), chain("same.aut", "c"));
    let mut asked = Vec::new();
    let ways = [
        "--engine auto",
        "--engine local",
        "--engine conjunctive",
        "--engine restart --store replacing",
        "--shortest",
    ];
    for relation in ["strong", "branching", "weak", "tau-star-a", "safety", "simulation", "trace", "failures"]
    {
        for (other, verdict) in [(&right, "fails"), (&same, "holds")] {
            let compare = Asked::new(&format!("compare {left} {other} -r {relation}"), verdict);
            asked.extend(compare.in_ways(&ways, &["", "--preorder"]));
        }
    }
    for relation in ["strong", "branching", "weak", "tau-star-a", "simulation", "trace"] {
        let mut reduce = Asked::new(&format!("reduce {left} -r {relation}"), "");
        // All states of a chain are different.
        reduce.known = ("states".to_owned(), 1002.into());
        asked.push(reduce);
    }
    asked
}

/// Sweeps in fine steps where the tree store is used in the end, and in coarse ones elsewhere: it keeps no parents, and with a
/// quarter more than the states need there is room for the run as well.
fn sweep_own(name: &str, questions: Vec<Asked>) {
    let has = |asked: &Asked, wanted: &str| asked.options.iter().any(|option| option == wanted);
    let (trees, others): (Vec<_>, Vec<_>) =
        questions.into_iter().partition(|asked| has(asked, "tree") || !has(asked, "--store"));
    let tally = command().ask(&format!("{name}-trees"), &trees, &grants(25), 2);
    finish(&tally, &format!("{name}, with the tree store in the end"));
    assert!(tally.count(Seen::Witness) > 0, "no search found a violation without its run: too coarse");
    finish(&command().ask(name, &others, &grants(200), 1), &format!("{name}, with other stores"));
}

#[test]
fn memory_changes_no_verdict() {
    let folder = Folder::new("sweep-own");
    sweep_own("reachability", own(&folder));
}

#[test]
fn memory_changes_no_verdict_about_infinite_runs() {
    let folder = Folder::new("sweep-cycles");
    sweep_own("infinite runs", own_cycles(&folder));
}

#[test]
fn memory_changes_no_comparison_and_no_quotient() {
    let folder = Folder::new("sweep-graphs");
    finish(&command().ask("graphs", &own_graphs(&folder), &grants(150), 1), "comparisons and quotients");
}

#[test]
fn limits_change_no_verdict_of_the_cases() {
    let answers = |verdict: &str| {
        matches!(verdict, "fails" | "holds" | "unbounded" | "bounded" | "compatible" | "incompatible")
    };
    let questions: Vec<Asked> = directives()
        .iter()
        .filter_map(|directive| {
            let verdict = directive.expects("verdict").filter(|verdict| answers(verdict))?;
            let mut options = directive.options.clone();
            options.insert(1, directive.model.display().to_string());
            Some(Asked { options, known: ("verdict".to_owned(), verdict.into()) })
        })
        .collect();
    assert!(questions.len() > 200, "the cases are there");
    let mut limits: Vec<Vec<String>> = [LEAST, 4 * LEAST, MOST].into_iter().map(memory).collect();
    let tally = command().ask("cases", &questions, &limits, 1);
    finish(&tally, "cases");
    assert_eq!(tally.count(Seen::Refused), 0, "a case is a question that can be asked");
    let checks: Vec<Asked> = questions.into_iter().filter(|asked| asked.options[0] == "check").collect();
    limits = ["--states 1", "--states 10", "--depth 1", "--depth 5", "--time 1ms"]
        .map(|limit| limit.split_whitespace().map(str::to_owned).collect())
        .to_vec();
    let trees: Vec<Asked> =
        checks.iter().filter_map(|asked| asked.with("--store tree --search bfs")).collect();
    finish(&command().ask("limited-trees", &trees, &limits, usize::MAX), "cases in trees with other limits");
    limits.truncate(3);
    finish(&command().ask("limited", &checks, &limits, usize::MAX), "cases with other limits");
}

/// Time that is over, and users who stop a search, in the middle of it and while its run is being made.
#[test]
fn neither_time_nor_interrupts_change_a_verdict() {
    let folder = Folder::new("sweep-time");
    let text = "int x; byte y; active proctype p() { do :: x < 20000 -> x++ :: x < 20000 -> x++; y = 1 - y \
                :: x == 10000 -> assert(false) od }\n";
    let file = folder.file("deep.pml", text);
    let asked = Asked::new(&format!("check {file} --reductions none"), "fails");
    let searches = ["--store tree --threads 1", "--store tree --threads 2", "--spill DISK"];
    let questions = asked.in_ways(&searches, &["", "--all-errors"]);
    let times = [1, 5, 20, 50, 100, 200, 400].map(|time| vec!["--time".to_owned(), format!("{time}ms")]);
    finish(&command().ask("time", &questions, &times, 1), "time");
    let mut tally = Swept { questions: questions.len(), ..Swept::default() };
    for asked in &questions {
        for milliseconds in [10, 60, 150] {
            let mut command = command().command(asked, &[], folder.as_path());
            let child =
                command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("elnath can be started");
            let output = interrupted(child, Duration::from_millis(milliseconds));
            // Whoever is interrupted before the search begins has no answer.
            if !(output.stdout.is_empty() && output.status.code() == Some(3)) {
                tally.note(&command, judge(asked, &output));
            }
        }
    }
    let text = format!("interrupts: {:?}, {} wrong", tally.seen, tally.wrong.len());
    note(&text);
    assert!(tally.wrong.is_empty(), "{text}\n{}", tally.wrong.join("\n"));
    assert_eq!(tally.count(Seen::Refused), 0, "{text}");
}

fn interrupted(child: Child, after: Duration) -> Output {
    std::thread::sleep(after);
    // If it is over already there is nobody to be told.
    let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).stderr(Stdio::null()).status();
    child.wait_with_output().expect("elnath ends")
}

/// The text must not say that there is no violation when the JSON answer counts some.
#[test]
fn text_and_json_agree_on_a_violation_without_its_run() {
    let folder = Folder::new("sweep-text");
    let file = folder.file("grid.pml", GRID);
    let mut without_run = 0;
    for limit in grants(10).iter().skip(12).take(10) {
        let asked = Asked::new(&format!("check {file} --store tree --threads 1 --all-errors"), "fails");
        let output =
            command().command(&asked, limit, folder.as_path()).output().expect("elnath can be started");
        let seen = judge(&asked, &output).unwrap_or_else(|why| panic!("{limit:?}: {why}"));
        let text = common::run(asked.options.iter().chain(limit)).out;
        let expected = match seen {
            Seen::Known => "fails: ",
            Seen::Unknown => "unknown: out of memory; no violation among the",
            Seen::Witness => "unknown: there is a violation (",
            other => panic!("{limit:?}: {other:?}"),
        };
        assert!(text.contains(expected), "{seen:?}: {text}");
        if seen == Seen::Witness {
            without_run += 1;
            assert!(text.contains("1 fault among the 17,177 states seen"), "{text}");
            let trail =
                common::run(asked.options.iter().chain(limit).map(String::as_str).chain(["--chart", "-"]));
            assert!(trail.err.contains("the run to the violation is not known"), "{trail:#?}");
        }
    }
    assert!(without_run > 0, "no grant was such that the run alone did not fit");
}
