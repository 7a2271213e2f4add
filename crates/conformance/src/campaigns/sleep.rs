//! Sleep sets leave out transitions, never states: on random systems of processes that share some variables, with a store
//! that keeps everything and with stores that forget.

#[cfg(test)]
use elnath_kernel::dfsr;
use elnath_kernel::rng::Rng;
use elnath_kernel::search::sleeping;
use elnath_kernel::store::{Numbered, Replacement, Replacing, Sleeps};
use elnath_kernel::{
    Action, Budget, Describe, Edge, End, Fault, Hooks, Limit, Outcome, Stepper, Successors, System, Terse,
    Transition, Witness, replay,
};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use super::Part;
use crate::trial::{Trial, counts};

pub(super) const PARTS: &[Part] = &[
    Part { name: "sleep", meaning: "sleep sets leave out no state and no transition", run: all_seen },
    Part { name: "sleep-runs", meaning: "and the runs to states are runs", run: found },
];

/// Something that a process may do: from a place, if a variable has a value, to another place, changing a variable.
#[derive(Clone, Debug)]
struct Command {
    from: u8,
    to: u8,
    guard: Option<(usize, u8)>,
    effect: Option<(usize, u8, bool)>,
}

/// Processes, and the variables they share. A state is their places and then the values.
#[derive(Clone, Debug)]
struct Processes {
    commands: Vec<Vec<Command>>,
    variables: usize,
}

const VALUES: u64 = 3;

impl Processes {
    fn random(seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let (processes, places) = (2 + rng.below(3), 2 + rng.below(3));
        let variables = 1 + rng.below(4) as usize;
        let mut below = |n: u64| rng.below(n);
        let commands = (0..processes).map(|_| {
            let n = 1 + below(places * 2);
            let command = |_| Command {
                from: below(places) as u8,
                to: below(places) as u8,
                guard: (below(2) == 0).then(|| (below(variables as u64) as usize, below(VALUES) as u8)),
                effect: (below(3) > 0)
                    .then(|| (below(variables as u64) as usize, below(VALUES) as u8, below(2) == 0)),
            };
            (0..n).map(command).collect()
        });
        Self { commands: commands.collect(), variables }
    }

    fn start(&self) -> Vec<u8> {
        vec![0; self.commands.len() + self.variables]
    }

    fn next(&self, state: &[u8], pid: usize, command: &Command) -> Option<Vec<u8>> {
        let first = self.commands.len();
        let fits = command.guard.is_none_or(|(variable, value)| state[first + variable] == value);
        (state[pid] == command.from && fits).then(|| {
            let mut next = state.to_vec();
            next[pid] = command.to;
            if let Some((variable, value, add)) = command.effect {
                let place = &mut next[first + variable];
                *place = if add { (*place + value) % VALUES as u8 } else { value };
            }
            next
        })
    }

    fn steps(&self, state: &[u8]) -> Vec<(Transition, Vec<u8>)> {
        let all = self.commands.iter().enumerate().flat_map(|(pid, commands)| {
            commands.iter().enumerate().map(move |(number, command)| (pid, number, command))
        });
        all.filter_map(|(pid, number, command)| {
            let next = self.next(state, pid, command)?;
            Some((Transition((pid << 8 | number) as u64), next))
        })
        .collect()
    }

    fn reachable(&self) -> BTreeSet<Vec<u8>> {
        let (mut seen, mut todo) = (BTreeSet::from([self.start()]), vec![self.start()]);
        while let Some(state) = todo.pop() {
            for (_, next) in self.steps(&state) {
                if seen.insert(next.clone()) {
                    todo.push(next);
                }
            }
        }
        seen
    }
}

impl System for Processes {
    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(Walker(self))
    }

    fn describe(&self) -> &dyn Describe {
        self
    }

    fn bytes(&self) -> usize {
        0
    }
}

impl Terse for Processes {
    fn state_text(&self, state: &[u8]) -> String {
        format!("{state:?}")
    }

    fn action_text(&self, action: Action) -> String {
        action.0.to_string()
    }
}

