//! Symmetry must keep what it promises. Each program is walked in full and modulo symmetry, by naive loops over sets of
//! states. The orbits of the full walk are found by trying all permutations of processes of a kind, and then: exactly these
//! are the states of the quotient; the same orbits are deadlocks, the same faults are met, the same commands executed, the
//! propositions change in the same ways. Runs of the quotient are runs of the program when they are lifted. The same
//! together with partial order reduction, as far as that keeps it; and the interpreter and machine code agree.
//!
//! Where processes end, what is compared are orbits of what is left of a state without those that have ended.

use super::Part;
use super::walks::TOO_LARGE;
use crate::files::{PROMELA, interpreter_of};
use crate::trial::{Trial, counts};
use elnath_jit::Compiled;
use elnath_kernel::rng::Rng;
use elnath_kernel::{
    Describe, Fault, QuotientSystem, Run, Stepper, Successors, System, Transition, lift, replay,
};
use elnath_program::independence::Reduced;
use elnath_program::ir::{Binary, Expr, Guard, Lvalue, VariableRef};
use elnath_program::layout::{LOCATION, Tables};
use elnath_program::symmetry::{Leak, Notices, Symmetric};
use elnath_program::{Interpreter, Keep};
use elnath_testkit::{random_numbered, random_symmetric};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

pub(super) const PARTS: &[Part] = &[
    Part {
        name: "orbits",
        meaning: "one state for each orbit, where processes never end",
        run: one_for_each,
    },
    Part { name: "ends", meaning: "orbits of states without the processes that have ended", run: ends },
    Part { name: "numbered", meaning: "orbits where processes have numbers", run: numbered },
    Part { name: "told", meaning: "where processes know the numbers of others", run: told },
    Part { name: "people", meaning: "models that people wrote", run: people },
];

/// Everything is noticed.
#[cfg(test)]
const ALL: Notices = Notices { every_step: true, past_faults: true };

/// What a walk found.
#[derive(Default)]
struct Walked {
    /// Each state with the one before it and the transition between them.
    states: HashMap<Vec<u8>, Option<(Vec<u8>, Transition)>>,
    deadlocks: Vec<(Vec<u8>, bool)>,
    faults: BTreeSet<u32>,
    /// Transitions that ran into a fault.
    faulty: Vec<(Vec<u8>, Transition)>,
    unfired: BTreeSet<u32>,
    /// How the truth of propositions changes at a transition.
    changes: BTreeSet<(u64, u64)>,
    /// Whether it was given up because there are too many states.
    cut: bool,
}

/// Random programs have atomic sequences that go on for ever, and a thousand times over.
const MOST_WORK: u64 = 4_000_000;

fn walk(stepper: &mut dyn Stepper, most: usize, mut at_each: impl FnMut(&[u8], &Successors)) -> Walked {
    let mut walked = Walked::default();
    let mut initial = Vec::new();
    stepper.initial(&mut initial);
    walked.states.insert(initial.clone(), None);
    let (mut queue, mut successors) = (vec![initial], Successors::default());
    while let Some(state) = queue.pop() {
        stepper.successors(&state, &mut successors);
        at_each(&state, &successors);
        if successors.is_empty() {
            walked.deadlocks.push((state.clone(), stepper.may_end(&state)));
        }
        let before = stepper.valuation(&state);
        for successor in successors.iter() {
            let after = stepper.valuation(successor.state);
            if after != before {
                walked.changes.insert((before, after));
            }
            if let Some(Fault(number)) = successor.fault {
                walked.faults.insert(number);
                walked.faulty.push((state.clone(), successor.transition));
            }
            if !walked.states.contains_key(successor.state) {
                walked.states.insert(successor.state.to_vec(), Some((state.clone(), successor.transition)));
                queue.push(successor.state.to_vec());
            }
        }
        if walked.states.len() > most || successors.len() > 200 || stepper.work() > MOST_WORK {
            walked.cut = true;
            return walked;
        }
    }
    walked.unfired = stepper.unfired().into_iter().map(|action| action.0).collect();
    walked
}

