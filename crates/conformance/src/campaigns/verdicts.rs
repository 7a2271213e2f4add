//! The same verdict with reductions and without, for every search: deadlocks and faults, formulas, cycles without progress
//! and through acceptance labels.

use super::Part;
use super::asking::{self, Asking, REACH, holds};
use crate::files::File;
use crate::trial::{Trial, counts};
#[cfg(test)]
use elnath::{Check, Verdict};
use elnath::{Engine, Loaded, Method, Reductions, StageReport, Wanted};
use elnath_kernel::replay;
use elnath_testkit::{CREATION_MODELS, creation_model, random_promela_with_formula, random_tandem};

pub(super) const PARTS: &[Part] = &[
    Part { name: "reachable", meaning: "verdicts about models made to be reduced", run: reachable },
    Part { name: "formulas", meaning: "verdicts about formulas over them", run: formulas },
    Part { name: "created", meaning: "verdicts where processes are created and end", run: created },
    Part { name: "claims", meaning: "verdicts about random formulas and labels", run: claims },
    Part { name: "progress", meaning: "verdicts about progress labels", run: progress },
];

const CYCLES: [Asking; 7] = [
    Asking::Cycles(None),
    Asking::Cycles(Some(Method::Scc)),
    Asking::Cycles(Some(Method::Se05)),
    Asking::Cycles(Some(Method::Cndfs)),
    Asking::Cycles(Some(Method::Ufscc)),
    Asking::Cycles(Some(Method::AlgorithmB)),
    Asking::Cycles(Some(Method::AlgorithmA)),
];

/// Some of the reductions.
const SOME: [&[&str]; 7] =
    [&["por"], &["merge"], &["dead"], &["merge", "dead"], &["por", "dead"], &["slice"], &["slice", "merge"]];

/// Whether it holds, whether it was reduced, and how many states were seen; nothing if there is no answer.
fn ask(loaded: &Loaded, way: Asking, reductions: Reductions) -> Option<(bool, bool, u64)> {
    let report = asking::ask(loaded, way, reductions).ok()?;
    let did = |stage: &StageReport| ["reduced", "places", "variables"].map(|figure| stage.count(figure));
    let reduced = report.first().figures.stages.iter().flat_map(did).flatten().any(|count| count > 0);
    if let Some((_, run)) = report.first().violation() {
        // What is told is a run of the system that it is told by.
        assert_eq!(replay(&*report.first().figures.system, &run.steps).as_ref(), Ok(run));
    }
    holds(&report).map(|holds| (holds, reduced, report.first().figures.counters.states))
}

counts! {
    struct Compared { asked, hold, reduced, states, reduced_states }
}

impl Compared {
    /// Reductions take turns, beginning with one that depends on the case: a case alone is compared as among others.
    fn compare(&mut self, name: &str, turn: u64, loaded: &Loaded, ways: &[Asking]) {
        for (place, &way) in ways.iter().enumerate() {
            let Some((holds, _, states)) = ask(loaded, way, Reductions::NONE) else { continue };
            // Each in turn, and always all together.
            self.asked += 1;
            let one = SOME[(turn as usize + place) % SOME.len()].iter();
            let one = one.fold(Reductions::NONE, |some, name| some.with(name));
            for reductions in [one, Reductions::USUAL] {
                let answer = ask(loaded, way, reductions);
                let Some((still, reduced, fewer)) = answer else {
                    panic!("{name}, {way:?}, {reductions:?}: no answer any more")
                };
                assert_eq!(holds, still, "{name}, {way:?}: without reductions, and with {reductions:?}");
                if reductions == Reductions::USUAL {
                    self.hold += u64::from(holds);
                    self.reduced += u64::from(reduced);
                    if holds {
                        self.states += states;
                        self.reduced_states += fewer;
                    }
                }
            }
        }
    }
}

