//! `elnath check`: options to a question, and the answer to its two forms ([`crate::report::check`]).

use crate::commands::{branching, explore, net_properties, temporal};
use crate::options::{self, CheckArgs, DelayMeaning, EmptyWord, EndStates, ModelArgs, SearchArgs, Which};
use crate::output::{Output, Outputs, TRAILS};
use crate::report::check::{Checked, TooLarge};
use crate::report::terminal::Terminal;
use crate::report::{progress, story};
use crate::{Exit, limits};
use clap::ValueEnum as _;
use elnath::program::Interpreter;
use elnath::source::{Code, Message, codes, nearest};
use elnath::trail::Trail;
use elnath::{
    Check, CheckReport, Counters, Coverage, Disk, FiniteProperty, Limit, LoadError, LoadOptions, Loaded,
    Manner, NoAnswer, Portfolio, Problem, PropertyKind, Reading, SearchChoice, SearchPlan, StoreChoice,
    Story, Verdict, Wanted, WantedStore, check_all, load_each, load_together,
};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(crate) fn run(args: &CheckArgs, terminal: &Terminal) -> Exit {
    if args.branching.is_wanted() {
        return branching::run(args, terminal);
    }
    // What cannot be written is told before anything is searched.
    let planned = run_files(args, terminal);
    planned
        .and_then(|_| match &args.property.properties[..] {
            [] => answered(args, terminal),
            properties => {
                let exit = net_properties::answered(args, properties, terminal)?;
                if args.then.explore {
                    explore::of_file((&args.file, &load_options(&args.model)), &args.then, terminal)?;
                }
                Ok(exit)
            }
        })
        .unwrap_or_else(|messages| terminal.bad_input(&messages, "check"))
}

/// Reads the model, asks about each property, and shows the answers; or tells what is wrong with what was given.
fn answered(args: &CheckArgs, terminal: &Terminal) -> Result<Exit, Vec<Message>> {
    let choice = chosen(&args.search)?;
    let rules = args.labels.rules()?;
    let memory = args.search.memory.unwrap_or_else(limits::default_memory);
    let memory = usize::try_from(memory).unwrap_or(usize::MAX);
    let begin = Instant::now();
    let named = temporal::wanted(&args.property).into_iter().next();
    let first = named.or_else(|| args.finite.ltlf.clone().map(Wanted::Ltlf));
    let mut options = LoadOptions {
        memory: Some(memory),
        formulas: limits::of_formulas(memory, args.search.time),
        property: first.clone(),
        engine: args.engine.into(),
        rules,
        ..load_options(&args.model)
    };
    let loaded = match elnath::load(&args.file, &options) {
        Ok(loaded) => loaded,
        Err(LoadError::Broken(messages)) => return Err(messages),
        Err(LoadError::TooLarge { transitions }) => {
            let seconds = begin.elapsed().as_secs_f64();
            return Ok(too_large(args, terminal, &choice, first.as_ref(), (memory, transitions, seconds)));
        }
    };
    terminal.warnings(&loaded.warnings);
    terminal.warnings(&loaded.forbidden_warnings(&args.forbid));
    if args.trail.is_some() {
        story::with_trails(&loaded, &args.file)?;
    }
    let demands = temporal::demands(args, &loaded, terminal)?;
    if let Some(message) = temporal::idle_options(&args.runs, &demands) {
        return Err(vec![message]);
    }
    let method = temporal::method(args, &demands).map_err(|message| vec![*message])?;
    options.input = loaded.input.clone();
    // All models are read before the first is searched: what is wrong with a property is told at once.
    let read = loaded.warnings.clone();
    let models = load_each(&args.file, loaded, &demands, &options)?;
    // What is doubtful about the model was told; what is doubtful about one of its properties was not.
    let doubts = models.iter().flat_map(|model| &model.warnings).filter(|warning| !read.contains(warning));
    terminal.warnings(&doubts.cloned().collect::<Vec<_>>());
    let begin = Instant::now();
    let deadline = args.search.swarm.or(args.search.time).and_then(|time| begin.checked_add(time));
    let demanded = first.is_none() && args.only.is_empty();
    let together = load_together(&args.file, &demands, &models, &options);
    let told = &Cell::new(false);
    let mut ask = |loaded: &Loaded, manner, questions: usize| {
        let choice = match manner {
            Manner::Chosen => {
                SearchChoice { method: method.filter(|_| loaded.property.is_some()), ..choice.clone() }
            }
            Manner::Usual => {
                SearchChoice { store: None, search: None, method: None, spill: false, ..choice.clone() }
            }
        };
        // What one question does not use, the next ones get.
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let left = left.map(|left| left / u32::try_from(questions).unwrap_or(u32::MAX));
        let phase = match (&loaded.property, &args.finite.ltlf) {
            (Some(_), _) => named_in(loaded),
            (None, Some(formula)) => formula.clone(),
            (None, None) => "safety".to_owned(),
        };
        let watch = progress::watch(&phase, memory as u64, left, terminal);
        let watch = telling_of_growth(watch, loaded.program.clone().filter(|_| !told.get()), told, terminal);
        Ok(question(args, choice, loaded, memory, terminal)?.watch(watch))
    };
    // What was chosen for one property need not serve for another that nobody named.
    let mut instead = |loaded: &Loaded, why: &Problem| {
        let may = demanded && loaded.property.is_some();
        if may {
            let text = format!("{}: {why}; the usual search is used", named_in(loaded));
            terminal.warnings(&[Message::finding(codes::USUAL_SEARCH, text, None)]);
        }
        may
    };
    let reports = check_all((&demands, &models), together.as_ref(), &mut ask, &mut instead);
    let reports = reports.map_err(|why| match why {
        NoAnswer::Messages(messages) => messages,
        NoAnswer::Problem(problem) => super::wrong(problem),
    })?;
    let seconds = begin.elapsed().as_secs_f64();
    let mut properties = reports.iter().flat_map(|report| &report.properties);
    if properties.any(|property| property.limit().is_some()) && !told.get() {
        without_bound(&models, terminal);
    }
    finish((args, &options), &models, reports, seconds, terminal)
}

