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
    /// How each global is read.
    pub slots: Vec<Slot>,
    /// The global channels in the order of their numbers.
    pub global_channels: Vec<ChannelId>,
    /// For each kind of process.
    pub frames: Vec<Frame>,
    blocks: Vec<Block>,
    /// Whether a channel without bound exists, so that the size of a process is not given by its kind.
    unbounded: bool,
}

/// What is needed to read a variable, side by side: declarations are spread over the heap.
#[derive(Clone, Debug)]
pub struct Slot {
    /// From the beginning of the globals, or of the process.
    pub offset: usize,
    /// The type of an element.
    pub ty: Type,
    /// How an element lies there.
    pub width: Width,
    /// The lengths, outermost first.
    pub dims: Vec<u32>,
}

/// How a scalar lies in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// 8 bits.
    Byte,
    /// 16 bits, not negative.
    Short,
    /// 16 bits in two's complement.
    SignedShort,
    /// 32 bits in two's complement.
    Long,
}

impl Width {
    /// That of a type.
    pub fn of(ty: Type) -> Self {
        match (ty.size(), ty) {
            (1, _) => Width::Byte,
            (2, Type::Signed(_)) => Width::SignedShort,
            (2, _) => Width::Short,
            _ => Width::Long,
        }
    }

    /// Bytes.
    #[inline]
    pub fn size(self) -> usize {
        match self {
            Width::Byte => 1,
            Width::Short | Width::SignedShort => 2,
            Width::Long => 4,
        }
    }

    /// The scalar at `at`.
    #[inline]
    pub fn read(self, state: &[u8], at: usize) -> i32 {
        match self {
            Width::Byte => i32::from(state[at]),
            Width::Short => i32::from(u16::from_le_bytes([state[at], state[at + 1]])),
            Width::SignedShort => i32::from(i16::from_le_bytes([state[at], state[at + 1]])),
            Width::Long => i32::from_le_bytes(state[at..at + 4].try_into().expect("four bytes")),
        }
    }

    /// Stores a scalar that fits at `at`.
    #[inline]
    pub fn write(self, state: &mut [u8], at: usize, value: i32) {
        match self {
            Width::Byte => state[at] = value as u8,
            Width::Short | Width::SignedShort => {
                state[at..at + 2].copy_from_slice(&(value as u16).to_le_bytes());
            }
            Width::Long => state[at..at + 4].copy_from_slice(&value.to_le_bytes()),
        }
    }
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
    /// How each local is read.
    pub slots: Vec<Slot>,
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
    /// The kind of each process and the size of the state; nothing if these tables must be made anew.
    kinds: Vec<u8>,
    size: usize,
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
            let slots = slots(&process.locals, &locals);
            Frame { wide_location, priority, locals, slots, size: end, channels: channels(&process.locals) }
        });
        let frames = frames.collect();
        let global_channels = channels(&program.globals);
        let slots = slots(&program.globals, &globals);
        let unbounded = program.channels.iter().any(|channel| channel.capacity == Capacity::Unbounded);
        Self { globals, last, globals_size: end, slots, global_channels, frames, blocks, unbounded }
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

fn slots(variables: &[Variable], offsets: &[usize]) -> Vec<Slot> {
    let slot = |(variable, &offset): (&Variable, &usize)| Slot {
        offset,
        ty: variable.ty,
        width: Width::of(variable.ty),
        dims: variable.dims.clone(),
    };
    variables.iter().zip(offsets).map(slot).collect()
}

fn channels(variables: &[Variable]) -> Vec<ChannelId> {
    let of = |variable: &Variable| match variable.init {
        Init::Channel(channel) => std::iter::repeat_n(channel, variable.len() as usize),
        _ => std::iter::repeat_n(ChannelId(0), 0),
    };
    variables.iter().flat_map(of).collect()
}

impl Tables {
    /// Finds everything in a state. Most states have the same processes as the one before: then everything is where it
    /// was, which takes a look at one byte of each to see; and this is true.
    #[inline]
    pub fn read(&mut self, layout: &Layout, state: &[u8]) -> bool {
        let same = |(&at, &kind): (&u32, &u8)| state[at as usize] == kind;
        if self.size == state.len()
            && state[self.count] as usize == self.kinds.len()
            && self.processes.iter().zip(&self.kinds).all(same)
        {
            return true;
        }
        self.walk(layout, state);
        self.kinds.clear();
        self.kinds.extend(self.processes.iter().map(|&at| state[at as usize]));
        self.size = if layout.unbounded { 0 } else { state.len() };
        false
    }

    fn walk(&mut self, layout: &Layout, state: &[u8]) {
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
    Width::of(ty).read(state, at)
}

/// Stores a scalar that fits its type.
#[inline]
pub fn write_scalar(state: &mut [u8], at: usize, ty: Type, value: i32) {
    Width::of(ty).write(state, at, value);
}
