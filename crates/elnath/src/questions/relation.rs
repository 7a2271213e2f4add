//! Relations: two systems, and whether they are equivalent, or one is below the other.

use crate::compare::{CompareReport, ComparisonFigures};
use crate::driver::Question;
use crate::problem::Problem;
use crate::report::{PropertyKind, PropertyReport, Report, Summary};
use elnath_check::relation::{
    Comparison, Difference, PairOrder, PairStore, RelationEngine, RelationQuestion, ask,
};
use elnath_kernel::relation::is_internal;
use elnath_kernel::{Budget, Direction, Relation, System};
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
}

impl<'a> Question<'a> for Related<'a> {
    type Plan = ();
    type Prepared = ();
    type Answer = Comparison;
    type Report = CompareReport<'a>;

    fn bytes(&self) -> usize {
        self.left.bytes() + self.right.bytes()
    }

    fn plan(&self, _: usize, _: bool) -> Result<(), Problem> {
        Ok(())
    }

    /// Two systems are compared as they are: no reduction keeps all relations.
    fn prepare(&mut self, (): ()) -> Result<(), Problem> {
        Ok(())
    }

    fn walk(&mut self, (): &(), budget: &mut Budget<'_>) -> Result<Comparison, Problem> {
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
        Ok(ask(&question, budget)?)
    }

    /// What was compared is what was written.
    fn map_back(&self, (): &(), _: &mut Comparison) -> Result<(), Problem> {
        Ok(())
    }

    /// [`ask`] returns no difference that both systems have not confirmed, and they are those that were written.
    fn confirm(&self, (): &(), _: &mut Comparison, _: &mut Budget<'_>) -> Result<(), Problem> {
        Ok(())
    }

    fn report(self, (): (), comparison: Comparison) -> CompareReport<'a> {
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
