//! A program of which less is walked: at each state the transitions of one process, if they can stand for all, or of several that
//! meet.

use super::clusters::{self, Finder, Meetings, Who, each};
use super::resources::Set;
use super::scan::{Condition, Instance};
use super::{Alone, Independence, Place, Table};
use crate::interpreter::Interpreter;
use crate::keep::Keep;
use crate::layout::{LOCATION, Tables, read_length};
use elnath_kernel::{Processes, Stepper, Successors, System, Transition};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What partial order reduction did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Savings {
    /// How many times a state's transitions were asked for.
    pub expanded: u64,
    /// How many times those of one process stood for all.
    pub reduced: u64,
}

/// A program with partial order reduction, whatever computes its transitions. See the [module](super).
pub struct Reduced<'s> {
    engine: Arc<dyn System + 's>,
    independence: Independence,
    /// Whether processes are exchanged, so that who has a number may be another in the next state.
    exchanged: bool,
    expanded: AtomicU64,
    reduced: AtomicU64,
}

impl<'s> Reduced<'s> {
    /// The engine is the interpreter of the program that was analysed, or something with the same states and transitions.
    pub fn new(engine: Arc<dyn System + 's>, independence: Independence) -> Self {
        let (expanded, reduced) = (AtomicU64::new(0), AtomicU64::new(0));
        Self { engine, independence, exchanged: false, expanded, reduced }
    }

    /// The program of the interpreter, walked by this engine, reduced for questions that observe no more than is kept.
    ///
    /// # Errors
    /// Why it cannot be reduced, in words that follow "because".
    pub fn of(
        engine: Arc<dyn System + 's>,
        interpreter: &Interpreter,
        keep: Keep,
    ) -> Result<Self, &'static str> {
        Ok(Self::new(engine, Independence::new(interpreter, keep)?))
    }

    /// The same where processes are exchanged above it, so that who has a number may be another in the next state.
    #[must_use]
    pub fn with_exchanges(mut self) -> Self {
        self.exchanged = true;
        self
    }

    /// What was left out so far. A stepper tells at its end.
    pub fn savings(&self) -> Savings {
        let expanded = self.expanded.load(Ordering::Relaxed);
        Savings { expanded, reduced: self.reduced.load(Ordering::Relaxed) }
    }
}

impl System for Reduced<'_> {
    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(Walker {
            system: self,
            engine: self.engine.stepper(),
            tables: Tables::default(),
            processes: Vec::new(),
            changing: self.independence.creates || self.exchanged,
            known: self.independence.initial.clone(),
            scratch: Successors::default(),
            savings: Savings::default(),
            finder: Finder::default(),
            who: Vec::new(),
            part: Successors::default(),
        })
    }

    elnath_kernel::hand_on! { engine: describe, bytes }
}

struct Walker<'a> {
    system: &'a Reduced<'a>,
    engine: Box<dyn Stepper + 'a>,
    tables: Tables,
    /// The processes of the last state.
    processes: Vec<Process>,
    /// Whether the processes of another state may be others though they are of the same kinds.
    changing: bool,
    /// What is known of processes that were met.
    known: HashMap<(u8, Instance), Arc<Table>>,
    scratch: Successors,
    savings: Savings,
    /// What clusters are found with, where processes meet at gates.
    finder: Finder,
    who: Vec<Who>,
    /// The successors by one process of a cluster.
    part: Successors,
}

/// A process of a state.
struct Process {
    base: usize,
    kind: u8,
    wide: bool,
    instance: Instance,
    table: Arc<Table>,
    location: usize,
    /// What those who are older may still do before it has ended.
    older: Set,
}

impl Process {
    #[inline]
    fn alone(&self) -> Alone {
        self.table.alone[self.location]
    }

    #[inline]
    fn place(&self) -> &Place {
        &self.table.places[self.location]
    }
}

impl Drop for Walker<'_> {
    fn drop(&mut self) {
        self.system.expanded.fetch_add(self.savings.expanded, Ordering::Relaxed);
        self.system.reduced.fetch_add(self.savings.reduced, Ordering::Relaxed);
    }
}

