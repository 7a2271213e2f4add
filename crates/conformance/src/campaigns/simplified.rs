//! Simplified programs must do what the programs do that they were made of. Each random program is walked as it was
//! written and simplified, by naive loops over sets of states.
//!
//! Forgetting dead variables keeps every transition: both programs are walked hand in hand. So does slicing, after faults
//! too. Merging keeps what partial
//! order reduction keeps: deadlocks state by state, whether there are faults, which commands are executed, changes of
//! propositions. All of it together, with partial order reduction on top, keeps all of this but the states. In every case
//! machine code does what the interpreter does, and every deadlock and fault that was found is unfolded to a run of the
//! program as it was written.

use super::Part;
use super::walks::{
    TOO_LARGE, Walked, corners, meeting_program, of_promela, rare, reducible_program, specified_program,
    walk, with_propositions,
};
use crate::files::{PROMELA, interpreter_of};
use crate::trial::{Trial, counts};
use elnath_jit::Compiled;
use elnath_kernel::{Describe, Fault, Run, Successors, System, Transition, replay};
use elnath_program::independence::Reduced;
use elnath_program::ir::{Binary, ChannelQuery, Expr, Lvalue, VariableRef};
#[cfg(test)]
use elnath_program::ir::{Effect, Type};
use elnath_program::layout::Tables;
use elnath_program::text::print;
use elnath_program::verify::verify;
use elnath_program::{Interpreter, Keep};
use elnath_testkit::{random_corners, random_program, random_promela, random_rarities, random_tandem};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

pub(super) const PARTS: &[Part] = &[
    Part { name: "simple-programs", meaning: "random programs simplified in each way", run: random_programs },
    Part { name: "simple-models", meaning: "random Promela models simplified", run: random_models },
    Part { name: "sliced", meaning: "random programs sliced, also with priorities", run: sliced },
    Part { name: "simple-rare", meaning: "models made of rare constructs simplified", run: rare_constructs },
    Part { name: "simple-tandems", meaning: "models made to be reduced simplified", run: tandems },
    Part { name: "simple-corners", meaning: "where a process notices what another one does", run: noticed },
    Part { name: "simple-watched", meaning: "with propositions about what is shared", run: watched },
    Part { name: "simple-people", meaning: "models that people wrote simplified", run: people },
    Part {
        name: "simple-gates",
        meaning: "programs whose processes meet at gates simplified",
        run: meetings,
    },
    Part {
        name: "simple-specifications",
        meaning: "random LOTOS specifications as programs simplified",
        run: specifications,
    },
];

/// Which changes are made.
#[derive(Clone, Copy)]
struct Simplify {
    slice: bool,
    dead: bool,
    merge: bool,
}

const DEAD: Simplify = Simplify { slice: false, dead: true, merge: false };
const MERGE: Simplify = Simplify { merge: true, dead: false, ..DEAD };
const BOTH: Simplify = Simplify { merge: true, ..DEAD };
const SLICE: Simplify = Simplify { slice: true, dead: false, ..DEAD };
const ALL: Simplify = Simplify { slice: true, ..BOTH };

/// The program with these changes, and whether it could be merged.
fn simplify(system: &Arc<Interpreter>, how: Simplify) -> (Arc<Interpreter>, bool) {
    let mut simple = Arc::clone(system);
    if how.slice {
        simple = simple.sliced().0;
    }
    if how.dead {
        simple = simple.forgetful().0;
    }
    match simple.merged(Keep::default()) {
        Ok((merged, _)) if how.merge => (merged, true),
        answer => (simple, answer.is_ok()),
    }
}

counts! {
    /// What was compared.
    struct Compared {
        programs,
        states,
        sliced,
        dead,
        merged,
        both,
        reduced,
        all,
        deadlocks,
        faults,
        changes,
        unfolded,
    }
}

counts! {
    /// The programs that were sliced.
    struct Sliced { programs }
}

