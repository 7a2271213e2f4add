//! The shallowest refutation there is, by rank.
//!
//! The rank of an unrelated pair is the round of the fixpoint iteration that refutes it: 1 for failing pairs, and
//!
//! ```text
//! rank(p, q)  =  1 + min over obligations  max over candidates  min over their pairs  rank(p', q')
//! ```
//!
//! which is the least number of exchanges after which a mover who plays well has won (k in the papers' R_k, and the depth
//! of the least distinguishing formula). A refutation of rank k lies within distance k - 1 of the root, along *any*
//! candidates. So pairs are made level by level, with all their candidates and not only those that a proof would need, and
//! refutations are propagated after each level. When the root is refuted, all ranks are computed anew, in rounds. That of the
//! root is then right if no deeper level could lower it; a refutation that goes around in few pairs may be longer than one
//! that goes deeper, so the levels go on until the rank is no more than their number. This costs more than
//! [the local solver](super::local), which looks at few candidates; it is for those who want to read the answer.

use super::game::{Game, Obligation, Pair};
use super::local::{Refutations, Refuted};
use super::meter::{Meter, Spender};
use super::table::Table;
use elnath_kernel::Limit;
use std::collections::VecDeque;

/// The solver. Ranks stay, for diagnoses.
pub(crate) struct Shortest<'r> {
    /// Another solver that has refuted the root: then only pairs that it has refuted are looked at.
    within: Option<&'r dyn Refutations>,
    table: Table,
    /// The pairs before this one have been looked at, and those before that one are on levels before the present one.
    next: usize,
    level_end: usize,
    levels: u32,
    /// After how many levels ranks are computed next.
    rank_at: u32,
    /// Why pairs are not related; the stamps ascend with the ranks.
    why: Vec<Option<Refuted>>,
    rank: Vec<u32>,
    duties: Vec<Duty>,
    /// Whether a candidate is refuted.
    down: Vec<bool>,
    /// Per pair, the first of the candidates it occurs in.
    uses_of: Vec<u32>,
    uses: Vec<Use>,
    /// Obligations without candidates, and their pairs.
    failing: Vec<(u32, u32)>,
    fallen: VecDeque<u32>,
    stamp: u32,
    looked_at: u64,
}

/// An obligation.
struct Duty {
    owner: u32,
    code: u32,
    /// Its candidates, and how many of them are not refuted.
    len: u32,
    up: u32,
}

struct Use {
    duty: u32,
    /// In `down`.
    candidate: u32,
    next: u32,
}

const NONE: u32 = u32::MAX;

