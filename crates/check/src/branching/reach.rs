//! Formulas that are decided by one state: reachability, by all searches and stores there are.
//!
//! If everything on the way is a conjunction whose cycles are true, the formula is false if and only if some run leads to a pair of state and position
//! with a test that fails there: `AG p`, `[true* . a . (not b)* . c] false`, `A[] not deadlock`. If everything is a disjunction whose cycles are
//! false, it is true if and only if a run leads to a test that holds: `EF p`, `<true* . a> true`. The pairs are the states of a product, whose only
//! proposition says that the test has not failed (or held) yet, and that is a question about an invariant. Positions that are left without a step
//! belong to the pair they are left from. If one position does for all, the product is the system itself with that proposition.

use super::arena::{BranchingFormula, Kinds};
use super::evidence::{self, Evidence};
use super::rule_of;
use crate::plan::Plan;
use crate::reachability::{self, Safety, SafetyAnswer};
use crate::refusal::Refusal;
use elnath_kernel::event::{Disabled, Event, Field, Operand, StatePart};
use elnath_kernel::facets::Propositions;
use elnath_kernel::{
    Action, Budget, Describe, Fault, Limit, Run, Stepper, Successors, System, Transition, Verdict, facets,
    hand_on, replay,
};
use elnath_logic::branching::lower::Tested;
use elnath_logic::branching::{ActionId, Positions};
use elnath_solve::Rule;
use std::collections::HashMap;

/// What a run is looked for through.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Whether everything on the way is a conjunction: the formula is false if something is found.
    pub all: bool,
    places: Vec<Place>,
    /// Positions that are evaluated in one state, those they consist of first.
    locals: Vec<u32>,
    /// Whether what is looked for is a state without successors and nothing else.
    only_deadlocks: bool,
}

/// A position of the product, with those that it leads to without a step.
#[derive(Clone, Debug, Default)]
struct Place {
    /// Positions of which all (some) must hold here.
    here: Vec<u32>,
    /// The steps: on which actions to which place.
    moves: Vec<(ActionId, u16)>,
    /// Steps that decide by being possible.
    decisive: Vec<ActionId>,
    /// The positions that are on the way, whose tests count.
    through: Vec<u32>,
}

impl Shape {
    /// The shape of a formula that is decided by one state.
    pub fn of(positions: &Positions) -> Option<Self> {
        const CONSTANTS: u32 = 2;
        let is_local = locals(positions);
        let root = positions.root;
        if root < CONSTANTS || is_local[root as usize] {
            return None;
        }
        let all = positions.positions[root as usize].all;
        let (mut places, mut numbers) = (Vec::new(), HashMap::from([(root, 0u16)]));
        let mut waiting = vec![root];
        let mut used: Vec<u32> = Vec::new();
        while let Some(&entry) = waiting.get(places.len()) {
            let mut place = Place::default();
            let (mut todo, mut seen) = (vec![entry], std::collections::HashSet::from([entry]));
            while let Some(at) = todo.pop() {
                if is_local[at as usize] {
                    place.here.push(at);
                    used.push(at);
                    continue;
                }
                let position = &positions.positions[at as usize];
                let cycle = match rule_of(positions.block_of(at)) {
                    Rule::Once => all,
                    Rule::SomeOf(cycle) | Rule::AllOf(cycle) => cycle,
                    Rule::Mixed(_) | Rule::Alternating => return None,
                };
                if position.all != all || cycle != all {
                    return None;
                }
                place.through.push(at);
                todo.extend(position.here.iter().filter(|&&to| seen.insert(to)));
                for &(action, to) in &position.moves {
                    if to < CONSTANTS {
                        if (to == 1) != all {
                            place.decisive.push(action);
                        }
                        continue;
                    }
                    let new = u16::try_from(waiting.len()).ok()?;
                    let number = *numbers.entry(to).or_insert(new);
                    if number == new {
                        waiting.push(to);
                    }
                    place.moves.push((action, number));
                }
            }
            places.push(place);
        }
        // What local positions consist of.
        let mut todo = used.clone();
        while let Some(at) = todo.pop() {
            for &to in &positions.positions[at as usize].here {
                if !used.contains(&to) {
                    used.push(to);
                    todo.push(to);
                }
            }
        }
        used.sort_unstable_by_key(|&at| (positions.positions[at as usize].block, at));
        used.dedup();
        let only_deadlocks = all && only_deadlocks(positions, &places);
        Some(Self { all, places, locals: used, only_deadlocks })
    }
}

