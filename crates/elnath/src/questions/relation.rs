//! Relations: two systems, and whether they are equivalent, or one is below the other.

use crate::compare::{CompareReport, ComparisonFigures};
use crate::compositional::{self, Minimised, MinimisedParts, NetworkParts};
use crate::driver::Question;
use crate::problem::Problem;
use crate::report::{PropertyKind, PropertyReport, Report, Summary};
use elnath_check::Refusal;
use elnath_check::relation::folded::{self, Folded};
use elnath_check::relation::lifted::{self, finer_bisimulation};
use elnath_check::relation::refinement;
use elnath_check::relation::{
    Comparison, Difference, GameDiagnosis, PairOrder, PairStore, RelationEngine, RelationQuestion, ask,
};
use elnath_kernel::budget::WATCH_WORK;
use elnath_kernel::relation::is_internal;
use elnath_kernel::{Budget, Counters, Direction, Limit, Relation, System, Verdict};
use elnath_lts::Lts;
use elnath_lts::quotient::{self, Failure, Quotient};
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
    /// The same systems as networks, if that is what they are and their components may be minimised.
    pub(crate) networks: [Option<NetworkParts>; 2],
    /// The most pairs that may be looked at.
    pub(crate) pairs: u64,
}

/// How two systems are compared.
pub(crate) enum ComparisonPlan {
    /// Pair by pair.
    Pairs,
    /// Some pairs; then the quotients of two graphs.
    PairsThenQuotients([Arc<Lts>; 2]),
    /// Some pairs; then the same question of quotients of graphs, and of networks of minimised components.
    PairsThenSmaller,
}

/// What was compared, and what was made smaller for that.
pub(crate) struct Compared {
    comparison: Comparison,
    components: [Option<MinimisedParts>; 2],
}

/// How many pairs must be allowed for anything else to be tried than looking at pairs.
const MANY_PAIRS: u64 = 20_000;

/// The most work of the game before two systems are made smaller instead, where their sizes are not known, and the least where they are.
const FIRST_LOOK: u64 = 1 << 21;
const SHORT_LOOK: u64 = 1 << 18;
/// How many units of its work cost as much as a transition of a graph does when both are reduced: half of that is what the game may take, since
/// most differences show up sooner.
const PER_TRANSITION: u64 = 2;

/// More exchanges than this are too many to be read.
const MANY: usize = 500;

impl<'a> Question<'a> for Related<'a> {
    type Plan = ComparisonPlan;
    type Prepared = ComparisonPlan;
    type Answer = Compared;
    type Report = CompareReport<'a>;

    fn bytes(&self) -> usize {
        self.left.bytes() + self.right.bytes()
    }

    fn plan(&self, _: usize, _: bool) -> Result<ComparisonPlan, Problem> {
        let free = self.engine == RelationEngine::Auto
            && !self.shortest
            && self.store == PairStore::Exact
            && self.pairs > MANY_PAIRS;
        let by_classes = self.direction == Direction::Equivalence
            && (quotient::BISIMULATIONS.contains(&self.relation) || self.relation == Relation::Delay);
        Ok(match &self.graphs {
            _ if !free => ComparisonPlan::Pairs,
            Some(graphs) if by_classes => ComparisonPlan::PairsThenQuotients(graphs.clone()),
            None if self.networks.iter().all(Option::is_none) => ComparisonPlan::Pairs,
            _ => ComparisonPlan::PairsThenSmaller,
        })
    }

    /// Two systems are compared as they are: no reduction of programs keeps all relations. What is made smaller is made smaller when it is walked,
    /// since most differences are found without.
    fn prepare(&mut self, plan: ComparisonPlan) -> Result<ComparisonPlan, Problem> {
        Ok(plan)
    }

    fn walk(&mut self, plan: &ComparisonPlan, budget: &mut Budget<'_>) -> Result<Compared, Problem> {
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
            patience: None,
            internal: &internal,
        };
        let as_they_are = |comparison| Compared { comparison, components: [None, None] };
        match plan {
            ComparisonPlan::Pairs => Ok(as_they_are(ask(&question, budget)?)),
            ComparisonPlan::PairsThenQuotients(graphs) => {
                by_pairs_then_quotients(&question, graphs, budget).map(as_they_are)
            }
            ComparisonPlan::PairsThenSmaller => self.by_pairs_then_smaller(&question, budget),
        }
    }

    /// What is found in smaller systems is mapped back where it is found, within the budget.
    fn map_back(&self, _: &ComparisonPlan, _: &mut Compared) -> Result<(), Problem> {
        Ok(())
    }

    /// [`ask`] and [`lifted::ask`] return no difference that both systems have not confirmed, and they are those that were written.
    fn confirm(&self, _: &ComparisonPlan, _: &mut Compared, _: &mut Budget<'_>) -> Result<(), Problem> {
        Ok(())
    }

    fn report(self, _: ComparisonPlan, compared: Compared) -> CompareReport<'a> {
        let Compared { comparison, components } = compared;
        let Comparison { verdict, decided, pairs, states, peak_bytes, faults, explored } = comparison;
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
            explored,
            components,
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

