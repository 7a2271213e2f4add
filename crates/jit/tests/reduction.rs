//! Partial order reduction must keep what it promises. Each program is walked in full and reduced, by naive loops over
//! sets of states, and then: the same deadlocks are reached, state by state (or but for the names of processes, if their ends
//! are not to be kept); the same faults are met; the same commands are executed; and no cycle of the reduced graph is without a state in which everything was explored. Reduced for deadlocks
//! only, it must reach the same deadlocks. The interpreter and machine code must leave out the same.

mod models;
mod walks;

use elnath_jit::Compiled;
use elnath_kernel::{Fault, Successors, System, Transition};
use elnath_program::independence::Reduced;
use elnath_program::ir::{Binary, ChannelQuery, Expr, Lvalue, VariableRef};
use elnath_program::{Interpreter, Keep};
use elnath_testkit::{CREATION_MODELS, creation_model, random_promela, random_tandem};
use models::{interpreter_of, models_in};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use walks::{
    Walked, corner_seeds, corners, of_promela, programs, rare, reducible_program, seeds, walk,
    with_propositions, without_names,
};

/// What was compared.
#[derive(Default)]
struct Compared {
    programs: u64,
    states: u64,
    reduced_states: u64,
    /// With the ends of processes kept.
    strict_states: u64,
    /// With nothing but deadlocks kept.
    fewest_states: u64,
    /// Programs with fewer states than before.
    smaller: u64,
    deadlocks: u64,
    faults: u64,
    changes: u64,
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

#[allow(clippy::print_stderr)] // Figures for those who run the campaign.
fn tell(what: &str, compared: &Compared) {
    let Compared {
        programs,
        states,
        strict_states,
        reduced_states,
        fewest_states,
        smaller,
        deadlocks,
        faults,
        changes,
    } = compared;
    eprintln!(
        "{what}: {programs} programs ({smaller} smaller), {states} states, {reduced_states} reduced, {strict_states} with ends kept, {fewest_states} for deadlocks only, \
         {deadlocks} deadlocks, {faults} faults, {changes} changes of propositions"
    );
}

#[test]
fn keeps_its_promises_on_random_programs() {
    let mut compared = Compared::default();
    for seed in seeds() {
        if let Ok(system) = Interpreter::new(reducible_program(seed)) {
            compare(&format!("program {seed}"), &Arc::new(system), 400, &mut compared);
        }
    }
    tell("random programs", &compared);
    assert!(compared.programs > seeds().count() as u64 / 5 && compared.smaller > 0, "too few were compared");
}

#[test]
fn keeps_its_promises_on_random_models() {
    let mut compared = Compared::default();
    for seed in 0..programs() {
        if let Ok(system) = of_promela(&random_promela(seed)) {
            compare(&format!("model {seed}"), &system, 3000, &mut compared);
        }
    }
    tell("random models", &compared);
    assert!(compared.programs > programs() / 4 && compared.smaller > programs() / 20);
}

/// Constructs that people rarely write, but that a reduction must know all the same.
#[test]
fn keeps_its_promises_on_rare_constructs() {
    let mut compared = Compared::default();
    for seed in 0..2 * programs() {
        compare(&format!("rare {seed}"), &rare(seed), 2000, &mut compared);
    }
    tell("rare constructs", &compared);
    assert!(compared.programs > programs() && compared.smaller > programs() / 5);
    assert!(compared.deadlocks > programs() && compared.faults > programs() / 10);
    assert!(compared.changes > programs() / 2);
}

/// These are made of processes with much to do on their own: that nothing is lost means something only if much is left
/// out.
#[test]
fn keeps_its_promises_on_models_made_to_be_reduced() {
    let mut compared = Compared::default();
    for seed in 0..3 * programs() {
        let system = of_promela(&random_tandem(seed)).unwrap_or_else(|why| panic!("{seed}: {why}"));
        compare(&format!("tandem {seed}"), &system, 6000, &mut compared);
    }
    tell("tandems", &compared);
    assert!(compared.programs > programs() && compared.smaller > compared.programs / 2);
    assert!(compared.states > 2 * compared.reduced_states);
    assert!(compared.deadlocks > programs() / 4 && compared.faults > 0);
}

/// Somebody notices what a process does, in each of the ways there are.
#[test]
fn keeps_its_promises_where_somebody_notices() {
    let mut compared = Compared::default();
    for seed in corner_seeds() {
        compare(&format!("corners {seed}"), &corners(seed), 3000, &mut compared);
    }
    tell("corners", &compared);
    let asked = corner_seeds().count() as u64;
    assert!(compared.programs > asked / 2 && compared.smaller > asked / 8);
    assert!(compared.deadlocks > asked && compared.faults > asked / 40 && compared.changes > asked);
}

/// Every small model of processes that are created one by one and end: a part of them, `ELNATH_REDUCTIONS=7000` takes
/// all.
#[test]
fn keeps_its_promises_where_processes_are_created_and_end() {
    let mut compared = Compared::default();
    let step = (7000 / programs()).max(1) | 1;
    // Every other model with a question, which sometimes counts the processes.
    let value = Expr::Load(Lvalue { variable: VariableRef::Global(0), indices: Vec::new() });
    let is = |value: &Expr, wanted| Expr::Binary(Binary::Eq, Box::new([value.clone(), Expr::Const(wanted)]));
    for number in (0..CREATION_MODELS).step_by(step as usize) {
        let propositions = match number / step % 4 {
            0 => vec![("g is 1".to_owned(), is(&value, 1)), ("g is 2".to_owned(), is(&value, 2))],
            1 => vec![("three".to_owned(), is(&Expr::ProcessCount, 3))],
            _ => Vec::new(),
        };
        let text = creation_model(number);
        let system = with_propositions(&text, propositions).unwrap_or_else(|why| panic!("{number}: {why}"));
        compare(&format!("creation {number}"), &system, 3000, &mut compared);
    }
    tell("creation", &compared);
    assert!(compared.programs > CREATION_MODELS / step * 9 / 10 && compared.smaller > compared.programs / 2);
    assert!(compared.reduced_states < compared.strict_states && compared.strict_states < compared.states);
    assert!(compared.deadlocks > compared.programs && compared.faults > 0);
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
#[test]
fn what_the_question_looks_at_changes_all_the_same() {
    let load = |global: u32, index: Option<i32>| {
        let indices = index.map(Expr::Const).into_iter().collect();
        Expr::Load(Lvalue { variable: VariableRef::Global(global), indices })
    };
    let mut compared = Compared::default();
    for seed in 0..programs() {
        let first = load(3, if seed % 2 == 0 { Some(0) } else { None });
        let propositions = vec![
            ("g is 1".to_owned(), Expr::Binary(Binary::Eq, Box::new([load(0, None), Expr::Const(1)]))),
            ("h".to_owned(), load(1, None)),
            ("own[1]".to_owned(), load(2, Some(1))),
            ("first".to_owned(), Expr::Channel(ChannelQuery::NotEmpty, Box::new(first))),
        ];
        let text = random_tandem(seed);
        // The channels are an array, or they are not.
        if text.contains("chan q[") == (seed % 2 == 0) {
            let system = with_propositions(&text, propositions).unwrap_or_else(|why| panic!("{seed}: {why}"));
            compare(&format!("watched tandem {seed}"), &system, 6000, &mut compared);
        }
    }
    tell("watched tandems", &compared);
    assert!(compared.smaller > programs() / 10 && compared.changes > programs() / 8);
}

/// Our own models, and those by other people where they are at hand; `ELNATH_REFERENCE=all` takes larger ones too.
#[test]
fn keeps_its_promises_on_models_people_wrote() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut models = Vec::new();
    models_in(&root.join("tests/cases/promela"), &mut models);
    models_in(&root.join("examples"), &mut models);
    models_in(&root.join("../shared/corpus/promela"), &mut models);
    let all = std::env::var("ELNATH_REFERENCE").is_ok_and(|value| value == "all");
    let (most, every) = if all { (100_000, 1) } else { (1000, 5) };
    let mut compared = Compared::default();
    for path in models.into_iter().step_by(every) {
        if let Some(system) = interpreter_of(&path) {
            compare(&path.display().to_string(), &system, most, &mut compared);
        }
    }
    tell("models people wrote", &compared);
    assert!(compared.programs > 10 && compared.smaller > 2);
}