/// Whether everything there is says that a state has successors.
fn only_deadlocks(positions: &Positions, places: &[Place]) -> bool {
    let [place] = places else { return false };
    let mut tests = place.through.iter().flat_map(|&at| &positions.positions[at as usize].tests);
    let first = tests.next().is_some_and(|test| test.of == Tested::Deadlock && !test.holds);
    first && tests.next().is_none() && place.here.is_empty() && place.decisive.is_empty()
}

/// Which positions are decided by a state and the actions that are possible there.
fn locals(positions: &Positions) -> Vec<bool> {
    let mut order: Vec<u32> = (0..positions.positions.len() as u32).collect();
    order.sort_unstable_by_key(|&at| positions.positions[at as usize].block);
    let mut local = vec![false; order.len()];
    for at in order {
        let position = &positions.positions[at as usize];
        local[at as usize] = positions.block_of(at).levels == 0
            && position.here.iter().all(|&to| local[to as usize])
            && position.moves.iter().all(|&(_, to)| to < 2);
    }
    local
}

/// The product.
pub struct ReachSystem<'s> {
    below: &'s dyn System,
    formula: BranchingFormula<'s>,
    shape: &'s Shape,
    /// Bytes of a state that tell the place.
    width: usize,
    bits: u32,
    /// Whether steps have to be looked at to decide in a state.
    looks_at_steps: bool,
    /// Whether every step is followed, once.
    plain: bool,
}

impl<'s> ReachSystem<'s> {
    /// Makes it.
    pub fn new(below: &'s dyn System, formula: &BranchingFormula<'s>, shape: &'s Shape) -> Self {
        let kinds = Kinds::new(*formula);
        let plain = shape.places.len() == 1 && shape.places[0].moves.len() == 1 && kinds.is_trivial();
        let width = match shape.places.len() {
            1 => 0,
            count if count <= 256 => 1,
            _ => 2,
        };
        let positions = &formula.positions.positions;
        let through = shape.places.iter().flat_map(|place| &place.through);
        let of_deadlock =
            |&at: &u32| positions[at as usize].tests.iter().any(|test| test.of == Tested::Deadlock);
        let by_steps = |place: &Place| !place.decisive.is_empty();
        let looks_at_steps = (!shape.only_deadlocks && through.chain(&shape.locals).any(of_deadlock))
            || shape.places.iter().any(by_steps)
            || shape.locals.iter().any(|&at| !positions[at as usize].moves.is_empty());
        let bits = below.stepper().transition_bits();
        Self { below, formula: *formula, shape, width, bits, looks_at_steps, plain }
    }

    fn question(&self) -> Safety<'static> {
        let only = self.shape.only_deadlocks;
        Safety { deadlocks: only, faults: false, invariants: u64::from(!only), ..Safety::DEADLOCKS }
    }

    /// A state without its place, and the place.
    fn split<'a>(&self, state: &'a [u8]) -> (&'a [u8], u16) {
        let (state, tail) = state.split_at(state.len() - self.width);
        let place = match tail {
            [] => 0,
            [place] => u16::from(*place),
            tail => u16::from_le_bytes([tail[0], tail[1]]),
        };
        (state, place)
    }

    fn below(&self, t: Transition) -> Transition {
        Transition(t.0 & 1u64.checked_shl(self.bits).map_or(u64::MAX, |bit| bit - 1))
    }

    /// A run of the system alone.
    fn alone(&self, run: &Run) -> Result<Run, Refusal> {
        let steps: Vec<Transition> = run.steps.iter().map(|&t| self.below(t)).collect();
        Ok(replay(self.below, &steps)?)
    }
}

/// What was found.
pub struct Reached {
    /// The value of the formula, or what ran out.
    pub value: Result<bool, Limit>,
    /// The run that shows it.
    pub evidence: Option<Evidence>,
    /// The answer of the search.
    pub answer: SafetyAnswer,
}

