//! Moves and outcomes: which transitions a state has, and where they lead.
//!
//! A state's transitions are found process by process, youngest first (SPIN's order, so that depth-first searches meet
//! states in the same order). A command that neither is atomic nor meets another process at a rendez-vous has exactly one
//! outcome, and its [`Transition`] is just the number of the process and of the command. All others may have several: one
//! per partner, and after an atomic command one per way in which the process can go on alone, until it executes a command
//! that is not atomic or is blocked. These outcomes are computed together by [`Walker::outcomes`] and numbered; states in
//! the middle of an atomic sequence are never seen outside (SPIN does not store or count them either), except where the
//! sequence is blocked.

use super::eval::{Move, View};
use super::machine::{Executed, Machine};
use super::{COMMAND_BITS, Cause, Interpreter, OUTCOME_BITS, PID_BITS, TIMEOUT_BITS, decode, encode};
use crate::ir::{Command, Guard, Sync};
use crate::layout::Tables;
use elnath_kernel::event::Operand;
use elnath_kernel::{
    Acceptance, Action, Fault, Processes, Propositions, Stepper, Successors, Tally, Transition,
};
use std::collections::HashSet;

/// How many steps the outcomes of one command may take together. Every step makes at most one outcome; beyond this, every
/// further partner still gets one, and for those the other half of the numbers is kept.
const MOST_ATOMIC_STEPS: usize = 1 << (OUTCOME_BITS - 1);
/// After so many steps the ways through an atomic sequence are no longer told apart by how they came about, only by
/// where they are: a loop with a choice in it has infinitely many ways, mostly through few states. SPIN follows them all
/// and does not come to an end; where it does, its number of transitions is greater than ours.
const PATIENCE: usize = 1 << 14;
/// How many bytes the outcomes of one command may occupy, the ways still to be followed included: a sequence that
/// creates processes again and again has states of many kilobytes, and half a million of those do not fit anywhere.
const MOST_ATOMIC_BYTES: usize = 1 << 26;

/// Walks a program's states.
pub(super) struct Walker<'a> {
    pub(super) system: &'a Interpreter,
    pub(super) machine: Machine<'a>,
    pub(super) tables: Tables,
    moves: Vec<Move>,
    /// The state whose outcomes are kept.
    pub(super) outcomes_of: Vec<u8>,
    pub(super) outcomes: Outcomes,
    tasks: Vec<Task>,
    /// Buffers of tasks that are done.
    spare: Vec<Vec<u8>>,
    /// The steps made while the outcomes were computed, each with the one before it.
    pub(super) record: Vec<(usize, Move)>,
    /// What [`Stepper::successors_of`] works with.
    own: Vec<Transition>,
    next: Vec<u8>,
}

/// The outcomes of commands that may have several, as complete states.
#[derive(Default)]
pub(super) struct Outcomes {
    bytes: Vec<u8>,
    pub(super) items: Vec<Outcome>,
    /// Where the outcomes of each command begin; they lie together, in the order of their numbers.
    commands: Vec<usize>,
}

#[derive(Clone, Copy)]
pub(super) struct Outcome {
    pub(super) transition: Transition,
    end: usize,
    fault: Option<Fault>,
    /// The last step to it, in [`Walker::record`].
    pub(super) last: usize,
}

impl Outcomes {
    fn clear(&mut self) {
        self.bytes.clear();
        self.items.clear();
        self.commands.clear();
    }

    /// The next outcomes are those of another command.
    fn begin_command(&mut self) {
        self.commands.push(self.items.len());
    }

    /// The index of a transition's outcome. A command may have hundreds of thousands, and each is asked for: only
    /// commands are searched.
    pub(super) fn find(&self, t: Transition) -> Option<usize> {
        let number = (t.0 & ((1 << OUTCOME_BITS) - 1)) as usize;
        let at = |&first: &usize| {
            Some(first + number).filter(|&at| self.items.get(at).is_some_and(|item| item.transition == t))
        };
        self.commands.iter().find_map(at)
    }

    fn state(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.items[index - 1].end };
        &self.bytes[start..self.items[index].end]
    }
}

/// A step of an atomic sequence that is still to be made.
struct Task {
    /// The state in which it is made.
    state: Vec<u8>,
    step: Move,
    fault: Option<Fault>,
    /// The step before it in the record.
    before: usize,
    /// How many steps of the sequence came before it, and the state of one of them to recognise loops by.
    length: usize,
    anchor: Vec<u8>,
}

