//! The random graphs of on-the-fly-verification-1993, section 2.3.
//!
//! They are generated breadth first. The number of successors of a state is chosen evenly between 0 and `degree`; with
//! g states generated so far, each successor is a new state with probability 1 - g / min(2g, states), and otherwise one
//! of the g known ones, each with the same probability. So half of the successors are new until half of the states
//! exist, and then fewer and fewer.
//!
//! Such a graph may die out early: the paper only considers those whose size R comes close to the bound, and so do we,
//! by trying one seed after the other. How close depends on the degree: with 8 successors R is about 97 % of the bound,
//! with 5 it is 83 %, and with 4 or fewer, where a state has no more than one new successor on average, hardly more than
//! half. So "close" is at least half here.

use elnath_kernel::rng::Rng;
use elnath_lts::{Builder, Lts};

/// What a random graph should look like.
#[derive(Clone, Copy, Debug)]
pub struct RandomGraph {
    /// The bound on the number of states (the paper's R_max).
    pub states: u32,
    /// The largest number of successors (the paper's d_max).
    pub degree: u32,
    /// How many different labels the transitions carry, `a0`, `a1`, ...
    pub labels: u32,
    /// Where chance begins.
    pub seed: u64,
}

/// A graph, and the seed that gave it.
pub struct RandomLts {
    /// The graph.
    pub lts: Lts,
    /// The first seed from the wanted one on whose graph is large enough.
    pub seed: u64,
}

/// How many seeds are tried before a size is given up. Most attempts at a sparse graph end after a few states.
const TRIES: u64 = 3_000_000;

impl RandomGraph {
    /// A graph with at least half of the wanted states; `None` if no seed near the given one yields one.
    pub fn generate(&self) -> Option<RandomLts> {
        (0..TRIES).find_map(|offset| {
            let seed = self.seed.wrapping_add(offset);
            let lts = self.attempt(seed)?;
            Some(RandomLts { lts, seed })
        })
    }

    fn attempt(&self, seed: u64) -> Option<Lts> {
        let mut rng = Rng::new(seed);
        let mut builder = Builder::new();
        let labels: Vec<u32> = (0..self.labels.max(1)).map(|i| builder.label(&format!("a{i}"))).collect();
        let most = u64::from(self.states);
        let mut generated = 1u64;
        let mut state = 0;
        while state < generated {
            for _ in 0..rng.below(u64::from(self.degree) + 1) {
                let new_probability = 1.0 - generated as f64 / (2 * generated).min(most) as f64;
                let target = if rng.unit() < new_probability {
                    generated += 1;
                    generated - 1
                } else {
                    rng.below(generated)
                };
                let label = labels[rng.below(labels.len() as u64) as usize];
                builder.push(state as u32, label, target as u32);
            }
            state += 1;
        }
        (generated * 2 >= most).then(|| {
            builder.at_least_states(generated as u32);
            builder.finish(0)
        })
    }
}
