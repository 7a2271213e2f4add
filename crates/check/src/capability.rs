//! What stores can do and what searches need of them. A search may use every store that can do all it needs, and a refusal names what
//! is missing; so one more store or search is a row here, and no list of combinations has to be gone over.

use crate::plan::SearchPlan;
use crate::stores::{STORES, StoreKind};
use crate::temporal::Method;
use std::fmt;

/// Something that a store can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capability {
    /// It knows which states are on the path of a depth-first search.
    Path,
    /// It never forgets a state that was visited.
    Retention,
    /// Many workers fill it at once, breadth first.
    Sharing,
    /// It marks states for two searches, apart.
    TwoMarks,
    /// It keeps a sleep set with each state.
    SleepSets,
    /// It numbers states, for good.
    Numbers,
    /// It goes on on disk.
    Disk,
}

impl Capability {
    /// In words that follow "it does not".
    pub fn words(self) -> &'static str {
        match self {
            Capability::Path => "know which states are on the path",
            Capability::Retention => "keep every state that it has seen",
            Capability::Sharing => "let many workers fill it",
            Capability::TwoMarks => "mark states for two searches",
            Capability::SleepSets => "keep a sleep set with each state",
            Capability::Numbers => "number every state",
            Capability::Disk => "go on on disk",
        }
    }
}

/// A kind of search.
#[derive(Debug, PartialEq, Eq)]
pub struct SearchKind {
    /// The name used in reports and on the command line.
    pub name: &'static str,
    /// What it does, on one line.
    pub meaning: &'static str,
    /// What it needs of a store.
    pub needs: &'static [Capability],
    /// Whether it looks for cycles, which only a property of infinite runs forbids.
    pub for_cycles: bool,
}

/// All searches that can be asked for by name: first those for states, then those for cycles.
pub const SEARCHES: &[SearchKind] =
    &[DFS, BFS, PORTFOLIO, WEAK, ALGORITHM_A, ALGORITHM_B, SE05, CNDFS, SCC, UFSCC, DETERMINISTIC];

const DFS: SearchKind = SearchKind {
    name: "dfs",
    meaning: "Depth first, with replacement if the store forgets",
    needs: &[Capability::Path],
    for_cycles: false,
};
/// Depth first with sleep sets, which is a reduction and not asked for as a search.
const SLEEPING: SearchKind = SearchKind {
    name: "dfs",
    meaning: "Depth first, with sleep sets",
    needs: &[Capability::Path, Capability::SleepSets],
    for_cycles: false,
};
const BFS: SearchKind = SearchKind {
    name: "bfs",
    meaning: "Breadth first: shortest counterexamples; on all processors with the exact store",
    needs: &[Capability::Retention],
    for_cycles: false,
};
const PORTFOLIO: SearchKind = SearchKind {
    name: "portfolio",
    meaning: "Breadth first, with scouts that search deep when it takes long: the exact and the tree store, on all processors",
    needs: &[Capability::Retention, Capability::Sharing],
    for_cycles: false,
};
const WEAK: SearchKind = SearchKind {
    name: "weak",
    meaning: "Infinite runs: depth first with a test for cycles on the path; for weak automata, any store that knows its path, on all processors with the exact one",
    needs: &[Capability::Path],
    for_cycles: true,
};
const ALGORITHM_A: SearchKind = SearchKind {
    name: "algorithm-a",
    meaning: "Infinite runs: two searches one after the other (1992, Algorithm A)",
    needs: &[Capability::Path],
    for_cycles: true,
};
const ALGORITHM_B: SearchKind = SearchKind {
    name: "algorithm-b",
    meaning: "Infinite runs: nested depth-first search (1992, Algorithm B); also with the replacing store",
    needs: &[Capability::Path, Capability::TwoMarks],
    for_cycles: true,
};
const SE05: SearchKind = SearchKind {
    name: "se05",
    meaning: "Infinite runs: nested depth-first search with colours (Schwoon and Esparza), on one processor",
    needs: &[Capability::Path, Capability::TwoMarks, Capability::Retention],
    for_cycles: true,
};
const CNDFS: SearchKind = SearchKind {
    name: "cndfs",
    meaning: "Infinite runs: nested depth-first search on all processors (Evangelista and others)",
    needs: &[Capability::Sharing, Capability::Path],
    for_cycles: true,
};
const SCC: SearchKind = SearchKind {
    name: "scc",
    meaning: "Infinite runs: by strongly connected components; several acceptance sets, fairness",
    needs: &[Capability::Numbers],
    for_cycles: true,
};
const UFSCC: SearchKind = SearchKind {
    name: "ufscc",
    meaning: "Infinite runs: the same on all processors (Bloemen and others); no strong fairness",
    needs: &[Capability::Numbers, Capability::Sharing],
    for_cycles: true,
};
const DETERMINISTIC: SearchKind = SearchKind {
    name: "deterministic",
    meaning: "Infinite runs: partial searches from the good states of a deterministic automaton (1993); also with the replacing store",
    needs: &[Capability::Path],
    for_cycles: true,
};
/// For a shortest lasso, which `--shortest` asks for.
const SHORTEST: SearchKind = SearchKind {
    name: "shortest",
    meaning: "Breadth first from every accepting state: a shortest lasso",
    needs: &[Capability::Numbers],
    for_cycles: true,
};
/// Where no run is bad.
const NOTHING: SearchKind =
    SearchKind { name: "none", meaning: "There is nothing to look for", needs: &[], for_cycles: true };

