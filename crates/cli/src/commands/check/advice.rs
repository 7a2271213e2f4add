//! What somebody whose search ran out of memory can try: nothing that would be refused beside the other options, and
//! nothing that is in use already.

use super::{chosen_store, has_parameters};
use crate::options::{CheckArgs, SearchArgs};
use elnath::{Fairness, Method, Report, SearchPlan, StorePlan, Temporal};

/// The options that give a search more room, or need less of it.
pub(super) fn more_room(args: &CheckArgs, report: &Report<'_>) -> String {
    let stores = smaller_stores(&args.search, report);
    let mut ways = vec!["--memory".to_owned()];
    if chosen_store(&args.search).is_ok_and(|store| store.has("cache")) {
        ways.push("--cache".to_owned());
    }
    if path_is_long(report) {
        ways.push("--depth".to_owned());
    }
    // It is searched breadth first, with a store of its own.
    if stores.contains(&"tree") || report.plan.store == StorePlan::Tree && report.disk.is_none() {
        let free = args.search.search.is_none();
        let instead = if args.search.store.is_some() { " instead of --store" } else { "" };
        ways.extend(free.then(|| format!("--spill DIR{instead}")));
    }
    if !stores.is_empty() {
        let instead = if report.disk.is_some() { " instead of --spill" } else { "" };
        ways.push(format!("--store {}{instead}", listed(&stores, " or ")));
    }
    listed(&ways, ", or ")
}

/// The stores that need less than the one in use, and that the search can use.
fn smaller_stores(args: &SearchArgs, report: &Report<'_>) -> Vec<&'static str> {
    if has_parameters(args) {
        // With another store these options would be refused.
        return Vec::new();
    }
    let breadth_first = args.shortest || args.search.as_deref() == Some("bfs");
    let (tree, replacing, lossy) = match &report.temporal {
        None => (args.search.is_none(), !breadth_first, true),
        Some(Temporal { method: Method::Reachability(_), .. }) => {
            (args.search.is_none(), !breadth_first, true)
        }
        Some(Temporal { property, method, .. }) => {
            // Another store takes another search, unless the question or the user wants this one.
            let fixed =
                property.question.fairness != Fairness::None || args.shortest || args.search.is_some();
            let needs_exact =
                fixed && matches!(method, Method::Scc | Method::Ufscc | Method::Cndfs | Method::Shortest);
            let se05 = args.search.as_deref() == Some("se05");
            (false, !needs_exact && !se05, !needs_exact)
        }
    };
    // From the one that keeps most.
    let rank = match report.plan.store {
        StorePlan::Exact => 0,
        StorePlan::Tree => 1,
        // Its path does not fit, so that of another depth-first search does not either.
        StorePlan::Replacing { .. } => return if tree { vec!["tree"] } else { Vec::new() },
        StorePlan::Compact { .. } => 3,
        StorePlan::Bitstate { .. } => 4,
    };
    let all = [("tree", tree), ("replacing", replacing), ("compact", lossy), ("bitstate", lossy)];
    all.into_iter().skip(rank).filter(|&(_, possible)| possible).map(|(name, _)| name).collect()
}

/// Whether it is the path of a depth-first search that has no room.
fn path_is_long(report: &Report<'_>) -> bool {
    let keeps_all = matches!(report.plan.store, StorePlan::Exact | StorePlan::Tree);
    report.plan.search != SearchPlan::BreadthFirst && !keeps_all
}

/// All of them, with commas, and a word before the last.
fn listed<S: AsRef<str>>(words: &[S], or: &str) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match &words[..] {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [others @ .., last] => format!("{}{or}{last}", others.join(", ")),
    }
}
