//! Whatever the bytes, the reader answers with a system or with messages, in memory that the input pays for; and a
//! system that was read can be written and read again.
#![no_main]

use elnath_lts::Lts;
use elnath_lts::aut::{Dialect, ReadOptions, read, write};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for lenient_counts in [false, true] {
        // A small limit, so that it is met.
        let options = ReadOptions { lenient_counts, longest_line: 1 << 16, ..ReadOptions::default() };
        match read("fuzz", bytes, &options) {
            Ok(loaded) => survives(&loaded.lts),
            Err(failure) => {
                let messages = failure.into_messages();
                assert!((1..=21).contains(&messages.len()));
                for message in messages {
                    // Formatting slices the text at the marks of the place.
                    assert!(!message.to_string().is_empty());
                    assert!(message.place.is_none_or(|p| p.text.get(p.start..p.end).is_some()));
                }
            }
        }
    }
});

fn survives(lts: &Lts) {
    // CADP's dialect exchanges the initial state with state 0, so only the second time must nothing change.
    let once = again(lts, Dialect::Cadp).expect("what was read has labels that CADP can write");
    assert_eq!((once.num_states(), once.num_transitions()), (lts.num_states(), lts.num_transitions()));
    assert_eq!(once.initial(), 0);
    assert!(again(&once, Dialect::Cadp).is_some_and(|twice| twice == once));
    if lts.initial() == 0 {
        assert!(once == *lts);
    }
    if let Some(copy) = again(lts, Dialect::Mcrl2) {
        assert!(copy == *lts);
    }
}

/// The system after it was written and read, unless the dialect has no words for it.
fn again(lts: &Lts, dialect: Dialect) -> Option<Lts> {
    let mut text = Vec::new();
    write(lts, dialect, &mut text).ok()?;
    Some(read("again", &text[..], &ReadOptions::default()).expect("what we write we can read").lts)
}