/// The property of a model, for messages.
fn named_in(loaded: &Loaded) -> String {
    let property = loaded.property.as_ref();
    property
        .map_or_else(String::new, |property| property.name.clone().unwrap_or_else(|| property.text.clone()))
}

/// Writes the run to the worst violation, and shows all answers.
fn finish(
    (args, options): (&CheckArgs, &LoadOptions),
    models: &[Loaded],
    reports: Vec<CheckReport<'_>>,
    seconds: f64,
    terminal: &Terminal,
) -> Result<Exit, Vec<Message>> {
    let complete =
        reports.iter().any(|report| matches!(report.verdict(), Verdict::Holds(Coverage::Exhaustive)));
    terminal.warnings(&models[0].label_warnings(complete));
    let worse = |worst: usize, other: usize| {
        let rank = |at: usize| match reports[at].verdict() {
            Verdict::Fails(_) => 0,
            Verdict::Unknown(_) => 1,
            Verdict::Holds(_) => 2,
        };
        if rank(other) < rank(worst) { other } else { worst }
    };
    let worst = (1..reports.len()).fold(0, worse);
    write_run(args, &models[worst], &reports[worst], terminal).unwrap_or_else(|wrong| terminal.failed(wrong));
    let explorer =
        args.then.explore.then(|| explore::after_check((&args.file, options), (models, &reports), terminal));
    let report = reports.into_iter().reduce(CheckReport::and).expect("something is checked");
    show(args, models, &report, seconds, terminal);
    if let Some(explorer) = explorer {
        explore::then(&args.then, explorer?, terminal)?;
    }
    Ok(Exit::of(&report.verdict()))
}

/// What the options ask about a model.
fn question<'a>(
    args: &CheckArgs,
    choice: SearchChoice,
    loaded: &Loaded,
    memory: usize,
    terminal: &Terminal,
) -> Result<Check<'a>, Vec<Message>> {
    let wrong = |text: String| vec![Message::about_file(text)];
    let finite = finite(args, loaded, terminal)?;
    if args.end_states == EndStates::Only
        && (loaded.property.is_some() || finite.is_some() || !args.forbid.is_empty())
    {
        let text =
            "--end-states only: nothing but deadlocks is looked for, so that a property makes no sense";
        return Err(wrong(text.to_owned()));
    }
    let reductions = options::reductions(&args.reductions).map_err(wrong)?;
    let mut check = Check::loaded(loaded).choice(choice).reductions(reductions);
    if let Some(property) = &loaded.property {
        check = check.property(temporal::with_runs(property.clone(), &args.runs));
    }
    if let Some(property) = finite {
        check = check.finite(property);
    }
    check = match args.end_states {
        EndStates::Check => check,
        EndStates::Ignore => check.ignore_deadlocks(),
        EndStates::Only => check.only_deadlocks(),
    };
    if let Some(only) = temporal::only(args, loaded) {
        check = check.only(only);
    }
    if args.all_errors {
        check = check.all_errors();
    }
    for pattern in &args.forbid {
        check = check.forbid(pattern.clone());
    }
    within_limits(check, &args.search, memory)
}

