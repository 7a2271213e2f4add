//! The same verdict with every combination of reductions, for every question, search, store, engine and number of
//! workers: on random models, and on those that people wrote. A verdict is compared with that of a plain search without
//! reductions, and every run that is told must be one of the model as it was written.

mod file;
mod ways;

use elnath::{Engine, LoadOptions, Reading, Wanted, load};
use elnath_testkit::{
    CORNER_FORMULAS, random_corners, random_numbered, random_promela_with_formula, random_rarities,
    random_symmetric, random_tandem,
};
use file::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use ways::{Agreement, Asked, in_turn};

/// More states are not looked at.
const MOST: u64 = 4000;

/// Each question is asked in so many ways: an odd number, so that no question has always the same ones.
const TIMES: u64 = 5;

/// Models with which the campaign has found something: runs past faults that were told wrongly.
const FOUND: [u64; 2] = [9280, 11369];

/// The models: `ELNATH_COMBINATIONS=0..20000 cargo test --release -p elnath --test combinations random` is the campaign.
fn seeds() -> Range<u64> {
    range("ELNATH_COMBINATIONS").unwrap_or(0..160)
}

fn range(name: &str) -> Option<Range<u64>> {
    let range = std::env::var(name).ok()?;
    let (first, end) = range.split_once("..")?;
    Some(first.parse().ok()?..end.parse().ok()?)
}

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

#[test]
fn random_models_have_the_same_verdicts() {
    let mut agreement = Agreement::default();
    for seed in seeds().chain(FOUND) {
        let (text, formulas) = random_model(seed);
        let file = File::new("combinations", &text);
        let engine = if seed.is_multiple_of(2) { Engine::Jit } else { Engine::Interpreter };
        let name = format!("seed {seed}");
        let Some(loaded) = file.load(None, engine) else { continue };
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
            let Some(loaded) = file.load(Some(wanted), engine) else { continue };
            let reading = if seed.is_multiple_of(2) { Reading::Maximal } else { Reading::Prefix };
            agreement.ask(&format!("{name}, finite"), &loaded, &Asked::Finite(formula, reading), MOST, TIMES);
        }
    }
    agreement.tell("random models");
    let asked = seeds().count() as u64;
    assert!(agreement.questions > 2 * asked && agreement.too_large < agreement.questions / 4);
    assert!(agreement.hold > agreement.questions / 5 && agreement.hold < agreement.questions * 4 / 5);
    assert!(agreement.answers > 2 * agreement.questions);
    assert!(agreement.at_work.iter().all(|&answers| answers > asked / 16), "{:?}", agreement.at_work);
    assert!(asked < 160 || agreement.all_tried(), "{:?}", agreement.pairs());
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

/// Models of rare constructs: `ELNATH_RARE=0..5000 cargo test --release -p elnath --test combinations rare` is the campaign.
#[test]
fn models_of_rare_constructs_have_the_same_verdicts() {
    let mut agreement = Agreement::default();
    let seeds = range("ELNATH_RARE").unwrap_or(0..60);
    for seed in seeds.clone() {
        let text = random_rarities(seed);
        let file = File::new("rare", &text);
        let engine = if seed.is_multiple_of(2) { Engine::Jit } else { Engine::Interpreter };
        let name = format!("rare {seed}");
        let loaded = file.load(None, engine).expect("a good model");
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
    }
    agreement.tell("rare constructs");
    let asked = seeds.count() as u64;
    assert!(agreement.questions > 3 * asked && agreement.hold > asked / 2 && agreement.answers > asked);
}

/// The files in a folder and below with one of these endings, in order.
fn files_in(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files_in(&path, endings, found);
        } else if path.extension().is_some_and(|ending| endings.iter().any(|known| ending == *known)) {
            found.push(path);
        }
    }
}

/// Our own models, and those by other people where they are at hand: a sample of small ones, or with `ELNATH_REFERENCE=all`
/// all of them, with up to 200,000 states. `ELNATH_MODELS=100..200` takes some of these, `ELNATH_STATES` smaller ones.
#[test]
fn models_people_wrote_have_the_same_verdicts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let promela = ["pml", "prom", "promela", "prm", "pm", "spin"];
    let mut models = Vec::new();
    files_in(&root.join("tests/cases/promela"), &promela, &mut models);
    files_in(&root.join("examples"), &promela, &mut models);
    files_in(&root.join("../shared/corpus/promela"), &promela, &mut models);
    files_in(&root.join("../shared/corpus/cfsm"), &["fifo", "scm", "fsa", "cfsm", "txt"], &mut models);
    let all = std::env::var("ELNATH_REFERENCE").is_ok_and(|value| value == "all");
    let (most, every, times) = if all { (200_000, 1, 5) } else { (2000, 6, 3) };
    let most = std::env::var("ELNATH_STATES").ok().and_then(|most| most.parse().ok()).unwrap_or(most);
    let some = range("ELNATH_MODELS").unwrap_or(0..u64::MAX);
    let mut agreement = Agreement::default();
    let chosen = models.into_iter().enumerate().filter(|&(number, _)| some.contains(&(number as u64)));
    for (number, path) in chosen.step_by(every) {
        let engine = if number.is_multiple_of(3) { Engine::Interpreter } else { Engine::Jit };
        let open = |property| {
            let options = LoadOptions { property, engine, capacity: Some(2), ..LoadOptions::default() };
            load(&path, &options).ok()
        };
        let name = format!("model {number}, {}", path.display());
        let Some(loaded) = open(None) else { continue };
        agreement.ask(&name, &loaded, &Asked::Reachable, most, times);
        agreement.ask(&name, &loaded, &Asked::OnlyDeadlocks, most, times);
        let mut wanted: Vec<Wanted> =
            loaded.formulas.iter().chain(&loaded.claims).cloned().map(Wanted::Claim).collect();
        let program = loaded.program.as_ref().map(|program| program.program());
        let mut locations = program.iter().flat_map(|p| &p.processes).flat_map(|kind| &kind.locations);
        let (accept, progress) =
            (locations.clone().any(|location| location.accept), locations.any(|location| location.progress));
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
            agreement.ask(&name, &loaded, &in_turn(&property, (number + place) as u64), most, times);
        }
        if all {
            agreement.tell(&name);
        }
    }
    agreement.tell("models people wrote");
    assert!(agreement.questions > 20 && agreement.hold > 10 && agreement.hold < agreement.questions);
    let [por, merge, dead, ..] = agreement.at_work;
    assert!(por > 5 && merge > 5 && dead > 5, "{:?}", agreement.at_work);
}
