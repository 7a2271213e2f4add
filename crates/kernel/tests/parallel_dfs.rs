//! Depth-first search by many workers over one bit array: the same states as one worker, and runs that replay.

use elnath_kernel::rng::Rng;
use elnath_kernel::search::parallel_dfs;
use elnath_kernel::store::{Lossy, SharedBits, SharedBitstate};
use elnath_kernel::{
    Action, Budget, Counters, Coverage, Describe, Edge, End, Fault, Hooks, Limit, Stepper, Successors,
    System, Terse, Transition, Walked, Witness, replay,
};
use elnath_testkit::{Graph, check_marks};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Notes the states it is shown, and stops at one of them or at a transition to one.
#[derive(Clone, Default)]
struct Seek {
    state: Option<u32>,
    edge: Option<u32>,
    goes_on: bool,
    states: Vec<u32>,
    breaks: usize,
}

impl Hooks for Seek {
    fn expand(&mut self, _: &mut dyn Stepper, state: &[u8], _: &Successors) -> ControlFlow<()> {
        let node = Graph::decode(state);
        self.states.push(node);
        if self.state != Some(node) {
            return ControlFlow::Continue(());
        }
        self.breaks += 1;
        ControlFlow::Break(())
    }

    fn edge(&mut self, _: &mut dyn Stepper, edge: Edge<'_>) -> ControlFlow<()> {
        if self.edge != Some(Graph::decode(edge.to)) {
            return ControlFlow::Continue(());
        }
        self.breaks += 1;
        ControlFlow::Break(())
    }

    fn goes_on(&self) -> bool {
        self.goes_on
    }
}

const WORKERS: [usize; 3] = [1, 2, 4];

/// A graph of which most can be reached.
fn graph(nodes: u32, seed: u64) -> Graph {
    let mut graph = Graph::random(nodes, 4, &mut Rng::new(seed));
    graph.successors[0] = (1..8).collect();
    graph
}

fn walk(graph: &Graph, bits: &SharedBitstate, workers: usize, seek: &Seek) -> Walked<Seek> {
    let mut watch = |_: &Counters| None;
    let mut budget =
        Budget { memory: usize::MAX, depth: usize::MAX, states: u64::MAX, disk: None, watch: &mut watch };
    let stores: Vec<Lossy<SharedBits<'_>>> = (0..workers).map(|_| Lossy::new(bits.view(), 8)).collect();
    parallel_dfs(graph, bits.bytes(), stores, vec![seek.clone(); workers], &mut budget)
}

#[test]
fn a_view_is_a_memory_of_marks() {
    for seed in 0..4 {
        check_marks(SharedBitstate::new(1 << 24, 3).view(), 0, seed);
        check_marks(SharedBitstate::new(30_000, 2).view(), 3000, seed);
    }
}

#[test]
fn all_states_are_seen_whoever_sees_them() {
    for seed in 0..60 {
        let graph = Graph::random(2 + seed as u32 * 7, 1 + seed % 5, &mut Rng::new(seed));
        for workers in WORKERS {
            let bits = SharedBitstate::new(1 << 20, 3);
            let walked = walk(&graph, &bits, workers, &Seek::default());
            assert_eq!(walked.outcome.end, End::Complete, "seed {seed}");
            let mut states: Vec<u32> = walked.hooks.into_iter().flat_map(|seek| seek.states).collect();
            states.sort_unstable();
            states.dedup();
            assert!(states.into_iter().eq(graph.reachable()), "seed {seed}, {workers} workers");
            // Two workers may believe that they have found the same state.
            assert!(bits.len() >= graph.reachable().len() as u64, "seed {seed}, {workers} workers");
        }
    }
}

#[test]
fn work_is_shared() {
    // One way to begin, and then plenty to do: without gifts the second worker would have nothing.
    let mut graph = Graph::random(200_000, 4, &mut Rng::new(3));
    graph.successors[0] = vec![1];
    graph.successors[1] = (2..40).collect();
    let walked = walk(&graph, &SharedBitstate::new(1 << 24, 3), 2, &Seek::default());
    let shares: Vec<usize> = walked.hooks.iter().map(|seek| seek.states.len()).collect();
    assert!(shares.iter().sum::<usize>() >= graph.reachable().len());
    assert!(shares.iter().all(|&share| share > 0), "{shares:?}");
}

