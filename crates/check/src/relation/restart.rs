//! The papers' own algorithm, mended: depth-first passes that store no dependencies, for bounded memory.
//!
//! equivalences-on-the-fly-1991, section 4 (and on-the-fly-verification-1993, 4.2): a depth-first search takes a pair that
//! it meets on its own stack to be related; if that pair is then found not to be, what was concluded from it is worth
//! nothing, and another pass is made, with the pairs known not to be related (W) kept. Each such pass makes W larger, so
//! there is a last one. What is different from the printed text, which accepts unrelated systems (`docs/papers.md`, errata):
//!
//! - `stable` is set once per pass, not in every step (so that a wrong assumption is not forgotten);
//! - what is ticked is an obligation, of a side, a label and a target, and not a target alone;
//! - the root may fail like any other pair, and failing pairs go into W too, with the obligation that failed;
//! - obligations with two pairs per candidate (branching) are met when both are;
//! - obligations that are met are not looked at again, and those of a pair that has failed neither.
//!
//! W must be exact, or the passes would not end; R, the assumptions made, must be exact, or wrong ones would go unnoticed.
//! V, the pairs taken to be related in this pass, may forget: the pairs that were ever ticked in a pass without a wrong
//! assumption support each other, whether or not one was forgotten and looked at again. It must not invent, so there is no
//! bitstate variant. "Not related" is right in every pass, since assumptions only make too much related; but it is not
//! reached in one pass always, as the paper says: there are families that need as many passes as they have pairs.

use super::game::{Game, Obligation, Pair};
use super::local::{Refutations, Refuted};
use super::meter::{Meter, Spender};
use super::table::{Cache, Table};
use elnath_kernel::Limit;
use std::collections::HashMap;

/// The solver. W stays, for diagnoses.
pub(crate) struct Restart {
    /// The pairs known not to be related.
    w: HashMap<Pair, Refuted>,
    /// The pairs of the path, and whether each was taken to be related while on it: St and R.
    on_path: HashMap<Pair, bool>,
    v: Visited,
    passes: u64,
    looked_at: u64,
    /// Bytes that frames of the path hold.
    path_bytes: usize,
}

/// The pairs that were found related in this pass, under its assumptions.
enum Visited {
    All(Table),
    Some(Cache),
}

/// A pair of the path.
struct Frame {
    pair: Pair,
    obligations: Vec<Obligation>,
    /// The obligation, the candidate and the pair of the candidate that is looked at.
    obligation: usize,
    candidate: u32,
    part: usize,
}

/// What is known of a pair.
enum Known {
    Related,
    NotRelated,
    Nothing,
}

impl Restart {
    /// V with all pairs, or with as many as fit into so many bytes.
    pub(crate) fn new(cache: Option<usize>) -> Self {
        let v = match cache {
            None => Visited::All(Table::new()),
            Some(bytes) => Visited::Some(Cache::new(bytes)),
        };
        Self { w: HashMap::new(), on_path: HashMap::new(), v, passes: 0, looked_at: 0, path_bytes: 0 }
    }

    /// Pairs looked at, again in each pass.
    pub(crate) fn pairs(&self) -> u64 {
        self.looked_at
    }

    /// Depth-first searches made.
    pub(crate) fn passes(&self) -> u64 {
        self.passes
    }

    /// Pairs that V had to forget.
    pub(crate) fn forgotten(&self) -> u64 {
        match &self.v {
            Visited::All(_) => 0,
            Visited::Some(cache) => cache.forgotten,
        }
    }

    /// Whether the root is related.
    pub(crate) fn solve(
        &mut self,
        game: &mut Game<'_, '_>,
        root: Pair,
        meter: &mut Meter<'_, '_>,
    ) -> Result<bool, Limit> {
        loop {
            self.passes += 1;
            let stable = self.pass(game, root, meter)?;
            if self.w.contains_key(&root) {
                return Ok(false);
            }
            if stable {
                return Ok(true);
            }
        }
    }

