//! What a command does that others may mind, and what it minds that others may do.

use super::certain::{Fact, is_certain};
use super::resources::{Resources, Set};
use super::sites::{Channel, Which};
use crate::analysis::control::inner;
use crate::analysis::faults::{Knowledge, evaluation_may_fail, may_fail};
use crate::analysis::variables::initial_values;
use crate::analysis::{
    Observation, Operation, ProcessQuery, Purpose, for_each_observation, for_each_operation, observation,
    received_from,
};
use crate::ir::{
    Binary, Capacity, ChannelId, ChannelQuery, Command, Expr, Guard, Init, Loc, Lvalue, ProcessId,
    ProcessType, Program, VariableRef,
};

/// What is known of one process for as long as it lives.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Instance {
    /// Its number, where that matters.
    pub(super) pid: Option<i32>,
    /// The locals that keep their values and are used to name elements and channels.
    pub(super) values: Vec<(u32, i32)>,
    /// Of these, numbers of channels that were made by this process or an older one, which stays until this one is gone;
    /// with where they are made.
    pub(super) owned: Vec<(i32, u32)>,
}

/// Under which condition a channel cannot be interfered with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    /// It holds a message: who sends more does not change the first.
    NotEmpty,
    /// It has room: who receives makes more.
    NotFull,
}

/// What the commands of a location amount to.
#[derive(Clone, Debug, Default)]
pub(super) struct Footprint {
    /// What is done.
    pub(super) does: Set,
    /// What is done by ending, which nobody younger lives to see.
    pub(super) ends: Set,
    /// What others must not do meanwhile.
    pub(super) minds: Set,
    /// What they must not do either unless the channel with this number is as it should be.
    pub(super) conditions: Vec<(Condition, usize, Set)>,
    /// The processes created.
    pub(super) creates: Vec<ProcessId>,
    /// Whether processes are put elsewhere.
    pub(super) places: bool,
}

/// Where a command is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Context {
    /// As the first of a transition, where only its being possible counts.
    First,
    /// As the first of a transition, where its being impossible lets something else happen.
    Choice,
    /// Behind others of one transition: if it is impossible, the transition ends before it.
    Behind,
    /// Behind others of one transition that have made sure that it is possible.
    Certain,
}

/// Looks at commands of one kind of process.
pub(super) struct Scan<'a> {
    pub(super) program: &'a Program,
    pub(super) resources: &'a Resources,
    pub(super) process: ProcessId,
    /// The process itself, if it is known.
    pub(super) instance: Option<&'a Instance>,
    pub(super) found: Footprint,
}

impl<'a> Scan<'a> {
    pub(super) fn new(
        program: &'a Program,
        resources: &'a Resources,
        process: ProcessId,
        instance: Option<&'a Instance>,
    ) -> Self {
        Self { program, resources, process, instance, found: Footprint::default() }
    }

