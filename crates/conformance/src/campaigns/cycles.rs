//! The searches for accepting cycles, over every store that serves them, against naive oracles on random automata.

use elnath_kernel::rng::Rng;
use elnath_kernel::search::{deterministic, nested, scc, se05, shorten, shortest, two_passes, weak};
use elnath_kernel::store::{
    Bitstate, Compact, Exact, Lossy, Numbered, Pair, Replacement, Replacing, Store, TwoMarks, TwoRetained,
};
#[cfg(test)]
use elnath_kernel::{Acceptance, Action, Fault, Lasso, NotALasso, Successors, Transition};
use elnath_kernel::{
    AcceptedBy, Budget, Condition, Counters, Emptiness, End, Limit, Stepper, StreettPair, System,
    replay_lasso,
};
use elnath_testkit::{Automaton, Cache, Graph};

use super::Part;
use crate::trial::{Trial, counts};

pub(super) const PARTS: &[Part] = &[
    Part { name: "algorithm-a", meaning: "Algorithm A with every store", run: algorithm_a },
    Part { name: "path-test", meaning: "the path test on weak automata", run: path_test },
    Part {
        name: "deterministic",
        meaning: "the search for deterministic automata",
        run: by_partial_searches,
    },
    Part { name: "algorithm-b", meaning: "Algorithm B with every pair of stores", run: algorithm_b },
    Part { name: "se05", meaning: "SE05 with every pair of stores that retain", run: se05_with_stores },
    Part { name: "scc", meaning: "components, for any number of acceptance sets", run: components },
    Part { name: "streett", meaning: "components, for strong fairness", run: strong_fairness },
    Part { name: "shortest", meaning: "shortest lassos", run: shortest_lassos },
    Part { name: "larger", meaning: "all of them on larger automata", run: larger },
];

fn random(seed: u64) -> Automaton {
    let mut rng = Rng::new(seed);
    let (nodes, degree) = (1 + rng.below(7) as u32, 1 + rng.below(3));
    Automaton::random(nodes, degree, rng.below(4) as u32, &mut rng)
}

fn unlimited(watch: &mut dyn FnMut(&Counters) -> Option<Limit>) -> Budget<'_> {
    Budget { memory: usize::MAX, depth: usize::MAX, states: u64::MAX, disk: None, watch }
}

/// Makes a search over an automaton with nothing limited.
fn run(
    automaton: &Automaton,
    search: impl FnOnce(&mut dyn Stepper, &[u8], &mut Budget<'_>) -> Emptiness,
) -> Emptiness {
    let mut watch = |_: &_| None;
    search(&mut *automaton.stepper(), &Graph::encode(0), &mut unlimited(&mut watch))
}

/// A search must find a cycle if and only if there is one, and the cycle must be a real one. A lossy one may miss it.
#[track_caller]
fn check(automaton: &Automaton, outcome: &Emptiness, acceptance: &AcceptedBy, expected: bool, what: &str) {
    match &outcome.lasso {
        Some(lasso) => {
            assert_eq!(outcome.end, End::Stopped, "{what}");
            replay_lasso(automaton, lasso, acceptance)
                .unwrap_or_else(|error| panic!("{what}: {error}\n{automaton:?}"));
            assert!(expected, "{what}: a cycle that is not there\n{automaton:?}");
        }
        None => {
            assert_eq!(outcome.end, End::Complete, "{what}");
            assert!(!expected, "{what}: missed the cycle\n{automaton:?}");
        }
    }
}

fn compact() -> Lossy<Compact> {
    Lossy::new(Compact::new(64), 8)
}

fn bitstate() -> Lossy<Bitstate> {
    Lossy::new(Bitstate::new(1 << 12, 3), 8)
}

fn replacing(most: usize, seed: u64) -> Replacing {
    Replacing::new(Replacement::Random, 8, most, Rng::new(seed))
}

const CACHES: [usize; 5] = [0, 1, 2, 3, usize::MAX];

/// Applies a search to every store there is. One that forgets may say that its path did not fit.
fn with_every_store(automaton: &Automaton, seed: u64, mut search: impl Searches, expected: bool) {
    let acceptance = search.acceptance();
    let name = search.name();
    let what = |store: &str| format!("{name}, {store}, seed {seed}");
    check(automaton, &search.search(automaton, &mut Exact::new()), &acceptance, expected, &what("exact"));
    check(automaton, &search.search(automaton, &mut compact()), &acceptance, expected, &what("compact"));
    check(automaton, &search.search(automaton, &mut bitstate()), &acceptance, expected, &what("bitstate"));
    for size in CACHES {
        let outcome = search.search(automaton, &mut Cache::new(size, seed));
        check(automaton, &outcome, &acceptance, expected, &what(&format!("cache of {size}")));
    }
    for most in [3, 5, usize::MAX] {
        let outcome = search.search(automaton, &mut replacing(most, seed));
        if outcome.end != End::Limited(Limit::Memory) {
            check(automaton, &outcome, &acceptance, expected, &what(&format!("replacing, {most}")));
        }
    }
    // A table of 64 bits for states of 3 bits each: it hides states, but nothing it finds is wrong.
    let outcome = search.search(automaton, &mut Lossy::new(Bitstate::new(8, 3), 8));
    if outcome.lasso.is_some() || !expected {
        check(automaton, &outcome, &acceptance, expected, &what("a small bitstate"));
    }
}

/// A search that takes any store.
trait Searches {
    fn name(&self) -> &'static str;
    fn acceptance(&self) -> AcceptedBy {
        AcceptedBy::State
    }
    fn search<S: Store>(&mut self, automaton: &Automaton, store: &mut S) -> Emptiness;
}

struct TwoPasses;

impl Searches for TwoPasses {
    fn name(&self) -> &'static str {
        "Algorithm A"
    }
    fn search<S: Store>(&mut self, automaton: &Automaton, store: &mut S) -> Emptiness {
        run(automaton, |stepper, root, budget| two_passes(stepper, store, root, budget))
    }
}