impl<'r> Shortest<'r> {
    /// Finds a shallowest refutation; `within` those that another solver has found, if there is one.
    pub(crate) fn new(within: Option<&'r dyn Refutations>) -> Self {
        Self {
            within,
            table: Table::new(),
            next: 0,
            level_end: 0,
            levels: 0,
            rank_at: 0,
            why: Vec::new(),
            rank: Vec::new(),
            duties: Vec::new(),
            down: Vec::new(),
            uses_of: Vec::new(),
            uses: Vec::new(),
            failing: Vec::new(),
            fallen: VecDeque::new(),
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
        let mut obligations = Vec::new();
        loop {
            if self.next == self.level_end {
                self.propagate(meter)?;
                let all = self.next == self.table.len();
                if self.why[root as usize].is_some() && (all || self.levels >= self.rank_at) {
                    self.rank_all(meter)?;
                    let rank = self.rank[root as usize];
                    if rank <= self.levels {
                        return Ok(Some(false));
                    }
                    // Not after every level, or ranking would cost more than the levels.
                    self.rank_at = rank.min(self.levels + self.levels / 4 + 1);
                }
                if self.next == self.table.len() {
                    return Ok(Some(self.why[root as usize].is_none()));
                }
                self.levels += 1;
                self.level_end = self.table.len();
            }
            self.look_at(game, self.next as u32, &mut obligations, meter)?;
            self.next += 1;
            meter.tick(Spender::Solver, self.bytes(), self.looked_at)?;
            if meter.spent() >= until {
                return Ok(None);
            }
        }
    }

    /// Whether a pair may be looked at.
    fn counts(&self, pair: Pair) -> bool {
        self.within.is_none_or(|within| within.refuted(pair).is_some())
    }

    fn meet(&mut self, pair: Pair) -> u32 {
        let (number, new) = self.table.insert(pair);
        if new {
            self.why.push(None);
            self.rank.push(0);
            self.uses_of.push(NONE);
        }
        number
    }

    fn look_at(
        &mut self,
        game: &mut Game<'_, '_>,
        owner: u32,
        obligations: &mut Vec<Obligation>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<(), Limit> {
        self.looked_at += 1;
        let pair = self.table.pair(owner);
        game.obligations(pair, obligations, meter)?;
        for &obligation in &*obligations {
            if obligation.len == 0 {
                self.failing.push((owner, obligation.code()));
                self.refute(owner, obligation.code(), 1);
                return Ok(());
            }
            let (duty, len) = (self.duties.len() as u32, obligation.len);
            let refutable = |k: u32| game.candidate(pair, obligation, k).pairs().any(|met| self.counts(met));
            if self.within.is_some() && !(0..len).all(refutable) {
                continue;
            }
            self.duties.push(Duty { owner, code: obligation.code(), len, up: len });
            for k in 0..len {
                let candidate = self.down.len() as u32;
                self.down.push(false);
                for met in game.candidate(pair, obligation, k).pairs() {
                    if !self.counts(met) {
                        continue;
                    }
                    let met = self.meet(met);
                    let next = self.uses_of[met as usize];
                    self.uses_of[met as usize] = self.uses.len() as u32;
                    self.uses.push(Use { duty, candidate, next });
                    if self.why[met as usize].is_some() {
                        self.lower(duty, candidate, self.rank[met as usize]);
                    }
                }
            }
        }
        Ok(())
    }

    fn refute(&mut self, pair: u32, code: u32, rank: u32) {
        if self.why[pair as usize].is_none() {
            self.rank[pair as usize] = rank;
            self.why[pair as usize] = Some(Refuted { code, stamp: self.stamp });
            self.stamp += 1;
            self.fallen.push_back(pair);
        }
    }

    /// A candidate is refuted, by a pair of this rank.
    fn lower(&mut self, duty: u32, candidate: u32, rank: u32) {
        if !std::mem::replace(&mut self.down[candidate as usize], true) {
            let Duty { owner, code, up, .. } = &mut self.duties[duty as usize];
            *up -= 1;
            if *up == 0 {
                let (owner, code) = (*owner, *code);
                self.refute(owner, code, rank + 1);
            }
        }
    }

    fn propagate(&mut self, meter: &mut Meter<'_, '_>) -> Result<(), Limit> {
        while let Some(pair) = self.fallen.pop_front() {
            let mut at = self.uses_of[pair as usize];
            while at != NONE {
                let Use { duty, candidate, next } = self.uses[at as usize];
                self.lower(duty, candidate, self.rank[pair as usize]);
                at = next;
                meter.work(1)?;
            }
        }
        Ok(())
    }

    /// All refutations anew, first in first out: then they come by rank.
    fn rank_all(&mut self, meter: &mut Meter<'_, '_>) -> Result<(), Limit> {
        meter.work(self.why.len() + self.down.len() + self.duties.len())?;
        self.why.fill(None);
        self.down.fill(false);
        self.duties.iter_mut().for_each(|duty| duty.up = duty.len);
        self.stamp = 0;
        for (pair, code) in self.failing.clone() {
            self.refute(pair, code, 1);
        }
        self.propagate(meter)
    }

    fn bytes(&self) -> usize {
        self.table.bytes()
            + size_of::<Option<Refuted>>() * self.why.capacity()
            + size_of::<Duty>() * self.duties.capacity()
            + self.down.capacity()
            + 4 * (self.uses_of.capacity() + self.rank.capacity())
            + size_of::<Use>() * self.uses.capacity()
            + 8 * self.failing.capacity()
    }
}

impl Refutations for Shortest<'_> {
    fn refuted(&self, pair: Pair) -> Option<Refuted> {
        self.why[self.table.find(pair)? as usize]
    }
}
