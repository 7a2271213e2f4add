//! All ways of asking a question, and all combinations of reductions, taken in turn.
//!
//! There are 64 combinations and more than thirty ways; a question is asked in a few of the pairs, and the next question
//! in the next ones, so that over many models every pair is tried. The numbers of ways are odd, hence have no factor in common
//! with the 64, and a counter taken modulo both goes through all pairs.

use crate::trial::Counts;
use elnath::logic::parse::Dialect;
use elnath::{
    Check, CheckReport, Fairness, FiniteProperty, Loaded, Method, Portfolio, Problem, Reading, Reductions,
    Replacement, SearchPlan, StorePlan, TemporalProperty, Verdict, replay,
};
use std::collections::{BTreeMap, BTreeSet};

/// What is asked of a model.
pub(crate) enum Asked {
    /// Deadlocks and faults.
    Reachable,
    /// Nothing but deadlocks.
    OnlyDeadlocks,
    /// A property of infinite runs.
    Infinite(Box<TemporalProperty>),
    /// A formula about finite runs, with the propositions of the model.
    Finite(&'static str, Reading),
}

/// A way of asking.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Way {
    how: How,
    store: StorePlan,
    threads: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum How {
    Search(SearchPlan),
    /// A shortest run is wanted.
    Shortest,
    /// All errors are to be counted.
    All,
    /// However the property wants to be looked for.
    Any,
    Method(Method),
}

/// The question is asked like this first, without reductions.
const FIRST: Way = Way { how: How::Any, store: StorePlan::Exact, threads: 1 };

/// A store with room for one in so many of all states, and for a few hundred in any case: see [`Way::with_room`].
const fn replacing(replacement: Replacement, share: usize) -> StorePlan {
    StorePlan::Replacing { replacement, most: share, thrashing: 1000 }
}

const BITS: StorePlan = StorePlan::Bitstate { bytes: 1 << 20, k: 3 };
const COMPACT: StorePlan = StorePlan::Compact { bits: 64 };
const FORGETFUL: StorePlan = replacing(Replacement::Random, 3);
const LEAST: StorePlan = replacing(Replacement::LeastRecentlyUsed, 2);
const STRATIFIED: StorePlan = replacing(Replacement::Stratified { period: 2 }, 4);

const fn search(search: SearchPlan, store: StorePlan, threads: usize) -> Way {
    Way { how: How::Search(search), store, threads }
}

const fn method(method: Method, store: StorePlan, threads: usize) -> Way {
    Way { how: How::Method(method), store, threads }
}

impl Way {
    /// The same for a system with so many states.
    fn with_room(mut self, states: u64) -> Self {
        if let StorePlan::Replacing { most, .. } = &mut self.store {
            *most = (states as usize / *most).max(200);
        }
        self
    }
}

/// Scouts set out before the walk, and what they find is told.
const SCOUTS_FIRST: Portfolio = Portfolio { alone: 0, per_mille: 500, patience: 0, shortening: 10_000 };

/// For what can be reached. Sleep sets are for the depth-first ones with the exact store and those that forget.
const REACH: [Way; 19] = [
    search(SearchPlan::BreadthFirst, StorePlan::Exact, 1),
    search(SearchPlan::BreadthFirst, StorePlan::Exact, 2),
    search(SearchPlan::DepthFirst, StorePlan::Exact, 1),
    search(SearchPlan::BreadthFirst, StorePlan::Tree, 1),
    search(SearchPlan::DepthFirst, FORGETFUL, 1),
    search(SearchPlan::BreadthFirst, StorePlan::Tree, 2),
    search(SearchPlan::DepthFirst, COMPACT, 1),
    search(SearchPlan::DepthFirst, StorePlan::Exact, 2),
    search(SearchPlan::BreadthFirst, COMPACT, 1),
    search(SearchPlan::DepthFirst, LEAST, 1),
    search(SearchPlan::DepthFirst, BITS, 1),
    search(SearchPlan::DepthFirst, BITS, 2),
    search(SearchPlan::BreadthFirst, BITS, 1),
    search(SearchPlan::DepthFirst, STRATIFIED, 2),
    Way { how: How::Shortest, store: StorePlan::Exact, threads: 2 },
    Way { how: How::All, store: StorePlan::Exact, threads: 2 },
    Way { how: How::All, store: FORGETFUL, threads: 1 },
    search(SearchPlan::Portfolio(SCOUTS_FIRST), StorePlan::Exact, 1),
    search(SearchPlan::Portfolio(SCOUTS_FIRST), StorePlan::Tree, 2),
];

/// For infinite runs. Those that cannot answer a question say so.
const CYCLES: [Way; 25] = [
    Way { how: How::Any, store: StorePlan::Exact, threads: 1 },
    Way { how: How::Any, store: StorePlan::Exact, threads: 2 },
    Way { how: How::Any, store: StorePlan::Tree, threads: 2 },
    Way { how: How::Any, store: COMPACT, threads: 1 },
    Way { how: How::Any, store: BITS, threads: 1 },
    Way { how: How::Any, store: FORGETFUL, threads: 1 },
    Way { how: How::Shortest, store: StorePlan::Exact, threads: 1 },
    method(Method::Scc, StorePlan::Exact, 1),
    method(Method::Scc, StorePlan::Exact, 2),
    method(Method::Ufscc, StorePlan::Exact, 1),
    method(Method::Ufscc, StorePlan::Exact, 2),
    method(Method::Cndfs, StorePlan::Exact, 1),
    method(Method::Cndfs, StorePlan::Exact, 2),
    method(Method::Se05, StorePlan::Exact, 1),
    method(Method::Se05, COMPACT, 1),
    method(Method::AlgorithmA, StorePlan::Exact, 1),
    method(Method::AlgorithmA, BITS, 1),
    method(Method::AlgorithmB, StorePlan::Exact, 1),
    method(Method::AlgorithmB, COMPACT, 1),
    method(Method::AlgorithmB, FORGETFUL, 1),
    method(Method::Weak, StorePlan::Exact, 1),
    method(Method::Weak, StorePlan::Exact, 2),
    method(Method::Deterministic, StorePlan::Exact, 1),
    method(Method::Reachability(SearchPlan::BreadthFirst), StorePlan::Exact, 2),
    method(Method::Reachability(SearchPlan::DepthFirst), LEAST, 1),
];

/// The reductions, in the order of the figures.
const NAMES: [&str; 6] = ["por", "merge", "dead", "symmetry", "sleep", "slice"];

/// A combination of reductions, by its number below 64.
fn combination(number: u64) -> Reductions {
    let on = (0..NAMES.len()).filter(|bit| number >> bit & 1 != 0);
    on.fold(Reductions::NONE, |some, bit| some.with(NAMES[bit]))
}

fn words(reductions: Reductions) -> String {
    let on: Vec<&str> = NAMES.into_iter().filter(|name| reductions.has(name)).collect();
    if on.is_empty() { "none".to_owned() } else { on.join(",") }
}

/// What was asked and answered.
#[derive(Default)]
pub(crate) struct Agreement {
    /// Questions with an answer, and those that hold.
    pub(crate) questions: u64,
    pub(crate) hold: u64,
    /// Questions with too many states.
    pub(crate) too_large: u64,
    /// Answers compared with the first one.
    pub(crate) answers: u64,
    /// Those in which a reduction was at work: por, merge, dead, symmetry, sleep, slice.
    pub(crate) at_work: [u64; 6],
    /// Where processes can be told apart.
    pub(crate) asymmetric: u64,
    /// A search that cannot answer such a question.
    pub(crate) unfit: u64,
    /// No answer within the limits.
    pub(crate) given_up: u64,
    /// Of each way and combination: how many answers.
    pairs: BTreeMap<(bool, usize, String), u64>,
    reach: u64,
    cycles: u64,
}

impl Agreement {
    /// Begins with the ways of a case: they depend on its seed, so that a case alone is asked as among others.
    pub(crate) fn begin(&mut self, seed: u64, questions: u64) {
        (self.reach, self.cycles) = (seed.wrapping_mul(questions), seed.wrapping_mul(questions));
    }

