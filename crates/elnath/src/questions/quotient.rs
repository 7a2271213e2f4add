//! Quotients: the smallest equivalent of a model. There is no property that could hold or fail, but a product.

use crate::compositional::{self, Minimised};
use crate::driver::Question;
use crate::frontend::Loaded;
use crate::generate::{Generated, generate, graph_of};
use crate::problem::Problem;
use crate::reduce::{QuotientReport, ReducedGraph, Stopped};
use elnath_kernel::relation::is_internal;
use elnath_kernel::{Budget, Counters, Limit, Relation};
use elnath_lts::quotient::{self, Failure};
use elnath_net::Rules;

/// A wish for a quotient.
pub(crate) struct Quotients {
    /// The model; nothing, once its graph was made.
    pub(crate) loaded: Option<Loaded>,
    pub(crate) relation: Relation,
    pub(crate) taus: Option<Vec<String>>,
    /// Whether the components of a network are not minimised first.
    pub(crate) as_written: bool,
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
        let mut components = None;
        let generated = match self.minimised(&loaded, budget) {
            Err(limit) => Err((limit, Counters::default())),
            Ok(Some(minimised)) => {
                let taus = loaded.internal(self.taus.clone());
                let memory = budget.memory.saturating_sub(loaded.system.bytes() + minimised.bytes);
                drop(loaded);
                let mut rest = Budget {
                    memory,
                    depth: usize::MAX,
                    states: u64::MAX,
                    disk: None,
                    watch: &mut *budget.watch,
                };
                let generated = generate(&*minimised.system, taus, &mut rest);
                components = Some(minimised.told);
                generated
            }
            Ok(None) => graph_of(loaded, self.taus.clone(), budget.memory, budget.watch),
        };
        let Generated { lts, faults } = match generated {
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
                components,
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

impl Quotients {
    /// The network of minimised components, if the model is a network and that makes something smaller.
    fn minimised(&self, loaded: &Loaded, budget: &mut Budget<'_>) -> Result<Option<Minimised>, Limit> {
        let Some(parts) = loaded.parts().filter(|_| !self.as_written) else { return Ok(None) };
        let taus = self.taus.as_ref().map(|_| loaded.internal(self.taus.clone()));
        let internal = |label: &str| match &taus {
            Some(taus) => taus.names().iter().any(|tau| tau == label),
            None => is_internal(label),
        };
        let memory = budget.memory.saturating_sub(loaded.system.bytes());
        let mut rest =
            Budget { memory, depth: usize::MAX, states: u64::MAX, disk: None, watch: &mut *budget.watch };
        compositional::minimised(&parts, self.relation, &internal, &mut rest)
    }
}
