//! Partial order reduction must keep what it promises. Each program is walked in full and reduced, by naive loops over
//! sets of states, and then: the same deadlocks are reached, state by state (or but for the names of processes, if their ends
//! are not to be kept); the same faults are met; the same commands are executed; and no cycle of the reduced graph is without a state in which everything was explored. Reduced for deadlocks
//! only, it must reach the same deadlocks. The interpreter and machine code must leave out the same.

use super::Part;
use super::walks::{
    TOO_LARGE, Walked, corners, meeting_program, of_promela, rare, reducible_program, specified_program,
    walk, with_propositions, without_names,
};
use crate::files::{PROMELA, interpreter_of};
use crate::trial::{Trial, counts};
use elnath_jit::Compiled;
use elnath_kernel::{Describe, Fault, Successors, System, Transition};
use elnath_program::independence::Reduced;
use elnath_program::ir::{Binary, ChannelQuery, Expr, Lvalue, VariableRef};
use elnath_program::{Interpreter, Keep};
use elnath_testkit::{
    CREATION_MODELS, creation_model, random_corners, random_promela, random_rarities, random_tandem,
};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

pub(super) const PARTS: &[Part] = &[
    Part { name: "programs", meaning: "partial order reduction of random programs", run: random_programs },
    Part { name: "models", meaning: "of random Promela models", run: random_models },
    Part { name: "rare", meaning: "of models made of rare constructs", run: rare_constructs },
    Part { name: "tandems", meaning: "of models made to be reduced", run: tandems },
    Part { name: "corners", meaning: "where a process notices what another one does", run: noticed },
    Part { name: "creation", meaning: "where processes are created one by one and end", run: created },
    Part { name: "watched", meaning: "with propositions about shared variables and a channel", run: watched },
    Part { name: "people", meaning: "of models that people wrote", run: people },
    Part { name: "gates", meaning: "of programs whose processes meet at gates", run: meetings },
    Part {
        name: "specifications",
        meaning: "of random LOTOS specifications as programs",
        run: specifications,
    },
];

counts! {
    /// What was compared.
    struct Compared {
        programs,
        states,
        reduced_states,
        /// With the ends of processes kept.
        strict_states,
        /// With nothing but deadlocks kept.
        fewest_states,
        /// Programs with fewer states than before.
        smaller,
        deadlocks,
        faults,
        changes,
    }
}

/// Compares the walks of a program, in full and reduced; `None` if it is too large, or not to be reduced.
fn compare(name: &str, system: &Arc<Interpreter>, most: usize, compared: &mut Compared) -> Option<()> {
    let strict = Keep { ends: true, ..Keep::default() };
    reduced(system, strict).ok()?;
    let full = walk(&mut *system.stepper(), most, |_, _| {});
    if full.cut {
        return None;
    }
    // First with the ends of processes among what is kept: then deadlocks are the same, state by state. Then without, which
    // leaves out more of a program whose processes have no names; deadlocks are the same but for these.
    let small = compare_keeping(name, system, most, strict, &full);
    if let Some(deadlock) = full.deadlocks.symmetric_difference(&small.deadlocks).next() {
        panic!("{name}: the deadlock {} is found by one of the walks only", system.show_state(deadlock));
    }
    let least = compare_keeping(name, system, most, Keep::default(), &full);
    let unnamed = |walked: &Walked| without_names(system, &walked.deadlocks);
    if unnamed(&full) != unnamed(&least) {
        panic!("{name}: a deadlock is found by one of the walks only");
    }
    // With nothing but deadlocks to be kept, more may be left out.
    let mut fewest_states = full.states.len();
    for ends in [true, false] {
        let keep = Keep { only_deadlocks: true, ends, ..Keep::default() };
        let Ok(reduced) = reduced(system, keep) else { break };
        let fewest = walk(&mut *reduced.stepper(), most, |_, _| {});
        assert!(!fewest.cut && fewest.states.is_subset(&full.states), "{name}: states that there are not");
        assert!(unnamed(&fewest) == unnamed(&full), "{name}: other deadlocks when nothing else is kept");
        assert!(!ends || fewest.deadlocks == full.deadlocks, "{name}: other deadlocks with ends");
        fewest_states = fewest.states.len();
    }
    compared.programs += 1;
    compared.states += full.states.len() as u64;
    compared.strict_states += small.states.len() as u64;
    compared.reduced_states += least.states.len() as u64;
    compared.fewest_states += fewest_states as u64;
    compared.smaller += u64::from(least.states.len() < full.states.len());
    compared.deadlocks += full.deadlocks.len() as u64;
    compared.faults += full.faults.len() as u64;
    compared.changes += full.changes.len() as u64;
    Some(())
}

