//! What is known of vertices of other blocks.
//!
//! An engine solves one block. When it looks at a vertex of another one, it needs the value of that, and asks whoever solves the blocks to find
//! it out ([`Turn::Needs`]). In a game of one block there is nothing to ask, and the compiler removes the question.

use crate::{Game, Vertex};

/// Whose a vertex is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// Of the block that is solved.
    Own,
    /// Of another one, and its value is known if it is given here.
    Other(Option<bool>),
}

/// Who knows the vertices of other blocks.
pub trait Below<V: Vertex> {
    /// What is known of a vertex of this game.
    fn of<G: Game<Vertex = V>>(&self, game: &G, vertex: V) -> Whose;

    /// Bytes that whoever knows them occupies.
    fn bytes(&self) -> usize;
}

/// There are no other blocks.
#[derive(Clone, Copy, Debug)]
pub struct Whole;

impl<V: Vertex> Below<V> for Whole {
    #[inline(always)]
    fn of<G: Game<Vertex = V>>(&self, _: &G, _: V) -> Whose {
        Whose::Own
    }

    fn bytes(&self) -> usize {
        0
    }
}

/// How the turn of an engine ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn<V> {
    /// As much work is done as was allowed.
    Paused,
    /// First the value of this vertex is needed, which is one of another block.
    Needs(V),
    /// The engine does not solve this game: there is something to be chosen.
    Choice,
    /// The vertex has the value that was assumed.
    Holds,
    /// It has the other one.
    Refuted,
}

impl<V> Turn<V> {
    /// Whether the assumed value was right, if the turn ended with that.
    pub fn holds(&self) -> Option<bool> {
        match self {
            Turn::Holds => Some(true),
            Turn::Refuted => Some(false),
            Turn::Paused | Turn::Needs(_) | Turn::Choice => None,
        }
    }
}
