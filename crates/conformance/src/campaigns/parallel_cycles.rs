//! The searches for accepting cycles by many workers, against naive oracles on random automata.

use elnath_kernel::rng::Rng;
use elnath_kernel::search::{CycleKind, cndfs, ufscc};
use elnath_kernel::store::SharedExact;
use elnath_kernel::{
    Acceptance, AcceptedBy, Budget, Condition, Counters, Emptiness, End, Limit, Stepper, Successors, System,
    Transition, replay_lasso,
};
use elnath_testkit::{Automaton, Graph};
#[cfg(test)]
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
#[cfg(test)]
use std::time::Instant;

use super::Part;
use crate::trial::{Trial, counts};

pub(super) const PARTS: &[Part] = &[
    Part { name: "cndfs", meaning: "CNDFS by one, two and four workers", run: nested_by_many },
    Part { name: "weak-by-many", meaning: "weak automata by many workers", run: weak_by_many },
    Part { name: "ufscc", meaning: "components by many workers", run: components_by_many },
];

/// An automaton some states of which are known not to recur; and workers are slow at random, so that they meet in many
/// ways.
struct Divided {
    automaton: Automaton,
    recurs: Vec<bool>,
    /// One in so many states is slow; none if it is 0.
    slow: u64,
}

impl System for Divided {
    fn stepper(&self) -> Box<dyn Stepper + '_> {
        // Each stepper has another seed: where it lies is as good as any.
        let inner = self.automaton.stepper();
        let seed = std::ptr::from_ref(&*inner).cast::<u8>().addr() as u64;
        Box::new(Slow { divided: self, inner, rng: Rng::new(seed) })
    }

    elnath_kernel::hand_on! { automaton: describe, bytes }
}

struct Slow<'a> {
    divided: &'a Divided,
    inner: Box<dyn Stepper + 'a>,
    rng: Rng,
}

impl Stepper for Slow<'_> {
    fn successors(&mut self, state: &[u8], out: &mut Successors) {
        self.inner.successors(state, out);
        match self.divided.slow {
            0 => {}
            rarity if self.rng.below(rarity) == 0 => std::thread::yield_now(),
            _ => (0..self.rng.below(200)).for_each(|_| std::hint::spin_loop()),
        }
    }

    elnath_kernel::hand_on! { inner: initial, enabled, fire, action, may_end, transition_bits }
    elnath_kernel::facets! { mine: acceptance; below inner: propositions, processes, tally }
}

impl Acceptance for Slow<'_> {
    fn sets(&mut self) -> u32 {
        self.divided.automaton.sets
    }

    fn marks(&mut self, state: &[u8], t: Transition) -> u64 {
        self.inner.marks(state, t)
    }

    fn accepting(&mut self, state: &[u8]) -> bool {
        self.inner.accepting(state)
    }

    fn may_recur(&mut self, state: &[u8]) -> bool {
        self.divided.recurs[Graph::decode(state) as usize]
    }

    fn recurs_by_last_byte(&mut self) -> Option<Box<[bool; 256]>> {
        None
    }
}

/// A random automaton, small or large.
fn random(seed: u64) -> Automaton {
    let mut rng = Rng::new(seed);
    let nodes = match seed % 4 {
        0 => 1 + rng.below(7),
        1 | 2 => 8 + rng.below(40),
        _ => 50 + rng.below(100),
    };
    let mut automaton = Automaton::random(nodes as u32, 1 + rng.below(3), 1 + rng.below(3) as u32, &mut rng);
    // In every other one accepting nodes are rare: then a search goes on for longer before it finds one on a cycle.
    let rarity = if (seed / 4).is_multiple_of(2) { 1 } else { 1 + rng.below(nodes) };
    automaton.accepting.iter_mut().for_each(|accepting| *accepting &= rng.below(rarity) < 2);
    automaton
}

/// By node: the nodes that it leads to, by at least one edge.
fn reach(automaton: &Automaton) -> Vec<Vec<bool>> {
    let successors = &automaton.graph.successors;
    let all = |from: usize| {
        let (mut found, mut left) = (vec![false; successors.len()], vec![from]);
        while let Some(node) = left.pop() {
            for &next in &successors[node] {
                if !std::mem::replace(&mut found[next as usize], true) {
                    left.push(next as usize);
                }
            }
        }
        found
    };
    (0..successors.len()).map(all).collect()
}

