//! The successors of one state, all fired, hashed and prefetched before the first of them is looked up: once a table
//! has outgrown the caches a look-up is a wait for memory, and the waits of a batch overlap.

use crate::store::States;
use crate::system::{Fault, Stepper, Transition};

pub(super) struct Successors<Hash> {
    items: Vec<Item<Hash>>,
    bytes: Vec<u8>,
    scratch: Vec<u8>,
}

struct Item<Hash> {
    transition: Transition,
    hash: Hash,
    fault: Option<Fault>,
    end: usize,
}

/// One of them.
pub(super) struct Successor<'a, Hash> {
    pub(super) transition: Transition,
    pub(super) state: &'a [u8],
    pub(super) hash: Hash,
    pub(super) fault: Option<Fault>,
}

impl<Hash> Default for Successors<Hash> {
    fn default() -> Self {
        Self { items: Vec::new(), bytes: Vec::new(), scratch: Vec::new() }
    }
}

impl<Hash: Copy> Successors<Hash> {
    pub(super) fn fire_all<S: States<Hash = Hash>>(
        &mut self,
        stepper: &mut dyn Stepper,
        store: &S,
        state: &[u8],
        enabled: &[Transition],
    ) {
        self.clear();
        for &transition in enabled {
            let fault = stepper.fire(state, transition, &mut self.scratch).err();
            let hash = store.hash(&self.scratch);
            store.prefetch(hash);
            self.bytes.extend_from_slice(&self.scratch);
            self.items.push(Item { transition, hash, fault, end: self.bytes.len() });
        }
    }

    pub(super) fn clear(&mut self) {
        self.items.clear();
        self.bytes.clear();
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Successor<'_, Hash>> {
        (0..self.items.len()).map(|i| self.get(i))
    }

    pub(super) fn by(&self, transition: Transition) -> Option<Successor<'_, Hash>> {
        self.items.iter().position(|item| item.transition == transition).map(|i| self.get(i))
    }

    fn get(&self, i: usize) -> Successor<'_, Hash> {
        let start = if i == 0 { 0 } else { self.items[i - 1].end };
        let Item { transition, hash, fault, end } = self.items[i];
        Successor { transition, state: &self.bytes[start..end], hash, fault }
    }
}
