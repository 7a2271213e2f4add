//! All properties of a model, one after the other, with what they can share.
//!
//! Safety is searched by itself. What that search took is known then, so that the graph for *all* properties of infinite runs is
//! recorded ([`elnath_check::temporal::together`]) only while it stays within a small multiple of it: a graph in which the propositions
//! of eight formulas are visible admits less partial order reduction than that of one or none, and may be much larger. If it is,
//! the first property that holds says how large graphs with propositions are, and there is a second attempt. What the recording does not
//! decide, for that or any other reason, is searched for by itself. So sharing changes no verdict, and costs at most what one search more would.

use crate::check::Check;
use crate::demands::Demand;
use crate::frontend::{LoadError, LoadOptions, Loaded, load};
use crate::problem::Problem;
use crate::property::{TemporalProperty, Wanted};
use crate::report::{CheckReport, PropertyKind};
use elnath_check::temporal::together::{NotRecorded, can_decide};
use elnath_kernel::{Coverage, Limit, Verdict};
use elnath_source::Message;
use std::path::Path;

/// A recording may have this many times the states that the search for one property saw.
const TIMES: u64 = 2;
/// And this many in any case.
const AT_LEAST: u64 = 10_000;

/// So many properties of infinite runs are worth a recording.
const WORTHWHILE: usize = 3;

/// Why not all properties got an answer.
#[derive(Debug)]
pub enum NoAnswer {
    /// What is wrong with the question.
    Messages(Vec<Message>),
    /// Why a search could not be made.
    Problem(Problem),
}

impl From<Problem> for NoAnswer {
    fn from(problem: Problem) -> Self {
        NoAnswer::Problem(problem)
    }
}

/// How a model is to be asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// As the user chose.
    Chosen,
    /// With the usual search and store, since those that were chosen cannot serve for this property, which is given here with the reason.
    Usual,
}

/// Makes a question of a model. The number says how many questions are left, this one included, so that the first does not use up
/// time that was granted for all.
pub type Ask<'f, 'a> = dyn FnMut(&Loaded, Manner, usize) -> Result<Check<'a>, Vec<Message>> + 'f;

/// Checks everything that the model in a file demands, with the usual search for each: what `elnath check FILE` does.
///
/// # Errors
/// What is wrong with the file, or why a search could not be made.
pub fn check_file(file: &Path, options: &LoadOptions) -> Result<CheckReport<'static>, NoAnswer> {
    let wrong = |error: LoadError| NoAnswer::Messages(error.into_messages());
    let options = LoadOptions { property: None, ..options.clone() };
    let loaded = load(file, &options).map_err(wrong)?;
    let options = LoadOptions { input: loaded.input.clone(), ..options };
    let demands = loaded.demands();
    let models = load_each(file, loaded, &demands, &options).map_err(NoAnswer::Messages)?;
    let together = load_together(file, &demands, &models, &options);
    let mut ask = |model: &Loaded, _, _| Ok(Check::loaded(model));
    let reports = check_all((&demands, &models), together.as_ref(), &mut ask, &mut |_, _| true)?;
    Ok(reports.into_iter().reduce(CheckReport::and).expect("a model demands something"))
}

/// The model with each of the properties that are demanded, of which `loaded` is the one that was read with `options.property`. What
/// is doubtful about a property is among the warnings of its model.
///
/// # Errors
/// What is wrong with a property.
pub fn load_each(
    file: &Path,
    loaded: Loaded,
    demands: &[Demand],
    options: &LoadOptions,
) -> Result<Vec<Loaded>, Vec<Message>> {
    let first = options.property.as_ref();
    let mut read = Some(loaded);
    let model = |demand: &Demand| {
        let wanted = match demand {
            Demand::Safety => None,
            Demand::Infinite(wanted) => Some(wanted),
        };
        let is_read = wanted == first || wanted.is_none() && matches!(first, Some(Wanted::Ltlf(_)));
        if let Some(model) = read.take_if(|_| is_read) {
            return Ok(model);
        }
        let options = LoadOptions { property: wanted.cloned(), ..options.clone() };
        load(file, &options).map_err(LoadError::into_messages)
    };
    demands.iter().map(model).collect()
}