/// The same within the limits of the options.
fn within_limits<'a>(
    mut check: Check<'a>,
    args: &SearchArgs,
    memory: usize,
) -> Result<Check<'a>, Vec<Message>> {
    check = if args.memory.is_some() { check.memory(memory) } else { check.free_memory(memory) };
    if let Some(directory) = &args.spill {
        let disk = Disk::new(directory, args.disk.unwrap_or(u64::MAX)).map_err(|error| {
            vec![Message::about_file(format!("--spill {}: {error}", directory.display()))]
        })?;
        check = check.spill(disk);
    }
    if let Some(depth) = args.depth {
        check = check.depth(usize::try_from(depth).unwrap_or(usize::MAX));
    }
    if let Some(states) = args.states {
        check = check.states(states);
    }
    Ok(check)
}

/// Shows the answer.
fn show(args: &CheckArgs, models: &[Loaded], report: &CheckReport<'_>, seconds: f64, terminal: &Terminal) {
    let file = args.file.display().to_string();
    let checked = Checked { file: &file, engine: models[0].engine, report, seconds };
    if terminal.json {
        report.findings.iter().cloned().for_each(|finding| terminal.found(finding));
    } else {
        checked.text(terminal);
        tell_findings(report, terminal);
    }
    if let Verdict::Unknown(_) = report.verdict() {
        given_up(models, terminal);
    }
    if terminal.json {
        terminal.object(&checked.json());
    }
}

/// What was found when the answer was known, but for what the report says already.
fn tell_findings(report: &CheckReport<'_>, terminal: &Terminal) {
    const TOLD: &[Code] = &[
        codes::LOSSY,
        codes::TREE_STORE,
        codes::NEVER_EXECUTED,
        codes::ONE_WORKER,
        codes::REDUCTION_UNUSED,
        codes::NO_RUN_ENDS,
    ];
    for finding in report.findings.iter().cloned() {
        if finding.code().is_some_and(|code| TOLD.contains(&code)) && !terminal.quiet {
            terminal.found_and_told(finding);
        } else {
            terminal.found(finding);
        }
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

/// Where the run to the violation is written to: as a trail, and as a chart.
fn run_files(args: &CheckArgs, terminal: &Terminal) -> Result<[Option<Output>; 2], Vec<Message>> {
    let inputs = [Some(&args.file), args.property.automaton.as_ref()];
    let mut outputs = Outputs::beside(inputs.into_iter().flatten(), args.force);
    let trail = args.trail.as_ref().and_then(|path| outputs.ending_in(path, "the trail", TRAILS));
    let chart = args.chart.as_ref().and_then(|path| outputs.chart(path));
    outputs.tried(terminal)?;
    Ok([trail, chart])
}

/// Writes the run to the violation where the user wants it.
fn write_run(
    args: &CheckArgs,
    loaded: &Loaded,
    report: &CheckReport<'_>,
    terminal: &Terminal,
) -> Result<(), Vec<Message>> {
    let property = report.worst();
    let [trail, chart] = run_files(args, terminal)?;
    let Some(shown) = property.verdict.evidence() else {
        for output in [trail, chart].iter().flatten() {
            let path = output.path().display();
            let so = if output.is_standard() {
                "nothing was written".to_owned()
            } else {
                format!("{path} was not written")
            };
            let text = format!("{}, so {so}", no_run(report));
            terminal.warnings(&[Message::finding(codes::NO_RUN_WRITTEN, text, None)]);
        }
        return Ok(());
    };
    if let Some(output) = trail {
        let (program, table) = story::with_trails(loaded, &args.file)?;
        let alone = shown.alone.as_ref();
        let (run, loop_start) = alone.map_or((&shown.run, None), |(alone, loop_start)| (alone, *loop_start));
        let (run, loop_start) = loaded.run_of_program(run, loop_start);
        output.text(&Trail::of_lasso(program, table, &run, loop_start).to_text())?;
    }
    if let Some(output) = chart {
        let why = property.violation_text().unwrap_or_default();
        let tale = Story::new(&*property.figures.system, &shown.run);
        story::draw(terminal, (&tale, shown.loop_start), (why, true), &output)?;
    }
    Ok(())
}

/// Why there is no run to be written.
fn no_run(report: &CheckReport<'_>) -> &'static str {
    match report.verdict() {
        Verdict::Unknown(Limit::Witness) => "the run to the violation is not known",
        _ => "no violation",
    }
}

/// What to do about channels without bound, which may be why there was no end of states.
pub(crate) fn without_bound(models: &[Loaded], terminal: &Terminal) {
    let mut programs = models.iter().filter_map(|model| model.program.as_deref());
    terminal.warnings(programs.find_map(elnath::findings::endless).as_slice());
}

/// Watches a search, and says after a second if channels without bound may keep it from ever ending.
fn telling_of_growth<'a>(
    mut watch: impl FnMut(&Counters) -> Option<Limit> + 'a,
    mut program: Option<Arc<Interpreter>>,
    told: &'a Cell<bool>,
    terminal: &'a Terminal,
) -> impl FnMut(&Counters) -> Option<Limit> + 'a {
    let begin = Instant::now();
    move |counters| {
        if program.is_some() && begin.elapsed() >= Duration::from_secs(1) {
            let message = program.take().as_deref().and_then(elnath::findings::endless);
            told.set(message.is_some());
            terminal.warnings(message.as_slice());
        }
        watch(counters)
    }
}

/// What a specification did not compute to its end.
pub(crate) fn given_up(models: &[Loaded], terminal: &Terminal) {
    let specifications = models.iter().filter_map(|model| model.lotos.as_ref());
    let texts: BTreeSet<String> = specifications.flat_map(|specification| specification.given_up()).collect();
    let finding = |text: String| Message::finding(codes::GIVEN_UP, text, None);
    terminal.warnings(&texts.into_iter().take(10).map(finding).collect::<Vec<_>>());
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
            let message = Message::finding(codes::UNMATCHED_PATTERN, text, None);
            match nearest(tau, labels()) {
                Some(near) => message.help(format!("did you mean `{near}`?")),
                None => message,
            }
        })
        .collect()
}

