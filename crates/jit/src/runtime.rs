//! What machine code works with: the context it is handed, and the functions it calls for what is not worth emitting
//! inline.
//!
//! All of this is `unsafe` at heart. The rules that make it sound:
//!
//! * Machine code and the functions here run only within [`crate::stepper::Walker::successors`], which owns everything
//!   a [`Context`] points to, for as long as the call takes.
//! * Nothing is written beyond `out_end` or `fired_end`: [`copy`], [`successor`], [`create`] and [`commit`] check, and set
//!   [`Context::bail`].

#![allow(unsafe_code)]

use crate::joint::{GateCommand, Member};
use elnath_kernel::Transition;
use elnath_kernel::successors::Fired;
use elnath_program::ir::Type;
use elnath_program::layout::{LOCATION, Width};

/// Bytes that must be writable after a state in the output, because copying is done in strides.
pub(crate) const SLACK: usize = 32;
const STRIDE: usize = 16;
/// The most fields of a message, and parameters of a process, that machine code handles.
pub(crate) const MOST_VALUES: usize = 24;
/// The longest atomic sequence that is followed by recursion; beyond it the interpreter takes over.
const DEEPEST_CHAIN: u64 = 400;
/// The most steps of atomic sequences per state; beyond it the interpreter takes over, which can tell loops. It must be
/// less than what the interpreter has patience for before it merges ways that meet.
const MOST_CHAIN_STEPS: u64 = 1 << 13;
/// The most processes and channels there can be; what a byte holds.
pub(crate) const MOST: usize = 256;

/// Why machine code gave up.
pub(crate) mod bail {
    /// It did not.
    pub(crate) const NONE: u32 = 0;
    /// Something only the interpreter knows: a fault, or a construct that is not compiled.
    pub(crate) const INTERPRET: u32 = 1;
    /// The output buffers are too small.
    pub(crate) const OVERFLOW: u32 = 2;
}

/// The code of a location: makes all successors by the moves of process `pid`, which lies at `base`, and counts the
/// moves.
pub(crate) type Code =
    unsafe extern "C" fn(cx: *mut Context, state: *const u8, len: usize, base: usize, pid: usize) -> u64;

/// The code that gives the locals of a new process their initial values.
pub(crate) type InitCode = unsafe extern "C" fn(cx: *mut Context, state: *mut u8, base: usize, pid: usize);

/// A channel in a state.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub(crate) struct ChannelEntry {
    pub(crate) at: u32,
    pub(crate) kind: u32,
}

/// Who sends at a rendez-vous, and what.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Sender {
    /// The transition, without the number of the outcome.
    pub(crate) tag: u64,
    /// Where the sender's location lies.
    pub(crate) location_at: u64,
    /// Where it goes.
    pub(crate) target: u32,
    /// Whether its location takes two bytes.
    pub(crate) wide: u32,
    /// The number of the channel.
    pub(crate) channel: u32,
    /// How many values are sent.
    pub(crate) count: u32,
    /// The number of the sending command.
    pub(crate) command: u32,
    pub(crate) values: [i32; MOST_VALUES],
}

/// Everything that machine code can reach beside the state.
#[repr(C)]
pub(crate) struct Context {
    /// Where the next successor is made.
    pub(crate) out: *mut u8,
    pub(crate) out_end: *mut u8,
    pub(crate) out_start: *mut u8,
    /// How many bytes behind a successor must stay free for whoever wants it.
    pub(crate) behind: usize,
    /// Where the next successor is noted.
    pub(crate) fired: *mut Fired,
    pub(crate) fired_end: *mut Fired,
    /// Where processes lie.
    pub(crate) processes: *mut u32,
    /// Of which kinds they are.
    pub(crate) kinds: *mut *const Kind,
    /// Where channels lie; number n is at n - 1.
    pub(crate) channels: *mut ChannelEntry,
    /// Per command, whether it was ever executed.
    pub(crate) executed: *mut u8,
    pub(crate) process_count: u64,
    pub(crate) channel_count: u64,
    /// The transition being made, without the number of the outcome, which is the next field.
    pub(crate) tag: u64,
    pub(crate) number: u64,
    /// How deep within an atomic sequence this is.
    pub(crate) depth: u64,
    pub(crate) chain_steps: u64,
    /// How many rendez-vous this is within, whose sender is still needed.
    pub(crate) meetings: u64,
    /// Whether nothing else can move.
    pub(crate) timeout: u32,
    pub(crate) bail: u32,
    pub(crate) sender: Sender,
    /// The arguments of the process being created.
    pub(crate) arguments: [i32; MOST_VALUES],
    /// The values at a gate, as far as they are given.
    pub(crate) offered: [i32; MOST_VALUES],
    /// Which of them are, as bits.
    pub(crate) given: u32,
    /// Who takes part in a joint step; there is room for every process.
    pub(crate) members: *mut Member,
    pub(crate) tables: *const Tables,
}

