//! Limits change no verdict: whatever is granted, the answer is the one that is known, or `unknown`.
//!
//! A violation that a search has seen and then has no room to tell must not become `holds`, so each question is asked again and
//! again with more and more memory, from far too little to enough: what matters happens in the narrow range where the states
//! fit and something beside them does not. The questions are models whose violations come late ([`own`]), the cases of
//! `tests/cases`, comparisons and quotients; the ways are all stores, searches, reductions, with one worker and two. Limits on
//! states, depth and time, and interrupts, are swept as well.
//!
//! What every answer must be ([`judge`]): the known verdict or `unknown`; an exit code that goes with it; no panic and no
//! signal; `holds` with no errors, `fails` with a violation, and `unknown` with errors only for want of a run (`witness`). The
//! one exception are stores that prove nothing (bitstate, compact): they may say that they found nothing, if they say that it
//! is not a proof.
//!
//! `ELNATH_SWEEP=DIRECTORY,.. cargo test --release -p elnath-cli --test sweep people -- --nocapture` sweeps every failing model in
//! directories with a `REFERENCE.tsv` of SPIN's answers, in steps of a quarter; docs/campaigns.md has its figures.
//! `ELNATH_SWEEP_STATES` is the most states of a model (100,000), `ELNATH_SWEEP_MINUTES` the longest time, after which the rest of
//! the questions, which come in no particular order, is left out, `ELNATH_SWEEP_FROM` how many of them were asked before, and `ELNATH_SWEEP_BINARY` another build of `elnath` to be asked.

mod common;

use common::{Folder, directives, note};
use elnath::LoadOptions;
use serde_json::Value;
use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const KIB: usize = 1 << 10;
const LEAST: usize = 64 * KIB;
const MOST: usize = 64 << 20;

/// How what can be reached is looked for.
const SEARCHES: &[&str] = &[
    "--threads 1",
    "--threads 2",
    "--store exact --search dfs",
    "--store exact --search dfs --reductions sleep",
    "--store tree --threads 1",
    "--store tree --threads 2",
    "--store compact --search dfs",
    "--store compact --search bfs",
    "--store bitstate --search dfs",
    "--store bitstate --search dfs --threads 2",
    "--store bitstate --search bfs",
    "--store replacing --thrashing 3",
    "--store replacing --thrashing 3 --reductions sleep",
    "--shortest",
    "--engine interpreter --threads 2",
    "--spill DISK --threads 1",
    "--spill DISK --threads 2",
    "--swarm 100ms",
];

/// How infinite runs are looked for.
const CYCLE_SEARCHES: &[&str] = &[
    "--threads 1",
    "--threads 2",
    "--shortest",
    "--search bfs --store tree",
    "--search bfs --store compact",
    "--search bfs --spill DISK",
    "--search weak --store exact",
    "--search weak --store replacing --thrashing 3",
    "--search algorithm-a --store exact",
    "--search algorithm-a --store replacing --thrashing 3",
    "--search algorithm-a --store compact",
    "--search algorithm-b --store exact",
    "--search algorithm-b --store replacing --thrashing 3",
    "--search algorithm-b --store bitstate",
    "--search se05 --store exact",
    "--search se05 --store compact",
    "--search cndfs --threads 2",
    "--search deterministic --store exact",
    "--search deterministic --store replacing --thrashing 3",
    "--search scc",
    "--search ufscc --threads 2",
    "--search scc --fair weak",
    "--search ufscc --fair weak",
];

/// How a question is asked beside that.
const MODES: &[&str] = &["", "--all-errors", "--reductions none", "--all-errors --reductions none"];

/// A question with a known answer.
#[derive(Clone, Debug)]
struct Asked {
    /// The command, its files and options.
    options: Vec<String>,
    /// A field of the JSON answer, and its value.
    known: (String, Value),
}

impl Asked {
    fn new(options: &str, verdict: &str) -> Self {
        let options = options.split_whitespace().map(str::to_owned).collect();
        Self { options, known: ("verdict".to_owned(), verdict.into()) }
    }

    /// The same with more options, unless one of them is there already.
    fn with(&self, more: &str) -> Option<Self> {
        let more: Vec<&str> = more.split_whitespace().collect();
        let twice = |option: &&str| option.starts_with('-') && self.options.iter().any(|own| own == option);
        if more.iter().any(twice) {
            return None;
        }
        let mut this = self.clone();
        this.options.extend(more.iter().map(|&option| option.to_owned()));
        Some(this)
    }

