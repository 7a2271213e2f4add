//! Random pairs of small systems: every engine, every relation, against the definitions.

#[cfg(test)]
use super::oracle::RELATIONS;
use super::oracle::refuted_in;
use super::plain::{Plain, Way, compare};
use super::told;
use elnath_check::Refusal;
use elnath_check::relation::{Difference, PairStore, RelationEngine};
use elnath_kernel::Verdict;
use elnath_kernel::rng::Rng;
use elnath_kernel::{Direction, Relation};

use crate::campaigns::Part;
use crate::trial::{Trial, counts};

pub(crate) fn random_pair(rng: &mut Rng) -> (Plain, Plain) {
    let labels = 2 + rng.below(2);
    let (states, degree) = (1 + rng.below(6), 1 + rng.below(3));
    let left = Plain::random(rng, states, labels, degree);
    let mut right = if rng.below(4) == 0 { Plain::random(rng, states, labels, degree) } else { left.clone() };
    for _ in 0..rng.below(4) {
        right = right.mutated(rng, labels);
    }
    if rng.below(2) == 0 { (left, right) } else { (right, left) }
}

/// Whether the definition's rounds are those of the engines.
fn counts_rounds(relation: Relation) -> bool {
    use Relation::{ReadySimulation, Safety, Simulation, Strong, TauStarA};
    matches!(relation, Strong | Simulation | ReadySimulation | TauStarA | Safety)
}

/// Whether both sides challenge, so that the rounds of classes are those of the definition.
fn is_bisimulation(relation: Relation, direction: Direction) -> bool {
    direction == Direction::Equivalence && matches!(relation, Relation::Strong | Relation::TauStarA)
}

counts! {
    struct Pairs { related, not_related, without_a_choice }
}

fn campaign(trial: &mut Trial<'_>, relation: Relation) {
    let pairs = trial.cases(0..400, |case, pairs: &mut Pairs| {
        let seed = case.seed;
        let mut rng = Rng::new(seed.wrapping_mul(0x5851_f42d_4c95_7f2d) ^ relation as u64);
        let (left, right) = random_pair(&mut rng);
        let direction = if seed % 3 == 0 { Direction::Preorder } else { Direction::Equivalence };
        let expected = refuted_in(&left, &right, relation, direction);
        if expected.is_none() {
            pairs.related += 1;
        } else {
            pairs.not_related += 1;
        }
        for way in Way::ALL {
            let told = || format!("{relation:?} {direction:?} {way:?}, seed {seed}: {left:?} and {right:?}");
            match compare(&left, &right, relation, direction, way) {
                Err(Refusal::Choice) => assert!(way.engine == RelationEngine::Conjunctive, "{}", told()),
                Err(why) => panic!("{why}: {}", told()),
                Ok(comparison) => {
                    if way.engine == RelationEngine::Conjunctive {
                        pairs.without_a_choice += 1;
                    }
                    match comparison.verdict {
                        // A bit array as large as this confuses nothing here.
                        Verdict::Holds(_) => assert!(expected.is_none(), "accepted: {}", told()),
                        Verdict::Fails(Difference::Game(diagnosis)) => {
                            let rank = expected.unwrap_or_else(|| panic!("refuted: {}", told()));
                            // Where components are nodes, steps inside them take no rounds.
                            let classes = way.engine == RelationEngine::Classes;
                            let least = way.shortest || (classes && is_bisimulation(relation, direction));
                            if counts_rounds(relation) && least {
                                assert_eq!(diagnosis.ranks()[0], rank, "not shortest: {}", told());
                            } else if counts_rounds(relation) {
                                assert!(diagnosis.ranks()[0] >= rank, "too short: {}", told());
                            }
                            let seq = diagnosis.seq(told::NAMES);
                            told::is_true(&seq, [&left, &right], relation)
                                .unwrap_or_else(|why| panic!("{why}: {}\n{seq}", told()));
                            if way.engine == RelationEngine::Conjunctive {
                                assert!(
                                    diagnosis.is_sequence() || way.store != PairStore::Exact,
                                    "{}",
                                    told()
                                );
                            }
                        }
                        Verdict::Fails(Difference::Observation(_)) => panic!("not by states: {}", told()),
                        Verdict::Fails(Difference::Untold(limit)) | Verdict::Unknown(limit) => {
                            panic!("{limit:?}: {}", told())
                        }
                    }
                }
            }
        }
        Ok(())
    });
    let Pairs { related, not_related, without_a_choice } = pairs;
    trial.enough(related > 20 && not_related > 20 && without_a_choice > 20, "pairs of both kinds");
}

macro_rules! campaigns {
    ($($name:literal $function:ident $relation:ident)*) => {
        pub(in crate::campaigns) const PARTS: &[Part] = &[
            $(Part {
                name: $name,
                meaning: concat!("every engine against the definition of the relation ", $name),
                run: $function,
            },)*
        ];

        $(fn $function(trial: &mut Trial<'_>) {
            campaign(trial, Relation::$relation);
        })*

        #[test]
        fn no_relation_is_forgotten() {
            let here = [$(Relation::$relation),*];
            assert!(RELATIONS.iter().all(|relation| here.contains(relation)));
        }
    };
}

campaigns! {
    "strong" strong Strong
    "divergence-branching" divergence_branching DivergenceBranching
    "branching" branching Branching
    "delay" delay Delay
    "weak" weak Weak
    "tau-star-a" tau_star_a TauStarA
    "safety" safety Safety
    "simulation" simulation Simulation
    "weak-simulation" weak_simulation WeakSimulation
    "ready-simulation" ready_simulation ReadySimulation
}
