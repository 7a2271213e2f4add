//! Machine code must agree with the interpreter: the same successors of every state, in the same order, with the same
//! transitions and faults, and the same commands never executed.

mod models;

use elnath_jit::{Compiled, NotCompiled};
use elnath_kernel::successors::Way;
use elnath_kernel::{Successors, System as _};
use elnath_program::Interpreter;
use elnath_program::ir::{Capacity, Effect, Program};
use elnath_testkit::{random_program, random_promela, random_rarities};
use models::{interpreter_of, models_in};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

/// How much was compared.
#[derive(Default)]
struct Compared {
    states: u64,
    transitions: u64,
    /// States in which some proposition holds.
    propositions: u64,
    /// Programs that are not compiled.
    left_out: u64,
    /// Programs that were given up because of a state with too many successors.
    endless: u64,
}

/// A state with more successors than this comes from an atomic sequence that nobody would write; comparing a program
/// full of them takes minutes.
const MOST_SUCCESSORS: usize = 10_000;

/// Walks up to `most` states of a program with both engines.
fn compare(name: &str, system: &Arc<Interpreter>, most: usize, compared: &mut Compared) {
    let compiled = match Compiled::new(Arc::clone(system)) {
        Ok(compiled) => compiled,
        Err(NotCompiled::Processor) => panic!("{name}: no machine code"),
        Err(NotCompiled::Priorities | NotCompiled::UnboundedChannels) => {
            compared.left_out += 1;
            return;
        }
    };
    let (mut ours, mut theirs) = (compiled.stepper(), system.stepper());
    let (mut by_code, mut by_interpreter) = (Successors::default(), Successors::default());
    let mut initial = Vec::new();
    ours.initial(&mut initial);
    let mut seen = HashSet::from([initial.clone()]);
    let mut queue = vec![initial];
    while let Some(state) = queue.pop() {
        let (a, b) = (ours.valuation(&state), theirs.valuation(&state));
        assert_eq!(a, b, "{name}: propositions in {}", system.show_state(&state));
        compared.propositions += u64::from(a != 0);
        ours.successors(&state, &mut by_code);
        theirs.successors(&state, &mut by_interpreter);
        let differ = || {
            let list = |successors: &Successors| {
                let lines: Vec<String> = successors
                    .iter()
                    .map(|s| format!("{:#x} {:?} {}", s.transition.0, s.fault, system.show_state(s.state)))
                    .collect();
                lines.join("\n  ")
            };
            format!(
                "{name}: in {}\nmachine code\n  {}\ninterpreter\n  {}",
                system.show_state(&state),
                list(&by_code),
                list(&by_interpreter)
            )
        };
        assert_eq!(by_code.len(), by_interpreter.len(), "{}", differ());
        for (a, b) in by_code.iter().zip(by_interpreter.iter()) {
            assert!(a.transition == b.transition && a.state == b.state && a.fault == b.fault, "{}", differ());
            if seen.len() < most && !seen.contains(a.state) {
                seen.insert(a.state.to_vec());
                queue.push(a.state.to_vec());
            }
        }
        if by_code.len() > MOST_SUCCESSORS {
            compared.endless += 1;
            return;
        }
        compared.states += 1;
        compared.transitions += by_code.len() as u64;
        if compared.states.is_multiple_of(3) {
            // What products put behind the states must not get into the next ones.
            let ways = [Way { bits: 1 << 62, tail: [0xa5, 0x5a] }, Way { bits: 1 << 63, tail: [0xc3, 0x3c] }];
            let ways = &ways[..1 + seen.len() % 2];
            by_code.with_room(2, |out| ours.successors(&state, out));
            by_code.join(2, ways);
            let joined = by_interpreter.iter().flat_map(|s| ways.iter().map(move |way| (s, way)));
            assert_eq!(by_code.len(), by_interpreter.len() * ways.len(), "{name}");
            for (a, (b, way)) in by_code.iter().zip(joined) {
                let (t, state) = (b.transition.0 | way.bits, [b.state, &way.tail].concat());
                assert!(a.transition.0 == t && a.state == state, "{name}: {:?}, not {state:?}", a.state);
            }
        }
    }
    assert_eq!(ours.unfired(), theirs.unfired(), "{name}");
}

