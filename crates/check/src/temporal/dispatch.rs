//! From the strength of the automaton to a search.
//!
//! | the automaton of the bad runs | search | which form of it |
//! |---|---|---|
//! | terminal: whoever enters an accepting component is lost | reachability, any order, many workers | as it is |
//! | weak: all cycles of a component are accepted, or none | depth first with a path test, by many workers | as it is |
//! | strong, one set | CNDFS, by many workers; else SE05, or Algorithm B where the store forgets | Büchi |
//! | strong, several sets | by components (UFSCC), by many workers, if the store is exact | as it is |
//! | with fairness | the same; by one worker if it is strong | as it is |
//!
//! And if it is asked for, the deterministic search of 1993, which walks an automaton of the *good* runs ([`Good`]).
//!
//! Searches by many workers need the exact store, and they know no depth, so that a bound on it takes the others.
//!
//! "As it is" means acceptance by any number of sets on edges. In the first two rows a state counts as accepting if its
//! component is. Whether a search can answer a question is decided here and nowhere else; one that cannot is refused with
//! the reason.

use super::along::Along;
use super::product::{Accepting, Faults};
use super::together::RecordedRun;
use super::{Bad, Fairness, Good, InfiniteAnswer, InfiniteRuns, Product, Size};
use crate::capability::{Capability, Missing};
use crate::plan::{Plan, SearchPlan, Unsuitable};
use crate::reachability;
use crate::refusal::Refusal;
use crate::stores::{StorePlan, UsePath, UseTwoMarks, UseTwoRetained};
use elnath_kernel::search::{
    CycleKind, MOST_WORKERS, cndfs, deterministic, nested, scc, se05, shorten, shortest, two_passes, ufscc,
    weak,
};
use elnath_kernel::store::{Numbered, SharedExact, Store, TwoMarks, TwoRetained};
use elnath_kernel::{
    AcceptedBy, Budget, Counters, Coverage, Describe, Diagnosis, Emptiness, End, Essence, Fault, Lasso,
    Limit, QuotientSystem, Run, Stepper, Successors, System, Transition, Verdict, lift, lift_lasso, replay,
    replay_lasso,
};
use elnath_logic::Automaton;
use elnath_logic::automaton::{Edge, Label, Marks, State};
use elnath_logic::degeneralise::{accepting_states, degeneralise};
use elnath_logic::scc::{Strength, in_accepting_component, strength};
use std::fmt;
use std::sync::Arc;

/// How a bad run is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// There is nothing to look for: no run at all is bad.
    Nothing,
    /// A state that must not be reached, in this order.
    Reachability(SearchPlan),
    /// Depth first, with a test for cycles on the path.
    Weak,
    /// Two searches one after the other.
    #[doc(alias = "two passes")]
    AlgorithmA,
    /// The second search nested in the first.
    #[doc(alias = "nested")]
    AlgorithmB,
    /// The same with colours.
    Se05,
    /// The same by many workers.
    #[doc(alias = "multi-core nested depth-first search")]
    Cndfs,
    /// By strongly connected components.
    Scc,
    /// The same by many workers.
    #[doc(alias = "union-find")]
    Ufscc,
    /// A cycle without a good state, by partial searches from each good one (on-the-fly-verification-1993, 4.1).
    Deterministic,
    /// A shortest lasso of all.
    Shortest,
}

/// The choices of the user.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TemporalPlan {
    /// The search, if not the one that the question suggests.
    pub method: Option<Method>,
    /// A shortest diagnosis is wanted.
    pub shortest: bool,
    /// How states are remembered.
    pub store: StorePlan,
    /// How many workers a search that can use several has.
    pub threads: usize,
    /// The seed of random replacement.
    pub seed: u64,
}

