//! Programs whose processes have no names.
//!
//! The number of a process is its place on a stack: `run` gives the next one, and only the youngest can end. So what
//! number a process gets depends on who has ended before, and a `run` and the end of another process are dependent, as are
//! two `run`s: the states they lead to differ in numbers. But where nobody can look at a number, these states are the same
//! but for names, and so is a state in which a process has come to its end and waits for the younger ones to end, and one
//! in which it is gone: whatever one of them can do, the other can, with the same values.
//!
//! More exactly: let M be the program, and M' the one in which a process may end at any time after its last statement, and
//! processes are kept in no order. Where a program is *anonymous*, as defined below, a state of M and the state of M' that
//! is made from it by forgetting the order can do the same, except that in M' some processes may end that have to wait in
//! M. Nobody sees whether they have. In M' ending and creating depend on nothing but the arguments and what the new process
//! finds at first. So a set of transitions that is persistent in M' is explored in M; a process that ends in the run of M'
//! that is to be found and cannot in M is left waiting, since nothing that follows depends on it. The cycle condition is
//! about states of M, of which there are finitely many, and whose graph is the one that is walked.
//!
//! One thing differs: a process whose end is waited for in vain, because a younger one lives for ever, may have ended in M
//! before that one was created. Its end is a step that some runs have and the explored ones may not. So a question about
//! the ends of processes ([`crate::Keep::ends`]) does without this rule, and the end of a process counts as executed where
//! the process has come to it.
//!
//! A program is anonymous if
//!
//! * no expression has the number of a process, how many there are, or where another one is, what it holds or whether it
//!   can move, and nobody keeps what `run` returns;
//! * no kind of process has a condition (`provided`) that would have to hold for it to end, nor anything else to do where
//!   it ends, and no label there that a question looks at;
//! * there are never more processes and channels than there may be, because each `run` is executed once at most by the
//!   process it belongs to, and the sum over all of them is small enough: too many are a fault, which would depend on who
//!   has ended;
//! * numbers of channels that processes make are not looked at either, and none outlives its channel: they are used to
//!   communicate and as arguments of `run`, and it is known which they are ([`super::sites`]).

use super::scan::has_channels;
use super::sites::{Sites, Which};
use crate::analysis::control::on_cycles;
use crate::analysis::variables::{for_each_observation_of, initial_values};
use crate::analysis::{Observation, Operation, observation, operations};
use crate::ir::{Expr, Guard, Loc, Lvalue, ProcessId, ProcessType, Program, Type, VariableRef};
use crate::layout::Layout;

/// Processes and channels that there may be.
const MOST: usize = 255;

/// Whether nobody can tell which number a process has, nor whether one that has come to its end is still there.
pub(super) fn is_anonymous(
    program: &Program,
    layout: &Layout,
    sites: &Sites,
    first_channel: &[Option<usize>],
) -> bool {
    !asks_for_numbers(program)
        && program.processes.iter().all(ends_unseen)
        && stays_small(program, layout)
        && (!program.processes.iter().any(has_channels) || only_communicates(program, sites, first_channel))
}

fn asks_for_numbers(program: &Program) -> bool {
    let mut asks = false;
    for_each_observation_of(program, &mut |observation| {
        asks |= match observation {
            Observation::Pid
            | Observation::ProcessCount
            | Observation::Last
            | Observation::Remote { .. }
            | Observation::Position { .. }
            | Observation::Process(_) => true,
            Observation::Variable(_)
            | Observation::Timeout
            | Observation::NonProgress
            | Observation::Length { .. }
            | Observation::Messages { .. } => false,
        };
    });
    let mut operations = program.processes.iter().flat_map(|kind| &kind.commands).flat_map(operations);
    asks || operations
        .any(|operation| matches!(operation, Operation::Create { kept: true, .. } | Operation::SetPriority))
}

/// Whether nothing but its end is possible where a process ends, and no label shows that it is there.
fn ends_unseen(kind: &ProcessType) -> bool {
    let unseen = |(at, location): (usize, &crate::ir::Location)| {
        let mut leaving = kind.leaving(Loc(at as u32));
        let ends = leaving.any(|(_, command)| command.guard == Guard::Exit);
        !ends || kind.leaving(Loc(at as u32)).count() == 1 && !location.accept && !location.progress
    };
    kind.provided.is_none() && kind.locations.iter().enumerate().all(unseen)
}

