//! Commands as sequences of elementary operations.

use crate::ir::{Command, Effect, Expr, GateId, Guard, Loc, Lvalue, Pattern, ProcessId, Program, Sync};

/// One thing that a command does.
#[derive(Clone, Copy, Debug)]
pub enum Operation<'a> {
    /// Evaluates an expression. What that looks at: [`super::for_each_observation`].
    Evaluate(&'a Expr, Purpose<'a>),
    /// Executes a deterministic sequence, the commands of [`super::control::inner`].
    Body {
        /// Where it begins.
        entry: Loc,
        /// Where it ends.
        exit: Loc,
    },
    /// Puts a message into a channel, or hands it to a receiver. Its parts have been evaluated.
    Send {
        /// Which channel.
        channel: &'a Expr,
        /// The message.
        fields: &'a [Expr],
        /// Where it goes depends on the messages that are there.
        sorted: bool,
    },
    /// Takes a message out of a channel, or from a sender. What it must match has been evaluated; what is stored
    /// follows.
    Receive {
        /// Which channel.
        channel: &'a Expr,
        /// What must match.
        patterns: &'a [Pattern],
        /// It may be any message that matches, not only the first.
        random: bool,
        /// The message stays where it is.
        copy: bool,
    },
    /// Stores to a variable, or to an element of one. Its indices have been evaluated.
    Store(&'a Lvalue, StoredValue<'a>),
    /// Creates a process.
    Create {
        /// Which kind.
        process: ProcessId,
        /// Its arguments, which have been evaluated.
        arguments: &'a [Expr],
        /// Whether its number is stored: a store follows.
        kept: bool,
    },
    /// Takes part in a joint step. What is given has been evaluated; what is stored, and the predicate, follow.
    Meet {
        /// At which gate.
        gate: GateId,
        /// What is offered.
        offers: &'a [Pattern],
    },
    /// Puts another process at a location, and stores to all its locals.
    Place {
        /// Which kind.
        process: ProcessId,
        /// Where.
        at: Loc,
        /// Its parameters, which have been evaluated.
        arguments: &'a [Expr],
    },
    /// Changes the priority of a process.
    SetPriority,
    /// Writes something for people.
    Print,
    /// The process ends.
    End,
}

/// What the value of an expression is for.
#[derive(Clone, Copy, Debug)]
pub enum Purpose<'a> {
    /// Decides whether the command is possible, or the joint step that it is part of.
    Guard,
    /// Names the channel of a communication.
    Channel,
    /// Becomes a field of a message.
    Sent {
        /// In which channel.
        channel: &'a Expr,
        /// Which field.
        field: usize,
    },
    /// Must be equal to a field of a message.
    Matched {
        /// In which channel.
        channel: &'a Expr,
        /// Which field.
        field: usize,
    },
    /// Is offered at a gate, and must be equal to what others offer.
    Offered {
        /// At which gate.
        gate: GateId,
        /// Which offer.
        field: usize,
    },
    /// Chooses the element that is stored to.
    Index {
        /// What is stored to.
        of: &'a Lvalue,
        /// Which of its indices this is.
        dimension: usize,
    },
    /// Is stored.
    Stored(&'a Lvalue),
    /// Becomes a parameter of a new process.
    Argument {
        /// Which kind of process.
        process: ProcessId,
        /// Which parameter, as an index into the locals.
        parameter: u32,
    },
    /// A fault if it is 0.
    Asserted,
    /// Is a priority, or the number of a process whose priority is changed.
    Priority,
    /// Is shown to people. This has no effect on the state and no faults.
    Printed,
}

/// What is stored.
#[derive(Clone, Copy, Debug)]
pub enum StoredValue<'a> {
    /// The value of an expression.
    Expr(&'a Expr),
    /// A field of a message.
    Message {
        /// From which channel.
        channel: &'a Expr,
        /// Which field.
        field: usize,
    },
    /// A value from a gate.
    Offered {
        /// Which gate.
        gate: GateId,
        /// Which offer.
        field: usize,
    },
    /// The number of a new process.
    NewProcess(ProcessId),
}

/// What a command does, in an order in which every evaluation comes before what needs its value. Of a receive, all
/// evaluations come before all stores; of a meeting, all but that of the predicate.
pub fn operations(command: &Command) -> Vec<Operation<'_>> {
    let mut found = Vec::with_capacity(8);
    for_each_operation(command, &mut |operation| found.push(operation));
    found
}

/// Calls `visit` for everything that a command does, in the order of [`operations`]. It allocates nothing, which counts
/// where every command is looked at for every variable.
pub fn for_each_operation<'a>(command: &'a Command, visit: &mut dyn FnMut(Operation<'a>)) {
    match &command.guard {
        Guard::Always | Guard::Else => {}
        Guard::When(expr) => visit(Operation::Evaluate(expr, Purpose::Guard)),
        Guard::Body { entry, exit } => visit(Operation::Body { entry: *entry, exit: *exit }),
        Guard::Exit => visit(Operation::End),
    }
    of_sync(&command.sync, visit);
    command.effects.iter().for_each(|effect| of_effect(effect, visit));
}

