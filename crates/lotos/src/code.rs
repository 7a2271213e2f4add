//! Behaviours whose names are resolved: what the engine executes.
//!
//! Gates and variables of a process are numbered; every place that binds one has a number of its own, so that nothing is ever
//! hidden by an inner name. Each piece of code knows which gates and variables it may still use: only those are part of a state.

use crate::Aliasing;
use crate::data::{Condition, Data, SortId, Term};
use crate::identity::Memory;
use crate::sources::{Sources, Span};

pub(crate) type CodeId = u32;
pub(crate) type ProcessId = u32;

/// A specification that can be executed.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) sources: Sources,
    pub(crate) data: Data,
    pub(crate) codes: Vec<Code>,
    /// How many gates the specification has.
    pub(crate) top_gates: u32,
    /// The specification itself is the first.
    pub(crate) processes: Vec<ProcessCode>,
    /// If values that are no longer used belong to a state: all variables.
    pub(crate) memory: Option<Memory>,
    /// What it means that one gate is given for two.
    pub(crate) aliasing: Aliasing,
}

#[derive(Debug)]
pub(crate) struct ProcessCode {
    pub(crate) name: Box<str>,
    /// All gates that it names; the formal ones first.
    pub(crate) gates: Vec<Box<str>>,
    /// All variables that it names, with their sorts; the parameters first.
    pub(crate) variables: Vec<(Box<str>, SortId)>,
    pub(crate) body: CodeId,
}

#[derive(Debug)]
pub(crate) struct Code {
    pub(crate) kind: CodeKind,
    pub(crate) process: ProcessId,
    pub(crate) span: Span,
    /// The gates and variables that it uses and does not bind, in order.
    pub(crate) gates: Box<[u32]>,
    pub(crate) variables: Box<[u32]>,
}

#[derive(Debug)]
pub(crate) enum CodeKind {
    Stop,
    Exit(Vec<OfferCode>),
    Prefix {
        /// None: the internal action.
        gate: Option<u32>,
        offers: Vec<OfferCode>,
        guard: Option<Condition>,
        next: CodeId,
    },
    Guard(Condition, CodeId),
    Choice(Vec<CodeId>),
    Parallel(SyncCode, CodeId, CodeId),
    Hide(Vec<u32>, CodeId),
    Let(Vec<(u32, Term)>, CodeId),
    ChoiceValues(Vec<u32>, CodeId),
    /// The gate that the body names, and those that it stands for.
    ChoiceGates(u32, Vec<u32>, CodeId),
    ParGates(u32, Vec<u32>, SyncCode, CodeId),
    Call(ProcessId, Vec<u32>, Vec<Term>),
    Enable {
        left: CodeId,
        accept: Vec<u32>,
        right: CodeId,
        atomic: bool,
    },
    Disable(CodeId, CodeId),
}

#[derive(Debug)]
pub(crate) enum OfferCode {
    Send(Term),
    /// Any value of this sort, which this variable gets, if it is an action's.
    Receive(Option<u32>, SortId),
}

#[derive(Clone, Debug)]
pub(crate) enum SyncCode {
    All,
    Gates(Vec<u32>),
}
