//! The few ways in which verdicts with reductions are compared with verdicts without them; `ways` has all of them.

use elnath::{Check, CheckReport, Loaded, Method, Problem, Reductions, SearchPlan, StorePlan, Verdict};

/// More states are not looked at.
pub(super) const MOST: u64 = 5000;

/// One way of asking.
#[derive(Clone, Copy, Debug)]
pub(super) enum Asking {
    Reach(SearchPlan, StorePlan, usize),
    Cycles(Option<Method>),
}

/// What can be reached.
pub(super) const REACH: [Asking; 4] = [
    Asking::Reach(SearchPlan::BreadthFirst, StorePlan::Exact, 1),
    Asking::Reach(SearchPlan::BreadthFirst, StorePlan::Exact, 2),
    Asking::Reach(SearchPlan::DepthFirst, StorePlan::Exact, 1),
    Asking::Reach(SearchPlan::BreadthFirst, StorePlan::Tree, 1),
];

pub(super) fn ask(
    loaded: &Loaded,
    way: Asking,
    reductions: Reductions,
) -> Result<CheckReport<'static>, Problem> {
    let check = Check::loaded(loaded).states(MOST).reductions(reductions);
    let check = match way {
        Asking::Reach(search, store, threads) => {
            check.reachability().store(store).search(search).threads(threads)
        }
        Asking::Cycles(method) => {
            let check = check.property(loaded.property.clone().expect("a property"));
            match method {
                Some(method) => check.method(method),
                None => check,
            }
        }
    };
    check.run()
}

/// The verdict, if there is one.
pub(super) fn holds(report: &CheckReport<'_>) -> Option<bool> {
    match report.verdict() {
        Verdict::Holds(_) => Some(true),
        Verdict::Fails(_) => Some(false),
        Verdict::Unknown(_) => None,
    }
}
