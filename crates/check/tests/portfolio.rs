//! The portfolio: the same verdicts as breadth-first search alone, violations far out of its reach, and runs that replay.

use elnath_check::reachability::{self, Safety};
use elnath_check::{Plan, Portfolio, SafetyAnswer, SearchPlan, StorePlan};
use elnath_kernel::rng::Rng;
use elnath_kernel::{
    Action, Budget, Counters, Describe, End, Fault, Limit, Stepper, Successors, System, Terse, Transition,
    Verdict,
};
use elnath_program::Interpreter;
use elnath_testkit::{Graph, random_program};

/// Scouts set out before the walk, and what they find is told.
const SCOUTS_FIRST: Portfolio = Portfolio { alone: 0, per_mille: 500, patience: 0, shortening: 20_000 };
/// Scouts set out soon, and get half as much as the walk.
const SOON: Portfolio = Portfolio { alone: 1, per_mille: 500, patience: 1, shortening: 20_000 };

fn plan(search: SearchPlan, store: StorePlan, threads: usize) -> Plan {
    Plan { search, store, threads, seed: 1 }
}

fn ask(system: &dyn System, plan: &Plan, states: u64) -> SafetyAnswer {
    let mut watch = |_: &Counters| None;
    let mut budget = Budget { memory: 1 << 30, depth: usize::MAX, states, disk: None, watch: &mut watch };
    reachability::ask(system, &Safety::DEADLOCKS, plan, &mut budget).expect("an answer")
}

/// A counter beside twelve switches that may be turned at any time, so that levels of a breadth-first walk have thousands of
/// states. The counter runs into an error at its end.
struct Wide {
    end: u32,
}

impl System for Wide {
    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(WideStepper(self))
    }

    fn describe(&self) -> &dyn Describe {
        self
    }

    fn bytes(&self) -> usize {
        0
    }
}

impl Terse for Wide {
    fn state_text(&self, state: &[u8]) -> String {
        format!("{state:?}")
    }

    fn action_text(&self, action: Action) -> String {
        if action.0 == 12 { "count".to_owned() } else { format!("turn {}", action.0) }
    }
}

struct WideStepper<'a>(&'a Wide);

impl Stepper for WideStepper<'_> {
    fn initial(&mut self, out: &mut Vec<u8>) {
        *out = vec![0; 8];
    }

    fn enabled(&mut self, _: &[u8], out: &mut Vec<Transition>) {
        out.clear();
        out.extend((0..=12).map(Transition));
    }

    fn fire(&mut self, state: &[u8], t: Transition, out: &mut Vec<u8>) -> Result<(), Fault> {
        let word = |at: usize| u32::from_le_bytes(state[at..at + 4].try_into().expect("four bytes"));
        let (mut count, mut switches) = (word(0), word(4));
        if t.0 == 12 {
            count += 1;
        } else {
            switches ^= 1 << t.0;
        }
        *out = [count.to_le_bytes(), switches.to_le_bytes()].concat();
        if count == self.0.end { Err(Fault(0)) } else { Ok(()) }
    }

    fn action(&mut self, _: &[u8], t: Transition) -> Action {
        Action(t.0 as u32)
    }

    fn successors(&mut self, state: &[u8], out: &mut Successors) {
        out.fire_all(self, state);
    }

    fn may_end(&mut self, _state: &[u8]) -> bool {
        false
    }

    fn transition_bits(&self) -> u32 {
        32
    }

    elnath_kernel::facets! { none: propositions, acceptance, processes, tally }
}

/// Enough for the scouts to come to the end of [`Wide`].
const SHORT_OF_TIME: Portfolio =
    Portfolio { alone: 100_000, per_mille: 500, patience: 2_000_000, shortening: 1_000_000 };

/// Something 10,000 steps deep is found although breadth-first search does not come that far.
#[test]
fn a_deep_violation_is_found() {
    let wide = Wide { end: 10_000 };
    let most = 500_000;
    let alone = ask(&wide, &plan(SearchPlan::BreadthFirst, StorePlan::Exact, 1), most);
    assert_eq!(alone.verdict, Verdict::Unknown(Limit::States));
    for (store, threads) in [(StorePlan::Exact, 1), (StorePlan::Tree, 1), (StorePlan::Exact, 2)] {
        let answer = ask(&wide, &plan(SearchPlan::Portfolio(SHORT_OF_TIME), store, threads), most);
        assert!(matches!(answer.verdict, Verdict::Fails(_)), "{store:?}: {:?}", answer.verdict);
        assert_eq!(answer.end, End::Stopped);
        let (_, run) = answer.violation.expect("a run");
        let find = answer.scouted.and_then(|scouted| scouted.find).expect("a scout has found it");
        assert!(find.length >= 10_000, "{store:?}");
        assert_eq!(run.steps.len(), 10_000, "no switch need be turned: {store:?}");
    }
}