impl Context {
    /// A context with these tables; what depends on a state is yet to be filled in.
    pub(crate) fn new(tables: *const Tables) -> Self {
        use std::ptr::null_mut;
        let sender = Sender {
            tag: 0,
            location_at: 0,
            target: 0,
            wide: 0,
            channel: 0,
            count: 0,
            command: 0,
            values: [0; MOST_VALUES],
        };
        Self {
            out: null_mut(),
            out_end: null_mut(),
            out_start: null_mut(),
            behind: 0,
            fired: null_mut(),
            fired_end: null_mut(),
            processes: null_mut(),
            kinds: null_mut(),
            channels: null_mut(),
            executed: null_mut(),
            process_count: 0,
            channel_count: 0,
            tag: u64::MAX,
            number: 0,
            depth: 0,
            chain_steps: 0,
            meetings: 0,
            timeout: 0,
            bail: bail::NONE,
            sender,
            arguments: [0; MOST_VALUES],
            offered: [0; MOST_VALUES],
            given: 0,
            members: null_mut(),
            tables,
        }
    }

    /// The next successor is by this transition, unless it is within an atomic sequence, whose first command counts.
    #[inline]
    fn begin(&mut self, tag: u64) {
        if self.depth == 0 && self.tag != tag {
            self.tag = tag;
            self.number = 0;
        }
    }

    /// Why machine code gave up, if it did; then the context is made as it was before, with so many processes and channels.
    /// Code that comes to its end leaves it so by itself.
    pub(crate) fn take_bail(&mut self, processes: usize, channels: usize) -> u32 {
        if self.bail == bail::NONE {
            return bail::NONE;
        }
        (self.depth, self.meetings) = (0, 0);
        self.process_count = processes as u64;
        self.channel_count = channels as u64;
        std::mem::replace(&mut self.bail, bail::NONE)
    }

    /// The first reason counts: more room does not help the interpreter's cases.
    pub(crate) fn give_up(&mut self, why: u32) {
        if self.bail == bail::NONE {
            self.bail = why;
        }
    }
}

/// What does not change from state to state.
pub(crate) struct Tables {
    /// For each kind of process.
    pub(crate) kinds: Vec<Kind>,
    /// Offset of the number of processes.
    pub(crate) count_at: usize,
    /// Whether the number of processes tells of which kinds they are: none is ever created, and they end in the reverse
    /// order of their numbers.
    pub(crate) count_tells_kinds: bool,
    /// The bytes of hidden variables, with what they hold in a complete state.
    pub(crate) hidden: Vec<(usize, Vec<u8>)>,
    /// Where the number of the process that moved last lies.
    pub(crate) last: Option<usize>,
    /// For each synchronisation vector, the kinds of the participants and their gates, but for the first.
    pub(crate) vectors: Vec<Vec<(u32, u32)>>,
    /// For each gate, the values of each offer, in order.
    pub(crate) domains: Vec<Vec<Vec<i32>>>,
    /// For each kind, the numbers of its processes, the youngest first, if these never change but for those that end.
    pub(crate) numbers: Option<Vec<Vec<usize>>>,
}

