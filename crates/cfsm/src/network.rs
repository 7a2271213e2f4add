//! Machines, channels and transitions with everything resolved: what all readers of this crate produce.
//!
//! This is the transition system of unbounded-fifo-channels-1990, 2.1.2: a transition belongs to one machine, takes a
//! word from the front of some channels and appends a word to the end of some. A fifo net is the same with one machine
//! of one state, whose channels are called places.

use std::collections::HashMap;

/// A system of machines that communicate through channels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Network {
    /// Its name, for reports.
    pub name: String,
    /// The file it was read from.
    pub file: String,
    /// Its channels.
    pub channels: Vec<Channel>,
    /// Its machines.
    pub machines: Vec<Machine>,
    /// Whether it is a fifo net, whose channels are places.
    pub is_net: bool,
}

/// A fifo channel, or a place of a fifo net.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Channel {
    /// Its name.
    pub name: String,
    /// The messages it carries; a letter is an index into this list.
    pub messages: Vec<String>,
    /// What it holds at first.
    pub contents: Vec<u32>,
    /// The most messages it holds; none means any number.
    pub capacity: Option<u32>,
}

/// A machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// Its name.
    pub name: String,
    /// Its states.
    pub states: Vec<State>,
    /// The state it starts in.
    pub initial: usize,
    /// Its transitions, in the order in which they were written.
    pub transitions: Vec<Transition>,
}

/// A state of a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Its name.
    pub name: String,
    /// Whether a run may end with the machine here.
    pub end: bool,
}

/// A transition of a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transition {
    /// Where it starts.
    pub source: usize,
    /// Where it leads.
    pub target: usize,
    /// The words it takes, each from the front of a channel; no channel twice.
    pub receives: Vec<(usize, Vec<u32>)>,
    /// The words it appends; no channel twice.
    pub sends: Vec<(usize, Vec<u32>)>,
    /// Of the transitions of a machine that are possible, only those of the highest priority are taken.
    pub priority: u32,
    /// How it is told.
    pub text: String,
    /// The line it was written in, from 1.
    pub line: u32,
}

impl Channel {
    /// The letter of a message, which is new if the channel did not carry it.
    pub fn letter(&mut self, message: &str) -> u32 {
        let known = self.messages.iter().position(|known| known == message);
        known.unwrap_or_else(|| {
            self.messages.push(message.to_owned());
            self.messages.len() - 1
        }) as u32
    }
}

impl Machine {
    /// States without transitions are where a machine may end.
    pub(crate) fn end_where_nothing_leaves(&mut self) {
        for transition in &self.transitions {
            self.states[transition.source].end = false;
        }
    }
}

/// The states of a machine while it is read: numbered as they are met, all of them ends until something leaves them.
#[derive(Default)]
pub(crate) struct States {
    numbers: HashMap<String, usize>,
    pub(crate) all: Vec<State>,
}

impl States {
    pub(crate) fn number(&mut self, name: &str) -> usize {
        let next = self.all.len();
        *self.numbers.entry(name.to_owned()).or_insert_with(|| {
            self.all.push(State { name: name.to_owned(), end: true });
            next
        })
    }

    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }
}

/// Channels that come into being when they are first used, found by name.
#[derive(Default)]
pub(crate) struct Channels {
    numbers: HashMap<String, usize>,
    pub(crate) all: Vec<Channel>,
}

impl Channels {
    pub(crate) fn number(&mut self, name: &str) -> usize {
        let next = self.all.len();
        *self.numbers.entry(name.to_owned()).or_insert_with(|| {
            self.all.push(Channel { name: name.to_owned(), ..Channel::default() });
            next
        })
    }

    /// A transition that sends or receives one message, or does neither.
    pub(crate) fn transition(
        &mut self,
        (source, target): (usize, usize),
        action: Option<(&str, bool, &str)>,
        line: usize,
    ) -> Transition {
        let mut made = Transition { source, target, line: line as u32, ..Transition::default() };
        let Some((channel, send, message)) = action else {
            "tau".clone_into(&mut made.text);
            return made;
        };
        let number = self.number(channel);
        let word = (number, vec![self.all[number].letter(message)]);
        made.text = format!("{channel}{}{message}", if send { '!' } else { '?' });
        if send {
            made.sends.push(word);
        } else {
            made.receives.push(word);
        }
        made
    }
}
