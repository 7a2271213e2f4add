//! The label table: every distinct label once, numbered in the order of first appearance.
//!
//! Reading a graph asks "which number has this text?" once per transition, so this question must be cheap: one hash,
//! one probe, one comparison, no allocation. A `HashMap<String, u32>` would store each text twice (the table must also
//! answer "which text has this number?") and would want a `String` before it can tell that it knows it already. Hence
//! all texts stand one after the other in a single string, and an open-addressing index of (hash, number) points in.

use std::fmt;
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

/// Distinct labels and their numbers.
#[derive(Clone, Default)]
pub struct Labels {
    /// All labels, concatenated.
    text: String,
    /// `ends[id]` is where label `id` ends in `text`; it starts where the one before ends.
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

/// A label must be text of one line; the payload is the offset of the first byte that is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotText(pub usize);

impl Labels {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many labels there are; their numbers are `0..len`.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The text of a label.
    pub fn get(&self, id: u32) -> &str {
        &self.text[self.range(id)]
    }

    /// All labels, by number.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|id| self.get(id as u32))
    }

    /// The number of a label, if it is in the table.
    pub fn find(&self, label: &str) -> Option<u32> {
        self.probe(label.as_bytes(), xxh3_64(label.as_bytes())).ok()
    }

    /// The number of a label, which is added if it is new.
    pub fn intern(&mut self, label: &str) -> u32 {
        let hash = xxh3_64(label.as_bytes());
        self.probe(label.as_bytes(), hash).unwrap_or_else(|slot| self.add(label, hash, slot))
    }

    /// As [`Labels::intern`], for bytes that come from outside. Only a new label is examined: what is in the table is
    /// text, so what equals it is too, and a file of a million transitions pays for its twenty labels only.
    ///
    /// # Errors
    /// If the label is not UTF-8 or holds a control character other than a tab.
    pub fn intern_bytes(&mut self, label: &[u8]) -> Result<u32, NotText> {
        let hash = xxh3_64(label);
        match self.probe(label, hash) {
            Ok(id) => Ok(id),
            Err(slot) => Ok(self.add(as_text(label)?, hash, slot)),
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

    /// The number of the label, or the free slot where it would go (meaningless while there are no slots at all).
    #[inline]
    fn probe(&self, label: &[u8], hash: u64) -> Result<u32, usize> {
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
            if slot.tag == tag(hash) && &self.text.as_bytes()[self.range(id)] == label {
                return Ok(id);
            }
            at = (at + 1) & mask;
        }
    }

    fn add(&mut self, label: &str, hash: u64, mut slot: usize) -> u32 {
        let id = self.ends.len() as u32;
        assert!(id < u32::MAX, "labels are numbered with 32 bits");
        self.text.push_str(label);
        self.ends.push(self.text.len());
        if self.ends.len() * 2 > self.slots.len() {
            self.grow();
            slot = self.probe(label.as_bytes(), hash).expect_err("it is not in the index yet");
        }
        self.slots[slot] = Slot { tag: tag(hash), id_plus_one: id + 1 };
        id
    }

    /// Doubles the index and fills it again with all labels but the one that is being added.
    fn grow(&mut self) {
        let slots = (self.slots.len() * 2).max(16);
        // The old index goes before the new one comes: it is made again from the texts.
        self.slots = Vec::new();
        self.slots = vec![Slot::default(); slots];
        for id in 0..self.len() as u32 - 1 {
            let hash = xxh3_64(self.get(id).as_bytes());
            let slot = self.probe(self.get(id).as_bytes(), hash).expect_err("labels are distinct");
            self.slots[slot] = Slot { tag: tag(hash), id_plus_one: id + 1 };
        }
    }
}

impl fmt::Debug for Labels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

fn tag(hash: u64) -> u32 {
    (hash >> 32) as u32
}

/// The bytes as text of one line: UTF-8 without control characters other than tabs.
///
/// # Errors
/// The offset of the first byte that is something else.
pub fn as_text(bytes: &[u8]) -> Result<&str, NotText> {
    let (valid, rest) = match str::from_utf8(bytes) {
        Ok(text) => (text, Ok(text)),
        Err(error) => {
            let valid = str::from_utf8(&bytes[..error.valid_up_to()]).expect("valid up to here");
            (valid, Err(NotText(valid.len())))
        }
    };
    match valid.char_indices().find(|&(_, c)| c.is_control() && c != '\t') {
        Some((at, _)) => Err(NotText(at)),
        None => rest,
    }
}

/// Which labels are the internal action, tau.
///
/// CADP calls it `i` and lets `tau` be an ordinary action; mCRL2 the other way round. By default both are tau, which
/// is right for files of either origin unless one of them uses the other's word for something visible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taus(Vec<String>);

impl Taus {
    /// Exactly these labels; none at all is allowed too.
    pub fn new(names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self(names.into_iter().map(Into::into).collect())
    }

    /// The names.
    pub fn names(&self) -> &[String] {
        &self.0
    }

    /// Whether this label is tau.
    pub fn contains(&self, label: &str) -> bool {
        self.0.iter().any(|name| name == label)
    }
}

impl Default for Taus {
    fn default() -> Self {
        Self::new(["i", "tau"])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_numbered_by_first_appearance() {
        let mut labels = Labels::new();
        let texts: Vec<String> = (0..1000).map(|i| format!("PUT !{i}")).collect();
        for round in 0..2 {
            for (id, text) in texts.iter().enumerate() {
                assert_eq!(labels.intern(text), id as u32, "round {round}");
                assert_eq!(labels.intern_bytes(text.as_bytes()), Ok(id as u32));
            }
        }
        assert_eq!(labels.len(), 1000);
        assert!(labels.iter().eq(texts.iter()));
        assert_eq!(labels.find("PUT !77"), Some(77));
        assert_eq!(labels.find("PUT !1000"), None);
        assert_eq!(Labels::new().find(""), None);
    }

    #[test]
    fn a_label_is_text_of_one_line() {
        let mut labels = Labels::new();
        assert_eq!(labels.intern_bytes("gr\u{fc}n\tx".as_bytes()), Ok(0));
        assert_eq!(labels.intern_bytes(b"a\x07b"), Err(NotText(1)));
        assert_eq!(labels.intern_bytes(b"ab\xff"), Err(NotText(2)));
        assert_eq!(labels.intern_bytes(b"a\nb\xff"), Err(NotText(1)));
        assert_eq!(labels.len(), 1);
    }
}