/// A program with partial order reduction, by the interpreter.
fn reduced(system: &Arc<Interpreter>, keep: Keep) -> Result<Reduced<'static>, &'static str> {
    Reduced::of(Arc::clone(system) as Arc<dyn System>, system, keep)
}

/// Walks a reduced program and compares what must be the same whatever is kept.
fn compare_keeping(name: &str, system: &Arc<Interpreter>, most: usize, keep: Keep, full: &Walked) -> Walked {
    let reduced = reduced(system, keep).expect("another reduction was possible");
    // The states in which only one process was looked at, with where that leads.
    let mut alone: HashMap<Vec<u8>, Vec<Vec<u8>>> = HashMap::new();
    let (mut plain, mut all) = (system.stepper(), Vec::new());
    let compiled = Compiled::new(Arc::clone(system)).ok();
    let compiled = compiled.map(|compiled| Reduced::of(Arc::new(compiled), system, keep).expect("as before"));
    let mut by_code = compiled.as_ref().map(|compiled| compiled.stepper());
    let mut other = Successors::default();
    let mut explored: BTreeMap<Vec<u8>, Vec<Transition>> = BTreeMap::new();
    let small = walk(&mut *reduced.stepper(), most, |state, successors| {
        explored.insert(state.to_vec(), successors.iter().map(|successor| successor.transition).collect());
        plain.enabled(state, &mut all);
        if successors.len() < all.len() {
            let targets = successors.iter().map(|successor| successor.state.to_vec()).collect();
            alone.insert(state.to_vec(), targets);
        }
        let Some(by_code) = &mut by_code else { return };
        by_code.successors(state, &mut other);
        let list = |successors: &Successors| -> Vec<_> {
            successors.iter().map(|s| (s.transition, s.state.to_vec(), s.fault)).collect()
        };
        assert_eq!(list(&other), list(successors), "{name}: machine code in {}", system.show_state(state));
    });
    assert!(!small.cut && small.states.is_subset(&full.states), "{name}: states that there are not");
    if let Some(fault) = full.faults.symmetric_difference(&small.faults).next() {
        panic!("{name}: {} is found by one of the walks only", system.fault_name(Fault(*fault)));
    }
    if let Some(action) = small.unfired.iter().find(|action| !full.unfired.contains(action)) {
        let name_of = system.action_name(elnath_kernel::Action(*action));
        panic!("{name}: {name_of} is no longer executed");
    }
    // Runs are the same up to repetitions, so every change of valuations is on one of them.
    assert_eq!(full.changes, small.changes, "{name}: changes of propositions");
    if let Some(state) = on_a_cycle(&alone) {
        panic!("{name}: a cycle through {} leaves others out", system.show_state(&state));
    }
    // What is left out of a state must not depend on where the walk has been: searches that come again, such as the second
    // of nested search, would miss cycles if other processes stood for all then.
    let mut afresh = reduced.stepper();
    for (state, before) in explored.iter().rev() {
        afresh.successors(state, &mut other);
        let now: Vec<Transition> = other.iter().map(|successor| successor.transition).collect();
        assert_eq!(&now, before, "{name}: another choice in {}", system.show_state(state));
    }
    small
}

