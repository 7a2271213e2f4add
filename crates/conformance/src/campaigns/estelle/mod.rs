//! Estelle: specifications as programs, walked by the interpreter and by machine code, against a naive interpreter that was written apart.
//!
//! The naive interpreter reads the structure that the text was made of, so that the parser, the clauses that groups share, the tree of modules
//! and the lowering are all compared. Transitions are distinct pairs of states, since a step of modules that move together has no label that
//! both sides would agree on.

mod model;
mod naive;

use super::Part;
use crate::trial::{Trial, counts};
use elnath::{
    Blocked, Check, Delays, Engine, EstelleOptions, LoadOptions, Reductions, Stepping, Verdict, load,
};
use elnath_kernel::rng::Rng;
use elnath_kernel::{System, Transition};
use elnath_program::Interpreter;
use elnath_source::{SourceText, codes};
use model::{Kind, Specification};
use naive::{Found, Naive, Reading};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

pub(super) const PARTS: &[Part] = &[
    Part {
        name: "specifications",
        meaning: "states, transitions, deadlocks and unspecified receptions of random static specifications, in all ways of stepping",
        run: specifications,
    },
    Part { name: "texts", meaning: "any text is a specification, or is complained about", run: texts },
];

/// Larger ones are left out.
const MOST: usize = 4_000;

fn specifications(trial: &mut Trial<'_>) {
    counts! {
        struct Seen {
            specifications, states, select, ticks, together, priorities, delays, common, twins, faults, deadlock,
            unspecified, reduced,
        }
    }
    let seen = trial.cases(0..300, |case, seen: &mut Seen| {
        let mut rng = Rng::new(case.seed);
        let specification = Specification::random(&mut rng);
        let text = case.keep(specification.text(&mut rng));
        let reading = Reading { select: rng.below(3) == 0, ticks: rng.below(2) == 0 };
        let naive = Naive { specification: &specification, reading };
        let Some(expected) = naive.explore(MOST) else { return Err("too large") };
        let together =
            specification.systems.iter().any(|(kind, _)| matches!(kind, Kind::Process | Kind::Mixed));
        // A fault ends a step of several modules in the middle, where the two sides need not be at the same place.
        if expected.faulty > 0 && together {
            return Err("with a fault of modules that move together");
        }
        let engine = if rng.below(2) == 0 { Engine::Jit } else { Engine::Interpreter };
        let options = LoadOptions {
            language: Some("estelle".to_owned()),
            input: Some(Arc::from(text.as_str())),
            engine,
            estelle: EstelleOptions {
                stepping: if reading.select { Stepping::Select } else { Stepping::Atomic },
                delays: if reading.ticks { Delays::Ticks } else { Delays::Untimed },
                ..EstelleOptions::default()
            },
            ..LoadOptions::default()
        };
        let loaded = load(Path::new("-"), &options).unwrap_or_else(|error| {
            panic!("seed {}: refused: {}\n{text}", case.seed, error.into_messages()[0])
        });
        let walked = walk(&*loaded.system);
        let wanted = (expected.states, expected.steps, expected.ends, expected.faulty);
        assert_eq!(
            walked, wanted,
            "seed {}, {reading:?}: states, steps, ends, states with faults\n{text}",
            case.seed
        );
        if !specification.can_fail() {
            seen.reduced += u64::from(verdicts(&loaded, &expected, &mut rng, case.seed, &text));
            seen.deadlock += u64::from(expected.deadlock);
            seen.unspecified += u64::from(expected.unspecified);
        }
        seen.specifications += 1;
        seen.states += expected.states as u64;
        seen.select += u64::from(reading.select);
        seen.ticks += u64::from(reading.ticks && specification.has(|transition| transition.delay.is_some()));
        seen.together += u64::from(together);
        seen.priorities += u64::from(specification.has(|transition| transition.priority.is_some()));
        seen.delays += u64::from(specification.has(|transition| transition.delay.is_some()));
        seen.common += u64::from(
            specification.modules.iter().any(|module| module.points.iter().any(|(_, common)| *common)),
        );
        seen.twins += u64::from(specification.has(|transition| transition.otherwise));
        seen.faults += u64::from(expected.faulty > 0);
        Ok(())
    });
    let kinds = [
        seen.select,
        seen.ticks,
        seen.together,
        seen.priorities,
        seen.delays,
        seen.common,
        seen.twins,
        seen.faults,
        seen.deadlock,
        seen.unspecified,
        seen.reduced,
    ];
    trial.enough(kinds.iter().all(|&kind| kind > trial.asked() / 200), "kinds of specifications");
}

