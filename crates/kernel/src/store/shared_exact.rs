//! The exact store that many workers fill at once: every state once, byte for byte, for ever.
//!
//! As in [`Exact`](super::Exact), an open-addressing table of 64-bit words points into an arena. A word is 28 bits of the
//! state's hash beside 36 bits of arena position (in units of eight bytes: 512 GiB); its place in the table carries the
//! hash's upper bits. A record of the arena is one word with its parent's position and its length, and then the state.
//!
//! **The insert protocol.** A worker that finds a free slot first writes the record into a piece of the arena that only
//! it fills, and then publishes it by a compare-and-swap (release) of the slot from free to the record's word. Whoever
//! reads the word (acquire) sees all of the record. If the swap fails, another worker was faster: its word is compared
//! like any other, and unless it is the same state the probe goes on with the record already written. A slot never
//! changes again, so of several workers with one state exactly one wins the slot where all of them must look. Laarman,
//! van de Pol and Weber (2010) mark a slot as being written and let others wait, because their states lie in a table
//! parallel to the slots; with a private piece of arena there is nothing to wait for. `models/insert.pml` is this protocol
//! in Promela, checked by ourselves, and `tests/loom.rs` checks this very code under loom.
//!
//! Nothing is allocated while workers run: pieces of arena ("chunks") are made by [`Shared::grow`], within the bytes it is
//! given, and taken by workers one by one. The table grows by being thrown away and built again from the arena, by all
//! cores, so that there are never two tables at once. Words of the arena are atomics read and written relaxed, which on
//! the machines we know is the same instruction as a plain access: it keeps this file free of unsafe code.

use super::pages::atomic_zeroes;
use super::sync::{AtomicU64, AtomicUsize, Ordering};
use super::{Full, Ref, Shared, hash64, prefetch_line, spread};
use crate::verdict::Limit;
use std::sync::{Arc, Mutex};

/// A store that forgets nothing and confuses nothing, for many workers. The head of its source file explains it.
pub struct SharedExact {
    /// 0 = free, else hash << 36 | (position + 1).
    table: Vec<AtomicU64>,
    /// At how many states the table is to grow.
    grow_at: u64,
    chunks: Vec<Vec<AtomicU64>>,
    /// Words of all chunks.
    arena: usize,
    /// The first chunk that no worker has taken; beyond the last if one was asked for in vain.
    spare: AtomicUsize,
    /// The words of the longest record that did not fit into a chunk.
    longest: AtomicUsize,
    /// How many states each worker has put in.
    counts: Mutex<Vec<Arc<Count>>>,
    threads: usize,
}

/// A worker's number of states, alone on its cache lines.
#[repr(align(128))]
struct Count(AtomicU64);

/// A worker's piece of the arena.
pub struct ArenaWorker {
    /// The position of the next record, and of the end of the chunk.
    next: u64,
    end: u64,
    count: Arc<Count>,
}

const POSITION_BITS: u32 = 36;
const POSITION_MASK: u64 = (1 << POSITION_BITS) - 1;
/// A position is a chunk's number above a word in it.
const CHUNK_BITS: u32 = 22;
const CHUNK_WORDS: usize = 1 << CHUNK_BITS;
const MOST_CHUNKS: usize = 1 << (POSITION_BITS - CHUNK_BITS);
/// The smallest chunk worth having.
const FIRST_CHUNK: usize = if cfg!(loom) { 16 } else { 1 << 9 };
const FIRST_SLOTS: usize = 1 << 10;
/// Smaller tables grow faster: their memory is nothing, and each pass over the states costs time.
const SMALL_SLOTS: usize = 1 << 22;
/// Beyond this state length the header's field would overflow.
const LONGEST_STATE: usize = (1 << (64 - POSITION_BITS)) - 2;

impl SharedExact {
    /// An empty store for so many workers.
    pub fn new(threads: usize) -> Self {
        Self::with_slots(threads, FIRST_SLOTS)
    }

    /// An empty store whose first table has so many slots: tests want it to grow all the time.
    pub fn with_slots(threads: usize, slots: usize) -> Self {
        let slots = slots.max(2);
        Self {
            table: atomic_zeroes(slots),
            grow_at: three_quarters(slots),
            chunks: Vec::new(),
            arena: 0,
            spare: AtomicUsize::new(0),
            longest: AtomicUsize::new(0),
            counts: Mutex::default(),
            threads: threads.max(1),
        }
    }

