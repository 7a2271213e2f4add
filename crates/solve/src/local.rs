//! Games in which kinds of fixpoints do not alternate, in time linear in what is looked at.
//!
//! Depth first with components (Tarjan 1972): a component lies within one block, so that all its cycles have one value. When it is complete
//! and a vertex of it has no value yet, its value is that of the block's cycles. Most blocks need less than that (Mateescu and Sighireanu 2003 tell
//! these cases apart):
//!
//! | block | what is done |
//! |---|---|
//! | all vertices are disjunctions, cycles are false ([`Rule::SomeOf`]: "can be reached") | one true vertex makes all unfinished ones of the block true, since they lead to it |
//! | the same, cycles are true ("can go on for ever") | an edge back into the path is a cycle |
//! | conjunctions | the same the other way round |
//! | both | who waits for a vertex is noted, and woken when it has its value |
//!
//! So dependencies are kept in the last case only, and there only of unfinished vertices. A block of the first kind, or its dual, is walked
//! breadth first if it is the first that is met: the shortest way to the vertex that decides is found, and a shallow one soon.

use crate::{Arena, Expanded, Rule};
use std::collections::HashMap;

const NEW: u8 = 0;
const OPEN: u8 = 1;
const FALSE: u8 = 2;
const TRUE: u8 = 3;

/// The solver, with what it has found out.
#[derive(Default)]
pub struct Local {
    status: Vec<u8>,
    /// In which order open vertices were met.
    order: Vec<u32>,
    met: u32,
    /// The open vertices, in that order.
    stack: Vec<u32>,
    /// Those who wait for a vertex of a mixed block.
    waiting: HashMap<u32, Vec<u32>>,
    /// For how many successors a vertex of a mixed block waits, and whether it is a conjunction.
    undecided: HashMap<u32, (u32, bool)>,
    waits: usize,
    /// The block that was walked breadth first: each vertex with the place here of the one it was met by.
    members: Vec<(u32, u32)>,
    /// The place of the one that decided.
    decided_at: Option<u32>,
    looked_at: u64,
}

struct Frame {
    vertex: u32,
    all: bool,
    /// The successors that are left, in the pool.
    next: usize,
    end: usize,
    /// The first open vertex that it leads to.
    low: u32,
    /// Where it lies on the stack of open vertices.
    base: usize,
    /// How many successors have no value yet.
    pending: u32,
}

impl Local {
    /// The value of a vertex, if it is known.
    pub fn value(&self, vertex: u32) -> Option<bool> {
        match self.status.get(vertex as usize) {
            Some(&FALSE) => Some(false),
            Some(&TRUE) => Some(true),
            _ => None,
        }
    }

    /// Whether a vertex was looked at.
    pub fn was_met(&self, vertex: u32) -> bool {
        self.status(vertex) != NEW
    }

    /// How many vertices were looked at.
    pub fn looked_at(&self) -> u64 {
        self.looked_at
    }

    /// Bytes that it occupies.
    pub fn bytes(&self) -> usize {
        const ENTRY: usize = 16;
        self.status.capacity()
            + 4 * (self.order.capacity() + self.stack.capacity())
            + 8 * self.members.capacity()
            + ENTRY * (self.waits + self.undecided.len())
    }

    fn status(&self, vertex: u32) -> u8 {
        self.status.get(vertex as usize).copied().unwrap_or(NEW)
    }

    fn set(&mut self, vertex: u32, status: u8) {
        let at = vertex as usize;
        if at >= self.status.len() {
            let length = (at + 1).max(self.status.len() * 3 / 2);
            self.status.resize(length, NEW);
            self.order.resize(length, 0);
        }
        self.status[at] = status;
    }

    fn decide(&mut self, vertex: u32, value: bool) {
        self.set(vertex, if value { TRUE } else { FALSE });
    }

    /// The value of a vertex. The first block that can be walked breadth first is.
    ///
    /// # Errors
    /// If something ran out.
    pub fn solve<A: Arena>(&mut self, arena: &mut A, root: u32) -> Result<bool, A::Stop> {
        if let Some(value) = self.value(root) {
            return Ok(value);
        }
        if arena.class(root).rule.is_reachability() {
            return self.breadth_first(arena, root);
        }
        self.depth_first(arena, root, true)
    }

    /// The vertices from the first of the block that was walked breadth first to the one that decided there, if one did.
    pub fn way(&self) -> Vec<u32> {
        let Some(mut at) = self.decided_at else { return Vec::new() };
        let mut way = Vec::new();
        loop {
            let (vertex, parent) = self.members[at as usize];
            way.push(vertex);
            if parent == at {
                break;
            }
            at = parent;
        }
        way.reverse();
        way
    }

