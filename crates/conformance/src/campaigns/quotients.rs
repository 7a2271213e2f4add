//! Quotients against the definitions, on random systems.
//!
//! For each relation: the quotient is related to the original, no two of its states are related, it can be reached
//! throughout, none of its transitions can be left out, every state is related to its class, and reducing once more
//! changes nothing.

use elnath_kernel::budget::Budget;
use elnath_kernel::relation::Relation;
use elnath_kernel::rng::Rng;
#[cfg(test)]
use elnath_lts::quotient::Failure;
use elnath_lts::quotient::{Quotient, RELATIONS, reduce};
use elnath_lts::reach::reachable;
use elnath_lts::{Builder, Lts};
use elnath_testkit::Labelled;
use elnath_testkit::relation::{equivalent_states, related};

use super::Part;
use super::relation::{Plain, refuted_after};
use crate::trial::Trial;

pub(super) const PARTS: &[Part] = &[
    Part {
        name: "definitions",
        meaning: "quotients by all relations against the definitions",
        run: definitions,
    },
    Part { name: "larger", meaning: "larger quotients, with finer relations applied first", run: larger },
];

fn to_lts(system: &Labelled) -> Lts {
    let mut builder = Builder::new();
    builder.at_least_states(system.states);
    for &(from, label, to) in &system.transitions {
        builder.add(from, &Labelled::label_name(label), to);
    }
    builder.finish(0)
}

/// The same with the label numbers of the oracle, for which the names are one letter each.
fn to_labelled(lts: &Lts) -> Labelled {
    assert_eq!(lts.initial(), 0);
    let number = |name: &str| if name == "i" { 0 } else { 1 + u32::from(name.as_bytes()[0] - b'a') };
    let transitions = lts.transitions().map(|(from, label, to)| (from, number(lts.label(label)), to));
    Labelled { states: lts.num_states() as u32, transitions: transitions.collect() }
}

/// The same for the definitions of observations.
fn to_plain(system: &Labelled) -> Plain {
    let mut plain = Plain(vec![Vec::new(); system.states as usize]);
    for &(from, label, to) in &system.transitions {
        plain.0[from as usize].push((label as u8, to as usize));
    }
    plain
}

fn union(left: &Labelled, right: &Labelled) -> Labelled {
    let moved =
        right.transitions.iter().map(|&(from, label, to)| (from + left.states, label, to + left.states));
    Labelled {
        states: left.states + right.states,
        transitions: left.transitions.iter().copied().chain(moved).collect(),
    }
}

fn unlimited(lts: &Lts, relation: Relation) -> Quotient {
    let mut budget = Budget { memory: usize::MAX, depth: 0, states: 0, disk: None, watch: &mut |_| None };
    reduce(lts, relation, &mut budget).expect("nothing runs out")
}

fn check(system: &Labelled, relation: Relation, place: &str) {
    let lts = to_lts(system);
    let quotient = unlimited(&lts, relation);
    let small = to_labelled(&quotient.lts);
    let place = format!("{place}, {}: {:?} became {:?}", relation.name(), lts, quotient.lts);
    if matches!(relation, Relation::Failures | Relation::FailuresDivergences) {
        let [original, small] = [system, &small].map(to_plain);
        assert!(refuted_after(&original, &small, relation).is_none(), "more than there was; {place}");
        assert!(refuted_after(&small, &original, relation).is_none(), "less than there was; {place}");
        assert_eq!(reachable(&quotient.lts).len(), quotient.lts.num_states(), "unreachable states; {place}");
        assert_eq!(unlimited(&quotient.lts, relation).lts, quotient.lts, "can be reduced again; {place}");
        return;
    }
    assert!(related(relation, system, &small), "not related; {place}");
    assert_eq!(reachable(&quotient.lts).len(), quotient.lts.num_states(), "unreachable states; {place}");
    let equivalent = equivalent_states(relation, &small);
    for p in 0..small.states as usize {
        for q in 0..p {
            assert!(!equivalent.has(p, q), "{p} and {q} are related; {place}");
        }
    }
    assert_eq!(unlimited(&quotient.lts, relation).lts, quotient.lts, "can be reduced again; {place}");
    if relation != Relation::TauStarA {
        for index in 0..small.transitions.len() {
            let mut less = small.clone();
            less.transitions.remove(index);
            assert!(!related(relation, system, &less), "transition {index} is superfluous; {place}");
        }
    }
    let Some(classes) = &quotient.classes else {
        assert!(matches!(relation, Relation::Trace | Relation::WeakTrace));
        return;
    };
    assert_eq!(classes[0], 0, "{place}");
    let both = equivalent_states(relation, &union(system, &small));
    for (state, &class) in classes.iter().enumerate() {
        if class != Quotient::NONE {
            assert!(
                both.has(state, (system.states + class) as usize),
                "state {state} is not its class; {place}"
            );
        }
    }
    // States that only internal steps, or steps to little brothers, lead to.
    const LOSES_STATES: [Relation; 5] = [
        Relation::TauStarA,
        Relation::Safety,
        Relation::Simulation,
        Relation::ReadySimulation,
        Relation::WeakSimulation,
    ];
    if !LOSES_STATES.contains(&relation) {
        let missing = reachable(&lts).iter().find(|&state| classes[state as usize] == Quotient::NONE);
        assert_eq!(missing, None, "a reachable state without a class; {place}");
    }
}

