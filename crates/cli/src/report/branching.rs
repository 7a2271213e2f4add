//! Answers about branching time, as text and as JSON: two forms of one value.

use crate::report::properties::{self, Conclusion};
use crate::report::story::Beside;
use crate::report::terminal::{Paint, Terminal};
use crate::report::{json, render, story};
use elnath::branching::{
    BranchingChecked, BranchingEngine, BranchingFigures, BranchingProperties, BranchingProperty,
    BranchingReport, Evidence, StoryLine,
};
use elnath::source::{Message, codes};
use elnath::{Coverage, Finding, Limit, Story, Verdict};
use serde_json::{Value, json};

/// An answer, with what is to be told beside it.
pub(crate) struct BranchingAnswered<'r, 'a> {
    pub(crate) file: &'r str,
    pub(crate) engine: &'r str,
    pub(crate) report: &'r BranchingReport<'a>,
    pub(crate) seconds: f64,
}

impl BranchingAnswered<'_, '_> {
    /// For people.
    pub(crate) fn text(&self, terminal: &Terminal) {
        for property in &self.report.properties {
            terminal.say(&conclusion(property).line(terminal));
            tell_evidence(terminal, property);
            tell_figures(terminal, &property.figures);
        }
        terminal.detail(&format!("{:.2} s", self.seconds));
    }

    /// What is doubtful about the answers.
    pub(crate) fn findings(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        for property in &self.report.properties {
            let figures = &property.figures;
            if figures.faults > 0 {
                let many = render::plural(figures.faults, "transition");
                let text = format!(
                    "{many} of the model ran into a fault, and count as steps like others: check the model without a formula first"
                );
                findings.push(Message::finding(codes::FAULTS_AS_STEPS, text, None));
            }
            if figures.undefined > 0 {
                let many = render::plural(figures.undefined, "state");
                let text = format!("in {many} a proposition had no value, and was taken to be false");
                findings.push(Message::finding(codes::UNDEFINED_AS_FALSE, text, None));
            }
            if property.limit().is_none() && figures.evidence.is_none() && figures.positions > 0 {
                let text = format!(
                    "{}: the evidence is the whole graph or has more than {} pairs, and is not shown",
                    property.name.as_deref().unwrap_or("the formula"),
                    elnath::branching::LARGEST_PROOF
                );
                findings.push(Message::finding(codes::EVIDENCE_TOO_LARGE, text, None));
            }
        }
        findings.into_iter().map(Finding::from).collect()
    }

    /// For machines.
    pub(crate) fn json(&self) -> Value {
        let worst = self.report.worst();
        json::object(
            "check",
            json!({
                "model": self.file,
                "verdict": worst.verdict.name(),
                "reason": worst.limit().map(Limit::name),
                "conclusion": conclusion(worst).plain(),
                "properties": self.report.properties.iter().map(property_object).collect::<Vec<_>>(),
                "states": worst.figures.counters.states,
                "transitions": worst.figures.counters.transitions,
                "seconds": self.seconds,
                "engine": self.engine,
            }),
        )
    }
}

/// The line with the verdict.
fn conclusion(property: &BranchingChecked<'_>) -> Conclusion {
    let what = match &property.name {
        Some(name) => format!("{name}: {}", property.text),
        None => property.text.clone(),
    };
    match &property.verdict {
        Verdict::Holds(Coverage::Exhaustive) => Conclusion::new("holds", Paint::Good, what),
        Verdict::Holds(Coverage::Lossy { expected_omissions, .. }) => {
            let text = format!("{what} (not proved: about {expected_omissions:.1} states were omitted)");
            Conclusion::new("holds", Paint::Doubt, text)
        }
        Verdict::Fails(()) => Conclusion::new("fails", Paint::Bad, what + &in_short(&property.figures)),
        Verdict::Unknown(limit) => {
            let states = render::plural(property.figures.counters.states, "state");
            let text = format!("{what}: ran out of {} after {states}", limit.name());
            Conclusion::new("unknown", Paint::Doubt, text)
        }
    }
}

/// What shows it, in a few words.
fn in_short(figures: &BranchingFigures<'_>) -> String {
    figures.story_in_short().map_or_else(String::new, |story| format!(": {story}"))
}

