//! The same verdict with every combination of reductions, for every question, search, store, engine and number of
//! workers: on random models, and on those that people wrote. A verdict is compared with that of a plain search without
//! reductions, and every run that is told must be one of the model as it was written.

use super::Part;
use super::ways::{Agreement, Asked, in_turn};
use crate::files::File;
use crate::trial::Trial;
use elnath::{Engine, LoadOptions, Reading, Wanted, load};
use elnath_testkit::{
    CORNER_FORMULAS, random_corners, random_numbered, random_promela_with_formula, random_rarities,
    random_symmetric, random_tandem,
};

pub(super) const PARTS: &[Part] = &[
    Part { name: "random", meaning: "random models of several sorts, with formulas about them", run: random },
    Part { name: "rare", meaning: "models made of rare constructs", run: rare },
    Part { name: "people", meaning: "models that people wrote, with their own properties", run: people },
];

/// More states are not looked at.
const MOST: u64 = 4000;

/// Each question is asked in so many ways: an odd number, so that no question has always the same ones.
const TIMES: u64 = 5;

/// Models with which the campaign has found something: runs past faults that were told wrongly.
const FOUND: [u64; 2] = [9280, 11369];

/// A random model, and formulas about it; one with a formula of its own has no others.
fn random_model(seed: u64) -> (String, &'static [&'static str]) {
    const TANDEM: &[&str] = &[
        "[] <> (g == 1)",
        "<> [] (g != 1)",
        "[] ((g == 2) -> <> h)",
        "(g < 2) U h",
        "[] (own[0] == 0)",
        "[] <> !h",
        "X (X (g == 1))",
    ];
    const SYMMETRIC: &[&str] =
        &["[] <> (g == 1)", "<> [] h", "[] (a[1] == 0)", "(g < 2) U h", "[] (h -> <> (g == 0))", "X h"];
    const NUMBERED: &[&str] =
        &["[] (g != 2)", "[] <> (turn == 255)", "<> [] (g == 1)", "(g == 0) W (turn != 255)"];
    let number = seed / 8;
    match seed % 8 {
        4 => (random_tandem(number), TANDEM),
        5 => (random_promela_with_formula(number), &[]),
        6 => (random_symmetric(number, number.is_multiple_of(2)), SYMMETRIC),
        7 => (random_numbered(number, number.is_multiple_of(2)), NUMBERED),
        // Half of all.
        sort => (random_corners(4 * number + sort), &CORNER_FORMULAS),
    }
}

fn random(trial: &mut Trial<'_>) {
    let agreement = trial.cases((0..160).chain(FOUND), |case, agreement: &mut Agreement| {
        let seed = case.seed;
        let (text, formulas) = random_model(seed);
        let file = File::new("combinations", &case.keep(text.clone()));
        let engine = if seed.is_multiple_of(2) { Engine::Jit } else { Engine::Interpreter };
        let name = format!("seed {seed}");
        let loaded = file.load(None, engine).ok_or("refused")?;
        agreement.begin(seed, 3 * TIMES);
        agreement.ask(&name, &loaded, &Asked::Reachable, MOST, TIMES);
        agreement.ask(&name, &loaded, &Asked::OnlyDeadlocks, MOST, TIMES);
        // Formulas in turn, and the labels.
        let number = seed / 8;
        let mut wanted: Vec<Wanted> = (0..formulas.len().min(2) as u64)
            .map(|i| formulas[((2 * number + i) % formulas.len() as u64) as usize])
            .map(|formula| Wanted::Ltl(formula.to_owned()))
            .collect();
        if text.contains("ltl f {") {
            wanted.push(Wanted::Claim("f".to_owned()));
        }
        wanted.push(if number.is_multiple_of(2) { Wanted::NonProgress } else { Wanted::AcceptanceCycles });
        for (place, wanted) in wanted.into_iter().enumerate() {
            let name = format!("{name}, {wanted:?}");
            let Some(loaded) = file.load(Some(wanted), engine) else { continue };
            let property = loaded.property.clone().expect("it was wanted");
            let asked = in_turn(&property, seed + 11 * place as u64);
            agreement.ask(&name, &loaded, &asked, MOST, TIMES);
        }
        if let Some(formula) = formulas.get(number as usize % (4 * formulas.len().max(1))) {
            let wanted = Wanted::Ltlf((*formula).to_owned());
            let Some(loaded) = file.load(Some(wanted), engine) else { return Ok(()) };
            let reading = if seed.is_multiple_of(2) { Reading::Maximal } else { Reading::Prefix };
            agreement.ask(&format!("{name}, finite"), &loaded, &Asked::Finite(formula, reading), MOST, TIMES);
        }
        Ok(())
    });
    let asked = trial.asked();
    let Agreement { questions, too_large, hold, answers, at_work, .. } = agreement;
    trial.enough(questions > 2 * asked && too_large < questions / 4, "questions");
    trial.enough(hold > questions / 5 && hold < questions * 4 / 5, "verdicts of both kinds");
    trial.enough(answers > 2 * questions, "answers");
    trial.enough(at_work.iter().all(|&answers| answers > asked / 16), "reductions at work");
    trial.enough(agreement.all_tried(), format!("pairs of a way and a combination: {:?}", agreement.pairs()));
}

