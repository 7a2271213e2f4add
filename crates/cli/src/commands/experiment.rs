//! `elnath experiment`: options, tables and plots of the papers' experiments, which are in `elnath_experiments`.

mod caching;
mod connect_disconnect;
mod datalink;
mod replacement;

use crate::Exit;
use crate::limits::Listening;
use crate::options::{ExperimentCommand, Replacement};
use crate::output::{Output, Outputs};
use crate::report::json;
use crate::report::terminal::Terminal;
use elnath::StoreChoice;
use elnath::source::Message;
use elnath_experiments::Meter;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub(crate) fn run(command: &ExperimentCommand, terminal: &Terminal) -> Exit {
    match command {
        ExperimentCommand::Replacement(args) => replacement::run(args, terminal),
        ExperimentCommand::ConnectDisconnect(args) => connect_disconnect::run(args, terminal),
        ExperimentCommand::Datalink(args) => datalink::run(args, terminal),
        ExperimentCommand::Caching(args) => caching::run(args, terminal),
    }
}

/// What every experiment writes: a table (CSV) and a plot (SVG); on standard output the table alone.
struct Files {
    outputs: Vec<Output>,
}

impl Files {
    /// The files of this name, tried before anything is measured.
    fn new<'a>(
        output: &Path,
        inputs: impl IntoIterator<Item = &'a PathBuf>,
        force: bool,
        terminal: &Terminal,
    ) -> Result<Self, Vec<Message>> {
        let mut planned = Outputs::beside(inputs, force);
        let paths = match output.as_os_str() == "-" {
            true => vec![output.to_owned()],
            false => ["csv", "svg"].map(|ending| output.with_added_extension(ending)).to_vec(),
        };
        let outputs = paths.iter().filter_map(|path| planned.any(path, "the table")).collect();
        planned.tried(terminal)?;
        Ok(Self { outputs })
    }

    fn write(&self, csv: &str, svg: &str) -> Result<(), Vec<Message>> {
        self.outputs.iter().zip([csv, svg]).try_for_each(|(output, text)| output.text(text))
    }

    fn names(&self) -> [String; 2] {
        let name = |at: usize| match self.outputs.get(at) {
            Some(output) if output.is_standard() => "the table".to_owned(),
            Some(output) => output.path().display().to_string(),
            None => "no plot".to_owned(),
        };
        [name(0), name(1)]
    }
}

/// The replacing store, which an experiment gives less and less room. Only stratified replacement has strata.
fn replacing(policy: Replacement, strata: u32, thrashing: u64) -> StoreChoice {
    let mut store = StoreChoice::named("replacing");
    let strata = (policy == Replacement::Stratified).then(|| ("strata", strata.to_string()));
    for (parameter, value) in
        [("policy", policy.policy()), ("thrashing", thrashing.to_string())].into_iter().chain(strata)
    {
        store.set(parameter, &value).expect("a parameter of the replacing store");
    }
    store
}

/// Runs an experiment by the clock on the wall; until it is over, Ctrl-C is only noted.
fn measured<T>(experiment: impl FnOnce(Meter<'_>) -> T) -> T {
    let begin = Instant::now();
    measured_by(&|| begin.elapsed(), experiment)
}

/// The same by another clock.
fn measured_by<T>(clock: &dyn Fn() -> Duration, experiment: impl FnOnce(Meter<'_>) -> T) -> T {
    let listening = Listening::new();
    experiment(Meter { clock, interrupted: &|| listening.interrupted() })
}

/// The answer to Ctrl-C, with the number of states if it is known.
fn interrupted(terminal: &Terminal, command: &str, states: Option<u64>) -> Exit {
    if terminal.json {
        let mut fields = json!({ "verdict": "unknown", "reason": "interrupted" });
        if let Some(states) = states {
            fields["states"] = Value::from(states);
        }
        terminal.object(&json::object(command, fields));
    }
    terminal.note("interrupted: nothing was written");
    Exit::Unknown
}
