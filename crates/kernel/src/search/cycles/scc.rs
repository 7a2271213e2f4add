//! Search by strongly connected components, for any number of acceptance sets on transitions and for strong fairness
//! (Couvreur 1999; the path-based components are Gabow's, and before him Dijkstra's).
//!
//! States whose component is not complete are *live*. They lie on a stack in the order in which they were entered, and
//! the components found so far partition that stack into stretches, each with a root on the path and the marks of its
//! inner transitions. An edge to a live state closes a cycle: all stretches above the target's are merged with it. As
//! soon as the marks of a stretch are accepted there is a violation; no other search stops earlier. The cost does not
//! depend on the number of sets, so weak fairness, one set for each process, needs no copies of states.
//!
//! Strong fairness is given as Streett pairs ([`StreettPair`](crate::lasso::StreettPair)) of the bits of
//! [`Stepper::marks`]. If a component is complete, meets all sets and is not accepted, then it has requests that it
//! cannot respond to. It is extracted as an explicit graph and searched again without them ([`Explicit::accepted`]):
//! linear in the number of pairs, where a translation to sets would be exponential (Duret-Lutz, Poitrenaud and Couvreur
//! 2009).
//!
//! Each state has a number, its place on the stack of live states: 4 bytes in the store, and 8 more while it is live.
//! So the store must retain states and numbers ([`Numbers`]): this search does not compile with lossy and replacing
//! stores.

use crate::budget::Budget;
use crate::lasso::{Condition, Lasso};
use crate::search::parts::descent::Descent;
use crate::search::parts::explicit::{Arc, Explicit};
use crate::search::parts::meter::Meter;
use crate::search::{Emptiness, End};
use crate::store::{Known, Numbers, Ref, Status, Visit};
use crate::system::{Stepper, Transition};
use crate::verdict::Limit;

/// Looks for a run that the condition accepts.
#[doc(alias = "Couvreur")]
pub fn scc<S: Numbers>(
    stepper: &mut dyn Stepper,
    store: &mut S,
    condition: &Condition,
    root: &[u8],
    budget: &mut Budget<'_>,
) -> Emptiness {
    let mut search = Search {
        stepper,
        store,
        condition,
        meter: Meter::new(budget),
        descent: Descent::default(),
        components: Components { live: Vec::new(), stretches: Vec::new() },
        lasso: None,
    };
    let mut result = search.run(root);
    if result == Err(End::Stopped) && search.lasso.is_none() {
        // Stopped at an edge: the topmost stretch is accepted.
        result = search.look_into_component().map_err(|_| End::Limited(Limit::Witness)).and(result);
    }
    let Search { mut meter, store, lasso, .. } = search;
    meter.read(store);
    Emptiness::new(meter, result, lasso)
}

struct Search<'w, 'm, 'b, S: Numbers> {
    stepper: &'w mut dyn Stepper,
    store: &'w mut S,
    condition: &'w Condition,
    meter: Meter<'m, 'b>,
    descent: Descent<S::Hash>,
    components: Components,
    lasso: Option<Lasso>,
}

/// The live states, and the components into which what is known so far divides them.
struct Components {
    live: Vec<Ref>,
    stretches: Vec<Stretch>,
}

/// A component as far as it is known.
#[derive(Clone, Copy)]
struct Stretch {
    /// Where it begins on the stack of live states.
    start: u32,
    /// Where its root is on the path.
    position: u32,
    /// Whether it has an inner transition.
    cyclic: bool,
    /// The marks of its inner transitions.
    inside: u64,
    /// The marks of the transition that leads to its root.
    entry: u64,
}

/// The number of a state whose component is complete. Other states have their place on the stack, from 1.
const DEAD: u32 = u32::MAX;

