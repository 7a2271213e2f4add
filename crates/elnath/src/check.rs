//! Asking whether a system can reach something it must not: one builder for Rust programs and for the command line.

use crate::finite::FiniteProperty;
use crate::frontend::Loaded;
use crate::model::{Model, ModelSystem};
use crate::prepare::prepare;
use crate::property::TemporalProperty;
use crate::questions::Inquiry;
use crate::questions::infinite::Infinite;
use crate::questions::reach::Reach;
use crate::reductions::Reductions;
use crate::report::Report;
use crate::subject::Subject;
use elnath_check::plan::Unsuitable;
use elnath_check::temporal::{Fairness, Method};
use elnath_check::{Plan, Portfolio, Refusal, Safety, SearchPlan, StorePlan};
use elnath_kernel::store::{Bitstate, Replacement, Replacing};
use elnath_kernel::{Action, Budget, Counters, Disk, Limit, Relation, System, Watch};
use elnath_source::Message;
use regex::Regex;
use std::fmt;
use std::sync::Arc;

/// A question about a system, to be asked with [`Check::run`].
pub struct Check<'a> {
    subject: Subject<'a>,
    plan: Plan,
    search_chosen: bool,
    memory: usize,
    depth: usize,
    states: u64,
    disk: Option<Disk>,
    or_tree: bool,
    deadlocks: bool,
    only_deadlocks: bool,
    all: bool,
    forbid: Vec<Regex>,
    finite: Option<FiniteProperty>,
    property: Option<TemporalProperty>,
    method: Option<Method>,
    shortest: bool,
    swarm: bool,
    reductions: Reductions,
    watch: Option<Box<Watch<'a>>>,
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

    /// Checks a model that was [loaded](crate::load): what [`Check::system`] checks, and programs with reductions.
    pub fn loaded(loaded: &Loaded) -> Self {
        Self::subject(loaded.subject.clone())
    }

    /// Checks what a question can be about.
    pub fn subject(subject: Subject<'a>) -> Self {
        Self {
            subject,
            plan: Plan {
                search: SearchPlan::Portfolio(Portfolio::USUAL),
                store: StorePlan::Exact,
                threads: all_cores(),
                seed: 1,
            },
            search_chosen: false,
            memory: usize::MAX,
            depth: usize::MAX,
            states: u64::MAX,
            disk: None,
            or_tree: false,
            deadlocks: true,
            only_deadlocks: false,
            all: false,
            forbid: Vec::new(),
            finite: None,
            property: None,
            method: None,
            shortest: false,
            swarm: false,
            reductions: Reductions::NONE,
            watch: None,
        }
    }

    /// Chooses everything about the walk at once.
    #[must_use]
    pub fn plan(mut self, plan: Plan) -> Self {
        self.search_chosen = true;
        self.plan = plan;
        self
    }

    /// How many workers a search that can use several has; by default as many as there are processors.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.plan.threads = threads;
        self
    }

    /// Finds a shortest run to a violation (breadth-first search). The default with the exact store, breadth-first search with
    /// scouts ([`elnath_check::scout`]), may show a longer one where a shortest one is not found within a second or so.
    #[must_use]
    pub fn shortest(mut self) -> Self {
        self.shortest = true;
        self.search(SearchPlan::BreadthFirst)
    }

    /// Chooses the order in which states are visited; otherwise the store does.
    #[must_use]
    pub fn search(mut self, search: SearchPlan) -> Self {
        self.search_chosen = true;
        self.plan.search = search;
        self
    }

    /// Chooses how states are remembered.
    #[must_use]
    pub fn store(mut self, store: StorePlan) -> Self {
        self.plan.store = store;
        if !self.search_chosen {
            self.plan.search = store.usual_search();
        }
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
        self.swarm = true;
        self.search(SearchPlan::DepthFirst).bitstate(bytes)
    }

    /// The seed of everything random.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.plan.seed = seed;
        self
    }

    /// Bytes that the system, the store and the path may take together.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.memory = bytes;
        self
    }

    /// Goes on on disk when the memory is used up: breadth first, with the tree store.
    #[must_use]
    pub fn spill(mut self, disk: Disk) -> Self {
        self.plan.search = SearchPlan::BreadthFirst;
        self.plan.store = StorePlan::Tree;
        self.disk = Some(disk);
        self
    }

    /// If the exact store has no room for all states, begins again with the tree store, which needs less.
    #[must_use]
    pub fn or_tree(mut self) -> Self {
        self.or_tree = true;
        self
    }

    /// The longest run followed.
    #[must_use]
    pub fn depth(mut self, depth: usize) -> Self {
        self.depth = depth;
        self
    }

    /// The most states entered.
    #[must_use]
    pub fn states(mut self, states: u64) -> Self {
        self.states = states;
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

    /// Counts all violations instead of stopping at the first.
    #[must_use]
    pub fn all_errors(mut self) -> Self {
        self.all = true;
        self
    }

    /// Leaves out what makes no difference to the verdict; by default nothing is left out.
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
        self.method = Some(method);
        self
    }

    /// No transition whose action matches may be reachable.
    #[must_use]
    pub fn forbid(mut self, action: Regex) -> Self {
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
        self.watch = Some(Box::new(watch));
        self
    }

    /// Asks.
    ///
    /// # Errors
    /// If the choices do not go together, or if a diagnosis could not be replayed (a bug of elnath).
    pub fn run(mut self) -> Result<Report<'a>, Problem> {
        let (shortest, reductions, swarm) = (self.shortest, self.reductions, self.swarm);
        if let Some(property) = self.property.take() {
            if swarm {
                return Err(Refusal::Unsuitable(Unsuitable::NoSwarm).into());
            }
            if let Subject::Observed { observed, .. } = &self.subject
                && observed.splits_steps()
                && property.question.fairness == Fairness::Weak
            {
                return Err(Problem::WeaklyFairLabels);
            }
            let method = self.method;
            return self.drive(Infinite { property, method, shortest, reductions });
        }
        let system = self.subject.as_written();
        let forbid = std::mem::take(&mut self.forbid);
        let forbidden = |action: Action| {
            let name = system.action_name(action);
            forbid.iter().any(|pattern| pattern.is_match(&name))
        };
        let only_deadlocks = self.only_deadlocks;
        let invariants = u64::MAX.checked_shr(64 - system.propositions().len() as u32).unwrap_or(0);
        let question = Safety {
            deadlocks: self.deadlocks || only_deadlocks,
            faults: !only_deadlocks,
            forbidden: if forbid.is_empty() || only_deadlocks { None } else { Some(&forbidden) },
            invariants: if only_deadlocks { 0 } else { invariants },
            all: self.all,
        };
        if self.all {
            // To count violations is to see everything.
            self.plan.search = self.plan.search.without_scouts();
        }
        let finite = self.finite.take();
        let mut report = self.drive(Reach {
            question,
            finite: finite.as_ref(),
            only_deadlocks,
            shortest,
            reductions,
            swarm,
            swarmed: None,
            met_an_end: None,
        })?;
        report.finite = finite;
        Ok(report)
    }

    /// The one way from a question to its report: prepare what is walked, walk it, map what was found back to the model as it was
    /// written, confirm it there, and report.
    fn drive<Q: Inquiry<'a>>(mut self, mut inquiry: Q) -> Result<Report<'a>, Problem> {
        let mut plan = self.plan;
        let prepared = prepare(&self.subject, &inquiry.asked(), &mut plan)?;
        let mut no_watch = |_: &Counters| None;
        let mut budget = Budget {
            memory: self.memory.saturating_sub(self.subject.as_written().bytes()),
            depth: self.depth,
            states: self.states,
            disk: self.disk.as_ref(),
            watch: match &mut self.watch {
                Some(watch) => watch,
                None => &mut no_watch,
            },
        };
        let mut answer = inquiry.walk(&prepared.system, &plan, &mut budget)?;
        let before = inquiry.ran_out(&plan, &answer).filter(|_| self.or_tree);
        if before.is_some() {
            plan.store = StorePlan::Tree;
            answer = inquiry.walk(&prepared.system, &plan, &mut budget)?;
        }
        for back in prepared.ways_back() {
            inquiry.map_back(&mut answer, back)?;
        }
        let findings = inquiry.confirm(answer, &plan, &self.subject, &prepared, &mut budget)?;
        Ok(Report::new(findings, self.disk, before))
    }
}

