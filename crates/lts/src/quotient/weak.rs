//! Weak bisimulation, of a graph that is minimal for branching bisimulation already.
//!
//! The weak signature of a state is the blocks it can reach internally, and the labels and blocks it can reach by one
//! visible step with internal ones around it. Both are inductive along internal steps, which do not form cycles here:
//! a state can do what it can do itself, and what those can do to which an internal step leads. So the states are gone
//! through in that order and sets are united, each stored once. When blocks are split, only those states have other
//! sets that reach, internally or with one visible step among internal ones, a state whose block has another number now;
//! they are found backwards, by the steps of the graph, so that no weak transitions are stored. Rounds go on until no
//! block is split. Branching bisimulation does most of the work beforehand: of the graphs of the VLTS suite that we
//! know, one has a state left to merge.
//!
//! The quotient has the fewest transitions there can be: those that follow from others are left out. There is one such
//! set only (Eloranta, Tienari and Valmari 1997), because classes do not reach each other internally both ways.
//!
//! *Delay* bisimulation is the same without internal steps after the visible one: what a visible step reaches is one block, and no
//! transition follows from one to a state that reaches its target.

use elnath_kernel::Limit;

use super::classes::Reduced;
use super::graph::{Graph, Incoming, NONE};
use super::meter::Meter;
use super::partition::Partition;
use super::signatures::{Signatures, normalise, pair};
use crate::lts::Edge;

/// Which internal steps may surround a visible one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    /// Those before it and those after it.
    Both,
    /// Those before it.
    Before,
}

/// The quotient by weak bisimulation; the graph must have no cycle of internal steps.
pub(super) fn reduce(graph: Graph<'static>, meter: &mut Meter<'_, '_>) -> Result<Reduced, Limit> {
    surrounded(graph, Around::Both, meter)
}

/// The quotient by delay bisimulation; the graph must have no cycle of internal steps.
pub(super) fn reduce_by_delay(graph: Graph<'static>, meter: &mut Meter<'_, '_>) -> Result<Reduced, Limit> {
    surrounded(graph, Around::Before, meter)
}

fn surrounded(graph: Graph<'static>, around: Around, meter: &mut Meter<'_, '_>) -> Result<Reduced, Limit> {
    if graph.edges.iter().all(|edge| edge.label != graph.tau) {
        // Nothing is weak: the states differ already, and no transition follows from another.
        meter.take(graph.len() * size_of::<u32>())?;
        return Ok(Reduced { class: (0..graph.len() as u32).collect(), graph });
    }
    let graph = &graph;
    let order = internal_order(graph);
    let bytes = Partition::bytes(graph.len());
    meter.take(bytes)?;
    let mut partition = Partition::new(graph.len());
    let mut sets = WeakSets::new(graph.len(), around, meter)?;
    let mut affected = Affected::new(graph, &order, meter)?;
    let (mut moved, mut all_moved) = (Vec::new(), Vec::new());
    let (mut keys, mut different) = (Vec::new(), Signatures::default());
    // The order is by internal steps, and all states are new.
    sets.update(graph, &order, &order, |state| partition.of(state), meter)?;
    loop {
        all_moved.clear();
        while let Some(block) = partition.next_dirty() {
            different.clear(partition.dirty(block).len() + 1);
            keys.clear();
            if let Some(&state) = partition.clean(block).first() {
                different.key(&sets.of(state));
            }
            keys.extend(partition.dirty(block).iter().map(|&state| different.key(&sets.of(state))));
            partition.split(block, &keys, different.len(), &mut moved);
            all_moved.extend_from_slice(&moved);
            meter.work(keys.len() + 1)?;
        }
        if all_moved.is_empty() {
            break;
        }
        meter.found(partition.len());
        affected.by(&all_moved, around, meter)?;
        if sets.is_mostly_old() {
            sets.forget();
            sets.update(graph, &order, &order, |state| partition.of(state), meter)?;
        } else {
            let Affected { reached, acted, .. } = &affected;
            sets.update(graph, reached, acted, |state| partition.of(state), meter)?;
        }
        affected.reached.iter().chain(&affected.acted).for_each(|&state| partition.mark(state));
    }
    meter.give_back(bytes + affected.bytes());
    drop(affected);
    essential(graph, partition.into_blocks(), &sets, meter)
}

/// Whose sets are others, after some states have got new blocks.
struct Affected {
    incoming: Incoming,
    /// By state: its place in the order.
    rank: Vec<u32>,
    /// Those who reach such a state internally, and those who do by a visible step; both in order.
    reached: Vec<u32>,
    acted: Vec<u32>,
    /// By state: whether it is in the list that is being made.
    listed: Vec<bool>,
}

impl Affected {
    fn new(graph: &Graph<'_>, order: &[u32], meter: &mut Meter<'_, '_>) -> Result<Self, Limit> {
        let incoming = Incoming::new(&graph.table(), graph.tau, meter)?;
        meter.take(Self::bytes_of_states(graph.len()))?;
        let mut rank = vec![0; graph.len()];
        for (place, &state) in (0..).zip(order) {
            rank[state as usize] = place;
        }
        let (reached, acted) = (Vec::with_capacity(graph.len()), Vec::with_capacity(graph.len()));
        Ok(Self { incoming, rank, reached, acted, listed: vec![false; graph.len()] })
    }

