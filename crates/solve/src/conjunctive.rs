//! Plain reachability of a vertex that fails, as long as nothing has to be chosen.
//!
//! The papers' deterministic case (equivalences-on-the-fly-1991, Proposition 3.2) asks for a side that is deterministic as
//! a whole, and means its actions where it should mean the languages of the relation: a side may be deterministic and
//! still reach two states with tau*.a. Here the premise is looked at vertex by vertex: a vertex is
//! *conjunctive* if each obligation with several candidates has one among them that other obligations, with no choice,
//! demand anyway. (A label with at most one target on one of two sides that both challenge, or on the right one if only the
//! left one challenges, is a special case; so are the blocks of a formula that are all conjunctions, and those that are all disjunctions when they are asked
//! about being false.) A conjunctive vertex has the assumed value if and only if it does not fail and all that
//! it demands have it. So if all vertices met are conjunctive, the root has the value if and only if no failing vertex is
//! reachable, and the path to one explains it. At the first vertex that
//! is not, this engine gives up ([`Turn::Choice`]), and [`crate::watched`] takes over.
//!
//! Nothing is kept of a vertex but that it was met and from where: no obligations and no dependencies. With a set of marks that may be wrong it is
//! a few bits ([`by_marks`]), as the 1991 paper suggests; then a failing vertex that is found is one, and that none is found proves nothing.

use crate::below::{Below, Turn, Whose};
use crate::order::Order;
use crate::refutation::{Refutations, Refuted};
use crate::table::{Table, Vertex};
use crate::{Game, Obligation};
use std::collections::VecDeque;

/// The path to a failing vertex.
pub struct Chain<V: Vertex> {
    /// The failing one first.
    vertices: V::Table,
    /// By the number of a vertex: the obligation that failed.
    codes: Vec<u32>,
}

impl<V: Vertex> Chain<V> {
    /// From vertices with the obligation that leads to the next, the failing one first. No vertex is there twice.
    fn new(path: impl IntoIterator<Item = (V, u32)>) -> Self {
        let (mut vertices, mut codes) = (V::Table::new(), Vec::new());
        for (vertex, code) in path {
            let (_, new) = vertices.insert(vertex);
            debug_assert!(new);
            codes.push(code);
        }
        Self { vertices, codes }
    }

    /// The vertices, from the root to the failing one.
    pub fn way(&self) -> Vec<V> {
        (0..self.vertices.len() as u32).rev().map(|number| self.vertices.vertex(number)).collect()
    }
}

impl<V: Vertex> Refutations<V> for Chain<V> {
    fn refuted(&self, vertex: V) -> Option<Refuted> {
        let number = self.vertices.find(vertex)?;
        Some(Refuted { code: self.codes[number as usize], stamp: number })
    }
}

/// What a vertex demands: the obligations that leave no choice, and the vertices that meet them.
struct Demands<V> {
    obligations: Vec<Obligation>,
    vertices: Vec<(V, u32)>,
    sorted: Vec<V>,
}

/// What looking at one vertex gave.
enum Look {
    Fails(u32),
    Choice,
    Demands,
}

impl<V: Vertex> Demands<V> {
    fn new() -> Self {
        Self { obligations: Vec::new(), vertices: Vec::new(), sorted: Vec::new() }
    }

    fn bytes(&self) -> usize {
        size_of::<Obligation>() * self.obligations.capacity()
            + size_of::<(V, u32)>() * self.vertices.capacity()
            + size_of::<V>() * self.sorted.capacity()
    }

    fn of<G: Game<Vertex = V>>(&mut self, game: &mut G, vertex: V, value: bool) -> Result<Look, G::Stop> {
        game.obligations(vertex, value, &mut self.obligations)?;
        self.vertices.clear();
        let mut several = false;
        for &obligation in &self.obligations {
            match obligation.len {
                0 => return Ok(Look::Fails(obligation.code)),
                1 => {
                    let Some(candidate) = game.candidate(vertex, obligation, 0) else {
                        return Ok(Look::Fails(obligation.code));
                    };
                    self.vertices.extend(candidate.vertices().map(|met| (met, obligation.code)));
                }
                _ => several = true,
            }
        }
        if !several {
            return Ok(Look::Demands);
        }
        self.sorted.clear();
        self.sorted.extend(self.vertices.iter().map(|&(met, _)| met));
        self.sorted.sort_unstable();
        let demanded = |met: V| met == vertex || self.sorted.binary_search(&met).is_ok();
        let implied = |obligation: &Obligation| {
            (0..obligation.len).any(|k| {
                let candidate = game.candidate(vertex, *obligation, k);
                candidate.is_some_and(|candidate| candidate.vertices().all(demanded))
            })
        };
        let choice = self.obligations.iter().any(|obligation| obligation.len > 1 && !implied(obligation));
        Ok(if choice { Look::Choice } else { Look::Demands })
    }
}

/// The walk with every vertex remembered.
pub struct Conjunctive<V: Vertex> {
    /// What is assumed.
    value: bool,
    order: Order,
    table: V::Table,
    /// Per vertex, from where it was met, and by which obligation.
    parents: Vec<(u32, u32)>,
    waiting: VecDeque<u32>,
    demands: Demands<V>,
    /// A vertex that demands the value of one of another block, and which of its demands that is.
    interrupted: Option<(u32, usize)>,
    /// The vertex that failed, and the obligation.
    failed: Option<(u32, u32)>,
    looked_at: u64,
}