/// A search that cannot answer a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// Reachability is asked for, but runs to a bad state are not all there is.
    NotTerminal(Strength),
    /// The weak search is asked for.
    NotWeak(Strength),
    /// The deterministic search is asked for.
    NotDeterministic,
    /// Finite runs do not count, and reachability cannot tell them from others.
    FiniteRuns,
    /// Fairness needs several sets.
    Fairness(Method),
    /// Strong fairness needs more than sets.
    StrongFairness,
    /// This store cannot serve this search.
    Store(Missing),
    /// This search cannot keep to a bound on the depth.
    Depth(Method),
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unfit::NotTerminal(strength) => write!(
                f,
                "reachability (bfs, dfs) cannot find this property's violations: their automaton is {}, so cycles must \
                 be looked for",
                strength.name()
            ),
            Unfit::NotWeak(strength) => write!(
                f,
                "the weak search would miss violations: their automaton is {}, and it needs a weak one",
                strength.name()
            ),
            Unfit::NotDeterministic => f.write_str(
                "the deterministic search needs a deterministic automaton of the good runs, and this property has none \
                 (formulas of class recurrence have one)",
            ),
            Unfit::FiniteRuns => f.write_str(
                "reachability (bfs, dfs) would count runs that end, and those are to be ignored: use --search weak",
            ),
            Unfit::Fairness(method) => {
                write!(f, "{} knows of one acceptance set; fairness needs --search scc", method.name())
            }
            Unfit::StrongFairness => f.write_str(
                "ufscc knows of sets that must be met, and strong fairness is more: use --search scc",
            ),
            Unfit::Depth(method) => write!(
                f,
                "the search {} by many workers does not know how deep it is: without --depth, or --search se05 or scc",
                method.name()
            ),
            Unfit::Store(missing) => missing.fmt(f),
        }
    }
}

pub(super) fn ask<'s>(
    system: Arc<dyn System + 's>,
    question: &InfiniteRuns,
    plan: &TemporalPlan,
    budget: &mut Budget<'_>,
) -> Result<InfiniteAnswer<'s>, Refusal> {
    let (automaton, strength) = match &question.bad {
        // With labels of the system in it, no component is known to accept as a whole or not at all.
        Bad::Automaton(automaton) if question.labels => (automaton.clone(), Strength::Strong),
        Bad::Automaton(automaton) => (automaton.clone(), strength(automaton)),
        Bad::System => (everything(), Strength::Strong),
    };
    // Only where somebody chose it: it takes a translation of its own.
    let wanted = plan.method == Some(Method::Deterministic);
    let good = question.good.as_ref().filter(|_| wanted).and_then(|make| make());
    let method = choose(question, &automaton, strength, (plan, good.is_some()), budget.depth);
    let method = method.map_err(Refusal::Unfit)?;
    let (automaton, accepting, watches) = match &good {
        Some(Good { automaton, accepting, watches }) if method == Method::Deterministic => {
            (automaton.clone(), Accepting::States(accepting.clone()), watches.clone())
        }
        _ => {
            let (automaton, accepting) = form(question, automaton, strength, method);
            (automaton, accepting, question.watches.clone())
        }
    };
    let size = Size::of(&automaton);
    let faults = match method {
        _ if !question.faults => Faults::Ignored,
        Method::Deterministic => Faults::Rejected,
        _ => Faults::Accepted,
    };
    let InfiniteRuns { stutter, fairness, .. } = *question;
    let product = Product::new(system, automaton, accepting, watches, stutter, fairness, faults);
    let product = Arc::new(product.map_err(Refusal::TooLarge)?);
    let mut answer = match method {
        Method::Nothing => InfiniteAnswer {
            verdict: Verdict::Holds(Coverage::Exhaustive),
            run: None,
            polished: None,
            scouted: None,
            product,
            method,
            store: plan.store,
            workers: 1,
            one_worker: None,
            strength,
            size,
            counters: Counters { states_exact: true, ..Counters::default() },
            end: End::Complete,
            coverage: Coverage::Exhaustive,
            faults: Vec::new(),
        },
        Method::Reachability(order) => reach(product, order, strength, size, plan, budget)?,
        _ => {
            // Whether there are too many processes for fairness is known when one is met, which is no reason to walk on.
            let asked = Arc::clone(&product);
            let mut watch = |counters: &Counters| match asked.lost_processes() {
                true => Some(Limit::Interrupted),
                false => (budget.watch)(counters),
            };
            let Budget { memory, depth, states, disk, .. } = *budget;
            let mut budget = Budget { memory, depth, states, disk, watch: &mut watch };
            find_cycle(product, method, strength, size, plan, &mut budget)?
        }
    };
    let faulty = answer.run.as_ref().and_then(|(run, _)| answer.product.up_to_fault(run));
    if let Some(run) = faulty {
        answer.verdict = Verdict::Fails(Diagnosis { steps: run.steps.clone(), loop_start: None });
        answer.run = Some((run, None));
    }
    if answer.product.lost_processes() {
        return Err(Refusal::Processes(answer.product.most_processes()));
    }
    let gave_up = answer.faults.iter().any(|&fault| answer.product.gave_up(fault));
    answer.faults.retain(|&fault| !answer.product.gave_up(fault));
    if gave_up && matches!(answer.verdict, Verdict::Holds(_)) {
        answer.verdict = Verdict::Unknown(Limit::Sequence);
    }
    Ok(answer)
}

