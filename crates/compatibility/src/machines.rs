//! Communicating session automata in a program: which commands send what to whom.
//!
//! The theory is about machines of a certain shape (Lange, Yoshida 2019, section 2): each transition sends one message or
//! receives one; no state does both (no *mixed choice*); no two transitions of a state have the same action (*deterministic*);
//! and a channel leads from one machine to another. Here all that departs from it is refused, with its place.
//!
//! The paper has one channel for each ordered pair of machines. Several channels between two machines are as good:
//! nothing in the proofs needs them to be one. What a channel holds at first does no harm either: a channel that
//! begins with more than k messages has room for these.

use elnath_program::ir::{
    Capacity, Command, Expr, Guard, Init, Loc, Pattern, ProcessType, Program, Sync, Type, VariableRef,
};
use elnath_source::{Message, codes};
use std::collections::HashMap;

/// The machines of a program.
#[derive(Clone, Debug)]
pub struct SessionMachines {
    /// In the order of the processes.
    pub machines: Vec<SessionMachine>,
    /// In the order of the program's channels.
    pub channels: Vec<SessionChannel>,
    /// What the commands of all processes do, by the number that is also that of their actions.
    pub steps: Vec<SessionStep>,
}

/// A machine.
#[derive(Clone, Debug)]
pub struct SessionMachine {
    /// Its name.
    pub name: String,
    /// For each state its name, and the steps that leave it.
    pub states: Vec<(String, Vec<u32>)>,
}

/// A channel between two machines.
#[derive(Clone, Debug)]
pub struct SessionChannel {
    /// Its name.
    pub name: String,
    /// Who sends, if somebody does.
    pub sender: Option<usize>,
    /// Who receives, if somebody does.
    pub receiver: Option<usize>,
    /// Its messages, by their values.
    pub messages: HashMap<i32, String>,
    /// The capacity that the model declares.
    pub declared: Option<u32>,
}

/// What a transition of a machine does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionStep {
    /// Whose it is.
    pub machine: usize,
    /// The state that it leaves.
    pub source: usize,
    /// The channel.
    pub channel: usize,
    /// The message, by its value.
    pub message: i32,
    /// It sends, or else it receives.
    pub sends: bool,
}

impl SessionMachines {
    /// The machines of a program.
    ///
    /// # Errors
    /// All that departs from session automata, with places.
    pub fn of(program: &Program) -> Result<Self, Vec<Message>> {
        let mut reader = Reader { program, messages: Vec::new() };
        let machines = reader.read();
        if reader.messages.is_empty() { Ok(machines) } else { Err(reader.messages) }
    }

    /// Whether every state uses one channel only ("basic" in the tool KMC, "directed" in the paper): then what a machine can do does not
    /// depend on the order in which messages of different channels come or find room.
    #[doc(alias = "basic")]
    pub fn are_directed(&self) -> bool {
        let one_channel = |steps: &[u32]| {
            steps.windows(2).all(|pair| self.step(pair[0]).channel == self.step(pair[1]).channel)
        };
        self.machines.iter().flat_map(|machine| &machine.states).all(|(_, steps)| one_channel(steps))
    }

    /// The step with this number.
    pub fn step(&self, number: u32) -> SessionStep {
        self.steps[number as usize]
    }

    /// The steps that leave a state of a machine: all of them send, or all of them receive.
    pub fn leaving(&self, machine: usize, state: usize) -> impl Iterator<Item = SessionStep> + '_ {
        self.machines[machine].states[state].1.iter().map(|&step| self.step(step))
    }

    /// Whether a machine waits for messages in a state.
    pub fn receives(&self, machine: usize, state: usize) -> bool {
        self.leaving(machine, state).next().is_some_and(|step| !step.sends)
    }

    /// The same program with channels of this capacity, or of what they hold at first if that is more.
    pub fn with_capacity(program: &Program, k: u32) -> Program {
        let mut program = program.clone();
        for channel in &mut program.channels {
            channel.capacity = Capacity::Bounded(k.max(channel.contents.len() as u32));
        }
        program
    }
}

struct Reader<'p> {
    program: &'p Program,
    messages: Vec<Message>,
}

