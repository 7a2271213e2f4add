//! Meetings at gates, naively: all combinations of open commands, all combinations of values, and those are kept on which all agree.

use super::{Naive, NaiveState, Who};
use elnath_program::interpreter::Cause;
use elnath_program::ir::{Command, CommandId, GateId, Guard, Pattern, Sync, Type};

/// Processes that move together.
#[derive(Clone)]
pub(super) struct Joint {
    pub(super) members: Vec<(usize, CommandId)>,
    values: Vec<i32>,
    /// The fault of an offer.
    pub(super) fault: Option<Cause>,
}

impl Naive<'_> {
    /// The joint steps that a process begins with an open command.
    pub(super) fn joints(&self, state: &NaiveState, who: Who, id: CommandId) -> Vec<Joint> {
        let kind = state.processes[who.pid].kind;
        let Sync::Gate { gate, .. } = self.0.processes[kind].commands[id.index()].sync else {
            return Vec::new();
        };
        let mut joints = Vec::new();
        for vector in &self.0.vectors {
            let (first, others) = vector.members.split_first().expect("somebody takes part");
            if (first.0.index(), first.1) != (kind, gate) {
                continue;
            }
            let mut sets = vec![vec![(who.pid, id)]];
            for &(process, gate) in others {
                let ready = self.ready(state, who, process.index(), gate);
                sets = sets
                    .into_iter()
                    .flat_map(|set| ready.iter().map(move |&one| [&set[..], &[one]].concat()))
                    .collect();
            }
            let types = &self.0.gates[gate.index()].offers;
            for members in sets {
                self.agreements(state, who, members, types, &mut joints);
            }
        }
        joints
    }

    /// The processes of a kind that can take part at a gate, the youngest first, each with every command with which it can.
    fn ready(&self, state: &NaiveState, who: Who, kind: usize, wanted: GateId) -> Vec<(usize, CommandId)> {
        let mut ready = Vec::new();
        for pid in (0..state.processes.len()).rev().filter(|&pid| state.processes[pid].kind == kind) {
            let other = Who { pid, ..who };
            let process = &self.0.processes[kind];
            if let Some(provided) = &process.provided
                && !matches!(self.eval(state, other, provided), Ok(value) if value != 0)
            {
                continue;
            }
            let groups = &process.locations[state.processes[pid].location.index()].groups;
            for id in groups.concat() {
                let command: &Command = &process.commands[id.index()];
                let open = match &command.guard {
                    Guard::Always => true,
                    Guard::When(expr) => matches!(self.eval(state, other, expr), Ok(value) if value != 0),
                    _ => false,
                };
                if open && matches!(command.sync, Sync::Gate { gate, .. } if gate == wanted) {
                    ready.push((pid, id));
                }
            }
        }
        ready
    }

    fn offers<'p>(&'p self, state: &NaiveState, pid: usize, id: CommandId) -> (&'p [Pattern], &'p Command) {
        let command = &self.0.processes[state.processes[pid].kind].commands[id.index()];
        let Sync::Gate { offers, .. } = &command.sync else { panic!("it meets nobody") };
        (offers, command)
    }

    /// The values on which all agree.
    fn agreements(
        &self,
        state: &NaiveState,
        who: Who,
        members: Vec<(usize, CommandId)>,
        types: &[Type],
        joints: &mut Vec<Joint>,
    ) {
        let mut rows: Vec<Vec<i32>> = vec![Vec::new()];
        for ty in types {
            // The random programs offer no other values.
            let values: Vec<i32> = (-300..300).filter(|&value| self.has(*ty, value)).collect();
            rows = rows
                .into_iter()
                .flat_map(|row| values.iter().map(move |&value| [&row[..], &[value]].concat()))
                .collect();
        }
        // What is given, in the order in which a fault or a disagreement counts.
        let mut given: Vec<(usize, i32)> = Vec::new();
        for &(pid, id) in &members {
            let who = Who { pid, ..who };
            for (at, offer) in self.offers(state, pid, id).0.iter().enumerate() {
                let Pattern::Match(expr) = offer else { continue };
                let value = self.eval(state, who, expr);
                match value.and_then(|value| types[at].store(value).ok_or(Cause::Range)) {
                    Err(cause) => {
                        joints.push(Joint { members, values: Vec::new(), fault: Some(cause) });
                        return;
                    }
                    Ok(value) if given.iter().any(|&(other, known)| other == at && known != value) => return,
                    Ok(value) => given.push((at, value)),
                }
            }
        }
        // A value outside its set (of symbols) can be given, too.
        let fits = |row: &&Vec<i32>| {
            given.iter().all(|&(at, value)| row[at] == value || !self.has(types[at], value))
        };
        let mut seen: Vec<Vec<i32>> = Vec::new();
        for row in rows.iter().filter(fits) {
            let mut values = row.clone();
            given.iter().for_each(|&(at, value)| values[at] = value);
            if !seen.contains(&values) {
                seen.push(values);
            }
        }
        for values in seen {
            let joint = Joint { members: members.clone(), values, fault: None };
            let mut after = state.clone();
            let wanted =
                self.bound(&mut after, who, &joint).and_then(|()| self.all_want(&after, who, &joint));
            if wanted != Ok(false) {
                joints.push(joint);
            }
        }
    }

    /// Whether a value is one of a type.
    fn has(&self, ty: Type, value: i32) -> bool {
        match ty {
            Type::Symbol(set) => self.0.symbols[set.index()].members.iter().any(|(_, own)| *own == value),
            ty => ty.store(value) == Some(value),
        }
    }

    fn bound(&self, state: &mut NaiveState, who: Who, joint: &Joint) -> Result<(), Cause> {
        for &(pid, id) in &joint.members {
            let offers = self.offers(state, pid, id).0.to_vec();
            self.bind(state, Who { pid, ..who }, &offers, &joint.values)?;
        }
        Ok(())
    }

    fn all_want(&self, state: &NaiveState, who: Who, joint: &Joint) -> Result<bool, Cause> {
        let mut wanted = true;
        for &(pid, id) in &joint.members {
            let Sync::Gate { when, .. } = &self.offers(state, pid, id).1.sync else { continue };
            if let Some(when) = when {
                wanted &= self.eval(state, Who { pid, ..who }, when)? != 0;
            }
        }
        Ok(wanted)
    }

    /// The values are stored, and the predicates tested.
    pub(super) fn agree(&self, state: &mut NaiveState, who: Who, joint: &Joint) -> Result<(), Cause> {
        self.bound(state, who, joint)?;
        self.all_want(state, who, joint).map(|_| ())
    }

    /// What each does when all have moved on.
    pub(super) fn join(
        &self,
        state: &mut NaiveState,
        who: Who,
        joint: &Joint,
        fault: &mut Option<Cause>,
    ) -> Result<(), Cause> {
        for &(pid, id) in &joint.members {
            let effects = self.offers(state, pid, id).1.effects.clone();
            self.effects(state, Who { pid, ..who }, &effects, fault)?;
        }
        Ok(())
    }
}
