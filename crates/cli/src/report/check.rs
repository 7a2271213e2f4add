//! Answers of `elnath check`, as text and as JSON: two forms of one value.

use crate::report::properties::{self, Conclusion};
use crate::report::story::Beside;
use crate::report::terminal::{Paint, Terminal};
use crate::report::{advice, json, render, story};
use elnath::reductions::Figure;
use elnath::{
    CheckReport, CheckedProperty, Counters, Coverage, Disk, ErrorList, ErrorReport, Fairness, Find, Limit,
    Member, Method, Plan, Polished, PropertyKind, Reach, Reading, Run, Scouted, SearchFigures, SearchPlan,
    Story, Summary, Swarmed, System, Temporal, Verdict, ViolatingRun, Violation,
};
use serde_json::{Value, json};

/// An answer, with what is to be told beside it.
pub(crate) struct Checked<'r, 'a> {
    pub(crate) file: &'r str,
    /// What computes transitions.
    pub(crate) engine: &'r str,
    pub(crate) report: &'r CheckReport<'a>,
    pub(crate) seconds: f64,
}

impl Checked<'_, '_> {
    /// For people: the verdicts, the worst first; if there are several, how many hold; then the runs to violations; and
    /// at last what was never executed, and the figures.
    pub(crate) fn text(&self, terminal: &Terminal) {
        let mut order: Vec<&CheckedProperty<'_>> = self.report.properties.iter().collect();
        order.sort_by_key(|property| match property.verdict {
            Verdict::Fails(_) => 0,
            Verdict::Unknown(_) => 1,
            Verdict::Holds(_) => 2,
        });
        for property in &order {
            terminal.say(&conclusion(property).line(terminal));
            list_errors(terminal, &property.figures.distinct);
        }
        if let Some(all) = properties::in_all(self.report) {
            terminal.say(&all.line(terminal));
        }
        for property in &order {
            if order.len() > 1 && property.violation().is_some() {
                let heading = format!("--- {}", asked(property));
                terminal.detail(&terminal.paint(Paint::Strong, &heading));
            }
            tell_runs(terminal, property);
            explain(terminal, property);
        }
        if let Some(first) = self.report.properties.first() {
            never_executed(terminal, &first.figures);
        }
        for (number, property) in order.iter().enumerate() {
            // What several searches have in common is told with the first, and one search for several properties once.
            let told = |other: &&CheckedProperty<'_>| other.figures.counters == property.figures.counters;
            let again = property.kind == PropertyKind::Safety && order[..number].iter().any(told);
            if number == 0 || !again && (terminal.verbose || !matches!(property.verdict, Verdict::Holds(_))) {
                self.tell_figures(terminal, property);
            }
        }
    }

    /// How much was searched, and how.
    fn tell_figures(&self, terminal: &Terminal, property: &CheckedProperty<'_>) {
        let figures = &property.figures;
        if self.report.properties.len() > 1 && terminal.verbose {
            terminal.more(&format!("--- {}", asked(property)));
        }
        terminal.detail(&counted_line(figures, self.seconds));
        terminal.detail(&searched_line(figures, self.engine, terminal.verbose));
        for stage in &figures.stages {
            let line = stage.to_string();
            if !line.is_empty() && (terminal.verbose || stage.matters()) {
                terminal.detail(&line);
            }
        }
        let lines = format!("{}{}", swarm(figures), scouts(figures));
        lines.lines().filter(|line| !line.is_empty()).for_each(|line| terminal.detail(line));
        tell_automaton(terminal, property);
    }

