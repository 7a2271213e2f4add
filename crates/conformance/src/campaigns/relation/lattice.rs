//! What implies what: relations of the same two systems must not contradict each other.

#[cfg(test)]
use super::plain::Plain;
use super::plain::{TAU, related};
use super::random::random_pair;
use elnath_kernel::rng::Rng;
use elnath_kernel::{Direction, Relation};

use crate::campaigns::Part;
use crate::trial::{Counts, Trial};

pub(in crate::campaigns) const PARTS: &[Part] =
    &[Part { name: "lattice", meaning: "finer relations imply coarser ones", run: implications }];

/// How often an implication was strict.
#[derive(Default)]
struct Strict([u64; IMPLIES.len()]);

impl Counts for Strict {
    fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(sum, more)| *sum += more);
    }

    fn list(&self) -> Vec<(&'static str, u64)> {
        vec![("strict", self.0.iter().sum())]
    }
}

/// Each relation with one that it implies, as equivalences and as preorders.
const IMPLIES: [(Relation, Relation); 18] = [
    (Relation::Strong, Relation::DivergenceBranching),
    (Relation::DivergenceBranching, Relation::Branching),
    (Relation::Branching, Relation::Delay),
    (Relation::Delay, Relation::Weak),
    (Relation::Delay, Relation::TauStarA),
    (Relation::TauStarA, Relation::Safety),
    (Relation::Weak, Relation::WeakSimulation),
    (Relation::Strong, Relation::Simulation),
    (Relation::Strong, Relation::TauStarA),
    (Relation::ReadySimulation, Relation::Simulation),
    (Relation::Simulation, Relation::Safety),
    (Relation::Simulation, Relation::WeakSimulation),
    (Relation::Safety, Relation::WeakTrace),
    (Relation::Simulation, Relation::Trace),
    (Relation::Trace, Relation::WeakTrace),
    (Relation::Failures, Relation::WeakTrace),
    (Relation::DivergenceBranching, Relation::Safety),
    (Relation::ReadySimulation, Relation::Safety),
];

fn implications(trial: &mut Trial<'_>) {
    let strict = trial.cases(0..1500, |case, strict: &mut Strict| {
        let seed = case.seed;
        let (left, right) = random_pair(&mut Rng::new(seed));
        for direction in [Direction::Equivalence, Direction::Preorder] {
            for (at, (finer, coarser)) in IMPLIES.into_iter().enumerate() {
                let holds = |relation| related(&left, &right, relation, direction);
                match (holds(finer), holds(coarser)) {
                    (true, false) => {
                        panic!("{finer:?} but not {coarser:?}, seed {seed}: {left:?} and {right:?}")
                    }
                    (false, true) => strict.0[at] += 1,
                    _ => {}
                }
            }
        }
        let equivalent = |relation| related(&left, &right, relation, Direction::Equivalence);
        let below = |relation| related(&left, &right, relation, Direction::Preorder);
        // What is busy inside for ever refuses nothing, so only relations that tell who is preserve failures.
        for coarser in [Relation::Failures, Relation::FailuresDivergences] {
            assert!(!equivalent(Relation::DivergenceBranching) || equivalent(coarser), "seed {seed}");
        }
        assert!(!equivalent(Relation::Strong) || equivalent(Relation::ReadySimulation), "seed {seed}");
        assert!(below(Relation::TauStarA) == below(Relation::Safety), "seed {seed}: {left:?} and {right:?}");
        // Looking through internal steps, and answering them by standing still, come to the same.
        assert!(
            below(Relation::WeakSimulation) == below(Relation::Safety),
            "seed {seed}: {left:?} and {right:?}"
        );
        assert!(
            below(Relation::Delay) == below(Relation::WeakSimulation),
            "seed {seed}: {left:?} and {right:?}"
        );
        if left.0.iter().flatten().all(|&(label, _)| label != TAU) {
            assert!(equivalent(Relation::Branching) == equivalent(Relation::Weak), "seed {seed}");
            assert!(equivalent(Relation::Branching) == equivalent(Relation::Delay), "seed {seed}");
        }
        Ok(())
    });
    // The traces of small random systems hardly ever agree without more; see below.
    let rare = |(_, coarser): (Relation, Relation)| matches!(coarser, Relation::Trace | Relation::WeakTrace);
    let met = strict.0.iter().zip(IMPLIES).all(|(&n, implication)| n > 0 || rare(implication));
    trial.enough(met, format!("an implication was never strict: {:?}", strict.0));
}

#[test]
fn the_same_traces_are_less_than_mutual_simulation() {
    let (left, right) = (Plain::new("0 a 1, 1 b 2, 1 c 2"), Plain::new("0 a 1, 0 a 2, 1 b 3, 2 c 3"));
    for (finer, coarser) in [(Relation::Simulation, Relation::Trace), (Relation::Safety, Relation::WeakTrace)]
    {
        assert!(!related(&left, &right, finer, Direction::Equivalence));
        assert!(related(&left, &right, coarser, Direction::Equivalence));
    }
}

#[test]
fn weak_and_tau_star_a_are_incomparable() {
    let holds = |left: &str, right: &str, relation| {
        related(&Plain::new(left), &Plain::new(right), relation, Direction::Equivalence)
    };
    // a + tau.b against a + b
    let (left, right) = ("0 a 1, 0 tau 2, 2 b 3", "0 a 1, 0 b 2");
    assert!(holds(left, right, Relation::TauStarA) && !holds(left, right, Relation::Weak));
    // a.(c + tau.b) against a.(c + tau.b) + a.b
    let (left, right) = ("0 a 1, 1 c 2, 1 tau 3, 3 b 4", "0 a 1, 1 c 2, 1 tau 3, 3 b 4, 0 a 5, 5 b 6");
    assert!(!holds(left, right, Relation::TauStarA) && holds(left, right, Relation::Weak));
    // Neither safety nor tau*.a cares about deadlock: a + tau.0 against a
    let (left, right) = ("0 a 1, 0 tau 2", "0 a 1");
    assert!(holds(left, right, Relation::TauStarA) && !holds(left, right, Relation::Weak));
}
