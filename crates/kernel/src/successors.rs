//! All successors of one state, in buffers that their owner reuses.

use crate::system::{Fault, Stepper, Transition};

/// The successors of a state: what [`crate::Stepper::successors`] fills in.
///
/// The states lie in one buffer, in any places: an engine that makes them there may leave gaps.
#[derive(Clone, Debug, Default)]
pub struct Successors {
    bytes: Vec<u8>,
    fired: Vec<Fired>,
    /// What [`Successors::fire_all`] works with.
    enabled: Vec<Transition>,
    next: Vec<u8>,
}

/// Where a successor lies, and what led to it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Fired {
    /// The transition that leads to it.
    pub transition: Transition,
    /// Where its bytes begin.
    pub start: u32,
    /// How many there are.
    pub len: u32,
    /// The number of the fault that firing ran into, or [`Fired::NO_FAULT`].
    pub fault: u32,
}

impl Fired {
    /// Firing ran into no fault.
    pub const NO_FAULT: u32 = u32::MAX;
}

/// One successor.
#[derive(Clone, Copy, Debug)]
pub struct Successor<'a> {
    /// The transition that leads to it.
    pub transition: Transition,
    /// The state.
    pub state: &'a [u8],
    /// The fault that firing ran into.
    pub fault: Option<Fault>,
}

impl Successors {
    /// Forgets all of them.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.fired.clear();
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.fired.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.fired.is_empty()
    }

    /// Adds one.
    pub fn push(&mut self, transition: Transition, state: &[u8], fault: Option<Fault>) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(state);
        let in_range = |at: usize| u32::try_from(at).expect("the successors of a state are under 4 GiB");
        // A fault with this number would be lost, and with it a violation.
        assert!(fault != Some(Fault(Fired::NO_FAULT)), "this number means that there is no fault");
        let fault = fault.map_or(Fired::NO_FAULT, |fault| fault.0);
        self.fired.push(Fired { transition, start: in_range(start), len: in_range(state.len()), fault });
    }

    /// Makes these the successors of `state` by firing one transition after the other.
    pub fn fire_all(&mut self, stepper: &mut (impl Stepper + ?Sized), state: &[u8]) {
        self.clear();
        let (mut enabled, mut next) = (std::mem::take(&mut self.enabled), std::mem::take(&mut self.next));
        stepper.enabled(state, &mut enabled);
        for &t in &enabled {
            let fault = stepper.fire(state, t, &mut next).err();
            self.push(t, &next, fault);
        }
        (self.enabled, self.next) = (enabled, next);
    }

    /// The one with this index.
    #[inline]
    pub fn get(&self, index: usize) -> Successor<'_> {
        let Fired { transition, start, len, fault } = self.fired[index];
        let state = &self.bytes[start as usize..start as usize + len as usize];
        let fault = if fault == Fired::NO_FAULT { None } else { Some(Fault(fault)) };
        Successor { transition, state, fault }
    }

    /// All of them, in the order of their transitions.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Successor<'_>> {
        (0..self.fired.len()).map(|index| self.get(index))
    }

    /// The buffers themselves, for engines that make the states where they lie.
    pub fn buffers(&mut self) -> (&mut Vec<u8>, &mut Vec<Fired>) {
        (&mut self.bytes, &mut self.fired)
    }
}