/// A state on a cycle of a graph, if there is one: what is left when states that lead nowhere are taken away.
fn on_a_cycle(graph: &HashMap<Vec<u8>, Vec<Vec<u8>>>) -> Option<Vec<u8>> {
    let mut left: HashSet<&Vec<u8>> = graph.keys().collect();
    loop {
        let before = left.len();
        let leads_on = |state: &&Vec<u8>| graph[*state].iter().any(|to| left.contains(to));
        let next: HashSet<&Vec<u8>> = left.iter().copied().filter(|state| leads_on(state)).collect();
        left = next;
        if left.len() == before {
            return left.into_iter().next().cloned();
        }
    }
}

fn random_programs(trial: &mut Trial<'_>) {
    let compared = trial.cases(0..125, |case, compared: &mut Compared| {
        let system = Interpreter::new(reducible_program(case)).map_err(|_| "refused")?;
        compare(&format!("program {}", case.seed), &Arc::new(system), 400, compared).ok_or(TOO_LARGE)
    });
    trial.enough(compared.programs > trial.asked() / 5 && compared.smaller > 0, "programs");
}

/// Processes that meet at gates, put each other elsewhere, and have channels and variables besides.
fn meetings(trial: &mut Trial<'_>) {
    let compared = trial.cases(0..500, |case, compared: &mut Compared| {
        let system = Interpreter::new(meeting_program(case)).map_err(|_| "refused")?;
        compare(&format!("program {}", case.seed), &Arc::new(system), 1500, compared).ok_or(TOO_LARGE)
    });
    let asked = trial.asked();
    trial.enough(compared.programs > asked / 3 && compared.smaller > asked / 25, "programs");
    trial.enough(compared.deadlocks > asked / 2 && compared.faults > asked / 5, "deadlocks and faults");
    trial.enough(compared.changes > asked / 20, "changes of propositions");
}

/// These have nothing but gates, and are put together of many units.
fn specifications(trial: &mut Trial<'_>) {
    let compared = trial.cases(0..500, |case, compared: &mut Compared| {
        let program = specified_program(case).ok_or("refused")?;
        let system = Interpreter::new(program).map_err(|_| "refused")?;
        compare(&format!("specification {}", case.seed), &Arc::new(system), 1500, compared).ok_or(TOO_LARGE)
    });
    let asked = trial.asked();
    trial.enough(compared.programs > asked / 6 && compared.smaller > asked / 25, "specifications");
    trial.enough(compared.states > compared.fewest_states * 11 / 10, "states left out");
    trial.enough(compared.deadlocks > asked / 6 && compared.changes > asked / 10, "deadlocks and changes");
}

fn random_models(trial: &mut Trial<'_>) {
    let compared = trial.cases(0..250, |case, compared: &mut Compared| {
        let system = of_promela(&case.keep(random_promela(case.seed))).map_err(|_| "refused")?;
        compare(&format!("model {}", case.seed), &system, 3000, compared).ok_or(TOO_LARGE)
    });
    let asked = trial.asked();
    trial.enough(compared.programs > asked / 4 && compared.smaller > asked / 20, "models");
}

/// Constructs that people rarely write, but that a reduction must know all the same.
fn rare_constructs(trial: &mut Trial<'_>) {
    let compared = trial.cases(0..500, |case, compared: &mut Compared| {
        let text = case.keep(random_rarities(case.seed));
        compare(&format!("rare {}", case.seed), &rare(case.seed, &text), 2000, compared).ok_or(TOO_LARGE)
    });
    let asked = trial.asked();
    trial.enough(compared.programs > asked / 2 && compared.smaller > asked / 10, "models");
    trial.enough(compared.deadlocks > asked / 2 && compared.faults > asked / 20, "deadlocks and faults");
    trial.enough(compared.changes > asked / 4, "changes of propositions");
}

/// These are made of processes with much to do on their own: that nothing is lost means something only if much is left
/// out.
fn tandems(trial: &mut Trial<'_>) {
    let compared = trial.cases(0..750, |case, compared: &mut Compared| {
        let text = case.keep(random_tandem(case.seed));
        let system = of_promela(&text).unwrap_or_else(|why| panic!("{why}"));
        compare(&format!("tandem {}", case.seed), &system, 6000, compared).ok_or(TOO_LARGE)
    });
    let asked = trial.asked();
    trial.enough(compared.programs > asked / 3 && compared.smaller > compared.programs / 2, "models");
    trial.enough(compared.states > 2 * compared.reduced_states, "states left out");
    trial.enough(compared.deadlocks > asked / 12 && compared.faults > 0, "deadlocks and faults");
}

