//! Many workers over one store: the same states, transitions and shortest runs as one, however often the store grows.

use elnath_kernel::rng::Rng;
use elnath_kernel::store::{Full, Ref, Shared, SharedExact};
use elnath_kernel::{
    Budget, Counters, Edge, End, Hooks, Limit, Stepper, Successors, Walked, Witness, parallel_bfs, replay,
};
use elnath_testkit::Graph;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::{Mutex, RwLock};

/// Stops at a state, or at a transition to one, and counts what it is shown.
#[derive(Clone, Default)]
struct Seek {
    state: Option<u32>,
    edge: Option<u32>,
    goes_on: bool,
    states: Vec<u32>,
    edges: usize,
    breaks: usize,
    panics: bool,
}

impl Seek {
    fn flow(&mut self, stop: bool) -> ControlFlow<()> {
        if !stop {
            return ControlFlow::Continue(());
        }
        self.breaks += 1;
        ControlFlow::Break(())
    }
}

impl Hooks for Seek {
    fn expand(&mut self, _: &mut dyn Stepper, state: &[u8], _: &Successors) -> ControlFlow<()> {
        let node = Graph::decode(state);
        assert!(!self.panics || node != 777, "as the test wants it");
        self.states.push(node);
        self.flow(self.state == Some(node))
    }

    fn edge(&mut self, _: &mut dyn Stepper, edge: Edge<'_>) -> ControlFlow<()> {
        self.edges += 1;
        self.flow(self.edge == Some(Graph::decode(edge.to)))
    }

    fn goes_on(&self) -> bool {
        self.goes_on
    }
}

const WORKERS: [usize; 3] = [1, 2, 4];

fn walk(graph: &Graph, workers: usize, seek: &Seek) -> Walked<Seek> {
    let mut watch = |_: &_| None;
    let mut budget =
        Budget { memory: usize::MAX, depth: usize::MAX, states: u64::MAX, disk: None, watch: &mut watch };
    parallel_bfs(graph, SharedExact::with_slots(workers, 2), vec![seek.clone(); workers], &mut budget)
}

/// Small graphs, of which every state is sought, and some that are wide enough for several workers.
fn graphs() -> Vec<(u64, Graph)> {
    let small = (1..150).map(|seed| (seed, 60, 4));
    let large = (150..170).map(|seed| (seed, 6000, 5));
    let graph = |(seed, nodes, degree)| {
        let mut rng = Rng::new(seed);
        let nodes = 1 + rng.below(nodes) as u32;
        (seed, Graph::random(nodes, 1 + rng.below(degree), &mut rng))
    };
    small.chain(large).map(graph).collect()
}

/// The length of the run to what was found.
fn length(walked: &Walked<Seek>) -> Option<usize> {
    walked.outcome.witness.as_ref().map(Witness::length)
}

#[test]
fn all_states_and_transitions_are_seen_once() {
    for (seed, graph) in graphs() {
        for workers in WORKERS {
            let Walked { outcome, hooks, .. } = walk(&graph, workers, &Seek::default());
            assert_eq!((outcome.end, &outcome.witness), (End::Complete, &None));
            let mut states: Vec<u32> = hooks.iter().flat_map(|hook| hook.states.iter().copied()).collect();
            states.sort_unstable();
            let reachable = graph.distances();
            assert!(states.iter().eq(reachable.keys()), "seed {seed}, {workers} workers");
            let Counters { states, transitions, depth, .. } = outcome.counters;
            assert_eq!(states, reachable.len() as u64);
            assert_eq!(transitions, graph.reachable_edges() as u64);
            assert_eq!(transitions, hooks.iter().map(|hook| hook.edges as u64).sum());
            assert_eq!(Some(&depth), reachable.values().max());
        }
    }
}

