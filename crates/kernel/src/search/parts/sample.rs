//! A sample of states from random runs, for stores that adapt to the system before a search begins.

use crate::rng::Rng;
use crate::successors::Successors;
use crate::system::System;

/// Runs begin anew after so many steps, or where they can go no farther.
const LENGTH: usize = 200;
/// How much work, of a stepper that counts it, is spent at most.
const WORK: u64 = 1 << 18;
/// How many bytes the states have together at most, the last one aside. What a store computes from them takes a multiple
/// of that in memory and time: 2,000 states of 600 kB took 2 GiB and 40 s, under no limit.
const BYTES: usize = 1 << 20;

/// States on random runs from the initial state, at most `steps` steps in all; some may come several times.
pub fn sample(system: &dyn System, steps: usize, seed: u64) -> Vec<Vec<u8>> {
    let (mut stepper, mut rng) = (system.stepper(), Rng::new(seed));
    let (mut state, mut successors) = (Vec::new(), Successors::default());
    let (mut states, mut bytes) = (Vec::with_capacity(steps), 0);
    for step in 0..steps {
        if step % LENGTH == 0 || successors.is_empty() {
            stepper.initial(&mut state);
        }
        stepper.successors(&state, &mut successors);
        if !successors.is_empty() {
            let next = successors.get(rng.below(successors.len() as u64) as usize);
            state.clear();
            state.extend_from_slice(next.state);
        }
        bytes += state.len();
        states.push(state.clone());
        if stepper.work() > WORK || bytes > BYTES {
            break;
        }
    }
    states
}