struct Weak;

impl Searches for Weak {
    fn name(&self) -> &'static str {
        "the path test"
    }
    fn search<S: Store>(&mut self, automaton: &Automaton, store: &mut S) -> Emptiness {
        run(automaton, |stepper, root, budget| weak(stepper, store, root, budget))
    }
}

struct Deterministic;

impl Searches for Deterministic {
    fn name(&self) -> &'static str {
        "DFS_Buchi"
    }
    fn acceptance(&self) -> AcceptedBy {
        AcceptedBy::NoState
    }
    fn search<S: Store>(&mut self, automaton: &Automaton, store: &mut S) -> Emptiness {
        run(automaton, |stepper, root, budget| deterministic(stepper, store, root, budget))
    }
}

fn algorithm_a(trial: &mut Trial<'_>) {
    let (): () = trial.cases(1..5001, |case, ()| {
        let seed = case.seed;
        let automaton = random(seed);
        with_every_store(&automaton, seed, TwoPasses, automaton.has_accepting_cycle());
        Ok(())
    });
}

fn path_test(trial: &mut Trial<'_>) {
    let (): () = trial.cases(1..5001, |case, ()| {
        let seed = case.seed;
        let automaton = random(seed).weakened();
        with_every_store(&automaton, seed, Weak, automaton.has_accepting_cycle());
        Ok(())
    });
}

fn by_partial_searches(trial: &mut Trial<'_>) {
    let (): () = trial.cases(1..5001, |case, ()| {
        let seed = case.seed;
        let automaton = random(seed);
        with_every_store(&automaton, seed, Deterministic, automaton.has_rejecting_cycle());
        Ok(())
    });
}

fn run_nested(automaton: &Automaton, mut memory: impl TwoMarks) -> Emptiness {
    run(automaton, |stepper, root, budget| nested(stepper, &mut memory, root, budget))
}