/// Of the states that are on no accepting cycle about half are known not to recur.
fn divided(automaton: Automaton, seed: u64, slow: u64) -> Divided {
    let mut rng = Rng::new(!seed);
    let reach = reach(&automaton);
    let on_cycle_with = |a: usize, b: usize| reach[a][b] && reach[b][a];
    let nodes = 0..automaton.accepting.len();
    let recurs = nodes
        .clone()
        .map(|node| {
            let accepted =
                nodes.clone().any(|other| on_cycle_with(node, other) && automaton.accepting[other]);
            accepted || rng.below(2) == 0
        })
        .collect();
    Divided { automaton, recurs, slow }
}

fn unlimited(watch: &mut dyn FnMut(&Counters) -> Option<Limit>) -> Budget<'_> {
    Budget { memory: usize::MAX, depth: usize::MAX, states: u64::MAX, disk: None, watch }
}

fn run(system: &Divided, kind: CycleKind, workers: usize, seed: u64) -> Emptiness {
    let mut watch = |_: &_| None;
    let store = SharedExact::<1>::noting_with_slots(workers, 2);
    cndfs(system, store, kind, workers, seed, &mut unlimited(&mut watch))
}

/// A search must find a cycle if and only if there is one, the cycle must be a real one, and without one every state must
/// have been seen, once.
#[track_caller]
fn check(
    system: &Divided,
    outcome: &Emptiness,
    acceptance: &AcceptedBy,
    expected: bool,
    workers: usize,
    what: &str,
) {
    let automaton = &system.automaton;
    let Counters { states, transitions, .. } = outcome.counters;
    let reachable = automaton.graph.reachable();
    let all: usize = reachable.iter().map(|&node| automaton.graph.successors[node as usize].len()).sum();
    // One worker came to every state by a transition of one that it has finished or has on its path. Of several one may
    // finish what is on the path of another.
    if workers == 1 {
        let told = format!("{what}: {transitions} of {all} transitions, {states} states\n{automaton:?}");
        assert!(transitions + 1 >= states && transitions <= all as u64, "{told}");
    }
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
            let states = automaton.graph.reachable().len() as u64;
            assert_eq!(outcome.counters.states, states, "{what}: states\n{automaton:?}");
        }
    }
}

/// What hangs is no answer either: a case that takes a minute has failed.
fn in_time<T: Send + 'static>(case: impl FnOnce() -> T + Send + 'static) -> T {
    let (tell, told) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        let result = case();
        let _ = tell.send(());
        result
    });
    match told.recv_timeout(Duration::from_secs(60)) {
        Err(std::sync::mpsc::RecvTimeoutError::Timeout) => panic!("workers wait for each other"),
        _ => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
    }
}

fn nested_by_many(trial: &mut Trial<'_>) {
    counts! {
        struct Seen { accepted }
    }
    let seen = trial.cases(1..401, |case, seen: &mut Seen| {
        let seed = case.seed;
        let expected = in_time(move || {
            let system = divided(random(seed), seed, seed % 3);
            let expected = system.automaton.has_accepting_cycle();
            for workers in [1, 2, 4] {
                let outcome = run(&system, CycleKind::Strong, workers, seed);
                let what = format!("CNDFS, {workers} workers, seed {seed}");
                check(&system, &outcome, &AcceptedBy::State, expected, workers, &what);
            }
            expected
        });
        seen.accepted += u64::from(expected);
        Ok(())
    });
    let asked = trial.asked();
    trial.enough((asked / 10..asked * 9 / 10).contains(&seen.accepted), "automata of both kinds");
}

fn weak_by_many(trial: &mut Trial<'_>) {
    counts! {
        struct Seen { accepted }
    }
    let seen = trial.cases(1..401, |case, seen: &mut Seen| {
        let seed = case.seed;
        let expected = in_time(move || {
            let automaton = random(seed).weakened();
            let expected = automaton.has_accepting_cycle();
            let recurs = automaton.accepting.clone();
            let system = Divided { automaton, recurs, slow: seed % 3 };
            for workers in [1, 2, 4] {
                let outcome = run(&system, CycleKind::Weak, workers, seed);
                let what = format!("weak, {workers} workers, seed {seed}");
                check(&system, &outcome, &AcceptedBy::State, expected, workers, &what);
            }
            expected
        });
        seen.accepted += u64::from(expected);
        Ok(())
    });
    let asked = trial.asked();
    trial.enough((asked / 20..asked * 9 / 10).contains(&seen.accepted), "automata of both kinds");
}

