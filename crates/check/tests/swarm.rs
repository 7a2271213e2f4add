//! Bitstate hashing by one worker and by several, and swarms of such searches: what they find is there, and where they find
//! nothing they do not claim a proof.

use elnath_check::reachability::{self, Safety};
use elnath_check::swarm::{self, Member, Swarm};
use elnath_check::{Plan, SafetyAnswer, SearchPlan, StorePlan, Swarmed};
use elnath_kernel::rng::Rng;
use elnath_kernel::search::{Order, Reordered};
use elnath_kernel::{Budget, Counters, Coverage, Limit, System, Verdict};
use elnath_testkit::Graph;

/// A chain with ways back and ahead from everywhere; only its end is a deadlock.
fn chain(nodes: u32, seed: u64) -> Graph {
    let mut rng = Rng::new(seed);
    let mut any = || rng.below(u64::from(nodes)) as u32;
    let mut successors: Vec<Vec<u32>> = (1..nodes).map(|next| vec![next, any() / 2, any() / 4]).collect();
    successors.push(Vec::new());
    Graph { successors }
}

fn plan(store: StorePlan, threads: usize) -> Plan {
    Plan { search: SearchPlan::DepthFirst, store, threads, seed: 1 }
}

fn ask(graph: &Graph, plan: &Plan) -> SafetyAnswer {
    let mut watch = |_: &Counters| None;
    let mut budget =
        Budget { memory: usize::MAX, depth: usize::MAX, states: u64::MAX, disk: None, watch: &mut watch };
    reachability::ask(graph, &Safety::DEADLOCKS, plan, &mut budget).expect("an answer")
}

/// A swarm whose leader is stopped when it has looked at the clock so many times.
fn swarm(graph: &Graph, swarm: Swarm, looks: u64) -> (SafetyAnswer, Swarmed) {
    let mut looked = 0;
    let mut watch = |_: &Counters| {
        looked += 1;
        (looked > looks).then_some(Limit::Time)
    };
    let mut budget =
        Budget { memory: usize::MAX, depth: usize::MAX, states: u64::MAX, disk: None, watch: &mut watch };
    swarm::ask(graph, &Safety::DEADLOCKS, &swarm, &mut budget).expect("an answer")
}

#[test]
fn bitstate_never_claims_a_proof() {
    let (mut missed, mut found) = (0, 0);
    for seed in 0..60 {
        let mut graph = chain(3000, seed);
        if seed % 3 == 0 {
            // No deadlock at all.
            graph.successors[2999] = vec![0];
        }
        let exact = ask(&graph, &plan(StorePlan::Exact, 1));
        let fails = matches!(exact.verdict, Verdict::Fails(_));
        for threads in [1, 2] {
            for bytes in [100, 700, 1 << 16] {
                let answer = ask(&graph, &plan(StorePlan::Bitstate { bytes, k: 2 }, threads));
                match answer.verdict {
                    Verdict::Fails(_) => {
                        assert!(fails, "seed {seed}, {threads} threads, {bytes} bytes");
                        found += 1;
                    }
                    Verdict::Holds(Coverage::Lossy { expected_omissions, .. }) if fails => {
                        assert!(expected_omissions > 0.1, "seed {seed}, {threads} threads, {bytes} bytes");
                        missed += 1;
                    }
                    Verdict::Holds(Coverage::Lossy { .. }) => {}
                    verdict => panic!("seed {seed}, {threads} threads, {bytes} bytes: {verdict:?}"),
                }
            }
        }
    }
    assert!(missed > 10 && found > 50, "{missed} missed, {found} found");
}

#[test]
fn a_swarm_finds_what_one_search_misses_and_finds_it_again() {
    let (bytes, mut missed) = (300, 0);
    for seed in 0..20 {
        let graph = chain(300, seed);
        let single = ask(&graph, &plan(StorePlan::Bitstate { bytes, k: 3 }, 1));
        missed += u32::from(matches!(single.verdict, Verdict::Holds(Coverage::Lossy { .. })));
        for threads in [1, 2] {
            let (answer, swarmed) = swarm(&graph, Swarm { threads, bytes, seed: 1 }, 1_000_000);
            let Verdict::Fails(diagnosis) = &answer.verdict else { panic!("{:?}", answer.verdict) };
            assert!(diagnosis.steps.len() >= 150, "it is deep: only half of the chain can be skipped");
            let member = swarmed.found_by.expect("somebody found it");
            assert_eq!(member, Member::new(member.seed));
            // The first search of a swarm with its seed.
            let again = Swarm { threads: 1, bytes, seed: member.seed };
            let (again, swarmed) = swarm(&graph, again, 1_000_000);
            assert_eq!((swarmed.searches, swarmed.found_by), (1, Some(member)));
            let Verdict::Fails(same) = &again.verdict else { panic!("{:?}", again.verdict) };
            assert_eq!(same.steps, diagnosis.steps);
        }
    }
    assert!(missed > 5, "one search misses it {missed} times");
}

