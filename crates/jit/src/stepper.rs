//! Walking with machine code.

#![allow(unsafe_code)]

use crate::Compiled;
use crate::runtime::{ChannelEntry, Context, MOST, MOST_VALUES, SLACK, Sender, bail};
use elnath_kernel::successors::{Fired, Successors};
use elnath_kernel::{Action, Fault, Stepper, Transition};

/// Makes successors with machine code, and does everything else, and what machine code leaves to it, with the
/// interpreter.
pub(crate) struct Walker<'a> {
    system: &'a Compiled,
    interpreter: Box<dyn Stepper + 'a>,
    /// The state being expanded, with room after it.
    state: Vec<u8>,
    processes: Box<[u32; MOST]>,
    channels: Box<[ChannelEntry; MOST]>,
    /// The kind of each process for which the tables were made, and the size of that state.
    kinds: Vec<u8>,
    size: usize,
    channel_count: usize,
    executed: Vec<u8>,
}

impl<'a> Walker<'a> {
    pub(crate) fn new(system: &'a Compiled) -> Self {
        Self {
            system,
            interpreter: system.interpreter_stepper(),
            state: Vec::new(),
            processes: Box::new([0; MOST]),
            channels: Box::new([ChannelEntry::default(); MOST]),
            kinds: Vec::new(),
            size: 0,
            channel_count: 0,
            executed: vec![0; system.commands],
        }
    }

    /// Finds processes and channels. Most states have the processes of the one before, and then everything is where it
    /// was.
    fn read_tables(&mut self) {
        let count_at = self.system.machine.tables.count_at;
        let same = |(&at, &kind): (&u32, &u8)| self.state[at as usize] == kind;
        if self.size == self.state.len()
            && usize::from(self.state[count_at]) == self.kinds.len()
            && self.processes.iter().zip(&self.kinds).all(same)
        {
            return;
        }
        let layout = self.system.layout();
        let mut tables = elnath_program::layout::Tables::default();
        tables.read(layout, &self.state);
        self.kinds.clear();
        for (index, &at) in tables.processes.iter().enumerate() {
            self.processes[index] = at;
            self.kinds.push(self.state[at as usize]);
        }
        for (entry, &(at, kind)) in self.channels.iter_mut().zip(&tables.channels) {
            *entry = ChannelEntry { at, kind: kind.0 };
        }
        self.channel_count = tables.channels.len();
        self.size = self.state.len();
    }

    /// One pass over all processes, with the output's room as it is; tells whether and why it gave up.
    fn run(&mut self, out: &mut Successors, timeout: bool) -> u32 {
        let (bytes, fired) = out.buffers();
        let tables = &self.system.machine.tables;
        let mut cx = Context {
            out: bytes.as_mut_ptr(),
            out_end: bytes.as_mut_ptr_range().end,
            out_start: bytes.as_mut_ptr(),
            fired: fired.as_mut_ptr(),
            fired_end: fired.as_mut_ptr().wrapping_add(fired.capacity()),
            processes: self.processes.as_mut_ptr(),
            channels: self.channels.as_mut_ptr(),
            executed: self.executed.as_mut_ptr(),
            process_count: self.kinds.len() as u64,
            channel_count: self.channel_count as u64,
            tag: u64::MAX,
            number: 0,
            depth: 0,
            chain_steps: 0,
            timeout: u32::from(timeout),
            bail: bail::NONE,
            sender: Sender {
                tag: 0,
                location_at: 0,
                target: 0,
                wide: 0,
                channel: 0,
                count: 0,
                command: 0,
                values: [0; MOST_VALUES],
            },
            arguments: [0; MOST_VALUES],
            tables,
        };
        let len = self.size;
        let state = self.state.as_ptr();
        for (pid, &kind) in self.kinds.iter().enumerate().rev() {
            let base = self.processes[pid] as usize;
            let kind = &tables.kinds[usize::from(kind)];
            // SAFETY: the tables were read from this state, so a process of this kind lies at `base`; the state has
            // SLACK bytes after its end, and the context is as the code wants it.
            unsafe {
                if let Some(code) = kind.locations[kind.location(state.add(base))] {
                    code(&raw mut cx, state, len, base, pid);
                }
            }
            if cx.bail != bail::NONE {
                return cx.bail;
            }
        }
        // SAFETY: all entries up to `cx.fired` were written by `commit`, and they are within the capacity.
        unsafe {
            let made = cx.fired.offset_from(fired.as_ptr()) as usize;
            fired.set_len(made);
        }
        bail::NONE
    }
}

impl Stepper for Walker<'_> {
    fn initial(&mut self, out: &mut Vec<u8>) {
        self.interpreter.initial(out);
    }

    fn enabled(&mut self, state: &[u8], out: &mut Vec<Transition>) {
        self.interpreter.enabled(state, out);
    }

    fn fire(&mut self, state: &[u8], t: Transition, out: &mut Vec<u8>) -> Result<(), Fault> {
        self.interpreter.fire(state, t, out)
    }

    fn successors(&mut self, state: &[u8], out: &mut Successors) {
        const FIRST_BYTES: usize = 1 << 16;
        /// States are aligned, so there are never more of them than this allows.
        const SMALLEST_STATE: usize = 16;
        self.state.clear();
        self.state.extend_from_slice(state);
        self.read_tables();
        self.state.resize(state.len() + SLACK, 0);
        let mut timeout = false;
        loop {
            let (bytes, fired) = out.buffers();
            fired.clear();
            if bytes.len() < FIRST_BYTES {
                bytes.resize(FIRST_BYTES, 0);
            }
            fired.reserve(bytes.len() / SMALLEST_STATE);
            match self.run(out, timeout) {
                bail::NONE if out.is_empty() && !timeout && self.system.interpreter.uses_timeout() => {
                    timeout = true;
                }
                bail::NONE => return,
                bail::OVERFLOW => {
                    let (bytes, fired) = out.buffers();
                    bytes.resize(bytes.len() * 2, 0);
                    fired.reserve(bytes.len() / SMALLEST_STATE);
                }
                _ => {
                    self.interpreter.successors(state, out);
                    return;
                }
            }
        }
    }

    fn action(&mut self, state: &[u8], t: Transition) -> Action {
        self.interpreter.action(state, t)
    }

    fn valuation(&mut self, state: &[u8]) -> u64 {
        self.interpreter.valuation(state)
    }

    fn may_end(&mut self, state: &[u8]) -> bool {
        self.interpreter.may_end(state)
    }

    fn unfired(&self) -> Vec<Action> {
        let by_interpreter = self.interpreter.unfired();
        by_interpreter.into_iter().filter(|action| self.executed[action.0 as usize] == 0).collect()
    }

    fn work(&self) -> u64 {
        self.interpreter.work()
    }

    fn transition_bits(&self) -> u32 {
        self.interpreter.transition_bits()
    }
}

/// A note of a successor is plain data.
const _: () = assert!(!std::mem::needs_drop::<Fired>());