/// Compares the walks of a program; `None` if it is too large, or not to be simplified.
fn compare(name: &str, system: &Arc<Interpreter>, most: usize, compared: &mut Compared) -> Option<()> {
    let por = reduced(system);
    let full = walk(&mut *system.stepper(), most, |_, _| {});
    if full.cut || gives_up(system, &full) {
        return None;
    }
    let sliced = hand_in_hand(name, system, SLICE)?;
    let dead = hand_in_hand(name, system, DEAD)?;
    let merged = merged(name, system, &full, most)?;
    let (both, could_merge) = simplify(system, BOTH);
    if !could_merge {
        return None;
    }
    let plain = like_before(name, "merged and forgetting", &full, &both, most)?;
    unfolds(name, system, &both, &plain, most, compared);
    let (all, _) = simplify(system, ALL);
    let plain_all = like_before(name, "sliced, merged and forgetting", &full, &all, most)?;
    unfolds(name, system, &all, &plain_all, most, compared);
    let all = like_before(name, "all together", &full, &reduced(&all), most)?;
    compared.reduced += walk(&mut *por.stepper(), most, |_, _| {}).states.len() as u64;
    compared.programs += 1;
    compared.states += full.states.len() as u64;
    compared.sliced += sliced;
    compared.dead += dead;
    compared.merged += merged;
    compared.both += plain.states.len() as u64;
    compared.all += all.states.len() as u64;
    compared.deadlocks += full.deadlocks.len() as u64;
    compared.faults += full.faults.len() as u64;
    compared.changes += full.changes.len() as u64;
    Some(())
}

/// A program with partial order reduction, or as it is where that leaves nothing out.
fn reduced(system: &Arc<Interpreter>) -> Arc<dyn System> {
    let plain = Arc::clone(system) as Arc<dyn System>;
    match Reduced::of(Arc::clone(&plain), system, Keep::default()) {
        Ok(reduced) => Arc::new(reduced),
        Err(_) => plain,
    }
}

/// Whether the interpreter lost patience with an atomic sequence somewhere.
fn gives_up(system: &Interpreter, walked: &Walked) -> bool {
    walked.faults.iter().any(|&fault| system.gave_up(Fault(fault)))
}

/// What a transition is, apart from where it leads.
fn labels(successors: &Successors) -> Vec<(Transition, Option<Fault>)> {
    successors.iter().map(|successor| (successor.transition, successor.fault)).collect()
}

/// Walks a program and the one that forgets, or is sliced, together: they have the same transitions, all the way. Counts the
/// states of the second.
fn hand_in_hand(name: &str, system: &Arc<Interpreter>, how: Simplify) -> Option<u64> {
    let (simple, _) = simplify(system, how);
    assert_eq!(verify(simple.program()), verify(system.program()), "{name}");
    let compiled = Compiled::new(Arc::clone(&simple)).ok();
    let mut by_code = compiled.as_ref().map(|compiled| compiled.stepper());
    let (mut one, mut other) = (system.stepper(), simple.stepper());
    let (mut a, mut b) = (Vec::new(), Vec::new());
    one.initial(&mut a);
    other.initial(&mut b);
    let mut seen = HashSet::from([(a.clone(), b.clone())]);
    let mut states = HashSet::from([b.clone()]);
    let mut queue = vec![(a, b)];
    let (mut left, mut right, mut code) =
        (Successors::default(), Successors::default(), Successors::default());
    while let Some((a, b)) = queue.pop() {
        one.successors(&a, &mut left);
        other.successors(&b, &mut right);
        let told = || format!("{name}: {} and {}", system.show_state(&a), simple.show_state(&b));
        assert_eq!(one.valuation(&a), other.valuation(&b), "{}", told());
        assert_eq!(one.may_end(&a), other.may_end(&b), "{}", told());
        // A loop within an atomic sequence is recognised where it comes to the same state again, which is earlier where
        // less is remembered: then ways have other numbers.
        if labels(&left) != labels(&right) {
            assert!(
                !how.slice && has_atomic_loops(system),
                "{}: {:?}, {:?}",
                told(),
                labels(&left),
                labels(&right)
            );
            return None;
        }
        if let Some(by_code) = &mut by_code {
            by_code.successors(&b, &mut code);
            let list = |successors: &Successors| -> Vec<_> {
                successors.iter().map(|s| (s.transition, s.state.to_vec(), s.fault)).collect()
            };
            assert_eq!(list(&code), list(&right), "machine code, {}", told());
        }
        for (x, y) in left.iter().zip(right.iter()) {
            if x.fault.is_some() && !how.slice {
                continue;
            }
            let pair = (x.state.to_vec(), y.state.to_vec());
            if seen.insert(pair.clone()) {
                states.insert(pair.1.clone());
                queue.push(pair);
            }
        }
    }
    Some(states.len() as u64)
}

