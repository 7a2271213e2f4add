//! Answers to properties of Petri nets, as text and as JSON: two forms of one value.

use crate::report::properties::{self, Conclusion};
use crate::report::terminal::{Paint, Terminal};
use crate::report::{json, render};
use elnath::nets::{NetEvidence, NetProperty};
use elnath::{Describe as _, Limit, NetReport, PetriSystem, Verdict};
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
    if let Some(run) = shown.and_then(|shown| shown.run.as_ref()) {
        text += &format!(", shown by a run of {}", render::plural(run.steps.len() as u64, "step"));
    }
    Conclusion::new(word, paint, text)
}

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