    /// One depth-first search; whether no assumption was wrong.
    fn pass(
        &mut self,
        game: &mut Game<'_, '_>,
        root: Pair,
        meter: &mut Meter<'_, '_>,
    ) -> Result<bool, Limit> {
        let mut stable = true;
        match &mut self.v {
            Visited::All(table) => *table = Table::new(),
            Visited::Some(cache) => cache.clear(),
        }
        let mut path = vec![self.enter(game, root, meter)?];
        while let Some(frame) = path.last_mut() {
            match self.advance(game, frame) {
                Step::Enter(pair) => {
                    let frame = self.enter(game, pair, meter)?;
                    path.push(frame);
                    meter.tick(Spender::Solver, self.bytes(path.capacity()), self.looked_at)?;
                }
                Step::Leave(failed) => {
                    let Frame { pair, obligations, .. } = path.pop().expect("it is being left");
                    self.path_bytes -= size_of::<Obligation>() * obligations.capacity();
                    let assumed = self.on_path.remove(&pair).expect("it was on the path");
                    if let Some(obligation) = failed {
                        let stamp = u32::try_from(self.w.len()).map_err(|_| Limit::Memory)?;
                        self.w.insert(pair, Refuted { code: obligation.code(), stamp });
                        stable &= !assumed;
                    } else {
                        match &mut self.v {
                            Visited::All(table) => {
                                table.insert(pair);
                            }
                            Visited::Some(cache) => cache.insert(pair),
                        }
                    }
                    meter.tick(Spender::Solver, self.bytes(path.capacity()), self.looked_at)?;
                }
            }
        }
        Ok(stable)
    }

    fn enter(
        &mut self,
        game: &mut Game<'_, '_>,
        pair: Pair,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Frame, Limit> {
        self.looked_at += 1;
        self.on_path.insert(pair, false);
        let mut obligations = Vec::new();
        game.obligations(pair, &mut obligations, meter)?;
        self.path_bytes += size_of::<Obligation>() * obligations.capacity();
        Ok(Frame { pair, obligations, obligation: 0, candidate: 0, part: 0 })
    }

    /// Goes on with a pair: to another that has to be looked at first, or to its end.
    fn advance(&mut self, game: &Game<'_, '_>, frame: &mut Frame) -> Step {
        while let Some(&obligation) = frame.obligations.get(frame.obligation) {
            if frame.candidate == obligation.len {
                return Step::Leave(Some(obligation));
            }
            let candidate = game.candidate(frame.pair, obligation, frame.candidate);
            match candidate.pairs().nth(frame.part) {
                None => {
                    frame.obligation += 1;
                    (frame.candidate, frame.part) = (0, 0);
                }
                Some(pair) => match self.known(pair) {
                    Known::Related => frame.part += 1,
                    Known::NotRelated => {
                        frame.candidate += 1;
                        frame.part = 0;
                    }
                    Known::Nothing => return Step::Enter(pair),
                },
            }
        }
        Step::Leave(None)
    }

    /// What is known of a pair; one of the path is taken to be related, and that this was done is noted.
    fn known(&mut self, pair: Pair) -> Known {
        if self.w.contains_key(&pair) {
            return Known::NotRelated;
        }
        if let Some(assumed) = self.on_path.get_mut(&pair) {
            *assumed = true;
            return Known::Related;
        }
        let visited = match &self.v {
            Visited::All(table) => table.find(pair).is_some(),
            Visited::Some(cache) => cache.contains(pair),
        };
        if visited { Known::Related } else { Known::Nothing }
    }

    fn bytes(&self, frames: usize) -> usize {
        let v = match &self.v {
            Visited::All(table) => table.bytes(),
            Visited::Some(cache) => cache.bytes(),
        };
        v + 18 * self.w.capacity()
            + 10 * self.on_path.capacity()
            + frames * size_of::<Frame>()
            + self.path_bytes
    }
}

enum Step {
    /// Nothing is known of this pair.
    Enter(Pair),
    /// All obligations are met, or this one is not.
    Leave(Option<Obligation>),
}

impl Refutations for Restart {
    fn refuted(&self, pair: Pair) -> Option<Refuted> {
        self.w.get(&pair).copied()
    }
}
