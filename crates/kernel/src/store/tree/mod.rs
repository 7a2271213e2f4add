//! Tree compression: stores every state exactly, in about 11 bytes whatever its length, by many workers at once.
//!
//! A state is cut into small leaves ([`shape`]); each distinct leaf gets a number, each distinct pair of numbers gets a
//! number, and so on up to the root, which is a pair that is part of no other pair: a key of 64 bits that represents
//! the state and from which it can be unfolded. The numbers are in one table ([`nodes`]), the keys in a set
//! ([`roots`]). States of concurrent processes that move one at a time share most of their parts, so there are far
//! fewer distinct parts than states, and the set of keys dominates the cost: Blom, Lisser, van de Pol and Weber, *A
//! database approach to distributed state space generation* (2007); Laarman, van de Pol and Weber (SPIN 2011).
//!
//! ```text
//! key = class + 1 (8 bits) | number of the left half (28) | number of the right half (28)
//!     | length + 1 (8 bits) | the bytes themselves (56)             for states of at most 7 bytes
//! ```
//!
//! The class says how to unfold, so different states have different keys, across all lengths. A key is also the
//! reference to its state: stable, and good outside the store as long as the nodes live.
//!
//! *Incremental*: a worker remembers the state it last read, with the numbers of all its nodes. Of a successor, only the
//! leaves that differ and the pairs above them are looked up; reading the next state, only the subtrees that differ are
//! unfolded.
//!
//! What is not kept is from where a state was reached: it would cost as much again as the state.

mod arrangement;
mod grow;
mod nodes;
mod roots;
mod shape;

use super::{Full, Ref, Shared};
use crate::verdict::Limit;
use arrangement::Arrangement;
use nodes::{Nodes, Reserve};
use roots::Roots;
use shape::{INLINE, Shape};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Numbers of nodes have 28 bits.
const NUMBER_BITS: u32 = 28;
const MOST_NODES: u32 = 1 << NUMBER_BITS;
const CLASS_SHIFT: u32 = 2 * NUMBER_BITS;

/// A store that compresses states into trees with shared parts. The head of its source file explains it.
pub struct Tree {
    nodes: Nodes,
    roots: Roots,
    arrangement: Arrangement,
    workers: AtomicUsize,
    /// There was no memory to grow before it was necessary; only necessity counts from now on.
    starved: bool,
    /// A state was too long for any tree.
    too_long: std::sync::atomic::AtomicBool,
}

/// A key and what it is looked up by.
#[derive(Clone, Copy, Debug)]
pub struct TreeKey {
    key: u64,
    mixed: u64,
}

impl TreeKey {
    /// The reference of the state with this key, if it is in the store.
    pub fn reference(self) -> Ref {
        Ref(self.key)
    }
}

/// What a worker remembers: the state last read, taken apart.
pub struct TreeWorker {
    number: usize,
    reserve: Reserve,
    /// Its class; `None` before the first.
    class: Option<u8>,
    key: u64,
    /// Its leaves, beside each other.
    bytes: Vec<u8>,
    /// The numbers of its nodes as in a heap: the root is 1 (and has none), the children of n are 2n and 2n + 1.
    numbers: Vec<u32>,
    /// Nodes that differ, with their new numbers: scratch space.
    changed: Vec<(u32, u32)>,
}

impl Default for Tree {
    fn default() -> Self {
        Self::new()
    }
}

impl Tree {
    /// An empty store.
    pub fn new() -> Self {
        Self::with_sizes(1 << 12, 1 << 12, 64)
    }

    /// An empty store for states like these: how their parts hang together decides how much they share.
    pub fn for_states(states: &[Vec<u8>]) -> Self {
        Self { arrangement: Arrangement::for_states(states), ..Self::new() }
    }

    /// An empty store that begins with room for so many nodes and states; a worker takes numbers of nodes in blocks.
    pub fn with_sizes(nodes: usize, states: usize, block: u32) -> Self {
        Self {
            nodes: Nodes::new(nodes, block),
            roots: Roots::new(states),
            arrangement: Arrangement::default(),
            workers: AtomicUsize::new(0),
            starved: false,
            too_long: false.into(),
        }
    }

    /// Bytes of the parts of states, without the set of their keys.
    pub fn node_bytes(&self) -> usize {
        self.nodes.bytes()
    }