fn of_sync<'a>(sync: &'a Sync, visit: &mut dyn FnMut(Operation<'a>)) {
    match sync {
        Sync::None => {}
        Sync::Send { channel, fields, sorted } => {
            visit(Operation::Evaluate(channel, Purpose::Channel));
            for (field, expr) in fields.iter().enumerate() {
                visit(Operation::Evaluate(expr, Purpose::Sent { channel, field }));
            }
            visit(Operation::Send { channel, fields, sorted: *sorted });
        }
        Sync::Receive { channel, patterns, random, copy } => {
            visit(Operation::Evaluate(channel, Purpose::Channel));
            for (field, pattern) in patterns.iter().enumerate() {
                match pattern {
                    Pattern::Bind(to) => of_indices(to, visit),
                    Pattern::Match(expr) => {
                        visit(Operation::Evaluate(expr, Purpose::Matched { channel, field }));
                    }
                    Pattern::Any => {}
                }
            }
            visit(Operation::Receive { channel, patterns, random: *random, copy: *copy });
            for (field, pattern) in patterns.iter().enumerate() {
                if let Pattern::Bind(to) = pattern {
                    visit(Operation::Store(to, StoredValue::Message { channel, field }));
                }
            }
        }
        Sync::Gate { gate, offers, when } => {
            let gate = *gate;
            for (field, offer) in offers.iter().enumerate() {
                match offer {
                    Pattern::Bind(to) => of_indices(to, visit),
                    Pattern::Match(expr) => {
                        visit(Operation::Evaluate(expr, Purpose::Offered { gate, field }));
                    }
                    Pattern::Any => {}
                }
            }
            visit(Operation::Meet { gate, offers });
            for (field, offer) in offers.iter().enumerate() {
                if let Pattern::Bind(to) = offer {
                    visit(Operation::Store(to, StoredValue::Offered { gate, field }));
                }
            }
            when.iter().for_each(|when| visit(Operation::Evaluate(when, Purpose::Guard)));
        }
    }
}

fn of_effect<'a>(effect: &'a Effect, visit: &mut dyn FnMut(Operation<'a>)) {
    match effect {
        Effect::Assign(to, value) => {
            of_indices(to, visit);
            visit(Operation::Evaluate(value, Purpose::Stored(to)));
            visit(Operation::Store(to, StoredValue::Expr(value)));
        }
        Effect::Run { process, arguments, priority, result } => {
            let process = *process;
            for (parameter, argument) in (0..).zip(arguments) {
                visit(Operation::Evaluate(argument, Purpose::Argument { process, parameter }));
            }
            priority.iter().for_each(|expr| visit(Operation::Evaluate(expr, Purpose::Priority)));
            visit(Operation::Create { process, arguments, kept: result.is_some() });
            if let Some(to) = result {
                of_indices(to, visit);
                visit(Operation::Store(to, StoredValue::NewProcess(process)));
            }
        }
        Effect::Assert(expr) => visit(Operation::Evaluate(expr, Purpose::Asserted)),
        Effect::Print { arguments, .. } => {
            arguments.iter().for_each(|(expr, _)| visit(Operation::Evaluate(expr, Purpose::Printed)));
            visit(Operation::Print);
        }
        Effect::SetPriority { process, priority } => {
            visit(Operation::Evaluate(process, Purpose::Priority));
            visit(Operation::Evaluate(priority, Purpose::Priority));
            visit(Operation::SetPriority);
        }
        Effect::Place { process, at, arguments } => {
            let (process, at) = (*process, *at);
            for (parameter, argument) in (0..).zip(arguments) {
                visit(Operation::Evaluate(argument, Purpose::Argument { process, parameter }));
            }
            visit(Operation::Place { process, at, arguments });
        }
    }
}

fn of_indices<'a>(of: &'a Lvalue, visit: &mut dyn FnMut(Operation<'a>)) {
    for (dimension, index) in of.indices.iter().enumerate() {
        visit(Operation::Evaluate(index, Purpose::Index { of, dimension }));
    }
}

/// Calls `visit` for everything that a command stores to.
pub fn for_each_written(command: &Command, visit: &mut dyn FnMut(&Lvalue)) {
    for_each_operation(command, &mut |operation| {
        if let Operation::Store(to, _) = operation {
            visit(to);
        }
    });
}

// These are asked of every command again and again, so they look only where the answer is.

/// The kinds of processes that a command creates.
pub fn created(command: &Command) -> impl Iterator<Item = ProcessId> {
    command.effects.iter().filter_map(|effect| match effect {
        Effect::Run { process, .. } => Some(*process),
        _ => None,
    })
}

/// The kinds of processes that a command puts elsewhere.
pub fn placed(command: &Command) -> impl Iterator<Item = ProcessId> {
    command.effects.iter().filter_map(|effect| match effect {
        Effect::Place { process, .. } => Some(*process),
        _ => None,
    })
}

/// Whether a command sends, receives or takes part at a gate.
pub fn communicates(command: &Command) -> bool {
    command.sync != Sync::None
}

/// The channel that a command sends to.
pub fn sent_to(command: &Command) -> Option<&Expr> {
    match &command.sync {
        Sync::Send { channel, .. } => Some(channel),
        _ => None,
    }
}

/// The channel that a command receives from.
pub fn received_from(command: &Command) -> Option<&Expr> {
    match &command.sync {
        Sync::Receive { channel, .. } => Some(channel),
        _ => None,
    }
}

/// How often a command prints.
pub fn prints(command: &Command) -> usize {
    command.effects.iter().filter(|effect| matches!(effect, Effect::Print { .. })).count()
}

/// Whether a command changes priorities.
pub fn sets_priority(command: &Command) -> bool {
    command.effects.iter().any(|effect| matches!(effect, Effect::SetPriority { .. }))
}

/// Whether a command takes part at a gate.
pub fn meets(command: &Command) -> bool {
    matches!(command.sync, Sync::Gate { .. })
}

/// Whether processes meet at gates, or put each other elsewhere.
pub fn joins(program: &Program) -> bool {
    let does = |command: &Command| meets(command) || placed(command).next().is_some();
    program.processes.iter().any(|kind| kind.commands.iter().any(does))
}