fn reachable(trial: &mut Trial<'_>) {
    let compared = trial.cases(0..60, |case, compared: &mut Compared| {
        let seed = case.seed;
        let file = File::new("reach", &case.keep(random_tandem(seed)));
        let engine = if seed % 2 == 0 { Engine::Jit } else { Engine::Interpreter };
        let loaded = file.load(None, engine).ok_or("refused")?;
        compared.compare(&format!("tandem {seed}"), 4 * seed, &loaded, &REACH);
        Ok(())
    });
    let asked = trial.asked();
    trial.enough(compared.reduced > asked, "reduced");
    trial.enough(compared.hold > asked / 4 && compared.hold < compared.asked, "verdicts of both kinds");
}

fn formulas(trial: &mut Trial<'_>) {
    let formulas = [
        "[] <> (g == 1)",
        "<> [] (g != 1)",
        "[] ((g == 2) -> <> h)",
        "(g < 2) U h",
        "[] (own[0] == 0)",
        "<> (len(q[1]) > 0)",
        "[] <> !h",
    ];
    let compared = trial.cases(0..60, |case, compared: &mut Compared| {
        let seed = case.seed;
        let file = File::new("formulas", &case.keep(random_tandem(seed)));
        for (place, formula) in formulas.into_iter().enumerate() {
            let Some(loaded) = file.load(Some(Wanted::Ltl(formula.to_owned())), Engine::Jit) else {
                continue;
            };
            let turn = seed + place as u64;
            compared.compare(&format!("tandem {seed}, {formula}"), turn, &loaded, &CYCLES);
        }
        Ok(())
    });
    let asked = trial.asked();
    trial.enough(compared.reduced > asked, "reduced");
    trial.enough(compared.hold > asked && compared.hold < compared.asked, "verdicts of both kinds");
    trial.enough(compared.reduced_states < compared.states, "states left out");
}

/// Processes are created one by one, and end, in all small models there are of this, or a part of them.
fn created(trial: &mut Trial<'_>) {
    let formulas = ["[] (g != 2)", "<> [] (g != 1)", "[] ((g == 1) -> <> (g == 2))", "<> (g > 1)"];
    let compared = trial.cases((0..CREATION_MODELS).step_by(145), |case, compared: &mut Compared| {
        let number = case.seed;
        let file = File::new("creation", &case.keep(creation_model(number % CREATION_MODELS)));
        if let Some(loaded) = file.load(None, Engine::Jit) {
            compared.compare(&format!("creation {number}"), number, &loaded, &REACH);
        }
        let formula = formulas[(number % 4) as usize];
        if let Some(loaded) = file.load(Some(Wanted::Ltl(formula.to_owned())), Engine::Jit) {
            compared.compare(&format!("creation {number}, {formula}"), number, &loaded, &CYCLES);
        }
        Ok(())
    });
    let asked = trial.asked();
    trial.enough(compared.reduced > asked / 2, "reduced");
    trial.enough(compared.hold > asked / 2 && compared.hold < compared.asked, "verdicts of both kinds");
    trial.enough(compared.reduced_states < compared.states, "states left out");
}

fn claims(trial: &mut Trial<'_>) {
    let compared = trial.cases(0..60, |case, compared: &mut Compared| {
        let seed = case.seed;
        let file = File::new("random", &case.keep(random_promela_with_formula(seed)));
        let wanted = match seed % 4 {
            3 if seed % 8 == 3 => Wanted::NonProgress,
            3 => Wanted::AcceptanceCycles,
            _ => Wanted::Claim("f".to_owned()),
        };
        let loaded = file.load(Some(wanted), Engine::Jit).ok_or("refused")?;
        compared.compare(&format!("model {seed}"), seed, &loaded, &CYCLES);
        Ok(())
    });
    let asked = trial.asked();
    trial.enough(compared.reduced > asked / 8, "reduced");
    trial.enough(compared.hold > asked / 8 && compared.hold < compared.asked, "verdicts of both kinds");
}

