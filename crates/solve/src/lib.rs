//! Games that are solved while they are made: one trait, and engines that each solve some of them.
//!
//! Whether two systems are related, and whether a state satisfies a formula of branching time, are the same kind of question. A *vertex* (a pair of
//! states; a state and a position of the formula) is true or false, and what that depends on is a conjunction of disjunctions of
//! other vertices. Where vertices depend on themselves, the kind of fixpoint decides: on a cycle, least ones are false and greatest ones
//! true, and where both kinds depend on each other the one with the larger priority does. This crate knows vertices by their names and asks a [`Game`]
//! for the rest, so that what is not needed for the answer is never made. It knows no system, no relation and no formula.
//!
//! ```text
//! v has a value  <=  AND over obligations  OR over candidates  AND over one or two vertices  that they have it too
//! ```
//!
//! A pair of a relation has obligations with many candidates (a challenge and its answers). A disjunction is one obligation whose
//! candidates are its successors, a conjunction has an obligation with one candidate for each. To be *false* is a question of the same form, in which the two
//! have changed places; so a game is asked what a vertex needs to have a value, and each engine exists once instead of twice.
//!
//! [`of_one_block`] and [`of_plain`] list the engines, with what each needs and promises; each is a file. What they share:
//!
//! | file | what |
//! |---|---|
//! | [`table`] | vertices under numbers, and a set of vertices that forgets |
//! | [`order`] | which vertex is looked at next |
//! | `wide` | breadth first through a block in which one vertex decides |
//! | `look` | breadth first around a vertex, before a walk goes far |
//! | [`refutation`] | why vertices do not have the value that was assumed, in the order in which that was found out |
//! | [`below`] | what is known of vertices of other blocks |
//! | [`blocks`] | games whose kinds of fixpoints do not alternate: each block by the engine that its [`Rule`] allows |
//! | [`parity`] | a finite game, solved by components with strategies (Zielonka 1998) |
//! | [`proof`] | the part of a solved game that proves its value, and the check of it, which shares no code with the engines |

pub mod below;
pub mod blocks;
pub mod components;
pub mod conjunctive;
mod engines;
pub mod growing;
mod look;
pub mod order;
pub mod parity;
pub mod plain;
pub mod proof;
pub mod refutation;
pub mod restart;
pub mod shortest;
pub mod table;
pub mod watched;
mod wide;

pub use engines::{Engine, Needs, of_one_block, of_plain};
pub use order::Order;
pub use refutation::{Refutations, Refuted};
pub use table::Vertex;

/// What a solver spends, and who may stop it.
pub trait Account {
    /// Why a solver has to stop.
    type Stop;

    /// Takes note of some work: candidates looked at, or dependencies followed.
    ///
    /// # Errors
    /// If something ran out.
    fn work(&mut self, amount: usize) -> Result<(), Self::Stop>;

    /// Takes note of how many bytes the solver occupies now, and how many vertices it has looked at. Solvers say so once for each of these.
    ///
    /// # Errors
    /// If something ran out.
    fn occupy(&mut self, bytes: usize, looked_at: u64) -> Result<(), Self::Stop>;

    /// The work done so far, by whoever draws on this account: engines that take turns pause when it has reached a mark.
    fn spent(&self) -> u64;
}

/// What is solved.
pub trait Game: Account {
    /// What a vertex is called.
    type Vertex: Vertex;

    /// Writes what a vertex needs to have a value to `out`, replacing what was there. It has the value if each obligation has a candidate whose vertices have
    /// it. No obligation: it has the value whatever others have. If some obligation has no candidate, the vertex has the other value, and that
    /// obligation is the only one.
    ///
    /// The answer is always the same. What is likely to be cheap comes first.
    ///
    /// # Errors
    /// If something ran out.
    fn obligations(
        &mut self,
        vertex: Self::Vertex,
        value: bool,
        out: &mut Vec<Obligation>,
    ) -> Result<(), Self::Stop>;

    /// Whether a [glance](Self::glance) ever tells something: otherwise no time is spent on it.
    const GLANCES: bool;

    /// The value of a vertex, if it can be told without making anything: from what is known of it already, in a short time. To say nothing is always right. Engines
    /// glance at all successors of a vertex before they go on with one of them.
    ///
    /// # Errors
    /// If something ran out.
    fn glance(&mut self, vertex: Self::Vertex) -> Result<Option<bool>, Self::Stop>;

    /// A candidate of an obligation, by its number. Nothing if it cannot serve: its number stands for something else.
    fn candidate(
        &self,
        vertex: Self::Vertex,
        obligation: Obligation,
        number: u32,
    ) -> Option<Candidate<Self::Vertex>>;

    /// The targets of all candidates of an obligation of a plain vertex, by their numbers, instead of what was in `out`. [`Vertex::NONE`] stands where there is no
    /// candidate. The same as to ask for one after the other, in less time.
    fn targets(&self, vertex: Self::Vertex, obligation: Obligation, out: &mut Vec<Self::Vertex>) {
        out.clear();
        let target = |number| self.candidate(vertex, obligation, number).map(|candidate| candidate.target);
        out.extend((0..obligation.len).map(|number| target(number).unwrap_or(Self::Vertex::NONE)));
    }

    /// Where a vertex belongs.
    fn class(&self, vertex: Self::Vertex) -> Class;
}

/// Something that a vertex needs. Which candidates serve is for the game to know, by these numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Obligation {
    /// What identifies it for a given vertex.
    pub code: u32,
    /// Where its candidates are.
    pub first: u32,
    /// How many there are.
    pub len: u32,
}

/// The vertices of a candidate: it fails if one of them does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate<V> {
    /// Where it leads.
    pub target: V,
    /// What it needs beside that.
    pub also: Option<V>,
}

impl<V: Vertex> Candidate<V> {
    /// One vertex.
    pub fn one(target: V) -> Self {
        Candidate { target, also: None }
    }

    /// Its vertices; what it needs beside the target comes first.
    pub fn vertices(self) -> impl Iterator<Item = V> {
        self.also.into_iter().chain([self.target])
    }
}

/// Where a vertex belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    /// Its block: vertices that depend on each other are in one block, and blocks do not depend on each other in a circle.
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
    /// All are disjunctions of vertices; a cycle has this value.
    SomeOf(bool),
    /// All are conjunctions of vertices; a cycle has this value.
    AllOf(bool),
    /// Both, and anything else; a cycle has this value.
    Mixed(bool),
    /// Both kinds of fixpoints: only [`growing`] solves it.
    Alternating,
}

impl Rule {
    /// The value of a cycle, if a single vertex with the other value decides for all that lead to it: such a block may be walked in any order.
    pub(crate) fn reachability(self) -> Option<bool> {
        match self {
            Rule::SomeOf(false) => Some(false),
            Rule::AllOf(true) => Some(true),
            _ => None,
        }
    }
}