    pub(super) fn kind(&self) -> &'a ProcessType {
        &self.program.processes[self.process.index()]
    }

    /// All commands of a location, of which something is known. `behind` says whether they come behind others.
    pub(super) fn location(
        mut self,
        at: Loc,
        behind: bool,
        entered_behind: bool,
        known: &[Fact],
    ) -> Footprint {
        let kind = self.kind();
        let location = &kind.locations[at.index()];
        let has_else = kind.leaving(at).any(|(_, command)| command.guard == Guard::Else);
        let choice = entered_behind || has_else || location.groups.len() > 1;
        let context = match (behind, choice) {
            (true, _) => Context::Behind,
            (false, true) => Context::Choice,
            (false, false) => Context::First,
        };
        let alone = kind.leaving(at).count() == 1;
        if let Some(access) = self.resources.placed(self.process) {
            self.minds(access.write);
            // Who can do nothing is in nobody's way when it is put elsewhere.
            if kind.leaving(at).next().is_some() {
                self.does(access.read);
            }
        }
        if let Some(provided) = &kind.provided {
            self.reads(provided);
        }
        for (_, command) in kind.leaving(at) {
            // Who rests where it never should, as after a fault in an atomic loop, is certain of nothing.
            let certain = behind && is_certain(&self, known, command);
            self.command(at, command, if certain { Context::Certain } else { context }, alone);
        }
        self.found
    }

    fn does(&mut self, does: Set) {
        self.found.does |= does;
    }

    fn minds(&mut self, minds: Set) {
        self.found.minds |= minds;
    }

    fn command(&mut self, at: Loc, command: &Command, context: Context, alone: bool) {
        let provided = self.kind().provided.as_ref();
        if may_fail(self, command) || provided.is_some_and(|expr| evaluation_may_fail(self, expr)) {
            self.minds(Set::FAULT);
        }
        for_each_operation(command, &mut |operation| self.operation(operation, context, alone));
        // If its condition has a fault, the process goes on instead of ending.
        if command.guard != Guard::Exit || provided.is_some() {
            self.moves(at, command.target);
        }
    }

    fn operation(&mut self, operation: Operation<'_>, context: Context, alone: bool) {
        match operation {
            Operation::Evaluate(expr, Purpose::Guard) if context == Context::First => self.asks(expr),
            // What is printed has no effect on anything.
            Operation::Evaluate(_, Purpose::Printed) | Operation::Print => {}
            Operation::Evaluate(expr, _) => self.reads(expr),
            Operation::Body { entry, exit } => self.body(entry, exit),
            Operation::Send { channel, sorted, .. } => {
                let which = self.channels_of(channel);
                self.names(&which);
                self.sends(&which, sorted, context);
            }
            Operation::Receive { channel, random, .. } => {
                let which = self.channels_of(channel);
                self.names(&which);
                self.receives(&which, random, context);
            }
            Operation::Store(lvalue, _) => self.writes(lvalue),
            Operation::Create { process, .. } => self.runs(process),
            // Who else takes part is known in each state: see `clusters`.
            Operation::Meet { .. } if matches!(context, Context::First | Context::Choice) => {}
            Operation::Place { process, at, .. } => self.puts(process, at),
            Operation::Meet { .. } | Operation::SetPriority => self.minds(Set::NEVER),
            Operation::End => self.exit(alone),
        }
    }

    /// A deterministic sequence: it takes what is possible, so everything in it is a choice.
    fn body(&mut self, entry: Loc, exit: Loc) {
        let kind = self.kind();
        for at in inner(kind, entry, exit) {
            for (_, command) in kind.leaving(at) {
                for_each_operation(command, &mut |operation| {
                    self.operation(operation, Context::Behind, false);
                });
            }
        }
    }

    fn sends(&mut self, which: &Which, sorted: bool, context: Context) {
        let ends = self.resources.ends(which);
        self.does(ends.send);
        if sorted || matches!(context, Context::Choice | Context::Behind) {
            self.does(ends.observe);
        }
        let Some(channel) = self.buffered(which) else { return };
        self.minds(ends.send | ends.observe);
        let unbounded = |channel| self.resources.capacity(channel) == Some(Capacity::Unbounded);
        match channel {
            _ if context == Context::Certain => {}
            _ if sorted || context == Context::Behind => self.minds(ends.receive),
            Some(channel) if unbounded(channel) => {}
            Some(channel) => self.minds_unless(Condition::NotFull, channel, ends.receive),
            None => self.minds(ends.receive),
        }
    }

    fn receives(&mut self, which: &Which, random: bool, context: Context) {
        let ends = self.resources.ends(which);
        self.does(ends.receive);
        // Who waits at a rendez-vous waits whatever the senders do: it is they who go on.
        let observes = matches!(context, Context::Choice | Context::Behind) && !self.only_meets(which);
        if observes {
            self.does(ends.observe);
        }
        let Some(channel) = self.buffered(which) else { return };
        self.minds(ends.receive | ends.observe);
        match channel {
            _ if context == Context::Certain => {}
            Some(channel) if !random && context != Context::Behind => {
                self.minds_unless(Condition::NotEmpty, channel, ends.send);
            }
            _ => self.minds(ends.send),
        }
    }

    /// Minds something while a channel is not as it should be; always, if its number is not known.
    fn minds_unless(&mut self, condition: Condition, channel: Channel, more: Set) {
        match channel.number() {
            Some(number) => self.found.conditions.push((condition, number, more)),
            None => self.minds(more),
        }
    }

    /// Which channel it is, as far as that is known, if it is certain that nobody is met there; if not, that is minded.
    fn buffered(&mut self, which: &Which) -> Option<Option<Channel>> {
        let Which::Known(channels) = which else {
            self.minds(Set::NEVER);
            return None;
        };
        if channels.iter().any(|&channel| self.meets(channel)) {
            self.minds(Set::NEVER);
            return None;
        }
        Some(which.single())
    }

    fn meets(&self, channel: Channel) -> bool {
        self.resources.capacity(channel) == Some(Capacity::Rendezvous)
    }

    /// Whether all that it may be are rendez-vous channels.
    fn only_meets(&self, which: &Which) -> bool {
        matches!(which, Which::Known(channels) if channels.iter().all(|&channel| self.meets(channel)))
    }

    /// A number that names a channel, or none, or another one later.
    fn names(&mut self, which: &Which) {
        if *which == Which::Any {
            self.does(Set::LOOSE);
            self.minds(Set::RENUMBER);
        }
    }

    fn runs(&mut self, process: ProcessId) {
        self.does(Set::RUN);
        if !self.resources.anonymous {
            self.minds(Set::RUN | Set::EXIT | Set::COUNT);
        }
        if let Some(access) = self.resources.whereabouts(process) {
            self.does(access.write);
            self.minds(access.read);
        }
        self.found.creates.push(process);
        if has_channels(&self.program.processes[process.index()]) {
            // What had the number of one that is gone is a channel again.
            self.does(Set::RENUMBER);
            self.minds(Set::LOOSE);
        }
        let (program, resources) = (self.program, self.resources);
        let mut initial = Scan::new(program, resources, process, None);
        for variable in &program.processes[process.index()].locals {
            initial_values(&variable.init).iter().for_each(|expr| initial.reads(expr));
        }
        let kind = &program.processes[process.index()];
        initial.arrives(kind.entry);
        self.does(initial.found.does);
        self.minds(initial.found.minds);
        if labelled(kind, |location| kind.locations[location].accept) {
            self.minds(Set::ACCEPT);
        }
        if labelled(kind, |location| kind.locations[location].progress) {
            self.minds(Set::PROGRESS);
        }
    }

    /// Puts another process elsewhere, whatever it is about to do, with other values.
    fn puts(&mut self, process: ProcessId, at: Loc) {
        let whereabouts = [self.resources.placed(process), self.resources.whereabouts(process)];
        let locals = 0..self.program.processes[process.index()].locals.len() as u32;
        let locals = locals.map(|local| self.resources.remote(process, local));
        for access in whereabouts.into_iter().chain(locals).flatten() {
            self.found.does |= access.write;
            self.found.minds |= access.read | access.write;
        }
        // Whether it still exists.
        self.minds(Set::RUN | Set::EXIT);
        let kind = &self.program.processes[process.index()];
        let mut there = Scan::new(self.program, self.resources, process, None);
        there.arrives(at);
        self.minds(there.found.minds);
        if labelled(kind, |location| kind.locations[location].accept) {
            self.minds(Set::ACCEPT);
        }
        if labelled(kind, |location| kind.locations[location].progress) {
            self.minds(Set::PROGRESS);
        }
        self.found.places = true;
    }

    /// Who ends is the youngest: no older process can end before it has.
    fn exit(&mut self, alone: bool) {
        self.found.ends |= Set::EXIT;
        if !self.resources.anonymous {
            self.minds(Set::RUN | Set::COUNT);
        }
        if !alone {
            self.minds(Set::EXIT);
            // Whether it can end decides what else it can do: this is a way to ask who is younger.
            self.does(Set::COUNT);
        }
        if let Some(access) = self.resources.whereabouts(self.process) {
            self.found.ends |= access.write;
            self.minds(access.read);
        }
        let kind = self.kind();
        if has_channels(kind) {
            self.found.ends |= Set::RENUMBER;
            self.minds(Set::LOOSE);
        }
        if labelled(kind, |location| kind.locations[location].accept) {
            self.minds(Set::ACCEPT);
        }
        if labelled(kind, |location| kind.locations[location].progress) {
            self.minds(Set::PROGRESS);
        }
    }

    /// Going from one location to another.
    fn moves(&mut self, from: Loc, to: Loc) {
        let kind = self.kind();
        let (old, new) = (&kind.locations[from.index()], &kind.locations[to.index()]);
        if old.accept != new.accept {
            self.minds(Set::ACCEPT);
        }
        if old.progress != new.progress {
            self.minds(Set::PROGRESS);
        }
        if let Some(access) = self.resources.whereabouts(self.process)
            && self.resources.differ(self.process, from, to)
        {
            self.does(access.write);
            self.minds(access.read);
        }
        self.arrives(to);
    }

    /// Who sends where somebody waits may meet him, and who would do something else if nobody waited notices.
    fn arrives(&mut self, at: Loc) {
        let kind = self.kind();
        for (_, command) in kind.leaving(at) {
            match &command.guard {
                Guard::Body { entry, .. } => {
                    kind.leaving(*entry).for_each(|(_, inner)| self.awaits(inner));
                }
                _ => self.awaits(command),
            }
        }
    }

    fn awaits(&mut self, command: &Command) {
        let Some(channel) = received_from(command) else { return };
        let which = self.channels_of(channel);
        let meets = match &which {
            Which::Known(channels) => channels.iter().any(|&channel| self.meets(channel)),
            Which::Any => true,
        };
        if meets {
            self.names(&which);
            let observe = self.resources.ends(&which).observe;
            self.minds(observe);
        }
    }

    /// A condition that, as long as it is false, lets nothing else happen. That a channel holds a message is then a
    /// matter of those who receive, as is receiving; those who send can only make it true. The same of room for one.
    fn asks(&mut self, expr: &Expr) {
        if let Expr::Binary(Binary::And, ab) = expr {
            return ab.iter().for_each(|part| self.asks(part));
        }
        match observation(expr) {
            Some(Observation::Length {
                query: query @ (ChannelQuery::NotEmpty | ChannelQuery::NotFull),
                channel,
            }) => {
                let Some(number) = self.number(channel) else { return self.reads(expr) };
                self.reads(channel);
                let ends = self.resources.ends(&self.channels_of(channel));
                let (own, condition, other) = match query {
                    ChannelQuery::NotEmpty => (ends.receive, Condition::NotEmpty, ends.send),
                    _ => (ends.send, Condition::NotFull, ends.receive),
                };
                self.does(own);
                self.minds(own);
                self.found.conditions.push((condition, number, other));
            }
            _ => self.reads(expr),
        }
    }

    /// The number of a channel, if it is known and certain that nobody is met there.
    pub(super) fn number(&self, channel: &Expr) -> Option<usize> {
        let channel = self.channels_of(channel).single()?;
        let capacity = self.resources.capacity(channel)?;
        channel.number().filter(|_| capacity != Capacity::Rendezvous)
    }

    /// An expression that is evaluated.
    pub(super) fn reads(&mut self, expr: &Expr) {
        for_each_observation(expr, &mut |observation| match observation {
            Observation::Variable(lvalue) => {
                let element = self.element(lvalue);
                if let VariableRef::Global(global) = lvalue.variable
                    && let Some(access) = self.resources.global(global, element)
                {
                    self.does(access.read);
                    self.minds(access.write);
                }
            }
            Observation::ProcessCount => {
                self.does(Set::COUNT);
                self.minds(Set::RUN | Set::EXIT);
            }
            Observation::Length { channel, .. } | Observation::Messages { channel, .. } => {
                let which = self.channels_of(channel);
                self.names(&which);
                let ends = self.resources.ends(&which);
                self.does(ends.observe);
                self.minds(ends.send | ends.receive);
            }
            Observation::Remote { process, variable, .. } => {
                self.looks_at(process);
                if let Some(access) = self.resources.remote(process, variable) {
                    self.does(access.read);
                    self.minds(access.write);
                }
            }
            Observation::Position { process, .. } => self.looks_at(process),
            Observation::NonProgress => {
                self.does(Set::PROGRESS);
                self.minds(Set::NEVER);
            }
            // These ask about processes that may be gone, which their ends must know.
            Observation::Process(ProcessQuery::Location | ProcessQuery::Enabled | ProcessQuery::Priority) => {
                self.does(Set::COUNT);
                self.minds(Set::NEVER);
            }
            Observation::Last => self.minds(Set::NEVER),
            Observation::Pid | Observation::Timeout => {}
        });
    }

    /// Whether a process of this kind exists, and where it is.
    fn looks_at(&mut self, process: ProcessId) {
        self.minds(Set::RUN | Set::EXIT);
        if let Some(access) = self.resources.whereabouts(process) {
            self.does(access.read);
            self.minds(access.write);
        }
    }

    fn writes(&mut self, lvalue: &Lvalue) {
        match lvalue.variable {
            VariableRef::Global(global) => {
                if let Some(access) = self.resources.global(global, self.element(lvalue)) {
                    self.does(access.write);
                    self.minds(access.read | access.write);
                }
            }
            VariableRef::Local(local) => {
                // Nobody else writes to it.
                if let Some(access) = self.resources.remote(self.process, local) {
                    self.does(access.write);
                    self.minds(access.read);
                }
            }
        }
    }

    /// Which element of an array it is, if that is known.
    fn element(&self, lvalue: &Lvalue) -> Option<u32> {
        let VariableRef::Global(global) = lvalue.variable else { return None };
        let mut element = 0;
        for (index, &length) in lvalue.indices.iter().zip(&self.program.globals[global as usize].dims) {
            let index = u32::try_from(self.value(index)?).ok().filter(|&index| index < length)?;
            element = element * length + index;
        }
        Some(element)
    }

    /// Which channels an expression stands for.
    fn channels_of(&self, channel: &Expr) -> Which {
        if let Some(number) = self.value(channel).and_then(|number| usize::try_from(number).ok()) {
            if self.resources.kind_of(number).is_some() {
                return Which::Known(vec![Channel::Global(number)]);
            }
            let owned = self.instance.map_or(&[][..], |instance| &instance.owned);
            if let Some(&(_, site)) = owned.iter().find(|&&(known, _)| known == number as i32) {
                return Which::Known(vec![Channel::Owned { site, number: Some(number) }]);
            }
        }
        let Expr::Load(lvalue) = channel else { return Which::Any };
        match lvalue.variable {
            VariableRef::Global(global) => {
                let Some(first) = self.resources.first_channel(global) else { return Which::Any };
                Which::Known(match self.element(lvalue) {
                    Some(element) => vec![Channel::Global(first + element as usize)],
                    None => {
                        let length = self.program.globals[global as usize].len() as usize;
                        (first..first + length).map(Channel::Global).collect()
                    }
                })
            }
            VariableRef::Local(local) => self.resources.sites.named_by(self.process, local),
        }
    }
}

