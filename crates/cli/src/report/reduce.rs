//! What became of `elnath reduce`, as text and as JSON: two forms of one value.

use crate::Exit;
use crate::report::terminal::Terminal;
use crate::report::{components, json, render};
use elnath::lts::quotient::Smallness;
use elnath::{Counters, Limit, QuotientReport, ReducedGraph, Stopped};
use serde_json::{Value, json};
use std::time::Duration;

/// What became of a model, with what is to be told beside it.
pub(crate) struct Reduced<'r> {
    pub(crate) file: &'r str,
    /// The file that the quotient was written to.
    pub(crate) output: Option<String>,
    /// What computes transitions.
    pub(crate) engine: &'r str,
    pub(crate) report: &'r QuotientReport,
    pub(crate) loading: Duration,
    pub(crate) reducing: Duration,
}

impl Reduced<'_> {
    /// Shows it.
    pub(crate) fn show(&self, terminal: &Terminal) -> Exit {
        if terminal.json {
            terminal.object(&self.json());
        } else {
            self.text(terminal);
        }
        if self.report.product.is_ok() { Exit::Holds } else { Exit::Unknown }
    }

    fn text(&self, terminal: &Terminal) {
        match &self.report.product {
            Ok(reduced) => {
                let to_file = self.output.as_ref().is_some_and(|output| output != "-");
                let line = self.line(reduced);
                if let Some(told) = &reduced.components {
                    components::text(told, self.file, terminal);
                }
                if to_file { terminal.detail(&line) } else { terminal.note(&line) }
            }
            Err(Stopped { doing, limit, counters }) => terminal.note(&what_ran_out(doing, *limit, counters)),
        }
    }

    fn line(&self, ReducedGraph { quotient, before, .. }: &ReducedGraph) -> String {
        let sizes = |states: usize, transitions: usize| {
            let states = render::plural(states as u64, "state");
            format!("{states} and {}", render::plural(transitions as u64, "transition"))
        };
        let smallness = match quotient.smallness {
            Smallness::Smallest => String::new(),
            other => format!(" ({})", other.words()),
        };
        format!(
            "{}: {} became {}{smallness}, {:.2} s after {:.2} s of reading, {} ({})",
            self.report.relation.name(),
            sizes(before.0, before.1),
            sizes(quotient.lts.num_states(), quotient.lts.num_transitions()),
            self.reducing.as_secs_f64(),
            self.loading.as_secs_f64(),
            render::bytes(quotient.bytes as u64),
            quotient.algorithm,
        )
    }

    fn json(&self) -> Value {
        let relation = self.report.relation.name();
        match &self.report.product {
            Ok(ReducedGraph { quotient, before, tau_labels, faults, components }) => json::object(
                "reduce",
                json!({
                    "model": self.file,
                    "output": self.output,
                    "relation": relation,
                    "algorithm": quotient.algorithm,
                    "smallness": quotient.smallness.name(),
                    "states": quotient.lts.num_states(),
                    "transitions": quotient.lts.num_transitions(),
                    "states_before": before.0,
                    "transitions_before": before.1,
                    // A system of 10^7 hidden labels has a long list: the first ones tell which rule was meant.
                    "tau_labels": tau_labels.iter().take(1000).collect::<Vec<_>>(),
                    "faults": faults,
                    "components": components::json(components.as_ref()),
                    "reduction_bytes": quotient.bytes,
                    "seconds": self.reducing.as_secs_f64(),
                    "load_seconds": self.loading.as_secs_f64(),
                    "engine": self.engine,
                }),
            ),
            Err(Stopped { doing, limit, counters }) => json::object(
                "reduce",
                json!({
                    "verdict": "unknown",
                    "reason": limit.name(),
                    "doing": doing,
                    "model": self.file,
                    "relation": relation,
                    "states": counters.states,
                    "transitions": counters.transitions,
                    "reduction_bytes": counters.store_bytes,
                    "seconds": self.reducing.as_secs_f64(),
                }),
            ),
        }
    }
}

/// What ran out, in a line, of a command that writes a graph.
pub(crate) fn what_ran_out(doing: &str, limit: Limit, seen: &Counters) -> String {
    let found = match doing {
        "reading" => render::plural(seen.transitions, "transition"),
        "generating" => render::plural(seen.states, "state"),
        _ => format!("{} so far", render::plural(seen.states, "class").replace("classs", "classes")),
    };
    let why = match limit {
        Limit::Memory => "out of memory",
        Limit::Time => "out of time",
        Limit::Interrupted => "interrupted",
        _ => "too many states",
    };
    let help = if limit == Limit::Memory { " (--memory)" } else { "" };
    let bytes = render::bytes(seen.store_bytes as u64);
    format!("unknown: {why} while {doing}; {found}, {bytes}{help}; nothing was written")
}
