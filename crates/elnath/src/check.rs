//! Asking whether a system can reach something it must not: one builder for Rust programs and for the command line.

use crate::finite::FiniteProperty;
use crate::model::{Model, ModelSystem};
use crate::property::Property;
use crate::reductions::{Allowed, Applied, Reductions, Walked};
use crate::symmetry;
use elnath_check::finite;
use elnath_check::plan::Unsuitable;
use elnath_check::reachability::{self, Refusal};
use elnath_check::swarm::{self, Swarm, Swarmed};
use elnath_check::temporal::{self, Fairness, Method, Size, TemporalPlan};
use elnath_check::{
    Answer, ErrorCounts, Plan, Portfolio, Question, Scouted, SearchPlan, StorePlan, Violation, tighten,
};
use elnath_kernel::store::{Bitstate, Replacement, Replacing};
use elnath_kernel::{
    Action, Budget, Counters, Coverage, Diagnosis, Disk, End, Exchanges, Keep, Limit, Notices, Run, System,
    Verdict, replay,
};
use elnath_logic::scc::Strength;
use elnath_source::Message;
use regex::Regex;
use std::fmt;
use std::sync::Arc;

/// A question about a system, to be asked with [`Check::run`].
pub struct Check<'a> {
    system: Arc<dyn System + 'a>,
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
    property: Option<Property>,
    method: Option<Method>,
    shortest: bool,
    swarm: bool,
    reductions: Reductions,
    watch: Option<Watch<'a>>,
}

/// What is called now and then with the figures so far.
type Watch<'a> = Box<dyn FnMut(&Counters) -> Option<Limit> + 'a>;

impl<'a> Check<'a> {
    /// Checks a model written in Rust: deadlocks and its properties.
    pub fn model<M: Model>(model: &'a M) -> Self {
        Self::system(Arc::new(ModelSystem::new(model)))
    }

