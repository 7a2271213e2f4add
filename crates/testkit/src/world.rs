//! Small random systems, given as graphs, with everything that a property of infinite runs can look at: propositions,
//! some without a value, accepting nodes, processes that move and owe something, and transitions that fail.
//!
//! They are small enough to try all their short runs.

use elnath_kernel::event::Operand;
use elnath_kernel::rng::Rng;
use elnath_kernel::{
    Acceptance, Action, Describe, Fault, Processes, Propositions, Stepper, Successors, System, Terse,
    Transition,
};

/// A system whose states are the nodes of a graph.
#[derive(Clone, Debug)]
pub struct World {
    /// By node: the propositions that hold, one bit each.
    pub holds: Vec<u64>,
    /// By node: the propositions that have no value.
    pub unknown: Vec<u64>,
    /// By node.
    pub accepting: Vec<bool>,
    /// By node: the transitions that leave it.
    pub edges: Vec<Vec<WorldEdge>>,
    /// How many processes there are; without any, nobody is known to move.
    pub processes: u32,
}

/// A transition of a world.
#[derive(Clone, Copy, Debug, Default)]
pub struct WorldEdge {
    /// The node that it leads to.
    pub to: u8,
    /// Its label, one of [`World::ACTIONS`].
    pub action: u32,
    /// The process that moves.
    pub process: u32,
    /// Whether taking it is a fault.
    pub fails: bool,
}

impl World {
    /// The labels.
    pub const ACTIONS: [&'static str; 2] = ["a", "b"];
    /// The fault of every transition that has one; propositions have the numbers that follow.
    pub const BROKEN: u32 = 10;

    /// A world of two processes in which nothing fails.
    pub fn with_processes(rng: &mut Rng) -> Self {
        let processes = 2;
        let nodes = 1 + rng.below(4);
        let edge = |rng: &mut Rng| {
            let (to, action) = (rng.below(nodes) as u8, rng.below(2) as u32);
            WorldEdge { to, action, process: rng.below(u64::from(processes)) as u32, fails: false }
        };
        Self {
            holds: (0..nodes).map(|_| rng.below(4)).collect(),
            unknown: vec![0; nodes as usize],
            accepting: (0..nodes).map(|_| rng.below(3) == 0).collect(),
            edges: edges(rng, nodes, edge),
            processes,
        }
    }

    /// A world in which transitions may fail, and propositions may have no value.
    pub fn with_faults(rng: &mut Rng, unknowns: bool) -> Self {
        let nodes = 1 + rng.below(5);
        let edge = |rng: &mut Rng| {
            let (to, fails) = (rng.below(nodes) as u8, rng.below(8) == 0);
            WorldEdge { to, fails, ..WorldEdge::default() }
        };
        let unknown: Vec<u64> =
            (0..nodes).map(|_| if unknowns && rng.below(4) == 0 { 1 + rng.below(3) } else { 0 }).collect();
        Self {
            holds: unknown.iter().map(|unknown| rng.below(4) & !unknown).collect(),
            unknown,
            accepting: vec![false; nodes as usize],
            edges: edges(rng, nodes, edge),
            processes: 0,
        }
    }

    /// The transition of a state that this one is.
    pub fn edge(&self, node: u8, t: Transition) -> WorldEdge {
        self.edges[node as usize][Self::number(t)]
    }

    /// Its number among those of the state.
    pub fn number(t: Transition) -> usize {
        (t.0 & 0xff) as usize
    }

    /// Whether a process can move.
    pub fn able(&self, node: u8, process: u32) -> bool {
        self.edges[node as usize].iter().any(|edge| edge.process == process)
    }

    /// Whether a process has a liveness condition that is not met in a state: most have.
    pub fn owes(node: u8, process: u32) -> bool {
        process != 0 && !(u32::from(node) + process).is_multiple_of(3)
    }
}

/// Up to three transitions for every node.
fn edges(rng: &mut Rng, nodes: u64, edge: impl Fn(&mut Rng) -> WorldEdge) -> Vec<Vec<WorldEdge>> {
    let of_a_node = |rng: &mut Rng| (0..rng.below(4)).map(|_| edge(rng)).collect();
    (0..nodes).map(|_| of_a_node(rng)).collect()
}

impl System for World {
    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(Walker(self))
    }

