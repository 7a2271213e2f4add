//! What can be wrong in a state, as a sentence, and whether it really is: the check of an answer that shares nothing with how it was
//! found but the stepper.
//!
//! Answers are found backwards on a recorded graph. Here the run is followed forwards, and from its last state all runs are, without
//! a recording: none may lead to what the sentence says is impossible.

use crate::graph::Reading;
use crate::machines::SessionMachines;
use elnath_kernel::{Run, System, Transition};
use elnath_program::Interpreter;
use std::collections::HashSet;

/// Something that is wrong in the last state of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// A machine wants to send, and without it nobody ever makes room: the capacity loses behaviour.
    NoRoom {
        /// Who wants to send.
        machine: usize,
        /// Into which channel.
        channel: usize,
        /// What.
        message: i32,
    },
    /// The first message of a channel is never received.
    Orphan {
        /// The channel.
        channel: usize,
        /// The message.
        message: i32,
    },
    /// A machine waits for a message that never comes.
    Stuck {
        /// Who waits.
        machine: usize,
        /// In which of its states.
        state: usize,
    },
    /// Of the messages that a machine may choose to send, one has room and another has not: the capacity chooses.
    OutputChoice {
        /// Who chooses.
        machine: usize,
        /// A channel that is full.
        full: usize,
        /// A channel that is not.
        free: usize,
    },
    /// A machine can receive a message from one channel, while one from another is there, too, or can be sent without waiting for that
    /// reception: what comes first decides what the machine does.
    InputChoice {
        /// Who receives.
        machine: usize,
        /// The channel of the message that it can receive.
        taken: usize,
        /// The channel of the other message.
        other: usize,
        /// The other message.
        message: i32,
        /// The step of the run, from 0, that receives the one; the last step of the run sends the other. None if both are there.
        received: Option<usize>,
    },
}

/// A run to a state in which something is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// What is wrong.
    pub flaw: Flaw,
    /// The run.
    pub steps: Vec<Transition>,
}

impl Flaw {
    /// The sentence.
    pub fn text(&self, machines: &SessionMachines) -> String {
        let name = |machine: usize| &machines.machines[machine].name;
        let channel = |channel: usize| &machines.channels[channel].name;
        let message = |channel: usize, message: i32| {
            let known = machines.channels[channel].messages.get(&message);
            known.cloned().unwrap_or_else(|| message.to_string())
        };
        let sender = |channel: usize| {
            let sender = machines.channels[channel].sender;
            sender.map_or("nobody".to_owned(), |sender| format!("`{}`", name(sender)))
        };
        let to_receiver = |channel: usize| {
            let receiver = machines.channels[channel].receiver;
            receiver.map_or_else(String::new, |receiver| format!(" to `{}`", name(receiver)))
        };
        match *self {
            Flaw::NoRoom { machine, channel: at, message: sent } => format!(
                "`{}` wants to send `{}`{}, and no run without `{}` makes room for it in `{}`",
                name(machine),
                message(at, sent),
                to_receiver(at),
                name(machine),
                channel(at)
            ),
            Flaw::Orphan { channel: at, message: sent } => format!(
                "message `{}` from {}{} is at the front of `{}` and is never received",
                message(at, sent),
                sender(at),
                to_receiver(at),
                channel(at)
            ),
            Flaw::Stuck { machine, state } => {
                let awaited: Vec<String> = machines
                    .leaving(machine, state)
                    .map(|step| {
                        format!("`{}` from {}", message(step.channel, step.message), sender(step.channel))
                    })
                    .collect();
                let waits = match awaited.len() {
                    1 => "a message that never comes",
                    _ => "one of several messages, none of which ever comes",
                };
                format!("`{}` waits for {waits}: {}", name(machine), awaited.join(", "))
            }
            Flaw::OutputChoice { machine, full, free } => format!(
                "`{}` may choose between `{}`, which is full, and `{}`, which is not",
                name(machine),
                channel(full),
                channel(free)
            ),
            Flaw::InputChoice { machine, taken, other, message: sent, received: None } => format!(
                "`{}` finds messages in both `{}` and `{}` (`{}`), and may receive either",
                name(machine),
                channel(taken),
                channel(other),
                message(other, sent)
            ),
            Flaw::InputChoice { machine, taken, other, message: sent, received: Some(_) } => format!(
                "`{}` can receive from `{}`, and `{}` can be sent to it in `{}` without waiting for that",
                name(machine),
                channel(taken),
                message(other, sent),
                channel(other)
            ),
        }
    }