/// What is needed of a kind of process.
pub(crate) struct Kind {
    pub(crate) wide: bool,
    /// The code of each location.
    pub(crate) locations: Vec<Option<Code>>,
    /// The code that takes part in a rendez-vous as the receiver, for each location; none at all if the kind never does.
    pub(crate) receivers: Vec<Receiver>,
    /// A new process, its channels included, without arguments; nothing if only the interpreter can make it.
    pub(crate) template: Option<Template>,
    /// For each location, the commands at gates; none at all if the kind has none.
    pub(crate) at_gates: Vec<Vec<usize>>,
    /// What is needed of each command at a gate.
    pub(crate) gates: Vec<Option<GateCommand>>,
}

/// A location as the receiving side of a rendez-vous.
#[derive(Clone, Copy)]
pub(crate) struct Receiver {
    pub(crate) code: Option<Code>,
    /// From which channels; see [`crate::facts::Facts::channels`].
    pub(crate) channels: u64,
}

pub(crate) struct Template {
    pub(crate) bytes: Vec<u8>,
    /// Where numbers of its own channels go, in the order of these.
    pub(crate) channel_variables: Vec<usize>,
    /// Offset and kind of its channels.
    pub(crate) channels: Vec<ChannelEntry>,
    pub(crate) parameters: Vec<(usize, Type)>,
    /// Initial values that are not constants.
    pub(crate) init: Option<InitCode>,
}

impl Kind {
    /// The location of a process of this kind that lies at `at`.
    ///
    /// # Safety
    /// There must be one.
    #[inline]
    pub(crate) unsafe fn location(&self, at: *const u8) -> usize {
        // SAFETY: as the caller says.
        unsafe { location(at, self.wide) }
    }
}

/// The location of a process that lies at `at`, which takes two bytes if it is wide.
///
/// # Safety
/// There must be one.
#[inline]
pub(crate) unsafe fn location(at: *const u8, wide: bool) -> usize {
    // SAFETY: the caller says that a process lies there, so its location does.
    unsafe {
        if wide {
            usize::from(*at.add(LOCATION)) | usize::from(*at.add(LOCATION + 1)) << 8
        } else {
            usize::from(*at.add(LOCATION))
        }
    }
}

/// Rounds up to where the next state may begin.
#[inline]
pub(crate) fn aligned(at: *mut u8) -> *mut u8 {
    at.map_addr(|address| (address + 15) & !15)
}

/// Makes a copy of the state, to be changed into a successor by the transition `tag`; null if there is no room.
pub(crate) unsafe extern "C" fn copy(cx: *mut Context, state: *const u8, len: usize, tag: u64) -> *mut u8 {
    // SAFETY: the context is valid (module header). There is room for the state and SLACK bytes more.
    unsafe {
        let cx = &mut *cx;
        cx.begin(tag);
        let out = cx.out;
        if out.wrapping_add(len + cx.behind + SLACK) > cx.out_end || cx.fired == cx.fired_end {
            cx.give_up(bail::OVERFLOW);
            return std::ptr::null_mut();
        }
        copy_state(state, out, len);
        out
    }
}

/// Copies a state, in strides that may overlap: most states take no loop.
///
/// # Safety
/// There must be a state of this length, and room for it and SLACK bytes more.
#[inline]
unsafe fn copy_state(from: *const u8, to: *mut u8, len: usize) {
    // SAFETY: what is read lies within the state, the last stride ending with it.
    unsafe {
        if len < STRIDE {
            std::ptr::copy_nonoverlapping(from, to, len);
            return;
        }
        let stride = |at: usize| {
            let stride = from.add(at).cast::<[u64; 2]>().read_unaligned();
            to.add(at).cast::<[u64; 2]>().write_unaligned(stride);
        };
        let last = len - STRIDE;
        let mut at = 0;
        while at + STRIDE < last {
            stride(at);
            stride(at + STRIDE);
            at += 2 * STRIDE;
        }
        if at < last {
            stride(at);
        }
        stride(last);
    }
}

