//! The Datalink protocol of the 1991 paper: its sizes, the paper's table, and the faulty variant.

use elnath::Verdict;
use elnath::compare::{Compare, Difference, RelationEngine};
use elnath::{Check, Direction, Relation, StateIdentity, System};
use elnath_experiments::datalink::table::PAPER;
use elnath_experiments::datalink::text::DatalinkText;
use elnath_experiments::datalink::{Datalink, Service};
use elnath_testkit::corpus;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

fn protocol(messages: u16, faulty: bool) -> Arc<dyn System> {
    Arc::new(Datalink { messages, faulty })
}

fn service(messages: u16, fresh: bool) -> Arc<dyn System> {
    Arc::new(Service { messages, fresh })
}

fn size(system: Arc<dyn System>) -> (u64, u64) {
    let report = Check::system(system).ignore_deadlocks().run().unwrap();
    (report.first().figures.counters.states, report.first().figures.counters.transitions)
}

#[test]
fn the_table_of_the_paper() {
    for row in PAPER {
        let (n, (n1, m1), (n2, m2), pairs) = (row.messages, row.left, row.right, row.pairs);
        // The service of the paper has 2N + 1 states for some N and 2N for others.
        let fresh = n2 % 2 == 1;
        assert_eq!(size(protocol(n, false)), (n1, m1), "N = {n}");
        assert_eq!(size(service(n, fresh)), (n2, m2), "N = {n}");
        let compared = Compare::systems(protocol(n, false), service(n, true))
            .relation(Relation::TauStarA)
            // The paper's search: the game alone.
            .engine(RelationEngine::Local)
            .run()
            .unwrap();
        assert!(matches!(compared.verdict(), Verdict::Holds(_)));
        assert_eq!(compared.first().figures.pairs, pairs, "N = {n}");
        assert_eq!(compared.first().figures.states, [n1, 2 * u64::from(n) + 1]);
    }
    for n in 1..=6 {
        let m = u64::from(n);
        assert_eq!(size(protocol(n, false)), (16 * m * m + 42 * m + 1, 24 * m * m + 48 * m), "N = {n}");
    }
}

#[test]
fn the_table_is_made_from_the_text() {
    let text = |which: DatalinkText, n: u16| which.system(n, StateIdentity::Caesar90);
    for row in PAPER {
        let (n, (n1, m1), pairs) = (row.messages, row.left, row.pairs);
        assert_eq!(size(text(DatalinkText::Protocol, n)), (n1, m1), "N = {n}");
        let m = u64::from(n);
        assert_eq!(size(text(DatalinkText::Service, n)), (2 * m + 1, m * m + 2 * m), "N = {n}");
        let compared = Compare::systems(text(DatalinkText::Protocol, n), text(DatalinkText::Service, n))
            .relation(Relation::TauStarA)
            // The paper's search: the game alone.
            .engine(RelationEngine::Local)
            .run()
            .unwrap();
        assert!(matches!(compared.verdict(), Verdict::Holds(_)));
        assert_eq!(compared.first().figures.pairs, pairs, "N = {n}");
        assert_eq!(compared.first().figures.states, [n1, 2 * m + 1]);
    }
    // The text is the model that was written by hand.
    for n in 1..=6 {
        for (which, by_hand) in
            [(DatalinkText::Protocol, protocol(n, false)), (DatalinkText::Faulty, protocol(n, true))]
        {
            assert_eq!(size(text(which, n)), size(Arc::clone(&by_hand)), "N = {n}");
            let compared = Compare::systems(text(which, n), by_hand).run().unwrap();
            assert!(matches!(compared.verdict(), Verdict::Holds(_)), "N = {n}");
        }
    }
}

#[test]
fn for_every_number_of_messages_the_text_is_equivalent_to_its_service() {
    for n in 1..=80 {
        let text = |which: DatalinkText| which.system(n, StateIdentity::Live);
        let m = u64::from(n);
        assert_eq!(size(text(DatalinkText::Protocol)), (20 * m + 4, 28 * m + 2), "N = {n}");
        let compared = Compare::systems(text(DatalinkText::Protocol), text(DatalinkText::Service))
            .relation(Relation::TauStarA)
            // The paper's search: the game alone.
            .engine(RelationEngine::Local)
            .run()
            .unwrap();
        assert!(matches!(compared.verdict(), Verdict::Holds(_)), "N = {n}");
    }
}

#[test]
fn it_is_the_reference_model() {
    let test = "the reference model of Datalink";
    let Some(folder) = corpus::folder_for(test, corpus::ORACLES) else { return };
    let script = folder.join("datalink_reference.py");
    let prefix = std::env::temp_dir().join(format!("elnath-datalink-{}", std::process::id()));
    let ran = Command::new("python3").arg(&script).args(["-n", "7", "--aut"]).arg(&prefix).status();
    if !ran.is_ok_and(|status| status.success()) {
        corpus::say("skipped: python3 cannot make the reference model of Datalink");
        return;
    }
    for (ours, file) in [(protocol(7, false), "_s1.aut"), (service(7, true), "_s2.aut")] {
        let mut path = prefix.clone().into_os_string();
        path.push(file);
        let Ok(theirs) = elnath::load(Path::new(&path), &elnath::LoadOptions::default()) else {
            panic!("the reference model is broken")
        };
        assert_eq!(size(Arc::clone(&theirs.system)), size(Arc::clone(&ours)));
        let compared = Compare::systems(ours, theirs.system).run().unwrap();
        assert!(matches!(compared.verdict(), Verdict::Holds(_)));
    }
    for file in ["_s1.aut", "_s1_terms.aut", "_s2.aut"] {
        let mut path = prefix.clone().into_os_string();
        path.push(file);
        let _ = std::fs::remove_file(path);
    }
}

#[test]
fn the_faulty_transmitter_is_refuted() {
    let from_text = |which: DatalinkText| which.system(2, StateIdentity::Live);
    refuted(&|| [protocol(2, true), service(2, true)]);
    refuted(&|| [from_text(DatalinkText::Faulty), from_text(DatalinkText::Service)]);
}

fn refuted(systems: &dyn Fn() -> [Arc<dyn System>; 2]) {
    let ask = |direction: Direction| {
        let [protocol, service] = systems();
        Compare::systems(protocol, service)
            .relation(Relation::TauStarA)
            // The paper's search: the game alone.
            .engine(RelationEngine::Local)
            .direction(direction)
            .shortest()
            .run()
            .unwrap()
            .into_verdict()
    };
    // The acknowledgement of the first message is not the one it waits for: nothing more can be got.
    let Verdict::Fails(Difference::Game(diagnosis)) = ask(Direction::Equivalence) else {
        panic!("it is refuted")
    };
    assert!(diagnosis.is_sequence());
    assert_eq!(
        diagnosis.headline(["the protocol", "the service"]),
        "after GET !0, GIVE !0, the service can do GET !0, the protocol cannot"
    );
    // But what it does, the service can do.
    assert!(matches!(ask(Direction::Preorder), Verdict::Holds(_)));
}
