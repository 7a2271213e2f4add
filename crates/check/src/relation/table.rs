//! Pairs under numbers, exactly, in an open-addressing table; and a cache of pairs that forgets.

use super::game::Pair;

/// Pairs, numbered in the order in which they came.
pub(crate) struct Table {
    pairs: Vec<Pair>,
    /// A number + 1, or 0.
    slots: Vec<u32>,
}

fn hash(pair: Pair) -> u64 {
    // Two multiplications (as in SplitMix64): numbers of nodes are small and close together.
    let mut z = (u64::from(pair.0) << 32 | u64::from(pair.1)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 32).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z ^ z >> 29
}

impl Table {
    pub(crate) fn new() -> Self {
        Self { pairs: Vec::new(), slots: vec![0; 64] }
    }

    /// The number of a pair, and whether it is new.
    pub(crate) fn insert(&mut self, pair: Pair) -> (u32, bool) {
        if self.pairs.len() * 4 >= self.slots.len() * 3 {
            self.grow();
        }
        match self.slot(pair) {
            Ok(number) => (number, false),
            Err(slot) => {
                let number = u32::try_from(self.pairs.len()).expect("fewer pairs than 2^32 fit into memory");
                self.pairs.push(pair);
                self.slots[slot] = number + 1;
                (number, true)
            }
        }
    }

    /// The number of a pair, if it has one.
    pub(crate) fn find(&self, pair: Pair) -> Option<u32> {
        self.slot(pair).ok()
    }

    fn slot(&self, pair: Pair) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let mut slot = hash(pair) as usize & mask;
        loop {
            match self.slots[slot] {
                0 => return Err(slot),
                number if self.pairs[number as usize - 1] == pair => return Ok(number - 1),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    fn grow(&mut self) {
        let slots = self.slots.len() * 2;
        self.slots.clear();
        self.slots.resize(slots, 0);
        let mask = slots - 1;
        for (number, &pair) in (1..).zip(&self.pairs) {
            let mut slot = hash(pair) as usize & mask;
            while self.slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = number;
        }
    }

    /// The pair with this number.
    pub(crate) fn pair(&self, number: u32) -> Pair {
        self.pairs[number as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.pairs.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.pairs.capacity() * size_of::<Pair>() + self.slots.capacity() * 4
    }
}

/// A set of pairs of fixed size that never invents one, and forgets one where another has the same place: the papers'
/// hash-based cache.
pub(crate) struct Cache {
    slots: Vec<Pair>,
    pub(crate) forgotten: u64,
}

impl Cache {
    const FREE: Pair = Pair(u32::MAX, u32::MAX);

    /// A cache that takes about so many bytes.
    pub(crate) fn new(bytes: usize) -> Self {
        let slots = (bytes / size_of::<Pair>()).max(16);
        Self { slots: vec![Self::FREE; slots], forgotten: 0 }
    }

    fn place(&self, pair: Pair) -> usize {
        ((u128::from(hash(pair)) * self.slots.len() as u128) >> 64) as usize
    }

    pub(crate) fn contains(&self, pair: Pair) -> bool {
        self.slots[self.place(pair)] == pair
    }

    pub(crate) fn insert(&mut self, pair: Pair) {
        let place = self.place(pair);
        if self.slots[place] != Self::FREE && self.slots[place] != pair {
            self.forgotten += 1;
        }
        self.slots[place] = pair;
    }

    pub(crate) fn clear(&mut self) {
        self.slots.fill(Self::FREE);
    }

    pub(crate) fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Pair>()
    }
}
