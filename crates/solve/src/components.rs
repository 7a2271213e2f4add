//! Depth first by components, for blocks in which one successor decides.
//!
//! A component lies within one block, so that all its cycles have one value (Tarjan 1972). In a block of disjunctions one true successor decides, in one of
//! conjunctions one false; so of both a vertex is asked what it needs to have the value that *decides*, which is a single obligation (Mateescu and Sighireanu 2003 tell
//! these cases apart):
//!
//! | cycles | what is done |
//! |---|---|
//! | do not decide ("can be reached") | one vertex that decides does so for all unfinished ones of the block, since they lead to it |
//! | decide ("can go on for ever") | so does an edge back into the path |
//!
//! A component that is complete and undecided has the other value. So no dependencies are kept: a vertex has one byte, and its order while it is open. Blocks
//! with both kinds of vertices are left to [`crate::watched`]: their first vertex is handed out ([`Turn::Needs`]).

use crate::below::Turn;
use crate::{Class, Game, Obligation, Rule};

const NEW: u8 = 0;
const OPEN: u8 = 1;
const FALSE: u8 = 2;
const TRUE: u8 = 3;

/// What is known of vertices: shared by the walks that follow each other.
#[derive(Debug, Default)]
pub(crate) struct Values {
    status: Vec<u8>,
    /// In which order open vertices were met.
    order: Vec<u32>,
    met: u32,
}

impl Values {
    pub(crate) fn value(&self, vertex: u32) -> Option<bool> {
        match self.status(vertex) {
            FALSE => Some(false),
            TRUE => Some(true),
            _ => None,
        }
    }

    pub(crate) fn was_met(&self, vertex: u32) -> bool {
        self.status(vertex) != NEW
    }

    pub(crate) fn decide(&mut self, vertex: u32, value: bool) {
        self.set(vertex, if value { TRUE } else { FALSE });
    }

    pub(crate) fn bytes(&self) -> usize {
        self.status.capacity() + 4 * self.order.capacity()
    }

    #[inline]
    fn status(&self, vertex: u32) -> u8 {
        self.status.get(vertex as usize).copied().unwrap_or(NEW)
    }

    #[inline]
    fn set(&mut self, vertex: u32, status: u8) {
        let at = vertex as usize;
        if at >= self.status.len() {
            self.grow(at);
        }
        self.status[at] = status;
    }

    #[cold]
    fn grow(&mut self, at: usize) {
        let length = (at + 1).max(self.status.len() * 3 / 2);
        self.status.resize(length, NEW);
    }

    fn open(&mut self, vertex: u32) {
        self.set(vertex, OPEN);
        let at = vertex as usize;
        if at >= self.order.len() {
            self.order.resize(self.status.len(), 0);
        }
        self.order[at] = self.met;
        self.met += 1;
    }
}

/// A vertex of the path.
struct Frame {
    vertex: u32,
    class: Class,
    /// The value that decides, and whether cycles have it.
    decisive: bool,
    cycles_decide: bool,
    /// What it needs to have it, and which candidate comes next.
    obligation: Obligation,
    next: u32,
    /// The first open vertex that it leads to.
    low: u32,
    /// Where it lies on the stack of open vertices.
    base: usize,
}

/// One walk, from a vertex without a value.
#[derive(Default)]
pub(crate) struct Walk {
    enter: Option<u32>,
    path: Vec<Frame>,
    /// The open vertices, in the order in which they were met.
    open: Vec<u32>,
    obligations: Vec<Obligation>,
}

impl Walk {
    pub(crate) fn begin(&mut self, root: u32) {
        debug_assert!(self.path.is_empty() && self.open.is_empty());
        self.enter = Some(root);
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of::<Frame>() * self.path.capacity() + 4 * self.open.capacity()
    }

