//! The hash table of the shared exact store: words that point into the arena, in the order of their hashes.
//!
//! A word is 28 bits of a state's hash beside 36 bits of the position of its record; zero is free. Home slots are in
//! the order of the hashes' upper bits, probing is linear, and a tail after the last home slot replaces wrapping
//! around.
//!
//! **Growing in place.** The table doubles in place, from its end to its beginning: each cluster of occupied slots is
//! taken out and inserted again further up. A word with home slot h then has home slot 2h or 2h + 1, so reads and
//! writes are sequential, and the states need not be read if the word determines its home slot. It does: it holds not
//! the lowest bits of the hash but those from the ninth on. In a table of 2^k slots they begin with the lower k - 8
//! bits of the home slot, so that slot and word together give the home, as long as no cluster is longer than 2^(k - 8);
//! the next bit gives the home in the doubled table. Hashing and inserting all states again took 15 to 18 % of the time
//! of a search through eight million states. Several threads share the work: no worker searches meanwhile, and a fifth
//! of the time of a search with two threads was one waiting for the other to double the table.

use crate::store::pages::Reserved;
use crate::store::sync::{AtomicBool, AtomicU64, Ordering};
use crate::store::{Full, prefetch_line, spread};
use std::ops::Range;

pub(super) const POSITION_BITS: u32 = 36;
const POSITION_MASK: u64 = (1 << POSITION_BITS) - 1;
/// The upper bits of a hash that a word does not hold.
const UNHELD: u32 = 8;
/// The smallest table that doubles in place. Smaller ones are in the caches anyway.
const LARGE: usize = 1 << 18;
/// Slots behind the last home, and the longest way of a word. Clusters of this length do not happen before a table is
/// nearly full.
const TAIL: usize = 4096;
/// Nearly every word lies as near to its home.
const NEAR: usize = 64;
/// Addresses for a table of eight thousand million slots.
const RESERVED: usize = if cfg!(loom) { 64 } else { 1 << 33 };

pub(super) struct Table {
    words: Reserved,
    homes: usize,
    /// Homes and tail: the slots in use.
    slots: usize,
    /// A word found no slot since the table last grew.
    full: AtomicBool,
}

/// The word of a state with this hash that lies at this position.
#[inline]
pub(super) fn word(hash: u64, at: u64) -> u64 {
    (hash << UNHELD) & !POSITION_MASK | (at + 1)
}

/// Whether a word may be that of a state with this hash.
#[inline]
pub(super) fn may_be(word: u64, hash: u64) -> bool {
    (word ^ (hash << UNHELD)) >> POSITION_BITS == 0
}

/// Where the state of a word lies.
#[inline]
pub(super) fn position(word: u64) -> u64 {
    (word & POSITION_MASK) - 1
}

impl Table {
    pub(super) fn new(homes: usize) -> Self {
        let words = Reserved::new(RESERVED);
        let homes = homes.clamp(2, most_homes(words.len()));
        Self { words, homes, slots: homes + tail(homes), full: AtomicBool::new(false) }
    }

    pub(super) fn homes(&self) -> usize {
        self.homes
    }

    /// The most homes there can ever be.
    pub(super) fn most_homes(&self) -> usize {
        most_homes(self.words.len())
    }

    pub(super) fn bytes(&self) -> usize {
        bytes_for(self.homes)
    }

    #[inline]
    pub(super) fn prefetch(&self, hash: u64) {
        prefetch_line(&self.words, spread(hash, self.homes));
    }

    /// The slots where a state with this hash may be, in order: it is in none behind a free one.
    #[inline]
    pub(super) fn way(&self, hash: u64) -> &[AtomicU64] {
        let home = spread(hash, self.homes);
        &self.words[home..self.slots.min(home + TAIL)]
    }

    /// The first few slots of that way. Behind the last one in use there are free ones.
    #[inline]
    pub(super) fn first(&self, hash: u64) -> &[AtomicU64] {
        const FEW: usize = if cfg!(loom) { 1 } else { 4 };
        &self.words[spread(hash, self.homes)..][..FEW]
    }

    /// The way of some state had no free slot.
    #[cold]
    pub(super) fn no_way(&self) -> Full {
        self.full.store(true, Ordering::Relaxed);
        Full
    }

    /// Whether that has happened since the table last grew.
    pub(super) fn is_full(&self) -> bool {
        self.full.load(Ordering::Relaxed)
    }

