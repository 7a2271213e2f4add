//! The two sides of the comparison: each takes a model from its source to a verdict and tells what that cost.

use crate::pan::{self, Count};
use crate::table::{Edit, Entry, Property, Table, edited};
use elnath_bench::machine;
use elnath_bench::process::{self, Usage};
use serde::Deserialize;
use std::fs::{self, File};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is run on a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Variant {
    /// Ours: exact, one thread.
    Ours,
    /// Ours: exact, two threads.
    Threads,
    /// Ours: tree compression, one thread.
    Tree,
    /// SPIN with the table's flags.
    Spin,
    /// SPIN with its own compression.
    Collapse,
}

impl Variant {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Variant::Ours => "elnath",
            Variant::Threads => "elnath --threads 2",
            Variant::Tree => "elnath --store tree",
            Variant::Spin => "spin",
            Variant::Collapse => "spin -DCOLLAPSE",
        }
    }
}

/// One run of one side on one model.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) variant: Variant,
    pub(crate) repetition: u32,
    /// The load average of the last minute when it began.
    pub(crate) load: String,
    pub(crate) states: Count,
    /// As SPIN counts, see [`pan::Figures`].
    pub(crate) transitions: Count,
    pub(crate) errors: u64,
    /// Source to verdict: all programs, wall clock and processor.
    pub(crate) total: f64,
    pub(crate) total_cpu: f64,
    /// The search as the tool itself reports it, wall clock.
    pub(crate) search: f64,
    /// Processor time of the process that searches; ours includes reading the model.
    pub(crate) cpu: f64,
    /// The most memory that process held.
    pub(crate) peak: u64,
    /// Memory of states and path per state, as the tool itself reports it.
    pub(crate) own_bytes: f64,
    pub(crate) engine: String,
}

/// A model ready to be run: edited, with a directory for files.
pub(crate) struct Model<'a> {
    pub(crate) entry: &'a Entry,
    file: PathBuf,
    defines: Vec<String>,
    work: PathBuf,
}

impl<'a> Model<'a> {
    pub(crate) fn prepare(entry: &'a Entry, work: &Path) -> Result<Model<'a>, String> {
        // SPIN's files go to a directory of their own, so the model's path must not depend on the current one.
        let source =
            fs::canonicalize(&entry.file).map_err(|error| format!("{}: {error}", entry.file.display()))?;
        let mut model = Model { entry, file: source, defines: Vec::new(), work: work.to_owned() };
        let line = match &entry.edit {
            None => None,
            Some(Edit::Defines(defines)) => {
                model.defines.clone_from(defines);
                None
            }
            Some(Edit::Line { macro_name, line }) => Some((macro_name, line)),
        };
        if line.is_none() && entry.property.is_none() {
            return Ok(model);
        }
        // Not every model of other people is in UTF-8.
        let text = fs::read(&model.file).map_err(|error| error.to_string())?;
        let mut text = String::from_utf8_lossy(&text).into_owned();
        if let Some((macro_name, line)) = line {
            text = edited(&text, macro_name, line)?;
        }
        if let Some(property) = &entry.property {
            text += &format!("\nltl {} {{ {} }}\n", Property::NAME, property.formula);
        }
        model.file = work.join("edited.pml");
        fs::write(&model.file, text).map_err(|error| error.to_string())?;
        Ok(model)
    }

    fn run(&self, command: &mut Command) -> Result<Usage, String> {
        process::run(command.current_dir(&self.work), &self.said(), &self.complained())
            .map_err(|error| format!("{} cannot be run: {error}", command.get_program().display()))
    }

    /// More bytes than either tool needs for it, with the tables of fixed size that `pan` has, within reason.
    fn most_memory(&self) -> usize {
        const STATE: usize = 128;
        let states = self.entry.states.unwrap_or(1_000_000) as usize;
        (states * STATE + (256 << 20)).min(2 << 30)
    }

    fn said(&self) -> PathBuf {
        self.work.join("said")
    }

    fn complained(&self) -> PathBuf {
        self.work.join("complained")
    }

    /// Something failed: what the program said about it.
    fn failure(&self, program: &str) -> String {
        let texts = [self.complained(), self.said()].map(|file| fs::read(file).unwrap_or_default());
        let text = texts.iter().map(|text| String::from_utf8_lossy(text)).collect::<Vec<_>>().join("\n");
        let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("nothing said").trim();
        format!("{program} failed: {line}")
    }
}

/// Our command and which of its newer options it has.
pub(crate) struct Elnath {
    pub(crate) binary: PathBuf,
    pub(crate) engine: Option<String>,
    pub(crate) has_threads: bool,
    pub(crate) has_tree: bool,
    /// Whether it checks what the model demands unless it is told not to.
    has_safety_only: bool,
}

/// What of our JSON is looked at. Unknown fields are skipped, so that a long counterexample costs no memory here.
#[derive(Deserialize)]
struct Answer {
    verdict: String,
    reason: Option<String>,
    states: u64,
    transitions: u64,
    errors: Option<u64>,
    seconds: f64,
    bytes_per_state: Option<f64>,
    engine: Option<String>,
}

impl Elnath {
    /// Finds out what `binary` can do by trying it on a tiny model, since help texts change.
    pub(crate) fn probe(binary: PathBuf, engine: Option<String>, work: &Path) -> Result<Elnath, String> {
        let tiny = work.join("tiny.pml");
        fs::write(&tiny, "init { skip }\n").map_err(|error| error.to_string())?;
        let accepts = |options: &[&str]| {
            let output = Command::new(&binary).arg("check").arg(&tiny).arg("--json").args(options).output();
            output.is_ok_and(|output| output.status.success())
        };
        if !accepts(&[]) {
            return Err(format!("{} does not check a model", binary.display()));
        }
        if let Some(engine) = &engine
            && !accepts(&["--engine", engine])
        {
            return Err(format!("this elnath has no --engine {engine}"));
        }
        let (has_threads, has_tree) = (accepts(&["--threads", "2"]), accepts(&["--store", "tree"]));
        let has_safety_only = accepts(&["--safety-only"]);
        Ok(Elnath { binary, engine, has_threads, has_tree, has_safety_only })
    }