/// The walk has no room for what the scouts find after it.
#[test]
fn a_walk_that_runs_out_of_memory_leaves_scouts_a_last_chance() {
    let how = Portfolio { alone: 100_000, per_mille: 1, patience: 0, shortening: 0 };
    let wide = Wide { end: 300 };
    let verdicts = [SearchPlan::BreadthFirst, SearchPlan::Portfolio(how)].map(|search| {
        let mut watch = |_: &Counters| None;
        let (memory, disk) = (8 << 20, None);
        let mut budget = Budget { memory, depth: usize::MAX, states: u64::MAX, disk, watch: &mut watch };
        let plan = plan(search, StorePlan::Tree, 1);
        reachability::ask(&wide, &Safety::DEADLOCKS, &plan, &mut budget).expect("an answer").verdict
    });
    assert_eq!(verdicts[0], Verdict::Unknown(Limit::Memory));
    assert!(matches!(verdicts[1], Verdict::Fails(_)), "{:?}", verdicts[1]);
}

/// With one worker everything is the same every time.
#[test]
fn one_worker_does_the_same_every_time() {
    let wide = Wide { end: 3_000 };
    let short = plan(SearchPlan::Portfolio(SHORT_OF_TIME), StorePlan::Exact, 1);
    let (one, other) = (ask(&wide, &short, u64::MAX), ask(&wide, &short, u64::MAX));
    assert_eq!((one.verdict, one.counters, &one.scouted), (other.verdict, other.counters, &other.scouted));
    assert!(one.scouted.is_some_and(|scouted| scouted.find.is_some()));
}

/// Where the walk is done before scouts set out, nothing is different from the walk alone.
#[test]
fn small_systems_see_no_scouts() {
    let mut rng = Rng::new(7);
    for _ in 0..20 {
        let graph = Graph::random(3000, 3, &mut rng);
        let alone = ask(&graph, &plan(SearchPlan::BreadthFirst, StorePlan::Exact, 1), u64::MAX);
        let usual = ask(&graph, &plan(StorePlan::Exact.usual_search(), StorePlan::Exact, 1), u64::MAX);
        assert_eq!((alone.verdict, alone.counters), (usual.verdict, usual.counters));
        assert_eq!(usual.scouted, None);
    }
}

/// The verdict is that of breadth-first search, and no run is shorter than its; the answer has replayed it.
fn agree(system: &dyn System, name: &str) -> (bool, bool) {
    let shortest = ask(system, &plan(SearchPlan::BreadthFirst, StorePlan::Exact, 1), u64::MAX);
    let mut by_scouts = false;
    for how in [SCOUTS_FIRST, SOON] {
        for (store, threads) in [(StorePlan::Exact, 1), (StorePlan::Tree, 1), (StorePlan::Exact, 2)] {
            let answer = ask(system, &plan(SearchPlan::Portfolio(how), store, threads), u64::MAX);
            let name = format!("{name}, {how:?}, {store:?}, {threads} threads");
            match (&shortest.violation, &answer.violation) {
                (None, None) => assert_eq!(answer.verdict, shortest.verdict, "{name}"),
                (Some((_, shortest)), Some((_, run))) => {
                    assert!(run.steps.len() >= shortest.steps.len(), "{name}");
                }
                _ => panic!("{name}: {:?}, {:?}", answer.verdict, shortest.verdict),
            }
            let find = answer.scouted.and_then(|scouted| scouted.find);
            if let (Some(find), Some((_, run))) = (&find, &answer.violation) {
                assert!(
                    find.shortened <= find.length
                        && find.length == find.run.len()
                        && run.steps.len() == find.shortened,
                    "{name}"
                );
            }
            by_scouts |= find.is_some();
        }
    }
    (shortest.violation.is_some(), by_scouts)
}

#[test]
fn random_graphs_get_the_same_verdict() {
    let (mut failed, mut by_scouts) = (0, 0);
    let mut rng = Rng::new(1);
    for seed in 0..45 {
        let mut graph = Graph::random(6000, 3, &mut rng);
        // Every third has no deadlock, and every other third few.
        for (node, successors) in graph.successors.iter_mut().enumerate() {
            if successors.is_empty() && (seed % 3 == 0 || seed % 3 == 1 && node % 1000 > 0) {
                successors.push(rng.below(6000) as u32);
            }
        }
        let (fails, scouts) = agree(&graph, &format!("graph {seed}"));
        failed += u32::from(fails);
        by_scouts += u32::from(scouts);
    }
    assert!(failed > 20 && by_scouts > 20, "{failed} failed, {by_scouts} by scouts");
}

#[test]
fn random_programs_get_the_same_verdict() {
    let (mut failed, mut by_scouts) = (0, 0);
    for seed in 0..300 {
        let Ok(system) = Interpreter::new(random_program(seed)) else { continue };
        let small = ask(&system, &plan(SearchPlan::BreadthFirst, StorePlan::Exact, 1), 3000);
        if matches!(small.verdict, Verdict::Unknown(_)) {
            continue;
        }
        let (fails, scouts) = agree(&system, &format!("program {seed}"));
        failed += u32::from(fails);
        by_scouts += u32::from(scouts);
    }
    assert!(failed > 20 && by_scouts > 20, "{failed} failed, {by_scouts} by scouts");
}