#[test]
fn runs_are_shortest() {
    for (seed, graph) in graphs() {
        let distances = graph.distances();
        let some = distances.len().div_ceil(40);
        for (&target, &distance) in distances.iter().step_by(some) {
            for workers in WORKERS {
                let what = format!("node {target}, seed {seed}, {workers} workers");
                let at_state = walk(&graph, workers, &Seek { state: Some(target), ..Seek::default() });
                assert_eq!(
                    (at_state.outcome.end, length(&at_state)),
                    (End::Stopped, Some(distance)),
                    "{what}"
                );
                let steps = at_state.outcome.witness.and_then(Witness::run).expect("the store keeps parents");
                let run = replay(&graph, &steps).expect("a run");
                assert_eq!((run.steps.len(), Graph::decode(run.last())), (distance, target), "{what}");
                // Into the initial state there may be no transition, or only a late one.
                let at_edge = walk(&graph, workers, &Seek { edge: Some(target), ..Seek::default() });
                assert!(target == 0 || length(&at_edge) == Some(distance), "{what}");
                if let Some(Witness::Run(steps)) = at_edge.outcome.witness {
                    assert_eq!(Graph::decode(replay(&graph, &steps).expect("a run").last()), target);
                }
                // Of a state and a transition in one level, the state is nearer.
                let both = Seek { state: Some(target), edge: Some(0), ..Seek::default() };
                let to_root =
                    distances.iter().filter(|(node, _)| graph.successors[**node as usize].contains(&0));
                let nearest =
                    to_root.map(|(_, distance)| distance + 1).min().map_or(distance, |to| to.min(distance));
                assert_eq!(length(&walk(&graph, workers, &both)), Some(nearest), "{what}");
            }
        }
    }
}

#[test]
fn a_walk_that_goes_on_counts_everything_and_keeps_a_shortest_run() {
    for (seed, graph) in graphs() {
        let distances = graph.distances();
        let Some((&target, &distance)) = distances.iter().last() else { continue };
        for workers in WORKERS {
            let seek = Seek { state: Some(target), edge: Some(target), goes_on: true, ..Seek::default() };
            let Walked { outcome, hooks, .. } = walk(&graph, workers, &seek);
            assert_eq!(outcome.end, End::Complete, "seed {seed}");
            assert_eq!(outcome.witness.and_then(Witness::run).map(|run| run.len()), Some(distance));
            let edges = distances.keys().flat_map(|&node| &graph.successors[node as usize]);
            let expected = 1 + edges.filter(|&&to| to == target).count();
            assert_eq!(hooks.iter().map(|hook| hook.breaks).sum::<usize>(), expected, "seed {seed}");
        }
    }
}

/// One worker does the same every time, in the same order.
#[test]
fn one_worker_is_deterministic() {
    for (_, graph) in graphs() {
        let (first, second) = (walk(&graph, 1, &Seek::default()), walk(&graph, 1, &Seek::default()));
        assert_eq!(first.outcome, second.outcome);
        assert_eq!(first.hooks[0].states, second.hooks[0].states);
    }
}

#[test]
fn limits_are_results() {
    let wide = Graph {
        successors: (0..20_000u32).map(|n| (1..=3).map(|k| (n * 3 + k) % 20_000).collect()).collect(),
    };
    let total = wide.reachable().len() as u64;
    for workers in WORKERS {
        let run = |memory: usize, depth: usize, states: u64, stop_after: u32| {
            let mut calls = 0;
            let mut watch = |_: &Counters| {
                calls += 1;
                (calls > stop_after).then_some(Limit::Time)
            };
            let mut budget = Budget { memory, depth, states, disk: None, watch: &mut watch };
            let outcome =
                parallel_bfs(&wide, SharedExact::new(workers), vec![(); workers], &mut budget).outcome;
            let Counters { store_bytes, path_bytes, .. } = outcome.counters;
            assert!(store_bytes + path_bytes <= memory, "{store_bytes} and {path_bytes} of {memory} bytes");
            (outcome.end, outcome.counters)
        };
        let max = usize::MAX;
        let (end, Counters { depth, .. }) = run(max, max, u64::MAX, u32::MAX);
        assert_eq!(end, End::Complete);
        assert_eq!(run(max, depth, total, u32::MAX).0, End::Complete);
        assert_eq!(run(max, depth - 1, u64::MAX, u32::MAX).0, End::Limited(Limit::Depth));
        let (end, counters) = run(max, max, total - 1, u32::MAX);
        assert_eq!((end, counters.states), (End::Limited(Limit::States), total));
        assert_eq!(run(max, max, u64::MAX, 0).0, End::Limited(Limit::Time));
        for memory in [0, 10_000, 50_000, 200_000, 500_000] {
            let (end, counters) = run(memory.max(1 << 13), max, u64::MAX, u32::MAX);
            assert_eq!(end, End::Limited(Limit::Memory));
            assert!(memory < 200_000 || counters.states > memory as u64 / 200, "{memory}: {counters:?}");
        }
    }
}