/// A successor that differs from the state in what is yet to be written: it is made and noted at once, by a command that
/// ends its transition, leaves the length as it is and has nothing hidden to restore. If something is wrong with it later,
/// all successors of the state are given up anyway. Null if there is no room.
pub(crate) unsafe extern "C" fn successor(
    cx: *mut Context,
    state: *const u8,
    len: usize,
    tag: u64,
) -> *mut u8 {
    // SAFETY: the context is valid (module header). There is room for the state and SLACK bytes more.
    unsafe {
        let cx = &mut *cx;
        let (out, fired) = (cx.out, cx.fired);
        if out.wrapping_add(len + cx.behind + SLACK) > cx.out_end || fired == cx.fired_end {
            cx.give_up(bail::OVERFLOW);
            return std::ptr::null_mut();
        }
        cx.begin(tag);
        fired.write(Fired {
            transition: Transition(cx.tag | cx.number),
            start: out.offset_from(cx.out_start) as u32,
            len: len as u32,
            fault: Fired::NO_FAULT,
        });
        cx.fired = fired.add(1);
        cx.number += 1;
        cx.out = aligned(out.add(len + cx.behind));
        copy_state(state, out, len);
        out
    }
}

/// The state made at `state` is complete: it is a successor.
pub(crate) unsafe extern "C" fn commit(cx: *mut Context, state: *mut u8, len: usize) {
    // SAFETY: the context is valid, and the state was made by `copy`, so it lies in the output.
    unsafe {
        let cx = &mut *cx;
        let end = aligned(state.add(len + cx.behind));
        if end > cx.out {
            cx.out = end;
        }
        if cx.fired == cx.fired_end {
            cx.give_up(bail::OVERFLOW);
            return;
        }
        for (at, bytes) in &(*cx.tables).hidden {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), state.add(*at), bytes.len());
        }
        cx.fired.write(Fired {
            transition: Transition(cx.tag | cx.number),
            start: state.offset_from(cx.out_start) as u32,
            len: len as u32,
            fault: Fired::NO_FAULT,
        });
        cx.fired = cx.fired.add(1);
        cx.number += 1;
    }
}

/// The process goes on alone, if it can; if it cannot, the state is complete.
pub(crate) unsafe extern "C" fn chain(cx: *mut Context, state: *mut u8, len: usize, pid: usize) {
    // SAFETY: the context is valid; the state lies in the output and has processes where the context says.
    unsafe {
        let context = &mut *cx;
        context.depth += 1;
        context.chain_steps += 1;
        if context.depth > DEEPEST_CHAIN || context.chain_steps > MOST_CHAIN_STEPS {
            context.bail = bail::INTERPRET;
        }
        if context.bail == bail::NONE {
            context.out = aligned(state.add(len));
            // Another rendez-vous within the sequence would have its own sender.
            let sender = if context.meetings > 0 { Some(context.sender) } else { None };
            let timeout = context.timeout;
            context.timeout = 0;
            let base = *context.processes.add(pid) as usize;
            let kind = &**context.kinds.add(pid);
            let moves = match kind.locations[kind.location(state.add(base))] {
                Some(code) => code(cx, state, len, base, pid),
                None => 0,
            };
            if let Some(sender) = sender {
                context.sender = sender;
            }
            context.timeout = timeout;
            if moves == 0 && context.bail == bail::NONE {
                commit(cx, state, len);
            }
        }
        context.depth -= 1;
    }
}

/// Lets every process that can receive what the context's sender sends, on one of these channels, do so; counts the moves.
pub(crate) unsafe extern "C" fn rendezvous(
    cx: *mut Context,
    state: *const u8,
    len: usize,
    sender: usize,
    channels: u64,
) -> u64 {
    // SAFETY: the context is valid, and its tables are those of the state.
    unsafe {
        (*cx).meetings += 1;
        let mut moves = 0;
        for pid in (0..(*cx).process_count as usize).rev() {
            if pid == sender {
                continue;
            }
            let kind = &**(*cx).kinds.add(pid);
            if kind.receivers.is_empty() {
                continue;
            }
            let base = *(*cx).processes.add(pid) as usize;
            let receiver = kind.receivers[kind.location(state.add(base))];
            if receiver.channels & channels != 0
                && let Some(code) = receiver.code
            {
                moves += code(cx, state, len, base, pid);
            }
        }
        (*cx).meetings -= 1;
        moves
    }
}

