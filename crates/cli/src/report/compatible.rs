//! Answers of `elnath compatible`, as text and as JSON: two forms of one value.

use crate::report::properties::{self, Conclusion};
use crate::report::story::Beside;
use crate::report::terminal::{Paint, Terminal};
use crate::report::{json, render, story};
use elnath::compatible::{
    Attempt, Breach, CompatibilityFigures, CompatibleProperty, CompatibleReport, Guarantee,
};
use elnath::{Describe as _, Limit, Story, Verdict};
use serde_json::{Value, json};

/// An answer, with what is to be told beside it.
pub(crate) struct CompatibleAnswer<'r> {
    pub(crate) file: &'r str,
    pub(crate) report: &'r CompatibleReport,
    pub(crate) seconds: f64,
}

/// What a condition is called, and what is known of it.
type NamedCondition<'a> = (&'static str, &'static str, &'a Option<Verdict<Breach>>);

impl CompatibleAnswer<'_> {
    fn figures(&self) -> &CompatibilityFigures {
        &self.report.first().figures
    }

    /// For people.
    pub(crate) fn text(&self, terminal: &Terminal) {
        let figures = self.figures();
        terminal.say(&self.conclusion().line(terminal));
        for property in &self.report.properties {
            if property.verdict.evidence().is_some() && !std::ptr::eq(property, self.report.told()) {
                terminal.say(&conclusion(property).line(terminal));
            }
        }
        let conditions = conditions(figures.decisive());
        for (name, meaning, condition) in conditions.into_iter().filter(|_| self.is_about_capacity_only()) {
            match condition {
                Some(Verdict::Fails(breach)) => {
                    let why = breach.flaw.text(&figures.machines);
                    let steps = render::plural(breach.steps.len() as u64, "step");
                    terminal.detail(&format!("        {name} fails after {steps}: {why}"));
                }
                Some(Verdict::Unknown(limit)) => {
                    terminal
                        .detail(&format!("        {name} ({meaning}) was not decided ({})", limit.name()));
                }
                Some(Verdict::Holds(_)) | None => {}
            }
        }
        let worst = self.report.told();
        if let Some(breach) = worst.verdict.evidence() {
            let story = Story::new(&*figures.decisive().system, &breach.run);
            story::tell(terminal, &story, Beside { loop_start: None, truths: None });
            story::tell_waiting(terminal, &story);
        }
        figures.answer.attempts.iter().for_each(|attempt| tell_attempt(terminal, figures, attempt));
        terminal.detail(&format!("{:.2} s", self.seconds));
        let replaced: Vec<String> =
            figures.replaced().map(|(name, capacity)| format!("{name} ({capacity})")).collect();
        if !replaced.is_empty() {
            terminal.detail(&format!("declared capacities were replaced by k: {}", replaced.join(", ")));
        }
    }

    /// Whether the verdict is known and is one about the capacity only.
    fn is_about_capacity_only(&self) -> bool {
        self.figures().answer.stopped.is_none() && !self.figures().scope().is_unbounded()
    }

    /// The line with the verdict.
    fn conclusion(&self) -> Conclusion {
        let figures = self.figures();
        let (k, scope) = (figures.decisive().k, figures.scope());
        match &self.report.told().verdict {
            Verdict::Holds(_) => {
                let of = match scope {
                    Guarantee::Capacity => format!(
                        "with channels of capacity {k} every message that is sent can be received and every machine that waits can go \
                         on; nothing follows for other capacities"
                    ),
                    scope => format!(
                        "with unbounded channels, too, every message that is sent can be received and every machine that waits can go \
                         on ({})",
                        because(scope)
                    ),
                };
                Conclusion::new("compatible", Paint::Good, format!("{k}-multiparty compatible: {of}"))
            }
            Verdict::Fails(_) => {
                let why = self.report.told().violation_text().unwrap_or_default();
                let of = match (scope, several(figures)) {
                    (Guarantee::Capacity, true) => {
                        format!(
                            "for no k from {} to {k}; with channels of capacity {k} ",
                            figures.capacities.start()
                        )
                    }
                    (Guarantee::Capacity, false) => format!("with channels of capacity {k} "),
                    (_, true) if figures.answer.attempts.iter().any(Attempt::is_compatible) => {
                        format!("for no k from {k} on; with unbounded channels ")
                    }
                    (_, true) => "for no k; with unbounded channels ".to_owned(),
                    (_, false) => format!("with channels of capacity {k} and with unbounded ones "),
                };
                Conclusion::new("incompatible", Paint::Bad, format!("{of}{why}"))
            }
            Verdict::Unknown(limit) => {
                let states = render::plural(figures.decisive().counters.states, "state");
                let text = format!("ran out of {} with capacity {k}, after {states}", limit.name());
                Conclusion::new("unknown", Paint::Doubt, text)
            }
        }
    }

    /// For machines.
    pub(crate) fn json(&self) -> Value {
        let (worst, figures) = (self.report.told(), self.figures());
        let attempt = figures.decisive();
        json::object(
            "compatible",
            json!({
                "model": self.file,
                "verdict": self.conclusion().word,
                "reason": worst.limit().map(Limit::name),
                "conclusion": self.conclusion().plain(),
                "k": attempt.k,
                "unbounded": figures.answer.stopped.is_none() && figures.scope().is_unbounded(),
                "scope": figures.answer.stopped.is_none().then(|| figures.scope().name()),
                "directed": figures.directed,
                "properties": self.report.properties.iter().map(property_object).collect::<Vec<_>>(),
                "conditions": conditions(attempt).map(|(name, meaning, condition)| json!({
                    "name": name,
                    "meaning": meaning,
                    "verdict": condition.as_ref().map(Verdict::name),
                    "text": condition.as_ref().and_then(Verdict::evidence)
                        .map(|breach| breach.flaw.text(&figures.machines)),
                    "length": condition.as_ref().and_then(Verdict::evidence).map(|breach| breach.steps.len()),
                })),
                "attempts": figures.answer.attempts.iter()
                    .map(|attempt| attempt_object(figures, attempt)).collect::<Vec<_>>(),
                "replaced": figures.replaced()
                    .map(|(name, capacity)| json!({ "name": name, "capacity": capacity })).collect::<Vec<_>>(),
                "states": attempt.counters.states,
                "transitions": attempt.counters.transitions,
                "depth": attempt.counters.depth,
                "seconds": self.seconds,
                "engine": "interpreter",
            }),
        )
    }
}