/// The run to a state, and then perhaps one transition more.
fn run_to(walked: &Walked, system: &dyn System, state: &[u8], last: Option<Transition>) -> Run {
    let mut steps: Vec<Transition> = last.into_iter().collect();
    let mut at = state;
    while let Some((before, t)) = &walked.states[at] {
        steps.push(*t);
        at = before;
    }
    steps.reverse();
    replay(system, &steps).expect("the walk went there")
}

/// The naive side: what a state is modulo permutations of processes.
struct Orbits<'a> {
    system: &'a Interpreter,
    /// Which kinds of processes may be exchanged.
    kinds: Vec<bool>,
    /// Whether processes at their end do not count.
    without_ended: bool,
    /// Whether numbers are where [`random_numbered`] has them.
    numbered: bool,
}

impl Orbits<'_> {
    /// The least of all states that come from this one by exchanging processes.
    fn of(&self, state: &[u8]) -> Vec<u8> {
        let mut tables = Tables::default();
        tables.read(self.system.layout(), state);
        let bases: Vec<usize> = tables.processes.iter().map(|&base| base as usize).collect();
        let ends = bases.iter().skip(1).copied().chain([state.len()]);
        let mut parts: Vec<&[u8]> = bases.iter().zip(ends).map(|(&base, end)| &state[base..end]).collect();
        if self.without_ended {
            parts.retain(|part| !self.has_ended(part));
        }
        if self.numbered {
            return self.of_numbered(state, &tables, &bases);
        }
        let mut least: Option<Vec<u8>> = None;
        self.permute(&mut parts, 0, &mut |parts| {
            let whole = parts.concat();
            if least.as_ref().is_none_or(|least| whole < *least) {
                least = Some(whole);
            }
        });
        [&state[..tables.count], &[parts.len() as u8], &least.expect("there is at least one")].concat()
    }

    /// How many processes there are of the kind of which there are most.
    fn alike(&self, state: &[u8]) -> usize {
        let mut tables = Tables::default();
        tables.read(self.system.layout(), state);
        let mut counts = vec![0; self.kinds.len()];
        tables.processes.iter().for_each(|&base| counts[usize::from(state[base as usize])] += 1);
        counts
            .into_iter()
            .zip(&self.kinds)
            .filter(|(_, may)| **may)
            .map(|(count, _)| count)
            .max()
            .unwrap_or(0)
    }

    fn permute<'p>(&self, parts: &mut Vec<&'p [u8]>, from: usize, found: &mut impl FnMut(&[&'p [u8]])) {
        if from == parts.len() {
            return found(parts);
        }
        for other in from..parts.len() {
            // There are elements for processes with numbers below 4 only.
            let both = !self.numbered || parts[from][1].max(parts[other][1]) < 4;
            let same = parts[from][0] == parts[other][0] && self.kinds[usize::from(parts[from][0])] && both;
            if other == from || same {
                parts.swap(from, other);
                self.permute(parts, from + 1, found);
                parts.swap(from, other);
            }
        }
    }

    /// The same where every process has a number that is known elsewhere.
    fn of_numbered(&self, state: &[u8], tables: &Tables, bases: &[usize]) -> Vec<u8> {
        let (program, layout) = (self.system.program(), self.system.layout());
        let numbers: Vec<Vec<u8>> =
            bases.iter().enumerate().map(|(pid, &base)| vec![state[base], pid as u8]).collect();
        let mut parts: Vec<&[u8]> = numbers.iter().map(Vec::as_slice).collect();
        let mut least: Option<Vec<u8>> = None;
        let named = |name: &str| program.globals.iter().position(|global| global.name == name);
        let (turn, own, met) = (named("turn").expect("turn"), named("own").expect("own"), named("met"));
        let (turn, own, met) =
            (layout.globals[turn], layout.globals[own], met.map(|met| layout.globals[met]));
        self.permute(&mut parts, 0, &mut |parts| {
            // Who was process `parts[new][1]` is process `new`.
            let old = |new: usize| usize::from(parts[new][1]);
            let renamed =
                |number: u8| parts.iter().position(|part| part[1] == number).map_or(number, |new| new as u8);
            let mut image = state.to_vec();
            image[turn] = renamed(state[turn]);
            for (new, &base) in bases.iter().enumerate() {
                let from = bases[old(new)];
                let kind = usize::from(state[base]);
                let size = layout.frames[kind].size;
                image[base..base + size].copy_from_slice(&state[from..from + size]);
                if self.kinds[kind] || program.processes[kind].name == "M" {
                    let held = ["who", "w"].map(|name| {
                        program.processes[kind].locals.iter().position(|local| local.name == name)
                    });
                    for local in held.into_iter().flatten() {
                        let at = layout.frames[kind].locals[local];
                        image[base + at] = renamed(state[from + at]);
                    }
                }
                if new < 4 {
                    image[own + new] = state[own + old(new)];
                    if let Some(met) = met {
                        image[met + new] = renamed(state[met + old(new)]);
                    }
                }
            }
            for &(at, kind) in &tables.channels {
                let block = layout.block(kind);
                for message in 0..usize::from(state[at as usize]) {
                    let at = at as usize + block.header + message * block.message;
                    image[at] = renamed(state[at]);
                }
            }
            if least.as_ref().is_none_or(|least| image < *least) {
                least = Some(image);
            }
        });
        least.expect("there is at least one")
    }

    fn has_ended(&self, part: &[u8]) -> bool {
        let process = &self.system.program().processes[usize::from(part[0])];
        let wide = process.locations.len() > 256;
        let location =
            usize::from(part[LOCATION]) | if wide { usize::from(part[LOCATION + 1]) << 8 } else { 0 };
        let leaving: Vec<_> = process.locations[location].groups.concat();
        leaving.iter().any(|id| process.commands[id.index()].guard == Guard::Exit)
    }

    /// The numbers of the commands by which processes cease to exist.
    fn exits(&self) -> BTreeSet<u32> {
        let commands = self.system.program().processes.iter().flat_map(|process| &process.commands);
        let numbered = commands.zip(0..).filter(|(command, _)| command.guard == Guard::Exit);
        numbered.map(|(_, number)| number).collect()
    }
}