/// Asks with a search.
///
/// # Errors
/// If the search and the store do not go together, or a run could not be replayed.
pub fn ask(
    system: &dyn System,
    as_written: &dyn System,
    formula: &BranchingFormula<'_>,
    shape: &Shape,
    plan: &Plan,
    budget: &mut Budget<'_>,
) -> Result<Reached, Refusal> {
    let product = ReachSystem::new(system, formula, shape);
    let answer = reachability::ask(&product, &product.question(), plan, budget)?;
    let value = match &answer.verdict {
        Verdict::Fails(_) => Ok(!shape.all),
        Verdict::Unknown(limit) => Err(*limit),
        Verdict::Holds(_) => Ok(shape.all),
    };
    let mut evidence = None;
    if let Some((violation, run)) = &answer.violation {
        let again = ReachSystem::new(as_written, formula, shape);
        reachability::confirm(&again, &again.question(), *violation, run)?;
        evidence = evidence::of_run(as_written, formula, &again.alone(run)?, !shape.all)?;
    }
    Ok(Reached { value, evidence, answer })
}

impl System for ReachSystem<'_> {
    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(ReachStepper {
            system: self,
            engine: self.below.stepper(),
            kinds: Kinds::new(self.formula),
            values: vec![false; self.formula.positions.positions.len()],
            enabled: Vec::new(),
            possible: Vec::new(),
            made: Successors::default(),
        })
    }

    fn describe(&self) -> &dyn Describe {
        self
    }

    hand_on! { below: bytes }
}

impl Describe for ReachSystem<'_> {
    hand_on! { below: action_name, action_place, fault_name, gave_up }

    fn show_state(&self, state: &[u8]) -> String {
        self.below.show_state(self.split(state).0)
    }

    fn state_parts(&self, state: &[u8]) -> Vec<StatePart> {
        self.below.state_parts(self.split(state).0)
    }

    fn fields(&self, state: &[u8]) -> Vec<Field> {
        self.below.fields(self.split(state).0)
    }

    fn show_transition(&self, state: &[u8], t: Transition) -> String {
        self.below.show_transition(self.split(state).0, self.below(t))
    }

    fn events(&self, state: &[u8], t: Transition) -> Vec<Event> {
        self.below.events(self.split(state).0, self.below(t))
    }

    fn actors(&self, state: &[u8]) -> Vec<String> {
        self.below.actors(self.split(state).0)
    }

    fn waiting(&self, state: &[u8]) -> Vec<Event> {
        self.below.waiting(self.split(state).0)
    }

    fn disabled(&self, state: &[u8]) -> Vec<Disabled> {
        self.below.disabled(self.split(state).0)
    }
}

struct ReachStepper<'s> {
    system: &'s ReachSystem<'s>,
    engine: Box<dyn Stepper + 's>,
    kinds: Kinds<'s>,
    /// Of positions that are evaluated in one state.
    values: Vec<bool>,
    enabled: Vec<Transition>,
    /// The kinds of the steps that are possible.
    possible: Vec<u32>,
    made: Successors,
}

impl ReachStepper<'_> {
    /// Whether this state and place decide.
    fn decides(&mut self, state: &[u8]) -> bool {
        let ReachSystem { formula, shape, below, .. } = *self.system;
        let (state, place) = self.system.split(state);
        let place = &shape.places[place as usize];
        let looks = !formula.propositions.is_empty();
        let valuation = if looks { self.engine.valuation(state) } else { 0 };
        self.possible.clear();
        let mut is_dead = false;
        if self.system.looks_at_steps {
            self.engine.enabled(state, &mut self.enabled);
            is_dead = self.enabled.is_empty();
            if !self.kinds.is_trivial() {
                for &t in &self.enabled {
                    let kind = self.kinds.of(below, self.engine.action(state, t));
                    self.possible.push(kind);
                }
                self.possible.sort_unstable();
                self.possible.dedup();
            } else if !is_dead {
                self.possible.push(0);
            }
        }
        let (kinds, possible) = (&self.kinds, &self.possible);
        let can = |action: ActionId| possible.iter().any(|&kind| kinds.matches(kind, action));
        let positions = &formula.positions.positions;
        let test = |at: u32, all: bool| {
            positions[at as usize].tests.iter().any(|test| {
                let value = match test.of {
                    Tested::Deadlock => is_dead,
                    Tested::Proposition(number) => {
                        valuation >> formula.propositions[number as usize] & 1 == 1
                    }
                };
                (value == test.holds) != all
            })
        };
        for &at in &shape.locals {
            let position = &positions[at as usize];
            let all = position.all;
            let decided = test(at, all)
                || position.here.iter().any(|&to| self.values[to as usize] != all)
                || position.moves.iter().any(|&(action, to)| (to == 1) != all && can(action));
            self.values[at as usize] = decided != all;
        }
        place.through.iter().any(|&at| test(at, shape.all))
            || place.here.iter().any(|&at| self.values[at as usize] != shape.all)
            || place.decisive.iter().any(|&action| can(action))
    }

    fn tail(&self, place: u16) -> [u8; 2] {
        place.to_le_bytes()
    }

    /// The ways on from a place by a transition: the number of the move and the place it leads to.
    fn ways(&mut self, state: &[u8], place: u16, t: Transition) -> Vec<(u64, u16)> {
        let action = if self.kinds.is_trivial() { Action(0) } else { self.engine.action(state, t) };
        let kind = self.kinds.of(self.system.below, action);
        let moves = self.system.shape.places[place as usize].moves.iter().enumerate();
        let kinds = &self.kinds;
        moves
            .filter(|(_, (action, _))| kinds.matches(kind, *action))
            .map(|(number, &(_, to))| (number as u64, to))
            .collect()
    }
}

