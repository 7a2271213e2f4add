//! Bitstate hashing by many workers: one array of bits ([`super::Bitstate`] explains it) that all of them set.
//!
//! Each worker has its own view ([`SharedBits`]), which is a memory of marks like any other. Bits are set by atomic
//! "or"s, so none is ever lost: a worker expands every state that it marks, and a worker that finds all k bits set may
//! leave the state to others. Two workers that bring the same state at the same moment may each set one of its bits and
//! both take it for new. Then it is expanded twice, which costs a little and hides nothing; testing all bits at once
//! would need a lock.
//!
//! All workers need to know how full the array is, and a counter that everybody writes would be contended. So a view
//! adds its figures to the common ones only now and then; what a view reports lacks what the others have not yet added.

use super::bitstate::addresses;
use super::pages::Reserved;
use super::sync::{AtomicU64, Ordering};
use super::{Marks, Room, States, prefetch_line, spread};
use crate::verdict::{Coverage, Limit};

/// An array of bits that many workers set. The head of its source file explains it.
pub struct SharedBitstate {
    bits: Reserved,
    words: usize,
    k: u32,
    ones: AtomicU64,
    len: AtomicU64,
    /// The bits of a fraction, since there are no atomic ones.
    omissions: AtomicU64,
}

/// What one worker has of the array.
pub struct SharedBits<'a> {
    shared: &'a SharedBitstate,
    /// What the common figures do not contain yet.
    ones: u64,
    len: u64,
    omissions: f64,
    /// The common figures when this view last looked.
    known_ones: u64,
}

/// A view tells the others after so many new states.
const TELL: u64 = 256;

impl SharedBitstate {
    /// An array of (at most) `bytes` bytes with `k` bits per state.
    ///
    /// # Panics
    /// If `k` is 0.
    pub fn new(bytes: usize, k: u32) -> Self {
        assert!(k > 0, "a state needs at least one bit");
        let bits = Reserved::new((bytes / 8).max(1));
        let words = bits.len();
        Self { bits, words, k, ones: AtomicU64::new(0), len: AtomicU64::new(0), omissions: AtomicU64::new(0) }
    }

    /// The view of one more worker.
    pub fn view(&self) -> SharedBits<'_> {
        SharedBits { shared: self, ones: 0, len: 0, omissions: 0.0, known_ones: 0 }
    }

    /// Bytes of memory occupied.
    pub fn bytes(&self) -> usize {
        self.words * 8
    }

    /// States found new, by all workers that have given their views back.
    pub fn len(&self) -> u64 {
        self.len.load(Ordering::Relaxed)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What a search can claim whose workers have all ended, and given their views back.
    pub fn coverage(&self) -> Coverage {
        Coverage::Lossy {
            expected_omissions: self.omissions(),
            omission_probability: self.omission_probability(self.ones.load(Ordering::Relaxed)),
        }
    }

    fn omissions(&self) -> f64 {
        f64::from_bits(self.omissions.load(Ordering::Relaxed))
    }

    fn fill(&self, ones: u64) -> f64 {
        ones as f64 / (self.words * 64) as f64
    }

    fn omission_probability(&self, ones: u64) -> f64 {
        self.fill(ones).powi(self.k as i32)
    }
}

impl SharedBits<'_> {
    /// Adds what was done here to the common figures.
    fn tell(&mut self) {
        self.known_ones = self.shared.ones.fetch_add(self.ones, Ordering::Relaxed) + self.ones;
        self.shared.len.fetch_add(self.len, Ordering::Relaxed);
        let add = |all: u64| Some((f64::from_bits(all) + self.omissions).to_bits());
        let _ = self.shared.omissions.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
        (self.ones, self.len, self.omissions) = (0, 0, 0.0);
    }

    fn addresses(&self, hash: u128) -> impl Iterator<Item = (usize, u64)> + use<> {
        addresses(hash, self.shared.words, self.shared.k)
    }
}

impl Drop for SharedBits<'_> {
    fn drop(&mut self) {
        self.tell();
    }
}

impl States for SharedBits<'_> {
    type Hash = u128;

    fn hash(&self, state: &[u8]) -> u128 {
        xxhash_rust::xxh3::xxh3_128(state)
    }

    fn prefetch(&self, hash: u128) {
        self.addresses(hash).for_each(|(word, _)| prefetch_line(&self.shared.bits, word));
    }

    fn hint(&self, hash: u128) -> u32 {
        (hash as u64 >> 32) as u32
    }

    fn prefetch_hint(&self, hint: u32) {
        prefetch_line(&self.shared.bits, spread(u64::from(hint) << 32, self.shared.words * 64) / 64);
    }

    /// Of all workers.
    fn len(&self) -> u64 {
        self.shared.len.load(Ordering::Relaxed) + self.len
    }

    fn bytes(&self) -> usize {
        self.shared.words * 8
    }

    fn insertions(&self) -> u64 {
        self.len()
    }

    /// For all workers, none of whom may be at work.
    fn clear(&mut self) {
        self.shared.bits.iter().for_each(|word| word.store(0, Ordering::Relaxed));
        for figure in [&self.shared.ones, &self.shared.len, &self.shared.omissions] {
            figure.store(0, Ordering::Relaxed);
        }
        (self.ones, self.len, self.omissions, self.known_ones) = (0, 0, 0.0, 0);
    }

    fn fill(&self) -> Option<f64> {
        Some(self.shared.fill(self.shared.ones.load(Ordering::Relaxed) + self.ones))
    }

    fn coverage(&self) -> Coverage {
        let ones = self.shared.ones.load(Ordering::Relaxed) + self.ones;
        Coverage::Lossy {
            expected_omissions: self.shared.omissions() + self.omissions,
            omission_probability: self.shared.omission_probability(ones),
        }
    }
}

impl Marks for SharedBits<'_> {
    fn is_marked(&self, _state: &[u8], hash: u128) -> bool {
        self.addresses(hash).all(|(word, bit)| self.shared.bits[word].load(Ordering::Relaxed) & bit != 0)
    }

    fn mark(&mut self, _state: &[u8], hash: u128, room: Room) -> Result<bool, Limit> {
        if self.bytes() > room.bytes {
            return Err(Limit::Memory);
        }
        let before = self.shared.omission_probability(self.known_ones + self.ones);
        let mut new = false;
        for (word, bit) in self.addresses(hash) {
            let word = &self.shared.bits[word];
            // Most bits of known states are set: to look first keeps the line with those who only read it.
            if word.load(Ordering::Relaxed) & bit == 0 && word.fetch_or(bit, Ordering::Relaxed) & bit == 0 {
                self.ones += 1;
                new = true;
            }
        }
        if new {
            self.len += 1;
            // Each state found new stands for 1 / (1 - p) states that were new.
            self.omissions += before / (1.0 - before);
            if self.len >= TELL {
                self.tell();
            }
        }
        Ok(new)
    }
}
