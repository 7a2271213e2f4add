//! Hiding and renaming on random graphs: to check a graph with rules is to check the graph that the rules make of it.

use elnath::generate::graph_of;
use elnath::lts::aut::{self, Dialect};
use elnath::{Check, Compare, FiniteProperty, LabelOptions, LoadOptions, Loaded, Rng, Verdict, Wanted, load};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const LABELS: [&str; 6] = ["a", "b", "ab", "b !1", "i", "tau"];
const PATTERNS: [&str; 8] = ["a", "b", "a|ab", "b.*", ".*b", "x", "(a|b)(.*)", "b !(.)"];
const NAMES: [&str; 5] = ["a", "x", "i", "\\0 y", "b"];

struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn graph(rng: &mut Rng) -> String {
    let states = 1 + rng.below(8);
    let edges: Vec<String> = (0..rng.below(14))
        .map(|_| {
            let label = LABELS[rng.below(6) as usize];
            format!("({}, \"{label}\", {})\n", rng.below(states), rng.below(states))
        })
        .collect();
    format!("des (0, {}, {states})\n{}", edges.len(), edges.concat())
}

fn some(rng: &mut Rng, most: u64, mut make: impl FnMut(&mut Rng) -> String) -> Vec<String> {
    (0..rng.below(most)).map(|_| make(rng)).collect()
}

fn options(rng: &mut Rng) -> LabelOptions {
    let pattern = |rng: &mut Rng| PATTERNS[rng.below(8) as usize].to_owned();
    LabelOptions {
        hide: some(rng, 3, pattern),
        hide_all_but: some(rng, 2, pattern),
        rename: some(rng, 3, |rng| format!("{}=>{}", pattern(rng), NAMES[rng.below(5) as usize])),
    }
}

fn read(path: &Path, rules: &LabelOptions, property: Option<Wanted>) -> Loaded {
    let rules = rules.rules().expect("they are patterns");
    let options = LoadOptions { rules, property, ..LoadOptions::default() };
    load(path, &options).unwrap_or_else(|error| panic!("{:?}", error.into_messages()))
}

/// What is found out about a model: a verdict, and the length of the run that shows it where a shortest one is asked for.
fn answers(path: &Path, rules: &LabelOptions) -> Vec<(String, &'static str, Option<usize>)> {
    let mut answers = Vec::new();
    let mut note = |question: &str, check: Check<'_>| {
        let report = check.threads(1).run().unwrap_or_else(|problem| panic!("{question}: {problem}"));
        let length = report.first().violation().map(|(_, run)| run.steps.len());
        answers.push((question.to_owned(), report.verdict().name(), length));
    };
    let loaded = read(path, rules, None);
    note("deadlock", Check::loaded(&loaded).shortest());
    for forbidden in ["^a$", "^i$", "b", "x", "y"] {
        let regex = elnath::ActionPattern::new(forbidden).expect("a regular expression");
        note(forbidden, Check::loaded(&loaded).ignore_deadlocks().forbid(regex).shortest());
    }
    for formula in ["G(!a)", "G(a -> X(!b))", "F(action(x.*))", "G(!tau)"] {
        let (property, _) = FiniteProperty::of_loaded(formula, &loaded).expect("a formula");
        note(&format!("ltlf {formula}"), Check::loaded(&loaded).finite(property).shortest());
        let loaded = read(path, rules, Some(Wanted::Ltl(formula.to_owned())));
        let property = loaded.property.clone().expect("it was wanted");
        note(&format!("ltl {formula}"), Check::loaded(&loaded).property(property).shortest());
    }
    answers
}

#[test]
fn to_check_with_rules_is_to_check_what_the_rules_make() {
    let folder = Folder(std::env::temp_dir().join(format!("elnath-labels-{}", std::process::id())));
    std::fs::create_dir_all(&folder.0).expect("a folder");
    let (before, after) = (folder.0.join("before.aut"), folder.0.join("after.aut"));
    let (mut differ, seeds) = (0, 400);
    for seed in 0..seeds {
        let mut rng = Rng::new(seed);
        std::fs::write(&before, graph(&mut rng)).expect("a file");
        let rules = options(&mut rng);
        if rules.rules().is_ok_and(|rules| rules.is_none()) {
            // Then `tau` keeps its name here, and is written as `i`.
            continue;
        }
        let watch = &mut |_: &_| None;
        let made = graph_of(read(&before, &rules, None), None, usize::MAX, watch);
        let Ok(made) = made else { panic!("nothing runs out") };
        let mut text = Vec::new();
        aut::write(&made.lts, Dialect::Cadp, &mut text).expect("it is written");
        std::fs::write(&after, &text).expect("a file");
        let none = LabelOptions::default();
        assert_eq!(answers(&before, &rules), answers(&after, &none), "seed {seed}: {rules:?}");
        differ += u32::from(answers(&before, &rules) != answers(&before, &none));
        // And the two are the same graph.
        let (left, right) = (read(&before, &rules, None), read(&after, &none, None));
        let compared = Compare::systems(Arc::clone(&left.system), Arc::clone(&right.system)).run();
        let compared = compared.unwrap_or_else(|refusal| panic!("{refusal}")).into_verdict();
        assert!(matches!(compared, Verdict::Holds(_)), "seed {seed}: {rules:?}");
    }
    assert!(differ > seeds as u32 / 10, "rules make a difference: {differ} of {seeds}");
}