    fn describe(&self) -> &dyn Describe {
        self
    }

    fn bytes(&self) -> usize {
        0
    }
}

impl Terse for World {
    fn state_text(&self, state: &[u8]) -> String {
        format!("{state:?}")
    }

    fn action_text(&self, action: Action) -> String {
        Self::ACTIONS[action.0 as usize].to_owned()
    }
}

struct Walker<'w>(&'w World);

impl Stepper for Walker<'_> {
    fn initial(&mut self, out: &mut Vec<u8>) {
        out.clear();
        out.push(0);
    }

    fn enabled(&mut self, state: &[u8], out: &mut Vec<Transition>) {
        let edges = self.0.edges[state[0] as usize].iter().zip(0..);
        out.clear();
        out.extend(edges.map(|(edge, number)| Transition(u64::from(edge.process) << 8 | number)));
    }

    fn fire(&mut self, state: &[u8], t: Transition, out: &mut Vec<u8>) -> Result<(), Fault> {
        let edge = self.0.edge(state[0], t);
        out.clear();
        out.push(edge.to);
        if edge.fails { Err(Fault(World::BROKEN)) } else { Ok(()) }
    }

    fn action(&mut self, state: &[u8], t: Transition) -> Action {
        Action(self.0.edge(state[0], t).action)
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

    elnath_kernel::facets! { mine: propositions, acceptance, processes; none: tally }
}

impl Propositions for Walker<'_> {
    fn names(&mut self) -> Vec<String> {
        vec!["p".to_owned(), "q".to_owned()]
    }

    fn fallible(&mut self) -> u64 {
        self.0.unknown.iter().fold(0, |all, bits| all | bits)
    }

    fn valuation(&mut self, state: &[u8]) -> u64 {
        self.0.holds[state[0] as usize]
    }

    fn proposition_fault(&mut self, state: &[u8], number: u32) -> Option<Fault> {
        let unknown = self.0.unknown[state[0] as usize] >> number & 1 == 1;
        unknown.then_some(Fault(World::BROKEN + 1 + number))
    }

    fn operands(&mut self, _state: &[u8], _number: u32) -> Vec<Operand> {
        Vec::new()
    }
}

impl Acceptance for Walker<'_> {
    fn sets(&mut self) -> u32 {
        1
    }

    fn marks(&mut self, _state: &[u8], _t: Transition) -> u64 {
        0
    }

    fn accepting(&mut self, state: &[u8]) -> bool {
        self.0.accepting[state[0] as usize]
    }

    fn may_recur(&mut self, _state: &[u8]) -> bool {
        true
    }

    fn recurs_by_last_byte(&mut self) -> Option<Box<[bool; 256]>> {
        None
    }
}

impl Processes for Walker<'_> {
    fn mover(&mut self, t: Transition) -> Option<u32> {
        (self.0.processes > 0).then_some((t.0 >> 8) as u32)
    }

    fn movers(&mut self, _state: &[u8], t: Transition) -> u64 {
        elnath_kernel::facets::only(self.mover(t))
    }

    fn owing(&mut self, state: &[u8]) -> u64 {
        let owes = |process| u64::from(World::owes(state[0], process)) << process;
        (0..self.0.processes).fold(0, |owing, process| owing | owes(process))
    }

    fn locations(&mut self, state: &[u8], out: &mut Vec<u64>) {
        out.splice(.., state.iter().map(|&byte| u64::from(byte)));
    }

    fn successors_of(&mut self, state: &[u8], process: u32, out: &mut Successors) {
        out.fire_some(self, state, |stepper, t| stepper.mover(t) == Some(process));
    }
}