impl Stepper for ReachStepper<'_> {
    fn initial(&mut self, out: &mut Vec<u8>) {
        self.engine.initial(out);
        out.extend_from_slice(&self.tail(0)[..self.system.width]);
    }

    fn enabled(&mut self, state: &[u8], out: &mut Vec<Transition>) {
        if self.system.plain {
            return self.engine.enabled(state, out);
        }
        let (state, place) = self.system.split(state);
        let mut enabled = std::mem::take(&mut self.enabled);
        self.engine.enabled(state, &mut enabled);
        out.clear();
        for &t in &enabled {
            let ways = self.ways(state, place, t);
            out.extend(ways.iter().map(|(number, _)| Transition(t.0 | number << self.system.bits)));
        }
        self.enabled = enabled;
    }

    fn fire(&mut self, state: &[u8], t: Transition, out: &mut Vec<u8>) -> Result<(), Fault> {
        if self.system.plain {
            return self.engine.fire(state, t, out);
        }
        let (state, place) = self.system.split(state);
        let number = (t.0 >> self.system.bits) as usize;
        let (_, to) = self.system.shape.places[place as usize].moves[number];
        let result = self.engine.fire(state, self.system.below(t), out);
        out.extend_from_slice(&self.tail(to)[..self.system.width]);
        result
    }

    fn successors(&mut self, state: &[u8], out: &mut Successors) {
        if self.system.plain {
            return self.engine.successors(state, out);
        }
        let (state, place) = self.system.split(state);
        let mut made = std::mem::take(&mut self.made);
        self.engine.successors(state, &mut made);
        out.clear();
        for successor in made.iter() {
            for (number, to) in self.ways(state, place, successor.transition) {
                let t = Transition(successor.transition.0 | number << self.system.bits);
                out.push_joined(t, successor.state, &self.tail(to)[..self.system.width], successor.fault);
            }
        }
        self.made = made;
    }

    fn action(&mut self, state: &[u8], t: Transition) -> Action {
        self.engine.action(self.system.split(state).0, self.system.below(t))
    }

    /// A formula knows no ends that are better than others.
    fn may_end(&mut self, _state: &[u8]) -> bool {
        false
    }

    fn transition_bits(&self) -> u32 {
        let most = self.system.shape.places.iter().map(|place| place.moves.len()).max().unwrap_or(1);
        self.system.bits + usize::BITS - (most.max(1) - 1).leading_zeros()
    }

    facets! { mine: propositions; below engine: tally; none: acceptance, processes }
}

impl Propositions for ReachStepper<'_> {
    fn names(&mut self) -> Vec<String> {
        vec!["formula".to_owned()]
    }

    fn fallible(&mut self) -> u64 {
        0
    }

    fn valuation(&mut self, state: &[u8]) -> u64 {
        u64::from(!self.decides(state))
    }

    fn proposition_fault(&mut self, _state: &[u8], _number: u32) -> Option<Fault> {
        None
    }

    fn operands(&mut self, _state: &[u8], _number: u32) -> Vec<Operand> {
        Vec::new()
    }
}