/// Whether some location can be come back to within one atomic sequence.
fn has_atomic_loops(system: &Interpreter) -> bool {
    system.program().processes.iter().any(|kind| {
        let locations = kind.locations.len();
        let mut reach = vec![vec![false; locations]; locations];
        for (at, reach) in reach.iter_mut().enumerate() {
            for (_, command) in kind.leaving(elnath_program::ir::Loc(at as u32)) {
                reach[command.target.index()] |= command.atomic;
            }
        }
        for middle in 0..locations {
            for from in 0..locations {
                if reach[from][middle] {
                    let further = reach[middle].clone();
                    reach[from].iter_mut().zip(further).for_each(|(to, more)| *to |= more);
                }
            }
        }
        (0..locations).any(|at| reach[at][at])
    })
}

/// Merging alone leaves states out and makes none. Counts them.
fn merged(name: &str, system: &Arc<Interpreter>, full: &Walked, most: usize) -> Option<u64> {
    let (simple, _) = simplify(system, MERGE);
    assert_eq!(verify(simple.program()), verify(system.program()), "{name}");
    let walked = like_before(name, "merged", full, &simple, most)?;
    assert!(walked.states.is_subset(&full.states), "{name}: states that there are not");
    if let Some(deadlock) = full.deadlocks.symmetric_difference(&walked.deadlocks).next() {
        panic!("{name}: the deadlock {} is found by one of the walks only", system.show_state(deadlock));
    }
    // Places that are passed through differ from the next ones in what concerns one process only.
    let (before, after) = (shared_parts(system, full), shared_parts(system, &walked));
    if let Some(part) = before.symmetric_difference(&after).next() {
        panic!("{name}: the globals and channels {part:?} are found by one of the walks only");
    }
    Some(walked.states.len() as u64)
}

/// What all processes see, of all states.
fn shared_parts(system: &Interpreter, walked: &Walked) -> BTreeSet<Vec<u8>> {
    let mut tables = Tables::default();
    let part = |state: &Vec<u8>| {
        tables.read(system.layout(), state);
        state[..tables.count].to_vec()
    };
    walked.states.iter().map(part).collect()
}

/// Walks a simplified program by the interpreter and by machine code and compares what is found.
fn like_before<S: System + ?Sized>(
    name: &str,
    how: &str,
    full: &Walked,
    simple: &Arc<S>,
    most: usize,
) -> Option<Walked> {
    let walked = walk(&mut *simple.stepper(), most, |_, _| {});
    if walked.faults.iter().any(|&fault| simple.describe().gave_up(Fault(fault))) || walked.cut {
        return None;
    }
    assert_eq!(full.deadlocks.is_empty(), walked.deadlocks.is_empty(), "{name}, {how}: deadlocks");
    assert_eq!(full.faults.is_empty(), walked.faults.is_empty(), "{name}, {how}: faults");
    assert!(walked.faults.is_subset(&full.faults), "{name}, {how}: faults that there are not");
    // Of two faults in one transition the first is told, and what comes after a fault may be something else.
    if full.faults.is_empty() {
        assert_eq!(full.unfired, walked.unfired, "{name}, {how}: what is not executed");
        assert_eq!(full.changes, walked.changes, "{name}, {how}: changes of propositions");
    }
    Some(walked)
}

