//! Reading a state: the values of expressions, and whether commands are executable.

use super::Cause;
use crate::ir::{
    Binary, ChannelId, ChannelQuery, Command, CommandId, Expr, GateId, Guard, Loc, Lvalue, Pattern,
    ProcessId, ProcessType, Program, Sync, Type, VariableRef,
};
use crate::layout::{Block, LOCATION, Layout, Slot, Tables, read_length, read_scalar};

/// A state, taken apart, and who is looking at it.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) program: &'a Program,
    pub(super) layout: &'a Layout,
    pub(super) state: &'a [u8],
    pub(super) tables: &'a Tables,
    /// The process whose locals and number are meant; none while globals are initialised.
    pub(super) pid: usize,
    /// Where it lies, and how its locals are read.
    base: usize,
    locals: &'a [Slot],
    /// Whether nothing else can move.
    pub(super) timeout: bool,
    /// Whether this is about finding out whether a process is enabled; then no other process is, or two that ask about
    /// each other would ask for ever.
    pub(super) asking: bool,
}

/// A channel that a command names.
#[derive(Clone, Copy)]
pub(super) struct ChannelAt {
    /// Where it lies.
    pub(super) at: usize,
    pub(super) kind: ChannelId,
    pub(super) block: Block,
}

/// One way of executing a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Move {
    pub(super) pid: usize,
    pub(super) command: CommandId,
    /// The process that receives what the command sends, and with which command.
    pub(super) partner: Option<(usize, CommandId)>,
    /// Which of its [meetings](super::meeting) it is, if it meets others at a gate.
    pub(super) meeting: Option<u32>,
    /// Whether it is one of the moves that exist only because there are no others.
    pub(super) timeout: bool,
}

pub(super) type Eval<T> = Result<T, Cause>;

impl<'a> View<'a> {
    /// A state as process `pid` sees it, or nobody if there is no such process.
    pub(super) fn new(
        program: &'a Program,
        layout: &'a Layout,
        state: &'a [u8],
        tables: &'a Tables,
        pid: usize,
        timeout: bool,
    ) -> Self {
        let view = Self { program, layout, state, tables, pid, base: 0, locals: &[], timeout, asking: false };
        view.of(pid)
    }

    /// The same view, for finding out whether a process is enabled or not.
    pub(super) fn asking(self, asking: bool) -> Self {
        Self { asking, ..self }
    }

    /// The same state as another process sees it.
    pub(super) fn of(mut self, pid: usize) -> Self {
        self.pid = pid;
        if let Some(&at) = self.tables.processes.get(pid) {
            self.base = at as usize;
            self.locals = &self.layout.frames[self.state[self.base] as usize].slots;
        }
        self
    }

    pub(super) fn process_id(&self, pid: usize) -> ProcessId {
        ProcessId(u32::from(self.state[self.tables.processes[pid] as usize]))
    }

