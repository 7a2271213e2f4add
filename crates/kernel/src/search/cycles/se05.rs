//! Nested depth-first search with colours (Schwoon and Esparza 2005): the same two searches as Algorithm B, but a cycle
//! is reported as soon as it is closed.
//!
//! White: not reached. Cyan: on the path of the first search. Blue: left by the first search. Red: known by a second
//! search to be on no accepting cycle. The first (blue) search reports an edge between two cyan states one of which is
//! accepting; when it leaves an accepting state, the second (red) search goes through blue states and reports any edge
//! to a cyan one: that state reaches the accepting one, which is still cyan. So the second search need not return to
//! its start, and is often not needed at all: an error is found earlier than by Algorithm B, and the run to it is
//! shorter.
//!
//! Cyan is [`Status::Path`] in the first memory, blue is `Visited` there, red is any mark in the second. The red search
//! ignores white states; they exist beyond a depth limit. Both memories must retain what they store: unlike Algorithm
//! B, this search is not known to be correct when they forget.

use crate::budget::Budget;
use crate::lasso::Lasso;
use crate::search::parts::descent::Descent;
use crate::search::parts::meter::Meter;
use crate::search::{Emptiness, End};
use crate::store::{Known, Ref, States, Status, Store, TwoRetained, Visit};
use crate::system::{Stepper, Transition};

/// Looks for an accepting state on a cycle.
#[doc(alias = "Schwoon-Esparza")]
pub fn se05<M: TwoRetained>(
    stepper: &mut dyn Stepper,
    memory: &mut M,
    root: &[u8],
    budget: &mut Budget<'_>,
) -> Emptiness {
    let mut meter = Meter::new(budget);
    meter.other_store = memory.second_bytes();
    let mut search =
        Search { stepper, memory, meter, blue: Descent::default(), red: Descent::default(), lasso: None };
    let result = search.blue(root);
    let Search { memory, mut meter, lasso, .. } = search;
    meter.unnest(memory.second_bytes());
    meter.read(memory.first());
    Emptiness::new(meter, result, lasso)
}

struct Search<'w, 'm, 'b, M: TwoRetained> {
    stepper: &'w mut dyn Stepper,
    memory: &'w mut M,
    meter: Meter<'m, 'b>,
    blue: Descent<M::Hash>,
    red: Descent<M::Hash>,
    lasso: Option<Lasso>,
}

impl<M: TwoRetained> Search<'_, '_, '_, M> {
    fn blue(&mut self, root: &[u8]) -> Result<(), End> {
        if let Visit::New(at) = self.blue.start(self.memory.first(), &self.meter, root)? {
            self.enter_blue(at, Transition(0))?;
        }
        while !self.blue.path.is_empty() {
            if let Some(t) = self.blue.next_pending(self.memory.first()) {
                let hash = self.blue.succ(self.stepper, self.memory.first(), &mut self.meter, t)?;
                // A state that was white when the search looked ahead and is not now has been left since: it is not cyan.
                if let Visit::New(at) = self.blue.visit(self.memory.first(), &self.meter, hash)? {
                    self.enter_blue(at, t)?;
                }
            } else {
                if self.stepper.accepting(&self.blue.state) {
                    self.meter.nest(&self.blue.path, self.memory.first().bytes());
                    self.red()?;
                    self.meter.unnest(self.memory.second_bytes());
                }
                let at = self.blue.path.pop();
                self.memory.first().set_status(at, Status::Visited);
                self.blue.back(self.memory.first());
            }
        }
        Ok(())
    }

    fn enter_blue(&mut self, at: Ref, by: Transition) -> Result<(), End> {
        let Self { stepper, memory, meter, blue, lasso, .. } = self;
        blue.enter(*stepper, memory.first(), meter, at, by)?;
        let accepting = stepper.accepting(&blue.state);
        blue.look_ahead(meter, |path, edge, hash| {
            let Some(known) = memory.first().find(edge.to, hash) else { return Ok(true) };
            if known.status == Status::Path && (accepting || stepper.accepting(edge.to)) {
                let steps = path.transitions().chain([edge.transition]).collect();
                *lasso = Some(Lasso::new(steps, path.position(known.at)));
                return Err(End::Stopped);
            }
            Ok(false)
        })
    }

    /// From the accepting state on top of the blue path.
    fn red(&mut self) -> Result<(), End> {
        let visit = self.red.start(&mut self.memory.second(), &self.meter, &self.blue.state)?;
        if let Visit::New(at) = visit {
            self.enter_red(at, Transition(0))?;
        }
        while !self.red.path.is_empty() {
            if let Some(t) = self.red.next_pending(self.memory.first()) {
                let hash = self.red.succ(self.stepper, self.memory.first(), &mut self.meter, t)?;
                let visit = self.red.visit(&mut self.memory.second(), &self.meter, hash)?;
                if let Visit::New(at) = visit {
                    self.enter_red(at, t)?;
                }
            } else {
                let at = self.red.path.pop();
                let mut reds = self.memory.second();
                reds.set_status(at, Status::Visited);
                self.red.back(&reds);
            }
        }
        Ok(())
    }

    fn enter_red(&mut self, at: Ref, by: Transition) -> Result<(), End> {
        let Self { stepper, memory, meter, blue, red, lasso } = self;
        red.enter(*stepper, memory.first(), meter, at, by)?;
        red.successors.prefetch(&memory.second());
        red.look_ahead(meter, |path, edge, hash| match memory.first().find(edge.to, hash) {
            Some(Known { status: Status::Path, at: cyan }) => {
                let steps = blue.path.transitions().chain(path.transitions()).chain([edge.transition]);
                *lasso = Some(Lasso::new(steps.collect(), blue.path.position(cyan)));
                Err(End::Stopped)
            }
            Some(_) => Ok(memory.second().find(edge.to, hash).is_none()),
            None => Ok(false),
        })
    }
}