/// Finds a run to each deadlock and each fault of a simplified program and unfolds it.
fn unfolds(
    name: &str,
    system: &Arc<Interpreter>,
    simple: &Arc<Interpreter>,
    walked: &Walked,
    most: usize,
    compared: &mut Compared,
) {
    if Arc::ptr_eq(system, simple) {
        return;
    }
    let (runs, _) = runs(&**simple, walked, most);
    for run in runs {
        let told = || format!("{name}: {:?}", run.steps);
        let unfolded = as_written(simple, &run).unwrap_or_else(|| panic!("not unfolded: {}", told()));
        let replayed = replay(&**system, &unfolded.steps).expect("every step is enabled");
        assert_eq!(replayed, unfolded, "{}", told());
        assert_eq!(unfolded.fault, run.fault, "{}", told());
        if run.fault.is_none() {
            let (mut stepper, mut enabled) = (system.stepper(), Vec::new());
            stepper.enabled(unfolded.last(), &mut enabled);
            assert!(enabled.is_empty(), "no deadlock: {}", told());
        }
        compared.unfolded += 1;
    }
}

/// A run of a simplified program in the program as it was written.
fn as_written(simple: &Arc<Interpreter>, run: &Run) -> Option<Run> {
    let (mut system, mut run) = (simple, run.clone());
    while let Some(origin) = system.origin() {
        run = system.unfold(&run, None)?.0;
        system = origin;
    }
    Some(run)
}

/// Runs to deadlocks, and to faults, which end a run.
fn runs(system: &dyn System, walked: &Walked, most: usize) -> (Vec<Run>, usize) {
    let (mut stepper, mut state) = (system.stepper(), Vec::new());
    stepper.initial(&mut state);
    let mut before: HashMap<Vec<u8>, Option<(Vec<u8>, Transition)>> = HashMap::from([(state.clone(), None)]);
    let (mut queue, mut found, mut successors) = (vec![state], Vec::new(), Successors::default());
    let way = |before: &HashMap<Vec<u8>, Option<(Vec<u8>, Transition)>>, state: &[u8], last| {
        let (mut steps, mut at): (Vec<Transition>, &[u8]) = (Vec::from_iter(last), state);
        while let Some((from, t)) = &before[at] {
            steps.push(*t);
            at = from;
        }
        steps.reverse();
        replay(system, &steps).expect("every step is enabled")
    };
    while let Some(state) = queue.pop() {
        stepper.successors(&state, &mut successors);
        if successors.is_empty() {
            assert!(walked.deadlocks.contains(&state));
            found.push(way(&before, &state, None));
        }
        for successor in successors.iter() {
            if successor.fault.is_some() {
                found.push(way(&before, &state, Some(successor.transition)));
            } else if !before.contains_key(successor.state) {
                before.insert(successor.state.to_vec(), Some((state.clone(), successor.transition)));
                queue.push(successor.state.to_vec());
            }
        }
        if before.len() > most || found.len() > 20 {
            break;
        }
    }
    (found, before.len())
}

fn random_programs(trial: &mut Trial<'_>) {
    let compared = trial.cases(0..125, |case, compared: &mut Compared| {
        let system = Interpreter::new(reducible_program(case)).map_err(|_| "refused")?;
        compare(&format!("program {}", case.seed), &Arc::new(system), 400, compared).ok_or(TOO_LARGE)
    });
    trial.enough(compared.programs > trial.asked() / 5, "programs");
    trial.enough(compared.dead < compared.states && compared.unfolded > compared.programs, "simplified");
}