fn algorithm_b(trial: &mut Trial<'_>) {
    let (): () = trial.cases(1..5001, |case, ()| {
        let seed = case.seed;
        let automaton = random(seed);
        let expected = automaton.has_accepting_cycle();
        let check = |outcome: &Emptiness, stores: &str| {
            let what = format!("Algorithm B, {stores}, seed {seed}");
            check(&automaton, outcome, &AcceptedBy::State, expected, &what);
        };
        check(&run_nested(&automaton, Exact::new()), "exact");
        let outcome = run_nested(&automaton, Pair { first: Exact::new(), second: Exact::new() });
        check(&outcome, "two exact ones");
        check(&run_nested(&automaton, Pair { first: compact(), second: compact() }), "compact");
        check(&run_nested(&automaton, Pair { first: bitstate(), second: bitstate() }), "bitstate");
        for size in CACHES {
            let first = Cache::new(size, seed);
            let outcome = run_nested(&automaton, Pair { first, second: Exact::new() });
            check(&outcome, &format!("the first forgets all but {size}"));
            let (first, second) = (Cache::new(size, seed), Cache::new(size, !seed));
            let outcome = run_nested(&automaton, Pair { first, second });
            check(&outcome, &format!("both forget all but {size}"));
        }
        for most in [3, 5, usize::MAX] {
            let (first, second) = (replacing(most, seed), replacing(most, seed));
            let outcome = run_nested(&automaton, Pair { first, second });
            if outcome.end != End::Limited(Limit::Memory) {
                check(&outcome, &format!("replacing, {most}"));
            }
        }
        let small = || Lossy::new(Bitstate::new(8, 3), 8);
        let outcome = run_nested(&automaton, Pair { first: small(), second: small() });
        if outcome.lasso.is_some() || !expected {
            check(&outcome, "small bitstates");
        }
        Ok(())
    });
}

fn run_se05(automaton: &Automaton, mut memory: impl TwoRetained) -> Emptiness {
    run(automaton, |stepper, root, budget| se05(stepper, &mut memory, root, budget))
}

fn se05_with_stores(trial: &mut Trial<'_>) {
    let (): () = trial.cases(1..5001, |case, ()| {
        let seed = case.seed;
        let automaton = random(seed);
        let expected = automaton.has_accepting_cycle();
        let check = |outcome: &Emptiness, stores: &str| {
            let what = format!("SE05, {stores}, seed {seed}");
            check(&automaton, outcome, &AcceptedBy::State, expected, &what);
        };
        check(&run_se05(&automaton, Exact::new()), "exact");
        check(&run_se05(&automaton, Pair { first: Exact::new(), second: Exact::new() }), "two exact ones");
        check(&run_se05(&automaton, Pair { first: compact(), second: compact() }), "compact");
        check(&run_se05(&automaton, Pair { first: bitstate(), second: bitstate() }), "bitstate");
        let small = || Lossy::new(Bitstate::new(8, 3), 8);
        let outcome = run_se05(&automaton, Pair { first: small(), second: small() });
        if outcome.lasso.is_some() || !expected {
            check(&outcome, "small bitstates");
        }
        Ok(())
    });
}

fn run_scc(automaton: &Automaton, condition: &Condition) -> Emptiness {
    run(automaton, |stepper, root, budget| scc(stepper, &mut Numbered::default(), condition, root, budget))
}

fn components(trial: &mut Trial<'_>) {
    let (): () = trial.cases(1..5001, |case, ()| {
        let seed = case.seed;
        let automaton = random(seed);
        let condition = Condition::of(&automaton);
        let acceptance = AcceptedBy::Marks(condition.clone());
        let expected = automaton.shortest_lasso(&acceptance).is_some();
        let what = format!("SCC, {} sets, seed {seed}", automaton.sets);
        check(&automaton, &run_scc(&automaton, &condition), &acceptance, expected, &what);
        Ok(())
    });
}

/// Four bits, of which some make a set and all may make pairs.
fn random_pairs(seed: u64) -> (Automaton, Condition) {
    let mut rng = Rng::new(seed);
    let (nodes, degree) = (1 + rng.below(7) as u32, 1 + rng.below(3));
    let automaton = Automaton::random(nodes, degree, 4, &mut rng);
    let mut pair = |_: u64| StreettPair { request: 1 << rng.below(4), response: 1 << rng.below(4) };
    let pairs = (0..1 + seed % 3).map(&mut pair).collect();
    (automaton, Condition { sets: seed / 3 % 2, pairs })
}