impl Knowledge for Scan<'_> {
    fn program(&self) -> &Program {
        self.program
    }

    fn kind(&self) -> &ProcessType {
        self.kind()
    }

    fn value(&self, expr: &Expr) -> Option<i32> {
        match expr {
            Expr::Const(value) => Some(*value),
            Expr::Pid => self.instance?.pid,
            Expr::Load(Lvalue { variable: VariableRef::Local(local), indices }) if indices.is_empty() => {
                let values = &self.instance?.values;
                values.iter().find(|(known, _)| known == local).map(|&(_, value)| value)
            }
            Expr::Load(Lvalue { variable: VariableRef::Global(global), indices })
                if indices.is_empty() && self.resources.is_constant(*global) =>
            {
                let variable = &self.program.globals[*global as usize];
                match &variable.init {
                    Init::Zero => Some(0),
                    Init::Value(Expr::Const(value)) => variable.ty.store(*value),
                    _ => None,
                }
            }
            Expr::Unary(operator, a) => Some(operator.apply(self.value(a)?)),
            Expr::Binary(operator, ab) => operator.apply(self.value(&ab[0])?, self.value(&ab[1])?),
            _ => None,
        }
    }

    fn channels(&self, channel: &Expr) -> Option<Vec<ChannelId>> {
        match self.channels_of(channel) {
            Which::Any => None,
            Which::Known(channels) => {
                channels.into_iter().map(|channel| self.resources.kind_of_channel(channel)).collect()
            }
        }
    }
}

/// Whether channels begin and end with a process of this kind.
pub(super) fn has_channels(kind: &ProcessType) -> bool {
    kind.locals.iter().any(|local| matches!(local.init, Init::Channel(_)))
}

fn labelled(kind: &ProcessType, has: impl Fn(usize) -> bool) -> bool {
    (0..kind.locations.len()).any(has)
}
