//! Asking whether two systems are related: one builder for Rust programs and for the command line.
//!
//! ```
//! use elnath::compare::Compare;
//! use elnath::lts::Builder;
//! use elnath::{Relation, Verdict};
//! use std::sync::Arc;
//!
//! // a.(b + c) against a.b + a.c
//! let (mut left, mut right) = (Builder::new(), Builder::new());
//! for (from, label, to) in [(0, "a", 1), (1, "b", 2), (1, "c", 2)] {
//!     left.add(from, label, to);
//! }
//! for (from, label, to) in [(0, "a", 1), (0, "a", 2), (1, "b", 3), (2, "c", 3)] {
//!     right.add(from, label, to);
//! }
//! let report = Compare::systems(Arc::new(left.finish(0)), Arc::new(right.finish(0)))
//!     .relation(Relation::Strong)
//!     .shortest()
//!     .run()
//!     .unwrap();
//! let Verdict::Fails(difference) = report.verdict() else { panic!() };
//! assert_eq!(
//!     difference.headline(["the left", "the right"]),
//!     "after a, the left can do c, the right cannot"
//! );
//! ```

use crate::compositional::{MinimisedParts, NetworkParts};
use crate::driver::{Limits, drive};
use crate::model::{Model, ModelSystem};
use crate::problem::Problem;
use crate::questions::relation::Related;
use crate::report::Report;
pub use elnath_check::relation::play;
pub use elnath_check::relation::{
    Answered, Comparison, Counterexample, Decided, Difference, Exchange, Explored, GameDiagnosis, LabelKind,
    PairOrder, PairStore, RelationEngine, SideNames, Why,
};
use elnath_kernel::relation::is_internal;
use elnath_kernel::{Counters, Direction, Limit, Relation, System};
use elnath_lts::Lts;
use std::sync::Arc;

/// A question about two systems, to be asked with [`Compare::run`].
pub struct Compare<'a> {
    asked: Related<'a>,
    limits: Limits<'a>,
}

/// What [`Compare`] reports.
pub type CompareReport<'a> = Report<Difference, ComparisonFigures<'a>>;

/// What was compared, and what that took.
pub struct ComparisonFigures<'a> {
    /// The left system.
    pub left: Arc<dyn System + 'a>,
    /// The right system.
    pub right: Arc<dyn System + 'a>,
    /// What they are called.
    pub names: [String; 2],
    /// The relation that was asked about.
    pub relation: Relation,
    /// Both ways, or one.
    pub direction: Direction,
    /// How pairs were remembered.
    pub store: PairStore,
    /// What decided; if there were two comparisons, one each way, what decided the last.
    pub decided: Decided,
    /// Pairs looked at, in all.
    pub pairs: u64,
    /// States seen of the left system and of the right one.
    pub states: [u64; 2],
    /// The most bytes taken at a time.
    pub peak_bytes: usize,
    /// Whether a transition of the left or right system broke a rule of the model; it was compared all the same.
    pub faults: [bool; 2],
    /// What was explored of pairs of a state and a set of states, where observations are compared.
    pub explored: Option<Explored>,
    /// What was made of the components of the left network and of the right one, if these were minimised first.
    pub components: [Option<MinimisedParts>; 2],
}

impl<'a> Compare<'a> {
    /// Compares two models written in Rust.
    pub fn models<M: Model, N: Model>(left: &'a M, right: &'a N) -> Self {
        Self::systems(Arc::new(ModelSystem::new(left)), Arc::new(ModelSystem::new(right)))
    }

    /// Compares any two systems: strong bisimulation, unless another relation is asked for.
    pub fn systems(left: Arc<dyn System + 'a>, right: Arc<dyn System + 'a>) -> Self {
        Self {
            asked: Related {
                left,
                right,
                names: ["the left".to_owned(), "the right".to_owned()],
                relation: Relation::Strong,
                direction: Direction::Equivalence,
                engine: RelationEngine::Auto,
                order: PairOrder::default(),
                shortest: false,
                store: PairStore::Exact,
                taus: None,
                graphs: None,
                networks: [None, None],
                pairs: u64::MAX,
            },
            limits: Limits::default(),
        }
    }

    /// How they are compared.
    #[must_use]
    pub fn relation(self, relation: Relation) -> Self {
        Self { asked: Related { relation, ..self.asked }, ..self }
    }

    /// Both ways, or only whether the left one is below the right one.
    #[must_use]
    pub fn direction(self, direction: Direction) -> Self {
        Self { asked: Related { direction, ..self.asked }, ..self }
    }

