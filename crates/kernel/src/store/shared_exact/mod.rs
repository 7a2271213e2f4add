//! The shared exact store: every state once, byte for byte, permanently; many workers fill it at once.
//!
//! As in [`Exact`](super::Exact), an open-addressing [`table`] of words points into an [`arena`].
//!
//! **The insert protocol.** A worker that finds a free slot first writes the record into a chunk of the arena that only
//! it fills, and then publishes it by a compare-and-swap (release) of the slot from free to the record's word. A worker
//! that reads the word (acquire) sees the whole record. If the swap fails, another worker was faster: its word is
//! compared like any other, and unless it is the same state the probe continues with the record already written. A slot
//! never changes again, so of several workers with one state exactly one wins the slot where all of them must look.
//! Laarman, van de Pol and Weber (2010) mark a slot as being written and let others wait, because their states lie in a
//! table parallel to the slots; with private chunks of the arena there is nothing to wait for. `models/insert.pml` is
//! this protocol in Promela, checked by elnath, and `tests/loom.rs` checks this very code under loom.

mod arena;
mod table;

use super::sync::{AtomicU64, Ordering};
use super::{Full, Noted, Ref, Shared, hash64};
use crate::verdict::Limit;
use arena::{Arena, Piece};
use std::sync::{Arc, Mutex};
use table::Table;

/// A store that forgets nothing and confuses nothing, for many workers. The head of its source file explains it. Beside
/// each state there are as many words as the parameter says.
pub struct SharedExact<const NOTES: usize = 0> {
    table: Table,
    /// At how many states the table is to grow.
    grow_at: u64,
    arena: Arena<NOTES>,
    threads: usize,
    /// Whether there is one worker only, who need not look whether another was faster: an exchange costs as much as all
    /// the rest of an insertion into a table in the cache.
    alone: bool,
    /// How many states each worker has put in.
    counts: Mutex<Vec<Arc<Count>>>,
}

/// A worker's number of states, alone on its cache lines.
#[repr(align(128))]
struct Count(AtomicU64);

/// A worker's piece of the arena.
pub struct ArenaWorker {
    piece: Piece,
    count: Arc<Count>,
}

const FIRST_HOMES: usize = 1 << 9;
/// Smaller tables grow faster: their memory is nothing, and each pass over the states costs time.
const SMALL: usize = 1 << 18;

impl SharedExact {
    /// An empty store for so many workers.
    pub fn new(threads: usize) -> Self {
        Self::noting(threads)
    }

    /// An empty store whose first table has so many slots: tests want it to grow all the time.
    pub fn with_slots(threads: usize, slots: usize) -> Self {
        Self::noting_with_slots(threads, slots)
    }
}

impl<const NOTES: usize> SharedExact<NOTES> {
    /// The same, with notes.
    pub fn noting(threads: usize) -> Self {
        Self::noting_with_slots(threads, FIRST_HOMES)
    }

    /// The same, with notes and so many slots.
    pub fn noting_with_slots(threads: usize, slots: usize) -> Self {
        let table = Table::new(slots);
        Self {
            grow_at: three_quarters(table.homes()),
            table,
            threads,
            alone: threads <= 1,
            arena: Arena::new(threads.max(1)),
            counts: Mutex::default(),
        }
    }

    /// Makes the table larger if it is time and there is room.
    fn grow_table(&mut self, bytes: usize) {
        let (used, homes) = (self.len(), self.table.homes());
        if used < self.grow_at && !self.table.is_full() {
            return;
        }
        let arena = self.arena.bytes();
        let grown = if homes < SMALL { homes * 4 } else { homes * 2 };
        // Half of the states that the new slots are for must find room in the arena too, or the slots are not worth having.
        let fits = |homes: &usize| {
            *homes <= self.table.most_homes() && arena + arena / 2 + table::bytes_for(*homes) <= bytes
        };
        if let Some(wanted) = [grown, homes * 2].into_iter().find(fits) {
            self.make_table(wanted);
            self.grow_at = three_quarters(self.table.homes());
            return;
        }
        // No room to double. As many more states as there is room for, each with its record and a slot; and only if it is
        // worth a pass.
        let record = arena.div_ceil(used.max(1) as usize);
        let free = bytes.saturating_sub(arena + used as usize * 9);
        let modest = ((used as usize + free / (record + 9)) * 16 / 15).min(self.table.most_homes());
        if modest > homes + homes / 16 && arena + table::bytes_for(modest) <= bytes {
            self.make_table(modest);
        }
        self.grow_at = self.table.homes() as u64 / 16 * 15;
    }

