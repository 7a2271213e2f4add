//! Counting all violations goes on after the first; whatever stops the walk then, the verdict stands.

use elnath_check::reachability::ask;
use elnath_check::{Plan, Safety, SearchPlan, StorePlan};
use elnath_kernel::{Budget, Counters, End, Limit, Verdict};
use elnath_testkit::Graph;

/// A state without a transition beside the first of five thousand in a row, of which the last has none either.
fn chain() -> Graph {
    let mut successors: Vec<Vec<u32>> = (1..=5000).map(|n| if n < 5000 { vec![n] } else { vec![] }).collect();
    successors.push(vec![]);
    successors[0].insert(0, 5000);
    Graph { successors }
}

#[test]
fn a_count_that_is_cut_short_does_not_change_the_verdict() {
    let question = Safety { all: true, ..Safety::DEADLOCKS };
    for search in [SearchPlan::DepthFirst, SearchPlan::BreadthFirst] {
        let plan = Plan { search, store: StorePlan::Exact, threads: 1, seed: 1 };
        for stop_after in 0..6 {
            let mut calls = 0;
            let mut watch = |_: &Counters| {
                calls += 1;
                (calls > stop_after).then_some(Limit::Time)
            };
            let mut budget = Budget {
                memory: usize::MAX,
                depth: usize::MAX,
                states: u64::MAX,
                disk: None,
                watch: &mut watch,
            };
            let answer = ask(&chain(), &question, &plan, &mut budget).expect("a sensible plan");
            // The walk looks at the clock four times, the first time after the first violation.
            let expected = match stop_after {
                0..4 => (true, 1, End::Limited(Limit::Time)),
                _ => (true, 2, End::Complete),
            };
            let fails = matches!(answer.verdict, Verdict::Fails(_));
            assert_eq!((fails, answer.errors.total(), answer.end), expected, "{search:?}, {stop_after}");
            assert_eq!(answer.violation.is_some(), fails);
            assert!(!matches!(answer.verdict, Verdict::Holds(_)));
        }
    }
}
