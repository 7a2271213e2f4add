//! Checks that are started from the page: what `elnath check` does by default, with progress and an end when the user has seen enough. A violating
//! run becomes a run of the session, so that it can be gone through.

use crate::jobs::{Figures, Job};
use crate::walker::Way;
use crate::wire::{self, Refusal};
use elnath::{
    Check, CheckReport, Counters, Demand, Limit, LoadError, LoadOptions, Loaded, Verdict, ViolatingRun,
};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// What is checked: a file, or a system of a Rust program.
#[derive(Clone)]
pub(crate) enum Checkable {
    File(PathBuf, Arc<LoadOptions>),
    System(Arc<dyn elnath::System>),
}

/// What the page wants to know.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    /// Demands of the model, by their names; all of them if there are none.
    pub(crate) properties: Vec<String>,
    /// A formula instead.
    pub(crate) formula: Option<String>,
    pub(crate) time: Duration,
    pub(crate) memory: usize,
}

/// Checks, tells how far it is, and says what was found.
pub(crate) fn check(what: &Checkable, wanted: &Wanted, way: &Way, job: &Arc<Job>) -> Result<(), Refusal> {
    let mut found = Found::default();
    match what {
        Checkable::System(system) => {
            let check = Check::system(Arc::clone(system));
            found.ask(None, "safety", watched(check, wanted, "safety", job), way, job)?;
        }
        Checkable::File(file, options) => {
            let load = |property: Option<elnath::Wanted>| {
                let options = LoadOptions { property, ..(**options).clone() };
                elnath::load(file, &options)
                    .map_err(|error: LoadError| Refusal::messages(&error.into_messages()))
            };
            if let Some(formula) = &wanted.formula {
                let loaded = load(Some(elnath::Wanted::Ltl(formula.clone())))?;
                let check = watched(Check::loaded(&loaded), wanted, formula, job);
                found.ask(Some(loaded), formula, check, way, job)?;
            } else {
                let plain = load(None)?;
                let mut demands = plain.demands();
                if !wanted.properties.is_empty() {
                    demands.retain(|demand| wanted.properties.iter().any(|name| name == demand.name()));
                }
                let mut plain = Some(plain);
                for demand in demands {
                    if job.is_stopped() || job.seconds() > wanted.time.as_secs_f64() {
                        break;
                    }
                    let loaded = match &demand {
                        Demand::Safety => plain.take().map_or_else(|| load(None), Ok),
                        Demand::Infinite(wanted) => load(Some(wanted.clone())),
                    };
                    let name = demand.name().to_owned();
                    match loaded {
                        Ok(loaded) => {
                            let check = watched(Check::loaded(&loaded), wanted, &name, job);
                            found.ask(Some(loaded), &name, check, way, job)?;
                        }
                        Err(wrong) => found.messages.push(format!("{name}: {}", wrong.text())),
                    }
                }
            }
        }
    }
    job.say("done", found.told(job));
    Ok(())
}

/// A check that tells how far it is and can be stopped.
fn watched<'a>(check: Check<'a>, wanted: &Wanted, what: &str, job: &Arc<Job>) -> Check<'a> {
    let (job, time, what) = (Arc::clone(job), wanted.time, what.to_owned());
    check.free_memory(wanted.memory).watch(move |counters: &Counters| {
        job.progress("progress", &|| {
            json!(Figures {
                states: counters.states,
                transitions: counters.transitions,
                depth: counters.depth,
                bytes: counters.store_bytes + counters.path_bytes,
                seconds: job.seconds(),
                what: what.clone(),
            })
        });
        match () {
            () if job.is_stopped() => Some(Limit::Interrupted),
            () if job.seconds() > time.as_secs_f64() => Some(Limit::Time),
            () => None,
        }
    })
}

/// What was found so far.
#[derive(Default)]
struct Found {
    verdicts: Vec<Value>,
    messages: Vec<String>,
    states: u64,
    transitions: u64,
    depth: usize,
}

impl Found {
    /// Asks, and notes the answers.
    fn ask(
        &mut self,
        loaded: Option<Loaded>,
        asked: &str,
        check: Check<'static>,
        way: &Way,
        job: &Arc<Job>,
    ) -> Result<(), Refusal> {
        let report: CheckReport<'static> =
            check.run().map_err(|problem| Refusal::wrong(format!("{asked}: {problem}")))?;
        let checked = loaded.map(Arc::new);
        let mut counted = false;
        for property in report.properties {
            if !std::mem::replace(&mut counted, true) {
                let counters = property.figures.counters;
                self.states += counters.states;
                self.transitions += counters.transitions;
                self.depth = self.depth.max(counters.depth);
            }
            let name = property.name.clone().unwrap_or_else(|| asked.to_owned());
            let summary = property.summary.as_ref().map_or_else(String::new, |it| it.headline.clone());
            let (verdict, coverage) = match &property.verdict {
                Verdict::Holds(coverage) => ("holds", covered(*coverage)),
                Verdict::Fails(_) => ("fails", String::new()),
                Verdict::Unknown(limit) => ("unknown", format!("the limit of {} was reached", limit.name())),
            };
            let run = match property.verdict {
                Verdict::Fails(run) => self.load((&name, &summary), run, checked.clone(), way),
                _ => None,
            };
            self.verdicts.push(json!({
                "name": name,
                "kind": property.kind.name(),
                "text": property.text,
                "verdict": verdict,
                "summary": summary,
                "coverage": coverage,
                "run": run,
            }));
            // What was found is there at once, while the next property is checked.
            job.say("found", json!({ "verdicts": self.verdicts }));
        }
        Ok(())
    }

    /// The run as one of the session.
    fn load(
        &mut self,
        (name, text): (&str, &str),
        run: ViolatingRun,
        checked: Option<Arc<Loaded>>,
        way: &Way,
    ) -> Option<wire::Run> {
        let (title, text) = (name.to_owned(), text.to_owned());
        let loaded = way.ask_now(move |walker| {
            let number = walker.session.load_violation((&title, &text), &run, checked.as_deref());
            let number = number.map_err(|trouble| Refusal::wrong(trouble.to_string()))?;
            let view = walker.session.runs()[number].clone();
            Ok(walker.run(&view))
        });
        match loaded {
            Ok(run) => Some(run),
            Err(wrong) => {
                self.messages.push(format!("the run to {name} cannot be shown: {}", wrong.text()));
                None
            }
        }
    }

    fn told(&self, job: &Job) -> Value {
        json!({
            "verdicts": self.verdicts,
            "states": self.states,
            "transitions": self.transitions,
            "depth": self.depth,
            "seconds": job.seconds(),
            "stopped": job.is_stopped(),
            "messages": self.messages,
        })
    }
}

fn covered(coverage: elnath::Coverage) -> String {
    match coverage {
        elnath::Coverage::Exhaustive => "exhaustive".to_owned(),
        other => format!("not a proof: {other:?}"),
    }
}