    /// For machines: what is told of one property is told of the worst.
    pub(crate) fn json(&self) -> Value {
        let worst = self.report.worst();
        let figures = &worst.figures;
        let mut answer = json::object(
            "check",
            json!({
                "model": self.file,
                "verdict": worst.verdict.name(),
                "reason": worst.limit().map(Limit::name),
                "properties": self.report.properties.iter().map(entry).collect::<Vec<_>>(),
                "violation": violation(worst),
                "finite": figures.finite.as_ref().map(|finite| json!({
                    "formula": finite.property.formula(),
                    "reading": match finite.property.which() {
                        Reading::Prefix => "prefix",
                        Reading::Maximal => "maximal",
                    },
                    "asked": finite.property.words(),
                    "vacuous": worst.is_vacuous(),
                })),
                "seconds": self.seconds,
                "engine": self.engine,
                "compilations": self.report.compilations,
            }),
        );
        if let Value::Object(fields) = &mut answer {
            for more in [counted(figures), searched(figures)] {
                let Value::Object(more) = more else { unreachable!("an object of our own making") };
                fields.extend(more);
            }
            fields.extend(stages(figures));
        }
        answer
    }
}

/// What was asked, for the line with the verdict.
fn asked(property: &CheckedProperty<'_>) -> String {
    match &property.name {
        Some(name) if property.kind != PropertyKind::Safety => format!("{name}: {}", property.text),
        _ => property.text.clone(),
    }
}

/// What is concluded about a property.
fn conclusion(property: &CheckedProperty<'_>) -> Conclusion {
    let figures = &property.figures;
    match &property.verdict {
        Verdict::Holds(coverage) => {
            let (word, paint) = match coverage {
                Coverage::Exhaustive => ("holds", Paint::Good),
                Coverage::Lossy { .. } => ("no violation found", Paint::Doubt),
            };
            let seen = coverage_of_runs(property).unwrap_or_else(|| coverage_text(*coverage, figures));
            Conclusion::new(word, paint, format!("{}{seen}", asked(property)))
        }
        Verdict::Fails(_) => {
            let more = match (figures.all, &figures.distinct.errors[..]) {
                (false, _) => String::new(),
                (true, [] | [_]) => format!(" ({} in all)", errors(figures)),
                (true, _) => format!(" ({}: {} in all)", figures.distinct.count(), errors(figures)),
            };
            let text = property.summary.as_ref().map_or("", |summary| &summary.headline);
            let text = match &figures.temporal {
                Some(_) if property.is_fault() => {
                    format!("{text} (found while checking {})", asked(property))
                }
                _ => text.to_owned(),
            };
            Conclusion::new("fails", Paint::Bad, format!("{text}{more}"))
        }
        Verdict::Unknown(limit) => {
            let text = unknown_text(*limit, figures);
            // Of several properties it is said which.
            let named = property.kind == PropertyKind::Safety && property.name.is_some();
            let text = if named { format!("{}: {text}", property.text) } else { text };
            Conclusion::new("unknown", Paint::Doubt, text)
        }
    }
}

/// The errors, a line each, if there are several.
fn list_errors(terminal: &Terminal, list: &ErrorList) {
    if list.errors.len() < 2 {
        return;
    }
    for (number, error) in (1..).zip(&list.errors) {
        let run = match &error.shown {
            Some(shown) => render::plural(shown.run.steps.len() as u64, "step"),
            None => "no run known".to_owned(),
        };
        let after = error
            .after_fault
            .map_or_else(String::new, |step| format!(", after a fault in step {}", step + 1));
        terminal.say(&format!("  {number:>2}. {} ({}, {run}{after})", error.summary.headline, error.times()));
    }
    if list.more > 0 {
        let least = if list.at_least { "at least " } else { "" };
        let more = render::grouped(list.more);
        terminal.say(&format!("      ... and {least}{more} more distinct errors, without a run"));
    }
}

