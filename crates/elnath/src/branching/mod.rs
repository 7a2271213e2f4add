//! Asking about branching time: formulas of the mu-calculus and of CTL.
//!
//! ```
//! use elnath::branching::{Branching, BranchingProperties};
//! # let path = std::env::temp_dir().join("elnath-doc-branching.aut");
//! # std::fs::write(&path, "des (0, 3, 2)\n(0, \"open\", 1)\n(1, \"close\", 0)\n(1, \"open\", 1)\n").unwrap();
//!
//! let properties = BranchingProperties::parse("[true*] <true* . close> true").unwrap();
//! let options = elnath::LoadOptions { property: Some(properties.wanted()), ..Default::default() };
//! let loaded = elnath::load(&path, &options).map_err(|_| ()).unwrap();
//! let report = Branching::of(&loaded, properties).unwrap().run().unwrap();
//! assert!(matches!(report.verdict(), elnath::Verdict::Holds(_)));
//! ```
//!
//! What is asked is whether the initial state satisfies the formula. [`elnath_logic::branching`] has the language and what a state without
//! successors means; [`elnath_check::branching`] has the engines.

mod labels;
mod properties;
mod story;

pub use properties::{BranchingProperties, BranchingProperty};
pub use story::StoryLine;

use crate::Loaded;
use crate::driver::{Limits, drive};
use crate::problem::Problem;
use crate::questions::branching::BranchingQuestion;
use crate::report::{PropertyReport, Report};
use elnath_check::SearchChoice;
use elnath_check::plan::Plan;
use elnath_kernel::{Counters, Limit, Run, System, replay};
use elnath_lts::{Builder, Lts, Taus};
use elnath_source::Message;
use std::sync::Arc;

pub use elnath_check::branching::{BranchingEngine, Evidence, EvidenceStep, LARGEST_PROOF};
pub use elnath_logic::branching as logic;
pub(crate) use labels::LabelMatcher;

/// Formulas about a model, to be asked about with [`Branching::run`].
pub struct Branching<'a> {
    loaded: &'a Loaded,
    properties: Arc<BranchingProperties>,
    propositions: Vec<u32>,
    choice: SearchChoice,
    limits: Limits<'a>,
    /// What is doubtful about the formulas.
    pub warnings: Vec<Message>,
}

/// What [`Branching`] reports.
pub type BranchingReport<'a> = Report<(), Arc<BranchingFigures<'a>>>;
/// What it reports of one formula.
pub type BranchingChecked<'a> = PropertyReport<(), Arc<BranchingFigures<'a>>>;

/// What was done for a formula.
pub struct BranchingFigures<'a> {
    /// The model as it was written.
    pub system: Arc<dyn System + 'a>,
    /// The formulas that were asked about together.
    pub properties: Arc<BranchingProperties>,
    /// Which of them this is.
    pub number: usize,
    /// What decided.
    pub engine: BranchingEngine,
    /// How the search for a state that decides was made, if that is what decided.
    pub plan: Option<Plan>,
    /// How often kinds of fixpoints alternate.
    pub alternation: u32,
    /// Into how many positions the formula was made.
    pub positions: usize,
    /// What the walk did.
    pub counters: Counters,
    /// How many pairs of state and position were looked at, where that was counted.
    pub pairs: Option<u64>,
    /// The part of the model that shows the verdict, if there is a small one.
    pub evidence: Option<Evidence>,
    /// Transitions of the model that ran into a fault.
    pub faults: u64,
    /// States in which a proposition had no value.
    pub undefined: u64,
}

impl<'a> Branching<'a> {
    /// The question about a model that was loaded with the [wanted](BranchingProperties::wanted) propositions.
    ///
    /// # Errors
    /// Propositions that the model does not have, and labels that are no regular expressions.
    pub fn of(loaded: &'a Loaded, properties: Arc<BranchingProperties>) -> Result<Self, Vec<Message>> {
        let propositions = properties.bind(&loaded.system.propositions(), loaded.actions.is_some())?;
        let warnings = properties.doubts(loaded)?;
        let (choice, limits) = (SearchChoice::default(), Limits::default());
        Ok(Self { loaded, properties, propositions, choice, limits, warnings })
    }

    /// Chooses how to search, for formulas that a search decides.
    #[must_use]
    pub fn choice(self, choice: SearchChoice) -> Self {
        Self { choice, ..self }
    }

    /// Bytes for the model and everything else.
    #[must_use]
    pub fn memory(mut self, bytes: usize, named: bool) -> Self {
        (self.limits.memory, self.limits.memory_named) = (bytes, named);
        self
    }

    /// The most states entered.
    #[must_use]
    pub fn states(mut self, states: u64) -> Self {
        self.limits.states = states;
        self
    }

    /// The longest run that is followed: where the answer depends on a state further away, it is unknown.
    #[must_use]
    pub fn depth(mut self, depth: usize) -> Self {
        self.limits.depth = depth;
        self
    }

    /// Calls `watch` now and then with the figures of the walk; a returned limit stops it.
    #[must_use]
    pub fn watch(self, watch: impl FnMut(&Counters) -> Option<Limit> + 'a) -> Self {
        Self { limits: self.limits.watched(watch), ..self }
    }

    /// Asks about each formula.
    ///
    /// # Errors
    /// If the choices do not go together, or if evidence does not stand the check (a bug of elnath).
    pub fn run(mut self) -> Result<BranchingReport<'a>, Problem> {
        let mut reports: Option<BranchingReport<'a>> = None;
        for number in 0..self.properties.list().len() {
            let question = BranchingQuestion {
                subject: self.loaded.subject.clone(),
                internal: internal(self.loaded),
                properties: Arc::clone(&self.properties),
                number,
                propositions: self.propositions.clone(),
                choice: self.choice.clone(),
            };
            let report = drive(question, &mut self.limits)?;
            reports = Some(match reports {
                Some(before) => before.and(report),
                None => report,
            });
        }
        Ok(reports.expect("there is a formula"))
    }
}

/// The internal actions of a model.
pub(crate) fn internal(loaded: &Loaded) -> Taus {
    loaded.actions.as_ref().map_or_else(Taus::default, |actions| actions.internal().clone())
}

impl BranchingFigures<'_> {
    /// The evidence as a run of the model, perhaps with the step with which its cycle begins, if it is one.
    pub fn run(&self) -> Option<(Run, Option<usize>)> {
        let (steps, loop_start) = self.evidence.as_ref()?.run()?;
        Some((replay(&*self.system, &steps).ok()?, loop_start))
    }

    /// The label of a transition of the evidence.
    ///
    /// # Panics
    /// If it is none of it.
    pub fn label(&self, step: &EvidenceStep) -> String {
        let evidence = self.evidence.as_ref().expect("a step of the evidence");
        let action = self.system.stepper().action(&evidence.states[step.from as usize], step.transition);
        self.system.action_name(action)
    }

    /// The evidence as a graph, with the labels of the model.
    pub fn evidence_graph(&self) -> Option<Lts> {
        let evidence = self.evidence.as_ref()?;
        let (mut builder, mut stepper) = (Builder::new(), self.system.stepper());
        builder.at_least_states(evidence.states.len() as u32);
        for step in &evidence.steps {
            let action = stepper.action(&evidence.states[step.from as usize], step.transition);
            builder.add(step.from, &self.system.action_name(action), step.to);
        }
        Some(builder.finish(0))
    }
}
