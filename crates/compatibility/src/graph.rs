//! The transition system with channels of capacity k, recorded: TS_k of the paper.
//!
//! The states are those of the program with bounded channels, walked breadth first through its stepper, so that the number of a
//! state grows with the length of the shortest run to it. Since all channels are bounded, everything lies at the same place in
//! all states. Both directions of the edges are kept: what is asked is from where something can be reached.

use crate::machines::SessionMachines;
use elnath_kernel::budget::WATCH_INTERVAL;
use elnath_kernel::store::{Known, Numbered, Numbers, Ref, Room, States, Store, Visit};
use elnath_kernel::{Counters, Limit, System, Transition, Watch};
use elnath_program::Interpreter;
use elnath_program::layout::{Block, LOCATION, Tables, read_length, read_scalar};

/// States with numbers in the order in which they were met.
#[derive(Default)]
pub(crate) struct Numbering {
    store: Numbered,
    places: Vec<Ref>,
}

impl Numbering {
    /// The number of a state, and whether it is new.
    pub(crate) fn number(&mut self, state: &[u8], room: usize) -> Result<(u32, bool), Limit> {
        let room = Room { bytes: room.saturating_sub(self.places.capacity() * size_of::<Ref>()), depth: 0 };
        match self.store.visit(state, self.store.hash(state), room)? {
            Visit::Known(Known { at, .. }) => Ok((self.store.number(at), false)),
            Visit::New(at) => {
                let number = u32::try_from(self.places.len()).map_err(|_| Limit::States)?;
                self.store.set_number(at, number);
                self.places.push(at);
                Ok((number, true))
            }
        }
    }

    pub(crate) fn read(&self, number: u32, out: &mut Vec<u8>) {
        self.store.read(self.places[number as usize], out);
    }

    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.store.bytes() + self.places.capacity() * size_of::<Ref>()
    }
}

/// Where things lie in the states of a program whose channels are all bounded.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    /// Of each machine: where its state is, and whether that takes two bytes.
    machines: Vec<(usize, bool)>,
    /// Of each channel: where it is, its layout, and the type of its messages.
    channels: Vec<(usize, Block, elnath_program::ir::Type)>,
}

impl Reading {
    pub(crate) fn new(system: &Interpreter) -> Self {
        let (layout, program, state) = (system.layout(), system.program(), system.initial_state());
        let mut tables = Tables::default();
        tables.read(layout, state);
        let machine = |&at: &u32| {
            let wide = layout.frames[state[at as usize] as usize].wide_location;
            (at as usize + LOCATION, wide)
        };
        let channel = |&(at, kind): &(u32, elnath_program::ir::ChannelId)| {
            (at as usize, layout.block(kind), program.channels[kind.index()].fields[0])
        };
        Self {
            machines: tables.processes.iter().map(machine).collect(),
            channels: tables.channels.iter().map(channel).collect(),
        }
    }

    /// The state that a machine is in.
    pub(crate) fn at(&self, state: &[u8], machine: usize) -> usize {
        let (at, wide) = self.machines[machine];
        if wide {
            usize::from(u16::from_le_bytes([state[at], state[at + 1]]))
        } else {
            usize::from(state[at])
        }
    }

    /// How many messages a channel holds.
    pub(crate) fn length(&self, state: &[u8], channel: usize) -> usize {
        let (at, block, _) = self.channels[channel];
        read_length(state, at, block)
    }

    /// Whether no message fits into a channel.
    pub(crate) fn is_full(&self, state: &[u8], channel: usize) -> bool {
        self.channels[channel].1.capacity == Some(self.length(state, channel))
    }

    /// The first message of a channel.
    pub(crate) fn first(&self, state: &[u8], channel: usize) -> Option<i32> {
        let (at, block, ty) = self.channels[channel];
        (read_length(state, at, block) > 0).then(|| read_scalar(state, at + block.header, ty))
    }
}

/// An edge: the step, and the state at its other end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GraphEdge {
    pub(crate) step: u32,
    pub(crate) other: u32,
}

/// What is recorded.
pub(crate) struct CapacityGraph {
    pub(crate) states: Numbering,
    pub(crate) reading: Reading,
    /// The edges of a state are those from its start to the next one's.
    starts: Vec<u32>,
    edges: Vec<GraphEdge>,
    /// The same for the edges that lead to a state.
    back_starts: Vec<u32>,
    back_edges: Vec<GraphEdge>,
    /// From where, and by which step, each state was first met.
    parents: Vec<GraphEdge>,
    pub(crate) levels: usize,
}

/// What a walk cost before something ran out.
pub(crate) type Spent = (Limit, Counters);

impl CapacityGraph {
    /// Walks and records.
    pub(crate) fn record(system: &Interpreter, memory: usize, watch: &mut Watch<'_>) -> Result<Self, Spent> {
        let mut graph = Self {
            states: Numbering::default(),
            reading: Reading::new(system),
            starts: vec![0],
            edges: Vec::new(),
            back_starts: Vec::new(),
            back_edges: Vec::new(),
            parents: Vec::new(),
            levels: 0,
        };
        let walked = graph.walk(system, memory, watch);
        // The edges once more, in the other direction.
        let turned = graph.edges.len() * size_of::<GraphEdge>() + graph.starts.len() * size_of::<u32>();
        match walked {
            Ok(()) if graph.bytes() + turned <= memory => graph.turn(),
            Ok(()) => return Err((Limit::Memory, graph.counters())),
            Err(limit) => return Err((limit, graph.counters())),
        }
        Ok(graph)
    }

