//! The searches for accepting cycles beside the plain depth-first search of the same graph with the same store, where
//! there is no such cycle: then everything is walked, and the second search of the nested ones is as long as it can be.

use divan::{Bencher, counter::ItemsCount};
use elnath_kernel::rng::Rng;
use elnath_kernel::search::{bfs, deterministic, dfsr, nested, scc, se05, two_passes, weak};
use elnath_kernel::store::{Bitstate, Compact, Exact, Lossy, Numbered, Pair, Replacement, Replacing, Store};
use elnath_kernel::successors::{Buffers, Fired};
use elnath_kernel::{
    Acceptance, Action, Budget, Condition, Counters, Emptiness, End, Fault, Stepper, Successors, Transition,
};

fn main() {
    divan::main();
}

/// A random graph in states of 60 bytes, with an automaton beside it in the last byte.
#[derive(Clone, Copy)]
enum Product {
    /// The automaton leaves its first state for an accepting one, and that for its last, at any time: each node is there
    /// three times, and a third of the states are accepting and on no cycle.
    Transient,
    /// All edges lead a little forward, round and round, and whichever way one goes some states are accepting: 64 of
    /// each 1000.
    Recurrent,
}

const NODES: u64 = 300_000;
const LENGTH: usize = 60;
const EDGES: u64 = 3;

impl Product {
    fn choices(self, state: &[u8]) -> u64 {
        // In its first state the automaton may stay or go on.
        if matches!(self, Product::Transient) && state[LENGTH - 1] == 0 { 2 * EDGES } else { EDGES }
    }

    /// Makes the successor in place.
    fn step(self, state: &mut [u8], choice: u64) {
        let node = u64::from_le_bytes(state[..8].try_into().expect("eight bytes"));
        let chance = Rng::new(node * EDGES + choice % EDGES).next_u64() >> 32;
        let next = match self {
            Product::Transient => chance % NODES,
            Product::Recurrent => (node + 1 + chance % 64) % NODES,
        };
        state[..8].copy_from_slice(&next.to_le_bytes());
        state[24..32].copy_from_slice(&(next * 7).to_le_bytes());
        let automaton = &mut state[LENGTH - 1];
        *automaton = match (self, *automaton) {
            (Product::Recurrent, _) => 0,
            (_, 0) => u8::from(choice >= EDGES),
            _ => 2,
        };
    }
}

impl Stepper for Product {
    fn initial(&mut self, out: &mut Vec<u8>) {
        *out = vec![0; LENGTH];
    }

    fn enabled(&mut self, state: &[u8], out: &mut Vec<Transition>) {
        out.clear();
        out.extend((0..self.choices(state)).map(Transition));
    }

    fn fire(&mut self, state: &[u8], t: Transition, out: &mut Vec<u8>) -> Result<(), Fault> {
        out.clear();
        out.extend_from_slice(state);
        self.step(out, t.0);
        Ok(())
    }

    fn successors(&mut self, state: &[u8], out: &mut Successors) {
        let Buffers { bytes, end, room, fired } = out.buffers();
        let choices = self.choices(state);
        bytes.resize(bytes.len().max(*end + choices as usize * (LENGTH + room)), 0);
        for choice in 0..choices {
            let start = *end;
            *end += LENGTH + room;
            bytes[start..start + LENGTH].copy_from_slice(state);
            self.step(&mut bytes[start..start + LENGTH], choice);
            let fault = Fired::NO_FAULT;
            fired.push(Fired {
                transition: Transition(choice),
                start: start as u32,
                len: LENGTH as u32,
                fault,
            });
        }
    }

    fn action(&mut self, _: &[u8], t: Transition) -> Action {
        Action(t.0 as u32)
    }

    fn may_end(&mut self, _state: &[u8]) -> bool {
        false
    }

    fn transition_bits(&self) -> u32 {
        32
    }

    elnath_kernel::facets! { mine: acceptance; none: propositions, processes, tally }
}

impl Acceptance for Product {
    fn sets(&mut self) -> u32 {
        1
    }

    fn marks(&mut self, state: &[u8], _: Transition) -> u64 {
        u64::from(self.accepting(state))
    }

    fn accepting(&mut self, state: &[u8]) -> bool {
        match self {
            Product::Transient => state[LENGTH - 1] == 1,
            Product::Recurrent => u64::from_le_bytes(state[..8].try_into().expect("eight bytes")) % 1000 < 64,
        }
    }

    fn may_recur(&mut self, _state: &[u8]) -> bool {
        true
    }

    fn recurs_by_last_byte(&mut self) -> Option<Box<[bool; 256]>> {
        None
    }
}

