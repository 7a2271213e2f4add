//! Strongly connected components: Tarjan 1972, without recursion, because a path may be ten million states long.
//!
//! The usual three arrays (order number, lowlink, component) are one here, after Pearce 2016: a state that is on
//! Tarjan's stack is numbered by its position there, from 1, and a state whose component is complete by that component,
//! counting *down* from the largest number. Then the test "is the target still on the stack?" is not needed, since
//! taking the minimum with a completed number changes nothing; and the lowlink lives in the frame of the state. The
//! cost is 4 bytes per state for the numbers, 4 per state on the stack, and 16 per state on the path.

use crate::lts::{Edge, Lts};

/// The partition of some states into strongly connected components.
#[derive(Clone, Debug)]
pub struct Components {
    /// By state: its component, or [`Components::NONE`].
    component: Vec<u32>,
    /// By component: how many states it has.
    sizes: Vec<u32>,
}

impl Components {
    /// The component of states that were not visited.
    pub const NONE: u32 = u32::MAX;

    /// The component of a state, or [`Components::NONE`]. Components are numbered such that a transition between two
    /// of them leads to the smaller number: component 0 leads nowhere else.
    #[inline]
    pub fn of(&self, state: u32) -> u32 {
        self.component[state as usize]
    }

    /// By state: its component, or [`Components::NONE`].
    pub fn into_numbers(self) -> Vec<u32> {
        self.component
    }

    /// How many components there are.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Whether no state was visited.
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// How many states a component has.
    pub fn size(&self, component: u32) -> u32 {
        self.sizes[component as usize]
    }

    /// The number of states in the largest component.
    pub fn largest(&self) -> u32 {
        self.sizes.iter().copied().max().unwrap_or(0)
    }

    /// By component: whether a transition that may be followed stays inside, that is, whether it contains a cycle.
    pub fn cyclic(&self, lts: &Lts, follow: impl Fn(Edge) -> bool) -> Vec<bool> {
        // More than one state means a cycle; one state has one only as a loop.
        let mut cyclic: Vec<bool> = self.sizes.iter().map(|&size| size > 1).collect();
        for state in lts.states().filter(|&s| self.of(s) != Self::NONE) {
            if lts.edges(state).iter().any(|&edge| edge.target == state && follow(edge)) {
                cyclic[self.of(state) as usize] = true;
            }
        }
        cyclic
    }
}

/// The components of what `roots` can reach along the transitions that may be followed.
#[doc(alias = "tarjan")]
pub fn components(
    lts: &Lts,
    roots: impl IntoIterator<Item = u32>,
    follow: impl Fn(Edge) -> bool,
) -> Components {
    // 0 for a state not yet visited, else as the header says.
    let mut number = vec![0u32; lts.num_states()];
    let mut sizes: Vec<u32> = Vec::new();
    let mut stack: Vec<u32> = Vec::new();
    let mut path: Vec<Frame> = Vec::new();

    for root in roots {
        if number[root as usize] != 0 {
            continue;
        }
        enter(lts, root, &mut number, &mut stack, &mut path);
        while let Some(top) = path.last_mut() {
            if top.next < top.end {
                let edge = lts.edge(top.next);
                top.next += 1;
                if !follow(edge) {
                    continue;
                }
                match number[edge.target as usize] {
                    0 => enter(lts, edge.target, &mut number, &mut stack, &mut path),
                    seen => top.low = top.low.min(seen),
                }
                continue;
            }
            let (position, low) = (top.position, top.low);
            path.pop();
            if low == position {
                // The root of a component: all above it on the stack belongs to it.
                let members = stack.drain(position as usize - 1..);
                let size = members.len() as u32;
                for state in members {
                    number[state as usize] = u32::MAX - sizes.len() as u32;
                }
                sizes.push(size);
            } else if let Some(parent) = path.last_mut() {
                parent.low = parent.low.min(low);
            }
        }
    }
    // Completed numbers count down from the largest, so their complement counts up; 0 becomes NONE.
    for number in &mut number {
        *number = !*number;
    }
    Components { component: number, sizes }
}

/// A state on the current path.
struct Frame {
    /// Its position on the stack, from 1.
    position: u32,
    /// The lowest position that is known to be reachable from it.
    low: u32,
    /// Its transitions that are still to be followed.
    next: u32,
    end: u32,
}

fn enter(lts: &Lts, state: u32, number: &mut [u32], stack: &mut Vec<u32>, path: &mut Vec<Frame>) {
    stack.push(state);
    let position = stack.len() as u32;
    number[state as usize] = position;
    let (next, end) = lts.range(state);
    path.push(Frame { position, low: position, next, end });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Builder;
    use proptest::prelude::*;

    proptest! {
        /// Two states are in the same component if and only if each reaches the other, by the definition.
        #[test]
        fn components_are_mutual_reachability(
            triples in proptest::collection::vec((0u32..8, 0u32..3, 0u32..8), 0..24),
        ) {
            let mut builder = Builder::new();
            builder.at_least_states(8);
            for name in ["a", "b", "i"] {
                builder.label(name);
            }
            for &(from, label, to) in &triples {
                builder.push(from, label, to);
            }
            let lts = builder.finish(0);
            for taus_only in [false, true] {
                let follow = |edge: Edge| !taus_only || lts.is_tau(edge.label);
                let found = components(&lts, lts.states(), follow);
                let mut reaches = [[false; 8]; 8];
                for (from, label, to) in lts.transitions() {
                    reaches[from as usize][to as usize] |= follow(Edge { label, target: to });
                }
                for k in 0..8 {
                    for i in 0..8 {
                        for j in 0..8 {
                            reaches[i][j] |= reaches[i][k] && reaches[k][j];
                        }
                    }
                }
                let cyclic = found.cyclic(&lts, follow);
                for (i, row) in reaches.iter().enumerate() {
                    let here = found.of(i as u32);
                    let mutual = |j: usize| i == j || (row[j] && reaches[j][i]);
                    prop_assert_eq!(found.size(here) as usize, (0..8).filter(|&j| mutual(j)).count());
                    prop_assert_eq!(cyclic[here as usize], row[i]);
                    for (j, &reached) in row.iter().enumerate() {
                        prop_assert_eq!(here == found.of(j as u32), mutual(j));
                        prop_assert!(!reached || found.of(j as u32) <= here);
                    }
                }
            }
        }
    }

    #[test]
    fn a_path_of_three_million_states_does_not_overflow_the_stack() {
        let n = 3_000_000;
        let mut builder = Builder::new();
        let a = builder.label("a");
        for state in 0..n {
            builder.push(state, a, (state + 1) % n);
        }
        let ring = builder.clone().finish(0);
        let found = components(&ring, [0], |_| true);
        assert_eq!((found.len(), found.largest()), (1, n));
        builder.push(n, a, 0);
        let line = builder.finish(n);
        let found = components(&line, [n], |edge| edge.target != 0);
        assert_eq!((found.len(), found.of(0)), (1, Components::NONE));
    }
}
