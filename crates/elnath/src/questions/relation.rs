//! Relations: two systems, and whether they are equivalent, or one is below the other.

use crate::compare::{CompareReport, ComparisonFigures};
use crate::driver::Question;
use crate::problem::Problem;
use crate::report::{PropertyKind, PropertyReport, Report, Summary};
use elnath_check::Refusal;
use elnath_check::relation::folded::{self, Folded};
use elnath_check::relation::{
    Comparison, Difference, PairOrder, PairStore, RelationEngine, RelationQuestion, ask,
};
use elnath_kernel::relation::is_internal;
use elnath_kernel::{Budget, Direction, Limit, Relation, System, Verdict};
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
    /// Some pairs; then the quotients of two graphs.
    PairsThenQuotients([Arc<Lts>; 2]),
}

/// How many pairs of explicit systems are looked at before they are reduced instead, in nearly linear time. Most
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
            && (quotient::BISIMULATIONS.contains(&self.relation) || self.relation == Relation::Delay)
            && self.pairs > PATIENCE;
        Ok(match &self.graphs {
            Some(graphs) if by_classes => ComparisonPlan::PairsThenQuotients(graphs.clone()),
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
            ComparisonPlan::PairsThenQuotients(graphs) => by_pairs_then_quotients(&question, graphs, budget),
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

/// Looks at some pairs, which finds most differences; then reduces each graph, in less time and memory than a
/// comparison takes that may have to explain; and compares the quotients, which have the same answer and the same explanation.
fn by_pairs_then_quotients(
    question: &RelationQuestion<'_>,
    graphs: &[Arc<Lts>; 2],
    budget: &mut Budget<'_>,
) -> Result<Comparison, Problem> {
    let pairs = std::mem::replace(&mut budget.states, PATIENCE);
    let some = ask(question, budget)?;
    budget.states = pairs;
    if !matches!(some.verdict, Verdict::Unknown(Limit::States)) {
        return Ok(some);
    }
    let mut quotients = Quotients { graphs, reduced: Vec::new(), taken: 0, peak: some.peak_bytes };
    let comparison = match quotients.compare(question, budget) {
        Ok(comparison) => comparison?,
        // There is no room for classes, and maybe for pairs.
        Err(Failure::Stopped { limit: Limit::Memory, .. } | Failure::NotOffered(_)) => {
            return Ok(ask(question, budget)?);
        }
        Err(Failure::Stopped { limit, .. }) => Comparison { verdict: Verdict::Unknown(limit), ..some },
    };
    let states = graphs.each_ref().map(|graph| graph.num_states() as u64);
    let peak_bytes = quotients.peak.max(quotients.taken + comparison.peak_bytes);
    Ok(Comparison { pairs: some.pairs, states, peak_bytes, ..comparison })
}

/// The smallest equivalents of two graphs.
struct Quotients<'a> {
    graphs: &'a [Arc<Lts>; 2],
    /// Each with its classes.
    reduced: Vec<(Lts, Vec<u32>)>,
    /// Bytes of these, and the most that were taken.
    taken: usize,
    peak: usize,
}

impl Quotients<'_> {
    fn compare(
        &mut self,
        question: &RelationQuestion<'_>,
        budget: &mut Budget<'_>,
    ) -> Result<Result<Comparison, Refusal>, Failure> {
        let [left, right] = self.graphs;
        let mut different = false;
        // Most graphs are not much smaller afterwards, and it is quicker to refine both at once than each by itself and then both.
        if question.relation == Relation::Strong {
            match quotient::equivalent(left, right, Relation::Strong, budget) {
                Ok(true) => return Ok(Ok(folded::same())),
                Ok(false) => different = true,
                Err(Failure::Stopped { limit: Limit::Memory, .. }) => {}
                Err(failure) => return Err(failure),
            }
        }
        // The equivalence of the question, or a finer one.
        let own = quotient::BISIMULATIONS.contains(&question.relation);
        let relation = if own { question.relation } else { Relation::Branching };
        for graph in self.graphs {
            let quotient = quotient::reduce(graph, relation, &mut left_of(budget, self.taken))?;
            self.peak = self.peak.max(self.taken + quotient.bytes);
            let classes = quotient.classes.expect("bisimulations have classes");
            self.taken += quotient.lts.bytes() + size_of_val(&*classes);
            self.reduced.push((quotient.lts, classes));
        }
        let [(left, left_classes), (right, right_classes)] = &self.reduced[..] else {
            unreachable!("there are two")
        };
        let class = |side: usize, state: &[u8], out: &mut Vec<u8>| {
            let classes = [left_classes, right_classes][side];
            out.clear();
            out.extend_from_slice(&classes[Lts::number_of(state) as usize].to_le_bytes());
        };
        let mut rest = left_of(budget, self.taken);
        Ok(if own && !different && quotient::equivalent(left, right, relation, &mut rest)? {
            Ok(folded::same())
        } else {
            folded::ask(question, &Folded { systems: [left, right], class: &class }, &mut rest)
        })
    }
}

/// What is left of a budget when so many bytes are taken.
fn left_of<'b>(budget: &'b mut Budget<'_>, taken: usize) -> Budget<'b> {
    Budget {
        memory: budget.memory.saturating_sub(taken),
        depth: budget.depth,
        states: budget.states,
        disk: None,
        watch: &mut *budget.watch,
    }
}
