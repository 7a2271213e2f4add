//! The operators of a state without what they join: parallel operators, and whatever is around one.
//!
//! What is below them are *units*: maximal sub-terms in which no parallel operator is active. Which units can act together is decided by the
//! skeleton alone, once: for every gate, the sets of units that its actions take (synchronisation vectors). A step of most vectors
//! changes units and leaves the skeleton as it is.
//!
//! Where `[>` or `>>` around a parallel operator reacts, or a unit becomes parallel, only that place of the skeleton changes. The
//! rest stays as it is, although its normal form may be smaller by now: so independent steps lead to the same state in any order, and there
//! are few skeletons.

use crate::data::{read_varint, write_varint};
use crate::moves::{EXIT, FAULT, INTERNAL};
use crate::term::{ENDED, Gate, Node, NodeId, Nodes};

/// The most synchronisation vectors of one skeleton: units that interleave on a gate are multiplied with those on the other side.
const MOST_VECTORS: usize = 50_000;

/// Operators; units are numbered from left to right.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    /// Its place, and the gates that it can use: what it becomes uses no others.
    Unit(usize, Vec<Gate>),
    Parallel(Vec<Gate>, Box<Shape>, Box<Shape>),
    Hide(Vec<Gate>, Box<Shape>),
    /// What follows is a place of its own, after those of the left side; it does nothing.
    Enable(Box<Shape>, usize),
    Disable(Box<Shape>, Box<Shape>),
}

/// Units that act together.
#[derive(Clone, Debug)]
pub(crate) struct Vector {
    /// In increasing order.
    pub(crate) members: Vec<usize>,
    /// What the units do.
    pub(crate) gate: Gate,
    /// What is seen of it.
    pub(crate) label: Gate,
    pub(crate) effect: Reaction,
}

/// What a step does to the operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reaction {
    /// Nothing: its units change.
    None,
    /// A `[>` is decided.
    Disable,
    /// What `>>` waits for has come.
    Enable,
}

/// What a step makes of the units of a skeleton.
pub(crate) struct Made<'a> {
    pub(crate) vector: &'a Vector,
    /// The units after it.
    pub(crate) parts: &'a [NodeId],
    /// What follows `>>`, if it reacts.
    pub(crate) next: Option<NodeId>,
}

#[derive(Debug)]
pub(crate) struct Skeleton {
    pub(crate) shape: Shape,
    /// How many places there are.
    pub(crate) places: usize,
    pub(crate) vectors: Vec<Vector>,
    /// For each unit the vectors of which it is the first member, by gate.
    first: Vec<Vec<(Gate, Vec<u32>)>>,
    /// There are too many vectors: everything is left to the rules on terms.
    pub(crate) too_many: bool,
}

impl Skeleton {
    /// The skeleton of a term, and the units (and continuations) in their places.
    pub(crate) fn of(nodes: &mut Nodes<'_>, term: NodeId, parts: &mut Vec<NodeId>) -> Shape {
        if !nodes.is_split(term) {
            parts.push(term);
            return Shape::Unit(parts.len() - 1, nodes.free(term).to_vec());
        }
        match nodes.get(term).clone() {
            Node::Parallel(sync, left, right) => {
                let left = Self::of(nodes, left, parts);
                Shape::Parallel(sync.to_vec(), Box::new(left), Box::new(Self::of(nodes, right, parts)))
            }
            Node::Hide(own, body) => Shape::Hide(own.to_vec(), Box::new(Self::of(nodes, body, parts))),
            Node::Enable { left, code, gates, values } => {
                let left = Self::of(nodes, left, parts);
                parts.push(nodes.enable(ENDED, code, gates, values));
                Shape::Enable(Box::new(left), parts.len() - 1)
            }
            Node::Disable(left, right) => {
                let left = Self::of(nodes, left, parts);
                Shape::Disable(Box::new(left), Box::new(Self::of(nodes, right, parts)))
            }
            Node::Stop | Node::Ended | Node::Leaf { .. } | Node::Choice(_) | Node::Rename(..) => {
                unreachable!("no parallel operator is active in it")
            }
        }
    }

    pub(crate) fn new(shape: Shape) -> Self {
        let places = shape.places();
        let mut too_many = false;
        let vectors = shape.vectors(&mut too_many);
        let mut first: Vec<Vec<(Gate, Vec<u32>)>> = vec![Vec::new(); places];
        for (number, vector) in vectors.iter().enumerate() {
            let own = &mut first[vector.members[0]];
            match own.iter_mut().find(|(gate, _)| *gate == vector.gate) {
                Some((_, numbers)) => numbers.push(number as u32),
                None => own.push((vector.gate, vec![number as u32])),
            }
        }
        Self { shape, places, vectors, first, too_many }
    }