/// The runs that show violations, as far as they are known: of the property, and of every other error if all are told.
fn tell_runs(terminal: &Terminal, property: &CheckedProperty<'_>) {
    let (Some(shown), figures) = (property.verdict.evidence(), &property.figures) else { return };
    if let Some(temporal) = &figures.temporal {
        tell_infinite(terminal, property, temporal, &shown.run);
        tell_polished(terminal, shown);
        return;
    }
    if figures.distinct.errors.len() < 2 {
        tell_run(terminal, figures, property.summary.as_ref(), shown);
        return;
    }
    for (number, error) in (1..).zip(&figures.distinct.errors) {
        let Some(shown) = &error.shown else { continue };
        let heading = format!("--- error {number}: {}", error.summary.headline);
        terminal.detail(&terminal.paint(Paint::Strong, &heading));
        tell_run(terminal, figures, Some(&error.summary), shown);
    }
}

/// The run to one violation.
fn tell_run(
    terminal: &Terminal,
    figures: &SearchFigures<'_>,
    summary: Option<&Summary>,
    shown: &ViolatingRun,
) {
    let ViolatingRun { violation, run, truths, .. } = shown;
    tell_sentence(terminal, summary);
    let beside = Beside { loop_start: None, truths: truths.as_ref() };
    story::tell(terminal, &Story::new(&*figures.system, run), beside);
    let breadth_first = figures.plan.search.without_scouts() == SearchPlan::BreadthFirst;
    let by_scout = figures.scouted.as_ref().is_some_and(|scouted| scouted.find.is_some());
    if (by_scout || !breadth_first) && run.steps.len() > 12 {
        terminal.detail(&terminal.paint(Paint::Dim, "  (--shortest finds a shortest run)"));
    }
    if *violation == Violation::Deadlock {
        story::tell_waiting(terminal, &Story::new(&*figures.system, run));
    }
    tell_polished(terminal, shown);
}

/// What was done to a run to make it easier to read.
fn tell_polished(terminal: &Terminal, shown: &ViolatingRun) {
    let Some(Polished { before, after }) = shown.polished else { return };
    let mut parts = Vec::new();
    if before.0 != after.0 {
        parts.push(format!("{} became {}", render::plural(before.0 as u64, "step"), after.0));
    }
    if before.1 != after.1 {
        let switches =
            if before.1 == 1 { "1 context switch" } else { &format!("{} context switches", before.1) };
        parts.push(format!("{switches} became {}", after.1));
    }
    if !parts.is_empty() {
        terminal.more(&format!("  polished: {}", parts.join(", ")));
    }
}

/// An infinite run that must not be.
fn tell_infinite(terminal: &Terminal, property: &CheckedProperty<'_>, temporal: &Temporal, run: &Run) {
    let shown = property.verdict.evidence().expect("a run is told where there is one");
    tell_sentence(terminal, property.summary.as_ref());
    let truths = shown.truths.as_ref().filter(|_| !property.is_fault());
    let beside = Beside { loop_start: shown.loop_start, truths };
    story::tell(terminal, &Story::new(&*property.figures.system, run), beside);
    if let Some((alone, Some(start))) = &shown.alone
        && alone.last() != alone.states[(*start).min(alone.steps.len())]
    {
        let note = "  (variables that nothing reads may have other values in every lap of the cycle)";
        terminal.detail(&terminal.paint(Paint::Dim, note));
    }
    if temporal.method != Method::Shortest && shown.loop_start.is_some() && run.steps.len() > 12 {
        terminal.detail(&terminal.paint(Paint::Dim, "  (--shortest finds a shortest run)"));
    }
}

/// What happened in the end, in a sentence.
fn tell_sentence(terminal: &Terminal, summary: Option<&Summary>) {
    if let Some(summary) = summary {
        terminal.detail(&terminal.paint(Paint::Strong, &summary.sentence));
    }
}

/// What the answer does not say.
fn explain(terminal: &Terminal, property: &CheckedProperty<'_>) {
    if let Some(finite) = &property.figures.finite {
        terminal.detail(&format!("asked: {}", finite.property.words()));
        if property.is_vacuous() {
            terminal.detail("no run of this model ends, so that nothing was asked about");
        }
    }
    let Some(temporal) = &property.figures.temporal else { return };
    let faults = &temporal.faults;
    if property.is_fault() {
        terminal.detail("whether the property holds is not known: --faults ignore asks for that alone");
    } else if let [first, ..] = &faults[..] {
        let more = if faults.len() > 1 { format!(" and {} more", faults.len() - 1) } else { String::new() };
        terminal.detail(&format!(
            "some runs also meet an error: {first}{more} (check without a property shows a run to it)"
        ));
    }
}

