//! The shallowest refutation there is, by rank.
//!
//! As in [`crate::watched`], one value is assumed of all vertices. The rank of a vertex that has the other one is the round of the fixpoint iteration
//! that refutes it: 1 for those that fail by themselves, and
//!
//! ```text
//! rank(v)  =  1 + min over obligations  max over candidates  min over their vertices  rank(v')
//! ```
//!
//! which is, of a pair of states, the least number of exchanges after which a mover who plays well has won (k in the papers' R_k, and the depth
//! of the least distinguishing formula). A refutation of rank k lies within distance k - 1 of the root, along *any*
//! candidates. So vertices are made level by level, with all their candidates and not only those that a proof would need, and
//! refutations are propagated after each level. When the root is refuted, all ranks are computed anew, in rounds. That of the
//! root is then right if no deeper level could lower it; a refutation that goes around in few vertices may be longer than one
//! that goes deeper, so the levels go on until the rank is no more than their number. This costs more than
//! [watched candidates](crate::watched), which looks at few candidates; it is for those who want to read the answer.

use crate::below::Turn;
use crate::refutation::{Refutations, Refuted};
use crate::table::{Table, Vertex};
use crate::{Game, Obligation};
use std::collections::VecDeque;

/// The solver. Ranks stay, for diagnoses.
pub struct Shortest<'r, V: Vertex> {
    /// What is assumed.
    value: bool,
    /// Another solver that has refuted the root: then only vertices that it has refuted are looked at.
    within: Option<&'r dyn Refutations<V>>,
    table: V::Table,
    /// The vertices before this one have been looked at, and those before that one are on levels before the present one.
    next: usize,
    level_end: usize,
    levels: u32,
    /// After how many levels ranks are computed next.
    rank_at: u32,
    /// Why vertices are refuted; the stamps ascend with the ranks.
    why: Vec<Option<Refuted>>,
    rank: Vec<u32>,
    duties: Vec<Duty>,
    /// Whether a candidate is refuted.
    down: Vec<bool>,
    /// Per vertex, the first of the candidates it occurs in.
    uses_of: Vec<u32>,
    uses: Vec<Use>,
    /// Obligations without candidates, and their vertices.
    failing: Vec<(u32, u32)>,
    fallen: VecDeque<u32>,
    stamp: u32,
    looked_at: u64,
    /// The bytes that were accounted last.
    noted: usize,
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

impl<'r, V: Vertex> Shortest<'r, V> {
    /// Assumes this value, which must be the one of cycles, and finds a shallowest refutation; `within` those that another solver has found, if there is one.
    pub fn new(value: bool, within: Option<&'r dyn Refutations<V>>) -> Self {
        Self {
            value,
            within,
            table: V::Table::new(),
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
            noted: 0,
        }
    }

    /// Vertices looked at.
    pub fn looked_at(&self) -> u64 {
        self.looked_at
    }

    /// Whether the root has the assumed value, if that is found out before so much work is done in all.
    ///
    /// # Errors
    /// If something ran out.
    pub fn solve<G: Game<Vertex = V>>(
        &mut self,
        game: &mut G,
        root: V,
        until: u64,
    ) -> Result<Turn<V>, G::Stop> {
        let root = self.meet(root);
        let mut obligations = Vec::new();
        loop {
            if self.next == self.level_end {
                self.propagate(game)?;
                let all = self.next == self.table.len();
                if self.why[root as usize].is_some() && (all || self.levels >= self.rank_at) {
                    self.rank_all(game)?;
                    let rank = self.rank[root as usize];
                    if rank <= self.levels {
                        return Ok(Turn::Refuted);
                    }
                    // Not after every level, or ranking would cost more than the levels.
                    self.rank_at = rank.min(self.levels + self.levels / 4 + 1);
                }
                if self.next == self.table.len() {
                    return Ok(match self.why[root as usize] {
                        None => Turn::Holds,
                        Some(_) => Turn::Refuted,
                    });
                }
                self.levels += 1;
                self.level_end = self.table.len();
            }
            self.look_at(game, self.next as u32, &mut obligations)?;
            self.next += 1;
            self.noted = self.bytes();
            game.occupy(self.noted, self.looked_at)?;
            if game.spent() >= until {
                return Ok(Turn::Paused);
            }
        }
    }

    /// Whether a vertex may be looked at.
    fn counts(&self, vertex: V) -> bool {
        self.within.is_none_or(|within| within.refuted(vertex).is_some())
    }