    /// Doubles the number of homes, in place and with so many threads. If it does not succeed, the table must be
    /// [built again](Table::rebuild).
    pub(super) fn double(&mut self, threads: usize) -> bool {
        let old = self.homes;
        if old < LARGE || !old.is_power_of_two() || old * 2 > self.most_homes() {
            return false;
        }
        self.set_homes(old * 2);
        let lift = Lift { table: self, held: old.trailing_zeros() - UNHELD };
        let mut end = old + TAIL;
        // What lies above the middle goes to where nothing lies yet, so that several may move it at once.
        while threads > 1 && end >= LARGE {
            let begin = lift.gap(end.div_ceil(2), end);
            if begin == end || !lift.together(begin..end, threads) {
                return false;
            }
            end = begin;
        }
        let fits = lift.alone(0..end);
        self.full.store(false, Ordering::Relaxed);
        fits
    }

    /// Makes it a table of so many homes with the hashes and positions that `feed` tells and no others; whether they all
    /// found a slot.
    pub(super) fn rebuild(&mut self, homes: usize, feed: impl FnOnce(&mut dyn FnMut(u64, u64))) -> bool {
        let used = self.homes.max(homes);
        let used = self.words.len().min(used + tail(used));
        self.words[..used].iter().for_each(|word| word.store(0, Ordering::Relaxed));
        self.set_homes(homes);
        self.full.store(false, Ordering::Relaxed);
        // They go anywhere: a batch of places is asked for before the first is needed, or each would wait for memory.
        let mut batch = [(0, 0); 16];
        let (mut waiting, mut fits) = (0, true);
        feed(&mut |hash, at| {
            self.prefetch(hash);
            batch[waiting] = (hash, at);
            waiting += 1;
            if waiting == batch.len() {
                fits &= self.put_all(&batch);
                waiting = 0;
            }
        });
        fits & self.put_all(&batch[..waiting])
    }

    fn set_homes(&mut self, homes: usize) {
        self.homes = homes;
        self.slots = homes + tail(homes);
    }

    fn put_all(&self, entries: &[(u64, u64)]) -> bool {
        entries.iter().all(|&(hash, at)| self.put(word(hash, at), spread(hash, self.homes)))
    }

    fn put(&self, word: u64, home: usize) -> bool {
        let way = &self.words[home..self.slots.min(home + TAIL)];
        match way.iter().find(|slot| slot.load(Ordering::Relaxed) == 0) {
            Some(slot) => {
                slot.store(word, Ordering::Relaxed);
                true
            }
            None => false,
        }
    }
}

/// The clusters of a table on their way to where they belong in one twice as large.
struct Lift<'t> {
    table: &'t Table,
    /// How many lower bits of its old home a word holds.
    held: u32,
}