    fn walk(&mut self, system: &Interpreter, memory: usize, watch: &mut Watch<'_>) -> Result<(), Limit> {
        let mut stepper = system.stepper();
        let (mut state, mut next, mut enabled) = (Vec::new(), Vec::new(), Vec::new());
        stepper.initial(&mut state);
        self.states.number(&state, memory)?;
        self.parents.push(GraphEdge { step: 0, other: 0 });
        let (mut from, mut level_end) = (0, 1);
        while from < self.states.len() {
            if from == level_end {
                level_end = self.states.len();
                self.levels += 1;
            }
            self.states.read(from as u32, &mut state);
            stepper.enabled(&state, &mut enabled);
            for &t in &enabled {
                let fired = stepper.fire(&state, t, &mut next);
                debug_assert!(fired.is_ok(), "sending and receiving break no rule");
                let step = stepper.action(&state, t).0;
                let room = memory.saturating_sub(self.edge_bytes());
                let (other, new) = self.states.number(&next, room)?;
                if new {
                    self.parents.push(GraphEdge { step, other: from as u32 });
                }
                self.edges.push(GraphEdge { step, other });
            }
            self.starts.push(u32::try_from(self.edges.len()).map_err(|_| Limit::Memory)?);
            from += 1;
            if (from as u64).is_multiple_of(WATCH_INTERVAL)
                && let Some(limit) = watch(&self.counters())
            {
                return Err(limit);
            }
        }
        Ok(())
    }

    fn turn(&mut self) {
        let mut starts = vec![0_u32; self.states.len() + 1];
        self.edges.iter().for_each(|edge| starts[edge.other as usize + 1] += 1);
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut ends = starts.clone();
        self.back_edges = vec![GraphEdge { step: 0, other: 0 }; self.edges.len()];
        for from in 0..self.states.len() as u32 {
            for at in self.starts[from as usize]..self.starts[from as usize + 1] {
                let GraphEdge { step, other } = self.edges[at as usize];
                let end = &mut ends[other as usize];
                self.back_edges[*end as usize] = GraphEdge { step, other: from };
                *end += 1;
            }
        }
        self.back_starts = starts;
    }

    pub(crate) fn len(&self) -> u32 {
        self.states.len() as u32
    }

    /// The edges that leave a state.
    pub(crate) fn leaving(&self, state: u32) -> &[GraphEdge] {
        &self.edges[self.starts[state as usize] as usize..self.starts[state as usize + 1] as usize]
    }

    fn entering(&self, state: u32) -> &[GraphEdge] {
        let at = state as usize;
        &self.back_edges[self.back_starts[at] as usize..self.back_starts[at + 1] as usize]
    }

    /// From which states a step that is a goal can be made after steps that are allowed: backwards from where it can be made.
    pub(crate) fn reaching(&self, goal: impl Fn(u32) -> bool, allowed: impl Fn(u32) -> bool) -> Vec<bool> {
        let mut reaching = vec![false; self.states.len()];
        let mut todo: Vec<u32> = Vec::new();
        for state in 0..self.len() {
            if self.leaving(state).iter().any(|edge| goal(edge.step)) {
                reaching[state as usize] = true;
                todo.push(state);
            }
        }
        while let Some(state) = todo.pop() {
            for edge in self.entering(state) {
                if !reaching[edge.other as usize] && allowed(edge.step) {
                    reaching[edge.other as usize] = true;
                    todo.push(edge.other);
                }
            }
        }
        reaching
    }

    /// The steps of the shortest run to a state.
    pub(crate) fn run_to(&self, mut state: u32) -> Vec<u32> {
        let mut steps = Vec::new();
        while state != 0 {
            let GraphEdge { step, other } = self.parents[state as usize];
            steps.push(step);
            state = other;
        }
        steps.reverse();
        steps
    }

    fn edge_bytes(&self) -> usize {
        let edges = self.edges.capacity() + self.back_edges.capacity() + self.parents.capacity();
        let starts = self.starts.capacity() + self.back_starts.capacity();
        edges * size_of::<GraphEdge>() + starts * size_of::<u32>()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.states.bytes() + self.edge_bytes()
    }

    pub(crate) fn counters(&self) -> Counters {
        Counters {
            states: self.states.len() as u64,
            states_exact: true,
            insertions: self.states.len() as u64,
            generated: self.edges.len() as u64,
            transitions: self.edges.len() as u64,
            depth: self.levels,
            stored: self.states.len() as u64,
            store_bytes: self.bytes(),
            ..Counters::default()
        }
    }
}

/// The transitions of a program that make these steps, one after the other from its initial state.
///
/// # Panics
/// If one of them is not possible: that would be a bug of ours.
pub(crate) fn transitions(
    system: &Interpreter,
    machines: &SessionMachines,
    steps: &[u32],
) -> Vec<Transition> {
    let mut stepper = system.stepper();
    let (mut state, mut next, mut enabled) = (Vec::new(), Vec::new(), Vec::new());
    stepper.initial(&mut state);
    let mut fired = Vec::with_capacity(steps.len());
    for &step in steps {
        stepper.enabled(&state, &mut enabled);
        let found = enabled.iter().copied().find(|&t| stepper.action(&state, t).0 == step);
        let t = found.unwrap_or_else(|| panic!("{:?} was recorded and is not possible", machines.step(step)));
        let _ = stepper.fire(&state, t, &mut next);
        std::mem::swap(&mut state, &mut next);
        fired.push(t);
    }
    fired
}
