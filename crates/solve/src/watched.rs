//! Watched candidates: vertices are looked at only if the answer may depend on them, and none is looked at twice.
//!
//! One value is assumed of all vertices: the one that cycles have. That it is wrong is a least fixpoint, computed with dependencies (Liu and Smolka 1998,
//! Andersen 1994; the papers' restarts avoid these, see [`super::restart`]). A vertex that is met is taken to have the assumed value until that is refuted. Each
//! of its obligations *watches* one candidate that is not refuted. When a vertex is refuted, those who watch it are woken: each
//! moves on to its next candidate, whose vertices are looked at now if they were not before, and if there is none, its own
//! vertex is refuted in turn. The work is linear in the obligations and candidates of the vertices that were looked at; there
//! is no restart, and the end comes as soon as the root is refuted or nothing is left to look at.
//!
//! Why the assumption is right when nothing is left: the vertices that are looked at and not refuted support each other, so they
//! have the value of cycles. Why refutations are right: by induction over their order, which
//! is kept ([`Refuted::stamp`]) because diagnoses follow it.
//!
//! A vertex that waits to be looked at while nobody watches it any more is put aside: it may never be needed. Looking first
//! at obligations with a single candidate, and preferring candidates that are assumed already, keeps the
//! number of vertices near that of the smallest proof.
//!
//! Vertices of other blocks wait for their turn like any other; to look at one is to ask for its value ([`Turn::Needs`]). More than one root may be asked
//! for, one after the other: what was found out stays right.

use crate::below::{Below, Turn, Whose};
use crate::order::Order;
use crate::refutation::{Refutations, Refuted};
use crate::table::{Table, Vertex};
use crate::{Game, Obligation};
use std::collections::VecDeque;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    /// Waits to be looked at.
    Waiting,
    /// Waited, and nobody watched it.
    Aside,
    /// Taken to have the assumed value.
    Assumed,
    Refuted,
}

/// An obligation with the candidate it watches.
struct Watching {
    obligation: Obligation,
    /// The candidates are tried in a circle, beginning here.
    start: u32,
    tried: u32,
}

impl Watching {
    fn current(&self) -> u32 {
        (self.start + self.tried) % self.obligation.len
    }
}

struct Watcher {
    owner: u32,
    watching: u32,
    /// The next one of the same vertex.
    next: u32,
}

const NONE: u32 = u32::MAX;

/// The solver. What it has found out stays, for diagnoses.
pub struct Watched<V: Vertex> {
    /// What is assumed.
    value: bool,
    order: Order,
    table: V::Table,
    status: Vec<Status>,
    /// Per vertex, the first of those who watch it; for refuted ones why they are.
    watchers_of: Vec<u32>,
    why: Vec<Refuted>,
    watching: Vec<Watching>,
    watchers: Vec<Watcher>,
    waiting: VecDeque<u32>,
    /// A vertex of another block whose value was asked for.
    needed: Option<u32>,
    /// Refuted, and those who watch it not yet woken.
    fallen: Vec<u32>,
    obligations: Vec<Obligation>,
    stamp: u32,
    looked_at: u64,
    /// The bytes that were accounted last.
    noted: usize,
}

impl<V: Vertex> Watched<V> {
    /// Assumes this value, which must be the one of cycles.
    pub fn new(value: bool, order: Order) -> Self {
        Self {
            value,
            order,
            table: V::Table::new(),
            status: Vec::new(),
            watchers_of: Vec::new(),
            why: Vec::new(),
            watching: Vec::new(),
            watchers: Vec::new(),
            waiting: VecDeque::new(),
            needed: None,
            fallen: Vec::new(),
            obligations: Vec::new(),
            stamp: 0,
            looked_at: 0,
            noted: 0,
        }
    }

    /// Vertices looked at.
    pub fn looked_at(&self) -> u64 {
        self.looked_at
    }

    /// Whether a vertex was looked at.
    pub fn was_met(&self, vertex: V) -> bool {
        self.table
            .find(vertex)
            .is_some_and(|number| matches!(self.status[number as usize], Status::Assumed | Status::Refuted))
    }

    /// The value of a vertex, if it is known.
    pub fn value(&self, vertex: V) -> Option<bool> {
        match self.status[self.table.find(vertex)? as usize] {
            Status::Refuted => Some(!self.value),
            // What is assumed is right when nothing is left to look at.
            Status::Assumed if self.waiting.is_empty() && self.needed.is_none() => Some(self.value),
            _ => None,
        }
    }

