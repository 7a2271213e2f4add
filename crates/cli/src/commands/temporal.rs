//! Properties of infinite runs, as the options of `elnath check` name them.

use crate::options::{CheckArgs, Fair, Faults, FiniteRuns, PropertyArgs, RunsArgs};
use crate::report::terminal::Terminal;
use elnath::source::Message;
use elnath::{Fairness, Loaded, Method, SearchPlan, TemporalProperty, Wanted};

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
