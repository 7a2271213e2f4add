//! A second interpreter of guarded commands, as simple as can be: it is what the documentation of
//! [`elnath_program::ir`] says, with vectors, queues and recursion. It shares nothing with the real one but the data
//! types (and their own arithmetic), so that a mistake has to be made twice to go unnoticed.

mod gates;
mod looking;

use elnath_program::interpreter::Cause;
use elnath_program::ir::{
    Capacity, Command, CommandId, Effect, Guard, Init, Loc, Lvalue, Pattern, ProcessId, ProcessType, Program,
    Sync, Variable, VariableRef,
};
use std::collections::VecDeque;

/// A state. Equal are those with equal contents.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NaiveState {
    globals: Vec<Vec<i32>>,
    last: i32,
    channels: Vec<NaiveChannel>,
    processes: Vec<NaiveProcess>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct NaiveChannel {
    kind: usize,
    messages: VecDeque<Vec<i32>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct NaiveProcess {
    kind: usize,
    location: Loc,
    priority: i32,
    locals: Vec<Vec<i32>>,
    channels: Vec<NaiveChannel>,
}

/// One transition: who, with what, where to, and the fault on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NaiveStep {
    /// The number of the process that began it.
    pub pid: usize,
    /// The command that began it.
    pub command: CommandId,
    /// The state after it.
    pub to: NaiveState,
    /// The first fault.
    pub fault: Option<Cause>,
}

/// An atomic sequence has a loop, or too many steps: nothing that is worth comparing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Endless;

/// A program that is interpreted naively.
pub struct Naive<'a>(pub &'a Program);

/// A way of executing a command, with the receiver at a rendez-vous, or with those who meet at a gate.
#[derive(Clone)]
struct Way {
    pid: usize,
    command: CommandId,
    partner: Option<(usize, CommandId)>,
    joint: Option<gates::Joint>,
}

/// Who looks at a state, and under which circumstances.
#[derive(Clone, Copy)]
struct Who {
    pid: usize,
    timeout: bool,
    asking: bool,
}

const NOBODY: usize = usize::MAX;
const MOST_MICRO_STEPS: usize = 3_000;

