//! Small systems in `tests/cases` with what is true about them, worked out by hand.

use std::path::Path;

use elnath_lts::Info;
use elnath_lts::aut::{ReadOptions, read_file};

fn info(case: &str) -> Info {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(case);
    Info::new(&read_file(&path, &ReadOptions::default()).expect("a good file").lts)
}

/// A machine that chooses silently, may keep the coin, and has two states that nobody reaches, one of which loops.
#[test]
fn vending() {
    let expected = Info {
        states: 7,
        transitions: 8,
        reachable_states: 5,
        distinct_reachable_transitions: 6,
        tau_transitions: 2,
        tau_labels: vec!["i".into()],
        labels: 5,
        deadlock_states: 1,
        components: 2,
        nontrivial_components: 1,
        largest_component: 4,
        livelocked_states: 0,
        deterministic: false,
    };
    assert_eq!(info("vending.aut"), expected);
}

/// Starts in state 2; states 0 and 3 spin together, state 1 alone.
#[test]
fn spinning() {
    let expected = Info {
        states: 5,
        transitions: 7,
        reachable_states: 4,
        distinct_reachable_transitions: 6,
        tau_transitions: 4,
        tau_labels: vec!["tau".into()],
        labels: 2,
        deadlock_states: 0,
        components: 2,
        nontrivial_components: 1,
        largest_component: 3,
        livelocked_states: 3,
        deterministic: false,
    };
    assert_eq!(info("spinning.aut"), expected);
}