/// What comes before the first step in the record.
pub(super) const NO_STEP: usize = usize::MAX;

impl<'a> Walker<'a> {
    /// Whether no process is left in the state that was looked at last.
    pub(super) fn is_deserted(&self) -> bool {
        self.tables.processes.is_empty()
    }

    pub(super) fn new(system: &'a Interpreter) -> Self {
        Self {
            system,
            machine: Machine::new(&system.program, &system.layout),
            tables: Tables::default(),
            moves: Vec::new(),
            outcomes_of: Vec::new(),
            outcomes: Outcomes::default(),
            tasks: Vec::new(),
            spare: Vec::new(),
            record: Vec::new(),
            own: Vec::new(),
            next: Vec::new(),
        }
    }

    /// Collects the moves of all processes in `state` into `self.moves`.
    fn collect_moves(&mut self, state: &[u8], timeout: bool) {
        self.moves.clear();
        let mut highest = 0;
        for pid in (0..self.tables.processes.len()).rev() {
            let view = self.system.view(state, &self.tables, pid, timeout);
            let before = self.moves.len();
            let moves = &mut self.moves;
            view.moves(|step| moves.push(step));
            if self.moves.len() > before
                && let Some(priority) = view.priority(pid)
            {
                if priority > highest {
                    highest = priority;
                    self.moves.drain(..before);
                } else if priority < highest {
                    self.moves.truncate(before);
                }
            }
        }
    }

    /// The transitions of the moves in `self.moves`, which belong to `state`.
    fn transitions(&mut self, state: &[u8], out: &mut Vec<Transition>) {
        out.clear();
        self.forget_outcomes();
        let mut moves = std::mem::take(&mut self.moves);
        let mut at = 0;
        while at < moves.len() {
            let step = moves[at];
            if self.is_plain(state, step) {
                out.push(encode(step, 0));
                at += 1;
                continue;
            }
            // One command may have several moves, one per partner: their outcomes are numbered together.
            let mut number = 0;
            self.outcomes.begin_command();
            while at < moves.len() && (moves[at].pid, moves[at].command) == (step.pid, step.command) {
                let first = self.outcomes.items.len();
                number = self.outcomes(state, moves[at], number);
                out.extend(self.outcomes.items[first..].iter().map(|item| item.transition));
                at += 1;
            }
        }
        if !self.outcomes.items.is_empty() {
            self.outcomes_of.extend_from_slice(state);
        }
        moves.clear();
        self.moves = moves;
    }

    /// Whether a move has exactly one outcome: no partner, no gate, not atomic.
    fn is_plain(&self, state: &[u8], step: Move) -> bool {
        let process = self.system.view(state, &self.tables, step.pid, false).process_id(step.pid);
        let command = self.system.command(process, step.command);
        step.partner.is_none() && !command.atomic && !matches!(command.sync, Sync::Gate { .. })
    }

