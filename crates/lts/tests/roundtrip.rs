//! What is written is read back as the same graph, up to what the dialect changes.

use elnath_lts::aut::{Dialect, ReadOptions, read, write};
use elnath_lts::{Builder, Lts};
use proptest::prelude::*;

/// Labels that tempt the reader: quotes, commas, parentheses, blanks, tau, nothing at all.
fn label() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("i".to_owned()),
        Just("tau".to_owned()),
        Just("*".to_owned()),
        Just(String::new()),
        "[a-z][A-Za-z0-9_]{0,5}",
        "[ -~]{0,12}",
        "[\"(), 0-9]{1,6}",
        "[a-z\t\u{e0}-\u{ff}\u{2203}]{1,4}",
    ]
}

fn triples() -> impl Strategy<Value = Vec<(u32, String, u32)>> {
    proptest::collection::vec((0u32..9, label(), 0u32..9), 0..30)
}

fn built(triples: &[(u32, String, u32)], initial: u32, rename: impl Fn(u32) -> u32) -> Lts {
    let mut builder = Builder::new();
    builder.at_least_states(9);
    for (from, label, to) in triples {
        builder.add(rename(*from), label, rename(*to));
    }
    builder.finish(rename(initial))
}

fn written_and_read(lts: &Lts, dialect: Dialect) -> Lts {
    let mut text = Vec::new();
    write(lts, dialect, &mut text).expect("labels are text");
    let loaded = read("written", &text[..], &ReadOptions::default());
    loaded.unwrap_or_else(|errors| panic!("{errors:#?}\n{}", String::from_utf8_lossy(&text))).lts
}

proptest! {
    #[test]
    fn cadp_exchanges_the_initial_state_and_state_0(triples in triples(), initial in 0u32..9) {
        let exchange = |s| if s == initial { 0 } else if s == 0 { initial } else { s };
        let lts = built(&triples, initial, |s| s);
        prop_assert_eq!(written_and_read(&lts, Dialect::Cadp), built(&triples, initial, exchange));
    }

    #[test]
    fn mcrl2_changes_nothing(mut triples in triples(), initial in 0u32..9) {
        for (_, label, _) in &mut triples {
            *label = label.replace('"', "'");
        }
        let lts = built(&triples, initial, |s| s);
        prop_assert_eq!(written_and_read(&lts, Dialect::Mcrl2), lts);
    }
}
