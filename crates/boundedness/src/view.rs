//! A system as the report sees it: a control part, and fifo channels (unbounded-fifo-channels-1990, 2.1.2).
//!
//! [`Fifos`] is the whole of what the searches for unboundedness know of a system: how a state splits into control and
//! contents, and what a transition takes and puts. Products, reductions or other languages can implement it; here it is
//! implemented over the interpreter of programs, for the channels without bound. Whatever else is in a state (locations,
//! variables, bounded channels, and those that are watched too closely, see [`crate::observe`]) is control, delays and
//! priorities of processes included: this is the report's D(S).

use crate::observe::Observed;
use crate::points::Site;
use elnath_kernel::{Describe, Fault, Stepper, System, Transition};
use elnath_program::ir::{Capacity, ChannelId, Init, ProcessId, Program, Type, Variable};
use elnath_program::layout::{Tables, read_length};
use elnath_program::{ChannelEvent, ChannelOp, Interpreter, Recorder};
use std::collections::HashMap;

/// A message: equal messages of a channel are equal letters.
pub type Letter = u64;

/// A state, split.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// Everything but the contents of the channels.
    pub control: Vec<u8>,
    /// The contents of the channels, those first sent first. How many there are depends on the control only.
    pub contents: Vec<Vec<Letter>>,
}

/// Something that a transition does on a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traffic {
    /// An index into [`Parts::contents`], of the state before the transition.
    pub channel: usize,
    /// A letter that is put at the end; or else the first is taken.
    pub sent: Option<Letter>,
}

/// What a transition does on channels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// On the channels of the state before it, in order.
    pub traffic: Vec<Traffic>,
    /// The numbers of the channels without bound that it puts something into, and how many messages each then held at
    /// most, also in the middle of the transition.
    pub peaks: Vec<(usize, usize)>,
}

/// A system with fifo channels.
pub trait Fifos {
    /// Splits a state.
    fn split(&mut self, state: &[u8], out: &mut Parts);

    /// The transitions that are possible in a state.
    fn enabled(&mut self, state: &[u8], out: &mut Vec<Transition>);

    /// Fires a transition and tells what it does on channels.
    ///
    /// # Errors
    /// The fault that firing ran into: runs are not followed beyond it.
    fn fire(
        &mut self,
        state: &[u8],
        t: Transition,
        out: &mut Vec<u8>,
        effect: &mut Effect,
    ) -> Result<(), Fault>;

    /// Whether this fault says that firing was given up, so that nothing is known of what comes after it.
    fn gave_up(&self, _fault: Fault) -> bool {
        false
    }

    /// How many small steps were made so far, where one transition may be made of very many: see [`Stepper::work`].
    fn work(&self) -> u64 {
        0
    }

    /// The numbers and lengths of all channels without bound in a state, those watched closely included.
    fn lengths(&mut self, state: &[u8], out: &mut Vec<(usize, usize)>);

    /// How many messages from the front of a channel are looked at by anything other than taking them.
    fn ahead(&self) -> usize;

    /// The number of a channel of a state.
    fn number(&self, state: &[u8], channel: usize) -> usize;

    /// The name of the channel with this number in a state.
    fn name(&self, state: &[u8], number: usize) -> String;

    /// A letter of a channel of a state, for people.
    fn letter(&self, state: &[u8], channel: usize, letter: Letter) -> String;
}

/// The channels without bound of a program.
pub struct ProgramFifos<'a> {
    system: &'a Interpreter,
    stepper: Box<dyn Stepper + 'a>,
    recorder: Recorder<'a>,
    tables: Tables,
    ahead: usize,
    /// By kind of process (the globals last): whether each channel it makes is among ours.
    fifo: Vec<Vec<bool>>,
    events: Vec<ChannelEvent>,
    messages: HashMap<Vec<i32>, Letter>,
    values: Vec<Vec<i32>>,
}

/// A message of at most so many bytes is its own letter.
const SMALL: usize = 8;

impl<'a> ProgramFifos<'a> {
    /// The view of a program of which so much is seen.
    pub fn new(system: &'a Interpreter, observed: &Observed) -> Self {
        let program = system.program();
        let watched = |owner, variables: &[Variable]| watched(program, observed, owner, variables);
        let mut fifo: Vec<Vec<bool>> = Vec::new();
        for (id, process) in program.processes.iter().enumerate() {
            fifo.push(watched(Some(ProcessId(id as u32)), &process.locals));
        }
        fifo.push(watched(None, &program.globals));
        Self {
            system,
            stepper: system.stepper(),
            recorder: system.recorder(),
            tables: Tables::default(),
            ahead: observed.ahead,
            fifo,
            events: Vec::new(),
            messages: HashMap::new(),
            values: Vec::new(),
        }
    }

