//! Dead variables: what a local holds that will not be read before it is written to again is forgotten.
//!
//! A state of the system has the values of all locals, also of those whose time is over: the counter of a loop that was
//! left, the message that was handled. For whatever can happen from there they make no difference, but they make states
//! different. So each is given its first value as soon as it is *dead*: at a location from which every way writes to it
//! before one reads it, or never reads it at all. This is the classical analysis of live variables, backwards from what
//! is read, for each kind of process; and then an assignment at the end of each command that leads from where a variable
//! is live, or that writes to it, to where it is dead.
//!
//! **Why nothing is lost.** Two states that differ in dead variables only have the same transitions, and these lead to
//! states that again differ in dead variables only: the states of the changed program are the classes of a bisimulation.
//! So deadlocks, faults, actions, formulas with X or without, and the lengths of runs are the same. What is not the same
//! is what a state shows.
//!
//! **What counts as read.** Everything that anybody can look at: the expressions of all commands that leave a location,
//! whether they turn out to be possible or not; the condition of the process (`provided`), everywhere; and locals that
//! other processes or propositions look at, which are live everywhere. What is only printed is read too, since people
//! read it.
//!
//! **Arrays** are one variable: a write to an element does not make the others dead. **Locals that are never written to**
//! keep their value: they cannot tell apart two states of one process, and partial order reduction finds the channels of
//! a process by them. The same is true of variables that hold a channel of the process.
//!
//! **Deterministic sequences** are passed through by the same analysis, as if the command before them led to their
//! entry, and their exit to where the command leads. Only commands within forget something, never the one that holds the
//! sequence: what that one does comes between a message being received at a rendez-vous and the rest of the sequence.
//!
//! **Meeting at gates** is like receiving: values are stored, predicates are tested, and what a command forgets comes after all of its
//! other effects. But other participants have effects as well, and one of them may put this process elsewhere before its own effects are
//! executed. So a command at a gate forgets nothing that is live where others put processes of this kind, and a command that
//! puts its own kind elsewhere forgets nothing.
//!
//! **Processes that are put elsewhere** have all their locals written to, whether they are live there or not: so what is dead at such a place is forgotten by the
//! commands that leave it.
//!
//! **Faults** end what a command does, but the process goes on to its target: there, a variable that was to be written to
//! has its old value. For a question that ends with the first fault this is of no concern; for others nothing must be
//! forgotten.

use crate::analysis::variables::{for_each_local_read, remotely_read};
use crate::analysis::{Operation, for_each_written, meets, operations, placed};
use crate::ir::{
    Command, Effect, Expr, Guard, Init, Loc, Lvalue, ProcessId, ProcessType, Program, Type, Variable,
    VariableRef,
};

/// Longer arrays are kept: forgetting takes an assignment for each element.
const LONGEST_ARRAY: u32 = 64;

/// Makes every command forget the variables that are dead after it, and counts what it added.
pub fn forget(program: &mut Program) -> usize {
    let remote = remotely_read(program);
    let put = put_to(program);
    let resets: Vec<Vec<Vec<u32>>> = (program.processes.iter().zip(&remote).zip(put).enumerate())
        .map(|(number, ((kind, remote), put))| {
            Analysis::new(ProcessId(number as u32), kind, remote, put).resets()
        })
        .collect();
    let mut added = 0;
    for (kind, resets) in program.processes.iter_mut().zip(resets) {
        for (command, dead) in kind.commands.iter_mut().zip(resets) {
            for local in dead {
                added += 1;
                first_values(local, &kind.locals[local as usize], &mut command.effects);
            }
        }
    }
    added
}

/// By kind of process: the locations to which others, or itself, put it.
fn put_to(program: &Program) -> Vec<Vec<Loc>> {
    let mut found = vec![Vec::new(); program.processes.len()];
    for operation in program.processes.iter().flat_map(|kind| &kind.commands).flat_map(operations) {
        if let Operation::Place { process, at, .. } = operation
            && !found[process.index()].contains(&at)
        {
            found[process.index()].push(at);
        }
    }
    found
}

