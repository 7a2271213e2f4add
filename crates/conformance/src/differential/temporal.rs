//! Properties of infinite runs, asked of both tools: is there an error or none?
//!
//! Automata differ from tool to tool and with them all figures, so only the verdict is compared: SPIN's `errors: 0` or
//! more, without its reductions, against ours. A model with formulas, never claims, acceptance or progress labels gives a
//! [`Question`] for each of them, once for all runs and once for those that are weakly fair ([`questions`]).

use super::spin::run_command;
use elnath::{Check, Fairness, Limit, LoadOptions, Verdict, Wanted};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// A property of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The formula or claim, or what its labels say.
    pub wanted: Wanted,
    /// Whether only weakly fair runs count.
    pub fair: bool,
}

impl Question {
    /// As our options.
    pub fn options(&self) -> String {
        let what = match &self.wanted {
            Wanted::Claim(name) => format!("--claim {name}"),
            Wanted::NonProgress => "--non-progress".to_owned(),
            Wanted::AcceptanceCycles => "--accept-cycles".to_owned(),
            Wanted::Ltl(_)
            | Wanted::Ltlf(_)
            | Wanted::Branching(_)
            | Wanted::Automaton(_)
            | Wanted::EventualReception => {
                unreachable!("SPIN has no such question")
            }
        };
        format!("{what}{}", if self.fair { " --fair weak" } else { "" })
    }
}

/// What a tool says of a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// There is no error.
    Holds,
    /// There is one: which, in the tool's own words.
    Fails(String),
    /// There is one, in a run that ends and whose last state is taken to last for ever. Only we tell that apart: under
    /// fairness SPIN overlooks some of these (`docs/spin-differences.md`).
    FailsAtEnd(String),
    /// Something ran out.
    Unknown(String),
    /// It does not take the model or the question, and says why.
    Refused(String),
}

impl Answer {
    /// Whether both say that there is an error, or both that there is none; nothing if one of them says neither.
    pub fn agrees(&self, other: &Answer) -> Option<bool> {
        let verdict = |answer: &Answer| match answer {
            Answer::Holds => Some(true),
            Answer::Fails(_) | Answer::FailsAtEnd(_) => Some(false),
            Answer::Unknown(_) | Answer::Refused(_) => None,
        };
        Some(verdict(self)? == verdict(other)?)
    }
}

/// What an answer may cost.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Time for the search.
    pub time: Duration,
    /// Memory for it, in bytes.
    pub memory: usize,
    /// How deep SPIN may go; it takes the memory for that at once, so for small models this should be small.
    pub depth: u32,
}

/// The properties of a model: of each of its formulas and claims, and of its labels.
///
/// # Errors
/// Why it is no model for us.
pub fn questions(model: &Path) -> Result<Vec<Question>, String> {
    let options = LoadOptions::default();
    let loaded = elnath::load(model, &options).map_err(first_line)?;
    let mut wanted: Vec<Wanted> =
        loaded.claims.iter().chain(&loaded.formulas).cloned().map(Wanted::Claim).collect();
    let program = loaded.program.as_ref().ok_or("not a program")?.program();
    let mut locations = program.processes.iter().flat_map(|process| &process.locations);
    if locations.clone().any(|location| location.accept) {
        wanted.push(Wanted::AcceptanceCycles);
    }
    if locations.any(|location| location.progress) {
        wanted.push(Wanted::NonProgress);
    }
    let both = |wanted: Wanted| [false, true].map(|fair| Question { wanted: wanted.clone(), fair });
    Ok(wanted.into_iter().flat_map(both).collect())
}

fn first_line(error: elnath::LoadError) -> String {
    error.into_messages().first().map(ToString::to_string).unwrap_or_default()
}

/// Our answer.
pub fn ours(model: &Path, question: &Question, limits: Limits) -> Answer {
    let work = std::panic::AssertUnwindSafe(|| checked(model, question, limits));
    std::panic::catch_unwind(work).unwrap_or_else(|_| Answer::Refused("a panic".to_owned()))
}