/// Whether more than one capacity might have been tried.
fn several(figures: &CompatibilityFigures) -> bool {
    figures.capacities.start() < figures.capacities.end()
}

/// Why a verdict is one about channels without bound.
fn because(scope: Guarantee) -> &'static str {
    match scope {
        Guarantee::NeverFull => "no send ever waits for room",
        Guarantee::Directed => "every state of every machine uses one channel",
        Guarantee::Independent => "choices depend neither on capacities nor on the order of messages",
        Guarantee::Capacity => "",
    }
}

fn conditions(attempt: &Attempt) -> [NamedCondition<'_>; 2] {
    [
        ("output bound independence", "capacities make no choices", &attempt.output),
        ("input bound independence", "the order of messages makes no choices", &attempt.input),
    ]
}

/// What is concluded about one of the demands.
fn conclusion(property: &CompatibleProperty) -> Conclusion {
    let name = property.name.as_deref().unwrap_or_default();
    match &property.verdict {
        Verdict::Holds(_) => Conclusion::new("holds", Paint::Good, format!("{name}: {}", property.text)),
        Verdict::Fails(breach) => {
            let why = property.violation_text().unwrap_or_default();
            let steps = render::plural(breach.run.steps.len() as u64, "step");
            Conclusion::new("fails", Paint::Bad, format!("{name}: after {steps} {why}"))
        }
        Verdict::Unknown(limit) => {
            Conclusion::new("unknown", Paint::Doubt, format!("{name}: ran out of {}", limit.name()))
        }
    }
}

/// A line for each capacity that was tried.
fn tell_attempt(terminal: &Terminal, figures: &CompatibilityFigures, attempt: &Attempt) {
    let duties = [
        ("not exhaustive", &attempt.exhaustive),
        ("orphans", &attempt.reception),
        ("no progress", &attempt.progress),
    ];
    let failing: Vec<&str> =
        duties.iter().filter(|(_, verdict)| verdict.evidence().is_some()).map(|(name, _)| *name).collect();
    let scope = attempt.scope(figures.directed);
    let found = match attempt.verdict() {
        Verdict::Holds(_) if scope.is_unbounded() => "compatible, with unbounded channels too".to_owned(),
        Verdict::Holds(_) => "compatible with this capacity only".to_owned(),
        Verdict::Fails(_) => failing.join(", "),
        Verdict::Unknown(limit) => format!("ran out of {}", limit.name()),
    };
    terminal.detail(&format!(
        "k = {}: {found}; {}, {}",
        attempt.k,
        render::plural(attempt.counters.states, "state"),
        render::plural(attempt.counters.transitions, "transition")
    ));
}

fn property_object(property: &CompatibleProperty) -> Value {
    let mut object = properties::entry(property, &conclusion(property));
    object["run"] = property.verdict.evidence().map_or(Value::Null, |breach| {
        let system = &*property.figures.decisive().system;
        let story = Story::new(system, &breach.run);
        json!({
            "initial": system.show_state(&breach.run.states[0]),
            "steps": story::json_steps(&story),
            "waiting": story::json_waiting(&story),
        })
    });
    object
}

fn attempt_object(figures: &CompatibilityFigures, attempt: &Attempt) -> Value {
    json!({
        "k": attempt.k,
        "exhaustive": attempt.exhaustive.name(),
        "reception": attempt.reception.name(),
        "progress": attempt.progress.name(),
        "never_full": attempt.never_full,
        "output_independent": attempt.output.as_ref().map(Verdict::name),
        "input_independent": attempt.input.as_ref().map(Verdict::name),
        "unbounded": attempt.scope(figures.directed).is_unbounded(),
        "states": attempt.counters.states,
        "transitions": attempt.counters.transitions,
        "bytes": attempt.counters.store_bytes,
    })
}