    /// Whether the root has the assumed value, if that is found out before so much work is done in all.
    ///
    /// # Errors
    /// If something ran out.
    pub fn solve<G: Game<Vertex = V>>(
        &mut self,
        game: &mut G,
        below: &impl Below<V>,
        root: V,
        until: u64,
    ) -> Result<Turn<V>, G::Stop> {
        let root = self.meet(root);
        self.await_turn(root);
        if self.status[root as usize] == Status::Refuted {
            return Ok(Turn::Refuted);
        }
        while let Some(number) =
            self.needed.take().or_else(|| self.order.next(&mut self.waiting, self.looked_at))
        {
            if self.status[number as usize] != Status::Waiting {
                continue;
            }
            if number != root && !self.is_watched(game, number)? {
                self.status[number as usize] = Status::Aside;
                continue;
            }
            let vertex = self.table.vertex(number);
            let beside = below.bytes();
            match below.of(game, vertex) {
                Whose::Own => self.look_at(game, number, beside)?,
                Whose::Other(Some(value)) => {
                    self.status[number as usize] = Status::Assumed;
                    if value != self.value {
                        self.refute(number, NONE);
                    }
                }
                Whose::Other(None) => {
                    self.needed = Some(number);
                    return Ok(Turn::Needs(vertex));
                }
            }
            self.wake(game, beside)?;
            if self.status[root as usize] == Status::Refuted {
                return Ok(Turn::Refuted);
            }
            self.noted = self.bytes();
            game.occupy(self.noted + beside, self.looked_at)?;
            if game.spent() >= until {
                return Ok(Turn::Paused);
            }
        }
        Ok(Turn::Holds)
    }

    /// The number of a vertex.
    fn meet(&mut self, vertex: V) -> u32 {
        let (number, new) = self.table.insert(vertex);
        if new {
            self.status.push(Status::Aside);
            self.watchers_of.push(NONE);
            self.why.push(Refuted { code: NONE, stamp: NONE });
        }
        number
    }

    fn await_turn(&mut self, number: u32) {
        if self.status[number as usize] == Status::Aside {
            self.status[number as usize] = Status::Waiting;
            self.waiting.push_back(number);
        }
    }

    /// Whether somebody's present candidate contains this vertex.
    fn is_watched<G: Game<Vertex = V>>(&self, game: &mut G, number: u32) -> Result<bool, G::Stop> {
        let mut at = self.watchers_of[number as usize];
        while at != NONE {
            let Watcher { owner, watching, next } = self.watchers[at as usize];
            if self.status[owner as usize] == Status::Assumed {
                let watching = &self.watching[watching as usize];
                let owner = self.table.vertex(owner);
                let candidate = game.candidate(owner, watching.obligation, watching.current());
                let vertex = self.table.vertex(number);
                if candidate.is_some_and(|candidate| candidate.vertices().any(|met| met == vertex)) {
                    return Ok(true);
                }
            }
            at = next;
            game.work(1)?;
        }
        Ok(false)
    }

    /// Takes note of tables that have grown while one vertex is looked at: it may have as many obligations as all vertices before it.
    fn note<G: Game<Vertex = V>>(&mut self, game: &mut G, beside: usize) -> Result<(), G::Stop> {
        let bytes = self.bytes();
        if bytes <= self.noted {
            return Ok(());
        }
        self.noted = bytes;
        game.occupy(bytes + beside, self.looked_at)
    }

    /// Assumes the value of a vertex, and has its obligations watch.
    fn look_at<G: Game<Vertex = V>>(
        &mut self,
        game: &mut G,
        number: u32,
        beside: usize,
    ) -> Result<(), G::Stop> {
        self.looked_at += 1;
        let vertex = self.table.vertex(number);
        let mut obligations = std::mem::take(&mut self.obligations);
        game.obligations(vertex, self.value, &mut obligations)?;
        self.status[number as usize] = Status::Assumed;
        if let [only] = obligations[..]
            && only.len == 0
        {
            self.refute(number, only.code);
            self.obligations = obligations;
            return Ok(());
        }
        obligations.sort_by_key(|obligation| obligation.len > 1);
        let first = self.watching.len() as u32;
        // An obligation of which a glance tells that it is not met.
        let mut urgent = None;
        for &obligation in &obligations {
            let assumed = |k: &u32| {
                let known = |met: V| {
                    self.table.find(met).is_some_and(|met| self.status[met as usize] == Status::Assumed)
                };
                game.candidate(vertex, obligation, *k)
                    .is_some_and(|candidate| candidate.vertices().all(known))
            };
            let start = if obligation.len > 1 { (0..obligation.len).find(assumed) } else { None };
            let start = match start {
                Some(start) => start,
                None if G::GLANCES => match self.glance(game, vertex, obligation)? {
                    Some(start) => start,
                    None => {
                        urgent = Some(self.watching.len() as u32);
                        0
                    }
                },
                None => 0,
            };
            self.watching.push(Watching { obligation, start, tried: 0 });
        }
        self.obligations = obligations;
        self.note(game, beside)?;
        // From the last to the first, so that depth first goes on with the first, and before it with what is urgent.
        let others = (first..self.watching.len() as u32).rev().filter(|&watching| Some(watching) != urgent);
        for watching in others.chain(urgent) {
            if !self.settle(game, number, watching)? {
                break;
            }
            self.note(game, beside)?;
        }
        Ok(())
    }

