//! A search that goes on on disk sees what a search in memory sees, however little memory it has.

use elnath_kernel::rng::Rng;
use elnath_kernel::search::{Edge, End, Hooks, Walked, sample, spill};
use elnath_kernel::store::Tree;
use elnath_kernel::{
    Action, Budget, Describe, Disk, Fault, Limit, Stepper, Successors, System, Terse, Transition, Witness,
    replay,
};
use elnath_testkit::Graph;
use std::ops::ControlFlow;

/// Enough for the parts of small graphs, not for the set of their states.
const TINY: usize = 600_000;

fn disk(most: u64) -> Disk {
    Disk::new(&std::env::temp_dir(), most).expect("a directory")
}

fn walk<H: Hooks + Send>(system: &dyn System, disk: &Disk, hooks: Vec<H>, memory: usize) -> Walked<H> {
    let mut watch = |_: &_| None;
    let mut budget = Budget { memory, depth: usize::MAX, states: u64::MAX, disk: None, watch: &mut watch };
    let store = Tree::for_states(&sample(system, 50, 1));
    spill(system, store, disk, hooks, &mut budget)
}

#[test]
fn random_graphs_are_seen_completely() {
    for seed in 0..20 {
        let mut rng = Rng::new(seed);
        let graph = Graph::random(3000 + rng.below(9000) as u32, 4, &mut rng);
        let (states, edges) = (graph.reachable().len() as u64, graph.reachable_edges() as u64);
        let depth = graph.distances().into_values().max();
        for memory in [TINY, usize::MAX] {
            for workers in [1, 3] {
                let disk = disk(u64::MAX);
                let outcome = walk(&graph, &disk, vec![(); workers], memory).outcome;
                let figures = (outcome.end, outcome.counters.states, outcome.counters.transitions);
                assert_eq!(figures, (End::Complete, states, edges), "seed {seed}, {memory} bytes");
                assert_eq!(Some(outcome.counters.depth), depth);
                assert!(outcome.counters.store_bytes <= memory);
                assert_eq!(disk.used(), 0, "the disk is given back");
            }
        }
    }
}

/// Counters that count on their own, each to its own bound: all combinations are reachable, in few levels.
struct Counting {
    counters: usize,
    bound: u8,
}

impl System for Counting {
    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(CountingStepper(self))
    }

    fn describe(&self) -> &dyn Describe {
        self
    }

    fn bytes(&self) -> usize {
        0
    }
}

impl Terse for Counting {
    fn state_text(&self, state: &[u8]) -> String {
        format!("{state:?}")
    }

    fn action_text(&self, action: Action) -> String {
        action.0.to_string()
    }
}

struct CountingStepper<'a>(&'a Counting);

impl Stepper for CountingStepper<'_> {
    fn initial(&mut self, out: &mut Vec<u8>) {
        *out = vec![0; self.0.counters * 3];
    }

    fn enabled(&mut self, _: &[u8], out: &mut Vec<Transition>) {
        out.clear();
        out.extend((0..self.0.counters as u64).map(Transition));
    }

    fn fire(&mut self, state: &[u8], t: Transition, out: &mut Vec<u8>) -> Result<(), Fault> {
        out.clear();
        out.extend_from_slice(state);
        let counter = &mut out[t.0 as usize * 3];
        *counter = (*counter + 1) % self.0.bound;
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

    elnath_kernel::facets! { none: propositions, acceptance, processes, tally }
}

#[test]
fn a_set_that_was_emptied_many_times_still_counts_right() {
    let system = Counting { counters: 7, bound: 6 };
    let states = 6u64.pow(7);
    for workers in [1, 2] {
        let disk = disk(u64::MAX);
        let outcome = walk(&system, &disk, vec![(); workers], TINY).outcome;
        assert_eq!((outcome.end, outcome.counters.states), (End::Complete, states));
        assert_eq!((outcome.counters.transitions, outcome.counters.depth), (7 * states, 35));
        assert!(disk.peak() > 100_000, "{}", disk.peak());
    }
}

#[test]
fn a_full_disk_is_an_answer() {
    let system = Counting { counters: 7, bound: 6 };
    let disk = disk(100_000);
    let outcome = walk(&system, &disk, vec![()], TINY).outcome;
    assert_eq!(outcome.end, End::Limited(Limit::Disk));
    assert!(outcome.counters.states > 1000 && disk.peak() <= 100_000 && disk.trouble().is_some());
    assert_eq!(disk.used(), 0);
}

#[test]
fn too_little_memory_for_the_parts_is_an_answer() {
    let graph = Graph::random(200_000, 4, &mut Rng::new(1));
    let outcome = walk(&graph, &disk(u64::MAX), vec![()], TINY).outcome;
    assert_eq!(outcome.end, End::Limited(Limit::Memory));
}

/// Stops at a state, or at an edge to it.
#[derive(Clone)]
struct Until {
    state: Vec<u8>,
    edges: bool,
}

impl Hooks for Until {
    fn expand(&mut self, _: &mut dyn Stepper, state: &[u8], _: &Successors) -> ControlFlow<()> {
        if !self.edges && state == self.state { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn edge(&mut self, _: &mut dyn Stepper, edge: Edge<'_>) -> ControlFlow<()> {
        if self.edges && edge.to == self.state { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[test]
fn runs_are_shortest() {
    for seed in 0..6 {
        let graph = Graph::random(10_000, 4, &mut Rng::new(seed));
        let distances = graph.distances();
        let farthest = distances.iter().max_by_key(|&(_, distance)| distance).expect("the root is there");
        for edges in [false, true] {
            for workers in [1, 2] {
                let until = Until { state: Graph::encode(*farthest.0), edges };
                let walked = walk(&graph, &disk(u64::MAX), vec![until.clone(); workers], TINY);
                if *farthest.1 == 0 {
                    continue;
                }
                assert_eq!(
                    walked.outcome.witness.as_ref().map(Witness::length),
                    Some(*farthest.1),
                    "seed {seed}"
                );
                let witness = walked.outcome.witness.and_then(Witness::run).expect("a run");
                let run = replay(&graph, &witness).expect("it is one");
                assert_eq!((run.steps.len(), run.last()), (*farthest.1, &until.state[..]), "seed {seed}");
            }
        }
    }
}
