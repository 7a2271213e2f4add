//! Small explicit automata over infinite runs as systems, and what is true of them.

use crate::Graph;
use elnath_kernel::rng::Rng;
use elnath_kernel::{Acceptance, AcceptedBy, Stepper, System, Transition};
use std::collections::{BTreeMap, BTreeSet};

/// A graph with accepting nodes and marked edges. Node 0 is the initial state.
#[derive(Clone, Debug)]
pub struct Automaton {
    /// Its nodes and edges.
    pub graph: Graph,
    /// By node: whether it is accepting.
    pub accepting: Vec<bool>,
    /// By node and edge: the marks of the edge.
    pub marks: Vec<Vec<u64>>,
    /// The number of acceptance sets.
    pub sets: u32,
}

impl Automaton {
    /// An automaton without marks whose edges and accepting nodes are given.
    pub fn new(successors: &[&[u32]], accepting: &[u32]) -> Self {
        let successors: Vec<Vec<u32>> = successors.iter().map(|to| to.to_vec()).collect();
        let marks = successors.iter().map(|to| vec![0; to.len()]).collect();
        let accepting = (0..successors.len() as u32).map(|node| accepting.contains(&node)).collect();
        Self { graph: Graph { successors }, accepting, marks, sets: 0 }
    }

    /// A random automaton of `nodes` nodes with up to `degree` edges each, a few of them accepting, and marks of `sets`
    /// sets.
    pub fn random(nodes: u32, degree: u64, sets: u32, rng: &mut Rng) -> Self {
        let graph = Graph::random(nodes, degree, rng);
        let rarity = 1 + rng.below(4);
        let accepting = (0..nodes).map(|_| rng.below(rarity + 1) == 0).collect();
        let mut mark = |_: &u32| (0..sets).fold(0, |marks, set| marks | u64::from(rng.below(4) == 0) << set);
        let marks = graph.successors.iter().map(|to| to.iter().map(&mut mark).collect()).collect();
        Self { graph, accepting, marks, sets }
    }

    /// The same automaton made weak: all nodes of a component are accepting, or none.
    #[must_use]
    pub fn weakened(mut self) -> Self {
        let reach: Vec<BTreeSet<u32>> =
            (0..self.accepting.len() as u32).map(|node| self.beyond(node, |_| true)).collect();
        let same =
            |a: usize, b: usize| a == b || (reach[a].contains(&(b as u32)) && reach[b].contains(&(a as u32)));
        let first = |node: usize| (0..=node).find(|&other| same(node, other)).expect("it is like itself");
        self.accepting = (0..self.accepting.len()).map(|node| self.accepting[first(node)]).collect();
        self
    }

    /// The nodes that are reached from a node by at least one edge, through nodes (the last included) of some kind.
    fn beyond(&self, from: u32, kind: impl Fn(u32) -> bool) -> BTreeSet<u32> {
        let mut found = BTreeSet::new();
        let mut left = vec![from];
        while let Some(node) = left.pop() {
            for &next in &self.graph.successors[node as usize] {
                if kind(next) && found.insert(next) {
                    left.push(next);
                }
            }
        }
        found
    }

    /// Whether an accepting node is reachable that lies on a cycle.
    pub fn has_accepting_cycle(&self) -> bool {
        let on_cycle = |&node: &u32| self.beyond(node, |_| true).contains(&node);
        self.graph.reachable().iter().filter(|&&node| self.accepting[node as usize]).any(on_cycle)
    }

    /// Whether a cycle is reachable that has no accepting node.
    pub fn has_rejecting_cycle(&self) -> bool {
        let rejecting = |node: u32| !self.accepting[node as usize];
        let on_cycle = |&node: &u32| self.beyond(node, rejecting).contains(&node);
        self.graph.reachable().iter().filter(|&&node| rejecting(node)).any(on_cycle)
    }

    /// The length of a shortest lasso that is accepted: from every reachable node, all pairs of a node and a set of marks
    /// are found with the length of the shortest walk to them, by repeating that until nothing changes.
    pub fn shortest_lasso(&self, acceptance: &AcceptedBy) -> Option<usize> {
        let mut stepper = self.stepper();
        let condition = acceptance.condition();
        let mut arcs = Vec::new();
        for (from, to) in self.graph.successors.iter().enumerate() {
            for (edge, &to) in to.iter().enumerate() {
                let state = Graph::encode(from as u32);
                if let Some(marks) = acceptance.marks(&mut *stepper, &state, Transition(edge as u64)) {
                    arcs.push((from as u32, to, marks));
                }
            }
        }
        let lengths = self.graph.distances().into_iter().filter_map(|(start, distance)| {
            let mut walks: BTreeMap<(u32, u64, bool), usize> = BTreeMap::from([((start, 0, false), 0)]);
            loop {
                let mut changed = false;
                for ((node, met, _), length) in walks.clone() {
                    for &(_, to, marks) in arcs.iter().filter(|arc| arc.0 == node) {
                        let walk = walks.entry((to, met | marks, true)).or_insert(usize::MAX);
                        changed |= *walk > length + 1;
                        *walk = (*walk).min(length + 1);
                    }
                }
                if !changed {
                    break;
                }
            }
            let closed = walks
                .iter()
                .filter(|&(&(node, met, moved), _)| moved && node == start && condition.accepts(met));
            closed.map(|(_, &length)| distance + length).min()
        });
        lengths.min()
    }
}

impl System for Automaton {
    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(AutomatonStepper { automaton: self, graph: self.graph.stepper() })
    }

    elnath_kernel::hand_on! { graph: describe, bytes }
}

struct AutomatonStepper<'a> {
    automaton: &'a Automaton,
    graph: Box<dyn Stepper + 'a>,
}

impl Stepper for AutomatonStepper<'_> {
    elnath_kernel::hand_on! {
        graph: initial, enabled, fire, successors, action, may_end, transition_bits
    }
    elnath_kernel::facets! { mine: acceptance; below graph: propositions, processes, tally }
}

impl Acceptance for AutomatonStepper<'_> {
    fn sets(&mut self) -> u32 {
        self.automaton.sets
    }

    fn marks(&mut self, state: &[u8], t: Transition) -> u64 {
        self.automaton.marks[Graph::decode(state) as usize][t.0 as usize]
    }

    fn accepting(&mut self, state: &[u8]) -> bool {
        self.automaton.accepting[Graph::decode(state) as usize]
    }

    fn may_recur(&mut self, _state: &[u8]) -> bool {
        true
    }

    fn recurs_by_last_byte(&mut self) -> Option<Box<[bool; 256]>> {
        None
    }
}
