//! Asking something about one system: one builder for Rust programs and for the command line.
//!
//! What nobody chooses has the same defaults in both: deadlocks, faults and properties are looked for, with the usual reductions, by all
//! processors, breadth first with scouts, in an exact store that gives way to a tree store. Only the memory is different: a
//! program that grants none has no limit.

use crate::driver::{Limits, drive};
use crate::finite::FiniteProperty;
use crate::frontend::Loaded;
use crate::machines::{MachineSafety, check_each};
use crate::model::{Model, ModelSystem};
use crate::problem::Problem;
use crate::property::ActionPattern;
use crate::property::TemporalProperty;
use crate::questions::finite::FiniteQuestion;
use crate::questions::infinite::InfiniteQuestion;
use crate::questions::safety::SafetyQuestion;
use crate::questions::setting::Setting;
use crate::questions::together::TogetherQuestion;
use crate::reductions::Reductions;
use crate::report::CheckReport;
use crate::room::reach;
use crate::subject::Subject;
use elnath_cfsm::Blocked;
pub use elnath_check::choice::all_cores;
use elnath_check::temporal::together::NotRecorded;
use elnath_check::temporal::{Fairness, Method};
use elnath_check::{Plan, SearchChoice, SearchPlan, StorePlan, WantedStore};
use elnath_kernel::store::{Bitstate, Replacement, Replacing};
use elnath_kernel::{Counters, Disk, Limit, System};
use elnath_lts::Taus;
use elnath_source::Message;
use std::sync::Arc;

/// A question about a system, to be asked with [`Check::run`].
pub struct Check<'a> {
    subject: Subject<'a>,
    can_fail: bool,
    choice: SearchChoice,
    limits: Limits<'a>,
    deadlocks: bool,
    only_deadlocks: bool,
    all: bool,
    forbid: Vec<ActionPattern>,
    internal: Taus,
    finite: Option<FiniteProperty>,
    property: Option<TemporalProperty>,
    reductions: Reductions,
    machines: Option<Arc<MachineSafety>>,
    only: Option<Vec<Blocked>>,
}

impl<'a> Check<'a> {
    /// Checks a model written in Rust: deadlocks and its properties.
    pub fn model<M: Model>(model: &'a M) -> Self {
        Self::system(Arc::new(ModelSystem::new(model)))
    }

    /// Checks any system, as it is: deadlocks, faults, and that its propositions are always true.
    pub fn system(system: Arc<dyn System + 'a>) -> Self {
        Self::subject(Subject::System(system))
    }

    /// Checks a model that was [loaded](crate::load): the property that was wanted then, if there is one; otherwise what
    /// [`Check::system`] checks. Programs are reduced, unless [`Check::reductions`] says otherwise.
    pub fn loaded(loaded: &Loaded) -> Self {
        // A graph has no statements that could go wrong.
        let can_fail = loaded.program.is_some();
        let internal =
            loaded.actions.as_ref().map_or_else(Taus::default, |actions| actions.internal().clone());
        let (property, machines) = (loaded.property.clone(), loaded.machines.clone());
        // Machines have no statements that could go wrong either.
        let can_fail = can_fail && machines.is_none();
        Self { can_fail, property, machines, internal, ..Self::subject(loaded.subject.clone()) }
    }

    /// Checks what a question can be about.
    pub fn subject(subject: Subject<'a>) -> Self {
        Self {
            can_fail: subject.program().is_some(),
            subject,
            choice: SearchChoice::default(),
            limits: Limits::default(),
            deadlocks: true,
            only_deadlocks: false,
            all: false,
            forbid: Vec::new(),
            internal: Taus::default(),
            finite: None,
            property: None,
            reductions: Reductions::USUAL,
            machines: None,
            only: None,
        }
    }

    /// Chooses everything about how to search at once.
    #[must_use]
    pub fn choice(mut self, choice: SearchChoice) -> Self {
        self.choice = choice;
        self
    }

    /// Chooses everything about the walk at once.
    #[must_use]
    pub fn plan(mut self, plan: Plan) -> Self {
        let Plan { search, store, threads, seed } = plan;
        let choice = SearchChoice { seed, ..self.choice };
        self.choice = SearchChoice { threads: Some(threads), ..choice };
        self.search(search).store(store)
    }

