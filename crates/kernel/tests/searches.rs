//! Both walks, over every store, against naive oracles on random graphs.

use elnath_kernel::rng::Rng;
use elnath_kernel::store::{Bitstate, Compact, Exact, Lossy, Replacement, Replacing, Status, Store};
use elnath_kernel::{
    Budget, Counters, Edge, End, Hooks, Limit, Outcome, Stepper, Successors, System, Witness, bfs, dfsr,
    replay,
};
use elnath_testkit::Graph;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Notes what it is shown, and stops at a state if told to.
#[derive(Default)]
struct Notes {
    expanded: BTreeSet<u32>,
    edges: BTreeSet<(u32, u32)>,
    cycle: bool,
    path: Vec<u32>,
    /// The nodes in the order in which they were entered.
    entered: Vec<u32>,
    /// Edges whose target was known when its turn came.
    met: usize,
    stop_at: Option<u32>,
}

impl Hooks for Notes {
    fn expand(&mut self, _: &mut dyn Stepper, state: &[u8], _: &Successors) -> ControlFlow<()> {
        let node = Graph::decode(state);
        self.expanded.insert(node);
        self.path.push(node);
        self.entered.push(node);
        if self.stop_at == Some(node) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn edge(&mut self, _: &mut dyn Stepper, edge: Edge<'_>) -> ControlFlow<()> {
        self.edges.insert((Graph::decode(edge.from), Graph::decode(edge.to)));
        ControlFlow::Continue(())
    }

    fn back_edge(
        &mut self,
        _: &mut dyn Stepper,
        edge: Edge<'_>,
        position: &dyn Fn() -> usize,
    ) -> ControlFlow<()> {
        assert_eq!(
            self.path[position()],
            Graph::decode(edge.to),
            "the position of a back edge is on the path"
        );
        self.cycle = true;
        self.met += 1;
        ControlFlow::Continue(())
    }

    fn known(&mut self, _: &mut dyn Stepper, edge: Edge<'_>, status: Status) -> ControlFlow<()> {
        assert_eq!(status, Status::Visited);
        assert!(
            !self.path.contains(&Graph::decode(edge.to)),
            "a state on the path was taken for a visited one"
        );
        self.met += 1;
        ControlFlow::Continue(())
    }

    fn leave(&mut self, _: &mut dyn Stepper, state: &[u8]) -> ControlFlow<(), Status> {
        assert_eq!(
            self.path.pop(),
            Some(Graph::decode(state)),
            "states are left in the reverse order of entering"
        );
        ControlFlow::Continue(Status::Visited)
    }
}

fn unlimited(watch: &mut dyn FnMut(&Counters) -> Option<Limit>) -> Budget<'_> {
    Budget { memory: usize::MAX, depth: usize::MAX, states: u64::MAX, disk: None, watch }
}

fn depth_first<S: Store>(graph: &Graph, store: &mut S, notes: &mut Notes) -> Outcome {
    let mut watch = |_: &_| None;
    dfsr(&mut *graph.stepper(), store, notes, &Graph::encode(0), &mut unlimited(&mut watch))
}

fn graphs() -> impl Iterator<Item = (u64, Graph)> {
    (1..400).map(|seed| {
        let mut rng = Rng::new(seed);
        let nodes = 1 + rng.below(60) as u32;
        let degree = 1 + rng.below(4);
        (seed, Graph::random(nodes, degree, &mut rng))
    })
}

/// The order in which the plain recursive search enters the nodes.
fn preorder(graph: &Graph) -> Vec<u32> {
    fn enter(graph: &Graph, node: u32, order: &mut Vec<u32>) {
        order.push(node);
        for &next in &graph.successors[node as usize] {
            if !order.contains(&next) {
                enter(graph, next, order);
            }
        }
    }
    let mut order = Vec::new();
    enter(graph, 0, &mut order);
    order
}