impl Naive<'_> {
    /// The initial state, or why there is none.
    ///
    /// # Errors
    /// The fault of an initial value.
    pub fn initial(&self) -> Result<NaiveState, Cause> {
        let zeros = |variable: &Variable| vec![0; variable.len() as usize];
        let mut state = NaiveState {
            globals: self.0.globals.iter().map(zeros).collect(),
            last: 0,
            channels: new_channels(self.0, &self.0.globals),
            processes: Vec::new(),
        };
        let mut number = 0;
        for (index, variable) in self.0.globals.iter().enumerate() {
            for element in 0..variable.len() as usize {
                let who = Who { pid: NOBODY, timeout: false, asking: false };
                let value = self.initial_value(&state, who, variable, element, &mut number)?;
                state.globals[index][element] = value;
            }
        }
        for process in &self.0.initial {
            self.create(&mut state, *process, &[], None)?;
        }
        Ok(state)
    }

    /// All transitions of a state, those of the youngest process first.
    ///
    /// # Errors
    /// If an atomic sequence does not end.
    pub fn steps(&self, state: &NaiveState) -> Result<Vec<NaiveStep>, Endless> {
        for timeout in [false, true] {
            let mut ways = Vec::new();
            for pid in (0..state.processes.len()).rev() {
                ways.extend(self.ways(state, Who { pid, timeout, asking: false }));
            }
            if self.0.has_priorities {
                let highest = ways.iter().map(|way| state.processes[way.pid].priority).max();
                ways.retain(|way| Some(state.processes[way.pid].priority) == highest);
            }
            let mut steps = Vec::new();
            let mut budget = MOST_MICRO_STEPS;
            for way in ways {
                let (pid, command) = (way.pid, way.command);
                let mut ends = Vec::new();
                self.go(
                    state.clone(),
                    &way,
                    timeout,
                    None,
                    &mut vec![state.clone()],
                    &mut budget,
                    &mut ends,
                )?;
                for (mut to, fault) in ends {
                    self.hide(&mut to);
                    steps.push(NaiveStep { pid, command, to, fault });
                }
            }
            if !steps.is_empty() {
                return Ok(steps);
            }
        }
        Ok(Vec::new())
    }

    /// Whether every process is where a run may end.
    pub fn may_end(&self, state: &NaiveState) -> bool {
        state
            .processes
            .iter()
            .all(|process| self.0.processes[process.kind].locations[process.location.index()].end)
    }

    /// The propositions that are true.
    pub fn valuation(&self, state: &NaiveState) -> u64 {
        let who = Who { pid: NOBODY, timeout: false, asking: false };
        let mut bits = 0;
        for (index, (_, expr)) in self.0.propositions.iter().enumerate() {
            if matches!(self.eval(state, who, expr), Ok(value) if value != 0) {
                bits |= 1 << index;
            }
        }
        bits
    }

    /// Whether a process of higher priority can move.
    fn is_outranked(&self, state: &NaiveState, pid: usize) -> bool {
        let own = state.processes[pid].priority;
        self.0.has_priorities
            && (0..state.processes.len()).any(|pid| {
                state.processes[pid].priority > own
                    && !self.ways(state, Who { pid, timeout: false, asking: false }).is_empty()
            })
    }

    /// Executes a command and, while the process goes on alone, all that may follow.
    #[allow(clippy::too_many_arguments)] // It is one recursion with its whole context.
    fn go(
        &self,
        mut state: NaiveState,
        way: &Way,
        timeout: bool,
        before: Option<Cause>,
        path: &mut Vec<NaiveState>,
        budget: &mut usize,
        ends: &mut Vec<(NaiveState, Option<Cause>)>,
    ) -> Result<(), Endless> {
        *budget = budget.checked_sub(1).ok_or(Endless)?;
        let mut fault = before;
        let alone = self.execute(&mut state, way, timeout, &mut fault);
        let next = match alone {
            Some(pid) if !self.is_outranked(&state, pid) => {
                self.ways(&state, Who { pid, timeout: false, asking: false })
            }
            _ => Vec::new(),
        };
        if next.is_empty() {
            ends.push((state, fault));
            return Ok(());
        }
        if path.contains(&state) {
            return Err(Endless);
        }
        path.push(state.clone());
        for way in next {
            self.go(state.clone(), &way, false, fault, path, budget, ends)?;
        }
        path.pop();
        Ok(())
    }

    fn hide(&self, state: &mut NaiveState) {
        if !self.0.globals.iter().any(|variable| variable.hidden) {
            return;
        }
        let initial = self.initial().expect("there is an initial state, or we would not be here");
        for (index, variable) in self.0.globals.iter().enumerate() {
            if variable.hidden {
                state.globals[index].clone_from(&initial.globals[index]);
            }
        }
    }

    fn kind(&self, state: &NaiveState, pid: usize) -> &ProcessType {
        &self.0.processes[state.processes[pid].kind]
    }

    // ---- What can be done ----

    fn ways(&self, state: &NaiveState, who: Who) -> Vec<Way> {
        let kind = self.kind(state, who.pid);
        let location = &kind.locations[state.processes[who.pid].location.index()];
        let way = |command| Way { pid: who.pid, command, partner: None, joint: None };
        if let Some(provided) = kind.provided.as_ref().filter(|_| !who.asking) {
            match self.eval(state, who, provided) {
                Ok(0) => return Vec::new(),
                Ok(_) => {}
                Err(_) => return location.groups.iter().flatten().take(1).map(|&id| way(id)).collect(),
            }
        }
        let mut found = Vec::new();
        for group in &location.groups {
            // Attempts that fail keep nothing else from being tried.
            let mut any = false;
            for &id in group {
                let command = &kind.commands[id.index()];
                if command.guard == Guard::Else && !any {
                    found.push(way(id));
                    any = true;
                    continue;
                }
                if let Sync::Gate { .. } = command.sync {
                    match self.is_open(state, who, command) {
                        Ok(false) => {}
                        // The fault of the guard is met alone.
                        Err(_) => {
                            found.push(way(id));
                            any |= self.fails(state, who, command).is_none();
                        }
                        Ok(true) => {
                            let before = found.len();
                            let joints = self.joints(state, who, id);
                            found.extend(
                                joints.into_iter().map(|joint| Way { joint: Some(joint), ..way(id) }),
                            );
                            any |= found.len() > before;
                        }
                    }
                    continue;
                }
                let fails = self.fails(state, who, command).is_some();
                match self.executable(state, who, command) {
                    Err(_) | Ok(None) if fails => found.push(way(id)),
                    Ok(None) => {}
                    Ok(Some(partners)) if !partners.is_empty() => {
                        found.extend(
                            partners.into_iter().map(|partner| Way { partner: Some(partner), ..way(id) }),
                        );
                        any = true;
                    }
                    Ok(Some(_)) | Err(_) => {
                        found.push(way(id));
                        any = true;
                    }
                }
            }
            if any {
                break;
            }
        }
        found
    }

    /// The fault of an attempt that leaves everything as it is: a condition that polls a rendez-vous channel, a message
    /// with too few fields that nobody receives at a rendez-vous.
    fn fails(&self, state: &NaiveState, who: Who, command: &Command) -> Option<Cause> {
        if let Guard::When(expr) = &command.guard {
            match self.eval(state, who, expr) {
                Err(Cause::PollRendezvous) => return Some(Cause::PollRendezvous),
                Err(_) | Ok(0) => return None,
                Ok(_) => {}
            }
        }
        let Sync::Send { channel, fields, .. } = &command.sync else { return None };
        let number = self.eval(state, who, channel).ok()?;
        let kind = self.channel(state, who, channel).ok()?.kind;
        let message = self.message(state, who, kind, fields).ok()?;
        let alone = self.0.channels[kind].capacity == Capacity::Rendezvous
            && self.partners(state, who, number, &message).is_empty();
        (alone && fields.len() < message.len()).then_some(Cause::Arity)
    }

    /// `None` if it is not executable (or an `else`); else with whom, nobody if it needs none.
    fn executable(
        &self,
        state: &NaiveState,
        who: Who,
        command: &Command,
    ) -> Result<Option<Vec<(usize, CommandId)>>, Cause> {
        if !self.is_open(state, who, command)? {
            return Ok(None);
        }
        match &command.sync {
            // Inside a deterministic sequence there are none.
            Sync::Gate { .. } => Ok(None),
            Sync::None => Ok(Some(Vec::new())),
            Sync::Receive { channel, patterns, random, .. } => {
                let channel = self.channel(state, who, channel)?;
                let found = self.position(state, who, channel, patterns, *random)?;
                Ok(found.map(|_| Vec::new()))
            }
            Sync::Send { channel, fields, .. } => {
                let number = self.eval(state, who, channel)?;
                let channel = self.channel(state, who, channel)?;
                match self.0.channels[channel.kind].capacity {
                    Capacity::Unbounded => Ok(Some(Vec::new())),
                    Capacity::Bounded(most) => {
                        Ok(if channel.messages.len() < most as usize { Some(Vec::new()) } else { None })
                    }
                    Capacity::Rendezvous => {
                        let message = self.message(state, who, channel.kind, fields)?;
                        let partners = self.partners(state, who, number, &message);
                        Ok(if partners.is_empty() { None } else { Some(partners) })
                    }
                }
            }
        }
    }

    /// Whether the guard is true.
    fn is_open(&self, state: &NaiveState, who: Who, command: &Command) -> Result<bool, Cause> {
        Ok(match &command.guard {
            Guard::Always => true,
            Guard::When(expr) => self.eval(state, who, expr)? != 0,
            Guard::Else => false,
            Guard::Body { entry, .. } => self.first(state, who, *entry)?.is_some(),
            Guard::Exit => who.pid == state.processes.len() - 1,
        })
    }

    fn sends_to_rendezvous(&self, state: &NaiveState, who: Who, command: &Command) -> Result<bool, Cause> {
        let Sync::Send { channel, .. } = &command.sync else { return Ok(false) };
        let kind = self.channel(state, who, channel)?.kind;
        Ok(self.0.channels[kind].capacity == Capacity::Rendezvous)
    }

    /// Who can receive a message, and with which command, the youngest first.
    fn partners(
        &self,
        state: &NaiveState,
        sender: Who,
        number: i32,
        message: &[i32],
    ) -> Vec<(usize, CommandId)> {
        let mut partners = Vec::new();
        for pid in (0..state.processes.len()).rev() {
            if pid == sender.pid {
                continue;
            }
            let who = Who { pid, ..sender };
            let kind = self.kind(state, pid);
            let provided = kind.provided.as_ref().map_or(Ok(1), |provided| self.eval(state, who, provided));
            if !matches!(provided, Ok(value) if value != 0) {
                continue;
            }
            for group in &kind.locations[state.processes[pid].location.index()].groups {
                let receives =
                    |id: &&CommandId| self.receives(state, who, &kind.commands[id.index()], number, message);
                let found: Vec<CommandId> = group.iter().filter(receives).copied().collect();
                if !found.is_empty() {
                    partners.extend(found.into_iter().map(|id| (pid, id)));
                    break;
                }
            }
        }
        partners
    }

    fn receives(
        &self,
        state: &NaiveState,
        who: Who,
        command: &Command,
        number: i32,
        message: &[i32],
    ) -> bool {
        if let Guard::Body { entry, .. } = command.guard {
            return self.first_receive(state, who, entry, number, message).is_some();
        }
        let Sync::Receive { channel, patterns, .. } = &command.sync else { return false };
        let open = match &command.guard {
            Guard::Always => true,
            Guard::When(expr) => matches!(self.eval(state, who, expr), Ok(value) if value != 0),
            _ => false,
        };
        if !open || self.eval(state, who, channel) != Ok(number) {
            return false;
        }
        patterns.iter().zip(message).all(|(pattern, sent)| match pattern {
            Pattern::Match(expr) => match self.eval(state, who, expr) {
                Ok(wanted) => wanted == *sent,
                Err(_) => true,
            },
            _ => true,
        })
    }

    /// The command at the beginning of a body that takes a message at a rendez-vous.
    fn first_receive(
        &self,
        state: &NaiveState,
        who: Who,
        entry: Loc,
        number: i32,
        message: &[i32],
    ) -> Option<&Command> {
        let kind = self.kind(state, who.pid);
        let commands = kind.locations[entry.index()].groups.iter().flatten();
        let mut commands = commands.map(|id| &kind.commands[id.index()]);
        commands.find(|command| self.receives(state, who, command, number, message))
    }

    /// The first executable command at a location within a body.
    fn first(&self, state: &NaiveState, who: Who, at: Loc) -> Result<Option<CommandId>, Cause> {
        let kind = self.kind(state, who.pid);
        for group in &kind.locations[at.index()].groups {
            for &id in group {
                let command = &kind.commands[id.index()];
                if self.is_open(state, who, command)?
                    && !self.sends_to_rendezvous(state, who, command)?
                    && self.executable(state, who, command)?.is_some()
                {
                    return Ok(Some(id));
                }
            }
            let other = group.iter().find(|id| kind.commands[id.index()].guard == Guard::Else);
            if let Some(&id) = other {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    // ---- Doing it ----

    /// Who goes on alone.
    fn execute(
        &self,
        state: &mut NaiveState,
        way: &Way,
        timeout: bool,
        fault: &mut Option<Cause>,
    ) -> Option<usize> {
        let who = Who { pid: way.pid, timeout, asking: false };
        let kind = &self.0.processes[state.processes[way.pid].kind];
        let command = &kind.commands[way.command.index()];
        if let Some(joint) = &way.joint {
            if let Some(cause) = joint.fault {
                record(fault, Err(cause));
                return None;
            }
            let agreed = self.agree(state, who, joint);
            for &(pid, id) in &joint.members {
                state.processes[pid].location = self.kind(state, pid).commands[id.index()].target;
            }
            record(fault, agreed);
            if agreed.is_ok() {
                let done = self.join(state, who, joint, fault);
                record(fault, done);
            }
            self.moved(state, way.pid);
            return None;
        }
        if let Some((receiver, by)) = way.partner {
            let receive = &self.0.processes[state.processes[receiver].kind].commands[by.index()];
            let done = self.meet(state, who, command, Who { pid: receiver, ..who }, receive, fault);
            record(fault, done);
            state.processes[way.pid].location = command.target;
            state.processes[receiver].location = receive.target;
            self.moved(state, receiver);
            return if receive.atomic { Some(receiver) } else { None };
        }
        let provided = kind.provided.as_ref().map_or(Ok(0), |provided| self.eval(state, who, provided));
        if command.guard == Guard::Exit && provided.is_ok() {
            state.processes.pop();
            self.moved(state, way.pid);
            return None;
        }
        if let Some(cause) = self.fails(state, who, command).filter(|_| provided.is_ok()) {
            record(fault, Err(cause));
            return None;
        }
        let done = provided.and_then(|_| self.perform(state, who, command, fault));
        record(fault, done);
        state.processes[way.pid].location = command.target;
        self.moved(state, way.pid);
        if command.atomic { Some(way.pid) } else { None }
    }

    fn moved(&self, state: &mut NaiveState, pid: usize) {
        if self.0.tracks_last {
            state.last = pid as i32;
        }
    }

    fn meet(
        &self,
        state: &mut NaiveState,
        sender: Who,
        send: &Command,
        receiver: Who,
        receive: &Command,
        fault: &mut Option<Cause>,
    ) -> Result<(), Cause> {
        let Sync::Send { channel, fields, .. } = &send.sync else { panic!("the sender sends nothing") };
        let kind = self.channel(state, sender, channel)?.kind;
        let message = self.message(state, sender, kind, fields)?;
        let number = self.eval(state, sender, channel)?;
        let taking = match receive.guard {
            Guard::Body { entry, .. } => {
                self.first_receive(state, receiver, entry, number, &message).expect("it was found to receive")
            }
            _ => receive,
        };
        let Sync::Receive { patterns, .. } = &taking.sync else { panic!("the receiver takes nothing") };
        for pattern in patterns {
            if let Pattern::Match(expr) = pattern {
                self.eval(state, receiver, expr)?;
            }
        }
        if fields.len() < message.len() {
            record(fault, Err(Cause::Arity));
        }
        if patterns.len() > message.len() {
            return Err(Cause::Arity);
        }
        self.bind(state, receiver, patterns, &message)?;
        if patterns.len() < message.len() {
            record(fault, Err(Cause::Arity));
        }
        self.effects(state, sender, &send.effects, fault)?;
        self.effects(state, receiver, &receive.effects, fault)?;
        let Guard::Body { exit, .. } = receive.guard else { return Ok(()) };
        let rest = taking.target;
        self.effects(state, receiver, &taking.effects.clone(), fault)?;
        self.body(state, receiver, rest, exit, fault)
    }

    fn perform(
        &self,
        state: &mut NaiveState,
        who: Who,
        command: &Command,
        fault: &mut Option<Cause>,
    ) -> Result<(), Cause> {
        if let Guard::When(expr) = &command.guard {
            self.eval(state, who, expr)?;
        }
        self.communicate(state, who, &command.sync, fault)?;
        self.effects(state, who, &command.effects, fault)?;
        match command.guard {
            Guard::Body { entry, exit } => self.body(state, who, entry, exit, fault),
            _ => Ok(()),
        }
    }

    fn body(
        &self,
        state: &mut NaiveState,
        who: Who,
        entry: Loc,
        exit: Loc,
        fault: &mut Option<Cause>,
    ) -> Result<(), Cause> {
        let mut at = entry;
        for _ in 0..1_000_000 {
            if at == exit {
                return Ok(());
            }
            let id = self.first(state, who, at)?.ok_or(Cause::BlockedBody)?;
            let inner = &self.0.processes[state.processes[who.pid].kind].commands[id.index()];
            self.communicate(state, who, &inner.sync, fault)?;
            self.effects(state, who, &inner.effects, fault)?;
            at = inner.target;
        }
        Err(Cause::EndlessBody)
    }

    fn communicate(
        &self,
        state: &mut NaiveState,
        who: Who,
        sync: &Sync,
        fault: &mut Option<Cause>,
    ) -> Result<(), Cause> {
        match sync {
            Sync::None | Sync::Gate { .. } => Ok(()),
            Sync::Send { channel, fields, sorted } => {
                let number = self.eval(state, who, channel)?;
                let kind = self.channel(state, who, channel)?.kind;
                let message = self.message(state, who, kind, fields)?;
                let messages = &mut channel_mut(state, number).messages;
                let end = messages.len();
                let at = if *sorted {
                    messages.iter().position(|other| *other > message).unwrap_or(end)
                } else {
                    end
                };
                let missing = fields.len() < message.len();
                messages.insert(at, message);
                if missing {
                    record(fault, Err(Cause::Arity));
                }
                Ok(())
            }
            Sync::Receive { channel, patterns, random, copy } => {
                let number = self.eval(state, who, channel)?;
                let from = self.channel(state, who, channel)?;
                let at = self.position(state, who, from, patterns, *random)?;
                let at = at.expect("only executable receives are executed");
                let message = from.messages[at].clone();
                if !copy {
                    channel_mut(state, number).messages.remove(at);
                    if patterns.len() < message.len() {
                        record(fault, Err(Cause::Arity));
                    }
                }
                self.bind(state, who, patterns, &message)
            }
        }
    }

    fn bind(
        &self,
        state: &mut NaiveState,
        who: Who,
        patterns: &[Pattern],
        message: &[i32],
    ) -> Result<(), Cause> {
        for (pattern, value) in patterns.iter().zip(message) {
            if let Pattern::Bind(lvalue) = pattern {
                self.assign(state, who, lvalue, *value)?;
            }
        }
        Ok(())
    }

    fn effects(
        &self,
        state: &mut NaiveState,
        who: Who,
        effects: &[Effect],
        fault: &mut Option<Cause>,
    ) -> Result<(), Cause> {
        for effect in effects {
            match effect {
                Effect::Assign(lvalue, expr) => {
                    let value = self.eval(state, who, expr)?;
                    self.assign(state, who, lvalue, value)?;
                }
                Effect::Assert(expr) => {
                    if self.eval(state, who, expr)? == 0 {
                        record(fault, Err(Cause::Assertion));
                    }
                }
                Effect::Run { process, arguments, priority, result } => {
                    let mut values = Vec::new();
                    for argument in arguments {
                        values.push(self.eval(state, who, argument)?);
                    }
                    let priority = match priority {
                        Some(priority) => Some(self.eval(state, who, priority)?),
                        None => None,
                    };
                    let pid = self.create(state, *process, &values, priority)?;
                    if let Some(lvalue) = result {
                        self.assign(state, who, lvalue, pid as i32)?;
                    }
                }
                Effect::Print { .. } => {}
                Effect::Place { process, at, arguments } => {
                    let mut values = Vec::new();
                    for argument in arguments {
                        values.push(self.eval(state, who, argument)?);
                    }
                    let other = state.processes.iter_mut().find(|other| other.kind == process.index());
                    let Some(other) = other else { continue };
                    other.location = *at;
                    other.locals.iter_mut().for_each(|local| local.fill(0));
                    let locals = &self.0.processes[process.index()].locals;
                    for ((local, declared), value) in other.locals.iter_mut().zip(locals).zip(values) {
                        local[0] = declared.ty.store(value).ok_or(Cause::Range)?;
                    }
                }
                Effect::SetPriority { process, priority } => {
                    let pid = self.eval(state, who, process)?;
                    let priority = self.eval(state, who, priority)?;
                    if self.0.has_priorities && pid >= 0 && (pid as usize) < state.processes.len() {
                        state.processes[pid as usize].priority = priority.clamp(1, 255);
                    }
                }
            }
        }
        Ok(())
    }

    fn create(
        &self,
        state: &mut NaiveState,
        process: ProcessId,
        arguments: &[i32],
        priority: Option<i32>,
    ) -> Result<usize, Cause> {
        let kind = &self.0.processes[process.index()];
        if state.processes.len() == 255 {
            return Err(Cause::TooManyProcesses);
        }
        let channels = new_channels(self.0, &kind.locals);
        let mut number = count_channels(state);
        if number + channels.len() > 255 {
            return Err(Cause::TooManyChannels);
        }
        let pid = state.processes.len();
        let priority = if self.0.has_priorities {
            priority.unwrap_or(i32::from(kind.priority)).clamp(1, 255)
        } else {
            1
        };
        let locals = kind.locals.iter().map(|local| vec![0; local.len() as usize]).collect();
        state.processes.push(NaiveProcess {
            kind: process.index(),
            location: kind.entry,
            priority,
            locals,
            channels,
        });
        let who = Who { pid, timeout: false, asking: false };
        for (index, local) in kind.locals.iter().enumerate() {
            if index < kind.parameters as usize && index < arguments.len() {
                let value = local.ty.store(arguments[index]).ok_or(Cause::Range)?;
                state.processes[pid].locals[index][0] = value;
                continue;
            }
            for element in 0..local.len() as usize {
                let value = self.initial_value(state, who, local, element, &mut number)?;
                state.processes[pid].locals[index][element] = value;
            }
        }
        Ok(pid)
    }

    fn initial_value(
        &self,
        state: &NaiveState,
        who: Who,
        variable: &Variable,
        element: usize,
        number: &mut usize,
    ) -> Result<i32, Cause> {
        let value = match &variable.init {
            Init::Zero => return Ok(0),
            Init::Value(expr) => self.eval(state, who, expr)?,
            Init::List(exprs) => match exprs.get(element) {
                Some(expr) => self.eval(state, who, expr)?,
                None => return Ok(0),
            },
            Init::Channel(_) => {
                *number += 1;
                *number as i32
            }
        };
        variable.ty.store(value).ok_or(Cause::Range)
    }

    fn assign(&self, state: &mut NaiveState, who: Who, lvalue: &Lvalue, value: i32) -> Result<(), Cause> {
        let variable = match lvalue.variable {
            VariableRef::Global(index) => &self.0.globals[index as usize],
            VariableRef::Local(index) => &self.kind(state, who.pid).locals[index as usize],
        };
        let element = self.element(state, who, variable, &lvalue.indices)?;
        let value = variable.ty.store(value).ok_or(Cause::Range)?;
        match lvalue.variable {
            VariableRef::Global(index) => state.globals[index as usize][element] = value,
            VariableRef::Local(index) => state.processes[who.pid].locals[index as usize][element] = value,
        }
        Ok(())
    }
}

fn record(fault: &mut Option<Cause>, done: Result<(), Cause>) {
    if let Err(cause) = done {
        fault.get_or_insert(cause);
    }
}

fn new_channels(program: &Program, variables: &[Variable]) -> Vec<NaiveChannel> {
    let mut channels = Vec::new();
    for variable in variables {
        if let Init::Channel(kind) = variable.init {
            let messages = program.channels[kind.index()].contents.iter().cloned().collect();
            let channel = NaiveChannel { kind: kind.index(), messages };
            channels.extend(vec![channel; variable.len() as usize]);
        }
    }
    channels
}

fn count_channels(state: &NaiveState) -> usize {
    state.channels.len() + state.processes.iter().map(|process| process.channels.len()).sum::<usize>()
}

fn channel_mut(state: &mut NaiveState, number: i32) -> &mut NaiveChannel {
    let own = state.processes.iter_mut().flat_map(|process| &mut process.channels);
    state.channels.iter_mut().chain(own).nth(number as usize - 1).expect("the channel was found before")
}
