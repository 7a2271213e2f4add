//! How many 32-byte states per second the stores take in and find again, on one core.
//!
//! Plain: one after the other, as they come. Batched: ten are hashed and prefetched before the first is looked up,
//! which is what the searches do with the successors of a state. States are numbers spread over 32 bytes, so that
//! making one costs next to nothing beside storing it.

use divan::{Bencher, counter::ItemsCount};
use elnath_kernel::rng::Rng;
use elnath_kernel::store::{
    Bitstate, Compact, Exact, Lossy, Marks, Replacement, Replacing, Room, Status, Store, Visit,
};

fn main() {
    divan::main();
}

const BATCH: u64 = 10;
/// The table (4 MiB) fits in any last-level cache, the states (13 MB) fit in most.
const IN_CACHE: u64 = 350_000;
/// The table (1 GiB) and the states (1.8 GB) are far larger than any cache.
const LARGE: u64 = 50_000_000;

fn state(i: u64) -> [u8; 32] {
    let mut state = [0; 32];
    for (word, bytes) in state.chunks_exact_mut(8).enumerate() {
        bytes.copy_from_slice(&(i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (word * 7)).to_le_bytes());
    }
    state[..8].copy_from_slice(&i.to_le_bytes());
    state
}

/// Marks the states with these numbers, one after the other.
fn mark(marks: &mut impl Marks, numbers: std::ops::Range<u64>) {
    for i in numbers {
        let state = state(i);
        let hash = marks.hash(&state);
        let new = marks.mark(&state, hash, Room::UNLIMITED);
        divan::black_box(new.expect("there is room"));
    }
}

/// Marks them a batch at a time.
fn mark_batched(marks: &mut impl Marks, numbers: std::ops::Range<u64>) {
    for first in numbers.step_by(BATCH as usize) {
        let states: [_; BATCH as usize] = std::array::from_fn(|i| state(first + i as u64));
        let hashes = states.map(|state| {
            let hash = marks.hash(&state);
            marks.prefetch(hash);
            hash
        });
        for (state, hash) in states.iter().zip(hashes) {
            divan::black_box(marks.mark(state, hash, Room::UNLIMITED).expect("there is room"));
        }
    }
}

/// Visits them as a depth-first search would: each is put on the path and then leaves it.
fn visit(store: &mut impl Store, numbers: std::ops::Range<u64>) {
    for i in numbers {
        let state = state(i);
        let hash = store.hash(&state);
        if let Visit::New(at) = store.visit(&state, hash, Room::UNLIMITED).expect("there is room") {
            store.set_status(at, Status::Visited);
        }
    }
}

fn filled<M: Marks>(mut marks: M, states: u64) -> M {
    mark_batched(&mut marks, 0..states);
    marks
}

mod insert_in_cache {
    use super::*;

    #[divan::bench(sample_count = 20, sample_size = 1)]
    fn exact(bencher: Bencher<'_, '_>) {
        let bencher = bencher.counter(ItemsCount::new(IN_CACHE));
        bencher.with_inputs(Exact::new).bench_refs(|store| mark(store, 0..IN_CACHE));
    }

    #[divan::bench(sample_count = 20, sample_size = 1)]
    fn exact_batched(bencher: Bencher<'_, '_>) {
        let bencher = bencher.counter(ItemsCount::new(IN_CACHE));
        bencher.with_inputs(Exact::new).bench_refs(|store| mark_batched(store, 0..IN_CACHE));
    }

    #[divan::bench(sample_count = 20, sample_size = 1)]
    fn exact_visit(bencher: Bencher<'_, '_>) {
        let bencher = bencher.counter(ItemsCount::new(IN_CACHE));
        bencher.with_inputs(Exact::new).bench_refs(|store| visit(store, 0..IN_CACHE));
    }

    #[divan::bench(sample_count = 20, sample_size = 1)]
    fn compact_64_bits(bencher: Bencher<'_, '_>) {
        let bencher = bencher.counter(ItemsCount::new(IN_CACHE));
        bencher.with_inputs(|| Compact::new(64)).bench_refs(|store| mark_batched(store, 0..IN_CACHE));
    }

    #[divan::bench(sample_count = 20, sample_size = 1)]
    fn bitstate_3_bits(bencher: Bencher<'_, '_>) {
        let bencher = bencher.counter(ItemsCount::new(IN_CACHE));
        bencher
            .with_inputs(|| Bitstate::new(4 << 20, 3))
            .bench_refs(|store| mark_batched(store, 0..IN_CACHE));
    }

    #[divan::bench(sample_count = 20, sample_size = 1)]
    fn replacing_without_replacement(bencher: Bencher<'_, '_>) {
        let bencher = bencher.counter(ItemsCount::new(IN_CACHE));
        bencher.with_inputs(|| replacing(usize::MAX)).bench_refs(|store| visit(store, 0..IN_CACHE));
    }

    /// Every insertion but the first 100,000 replaces a state.
    #[divan::bench(sample_count = 20, sample_size = 1)]
    fn replacing_always(bencher: Bencher<'_, '_>) {
        let bencher = bencher.counter(ItemsCount::new(IN_CACHE));
        bencher.with_inputs(|| replacing(100_000)).bench_refs(|store| visit(store, 0..IN_CACHE));
    }

