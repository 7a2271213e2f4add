//! Decision diagrams with many kinds of leaves.
//!
//! Where a binary decision diagram says yes or no, one of these says which of many values a letter leads to: the next
//! formula and whether the word may stop here, say. The operation on leaves is the caller's closure; this is what no
//! crate offered, whose diagrams can only add and multiply numbers. The table is shared, so equal functions are equal
//! nodes, and as plain as that of [`crate::bdd`].

use std::hash::Hash;

use crate::automaton::Cube;
use crate::hash::Map;

/// A function from letters to values: a node of its [`Mtbdds`]. Equal functions are equal nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mtbdd(u32);

/// A node: a value, or a choice by a proposition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Choice<L> {
    /// Every letter leads to this value.
    Leaf(L),
    /// The value depends on a proposition.
    Branch {
        /// The proposition, smaller than those below.
        proposition: u32,
        /// What is left if it does not hold.
        low: Mtbdd,
        /// What is left if it holds.
        high: Mtbdd,
    },
}

/// The table, for values of type `L`.
#[derive(Clone)]
pub struct Mtbdds<L> {
    nodes: Vec<Choice<L>>,
    unique: Map<Choice<L>, Mtbdd>,
}

impl<L: Copy + Eq + Hash> Default for Mtbdds<L> {
    fn default() -> Self {
        Self::new()
    }
}

impl<L: Copy + Eq + Hash> Mtbdds<L> {
    /// An empty table.
    pub fn new() -> Self {
        Self { nodes: Vec::new(), unique: Map::default() }
    }

    /// How many nodes were made so far: a measure of the memory used.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether nothing was made yet.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// What a node is.
    pub fn choice(&self, f: Mtbdd) -> Choice<L> {
        self.nodes[f.0 as usize]
    }

    fn intern(&mut self, choice: Choice<L>) -> Mtbdd {
        if let Some(&known) = self.unique.get(&choice) {
            return known;
        }
        let new = Mtbdd(u32::try_from(self.nodes.len()).expect("fewer than 2^32 nodes"));
        self.nodes.push(choice);
        self.unique.insert(choice, new);
        new
    }

    /// The constant function.
    pub fn leaf(&mut self, value: L) -> Mtbdd {
        self.intern(Choice::Leaf(value))
    }

    /// `high` where a proposition holds, `low` elsewhere; both depend on larger propositions only.
    pub fn branch(&mut self, proposition: u32, low: Mtbdd, high: Mtbdd) -> Mtbdd {
        debug_assert!([low, high].iter().all(|&f| self.root(f).is_none_or(|p| p > proposition)));
        if low == high { low } else { self.intern(Choice::Branch { proposition, low, high }) }
    }

    /// The proposition at the root, unless the function is constant.
    pub fn root(&self, f: Mtbdd) -> Option<u32> {
        match self.choice(f) {
            Choice::Leaf(_) => None,
            Choice::Branch { proposition, .. } => Some(proposition),
        }
    }

    fn split(&self, f: Mtbdd, at: u32) -> (Mtbdd, Mtbdd) {
        match self.choice(f) {
            Choice::Branch { proposition, low, high } if proposition == at => (low, high),
            _ => (f, f),
        }
    }

    /// The function whose value is `operation` of the values of `f` and `g`.
    pub fn apply(&mut self, f: Mtbdd, g: Mtbdd, operation: impl FnMut(L, L) -> L) -> Mtbdd {
        self.apply_within(f, g, usize::MAX, operation).expect("there are not that many pairs")
    }

    /// The same, unless more than `most` pairs of nodes must be looked at: there can be as many as the product of the
    /// sizes, and each may make a new node.
    pub fn apply_within(
        &mut self,
        f: Mtbdd,
        g: Mtbdd,
        most: usize,
        mut operation: impl FnMut(L, L) -> L,
    ) -> Option<Mtbdd> {
        self.apply_below(f, g, most, &mut operation, &mut Map::default())
    }

    fn apply_below(
        &mut self,
        f: Mtbdd,
        g: Mtbdd,
        most: usize,
        operation: &mut impl FnMut(L, L) -> L,
        done: &mut Map<(Mtbdd, Mtbdd), Mtbdd>,
    ) -> Option<Mtbdd> {
        if let Some(&known) = done.get(&(f, g)) {
            return Some(known);
        }
        if done.len() >= most {
            return None;
        }
        let result = match (self.choice(f), self.choice(g)) {
            (Choice::Leaf(a), Choice::Leaf(b)) => self.leaf(operation(a, b)),
            _ => {
                let at = self.root(f).into_iter().chain(self.root(g)).min().expect("one is no leaf");
                let ((f0, f1), (g0, g1)) = (self.split(f, at), self.split(g, at));
                let low = self.apply_below(f0, g0, most, operation, done)?;
                let high = self.apply_below(f1, g1, most, operation, done)?;
                self.branch(at, low, high)
            }
        };
        done.insert((f, g), result);
        Some(result)
    }

