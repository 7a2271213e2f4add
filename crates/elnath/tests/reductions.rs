//! The same verdict with reductions and without, for every search: deadlocks and faults, formulas, cycles without progress
//! and through acceptance labels.

mod file;

use elnath::{
    Check, Engine, Loaded, Method, Reductions, SearchPlan, StageReport, StorePlan, Verdict, Wanted,
};
use elnath_kernel::replay;
use elnath_testkit::{CREATION_MODELS, creation_model, random_promela_with_formula, random_tandem};
use file::File;

/// One way of asking.
#[derive(Clone, Copy, Debug)]
enum Way {
    Reach(SearchPlan, StorePlan, usize),
    Cycles(Option<Method>),
}

const REACH: [Way; 4] = [
    Way::Reach(SearchPlan::BreadthFirst, StorePlan::Exact, 1),
    Way::Reach(SearchPlan::BreadthFirst, StorePlan::Exact, 2),
    Way::Reach(SearchPlan::DepthFirst, StorePlan::Exact, 1),
    Way::Reach(SearchPlan::BreadthFirst, StorePlan::Tree, 1),
];

const CYCLES: [Way; 7] = [
    Way::Cycles(None),
    Way::Cycles(Some(Method::Scc)),
    Way::Cycles(Some(Method::Se05)),
    Way::Cycles(Some(Method::Cndfs)),
    Way::Cycles(Some(Method::Ufscc)),
    Way::Cycles(Some(Method::AlgorithmB)),
    Way::Cycles(Some(Method::AlgorithmA)),
];

/// Some of the reductions.
const SOME: [&[&str]; 7] =
    [&["por"], &["merge"], &["dead"], &["merge", "dead"], &["por", "dead"], &["slice"], &["slice", "merge"]];

/// More states are not looked at.
const MOST: u64 = 5000;

/// Whether it holds, whether it was reduced, and how many states were seen; nothing if there is no answer.
fn ask(loaded: &Loaded, way: Way, reductions: Reductions) -> Option<(bool, bool, u64)> {
    let mut check = Check::loaded(loaded).states(MOST).reductions(reductions);
    check = match way {
        Way::Reach(search, store, threads) => check.store(store).search(search).threads(threads),
        Way::Cycles(method) => {
            let check = check.property(loaded.property.clone().expect("a property"));
            match method {
                Some(method) => check.method(method),
                None => check,
            }
        }
    };
    let report = check.run().ok()?;
    let did = |stage: &StageReport| ["reduced", "places", "variables"].map(|figure| stage.count(figure));
    let reduced = report.stages.iter().flat_map(did).flatten().any(|count| count > 0);
    if let Some((_, run)) = &report.violation {
        // What is told is a run of the system that it is told by.
        assert_eq!(replay(&*report.system, &run.steps).as_ref(), Ok(run));
    }
    match report.verdict {
        Verdict::Holds(_) => Some((true, reduced, report.counters.states)),
        Verdict::Fails(_) => Some((false, reduced, report.counters.states)),
        Verdict::Unknown(_) => None,
    }
}

#[derive(Debug, Default)]
struct Compared {
    asked: u64,
    hold: u64,
    reduced: u64,
    states: u64,
    reduced_states: u64,
}

