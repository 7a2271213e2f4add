//! `elnath check`.

mod advice;

use crate::Exit;
use crate::commands::temporal;
use crate::limits::{self, Listening};
use crate::options::{self, CheckArgs, EmptyWord, EndStates, ModelArgs, Replacement, SearchArgs, Which};
use crate::report::progress::Progress;
use crate::report::terminal::{Paint, Terminal};
use crate::report::{json, render, story};
use elnath::program::ir::Capacity;
use elnath::source::{Message, Severity, nearest};
use elnath::trail::Trail;
use elnath::{
    Check, Counters, Coverage, Disk, Find, FiniteProperty, Limit, LoadError, LoadOptions, Loaded, Member,
    Plan, Portfolio, Reading, Report, Scouted, SearchPlan, StoreChoice, StorePlan, Story, Swarmed, Verdict,
    Violation, Wanted,
};
use std::time::{Duration, Instant};

pub(crate) fn run(args: &CheckArgs, terminal: &Terminal) -> Exit {
    if let Err(messages) = plan(&args.search, 0) {
        return terminal.bad_input(&messages, "check");
    }
    let rules = match args.labels.rules() {
        Ok(rules) => rules,
        Err(messages) => return terminal.bad_input(&messages, "check"),
    };
    let memory = args.search.memory.unwrap_or_else(limits::default_memory);
    let memory = usize::try_from(memory).unwrap_or(usize::MAX);
    let begin = Instant::now();
    let options = LoadOptions {
        memory: Some(memory),
        property: temporal::wanted(&args.property).or_else(|| args.finite.ltlf.clone().map(Wanted::Ltlf)),
        engine: args.engine.into(),
        rules,
        ..load_options(&args.model)
    };
    let loaded = match elnath::load(&args.file, &options) {
        Ok(loaded) => loaded,
        Err(LoadError::Broken(messages)) => return terminal.bad_input(&messages, "check"),
        Err(LoadError::TooLarge { transitions }) => {
            return too_large(args, terminal, memory, transitions, begin.elapsed().as_secs_f64());
        }
    };
    terminal.warnings(&loaded.warnings);
    if options.property.is_none() {
        temporal::mention(terminal, &loaded);
    }
    let finite = match finite(args, &loaded, terminal) {
        Ok(finite) => finite,
        Err(messages) => return terminal.bad_input(&messages, "check"),
    };
    let method = match temporal::method(args) {
        Ok(method) => method,
        Err(message) => return terminal.bad_input(&[*message], "check"),
    };
    if args.end_states == EndStates::Only
        && (loaded.property.is_some() || finite.is_some() || !args.forbid.is_empty())
    {
        let text =
            "--end-states only: nothing but deadlocks is looked for, so that a property makes no sense";
        return terminal.bad_input(&[Message::about_file(text.to_owned())], "check");
    }
    let reductions = match options::reductions(&args.reductions) {
        Ok(reductions) => reductions,
        Err(text) => return terminal.bad_input(&[Message::about_file(text)], "check"),
    };
    let plan = plan(&args.search, memory.saturating_sub(loaded.system.bytes()));
    let plan = plan.expect("it was possible with less memory");
    let begin = Instant::now();
    let mut check = Check::loaded(&loaded)
        .plan(plan)
        .memory(memory)
        .reductions(reductions)
        .watch(watch(&args.search, terminal));
    if let Some(property) = &loaded.property {
        check = check.property(temporal::with_runs(property.clone(), &args.runs));
    }
    if let Some(method) = method {
        check = check.method(method);
    }
    if args.search.shortest {
        check = check.shortest();
    }
    if let (Some(_), StorePlan::Bitstate { bytes, .. }) = (args.search.swarm, plan.store) {
        check = check.swarm(bytes);
    }
    if let Some(directory) = &args.search.spill {
        match Disk::new(directory, args.search.disk.unwrap_or(u64::MAX)) {
            Ok(disk) => check = check.spill(disk),
            Err(error) => {
                let text = format!("--spill {}: {error}", directory.display());
                return terminal.bad_input(&[Message::about_file(text)], "check");
            }
        }
    } else if args.search.store.is_none() {
        check = check.or_tree();
    }
    if let Some(depth) = args.search.depth {
        check = check.depth(usize::try_from(depth).unwrap_or(usize::MAX));
    }
    if let Some(states) = args.search.states {
        check = check.states(states);
    }
    match args.end_states {
        EndStates::Check => {}
        EndStates::Ignore => check = check.ignore_deadlocks(),
        EndStates::Only => check = check.only_deadlocks(),
    }
    if args.all_errors {
        check = check.all_errors();
    }
    for pattern in &args.forbid {
        check = check.forbid(pattern.clone());
    }
    if let Some(property) = finite {
        check = check.finite(property);
    }
    let report = match check.run() {
        Ok(report) => report,
        Err(problem) if problem.is_usage() => {
            return terminal.bad_input(&problem.into_messages(), "check");
        }
        Err(problem) => panic!("{problem}; please report this as a bug of elnath"),
    };
    let seconds = begin.elapsed().as_secs_f64();
    terminal.warnings(&loaded.label_warnings(matches!(report.verdict, Verdict::Holds(Coverage::Exhaustive))));
    if let Err(messages) = write_run(args, &loaded, &report, terminal) {
        return terminal.bad_input(&messages, "check");
    }
    let file = args.file.display().to_string();
    if terminal.json {
        terminal.object(&json::check(&file, loaded.engine, &report, seconds));
    } else {
        print(args, terminal, &report, &loaded, seconds);
        if let Verdict::Unknown(_) = report.verdict {
            without_bound(std::slice::from_ref(&loaded), terminal);
        }
    }
    match report.verdict {
        Verdict::Holds(_) => Exit::Holds,
        Verdict::Fails(_) => Exit::Fails,
        Verdict::Unknown(_) => Exit::Unknown,
    }
}