    /// How many workers a search that can use several has; by default as many as there are processors.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.choice.threads = Some(threads);
        self
    }

    /// Finds a shortest run to a violation (breadth-first search). The default with the exact store, breadth-first search with
    /// scouts ([`elnath_check::scout`]), may show a longer one where a shortest one is not found within a second or so.
    #[must_use]
    pub fn shortest(mut self) -> Self {
        self.choice.shortest = true;
        self.search(SearchPlan::BreadthFirst)
    }

    /// Chooses the order in which states are visited; otherwise the store does.
    #[must_use]
    pub fn search(mut self, search: SearchPlan) -> Self {
        self.choice.search = Some(search);
        self
    }

    /// Chooses how states are remembered.
    #[must_use]
    pub fn store(mut self, store: StorePlan) -> Self {
        self.choice.store = Some(WantedStore::Planned(store));
        self
    }

    /// Remembers at most `most` states at a time and forgets visited ones at random.
    #[must_use]
    pub fn replacing(self, most: usize) -> Self {
        let thrashing = Replacing::THRASHING;
        self.store(StorePlan::Replacing { replacement: Replacement::Random, most, thrashing })
    }

    /// Remembers states by a few bits each in an array of this many bytes: not a proof.
    #[must_use]
    pub fn bitstate(self, bytes: usize) -> Self {
        self.store(StorePlan::Bitstate { bytes, k: Bitstate::DEFAULT_K })
    }

    /// Makes many different searches, on all processors, each with its share of a bit array of this many bytes, until one
    /// finds a violation or [`Check::watch`] ends them: never a proof. See [`elnath_check::swarm`].
    #[must_use]
    pub fn swarm(mut self, bytes: usize) -> Self {
        self.choice.swarm = true;
        self.bitstate(bytes)
    }

    /// The seed of everything random.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.choice.seed = seed;
        self
    }

    /// Bytes that the system, the store and the path may take together.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        (self.limits.memory, self.limits.memory_named) = (bytes, true);
        self
    }

    /// The same where nobody has named a limit, and this is what there is: an array of bits does not take all of it.
    #[must_use]
    pub fn free_memory(mut self, bytes: usize) -> Self {
        (self.limits.memory, self.limits.memory_named) = (bytes, false);
        self
    }

    /// Goes on on disk when the memory is used up: breadth first, with the tree store.
    #[must_use]
    pub fn spill(mut self, disk: Disk) -> Self {
        self.choice.spill = true;
        self.limits.disk = Some(Arc::new(disk));
        self
    }

    /// The longest run followed.
    #[must_use]
    pub fn depth(mut self, depth: usize) -> Self {
        self.limits.depth = depth;
        self
    }

    /// The most states entered.
    #[must_use]
    pub fn states(mut self, states: u64) -> Self {
        self.limits.states = states;
        self
    }

    /// Does not look for deadlocks.
    #[must_use]
    pub fn ignore_deadlocks(mut self) -> Self {
        self.deadlocks = false;
        self
    }

    /// Looks for nothing but deadlocks: not for faults, forbidden actions or broken properties. A reduction can leave out
    /// more then.
    #[must_use]
    pub fn only_deadlocks(mut self) -> Self {
        self.only_deadlocks = true;
        self
    }

    /// Checks only these properties of communicating machines; by default all that there are.
    #[must_use]
    pub fn only(mut self, properties: Vec<Blocked>) -> Self {
        self.only = Some(properties);
        self
    }

    /// Counts all violations and lists the errors that they are, with a run each, instead of stopping at the first.
    #[must_use]
    pub fn all_errors(mut self) -> Self {
        self.all = true;
        self
    }

    /// Chooses the reductions, each of which is used where it is sound; by default [`Reductions::USUAL`].
    #[must_use]
    pub fn reductions(mut self, reductions: Reductions) -> Self {
        self.reductions = reductions;
        self
    }

    /// Checks a property of the infinite runs, and nothing else.
    #[must_use]
    pub fn property(mut self, property: TemporalProperty) -> Self {
        self.property = Some(property);
        self
    }

    /// Checks what can be reached, even if the model was loaded with a property.
    #[must_use]
    pub fn reachability(mut self) -> Self {
        (self.property, self.finite) = (None, None);
        self
    }

    /// Checks that every run satisfies a formula over the system's propositions (by their names) and actions
    /// (`action(PATTERN)`).
    ///
    /// # Errors
    /// What is wrong with the formula.
    pub fn ltl(self, formula: &str) -> Result<Self, Vec<Message>> {
        let property = TemporalProperty::of_system(&*self.subject.as_written(), formula)?;
        Ok(self.property(property))
    }

    /// Chooses how runs that violate a property of infinite runs are looked for; otherwise the property does.
    #[must_use]
    pub fn method(mut self, method: Method) -> Self {
        self.choice.method = Some(method);
        self
    }

    /// No transition whose action matches may be reachable. A pattern matches whole labels.
    #[must_use]
    pub fn forbid(mut self, action: ActionPattern) -> Self {
        self.forbid.push(action);
        self
    }

    /// Asks whether the finite runs satisfy a formula, instead of the other questions; faults are still reported.
    #[must_use]
    pub fn finite(mut self, property: FiniteProperty) -> Self {
        self.finite = Some(property);
        self
    }

    /// Calls `watch` now and then with the figures so far; a returned limit stops the search.
    #[must_use]
    pub fn watch(mut self, watch: impl FnMut(&Counters) -> Option<Limit> + 'a) -> Self {
        self.limits = self.limits.watched(watch);
        self
    }

    /// The property of the infinite runs that is asked about.
    pub(crate) fn asked_property(&self) -> Option<&TemporalProperty> {
        self.property.as_ref()
    }

    /// Whether nothing was chosen about the search that another search, shared with other properties, could not keep to.
    pub(crate) fn shares(&self) -> bool {
        let SearchChoice { search, method, shortest, store, swarm, spill, .. } = &self.choice;
        let usual = search.is_none() && method.is_none() && store.is_none() && !shortest && !swarm && !spill;
        usual && self.limits.depth == usize::MAX && self.limits.states == u64::MAX
    }

    /// Asks about several properties at once: a report for each of those that hold and can be decided together.
    pub(crate) fn together(
        self,
        properties: Vec<TemporalProperty>,
    ) -> Result<Result<Vec<Option<CheckReport<'a>>>, NotRecorded>, Problem> {
        let (setting, mut limits) = (self.setting(), self.limits);
        drive(TogetherQuestion { setting, properties }, &mut limits)
    }

    /// Asks.
    ///
    /// # Errors
    /// If the choices do not go together, or if a diagnosis could not be replayed (a bug of elnath).
    pub fn run(mut self) -> Result<CheckReport<'a>, Problem> {
        let setting = self.setting();
        if let Some(property) = self.finite {
            return drive(FiniteQuestion { setting, property }, &mut self.limits);
        }
        if let Some(property) = self.property {
            if let Subject::Observed { observed, .. } = &setting.subject
                && observed.splits_steps()
                && property.question.fairness == Fairness::Weak
            {
                return Err(Problem::WeaklyFairLabels);
            }
            return drive(InfiniteQuestion { setting, property }, &mut self.limits);
        }
        let mut limits = std::mem::take(&mut self.limits);
        let Some(machines) = self.machines.clone().filter(|_| !self.only_deadlocks) else {
            return self.reachable(None, &self.forbid, &mut limits);
        };
        let blocked = if self.deadlocks { machines.properties() } else { Vec::new() };
        let wanted = self.only.clone().unwrap_or(blocked);
        if self.all || wanted.is_empty() {
            return self.reachable(Some(&wanted), &self.forbid, &mut limits);
        }
        let blocked = check_each(wanted, &machines, |wanted| self.reachable(Some(wanted), &[], &mut limits))?;
        if self.forbid.is_empty() {
            return Ok(blocked);
        }
        let forbidden = self.reachable(Some(&[]), &self.forbid, &mut limits)?;
        Ok(forbidden.and(blocked))
    }

    /// Asks what can be reached; of machines, about these properties. If the memory is not enough, it is tried out which store
    /// would reach further.
    fn reachable(
        &self,
        wanted: Option<&[Blocked]>,
        forbid: &[ActionPattern],
        limits: &mut Limits<'a>,
    ) -> Result<CheckReport<'a>, Problem> {
        let question = |choice: &SearchChoice, disk: Option<Arc<Disk>>| SafetyQuestion {
            setting: Setting::new(self.subject.clone(), choice.clone(), self.reductions, self.all, disk),
            deadlocks: self.deadlocks,
            only_deadlocks: self.only_deadlocks,
            forbid: forbid.to_vec(),
            internal: self.internal.clone(),
            can_fail: self.can_fail,
            machines: self.machines.clone().zip(wanted.map(<[Blocked]>::to_vec)),
            swarmed: None,
        };
        let mut report = drive(question(&self.choice, limits.disk.clone()), limits)?;
        let answer = &report.first();
        if answer.limit() == Some(Limit::Memory) && answer.figures.swarm.is_none() && limits.disk.is_none() {
            let found = reach(&answer.figures, limits, &mut |choice, limits| {
                drive(question(&choice, None), limits).ok()
            });
            report.properties[0].figures.reach = Some(found);
        }
        Ok(report)
    }

    /// What is searched, and how.
    fn setting(&self) -> Setting<'a> {
        let disk = self.limits.disk.clone();
        Setting::new(self.subject.clone(), self.choice.clone(), self.reductions, self.all, disk)
    }
}
