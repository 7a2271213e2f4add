//! Joint steps: who meets at a gate, and with which values.
//!
//! The meetings of a command are numbered: by synchronisation vector, then by the processes and commands that take part, then by the
//! values that nobody gives. A [`Move`] has only the number, and what it stands for is found again by going through
//! them once more. (To keep the participants in the move was considered: every move of every program would be the larger for it.)
//!
//! A process with several ways to take part takes part in each. Guards are decided before anything is stored, predicates after the values
//! of all participants are. A guard of another process that has a fault is not open, as at a rendez-vous; an offer or a predicate that has
//! one makes a step, which runs into it, whatever the other predicates are.

use super::Cause;
use super::eval::{Eval, Move, View};
use crate::ir::{Command, CommandId, GateId, Guard, Loc, Pattern, ProcessId, Sync, Vector};
use crate::layout::Tables;

/// A joint step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// An index into the vectors of the program.
    pub vector: usize,
    /// The processes that take part, by number, and with which command; the one that moves is the first.
    pub members: Vec<(usize, CommandId)>,
    /// The values; fewer than are offered if an offer has a fault.
    pub values: Vec<i32>,
    /// The fault of an offer.
    pub fault: Option<Cause>,
}

/// A command has no more meetings than this: their numbers have to fit into that of a transition. (The later half is given up by whoever fires them.)
const MOST: u32 = (1 << super::OUTCOME_BITS) - 1;

impl View<'_> {
    /// The meetings that this process can begin with an open command, in order.
    pub(super) fn meetings(&self, id: CommandId, gate: GateId, found: &mut dyn FnMut(&Meeting)) {
        let own = (self.process_id(self.pid), gate);
        let mut count = 0;
        for (number, vector) in self.program.vectors.iter().enumerate() {
            if vector.members.first() != Some(&own) {
                continue;
            }
            let mut meeting =
                Meeting { vector: number, members: vec![(self.pid, id)], values: Vec::new(), fault: None };
            self.gather(vector, &mut meeting, &mut |meeting| {
                if count < MOST {
                    count += 1;
                    found(meeting);
                }
            });
        }
    }

    /// The meeting that a move is.
    pub(super) fn meeting_of(&self, step: Move) -> Option<Meeting> {
        let Sync::Gate { gate, .. } = self.participant((step.pid, step.command)).1.sync else { return None };
        self.meeting(step.command, gate, step.meeting?)
    }

    /// The meeting with this number.
    pub(super) fn meeting(&self, id: CommandId, gate: GateId, number: u32) -> Option<Meeting> {
        let (mut at, mut wanted) = (0, None);
        self.meetings(id, gate, &mut |meeting| {
            if at == number {
                wanted = Some(meeting.clone());
            }
            at += 1;
        });
        wanted
    }

    /// Adds those that are still missing.
    fn gather(&self, vector: &Vector, meeting: &mut Meeting, found: &mut dyn FnMut(&Meeting)) {
        let Some(&(kind, gate)) = vector.members.get(meeting.members.len()) else {
            return self.agree(vector, meeting, found);
        };
        for pid in (0..self.tables.processes.len()).rev().filter(|&pid| self.process_id(pid) == kind) {
            let other = self.of(pid);
            let process = other.process(pid);
            if process.provided.as_ref().is_some_and(|provided| other.is_true(provided) != Ok(true)) {
                continue;
            }
            for &id in process.locations[other.location(pid).index()].groups.iter().flatten() {
                if other.offers(&process.commands[id.index()], gate) {
                    meeting.members.push((pid, id));
                    self.gather(vector, meeting, found);
                    meeting.members.pop();
                }
            }
        }
    }

    /// Whether a command takes part at a gate, as far as its process is concerned.
    fn offers(&self, command: &Command, wanted: GateId) -> bool {
        let Sync::Gate { gate, .. } = command.sync else { return false };
        gate == wanted
            && match &command.guard {
                Guard::Always => true,
                Guard::When(expr) => self.is_true(expr) == Ok(true),
                Guard::Else | Guard::Body { .. } | Guard::Exit => false,
            }
    }

    /// Goes through the values on which all agree.
    fn agree(&self, vector: &Vector, meeting: &mut Meeting, found: &mut dyn FnMut(&Meeting)) {
        let types = &self.program.gates[vector.members[0].1.index()].offers;
        let mut given: Vec<Option<i32>> = vec![None; types.len()];
        for &(pid, id) in &meeting.members {
            let other = self.of(pid);
            let Sync::Gate { offers, .. } = &other.process(pid).commands[id.index()].sync else { continue };
            for (offer, (own, &ty)) in offers.iter().zip(given.iter_mut().zip(types)) {
                let Pattern::Match(expr) = offer else { continue };
                match (other.eval(expr).and_then(|value| ty.store(value).ok_or(Cause::Range)), &own) {
                    (Err(cause), _) => {
                        found(&Meeting { fault: Some(cause), values: Vec::new(), ..meeting.clone() });
                        return;
                    }
                    (Ok(value), Some(known)) if value != *known => return,
                    (Ok(value), _) => *own = Some(value),
                }
            }
        }
        let domains: Vec<Vec<i32>> = given
            .iter()
            .zip(types)
            .map(|(own, ty)| own.map_or_else(|| ty.values(self.program).unwrap_or_default(), |own| vec![own]))
            .collect();
        self.enumerate(&domains, meeting, found);
    }

    fn enumerate(&self, domains: &[Vec<i32>], meeting: &mut Meeting, found: &mut dyn FnMut(&Meeting)) {
        let Some(domain) = domains.get(meeting.values.len()) else {
            if self.is_wanted(meeting) != Ok(false) {
                found(meeting);
            }
            return;
        };
        for &value in domain {
            meeting.values.push(value);
            self.enumerate(domains, meeting, found);
            meeting.values.pop();
        }
    }

    /// Whether all predicates are true once the values are stored.
    fn is_wanted(&self, meeting: &Meeting) -> Eval<bool> {
        let commands =
            || meeting.members.iter().map(|&(pid, id)| (pid, &self.process(pid).commands[id.index()].sync));
        if !commands().any(|(_, sync)| matches!(sync, Sync::Gate { when: Some(_), .. })) {
            return Ok(true);
        }
        let mut state = self.state.to_vec();
        for (pid, sync) in commands() {
            let Sync::Gate { offers, .. } = sync else { continue };
            for (offer, &value) in offers.iter().zip(&meeting.values) {
                let Pattern::Bind(to) = offer else { continue };
                let now = View::new(self.program, self.layout, &state, self.tables, pid, self.timeout);
                let (at, slot) = now.asking(self.asking).address(to)?;
                let (width, value) = (slot.width, slot.ty.store(value).ok_or(Cause::Range)?);
                width.write(&mut state, at, value);
            }
        }
        let mut wanted = true;
        for (pid, sync) in commands() {
            let Sync::Gate { when: Some(when), .. } = sync else { continue };
            let after = View::new(self.program, self.layout, &state, self.tables, pid, self.timeout);
            wanted &= after.asking(self.asking).is_true(when)?;
        }
        Ok(wanted)
    }

    /// The kind of a participant and its command.
    pub(super) fn participant(&self, (pid, id): (usize, CommandId)) -> (ProcessId, &Command) {
        (self.process_id(pid), &self.process(pid).commands[id.index()])
    }
}

