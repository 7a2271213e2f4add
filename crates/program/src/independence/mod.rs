//! Partial order reduction: where the transitions of one process can stand for those of all.
//!
//! Two processes that have nothing to do with each other can go on in any order, and a search that tries all orders
//! learns nothing by it. So in a state in which some process is *alone*, that is, nothing that it can do next is of
//! concern to any other process, now or later, and the other way round, only its transitions are explored (an *ample* or
//! *persistent* set: Peled 1994, Godefroid 1996). What has to be shown, in the words of the literature:
//!
//! * **C0.** The process has a transition; otherwise another is tried.
//! * **C1.** Whatever the others do before it moves, they do nothing on which its transitions depend, nor make another of
//!   its commands possible. For each location of each process there is known what its commands *mind* ([`scan`]): writing to what
//!   they read or write, reading what they write, the other end of a channel where it matters. And what a process may
//!   still *do* from where it is, this and all it may reach and all whom it may create. A process is alone if what it minds
//!   is disjoint from what the others may still do. That is asked in every state, of the processes that exist: so the one
//!   sender of a channel is found also where a kind of process is instantiated more than once, its channels being
//!   arguments, or where everybody else has ceased to send. (SPIN has the declarations `xs` and `xr` for this, which are not needed
//!   here.) A receive is of no concern to senders while the channel holds a message, a send is not to receivers while it has
//!   room.
//! * **C2.** Its transitions are invisible: the question is one more process, which may look at the propositions.
//! * **C3.** No cycle of states is without a state where all is explored. This is arranged before the search begins, by
//!   locations at which a process is never alone ([`cycles`]; Kurshan, Levin, Minea, Peled, Yenigün 1998, "static
//!   partial order reduction").
//!
//! The last point is a decision against the usual one, where a search looks whether a cycle was closed. It costs a little
//! where a loop does not close a cycle of states, and it buys that what is left out of a state depends on the state alone.
//! So the reduced program is just another [`elnath_kernel::System`]: searches, stores, products with automata and replays know nothing of
//! it, a state that was forgotten and comes again has the same successors, workers need not agree on anything, and the two
//! depth-first searches of nested search cannot differ in what they leave out (the mistake that Holzmann, Peled and Yannakakis
//! mended in 1996).
//!
//! **What is kept.** Deadlocks (by C0 and C1), but for the names of processes. Every fault and every action that can
//! happen at all does (C3: a transition that is possible and put off stays possible until it is taken; and in traces that
//! differ only in the order of independent transitions it finds the same values), except the end of a process
//! ([`anonymous`]). Sequences of valuations up to repetitions, hence LTL without X. Not kept: how many states and
//! violations there are, shortest runs, fairness, on which of several equivalent runs something is found.
//!
//! **Deadlocks only.** If nothing else is asked for, C2 and C3 are not needed: in a deadlock nothing is put off any more, so
//! that a run to it has, among those that differ only in the order of what is independent, one that is explored (Godefroid 1996).
//!
//! **Timeouts.** A command that waits for `timeout` is possible only where nothing else is; where a process is alone,
//! something else is, and stays so until it moves.
//!
//! **Atomic sequences** are one transition, so that the process must be alone for all of it. Where another may be blocked in
//! the middle of one, it sees that it is: this is one more way to observe a channel, as is an `else`.
//!
//! **Asking first.** A guard `nempty(c)` of the only receiver, or `nfull(c)` of the only sender, can only become true by
//! what others do, as the receive and the send themselves; and a receive in the middle of an atomic sequence that began
//! with such a guard finds its message ([`certain`]).
//!
//! **Behind faults.** A fault ends a command, and the process goes on to its target as if a test had been passed that was
//! not made, so that a loop that counts may not end. Where runs go on after faults ([`Keep::past_faults`]), nothing is left out
//! unless only assertions can fail.
//!
//! **Channels of processes.** A channel that a process declares and hands on as an argument of `run` is known as well as a
//! global one ([`sites`]), in each state by its number, and in what is not created yet by where it is declared. Who waits
//! at a rendez-vous channel observes nothing: it is the sender who goes on.
//!
//! **Creating and ending.** The number of a new process depends on who has been created and who has ended before; so
//! `run` and the end of another process are dependent. Two things make this rarer. A process can end only when it is the
//! youngest: for its end, those who are younger need not be asked, nor need they mind it. And where nobody can look at
//! numbers of processes, only the names in a state depend on the order ([`anonymous`]).
//!
//! **Gates.** Where processes meet at gates, it is not one process that stands for all but a set of them, which is closed under whom its
//! members can meet ([`clusters`]).
//!
//! **What is not seen.** That both sides of a rendez-vous may be alone together.

