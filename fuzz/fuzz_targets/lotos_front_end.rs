//! Any text: the lexer, the libraries, the parser, the checks and a hundred steps of the engine must not panic, hang or use memory
//! without bound; and what is refused must be complained about.

#![no_main]

use elnath_kernel::{Successors, System};
use elnath_source::SourceText;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let system = match elnath_lotos::read(SourceText::new("fuzz.lotos", text), &|_| None, &[]) {
        Ok((system, _)) => system,
        Err(messages) => {
            assert!(!messages.is_empty(), "refused without a message");
            return;
        }
    };
    let system: &dyn System = &system;
    let (mut stepper, mut state, mut successors) = (system.stepper(), Vec::new(), Successors::default());
    stepper.initial(&mut state);
    for step in 0..100 {
        stepper.successors(&state, &mut successors);
        if successors.is_empty() {
            break;
        }
        system.describe().show_state(&state);
        state = successors.get(step % successors.len()).state.to_vec();
    }
});
