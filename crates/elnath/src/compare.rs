//! Asking whether two systems are related: one builder for Rust programs and for the command line.
//!
//! ```
//! use elnath::compare::{Compare, Difference};
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
//! let compared = Compare::systems(Arc::new(left.finish(0)), Arc::new(right.finish(0)))
//!     .relation(Relation::Strong)
//!     .shortest()
//!     .run()
//!     .unwrap();
//! let Verdict::Fails(difference) = &compared.comparison.verdict else { panic!() };
//! assert_eq!(
//!     difference.headline(["the left", "the right"]),
//!     "after a, the left can do c, the right cannot"
//! );
//! ```

use crate::model::{Model, ModelSystem};
use elnath_check::Refusal;
pub use elnath_check::relation::{
    Answered, Comparison, Counterexample, Decided, Difference, Exchange, GameDiagnosis, LabelKind, PairOrder,
    PairStore, RelationEngine, Why,
};
use elnath_check::relation::{RelationQuestion, ask};
use elnath_kernel::relation::is_internal;
use elnath_kernel::{Budget, Counters, Coverage, Direction, Limit, Relation, System, Verdict, Watch};
use elnath_lts::Lts;
use elnath_lts::quotient::{self, Failure};
use std::sync::Arc;

/// A question about two systems, to be asked with [`Compare::run`].
pub struct Compare<'a> {
    left: Arc<dyn System + 'a>,
    right: Arc<dyn System + 'a>,
    relation: Relation,
    direction: Direction,
    engine: RelationEngine,
    order: PairOrder,
    shortest: bool,
    store: PairStore,
    memory: usize,
    pairs: u64,
    taus: Option<Vec<String>>,
    graphs: Option<[Arc<Lts>; 2]>,
    watch: Option<Box<Watch<'a>>>,
}

/// How many pairs of explicit systems are looked at before their classes are computed instead, in nearly linear time. Most
/// differences show up sooner.
const PATIENCE: u64 = 20_000;

/// The answer, with what was asked.
pub struct Compared<'a> {
    /// The left system.
    pub left: Arc<dyn System + 'a>,
    /// The right system.
    pub right: Arc<dyn System + 'a>,
    /// The relation that was asked about.
    pub relation: Relation,
    /// Both ways, or one.
    pub direction: Direction,
    /// The answer.
    pub comparison: Comparison,
}

impl<'a> Compare<'a> {
    /// Compares two models written in Rust.
    pub fn models<M: Model, N: Model>(left: &'a M, right: &'a N) -> Self {
        Self::systems(Arc::new(ModelSystem::new(left)), Arc::new(ModelSystem::new(right)))
    }

    /// Compares any two systems: strong bisimulation, unless another relation is asked for.
    pub fn systems(left: Arc<dyn System + 'a>, right: Arc<dyn System + 'a>) -> Self {
        Self {
            left,
            right,
            relation: Relation::Strong,
            direction: Direction::Equivalence,
            engine: RelationEngine::Auto,
            order: PairOrder::default(),
            shortest: false,
            store: PairStore::Exact,
            memory: usize::MAX,
            pairs: u64::MAX,
            taus: None,
            graphs: None,
            watch: None,
        }
    }

    /// How they are compared.
    #[must_use]
    pub fn relation(self, relation: Relation) -> Self {
        Self { relation, ..self }
    }

    /// Both ways, or only whether the left one is below the right one.
    #[must_use]
    pub fn direction(self, direction: Direction) -> Self {
        Self { direction, ..self }
    }

    /// Who decides.
    #[must_use]
    pub fn engine(self, engine: RelationEngine) -> Self {
        Self { engine, ..self }
    }

    /// In which order pairs are looked at.
    #[must_use]
    pub fn order(self, order: PairOrder) -> Self {
        Self { order, ..self }
    }

    /// A refutation is to be as shallow as possible.
    #[must_use]
    pub fn shortest(self) -> Self {
        Self { shortest: true, ..self }
    }

    /// How pairs are remembered.
    #[must_use]
    pub fn store(self, store: PairStore) -> Self {
        Self { store, ..self }
    }

