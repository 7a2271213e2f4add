//! Boolean equation systems and parity games, solved while they are made.
//!
//! A question about branching time is a game on vertices (a state of the system with a position of the formula): a vertex is true if all, or
//! if some, of its successors are. Where vertices depend on themselves, the kind of fixpoint decides: least ones are false, greatest ones true, and
//! where both kinds depend on each other the one with the larger priority does. This crate knows vertices by their numbers and asks an
//! [`Arena`] for the rest, so that what is not needed for the answer is never made.
//!
//! | file | what |
//! |---|---|
//! | [`local`] | games in which kinds do not alternate: depth first by components, in linear time; breadth first where that is right |
//! | [`growing`] | all games: made breadth first, solved when they have doubled, with what is not made taken for lost |
//! | [`parity`] | a finite game, solved by components with strategies (Zielonka 1998) |
//! | [`proof`] | the part of a solved game that proves its value, and the check of it, which shares no code with the solvers |

pub mod growing;
pub mod local;
pub mod parity;
pub mod proof;

/// What is solved.
pub trait Arena {
    /// Why a solver has to stop.
    type Stop;

    /// Says what a vertex is, and puts its successors into `out`, replacing what was there. Always the same, and successors that are
    /// likely to be cheap come first.
    ///
    /// # Errors
    /// If something ran out.
    fn expand(&mut self, vertex: u32, out: &mut Vec<u32>) -> Result<Expanded, Self::Stop>;

    /// Where a vertex belongs.
    fn class(&self, vertex: u32) -> Class;

    /// Takes note of how many bytes the solver occupies.
    ///
    /// # Errors
    /// If something ran out.
    fn occupy(&mut self, bytes: usize) -> Result<(), Self::Stop>;
}

/// What a vertex is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expanded {
    /// It has this value whatever its successors are.
    Value(bool),
    /// It is true if all its successors are.
    All,
    /// It is true if some successor is.
    Some,
}

/// Where a vertex belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    /// Its block: vertices that depend on each other are in one block.
    pub block: u32,
    /// What decides in that block.
    pub rule: Rule,
    /// Its priority: odd for a least fixpoint, even for a greatest one, 0 for none.
    pub priority: u32,
}

/// What decides in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// No vertex depends on itself.
    Once,
    /// All are [`Expanded::Some`]; a cycle has this value.
    SomeOf(bool),
    /// All are [`Expanded::All`]; a cycle has this value.
    AllOf(bool),
    /// Both kinds of vertices; a cycle has this value.
    Mixed(bool),
    /// Both kinds of fixpoints: only [`growing`] solves it.
    Alternating,
}

impl Rule {
    /// Whether a block is reached in any order: one value anywhere decides, and a cycle has the other one.
    fn is_reachability(self) -> bool {
        matches!(self, Rule::SomeOf(false) | Rule::AllOf(true))
    }
}
