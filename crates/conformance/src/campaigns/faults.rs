//! Random systems in which transitions fail and propositions have no value, and random formulas: a check that counts
//! faults finds exactly those on runs that could still violate the formula, in every search with every store.
//!
//! What is expected is found by following all short runs one by one, with the set of the automaton's states beside each.

use elnath_check::temporal::{Bad, Fairness, InfiniteRuns, Method, Observable, TemporalPlan};
use elnath_check::{SearchPlan, StorePlan};
use elnath_kernel::rng::Rng;
use elnath_kernel::store::{Replacement, Replacing};
use elnath_kernel::{Limit, System, Transition, Verdict};
use elnath_logic::automaton::State;
use elnath_logic::lasso::accepts;
use elnath_logic::parse::{Syntax, parse_text};
use elnath_logic::{Automaton, Formulas, Options, translate};
use elnath_testkit::{World, WorldEdge};
use std::collections::BTreeSet;

use super::Part;
use super::temporal::{answer, in_one_pass};
use crate::trial::{Trial, counts};

pub(super) const PARTS: &[Part] = &[
    Part { name: "faults", meaning: "faults on runs that could still violate a formula", run: counted },
    Part { name: "unknown", meaning: "propositions without a value", run: unknown },
    Part {
        name: "faulty-successors",
        meaning: "successors with faults in one pass and one by one",
        run: successors,
    },
];

const FORMULAS: [&str; 16] = [
    "G p",
    "F p",
    "p U q",
    "G F p",
    "F G p",
    "G(p -> F q)",
    "X p",
    "p R q",
    "G(p -> q)",
    "!p W q",
    "G(p | q)",
    "F(p & X q)",
    "G F p & G F q",
    "G F p -> G F q",
    "p & q",
    "(F p) U (G q)",
];

/// The automaton of the bad runs, and the question.
fn question(text: &str, stutter: bool, fairness: Fairness) -> (Automaton, InfiniteRuns) {
    let mut formulas = Formulas::new();
    let f = parse_text(&mut formulas, text, Syntax::default()).expect("a formula").formula;
    let not = formulas.not(f);
    let bad = translate(&formulas, not, Options::default()).expect("a small formula");
    let watches = bad.propositions.iter().map(|name| Observable::State(u32::from(name == "q"))).collect();
    let question = InfiniteRuns {
        bad: Bad::Automaton(bad.clone()),
        labels: false,
        watches,
        stutter,
        faults: true,
        fairness,
        good: None,
    };
    (bad, question)
}

/// The node's propositions as the automaton numbers them.
fn letter(automaton: &Automaton, bits: u64) -> u64 {
    let names = automaton.propositions.iter().enumerate();
    names.fold(0, |letter, (i, name)| letter | (bits >> u32::from(name == "q") & 1) << i)
}

/// Where the automaton may be after reading this letter, if something bad can still come.
fn read(automaton: &Automaton, from: &BTreeSet<u32>, letter: u64) -> BTreeSet<u32> {
    let edges = from.iter().flat_map(|&at| automaton.leaving(State(at)));
    edges
        .filter(|edge| edge.label.admits(letter))
        .map(|edge| edge.to.0)
        .filter(|&to| can_be_bad(automaton, to))
        .collect()
}

/// Whether some run from here on is accepted.
fn can_be_bad(automaton: &Automaton, at: u32) -> bool {
    let automaton = Automaton { initial: State(at), ..automaton.clone() };
    let letters = 0..1u64 << automaton.propositions.len();
    let pairs = letters.clone().flat_map(|a| letters.clone().map(move |b| (a, b)));
    pairs.into_iter().any(|(a, b)| {
        [vec![], vec![a], vec![a, b]].iter().any(|prefix| {
            letters.clone().any(|c| accepts(&automaton, prefix, &[c]) || accepts(&automaton, prefix, &[c, a]))
        })
    })
}

