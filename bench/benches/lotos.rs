//! The two engines of LOTOS on a chain of one-place cells: static control, 3^n states for n cells.
//!
//! Both are measured in one run, so that their ratio means something on a busy machine.

use divan::{Bencher, counter::ItemsCount};
use elnath::{Check, Engine, LoadOptions, SearchPlan, StorePlan};
use std::path::Path;

fn main() {
    divan::main();
}

/// Bits go in at PUT, from cell to cell over hidden gates, and out at GET.
fn chain(cells: u32) -> String {
    let gate = |number: u32| match number {
        0 => "Put".to_owned(),
        number if number == cells => "Get".to_owned(),
        number => format!("G{number}"),
    };
    let cell = |number: u32| format!("Cell [{}, {}]", gate(number), gate(number + 1));
    let hidden: Vec<String> = (1..cells).map(gate).collect();
    let last = cell(cells - 1);
    let behaviour = (0..cells - 1)
        .rev()
        .fold(last, |rest, number| format!("({} |[{}]| {rest})", cell(number), gate(number + 1)));
    format!(
        "specification Chain [Put, Get] : noexit library Boolean, Bit endlib
         behaviour hide {} in {behaviour}
         where process Cell [Enter, Leave] : noexit := Enter ?b : Bit; Leave !b; Cell [Enter, Leave] endproc
         endspec",
        hidden.join(", ")
    )
}

fn walk(bencher: Bencher<'_, '_>, cells: u32, engine: Engine) {
    let input = Some(chain(cells).into());
    bencher.counter(ItemsCount::new(3_u64.pow(cells))).bench_local(|| {
        let options = LoadOptions { input: input.clone(), engine, ..LoadOptions::default() };
        let loaded = elnath::load(Path::new("chain.lotos"), &options).expect("it is well formed");
        let check = Check::subject(loaded.subject).search(SearchPlan::BreadthFirst).store(StorePlan::Exact);
        let states = check.threads(1).run().expect("a sensible plan").first().figures.counters.states;
        assert_eq!(states, 3_u64.pow(cells));
    });
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn flattened_1_600_000_states(bencher: Bencher<'_, '_>) {
    walk(bencher, 13, Engine::Auto);
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn flattened_59_000_states(bencher: Bencher<'_, '_>) {
    walk(bencher, 10, Engine::Auto);
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn terms_59_000_states(bencher: Bencher<'_, '_>) {
    walk(bencher, 10, Engine::Terms);
}