pub(super) fn along_recording<'s>(
    system: Arc<dyn System + 's>,
    question: &InfiniteRuns,
    recorded: &RecordedRun,
    counters: Counters,
) -> Result<InfiniteAnswer<'s>, Refusal> {
    let Bad::Automaton(automaton) = &question.bad else { panic!("a recording knows of automata only") };
    let strength = strength(automaton);
    let method = match question.by_reaching(strength) {
        true => Method::Reachability(SearchPlan::BreadthFirst),
        false => Method::Scc,
    };
    let run = replay(&*system, &steps_of(&*system, &recorded.choices))?;
    let (automaton, accepting) = form(question, automaton.clone(), strength, method);
    let size = Size::of(&automaton);
    let InfiniteRuns { stutter, fairness, .. } = *question;
    let watches = question.watches.clone();
    let product = Product::new(system, automaton, accepting, watches, stutter, fairness, Faults::Accepted);
    let product = Arc::new(product.map_err(Refusal::TooLarge)?);
    let mut along = Along::new(&product, &run, recorded.loop_start);
    let told = match method {
        Method::Scc => along.lasso(&acceptance(&product, method)).map(Told::Lasso),
        _ => along.bad_prefix(None).map(|steps| Told::Run(steps, None)),
    };
    drop(along);
    let mut answer = InfiniteAnswer {
        verdict: Verdict::Unknown(Limit::Witness),
        run: None,
        polished: None,
        scouted: None,
        product: Arc::clone(&product),
        method,
        store: StorePlan::Exact,
        workers: 1,
        one_worker: None,
        strength,
        size,
        counters,
        end: End::Stopped,
        coverage: Coverage::Exhaustive,
        faults: Vec::new(),
    };
    tell(&mut answer, &product, told.ok_or(Refusal::NO_VIOLATION)?)?;
    Ok(answer)
}

/// The steps of a run that is given by which successor comes next.
fn steps_of(system: &dyn System, choices: &[u32]) -> Vec<Transition> {
    let mut stepper = system.stepper();
    let (mut state, mut successors) = (initial_state(&mut *stepper), Successors::default());
    let step = |&choice: &u32| {
        stepper.successors(&state, &mut successors);
        let taken = successors.get(choice as usize);
        state.clear();
        state.extend_from_slice(taken.state);
        taken.transition
    };
    choices.iter().map(step).collect()
}

pub(super) fn lift_answer<'s>(
    answer: &mut InfiniteAnswer<'s>,
    system: Arc<dyn System + 's>,
    essence: Essence<'_>,
) -> Result<(), Refusal> {
    let product = Arc::new(answer.product.over(system));
    let found = &answer.product;
    let essence = |state: &[u8]| found.essence(state, essence);
    let quotient = QuotientSystem { system: &**found, essence: &essence };
    let not_a_run = Refusal::from;
    let told = match &answer.run {
        None => None,
        Some((run, Some(start))) => {
            let lasso = lift_lasso(&*product, quotient, run, *start).map_err(not_a_run)?;
            Some(Told::Lasso(lasso))
        }
        Some((run, None)) => Some(Told::Run(lift(&*product, quotient, run).map_err(not_a_run)?, run.fault)),
    };
    told.map_or(Ok(()), |told| tell(answer, &product, told))?;
    answer.product = product;
    Ok(())
}