    /// The numbers of the channels of a state that are ours.
    fn numbers(&self, state: &[u8], tables: &Tables) -> Vec<usize> {
        let globals = &self.fifo[self.fifo.len() - 1];
        let own = tables.processes.iter().flat_map(|&at| &self.fifo[state[at as usize] as usize]);
        let all = globals.iter().chain(own).enumerate();
        all.filter(|(_, fifo)| **fifo).map(|(number, _)| number).collect()
    }

    fn tables(&self, state: &[u8]) -> Tables {
        let mut tables = Tables::default();
        tables.read(self.system.layout(), state);
        tables
    }

    fn intern(&mut self, kind: ChannelId, values: &[i32]) -> Letter {
        let fields = &self.system.program().channels[kind.index()].fields;
        let bytes: u32 = fields.iter().map(|field| field.size()).sum();
        if bytes as usize <= SMALL {
            let place = |letter: u64, (value, size): (&i32, u32)| {
                let mask = if size == 4 { u64::from(u32::MAX) } else { (1 << (8 * size)) - 1 };
                letter << (8 * size) | (*value as u64) & mask
            };
            return values.iter().zip(fields.iter().map(|field| field.size())).fold(0, place);
        }
        if let Some(&letter) = self.messages.get(values) {
            return letter;
        }
        let letter = self.values.len() as Letter;
        self.values.push(values.to_vec());
        self.messages.insert(values.to_vec(), letter);
        letter
    }

    fn message(&self, state: &[u8], kind: ChannelId, mut at: usize) -> Vec<i32> {
        let fields = self.system.program().channels[kind.index()].fields.iter();
        fields
            .map(|&field| {
                let value = elnath_program::layout::read_scalar(state, at, field);
                at += field.size() as usize;
                value
            })
            .collect()
    }
}

/// Whether each channel that these variables make is without bound and not watched closely.
fn watched(
    program: &Program,
    observed: &Observed,
    owner: Option<ProcessId>,
    variables: &[Variable],
) -> Vec<bool> {
    let mut fifo = Vec::new();
    for (index, variable) in variables.iter().enumerate() {
        let Init::Channel(kind) = variable.init else { continue };
        let unbounded = program.channels[kind.index()].capacity == Capacity::Unbounded;
        fifo.extend((0..variable.len()).map(|element| {
            let site = Site { owner, variable: index as u32, element };
            unbounded && !observed.close.contains_key(&site)
        }));
    }
    fifo
}

