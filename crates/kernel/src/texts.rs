//! Texts, each stored once under a number, in the order of first appearance.
//!
//! Reading a graph asks "which number has this text?" once per transition, and comparing two graphs once per label, so
//! this question must be cheap: one hash, one probe, one comparison, no allocation. A `HashMap<String, u32>` would store
//! each text twice (the table must also answer "which text has this number?") and would want a `String` before it can
//! tell that it knows it already; with ten million texts, that is most of the time and of the memory. Hence all texts
//! stand one after the other in a single string, and an open-addressing index of (hash, number) points in.

use std::fmt;
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

/// Distinct texts and their numbers.
#[derive(Clone, Default)]
pub struct Texts {
    /// All texts, concatenated.
    text: String,
    /// `ends[id]` is where text `id` ends in `text`; it starts where the one before ends.
    ends: Vec<usize>,
    /// Open addressing with linear probing, at most half full; its length is zero or a power of two.
    slots: Vec<Slot>,
}

/// One place of the index: free if `id_plus_one` is 0.
#[derive(Clone, Copy, Default)]
struct Slot {
    /// The high half of the hash, to avoid most comparisons of text; the low half chooses the slot.
    tag: u32,
    id_plus_one: u32,
}

impl Texts {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many texts there are; their numbers are `0..len`.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The text with this number.
    pub fn get(&self, id: u32) -> &str {
        &self.text[self.range(id)]
    }

    /// All texts, by number.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|id| self.get(id as u32))
    }

    /// The number of a text, if it is in the table.
    pub fn find(&self, text: &str) -> Option<u32> {
        self.probe(text.as_bytes(), xxh3_64(text.as_bytes())).ok()
    }

    /// The number of a text, which is added if it is new.
    pub fn intern(&mut self, text: &str) -> u32 {
        let hash = xxh3_64(text.as_bytes());
        self.probe(text.as_bytes(), hash).unwrap_or_else(|slot| self.add(text, hash, slot))
    }

    /// As [`Texts::intern`], for bytes that come from outside. Only what is new is examined: what is in the table is
    /// text, so what equals it is too, and a file of a million transitions pays for its twenty labels only.
    ///
    /// # Errors
    /// If the bytes are new and are not what `as_text` takes for text.
    pub fn intern_bytes<E>(
        &mut self,
        bytes: &[u8],
        as_text: impl FnOnce(&[u8]) -> Result<&str, E>,
    ) -> Result<u32, E> {
        let hash = xxh3_64(bytes);
        match self.probe(bytes, hash) {
            Ok(id) => Ok(id),
            Err(slot) => Ok(self.add(as_text(bytes)?, hash, slot)),
        }
    }

    /// Bytes of memory in use.
    pub fn bytes(&self) -> usize {
        self.text.capacity()
            + self.ends.capacity() * size_of::<usize>()
            + self.slots.capacity() * size_of::<Slot>()
    }

    #[inline]
    fn range(&self, id: u32) -> Range<usize> {
        let id = id as usize;
        let start = if id == 0 { 0 } else { self.ends[id - 1] };
        start..self.ends[id]
    }

    /// The number of the text, or the free slot where it would go (meaningless while there are no slots at all).
    #[inline]
    fn probe(&self, text: &[u8], hash: u64) -> Result<u32, usize> {
        if self.slots.is_empty() {
            return Err(0);
        }
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot.id_plus_one == 0 {
                return Err(at);
            }
            let id = slot.id_plus_one - 1;
            if slot.tag == tag(hash) && &self.text.as_bytes()[self.range(id)] == text {
                return Ok(id);
            }
            at = (at + 1) & mask;
        }
    }

    fn add(&mut self, text: &str, hash: u64, mut slot: usize) -> u32 {
        let id = self.ends.len() as u32;
        assert!(id < u32::MAX, "texts are numbered with 32 bits");
        self.text.push_str(text);
        self.ends.push(self.text.len());
        if self.ends.len() * 2 > self.slots.len() {
            self.grow();
            slot = self.probe(text.as_bytes(), hash).expect_err("it is not in the index yet");
        }
        self.slots[slot] = Slot { tag: tag(hash), id_plus_one: id + 1 };
        id
    }

    /// Doubles the index and fills it again with all texts but the one that is being added.
    fn grow(&mut self) {
        let slots = (self.slots.len() * 2).max(16);
        // The old index goes before the new one comes: it is made again from the texts.
        self.slots = Vec::new();
        self.slots = vec![Slot::default(); slots];
        for id in 0..self.len() as u32 - 1 {
            let hash = xxh3_64(self.get(id).as_bytes());
            let slot = self.probe(self.get(id).as_bytes(), hash).expect_err("texts are distinct");
            self.slots[slot] = Slot { tag: tag(hash), id_plus_one: id + 1 };
        }
    }
}

impl fmt::Debug for Texts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

fn tag(hash: u64) -> u32 {
    (hash >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_numbered_by_first_appearance() {
        let mut texts = Texts::new();
        let expected: Vec<String> = (0..1000).map(|i| format!("PUT !{i}")).collect();
        for round in 0..2 {
            for (id, text) in expected.iter().enumerate() {
                assert_eq!(texts.intern(text), id as u32, "round {round}");
                assert_eq!(texts.intern_bytes(text.as_bytes(), str::from_utf8), Ok(id as u32));
            }
        }
        assert_eq!(texts.len(), 1000);
        assert!(texts.iter().eq(expected.iter()));
        assert_eq!(texts.find("PUT !77"), Some(77));
        assert_eq!(texts.find("PUT !1000"), None);
        assert!(texts.intern_bytes(b"\xff", str::from_utf8).is_err());
        assert_eq!((texts.len(), Texts::new().find("")), (1000, None));
        assert!(texts.bytes() > 1000 * "PUT !0".len());
    }
}
