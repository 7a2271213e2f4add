//! Walking with machine code.

#![allow(unsafe_code)]

use crate::Compiled;
use crate::compile::Machine;
use crate::joint::Member;
use crate::runtime::{ChannelEntry, Code, Context, Kind, MOST, aligned, bail, location};
use elnath_kernel::successors::{Buffers, Fired, Successors};
use elnath_kernel::{Action, Processes, Propositions, Stepper, Tally};
use std::ops::Range;

/// Makes successors with machine code, and does everything else, and what machine code leaves to it, with the
/// interpreter.
pub(crate) struct Walker<'a> {
    system: &'a Compiled,
    machine: &'a Machine,
    interpreter: Box<dyn Stepper + 'a>,
    /// The processes of the last state, and how long it was. Most states have those of the one before, and then
    /// everything is where it was.
    processes: Vec<Process<'a>>,
    size: usize,
    channel_count: usize,
    /// What the context points to.
    places: Box<[u32; MOST]>,
    kinds: Box<[*const Kind; MOST]>,
    channels: Box<[ChannelEntry; MOST]>,
    members: Box<[Member; MOST]>,
    executed: Vec<u8>,
    context: Box<Context>,
    /// The statements that machine code has executed after the first of a transition, within atomic sequences.
    chained: u64,
    /// How many KiB of states it has made.
    made: u64,
}

/// A process of a state, and what is needed of its kind.
struct Process<'a> {
    /// Where it lies.
    base: usize,
    kind: u8,
    wide: bool,
    /// The code of its locations.
    code: &'a [Option<Code>],
}

impl<'a> Walker<'a> {
    pub(crate) fn new(system: &'a Compiled, machine: &'a Machine) -> Self {
        let mut walker = Self {
            system,
            machine,
            interpreter: system.interpreter_stepper(),
            processes: Vec::new(),
            size: 0,
            channel_count: 0,
            places: Box::new([0; MOST]),
            kinds: Box::new([std::ptr::null(); MOST]),
            channels: Box::new([ChannelEntry::default(); MOST]),
            members: Box::new([Member::NONE; MOST]),
            executed: vec![0; system.commands],
            context: Box::new(Context::new(&machine.tables)),
            chained: 0,
            made: 0,
        };
        // All of these lie on the heap and are never replaced, so they stay where they are.
        walker.context.processes = walker.places.as_mut_ptr();
        walker.context.kinds = walker.kinds.as_mut_ptr();
        walker.context.channels = walker.channels.as_mut_ptr();
        walker.context.members = walker.members.as_mut_ptr();
        walker.context.executed = walker.executed.as_mut_ptr();
        walker
    }

    /// Finds processes and channels, unless they are where they were.
    #[inline]
    fn read_tables(&mut self, state: &[u8]) {
        let tables = &self.machine.tables;
        if self.size == state.len()
            && usize::from(state[tables.count_at]) == self.processes.len()
            && (tables.count_tells_kinds
                || self.processes.iter().all(|process| state[process.base] == process.kind))
        {
            return;
        }
        self.read_other_tables(state);
    }

    #[cold]
    fn read_other_tables(&mut self, state: &[u8]) {
        let layout = self.system.layout();
        let mut tables = elnath_program::layout::Tables::default();
        tables.read(layout, state);
        self.processes.clear();
        for ((place, own), &at) in self.places.iter_mut().zip(self.kinds.iter_mut()).zip(&tables.processes) {
            *place = at;
            let base = at as usize;
            let kind = &self.machine.tables.kinds[usize::from(state[base])];
            *own = kind;
            self.processes.push(Process { base, kind: state[base], wide: kind.wide, code: &kind.locations });
        }
        for (entry, &(at, kind)) in self.channels.iter_mut().zip(&tables.channels) {
            *entry = ChannelEntry { at, kind: kind.0 };
        }
        self.channel_count = tables.channels.len();
        self.size = state.len();
        self.context.process_count = self.processes.len() as u64;
        self.context.channel_count = self.channel_count as u64;
    }

    /// One pass over some processes, the youngest first, with the output's room as it is; tells whether and why it gave up.
    #[inline]
    fn run(&mut self, state: &[u8], out: &mut Successors, timeout: bool, pids: Range<usize>) -> u32 {
        let Buffers { bytes, end, room: behind, fired } = out.buffers();
        let cx = &mut *self.context;
        let room = bytes.as_mut_ptr_range();
        cx.out = aligned(room.start.wrapping_add(*end));
        cx.out_end = room.end;
        cx.out_start = room.start;
        cx.behind = behind;
        cx.fired = fired.as_mut_ptr().wrapping_add(fired.len());
        cx.fired_end = fired.as_mut_ptr().wrapping_add(fired.capacity());
        cx.tag = u64::MAX;
        cx.chain_steps = 0;
        cx.timeout = u32::from(timeout);
        let cx: *mut Context = cx;
        let mut pid = pids.end;
        for process in self.processes[pids].iter().rev() {
            pid -= 1;
            // SAFETY: the tables were read from this state, so a process of this kind lies at `base`; and the context is
            // as the code wants it. It points to what this walker owns, of which nothing is used meanwhile.
            unsafe {
                let location = location(state.as_ptr().add(process.base), process.wide);
                if let Some(code) = process.code[location] {
                    code(cx, state.as_ptr(), state.len(), process.base, pid);
                    if (*cx).bail != bail::NONE {
                        return (*cx).take_bail(self.processes.len(), self.channel_count);
                    }
                }
            }
        }
        // SAFETY: all entries up to the context's `fired` were written by `commit` or `successor`, and they are within the capacity.
        unsafe {
            let made = (*cx).fired.offset_from(fired.as_ptr()) as usize;
            fired.set_len(made);
            let before = std::mem::replace(end, (*cx).out.offset_from((*cx).out_start) as usize);
            self.made += (*end - before) as u64 / 1024;
        }
        bail::NONE
    }

