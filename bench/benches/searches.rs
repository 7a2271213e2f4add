//! Whole walks over a generated graph, and reading that graph as `.aut` text.

use divan::{Bencher, counter::BytesCount, counter::ItemsCount};
use elnath::lts::{Lts, aut};
use elnath::random::RandomGraph;
use elnath::{Check, SearchPlan, StorePlan};
use std::sync::{Arc, LazyLock};

fn main() {
    divan::main();
}

/// About 0.9 million states and 2.7 million transitions; the labels are short.
static GRAPH: LazyLock<Arc<Lts>> = LazyLock::new(|| {
    let graph = RandomGraph { states: 1_000_000, degree: 6, labels: 4, seed: 1 };
    Arc::new(graph.generate().expect("a graph of degree 6 does not die out").lts)
});

fn walk(bencher: Bencher<'_, '_>, search: SearchPlan, store: StorePlan) {
    let graph = Arc::clone(&GRAPH);
    let states = graph.num_states() as u64;
    bencher.counter(ItemsCount::new(states)).bench_local(|| {
        let check = Check::system(Arc::clone(&graph) as Arc<_>).ignore_deadlocks();
        check.search(search).store(store).run().expect("a sensible plan").first().figures.counters.states
    });
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn dfsr_exact(bencher: Bencher<'_, '_>) {
    walk(bencher, SearchPlan::DepthFirst, StorePlan::Exact);
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn dfsr_compact(bencher: Bencher<'_, '_>) {
    walk(bencher, SearchPlan::DepthFirst, StorePlan::Compact { bits: 64 });
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn dfsr_bitstate(bencher: Bencher<'_, '_>) {
    walk(bencher, SearchPlan::DepthFirst, StorePlan::Bitstate { bytes: 16 << 20, k: 3 });
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn dfsr_replacing(bencher: Bencher<'_, '_>) {
    let replacement = elnath::Replacement::Random;
    walk(
        bencher,
        SearchPlan::DepthFirst,
        StorePlan::Replacing { replacement, most: usize::MAX, thrashing: 50 },
    );
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn bfs_exact(bencher: Bencher<'_, '_>) {
    walk(bencher, SearchPlan::BreadthFirst, StorePlan::Exact);
}

/// Reads the graph's text from memory, so that the disk is not measured.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn read_aut(bencher: Bencher<'_, '_>) {
    let mut text = Vec::new();
    aut::write(&GRAPH, aut::Dialect::Cadp, &mut text).expect("memory can be written");
    bencher.counter(BytesCount::new(text.len())).bench_local(|| {
        aut::read("bench", &text[..], &aut::ReadOptions::default()).expect("what we write we read")
    });
}
