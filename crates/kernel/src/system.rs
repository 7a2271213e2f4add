//! What is walked: a transition system whose states are made only when they are needed.
//!
//! This is the whole contract between languages and searches. A language delivers a [`System`]; a search asks it for
//! one [`Stepper`] per worker: the initial state, the transitions that are enabled in a state, the states that firing them
//! leads to, and their actions. Products, reductions, hiding and renaming are steppers over steppers.
//!
//! What else a system can offer is a [facet](crate::facets) that it has or has not: texts for people, propositions,
//! acceptance, processes, a tally. No method of the contract has a default, so that a system over a system must say for each
//! facet "mine", "that of the one below" or "none": the compiler refuses a forgotten one.
//!
//! The system is erased (`dyn Stepper`): measured, the virtual call is lost in the noise, while an allocation per
//! state costs about 30 %. Hence all results go into buffers that the caller owns and reuses.

use crate::facets::{Acceptance, Describe, Processes, Propositions, Tally};
use crate::successors::Successors;

/// A transition that is enabled in some state.
///
/// The number means something only to the stepper that produced it, together with the state it was produced for; it
/// is stable, so that a search may keep it and fire it again later. A stepper says with
/// [`Stepper::transition_bits`] how many low bits it uses, so that a product can put its own choice above them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[doc(alias = "t")]
pub struct Transition(pub u64);

/// The action that labels a transition, as a number that [`Describe::action_name`] turns into text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Action(pub u32);

/// A rule of the model that firing a transition broke: a failed assertion, a division by zero, an index out of range.
/// [`Describe::fault_name`] says which. `u32::MAX` is no fault: see [`crate::successors::Fired::NO_FAULT`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fault(pub u32);

/// A transition system, immutable and shared by all workers.
pub trait System: Send + Sync {
    /// A new walker over this system. One per worker: it owns its scratch space.
    fn stepper(&self) -> Box<dyn Stepper + '_>;

    /// The texts for people.
    fn describe(&self) -> &dyn Describe;

    /// Bytes of memory that the system itself occupies; they count against the user's memory limit.
    fn bytes(&self) -> usize;
}

/// A walker over a [`System`].
///
/// A state is a string of bytes of any length, and *two states are equal if and only if their bytes are equal*.
/// Everything here must be a function of its arguments: a search may ask the same question twice, in any order.
pub trait Stepper {
    /// Writes the initial state to `out`, replacing what was there.
    fn initial(&mut self, out: &mut Vec<u8>);

    /// Writes the transitions enabled in `state` to `out`, replacing what was there; always in the same order.
    #[doc(alias = "firable")]
    fn enabled(&mut self, state: &[u8], out: &mut Vec<Transition>);

    /// Writes the state reached by firing `t` in `state` to `out`, replacing what was there.
    ///
    /// # Errors
    /// The fault that firing ran into. `out` still holds a state, from which a search that counts all errors goes on.
    #[doc(alias = "succ")]
    fn fire(&mut self, state: &[u8], t: Transition, out: &mut Vec<u8>) -> Result<(), Fault>;

    /// Fires every transition enabled in `state`, in the order of [`enabled`](Self::enabled), and writes where they lead
    /// to `out`, replacing what was there. This is what searches do most. An engine that can enumerate and fire in one
    /// pass does so here; others call [`Successors::fire_all`].
    fn successors(&mut self, state: &[u8], out: &mut Successors);

    /// The action of `t` in `state`.
    fn action(&mut self, state: &[u8], t: Transition) -> Action;

    /// Whether a run may rightly end in `state`: a state without transitions is a deadlock only if this is false.
    fn may_end(&mut self, state: &[u8]) -> bool;

    /// How many low bits of a [`Transition`] this stepper uses.
    fn transition_bits(&self) -> u32;

    /// The atomic propositions about states.
    fn propositions(&mut self) -> Option<&mut dyn Propositions>;

    /// Which infinite runs are accepted.
    fn acceptance(&mut self) -> Option<&mut dyn Acceptance>;

    /// The processes that the system is made of.
    fn processes(&mut self) -> Option<&mut dyn Processes>;

    /// What the stepper counts.
    fn tally(&self) -> Option<&dyn Tally>;
}
