//! Firing transitions and noting what happens on channels meanwhile: what questions about channels need.
//!
//! [`Interpreter::explain`](super::Interpreter::explain) tells the same with everything that people want to know; this
//! only fires, with a machine that is kept from one transition to the next.

use super::machine::{Heard, Machine};
use super::trace::ChannelEvent;
use super::{Interpreter, Walker, decode};
use elnath_kernel::{Fault, Tally, Transition};

/// Fires transitions and notes what happens on channels.
pub struct Recorder<'a> {
    system: &'a Interpreter,
    walker: Walker<'a>,
    machine: Machine<'a>,
}

impl Interpreter {
    /// A recorder for this program.
    pub fn recorder(&self) -> Recorder<'_> {
        Recorder { system: self, walker: self.walker(), machine: Machine::new(&self.program, &self.layout) }
    }
}

impl Recorder<'_> {
    /// Fires `t` in `state` and writes where it leads to `out` and what happens on channels, in order, to `events`,
    /// replacing what was there.
    ///
    /// # Errors
    /// The first fault that firing ran into.
    pub fn fire(
        &mut self,
        state: &[u8],
        t: Transition,
        out: &mut Vec<u8>,
        events: &mut Vec<ChannelEvent>,
    ) -> Result<(), Fault> {
        events.clear();
        let (step, _) = decode(t);
        self.machine.load(state);
        let view = self.machine.view(step.pid);
        let command = self.system.command(view.process_id(step.pid), step.command);
        let several = command.atomic || view.meets(command);
        let mut fault = None;
        self.machine.heard = Some(Vec::new());
        if several {
            for step in self.walker.steps_of(state, t) {
                fault = fault.or(self.machine.execute(step).fault);
            }
        } else {
            fault = self.machine.execute(step).fault;
        }
        let heard = self.machine.heard.take().unwrap_or_default();
        events.extend(heard.into_iter().filter_map(|heard| match heard {
            Heard::Event(event) => Some(event),
            Heard::Printed(_) | Heard::Failed(_) => None,
        }));
        self.system.settle(&mut self.machine.state);
        out.clear();
        out.extend_from_slice(&self.machine.state);
        fault.map_or(Ok(()), |fault| Err(self.system.fault(fault)))
    }

    /// How many small steps were made so far: see [`Stepper::work`].
    pub fn work(&self) -> u64 {
        self.walker.work() + self.machine.work
    }
}
