//! Which walk over which store: the choices of the user as one value, and the one place where a choice becomes code.
//!
//! Stores and hooks are known at compile time (the hot loop has no virtual call but the stepper's), so this is a
//! match over all combinations that make sense.

use crate::capability::{Capability, Missing};
use crate::scout::{Portfolio, Scouted, Scouts};
use crate::shorten::shorten;
use crate::stores::{StorePlan, UseMarks, UsePath, UseSleeps};
use elnath_kernel::search::{
    Hooks, Outcome, Walked, bfs, dfsr, parallel_bfs, parallel_bfs_sharing, parallel_dfs, sample, sleeping,
    spill,
};
use elnath_kernel::store::{
    Compact, Exact, Lossy, Marks, Shared, SharedBitstate, SharedExact, Sleeps, Store, Tree,
};
use elnath_kernel::{Action, Budget, Counters, Coverage, End, Limit, Stepper, System, Witness};
use std::fmt;

/// A walk over a store.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// The order in which states are visited.
    pub search: SearchPlan,
    /// How they are remembered.
    pub store: StorePlan,
    /// How many workers a search that can use several has.
    pub threads: usize,
    /// The seed of random replacement.
    pub seed: u64,
}

/// What a walk leaves behind.
pub struct Exploration<H> {
    /// How it ended.
    pub outcome: Outcome,
    /// What the store can claim.
    pub coverage: Coverage,
    /// The hooks, one for each worker.
    pub hooks: Vec<H>,
    /// The actions that were never fired.
    pub unfired: Vec<Action>,
    /// What scouts did, if they had to set out.
    pub scouted: Option<Scouted>,
}

/// The order in which states are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchPlan {
    /// Depth first with replacement (DFSR).
    DepthFirst,
    /// Depth first with replacement and sleep sets: fewer second arrivals, and so less to be done again where states were
    /// forgotten. With the exact or the replacing store.
    Sleeping,
    /// Breadth first: shortest runs; by many workers if the store can be shared.
    BreadthFirst,
    /// Breadth first, with scouts that go deep when this takes long ([`crate::scout`]): for the exact and the tree store.
    Portfolio(Portfolio),
}

impl SearchPlan {
    /// The same without scouts.
    #[must_use]
    pub fn without_scouts(self) -> Self {
        match self {
            SearchPlan::Portfolio(_) => SearchPlan::BreadthFirst,
            other => other,
        }
    }
}

/// A combination that cannot work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsuitable {
    /// The search needs something that the store cannot do.
    Store(Missing),
    /// A disk for a store that does not use it.
    Diskless,
    /// A swarm for a question about runs, or with another store than the bit array.
    NoSwarm,
}

impl fmt::Display for Unsuitable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unsuitable::Store(missing) => missing.fmt(f),
            Unsuitable::NoSwarm => f.write_str(
                "a swarm looks for what must not be reachable, with the bitstate store: \
                 it cannot tell whether runs satisfy a formula, nor count errors",
            ),
            Unsuitable::Diskless => {
                f.write_str("only breadth-first search with the tree store can go on on disk")
            }
        }
    }
}

impl std::error::Error for Unsuitable {}

impl Plan {
    /// Whether the combination makes sense.
    ///
    /// # Errors
    /// If it does not.
    pub fn check(&self) -> Result<(), Unsuitable> {
        self.search.kind().may_use(self.store.kind()).map_err(Unsuitable::Store)
    }

    /// How many workers the search will have.
    pub fn workers(&self) -> usize {
        match (self.search, self.store) {
            (SearchPlan::BreadthFirst | SearchPlan::Portfolio(_), store)
                if store.can(Capability::Sharing) =>
            {
                self.threads.max(1)
            }
            (SearchPlan::DepthFirst, StorePlan::Bitstate { .. }) => self.threads.max(1),
            _ => 1,
        }
    }

