//! Walking with the interpreter first, and with machine code when it is worth compiling.
//!
//! How long the walk will be is not known, so this is the ski rental problem: rent (interpret) until that has cost about
//! what buying (compiling) costs, and then buy. To compile takes 50 µs a command and more; in that time the
//! interpreter executes some hundreds of commands, three or four times as slowly as machine code does. So a walk never
//! costs more than twice what it could, and where it is short it costs a tenth: 6 ms instead of 77 to the first error of
//! a model whose error is two steps deep.
//!
//! Both engines make the same successors in the same order, so nothing else changes when a walker changes over; and with
//! one worker it does so at the same state every time, since commands are counted and not the clock.

use crate::Compiled;
use crate::stepper::Walker;
use elnath_kernel::successors::Successors;
use elnath_kernel::{Action, Processes, Stepper, Tally};
use std::collections::HashSet;

/// A walker that has not been at it for long enough yet, or has become another.
pub(crate) struct Tiered<'a> {
    system: &'a Compiled,
    /// What walks now.
    engine: Box<dyn Stepper + 'a>,
    /// The interpreter that walked before, if another walks now.
    before: Option<Box<dyn Stepper + 'a>>,
    /// How much work the interpreter does before the program is compiled.
    patience: u64,
}

/// How many commands are interpreted for every command of the program before it is worth compiling.
const PER_COMMAND: u64 = 100;

impl<'a> Tiered<'a> {
    pub(crate) fn new(system: &'a Compiled) -> Self {
        let patience = PER_COMMAND * system.commands as u64;
        Self { system, engine: system.interpreter_stepper(), before: None, patience }
    }

    /// Changes over to machine code if it is there, or now worth making.
    #[inline]
    fn choose(&mut self) {
        if self.before.is_none()
            && (self.engine.work() >= self.patience || self.system.machine.get().is_some())
        {
            self.change_over();
        }
    }

    #[cold]
    fn change_over(&mut self) {
        let engine: Box<dyn Stepper + 'a> = match self.system.machine() {
            Some(machine) => Box::new(Walker::new(self.system, machine)),
            None => self.system.interpreter_stepper(),
        };
        self.before = Some(std::mem::replace(&mut self.engine, engine));
    }
}

impl Stepper for Tiered<'_> {
    fn successors(&mut self, state: &[u8], out: &mut Successors) {
        self.choose();
        self.engine.successors(state, out);
    }

    elnath_kernel::hand_on! { engine: initial, enabled, fire, action, may_end, transition_bits }
    elnath_kernel::facets! { mine: processes, tally; below engine: propositions, acceptance }
}

impl Processes for Tiered<'_> {
    fn successors_of(&mut self, state: &[u8], process: u32, out: &mut Successors) {
        self.choose();
        self.engine.successors_of(state, process, out);
    }

    elnath_kernel::hand_on! { engine: mover, movers, owing, locations }
}

impl Tally for Tiered<'_> {
    fn unfired(&self) -> Vec<Action> {
        let mut unfired = self.engine.unfired();
        if let Some(before) = &self.before {
            let too: HashSet<u32> = before.unfired().iter().map(|action| action.0).collect();
            unfired.retain(|action| too.contains(&action.0));
        }
        unfired
    }

    fn work(&self) -> u64 {
        self.engine.work() + self.before.as_ref().map_or(0, |before| before.work())
    }
}
