//! The local solver: pairs are looked at only if the answer may depend on them, and no pair is looked at twice.
//!
//! Falsity is a least fixpoint, computed with dependencies (Liu and Smolka 1998, Andersen 1994; the papers' restarts
//! avoid these, see [`super::restart`]). A pair that is met is taken to be related until it is refuted. Each of its
//! obligations *watches* one candidate that is not refuted. When a pair is refuted, those who watch it are woken: each
//! moves on to its next candidate, whose pairs are looked at now if they were not before, and if there is none, its own
//! pair is refuted in turn. The work is linear in the obligations and candidates of the pairs that were looked at; there
//! is no restart, and the end comes as soon as the root is refuted or nothing is left to look at.
//!
//! Why "related" is right when nothing is left: the pairs that are looked at and not refuted support each other, so they
//! are contained in the greatest solution. Why "not related" is right: by induction over the order of refutations, which
//! is kept ([`Refuted::stamp`]) because diagnoses follow it.
//!
//! A pair that waits to be looked at while nobody watches it any more is put aside: it may never be needed. Looking first
//! at obligations with a single candidate, and preferring candidates that are taken to be related already, keeps the
//! number of pairs near that of the smallest proof.

use super::game::{Game, Obligation, Pair};
use super::meter::{Meter, Spender};
use super::table::Table;
use elnath_kernel::Limit;
use std::collections::VecDeque;

/// Which waiting pair is looked at next.
///
/// Any order is right. Compared with themselves, graphs of the VLTS suite need up to 2.6 times as many pairs breadth first as
/// depth first, since fewer candidates are settled when others are chosen; but two systems of a million states that differ
/// after ten steps are told apart in a few hundred pairs breadth first, and depth first in a million.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PairOrder {
    /// Breadth first for a few thousand pairs, then depth first.
    #[default]
    ShallowFirst,
    /// The one that was met last.
    DepthFirst,
    /// The one that was met first: shallow refutations.
    BreadthFirst,
}

impl PairOrder {
    /// Takes one that waits, when so many have been looked at.
    pub(crate) fn next(self, waiting: &mut VecDeque<u32>, looked_at: u64) -> Option<u32> {
        if self.is_breadth_first(looked_at + 1) { waiting.pop_front() } else { waiting.pop_back() }
    }

    /// Whether so many were all looked at breadth first.
    pub(crate) fn is_breadth_first(self, looked_at: u64) -> bool {
        const SHALLOW: u64 = 4096;
        match self {
            PairOrder::BreadthFirst => true,
            PairOrder::ShallowFirst => looked_at <= SHALLOW,
            PairOrder::DepthFirst => false,
        }
    }
}

/// Why a pair is not related.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refuted {
    /// The [code](Obligation::code) of an obligation all of whose candidates were refuted before.
    pub(crate) code: u32,
    /// When: refutations have ascending numbers, and a refutation only depends on those with smaller ones.
    pub(crate) stamp: u32,
}

/// Who knows why pairs are not related.
pub(crate) trait Refutations {
    /// Why this pair is not, if it is known not to be related.
    fn refuted(&self, pair: Pair) -> Option<Refuted>;
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    /// Waits to be looked at.
    Waiting,
    /// Waited, and nobody watched it.
    Aside,
    /// Taken to be related.
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
    /// The next one of the same pair.
    next: u32,
}

const NONE: u32 = u32::MAX;

/// The solver. What it has found out stays, for diagnoses.
pub(crate) struct Local {
    order: PairOrder,
    table: Table,
    status: Vec<Status>,
    /// Per pair, the first of those who watch it; for refuted pairs why they are.
    watchers_of: Vec<u32>,
    why: Vec<Refuted>,
    watching: Vec<Watching>,
    watchers: Vec<Watcher>,
    waiting: VecDeque<u32>,
    /// Refuted, and those who watch it not yet woken.
    fallen: Vec<u32>,
    stamp: u32,
    looked_at: u64,
}

impl Local {
    pub(crate) fn new(order: PairOrder) -> Self {
        Self {
            order,
            table: Table::new(),
            status: Vec::new(),
            watchers_of: Vec::new(),
            why: Vec::new(),
            watching: Vec::new(),
            watchers: Vec::new(),
            waiting: VecDeque::new(),
            fallen: Vec::new(),
            stamp: 0,
            looked_at: 0,
        }
    }

    /// Pairs looked at.
    pub(crate) fn pairs(&self) -> u64 {
        self.looked_at
    }