impl Walker<'_> {
    /// Finds the processes of a state, and where they are; whether any of them may be alone there.
    #[inline]
    fn read(&mut self, state: &[u8]) -> bool {
        let same = self.tables.read(&self.system.independence.layout, state);
        if !same || self.changing {
            self.find(state);
        }
        let mut any = false;
        for process in &mut self.processes {
            let at = process.base + LOCATION;
            let high = if process.wide { usize::from(state[at + 1]) << 8 } else { 0 };
            process.location = high | usize::from(state[at]);
            any |= process.table.alone[process.location] != Alone::Never;
        }
        any
    }

    /// Finds out what is known of each process.
    fn find(&mut self, state: &[u8]) {
        let independence = &self.system.independence;
        let Independence { layout, .. } = independence;
        self.processes.truncate(self.tables.processes.len());
        // Whether an older process is another than before, so that channels of the same numbers may be others.
        let mut changed = false;
        for (pid, &base) in self.tables.processes.iter().enumerate() {
            let base = base as usize;
            let kind = state[base];
            let frame = &layout.frames[usize::from(kind)];
            if let Some(process) = self.processes.get(pid)
                && process.base == base
                && process.kind == kind
                && (!changed || process.instance.values.is_empty())
                && process.instance.values.iter().all(|&(local, known)| {
                    let slot = &frame.slots[local as usize];
                    slot.width.read(state, base + slot.offset) == known
                })
            {
                continue;
            }
            changed = true;
            let instance = independence.instance(state, &self.tables, pid);
            let table = self
                .known
                .entry((kind, instance.clone()))
                .or_insert_with(|| Arc::new(independence.table(usize::from(kind), &instance)));
            let (wide, table) = (frame.wide_location, Arc::clone(table));
            let (location, older) = (0, Set::EMPTY);
            let process = Process { base, kind, wide, instance, table, location, older };
            match self.processes.get_mut(pid) {
                Some(place) => *place = process,
                None => self.processes.push(process),
            }
        }
    }

    /// Writes the successors by one process, or by several, that can stand for all to `out`, if there are such processes.
    fn alone(&mut self, state: &[u8], out: &mut Successors) -> bool {
        let any = self.read(state);
        if let Some(meetings) = &self.system.independence.meetings {
            return self.together(meetings, state, out);
        }
        if !any {
            return false;
        }
        let mut perhaps = false;
        // Who touches nothing that others know of needs no look at them.
        for pid in (0..self.processes.len()).rev() {
            let alone = self.processes[pid].alone();
            perhaps |= alone == Alone::Perhaps;
            if alone == Alone::Always {
                self.engine.successors_of(state, pid as u32, out);
                if !out.is_empty() {
                    return true;
                }
            }
        }
        if !perhaps {
            return false;
        }
        let mut others = self.system.independence.watched;
        for process in &mut self.processes {
            process.older = others;
            others |= process.place().future;
        }
        let mut younger = Set::EMPTY;
        for pid in (0..self.processes.len()).rev() {
            let process = &self.processes[pid];
            let place = process.place();
            if process.alone() == Alone::Perhaps
                && !self.minds(place, state).meets(&(process.older | younger))
            {
                self.engine.successors_of(state, pid as u32, out);
                if !out.is_empty() {
                    return true;
                }
            }
            younger |= self.processes[pid].place().future_with_end;
        }
        false
    }

    /// Writes the successors by the smallest cluster that has some to `out`, if it has not all processes that can do something.
    fn together(&mut self, meetings: &Meetings, state: &[u8], out: &mut Successors) -> bool {
        let Independence { watched, only_deadlocks, resources, .. } = &self.system.independence;
        let all = self.processes.iter().fold(Set::EMPTY, |all, process| all | process.place().future);
        self.who.clear();
        for process in &self.processes {
            let kind = usize::from(process.kind);
            let access = resources.placed(crate::ir::ProcessId(kind as u32));
            let placed = access.is_some_and(|access| access.write.meets(&all));
            self.who.push(Who { kind, location: process.location, placed });
        }
        let mut finder = std::mem::take(&mut self.finder);
        finder.begin(meetings, &self.who);
        finder.found.clear();
        let mut beginning: clusters::Processes = 0;
        for (pid, &who) in self.who.iter().enumerate() {
            beginning |= clusters::Processes::from(meetings.begins(who)) << pid;
        }
        let mut starts = beginning;
        while starts != 0 {
            // The youngest first, as ever.
            let pid = 127 - starts.leading_zeros() as usize;
            starts &= !(1 << pid);
            let cluster = finder.close(meetings, &self.who, pid, |pid, members| {
                let minds = self.minds(self.processes[pid].place(), state);
                if minds.meets(watched) {
                    return None;
                }
                if minds.is_empty() {
                    return Some(0);
                }
                let others = self.processes.iter().enumerate();
                let others = others.filter(|(other, _)| members >> other & 1 == 0);
                Some(others.fold(0, |found, (other, process)| {
                    let place = process.place();
                    // Who is older does not end before this one has.
                    let future = if other < pid { &place.future } else { &place.future_with_end };
                    found | clusters::Processes::from(minds.meets(future)) << other
                }))
            });
            let Some(cluster) = cluster else { continue };
            let is_broken = |pid: usize| self.processes[pid].place().breaks;
            let stands = beginning & !cluster.members != 0
                && cluster.moving != 0
                && (*only_deadlocks || !each(cluster.moving).any(is_broken));
            if stands && !finder.found.contains(&cluster) {
                finder.found.push(cluster);
            }
        }
        finder.found.sort_by_key(|cluster| cluster.members.count_ones());
        let mut done = false;
        for cluster in &finder.found {
            let mut begin = cluster.members & beginning;
            if begin.count_ones() == 1 {
                self.engine.successors_of(state, begin.trailing_zeros(), out);
            } else {
                out.clear();
                while begin != 0 {
                    let pid = 127 - begin.leading_zeros();
                    begin &= !(1 << pid);
                    self.engine.successors_of(state, pid, &mut self.part);
                    for successor in self.part.iter() {
                        out.push(successor.transition, successor.state, successor.fault);
                    }
                }
            }
            if !out.is_empty() {
                done = true;
                break;
            }
        }
        self.finder = finder;
        done
    }

    /// What a process minds in this state.
    fn minds(&self, place: &Place, state: &[u8]) -> Set {
        let layout = &self.system.independence.layout;
        let mut minds = place.minds;
        for &(condition, number, more) in &place.conditions {
            let (at, kind) = self.tables.channels[number - 1];
            let block = layout.block(kind);
            let length = read_length(state, at as usize, block);
            let holds = match condition {
                Condition::NotEmpty => length > 0,
                Condition::NotFull => block.capacity.is_none_or(|capacity| length < capacity),
            };
            if !holds {
                minds |= more;
            }
        }
        minds
    }
}