/// States, distinct pairs of states, states without transitions, and states with a transition that runs into a fault.
fn walk(system: &dyn System) -> (usize, usize, usize, usize) {
    let mut stepper = system.stepper();
    let (mut initial, mut next, mut enabled) = (Vec::new(), Vec::new(), Vec::<Transition>::new());
    stepper.initial(&mut initial);
    let mut numbers: HashMap<Vec<u8>, usize> = HashMap::from([(initial.clone(), 0)]);
    let mut todo = vec![initial];
    let (mut at, mut steps, mut ends, mut faulty) = (0, 0, 0, 0);
    while at < todo.len() {
        let state = todo[at].clone();
        at += 1;
        stepper.enabled(&state, &mut enabled);
        ends += usize::from(enabled.is_empty());
        let (mut targets, mut fails) = (BTreeSet::new(), false);
        for &t in &enabled {
            if stepper.fire(&state, t, &mut next).is_err() {
                fails = true;
                continue;
            }
            let fresh = numbers.len();
            targets.insert(*numbers.entry(next.clone()).or_insert_with(|| {
                todo.push(next.clone());
                fresh
            }));
        }
        steps += targets.len();
        faulty += usize::from(fails);
    }
    (todo.len(), steps, ends, faulty)
}

/// Compares the verdicts of a check; whether a reduction left states out.
fn verdicts(loaded: &elnath::Loaded, expected: &Found, rng: &mut Rng, seed: u64, text: &str) -> bool {
    let mut wanted = BTreeSet::new();
    if expected.deadlock {
        wanted.insert(Blocked::Deadlock.name().to_owned());
    }
    if expected.unspecified {
        wanted.insert(Blocked::UnspecifiedReception.name().to_owned());
    }
    let mut reduced = false;
    for reductions in [Reductions::USUAL, Reductions::NONE] {
        let threads = 1 + rng.below(2) as usize;
        let report = Check::loaded(loaded).reductions(reductions).threads(threads).run();
        let report = report.unwrap_or_else(|problem| panic!("seed {seed}: {problem}\n{text}"));
        let fails = report.properties.iter().filter(|property| matches!(property.verdict, Verdict::Fails(_)));
        let found: BTreeSet<String> = fails.filter_map(|property| property.name.clone()).collect();
        assert_eq!(found, wanted, "seed {seed}, {reductions:?}\n{text}");
        let walked = report.properties.iter().map(|property| property.figures.counters.states).max();
        reduced |= walked < Some(expected.states as u64) && wanted.is_empty();
    }
    reduced
}

/// Specifications of our own, which texts are made of besides random ones.
const SEEDS: [&str; 7] = [
    include_str!("../../../../../examples/estelle/alternating-bit.est"),
    include_str!("../../../../../examples/estelle/common-queue.est"),
    include_str!("../../../../../examples/estelle/flood.est"),
    include_str!("../../../../../examples/estelle/priority.est"),
    include_str!("../../../../../examples/estelle/connection.est"),
    include_str!("../../../../../tests/cases/estelle/common_queue.est"),
    include_str!("../../../../../tests/cases/estelle/constructs.est"),
];

/// Words and signs that change how a text is read.
const WORDS: [&str; 30] = [
    "{",
    "}",
    "(*",
    "*)",
    "begin ",
    "end; ",
    "end ",
    "trans ",
    "from ",
    "when ",
    "provided ",
    "otherwise ",
    "any i: 0..1 do ",
    "delay (1, *) ",
    "priority 1 ",
    "initialize ",
    "body B for M; ",
    "record ",
    "array [0..1] of ",
    "set of ",
    "^",
    "...",
    "..",
    ":= ",
    "'",
    "\u{e9}",
    "\0",
    "999999999999",
    "[",
    "(",
];