fn strong_fairness(trial: &mut Trial<'_>) {
    counts! {
        struct Seen { accepted }
    }
    let seen = trial.cases(1..5001, |case, seen: &mut Seen| {
        let seed = case.seed;
        let (automaton, condition) = random_pairs(seed);
        let acceptance = AcceptedBy::Marks(condition.clone());
        let expected = automaton.shortest_lasso(&acceptance).is_some();
        seen.accepted += u64::from(expected);
        let what = format!("SCC, {condition:?}, seed {seed}");
        check(&automaton, &run_scc(&automaton, &condition), &acceptance, expected, &what);
        Ok(())
    });
    let asked = trial.asked();
    trial.enough((asked / 5..asked * 4 / 5).contains(&seen.accepted), "automata of both kinds");
}

fn shortest_lassos(trial: &mut Trial<'_>) {
    let (): () = trial.cases(1..5001, |case, ()| {
        let seed = case.seed;
        let (automaton, pairs) = random_pairs(seed);
        let condition = Condition::of(&automaton);
        for acceptance in
            [AcceptedBy::State, AcceptedBy::NoState, AcceptedBy::Marks(condition), AcceptedBy::Marks(pairs)]
        {
            let length = automaton.shortest_lasso(&acceptance);
            let outcome =
                run(&automaton, |stepper, root, budget| shortest(stepper, &acceptance, root, budget));
            let what = format!("shortest, {acceptance:?}, seed {seed}");
            check(&automaton, &outcome, &acceptance, length.is_some(), &what);
            assert_eq!(outcome.lasso.map(|lasso| lasso.len()), length, "{what}");
            let AcceptedBy::Marks(condition) = &acceptance else { continue };
            let Some(long) = run_scc(&automaton, condition).lasso else { continue };
            for most in [1, 3, 100] {
                let stepper = &mut *automaton.stepper();
                let short = shorten(stepper, &acceptance, &Graph::encode(0), &long, most);
                assert!(short.len() <= long.len(), "{what}");
                replay_lasso(&automaton, &short, &acceptance)
                    .unwrap_or_else(|error| panic!("{what}: {error}"));
            }
        }
        Ok(())
    });
}

/// Larger automata with few accepting states, for the stores that forget nothing or little: here paths are long, most
/// edges lead to known states, and what was pending has often been reached another way.
fn larger(trial: &mut Trial<'_>) {
    counts! {
        struct Seen { accepted }
    }
    let seen = trial.cases((1..5001).step_by(5), |case, seen: &mut Seen| {
        let seed = case.seed;
        let mut rng = Rng::new(seed);
        let (nodes, degree) = (20 + rng.below(60) as u32, 1 + rng.below(3));
        let mut automaton = Automaton::random(nodes, degree, 1, &mut rng);
        automaton.accepting.iter_mut().for_each(|accepting| *accepting &= rng.below(8) == 0);
        for (marks, &accepting) in automaton.marks.iter_mut().zip(&automaton.accepting) {
            marks.fill(u64::from(accepting));
        }
        let expected = automaton.has_accepting_cycle();
        seen.accepted += u64::from(expected);
        let what = |search: &str| format!("{search}, seed {seed}");
        let check = |outcome: &Emptiness, search: &str| {
            check(&automaton, outcome, &AcceptedBy::State, expected, &what(search));
        };
        check(&TwoPasses.search(&automaton, &mut Exact::new()), "Algorithm A");
        check(&TwoPasses.search(&automaton, &mut compact()), "Algorithm A, compact");
        check(&run_nested(&automaton, Exact::new()), "Algorithm B");
        check(&run_nested(&automaton, Pair { first: bitstate(), second: compact() }), "Algorithm B, lossy");
        check(&run_se05(&automaton, Exact::new()), "SE05");
        check(&run_scc(&automaton, &Condition::of(&automaton)), "SCC");
        let most = automaton.graph.reachable().len() * 9 / 10 + 1;
        let outcome = run_nested(&automaton, Pair { first: replacing(most, seed), second: Exact::new() });
        if outcome.end != End::Limited(Limit::Memory) {
            check(&outcome, "Algorithm B, replacing");
        }
        Ok(())
    });
    let asked = trial.asked();
    trial.enough((asked / 10..asked * 9 / 10).contains(&seen.accepted), "automata of both kinds");
}

/// As printed, the last root is never explored, and this graph is found to satisfy the property.
#[test]
fn the_last_root_is_explored() {
    let automaton = Automaton::new(&[&[1], &[2], &[2]], &[1]);
    let outcome = Deterministic.search(&automaton, &mut Exact::new());
    assert_eq!(outcome.end, End::Stopped);
    let step = Transition(0);
    assert_eq!(outcome.lasso, Some(Lasso { prefix: vec![step, step], cycle: vec![step] }));
}

