//! A shallow difference between two large systems is found without generating either.

use elnath::Verdict;
use elnath::compare::{Compare, RelationEngine};
use elnath::{Check, Model, Relation};
use std::time::Instant;

/// Three dials of a hundred positions each, turned by chance; where the first two show 5 and 4 and the third 1, one of two
/// systems can ring a bell. Some turns slip, so that there is a choice.
struct Dials {
    bell: bool,
}

impl Model for Dials {
    type State = [u8; 3];
    type Action = &'static str;

    fn initial(&self) -> [u8; 3] {
        [0; 3]
    }

    fn actions(&self, state: &[u8; 3], actions: &mut Vec<&'static str>) {
        actions.extend(["turn 1", "turn 2", "turn 3", "turn 3 and slip"]);
        if self.bell && *state == [5, 4, 1] {
            actions.push("ring");
        }
    }

    fn next(&self, state: &[u8; 3], action: &&'static str) -> Option<[u8; 3]> {
        let mut next = *state;
        match *action {
            "turn 1" => next[0] = (next[0] + 1) % 100,
            "turn 2" => next[1] = (next[1] + 1) % 100,
            "turn 3" => next[2] = (next[2] + 1) % 100,
            _ => {}
        }
        Some(next)
    }
}

#[test]
#[allow(clippy::print_stderr)] // Figures for those who want them; they are no part of the test.
fn a_shallow_difference_costs_little() {
    let (left, right) = (Dials { bell: false }, Dials { bell: true });
    let begin = Instant::now();
    let all = Check::model(&left).run().unwrap().first().figures.counters.states;
    let generating = begin.elapsed();
    assert_eq!(all, 1_000_000);
    for (relation, shortest, engine) in [
        (Relation::Strong, true, RelationEngine::Auto),
        (Relation::Strong, false, RelationEngine::Auto),
        (Relation::Branching, false, RelationEngine::Auto),
        (Relation::Weak, false, RelationEngine::Local),
        (Relation::Failures, false, RelationEngine::Auto),
    ] {
        let begin = Instant::now();
        let mut question = Compare::models(&left, &right).relation(relation).engine(engine);
        if shortest {
            question = question.shortest();
        }
        let report = question.run().unwrap();
        let compared = &report.first().figures;
        let took = begin.elapsed();
        assert!(matches!(report.verdict(), Verdict::Fails(_)));
        eprintln!(
            "{relation:?}: {took:?} for {} pairs and {:?} states; one system alone takes {generating:?}",
            compared.pairs, compared.states
        );
        // Time is not measured in a test; states are what it is spent on.
        assert!(compared.pairs * 100 < all && compared.states.iter().all(|&seen| seen * 100 < all));
    }
}