impl Related<'_> {
    /// Looks at some pairs, which finds most differences; then asks the same of smaller systems that are bisimilar, by the relation of the
    /// question or a finer one.
    fn by_pairs_then_smaller(
        &self,
        question: &RelationQuestion<'_>,
        budget: &mut Budget<'_>,
    ) -> Result<Compared, Problem> {
        let as_they_are = |comparison| Compared { comparison, components: [None, None] };
        let some = self.by_a_few_pairs(question, budget)?;
        let out_of_patience = matches!(
            &some.verdict,
            Verdict::Unknown(Limit::States) | Verdict::Fails(Difference::Untold(Limit::States))
        );
        if !out_of_patience {
            return Ok(as_they_are(some));
        }
        let unknown = |limit| as_they_are(Comparison { verdict: Verdict::Unknown(limit), ..some });
        let mut question = RelationQuestion { ..*question };
        let (mut sides, mut peak) = ([Smaller::Same, Smaller::Same], some.peak_bytes);
        if let Some(graphs) = &self.graphs {
            match smaller_graphs(graphs, self.relation, budget) {
                Ok(Told::Same(bytes)) => {
                    let states = graphs.each_ref().map(|graph| graph.num_states() as u64);
                    let (pairs, peak_bytes) = (some.pairs, peak.max(bytes));
                    return Ok(as_they_are(Comparison { pairs, states, peak_bytes, ..folded::same() }));
                }
                Ok(Told::Apart(smaller, bytes)) => {
                    (sides, peak) = (*smaller, peak.max(bytes));
                    // The classes that a refinement beside it would find are known, unless the relation has coarser ones.
                    if finer_bisimulation(self.relation) == Relation::Strong
                        || refinement::decides(self.relation)
                    {
                        question.patience = Some(u64::MAX);
                    }
                }
                Ok(Told::Nothing) => {}
                Err(limit) => return Ok(unknown(limit)),
            }
        }
        let mut taken = sides.iter().map(Smaller::bytes).sum();
        for side in [0, 1] {
            let Some(parts) = &self.networks[side] else { continue };
            let rest = &mut left_of(budget, taken);
            match compositional::minimised(parts, self.relation, question.internal, rest) {
                Ok(Some(minimised)) => sides[side] = Smaller::Network(Box::new(minimised)),
                Ok(None) => {}
                Err(limit) => return Ok(unknown(limit)),
            }
            taken += sides[side].bytes();
        }
        if sides.iter().all(|side| matches!(side, Smaller::Same)) {
            let comparison = ask(&question, budget)?;
            let peak_bytes = peak.max(comparison.peak_bytes);
            return Ok(as_they_are(Comparison {
                pairs: some.pairs + comparison.pairs,
                peak_bytes,
                ..comparison
            }));
        }
        let originals = [question.left, question.right];
        let systems = [0, 1].map(|side| sides[side].system().unwrap_or(originals[side]));
        let class = |side: usize, state: &[u8], out: &mut Vec<u8>| sides[side].class(state, out);
        let mut rest = left_of(budget, taken);
        let comparison = lifted::ask(&question, &Folded { systems, class: &class }, &mut rest)?;
        let peak_bytes = peak.max(taken + comparison.peak_bytes);
        let comparison = Comparison { pairs: some.pairs + comparison.pairs, peak_bytes, ..comparison };
        let components = sides.map(|side| match side {
            Smaller::Network(minimised) => Some(minimised.told),
            _ => None,
        });
        Ok(Compared { comparison, components })
    }

    /// Looks at so many pairs that most differences show up, and at so much of the systems; `Limit::States` says that this was not enough.
    fn by_a_few_pairs(
        &self,
        question: &RelationQuestion<'_>,
        budget: &mut Budget<'_>,
    ) -> Result<Comparison, Refusal> {
        let patience = self.graphs.as_ref().map_or(FIRST_LOOK, first_look);
        if !refinement::decides(question.relation) {
            return ask(&RelationQuestion { patience: Some(patience), ..*question }, budget);
        }
        // Sets of states are compared, with the classes beside them.
        let (mut asked, most) = (0, patience / WATCH_WORK);
        let Budget { memory, depth, watch, .. } = budget;
        let mut impatient = |counters: &Counters| {
            asked += 1;
            watch(counters).or((asked > most).then_some(Limit::States))
        };
        let watch = &mut impatient;
        ask(question, &mut Budget { memory: *memory, depth: *depth, states: MANY_PAIRS, disk: None, watch })
    }
}