/// Gives a local its first value, element by element.
fn first_values(local: u32, variable: &Variable, effects: &mut Vec<Effect>) {
    for element in 0..variable.len() {
        let mut indices = Vec::new();
        let mut rest = element;
        for &length in variable.dims.iter().rev() {
            indices.push(Expr::Const((rest % length) as i32));
            rest /= length;
        }
        indices.reverse();
        let value = first_value(variable, element as usize);
        effects.push(Effect::Assign(
            Lvalue { variable: VariableRef::Local(local), indices },
            Expr::Const(value),
        ));
    }
}

/// What an element holds at first, if that is known; else something that it can hold.
fn first_value(variable: &Variable, element: usize) -> i32 {
    let given = match &variable.init {
        Init::Value(Expr::Const(value)) => *value,
        Init::List(values) => match values.get(element) {
            Some(Expr::Const(value)) => *value,
            _ => 0,
        },
        _ => 0,
    };
    match (variable.ty.store(given), variable.ty) {
        (Some(value), _) => value,
        (None, Type::Range(low, _)) => low,
        (None, _) => 0,
    }
}

/// A set of locals of one kind of process.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Locals(Vec<u64>);

impl Locals {
    fn none(kind: &ProcessType) -> Self {
        Self(vec![0; kind.locals.len().div_ceil(64)])
    }

    fn insert(&mut self, local: u32) {
        self.0[local as usize / 64] |= 1 << (local % 64);
    }

    fn remove(&mut self, local: u32) {
        self.0[local as usize / 64] &= !(1 << (local % 64));
    }

    fn contains(&self, local: u32) -> bool {
        self.0[local as usize / 64] >> (local % 64) & 1 != 0
    }

    /// Whether there were others in it.
    fn add(&mut self, others: &Locals) -> bool {
        let before = self.clone();
        self.0.iter_mut().zip(&others.0).for_each(|(word, other)| *word |= other);
        *self != before
    }

    /// An expression is evaluated.
    fn read(&mut self, expr: &Expr) {
        for_each_local_read(expr, &mut |local| self.insert(local));
    }
}

/// What a command does to the sets: before it is live what it reads, and what is live after it unless it writes to it.
struct Transfer {
    reads: Locals,
    writes: Locals,
}

impl Transfer {
    fn new(kind: &ProcessType, command: &Command) -> Self {
        let mut transfer = Self { reads: Locals::none(kind), writes: Locals::none(kind) };
        // Some evaluations come after a store that they are before here; it does no harm to think that they read more.
        for operation in operations(command).iter().rev() {
            match operation {
                Operation::Evaluate(expr, _) => transfer.reads.read(expr),
                Operation::Store(to, _) => transfer.store(to),
                Operation::Body { .. }
                | Operation::Send { .. }
                | Operation::Receive { .. }
                | Operation::Create { .. }
                | Operation::Meet { .. }
                | Operation::Place { .. }
                | Operation::SetPriority
                | Operation::Print
                | Operation::End => {}
            }
        }
        transfer
    }

    /// What comes after this has been looked at already.
    fn store(&mut self, to: &Lvalue) {
        if let (VariableRef::Local(local), true) = (to.variable, to.indices.is_empty()) {
            self.reads.remove(local);
            self.writes.insert(local);
        }
    }
}

struct Analysis<'a> {
    id: ProcessId,
    kind: &'a ProcessType,
    /// The locations to which processes of this kind are put.
    put: Vec<Loc>,
    /// The locals that are never forgotten.
    kept: Locals,
    /// By location: what is read before it is written to.
    live: Vec<Locals>,
}

