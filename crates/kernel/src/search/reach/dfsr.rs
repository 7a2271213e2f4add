//! DFSR: depth-first search with replacement (on-the-fly-verification-1993, 2.1), not recursive.
//!
//! The loop is the paper's, with its misprints corrected (`docs/papers.md`, erratum 1 of this paper): firable(S0) goes
//! to the pending sets; a transition stays on the path's transition stack as long as the state it led to is on the
//! path; and the search ends as soon as a hook or the memory says so.
//!
//! One difference, for speed: the successors of a state are looked up together when the state is entered, and the hooks
//! of those already known are called then, a little earlier than in the paper ([`crate::search::parts::descent`]).

use crate::budget::Budget;
use crate::search::parts::descent::{Descent, Path};
use crate::search::parts::kept::Kept;
use crate::search::parts::meter::Meter;
use crate::search::{Edge, End, Hooks, Outcome, Witness};
use crate::store::{Known, Ref, Status, Store, Visit};
use crate::system::{Stepper, Transition};
use std::ops::ControlFlow;

/// Walks everything reachable from `root`.
///
/// The store is not emptied: several walks may share it, as the partial searches of the paper's section 4.1 do. A root
/// that an earlier walk deferred is walked; one that it has explored is not walked again.
pub fn dfsr<S: Store, H: Hooks>(
    stepper: &mut dyn Stepper,
    store: &mut S,
    hooks: &mut H,
    root: &[u8],
    budget: &mut Budget<'_>,
) -> Outcome {
    let (mut meter, mut descent) = (Meter::new(budget), Descent::default());
    let told = Told::default();
    let mut walk = DepthFirst { stepper, store, hooks, meter: &mut meter, descent: &mut descent, told };
    let result = walk.run(root);
    let Told { witness, kept } = walk.told;
    meter.read(store);
    let (witness, kept) = (witness.map(Witness::Run), kept.into_runs());
    Outcome { end: meter.end(result), counters: meter.counters, witness, kept }
}

/// One walk; a search that is made of several shares the meter and the buffers among them.
pub(in crate::search) struct DepthFirst<'w, 'm, 'b, S: Store, H: Hooks> {
    pub(in crate::search) stepper: &'w mut dyn Stepper,
    pub(in crate::search) store: &'w mut S,
    pub(in crate::search) hooks: &'w mut H,
    pub(in crate::search) meter: &'w mut Meter<'m, 'b>,
    pub(in crate::search) descent: &'w mut Descent<S::Hash>,
    /// The runs to where hooks said `Break`.
    pub(in crate::search) told: Told,
}

/// What a depth-first walk tells of the runs to where hooks said `Break`: the first one, and those that are to be kept.
#[derive(Default)]
pub(in crate::search) struct Told {
    pub(in crate::search) witness: Option<Vec<Transition>>,
    pub(in crate::search) kept: Kept,
}

impl Told {
    /// A hook said `Break` at the end of this run.
    pub(in crate::search) fn found<R: Iterator<Item = Transition>>(
        &mut self,
        hooks: &mut impl Hooks,
        run: impl Fn() -> R,
    ) -> Result<(), End> {
        self.witness.get_or_insert_with(|| run().collect());
        if hooks.keeps() {
            self.kept.keep(run().count(), || Some(run().collect()));
        }
        if hooks.goes_on() { Ok(()) } else { Err(End::Stopped) }
    }
}

impl<S: Store, H: Hooks> DepthFirst<'_, '_, '_, S, H> {
    pub(in crate::search) fn run(&mut self, root: &[u8]) -> Result<(), End> {
        match self.descent.start(self.store, self.meter, root)? {
            Visit::New(at) => self.enter(at, Transition(0))?,
            // A state that an earlier walk over this store put aside: its turn has come.
            Visit::Known(Known { status: Status::Needed, at }) => {
                self.store.set_status(at, Status::Path);
                self.enter(at, Transition(0))?;
            }
            Visit::Known(_) => {}
        }
        while !self.descent.path.is_empty() {
            if let Some(t) = self.descent.next_pending(self.store) {
                let hash = self.descent.succ(self.stepper, self.store, self.meter, t)?;
                match self.descent.visit(self.store, self.meter, hash)? {
                    Visit::New(at) if self.hooks.defer(self.stepper, &self.descent.next) => {
                        self.store.set_status(at, Status::Needed);
                        self.hooks.deferred(at);
                        self.meter.beside = self.hooks.bytes() + self.told.kept.bytes();
                    }
                    Visit::New(at) => self.enter(at, t)?,
                    Visit::Known(known) => self.met_meanwhile(t, known)?,
                }
            } else {
                let at = self.descent.path.pop();
                let status = match self.hooks.leave(self.stepper, &self.descent.state) {
                    ControlFlow::Continue(status) => status,
                    ControlFlow::Break(()) => {
                        found(self.hooks, &mut self.told, &self.descent.path, None)?;
                        Status::Visited
                    }
                };
                self.store.set_status(at, status);
                self.descent.back(self.store);
            }
        }
        Ok(())
    }

    /// Puts S', which the store has just taken in, on the path, and looks ahead at its successors.
    fn enter(&mut self, at: Ref, by: Transition) -> Result<(), End> {
        let Self { stepper, store, hooks, meter, descent, told } = self;
        descent.enter(*stepper, *store, meter, at, by)?;
        if hooks.expand(*stepper, &descent.state, &descent.successors.successors).is_break() {
            found(*hooks, told, &descent.path, None)?;
        }
        descent.look_ahead(meter, |path, edge, hash| {
            if hooks.edge(*stepper, edge).is_break() {
                found(*hooks, told, path, Some(edge.transition))?;
            }
            let Some(known) = store.find(edge.to, hash) else { return Ok(true) };
            if meet(*hooks, *stepper, path, edge, known).is_break() {
                found(*hooks, told, path, Some(edge.transition))?;
            }
            Ok(false)
        })?;
        meter.beside = meter.beside.max(told.kept.bytes());
        Ok(())
    }

    /// A successor that was new when the walk looked ahead has been reached another way since.
    fn met_meanwhile(&mut self, transition: Transition, known: Known) -> Result<(), End> {
        let edge = self.descent.edge(transition);
        if meet(self.hooks, self.stepper, &self.descent.path, edge, known).is_break() {
            found(self.hooks, &mut self.told, &self.descent.path, Some(transition))?;
        }
        Ok(())
    }
}

/// The paper's cases Stack and Nec, Perm, Vis.
fn meet<H: Hooks>(
    hooks: &mut H,
    stepper: &mut dyn Stepper,
    path: &Path,
    edge: Edge<'_>,
    known: Known,
) -> ControlFlow<()> {
    match known.status {
        Status::Path => hooks.back_edge(stepper, edge, &|| path.position(known.at)),
        status => hooks.known(stepper, edge, status),
    }
}

/// A hook said `Break`, at the top of the path or at a transition from there.
fn found<H: Hooks>(hooks: &mut H, told: &mut Told, path: &Path, last: Option<Transition>) -> Result<(), End> {
    told.found(hooks, || path.transitions().chain(last))
}