impl Fifos for ProgramFifos<'_> {
    fn split(&mut self, state: &[u8], out: &mut Parts) {
        let mut tables = std::mem::take(&mut self.tables);
        tables.read(self.system.layout(), state);
        let numbers = self.numbers(state, &tables);
        out.control.clear();
        out.contents.resize_with(numbers.len(), Vec::new);
        let mut copied = 0;
        for (index, number) in numbers.into_iter().enumerate() {
            let (at, kind) = tables.channels[number];
            let (at, block) = (at as usize, self.system.layout().block(kind));
            let length = read_length(state, at, block);
            let mut contents = std::mem::take(&mut out.contents[index]);
            contents.clear();
            for message in 0..length {
                let values = self.message(state, kind, at + block.header + message * block.message);
                contents.push(self.intern(kind, &values));
            }
            out.contents[index] = contents;
            out.control.extend_from_slice(&state[copied..at]);
            copied = at + block.header + length * block.message;
        }
        out.control.extend_from_slice(&state[copied..]);
        self.tables = tables;
    }

    fn enabled(&mut self, state: &[u8], out: &mut Vec<Transition>) {
        self.stepper.enabled(state, out);
    }

    fn fire(
        &mut self,
        state: &[u8],
        t: Transition,
        out: &mut Vec<u8>,
        effect: &mut Effect,
    ) -> Result<(), Fault> {
        let mut events = std::mem::take(&mut self.events);
        let fired = self.recorder.fire(state, t, out, &mut events);
        effect.traffic.clear();
        effect.peaks.clear();
        if !events.is_empty() {
            let tables = self.tables(state);
            let numbers = self.numbers(state, &tables);
            let mut now: Vec<(usize, usize)> = Vec::new();
            for event in events.iter().filter(|event| event.op != ChannelOp::Copy) {
                // Channels of processes that began in this very transition are not among those of the state.
                let number = event.channel - 1;
                let known = tables.channels.get(number).copied();
                if let Some((_, kind)) = known
                    && self.system.program().channels[kind.index()].capacity != Capacity::Unbounded
                {
                    continue;
                }
                let at = now.iter().position(|(known, _)| *known == number).unwrap_or_else(|| {
                    let length = |(at, kind): (u32, ChannelId)| {
                        read_length(state, at as usize, self.system.layout().block(kind))
                    };
                    now.push((number, known.map_or(0, length)));
                    now.len() - 1
                });
                if event.op == ChannelOp::Send {
                    now[at].1 += 1;
                    effect.peaks.push(now[at]);
                } else {
                    now[at].1 = now[at].1.saturating_sub(1);
                }
                let Some(channel) = numbers.iter().position(|&ours| ours == number) else { continue };
                let sent = match event.op {
                    ChannelOp::Send => Some(self.intern(tables.channels[number].1, &event.values)),
                    ChannelOp::Receive | ChannelOp::Copy => None,
                };
                effect.traffic.push(Traffic { channel, sent });
            }
        }
        self.events = events;
        fired
    }

    fn gave_up(&self, fault: Fault) -> bool {
        self.system.gave_up(fault)
    }

    fn work(&self) -> u64 {
        self.stepper.work() + self.recorder.work()
    }

    fn lengths(&mut self, state: &[u8], out: &mut Vec<(usize, usize)>) {
        let tables = self.tables(state);
        out.clear();
        for (number, &(at, kind)) in tables.channels.iter().enumerate() {
            if self.system.program().channels[kind.index()].capacity == Capacity::Unbounded {
                out.push((number, read_length(state, at as usize, self.system.layout().block(kind))));
            }
        }
    }

    fn ahead(&self) -> usize {
        self.ahead
    }

    fn number(&self, state: &[u8], channel: usize) -> usize {
        self.numbers(state, &self.tables(state))[channel]
    }

    fn name(&self, state: &[u8], number: usize) -> String {
        channel_name(self.system, state, number)
    }

    fn letter(&self, state: &[u8], channel: usize, letter: Letter) -> String {
        let tables = self.tables(state);
        let kind = tables.channels[self.numbers(state, &tables)[channel]].1;
        let program = self.system.program();
        let fields = &program.channels[kind.index()].fields;
        let bytes: u32 = fields.iter().map(|field| field.size()).sum();
        let values = if bytes as usize <= SMALL {
            let mut rest = letter;
            let mut values: Vec<i32> = Vec::new();
            for field in fields.iter().rev() {
                let bits = 8 * field.size();
                let mask = if bits == 32 { u64::from(u32::MAX) } else { (1 << bits) - 1 };
                let low = (rest & mask) as u32 as i32;
                values.push(match field {
                    Type::Signed(16) => i32::from(low as i16),
                    _ => low,
                });
                rest = rest.checked_shr(bits).unwrap_or(0);
            }
            values.reverse();
            values
        } else {
            self.values[letter as usize].clone()
        };
        show_message(program, kind, &values)
    }
}

/// A message for people.
pub fn show_message(program: &Program, kind: ChannelId, values: &[i32]) -> String {
    let fields = &program.channels[kind.index()].fields;
    let field = |(value, ty): (&i32, &Type)| match ty {
        Type::Symbol(set) => program.symbol(Some(*set), *value),
        _ => value.to_string(),
    };
    let shown: Vec<String> = values.iter().zip(fields).map(field).collect();
    if shown.len() == 1 { shown[0].clone() } else { format!("({})", shown.join(",")) }
}

/// The name of the channel with this number, from 0, in a state: that of the variable that made it.
pub fn channel_name(system: &Interpreter, state: &[u8], number: usize) -> String {
    let mut tables = Tables::default();
    tables.read(system.layout(), state);
    let program = system.program();
    let mut left = number;
    let mut find = |prefix: &str, variables: &[Variable]| {
        for variable in variables {
            let Init::Channel(_) = variable.init else { continue };
            let count = variable.len() as usize;
            if left < count {
                let index = if variable.dims.is_empty() { String::new() } else { format!("[{left}]") };
                return Some(format!("{prefix}{}{index}", variable.name));
            }
            left -= count;
        }
        None
    };
    if let Some(name) = find("", &program.globals) {
        return name;
    }
    for (pid, &at) in tables.processes.iter().enumerate() {
        let process = &program.processes[state[at as usize] as usize];
        if let Some(name) = find(&format!("{}:{pid}.", process.name), &process.locals) {
            return name;
        }
    }
    format!("channel {number}")
}