#[test]
fn the_run_to_what_is_found_replays() {
    for seed in 0..80 {
        let (graph, mut rng) = (graph(3000, seed), Rng::new(seed));
        let reachable: Vec<u32> = graph.reachable().into_iter().collect();
        let target = reachable[rng.below(reachable.len() as u64) as usize];
        for workers in WORKERS {
            let seeks = [
                Seek { state: Some(target), ..Seek::default() },
                Seek { edge: Some(target), ..Seek::default() },
                Seek { state: Some(target), goes_on: true, ..Seek::default() },
            ];
            for seek in seeks {
                let walked = walk(&graph, &SharedBitstate::new(1 << 20, 3), workers, &seek);
                let Some(steps) = walked.outcome.witness.and_then(Witness::run) else {
                    assert!(
                        seek.edge == Some(0),
                        "nothing but the root need have no edge to it, seed {seed}"
                    );
                    continue;
                };
                let end = if seek.goes_on { End::Complete } else { End::Stopped };
                assert_eq!(walked.outcome.end, end, "seed {seed}, {workers} workers");
                let run = replay(&graph, &steps).expect("a run");
                assert_eq!(Graph::decode(run.last()), target, "seed {seed}, {workers} workers");
            }
        }
    }
}

#[test]
fn limits_end_everybody() {
    let graph = graph(100_000, 1);
    for workers in WORKERS {
        let bits = SharedBitstate::new(1 << 20, 3);
        let stores = || (0..workers).map(|_| Lossy::new(bits.view(), 8)).collect::<Vec<_>>();
        let mut calls = 0;
        let mut watch = |_: &Counters| {
            calls += 1;
            (calls > 3).then_some(Limit::Time)
        };
        let mut budget =
            Budget { memory: usize::MAX, depth: usize::MAX, states: u64::MAX, disk: None, watch: &mut watch };
        let hooks = vec![Seek::default(); workers];
        let walked = parallel_dfs(&graph, bits.bytes(), stores(), hooks, &mut budget);
        assert_eq!(walked.outcome.end, End::Limited(Limit::Time));
        let mut watch = |_: &Counters| None;
        let mut budget =
            Budget { memory: usize::MAX, depth: 3, states: u64::MAX, disk: None, watch: &mut watch };
        let bits = SharedBitstate::new(1 << 20, 3);
        let stores = (0..workers).map(|_| Lossy::new(bits.view(), 8)).collect::<Vec<_>>();
        let walked = parallel_dfs(&graph, bits.bytes(), stores, vec![Seek::default(); workers], &mut budget);
        assert_eq!(walked.outcome.end, End::Limited(Limit::Depth));
        assert!(walked.outcome.counters.depth <= 3);
    }
}

/// Runs are counted from the root, though a worker may have been given a state that is behind it.
#[test]
fn nobody_goes_deeper_than_he_may() {
    let mut graph = Graph::random(200_000, 4, &mut Rng::new(3));
    graph.successors[0] = vec![1];
    graph.successors[1] = (2..40).collect();
    let distances = graph.distances();
    for workers in WORKERS {
        let bits = SharedBitstate::new(1 << 24, 3);
        let stores = (0..workers).map(|_| Lossy::new(bits.view(), 8)).collect::<Vec<_>>();
        let mut watch = |_: &Counters| None;
        let mut budget =
            Budget { memory: usize::MAX, depth: 9, states: u64::MAX, disk: None, watch: &mut watch };
        let walked = parallel_dfs(&graph, bits.bytes(), stores, vec![Seek::default(); workers], &mut budget);
        assert_eq!(walked.outcome.end, End::Limited(Limit::Depth));
        let states: Vec<u32> = walked.hooks.into_iter().flat_map(|seek| seek.states).collect();
        assert!(states.iter().all(|state| distances[state] <= 9), "{workers} workers");
        assert!(states.len() > 1000, "{}", states.len());
    }
}

