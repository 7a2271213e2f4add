//! DFS_Buchi: acceptance by a deterministic Büchi automaton in bounded memory (on-the-fly-verification-1993, 4.1).
//!
//! The automaton is that of the property itself, not of its negation. It is deterministic and complete, so the property
//! fails if and only if the product has a cycle without a state of F, the accepting states. The search looks for a
//! cycle in the graph without F, in parts: one partial search from the initial state and one from each state of F that
//! is reached; no partial search continues beyond a state of F. Only the states in which partial searches begin must be
//! kept (the paper's sets N, to be done, and P, done); all others may be replaced.
//!
//! As printed, the algorithm never explores the last root (`docs/papers.md`, erratum 2 of this paper): it takes it out
//! of N and then ends because N is empty (q0→f→x, x→x, F = {f} is "satisfied"). Here the test comes before the
//! extraction. As in the paper, finite runs are not covered; a product may extend them by stuttering.
//!
//! Each root costs 16 bytes beside the state: where the state lies and from which root it was reached, so that a run to
//! a cycle can be reconstructed part by part ([`Seek::again`]).

use super::seek::Seek;
use crate::budget::Budget;
use crate::lasso::Lasso;
use crate::search::parts::descent::Descent;
use crate::search::parts::meter::Meter;
use crate::search::reach::dfsr::{DepthFirst, Told};
use crate::search::{Edge, Emptiness, End, Hooks};
use crate::store::{Ref, Status, Store};
use crate::system::Stepper;
use std::ops::ControlFlow;

/// Looks for a cycle without accepting states; that is a violation.
#[doc(alias = "DFS_Buchi")]
pub fn deterministic<S: Store>(
    stepper: &mut dyn Stepper,
    store: &mut S,
    root: &[u8],
    budget: &mut Budget<'_>,
) -> Emptiness {
    let (mut meter, mut descent) = (Meter::new(budget), Descent::default());
    let mut partial = Partial { root: root.to_vec(), number: 0, roots: Vec::new(), loop_start: None };
    let mut from = root.to_vec();
    let (result, steps) = loop {
        let mut walk = DepthFirst {
            stepper: &mut *stepper,
            store: &mut *store,
            hooks: &mut partial,
            meter: &mut meter,
            descent: &mut descent,
            told: Told::default(),
        };
        let result = walk.run(&from);
        let witness = walk.told.witness;
        // N is empty when each of its roots has become the root of a search.
        let Some(next) = partial.roots.get(partial.number) else { break (result, witness) };
        if result.is_err() {
            break (result, witness);
        }
        store.read(next.at, &mut from);
        partial.root.clone_from(&from);
        partial.number += 1;
    };
    meter.read(store);
    let Some((mut cycle, loop_start)) = steps.zip(partial.loop_start) else {
        return Emptiness::new(meter, result, None);
    };
    meter.nested = true;
    let stops = partial.stops(store, root);
    let mut seek = Seek { stepper, store, descent: &mut descent, meter: &mut meter };
    let to_root: Result<Vec<_>, End> = stops
        .windows(2)
        .map(|part| seek.again(&part[0], &part[1], |stepper, state| stepper.accepting(state)))
        .collect();
    match to_root {
        Ok(parts) => {
            let from_root = cycle.drain(..loop_start).collect();
            let prefix = parts.into_iter().chain([from_root]).flatten().collect();
            Emptiness::new(meter, result, Some(Lasso { prefix, cycle }))
        }
        Err(end) => Emptiness::new(meter, Err(end), None),
    }
}

/// What the partial searches share.
struct Partial {
    /// The paper's q_init: where the search that is under way began.
    root: Vec<u8>,
    /// Its number: that of the initial state is 0.
    number: usize,
    /// The states of F that were met; the one with index i has number i + 1. Those up to `number` are P, the others N.
    roots: Vec<Root>,
    /// Where on the path the cycle begins, once there is one.
    loop_start: Option<usize>,
}

struct Root {
    at: Ref,
    /// The number of the root from which it was met.
    parent: usize,
}

impl Partial {
    /// The roots from the initial state to that of the search that is under way.
    fn stops(&self, store: &impl Store, initial: &[u8]) -> Vec<Vec<u8>> {
        let mut stops = Vec::new();
        let mut number = self.number;
        while number > 0 {
            let Root { at, parent } = self.roots[number - 1];
            let mut state = Vec::new();
            store.read(at, &mut state);
            stops.push(state);
            number = parent;
        }
        stops.push(initial.to_vec());
        stops.reverse();
        stops
    }
}

impl Hooks for Partial {
    fn defer(&mut self, stepper: &mut dyn Stepper, state: &[u8]) -> bool {
        stepper.accepting(state)
    }

    fn deferred(&mut self, at: Ref) {
        self.roots.push(Root { at, parent: self.number });
    }

    fn bytes(&self) -> usize {
        self.roots.len() * size_of::<Root>()
    }

    fn back_edge(
        &mut self,
        stepper: &mut dyn Stepper,
        edge: Edge<'_>,
        position: &dyn Fn() -> usize,
    ) -> ControlFlow<()> {
        if stepper.accepting(edge.to) {
            return ControlFlow::Continue(());
        }
        self.loop_start = Some(position());
        ControlFlow::Break(())
    }

    fn leave(&mut self, _: &mut dyn Stepper, state: &[u8]) -> ControlFlow<(), Status> {
        ControlFlow::Continue(if state == self.root { Status::Permanent } else { Status::Visited })
    }
}