fn random_models(trial: &mut Trial<'_>) {
    let compared = trial.cases(0..125, |case, compared: &mut Compared| {
        let system = of_promela(&case.keep(random_promela(case.seed))).map_err(|_| "refused")?;
        compare(&format!("model {}", case.seed), &system, 3000, compared).ok_or(TOO_LARGE)
    });
    trial.enough(compared.programs > trial.asked() / 4, "models");
    trial.enough(compared.dead < compared.states && compared.merged < compared.states, "simplified");
}

/// Of each rule of slicing that random models rarely need: what must be looked at, and a model that is another one if it
/// is not. `s` is a variable that nothing reads; `v` decides what happens, in one way only.
#[cfg(test)]
const SLICED: [(&str, &str); 24] = [
    (
        "a priority",
        "byte v; active proctype P() priority 4 { v = 5; set_priority(_pid, v); skip; skip } active proctype Q() priority 3 { skip; skip }",
    ),
    (
        "whose priority",
        "byte v; active proctype P() priority 2 { v = 1; set_priority(v, 5); skip } active proctype Q() { skip; skip }",
    ),
    ("an argument", "byte v; proctype A(byte n) { n == 2 } init { v = 2; run A(v) }"),
    ("a fault in an argument", "byte v, a[2]; proctype A(byte n) { skip } init { v = 5; run A(a[v]) }"),
    (
        "an argument of an argument",
        "byte v; proctype B(byte m) { m == 2 } proctype A(byte n) { run B(n) } init { v = 2; run A(v) }",
    ),
    ("the index of what is written", "byte v, s[2]; active proctype P() { v = 5; s[v] = 1 }"),
    (
        "the index of what is received",
        "byte v, s[2]; chan q = [1] of { byte }; active proctype P() { v = 5; q!1; q?s[v] }",
    ),
    ("the index of the result of run", "byte v, s[2]; proctype A() { skip } init { v = 5; s[v] = run A() }"),
    ("an initial value", "byte v; proctype A() { byte n = v; n == 2 } init { v = 2; run A() }"),
    (
        "a fault in an initial value",
        "byte v, a[2]; proctype A() { byte n = a[v]; skip } init { v = 5; run A() }",
    ),
    (
        "a fault on the right of &&",
        "byte s, v, w = 1; active proctype P() { w = 0; v = 1; s = (v == 1 && 1 / w > 0) }",
    ),
    (
        "a fault on the right of ||",
        "byte s, v, w = 1; active proctype P() { w = 0; v = 1; s = (v == 0 || 1 / w > 0) }",
    ),
    ("a fault in a negation", "int s; byte v = 1; active proctype P() { v = 0; s = -(1 / v) }"),
    ("a fault in a sum", "byte s, v = 1; active proctype P() { v = 0; s = 1 + 1 / v }"),
    ("a fault in a dividend", "byte s, v = 1; active proctype P() { v = 0; s = (1 / v) / 2 }"),
    (
        "a fault in one of two branches",
        "byte s, v, w = 1; active proctype P() { w = 0; v = 1; s = (v == 1 -> 1 / w : 0) }",
    ),
    ("a fault in an index of an index", "byte s, v, a[2], b[2]; active proctype P() { v = 5; s = a[b[v]] }"),
    ("what flows through two others", "byte v, w, x; active proctype P() { v = 2; w = v; x = w; x == 2 }"),
    (
        "what a loop in a d_step in an atomic sequence counts",
        "byte s; bool b; active proctype P() { atomic { do :: d_step { b = 1 - b; s = s + 1 } :: break od } }",
    ),
    (
        "what a match compares with",
        "byte v; chan q = [1] of { byte }; active proctype P() { v = 2; q!2; q?eval(v) }",
    ),
    (
        "what another process looks at",
        "active proctype P() { byte v; v = 2; skip } active proctype Q() { P:v == 2 }",
    ),
    ("what a global begins with", "byte v = 2, w = v; active proctype P() { w == 2 }"),
    (
        "the numbers of channels",
        "chan p = [1] of { byte }, q = [1] of { byte }; byte v; active proctype P() { v = q; v == 2 }",
    ),
    (
        "the condition of a process",
        "byte v; active proctype P() provided (v == 0) { skip; skip } active proctype Q() { v = 1 }",
    ),
];