pub(super) fn unfold_answer<'s>(
    answer: &mut InfiniteAnswer<'s>,
    system: Arc<dyn System + 's>,
    unfolded: Option<(Run, Option<usize>)>,
) -> Result<(), Refusal> {
    let Some((found, found_start)) = &answer.run else { return Ok(()) };
    let product = Arc::new(answer.product.over(system));
    let told = unfolded.and_then(|(run, start)| {
        let mut along = Along::new(&product, &run, start);
        match found_start {
            Some(_) => along.lasso(&acceptance(&product, answer.method)).map(Told::Lasso),
            None => along.bad_prefix(found.fault).map(|steps| Told::Run(steps, found.fault)),
        }
    });
    tell(answer, &product, told.ok_or(Refusal::NO_VIOLATION)?)?;
    answer.product = product;
    Ok(())
}

pub(super) fn follow_answer<'s>(
    answer: &mut InfiniteAnswer<'s>,
    system: Arc<dyn System + 's>,
    followed: Option<(Run, Option<usize>)>,
) -> Result<(), Refusal> {
    const LOST: Refusal = Refusal::NO_VIOLATION;
    let Some((found, loop_start)) = &answer.run else { return Ok(()) };
    let product = Arc::new(answer.product.over(system));
    let (alone, _) = followed.ok_or(LOST)?;
    let mut own = alone.steps.iter();
    let same_edge = |&t: &Transition| match product.inner_transition(t) {
        Some(_) => own.next().map(|&inner| product.with_inner(t, inner)),
        // The system has stopped.
        None => Some(t),
    };
    let steps: Vec<Transition> = found.steps.iter().map(same_edge).collect::<Option<_>>().ok_or(LOST)?;
    let run = replay(&*product, &steps)?;
    if !same_automaton((&answer.product, found), (&product, &run)) || run.fault != found.fault {
        return Err(LOST);
    }
    let loop_start = *loop_start;
    answer.verdict = Verdict::Fails(Diagnosis { steps, loop_start });
    answer.run = Some((run, loop_start));
    answer.product = product;
    Ok(())
}

/// Whether the automaton is in the same states along two runs of equal length, with the same marks.
fn same_automaton(found: (&Product<'_>, &Run), followed: (&Product<'_>, &Run)) -> bool {
    let (mut before, mut after) = (found.0.stepper(), followed.0.stepper());
    let mut states = found.1.states.iter().zip(&followed.1.states);
    let same_states = states.all(|(old, new)| {
        found.0.outer(old) == followed.0.outer(new) && before.accepting(old) == after.accepting(new)
    });
    let old = found.1.states.iter().zip(&found.1.steps);
    let new = followed.1.states.iter().zip(&followed.1.steps);
    let mut steps = old.zip(new);
    same_states && steps.all(|((old, &t), (new, &u))| before.marks(old, t) == after.marks(new, u))
}

/// A bad run that was found in one system, in another.
enum Told {
    /// It goes on for ever.
    Lasso(Lasso),
    /// It is bad whatever comes then, perhaps by a fault.
    Run(Vec<Transition>, Option<Fault>),
}

/// Replays a bad run in another product and takes it for the answer's.
fn tell(answer: &mut InfiniteAnswer<'_>, product: &Product<'_>, told: Told) -> Result<(), Refusal> {
    let (run, diagnosis) = match told {
        Told::Lasso(lasso) => {
            let acceptance = acceptance(product, answer.method);
            // A cycle that was followed several times until it closed has shorter ones around it.
            let mut stepper = product.stepper();
            let root = initial_state(&mut *stepper);
            let lasso = shorten(&mut *stepper, &acceptance, &root, &lasso, SURROUNDINGS);
            let run = replay_lasso(product, &lasso, &acceptance)?;
            (run, lasso.diagnosis())
        }
        Told::Run(steps, fault) => {
            let run = replay(product, &steps)?;
            if run.fault != fault || fault.is_none() && !product.stepper().accepting(run.last()) {
                return Err(Refusal::NO_VIOLATION);
            }
            (run, Diagnosis { steps, loop_start: None })
        }
    };
    let loop_start = diagnosis.loop_start;
    answer.verdict = Verdict::Fails(diagnosis);
    answer.run = Some((run, loop_start));
    Ok(())
}

