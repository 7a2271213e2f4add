//! A check from Rust has the defaults of `elnath check`.

use elnath::{Check, LoadOptions, Reductions, Verdict, Wanted, load};
use std::path::{Path, PathBuf};

fn model(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

#[test]
fn the_usual_reductions_are_used() {
    let loaded = load(&model("abp.pml"), &LoadOptions::default()).expect("a good model");
    let report = Check::loaded(&loaded).run().expect("the defaults go together");
    let figures = &report.first().figures;
    let wanted: Vec<&str> = figures.stages.iter().map(|stage| stage.name).collect();
    let usual: Vec<&str> = Reductions::USUAL.rows().map(|reduction| reduction.name).collect();
    assert_eq!(wanted, usual);
    let all = Check::loaded(&loaded).reductions(Reductions::NONE).run().expect("the defaults go together");
    assert!(figures.counters.states < all.first().figures.counters.states);
    assert_eq!(report.first().text, "no deadlock, no failed assertion or other fault");
}

#[test]
fn a_tree_store_begins_again_where_the_exact_one_has_no_room() {
    let loaded = load(&model("counters.pml"), &LoadOptions::default()).expect("a good model");
    let check = || Check::loaded(&loaded).reductions(Reductions::NONE).threads(1);
    let all = check().run().expect("the defaults go together");
    let needed = all.first().figures.counters;
    let little = loaded.system.bytes() + (needed.store_bytes + needed.path_bytes) / 3;
    let report = check().memory(little).run().expect("the defaults go together");
    let figures = &report.first().figures;
    assert!(figures.before.is_some() && figures.plan.store.name() == "tree", "{:?}", figures.plan);
    let chosen = check().memory(little).store(elnath::StorePlan::Exact).run().expect("they go together");
    assert!(chosen.first().figures.before.is_none() && chosen.verdict().limit().is_some());
}

#[test]
fn the_property_that_was_wanted_is_checked() {
    let property = Some(Wanted::Ltl("<> false".to_owned()));
    let options = LoadOptions { property, ..LoadOptions::default() };
    let loaded = load(&model("abp.pml"), &options).expect("a good model");
    assert!(matches!(Check::loaded(&loaded).run().map(|r| r.into_verdict()), Ok(Verdict::Fails(_))));
    let report = Check::loaded(&loaded).reachability().run().expect("an answer");
    assert_eq!(report.first().kind, elnath::PropertyKind::Safety);
}