/// The formula of --ltlf about this model.
fn finite(
    args: &CheckArgs,
    loaded: &Loaded,
    terminal: &Terminal,
) -> Result<Option<FiniteProperty>, Vec<Message>> {
    let Some(text) = &args.finite.ltlf else { return Ok(None) };
    let (property, warnings) = FiniteProperty::of_loaded(text, loaded)?;
    terminal.warnings(&warnings);
    let property = property.reading(match args.finite.finite {
        Which::Prefix => Reading::Prefix,
        Which::Maximal => Reading::Maximal,
    });
    Ok(Some(match args.finite.empty_word {
        Some(what) => property.empty_word(what == EmptyWord::Check),
        None => property,
    }))
}

/// Writes the run to the violation where the user wants it.
fn write_run(
    args: &CheckArgs,
    loaded: &Loaded,
    report: &Report<'_>,
    terminal: &Terminal,
) -> Result<(), Vec<Message>> {
    if let Some(path) = &args.trail {
        let (program, table) = story::with_trails(loaded, &args.file)?;
        match &report.violation {
            Some((_, run)) => {
                let alone = report.temporal.as_ref().and_then(|temporal| temporal.alone.as_ref());
                let (run, loop_start) = alone.map_or((run, None), |(alone, loop_start)| (alone, *loop_start));
                let (run, loop_start) = loaded.run_of_program(run, loop_start);
                let trail = Trail::of_lasso(program, table, &run, loop_start);
                story::write(path, &trail.to_text())?;
            }
            None => terminal.note(&format!("{}, so {} was not written", no_run(report), path.display())),
        }
    }
    if let Some(path) = &args.chart {
        match &report.violation {
            Some((_, run)) => {
                let why = report.violation_text().unwrap_or_default();
                let loop_start = report.temporal.as_ref().and_then(|temporal| temporal.loop_start);
                let tale = Story::new(&*report.system, run);
                story::draw(terminal, (&tale, loop_start), (&why, true), path)?;
            }
            None if path.as_os_str() == "-" => {
                terminal.note(&format!("{}, so no chart was drawn", no_run(report)));
            }
            None => terminal.note(&format!("{}, so {} was not written", no_run(report), path.display())),
        }
    }
    Ok(())
}

