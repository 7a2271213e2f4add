//! Numbers by action.
//!
//! Most systems number their actions from 0 on, and a vector is fastest; but the contract does not say so, and a system
//! may well use the bits of a message. So the vector is as long as a good part of it is used, and numbers beyond it are
//! kept apart until it has grown so far.

use crate::system::Action;
use std::collections::HashMap;

/// What became of actions, as a number each. `u32::MAX` cannot be kept.
#[derive(Default)]
pub struct ByAction {
    small: Vec<u32>,
    /// Those that are not in `small`, none of which is below its length.
    large: HashMap<u32, u32>,
    known: usize,
}

const NONE: u32 = u32::MAX;

/// The vector may always be so long: 4 MiB are no great loss, if only the last of them is ever used.
const SMALL: usize = 1 << 20;

impl ByAction {
    /// What is kept for an action.
    #[inline]
    pub fn get(&self, action: Action) -> Option<u32> {
        match self.small.get(action.0 as usize) {
            Some(&number) => (number != NONE).then_some(number),
            None if self.large.is_empty() => None,
            None => self.large.get(&action.0).copied(),
        }
    }

    /// Keeps a number for an action.
    pub fn set(&mut self, action: Action, number: u32) {
        debug_assert_ne!(number, NONE);
        let at = action.0 as usize;
        self.known += 1;
        // A place of the hash table costs as much as four of the vector.
        if at >= self.small.len().max(SMALL).max(4 * self.known) {
            self.large.insert(action.0, number);
            return;
        }
        if self.small.len() <= at {
            self.grow(at + 1);
        }
        self.small[at] = number;
    }

    fn grow(&mut self, length: usize) {
        self.small.resize(length, NONE);
        if self.large.is_empty() {
            return;
        }
        let small = &mut self.small;
        self.large.retain(|&action, &mut number| match small.get_mut(action as usize) {
            Some(place) => {
                *place = number;
                false
            }
            None => true,
        });
    }

    /// Bytes of memory in use, about.
    pub fn bytes(&self) -> usize {
        4 * self.small.capacity() + 16 * self.large.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn small_and_large_numbers() {
        let mut table = ByAction::default();
        let actions = [0, 7, SMALL as u32 - 1, SMALL as u32, u32::MAX].map(Action);
        assert!(actions.iter().all(|&action| table.get(action).is_none()));
        for (number, &action) in actions.iter().enumerate() {
            table.set(action, number as u32);
        }
        let found: Vec<_> = actions.iter().map(|&action| table.get(action)).collect();
        assert_eq!(found, [0, 1, 2, 3, 4].map(Some));
        assert_eq!((table.get(Action(1)), table.get(Action(SMALL as u32 + 1))), (None, None));
    }

    #[test]
    fn the_vector_takes_over_what_was_kept_apart() {
        let mut rng = Rng::new(1);
        let (mut table, mut expected) = (ByAction::default(), HashMap::new());
        for number in 0..600_000 {
            let action = rng.below(SMALL as u64 * 3) as u32;
            table.set(Action(action), number);
            expected.insert(action, number);
        }
        for action in 0..SMALL as u32 * 3 {
            assert_eq!(table.get(Action(action)), expected.get(&action).copied(), "{action}");
        }
        assert!(table.small.len() > SMALL && table.bytes() > 0);
    }
}
