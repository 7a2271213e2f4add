//! Any text: an automaton or messages that can be drawn; and an automaton that was read can be written and read again.
#![no_main]

use elnath_logic::hoa::{count, read, write};
use elnath_source::SourceText;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let source = SourceText::new("fuzz", text);
    for index in 0..=count(&source).min(4) {
        match read(&source, index) {
            Ok(loaded) => {
                let again = SourceText::new("again", write(&loaded.automaton, loaded.name.as_deref()));
                let again = read(&again, 0).expect("what we write we can read");
                assert_eq!((again.automaton, again.name), (loaded.automaton, loaded.name));
            }
            Err(messages) => {
                assert!((1..=20).contains(&messages.len()));
                for message in messages {
                    assert!(!message.to_string().is_empty());
                    assert!(message.place.is_none_or(|p| p.text.get(p.start..p.end).is_some()));
                }
            }
        }
    }
});
