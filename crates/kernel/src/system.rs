//! What is walked: a transition system whose states are made only when they are needed.
//!
//! This is the whole contract between languages and searches. A language delivers a [`System`]; a search asks it for
//! one [`Stepper`] per worker and never learns more than four things: the initial state, the transitions that are
//! enabled in a state, the state that firing one of them leads to, and which atomic propositions hold.
//! Products, reductions, hiding and renaming are steppers over steppers.
//!
//! The system is erased (`dyn Stepper`): measured, the virtual call is lost in the noise, while an allocation per
//! state costs about 30 %. Hence all results go into buffers that the caller owns and reuses.

use crate::event::Event;
use crate::successors::Successors;

/// A transition that is enabled in some state.
///
/// The number means something only to the stepper that produced it, together with the state it was produced for; it
/// is stable, so that a search may keep it and fire it again later. A stepper says with
/// [`Stepper::transition_bits`] how many low bits it uses, so that a product can put its own choice above them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[doc(alias = "t")]
pub struct Transition(pub u64);

/// The action that labels a transition, as a number that [`System::action_name`] turns into text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Action(pub u32);

/// A rule of the model that firing a transition broke: a failed assertion, a division by zero, an index out of range.
/// [`System::fault_name`] says which. `u32::MAX` is no fault: see [`crate::successors::Fired::NO_FAULT`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fault(pub u32);

/// A transition system, immutable and shared by all workers.
pub trait System: Send + Sync {
    /// A new walker over this system. One per worker: it owns its scratch space.
    fn stepper(&self) -> Box<dyn Stepper + '_>;

    /// The state for people, on one line.
    fn show_state(&self, state: &[u8]) -> String;

    /// The transition `t` of `state` for people; by default the name of its action.
    fn show_transition(&self, state: &[u8], t: Transition) -> String {
        let action = self.stepper().action(state, t);
        self.action_name(action)
    }

    /// What happens when `t` is fired in `state`, in order: one event by default, and several where a transition is made
    /// of several statements. This is what counterexamples, simulations and charts are told with.
    fn events(&self, state: &[u8], t: Transition) -> Vec<Event> {
        vec![Event::plain(self.show_transition(state, t))]
    }

    /// Those that exist in `state` and may act, by the names that events use; by default the system is one actor
    /// without a name.
    fn actors(&self, _state: &[u8]) -> Vec<String> {
        Vec::new()
    }

    /// What each actor waits for in `state`: the statements it could execute next if they were possible. This explains a
    /// deadlock; by default nothing is known.
    fn waiting(&self, _state: &[u8]) -> Vec<Event> {
        Vec::new()
    }

    /// The text of an action.
    fn action_name(&self, action: Action) -> String;

    /// Where an action is written in the model's text, as `file:line`.
    fn action_place(&self, _action: Action) -> Option<String> {
        None
    }

    /// The text of a fault.
    fn fault_name(&self, fault: Fault) -> String {
        format!("fault {}", fault.0)
    }

    /// Whether this fault says that the system gave up computing something, rather than that the model is wrong: then
    /// nothing is violated, but nothing is proved either.
    fn gave_up(&self, _fault: Fault) -> bool {
        false
    }

    /// The names of the propositions whose truth [`Stepper::valuation`] gives, bit 0 first.
    fn propositions(&self) -> Vec<String> {
        Vec::new()
    }

    /// The propositions, one bit each, that may have no value in some state: see [`Stepper::proposition_fault`].
    fn fallible_propositions(&self) -> u64 {
        0
    }

    /// The number of acceptance sets of this system, if it is an automaton over infinite runs: a run is accepted if it
    /// meets each of them again and again, as [`Stepper::marks`] tells. At most 64. None by default.
    fn acceptance_sets(&self) -> u32 {
        0
    }

    /// Bytes of memory that the system itself occupies; they count against the user's memory limit.
    fn bytes(&self) -> usize {
        0
    }
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
    /// to `out`, replacing what was there. This is what searches do most; an engine that can enumerate and fire in one
    /// pass does it better than this default.
    fn successors(&mut self, state: &[u8], out: &mut Successors) {
        out.fire_all(self, state);
    }

    /// The same for the transitions that one process begins, as [`mover`](Self::mover) has it. Transitions that are enabled
    /// only because there are no others need not be among them; but all that are among them are enabled.
    fn successors_of(&mut self, state: &[u8], process: u32, out: &mut Successors) {
        out.fire_some(self, state, |stepper, t| stepper.mover(t) == Some(process));
    }

    /// The action of `t` in `state`.
    fn action(&mut self, state: &[u8], t: Transition) -> Action;

    /// The atomic propositions that hold in `state`, one bit each.
    fn valuation(&mut self, _state: &[u8]) -> u64 {
        0
    }

    /// Why proposition `number` has no value in `state`, if it has none: then [`valuation`](Self::valuation) says that it
    /// is false.
    fn proposition_fault(&mut self, _state: &[u8], _number: u32) -> Option<Fault> {
        None
    }

    /// The acceptance sets that the transition `t` of `state` belongs to, one bit each.
    fn marks(&mut self, _state: &[u8], _t: Transition) -> u64 {
        0
    }

    /// Whether `state` is accepting, for searches that know of one set of states only.
    fn accepting(&mut self, _state: &[u8]) -> bool {
        false
    }

    /// Whether an accepted run may meet `state` again and again. If not, a search for accepted cycles need not look for one
    /// through it, and may take such states in any order. By default nothing is known.
    fn may_recur(&mut self, _state: &[u8]) -> bool {
        true
    }

    /// The same by the last byte of a state, where that byte tells it: searches want to know it of every successor, and to
    /// call for each would take longer than everything else that is done with the answer.
    fn recurs_by_last_byte(&self) -> Option<Box<[bool; 256]>> {
        None
    }

    /// The number of the process that begins the transition `t`, where the system is made of processes: this is what
    /// fairness is about. A process that only answers, at a rendez-vous, does not begin it.
    fn mover(&self, _t: Transition) -> Option<u32> {
        None
    }

    /// All processes that move in the transition `t` of `state`, one bit each; those with numbers from 64 on have none.
    fn movers(&mut self, _state: &[u8], t: Transition) -> u64 {
        self.mover(t).and_then(|pid| 1u64.checked_shl(pid)).unwrap_or(0)
    }

    /// The processes that owe something in `state`, one bit each: each of those with a liveness condition of its own, an
    /// acceptance set, that is not in it now. By default no process has one.
    fn owing(&mut self, _state: &[u8]) -> u64 {
        0
    }

    /// Whether a run may rightly end in `state`: a state without transitions is a deadlock only if this is false.
    fn may_end(&mut self, _state: &[u8]) -> bool {
        false
    }

    /// The actions that this stepper knows of and has never fired: after a complete walk, dead parts of the model.
    fn unfired(&self) -> Vec<Action> {
        Vec::new()
    }

    /// How many small steps were made so far, where one transition may be made of very many: a search that only counted
    /// states would not know when to look at the clock. By default transitions are all alike, and this stays 0.
    fn work(&self) -> u64 {
        0
    }

    /// How many low bits of a [`Transition`] this stepper uses.
    fn transition_bits(&self) -> u32 {
        32
    }
}