impl Compared {
    fn compare(&mut self, name: &str, loaded: &Loaded, ways: &[Way]) {
        for &way in ways {
            let Some((holds, _, states)) = ask(loaded, way, Reductions::NONE) else { continue };
            // Each in turn, and always all together.
            self.asked += 1;
            let one = SOME[self.asked as usize % SOME.len()].iter();
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

/// How many models of each sort: `ELNATH_REDUCTIONS=5000 cargo test --release -p elnath --test reductions` is the campaign.
fn models() -> u64 {
    std::env::var("ELNATH_REDUCTIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(60)
}

#[allow(clippy::print_stderr)] // Figures for those who run the campaign.
fn tell(what: &str, compared: &Compared) {
    eprintln!("{what}: {compared:?}");
}

#[test]
fn what_can_be_reached_is_the_same() {
    let mut compared = Compared::default();
    for seed in 0..models() {
        let file = File::new("reach", &random_tandem(seed));
        let engine = if seed % 2 == 0 { Engine::Jit } else { Engine::Interpreter };
        let Some(loaded) = file.load(None, engine) else { continue };
        compared.compare(&format!("tandem {seed}"), &loaded, &REACH);
    }
    tell("reachability", &compared);
    assert!(compared.reduced > models() && compared.hold > models() / 4 && compared.hold < compared.asked);
}

#[test]
fn formulas_over_models_made_to_be_reduced_hold_all_the_same() {
    let formulas = [
        "[] <> (g == 1)",
        "<> [] (g != 1)",
        "[] ((g == 2) -> <> h)",
        "(g < 2) U h",
        "[] (own[0] == 0)",
        "<> (len(q[1]) > 0)",
        "[] <> !h",
    ];
    let mut compared = Compared::default();
    for seed in 0..models() {
        let file = File::new("formulas", &random_tandem(seed));
        for formula in formulas {
            let Some(loaded) = file.load(Some(Wanted::Ltl(formula.to_owned())), Engine::Jit) else {
                continue;
            };
            compared.compare(&format!("tandem {seed}, {formula}"), &loaded, &CYCLES);
        }
    }
    tell("formulas", &compared);
    assert!(compared.reduced > models() && compared.hold > models() && compared.hold < compared.asked);
    assert!(compared.reduced_states < compared.states);
}

/// Processes are created one by one, and end, in all small models there are of this, or a part of them.
#[test]
fn processes_are_created_and_end_all_the_same() {
    let mut compared = Compared::default();
    let step = (CREATION_MODELS / models() / 2).max(1) | 1;
    let formulas = ["[] (g != 2)", "<> [] (g != 1)", "[] ((g == 1) -> <> (g == 2))", "<> (g > 1)"];
    for number in (0..CREATION_MODELS).step_by(step as usize) {
        let file = File::new("creation", &creation_model(number));
        if let Some(loaded) = file.load(None, Engine::Jit) {
            compared.compare(&format!("creation {number}"), &loaded, &REACH);
        }
        let formula = formulas[(number / step) as usize % formulas.len()];
        if let Some(loaded) = file.load(Some(Wanted::Ltl(formula.to_owned())), Engine::Jit) {
            compared.compare(&format!("creation {number}, {formula}"), &loaded, &CYCLES);
        }
    }
    tell("creation", &compared);
    assert!(compared.reduced > models() && compared.hold > models() && compared.hold < compared.asked);
    assert!(compared.reduced_states < compared.states);
}

#[test]
fn random_formulas_and_labels_are_seen_all_the_same() {
    let mut compared = Compared::default();
    for seed in 0..models() {
        let file = File::new("random", &random_promela_with_formula(seed));
        let wanted = match seed % 4 {
            3 if seed % 8 == 3 => Wanted::NonProgress,
            3 => Wanted::AcceptanceCycles,
            _ => Wanted::Claim("f".to_owned()),
        };
        let Some(loaded) = file.load(Some(wanted), Engine::Jit) else { continue };
        compared.compare(&format!("model {seed}"), &loaded, &CYCLES);
    }
    for seed in 0..models() {
        let file = File::new("labels", &random_tandem(seed));
        let Some(loaded) = file.load(Some(Wanted::NonProgress), Engine::Jit) else { continue };
        compared.compare(&format!("tandem {seed}, progress"), &loaded, &CYCLES);
    }
    tell("random formulas and labels", &compared);
    assert!(
        compared.reduced > models() / 4 && compared.hold > models() / 4 && compared.hold < compared.asked
    );
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
        assert!(ask(&loaded, Way::Cycles(None), Reductions::USUAL).is_some());
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
            let stage = report.stage(name).expect("it was wanted");
            assert!(stage.outcome.is_err() || stage.count(figure) > Some(0), "{stage:?}");
            stage.outcome.as_ref().err().copied()
        };
        let (merging, por) = (why_not("merge", "places"), why_not("por", "reduced"));
        assert_eq!(por, merging);
        let left = |name: &str| report.stage(name).expect("it was wanted").outcome.is_err();
        assert_eq!(left("dead"), por.is_some_and(|why| why.contains("counted")), "{:?}", report.stages);
        assert_eq!(left("dead"), left("slice"), "{:?}", report.stages);
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
        matches!(check.run().expect("an answer").verdict, Verdict::Fails(_))
    };
    assert!(ask(Reductions::NONE), "after the division x is still 1, which is a deadlock");
    assert!(ask(Reductions::USUAL));
}
