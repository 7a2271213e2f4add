//! The same verdict with symmetry and without, for every search, with partial order reduction and without it; runs to
//! violations are runs of the model itself; and where processes can be told apart, that is told.

use super::Part;
use super::asking::{Asking, MOST, REACH, ask, holds};
use crate::files::File;
use crate::trial::{Trial, counts};
use elnath::{Check, CheckReport, Engine, Loaded, Method, Problem, Reductions, Wanted, replay};
#[cfg(test)]
use elnath::{SearchPlan, StorePlan};
use elnath_testkit::{random_numbered, random_symmetric};

pub(super) const PARTS: &[Part] = &[
    Part { name: "reachable", meaning: "verdicts with symmetry and without it", run: reachable },
    Part { name: "formulas", meaning: "verdicts about formulas", run: formulas },
    Part { name: "labels", meaning: "verdicts about progress and acceptance labels", run: labels },
    Part { name: "shortest", meaning: "lengths of shortest runs", run: shortest },
];

const CYCLES: [Asking; 4] = [
    Asking::Cycles(None),
    Asking::Cycles(Some(Method::Scc)),
    Asking::Cycles(Some(Method::Se05)),
    Asking::Cycles(Some(Method::AlgorithmB)),
];

fn symmetry() -> Reductions {
    Reductions::NONE.with("symmetry")
}

fn both() -> Reductions {
    symmetry().with("por")
}

/// The run to the violation is one of the model, and if it goes on for ever its cycle closes.
fn check_run(name: &str, report: &CheckReport<'_>) {
    let (_, run) = report.first().violation().expect("what fails has a run");
    let again =
        replay(&*report.first().figures.system, &run.steps).unwrap_or_else(|why| panic!("{name}: {why}"));
    assert_eq!(again.states, run.states, "{name}: the same run");
    // Of a run that ends, only the automaton goes on.
    if let Some(shown) = report.first().verdict.evidence()
        && let (Some(start), Some(alone)) = (shown.loop_start, &shown.alone)
        && alone.0.steps.len() == run.steps.len()
    {
        assert_eq!(alone.0.last(), alone.0.states[start], "{name}: the cycle closes");
    }
}

counts! {
    struct Compared { asked, hold, refused, states, fewer_states }
}

counts! {
    struct Lengths { lengths }
}

impl Compared {
    fn compare(&mut self, name: &str, loaded: &Loaded, ways: &[Asking]) {
        for &way in ways {
            let Ok(plain) = ask(loaded, way, Reductions::NONE) else { continue };
            let Some(expected) = holds(&plain) else { continue };
            for reductions in [symmetry(), both()] {
                let name = format!("{name}, {way:?}, {reductions:?}");
                let report = match ask(loaded, way, reductions) {
                    Ok(report) => report,
                    Err(Problem::Reduction(_)) => {
                        self.refused += 1;
                        continue;
                    }
                    Err(problem) => panic!("{name}: {problem}"),
                };
                assert_eq!(holds(&report), Some(expected), "{name}: it holds without symmetry, and with it");
                if expected {
                    self.states += plain.first().figures.counters.states;
                    self.fewer_states += report.first().figures.counters.states;
                } else {
                    check_run(&name, &report);
                }
                self.asked += 1;
                self.hold += u64::from(expected);
            }
        }
    }
}

/// Models of all sorts.
fn model(seed: u64) -> String {
    match seed % 4 {
        0 | 2 => random_symmetric(seed, true),
        1 => random_symmetric(seed, false),
        _ => random_numbered(seed, seed % 8 == 3),
    }
}

fn reachable(trial: &mut Trial<'_>) {
    let compared = trial.cases(0..80, |case, compared: &mut Compared| {
        let seed = case.seed;
        // Now and then it has two `else` side by side, which is no model.
        let file = File::new("symmetric", &case.keep(model(seed)));
        let engine = if seed % 4 < 2 { Engine::Jit } else { Engine::Interpreter };
        let loaded = file.load(None, engine).ok_or("refused")?;
        compared.compare(&format!("model {seed}"), &loaded, &REACH);
        Ok(())
    });
    let asked = trial.asked();
    trial.enough(compared.asked > asked, "answers");
    trial.enough(compared.hold > asked / 4 && compared.hold < compared.asked, "verdicts of both kinds");
    trial.enough(compared.fewer_states < compared.states, "states left out");
}