/// By node: whether it is in a component whose marks meet the condition.
fn in_accepted_component(automaton: &Automaton, condition: &Condition) -> Vec<bool> {
    let reach = reach(automaton);
    let nodes = 0..automaton.accepting.len();
    let same = |a: usize, b: usize| a == b || reach[a][b] && reach[b][a];
    let met = |node: usize| {
        let inside = nodes.clone().filter(|&other| same(node, other));
        let edges = inside.flat_map(|from| {
            let edges = automaton.graph.successors[from].iter().zip(&automaton.marks[from]);
            edges.filter(|(to, _)| same(node, **to as usize)).map(|(_, marks)| *marks)
        });
        edges.reduce(|a, b| a | b)
    };
    nodes.clone().map(|node| met(node).is_some_and(|met| condition.accepts(met))).collect()
}

fn components_by_many(trial: &mut Trial<'_>) {
    counts! {
        struct Seen { accepted }
    }
    let seen = trial.cases(1..401, |case, seen: &mut Seen| {
        let seed = case.seed;
        let expected = in_time(move || {
            let automaton = random(seed);
            let condition = Condition::of(&automaton);
            let recurs = in_accepted_component(&automaton, &condition);
            let reachable = automaton.graph.reachable();
            let expected = reachable.iter().any(|&node| recurs[node as usize]);
            let mut rng = Rng::new(!seed);
            let recurs = recurs.iter().map(|&recurs| recurs || rng.below(2) == 0).collect();
            let system = Divided { automaton, recurs, slow: seed % 3 };
            for workers in [1, 2, 4] {
                let mut watch = |_: &_| None;
                let store = SharedExact::<4>::noting_with_slots(workers, 2);
                let outcome = ufscc(&system, store, &condition, workers, seed, &mut unlimited(&mut watch));
                let what = format!("UFSCC, {workers} workers, {condition:?}, seed {seed}");
                check(&system, &outcome, &AcceptedBy::Marks(condition.clone()), expected, workers, &what);
            }
            expected
        });
        seen.accepted += u64::from(expected);
        Ok(())
    });
    let asked = trial.asked();
    trial.enough((asked / 10..asked * 9 / 10).contains(&seen.accepted), "automata of both kinds");
}

#[cfg(test)]
/// An automaton whose workers meet as it is arranged: who expands certain nodes first waits for others.
struct Staged {
    automaton: Automaton,
    /// A node, and the one that is to be expanded as well before it is left: as many times, and then a little time passes.
    waits: Vec<(u32, u32, u32)>,
    /// By node: how often somebody has begun to expand it.
    begun: Vec<AtomicU32>,
}

#[cfg(test)]
impl Staged {
    fn new(successors: &[&[u32]], accepting: &[u32], waits: &[(u32, u32, u32)]) -> Self {
        let begun = successors.iter().map(|_| AtomicU32::new(0)).collect();
        Self { automaton: Automaton::new(successors, accepting), waits: waits.to_vec(), begun }
    }

