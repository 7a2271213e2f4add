//! Answers to properties of Petri nets, as text and as JSON: two forms of one value.

use crate::report::properties::{self, Conclusion};
use crate::report::terminal::{Paint, Terminal};
use crate::report::{json, render};
use elnath::branching::EvidenceStep;
use elnath::nets::{NetEvidence, NetProperty};
use elnath::{Describe as _, Limit, NetReport, PetriSystem, PropertyKind, Verdict};
use serde_json::{Value, json};

/// Answers, with what is to be told beside them.
pub(crate) struct NetAnswers<'r> {
    pub(crate) file: &'r str,
    /// What computes transitions.
    pub(crate) engine: &'r str,
    pub(crate) report: &'r NetReport,
    pub(crate) seconds: f64,
}

impl NetAnswers<'_> {
    /// For people: a line for each property, in their order; then how many hold, and what was searched.
    pub(crate) fn text(&self, terminal: &Terminal) {
        for property in &self.report.properties {
            terminal.say(&conclusion(property).line(terminal));
        }
        if let Some(all) = properties::in_all(self.report) {
            terminal.say(&all.line(terminal));
        }
        let most = self.report.properties.iter().map(|property| property.figures.counters);
        if let Some(counters) = most.max_by_key(|counters| counters.states) {
            terminal.detail(&format!(
                "at most {} and {} in a search, {:.2} s",
                render::plural(counters.states, "state"),
                render::plural(counters.transitions, "transition"),
                self.seconds
            ));
        }
    }

    /// For machines.
    pub(crate) fn json(&self) -> Value {
        let worst = self.report.worst();
        let largest = self.report.properties.iter().map(|property| property.figures.counters);
        let counters = largest.max_by_key(|counters| counters.states).unwrap_or_default();
        json::object(
            "check",
            json!({
                "model": self.file,
                "verdict": worst.verdict.name(),
                "reason": worst.limit().map(Limit::name),
                "properties": self.report.properties.iter().map(entry).collect::<Vec<_>>(),
                "states": counters.states,
                "transitions": counters.transitions,
                "seconds": self.seconds,
                "engine": self.engine,
            }),
        )
    }
}

fn entry(property: &NetProperty) -> Value {
    let figures = &property.figures;
    let mut entry = properties::entry(property, &conclusion(property));
    let shown = property.verdict.evidence().or(figures.witness.as_ref());
    entry["value"] = figures.value.into();
    entry["at_least"] = figures.at_least.into();
    entry["method"] = figures.method.into();
    entry["states"] = figures.counters.states.into();
    entry["expanded"] = figures.expanded.into();
    entry["evidence"] = shown.and_then(|shown| part(&figures.net, shown)).unwrap_or(Value::Null);
    entry["run"] = shown.and_then(|shown| run(&figures.net, shown)).unwrap_or(Value::Null);
    entry
}

/// A run that shows the answer: the names of its transitions.
fn run(net: &PetriSystem, shown: &NetEvidence) -> Option<Value> {
    let run = shown.run.as_ref()?;
    let steps = run.steps.iter().zip(&run.states).map(|(&t, state)| net.show_transition(state, t));
    Some(json!({
        "steps": steps.collect::<Vec<_>>(),
        "loop_start": shown.loop_start,
        "last": net.show_state(run.last()),
    }))
}

/// The part of the graph that shows the answer to a formula of branching time.
fn part(net: &PetriSystem, shown: &NetEvidence) -> Option<Value> {
    let part = shown.part.as_ref()?;
    let step = |step: &EvidenceStep| {
        let label = net.show_transition(&part.states[step.from as usize], step.transition);
        json!({ "from": step.from, "label": label, "to": step.to })
    };
    Some(json!({
        "value": part.value,
        "states": part.states.len(),
        "transitions": part.steps.iter().map(step).collect::<Vec<_>>(),
        "pairs": part.pairs,
    }))
}

fn conclusion(property: &NetProperty) -> Conclusion {
    let figures = &property.figures;
    let (word, paint, shown) = match &property.verdict {
        Verdict::Holds(_) => ("holds", Paint::Good, figures.witness.as_ref()),
        Verdict::Fails(shown) => ("fails", Paint::Bad, Some(shown)),
        Verdict::Unknown(_) => ("unknown", Paint::Doubt, None),
    };
    let mut text = property.name.clone().unwrap_or_default();
    if !property.text.is_empty() {
        text += &format!(" ({})", property.text);
    }
    if let Some(value) = figures.value {
        text += &format!(" = {value}");
    }
    if let Some(least) = figures.at_least {
        text += &format!(" >= {least}");
    }
    if let Some(limit) = property.limit() {
        text += &format!(": {}", why(limit));
    }
    if let Some(shown) = shown {
        text += &because(&figures.net, shown);
    } else if property.limit().is_none()
        && figures.value.is_none()
        && property.kind == PropertyKind::Reachability
    {
        // Nothing to show: it is so everywhere, or nowhere.
        text += &match figures.expanded {
            Some(0) => ": by the structure of the net, without a walk".to_owned(),
            walked => {
                let count = walked.unwrap_or(figures.counters.states);
                format!(": {} looked at", render::plural(count, "marking"))
            }
        };
    }
    Conclusion::new(word, paint, text)
}

/// Why, in a few words: where a run leads, or how much of the graph shows it.
fn because(net: &PetriSystem, shown: &NetEvidence) -> String {
    let plural = |count: usize, what: &str| render::plural(count as u64, what);
    match (&shown.run, shown.loop_start, &shown.part) {
        (Some(run), _, _) if run.steps.is_empty() => ": already in the initial marking".to_owned(),
        (Some(run), Some(start), _) if start == run.steps.len() => {
            format!(": shown by a run of {}, after which the marking stays as it is", plural(start, "step"))
        }
        (Some(run), Some(start), _) => {
            let (all, again) = (plural(run.steps.len(), "step"), plural(run.steps.len() - start, "step"));
            format!(": shown by a run of {all}, of which the last {again} are repeated for ever")
        }
        (Some(run), None, _) => {
            let state = net.show_state(run.last());
            let state = match state.char_indices().nth(LONGEST) {
                Some((at, _)) => format!("{} ...", &state[..at]),
                None => state,
            };
            format!(": after {}, in {state}", plural(run.steps.len(), "step"))
        }
        (None, _, Some(part)) => {
            let (states, steps) = (plural(part.states.len(), "marking"), plural(part.steps.len(), "step"));
            format!(": shown by {states} and {steps} between them")
        }
        (None, _, None) => String::new(),
    }
}

/// Characters of a marking in a line.
const LONGEST: usize = 60;

/// What ran out.
fn why(limit: Limit) -> String {
    match limit {
        Limit::Memory => "out of memory (--memory)".to_owned(),
        Limit::Time => "out of time (--time)".to_owned(),
        Limit::Formula => "the formula is larger than what is translated".to_owned(),
        Limit::Sequence => "a place would hold more than 4,294,967,295 tokens".to_owned(),
        Limit::Witness => "something ran out before the run that shows the answer was known".to_owned(),
        other => format!("the limit of {} was reached", other.name()),
    }
}
