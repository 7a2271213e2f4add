//! Which channels a process may name: those of its own, and those it was given when it was created.
//!
//! A channel that a process declares is known by a number, which its variable holds and which may be handed on like any
//! other value. Where that number goes is hard to follow once it is sent in a message or kept in a global: the process that
//! made the channel may end, the channel with it, and the number be given to the channel of another. But most models hand
//! on channels in one way only, as arguments of `run`, and then three things are certain:
//!
//! * The process that made the channel is older than all who have it as an argument, or it is the process itself.
//! * A process can end only when it is the youngest. So the channel lasts as long as any process that was given it, and
//!   no such process ever holds the number of a channel that is gone.
//! * The variable is never written to, so that the set of declarations (*sites*) whose channels it may name follows from
//!   the arguments of all `run`s, as the least solution of inclusions between sets: Andersen's points-to analysis, on
//!   values that only flow downwards from creator to created.
//!
//! Whatever else is used as a channel may be any ([`Which::Any`]).

use crate::analysis::{Operation, operations};
use crate::ir::{ChannelId, Expr, Init, Lvalue, ProcessId, Program, Type, VariableRef};
use crate::layout::Layout;

/// A channel, or one of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Channel {
    /// The global one with this number, from 1 on.
    Global(usize),
    /// One that a process makes.
    Owned {
        /// Where it is made.
        site: u32,
        /// Its number; if that is not known, it may be that of any process of the kind.
        number: Option<usize>,
    },
}

impl Channel {
    /// Its number, if it is known.
    pub(super) fn number(self) -> Option<usize> {
        match self {
            Channel::Global(number) => Some(number),
            Channel::Owned { number, .. } => number,
        }
    }
}

/// Which channels an expression may stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// One of these, which exists as long as the process that evaluates the expression.
    Known(Vec<Channel>),
    /// Any, or none; perhaps another one later.
    Any,
}

impl Which {
    /// The channel, if there is only one that it may be.
    pub(super) fn single(&self) -> Option<Channel> {
        match self {
            Which::Known(channels) if channels.len() == 1 => channels.first().copied(),
            _ => None,
        }
    }

    /// Adds what another expression may stand for; whether that is more.
    fn join(&mut self, other: Which) -> bool {
        match (&mut *self, other) {
            (Which::Any, _) => false,
            (_, Which::Any) => {
                *self = Which::Any;
                true
            }
            (Which::Known(own), Which::Known(more)) => {
                let before = own.len();
                for channel in more {
                    if !own.contains(&channel) {
                        own.push(channel);
                    }
                }
                own.len() > before
            }
        }
    }
}

/// The channels that processes make.
pub(super) struct Sites {
    /// By site: what kind of channel is made there.
    kinds: Vec<ChannelId>,
    /// By kind of process: the first of its sites.
    first: Vec<u32>,
    /// By kind of process and local: what it may name.
    named: Vec<Vec<Which>>,
}

impl Sites {
    /// `fixed` tells which locals are never written to, `first_channel` the numbers of global channel variables that are
    /// not.
    pub(super) fn new(
        program: &Program,
        layout: &Layout,
        fixed: &[Vec<bool>],
        first_channel: &[Option<usize>],
    ) -> Self {
        let (mut kinds, mut first) = (Vec::new(), Vec::new());
        for frame in &layout.frames {
            first.push(kinds.len() as u32);
            kinds.extend_from_slice(&frame.channels);
        }
        let mut named = Vec::new();
        for (index, kind) in program.processes.iter().enumerate() {
            let mut site = first[index];
            let at_start = program.initial.iter().any(|initial| initial.index() == index);
            let of = |(local, variable): (usize, &crate::ir::Variable)| {
                let length = variable.len();
                let is_channel = matches!(variable.init, Init::Channel(_));
                let own = site..site + if is_channel { length } else { 0 };
                site = own.end;
                let is_parameter = local < kind.parameters as usize;
                if !fixed[index][local] || variable.hidden || variable.ty != Type::Channel {
                    Which::Any
                } else if is_channel && !is_parameter {
                    Which::Known(own.map(|site| Channel::Owned { site, number: None }).collect())
                } else if is_parameter && !at_start {
                    Which::Known(Vec::new())
                } else {
                    Which::Any
                }
            };
            named.push(kind.locals.iter().enumerate().map(of).collect());
        }
        let mut sites = Self { kinds, first, named };
        while sites.pass_arguments(program, first_channel) {}
        sites
    }

    /// Adds what processes are given to what their parameters may name; whether that is more.
    fn pass_arguments(&mut self, program: &Program, first_channel: &[Option<usize>]) -> bool {
        let mut more = false;
        for (creator, kind) in program.processes.iter().enumerate() {
            for operation in kind.commands.iter().flat_map(operations) {
                let Operation::Create { process, arguments, .. } = operation else { continue };
                for parameter in 0..program.processes[process.index()].parameters as usize {
                    let given = arguments.get(parameter).map_or(Which::Any, |argument| {
                        self.given(program, ProcessId(creator as u32), argument, first_channel)
                    });
                    more |= self.named[process.index()][parameter].join(given);
                }
            }
        }
        more
    }

    fn given(
        &self,
        program: &Program,
        creator: ProcessId,
        argument: &Expr,
        first_channel: &[Option<usize>],
    ) -> Which {
        let Expr::Load(Lvalue { variable, .. }) = argument else { return Which::Any };
        match *variable {
            VariableRef::Local(local) => self.named_by(creator, local),
            VariableRef::Global(global) => first_channel[global as usize].map_or(Which::Any, |first| {
                let length = program.globals[global as usize].len() as usize;
                Which::Known((first..first + length).map(Channel::Global).collect())
            }),
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.kinds.len()
    }

    /// What kind of channel is made there.
    pub(super) fn kind(&self, site: u32) -> ChannelId {
        self.kinds[site as usize]
    }

    /// Where a process of a kind makes its channels, by the order in which it makes them.
    pub(super) fn of(&self, kind: usize, index: usize) -> u32 {
        self.first[kind] + index as u32
    }

    /// What a local of a kind of process may name.
    pub(super) fn named_by(&self, kind: ProcessId, local: u32) -> Which {
        self.named[kind.index()][local as usize].clone()
    }
}