    /// Checks any system: deadlocks, faults, and that its propositions are always true.
    pub fn system(system: Arc<dyn System + 'a>) -> Self {
        Self {
            system,
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
    pub fn property(mut self, property: Property) -> Self {
        self.property = Some(property);
        self
    }

    /// Checks that every run satisfies a formula over the system's propositions (by their names) and actions
    /// (`action(PATTERN)`).
    ///
    /// # Errors
    /// What is wrong with the formula.
    pub fn ltl(self, formula: &str) -> Result<Self, Vec<Message>> {
        let property = Property::of_system(&*self.system, formula)?;
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
        let no_swarm = || Problem::Reachability(Refusal::Unsuitable(Unsuitable::NoSwarm));
        if let Some(property) = self.property.take() {
            return if self.swarm { Err(no_swarm()) } else { self.run_property(property) };
        }
        let names = self.system.propositions();
        let system = Arc::clone(&self.system);
        let forbidden = |action: Action| {
            let name = system.action_name(action);
            self.forbid.iter().any(|pattern| pattern.is_match(&name))
        };
        let question = Question {
            deadlocks: self.deadlocks || self.only_deadlocks,
            faults: !self.only_deadlocks,
            forbidden: if self.forbid.is_empty() || self.only_deadlocks { None } else { Some(&forbidden) },
            invariants: if names.is_empty() || self.only_deadlocks {
                0
            } else {
                u64::MAX >> (64 - names.len())
            },
            all: self.all,
        };
        let mut no_watch = |_: &Counters| None;
        let mut budget = Budget {
            memory: self.memory.saturating_sub(self.system.bytes()),
            depth: self.depth,
            states: self.states,
            disk: self.disk.as_ref(),
            watch: match &mut self.watch {
                Some(watch) => watch,
                None => &mut no_watch,
            },
        };
        let (mut met_an_end, mut swarmed) = (None, None);
        let allowed = match &self.finite {
            Some(_) => Allowed::by_finite_runs(self.all),
            None => {
                let keep = Keep { only_deadlocks: self.only_deadlocks, ..Keep::default() };
                Allowed::by_reachability(keep, self.all, self.shortest, !self.forbid.is_empty())
            }
        };
        let mut walked = Walked::new(&self.system, self.reductions, allowed);
        if self.reductions.symmetry {
            let why_not = symmetry::of_reachability(self.all, self.finite.is_some());
            let every_step = self.shortest || !self.forbid.is_empty();
            let notices = Notices { every_step, past_faults: self.only_deadlocks };
            walked.take_quotient(&self.system, why_not, notices).map_err(Problem::Asymmetric)?;
        }
        let sleep = self.reductions.sleep.then(|| match (&self.finite, self.swarm) {
            (None, false) => walked.with_sleep_sets(&self.plan),
            (Some(_), _) => Err("the formula is about finite runs"),
            (_, true) => Err("a swarm has many searches"),
        });
        if let Some(Ok(search)) = sleep {
            self.plan.search = search;
        }
        if self.all {
            // To count violations is to see everything.
            self.plan.search = self.plan.search.without_scouts();
        }
        let mut ask = |plan: &Plan| match &self.finite {
            _ if self.swarm => {
                let StorePlan::Bitstate { bytes, .. } = plan.store else { return Err(no_swarm()) };
                if self.finite.is_some() || self.all {
                    return Err(no_swarm());
                }
                let threads = plan.threads.max(1);
                let swarm = Swarm { threads, bytes: bytes / threads, seed: plan.seed };
                let (answer, figures) = swarm::ask(&*walked.system, &question, &swarm, &mut budget)
                    .map_err(Problem::Reachability)?;
                swarmed = Some(figures);
                Ok(answer)
            }
            None => reachability::ask(&*walked.system, &question, plan, &mut budget)
                .map_err(Problem::Reachability),
            Some(property) => {
                finite::ask(&*walked.system, &property.as_property(), self.all, plan, &mut budget)
                    .map(|finite| {
                        met_an_end = Some(finite.met_an_end);
                        finite.answer
                    })
                    .map_err(Problem::Reachability)
            }
        };
        let mut answer = ask(&self.plan)?;
        let by_portfolio = matches!(self.plan.search, SearchPlan::Portfolio(_));
        let breadth_first = self.plan.search.without_scouts() == SearchPlan::BreadthFirst;
        let exact = breadth_first && self.plan.store == StorePlan::Exact;
        let mut before = None;
        if self.or_tree && exact && answer.verdict == Verdict::Unknown(Limit::Memory) {
            before = Some(answer.counters);
            self.plan.store = StorePlan::Tree;
            answer = ask(&self.plan)?;
        }
        if walked.is_quotient() {
            reachability::lift_answer(&*self.system, &*walked.system, &question, &mut answer)
                .map_err(Problem::Reachability)?;
        }
        let symmetry = walked.system.exchanges();
        let [por, merge, dead, slice] = walked.applied();
        let Answer { mut verdict, violation, mut errors, counters, end, coverage, mut unfired, mut scouted } =
            answer;
        if scouted.is_none() {
            // No scout had to set out.
            self.plan.search = self.plan.search.without_scouts();
        }
        if self.only_deadlocks && matches!(por, Some(Applied::Used(_))) {
            // Some may have been left out for ever.
            unfired.clear();
        }
        let (system, violation) = match violation {
            Some((mut violation, run)) => {
                let told = walked.told(&self.system, run);
                let (mut system, mut run) = told.ok_or(Problem::Reachability(Refusal::NotReplayed(None)))?;
                // What was found in a simplified program is true only if it is so in the one that was written.
                if self.finite.is_none() {
                    reachability::confirm(&*system, &question, violation, &run)
                        .map_err(Problem::Reachability)?;
                }
                let is_shortest = scouted.as_ref().is_none_or(|scouted| scouted.find.is_none())
                    && !walked.is_another(&self.system);
                if by_portfolio && self.finite.is_none() && !is_shortest {
                    let shorter = tighten(&*self.system, &question, &run, &counters, &mut budget)
                        .map_err(Problem::Reachability)?;
                    if let Some(shorter) = shorter {
                        (violation, run) = shorter;
                        system = Arc::clone(&self.system);
                        errors = ErrorCounts::of(violation);
                        verdict = Verdict::Fails(Diagnosis { steps: run.steps.clone(), loop_start: None });
                    }
                }
                if let Some(find) = scouted.as_mut().and_then(|scouted| scouted.find.as_mut()) {
                    // Steps are told as those of the program as it was written.
                    find.shortened = run.steps.len();
                    let found = replay(&*walked.system, &find.run).ok();
                    let told =
                        found.filter(|_| walked.is_simplified()).and_then(|run| walked.told(&system, run));
                    find.length = told.map_or(find.length, |(_, run)| run.steps.len());
                }
                (system, Some((violation, run)))
            }
            None => (self.system, None),
        };
        Ok(Report {
            system,
            plan: self.plan,
            before,
            disk: self.disk,
            verdict,
            violation,
            errors,
            counters,
            end,
            coverage,
            unfired,
            finite: self.finite,
            met_an_end,
            swarm: swarmed,
            scouted,
            temporal: None,
            por,
            merge,
            dead,
            slice,
            symmetry,
            sleep: sleep.map(|search| search.err()),
        })
    }

    /// Asks about the infinite runs.
    fn run_property(mut self, property: Property) -> Result<Report<'a>, Problem> {
        let mut no_watch = |_: &Counters| None;
        let mut budget = Budget {
            memory: self.memory.saturating_sub(self.system.bytes()),
            depth: self.depth,
            states: self.states,
            disk: self.disk.as_ref(),
            watch: match &mut self.watch {
                Some(watch) => watch,
                None => &mut no_watch,
            },
        };
        let plan = |store| TemporalPlan {
            method: self.method,
            shortest: self.shortest,
            store,
            threads: self.plan.threads,
            seed: self.plan.seed,
        };
        let allowed = Allowed::by_property(&property, self.shortest);
        let mut walked = Walked::new(&self.system, self.reductions, allowed);
        if self.reductions.symmetry {
            let why_not = symmetry::of_property(&property, self.shortest);
            let notices = symmetry::noticed_by(&property);
            walked.take_quotient(&self.system, why_not, notices).map_err(Problem::Asymmetric)?;
        }
        let mut ask = |store| {
            let system = Arc::clone(&walked.system);
            temporal::ask(system, &property.question, &plan(store), &mut budget).map_err(Problem::Temporal)
        };
        let mut answer = ask(self.plan.store)?;
        let mut before = None;
        let by_reaching = answer.method == Method::Reachability(SearchPlan::BreadthFirst);
        let exact = by_reaching && answer.store == StorePlan::Exact;
        if self.or_tree && exact && answer.verdict == Verdict::Unknown(Limit::Memory) {
            before = Some(answer.counters);
            answer = ask(StorePlan::Tree)?;
        }
        if walked.is_quotient() {
            temporal::lift_answer(&mut answer, Arc::clone(&self.system)).map_err(Problem::Temporal)?;
        }
        walked.tell_property(&self.system, &mut answer).map_err(Problem::Temporal)?;
        let symmetry = walked.system.exchanges();
        let [por, merge, dead, slice] = walked.applied();
        let search = match answer.method {
            Method::Reachability(order) => order,
            _ => SearchPlan::DepthFirst,
        };
        if let Some((run, Some(loop_start))) = &mut answer.run {
            answer.product.roll_back(run, loop_start);
        }
        let loop_start = answer.run.as_ref().and_then(|(_, loop_start)| *loop_start);
        let alone = answer.run.as_ref().map(|(run, _)| (answer.product.alone(run), loop_start));
        let product: Arc<dyn System + 'a> = answer.product;
        let faults = answer.faults.iter().map(|&fault| product.fault_name(fault)).collect();
        // A fault in the last step of a loop is not what is wrong with it if faults are ignored.
        let fault = answer.run.as_ref().and_then(|(run, _)| run.fault).filter(|_| property.question.faults);
        let violation = fault.map_or(Violation::BadRun, Violation::Fault);
        let errors = match (&answer.run, fault) {
            // There is a violation, although the run that shows it is not known.
            (None, _) if answer.verdict == Verdict::Unknown(Limit::Witness) => {
                ErrorCounts { invariants: 1, ..ErrorCounts::default() }
            }
            (None, _) => ErrorCounts::default(),
            (Some(_), None) => ErrorCounts { invariants: 1, ..ErrorCounts::default() },
            (Some(_), Some(_)) => ErrorCounts { faults: 1, ..ErrorCounts::default() },
        };
        Ok(Report {
            system: product,
            plan: Plan { search, store: answer.store, threads: answer.workers, ..self.plan },
            before,
            disk: self.disk,
            verdict: answer.verdict,
            violation: answer.run.map(|(run, _)| (violation, run)),
            errors,
            counters: answer.counters,
            end: answer.end,
            coverage: answer.coverage,
            unfired: Vec::new(),
            swarm: None,
            scouted: None,
            temporal: Some(Temporal {
                property,
                method: answer.method,
                strength: answer.strength,
                size: answer.size,
                workers: answer.workers,
                one_worker: answer.one_worker,
                loop_start,
                alone,
                faults,
            }),
            finite: None,
            met_an_end: None,
            por,
            merge,
            dead,
            slice,
            symmetry,
            sleep: self
                .reductions
                .sleep
                .then_some(Some("they keep states, not the order in which things happen")),
        })
    }
}

/// As many workers as there are processors.
pub fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Why a question got no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// One about what can be reached.
    Reachability(Refusal),
    /// One about infinite runs.
    Temporal(temporal::Refusal),
    /// Symmetry was asked for, and this is why there is none, with the places in the model.
    Asymmetric(Vec<Message>),
}

