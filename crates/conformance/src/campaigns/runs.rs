//! Runs that explain errors. All errors of random models against a naive walk: the same errors, told apart by kind and place, met as
//! often, with runs that are shortest where the search is breadth first. And polished runs, to errors and in cycles: they replay, end
//! in the same error, and are neither longer nor switch more often between processes than what was found.
//!
//! Where processes are in a deadlock is told here by what they wait for, and not by their locations; errors that look the
//! same so are taken together on both sides.

use super::Part;
use super::asking::{self, Asking, MOST};
use crate::files::File;
use crate::trial::{Trial, counts};
use elnath::{
    Check, CheckReport, Engine, ErrorReport, Loaded, Polished, Reductions, Run, SearchPlan, StorePlan,
    System, Verdict, ViolatingRun, Violation, Wanted,
};
use elnath_check::polish::context_switches;
use elnath_check::temporal::Bad;
use elnath_kernel::{Successors, replay};
use elnath_logic::lasso::accepts;
use elnath_testkit::{
    random_corners, random_promela, random_promela_with_formula, random_symmetric, random_tandem,
};
use std::collections::{BTreeMap, HashSet};

pub(super) const PARTS: &[Part] = &[
    Part { name: "errors", meaning: "all errors of random models, told apart", run: errors },
    Part { name: "polished", meaning: "runs to errors, made easier to read", run: polished },
    Part { name: "lassos", meaning: "infinite runs, made easier to read", run: lassos },
];

/// An error, as the text of a fault or what processes wait for.
type Sign = String;

/// More transitions are not fired: an atomic sequence may have very many outcomes.
const MOST_FIRED: u64 = 100_000;

/// How often each error is met, and in how many steps it can be.
type Met = BTreeMap<Sign, (u64, usize)>;

/// The kinds of processes that wait, each with the statements that it waits for.
fn waiting(system: &dyn System, state: &[u8]) -> Sign {
    let mut by_actor: BTreeMap<String, String> = BTreeMap::new();
    for event in system.waiting(state).iter().filter(|event| !event.ended) {
        let place = event.place.as_ref().map_or(0, |place| place.line);
        *by_actor.entry(event.actor.clone()).or_default() += &format!(" {place} {}", event.text);
    }
    let kind = |actor: &str| actor.split(':').next().unwrap_or_default().to_owned();
    let mut parts: Vec<String> =
        by_actor.iter().map(|(actor, waits)| format!("{}{waits}", kind(actor))).collect();
    parts.sort();
    format!("deadlock: {}", parts.join("; "))
}

/// All errors by a walk without a search: level by level, with a set of states.
fn naive(system: &dyn System) -> Option<Met> {
    let (mut stepper, mut root) = (system.stepper(), Vec::new());
    stepper.initial(&mut root);
    let mut met = Met::new();
    let mut note = |sign: Sign, steps: usize| met.entry(sign).or_insert((0, steps)).0 += 1;
    let mut seen = HashSet::from([root.clone()]);
    let (mut level, mut depth, mut fired) = (vec![root], 0, 0);
    let mut successors = Successors::default();
    while !level.is_empty() {
        let mut next_level = Vec::new();
        for state in &level {
            stepper.successors(state, &mut successors);
            if successors.is_empty() && !stepper.may_end(state) {
                note(waiting(system, state), depth);
            }
            for next in successors.iter() {
                if let Some(fault) = next.fault {
                    if system.gave_up(fault) {
                        return None;
                    }
                    note(system.fault_name(fault), depth + 1);
                }
                if seen.insert(next.state.to_vec()) {
                    next_level.push(next.state.to_vec());
                }
            }
            fired += successors.len() as u64;
            if seen.len() as u64 > MOST || fired > MOST_FIRED {
                return None;
            }
        }
        (level, depth) = (next_level, depth + 1);
    }
    Some(met)
}