    /// The record at a position: its header, and then the words of the state.
    #[inline]
    fn record(&self, at: u64) -> &[AtomicU64] {
        &self.chunks[(at >> CHUNK_BITS) as usize][at as usize & (CHUNK_WORDS - 1)..]
    }

    #[inline]
    fn equals(&self, at: u64, state: &[u8]) -> bool {
        let record = self.record(at);
        if length(record[0].load(Ordering::Relaxed)) != state.len() {
            return false;
        }
        let words = &record[1..=words_of(state.len())];
        let (full, rest) = state.as_chunks::<8>();
        full.iter().zip(words).all(|(bytes, word)| u64::from_le_bytes(*bytes) == word.load(Ordering::Relaxed))
            && (rest.is_empty() || words[full.len()].load(Ordering::Relaxed) == last_word(state))
    }

    /// Writes a record where the worker's next one belongs, without making it visible to anybody.
    #[inline]
    fn write(&self, worker: &mut ArenaWorker, state: &[u8], from: Ref) -> Result<u64, Full> {
        let size = 1 + words_of(state.len());
        if worker.end - worker.next < size as u64 || state.len() > LONGEST_STATE {
            self.take_chunk(worker, size)?;
        }
        let record = self.record(worker.next);
        record[0].store(header(state.len(), from), Ordering::Relaxed);
        let (full, rest) = state.as_chunks::<8>();
        for (bytes, word) in full.iter().zip(&record[1..size]) {
            word.store(u64::from_le_bytes(*bytes), Ordering::Relaxed);
        }
        if !rest.is_empty() {
            record[size - 1].store(last_word(state), Ordering::Relaxed);
        }
        Ok(worker.next)
    }

    /// Takes back what [`SharedExact::write`] wrote: whoever walks over the arena must find zeroes behind the last record.
    #[cold]
    fn erase(&self, at: u64, len: usize) {
        for word in &self.record(at)[..=words_of(len)] {
            word.store(0, Ordering::Relaxed);
        }
    }

    /// Gives the worker a chunk with room for `size` words. What was left of the old one stays empty.
    #[cold]
    fn take_chunk(&self, worker: &mut ArenaWorker, size: usize) -> Result<(), Full> {
        loop {
            let number = self.spare.fetch_add(1, Ordering::Relaxed);
            let Some(chunk) = self.chunks.get(number) else {
                self.longest.fetch_max(size, Ordering::Relaxed);
                return Err(Full);
            };
            if chunk.len() >= size && size <= LONGEST_STATE / 8 {
                worker.next = (number as u64) << CHUNK_BITS;
                worker.end = worker.next + chunk.len() as u64;
                return Ok(());
            }
        }
    }