/// A complete depth-first search has seen every reachable state and edge, and a back edge if and only if there is a
/// cycle.
fn check_complete<S: Store>(graph: &Graph, mut store: S, seed: u64) -> u64 {
    let mut notes = Notes::default();
    let outcome = depth_first(graph, &mut store, &mut notes);
    assert_eq!(outcome.end, End::Complete, "seed {seed}");
    assert_eq!(notes.expanded, graph.reachable(), "seed {seed}");
    assert_eq!(notes.cycle, graph.has_cycle(), "seed {seed}");
    assert!(notes.edges.iter().all(|&(from, to)| graph.successors[from as usize].contains(&to)));
    if outcome.counters.replacements == 0 {
        assert_eq!(outcome.counters.states, graph.reachable().len() as u64, "seed {seed}");
        assert_eq!(outcome.counters.transitions, graph.reachable_edges() as u64, "seed {seed}");
        // Every edge either enters a new state or meets a known one: the hooks miss none, though successors are
        // looked at ahead of their turn.
        let entered_by_edges = notes.entered.len() - 1;
        assert_eq!(entered_by_edges + notes.met, graph.reachable_edges(), "seed {seed}");
        assert_eq!(notes.entered, preorder(graph), "looking ahead changed the order, seed {seed}");
    }
    outcome.counters.insertions
}

#[test]
fn depth_first_search_sees_everything_with_every_store() {
    for (seed, graph) in graphs() {
        check_complete(&graph, Exact::new(), seed);
        check_complete(&graph, Lossy::new(Compact::new(64), 8), seed);
        check_complete(&graph, Lossy::new(Bitstate::new(1 << 16, 3), 8), seed);
        check_complete(&graph, Replacing::new(Replacement::Random, 8, usize::MAX, Rng::new(seed)), seed);
    }
}

/// With fewer states than there are, a replacing search either sees everything all the same or says that its path
/// did not fit.
#[test]
fn replacement_forgets_states_but_never_misses_one() {
    let mut completed = 0;
    for (seed, graph) in graphs() {
        let reachable = graph.reachable();
        for most in [reachable.len() * 9 / 10, reachable.len() * 2 / 3].into_iter().filter(|&most| most > 0) {
            for replacement in
                [Replacement::Random, Replacement::LeastRecentlyUsed, Replacement::Stratified { period: 3 }]
            {
                let mut store = Replacing::new(replacement, 8, most, Rng::new(seed));
                let mut notes = Notes::default();
                let outcome = depth_first(&graph, &mut store, &mut notes);
                match outcome.end {
                    End::Complete => {
                        assert_eq!(notes.expanded, reachable, "seed {seed}");
                        assert_eq!(notes.cycle, graph.has_cycle(), "seed {seed}");
                        completed += 1;
                    }
                    End::Limited(Limit::Memory) => assert_eq!(outcome.counters.stored, most as u64),
                    other => panic!("{other:?}, seed {seed}"),
                }
            }
        }
    }
    assert!(completed > 500, "{completed} searches completed");
}

/// How often a search that knows only its path enters a state: once for each way there without a cycle.
fn simple_paths(graph: &Graph, node: u32, path: &mut Vec<u32>) -> u64 {
    path.push(node);
    let mut successors = graph.successors[node as usize].clone();
    // Of edges that are alike all are followed, since what they lead to is forgotten in between.
    successors.retain(|next| !path.contains(next));
    let paths = 1 + successors.iter().map(|&next| simple_paths(graph, next, path)).sum::<u64>();
    path.pop();
    paths
}

#[test]
fn a_heap_beside_the_path_may_have_any_size() {
    for seed in 0..300 {
        let graph = Graph::random(9, 2, &mut Rng::new(seed));
        let reachable = graph.reachable();
        for heap in [0, 1, 2, 3, 100] {
            for replacement in
                [Replacement::Random, Replacement::LeastRecentlyUsed, Replacement::Stratified { period: 3 }]
            {
                let mut store = Replacing::new(replacement, 8, usize::MAX, Rng::new(seed)).with_heap(heap);
                let mut notes = Notes::default();
                let outcome = depth_first(&graph, &mut store, &mut notes);
                assert_eq!(outcome.end, End::Complete, "seed {seed}");
                assert_eq!(notes.expanded, reachable, "seed {seed}, heap {heap}");
                let kept = reachable.len().min(heap) as u64;
                assert_eq!(outcome.counters.stored, kept, "seed {seed}, heap {heap}");
                if heap == 0 {
                    let paths = simple_paths(&graph, 0, &mut Vec::new());
                    assert_eq!(outcome.counters.insertions, paths, "seed {seed}");
                }
                if heap == 100 {
                    assert_eq!(outcome.counters.insertions, reachable.len() as u64, "seed {seed}");
                }
            }
        }
    }
}