fn initial_state(stepper: &mut dyn Stepper) -> Vec<u8> {
    let mut state = Vec::new();
    stepper.initial(&mut state);
    state
}

/// When a search takes a run for a violation.
pub(super) fn acceptance(product: &Product<'_>, method: Method) -> AcceptedBy {
    match method {
        Method::Scc | Method::Ufscc | Method::Shortest => AcceptedBy::Marks(product.condition()),
        Method::Deterministic => AcceptedBy::NoState,
        _ => AcceptedBy::State,
    }
}

/// The automaton that accepts every run.
fn everything() -> Automaton {
    let edge = Edge { label: Label::always(), marks: Marks(0), to: State(0) };
    Automaton { propositions: Vec::new(), sets: 0, initial: State(0), edges: vec![vec![edge]] }
}

/// The search that is wanted, if it can do it, or the one that is best.
fn choose(
    question: &InfiniteRuns,
    automaton: &Automaton,
    strength: Strength,
    (plan, has_good): (&TemporalPlan, bool),
    depth: usize,
) -> Result<Method, Unfit> {
    let fair = question.fairness != Fairness::None;
    let forgets = !plan.store.can(Capability::Retention);
    let exact = plan.store == StorePlan::Exact;
    // Even one worker is faster so, for some more bytes for each state.
    let shared = exact && depth == usize::MAX;
    // A formula whose negation holds nowhere; a claim that never accepts is walked all the same, as somebody wrote it.
    if strength == Strength::Empty && automaton.edge_count() == 0 {
        return Ok(Method::Nothing);
    }
    let by_reaching = question.by_reaching(strength);
    let wanted = match plan.method {
        // A depth-first search for whatever there is to be found.
        Some(Method::Reachability(SearchPlan::DepthFirst)) if strength == Strength::Weak && !fair => {
            Some(Method::Weak)
        }
        None if plan.shortest && by_reaching && !fair => Some(Method::Reachability(SearchPlan::BreadthFirst)),
        None if plan.shortest => Some(Method::Shortest),
        wanted => wanted,
    };
    let method = wanted.unwrap_or(match strength {
        _ if fair && shared && question.fairness != Fairness::Strong => Method::Ufscc,
        _ if fair => Method::Scc,
        Strength::Empty | Strength::Terminal if by_reaching => {
            Method::Reachability(plan.store.usual_search())
        }
        Strength::Empty | Strength::Terminal | Strength::Weak => Method::Weak,
        Strength::Strong if forgets => Method::AlgorithmB,
        Strength::Strong if automaton.sets > 1 && shared => Method::Ufscc,
        Strength::Strong if automaton.sets > 1 && exact => Method::Scc,
        Strength::Strong if shared => Method::Cndfs,
        Strength::Strong => Method::Se05,
    });
    let fits = || method.kind().may_use(plan.store.kind()).map_err(Unfit::Store);
    match method {
        Method::Nothing => {}
        Method::Reachability(_) if fair => return Err(Unfit::Fairness(method)),
        Method::Reachability(_) if strength > Strength::Terminal => {
            return Err(Unfit::NotTerminal(strength));
        }
        Method::Reachability(_) if !by_reaching => return Err(Unfit::FiniteRuns),
        Method::Reachability(_) => {}
        Method::Scc | Method::Ufscc | Method::Shortest => {
            fits()?;
            match method {
                Method::Ufscc if question.fairness == Fairness::Strong => return Err(Unfit::StrongFairness),
                Method::Ufscc if depth != usize::MAX => return Err(Unfit::Depth(method)),
                _ => {}
            }
        }
        _ if fair => return Err(Unfit::Fairness(method)),
        Method::Weak if strength == Strength::Strong => return Err(Unfit::NotWeak(strength)),
        Method::Deterministic if !has_good => return Err(Unfit::NotDeterministic),
        Method::Cndfs if depth != usize::MAX => {
            fits()?;
            return Err(Unfit::Depth(method));
        }
        _ => fits()?,
    }
    Ok(method)
}

