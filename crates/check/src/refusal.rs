//! Why a question gets no answer at all: what was asked for cannot work, or what was found does not stand up to being checked.
//! Running out of something is neither; that is a [verdict](elnath_kernel::Verdict).

use crate::plan::Unsuitable;
use crate::temporal::{TooLarge, Unfit};
use elnath_kernel::Relation;
use elnath_kernel::diagnosis::NotARun;
use elnath_kernel::lasso::NotALasso;
use std::fmt;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The search, the store and the question do not go together.
    Unsuitable(Unsuitable),
    /// The search for cycles cannot answer this question.
    Unfit(Unfit),
    /// The product of system and automaton cannot be made.
    TooLarge(TooLarge),
    /// There are more processes than fairness can tell apart: at most this many.
    Processes(u32),
    /// The relation is not decided here: it compares states, or what can be observed, and this is the other of the two.
    NotHere(Relation),
    /// An engine was asked for that decides relations between states, and the relation is none.
    Engine(Relation),
    /// The conjunctive engine was asked for, and there is a choice.
    Choice,
    /// The store for pairs does not go with the engine.
    PairStore,
    /// The evidence could not be confirmed: a bug of ours, which must not be shown as a verdict.
    NotReplayed(NotReplayed),
}

/// What is wrong with evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotReplayed {
    /// It is not a run.
    Run(NotARun),
    /// It is not a lasso that is accepted.
    Lasso(NotALasso),
    /// It is a run that does not end in the violation.
    Violation,
    /// The two systems do not differ in this way.
    Difference,
}

impl Refusal {
    /// A run does not end in the violation that it should show.
    pub const NO_VIOLATION: Refusal = Refusal::NotReplayed(NotReplayed::Violation);
    /// Two systems do not differ as they should.
    pub const NO_DIFFERENCE: Refusal = Refusal::NotReplayed(NotReplayed::Difference);

    /// Whether the user asked for something that cannot work, as opposed to a bug of ours.
    pub fn is_usage(&self) -> bool {
        !matches!(self, Refusal::NotReplayed(_))
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Unsuitable(why) => why.fmt(f),
            Refusal::Unfit(why) => why.fmt(f),
            Refusal::TooLarge(why) => why.fmt(f),
            Refusal::Processes(most) => {
                write!(f, "with this kind of fairness a system may have at most {most} processes")
            }
            Refusal::NotHere(relation) => write!(f, "{} is not decided this way", relation.name()),
            Refusal::Engine(relation) => write!(
                f,
                "{} compares what can be observed, not states: it has an engine of its own (auto), which keeps every pair",
                relation.name()
            ),
            Refusal::Choice => f.write_str(
                "the conjunctive engine cannot decide this: some state has several steps with one label, \
                 and so has its partner",
            ),
            Refusal::PairStore => f.write_str(
                "bitstate goes with the conjunctive engine, and replacing with the restart engine; \
                 the others need every pair",
            ),
            Refusal::NotReplayed(NotReplayed::Run(why)) => why.fmt(f),
            Refusal::NotReplayed(NotReplayed::Lasso(why)) => why.fmt(f),
            Refusal::NotReplayed(NotReplayed::Violation) => {
                f.write_str("the replayed run does not end in the reported violation")
            }
            Refusal::NotReplayed(NotReplayed::Difference) => {
                f.write_str("the diagnosis is not confirmed by both systems")
            }
        }
    }
}

impl std::error::Error for Refusal {}

impl From<NotARun> for Refusal {
    fn from(why: NotARun) -> Self {
        Refusal::NotReplayed(NotReplayed::Run(why))
    }
}

impl From<NotALasso> for Refusal {
    fn from(why: NotALasso) -> Self {
        Refusal::NotReplayed(NotReplayed::Lasso(why))
    }
}

impl From<Unsuitable> for Refusal {
    fn from(why: Unsuitable) -> Self {
        Refusal::Unsuitable(why)
    }
}
