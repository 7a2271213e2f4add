//! A program of which one state per orbit is walked.

use super::canonical::Scratch;
use super::{Exchanges, Leak, Notices, Symmetry};
use crate::interpreter::Interpreter;
use elnath_kernel::{Action, Fault, Processes, Stepper, Successors, System, Tally, Transition};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A program modulo symmetry, whatever computes its transitions. See the [module](super).
pub struct Symmetric<'s> {
    engine: Arc<dyn System + 's>,
    symmetry: Symmetry,
    made: AtomicU64,
    exchanged: AtomicU64,
}

impl<'s> Symmetric<'s> {
    /// The engine is the interpreter of the program that was analysed, or something with the same states of which
    /// corresponding states have corresponding transitions.
    pub fn new(engine: Arc<dyn System + 's>, symmetry: Symmetry) -> Self {
        Self { engine, symmetry, made: AtomicU64::new(0), exchanged: AtomicU64::new(0) }
    }

    /// The program of the interpreter, walked by this engine, modulo symmetry.
    ///
    /// # Errors
    /// Everything by which processes can be told apart.
    pub fn of(
        engine: Arc<dyn System + 's>,
        interpreter: &Interpreter,
        notices: Notices,
    ) -> Result<Self, Vec<Leak>> {
        Ok(Self::new(engine, Symmetry::new(interpreter.program(), interpreter.layout(), notices)?))
    }

    /// What is kept of a state of the program: states correspond to each other if this is the same of both.
    pub fn essence(&self, state: &[u8]) -> Vec<u8> {
        self.symmetry.essence(state)
    }

    /// What was done so far. A stepper tells at its end.
    pub fn exchanges(&self) -> Exchanges {
        Exchanges {
            kinds: self.symmetry.names().map(str::to_owned).collect(),
            numbers: self.symmetry.exchanges_numbers(),
            made: self.made.load(Ordering::Relaxed),
            exchanged: self.exchanged.load(Ordering::Relaxed),
        }
    }
}

impl System for Symmetric<'_> {
    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(Walker {
            system: self,
            engine: self.engine.stepper(),
            scratch: Scratch::default(),
            made: 0,
            exchanged: 0,
        })
    }

    elnath_kernel::hand_on! { engine: describe, bytes }
}

struct Walker<'a> {
    system: &'a Symmetric<'a>,
    engine: Box<dyn Stepper + 'a>,
    scratch: Scratch,
    made: u64,
    exchanged: u64,
}

impl Drop for Walker<'_> {
    fn drop(&mut self) {
        self.system.made.fetch_add(self.made, Ordering::Relaxed);
        self.system.exchanged.fetch_add(self.exchanged, Ordering::Relaxed);
    }
}

impl Stepper for Walker<'_> {
    fn initial(&mut self, out: &mut Vec<u8>) {
        self.engine.initial(out);
        self.system.symmetry.represent(out, &mut self.scratch);
    }

    fn fire(&mut self, state: &[u8], t: Transition, out: &mut Vec<u8>) -> Result<(), Fault> {
        let done = self.engine.fire(state, t, out);
        self.system.symmetry.represent(out, &mut self.scratch);
        done
    }

    fn successors(&mut self, state: &[u8], out: &mut Successors) {
        self.engine.successors(state, out);
        out.for_each_state_mut(|state| {
            self.made += 1;
            self.exchanged += u64::from(self.system.symmetry.represent(state, &mut self.scratch));
        });
    }

    elnath_kernel::hand_on! { engine: enabled, action, may_end, transition_bits }
    elnath_kernel::facets! { mine: processes, tally; below engine: propositions, acceptance }
}

impl Processes for Walker<'_> {
    fn successors_of(&mut self, state: &[u8], process: u32, out: &mut Successors) {
        self.engine.successors_of(state, process, out);
        out.for_each_state_mut(|state| {
            self.system.symmetry.represent(state, &mut self.scratch);
        });
    }

    elnath_kernel::hand_on! { engine: mover, movers, owing, locations }
}

impl Tally for Walker<'_> {
    fn unfired(&self) -> Vec<Action> {
        let mut unfired = self.engine.unfired();
        unfired.retain(|action| !self.system.symmetry.exits.contains(&action.0));
        unfired
    }

    elnath_kernel::hand_on! { engine: work }
}
