//! Many small searches instead of one large one (Holzmann, Joshi, Groce 2008, "swarm verification"): where a system is far
//! too large to be seen whole, searches that differ see different parts of it, and they need nothing from each other.
//!
//! Each search is depth first with a bit array of its own. How it differs from the others is drawn from its seed: the
//! addresses of states in the array, the number of bits per state, the order of the transitions
//! ([`Order`]), and how deep it goes. The searches of a swarm have the seeds `seed`, `seed + 1` and so on, so that the one that
//! found something is the first of a swarm with *its* seed, and with an array of the same size finds it again.
//!
//! A swarm ends when something is found, when a thread has entered its share of the states that the budget grants, or when
//! the budget's watch says so: by itself it would go on for ever. However many
//! searches there were, nothing is proved; what is told is how many different states all of them have seen together
//! ([`Distinct`]), and the omissions of the best search that had an end.

use crate::reachability::{self, Safety, SafetyAnswer};
use crate::refusal::Refusal;
use elnath_kernel::rng::Rng;
use elnath_kernel::search::{Order, Reordered};
use elnath_kernel::store::{Bitstate, Distinct, Lossy, Marks, Room, States};
use elnath_kernel::{Budget, Counters, Coverage, End, Limit, Outcome, System, Watch, Witness, dfsr};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// How a swarm is to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Swarm {
    /// How many searches are made at a time.
    pub threads: usize,
    /// The bytes of each search's bit array.
    pub bytes: usize,
    /// The seed of the first search.
    pub seed: u64,
}

/// One search of a swarm, as its seed has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// The seed.
    pub seed: u64,
    /// Bits per state.
    pub k: u32,
    /// The order of transitions.
    pub order: Order,
    /// The longest run followed.
    pub depth: usize,
}

impl Member {
    /// What a seed stands for.
    pub fn new(seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let orders = [Order::Given, Order::Reversed, Order::Shuffled, Order::Shuffled, Order::ByProcess];
        // Half of them go as deep as they like. Of the others the deepest is a hundred times as deep as the shallowest:
        // errors are often near, and a search that is cut sees more of what is near.
        let depths = [usize::MAX, usize::MAX, usize::MAX, 10_000, 1_000, 100];
        Self {
            seed,
            k: 1 + rng.below(4) as u32,
            order: orders[rng.below(orders.len() as u64) as usize],
            depth: depths[rng.below(depths.len() as u64) as usize],
        }
    }
}

/// What a swarm did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Swarmed {
    /// How many searches were begun.
    pub searches: u64,
    /// How many of them came to an end without being cut or stopped.
    pub complete: u64,
    /// How many of them left something out because it was too deep: for them, or for the budget.
    pub cut: u64,
    /// How many different states all of them have seen together: an estimate.
    pub distinct: u64,
    /// What the best of those that came to an end can claim.
    pub best: Option<Coverage>,
    /// The search that found the violation.
    pub found_by: Option<Member>,
}

/// Asks the question with a swarm: the answer is a violation, or unknown.
///
/// # Errors
/// If a diagnosis does not replay.
pub fn ask(
    system: &dyn System,
    question: &Safety<'_>,
    swarm: &Swarm,
    budget: &mut Budget<'_>,
) -> Result<(SafetyAnswer, Swarmed), Refusal> {
    // The first violation ends it.
    let question = &Safety { all: false, ..*question };
    let common = Common {
        system,
        question,
        swarm,
        memory: budget.memory / swarm.threads.max(1),
        depth: budget.depth,
        // A share each: what a thread may enter does not depend on how fast the others are.
        states: budget.states.div_ceil(swarm.threads.max(1) as u64),
        next: AtomicU64::new(1),
        halt: AtomicBool::new(false),
        done: Mutex::default(),
    };
    std::thread::scope(|scope| {
        let helpers: Vec<_> = (1..swarm.threads)
            .map(|_| {
                scope.spawn(|| {
                    let number = common.next.fetch_add(1, Ordering::Relaxed);
                    common.work(number, &mut |_| None);
                })
            })
            .collect();
        common.work(0, &mut |counters| (budget.watch)(&common.so_far(counters)));
        helpers.into_iter().for_each(|helper| {
            helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        });
    });
    let done = common.done.into_inner().expect(UNBROKEN);
    let mut swarmed = done.swarmed;
    swarmed.distinct = done.distinct.as_ref().map_or(0, Distinct::estimate);
    let mut counters = done.counters;
    (counters.states, counters.states_exact, counters.stored) = (swarmed.distinct, false, swarmed.distinct);
    let coverage = swarmed.best.unwrap_or(NOTHING_KNOWN);
    let end = match (&done.found, done.limit) {
        (Some(_), _) => End::Stopped,
        (None, limit) => End::Limited(limit.unwrap_or(Limit::Interrupted)),
    };
    let outcome =
        Outcome { end, counters, witness: done.found.map(|(_, run)| Witness::Run(run)), kept: Vec::new() };
    let answer = reachability::answer(system, question, &outcome, coverage, &[], Vec::new())?;
    Ok((answer, swarmed))
}

/// No search had an end.
const NOTHING_KNOWN: Coverage =
    Coverage::Lossy { expected_omissions: f64::INFINITY, omission_probability: 1.0 };

/// What the threads share.
struct Common<'c> {
    system: &'c dyn System,
    question: &'c Safety<'c>,
    swarm: &'c Swarm,
    memory: usize,
    depth: usize,
    /// How many states a thread may enter, in all its searches.
    states: u64,
    next: AtomicU64,
    halt: AtomicBool,
    done: Mutex<Done>,
}

/// What was found out by searches that are done.
#[derive(Default)]
struct Done {
    swarmed: Swarmed,
    distinct: Option<Distinct>,
    counters: Counters,
    found: Option<(Member, Vec<elnath_kernel::Transition>)>,
    limit: Option<Limit>,
}

