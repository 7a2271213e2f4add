//! Programs in their text form, walked.

use elnath_kernel::{Stepper, System, Transition};
use elnath_program::interpreter::Cause;
use elnath_program::text::parse;
use elnath_program::verify::verify;
use elnath_program::{Interpreter, Program};
use elnath_source::SourceText;
use std::collections::{BTreeSet, VecDeque};

/// Reads and verifies a program.
pub(crate) fn program(text: &str) -> Program {
    let program = parse(&SourceText::new("test", text)).unwrap_or_else(|messages| {
        panic!("{}", messages.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
    });
    assert_eq!(verify(&program), Ok(()), "{text}");
    program
}

/// A program ready to be walked.
pub(crate) fn system(text: &str) -> Interpreter {
    Interpreter::new(program(text)).expect("there is an initial state")
}

/// What is found by walking a program.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Walked {
    pub(crate) states: usize,
    /// With one for the initial state, as SPIN counts them.
    pub(crate) transitions: usize,
    pub(crate) deadlocks: usize,
    pub(crate) faults: Vec<Cause>,
}

impl Walked {
    /// SPIN's "states, stored" and "transitions".
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.states, self.transitions)
    }
}

/// Walks at most so many states of a program, breadth first.
pub(crate) fn walk_up_to(system: &Interpreter, most: usize) -> Walked {
    let mut stepper = system.stepper();
    let (mut state, mut enabled, mut next) = (Vec::new(), Vec::new(), Vec::new());
    stepper.initial(&mut state);
    let mut walked = Walked { transitions: 1, ..Walked::default() };
    let mut seen = BTreeSet::from([state.clone()]);
    let mut queue = VecDeque::from([state]);
    while let Some(state) = queue.pop_front() {
        if walked.states == most {
            break;
        }
        walked.states += 1;
        stepper.enabled(&state, &mut enabled);
        walked.transitions += enabled.len();
        if enabled.is_empty() && !stepper.may_end(&state) {
            walked.deadlocks += 1;
        }
        for &t in &enabled {
            if let Err(fault) = stepper.fire(&state, t, &mut next) {
                walked.faults.push(system.fault_at(fault).cause);
            }
            if seen.insert(next.clone()) {
                queue.push_back(next.clone());
            }
        }
    }
    walked
}

/// Walks a program whole.
pub(crate) fn walk(text: &str) -> Walked {
    walk_up_to(&system(text), usize::MAX)
}

/// The initial state and its transitions.
pub(crate) fn begin(system: &Interpreter) -> (Box<dyn Stepper + '_>, Vec<u8>, Vec<Transition>) {
    let mut stepper = system.stepper();
    let (mut state, mut enabled) = (Vec::new(), Vec::new());
    stepper.initial(&mut state);
    stepper.enabled(&state, &mut enabled);
    (stepper, state, enabled)
}