    pub(super) fn process(&self, pid: usize) -> &'a ProcessType {
        &self.program.processes[self.process_id(pid).index()]
    }

    pub(super) fn location(&self, pid: usize) -> Loc {
        let at = self.tables.processes[pid] as usize;
        let wide = self.layout.frames[self.state[at] as usize].wide_location;
        let high = if wide { u32::from(self.state[at + LOCATION + 1]) << 8 } else { 0 };
        Loc(high | u32::from(self.state[at + LOCATION]))
    }

    pub(super) fn priority(&self, pid: usize) -> Option<u8> {
        let at = self.tables.processes[pid] as usize;
        let frame = &self.layout.frames[self.state[at] as usize];
        frame.priority.map(|offset| self.state[at + offset])
    }

    /// Where an lvalue lies, and how.
    #[inline]
    pub(super) fn address(&self, lvalue: &Lvalue) -> Eval<(usize, &'a Slot)> {
        let (base, slot) = match lvalue.variable {
            VariableRef::Global(index) => (0, &self.layout.slots[index as usize]),
            VariableRef::Local(index) => (self.base, &self.locals[index as usize]),
        };
        Ok((self.element(base, slot, &lvalue.indices)?, slot))
    }

    #[inline]
    fn element(&self, base: usize, slot: &Slot, indices: &[Expr]) -> Eval<usize> {
        if indices.is_empty() { Ok(base + slot.offset) } else { self.indexed(base, slot, indices) }
    }

    fn indexed(&self, base: usize, slot: &Slot, indices: &[Expr]) -> Eval<usize> {
        let mut element = 0;
        for (index, &length) in indices.iter().zip(&slot.dims) {
            let index = self.eval(index)?;
            if index < 0 || index as u32 >= length {
                return Err(Cause::Index);
            }
            element = element * length as usize + index as usize;
        }
        Ok(base + slot.offset + element * slot.width.size())
    }

    /// Whether an expression is not 0.
    pub(super) fn is_true(&self, expr: &Expr) -> Eval<bool> {
        Ok(self.eval(expr)? != 0)
    }

    pub(super) fn eval(&self, expr: &Expr) -> Eval<i32> {
        Ok(match expr {
            Expr::Const(value) => *value,
            Expr::Load(lvalue) => {
                let (at, slot) = self.address(lvalue)?;
                slot.width.read(self.state, at)
            }
            Expr::Unary(operator, a) => operator.apply(self.eval(a)?),
            Expr::Binary(Binary::And, ab) => i32::from(self.is_true(&ab[0])? && self.is_true(&ab[1])?),
            Expr::Binary(Binary::Or, ab) => i32::from(self.is_true(&ab[0])? || self.is_true(&ab[1])?),
            Expr::Binary(operator, ab) => {
                operator.apply(self.eval(&ab[0])?, self.eval(&ab[1])?).ok_or(Cause::DivisionByZero)?
            }
            Expr::Cond(parts) => self.eval(&parts[if self.is_true(&parts[0])? { 1 } else { 2 }])?,
            Expr::Pid => self.pid as i32,
            _ => self.eval_rare(expr)?,
        })
    }

    /// The rest of [`eval`](Self::eval), apart from it: a function that does little per call must not have the stack
    /// frame of one that does much.
    #[inline(never)]
    fn eval_rare(&self, expr: &Expr) -> Eval<i32> {
        Ok(match expr {
            Expr::Const(_)
            | Expr::Load(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Cond(_)
            | Expr::Pid => unreachable!("these are dealt with in eval"),
            Expr::ProcessCount => self.tables.processes.len() as i32,
            Expr::Last => self.layout.last.map_or(0, |at| i32::from(self.state[at])),
            Expr::Timeout => i32::from(self.timeout),
            Expr::Channel(query, channel) => self.query(*query, self.channel(channel)?),
            Expr::Poll { channel, patterns, random, ahead } => {
                let channel = self.channel(channel)?;
                if channel.block.capacity == Some(0) {
                    return Err(Cause::PollRendezvous);
                }
                i32::from(self.matching_from(channel, patterns, *random, *ahead as usize)?.is_some())
            }
            Expr::Remote { process, pid, variable, indices } => {
                match self.remote(*process, pid.as_deref())? {
                    Some(pid) => {
                        // The indices are ours, the variable is theirs.
                        let remote = self.of(pid);
                        let slot = &remote.locals[*variable as usize];
                        slot.width.read(self.state, self.element(remote.base, slot, indices)?)
                    }
                    None => 0,
                }
            }
            Expr::At { process, pid, locations } => match self.remote(*process, pid.as_deref())? {
                Some(pid) => i32::from(locations.contains(&self.location(pid))),
                None => 0,
            },
            Expr::Location(pid) => self.existing(pid)?.map_or(0, |pid| self.location(pid).0 as i32),
            Expr::Enabled(pid) => match self.existing(pid)? {
                Some(pid) if !self.asking => i32::from(Self { asking: true, ..self.of(pid) }.can_move()),
                _ => 0,
            },
            Expr::NonProgress => {
                i32::from(!(0..self.tables.processes.len()).any(|pid| self.at_progress(pid)))
            }
            Expr::Priority(pid) => {
                // Where nobody changes priorities, all that exist have 1.
                self.existing(pid)?.map_or(0, |pid| self.priority(pid).map_or(1, i32::from))
            }
        })
    }

    /// The process with this number, if there is one.
    fn existing(&self, pid: &Expr) -> Eval<Option<usize>> {
        let pid = self.eval(pid)?;
        Ok(usize::try_from(pid).ok().filter(|&pid| pid < self.tables.processes.len()))
    }

    /// The process that a remote reference means: the one with the number, if it is of the right kind, or the first of
    /// the kind.
    fn remote(&self, process: ProcessId, pid: Option<&Expr>) -> Eval<Option<usize>> {
        Ok(match pid {
            Some(pid) => self.existing(pid)?.filter(|&pid| self.process_id(pid) == process),
            None => (0..self.tables.processes.len()).find(|&pid| self.process_id(pid) == process),
        })
    }

    fn at_progress(&self, pid: usize) -> bool {
        self.process(pid).locations[self.location(pid).index()].progress
    }

    /// The channel that an expression names.
    pub(super) fn channel(&self, channel: &Expr) -> Eval<ChannelAt> {
        let number = self.eval(channel)?;
        let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        let Some(&(at, kind)) = index.and_then(|index| self.tables.channels.get(index)) else {
            return Err(Cause::NoChannel);
        };
        Ok(ChannelAt { at: at as usize, kind, block: self.layout.block(kind) })
    }

    pub(super) fn length(&self, channel: ChannelAt) -> usize {
        read_length(self.state, channel.at, channel.block)
    }

    fn query(&self, query: ChannelQuery, channel: ChannelAt) -> i32 {
        let length = self.length(channel);
        // A rendez-vous channel is neither full nor empty in any useful sense; this is what SPIN answers.
        let full = channel.block.capacity.is_some_and(|capacity| capacity > 0 && length == capacity);
        match query {
            ChannelQuery::Len => length as i32,
            ChannelQuery::Empty => i32::from(length == 0),
            ChannelQuery::NotEmpty => i32::from(length > 0),
            ChannelQuery::Full => i32::from(full),
            ChannelQuery::NotFull => i32::from(!full),
        }
    }

    /// Where message `index` of a channel lies.
    pub(super) fn message(&self, channel: ChannelAt, index: usize) -> usize {
        channel.at + channel.block.header + index * channel.block.message
    }

    /// Which message a receive takes.
    pub(super) fn matching(
        &self,
        channel: ChannelAt,
        patterns: &[Pattern],
        random: bool,
    ) -> Eval<Option<usize>> {
        self.matching_from(channel, patterns, random, 0)
    }

    /// The same behind the first messages.
    fn matching_from(
        &self,
        channel: ChannelAt,
        patterns: &[Pattern],
        random: bool,
        from: usize,
    ) -> Eval<Option<usize>> {
        let fields = &self.program.channels[channel.kind.index()].fields;
        let length = self.length(channel);
        let end = if random { length } else { length.min(from + 1) };
        for index in from..end {
            let mut at = self.message(channel, index);
            let mut matches = true;
            for (pattern, &ty) in patterns.iter().zip(fields) {
                if let Pattern::Match(expr) = pattern {
                    matches &= self.eval(expr)? == read_scalar(self.state, at, ty);
                }
                at += ty.size() as usize;
            }
            // Too many fields are a fault only where there is a message to take, as in SPIN.
            if matches && patterns.len() > fields.len() {
                return Err(Cause::Arity);
            }
            if matches {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    /// The values of a message as the channel will hold them.
    pub(super) fn message_values(&self, channel: ChannelAt, fields: &[Expr], out: &mut Vec<i32>) -> Eval<()> {
        let types = &self.program.channels[channel.kind.index()].fields;
        if fields.len() > types.len() {
            return Err(Cause::Arity);
        }
        out.clear();
        for (field, ty) in fields.iter().zip(types) {
            out.push(ty.store(self.eval(field)?).ok_or(Cause::Range)?);
        }
        out.resize(types.len(), 0);
        Ok(())
    }

    /// Whether a process with a priority above this one can move.
    pub(super) fn is_outranked(&self, own: u8) -> bool {
        let above = |pid: &usize| self.priority(*pid).is_some_and(|priority| priority > own);
        (0..self.tables.processes.len()).filter(above).any(|pid| self.of(pid).can_move())
    }

    /// Whether this process has an executable command.
    fn can_move(&self) -> bool {
        let mut any = false;
        self.moves(|_| any = true);
        any
    }

    /// Calls `found` for every way in which this process can move. A fault met while deciding counts as a move: firing
    /// the command runs into it. If it is the condition under which the process moves at all that has the fault, the
    /// first command stands for all.
    pub(super) fn moves(&self, mut found: impl FnMut(Move)) {
        let process = self.process(self.pid);
        let groups = &process.locations[self.location(self.pid).index()].groups;
        // As in SPIN, the question whether a process has an executable command does not ask whether it may move.
        let provided = process.provided.as_ref().filter(|_| !self.asking);
        match provided.map(|provided| self.is_true(provided)) {
            None | Some(Ok(true)) => {}
            Some(Ok(false)) => return,
            Some(Err(_)) => {
                if let Some(&command) = groups.iter().flatten().next() {
                    found(self.alone(command));
                }
                return;
            }
        }
        for group in groups {
            if self.group_moves(process, group, &mut found) {
                break;
            }
        }
    }

    fn alone(&self, command: CommandId) -> Move {
        Move { pid: self.pid, command, partner: None, meeting: None, timeout: self.timeout }
    }

    /// The moves of one group; whether there were any.
    fn group_moves(&self, process: &ProcessType, group: &[CommandId], found: &mut impl FnMut(Move)) -> bool {
        let mut any = false;
        for &id in group {
            let command = &process.commands[id.index()];
            // Only what comes before an `else` keeps it from being executed, as in SPIN. That shows where a selection is
            // the first statement of an option that is not the last.
            if any && command.guard == Guard::Else {
                continue;
            }
            self.command_moves(id, command, &mut |found_move, moves_on| {
                any |= moves_on;
                found(found_move);
            });
        }
        any
    }

    /// The moves of a command, and of each whether it moves on. One that does not is an attempt that fails with a fault
    /// (see `fault`); it keeps nothing else from being tried.
    fn command_moves(&self, id: CommandId, command: &Command, found: &mut impl FnMut(Move, bool)) {
        let alone = self.alone(id);
        match self.executable(command) {
            Ok(Executable::No) => {}
            Err(Cause::PollRendezvous) => found(alone, !matches!(command.guard, Guard::When(_))),
            Ok(Executable::Alone) | Err(_) => found(alone, true),
            Ok(Executable::WithPartner(channel)) => {
                let mut met = false;
                self.partners(command, channel, &mut |partner| {
                    met = true;
                    found(Move { partner: Some(partner), ..alone }, true);
                });
                if !met && self.sends_too_little(command) {
                    found(Move { partner: Some((self.pid, CommandId(u32::MAX))), ..alone }, false);
                }
            }
            Ok(Executable::Joint(gate)) => {
                let mut number = 0;
                self.meetings(id, gate, &mut |_| {
                    found(Move { meeting: Some(number), ..alone }, true);
                    number += 1;
                });
            }
        }
    }

    /// Whether a command sends a message without faults but with too few fields.
    pub(super) fn sends_too_little(&self, command: &Command) -> bool {
        let Sync::Send { channel, fields, .. } = &command.sync else { return false };
        self.channel(channel).is_ok_and(|channel| {
            let types = &self.program.channels[channel.kind.index()].fields;
            let sent =
                |(field, ty): (&Expr, &Type)| self.eval(field).is_ok_and(|value| ty.store(value).is_some());
            fields.len() < types.len() && fields.iter().zip(types).all(sent)
        })
    }

    fn executable(&self, command: &Command) -> Eval<Executable> {
        let guard = match &command.guard {
            Guard::Always | Guard::Else => true,
            Guard::When(expr) => self.is_true(expr)?,
            Guard::Body { entry, .. } => self.first_executable(*entry)?.is_some(),
            Guard::Exit => self.pid + 1 == self.tables.processes.len(),
        };
        if !guard {
            return Ok(Executable::No);
        }
        Ok(match &command.sync {
            Sync::None => Executable::Alone,
            Sync::Send { channel, .. } => {
                let channel = self.channel(channel)?;
                match channel.block.capacity {
                    Some(0) => Executable::WithPartner(channel),
                    Some(capacity) if self.length(channel) >= capacity => Executable::No,
                    _ => Executable::Alone,
                }
            }
            Sync::Receive { channel, patterns, random, .. } => {
                let channel = self.channel(channel)?;
                match self.matching(channel, patterns, *random)? {
                    Some(_) => Executable::Alone,
                    None => Executable::No,
                }
            }
            Sync::Gate { gate, .. } => Executable::Joint(*gate),
        })
    }

    /// The first command, in order, that can be executed at a location of a deterministic sequence.
    pub(super) fn first_executable(&self, at: Loc) -> Eval<Option<CommandId>> {
        let process = self.process(self.pid);
        for group in &process.locations[at.index()].groups {
            let mut otherwise = None;
            for &id in group {
                let command = &process.commands[id.index()];
                if command.guard == Guard::Else {
                    otherwise = Some(id);
                } else if matches!(self.executable(command)?, Executable::Alone) {
                    return Ok(Some(id));
                }
            }
            if otherwise.is_some() {
                return Ok(otherwise);
            }
        }
        Ok(None)
    }

    /// The commands of other processes that can receive what `send` sends at a rendez-vous.
    fn partners(&self, send: &Command, channel: ChannelAt, found: &mut impl FnMut((usize, CommandId))) {
        let Sync::Send { channel: sent_to, fields, .. } = &send.sync else { return };
        let Ok(number) = self.eval(sent_to) else { return };
        let types = &self.program.channels[channel.kind.index()].fields;
        let sent =
            |(field, ty): (&Expr, &Type)| self.eval(field).is_ok_and(|value| ty.store(value).is_some());
        if fields.len() > types.len() || !fields.iter().zip(types).all(sent) {
            // Let the fault be met when the command is fired: any partner will do.
            found((self.pid, CommandId(u32::MAX)));
            return;
        }
        for pid in (0..self.tables.processes.len()).rev().filter(|&pid| pid != self.pid) {
            let receiver = self.of(pid);
            let process = receiver.process(pid);
            if process.provided.as_ref().is_some_and(|provided| !receiver.is_true(provided).unwrap_or(false))
            {
                continue;
            }
            for group in &process.locations[receiver.location(pid).index()].groups {
                let mut any = false;
                for &id in group {
                    if receiver.receives(&process.commands[id.index()], number, self, fields, types) {
                        any = true;
                        found((pid, id));
                    }
                }
                if any {
                    break;
                }
            }
        }
    }

    /// Whether a command can receive what `sender` sends to the channel with this number. The values are computed where
    /// they are compared, since most are not: no buffer is needed. A pattern with a fault matches, and so do patterns too
    /// many, so that the fault is met when the message is handed over.
    fn receives(&self, command: &Command, number: i32, sender: &View, sent: &[Expr], types: &[Type]) -> bool {
        if let Guard::Body { entry, .. } = command.guard {
            return self.first_receive(entry, number, sender, sent, types).is_some();
        }
        let Sync::Receive { channel, patterns, .. } = &command.sync else { return false };
        let value = |index: usize| match sent.get(index) {
            Some(field) => sender.eval(field).ok().and_then(|value| types[index].store(value)),
            None => Some(0),
        };
        let matches = |(index, pattern): (usize, &Pattern)| match pattern {
            Pattern::Match(expr) => self.eval(expr).map_or(true, |wanted| value(index) == Some(wanted)),
            Pattern::Bind(_) | Pattern::Any => true,
        };
        let guard = match &command.guard {
            Guard::Always => true,
            Guard::When(expr) => self.is_true(expr) == Ok(true),
            Guard::Else | Guard::Body { .. } | Guard::Exit => false,
        };
        guard
            && self.eval(channel) == Ok(number)
            && patterns.iter().enumerate().take(types.len()).all(matches)
    }
}

impl View<'_> {
    /// The first command at an inner location that can receive what `sender` sends: a deterministic sequence may begin
    /// with the receiving half of a rendez-vous.
    pub(super) fn first_receive(
        &self,
        at: Loc,
        number: i32,
        sender: &View,
        sent: &[Expr],
        types: &[Type],
    ) -> Option<CommandId> {
        let process = self.process(self.pid);
        let leaving = process.locations[at.index()].groups.iter().flatten();
        leaving.copied().find(|id| self.receives(&process.commands[id.index()], number, sender, sent, types))
    }
}

enum Executable {
    No,
    Alone,
    /// Once for every process that receives from this rendez-vous channel.
    WithPartner(ChannelAt),
    /// Once for every meeting that it can begin at this gate.
    Joint(GateId),
}