    /// Every search in every mode that go together.
    fn in_ways(&self, searches: &[&str], modes: &[&str]) -> Vec<Self> {
        let in_modes =
            |asked: Self| modes.iter().filter_map(move |mode| asked.with(mode)).collect::<Vec<_>>();
        searches.iter().filter_map(|search| self.with(search)).flat_map(in_modes).collect()
    }
}

/// What an answer was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    /// The known one.
    Known,
    /// Something ran out.
    Unknown,
    /// There is a violation, but something ran out before its run was known.
    Witness,
    /// A store that proves nothing found nothing, and said so.
    Lossy,
    /// The options do not go together.
    Refused,
}

/// Whether an answer may be given to a question.
fn judge(asked: &Asked, output: &Output) -> Result<Seen, String> {
    let error = String::from_utf8_lossy(&output.stderr);
    let Some(code) = output.status.code() else { return Err(format!("{}", output.status)) };
    if error.contains("panicked") {
        return Err(error.lines().filter(|line| !line.is_empty()).take(2).collect::<Vec<_>>().join(" "));
    }
    if code == 2 {
        return Ok(Seen::Refused);
    }
    let json: Value = serde_json::from_slice(&output.stdout)
        .map_err(|why| format!("exit code {code} and no JSON: {why}; {}", error.trim()))?;
    let (verdict, errors) = (json["verdict"].as_str(), json["errors"].as_u64().unwrap_or(0));
    let lossy = json["coverage"]["kind"] == "lossy";
    let (known, value) = &asked.known;
    let (reason, violation) = (json["reason"].as_str(), !json["violation"].is_null());
    let right = if known == "verdict" { verdict == value.as_str() } else { json[known] == *value };
    let agreed = match verdict {
        Some("holds") => code == 0 && errors == 0 && !violation,
        Some("fails") if asked.options[0] == "check" => code == 1 && errors > 0 && violation,
        Some("fails" | "unbounded") => code == 1,
        Some("unknown") => code == 3 && !violation && (errors == 0 || reason == Some("witness")),
        Some("bounded") | None => code == 0,
        Some(_) => false,
    };
    let answer =
        format!("{verdict:?}, {reason:?}, {errors} errors, coverage {}, exit code {code}", json["coverage"]);
    match verdict {
        _ if !agreed => Err(format!("contradicts itself: {answer}")),
        Some("unknown") if reason == Some("witness") && value != "fails" => Err(format!("wrong: {answer}")),
        Some("unknown") if reason == Some("witness") => Ok(Seen::Witness),
        Some("unknown") => Ok(Seen::Unknown),
        _ if right => Ok(Seen::Known),
        Some("holds") if lossy => Ok(Seen::Lossy),
        _ => Err(format!("wrong: {answer}")),
    }
}

/// What a sweep has found out.
#[derive(Default)]
struct Tally {
    questions: usize,
    /// How many answers were of each kind.
    seen: Vec<(Seen, usize)>,
    wrong: Vec<String>,
}

impl Tally {
    fn note(&mut self, command: &Command, result: Result<Seen, String>) {
        match result {
            Ok(seen) => match self.seen.iter_mut().find(|(kind, _)| *kind == seen) {
                Some((_, count)) => *count += 1,
                None => self.seen.push((seen, 1)),
            },
            Err(why) => self.wrong.push(format!("{command:?}: {why}")),
        }
    }

    fn count(&self, wanted: Seen) -> usize {
        self.seen.iter().find(|(seen, _)| *seen == wanted).map_or(0, |(_, count)| *count)
    }

    /// Says what was found out, and fails if something was wrong.
    fn finish(&self, name: &str) {
        let mut text = format!("{name}: {} questions", self.questions);
        let runs: usize = self.seen.iter().map(|(_, count)| count).sum::<usize>() + self.wrong.len();
        let _ = write!(text, ", {runs} runs, {:?}, {} wrong", self.seen, self.wrong.len());
        note(&text);
        let shown: Vec<&str> = self.wrong.iter().take(40).map(String::as_str).collect();
        assert!(self.wrong.is_empty(), "{text}\n{}", shown.join("\n"));
        assert!(self.count(Seen::Known) > 0, "nothing was answered: {text}");
    }
}

