//! What can go wrong while a command is executed.
//!
//! A failed assertion, an index out of range and the like are found when a command is executed, or already while deciding
//! whether it is executable; in the second case the command counts as executable, and firing it reports the fault. Firing
//! goes on after a failed assertion and after a message with too few fields; any other fault ends what the command does,
//! and the process (at a rendez-vous, both) moves on to the target. The first fault counts.
//!
//! Two faults belong to an *attempt*: a condition that polls a rendez-vous channel, and a message with too few fields that
//! nobody receives at a rendez-vous. There is nothing to go on with, so the transition that reports the fault leaves the
//! state as it is, and it neither keeps an `else` from being executed nor anything that comes after it.

use crate::ir::{CommandId, ProcessId};

/// Why executing a command failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Cause {
    /// An assertion is false.
    Assertion,
    /// An index is not within the array.
    Index,
    /// A division by zero.
    DivisionByZero,
    /// A channel variable holds no channel.
    NoChannel,
    /// A message has another number of fields than its channel.
    Arity,
    /// A poll of a rendez-vous channel.
    PollRendezvous,
    /// A value outside the range of its variable.
    Range,
    /// More processes than there may be.
    TooManyProcesses,
    /// More channels than there may be.
    TooManyChannels,
    /// A deterministic sequence cannot go on.
    BlockedBody,
    /// A deterministic sequence does not end.
    EndlessBody,
    /// An atomic sequence does not end, or has more outcomes than anybody wants.
    EndlessAtomic,
}

pub(super) const CAUSES: [Cause; 12] = [
    Cause::Assertion,
    Cause::Index,
    Cause::DivisionByZero,
    Cause::NoChannel,
    Cause::Arity,
    Cause::PollRendezvous,
    Cause::Range,
    Cause::TooManyProcesses,
    Cause::TooManyChannels,
    Cause::BlockedBody,
    Cause::EndlessBody,
    Cause::EndlessAtomic,
];

impl Cause {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Cause::Assertion => "assertion violated",
            Cause::Index => "array index out of range",
            Cause::DivisionByZero => "division by zero",
            Cause::NoChannel => "use of an uninitialised channel",
            Cause::Arity => "another number of message fields than the channel has",
            Cause::PollRendezvous => "poll of a rendez-vous channel",
            Cause::Range => "value out of range",
            Cause::TooManyProcesses => "too many processes",
            Cause::TooManyChannels => "too many channels",
            Cause::BlockedBody => "blocked inside d_step",
            Cause::EndlessBody => "d_step does not end",
            Cause::EndlessAtomic => "atomic sequence with too many outcomes to follow",
        }
    }
}

/// Where a fault happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultAt {
    /// Why.
    pub cause: Cause,
    /// In which kind of process; `None` while the initial state is made.
    pub at: Option<(ProcessId, CommandId)>,
}