fn checked(model: &Path, question: &Question, limits: Limits) -> Answer {
    let options = LoadOptions {
        property: Some(question.wanted.clone()),
        engine: elnath::Engine::Jit,
        ..LoadOptions::default()
    };
    let loaded = match elnath::load(model, &options) {
        Ok(loaded) => loaded,
        Err(error) => return Answer::Refused(first_line(error)),
    };
    let Some(property) = loaded.property else { return Answer::Refused("no automaton".to_owned()) };
    let fair = if question.fair { Fairness::Weak } else { Fairness::None };
    let start = Instant::now();
    let watch = move |_: &elnath::Counters| (start.elapsed() > limits.time).then_some(Limit::Time);
    let check = Check::system(loaded.system).property(property.fair(fair)).memory(limits.memory).watch(watch);
    match check.run() {
        Err(problem) => Answer::Refused(problem.to_string()),
        Ok(report) => match report.verdict() {
            Verdict::Holds(_) => Answer::Holds,
            Verdict::Fails(_) => {
                let text = report.first().violation_text().unwrap_or_default().to_owned();
                let steps = report.first().violation().map_or(0, |(_, run)| run.steps.len());
                let alone = report.first().verdict.evidence().and_then(|shown| shown.alone.as_ref());
                let ends = alone.is_some_and(|(run, _)| run.fault.is_none() && run.steps.len() < steps);
                if ends { Answer::FailsAtEnd(text) } else { Answer::Fails(text) }
            }
            Verdict::Unknown(limit) => Answer::Unknown(limit.name().to_owned()),
        },
    }
}

/// SPIN's verifiers of one model, in a directory of their own, compiled as they are asked for: with the claims, without
/// them, and for progress.
pub struct Verifiers<'d> {
    directory: &'d Path,
    model: &'d str,
    claimed: &'d str,
    compiler: &'d str,
    /// How many claims the model has: one of several is chosen by its name.
    claims: usize,
    compiled: Vec<(&'static str, Result<(), String>)>,
}

impl<'d> Verifiers<'d> {
    /// Of `model` in `directory`, to which all files go. In a verifier with a claim, that for progress included, SPIN
    /// counts the claim as a process in `_nr_pr`; `claimed` may be another text for these, which takes it off again.
    pub fn new(
        directory: &'d Path,
        (model, claimed): (&'d str, &'d str),
        compiler: &'d str,
        claims: usize,
    ) -> Self {
        Self { directory, model, claimed, compiler, claims, compiled: Vec::new() }
    }

    /// SPIN's answer.
    ///
    /// # Errors
    /// If a program cannot be started.
    pub fn answer(&mut self, question: &Question, limits: Limits) -> std::io::Result<Answer> {
        let (name, defines): (&'static str, &[&str]) = match question.wanted {
            Wanted::NonProgress => ("pan-np", &["-DNP", "-DNOCLAIM"]),
            Wanted::AcceptanceCycles => ("pan-accept", &["-DNOCLAIM"]),
            _ => ("pan-claim", &[]),
        };
        let known = self.compiled.iter().find(|(other, _)| *other == name).map(|(_, done)| done.clone());
        let compiled = match known {
            Some(compiled) => compiled,
            None => {
                let compiled = self.compile(name, defines, limits)?;
                self.compiled.push((name, compiled.clone()));
                compiled
            }
        };
        if let Err(why) = compiled {
            return Ok(Answer::Refused(why));
        }
        let cycles = if question.wanted == Wanted::NonProgress { "-l" } else { "-a" };
        let depth = format!("-m{}", limits.depth);
        let mut flags = vec![cycles, "-n", &depth, "-w20"];
        if question.fair {
            flags.push("-f");
        }
        let claim = match &question.wanted {
            Wanted::Claim(claim) if claim == "never" => "never_0",
            Wanted::Claim(claim) => claim,
            _ => "",
        };
        if self.claims > 1 && !claim.is_empty() {
            flags.extend(["-N", claim]);
        }
        let mut pan = Command::new(self.directory.join(name));
        Ok(match run_command(pan.current_dir(self.directory).args(flags), limits.time)? {
            Some((status, output)) => read(&output, status.signal()),
            None => Answer::Unknown("time".to_owned()),
        })
    }

