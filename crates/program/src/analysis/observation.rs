//! What expressions look at in a state.

use crate::ir::{ChannelQuery, Expr, Loc, Lvalue, Pattern, ProcessId};

/// What an expression looks at, apart from the operands in it.
#[derive(Clone, Copy, Debug)]
pub enum Observation<'a> {
    /// A variable: a global, or a local of the process itself.
    Variable(&'a Lvalue),
    /// A local of another process, and whether that exists.
    Remote {
        /// What kind of process it is.
        process: ProcessId,
        /// Its number; none for the only one of its kind.
        pid: Option<&'a Expr>,
        /// An index into its locals.
        variable: u32,
    },
    /// Whether another process is at one of these locations, and whether it exists.
    Position {
        /// What kind of process it is.
        process: ProcessId,
        /// Its number; none for the only one of its kind.
        pid: Option<&'a Expr>,
        /// The locations.
        locations: &'a [Loc],
    },
    /// Something about the process with a certain number, whatever its kind.
    Process(ProcessQuery),
    /// The number of the process itself.
    Pid,
    /// How many processes there are.
    ProcessCount,
    /// Which process moved last.
    Last,
    /// Whether nothing else is possible.
    Timeout,
    /// Whether no process is at a progress location.
    NonProgress,
    /// How many messages a channel holds, in some way.
    Length {
        /// Which channel.
        channel: &'a Expr,
        /// What is asked.
        query: ChannelQuery,
    },
    /// What messages a channel holds.
    Messages {
        /// Which channel.
        channel: &'a Expr,
        /// What they must match.
        patterns: &'a [Pattern],
        /// Any of them, not only the first.
        random: bool,
        /// How many are passed over.
        ahead: u32,
    },
}

/// What is asked about the process with a certain number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessQuery {
    /// Its location, as a number.
    Location,
    /// Whether it can move.
    Enabled,
    /// Its priority.
    Priority,
}

/// What an expression itself looks at; nothing if it is an operator, whose operands may.
pub fn observation(expr: &Expr) -> Option<Observation<'_>> {
    Some(match expr {
        Expr::Const(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Cond(_) => return None,
        Expr::Load(lvalue) => Observation::Variable(lvalue),
        Expr::Pid => Observation::Pid,
        Expr::ProcessCount => Observation::ProcessCount,
        Expr::Last => Observation::Last,
        Expr::Timeout => Observation::Timeout,
        Expr::NonProgress => Observation::NonProgress,
        Expr::Channel(query, channel) => Observation::Length { channel, query: *query },
        Expr::Poll { channel, patterns, random, ahead } => {
            Observation::Messages { channel, patterns, random: *random, ahead: *ahead }
        }
        Expr::Remote { process, pid, variable, .. } => {
            Observation::Remote { process: *process, pid: pid.as_deref(), variable: *variable }
        }
        Expr::At { process, pid, locations } => {
            Observation::Position { process: *process, pid: pid.as_deref(), locations }
        }
        Expr::Location(_) => Observation::Process(ProcessQuery::Location),
        Expr::Enabled(_) => Observation::Process(ProcessQuery::Enabled),
        Expr::Priority(_) => Observation::Process(ProcessQuery::Priority),
    })
}

/// Calls `visit` for everything that evaluating an expression looks at, its operands included.
pub fn for_each_observation<'a>(expr: &'a Expr, visit: &mut dyn FnMut(Observation<'a>)) {
    expr.for_each(&mut |expr| observation(expr).into_iter().for_each(&mut *visit));
}

/// Whether evaluating an expression looks at something for which this holds.
pub fn observes(expr: &Expr, mut is: impl FnMut(Observation<'_>) -> bool) -> bool {
    let mut found = false;
    for_each_observation(expr, &mut |observation| found |= is(observation));
    found
}