/// Why there is no run to be written.
fn no_run(report: &Report<'_>) -> &'static str {
    match report.verdict {
        Verdict::Unknown(Limit::Witness) => "the run to the violation is not known",
        _ => "no violation",
    }
}

/// What to do about channels without bound, which may be why there was no end of states.
pub(crate) fn without_bound(models: &[Loaded], terminal: &Terminal) {
    let mut channels =
        models.iter().filter_map(|model| model.program.as_ref()).flat_map(|model| &model.program().channels);
    if channels.any(|channel| channel.capacity == Capacity::Unbounded) {
        terminal.note(
            "help: channels without bound may make infinitely many states: elnath bounded tells whether one can grow \
             for ever, --capacity N gives each N places",
        );
    }
}

/// Warnings about internal labels that none of some graphs has; of other models the labels are not known beforehand.
pub(crate) fn unmet_taus(args: &ModelArgs, models: &[Loaded]) -> Vec<Message> {
    let graphs: Option<Vec<_>> = models.iter().map(|model| model.explicit.as_deref()).collect();
    let (Some(taus), Some(graphs)) = (&args.tau, graphs) else { return Vec::new() };
    let labels = || graphs.iter().flat_map(|graph| graph.labels().iter());
    let unmet = taus.iter().filter(|tau| !labels().any(|label| label == **tau));
    unmet
        .map(|tau| {
            let text = format!("no label is `{tau}` (--tau)");
            let message = Message { severity: Severity::Warning, ..Message::about_file(text) };
            match nearest(tau, labels()) {
                Some(near) => message.help(format!("did you mean `{near}`?")),
                None => message,
            }
        })
        .collect()
}

pub(crate) fn load_options(args: &ModelArgs) -> LoadOptions {
    let (taus, defines, capacity) = (args.tau.clone(), args.define.clone(), args.capacity);
    LoadOptions { language: args.language.clone(), taus, defines, capacity, ..LoadOptions::default() }
}

/// The answer when not even the model fits into the memory.
fn too_large(args: &CheckArgs, terminal: &Terminal, memory: usize, transitions: u64, seconds: f64) -> Exit {
    if terminal.json {
        let file = args.file.display().to_string();
        terminal.object(&json::too_large(
            &file,
            &plan(&args.search, 0).expect("it was looked at"),
            transitions,
            seconds,
        ));
    } else {
        terminal.detail(&format!("{} read in {seconds:.2} s", render::plural(transitions, "transition")));
        terminal.say(&format!(
            "{}: out of memory; the model alone needs more than the {} granted (--memory)",
            terminal.paint(Paint::Doubt, "unknown"),
            render::bytes(memory as u64)
        ));
    }
    Exit::Unknown
}

/// The choices of the command line as one plan for a search in this much memory.
fn plan(args: &SearchArgs, memory: usize) -> Result<Plan, Vec<Message>> {
    let store = chosen_store(args)?;
    let store = store.plan(memory, args.memory.is_some()).map_err(|text| vec![Message::about_file(text)])?;
    let search = match args.search.as_deref() {
        Some("dfs") => SearchPlan::DepthFirst,
        Some("bfs") => SearchPlan::BreadthFirst,
        Some("portfolio") => SearchPlan::Portfolio(Portfolio::USUAL),
        None if args.shortest => SearchPlan::BreadthFirst,
        // The searches for cycles are another matter, see `temporal`.
        _ => store.usual_search(),
    };
    let threads = match (args.threads, store) {
        (Some(threads), _) => usize::from(threads),
        // Several share what is left of the memory for their paths, and may count a state twice: only if they are wanted.
        (None, StorePlan::Bitstate { .. }) if args.swarm.is_none() => 1,
        (None, _) => elnath::check::all_cores(),
    };
    Ok(Plan { search, store, threads, seed: args.seed })
}

/// The store that a search begins with; or all that is wrong with its parameters: somebody expects something of them.
fn chosen_store(args: &SearchArgs) -> Result<StoreChoice, Vec<Message>> {
    let mut store = args.store.clone().unwrap_or_else(|| {
        StoreChoice::named(match args {
            SearchArgs { swarm: Some(_), .. } => "bitstate",
            SearchArgs { spill: Some(_), .. } => "tree",
            _ => "exact",
        })
    });
    let mut wrong = Vec::new();
    for (option, parameter, value) in parameters(args) {
        let Some(value) = value else { continue };
        if store.set(parameter, &value).is_err() {
            let has_it = |store: &&elnath::StoreKind| store.parameters.iter().any(|p| p.name == parameter);
            let owner = elnath::STORES.iter().find(has_it).map_or("", |owner| owner.name);
            let text = format!("{option} has a meaning only with --store {owner}");
            wrong.push(Message::about_file(text));
        }
    }
    if wrong.is_empty() { Ok(store) } else { Err(wrong) }
}

/// Parameters of stores that are options of their own: the option, the parameter, and its value if it was given.
fn parameters(args: &SearchArgs) -> [(&'static str, &'static str, Option<String>); 6] {
    let number = |number: Option<u64>| number.map(|number| number.to_string());
    [
        ("--cache", "cache", number(args.cache)),
        ("--replacement", "policy", args.replacement.map(Replacement::policy)),
        ("--strata", "strata", number(args.strata.map(u64::from))),
        ("--thrashing", "thrashing", number(args.thrashing)),
        ("--hashes", "hashes", number(args.hashes.map(u64::from))),
        ("--fingerprint", "fingerprint", number(args.fingerprint.map(u64::from))),
    ]
}

/// Whether something was chosen that only the store in use knows of.
fn has_parameters(args: &SearchArgs) -> bool {
    chosen_store(args).is_ok_and(|store| !store.parameters.is_empty())
}

/// Shows progress, and stops a search that was interrupted or has used up its time.
fn watch(args: &SearchArgs, terminal: &Terminal) -> impl FnMut(&Counters) -> Option<Limit> + 'static {
    watch_for(args.swarm.or(args.time), terminal)
}

