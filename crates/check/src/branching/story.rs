//! What a proof says, in the order in which a person would say it.
//!
//! A proof is a graph of states and positions in which one side chooses its steps and has an answer to whatever the other does. Told from its
//! beginning it is first a run, as long as there is one way on. Where several things matter at once there are two cases. In a block of
//! positions that depend on each other, these are the steps that may come: all pairs of the block are told together, as "whatever
//! happens next", with what is seen in each of their states, after how many steps it is over if it cannot go on for ever, and what follows in a
//! block below it. Otherwise they are parts of one formula, each of which has a story.
//!
//! Nothing is told that is not in the proof. (A play of the game, in which the reader tries the steps of one side, says more; this is what fits on a screen.)

use super::arena::{BranchingFormula, Kinds};
use super::evidence::{EvidenceStep, NamedProof};
use elnath_kernel::System;
use elnath_logic::branching::lower::{BlockChoice, Position, StateTest, Tested};
use elnath_logic::branching::{ActionId, Fixpoint};
use std::collections::{HashMap, HashSet, VecDeque};

/// A part of a story.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chapter {
    /// A run.
    Run {
        /// Its steps.
        steps: Vec<EvidenceStep>,
        /// The step, from 0, with which the cycle begins that the run ends with.
        again: Option<usize>,
    },
    /// What is seen in the state that was reached.
    Seen(Fact),
    /// Every run from the state that was reached.
    Whatever(Whatever),
    /// Parts that matter one beside the other, and how many more there are.
    Parts(Vec<Vec<Chapter>>, usize),
}

/// What is seen in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fact {
    /// That a test comes out so.
    Test(StateTest),
    /// That such an action is possible.
    Possible(ActionId),
    /// That none is.
    Impossible(ActionId),
    /// That a position, which looks at more than one thing, has the value of the proof.
    Value(u32),
}

/// All that may happen in a block of positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Whatever {
    /// The position it begins with.
    pub position: u32,
    /// How many states are met.
    pub states: usize,
    /// After at most how many steps it is over, if the value rests on that.
    pub within: Option<usize>,
    /// Whether some steps are chosen in answer to the others.
    pub answers: bool,
    /// In how many of the states something is seen.
    pub facts: Vec<(usize, Fact)>,
    /// How it ends, in how many states.
    pub ends: Vec<(usize, Fact)>,
    /// What follows in a block below.
    pub then: Vec<Then>,
}

/// What follows a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Then {
    /// In how many states.
    pub states: usize,
    /// The most steps until something is seen or everything may happen.
    pub steps: usize,
    /// The story of the one with the most steps.
    pub longest: Vec<Chapter>,
}

/// More parts than these are only counted.
const MOST_PARTS: usize = 4;
/// Parts within parts, and what follows what follows, to this depth.
const DEEPEST: usize = 3;

/// The story of a proof. `decides` has the test that decides in each pair that needs no other and is decided by a test.
pub(super) fn of_proof(
    system: &dyn System,
    formula: &BranchingFormula<'_>,
    found: &NamedProof,
    steps: &[EvidenceStep],
    decides: &HashMap<usize, StateTest>,
) -> Vec<Chapter> {
    let numbers: HashMap<(u32, u32), usize> =
        found.vertices.iter().enumerate().map(|(number, (pair, _))| (*pair, number)).collect();
    let successors = |(_, to): &((u32, u32), Vec<(u32, u32)>)| {
        let mut to: Vec<usize> = to.iter().map(|pair| numbers[pair]).collect();
        to.sort_unstable();
        to.dedup();
        to
    };
    let mut leaving: HashMap<u32, Vec<(EvidenceStep, u32)>> = HashMap::new();
    let (mut kinds, mut stepper) = (Kinds::new(*formula), system.stepper());
    for step in steps {
        let action = stepper.action(&found.states[step.from as usize], step.transition);
        leaving.entry(step.from).or_default().push((*step, kinds.of(system, action)));
    }
    let successors: Vec<Vec<usize>> = found.vertices.iter().map(successors).collect();
    let teller = Teller {
        positions: &formula.positions.positions,
        formula,
        found,
        ways: ways(&successors, |at| found.vertices[at].0.0),
        successors,
        leaving,
        kinds,
        decides,
    };
    teller.tell(0, 0)
}

