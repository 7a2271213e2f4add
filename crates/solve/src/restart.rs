//! The papers' own algorithm, mended: depth-first passes that store no dependencies, for bounded memory.
//!
//! equivalences-on-the-fly-1991, section 4 (and on-the-fly-verification-1993, 4.2), where a vertex is a pair of states, and the assumed value is that they are related: a depth-first search takes a pair that
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

use crate::refutation::{Refutations, Refuted};
use crate::table::{Cache, Table, Vertex};
use crate::{Game, Obligation};
use std::collections::HashMap;

/// The solver. W stays, for diagnoses.
pub struct Restart<V: Vertex> {
    /// What is assumed.
    value: bool,
    /// The vertices known not to have the assumed value.
    w: HashMap<V, Refuted>,
    /// The vertices of the path, and whether each was taken to have it while on it: St and R.
    on_path: HashMap<V, bool>,
    v: Visited<V>,
    passes: u64,
    looked_at: u64,
    /// Bytes that frames of the path hold.
    path_bytes: usize,
}

/// The vertices that were found to have the value in this pass, under its assumptions.
enum Visited<V: Vertex> {
    All(V::Table),
    Some(Cache<V>),
}

/// A vertex of the path.
struct Frame<V> {
    vertex: V,
    obligations: Vec<Obligation>,
    /// The obligation, the candidate and the vertex of the candidate that is looked at.
    obligation: usize,
    candidate: u32,
    part: usize,
}

/// What is known of a vertex.
enum Known {
    Assumed,
    Refuted,
    Nothing,
}

impl<V: Vertex> Restart<V> {
    /// Assumes this value, which must be the one of cycles. V with all vertices, or with as many as fit into so many bytes.
    pub fn new(value: bool, cache: Option<usize>) -> Self {
        let v = match cache {
            None => Visited::All(V::Table::new()),
            Some(bytes) => Visited::Some(Cache::new(bytes)),
        };
        Self { value, w: HashMap::new(), on_path: HashMap::new(), v, passes: 0, looked_at: 0, path_bytes: 0 }
    }

    /// Vertices looked at, again in each pass.
    pub fn looked_at(&self) -> u64 {
        self.looked_at
    }

    /// Depth-first searches made.
    pub fn passes(&self) -> u64 {
        self.passes
    }

    /// Vertices that V had to forget.
    pub fn forgotten(&self) -> u64 {
        match &self.v {
            Visited::All(_) => 0,
            Visited::Some(cache) => cache.forgotten,
        }
    }

    /// Whether the root has the assumed value.
    ///
    /// # Errors
    /// If something ran out.
    pub fn solve<G: Game<Vertex = V>>(&mut self, game: &mut G, root: V) -> Result<bool, G::Stop> {
        loop {
            self.passes += 1;
            let stable = self.pass(game, root)?;
            if self.w.contains_key(&root) {
                return Ok(false);
            }
            if stable {
                return Ok(true);
            }
        }
    }

    /// One depth-first search; whether no assumption was wrong.
    fn pass<G: Game<Vertex = V>>(&mut self, game: &mut G, root: V) -> Result<bool, G::Stop> {
        let mut stable = true;
        match &mut self.v {
            Visited::All(table) => *table = V::Table::new(),
            Visited::Some(cache) => cache.clear(),
        }
        let mut path = vec![self.enter(game, root)?];
        while let Some(frame) = path.last_mut() {
            match self.advance(game, frame) {
                Step::Enter(vertex) => {
                    let frame = self.enter(game, vertex)?;
                    path.push(frame);
                    game.occupy(self.bytes(path.capacity()), self.looked_at)?;
                }
                Step::Leave(failed) => {
                    let Frame { vertex, obligations, .. } = path.pop().expect("it is being left");
                    self.path_bytes -= size_of::<Obligation>() * obligations.capacity();
                    let assumed = self.on_path.remove(&vertex).expect("it was on the path");
                    if let Some(obligation) = failed {
                        let stamp =
                            u32::try_from(self.w.len()).expect("fewer vertices than 2^32 fit into memory");
                        self.w.insert(vertex, Refuted { code: obligation.code, stamp });
                        stable &= !assumed;
                    } else {
                        match &mut self.v {
                            Visited::All(table) => {
                                table.insert(vertex);
                            }
                            Visited::Some(cache) => cache.insert(vertex),
                        }
                    }
                    game.occupy(self.bytes(path.capacity()), self.looked_at)?;
                }
            }
        }
        Ok(stable)
    }

    fn enter<G: Game<Vertex = V>>(&mut self, game: &mut G, vertex: V) -> Result<Frame<V>, G::Stop> {
        self.looked_at += 1;
        self.on_path.insert(vertex, false);
        let mut obligations = Vec::new();
        game.obligations(vertex, self.value, &mut obligations)?;
        self.path_bytes += size_of::<Obligation>() * obligations.capacity();
        Ok(Frame { vertex, obligations, obligation: 0, candidate: 0, part: 0 })
    }

    /// Goes on with a vertex: to another that has to be looked at first, or to its end.
    fn advance<G: Game<Vertex = V>>(&mut self, game: &G, frame: &mut Frame<V>) -> Step<V> {
        while let Some(&obligation) = frame.obligations.get(frame.obligation) {
            if frame.candidate == obligation.len {
                return Step::Leave(Some(obligation));
            }
            let Some(candidate) = game.candidate(frame.vertex, obligation, frame.candidate) else {
                frame.candidate += 1;
                continue;
            };
            match candidate.vertices().nth(frame.part) {
                None => {
                    frame.obligation += 1;
                    (frame.candidate, frame.part) = (0, 0);
                }
                Some(vertex) => match self.known(vertex) {
                    Known::Assumed => frame.part += 1,
                    Known::Refuted => {
                        frame.candidate += 1;
                        frame.part = 0;
                    }
                    Known::Nothing => return Step::Enter(vertex),
                },
            }
        }
        Step::Leave(None)
    }

    /// What is known of a vertex; one of the path is taken to have the assumed value, and that this was done is noted.
    fn known(&mut self, vertex: V) -> Known {
        if self.w.contains_key(&vertex) {
            return Known::Refuted;
        }
        if let Some(assumed) = self.on_path.get_mut(&vertex) {
            *assumed = true;
            return Known::Assumed;
        }
        let visited = match &self.v {
            Visited::All(table) => table.find(vertex).is_some(),
            Visited::Some(cache) => cache.contains(vertex),
        };
        if visited { Known::Assumed } else { Known::Nothing }
    }

    fn bytes(&self, frames: usize) -> usize {
        let v = match &self.v {
            Visited::All(table) => table.bytes(),
            Visited::Some(cache) => cache.bytes(),
        };
        // Hash tables have room for an eighth more than they say, and a byte for each place.
        v + (size_of::<(V, Refuted)>() + 1) * self.w.capacity() / 7 * 8
            + (size_of::<(V, bool)>() + 1) * self.on_path.capacity() / 7 * 8
            + frames * size_of::<Frame<V>>()
            + self.path_bytes
    }
}

enum Step<V> {
    /// Nothing is known of this vertex.
    Enter(V),
    /// All obligations are met, or this one is not.
    Leave(Option<Obligation>),
}

impl<V: Vertex> Refutations<V> for Restart<V> {
    fn refuted(&self, vertex: V) -> Option<Refuted> {
        self.w.get(&vertex).copied()
    }
}
