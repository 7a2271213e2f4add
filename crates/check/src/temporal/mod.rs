//! Does the system have an infinite run that it must not have?
//!
//! The runs that must not be are given as an automaton: that of a negated formula, one from a file, a never claim. Its
//! [`Product`] with the system has a run that is accepted if and only if the system has a bad run, and *how hard* it is
//! to look for one depends on the strength of the automaton only ([`dispatch`]): for a terminal one it is enough to reach
//! a state, for a weak one to find a cycle on the path, and only the rest needs the searches that go over the states
//! twice, or by components.
//!
//! Cycles through the acceptance labels of the system itself are the same question with an automaton that accepts
//! everything; cycles without progress are the formula FG np_ where the system knows such a proposition.
//!
//! A bad run is a lasso. Before it is shown its cycle is shortened, and then it is replayed: it must close byte for byte
//! and be accepted.

mod along;
mod dispatch;
mod good;
mod product;
pub mod together;

pub use dispatch::{Method, TemporalPlan, Unfit};
pub use good::{Good, MakeGood};
pub use product::{Fairness, Looked, Observable, Product, TooLarge};

use crate::polish::{Polished, context_switches, reorder};
use crate::refusal::Refusal;
use crate::scout::Scouted;
use crate::stores::StorePlan;
use elnath_kernel::{
    Budget, Counters, Coverage, End, Essence, Fault, Lasso, Run, System, Verdict, replay, replay_lasso,
};
use elnath_logic::Automaton;
use elnath_logic::scc::Strength;
use std::sync::Arc;

/// Which infinite runs there must not be.
#[derive(Clone)]
pub struct InfiniteRuns {
    /// It accepts them.
    pub bad: Bad,
    /// Whether states of the system for which [`elnath_kernel::Stepper::accepting`] holds accept as well as those of the
    /// automaton: what SPIN means by a never claim beside acceptance labels.
    pub labels: bool,
    /// What its propositions look at, one each.
    pub watches: Vec<Observable>,
    /// Whether the last state of a run that ends is taken to last for ever; otherwise only infinite runs count.
    pub stutter: bool,
    /// Whether a run that meets a fault of the system is bad whatever else it is, and one in which a proposition has no
    /// value; otherwise it goes on as if nothing had happened, and the proposition is false.
    pub faults: bool,
    /// Only runs that are fair count.
    pub fairness: Fairness,
    /// A way to the good runs, where a deterministic automaton may tell them: one search wants that, and goes it.
    pub good: Option<Arc<MakeGood>>,
}

impl InfiniteRuns {
    /// The same about a system that has this many propositions of others before those that are looked at. (A deterministic automaton
    /// of the good runs is dropped: whoever shares a system with others has no use for it.)
    pub fn look_further(&mut self, before: u32) {
        for watch in &mut self.watches {
            if let Observable::State(bit) = watch {
                *bit += before;
            }
        }
        self.good = None;
    }

    /// Whether it is bad to come to an accepting component of an automaton of this strength at all, so that no cycle needs to be
    /// looked for.
    fn by_reaching(&self, strength: Strength) -> bool {
        strength <= Strength::Terminal && (self.stutter || strength == Strength::Empty)
    }
}

/// What accepts the bad runs.
#[derive(Clone, Debug)]
pub enum Bad {
    /// An automaton.
    Automaton(Automaton),
    /// The system itself: the runs that meet states for which [`elnath_kernel::Stepper::accepting`] holds again and again.
    System,
}

/// The answer, with its figures.
pub struct InfiniteAnswer<'s> {
    /// Whether there is no bad run.
    pub verdict: Verdict,
    /// A bad run of the product, replayed, and where its cycle begins. A run without one is bad whatever comes after it;
    /// if it has a fault, because of that.
    pub run: Option<(Run, Option<usize>)>,
    /// What was done to that run to make it easier to read.
    pub polished: Option<Polished>,
    /// What scouts did, if it was enough to reach a state and they set out.
    pub scouted: Option<Scouted>,
    /// The system with the automaton that was walked.
    pub product: Arc<Product<'s>>,
    /// How.
    pub method: Method,
    /// With which store.
    pub store: StorePlan,
    /// By how many workers.
    pub workers: usize,
    /// Why there was one only, if more were wanted, in words that follow "because".
    pub one_worker: Option<&'static str>,
    /// The strength of the automaton.
    pub strength: Strength,
    /// The size of the automaton that was used.
    pub size: Size,
    /// What the walk did.
    pub counters: Counters,
    /// Why it ended.
    pub end: End,
    /// What the store can claim.
    pub coverage: Coverage,
    /// The faults that the search came across, whether they count or not.
    pub faults: Vec<Fault>,
}

