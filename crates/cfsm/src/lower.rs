//! From machines and channels to the program of guarded commands.
//!
//! A machine is a kind of process of which there is one; a channel is a global variable that never changes. A transition
//! that does one thing is one command. One that does several is a deterministic sequence: its guard looks at all the
//! letters it takes (and, where channels have a capacity, at the room for those it sends), then it takes them and then it
//! sends, so that it is executed completely or not at all. Priorities become the groups of a location.

use crate::network::{Machine, Network, Transition};
use elnath_program::ir::{
    Binary, Capacity, ChannelId, ChannelQuery, ChannelType, Command, CommandId, Expr, Guard, Init, Loc,
    Location, Lvalue, Pattern, Place, ProcessId, ProcessType, Program, SymbolSet, SymbolsId, Sync, Type,
    Variable, VariableRef,
};
use elnath_source::{Message, codes};

/// How a network is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The capacity of channels that have none of their own; by default they hold any number of messages.
    pub capacity: Option<u32>,
}

/// The program of a network.
///
/// # Errors
/// That something is too large: there are at most 255 channels, 255 machines, and 255 messages of a channel.
pub fn lower(network: &Network, options: Options) -> Result<Program, Vec<Message>> {
    let messages = limits(network);
    if !messages.is_empty() {
        return Err(messages);
    }
    let (mut symbols, mut channels, mut globals) = (Vec::new(), Vec::new(), Vec::new());
    for (number, channel) in network.channels.iter().enumerate() {
        let members = channel.messages.iter().zip(1..).map(|(name, value)| (name.clone(), value));
        symbols.push(SymbolSet { name: format!("{} messages", channel.name), members: members.collect() });
        let capacity = channel.capacity.or(options.capacity);
        channels.push(ChannelType {
            capacity: capacity.map_or(Capacity::Unbounded, |most| {
                Capacity::Bounded(most.max(channel.contents.len() as u32))
            }),
            fields: vec![Type::Symbol(SymbolsId(number as u32))],
            contents: channel.contents.iter().map(|&letter| vec![value(letter)]).collect(),
        });
        globals.push(Variable {
            name: channel.name.clone(),
            ty: Type::Channel,
            dims: Vec::new(),
            init: Init::Channel(ChannelId(number as u32)),
            hidden: false,
        });
    }
    let processes: Vec<ProcessType> =
        network.machines.iter().map(|machine| Lowering::new(&channels).machine(machine)).collect();
    Ok(Program {
        name: network.name.clone(),
        files: vec![network.file.clone()],
        calls: Vec::new(),
        symbols,
        globals,
        initial: (0..processes.len() as u32).map(ProcessId).collect(),
        channels,
        gates: Vec::new(),
        vectors: Vec::new(),
        processes,
        propositions: Vec::new(),
        tracks_last: false,
        has_priorities: false,
    })
}

fn limits(network: &Network) -> Vec<Message> {
    let mut messages = Vec::new();
    let mut most = |count: usize, most: usize, what: &str| {
        if count > most {
            let text = format!("{}: it has {count} {what}, and {most} are the most", network.file);
            messages.push(Message::about_file(text));
        }
    };
    most(network.channels.len(), 255, "channels");
    most(network.machines.len(), 254, "machines");
    for channel in &network.channels {
        most(channel.messages.len(), 255, &format!("messages of `{}`", channel.name));
    }
    for machine in &network.machines {
        // A transition has at most so many places within it.
        let words = |transition: &Transition| {
            transition.receives.iter().chain(&transition.sends).map(|(_, word)| word.len() + 1).sum::<usize>()
                + 1
        };
        let locations = machine.states.len() + machine.transitions.iter().map(words).sum::<usize>();
        most(locations, 60_000, &format!("places where `{}` can be", machine.name));
    }
    if network.machines.is_empty() {
        let text = format!("{}: there is no machine in it", network.file);
        messages.push(Message::about_file(text).code(codes::EMPTY_MODEL));
    }
    messages
}

/// The letter of a value.
pub(crate) fn letter(value: i32) -> Option<u32> {
    u32::try_from(value).ok()?.checked_sub(1)
}

/// The value of a letter: 0 is what a message that nobody sent would be.
fn value(letter: u32) -> i32 {
    letter as i32 + 1
}

struct Lowering<'a> {
    channels: &'a [ChannelType],
    locations: Vec<Location>,
    commands: Vec<Command>,
}

impl<'a> Lowering<'a> {
    fn new(channels: &'a [ChannelType]) -> Self {
        Self { channels, locations: Vec::new(), commands: Vec::new() }
    }

