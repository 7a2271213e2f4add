//! When a verdict about channels of capacity k is one about channels without bound (Lange, Yoshida 2019, definitions 6, 10 and 11).
//!
//! The theorem (theorem 1 and lemma 1 there): if a system of session automata is k-exhaustive, *k-output bound independent* and *k-chained
//! input bound independent*, then every run of the system without bounds can be prolonged to one that has the same sends and receptions
//! of each machine, in the same order, as a run within capacity k. So what is k-safe is safe. [`crate`] has the argument.
//!
//! **Output** (k-OBI): where a machine can send something, it can send all that it may choose. Else the capacity makes its choices.
//!
//! **Input** (k-CIBI): where p can receive x?a and the same state of p receives y?b from another channel, then b is not there, and is sent
//! only where that *depends* on the reception of a. Else the order in which messages are sent decides what p does. The paper's stronger
//! condition k-SIBI, that b is not sent at all from there on, costs one walk backwards for each message, and is tried first.
//!
//! *Depends* is the causal order here: a step depends on an earlier one of the same machine, and a reception on the send of that very
//! message. The tool KMC compares channels instead of messages (a reception depends on every earlier send to a channel that is empty
//! in the end), which takes some receptions to be dependent that are not; the proof needs the causal order, which two runs with the
//! same steps of each machine share. It is followed as a taint: the reception taints p, a tainted machine taints what it sends,
//! and a tainted message whoever receives it. The tainted messages of a channel are its last ones, so that their number is all
//! there is to remember.

use crate::flaw::Flaw;
use crate::graph::{CapacityGraph, GraphEdge, Numbering};
use crate::machines::{SessionMachines, SessionStep};
use elnath_kernel::budget::WATCH_INTERVAL;
use elnath_kernel::{Limit, Watch};
use std::collections::BTreeMap;

/// Something that is wrong after these steps.
pub(crate) type Found = Option<(Flaw, Vec<u32>)>;

/// The first state in which the capacity makes a machine's choice.
pub(crate) fn output_choice(graph: &CapacityGraph, machines: &SessionMachines) -> Found {
    let mut state = Vec::new();
    for number in 0..graph.len() {
        graph.states.read(number, &mut state);
        for machine in 0..machines.machines.len() {
            let at = graph.reading.at(&state, machine);
            let sends = || machines.leaving(machine, at).filter(|step| step.sends);
            let full = sends().find(|step| graph.reading.is_full(&state, step.channel));
            let free = sends().find(|step| !graph.reading.is_full(&state, step.channel));
            if let (Some(full), Some(free)) = (full, free) {
                let flaw = Flaw::OutputChoice { machine, full: full.channel, free: free.channel };
                return Some((flaw, graph.run_to(number)));
            }
        }
    }
    None
}

/// A state of a machine, by both their numbers, and a channel from which it receives there.
type Choice = (usize, usize, usize);

/// A state in which the order of messages makes a machine's choice.
pub(crate) fn input_choice(
    graph: &CapacityGraph,
    machines: &SessionMachines,
    memory: usize,
    watch: &mut Watch<'_>,
) -> Result<Found, Limit> {
    let mut sent = Sendable::default();
    let mut state = Vec::new();
    // Where a reception has an alternative that may still be sent: the edges of these receptions.
    let mut doubtful: BTreeMap<Choice, Vec<(u32, GraphEdge)>> = BTreeMap::new();
    for number in 0..graph.len() {
        if u64::from(number).is_multiple_of(WATCH_INTERVAL)
            && let Some(limit) = watch(&graph.counters())
        {
            return Err(limit);
        }
        graph.states.read(number, &mut state);
        for &edge in graph.leaving(number) {
            let SessionStep { machine, channel, sends, .. } = machines.step(edge.step);
            if sends {
                continue;
            }
            let at = graph.reading.at(&state, machine);
            let mut is_doubtful = false;
            for other in alternatives(machines, (machine, at, channel)) {
                if graph.reading.first(&state, other.channel) == Some(other.message) {
                    let (taken, other, message) = (channel, other.channel, other.message);
                    let flaw = Flaw::InputChoice { machine, taken, other, message, received: None };
                    return Ok(Some((flaw, graph.run_to(number))));
                }
                is_doubtful |= sent.from(graph, machines, number, other);
            }
            if is_doubtful {
                doubtful.entry((machine, at, channel)).or_default().push((number, edge));
            }
        }
    }
    let bytes = graph.bytes() + sent.bytes();
    for (choice, receptions) in doubtful {
        let room = memory.saturating_sub(bytes);
        let found = Tainted::new(graph, machines, choice).search(&receptions, room, watch)?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// What else a machine may receive, from other channels.
fn alternatives(
    machines: &SessionMachines,
    (machine, at, channel): Choice,
) -> impl Iterator<Item = SessionStep> + '_ {
    machines.leaving(machine, at).filter(move |step| step.channel != channel)
}

/// From which states messages can still be sent, as far as somebody asked.
#[derive(Default)]
struct Sendable(BTreeMap<(usize, i32), Vec<bool>>);

impl Sendable {
    fn from(
        &mut self,
        graph: &CapacityGraph,
        machines: &SessionMachines,
        state: u32,
        reception: SessionStep,
    ) -> bool {
        let SessionStep { channel, message, .. } = reception;
        let reaching = self.0.entry((channel, message)).or_insert_with(|| {
            let sends = |step: u32| {
                let step = machines.step(step);
                (step.channel, step.message, step.sends) == (channel, message, true)
            };
            graph.reaching(sends, |_| true)
        });
        reaching[state as usize]
    }

    fn bytes(&self) -> usize {
        self.0.values().map(Vec::len).sum()
    }
}

/// The search for an alternative that is sent although it does not depend on a reception.
struct Tainted<'g> {
    graph: &'g CapacityGraph,
    machines: &'g SessionMachines,
    choice: Choice,
    /// State, tainted machines (a byte each), and how many messages of each channel are tainted (two bytes each).
    pairs: Numbering,
    /// From which pair and by which step each was first met; of the first pairs, the number of the reception's state.
    parents: Vec<(Option<u32>, GraphEdge)>,
}

