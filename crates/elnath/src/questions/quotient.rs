//! Quotients: the smallest equivalent of a model. There is no property that could hold or fail, but a product.

use crate::driver::Question;
use crate::frontend::Loaded;
use crate::generate::{Generated, graph_of};
use crate::problem::Problem;
use crate::reduce::{QuotientReport, ReducedGraph, Stopped};
use elnath_kernel::{Budget, Relation};
use elnath_lts::quotient::{self, Failure};
use elnath_net::Rules;

/// A wish for a quotient.
pub(crate) struct Quotients {
    /// The model; nothing, once its graph was made.
    pub(crate) loaded: Option<Loaded>,
    pub(crate) relation: Relation,
    pub(crate) taus: Option<Vec<String>>,
}

impl Question<'_> for Quotients {
    type Plan = ();
    type Prepared = ();
    type Answer = Result<ReducedGraph, Stopped>;
    type Report = QuotientReport;

    /// The model is given up for its graph, so that what it occupies is looked at then.
    fn bytes(&self) -> usize {
        0
    }

    /// There is one algorithm for each relation.
    fn plan(&self, _: usize, _: bool) -> Result<(), Problem> {
        if quotient::RELATIONS.contains(&self.relation) {
            Ok(())
        } else {
            Err(Problem::NoQuotient(self.relation))
        }
    }

    /// No reduction keeps the graph.
    fn prepare(&mut self, (): ()) -> Result<(), Problem> {
        Ok(())
    }

    fn walk(&mut self, (): &(), budget: &mut Budget<'_>) -> Result<Self::Answer, Problem> {
        let loaded = self.loaded.take().expect("it is walked once");
        let hidden = loaded.rules.as_deref().map(Rules::hidden).unwrap_or_default();
        let Generated { lts, faults } = match graph_of(loaded, self.taus.clone(), budget.memory, budget.watch)
        {
            Ok(generated) => generated,
            Err((limit, counters)) => {
                return Ok(Err(Stopped { doing: "generating", limit, counters }));
            }
        };
        budget.memory = budget.memory.saturating_sub(lts.bytes());
        match quotient::reduce(&lts, self.relation, budget) {
            Ok(quotient) => Ok(Ok(ReducedGraph {
                quotient,
                before: (lts.num_states(), lts.num_transitions()),
                tau_labels: lts.tau_labels().map(str::to_owned).chain(hidden).collect(),
                faults,
            })),
            Err(Failure::Stopped { limit, counters }) => {
                Ok(Err(Stopped { doing: "reducing", limit, counters }))
            }
            Err(Failure::NotOffered(relation)) => Err(Problem::NoQuotient(relation)),
        }
    }

    /// There is no run to be mapped back.
    fn map_back(&self, (): &(), _: &mut Self::Answer) -> Result<(), Problem> {
        Ok(())
    }

    /// That a quotient is equivalent to its graph is a matter of tests: to show it here would be to compute it again.
    fn confirm(&self, (): &(), _: &mut Self::Answer, _: &mut Budget<'_>) -> Result<(), Problem> {
        Ok(())
    }

    fn report(self, (): (), product: Self::Answer) -> QuotientReport {
        QuotientReport { relation: self.relation, product }
    }
}