/// Checks a model with each of its properties, and returns a report for each. `together` is the same model read with all the
/// properties of infinite runs at once ([`crate::LoadOptions::together`]), in their order; `ask` makes a question of a model;
/// `instead` is told when the usual search has to serve instead of the chosen one, and says whether it may.
///
/// # Errors
/// What is wrong with a question.
pub fn check_all<'a>(
    (demands, models): (&[Demand], &[Loaded]),
    together: Option<&Loaded>,
    ask: &mut Ask<'_, 'a>,
    instead: &mut dyn FnMut(&Loaded, &Problem) -> bool,
) -> Result<Vec<CheckReport<'a>>, NoAnswer> {
    let mut reports: Vec<Option<CheckReport<'a>>> = models.iter().map(|_| None).collect();
    // How many states the next recording must be allowed to have, to be worth an attempt.
    let mut worth = together.map(|_| 0);
    for (number, model) in models.iter().enumerate() {
        if reports[number].is_some() {
            continue;
        }
        let left = unanswered(&reports);
        let check = ask(model, Manner::Chosen, left).map_err(NoAnswer::Messages)?;
        let may_share = check.shares();
        let report = match check.run() {
            Err(why) if why.is_usage() && instead(model, &why) => {
                ask(model, Manner::Usual, left).map_err(NoAnswer::Messages)?.run()?
            }
            other => other?,
        };
        let figures = &report.first().figures;
        let complete = matches!(report.verdict(), Verdict::Holds(Coverage::Exhaustive));
        let states = figures.counters.states.saturating_mul(TIMES).max(AT_LEAST);
        reports[number] = Some(report);
        if let (Some(together), Some(least)) = (together, worth)
            && complete
            && may_share
            && states >= least
        {
            worth = share(models, together, states, ask, &mut reports)?.map(|_| states.saturating_mul(TIMES));
        }
    }
    let mut reports: Vec<CheckReport<'a>> = reports.into_iter().flatten().collect();
    for ((demand, model), report) in demands.iter().zip(models).zip(&mut reports) {
        // A claim that is no automaton is followed beside the program, as part of what can be reached.
        if *demand != Demand::Safety && model.property.is_none() {
            let property = &mut report.properties[0];
            property.name = Some(demand.name().to_owned());
            property.kind = PropertyKind::NeverClaim;
            property.text = "no run takes the claim to its end".to_owned();
        }
    }
    Ok(reports)
}

/// The model with all its properties of infinite runs at once, for [`check_all`]; nothing if they are too few for that to pay.
pub fn load_together(
    file: &Path,
    demands: &[Demand],
    models: &[Loaded],
    options: &LoadOptions,
) -> Option<Loaded> {
    let with_property = demands.iter().zip(models).filter(|(_, model)| model.property.is_some());
    let together: Vec<String> = with_property.map(|(demand, _)| demand.name().to_owned()).collect();
    // What is wrong with one of them was told when it was read by itself.
    let several = Some(together).filter(|names| names.len() >= WORTHWHILE);
    several.and_then(|together| load(file, &LoadOptions { property: None, together, ..options.clone() }).ok())
}

/// Decides what is left together, as far as that goes. If there were too many states, another attempt may be made with more.
fn share<'a>(
    models: &[Loaded],
    together: &Loaded,
    states: u64,
    ask: &mut Ask<'_, 'a>,
    reports: &mut [Option<CheckReport<'a>>],
) -> Result<Option<TooLarge>, NoAnswer> {
    let mut numbers = Vec::new();
    let mut properties: Vec<TemporalProperty> = Vec::new();
    let with_property = (0..models.len()).filter(|&number| models[number].property.is_some());
    for (number, property) in with_property.zip(&together.together) {
        let (None, Some(property)) = (&reports[number], property) else { continue };
        // The runs that count are those that the user chose.
        let check = ask(&models[number], Manner::Chosen, 1).map_err(NoAnswer::Messages)?;
        let Some(asked) = check.shares().then(|| check.asked_property()).flatten() else { continue };
        let mut property = property.clone();
        property.question.stutter = asked.question.stutter;
        property.question.faults = asked.question.faults;
        property.question.fairness = asked.question.fairness;
        if can_decide(&property.question) && property.name == asked.name {
            numbers.push(number);
            properties.push(property);
        }
    }
    // One alone is searched for by itself: its graph is smaller.
    if properties.len() < 2 {
        return Ok(None);
    }
    // If nothing comes of it, half of the time is left for them one by one.
    let left = 2.max(unanswered(reports) - properties.len());
    let check = ask(together, Manner::Chosen, left).map_err(NoAnswer::Messages)?;
    match check.states(states).together(properties)? {
        Ok(decided) => {
            for (number, report) in numbers.into_iter().zip(decided) {
                reports[number] = report;
            }
            Ok(None)
        }
        Err(NotRecorded::Limit(Limit::States)) => Ok(Some(TooLarge)),
        Err(_) => Ok(None),
    }
}

fn unanswered(reports: &[Option<CheckReport<'_>>]) -> usize {
    reports.iter().filter(|report| report.is_none()).count()
}

/// A graph has more states than it was allowed to.
struct TooLarge;
