//! Statement merging: a process that has only its own business to see to does not rest in the middle of it.
//!
//! Between two statements other processes may come in, and a search tries this at every place. Where all that a process
//! can do next is *local*, reading and writing nothing but its own variables, it makes no difference whether they do:
//! so the process goes on at once, as within an atomic sequence, and the place is no state of the system any more.
//! Every command that leads there is marked so. (SPIN does this for statements in a row; here it may be any command
//! before, and any number of branches behind, as long as these are local.)
//!
//! **Why nothing is lost.** At such a place the commands of the process are a persistent set: nobody else can make them
//! possible or impossible, nor can they be of concern to anybody. They are invisible: they change neither what
//! propositions, other processes or conditions look at, nor acceptance and progress, nor does the process come to wait at a
//! rendez-vous where somebody would notice (who sends there and does something else if nobody waits). So this is partial order reduction
//! ([`crate::independence`]) at this place; and since the truth of propositions is the same before and after, the state
//! in between can be left out as well. Kept are deadlocks, faults, what is executed, and formulas without X. If the
//! process cannot go on at such a place it never will, and it rests there as it does in an atomic sequence that is
//! blocked.
//!
//! **Atomic sequences** that were written are one step, which is local if all of it is.
//!
//! **Loops.** On every way there is an end: of the places of a cycle that could all be passed through, one is made a
//! place to rest. Cycles of atomic sequences that were written are as they were; the marks make no new ones.
//!
//! **Ways.** Where local choices follow each other, ways through them multiply, though they may meet again: the place
//! from which there are too many ([`MOST_WAYS`]) remains one to rest at; and so does the place behind an atomic sequence
//! with a loop in it.
//!
//! **Gates.** A command at a gate is not local, and after it all participants rest. Where a process may be put elsewhere by another, it is
//! passed through all the same: its local steps are seen by nobody, and what they did is lost when it is put elsewhere, so that it makes
//! no difference whether it was before or after them.
//!
//! **Faults** happen where they did, but earlier than what others could have done before. Where that matters
//! ([`Keep::order_of_faults`]), what may have a fault is not local. After a fault a process goes on to the target as ever;
//! of two faults in one transition the first is told.

use super::{hopeless, may_fail};
use crate::analysis::control::{entered_behind, inner, inner_locations};
use crate::analysis::faults::Constants;
use crate::analysis::variables::{constants, remotely_read, watched_locations};
use crate::analysis::{Observation, Operation, Purpose, meets, observes, operations, received_from, sent_to};
use crate::ir::{
    Capacity, ChannelId, Command, Expr, Guard, Init, Loc, Lvalue, ProcessType, Program, VariableRef,
};
use crate::keep::Keep;

/// From a place that is passed through there are at most so many ways to where the process rests.
const MOST_WAYS: usize = 16;

/// Marks the commands after which a process goes on alone, and counts them.
///
/// # Errors
/// What in the program concerns everybody all the time, in words that follow "because".
pub fn merge(program: &mut Program, keep: Keep) -> Result<usize, &'static str> {
    if let Some(why) = hopeless(program) {
        return Err(why);
    }
    let constant = constants(program);
    let remote = remotely_read(program);
    let watched = watched_locations(program);
    let kinds: Vec<Merging<'_>> = (program.processes.iter().enumerate())
        .map(|(index, kind)| {
            let (constant, remote, watched) = (&constant, &remote[index], &watched[index]);
            Merging { program, kind, constant, remote, watched, keep }
        })
        .collect();
    let meetings = Meetings::new(program, &constant, &kinds);
    let marks: Vec<Vec<bool>> = kinds.iter().map(|kind| kind.passed_through(&meetings)).collect();
    let mut marked = 0;
    for (kind, passed) in program.processes.iter_mut().zip(marks) {
        // Within a deterministic sequence, going on alone needs no mark.
        let inner = inner_locations(kind);
        let mut within = vec![false; kind.commands.len()];
        for at in (0..kind.locations.len()).filter(|&at| inner[at]) {
            kind.locations[at].groups.iter().flatten().for_each(|id| within[id.index()] = true);
        }
        let many = behind_a_loop(kind);
        for at in (0..kind.locations.len()).filter(|&at| many[at]) {
            kind.locations[at].groups.iter().flatten().for_each(|id| within[id.index()] = true);
        }
        for (command, within) in kind.commands.iter_mut().zip(within) {
            let marks = !within && !command.atomic && command.guard != Guard::Exit && !meets(command);
            if passed[command.target.index()] && marks {
                command.atomic = true;
                marked += 1;
            }
        }
    }
    Ok(marked)
}