    fn by(&mut self, moved: &[u32], around: Around, meter: &mut Meter<'_, '_>) -> Result<(), Limit> {
        let Self { incoming, rank, reached, acted, listed } = self;
        let mut close = |list: &mut Vec<u32>, from: &mut dyn Iterator<Item = u32>| {
            list.clear();
            let add = |list: &mut Vec<u32>, listed: &mut [bool], state: u32| {
                if !std::mem::replace(&mut listed[state as usize], true) {
                    list.push(state);
                }
            };
            from.for_each(|state| add(list, listed, state));
            let mut next = 0;
            while let Some(&state) = list.get(next) {
                next += 1;
                let before = list.len();
                incoming.internal(state).for_each(|source| add(list, listed, source));
                meter.work(list.len() - before + 1)?;
            }
            list.sort_unstable_by_key(|&state| rank[state as usize]);
            list.iter().for_each(|&state| listed[state as usize] = false);
            Ok(())
        };
        close(reached, &mut moved.iter().copied())?;
        let entered = if around == Around::Both { &reached[..] } else { moved };
        close(acted, &mut entered.iter().flat_map(|&state| incoming.visible(state)))
    }

    fn bytes_of_states(states: usize) -> usize {
        states * (3 * size_of::<u32>() + size_of::<bool>())
    }

    fn bytes(&self) -> usize {
        self.incoming.bytes() + Self::bytes_of_states(self.rank.len())
    }
}

/// What states can reach internally and by one visible step with internal ones around it, as seen through a partition.
struct WeakSets {
    /// Sets of blocks.
    internal: Signatures,
    /// Sets of labels and blocks.
    visible: Signatures,
    /// By state: the key of its set in `internal`.
    reached: Vec<u32>,
    /// By state: the key of its set in `visible`.
    acted: Vec<u32>,
    around: Around,
    charged: usize,
}

impl WeakSets {
    /// Without any set.
    fn new(states: usize, around: Around, meter: &mut Meter<'_, '_>) -> Result<Self, Limit> {
        let (internal, visible) = (Signatures::default(), Signatures::default());
        let (reached, acted) = (vec![0; states], vec![0; states]);
        let mut sets = Self { internal, visible, reached, acted, around, charged: 0 };
        sets.forget();
        sets.charge(meter)?;
        Ok(sets)
    }

    /// Forgets all sets, of which most may be nobody's any more.
    fn forget(&mut self) {
        self.internal.clear(self.reached.len());
        self.visible.clear(self.acted.len());
    }

    fn is_mostly_old(&self) -> bool {
        let most = 4 * self.reached.len() + 64;
        self.internal.len() > most || self.visible.len() > most
    }

    /// The sets of a state, as numbers that are equal if these are.
    fn of(&self, state: u32) -> [u64; 2] {
        [self.reached[state as usize].into(), self.acted[state as usize].into()]
    }

    /// Computes anew what some states reach, and how some act; both are given in an order in which internal steps lead
    /// backwards.
    fn update(
        &mut self,
        graph: &Graph<'_>,
        reached: &[u32],
        acted: &[u32],
        block: impl Fn(u32) -> u32,
        meter: &mut Meter<'_, '_>,
    ) -> Result<(), Limit> {
        let (mut list, mut below) = (Vec::new(), Vec::new());
        for &state in reached {
            list.clear();
            list.push(block(state).into());
            let next = graph.internal(state).map(|next| self.reached[next as usize]);
            unite(&self.internal, next, &mut below, &mut list);
            self.reached[state as usize] = self.internal.key(&list);
            meter.work(list.len())?;
        }
        for &state in acted {
            list.clear();
            for edge in graph.edges(state).iter().filter(|edge| edge.label != graph.tau) {
                if self.around == Around::Before {
                    list.push(pair(edge.label, block(edge.target)));
                    continue;
                }
                let reached = self.internal.get(self.reached[edge.target as usize]);
                list.extend(reached.iter().map(|&block| pair(edge.label, block as u32)));
            }
            let next = graph.internal(state).map(|next| self.acted[next as usize]);
            unite(&self.visible, next, &mut below, &mut list);
            self.acted[state as usize] = self.visible.key(&list);
            meter.work(list.len())?;
            self.charge(meter)?;
        }
        Ok(())
    }

    fn charge(&mut self, meter: &mut Meter<'_, '_>) -> Result<(), Limit> {
        if self.bytes() > self.charged {
            meter.take(self.bytes() - self.charged)?;
            self.charged = self.bytes();
        }
        Ok(())
    }

    fn bytes(&self) -> usize {
        self.internal.bytes()
            + self.visible.bytes()
            + (self.reached.len() + self.acted.len()) * size_of::<u32>()
    }