    /// The vectors whose first member is this unit.
    #[inline]
    pub(crate) fn led_by(&self, unit: usize, gate: Gate) -> &[u32] {
        self.first[unit].iter().find(|(own, _)| *own == gate).map_or(&[], |(_, numbers)| numbers)
    }

    /// The place of what follows the `>>` that a unit's `exit` comes to.
    pub(crate) fn continuation(&self, unit: usize) -> Option<usize> {
        self.shape.continuation(unit)
    }
}

impl Shape {
    fn places(&self) -> usize {
        match self {
            Shape::Unit(..) => 1,
            Shape::Hide(_, body) => body.places(),
            Shape::Parallel(_, left, right) | Shape::Disable(left, right) => left.places() + right.places(),
            Shape::Enable(left, _) => left.places() + 1,
        }
    }

    /// Whether this unit is in it.
    fn has(&self, unit: usize) -> bool {
        match self {
            Shape::Unit(own, _) => *own == unit,
            Shape::Hide(_, body) | Shape::Enable(body, _) => body.has(unit),
            Shape::Parallel(_, left, right) | Shape::Disable(left, right) => {
                left.has(unit) || right.has(unit)
            }
        }
    }

    fn vectors(&self, too_many: &mut bool) -> Vec<Vector> {
        match self {
            Shape::Unit(unit, gates) => {
                let gates = gates.iter().copied().chain([EXIT, INTERNAL, FAULT]);
                let own = |gate| Vector { members: vec![*unit], gate, label: gate, effect: Reaction::None };
                gates.map(own).collect()
            }
            Shape::Parallel(sync, left, right) => {
                let (lefts, rights) = (left.vectors(too_many), right.vectors(too_many));
                let together = |label: Gate| label == EXIT || sync.binary_search(&label).is_ok();
                let mut all: Vec<Vector> =
                    lefts.iter().chain(&rights).filter(|one| !together(one.label)).cloned().collect();
                for one in lefts.iter().filter(|one| together(one.label)) {
                    for other in rights.iter().filter(|other| other.label == one.label) {
                        if all.len() >= MOST_VECTORS {
                            *too_many = true;
                            return all;
                        }
                        let members = [&one.members[..], &other.members].concat();
                        all.push(Vector { members, effect: one.effect.max(other.effect), ..one.clone() });
                    }
                }
                all
            }
            Shape::Hide(own, body) => {
                let mut all = body.vectors(too_many);
                for vector in &mut all {
                    if own.binary_search(&vector.label).is_ok() {
                        vector.label = INTERNAL;
                    }
                }
                all
            }
            Shape::Enable(left, _) => {
                let mut all = left.vectors(too_many);
                for vector in all.iter_mut().filter(|vector| vector.label == EXIT) {
                    (vector.label, vector.effect) = (INTERNAL, Reaction::Enable);
                }
                all
            }
            Shape::Disable(left, right) => {
                let mut all = left.vectors(too_many);
                for vector in all.iter_mut().filter(|vector| vector.label == EXIT) {
                    vector.effect = vector.effect.max(Reaction::Disable);
                }
                for mut vector in right.vectors(too_many) {
                    vector.effect = vector.effect.max(Reaction::Disable);
                    all.push(vector);
                }
                all
            }
        }
    }

    fn continuation(&self, unit: usize) -> Option<usize> {
        match self {
            Shape::Unit(..) => None,
            Shape::Hide(_, body) => body.continuation(unit),
            Shape::Parallel(_, left, right) | Shape::Disable(left, right) => {
                if left.has(unit) {
                    left.continuation(unit)
                } else {
                    right.continuation(unit)
                }
            }
            Shape::Enable(left, next) => left.has(unit).then(|| left.continuation(unit).unwrap_or(*next)),
        }
    }

    /// The term with these units in its places.
    pub(crate) fn term(&self, nodes: &mut Nodes<'_>, parts: &[NodeId]) -> NodeId {
        match self {
            Shape::Unit(unit, _) => parts[*unit],
            Shape::Parallel(sync, left, right) => {
                let (left, right) = (left.term(nodes, parts), right.term(nodes, parts));
                nodes.parallel(Some(sync), left, right)
            }
            Shape::Hide(own, body) => {
                let body = body.term(nodes, parts);
                nodes.hide(own, body)
            }
            Shape::Enable(left, next) => {
                let left = left.term(nodes, parts);
                let Node::Enable { code, gates, values, .. } = nodes.get(parts[*next]).clone() else {
                    unreachable!("this is what follows `>>`")
                };
                nodes.enable(left, code, gates, values)
            }
            Shape::Disable(left, right) => {
                let (left, right) = (left.term(nodes, parts), right.term(nodes, parts));
                nodes.disable(left, right)
            }
        }
    }