    /// Why there is only one, if more are wanted, in words that follow "because".
    pub fn one_worker(&self) -> Option<&'static str> {
        (self.threads > 1 && self.workers() == 1).then_some(
            "only breadth-first search with the exact or the tree store and depth-first search with the bitstate store \
             have more",
        )
    }

    /// Walks everything reachable from the initial state; `hooks` makes the hooks of one worker.
    ///
    /// # Errors
    /// If the combination makes no sense.
    pub fn walk<H: Hooks + Send>(
        &self,
        system: &dyn System,
        hooks: impl Fn() -> H,
        budget: &mut Budget<'_>,
    ) -> Result<Exploration<H>, Unsuitable> {
        self.check()?;
        let workers = self.workers();
        let how = match self.search {
            SearchPlan::Portfolio(how) => Some(how),
            _ => None,
        };
        match (self.search, self.store, budget.disk) {
            (SearchPlan::BreadthFirst | SearchPlan::Portfolio(_), StorePlan::Tree, Some(disk)) => {
                let each = (0..workers).map(|_| hooks()).collect();
                let Walked { outcome, hooks, unfired, .. } =
                    spill(system, tree_for(system), disk, each, budget);
                return Ok(Exploration {
                    outcome,
                    coverage: Coverage::Exhaustive,
                    hooks,
                    unfired,
                    scouted: None,
                });
            }
            (_, _, Some(_)) => return Err(Unsuitable::Diskless),
            (SearchPlan::BreadthFirst | SearchPlan::Portfolio(_), StorePlan::Tree, None) => {
                return Ok(self.shared(tree_for(system), how, system, hooks, budget));
            }
            (SearchPlan::BreadthFirst | SearchPlan::Portfolio(_), StorePlan::Exact, None) => {
                return Ok(self.shared(SharedExact::new(workers), how, system, hooks, budget));
            }
            (SearchPlan::DepthFirst, StorePlan::Bitstate { bytes, k }, None) if workers > 1 => {
                return Ok(by_many(&SharedBitstate::new(bytes, k), workers, system, hooks, budget));
            }
            _ => {}
        }
        let (mut stepper, mut hooks) = (system.stepper(), hooks());
        let (outcome, coverage) = self.walk_alone(&mut *stepper, &mut hooks, budget);
        Ok(Exploration { outcome, coverage, hooks: vec![hooks], unfired: stepper.unfired(), scouted: None })
    }

    /// A breadth-first walk by many workers, with scouts if there is a `how` for them.
    fn shared<S: Shared, H: Hooks + Send>(
        &self,
        store: S,
        how: Option<Portfolio>,
        system: &dyn System,
        hooks: impl Fn() -> H,
        budget: &mut Budget<'_>,
    ) -> Exploration<H> {
        let each = (0..self.workers()).map(|_| hooks()).collect();
        let told = |outcome: &mut Outcome, budget: &mut Budget<'_>| {
            let unknown = |witness: &&Witness| matches!(witness, Witness::Length(_));
            let lengths = outcome.witness.iter().chain(&outcome.kept).filter(unknown).map(Witness::length);
            let Some(longest) = lengths.max() else { return };
            let again = runs_of_length(longest, system, &hooks, budget);
            if matches!(again.witness, Some(Witness::Run(_))) {
                (outcome.witness, outcome.kept) = (again.witness, again.kept);
            }
        };
        let Some(how) = how else {
            let Walked { mut outcome, hooks: each, unfired } = parallel_bfs(system, store, each, budget);
            told(&mut outcome, budget);
            return Exploration {
                outcome,
                coverage: Coverage::Exhaustive,
                hooks: each,
                unfired,
                scouted: None,
            };
        };
        let mut scouts = Scouts::new(system, &hooks, how, self.seed, (budget.memory, budget.depth));
        let mut gave_way = scouts.set_out();
        let Walked { mut outcome, hooks: each, unfired } = if gave_way {
            let outcome =
                Outcome { end: End::Stopped, counters: Counters::default(), witness: None, kept: Vec::new() };
            Walked { outcome, hooks: each, unfired: Vec::new() }
        } else {
            let beside = scouts.beside();
            let mut watch = |counters: &Counters| {
                let limit = (budget.watch)(counters);
                gave_way = limit.is_none() && scouts.accompany(counters);
                limit.or(gave_way.then_some(Limit::Interrupted))
            };
            let Budget { memory, depth, states, disk, .. } = *budget;
            let budget = &mut Budget { memory, depth, states, disk, watch: &mut watch };
            parallel_bfs_sharing(system, store, each, budget, beside)
        };
        let out_of_memory = outcome.end == End::Limited(Limit::Memory) && outcome.witness.is_none();
        if out_of_memory && self.store == StorePlan::Tree {
            scouts.last_chance(&outcome.counters, budget.watch);
        }
        let mut scouted = scouts.finish();
        told(&mut outcome, budget);
        match &mut scouted {
            // The walk has found a run of its own, which is shorter.
            Some(scouted) if matches!(outcome.witness, Some(Witness::Run(_))) => scouted.find = None,
            Some(Scouted { find: Some(find), .. }) => {
                let mut stop = || (budget.watch)(&outcome.counters).is_some();
                let run =
                    shorten(system, hooks(), find.run.clone(), (how.shortening, budget.memory), &mut stop);
                find.shortened = run.len();
                outcome.witness = Some(Witness::Run(run));
                outcome.end = End::Stopped;
            }
            _ => {}
        }
        if gave_way {
            assert!(outcome.witness.is_some(), "the walk gives way to what was found");
            outcome.end = End::Stopped;
        }
        Exploration { outcome, coverage: Coverage::Exhaustive, hooks: each, unfired, scouted }
    }

    fn walk_alone(
        &self,
        stepper: &mut dyn Stepper,
        hooks: &mut impl Hooks,
        budget: &mut Budget<'_>,
    ) -> (Outcome, Coverage) {
        let mut root = Vec::new();
        stepper.initial(&mut root);
        let typical = root.len();
        let alone = Alone { stepper, hooks, root: &root, budget };
        match self.search {
            SearchPlan::DepthFirst => self.store.on_path(typical, self.seed, alone),
            SearchPlan::Sleeping => self.store.of_sleeps(typical, self.seed, alone),
            // Stores that can be shared are not walked alone.
            SearchPlan::BreadthFirst | SearchPlan::Portfolio(_) => self.store.of_marks(alone),
        }
    }
}

