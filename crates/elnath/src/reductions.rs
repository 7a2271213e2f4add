//! Which reductions a check uses, and when they may be used.
//!
//! A reduction keeps verdicts, not figures: see [`elnath_kernel::System::reduced`] for what stays. So it is left out where
//! the question is about something else: how many errors there are, which run is the shortest, what is fair, what the next
//! step is, which action is taken between which others. Forgetting dead variables keeps all of this but how many errors
//! there are and when a cycle closes, since nothing that a system does depends on them. The same is true of slicing.

use crate::property::Property;
use crate::symmetry;
use elnath_check::temporal::{self, Bad, Fairness, Watch};
use elnath_check::{Plan, SearchPlan};
use elnath_kernel::{Keep, Notices, Origin, Run, Savings, Simplified, Simplify, System};
use elnath_source::Message;
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
    /// Variables outside the cone of influence of the question are left out of the state: see
    /// [`elnath_program::transform::slice`].
    pub slice: bool,
    /// One state for all that differ only in which of several alike processes is which: see [`elnath_program::symmetry`].
    /// Unlike the others it is never left out silently: where it is not sound there is no answer but
    /// [`crate::Problem::Asymmetric`].
    pub symmetry: bool,
    /// Sleep sets: see [`elnath_kernel::search::sleeping`]. They save second arrivals, not states, and cost more than they
    /// save where nothing is forgotten.
    pub sleep: bool,
}

impl Reductions {
    /// None: every state and transition.
    pub const NONE: Self =
        Self { por: false, merge: false, dead: false, slice: false, symmetry: false, sleep: false };
    /// Those that nobody has to ask for, since they keep every verdict.
    pub const USUAL: Self = Self { por: true, merge: true, dead: true, slice: true, ..Self::NONE };
}

/// What became of a reduction that was wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Applied {
    /// It was used, and did this.
    Used(Savings),
    /// It changed so many places of the program.
    Changed(u64),
    /// It left these variables out of the state.
    Sliced(Vec<String>),
    /// It was not used, because of this.
    Left(&'static str),
}

/// What a question allows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowed {
    /// What is to be kept.
    pub(crate) keep: Keep,
    /// Leaving out orders of steps; or why it is not allowed, in words that follow "because".
    pub(crate) orders: Result<(), &'static str>,
    /// Making one step out of several.
    pub(crate) merging: Result<(), &'static str>,
    /// Forgetting what makes no difference, or leaving it out of the state altogether.
    pub(crate) forgetting: Result<(), &'static str>,
}

impl Allowed {
    /// By a question about what can be reached.
    pub(crate) fn by_reachability(mut keep: Keep, all: bool, shortest: bool, forbids: bool) -> Self {
        const ALL: &str = "all errors are to be counted";
        let orders = match (all, shortest) {
            (true, _) => Err(ALL),
            (_, true) => Err("a shortest run is wanted"),
            _ => Ok(()),
        };
        keep.ends = forbids;
        let mut merging = if forbids { Err("actions are forbidden") } else { Ok(()) };
        let mut forgetting = if all { Err(ALL) } else { Ok(()) };
        if keep.only_deadlocks {
            // Such a run of a simplified program cannot always be found again in the one that was written.
            let why = "a run to a deadlock may go on after a fault";
            (merging, forgetting) = (Err(why), Err(why));
        }
        Self { keep, orders, merging, forgetting }
    }

    /// By a question about finite runs.
    pub(crate) fn by_finite_runs(all: bool) -> Self {
        let forgetting = if all { Err("all errors are to be counted") } else { Ok(()) };
        let why = "the formula is about finite runs";
        Self { keep: Keep::default(), orders: Err(why), merging: Err(why), forgetting }
    }

    /// By a question about infinite runs.
    pub(crate) fn by_property(property: &Property, shortest: bool) -> Self {
        let question = &property.question;
        let keep = Keep {
            accepting: question.labels || matches!(question.bad, Bad::System),
            order_of_faults: question.faults,
            only_deadlocks: false,
            past_faults: !question.faults,
            ends: false,
        };
        // Such a run of a simplified program cannot always be found again in the one that was written.
        let simplifying = if keep.past_faults { Err("runs go on after a fault") } else { Ok(()) };
        // A cycle closes later in the program as it was written, which remembers.
        let forgetting = if shortest { Err("a shortest run is wanted") } else { simplifying };
        Self { keep, orders: orders_of(property, shortest), merging: simplifying, forgetting }
    }
}

fn orders_of(property: &Property, shortest: bool) -> Result<(), &'static str> {
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
        return Err(
            "the property may count steps (it has X, or was not shown to be insensitive to repeated states)",
        );
    }
    Ok(())
}

/// A system that is walked instead of another.
pub(crate) struct Walked<'a> {
    /// The system that is walked.
    pub(crate) system: Arc<dyn System + 'a>,
    por: Option<Reduced<'a>>,
    merge: Option<Applied>,
    dead: Option<Applied>,
    slice: Option<Applied>,
    is_simplified: bool,
    is_quotient: bool,
}

/// A system to be walked instead of another, or why that one has to be.
pub(crate) type Reduced<'a> = Result<Arc<dyn System + 'a>, &'static str>;

