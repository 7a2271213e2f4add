//! Counting all violations is a second walk; whatever stops it, the verdict stands.

use elnath_check::reachability::ask;
use elnath_check::{Plan, Question, SearchPlan, StorePlan};
use elnath_kernel::{Budget, Counters, End, Limit, Verdict};
use elnath_testkit::Graph;

/// Five thousand states in a row, the last without a transition.
fn chain() -> Graph {
    Graph { successors: (1..=5000).map(|n| if n < 5000 { vec![n] } else { vec![] }).collect() }
}

#[test]
fn a_count_that_is_cut_short_does_not_change_the_verdict() {
    let question = Question { all: true, ..Question::DEADLOCKS };
    for search in [SearchPlan::DepthFirst, SearchPlan::BreadthFirst] {
        let plan = Plan { search, store: StorePlan::Exact, seed: 1 };
        for stop_after in 0..12 {
            let mut calls = 0;
            let mut watch = |_: &Counters| {
                calls += 1;
                (calls > stop_after).then_some(Limit::Time)
            };
            let mut budget =
                Budget { memory: usize::MAX, depth: usize::MAX, states: u64::MAX, watch: &mut watch };
            let answer = ask(&chain(), &question, &plan, &mut budget).expect("a sensible plan");
            // Each walk looks at the clock four times.
            let expected = match stop_after {
                0..4 => (false, 0, End::Limited(Limit::Time)),
                4..8 => (true, 1, End::Limited(Limit::Time)),
                _ => (true, 1, End::Complete),
            };
            let fails = matches!(answer.verdict, Verdict::Fails(_));
            assert_eq!((fails, answer.errors.total(), answer.end), expected, "{search:?}, {stop_after}");
            assert_eq!(answer.violation.is_some(), fails);
            assert!(!matches!(answer.verdict, Verdict::Holds(_)));
        }
    }
}
