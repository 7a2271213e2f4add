//! The same against the oracle of the testkit, which was written apart from ours and knows divergence by its definition, not
//! by a label for it. `ELNATH_RELATION_PAIRS` sets how many pairs per relation.

use crate::oracle::RELATIONS;
use elnath_check::relation::{Engine, Order, PairStore, Question, Verdict, ask};
use elnath_kernel::relation::is_internal;
use elnath_kernel::rng::Rng;
use elnath_kernel::{Budget, Direction, Relation};
use elnath_testkit::relation::{Labelled, related};

fn decide(left: &Labelled, right: &Labelled, relation: Relation, engine: Engine) -> bool {
    let question = Question {
        left,
        right,
        relation,
        direction: Direction::Equivalence,
        engine,
        order: Order::default(),
        shortest: false,
        store: PairStore::Exact,
        internal: &is_internal,
    };
    let mut watch = |_: &_| None;
    let mut budget =
        Budget { memory: 1 << 30, depth: usize::MAX, states: u64::MAX, disk: None, watch: &mut watch };
    match ask(&question, &mut budget).expect("these engines can decide everything").verdict {
        Verdict::Related(_) => true,
        Verdict::NotRelated(_) | Verdict::NotRefined(_) => false,
        Verdict::Unknown(limit) => panic!("{limit:?}"),
    }
}

#[test]
fn two_oracles_are_better_than_one() {
    let pairs = std::env::var("ELNATH_RELATION_PAIRS").ok();
    let pairs = pairs.map_or(150, |text| text.parse().expect("a number of pairs"));
    let relations = RELATIONS.into_iter().chain([Relation::Trace, Relation::WeakTrace]);
    for relation in relations {
        let mut yes = 0;
        for seed in 0..pairs {
            let mut rng = Rng::new(seed ^ (relation as u64) << 40);
            let left = Labelled::random(8, 2, &mut rng);
            let mut right =
                if rng.below(5) == 0 { Labelled::random(8, 2, &mut rng) } else { left.blurred(&mut rng) };
            // A few edges turned aside: often without consequence.
            for _ in 0..rng.below(3) {
                if !right.transitions.is_empty() {
                    let at = rng.below(right.transitions.len() as u64) as usize;
                    right.transitions[at].2 = rng.below(u64::from(right.states)) as u32;
                }
            }
            let expected = related(relation, &left, &right);
            yes += u64::from(expected);
            let engines: &[Engine] = match relation {
                Relation::Trace | Relation::WeakTrace => &[Engine::Auto],
                _ => &[Engine::Auto, Engine::Local, Engine::Restart],
            };
            for &engine in engines {
                let found = decide(&left, &right, relation, engine);
                assert!(found == expected, "{relation:?} {engine:?}, seed {seed}: {left:?} and {right:?}");
            }
        }
        eprintln!("{relation:?}: {yes} of {pairs} related");
        assert!(yes > pairs / 10 && yes < pairs - pairs / 20, "{relation:?} too one-sided: {yes} of {pairs}");
    }
}