    /// Asks a question first without reductions and then in so many of the ways with so many of the combinations.
    pub(crate) fn ask(&mut self, name: &str, loaded: &Loaded, asked: &Asked, most: u64, times: u64) {
        let Ok(report) = run(loaded, asked, FIRST, Reductions::NONE, most) else { return };
        let Some(holds) = verdict(&report) else {
            self.too_large += 1;
            return;
        };
        let states = report.first().figures.counters.states;
        self.questions += 1;
        self.hold += u64::from(holds);
        for _ in 0..times {
            let infinite = matches!(asked, Asked::Infinite(_));
            let (counter, ways): (_, &[Way]) =
                if infinite { (&mut self.cycles, &CYCLES) } else { (&mut self.reach, &REACH) };
            let (number, place) = (*counter % 64, (*counter % ways.len() as u64) as usize);
            *counter += 1;
            let (way, mut reductions) = (ways[place].with_room(states), combination(number));
            // Searches that go over states twice count them twice, and so may each worker.
            let mut answer = run(loaded, asked, way, reductions, 8 * most);
            if matches!(answer, Err(Problem::Reduction(_))) {
                self.asymmetric += 1;
                reductions = reductions.without("symmetry");
                answer = run(loaded, asked, way, reductions, 8 * most);
            }
            let name = format!("{name}, {way:?}, {}", words(reductions));
            match answer {
                Ok(report) => {
                    let Some(still) = verdict(&report) else {
                        // What is violated may be so early on one way, and late on another.
                        let may = !holds || may_give_up(way) || {
                            let plain = run(loaded, asked, way, Reductions::NONE, 8 * most);
                            plain.is_ok_and(|plain| verdict(&plain).is_none())
                        };
                        assert!(may, "{name}: no answer any more: {:?}", report.verdict());
                        self.given_up += 1;
                        continue;
                    };
                    assert_eq!(still, holds, "{name}: another verdict than without reductions");
                    check_run(&name, loaded, &report);
                    self.answers += 1;
                    *self.pairs.entry((infinite, place, words(reductions))).or_default() += 1;
                    for (count, at_work) in self.at_work.iter_mut().zip(at_work(&report)) {
                        *count += u64::from(at_work);
                    }
                }
                Err(problem) if problem.is_usage() => self.unfit += 1,
                Err(problem) => panic!("{name}: {problem}"),
            }
        }
    }

