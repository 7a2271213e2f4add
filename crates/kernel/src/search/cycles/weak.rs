//! Depth-first search with a cycle test on the path, for weak automata: those in which each strongly connected
//! component is accepting as a whole or not at all.
//!
//! In such an automaton a cycle is accepting if any of its states is, so one search that tests every edge for a target
//! on the path is complete: of each component that has a cycle, take the state that is entered first; an edge of the
//! component leads to it, and the source of that edge is explored while the state is on the path. The only requirement
//! is that the store never forgets the path. So memory for the path is enough, and replacing, bitstate and compact
//! stores all work. The negations of recurrence properties, which most specifications consist of, have weak automata.
//!
//! For an automaton that is not weak a reported cycle is still accepting, but one may be missed: r→f, f→r, with only f
//! accepting, entered at r. The caller must ensure that the automaton is weak.

use crate::budget::Budget;
use crate::lasso::Lasso;
use crate::search::parts::descent::Descent;
use crate::search::parts::meter::Meter;
use crate::search::reach::dfsr::{DepthFirst, Told};
use crate::search::{Edge, Emptiness, Hooks};
use crate::store::Store;
use crate::system::Stepper;
use std::ops::ControlFlow;

/// Looks for a cycle of accepting states in a weak automaton.
pub fn weak<S: Store>(
    stepper: &mut dyn Stepper,
    store: &mut S,
    root: &[u8],
    budget: &mut Budget<'_>,
) -> Emptiness {
    let (mut meter, mut descent, mut test) = (Meter::new(budget), Descent::default(), PathTest(None));
    let (result, witness) = {
        let hooks = &mut test;
        let mut walk = DepthFirst {
            stepper,
            store,
            hooks,
            meter: &mut meter,
            descent: &mut descent,
            told: Told::default(),
        };
        (walk.run(root), walk.told.witness)
    };
    meter.read(store);
    let lasso = witness.zip(test.0).map(|(steps, loop_start)| Lasso::new(steps, loop_start));
    Emptiness::new(meter, result, lasso)
}

/// Where on the path the cycle begins, once there is one.
struct PathTest(Option<usize>);

impl Hooks for PathTest {
    fn back_edge(
        &mut self,
        stepper: &mut dyn Stepper,
        edge: Edge<'_>,
        position: &dyn Fn() -> usize,
    ) -> ControlFlow<()> {
        if !stepper.accepting(edge.to) {
            return ControlFlow::Continue(());
        }
        self.0 = Some(position());
        ControlFlow::Break(())
    }
}
