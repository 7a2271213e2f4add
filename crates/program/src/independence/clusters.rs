//! Clusters: sets of processes whose joint steps can stand for those of all.
//!
//! Where processes meet at gates, one alone can hardly ever go on. What can be left out is found for a *cluster* of processes
//! instead: all transitions that begin in it are explored, and no others. A set of processes is such a cluster in a state if it is
//! closed in two ways, which make its transitions a persistent set (Godefroid 1996; the second is the necessary enabling set of
//! Valmari's stubborn sets):
//!
//! * **What a member minds, nobody outside does** now or later. Whoever may do it belongs to the cluster. So as long as no member
//!   moves, each of them can do what it could, with the same values.
//! * **Whom a member can meet** by a [synchronisation vector](crate::ir::Vector): if for each other kind in the vector some process offers its
//!   gate where it is, all processes of these kinds that offer it or may do so later belong to the cluster. If for some kind none does, the vector
//!   is blocked until one of them moves, and it is enough that those of *one* such kind that may ever offer the gate belong to the
//!   cluster: they do not move before the cluster does. If none ever will, nobody has to be added.
//!
//! So a transition outside has no member as a participant, and by the first rule it is independent of those within. Both
//! closures are computed in each state, from each process, on bits; the smallest cluster with a transition is taken.
//!
//! **Offering** is a matter of locations here; guards and values are not looked at. (To take a participant whose guard is false for
//! one that blocks would be sound, since the guard is part of what it minds. It was not done: most guards of specifications stand before the
//! only gate of a location, where the process is often not met anyway.)
//!
//! **Putting processes elsewhere** ([`crate::ir::Effect::Place`]) writes to the process, and every command of it reads it; so the first rule is all there is to
//! it. A process that may be put somewhere may offer anything later.
//!
//! **Cycles.** A process walks a cycle of its own locations in each cycle of states, as ever ([`super::cycles`]), unless it is put elsewhere on
//! the way. So locations from which somebody is put elsewhere break cycles as well: a member that can move must not be at one.
//!
//! **Not reduced** are programs in which processes are created as well, or more than 128 exist, or an atomic sequence goes on at
//! a gate: then a transition that begins elsewhere has a member as its participant.

use crate::analysis::faults::{Constants, evaluation_may_fail};
use crate::analysis::variables::constants;
use crate::analysis::{created, meets};
use crate::ir::{Command, Guard, Loc, ProcessType, Program, Sync};

/// A set of processes, by number.
pub(super) type Processes = u128;
/// The most processes of a state.
const MOST: usize = 128;

/// How the processes of a program meet, as far as locations tell.
pub(super) struct Meetings {
    /// For each vector, the kinds and gates of its members.
    vectors: Vec<Vec<(usize, usize)>>,
    /// By kind of process and location.
    places: Vec<Vec<Ports>>,
}

/// What a process can do at a location as far as meeting others is concerned.
struct Ports {
    /// The vectors of the gates that are offered here, each with the place of the process in it.
    vectors: Vec<(u32, u32)>,
    /// The gates that are offered here.
    here: Gates,
    /// The same, and those that are offered wherever the process may go from here.
    later: Gates,
    /// Whether it may have transitions in which it meets nobody: a fault in a guard is one.
    alone: bool,
    /// Whether it may be the one that begins a transition.
    begins: bool,
}

/// A set of gates.
#[derive(Clone, PartialEq)]
struct Gates(Box<[u64]>);

impl Gates {
    fn has(&self, gate: usize) -> bool {
        self.0[gate / 64] >> (gate % 64) & 1 != 0
    }

    fn add(&mut self, others: &Gates) {
        self.0.iter_mut().zip(&others.0).for_each(|(own, other)| *own |= other);
    }
}

/// Why clusters are not looked for, in words that follow "because".
pub(super) fn obstacle(program: &Program) -> Option<&'static str> {
    let mut commands = program.processes.iter().flat_map(|kind| &kind.commands);
    if commands.any(|command| created(command).next().is_some()) {
        return Some("processes are created where others meet at gates");
    }
    if program.initial.len() > MOST {
        return Some("more than 128 processes meet at gates");
    }
    let goes_on_at_a_gate = |kind: &ProcessType| {
        let mut atomic = kind.commands.iter().filter(|command| command.atomic);
        atomic.any(|command| kind.leaving(command.target).any(|(_, next)| meets(next)))
    };
    program.processes.iter().any(goes_on_at_a_gate).then_some("an atomic sequence goes on at a gate")
}

impl Meetings {
    pub(super) fn new(program: &Program) -> Self {
        let vector = |vector: &crate::ir::Vector| {
            let members = vector.members.iter();
            members.map(|(kind, gate)| (kind.index(), gate.index())).collect()
        };
        let vectors: Vec<Vec<(usize, usize)>> = program.vectors.iter().map(vector).collect();
        let constant = constants(program);
        let of_kind = |(number, kind): (usize, &ProcessType)| {
            let known = Constants { program, kind, constant: &constant };
            let mut places: Vec<Ports> =
                (0..kind.locations.len()).map(|at| ports(&known, &vectors, number, Loc(at as u32))).collect();
            // Backwards, until nothing is added.
            loop {
                let mut changed = false;
                for at in (0..places.len()).rev() {
                    let mut later = places[at].later.clone();
                    kind.leaving(Loc(at as u32))
                        .for_each(|(_, command)| later.add(&places[command.target.index()].later));
                    changed |= later != places[at].later;
                    places[at].later = later;
                }
                if !changed {
                    return places;
                }
            }
        };
        let places = program.processes.iter().enumerate().map(of_kind).collect();
        Self { vectors, places }
    }
}