/// A single step, which takes long. The leader, who asks for a stepper first to see the root, is made to come too late
/// with his second, so that the other one takes it.
struct Step {
    leader: std::thread::ThreadId,
    asked: AtomicU32,
}

impl System for Step {
    fn stepper(&self) -> Box<dyn Stepper + '_> {
        if std::thread::current().id() == self.leader && self.asked.fetch_add(1, Ordering::Relaxed) == 1 {
            std::thread::sleep(Duration::from_millis(100));
        }
        Box::new(Stepping)
    }

    fn describe(&self) -> &dyn Describe {
        self
    }

    fn bytes(&self) -> usize {
        0
    }
}

impl Terse for Step {
    fn state_text(&self, state: &[u8]) -> String {
        format!("{state:?}")
    }

    fn action_text(&self, _: Action) -> String {
        "step".to_owned()
    }
}

struct Stepping;

impl Stepper for Stepping {
    fn initial(&mut self, out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(&[0; 4]);
    }

    fn enabled(&mut self, state: &[u8], out: &mut Vec<Transition>) {
        out.clear();
        if Graph::decode(state) == 0 {
            out.push(Transition(0));
        }
    }

    fn fire(&mut self, _: &[u8], _: Transition, out: &mut Vec<u8>) -> Result<(), Fault> {
        std::thread::sleep(Duration::from_millis(600));
        out.clear();
        out.extend_from_slice(&1u32.to_le_bytes());
        Ok(())
    }

    fn action(&mut self, _: &[u8], _: Transition) -> Action {
        Action(0)
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
fn a_leader_with_nothing_to_do_sees_to_the_limits() {
    let leader = std::thread::current().id();
    let step = Step { leader, asked: AtomicU32::new(0) };
    let bits = SharedBitstate::new(1 << 22, 3);
    let stores: Vec<_> = (0..2).map(|_| Lossy::new(bits.view(), 4)).collect();
    let mut calls = 0;
    let mut watch = |_: &Counters| {
        calls += 1;
        (calls > 1).then_some(Limit::Time)
    };
    let mut budget =
        Budget { memory: usize::MAX, depth: usize::MAX, states: u64::MAX, disk: None, watch: &mut watch };
    let walked = parallel_dfs(&step, bits.bytes(), stores, vec![Seek::default(); 2], &mut budget);
    assert_eq!(walked.outcome.end, End::Limited(Limit::Time));
    assert_eq!(walked.hooks[0].states.len(), 0, "the other one had the work");
}

#[test]
fn a_full_array_says_that_it_omits() {
    let graph = graph(50_000, 2);
    for workers in WORKERS {
        let bits = SharedBitstate::new(2000, 2);
        let walked = walk(&graph, &bits, workers, &Seek::default());
        assert_eq!(walked.outcome.end, End::Complete);
        let seen = bits.len();
        assert!(seen < graph.reachable().len() as u64);
        let Coverage::Lossy { expected_omissions, omission_probability } = bits.coverage() else {
            panic!("bits are lossy")
        };
        assert!(expected_omissions > 100.0 && omission_probability > 0.1, "{expected_omissions}");
    }
}

/// However little is omitted, it is not nothing, and about the same for one worker and for many.
#[test]
fn an_empty_array_omits_next_to_nothing() {
    let graph = graph(100_000, 2);
    let omitted = WORKERS.map(|workers| {
        let bits = SharedBitstate::new(1 << 24, 3);
        walk(&graph, &bits, workers, &Seek::default());
        match bits.coverage() {
            Coverage::Lossy { expected_omissions, .. } => expected_omissions,
            Coverage::Exhaustive => panic!("bits are lossy"),
        }
    });
    assert!(omitted.iter().all(|&some| some > 0.0 && some < 1e-3), "{omitted:?}");
    assert!(omitted.iter().all(|&some| some > omitted[0] / 2.0 && some < omitted[0] * 2.0), "{omitted:?}");
}