const UNBROKEN: &str = "no thread of the swarm has panicked";

impl Common<'_> {
    /// One search after the other, until somebody says that it is enough.
    fn work(&self, mut number: u64, watch: &mut Watch<'_>) {
        let mut entered = 0;
        loop {
            let spent = (entered >= self.states).then_some(Limit::States);
            if let Some(limit) = spent.or_else(|| watch(&Counters::default())) {
                self.done.lock().expect(UNBROKEN).limit.get_or_insert(limit);
                self.halt.store(true, Ordering::Relaxed);
            }
            if self.halt.load(Ordering::Relaxed) {
                return;
            }
            let member = Member::new(self.swarm.seed.wrapping_add(number));
            entered += self.search(member, self.states - entered, watch);
            number = self.next.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// One search, which may enter so many states; how many it has entered.
    fn search(&self, member: Member, states: u64, watch: &mut Watch<'_>) -> u64 {
        let mut given = None;
        let mut halting = |counters: &Counters| {
            if self.halt.load(Ordering::Relaxed) {
                return Some(Limit::Interrupted);
            }
            given = watch(counters);
            given
        };
        let depth = member.depth.min(self.depth);
        let mut budget = Budget { memory: self.memory, depth, states, disk: None, watch: &mut halting };
        let mut stepper = Reordered::new(self.system.stepper(), member.order, member.seed);
        let mut root = Vec::new();
        elnath_kernel::Stepper::initial(&mut stepper, &mut root);
        let marks = Bitstate::new(self.swarm.bytes, member.k).with_seed(member.seed);
        let mut store = Lossy::new(Noting { marks, distinct: Distinct::new() }, root.len());
        let mut hooks = reachability::hooks(self.system, self.question);
        let outcome = dfsr(&mut stepper, &mut store, &mut hooks, &root, &mut budget);
        let entered = outcome.counters.insertions;
        self.note(member, outcome, store.coverage(), &store.marks().distinct, given);
        entered
    }

    /// A search is done.
    fn note(
        &self,
        member: Member,
        outcome: Outcome,
        coverage: Coverage,
        distinct: &Distinct,
        limit: Option<Limit>,
    ) {
        let Counters { generated, transitions, depth, insertions, store_bytes, path_bytes, .. } =
            outcome.counters;
        let mut done = self.done.lock().expect(UNBROKEN);
        done.swarmed.searches += 1;
        done.distinct.get_or_insert_default().join(distinct);
        let sum = &mut done.counters;
        sum.generated += generated;
        sum.transitions += transitions;
        sum.insertions += insertions;
        sum.depth = sum.depth.max(depth);
        sum.store_bytes = sum.store_bytes.max(store_bytes * self.swarm.threads);
        sum.path_bytes = sum.path_bytes.max(path_bytes * self.swarm.threads);
        if let Some(Witness::Run(run)) = outcome.witness {
            done.found.get_or_insert((member, run));
            done.swarmed.found_by.get_or_insert(member);
            self.halt.store(true, Ordering::Relaxed);
        }
        if outcome.end == End::Complete {
            done.swarmed.complete += 1;
            if done.swarmed.best.is_none_or(|best| omissions(coverage) < omissions(best)) {
                done.swarmed.best = Some(coverage);
            }
        }
        done.swarmed.cut += u64::from(outcome.end == End::Limited(Limit::Depth));
        if let Some(limit) = limit {
            done.limit.get_or_insert(limit);
            self.halt.store(true, Ordering::Relaxed);
        }
    }

    /// The figures of the searches that are done, and of the one with these.
    fn so_far(&self, counters: &Counters) -> Counters {
        let done = self.done.lock().expect(UNBROKEN);
        let sum = &done.counters;
        Counters {
            generated: sum.generated + counters.generated,
            transitions: sum.transitions + counters.transitions,
            insertions: sum.insertions + counters.insertions,
            states: sum.insertions + counters.insertions,
            depth: sum.depth.max(counters.depth),
            ..*counters
        }
    }
}

fn omissions(coverage: Coverage) -> f64 {
    match coverage {
        Coverage::Exhaustive => 0.0,
        Coverage::Lossy { expected_omissions, .. } => expected_omissions,
    }
}

/// Marks that note which states were new.
struct Noting {
    marks: Bitstate,
    distinct: Distinct,
}

impl States for Noting {
    type Hash = u128;

    fn hash(&self, state: &[u8]) -> u128 {
        self.marks.hash(state)
    }

    fn prefetch(&self, hash: u128) {
        self.marks.prefetch(hash);
    }

    fn hint(&self, hash: u128) -> u32 {
        self.marks.hint(hash)
    }

    fn prefetch_hint(&self, hint: u32) {
        self.marks.prefetch_hint(hint);
    }

    fn len(&self) -> u64 {
        self.marks.len()
    }

    fn bytes(&self) -> usize {
        self.marks.bytes()
    }

    fn insertions(&self) -> u64 {
        self.marks.insertions()
    }

    fn clear(&mut self) {
        self.marks.clear();
        self.distinct = Distinct::new();
    }

    fn fill(&self) -> Option<f64> {
        self.marks.fill()
    }

    fn coverage(&self) -> Coverage {
        self.marks.coverage()
    }
}

impl Marks for Noting {
    fn is_marked(&self, state: &[u8], hash: u128) -> bool {
        self.marks.is_marked(state, hash)
    }

    fn mark(&mut self, state: &[u8], hash: u128, room: Room) -> Result<bool, Limit> {
        let new = self.marks.mark(state, hash, room)?;
        if new {
            self.distinct.note_state(state);
        }
        Ok(new)
    }
}
