//! Which store would reach further in the memory that was not enough: found out by trying, on a smaller scale.
//!
//! How many states fit depends on the model: a lossy store needs a few bytes for each, but is searched depth first, and its path may be
//! as long as there are states; the path of another model has a hundred. So the search that ran out after `s` states in `m` bytes is made
//! again with each store that could serve, with a part of `m`, and what counts is whether it reaches more than that part of `s`. What
//! is tried is limited in states and transitions, so that advice takes a moment and is the same every time.

use crate::driver::Limits;
use crate::report::{CheckReport, SearchFigures, Temporal};
use elnath_check::temporal::{Fairness, Method};
use elnath_check::{STORES, SearchChoice, SearchPlan, StoreChoice, WantedStore};
use elnath_kernel::{Counters, Limit};

/// A trial is about this many states, or as many as the search reached.
const STATES: u64 = 200_000;
/// It goes on to this many times the states that the store in use would reach.
const TIMES: u64 = 4;
/// A store that forgets may visit states again and again: not more often than this.
const VISITS: u64 = 30;
/// What reaches less than this many times as far is not worth a new search.
const WORTH: f64 = 1.5;

/// How far a store reached in a trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// The store.
    pub store: &'static str,
    /// How many times the states that the store in use would have reached.
    pub times: f64,
    /// Whether the trial was over before the memory was.
    pub at_least: bool,
}

/// Tries the stores that could serve instead of the one whose search ran out of memory. `ask` makes the same search with another choice.
/// Those that are worth a new search are returned, the one that reaches furthest first.
pub(crate) fn reach<'a>(
    figures: &SearchFigures<'a>,
    limits: &mut Limits<'a>,
    ask: &mut dyn FnMut(SearchChoice, &mut Limits<'_>) -> Option<CheckReport<'a>>,
) -> Vec<Reach> {
    let (states, model) = (figures.counters.states.max(1), figures.system.bytes());
    let scaled = states.min(STATES);
    let granted = limits.memory.saturating_sub(model);
    let part = (granted as u128 * u128::from(scaled) / u128::from(states)) as usize;
    let mut trial = |store: &'static str| {
        let named = WantedStore::Named(StoreChoice::named(store));
        let choice = SearchChoice { store: Some(named), threads: Some(1), ..figures.choice.clone() };
        let most = scaled.saturating_mul(TIMES);
        let enough = most.saturating_mul(VISITS);
        let watch = &mut limits.watch;
        let mut limits = Limits {
            memory: model.saturating_add(part),
            memory_named: true,
            states: most,
            disk: None,
            depth: limits.depth,
            watch: Box::new(|counters: &Counters| {
                watch(counters).or((counters.transitions > enough).then_some(Limit::Time))
            }),
        };
        let report = ask(choice, &mut limits)?;
        let reached = report.first().figures.counters.states;
        let at_least = report.first().limit() != Some(Limit::Memory);
        Some(Reach { store, times: reached as f64 / scaled as f64, at_least })
    };
    let tried = smaller_stores(figures).into_iter().filter_map(&mut trial);
    let mut found: Vec<Reach> = tried.filter(|reach| reach.times >= WORTH).collect();
    found.sort_by(|a, b| b.times.total_cmp(&a.times));
    found
}

/// The stores that need less than the one in use, and that the search can use.
pub fn smaller_stores(figures: &SearchFigures<'_>) -> Vec<&'static str> {
    let choice = &figures.choice;
    if choice.has_parameters() {
        // With another store these options would be refused.
        return Vec::new();
    }
    let breadth_first = choice.shortest || choice.search == Some(SearchPlan::BreadthFirst);
    let (tree, replacing, lossy) = match &figures.temporal {
        None => (!choice.has_search(), !breadth_first, true),
        Some(Temporal { method: Method::Reachability(_), .. }) => {
            (!choice.has_search(), !breadth_first, true)
        }
        Some(Temporal { property, method, .. }) => {
            // Another store takes another search, unless the question or the user wants this one.
            let fixed =
                property.question.fairness != Fairness::None || choice.shortest || choice.has_search();
            let needs_exact =
                fixed && matches!(method, Method::Scc | Method::Ufscc | Method::Cndfs | Method::Shortest);
            let se05 = choice.method == Some(Method::Se05);
            (false, !needs_exact && !se05, !needs_exact)
        }
    };
    // From the one that keeps most.
    let store = figures.plan.store.name();
    if store == "replacing" {
        // Its path does not fit, so that of another depth-first search does not either.
        return if tree { vec!["tree"] } else { Vec::new() };
    }
    let rank = STORES.iter().position(|kind| kind.name == store).unwrap_or(0);
    let all = [("tree", tree), ("replacing", replacing), ("compact", lossy), ("bitstate", lossy)];
    all.into_iter().skip(rank).filter(|&(_, possible)| possible).map(|(name, _)| name).collect()
}