#[test]
fn every_rule_of_slicing_is_needed() {
    for (rule, text) in SLICED {
        let system = of_promela(text).unwrap_or_else(|why| panic!("{rule}: {why}"));
        hand_in_hand(rule, &system, SLICE).expect("nothing but slicing");
    }
    // The priority of a new process, which is a number in Promela.
    let text = "byte v; proctype A() { skip } active proctype P() priority 4 { v = 5; run A() priority 3; skip; skip }";
    let mut program = of_promela(text).expect("a good model").program().clone();
    for effect in
        program.processes.iter_mut().flat_map(|kind| &mut kind.commands).flat_map(|c| &mut c.effects)
    {
        if let Effect::Run { priority: Some(priority), .. } = effect {
            let v = Lvalue { variable: VariableRef::Global(0), indices: Vec::new() };
            *priority = Expr::Load(v);
        }
    }
    let system = Arc::new(Interpreter::new(program).unwrap_or_else(|fault| panic!("{}", fault.cause.text())));
    hand_in_hand("the priority of a new process", &system, SLICE).expect("nothing but slicing");
    // Storing outside a range is a fault, whoever reads what is stored.
    let text = "byte s; active proctype P() { s = 1; s = 3 }";
    let mut program = of_promela(text).expect("a good model").program().clone();
    program.globals[0].ty = Type::Range(0, 2);
    let system = Arc::new(Interpreter::new(program).unwrap_or_else(|fault| panic!("{}", fault.cause.text())));
    hand_in_hand("a range", &system, SLICE).expect("nothing but slicing");
}

/// Processes that meet at gates and put each other elsewhere.
fn meetings(trial: &mut Trial<'_>) {
    let compared = trial.cases(0..250, |case, compared: &mut Compared| {
        let system = Interpreter::new(meeting_program(case)).map_err(|_| "refused")?;
        compare(&format!("program {}", case.seed), &Arc::new(system), 1500, compared).ok_or(TOO_LARGE)
    });
    let asked = trial.asked();
    trial.enough(compared.programs > asked / 4 && compared.unfolded > asked, "programs");
    trial.enough(compared.dead < compared.states && compared.sliced < compared.states, "simplified");
    trial.enough(compared.merged < compared.states && compared.all < compared.reduced, "merged");
}

fn specifications(trial: &mut Trial<'_>) {
    let compared = trial.cases(0..250, |case, compared: &mut Compared| {
        let program = specified_program(case).ok_or("refused")?;
        let system = Interpreter::new(program).map_err(|_| "refused")?;
        compare(&format!("specification {}", case.seed), &Arc::new(system), 1500, compared).ok_or(TOO_LARGE)
    });
    let asked = trial.asked();
    trial.enough(compared.programs > asked / 6 && compared.all < compared.states, "specifications");
}

/// Also with priorities and questions about everybody, with which there is no partial order reduction.
fn sliced(trial: &mut Trial<'_>) {
    let sliced = trial.cases(0..125, |case, sliced: &mut Sliced| {
        let program = random_program(case.seed);
        case.keep(print(&program));
        let system = Interpreter::new(program).map(Arc::new).map_err(|_| "refused")?;
        let full = walk(&mut *system.stepper(), 400, |_, _| {});
        if full.cut || gives_up(&system, &full) {
            return Err(TOO_LARGE);
        }
        hand_in_hand(&format!("program {}", case.seed), &system, SLICE).expect("nothing but slicing");
        sliced.programs += 1;
        Ok(())
    });
    trial.enough(sliced.programs > trial.asked() / 5, "programs");
}