/// Whether there are never too many processes or channels.
fn stays_small(program: &Program, layout: &Layout) -> bool {
    let sum = |start: [usize; 2], parts: &[ProcessId], sizes: &[Option<[usize; 2]>]| {
        parts.iter().try_fold(start, |all, part| {
            let more = sizes[part.index()]?;
            Some([all[0].saturating_add(more[0]), all[1].saturating_add(more[1])])
        })
    };
    // By kind of process: how many processes and channels one of them brings about, itself included. Who is not known
    // after as many rounds as there are kinds creates its own kind again.
    let mut sizes = vec![None; program.processes.len()];
    for _ in 0..program.processes.len() {
        for (index, kind) in program.processes.iter().enumerate() {
            let own = [1, layout.frames[index].channels.len()];
            sizes[index] = created(kind).and_then(|created| sum(own, &created, &sizes));
        }
    }
    let all = sum([0, layout.global_channels.len()], &program.initial, &sizes);
    all.is_some_and(|[processes, channels]| processes <= MOST && channels <= MOST)
}

/// The processes that one of a kind creates, if it can create each once only.
fn created(kind: &ProcessType) -> Option<Vec<ProcessId>> {
    let on_cycle = on_cycles(kind);
    let mut created = Vec::new();
    for (id, command) in kind.commands.iter().enumerate() {
        for process in crate::analysis::created(command) {
            if on_cycle[id] {
                return None;
            }
            created.push(process);
        }
    }
    Some(created)
}

/// Whether numbers of channels are used only to communicate and to hand them on, and are known wherever they are used.
fn only_communicates(program: &Program, sites: &Sites, first_channel: &[Option<usize>]) -> bool {
    let is_known = |kind: usize, channel: &Expr| match channel {
        Expr::Load(Lvalue { variable: VariableRef::Local(local), .. }) => {
            sites.named_by(ProcessId(kind as u32), *local) != Which::Any
        }
        Expr::Load(Lvalue { variable: VariableRef::Global(global), .. }) => {
            first_channel[*global as usize].is_some()
        }
        _ => false,
    };
    for (index, kind) in program.processes.iter().enumerate() {
        let is_channel = |expr: &Expr| match expr {
            Expr::Load(Lvalue { variable: VariableRef::Global(global), .. }) => {
                program.globals[*global as usize].ty == Type::Channel
            }
            Expr::Load(Lvalue { variable: VariableRef::Local(local), .. }) => {
                kind.locals[*local as usize].ty == Type::Channel
            }
            _ => false,
        };
        // Each use of a channel variable must be one of those that are allowed.
        let (mut uses, mut allowed, mut known) = (0, 0, true);
        let mut look = |expr: &Expr| match observation(expr) {
            Some(Observation::Length { channel, .. } | Observation::Messages { channel, .. }) => {
                known &= is_known(index, channel);
                allowed += 1;
            }
            _ => uses += u32::from(is_channel(expr)),
        };
        for variable in &kind.locals {
            initial_values(&variable.init).iter().for_each(|expr| expr.for_each(&mut look));
        }
        kind.commands.iter().for_each(|command| command.for_each_expr(&mut look));
        for operation in kind.commands.iter().flat_map(operations) {
            match operation {
                Operation::Send { channel, .. } | Operation::Receive { channel, .. } => {
                    known &= is_known(index, channel);
                    allowed += 1;
                }
                Operation::Create { process, arguments, .. } => {
                    let channels = arguments.iter().enumerate().filter(|(_, argument)| is_channel(argument));
                    for (parameter, _) in channels {
                        known &= sites.named_by(process, parameter as u32) != Which::Any;
                        allowed += 1;
                    }
                }
                _ => {}
            }
        }
        if !known || uses != allowed {
            return false;
        }
    }
    // A question sees no channel of a process, unless it makes up the number.
    let mut known = true;
    for (_, expr) in &program.propositions {
        crate::analysis::for_each_observation(expr, &mut |observation| {
            if let Observation::Length { channel, .. } | Observation::Messages { channel, .. } = observation {
                known &= is_known(0, channel);
            }
        });
    }
    known
}
