//! A program of which one state per orbit is walked.

use super::Symmetry;
use super::canonical::Scratch;
use elnath_kernel::{Action, Event, Exchanges, Fault, Savings, Stepper, Successors, System, Transition};
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

    fn show_state(&self, state: &[u8]) -> String {
        self.engine.show_state(state)
    }

    fn show_transition(&self, state: &[u8], t: Transition) -> String {
        self.engine.show_transition(state, t)
    }

    fn events(&self, state: &[u8], t: Transition) -> Vec<Event> {
        self.engine.events(state, t)
    }

    fn actors(&self, state: &[u8]) -> Vec<String> {
        self.engine.actors(state)
    }

    fn waiting(&self, state: &[u8]) -> Vec<Event> {
        self.engine.waiting(state)
    }

    fn action_name(&self, action: Action) -> String {
        self.engine.action_name(action)
    }

    fn action_place(&self, action: Action) -> Option<String> {
        self.engine.action_place(action)
    }

    fn fault_name(&self, fault: Fault) -> String {
        self.engine.fault_name(fault)
    }

    fn gave_up(&self, fault: Fault) -> bool {
        self.engine.gave_up(fault)
    }

    fn propositions(&self) -> Vec<String> {
        self.engine.propositions()
    }

    fn fallible_propositions(&self) -> u64 {
        self.engine.fallible_propositions()
    }

    fn acceptance_sets(&self) -> u32 {
        self.engine.acceptance_sets()
    }

    fn bytes(&self) -> usize {
        self.engine.bytes()
    }

    fn essence(&self, state: &[u8]) -> Vec<u8> {
        self.symmetry.essence(state)
    }

    fn savings(&self) -> Option<Savings> {
        self.engine.savings()
    }

    fn exchanges(&self) -> Option<Exchanges> {
        Some(Exchanges {
            kinds: self.symmetry.names().map(str::to_owned).collect(),
            numbers: self.symmetry.exchanges_numbers(),
            made: self.made.load(Ordering::Relaxed),
            exchanged: self.exchanged.load(Ordering::Relaxed),
        })
    }
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

    fn enabled(&mut self, state: &[u8], out: &mut Vec<Transition>) {
        self.engine.enabled(state, out);
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

    fn successors_of(&mut self, state: &[u8], process: u32, out: &mut Successors) {
        self.engine.successors_of(state, process, out);
        out.for_each_state_mut(|state| {
            self.system.symmetry.represent(state, &mut self.scratch);
        });
    }

    fn action(&mut self, state: &[u8], t: Transition) -> Action {
        self.engine.action(state, t)
    }

    fn valuation(&mut self, state: &[u8]) -> u64 {
        self.engine.valuation(state)
    }

    fn proposition_fault(&mut self, state: &[u8], number: u32) -> Option<Fault> {
        self.engine.proposition_fault(state, number)
    }

    fn marks(&mut self, state: &[u8], t: Transition) -> u64 {
        self.engine.marks(state, t)
    }

    fn accepting(&mut self, state: &[u8]) -> bool {
        self.engine.accepting(state)
    }

    fn owing(&mut self, state: &[u8]) -> u64 {
        self.engine.owing(state)
    }

    fn mover(&self, t: Transition) -> Option<u32> {
        self.engine.mover(t)
    }

    fn movers(&mut self, state: &[u8], t: Transition) -> u64 {
        self.engine.movers(state, t)
    }

    fn may_end(&mut self, state: &[u8]) -> bool {
        self.engine.may_end(state)
    }

    fn unfired(&self) -> Vec<Action> {
        let mut unfired = self.engine.unfired();
        unfired.retain(|action| !self.system.symmetry.exits.contains(&action.0));
        unfired
    }

    fn work(&self) -> u64 {
        self.engine.work()
    }

    fn transition_bits(&self) -> u32 {
        self.engine.transition_bits()
    }
}