#[test]
fn breadth_first_search_finds_shortest_runs() {
    for (seed, graph) in graphs() {
        let distances = graph.distances();
        let mut watch = |_: &_| None;
        let mut notes = Notes::default();
        let outcome = bfs(
            &mut *graph.stepper(),
            &mut Exact::new(),
            &mut notes,
            &Graph::encode(0),
            &mut unlimited(&mut watch),
        );
        assert_eq!(outcome.end, End::Complete);
        assert_eq!(notes.expanded, graph.reachable(), "seed {seed}");
        assert_eq!(Some(&outcome.counters.depth), distances.values().max(), "seed {seed}");
        for (&target, &distance) in &distances {
            let mut notes = Notes { stop_at: Some(target), ..Notes::default() };
            let mut watch = |_: &_| None;
            let budget = &mut unlimited(&mut watch);
            let mut marks = Compact::new(64);
            let outcome = bfs(&mut *graph.stepper(), &mut marks, &mut notes, &Graph::encode(0), budget);
            let witness = outcome.witness.and_then(Witness::run).expect("it was stopped");
            assert_eq!((outcome.end, witness.len()), (End::Stopped, distance), "seed {seed}");
            let run = replay(&graph, &witness).expect("the witness is a run");
            assert_eq!(Graph::decode(run.last()), target);
        }
    }
}

/// The paper's loop goes on after `res` was set, and its transition stack never holds the path: here the walk stops
/// at once and the witness leads exactly to where it stopped.
#[test]
fn a_stopped_depth_first_search_tells_the_path() {
    for (seed, graph) in graphs() {
        for target in graph.reachable() {
            let mut notes = Notes { stop_at: Some(target), ..Notes::default() };
            let outcome = depth_first(&graph, &mut Exact::new(), &mut notes);
            assert_eq!(outcome.end, End::Stopped);
            let run = replay(&graph, &outcome.witness.and_then(Witness::run).expect("it was stopped"))
                .expect("the witness is a run");
            assert_eq!(Graph::decode(run.last()), target, "seed {seed}");
            assert_eq!(run.states.iter().map(|s| Graph::decode(s)).collect::<Vec<_>>(), notes.path);
        }
    }
}

#[test]
fn limits_are_results() {
    let chain =
        Graph { successors: (1..10_001).map(|n| if n < 10_000 { vec![n] } else { vec![] }).collect() };
    let run = |memory: usize, depth: usize, states: u64| {
        let mut watch = |_: &_| None;
        let mut budget = Budget { memory, depth, states, disk: None, watch: &mut watch };
        let root = Graph::encode(0);
        let first = dfsr(&mut *chain.stepper(), &mut Exact::new(), &mut (), &root, &mut budget);
        let second = bfs(&mut *chain.stepper(), &mut Exact::new(), &mut (), &root, &mut budget);
        assert_eq!(first.end, second.end);
        for Counters { store_bytes, path_bytes, .. } in [first.counters, second.counters] {
            // A queue may have been one state longer before the store had its size.
            let most = memory.saturating_add(100);
            assert!(store_bytes + path_bytes <= most, "{store_bytes} and {path_bytes} of {memory} bytes");
        }
        (first.end, first.counters)
    };
    let max = usize::MAX;
    assert_eq!(run(max, max, u64::MAX).0, End::Complete);
    assert_eq!(run(max, 9_999, u64::MAX).0, End::Complete);
    assert_eq!(run(max, 9_998, u64::MAX).0, End::Limited(Limit::Depth));
    assert_eq!(run(max, max, 9_999).0, End::Limited(Limit::States));
    let (end, counters) = run(100_000, max, u64::MAX);
    assert_eq!(end, End::Limited(Limit::Memory));
    assert!(counters.states > 1000, "{counters:?}");
}

#[test]
fn the_watch_stops_a_walk() {
    let graph = Graph { successors: (0..5000).map(|n| vec![(n + 1) % 5000]).collect() };
    let mut watch = |counters: &Counters| (counters.states > 2000).then_some(Limit::Time);
    let budget = &mut unlimited(&mut watch);
    let outcome = dfsr(&mut *graph.stepper(), &mut Exact::new(), &mut (), &Graph::encode(0), budget);
    assert_eq!(outcome.end, End::Limited(Limit::Time));
    assert!((2000..4000).contains(&outcome.counters.states));
}

/// Puts odd nodes aside, to be walked from later.
struct OddLater(Notes);

