//! The insert protocol of our shared store, checked by ourselves: the Promela model beside the code holds, and what it
//! guards against fails.

use elnath::{Check, LoadOptions, Verdict, ViolatingRun, load};
use std::path::Path;
use std::sync::Arc;

fn check(defines: &[&str]) -> (Verdict<ViolatingRun>, Option<String>) {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernel/models/insert.pml");
    let defines = defines.iter().map(|&define| define.to_owned()).collect();
    let loaded = load(&model, &LoadOptions { defines, ..LoadOptions::default() }).expect("a good model");
    let report = Check::system(Arc::clone(&loaded.system)).run().expect("a sensible plan");
    let text = report.first().violation_text().map(str::to_owned);
    (report.into_verdict(), text)
}

#[test]
fn the_protocol_holds() {
    for workers in ["WORKERS=2", "WORKERS=3"] {
        let (verdict, text) = check(&[workers]);
        assert!(matches!(verdict, Verdict::Holds(_)), "{workers}: {text:?}");
    }
}

#[test]
fn without_its_order_a_record_is_seen_half_written() {
    let (verdict, text) = check(&["PUBLISH_FIRST"]);
    assert!(matches!(verdict, Verdict::Fails(_)));
    assert!(text.is_some_and(|text| text.contains("high[word - 1]")));
}

#[test]
fn without_compare_and_swap_a_state_is_lost() {
    assert!(matches!(check(&["NO_SWAP"]).0, Verdict::Fails(_)));
}
