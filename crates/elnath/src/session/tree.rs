//! The history of a session: a tree of positions, each reached from its parent by one choice. Nothing that was tried is lost.
//!
//! A node holds the choice and the transition that led to it, and a hash of its state; the states themselves are kept as long as they
//! fit into a budget, oldest first out, and made again from the nearest one that is kept. At every depth that is a multiple of
//! [`EVERY`] a state stays longer than others, so that to come back to a node of a long run takes that many steps and not all.
//!
//! The tree has a budget too: when it is used up, nothing new can be tried until branches are [forgotten](Tree::keep_only). (To forget
//! by itself what was not visited for long was considered: then the history would not be what the user did.)

use elnath_kernel::store::hash64;
use elnath_kernel::{Fault, Stepper, Transition};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, VecDeque};

/// At depths that are a multiple of this a state is kept longer.
const EVERY: u32 = 64;
/// No node.
const NONE: u32 = u32::MAX;

/// A node of the tree of a session; 0 is the initial state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NodeId(pub u32);

impl NodeId {
    /// Where everything begins.
    pub const ROOT: NodeId = NodeId(0);
}

/// What a session may occupy.
#[derive(Clone, Copy, Debug)]
pub struct SessionBudget {
    /// How many positions are remembered, about 64 bytes each.
    pub nodes: usize,
    /// How many bytes of states are kept; the others are made again when they are needed.
    pub states: usize,
}

impl Default for SessionBudget {
    /// A million positions and 64 MiB of states.
    fn default() -> Self {
        Self { nodes: 1 << 20, states: 1 << 26 }
    }
}

#[derive(Clone, Copy, Debug)]
struct Node {
    parent: u32,
    choice: u32,
    depth: u32,
    first_child: u32,
    next_sibling: u32,
    /// The number of the fault that the step to it ran into, or [`NONE`].
    fault: u32,
    /// The node before it whose state has the same hash.
    same_hash: u32,
    transition: Transition,
    hash: u64,
}

/// The tree of a session.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// The newest node whose state has this hash.
    hashes: HashMap<u64, u32>,
    states: HashMap<u32, Box<[u8]>>,
    /// The nodes whose states are kept, oldest first: those that are kept longer, and the others.
    kept: [VecDeque<u32>; 2],
    bytes: usize,
    budget: SessionBudget,
}

impl Tree {
    pub(super) fn new(initial: &[u8], budget: SessionBudget) -> Self {
        let root = Node {
            parent: NONE,
            choice: 0,
            depth: 0,
            first_child: NONE,
            next_sibling: NONE,
            fault: NONE,
            same_hash: NONE,
            transition: Transition(0),
            hash: hash64(initial),
        };
        let mut tree = Self {
            nodes: vec![root],
            hashes: HashMap::from([(root.hash, 0)]),
            states: HashMap::new(),
            kept: Default::default(),
            bytes: 0,
            budget,
        };
        tree.states.insert(0, initial.into());
        tree
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Bytes that it occupies, about.
    pub(super) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>() + self.hashes.capacity() * 16 + self.bytes
    }

    pub(super) fn has(&self, node: NodeId) -> bool {
        (node.0 as usize) < self.nodes.len()
    }

    fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node.0 as usize]
    }

    pub(super) fn parent(&self, node: NodeId) -> Option<NodeId> {
        let parent = self.node(node).parent;
        (parent != NONE).then_some(NodeId(parent))
    }

    pub(super) fn choice(&self, node: NodeId) -> u32 {
        self.node(node).choice
    }

    pub(super) fn depth(&self, node: NodeId) -> u32 {
        self.node(node).depth
    }

    pub(super) fn transition(&self, node: NodeId) -> Transition {
        self.node(node).transition
    }

    pub(super) fn fault(&self, node: NodeId) -> Option<Fault> {
        let fault = self.node(node).fault;
        (fault != NONE).then_some(Fault(fault))
    }

    /// The children, the newest first.
    pub(super) fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let next = |child: u32| (child != NONE).then_some(child);
        std::iter::successors(next(self.node(node).first_child), move |&child| {
            next(self.nodes[child as usize].next_sibling)
        })
        .map(NodeId)
    }

    pub(super) fn child(&self, node: NodeId, choice: u32) -> Option<NodeId> {
        self.children(node).find(|&child| self.choice(child) == choice)
    }

    /// The nodes from the root to this one.
    pub(super) fn path(&self, node: NodeId) -> Vec<NodeId> {
        let mut path: Vec<NodeId> = std::iter::successors(Some(node), |&node| self.parent(node)).collect();
        path.reverse();
        path
    }

    /// Whether some node has this state.
    pub(super) fn has_state(&mut self, stepper: &mut dyn Stepper, state: &[u8]) -> bool {
        let mut like = self.hashes.get(&hash64(state)).copied().unwrap_or(NONE);
        while like != NONE {
            if self.state(stepper, NodeId(like)) == state {
                return true;
            }
            like = self.nodes[like as usize].same_hash;
        }
        false
    }

    /// Adds a child, unless it is there; none if the budget is used up.
    pub(super) fn add(
        &mut self,
        parent: NodeId,
        choice: u32,
        transition: Transition,
        (state, fault): (&[u8], Option<Fault>),
    ) -> Option<NodeId> {
        if let Some(child) = self.child(parent, choice) {
            self.keep(child, state);
            return Some(child);
        }
        if self.nodes.len() >= self.budget.nodes {
            return None;
        }
        let number = self.nodes.len() as u32;
        let above = &mut self.nodes[parent.0 as usize];
        let next_sibling = std::mem::replace(&mut above.first_child, number);
        let (depth, hash) = (above.depth + 1, hash64(state));
        let fault = fault.map_or(NONE, |fault| fault.0);
        let same_hash = self.hashes.insert(hash, number).unwrap_or(NONE);
        self.nodes.push(Node {
            parent: parent.0,
            choice,
            depth,
            first_child: NONE,
            next_sibling,
            fault,
            same_hash,
            transition,
            hash,
        });
        self.keep(NodeId(number), state);
        Some(NodeId(number))
    }

    /// Keeps a state for a while.
    fn keep(&mut self, node: NodeId, state: &[u8]) {
        if node == NodeId::ROOT || self.states.contains_key(&node.0) {
            return;
        }
        self.states.insert(node.0, state.into());
        self.bytes += cost(state);
        let class = usize::from(!self.depth(node).is_multiple_of(EVERY));
        self.kept[class].push_back(node.0);
        while self.bytes > self.budget.states {
            // Those that are kept longer go when they are half of all.
            let [long, short] = &self.kept;
            let class = usize::from(!(short.is_empty() || long.len() > short.len()));
            let Some(oldest) = self.kept[class].pop_front() else { break };
            if let Some(state) = self.states.remove(&oldest) {
                self.bytes -= cost(&state);
            }
        }
    }

    /// The state of a node, made again if it is not kept.
    pub(super) fn state(&mut self, stepper: &mut dyn Stepper, node: NodeId) -> Vec<u8> {
        let mut way = Vec::new();
        let mut at = node;
        while !self.states.contains_key(&at.0) {
            way.push(at);
            at = self.parent(at).expect("the initial state is always kept");
        }
        let mut state = self.states[&at.0].to_vec();
        let mut next = Vec::new();
        while let Some(at) = way.pop() {
            // The fault, if there was one, is in the node.
            let _ = stepper.fire(&state, self.transition(at), &mut next);
            std::mem::swap(&mut state, &mut next);
            if way.is_empty() || self.depth(at).is_multiple_of(EVERY) {
                self.keep(at, &state);
            }
        }
        debug_assert_eq!(hash64(&state), self.node(node).hash, "a state is a function of the choices");
        state
    }

    /// Forgets all but the nodes on the way to this one and what lies after it; the new number of each node that is left.
    pub(super) fn keep_only(&mut self, node: NodeId) -> HashMap<NodeId, NodeId> {
        let mut kept = self.path(node);
        let mut at = kept.len() - 1;
        while at < kept.len() {
            kept.extend(self.children(kept[at]));
            at += 1;
        }
        kept.sort_unstable();
        let numbers: HashMap<NodeId, NodeId> = kept.iter().copied().zip((0..).map(NodeId)).collect();
        let new = |old: u32| if old == NONE { NONE } else { numbers[&NodeId(old)].0 };
        let mut nodes: Vec<Node> = kept.iter().map(|&node| *self.node(node)).collect();
        for node in &mut nodes {
            (node.parent, node.first_child, node.next_sibling) = (new(node.parent), NONE, NONE);
        }
        // Children are linked anew, the newest first.
        for number in 1..nodes.len() {
            let parent = nodes[number].parent as usize;
            nodes[number].next_sibling = std::mem::replace(&mut nodes[parent].first_child, number as u32);
        }
        self.hashes.clear();
        for (node, number) in nodes.iter_mut().zip(0..) {
            node.same_hash = self.hashes.insert(node.hash, number).unwrap_or(NONE);
        }
        self.nodes = nodes;
        let root = self.states.remove(&0).expect("the initial state is always kept");
        self.states.clear();
        self.states.insert(0, root);
        self.kept = Default::default();
        self.bytes = 0;
        numbers
    }
}

/// Bytes that a state takes where it is kept.
fn cost(state: &[u8]) -> usize {
    const ENTRY: usize = 48;
    state.len() + ENTRY
}
