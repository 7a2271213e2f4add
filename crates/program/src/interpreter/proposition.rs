//! Propositions that have no value: an index out of range, a division by zero, a channel variable that holds no channel.
//!
//! A proposition is no command, but what is wrong with it is as wrong, so it gets a [`Fault`] too: propositions are
//! numbered behind the commands. Which of them can go wrong at all is known from the text. Most cannot, and then nobody
//! has to ask in every state.

use super::{CAUSE_BITS, CAUSES, Cause, Interpreter, Walker};
use crate::ir::{Binary, Expr};
use elnath_kernel::Fault;

impl Interpreter {
    /// The propositions that may have no value, one bit each.
    pub(super) fn fallible(&self) -> u64 {
        let propositions = self.program.propositions.iter().take(64).enumerate();
        propositions.fold(0, |bits, (i, (_, expr))| bits | u64::from(may_fail(expr)) << i)
    }

    /// What a fault says, if it is one of a proposition.
    pub(super) fn proposition_fault_name(&self, fault: Fault) -> Option<String> {
        let cause = CAUSES[(fault.0 & ((1 << CAUSE_BITS) - 1)) as usize];
        let number = (fault.0 >> CAUSE_BITS).checked_sub(self.command_count())?;
        let (name, _) = self.program.propositions.get(number as usize)?;
        Some(format!("the proposition `{name}` has no value: {}", cause.text()))
    }

    fn command_count(&self) -> u32 {
        let last = self.program.processes.last().map_or(0, |process| process.commands.len() as u32);
        self.first_command.last().map_or(0, |first| first + last)
    }
}

impl Walker<'_> {
    /// Why a proposition has no value in a state.
    pub(super) fn fault_of_proposition(&mut self, state: &[u8], number: u32) -> Option<Fault> {
        self.tables.read(&self.system.layout, state);
        let view = self.system.view(state, &self.tables, usize::MAX, false);
        let (_, expr) = self.system.program.propositions.get(number as usize)?;
        let cause: Cause = view.is_true(expr).err()?;
        Some(Fault((self.system.command_count() + number) << CAUSE_BITS | cause as u32))
    }
}

/// Whether evaluating an expression can fail. An index that is a number was checked when the model was read.
fn may_fail(expr: &Expr) -> bool {
    let varies = |indices: &[Expr]| indices.iter().any(|index| !matches!(index, Expr::Const(_)));
    let mut found = false;
    expr.for_each(&mut |part| {
        found |= match part {
            Expr::Load(lvalue) => varies(&lvalue.indices),
            Expr::Remote { indices, .. } => varies(indices),
            Expr::Binary(Binary::Div | Binary::Rem, ab) => {
                !matches!(ab[1], Expr::Const(divisor) if divisor != 0)
            }
            Expr::Channel(..) | Expr::Poll { .. } => true,
            _ => false,
        };
    });
    found
}
