//! The order of the leaves of a state in its tree.
//!
//! Any order is correct, and the order determines the size of the tree: the two halves under the root should have few
//! distinct values each, so parts that change together belong together, and parts that change independently belong into
//! different halves. By default the leaves are in bit-reversed order: the even ones under the left half, the odd ones
//! under the right. Globals come first in a state and processes last, and each often determines the other (a flag, and
//! the process that has set it): a half with all processes would have nearly as many values as there are states. With
//! parts of both in each half, szymanski.4 takes 11 bytes per state instead of 28.
//!
//! That is a heuristic, and for other models a bad one: the seven processes of needham.4 keep what they know to
//! themselves, and bit-reversed order gives nearly a node per state. So the order is optimised by local search
//! ([`Arrangement::for_states`]): a few states of the system, from random runs, are folded, two leaves are exchanged,
//! and the exchange is kept if there are fewer distinct nodes. On needham.4 this leaves 0.04 nodes per state of 0.93,
//! on leader_filters.5 0.035 of 0.088; others stay as they were.

use super::shape::Shape;
use crate::rng::Rng;

/// The order of the leaves of states of one class; the others have the usual order.
#[derive(Default)]
pub(super) struct Arrangement {
    class: u8,
    /// Which leaf stands at each place; empty if there is nothing but the usual order.
    order: Vec<u32>,
}

/// How many nodes are computed in the search for an order: a few hundredths of a second.
const PATIENCE: usize = 1 << 22;

impl Arrangement {
    /// Which leaf stands at this place of the tree.
    #[inline]
    pub(super) fn at(&self, shape: Shape, place: usize) -> usize {
        if shape.class == self.class && !self.order.is_empty() {
            self.order[place] as usize
        } else {
            usual(shape, place)
        }
    }

    /// A good order for states like these.
    pub(super) fn for_states(states: &[Vec<u8>]) -> Self {
        let mut frequency = [0u32; 256];
        let shapes = || states.iter().filter_map(|state| Shape::of_len(state.len()));
        shapes().for_each(|shape| frequency[usize::from(shape.class)] += 1);
        let Some(shape) = shapes().max_by_key(|shape| frequency[usize::from(shape.class)]) else {
            return Self::default();
        };
        // With two leaves there is nothing to arrange.
        if shape.height < 2 {
            return Self::default();
        }
        let of_class = |state: &&Vec<u8>| Shape::of_len(state.len()) == Some(shape);
        let states: Vec<&Vec<u8>> = states.iter().filter(of_class).collect();
        let leaves = shape.leaves();
        let mut folded = Folded::new(&states, shape, (0..leaves).map(|place| usual(shape, place)).collect());
        let straight = Folded::new(&states, shape, (0..leaves).collect());
        if straight.nodes() < folded.nodes() {
            folded = straight;
        }
        let mut rng = Rng::new(1);
        let tries = PATIENCE / (states.len() * 2 * shape.height as usize);
        for _ in 0..tries {
            let mut place = || rng.below(leaves as u64) as usize;
            folded.try_swap(place(), place());
        }
        Self { class: shape.class, order: folded.order.iter().map(|&leaf| leaf as u32).collect() }
    }
}

/// The place with its bits read backwards.
#[inline]
fn usual(shape: Shape, place: usize) -> usize {
    ((place as u32).reverse_bits() >> (32 - shape.height)) as usize
}

/// Some states as trees: for each node, as in a heap, the number of its value in each of the states.
struct Folded {
    order: Vec<usize>,
    columns: Vec<Vec<u32>>,
    /// How many values each node has.
    values: Vec<u32>,
    numbers: Numbers,
}

impl Folded {
    fn new(states: &[&Vec<u8>], shape: Shape, order: Vec<usize>) -> Self {
        let leaves = shape.leaves();
        let numbers = Numbers::new(states.len());
        let mut folded =
            Self { order, columns: vec![Vec::new(); 2 * leaves], values: vec![0; 2 * leaves], numbers };
        for place in 0..leaves {
            let leaf = |state: &&Vec<u8>| shape.leaf(state, folded.order[place]);
            folded.columns[leaves + place] = folded.numbers.of(states.iter().map(leaf)).0;
        }
        for node in (2..leaves).rev() {
            (folded.columns[node], folded.values[node]) = folded.fold(node);
        }
        folded
    }

    /// Different nodes between the leaves and the root: what the store would keep.
    fn nodes(&self) -> u32 {
        self.values.iter().sum()
    }