    /// Where the state lies, and whether it was put there just now.
    #[inline]
    fn find_or_insert(
        &self,
        worker: &mut ArenaWorker,
        state: &[u8],
        key: u64,
        from: Ref,
    ) -> Result<(Ref, bool), Full> {
        let mut written = None;
        for slot in self.table.way(key) {
            let mut word = slot.load(Ordering::Acquire);
            if word == 0 {
                let at = match written {
                    Some(at) => at,
                    None => self.arena.write(&mut worker.piece, state, from)?,
                };
                let new = table::word(key, at);
                let published = if self.alone {
                    slot.store(new, Ordering::Release);
                    Ok(0)
                } else {
                    slot.compare_exchange(0, new, Ordering::Release, Ordering::Acquire)
                };
                match published {
                    Ok(_) => {
                        self.arena.keep(&mut worker.piece, state.len());
                        let count = worker.count.0.load(Ordering::Relaxed);
                        worker.count.0.store(count + 1, Ordering::Relaxed);
                        return Ok((Ref(at), true));
                    }
                    Err(other) => {
                        written = Some(at);
                        word = other;
                    }
                }
            }
            if table::may_be(word, key) && self.arena.equals(table::position(word), state) {
                if let Some(at) = written {
                    self.arena.erase(at, state.len());
                }
                return Ok((Ref(table::position(word)), false));
            }
        }
        if let Some(at) = written {
            self.arena.erase(at, state.len());
        }
        Err(self.table.no_way())
    }

    /// Makes the table one of so many homes: in place if it can be, or from the states.
    fn make_table(&mut self, homes: usize) {
        if homes == self.table.homes() * 2 && self.table.double(self.threads) {
            return;
        }
        let arena = &self.arena;
        let mut wanted = homes;
        // Only a table of a few slots can have so many words at one place that doubling does not suffice.
        while !self.table.rebuild(wanted, |tell| arena.for_each(|at, state| tell(hash64(state), at))) {
            wanted *= 2;
        }
    }
}

fn three_quarters(slots: usize) -> u64 {
    slots as u64 / 4 * 3 + 1
}

impl<const NOTES: usize> Shared for SharedExact<NOTES> {
    type Worker = ArenaWorker;
    type Key = u64;

    fn worker(&self) -> ArenaWorker {
        let count = Arc::new(Count(AtomicU64::new(0)));
        let mut counts = self.counts.lock().expect("nobody panics with it");
        assert!(!self.alone || counts.is_empty(), "the store was made for one worker");
        counts.push(Arc::clone(&count));
        drop(counts);
        ArenaWorker { piece: Piece::default(), count }
    }

    #[inline]
    fn read(&self, _: &mut ArenaWorker, at: Ref, out: &mut Vec<u8>) {
        self.arena.read(at.0, out);
    }

    #[cfg(not(loom))]
    #[inline]
    fn state<'a>(&'a self, _: &mut ArenaWorker, at: Ref, _: &'a mut Vec<u8>) -> &'a [u8] {
        self.arena.state(at.0)
    }

    #[inline]
    fn key(&self, _: &mut ArenaWorker, state: &[u8]) -> Result<u64, Full> {
        Ok(hash64(state))
    }

    #[inline]
    fn prefetch(&self, key: u64) {
        self.table.prefetch(key);
    }

    #[inline]
    fn locate(&self, key: u64) -> Option<Ref> {
        // Few states lie farther from home than this, and those merely wait.
        for word in self.table.first(key) {
            let word = word.load(Ordering::Acquire);
            if word == 0 {
                return None;
            }
            if table::may_be(word, key) {
                let at = table::position(word);
                self.arena.prefetch(at);
                return Some(Ref(at));
            }
        }
        None
    }

    #[inline]
    fn is_at(&self, at: Ref, state: &[u8]) -> bool {
        self.arena.equals(at.0, state)
    }

    #[inline]
    fn insert(
        &self,
        worker: &mut ArenaWorker,
        state: &[u8],
        key: u64,
        from: Ref,
    ) -> Result<Option<Ref>, Full> {
        self.find_or_insert(worker, state, key, from).map(|(at, new)| new.then_some(at))
    }

    fn parent(&self, at: Ref) -> Option<Ref> {
        self.arena.parent(at.0)
    }

    fn wants_growth(&self) -> bool {
        self.len() >= self.grow_at
    }

    fn grow(&mut self, bytes: usize) -> Result<(), Limit> {
        self.grow_table(bytes);
        let enough = self.arena.grow(bytes.saturating_sub(self.table.bytes()));
        if !enough || self.len() >= self.grow_at || self.table.is_full() || self.bytes() > bytes {
            return Err(Limit::Memory);
        }
        Ok(())
    }

    fn len(&self) -> u64 {
        let counts = self.counts.lock().expect("nobody panics with it");
        counts.iter().map(|count| count.0.load(Ordering::Relaxed)).sum()
    }

    fn bytes(&self) -> usize {
        self.table.bytes() + self.arena.bytes()
    }
}

impl<const NOTES: usize> Noted for SharedExact<NOTES> {
    const NOTES: usize = NOTES;

    #[inline]
    fn note(&self, at: Ref, which: usize) -> &AtomicU64 {
        self.arena.note(at.0, which)
    }

    fn find(&self, state: &[u8], key: u64) -> Option<Ref> {
        let words = self.table.way(key).iter().map(|slot| slot.load(Ordering::Acquire));
        let mut words = words.take_while(|&word| word != 0);
        let same = |&word: &u64| table::may_be(word, key) && self.arena.equals(table::position(word), state);
        words.find(same).map(|word| Ref(table::position(word)))
    }

    #[inline]
    fn prefetch_at(&self, at: Ref) {
        self.arena.prefetch(at.0);
    }

    #[inline]
    fn place(
        &self,
        worker: &mut ArenaWorker,
        state: &[u8],
        key: u64,
        from: Ref,
    ) -> Result<(Ref, bool), Full> {
        self.find_or_insert(worker, state, key, from)
    }
}