/// Shows progress, and stops at a time limit or when interrupted.
pub(crate) fn watch_for(
    time: Option<Duration>,
    terminal: &Terminal,
) -> impl FnMut(&Counters) -> Option<Limit> + 'static {
    let deadline = time.and_then(|time| Instant::now().checked_add(time));
    let mut progress = Progress::new(terminal);
    let listening = Listening::new();
    move |counters| {
        progress.update(counters);
        if listening.interrupted() {
            return Some(Limit::Interrupted);
        }
        deadline.is_some_and(|deadline| Instant::now() >= deadline).then_some(Limit::Time)
    }
}

fn print(args: &CheckArgs, terminal: &Terminal, report: &Report<'_>, loaded: &Loaded, seconds: f64) {
    if let (Some((_, run)), Some(temporal)) = (&report.violation, &report.temporal) {
        temporal::tell(terminal, report, temporal, run);
    } else if let Some((violation, run)) = &report.violation {
        let text = report.violation_text().unwrap_or_default();
        let steps = render::plural(run.steps.len() as u64, "step");
        terminal.detail(&format!("{} after {steps}:", terminal.paint(Paint::Strong, &text)));
        story::tell(terminal, &Story::new(&*report.system, run));
        let breadth_first = report.plan.search.without_scouts() == SearchPlan::BreadthFirst;
        let by_scout = report.scouted.as_ref().is_some_and(|scouted| scouted.find.is_some());
        if (by_scout || !breadth_first) && run.steps.len() > 12 {
            terminal.detail(&terminal.paint(Paint::Dim, "  (--shortest finds a shortest run)"));
        }
        if matches!(violation, Violation::Deadlock) {
            story::tell_waiting(terminal, &Story::new(&*report.system, run));
        }
    }
    never_executed(terminal, report);
    terminal.detail(&figures(report, loaded.engine, seconds));
    if let Some(temporal) = &report.temporal {
        temporal::explain(terminal, report, temporal);
    }
    if let Some(property) = &report.finite {
        terminal.detail(&format!("asked: {}", property.words()));
        if vacuous(report) {
            terminal.detail("no run of this model ends, so that nothing was asked about");
        }
    }
    let what = report.temporal.as_ref().map_or_else(|| asked(args, report, loaded), temporal::asked);
    let line = match report.verdict {
        Verdict::Holds(coverage) => {
            let (word, paint) = match coverage {
                Coverage::Exhaustive => ("holds", Paint::Good),
                Coverage::Lossy { .. } => ("no violation found", Paint::Doubt),
            };
            let seen = temporal::coverage(report).unwrap_or_else(|| coverage_text(coverage, report));
            format!("{}: {what}{seen}", terminal.paint(paint, word))
        }
        Verdict::Fails(_) => {
            let more = if args.all_errors { format!(" ({} in all)", errors(report)) } else { String::new() };
            let text = report.violation_text().unwrap_or_default();
            let text = match &report.temporal {
                Some(temporal) if run_has_fault(report) => {
                    format!("{text} (found while checking {})", temporal::asked(temporal))
                }
                Some(temporal) => format!("{} ({text})", temporal::asked(temporal)),
                None => text,
            };
            format!("{}: {text}{more}", terminal.paint(Paint::Bad, "fails"))
        }
        Verdict::Unknown(limit) => {
            format!("{}: {}", terminal.paint(Paint::Doubt, "unknown"), unknown_text(limit, args, report))
        }
    };
    terminal.say(&line);
}

fn run_has_fault(report: &Report<'_>) -> bool {
    matches!(report.violation, Some((Violation::Fault(_), _)))
}

