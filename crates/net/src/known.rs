//! What became of actions, by their numbers.
//!
//! Most systems number their actions from 0 on, and a vector is fastest; but the contract does not say so, and a system
//! may well use the bits of a message. Numbers that are not small are kept apart.

use elnath_kernel::Action;
use std::collections::HashMap;

/// Numbers by action.
#[derive(Default)]
pub(crate) struct Known {
    small: Vec<Option<u32>>,
    large: HashMap<u32, u32>,
}

/// Numbers from here on are kept apart: 8 MiB are no great loss, if only the last of them is ever used.
const LARGE: u32 = 1 << 20;

impl Known {
    pub(crate) fn get(&self, action: Action) -> Option<u32> {
        match self.small.get(action.0 as usize) {
            Some(&known) => known,
            None if action.0 < LARGE => None,
            None => self.large.get(&action.0).copied(),
        }
    }

    pub(crate) fn set(&mut self, action: Action, number: u32) {
        if action.0 >= LARGE {
            self.large.insert(action.0, number);
            return;
        }
        let at = action.0 as usize;
        if self.small.len() <= at {
            self.small.resize(at + 1, None);
        }
        self.small[at] = Some(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_large_numbers() {
        let mut known = Known::default();
        let actions = [0, 7, LARGE - 1, LARGE, u32::MAX].map(Action);
        assert!(actions.iter().all(|&action| known.get(action).is_none()));
        for (number, &action) in actions.iter().enumerate() {
            known.set(action, number as u32);
        }
        let found: Vec<_> = actions.iter().map(|&action| known.get(action)).collect();
        assert_eq!(found, [0, 1, 2, 3, 4].map(Some));
        assert_eq!((known.get(Action(1)), known.get(Action(LARGE + 1))), (None, None));
    }
}
