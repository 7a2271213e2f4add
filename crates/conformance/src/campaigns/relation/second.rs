//! The same against the oracle of the testkit, which was written apart from ours and knows divergence by its definition, not
//! by a label for it.

use super::oracle::RELATIONS;
use elnath_check::relation::{PairOrder, PairStore, RelationEngine, RelationQuestion, ask};
use elnath_kernel::Verdict;
use elnath_kernel::relation::is_internal;
use elnath_kernel::rng::Rng;
use elnath_kernel::{Budget, Direction, Relation};
use elnath_testkit::relation::{Labelled, related};

use crate::campaigns::Part;
use crate::trial::{Counts, Trial};
use std::collections::BTreeMap;

pub(in crate::campaigns) const PARTS: &[Part] =
    &[Part { name: "second", meaning: "all relations against a second oracle", run: second }];

/// How many pairs are related, by relation.
#[derive(Default)]
struct Related(BTreeMap<&'static str, u64>);

impl Counts for Related {
    fn add(&mut self, other: &Self) {
        other.0.iter().for_each(|(&name, count)| *self.0.entry(name).or_default() += count);
    }

    fn list(&self) -> Vec<(&'static str, u64)> {
        self.0.iter().map(|(&name, &count)| (name, count)).collect()
    }
}

fn decide(left: &Labelled, right: &Labelled, relation: Relation, engine: RelationEngine) -> bool {
    let question = RelationQuestion {
        left,
        right,
        relation,
        direction: Direction::Equivalence,
        engine,
        order: PairOrder::default(),
        shortest: false,
        store: PairStore::Exact,
        patience: None,
        internal: &is_internal,
    };
    let mut watch = |_: &_| None;
    let mut budget =
        Budget { memory: 1 << 30, depth: usize::MAX, states: u64::MAX, disk: None, watch: &mut watch };
    let answer = ask(&question, &mut budget);
    let answer =
        answer.unwrap_or_else(|why| panic!("{relation:?} {engine:?}: {why}: {left:?} and {right:?}"));
    match answer.verdict {
        Verdict::Holds(_) => true,
        Verdict::Fails(_) => false,
        Verdict::Unknown(limit) => panic!("{limit:?}"),
    }
}

fn second(trial: &mut Trial<'_>) {
    let relations = || RELATIONS.into_iter().chain([Relation::Trace, Relation::WeakTrace]);
    let yes = trial.cases(0..150, |case, yes: &mut Related| {
        let seed = case.seed;
        for relation in relations() {
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
            *yes.0.entry(relation.name()).or_default() += u64::from(expected);
            let engines: &[RelationEngine] = match relation {
                Relation::Trace | Relation::WeakTrace => &[RelationEngine::Auto],
                _ => &[
                    RelationEngine::Auto,
                    RelationEngine::Local,
                    RelationEngine::Restart,
                    RelationEngine::Classes,
                ],
            };
            for &engine in engines {
                let found = decide(&left, &right, relation, engine);
                assert!(found == expected, "{relation:?} {engine:?}, seed {seed}: {left:?} and {right:?}");
            }
        }
        Ok(())
    });
    let pairs = trial.asked();
    for relation in relations() {
        let yes = yes.0.get(relation.name()).copied().unwrap_or(0);
        trial.enough(
            yes > pairs / 10 && yes < pairs - pairs / 20,
            format!("{relation:?} is too one-sided: {yes}"),
        );
    }
}