/// A text that is one of ours with small changes: words are left out, doubled, exchanged and taken from another.
fn changed(rng: &mut Rng) -> String {
    let pick = |rng: &mut Rng| {
        if rng.chance(50) { Specification::random(rng).text(rng) } else { rng.pick(&SEEDS).to_owned() }
    };
    let (text, other) = (pick(rng), pick(rng));
    let split = [' ', '\n', ';', '[', ']', '(', ')', ',', '.'];
    let mut words: Vec<&str> = text.split_inclusive(split).collect();
    let others: Vec<&str> = other.split_inclusive(split).collect();
    let most = rng.pick(&[1, 1, 6]);
    for _ in 0..1 + rng.below(most) {
        let at = rng.below(words.len() as u64) as usize;
        let second = rng.below(words.len() as u64) as usize;
        let foreign = rng.below(others.len() as u64) as usize;
        match rng.below(9) {
            0 if words.len() > 1 => _ = words.remove(at),
            0 | 1 => words.insert(at, words[second]),
            2 => words.swap(at, second),
            3 => words.insert(at, others[foreign]),
            4 | 5 => words.insert(at, WORDS[rng.below(WORDS.len() as u64) as usize]),
            6 => {
                let end = (at + 1 + rng.below(20) as usize).min(words.len());
                words.drain(at..end);
                words.push(" ");
            }
            7 => words.truncate(at + 1),
            _ => (0..rng.below(400)).for_each(|_| words.insert(at, "(")),
        }
    }
    let mut text = words.concat();
    for _ in 0..rng.below(3) {
        let at = rng.below(text.len() as u64 + 1) as usize;
        if text.is_char_boundary(at) {
            text.insert(at, char::from(32 + rng.below(95) as u8));
        }
    }
    text
}

/// Any text must be read, and then its program is a good one that can be walked, or complained about with places.
fn texts(trial: &mut Trial<'_>) {
    counts! {
        struct Seen { read, broken }
    }
    let seen = trial.cases(0..600, |case, seen: &mut Seen| {
        let mut rng = Rng::new(case.seed);
        let text = case.keep(changed(&mut rng));
        let options = elnath_estelle::Options {
            integers: (rng.below(2) == 0).then_some((0, 7)),
            stepping: if rng.below(2) == 0 { Stepping::Select } else { Stepping::Atomic },
            delays: if rng.below(2) == 0 { Delays::Ticks } else { Delays::Untimed },
            capacity: (rng.below(3) == 0).then_some(2),
        };
        match elnath_estelle::read(&SourceText::new("random.est", &text), options) {
            Ok((lowered, _)) => {
                seen.read += 1;
                let verified = elnath_program::verify::verify(&lowered.program);
                assert!(verified.is_ok(), "{verified:?}\n{text}");
                let Ok(system) = Interpreter::new(lowered.program) else {
                    return Err("with a fault at the start");
                };
                let (mut stepper, mut enabled) = (system.stepper(), Vec::new());
                let (mut state, mut next) = (Vec::new(), Vec::new());
                stepper.initial(&mut state);
                for _ in 0..20 {
                    stepper.enabled(&state, &mut enabled);
                    if enabled.is_empty() {
                        break;
                    }
                    let t = enabled[rng.below(enabled.len() as u64) as usize];
                    if stepper.fire(&state, t, &mut next).is_err() {
                        break;
                    }
                    std::mem::swap(&mut state, &mut next);
                }
            }
            Err(messages) => {
                seen.broken += 1;
                assert!(!messages.is_empty(), "{text}");
                for message in messages {
                    let without =
                        message.code == Some(codes::EMPTY_MODEL) || message.code == Some(codes::BEYOND_LIMIT);
                    assert!(
                        message.code.is_some() && (without || message.place.is_some()),
                        "{message}\n{text}"
                    );
                }
            }
        }
        Ok(())
    });
    trial.enough(seen.read > 0 && seen.broken > 0, "texts that are read, and texts that are not");
}