/// The statements that no run executes, as far as a complete walk can tell.
fn never_executed(terminal: &Terminal, report: &Report<'_>) {
    const MOST: usize = 20;
    let parts = report.dead_parts();
    if parts.is_empty() {
        return;
    }
    terminal.detail(&format!("{} never executed:", render::plural(parts.len() as u64, "statement")));
    for (place, text) in parts.iter().take(MOST) {
        terminal.detail(&format!("  {}  {text}", place.as_deref().unwrap_or("")));
    }
    if parts.len() > MOST {
        terminal.detail(&format!("  ... and {} more (all of them with --json)", parts.len() - MOST));
    }
}

fn figures(report: &Report<'_>, engine: &str, seconds: f64) -> String {
    let Counters { states, states_exact, insertions, transitions, depth, replacements, .. } = report.counters;
    let about = if states_exact { "" } else { "about " };
    let mut text = format!(
        "{about}{}, {}, depth {}",
        render::plural(states, "state"),
        render::plural(transitions, "transition"),
        render::grouped(depth as u64)
    );
    if replacements > 0 {
        text += &format!(
            ", {} insertions, {} replacements",
            render::grouped(insertions),
            render::grouped(replacements)
        );
    }
    let memory = (report.counters.store_bytes + report.counters.path_bytes) as u64;
    text += &format!(
        ", {seconds:.2} s, {} ({:.0} bytes per state)",
        render::bytes(memory),
        report.counters.bytes_per_state()
    );
    if report.disk.is_some() {
        text += &format!(", {} on disk", render::bytes(report.counters.disk_bytes));
    }
    if let Some(before) = report.before {
        text += &format!(
            "\nthe exact store had no room for more than {} states, so the tree store began again",
            render::grouped(before.states)
        );
    }
    let Plan { search, store, seed, .. } = report.plan;
    let mut threads = render::plural(report.workers() as u64, "thread");
    if let Some(why) = report.one_worker() {
        threads += &format!(" (because {why})");
    }
    text += &format!(
        "\n{engine} engine, {} store, {} search, {threads}, seed {seed}",
        store.name(),
        report.temporal.as_ref().map_or(search.name(), |temporal| temporal.method.name())
    );
    text += &what_reductions_did(report);
    text += &swarm(report);
    text += &scouts(report);
    text
}

/// What scouts did, on a line of its own.
fn scouts(report: &Report<'_>) -> String {
    let Some(Scouted { transitions, states, find }) = &report.scouted else { return String::new() };
    let mut text = format!(
        "\nscouts: {}, {}",
        render::plural(*states, "state"),
        render::plural(*transitions, "transition")
    );
    if let Some(Find { by, seed, length, shortened, .. }) = find {
        text += &format!(
            "\nfound by a {} (seed {seed}) after {}",
            by.name(),
            render::plural(*length as u64, "step")
        );
        if shortened < length {
            text += &format!(", shortened to {}", render::grouped(*shortened as u64));
        }
        text += "; the run need not be a shortest one";
    }
    text
}

/// What a swarm did, on lines of its own.
fn swarm(report: &Report<'_>) -> String {
    let Some(Swarmed { searches, complete, cut, distinct, found_by, .. }) = report.swarm else {
        return String::new();
    };
    let mut text = format!(
        "\nswarm of {}, {} of which came to an end",
        plural_searches(searches),
        render::grouped(complete)
    );
    if cut > 0 {
        text += &format!(" and {} left out what was too deep", render::grouped(cut));
    }
    text += &format!(": about {} different states", render::grouped(distinct));
    if let Some(Member { seed, k, order, depth }) = found_by {
        let depth = if depth == usize::MAX { "any depth".to_owned() } else { format!("depth {depth}") };
        text += &format!(
            "\nfound by the search with seed {seed} ({k} bits, {} order, {depth}); \
             --seed {seed} with the same --memory and --threads begins with it",
            order.name()
        );
    }
    text
}

fn plural_searches(searches: u64) -> String {
    if searches == 1 { "1 search".to_owned() } else { format!("{} searches", render::grouped(searches)) }
}

/// What reductions did, each on a line of its own.
fn what_reductions_did(report: &Report<'_>) -> String {
    let lines = report.stages.iter().map(ToString::to_string).filter(|line| !line.is_empty());
    lines.map(|line| format!("\n{line}")).collect()
}

/// Whether a question about the runs that end was answered without meeting one.
pub(crate) fn vacuous(report: &Report<'_>) -> bool {
    let maximal = report.finite.as_ref().is_some_and(|property| property.which() == Reading::Maximal);
    maximal && matches!(report.verdict, Verdict::Holds(_)) && report.met_an_end == Some(false)
}

