//! What is known of a program before it runs, so that machine code need not find it out.

use crate::runtime::Fields;
use elnath_program::Interpreter;
use elnath_program::analysis::created;
use elnath_program::analysis::faults::{Constants, evaluation_may_fail};
use elnath_program::analysis::variables::constants;
use elnath_program::ir::{
    Capacity, ChannelId, Command, Expr, GateId, Guard, Init, Loc, Lvalue, ProcessId, ProcessType, Program,
    Sync, VariableRef,
};
use elnath_program::layout::Tables;

pub(crate) struct Facts {
    /// Per global, whether any command writes to it.
    written: Vec<bool>,
    /// Per global, the number of its first channel, if it is one.
    first_channel: Vec<i32>,
    /// The global channels, which lie at fixed places: number n is at n - 1.
    global_channels: Vec<(usize, ChannelId)>,
    /// Offset of the number of processes.
    pub(crate) count_at: usize,
    pub(crate) uses_timeout: bool,
    /// Whether there are hidden variables, which are no part of a complete state.
    pub(crate) hides: bool,
    /// For each kind of process, how many commands the kinds before it have.
    pub(crate) first_command: Vec<u32>,
    /// Per kind of process, the gates with which it may begin joint steps.
    begins: Vec<Vec<GateId>>,
    /// Per kind of process, where the first one lies, if that is always the same.
    lies_at: Vec<Option<usize>>,
    /// Per kind of channel. Machine code holds the addresses, so this never grows.
    fields: Vec<Fields>,
}

impl Facts {
    pub(crate) fn new(system: &Interpreter) -> Self {
        let (program, layout) = (system.program(), system.layout());
        let written = constants(program).into_iter().map(|constant| !constant).collect();
        let mut number = 1;
        let mut first_channel = Vec::new();
        for variable in &program.globals {
            first_channel.push(number);
            if let Init::Channel(_) = variable.init {
                number += variable.len() as i32;
            }
        }
        let mut at = layout.globals_size;
        let mut global_channels = Vec::new();
        for &kind in &layout.global_channels {
            global_channels.push((at, kind));
            at += layout.empty_size(kind);
        }
        let fields = program
            .channels
            .iter()
            .map(|channel| Fields { types: channel.fields.clone(), size: channel.message_size() as usize });
        let first_command = program.processes.iter().enumerate().map(|(index, _)| {
            system.command_number(ProcessId(index as u32), elnath_program::ir::CommandId(0))
        });
        let mut begins = vec![Vec::new(); program.processes.len()];
        for (kind, gate) in program.vectors.iter().filter_map(|vector| vector.members.first()) {
            begins[kind.index()].push(*gate);
        }
        let commands = || program.processes.iter().flat_map(|process| &process.commands);
        let stays =
            !commands().any(|command| command.guard == Guard::Exit || created(command).next().is_some());
        let mut tables = Tables::default();
        tables.read(layout, system.initial_state());
        let first = |kind: usize| {
            let mut places = tables.processes.iter().map(|&at| at as usize);
            places.find(|&at| usize::from(system.initial_state()[at]) == kind).filter(|_| stays)
        };
        let lies_at = (0..program.processes.len()).map(first).collect();
        Self {
            written,
            begins,
            lies_at,
            first_channel,
            global_channels,
            count_at: at,
            uses_timeout: system.uses_timeout(),
            hides: !system.hidden().is_empty(),
            first_command: first_command.collect(),
            fields: fields.collect(),
        }
    }

    pub(crate) fn is_written(&self, global: u32) -> bool {
        self.written[global as usize]
    }

    /// Whether a process of this kind may begin a joint step at a gate.
    pub(crate) fn begins(&self, process: ProcessId, gate: GateId) -> bool {
        self.begins[process.index()].contains(&gate)
    }

    /// Where the first process of a kind lies, if it always lies there.
    pub(crate) fn lies_at(&self, process: ProcessId) -> Option<usize> {
        self.lies_at[process.index()]
    }

