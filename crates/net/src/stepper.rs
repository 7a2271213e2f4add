//! Walking through a [`Network`].

use crate::network::{Network, Node};
use crate::rules::Rules;
use elnath_kernel::relation::is_internal;
use elnath_kernel::store::hash64;
use elnath_kernel::{
    Action, ByAction, Fault, Names, Processes, Stepper, Successors, System, Tally, Transition,
};

/// The number of the internal action, which is the first that a network gives.
const INTERNAL: u32 = 0;

pub(crate) struct Walker<'a> {
    network: &'a Network,
    parts: Vec<Part<'a>>,
    /// By deciding node and label: what it found.
    decisions: Vec<Vec<Decision>>,
    moves: Moves,
    /// The state whose moves these are.
    moves_of: Option<Vec<u8>>,
    /// A state of the network in the making.
    next: Vec<u8>,
}

/// A component, in the state in which it was last seen.
struct Part<'a> {
    system: &'a dyn System,
    stepper: Box<dyn Stepper + 'a>,
    state: Option<Vec<u8>>,
    successors: Successors,
    /// The labels of the successors.
    labels: Vec<u32>,
    /// The labels of the component's actions.
    known: ByAction,
}

/// What a node does with a label.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Decision {
    #[default]
    Unknown,
    /// Both sides move together, or not.
    Together(bool),
    /// It is called this.
    Called(u32),
}

/// Moves of parts of the network; those of a node lie together while it is worked on.
#[derive(Default)]
struct Moves {
    moves: Vec<Move>,
    /// Who moves, and to which of its successors: each move has a part of this.
    steps: Vec<(u32, u32)>,
    /// Moves of the right side of an operator, by label.
    by_label: Vec<(u32, usize)>,
}

#[derive(Clone, Copy)]
struct Move {
    label: u32,
    /// Its part of the steps.
    start: usize,
    len: usize,
}

impl<'a> Walker<'a> {
    pub(crate) fn new(network: &'a Network) -> Self {
        let part = |component: &'a crate::network::Component| Part {
            system: &*component.system,
            stepper: component.system.stepper(),
            state: None,
            successors: Successors::default(),
            labels: Vec::new(),
            known: ByAction::default(),
        };
        Self {
            network,
            parts: network.components.iter().map(part).collect(),
            decisions: vec![Vec::new(); network.deciders],
            moves: Moves::default(),
            moves_of: None,
            next: Vec::new(),
        }
    }

    /// Finds the moves of a state, unless it is the one that was asked about last.
    fn find_moves(&mut self, state: &[u8]) {
        if self.moves_of.as_deref() == Some(state) {
            return;
        }
        let mut kept = self.moves_of.take().unwrap_or_default();
        let (network, parts) = (self.network, &mut self.parts);
        network.split(state, |at, own| parts[at].expand(own, &network.names));
        self.moves.moves.clear();
        self.moves.steps.clear();
        self.moves.add(&network.root, &self.parts, &mut self.decisions, &network.names);
        kept.clear();
        kept.extend_from_slice(state);
        self.moves_of = Some(kept);
    }

    fn found(&self, t: Transition) -> Move {
        self.moves.moves[t.0 as usize]
    }

    /// Writes the state after a move of the state whose moves are known to `self.next`; tells its fault.
    fn make_next(&mut self, state: &[u8], step: Move) -> Option<Fault> {
        let (network, parts, next) = (self.network, &self.parts, &mut self.next);
        let steps = &self.moves.steps[step.start..step.start + step.len];
        let mut fault = None;
        next.clear();
        network.split(state, |at, own| match steps.iter().find(|(mover, _)| *mover as usize == at) {
            None => network.join(at, own, next),
            Some(&(_, successor)) => {
                let successor = parts[at].successors.get(successor as usize);
                network.join(at, successor.state, next);
                fault = fault.or(successor.fault.map(|fault| network.fault(at, fault)));
            }
        });
        fault
    }

    /// The components that move in a transition.
    pub(crate) fn movers_of(&mut self, state: &[u8], t: Transition) -> impl Iterator<Item = usize> {
        self.steps_of(state, t).into_iter().map(|(component, _)| component)
    }

    /// The components that move in a transition, in order, with their own transitions.
    pub(crate) fn steps_of(&mut self, state: &[u8], t: Transition) -> Vec<(usize, Transition)> {
        self.find_moves(state);
        let Move { start, len, .. } = self.found(t);
        let steps = &self.moves.steps[start..start + len];
        let transition = |&(component, successor): &(u32, u32)| {
            let successors = &self.parts[component as usize].successors;
            (component as usize, successors.get(successor as usize).transition)
        };
        let mut steps: Vec<_> = steps.iter().map(transition).collect();
        steps.sort_unstable();
        steps
    }
}