    /// The most bytes that the systems and the comparison may take.
    #[must_use]
    pub fn memory(self, memory: usize) -> Self {
        Self { memory, ..self }
    }

    /// The most pairs that may be looked at.
    #[must_use]
    pub fn pairs(self, pairs: u64) -> Self {
        Self { pairs, ..self }
    }

    /// The labels that are the internal action; without this, `i` and `tau`.
    #[must_use]
    pub fn internal(self, labels: Vec<String>) -> Self {
        Self { taus: Some(labels), ..self }
    }

    /// The two systems are these graphs, as they are: then their classes may decide, where many pairs have not.
    #[must_use]
    pub fn explicit(self, left: Arc<Lts>, right: Arc<Lts>) -> Self {
        Self { graphs: Some([left, right]), ..self }
    }

    /// Is called now and then with the figures so far; a returned limit stops the comparison.
    #[must_use]
    pub fn watch(self, watch: impl FnMut(&Counters) -> Option<Limit> + 'a) -> Self {
        Self { watch: Some(Box::new(watch)), ..self }
    }

    /// Asks.
    ///
    /// # Errors
    /// If the question cannot be answered this way.
    pub fn run(self) -> Result<Compared<'a>, Refusal> {
        let Self { left, right, relation, direction, taus, .. } = self;
        let mut watch = self.watch.unwrap_or_else(|| Box::new(|_| None));
        let mut budget = Budget {
            memory: self.memory.saturating_sub(left.bytes()).saturating_sub(right.bytes()),
            depth: usize::MAX,
            states: self.pairs,
            disk: None,
            watch: &mut *watch,
        };
        let internal = |label: &str| match &taus {
            Some(taus) => taus.iter().any(|tau| tau == label),
            None => is_internal(label),
        };
        let question = RelationQuestion {
            left: &*left,
            right: &*right,
            relation,
            direction,
            engine: self.engine,
            order: self.order,
            shortest: self.shortest,
            store: self.store,
            internal: &internal,
        };
        let by_classes = self.engine == RelationEngine::Auto
            && !self.shortest
            && self.store == PairStore::Exact
            && direction == Direction::Equivalence
            && quotient::BISIMULATIONS.contains(&relation)
            && self.pairs > PATIENCE;
        let comparison = match self.graphs.filter(|_| by_classes) {
            Some(graphs) => by_pairs_then_classes(&question, &graphs, &mut budget)?,
            None => ask(&question, &mut budget)?,
        };
        Ok(Compared { left, right, relation, direction, comparison })
    }
}

/// Looks at some pairs, which finds most differences; then at the classes of all states; and if these say that there is a
/// difference, at as many pairs as it takes to tell it.
fn by_pairs_then_classes(
    question: &RelationQuestion<'_>,
    [left, right]: &[Arc<Lts>; 2],
    budget: &mut Budget<'_>,
) -> Result<Comparison, Refusal> {
    let pairs = std::mem::replace(&mut budget.states, PATIENCE);
    let some = ask(question, budget)?;
    budget.states = pairs;
    if !matches!(some.verdict, Verdict::Unknown(Limit::States)) {
        return Ok(some);
    }
    match quotient::equivalent(left, right, question.relation, budget) {
        Ok(true) => Ok(Comparison {
            verdict: Verdict::Holds(Coverage::Exhaustive),
            decided: Decided {
                engine: "classes",
                why: "both models are graphs, and many pairs showed no difference",
                passes: None,
                forgotten: 0,
            },
            states: [left.num_states() as u64, right.num_states() as u64],
            ..some
        }),
        // A difference is to be told; or there is no room for classes, and maybe for pairs.
        Ok(false) | Err(Failure::Stopped { limit: Limit::Memory, .. } | Failure::NotOffered(_)) => {
            ask(question, budget)
        }
        Err(Failure::Stopped { limit, .. }) => Ok(Comparison { verdict: Verdict::Unknown(limit), ..some }),
    }
}

impl Compared<'_> {
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
