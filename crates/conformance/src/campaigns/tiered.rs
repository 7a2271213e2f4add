//! A program that is compiled when it is worth it: the same successors before, while and after the walker changes over; and
//! what steppers tell of the work that they do, by which searches know when to look at the clock.

use super::Part;
use crate::files::{PROMELA, interpreter_of, models_in, own_models, root};
use crate::trial::{Trial, counts};
use elnath_jit::Compiled;
#[cfg(test)]
use elnath_kernel::search::sample;
use elnath_kernel::{Describe, Successors, System};
use elnath_program::Interpreter;
#[cfg(test)]
use std::collections::HashMap;
use std::collections::HashSet;
use std::sync::Arc;

pub(super) const PARTS: &[Part] =
    &[Part { name: "tiered", meaning: "our own models, compiled in the middle of a walk", run: change_over }];

counts! {
    /// Walks that were long enough for a change-over.
    struct Walks { long }
}

#[cfg(test)]
fn interpreter(text: &str) -> Arc<Interpreter> {
    let mut files = HashMap::from([("model.pml".to_owned(), text.to_owned())]);
    let options = elnath_promela::Options::default();
    let (model, _) = elnath_promela::parse(&mut files, "model.pml", &options).expect("a model");
    let lowered = elnath_promela::lower(&model, "model.pml").expect("a program");
    Arc::new(Interpreter::new(lowered.program).expect("an initial state"))
}

/// Walks up to so many states with both, and compares; whether the walk was long enough for a change-over.
fn compare(name: &str, interpreter: &Arc<Interpreter>, most: usize) -> bool {
    let Ok(tiered) = Compiled::when_worth_it(Arc::clone(interpreter)) else { return false };
    let (mut ours, mut theirs) = (tiered.stepper(), interpreter.stepper());
    let (mut one, mut other, mut initial) = (Successors::default(), Successors::default(), Vec::new());
    ours.initial(&mut initial);
    let mut seen = HashSet::from([initial.clone()]);
    let (mut queue, mut work) = (vec![initial], 0);
    while let Some(state) = queue.pop() {
        ours.successors(&state, &mut one);
        theirs.successors(&state, &mut other);
        let list = |successors: &Successors| {
            successors.iter().map(|s| (s.transition, s.fault, s.state.to_vec())).collect::<Vec<_>>()
        };
        assert_eq!(list(&one), list(&other), "{name}: {}", interpreter.show_state(&state));
        assert_eq!(ours.valuation(&state), theirs.valuation(&state), "{name}");
        assert!(ours.work() >= work, "{name}: work is never taken back");
        work = ours.work();
        for successor in one.iter() {
            if seen.len() < most && seen.insert(successor.state.to_vec()) {
                queue.push(successor.state.to_vec());
            }
        }
    }
    let sorted = |mut actions: Vec<elnath_kernel::Action>| {
        actions.sort_unstable_by_key(|action| action.0);
        actions
    };
    assert_eq!(sorted(ours.unfired()), sorted(theirs.unfired()), "{name}");
    let commands: usize = interpreter.program().processes.iter().map(|process| process.commands.len()).sum();
    theirs.work() > 200 * commands as u64
}

fn change_over(trial: &mut Trial<'_>) {
    let mut models = own_models();
    models_in(&root().join("bench/models"), PROMELA, &mut models);
    let walks = trial.files(&models, 1, |path, _, walks: &mut Walks| {
        let interpreter = interpreter_of(path).ok_or("refused")?;
        walks.long += u64::from(compare(&path.display().to_string(), &interpreter, 6000));
        Ok(())
    });
    trial.enough(walks.long > 5, "walks that were long enough");
}

/// Statements within an atomic sequence are work, by either engine.
#[test]
fn atomic_sequences_are_work() {
    let interpreter = interpreter(
        "byte n; active proctype P() { do :: atomic { n = 0; do :: n < 200 -> n++ :: else -> break od } od }",
    );
    let compiled = Compiled::new(Arc::clone(&interpreter)).expect("machine code");
    for system in [&*interpreter as &dyn System, &compiled] {
        let (mut stepper, mut state, mut successors) = (system.stepper(), Vec::new(), Successors::default());
        stepper.initial(&mut state);
        stepper.successors(&state, &mut successors);
        assert!(stepper.work() >= 100, "{}", stepper.work());
    }
}

/// Large states are work, and a store that wants to know what states look like does not get gigabytes of them.
#[test]
fn large_states_are_work() {
    let interpreter = interpreter("int a[60000]; active proctype P() { do :: a[7] = 1 - a[7] od }");
    let compiled = Compiled::new(Arc::clone(&interpreter)).expect("machine code");
    for system in [&*interpreter as &dyn System, &compiled] {
        let (mut stepper, mut state, mut successors) = (system.stepper(), Vec::new(), Successors::default());
        stepper.initial(&mut state);
        stepper.successors(&state, &mut successors);
        assert!(stepper.work() >= 200, "{}", stepper.work());
        let bytes: usize = sample(system, 2000, 1).iter().map(Vec::len).sum();
        assert!(bytes > 1 << 20 && bytes < 2 << 20, "{bytes}");
    }
}