struct Walker<'a>(&'a Processes);

impl Stepper for Walker<'_> {
    fn initial(&mut self, out: &mut Vec<u8>) {
        *out = self.0.start();
    }

    fn enabled(&mut self, state: &[u8], out: &mut Vec<Transition>) {
        *out = self.0.steps(state).into_iter().map(|(t, _)| t).collect();
    }

    fn fire(&mut self, state: &[u8], t: Transition, out: &mut Vec<u8>) -> Result<(), Fault> {
        let (pid, number) = ((t.0 >> 8) as usize, (t.0 & 0xff) as usize);
        *out = self.0.next(state, pid, &self.0.commands[pid][number]).expect("it is enabled");
        Ok(())
    }

    fn action(&mut self, _: &[u8], t: Transition) -> Action {
        Action(t.0 as u32)
    }

    fn successors(&mut self, state: &[u8], out: &mut Successors) {
        out.fire_all(self, state);
    }

    fn may_end(&mut self, _state: &[u8]) -> bool {
        false
    }

    fn transition_bits(&self) -> u32 {
        32
    }

    elnath_kernel::facets! { mine: processes; none: propositions, acceptance, tally }
}

impl elnath_kernel::Processes for Walker<'_> {
    fn mover(&mut self, t: Transition) -> Option<u32> {
        Some((t.0 >> 8) as u32)
    }

    fn movers(&mut self, _state: &[u8], t: Transition) -> u64 {
        elnath_kernel::facets::only(self.mover(t))
    }

    fn owing(&mut self, _state: &[u8]) -> u64 {
        0
    }

    fn locations(&mut self, state: &[u8], out: &mut Vec<u64>) {
        out.splice(.., state.iter().map(|&byte| u64::from(byte)));
    }

    fn successors_of(&mut self, state: &[u8], process: u32, out: &mut Successors) {
        out.fire_some(self, state, |stepper, t| stepper.mover(t) == Some(process));
    }
}

/// Notes what it is shown, and may stop at a state.
#[derive(Default)]
struct Seen {
    states: BTreeSet<Vec<u8>>,
    edges: BTreeSet<(Vec<u8>, u64)>,
    target: Option<Vec<u8>>,
}

