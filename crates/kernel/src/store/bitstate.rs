//! Bitstate hashing: k bits per state in one large array (memory-efficient-algorithms-1992, section 5; Holzmann's
//! supertrace).
//!
//! The k addresses come from one 128-bit hash by enhanced double hashing, `h1 + i h2 + (i³ - i) / 6` (Dillinger and
//! Manolios): with plain double hashing two states that share two addresses share all of them.
//!
//! A new state is omitted if its k bits happen to be set, which has probability fill^k at that moment. The store sums
//! these probabilities during the search, so that the report gives the expected number of omissions of this search, not
//! that of a formula with the final fill.
//!
//! Two searches that omit the same states gain nothing from each other. Another seed gives other addresses and so other
//! omissions ([`Bitstate::with_seed`]).

use super::pages::zeroes;
use super::{Marks, Room, States, prefetch_line, spread};
use crate::verdict::{Coverage, Limit};

/// A bit array that marks states. The head of its source file explains it.
pub struct Bitstate {
    words: Vec<u64>,
    k: u32,
    seed: u64,
    ones: u64,
    len: u64,
    expected_omissions: f64,
}

impl Bitstate {
    /// SPIN's default number of bits per state, and a good one from 6 to 20 bits of memory per state.
    pub const DEFAULT_K: u32 = 3;

    /// An array of (at most) `bytes` bytes with `k` bits per state.
    ///
    /// # Panics
    /// If `k` is 0.
    pub fn new(bytes: usize, k: u32) -> Self {
        assert!(k > 0, "a state needs at least one bit");
        Self { words: zeroes((bytes / 8).max(1)), k, seed: 0, ones: 0, len: 0, expected_omissions: 0.0 }
    }

    /// Takes other addresses, and so omits other states, than with another seed; 0 unless told otherwise. To be called
    /// while the array is empty.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    fn addresses(&self, hash: u128) -> impl Iterator<Item = (usize, u64)> + use<> {
        addresses(hash, self.words.len(), self.k)
    }

    fn omission_probability(&self) -> f64 {
        (self.ones as f64 / (self.words.len() * 64) as f64).powi(self.k as i32)
    }
}

/// The words and bits of a state in an array of so many words. All arithmetic is modulo the number of bits, as the formula
/// wants it: with the usual trick of scaling at the end, the cubic term would be lost in the low bits.
pub(super) fn addresses(hash: u128, words: usize, k: u32) -> impl Iterator<Item = (usize, u64)> + use<> {
    let bits = words * 64;
    let (mut at, mut step) = (spread(hash as u64, bits), spread((hash >> 64) as u64, bits));
    (1..=k as usize).map(move |i| {
        let bit = at;
        at = add_modulo(at, step, bits);
        step = add_modulo(step, i, bits);
        (bit / 64, 1 << (bit % 64))
    })
}

fn add_modulo(a: usize, b: usize, modulus: usize) -> usize {
    let sum = a + b;
    if sum >= modulus { sum - modulus } else { sum }
}

impl States for Bitstate {
    type Hash = u128;

    fn hash(&self, state: &[u8]) -> u128 {
        xxhash_rust::xxh3::xxh3_128_with_seed(state, self.seed)
    }

    fn prefetch(&self, hash: u128) {
        self.addresses(hash).for_each(|(word, _)| prefetch_line(&self.words, word));
    }

    fn hint(&self, hash: u128) -> u32 {
        (hash as u64 >> 32) as u32
    }

    /// The first of the k bits only: the others cannot be told, and for a new state the first look is often the last.
    fn prefetch_hint(&self, hint: u32) {
        prefetch_line(&self.words, spread(u64::from(hint) << 32, self.words.len() * 64) / 64);
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn bytes(&self) -> usize {
        self.words.len() * 8
    }

    fn insertions(&self) -> u64 {
        self.len
    }

    fn clear(&mut self) {
        self.words.fill(0);
        (self.ones, self.len, self.expected_omissions) = (0, 0, 0.0);
    }

    fn fill(&self) -> Option<f64> {
        Some(self.ones as f64 / (self.words.len() * 64) as f64)
    }

    fn coverage(&self) -> Coverage {
        Coverage::Lossy {
            expected_omissions: self.expected_omissions,
            omission_probability: self.omission_probability(),
        }
    }
}

impl Marks for Bitstate {
    fn is_marked(&self, _state: &[u8], hash: u128) -> bool {
        self.addresses(hash).all(|(word, bit)| self.words[word] & bit != 0)
    }

    fn mark(&mut self, _state: &[u8], hash: u128, room: Room) -> Result<bool, Limit> {
        if self.bytes() > room.bytes {
            return Err(Limit::Memory);
        }
        let before = self.omission_probability();
        let mut new = false;
        for (word, bit) in self.addresses(hash) {
            if self.words[word] & bit == 0 {
                self.words[word] |= bit;
                self.ones += 1;
                new = true;
            }
        }
        if new {
            self.len += 1;
            // Each state found new stands for 1 / (1 - p) states that were new.
            self.expected_omissions += before / (1.0 - before);
        }
        Ok(new)
    }
}
