//! All successors of one state, in buffers that their owner reuses.

use crate::system::{Fault, Stepper, Transition};

/// The successors of a state: what [`crate::Stepper::successors`] fills in.
///
/// The states lie in one buffer, in any places: an engine that makes them there may leave gaps, and must leave some if a
/// product wants to put something of its own [behind each](Successors::join). A search that expands
/// several states before it looks any successor up [keeps](Successors::keep) those of one before the next is expanded: in
/// one buffer they stay in the fastest cache, where buffers of their own, which begin at like places of their pages, push
/// each other out.
#[derive(Clone, Debug, Default)]
pub struct Successors {
    bytes: Vec<u8>,
    /// Where the unused part of the buffer begins.
    end: usize,
    /// How many bytes behind each state are to be left free.
    room: usize,
    fired: Vec<Fired>,
    /// How many are kept, and where the unused part of the buffer began then.
    kept: usize,
    kept_end: usize,
    /// Whether firing one of those that are not kept ran into a fault.
    faults: bool,
    /// What [`Successors::fire_all`] works with.
    enabled: Vec<Transition>,
    next: Vec<u8>,
}

/// The buffers of [`Successors`], for engines that make states where they lie.
pub struct Buffers<'a> {
    /// The states of the successors, kept ones first. An engine may make it longer.
    pub bytes: &'a mut Vec<u8>,
    /// Where the unused part of `bytes` begins; to be moved behind what is made.
    pub end: &'a mut usize,
    /// How many bytes behind each state that is made must belong to nobody else.
    pub room: usize,
    /// The successors, kept ones first; those made are added, none of them with a fault.
    pub fired: &'a mut Vec<Fired>,
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

    /// Makes it a product's.
    #[inline]
    fn join(&mut self, bytes: &mut [u8], width: usize, way: &Way) {
        let end = self.start as usize + self.len as usize;
        match width {
            1 => bytes[end] = way.tail[0],
            _ => bytes[end..end + 2].copy_from_slice(&way.tail),
        }
        self.len += width as u32;
        self.transition.0 |= way.bits;
    }
}

