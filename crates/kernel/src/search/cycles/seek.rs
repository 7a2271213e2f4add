//! The second depth-first search of memory-efficient-algorithms-1992: a run from one state to another, through states
//! that are not marked yet.
//!
//! From an accepting state back to itself, it finds a cycle. It also reconstructs a run that a search has not kept: a
//! search that starts again in many states knows where its last part began but not how that state is reached. Keeping
//! this for every state would cost more than the states do.

use crate::search::End;
use crate::search::parts::descent::Descent;
use crate::search::parts::meter::Meter;
use crate::store::{Exact, Ref, Status, Store, Visit};
use crate::system::{Stepper, Transition};
use crate::verdict::Limit;

/// One search; several share the store, the buffers and the meter.
pub(in crate::search) struct Seek<'w, 'm, 'b, S: Store> {
    pub(in crate::search) stepper: &'w mut dyn Stepper,
    pub(in crate::search) store: &'w mut S,
    pub(in crate::search) descent: &'w mut Descent<S::Hash>,
    pub(in crate::search) meter: &'w mut Meter<'m, 'b>,
}

impl<S: Store> Seek<'_, '_, '_, S> {
    /// A run of at least one transition that leaves no state for which `ends` holds, except at its beginning.
    pub(in crate::search) fn run(
        &mut self,
        from: &[u8],
        to: &[u8],
        mut ends: impl FnMut(&mut dyn Stepper, &[u8]) -> bool,
    ) -> Result<Option<Vec<Transition>>, End> {
        if let Visit::New(at) = self.descent.start(self.store, self.meter, from)?
            && let Some(last) = self.enter(at, Transition(0), to)?
        {
            return Ok(Some(vec![last]));
        }
        while !self.descent.path.is_empty() {
            if let Some(t) = self.descent.next_pending(self.store) {
                let hash = self.descent.succ(self.stepper, self.store, self.meter, t)?;
                match self.descent.visit(self.store, self.meter, hash)? {
                    Visit::New(at) if ends(self.stepper, &self.descent.next) => {
                        self.store.set_status(at, Status::Visited);
                    }
                    Visit::New(at) => {
                        if let Some(last) = self.enter(at, t, to)? {
                            return Ok(Some(self.descent.path.transitions().chain([last]).collect()));
                        }
                    }
                    Visit::Known(_) => {}
                }
            } else {
                let at = self.descent.path.pop();
                self.store.set_status(at, Status::Visited);
                self.descent.back(self.store);
            }
        }
        Ok(None)
    }

    /// A run that exists, because a walk over this store has followed it before. The store is emptied first. If it is
    /// lossy, it now holds other states and may hide the run: then only an exact one will find it.
    ///
    /// # Errors
    /// Whatever ran out: the violation to which the run belongs has been found, so the limit is [`Limit::Witness`].
    pub(in crate::search) fn again(
        &mut self,
        from: &[u8],
        to: &[u8],
        ends: impl FnMut(&mut dyn Stepper, &[u8]) -> bool,
    ) -> Result<Vec<Transition>, End> {
        if from == to {
            return Ok(Vec::new());
        }
        // It is there, but a walk through the states in another order may go too deep first.
        self.seek_twice(from, to, ends).ok().flatten().ok_or(End::Limited(Limit::Witness))
    }

    /// Seeks a run with the store, emptied, and if it is not found, with an exact one.
    fn seek_twice(
        &mut self,
        from: &[u8],
        to: &[u8],
        mut ends: impl FnMut(&mut dyn Stepper, &[u8]) -> bool,
    ) -> Result<Option<Vec<Transition>>, End> {
        self.store.clear();
        if let Some(run) = self.run(from, to, &mut ends)? {
            return Ok(Some(run));
        }
        self.meter.other_store = self.store.bytes();
        let (mut store, mut descent) = (Exact::new(), Descent::default());
        let Self { stepper, meter, .. } = self;
        let mut exact = Seek { stepper: *stepper, store: &mut store, descent: &mut descent, meter };
        exact.run(from, to, ends)
    }

    /// Puts S' on the path; the transition that leads from it to `to`, if there is one.
    fn enter(&mut self, at: Ref, by: Transition, to: &[u8]) -> Result<Option<Transition>, End> {
        self.descent.enter(self.stepper, self.store, self.meter, at, by)?;
        let mut last = None;
        self.descent.look_ahead(self.meter, |_, edge, hash| {
            if edge.to == to {
                last = last.or(Some(edge.transition));
            }
            Ok(last.is_none() && self.store.find(edge.to, hash).is_none())
        })?;
        Ok(last)
    }
}
