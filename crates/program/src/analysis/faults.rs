//! Where executing a command or evaluating an expression may be a fault.
//!
//! How much is known of values differs: of a program as such, constants; of one process, also its number and the variables
//! that keep their first value. So the analysis asks ([`Knowledge`]), and [`Constants`] is the answer for a program as such.

use super::{Observation, Operation, Purpose, for_each_operation, observation};
use crate::ir::{
    Binary, ChannelId, Command, Expr, Init, Lvalue, ProcessType, Program, Type, Variable, VariableRef,
};

/// What is known of the values of expressions, whenever a process of one kind evaluates them.
pub trait Knowledge {
    /// The program.
    fn program(&self) -> &Program;

    /// The kind of process.
    fn kind(&self) -> &ProcessType;

    /// The value of an expression that is always the same.
    fn value(&self, expr: &Expr) -> Option<i32>;

    /// The kinds of channels that an expression may stand for; nothing if it may stand for any, or for none.
    fn channels(&self, channel: &Expr) -> Option<Vec<ChannelId>>;
}

/// Nothing but constants is known.
#[derive(Clone, Copy)]
pub struct Constants<'a> {
    /// The program.
    pub program: &'a Program,
    /// The kind of process.
    pub kind: &'a ProcessType,
    /// By global, whether it keeps its first value: [`super::variables::constants`].
    pub constant: &'a [bool],
}

impl Knowledge for Constants<'_> {
    fn program(&self) -> &Program {
        self.program
    }

    fn kind(&self) -> &ProcessType {
        self.kind
    }

    fn value(&self, expr: &Expr) -> Option<i32> {
        match expr {
            Expr::Const(value) => Some(*value),
            _ => None,
        }
    }

    fn channels(&self, channel: &Expr) -> Option<Vec<ChannelId>> {
        let Expr::Load(Lvalue { variable: VariableRef::Global(global), .. }) = channel else { return None };
        match self.program.globals[*global as usize].init {
            Init::Channel(kind) if self.constant[*global as usize] => Some(vec![kind]),
            _ => None,
        }
    }
}

/// Whether executing a command may be a fault. The condition of the process (`provided`) is not part of it.
pub fn may_fail(known: &impl Knowledge, command: &Command) -> bool {
    let mut fails = false;
    for_each_operation(command, &mut |operation| fails = fails || operation_may_fail(known, &operation));
    fails
}

fn operation_may_fail(known: &impl Knowledge, operation: &Operation<'_>) -> bool {
    let ranged = |ty: &Type| matches!(ty, Type::Range(..));
    // Some channel that may be meant is none, or has other messages than expected.
    let none_or = |channel: &Expr, wrong: &dyn Fn(&[Type]) -> bool| {
        let wrong = |kind: ChannelId| wrong(&known.program().channels[kind.index()].fields);
        known.channels(channel).is_none_or(|kinds| kinds.into_iter().any(wrong))
    };
    match operation {
        Operation::Evaluate(_, Purpose::Asserted) => true,
        Operation::Evaluate(expr, _) => evaluation_may_fail(known, expr),
        Operation::Send { channel, fields: sent, .. } => {
            none_or(channel, &|fields| fields.len() != sent.len() || fields.iter().any(ranged))
        }
        Operation::Receive { channel, patterns, .. } => {
            none_or(channel, &|fields| fields.len() != patterns.len())
        }
        Operation::Store(to, _) => {
            ranged(&declared(known.program(), known.kind(), to.variable).ty) || !is_in_range(known, to)
        }
        Operation::Meet { gate, .. } => known.program().gates[gate.index()].offers.iter().any(ranged),
        Operation::Body { .. }
        | Operation::Create { .. }
        | Operation::Place { .. }
        | Operation::SetPriority => true,
        Operation::Print | Operation::End => false,
    }
}

/// Whether evaluating an expression may be a fault.
pub fn evaluation_may_fail(known: &impl Knowledge, expr: &Expr) -> bool {
    let mut fails = false;
    expr.for_each(&mut |expr| fails |= may_have_no_value(known, expr));
    fails
}

/// Whether an expression may have no value although its operands have.
pub fn may_have_no_value(known: &impl Knowledge, expr: &Expr) -> bool {
    match observation(expr) {
        Some(Observation::Variable(lvalue)) => !is_in_range(known, lvalue),
        Some(
            Observation::Remote { .. }
            | Observation::Position { .. }
            | Observation::Process(_)
            | Observation::Length { .. }
            | Observation::Messages { .. },
        ) => true,
        Some(
            Observation::Pid
            | Observation::ProcessCount
            | Observation::Last
            | Observation::Timeout
            | Observation::NonProgress,
        ) => false,
        None => match expr {
            Expr::Binary(Binary::Div | Binary::Rem, ab) => known.value(&ab[1]).is_none_or(|by| by == 0),
            _ => false,
        },
    }
}

/// Whether indices are certainly within the bounds of their variable.
pub fn is_in_range(known: &impl Knowledge, lvalue: &Lvalue) -> bool {
    let dims = &declared(known.program(), known.kind(), lvalue.variable).dims;
    let within = |(index, &length): (&Expr, &u32)| {
        known.value(index).is_some_and(|index| u32::try_from(index).is_ok_and(|index| index < length))
    };
    lvalue.indices.iter().zip(dims).all(within)
}

/// The declaration of a variable that a process of this kind names.
pub fn declared<'a>(program: &'a Program, kind: &'a ProcessType, variable: VariableRef) -> &'a Variable {
    match variable {
        VariableRef::Global(global) => &program.globals[global as usize],
        VariableRef::Local(local) => &kind.locals[local as usize],
    }
}