    /// Called by who expands a node. Nobody waits for ever: another may have been quicker than was arranged.
    fn wait(&self, node: u32) {
        if self.begun[node as usize].fetch_add(1, Ordering::SeqCst) > 0 {
            return;
        }
        for &(_, other, times) in self.waits.iter().filter(|(at, ..)| *at == node) {
            let since = Instant::now();
            while self.begun[other as usize].load(Ordering::SeqCst) < times
                && since.elapsed() < Duration::from_millis(500)
            {
                std::thread::yield_now();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[cfg(test)]
impl System for Staged {
    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(Acting { staged: self, inner: self.automaton.stepper() })
    }

    elnath_kernel::hand_on! { automaton: describe, bytes }
}

#[cfg(test)]
struct Acting<'a> {
    staged: &'a Staged,
    inner: Box<dyn Stepper + 'a>,
}

#[cfg(test)]
impl Stepper for Acting<'_> {
    fn successors(&mut self, state: &[u8], out: &mut Successors) {
        self.staged.wait(Graph::decode(state));
        self.inner.successors(state, out);
    }

    elnath_kernel::hand_on! { inner: initial, enabled, fire, action, may_end, transition_bits }
    elnath_kernel::facets! { below inner: propositions, acceptance, processes, tally }
}

#[cfg(test)]
/// With two workers, of whom one takes successors in the order given and the other in the opposite one, the cycle is found.
#[track_caller]
fn finds_the_cycle(staged: &Staged, workers: usize) {
    let mut watch = |_: &_| None;
    let store = SharedExact::<1>::noting(workers);
    let outcome = cndfs(staged, store, CycleKind::Strong, workers, 1, &mut unlimited(&mut watch));
    assert_eq!(outcome.end, End::Stopped, "the cycle was missed");
    replay_lasso(&staged.automaton, &outcome.lasso.expect("a cycle"), &AcceptedBy::State).expect("a cycle");
}

/// The first worker goes from 0 to 1, sees to 3, which becomes blue, and is held up at 4 on its way to the accepting 5, from
/// which 3 and 1 close the cycle. Meanwhile the second makes its red search from 2, by way of 3, and meets all of the cycle. If
/// that became red before the red search from 5 has been, the cycle would be missed.
#[test]
fn accepting_states_are_waited_for() {
    let successors: [&[u32]; 6] = [&[1, 2], &[3, 4], &[3], &[1], &[5], &[3]];
    finds_the_cycle(&Staged::new(&successors, &[2, 5], &[(2, 4, 1), (4, 5, 1)]), 2);
}

/// 1 is blue but not red when the accepting 2 is left, whose only successor it is: 2 needs a red search.
#[test]
fn who_is_blue_is_not_yet_red() {
    finds_the_cycle(&Staged::new(&[&[1, 2], &[0], &[1]], &[2], &[]), 1);
}

/// The same, but 3 is made blue by the second worker, between the first one's looking at the successors of the accepting 1
/// and its turn. The second is held up at 2 until the first is done.
#[test]
fn who_has_become_blue_meanwhile_is_not_yet_red() {
    let successors: [&[u32]; 5] = [&[1, 2, 3], &[4, 3], &[], &[0], &[]];
    finds_the_cycle(&Staged::new(&successors, &[1], &[(4, 2, 1), (2, 2, 2)]), 2);
}

#[cfg(test)]
/// A chain that ends in a cycle of one state, which is the only accepting one if `accepting` says so.
fn chain(length: u32, accepting: bool) -> Automaton {
    let successors: Vec<Vec<u32>> = (0..length).map(|node| vec![(node + 1).min(length - 1)]).collect();
    let marks = successors.iter().map(|to| vec![1; to.len()]).collect();
    let accepting = (0..length).map(|node| accepting && node + 1 == length).collect();
    Automaton { graph: Graph { successors }, accepting, marks, sets: 1 }
}

#[cfg(test)]
/// A chain as it is, with all states inside.
fn search_chain(automaton: &Automaton, workers: usize, budget: &mut Budget<'_>) -> Emptiness {
    cndfs(automaton, SharedExact::<1>::noting(workers), CycleKind::Strong, workers, 1, budget)
}

#[test]
fn limits_are_results() {
    let run = |memory: usize, states: u64, workers: usize| {
        let mut watch = |_: &_| None;
        let mut budget = Budget { memory, states, ..unlimited(&mut watch) };
        let outcome = search_chain(&chain(100_000, true), workers, &mut budget);
        let Counters { store_bytes, path_bytes, .. } = outcome.counters;
        assert!(store_bytes + path_bytes <= memory, "{store_bytes} and {path_bytes} of {memory} bytes");
        outcome.end
    };
    for workers in [1, 2] {
        assert_eq!(run(usize::MAX, u64::MAX, workers), End::Stopped);
        assert_eq!(run(usize::MAX, 50_000, workers), End::Limited(Limit::States));
        assert_eq!(run(1_000_000, u64::MAX, workers), End::Limited(Limit::Memory));
    }
}

#[test]
fn the_watch_stops_the_search() {
    for workers in [1, 2] {
        let mut watch = |counters: &Counters| (counters.states > 2000).then_some(Limit::Time);
        let outcome = search_chain(&chain(100_000, false), workers, &mut unlimited(&mut watch));
        assert_eq!(outcome.end, End::Limited(Limit::Time));
        assert!(outcome.counters.states < 50_000, "{outcome:?}");
    }
}