/// At which rendez-vous somebody notices that nobody waits.
struct Meetings<'a> {
    program: &'a Program,
    constant: &'a [bool],
    /// By global.
    noticed: Vec<bool>,
    /// By those who send to a channel of which more is not known.
    anywhere: bool,
}

impl<'a> Meetings<'a> {
    fn new(program: &'a Program, constant: &'a [bool], kinds: &[Merging<'_>]) -> Self {
        let mut meetings =
            Self { program, constant, noticed: vec![false; program.globals.len()], anywhere: false };
        for merging in kinds {
            let kind = merging.kind;
            let entered_behind = entered_behind(kind);
            for (at, location) in kind.locations.iter().enumerate() {
                let leaving = || kind.leaving(Loc(at as u32)).map(|(_, command)| command);
                let otherwise = leaving().any(|command| command.guard == Guard::Else);
                let blocked_behind =
                    entered_behind[at] && !merging.might_have_stayed(Loc(at as u32), &entered_behind);
                if !otherwise && location.groups.len() < 2 && !blocked_behind {
                    continue;
                }
                for channel in leaving().filter_map(sent_to) {
                    match meetings.global(channel) {
                        Some(global) => meetings.noticed[global] = true,
                        None => meetings.anywhere = true,
                    }
                }
            }
        }
        meetings
    }

    /// The variable of a channel, if it is always the same.
    fn global(&self, channel: &Expr) -> Option<usize> {
        let Expr::Load(Lvalue { variable: VariableRef::Global(global), .. }) = channel else { return None };
        let global = *global as usize;
        let is_channel = matches!(self.program.globals[global].init, Init::Channel(_));
        (self.constant[global] && is_channel).then_some(global)
    }

    fn meets(&self, channel: ChannelId) -> bool {
        self.program.channels[channel.index()].capacity == Capacity::Rendezvous
    }

    /// Whether somebody would notice that a process waits here.
    fn notices(&self, kind: &ProcessType, at: Loc) -> bool {
        kind.leaving(at).any(|(_, command)| match command.guard {
            Guard::Body { entry, .. } => kind.leaving(entry).any(|(_, inner)| self.notices_command(inner)),
            _ => self.notices_command(command),
        })
    }

    fn notices_command(&self, command: &Command) -> bool {
        let Some(channel) = received_from(command) else { return false };
        match self.global(channel) {
            Some(global) => match self.program.globals[global].init {
                Init::Channel(channel) => self.meets(channel) && (self.anywhere || self.noticed[global]),
                _ => false,
            },
            None => {
                let any =
                    (0..self.program.channels.len() as u32).any(|channel| self.meets(ChannelId(channel)));
                any && (self.anywhere || self.noticed.contains(&true))
            }
        }
    }
}

struct Merging<'a> {
    program: &'a Program,
    kind: &'a ProcessType,
    constant: &'a [bool],
    remote: &'a [bool],
    watched: &'a [Vec<Loc>],
    keep: Keep,
}

