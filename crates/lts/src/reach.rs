//! Which states the initial state can reach.

use crate::lts::Lts;

/// A set of states, one bit each.
#[derive(Clone, Debug)]
pub struct StateSet {
    words: Vec<u64>,
    len: usize,
}

impl StateSet {
    /// The empty set, with room for states below `states`.
    pub fn new(states: usize) -> Self {
        Self { words: vec![0; states.div_ceil(64)], len: 0 }
    }

    /// Adds a state; says whether it is new.
    #[inline]
    pub fn insert(&mut self, state: u32) -> bool {
        let word = &mut self.words[state as usize / 64];
        let bit = 1 << (state % 64);
        // Not `let new = ...; self.len += usize::from(new); new`: rustc 1.95 miscompiles that at opt-level 2 and above
        // once it is inlined into a branch on the result (the MIR pass SimplifyComparisonIntegral is to blame), and
        // the set counts wrongly.
        if *word & bit != 0 {
            return false;
        }
        *word |= bit;
        self.len += 1;
        true
    }

    /// Whether a state is in the set.
    #[inline]
    pub fn contains(&self, state: u32) -> bool {
        self.words[state as usize / 64] & (1 << (state % 64)) != 0
    }

    /// How many states are in the set.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The states in the set, in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.words.iter().enumerate().flat_map(|(i, &word)| {
            (0..64).filter(move |bit| word & (1 << bit) != 0).map(move |bit| i as u32 * 64 + bit)
        })
    }
}

/// The states that can be reached from the initial state, which is one of them.
pub fn reachable(lts: &Lts) -> StateSet {
    let mut reached = StateSet::new(lts.num_states());
    let mut pending = vec![lts.initial()];
    reached.insert(lts.initial());
    while let Some(state) = pending.pop() {
        for edge in lts.edges(state) {
            if reached.insert(edge.target) {
                pending.push(edge.target);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Builder;

    #[test]
    fn only_what_can_be_reached() {
        let mut builder = Builder::new();
        builder.add(100, "a", 3);
        builder.add(3, "a", 64);
        builder.add(64, "a", 100);
        builder.add(5, "a", 3);
        let reached = reachable(&builder.finish(100));
        assert_eq!(reached.iter().collect::<Vec<_>>(), [3, 64, 100]);
        assert!(reached.len() == 3 && !reached.is_empty() && !reached.contains(5));
    }
}
