//! Which reductions a check uses, and when they may be used.
//!
//! A reduction keeps verdicts, not figures: see [`elnath_kernel::System::reduced`] for what stays. So it is left out where
//! the question is about something else: how many errors there are, which run is the shortest, what is fair, what the next
//! step is, which action is taken between which others. Forgetting dead variables keeps all of this but how many errors
//! there are, since nothing that a system does depends on them.

use crate::property::Property;
use elnath_check::temporal::{Bad, Fairness, Watch};
use elnath_kernel::{Keep, Run, Savings, Simplified, Simplify, System};
use std::sync::Arc;

/// The reductions that are wanted, each where it is sound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reductions {
    /// Partial order reduction: see [`elnath_program::independence`].
    pub por: bool,
    /// Statement merging: see [`elnath_program::transform::merge`].
    pub merge: bool,
    /// Dead variables are forgotten: see [`elnath_program::transform::forget`].
    pub dead: bool,
}

impl Reductions {
    /// None: every state and transition.
    pub const NONE: Self = Self { por: false, merge: false, dead: false };
    /// Those that nobody has to ask for, since they keep every verdict.
    pub const USUAL: Self = Self { por: true, merge: true, dead: true };
}

/// What became of a reduction that was wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Applied {
    /// It was used, and did this.
    Used(Savings),
    /// It changed so many places of the program.
    Changed(u64),
    /// It was not used, because of this.
    Left(&'static str),
}

/// What a question allows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowed {
    /// Leaving out orders of steps, and what is to be kept then; or why it is not allowed, in words that follow "because".
    pub(crate) orders: Result<Keep, &'static str>,
    /// Making one step out of several.
    pub(crate) merging: Result<(), &'static str>,
    /// Forgetting what makes no difference.
    pub(crate) forgetting: Result<(), &'static str>,
    /// Whether runs go on after a fault.
    pub(crate) past_faults: bool,
}

impl Allowed {
    /// By a question about what can be reached.
    pub(crate) fn by_reachability(all: bool, shortest: bool, forbids: bool) -> Self {
        const ALL: &str = "all errors are to be counted";
        let orders = match (all, shortest) {
            (true, _) => Err(ALL),
            (_, true) => Err("a shortest run is wanted"),
            _ => Ok(Keep::default()),
        };
        let merging = if forbids { Err("actions are forbidden") } else { Ok(()) };
        let forgetting = if all { Err(ALL) } else { Ok(()) };
        Self { orders, merging, forgetting, past_faults: false }
    }

    /// By a question about finite runs.
    pub(crate) fn by_finite_runs(all: bool) -> Self {
        let forgetting = if all { Err("all errors are to be counted") } else { Ok(()) };
        let why = "the formula is about finite runs";
        Self { orders: Err(why), merging: Err(why), forgetting, past_faults: false }
    }

    /// By a question about infinite runs.
    pub(crate) fn by_property(property: &Property, shortest: bool) -> Self {
        let past_faults = !property.question.faults;
        Self { orders: orders_of(property, shortest), merging: Ok(()), forgetting: Ok(()), past_faults }
    }
}

fn orders_of(property: &Property, shortest: bool) -> Result<Keep, &'static str> {
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
    Ok(Keep { accepting, order_of_faults: question.faults })
}

/// A system that is walked instead of another.
pub(crate) struct Walked<'a> {
    /// The system that is walked.
    pub(crate) system: Arc<dyn System + 'a>,
    por: Option<Result<(), &'static str>>,
    merge: Option<Applied>,
    dead: Option<Applied>,
}

impl<'a> Walked<'a> {
    /// The system that is to be walked instead of this one, with the reductions that are wanted and allowed.
    pub(crate) fn new(system: &Arc<dyn System + 'a>, wanted: Reductions, allowed: Allowed) -> Self {
        let merging = allowed.orders.and_then(|keep| allowed.merging.map(|()| keep));
        let how = Simplify {
            merge: wanted.merge && merging.is_ok(),
            dead: wanted.dead && allowed.forgetting.is_ok(),
            keep: merging.unwrap_or_default(),
            past_faults: allowed.past_faults,
        };
        let mut walked = Self { system: Arc::clone(system), por: None, merge: None, dead: None };
        let mut simplified = Ok(Simplified { merged: Ok(0), forgotten: 0 });
        if how.merge || how.dead {
            simplified = Arc::clone(system).simplified(how).map(|(simple, simplified)| {
                walked.system = simple;
                simplified
            });
        }
        let applied = |changed: Result<u64, &'static str>| match changed {
            Ok(places) => Applied::Changed(places),
            Err(why) => Applied::Left(why),
        };
        let merged = merging.and(simplified).and_then(|simplified| simplified.merged);
        walked.merge = wanted.merge.then(|| applied(merged));
        let forgotten = allowed.forgetting.and(simplified).map(|simplified| simplified.forgotten);
        walked.dead = wanted.dead.then(|| applied(forgotten));
        if wanted.por {
            let reduced = allowed.orders.and_then(|keep| Arc::clone(&walked.system).reduced(keep));
            walked.por = Some(reduced.map(|reduced| walked.system = reduced));
        }
        walked
    }

    /// What became of partial order reduction, of merging and of forgetting, when the walk is done.
    pub(crate) fn applied(&self) -> [Option<Applied>; 3] {
        let por = self.por.map(|por| match por {
            Ok(()) => Applied::Used(self.system.savings().unwrap_or_default()),
            Err(why) => Applied::Left(why),
        });
        [por, self.merge.clone(), self.dead.clone()]
    }

    /// A run of the system that was walked, with the system to tell it by: the one as it was written, `original`, if
    /// that can be.
    pub(crate) fn told(&self, original: &Arc<dyn System + 'a>, run: Run) -> (Arc<dyn System + 'a>, Run) {
        match self.system.unfolded(&run, None) {
            Some((unfolded, _)) => (Arc::clone(original), unfolded),
            None => (Arc::clone(&self.system), run),
        }
    }
}