mod anonymous;
mod certain;
mod clusters;
mod cycles;
mod reduced;
mod resources;
mod scan;
mod sites;

pub use reduced::{Reduced, Savings};

use crate::analysis::control::{entered_behind, reachable};
use crate::analysis::{
    Observation, Operation, Purpose, created, for_each_observation, for_each_operation, joins, observation,
};
use crate::interpreter::Interpreter;
use crate::ir::{Expr, ProcessId, ProcessType, Program, Type, VariableRef};
use crate::keep::Keep;
use crate::layout::{Layout, Tables};
use crate::transform::{goes_astray, hopeless};
use clusters::Meetings;
use resources::{Resources, Set};
use scan::{Condition, Footprint, Instance, Scan};
use std::collections::HashMap;
use std::sync::Arc;

/// What is known about a program. See the [module](self).
pub struct Independence {
    program: Program,
    layout: Layout,
    resources: Resources,
    keys: Vec<Key>,
    /// By kind of process: what one of which nothing more is known may do.
    futures: Vec<Set>,
    /// What the question looks at.
    watched: Set,
    /// Whether nothing but deadlocks is to be kept.
    only_deadlocks: bool,
    /// What is known of the processes that there are at the beginning.
    initial: HashMap<(u8, Instance), Arc<Table>>,
    /// Whether processes are created later.
    creates: bool,
    /// Who meets whom, if processes meet at gates: then clusters stand for all, not single processes.
    meetings: Option<Meetings>,
}

/// What of a process tells which elements and channels it names.
struct Key {
    /// Its number.
    pid: bool,
    /// Locals that keep their value.
    locals: Vec<u32>,
}

/// What is known of one process, by location.
struct Table {
    alone: Vec<Alone>,
    places: Vec<Place>,
}

/// When a process is alone, as far as its location tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Alone {
    Never,
    /// It depends on what the others may still do.
    Perhaps,
    /// Whatever they do.
    Always,
}

struct Place {
    minds: Set,
    conditions: Vec<(Condition, usize, Set)>,
    /// What it may do, now and later, except to end: who is younger does not live to see that.
    future: Set,
    /// The same, and to end.
    future_with_end: Set,
    /// Whether cycles of states are broken here: what begins here must not stand for all.
    breaks: bool,
}

