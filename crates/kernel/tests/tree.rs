//! A search over the tree store sees what there is, with any number of workers and while the store grows all the time.

use elnath_kernel::rng::Rng;
use elnath_kernel::search::{End, parallel_bfs};
use elnath_kernel::store::Tree;
use elnath_kernel::{Budget, Limit};
use elnath_testkit::Graph;

#[test]
fn random_graphs_are_seen_completely() {
    for seed in 0..30 {
        let mut rng = Rng::new(seed);
        let graph = Graph::random(100 + rng.below(20_000) as u32, 4, &mut rng);
        let expected = (graph.reachable().len() as u64, graph.reachable_edges() as u64);
        for workers in [1, 2, 5] {
            let mut watch = |_: &_| None;
            let mut budget = Budget {
                memory: usize::MAX,
                depth: usize::MAX,
                states: u64::MAX,
                disk: None,
                watch: &mut watch,
            };
            let store = Tree::with_sizes(2, 2, 1 + seed as u32 % 7);
            let outcome = parallel_bfs(&graph, store, vec![(); workers], &mut budget).outcome;
            assert_eq!(outcome.end, End::Complete, "seed {seed}, {workers} workers");
            assert_eq!((outcome.counters.states, outcome.counters.transitions), expected, "seed {seed}");
        }
    }
}

#[test]
fn running_out_of_memory_is_an_answer() {
    let graph = Graph::random(100_000, 4, &mut Rng::new(1));
    for memory in (100_000..3_000_000).step_by(237_000) {
        for workers in [1, 3] {
            let mut watch = |_: &_| None;
            let mut budget =
                Budget { memory, depth: usize::MAX, states: u64::MAX, disk: None, watch: &mut watch };
            let outcome = parallel_bfs(&graph, Tree::new(), vec![(); workers], &mut budget).outcome;
            assert!(matches!(outcome.end, End::Complete | End::Limited(Limit::Memory)), "{:?}", outcome.end);
            assert!(
                outcome.counters.store_bytes <= memory.max(200_000),
                "{} bytes",
                outcome.counters.store_bytes
            );
        }
    }
}
