//! Where everything lies in a state: equal states have equal bytes, and nothing is kept twice.
//!
//! ```text
//! state   = globals, [last mover], global channels, number of processes, process*
//! process = kind, location, [priority], locals, channels
//! channel = (nothing)                       rendez-vous
//!         | length, messages, zeros         bounded: of fixed size, free places are zero
//!         | length, messages                unbounded
//! ```
//!
//! Processes lie in the order of their numbers and channels in the order of theirs, with the process that made them.
//! Since a process can end only when it is the youngest, both behave like stacks: creating appends, ending cuts off.
//! Globals are at fixed offsets; where a process or channel lies depends on those before it, and is found by one walk
//! over the processes ([`Tables`]). Numbers are little-endian and of the least size that holds their type.

use crate::ir::{Capacity, ChannelId, Init, Program, Type, Variable};

/// The offsets that do not depend on the state.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Of each global.
    pub globals: Vec<usize>,
    /// Of the number of the process that moved last.
    pub last: Option<usize>,
    /// Bytes of both.
    pub globals_size: usize,
    /// The global channels in the order of their numbers.
    pub global_channels: Vec<ChannelId>,
    /// For each kind of process.
    pub frames: Vec<Frame>,
    blocks: Vec<Block>,
}

/// The layout of a process.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Whether a location takes two bytes.
    pub wide_location: bool,
    /// Offset of the priority.
    pub priority: Option<usize>,
    /// Offset of each local.
    pub locals: Vec<usize>,
    /// Bytes of the process without its channels.
    pub size: usize,
    /// Its channels in the order of their creation.
    pub channels: Vec<ChannelId>,
}

/// The layout of a channel.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// Bytes of the length.
    pub header: usize,
    /// Bytes of a message.
    pub message: usize,
    /// Most messages; `None` without bound. 0 for a rendez-vous.
    pub capacity: Option<usize>,
}

/// Where processes and channels lie in one state.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    /// Offset of each process.
    pub processes: Vec<u32>,
    /// Offset and kind of each channel; number n is at n - 1.
    pub channels: Vec<(u32, ChannelId)>,
    /// Offset of the number of processes.
    pub count: usize,
}

/// Offset of a process's location from the process.
pub const LOCATION: usize = 1;

impl Layout {
    /// The layout of a program's states.
    pub fn new(program: &Program) -> Self {
        let blocks = program.channels.iter().map(|ty| {
            let message = ty.message_size() as usize;
            match ty.capacity {
                Capacity::Rendezvous => Block { header: 0, message, capacity: Some(0) },
                Capacity::Bounded(n) => {
                    let header = if n < 256 { 1 } else { 4 };
                    Block { header, message, capacity: Some(n as usize) }
                }
                Capacity::Unbounded => Block { header: 4, message, capacity: None },
            }
        });
        let blocks = blocks.collect();
        let mut end = 0;
        let globals = place(&program.globals, &mut end);
        let last = program.tracks_last.then_some(end);
        end += usize::from(program.tracks_last);
        let frames = program.processes.iter().map(|process| {
            let wide_location = process.locations.len() > 256;
            let mut end = LOCATION + if wide_location { 2 } else { 1 };
            let priority = program.has_priorities.then_some(end);
            end += usize::from(program.has_priorities);
            let locals = place(&process.locals, &mut end);
            Frame { wide_location, priority, locals, size: end, channels: channels(&process.locals) }
        });
        let frames = frames.collect();
        let global_channels = channels(&program.globals);
        Self { globals, last, globals_size: end, global_channels, frames, blocks }
    }

    /// The layout of a kind of channel.
    pub fn block(&self, channel: ChannelId) -> Block {
        self.blocks[channel.index()]
    }

    /// Bytes that a channel takes when it is empty.
    pub fn empty_size(&self, channel: ChannelId) -> usize {
        let Block { header, message, capacity } = self.block(channel);
        header + capacity.unwrap_or(0) * message
    }
}

fn place(variables: &[Variable], end: &mut usize) -> Vec<usize> {
    let mut offsets = Vec::with_capacity(variables.len());
    for variable in variables {
        offsets.push(*end);
        *end += variable.ty.size() as usize * variable.len() as usize;
    }
    offsets
}

fn channels(variables: &[Variable]) -> Vec<ChannelId> {
    let of = |variable: &Variable| match variable.init {
        Init::Channel(channel) => std::iter::repeat_n(channel, variable.len() as usize),
        _ => std::iter::repeat_n(ChannelId(0), 0),
    };
    variables.iter().flat_map(of).collect()
}

impl Tables {
    /// Finds everything in a state.
    pub fn read(&mut self, layout: &Layout, state: &[u8]) {
        self.processes.clear();
        self.channels.clear();
        let mut at = layout.globals_size;
        self.walk_channels(layout, state, &layout.global_channels, &mut at);
        self.count = at;
        let count = state[at];
        at += 1;
        for _ in 0..count {
            self.processes.push(at as u32);
            let frame = &layout.frames[state[at] as usize];
            at += frame.size;
            self.walk_channels(layout, state, &frame.channels, &mut at);
        }
        debug_assert_eq!(at, state.len(), "a state has nothing after its last process");
    }

    fn walk_channels(&mut self, layout: &Layout, state: &[u8], channels: &[ChannelId], at: &mut usize) {
        for &channel in channels {
            self.channels.push((*at as u32, channel));
            let block = layout.block(channel);
            *at += match block.capacity {
                Some(capacity) => block.header + capacity * block.message,
                None => block.header + read_length(state, *at, block) * block.message,
            };
        }
    }
}

/// The number of messages in the channel at `at`.
pub fn read_length(state: &[u8], at: usize, block: Block) -> usize {
    match block.header {
        0 => 0,
        1 => state[at] as usize,
        _ => u32::from_le_bytes(state[at..at + 4].try_into().expect("four bytes")) as usize,
    }
}

/// Sets the number of messages in the channel at `at`.
pub fn write_length(state: &mut [u8], at: usize, block: Block, length: usize) {
    match block.header {
        0 => {}
        1 => state[at] = length as u8,
        _ => state[at..at + 4].copy_from_slice(&(length as u32).to_le_bytes()),
    }
}

/// The scalar of type `ty` at `at`.
#[inline]
pub fn read_scalar(state: &[u8], at: usize, ty: Type) -> i32 {
    match ty.size() {
        1 => i32::from(state[at]),
        2 => {
            let value = u16::from_le_bytes([state[at], state[at + 1]]);
            if matches!(ty, Type::Signed(_)) { i32::from(value as i16) } else { i32::from(value) }
        }
        _ => i32::from_le_bytes(state[at..at + 4].try_into().expect("four bytes")),
    }
}

/// Stores a scalar that fits its type.
#[inline]
pub fn write_scalar(state: &mut [u8], at: usize, ty: Type, value: i32) {
    match ty.size() {
        1 => state[at] = value as u8,
        2 => state[at..at + 2].copy_from_slice(&(value as u16).to_le_bytes()),
        _ => state[at..at + 4].copy_from_slice(&value.to_le_bytes()),
    }
}
