//! Changing a state: what executing a command does.

use super::eval::{ChannelAt, Eval, Move, View};
use super::trace::{ChannelEvent, ChannelOp};
use super::{Cause, Meeting, operands};
use crate::ir::{
    ChannelId, Command, CommandId, Effect, Expr, Guard, Init, Loc, Lvalue, Pattern, ProcessId, Program, Sync,
    Type, VariableRef,
};
use crate::layout::{LOCATION, Layout, Tables, read_scalar, write_length, write_scalar};
use elnath_kernel::event::Operand;
use std::ops::Range;

/// A deterministic sequence that takes more steps than this is taken for one that never ends.
const LONGEST_BODY: u32 = 1_000_000;
/// After so many steps it is worth looking whether a deterministic sequence has come back to where it was.
const SUSPICIOUS_BODY: u32 = 1 << 10;
/// SPIN's limit, and what a byte holds.
const MOST_PROCESSES: usize = 255;
const MOST_CHANNELS: usize = 255;

/// A state that is being changed.
pub(super) struct Machine<'a> {
    pub(super) program: &'a Program,
    pub(super) layout: &'a Layout,
    pub(super) state: Vec<u8>,
    pub(super) tables: Tables,
    values: Vec<i32>,
    /// Whether the command being executed was executable only because nothing else was.
    timeout: bool,
    /// The command being executed; within a deterministic sequence, the inner one.
    culprit: (ProcessId, CommandId),
    /// The number of the process that executes it.
    executing: usize,
    /// The first fault of the command.
    fault: Option<(Cause, ProcessId, CommandId)>,
    /// What can be heard outside, in order, if anybody wants to know.
    pub(super) heard: Option<Vec<Heard>>,
    /// Which commands of each kind of process were ever executed.
    pub(super) executed: Vec<Vec<bool>>,
    /// How many commands were executed, those within sequences one by one, and how many KiB of states were copied.
    pub(super) work: u64,
}

/// To copy so many bytes of a state, and to look the copy up, is taken for the work of one command: where a state has 600 kB,
/// that is what takes time.
const KIB: u64 = 1024;

/// What can be heard outside of what a command does.
pub(super) enum Heard {
    /// Something on a channel.
    Event(ChannelEvent),
    /// A text.
    Printed(String),
    /// The values that the command read in the moment in which it failed.
    Failed(Vec<Operand>),
}

/// What became of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Executed {
    /// The process that goes on alone, if one does.
    pub(super) goes_on: Option<usize>,
    /// The fault it ran into, and the command that did.
    pub(super) fault: Option<(Cause, ProcessId, CommandId)>,
}

impl<'a> Machine<'a> {
    pub(super) fn new(program: &'a Program, layout: &'a Layout) -> Self {
        Self {
            program,
            layout,
            state: Vec::new(),
            tables: Tables::default(),
            values: Vec::new(),
            timeout: false,
            culprit: (ProcessId(0), CommandId(0)),
            executing: 0,
            fault: None,
            heard: None,
            executed: program.processes.iter().map(|process| vec![false; process.commands.len()]).collect(),
            work: 0,
        }
    }

    /// From now on, this is the command being executed.
    fn begin(&mut self, process: ProcessId, command: CommandId) {
        self.culprit = (process, command);
        self.work += 1;
        self.executed[process.index()][command.index()] = true;
    }

    /// Makes `state` the one that is changed.
    pub(super) fn load(&mut self, state: &[u8]) {
        self.state.clear();
        self.state.extend_from_slice(state);
        self.work += state.len() as u64 / KIB;
        self.tables.read(self.layout, &self.state);
    }

