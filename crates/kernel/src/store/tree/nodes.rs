//! The nodes of all trees: a table of distinct words, each with a number of 28 bits.
//!
//! A word is a leaf or a pair of numbers; the table need not know which, because the code that unfolds a tree knows its
//! level. So leaves and pairs of all levels share one table, as in Laarman, van de Pol and Weber, *Parallel recursive
//! state compression for free* (SPIN 2011). Theirs gives a node the number of its hash slot, which changes when the
//! table grows; here `words` holds the words by number, permanently, and `slots` is a hash table of numbers that is
//! rebuilt when it grows. The word zero has the number zero without being stored: trees full of zeros cost nothing.
//!
//! To insert a word, a worker writes it at a number that only it knows, and then publishes the number by exchanging an
//! empty slot for it. If another worker was faster with the same word, the number is kept for the next word. There is
//! no other write, so nothing can be torn. `tests::loom` explores all interleavings.

use super::grow::lengthen;
use super::{MOST_NODES, mix};
use crate::store::sync::{AtomicU32, AtomicU64, Ordering};
use crate::store::{Full, prefetch_line, spread};

/// A slot is the number of a word and, above it, four bits of its hash that spare most looks at other words.
const NUMBER: u32 = MOST_NODES - 1;

pub(super) struct Nodes {
    /// By number; zero where none has been given out, or where one waits in a [`Reserve`].
    words: Vec<AtomicU64>,
    /// Always a third more than words, so only numbers run out.
    slots: Vec<AtomicU32>,
    /// The first number that was never given out.
    next: AtomicU32,
    /// How many numbers a worker takes at a time.
    block: u32,
}

/// The numbers that one worker may use.
#[derive(Default)]
pub(super) struct Reserve {
    next: u32,
    end: u32,
}

impl Nodes {
    pub(super) fn new(words: usize, block: u32) -> Self {
        let mut nodes =
            Self { words: Vec::new(), slots: Vec::new(), next: AtomicU32::new(1), block: block.max(1) };
        nodes.grow(words.max(2));
        nodes
    }

    /// The word with this number.
    #[inline]
    pub(super) fn word(&self, number: u32) -> u64 {
        // Whoever knows a number got it from a slot, or from somebody who did.
        if number == 0 { 0 } else { self.words[number as usize].load(Ordering::Relaxed) }
    }

    /// The number of a word, which gets one if it has none.
    #[inline]
    pub(super) fn number(&self, reserve: &mut Reserve, word: u64) -> Result<u32, Full> {
        if word == 0 {
            return Ok(0);
        }
        let hash = mix(word);
        let tag = (hash as u32) & !NUMBER;
        let mut slot = spread(hash, self.slots.len());
        loop {
            let mut found = self.slots[slot].load(Ordering::Acquire);
            if found == 0 {
                let mine = self.reserved(reserve)?;
                self.words[mine as usize].store(word, Ordering::Relaxed);
                // Release: whoever finds the number finds the word.
                match self.slots[slot].compare_exchange(0, tag | mine, Ordering::Release, Ordering::Acquire) {
                    Ok(_) => {
                        reserve.next += 1;
                        return Ok(mine);
                    }
                    Err(faster) => found = faster,
                }
                // A number that waits has no word, or building the slots again would put it in.
                self.words[mine as usize].store(0, Ordering::Relaxed);
            }
            if found & !NUMBER == tag && self.word(found & NUMBER) == word {
                return Ok(found & NUMBER);
            }
            slot += 1;
            if slot == self.slots.len() {
                slot = 0;
            }
        }
    }

    /// A number that nobody else uses; it stays reserved.
    fn reserved(&self, reserve: &mut Reserve) -> Result<u32, Full> {
        if reserve.next == reserve.end {
            // Not a plain addition: workers that ask again and again must not make it overflow.
            let len = self.words.len() as u32;
            let take = |next: u32| (next < len).then(|| len.min(next + self.block));
            let next =
                self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).map_err(|_| Full)?;
            *reserve = Reserve { next, end: len.min(next + self.block) };
        }
        Ok(reserve.next)
    }

    /// How many words there is room for.
    pub(super) fn room(&self) -> usize {
        self.words.len()
    }

    /// How many numbers are left.
    pub(super) fn left(&self) -> usize {
        self.words.len() - self.next.load(Ordering::Relaxed) as usize
    }

    pub(super) fn bytes(&self) -> usize {
        Self::bytes_for(self.words.len())
    }

    /// Bytes of a table for so many words.
    pub(super) fn bytes_for(words: usize) -> usize {
        words * 8 + slots_for(words) * 4
    }

    /// Makes room for so many words.
    pub(super) fn grow(&mut self, words: usize) {
        debug_assert!(words <= MOST_NODES as usize);
        // The old slots go before the new ones come.
        self.slots = Vec::new();
        lengthen(&mut self.words, words);
        lengthen(&mut self.slots, slots_for(words));
        let mut batch = [(0, 0, 0); 16];
        let given = self.next.load(Ordering::Relaxed) as usize;
        for first in (1..given).step_by(batch.len()) {
            // The words come in order but go anywhere: the waits for memory of a batch overlap.
            let numbers = first..given.min(first + batch.len());
            let n = numbers.len();
            for (entry, number) in batch.iter_mut().zip(numbers) {
                let word = self.words[number].load(Ordering::Relaxed);
                let hash = mix(word);
                let slot = spread(hash, self.slots.len());
                prefetch_line(&self.slots, slot);
                *entry = (word, slot, (hash as u32) & !NUMBER | number as u32);
            }
            for &(word, mut slot, entry) in &batch[..n] {
                if word == 0 {
                    continue;
                }
                while self.slots[slot].load(Ordering::Relaxed) != 0 {
                    slot = if slot + 1 == self.slots.len() { 0 } else { slot + 1 };
                }
                self.slots[slot].store(entry, Ordering::Relaxed);
            }
        }
    }
}

fn slots_for(words: usize) -> usize {
    words + words / 3 + 1
}

#[cfg(all(test, loom))]
mod tests {
    use super::*;
    use loom::sync::Arc;
    use loom::thread;

    /// Two workers put in the same word and one more each, in a table where all collide with something: each word gets
    /// one number, and numbers give their words back.
    #[test]
    fn loom_words_get_one_number() {
        loom::model(|| {
            let nodes = Arc::new(Nodes::new(5, 1));
            let put = |nodes: &Nodes, words: [u64; 2]| {
                let mut reserve = Reserve::default();
                let numbers = words.map(|word| nodes.number(&mut reserve, word).expect("room"));
                for (number, word) in numbers.into_iter().zip(words) {
                    assert_eq!(nodes.word(number), word);
                }
                numbers
            };
            let other = {
                let nodes = Arc::clone(&nodes);
                thread::spawn(move || put(&nodes, [7, 8]))
            };
            let [seven, nine] = put(&nodes, [7, 9]);
            let [other_seven, eight] = other.join().expect("no panic");
            assert_eq!(seven, other_seven);
            assert!(seven != eight && eight != nine && nine != seven);
            assert_eq!((nodes.word(eight), nodes.word(nine)), (8, 9));
        });
    }
}
