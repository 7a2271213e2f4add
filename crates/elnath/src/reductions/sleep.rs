//! Sleep sets: see [`elnath_kernel::search::sleeping`]. They save second arrivals, not states, and cost more than they save where
//! nothing is forgotten.

use super::{Did, Figure, Reduction, Stage, Walked};
use crate::asked::{About, Asked, Sound};
use crate::words::{grouped, plural};
use elnath_check::{Capability, Plan, SearchPlan};
use elnath_kernel::Counters;

pub(super) const SLEEP: Reduction = Reduction {
    name: "sleep",
    title: "sleep sets",
    meaning: "skips steps whose effect was seen in another order; for stores that forget",
    usual: false,
    insists: false,
    sound,
    stage: Stage::Search(choose, did),
};

fn sound(asked: &Asked<'_>) -> Sound {
    match asked.about {
        About::FiniteRuns => Err("the formula is about finite runs"),
        About::InfiniteRuns(_) => Err("they keep states, not the order in which things happen"),
        About::Reachability { .. } if asked.swarm => Err("a swarm has many searches"),
        About::Reachability { .. } => Ok(()),
    }
}

fn choose(walked: &Walked<'_>, plan: &Plan) -> Result<SearchPlan, &'static str> {
    if walked.exchanges {
        return Err("with symmetry a process has another number in the next state");
    }
    if plan.search != SearchPlan::DepthFirst || !plan.store.can(Capability::SleepSets) {
        return Err("they are for depth-first search with the exact or the replacing store");
    }
    let (mut stepper, mut state, mut enabled) = (walked.system.stepper(), Vec::new(), Vec::new());
    stepper.initial(&mut state);
    stepper.enabled(&state, &mut enabled);
    if enabled.iter().any(|&t| stepper.mover(t).is_none()) {
        return Err("the system is not made of processes");
    }
    Ok(SearchPlan::Sleeping)
}

/// What they did, which the search has counted.
fn did(counters: &Counters) -> Did {
    let Counters { asleep, transitions, .. } = *counters;
    let words = format!(": {} of {} not followed", grouped(asleep), plural(transitions, "transition"));
    Did { figures: vec![("asleep", Figure::Count(asleep))], words: Some(words) }
}