impl<S: Numbers> Search<'_, '_, '_, S> {
    fn run(&mut self, root: &[u8]) -> Result<(), End> {
        if let Visit::New(at) = self.descent.start(self.store, &self.meter, root)? {
            self.enter(at, Transition(0), 0)?;
        }
        while !self.descent.path.is_empty() {
            if let Some(t) = self.descent.next_pending(self.store) {
                let hash = self.descent.succ(self.stepper, self.store, &mut self.meter, t)?;
                match self.descent.visit(self.store, &self.meter, hash)? {
                    Visit::New(at) => {
                        let marks = self.stepper.marks(&self.descent.state, t);
                        self.enter(at, t, marks)?;
                    }
                    Visit::Known(Known { at, .. }) => {
                        let number = self.store.number(at);
                        let marks = || self.stepper.marks(&self.descent.state, t);
                        self.components.close_cycle(number, marks, self.condition)?;
                    }
                }
            } else {
                let top = self.descent.path.len() - 1;
                if self.components.top().position as usize == top {
                    self.complete_component()?;
                }
                let at = self.descent.path.pop();
                self.store.set_status(at, Status::Visited);
                self.descent.back(self.store);
            }
        }
        Ok(())
    }

    fn enter(&mut self, at: Ref, by: Transition, marks: u64) -> Result<(), End> {
        let Self { stepper, store, condition, meter, descent, components, .. } = self;
        if components.live.len() >= DEAD as usize - 1 {
            return Err(End::Limited(Limit::States));
        }
        store.set_number(at, components.push(at, descent.path.len(), marks));
        meter.beside = components.bytes();
        descent.enter(*stepper, *store, meter, at, by)?;
        descent.look_ahead(meter, |_, edge, hash| {
            let Some(known) = store.find(edge.to, hash) else { return Ok(true) };
            let marks = || stepper.marks(edge.from, edge.transition);
            components.close_cycle(store.number(known.at), marks, condition)?;
            Ok(false)
        })
    }

    /// The root of the topmost component is about to be left: no other state can come to it.
    fn complete_component(&mut self) -> Result<(), End> {
        let Stretch { start, cyclic, inside, .. } = self.components.top();
        // With sets alone it would have been reported when its last mark came.
        if cyclic && !self.condition.pairs.is_empty() && inside & self.condition.sets == self.condition.sets {
            self.look_into_component()?;
            if self.lasso.is_some() {
                return Err(End::Stopped);
            }
        }
        self.components.stretches.pop();
        for at in self.components.live.drain(start as usize..) {
            self.store.set_number(at, DEAD);
        }
        Ok(())
    }

    /// Looks for an accepted cycle in the topmost component.
    fn look_into_component(&mut self) -> Result<(), End> {
        let Stretch { start, position, .. } = self.components.top();
        let graph = self.take_out(start)?;
        let Some(part) = graph.accepted(self.condition) else { return Ok(()) };
        let mut in_part = vec![false; graph.len()];
        part.nodes.iter().for_each(|&node| in_part[node as usize] = true);
        // Node 0 is the root. A part that strong fairness has left of the component may lie away from it.
        let into = if in_part[0] {
            Vec::new()
        } else {
            let there = graph.nearest(0, |_| true, |arc| in_part[arc.to as usize]);
            there.expect("a component is strongly connected")
        };
        let begin = into.last().map_or(0, |arc| arc.to);
        let to_root = self.descent.path.transitions().take(position as usize);
        let prefix = to_root.chain(into.iter().map(|arc| arc.by)).collect();
        self.lasso = Some(Lasso { prefix, cycle: graph.cycle(&part, self.condition, begin) });
        Ok(())
    }

    /// The live states from `start` on as a graph: they are one component, and the number of the first is 0 there.
    fn take_out(&mut self, start: u32) -> Result<Explicit, End> {
        let mut graph = Explicit::default();
        // The walk goes on with these if the component turns out to be harmless.
        let (mut successors, mut state) = (crate::Successors::default(), Vec::new());
        for index in start as usize..self.components.live.len() {
            self.store.read(self.components.live[index], &mut state);
            self.stepper.successors(&state, &mut successors);
            self.meter.counters.generated += successors.len() as u64;
            for successor in successors.iter() {
                let hash = self.store.hash(successor.state);
                let Some(Known { at, .. }) = self.store.find(successor.state, hash) else { continue };
                let number = self.store.number(at);
                if number > start && number != DEAD {
                    let by = successor.transition;
                    graph.add(Arc { to: number - 1 - start, by, marks: self.stepper.marks(&state, by) });
                }
            }
            graph.close_node();
            let bytes = self.meter.counters.path_bytes + self.store.bytes() + graph.bytes();
            if bytes > self.meter.budget.memory {
                return Err(End::Limited(Limit::Memory));
            }
            self.meter.watch(self.stepper, self.store, index.is_multiple_of(1024))?;
        }
        Ok(graph)
    }
}

impl Components {
    fn top(&self) -> Stretch {
        *self.stretches.last().expect("every live state is in a stretch")
    }

    fn bytes(&self) -> usize {
        self.live.len() * size_of::<Ref>() + self.stretches.len() * size_of::<Stretch>()
    }

    /// A new state is a component of its own; its number.
    fn push(&mut self, at: Ref, position: usize, entry: u64) -> u32 {
        let start = self.live.len() as u32;
        let position = u32::try_from(position).expect("a path is not longer than there are live states");
        self.stretches.push(Stretch { start, position, cyclic: false, inside: 0, entry });
        self.live.push(at);
        start + 1
    }

    /// An edge leads from the top of the path to the state with this number: if that is live, what lies between is one
    /// component.
    fn close_cycle(
        &mut self,
        number: u32,
        marks: impl FnOnce() -> u64,
        condition: &Condition,
    ) -> Result<(), End> {
        if number == DEAD {
            return Ok(());
        }
        let mut inside = marks();
        let mut top = self.top();
        while top.start >= number {
            inside |= top.inside | top.entry;
            self.stretches.pop();
            top = self.top();
        }
        let top = self.stretches.last_mut().expect("the stretch of the target is still there");
        (top.inside, top.cyclic) = (top.inside | inside, true);
        if condition.accepts(top.inside) { Err(End::Stopped) } else { Ok(()) }
    }
}
