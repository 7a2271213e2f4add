//! Walks through the states of a specification.

#![allow(dead_code, unreachable_pub, reason = "each test file uses a part")]

use elnath_estelle::{Options, proposition};
use elnath_kernel::{System, Transition};
use elnath_program::Interpreter;
use elnath_source::SourceText;
use std::collections::HashSet;

/// What there is; transitions are distinct triples of source, action and target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// Reachable states.
    pub states: usize,
    /// Transitions between them.
    pub transitions: usize,
    /// States without any.
    pub ends: usize,
    /// Transitions that run into a fault, which are not followed.
    pub faults: usize,
}

pub fn read(text: &str, options: Options) -> Interpreter {
    let source = SourceText::new("test", text);
    let lowered = match elnath_estelle::read(&source, options) {
        Ok((lowered, _)) => lowered,
        Err(messages) => {
            panic!("{}", messages.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
        }
    };
    if let Err(violations) = elnath_program::verify::verify(&lowered.program) {
        panic!("{}", violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
    }
    Interpreter::new(lowered.program).expect("an initial state")
}

pub fn walk(system: &Interpreter) -> Count {
    let mut stepper = system.stepper();
    let (mut initial, mut next, mut enabled) = (Vec::new(), Vec::new(), Vec::<Transition>::new());
    stepper.initial(&mut initial);
    let mut seen = HashSet::from([initial.clone()]);
    let mut todo = vec![initial];
    let mut count = Count { states: 0, transitions: 0, ends: 0, faults: 0 };
    while let Some(state) = todo.pop() {
        count.states += 1;
        stepper.enabled(&state, &mut enabled);
        count.ends += usize::from(enabled.is_empty());
        let mut triples = HashSet::new();
        for &t in &enabled {
            let action = stepper.action(&state, t);
            if stepper.fire(&state, t, &mut next).is_err() {
                count.faults += 1;
                continue;
            }
            if triples.insert((action, next.clone())) {
                count.transitions += 1;
            }
            if seen.len() < 100_000 && seen.insert(next.clone()) {
                todo.push(next.clone());
            }
        }
    }
    count
}

pub fn count(text: &str) -> Count {
    count_as(text, Options::default())
}

pub fn count_as(text: &str, options: Options) -> Count {
    walk(&read(text, options))
}

/// Whether a proposition is true in the last state of a specification that goes straight to its end.
pub fn holds_at_end(text: &str, asked: &str) -> bool {
    let source = SourceText::new("test", text);
    let (mut lowered, _) = elnath_estelle::read(&source, Options::default()).expect("a good text");
    let formula = SourceText::new("formula", asked);
    let expr = match proposition(&lowered.names, &formula, 0..asked.len()) {
        Ok(expr) => expr,
        Err(messages) => panic!("{messages:?}"),
    };
    lowered.program.propositions.push((asked.to_owned(), expr));
    let system = Interpreter::new(lowered.program).expect("an initial state");
    let mut stepper = system.stepper();
    let (mut state, mut next, mut enabled) = (Vec::new(), Vec::new(), Vec::new());
    stepper.initial(&mut state);
    loop {
        stepper.enabled(&state, &mut enabled);
        let Some(&t) = enabled.first() else { break };
        stepper.fire(&state, t, &mut next).expect("no fault");
        std::mem::swap(&mut state, &mut next);
    }
    let propositions = stepper.propositions().expect("it has some");
    assert_eq!(propositions.proposition_fault(&state, 0), None);
    propositions.valuation(&state) & 1 == 1
}