impl Reader<'_> {
    fn read(&mut self) -> SessionMachines {
        let mut channels: Vec<SessionChannel> = Vec::new();
        for variable in &self.program.globals {
            let Init::Channel(kind) = variable.init else { continue };
            let kind = &self.program.channels[kind.index()];
            let messages = match kind.fields[..] {
                [Type::Symbol(set)] => self.program.symbols[set.index()].members.iter(),
                _ => [].iter(),
            };
            channels.push(SessionChannel {
                name: variable.name.clone(),
                sender: None,
                receiver: None,
                messages: messages.map(|(name, value)| (*value, name.clone())).collect(),
                declared: match kind.capacity {
                    Capacity::Bounded(capacity) => Some(capacity),
                    Capacity::Rendezvous | Capacity::Unbounded => None,
                },
            });
        }
        let (mut machines, mut steps) = (Vec::new(), Vec::new());
        for (number, process) in self.program.processes.iter().enumerate() {
            let first = steps.len() as u32;
            for (source, command) in sources(process).into_iter().zip(&process.commands) {
                let step = self.step(number, source, command);
                if let Some(step) = step {
                    self.ends_of(&mut channels[step.channel], step, process, command);
                }
                // What is refused is not looked at again.
                let nothing = SessionStep { machine: number, source, channel: 0, message: 0, sends: false };
                steps.push(step.unwrap_or(nothing));
            }
            let states = process.locations.iter().map(|location| {
                let name = location.labels.first().cloned().unwrap_or_default();
                (name, location.groups.iter().flatten().map(|command| first + command.0).collect())
            });
            machines.push(SessionMachine { name: process.name.clone(), states: states.collect() });
            if self.messages.is_empty() {
                self.choices(process, &steps[first as usize..]);
            }
        }
        SessionMachines { machines, channels, steps }
    }

    /// What a command does, if it is one action.
    fn step(&mut self, machine: usize, source: usize, command: &Command) -> Option<SessionStep> {
        let process = &self.program.processes[machine];
        // A place within a transition that does several things has no name; that transition is refused as a whole.
        if process.locations[source].labels.is_empty() {
            return None;
        }
        if process.locations[source].groups.len() > 1 {
            let state = state_name(process, source);
            self.wrong(command, &format!("{state} has transitions of several priorities"));
            return None;
        }
        let what = match (&command.guard, &command.sync) {
            (Guard::Always, Sync::Send { channel, fields, .. }) => {
                channel_of(channel).zip(constant(fields)).map(|(channel, message)| (channel, message, true))
            }
            (Guard::Always, Sync::Receive { channel, patterns, .. }) => {
                let message = match &patterns[..] {
                    [Pattern::Match(Expr::Const(value))] => Some(*value),
                    _ => None,
                };
                channel_of(channel).zip(message).map(|(channel, message)| (channel, message, false))
            }
            _ => None,
        };
        let Some((channel, message, sends)) = what else {
            let how = match command.guard {
                Guard::Body { .. } => "sends or receives several messages at once",
                _ => "neither sends nor receives a message",
            };
            let state = state_name(process, source);
            self.wrong(command, &format!("`{}` of {state} {how}", command.text));
            return None;
        };
        Some(SessionStep { machine, source, channel, message, sends })
    }

    /// A channel leads from one machine to another.
    fn ends_of(
        &mut self,
        channel: &mut SessionChannel,
        step: SessionStep,
        process: &ProcessType,
        command: &Command,
    ) {
        let (end, other) = match step.sends {
            true => (&mut channel.sender, channel.receiver),
            false => (&mut channel.receiver, channel.sender),
        };
        let known = *end.get_or_insert(step.machine);
        let name = |machine: usize| &self.program.processes[machine].name;
        let (verb, own) =
            if step.sends { ("sends to", "receives from") } else { ("receives from", "sends to") };
        if known != step.machine {
            let text = format!("`{}` {verb} `{}`, as `{}` does", process.name, channel.name, name(known));
            self.wrong(command, &text);
        } else if other == Some(step.machine) {
            self.wrong(command, &format!("`{}` {verb} and {own} `{}`", process.name, channel.name));
        }
    }

    /// No state both sends and receives, and none has a choice between equal actions.
    fn choices(&mut self, process: &ProcessType, steps: &[SessionStep]) {
        for state in 0..process.locations.len() {
            let leaving: Vec<(usize, &Command)> =
                process.leaving(Loc(state as u32)).map(|(id, command)| (id.index(), command)).collect();
            for (at, &(number, command)) in leaving.iter().enumerate() {
                let (step, before) = (steps[number], &leaving[..at]);
                let shown = |other: &Command| {
                    let line =
                        other.place.map_or_else(String::new, |place| format!(" (line {})", place.line));
                    format!("`{}`{line}", other.text)
                };
                if let Some((_, other)) = before.iter().find(|(other, _)| steps[*other].sends != step.sends) {
                    let state = state_name(process, state);
                    let text = format!(
                        "{state} both sends and receives (mixed choice): `{}` and {}",
                        command.text,
                        shown(other)
                    );
                    self.wrong(command, &text);
                    break;
                }
                let same = |(number, other): &&(usize, &Command)| {
                    steps[*number] == step && other.target != command.target
                };
                if let Some((_, other)) = before.iter().find(same) {
                    let state = state_name(process, state);
                    let text = format!(
                        "{state} is not deterministic: `{}` and {} lead to different states",
                        command.text,
                        shown(other)
                    );
                    self.wrong(command, &text);
                }
            }
        }
    }

    fn wrong(&mut self, command: &Command, text: &str) {
        let place = command.place.map_or_else(String::new, |place| {
            format!("{}:{}: ", self.program.files[place.file as usize], place.line)
        });
        let help = "k-multiparty compatibility is about session automata: every transition sends or receives one message, no \
                    state does both, and a channel leads from one machine to another";
        let first = self.messages.is_empty();
        let message = Message::about_file(format!("{place}{text}")).code(codes::NOT_SESSION_AUTOMATA);
        self.messages.push(if first { message.help(help) } else { message });
    }
}

/// The state that each command leaves.
fn sources(process: &ProcessType) -> Vec<usize> {
    let mut sources = vec![0; process.commands.len()];
    for state in 0..process.locations.len() {
        for (command, _) in process.leaving(Loc(state as u32)) {
            sources[command.index()] = state;
        }
    }
    sources
}

fn state_name(process: &ProcessType, state: usize) -> String {
    format!("state `{}` of `{}`", process.locations[state].labels.concat(), process.name)
}

/// The channel that an expression names; all of them are global.
fn channel_of(channel: &Expr) -> Option<usize> {
    match channel {
        Expr::Load(lvalue) if lvalue.indices.is_empty() => match lvalue.variable {
            VariableRef::Global(number) => Some(number as usize),
            _ => None,
        },
        _ => None,
    }
}

fn constant(fields: &[Expr]) -> Option<i32> {
    match fields {
        [Expr::Const(value)] => Some(*value),
        _ => None,
    }
}
