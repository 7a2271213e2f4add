//! A partition of nodes that is refined in rounds and remembers them.
//!
//! After Valmari's refinable partitions, as in the quotients of `elnath-lts`: the nodes stand in one array, block after block, the
//! *dirty* ones, whose signature may have changed, in front. What is different is that all blocks of a round are split by what
//! the round before has left, so that the round in which two nodes part is the depth of the least formula that tells them
//! apart. When a block is split, its largest part keeps the number; so a node changes its number at most log n times, and
//! the history, which is a list of these changes, stays small.

/// The nodes of a block stand at `start..end`, the dirty ones at `start..clean`.
#[derive(Clone, Copy)]
struct Block {
    start: u32,
    clean: u32,
    end: u32,
}

/// A node got a number in a round.
#[derive(Clone, Copy)]
struct Change {
    node: u32,
    round: u32,
    block: u32,
}

pub(super) struct History {
    /// The nodes, block by block, and by node its place and its block.
    nodes: Vec<u32>,
    places: Vec<u32>,
    block: Vec<u32>,
    blocks: Vec<Block>,
    /// Blocks with dirty nodes.
    pending: Vec<u32>,
    /// Rounds so far.
    round: u32,
    /// The nodes that changed their number in the last round.
    moved: Vec<u32>,
    changes: Vec<Change>,
    /// By node, where its changes begin; made when the rounds are over.
    first: Vec<u32>,
    keyed: Vec<(u64, u32)>,
}

impl History {
    /// One block of all nodes, all of them dirty.
    pub(super) fn new(nodes: usize) -> Self {
        let end = nodes as u32;
        Self {
            nodes: (0..end).collect(),
            places: (0..end).collect(),
            block: vec![0; nodes],
            blocks: vec![Block { start: 0, clean: end, end }],
            pending: vec![0],
            round: 0,
            moved: Vec::new(),
            changes: Vec::new(),
            first: Vec::new(),
            keyed: Vec::new(),
        }
    }

    /// What it occupies at first, with so many nodes.
    pub(super) fn bytes_of(nodes: usize) -> usize {
        12 * nodes
    }

    /// The block of a node now.
    #[inline]
    pub(super) fn of(&self, node: u32) -> u32 {
        self.block[node as usize]
    }

    pub(super) fn round(&self) -> u32 {
        self.round
    }

    /// The nodes that changed their number in the last round.
    pub(super) fn moved(&self) -> &[u32] {
        &self.moved
    }

    /// The blocks with dirty nodes.
    pub(super) fn pending(&self) -> &[u32] {
        &self.pending
    }

    pub(super) fn dirty(&self, block: u32) -> &[u32] {
        let block = self.blocks[block as usize];
        &self.nodes[block.start as usize..block.clean as usize]
    }

    pub(super) fn clean(&self, block: u32) -> &[u32] {
        let block = self.blocks[block as usize];
        &self.nodes[block.clean as usize..block.end as usize]
    }

    pub(super) fn is_dirty(&self, node: u32) -> bool {
        self.places[node as usize] < self.blocks[self.of(node) as usize].clean
    }

    /// Makes a node dirty. One that is alone in its block cannot be told from anything there, and stays clean.
    #[inline]
    pub(super) fn mark(&mut self, node: u32) {
        let number = self.block[node as usize];
        let block = &mut self.blocks[number as usize];
        let place = self.places[node as usize];
        if place < block.clean || block.end - block.start == 1 {
            return;
        }
        let first = block.clean;
        block.clean += 1;
        if first == block.start {
            self.pending.push(number);
        }
        let other = self.nodes[first as usize];
        self.nodes[first as usize] = node;
        self.nodes[place as usize] = other;
        self.places[node as usize] = first;
        self.places[other as usize] = place;
    }

    /// Puts the dirty nodes of a block into ascending order.
    pub(super) fn sort_dirty(&mut self, block: u32) {
        let Block { start, clean, .. } = self.blocks[block as usize];
        let dirty = &mut self.nodes[start as usize..clean as usize];
        dirty.sort_unstable();
        for (place, &node) in (start..clean).zip(&*dirty) {
            self.places[node as usize] = place;
        }
    }