    fn machine(mut self, machine: &Machine) -> ProcessType {
        self.locations.extend(machine.states.iter().map(|state| Location {
            labels: vec![state.name.clone()],
            end: state.end,
            ..Location::default()
        }));
        for state in 0..machine.states.len() {
            let mut leaving: Vec<&Transition> =
                machine.transitions.iter().filter(|transition| transition.source == state).collect();
            // Stable: among equals the order is that of the text.
            leaving.sort_by_key(|transition| std::cmp::Reverse(transition.priority));
            for group in leaving.chunk_by(|a, b| a.priority == b.priority) {
                let commands = group.iter().map(|transition| self.transition(transition)).collect();
                self.locations[state].groups.push(commands);
            }
        }
        ProcessType {
            name: machine.name.clone(),
            parameters: 0,
            locals: Vec::new(),
            locations: self.locations,
            commands: self.commands,
            entry: Loc(machine.initial as u32),
            provided: None,
            priority: 1,
        }
    }

    fn transition(&mut self, transition: &Transition) -> CommandId {
        let receives =
            transition.receives.iter().flat_map(|(channel, word)| word.iter().map(|&m| (*channel, m)));
        let sends = transition.sends.iter().flat_map(|(channel, word)| word.iter().map(|&m| (*channel, m)));
        let mut syncs: Vec<Sync> = receives.map(|(channel, letter)| receive(channel, letter)).collect();
        syncs.extend(sends.map(|(channel, letter)| send(channel, letter)));
        let place = Some(Place { file: 0, line: transition.line.max(1), call: None });
        let command = |guard: Guard, sync: Sync, target: Loc| Command {
            guard,
            sync,
            effects: Vec::new(),
            target,
            atomic: false,
            text: transition.text.clone(),
            place,
        };
        let target = Loc(transition.target as u32);
        if syncs.len() < 2 {
            let sync = syncs.pop().unwrap_or(Sync::None);
            return self.command(command(Guard::Always, sync, target));
        }
        let guard = self.guard(transition);
        let entry = self.location();
        let mut at = entry;
        for (index, sync) in syncs.into_iter().enumerate() {
            let next = self.location();
            let guard = if index == 0 { guard.clone() } else { Guard::Always };
            let id = self.command(command(guard, sync, next));
            self.locations[at.index()].groups = vec![vec![id]];
            at = next;
        }
        self.command(command(Guard::Body { entry, exit: at }, Sync::None, target))
    }

    fn command(&mut self, command: Command) -> CommandId {
        self.commands.push(command);
        CommandId(self.commands.len() as u32 - 1)
    }

    fn location(&mut self) -> Loc {
        self.locations.push(Location::default());
        Loc(self.locations.len() as u32 - 1)
    }

    /// Everything that must be so for a transition of several steps to come to its end.
    fn guard(&self, transition: &Transition) -> Guard {
        let mut conditions = Vec::new();
        for (channel, word) in &transition.receives {
            for (ahead, &letter) in word.iter().enumerate() {
                conditions.push(holds_first(*channel, letter, ahead));
            }
        }
        for (channel, word) in &transition.sends {
            let Capacity::Bounded(most) = self.channels[*channel].capacity else { continue };
            let taken = transition.receives.iter().find(|(other, _)| other == channel);
            let room = i64::from(most) - word.len() as i64 + taken.map_or(0, |(_, word)| word.len() as i64);
            let length = Expr::Channel(ChannelQuery::Len, Box::new(load(*channel)));
            conditions.push(Expr::Binary(Binary::Le, Box::new([length, Expr::Const(room as i32)])));
        }
        let all = conditions.into_iter().reduce(|a, b| Expr::Binary(Binary::And, Box::new([a, b])));
        all.map_or(Guard::Always, Guard::When)
    }
}

pub(crate) fn load(channel: usize) -> Expr {
    Expr::Load(Lvalue { variable: VariableRef::Global(channel as u32), indices: Vec::new() })
}

/// Whether a channel has a letter at the front, or so many letters after it.
pub(crate) fn holds_first(channel: usize, letter: u32, ahead: usize) -> Expr {
    Expr::Poll {
        channel: Box::new(load(channel)),
        patterns: vec![Pattern::Match(Expr::Const(value(letter)))],
        random: false,
        ahead: ahead as u32,
    }
}

fn receive(channel: usize, letter: u32) -> Sync {
    let patterns = vec![Pattern::Match(Expr::Const(value(letter)))];
    Sync::Receive { channel: load(channel), patterns, random: false, copy: false }
}

fn send(channel: usize, letter: u32) -> Sync {
    Sync::Send { channel: load(channel), fields: vec![Expr::Const(value(letter))], sorted: false }
}
