//! One walk for many questions about states: which propositions are true somewhere, each with a run there, and whatever a gauge measures.
//!
//! `EF p` is true if `p` is met, `AG p` is false if `!p` is: a file of such formulas is one walk, which ends as soon as all that is sought was met.
//! With a gauge, such as one for the most tokens on a place, it sees everything.

use crate::plan::{Exploration, Plan};
use crate::refusal::Refusal;
use elnath_kernel::{
    Budget, Counters, Coverage, Edge, End, Hooks, Limit, Run, Stepper, Successors, System, Witness, replay,
};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Measures states. Each worker has its own.
pub trait Gauge: Send {
    /// A state is explored; these are its successors.
    fn look(&mut self, state: &[u8], successors: &Successors);

    /// Whether there is something to measure, so that the walk must see all states.
    fn is_active(&self) -> bool;
}

/// Nothing is measured.
impl Gauge for () {
    fn look(&mut self, _state: &[u8], _successors: &Successors) {}

    fn is_active(&self) -> bool {
        false
    }
}

/// What a walk has found.
pub struct SurveyAnswer<G> {
    /// By proposition: a run to a state in which it is true, replayed, if one was sought and met.
    pub met: Vec<Option<Run>>,
    /// The propositions that were met, one bit each; of some the run may not be known.
    pub true_ones: u64,
    /// What was measured, by each worker.
    pub gauges: Vec<G>,
    /// What the walk did.
    pub counters: Counters,
    /// What ran out, if the walk has not seen all states and something sought was not met.
    pub limit: Option<Limit>,
    /// Whether it has seen all states.
    pub complete: bool,
    /// What the store can claim about that.
    pub coverage: Coverage,
}

/// Walks until all the propositions `sought`, one bit each, were met; or over everything, if there is something to measure.
///
/// # Errors
/// If the plan makes no sense, or a run does not replay.
pub fn survey<G: Gauge>(
    system: &dyn System,
    sought: u64,
    gauge: impl Fn() -> G,
    plan: &Plan,
    budget: &mut Budget<'_>,
) -> Result<SurveyAnswer<G>, Refusal> {
    let plan = Plan { search: plan.search.without_scouts(), ..*plan };
    let (met, made) = (Arc::new(AtomicU64::new(0)), AtomicUsize::new(0));
    let hooks = || {
        // A store without parents makes a second walk for the runs, which must not know what the first has met.
        let first = made.fetch_add(1, Ordering::Relaxed) < plan.workers();
        let met = if first { Arc::clone(&met) } else { Arc::new(AtomicU64::new(0)) };
        SurveyHooks { system, sought, met, gauge: gauge(), wants_run: false, gave_up: false }
    };
    let Exploration { outcome, coverage, hooks, .. } = plan.walk(system, hooks, budget)?;
    let true_ones = met.load(Ordering::Relaxed);
    let mut runs: Vec<Option<Run>> = vec![None; 64];
    let mut stepper = system.stepper();
    for witness in outcome.kept.iter().chain(&outcome.witness) {
        let Witness::Run(steps) = witness else { continue };
        let run = replay(system, steps)?;
        let holds = stepper.valuation(run.last()) & sought;
        if holds == 0 {
            return Err(Refusal::NO_VIOLATION);
        }
        for bit in (0..64).filter(|bit| holds >> bit & 1 == 1) {
            runs[bit].get_or_insert_with(|| run.clone());
        }
    }
    let gave_up = hooks.iter().any(|hooks| hooks.gave_up);
    let limit = match outcome.end {
        End::Complete if gave_up => Some(Limit::Sequence),
        End::Complete | End::Stopped => None,
        End::Limited(limit) => Some(limit),
    };
    Ok(SurveyAnswer {
        met: runs,
        true_ones,
        gauges: hooks.into_iter().map(|hooks| hooks.gauge).collect(),
        counters: outcome.counters,
        limit,
        complete: outcome.end == End::Complete && !gave_up,
        coverage,
    })
}

struct SurveyHooks<'q, G> {
    system: &'q dyn System,
    sought: u64,
    /// Those that some worker has met.
    met: Arc<AtomicU64>,
    gauge: G,
    wants_run: bool,
    /// Whether something was not computed to its end.
    gave_up: bool,
}

impl<G: Gauge> Hooks for SurveyHooks<'_, G> {
    fn expand(
        &mut self,
        stepper: &mut dyn Stepper,
        state: &[u8],
        successors: &Successors,
    ) -> ControlFlow<()> {
        if self.gauge.is_active() {
            self.gauge.look(state, successors);
        }
        let left = self.sought & !self.met.load(Ordering::Relaxed);
        let holds = if left == 0 { 0 } else { stepper.valuation(state) & left };
        if holds == 0 {
            return ControlFlow::Continue(());
        }
        // Another worker may have met it in the meantime.
        self.wants_run = holds & !self.met.fetch_or(holds, Ordering::Relaxed) != 0;
        if self.wants_run { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn edge(&mut self, _: &mut dyn Stepper, edge: Edge<'_>) -> ControlFlow<()> {
        self.gave_up |= edge.fault.is_some_and(|fault| self.system.gave_up(fault));
        ControlFlow::Continue(())
    }

    fn sees_all_edges(&self) -> bool {
        false
    }

    fn keeps(&mut self) -> bool {
        std::mem::take(&mut self.wants_run)
    }

    fn goes_on(&self) -> bool {
        self.gauge.is_active() || self.sought & !self.met.load(Ordering::Relaxed) != 0
    }
}
