//! Any text: the lexer, the parser, the checks, the initialisations, the lowering and a hundred steps of the program must not panic, hang or
//! use memory without bound; what is refused must be complained about, and what is not must be a good program.

#![no_main]

use elnath_estelle::{Delays, Options, Stepping};
use elnath_kernel::{Successors, System};
use elnath_program::Interpreter;
use elnath_source::SourceText;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    // The length decides how it is read, so that all ways are met.
    let options = Options {
        integers: Some((0, 7)),
        stepping: if text.len() % 2 == 0 { Stepping::Atomic } else { Stepping::Select },
        delays: if text.len() % 4 < 2 { Delays::Untimed } else { Delays::Ticks },
        capacity: (text.len() % 3 == 0).then_some(2),
    };
    let lowered = match elnath_estelle::read(&SourceText::new("fuzz.est", text), options) {
        Ok((lowered, _)) => lowered,
        Err(messages) => {
            assert!(!messages.is_empty(), "refused without a message");
            return;
        }
    };
    if let Err(violations) = elnath_program::verify::verify(&lowered.program) {
        panic!("{}", violations[0]);
    }
    let Ok(system) = Interpreter::new(lowered.program) else { return };
    let (mut stepper, mut state, mut successors) = (system.stepper(), Vec::new(), Successors::default());
    stepper.initial(&mut state);
    for step in 0..100 {
        stepper.successors(&state, &mut successors);
        if successors.is_empty() {
            break;
        }
        state = successors.get(step % successors.len()).state.to_vec();
    }
});