    /// Computes where `step` can lead and adds it to `self.outcomes`, as transition numbers from `first` on.
    fn outcomes(&mut self, state: &[u8], step: Move, first: u32) -> u32 {
        let mut number = first;
        let mut budget = MOST_ATOMIC_STEPS.saturating_sub(first as usize).max(1);
        let impatient = if self.system.merges { budget.saturating_sub(PATIENCE) } else { 0 };
        let mut seen = HashSet::new();
        let of_others = match self.outcomes.commands.last() {
            Some(&first) if first > 0 => self.outcomes.items[first - 1].end,
            _ => 0,
        };
        let buffer = self.buffer(state);
        let anchor = self.buffer(state);
        self.tasks.push(Task { state: buffer, step, fault: None, before: NO_STEP, length: 0, anchor });
        while let Some(mut task) = self.tasks.pop() {
            std::mem::swap(&mut self.machine.state, &mut task.state);
            self.machine.tables.read(&self.system.layout, &self.machine.state);
            let Executed { goes_on, fault } = self.machine.execute(task.step);
            let mut fault = task.fault.or(fault.map(|fault| self.system.fault(fault)));
            self.record.push((task.before, task.step));
            let last = self.record.len() - 1;
            budget -= 1;
            let copies = seen.len() + 2 * self.tasks.len();
            if self.outcomes.bytes.len() - of_others + copies * self.machine.state.len() > MOST_ATOMIC_BYTES {
                budget = 0;
            }
            let moves = goes_on.map_or(0, |pid| self.moves_of(pid));
            // A sequence that comes back to a state it has been in adds nothing by going on, except its fault.
            let again = |seen: &mut HashSet<_>, state: &Vec<u8>| !seen.insert((state.clone(), fault));
            let looping = moves > 0
                && (self.machine.state == task.anchor
                    || budget < impatient && again(&mut seen, &self.machine.state));
            if moves == 0 || budget == 0 || looping && fault.is_some() {
                if budget == 0 {
                    // As it was before: by now it may have ended.
                    let process = self.system.view(state, &self.tables, step.pid, false).process_id(step.pid);
                    fault = fault.or(Some(self.system.fault((Cause::EndlessAtomic, process, step.command))));
                }
                self.system.settle(&mut self.machine.state);
                self.outcomes.bytes.extend_from_slice(&self.machine.state);
                let end = self.outcomes.bytes.len();
                self.outcomes.items.push(Outcome { transition: encode(step, number), end, fault, last });
                number += 1;
            } else if !looping {
                let length = task.length + 1;
                if length.is_power_of_two() {
                    task.anchor.clear();
                    task.anchor.extend_from_slice(&self.machine.state);
                }
                if moves == 1 {
                    // The usual case, without copying.
                    std::mem::swap(&mut self.machine.state, &mut task.state);
                    let step = self.moves.pop().expect("there is one");
                    self.tasks.push(Task { step, fault, before: last, length, ..task });
                    continue;
                }
                // The last move first, since tasks are taken from the end.
                let first_move = self.moves.len() - moves;
                while self.moves.len() > first_move {
                    let step = self.moves.pop().expect("there is one");
                    let state = self.machine.state.clone_into_buffer(&mut self.spare);
                    let anchor = task.anchor.clone_into_buffer(&mut self.spare);
                    self.tasks.push(Task { state, step, fault, before: last, length, anchor });
                }
            }
            if looping {
                self.moves.truncate(self.moves.len() - moves);
            }
            self.spare.push(task.state);
            self.spare.push(task.anchor);
            if budget == 0 {
                while let Some(task) = self.tasks.pop() {
                    self.spare.push(task.state);
                    self.spare.push(task.anchor);
                }
            }
        }
        number
    }

    /// Adds the moves of one process in the machine's state to `self.moves` and counts them.
    fn moves_of(&mut self, pid: usize) -> usize {
        let view = self.machine.view(pid);
        // Even within an atomic sequence, a process of higher priority goes first.
        if view.priority(pid).is_some_and(|own| view.is_outranked(own)) {
            return 0;
        }
        let before = self.moves.len();
        let moves = &mut self.moves;
        view.moves(|step| moves.push(step));
        self.moves.len() - before
    }

    fn buffer(&mut self, bytes: &[u8]) -> Vec<u8> {
        bytes.clone_into_buffer(&mut self.spare)
    }

    /// The outcomes of the transitions that share a process and a command, computed anew.
    pub(super) fn outcomes_of_command(&mut self, state: &[u8], wanted: Move) {
        self.forget_outcomes();
        self.tables.read(&self.system.layout, state);
        let mut moves = std::mem::take(&mut self.moves);
        moves.clear();
        let view = self.system.view(state, &self.tables, wanted.pid, wanted.timeout);
        view.moves(|step| moves.extend(Some(step).filter(|step| step.command == wanted.command)));
        let mut number = 0;
        self.outcomes.begin_command();
        for &step in &moves {
            number = self.outcomes(state, step, number);
        }
        self.moves = moves;
        self.outcomes_of.extend_from_slice(state);
    }

    fn forget_outcomes(&mut self) {
        self.outcomes.clear();
        self.outcomes_of.clear();
        self.record.clear();
    }

    /// The index of a transition's outcome, computed anew if it is not at hand.
    fn find_outcome(&mut self, state: &[u8], t: Transition) -> usize {
        if self.outcomes_of == state
            && let Some(found) = self.outcomes.find(t)
        {
            return found;
        }
        self.outcomes_of_command(state, decode(t).0);
        self.outcomes.find(t).expect("a transition is fired only where it is enabled")
    }
}