    fn fold(&mut self, node: usize) -> (Vec<u32>, u32) {
        let pairs = self.columns[2 * node].iter().zip(&self.columns[2 * node + 1]);
        self.numbers.of(pairs.map(|(&left, &right)| u64::from(left) << 32 | u64::from(right)))
    }

    /// Lets two leaves change places, unless that makes more nodes.
    fn try_swap(&mut self, one: usize, other: usize) {
        let leaves = self.order.len();
        if one == other {
            return;
        }
        self.columns.swap(leaves + one, leaves + other);
        let before = self.nodes();
        let mut above = Vec::new();
        let (mut one_node, mut other_node) = ((leaves + one) / 2, (leaves + other) / 2);
        while one_node > 1 && one_node != other_node {
            above.extend([one_node, other_node]);
            (one_node, other_node) = (one_node / 2, other_node / 2);
        }
        // Where the ways have met, the same leaves are below: only their numbers may be others.
        let mut old = Vec::with_capacity(above.len());
        for &node in &above {
            let (column, values) = self.fold(node);
            old.push((
                std::mem::replace(&mut self.columns[node], column),
                std::mem::replace(&mut self.values[node], values),
            ));
        }
        if self.nodes() > before {
            for (&node, (column, values)) in above.iter().zip(old) {
                (self.columns[node], self.values[node]) = (column, values);
            }
            self.columns.swap(leaves + one, leaves + other);
            return;
        }
        self.order.swap(one, other);
        while one_node > 1 {
            (self.columns[one_node], self.values[one_node]) = self.fold(one_node);
            one_node /= 2;
        }
    }
}

/// Gives equal words equal numbers, from 0.
struct Numbers {
    /// A word, its number, and for which question it was put in.
    table: Vec<(u64, u32, u32)>,
    question: u32,
}

impl Numbers {
    fn new(most: usize) -> Self {
        Self { table: vec![(0, 0, 0); (2 * most).next_power_of_two()], question: 0 }
    }

    /// The numbers of some words, and how many there are.
    fn of(&mut self, words: impl Iterator<Item = u64>) -> (Vec<u32>, u32) {
        self.question += 1;
        let mask = self.table.len() - 1;
        let mut different = 0;
        let numbers = words.map(|word| {
            let mut slot = super::mix(word) as usize & mask;
            loop {
                let (known, number, question) = self.table[slot];
                if question != self.question {
                    self.table[slot] = (word, different, self.question);
                    different += 1;
                    return different - 1;
                }
                if known == word {
                    return number;
                }
                slot = (slot + 1) & mask;
            }
        });
        let numbers = numbers.collect();
        (numbers, different)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// Twelve independent processes of four bytes, each with a flag of its own among the globals: the order that is found
    /// has fewer nodes than the usual and the straight one, and is a permutation.
    #[test]
    fn a_better_order_is_found() {
        let mut rng = Rng::new(3);
        let state = |rng: &mut Rng| {
            let values: Vec<u8> = (0..12).map(|_| rng.below(3) as u8).collect();
            let mut state = values.clone();
            values.iter().for_each(|&value| state.extend([0, value * 3, 1, value]));
            state
        };
        let states: Vec<Vec<u8>> = (0..1500).map(|_| state(&mut rng)).collect();
        let found = Arrangement::for_states(&states);
        let shape = Shape::of_len(60).expect("short");
        let mut order: Vec<usize> = (0..shape.leaves()).map(|place| found.at(shape, place)).collect();
        let all: Vec<&Vec<u8>> = states.iter().collect();
        let nodes = |order: Vec<usize>| Folded::new(&all, shape, order).nodes();
        let usual = nodes((0..shape.leaves()).map(|place| usual(shape, place)).collect());
        let straight = nodes((0..shape.leaves()).collect());
        assert!(nodes(order.clone()) < usual.min(straight), "{usual} and {straight}");
        order.sort_unstable();
        assert_eq!(order, (0..shape.leaves()).collect::<Vec<_>>());
        // Another class is not concerned.
        let other = Shape::of_len(61).expect("short");
        assert_eq!(found.at(other, 1), super::usual(other, 1));
    }

    #[test]
    fn few_states_or_none_will_do() {
        assert!(Arrangement::for_states(&[]).order.is_empty());
        assert!(Arrangement::for_states(&[vec![1, 2, 3]]).order.is_empty());
        assert_eq!(Arrangement::for_states(&[vec![7; 100]]).order.len(), 16);
    }
}