/// Creates a process with the context's arguments; the new length of the state, or 0 if that is not possible.
pub(crate) unsafe extern "C" fn create(
    cx: *mut Context,
    state: *mut u8,
    len: usize,
    process: usize,
) -> usize {
    // SAFETY: the context is valid; there is room for the template, or nothing is written. The tables of processes and
    // channels have MOST entries.
    unsafe {
        let tables = &*(*cx).tables;
        let context = &mut *cx;
        let (pid, channels) = (context.process_count as usize, context.channel_count as usize);
        let Some(template) = &tables.kinds[process].template else {
            context.bail = bail::INTERPRET;
            return 0;
        };
        // The interpreter reports what is too much.
        if pid + 1 >= MOST || channels + template.channels.len() >= MOST {
            context.bail = bail::INTERPRET;
            return 0;
        }
        let end = len + template.bytes.len();
        if state.wrapping_add(end + context.behind + SLACK) > context.out_end {
            context.give_up(bail::OVERFLOW);
            return 0;
        }
        let at = state.add(len);
        std::ptr::copy_nonoverlapping(template.bytes.as_ptr(), at, template.bytes.len());
        for (index, &variable) in template.channel_variables.iter().enumerate() {
            *at.add(variable) = (channels + index + 1) as u8;
        }
        for (index, channel) in template.channels.iter().enumerate() {
            let entry = ChannelEntry { at: channel.at + len as u32, kind: channel.kind };
            context.channels.add(channels + index).write(entry);
        }
        context.processes.add(pid).write(len as u32);
        context.kinds.add(pid).write(&tables.kinds[process]);
        context.process_count += 1;
        context.channel_count += template.channels.len() as u64;
        *state.add(tables.count_at) += 1;
        for (&(offset, ty), &value) in template.parameters.iter().zip(&context.arguments) {
            let Some(value) = ty.store(value) else {
                context.bail = bail::INTERPRET;
                return 0;
            };
            let width = Width::of(ty);
            let place = std::slice::from_raw_parts_mut(at.add(offset), width.size());
            width.write(place, 0, value);
        }
        if let Some(init) = template.init {
            init(cx, state, len, pid);
            if (*cx).bail != bail::NONE {
                return 0;
            }
        }
        end
    }
}

/// Where a message goes in a sorted channel: before the first that is greater. `values` holds the message, `fields` its
/// types.
pub(crate) unsafe extern "C" fn sorted_position(
    messages: *const u8,
    count: usize,
    values: *const i32,
    fields: *const Fields,
) -> usize {
    // SAFETY: machine code hands over a channel with `count` messages of these fields, and as many values.
    unsafe {
        let Fields { types, size } = &*fields;
        let values = std::slice::from_raw_parts(values, types.len());
        let message = |index: usize| {
            let bytes = std::slice::from_raw_parts(messages.add(index * size), *size);
            let mut at = 0;
            types.iter().map(move |&ty| {
                let value = Width::of(ty).read(bytes, at);
                at += ty.size() as usize;
                value
            })
        };
        (0..count).find(|&index| message(index).gt(values.iter().copied())).unwrap_or(count)
    }
}

/// The fields of a kind of channel.
pub(crate) struct Fields {
    pub(crate) types: Vec<Type>,
    pub(crate) size: usize,
}

/// Moves bytes within a channel.
pub(crate) unsafe extern "C" fn shift(to: *mut u8, from: *const u8, len: usize) {
    // SAFETY: machine code moves messages within one channel.
    unsafe { std::ptr::copy(from, to, len) }
}

/// Where the first process of a kind lies, or 0.
pub(crate) unsafe extern "C" fn first_of(cx: *mut Context, state: *const u8, kind: usize) -> usize {
    // SAFETY: the context is valid, and its tables are those of the state.
    unsafe {
        let processes = std::slice::from_raw_parts((*cx).processes, (*cx).process_count as usize);
        processes.iter().map(|&at| at as usize).find(|&at| usize::from(*state.add(at)) == kind).unwrap_or(0)
    }
}
