//! Breadth-first search by one and two workers over the shared store, with a stepper so fast that the search is what is
//! measured: counters side by side in states of 60 bytes.

use divan::{Bencher, counter::ItemsCount};
use elnath_kernel::store::SharedExact;
use elnath_kernel::successors::{Buffers, Fired};
use elnath_kernel::{
    Action, Budget, Describe, Fault, Stepper, Successors, System, Terse, Transition, parallel_bfs,
};

fn main() {
    divan::main();
}

/// `counters` counters that each go round through `values` values: values^counters states, each with one successor per
/// counter.
#[derive(Clone, Copy)]
struct Counters {
    counters: usize,
    values: u8,
}

const LENGTH: usize = 60;

impl Counters {
    /// Where a counter lies: far from the others, as variables of processes do.
    fn place(self, counter: usize) -> usize {
        counter * (LENGTH / self.counters)
    }

    fn transitions(self) -> u64 {
        u64::from(self.values).pow(self.counters as u32) * self.counters as u64
    }
}

impl System for Counters {
    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(*self)
    }

    fn describe(&self) -> &dyn Describe {
        self
    }

    fn bytes(&self) -> usize {
        0
    }
}

impl Terse for Counters {
    fn state_text(&self, state: &[u8]) -> String {
        format!("{state:?}")
    }

    fn action_text(&self, action: Action) -> String {
        action.0.to_string()
    }
}

impl Stepper for Counters {
    fn initial(&mut self, out: &mut Vec<u8>) {
        *out = vec![0; LENGTH];
    }

    fn enabled(&mut self, _: &[u8], out: &mut Vec<Transition>) {
        out.clear();
        out.extend((0..self.counters as u64).map(Transition));
    }

    fn fire(&mut self, state: &[u8], t: Transition, out: &mut Vec<u8>) -> Result<(), Fault> {
        out.clear();
        out.extend_from_slice(state);
        let value = &mut out[self.place(t.0 as usize)];
        *value = if *value + 1 == self.values { 0 } else { *value + 1 };
        Ok(())
    }

    fn successors(&mut self, state: &[u8], out: &mut Successors) {
        let Buffers { bytes, end, room, fired } = out.buffers();
        bytes.resize(bytes.len().max(*end + self.counters * (LENGTH + room)), 0);
        for counter in 0..self.counters {
            let start = *end;
            *end += LENGTH + room;
            bytes[start..start + LENGTH].copy_from_slice(state);
            let value = &mut bytes[start + self.place(counter)];
            *value = if *value + 1 == self.values { 0 } else { *value + 1 };
            fired.push(Fired {
                transition: Transition(counter as u64),
                start: start as u32,
                len: LENGTH as u32,
                fault: Fired::NO_FAULT,
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

    elnath_kernel::facets! { none: propositions, acceptance, processes, tally }
}

fn walk(bencher: Bencher<'_, '_>, system: Counters, workers: usize) {
    bencher.counter(ItemsCount::new(system.transitions())).bench_local(|| {
        let mut watch = |_: &_| None;
        let mut budget =
            Budget { memory: usize::MAX, depth: usize::MAX, states: u64::MAX, disk: None, watch: &mut watch };
        let walked = parallel_bfs(&system, SharedExact::new(workers), vec![(); workers], &mut budget);
        assert_eq!(walked.outcome.counters.transitions, system.transitions());
    });
}

/// 2.6 million states in levels of up to 50,000.
#[divan::bench(args = [1, 2], sample_count = 5, sample_size = 1)]
fn ordinary(bencher: Bencher<'_, '_>, workers: usize) {
    walk(bencher, Counters { counters: 4, values: 40 }, workers);
}

/// 16 million states.
#[divan::bench(args = [1, 2], sample_count = 3, sample_size = 1)]
fn large(bencher: Bencher<'_, '_>, workers: usize) {
    walk(bencher, Counters { counters: 6, values: 16 }, workers);
}

/// 62,500 states in levels of up to 250: deep and thin.
#[divan::bench(args = [1, 2], sample_count = 20, sample_size = 1)]
fn thin(bencher: Bencher<'_, '_>, workers: usize) {
    walk(bencher, Counters { counters: 2, values: 250 }, workers);
}
