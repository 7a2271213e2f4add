//! Makes the run that a walk with reductions has found as short as that of one without, within a stated effort.
//!
//! A breadth-first walk finds a shortest run of the system that it walks. If that is a reduced one, it need not be a shortest
//! run of the system as it was written: of independent steps partial order reduction takes those of one process first,
//! and sees the violation of another process later; and which process that is depends on details. So a little is
//! done afterwards, in the system as it was written:
//!
//! - a breadth-first search that goes less far than the run is long: it finds a shortest run, or shows that this is one;
//! - if that is too much, the run is [shortened](crate::shorten) by leaving out steps and by shortcuts.
//!
//! To walk without reductions from the beginning would
//! find shortest runs too (`--shortest` does), and there are many models where it would find nothing at all.

use crate::plan::breadth_first;
use crate::reachability::{Safety, Violation, hooks, violation_of};
use crate::refusal::Refusal;
use crate::scout::effort_of;
use crate::shorten::shorten;
use elnath_kernel::budget::{WATCH_INTERVAL, WATCH_WORK};
use elnath_kernel::store::Compact;
use elnath_kernel::{Budget, Counters, End, Limit, Run, System, Transition, Witness, replay};

/// The effort of the breadth-first search for runs that are short, and for others: a fifth of a second, and a fiftieth.
const SEARCHING: (u64, u64) = (2_500_000, 200_000);
/// What is a short run.
const SHORT: usize = 40;
/// The effort of shortening.
const SHORTENING: u64 = 200_000;

/// A shorter run of `system` that ends in something that must not be, if one is found: `run` is one, and the walk that found
/// it had these figures.
///
/// # Errors
/// If a run does not replay, which would be a bug of ours.
pub fn tighten(
    system: &dyn System,
    question: &Safety<'_>,
    run: &Run,
    walk: &Counters,
    budget: &mut Budget<'_>,
) -> Result<Option<(Violation, Run)>, Refusal> {
    let effort = if run.steps.len() <= SHORT { SEARCHING.0 } else { SEARCHING.1 };
    let Some(longest) = run.steps.len().checked_sub(1) else { return Ok(None) };
    let steps = match shortest_within(system, question, longest, effort, budget) {
        Searched::Found(steps) => steps,
        Searched::Everything => return Ok(None),
        Searched::Part => {
            let mut stop = || (budget.watch)(walk).is_some();
            let memory = budget.memory;
            shorten(system, hooks(system, question), run.steps.clone(), (SHORTENING, memory), &mut stop)
        }
    };
    if steps.len() >= run.steps.len() {
        return Ok(None);
    }
    let shorter = replay(system, &steps)?;
    let violation = violation_of(system, question, &shorter).ok_or(Refusal::NO_VIOLATION)?;
    Ok(Some((violation, shorter)))
}

/// How far a search came.
enum Searched {
    /// A shortest run.
    Found(Vec<Transition>),
    /// There is none that is short enough.
    Everything,
    /// Nothing was found before something ran out.
    Part,
}

/// Searches breadth first for a run of at most so many steps.
fn shortest_within(
    system: &dyn System,
    question: &Safety<'_>,
    longest: usize,
    effort: u64,
    budget: &mut Budget<'_>,
) -> Searched {
    let (mut stepper, mut root) = (system.stepper(), Vec::new());
    stepper.initial(&mut root);
    let each = effort_of(root.len());
    let (mut made, mut transitions) = (0, 0);
    // The last level that was seen to begin, what had been made then, and what the level before took.
    let (mut level, mut made_before, mut level_took) = (0, 0, 0);
    let mut watch = |counters: &Counters| {
        let new = counters.transitions - std::mem::replace(&mut transitions, counters.transitions);
        // With so few transitions since the last time it was the work that they were that brought us here.
        let least = if new < WATCH_INTERVAL { WATCH_WORK } else { 0 };
        made += least.max(new * each);
        if counters.depth > level {
            level_took = (made - made_before) / (counters.depth - level) as u64;
            (level, made_before) = (counters.depth, made);
        }
        // Levels grow, as a rule: if it will not come to an end it is better to stop soon.
        let at_least = made_before + level_took * (longest - level.min(longest)) as u64;
        (budget.watch)(counters).or((made.max(at_least) > effort).then_some(Limit::Interrupted))
    };
    let mut within =
        Budget { memory: budget.memory, depth: longest, states: u64::MAX, disk: None, watch: &mut watch };
    // Fingerprints may be confused, in one of 2^64 cases: then a run is not found, or a longer one.
    let marks = Compact::new(64);
    let (outcome, _) = breadth_first(marks, &mut *stepper, &mut hooks(system, question), &root, &mut within);
    match outcome.witness {
        Some(Witness::Run(steps)) => Searched::Found(steps),
        _ if matches!(outcome.end, End::Complete | End::Limited(Limit::Depth)) => Searched::Everything,
        _ => Searched::Part,
    }
}