#[test]
fn a_panic_of_a_worker_ends_the_walk() {
    let graph =
        Graph { successors: (0..5000u32).map(|n| (1..=3).map(|k| (n * 3 + k) % 5000).collect()).collect() };
    for workers in WORKERS {
        let seek = Seek { panics: true, ..Seek::default() };
        let result = std::panic::catch_unwind(|| walk(&graph, workers, &seek).outcome);
        assert!(result.is_err());
    }
}

/// States of any length, many alike, put in by several workers at once: each is new once, lies where it was put, and
/// knows where it came from, while the store grows all the time.
#[test]
fn the_shared_store_agrees_with_a_hash_set() {
    fn random_state(rng: &mut Rng) -> Vec<u8> {
        let len = [0, 1, 7, 8, 9, 24, 60, rng.below(300) as usize][rng.below(8) as usize];
        let mut state = vec![0; len];
        if let Some(last) = len.checked_sub(1) {
            state[rng.below(last as u64 + 1) as usize] = rng.below(200) as u8;
            state[last] = rng.below(4) as u8;
        }
        state
    }
    for workers in WORKERS {
        let store = RwLock::new(SharedExact::with_slots(workers, 2));
        let new: Mutex<Vec<(Vec<u8>, Ref, Ref)>> = Mutex::default();
        let offered: Mutex<Vec<Vec<u8>>> = Mutex::default();
        let mut local = std::thread::scope(|scope| {
            let put_in = |number: usize| {
                let (store, new, offered) = (&store, &new, &offered);
                scope.spawn(move || {
                    let mut rng = Rng::new(number as u64 % 2);
                    let mut local = store.read().unwrap().worker();
                    for step in 0..20_000 {
                        let (state, from) = (random_state(&mut rng), Ref(step));
                        let at = loop {
                            let guard = store.read().unwrap();
                            let key = guard.key(&mut local, &state).unwrap();
                            guard.prefetch(key);
                            let located = guard.locate(key);
                            if located.is_some_and(|at| guard.is_at(at, &state)) {
                                break None;
                            }
                            match guard.insert(&mut local, &state, key, from) {
                                Ok(at) => break at,
                                Err(Full) => drop(guard),
                            }
                            store.write().unwrap().grow(usize::MAX).unwrap();
                        };
                        offered.lock().unwrap().push(state.clone());
                        if let Some(at) = at {
                            new.lock().unwrap().push((state, at, from));
                        }
                    }
                    local
                })
            };
            let workers: Vec<_> = (0..workers).map(put_in).collect();
            workers.into_iter().map(|worker| worker.join().unwrap()).next_back().unwrap()
        });
        let (mut store, new, offered) =
            (store.into_inner().unwrap(), new.into_inner().unwrap(), offered.into_inner().unwrap());
        store.grow(usize::MAX).unwrap();
        let distinct: HashMap<&[u8], (Ref, Ref)> =
            new.iter().map(|(state, at, from)| (&state[..], (*at, *from))).collect();
        assert_eq!((distinct.len(), store.len()), (new.len(), new.len() as u64), "a state was new twice");
        let mut read = Vec::new();
        for state in &offered {
            let (at, from) = distinct[&state[..]];
            store.read(&mut local, at, &mut read);
            assert_eq!(&read, state);
            assert_eq!(store.parent(at), Some(from));
            let key = store.key(&mut local, state).unwrap();
            assert_eq!(store.insert(&mut local, state, key, Ref::NONE), Ok(None), "a state was lost");
        }
    }
}