    fn meet(&mut self, vertex: V) -> u32 {
        let (number, new) = self.table.insert(vertex);
        if new {
            self.why.push(None);
            self.rank.push(0);
            self.uses_of.push(NONE);
        }
        number
    }

    /// Takes note of tables that have grown while one vertex is looked at: all its candidates are kept, and there may be as many as obligations
    /// times answers.
    fn note<G: Game<Vertex = V>>(&mut self, game: &mut G) -> Result<(), G::Stop> {
        let bytes = self.bytes();
        if bytes <= self.noted {
            return Ok(());
        }
        self.noted = bytes;
        game.occupy(bytes, self.looked_at)
    }

    fn look_at<G: Game<Vertex = V>>(
        &mut self,
        game: &mut G,
        owner: u32,
        obligations: &mut Vec<Obligation>,
    ) -> Result<(), G::Stop> {
        self.looked_at += 1;
        let vertex = self.table.vertex(owner);
        game.obligations(vertex, self.value, obligations)?;
        for &obligation in &*obligations {
            if obligation.len == 0 {
                self.failing.push((owner, obligation.code));
                self.refute(owner, obligation.code, 1);
                return Ok(());
            }
            let (duty, len) = (self.duties.len() as u32, obligation.len);
            let refutable = |k: u32| {
                let candidate = game.candidate(vertex, obligation, k);
                candidate.is_none_or(|candidate| candidate.vertices().any(|met| self.counts(met)))
            };
            if self.within.is_some() && !(0..len).all(refutable) {
                continue;
            }
            self.duties.push(Duty { owner, code: obligation.code, len, up: len });
            let mut holes = 0;
            for k in 0..len {
                let Some(found) = game.candidate(vertex, obligation, k) else {
                    holes += 1;
                    continue;
                };
                self.note(game)?;
                let candidate = self.down.len() as u32;
                self.down.push(false);
                for met in found.vertices() {
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
            if holes > 0 {
                // Numbers that stand for nothing.
                let Duty { len, up, .. } = &mut self.duties[duty as usize];
                (*len, *up) = (*len - holes, *up - holes);
                if *len == 0 {
                    self.failing.push((owner, obligation.code));
                }
                if *up == 0 {
                    self.refute(owner, obligation.code, 1);
                }
            }
        }
        Ok(())
    }

    fn refute(&mut self, vertex: u32, code: u32, rank: u32) {
        if self.why[vertex as usize].is_none() {
            self.rank[vertex as usize] = rank;
            self.why[vertex as usize] = Some(Refuted { code, stamp: self.stamp });
            self.stamp += 1;
            self.fallen.push_back(vertex);
        }
    }

    /// A candidate is refuted, by a vertex of this rank.
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

    fn propagate<G: Game<Vertex = V>>(&mut self, game: &mut G) -> Result<(), G::Stop> {
        while let Some(vertex) = self.fallen.pop_front() {
            let mut at = self.uses_of[vertex as usize];
            while at != NONE {
                let Use { duty, candidate, next } = self.uses[at as usize];
                self.lower(duty, candidate, self.rank[vertex as usize]);
                at = next;
                game.work(1)?;
            }
        }
        Ok(())
    }

    /// All refutations anew, first in first out: then they come by rank.
    fn rank_all<G: Game<Vertex = V>>(&mut self, game: &mut G) -> Result<(), G::Stop> {
        game.work(self.why.len() + self.down.len() + self.duties.len())?;
        self.why.fill(None);
        self.down.fill(false);
        self.duties.iter_mut().for_each(|duty| duty.up = duty.len);
        self.stamp = 0;
        for (vertex, code) in self.failing.clone() {
            self.refute(vertex, code, 1);
        }
        self.propagate(game)
    }

    /// Bytes that it occupies.
    pub fn bytes(&self) -> usize {
        self.table.bytes()
            + size_of::<Option<Refuted>>() * self.why.capacity()
            + size_of::<Duty>() * self.duties.capacity()
            + self.down.capacity()
            + 4 * (self.uses_of.capacity() + self.rank.capacity() + self.fallen.capacity())
            + size_of::<Use>() * self.uses.capacity()
            // These are copied when ranks are computed.
            + 16 * self.failing.capacity()
    }
}

impl<V: Vertex> Refutations<V> for Shortest<'_, V> {
    fn refuted(&self, vertex: V) -> Option<Refuted> {
        self.why[self.table.find(vertex)? as usize]
    }
}
