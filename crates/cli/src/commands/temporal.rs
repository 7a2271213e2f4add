//! Properties of infinite runs, as the options of `elnath check` name them.

use crate::options::{CheckArgs, EndStates, Fair, Faults, FiniteRuns, PropertyArgs, RunsArgs};
use crate::report::terminal::Terminal;
use elnath::source::{Message, codes, nearest};
use elnath::{Blocked, Demand, Fairness, Loaded, Method, SearchPlan, TemporalProperty, Wanted};

/// The properties that the command line names.
pub(crate) fn wanted(args: &PropertyArgs) -> Vec<Wanted> {
    let PropertyArgs { ltl, claim, automaton, non_progress, accept_cycles, eventual_reception, .. } = args;
    let mut wanted: Vec<Wanted> = claim.iter().cloned().map(Wanted::Claim).collect();
    wanted.extend(ltl.clone().map(Wanted::Ltl));
    wanted.extend(automaton.clone().map(Wanted::Automaton));
    wanted.extend(non_progress.then_some(Wanted::NonProgress));
    wanted.extend(accept_cycles.then_some(Wanted::AcceptanceCycles));
    wanted.extend(eventual_reception.then_some(Wanted::EventualReception));
    wanted
}

/// What is checked of a model: what the command line names, or else what the model demands.
pub(crate) fn demands(
    args: &CheckArgs,
    loaded: &Loaded,
    terminal: &Terminal,
) -> Result<Vec<Demand>, Vec<Message>> {
    let named = wanted(&args.property);
    if !named.is_empty() {
        return Ok(named.into_iter().map(Demand::Infinite).collect());
    }
    let all = loaded.demands();
    let restricted = args.safety_only
        || args.finite.ltlf.is_some()
        || args.all_errors
        || args.end_states == EndStates::Only
        || args.search.swarm.is_some();
    if restricted {
        if !args.safety_only {
            mention(terminal, &all[1..]);
        }
        return Ok(vec![Demand::Safety]);
    }
    if args.only.is_empty() {
        return Ok(all);
    }
    let (mut found, mut wrong) = (Vec::new(), Vec::new());
    let machines = machine_properties(loaded);
    for name in &args.only {
        if machines.iter().any(|property| property.name() == name) {
            // One search for all of them: see `only`.
            if !found.contains(&Demand::Safety) {
                found.push(Demand::Safety);
            }
            continue;
        }
        match all.iter().find(|demand| demand.name() == name) {
            Some(demand) => found.push(demand.clone()),
            None => {
                let message = Message::about_file(format!("--only {name}: the model has no such property"))
                    .code(codes::UNKNOWN_PROPERTY);
                let names = machines.iter().map(|property| property.name());
                let names: Vec<&str> = all.iter().map(Demand::name).chain(names).collect();
                let near = nearest(name, names.iter().copied());
                wrong.push(message.help(match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("it has {}", names.join(", ")),
                }));
            }
        }
    }
    if wrong.is_empty() { Ok(found) } else { Err(wrong) }
}

/// The properties of communicating machines that are named by --only, if there are machines and some are named.
pub(crate) fn only(args: &CheckArgs, loaded: &Loaded) -> Option<Vec<Blocked>> {
    let properties = machine_properties(loaded);
    let named: Vec<Blocked> = properties
        .into_iter()
        .filter(|property| args.only.iter().any(|name| name == property.name()))
        .collect();
    (!named.is_empty() && !args.only.iter().any(|name| name == Demand::Safety.name())).then_some(named)
}

fn machine_properties(loaded: &Loaded) -> Vec<Blocked> {
    loaded.machines.as_ref().map_or_else(Vec::new, |machines| machines.properties())
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
pub(crate) fn method(args: &CheckArgs, demands: &[Demand]) -> Result<Option<Method>, Box<Message>> {
    let Some(search) = &args.search.search else { return Ok(None) };
    let method = match search.as_str() {
        "dfs" => Method::Reachability(SearchPlan::DepthFirst),
        name => Method::named(name).unwrap_or(Method::Reachability(SearchPlan::BreadthFirst)),
    };
    let for_cycles = method.kind().for_cycles;
    if for_cycles && demands == [Demand::Safety] {
        let text = format!("--search {} looks for cycles that a property forbids", method.name());
        let help = "name one with --ltl, --claim, --automaton, --non-progress or --accept-cycles";
        return Err(Box::new(Message::about_file(text).code(codes::UNFIT_CHOICE).help(help)));
    }
    Ok(Some(method))
}

/// What is wrong with options about infinite runs where nothing is asked about these.
pub(crate) fn idle_options(args: &RunsArgs, demands: &[Demand]) -> Option<Message> {
    if demands.iter().any(|demand| *demand != Demand::Safety) {
        return None;
    }
    let option = match args {
        RunsArgs { fair: Some(_), .. } => "--fair",
        RunsArgs { finite_runs: Some(_), .. } => "--finite-runs",
        RunsArgs { faults: Faults::Ignore, .. } => "--faults",
        _ => return None,
    };
    let text = format!("{option} is about properties of infinite runs, and none is checked here");
    let help = "name one with --ltl, --claim, --automaton, --non-progress or --accept-cycles";
    Some(Message::about_file(text).code(codes::IDLE_OPTIONS).help(help))
}

/// Says which demands of the model are not checked.
fn mention(terminal: &Terminal, demands: &[Demand]) {
    if demands.is_empty() {
        return;
    }
    let names: Vec<String> = demands.iter().take(3).map(|demand| format!("`{}`", demand.name())).collect();
    let more = if demands.len() > 3 { format!(" and {} more", demands.len() - 3) } else { String::new() };
    let verb = if demands.len() == 1 { "is" } else { "are" };
    let text = format!("{}{more} {verb} not checked with these options", names.join(", "));
    let message = Message::finding(codes::UNCHECKED, text, None).help("--only NAME checks one of them");
    terminal.warnings(&[message]);
}
