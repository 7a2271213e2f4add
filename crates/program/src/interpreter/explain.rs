//! A transition in slow motion: the statements it is made of, for people.

use super::eval::Move;
use super::machine::{Heard, Machine};
use super::trace::ChannelEvent;
use super::walker::{NO_STEP, Walker};
use super::{Interpreter, Meeting, decode};
use crate::ir::{CommandId, ProcessId};
use elnath_kernel::Transition;
use elnath_kernel::event::Operand;

/// One statement of a transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Micro {
    /// The number of the process that executed it.
    pub pid: usize,
    /// Its kind.
    pub process: ProcessId,
    /// The command.
    pub command: CommandId,
    /// Who received, if it was a rendez-vous.
    pub partner: Option<Partner>,
    /// Who met at a gate, and with which values, if they did.
    pub meeting: Option<Meeting>,
    /// What was printed.
    pub printed: Vec<String>,
    /// If it failed, the values that it read.
    pub operands: Vec<Operand>,
    /// What happened on channels.
    pub events: Vec<ChannelEvent>,
    /// The state before it.
    pub before: Vec<u8>,
    /// The state after it; in the middle of an atomic sequence it is none of the system's.
    pub after: Vec<u8>,
}

/// The receiver of a rendez-vous.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partner {
    /// Its number.
    pub pid: usize,
    /// Its kind.
    pub process: ProcessId,
    /// The command with which it received.
    pub command: CommandId,
}

impl Interpreter {
    /// The statements of a transition, in order, up to the first that fails.
    pub fn explain(&self, state: &[u8], t: Transition) -> Vec<Micro> {
        let mut machine = Machine::new(&self.program, &self.layout);
        machine.load(state);
        let moves = self.steps_of(state, t);
        let mut micros = Vec::with_capacity(moves.len());
        for step in moves {
            let view = machine.view(step.pid);
            let process = view.process_id(step.pid);
            let partner = step.partner.filter(|(pid, _)| *pid != step.pid).map(|(pid, command)| Partner {
                pid,
                process: view.process_id(pid),
                command,
            });
            let meeting = view.meeting_of(step);
            let before = machine.state.clone();
            machine.heard = Some(Vec::new());
            let failed = machine.execute(step).fault.is_some();
            let (mut printed, mut events, mut operands) = (Vec::new(), Vec::new(), Vec::new());
            for heard in machine.heard.take().unwrap_or_default() {
                match heard {
                    Heard::Printed(text) => printed.push(text),
                    Heard::Event(event) => events.push(event),
                    Heard::Failed(read) => operands = read,
                }
            }
            micros.push(Micro {
                pid: step.pid,
                process,
                command: step.command,
                partner,
                meeting,
                printed,
                operands,
                events,
                before,
                after: machine.state.clone(),
            });
            if failed {
                break;
            }
        }
        if let Some(last) = micros.last_mut() {
            self.settle(&mut last.after);
        }
        micros
    }

    /// The moves that a transition consists of.
    fn steps_of(&self, state: &[u8], t: Transition) -> Vec<Move> {
        self.walker().steps_of(state, t)
    }
}

impl Walker<'_> {
    /// The moves that a transition consists of.
    pub(super) fn steps_of(&mut self, state: &[u8], t: Transition) -> Vec<Move> {
        let (step, _) = decode(t);
        if self.outcomes_of != state || self.outcomes.find(t).is_none() {
            self.outcomes_of_command(state, step);
        }
        let Some(outcome) = self.outcomes.find(t) else { return vec![step] };
        let mut steps = Vec::new();
        let mut at = self.outcomes.items[outcome].last;
        while at != NO_STEP {
            let (before, step) = self.record[at];
            steps.push(step);
            at = before;
        }
        steps.reverse();
        steps
    }
}
