//! What the questions about one system have in common: the system, what was chosen of how to search it, and the reductions.

use crate::asked::{About, Asked};
use crate::findings::{self, Answered};
use crate::prepare::{Prepared, prepare};
use crate::problem::Problem;
use crate::reductions::Reductions;
use crate::report::{CheckReport, CheckedProperty, Report};
use crate::subject::Subject;
use elnath_check::{Plan, SearchChoice, StorePlan};
use elnath_kernel::{Counters, Disk, System};
use std::sync::Arc;

/// What is searched, and how.
pub(crate) struct Setting<'a> {
    pub(crate) subject: Subject<'a>,
    pub(crate) choice: SearchChoice,
    pub(crate) reductions: Reductions,
    /// Whether all violations are counted.
    pub(crate) all: bool,
    pub(crate) disk: Option<Arc<Disk>>,
    /// How many programs had been compiled before.
    compilations: u64,
}

/// What a walk found, and how it was made in the end.
pub(crate) struct Walked<A> {
    /// What it found.
    pub(crate) answer: A,
    /// How it was made.
    pub(crate) plan: Plan,
    /// What an exact store had done when it ran out of memory, if a tree store began again.
    pub(crate) before: Option<Counters>,
}

impl<'a> Setting<'a> {
    pub(crate) fn new(
        subject: Subject<'a>,
        choice: SearchChoice,
        reductions: Reductions,
        all: bool,
        disk: Option<Arc<Disk>>,
    ) -> Self {
        let compilations = subject.compilations();
        Self { subject, choice, reductions, all, disk, compilations }
    }

    /// The model as it was written.
    pub(crate) fn as_written(&self) -> Arc<dyn System + 'a> {
        self.subject.as_written()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.as_written().bytes()
    }

    pub(crate) fn plan(&self, memory: usize, named: bool) -> Result<Plan, Problem> {
        let mut plan = self.choice.plan(memory, named).map_err(Problem::Store)?;
        if self.all {
            // To count violations is to see everything.
            plan.search = plan.search.without_scouts();
        }
        Ok(plan)
    }

    pub(crate) fn prepare(&self, about: About<'_>, plan: Plan) -> Result<Prepared<'a>, Problem> {
        let SearchChoice { shortest, swarm, .. } = self.choice;
        let asked = Asked { about, all: self.all, shortest, swarm, wanted: self.reductions };
        prepare(&self.subject, &asked, plan)
    }

    /// Walks; and if an exact store has no room for all states, which `ran_out` tells, once more with the tree store.
    pub(crate) fn walk_or_tree<A>(
        &self,
        mut plan: Plan,
        mut walk: impl FnMut(&Plan) -> Result<A, Problem>,
        ran_out: impl Fn(&Plan, &A) -> Option<Counters>,
    ) -> Result<Walked<A>, Problem> {
        let mut answer = walk(&plan)?;
        let before = ran_out(&plan, &answer).filter(|_| self.choice.or_tree());
        if before.is_some() {
            plan.store = StorePlan::Tree;
            answer = walk(&plan)?;
        }
        Ok(Walked { answer, plan, before })
    }

    /// The report about one property.
    pub(crate) fn report(&self, property: CheckedProperty<'a>) -> CheckReport<'a> {
        let named_reductions = self.reductions != Reductions::USUAL;
        let answered = Answered { subject: &self.subject, property: &property, named_reductions };
        let findings = findings::about(&answered);
        let report = Report::of(property, self.subject.compilations() - self.compilations);
        Report { findings, ..report }
    }
}