impl Merging<'_> {
    /// The locations at which the process does not rest.
    fn passed_through(&self, meetings: &Meetings<'_>) -> Vec<bool> {
        let count = self.kind.locations.len();
        if self.kind.provided.is_some() {
            return vec![false; count];
        }
        let inner = inner_locations(self.kind);
        let mut passed: Vec<bool> =
            (0..count).map(|at| !inner[at] && self.is_local(Loc(at as u32), meetings)).collect();
        // An atomic sequence that was written is one step: it is local if all of it is. What leads to a place where the
        // process rests is looked at again when that is known, so that long sequences take no longer than they are.
        let mut leads_to = vec![Vec::new(); count];
        for at in 0..count {
            for (_, command) in self.kind.leaving(Loc(at as u32)).filter(|(_, command)| command.atomic) {
                leads_to[command.target.index()].push(at);
            }
        }
        let mut rests: Vec<usize> = (0..count).filter(|&at| !passed[at]).collect();
        while let Some(rest) = rests.pop() {
            for &at in &leads_to[rest] {
                if std::mem::replace(&mut passed[at], false) {
                    rests.push(at);
                }
            }
        }
        self.break_cycles(&mut passed, &inner);
        passed
    }

    /// Whether all that can be done at a location is local and invisible.
    fn is_local(&self, at: Loc, meetings: &Meetings<'_>) -> bool {
        self.kind.leaving(at).next().is_some()
            && self.kind.leaving(at).all(|(_, command)| {
                self.is_local_command(command)
                    && self.is_invisible(at, command.target)
                    && !meetings.notices(self.kind, command.target)
            })
    }

    /// Whether nobody sees that the process moves from one location to the other.
    fn is_invisible(&self, from: Loc, to: Loc) -> bool {
        let (old, new) = (&self.kind.locations[from.index()], &self.kind.locations[to.index()]);
        old.accept == new.accept
            && old.progress == new.progress
            && !self.watched.iter().any(|set| set.contains(&from) != set.contains(&to))
    }

    /// Whether a process that is blocked here, in the middle of an atomic sequence, might as well have stayed where the
    /// sequence began: all that it did was local, and in neither place does it wait for others to come to it, nor is it
    /// seen. Then it makes no difference that it is not blocked here where somebody has come to wait for it earlier: a run
    /// in which it is blocked for a while is one in which it begins later.
    fn might_have_stayed(&self, at: Loc, entered_behind: &[bool]) -> bool {
        let is_harmless = |from: Loc, command: &Command| {
            let begins = !entered_behind[from.index()] && self.kind.locations[from.index()].groups.len() == 1;
            let plain = matches!(command.guard, Guard::Always | Guard::When(_));
            begins
                && plain
                && !self.waits(from)
                && self.is_local_command(command)
                && self.is_invisible(from, at)
        };
        self.kind.provided.is_none()
            && !self.waits(at)
            && (0..self.kind.locations.len()).map(|from| Loc(from as u32)).all(|from| {
                let mut leaving = self.kind.leaving(from).map(|(_, command)| command);
                leaving.all(|command| !command.atomic || command.target != at || is_harmless(from, command))
            })
    }

    /// Whether others may come to a process here: it receives, and they decide when.
    fn waits(&self, at: Loc) -> bool {
        let receives = |command: &Command| received_from(command).is_some();
        self.kind.leaving(at).any(|(_, command)| match command.guard {
            Guard::Body { entry, .. } => self.kind.leaving(entry).any(|(_, inner)| receives(inner)),
            _ => receives(command),
        })
    }

    fn is_local_command(&self, command: &Command) -> bool {
        let known = Constants { program: self.program, kind: self.kind, constant: self.constant };
        operations(command).iter().all(|operation| self.is_local_operation(operation))
            && !(self.keep.order_of_faults && may_fail(known, command))
    }

    fn is_local_operation(&self, operation: &Operation<'_>) -> bool {
        match *operation {
            // What is printed has no effect on anything.
            Operation::Evaluate(_, Purpose::Printed) | Operation::Print => true,
            Operation::Evaluate(expr, _) => self.is_local_expr(expr),
            Operation::Store(to, _) => match to.variable {
                VariableRef::Local(local) => !self.remote[local as usize],
                VariableRef::Global(_) => false,
            },
            Operation::Body { entry, exit } => inner(self.kind, entry, exit)
                .into_iter()
                .all(|at| self.kind.leaving(at).all(|(_, inner)| self.is_local_command(inner))),
            Operation::Send { .. }
            | Operation::Receive { .. }
            | Operation::Create { .. }
            | Operation::Meet { .. }
            | Operation::Place { .. }
            | Operation::SetPriority
            | Operation::End => false,
        }
    }

    fn is_local_expr(&self, expr: &Expr) -> bool {
        !observes(expr, |observation| match observation {
            Observation::Variable(lvalue) => match lvalue.variable {
                VariableRef::Global(global) => !self.constant[global as usize],
                VariableRef::Local(_) => false,
            },
            Observation::Pid => false,
            Observation::Remote { .. }
            | Observation::Position { .. }
            | Observation::Process(_)
            | Observation::ProcessCount
            | Observation::Last
            | Observation::Timeout
            | Observation::NonProgress
            | Observation::Length { .. }
            | Observation::Messages { .. } => true,
        })
    }

    /// Makes the process rest on every cycle of locations that it would pass through, and where there are too many ways.
    fn break_cycles(&self, passed: &mut [bool], inner: &[bool]) {
        // A walk backwards from where the process rests: a location is settled when all that comes after it is. Where
        // nothing can be settled any more there is a cycle.
        let count = self.kind.locations.len();
        let mut ways: Vec<Option<usize>> = vec![None; count];
        let mut entered = vec![0usize; count];
        self.kind.commands.iter().for_each(|command| entered[command.target.index()] += 1);
        let mut forwards = true;
        loop {
            let mut changed = false;
            // Whichever way locations are numbered, one of two passes goes along a sequence from its end.
            forwards = !forwards;
            for step in 0..count {
                let at = if forwards { step } else { count - 1 - step };
                if ways[at].is_some() || inner[at] {
                    continue;
                }
                let sum = self.kind.leaving(Loc(at as u32)).try_fold(0usize, |sum, (_, command)| {
                    let to = command.target.index();
                    let goes_on = command.atomic || passed[to];
                    let further = if goes_on { ways[to]? } else { 1 };
                    Some(sum.saturating_add(further))
                });
                let Some(sum) = sum else { continue };
                if passed[at] && sum > MOST_WAYS {
                    passed[at] = false;
                }
                ways[at] = Some(sum.max(1));
                changed = true;
            }
            if changed {
                continue;
            }
            // What was entered most often is rested at least.
            let Some(worst) = (0..count)
                .filter(|&at| ways[at].is_none() && passed[at])
                .max_by_key(|&at| (entered[at], count - at))
            else {
                return;
            };
            passed[worst] = false;
        }
    }
}

/// Which locations are come to in the middle of an atomic sequence after a loop in it. Such a sequence may have very many
/// outcomes, and everything that is merged with its end is executed for each of them, within one transition, where limits
/// and equal states are not noticed.
fn behind_a_loop(kind: &ProcessType) -> Vec<bool> {
    let count = kind.locations.len();
    let targets = |at: usize| {
        let atomic = kind.leaving(Loc(at as u32)).filter(|(_, command)| command.atomic);
        atomic.map(|(_, command)| command.target.index())
    };
    let mut entered = vec![0usize; count];
    (0..count).flat_map(targets).for_each(|to| entered[to] += 1);
    // Whatever can be taken away first, again and again, because nothing leads to it any more, comes after no loop (Kahn 1962).
    let mut first: Vec<usize> = (0..count).filter(|&at| entered[at] == 0).collect();
    while let Some(at) = first.pop() {
        for to in targets(at) {
            entered[to] -= 1;
            if entered[to] == 0 {
                first.push(to);
            }
        }
    }
    entered.into_iter().map(|left| left > 0).collect()
}
