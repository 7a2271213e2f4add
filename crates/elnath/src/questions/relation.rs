//! Relations: two systems, and whether they are equivalent, or one is below the other.

use crate::compare::{CompareReport, ComparisonFigures};
use crate::driver::Question;
use crate::problem::Problem;
use crate::report::{PropertyKind, PropertyReport, Report, Summary};
use elnath_check::relation::{
    Comparison, Decided, Difference, PairOrder, PairStore, RelationEngine, RelationQuestion, ask,
};
use elnath_kernel::relation::is_internal;
use elnath_kernel::{Budget, Coverage, Direction, Limit, Relation, System, Verdict};
use elnath_lts::Lts;
use elnath_lts::quotient::{self, Failure};
use std::sync::Arc;

/// A question about two systems.
pub(crate) struct Related<'a> {
    pub(crate) left: Arc<dyn System + 'a>,
    pub(crate) right: Arc<dyn System + 'a>,
    pub(crate) names: [String; 2],
    pub(crate) relation: Relation,
    pub(crate) direction: Direction,
    pub(crate) engine: RelationEngine,
    pub(crate) order: PairOrder,
    pub(crate) shortest: bool,
    pub(crate) store: PairStore,
    pub(crate) taus: Option<Vec<String>>,
    /// The same systems as graphs, if that is what they are.
    pub(crate) graphs: Option<[Arc<Lts>; 2]>,
    /// The most pairs that may be looked at.
    pub(crate) pairs: u64,
}

/// How two systems are compared.
pub(crate) enum ComparisonPlan {
    /// Pair by pair.
    Pairs,
    /// Some pairs; then the classes of all states of two graphs.
    PairsThenClasses([Arc<Lts>; 2]),
}

/// How many pairs of explicit systems are looked at before their classes are computed instead, in nearly linear time. Most
/// differences show up sooner.
const PATIENCE: u64 = 20_000;

impl<'a> Question<'a> for Related<'a> {
    type Plan = ComparisonPlan;
    type Prepared = ComparisonPlan;
    type Answer = Comparison;
    type Report = CompareReport<'a>;

    fn bytes(&self) -> usize {
        self.left.bytes() + self.right.bytes()
    }

    fn plan(&self, _: usize, _: bool) -> Result<ComparisonPlan, Problem> {
        let by_classes = self.engine == RelationEngine::Auto
            && !self.shortest
            && self.store == PairStore::Exact
            && self.direction == Direction::Equivalence
            && quotient::BISIMULATIONS.contains(&self.relation)
            && self.pairs > PATIENCE;
        Ok(match &self.graphs {
            Some(graphs) if by_classes => ComparisonPlan::PairsThenClasses(graphs.clone()),
            _ => ComparisonPlan::Pairs,
        })
    }

    /// Two systems are compared as they are: no reduction keeps all relations.
    fn prepare(&mut self, plan: ComparisonPlan) -> Result<ComparisonPlan, Problem> {
        Ok(plan)
    }

    fn walk(&mut self, plan: &ComparisonPlan, budget: &mut Budget<'_>) -> Result<Comparison, Problem> {
        let internal = |label: &str| match &self.taus {
            Some(taus) => taus.iter().any(|tau| tau == label),
            None => is_internal(label),
        };
        let question = RelationQuestion {
            left: &*self.left,
            right: &*self.right,
            relation: self.relation,
            direction: self.direction,
            engine: self.engine,
            order: self.order,
            shortest: self.shortest,
            store: self.store,
            internal: &internal,
        };
        match plan {
            ComparisonPlan::Pairs => Ok(ask(&question, budget)?),
            ComparisonPlan::PairsThenClasses(graphs) => by_pairs_then_classes(&question, graphs, budget),
        }
    }

    /// What was compared is what was written.
    fn map_back(&self, _: &ComparisonPlan, _: &mut Comparison) -> Result<(), Problem> {
        Ok(())
    }

    /// [`ask`] returns no difference that both systems have not confirmed, and they are those that were written.
    fn confirm(&self, _: &ComparisonPlan, _: &mut Comparison, _: &mut Budget<'_>) -> Result<(), Problem> {
        Ok(())
    }

    fn report(self, _: ComparisonPlan, comparison: Comparison) -> CompareReport<'a> {
        let Comparison { verdict, decided, pairs, states, peak_bytes, faults } = comparison;
        let Self { left, right, names, relation, direction, store, .. } = self;
        let figures = ComparisonFigures {
            left,
            right,
            names,
            relation,
            direction,
            store,
            decided,
            pairs,
            states,
            peak_bytes,
            faults,
        };
        let [left, right] = figures.names();
        let text = format!("{left} {} {right} ({})", figures.asked().0, relation.name());
        let summary = verdict.evidence().map(|difference: &Difference| {
            Summary::brief("difference", difference.headline(figures.names()), difference.depth())
        });
        let (name, kind, place) = (None, PropertyKind::Relation, None);
        Report::of(PropertyReport { name, kind, text, place, verdict, summary, figures }, 0)
    }
}

/// Looks at some pairs, which finds most differences; then at the classes of all states, which quotients find in less time and
/// memory than a comparison does that may have to explain them; and if these say that there is a difference, compares to the end.
fn by_pairs_then_classes(
    question: &RelationQuestion<'_>,
    [left, right]: &[Arc<Lts>; 2],
    budget: &mut Budget<'_>,
) -> Result<Comparison, Problem> {
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
            Ok(ask(question, budget)?)
        }
        Err(Failure::Stopped { limit, .. }) => Ok(Comparison { verdict: Verdict::Unknown(limit), ..some }),
    }
}