impl Lift<'_> {
    /// The first slot from `from` on that follows a free one; `end` if there is none before.
    fn gap(&self, from: usize, end: usize) -> usize {
        (from.max(1)..end)
            .find(|&slot| self.table.words[slot - 1].load(Ordering::Relaxed) == 0)
            .unwrap_or(end)
    }

    /// Lifts all clusters of some slots, which begin at a gap, in as many pieces as there are threads.
    fn together(&self, slots: Range<usize>, threads: usize) -> bool {
        let mut pieces = Vec::with_capacity(threads);
        let mut begin = slots.start;
        for number in 1..=threads {
            let wanted = slots.start + slots.len() * number / threads;
            // Longer than any word goes, so that a piece meets no others but its neighbours.
            let end = if number == threads { slots.end } else { self.gap(wanted, slots.end) };
            if end >= begin + 2 * TAIL || number == threads {
                pieces.push(begin..end);
                begin = end;
            }
        }
        std::thread::scope(|scope| {
            let mine = pieces.pop();
            let helpers: Vec<_> =
                pieces.into_iter().map(|piece| scope.spawn(move || self.alone(piece))).collect();
            let fits = mine.is_none_or(|piece| self.alone(piece));
            // All are waited for, whether the first fits or not.
            helpers.into_iter().fold(fits, |fits, helper| helper.join().unwrap_or(false) && fits)
        })
    }

    /// Lifts all clusters of some slots, from the last to the first.
    fn alone(&self, slots: Range<usize>) -> bool {
        let (words, mask) = (&self.table.words, (1 << self.held) - 1);
        // Words of the piece below may go beyond it, and some of this one beyond its end: everywhere else only this thread
        // writes.
        let own = 2 * slots.start + TAIL..2 * slots.end;
        let mut cluster = Vec::new();
        let mut end = slots.end;
        while end > slots.start {
            if words[end - 1].load(Ordering::Relaxed) == 0 {
                end -= 1;
                continue;
            }
            // A cluster's words have their homes, old and new, at its beginning or later: what is before it, and has yet
            // to be lifted out, is not touched.
            while end > slots.start && words[end - 1].load(Ordering::Relaxed) != 0 {
                end -= 1;
                cluster.push(words[end].load(Ordering::Relaxed));
                words[end].store(0, Ordering::Relaxed);
            }
            if cluster.len() > mask {
                return false;
            }
            // The first slot's word first, so that words stay near the order they are in.
            for (number, word) in cluster.drain(..).rev().enumerate() {
                let slot = end + number;
                let lower = (word >> (64 - self.held)) as usize;
                let home = slot - (slot.wrapping_sub(lower) & mask);
                let next = (word >> (63 - self.held)) as usize & 1;
                if !self.put(word, 2 * home + next, &own) {
                    return false;
                }
            }
        }
        true
    }

    fn put(&self, word: u64, home: usize, own: &Range<usize>) -> bool {
        if own.contains(&home) && own.contains(&(home + NEAR)) {
            let near = &self.table.words[home..home + NEAR];
            if let Some(slot) = near.iter().find(|slot| slot.load(Ordering::Relaxed) == 0) {
                slot.store(word, Ordering::Relaxed);
                return true;
            }
        }
        let way = &self.table.words[home..self.table.slots.min(home + TAIL)];
        way.iter().any(|slot| slot.compare_exchange(0, word, Ordering::Relaxed, Ordering::Relaxed).is_ok())
    }
}

/// Bytes of a table of so many homes.
pub(super) fn bytes_for(homes: usize) -> usize {
    (homes + tail(homes)) * 8
}

/// A tail that is too short only makes a small table grow early.
fn tail(homes: usize) -> usize {
    (homes / 8).clamp(2, TAIL)
}

fn most_homes(words: usize) -> usize {
    words - (words / 2).min(TAIL)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// Through several doublings, every word can be found where its hash leads, and nothing else is there.
    #[test]
    fn doubling_in_place_loses_nothing() {
        for seed in 0..9 {
            let mut rng = Rng::new(seed);
            // Some hashes crowd a few homes, at the very end too.
            let mut random = |number: usize| match (seed % 3, number % 64) {
                (1, 0) => u64::MAX - (rng.next_u64() >> 30),
                (2, 0) => rng.next_u64() >> 30,
                (_, 1) => (rng.next_u64() & 0xffff) << 44 | rng.next_u64() >> 32,
                _ => rng.next_u64(),
            };
            let mut table = Table::new(LARGE);
            let threads = seed as usize / 3 + 1;
            let mut entries: Vec<(u64, u64)> = Vec::new();
            let mut in_place = 0;
            while table.homes() < LARGE * 8 {
                while entries.len() < table.homes() / 4 * 3 {
                    let (hash, at) = (random(entries.len()), entries.len() as u64);
                    match table.way(hash).iter().find(|slot| slot.load(Ordering::Relaxed) == 0) {
                        Some(slot) => slot.store(word(hash, at), Ordering::Relaxed),
                        None => break,
                    }
                    entries.push((hash, at));
                }
                let homes = table.homes();
                if table.double(threads) {
                    in_place += 1;
                } else {
                    let feed = |tell: &mut dyn FnMut(u64, u64)| {
                        entries.iter().for_each(|&(hash, at)| tell(hash, at));
                    };
                    assert!(table.rebuild(homes * 2, feed));
                }
                assert_eq!(table.homes(), homes * 2);
                let used = table.words[..homes * 2 + TAIL].iter();
                let used = used.filter(|slot| slot.load(Ordering::Relaxed) != 0).count();
                assert_eq!(used, entries.len(), "seed {seed}");
                for &(hash, at) in &entries {
                    let mut way = table.way(hash).iter().map(|slot| slot.load(Ordering::Relaxed));
                    let found =
                        way.by_ref().take_while(|&found| found != 0).any(|found| found == word(hash, at));
                    assert!(found, "seed {seed}: {hash:x}");
                }
            }
            assert!(!seed.is_multiple_of(3) || in_place == 3, "random hashes can be doubled in place");
        }
    }
}