struct Teller<'a> {
    positions: &'a [Position],
    formula: &'a BranchingFormula<'a>,
    found: &'a NamedProof,
    /// By vertex of the proof: the vertices that it needs.
    successors: Vec<Vec<usize>>,
    /// By vertex: whether the only way on leads to where there are several, and after how many steps it ends.
    ways: Vec<(bool, usize)>,
    /// By state: the steps of the evidence with the kinds of their actions.
    leaving: HashMap<u32, Vec<(EvidenceStep, u32)>>,
    kinds: Kinds<'a>,
    decides: &'a HashMap<usize, StateTest>,
}

impl Teller<'_> {
    fn state(&self, vertex: usize) -> u32 {
        self.found.vertices[vertex].0.0
    }

    fn position(&self, vertex: usize) -> &Position {
        &self.positions[self.found.vertices[vertex].0.1 as usize]
    }

    /// Whether the side that the proof is for has the choice.
    fn chooses(&self, vertex: usize) -> bool {
        self.position(vertex).all != self.found.value
    }

    /// The step between two vertices, unless only the position changes.
    fn step(&self, from: usize, to: usize) -> Option<EvidenceStep> {
        let (next, target) = (self.found.vertices[to].0.1, self.state(to));
        let position = self.position(from);
        if target == self.state(from) && position.here.contains(&next) {
            return None;
        }
        let leads = |kind: u32| {
            position.moves.iter().any(|&(action, to)| to == next && self.kinds.matches(kind, action))
        };
        let mut leaving = self.leaving.get(&self.state(from)).into_iter().flatten();
        leaving.find(|(step, kind)| step.to == target && leads(*kind)).map(|(step, _)| *step)
    }

    fn tell(&self, start: usize, depth: usize) -> Vec<Chapter> {
        let (mut chapters, mut steps) = (Vec::new(), Vec::new());
        let (mut at, mut met) = (start, HashMap::new());
        loop {
            if let Some(&again) = met.get(&at) {
                // Positions may depend on each other in one state: `nu X. X`.
                let stays = again == steps.len();
                if !steps.is_empty() {
                    chapters.push(Chapter::Run { steps, again: (!stays).then_some(again) });
                }
                if stays {
                    chapters.push(Chapter::Seen(Fact::Value(self.found.vertices[at].0.1)));
                }
                return chapters;
            }
            met.insert(at, steps.len());
            let [only] = self.ways_on(at)[..] else { break };
            if self.is_watched(at) {
                break;
            }
            steps.extend(self.step(at, only));
            at = only;
        }
        if !steps.is_empty() {
            chapters.push(Chapter::Run { steps, again: None });
        }
        if self.successors[at].is_empty() {
            chapters.extend(self.last_facts(at).into_iter().map(Chapter::Seen));
        } else if self.formula.positions.block_of(self.found.vertices[at].0.1).levels > 0 {
            chapters.push(Chapter::Whatever(self.whatever(at, depth)));
        } else if depth < DEEPEST {
            let parts = &self.successors[at];
            let told = parts.iter().take(MOST_PARTS).map(|&to| self.part(at, to, depth + 1)).collect();
            chapters.push(Chapter::Parts(told, parts.len().saturating_sub(MOST_PARTS)));
        }
        chapters
    }

    /// Whether the proof has no choice in its block, and something is seen in each state: that is told, even if there is one way on.
    fn is_watched(&self, vertex: usize) -> bool {
        let block = self.formula.positions.block_of(self.found.vertices[vertex].0.1);
        block.levels > 0
            && block.choice != BlockChoice::Mixed
            && !self.chooses(vertex)
            && !self.facts(vertex).is_empty()
    }

    /// What a vertex needs, without what is only looked at in its state where the proof chooses its way within a block.
    fn ways_on(&self, vertex: usize) -> Vec<usize> {
        let block = |vertex: usize| self.position(vertex).block;
        let all = &self.successors[vertex];
        if self.chooses(vertex)
            || self.formula.positions.blocks[block(vertex) as usize].choice != BlockChoice::Mixed
        {
            return all.clone();
        }
        let leads_on = |to: &usize| block(*to) == block(vertex) || !self.successors[*to].is_empty();
        let on: Vec<usize> = all.iter().copied().filter(leads_on).collect();
        if on.is_empty() { all.clone() } else { on }
    }

    /// A part, with the step that leads to it.
    fn part(&self, from: usize, to: usize, depth: usize) -> Vec<Chapter> {
        let mut told = self.tell(to, depth);
        let Some(first) = self.step(from, to) else { return told };
        match told.first_mut() {
            Some(Chapter::Run { steps, again }) => {
                steps.insert(0, first);
                *again = again.map(|again| again + 1);
            }
            _ => told.insert(0, Chapter::Run { steps: vec![first], again: None }),
        }
        told
    }

    /// What is seen of a vertex, whatever else it needs: what its tests and its steps to constants say.
    fn facts(&self, vertex: usize) -> Vec<Fact> {
        let position = self.position(vertex);
        let decided = |to: u32| to < 2 && (to == 1) != position.all;
        let constants = position.moves.iter().filter(|(_, to)| decided(*to)).map(|&(action, _)| action);
        if !self.chooses(vertex) {
            let value = self.found.value;
            let test = |test: &StateTest| Fact::Test(StateTest { holds: test.holds == value, ..*test });
            return position.tests.iter().map(test).chain(constants.map(Fact::Impossible)).collect();
        }
        if !self.successors[vertex].is_empty() {
            return Vec::new();
        }
        if let Some(test) = self.decides.get(&vertex) {
            return vec![Fact::Test(*test)];
        }
        let leaving = self.leaving.get(&self.state(vertex));
        let possible = |action: &ActionId| {
            leaving.into_iter().flatten().any(|(_, kind)| self.kinds.matches(*kind, *action))
        };
        constants.filter(possible).take(1).map(Fact::Possible).collect()
    }

    /// What is seen of a vertex that needs no other.
    fn last_facts(&self, vertex: usize) -> Vec<Fact> {
        let position = self.position(vertex);
        let any = self.formula.positions.any;
        if !self.chooses(vertex) && position.moves.iter().any(|&(action, to)| action == any && to > 1) {
            // Whatever step there were, the proof would need what it leads to.
            return vec![Fact::Test(StateTest { of: Tested::Deadlock, holds: true })];
        }
        let looks_at = position.tests.len() + position.moves.len() + position.here.len();
        if looks_at > 1 && !self.chooses(vertex) && position.origin.is_some() {
            return vec![Fact::Value(self.found.vertices[vertex].0.1)];
        }
        self.facts(vertex)
    }

    fn whatever(&self, start: usize, depth: usize) -> Whatever {
        let block = self.position(start).block;
        let (mut inside, mut todo) = (vec![start], VecDeque::from([start]));
        let mut known = HashSet::from([start]);
        let mut exits: Vec<(u32, usize)> = Vec::new();
        let mut answers = false;
        while let Some(at) = todo.pop_front() {
            answers |= self.chooses(at) && self.successors[at].iter().any(|&to| self.step(at, to).is_some());
            for &to in &self.successors[at] {
                if self.position(to).block != block {
                    exits.push((self.found.vertices[to].0.1, to));
                } else if known.insert(to) {
                    inside.push(to);
                    todo.push_back(to);
                }
            }
        }
        let kind = self.formula.positions.blocks[block as usize].kind;
        let must_end = (kind == Fixpoint::Greatest) != self.found.value;
        let (mut seen, mut ended) = (Seen::default(), Seen::default());
        let mut states = HashSet::new();
        for &at in &inside {
            states.insert(self.state(at));
            let ends = self.chooses(at) && self.successors[at].is_empty() && must_end;
            for fact in self.facts(at) {
                if ends { &mut ended } else { &mut seen }.add(fact, self.state(at));
            }
        }
        exits.sort_unstable();
        exits.dedup();
        // What is only looked at in a state belongs to what is seen there.
        let (now, later): (Vec<_>, Vec<_>) =
            exits.into_iter().partition(|&(_, to)| self.successors[to].is_empty());
        states.extend(now.iter().chain(&later).map(|&(_, to)| self.state(to)));
        for (_, to) in now {
            let ends = self.chooses(to) && must_end;
            for fact in self.last_facts(to) {
                if ends { &mut ended } else { &mut seen }.add(fact, self.state(to));
            }
        }
        let then = later.chunk_by(|a, b| a.0 == b.0).map(|group| self.then(group, depth));
        Whatever {
            position: self.found.vertices[start].0.1,
            states: states.len(),
            within: self.longest(&inside, &known).filter(|_| must_end),
            answers,
            facts: seen.counted(),
            ends: ended.counted(),
            then: then.collect(),
        }
    }

    fn then(&self, group: &[(u32, usize)], depth: usize) -> Then {
        let states: HashSet<u32> = group.iter().map(|&(_, at)| self.state(at)).collect();
        let longest = group.iter().map(|&(_, at)| (self.ways[at], at)).max_by_key(|&(way, _)| way);
        let ((_, steps), at) = longest.expect("a group is not empty");
        let longest = if depth < DEEPEST { self.tell(at, depth + 1) } else { Vec::new() };
        Then { states: states.len(), steps, longest }
    }

    /// The most steps in a row among these vertices, unless there is a cycle.
    fn longest(&self, inside: &[usize], known: &HashSet<usize>) -> Option<usize> {
        let mut needed: HashMap<usize, usize> = HashMap::new();
        for &at in inside {
            for to in self.successors[at].iter().filter(|to| known.contains(to)) {
                *needed.entry(*to).or_default() += 1;
            }
        }
        let mut order: Vec<usize> = inside.iter().copied().filter(|at| !needed.contains_key(at)).collect();
        let mut steps: HashMap<usize, usize> = HashMap::new();
        let (mut next, mut most) = (0, 0);
        while let Some(&at) = order.get(next) {
            next += 1;
            let so_far = steps.get(&at).copied().unwrap_or(0);
            most = most.max(so_far);
            for to in self.successors[at].iter().filter(|to| known.contains(to)) {
                let here = so_far + usize::from(self.step(at, *to).is_some());
                let entry = steps.entry(*to).or_default();
                *entry = (*entry).max(here);
                let left = needed.get_mut(to).expect("it was counted");
                *left -= 1;
                if *left == 0 {
                    order.push(*to);
                }
            }
        }
        (order.len() == inside.len()).then_some(most)
    }
}

