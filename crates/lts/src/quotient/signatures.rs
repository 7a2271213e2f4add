//! Sets of numbers, each stored once and known by a key.
//!
//! A signature is what a state can do, as seen through a partition: a sorted list of pairs of a label and a block. The
//! states of a block that have the same one stay together, hence the only question is "have I seen this list, and which
//! was it?", asked for every dirty state. Lists are compared, not only their hashes: two states that were taken for one
//! because of a collision would make a wrong quotient, and nobody would notice.

/// A label and a block as one number.
#[inline]
pub(super) fn pair(label: u32, block: u32) -> u64 {
    u64::from(label) << 32 | u64::from(block)
}

/// Different lists, numbered from 0 in the order in which they came.
#[derive(Default)]
pub(super) struct Signatures {
    /// All lists, one after the other.
    text: Vec<u64>,
    /// By key: where the list ends in `text`, and its hash.
    lists: Vec<(usize, u32)>,
    /// Open addressing with linear probing, at most half full; one more than the key, 0 is free.
    slots: Vec<u32>,
    mask: usize,
}

impl Signatures {
    /// Forgets all lists; there will be so many of them at the most. The index begins small, since mostly there are few, and
    /// grows.
    pub(super) fn clear(&mut self, most: usize) {
        self.text.clear();
        self.lists.clear();
        let slots = (2 * most).next_power_of_two().clamp(8, 1 << 10);
        self.mask = slots - 1;
        self.slots.clear();
        self.slots.resize(slots, 0);
    }

    /// How many different lists there are.
    pub(super) fn len(&self) -> usize {
        self.lists.len()
    }

    /// The list with this key.
    #[inline]
    pub(super) fn get(&self, key: u32) -> &[u64] {
        let key = key as usize;
        let start = if key == 0 { 0 } else { self.lists[key - 1].0 };
        &self.text[start..self.lists[key].0]
    }

    /// The key of a list, which is sorted; a new one if it has not been seen.
    #[inline]
    pub(super) fn key(&mut self, list: &[u64]) -> u32 {
        let hash = hash(list);
        let mut at = hash as usize & self.mask;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                break;
            }
            if self.lists[slot as usize - 1].1 == hash && self.get(slot - 1) == list {
                return slot - 1;
            }
            at = (at + 1) & self.mask;
        }
        self.text.extend_from_slice(list);
        self.lists.push((self.text.len(), hash));
        let key = self.lists.len() as u32;
        self.slots[at] = key;
        if self.lists.len() * 2 > self.slots.len() {
            self.grow();
        }
        key - 1
    }

    /// Bytes in use.
    pub(super) fn bytes(&self) -> usize {
        self.text.capacity() * size_of::<u64>()
            + self.lists.capacity() * size_of::<(usize, u32)>()
            + self.slots.capacity() * size_of::<u32>()
    }

    #[cold]
    fn grow(&mut self) {
        let slots = self.slots.len() * 2;
        self.mask = slots - 1;
        self.slots.clear();
        self.slots.resize(slots, 0);
        for (key, &(_, hash)) in (1..).zip(&self.lists) {
            let mut at = hash as usize & self.mask;
            while self.slots[at] != 0 {
                at = (at + 1) & self.mask;
            }
            self.slots[at] = key;
        }
    }
}

/// Sorts a list and takes out what is there twice.
#[inline]
pub(super) fn normalise(list: &mut Vec<u64>) {
    if list.len() > 1 {
        list.sort_unstable();
        list.dedup();
    }
}

/// Multiplication mixes upwards only, hence the upper half is the hash.
#[inline]
fn hash(list: &[u64]) -> u32 {
    let mut hash = list.len() as u64;
    for &number in list {
        hash = (hash.rotate_left(23) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^= hash >> 29;
    }
    (hash.wrapping_mul(0xd6e8_feb8_6659_fd93) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use elnath_kernel::rng::Rng;
    use std::collections::HashMap;

    #[test]
    fn equal_lists_have_equal_keys() {
        for seed in 0..20 {
            let mut rng = Rng::new(seed);
            let mut signatures = Signatures::default();
            signatures.clear(4);
            let mut expected: HashMap<Vec<u64>, u32> = HashMap::new();
            for _ in 0..2000 {
                let mut list: Vec<u64> = (0..rng.below(4)).map(|_| rng.below(9)).collect();
                normalise(&mut list);
                let next = expected.len() as u32;
                let key = *expected.entry(list.clone()).or_insert(next);
                assert_eq!(signatures.key(&list), key, "seed {seed}: {list:?}");
                assert_eq!(signatures.get(key), list, "seed {seed}");
            }
            assert_eq!(signatures.len(), expected.len());
            assert!(signatures.bytes() > 0);
        }
    }
}
