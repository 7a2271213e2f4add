//! Properties of infinite runs, as `elnath check` asks for and tells about them.

use crate::options::{CheckArgs, Fair, Faults, FiniteRuns, PropertyArgs, RunsArgs};
use crate::report::terminal::{Paint, Terminal};
use crate::report::{render, story};
use elnath::source::Message;
use elnath::{
    Fairness, Loaded, Method, Report, Run, SearchPlan, Story, Temporal, TemporalProperty, Verdict, Violation,
    Wanted,
};

/// The property that the command line names.
pub(crate) fn wanted(args: &PropertyArgs) -> Option<Wanted> {
    let PropertyArgs { ltl, claim, automaton, non_progress, accept_cycles } = args;
    ltl.clone()
        .map(Wanted::Ltl)
        .or_else(|| claim.clone().map(Wanted::Claim))
        .or_else(|| automaton.clone().map(Wanted::Automaton))
        .or_else(|| non_progress.then_some(Wanted::NonProgress))
        .or_else(|| accept_cycles.then_some(Wanted::AcceptanceCycles))
}

/// The property, about the runs that are to count.
pub(crate) fn with_runs(property: TemporalProperty, args: &RunsArgs) -> TemporalProperty {
    let property = match args.fair {
        None => property,
        Some(Fair::Weak) => property.fair(Fairness::Weak),
        Some(Fair::Strong) => property.fair(Fairness::Strong),
        Some(Fair::Live) => property.fair(Fairness::Live),
    };
    let property = property.faults(args.faults == Faults::Check);
    match args.finite_runs {
        None => property,
        Some(reading) => property.stutter(reading == FiniteRuns::Extend),
    }
}

/// The search for bad runs that the command line names.
pub(crate) fn method(args: &CheckArgs) -> Result<Option<Method>, Box<Message>> {
    let Some(search) = &args.search.search else { return Ok(None) };
    let method = match search.as_str() {
        "dfs" => Method::Reachability(SearchPlan::DepthFirst),
        name => Method::named(name).unwrap_or(Method::Reachability(SearchPlan::BreadthFirst)),
    };
    let for_cycles = method.kind().for_cycles;
    if for_cycles && wanted(&args.property).is_none() {
        let text = format!("--search {} looks for cycles that a property forbids", method.name());
        let help = "name one with --ltl, --claim, --automaton, --non-progress or --accept-cycles";
        return Err(Box::new(Message::about_file(text).help(help)));
    }
    Ok(Some(method))
}

/// Says which properties of the model nobody has asked about.
pub(crate) fn mention(terminal: &Terminal, loaded: &Loaded) {
    let names = |kind: &str, names: &[String]| {
        names.iter().map(|name| format!("the {kind} `{name}`")).collect::<Vec<_>>()
    };
    let all = [names("never claim", &loaded.claims), names("formula", &loaded.formulas)].concat();
    if let [first, ..] = &all[..] {
        let more = if all.len() > 3 { format!(" and {} more", all.len() - 3) } else { String::new() };
        let (verb, which) = if all.len() == 1 { ("is", first.split('`').nth(1)) } else { ("are", None) };
        let listed = all[..all.len().min(3)].join(", ");
        let how = format!("--claim {} does", which.unwrap_or("NAME"));
        terminal.note(&format!("note: {listed}{more} {verb} not checked ({how})"));
    }
}

/// What was asked, for the line with the verdict.
pub(crate) fn asked(temporal: &Temporal) -> String {
    let property = &temporal.property;
    match &property.name {
        Some(name) => format!("{name}: {}", property.text),
        None => property.text.clone(),
    }
}

/// The run that must not be.
pub(crate) fn tell(terminal: &Terminal, report: &Report<'_>, temporal: &Temporal, run: &Run) {
    let what = report.violation_text().unwrap_or_default();
    let what = terminal.paint(Paint::Strong, &what);
    let steps = render::plural(run.steps.len() as u64, "step");
    match temporal.loop_start {
        None if run.fault.is_some() => terminal.detail(&format!("{what} after {steps}:")),
        None => terminal.detail(&format!("{what} after {steps}, whatever comes then:")),
        Some(start) => {
            let cycle = render::plural((run.steps.len() - start) as u64, "step");
            terminal.detail(&format!("{what} by a run of {steps}, which ends in a cycle of {cycle}:"));
        }
    }
    story::tell_lasso(terminal, &Story::new(&*report.system, run), temporal.loop_start);
    if let Some((alone, Some(start))) = &temporal.alone
        && alone.last() != alone.states[(*start).min(alone.steps.len())]
    {
        let note = "  (variables that nothing reads may have other values in every lap of the cycle)";
        terminal.detail(&terminal.paint(Paint::Dim, note));
    }
    if temporal.method != Method::Shortest && temporal.loop_start.is_some() && run.steps.len() > 12 {
        terminal.detail(&terminal.paint(Paint::Dim, "  (--shortest finds a shortest run)"));
    }
}

/// How the answer was found, and what it does not say.
pub(crate) fn explain(terminal: &Terminal, report: &Report<'_>, temporal: &Temporal) {
    let Temporal { size, strength, faults, .. } = temporal;
    let automaton = match temporal.method {
        Method::Deterministic => "deterministic automaton of the good runs".to_owned(),
        _ => format!("{} automaton of the bad runs", strength.name()),
    };
    terminal.detail(&format!(
        "{automaton}: {}, {}, {}",
        render::plural(size.states as u64, "state"),
        render::plural(size.edges as u64, "edge"),
        render::plural(u64::from(size.sets), "acceptance set"),
    ));
    terminal.detail(&format!("read on {}", temporal.reading()));
    if matches!(report.violation, Some((Violation::Fault(_), _))) {
        terminal.detail("whether the property holds is not known: --faults ignore asks for that alone");
    } else if let [first, ..] = &faults[..] {
        let more = if faults.len() > 1 { format!(" and {} more", faults.len() - 1) } else { String::new() };
        terminal.detail(&format!(
            "some runs also meet an error: {first}{more} (check without a property shows a run to it)"
        ));
    }
}

/// What a complete search for bad runs has shown.
pub(crate) fn coverage(report: &Report<'_>) -> Option<String> {
    let temporal = report.temporal.as_ref()?;
    if temporal.method == Method::Nothing {
        return Some(" (of any model: no run can be bad)".to_owned());
    }
    match report.verdict {
        Verdict::Holds(elnath::Coverage::Exhaustive) => Some(" (exhaustive)".to_owned()),
        _ => None,
    }
}