/// As many workers as there are processors.
pub fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Why a question got no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// What was asked for cannot work; or what was found could not be confirmed, which is a bug of elnath.
    Refused(Refusal),
    /// There are no quotients by this relation: see [`elnath_lts::quotient::RELATIONS`].
    NoQuotient(Relation),
    /// The model has no channels to ask about, or not those that were named.
    Channels(Vec<Message>),
    /// A reduction was insisted on, and this is why it cannot be made, with the places in the model.
    Reduction(Vec<Message>),
    /// Weakly fair runs of an observed program with steps that become several. Between these no other process can move, and a
    /// process that waits there for its turn would be taken for one that cannot go on.
    WeaklyFairLabels,
}

impl Problem {
    /// Whether the user asked for something that cannot work, as opposed to a bug of ours.
    pub fn is_usage(&self) -> bool {
        match self {
            Problem::Refused(refusal) => refusal.is_usage(),
            Problem::Reduction(_)
            | Problem::NoQuotient(_)
            | Problem::Channels(_)
            | Problem::WeaklyFairLabels => true,
        }
    }
}

impl Problem {
    /// What there is to be told, each thing with its place if it has one.
    pub fn into_messages(self) -> Vec<Message> {
        match self {
            Problem::Reduction(messages) | Problem::Channels(messages) => messages,
            other => vec![Message::about_file(other.to_string())],
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Refused(refusal) => refusal.fmt(f),
            Problem::NoQuotient(relation) => write!(f, "there are no quotients by {}", relation.name()),
            Problem::Reduction(messages) | Problem::Channels(messages) => {
                let lines: Vec<String> = messages.iter().map(Message::to_string).collect();
                f.write_str(&lines.join("\n"))
            }
            Problem::WeaklyFairLabels => f.write_str(
                "weak fairness cannot be decided with --hide, --hide-all-but or --rename here: an atomic sequence of the \
                 model has several labels, between which no other process can move",
            ),
        }
    }
}

impl std::error::Error for Problem {}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        Problem::Refused(refusal)
    }
}