    /// The function whose value is `operation` of the value of `f`.
    pub fn map(&mut self, f: Mtbdd, mut operation: impl FnMut(L) -> L) -> Mtbdd {
        self.map_below(f, &mut operation, &mut Map::default())
    }

    fn map_below(
        &mut self,
        f: Mtbdd,
        operation: &mut impl FnMut(L) -> L,
        done: &mut Map<Mtbdd, Mtbdd>,
    ) -> Mtbdd {
        if let Some(&known) = done.get(&f) {
            return known;
        }
        let result = match self.choice(f) {
            Choice::Leaf(value) => self.leaf(operation(value)),
            Choice::Branch { proposition, low, high } => {
                let low = self.map_below(low, operation, done);
                let high = self.map_below(high, operation, done);
                self.branch(proposition, low, high)
            }
        };
        done.insert(f, result);
        result
    }

    /// The value at a letter.
    pub fn at(&self, mut f: Mtbdd, letter: u64) -> L {
        loop {
            match self.choice(f) {
                Choice::Leaf(value) => return value,
                Choice::Branch { proposition, low, high } => {
                    f = if letter >> proposition & 1 == 1 { high } else { low };
                }
            }
        }
    }

    /// The different values, each once, in a fixed order.
    pub fn values(&self, f: Mtbdd) -> Vec<L> {
        let mut seen = std::collections::HashSet::new();
        let mut todo = vec![f];
        let mut values = Vec::new();
        while let Some(f) = todo.pop() {
            if seen.insert(f) {
                match self.choice(f) {
                    Choice::Leaf(value) => values.push(value),
                    Choice::Branch { low, high, .. } => todo.extend([high, low]),
                }
            }
        }
        values
    }

    /// Every path from the root to a value: a product of literals over the first 64 propositions. The products are
    /// disjoint and cover everything; a value may be at the end of several.
    pub fn paths(&self, f: Mtbdd) -> Vec<(Cube, L)> {
        let mut paths = Vec::new();
        let mut todo = vec![(f, Cube::TRUE)];
        while let Some((f, cube)) = todo.pop() {
            match self.choice(f) {
                Choice::Leaf(value) => paths.push((cube, value)),
                Choice::Branch { proposition, low, high } => {
                    let bit = 1 << proposition;
                    todo.push((high, Cube { with: cube.with | bit, ..cube }));
                    todo.push((low, Cube { without: cube.without | bit, ..cube }));
                }
            }
        }
        paths
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_values(table: &mut Mtbdds<u8>, values: &[u8], proposition: u32) -> Mtbdd {
        if let [value] = values {
            return table.leaf(*value);
        }
        // Rows with the proposition's bit clear and set; the smallest proposition is the lowest bit.
        let half = |odd: usize| values.iter().copied().skip(odd).step_by(2).collect::<Vec<u8>>();
        let low = of_values(table, &half(0), proposition + 1);
        let high = of_values(table, &half(1), proposition + 1);
        table.branch(proposition, low, high)
    }

    #[test]
    fn operations_agree_with_tables_of_values() {
        let mut seed = 5u64;
        let mut next = move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 60) as u8 % 5
        };
        let mut table = Mtbdds::new();
        for _ in 0..100 {
            let a: Vec<u8> = (0..16).map(|_| next()).collect();
            let b: Vec<u8> = (0..16).map(|_| next()).collect();
            let (f, g) = (of_values(&mut table, &a, 0), of_values(&mut table, &b, 0));
            let combined = table.apply(f, g, |x, y| x * 5 + y);
            let mapped = table.map(f, |x| x / 2);
            // Two functions of four propositions have at most 31 pairs of nodes.
            assert_eq!(table.apply_within(f, g, 31, |x, y| x * 5 + y), Some(combined));
            assert_eq!(table.apply_within(f, g, 0, |x, y| x * 5 + y), None);
            for letter in 0..16 {
                assert_eq!(table.at(f, letter), a[letter as usize]);
                assert_eq!(table.at(combined, letter), a[letter as usize] * 5 + b[letter as usize]);
                assert_eq!(table.at(mapped, letter), a[letter as usize] / 2);
                let ends: Vec<u8> =
                    table.paths(f).iter().filter(|(cube, _)| cube.admits(letter)).map(|&(_, v)| v).collect();
                assert_eq!(ends, [a[letter as usize]]);
            }
            let mut values = table.values(f);
            values.sort_unstable();
            let mut wanted = a.clone();
            wanted.sort_unstable();
            wanted.dedup();
            assert_eq!(values, wanted);
            let wanted: Vec<u8> = a.iter().map(|x| x / 2).collect();
            assert_eq!(mapped, of_values(&mut table, &wanted, 0));
        }
    }
}
