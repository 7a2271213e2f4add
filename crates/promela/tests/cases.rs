//! Our own models, from text to states, without anything between: the front end and the interpreter in one process.
//!
//! The command line is tested on the same models in every way it can search them. This walk is the simplest there is, so
//! that it tells which lines of the front end and of the interpreter the models reach (`docs/campaigns.md`, coverage).

use elnath_kernel::System;
use elnath_program::interpreter::Interpreter;
use elnath_promela::{FileSystem, Lowered, Options, lower, parse};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn files(directory: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(directory)
        .expect("the cases are there")
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, out);
        } else if path.extension().is_some_and(|ending| ending == "pml") {
            out.push(path);
        }
    }
}

/// The number of states that a plain check is expected to find.
fn expected(text: &str) -> Option<u64> {
    let directives = text.lines().filter_map(|line| line.strip_prefix("//! ")?.split_once("=>"));
    let mut plain = directives.filter(|(options, _)| options.trim() == "check --all-errors");
    let (_, figures) = plain.next()?;
    figures.split_whitespace().find_map(|word| word.strip_prefix("states=")?.parse().ok())
}

/// The number of states, as far as `most`.
fn states(system: &dyn System, most: usize) -> u64 {
    let mut stepper = system.stepper();
    let (mut state, mut transitions, mut next) = (Vec::new(), Vec::new(), Vec::new());
    stepper.initial(&mut state);
    let mut seen = HashSet::from([state.clone()]);
    let mut queue = vec![state];
    while let Some(state) = queue.pop() {
        stepper.enabled(&state, &mut transitions);
        for &transition in &transitions {
            // Faults are counted elsewhere; a run goes on after them.
            let _ = stepper.fire(&state, transition, &mut next);
            if seen.len() < most && seen.insert(next.clone()) {
                queue.push(next.clone());
            }
        }
    }
    seen.len() as u64
}

#[test]
fn every_model_has_the_expected_number_of_states() {
    let mut paths = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/promela"), &mut paths);
    let mut compared = 0;
    for path in paths {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(&path).expect("a model");
        let lowered =
            parse(&mut FileSystem, &name, &Options::default()).and_then(|(model, _)| lower(&model, &name));
        let program = match lowered {
            Ok(Lowered { program, trace: None, .. }) => program,
            Ok(_) => continue,
            Err(messages) => {
                // Some cases are there to be refused, but not for a mistake of ours, and they have no figures.
                let told: Vec<String> = messages.iter().map(ToString::to_string).collect();
                let told = told.join("\n");
                assert!(!told.contains("internal error") && expected(&text).is_none(), "{name}: {told}");
                continue;
            }
        };
        let interpreter = Arc::new(Interpreter::new(program).expect("an initial state"));
        let found = states(&*interpreter, 20_000);
        if let Some(expected) = expected(&text) {
            assert_eq!(found, expected, "states of {name}");
            compared += 1;
        }
    }
    assert!(compared > 40, "only {compared} models have figures");
}