impl Problem {
    /// Whether the user asked for something that cannot work, as opposed to a bug of ours.
    pub fn is_usage(&self) -> bool {
        match self {
            Problem::Reachability(refusal) => matches!(refusal, Refusal::Unsuitable(_)),
            Problem::Temporal(refusal) => refusal.is_usage(),
            Problem::Asymmetric(_) => true,
        }
    }
}

impl Problem {
    /// What there is to be told, each thing with its place if it has one.
    pub fn into_messages(self) -> Vec<Message> {
        match self {
            Problem::Asymmetric(messages) => messages,
            other => vec![Message::about_file(other.to_string())],
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Reachability(refusal) => refusal.fmt(f),
            Problem::Temporal(refusal) => refusal.fmt(f),
            Problem::Asymmetric(messages) => {
                let lines: Vec<String> = messages.iter().map(Message::to_string).collect();
                f.write_str(&lines.join("\n"))
            }
        }
    }
}

impl std::error::Error for Problem {}

/// The answer, with all its figures.
pub struct Report<'a> {
    /// The system asked about.
    pub system: Arc<dyn System + 'a>,
    /// How it was walked.
    pub plan: Plan,
    /// What an exact store had done when it ran out of memory, if a tree store began again ([`Check::or_tree`]).
    pub before: Option<Counters>,
    /// The disk it could go on on.
    pub disk: Option<Disk>,
    /// The verdict.
    pub verdict: Verdict,
    /// The first violation, with its replayed run.
    pub violation: Option<(Violation, Run)>,
    /// How many violations were met.
    pub errors: ErrorCounts,
    /// What the walk did.
    pub counters: Counters,
    /// Why the walk ended.
    pub end: End,
    /// What the store can claim about a complete walk.
    pub coverage: Coverage,
    /// After a complete walk, the actions that were never fired.
    pub unfired: Vec<Action>,
    /// The formula over finite runs that was asked about.
    pub finite: Option<FiniteProperty>,
    /// If a formula about runs that end was asked about: whether the walk met one.
    pub met_an_end: Option<bool>,
    /// What a swarm did, if there was one.
    pub swarm: Option<Swarmed>,
    /// What scouts did, if they had to set out.
    pub scouted: Option<Scouted>,
    /// If it was asked about infinite runs, how.
    pub temporal: Option<Temporal>,
    /// What became of partial order reduction, if it was wanted.
    pub por: Option<Applied>,
    /// The same of statement merging.
    pub merge: Option<Applied>,
    /// The same of dead variables.
    pub dead: Option<Applied>,
    /// The same of slicing.
    pub slice: Option<Applied>,
    /// What symmetry did, if it was wanted.
    pub symmetry: Option<Exchanges>,
    /// If sleep sets were wanted: why they were not used, if they were not. What they did is among the counters.
    pub sleep: Option<Option<&'static str>>,
}