fn definitions(trial: &mut Trial<'_>) {
    // A weak quotient whose numbers once depended on how its classes were found.
    let found_later = [4311];
    let (): () = trial.cases((0..400).chain(found_later), |case, ()| {
        let seed = case.seed;
        let mut rng = Rng::new(seed);
        let mut system = Labelled::random(1 + (seed % 8) as u32, 2, &mut rng);
        if rng.below(2) == 0 {
            system = system.blurred(&mut rng);
        }
        for relation in RELATIONS {
            check(&system, relation, &format!("seed {seed}"));
        }
        Ok(())
    });
}

/// Blocks, keys and chains of inert steps want more states than the definitions can bear; but finer relations may be
/// applied first without changing the quotient, and states may be blurred.
fn larger(trial: &mut Trial<'_>) {
    let (): () = trial.cases(0..300, |case, ()| {
        let seed = case.seed;
        let mut rng = Rng::new(seed);
        let system = Labelled::random(120, 3, &mut rng);
        let lts = to_lts(&system);
        let mut blurred = system;
        for _ in 0..3 {
            blurred = blurred.blurred(&mut rng);
        }
        let blurred = to_lts(&blurred);
        let strong = unlimited(&lts, Relation::Strong).lts;
        let busy = unlimited(&lts, Relation::DivergenceBranching).lts;
        let sizes = |lts: &Lts, relation| {
            let quotient = unlimited(lts, relation).lts;
            (quotient.num_states(), quotient.num_transitions())
        };
        for relation in RELATIONS {
            // Traces of a hundred states may have very many sets.
            if matches!(relation, Relation::Trace | Relation::WeakTrace | Relation::Failures) {
                continue;
            }
            let expected = sizes(&lts, relation);
            assert_eq!(sizes(&blurred, relation), expected, "seed {seed}: blurred, {}", relation.name());
            assert_eq!(sizes(&strong, relation), expected, "seed {seed}: strong, {}", relation.name());
            if !matches!(relation, Relation::Strong | Relation::Simulation | Relation::ReadySimulation) {
                assert_eq!(sizes(&busy, relation), expected, "seed {seed}: busy, {}", relation.name());
            }
        }
        Ok(())
    });
}

#[test]
fn several_names_of_tau_are_one_action() {
    let mut builder = Builder::new();
    for (from, label, to) in [(0, "i", 1), (0, "tau", 2), (1, "a", 3), (2, "a", 3)] {
        builder.add(from, label, to);
    }
    let lts = builder.finish(0);
    let quotient = unlimited(&lts, Relation::Strong).lts;
    assert_eq!((quotient.num_states(), quotient.num_transitions()), (3, 2));
    let quotient = unlimited(&lts, Relation::Branching).lts;
    assert_eq!((quotient.num_states(), quotient.num_transitions()), (2, 1));
}

#[test]
fn a_long_chain_with_a_new_label_everywhere_is_not_quadratic() {
    let n = 300_000;
    let mut builder = Builder::new();
    for state in 1..=n {
        builder.add(state, "i", state - 1);
        builder.add(state, &format!("l{state}"), 0);
    }
    let lts = builder.finish(n);
    let mut budget = Budget { memory: 300 << 20, depth: 0, states: 0, disk: None, watch: &mut |_| None };
    let quotient = reduce(&lts, Relation::Branching, &mut budget).expect("it is linear");
    assert_eq!(quotient.lts.num_states(), n as usize + 1);
    assert!(quotient.bytes < 300 << 20);
}

#[test]
fn running_out_is_an_answer() {
    let mut builder = Builder::new();
    // The n-th letter from the end: a thousand million sets.
    for (from, label, to) in [(0, "a", 0), (0, "b", 0), (0, "a", 1)] {
        builder.add(from, label, to);
    }
    for state in 1..30 {
        builder.add(state, "a", state + 1);
        builder.add(state, "b", state + 1);
    }
    let lts = builder.finish(0);
    let mut budget = Budget { memory: 8 << 20, depth: 0, states: 0, disk: None, watch: &mut |_| None };
    match reduce(&lts, Relation::Trace, &mut budget) {
        Err(Failure::Stopped { limit, counters }) => {
            assert_eq!(limit, elnath_kernel::Limit::Memory);
            assert!(counters.states > 1000 && counters.store_bytes > 1 << 20, "{counters:?}");
        }
        other => panic!("{other:?}"),
    }
    let mut calls = 0;
    let watch = &mut |_: &_| {
        calls += 1;
        (calls == 3).then_some(elnath_kernel::Limit::Time)
    };
    let mut budget = Budget { memory: usize::MAX, depth: 0, states: 0, disk: None, watch };
    let stopped = reduce(&lts, Relation::Trace, &mut budget);
    assert!(
        matches!(stopped, Err(Failure::Stopped { limit: elnath_kernel::Limit::Time, .. })),
        "{stopped:?}"
    );
    let mut budget = Budget { memory: 0, depth: 0, states: 0, disk: None, watch: &mut |_| None };
    for relation in RELATIONS {
        assert!(matches!(reduce(&lts, relation, &mut budget), Err(Failure::Stopped { .. })));
    }
}