    /// Whether a process does nothing by itself with a command at a gate: others begin the joint steps, and its guard has no fault.
    pub(crate) fn only_takes_part(&self, program: &Program, process: ProcessId, command: &Command) -> bool {
        let kind = &program.processes[process.index()];
        let Sync::Gate { gate, .. } = command.sync else { return false };
        let constant: Vec<bool> = self.written.iter().map(|written| !written).collect();
        let known = Constants { program, kind, constant: &constant };
        let fails = matches!(&command.guard, Guard::When(expr) if evaluation_may_fail(&known, expr));
        kind.provided.is_none() && !self.begins(process, gate) && !fails
    }

    pub(crate) fn first_channel(&self, global: u32) -> i32 {
        self.first_channel[global as usize]
    }

    /// Where the channel with this number lies, if it is a global one.
    pub(crate) fn global_channel(&self, number: i32) -> Option<(usize, ChannelId)> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        self.global_channels.get(index).copied()
    }

    pub(crate) fn fields_address(&self, kind: ChannelId) -> usize {
        std::ptr::from_ref::<Fields>(&self.fields[kind.index()]).addr()
    }

    /// The channels that an expression may stand for, as a set: bit n for those of the nth global variable, and those of
    /// every 64th after it. Two sets without a common element are of different channels.
    pub(crate) fn channels(&self, program: &Program, channel: &Expr) -> u64 {
        match channel {
            Expr::Load(Lvalue { variable: VariableRef::Global(index), .. })
                if !self.is_written(*index)
                    && matches!(program.globals[*index as usize].init, Init::Channel(_)) =>
            {
                1 << (index % 64)
            }
            _ => u64::MAX,
        }
    }

    /// The channels from which something may be received at a location, by a rendez-vous.
    pub(crate) fn received_at(&self, program: &Program, kind: &ProcessType, at: Loc) -> u64 {
        let channels = |command: &Command| match (&command.sync, &command.guard) {
            (_, Guard::Body { .. }) => u64::MAX,
            (Sync::Receive { channel, .. }, _) => self.channels(program, channel),
            _ => 0,
        };
        let commands = kind.leaving(at).map(|(_, command)| command);
        commands.filter(|command| self.may_meet(program, kind, command)).map(channels).fold(0, |a, b| a | b)
    }

    /// Whether a command may be the receiving half of a rendez-vous.
    pub(crate) fn may_meet(&self, program: &Program, kind: &ProcessType, command: &Command) -> bool {
        if let Guard::Body { entry, .. } = command.guard {
            return kind.leaving(entry).any(|(_, inner)| self.receives(program, inner));
        }
        self.receives(program, command)
    }

    /// Whether a command can do nothing but be the receiving half of a rendez-vous: by itself it never moves, nor does it
    /// run into anything.
    pub(crate) fn only_meets(&self, program: &Program, command: &Command) -> bool {
        let Sync::Receive { channel: Expr::Load(Lvalue { variable, indices }), patterns, .. } = &command.sync
        else {
            return false;
        };
        let VariableRef::Global(index) = *variable else { return false };
        let Init::Channel(kind) = program.globals[index as usize].init else { return false };
        let channel = &program.channels[kind.index()];
        command.guard == Guard::Always
            && indices.is_empty()
            && !self.is_written(index)
            && channel.capacity == Capacity::Rendezvous
            && patterns.len() <= channel.fields.len()
    }

    fn receives(&self, program: &Program, command: &Command) -> bool {
        let Sync::Receive { channel, .. } = &command.sync else { return false };
        let is_meeting = |kind: ChannelId| program.channels[kind.index()].capacity == Capacity::Rendezvous;
        match channel {
            Expr::Load(Lvalue { variable: VariableRef::Global(index), .. }) if !self.is_written(*index) => {
                match program.globals[*index as usize].init {
                    Init::Channel(kind) => is_meeting(kind),
                    _ => true,
                }
            }
            _ => (0..program.channels.len() as u32).any(|kind| is_meeting(ChannelId(kind))),
        }
    }
}
