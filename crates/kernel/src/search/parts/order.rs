//! The same system with its transitions in another order. The order determines what a search finds first, and which
//! part of the system a search sees that is cut short or uses a lossy store.
//!
//! The order is a function of a seed and of the state: a state that is reached again has its transitions in the same
//! order, as the contract of a [`Stepper`] demands. Transitions keep their numbers, so that a run found here is a run
//! of the system itself.

use crate::rng::Rng;
use crate::store::hash64;
use crate::successors::Successors;
use crate::system::{Stepper, Transition};

/// In which order the transitions of a state come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As the system has them.
    Given,
    /// The last first.
    Reversed,
    /// Any order, another in each state.
    Shuffled,
    /// Process by process, in an order of the processes that is the same in all states.
    ByProcess,
}

impl Order {
    /// The name used in reports.
    pub fn name(self) -> &'static str {
        match self {
            Order::Given => "given",
            Order::Reversed => "reversed",
            Order::Shuffled => "shuffled",
            Order::ByProcess => "by process",
        }
    }
}

/// A stepper whose transitions come in another order. The head of its source file explains it.
pub struct Reordered<'a> {
    inner: Box<dyn Stepper + 'a>,
    order: Order,
    seed: u64,
}

impl<'a> Reordered<'a> {
    /// Walks what `inner` walks, in this order.
    pub fn new(inner: Box<dyn Stepper + 'a>, order: Order, seed: u64) -> Self {
        Self { inner, order, seed }
    }

    /// By what the transitions of a state are sorted.
    fn key(&mut self, state: &[u8]) -> impl FnMut(Transition) -> u64 {
        let (by_process, inner) = (self.order == Order::ByProcess, &mut self.inner);
        let seed = if by_process { self.seed } else { self.seed ^ hash64(state) };
        move |t: Transition| {
            let what = if by_process { inner.mover(t).map_or(0, u64::from) } else { t.0.rotate_left(32) };
            Rng::new(seed ^ what).next_u64()
        }
    }
}

impl Stepper for Reordered<'_> {
    fn enabled(&mut self, state: &[u8], out: &mut Vec<Transition>) {
        self.inner.enabled(state, out);
        match self.order {
            Order::Given => {}
            Order::Reversed => out.reverse(),
            Order::Shuffled | Order::ByProcess => {
                let mut key = self.key(state);
                out.sort_by_key(|&t| key(t));
            }
        }
    }

    fn successors(&mut self, state: &[u8], out: &mut Successors) {
        self.inner.successors(state, out);
        match self.order {
            Order::Given => {}
            Order::Reversed => out.reverse(),
            Order::Shuffled | Order::ByProcess => out.sort_by_key(self.key(state)),
        }
    }

    crate::hand_on! { inner: initial, fire, action, may_end, transition_bits }
    crate::facets! { below inner: propositions, acceptance, processes, tally }
}
