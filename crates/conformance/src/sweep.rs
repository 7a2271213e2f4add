//! Limits change no verdict: whatever is granted, the answer is the one that is known, or `unknown`.
//!
//! A violation that a search has seen and then has no room to tell must not become `holds`, so each question is asked again and
//! again with more and more memory, from far too little to enough: what matters happens in the narrow range where the states
//! fit and something beside them does not. The ways are all stores, searches, reductions, with one worker and two. The tests of
//! the command (`crates/cli/tests/sweep.rs`) sweep our own models, the campaign `sweep` those of other people.
//!
//! What every answer must be ([`judge`]): the known verdict or `unknown`; an exit code that goes with it; no panic and no
//! signal; `holds` with no errors, `fails` with a violation, and `unknown` with errors only for want of a run (`witness`). The
//! one exception are stores that prove nothing (bitstate, compact): they may say that they found nothing, if they say that it
//! is not a proof.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// The least memory that is granted.
pub const LEAST: usize = 64 << 10;
/// The most.
pub const MOST: usize = 64 << 20;

/// How what can be reached is looked for.
pub const SEARCHES: &[&str] = &[
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
pub const CYCLE_SEARCHES: &[&str] = &[
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
pub const MODES: &[&str] = &["", "--all-errors", "--reductions none", "--all-errors --reductions none"];

/// A question with a known answer.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The command, its files and options.
    pub options: Vec<String>,
    /// A field of the JSON answer, and its value.
    pub known: (String, Value),
}

impl Asked {
    /// A question with this verdict.
    pub fn new(options: &str, verdict: &str) -> Self {
        let options = options.split_whitespace().map(str::to_owned).collect();
        Self { options, known: ("verdict".to_owned(), verdict.into()) }
    }

    /// The same with more options, unless one of them is there already.
    pub fn with(&self, more: &str) -> Option<Self> {
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
    pub fn in_ways(&self, searches: &[&str], modes: &[&str]) -> Vec<Self> {
        let in_modes =
            |asked: Self| modes.iter().filter_map(move |mode| asked.with(mode)).collect::<Vec<_>>();
        searches.iter().filter_map(|search| self.with(search)).flat_map(in_modes).collect()
    }
}

/// What an answer was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
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
pub fn judge(asked: &Asked, output: &Output) -> Result<Seen, String> {
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
    // A formula of branching time, or of a net, is refuted by a part of the graph.
    let by_run =
        !asked.options.iter().any(|option| ["--mu", "--ctl", "--properties"].contains(&option.as_str()));
    let agreed = match verdict {
        Some("holds") => code == 0 && errors == 0 && !violation,
        Some("fails") if asked.options[0] == "check" && by_run => code == 1 && errors > 0 && violation,
        Some("fails" | "unbounded" | "incompatible") => code == 1,
        Some("unknown") => code == 3 && !violation && (errors == 0 || reason == Some("witness")),
        Some("bounded" | "compatible") | None => code == 0,
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
#[derive(Debug, Default)]
pub struct Swept {
    /// How many questions were asked, each several times.
    pub questions: usize,
    /// How many answers were of each kind.
    pub seen: Vec<(Seen, usize)>,
    /// The answers that are wrong.
    pub wrong: Vec<String>,
}

impl Swept {
    /// Counts an answer.
    pub fn note(&mut self, command: &Command, result: Result<Seen, String>) {
        match result {
            Ok(seen) => match self.seen.iter_mut().find(|(kind, _)| *kind == seen) {
                Some((_, count)) => *count += 1,
                None => self.seen.push((seen, 1)),
            },
            Err(why) => self.wrong.push(format!("{command:?}: {why}")),
        }
    }

    /// How many answers of a kind there were.
    pub fn count(&self, wanted: Seen) -> usize {
        self.seen.iter().find(|(seen, _)| *seen == wanted).map_or(0, |(_, count)| *count)
    }

    /// How many answers there were.
    pub fn runs(&self) -> usize {
        self.seen.iter().map(|(_, count)| count).sum::<usize>() + self.wrong.len()
    }
}

/// The command that is asked.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// Where it is.
    pub binary: PathBuf,
    /// When no more questions are begun.
    pub deadline: Option<Instant>,
    /// How many questions are asked at once.
    pub jobs: usize,
}

impl Sweep {
    /// The command for a question, with these limits.
    pub fn command(&self, asked: &Asked, limits: &[String], disk: &Path) -> Command {
        let mut command = Command::new(&self.binary);
        let options = asked.options.iter().map(|option| match option.as_str() {
            "DISK" => disk.display().to_string(),
            other => other.to_owned(),
        });
        command.args(options).args(limits).args(["--json", "--quiet"]);
        // Cases name other files relative to this.
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cli");
        command.current_dir(folder).env("RUST_BACKTRACE", "0").stdin(Stdio::null());
        command
    }

    /// Asks all questions with each of the limits, in this order; once the known answer was given `enough` times running, more of
    /// the same would change nothing.
    ///
    /// # Panics
    ///
    /// If the command cannot be started.
    pub fn ask(&self, name: &str, questions: &[Asked], limits: &[Vec<String>], enough: usize) -> Swept {
        let folder = std::env::temp_dir().join(format!("elnath-sweeping-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for temporary files");
        let swept = Mutex::new(Swept::default());
        let next = AtomicUsize::new(0);
        let work = || {
            while self.deadline.is_none_or(|end| Instant::now() < end)
                && let Some(asked) = questions.get(next.fetch_add(1, Ordering::Relaxed))
            {
                swept.lock().expect("no panic").questions += 1;
                let mut known = 0;
                for limit in limits {
                    let mut command = self.command(asked, limit, &folder);
                    let result = judge(asked, &command.output().expect("elnath can be started"));
                    known = if result == Ok(Seen::Known) { known + 1 } else { 0 };
                    let refused = result == Ok(Seen::Refused);
                    swept.lock().expect("no panic").note(&command, result);
                    if known == enough || refused {
                        break;
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.jobs {
                scope.spawn(work);
            }
            work();
        });
        let _ = std::fs::remove_dir_all(&folder);
        swept.into_inner().expect("no panic")
    }
}

/// From 64 KiB to 64 MiB, each so many percent more than the one before.
pub fn grants(percent: usize) -> Vec<Vec<String>> {
    let next = |&bytes: &usize| Some(bytes + bytes * percent / 100).filter(|&bytes| bytes <= MOST);
    std::iter::successors(Some(LEAST), next).map(memory).collect()
}

/// A grant of memory.
pub fn memory(bytes: usize) -> Vec<String> {
    vec!["--memory".to_owned(), format!("{bytes}B")]
}
