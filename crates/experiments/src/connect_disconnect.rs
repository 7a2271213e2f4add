//! The connect-disconnect protocol and the experiment that the 1989 paper makes with it (section 4.3, figure 8).
//!
//! A opens (`a`) and closes (`b`) a connection by messages to B over a channel with *n* places; B may disconnect (`c`).
//! The figure is lost; this is what fits the number of states that the paper gives:
//!
//! ```text
//! A: 0 -!a-> 1    1 -!b-> 0    1 -?c-> 0
//! B: 0 -?a-> 1    1 -?b-> 0    1 -!c-> 0
//! ```

pub mod heap;

use elnath_check::finite::{FiniteProduct, FiniteRuns};
use elnath_kernel::rng::Rng;
use elnath_kernel::search::dfsr;
use elnath_kernel::store::{Replacement, Replacing};
use elnath_kernel::{Budget, Counters, End, Limit, System};
use elnath_logic::finite::Reading;
use elnath_logic::formula::{Formulas, Id};
use elnath_lts::{Builder, Lts};
use std::collections::{HashMap, VecDeque};

/// Where both machines are, what is on the way to B, and how many disconnects are on the way to A.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    a: bool,
    b: bool,
    /// `a` is false, `b` is true.
    to_b: VecDeque<bool>,
    to_a: u32,
}

impl State {
    /// The steps that are possible, in this order: A sends, A receives, B receives, B sends.
    fn steps(&self, capacity: usize) -> Vec<(&'static str, State)> {
        let mut steps = Vec::new();
        if self.to_b.len() < capacity {
            let mut next = self.clone();
            next.to_b.push_back(self.a);
            next.a = !self.a;
            steps.push((if self.a { "A!b" } else { "A!a" }, next));
        }
        if self.a && self.to_a > 0 {
            steps.push(("A?c", State { a: false, to_a: self.to_a - 1, ..self.clone() }));
        }
        // B waits for a when it is not connected, and for b when it is.
        if self.to_b.front() == Some(&self.b) {
            let mut next = self.clone();
            next.to_b.pop_front();
            next.b = !self.b;
            steps.push((if self.b { "B?b" } else { "B?a" }, next));
        }
        if self.b {
            steps.push(("B!c", State { b: false, to_a: self.to_a + 1, ..self.clone() }));
        }
        steps
    }
}

/// The reachable states of the protocol with a channel of `capacity` places, numbered as a breadth-first walk meets them.
pub fn connect_disconnect(capacity: usize) -> Lts {
    let initial = State { a: false, b: false, to_b: VecDeque::new(), to_a: 0 };
    let mut builder = Builder::new();
    let mut numbers = HashMap::from([(initial.clone(), 0)]);
    let mut queue = VecDeque::from([initial]);
    while let Some(state) = queue.pop_front() {
        let from = numbers[&state];
        for (label, next) in state.steps(capacity) {
            let fresh = numbers.len() as u32;
            let to = *numbers.entry(next.clone()).or_insert_with(|| {
                queue.push_back(next);
                fresh
            });
            builder.add(from, label, to);
        }
    }
    builder.finish(0)
}

/// The check of figure 5 with the formula `true`, which generates all states, and a heap of `heap` states beside the
/// path. The insertions are the paper's NGS. `watch` is called now and then; a limit that it returns ends the walk.
pub fn with_heap(
    system: &dyn System,
    heap: usize,
    seed: u64,
    watch: &mut dyn FnMut(&Counters) -> Option<Limit>,
) -> (End, Counters) {
    let property = FiniteRuns {
        formulas: &Formulas::new(),
        formula: Id::TRUE,
        propositions: &[],
        reading: Reading::Prefix,
        empty_word: true,
    };
    let product = FiniteProduct::new(system, &property).expect("no propositions");
    let (mut stepper, mut root) = (product.stepper(), Vec::new());
    stepper.initial(&mut root);
    let mut store = Replacing::new(Replacement::Random, root.len(), usize::MAX, Rng::new(seed))
        .with_heap(heap)
        .with_thrashing_factor(u64::MAX);
    let mut budget = Budget { memory: usize::MAX, depth: usize::MAX, states: u64::MAX, disk: None, watch };
    let outcome = dfsr(&mut *stepper, &mut store, &mut (), &root, &mut budget);
    (outcome.end, outcome.counters)
}