    /// Throws the table away and builds a larger one.
    fn rebuild(&mut self, slots: usize) {
        self.table = Vec::new();
        self.table = atomic_zeroes(slots);
        let this = &*self;
        let next = AtomicUsize::new(0);
        let some_chunks = || {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(chunk) = this.chunks.get(number) else { return };
                this.enter_all(chunk, (number as u64) << CHUNK_BITS);
            }
        };
        // Threads are not worth starting for a moment's work.
        let helpers = if self.arena < 1 << 18 { 0 } else { self.threads - 1 };
        std::thread::scope(|scope| {
            for _ in 0..helpers {
                scope.spawn(some_chunks);
            }
            some_chunks();
        });
    }

    /// Enters all records of a chunk into the table. They come one after the other but go anywhere: a batch of places is
    /// asked for before the first is needed, or every state would wait for memory.
    fn enter_all(&self, chunk: &[AtomicU64], base: u64) {
        let (mut word, mut state) = (0, Vec::new());
        let mut batch = [(0, 0); 16];
        loop {
            let mut n = 0;
            while n < batch.len() && word < chunk.len() {
                let header = chunk[word].load(Ordering::Relaxed);
                if header == 0 {
                    break;
                }
                read_words(&chunk[word + 1..], length(header), &mut state);
                let hash = hash64(&state);
                batch[n] = (hash, base + word as u64);
                self.prefetch(hash);
                word += 1 + words_of(state.len());
                n += 1;
            }
            for &(hash, at) in &batch[..n] {
                let mut slot = spread(hash, self.table.len());
                let entry = entry(hash, at);
                // No order is needed: nobody reads the table before the lock is given back.
                while self.table[slot]
                    .compare_exchange(0, entry, Ordering::Relaxed, Ordering::Relaxed)
                    .is_err()
                {
                    slot = if slot + 1 == self.table.len() { 0 } else { slot + 1 };
                }
            }
            if n < batch.len() {
                return;
            }
        }
    }

    /// Makes the table larger if it is time and there is room.
    fn grow_table(&mut self, bytes: usize) {
        let (used, slots) = (self.len(), self.table.len());
        if used < self.grow_at {
            return;
        }
        let arena = self.arena * 8;
        let grown = if slots < SMALL_SLOTS { slots * 4 } else { slots * 2 };
        // Half of the states that the new slots are for must find room in the arena too, or the slots are not worth having.
        let fits = |slots: &usize| arena + arena / 2 + slots * 8 <= bytes;
        if let Some(slots) = [grown, slots * 2].into_iter().find(fits) {
            self.rebuild(slots);
            self.grow_at = three_quarters(slots);
            return;
        }
        // No room to double. As many more states as there is room for, each with its record and a slot; and only if it is
        // worth a pass.
        let record = arena.div_ceil(used.max(1) as usize);
        let free = bytes.saturating_sub(arena + used as usize * 9);
        let modest = (used as usize + free / (record + 9)) * 16 / 15;
        if modest > slots + slots / 16 && arena + modest * 8 <= bytes {
            self.rebuild(modest);
        }
        self.grow_at = self.table.len() as u64 / 16 * 15;
    }

    /// Has a chunk for every worker ready, as far as there is room.
    fn grow_arena(&mut self, bytes: usize) {
        let spare = self.spare.load(Ordering::Relaxed);
        let longest = self.longest.load(Ordering::Relaxed) * 16;
        while self.chunks.len() < spare + self.threads && self.chunks.len() < MOST_CHUNKS {
            let free = bytes.saturating_sub(self.bytes()) / 8;
            // In proportion to what there is, so that growing is rare and little lies idle.
            let size =
                (self.arena / (4 * self.threads)).clamp(FIRST_CHUNK, CHUNK_WORDS).max(longest).min(free);
            if size < FIRST_CHUNK {
                return;
            }
            self.chunks.push(atomic_zeroes(size));
            self.arena += size;
        }
    }
}

fn three_quarters(slots: usize) -> u64 {
    slots as u64 / 4 * 3 + 1
}

#[inline]
fn entry(hash: u64, at: u64) -> u64 {
    hash << POSITION_BITS | (at + 1)
}

/// Never 0, so that zeroes in the arena are no record.
#[inline]
fn header(len: usize, from: Ref) -> u64 {
    (len as u64 + 1) << POSITION_BITS | (from.0 & POSITION_MASK)
}

#[inline]
fn length(header: u64) -> usize {
    (header >> POSITION_BITS) as usize - 1
}

#[inline]
fn words_of(len: usize) -> usize {
    len.div_ceil(8)
}

/// The bytes behind the last multiple of eight, of which there is at least one, filled up with zeroes.
#[inline]
fn last_word(state: &[u8]) -> u64 {
    let rest = state.len() % 8;
    match state.last_chunk::<8>() {
        // Cheaper than a copy of a length not known at compile time.
        Some(bytes) => u64::from_le_bytes(*bytes) >> (64 - 8 * rest),
        None => state.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    }
}

/// Copies the first `len` bytes of some words to `out`, replacing what was there.
#[inline]
fn read_words(words: &[AtomicU64], len: usize, out: &mut Vec<u8>) {
    let words = &words[..words_of(len)];
    out.resize(words.len() * 8, 0);
    let (chunks, _) = out.as_chunks_mut::<8>();
    for (bytes, word) in chunks.iter_mut().zip(words) {
        *bytes = word.load(Ordering::Relaxed).to_le_bytes();
    }
    out.truncate(len);
}

impl Shared for SharedExact {
    type Worker = ArenaWorker;
    type Key = u64;