impl<'a> Walked<'a> {
    /// The system that is to be walked instead of this one, with the reductions that are wanted and allowed.
    pub(crate) fn new(system: &Arc<dyn System + 'a>, wanted: Reductions, mut allowed: Allowed) -> Self {
        if wanted.symmetry {
            // What processes may do is looked at, and runs are found again, in the program as it was written.
            let why = "symmetry is about the program as it is written";
            (allowed.merging, allowed.forgetting) = (Err(why), Err(why));
        }
        let merging = allowed.orders.and(allowed.merging);
        let how = Simplify {
            slice: wanted.slice && allowed.forgetting.is_ok(),
            merge: wanted.merge && merging.is_ok(),
            dead: wanted.dead && allowed.forgetting.is_ok(),
            keep: allowed.keep,
        };
        let mut walked = Self {
            system: Arc::clone(system),
            por: None,
            merge: None,
            dead: None,
            slice: None,
            is_simplified: false,
            is_quotient: false,
        };
        let mut simplified = Ok(Simplified { sliced: Vec::new(), merged: Ok(0), forgotten: 0 });
        if how.merge || how.dead || how.slice {
            simplified = Arc::clone(system).simplified(how).map(|(simple, simplified)| {
                walked.system = simple;
                walked.is_simplified = walked.system.origin().is_some();
                simplified
            });
        }
        let applied = |changed: Result<u64, &'static str>| match changed {
            Ok(places) => Applied::Changed(places),
            Err(why) => Applied::Left(why),
        };
        let simplified = simplified.as_ref().map_err(|why| *why);
        let merged = merging.and(simplified).and_then(|simplified| simplified.merged);
        walked.merge = wanted.merge.then(|| applied(merged));
        let forgotten = allowed.forgetting.and(simplified).map(|simplified| simplified.forgotten);
        walked.dead = wanted.dead.then(|| applied(forgotten));
        walked.slice = wanted.slice.then(|| match allowed.forgetting.and(simplified) {
            Ok(simplified) => Applied::Sliced(simplified.sliced.clone()),
            Err(why) => Applied::Left(why),
        });
        if wanted.por {
            let reduced = allowed.orders.and_then(|()| Arc::clone(&walked.system).reduced(allowed.keep));
            if let Ok(reduced) = &reduced {
                walked.system = Arc::clone(reduced);
            }
            walked.por = Some(reduced);
        }
        walked
    }

    /// Takes one state for all that symmetry makes equal.
    pub(crate) fn take_quotient(
        &mut self,
        original: &Arc<dyn System + 'a>,
        why_not: Option<&str>,
        notices: Notices,
    ) -> Result<(), Vec<Message>> {
        self.system = symmetry::quotient(original, &mut self.por, why_not, notices)?;
        self.is_quotient = true;
        Ok(())
    }

    /// The search with sleep sets instead of this one, or why there is none.
    pub(crate) fn with_sleep_sets(&self, plan: &Plan) -> Result<SearchPlan, &'static str> {
        if self.is_quotient {
            return Err("with symmetry a process has another number in the next state");
        }
        if plan.search != SearchPlan::DepthFirst || !plan.store.keeps_sleep_sets() {
            return Err("they are for depth-first search with the exact or the replacing store");
        }
        let (mut stepper, mut state, mut enabled) = (self.system.stepper(), Vec::new(), Vec::new());
        stepper.initial(&mut state);
        stepper.enabled(&state, &mut enabled);
        if enabled.iter().any(|&t| stepper.mover(t).is_none()) {
            return Err("the system is not made of processes");
        }
        Ok(SearchPlan::Sleeping)
    }

    /// Whether another program is walked than the one that was written.
    pub(crate) fn is_simplified(&self) -> bool {
        self.is_simplified
    }

    /// Whether another system is walked than this one.
    pub(crate) fn is_another(&self, original: &Arc<dyn System + 'a>) -> bool {
        !Arc::ptr_eq(&self.system, original)
    }

    /// Whether one state was taken for all that symmetry makes equal.
    pub(crate) fn is_quotient(&self) -> bool {
        self.is_quotient
    }

    /// What became of partial order reduction, of merging, of forgetting and of slicing, when the walk is done.
    pub(crate) fn applied(&self) -> [Option<Applied>; 4] {
        let por = self.por.as_ref().map(|por| match por {
            Ok(reduced) => Applied::Used(reduced.savings().unwrap_or_default()),
            Err(why) => Applied::Left(why),
        });
        [por, self.merge.clone(), self.dead.clone(), self.slice.clone()]
    }

    /// A run of the system that was walked, with the system to tell it by: the one as it was written, `original`, if
    /// that can be. Nothing if the run is none of a program that was simplified, which would be a bug of ours.
    pub(crate) fn told(
        &self,
        original: &Arc<dyn System + 'a>,
        run: Run,
    ) -> Option<(Arc<dyn System + 'a>, Run)> {
        if !self.is_simplified && !self.is_quotient {
            return Some((Arc::clone(&self.system), run));
        }
        let mut run = run;
        let mut system = Arc::clone(&self.system);
        while let Some(origin) = system.origin() {
            run = system.unfolded(&run, None)?.0;
            system = origin.system;
        }
        Some((Arc::clone(original), run))
    }

    /// The same of an answer about infinite runs.
    pub(crate) fn tell_property(
        &self,
        original: &Arc<dyn System + 'a>,
        answer: &mut temporal::Answer<'a>,
    ) -> Result<(), temporal::Refusal> {
        let mut system = Arc::clone(&self.system);
        let mut origin = system.origin();
        while let Some(Origin { system: from, step_by_step }) = origin {
            let Some((run, loop_start)) = &mut answer.run else { return Ok(()) };
            if step_by_step && let Some(loop_start) = loop_start {
                // While the cycle closes.
                answer.product.roll_back(run, loop_start);
            }
            let unfolded = system.unfolded(&answer.product.alone(run), *loop_start);
            system = from;
            origin = system.origin();
            // The last one is as the caller has it, which may be machine code.
            let from = if origin.is_none() { Arc::clone(original) } else { Arc::clone(&system) };
            if step_by_step {
                temporal::follow_answer(answer, from, unfolded)?;
            } else {
                temporal::unfold_answer(answer, from, unfolded)?;
            }
        }
        Ok(())
    }
}