impl Stepper for Walker<'_> {
    fn enabled(&mut self, state: &[u8], out: &mut Vec<Transition>) {
        let mut scratch = std::mem::take(&mut self.scratch);
        if self.alone(state, &mut scratch) {
            out.clear();
            out.extend(scratch.iter().map(|successor| successor.transition));
        } else {
            self.engine.enabled(state, out);
        }
        self.scratch = scratch;
    }

    fn successors(&mut self, state: &[u8], out: &mut Successors) {
        self.savings.expanded += 1;
        if self.alone(state, out) {
            self.savings.reduced += 1;
        } else {
            self.engine.successors(state, out);
        }
    }

    elnath_kernel::hand_on! { engine: initial, fire, action, may_end, transition_bits }
    elnath_kernel::facets! { mine: processes; below engine: propositions, acceptance, tally }
}

impl Processes for Walker<'_> {
    fn successors_of(&mut self, state: &[u8], process: u32, out: &mut Successors) {
        let mut all = std::mem::take(&mut self.scratch);
        if !self.alone(state, &mut all) {
            self.engine.successors_of(state, process, out);
        } else {
            // Others may stand for all.
            out.clear();
            for successor in all.iter() {
                if self.engine.mover(successor.transition) == Some(process) {
                    out.push(successor.transition, successor.state, successor.fault);
                }
            }
        }
        self.scratch = all;
    }

    elnath_kernel::hand_on! { engine: mover, movers, owing, locations }
}
