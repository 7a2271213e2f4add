//! The successors of one state: all are fired, hashed and prefetched before the first of them is looked up. Once a
//! table has outgrown the caches a look-up is a cache miss, and the misses of a batch overlap.

use crate::store::States;
use crate::successors::{Successor, Successors};
use crate::system::{Stepper, Transition};

pub(in crate::search) struct Hashed<Hash> {
    pub(in crate::search) successors: Successors,
    hashes: Vec<Hash>,
    hints: Vec<u32>,
}

impl<Hash> Default for Hashed<Hash> {
    fn default() -> Self {
        Self { successors: Successors::default(), hashes: Vec::new(), hints: Vec::new() }
    }
}

impl<Hash: Copy> Hashed<Hash> {
    pub(in crate::search) fn fire_all<S: States<Hash = Hash>>(
        &mut self,
        stepper: &mut dyn Stepper,
        store: &S,
        state: &[u8],
    ) {
        stepper.successors(state, &mut self.successors);
        self.hashes.clear();
        self.hints.clear();
        for successor in self.successors.iter() {
            let hash = store.hash(successor.state);
            store.prefetch(hash);
            self.hashes.push(hash);
            self.hints.push(store.hint(hash));
        }
        // By now the first places have arrived, and tell where the bytes are that the states will be compared with.
        for (successor, &hash) in self.successors.iter().zip(&self.hashes) {
            store.prefetch_bytes(hash, successor.state.len());
        }
    }

    /// Tells another store too that they will be looked up soon.
    pub(in crate::search) fn prefetch<S: States<Hash = Hash>>(&self, store: &S) {
        self.hashes.iter().for_each(|&hash| store.prefetch(hash));
    }

    pub(in crate::search) fn clear(&mut self) {
        self.successors.clear();
        self.hashes.clear();
        self.hints.clear();
    }

    pub(in crate::search) fn hint(&self, index: usize) -> u32 {
        self.hints[index]
    }

    pub(in crate::search) fn hash(&self, index: usize) -> Hash {
        self.hashes[index]
    }

    pub(in crate::search) fn iter(&self) -> impl Iterator<Item = (Successor<'_>, Hash)> {
        self.successors.iter().zip(self.hashes.iter().copied())
    }

    pub(in crate::search) fn by(&self, transition: Transition) -> Option<(Successor<'_>, Hash)> {
        self.iter().find(|(successor, _)| successor.transition == transition)
    }
}
