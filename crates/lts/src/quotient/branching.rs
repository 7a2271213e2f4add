//! Branching bisimulation, blind to divergence or not, by inductive signatures of dirty states.
//!
//! The graph comes with its internal components collapsed, and numbered such that an internal step leads to a smaller
//! number. A step inside a block is *inert*: it changes nothing that can be seen yet. The signature of a state is what it
//! can do after inert steps (Blom and van de Pol 2009). Writing it out would copy the signature of a state to all those
//! that lead to it inertly, which is quadratic on a chain with a new label at each state. Hence it is inductive (Martens
//! and Laveaux 2026): the states of a block are given keys in ascending order, and the list of a state holds its own
//! transitions that are not inert and, for each inert step, the key of where it leads. If all of that is already in the
//! list of the largest of these keys, the state can do nothing that it could not do after that step, and gets the same
//! key. Only the largest need be tried, since a list holds smaller keys than its own. Two states with different keys are
//! never bisimilar: from one of them an internal step leads to where none leads from the other.
//!
//! A state is dirty if its transitions have changed, or those of a state that it leads to inertly. So clean states lead
//! inertly to clean ones, and among them there is one without inert steps, whose list is the signature of all.
//!
//! A state that can be busy inside for ever has one more element in its list if that is to be seen.

use elnath_kernel::Limit;

use super::graph::{Incoming, NONE, Transitions};
use super::meter::Meter;
use super::partition::Partition;
use super::signatures::{Signatures, normalise, pair};

/// A graph, and what of it is not seen.
pub(super) struct Inside<'a, T> {
    pub(super) graph: &'a T,
    /// The label of internal steps.
    pub(super) tau: u32,
    /// Which states can be busy inside for ever, if that is to be seen.
    pub(super) busy: Option<&'a [bool]>,
}

/// By state: its class.
pub(super) fn classes<T: Transitions>(
    inside: &Inside<'_, T>,
    meter: &mut Meter<'_, '_>,
) -> Result<Vec<u32>, Limit> {
    let &Inside { graph, tau, .. } = inside;
    debug_assert!((0..graph.len() as u32).all(|s| internal(graph, tau, s).all(|target| target < s)));
    let incoming = Incoming::new(graph, tau, meter)?;
    let bytes = Partition::bytes(graph.len());
    meter.take(bytes)?;
    let mut partition = Partition::new(graph.len());
    let mut signatures = Signatures::default();
    let (mut list, mut keys, mut moved) = (Vec::new(), Vec::<u32>::new(), Vec::new());
    let mut scratch = 0;

    while let Some(block) = partition.next_dirty() {
        close_backwards(&mut partition, block, &incoming, meter)?;
        partition.sort_dirty(block);
        signatures.clear(partition.dirty(block).len() + 1);
        keys.clear();
        if let Some(&state) = partition.clean(block).first() {
            let bottom = bottom(graph, tau, state, |state| partition.of(state));
            let inert = signature(inside, &partition, block, &[], bottom, &mut list);
            debug_assert!(inert.is_none());
            normalise(&mut list);
            signatures.key(&list);
        }
        for (index, &state) in partition.dirty(block).iter().enumerate() {
            graph.expect(partition.dirty(block), index, |state| partition.expect_block(state));
            let inert = signature(inside, &partition, block, &keys, state, &mut list);
            let key = match inert {
                Some(key) if adds_nothing(&list, key, signatures.get(key)) => key,
                _ => {
                    normalise(&mut list);
                    signatures.key(&list)
                }
            };
            keys.push(key);
            meter.work(list.len() + 1)?;
        }
        if signatures.bytes() > scratch {
            meter.take(signatures.bytes() - scratch)?;
            scratch = signatures.bytes();
        }
        let before = partition.len() as u32;
        partition.split(block, &keys, signatures.len(), &mut moved);
        for (index, &state) in moved.iter().enumerate() {
            incoming.expect(&moved, index, |source| partition.expect_place(source));
            for (source, internal) in incoming.of(state) {
                // Steps that were inert before are in the keys already, whether they still are or not.
                let from = partition.of(source);
                if !internal || from != block && from < before {
                    partition.mark(source);
                }
            }
        }
        meter.found(partition.len());
    }
    meter.give_back(scratch + incoming.bytes() + bytes);
    Ok(partition.into_blocks())
}

/// A state without inert steps that this one leads to inertly.
pub(super) fn bottom(graph: &impl Transitions, tau: u32, mut state: u32, block: impl Fn(u32) -> u32) -> u32 {
    let here = block(state);
    while let Some(next) = internal(graph, tau, state).find(|&next| block(next) == here) {
        state = next;
    }
    state
}

fn internal(graph: &impl Transitions, tau: u32, state: u32) -> impl Iterator<Item = u32> {
    graph.of(state).filter(move |edge| edge.label == tau).map(|edge| edge.target)
}

/// Makes all states dirty that lead inertly to dirty ones.
fn close_backwards(
    partition: &mut Partition,
    block: u32,
    incoming: &Incoming,
    meter: &mut Meter<'_, '_>,
) -> Result<(), Limit> {
    let mut index = 0;
    while let Some(state) = partition.dirty_at(block, index) {
        if partition.clean(block).is_empty() {
            return Ok(());
        }
        for source in incoming.internal(state) {
            if partition.of(source) == block {
                partition.mark(source);
            }
        }
        meter.work(1)?;
        index += 1;
    }
    Ok(())
}

/// The element of states that can be busy inside for ever: no label has this number, and no key either.
const BUSY: u64 = (NONE as u64) << 32 | NONE as u64;

/// Writes the list of a state, not yet sorted, and says the largest key that an inert step leads to.
#[inline]
fn signature<T: Transitions>(
    &Inside { graph, tau, busy }: &Inside<'_, T>,
    partition: &Partition,
    block: u32,
    keys: &[u32],
    state: u32,
    list: &mut Vec<u64>,
) -> Option<u32> {
    let mut largest = None;
    list.clear();
    for edge in graph.of(state) {
        let target = partition.of(edge.target);
        if target == block && edge.label == tau {
            let key = partition.dirty_index(edge.target).map_or(0, |index| keys[index]);
            largest = largest.max(Some(key));
            list.push(pair(NONE, key));
        } else {
            list.push(pair(edge.label, target));
        }
    }
    if busy.is_some_and(|busy| busy[state as usize]) {
        list.push(BUSY);
    }
    largest
}

/// Whether all of a list is in the one with this key, where inert steps to that key itself do not count.
fn adds_nothing(list: &[u64], key: u32, known: &[u64]) -> bool {
    let inside = |element: &u64| *element == pair(NONE, key) || known.binary_search(element).is_ok();
    list.iter().all(inside)
}