    /// How many of all pairs of a way and a combination had an answer.
    pub(crate) fn pairs(&self) -> (usize, usize) {
        (self.pairs.len(), 64 * (REACH.len() + CYCLES.len()))
    }

    /// Whether every combination and every way had an answer.
    pub(crate) fn all_tried(&self) -> bool {
        let ways = |infinite| {
            let mut places: Vec<usize> =
                self.pairs.keys().filter(|key| key.0 == infinite).map(|key| key.1).collect();
            places.dedup();
            places.len()
        };
        let combinations: BTreeSet<&String> = self.pairs.keys().map(|key| &key.2).collect();
        ways(false) == REACH.len() && ways(true) == CYCLES.len() && combinations.len() == 64
    }
}

impl Counts for Agreement {
    fn add(&mut self, other: &Self) {
        self.questions += other.questions;
        self.hold += other.hold;
        self.too_large += other.too_large;
        self.answers += other.answers;
        self.at_work.iter_mut().zip(other.at_work).for_each(|(sum, more)| *sum += more);
        self.asymmetric += other.asymmetric;
        self.unfit += other.unfit;
        self.given_up += other.given_up;
        for (pair, answers) in &other.pairs {
            *self.pairs.entry(pair.clone()).or_default() += answers;
        }
    }

    fn list(&self) -> Vec<(&'static str, u64)> {
        let [por, merge, dead, symmetry, sleep, slice] = self.at_work;
        let (pairs, all) = self.pairs();
        vec![
            ("questions", self.questions),
            ("hold", self.hold),
            ("too large", self.too_large),
            ("answers", self.answers),
            ("pairs of a way and a combination", pairs as u64),
            ("of", all as u64),
            ("por at work", por),
            ("merge", merge),
            ("dead", dead),
            ("symmetry", symmetry),
            ("sleep", sleep),
            ("slice", slice),
            ("asymmetric", self.asymmetric),
            ("unfit", self.unfit),
            ("given up", self.given_up),
        ]
    }
}

/// A store of a few hundred states may be too small for the path, or have to forget too much.
fn may_give_up(way: Way) -> bool {
    matches!(way.store, StorePlan::Replacing { .. })
}

fn run(
    loaded: &Loaded,
    asked: &Asked,
    way: Way,
    reductions: Reductions,
    most: u64,
) -> Result<CheckReport<'static>, Problem> {
    let mut check = Check::loaded(loaded).states(most).reductions(reductions);
    check = check.store(way.store).threads(way.threads);
    check = match way.how {
        How::Search(search) => check.search(search),
        How::Shortest => check.shortest(),
        How::All => check.all_errors(),
        How::Any => check,
        How::Method(method) => check.method(method),
    };
    check = match asked {
        Asked::Reachable => check.reachability(),
        Asked::OnlyDeadlocks => check.reachability().only_deadlocks(),
        Asked::Infinite(property) => check.property((**property).clone()),
        Asked::Finite(text, reading) => {
            let parsed = FiniteProperty::of_system(text, Dialect::Spin, &*loaded.system);
            check.finite(parsed.expect("a good formula").0.reading(*reading))
        }
    };
    check.run()
}