    /// Makes one verifier; the inner error is what was said instead.
    fn compile(&self, name: &str, defines: &[&str], limits: Limits) -> std::io::Result<Result<(), String>> {
        // The verifier of the last question must not be taken for this one's.
        let _ = std::fs::remove_file(self.directory.join("pan.c"));
        let model = if name == "pan-accept" { self.model } else { self.claimed };
        let mut spin = Command::new("spin");
        let spin = spin.current_dir(self.directory).args(["-a", "-o1", "-o2", "-o3", model]);
        // A formula of a few operators may keep it busy for hours.
        let Some((status, said)) = run_command(spin, limits.time)? else {
            return Ok(Err("no automaton in time".to_owned()));
        };
        let complaint = |text: &str| {
            let line = text.lines().find(|line| line.contains("rror")).or(text.lines().last());
            line.unwrap_or_default().trim().to_owned()
        };
        if !status.success() || !self.directory.join("pan.c").exists() {
            return Ok(Err(complaint(&said)));
        }
        let memory = format!("-DMEMLIM={}", (limits.memory >> 20).max(1));
        let compiled = Command::new(self.compiler)
            .current_dir(self.directory)
            .args(["-w", "-O1", "-DNOREDUCE", "-DVECTORSZ=8192", "-DNFAIR=8", &memory])
            .args(defines)
            .args(["-o", name, "pan.c"])
            .output()?;
        let said = String::from_utf8_lossy(&compiled.stderr);
        Ok(if compiled.status.success() { Ok(()) } else { Err(complaint(&said)) })
    }
}

/// Understands what a verifier printed.
fn read(output: &str, signal: Option<i32>) -> Answer {
    const SIGFPE: i32 = 8;
    let refused =
        ["self-loop", "VECTORSZ", "cannot happen", "illegal use", "no claim matching", "too many processes"];
    let error = output.lines().find_map(|line| {
        let (number, text) = line.strip_prefix("pan:")?.split_once(": ")?;
        number.parse::<u32>().ok()?;
        Some(text.split(" (at depth").next().unwrap_or(text).to_owned())
    });
    if let Some(error) = error {
        return Answer::Fails(error);
    }
    if signal == Some(SIGFPE) {
        return Answer::Fails("division by zero".to_owned());
    }
    if let Some(line) = output.lines().find(|line| refused.iter().any(|why| line.contains(why))) {
        return Answer::Refused(line.trim().to_owned());
    }
    if output.contains("max search depth too small") {
        return Answer::Unknown("depth".to_owned());
    }
    if output.contains("out of memory") || output.contains("memory exhausted") {
        return Answer::Unknown("memory".to_owned());
    }
    match output.split_once("errors: ").map(|(_, rest)| rest.starts_with("0\n") || rest.starts_with("0 ")) {
        Some(true) if !output.contains("Search not completed") && signal.is_none() => Answer::Holds,
        _ => Answer::Refused(
            output.lines().find(|line| !line.trim().is_empty()).unwrap_or("nothing said").to_owned(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::{Answer, read};

    #[test]
    fn verdicts_are_read() {
        let output = "pan:1: acceptance cycle (at depth 7)\npan: wrote m.pml.trail\n\
                      State-vector 52 byte, depth reached 10, errors: 1\n";
        assert_eq!(read(output, None), Answer::Fails("acceptance cycle".to_owned()));
        assert_eq!(read("State-vector 52 byte, depth reached 10, errors: 0\n", None), Answer::Holds);
        assert_eq!(
            read("error: max search depth too small\nerrors: 0\n", None),
            Answer::Unknown("depth".to_owned())
        );
        assert_eq!(read("", Some(8)), Answer::Fails("division by zero".to_owned()));
        assert_eq!(Answer::Holds.agrees(&Answer::Fails(String::new())), Some(false));
        assert_eq!(Answer::Holds.agrees(&Answer::Unknown(String::new())), None);
    }
}