    fn worker(&self) -> ArenaWorker {
        let count = Arc::new(Count(AtomicU64::new(0)));
        self.counts.lock().expect("nobody panics with it").push(Arc::clone(&count));
        ArenaWorker { next: 0, end: 0, count }
    }

    #[inline]
    fn read(&self, _: &mut ArenaWorker, at: Ref, out: &mut Vec<u8>) {
        let record = self.record(at.0);
        read_words(&record[1..], length(record[0].load(Ordering::Relaxed)), out);
    }

    #[inline]
    fn key(&self, _: &mut ArenaWorker, state: &[u8]) -> Result<u64, Full> {
        Ok(hash64(state))
    }

    #[inline]
    fn prefetch(&self, key: u64) {
        prefetch_line(&self.table, spread(key, self.table.len()));
    }

    #[inline]
    fn prefetch_state(&self, key: u64) {
        // Few states lie farther from home than this, and those merely wait.
        let home = spread(key, self.table.len());
        for word in self.table[home..].iter().take(4) {
            let word = word.load(Ordering::Relaxed);
            if word == 0 {
                return;
            }
            if (word ^ (key << POSITION_BITS)) >> POSITION_BITS == 0 {
                let at = (word & POSITION_MASK) - 1;
                let chunk = &self.chunks[(at >> CHUNK_BITS) as usize];
                let first = at as usize & (CHUNK_WORDS - 1);
                prefetch_line(chunk, first);
                prefetch_line(chunk, first + 8);
                return;
            }
        }
    }

    fn insert(
        &self,
        worker: &mut ArenaWorker,
        state: &[u8],
        key: u64,
        from: Ref,
    ) -> Result<Option<Ref>, Full> {
        let mut slot = spread(key, self.table.len());
        let mut written = None;
        let mut result = Err(Full);
        // A table without a free slot must grow; it is looked at once.
        for _ in 0..self.table.len() {
            let mut word = self.table[slot].load(Ordering::Acquire);
            if word == 0 {
                let at = match written {
                    Some(at) => at,
                    None => self.write(worker, state, from)?,
                };
                match self.table[slot].compare_exchange(
                    0,
                    entry(key, at),
                    Ordering::Release,
                    Ordering::Acquire,
                ) {
                    Ok(_) => {
                        worker.next = at + 1 + words_of(state.len()) as u64;
                        let count = worker.count.0.load(Ordering::Relaxed);
                        worker.count.0.store(count + 1, Ordering::Relaxed);
                        return Ok(Some(Ref(at)));
                    }
                    Err(other) => {
                        written = Some(at);
                        word = other;
                    }
                }
            }
            if (word ^ (key << POSITION_BITS)) >> POSITION_BITS == 0
                && self.equals((word & POSITION_MASK) - 1, state)
            {
                result = Ok(None);
                break;
            }
            slot = if slot + 1 == self.table.len() { 0 } else { slot + 1 };
        }
        if let Some(at) = written {
            self.erase(at, state.len());
        }
        result
    }

    fn parent(&self, at: Ref) -> Option<Ref> {
        let parent = self.record(at.0)[0].load(Ordering::Relaxed) & POSITION_MASK;
        (parent != POSITION_MASK).then_some(Ref(parent))
    }

    fn wants_growth(&self) -> bool {
        self.len() >= self.grow_at
    }

    fn grow(&mut self, bytes: usize) -> Result<(), Limit> {
        let spare = self.spare.load(Ordering::Relaxed);
        let in_vain = spare > self.chunks.len();
        self.spare.store(spare.min(self.chunks.len()), Ordering::Relaxed);
        // A state too long for any chunk is never taken in.
        if self.longest.load(Ordering::Relaxed) > LONGEST_STATE / 8 {
            return Err(Limit::Memory);
        }
        self.grow_table(bytes);
        self.grow_arena(bytes);
        let chunks = self.chunks.len() - self.spare.load(Ordering::Relaxed);
        if self.len() >= self.grow_at || (in_vain && chunks == 0) || self.bytes() > bytes {
            return Err(Limit::Memory);
        }
        Ok(())
    }

    fn len(&self) -> u64 {
        let counts = self.counts.lock().expect("nobody panics with it");
        counts.iter().map(|count| count.0.load(Ordering::Relaxed)).sum()
    }

    fn bytes(&self) -> usize {
        self.table.len() * 8 + self.arena * 8
    }
}