/// What reducing two graphs has told, each with the most bytes that it took.
enum Told {
    /// They are bisimilar.
    Same(usize),
    /// They are not, and this is left of them.
    Apart(Box<[Smaller; 2]>, usize),
    /// There was no room.
    Nothing,
}

/// Reduces two graphs by a bisimulation that is finer than a relation: if they are bisimilar, no game is needed.
fn smaller_graphs(
    [left, right]: &[Arc<Lts>; 2],
    relation: Relation,
    budget: &mut Budget<'_>,
) -> Result<Told, Limit> {
    let smaller = |graph: &Lts, quotient: Quotient| {
        let classes = quotient.classes.expect("bisimulations have classes");
        match quotient.lts.num_states() < graph.num_states() {
            true => Smaller::Graph(quotient.lts, classes),
            false => Smaller::Same,
        }
    };
    match quotient::told_apart(left, right, finer_bisimulation(relation), budget) {
        Ok((None, bytes)) => Ok(Told::Same(bytes)),
        Ok((Some([one, other]), bytes)) => {
            Ok(Told::Apart(Box::new([smaller(left, one), smaller(right, other)]), bytes))
        }
        Err(Failure::Stopped { limit: Limit::Memory, .. } | Failure::NotOffered(_)) => Ok(Told::Nothing),
        Err(Failure::Stopped { limit, .. }) => Err(limit),
    }
}

/// How much work the game may take before two graphs are reduced.
fn first_look(graphs: &[Arc<Lts>; 2]) -> u64 {
    let transitions: usize = graphs.iter().map(|graph| graph.num_transitions()).sum();
    SHORT_LOOK.max(transitions as u64 * PER_TRANSITION / 2)
}

/// What is compared instead of a system.
enum Smaller {
    /// The system.
    Same,
    /// The quotient of a graph, with its classes.
    Graph(Lts, Vec<u32>),
    /// A network of minimised components.
    Network(Box<Minimised>),
}

impl Smaller {
    fn system(&self) -> Option<&dyn System> {
        match self {
            Smaller::Same => None,
            Smaller::Graph(lts, _) => Some(lts),
            Smaller::Network(minimised) => Some(&*minimised.system),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Smaller::Same => 0,
            Smaller::Graph(lts, classes) => lts.bytes() + size_of_val(&**classes),
            Smaller::Network(minimised) => minimised.bytes,
        }
    }