/// Whether a run with at most so many steps meets a fault while something bad could still come. No values are unknown.
fn meets_fault(world: &World, automaton: &Automaton, at: u8, states: &BTreeSet<u32>, most: usize) -> bool {
    let next = read(automaton, states, letter(automaton, world.holds[at as usize]));
    if next.is_empty() || most == 0 {
        return false;
    }
    let mut edges = world.edges[at as usize].iter();
    edges.any(|edge| edge.fails || meets_fault(world, automaton, edge.to, &next, most - 1))
}

fn plans() -> Vec<TemporalPlan> {
    let few = StorePlan::Replacing {
        replacement: Replacement::Random,
        most: 12,
        thrashing: Replacing::THRASHING * 1000,
    };
    let stores = [StorePlan::Exact, few, StorePlan::Compact { bits: 64 }];
    let methods = [
        None,
        Some(Method::Reachability(SearchPlan::BreadthFirst)),
        Some(Method::Weak),
        Some(Method::AlgorithmA),
        Some(Method::AlgorithmB),
        Some(Method::Se05),
        Some(Method::Cndfs),
        Some(Method::Scc),
        Some(Method::Shortest),
    ];
    let all = stores.into_iter().flat_map(|store| methods.into_iter().map(move |method| (store, method)));
    all.map(|(store, method)| TemporalPlan { method, shortest: false, store, threads: 1, seed: 7 }).collect()
}

/// The system without the transitions that fail.
fn without_faults(world: &World) -> World {
    let sound = |edges: &Vec<WorldEdge>| edges.iter().filter(|edge| !edge.fails).copied().collect();
    World { edges: world.edges.iter().map(sound).collect(), ..world.clone() }
}

fn counted(trial: &mut Trial<'_>) {
    counts! {
        struct Seen { faults, lassos, holds }
    }
    let plans = plans();
    let seen = trial.cases(0..400, |case, seen: &mut Seen| {
        let seed = case.seed;
        let rng = &mut Rng::new(seed);
        let world = World::with_faults(rng, false);
        let text = FORMULAS[rng.below(FORMULAS.len() as u64) as usize];
        let fairness = if rng.below(4) == 0 { Fairness::Weak } else { Fairness::None };
        // Without stuttering, so that taking transitions away makes no run longer than it was.
        let (automaton, asked) = question(text, false, fairness);
        let about = |plan: &TemporalPlan| format!("seed {seed}, {text}, {plan:?}, {world:?}");
        let initial = BTreeSet::from([automaton.initial.0]);
        let fault = meets_fault(&world, &automaton, 0, &initial, 7);
        let exact =
            TemporalPlan { method: None, shortest: false, store: StorePlan::Exact, threads: 1, seed: 7 };
        let sound = answer(&without_faults(&world), &asked, &exact).expect("an answer");
        let lasso = matches!(sound.verdict, Verdict::Fails(_));
        for plan in &plans {
            let Ok(answer) = answer(&world, &asked, plan) else { continue };
            if answer.verdict == Verdict::Unknown(Limit::Memory) {
                continue;
            }
            let violated = matches!(answer.verdict, Verdict::Fails(_));
            assert_eq!(violated, fault || lasso, "{}", about(plan));
            match &answer.run {
                Some((run, None)) if run.fault.is_some() => {
                    assert!(fault, "{}", about(plan));
                    let (&last, before) = run.steps.split_last().expect("a fault needs a step");
                    let node = |i: usize| answer.product.inner(&run.states[i])[0];
                    let fails = |i: usize, t: Transition| {
                        let t = answer.product.inner_transition(t).expect("the system moves");
                        world.edge(node(i), t).fails
                    };
                    assert!(fails(before.len(), last), "{}", about(plan));
                    assert!(!before.iter().enumerate().any(|(i, &t)| fails(i, t)), "{}", about(plan));
                    seen.faults += 1;
                }
                Some(_) => {
                    assert!(lasso, "{}", about(plan));
                    seen.lassos += 1;
                }
                None => seen.holds += 1,
            }
            // As if nothing had happened, if they do not count.
            let ignoring = InfiniteRuns { faults: false, ..asked.clone() };
            let deaf = super::temporal::answer(&world, &ignoring, plan).expect("the same searches serve");
            assert!(
                deaf.run.is_none_or(|(run, start)| start.is_some() || run.fault.is_none()),
                "{}",
                about(plan)
            );
        }
        Ok(())
    });
    let asked = trial.asked();
    trial.enough(
        seen.faults > asked && seen.lassos > asked && seen.holds > asked,
        "faults, lassos and neither",
    );
}