/// "A detected loop that has only non-terminal states", tested on one search of the whole graph, misses the loop of 0
/// and 2: x→f, f→y, y→x, x→y, with the successors in that order.
#[test]
fn a_loop_that_is_never_on_the_path_of_one_search_is_found() {
    let automaton = Automaton::new(&[&[1, 2], &[2], &[0]], &[1]);
    assert!(automaton.has_rejecting_cycle());
    with_every_store(&automaton, 1, Deterministic, true);
}

/// The graph on which the printed proof of Lemma 1 fails: g→p, p→g, g→f, f→p, with f and g accepting.
#[test]
fn lemma_1() {
    let automaton = Automaton::new(&[&[1, 2], &[0], &[1]], &[0, 2]);
    with_every_store(&automaton, 1, TwoPasses, true);
    assert_eq!(run_nested(&automaton, Exact::new()).end, End::Stopped);
    assert_eq!(run_se05(&automaton, Exact::new()).end, End::Stopped);
}

/// GF a and GF b: two sets, each met by the other of two edges.
#[test]
fn two_sets_are_met_by_one_cycle() {
    let mut automaton = Automaton::new(&[&[0, 1], &[0]], &[]);
    (automaton.sets, automaton.marks) = (2, vec![vec![0b01, 0], vec![0b10]]);
    let condition = Condition::of(&automaton);
    let lasso = run_scc(&automaton, &condition).lasso.expect("there is a cycle with both");
    assert_eq!(lasso.len(), 3);
    let acceptance = AcceptedBy::Marks(condition.clone());
    let half = Lasso { prefix: Vec::new(), cycle: vec![Transition(0)] };
    assert_eq!(replay_lasso(&automaton, &half, &acceptance), Err(NotALasso::Rejected { met: 1 }));
    automaton.marks[1][0] = 0;
    assert_eq!(run_scc(&automaton, &condition).end, End::Complete);
}

/// What is not a lasso does not pass for one.
#[test]
fn a_false_lasso_is_noticed() {
    let automaton = Automaton::new(&[&[1], &[2], &[1]], &[0]);
    let t = Transition(0);
    let replay = |prefix: usize, cycle: usize, acceptance| {
        let lasso = Lasso { prefix: vec![t; prefix], cycle: vec![t; cycle] };
        replay_lasso(&automaton, &lasso, &acceptance).map(|run| run.states.len())
    };
    assert_eq!(replay(1, 2, AcceptedBy::NoState), Ok(4));
    assert_eq!(replay(1, 2, AcceptedBy::State), Err(NotALasso::Rejected { met: 0 }));
    assert_eq!(replay(1, 1, AcceptedBy::NoState), Err(NotALasso::Open));
    assert_eq!(replay(0, 2, AcceptedBy::NoState), Err(NotALasso::Open));
    assert_eq!(replay(1, 0, AcceptedBy::NoState), Err(NotALasso::NoCycle));
    let wrong = Lasso { prefix: vec![t, Transition(7)], cycle: vec![t] };
    assert!(matches!(replay_lasso(&automaton, &wrong, &AcceptedBy::State), Err(NotALasso::Step(_))));
}

#[cfg(test)]
/// A chain of accepting states that ends in a long cycle.
fn chain(length: u32, cycle: u32) -> Automaton {
    let successors: Vec<Vec<u32>> =
        (1..=length).map(|next| vec![if next < length { next } else { length - cycle }]).collect();
    let marks = successors.iter().map(|to| vec![1; to.len()]).collect();
    Automaton { graph: Graph { successors }, accepting: vec![true; length as usize], marks, sets: 1 }
}

#[cfg(test)]
type Search<'a> = dyn FnMut(&mut dyn Stepper, &[u8], &mut Budget<'_>) -> Emptiness + 'a;

