//! Any text: the preprocessor, the parser, the checks, the lowering and a few hundred steps of the interpreter must
//! not panic, hang or use memory without bound; and what is lowered must satisfy the verifier.

#![no_main]

use elnath_kernel::System;
use elnath_program::{Interpreter, verify::verify};
use libfuzzer_sys::fuzz_target;
use std::collections::HashMap;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut files = HashMap::from([("fuzz.pml".to_owned(), text.to_owned())]);
    let options = elnath_promela::Options::default();
    let Ok((model, _)) = elnath_promela::parse(&mut files, "fuzz.pml", &options) else { return };
    let Ok(lowered) = elnath_promela::lower(&model, "fuzz.pml") else { return };
    if let Err(violations) = verify(&lowered.program) {
        panic!("the lowering broke an invariant: {violations:?}");
    }
    let Ok(system) = Interpreter::new(lowered.program) else { return };
    let mut stepper = system.stepper();
    let (mut state, mut next, mut enabled) = (Vec::new(), Vec::new(), Vec::new());
    stepper.initial(&mut state);
    for step in 0..200 {
        stepper.enabled(&state, &mut enabled);
        let Some(&t) = enabled.get(step % enabled.len().max(1)) else { break };
        let _ = stepper.fire(&state, t, &mut next);
        system.events(&state, t);
        std::mem::swap(&mut state, &mut next);
    }
});