    #[divan::bench(sample_count = 20, sample_size = 1)]
    fn compact_with_a_path(bencher: Bencher<'_, '_>) {
        let bencher = bencher.counter(ItemsCount::new(IN_CACHE));
        bencher
            .with_inputs(|| Lossy::new(Compact::new(64), 32))
            .bench_refs(|store| visit(store, 0..IN_CACHE));
    }
}

fn replacing(most: usize) -> Replacing {
    Replacing::new(Replacement::Random, 32, most, Rng::new(1)).with_thrashing_factor(u64::MAX)
}

/// From nothing to 50 million states, all growing of the table included.
mod fill_to_50_million {
    use super::*;

    #[divan::bench(sample_count = 3, sample_size = 1)]
    fn exact(bencher: Bencher<'_, '_>) {
        let bencher = bencher.counter(ItemsCount::new(LARGE));
        bencher.with_inputs(Exact::new).bench_refs(|store| mark(store, 0..LARGE));
    }

    #[divan::bench(sample_count = 3, sample_size = 1)]
    fn exact_batched(bencher: Bencher<'_, '_>) {
        let bencher = bencher.counter(ItemsCount::new(LARGE));
        bencher.with_inputs(Exact::new).bench_refs(|store| mark_batched(store, 0..LARGE));
    }

    #[divan::bench(sample_count = 3, sample_size = 1)]
    fn compact_64_bits(bencher: Bencher<'_, '_>) {
        let bencher = bencher.counter(ItemsCount::new(LARGE));
        bencher.with_inputs(|| Compact::new(64)).bench_refs(|store| mark_batched(store, 0..LARGE));
    }

    #[divan::bench(sample_count = 3, sample_size = 1)]
    fn bitstate_3_bits(bencher: Bencher<'_, '_>) {
        let bencher = bencher.counter(ItemsCount::new(LARGE));
        bencher.with_inputs(|| Bitstate::new(256 << 20, 3)).bench_refs(|store| mark_batched(store, 0..LARGE));
    }
}

/// The last million states before there are 50 million. The table is nearly three quarters full and does not grow here;
/// what growing costs is in the fill.
mod around_50_million {
    use super::*;

    const AROUND: std::ops::Range<u64> = LARGE - 1_000_000..LARGE;

    #[divan::bench(sample_count = 3, sample_size = 1)]
    fn exact_insert(bencher: Bencher<'_, '_>) {
        let bencher = bencher.counter(ItemsCount::new(AROUND.end - AROUND.start));
        bencher.with_inputs(|| filled(Exact::new(), AROUND.start)).bench_refs(|store| mark(store, AROUND));
    }

    #[divan::bench(sample_count = 3, sample_size = 1)]
    fn exact_insert_batched(bencher: Bencher<'_, '_>) {
        let bencher = bencher.counter(ItemsCount::new(AROUND.end - AROUND.start));
        bencher
            .with_inputs(|| filled(Exact::new(), AROUND.start))
            .bench_refs(|store| mark_batched(store, AROUND));
    }
}

/// Look-ups of states that are there, in an order that has nothing to do with that of insertion.
mod find_known {
    use super::*;

    const LOOKUPS: u64 = 1_000_000;

    fn look_up(marks: &impl Marks, states: u64, batch: u64) {
        for first in (0..LOOKUPS).step_by(batch as usize) {
            let wanted =
                (first..first + batch).map(|i| state(i.wrapping_mul(0x9e37_79b9_7f4a_7c15) % states));
            let mut hashed: [([u8; 32], _); BATCH as usize] = std::array::from_fn(|_| ([0; 32], None));
            for (slot, state) in hashed.iter_mut().zip(wanted) {
                let hash = marks.hash(&state);
                marks.prefetch(hash);
                *slot = (state, Some(hash));
            }
            for (state, hash) in &hashed {
                let Some(hash) = hash else { break };
                assert!(divan::black_box(marks.is_marked(state, *hash)));
            }
        }
    }

    #[divan::bench(args = [100_000, IN_CACHE, 10_000_000], sample_count = 10, sample_size = 1)]
    fn exact(bencher: Bencher<'_, '_>, states: u64) {
        let store = filled(Exact::new(), states);
        bencher.counter(ItemsCount::new(LOOKUPS)).bench_local(|| look_up(&store, states, 1));
    }

    #[divan::bench(args = [100_000, IN_CACHE, 10_000_000], sample_count = 10, sample_size = 1)]
    fn exact_batched(bencher: Bencher<'_, '_>, states: u64) {
        let store = filled(Exact::new(), states);
        bencher.counter(ItemsCount::new(LOOKUPS)).bench_local(|| look_up(&store, states, BATCH));
    }

    #[divan::bench(args = [IN_CACHE, 10_000_000], sample_count = 10, sample_size = 1)]
    fn compact_batched(bencher: Bencher<'_, '_>, states: u64) {
        let store = filled(Compact::new(64), states);
        bencher.counter(ItemsCount::new(LOOKUPS)).bench_local(|| look_up(&store, states, BATCH));
    }

    #[divan::bench(args = [IN_CACHE, 10_000_000], sample_count = 10, sample_size = 1)]
    fn bitstate_batched(bencher: Bencher<'_, '_>, states: u64) {
        let store = filled(Bitstate::new(states as usize * 4, 3), states);
        bencher.counter(ItemsCount::new(LOOKUPS)).bench_local(|| look_up(&store, states, BATCH));
    }
}
