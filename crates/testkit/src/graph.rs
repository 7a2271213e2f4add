//! Small explicit graphs as systems, and what is true of them.

use elnath_kernel::rng::Rng;
use elnath_kernel::{Action, Describe, Fault, Stepper, Successors, System, Terse, Transition};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A graph whose node 0 is the initial state. Node n is encoded in `1 + n % 7 * 9` bytes or so, since stores must cope
/// with states of any length.
#[derive(Clone, Debug)]
pub struct Graph {
    /// The successors of each node.
    pub successors: Vec<Vec<u32>>,
}

impl Graph {
    /// A random graph of `nodes` nodes with up to `degree` edges each.
    pub fn random(nodes: u32, degree: u64, rng: &mut Rng) -> Self {
        let edges = |rng: &mut Rng| {
            let n = rng.below(degree + 1);
            (0..n).map(|_| rng.below(u64::from(nodes)) as u32).collect()
        };
        Self { successors: (0..nodes).map(|_| edges(rng)).collect() }
    }

    /// The bytes of a node.
    pub fn encode(node: u32) -> Vec<u8> {
        let mut bytes = node.to_le_bytes().to_vec();
        bytes.resize(4 + (node % 7 * 9) as usize, 0xa5);
        bytes
    }

    /// The node of some bytes.
    pub fn decode(state: &[u8]) -> u32 {
        u32::from_le_bytes(state[..4].try_into().expect("four bytes"))
    }

    /// The reachable nodes with their distance from node 0.
    pub fn distances(&self) -> BTreeMap<u32, usize> {
        let mut distances = BTreeMap::from([(0, 0)]);
        let mut queue = VecDeque::from([0]);
        while let Some(node) = queue.pop_front() {
            for &next in &self.successors[node as usize] {
                if !distances.contains_key(&next) {
                    distances.insert(next, distances[&node] + 1);
                    queue.push_back(next);
                }
            }
        }
        distances
    }

    /// The reachable nodes.
    pub fn reachable(&self) -> BTreeSet<u32> {
        self.distances().into_keys().collect()
    }

    /// How many edges leave reachable nodes.
    pub fn reachable_edges(&self) -> usize {
        self.reachable().iter().map(|&node| self.successors[node as usize].len()).sum()
    }

    /// Whether a cycle is reachable: whether taking away nodes without successors, again and again, leaves some.
    pub fn has_cycle(&self) -> bool {
        let mut left = self.reachable();
        loop {
            let before = left.len();
            let alive = |node: &u32| self.successors[*node as usize].iter().any(|next| left.contains(next));
            left = left.iter().copied().filter(alive).collect();
            if left.len() == before {
                return !left.is_empty();
            }
        }
    }
}

impl System for Graph {
    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(GraphStepper(self))
    }

    fn describe(&self) -> &dyn Describe {
        self
    }

    fn bytes(&self) -> usize {
        0
    }
}

impl Terse for Graph {
    fn state_text(&self, state: &[u8]) -> String {
        Self::decode(state).to_string()
    }

    fn action_text(&self, action: Action) -> String {
        format!("to {}", action.0)
    }
}

struct GraphStepper<'a>(&'a Graph);

impl GraphStepper<'_> {
    fn target(&self, state: &[u8], t: Transition) -> u32 {
        self.0.successors[Graph::decode(state) as usize][t.0 as usize]
    }
}

impl Stepper for GraphStepper<'_> {
    fn initial(&mut self, out: &mut Vec<u8>) {
        *out = Graph::encode(0);
    }

    fn enabled(&mut self, state: &[u8], out: &mut Vec<Transition>) {
        out.clear();
        out.extend((0..self.0.successors[Graph::decode(state) as usize].len() as u64).map(Transition));
    }

    fn fire(&mut self, state: &[u8], t: Transition, out: &mut Vec<u8>) -> Result<(), Fault> {
        *out = Graph::encode(self.target(state, t));
        Ok(())
    }

    fn action(&mut self, state: &[u8], t: Transition) -> Action {
        Action(self.target(state, t))
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
