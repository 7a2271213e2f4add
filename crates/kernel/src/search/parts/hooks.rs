//! The holes of the search (on-the-fly-verification-1993, 2.1): what is done at an edge, at a new state, at a state
//! that is already known, and when a state is left. Every default does nothing.
//!
//! A hook that has seen enough returns `Break`; the search then ends with the path that led there, or keeps that path
//! and continues. The paper has five holes and lets `Act` look at every generated state; the sixth, [`Hooks::expand`],
//! sees firable(S) once per state, without which a deadlock could not be detected.

use crate::store::{Ref, Status};
use crate::successors::Successors;
use crate::system::{Fault, Stepper, Transition};
use std::ops::ControlFlow;

/// A transition just fired.
#[derive(Clone, Copy, Debug)]
pub struct Edge<'a> {
    /// Where it starts.
    pub from: &'a [u8],
    /// Which one it is.
    pub transition: Transition,
    /// Where it leads.
    pub to: &'a [u8],
    /// The fault that firing it ran into.
    pub fault: Option<Fault>,
}

/// What a question does while the system is walked.
pub trait Hooks {
    /// A state is explored; these are its successors.
    fn expand(&mut self, _: &mut dyn Stepper, _state: &[u8], _successors: &Successors) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Whether the walk goes on after a `Break`, of which only the first is then told: for questions that count.
    fn goes_on(&self) -> bool {
        false
    }

    /// Asked once after each `Break`: whether the run to there is told as well as the first one ([`Outcome::kept`]), for
    /// questions that tell several violations apart. The hook bounds how many there are.
    ///
    /// [`Outcome::kept`]: crate::search::Outcome::kept
    fn keeps(&mut self) -> bool {
        false
    }

    /// A transition was fired; whether its target is known is not yet known.
    #[doc(alias = "Act")]
    fn edge(&mut self, _: &mut dyn Stepper, _edge: Edge<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Whether [`Hooks::edge`] has something to do where firing ran into no fault: if not, it may be left out.
    fn sees_all_edges(&self) -> bool {
        true
    }

    /// Whether a new state is to be put aside (into N) instead of being explored now.
    #[doc(alias = "Cond_Null")]
    fn defer(&mut self, _: &mut dyn Stepper, _state: &[u8]) -> bool {
        false
    }

    /// A state that was to be put aside now lies in N, at this place, until a walk from it begins.
    fn deferred(&mut self, _at: Ref) {}

    /// Bytes that the question itself keeps about the states put aside; they count against the memory limit.
    fn bytes(&self) -> usize {
        0
    }

    /// The target of the edge is on the path: a cycle is closed. `position` tells where on the path, the root's being 0;
    /// it is a walk down the path, so only the cycle that is reported should ask.
    #[doc(alias = "Act_Stack")]
    fn back_edge(
        &mut self,
        _: &mut dyn Stepper,
        _edge: Edge<'_>,
        _position: &dyn Fn() -> usize,
    ) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// The target of the edge is in N, P or V.
    #[doc(alias = "Act_NPV")]
    fn known(&mut self, _: &mut dyn Stepper, _edge: Edge<'_>, _status: Status) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// A state and all its successors are done. The answer is the set it goes to: `Visited`, or another if it must
    /// not be forgotten.
    #[doc(alias = "Act_Pop")]
    fn leave(&mut self, _: &mut dyn Stepper, _state: &[u8]) -> ControlFlow<(), Status> {
        ControlFlow::Continue(Status::Visited)
    }
}

/// The paper's simple depth-first search: all holes empty.
impl Hooks for () {}