/// The size of an automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// States.
    pub states: usize,
    /// Edges.
    pub edges: usize,
    /// Acceptance sets.
    pub sets: u32,
}

impl Size {
    /// That of this automaton.
    pub fn of(automaton: &Automaton) -> Self {
        Self { states: automaton.states(), edges: automaton.edge_count(), sets: automaton.sets }
    }
}

/// Asks whether the system has a bad run.
///
/// # Errors
/// If the choices do not go together, or a diagnosis does not replay.
pub fn ask<'s>(
    system: Arc<dyn System + 's>,
    question: &InfiniteRuns,
    plan: &TemporalPlan,
    budget: &mut Budget<'_>,
) -> Result<InfiniteAnswer<'s>, Refusal> {
    dispatch::ask(system, question, plan, budget)
}

/// The answer that a bad run of a recording gives: its states are made once more, and how the automaton accepts along it is looked for.
///
/// # Errors
/// If it does not, which would be a bug of ours, or if the product has no room for the automaton.
pub fn along_recording<'s>(
    system: Arc<dyn System + 's>,
    question: &InfiniteRuns,
    run: &together::RecordedRun,
    counters: Counters,
) -> Result<InfiniteAnswer<'s>, Refusal> {
    dispatch::along_recording(system, question, run, counters)
}

/// Makes an answer about a quotient one about the system itself: the bad run is followed there, replayed, and is bad. Which
/// states correspond to each other is told by `essence`.
///
/// # Errors
/// If there is no such run, which would be a bug of ours.
pub fn lift_answer<'s>(
    answer: &mut InfiniteAnswer<'s>,
    system: Arc<dyn System + 's>,
    essence: Essence<'_>,
) -> Result<(), Refusal> {
    dispatch::lift_answer(answer, system, essence)
}

/// Makes an answer about a simplified program one about `system`, the program as it was written. `unfolded` is the bad run
/// there, without the automaton, and where its cycle begins; that it is bad is shown anew.
///
/// # Errors
/// If it is not, which would be a bug of ours.
pub fn unfold_answer<'s>(
    answer: &mut InfiniteAnswer<'s>,
    system: Arc<dyn System + 's>,
    unfolded: Option<(Run, Option<usize>)>,
) -> Result<(), Refusal> {
    dispatch::unfold_answer(answer, system, unfolded)
}

/// Makes an answer about a sliced program one about `system`, of which every step is one of the sliced program. `followed` is
/// the bad run there, without the automaton, whose cycle need not close: that the steps of the cycle can be repeated for ever
/// was shown by the sliced program, in which it does.
///
/// # Errors
/// If the automaton does not move along that run as it did before, which would be a bug of ours.
pub fn follow_answer<'s>(
    answer: &mut InfiniteAnswer<'s>,
    system: Arc<dyn System + 's>,
    followed: Option<(Run, Option<usize>)>,
) -> Result<(), Refusal> {
    dispatch::follow_answer(answer, system, followed)
}

/// Confirms an answer on `system`, which has the states and transitions of the one that it is about: the bad run is replayed there,
/// and is the same.
///
/// # Errors
/// If it is not, which would be a bug of ours.
pub fn confirm<'s>(answer: &mut InfiniteAnswer<'s>, system: Arc<dyn System + 's>) -> Result<(), Refusal> {
    let product = answer.product.over(system);
    if let Some((run, _)) = &answer.run {
        let again = replay(&product, &run.steps)?;
        if again != *run {
            return Err(Refusal::NO_VIOLATION);
        }
    }
    answer.product = Arc::new(product);
    Ok(())
}

/// [Polishes](crate::polish) the bad run: the steps before the cycle, and those of the cycle if it closes and is still accepted then.
/// Steps that are not needed were left out when the run was found. `stop` ends it when it says so.
pub fn polish(answer: &mut InfiniteAnswer<'_>, stop: &mut dyn FnMut() -> bool) -> Option<Polished> {
    let (run, loop_start) = answer.run.as_mut()?;
    let product = &*answer.product;
    let steps = run.steps.len();
    let before = context_switches(product, &run.steps)?;
    // A fault is the last step.
    let prefix = loop_start.unwrap_or(steps - usize::from(run.fault.is_some()).min(steps));
    reorder(product, run, 0..prefix, stop);
    if let Some(start) = *loop_start {
        let mut with_cycle = run.clone();
        reorder(product, &mut with_cycle, start..steps, stop);
        let lasso = Lasso::new(with_cycle.steps.clone(), start);
        let acceptance = dispatch::acceptance(product, answer.method);
        if replay_lasso(product, &lasso, &acceptance).is_ok_and(|again| again == with_cycle) {
            *run = with_cycle;
        }
    }
    let after = context_switches(product, &run.steps)?;
    Some(Polished { before: (steps, before), after: (steps, after) })
}