    /// Writes the state of it that stands for one of the system.
    fn class(&self, state: &[u8], out: &mut Vec<u8>) {
        out.clear();
        match self {
            Smaller::Same => out.extend_from_slice(state),
            Smaller::Graph(_, classes) => {
                out.extend_from_slice(&classes[Lts::number_of(state) as usize].to_le_bytes());
            }
            Smaller::Network(minimised) => minimised.class(state, out),
        }
    }
}

/// Looks at some pairs, which finds most differences; then reduces each graph, in less time and memory than a
/// comparison takes that may have to explain; and compares the quotients, which have the same answer and the same explanation.
fn by_pairs_then_quotients(
    question: &RelationQuestion<'_>,
    graphs: &[Arc<Lts>; 2],
    budget: &mut Budget<'_>,
) -> Result<Comparison, Problem> {
    let some = ask(&RelationQuestion { patience: Some(first_look(graphs)), ..*question }, budget)?;
    match &some.verdict {
        Verdict::Unknown(Limit::States) => {}
        // What takes this many exchanges to explain may be explained in fewer.
        Verdict::Fails(Difference::Game(told)) if told.exchanges.len() > MANY => {
            return Ok(match by_quotients(question, graphs, budget) {
                Ok(Ok((other, _))) if explains_in_fewer(&other, told) => {
                    Comparison { pairs: some.pairs, ..other }
                }
                // A limit may have been reached.
                _ => some,
            });
        }
        _ => return Ok(some),
    }
    let (comparison, peak) = match by_quotients(question, graphs, budget) {
        Ok(compared) => compared?,
        // There is no room for classes, and maybe for pairs.
        Err(Failure::Stopped { limit: Limit::Memory, .. } | Failure::NotOffered(_)) => {
            return Ok(ask(question, budget)?);
        }
        Err(Failure::Stopped { limit, counters }) => {
            (Comparison { verdict: Verdict::Unknown(limit), ..some }, counters.store_bytes)
        }
    };
    let states = graphs.each_ref().map(|graph| graph.num_states() as u64);
    Ok(Comparison { pairs: some.pairs, states, peak_bytes: peak.max(some.peak_bytes), ..comparison })
}

fn explains_in_fewer(one: &Comparison, other: &GameDiagnosis) -> bool {
    debug_assert!(!matches!(one.verdict, Verdict::Holds(_)), "the game has refuted it");
    let exchanges = |difference: &Difference| match difference {
        Difference::Game(one) => one.exchanges.len(),
        _ => usize::MAX,
    };
    one.verdict.evidence().is_some_and(|difference| exchanges(difference) < other.exchanges.len())
}

/// Reduces two graphs and compares their quotients, and says how many bytes that took at the most.
fn by_quotients(
    question: &RelationQuestion<'_>,
    [left, right]: &[Arc<Lts>; 2],
    budget: &mut Budget<'_>,
) -> Result<Result<(Comparison, usize), Refusal>, Failure> {
    // The equivalence of the question, or a finer one.
    let own = quotient::BISIMULATIONS.contains(&question.relation);
    let relation = if own { question.relation } else { Relation::Branching };
    let (apart, peak) = quotient::told_apart(left, right, relation, budget)?;
    let Some(apart) = apart else { return Ok(Ok((folded::same(), peak))) };
    let taken = apart.iter().map(Quotient::occupied).sum();
    let [(left, left_classes), (right, right_classes)] =
        apart.map(|quotient| (quotient.lts, quotient.classes.expect("bisimulations have classes")));
    let class = |side: usize, state: &[u8], out: &mut Vec<u8>| {
        let classes = [&left_classes, &right_classes][side];
        out.clear();
        out.extend_from_slice(&classes[Lts::number_of(state) as usize].to_le_bytes());
    };
    let mut rest = left_of(budget, taken);
    let compared = folded::ask(question, &Folded { systems: [&left, &right], class: &class }, &mut rest);
    Ok(compared.map(|comparison| {
        let peak = peak.max(taken + comparison.peak_bytes);
        (comparison, peak)
    }))
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