    /// Which candidate of an obligation is watched first: one that a glance tells to serve, or the first of which it tells nothing; nothing if it tells that none
    /// serves.
    fn glance<G: Game<Vertex = V>>(
        &self,
        game: &mut G,
        owner: V,
        obligation: Obligation,
    ) -> Result<Option<u32>, G::Stop> {
        let mut first = None;
        for number in 0..obligation.len {
            let Some(candidate) = game.candidate(owner, obligation, number) else { continue };
            let mut serves = Some(true);
            for vertex in candidate.vertices() {
                match game.glance(vertex)? {
                    Some(value) if value == self.value => {}
                    Some(_) => serves = Some(false),
                    None => serves = serves.filter(|serves| !serves),
                }
            }
            match serves {
                Some(true) => return Ok(Some(number)),
                None => first = first.or(Some(number)),
                Some(false) => {}
            }
        }
        Ok(first)
    }

    /// Finds a candidate that is not refuted and watches it; without one, refutes the vertex and returns false.
    fn settle<G: Game<Vertex = V>>(
        &mut self,
        game: &mut G,
        owner: u32,
        watching: u32,
    ) -> Result<bool, G::Stop> {
        let obligation = self.watching[watching as usize].obligation;
        let vertex = self.table.vertex(owner);
        loop {
            let now = &self.watching[watching as usize];
            if now.tried == obligation.len {
                self.refute(owner, obligation.code);
                return Ok(false);
            }
            game.work(1)?;
            let candidate = game.candidate(vertex, obligation, now.current());
            if let Some(candidate) = candidate
                && candidate.vertices().all(|met| !self.is_refuted(met))
            {
                for met in candidate.vertices() {
                    let met = self.meet(met);
                    let next = self.watchers_of[met as usize];
                    self.watchers_of[met as usize] = self.watchers.len() as u32;
                    self.watchers.push(Watcher { owner, watching, next });
                    self.await_turn(met);
                }
                return Ok(true);
            }
            self.watching[watching as usize].tried += 1;
        }
    }

    fn is_refuted(&self, vertex: V) -> bool {
        self.table.find(vertex).is_some_and(|number| self.status[number as usize] == Status::Refuted)
    }

    fn refute(&mut self, number: u32, code: u32) {
        debug_assert!(self.status[number as usize] == Status::Assumed);
        self.status[number as usize] = Status::Refuted;
        self.why[number as usize] = Refuted { code, stamp: self.stamp };
        self.stamp += 1;
        self.fallen.push(number);
    }

    /// Tells those who watch refuted vertices.
    fn wake<G: Game<Vertex = V>>(&mut self, game: &mut G, beside: usize) -> Result<(), G::Stop> {
        while let Some(number) = self.fallen.pop() {
            let mut at = std::mem::replace(&mut self.watchers_of[number as usize], NONE);
            while at != NONE {
                let Watcher { owner, watching, next } = self.watchers[at as usize];
                at = next;
                game.work(1)?;
                // Whoever has moved on meanwhile, or fallen, no longer cares.
                if self.status[owner as usize] == Status::Assumed
                    && self.is_disappointed(game, owner, watching)
                {
                    self.settle(game, owner, watching)?;
                    self.note(game, beside)?;
                }
            }
        }
        Ok(())
    }

    fn is_disappointed<G: Game<Vertex = V>>(&self, game: &G, owner: u32, watching: u32) -> bool {
        let watching = &self.watching[watching as usize];
        let candidate = game.candidate(self.table.vertex(owner), watching.obligation, watching.current());
        candidate.is_none_or(|candidate| candidate.vertices().any(|met| self.is_refuted(met)))
    }

    /// Bytes that it occupies.
    pub fn bytes(&self) -> usize {
        self.table.bytes()
            + self.status.capacity()
            + 4 * (self.watchers_of.capacity() + self.waiting.capacity() + self.fallen.capacity())
            + size_of::<Refuted>() * self.why.capacity()
            + size_of::<Watching>() * self.watching.capacity()
            + size_of::<Watcher>() * self.watchers.capacity()
            + size_of::<Obligation>() * self.obligations.capacity()
    }
}

impl<V: Vertex> Refutations<V> for Watched<V> {
    fn refuted(&self, vertex: V) -> Option<Refuted> {
        let number = self.table.find(vertex)?;
        (self.status[number as usize] == Status::Refuted).then(|| self.why[number as usize])
    }
}
