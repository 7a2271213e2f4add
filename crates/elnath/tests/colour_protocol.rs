//! The colours of nested search by several workers, checked by ourselves: the Promela model beside the code holds for all
//! graphs that it is about and every interleaving, and what it guards against fails.

use elnath::{Check, LoadOptions, Verdict, ViolatingRun, load};
use std::path::Path;
use std::sync::Arc;

fn check(defines: &[&str]) -> Verdict<ViolatingRun> {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernel/models/colours.pml");
    let defines = defines.iter().map(|&define| define.to_owned()).collect();
    let loaded = load(&model, &LoadOptions { defines, ..LoadOptions::default() }).expect("a good model");
    Check::system(Arc::clone(&loaded.system)).run().expect("a sensible plan").into_verdict()
}

#[test]
fn every_accepting_cycle_is_found_and_nobody_waits_for_ever() {
    assert!(matches!(check(&[]), Verdict::Holds(_)));
}

#[test]
fn accepting_states_must_be_waited_for() {
    assert!(matches!(check(&["NO_WAIT"]), Verdict::Fails(_)));
}

#[test]
fn what_a_red_search_meets_is_not_red_before_it_ends() {
    assert!(matches!(check(&["RED_AT_ONCE"]), Verdict::Fails(_)));
}
