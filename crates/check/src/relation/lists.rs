//! Sorted lists under numbers, each once: sets of states, of labels, and signatures.

use elnath_kernel::Limit;

/// The lists. Equal ones have equal numbers.
pub(crate) struct Lists<T> {
    elements: Vec<T>,
    /// Where each list ends, and its hash: most lists that differ are not compared.
    ends: Vec<(usize, u32)>,
    /// A number + 1, or 0.
    slots: Vec<u32>,
}

impl<T: Copy + Eq + Into<u64>> Lists<T> {
    pub(crate) fn new() -> Self {
        Self { elements: Vec::new(), ends: Vec::new(), slots: vec![0; 64] }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The list with this number.
    pub(crate) fn get(&self, number: u32) -> &[T] {
        let at = number as usize;
        let start = if at == 0 { 0 } else { self.ends[at - 1].0 };
        &self.elements[start..self.ends[at].0]
    }

    /// The number of a list, and whether it is new.
    pub(crate) fn insert(&mut self, list: &[T]) -> Result<(u32, bool), Limit> {
        let hash = hash(list);
        let slot = match self.slot(list, hash) {
            Ok(number) => return Ok((number, false)),
            Err(slot) => slot,
        };
        let number = u32::try_from(self.ends.len()).ok().filter(|&n| n < u32::MAX);
        let number = number.ok_or(Limit::Memory)?;
        self.elements.extend_from_slice(list);
        self.ends.push((self.elements.len(), hash));
        self.slots[slot] = number + 1;
        if self.ends.len() * 2 > self.slots.len() {
            self.grow();
        }
        Ok((number, true))
    }

    /// Forgets all lists. At most so many are expected: a block with few of them must not pay for an earlier one with many.
    pub(crate) fn clear(&mut self, most: usize) {
        self.slots.clear();
        self.slots.resize((2 * most).next_power_of_two().max(8), 0);
        self.elements.clear();
        self.ends.clear();
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of::<T>() * self.elements.capacity()
            + 4 * self.slots.capacity()
            + size_of::<(usize, u32)>() * self.ends.capacity()
    }

    fn slot(&self, list: &[T], hash: u32) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            match self.slots[slot] {
                0 => return Err(slot),
                number if self.ends[number as usize - 1].1 == hash && self.get(number - 1) == list => {
                    return Ok(number - 1);
                }
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    fn grow(&mut self) {
        self.slots = vec![0; self.slots.len() * 2];
        let mask = self.slots.len() - 1;
        for (number, &(_, hash)) in (1..).zip(&self.ends) {
            let mut slot = hash as usize & mask;
            while self.slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = number;
        }
    }
}

/// Multiplication mixes upwards only, so the upper half is the hash.
fn hash<T: Copy + Into<u64>>(list: &[T]) -> u32 {
    let mix = |h: u64, &x: &T| {
        let z = (h.rotate_left(23) ^ x.into()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z ^ z >> 29
    };
    let h = list.iter().fold(list.len() as u64, mix);
    (h.wrapping_mul(0xd6e8_feb8_6659_fd93) >> 32) as u32
}
