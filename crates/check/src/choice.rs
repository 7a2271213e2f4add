//! What somebody chooses of how to search, and stores by their names, with parameters: `replacing:cache=500000,policy=lru`. What nobody
//! chooses has a default, and the defaults are here and nowhere else.

use crate::plan::{Plan, SearchPlan};
use crate::stores::{STORES, StoreKind, StorePlan};
use crate::temporal::Method;

/// What somebody has chosen of how to search. The rest has defaults, which [`SearchChoice::plan`] fills in.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchChoice {
    /// The order in which states are visited; by default the one that goes with the store.
    pub search: Option<SearchPlan>,
    /// How runs that violate a property of infinite runs are looked for; by default what its automaton needs.
    pub method: Option<Method>,
    /// Whether a shortest run is wanted.
    pub shortest: bool,
    /// How states are remembered; by default exactly, and if there is no room for that, as trees.
    pub store: Option<WantedStore>,
    /// How many workers a search that can use several has; by default as many as there are processors. One with the bitstate
    /// store, unless in a swarm: several share what is left of the memory for their paths, and may count a state twice.
    pub threads: Option<usize>,
    /// The seed of everything random.
    pub seed: u64,
    /// Whether many searches look for a violation.
    pub swarm: bool,
    /// Whether the search goes on on disk when the memory is used up.
    pub spill: bool,
}

/// A store that somebody wants.
#[derive(Clone, Debug, PartialEq)]
pub enum WantedStore {
    /// With all its parameters.
    Planned(StorePlan),
    /// By its name, with some parameters.
    Named(StoreChoice),
}

impl Default for SearchChoice {
    fn default() -> Self {
        Self {
            search: None,
            method: None,
            shortest: false,
            store: None,
            threads: None,
            seed: 1,
            swarm: false,
            spill: false,
        }
    }
}

impl SearchChoice {
    /// The plan of a search in this much memory, which was named or is what there is.
    ///
    /// # Errors
    /// If a parameter of the store has a value that makes no sense.
    pub fn plan(&self, memory: usize, named: bool) -> Result<Plan, String> {
        let store = match &self.store {
            // That is what goes on on disk.
            _ if self.spill => StorePlan::Tree,
            Some(WantedStore::Planned(store)) => *store,
            Some(WantedStore::Named(choice)) => choice.plan(memory, named)?,
            None if self.swarm => StoreChoice::named("bitstate").plan(memory, named)?,
            None => StorePlan::Exact,
        };
        let search = match self.search {
            _ if self.spill => SearchPlan::BreadthFirst,
            _ if self.swarm => SearchPlan::DepthFirst,
            Some(search) => search,
            None if self.shortest => SearchPlan::BreadthFirst,
            None => store.usual_search(),
        };
        let threads = match (self.threads, store) {
            (Some(threads), _) => threads,
            (None, StorePlan::Bitstate { .. }) if !self.swarm => 1,
            (None, _) => all_cores(),
        };
        Ok(Plan { search, store, threads, seed: self.seed })
    }

    /// Whether a search with the exact store that has no room for all states begins again with the tree store, which needs less:
    /// so it is where nobody chose a store.
    pub fn or_tree(&self) -> bool {
        self.store.is_none()
    }

    /// A parameter of the store has a value that somebody chose.
    pub fn has_parameters(&self) -> bool {
        matches!(&self.store, Some(WantedStore::Named(choice)) if !choice.parameters.is_empty())
    }

    /// Whether a search was chosen.
    pub fn has_search(&self) -> bool {
        self.search.is_some() || self.method.is_some()
    }
}

/// As many workers as there are processors.
pub fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// A store that somebody has chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreChoice {
    /// Which one.
    pub kind: &'static StoreKind,
    /// What was said of its parameters: each with its value.
    pub parameters: Vec<(&'static str, String)>,
}

impl StoreChoice {
    /// A store without parameters.
    ///
    /// # Panics
    /// If there is none of this name.
    pub fn named(name: &str) -> Self {
        let kind = STORES.iter().find(|kind| kind.name == name);
        Self { kind: kind.expect("a store of this name"), parameters: Vec::new() }
    }