trait CloneIntoBuffer {
    fn clone_into_buffer(&self, spare: &mut Vec<Vec<u8>>) -> Vec<u8>;
}

impl CloneIntoBuffer for [u8] {
    fn clone_into_buffer(&self, spare: &mut Vec<Vec<u8>>) -> Vec<u8> {
        let mut buffer = spare.pop().unwrap_or_default();
        buffer.clear();
        buffer.extend_from_slice(self);
        buffer
    }
}

impl Stepper for Walker<'_> {
    fn initial(&mut self, out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(&self.system.initial);
    }

    fn enabled(&mut self, state: &[u8], out: &mut Vec<Transition>) {
        self.tables.read(&self.system.layout, state);
        self.collect_moves(state, false);
        if self.moves.is_empty() && self.system.uses_timeout {
            self.collect_moves(state, true);
        }
        self.transitions(state, out);
    }

    fn fire(&mut self, state: &[u8], t: Transition, out: &mut Vec<u8>) -> Result<(), Fault> {
        let (step, _) = decode(t);
        // The machine works in the caller's buffer, which saves copying the state once more.
        std::mem::swap(&mut self.machine.state, out);
        self.machine.load(state);
        let process = self.machine.view(step.pid).process_id(step.pid);
        let command = self.system.command(process, step.command);
        let several = command.atomic || self.machine.view(step.pid).meets(command);
        if !several {
            let Executed { fault, .. } = self.machine.execute(step);
            self.system.settle(&mut self.machine.state);
            std::mem::swap(&mut self.machine.state, out);
            return match fault {
                Some(fault) => Err(self.system.fault(fault)),
                None => Ok(()),
            };
        }
        let index = self.find_outcome(state, t);
        out.clear();
        out.extend_from_slice(self.outcomes.state(index));
        self.outcomes.items[index].fault.map_or(Ok(()), Err)
    }

    fn action(&mut self, state: &[u8], t: Transition) -> Action {
        self.tables.read(&self.system.layout, state);
        let (step, _) = decode(t);
        let process = self.system.view(state, &self.tables, step.pid, false).process_id(step.pid);
        Action(self.system.first_command[process.index()] + step.command.0)
    }

    fn successors(&mut self, state: &[u8], out: &mut Successors) {
        out.fire_all(self, state);
    }

    fn may_end(&mut self, state: &[u8]) -> bool {
        self.tables.read(&self.system.layout, state);
        let view = self.system.view(state, &self.tables, 0, false);
        (0..self.tables.processes.len())
            .all(|pid| view.process(pid).locations[view.location(pid).index()].end)
    }

    fn transition_bits(&self) -> u32 {
        OUTCOME_BITS + COMMAND_BITS + PID_BITS + TIMEOUT_BITS
    }

    elnath_kernel::facets! { mine: propositions, acceptance, processes, tally }
}

impl Propositions for Walker<'_> {
    fn names(&mut self) -> Vec<String> {
        self.system.program.propositions.iter().map(|(name, _)| name.clone()).collect()
    }

    fn fallible(&mut self) -> u64 {
        self.system.fallible()
    }

    fn valuation(&mut self, state: &[u8]) -> u64 {
        self.tables.read(&self.system.layout, state);
        let view = self.system.view(state, &self.tables, usize::MAX, false);
        let propositions = self.system.program.propositions.iter().enumerate();
        propositions.fold(0, |bits, (i, (_, expr))| bits | u64::from(view.is_true(expr) == Ok(true)) << i)
    }

    fn proposition_fault(&mut self, state: &[u8], number: u32) -> Option<Fault> {
        self.fault_of_proposition(state, number)
    }

    fn operands(&mut self, state: &[u8], number: u32) -> Vec<Operand> {
        self.system.operands_of_proposition(state, number)
    }
}

/// The acceptance labels of the program: no set of its own, since they count only if a property says so.
impl Acceptance for Walker<'_> {
    fn sets(&mut self) -> u32 {
        0
    }

    fn marks(&mut self, _state: &[u8], _t: Transition) -> u64 {
        0
    }

    /// Some process is at a location with an acceptance label.
    fn accepting(&mut self, state: &[u8]) -> bool {
        self.tables.read(&self.system.layout, state);
        let view = self.system.view(state, &self.tables, 0, false);
        (0..self.tables.processes.len())
            .any(|pid| view.process(pid).locations[view.location(pid).index()].accept)
    }

    fn may_recur(&mut self, _state: &[u8]) -> bool {
        true
    }

    fn recurs_by_last_byte(&mut self) -> Option<Box<[bool; 256]>> {
        None
    }
}

