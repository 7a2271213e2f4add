//! Sorted lists under numbers, each once: sets of states, of labels, and signatures.

use elnath_kernel::Limit;

/// The lists. Equal ones have equal numbers.
pub(crate) struct Lists<T> {
    elements: Vec<T>,
    /// Where each list ends.
    ends: Vec<usize>,
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
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.elements[start..self.ends[at]]
    }

    /// The number of a list, and whether it is new.
    pub(crate) fn insert(&mut self, list: &[T]) -> Result<(u32, bool), Limit> {
        let slot = match self.slot(list) {
            Ok(number) => return Ok((number, false)),
            Err(slot) => slot,
        };
        let number = u32::try_from(self.ends.len()).ok().filter(|&n| n < u32::MAX);
        let number = number.ok_or(Limit::Memory)?;
        self.elements.extend_from_slice(list);
        self.ends.push(self.elements.len());
        self.slots[slot] = number + 1;
        if self.ends.len() * 2 > self.slots.len() {
            self.grow();
        }
        Ok((number, true))
    }

    /// Forgets all lists. The table becomes as small as the last lists allow: a round with few lists must not pay for an
    /// earlier one with many.
    pub(crate) fn clear(&mut self) {
        let slots = (self.ends.len() * 4).next_power_of_two().max(64);
        self.slots.truncate(slots);
        self.slots.fill(0);
        self.elements.clear();
        self.ends.clear();
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of::<T>() * self.elements.capacity()
            + 4 * self.slots.capacity()
            + size_of::<usize>() * self.ends.capacity()
    }

    fn slot(&self, list: &[T]) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let mut slot = hash(list) as usize & mask;
        loop {
            match self.slots[slot] {
                0 => return Err(slot),
                number if self.get(number - 1) == list => return Ok(number - 1),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    fn grow(&mut self) {
        self.slots = vec![0; self.slots.len() * 2];
        for number in 0..self.ends.len() as u32 {
            let slot = self.slot(self.get(number)).expect_err("lists are in it once");
            self.slots[slot] = number + 1;
        }
    }
}

fn hash<T: Copy + Into<u64>>(list: &[T]) -> u64 {
    // As SplitMix64 does with each number.
    let mix = |h: u64, &x: &T| {
        let z = (h ^ x.into()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (z ^ z >> 32).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    };
    let h = list.iter().fold(list.len() as u64, mix);
    h ^ h >> 29
}