    /// A block in which one vertex decides, in the order in which vertices are met.
    fn breadth_first<A: Arena>(&mut self, arena: &mut A, root: u32) -> Result<bool, A::Stop> {
        let class = arena.class(root);
        let (Rule::SomeOf(cycle) | Rule::AllOf(cycle)) = class.rule else {
            unreachable!("it was asked before");
        };
        self.members = vec![(root, 0)];
        let mut out = Vec::new();
        self.set(root, OPEN);
        let mut head = 0;
        'walk: while let Some(&(vertex, _)) = self.members.get(head) {
            self.looked_at += 1;
            let what = arena.expand(vertex, &mut out)?;
            arena.occupy(self.bytes())?;
            if let Expanded::Value(known) = what {
                if known != cycle {
                    self.decided_at = Some(head as u32);
                    break;
                }
                head += 1;
                continue;
            }
            for &to in &out {
                let known = match self.value(to) {
                    None if arena.class(to).block == class.block => {
                        if self.status(to) == NEW {
                            self.set(to, OPEN);
                            self.members.push((to, head as u32));
                        }
                        continue;
                    }
                    None => self.depth_first(arena, to, false)?,
                    Some(known) => known,
                };
                if known != cycle {
                    self.decided_at = Some(head as u32);
                    break 'walk;
                }
            }
            head += 1;
        }
        // If none decided, all have the value of a cycle. Else those on the way to it have its value, and of the others nothing is known.
        let value = if self.decided_at.is_some() { !cycle } else { cycle };
        let others = if value == cycle { if cycle { TRUE } else { FALSE } } else { NEW };
        for at in 0..self.members.len() {
            self.set(self.members[at].0, others);
        }
        self.way().into_iter().for_each(|vertex| self.decide(vertex, value));
        Ok(value)
    }

    /// Depth first by components.
    fn depth_first<A: Arena>(&mut self, arena: &mut A, root: u32, wide: bool) -> Result<bool, A::Stop> {
        let (mut path, mut pool, mut out): (Vec<Frame>, Vec<u32>, Vec<u32>) = Default::default();
        let bottom = self.stack.len();
        let mut enter = Some(root);
        loop {
            if let Some(vertex) = enter.take() {
                self.looked_at += 1;
                let what = arena.expand(vertex, &mut out)?;
                let bytes = self.bytes() + size_of::<Frame>() * path.capacity() + 4 * pool.capacity();
                arena.occupy(bytes)?;
                let all = match what {
                    Expanded::Value(value) => {
                        self.decide(vertex, value);
                        self.wake(vertex, value);
                        if path.is_empty() {
                            return Ok(value);
                        }
                        // The path sees it as it sees any other that has a value.
                        let frame = path.last_mut().expect("it is not empty");
                        frame.next -= 1;
                        continue;
                    }
                    Expanded::All => true,
                    Expanded::Some => false,
                };
                self.set(vertex, OPEN);
                self.order[vertex as usize] = self.met;
                let (start, base) = (pool.len(), self.stack.len());
                pool.extend_from_slice(&out);
                self.stack.push(vertex);
                let (end, low) = (pool.len(), self.met);
                path.push(Frame { vertex, all, next: start, end, low, base, pending: 0 });
                self.met += 1;
            }
            let Some(frame) = path.last_mut() else { unreachable!("the root returns") };
            let vertex = frame.vertex;
            let decided = self.value(vertex);
            if frame.next == frame.end || decided.is_some() {
                let Frame { all, low, base, pending, next, end, .. } = path.pop().expect("there is one");
                // Where its successors begin is where those of the frame below end.
                pool.truncate(path.last().map_or(0, |below| below.end));
                let done = next == end;
                self.finish(arena, vertex, &Finish { all, low, base, pending, done });
                match path.last_mut() {
                    None => {
                        debug_assert_eq!(self.stack.len(), bottom, "all components are complete");
                        self.stack.truncate(bottom);
                        return Ok(self
                            .value(vertex)
                            .expect("the first vertex is the root of its component"));
                    }
                    Some(below) => {
                        if low < self.order[vertex as usize] & !EXHAUSTED {
                            below.low = below.low.min(low);
                        }
                        match self.value(vertex) {
                            Some(_) => below.next -= 1,
                            None => self.wait(arena, below.vertex, vertex, below),
                        }
                    }
                }
                continue;
            }
            let to = pool[frame.next];
            frame.next += 1;
            match self.status(to) {
                NEW => {
                    let (from, class) = (arena.class(vertex), arena.class(to));
                    if wide
                        && self.members.is_empty()
                        && from.rule == Rule::Once
                        && class.rule.is_reachability()
                    {
                        self.breadth_first(arena, to)?;
                        path.last_mut().expect("it is there").next -= 1;
                    } else {
                        enter = Some(to);
                    }
                }
                OPEN => match arena.class(vertex).rule {
                    // Only the path is open in such a block.
                    Rule::SomeOf(true) => self.overwhelm(arena, vertex, true),
                    Rule::AllOf(false) => self.overwhelm(arena, vertex, false),
                    _ => {
                        frame.low = frame.low.min(self.order[to as usize] & !EXHAUSTED);
                        let frame = path.last_mut().expect("it is there");
                        self.wait(arena, vertex, to, frame);
                    }
                },
                known => {
                    let value = known == TRUE;
                    if value != frame.all {
                        self.overwhelm(arena, vertex, value);
                    }
                }
            }
        }
    }

    /// An open vertex has a successor without a value.
    fn wait<A: Arena>(&mut self, arena: &A, vertex: u32, on: u32, frame: &mut Frame) {
        frame.pending += 1;
        if let Rule::Mixed(_) = arena.class(vertex).rule {
            self.waiting.entry(on).or_default().push(vertex);
            self.waits += 1;
            let entry = self.undecided.entry(vertex).or_insert((0, frame.all));
            entry.0 += 1;
        }
    }

    /// A successor has the value that decides for this vertex, which is the last of the path.
    fn overwhelm<A: Arena>(&mut self, arena: &A, vertex: u32, value: bool) {
        let class = arena.class(vertex);
        self.decide(vertex, value);
        match class.rule {
            Rule::SomeOf(_) | Rule::AllOf(_) => {
                // All open vertices of the block lead to this one.
                for at in (0..self.stack.len()).rev() {
                    let open = self.stack[at];
                    if arena.class(open).block != class.block {
                        break;
                    }
                    if self.status(open) == OPEN {
                        self.decide(open, value);
                    }
                }
            }
            _ => self.wake(vertex, value),
        }
    }

    /// Tells those who wait for a vertex its value.
    fn wake(&mut self, vertex: u32, value: bool) {
        if self.waiting.is_empty() {
            return;
        }
        let mut todo = vec![(vertex, value)];
        while let Some((vertex, value)) = todo.pop() {
            self.undecided.remove(&vertex);
            let Some(waiting) = self.waiting.remove(&vertex) else { continue };
            self.waits -= waiting.len();
            for other in waiting {
                if self.status(other) != OPEN {
                    continue;
                }
                let Some((left, all)) = self.undecided.get_mut(&other) else { continue };
                *left -= 1;
                let (left, all) = (*left, *all);
                if value != all || left == 0 && self.is_exhausted(other) {
                    self.decide(other, value);
                    todo.push((other, value));
                }
            }
        }
    }

    /// Whether all successors of a vertex were looked at: it is not on the path any more.
    fn is_exhausted(&self, vertex: u32) -> bool {
        self.order[vertex as usize] & EXHAUSTED != 0
    }

    /// A vertex leaves the path.
    fn finish<A: Arena>(&mut self, arena: &mut A, vertex: u32, finish: &Finish) {
        let Finish { all, low, base, pending, done } = *finish;
        let class = arena.class(vertex);
        if self.status(vertex) == OPEN && done {
            // Those that had no value when they were met may have one now.
            let left = match class.rule {
                Rule::Mixed(_) => self.undecided.get(&vertex).map_or(0, |&(left, _)| left),
                _ => pending,
            };
            if left == 0 {
                self.decide(vertex, all);
                self.wake(vertex, all);
            }
        }
        let order = self.order[vertex as usize];
        if low < order {
            // Part of a larger component.
            self.order[vertex as usize] |= EXHAUSTED;
            return;
        }
        // The component is complete: without a value is what only depends on cycles.
        let cycle = match class.rule {
            Rule::SomeOf(value) | Rule::AllOf(value) | Rule::Mixed(value) => value,
            Rule::Once | Rule::Alternating => all,
        };
        for at in base..self.stack.len() {
            let member = self.stack[at];
            if self.status(member) == OPEN {
                self.decide(member, cycle);
            }
            if let Rule::Mixed(_) = class.rule {
                if let Some(waiting) = self.waiting.remove(&member) {
                    self.waits -= waiting.len();
                }
                self.undecided.remove(&member);
            }
        }
        self.stack.truncate(base);
    }
}

struct Finish {
    all: bool,
    low: u32,
    base: usize,
    pending: u32,
    done: bool,
}

/// In [`Local::order`]: the vertex is not on the path any more.
const EXHAUSTED: u32 = 1 << 31;