counts! {
    /// What was compared.
    struct Compared {
        programs,
        states,
        fewer_states,
        smaller,
        deadlocks,
        faults,
        changes,
        lifted,
        reduced_states,
    }
}

/// What is to be compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    /// Exactly one state for each orbit.
    Orbits,
    /// The orbits of states without processes that have ended.
    WithoutEnded,
    /// Orbits where processes have numbers: exactly one state for each.
    Numbered,
    /// The same where a process may know the numbers of others: there may be more states than orbits.
    Told,
}

/// Compares the walks of a program; `None` if it is too large, or its processes can be told apart.
fn compare(
    name: &str,
    system: &Arc<Interpreter>,
    what: What,
    most: usize,
    compared: &mut Compared,
) -> Option<()> {
    let without_ended = what == What::WithoutEnded;
    let notices = Notices { every_step: !without_ended, past_faults: false };
    let quotient = quotient_of(system, notices).ok()?;
    let exchanges = quotient.exchanges();
    let names = exchanges.kinds;
    let kinds = system.program().processes.iter().map(|process| names.contains(&process.name)).collect();
    let numbered = matches!(what, What::Numbered | What::Told);
    let orbits = Orbits { system, kinds, without_ended, numbered };
    let full = walk(&mut *system.stepper(), most, |_, _| {});
    if full.cut {
        return None;
    }
    // Where numbers are in models that people wrote is not known here, and of many processes there are too many
    // permutations: then the rest is compared.
    let unknown = exchanges.numbers && !numbered || full.states.keys().any(|state| orbits.alike(state) > 4);
    let compiled = Compiled::new(Arc::clone(system)).ok();
    let compiled =
        compiled.map(|compiled| Symmetric::of(Arc::new(compiled), system, notices).expect("as before"));
    let mut by_code = compiled.as_ref().map(|compiled| compiled.stepper());
    let (mut other, mut buffer) = (Successors::default(), Vec::new());
    let mut fired = quotient.stepper();
    let small = walk(&mut *quotient.stepper(), most, |state, successors| {
        for successor in successors.iter() {
            let fault = fired.fire(state, successor.transition, &mut buffer).err();
            assert_eq!((&buffer[..], fault), (successor.state, successor.fault), "{name}: firing one by one");
        }
        let Some(by_code) = &mut by_code else { return };
        by_code.successors(state, &mut other);
        let list = |successors: &Successors| -> Vec<_> {
            successors.iter().map(|s| (s.transition, s.state.to_vec(), s.fault)).collect()
        };
        assert_eq!(list(&other), list(successors), "{name}: machine code in {}", system.show_state(state));
    });
    assert!(!small.cut, "{name}: more states than there are");
    let of_all =
        |walked: &Walked| -> BTreeSet<Vec<u8>> { walked.states.keys().map(|s| orbits.of(s)).collect() };
    let all = if unknown { BTreeSet::new() } else { of_all(&full) };
    assert!(unknown || all == of_all(&small), "{name}: other orbits");
    if matches!(what, What::Orbits | What::Numbered) {
        assert_eq!(small.states.len(), all.len(), "{name}: one state for each orbit");
    }
    let deadlocks = |walked: &Walked| -> BTreeSet<(Vec<u8>, bool)> {
        let orbit = |state: &Vec<u8>| if unknown { Vec::new() } else { orbits.of(state) };
        walked.deadlocks.iter().map(|(state, may_end)| (orbit(state), *may_end)).collect()
    };
    let dead = deadlocks(&full);
    assert!(dead == deadlocks(&small), "{name}: other deadlocks");
    assert_eq!(full.faults, small.faults, "{name}: faults");
    assert_eq!(full.changes, small.changes, "{name}: changes of propositions");
    let exits = if without_ended { orbits.exits() } else { BTreeSet::new() };
    let unfired = |walked: &Walked| -> BTreeSet<u32> { walked.unfired.difference(&exits).copied().collect() };
    assert_eq!(unfired(&full), unfired(&small), "{name}: commands never executed");
    compared.lifted += lift_some(name, &**system, &quotient, &small);
    let plain = Arc::clone(system) as Arc<dyn System>;
    let reduced = Reduced::of(plain, system, Keep::default()).ok().filter(|_| !exchanges.numbers);
    let reduced = reduced.map(|reduced| Arc::new(reduced.with_exchanges()));
    if let Some(both) = reduced.and_then(|reduced| Symmetric::of(reduced, system, notices).ok()) {
        let least = walk(&mut *both.stepper(), most, |_, _| {});
        assert!(unknown || of_all(&least).is_subset(&all), "{name}: reduced to orbits that there are not");
        assert!(dead == deadlocks(&least), "{name}: other deadlocks when reduced");
        assert_eq!(full.faults, least.faults, "{name}: faults when reduced");
        assert_eq!(full.changes, least.changes, "{name}: changes of propositions when reduced");
        assert!(least.unfired.is_subset(&full.unfired), "{name}: commands never executed when reduced");
        compared.lifted += lift_some(name, &**system, &both, &least);
        compared.reduced_states += least.states.len() as u64;
    }
    compared.programs += 1;
    compared.states += full.states.len() as u64;
    compared.fewer_states += small.states.len() as u64;
    compared.smaller += u64::from(small.states.len() < full.states.len());
    compared.deadlocks += dead.len() as u64;
    compared.faults += full.faults.len() as u64;
    compared.changes += full.changes.len() as u64;
    Some(())
}