/// Runs a walk that must be complete; items are states.
fn measure(
    bencher: Bencher<'_, '_>,
    mut product: Product,
    walk: impl Fn(&mut dyn Stepper, &[u8], &mut Budget<'_>) -> (End, Counters),
) {
    let mut run = || {
        let mut watch = |_: &_| None;
        let mut budget =
            Budget { memory: usize::MAX, depth: usize::MAX, states: u64::MAX, disk: None, watch: &mut watch };
        let mut root = Vec::new();
        product.initial(&mut root);
        let (end, counters) = walk(&mut product, &root, &mut budget);
        assert_eq!(end, End::Complete);
        counters.states
    };
    let states = run();
    bencher.counter(ItemsCount::new(states)).bench_local(run);
}

fn cycles(
    bencher: Bencher<'_, '_>,
    product: Product,
    search: impl Fn(&mut dyn Stepper, &[u8], &mut Budget<'_>) -> Emptiness,
) {
    measure(bencher, product, |stepper, root, budget| {
        let outcome = search(stepper, root, budget);
        (outcome.end, outcome.counters)
    });
}

fn depth_first<S: Store>(bencher: Bencher<'_, '_>, product: Product, store: impl Fn() -> S) {
    measure(bencher, product, |stepper, root, budget| {
        let outcome = dfsr(stepper, &mut store(), &mut (), root, budget);
        (outcome.end, outcome.counters)
    });
}

fn compact() -> Lossy<Compact> {
    Lossy::new(Compact::new(64), LENGTH)
}

fn bitstate() -> Lossy<Bitstate> {
    Lossy::new(Bitstate::new(16 << 20, 3), LENGTH)
}

fn replacing() -> Replacing {
    Replacing::new(Replacement::Random, LENGTH, usize::MAX, Rng::new(1))
}

#[divan::bench_group(sample_count = 7, sample_size = 1)]
mod exact {
    use super::*;

    #[divan::bench]
    fn breadth_first(bencher: Bencher<'_, '_>) {
        measure(bencher, Product::Transient, |stepper, root, budget| {
            let outcome = bfs(stepper, &mut Exact::new(), &mut (), root, budget);
            (outcome.end, outcome.counters)
        });
    }

    #[divan::bench]
    fn plain(bencher: Bencher<'_, '_>) {
        depth_first(bencher, Product::Transient, Exact::new);
    }

    #[divan::bench]
    fn algorithm_a(bencher: Bencher<'_, '_>) {
        cycles(bencher, Product::Transient, |stepper, root, budget| {
            two_passes(stepper, &mut Exact::new(), root, budget)
        });
    }

    #[divan::bench]
    fn algorithm_b(bencher: Bencher<'_, '_>) {
        cycles(bencher, Product::Transient, |stepper, root, budget| {
            nested(stepper, &mut Exact::new(), root, budget)
        });
    }

    #[divan::bench]
    fn schwoon_esparza(bencher: Bencher<'_, '_>) {
        cycles(bencher, Product::Transient, |stepper, root, budget| {
            se05(stepper, &mut Exact::new(), root, budget)
        });
    }

    #[divan::bench]
    fn components(bencher: Bencher<'_, '_>) {
        let condition = Condition { sets: 1, pairs: Vec::new() };
        cycles(bencher, Product::Transient, |stepper, root, budget| {
            scc(stepper, &mut Numbered::default(), &condition, root, budget)
        });
    }

    #[divan::bench]
    fn path_test(bencher: Bencher<'_, '_>) {
        cycles(bencher, Product::Transient, |stepper, root, budget| {
            weak(stepper, &mut Exact::new(), root, budget)
        });
    }

    #[divan::bench]
    fn plain_recurrent(bencher: Bencher<'_, '_>) {
        depth_first(bencher, Product::Recurrent, Exact::new);
    }

    #[divan::bench]
    fn deterministic_recurrent(bencher: Bencher<'_, '_>) {
        cycles(bencher, Product::Recurrent, |stepper, root, budget| {
            deterministic(stepper, &mut Exact::new(), root, budget)
        });
    }
}

#[divan::bench_group(sample_count = 7, sample_size = 1)]
mod lossy {
    use super::*;

    #[divan::bench]
    fn plain_compact(bencher: Bencher<'_, '_>) {
        depth_first(bencher, Product::Transient, compact);
    }

    #[divan::bench]
    fn algorithm_b_compact(bencher: Bencher<'_, '_>) {
        cycles(bencher, Product::Transient, |stepper, root, budget| {
            nested(stepper, &mut Pair { first: compact(), second: compact() }, root, budget)
        });
    }

    #[divan::bench]
    fn plain_bitstate(bencher: Bencher<'_, '_>) {
        depth_first(bencher, Product::Transient, bitstate);
    }

    #[divan::bench]
    fn algorithm_a_bitstate(bencher: Bencher<'_, '_>) {
        cycles(bencher, Product::Transient, |stepper, root, budget| {
            two_passes(stepper, &mut bitstate(), root, budget)
        });
    }

    #[divan::bench]
    fn algorithm_b_bitstate(bencher: Bencher<'_, '_>) {
        cycles(bencher, Product::Transient, |stepper, root, budget| {
            nested(stepper, &mut Pair { first: bitstate(), second: bitstate() }, root, budget)
        });
    }

    #[divan::bench]
    fn schwoon_esparza_bitstate(bencher: Bencher<'_, '_>) {
        cycles(bencher, Product::Transient, |stepper, root, budget| {
            se05(stepper, &mut Pair { first: bitstate(), second: bitstate() }, root, budget)
        });
    }
}

#[divan::bench_group(sample_count = 7, sample_size = 1)]
mod forgetting {
    use super::*;

    #[divan::bench]
    fn plain_replacing(bencher: Bencher<'_, '_>) {
        depth_first(bencher, Product::Transient, replacing);
    }

    #[divan::bench]
    fn algorithm_b_replacing_and_exact(bencher: Bencher<'_, '_>) {
        cycles(bencher, Product::Transient, |stepper, root, budget| {
            nested(stepper, &mut Pair { first: replacing(), second: Exact::new() }, root, budget)
        });
    }

    #[divan::bench]
    fn plain_replacing_recurrent(bencher: Bencher<'_, '_>) {
        depth_first(bencher, Product::Recurrent, replacing);
    }

    #[divan::bench]
    fn deterministic_replacing_recurrent(bencher: Bencher<'_, '_>) {
        cycles(bencher, Product::Recurrent, |stepper, root, budget| {
            deterministic(stepper, &mut replacing(), root, budget)
        });
    }
}