impl<'g> Tainted<'g> {
    fn new(graph: &'g CapacityGraph, machines: &'g SessionMachines, choice: Choice) -> Self {
        Self { graph, machines, choice, pairs: Numbering::default(), parents: Vec::new() }
    }

    /// Breadth first from after all these receptions at once.
    fn search(
        mut self,
        receptions: &[(u32, GraphEdge)],
        memory: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Found, Limit> {
        let (machines, graph) = (self.machines, self.graph);
        let (machine, _, taken) = self.choice;
        let channels = 4 + machines.machines.len();
        let mut pair = vec![0; channels + 2 * machines.channels.len()];
        for &(from, edge) in receptions {
            pair.fill(0);
            pair[..4].copy_from_slice(&edge.other.to_le_bytes());
            pair[4 + machine] = 1;
            self.add(&pair, (None, GraphEdge { step: edge.step, other: from }), memory)?;
        }
        let (mut state, mut next, mut at) = (Vec::new(), Vec::new(), 0);
        while at < self.pairs.len() {
            let from = at as u32;
            self.pairs.read(from, &mut pair);
            at += 1;
            if (at as u64).is_multiple_of(WATCH_INTERVAL)
                && let Some(limit) = watch(&graph.counters())
            {
                return Err(limit);
            }
            let number = u32::from_le_bytes(pair[..4].try_into().expect("four bytes"));
            graph.states.read(number, &mut state);
            for &edge in graph.leaving(number) {
                let step = machines.step(edge.step);
                let is_tainted = pair[4 + step.machine] == 1;
                if step.sends && !is_tainted && self.is_alternative(step) {
                    let (received, steps) = self.run_to(from, edge.step);
                    let (other, message, received) = (step.channel, step.message, Some(received));
                    let flaw = Flaw::InputChoice { machine, taken, other, message, received };
                    return Ok(Some((flaw, steps)));
                }
                next.clone_from(&pair);
                next[..4].copy_from_slice(&edge.other.to_le_bytes());
                let count = channels + 2 * step.channel;
                let tainted = usize::from(u16::from_le_bytes([pair[count], pair[count + 1]]));
                let mut set = |tainted: usize| {
                    next[count..count + 2].copy_from_slice(&(tainted as u16).to_le_bytes());
                };
                if step.sends {
                    set(tainted + usize::from(is_tainted));
                } else if tainted == graph.reading.length(&state, step.channel) {
                    set(tainted - 1);
                    next[4 + step.machine] = 1;
                }
                if self.matters(&next) {
                    self.add(&next, (Some(from), edge), memory)?;
                }
            }
        }
        Ok(None)
    }

    fn add(&mut self, pair: &[u8], parent: (Option<u32>, GraphEdge), memory: usize) -> Result<(), Limit> {
        let room = memory.saturating_sub(self.parents.capacity() * size_of::<(Option<u32>, GraphEdge)>());
        if self.pairs.number(pair, room)?.1 {
            self.parents.push(parent);
        }
        Ok(())
    }

    fn is_alternative(&self, sent: SessionStep) -> bool {
        let same = |other: SessionStep| (other.channel, other.message) == (sent.channel, sent.message);
        alternatives(self.machines, self.choice).any(same)
    }

    /// Whether some sender of an alternative is not tainted yet.
    fn matters(&self, pair: &[u8]) -> bool {
        let sender = |step: SessionStep| self.machines.channels[step.channel].sender;
        alternatives(self.machines, self.choice).filter_map(sender).any(|sender| pair[4 + sender] == 0)
    }

    /// The steps of a run over the reception to a pair and one step further; and which of them is the reception.
    fn run_to(&self, pair: u32, last: u32) -> (usize, Vec<u32>) {
        let (mut after, mut at) = (vec![last], pair);
        loop {
            let (parent, edge) = self.parents[at as usize];
            after.push(edge.step);
            match parent {
                Some(parent) => at = parent,
                None => {
                    let mut steps = self.graph.run_to(edge.other);
                    let received = steps.len();
                    steps.extend(after.into_iter().rev());
                    return (received, steps);
                }
            }
        }
    }
}
