//! Hiding and renaming on the fly against doing the same to the labels of a graph.

use elnath_kernel::rng::Rng;
use elnath_kernel::{Describe, Successors, System};
use elnath_lts::{Builder, Lts};
use elnath_net::{Pattern, Relabelled, Rules};
use std::sync::Arc;

const LABELS: [&str; 7] = ["PUT !0", "PUT !1", "GET !0", "GET !1", "i", "tau", "OPEN"];

fn rules() -> Rules {
    let regex = |pattern| Pattern::regex(pattern).expect("a regular expression");
    let rules = Rules::new().rename_by("PUT !(.)=>in\\1").expect("a rule");
    rules.hide(regex("GET !1")).hide(regex("CLOSE"))
}

/// What the rules above make of a label, said once more and otherwise.
fn expected(label: &str) -> &str {
    match label {
        "PUT !0" => "in0",
        "PUT !1" => "in1",
        "GET !1" | "i" | "tau" => "i",
        other => other,
    }
}

/// Every transition that can be reached, as source, label, target.
fn edges(system: &dyn System, by_successors: bool) -> Vec<(Vec<u8>, String, Vec<u8>)> {
    let mut stepper = system.stepper();
    let mut initial = Vec::new();
    stepper.initial(&mut initial);
    let (mut queue, mut at, mut edges) = (vec![initial], 0, Vec::new());
    while at < queue.len() {
        let state = queue[at].clone();
        at += 1;
        let mut successors = Successors::default();
        if by_successors {
            stepper.successors(&state, &mut successors);
        } else {
            successors.fire_all(stepper.as_mut(), &state);
        }
        for next in successors.iter() {
            let label = system.action_name(stepper.action(&state, next.transition));
            edges.push((state.clone(), label, next.state.to_vec()));
            if !queue.iter().any(|known| known == next.state) {
                queue.push(next.state.to_vec());
            }
        }
    }
    edges
}

fn random(rng: &mut Rng) -> Lts {
    let mut builder = Builder::new();
    let states = 1 + rng.below(6) as u32;
    for _ in 0..rng.below(12) {
        let label = LABELS[rng.below(LABELS.len() as u64) as usize];
        builder.add(rng.below(states.into()) as u32, label, rng.below(states.into()) as u32);
    }
    builder.finish(0)
}

#[test]
fn labels_are_what_the_rules_make_of_them() {
    for seed in 0..500 {
        let lts = Arc::new(random(&mut Rng::new(seed)));
        let relabelled = Relabelled::new(Arc::clone(&lts) as Arc<dyn System>, Arc::new(rules()));
        for by_successors in [false, true] {
            let mut before = edges(lts.as_ref(), by_successors);
            before.iter_mut().for_each(|(_, label, _)| *label = expected(label).to_owned());
            assert_eq!(before, edges(&relabelled, by_successors), "seed {seed}");
        }
    }
}

#[test]
fn what_is_shown_has_both_names() {
    let mut builder = Builder::new();
    builder.add(0, "GET !1", 1);
    builder.add(0, "OPEN", 1);
    let rules = Arc::new(rules());
    let system = Relabelled::new(Arc::new(builder.finish(0)), Arc::clone(&rules));
    let mut stepper = system.stepper();
    let (mut state, mut enabled) = (Vec::new(), Vec::new());
    stepper.initial(&mut state);
    stepper.enabled(&state, &mut enabled);
    let shown: Vec<String> = enabled.iter().map(|&t| system.events(&state, t)[0].text.clone()).collect();
    assert_eq!(shown, ["i (GET !1)", "OPEN"]);
    assert_eq!(rules.unmet(), ["PUT !(.)", "CLOSE"]);
}