fn asked(args: &CheckArgs, report: &Report<'_>, loaded: &Loaded) -> String {
    if let Some(property) = &report.finite {
        return property.formula();
    }
    let mut parts = Vec::new();
    if args.end_states == EndStates::Only {
        return "no deadlock (nothing else was looked for)".to_owned();
    }
    if args.end_states == EndStates::Check {
        parts.push("no deadlock".to_owned());
    }
    parts.extend(args.forbid.iter().map(|pattern| format!("no action matches {pattern}")));
    // A graph has no statements that could go wrong.
    if loaded.program.is_some() {
        parts.push("no failed assertion or other fault".to_owned());
    }
    if parts.is_empty() { "no error".to_owned() } else { parts.join(", ") }
}

fn coverage_text(coverage: Coverage, report: &Report<'_>) -> String {
    let states = render::plural(report.counters.states, "pair");
    match coverage {
        Coverage::Exhaustive if report.finite.is_some() => {
            let how = if report.counters.states_exact { "" } else { ", with replacement" };
            format!(" ({states} of state and automaton, exhaustive{how})")
        }
        Coverage::Exhaustive if report.counters.states_exact => {
            format!(" in any of the {} states (exhaustive)", render::grouped(report.counters.states))
        }
        Coverage::Exhaustive => " in any state (exhaustive, with replacement)".to_owned(),
        Coverage::Lossy { expected_omissions, omission_probability } => format!(
            ", but this is not a proof: about {} states omitted by the {} store, \
             the next one with probability {omission_probability:.1e}",
            render::estimate(expected_omissions),
            report.plan.store.name()
        ),
    }
}

fn errors(report: &Report<'_>) -> String {
    let kinds = [
        (report.errors.deadlocks, "deadlock"),
        (report.errors.faults, "fault"),
        (report.errors.forbidden, "forbidden transition"),
        (report.errors.invariants, "property violation"),
        (report.errors.formula, "formula violation"),
    ];
    let parts: Vec<String> =
        kinds.into_iter().filter(|(n, _)| *n > 0).map(|(n, kind)| render::plural(n, kind)).collect();
    parts.join(", ")
}

fn unknown_text(limit: Limit, args: &CheckArgs, report: &Report<'_>) -> String {
    let Counters { insertions, states, states_exact, .. } = report.counters;
    let about = if states_exact { "" } else { "about " };
    let mut seen = format!("no violation among the {about}{} seen", render::plural(states, "state"));
    if let Some(swarmed) = &report.swarm {
        seen += &format!(", which proves nothing: {}", best_search(swarmed));
    }
    match limit {
        Limit::Memory => format!("out of memory; {seen} ({})", advice::more_room(args, report)),
        Limit::Disk => {
            let disk = report.disk.as_ref();
            format!(
                "out of disk at {}: {}; {seen} (--disk, or another --spill)",
                render::bytes(disk.map_or(0, Disk::peak)),
                disk.and_then(Disk::trouble).unwrap_or_default()
            )
        }
        // That is how a swarm ends.
        Limit::Time if report.swarm.is_some() => seen,
        Limit::Time => format!("out of time; {seen}"),
        Limit::Depth => format!("some runs were cut at the depth limit; {seen}"),
        Limit::States => format!("the limit on states was reached; {seen}"),
        Limit::Sequence => {
            format!(
                "an atomic sequence has more outcomes than were followed; {seen} (make it shorter, or not atomic)"
            )
        }
        Limit::Witness => format!(
            "there is a violation ({} among the {about}{} seen), but the search was stopped, or ran out of memory or \
             time, before the run that shows it was known (--memory, --time)",
            errors(report),
            render::plural(states, "state")
        ),
        Limit::Interrupted => format!("interrupted; {seen}"),
        Limit::Thrashing => format!(
            "thrashing: {} insertions of about {} distinct states; {seen} (give it more --memory or --cache)",
            render::grouped(insertions),
            render::grouped(states)
        ),
    }
}

/// How much the search of a swarm omitted that came nearest to a proof.
fn best_search(swarmed: &Swarmed) -> String {
    match swarmed {
        Swarmed { best: Some(Coverage::Lossy { expected_omissions, .. }), .. } => {
            format!("the best search omitted about {} states", render::estimate(*expected_omissions))
        }
        Swarmed { cut: 1.., .. } => {
            "no search came to an end, and some left out what was too deep".to_owned()
        }
        _ => "no search came to an end".to_owned(),
    }
}