fn verdict(report: &CheckReport<'_>) -> Option<bool> {
    match report.verdict() {
        Verdict::Holds(_) => Some(true),
        Verdict::Fails(_) => Some(false),
        Verdict::Unknown(_) => None,
    }
}

/// The run to a violation is one of the model as it was written, and if it goes on for ever its cycle closes; or where
/// variables were left out of the state, its steps can be taken again and again.
fn check_run(name: &str, loaded: &Loaded, report: &CheckReport<'_>) {
    let Some((_, run)) = report.first().violation() else { return };
    let again =
        replay(&*report.first().figures.system, &run.steps).unwrap_or_else(|why| panic!("{name}: {why}"));
    assert_eq!(&again, run, "{name}: another run");
    let Some((alone, loop_start)) = report.first().verdict.evidence().and_then(|shown| shown.alone.as_ref())
    else {
        return;
    };
    let again = replay(&*loaded.system, &alone.steps).unwrap_or_else(|why| panic!("{name}: alone: {why}"));
    assert_eq!(again.states, alone.states, "{name}: another run alone");
    if let Some(start) = *loop_start {
        let sliced =
            report.first().figures.stage("slice").and_then(|stage| stage.count("variables")) > Some(0);
        assert!(sliced || alone.last() == alone.states[start], "{name}: the cycle does not close");
        let laps = [&alone.steps[..], &alone.steps[start..], &alone.steps[start..], &alone.steps[start..]];
        replay(&*loaded.system, &laps.concat()).unwrap_or_else(|why| panic!("{name}: repeated: {why}"));
    }
}

/// Which reductions changed something.
fn at_work(report: &CheckReport<'_>) -> [bool; 6] {
    let figures = ["reduced", "places", "places", "kinds", "asleep", "variables"];
    let did =
        |(name, figure)| report.first().figures.stage(name).and_then(|stage| stage.count(figure)) > Some(0);
    let did: Vec<bool> = NAMES.into_iter().zip(figures).map(did).collect();
    did.try_into().expect("one for each")
}

/// A property for some kinds of runs, in turn: fair or not, with those that end or without, with faults or without.
pub(crate) fn in_turn(property: &TemporalProperty, number: u64) -> Asked {
    let fairness =
        [Fairness::None, Fairness::Weak, Fairness::None, Fairness::Strong, Fairness::None, Fairness::Live];
    let property = property.clone().fair(fairness[(number % 6) as usize]);
    let stutter = property.question.stutter;
    let property = property.stutter(stutter && !number.is_multiple_of(5)).faults(number % 7 < 5);
    Asked::Infinite(Box::new(property))
}