/// What is to be told of an answer about infinite runs, beside what is told of any.
pub struct Temporal {
    /// What was asked.
    pub property: Property,
    /// How it was looked for.
    pub method: Method,
    /// The strength of the automaton of the bad runs.
    pub strength: Strength,
    /// Its size, in the form that the search wanted.
    pub size: Size,
    /// How many workers looked for it.
    pub workers: usize,
    /// Why there was one only, if more were wanted, in words that follow "because".
    pub one_worker: Option<&'static str>,
    /// The step of the run with which its cycle begins, from 0. If there is none, the run is bad whatever comes after it.
    pub loop_start: Option<usize>,
    /// The run without the automaton and without the steps in which only that moves: one of the system alone, as it was
    /// written, with the step with which its cycle begins.
    pub alone: Option<(Run, Option<usize>)>,
    /// The faults that the search came across, in words, whether they count or not.
    pub faults: Vec<String>,
}

impl Temporal {
    /// What the runs that count are, in words.
    pub fn reading(&self) -> String {
        let runs = match self.property.question.fairness {
            Fairness::None => "all runs",
            Fairness::Weak => "runs that are weakly fair to each process",
            Fairness::Strong => "runs that are strongly fair to each process",
            Fairness::Live => {
                "runs in which each process with accept labels is at one of them again and again"
            }
        };
        let ends = if self.property.question.stutter {
            "the last state of a run that ends lasts for ever"
        } else {
            "runs that end do not count"
        };
        let faults = if self.property.question.faults { "" } else { "; faults of the model are ignored" };
        format!("{runs}; {ends}{faults}")
    }
}