/// How many random programs: `ELNATH_PROGRAMS=20000 cargo test --release -p elnath-jit` is the campaign.
fn programs() -> u64 {
    std::env::var("ELNATH_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(400)
}

/// A random program without what is not compiled: priorities, and channels without bound.
fn compilable_program(seed: u64) -> Program {
    let mut program = random_program(seed);
    for channel in &mut program.channels {
        if channel.capacity == Capacity::Unbounded {
            channel.capacity = Capacity::Bounded(3);
        }
    }
    program.has_priorities = false;
    for command in program.processes.iter_mut().flat_map(|process| &mut process.commands) {
        command.effects.retain(|effect| !matches!(effect, Effect::SetPriority { .. }));
        for effect in &mut command.effects {
            if let Effect::Run { priority, .. } = effect {
                *priority = None;
            }
        }
    }
    program
}

#[test]
fn on_random_programs() {
    let mut compared = Compared::default();
    for seed in 0..programs() {
        if let Ok(system) = Interpreter::new(compilable_program(seed)) {
            compare(&format!("program {seed}"), &Arc::new(system), 300, &mut compared);
        }
    }
    assert!(compared.transitions > 10 * programs(), "{}", compared.transitions);
    assert!(compared.left_out + compared.endless < programs() / 2, "too few were compared");
    assert!(compared.propositions > programs(), "{}", compared.propositions);
}

#[test]
fn on_random_models() {
    let mut compared = Compared::default();
    for seed in 0..programs() / 3 {
        if let Some(system) = of_promela(random_promela(seed)) {
            compare(&format!("model {seed}"), &system, 500, &mut compared);
        }
    }
    assert!(compared.transitions > 10 * programs(), "{}", compared.transitions);
}

/// Models made of rare constructs. Those with priorities are not compiled.
#[test]
fn on_rare_constructs() {
    let mut compared = Compared::default();
    for seed in 0..programs() {
        let system = of_promela(random_rarities(seed)).unwrap_or_else(|| panic!("model {seed} is refused"));
        compare(&format!("rare {seed}"), &system, 300, &mut compared);
    }
    assert!(compared.transitions > 10 * programs(), "{}", compared.transitions);
    assert!(compared.left_out < programs() / 2, "too few were compared");
}

fn of_promela(text: String) -> Option<Arc<Interpreter>> {
    let mut files = std::collections::HashMap::from([("model.pml".to_owned(), text)]);
    let options = elnath_promela::Options::default();
    let (model, _) = elnath_promela::parse(&mut files, "model.pml", &options).ok()?;
    let lowered = elnath_promela::lower(&model, "model.pml").ok()?;
    Interpreter::new(lowered.program).ok().map(Arc::new)
}

#[test]
fn on_our_own_models() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut models = Vec::new();
    models_in(&root.join("tests/cases/promela"), &mut models);
    models_in(&root.join("examples"), &mut models);
    assert!(models.len() > 50);
    let mut compared = Compared::default();
    for path in models {
        if let Some(system) = interpreter_of(&path) {
            compare(&path.display().to_string(), &system, 5000, &mut compared);
        }
    }
    assert!(compared.states > 2000, "{}", compared.states);
}

/// Models by other people, where they are at hand; `ELNATH_REFERENCE=all` goes further into each.
#[test]
#[allow(clippy::print_stderr)] // The one thing a test says when it has nothing to test.
fn on_other_peoples_models() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/promela");
    let mut models = Vec::new();
    models_in(&folder, &mut models);
    if models.is_empty() {
        eprintln!("no corpus beside the working tree: nothing to compare");
        return;
    }
    let all = std::env::var("ELNATH_REFERENCE").is_ok_and(|value| value == "all");
    let most = if all { 200_000 } else { 1500 };
    let mut compared = Compared::default();
    for path in models {
        if let Some(system) = interpreter_of(&path) {
            compare(&path.display().to_string(), &system, most, &mut compared);
        }
    }
    assert!(compared.states > 100_000, "{}", compared.states);
}