/// The automaton of a property of infinite runs, and the runs that count where these are not all.
fn tell_automaton(terminal: &Terminal, property: &CheckedProperty<'_>) {
    let Some(temporal) = &property.figures.temporal else { return };
    let Temporal { size, strength, .. } = temporal;
    let automaton = match temporal.method {
        Method::Deterministic => "deterministic automaton of the good runs".to_owned(),
        _ => format!("{} automaton of the bad runs", strength.name()),
    };
    terminal.more(&format!(
        "{automaton}: {}, {}, {}",
        render::plural(size.states as u64, "state"),
        render::plural(size.edges as u64, "edge"),
        render::plural(u64::from(size.sets), "acceptance set"),
    ));
    if terminal.verbose || !temporal.reads_all_runs() {
        terminal.detail(&format!("read on {}", temporal.reading()));
    }
}

/// What a complete search for bad runs has shown.
fn coverage_of_runs(property: &CheckedProperty<'_>) -> Option<String> {
    let temporal = property.figures.temporal.as_ref()?;
    if temporal.method == Method::Nothing {
        return Some(" (of any model: no run can be bad)".to_owned());
    }
    match property.verdict {
        Verdict::Holds(Coverage::Exhaustive) => Some(" (exhaustive)".to_owned()),
        _ => None,
    }
}