    /// The references of all states, in any order.
    pub fn refs(&self) -> impl Iterator<Item = Ref> + '_ {
        self.roots.iter().map(|mixed| Ref(unmix(mixed)))
    }

    /// Forgets which states there are, but not their parts, so that references stay valid; there is then room for so
    /// many states.
    pub fn forget_states(&mut self, states: usize) {
        self.roots.reset(states.max(2) / 4 * 5);
        self.starved = false;
    }

    /// Folds a state bottom up, taking what it shares with the state last read from there.
    fn fold(&self, worker: &mut TreeWorker, state: &[u8], shape: Shape) -> Result<u64, Full> {
        let TreeWorker { reserve, changed, .. } = worker;
        // Without a state of the same shape, everything that is not zero differs.
        let same = worker.class == Some(shape.class);
        let (bytes, numbers): (&[u8], &[u32]) =
            if same { (&worker.bytes, &worker.numbers) } else { (&[], &[]) };
        changed.clear();
        let leaves = shape.leaves();
        for place in 0..leaves {
            let index = self.arrangement.at(shape, place);
            let leaf = shape.leaf(state, index);
            if leaf != old_leaf(bytes, shape, index) {
                changed.push(((leaves + place) as u32, self.nodes.number(reserve, leaf)?));
            }
        }
        if changed.is_empty() && same {
            return Ok(worker.key);
        }
        let number = |node: u32| numbers.get(node as usize).copied().unwrap_or(0);
        // Level by level the list becomes shorter, in place: where both children of a node differ, one entry remains.
        for _ in 1..shape.height {
            let mut kept = 0;
            let mut i = 0;
            while i < changed.len() {
                let (pair, used) = pair_of(&changed[i..], number);
                changed[kept] = (changed[i].0 / 2, self.nodes.number(reserve, pair)?);
                kept += 1;
                i += used;
            }
            changed.truncate(kept);
        }
        let root = if changed.is_empty() { 0 } else { pair_of(changed, number).0 };
        Ok(tagged(shape.class, root))
    }

    /// Unfolds a key top down, leaving the subtrees it shares with the state last read.
    fn unfold(&self, worker: &mut TreeWorker, key: u64, shape: Shape) {
        let leaves = shape.leaves();
        if worker.class != Some(shape.class) {
            worker.bytes.clear();
            worker.bytes.resize(shape.bytes() + 8, 0);
            worker.numbers.clear();
            worker.numbers.resize(2 * leaves, 0);
            worker.class = Some(shape.class);
        }
        let TreeWorker { changed, bytes, numbers, .. } = worker;
        changed.clear();
        let mut queue = |node: usize, pair: u64, changed: &mut Vec<(u32, u32)>| {
            for (child, number) in [(2 * node, left(pair)), (2 * node + 1, right(pair))] {
                if numbers[child] != number {
                    numbers[child] = number;
                    changed.push((child as u32, number));
                }
            }
        };
        queue(1, key, changed);
        // Breadth first: the waits for memory of one level overlap.
        let mut next = 0;
        while let Some(&(node, number)) = changed.get(next) {
            next += 1;
            let word = self.nodes.word(number);
            let node = node as usize;
            if node < leaves {
                queue(node, word, changed);
            } else {
                let start = self.arrangement.at(shape, node - leaves) * shape.width;
                bytes[start..start + shape.width].copy_from_slice(&word.to_le_bytes()[..shape.width]);
            }
        }
    }
}

/// The pair above the first of these nodes, and whether one or two of them are in it.
#[inline]
fn pair_of(changed: &[(u32, u32)], number: impl Fn(u32) -> u32) -> (u64, usize) {
    let (node, mine) = changed[0];
    if node & 1 == 1 {
        return (paired(number(node - 1), mine), 1);
    }
    match changed.get(1) {
        Some(&(next, its)) if next == node + 1 => (paired(mine, its), 2),
        _ => (paired(mine, number(node + 1)), 1),
    }
}

/// A leaf of the state last read.
#[inline]
fn old_leaf(bytes: &[u8], shape: Shape, index: usize) -> u64 {
    let start = index * shape.width;
    // There are eight bytes more than leaves, so that this reads no further than it may.
    match bytes.get(start..start + 8) {
        Some(eight) => u64::from_le_bytes(eight.try_into().expect("eight bytes")) & shape.mask(),
        None => 0,
    }
}

#[inline]
fn paired(left: u32, right: u32) -> u64 {
    u64::from(left) << NUMBER_BITS | u64::from(right)
}

#[inline]
fn left(pair: u64) -> u32 {
    (pair >> NUMBER_BITS) as u32 & (MOST_NODES - 1)
}

#[inline]
fn right(pair: u64) -> u32 {
    pair as u32 & (MOST_NODES - 1)
}

/// A key: never zero, because the class is counted from one.
#[inline]
fn tagged(class: u8, rest: u64) -> u64 {
    (u64::from(class) + 1) << CLASS_SHIFT | rest
}

fn class_of(key: u64) -> u8 {
    (key >> CLASS_SHIFT) as u8 - 1
}

const FACTOR: u64 = 0xd6e8_feb8_6659_fd93;
/// The inverse of `FACTOR` modulo 2^64.
const INVERSE: u64 = 0xcfee_444d_8b59_a89b;