impl Independence {
    /// Analyses a program for a question that looks at its propositions, and at what is to be kept.
    ///
    /// # Errors
    /// What in the program concerns everybody all the time, in words that follow "because".
    pub fn new(interpreter: &Interpreter, keep: Keep) -> Result<Self, &'static str> {
        let program = interpreter.program().clone();
        if let Some(why) =
            hopeless(&program).or_else(|| keep.past_faults.then(|| goes_astray(&program)).flatten())
        {
            return Err(why);
        }
        let meets = joins(&program);
        if meets && let Some(why) = clusters::obstacle(&program) {
            return Err(why);
        }
        let meetings = meets.then(|| Meetings::new(&program));
        let layout = interpreter.layout().clone();
        let mut resources = Resources::new(&program, &layout);
        resources.anonymous &= !keep.ends;
        let mut watched = Set::NEVER;
        let seen = if keep.only_deadlocks { &[][..] } else { &program.propositions };
        let matters = |number: usize| number >= 64 || keep.timeless >> number & 1 == 0;
        for (_, (_, expr)) in seen.iter().enumerate().filter(|(number, _)| matters(*number)) {
            let mut scan = Scan::new(&program, &resources, ProcessId(0), None);
            scan.reads(expr);
            watched |= scan.found.does;
        }
        if keep.accepting {
            watched |= Set::ACCEPT;
        }
        if keep.order_of_faults {
            watched |= Set::FAULT;
        }
        let keys = (0..program.processes.len()).map(|kind| key(&program, &resources, kind)).collect();
        let futures = vec![Set::EMPTY; program.processes.len()];
        let creates =
            program.processes.iter().flat_map(|kind| &kind.commands).flat_map(created).next().is_some();
        let (initial, only_deadlocks) = (HashMap::new(), keep.only_deadlocks);
        let mut independence = Self {
            program,
            layout,
            resources,
            keys,
            futures,
            watched,
            only_deadlocks,
            initial,
            creates,
            meetings,
        };
        independence.find_futures();
        if independence.meetings.is_some() {
            return Ok(independence);
        }
        independence.look_at_initial(interpreter.initial_state());
        let all_alone = independence.initial.values().flat_map(|table| &table.alone);
        if !creates && all_alone.into_iter().all(|&alone| alone == Alone::Never) {
            return Err("everything that a process does is of concern to others");
        }
        Ok(independence)
    }

    /// Makes the tables of the processes in the initial state. Where one minds what another will be able to do for as
    /// long as that lives, and it lives for ever, it is never alone: knowing this beforehand saves looking.
    fn look_at_initial(&mut self, state: &[u8]) {
        let mut found = Tables::default();
        found.read(&self.layout, state);
        let places = found.processes.iter().enumerate();
        let who: Vec<(u8, Instance)> =
            places.map(|(pid, &base)| (state[base as usize], self.instance(state, &found, pid))).collect();
        let mut tables: HashMap<_, _> =
            who.iter().map(|who| (who.clone(), self.table(usize::from(who.0), &who.1))).collect();
        let least = |who: &(u8, Instance)| {
            let reachable = reachable(&self.program.processes[usize::from(who.0)]);
            let futures = reachable.iter().map(|&at| tables[who].places[at].future);
            futures.reduce(|all, future| all.and(&future)).unwrap_or_default()
        };
        let least: Vec<Set> = who.iter().map(least).collect();
        for (key, table) in &mut tables {
            // Of several processes with one table, one is this process, and the others are others.
            let own = who.iter().position(|other| other == key);
            let others = (0..who.len()).filter(|&pid| Some(pid) != own);
            let others = others.fold(Set::EMPTY, |all, pid| all | least[pid]);
            for (alone, place) in table.alone.iter_mut().zip(&table.places) {
                if place.minds.meets(&others) {
                    *alone = Alone::Never;
                }
            }
        }
        self.initial = tables.into_iter().map(|(key, table)| (key, Arc::new(table))).collect();
    }

    /// What is known of a process for as long as it lives.
    fn instance(&self, state: &[u8], tables: &Tables, pid: usize) -> Instance {
        let base = tables.processes[pid] as usize;
        let kind = usize::from(state[base]);
        let (key, frame) = (&self.keys[kind], &self.layout.frames[kind]);
        let value = |&local: &u32| {
            let slot = &frame.slots[local as usize];
            (local, slot.width.read(state, base + slot.offset))
        };
        let values: Vec<(u32, i32)> = key.locals.iter().map(value).collect();
        let mut owned = Vec::new();
        for &(local, number) in &values {
            if self.program.processes[kind].locals[local as usize].ty == Type::Channel
                && let Some(site) = self.site(state, tables, pid, number)
            {
                owned.push((number, site));
            }
        }
        Instance { pid: key.pid.then_some(pid as i32), values, owned }
    }

    /// Where the channel with this number is made, if this process has made it or an older one.
    fn site(&self, state: &[u8], tables: &Tables, pid: usize, number: i32) -> Option<u32> {
        let mut index = usize::try_from(number).ok()?.checked_sub(self.layout.global_channels.len() + 1)?;
        for &base in &tables.processes[..=pid] {
            let kind = usize::from(state[base as usize]);
            let channels = self.layout.frames[kind].channels.len();
            if index < channels {
                return Some(self.resources.sites.of(kind, index));
            }
            index -= channels;
        }
        None
    }

    /// What processes of each kind may do, with those they create.
    fn find_futures(&mut self) {
        loop {
            let found = (0..self.program.processes.len()).map(|kind| {
                let own = self.footprints(kind, None, false);
                self.future(kind, &own)[self.program.processes[kind].entry.index()].1
            });
            let found: Vec<Set> = found.collect();
            if found == self.futures {
                return;
            }
            self.futures = found;
        }
    }

    /// What the commands of each location amount to, as the first of a transition or behind others.
    fn footprints(&self, kind: usize, instance: Option<&Instance>, behind: bool) -> Vec<Footprint> {
        let process = &self.program.processes[kind];
        let entered_behind = entered_behind(process);
        let scan = || Scan::new(&self.program, &self.resources, ProcessId(kind as u32), instance);
        let known = certain::certain(&scan());
        let scan =
            |at: usize| scan().location(crate::ir::Loc(at as u32), behind, entered_behind[at], &known[at]);
        (0..process.locations.len()).map(scan).collect()
    }

    /// What a process may do from each location on, without its end and with it.
    fn future(&self, kind: usize, own: &[Footprint]) -> Vec<(Set, Set)> {
        let process = &self.program.processes[kind];
        let with_created = |footprint: &Footprint| {
            let created = footprint.creates.iter();
            let does = created.fold(footprint.does, |all, created| all | self.futures[created.index()]);
            (does, does | footprint.ends)
        };
        let mut future: Vec<(Set, Set)> = own.iter().map(with_created).collect();
        loop {
            let mut changed = false;
            for at in (0..future.len()).rev() {
                let later =
                    process.leaving(crate::ir::Loc(at as u32)).fold(future[at], |all, (_, command)| {
                        let next = future[command.target.index()];
                        (all.0 | next.0, all.1 | next.1)
                    });
                changed |= later != future[at];
                future[at] = later;
            }
            if !changed {
                return future;
            }
        }
    }

    /// All about one process.
    fn table(&self, kind: usize, instance: &Instance) -> Table {
        let process = &self.program.processes[kind];
        let first = self.footprints(kind, Some(instance), false);
        let behind = self.footprints(kind, Some(instance), true);
        let future = self.future(kind, &first);
        let never = |footprint: &Footprint| footprint.minds.meets(&self.watched);
        // A guess at what others will do, only to choose well where nothing else decides.
        let several = self.program.initial.iter().filter(|id| id.index() == kind).count() > 1;
        let others = (0..self.futures.len()).filter(|&other| other != kind || several);
        let others = others.fold(Set::EMPTY, |all, other| all | self.futures[other]);
        let cost = |footprint: &Footprint| {
            if never(footprint) {
                None
            } else if footprint.minds.meets(&others) {
                Some(0)
            } else {
                Some(1 + u32::from(footprint.minds.is_empty()))
            }
        };
        // Whoever is put elsewhere comes back to where it was by another way than its own: see `clusters`.
        let cost: Vec<Option<u32>> =
            (first.iter()).map(|footprint| if footprint.places { None } else { cost(footprint) }).collect();
        let mut breaking = cycles::breaking_points(process, &cost);
        breaking.iter_mut().zip(&first).for_each(|(breaks, footprint)| *breaks |= footprint.places);
        let sequences = sequences(process, &behind, &breaking);
        let places = (0..process.locations.len()).map(|at| {
            let (later, breaks_later) = sequences[at];
            let minds = first[at].minds | later;
            let breaks = (breaking[at] || breaks_later) && !self.only_deadlocks;
            let conditions = first[at].conditions.clone();
            let alone = if breaks || minds.meets(&self.watched) {
                Alone::Never
            } else if minds.is_empty() && conditions.is_empty() {
                Alone::Always
            } else {
                Alone::Perhaps
            };
            let (future, future_with_end) = future[at];
            (alone, Place { minds, conditions, future, future_with_end, breaks })
        });
        let (alone, places) = places.unzip();
        Table { alone, places }
    }
}