fn ports(known: &Constants<'_>, vectors: &[Vec<(usize, usize)>], number: usize, at: Loc) -> Ports {
    let Constants { program, kind, .. } = *known;
    let mut here = Gates(vec![0; program.gates.len().div_ceil(64).max(1)].into());
    let (mut alone, mut begins) = (false, false);
    for (_, command) in kind.leaving(at) {
        match &command.sync {
            Sync::Gate { gate, .. } => here.0[gate.index() / 64] |= 1 << (gate.index() % 64),
            _ => alone = true,
        }
        alone |= kind.provided.is_some() || guard_may_fail(known, command);
    }
    let mut found = Vec::new();
    for (vector, members) in vectors.iter().enumerate() {
        for (place, &(kind, gate)) in members.iter().enumerate() {
            if kind == number && here.has(gate) {
                found.push((vector as u32, place as u32));
                begins |= place == 0;
            }
        }
    }
    Ports { vectors: found, later: here.clone(), here, alone, begins: begins || alone }
}

fn guard_may_fail(known: &Constants<'_>, command: &Command) -> bool {
    matches!(&command.guard, Guard::When(expr) if evaluation_may_fail(known, expr))
}

/// A process of a state, as clusters see it.
#[derive(Clone, Copy)]
pub(super) struct Who {
    pub(super) kind: usize,
    pub(super) location: usize,
    /// Whether somebody may put it elsewhere.
    pub(super) placed: bool,
}

/// A closed set of processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cluster {
    pub(super) members: Processes,
    /// Those that may take part in a transition of it.
    pub(super) moving: Processes,
}

/// Finds clusters. Its buffers are reused.
#[derive(Default)]
pub(super) struct Finder {
    /// By kind of process, those that there are.
    of_kind: Vec<Processes>,
    /// The clusters of a state.
    pub(super) found: Vec<Cluster>,
}

/// The numbers in a set, from the least on.
pub(super) fn each(mut set: Processes) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = set.trailing_zeros() as usize;
        (set != 0).then(|| {
            set &= set - 1;
            next
        })
    })
}

impl Finder {
    /// The processes of a state are of these kinds.
    pub(super) fn begin(&mut self, meetings: &Meetings, who: &[Who]) {
        self.of_kind.clear();
        self.of_kind.resize(meetings.places.len(), 0);
        for (pid, who) in who.iter().enumerate() {
            self.of_kind[who.kind] |= 1 << pid;
        }
    }

    /// The smallest cluster with this process in it. `conflicts` tells who outside may do what a member minds; nothing if the member
    /// must not move without all others.
    pub(super) fn close(
        &self,
        meetings: &Meetings,
        who: &[Who],
        start: usize,
        mut conflicts: impl FnMut(usize, Processes) -> Option<Processes>,
    ) -> Option<Cluster> {
        let mut cluster = Cluster { members: 1 << start, moving: 0 };
        let mut todo: Processes = cluster.members;
        while todo != 0 {
            let pid = todo.trailing_zeros() as usize;
            todo &= todo - 1;
            let more = conflicts(pid, cluster.members)? | self.met(meetings, who, pid, &mut cluster);
            todo |= more & !cluster.members;
            cluster.members |= more;
        }
        Some(cluster)
    }

    /// Who has to be added since a member may meet others.
    fn met(&self, meetings: &Meetings, who: &[Who], pid: usize, cluster: &mut Cluster) -> Processes {
        let ports = &meetings.places[who[pid].kind][who[pid].location];
        if ports.alone {
            cluster.moving |= 1 << pid;
        }
        let mut more = 0;
        for &(vector, place) in &ports.vectors {
            let members = &meetings.vectors[vector as usize];
            let (mut all, mut offering, mut blocker): (Processes, Processes, Option<Processes>) =
                (0, 0, None);
            for (other, &(kind, gate)) in members.iter().enumerate() {
                // Others of its own kind may take its part with the same partners, as far as these belong to the cluster.
                if other == place as usize {
                    continue;
                }
                let (mut now, mut ever): (Processes, Processes) = (0, 0);
                for other in each(self.of_kind[kind]) {
                    let ports = &meetings.places[kind][who[other].location];
                    if ports.here.has(gate) {
                        now |= 1 << other;
                    }
                    if who[other].placed || ports.later.has(gate) {
                        ever |= 1 << other;
                    }
                }
                if now == 0 {
                    // Of those that block it, the kind that adds least.
                    let added = |set: Processes| (set & !(cluster.members | more)).count_ones();
                    if blocker.is_none_or(|known| added(ever) < added(known)) {
                        blocker = Some(ever);
                    }
                }
                all |= ever;
                offering |= now;
            }
            match blocker {
                Some(blocker) => more |= blocker,
                None => {
                    more |= all;
                    cluster.moving |= offering | 1 << pid;
                }
            }
        }
        more
    }
}

impl Meetings {
    /// Whether a process may begin a transition.
    pub(super) fn begins(&self, who: Who) -> bool {
        self.places[who.kind][who.location].begins
    }
}