fn elnath(asked: &Asked, limits: &[String], disk: &Path) -> Command {
    let binary =
        std::env::var_os("ELNATH_SWEEP_BINARY").unwrap_or_else(|| env!("CARGO_BIN_EXE_elnath").into());
    let mut command = Command::new(binary);
    let options = asked.options.iter().map(|option| match option.as_str() {
        "DISK" => disk.display().to_string(),
        other => other.to_owned(),
    });
    command.args(options).args(limits).args(["--json", "--quiet"]);
    // Cases name other files relative to this.
    command.current_dir(env!("CARGO_MANIFEST_DIR")).env("RUST_BACKTRACE", "0").stdin(Stdio::null());
    command
}

/// Asks all questions with each of the limits, in this order; once the known answer was given `enough` times running, more of the same
/// would change nothing.
fn sweep(name: &str, questions: &[Asked], limits: &[Vec<String>], enough: usize) -> Tally {
    let folder = Folder::new(&format!("sweeping-{name}"));
    let tally = Mutex::new(Tally::default());
    let next = AtomicUsize::new(0);
    let minutes: Option<u64> = std::env::var("ELNATH_SWEEP_MINUTES").ok().and_then(|text| text.parse().ok());
    let end = minutes.map(|minutes| Instant::now() + Duration::from_secs(60 * minutes));
    let work = || {
        while end.is_none_or(|end| Instant::now() < end)
            && let Some(asked) = questions.get(next.fetch_add(1, Ordering::Relaxed))
        {
            tally.lock().expect("no panic").questions += 1;
            let mut known = 0;
            for limit in limits {
                let mut command = elnath(asked, limit, folder.as_path());
                let result = judge(asked, &command.output().expect("elnath can be started"));
                known = if result == Ok(Seen::Known) { known + 1 } else { 0 };
                let refused = result == Ok(Seen::Refused);
                tally.lock().expect("no panic").note(&command, result);
                if known == enough || refused {
                    break;
                }
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        work();
    });
    tally.into_inner().expect("no panic")
}

/// From 64 KiB to 64 MiB, each so many percent more than the one before.
fn grants(percent: usize) -> Vec<Vec<String>> {
    let next = |&bytes: &usize| Some(bytes + bytes * percent / 100).filter(|&bytes| bytes <= MOST);
    std::iter::successors(Some(LEAST), next).map(memory).collect()
}

fn memory(bytes: usize) -> Vec<String> {
    vec!["--memory".to_owned(), bytes.to_string()]
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
        ask(format!("check {grid} --end-states ignore --forbid assert"), "fails", &MODES[..1]),
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
    let tally = sweep(&format!("{name}-trees"), &trees, &grants(25), 2);
    tally.finish(&format!("{name}, with the tree store in the end"));
    assert!(tally.count(Seen::Witness) > 0, "no search found a violation without its run: too coarse");
    sweep(name, &others, &grants(200), 1).finish(&format!("{name}, with other stores"));
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
    sweep("graphs", &own_graphs(&folder), &grants(150), 1).finish("comparisons and quotients");
}

#[test]
fn limits_change_no_verdict_of_the_cases() {
    let answers = |verdict: &str| matches!(verdict, "fails" | "holds" | "unbounded" | "bounded");
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
    let tally = sweep("cases", &questions, &limits, 1);
    tally.finish("cases");
    assert_eq!(tally.count(Seen::Refused), 0, "a case is a question that can be asked");
    let checks: Vec<Asked> = questions.into_iter().filter(|asked| asked.options[0] == "check").collect();
    limits = ["--states 1", "--states 10", "--depth 1", "--depth 5", "--time 1ms"]
        .map(|limit| limit.split_whitespace().map(str::to_owned).collect())
        .to_vec();
    let trees: Vec<Asked> =
        checks.iter().filter_map(|asked| asked.with("--store tree --search bfs")).collect();
    sweep("limited-trees", &trees, &limits, usize::MAX).finish("cases in trees with other limits");
    limits.truncate(3);
    sweep("limited", &checks, &limits, usize::MAX).finish("cases with other limits");
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
    sweep("time", &questions, &times, 1).finish("time");
    let mut tally = Tally { questions: questions.len(), ..Tally::default() };
    for asked in &questions {
        for milliseconds in [10, 60, 150] {
            let mut command = elnath(asked, &[], folder.as_path());
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
        let output = elnath(&asked, limit, folder.as_path()).output().expect("elnath can be started");
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

/// Models by other people, of which SPIN knows the answer.
#[test]
fn memory_changes_no_verdict_on_models_people_wrote() {
    let Ok(directories) = std::env::var("ELNATH_SWEEP") else {
        note("not swept: models by other people (ELNATH_SWEEP=DIRECTORY,..)");
        return;
    };
    let most =
        std::env::var("ELNATH_SWEEP_STATES").ok().and_then(|text| text.parse().ok()).unwrap_or(100_000);
    let (mut asked, mut left_out) = (Vec::new(), [0; 3]);
    for directory in directories.split(',').map(PathBuf::from) {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(directory);
        failing(&directory, most, &mut asked, &mut left_out);
    }
    let [large, refused, other] = left_out;
    note(&format!(
        "{} ways to ask; left out: {large} questions over {most} states, {refused} refused, {other} not answered with an error in time",
        asked.len()
    ));
    asked.sort_by_cached_key(|asked| {
        let mut hasher = DefaultHasher::new();
        asked.options.hash(&mut hasher);
        hasher.finish()
    });
    let from: usize =
        std::env::var("ELNATH_SWEEP_FROM").ok().and_then(|text| text.parse().ok()).unwrap_or_default();
    sweep("people", &asked[from.min(asked.len())..], &grants(25), 3).finish("models people wrote");
}

/// The claim that SPIN checks if none is named, if the model has one.
fn first_claim(question: &Asked) -> Option<String> {
    let defines = question.options[2..].iter().map(|define| define["-D".len()..].to_owned()).collect();
    let options = LoadOptions { defines, ..LoadOptions::default() };
    let loaded = elnath::load(Path::new(&question.options[1]), &options).ok()?;
    loaded.claims.into_iter().chain(loaded.formulas).next()
}

/// The questions of a table that SPIN answers with an error and that we answer so too when there is room; the others are counted.
fn failing(directory: &Path, most: u64, asked: &mut Vec<Asked>, left_out: &mut [usize; 3]) {
    let table = std::fs::read_to_string(directory.join("REFERENCE.tsv")).expect("a table of SPIN's answers");
    let mut lines = table.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let header = lines.next().expect("a header");
    let cell = |row: &[&str], name: &str| {
        let column = header.iter().position(|found| *found == name);
        column.and_then(|column| row.get(column)).map_or(String::new(), |&cell| cell.to_owned())
    };
    for row in lines {
        if !cell(&row, "verdict").starts_with("error") || cell(&row, "config") == "opt" {
            continue;
        }
        if cell(&row, "states").parse::<u64>().is_ok_and(|states| states > most) {
            left_out[0] += 1;
            continue;
        }
        let mut question = Asked::new("check", "fails");
        question.options.push(directory.join(cell(&row, "file")).display().to_string());
        let defines = cell(&row, "spin_flags");
        question
            .options
            .extend(defines.split_whitespace().filter(|flag| flag.starts_with("-D")).map(str::to_owned));
        let config = cell(&row, "config");
        let cycles = config != "ref";
        let named = Some(cell(&row, "claim")).filter(|name| !name.is_empty());
        let claim = if cycles { named.or_else(|| first_claim(&question)) } else { None };
        question.options.extend(match (config.trim_end_matches("fair"), claim) {
            ("np", _) => vec!["--non-progress".to_owned()],
            (_, Some(claim)) => vec!["--claim".to_owned(), claim],
            _ if cycles => vec!["--accept-cycles".to_owned()],
            _ if cell(&row, "pan_flags").contains("-E") => {
                vec!["--end-states".to_owned(), "ignore".to_owned()]
            }
            _ => Vec::new(),
        });
        if config.ends_with("fair") {
            question.options.extend(["--fair".to_owned(), "weak".to_owned()]);
        }
        let ample = [memory(1 << 30), vec!["--time".to_owned(), "10s".to_owned()]].concat();
        // There is a model whose check keeps to neither limit: whatever takes longer is left out.
        let asking = elnath(&question, &ample, directory);
        let mut patient = Command::new("timeout");
        patient.arg("30").arg(asking.get_program()).args(asking.get_args()).stdin(Stdio::null());
        let output = patient.output().expect("elnath can be started");
        match judge(&question, &output) {
            Ok(Seen::Known) => {
                let (searches, modes) =
                    if cycles { (CYCLE_SEARCHES, &MODES[..1]) } else { (SEARCHES, MODES) };
                // Fair runs are another question.
                let searches: Vec<&str> =
                    searches.iter().copied().filter(|search| !search.contains("--fair")).collect();
                asked.extend(question.in_ways(&searches, modes));
            }
            Ok(Seen::Refused) => left_out[1] += 1,
            _ => left_out[2] += 1,
        }
    }
}