    pub(crate) fn run(&self, model: &Model, variant: Variant, repetition: u32) -> Result<Run, String> {
        let mut command = Command::new(&self.binary);
        command.arg("check").arg(&model.file).arg("--json").args(&model.defines);
        if !model.entry.as_they_come {
            // Figures are compared, so nothing is left out.
            command.args(["--reductions", "none"]);
        }
        let has = |flag: &str| model.entry.pan.iter().any(|other| other == flag);
        if model.entry.property.is_some() {
            command.args(["--claim", Property::NAME]);
        } else {
            if self.has_safety_only {
                command.arg("--safety-only");
            }
            if has("-E") {
                command.args(["--end-states", "ignore"]);
            }
            if has("-c0") && !model.entry.as_they_come {
                command.arg("--all-errors");
            }
        }
        if let Some(engine) = &self.engine {
            command.args(["--engine", engine]);
        }
        let own = &model.entry.elnath;
        let given = |option: &str| own.iter().any(|other| other == option);
        if !given("--store") {
            command.args(["--store", if variant == Variant::Tree { "tree" } else { "exact" }]);
        }
        if self.has_threads && !given("--threads") {
            command.args(["--threads", if variant == Variant::Threads { "2" } else { "1" }]);
        }
        command.args(own.iter().map(|word| word.replace("{work}", &model.work.to_string_lossy())));
        let load = machine::load();
        machine::warm(model.most_memory());
        let usage = model.run(&mut command)?;
        if !matches!(usage.code, Some(0 | 1 | 3)) {
            return Err(model.failure("elnath"));
        }
        let answer: Answer = File::open(model.said())
            .and_then(|file| serde_json::from_reader(BufReader::new(file)).map_err(io::Error::from))
            .map_err(|error| format!("elnath's answer cannot be read: {error}"))?;
        if answer.verdict == "unknown" {
            return Err(format!("elnath ran out of {}", answer.reason.as_deref().unwrap_or("something")));
        }
        Ok(Run {
            variant,
            repetition,
            load,
            states: Count::exact(answer.states),
            transitions: Count::exact(answer.transitions + 1),
            errors: match model.entry.property.is_some() || model.entry.as_they_come {
                true => u64::from(answer.verdict == "fails"),
                false => answer.errors.unwrap_or(0),
            },
            total: usage.wall,
            total_cpu: usage.cpu,
            search: answer.seconds,
            cpu: usage.cpu,
            peak: usage.peak,
            own_bytes: answer.bytes_per_state.unwrap_or(f64::NAN),
            engine: answer.engine.unwrap_or_default(),
        })
    }
}

/// `spin -a`, the compiler and the verifier.
pub(crate) fn spin(table: &Table, model: &Model, variant: Variant, repetition: u32) -> Result<Run, String> {
    let load = machine::load();
    let translate =
        model.run(Command::new("spin").args(&table.spin).args(&model.defines).arg(&model.file))?;
    if translate.code != Some(0) {
        return Err(model.failure("spin -a"));
    }
    let collapse = (variant == Variant::Collapse).then_some("-DCOLLAPSE");
    let mut gcc = Command::new("gcc");
    gcc.args(&table.gcc).args(collapse).args(["-o", "pan", "pan.c"]);
    let compile = model.run(&mut gcc)?;
    if compile.code != Some(0) {
        return Err(model.failure("gcc"));
    }
    machine::warm(model.most_memory());
    let search = model.run(Command::new(model.work.join("pan")).args(&model.entry.pan))?;
    let output = fs::read(model.said()).map_err(|error| error.to_string())?;
    let figures = pan::read(&String::from_utf8_lossy(&output), model.entry.property.is_some())?;
    Ok(Run {
        variant,
        repetition,
        load,
        states: figures.states,
        transitions: figures.transitions,
        errors: figures.errors,
        total: translate.wall + compile.wall + search.wall,
        total_cpu: translate.cpu + compile.cpu + search.cpu,
        search: figures.seconds,
        cpu: search.cpu,
        peak: search.peak,
        own_bytes: figures.allocated / figures.states.value,
        engine: "gcc".to_owned(),
    })
}