/// The error in which a run ends.
fn sign(system: &dyn System, violation: Violation, run: &Run) -> Sign {
    match violation {
        Violation::Fault(fault) => {
            assert_eq!(run.fault, Some(fault), "the run ends in the fault");
            system.fault_name(fault)
        }
        Violation::Deadlock => {
            let mut enabled = Vec::new();
            system.stepper().enabled(run.last(), &mut enabled);
            assert!(
                enabled.is_empty() && !system.stepper().may_end(run.last()),
                "the run ends in a deadlock"
            );
            waiting(system, run.last())
        }
        other => panic!("{other:?} was not asked about"),
    }
}

/// A run replays, and is no worse than what was found.
fn check_run(system: &dyn System, shown: &ViolatingRun, compared: &mut Compared) {
    assert_eq!(replay(system, &shown.run.steps).as_ref(), Ok(&shown.run), "it replays");
    let Some(Polished { before, after }) = shown.polished else { return };
    assert_eq!(after.0, shown.run.steps.len());
    assert_eq!(Some(after.1), context_switches(system, &shown.run.steps));
    assert!(after.0 <= before.0 && (after.0 < before.0 || after.1 <= before.1), "{before:?}, {after:?}");
    compared.runs += 1;
    compared.shortened += u64::from(after.0 < before.0);
    compared.reordered += u64::from(after.0 == before.0 && after.1 < before.1);
    compared.switches_before += before.1 as u64;
    compared.switches += after.1 as u64;
}

counts! {
    struct Compared { models, several, errors, runs, shortened, reordered, switches_before, switches }
}

/// A random model of one of several kinds.
fn model(seed: u64) -> String {
    match seed % 4 {
        0 => random_promela(seed),
        1 => random_tandem(seed),
        2 => random_corners(seed),
        _ => random_symmetric(seed, seed % 8 == 3),
    }
}

const WAYS: [(SearchPlan, StorePlan, usize); 7] = [
    (SearchPlan::BreadthFirst, StorePlan::Exact, 1),
    (SearchPlan::BreadthFirst, StorePlan::Exact, 2),
    (SearchPlan::BreadthFirst, StorePlan::Tree, 2),
    (SearchPlan::BreadthFirst, StorePlan::Compact { bits: 64 }, 1),
    (SearchPlan::DepthFirst, StorePlan::Exact, 1),
    (SearchPlan::Sleeping, StorePlan::Exact, 1),
    (SearchPlan::DepthFirst, StorePlan::Bitstate { bytes: 1 << 22, k: 3 }, 2),
];

/// The errors that a check lists.
fn listed(report: &CheckReport<'_>, compared: &mut Compared) -> Met {
    let figures = &report.first().figures;
    let mut met = Met::new();
    for ErrorReport { violation, shown, met: times, .. } in &figures.distinct.errors {
        let shown = shown.as_ref().expect("these are few and short");
        assert_eq!(shown.violation, *violation);
        check_run(&*figures.system, shown, compared);
        let length = shown.run.steps.len();
        let (all, shortest) =
            met.entry(sign(&*figures.system, *violation, &shown.run)).or_insert((0, length));
        (*all, *shortest) = (*all + times, length.min(*shortest));
    }
    let lengths =
        figures.distinct.errors.iter().flat_map(|error| &error.shown).map(|shown| shown.run.steps.len());
    assert!(lengths.is_sorted(), "short runs first");
    met
}

