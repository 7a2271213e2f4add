//! A store that forgets as much as it may: it keeps the path, and of the visited states as few as it is told.

use elnath_kernel::rng::Rng;
use elnath_kernel::store::{Known, Ref, Room, States, Status, Store, Visit};
use elnath_kernel::verdict::Limit;
use std::collections::HashMap;

/// A naive store with room for `size` visited states beside all others; which of them it forgets is chance.
pub struct Cache {
    size: usize,
    states: HashMap<Vec<u8>, Known>,
    by_ref: HashMap<u64, Vec<u8>>,
    visited: Vec<Ref>,
    insertions: u64,
    rng: Rng,
}

impl Cache {
    /// An empty store.
    pub fn new(size: usize, seed: u64) -> Self {
        Self {
            size,
            states: HashMap::new(),
            by_ref: HashMap::new(),
            visited: Vec::new(),
            insertions: 0,
            rng: Rng::new(seed),
        }
    }
}

impl States for Cache {
    type Hash = ();

    fn hash(&self, _: &[u8]) {}

    fn prefetch(&self, (): ()) {}

    fn len(&self) -> u64 {
        self.states.len() as u64
    }

    fn bytes(&self) -> usize {
        0
    }

    fn insertions(&self) -> u64 {
        self.insertions
    }

    fn clear(&mut self) {
        self.states.clear();
        self.by_ref.clear();
        self.visited.clear();
        self.insertions = 0;
    }
}

impl Store for Cache {
    fn find(&mut self, state: &[u8], (): ()) -> Option<Known> {
        self.states.get(state).copied()
    }

    fn visit(&mut self, state: &[u8], (): (), _: Room) -> Result<Visit, Limit> {
        if let Some(&known) = self.states.get(state) {
            return Ok(Visit::Known(known));
        }
        // A reference is never used again, so that one to a forgotten state is noticed.
        self.insertions += 1;
        let at = Ref(self.insertions);
        self.states.insert(state.to_vec(), Known { status: Status::Path, at });
        self.by_ref.insert(at.0, state.to_vec());
        Ok(Visit::New(at))
    }

    fn set_status(&mut self, at: Ref, status: Status) {
        let state = self.by_ref.get(&at.0).expect("the state was not forgotten");
        let known = self.states.get_mut(state).expect("a state with a reference is there");
        assert_ne!(known.status, Status::Visited, "a visited state may be gone at any time");
        known.status = status;
        if status == Status::Visited {
            self.visited.push(at);
            if self.visited.len() > self.size {
                let victim = self.rng.below(self.visited.len() as u64) as usize;
                let state = self.by_ref.remove(&self.visited.swap_remove(victim).0);
                self.states.remove(&state.expect("a visited state was not forgotten twice"));
            }
        }
    }

    fn read(&self, at: Ref, out: &mut Vec<u8>) {
        out.clone_from(self.by_ref.get(&at.0).expect("the state was not forgotten"));
    }
}