impl SearchKind {
    /// Whether it may use a store.
    ///
    /// # Errors
    /// The first thing that it needs and the store cannot do.
    pub fn may_use(&'static self, store: &'static StoreKind) -> Result<(), Missing> {
        match self.needs.iter().find(|&&what| !store.can(what)) {
            None => Ok(()),
            Some(&what) => Err(Missing { search: self, store, what }),
        }
    }
}

/// What a search needs and a store cannot do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The search.
    pub search: &'static SearchKind,
    /// The store.
    pub store: &'static StoreKind,
    /// What is missing.
    pub what: Capability,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { search, store, what } = self;
        let stores = STORES.iter().filter(|store| search.may_use_all(store)).map(|store| store.name);
        let others = SEARCHES.iter().filter(|other| other.for_cycles == search.for_cycles);
        let others = others.filter(|other| other.may_use_all(store)).map(|other| other.name);
        write!(
            f,
            "the search {} cannot use the {} store, which does not {}: it needs --store {}",
            search.name,
            store.name,
            what.words(),
            listed(stores)
        )?;
        let others = listed(others);
        if others.is_empty() {
            Ok(())
        } else {
            write!(f, " (--search {others} can use the {} store)", store.name)
        }
    }
}

/// "a, b or c".
fn listed(names: impl Iterator<Item = &'static str>) -> String {
    let mut names: Vec<&str> = names.collect();
    let last = names.pop().unwrap_or_default();
    if names.is_empty() { last.to_owned() } else { format!("{} or {last}", names.join(", ")) }
}

impl SearchKind {
    fn may_use_all(&self, store: &StoreKind) -> bool {
        self.needs.iter().all(|&what| store.can(what))
    }
}

impl SearchPlan {
    /// What kind of search it is.
    pub fn kind(self) -> &'static SearchKind {
        match self {
            SearchPlan::DepthFirst => &DFS,
            SearchPlan::Sleeping => &SLEEPING,
            SearchPlan::BreadthFirst => &BFS,
            SearchPlan::Portfolio(_) => &PORTFOLIO,
        }
    }

    /// The name used in reports and on the command line.
    pub fn name(self) -> &'static str {
        self.kind().name
    }
}

impl Method {
    /// What kind of search it is.
    pub fn kind(self) -> &'static SearchKind {
        match self {
            Method::Nothing => &NOTHING,
            Method::Reachability(order) => order.kind(),
            Method::Weak => &WEAK,
            Method::AlgorithmA => &ALGORITHM_A,
            Method::AlgorithmB => &ALGORITHM_B,
            Method::Se05 => &SE05,
            Method::Cndfs => &CNDFS,
            Method::Scc => &SCC,
            Method::Ufscc => &UFSCC,
            Method::Deterministic => &DETERMINISTIC,
            Method::Shortest => &SHORTEST,
        }
    }

    /// The name used in reports and on the command line.
    pub fn name(self) -> &'static str {
        self.kind().name
    }

    /// A search for cycles, by its name.
    pub fn named(name: &str) -> Option<Self> {
        let all = [
            Method::Weak,
            Method::AlgorithmA,
            Method::AlgorithmB,
            Method::Se05,
            Method::Cndfs,
            Method::Scc,
            Method::Ufscc,
            Method::Deterministic,
        ];
        all.into_iter().find(|method| method.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a refusal advises is possible, and every search has a store.
    #[test]
    fn every_search_has_a_store_and_every_refusal_a_way_out() {
        let mut refused = 0;
        for search in SEARCHES.iter().chain([&SLEEPING, &SHORTEST]) {
            assert!(STORES.iter().any(|store| search.may_use_all(store)), "{}", search.name);
            for store in STORES {
                if let Err(missing) = search.may_use(store) {
                    refused += 1;
                    assert!(!missing.to_string().ends_with("--store "), "{missing}");
                }
            }
        }
        assert!(refused > 10);
    }
}