/// Where the only way on from each vertex ends: whether there are several ways on from there, and after how many steps; a way that comes
/// back is counted once around.
fn ways(successors: &[Vec<usize>], state: impl Fn(usize) -> u32) -> Vec<(bool, usize)> {
    let mut ways: Vec<Option<(bool, usize)>> = vec![None; successors.len()];
    let (mut path, mut on_path) = (Vec::new(), vec![false; successors.len()]);
    for start in 0..successors.len() {
        let mut at = start;
        while let [only] = successors[at][..]
            && ways[at].is_none()
            && !std::mem::replace(&mut on_path[at], true)
        {
            path.push(at);
            at = only;
        }
        let mut way = *ways[at].get_or_insert((successors[at].len() > 1, 0));
        while let Some(before) = path.pop() {
            way.1 += usize::from(state(before) != state(at));
            ways[before] = Some(way);
            at = before;
        }
    }
    ways.into_iter().map(Option::unwrap_or_default).collect()
}

/// In which states something is seen.
#[derive(Default)]
struct Seen {
    order: Vec<Fact>,
    states: HashMap<Fact, HashSet<u32>>,
}

impl Seen {
    fn add(&mut self, fact: Fact, state: u32) {
        let states = self.states.entry(fact).or_default();
        if states.is_empty() {
            self.order.push(fact);
        }
        states.insert(state);
    }

    fn counted(self) -> Vec<(usize, Fact)> {
        self.order.iter().map(|fact| (self.states[fact].len(), *fact)).collect()
    }
}