/// A bijection of words that spreads them well, with 0 for 0: a hash that loses nothing (the "rrxmrrxmsx" family of Pelle
/// Evensen; here its relative with three xor-shifts).
#[inline]
fn mix(mut word: u64) -> u64 {
    word ^= word >> 32;
    word = word.wrapping_mul(FACTOR);
    word ^= word >> 32;
    word = word.wrapping_mul(FACTOR);
    word ^ word >> 32
}

/// The word of which [`mix`] makes this.
fn unmix(mut word: u64) -> u64 {
    word ^= word >> 32;
    word = word.wrapping_mul(INVERSE);
    word ^= word >> 32;
    word = word.wrapping_mul(INVERSE);
    word ^ word >> 32
}

impl Shared for Tree {
    type Worker = TreeWorker;
    type Key = TreeKey;

    fn worker(&self) -> TreeWorker {
        TreeWorker {
            number: self.workers.fetch_add(1, Ordering::Relaxed),
            reserve: Reserve::default(),
            class: None,
            key: 0,
            bytes: Vec::new(),
            numbers: Vec::new(),
            changed: Vec::new(),
        }
    }

    fn read(&self, worker: &mut TreeWorker, at: Ref, out: &mut Vec<u8>) {
        let key = at.0;
        let class = class_of(key);
        out.clear();
        if usize::from(class) <= INLINE {
            out.extend_from_slice(&key.to_le_bytes()[..usize::from(class)]);
            return;
        }
        let shape = Shape::of_class(class);
        self.unfold(worker, key, shape);
        worker.key = key;
        let len = shape.len(&worker.bytes);
        out.extend_from_slice(&worker.bytes[..len]);
    }

    #[inline]
    fn key(&self, worker: &mut TreeWorker, state: &[u8]) -> Result<TreeKey, Full> {
        let Some(shape) = Shape::of_len(state.len()) else {
            self.too_long.store(true, Ordering::Relaxed);
            return Err(Full);
        };
        let key = if shape.height == 0 {
            let mut eight = [0; 8];
            eight[..state.len()].copy_from_slice(state);
            tagged(shape.class, u64::from_le_bytes(eight))
        } else {
            self.fold(worker, state, shape)?
        };
        Ok(TreeKey { key, mixed: mix(key) })
    }

    #[inline]
    fn prefetch(&self, key: TreeKey) {
        self.roots.prefetch(key.mixed);
    }

    #[inline]
    fn insert(
        &self,
        worker: &mut TreeWorker,
        _state: &[u8],
        key: TreeKey,
        _from: Ref,
    ) -> Result<Option<Ref>, Full> {
        Ok(self.roots.insert(key.mixed, worker.number)?.then_some(Ref(key.key)))
    }

    fn parent(&self, _at: Ref) -> Option<Ref> {
        None
    }

    fn wants_growth(&self) -> bool {
        self.roots.is_packed()
            || !self.starved && (self.roots.is_crowded() || self.nodes.left() < self.nodes.room() / 16)
    }

    fn grow(&mut self, bytes: usize) -> Result<(), Limit> {
        if *self.too_long.get_mut() {
            return Err(Limit::Memory);
        }
        self.starved = false;
        self.grow_nodes(bytes)?;
        self.grow_roots(bytes)
    }

    fn len(&self) -> u64 {
        self.roots.len()
    }

    fn bytes(&self) -> usize {
        self.nodes.bytes() + self.roots.bytes()
    }
}

impl Tree {
    /// Gives the nodes more room if they are about to need it.
    fn grow_nodes(&mut self, bytes: usize) -> Result<(), Limit> {
        let room = self.nodes.room();
        if self.nodes.left() > room / 16 {
            return Ok(());
        }
        let usual = if room < 1 << 16 { room * 2 } else { room + room / 4 };
        let available = bytes.saturating_sub(self.roots.bytes());
        // Without room for the usual step, a quarter of it will do.
        let mut sizes = [usual, room + (usual - room) / 4].into_iter();
        let fits = |&size: &usize| size <= MOST_NODES as usize && Nodes::bytes_for(size) <= available;
        match sizes.find(fits) {
            Some(size) => self.nodes.grow(size),
            None if self.nodes.left() > 0 => self.starved = true,
            None => return Err(Limit::Memory),
        }
        Ok(())
    }

    /// Gives the keys more room if they are about to need it.
    fn grow_roots(&mut self, bytes: usize) -> Result<(), Limit> {
        if !self.roots.is_full() && !self.roots.is_crowded() {
            return Ok(());
        }
        let homes = self.roots.homes();
        let usual = self.roots.next_homes();
        let available = bytes.saturating_sub(self.nodes.bytes());
        let mut sizes = [usual, homes + (usual - homes) / 4].into_iter();
        match sizes.find(|&size| size > homes && Roots::bytes_for(size) <= available) {
            Some(size) => self.roots.grow(size),
            None if !self.roots.is_full() && !self.roots.is_packed() => self.starved = true,
            None => return Err(Limit::Memory),
        }
        Ok(())
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