/// A program modulo symmetry, by the interpreter.
fn quotient_of(system: &Arc<Interpreter>, notices: Notices) -> Result<Symmetric<'static>, Vec<Leak>> {
    Symmetric::of(Arc::clone(system) as Arc<dyn System>, system, notices)
}

/// Lifts some runs of the quotient; how many.
fn lift_some(name: &str, system: &dyn System, quotient: &Symmetric<'_>, walked: &Walked) -> u64 {
    let mut rng = Rng::new(walked.states.len() as u64);
    // In the order of bytes, so that the same ones are taken every time.
    let mut states: Vec<&Vec<u8>> = walked.states.keys().collect();
    states.sort_unstable();
    let mut targets: Vec<(Vec<u8>, Option<Transition>)> =
        (0..5).map(|_| (states[rng.below(states.len() as u64) as usize].clone(), None)).collect();
    targets.extend(walked.faulty.iter().take(3).map(|(state, t)| (state.clone(), Some(*t))));
    targets.extend(walked.deadlocks.iter().take(3).map(|(state, _)| (state.clone(), None)));
    for (state, last) in &targets {
        let run = run_to(walked, quotient, state, *last);
        let essence = |state: &[u8]| quotient.essence(state);
        let corresponding = QuotientSystem { system: quotient, essence: &essence };
        let steps =
            lift(system, corresponding, &run).unwrap_or_else(|why| panic!("{name}: not lifted: {why}"));
        let lifted = replay(system, &steps).unwrap_or_else(|why| panic!("{name}: not replayed: {why}"));
        assert_eq!(lifted.fault, run.fault, "{name}: the lifted run's fault");
        assert_eq!(quotient.essence(lifted.last()), quotient.essence(run.last()), "{name}: where it leads");
    }
    targets.len() as u64
}