impl Part<'_> {
    /// Goes to a state, unless it is there.
    fn expand(&mut self, state: &[u8], names: &Names) {
        if self.state.as_deref() == Some(state) {
            return;
        }
        let mut own = self.state.take().unwrap_or_default();
        own.clear();
        own.extend_from_slice(state);
        self.stepper.successors(state, &mut self.successors);
        self.labels.clear();
        for index in 0..self.successors.len() {
            let action = self.stepper.action(state, self.successors.get(index).transition);
            let label = match self.known.get(action) {
                Some(label) => label,
                None => self.learn(action, names),
            };
            self.labels.push(label);
        }
        self.state = Some(own);
    }

    #[cold]
    fn learn(&mut self, action: Action, names: &Names) -> u32 {
        let text = self.system.action_name(action);
        let label = if is_internal(&text) { INTERNAL } else { names.intern(&text).0 };
        self.known.set(action, label);
        label
    }
}

impl Moves {
    /// Adds the moves of a node behind those that are there.
    fn add(&mut self, node: &Node, parts: &[Part<'_>], decisions: &mut [Vec<Decision>], names: &Names) {
        let first = self.moves.len();
        match node {
            Node::Component(at) => {
                for (successor, &label) in parts[*at].labels.iter().enumerate() {
                    let start = self.steps.len();
                    self.steps.push((*at as u32, successor as u32));
                    self.moves.push(Move { label, start, len: 1 });
                }
            }
            Node::Relabelled(inner, rules, decider) => {
                self.add(inner, parts, decisions, names);
                for step in &mut self.moves[first..] {
                    step.label = called(step.label, rules, &mut decisions[*decider], names);
                }
            }
            Node::Parallel(left, right, together, decider) => {
                self.add(left, parts, decisions, names);
                let middle = self.moves.len();
                self.add(right, parts, decisions, names);
                let known = &mut decisions[*decider];
                let mut joins = |label: u32| {
                    if label == INTERNAL {
                        return false;
                    }
                    let decision = decision(known, label, || {
                        Decision::Together(together.includes(&names.text(Action(label))))
                    });
                    decision == Decision::Together(true)
                };
                self.combine(first, middle, &mut joins);
            }
        }
    }

    /// Makes the moves of two sides, which begin at `first` and `middle`, those of both: alone with those that are not
    /// shared, left side first, and together with those that are.
    fn combine(&mut self, first: usize, middle: usize, joins: &mut impl FnMut(u32) -> bool) {
        let end = self.moves.len();
        self.by_label.clear();
        for at in middle..end {
            let label = self.moves[at].label;
            if joins(label) {
                self.by_label.push((label, at));
            }
        }
        self.by_label.sort_unstable();
        for at in first..middle {
            let Move { label, start, len } = self.moves[at];
            if !joins(label) {
                continue;
            }
            let partners = self.by_label.partition_point(|&(other, _)| other < label);
            for partner in partners..self.by_label.len() {
                let (other, partner) = self.by_label[partner];
                if other != label {
                    break;
                }
                let Move { start: right, len: right_len, .. } = self.moves[partner];
                let steps = self.steps.len();
                self.steps.extend_from_within(start..start + len);
                self.steps.extend_from_within(right..right + right_len);
                self.moves.push(Move { label, start: steps, len: len + right_len });
            }
        }
        // Those that needed a partner go.
        let mut kept = first;
        for at in first..self.moves.len() {
            if at >= end || !joins(self.moves[at].label) {
                self.moves[kept] = self.moves[at];
                kept += 1;
            }
        }
        self.moves.truncate(kept);
    }
}

/// What a node has found about a label, or finds now.
fn decision(known: &mut Vec<Decision>, label: u32, find: impl FnOnce() -> Decision) -> Decision {
    let at = label as usize;
    if known.len() <= at {
        known.resize(at + 1, Decision::Unknown);
    }
    if known[at] == Decision::Unknown {
        known[at] = find();
    }
    known[at]
}

fn called(label: u32, rules: &Rules, known: &mut Vec<Decision>, names: &Names) -> u32 {
    let decision = decision(known, label, || {
        let old = names.text(Action(label));
        Decision::Called(names.intern(&rules.apply(&old)).0)
    });
    match decision {
        Decision::Called(label) => label,
        Decision::Unknown | Decision::Together(_) => unreachable!("this node renames"),
    }
}

impl Stepper for Walker<'_> {
    fn initial(&mut self, out: &mut Vec<u8>) {
        out.clear();
        let mut own = Vec::new();
        for (at, part) in self.parts.iter_mut().enumerate() {
            part.stepper.initial(&mut own);
            self.network.join(at, &own, out);
        }
    }