/// How a product goes on beside its system: one of the ways of [`Successors::join`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// The bits that make the system's transition one of the product's.
    pub bits: u64,
    /// What the product's state has behind the system's, or the first byte of it.
    pub tail: [u8; 2],
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
    /// Forgets all but the kept ones.
    pub fn clear(&mut self) {
        self.fired.truncate(self.kept);
        self.end = self.kept_end;
        self.faults = false;
    }

    /// Keeps those there are: from now on they are none of the successors, and only [`Successors::kept_states`] tells them.
    pub fn keep(&mut self) {
        self.kept = self.fired.len();
        self.kept_end = self.end;
        self.faults = false;
    }

    /// Forgets all, the kept ones too.
    pub fn forget(&mut self) {
        (self.kept, self.kept_end) = (0, 0);
        self.clear();
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.fired.len() - self.kept
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether firing one of them ran into a fault.
    pub fn has_faults(&self) -> bool {
        self.faults
    }

    /// Adds one.
    pub fn push(&mut self, transition: Transition, state: &[u8], fault: Option<Fault>) {
        self.push_joined(transition, state, &[], fault);
    }

    /// Adds one whose state is `state` with `tail` behind it, as products make them.
    #[inline]
    pub fn push_joined(&mut self, transition: Transition, state: &[u8], tail: &[u8], fault: Option<Fault>) {
        let len = state.len() + tail.len();
        let start = self.take(len);
        let (front, back) = self.bytes[start..start + len].split_at_mut(state.len());
        front.copy_from_slice(state);
        back.copy_from_slice(tail);
        // A fault with this number would be lost, and with it a violation.
        assert!(fault != Some(Fault(Fired::NO_FAULT)), "this number means that there is no fault");
        self.faults |= fault.is_some();
        let fault = fault.map_or(Fired::NO_FAULT, |fault| fault.0);
        self.fired.push(Fired { transition, start: in_range(start), len: in_range(len), fault });
    }

    /// Where so many bytes may be written, with room behind them.
    #[inline]
    fn take(&mut self, len: usize) -> usize {
        let start = self.end;
        self.end += len + self.room;
        if self.bytes.len() < self.end {
            self.bytes.resize(self.end.next_power_of_two(), 0);
        }
        start
    }

    /// Lets `make` make them so that behind each there is room for so many bytes more.
    #[inline]
    pub fn with_room(&mut self, bytes: usize, make: impl FnOnce(&mut Self)) {
        self.room += bytes;
        make(self);
        self.room -= bytes;
    }

    /// Makes those of a product out of those of its system, which were made [with room](Successors::with_room) for it: each
    /// becomes one for each of `ways`, in their order, with the first `width` bytes of the way's tail behind its state. The
    /// first of them stays where it lies, and mostly there is no other, so that nothing is copied.
    #[inline]
    pub fn join(&mut self, width: usize, ways: &[Way]) {
        debug_assert!((1..=2).contains(&width), "a tail has one byte or two");
        let (from, count) = (self.kept, self.len());
        match ways {
            [] => return self.clear(),
            [way] => {
                let made = self.fired[from..].iter_mut();
                return made.for_each(|fired| fired.join(&mut self.bytes, width, way));
            }
            _ => {}
        }
        let nothing = Fired { transition: Transition(0), start: 0, len: 0, fault: Fired::NO_FAULT };
        self.fired.resize(from + count * ways.len(), nothing);
        // From the last on, so that none is overwritten before it was read.
        for index in (0..count).rev() {
            let made = self.fired[from + index];
            for (number, way) in ways.iter().enumerate().rev() {
                let mut fired = made;
                if number > 0 {
                    let start = self.take(made.len as usize + width);
                    let state = made.start as usize..(made.start + made.len) as usize;
                    self.bytes.copy_within(state, start);
                    fired.start = in_range(start);
                }
                fired.join(&mut self.bytes, width, way);
                self.fired[from + index * ways.len() + number] = fired;
            }
        }
    }

    /// Lets `change` change the states, where they lie, by which firing ran into a fault.
    #[cold]
    pub fn for_each_fault_mut(&mut self, mut change: impl FnMut(Fault, &mut [u8])) {
        for &Fired { start, len, fault, .. } in &self.fired[self.kept..] {
            if fault != Fired::NO_FAULT {
                change(Fault(fault), &mut self.bytes[start as usize..start as usize + len as usize]);
            }
        }
    }

    /// Makes these the successors of `state` by firing one transition after the other.
    pub fn fire_all(&mut self, stepper: &mut (impl Stepper + ?Sized), state: &[u8]) {
        self.fire_some(stepper, state, |_, _| true);
    }

    /// The same for those transitions for which `wanted` holds.
    pub fn fire_some<S: Stepper + ?Sized>(
        &mut self,
        stepper: &mut S,
        state: &[u8],
        mut wanted: impl FnMut(&mut S, Transition) -> bool,
    ) {
        self.clear();
        let (mut enabled, mut next) = (std::mem::take(&mut self.enabled), std::mem::take(&mut self.next));
        stepper.enabled(state, &mut enabled);
        enabled.retain(|&t| wanted(stepper, t));
        for &t in &enabled {
            let fault = stepper.fire(state, t, &mut next).err();
            self.push(t, &next, fault);
        }
        (self.enabled, self.next) = (enabled, next);
    }

    /// The one with this index.
    #[inline]
    pub fn get(&self, index: usize) -> Successor<'_> {
        let Fired { transition, start, len, fault } = self.fired[self.kept + index];
        let state = &self.bytes[start as usize..start as usize + len as usize];
        let fault = if fault == Fired::NO_FAULT { None } else { Some(Fault(fault)) };
        Successor { transition, state, fault }
    }

    /// The states of the kept ones from this index on, in order.
    #[inline]
    pub fn kept_states(&self, from: usize) -> impl ExactSizeIterator<Item = &[u8]> {
        let bytes = &self.bytes;
        self.fired[from..self.kept]
            .iter()
            .map(move |fired| &bytes[fired.start as usize..fired.start as usize + fired.len as usize])
    }

    /// The transition that leads to the kept one with this index.
    #[inline]
    pub fn kept_transition(&self, index: usize) -> Transition {
        self.fired[..self.kept][index].transition
    }

    /// All of them, in the order of their transitions.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Successor<'_>> {
        (0..self.len()).map(|index| self.get(index))
    }

    /// Lets `change` change the states, where they lie, but not their lengths.
    #[inline]
    pub fn for_each_state_mut(&mut self, mut change: impl FnMut(&mut [u8])) {
        for &Fired { start, len, .. } in &self.fired[self.kept..] {
            change(&mut self.bytes[start as usize..start as usize + len as usize]);
        }
    }

    /// Puts them into another order; those with equal keys keep theirs.
    pub fn sort_by_key(&mut self, mut key: impl FnMut(Transition) -> u64) {
        self.fired[self.kept..].sort_by_key(|fired| key(fired.transition));
    }

    /// Turns their order around.
    pub fn reverse(&mut self) {
        self.fired[self.kept..].reverse();
    }

    /// The buffers themselves, without any but the kept ones.
    pub fn buffers(&mut self) -> Buffers<'_> {
        self.clear();
        Buffers { bytes: &mut self.bytes, end: &mut self.end, room: self.room, fired: &mut self.fired }
    }
}