fn errors(trial: &mut Trial<'_>) {
    let compared = trial.cases(0..160, |case, compared: &mut Compared| {
        let file = File::new("errors", &case.keep(model(case.seed)));
        let engine = if case.seed % 8 < 4 { Engine::Jit } else { Engine::Interpreter };
        let loaded = file.load(None, engine).ok_or("refused")?;
        let expected = naive(&*loaded.system).ok_or("too large")?;
        for (search, store, threads) in WAYS {
            let check = Check::loaded(&loaded).reachability().all_errors().states(MOST);
            let report = check.search(search).store(store).threads(threads).run().expect("it is suitable");
            assert_eq!(report.first().figures.distinct.more, 0, "these are few");
            let listed = listed(&report, compared);
            let what = format!("{search:?} with {store:?} by {threads}");
            assert_eq!(listed.is_empty(), !matches!(report.verdict(), Verdict::Fails(_)), "{what}");
            let often = |met: &Met| met.iter().map(|(sign, met)| (sign.clone(), met.0)).collect::<Vec<_>>();
            match store {
                // Some states may be taken for others.
                StorePlan::Bitstate { .. } => {
                    assert!(listed.keys().all(|sign| expected.contains_key(sign)), "{what}");
                }
                _ => assert_eq!(often(&listed), often(&expected), "{what}"),
            }
            if search == SearchPlan::BreadthFirst {
                assert_eq!(listed, expected, "{what}");
            }
        }
        compared.models += 1;
        compared.several += u64::from(expected.len() > 1);
        compared.errors += expected.len() as u64;
        Ok(())
    });
    trial.enough(compared.several > compared.models / 20, "models with several errors");
    trial.enough(compared.shortened > 0 && compared.reordered > 0, "polished runs");
}

/// Asks in every way, with reductions and without.
fn each_way(loaded: &Loaded, ways: &[Asking], mut check: impl FnMut(&CheckReport<'_>)) {
    for &way in ways {
        for reductions in [Reductions::NONE, Reductions::USUAL] {
            let report = asking::ask(loaded, way, reductions);
            check(&report.unwrap_or_else(|why| panic!("{way:?}, {reductions:?}: {why}")));
        }
    }
}

fn polished(trial: &mut Trial<'_>) {
    let ways = [
        Asking::Reach(SearchPlan::BreadthFirst, StorePlan::Exact, 1),
        Asking::Reach(SearchPlan::DepthFirst, StorePlan::Exact, 1),
    ];
    let compared = trial.cases(0..200, |case, compared: &mut Compared| {
        let file = File::new("polished", &case.keep(model(case.seed)));
        let loaded = file.load(None, Engine::Jit).ok_or("refused")?;
        compared.models += 1;
        each_way(&loaded, &ways, |report| {
            let (property, figures) = (report.first(), &report.first().figures);
            if let Some(shown) = property.verdict.evidence() {
                check_run(&*figures.system, shown, compared);
                sign(&*figures.system, shown.violation, &shown.run);
            }
        });
        Ok(())
    });
    trial.enough(compared.reordered > compared.models / 20, "runs in another order");
    trial.enough(compared.shortened > compared.models / 20, "runs without needless steps");
    trial.enough(compared.switches < compared.switches_before, "fewer context switches");
}

fn lassos(trial: &mut Trial<'_>) {
    let compared = trial.cases(0..160, |case, compared: &mut Compared| {
        let text = case.keep(random_promela_with_formula(case.seed));
        let file = File::new("lassos", &text);
        let name = text.contains("ltl f").then(|| Wanted::Claim("f".to_owned()));
        let loaded = file.load(Some(name.ok_or("no formula")?), Engine::Jit).ok_or("refused")?;
        compared.models += 1;
        each_way(&loaded, &[Asking::Cycles(None)], |report| {
            let (property, figures) = (report.first(), &report.first().figures);
            let Some(shown) = property.verdict.evidence() else { return };
            check_run(&*figures.system, shown, compared);
            let question = figures.temporal.as_ref().map(|temporal| &temporal.property.question);
            let (Some(start), Some(truths), Some(Bad::Automaton(bad))) =
                (shown.loop_start, &shown.truths, question.map(|question| &question.bad))
            else {
                return;
            };
            // The word of the run, read by the automaton of the bad runs and nothing of ours between them.
            let letters = &truths.letters[..shown.run.steps.len()];
            assert!(accepts(bad, &letters[..start], &letters[start..]), "the word is bad");
            compared.errors += 1;
        });
        Ok(())
    });
    trial.enough(compared.errors > compared.models / 8, "cycles");
    trial.enough(compared.reordered > 0, "runs in another order");
}