/// A process notices what another one does, in each of the ways there are.
fn noticed(trial: &mut Trial<'_>) {
    let compared = trial.cases(0..500, |case, compared: &mut Compared| {
        let text = case.keep(random_corners(case.seed));
        compare(&format!("corners {}", case.seed), &corners(case.seed, &text), 3000, compared)
            .ok_or(TOO_LARGE)
    });
    let asked = trial.asked();
    trial.enough(compared.programs > asked / 2 && compared.smaller > asked / 8, "models");
    trial.enough(compared.deadlocks > asked && compared.faults > asked / 40, "deadlocks and faults");
    trial.enough(compared.changes > asked, "changes of propositions");
}

/// Every small model of processes that are created one by one and end: the tests take one in 29, `--seeds 0..17424` is all.
fn created(trial: &mut Trial<'_>) {
    // Every other model with a question, which sometimes counts the processes.
    let value = Expr::Load(Lvalue { variable: VariableRef::Global(0), indices: Vec::new() });
    let is = |value: &Expr, wanted| Expr::Binary(Binary::Eq, Box::new([value.clone(), Expr::Const(wanted)]));
    let compared = trial.cases((0..CREATION_MODELS).step_by(29), |case, compared: &mut Compared| {
        let propositions = match case.seed % 4 {
            0 => vec![("g is 1".to_owned(), is(&value, 1)), ("g is 2".to_owned(), is(&value, 2))],
            1 => vec![("three".to_owned(), is(&Expr::ProcessCount, 3))],
            _ => Vec::new(),
        };
        let text = case.keep(creation_model(case.seed % CREATION_MODELS));
        let system = with_propositions(&text, propositions).unwrap_or_else(|why| panic!("{why}"));
        compare(&format!("creation {}", case.seed), &system, 3000, compared).ok_or(TOO_LARGE)
    });
    trial.enough(
        compared.programs > trial.asked() * 9 / 10 && compared.smaller > compared.programs / 2,
        "models",
    );
    trial.enough(
        compared.reduced_states < compared.strict_states && compared.strict_states < compared.states,
        "states left out",
    );
    trial.enough(compared.deadlocks > compared.programs && compared.faults > 0, "deadlocks and faults");
}

/// The number of a channel outlives the process that made it: whether somebody uses it before or after that process ends
/// decides whether it is a fault, and so does whether another process has been given the number again. Runs go on after a
/// fault, so `x` tells whether there was one.
#[test]
fn numbers_of_channels_that_are_gone_are_used_before_and_after() {
    let ends = "chan k = [1] of { chan };
        proctype B() { chan own = [1] of { byte }; k!own }
        init { byte x; chan z; run B(); k?z; USE; assert(x == 0) }";
    let again = "chan k = [1] of { chan };
        proctype B() { chan own = [1] of { byte }; k!own }
        proctype D() { chan mine = [1] of { byte }; byte x; end: do :: x = 1 - x od }
        proctype R() { run D(); end: false }
        init { byte x; chan z; run B(); (_nr_pr == 1); k?z; run R(); USE; assert(x == 0) }";
    for text in [ends, again] {
        for (how, faults) in [("x = 1 + len(z)", 2), ("z!1; z?x", 3), ("nfull(z); x = 1 + len(z)", 3)] {
            let text = text.replace("USE", how);
            let system = of_promela(&text).unwrap_or_else(|why| panic!("{why}"));
            let mut compared = Compared::default();
            compare(&text, &system, 1000, &mut compared).expect("it is small, and can be reduced");
            assert_eq!(compared.faults, faults, "no channel, and the assertion: {text}");
        }
    }
}