    /// Makes the successors by some processes, whose places are known; whether machine code could do it.
    #[inline]
    fn make(&mut self, state: &[u8], out: &mut Successors, timeout: bool, pids: Range<usize>) -> bool {
        /// Successors of one state that take more come from atomic sequences without end, with which the interpreter
        /// knows when to stop. It must be well below what that holds before it does.
        const MOST_BYTES: usize = 1 << 23;
        if out.buffers().bytes.is_empty() {
            Self::make_room(out);
        }
        loop {
            let reason = self.run(state, out, timeout, pids.clone());
            self.chained += self.context.chain_steps;
            match reason {
                bail::NONE => return true,
                reason => {
                    let Buffers { bytes, end, .. } = out.buffers();
                    if reason != bail::OVERFLOW || bytes.len() - *end > MOST_BYTES {
                        return false;
                    }
                    Self::make_room(out);
                }
            }
        }
    }

    /// Makes the room for successors larger, or makes some.
    #[cold]
    fn make_room(out: &mut Successors) {
        const FIRST_BYTES: usize = 1 << 16;
        /// States are aligned, so there are never more of them than this allows.
        const SMALLEST_STATE: usize = 16;
        let Buffers { bytes, fired, .. } = out.buffers();
        bytes.resize((bytes.len() * 2).max(FIRST_BYTES), 0);
        fired.reserve((bytes.len() / SMALLEST_STATE).saturating_sub(fired.len()));
    }
}

impl Stepper for Walker<'_> {
    fn successors(&mut self, state: &[u8], out: &mut Successors) {
        self.read_tables(state);
        let all = 0..self.processes.len();
        let made = self.make(state, out, false, all.clone());
        if made && (!out.is_empty() || !self.system.interpreter.uses_timeout()) {
            return;
        }
        if !made || !self.make(state, out, true, all) {
            self.interpreter.successors(state, out);
        }
    }

    elnath_kernel::hand_on! { interpreter: initial, enabled, fire, action, may_end, transition_bits }
    elnath_kernel::facets! { mine: propositions, processes, tally; below interpreter: acceptance }
}

impl Processes for Walker<'_> {
    fn successors_of(&mut self, state: &[u8], process: u32, out: &mut Successors) {
        self.read_tables(state);
        let pid = process as usize;
        if !self.make(state, out, false, pid..pid + 1) {
            self.interpreter.successors_of(state, process, out);
        }
    }

    elnath_kernel::hand_on! { interpreter: mover, movers, owing, locations }
}

impl Propositions for Walker<'_> {
    fn valuation(&mut self, state: &[u8]) -> u64 {
        let Some(code) = self.machine.propositions else { return self.interpreter.valuation(state) };
        self.read_tables(state);
        let cx = &mut *self.context;
        cx.timeout = 0;
        let cx: *mut Context = cx;
        // SAFETY: the tables were read from this state. The code of propositions only looks: it makes no successors, so
        // the context needs no room for them; and it uses no process of its own, so that any number will do.
        let holds = unsafe { code(cx, state.as_ptr(), state.len(), 0, 0) };
        match self.context.take_bail(self.processes.len(), self.channel_count) {
            bail::NONE => holds,
            _ => self.interpreter.valuation(state),
        }
    }

    elnath_kernel::hand_on! { interpreter: names, fallible, proposition_fault, operands }
}

impl Tally for Walker<'_> {
    fn unfired(&self) -> Vec<Action> {
        let by_interpreter = self.interpreter.unfired();
        let unfired = by_interpreter.into_iter().filter(|action| self.executed[action.0 as usize] == 0);
        self.system.interpreter.never_executed(unfired.collect())
    }

    fn work(&self) -> u64 {
        /// Machine code executes so many statements in the time of one small step of the interpreter (25 ns each in the
        /// atomic sequences of `plc`, 113 statements a transition).
        const AS_ONE: u64 = 4;
        self.interpreter.work() + self.chained / AS_ONE + self.made
    }
}

/// A note of a successor is plain data.
const _: () = assert!(!std::mem::needs_drop::<Fired>());