impl Processes for Walker<'_> {
    fn mover(&mut self, t: Transition) -> Option<u32> {
        Some(decode(t).0.pid as u32)
    }

    fn movers(&mut self, state: &[u8], t: Transition) -> u64 {
        let bit = |pid: usize| 1u64.checked_shl(pid as u32).unwrap_or(0);
        let (step, _) = decode(t);
        self.tables.read(&self.system.layout, state);
        let view = self.system.view(state, &self.tables, step.pid, false);
        let command = self.system.command(view.process_id(step.pid), step.command);
        if !command.atomic && !view.meets(command) {
            return bit(step.pid);
        }
        let steps = self.steps_of(state, t);
        let mut movers = 0;
        self.machine.load(state);
        for step in steps {
            movers |= bit(step.pid) | step.partner.map_or(0, |(pid, _)| bit(pid));
            // Who meets is known only where they do.
            if let Some(meeting) = self.machine.view(step.pid).meeting_of(step) {
                movers |= meeting.members.iter().fold(0, |all, &(pid, _)| all | bit(pid));
            }
            self.machine.execute(step);
        }
        movers
    }

    /// A process of a kind with acceptance labels owes a visit to one of them.
    fn owing(&mut self, state: &[u8]) -> u64 {
        self.tables.read(&self.system.layout, state);
        let view = self.system.view(state, &self.tables, 0, false);
        (0..self.tables.processes.len().min(64)).fold(0, |owing, pid| {
            let locations = &view.process(pid).locations;
            let owes = !locations[view.location(pid).index()].accept
                && locations.iter().any(|location| location.accept);
            owing | u64::from(owes) << pid
        })
    }

    fn locations(&mut self, state: &[u8], out: &mut Vec<u64>) {
        self.tables.read(&self.system.layout, state);
        let view = self.system.view(state, &self.tables, 0, false);
        out.clear();
        for pid in 0..self.tables.processes.len() {
            let (process, at) = (view.process(pid), view.location(pid));
            let mut leaving = process.leaving(at).peekable();
            let is_ended =
                leaving.peek().is_some() && leaving.all(|(_, command)| command.guard == Guard::Exit);
            if !is_ended {
                out.push((view.process_id(pid).index() as u64) << 32 | at.index() as u64);
            }
        }
        out.sort_unstable();
    }

    fn successors_of(&mut self, state: &[u8], process: u32, out: &mut Successors) {
        out.clear();
        self.tables.read(&self.system.layout, state);
        self.moves.clear();
        let (view, pid) = (self.system.view(state, &self.tables, process as usize, false), process as usize);
        if view.priority(pid).is_some_and(|own| view.is_outranked(own)) {
            return;
        }
        let moves = &mut self.moves;
        view.moves(|step| moves.push(step));
        let (mut transitions, mut next) = (std::mem::take(&mut self.own), std::mem::take(&mut self.next));
        self.transitions(state, &mut transitions);
        for &t in &transitions {
            let fault = self.fire(state, t, &mut next).err();
            out.push(t, &next, fault);
        }
        (self.own, self.next) = (transitions, next);
    }
}

impl Tally for Walker<'_> {
    fn unfired(&self) -> Vec<Action> {
        let executed = self.machine.executed.iter().flatten();
        let unfired = executed.zip(0..).filter(|(executed, _)| !**executed);
        self.system.never_executed(unfired.map(|(_, number)| Action(number)).collect())
    }

    fn work(&self) -> u64 {
        self.machine.work
    }
}

impl View<'_> {
    /// Whether a send goes to a rendez-vous channel, or a gate is used.
    pub(super) fn meets(&self, command: &Command) -> bool {
        if matches!(command.sync, Sync::Gate { .. }) {
            return true;
        }
        let Sync::Send { channel, .. } = &command.sync else { return false };
        self.channel(channel).is_ok_and(|channel| channel.block.capacity == Some(0))
    }
}