/// The automaton as the search wants it.
fn form(
    question: &InfiniteRuns,
    automaton: Automaton,
    strength: Strength,
    method: Method,
) -> (Automaton, Accepting) {
    if matches!(question.bad, Bad::System) {
        return (automaton, Accepting::System);
    }
    if question.labels {
        let automaton =
            if accepting_states(&automaton).is_some() { automaton } else { degeneralise(&automaton) };
        let accepting = accepting_states(&automaton).expect("it was made a Büchi automaton");
        return (automaton, Accepting::Either(accepting));
    }
    let by_state = matches!(method, Method::AlgorithmA | Method::AlgorithmB | Method::Se05 | Method::Cndfs);
    if by_state && strength == Strength::Strong {
        if let Some(accepting) = accepting_states(&automaton) {
            return (automaton, Accepting::States(accepting));
        }
        let automaton = degeneralise(&automaton);
        let accepting = accepting_states(&automaton).expect("it was made a Büchi automaton");
        return (automaton, Accepting::States(accepting));
    }
    // Of a strong one, searches by components look at the marks only.
    let accepting = in_accepting_component(&automaton);
    (automaton, Accepting::States(accepting))
}

/// Looks for a state that must not be reached.
fn reach<'s>(
    product: Arc<Product<'s>>,
    order: SearchPlan,
    strength: Strength,
    size: Size,
    plan: &TemporalPlan,
    budget: &mut Budget<'_>,
) -> Result<InfiniteAnswer<'s>, Refusal> {
    let question = reachability::Safety {
        deadlocks: false,
        faults: false,
        invariants: 1,
        ..reachability::Safety::DEADLOCKS
    };
    let walk = Plan { search: order, store: plan.store, threads: plan.threads, seed: plan.seed };
    let answer = reachability::ask(&*product, &question, &walk, budget)?;
    // If no scout had to set out, it was a walk like any other.
    let order = if answer.scouted.is_some() { order } else { order.without_scouts() };
    Ok(InfiniteAnswer {
        verdict: answer.verdict,
        run: answer.violation.map(|(_, run)| (run, None)),
        polished: None,
        scouted: answer.scouted,
        product,
        method: Method::Reachability(order),
        store: plan.store,
        workers: walk.workers(),
        one_worker: walk.one_worker(),
        strength,
        size,
        counters: answer.counters,
        end: answer.end,
        coverage: answer.coverage,
        faults: Vec::new(),
    })
}

/// How many states around a cycle are looked at to shorten it. More would find shorter ones now and then, but somebody is
/// waiting for the answer, which is known already: with five times as many it is late by more than a second.
const SURROUNDINGS: usize = 4_000;