fn of_promela(text: &str) -> Result<Arc<Interpreter>, String> {
    let mut files = HashMap::from([("model.pml".to_owned(), text.to_owned())]);
    let wrong = |messages| format!("{messages:?} in\n{text}");
    let (model, _) =
        elnath_promela::parse(&mut files, "model.pml", &elnath_promela::Options::default()).map_err(wrong)?;
    let mut program = elnath_promela::lower(&model, "model.pml").map_err(wrong)?.program;
    let load = |global| Expr::Load(Lvalue { variable: VariableRef::Global(global), indices: Vec::new() });
    if program.globals.len() > 1 && program.globals[..2].iter().all(|global| global.dims.is_empty()) {
        let one = Expr::Binary(Binary::Eq, Box::new([load(0), Expr::Const(1)]));
        program.propositions = vec![("first is 1".to_owned(), one), ("second".to_owned(), load(1))];
    }
    Interpreter::new(program).map(Arc::new).map_err(|fault| fault.cause.text().to_owned())
}

/// Now and then a symmetric model has two `else` side by side, and is none.
const REFUSED: &str = "refused";

fn one_for_each(trial: &mut Trial<'_>) {
    let compared = trial.cases(0..300, |case, compared: &mut Compared| {
        let system = of_promela(&case.keep(random_symmetric(case.seed, false))).map_err(|_| REFUSED)?;
        compare(&format!("model {}", case.seed), &system, What::Orbits, 4000, compared).ok_or(TOO_LARGE)
    });
    let asked = trial.asked();
    trial.enough(compared.programs > asked / 2 && compared.smaller > asked / 3, "models");
    trial.enough(compared.fewer_states * 2 < compared.states, "states left out");
    trial.enough(compared.faults > 0 && compared.changes > 0, "faults and changes");
}

fn ends(trial: &mut Trial<'_>) {
    let compared = trial.cases(0..300, |case, compared: &mut Compared| {
        let system = of_promela(&case.keep(random_symmetric(case.seed, true))).map_err(|_| REFUSED)?;
        compare(&format!("model {}", case.seed), &system, What::WithoutEnded, 4000, compared).ok_or(TOO_LARGE)
    });
    let asked = trial.asked();
    trial.enough(compared.programs > asked / 2 && compared.smaller > asked / 3, "models");
    trial.enough(compared.fewer_states * 2 < compared.states, "states left out");
    trial.enough(compared.faults > 0 && compared.deadlocks > 0, "faults and deadlocks");
}