impl super::Interpreter {
    /// Who meets in a transition, with which values; none if it is no joint step.
    pub fn meeting(&self, state: &[u8], t: elnath_kernel::Transition) -> Option<Meeting> {
        let (step, outcome) = super::decode(t);
        let mut tables = Tables::default();
        tables.read(&self.layout, state);
        let view = self.view(state, &tables, step.pid, step.timeout);
        view.meeting_of(Move { meeting: Some(outcome), ..step })
    }

    /// All joint steps of the process and the command that begin a transition, in the order of the numbers of outcomes.
    pub fn meetings(&self, state: &[u8], t: elnath_kernel::Transition, found: &mut Vec<Meeting>) {
        let (step, _) = super::decode(t);
        let mut tables = Tables::default();
        tables.read(&self.layout, state);
        let view = self.view(state, &tables, step.pid, step.timeout);
        if let Sync::Gate { gate, .. } = view.participant((step.pid, step.command)).1.sync {
            view.meetings(step.command, gate, &mut |meeting| found.push(meeting.clone()));
        }
    }

    /// The process and the command that begin a transition.
    pub fn begun_by(&self, t: elnath_kernel::Transition) -> (usize, CommandId) {
        let (step, _) = super::decode(t);
        (step.pid, step.command)
    }

    /// Where a process is.
    pub fn location_of(&self, state: &[u8], pid: usize) -> Loc {
        let mut tables = Tables::default();
        tables.read(&self.layout, state);
        self.view(state, &tables, pid, false).location(pid)
    }

    /// What is seen of a meeting: label and values as they are shown, `!` before each; the internal action if nothing is.
    pub fn label_of(&self, meeting: &Meeting) -> String {
        let vector = &self.program.vectors[meeting.vector];
        let Some(label) = &vector.label else { return "i".to_owned() };
        let types = &self.program.gates[vector.members[0].1.index()].offers;
        let shown = types.iter().zip(&meeting.values);
        let shown = shown.map(|(&ty, &value)| format!(" !{}", super::show::scalar(&self.program, ty, value)));
        shown.fold(label.clone(), |label, value| label + &value)
    }
}
