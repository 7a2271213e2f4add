//! Strong bisimulation, by signatures of dirty states.
//!
//! The signature of a state is the set of its transitions, each with the block it leads to instead of the state. Blocks
//! whose states differ are split until none is; which states have to be looked at again is the business of
//! [`Partition`]. This is the algorithm of "Boa" (Wißmann, Deifel, Milius, Schröder and others): at most O(m log n)
//! signatures' elements are computed. Valmari's algorithm sorts by splitters instead and needs no signatures, but
//! touches three arrays per transition and split; the field's measurements have it at a multiple of the time.

use elnath_kernel::Limit;

use super::graph::{Incoming, NONE, Transitions};
use super::meter::Meter;
use super::partition::Partition;
use super::signatures::{Signatures, normalise, pair};

/// By state: its class, classes numbered in no order that matters.
pub(super) fn classes(graph: &impl Transitions, meter: &mut Meter<'_, '_>) -> Result<Vec<u32>, Limit> {
    let incoming = Incoming::new(graph, NONE, meter)?;
    let bytes = Partition::bytes(graph.len());
    meter.take(bytes)?;
    let mut partition = Partition::new(graph.len());
    let mut signatures = Signatures::default();
    let (mut list, mut keys, mut moved) = (Vec::new(), Vec::new(), Vec::new());
    let mut scratch = 0;
    let signature = |partition: &Partition, state: u32, list: &mut Vec<u64>| {
        list.clear();
        list.extend(graph.of(state).map(|edge| pair(edge.label, partition.of(edge.target))));
        normalise(list);
    };

    while let Some(block) = partition.next_dirty() {
        // Neighbours mostly have near numbers: what is read for one is near what is read for the next.
        partition.sort_dirty(block);
        signatures.clear(partition.dirty(block).len() + 1);
        keys.clear();
        if let Some(&state) = partition.clean(block).first() {
            signature(&partition, state, &mut list);
            signatures.key(&list);
        }
        for (index, &state) in partition.dirty(block).iter().enumerate() {
            graph.expect(partition.dirty(block), index, |state| partition.expect_block(state));
            signature(&partition, state, &mut list);
            keys.push(signatures.key(&list));
            meter.work(list.len() + 1)?;
        }
        if signatures.bytes() > scratch {
            meter.take(signatures.bytes() - scratch)?;
            scratch = signatures.bytes();
        }
        partition.split(block, &keys, signatures.len(), &mut moved);
        for (index, &state) in moved.iter().enumerate() {
            incoming.expect(&moved, index, |source| partition.expect_place(source));
            incoming.visible(state).for_each(|source| partition.mark(source));
        }
        meter.found(partition.len());
    }
    meter.give_back(scratch + incoming.bytes() + bytes);
    Ok(partition.into_blocks())
}