fn numbered(trial: &mut Trial<'_>) {
    let compared = with_numbers(trial, false);
    trial.enough(compared.faults > 0, "faults");
}

fn told(trial: &mut Trial<'_>) {
    with_numbers(trial, true);
}

/// Numbers go with their processes.
fn with_numbers(trial: &mut Trial<'_>, told: bool) -> Compared {
    let what = if told { What::Told } else { What::Numbered };
    let compared = trial.cases(0..300, |case, compared: &mut Compared| {
        let text = case.keep(random_numbered(case.seed, told));
        let system = of_promela(&text).unwrap_or_else(|why| panic!("{why}"));
        let name = format!("model {}, told {told}:\n{text}", case.seed);
        compare(&name, &system, what, 4000, compared).ok_or(TOO_LARGE)
    });
    let asked = trial.asked();
    trial.enough(compared.programs > asked / 4 && compared.smaller > asked / 12, "models");
    trial.enough(compared.fewer_states * 3 < compared.states * 2, "states left out");
    compared
}

/// Our own models, and those by other people where they are at hand.
fn people(trial: &mut Trial<'_>) {
    let most = trial.states(2000) as usize;
    let compared = trial.models(&[("promela", PROMELA)], 1, |path, _, compared: &mut Compared| {
        let system = interpreter_of(path).ok_or("refused")?;
        let name = path.display().to_string();
        compare(&name, &system, What::WithoutEnded, most, compared).ok_or(TOO_LARGE)
    });
    trial.enough(compared.programs > 0, "models");
}

/// n processes that are each at one of three places, with nothing between them but a counter of those at the second: the
/// states fall from 3^n to the number of ways to distribute n over three places.
#[test]
fn states_are_divided_by_close_to_n_factorial() {
    for n in 2..=6_usize {
        let text = format!(
            "byte busy, x0; active [{n}] proctype P() {{ byte a, b, c; do :: busy++; a = !a; b = b ^ a; busy--; c = c ^ b od }}"
        );
        let system = of_promela(&text).expect("a good model");
        let quotient = quotient_of(&system, ALL).expect("nothing tells them apart");
        let fewer = walk(&mut *quotient.stepper(), 2_000_000, |_, _| {}).states.len();
        // Each process alone has k states, all combinations are reachable: multisets of n out of k.
        let alone = of_promela(&text.replace(&format!("[{n}]"), "[1]")).expect("a good model");
        let k = walk(&mut *alone.stepper(), 1000, |_, _| {}).states.len();
        let multisets = (0..n).fold(1, |product, i| product * (k + i) / (i + 1));
        assert_eq!(fewer, multisets, "{n} processes of {k} states");
    }
}