/// For each location: what the commands mind that may come behind others in a transition that begins there, and whether
/// one of their locations breaks a cycle. A fixed point over the commands, backwards; following them from every location
/// took 11 s for 5,000 statements in a row.
fn sequences(process: &ProcessType, behind: &[Footprint], breaking: &[bool]) -> Vec<(Set, bool)> {
    let mut sequences = vec![(Set::EMPTY, false); process.locations.len()];
    loop {
        let mut changed = false;
        for at in (0..sequences.len()).rev() {
            let atomic = process.leaving(crate::ir::Loc(at as u32)).filter(|(_, command)| command.atomic);
            let all = atomic.fold(sequences[at], |(minds, breaks), (_, command)| {
                let to = command.target.index();
                let (later, breaks_later) = sequences[to];
                (minds | behind[to].minds | later, breaks || breaking[to] || breaks_later)
            });
            changed |= all != sequences[at];
            sequences[at] = all;
        }
        if !changed {
            return sequences;
        }
    }
}

/// Which fixed values of a process name elements and channels.
fn key(program: &Program, resources: &Resources, kind: usize) -> Key {
    let process = &program.processes[kind];
    let (mut pid, mut locals) = (false, Vec::new());
    let mut names = |expr: &Expr| {
        for_each_observation(expr, &mut |observation| match observation {
            Observation::Pid => pid = true,
            Observation::Variable(lvalue) => {
                if let VariableRef::Local(local) = lvalue.variable
                    && lvalue.indices.is_empty()
                    && process.locals[local as usize].dims.is_empty()
                    && resources.is_fixed(ProcessId(kind as u32), local)
                {
                    locals.push(local);
                }
            }
            _ => {}
        });
    };
    let mut within = |expr: &Expr| match observation(expr) {
        Some(Observation::Variable(lvalue)) => lvalue.indices.iter().for_each(&mut names),
        Some(Observation::Length { channel, .. } | Observation::Messages { channel, .. }) => names(channel),
        _ => {}
    };
    process.provided.iter().for_each(|expr| expr.for_each(&mut within));
    for command in &process.commands {
        command.for_each_expr(&mut within);
    }
    for command in &process.commands {
        for_each_operation(command, &mut |operation| {
            if let Operation::Evaluate(expr, Purpose::Channel | Purpose::Index { .. }) = operation {
                names(expr);
            }
        });
    }
    locals.sort_unstable();
    locals.dedup();
    Key { pid, locals }
}