    /// The state as process `pid` sees it.
    pub(super) fn view(&self, pid: usize) -> View<'_> {
        View::new(self.program, self.layout, &self.state, &self.tables, pid, self.timeout)
    }

    /// The state in which everything begins.
    pub(super) fn initial(&mut self) -> Eval<()> {
        if self.layout.global_channels.len() > MOST_CHANNELS {
            return Err(Cause::TooManyChannels);
        }
        self.state.clear();
        self.state.resize(self.layout.globals_size, 0);
        for &channel in &self.layout.global_channels {
            self.open(channel);
        }
        self.state.push(0);
        self.tables.read(self.layout, &self.state);
        let mut channel = 0;
        for (index, variable) in self.program.globals.iter().enumerate() {
            self.initialise(VariableRef::Global(index as u32), &variable.init, &mut channel, usize::MAX)?;
        }
        for &process in &self.program.initial {
            self.create(process, &[], None)?;
        }
        Ok(())
    }

    /// Appends a new channel, with what it holds at first, to the state.
    fn open(&mut self, channel: ChannelId) {
        let block = self.layout.block(channel);
        let kind = &self.program.channels[channel.index()];
        let (at, held) = (self.state.len(), kind.contents.len());
        let room = block.capacity.unwrap_or(held);
        self.state.resize(at + block.header + room * block.message, 0);
        write_length(&mut self.state, at, block, held);
        let mut to = at + block.header;
        for message in &kind.contents {
            for (&value, &ty) in message.iter().zip(&kind.fields) {
                write_scalar(&mut self.state, to, ty, value);
                to += ty.size() as usize;
            }
        }
    }

    /// Executes a command, with its partner if it has one.
    pub(super) fn execute(&mut self, step: Move) -> Executed {
        let Move { pid, command: id, partner, meeting, timeout } = step;
        let id_of_process = self.view(pid).process_id(pid);
        let process = &self.program.processes[id_of_process.index()];
        let command = &process.commands[id.index()];
        self.timeout = timeout;
        self.executing = pid;
        self.begin(id_of_process, id);
        self.fault = None;
        let allowed = process.provided.as_ref().map_or(Ok(0), |provided| self.view(pid).eval(provided));
        if command.guard == Guard::Exit && allowed.is_ok() {
            self.exit(pid);
            return self.finish(Ok(()), pid, false);
        }
        if let Some((receiver, received_by)) = partner.filter(|(receiver, _)| *receiver != pid) {
            return self.rendezvous(pid, command, receiver, received_by);
        }
        if partner.is_some() && allowed.is_ok() && self.view(pid).sends_too_little(command) {
            return self.fail(Cause::Arity);
        }
        if let (Some(number), Sync::Gate { gate, .. }) = (meeting, &command.sync) {
            let meeting =
                self.view(pid).meeting(id, *gate, number).expect("a meeting is held where it is possible");
            return self.meet(pid, &meeting);
        }
        let open = match &command.guard {
            // Executable commands have true guards; what is looked for is the fault in a guard that has one.
            Guard::When(expr) if allowed.is_ok() => self.view(pid).eval(expr),
            _ => Ok(0),
        };
        if open == Err(Cause::PollRendezvous) {
            return self.fail(Cause::PollRendezvous);
        }
        let done = allowed.and(open).and_then(|_| self.perform(pid, command));
        self.go_to(pid, command.target);
        self.finish(done, pid, command.atomic)
    }

    /// An attempt to execute a command failed: there is a fault, and nothing has changed.
    fn fail(&mut self, cause: Cause) -> Executed {
        self.note(cause);
        self.timeout = false;
        Executed { goes_on: None, fault: self.fault }
    }

    /// What is left to do after a command: `pid` has moved last, which the command itself must not yet have seen.
    fn finish(&mut self, done: Eval<()>, pid: usize, atomic: bool) -> Executed {
        if let Err(cause) = done {
            self.note(cause);
        }
        if let Some(at) = self.layout.last {
            self.state[at] = pid as u8;
        }
        self.timeout = false;
        Executed { goes_on: if atomic { Some(pid) } else { None }, fault: self.fault }
    }

    /// Keeps the first fault of a command.
    fn note(&mut self, cause: Cause) {
        let (process, command) = self.culprit;
        if self.fault.is_none() && self.heard.is_some() {
            let view = self.view(self.executing);
            let failed = &self.program.processes[process.index()].commands[command.index()];
            let read = operands::of_fault(&view, failed, cause);
            self.heard.get_or_insert_default().push(Heard::Failed(read));
        }
        self.fault.get_or_insert((cause, process, command));
    }

    /// Too few fields are a fault, but one after which everything is known: what was not sent is 0, what was not asked
    /// for is lost.
    fn note_missing(&mut self, given: usize, fields: usize) {
        if given < fields {
            self.note(Cause::Arity);
        }
    }

    /// All participants of a meeting move together: the values are stored, predicates are tested, all move on, and then comes what each does, in
    /// the order of the vector: so one of them can put another one elsewhere. An offer with a fault changes nothing.
    fn meet(&mut self, pid: usize, meeting: &Meeting) -> Executed {
        if let Some(cause) = meeting.fault {
            return self.fail(cause);
        }
        let agreed = self.hold(meeting, 0..2);
        for &member in &meeting.members {
            let (process, _) = self.view(member.0).participant(member);
            let target = self.program.processes[process.index()].commands[member.1.index()].target;
            self.go_to(member.0, target);
        }
        let done = agreed.and_then(|()| self.hold(meeting, 2..3));
        self.finish(done, pid, false)
    }

    /// Some phases of a meeting: values, predicates, effects.
    fn hold(&mut self, meeting: &Meeting, phases: Range<u8>) -> Eval<()> {
        let program: &'a Program = self.program;
        for phase in phases {
            for &(pid, id) in &meeting.members {
                let process = self.view(pid).process_id(pid);
                let command = &program.processes[process.index()].commands[id.index()];
                let Sync::Gate { offers, when, .. } = &command.sync else { continue };
                self.executing = pid;
                match phase {
                    0 => {
                        self.begin(process, id);
                        self.bind(pid, offers, &meeting.values)?;
                    }
                    1 => {
                        self.culprit = (process, id);
                        when.iter().try_for_each(|when| self.view(pid).eval(when).map(|_| ()))?;
                    }
                    _ => {
                        self.culprit = (process, id);
                        self.effects(pid, &command.effects)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// A sender and a receiver move together. Who goes on alone is the receiver's matter.
    fn rendezvous(&mut self, pid: usize, send: &Command, receiver: usize, by: CommandId) -> Executed {
        let receiver_process = self.view(receiver).process_id(receiver);
        let receive = &self.program.processes[receiver_process.index()].commands[by.index()];
        let done = self.hand_over(pid, send, (receiver, receiver_process, by), receive);
        self.go_to(pid, send.target);
        self.go_to(receiver, receive.target);
        self.finish(done, receiver, receive.atomic)
    }

    fn hand_over(
        &mut self,
        sender: usize,
        send: &Command,
        (receiver, receiver_process, received_by): (usize, ProcessId, CommandId),
        receive: &Command,
    ) -> Eval<()> {
        let Sync::Send { channel, fields, .. } = &send.sync else { unreachable!("the sender sends") };
        let mut values = std::mem::take(&mut self.values);
        let view = self.view(sender);
        let sent =
            view.channel(channel).and_then(|channel| view.message_values(channel, fields, &mut values));
        if sent.is_ok() {
            self.record(sender, channel, ChannelOp::Send, &values);
            self.record(sender, channel, ChannelOp::Receive, &values);
        }
        let (first, first_id, rest) = self.receiving_part(sender, send, receiver, (receive, received_by));
        let Sync::Receive { patterns, .. } = &first.sync else { unreachable!("the receiver receives") };
        if sent.is_ok() {
            self.note_missing(fields.len(), values.len());
        }
        let sender_culprit = std::mem::replace(&mut self.culprit, (receiver_process, first_id));
        self.executing = receiver;
        let bound = sent.and_then(|()| self.match_and_bind(receiver, patterns, &values));
        if bound.is_ok() {
            self.note_missing(patterns.len(), values.len());
        }
        self.values = values;
        bound?;
        (self.culprit, self.executing) = (sender_culprit, sender);
        self.effects(sender, &send.effects)?;
        self.begin(receiver_process, received_by);
        self.executing = receiver;
        if rest.is_some() {
            self.effects(receiver, &receive.effects)?;
        }
        self.begin(receiver_process, first_id);
        self.effects(receiver, &first.effects)?;
        match rest {
            Some((at, exit)) if at != exit => self.body(receiver, at, exit),
            _ => Ok(()),
        }
    }

    /// The command that takes the message, and what of a deterministic sequence remains to be done after it.
    fn receiving_part<'c>(
        &self,
        sender: usize,
        send: &Command,
        receiver: usize,
        (receive, received_by): (&'c Command, CommandId),
    ) -> (&'c Command, CommandId, Option<(Loc, Loc)>)
    where
        'a: 'c,
    {
        let Guard::Body { entry, exit } = receive.guard else { return (receive, received_by, None) };
        let Sync::Send { channel, fields, .. } = &send.sync else { unreachable!("the sender sends") };
        let (view, sender) = (self.view(receiver), self.view(sender));
        let process: &'a crate::ir::ProcessType = &self.program.processes[view.process_id(receiver).index()];
        let known =
            sender.channel(channel).and_then(|kind| Ok((sender.eval(channel)?, self.fields(kind.kind))));
        let found =
            known.ok().and_then(|(number, types)| view.first_receive(entry, number, &sender, fields, types));
        let id = found.expect("it was found to receive");
        let first = &process.commands[id.index()];
        (first, id, Some((first.target, exit)))
    }

    /// The patterns match, or they would not have met; what is looked for is the fault in one that has one.
    fn match_and_bind(&mut self, pid: usize, patterns: &[Pattern], values: &[i32]) -> Eval<()> {
        for pattern in patterns {
            if let Pattern::Match(expr) = pattern {
                self.view(pid).eval(expr)?;
            }
        }
        if patterns.len() > values.len() {
            return Err(Cause::Arity);
        }
        self.bind(pid, patterns, values)
    }

    /// Everything a command does besides moving on.
    fn perform(&mut self, pid: usize, command: &Command) -> Eval<()> {
        self.communicate(pid, &command.sync)?;
        self.effects(pid, &command.effects)?;
        match command.guard {
            Guard::Body { entry, exit } => self.body(pid, entry, exit),
            _ => Ok(()),
        }
    }

    /// Runs a deterministic sequence to its end.
    fn body(&mut self, pid: usize, entry: Loc, exit: Loc) -> Eval<()> {
        let mut at = entry;
        let mut anchor = (entry, Vec::new());
        for step in 0..LONGEST_BODY {
            // Being deterministic, it never ends once it is in the same state at the same place again.
            if step >= SUSPICIOUS_BODY {
                if at == anchor.0 && self.state == anchor.1 {
                    break;
                }
                if step.is_power_of_two() {
                    anchor = (at, self.state.clone());
                }
            }
            let Some(id) = self.view(pid).first_executable(at)? else { return Err(Cause::BlockedBody) };
            let process = self.view(pid).process_id(pid);
            let command = &self.program.processes[process.index()].commands[id.index()];
            self.begin(process, id);
            self.communicate(pid, &command.sync)?;
            self.effects(pid, &command.effects)?;
            at = command.target;
            if at == exit {
                return Ok(());
            }
        }
        Err(Cause::EndlessBody)
    }

    fn communicate(&mut self, pid: usize, sync: &Sync) -> Eval<()> {
        match sync {
            // Those who meet at a gate are served by `meet`.
            Sync::None | Sync::Gate { .. } => Ok(()),
            Sync::Send { channel, fields, sorted } => {
                let mut values = std::mem::take(&mut self.values);
                let view = self.view(pid);
                let number = channel;
                let channel = view.channel(channel)?;
                let known = view.message_values(channel, fields, &mut values);
                if known.is_ok() {
                    self.record(pid, number, ChannelOp::Send, &values);
                    self.put(channel, &values, *sorted);
                    self.note_missing(fields.len(), values.len());
                }
                self.values = values;
                known
            }
            Sync::Receive { channel, patterns, random, copy } => {
                let view = self.view(pid);
                let number = channel;
                let channel = view.channel(channel)?;
                let Some(index) = view.matching(channel, patterns, *random)? else { return Ok(()) };
                let mut values = std::mem::take(&mut self.values);
                values.clear();
                values.extend(self.message(channel, index));
                self.record(pid, number, if *copy { ChannelOp::Copy } else { ChannelOp::Receive }, &values);
                if !copy {
                    self.remove(channel, index);
                    self.note_missing(patterns.len(), values.len());
                }
                let bound = self.bind(pid, patterns, &values);
                self.values = values;
                bound
            }
        }
    }

    /// Notes what happens on a channel, before it does.
    fn record(&mut self, pid: usize, channel: &Expr, op: ChannelOp, values: &[i32]) {
        if self.heard.is_some() {
            let channel = self.view(pid).eval(channel).map_or(0, |number| number as usize);
            let event = ChannelEvent { channel, op, values: values.to_vec() };
            self.heard.get_or_insert_default().push(Heard::Event(event));
        }
    }

    /// Stores the fields of a message, from left to right.
    fn bind(&mut self, pid: usize, patterns: &[Pattern], values: &[i32]) -> Eval<()> {
        for (pattern, &value) in patterns.iter().zip(values) {
            if let Pattern::Bind(lvalue) = pattern {
                self.assign(pid, lvalue, value)?;
            }
        }
        Ok(())
    }

    /// The fields of a message.
    fn message(&self, channel: ChannelAt, index: usize) -> impl Iterator<Item = i32> {
        let mut at = self.view(0).message(channel, index);
        self.fields(channel.kind).iter().map(move |&ty| {
            let value = read_scalar(&self.state, at, ty);
            at += ty.size() as usize;
            value
        })
    }

    fn fields(&self, channel: ChannelId) -> &'a [Type] {
        let program: &'a Program = self.program;
        &program.channels[channel.index()].fields
    }

    fn put(&mut self, channel: ChannelAt, values: &[i32], sorted: bool) {
        let length = self.view(0).length(channel);
        let greater = |&index: &usize| self.message(channel, index).gt(values.iter().copied());
        let index = if sorted { (0..length).find(greater).unwrap_or(length) } else { length };
        let size = channel.block.message;
        let from = self.view(0).message(channel, index);
        let end = self.view(0).message(channel, length);
        if channel.block.capacity.is_none() {
            self.state.splice(end..end, std::iter::repeat_n(0, size));
        }
        self.state.copy_within(from..end, from + size);
        let mut at = from;
        for (&value, &ty) in values.iter().zip(self.fields(channel.kind)) {
            write_scalar(&mut self.state, at, ty, value);
            at += ty.size() as usize;
        }
        write_length(&mut self.state, channel.at, channel.block, length + 1);
        if channel.block.capacity.is_none() {
            self.tables.read(self.layout, &self.state);
        }
    }

    fn remove(&mut self, channel: ChannelAt, index: usize) {
        let length = self.view(0).length(channel);
        let size = channel.block.message;
        let from = self.view(0).message(channel, index);
        let end = self.view(0).message(channel, length);
        self.state.copy_within(from + size..end, from);
        write_length(&mut self.state, channel.at, channel.block, length - 1);
        if channel.block.capacity.is_some() {
            self.state[end - size..end].fill(0);
        } else {
            self.state.drain(end - size..end);
            self.tables.read(self.layout, &self.state);
        }
    }

    fn assign(&mut self, pid: usize, lvalue: &Lvalue, value: i32) -> Eval<()> {
        let (at, slot) = self.view(pid).address(lvalue)?;
        let width = slot.width;
        let value = slot.ty.store(value).ok_or(Cause::Range)?;
        width.write(&mut self.state, at, value);
        Ok(())
    }

    fn effects(&mut self, pid: usize, effects: &[Effect]) -> Eval<()> {
        for effect in effects {
            match effect {
                Effect::Assign(lvalue, expr) => {
                    let value = self.view(pid).eval(expr)?;
                    self.assign(pid, lvalue, value)?;
                }
                Effect::Assert(expr) => {
                    // This does not keep the rest from being done: a search that counts all errors goes on.
                    if !self.view(pid).is_true(expr)? {
                        self.note(Cause::Assertion);
                    }
                }
                Effect::Run { process, arguments, priority, result } => {
                    let view = self.view(pid);
                    let values: Vec<i32> =
                        arguments.iter().map(|argument| view.eval(argument)).collect::<Eval<_>>()?;
                    let priority = priority.as_ref().map(|priority| view.eval(priority)).transpose()?;
                    let created = self.create(*process, &values, priority)?;
                    if let Some(lvalue) = result {
                        self.assign(pid, lvalue, created as i32)?;
                    }
                }
                Effect::Print { format, arguments } => {
                    if self.heard.is_some() {
                        let text = self.print(pid, format, arguments);
                        self.heard.get_or_insert_default().push(Heard::Printed(text));
                    }
                }
                Effect::SetPriority { process, priority } => {
                    let view = self.view(pid);
                    let (process, priority) = (view.eval(process)?, view.eval(priority)?);
                    self.set_priority(process, priority);
                }
                Effect::Place { process, at, arguments } => {
                    let view = self.view(pid);
                    let values: Vec<i32> =
                        arguments.iter().map(|argument| view.eval(argument)).collect::<Eval<_>>()?;
                    self.place(*process, *at, &values)?;
                }
            }
        }
        Ok(())
    }

    /// Puts the first process of a kind at a location.
    fn place(&mut self, id: ProcessId, at: Loc, arguments: &[i32]) -> Eval<()> {
        let view = self.view(0);
        let Some(pid) = (0..self.tables.processes.len()).find(|&pid| view.process_id(pid) == id) else {
            return Ok(());
        };
        self.go_to(pid, at);
        let program: &'a Program = self.program;
        let process = &program.processes[id.index()];
        let base = self.tables.processes[pid] as usize;
        for (local, offset) in process.locals.iter().zip(&self.layout.frames[id.index()].locals) {
            let size = local.ty.size() as usize * local.len() as usize;
            self.state[base + offset..base + offset + size].fill(0);
        }
        for (index, &value) in arguments.iter().enumerate() {
            self.assign(
                pid,
                &Lvalue { variable: VariableRef::Local(index as u32), indices: Vec::new() },
                value,
            )?;
        }
        Ok(())
    }

    fn set_priority(&mut self, pid: i32, priority: i32) {
        let Some(&at) = usize::try_from(pid).ok().and_then(|pid| self.tables.processes.get(pid)) else {
            return;
        };
        if let Some(offset) = self.layout.frames[self.state[at as usize] as usize].priority {
            self.state[at as usize + offset] = priority.clamp(1, 255) as u8;
        }
    }

    fn go_to(&mut self, pid: usize, location: Loc) {
        let at = self.tables.processes[pid] as usize;
        let wide = self.layout.frames[self.state[at] as usize].wide_location;
        self.state[at + LOCATION] = location.0 as u8;
        if wide {
            self.state[at + LOCATION + 1] = (location.0 >> 8) as u8;
        }
    }

    /// Creates a process and tells its number.
    fn create(&mut self, id: ProcessId, arguments: &[i32], priority: Option<i32>) -> Eval<usize> {
        let pid = self.tables.processes.len();
        if pid >= MOST_PROCESSES {
            return Err(Cause::TooManyProcesses);
        }
        let frame = &self.layout.frames[id.index()];
        if self.tables.channels.len() + frame.channels.len() > MOST_CHANNELS {
            return Err(Cause::TooManyChannels);
        }
        let process = &self.program.processes[id.index()];
        let at = self.state.len();
        let mut channel = self.tables.channels.len();
        self.state.resize(at + frame.size, 0);
        self.state[at] = id.0 as u8;
        for &channel in &frame.channels {
            self.open(channel);
        }
        self.state[self.tables.count] += 1;
        self.tables.read(self.layout, &self.state);
        if let Some(offset) = frame.priority {
            self.state[at + offset] =
                priority.map_or(process.priority, |priority| priority.clamp(1, 255) as u8);
        }
        self.go_to(pid, process.entry);
        for (index, variable) in process.locals.iter().enumerate() {
            let local = VariableRef::Local(index as u32);
            match arguments.get(index) {
                Some(&value) if index < process.parameters as usize => {
                    self.assign(pid, &Lvalue { variable: local, indices: Vec::new() }, value)?;
                }
                _ => self.initialise(local, &variable.init, &mut channel, pid)?,
            }
        }
        Ok(pid)
    }

    /// Gives a variable its initial value. `channel` counts the channels created so far.
    fn initialise(
        &mut self,
        variable: VariableRef,
        init: &Init,
        channel: &mut usize,
        pid: usize,
    ) -> Eval<()> {
        let (base, ty, length) = match variable {
            VariableRef::Global(index) => {
                let variable = &self.program.globals[index as usize];
                (self.layout.globals[index as usize], variable.ty, variable.len() as usize)
            }
            VariableRef::Local(index) => {
                let at = self.tables.processes[pid] as usize;
                let kind = self.state[at] as usize;
                let variable = &self.program.processes[kind].locals[index as usize];
                let offset = self.layout.frames[kind].locals[index as usize];
                (at + offset, variable.ty, variable.len() as usize)
            }
        };
        for element in 0..length {
            let value = match init {
                Init::Zero => continue,
                Init::Value(expr) => self.view(pid).eval(expr)?,
                Init::List(values) => match values.get(element) {
                    Some(expr) => self.view(pid).eval(expr)?,
                    None => continue,
                },
                Init::Channel(_) => {
                    *channel += 1;
                    *channel as i32
                }
            };
            let value = ty.store(value).ok_or(Cause::Range)?;
            write_scalar(&mut self.state, base + element * ty.size() as usize, ty, value);
        }
        Ok(())
    }

    /// Ends the youngest process.
    fn exit(&mut self, pid: usize) {
        debug_assert_eq!(pid + 1, self.tables.processes.len(), "only the youngest process ends");
        let at = self.tables.processes[pid] as usize;
        self.state.truncate(at);
        self.state[self.tables.count] -= 1;
        self.tables.read(self.layout, &self.state);
    }

    /// C's printf, as far as Promela has it. What has a fault is printed as a question mark: only those who watch print,
    /// and watching must change nothing.
    fn print(&self, pid: usize, format: &str, arguments: &[(Expr, Option<crate::ir::SymbolsId>)]) -> String {
        let view = self.view(pid);
        let mut out = String::new();
        let mut arguments = arguments.iter();
        let mut chars = format.chars();
        while let Some(c) = chars.next() {
            match c {
                '\\' => match chars.next() {
                    Some('n') => out.push('\n'),
                    Some('t') => out.push('\t'),
                    Some('r') => out.push('\r'),
                    Some(other) => out.push(other),
                    None => out.push('\\'),
                },
                '%' => {
                    let Some(letter) = chars.next() else {
                        out.push('%');
                        break;
                    };
                    if letter == '%' {
                        out.push('%');
                        continue;
                    }
                    let Some((expr, symbols)) = arguments.next() else { continue };
                    let Ok(value) = view.eval(expr) else {
                        out.push('?');
                        continue;
                    };
                    match letter {
                        'c' => out.push(char::from(value as u8)),
                        'u' => out.push_str(&(value as u32).to_string()),
                        'x' => out.push_str(&format!("{value:x}")),
                        'o' => out.push_str(&format!("{value:o}")),
                        'e' => out.push_str(&self.program.symbol(*symbols, value)),
                        _ => out.push_str(&value.to_string()),
                    }
                }
                _ => out.push(c),
            }
        }
        out
    }
}

impl Program {
    /// The name of a value, if the set has one; else the number.
    pub fn symbol(&self, symbols: Option<crate::ir::SymbolsId>, value: i32) -> String {
        let set = symbols.or(if self.symbols.is_empty() { None } else { Some(crate::ir::SymbolsId(0)) });
        let members = set.and_then(|set| self.symbols.get(set.index())).map(|set| &set.members);
        let found = members.and_then(|members| members.iter().find(|(_, number)| *number == value));
        found.map_or_else(|| value.to_string(), |(name, _)| name.clone())
    }
}
