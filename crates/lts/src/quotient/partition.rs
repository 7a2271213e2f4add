//! A partition of states that is only ever refined, with dirty states in front.
//!
//! After Valmari's refinable partitions: the states stand in one array, block after block, and each knows its place, so
//! that marking a state is one exchange. What is marked is *dirty*: its signature may have changed since its block was
//! looked at last. Clean states of a block all have the same signature, which is what makes it enough to compute one of
//! theirs ("Boa", Wißmann and others 2023). When a block is split, its largest part keeps the number, so that a state
//! changes its number at most log n times, and with it the signatures of its predecessors.

use elnath_kernel::store::prefetch_line;
use std::collections::VecDeque;

/// The states of a block stand at `start..end`, the dirty ones at `start..clean`.
#[derive(Clone, Copy)]
struct Block {
    start: u32,
    clean: u32,
    end: u32,
}

pub(super) struct Partition {
    /// The states, block by block.
    states: Vec<u32>,
    /// By state: its place in `states`.
    places: Vec<u32>,
    /// By state: the number of its block.
    block: Vec<u32>,
    blocks: Vec<Block>,
    /// The blocks with dirty states, in the order in which they got them. First in, first out: a block that waits
    /// gathers dirty states, which are then looked at once.
    pending: VecDeque<u32>,
    /// How many states there are of each key, then where they go.
    counts: Vec<u32>,
}

impl Partition {
    /// One block of all states, all of them dirty.
    pub(super) fn new(states: usize) -> Self {
        let end = states as u32;
        Self {
            states: (0..end).collect(),
            places: (0..end).collect(),
            block: vec![0; states],
            blocks: vec![Block { start: 0, clean: end, end }],
            pending: VecDeque::from([0]),
            counts: Vec::new(),
        }
    }

    /// Bytes of a partition of so many states, at the most.
    pub(super) fn bytes(states: usize) -> usize {
        states * (4 * size_of::<u32>() + 2 * size_of::<u32>() + size_of::<Block>())
    }

    /// How many blocks there are.
    pub(super) fn len(&self) -> usize {
        self.blocks.len()
    }

    /// The block of a state.
    #[inline]
    pub(super) fn of(&self, state: u32) -> u32 {
        self.block[state as usize]
    }

    /// The block of a state will be asked for.
    #[inline]
    pub(super) fn expect_block(&self, state: u32) {
        prefetch_line(&self.block, state as usize);
    }

    /// A state will be marked.
    #[inline]
    pub(super) fn expect_place(&self, state: u32) {
        prefetch_line(&self.block, state as usize);
        prefetch_line(&self.places, state as usize);
    }

    /// By state: its block.
    pub(super) fn into_blocks(self) -> Vec<u32> {
        self.block
    }

    /// A block that has dirty states, if there is one.
    pub(super) fn next_dirty(&mut self) -> Option<u32> {
        self.pending.pop_front()
    }

    pub(super) fn dirty(&self, block: u32) -> &[u32] {
        let block = self.blocks[block as usize];
        &self.states[block.start as usize..block.clean as usize]
    }

    pub(super) fn clean(&self, block: u32) -> &[u32] {
        let block = self.blocks[block as usize];
        &self.states[block.clean as usize..block.end as usize]
    }

    /// The dirty state at this place among the dirty ones of its block.
    #[inline]
    pub(super) fn dirty_at(&self, block: u32, index: usize) -> Option<u32> {
        let block = self.blocks[block as usize];
        let place = block.start as usize + index;
        (place < block.clean as usize).then(|| self.states[place])
    }

    /// The place of a dirty state among the dirty ones of its block, which is the key into whatever the caller keeps
    /// about them; `None` if it is clean.
    #[inline]
    pub(super) fn dirty_index(&self, state: u32) -> Option<usize> {
        let block = self.blocks[self.of(state) as usize];
        let place = self.places[state as usize];
        (place < block.clean).then(|| (place - block.start) as usize)
    }

    /// Makes a state dirty. A state that is alone in its block cannot be told from anything there, and stays clean.
    #[inline]
    pub(super) fn mark(&mut self, state: u32) {
        let number = self.block[state as usize];
        let block = &mut self.blocks[number as usize];
        let place = self.places[state as usize];
        if place < block.clean || block.end - block.start == 1 {
            return;
        }
        let first = block.clean;
        block.clean += 1;
        if first == block.start {
            self.pending.push_back(number);
        }
        let other = self.states[first as usize];
        self.states[first as usize] = state;
        self.states[place as usize] = other;
        self.places[state as usize] = first;
        self.places[other as usize] = place;
    }

    /// Puts the dirty states of a block into ascending order.
    pub(super) fn sort_dirty(&mut self, block: u32) {
        let Block { start, clean, .. } = self.blocks[block as usize];
        let dirty = &mut self.states[start as usize..clean as usize];
        if dirty.is_sorted() {
            return;
        }
        dirty.sort_unstable();
        for (place, &state) in (start..clean).zip(&*dirty) {
            self.places[state as usize] = place;
        }
    }

    /// Splits a block by the keys of its dirty states, in their order, and makes them clean. Keys are `0..number`, each
    /// of them used, and 0 is the key of the clean states, if there are any. The states that now belong to new blocks,
    /// which have the last numbers, are written to `moved`.
    pub(super) fn split(&mut self, number: u32, keys: &[u32], different: usize, moved: &mut Vec<u32>) {
        let Block { start, clean, end } = self.blocks[number as usize];
        moved.clear();
        if different == 1 {
            self.blocks[number as usize].clean = start;
            return;
        }
        // The dirty states with key 0 come last, next to the clean ones: one group.
        self.counts.clear();
        self.counts.resize(different, 0);
        for &key in keys {
            self.counts[key as usize] += 1;
        }
        let mut largest = (0, self.counts[0] + (end - clean));
        let mut place = start;
        for key in 1..different {
            let count = std::mem::replace(&mut self.counts[key], place);
            if count > largest.1 {
                largest = (key, count);
            }
            place += count;
        }
        self.counts[0] = place;
        // Nothing has moved yet: there is room for the dirty states while they are sorted.
        moved.extend_from_slice(&self.states[start as usize..clean as usize]);
        for (&state, &key) in moved.iter().zip(keys) {
            let place = &mut self.counts[key as usize];
            self.states[*place as usize] = state;
            self.places[state as usize] = *place;
            *place += 1;
        }
        moved.clear();
        // Now `counts` holds where each group ends.
        let mut begin = start;
        for key in (1..different).chain([0]) {
            let finish = if key == 0 { end } else { self.counts[key] };
            let part = Block { start: begin, clean: begin, end: finish };
            if key == largest.0 {
                self.blocks[number as usize] = part;
            } else {
                let new = self.blocks.len() as u32;
                self.blocks.push(part);
                for &state in &self.states[begin as usize..finish as usize] {
                    self.block[state as usize] = new;
                    moved.push(state);
                }
            }
            begin = finish;
        }
    }
}
