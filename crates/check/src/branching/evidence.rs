//! What shows the value of a formula: a part of the model, found by a solver and checked on the model as it was written.

use super::arena::{Kinds, StateArena};
use super::story::{self, Chapter};
use super::{BranchingFormula, LARGEST_PROOF};
use crate::refusal::Refusal;
use elnath_kernel::{Budget, Run, System, Transition};
use elnath_logic::branching::lower::{StateTest, Tested};
use elnath_solve::proof::{Proof, find};
use std::collections::{HashMap, HashSet};

/// A part of the model on which the formula has the value that it has on the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// The value.
    pub value: bool,
    /// The states; the first is the initial one.
    pub states: Vec<Vec<u8>>,
    /// The transitions.
    pub steps: Vec<EvidenceStep>,
    /// How many pairs of state and position the proof has.
    pub pairs: usize,
    /// What the proof says.
    pub story: Vec<Chapter>,
}

/// A transition of an [`Evidence`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EvidenceStep {
    /// The state it leaves, by its place in [`Evidence::states`].
    pub from: u32,
    /// The transition.
    pub transition: Transition,
    /// The state it leads to.
    pub to: u32,
}

impl Evidence {
    /// Whether all its transitions are those of a system, from the initial state on.
    pub fn is_part_of(&self, system: &dyn System) -> bool {
        let (mut stepper, mut enabled, mut next) = (system.stepper(), Vec::new(), Vec::new());
        stepper.initial(&mut next);
        self.states.first() == Some(&next)
            && self.steps.iter().all(|step| {
                let (Some(from), Some(to)) =
                    (self.states.get(step.from as usize), self.states.get(step.to as usize))
                else {
                    return false;
                };
                stepper.enabled(from, &mut enabled);
                let is_enabled = enabled.contains(&step.transition);
                // A step that runs into a fault leads somewhere all the same.
                let _ = is_enabled && stepper.fire(from, step.transition, &mut next).is_ok();
                is_enabled && next == *to
            })
    }

    /// If it is one run, perhaps with a cycle at its end: its transitions in order, and the one with which the cycle begins.
    pub fn run(&self) -> Option<(Vec<Transition>, Option<usize>)> {
        let mut next: HashMap<u32, EvidenceStep> = HashMap::new();
        for step in &self.steps {
            if next.insert(step.from, *step).is_some() {
                return None;
            }
        }
        let (mut at, mut run, mut met) = (0, Vec::new(), HashMap::from([(0, 0)]));
        while let Some(step) = next.get(&at) {
            run.push(step.transition);
            at = step.to;
            if let Some(&begin) = met.get(&at) {
                return (run.len() == self.steps.len()).then_some((run, Some(begin)));
            }
            met.insert(at, run.len());
        }
        (run.len() == self.steps.len()).then_some((run, None))
    }
}

/// A state's place in the list of states, and a position.
pub(super) type NamedPair = (u32, u32);

/// A proof with states as bytes.
pub(super) struct NamedProof {
    pub(super) value: bool,
    pub(super) vertices: Vec<(NamedPair, Vec<NamedPair>)>,
    pub(super) states: Vec<Vec<u8>>,
}

/// Checks a proof on the model as it was written, and cuts out what it uses.
pub(super) fn confirmed(
    system: &dyn System,
    formula: &BranchingFormula<'_>,
    found: &NamedProof,
) -> Result<Evidence, Refusal> {
    let mut watch = |_: &elnath_kernel::Counters| None;
    let mut budget =
        Budget { memory: usize::MAX, depth: usize::MAX, states: u64::MAX, disk: None, watch: &mut watch };
    let mut arena = StateArena::new(system, formula, &mut budget);
    let refused = |_| Refusal::NO_VIOLATION;
    let root = match arena.initial().map_err(refused)? {
        Ok(root) => root,
        Err(_) => return Err(Refusal::NO_VIOLATION),
    };
    let mut vertices = Vec::with_capacity(found.vertices.len());
    for ((state, position), successors) in &found.vertices {
        let vertex = arena.vertex_of(&found.states[*state as usize], *position).map_err(refused)?;
        let mut to = Vec::with_capacity(successors.len());
        for (state, position) in successors {
            to.push(arena.vertex_of(&found.states[*state as usize], *position).map_err(refused)?);
        }
        vertices.push((vertex, to));
    }
    let proof = Proof { value: found.value, vertices };
    if proof.vertices.first().is_none_or(|(first, _)| *first != root) {
        return Err(Refusal::NO_VIOLATION);
    }
    if proof.check(&mut arena).map_err(refused)?.is_err() {
        return Err(Refusal::NO_VIOLATION);
    }
    let decided = proof.vertices.iter().enumerate().filter(|(_, (_, successors))| successors.is_empty());
    let test = |(number, (vertex, _)): (usize, &(u32, _))| Some((number, arena.deciding_test(*vertex)?));
    let decides: HashMap<usize, StateTest> = decided.filter_map(test).collect();
    drop(arena);
    let mut evidence = cut_out(system, formula, found);
    evidence.story = story::of_proof(system, formula, found, &evidence.steps, &decides);
    if evidence.is_part_of(system) { Ok(evidence) } else { Err(Refusal::NO_VIOLATION) }
}