impl<V: Vertex> Conjunctive<V> {
    /// Assumes this value, which must be the one of cycles.
    pub fn new(value: bool, order: Order) -> Self {
        Self {
            value,
            order,
            table: V::Table::new(),
            parents: Vec::new(),
            waiting: VecDeque::new(),
            demands: Demands::new(),
            interrupted: None,
            failed: None,
            looked_at: 0,
        }
    }

    /// Vertices looked at.
    pub fn looked_at(&self) -> u64 {
        self.looked_at
    }

    /// Whether a vertex was met.
    pub fn was_met(&self, vertex: V) -> bool {
        self.table.find(vertex).is_some()
    }

    /// Whether all vertices were looked at breadth first: then no failing one is nearer than the one that was found.
    pub fn is_breadth_first(&self) -> bool {
        self.order.is_breadth_first(self.looked_at)
    }

    /// Bytes that it occupies.
    pub fn bytes(&self) -> usize {
        self.table.bytes() + 8 * self.parents.capacity() + 4 * self.waiting.capacity() + self.demands.bytes()
    }

    /// How the walk ends, if it does before so much work is done in all. There is one root.
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
        if self.table.insert(root).1 {
            self.parents.push((0, 0));
            self.waiting.push_back(0);
        }
        loop {
            let (number, first) = match self.interrupted.take() {
                Some(interrupted) => interrupted,
                None => {
                    let Some(number) = self.order.next(&mut self.waiting, self.looked_at) else { break };
                    self.looked_at += 1;
                    match self.demands.of(game, self.table.vertex(number), self.value)? {
                        Look::Choice => return Ok(Turn::Choice),
                        Look::Fails(code) => {
                            self.failed = Some((number, code));
                            return Ok(Turn::Refuted);
                        }
                        Look::Demands => (number, 0),
                    }
                }
            };
            for at in first..self.demands.vertices.len() {
                let (vertex, code) = self.demands.vertices[at];
                match below.of(game, vertex) {
                    Whose::Own => {
                        let (met, new) = self.table.insert(vertex);
                        if new {
                            self.parents.push((number, code));
                            self.waiting.push_back(met);
                        }
                    }
                    Whose::Other(Some(value)) if value == self.value => {}
                    Whose::Other(Some(_)) => {
                        self.failed = Some((number, code));
                        return Ok(Turn::Refuted);
                    }
                    Whose::Other(None) => {
                        self.interrupted = Some((number, at));
                        return Ok(Turn::Needs(vertex));
                    }
                }
                if at % 1024 == 1023 {
                    game.occupy(self.bytes() + below.bytes(), self.looked_at)?;
                }
            }
            game.occupy(self.bytes() + below.bytes(), self.looked_at)?;
            if game.spent() >= until {
                return Ok(Turn::Paused);
            }
        }
        Ok(Turn::Holds)
    }

    /// The path from the root to the vertex that failed, if one did.
    pub fn chain(&self) -> Option<Chain<V>> {
        let (mut number, code) = self.failed?;
        let mut path = vec![(self.table.vertex(number), code)];
        while number != 0 {
            let (parent, code) = self.parents[number as usize];
            path.push((self.table.vertex(parent), code));
            number = parent;
        }
        Some(Chain::new(path))
    }
}

/// How a walk with marks ended.
pub enum Marked<V: Vertex> {
    /// No vertex that fails was met: as sure as the marks are.
    Holds,
    /// One was.
    Refuted(Chain<V>),
    /// There is something to be chosen.
    Choice,
}

/// The walk with a set of marks instead of a table, depth first: the path is kept exactly. `mark` adds a vertex and says whether it is new; it may be wrong
/// about one that is. The marks occupy so many bytes. Returns the vertices looked at as well.
///
/// # Errors
/// If something ran out.
pub fn by_marks<G: Game>(
    game: &mut G,
    root: G::Vertex,
    value: bool,
    mut mark: impl FnMut(G::Vertex) -> Result<bool, G::Stop>,
    marks_bytes: usize,
) -> Result<(Marked<G::Vertex>, u64), G::Stop> {
    struct Frame<V> {
        vertex: V,
        /// The obligation that leads to the next vertex of the path.
        code: u32,
        /// Demanded and not yet followed.
        demanded: Vec<(V, u32)>,
    }
    let mut demands = Demands::new();
    let (mut path, mut enter, mut looked_at) = (Vec::<Frame<G::Vertex>>::new(), Some(root), 0);
    let bytes_of = |path: &Vec<Frame<G::Vertex>>| {
        path.iter().map(|frame| 32 + 12 * frame.demanded.capacity()).sum::<usize>()
    };
    loop {
        if let Some(vertex) = enter.take() {
            looked_at += 1;
            match demands.of(game, vertex, value)? {
                Look::Choice => return Ok((Marked::Choice, looked_at)),
                Look::Fails(code) => {
                    let before = path.iter().rev().map(|frame| (frame.vertex, frame.code));
                    let chain = Chain::new([(vertex, code)].into_iter().chain(before));
                    return Ok((Marked::Refuted(chain), looked_at));
                }
                Look::Demands => path.push(Frame { vertex, code: 0, demanded: demands.vertices.clone() }),
            }
            let path_bytes = if looked_at % 256 == 0 { bytes_of(&path) } else { 0 };
            game.occupy(marks_bytes + path_bytes, looked_at)?;
        }
        let Some(frame) = path.last_mut() else { return Ok((Marked::Holds, looked_at)) };
        let Some((vertex, code)) = frame.demanded.pop() else {
            path.pop();
            continue;
        };
        if vertex != root && mark(vertex)? {
            frame.code = code;
            enter = Some(vertex);
        }
    }
}