/// Beyond the depth limit there are states that the first search has not met; the second must not trip over them, and
/// the answer is that something was cut off.
#[test]
fn white_states_are_tolerated_in_the_second_search() {
    for seed in 1..2001 {
        let automaton = random(seed);
        for depth in 0..4 {
            let limited = |search: &mut Search<'_>| {
                let mut watch = |_: &_| None;
                let mut budget = Budget { depth, ..unlimited(&mut watch) };
                let outcome = search(&mut *automaton.stepper(), &Graph::encode(0), &mut budget);
                if outcome.end != End::Limited(Limit::Depth) {
                    let expected = automaton.has_accepting_cycle();
                    check(&automaton, &outcome, &AcceptedBy::State, expected, &format!("seed {seed}"));
                }
            };
            limited(&mut |stepper, root, budget| se05(stepper, &mut Exact::new(), root, budget));
            limited(&mut |stepper, root, budget| {
                se05(stepper, &mut Pair { first: bitstate(), second: bitstate() }, root, budget)
            });
            limited(&mut |stepper, root, budget| nested(stepper, &mut Exact::new(), root, budget));
            limited(&mut |stepper, root, budget| two_passes(stepper, &mut Exact::new(), root, budget));
        }
    }
}

/// Each search says what it ran out of, and keeps to its memory.
#[test]
fn limits_are_results() {
    let automaton = chain(10_000, 1);
    let condition = Condition { sets: 2, pairs: Vec::new() };
    let run = |memory: usize, depth: usize, states: u64| {
        let root = Graph::encode(0);
        let mut watch = |_: &_| None;
        let mut budget = Budget { memory, depth, states, disk: None, watch: &mut watch };
        let mut rejecting = automaton.clone();
        rejecting.accepting.fill(false);
        let (stepper, budget) = (&mut *automaton.stepper(), &mut budget);
        let outcomes = [
            nested(stepper, &mut Exact::new(), &root, budget),
            nested(stepper, &mut Pair { first: Exact::new(), second: compact() }, &root, budget),
            two_passes(stepper, &mut Exact::new(), &root, budget),
            se05(stepper, &mut Exact::new(), &root, budget),
            scc(stepper, &mut Numbered::default(), &condition, &root, budget),
            weak(stepper, &mut Exact::new(), &root, budget),
            deterministic(&mut *rejecting.stepper(), &mut Exact::new(), &root, budget),
        ];
        outcomes.map(|outcome| {
            let Counters { store_bytes, path_bytes, .. } = outcome.counters;
            let most = memory.saturating_add(100);
            assert!(store_bytes + path_bytes <= most, "{store_bytes} and {path_bytes} of {memory} bytes");
            outcome.end
        })
    };
    let max = usize::MAX;
    let (found, none) = (End::Stopped, End::Complete);
    assert_eq!(run(max, max, u64::MAX), [found, found, found, found, none, found, found]);
    assert_eq!(run(max, 9_998, u64::MAX), [End::Limited(Limit::Depth); 7]);
    assert_eq!(run(max, max, 9_999), [End::Limited(Limit::States); 7]);
    assert_eq!(run(100_000, max, u64::MAX), [End::Limited(Limit::Memory); 7]);
}

#[test]
fn the_watch_stops_each_search() {
    let automaton = chain(20_000, 19_999);
    let root = Graph::encode(0);
    let condition = Condition { sets: 2, pairs: Vec::new() };
    let stepper = &mut *automaton.stepper();
    let mut watch = |counters: &Counters| (counters.states > 2000).then_some(Limit::Time);
    let budget = &mut unlimited(&mut watch);
    for outcome in [
        nested(stepper, &mut Exact::new(), &root, budget),
        two_passes(stepper, &mut Exact::new(), &root, budget),
        se05(stepper, &mut Exact::new(), &root, budget),
        scc(stepper, &mut Numbered::default(), &condition, &root, budget),
        weak(stepper, &mut Exact::new(), &root, budget),
        shortest(stepper, &AcceptedBy::State, &root, budget),
    ] {
        assert_eq!(outcome.end, End::Limited(Limit::Time));
        assert!((2000..4000).contains(&outcome.counters.states), "{outcome:?}");
    }
}

