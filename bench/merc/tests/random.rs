//! Random systems: our quotients and MERC's have the same number of states and, where both write the fewest transitions,
//! of transitions.

use elnath_kernel::relation::Relation;
use elnath_kernel::rng::Rng;
use elnath_lts::aut::{Dialect, write};
use elnath_lts::{Builder, Lts};
use elnath_testkit::Labelled;
use elnath_versus_merc::{Merc, ours, theirs};
use merc_lts::{LTS, reachable_lts, read_aut};
use merc_reduction::Equivalence;

/// How many systems are compared.
const SEEDS: u64 = 2000;

const PAIRS: [(Relation, Equivalence); 9] = [
    (Relation::Strong, Equivalence::StrongBisim),
    (Relation::Strong, Equivalence::StrongBisimNaive),
    (Relation::Branching, Equivalence::BranchingBisim),
    (Relation::Branching, Equivalence::BranchingBisimNaive),
    (Relation::DivergenceBranching, Equivalence::BranchingBisimDivergencePreserving),
    (Relation::DivergenceBranching, Equivalence::BranchingBisimDivergencePreservingNaive),
    (Relation::Weak, Equivalence::WeakBisim),
    (Relation::Weak, Equivalence::WeakBisimSigref),
    (Relation::Weak, Equivalence::WeakBisimSigrefNaive),
];

/// The reachable part, which is all that both reduce: MERC keeps classes that cannot be reached.
fn system(seed: u64) -> Lts {
    let mut rng = Rng::new(seed);
    let states = [5, 12, 40, 200][seed as usize % 4];
    let mut random = Labelled::random(states, 3, &mut rng);
    if rng.below(2) == 0 {
        random = random.blurred(&mut rng);
    }
    let mut steps = vec![Vec::new(); random.states as usize];
    for &(from, label, to) in &random.transitions {
        steps[from as usize].push((label, to));
    }
    let mut number = vec![None; random.states as usize];
    number[0] = Some(0);
    let (mut named, mut next) = (vec![0], 0);
    let mut builder = Builder::new();
    builder.at_least_states(1);
    while let Some(&from) = named.get(next) {
        for &(label, to) in &steps[from as usize] {
            let to_number = *number[to as usize].get_or_insert_with(|| {
                named.push(to);
                named.len() as u32 - 1
            });
            builder.add(next as u32, &Labelled::label_name(label), to_number);
        }
        next += 1;
    }
    builder.finish(0)
}

fn to_merc(lts: &Lts) -> Merc {
    let mut text = Vec::new();
    write(lts, Dialect::Cadp, &mut text).expect("labels of one letter");
    read_aut(&text[..]).expect("what we write, others read")
}

#[test]
fn sizes_agree() {
    for seed in 0..SEEDS {
        let lts = system(seed);
        let merc = to_merc(&lts);
        assert_eq!(merc.num_of_states(), lts.num_states(), "seed {seed}");
        for (relation, equivalence) in PAIRS {
            let mine = ours(&lts, relation).lts;
            let other = reachable_lts(&theirs(merc.clone(), equivalence, false));
            let place = || format!("seed {seed}, {equivalence:?}: {lts:?}");
            assert_eq!(mine.num_states(), other.num_of_states(), "states; {}", place());
            if relation == Relation::Weak {
                // Theirs are not always the fewest.
                assert!(mine.num_transitions() <= other.num_of_transitions(), "transitions; {}", place());
            } else {
                assert_eq!(mine.num_transitions(), other.num_of_transitions(), "transitions; {}", place());
            }
        }
    }
}