fn tell_evidence(terminal: &Terminal, property: &BranchingChecked<'_>) {
    let figures = &property.figures;
    let Some(evidence) = &figures.evidence else { return };
    if terminal.quiet {
        return;
    }
    let so = if evidence.value { "holds" } else { "fails" };
    for (number, told) in figures.story().into_iter().enumerate() {
        match told {
            StoryLine::Run(run, loop_start) => {
                let last = loop_start.map_or_else(String::new, |_| ", and then again and again".to_owned());
                let steps = render::plural(run.steps.len() as u64, "step");
                terminal.detail(&format!("it {so} because of this run of {steps}{last}:"));
                story::tell(
                    terminal,
                    &Story::new(&*figures.system, &run),
                    Beside { loop_start, truths: None },
                );
            }
            StoryLine::Sentence(indent, text) => {
                let begin = if number == 0 { format!("it {so} because ") } else { "  ".repeat(indent) };
                terminal.detail(&format!("{begin}{text}"));
            }
        }
    }
    if figures.run().is_some() {
        return;
    }
    let (states, steps) = (evidence.states.len() as u64, evidence.steps.len() as u64);
    terminal.detail(&format!(
        "this is shown by {} and {} of the model (--evidence FILE writes them{})",
        render::plural(states, "state"),
        render::plural(steps, "transition"),
        if terminal.full { "" } else { ", --full lists them" }
    ));
    if terminal.full {
        lines(figures, evidence).for_each(|line| terminal.detail(&format!("  {line}")));
    }
}

/// The transitions of evidence.
fn lines<'f>(figures: &'f BranchingFigures<'_>, evidence: &'f Evidence) -> impl Iterator<Item = String> + 'f {
    evidence.steps.iter().map(|step| {
        let from = &evidence.states[step.from as usize];
        let text = figures.system.show_transition(from, step.transition);
        format!("{} --[{text}]--> {}", step.from, step.to)
    })
}

fn tell_figures(terminal: &Terminal, figures: &BranchingFigures<'_>) {
    let (states, transitions) = (figures.counters.states, figures.counters.transitions);
    let mut line =
        format!("{}, {}", render::plural(states, "state"), render::plural(transitions, "transition"));
    if let Some(pairs) = figures.pairs {
        line += &format!(", {} of state and position", render::plural(pairs, "pair"));
    }
    line += &format!("; {}", figures.engine.name());
    if let Some(plan) = &figures.plan {
        line += &format!(" ({}, {} store)", plan.search.name(), plan.store.name());
    }
    terminal.detail(&line);
    if terminal.verbose {
        terminal.detail(&format!(
            "{}, alternation depth {}; {}; no reductions: the formula is about branching time",
            render::plural(figures.positions as u64, "position"),
            figures.alternation,
            figures.engine.meaning()
        ));
    }
}

fn property_object(property: &BranchingChecked<'_>) -> Value {
    let figures = &property.figures;
    let mut object = properties::entry(property, &conclusion(property));
    let evidence = figures.evidence.as_ref().map(|evidence| {
        let run = figures.run().map(|(run, loop_start)| {
            let tale = Story::new(&*figures.system, &run);
            json!({
                "initial": figures.system.show_state(&run.states[0]),
                "steps": story::json_steps(&tale),
                "loop_start": loop_start,
            })
        });
        json!({
            "value": evidence.value,
            "states": evidence.states.len(),
            "transitions": evidence.steps.iter().map(|step| json!({
                "from": step.from,
                "label": figures.label(step),
                "to": step.to,
            })).collect::<Vec<_>>(),
            "pairs": evidence.pairs,
            "story": figures.story_in_short(),
            "run": run,
        })
    });
    object["branching"] = json!({
        "engine": figures.engine.name(),
        "search": figures.plan.map(|plan| plan.search.name()),
        "store": figures.plan.map(|plan| plan.store.name()),
        "alternation": figures.alternation,
        "positions": figures.positions,
        "pairs": figures.pairs,
        "states": figures.counters.states,
        "transitions": figures.counters.transitions,
        "bytes": figures.counters.store_bytes + figures.counters.path_bytes,
        "faults": figures.faults,
        "undefined": figures.undefined,
        "evidence": evidence,
    });
    object
}

/// What a formula becomes, as text and as an object.
pub(crate) fn describe(
    properties: &BranchingProperties,
    property: &BranchingProperty,
) -> (Vec<String>, Value) {
    let (formulas, positions) = (properties.formulas(), &property.positions);
    let engine = BranchingEngine::for_formula(positions);
    let formula = formulas.show(property.formula);
    let equations = positions.show(formulas);
    let alternation = positions.alternation();
    let root = match positions.root {
        0 => "false".to_owned(),
        1 => "true".to_owned(),
        root => format!("P{}", root - 1),
    };
    let mut lines = Vec::new();
    lines.extend(property.name.as_ref().map(|name| format!("{name}:")));
    lines.push(format!("formula: {formula}"));
    lines.push(format!("begins in {root}, {}", render::plural(equations.len() as u64, "position")));
    lines.extend(equations.iter().map(|line| format!("  {line}")));
    lines.push(format!("alternation depth: {alternation}"));
    lines.push(format!("engine: {} ({})", engine.name(), engine.meaning()));
    let object = json!({
        "name": property.name,
        "formula": formula,
        "root": root,
        "positions": equations,
        "alternation": alternation,
        "engine": engine.name(),
    });
    (lines, object)
}
