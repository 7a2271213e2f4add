//! Tasks in processes of their own, so that each has a peak of memory of its own.

use crate::{Merc, ours, theirs};
use elnath::Verdict;
use elnath::compare::Compare;
use elnath_kernel::relation::Relation;
use elnath_lts::Lts;
use elnath_lts::aut::{ReadOptions, read_file};
use merc_lts::read_aut;
use merc_reduction::{Equivalence, compare_lts};
use merc_utilities::Timing;
use rustix::time::{ClockId, clock_gettime};
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

const RELATIONS: [(&str, Relation, Equivalence); 2] = [
    ("strong", Relation::Strong, Equivalence::StrongBisim),
    ("branching", Relation::Branching, Equivalence::BranchingBisim),
];

/// The time of processors that this process has used, whatever else the machine does.
pub fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// What a process found out, and what that took.
struct Took {
    answer: String,
    seconds: f64,
    mebibytes: f64,
}

/// Prints what each task takes: reading both graphs, reducing the left one, comparing both.
///
/// # Panics
/// If the two tools do not give the same answer, or a graph cannot be read.
pub fn table(files: &[PathBuf]) {
    let [left, right] = files else { panic!("--apart takes two graphs") };
    println!("| task | answer | ours | MERC | times faster | of its memory |");
    println!("|---|---|---:|---:|---:|---:|");
    let tasks = RELATIONS.iter().flat_map(|&(name, ..)| [("reduce", name), ("compare", name)]);
    for (what, relation) in [("load", "")].into_iter().chain(tasks) {
        let [us, them] = ["ours", "theirs"].map(|who| run(who, what, relation, left, right));
        assert_eq!(us.answer, them.answer, "{what} {relation}");
        println!(
            "| {what} {relation} | {} | {:.2} s, {:.0} MiB | {:.2} s, {:.0} MiB | {:.1} | {:.2} |",
            us.answer,
            us.seconds,
            us.mebibytes,
            them.seconds,
            them.mebibytes,
            them.seconds / us.seconds,
            us.mebibytes / them.mebibytes
        );
    }
}

fn run(who: &str, what: &str, relation: &str, left: &Path, right: &Path) -> Took {
    let this = std::env::current_exe().expect("this program is a file");
    let words = ["--task", who, what, relation];
    let output = Command::new(this).args(words).args([left, right]).output().expect("it can be run again");
    let text = String::from_utf8_lossy(&output.stdout);
    let mut parts = text.trim().split('\t');
    let mut next = || parts.next().unwrap_or_else(|| panic!("{who} {what} {relation} of {}", left.display()));
    let answer = next().to_owned();
    let mut number = || next().parse().expect("a number");
    Took { answer, seconds: number(), mebibytes: number() }
}

/// One task: prints its answer, the processor time it took, without reading, and the peak of memory of this process.
///
/// # Panics
/// If there is no such task, or a graph cannot be read.
pub fn task(words: &[OsString]) {
    let text = |at: usize| words[at].to_str().expect("a word");
    let [left, right] = [3, 4].map(|at| Path::new(&words[at]));
    let (answer, took) = if text(0) == "ours" {
        our_task(text(1), text(2), left, right)
    } else {
        their_task(text(1), text(2), left, right)
    };
    println!("{answer}\t{}\t{}", took.as_secs_f64(), peak());
}

fn relation(name: &str) -> (Relation, Equivalence) {
    let &(_, relation, equivalence) =
        RELATIONS.iter().find(|(known, ..)| *known == name).expect("one of the two");
    (relation, equivalence)
}

fn our_task(what: &str, name: &str, left: &Path, right: &Path) -> (String, Duration) {
    let read = |file: &Path| -> Lts { read_file(file, &ReadOptions::default()).expect("a good file").lts };
    let begin = cpu_time();
    let left = read(left);
    if what == "reduce" {
        let begin = cpu_time();
        let states = ours(&left, relation(name).0).lts.num_states();
        return (format!("{states} states"), cpu_time() - begin);
    }
    let right = read(right);
    if what == "load" {
        return (format!("{} states", left.num_states() + right.num_states()), cpu_time() - begin);
    }
    let begin = cpu_time();
    let (left, right) = (Arc::new(left), Arc::new(right));
    let question = Compare::systems(left.clone(), right.clone()).explicit(left, right);
    let report = question.relation(relation(name).0).run().expect("a relation that we have");
    let same = matches!(report.verdict(), Verdict::Holds(_));
    (if same { "same" } else { "different" }.to_owned(), cpu_time() - begin)
}

fn their_task(what: &str, name: &str, left: &Path, right: &Path) -> (String, Duration) {
    let read = |file: &Path| -> Merc {
        read_aut(File::open(file).expect("the file is there")).expect("a good file")
    };
    let begin = cpu_time();
    let left = read(left);
    if what == "reduce" {
        let begin = cpu_time();
        let quotient = theirs(left, relation(name).1, false);
        let took = cpu_time() - begin;
        // Classes that cannot be reached are not counted.
        let states = merc_lts::LTS::num_of_states(&merc_lts::reachable_lts(&quotient));
        return (format!("{states} states"), took);
    }
    let right = read(right);
    if what == "load" {
        let states = merc_lts::LTS::num_of_states(&left) + merc_lts::LTS::num_of_states(&right);
        return (format!("{states} states"), cpu_time() - begin);
    }
    let begin = cpu_time();
    let same = compare_lts(relation(name).1, left, right, false, &mut Timing::new());
    (if same { "same" } else { "different" }.to_owned(), cpu_time() - begin)
}

/// The peak of the memory of this process, in MiB.
fn peak() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("this is Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    let kibibytes: f64 = line.trim().trim_end_matches(" kB").parse().expect("a number");
    kibibytes / 1024.0
}
