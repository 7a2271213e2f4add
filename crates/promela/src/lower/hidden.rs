//! Which `hidden` variables can be left out of the state.
//!
//! SPIN leaves all of them out, and what one holds in a later step is whatever the run that its search is on has put there:
//! states that differ in it count as one, and the verdict depends on the order of the search. So a variable stays
//! hidden here only if nobody can tell:
//!
//! * wherever it is read, it has been written *in the same step*, that is, since the process last was at a place where
//!   it may rest; or
//! * what it holds decides nothing: it is printed, or goes into other variables of this kind.
//!
//! Every other one becomes an ordinary variable. Claims, formulas, `provided` clauses and processes that ask about others look
//! at states, where nothing has been written yet.

use super::graph::may_fail;
use elnath_program::analysis::variables::initial_values;
use elnath_program::analysis::{
    Observation, Operation, Purpose, communicates, observes, operations, sent_to,
};
use elnath_program::ir::{Command, Expr, Guard, Loc, Lvalue, ProcessType, Program, Variable, VariableRef};

/// Makes ordinary variables of the hidden ones that must keep their value.
pub(super) fn keep_what_is_read(program: &mut Program, claims: &[ProcessType]) {
    let hidden = |program: &Program| -> Vec<u32> {
        (0..program.globals.len() as u32).filter(|&g| program.globals[g as usize].hidden).collect()
    };
    // What decides nothing: all of them, but for those that are read where it matters, and those that go into these.
    let mut idle = hidden(program);
    loop {
        let before = idle.clone();
        idle.retain(|&global| !Question { program, claims, global, idle: &before }.matters());
        if idle.len() == before.len() {
            break;
        }
    }
    for global in hidden(program) {
        let question = Question { program, claims, global, idle: &idle };
        if question.must_be_kept() {
            program.globals[global as usize].hidden = false;
        }
    }
}

/// One hidden variable of a program.
struct Question<'p> {
    program: &'p Program,
    claims: &'p [ProcessType],
    global: u32,
    /// Those that decide nothing, as far as is known.
    idle: &'p [u32],
}

impl Question<'_> {
    /// Whether it is read anywhere that matters.
    fn matters(&self) -> bool {
        let commands = self.program.processes.iter().flat_map(|kind| &kind.commands);
        self.is_looked_at() || commands.into_iter().any(|command| self.reads_before_writing(command, true))
    }

    /// Whether it is read before it was written in the same step, where it matters.
    fn must_be_kept(&self) -> bool {
        self.is_looked_at() || self.program.processes.iter().any(|kind| self.is_read_unwritten(kind))
    }

    /// Whether it is read other than by a step.
    fn is_looked_at(&self) -> bool {
        let in_initial_value =
            |local: &Variable| initial_values(&local.init).iter().any(|expr| self.reads(expr));
        let in_claims = self
            .claims
            .iter()
            .flat_map(|claim| &claim.commands)
            .flat_map(operations)
            .any(|operation| matches!(operation, Operation::Evaluate(expr, _) if self.reads(expr)));
        in_claims
            || self.program.propositions.iter().any(|(_, expr)| self.reads(expr))
            || self.program.processes.iter().any(|kind| {
                kind.provided.iter().any(|expr| self.reads(expr)) || kind.locals.iter().any(in_initial_value)
            })
    }

    /// Whether a process can come to read the variable before it has written it in the same step, where it matters.
    fn is_read_unwritten(&self, kind: &ProcessType) -> bool {
        let written = self.written(kind);
        (0..kind.locations.len()).filter(|&at| !written[at]).any(|at| {
            kind.leaving(Loc(at as u32)).any(|(_, command)| self.reads_before_writing(command, false))
        })
    }

    /// By location: whether whoever arrives there has written the variable since it last may have rested. The greatest
    /// solution: locations to which nobody comes count as such.
    fn written(&self, kind: &ProcessType) -> Vec<bool> {
        let mut written: Vec<bool> = resting(kind).into_iter().map(|rests| !rests).collect();
        let mut changed = true;
        while std::mem::take(&mut changed) {
            let mut arrive = |written: &mut Vec<bool>, at: Loc, with: bool| {
                changed |= written[at.index()] && !with;
                written[at.index()] &= with;
            };
            for at in 0..kind.locations.len() {
                for (_, command) in kind.leaving(Loc(at as u32)) {
                    let after = match command.guard {
                        Guard::Body { entry, exit } => {
                            let before = written[at];
                            arrive(&mut written, entry, before);
                            written[exit.index()]
                        }
                        _ => written[at] || self.writes(command),
                    };
                    arrive(&mut written, command.target, after);
                }
            }
        }
        written
    }

    /// Whether a command reads it where it matters, before it writes it or (`after_writing`) at all.
    fn reads_before_writing(&self, command: &Command, after_writing: bool) -> bool {
        let mut unwritten = true;
        operations(command).into_iter().any(|operation| match operation {
            Operation::Evaluate(expr, purpose) => {
                unwritten && self.reads(expr) && self.matters_for(expr, purpose)
            }
            Operation::Store(to, _) => {
                unwritten &= after_writing || !self.is_whole(to);
                false
            }
            _ => false,
        })
    }

    /// Whether the value of an expression decides something if it is used like this.
    fn matters_for(&self, expr: &Expr, purpose: Purpose<'_>) -> bool {
        match purpose {
            Purpose::Printed => false,
            Purpose::Stored(Lvalue { variable: VariableRef::Global(other), indices }) => {
                !self.idle.contains(other) || !indices.is_empty() || may_fail(expr)
            }
            _ => true,
        }
    }

    fn writes(&self, command: &Command) -> bool {
        let mut operations = operations(command).into_iter();
        operations.any(|operation| matches!(operation, Operation::Store(to, _) if self.is_whole(to)))
    }

    /// All of it, which an element of an array is not.
    fn is_whole(&self, lvalue: &Lvalue) -> bool {
        lvalue.variable == VariableRef::Global(self.global) && lvalue.indices.is_empty()
    }

    fn reads(&self, expr: &Expr) -> bool {
        observes(
            expr,
            |observation| matches!(observation, Observation::Variable(lvalue) if lvalue.variable == VariableRef::Global(self.global)),
        )
    }
}

/// By location: whether a process may stay there. It gets there by a step that is not atomic or hands control to someone
/// else, or may find nothing to do there; but nobody rests within a deterministic sequence.
fn resting(kind: &ProcessType) -> Vec<bool> {
    let always =
        |command: &Command| matches!(command.guard, Guard::Always | Guard::Else) && !communicates(command);
    let goes_on = |command: &Command| match command.guard {
        Guard::Body { entry, .. } => kind.leaving(entry).any(|(_, inner)| always(inner)),
        _ => always(command),
    };
    let finds_nothing = |at| !kind.leaving(Loc(at as u32)).any(|(_, command)| goes_on(command));
    let mut resting: Vec<bool> =
        (0..kind.locations.len()).map(|at| kind.provided.is_some() || finds_nothing(at)).collect();
    for command in &kind.commands {
        if !command.atomic || sent_to(command).is_some() {
            resting[command.target.index()] = true;
        }
    }
    resting[kind.entry.index()] = true;
    for command in &kind.commands {
        let Guard::Body { entry, exit } = command.guard else { continue };
        let (mut inside, mut waiting) = (vec![exit], vec![entry]);
        while let Some(at) = waiting.pop() {
            if !inside.contains(&at) {
                inside.push(at);
                waiting.extend(kind.leaving(at).map(|(_, command)| command.target));
            }
        }
        inside.into_iter().for_each(|at| resting[at.index()] = false);
    }
    resting
}