    /// One round: splits every block with dirty nodes by the keys of its nodes. `key` must give the clean nodes of a block one
    /// key. Nothing is dirty afterwards.
    pub(super) fn split(&mut self, key: impl Fn(u32) -> u64) {
        self.round += 1;
        self.moved.clear();
        let mut pending = std::mem::take(&mut self.pending);
        for number in pending.drain(..) {
            self.split_block(number, &key);
        }
        self.pending = pending;
    }

    fn split_block(&mut self, number: u32, key: &impl Fn(u32) -> u64) {
        let Block { start, clean, end } = self.blocks[number as usize];
        let mut keyed = std::mem::take(&mut self.keyed);
        keyed.clear();
        keyed.extend(self.dirty(number).iter().map(|&node| (key(node), node)));
        // Those with the key of the clean nodes come last, next to them.
        let rest = (clean < end).then(|| key(self.nodes[clean as usize]));
        keyed.sort_unstable_by_key(|&(key, node)| (Some(key) == rest, key, node));
        let mut parts: Vec<Block> = Vec::new();
        let mut last = None;
        for (place, &(key, node)) in (start..clean).zip(&keyed) {
            self.nodes[place as usize] = node;
            self.places[node as usize] = place;
            if last != Some(key) {
                parts.push(Block { start: place, clean: place, end: place });
            }
            last = Some(key);
            parts.last_mut().expect("there is one").end = place + 1;
        }
        if rest.is_some() {
            if last != rest {
                parts.push(Block { start: clean, clean, end: clean });
            }
            parts.last_mut().expect("there is one").end = end;
        }
        let largest = (0..parts.len()).rev().max_by_key(|&part| parts[part].end - parts[part].start);
        for (index, part) in parts.into_iter().enumerate() {
            let part = Block { clean: part.start, ..part };
            if Some(index) == largest {
                self.blocks[number as usize] = part;
                continue;
            }
            let new = self.blocks.len() as u32;
            self.blocks.push(part);
            for &node in &self.nodes[part.start as usize..part.end as usize] {
                self.block[node as usize] = new;
                self.moved.push(node);
                self.changes.push(Change { node, round: self.round, block: new });
            }
        }
        self.keyed = keyed;
    }

    /// Ends the rounds, so that the history can be asked.
    pub(super) fn close(&mut self) {
        self.changes.sort_by_key(|change| change.node);
        self.first = vec![0; self.block.len() + 1];
        for change in &self.changes {
            self.first[change.node as usize + 1] += 1;
        }
        for node in 0..self.block.len() {
            self.first[node + 1] += self.first[node];
        }
    }

    fn changes(&self, node: u32) -> &[Change] {
        let node = node as usize;
        &self.changes[self.first[node] as usize..self.first[node + 1] as usize]
    }

    /// The block of a node after a round.
    pub(super) fn after(&self, node: u32, round: u32) -> u32 {
        let changes = self.changes(node);
        let later = changes.partition_point(|change| change.round <= round);
        if later == 0 { 0 } else { changes[later - 1].block }
    }

    /// The round in which two nodes parted, if they did.
    pub(super) fn parted(&self, a: u32, b: u32) -> Option<u32> {
        let (mut left, mut right) = (self.changes(a), self.changes(b));
        loop {
            match (left.first(), right.first()) {
                (Some(x), Some(y)) if x.round == y.round && x.block == y.block => {
                    (left, right) = (&left[1..], &right[1..]);
                }
                (None, None) => return None,
                (x, y) => {
                    return x.into_iter().chain(y).map(|change| change.round).min();
                }
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        let words = self.nodes.capacity() + self.places.capacity() + self.block.capacity();
        let words = words + self.pending.capacity() + self.moved.capacity() + self.first.capacity();
        4 * words
            + size_of::<Block>() * self.blocks.capacity()
            + size_of::<Change>() * self.changes.capacity()
            + size_of::<(u64, u32)>() * self.keyed.capacity()
    }
}