impl Report<'_> {
    /// How many workers the search had.
    pub fn workers(&self) -> usize {
        self.temporal.as_ref().map_or(self.plan.workers(), |temporal| temporal.workers)
    }

    /// Why there was one only, if more were wanted, in words that follow "because".
    pub fn one_worker(&self) -> Option<&'static str> {
        self.temporal.as_ref().map_or(self.plan.one_worker(), |temporal| temporal.one_worker)
    }

    /// The steps to the violation: each action with the state it leads to.
    pub fn steps(&self) -> impl Iterator<Item = (String, String)> + '_ {
        self.violation.iter().flat_map(move |(_, run)| {
            run.steps.iter().enumerate().map(move |(i, &t)| {
                let action = self.system.show_transition(&run.states[i], t);
                (action, self.system.show_state(&run.states[i + 1]))
            })
        })
    }

    /// The steps to the violation, a line each.
    pub fn story(&self) -> Vec<String> {
        self.steps().map(|(action, state)| format!("{action} -> {state}")).collect()
    }

    /// The parts of the model that were never executed, after a complete walk: place and text, in the order
    /// of the lines.
    pub fn dead_parts(&self) -> Vec<(Option<String>, String)> {
        let part = |&action: &Action| (self.system.action_place(action), self.system.action_name(action));
        let mut parts: Vec<(Option<String>, String)> = self.unfired.iter().map(part).collect();
        let line = |place: &String| place.rsplit_once(':').and_then(|(_, line)| line.parse::<u32>().ok());
        parts.sort_by_key(|(place, _)| place.as_ref().and_then(line));
        parts
    }

    /// The violation in words.
    pub fn violation_text(&self) -> Option<String> {
        self.violation.as_ref().map(|(violation, _)| match violation {
            Violation::Deadlock => "deadlock: no transition is possible".to_owned(),
            Violation::Fault(fault) => self.system.fault_name(*fault),
            Violation::Forbidden(action) => format!("forbidden action {}", self.system.action_name(*action)),
            Violation::BadRun => {
                let temporal = self.temporal.as_ref().expect("only temporal questions have such answers");
                match temporal.property.kind {
                    "ltl" => "the formula is violated".to_owned(),
                    "progress" => "a cycle without progress".to_owned(),
                    "acceptance" => "a cycle through an acceptance label".to_owned(),
                    "automaton" => "a run that the automaton accepts".to_owned(),
                    _ => "the claim is matched".to_owned(),
                }
            }
            Violation::Invariant(bit) => {
                format!("property \"{}\" is violated", self.system.propositions()[*bit as usize])
            }
            Violation::FiniteRun => {
                let formula = self.finite.as_ref().map(FiniteProperty::formula).unwrap_or_default();
                format!("this run does not satisfy {formula}")
            }
        })
    }
}