fn formulas(trial: &mut Trial<'_>) {
    let formulas = [
        "[] <> (g == 1)",
        "<> [] (g != 1)",
        "[] ((g == 2) -> <> h)",
        "(g < 2) U h",
        "[] (a[0] == 0)",
        "<> (len(q) > 0)",
        "[] (h -> X (g == 1 || h))",
        "<> X X h",
    ];
    let compared = trial.cases(0..80, |case, compared: &mut Compared| {
        let seed = case.seed;
        let file = File::new("formulas-of-symmetric", &case.keep(model(seed)));
        for (number, formula) in formulas.iter().enumerate() {
            // Each model with half of them.
            if (seed / 2 + number as u64).is_multiple_of(2) {
                let wanted = Some(Wanted::Ltl((*formula).to_owned()));
                let Some(loaded) = file.load(wanted, Engine::Jit) else { continue };
                compared.compare(&format!("model {seed}, {formula}"), &loaded, &CYCLES);
            }
        }
        Ok(())
    });
    let asked = trial.asked();
    trial.enough(compared.asked > asked, "answers");
    trial.enough(compared.hold > asked && compared.hold < compared.asked, "verdicts of both kinds");
    trial.enough(compared.fewer_states < compared.states, "states left out");
}

fn labels(trial: &mut Trial<'_>) {
    let compared = trial.cases(0..80, |case, compared: &mut Compared| {
        let seed = case.seed;
        let file = File::new("labels-of-symmetric", &case.keep(model(seed)));
        for wanted in [Wanted::NonProgress, Wanted::AcceptanceCycles] {
            let Some(loaded) = file.load(Some(wanted), Engine::Jit) else { continue };
            compared.compare(&format!("model {seed}"), &loaded, &CYCLES);
        }
        Ok(())
    });
    trial.enough(compared.asked > trial.asked(), "answers");
    trial.enough(compared.hold > 0 && compared.hold < compared.asked, "verdicts of both kinds");
}

/// A shortest run is as long as without symmetry.
fn shortest(trial: &mut Trial<'_>) {
    let compared = trial.cases(0..80, |case, compared: &mut Lengths| {
        let file = File::new("shortest-of-symmetric", &case.keep(random_symmetric(case.seed, false)));
        let loaded = file.load(None, Engine::Jit).ok_or("refused")?;
        let ask = |reductions| {
            let check = Check::loaded(&loaded).states(MOST).reductions(reductions);
            check
                .shortest()
                .run()
                .ok()
                .and_then(|report| report.first().violation().map(|(_, run)| run.steps.len()))
        };
        let (Some(before), Some(after)) = (ask(Reductions::NONE), ask(symmetry())) else {
            return Err("without a violation");
        };
        assert_eq!(before, after);
        compared.lengths += 1;
        Ok(())
    });
    trial.enough(compared.lengths > trial.asked() / 10, "violations");
}

/// Who asks for symmetry where there is none learns where that is.
#[test]
fn what_tells_processes_apart_is_told_with_its_place() {
    let text = "byte x;\nactive [2] proctype P() {\n  do :: x = 1 - _pid od\n}\n";
    let file = File::new("asymmetric", text);
    let loaded = file.load(None, Engine::Jit).expect("a good model");
    let problem = ask(&loaded, REACH[0], symmetry()).err().expect("it is refused");
    assert!(problem.is_usage());
    let messages = problem.into_messages();
    let place = messages[0].place.as_ref().expect("it has a place");
    assert_eq!((place.line, place.column()), (3, 17));
    assert_eq!(&place.text[place.start..place.end], "_pid");
}

#[cfg(test)]
/// Whether a model that is wrong is found to be right with these reductions, of which symmetry is one.
fn is_overlooked(name: &str, text: &str, formula: Option<&str>, reductions: Reductions) -> bool {
    let file = File::new(name, text);
    let wanted = formula.map(|formula| Wanted::Ltl(formula.to_owned()));
    let mut loaded = file.load(wanted, Engine::Jit).expect("a good model");
    if let Some(property) = &mut loaded.property {
        property.question.faults = false;
    }
    let way = if formula.is_some() { CYCLES[0] } else { REACH[0] };
    let plain = ask(&loaded, way, Reductions::NONE).expect("an answer");
    assert_eq!(holds(&plain), Some(false), "{name}");
    match ask(&loaded, way, reductions) {
        Ok(report) => holds(&report) != Some(false),
        Err(Problem::Reduction(_)) => false,
        Err(problem) => panic!("{name}: {problem}"),
    }
}