fn progress(trial: &mut Trial<'_>) {
    let compared = trial.cases(0..60, |case, compared: &mut Compared| {
        let seed = case.seed;
        let file = File::new("labels", &case.keep(random_tandem(seed)));
        let loaded = file.load(Some(Wanted::NonProgress), Engine::Jit).ok_or("refused")?;
        compared.compare(&format!("tandem {seed}, progress"), seed, &loaded, &CYCLES);
        Ok(())
    });
    trial.enough(compared.reduced > trial.asked() / 8, "reduced");
}

/// Steps that the question looks at are tried in both orders, though the processes have nothing to do with each other.
#[test]
fn what_the_formula_looks_at_is_not_left_out() {
    let file = File::new("visible", "byte a, b; active proctype P() { a = 1 } active proctype Q() { b = 1 }");
    for formula in ["[] (b -> a)", "[] (a -> b)"] {
        let loaded = file.load(Some(Wanted::Ltl(formula.to_owned())), Engine::Jit).expect("a good model");
        for way in CYCLES {
            let answer = ask(&loaded, way, Reductions::USUAL);
            assert!(matches!(answer, Some((false, _, _)) | None), "{formula}, {way:?}: {answer:?}");
        }
        assert!(ask(&loaded, Asking::Cycles(None), Reductions::USUAL).is_some());
    }
}

/// What a reduction cannot keep is not asked of it.
#[test]
fn it_is_left_out_where_it_would_change_the_answer() {
    let file = File::new(
        "left",
        "byte x; active proctype P() { byte y; y = 0; y = 1; x = y } active proctype Q() { byte z; z = 1; x = 2 }",
    );
    let left = |property: Option<Wanted>, change: fn(Check<'static>) -> Check<'static>| {
        let loaded = file.load(property, Engine::Jit).expect("a good model");
        let mut check = Check::loaded(&loaded).reductions(Reductions::USUAL);
        if let Some(property) = loaded.property {
            check = check.property(property);
        }
        let report = change(check).run().expect("an answer");
        // Where orders matter, what is between two statements does too.
        let why_not = |name: &str, figure: &str| {
            let stage = report.first().figures.stage(name).expect("it was wanted");
            assert!(stage.outcome.is_err() || stage.count(figure) > Some(0), "{stage:?}");
            stage.outcome.as_ref().err().copied()
        };
        let (merging, por) = (why_not("merge", "places"), why_not("por", "reduced"));
        assert_eq!(por, merging);
        let left = |name: &str| report.first().figures.stage(name).expect("it was wanted").outcome.is_err();
        assert_eq!(
            left("dead"),
            por.is_some_and(|why| why.contains("counted")),
            "{:?}",
            report.first().figures.stages
        );
        assert_eq!(left("dead"), left("slice"), "{:?}", report.first().figures.stages);
        por
    };
    let ltl = |text: &str| Some(Wanted::Ltl(text.to_owned()));
    assert_eq!(left(None, |check| check), None);
    assert_eq!(left(ltl("<> (x == 1)"), |check| check), None);
    assert!(left(ltl("X X (x == 1)"), |check| check).is_some_and(|why| why.contains("it has X")));
    assert!(left(None, Check::all_errors).is_some_and(|why| why.contains("counted")));
    assert!(left(None, Check::shortest).is_some_and(|why| why.contains("shortest")));
}

/// Where nothing but deadlocks is looked for, runs go on after a fault, with what a variable held before it.
#[test]
fn what_a_fault_left_in_a_variable_is_not_forgotten() {
    let text = "byte z; active proctype P() { byte x; x = 1; z = 1; z = 0; x = 5 / z; \
                if :: x == 1 -> false :: x != 1 -> skip fi }";
    let loaded = File::new("past-faults", text).load(None, Engine::Jit).expect("a good model");
    let ask = |reductions| {
        let check = Check::loaded(&loaded).only_deadlocks().reductions(reductions);
        matches!(check.run().expect("an answer").verdict(), Verdict::Fails(_))
    };
    assert!(ask(Reductions::NONE), "after the division x is still 1, which is a deadlock");
    assert!(ask(Reductions::USUAL));
}