    fn enabled(&mut self, state: &[u8], out: &mut Vec<Transition>) {
        self.find_moves(state);
        out.clear();
        out.extend((0..self.moves.moves.len() as u64).map(Transition));
    }

    fn fire(&mut self, state: &[u8], t: Transition, out: &mut Vec<u8>) -> Result<(), Fault> {
        self.find_moves(state);
        let fault = self.make_next(state, self.found(t));
        out.clear();
        out.extend_from_slice(&self.next);
        fault.map_or(Ok(()), Err)
    }

    fn successors(&mut self, state: &[u8], out: &mut Successors) {
        self.find_moves(state);
        out.clear();
        for t in 0..self.moves.moves.len() {
            let t = Transition(t as u64);
            let fault = self.make_next(state, self.found(t));
            out.push(t, &self.next, fault);
        }
    }

    fn action(&mut self, state: &[u8], t: Transition) -> Action {
        self.find_moves(state);
        Action(self.found(t).label)
    }

    fn may_end(&mut self, state: &[u8]) -> bool {
        let (network, parts) = (self.network, &mut self.parts);
        let mut may_end = true;
        network.split(state, |at, own| may_end = may_end && parts[at].stepper.may_end(own));
        may_end
    }

    fn transition_bits(&self) -> u32 {
        32
    }

    elnath_kernel::facets! { mine: processes, tally; none: propositions, acceptance }
}

/// Components are processes here. A step in which several take part is begun by none of them.
impl Processes for Walker<'_> {
    fn mover(&mut self, _t: Transition) -> Option<u32> {
        None
    }

    fn owing(&mut self, _state: &[u8]) -> u64 {
        0
    }

    /// A component is where its processes are; one without processes is where its state is.
    fn locations(&mut self, state: &[u8], out: &mut Vec<u64>) {
        let (network, parts) = (self.network, &mut self.parts);
        let mut inner = Vec::new();
        out.clear();
        network.split(state, |at, own| {
            match parts[at].stepper.processes() {
                Some(processes) => processes.locations(own, &mut inner),
                None => inner.splice(.., [hash64(own)]).for_each(drop),
            }
            out.push(at as u64);
            out.append(&mut inner);
        });
    }

    fn successors_of(&mut self, _state: &[u8], _process: u32, out: &mut Successors) {
        out.clear();
    }

    fn movers(&mut self, state: &[u8], t: Transition) -> u64 {
        self.find_moves(state);
        let Move { start, len, .. } = self.found(t);
        let steps = &self.moves.steps[start..start + len];
        steps.iter().fold(0, |bits, &(component, _)| bits | 1u64.checked_shl(component).unwrap_or(0))
    }
}

impl Tally for Walker<'_> {
    /// The actions of components have other numbers here.
    fn unfired(&self) -> Vec<Action> {
        Vec::new()
    }

    fn work(&self) -> u64 {
        self.parts.iter().map(|part| part.stepper.work()).sum()
    }
}