    /// Whether it is so at the end of a run of this system.
    pub fn is_real(&self, system: &Interpreter, machines: &SessionMachines, run: &Run) -> bool {
        let (reading, last) = (Reading::new(system), run.last());
        let mut stepper = system.stepper();
        let mut enabled = Vec::new();
        let can = |channel: usize, sends: bool| {
            move |step: u32| machines.step(step).channel == channel && machines.step(step).sends == sends
        };
        match *self {
            Flaw::NoRoom { machine, channel, message } => {
                let wanted = |step: u32| {
                    let step = machines.step(step);
                    (step.machine, step.channel, step.message, step.sends)
                        == (machine, channel, message, true)
                };
                let here = &machines.machines[machine].states[reading.at(last, machine)].1;
                here.iter().any(|&step| wanted(step))
                    && never(system, last, wanted, |step| machines.step(step).machine != machine)
            }
            Flaw::Orphan { channel, message } => {
                reading.first(last, channel) == Some(message)
                    && never(system, last, can(channel, false), |_| true)
            }
            Flaw::Stuck { machine, state } => {
                let receives =
                    |step: u32| machines.step(step).machine == machine && !machines.step(step).sends;
                reading.at(last, machine) == state
                    && machines.receives(machine, state)
                    && never(system, last, receives, |_| true)
            }
            Flaw::OutputChoice { machine, full, free } => {
                let here: Vec<usize> =
                    machines.leaving(machine, reading.at(last, machine)).map(|step| step.channel).collect();
                here.contains(&full)
                    && here.contains(&free)
                    && reading.is_full(last, full)
                    && !reading.is_full(last, free)
            }
            Flaw::InputChoice { machine, taken, other, message, received: None } => {
                stepper.enabled(last, &mut enabled);
                let mut steps = enabled.iter().map(|&t| machines.step(stepper.action(last, t).0));
                reading.first(last, other) == Some(message)
                    && taken != other
                    && steps.by_ref().filter(|step| step.machine == machine && !step.sends).count() > 1
            }
            Flaw::InputChoice { machine, taken, other, message, received: Some(at) } => {
                let step = |at: usize| machines.step(stepper.action(&run.states[at], run.steps[at]).0);
                let steps: Vec<_> = (0..run.steps.len()).map(step).collect();
                let (first, last) = (steps[at], steps[steps.len() - 1]);
                first.machine == machine
                    && first.channel == taken
                    && !first.sends
                    && (last.channel, last.message, last.sends) == (other, message, true)
                    && !happens_before(&reading, run, &steps, at)
            }
        }
    }
}

/// Whether no run from a state that makes allowed steps only comes to where a goal is possible.
fn never(
    system: &Interpreter,
    state: &[u8],
    goal: impl Fn(u32) -> bool,
    allowed: impl Fn(u32) -> bool,
) -> bool {
    let mut stepper = system.stepper();
    let (mut next, mut enabled) = (Vec::new(), Vec::new());
    let mut seen = HashSet::from([state.to_vec()]);
    let mut todo = vec![state.to_vec()];
    while let Some(state) = todo.pop() {
        stepper.enabled(&state, &mut enabled);
        for &t in &enabled {
            let step = stepper.action(&state, t).0;
            if goal(step) {
                return false;
            }
            if allowed(step) {
                let _ = stepper.fire(&state, t, &mut next);
                if seen.insert(next.clone()) {
                    todo.push(next.clone());
                }
            }
        }
    }
    true
}

/// Whether the step at `from` of a run happens before its last one: there is a chain of steps between them, each by the machine of the one
/// before or receiving what that sent.
fn happens_before(reading: &Reading, run: &Run, steps: &[crate::machines::SessionStep], from: usize) -> bool {
    // Which steps come after `from`; and the step that receives what one sent is as many receptions away as messages were there.
    let mut after = vec![false; steps.len()];
    after[from] = true;
    for at in from..steps.len() {
        if !after[at] {
            continue;
        }
        let step = steps[at];
        let ahead = reading.length(&run.states[at], step.channel);
        let mut receptions = 0;
        for (later, other) in steps.iter().enumerate().skip(at + 1) {
            let takes = step.sends && other.channel == step.channel && !other.sends;
            if other.machine == step.machine || takes && receptions == ahead {
                after[later] = true;
            }
            receptions += usize::from(takes);
        }
    }
    after[steps.len() - 1]
}
