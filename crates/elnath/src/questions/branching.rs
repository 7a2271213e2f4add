//! Branching time: does the initial state satisfy a formula of the mu-calculus or CTL?

use crate::branching::{
    BranchingChecked, BranchingFigures, BranchingProperties, BranchingReport, LabelMatcher,
};
use crate::driver::Question;
use crate::problem::Problem;
use crate::report::{PropertyKind, PropertyReport, Report, Summary};
use crate::subject::Subject;
use elnath_check::branching::{self, BranchingAnswer, BranchingEngine, BranchingFormula, reach};
use elnath_check::{Plan, Refusal, SearchChoice, SearchPlan, StorePlan};
use elnath_kernel::{Budget, Counters, Coverage, Limit, System, Verdict};
use elnath_lts::Taus;
use std::sync::Arc;

/// A question about one formula. Reductions are left out: they keep what can be reached or what runs there are, and the formula sees more.
pub(crate) struct BranchingQuestion<'a> {
    pub(crate) subject: Subject<'a>,
    pub(crate) internal: Taus,
    pub(crate) properties: Arc<BranchingProperties>,
    pub(crate) number: usize,
    pub(crate) propositions: Vec<u32>,
    pub(crate) choice: SearchChoice,
}

/// What was found, and how sure that is.
pub(crate) struct Found {
    engine: BranchingEngine,
    plan: Option<Plan>,
    answer: BranchingAnswer,
    pairs: Option<u64>,
    coverage: Coverage,
}

impl BranchingQuestion<'_> {
    fn asking<R>(&self, ask: impl FnOnce(&BranchingFormula<'_>) -> R) -> R {
        let positions = &*self.properties.list()[self.number].positions;
        let actions = positions.actions();
        let matcher = LabelMatcher::new(self.properties.formulas(), self.internal.clone());
        let matches = |label: &str| matcher.matches(&actions, label);
        ask(&BranchingFormula { positions, propositions: &self.propositions, matches: &matches })
    }
}

impl<'a> Question<'a> for BranchingQuestion<'a> {
    type Plan = Plan;
    type Prepared = (Plan, Arc<dyn System + 'a>);
    type Answer = Found;
    type Report = BranchingReport<'a>;

    fn bytes(&self) -> usize {
        self.subject.as_written().bytes()
    }

    fn plan(&self, memory: usize, named: bool) -> Result<Plan, Problem> {
        self.choice.plan(memory, named).map_err(Problem::Store)
    }

    fn prepare(&mut self, plan: Plan) -> Result<Self::Prepared, Problem> {
        Ok((plan, self.subject.system()))
    }

    fn walk(&mut self, (plan, system): &Self::Prepared, budget: &mut Budget<'_>) -> Result<Found, Problem> {
        let as_written = self.subject.as_written();
        let positions = Arc::clone(&self.properties.list()[self.number].positions);
        let (chosen_store, chosen_search) = (self.choice.store.is_some(), self.choice.search.is_some());
        if self.choice.swarm {
            return Err(elnath_check::plan::Unsuitable::NoSwarm.into());
        }
        if let Some(shape) = reach::Shape::of(&positions) {
            let reached =
                self.asking(|formula| reach::ask(&**system, &*as_written, formula, &shape, plan, budget))?;
            let reach::Reached { mut value, evidence, answer } = reached;
            // A lossy store may have missed the state that would decide.
            if value == Ok(false)
                && !shape.all
                && answer.coverage != Coverage::Exhaustive
                && evidence.is_none()
            {
                value = Err(Limit::Memory);
            }
            let mut plan = *plan;
            if answer.scouted.is_none() {
                plan.search = plan.search.without_scouts();
            }
            let (counters, coverage) = (answer.counters, answer.coverage);
            let (pairs, expanded, faults, undefined) = (0, counters.states, 0, 0);
            let answer = BranchingAnswer { value, evidence, counters, pairs, expanded, faults, undefined };
            let engine = BranchingEngine::Reachability;
            return Ok(Found { engine, plan: Some(plan), answer, pairs: None, coverage });
        }
        if (chosen_store && plan.store != StorePlan::Exact)
            || (chosen_search && !is_usual(plan.search))
            || self.choice.spill
        {
            let text = "this formula is decided by values of states that depend on each other, so that all states are kept, in the exact store and in an \
                        order of its own: leave out --store, --search and --spill";
            return Err(Problem::Store(text.to_owned()));
        }
        let engine = BranchingEngine::for_formula(&positions);
        let answer =
            self.asking(|formula| branching::ask(&**system, &*as_written, formula, engine, budget))?;
        let pairs = Some(answer.pairs);
        Ok(Found { engine, plan: None, answer, pairs, coverage: Coverage::Exhaustive })
    }

    /// What was walked is the model as it was written.
    fn map_back(&self, _: &Self::Prepared, _: &mut Found) -> Result<(), Problem> {
        Ok(())
    }

    /// Looks once more whether the evidence is part of the model; that it proves the value was checked when it was made.
    fn confirm(&self, _: &Self::Prepared, found: &mut Found, _: &mut Budget<'_>) -> Result<(), Problem> {
        match &found.answer.evidence {
            Some(evidence) if !evidence.is_part_of(&*self.subject.as_written()) => {
                Err(Refusal::NO_VIOLATION.into())
            }
            _ => Ok(()),
        }
    }

    fn report(self, _: Self::Prepared, found: Found) -> BranchingReport<'a> {
        let Found { engine, plan, answer, pairs, coverage } = found;
        let property = &self.properties.list()[self.number];
        let BranchingAnswer { value, evidence, counters, faults, undefined, .. } = answer;
        let counters = Counters { states_exact: counters.states_exact, ..counters };
        let verdict = match value {
            Ok(true) => Verdict::Holds(if evidence.is_some() { Coverage::Exhaustive } else { coverage }),
            Ok(false) => Verdict::Fails(()),
            Err(limit) => Verdict::Unknown(limit),
        };
        let summary = (value == Ok(false)).then(|| {
            let length = evidence.as_ref().map_or(0, |evidence| evidence.steps.len());
            Summary::brief("formula", "the initial state does not satisfy the formula".to_owned(), length)
        });
        let figures = Arc::new(BranchingFigures {
            system: self.subject.as_written(),
            properties: Arc::clone(&self.properties),
            number: self.number,
            engine,
            plan,
            alternation: property.positions.alternation(),
            positions: property.positions.positions.len() - 2,
            counters,
            pairs,
            evidence,
            faults,
            undefined,
        });
        let checked: BranchingChecked<'a> = PropertyReport {
            name: property.name.clone(),
            kind: PropertyKind::Branching,
            text: property.text.clone(),
            place: property.place.clone(),
            verdict,
            summary,
            figures,
        };
        Report::of(checked, self.subject.compilations())
    }
}

fn is_usual(search: SearchPlan) -> bool {
    matches!(search, SearchPlan::Portfolio(_) | SearchPlan::BreadthFirst)
}
