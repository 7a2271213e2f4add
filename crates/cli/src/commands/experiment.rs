//! `elnath experiment`: options, tables and plots of the papers' experiments, which are in `elnath_experiments`.

mod caching;
mod connect_disconnect;
mod datalink;
mod replacement;

use crate::Exit;
use crate::commands::convert;
use crate::limits::Listening;
use crate::options::{ExperimentCommand, Replacement};
use crate::report::terminal::Terminal;
use crate::report::{json, render};
use elnath::StoreChoice;
use elnath::source::Message;
use elnath_experiments::Meter;
use serde_json::{Value, json};
use std::io::Write as _;
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

/// What every experiment writes: a table (CSV) and a plot (SVG).
struct Files {
    paths: [PathBuf; 2],
    force: bool,
}

impl Files {
    /// The files of this name, before anything is measured; what is wrong if they exist and are not to be replaced.
    fn new(output: &Path, force: bool) -> Result<Self, Vec<Message>> {
        let paths = ["csv", "svg"].map(|ending| output.with_added_extension(ending));
        match paths.iter().find(|path| path.exists() && !force) {
            Some(path) => Err(vec![render::file_error(path, &std::io::ErrorKind::AlreadyExists.into())]),
            None => Ok(Self { paths, force }),
        }
    }

    fn write(&self, csv: &str, svg: &str) -> Result<(), Vec<Message>> {
        for (path, text) in self.paths.iter().zip([csv, svg]) {
            convert::replace_file(path, self.force, |mut out| out.write_all(text.as_bytes()))
                .map_err(|error| vec![render::file_error(path, &error)])?;
        }
        Ok(())
    }

    fn names(&self) -> [String; 2] {
        self.paths.each_ref().map(|path| path.display().to_string())
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
