//! Hash compaction: 40 to 64 bits of a state's hash instead of the state (Wolper and Leroy 1993, Stern and Dill 1995).
//!
//! The store is a set of b-bit fingerprints; a state is omitted if it has the fingerprint of another state. Among n
//! states, n (n - 1) / 2^(b + 1) pairs are expected to collide: with 64 bits, 0.03 among 10^9 states.
//!
//! A fingerprint is packed into 5 to 8 bytes, 0 meaning free. The table cannot be rebuilt from anything else, and two
//! tables at once would halve the usable memory, so it grows in place ([`Compact::grow`]). It doubles while it is small
//! compared with the memory it may take and then grows by an eighth at a time: a path or a queue is in the same memory
//! and needs room, too. (Taking all remaining memory at once was tried: the next frame of the path then found none, and
//! searches ended for lack of memory with a table nearly empty.)

use super::pages::advise_huge;
use super::{Marks, Room, States, hash64, prefetch_line, spread};
use crate::verdict::{Coverage, Limit};

/// A set of fingerprints. The head of its source file explains it.
pub struct Compact {
    bytes: Vec<u8>,
    slots: usize,
    /// Bytes per slot.
    width: usize,
    bits: u32,
    len: u64,
}

/// Spreads fingerprints whose upper bits are alike.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

impl Compact {
    /// An empty set of fingerprints of `bits` bits.
    ///
    /// # Panics
    /// If `bits` is not in `40..=64`.
    pub fn new(bits: u32) -> Self {
        assert!((40..=64).contains(&bits), "a fingerprint has 40 to 64 bits");
        let width = bits.div_ceil(8) as usize;
        let slots = 1 << 10;
        // Slots are read as eight bytes at once, so the last one needs some to follow it.
        Self { bytes: vec![0; slots * width + 8], slots, width, bits, len: 0 }
    }

    /// The fingerprint: the upper bits of the hash, never 0.
    fn fingerprint(&self, hash: u64) -> u64 {
        (hash >> (64 - self.bits)).max(1)
    }

    /// Where a fingerprint belongs: a function of it alone, so that the table can be rebuilt from itself.
    fn home(&self, fingerprint: u64) -> usize {
        spread(fingerprint.wrapping_mul(GOLDEN), self.slots)
    }

    fn get(&self, slot: usize) -> u64 {
        let at = slot * self.width;
        let word = u64::from_le_bytes(self.bytes[at..at + 8].try_into().expect("eight bytes"));
        if self.width == 8 { word } else { word & ((1 << (8 * self.width)) - 1) }
    }

    fn put(&mut self, slot: usize, fingerprint: u64) {
        let at = slot * self.width;
        self.bytes[at..at + self.width].copy_from_slice(&fingerprint.to_le_bytes()[..self.width]);
    }

    /// Ok: it is there. Err: the free slot where it belongs.
    fn slot(&self, fingerprint: u64) -> Result<(), usize> {
        let mut slot = self.home(fingerprint);
        loop {
            match self.get(slot) {
                0 => return Err(slot),
                found if found == fingerprint => return Ok(()),
                _ => slot = if slot + 1 == self.slots { 0 } else { slot + 1 },
            }
        }
    }

    fn make_room(&mut self, room: Room) -> Result<(), Limit> {
        let used = self.len as usize + 1;
        if used * 4 > self.slots * 3 {
            let fits = |slots: usize, bytes: usize| slots * self.width + 8 <= bytes;
            let (doubled, longer) = (self.slots * 2, self.slots + self.slots / 8);
            if fits(doubled, room.bytes / 2) {
                self.grow(doubled);
            } else if fits(longer, room.bytes) {
                self.grow(longer);
            }
        }
        if used * 16 > self.slots * 15 || self.bytes.len() > room.bytes { Err(Limit::Memory) } else { Ok(()) }
    }

    /// Grows the table in place.
    ///
    /// A fingerprint's home is its share of the table, so in a longer table it lies further on. Going through the old
    /// slots from the last to the first and moving each fingerprint to where it belongs now, one only ever writes
    /// behind the slot just emptied, where all is already new. The few for which that is not so (near the beginning,
    /// where the homes hardly move, or probing past the end) wait until everything else is in its place.
    fn grow(&mut self, slots: usize) {
        let old_slots = self.slots;
        let bytes = slots * self.width + 8;
        self.bytes.reserve_exact(bytes - self.bytes.len());
        advise_huge(&mut self.bytes);
        self.bytes.resize(bytes, 0);
        self.slots = slots;
        let mut waiting = Vec::new();
        for from in (0..old_slots).rev() {
            let fingerprint = self.get(from);
            if fingerprint == 0 {
                continue;
            }
            self.put(from, 0);
            let home = self.home(fingerprint);
            match (home.max(from + 1)..slots).find(|&slot| self.get(slot) == 0) {
                Some(free) if home > from => self.put(free, fingerprint),
                _ => waiting.push(fingerprint),
            }
        }
        for fingerprint in waiting {
            let free = self.slot(fingerprint).expect_err("a set holds each fingerprint once");
            self.put(free, fingerprint);
        }
    }
}

impl States for Compact {
    type Hash = u64;

    fn hash(&self, state: &[u8]) -> u64 {
        hash64(state)
    }

    fn prefetch(&self, hash: u64) {
        prefetch_line(&self.bytes, self.home(self.fingerprint(hash)) * self.width);
    }

    fn hint(&self, hash: u64) -> u32 {
        (self.fingerprint(hash).wrapping_mul(GOLDEN) >> 32) as u32
    }

    fn prefetch_hint(&self, hint: u32) {
        prefetch_line(&self.bytes, spread(u64::from(hint) << 32, self.slots) * self.width);
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn bytes(&self) -> usize {
        self.bytes.len()
    }

    fn insertions(&self) -> u64 {
        self.len
    }

    fn clear(&mut self) {
        self.bytes.fill(0);
        self.len = 0;
    }

    fn coverage(&self) -> Coverage {
        let (n, pairs) = (self.len as f64, 2f64.powi(self.bits as i32));
        Coverage::Lossy {
            expected_omissions: n * (n - 1.0).max(0.0) / 2.0 / pairs,
            omission_probability: n / pairs,
        }
    }
}

impl Marks for Compact {
    fn is_marked(&self, _state: &[u8], hash: u64) -> bool {
        self.slot(self.fingerprint(hash)).is_ok()
    }

    fn mark(&mut self, _state: &[u8], hash: u64, room: Room) -> Result<bool, Limit> {
        let fingerprint = self.fingerprint(hash);
        let Err(mut free) = self.slot(fingerprint) else { return Ok(false) };
        let slots = self.slots;
        self.make_room(room)?;
        if self.slots != slots {
            free = self.slot(fingerprint).expect_err("not there yet");
        }
        self.put(free, fingerprint);
        self.len += 1;
        Ok(true)
    }
}
