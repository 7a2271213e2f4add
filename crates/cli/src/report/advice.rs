//! What somebody whose search ran out of memory can try: nothing that would be refused beside the other options, and
//! nothing that is in use already.

use elnath::{Capability, Reach, SearchFigures, SearchPlan, StorePlan, WantedStore, smaller_stores};

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
    let instead = if figures.disk.is_some() { " instead of --spill" } else { "" };
    let Some(tried) = &figures.reach else {
        ways.extend((!stores.is_empty()).then(|| format!("--store {}{instead}", listed(&stores, " or "))));
        return listed(&ways, ", or ");
    };
    let ways = listed(&ways, ", or ");
    if tried.is_empty() {
        return ways;
    }
    let reached: Vec<String> = tried.iter().map(reached).collect();
    format!("{ways}; in a trial on a smaller scale, {}", reached.join(", "))
}

/// A store, and how far it reached in a trial.
fn reached(Reach { store, times, at_least }: &Reach) -> String {
    let more = if *at_least { "at least " } else { "" };
    format!("--store {store} reached {more}{times:.1} times as many states")
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