    /// Whether the root is related, if that is found out before so much work is done in all.
    pub(crate) fn solve(
        &mut self,
        game: &mut Game<'_, '_>,
        root: Pair,
        until: u64,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Option<bool>, Limit> {
        let root = self.meet(root);
        if self.looked_at == 0 {
            self.await_turn(root);
        }
        let mut obligations = Vec::new();
        while let Some(pair) = self.order.next(&mut self.waiting, self.looked_at) {
            if self.status[pair as usize] != Status::Waiting {
                continue;
            }
            if pair != root && !self.is_watched(game, pair, meter)? {
                self.status[pair as usize] = Status::Aside;
                continue;
            }
            self.look_at(game, pair, &mut obligations, meter)?;
            self.wake(game, meter)?;
            if self.status[root as usize] == Status::Refuted {
                return Ok(Some(false));
            }
            meter.tick(Spender::Solver, self.bytes(), self.looked_at)?;
            if meter.spent() >= until {
                return Ok(None);
            }
        }
        Ok(Some(true))
    }

    /// The number of a pair.
    fn meet(&mut self, pair: Pair) -> u32 {
        let (number, new) = self.table.insert(pair);
        if new {
            self.status.push(Status::Aside);
            self.watchers_of.push(NONE);
            self.why.push(Refuted { code: NONE, stamp: NONE });
        }
        number
    }

    fn await_turn(&mut self, pair: u32) {
        if self.status[pair as usize] == Status::Aside {
            self.status[pair as usize] = Status::Waiting;
            self.waiting.push_back(pair);
        }
    }

    /// Whether somebody's present candidate contains this pair.
    fn is_watched(&self, game: &Game<'_, '_>, pair: u32, meter: &mut Meter<'_, '_>) -> Result<bool, Limit> {
        let mut at = self.watchers_of[pair as usize];
        while at != NONE {
            let Watcher { owner, watching, next } = self.watchers[at as usize];
            if self.status[owner as usize] == Status::Assumed {
                let watching = &self.watching[watching as usize];
                let owner = self.table.pair(owner);
                let candidate = game.candidate(owner, watching.obligation, watching.current());
                if candidate.pairs().any(|met| met == self.table.pair(pair)) {
                    return Ok(true);
                }
            }
            at = next;
            meter.work(1)?;
        }
        Ok(false)
    }

    /// Takes a pair to be related, and has its obligations watch.
    fn look_at(
        &mut self,
        game: &mut Game<'_, '_>,
        pair: u32,
        obligations: &mut Vec<Obligation>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<(), Limit> {
        self.looked_at += 1;
        game.obligations(self.table.pair(pair), obligations, meter)?;
        self.status[pair as usize] = Status::Assumed;
        if let [only] = obligations[..]
            && only.len == 0
        {
            self.refute(pair, only);
            return Ok(());
        }
        obligations.sort_by_key(|obligation| obligation.len > 1);
        let first = self.watching.len() as u32;
        let here = self.table.pair(pair);
        for &obligation in &*obligations {
            let assumed = |k: &u32| {
                let known = |met: Pair| {
                    self.table.find(met).is_some_and(|met| self.status[met as usize] == Status::Assumed)
                };
                game.candidate(here, obligation, *k).pairs().all(known)
            };
            let start = if obligation.len > 1 { (0..obligation.len).find(assumed).unwrap_or(0) } else { 0 };
            self.watching.push(Watching { obligation, start, tried: 0 });
        }
        // From the last to the first, so that depth first goes on with the first.
        for watching in (first..self.watching.len() as u32).rev() {
            if !self.settle(game, pair, watching, meter)? {
                break;
            }
        }
        Ok(())
    }

    /// Finds a candidate that is not refuted and watches it; without one, refutes the pair and returns false.
    fn settle(
        &mut self,
        game: &Game<'_, '_>,
        owner: u32,
        watching: u32,
        meter: &mut Meter<'_, '_>,
    ) -> Result<bool, Limit> {
        let obligation = self.watching[watching as usize].obligation;
        let here = self.table.pair(owner);
        loop {
            let now = &self.watching[watching as usize];
            if now.tried == obligation.len {
                self.refute(owner, obligation);
                return Ok(false);
            }
            meter.work(1)?;
            let candidate = game.candidate(here, obligation, now.current());
            if candidate.pairs().all(|met| !self.is_refuted(met)) {
                for met in candidate.pairs() {
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

    fn is_refuted(&self, pair: Pair) -> bool {
        self.table.find(pair).is_some_and(|number| self.status[number as usize] == Status::Refuted)
    }

    fn refute(&mut self, pair: u32, obligation: Obligation) {
        debug_assert!(self.status[pair as usize] == Status::Assumed);
        self.status[pair as usize] = Status::Refuted;
        self.why[pair as usize] = Refuted { code: obligation.code(), stamp: self.stamp };
        self.stamp += 1;
        self.fallen.push(pair);
    }

    /// Tells those who watch refuted pairs.
    fn wake(&mut self, game: &Game<'_, '_>, meter: &mut Meter<'_, '_>) -> Result<(), Limit> {
        while let Some(pair) = self.fallen.pop() {
            let mut at = std::mem::replace(&mut self.watchers_of[pair as usize], NONE);
            while at != NONE {
                let Watcher { owner, watching, next } = self.watchers[at as usize];
                at = next;
                meter.work(1)?;
                // Whoever has moved on meanwhile, or fallen, no longer cares.
                if self.status[owner as usize] == Status::Assumed
                    && self.is_disappointed(game, owner, watching)
                {
                    self.settle(game, owner, watching, meter)?;
                }
            }
        }
        Ok(())
    }

    fn is_disappointed(&self, game: &Game<'_, '_>, owner: u32, watching: u32) -> bool {
        let watching = &self.watching[watching as usize];
        let candidate = game.candidate(self.table.pair(owner), watching.obligation, watching.current());
        candidate.pairs().any(|met| self.is_refuted(met))
    }

    fn bytes(&self) -> usize {
        self.table.bytes()
            + self.status.capacity()
            + 4 * (self.watchers_of.capacity() + self.waiting.capacity() + self.fallen.capacity())
            + size_of::<Refuted>() * self.why.capacity()
            + size_of::<Watching>() * self.watching.capacity()
            + size_of::<Watcher>() * self.watchers.capacity()
    }
}

impl Refutations for Local {
    fn refuted(&self, pair: Pair) -> Option<Refuted> {
        let number = self.table.find(pair)?;
        (self.status[number as usize] == Status::Refuted).then(|| self.why[number as usize])
    }
}