impl Hooks for OddLater {
    fn expand(
        &mut self,
        stepper: &mut dyn Stepper,
        state: &[u8],
        successors: &Successors,
    ) -> ControlFlow<()> {
        self.0.expand(stepper, state, successors)
    }

    fn defer(&mut self, _: &mut dyn Stepper, state: &[u8]) -> bool {
        Graph::decode(state) % 2 == 1
    }

    fn known(&mut self, _: &mut dyn Stepper, edge: Edge<'_>, status: Status) -> ControlFlow<()> {
        let odd = Graph::decode(edge.to) % 2 == 1;
        assert!(status == Status::Visited || (status == Status::Needed && odd), "{status:?}");
        ControlFlow::Continue(())
    }
}

/// The partial searches of section 4.1: what one walk defers, a later one over the same store has as its root.
#[test]
fn deferred_states_are_walked_when_their_turn_comes() {
    fn check<S: Store>(graph: &Graph, mut store: S, seed: u64) {
        let mut hooks = OddLater(Notes::default());
        for root in graph.reachable() {
            // Roots in any order: those not met yet are simply new.
            let mut watch = |_: &_| None;
            let budget = &mut unlimited(&mut watch);
            let outcome = dfsr(&mut *graph.stepper(), &mut store, &mut hooks, &Graph::encode(root), budget);
            assert_eq!(outcome.end, End::Complete);
        }
        assert_eq!(hooks.0.expanded, graph.reachable(), "seed {seed}");
        assert_eq!(hooks.0.path.len(), graph.reachable().len(), "each state is expanded once, seed {seed}");
    }
    for (seed, graph) in graphs() {
        check(&graph, Exact::new(), seed);
        check(&graph, Lossy::new(Compact::new(64), 8), seed);
        check(&graph, Replacing::new(Replacement::Random, 8, usize::MAX, Rng::new(seed)), seed);
    }
}

/// A tree whose depth-first path is short, then a long chain: the path still grows when the store has filled the
/// memory, and must find room.
#[test]
fn a_path_that_grows_late_finds_room() {
    let (leaves, chain) = (20_000u32, 3_000u32);
    let mut successors = vec![Vec::new(); (1 + leaves + chain) as usize];
    successors[0] = (1..=leaves + 1).collect();
    for node in leaves + 1..leaves + chain {
        successors[node as usize] = vec![node + 1];
    }
    let graph = Graph { successors };
    fn run<S: Store>(graph: &Graph, mut store: S, memory: usize) -> Outcome {
        let mut watch = |_: &_| None;
        let mut budget =
            Budget { memory, depth: usize::MAX, states: u64::MAX, disk: None, watch: &mut watch };
        let outcome = dfsr(&mut *graph.stepper(), &mut store, &mut (), &Graph::encode(0), &mut budget);
        let Counters { store_bytes, path_bytes, .. } = outcome.counters;
        assert!(store_bytes + path_bytes <= memory, "{:?}", outcome.counters);
        outcome
    }
    let replacing = Replacing::new(Replacement::Random, 8, usize::MAX, Rng::new(1));
    let outcome = run(&graph, replacing, 800_000);
    assert_eq!(outcome.end, End::Complete, "{outcome:?}");
    assert!(outcome.counters.replacements > 0, "the memory was not small enough to show anything");
    let outcome = run(&graph, Lossy::new(Compact::new(64), 8), 1_000_000);
    assert_eq!(outcome.end, End::Complete, "{outcome:?}");
}

/// Thirty levels of four states, each with an edge to every state of the next level: 4^29 paths through 117 states.
/// A memory for little more than one path forgets nearly everything.
#[test]
fn thrashing_is_noticed() {
    let (levels, width) = (30, 4);
    let level = |n: u32| (1 + n * width..1 + (n + 1) * width).collect::<Vec<u32>>();
    let graph = Graph {
        successors: (0..=levels * width)
            .map(|node| {
                let next = node.div_ceil(width);
                if next < levels { level(next) } else { Vec::new() }
            })
            .collect(),
    };
    let run = |most: usize| {
        let mut store = Replacing::new(Replacement::Random, 8, most, Rng::new(7));
        depth_first(&graph, &mut store, &mut Notes::default()).end
    };
    assert_eq!(run(levels as usize + 3), End::Limited(Limit::Thrashing));
    assert_eq!(run(levels as usize), End::Limited(Limit::Memory));
    assert_eq!(run((levels * width) as usize - 5), End::Complete);
}
