//! Is elnath's answer on a Promela model the one SPIN gives?
//!
//! SPIN's *reference mode* is its search without anything that changes figures: no data-flow optimisation, no dead
//! variables, no statement merging, no partial order reduction, no claim, and all errors counted ([`spin`]). In that
//! mode the number of states stored, of transitions and of errors say a lot about the semantics of a model: hardly any
//! mistake leaves all three as they are. So they are compared exactly ([`compare`]), on random models, on our own and on
//! other people's.
//!
//! Which models are compared must not be our choice alone: [`enumerate`] nests every production of a grammar in every
//! other.
//!
//! Of properties of infinite runs only the verdict is compared ([`temporal`]).
//!
//! What cannot be compared: after some run-time errors SPIN goes on with memory that was overwritten, or stops. Then
//! both must report that kind of error, and figures are not looked at. `docs/spin-differences.md` lists every
//! such case with a model.

mod compare;
pub mod enumerate;
pub mod metamorphic;
mod ours;
mod reference;
pub mod spin;
pub mod temporal;

pub use compare::{Comparison, compare};
pub use ours::{Limits, Ours, answer};
pub use reference::{Row, rows};

/// What a model can do wrong, as far as both tools tell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A run ends where it must not.
    EndState,
    /// `assert`.
    Assertion,
    /// An index out of range.
    Index,
    /// A division by zero.
    Division,
    /// A channel variable that holds no channel.
    NoChannel,
    /// The number of fields in a message.
    Arity,
    /// A poll of a rendez-vous channel.
    Poll,
    /// Too many processes.
    Processes,
    /// Too many channels.
    Channels,
    /// A deterministic sequence that cannot go on.
    BlockedBody,
    /// Something else.
    Other,
}

impl Kind {
    /// Whether SPIN goes on after it in the same state as we do, so that all figures can be compared.
    pub fn is_harmless(self) -> bool {
        matches!(self, Kind::EndState | Kind::Assertion)
    }
}

/// The figures that are compared.
#[derive(Clone, Debug, Eq)]
pub struct Figures {
    /// Distinct states.
    pub states: u64,
    /// Transitions between them; SPIN's figure counts the arrival at the initial state as one more.
    pub transitions: u64,
    /// Errors met.
    pub errors: u64,
    /// Of which kinds.
    pub kinds: std::collections::BTreeSet<Kind>,
    /// Whether some assertion is within an atomic or deterministic sequence; not known from SPIN's output.
    pub asserts_inside: bool,
    /// Whether there are atomic or deterministic sequences at all; not known from SPIN's output either.
    pub has_sequences: bool,
}

impl PartialEq for Figures {
    fn eq(&self, other: &Self) -> bool {
        let all = |figures: &Self| (figures.states, figures.transitions, figures.errors);
        all(self) == all(other) && self.kinds == other.kinds
    }
}
