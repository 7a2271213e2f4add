//! The sides of the comparison: each takes a model from its source to a verdict, as a user would.

use elnath_bench::process;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;
use std::process::Command;

/// Who is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// The command measured.
    Elnath,
    /// An earlier one.
    Baseline,
    /// `spin -run`.
    Spin,
}

impl Side {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Side::Elnath => "elnath",
            Side::Baseline => "baseline",
            Side::Spin => "spin",
        }
    }
}

/// What a side says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// There is an error.
    Fails,
    /// There is none.
    Holds,
    /// It ran out of something: time, depth, memory.
    Unknown,
    /// It does not read the model.
    Refused,
}

impl Verdict {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Verdict::Fails => "fails",
            Verdict::Holds => "holds",
            Verdict::Unknown => "unknown",
            Verdict::Refused => "refused",
        }
    }
}

/// One answer and what it cost.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) verdict: Verdict,
    /// From the start of the command to its end, by the clock.
    pub(crate) seconds: f64,
    /// Processor time, which others at work on the machine disturb less.
    pub(crate) cpu: f64,
    /// How long the run is that is shown.
    pub(crate) length: Option<Length>,
    pub(crate) states: Option<f64>,
}

/// How long a run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Length {
    /// Transitions of the system without reductions, in which an atomic sequence is one.
    pub(crate) transitions: usize,
    /// Statements executed.
    pub(crate) statements: usize,
}

/// Asks `side` about `file`; it has no answer after `most` seconds. SPIN's trail is replayed with `replayer`, an elnath: how long
/// the run is that it stands for is not a matter of what SPIN merges. That takes no part in the time.
pub(crate) fn ask(
    side: Side,
    program: &Path,
    replayer: &Path,
    file: &Path,
    work: &Path,
    most: u32,
) -> Answer {
    let (said, complained) = (work.join("said"), work.join("complained"));
    let mut command = Command::new("timeout");
    command.current_dir(work).arg(most.to_string()).arg(program);
    match side {
        Side::Elnath => command.arg("check").arg(file).args(["--safety-only", "--json"]),
        // An earlier one may have looked for nothing else.
        Side::Baseline => command.arg("check").arg(file).arg("--json"),
        // Without claims: what must not be reached is looked for.
        Side::Spin => command.args(["-run", "-noclaim"]).arg(file),
    };
    let trail = work.join(file.file_name().unwrap_or_default()).with_added_extension("trail");
    // It may be one of another model of that name.
    let _ = fs::remove_file(&trail);
    let none = Answer { verdict: Verdict::Refused, seconds: 0.0, cpu: 0.0, length: None, states: None };
    let Ok(usage) = process::run(&mut command, &said, &complained) else { return none };
    let none = Answer { seconds: usage.wall, cpu: usage.cpu, ..none };
    // What `timeout` itself says.
    if usage.code == Some(124) {
        return Answer { verdict: Verdict::Unknown, ..none };
    }
    let found = match side {
        Side::Elnath | Side::Baseline => ours(&said),
        Side::Spin => {
            let output = fs::read(&said).unwrap_or_default();
            spins(&String::from_utf8_lossy(&output)).map(|answer| match answer.verdict {
                Verdict::Fails => Answer { length: replayed(replayer, file, &trail, work), ..answer },
                _ => answer,
            })
        }
    };
    found.map_or(none, |found| Answer { seconds: usage.wall, cpu: usage.cpu, ..found })
}

/// How long the run is that a trail stands for, if it can be followed to an error.
fn replayed(replayer: &Path, file: &Path, trail: &Path, work: &Path) -> Option<Length> {
    let (said, complained) = (work.join("replayed"), work.join("complained"));
    let mut command = Command::new("timeout");
    command.current_dir(work).arg("60").arg(replayer).arg("replay").arg(file).arg(trail);
    command.args(["--json", "--language", "promela"]);
    process::run(&mut command, &said, &complained).ok()?;
    let run: Replayed = serde_json::from_reader(BufReader::new(File::open(said).ok()?)).ok()?;
    run.error.then(|| length_of(&run.steps))
}

#[derive(Deserialize)]
struct Replayed {
    error: bool,
    steps: Vec<Step>,
}

fn length_of(steps: &[Step]) -> Length {
    let statements = steps.iter().map(|step| step.events.len()).sum();
    Length { transitions: steps.len(), statements }
}

/// What of our JSON is looked at. Events are counted, not kept.
#[derive(Deserialize)]
struct Json {
    verdict: Option<String>,
    states: Option<u64>,
    violation: Option<Run>,
}

#[derive(Deserialize)]
struct Run {
    steps: Vec<Step>,
}

#[derive(Deserialize)]
struct Step {
    events: Vec<IgnoredAny>,
}

fn ours(said: &Path) -> Option<Answer> {
    let json: Json = serde_json::from_reader(BufReader::new(File::open(said).ok()?)).ok()?;
    let verdict = match json.verdict?.as_str() {
        "fails" => Verdict::Fails,
        "holds" => Verdict::Holds,
        _ => Verdict::Unknown,
    };
    let length = json.violation.map(|run| length_of(&run.steps));
    let states = json.states.map(|states| states as f64);
    Some(Answer { verdict, seconds: 0.0, cpu: 0.0, length, states })
}

/// What SPIN's verifier printed.
fn spins(output: &str) -> Option<Answer> {
    let after =
        |what: &str| output.lines().find_map(|line| line.split_once(what)?.1.split_whitespace().next());
    let states = output
        .lines()
        .find_map(|line| line.split_once(" states, stored")?.0.split_whitespace().last()?.parse().ok());
    // `pan` has errors of its own: these say nothing about the model.
    let cut = ["VECTORSZ", "out of memory", "max search depth too small"];
    let own = ["VECTORSZ", "xs chans cannot be used", "partial order reduction invalid"];
    let says = |parts: &[&str]| parts.iter().any(|part| output.contains(part));
    let verdict = match after("errors: ")?.parse::<u64>().ok()? {
        0 if says(&cut) => Verdict::Unknown,
        0 => Verdict::Holds,
        _ if says(&own) => Verdict::Unknown,
        _ => Verdict::Fails,
    };
    Some(Answer { verdict, seconds: 0.0, cpu: 0.0, length: None, states })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_spin_prints_is_read() {
        let output = "pan:1: assertion violated 0 (at depth 11)\nState-vector 12 byte, depth reached 11, errors: 1\n       \
                      12 states, stored\n";
        let answer = spins(output).unwrap();
        assert_eq!((answer.verdict, answer.states), (Verdict::Fails, Some(12.0)));
        let holds = spins(&output.replace("errors: 1", "errors: 0")).unwrap();
        assert_eq!((holds.verdict, holds.length), (Verdict::Holds, None));
        let cut = format!("error: max search depth too small\n{}", output.replace("errors: 1", "errors: 0"));
        assert_eq!(spins(&cut).unwrap().verdict, Verdict::Unknown);
        assert!(spins("spin: error: syntax error").is_none());
    }
}