    /// Reads `NAME` or `NAME:PARAMETER=VALUE,..`.
    ///
    /// # Errors
    /// What is wrong with it, and what would be right.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let Some(kind) = STORES.iter().find(|kind| kind.name == name) else {
            let names: Vec<&str> = STORES.iter().map(|kind| kind.name).collect();
            return Err(format!("there is no store `{name}`; the stores are {}", names.join(", ")));
        };
        let mut this = Self { kind, parameters: Vec::new() };
        for part in rest.split(',').filter(|part| !part.is_empty()) {
            let (parameter, value) = part.split_once('=').ok_or_else(|| {
                format!("`{part}` is no parameter with a value, such as {name}:{}", kind.example)
            })?;
            this.set(parameter, value)?;
        }
        this.plan(usize::MAX, false)?;
        Ok(this)
    }

    /// Gives a parameter a value, which [`Self::plan`] looks at.
    ///
    /// # Errors
    /// If the store has no such parameter.
    pub fn set(&mut self, parameter: &str, value: &str) -> Result<(), String> {
        let known = self.kind.parameters.iter().find(|known| known.name == parameter);
        let known = known.ok_or_else(|| {
            let names: Vec<&str> = self.kind.parameters.iter().map(|known| known.name).collect();
            let has = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            format!("the {} store has no parameter `{parameter}`; it has {has}", self.kind.name)
        })?;
        self.parameters.retain(|(name, _)| *name != known.name);
        self.parameters.push((known.name, value.to_owned()));
        Ok(())
    }

    /// Whether a parameter has a value.
    pub fn has(&self, parameter: &str) -> bool {
        self.value(parameter).is_some()
    }

    /// The store in this much memory, which was named or is what there is.
    ///
    /// # Errors
    /// If a parameter has a value that makes no sense.
    pub fn plan(&self, memory: usize, named: bool) -> Result<StorePlan, String> {
        (self.kind.plan)(self, memory, named)
    }

    /// What was said of a parameter.
    pub(crate) fn value(&self, parameter: &str) -> Option<&str> {
        self.parameters.iter().find(|(name, _)| *name == parameter).map(|(_, value)| value.as_str())
    }

    /// The number that a parameter has, if it has one.
    ///
    /// # Errors
    /// If it is not within the range.
    pub(crate) fn number(
        &self,
        parameter: &str,
        range: std::ops::RangeInclusive<u64>,
    ) -> Result<Option<u64>, String> {
        let Some(text) = self.value(parameter) else { return Ok(None) };
        match count(text).filter(|number| range.contains(number)) {
            Some(number) => Ok(Some(number)),
            None if *range.end() == u64::MAX => {
                Err(format!("`{parameter}={text}`: expected a whole number from {} on", range.start()))
            }
            None => Err(format!(
                "`{parameter}={text}`: expected a whole number from {} to {}",
                range.start(),
                range.end()
            )),
        }
    }
}

/// A whole number such as 500000, 500_000, 5e5 or 500k.
fn count(text: &str) -> Option<u64> {
    let plain: String = text.chars().filter(|&c| c != '_').collect();
    let (digits, unit) = match plain.char_indices().last()? {
        (at, 'k') => (&plain[..at], 1e3),
        (at, 'M') => (&plain[..at], 1e6),
        (at, 'G') => (&plain[..at], 1e9),
        _ => (&plain[..], 1.0),
    };
    if let (Ok(number), 1.0) = (digits.parse(), unit) {
        return Some(number);
    }
    let number = digits.parse::<f64>().ok()? * unit;
    ((0.0..1e18).contains(&number) && number.fract() == 0.0).then_some(number as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scout::Portfolio;
    use elnath_kernel::store::{Replacement, Replacing};

    #[test]
    fn what_nobody_chooses_has_a_default() {
        let plan = |choice: SearchChoice| choice.plan(1 << 30, false).expect("a plan");
        let usual = plan(SearchChoice::default());
        let portfolio = SearchPlan::Portfolio(Portfolio::USUAL);
        let cores = all_cores();
        assert_eq!(usual, Plan { search: portfolio, store: StorePlan::Exact, threads: cores, seed: 1 });
        let bitstate = || Some(WantedStore::Named(StoreChoice::named("bitstate")));
        let alone = plan(SearchChoice { store: bitstate(), ..SearchChoice::default() });
        assert_eq!((alone.search, alone.threads), (SearchPlan::DepthFirst, 1));
        let swarm = plan(SearchChoice { swarm: true, ..SearchChoice::default() });
        assert_eq!((swarm.store.name(), swarm.threads), ("bitstate", cores));
        let spill = plan(SearchChoice { spill: true, ..SearchChoice::default() });
        assert_eq!((spill.store, spill.search), (StorePlan::Tree, SearchPlan::BreadthFirst));
        let shortest = plan(SearchChoice { shortest: true, ..SearchChoice::default() });
        assert_eq!(shortest.search, SearchPlan::BreadthFirst);
    }

    #[test]
    fn stores_are_read_with_their_parameters() {
        let plan = |text: &str| StoreChoice::parse(text).and_then(|choice| choice.plan(1 << 20, true));
        assert_eq!(plan("exact"), Ok(StorePlan::Exact));
        let (replacement, thrashing) = (Replacement::LeastRecentlyUsed, Replacing::THRASHING);
        let replacing = StorePlan::Replacing { replacement, most: 500_000, thrashing };
        assert_eq!(plan("replacing:cache=500k,policy=lru"), Ok(replacing));
        assert_eq!(plan("bitstate:hashes=2"), Ok(StorePlan::Bitstate { bytes: 3 << 18, k: 2 }));
        assert_eq!(plan("compact:fingerprint=48"), Ok(StorePlan::Compact { bits: 48 }));
        for (wrong, why) in [
            ("fast", "there is no store `fast`"),
            ("exact:cache=3", "has no parameter `cache`; it has none"),
            ("replacing:hashes=3", "it has cache, policy, strata, thrashing"),
            ("replacing:cache", "such as replacing:cache=500k,policy=lru"),
            ("replacing:cache=few", "expected a whole number from 1 on"),
            ("replacing:policy=fifo", "there are random, lru and stratified"),
            ("replacing:strata=4", "only with policy=stratified"),
            ("compact:fingerprint=8", "from 40 to 64"),
        ] {
            assert!(plan(wrong).is_err_and(|text| text.contains(why)), "{wrong}: {:?}", plan(wrong));
        }
    }
}