/// Looks for an accepted cycle.
fn find_cycle<'s>(
    product: Arc<Product<'s>>,
    method: Method,
    strength: Strength,
    size: Size,
    plan: &TemporalPlan,
    budget: &mut Budget<'_>,
) -> Result<InfiniteAnswer<'s>, Refusal> {
    if budget.disk.is_some() {
        return Err(Refusal::Unsuitable(Unsuitable::Diskless));
    }
    let acceptance = acceptance(&product, method);
    let mut stepper = product.stepper();
    let root = initial_state(&mut *stepper);
    let shared = plan.store == StorePlan::Exact && budget.depth == usize::MAX;
    let workers = match method {
        Method::Weak | Method::Cndfs | Method::Ufscc if shared => plan.threads.clamp(1, MOST_WORKERS),
        _ => 1,
    };
    let (found, coverage) = match method {
        Method::Weak | Method::Cndfs if shared => {
            let kind = if method == Method::Weak { CycleKind::Weak } else { CycleKind::Strong };
            let store = SharedExact::<1>::noting(workers);
            (cndfs(&*product, store, kind, workers, plan.seed, budget), Coverage::Exhaustive)
        }
        Method::Ufscc => {
            let (store, condition) = (SharedExact::<4>::noting(workers), acceptance.condition());
            (ufscc(&*product, store, &condition, workers, plan.seed, budget), Coverage::Exhaustive)
        }
        _ => run(&mut *stepper, &acceptance, method, plan, &root, budget),
    };
    let Emptiness { end, counters, lasso, faults } = found;
    let run = match lasso {
        None => None,
        Some(lasso) => {
            let lasso = match method {
                Method::Shortest => lasso,
                _ => shorten(&mut *stepper, &acceptance, &root, &lasso, SURROUNDINGS),
            };
            let run = replay_lasso(&*product, &lasso, &acceptance)?;
            Some((run, lasso))
        }
    };
    let verdict = match (&run, end) {
        (Some((_, lasso)), _) => Verdict::Fails(lasso.diagnosis()),
        (None, End::Limited(limit)) => Verdict::Unknown(limit),
        (None, End::Complete) => Verdict::Holds(coverage),
        (None, End::Stopped) => unreachable!("a search that stops has a lasso"),
    };
    drop(stepper);
    Ok(InfiniteAnswer {
        verdict,
        run: run.map(|(run, lasso)| (run, Some(lasso.prefix.len()))),
        polished: None,
        scouted: None,
        product,
        method,
        store: plan.store,
        workers,
        one_worker: (plan.threads > 1 && workers == 1).then_some(one_worker(plan, budget)),
        strength,
        size,
        counters,
        end,
        coverage,
        faults,
    })
}

/// Why a search for cycles has one worker.
fn one_worker(plan: &TemporalPlan, budget: &Budget<'_>) -> &'static str {
    if plan.store != StorePlan::Exact {
        "searches for cycles share the exact store only"
    } else if budget.depth != usize::MAX {
        "there is a bound on the depth"
    } else {
        "this search has no more"
    }
}

/// The one place where a choice becomes code: every search with every store that can serve it.
fn run(
    stepper: &mut dyn Stepper,
    acceptance: &AcceptedBy,
    method: Method,
    plan: &TemporalPlan,
    root: &[u8],
    budget: &mut Budget<'_>,
) -> (Emptiness, Coverage) {
    let typical = root.len();
    match method {
        Method::Scc => {
            let found = scc(stepper, &mut Numbered::default(), &acceptance.condition(), root, budget);
            return (found, Coverage::Exhaustive);
        }
        Method::Shortest => {
            return (shortest(stepper, acceptance, root, budget), Coverage::Exhaustive);
        }
        _ => {}
    }
    let cycles = Cycles { stepper, method, root, budget };
    match method {
        Method::AlgorithmB => plan.store.of_two_marks(typical, plan.seed, cycles),
        Method::Se05 => plan.store.of_two_retained(typical, cycles),
        _ => plan.store.on_path(typical, plan.seed, cycles),
    }
}

/// A search for cycles by one worker, over whichever store it gets.
struct Cycles<'w, 'b, 'c> {
    stepper: &'w mut dyn Stepper,
    method: Method,
    root: &'w [u8],
    budget: &'b mut Budget<'c>,
}

impl UsePath for Cycles<'_, '_, '_> {
    type Out = (Emptiness, Coverage);
    fn with(self, mut store: impl Store) -> Self::Out {
        let Self { stepper, method, root, budget } = self;
        let found = match method {
            Method::AlgorithmA => two_passes(stepper, &mut store, root, budget),
            Method::Deterministic => deterministic(stepper, &mut store, root, budget),
            _ => weak(stepper, &mut store, root, budget),
        };
        (found, store.coverage())
    }
}

impl UseTwoMarks for Cycles<'_, '_, '_> {
    type Out = (Emptiness, Coverage);
    fn with(self, mut memory: impl TwoMarks) -> Self::Out {
        let found = nested(self.stepper, &mut memory, self.root, self.budget);
        (found, memory.coverage())
    }
}

impl UseTwoRetained for Cycles<'_, '_, '_> {
    type Out = (Emptiness, Coverage);
    fn with(self, mut memory: impl TwoRetained) -> Self::Out {
        let found = se05(self.stepper, &mut memory, self.root, self.budget);
        (found, memory.coverage())
    }
}