    /// Goes on until the root has a value, or the value of a vertex of another kind of block is needed. `others` says who
    /// looks at a vertex that was not met: that of the second class, which one of the first leads to.
    pub(crate) fn go<G: Game<Vertex = u32>>(
        &mut self,
        game: &mut G,
        values: &mut Values,
        looked_at: &mut u64,
        beside: usize,
        others: impl Fn(&Class, &Class, u32) -> Other,
    ) -> Result<Turn<u32>, G::Stop> {
        loop {
            if let Some(vertex) = self.enter.take() {
                *looked_at += 1;
                game.occupy(values.bytes() + self.bytes() + beside, *looked_at)?;
                self.look_at(game, values, vertex)?;
            }
            let Some(frame) = self.path.last_mut() else { return Ok(Turn::Holds) };
            if frame.next == frame.obligation.len {
                self.finish(values);
                continue;
            }
            let (obligation, number, vertex) = (frame.obligation, frame.next, frame.vertex);
            frame.next += 1;
            let Some(candidate) = game.candidate(vertex, obligation, number) else { continue };
            let to = candidate.target;
            match values.status(to) {
                OPEN if frame.cycles_decide => self.overwhelm(values),
                OPEN => frame.low = frame.low.min(values.order[to as usize]),
                NEW => {
                    let class = game.class(to);
                    match others(&frame.class, &class, to) {
                        Other::Mine => self.enter = Some(to),
                        Other::Known(value) if value == frame.decisive => self.overwhelm(values),
                        Other::Known(_) => {}
                        Other::Needed => {
                            frame.next -= 1;
                            return Ok(Turn::Needs(to));
                        }
                    }
                }
                known if (known == TRUE) == frame.decisive => self.overwhelm(values),
                _ => {}
            }
        }
    }

    /// A vertex joins the path, unless it has a value by itself.
    fn look_at<G: Game<Vertex = u32>>(
        &mut self,
        game: &mut G,
        values: &mut Values,
        vertex: u32,
    ) -> Result<(), G::Stop> {
        let class = game.class(vertex);
        let (mut decisive, cycles_decide) = match class.rule {
            Rule::SomeOf(cycle) => (true, cycle),
            Rule::AllOf(cycle) => (false, !cycle),
            _ => (true, false),
        };
        game.obligations(vertex, decisive, &mut self.obligations)?;
        if self.obligations.len() > 1 {
            // A conjunction, which nothing depends on in a circle.
            decisive = false;
            game.obligations(vertex, decisive, &mut self.obligations)?;
        }
        let obligation = match self.obligations[..] {
            [] => {
                self.known(values, vertex, decisive);
                return Ok(());
            }
            [Obligation { len: 0, .. }] => {
                self.known(values, vertex, !decisive);
                return Ok(());
            }
            [obligation] => obligation,
            _ => unreachable!("a vertex is a conjunction or a disjunction"),
        };
        values.open(vertex);
        let low = values.order[vertex as usize];
        let base = self.open.len();
        self.open.push(vertex);
        self.path.push(Frame { vertex, class, decisive, cycles_decide, obligation, next: 0, low, base });
        Ok(())
    }

    /// A vertex that was looked at has a value without joining the path. Whoever led to it looks at it again.
    fn known(&mut self, values: &mut Values, vertex: u32, value: bool) {
        values.decide(vertex, value);
        if let Some(frame) = self.path.last_mut() {
            frame.next -= 1;
        }
    }

    /// The last vertex of the path has the value that decides, and so have all open ones of its block: they lead to it.
    fn overwhelm(&mut self, values: &mut Values) {
        let last = self.path.last_mut().expect("it has a successor");
        let (block, decisive) = (last.class.block, last.decisive);
        while self.path.last().is_some_and(|frame| frame.class.block == block) {
            let frame = self.path.pop().expect("it is there");
            for &vertex in &self.open[frame.base..] {
                values.decide(vertex, decisive);
            }
            self.open.truncate(frame.base);
        }
        if let Some(below) = self.path.last_mut() {
            below.next -= 1;
        }
    }

    /// The last vertex of the path has no successor that decides.
    fn finish(&mut self, values: &mut Values) {
        let frame = self.path.pop().expect("it is there");
        let order = values.order[frame.vertex as usize];
        if frame.low < order {
            // Part of a larger component, whose first vertex is further down.
            let below = self.path.last_mut().expect("the first one of the component");
            below.low = below.low.min(frame.low);
            return;
        }
        for &vertex in &self.open[frame.base..] {
            values.decide(vertex, !frame.decisive);
        }
        self.open.truncate(frame.base);
        // Whoever led to it goes on: it does not decide there, if it is of the same block, and is looked at again if it is not.
        if let Some(below) = self.path.last_mut()
            && below.class.block != frame.class.block
        {
            below.next -= 1;
        }
    }
}

/// What a walk is told of a vertex that it has not met.
pub(crate) enum Other {
    /// It is for the walk to look at.
    Mine,
    Known(bool),
    /// Somebody else has to find its value first.
    Needed,
}