    /// The skeleton after a step that changes it, and its units.
    pub(crate) fn after(&self, nodes: &mut Nodes<'_>, made: &Made<'_>, parts: &mut Vec<NodeId>) -> Shape {
        // A member that is in it: one decides for all, since no vector takes both sides of `[>`.
        let actor = |shape: &Shape| made.vector.members.iter().copied().find(|&unit| shape.has(unit));
        // Whether the step is an `exit` that comes to an operator with this on its left side.
        let ends = |left: &Shape| {
            made.vector.gate == EXIT && actor(left).is_some_and(|unit| left.continuation(unit).is_none())
        };
        match self {
            Shape::Unit(unit, free) => {
                let node = made.parts[*unit];
                if nodes.is_split(node) {
                    return Skeleton::of(nodes, node, parts);
                }
                parts.push(node);
                Shape::Unit(parts.len() - 1, free.clone())
            }
            Shape::Parallel(sync, left, right) => {
                let left = left.after(nodes, made, parts);
                Shape::Parallel(sync.clone(), Box::new(left), Box::new(right.after(nodes, made, parts)))
            }
            Shape::Hide(own, body) => Shape::Hide(own.clone(), Box::new(body.after(nodes, made, parts))),
            Shape::Enable(left, _) if ends(left) => {
                let next = made.next.expect("what follows is known");
                Skeleton::of(nodes, next, parts)
            }
            Shape::Enable(left, next) => {
                let left = left.after(nodes, made, parts);
                parts.push(made.parts[*next]);
                Shape::Enable(Box::new(left), parts.len() - 1)
            }
            Shape::Disable(_, right) if actor(right).is_some() => right.after(nodes, made, parts),
            Shape::Disable(left, _) if ends(left) => Skeleton::of(nodes, ENDED, parts),
            Shape::Disable(left, right) => {
                let left = left.after(nodes, made, parts);
                Shape::Disable(Box::new(left), Box::new(right.after(nodes, made, parts)))
            }
        }
    }

    /// The bytes by which workers know it.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        let gates = |gates: &[Gate], out: &mut Vec<u8>| {
            write_varint(gates.len() as u64, out);
            gates.iter().for_each(|&gate| write_varint(gate.into(), out));
        };
        match self {
            Shape::Unit(_, own) => {
                out.push(0);
                gates(own, out);
            }
            Shape::Parallel(sync, left, right) => {
                out.push(1);
                gates(sync, out);
                left.encode(out);
                right.encode(out);
            }
            Shape::Hide(own, body) => {
                out.push(2);
                gates(own, out);
                body.encode(out);
            }
            Shape::Enable(left, _) => {
                out.push(3);
                left.encode(out);
            }
            Shape::Disable(left, right) => {
                out.push(4);
                left.encode(out);
                right.encode(out);
            }
        }
    }

    /// Reads what [`Shape::encode`] wrote; places are counted from `next` on.
    pub(crate) fn decode(bytes: &mut &[u8], next: &mut usize) -> Self {
        let tag = bytes[0];
        *bytes = &bytes[1..];
        let gates = |bytes: &mut &[u8]| -> Vec<Gate> {
            let count = read_varint(bytes);
            (0..count).map(|_| read_varint(bytes) as Gate).collect()
        };
        let take = |next: &mut usize| {
            *next += 1;
            *next - 1
        };
        match tag {
            0 => {
                let own = gates(bytes);
                Shape::Unit(take(next), own)
            }
            1 => {
                let sync = gates(bytes);
                let left = Self::decode(bytes, next);
                Shape::Parallel(sync, Box::new(left), Box::new(Self::decode(bytes, next)))
            }
            2 => {
                let own = gates(bytes);
                Shape::Hide(own, Box::new(Self::decode(bytes, next)))
            }
            3 => {
                let left = Self::decode(bytes, next);
                Shape::Enable(Box::new(left), take(next))
            }
            _ => {
                let left = Self::decode(bytes, next);
                Shape::Disable(Box::new(left), Box::new(Self::decode(bytes, next)))
            }
        }
    }
}