pub(crate) fn load_options(args: &ModelArgs) -> LoadOptions {
    let (taus, defines, capacity) = (args.tau.clone(), args.define.clone(), args.capacity);
    // What looks at few states is not worth compiling for; commands that walk choose their own engine.
    let (language, engine) = (args.language.clone(), elnath::Engine::Interpreter);
    let (ranges, aliasing, identity) = (args.range.clone(), args.aliasing, args.state_identity.into());
    let estelle = elnath::EstelleOptions {
        integers: args.int,
        stepping: if args.iso_select { elnath::Stepping::Select } else { elnath::Stepping::Atomic },
        delays: match args.delays {
            DelayMeaning::Untimed => elnath::Delays::Untimed,
            DelayMeaning::Ticks => elnath::Delays::Ticks,
        },
        capacity: args.capacity,
    };
    let defaults = LoadOptions::default();
    LoadOptions { language, taus, defines, capacity, ranges, aliasing, identity, estelle, engine, ..defaults }
}

/// The answer when not even the model fits into the memory.
pub(super) fn too_large(
    args: &CheckArgs,
    terminal: &Terminal,
    choice: &SearchChoice,
    wanted: Option<&Wanted>,
    (memory, transitions, seconds): (usize, u64, f64),
) -> Exit {
    let file = args.file.display().to_string();
    let plan = choice.plan(0, args.search.memory.is_some()).expect("it was looked at");
    let kind = wanted.map_or(PropertyKind::Safety, Wanted::kind);
    let answer = TooLarge { file: &file, kind, plan, transitions, memory: memory as u64, seconds };
    if terminal.json {
        terminal.object(&answer.json());
    } else {
        answer.text(terminal);
    }
    Exit::Unknown
}

/// What the command line chooses of how to search; or all that is wrong with it.
pub(crate) fn chosen(args: &SearchArgs) -> Result<SearchChoice, Vec<Message>> {
    let choice = SearchChoice {
        search: match args.search.as_deref() {
            Some("dfs") => Some(SearchPlan::DepthFirst),
            Some("bfs") => Some(SearchPlan::BreadthFirst),
            Some("portfolio") => Some(SearchPlan::Portfolio(Portfolio::USUAL)),
            // The searches for cycles are another matter, see `temporal`.
            _ => None,
        },
        method: None,
        shortest: args.shortest,
        store: chosen_store(args)?.map(WantedStore::Named),
        threads: args.threads.map(usize::from),
        seed: args.seed,
        swarm: args.swarm.is_some(),
        spill: args.spill.is_some(),
    };
    // Its parameters are looked at before a model is read.
    choice.plan(0, false).map_err(|text| vec![Message::about_file(text).code(codes::UNFIT_CHOICE)])?;
    Ok(choice)
}

/// The store that was chosen; or all that is wrong with its parameters: somebody expects something of them.
fn chosen_store(args: &SearchArgs) -> Result<Option<StoreChoice>, Vec<Message>> {
    let mut store = args.store.clone();
    let mut wrong = Vec::new();
    for (option, parameter, value) in parameters(args) {
        let Some(value) = value else { continue };
        if store.as_mut().is_none_or(|store| store.set(parameter, &value).is_err()) {
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
    let policy = args.replacement.and_then(|which| which.to_possible_value());
    let number = |number: Option<u64>| number.map(|number| number.to_string());
    [
        ("--cache", "cache", number(args.cache)),
        ("--replacement", "policy", policy.map(|policy| policy.get_name().to_owned())),
        ("--strata", "strata", number(args.strata.map(u64::from))),
        ("--thrashing", "thrashing", number(args.thrashing)),
        ("--hashes", "hashes", number(args.hashes.map(u64::from))),
        ("--fingerprint", "fingerprint", number(args.fingerprint.map(u64::from))),
    ]
}