/// Which number a channel has depends on who has ended before; and the same number may be that of another channel.
#[test]
fn numbers_of_channels_depend_on_who_has_ended() {
    let seen = "byte g;
        proctype A() { chan own = [1] of { byte }; g = own }
        proctype B() { chan own = [1] of { byte }; assert(own == 1) }
        init { run A(); run B() }";
    let made_up = "chan k = [1] of { chan };
        proctype A() { chan own = [1] of { byte }; skip }
        proctype B() { chan mine = [1] of { byte }; byte x; end: do :: x = 1 - x od }
        init { byte x; chan z; run A(); run B(); k!3; k?z; x = 1 + len(z); assert(x == 0) }";
    // What is known of the youngest process is not the same, though it is of the same kind and has the same argument.
    let other = "proctype C(chan c) { c!1 }
        proctype A() { byte x; chan own = [1] of { byte }; run C(own); own?x }
        proctype B() { byte x; chan own = [1] of { byte }; run C(own); if :: own?x :: else -> assert(false) fi }
        init { if :: run FIRST() :: run SECOND() fi }";
    let one = other.replace("FIRST", "A").replace("SECOND", "B");
    let two = other.replace("FIRST", "B").replace("SECOND", "A");
    for (text, faults) in [(seen, 1), (made_up, 2), (&one, 1), (&two, 1)] {
        let system = of_promela(text).unwrap_or_else(|why| panic!("{why}"));
        let mut compared = Compared::default();
        compare(text, &system, 1000, &mut compared).expect("it is small, and can be reduced");
        assert_eq!(compared.faults, faults, "{text}");
    }
}

/// Two processes have nothing to do with each other, but the question sees in which order they move.
#[test]
fn both_orders_of_what_is_looked_at_stay() {
    let text = "byte a, b; active proctype P() { a = 1 } active proctype Q() { b = 1 }";
    let load = |global| Expr::Load(Lvalue { variable: VariableRef::Global(global), indices: Vec::new() });
    let propositions = vec![("a".to_owned(), load(0)), ("b".to_owned(), load(1))];
    let system = with_propositions(text, propositions).expect("a good model");
    let mut compared = Compared::default();
    compare("two orders", &system, 100, &mut compared).expect("it is small, and can be reduced");
    assert_eq!(compared.changes, 4);
}

/// The same with a question that looks at shared variables and at the length of a channel.
fn watched(trial: &mut Trial<'_>) {
    let load = |global: u32, index: Option<i32>| {
        let indices = index.map(Expr::Const).into_iter().collect();
        Expr::Load(Lvalue { variable: VariableRef::Global(global), indices })
    };
    let compared = trial.cases(0..250, |case, compared: &mut Compared| {
        let seed = case.seed;
        let first = load(3, if seed % 2 == 0 { Some(0) } else { None });
        let propositions = vec![
            ("g is 1".to_owned(), Expr::Binary(Binary::Eq, Box::new([load(0, None), Expr::Const(1)]))),
            ("h".to_owned(), load(1, None)),
            ("own[1]".to_owned(), load(2, Some(1))),
            ("first".to_owned(), Expr::Channel(ChannelQuery::NotEmpty, Box::new(first))),
        ];
        let text = case.keep(random_tandem(seed));
        // The channels are an array, or they are not.
        if text.contains("chan q[") != (seed % 2 == 0) {
            return Err("without the channel of the question");
        }
        let system = with_propositions(&text, propositions).unwrap_or_else(|why| panic!("{why}"));
        compare(&format!("watched tandem {seed}"), &system, 6000, compared).ok_or(TOO_LARGE)
    });
    let asked = trial.asked();
    trial.enough(compared.smaller > asked / 10 && compared.changes > asked / 8, "models");
}

/// Our own models, and those by other people where they are at hand: small ones, or with a campaign larger ones, too.
fn people(trial: &mut Trial<'_>) {
    let most = trial.states(if trial.is_thorough() { 100_000 } else { 1000 }) as usize;
    let compared = trial.models(&[("promela", PROMELA)], 5, |path, _, compared: &mut Compared| {
        let system = interpreter_of(path).ok_or("refused")?;
        compare(&path.display().to_string(), &system, most, compared).ok_or(TOO_LARGE)
    });
    trial.enough(compared.programs > 10 && compared.smaller > 2, "models");
}