    /// Who decides.
    #[must_use]
    pub fn engine(self, engine: RelationEngine) -> Self {
        Self { asked: Related { engine, ..self.asked }, ..self }
    }

    /// In which order pairs are looked at.
    #[must_use]
    pub fn order(self, order: PairOrder) -> Self {
        Self { asked: Related { order, ..self.asked }, ..self }
    }

    /// A refutation is to be as shallow as possible.
    #[must_use]
    pub fn shortest(self) -> Self {
        Self { asked: Related { shortest: true, ..self.asked }, ..self }
    }

    /// How pairs are remembered.
    #[must_use]
    pub fn store(self, store: PairStore) -> Self {
        Self { asked: Related { store, ..self.asked }, ..self }
    }

    /// The most bytes that the systems and the comparison may take.
    #[must_use]
    pub fn memory(self, memory: usize) -> Self {
        Self { limits: Limits { memory, memory_named: true, ..self.limits }, ..self }
    }

    /// The most pairs that may be looked at.
    #[must_use]
    pub fn pairs(self, pairs: u64) -> Self {
        let (asked, limits) = (self.asked, self.limits);
        Self { asked: Related { pairs, ..asked }, limits: Limits { states: pairs, ..limits } }
    }

    /// The labels that are the internal action; without this, `i` and `tau`.
    #[must_use]
    pub fn internal(self, labels: Vec<String>) -> Self {
        Self { asked: Related { taus: Some(labels), ..self.asked }, ..self }
    }

    /// The two systems are these graphs, as they are: then their classes may decide, where many pairs have not.
    #[must_use]
    pub fn explicit(self, left: Arc<Lts>, right: Arc<Lts>) -> Self {
        Self { asked: Related { graphs: Some([left, right]), ..self.asked }, ..self }
    }

    /// These of the two systems are networks, whose components may be minimised first, where many pairs have not decided.
    #[must_use]
    pub fn networks(self, networks: [Option<NetworkParts>; 2]) -> Self {
        Self { asked: Related { networks, ..self.asked }, ..self }
    }

    /// Is called now and then with the figures so far; a returned limit stops the comparison.
    #[must_use]
    pub fn watch(self, watch: impl FnMut(&Counters) -> Option<Limit> + 'a) -> Self {
        Self { limits: self.limits.watched(watch), ..self }
    }

    /// What the systems are called in texts; without this, the left and the right.
    #[must_use]
    pub fn names(self, left: &str, right: &str) -> Self {
        Self { asked: Related { names: [left.to_owned(), right.to_owned()], ..self.asked }, ..self }
    }

    /// Asks.
    ///
    /// # Errors
    /// If the question cannot be answered this way.
    pub fn run(mut self) -> Result<CompareReport<'a>, Problem> {
        drive(self.asked, &mut self.limits)
    }
}

/// Which labels are the internal action: these, or `i` and `tau`.
pub fn internal_labels(taus: Option<Vec<String>>) -> Box<dyn Fn(&str) -> bool + Send + Sync> {
    match taus {
        Some(taus) => Box::new(move |label| taus.iter().any(|tau| tau == label)),
        None => Box::new(is_internal),
    }
}

impl ComparisonFigures<'_> {
    /// What the systems are called.
    pub fn names(&self) -> SideNames<'_> {
        [&self.names[0], &self.names[1]]
    }

    /// What was asked, in words that go between the names of the two systems: "are branching bisimilar".
    pub fn asked(&self) -> (&'static str, &'static str) {
        match self.direction {
            Direction::Preorder => match self.relation {
                Relation::Strong | Relation::Simulation => ("is simulated by", "is not simulated by"),
                Relation::ReadySimulation => ("is ready-simulated by", "is not ready-simulated by"),
                Relation::Weak | Relation::WeakSimulation => {
                    ("is weakly simulated by", "is not weakly simulated by")
                }
                Relation::Trace
                | Relation::WeakTrace
                | Relation::Failures
                | Relation::FailuresDivergences => ("refines", "does not refine"),
                _ => ("is below", "is not below"),
            },
            Direction::Equivalence => ("is equivalent to", "is not equivalent to"),
        }
    }

    /// States for people: an exchange's, left and right.
    pub fn show_states(&self, diagnosis: &GameDiagnosis, exchange: &Exchange) -> [String; 2] {
        let systems: [&dyn System; 2] = [&*self.left, &*self.right];
        [0, 1].map(|side| diagnosis.show_state(systems, side, exchange.states[side]))
    }
}