/// What tells processes apart is found, with its line.
#[test]
fn leaks_are_found_with_their_place() {
    let found = |text: &str, notices| match quotient_of(&of_promela(text).expect("a good model"), notices) {
        Ok(_) => Vec::new(),
        Err(leaks) => leaks,
    };
    let leaks = |text: &str, every_step| found(text, Notices { every_step, past_faults: false });
    let first = |text: &str| {
        let leaks = leaks(text, false);
        assert!(!leaks.is_empty(), "{text}");
        (leaks[0].mark.clone(), leaks[0].place.as_ref().map(|(_, line)| *line))
    };
    let adds = "byte x;\nactive [2] proctype P() { x = 1;\n x = _pid + 1 }";
    assert_eq!(first(adds), ("_pid".to_owned(), Some(3)));
    let idle = "active [2] proctype P() {\n do :: timeout od }";
    assert_eq!(leaks(idle, true), Vec::new(), "who never ends may wait");
    let waits = "byte x; active [2] proctype P() {\n (timeout) -> x = 1 }";
    assert_eq!(first(waits), ("timeout".to_owned(), Some(2)));
    let counts = "byte x; active [2] proctype P() { x = 1 }\nactive proctype M() {\n _nr_pr == 2 }";
    assert_eq!(first(counts), ("_nr_pr".to_owned(), Some(3)));
    let looks =
        "byte x; active [2] proctype P() { here: do :: x = 1 od }\nactive proctype M() {\n P[1]@here }";
    assert_eq!(first(looks), ("P".to_owned(), Some(3)));
    let keeps = "byte x; proctype P() { do :: x = 1 od }\ninit {\n x = run P(); run P() }";
    assert!(!leaks(keeps, true).is_empty(), "x is for any number");
    let keeps = "byte x; proctype P() { x = 1 }\ninit { byte p;\n p = run P(); run P() }";
    assert_eq!(first(keeps), ("run".to_owned(), Some(3)));
    let takes_turns = "byte turn; bool flag[2]; active [2] proctype P() {\n do :: flag[_pid] = 1; turn = _pid; turn == _pid od }";
    assert_eq!(leaks(takes_turns, true), Vec::new(), "a number only says whose it is");
    let next = "byte turn; active [2] proctype P() {\n do :: turn = 1 - _pid od }";
    assert_eq!(first(next), ("_pid".to_owned(), Some(2)));
    let first_of_all =
        "byte turn; active [2] proctype P() {\n do :: turn = _pid od }\nactive proctype M() {\n turn == 1 }";
    assert_eq!(first(first_of_all), ("1".to_owned(), Some(4)));
    let none = "byte turn = 2; active [2] proctype P() {\n do :: turn == 2 -> turn = _pid :: turn = 2 od }";
    assert_eq!(leaks(none, true), Vec::new(), "2 is nobody's number");
    let order = "byte turn; active [2] proctype P() {\n do :: turn = _pid; turn > _pid od }";
    assert!(!leaks(order, true).is_empty(), "numbers have an order");
    let last = "byte x; active [2] proctype P() { do :: x = 1;\n x = _last od }";
    assert_eq!(first(last), ("_last".to_owned(), Some(2)));
    let asks = "byte x; active [2] proctype P() { do :: x = 1 od }\nactive proctype M() {\n x = enabled(1) }";
    assert_eq!(first(asks).0, "enabled");
    let owns = "byte x; active [2] proctype P() { chan c = [1] of { byte }; do :: c!1; c?x od }";
    assert_eq!(first(owns), (String::new(), None));
    let single = "byte x; active proctype P() { do :: x = 1 od }";
    assert_eq!(first(single), (String::new(), None));
    let prints = "byte x; active [2] proctype P() { do :: x = 1; printf(\"%d\\n\", _pid) od }";
    assert_eq!(leaks(prints, true), Vec::new(), "what is only printed tells nobody apart");
    let ends = "byte x; active [2] proctype P() { x = 1 }";
    assert_eq!(leaks(ends, false), Vec::new());
    assert_eq!(leaks(ends, true).len(), 1, "the steps in which they go may be counted");
    let waits_for_all = "byte x; proctype P() { x = 1 } init { run P(); run P(); _nr_pr == 1 -> x = 2 }";
    assert_eq!(leaks(waits_for_all, false), Vec::new());
    let behind_faults = Notices { every_step: false, past_faults: true };
    assert_eq!(found(waits_for_all, behind_faults), Vec::new(), "there is room for three");
    let more_and_more = "byte x; proctype P() { x = 1 } init { do :: run P() od }";
    assert_eq!(leaks(more_and_more, false), Vec::new());
    assert_eq!(found(more_and_more, behind_faults).len(), 1, "there is no room for all");
    let one_another = "byte x; proctype P() { if :: run P() :: x = 1 fi } init { run P() }";
    assert_eq!(found(one_another, behind_faults).len(), 1, "there is no room for all");
    let in_one_step = "byte x; proctype P() { x = 1 } init { d_step { do :: run P(); x++ od } }";
    assert_eq!(found(in_one_step, behind_faults).len(), 1, "there is no room for all");
}