/// A long cycle through everything, with a short cut: the loop shrinks to it, and the prefix with it.
#[test]
fn the_loop_is_shortened() {
    let mut automaton = chain(1000, 999);
    automaton.graph.successors[500].push(499);
    automaton.marks[500].push(0);
    let condition = Condition::of(&automaton);
    let acceptance = AcceptedBy::Marks(condition.clone());
    let long = run_scc(&automaton, &condition).lasso.expect("there is a cycle");
    let short = shorten(&mut *automaton.stepper(), &acceptance, &Graph::encode(0), &long, 5000);
    assert_eq!((short.prefix.len(), short.cycle.len()), (499, 2));
    replay_lasso(&automaton, &short, &acceptance).expect("it is a lasso");
}

#[cfg(test)]
/// Two processes that have nothing to do with each other, each with two places, reduced: all is explored where both are
/// at the first, elsewhere one of them stands for both. A state accepts if both are at the second place.
struct Fickle {
    /// Who stands for both in the states other than the first, when first come to and when come to again.
    stands: [[u64; 4]; 2],
    expanded: [usize; 4],
}

#[cfg(test)]
impl Stepper for Fickle {
    fn initial(&mut self, out: &mut Vec<u8>) {
        *out = vec![0];
    }

    fn enabled(&mut self, state: &[u8], out: &mut Vec<Transition>) {
        out.clear();
        let at = usize::from(state[0]);
        match at {
            0 => out.extend([Transition(0), Transition(1)]),
            _ => out.push(Transition(self.stands[self.expanded[at].min(1)][at])),
        }
        self.expanded[at] += 1;
    }

    fn fire(&mut self, state: &[u8], t: Transition, out: &mut Vec<u8>) -> Result<(), Fault> {
        *out = vec![state[0] ^ 1 << t.0];
        Ok(())
    }

    fn action(&mut self, _: &[u8], t: Transition) -> Action {
        Action(t.0 as u32)
    }

    fn successors(&mut self, state: &[u8], out: &mut Successors) {
        out.fire_all(self, state);
    }

    fn may_end(&mut self, _state: &[u8]) -> bool {
        false
    }

    fn transition_bits(&self) -> u32 {
        32
    }

    elnath_kernel::facets! { mine: acceptance; none: propositions, processes, tally }
}

#[cfg(test)]
impl Acceptance for Fickle {
    fn sets(&mut self) -> u32 {
        1
    }

    fn marks(&mut self, _state: &[u8], _t: Transition) -> u64 {
        0
    }

    fn accepting(&mut self, state: &[u8]) -> bool {
        state[0] == 0b11
    }

    fn may_recur(&mut self, _state: &[u8]) -> bool {
        true
    }

    fn recurs_by_last_byte(&mut self) -> Option<Box<[bool; 256]>> {
        None
    }
}

/// Why a reduction must leave out the same whenever a state is come to (Holzmann, Peled, Yannakakis 1996): if another process
/// stands for both when the second search of Algorithm B comes to a state, it walks around the accepting one. The
/// tests of the reduction ask each state again for this reason.
#[test]
fn a_reduction_with_two_minds_hides_a_cycle_from_nested_search() {
    let (once, again) = ([0, 1, 1, 0], [0, 0, 1, 1]);
    let finds = |stands: [[u64; 4]; 2]| {
        let mut watch = |_: &_| None;
        let mut stepper = Fickle { stands, expanded: [0; 4] };
        nested(&mut stepper, &mut Exact::new(), &[0], &mut unlimited(&mut watch)).lasso.is_some()
    };
    assert!(finds([once, once]), "a reduction that stays as it is keeps the cycle");
    assert!(!finds([once, again]), "the trap");
}

/// Where memory suffices to know that there is a violation and not for the run that shows it, that is what is said.
#[test]
fn a_violation_that_cannot_be_shown_is_not_denied() {
    let automaton = chain(20_000, 20_000);
    let condition = Condition::of(&automaton);
    let ends = (1..80).map(|memory| {
        let mut watch = |_: &_| None;
        let budget = &mut Budget { memory: memory * 50_000, ..unlimited(&mut watch) };
        let (stepper, root) = (&mut *automaton.stepper(), Graph::encode(0));
        scc(stepper, &mut Numbered::default(), &condition, &root, budget).end
    });
    let mut ends: Vec<End> = ends.collect();
    ends.dedup();
    assert_eq!(ends, [End::Limited(Limit::Memory), End::Limited(Limit::Witness), End::Stopped]);
}