fn in_range(at: usize) -> u32 {
    u32::try_from(at).expect("the successors of a few states are under 4 GiB")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    type Plain = (u64, Vec<u8>, Option<Fault>);

    fn random_states(rng: &mut Rng, most: u64) -> Vec<Plain> {
        let state = |rng: &mut Rng| (0..rng.below(20)).map(|_| rng.below(256) as u8).collect();
        let fault = |rng: &mut Rng| (rng.below(5) == 0).then(|| Fault(rng.below(3) as u32));
        (0..rng.below(most)).map(|number| (number, state(rng), fault(rng))).collect()
    }

    /// Joined successors are what is made of them one by one, and the kept ones stay what they are.
    #[test]
    fn joining_is_pushing_each_with_each_tail() {
        for seed in 0..500 {
            let rng = &mut Rng::new(seed);
            let (kept, made) = (random_states(rng, 4), random_states(rng, 6));
            let (width, around) = (1 + rng.below(2) as usize, rng.below(3) as usize);
            let ways: Vec<Way> = (0..rng.below(4))
                .map(|number| Way { bits: number << 32, tail: (rng.next_u64() as u16).to_le_bytes() })
                .collect();
            let mut successors = Successors::default();
            let push = |successors: &mut Successors, states: &[Plain]| {
                for (t, state, fault) in states {
                    successors.push(Transition(*t), state, *fault);
                }
            };
            push(&mut successors, &kept);
            successors.keep();
            // As if this product were the system of another.
            successors.with_room(around, |successors| {
                successors.with_room(width, |successors| push(successors, &made));
                successors.join(width, &ways);
            });
            let outer = Way { bits: 1 << 40, tail: [1, 2] };
            if around > 0 {
                successors.join(around, &[outer]);
            }
            let mut expected: Vec<Plain> = Vec::new();
            for (t, state, fault) in &made {
                for way in &ways {
                    let mut state = [state, &way.tail[..width]].concat();
                    state.extend(&outer.tail[..around]);
                    let bits = if around > 0 { outer.bits } else { 0 };
                    expected.push((t | way.bits | bits, state, *fault));
                }
            }
            let told: Vec<Plain> =
                successors.iter().map(|one| (one.transition.0, one.state.to_vec(), one.fault)).collect();
            assert_eq!(told, expected, "seed {seed}");
            assert!(successors.kept_states(0).eq(kept.iter().map(|(_, state, _)| &state[..])), "seed {seed}");
        }
    }
}