impl Hooks for Seen {
    fn expand(&mut self, _: &mut dyn Stepper, state: &[u8], _: &Successors) -> ControlFlow<()> {
        self.states.insert(state.to_vec());
        if self.target.as_deref() == Some(state) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn edge(&mut self, _: &mut dyn Stepper, edge: Edge<'_>) -> ControlFlow<()> {
        self.edges.insert((edge.from.to_vec(), edge.transition.0));
        ControlFlow::Continue(())
    }
}

fn walk<S: Sleeps>(system: &Processes, mut store: S, seen: &mut Seen) -> Outcome {
    let mut watch = |_: &_| None;
    let mut budget =
        Budget { memory: usize::MAX, depth: usize::MAX, states: u64::MAX, disk: None, watch: &mut watch };
    sleeping(&mut *system.stepper(), &mut store, seen, &system.start(), &mut budget)
}

fn replacing(most: usize, seed: u64) -> Replacing {
    let replacement = match seed % 3 {
        0 => Replacement::Random,
        1 => Replacement::LeastRecentlyUsed,
        _ => Replacement::Stratified { period: 3 },
    };
    Replacing::new(replacement, 8, most, Rng::new(seed))
}

/// Systems that notice it if nobody is ever woken in a store that forgets, and if those who were followed before somebody was
/// woken may sleep behind him: this is rare.
const TELLING: [u64; 2] = [1586, 13_829];

fn all_seen(trial: &mut Trial<'_>) {
    counts! {
        struct Sums { asleep, transitions, forgetful, replacements }
    }
    let sums = trial.cases((0..1500).chain(TELLING), |case, sums: &mut Sums| {
        let seed = case.seed;
        let system = Processes::random(seed);
        let reachable = system.reachable();
        let edges: usize = reachable.iter().map(|state| system.steps(state).len()).sum();
        let mut seen = Seen::default();
        let outcome = walk(&system, Numbered::default(), &mut seen);
        assert_eq!(outcome.end, End::Complete, "seed {seed}");
        assert_eq!(seen.states, reachable, "seed {seed}");
        assert_eq!(seen.edges.len(), edges, "seed {seed}");
        assert_eq!(outcome.counters.states, reachable.len() as u64, "each state is put in once, seed {seed}");
        assert_eq!(outcome.counters.transitions, edges as u64, "and expanded once, seed {seed}");
        sums.asleep += outcome.counters.asleep;
        sums.transitions += outcome.counters.transitions;
        // All memory, some, and hardly any.
        for part in [1, 2, 4, 10] {
            let most = (reachable.len() / part).max(outcome.counters.depth + 2);
            let mut seen = Seen::default();
            let outcome = walk(&system, replacing(most, seed), &mut seen);
            match outcome.end {
                End::Complete => {
                    assert_eq!(seen.states, reachable, "seed {seed}, {most} states of memory");
                    assert_eq!(seen.edges.len(), edges, "seed {seed}, {most} states of memory");
                    sums.forgetful += 1;
                    sums.replacements += outcome.counters.replacements;
                }
                // The path may be longer than with all memory.
                End::Limited(Limit::Memory | Limit::Thrashing) => {}
                end => panic!("seed {seed}: {end:?}"),
            }
        }
        Ok(())
    });
    let asked = trial.asked();
    trial.enough(sums.asleep * 20 > sums.transitions, "transitions that sleep");
    trial.enough(sums.forgetful >= asked && sums.replacements > asked, "replacements");
}

fn found(trial: &mut Trial<'_>) {
    let (): () = trial.cases(0..500, |case, ()| {
        let seed = case.seed;
        let system = Processes::random(seed);
        let reachable = system.reachable();
        let target = reachable.iter().nth(seed as usize % reachable.len()).expect("there is a state").clone();
        let most = reachable.len() + 2;
        let mut seen = Seen { target: Some(target.clone()), ..Seen::default() };
        let outcome = walk(&system, replacing(most / 2 + 8, seed), &mut seen);
        if outcome.end == End::Limited(Limit::Memory) || outcome.end == End::Limited(Limit::Thrashing) {
            return Err("without room for the path");
        }
        assert_eq!(outcome.end, End::Stopped, "seed {seed}");
        let run =
            replay(&system, &outcome.witness.and_then(Witness::run).expect("a run")).expect("it is one");
        assert_eq!(run.last(), target, "seed {seed}");
        Ok(())
    });
}

/// Processes that have nothing in common: of all orders one is followed, so that no state is arrived at twice.
#[test]
fn strangers_meet_no_state_twice() {
    let steps =
        |n: u8| (0..n).map(|from| Command { from, to: from + 1, guard: None, effect: None }).collect();
    let system = Processes { commands: vec![steps(4), steps(4), steps(4)], variables: 0 };
    let mut seen = Seen::default();
    let outcome = walk(&system, Numbered::default(), &mut seen);
    assert_eq!(outcome.counters.states, 125);
    assert_eq!(outcome.counters.transitions, 300);
    // A tree: each state but the first is arrived at once, all else sleeps.
    assert_eq!(outcome.counters.asleep, 300 - 124);
    // So memory for the path is enough to see each state once.
    let outcome = walk(&system, replacing(outcome.counters.depth + 1, 0), &mut Seen::default());
    assert_eq!((outcome.end, outcome.counters.insertions), (End::Complete, 125));
    let mut watch = |_: &_| None;
    let mut budget =
        Budget { memory: usize::MAX, depth: usize::MAX, states: u64::MAX, disk: None, watch: &mut watch };
    let mut stack = replacing(13, 0).with_thrashing_factor(u64::MAX);
    let without = dfsr(&mut *system.stepper(), &mut stack, &mut (), &system.start(), &mut budget);
    assert!(without.counters.insertions > 1000, "{} without sleep sets", without.counters.insertions);
}
