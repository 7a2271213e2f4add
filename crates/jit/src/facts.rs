//! What is known of a program before it runs, so that machine code need not find it out.

use crate::runtime::Fields;
use elnath_program::Interpreter;
use elnath_program::analysis::variables::constants;
use elnath_program::ir::{
    Capacity, ChannelId, Command, Expr, Guard, Init, Loc, Lvalue, ProcessType, Program, Sync, VariableRef,
};

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
            system
                .command_number(elnath_program::ir::ProcessId(index as u32), elnath_program::ir::CommandId(0))
        });
        Self {
            written,
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
