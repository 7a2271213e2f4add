//! Which reductions a check uses, and when they may be used.
//!
//! A reduction keeps verdicts, not figures: see [`elnath_kernel::System::reduced`] for what stays. So it is left out where
//! the question is about something else: how many errors there are, which run is the shortest, what is fair, what the next
//! step is, which action is taken between which others.

use crate::property::Property;
use elnath_check::temporal::{Bad, Fairness, Watch};
use elnath_kernel::{Keep, Savings, System};
use std::sync::Arc;

/// The reductions that are wanted, each where it is sound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reductions {
    /// Partial order reduction: see [`elnath_program::independence`].
    pub por: bool,
}

impl Reductions {
    /// None: every state and transition.
    pub const NONE: Self = Self { por: false };
    /// Those that nobody has to ask for, since they keep every verdict.
    pub const USUAL: Self = Self { por: true };
}

/// What became of a reduction that was wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Applied {
    /// It was used, and did this.
    Used(Savings),
    /// It was not used, because of this.
    Left(&'static str),
}

/// A system to be walked instead of another, or why that one has to be.
pub(crate) type Reduced<'a> = Result<Arc<dyn System + 'a>, &'static str>;

/// The system to be walked for a question about what can be reached.
pub(crate) fn for_reachability<'a>(
    system: &Arc<dyn System + 'a>,
    keep: Keep,
    all: bool,
    shortest: bool,
) -> Reduced<'a> {
    if all {
        return Err("all errors are to be counted");
    }
    if shortest {
        return Err("a shortest run is wanted");
    }
    Arc::clone(system).reduced(keep)
}

/// The system to be walked for a question about infinite runs.
pub(crate) fn for_property<'a>(
    system: &Arc<dyn System + 'a>,
    property: &Property,
    shortest: bool,
) -> Reduced<'a> {
    let question = &property.question;
    if shortest {
        return Err("a shortest run is wanted");
    }
    if question.fairness != Fairness::None {
        return Err("fairness is about the order in which processes move");
    }
    if question.watches.iter().any(|watch| matches!(watch, Watch::Action(_))) {
        return Err("the property is about actions");
    }
    if !property.stutter_invariant {
        return Err("the property may count steps (it is not a formula without X)");
    }
    let accepting = question.labels || matches!(question.bad, Bad::System);
    Arc::clone(system).reduced(Keep { accepting, order_of_faults: question.faults, only_deadlocks: false })
}

/// What became of the reduction when the walk was done.
pub(crate) fn applied(walked: &Reduced<'_>) -> Applied {
    match walked {
        Ok(system) => Applied::Used(system.savings().unwrap_or_default()),
        Err(why) => Applied::Left(why),
    }
}