#[test]
fn a_swarm_that_finds_nothing_knows_nothing() {
    let mut graph = chain(5000, 3);
    graph.successors[4999] = vec![0];
    for threads in [1, 2] {
        let (answer, swarmed) = swarm(&graph, Swarm { threads, bytes: 1 << 16, seed: 5 }, 30);
        assert_eq!(answer.verdict, Verdict::Unknown(Limit::Time));
        assert!(swarmed.searches >= 2 && swarmed.complete >= 1 && swarmed.found_by.is_none(), "{swarmed:?}");
        // The union is an estimate, within a few percent.
        assert!((4700..5300).contains(&swarmed.distinct), "{swarmed:?}");
        assert!(
            matches!(swarmed.best, Some(Coverage::Lossy { expected_omissions, .. }) if expected_omissions < 1.0)
        );
        assert_eq!(answer.counters.states, swarmed.distinct);
        assert!(!answer.counters.states_exact);
    }
}

#[test]
fn a_swarm_keeps_to_the_number_of_states_and_tells_what_was_too_deep() {
    let mut graph = chain(5000, 3);
    graph.successors[4999] = vec![0];
    for threads in [1, 2, 3] {
        for (depth, states) in [(usize::MAX, 10), (usize::MAX, 20_000), (5, 1000)] {
            let mut watch = |_: &Counters| None;
            let mut budget = Budget { memory: usize::MAX, depth, states, disk: None, watch: &mut watch };
            let swarm = Swarm { threads, bytes: 1 << 16, seed: 5 };
            let (answer, swarmed) =
                swarm::ask(&graph, &Safety::DEADLOCKS, &swarm, &mut budget).expect("an answer");
            assert_eq!(answer.verdict, Verdict::Unknown(Limit::States));
            // Each thread notices with the first state that is too many.
            let most = states.next_multiple_of(threads as u64) + threads as u64;
            assert!(answer.counters.insertions <= most, "{:?}", answer.counters);
            assert!(depth > 5 || swarmed.complete == 0 && swarmed.cut > 0, "{swarmed:?}");
        }
    }
}

#[test]
fn searches_of_a_swarm_differ() {
    let members: Vec<Member> = (0..50).map(Member::new).collect();
    for order in [Order::Given, Order::Reversed, Order::Shuffled, Order::ByProcess] {
        assert!(members.iter().any(|member| member.order == order), "{order:?}");
    }
    assert!((1..=4).all(|k| members.iter().any(|member| member.k == k)));
    assert!(members.iter().any(|member| member.depth < usize::MAX));
    assert!(members.iter().any(|member| member.depth == usize::MAX));
}

#[test]
fn another_order_is_the_same_system() {
    let graph = chain(300, 1);
    let mut given = graph.stepper();
    for order in [Order::Given, Order::Reversed, Order::Shuffled, Order::ByProcess] {
        let mut stepper = Reordered::new(graph.stepper(), order, 9);
        let mut moved = 0;
        for node in 0..300 {
            let state = Graph::encode(node);
            let (mut expected, mut enabled) = (Vec::new(), Vec::new());
            given.enabled(&state, &mut expected);
            elnath_kernel::Stepper::enabled(&mut stepper, &state, &mut enabled);
            let mut successors = elnath_kernel::Successors::default();
            elnath_kernel::Stepper::successors(&mut stepper, &state, &mut successors);
            assert!(successors.iter().map(|successor| successor.transition).eq(enabled.iter().copied()));
            moved += u32::from(enabled != expected);
            enabled.sort_unstable();
            assert_eq!(enabled, expected);
        }
        assert_eq!(moved > 0, matches!(order, Order::Reversed | Order::Shuffled), "{order:?}");
    }
}
