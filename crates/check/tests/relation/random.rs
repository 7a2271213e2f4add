//! Random pairs of small systems: every engine, every relation, against the definitions. `ELNATH_RELATION_PAIRS` sets how
//! many pairs per relation and direction.

use crate::oracle::{RELATIONS, refuted_in};
use crate::plain::{Plain, Way, compare};
use elnath_check::relation::{Engine, PairStore, Refusal, Verdict};
use elnath_kernel::rng::Rng;
use elnath_kernel::{Direction, Relation};

fn pairs() -> u64 {
    std::env::var("ELNATH_RELATION_PAIRS").ok().map_or(400, |text| text.parse().expect("a number of pairs"))
}

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

fn campaign(relation: Relation) {
    let (mut yes, mut no, mut conjunctive) = (0u64, 0u64, 0u64);
    for seed in 0..pairs() {
        let mut rng = Rng::new(seed.wrapping_mul(0x5851_f42d_4c95_7f2d) ^ relation as u64);
        let (left, right) = random_pair(&mut rng);
        let direction = if seed % 3 == 0 { Direction::Preorder } else { Direction::Equivalence };
        let expected = refuted_in(&left, &right, relation, direction);
        if expected.is_none() {
            yes += 1;
        } else {
            no += 1;
        }
        for way in Way::ALL {
            let told = || format!("{relation:?} {direction:?} {way:?}, seed {seed}: {left:?} and {right:?}");
            match compare(&left, &right, relation, direction, way) {
                Err(Refusal::Choice) => assert!(way.engine == Engine::Conjunctive, "{}", told()),
                Err(why) => panic!("{why}: {}", told()),
                Ok(comparison) => {
                    if way.engine == Engine::Conjunctive {
                        conjunctive += 1;
                    }
                    match comparison.verdict {
                        // A bit array as large as this confuses nothing here.
                        Verdict::Related(_) => assert!(expected.is_none(), "accepted: {}", told()),
                        Verdict::NotRelated(diagnosis) => {
                            let rank = expected.unwrap_or_else(|| panic!("refuted: {}", told()));
                            // Where components are nodes, steps inside them take no rounds.
                            if counts_rounds(relation) && way.shortest {
                                assert_eq!(diagnosis.ranks()[0], rank, "not shortest: {}", told());
                            } else if counts_rounds(relation) {
                                assert!(diagnosis.ranks()[0] >= rank, "too short: {}", told());
                            }
                            if way.engine == Engine::Conjunctive {
                                assert!(
                                    diagnosis.is_sequence() || way.store != PairStore::Exact,
                                    "{}",
                                    told()
                                );
                            }
                        }
                        Verdict::NotRefined(_) => panic!("not by states: {}", told()),
                        Verdict::Unknown(limit) => panic!("{limit:?}: {}", told()),
                    }
                }
            }
        }
    }
    eprintln!("{relation:?}: {yes} related, {no} not, {conjunctive} without a choice");
    assert!(pairs() < 400 || (yes > 20 && no > 20 && conjunctive > 20), "too one-sided to show anything");
}

macro_rules! campaigns {
    ($($name:ident $relation:ident)*) => {
        $(#[test]
        fn $name() {
            campaign(Relation::$relation);
        })*

        #[test]
        fn no_relation_is_forgotten() {
            let here = [$(Relation::$relation),*];
            assert!(RELATIONS.iter().all(|relation| here.contains(relation)));
        }
    };
}

campaigns! {
    strong Strong
    divergence_branching DivergenceBranching
    branching Branching
    delay Delay
    weak Weak
    tau_star_a TauStarA
    safety Safety
    simulation Simulation
    weak_simulation WeakSimulation
    ready_simulation ReadySimulation
}