/// What shows that a run decides: a proof within the states of the run.
pub(super) fn of_run(
    system: &dyn System,
    formula: &BranchingFormula<'_>,
    run: &Run,
    value: bool,
) -> Result<Option<Evidence>, Refusal> {
    let mut watch = |_: &elnath_kernel::Counters| None;
    let mut budget =
        Budget { memory: usize::MAX, depth: usize::MAX, states: u64::MAX, disk: None, watch: &mut watch };
    let mut arena = StateArena::new(system, formula, &mut budget);
    let refused = |_| Refusal::NO_VIOLATION;
    let Ok(root) = arena.initial().map_err(refused)? else { return Ok(None) };
    let mut last = 0;
    for state in &run.states {
        let vertex = arena.vertex_of(state, formula.positions.root).map_err(refused)?;
        last = last.max(arena.state_of(vertex));
    }
    let within = |arena: &StateArena<'_, '_>, vertex: u32| arena.state_of(vertex) <= last;
    let Some(proof) = find(&mut arena, root, value, within, LARGEST_PROOF).map_err(refused)? else {
        return Ok(None);
    };
    let found = arena.named(&proof);
    drop(arena);
    confirmed(system, formula, &found).map(Some)
}

/// The transitions that the proof uses: all by which a pair leads on where all matter, one where one does.
fn cut_out(system: &dyn System, formula: &BranchingFormula<'_>, found: &NamedProof) -> Evidence {
    let numbers: HashMap<&[u8], u32> =
        found.states.iter().enumerate().map(|(number, state)| (state.as_slice(), number as u32)).collect();
    let (mut kinds, mut stepper) = (Kinds::new(*formula), system.stepper());
    let mut leaving: HashMap<u32, Vec<(Transition, u32, u32)>> = HashMap::new();
    let (mut steps, mut known) = (Vec::new(), HashSet::new());
    let (mut enabled, mut next) = (Vec::new(), Vec::new());
    for ((state, position), successors) in &found.vertices {
        let position = &formula.positions.positions[*position as usize];
        let of_steps = position.tests.iter().any(|test| test.of == Tested::Deadlock);
        if position.moves.is_empty() && !of_steps {
            continue;
        }
        let from = &found.states[*state as usize];
        let leaving = leaving.entry(*state).or_insert_with(|| {
            stepper.enabled(from, &mut enabled);
            let mut leaving = Vec::new();
            for &transition in &enabled {
                // A step that runs into a fault leads somewhere all the same.
                let _ = stepper.fire(from, transition, &mut next);
                let to = numbers.get(next.as_slice()).copied().unwrap_or(u32::MAX);
                leaving.push((transition, to, kinds.of(system, stepper.action(from, transition))));
            }
            leaving
        });
        if of_steps && let Some(&(transition, target, _)) = leaving.first() {
            // That there is a step is shown by one.
            steps.push((*state, transition, target));
        }
        for &(action, to) in &position.moves {
            // Of a constant there is no pair: what makes it true or false is one step.
            let constant =
                to < 2 && (to == 1) == found.value && position.all != found.value && successors.is_empty();
            let one = position.all != found.value;
            for &(transition, target, kind) in leaving.iter() {
                if !kinds.matches(kind, action) {
                    continue;
                }
                let wanted = constant || successors.contains(&(target, to));
                if !wanted {
                    continue;
                }
                steps.push((*state, transition, target));
                if one {
                    break;
                }
            }
        }
    }
    // States that a step to a constant leads to.
    let mut states = found.states.clone();
    let mut beside: HashMap<Vec<u8>, u32> = HashMap::new();
    let mut result = Vec::new();
    for (from, transition, to) in steps {
        let to = if to == u32::MAX {
            let _ = stepper.fire(&found.states[from as usize], transition, &mut next);
            *beside.entry(next.clone()).or_insert_with(|| {
                states.push(next.clone());
                states.len() as u32 - 1
            })
        } else {
            to
        };
        let step = EvidenceStep { from, transition, to };
        if known.insert(step) {
            result.push(step);
        }
    }
    let pairs = found.vertices.len();
    Evidence { value: found.value, states, steps: result, pairs, story: Vec::new() }
}
