//! Programs with fewer states that do the same: changes made before a search begins.
//!
//! * [`slice`](mod@slice): variables that can decide nothing keep their first value.
//! * [`dead`]: what a variable holds that nobody will read again tells states apart for nothing, so it is forgotten.
//! * [`merging`]: a process that has only its own business to see to need not rest in the middle of it.
//!
//! All change a [`Program`] into another with *the same commands at the same places*, so that whatever names a command
//! (a transition, a fault, a statement that was never executed, a line of a trail) means the same in both. What is added
//! are assertions that only evaluate something, effects at the end of commands, and the mark that the process goes on alone after a command
//! ([`crate::ir::Command::atomic`]). Interpreter, machine code, partial order reduction and stories of runs know nothing
//! of it; a run of the changed program is found again in the one that was written by [`crate::Interpreter::unfold`],
//! since that is the one that people are told about.

mod dead;
mod merging;
mod slice;

use crate::analysis::faults::{Constants, evaluation_may_fail};
use crate::analysis::variables::{constants, for_each_observation_of};
use crate::analysis::{Observation, Operation, ProcessQuery, Purpose, operations, sets_priority};
use crate::ir::{Command, Expr, Guard, ProcessType, Program};

pub use dead::forget;
pub use merging::merge;
pub use slice::slice;

/// What makes partial order reduction and merging impossible, or not worth the trouble of thinking about.
pub(crate) fn hopeless(program: &Program) -> Option<&'static str> {
    if program.has_priorities || program.processes.iter().flat_map(|kind| &kind.commands).any(sets_priority) {
        return Some("processes have priorities");
    }
    if program.tracks_last {
        return Some("the model asks which process moved last");
    }
    let mut why = None;
    for_each_observation_of(program, &mut |observation| match observation {
        Observation::Process(ProcessQuery::Enabled) => {
            why = Some("the model asks whether a process can move");
        }
        Observation::Process(ProcessQuery::Location) => {
            why = Some("the model asks at which statement a process is, as a number");
        }
        _ => {}
    });
    why
}

/// Why every order of steps must be walked if runs go on after faults, in words that follow "because". A fault ends
/// what a command does, but the process goes on to its target, so that tests count as passed that were not made, and variables
/// have values that they should have lost. Only an assertion has nothing that could be left undone.
pub(crate) fn goes_astray(program: &Program) -> Option<&'static str> {
    let constant = &constants(program);
    let only_asserts = |known: Constants<'_>, command: &Command| {
        let asserts = match &operations(command)[..] {
            [Operation::Evaluate(expr, Purpose::Asserted)] => !evaluation_may_fail(&known, expr),
            _ => false,
        };
        asserts && command.guard == Guard::Always && known.kind.provided.is_none()
    };
    let strays = |kind: &ProcessType| {
        let known = Constants { program, kind, constant };
        let mut commands = kind.commands.iter();
        commands.any(|command| may_fail(known, command) && !only_asserts(known, command))
    };
    // Propositions have no locals, so that any kind will do.
    let any = program.processes.first().map(|kind| Constants { program, kind, constant });
    let is_strange = |(_, expr): &(String, Expr)| any.is_some_and(|known| evaluation_may_fail(&known, expr));
    (program.propositions.iter().any(is_strange) || program.processes.iter().any(strays))
        .then_some("runs go on after a fault, and it is not only assertions that may fail")
}

/// Whether executing a command may be a fault, or the condition of its process.
fn may_fail(known: Constants<'_>, command: &Command) -> bool {
    known.kind.provided.is_some() || crate::analysis::faults::may_fail(&known, command)
}
