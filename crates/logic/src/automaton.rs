//! Automata over infinite words: transition-based generalised Büchi.
//!
//! A letter is a set of propositions, as a word of bits. An automaton reads one letter per step and takes an edge whose
//! label the letter satisfies; a run is accepted if it meets every one of the acceptance sets again and again. With no
//! set at all every infinite run is accepted; with one set that is a matter of the source state only, this is a Büchi
//! automaton in the usual sense.

use std::fmt;

/// A letter: bit *i* says whether proposition *i* holds.
pub type Letter = u64;

/// The largest number of propositions of an automaton.
pub const MOST_PROPOSITIONS: usize = 64;

/// The largest number of acceptance sets of an automaton.
pub const MOST_SETS: u32 = 64;

/// A state of an automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State(pub u32);

impl State {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A conjunction of literals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cube {
    /// The propositions that must hold.
    pub with: u64,
    /// The propositions that must not hold; none of those that must.
    pub without: u64,
}

impl Cube {
    /// The cube that every letter satisfies.
    pub const TRUE: Cube = Cube { with: 0, without: 0 };

    /// Whether `letter` satisfies it.
    pub fn admits(self, letter: Letter) -> bool {
        letter & self.with == self.with && letter & self.without == 0
    }
}

/// A disjunction of cubes: the letters with which an edge may be taken.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(pub Vec<Cube>);

impl Label {
    /// The label that every letter satisfies.
    pub fn always() -> Label {
        Label(vec![Cube::TRUE])
    }

    /// Whether `letter` satisfies it.
    pub fn admits(&self, letter: Letter) -> bool {
        self.0.iter().any(|cube| cube.admits(letter))
    }
}

/// A set of acceptance sets: bit *i* is set *i*.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Marks(pub u64);

/// An edge, kept with its source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    /// The letters with which it may be taken.
    pub label: Label,
    /// The acceptance sets it belongs to.
    pub marks: Marks,
    /// Where it leads.
    pub to: State,
}

/// A transition-based generalised Büchi automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automaton {
    /// The propositions, bit 0 first.
    pub propositions: Vec<String>,
    /// The number of acceptance sets.
    pub sets: u32,
    /// Where runs begin.
    pub initial: State,
    /// The edges of each state.
    pub edges: Vec<Vec<Edge>>,
}

impl Automaton {
    /// The number of states.
    pub fn states(&self) -> usize {
        self.edges.len()
    }

    /// The number of edges.
    pub fn edge_count(&self) -> usize {
        self.edges.iter().map(Vec::len).sum()
    }

    /// The edges that leave `state`.
    pub fn leaving(&self, state: State) -> &[Edge] {
        &self.edges[state.index()]
    }

    /// All acceptance sets.
    pub fn all_marks(&self) -> Marks {
        Marks(if self.sets == 64 { u64::MAX } else { (1 << self.sets) - 1 })
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}