fn unknown(trial: &mut Trial<'_>) {
    counts! {
        struct Seen { unknown, settled }
    }
    let seen = trial.cases(0..400, |case, seen: &mut Seen| {
        let seed = case.seed;
        let rng = &mut Rng::new(1_000_000 + seed);
        let world = without_faults(&World::with_faults(rng, true));
        let text = FORMULAS[rng.below(FORMULAS.len() as u64) as usize];
        let (_, asked) = question(text, true, Fairness::None);
        // All ways in which the unknown values could be known.
        let mut known = vec![World { unknown: vec![0; world.holds.len()], ..world.clone() }];
        for (node, bits) in world.unknown.iter().enumerate() {
            for bit in [1, 2].into_iter().filter(|bit| bits & bit != 0) {
                let mut more = known.clone();
                more.iter_mut().for_each(|world| world.holds[node] |= bit);
                known.extend(more);
            }
        }
        let exact =
            TemporalPlan { method: None, shortest: false, store: StorePlan::Exact, threads: 1, seed: 7 };
        let verdicts: BTreeSet<bool> = (known.iter().map(|world| answer(world, &asked, &exact)))
            .map(|answer| matches!(answer.expect("an answer").verdict, Verdict::Fails(_)))
            .collect();
        for plan in plans() {
            let Ok(answer) = answer(&world, &asked, &plan) else { continue };
            let about = || format!("seed {seed}, {text}, {plan:?}, {world:?}");
            match (&answer.verdict, &answer.run) {
                (Verdict::Fails(_), Some((run, None))) if run.fault.is_some() => {
                    let node = answer.product.inner(run.last())[0] as usize;
                    let bit = run.fault.expect("it has one").0 - World::BROKEN - 1;
                    assert_eq!(world.unknown[node] >> bit & 1, 1, "{}", about());
                    seen.unknown += 1;
                }
                (Verdict::Unknown(limit), _) => assert_eq!(*limit, Limit::Memory, "{}", about()),
                // Whatever the values are, this is the answer.
                (verdict, _) => {
                    let fails = matches!(verdict, Verdict::Fails(_));
                    // A bad run is one whatever the values elsewhere are, but where there is none there must be none.
                    assert!(verdicts.contains(&fails), "{}", about());
                    assert!(fails || verdicts.len() == 1, "{}", about());
                    seen.settled += 1;
                }
            }
        }
        Ok(())
    });
    let asked = trial.asked();
    trial.enough(seen.unknown > asked && seen.settled > asked, "unknown and settled verdicts");
}

/// What is enumerated and fired in one pass is what is enumerated and fired one by one, with the same faults.
fn successors(trial: &mut Trial<'_>) {
    counts! {
        struct Sums { faults, sound }
    }
    let plan = TemporalPlan { method: None, shortest: false, store: StorePlan::Exact, threads: 1, seed: 7 };
    let sums = trial.cases(0..400, |case, sums: &mut Sums| {
        let seed = case.seed;
        let rng = &mut Rng::new(2_000_000 + seed);
        let world = World::with_faults(rng, rng.clone().below(2) == 0);
        let text = FORMULAS[rng.below(FORMULAS.len() as u64) as usize];
        let (_, asked) = question(text, rng.below(2) == 0, Fairness::None);
        let asked = InfiniteRuns { faults: rng.below(3) > 0, ..asked };
        let product = answer(&world, &asked, &plan).expect("an answer").product;
        let about = format!("seed {seed}, {text}, {world:?}");
        let [faults, sound] = in_one_pass(&mut *product.stepper(), &about);
        sums.faults += faults;
        sums.sound += sound;
        Ok(())
    });
    let asked = trial.asked();
    trial.enough(sums.faults > asked / 4 && sums.sound > asked, "faults and sound transitions");
}