/// Models in which processes can be told apart in ways that were once overlooked, so that what is wrong with them was not
/// found: they are refused, or are still wrong with symmetry.
#[test]
fn what_tells_processes_apart_is_not_overlooked() {
    // The array of a process that is created does not begin alike for all that are looked up in it.
    let list = "active proctype Z() { endz: do :: false od }
        bool w = true;
        proctype Q(pid n) { byte a[5] = { 9, 6, 9, 9, 9 }; assert(a[n] != 6); endq: do :: false od }
        active [3] proctype P() {
          byte c;
          end0: atomic { w -> w = false; c = 1 }; run Q(_pid);
          end: do :: false od }";
    // What is stored is not what is written: 257 in a byte is 1, the number of a process.
    let cut = |declared: &str, value: u32| {
        format!(
            "active proctype Z() {{ endz: do :: false od }}
            {declared}; bool w = true;
            active [3] proctype P() {{
              byte c;
              end0: if
              :: atomic {{ w -> w = false; c = 1 }} x = {value}; assert(x != _pid)
              :: atomic {{ w -> w = false; c = 1 }} x = _pid
              fi;
              end: do :: false od }}"
        )
    };
    // What partial order reduction knows of a process goes with it when another takes its place.
    let counted = "byte a[5];
        active [2] proctype P() { byte me = _nr_pr, v; a[me] = 1; v = 1; end: do :: false od }
        active proctype Z() { byte v; v = 0; assert(a[2] == 0); endz: do :: false od }";
    // Processes that have ended are kept, until no more can be created.
    let many = "bool busy; chan c = [1] of { bit };
        proctype A(bit k) { if :: k == 0 -> endk: do :: c?1 -> busy = false od :: else -> c!1 fi }
        init { run A(0); endi: do :: atomic { !busy -> busy = true; run A(1) } od }";
    let overlooked = [
        ("list", is_overlooked("list", list, None, symmetry())),
        ("byte", is_overlooked("byte", &cut("byte x", 257), None, symmetry())),
        ("bits", is_overlooked("bits", &cut("unsigned x : 3", 9), None, symmetry())),
        ("counted", is_overlooked("counted", counted, None, both())),
        ("many", is_overlooked("many", many, Some("<> [] busy"), symmetry())),
    ];
    let overlooked: Vec<&str> = overlooked.iter().filter(|(_, is)| *is).map(|(name, _)| *name).collect();
    assert!(overlooked.is_empty(), "{overlooked:?}");
}

/// Where each process has the number of another, states of one orbit are many and look different, and the run to an error
/// has to be found among them: it once was not, and once took n! steps.
#[test]
fn runs_are_found_where_processes_know_each_other() {
    let global = "byte who[4] = 9, t = 9, n;
        active [4] proctype P() {
          do :: t = _pid :: atomic { t != _pid; who[_pid] = t; n++; assert(n < 5) } od }";
    let in_another = "chan c = [0] of { byte }; byte n;
        active proctype S() {
          byte who[5] = 9, t = 9, i = 9;
          do :: c?t :: atomic { c?i; i != t; who[i] = t; n++; assert(n < 6) } od }
        active [4] proctype P() { do :: c!_pid od }";
    let ring = "byte n, t = 99;
        active [12] proctype P() { byte next = 99; bool used;
          do :: atomic { t == 99 && !used -> t = _pid; used = 1 }
          :: atomic { t != 99 && t != _pid && next == 99 -> next = t; t = 99; n++ }
          :: atomic { n == 12 -> assert(false) } od }";
    let depth_first = Asking::Reach(SearchPlan::DepthFirst, StorePlan::Exact, 1);
    for (name, text) in [("global", global), ("in-another", in_another), ("ring", ring)] {
        let file = File::new(name, text);
        let loaded = file.load(None, Engine::Jit).expect("a good model");
        let report =
            ask(&loaded, depth_first, symmetry()).unwrap_or_else(|problem| panic!("{name}: {problem}"));
        assert_eq!(holds(&report), Some(false), "{name}");
        let (_, run) = report.first().violation().expect("it fails");
        assert_eq!(replay(&*loaded.system, &run.steps).as_ref(), Ok(run), "{name}");
    }
}

/// A number that stands for nobody may be negative.
#[test]
fn nobody_may_be_minus_one() {
    let text = "short s = -1;
        active [3] proctype P() { do :: atomic { s == -1 -> s = _pid }; assert(s == _pid); s = -1 od }";
    let loaded = File::new("nobody", text).load(None, Engine::Jit).expect("a good model");
    let report = ask(&loaded, REACH[0], symmetry()).expect("nobody is told apart");
    assert_eq!((holds(&report), report.first().figures.counters.states), (Some(true), 3));
}