impl<'a> Analysis<'a> {
    fn new(id: ProcessId, kind: &'a ProcessType, remote: &[bool], put: Vec<Loc>) -> Self {
        let mut kept = Locals::none(kind);
        for (local, (variable, &remote)) in kind.locals.iter().zip(remote).enumerate() {
            let new_channel = matches!(variable.init, Init::Channel(_));
            if remote || new_channel || variable.len() > LONGEST_ARRAY {
                kept.insert(local as u32);
            }
        }
        kind.provided.iter().for_each(|expr| kept.read(expr));
        let mut written = Locals::none(kind);
        kind.commands
            .iter()
            .for_each(|command| for_each_local_written(command, &mut |local| written.insert(local)));
        for local in 0..kind.locals.len() as u32 {
            if !written.contains(local) && put.is_empty() {
                kept.insert(local);
            }
        }
        let live = vec![Locals::none(kind); kind.locations.len()];
        let mut analysis = Self { id, kind, put, kept, live };
        analysis.solve();
        analysis
    }

    /// The least sets that satisfy the equations.
    fn solve(&mut self) {
        let transfers: Vec<Transfer> =
            self.kind.commands.iter().map(|command| Transfer::new(self.kind, command)).collect();
        loop {
            let mut changed = false;
            for at in (0..self.live.len()).rev() {
                for (id, command) in self.kind.leaving(Loc(at as u32)) {
                    let before = self.before(command, &transfers[id.index()]);
                    changed |= self.live[at].add(&before);
                    if let Guard::Body { exit, .. } = command.guard {
                        let after = self.live[command.target.index()].clone();
                        changed |= self.live[exit.index()].add(&after);
                    }
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// What is live before a command.
    fn before(&self, command: &Command, transfer: &Transfer) -> Locals {
        let mut live = match command.guard {
            Guard::Body { entry, .. } => self.live[entry.index()].clone(),
            // If its condition has a fault, the process goes on instead of ending.
            Guard::Exit if self.kind.provided.is_none() => return Locals::none(self.kind),
            _ => self.live[command.target.index()].clone(),
        };
        live.0.iter_mut().zip(&transfer.writes.0).for_each(|(word, written)| *word &= !written);
        live.add(&transfer.reads);
        live
    }

    /// By command: the variables that it is to forget.
    fn resets(&self) -> Vec<Vec<u32>> {
        // By location: what may hold something. Where it is dead, it was forgotten on the way; but the command that
        // holds a deterministic sequence forgets nothing.
        let mut filled = self.live.clone();
        for at in &self.put {
            (0..self.kind.locals.len() as u32).for_each(|local| filled[at.index()].insert(local));
        }
        for at in 0..self.live.len() {
            for (_, command) in self.kind.leaving(Loc(at as u32)) {
                if let Guard::Body { entry, exit } = command.guard {
                    filled[entry.index()].add(&self.live[at]);
                    for_each_local_written(command, &mut |local| filled[entry.index()].insert(local));
                    filled[command.target.index()].add(&self.live[exit.index()]);
                }
            }
        }
        let mut resets = vec![Vec::new(); self.kind.commands.len()];
        for (at, filled) in filled.iter().enumerate() {
            for (id, command) in self.kind.leaving(Loc(at as u32)) {
                let puts_itself = placed(command).any(|kind| kind == self.id);
                if puts_itself || matches!(command.guard, Guard::Body { .. } | Guard::Exit) {
                    continue;
                }
                let mut candidates = filled.clone();
                for_each_local_written(command, &mut |local| candidates.insert(local));
                let mut live = self.live[command.target.index()].clone();
                if meets(command) {
                    for at in &self.put {
                        live.add(&self.live[at.index()]);
                    }
                }
                let dead = |&local: &u32| {
                    candidates.contains(local) && !live.contains(local) && !self.kept.contains(local)
                };
                let resets: &mut Vec<u32> = &mut resets[id.index()];
                resets.extend((0..self.kind.locals.len() as u32).filter(dead));
                resets.sort_unstable();
                resets.dedup();
            }
        }
        resets
    }
}

fn for_each_local_written(command: &Command, found: &mut dyn FnMut(u32)) {
    for_each_written(command, &mut |lvalue| {
        if let VariableRef::Local(local) = lvalue.variable {
            found(local);
        }
    });
}
