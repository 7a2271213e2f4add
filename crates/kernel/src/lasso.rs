//! Infinite runs that show a violation: a prefix, and a cycle that is repeated for ever.
//!
//! A search hands over nothing but transitions. [`replay_lasso`] fires them on a fresh stepper, and only a lasso that
//! really closes, byte for byte, and really is accepted is shown.

use crate::diagnosis::{Diagnosis, NotARun, Run, replay};
use crate::system::{Stepper, System, Transition};
use std::fmt;

/// An infinite run: `prefix` once, then `cycle` for ever.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lasso {
    /// From the initial state to where the cycle begins.
    pub prefix: Vec<Transition>,
    /// From there back to there; at least one transition.
    pub cycle: Vec<Transition>,
}

impl Lasso {
    /// How many transitions it is written with.
    pub fn len(&self) -> usize {
        self.prefix.len() + self.cycle.len()
    }

    /// Whether it has no transition, and so is no lasso.
    pub fn is_empty(&self) -> bool {
        self.prefix.is_empty() && self.cycle.is_empty()
    }

    /// The lasso whose run has these steps and goes back to where its step `loop_start` begins.
    pub fn new(mut steps: Vec<Transition>, loop_start: usize) -> Self {
        let cycle = steps.split_off(loop_start);
        Self { prefix: steps, cycle }
    }

    /// All its steps.
    pub fn steps(&self) -> impl Iterator<Item = Transition> + '_ {
        self.prefix.iter().chain(&self.cycle).copied()
    }

    /// The lasso as a verdict carries it.
    pub fn diagnosis(&self) -> Diagnosis {
        Diagnosis { steps: self.steps().collect(), loop_start: Some(self.prefix.len()) }
    }
}

/// A strong fairness condition over the bits of [`Stepper::marks`]: a run that meets `request` again and again must meet
/// `response` again and again. One bit of each mask is enough to meet it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(alias = "strong fairness")]
pub struct StreettPair {
    /// What obliges.
    pub request: u64,
    /// What it obliges to.
    pub response: u64,
}

/// Which infinite runs are accepted, by the bits of [`Stepper::marks`] that they meet again and again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Condition {
    /// Each of these must be met.
    pub sets: u64,
    /// And each of these pairs respected.
    pub pairs: Vec<StreettPair>,
}

impl Condition {
    /// That all acceptance sets of the system are met.
    ///
    /// # Panics
    /// If it has more than 64.
    pub fn of(system: &dyn System) -> Self {
        let sets = system.acceptance_sets();
        assert!(sets <= 64, "a system has at most 64 acceptance sets");
        Self { sets: 1u64.checked_shl(sets).map_or(u64::MAX, |bit| bit - 1), pairs: Vec::new() }
    }

    /// Whether a run that meets exactly these bits again and again is accepted.
    pub fn accepts(&self, met: u64) -> bool {
        met & self.sets == self.sets && self.offended(met) == 0
    }

    /// The requests that stay without a response in a run that meets exactly these bits again and again.
    pub fn offended(&self, met: u64) -> u64 {
        let broken = self.pairs.iter().filter(|pair| pair.request & met != 0 && pair.response & met == 0);
        broken.fold(0, |requests, pair| requests | pair.request)
    }

    /// The bits that matter.
    pub fn bits(&self) -> u64 {
        self.pairs.iter().fold(self.sets, |bits, pair| bits | pair.request | pair.response)
    }
}

/// When an infinite run is accepted, and so a violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AcceptedBy {
    /// By the marks of its transitions.
    Marks(Condition),
    /// It meets states for which [`Stepper::accepting`] holds again and again.
    State,
    /// It does not: the automaton is that of the property itself, deterministic and complete.
    NoState,
}

impl AcceptedBy {
    /// The condition as one over the marks that [`marks`](Self::marks) gives.
    pub fn condition(&self) -> Condition {
        match self {
            AcceptedBy::Marks(condition) => condition.clone(),
            AcceptedBy::State => Condition { sets: 1, pairs: Vec::new() },
            AcceptedBy::NoState => Condition::default(),
        }
    }

    /// The marks of a transition, or `None` if no accepted run takes it again and again.
    pub fn marks(&self, stepper: &mut dyn Stepper, state: &[u8], t: Transition) -> Option<u64> {
        match self {
            AcceptedBy::Marks(_) => Some(stepper.marks(state, t)),
            AcceptedBy::State => Some(u64::from(stepper.accepting(state))),
            AcceptedBy::NoState => (!stepper.accepting(state)).then_some(0),
        }
    }
}

/// A claimed lasso that is none: always a bug of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotALasso {
    /// A step is not enabled.
    Step(NotARun),
    /// The cycle has no transition.
    NoCycle,
    /// The cycle ends in another state than it begins with.
    Open,
    /// The cycle is not accepted: it meets these bits only, or a transition that no accepted cycle has.
    Rejected {
        /// The bits of [`AcceptedBy::marks`] that the cycle meets.
        met: u64,
    },
}

impl fmt::Display for NotALasso {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotALasso::Step(step) => step.fmt(f),
            NotALasso::NoCycle => write!(f, "the cycle of the diagnosis has no transition"),
            NotALasso::Open => write!(f, "the cycle of the diagnosis does not close when it is replayed"),
            NotALasso::Rejected { met } => {
                write!(f, "the cycle of the diagnosis is not accepted: it meets {met:#b} only")
            }
        }
    }
}

impl std::error::Error for NotALasso {}

/// Fires the lasso, its cycle once, from the initial state of `system`, and checks that the cycle closes and is accepted.
///
/// # Errors
/// What is wrong with it.
pub fn replay_lasso(system: &dyn System, lasso: &Lasso, acceptance: &AcceptedBy) -> Result<Run, NotALasso> {
    if lasso.cycle.is_empty() {
        return Err(NotALasso::NoCycle);
    }
    let run = replay(system, &lasso.steps().collect::<Vec<_>>()).map_err(NotALasso::Step)?;
    if run.last() != run.states[lasso.prefix.len()] {
        return Err(NotALasso::Open);
    }
    let mut stepper = system.stepper();
    let mut met = 0;
    for (state, &t) in run.states.iter().zip(&run.steps).skip(lasso.prefix.len()) {
        met |= acceptance.marks(&mut *stepper, state, t).ok_or(NotALasso::Rejected { met })?;
    }
    if acceptance.condition().accepts(met) { Ok(run) } else { Err(NotALasso::Rejected { met }) }
}