/// The statements that no run executes, as far as a complete walk can tell.
fn never_executed(terminal: &Terminal, figures: &SearchFigures<'_>) {
    const MOST: usize = 20;
    let parts = figures.dead_parts();
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

/// How much was searched.
fn counted_line(figures: &SearchFigures<'_>, seconds: f64) -> String {
    let Counters { states, states_exact, insertions, transitions, depth, replacements, .. } =
        figures.counters;
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
    let memory = (figures.counters.store_bytes + figures.counters.path_bytes) as u64;
    text += &format!(
        ", {seconds:.2} s, {} ({:.0} bytes per state)",
        render::bytes(memory),
        figures.counters.bytes_per_state()
    );
    if figures.disk.is_some() {
        text += &format!(", {} on disk", render::bytes(figures.counters.disk_bytes));
    }
    text
}

/// How it was searched. What computes transitions, and the seed where nothing was random, are for those who ask for more.
fn searched_line(figures: &SearchFigures<'_>, engine: &str, verbose: bool) -> String {
    let Plan { store, seed, .. } = figures.plan;
    let mut parts = vec![format!("{} search", figures.search_name()), format!("{} store", store.name())];
    if let Some(before) = figures.before {
        let states = render::grouped(before.states);
        parts[1] += &format!(" (the exact store had no room for more than {states} states)");
    }
    let mut threads = render::plural(figures.workers() as u64, "thread");
    if let Some(why) = figures.one_worker() {
        threads += &format!(" (because {why})");
    }
    parts.push(threads);
    if verbose {
        parts.push(format!("{engine} engine"));
    }
    if verbose || figures.is_random() {
        parts.push(format!("seed {seed}"));
    }
    parts.join(", ")
}

/// What scouts did, on a line of its own.
fn scouts(figures: &SearchFigures<'_>) -> String {
    let Some(Scouted { transitions, states, find }) = &figures.scouted else { return String::new() };
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
fn swarm(figures: &SearchFigures<'_>) -> String {
    let Some(Swarmed { searches, complete, cut, distinct, found_by, .. }) = figures.swarm else {
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

fn coverage_text(coverage: Coverage, figures: &SearchFigures<'_>) -> String {
    let states = render::plural(figures.counters.states, "pair");
    match coverage {
        Coverage::Exhaustive if figures.finite.is_some() => {
            let how = if figures.counters.states_exact { "" } else { ", with replacement" };
            format!(" ({states} of state and automaton, exhaustive{how})")
        }
        Coverage::Exhaustive if figures.counters.states_exact => {
            format!(" in any of the {} states (exhaustive)", render::grouped(figures.counters.states))
        }
        Coverage::Exhaustive => " in any state (exhaustive, with replacement)".to_owned(),
        Coverage::Lossy { expected_omissions, omission_probability } => format!(
            ", but this is not a proof: about {} states omitted by the {} store, \
             the next one with probability {omission_probability:.1e}",
            render::estimate(expected_omissions),
            figures.plan.store.name()
        ),
    }
}

fn errors(figures: &SearchFigures<'_>) -> String {
    let kinds = [
        (figures.errors.deadlocks, "deadlock"),
        (figures.errors.faults, "fault"),
        (figures.errors.forbidden, "forbidden transition"),
        (figures.errors.invariants, "property violation"),
        (figures.errors.formula, "formula violation"),
    ];
    let parts: Vec<String> =
        kinds.into_iter().filter(|(n, _)| *n > 0).map(|(n, kind)| render::plural(n, kind)).collect();
    parts.join(", ")
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

fn unknown_text(limit: Limit, figures: &SearchFigures<'_>) -> String {
    let Counters { insertions, states, states_exact, .. } = figures.counters;
    let about = if states_exact { "" } else { "about " };
    let mut seen = format!("no violation among the {about}{} seen", render::plural(states, "state"));
    if let Some(swarmed) = &figures.swarm {
        seen += &format!(", which proves nothing: {}", best_search(swarmed));
    }
    match limit {
        Limit::Memory => format!("out of memory; {seen} ({})", advice::more_room(figures)),
        Limit::Disk => {
            let disk = figures.disk.as_deref();
            format!(
                "out of disk at {}: {}; {seen} (--disk, or another --spill)",
                render::bytes(disk.map_or(0, Disk::peak)),
                disk.and_then(Disk::trouble).unwrap_or_default()
            )
        }
        // That is how a swarm ends.
        Limit::Time if figures.swarm.is_some() => seen,
        Limit::Time => format!("out of time; {seen}"),
        Limit::Depth => format!("some runs were cut at the depth limit; {seen}"),
        Limit::States => format!("the limit on states was reached; {seen}"),
        Limit::Sequence => {
            format!(
                "a step has more outcomes than were followed; {seen} (make atomic sequences shorter, or not atomic)"
            )
        }
        Limit::Witness => format!(
            "there is a violation ({} among the {about}{} seen), but the search was stopped, or ran out of memory or \
             time, before the run that shows it was known (--memory, --time)",
            errors(figures),
            render::plural(states, "state")
        ),
        Limit::Formula => format!("the formula is larger than what is translated; {seen}"),
        Limit::Interrupted => format!("interrupted; {seen}"),
        Limit::Thrashing => format!(
            "thrashing: {} insertions of about {} distinct states; {seen} (give it more --memory or --cache)",
            render::grouped(insertions),
            render::grouped(states)
        ),
    }
}

/// The violation, with its run.
fn violation(property: &CheckedProperty<'_>) -> Option<Value> {
    let shown = property.verdict.evidence()?;
    Some(violating_run(&*property.figures.system, property.summary.as_ref(), shown))
}

/// The errors that were told apart, with their runs; nothing if they were not.
fn errors_found(figures: &SearchFigures<'_>) -> Vec<Value> {
    let error = |error: &ErrorReport| {
        let run = error.shown.as_ref();
        json!({
            "kind": error.summary.kind,
            "headline": error.summary.headline,
            "place": error.place,
            "count": error.met,
            "after_fault_in_step": error.after_fault.map(|step| step + 1),
            "run": run.map(|shown| violating_run(&*figures.system, Some(&error.summary), shown)),
        })
    };
    figures.distinct.errors.iter().map(error).collect()
}

/// A run that shows a violation.
fn violating_run(system: &dyn System, summary: Option<&Summary>, shown: &ViolatingRun) -> Value {
    let ViolatingRun { violation, run, polished, .. } = shown;
    json!({
        "kind": summary.map_or(violation.name(), |summary| summary.kind),
        "text": summary.map(|summary| &summary.text),
        "headline": summary.map(|summary| &summary.headline),
        "sentence": summary.map(|summary| &summary.sentence),
        "values": summary.iter().flat_map(|summary| &summary.values).map(story::json_operand).collect::<Vec<_>>(),
        "length": run.steps.len(),
        "context_switches": polished.map(|polished| polished.after.1),
        "polished_from": polished.filter(Polished::is_changed).map(|Polished { before, .. }| json!({
            "length": before.0,
            "context_switches": before.1,
        })),
        "loop_start": shown.loop_start,
        "initial": system.show_state(&run.states[0]),
        "final": system.show_state(run.last()),
        "propositions": truths(shown),
        "steps": story::json_steps(&Story::new(system, run)),
        "waiting": match violation {
            Violation::Deadlock => story::json_waiting(&Story::new(system, run)),
            _ => Vec::new(),
        },
    })
}

/// Which propositions hold in the initial state and after each step.
fn truths(shown: &ViolatingRun) -> Vec<Value> {
    let Some(truths) = &shown.truths else { return Vec::new() };
    let holds = |bit: usize| (0..=shown.run.steps.len()).map(move |at| truths.after(at) >> bit & 1 == 1);
    let names = truths.names.iter().enumerate();
    names.map(|(bit, name)| json!({ "name": name, "holds": holds(bit).collect::<Vec<_>>() })).collect()
}

/// What was counted.
fn counted(figures: &SearchFigures<'_>) -> Value {
    let Counters { states, states_exact, insertions, generated, transitions, depth, replacements, .. } =
        figures.counters;
    json!({
        "errors": figures.errors.total(),
        "error_kinds": {
            "deadlock": figures.errors.deadlocks,
            "fault": figures.errors.faults,
            "forbidden": figures.errors.forbidden,
            "invariant": figures.errors.invariants,
            "formula": figures.errors.formula,
        },
        "errors_found": errors_found(figures),
        "more_errors": figures.distinct.more,
        "more_errors_exact": !figures.distinct.at_least,
        "states": states,
        "states_exact": states_exact,
        "transitions": transitions,
        "insertions": insertions,
        "generated": generated,
        "replacements": replacements,
        "depth": depth,
        "store_bytes": figures.counters.store_bytes,
        "path_bytes": figures.counters.path_bytes,
        "disk_bytes": figures.counters.disk_bytes,
        "exact_ran_out_at": figures.before.map(|before| before.states),
        "reach": figures.reach.as_ref().map(|tried| {
            let entry = |reach: &Reach| json!({ "store": reach.store, "times": reach.times, "at_least": reach.at_least });
            tried.iter().map(entry).collect::<Vec<_>>()
        }),
        "model_bytes": figures.system.bytes(),
        "bytes_per_state": figures.counters.bytes_per_state(),
        "coverage": coverage(figures),
        "never_executed": figures.dead_parts().iter().map(|(place, text)| json!({
            "place": place,
            "text": text,
        })).collect::<Vec<_>>(),
    })
}

/// How it was searched.
fn searched(figures: &SearchFigures<'_>) -> Value {
    json!({
        "search": figures.search_name(),
        "property": figures.temporal.as_ref().map(temporal_object),
        "threads": figures.workers(),
        "one_thread_because": figures.one_worker(),
        "store": figures.plan.store.name(),
        "reductions": used(figures),
        "seed": figures.plan.seed,
        "swarm": figures.swarm.as_ref().map(swarm_object),
        "scouts": figures.scouted.as_ref().map(scouts_object),
    })
}

/// The reductions that were used.
fn used(figures: &SearchFigures<'_>) -> Vec<&'static str> {
    figures.stages.iter().filter(|stage| stage.outcome.is_ok()).map(|stage| stage.name).collect()
}

/// What became of each reduction, under its name; null if it was not wanted.
fn stages(figures: &SearchFigures<'_>) -> impl Iterator<Item = (String, Value)> {
    elnath::REDUCTIONS.iter().map(|reduction| {
        let outcome = figures.stage(reduction.name).map(|stage| &stage.outcome);
        let value = match outcome {
            None => Value::Null,
            Some(Err(why)) => json!({ "left": why }),
            Some(Ok(did)) => {
                let figures = did.figures.iter().map(|(name, figure)| match figure {
                    Figure::Count(count) => ((*name).to_owned(), json!(count)),
                    Figure::Names(names) => ((*name).to_owned(), json!(names)),
                });
                figures.chain([("left".to_owned(), Value::Null)]).collect()
            }
        };
        (reduction.name.to_owned(), value)
    })
}

/// What a swarm did.
fn swarm_object(swarm: &Swarmed) -> Value {
    json!({
        "searches": swarm.searches,
        "complete": swarm.complete,
        "cut": swarm.cut,
        "distinct_states": swarm.distinct,
        "expected_omissions_of_the_best": match swarm.best {
            Some(Coverage::Lossy { expected_omissions, .. }) => Some(expected_omissions),
            _ => None,
        },
        "found_by": swarm.found_by.map(|member| json!({
            "seed": member.seed,
            "hashes": member.k,
            "order": member.order.name(),
            "depth": (member.depth != usize::MAX).then_some(member.depth),
        })),
    })
}

/// What scouts did.
fn scouts_object(scouted: &Scouted) -> Value {
    json!({
        "states": scouted.states,
        "transitions": scouted.transitions,
        "found": scouted.find.as_ref().map(|find| json!({
            "by": find.by.name(),
            "seed": find.seed,
            "length": find.length,
            "shortened": find.shortened,
        })),
    })
}

/// What was asked about infinite runs.
fn temporal_object(temporal: &Temporal) -> Value {
    let Temporal { property, strength, size, faults, .. } = temporal;
    json!({
        "kind": property.kind.name(),
        "name": property.name,
        "text": property.text,
        "automaton": {
            "states": size.states,
            "edges": size.edges,
            "acceptance_sets": size.sets,
            "strength": strength.name(),
        },
        "fairness": match property.question.fairness {
            Fairness::None => None,
            Fairness::Weak => Some("weak"),
            Fairness::Strong => Some("strong"),
            Fairness::Live => Some("live"),
        },
        "finite_runs": if property.question.stutter { "extend" } else { "ignore" },
        "model_faults": if property.question.faults { "check" } else { "ignore" },
        "reading": temporal.reading(),
        "faults": faults,
    })
}

fn coverage(figures: &SearchFigures<'_>) -> Value {
    let kind = match (figures.end, figures.coverage) {
        (elnath::End::Complete, Coverage::Exhaustive) => "exhaustive",
        (elnath::End::Complete, Coverage::Lossy { .. }) => "lossy",
        _ => "partial",
    };
    match figures.coverage {
        Coverage::Exhaustive => json!({ "kind": kind }),
        Coverage::Lossy { expected_omissions, omission_probability } => json!({
            "kind": kind,
            "expected_omissions": expected_omissions,
            "omission_probability": omission_probability,
        }),
    }
}

/// The answer when the model alone does not fit into the memory: nothing was searched.
pub(crate) struct TooLarge<'r> {
    pub(crate) file: &'r str,
    /// What was asked.
    pub(crate) kind: PropertyKind,
    /// How it would have been searched.
    pub(crate) plan: Plan,
    /// How much of the model was read.
    pub(crate) transitions: u64,
    /// Bytes granted.
    pub(crate) memory: u64,
    pub(crate) seconds: f64,
}

impl TooLarge<'_> {
    fn conclusion(&self) -> Conclusion {
        let granted = render::bytes(self.memory);
        let text = format!("out of memory; the model alone needs more than the {granted} granted (--memory)");
        Conclusion::new("unknown", Paint::Doubt, text)
    }

    pub(crate) fn text(&self, terminal: &Terminal) {
        terminal.say(&self.conclusion().line(terminal));
        let read = render::plural(self.transitions, "transition");
        terminal.detail(&format!("{read} read in {:.2} s", self.seconds));
    }

    pub(crate) fn json(&self) -> Value {
        let Self { plan, .. } = self;
        json::object(
            "check",
            json!({
                "model": self.file,
                "verdict": "unknown",
                "reason": "memory",
                "properties": [properties::not_asked(self.kind, &self.conclusion())],
                "violation": null,
                "errors": 0,
                "states": 0,
                "states_exact": true,
                "transitions": 0,
                "transitions_read": self.transitions,
                "insertions": 0,
                "generated": 0,
                "replacements": 0,
                "depth": 0,
                "seconds": self.seconds,
                "store_bytes": 0,
                "path_bytes": 0,
                "bytes_per_state": 0,
                "coverage": { "kind": "partial" },
                "search": plan.search.name(),
                "threads": plan.workers(),
                "store": plan.store.name(),
                "reductions": [],
                "seed": plan.seed,
            }),
        )
    }
}

/// A property for machines, with what only a check tells of it.
fn entry(property: &CheckedProperty<'_>) -> Value {
    let mut entry = properties::entry(property, &conclusion(property));
    let shared = property.figures.temporal.as_ref().map(|temporal| temporal.shared);
    entry["shared_by"] = json!(shared.filter(|&shared| shared > 0));
    entry
}

#[cfg(test)]
mod tests {
    use super::*;
    use elnath::{Check, LoadOptions, Wanted};
    use std::path::Path;

    /// What can be reached in a small model, and a formula that it violates.
    fn two_properties() -> CheckReport<'static> {
        let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/abp.pml");
        let ask = |property: Option<Wanted>| {
            let options = LoadOptions { property, ..LoadOptions::default() };
            let loaded = elnath::load(&model, &options).expect("a good model");
            Check::loaded(&loaded).threads(1).run().expect("the defaults go together")
        };
        ask(None).and(ask(Some(Wanted::Ltl("<> false".to_owned()))))
    }

    #[test]
    fn several_properties_are_told_each_and_the_worst_decides() {
        let report = two_properties();
        let answer = Checked { file: "abp.pml", engine: "jit", report: &report, seconds: 0.0 }.json();
        assert_eq!(answer["verdict"], "fails", "the worst of both");
        assert_eq!(answer["property"]["kind"], "ltl", "and what is told is about that one");
        let kinds = [0, 1].map(|at| answer["properties"][at]["kind"].as_str().unwrap_or_default());
        assert_eq!(kinds, ["safety", "ltl"]);
        let verdicts = [0, 1].map(|at| answer["properties"][at]["verdict"].as_str().unwrap_or_default());
        assert_eq!(verdicts, ["holds", "fails"]);
        let violation = &answer["properties"][1]["violation"];
        assert_eq!(
            (&violation["kind"], &violation["text"]),
            (&json!("run"), &json!("the formula is violated"))
        );
        let all = properties::in_all(&report).expect("there are several");
        assert_eq!(all.plain(), "fails: 2 properties: 1 hold, 1 fail, 0 unknown");
    }

    #[test]
    fn what_machines_get_is_what_people_read() {
        let report = two_properties();
        for property in &report.properties {
            let entry = properties::entry(property, &conclusion(property));
            let line = entry["conclusion"].as_str().unwrap_or_default();
            assert!(line.contains(&property.text), "{line}");
        }
    }
}