/// A walk by one worker, over whichever store it gets.
struct Alone<'w, 'b, 'c, H> {
    stepper: &'w mut dyn Stepper,
    hooks: &'w mut H,
    root: &'w [u8],
    budget: &'b mut Budget<'c>,
}

impl<H: Hooks> UsePath for Alone<'_, '_, '_, H> {
    type Out = (Outcome, Coverage);
    fn with(self, mut store: impl Store) -> Self::Out {
        let outcome = dfsr(self.stepper, &mut store, self.hooks, self.root, self.budget);
        (outcome, store.coverage())
    }
}

impl<H: Hooks> UseSleeps for Alone<'_, '_, '_, H> {
    type Out = (Outcome, Coverage);
    fn with(self, mut store: impl Sleeps) -> Self::Out {
        let outcome = sleeping(self.stepper, &mut store, self.hooks, self.root, self.budget);
        (outcome, store.coverage())
    }
}

impl<H: Hooks> UseMarks for Alone<'_, '_, '_, H> {
    type Out = (Outcome, Coverage);
    fn with(self, marks: impl Marks) -> Self::Out {
        breadth_first(marks, self.stepper, self.hooks, self.root, self.budget)
    }
}

/// A tree store that knows what states look like. It always sees the same ones: what a state costs is no matter of luck.
fn tree_for(system: &dyn System) -> Tree {
    const STEPS: usize = 2000;
    Tree::for_states(&sample(system, STEPS, 1))
}

/// A depth-first walk by many workers over one array of bits.
fn by_many<H: Hooks + Send>(
    bits: &SharedBitstate,
    workers: usize,
    system: &dyn System,
    hooks: impl Fn() -> H,
    budget: &mut Budget<'_>,
) -> Exploration<H> {
    let mut root = Vec::new();
    system.stepper().initial(&mut root);
    let stores = (0..workers).map(|_| Lossy::new(bits.view(), root.len())).collect();
    let each = (0..workers).map(|_| hooks()).collect();
    let Walked { mut outcome, hooks, unfired, .. } = parallel_dfs(system, bits.bytes(), stores, each, budget);
    // The workers have told all that they found only now.
    outcome.counters.states = bits.len();
    (outcome.counters.insertions, outcome.counters.stored) = (bits.len(), bits.len());
    Exploration { outcome, coverage: bits.coverage(), hooks, unfired, scouted: None }
}

/// The runs to violations when the store of the walk that found them keeps no parents: a second walk, which takes little
/// memory and sees no farther than the first. A fingerprint of 64 bits may confuse states, so if it finds nothing, the walk
/// is made again, exactly. If something runs out before, all that is known of a run is that there is one.
fn runs_of_length<H: Hooks>(
    length: usize,
    system: &dyn System,
    hooks: impl Fn() -> H,
    budget: &mut Budget<'_>,
) -> Outcome {
    let budget = &mut Budget {
        memory: budget.memory,
        depth: length,
        states: u64::MAX,
        disk: None,
        watch: &mut *budget.watch,
    };
    let (mut stepper, mut root) = (system.stepper(), Vec::new());
    stepper.initial(&mut root);
    let (outcome, _) = breadth_first(Compact::new(64), &mut *stepper, &mut hooks(), &root, budget);
    if outcome.witness.is_some() {
        return outcome;
    }
    breadth_first(Exact::new(), &mut *stepper, &mut hooks(), &root, budget).0
}

pub(crate) fn breadth_first<M: Marks>(
    mut marks: M,
    stepper: &mut dyn Stepper,
    hooks: &mut impl Hooks,
    root: &[u8],
    budget: &mut Budget<'_>,
) -> (Outcome, Coverage) {
    let outcome = bfs(stepper, &mut marks, hooks, root, budget);
    (outcome, marks.coverage())
}