fn rare_constructs(trial: &mut Trial<'_>) {
    let compared = trial.cases(0..250, |case, compared: &mut Compared| {
        let text = case.keep(random_rarities(case.seed));
        compare(&format!("rare {}", case.seed), &rare(case.seed, &text), 2000, compared).ok_or(TOO_LARGE)
    });
    let asked = trial.asked();
    trial.enough(compared.programs > asked / 3 && compared.unfolded > asked, "models");
    trial.enough(compared.sliced < compared.states && compared.dead < compared.states, "simplified");
    trial.enough(compared.merged < compared.states, "merged");
}

fn tandems(trial: &mut Trial<'_>) {
    let compared = trial.cases(0..125, |case, compared: &mut Compared| {
        let text = case.keep(random_tandem(case.seed));
        let system = of_promela(&text).unwrap_or_else(|why| panic!("{why}"));
        compare(&format!("tandem {}", case.seed), &system, 6000, compared).ok_or(TOO_LARGE)
    });
    trial.enough(compared.programs > trial.asked() / 3 && compared.unfolded > 0, "models");
    trial.enough(compared.merged < compared.states && compared.all < compared.reduced, "simplified");
}

/// A process notices what another one does, in each of the ways there are.
fn noticed(trial: &mut Trial<'_>) {
    let compared = trial.cases(0..500, |case, compared: &mut Compared| {
        let text = case.keep(random_corners(case.seed));
        compare(&format!("corners {}", case.seed), &corners(case.seed, &text), 3000, compared)
            .ok_or(TOO_LARGE)
    });
    let asked = trial.asked();
    trial.enough(compared.programs > asked / 2 && compared.unfolded > asked, "models");
    trial.enough(compared.deadlocks > asked && compared.faults > asked / 40, "deadlocks and faults");
    trial.enough(compared.changes > asked, "changes of propositions");
    trial.enough(compared.merged < compared.states && compared.all < compared.reduced, "simplified");
}

/// A statement that concerns others is not merged with one before it because an atomic sequence begins in between, with
/// something local.
#[test]
fn an_atomic_sequence_is_local_only_as_a_whole() {
    let text = "byte a, b; active proctype P() { byte x; a = 1; x = 1; atomic { x == 1 -> b = 1 } }";
    let system = of_promela(text).expect("a good model");
    let mut compared = Compared::default();
    compare("a then b", &system, 100, &mut compared).expect("it is small, and can be reduced");
    assert!(compared.merged < compared.states);
}

/// The same with a question that looks at shared variables and at the length of a channel.
fn watched(trial: &mut Trial<'_>) {
    let load = |global: u32, index: Option<i32>| {
        let indices = index.map(Expr::Const).into_iter().collect();
        Expr::Load(Lvalue { variable: VariableRef::Global(global), indices })
    };
    let compared = trial.cases(0..125, |case, compared: &mut Compared| {
        let seed = case.seed;
        let first = load(3, if seed % 2 == 0 { Some(0) } else { None });
        let propositions = vec![
            ("g is 1".to_owned(), Expr::Binary(Binary::Eq, Box::new([load(0, None), Expr::Const(1)]))),
            ("h".to_owned(), load(1, None)),
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
    trial.enough(compared.changes > trial.asked() / 8 && compared.merged < compared.states, "models");
}

/// Our own models, and those by other people where they are at hand: small ones, or with a campaign larger ones, too.
fn people(trial: &mut Trial<'_>) {
    let most = trial.states(if trial.is_thorough() { 100_000 } else { 1000 }) as usize;
    let compared = trial.models(&[("promela", PROMELA)], 5, |path, _, compared: &mut Compared| {
        let system = interpreter_of(path).ok_or("refused")?;
        compare(&path.display().to_string(), &system, most, compared).ok_or(TOO_LARGE)
    });
    trial.enough(compared.programs > 10, "models");
    trial.enough(compared.dead < compared.states && compared.merged < compared.states, "simplified");
}
