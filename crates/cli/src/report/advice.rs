//! What somebody whose search ran out of memory can try: nothing that would be refused beside the other options, and
//! nothing that is in use already.

use elnath::{
    Capability, Fairness, Method, STORES, SearchFigures, SearchPlan, StorePlan, Temporal, WantedStore,
};

/// The options that give a search more room, or need less of it.
pub(super) fn more_room(figures: &SearchFigures<'_>) -> String {
    let (stores, choice) = (smaller_stores(figures), &figures.choice);
    let mut ways = vec!["--memory".to_owned()];
    if matches!(&choice.store, Some(WantedStore::Named(store)) if store.has("cache")) {
        ways.push("--cache".to_owned());
    }
    if path_is_long(figures) {
        ways.push("--depth".to_owned());
    }
    // It is searched breadth first, with a store of its own.
    if stores.contains(&"tree") || figures.plan.store == StorePlan::Tree && figures.disk.is_none() {
        let free = !choice.has_search();
        let instead = if choice.store.is_some() { " instead of --store" } else { "" };
        ways.extend(free.then(|| format!("--spill DIR{instead}")));
    }
    if !stores.is_empty() {
        let instead = if figures.disk.is_some() { " instead of --spill" } else { "" };
        ways.push(format!("--store {}{instead}", listed(&stores, " or ")));
    }
    listed(&ways, ", or ")
}

/// The stores that need less than the one in use, and that the search can use.
fn smaller_stores(figures: &SearchFigures<'_>) -> Vec<&'static str> {
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

/// Whether it is the path of a depth-first search that has no room.
fn path_is_long(figures: &SearchFigures<'_>) -> bool {
    let keeps_all = figures.plan.store.can(Capability::Sharing);
    figures.plan.search != SearchPlan::BreadthFirst && !keeps_all
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