/// Formulas about the globals that models of rare constructs have.
const RARE_FORMULAS: [&str; 8] = [
    "[] (g != 2)",
    "<> (h == 1)",
    "[] <> (g == 1)",
    "<> [] (e == 0)",
    "[] ((len(q) > 0) -> <> (len(q) == 0))",
    "(u.z == 0) U (a[1] == 1)",
    "[] (s[0].f == 0 || u.t[1].k[0] == 0)",
    "<> (_nr_pr == 1)",
];

fn rare(trial: &mut Trial<'_>) {
    let agreement = trial.cases(0..60, |case, agreement: &mut Agreement| {
        let seed = case.seed;
        let file = File::new("rare", &case.keep(random_rarities(seed)));
        let engine = if seed.is_multiple_of(2) { Engine::Jit } else { Engine::Interpreter };
        let name = format!("rare {seed}");
        let loaded = file.load(None, engine).expect("a good model");
        agreement.begin(seed, 2 * TIMES);
        agreement.ask(&name, &loaded, &Asked::Reachable, MOST, TIMES);
        agreement.ask(&name, &loaded, &Asked::OnlyDeadlocks, MOST, TIMES);
        let formula = RARE_FORMULAS[(seed % RARE_FORMULAS.len() as u64) as usize];
        let labels = if seed.is_multiple_of(3) { Wanted::NonProgress } else { Wanted::AcceptanceCycles };
        for (place, wanted) in [Wanted::Ltl(formula.to_owned()), labels].into_iter().enumerate() {
            let name = format!("{name}, {wanted:?}");
            let Some(loaded) = file.load(Some(wanted), engine) else { continue };
            let property = loaded.property.clone().expect("it was wanted");
            agreement.ask(&name, &loaded, &in_turn(&property, seed + 11 * place as u64), MOST, TIMES);
        }
        Ok(())
    });
    let asked = trial.asked();
    trial.enough(agreement.questions > 3 * asked, "questions");
    trial.enough(agreement.hold > asked / 2 && agreement.answers > asked, "answers");
}

/// Our own models, and those by other people where they are at hand: a sample of small ones, or with a campaign all of them,
/// with up to 200,000 states.
fn people(trial: &mut Trial<'_>) {
    let promela: &[&str] = &["pml", "prom", "promela", "prm", "pm", "spin"];
    let machines: &[&str] = &["fifo", "scm", "fsa", "cfsm", "txt"];
    let (most, times) = if trial.is_thorough() { (200_000, 5) } else { (2000, 3) };
    let most = trial.states(most);
    let agreement = trial.models(
        &[("promela", promela), ("cfsm", machines)],
        6,
        |path, case, agreement: &mut Agreement| {
            let number = case.seed;
            let engine = if number.is_multiple_of(3) { Engine::Interpreter } else { Engine::Jit };
            let open = |property| {
                let options = LoadOptions { property, engine, capacity: Some(2), ..LoadOptions::default() };
                load(path, &options).ok()
            };
            let name = format!("model {number}, {}", path.display());
            let loaded = open(None).ok_or("refused")?;
            agreement.begin(number, 2 * times);
            agreement.ask(&name, &loaded, &Asked::Reachable, most, times);
            agreement.ask(&name, &loaded, &Asked::OnlyDeadlocks, most, times);
            let mut wanted: Vec<Wanted> =
                loaded.formulas.iter().chain(&loaded.claims).cloned().map(Wanted::Claim).collect();
            let program = loaded.program.as_ref().map(|program| program.program());
            let mut locations = program.iter().flat_map(|p| &p.processes).flat_map(|kind| &kind.locations);
            let (accept, progress) = (
                locations.clone().any(|location| location.accept),
                locations.any(|location| location.progress),
            );
            if accept || number.is_multiple_of(10) {
                wanted.push(Wanted::AcceptanceCycles);
            }
            if progress || number.is_multiple_of(10) {
                wanted.push(Wanted::NonProgress);
            }
            for (place, wanted) in wanted.into_iter().enumerate() {
                let name = format!("{name}, {wanted:?}");
                let Some(loaded) = open(Some(wanted)) else { continue };
                let Some(property) = loaded.property.clone() else { continue };
                // As it is meant, and for runs of another kind.
                agreement.ask(&name, &loaded, &Asked::Infinite(Box::new(property.clone())), most, times);
                agreement.ask(&name, &loaded, &in_turn(&property, number + place as u64), most, times);
            }
            Ok(())
        },
    );
    trial.enough(agreement.questions > 20 && agreement.hold > 10, "questions");
    trial.enough(agreement.hold < agreement.questions, "verdicts of both kinds");
    let [por, merge, dead, ..] = agreement.at_work;
    trial.enough(por > 5 && merge > 5 && dead > 5, "reductions at work");
}