    fn reaches(&self, state: u32, block: u32) -> bool {
        self.internal.get(self.reached[state as usize]).binary_search(&block.into()).is_ok()
    }

    fn acts(&self, state: u32, label: u32, block: u32) -> bool {
        self.visible.get(self.acted[state as usize]).binary_search(&pair(label, block)).is_ok()
    }
}

/// Adds the sets with these keys to a list, and sorts it.
fn unite(sets: &Signatures, keys: impl Iterator<Item = u32>, below: &mut Vec<u32>, list: &mut Vec<u64>) {
    below.clear();
    below.extend(keys);
    below.sort_unstable();
    below.dedup();
    for &key in &*below {
        list.extend_from_slice(sets.get(key));
    }
    normalise(list);
}

/// The states in an order in which internal steps lead backwards.
fn internal_order(graph: &Graph<'_>) -> Vec<u32> {
    let mut order = Vec::with_capacity(graph.len());
    let mut entered = vec![false; graph.len()];
    let mut path: Vec<(u32, usize)> = Vec::new();
    for root in 0..graph.len() as u32 {
        if std::mem::replace(&mut entered[root as usize], true) {
            continue;
        }
        path.push((root, 0));
        while let Some((state, next)) = path.last_mut() {
            let Some(edge) = graph.edges(*state).get(*next) else {
                order.push(*state);
                path.pop();
                continue;
            };
            *next += 1;
            if edge.label == graph.tau && !std::mem::replace(&mut entered[edge.target as usize], true) {
                path.push((edge.target, 0));
            }
        }
    }
    order
}

/// The quotient with its essential transitions only.
fn essential(
    graph: &Graph<'_>,
    mut block: Vec<u32>,
    sets: &WeakSets,
    meter: &mut Meter<'_, '_>,
) -> Result<Reduced, Limit> {
    // All transitions of all members of a class, less the inert ones: each of them is a weak transition of the class.
    let blocks = block.iter().max().map_or(0, |&last| last as usize + 1);
    meter.take(graph.edges.len() * size_of::<(u32, Edge)>())?;
    let mut all: Vec<(u32, Edge)> = Vec::new();
    for state in 0..graph.len() as u32 {
        let from = block[state as usize];
        for edge in graph.edges(state) {
            let target = block[edge.target as usize];
            if edge.label != graph.tau || target != from {
                all.push((from, Edge { label: edge.label, target }));
            }
        }
    }
    all.sort_unstable();
    all.dedup();
    let mut offsets = vec![0u32; blocks + 1];
    for &(from, _) in &all {
        offsets[from as usize + 1] += 1;
    }
    for from in 0..blocks {
        offsets[from + 1] += offsets[from];
    }
    let full = Graph {
        initial: block[graph.initial as usize],
        offsets: offsets.into(),
        edges: all.iter().map(|&(_, edge)| edge).collect(),
        tau: graph.tau,
    };
    drop(all);
    // Weak transitions of one member are those of all, and so of the class.
    // The first speaks: whoever depends on the order of classes must not depend on how these were found.
    let mut speaker = vec![NONE; blocks];
    for state in (0..graph.len() as u32).rev() {
        speaker[block[state as usize] as usize] = state;
    }
    let follows = |from: u32, edge: &Edge| {
        let by_internal = full.internal(from).any(|next| {
            let next_state = speaker[next as usize];
            if edge.label == full.tau {
                next != edge.target && sets.reaches(next_state, edge.target)
            } else {
                sets.acts(next_state, edge.label, edge.target)
            }
        });
        let by_sibling = || {
            edge.label != full.tau
                && sets.around == Around::Both
                && full.edges(from).iter().any(|other| {
                    other.label == edge.label
                        && other.target != edge.target
                        && sets.reaches(speaker[other.target as usize], edge.target)
                })
        };
        by_internal || by_sibling()
    };

    // Breadth first, as in `classes`.
    let mut number = vec![NONE; blocks];
    number[full.initial as usize] = 0;
    let mut named = vec![full.initial];
    let (mut offsets, mut edges) = (vec![0], Vec::new());
    let (mut class, mut mine) = (0, Vec::new());
    while let Some(&from) = named.get(class) {
        let start = edges.len();
        mine.clear();
        mine.extend_from_slice(full.edges(from));
        mine.sort_unstable_by_key(|edge| (edge.label, speaker[edge.target as usize]));
        for edge in &mine {
            meter.work(mine.len())?;
            if follows(from, edge) {
                continue;
            }
            let number = &mut number[edge.target as usize];
            if *number == NONE {
                *number = named.len() as u32;
                named.push(edge.target);
            }
            edges.push(Edge { label: edge.label, target: *number });
        }
        edges[start..].sort_unstable();
        offsets.push(edges.len() as u32);
        class += 1;
    }
    meter.give_back(sets.charged);
    for block in &mut block {
        *block = number[*block as usize];
    }
    let graph = Graph { initial: 0, offsets: offsets.into(), edges: edges.into(), tau: graph.tau };
    Ok(Reduced { graph, class: block })
}
