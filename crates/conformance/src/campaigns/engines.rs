//! Machine code must agree with the interpreter: the same successors of every state, in the same order, with the same
//! transitions and faults, and the same commands never executed.

use super::Part;
use super::walks::specified_program;
use crate::files::{PROMELA, interpreter_of, own_models};
use crate::trial::{Case, Trial, counts};
use elnath_jit::{Compiled, NotCompiled};
use elnath_kernel::successors::Way;
use elnath_kernel::{Describe, Successors, System as _};
use elnath_program::Interpreter;
use elnath_program::ir::{Capacity, Effect, Program};
use elnath_program::text::print;
use elnath_testkit::{
    random_lean_program_with_gates, random_program, random_program_with_gates, random_promela,
    random_rarities,
};
use std::collections::HashSet;
use std::sync::Arc;

pub(super) const PARTS: &[Part] = &[
    Part { name: "programs", meaning: "random programs", run: random_programs },
    Part { name: "models", meaning: "random Promela models", run: random_models },
    Part { name: "rare", meaning: "models made of rare constructs", run: rare_constructs },
    Part { name: "own", meaning: "our own models", run: own },
    Part { name: "people", meaning: "models by other people, where they are at hand", run: people },
    Part { name: "gates", meaning: "random programs whose processes meet at gates", run: at_gates },
    Part { name: "specifications", meaning: "random LOTOS specifications as programs", run: specifications },
];

counts! {
    /// How much was compared.
    struct Compared {
        states,
        transitions,
        /// States in which some proposition holds.
        propositions,
        /// Programs that are not compiled.
        left_out,
        /// Programs that were given up because of a state with too many successors.
        endless,
    }
}

/// A state with more successors than this comes from an atomic sequence that nobody would write; comparing a program
/// full of them takes minutes.
const MOST_SUCCESSORS: usize = 10_000;

/// Walks up to `most` states of a program with both engines.
fn compare(
    name: &str,
    system: &Arc<Interpreter>,
    most: usize,
    compared: &mut Compared,
) -> Result<(), &'static str> {
    let compiled = match Compiled::new(Arc::clone(system)) {
        Ok(compiled) => compiled,
        Err(NotCompiled::Processor) => panic!("{name}: no machine code"),
        Err(NotCompiled::Priorities | NotCompiled::UnboundedChannels) => {
            compared.left_out += 1;
            return Err("not compiled");
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
            return Err("with too many successors");
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
    Ok(())
}

/// A random program without what is not compiled: priorities, and channels without bound.
fn compilable_program(case: &Case) -> Program {
    compilable(case, random_program(case.seed))
}

fn compilable(case: &Case, mut program: Program) -> Program {
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
    case.keep(print(&program));
    program
}

fn random_programs(trial: &mut Trial<'_>) {
    let compared = trial.cases(0..400, |case, compared: &mut Compared| {
        let system = Interpreter::new(compilable_program(case)).map_err(|_| "refused")?;
        compare(&format!("program {}", case.seed), &Arc::new(system), 300, compared)
    });
    let asked = trial.asked();
    trial.enough(compared.transitions > 10 * asked, "transitions");
    trial.enough(compared.left_out + compared.endless < asked / 2, "programs");
    trial.enough(compared.propositions > asked, "propositions");
}

fn at_gates(trial: &mut Trial<'_>) {
    let compared = trial.cases(0..400, |case, compared: &mut Compared| {
        let make = if case.seed.is_multiple_of(2) {
            random_program_with_gates
        } else {
            random_lean_program_with_gates
        };
        let system = Interpreter::new(compilable(case, make(case.seed))).map_err(|_| "refused")?;
        compare(&format!("program {}", case.seed), &Arc::new(system), 300, compared)
    });
    let asked = trial.asked();
    trial.enough(compared.transitions > 10 * asked, "transitions");
    trial.enough(compared.left_out + compared.endless < asked / 2, "programs");
}

fn specifications(trial: &mut Trial<'_>) {
    let compared = trial.cases(0..400, |case, compared: &mut Compared| {
        let program = specified_program(case).ok_or("refused")?;
        let system = Interpreter::new(program).map_err(|_| "refused")?;
        compare(&format!("specification {}", case.seed), &Arc::new(system), 300, compared)
    });
    trial.enough(compared.transitions > 5 * trial.asked(), "transitions");
}

fn random_models(trial: &mut Trial<'_>) {
    let compared = trial.cases(0..133, |case, compared: &mut Compared| {
        let system = of_promela(case.keep(random_promela(case.seed))).ok_or("refused")?;
        compare(&format!("model {}", case.seed), &system, 500, compared)
    });
    trial.enough(compared.transitions > 30 * trial.asked(), "transitions");
}

/// Models made of rare constructs. Those with priorities are not compiled.
fn rare_constructs(trial: &mut Trial<'_>) {
    let compared = trial.cases(0..400, |case, compared: &mut Compared| {
        let system = of_promela(case.keep(random_rarities(case.seed))).expect("the model is accepted");
        compare(&format!("rare {}", case.seed), &system, 300, compared)
    });
    let asked = trial.asked();
    trial.enough(compared.transitions > 10 * asked, "transitions");
    trial.enough(compared.left_out < asked / 2, "models");
}

fn of_promela(text: String) -> Option<Arc<Interpreter>> {
    let mut files = std::collections::HashMap::from([("model.pml".to_owned(), text)]);
    let options = elnath_promela::Options::default();
    let (model, _) = elnath_promela::parse(&mut files, "model.pml", &options).ok()?;
    let lowered = elnath_promela::lower(&model, "model.pml").ok()?;
    Interpreter::new(lowered.program).ok().map(Arc::new)
}

fn own(trial: &mut Trial<'_>) {
    let models = own_models();
    let compared = trial.files(&models, 1, |path, _, compared: &mut Compared| {
        let system = interpreter_of(path).ok_or("refused")?;
        compare(&path.display().to_string(), &system, 5000, compared)
    });
    trial.enough(models.len() > 50 && compared.states > 2000, "states");
}

/// Models by other people; a campaign goes further into each.
fn people(trial: &mut Trial<'_>) {
    let most = trial.states(if trial.is_thorough() { 200_000 } else { 1500 }) as usize;
    let models = trial.outside(&[("promela", PROMELA)]);
    let compared = trial.files(&models, 1, |path, _, compared: &mut Compared| {
        let system = interpreter_of(path).ok_or("refused")?;
        compare(&path.display().to_string(), &system, most, compared)
    });
    trial.enough(models.is_empty() || compared.states > 100_000, "states");
}
