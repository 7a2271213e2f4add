//! The game of states and positions, over a system that is walked as far as the game is.
//!
//! A state is expanded once: its successors are numbered, and their numbers and the kinds of their actions kept, since several positions look
//! at them. A *kind* of actions is a set of the formula's action formulas; labels are tested once for each action of the system.

use elnath_kernel::budget::{WATCH_INTERVAL, WATCH_WORK};
use elnath_kernel::store::{Known, Numbered, Numbers, Ref, Room, States, Store, Visit};
use elnath_kernel::{Action, Budget, Counters, Limit, Stepper, Successors, System};
use elnath_logic::branching::lower::{StateTest, Tested};
use elnath_logic::branching::{ActionId, Positions};
use elnath_solve::proof::Proof;
use elnath_solve::{Arena, Class, Expanded, Rule};
use std::collections::HashMap;

/// Which of the formula's action formulas a label satisfies, in the order of [`Positions::actions`].
pub type ActionMatches<'f> = dyn Fn(&str) -> Vec<bool> + Sync + 'f;

/// A formula, and what its propositions and actions look at.
#[derive(Clone, Copy)]
pub struct BranchingFormula<'f> {
    /// The formula.
    pub positions: &'f Positions,
    /// By the formula's proposition: the bit of the system's valuation.
    pub propositions: &'f [u32],
    /// Which actions are meant.
    pub matches: &'f ActionMatches<'f>,
}

/// The kinds of actions.
pub(super) struct Kinds<'f> {
    formula: BranchingFormula<'f>,
    /// The place of an action formula among those that moves look at.
    places: HashMap<ActionId, usize>,
    /// If the only action formula is `true`.
    trivial: bool,
    kinds: Vec<Vec<bool>>,
    numbers: HashMap<Vec<bool>, u32>,
    by_action: HashMap<Action, u32>,
}

impl<'f> Kinds<'f> {
    pub(super) fn new(formula: BranchingFormula<'f>) -> Self {
        let actions = formula.positions.actions();
        let trivial = formula.positions.ignores_actions();
        let places = actions.iter().enumerate().map(|(place, action)| (*action, place)).collect();
        let mut made = Self {
            formula,
            places,
            trivial,
            kinds: Vec::new(),
            numbers: HashMap::new(),
            by_action: HashMap::new(),
        };
        if trivial {
            made.kinds.push(vec![true; actions.len()]);
        }
        made
    }

    /// Whether all actions are of one kind.
    pub(super) fn is_trivial(&self) -> bool {
        self.trivial
    }

    /// The kind of an action.
    pub(super) fn of(&mut self, system: &dyn System, action: Action) -> u32 {
        if self.trivial {
            return 0;
        }
        if let Some(&kind) = self.by_action.get(&action) {
            return kind;
        }
        let matches = (self.formula.matches)(&system.action_name(action));
        let kind = *self.numbers.entry(matches.clone()).or_insert_with(|| {
            self.kinds.push(matches);
            self.kinds.len() as u32 - 1
        });
        self.by_action.insert(action, kind);
        kind
    }

    /// Whether actions of a kind satisfy an action formula.
    #[inline]
    pub(super) fn matches(&self, kind: u32, action: ActionId) -> bool {
        self.trivial || self.kinds[kind as usize][self.places[&action]]
    }
}

/// Vertices as numbers.
enum Vertices {
    /// State times positions plus position.
    Dense(u32),
    /// As they were met.
    Met { numbers: HashMap<(u32, u32), u32>, pairs: Vec<(u32, u32)> },
}

/// Up to so many positions, a vertex is a place in a table of all.
const FEW: u32 = 16;
const CONSTANTS: u32 = 2;
const UNKNOWN: u32 = u32::MAX;

/// The game.
pub(super) struct StateArena<'s, 'b> {
    system: &'s dyn System,
    formula: BranchingFormula<'s>,
    stepper: Box<dyn Stepper + 's>,
    budget: &'s mut Budget<'b>,
    kinds: Kinds<'s>,
    rules: Vec<Rule>,
    store: Numbered,
    places: Vec<Ref>,
    /// By state: where its edges begin, and how many there are; `UNKNOWN` if it was not expanded.
    spans: Vec<(u32, u32)>,
    edges: Vec<u32>,
    /// By edge, unless there is only one.
    edge_kinds: Vec<u32>,
    /// By state, unless the formula has no propositions.
    valuations: Vec<u64>,
    looks: bool,
    fallible: u64,
    vertices: Vertices,
    solver_bytes: usize,
    expanded: u64,
    watched: u64,
    pub(super) gave_up: bool,
    pub(super) faults: u64,
    pub(super) undefined: u64,
    state: Vec<u8>,
    successors: Successors,
    hashes: Vec<<Numbered as States>::Hash>,
}

impl<'s, 'b> StateArena<'s, 'b> {
    pub(super) fn new(
        system: &'s dyn System,
        formula: &BranchingFormula<'s>,
        budget: &'s mut Budget<'b>,
    ) -> Self {
        let positions = formula.positions;
        let looks = !positions.propositions().is_empty();
        let count = positions.positions.len() as u32 - CONSTANTS;
        let met = || Vertices::Met { numbers: HashMap::new(), pairs: Vec::new() };
        let fallible = if looks { system.fallible_propositions() } else { 0 };
        Self {
            system,
            formula: *formula,
            stepper: system.stepper(),
            budget,
            kinds: Kinds::new(*formula),
            rules: positions.blocks.iter().map(super::rule_of).collect(),
            store: Numbered::default(),
            places: Vec::new(),
            spans: Vec::new(),
            edges: Vec::new(),
            edge_kinds: Vec::new(),
            valuations: Vec::new(),
            looks,
            fallible,
            vertices: if count <= FEW { Vertices::Dense(count.max(1)) } else { met() },
            solver_bytes: 0,
            expanded: 0,
            watched: 0,
            gave_up: false,
            faults: 0,
            undefined: 0,
            state: Vec::new(),
            successors: Successors::default(),
            hashes: Vec::new(),
        }
    }

    /// The first vertex, or the value of a formula that is a constant.
    pub(super) fn initial(&mut self) -> Result<Result<u32, bool>, Limit> {
        let root = self.formula.positions.root;
        if root < CONSTANTS {
            return Ok(Err(root == Positions::TRUE));
        }
        let mut state = std::mem::take(&mut self.state);
        self.stepper.initial(&mut state);
        let number = self.number(&state);
        self.state = state;
        let number = number?;
        Ok(Ok(self.vertex(number, root)))
    }

    /// The number of the state of a vertex: states are numbered in the order in which they are met.
    pub(super) fn state_of(&self, vertex: u32) -> u32 {
        self.pair(vertex).0
    }

    /// The state and the position of a vertex.
    fn pair(&self, vertex: u32) -> (u32, u32) {
        match &self.vertices {
            Vertices::Dense(count) => (vertex / count, vertex % count + CONSTANTS),
            Vertices::Met { pairs, .. } => pairs[vertex as usize],
        }
    }

    fn vertex(&mut self, state: u32, position: u32) -> u32 {
        match &mut self.vertices {
            // There are fewer states than `most_states`.
            Vertices::Dense(count) => state * *count + position - CONSTANTS,
            Vertices::Met { numbers, pairs } => *numbers.entry((state, position)).or_insert_with(|| {
                pairs.push((state, position));
                pairs.len() as u32 - 1
            }),
        }
    }

    fn most_states(&self) -> u32 {
        match &self.vertices {
            Vertices::Dense(count) => (u32::MAX - 1) / count,
            Vertices::Met { .. } => u32::MAX - 1,
        }
    }

    /// How many pairs there are.
    pub(super) fn pairs(&self) -> u64 {
        match &self.vertices {
            Vertices::Dense(_) => self.expanded,
            Vertices::Met { pairs, .. } => pairs.len() as u64,
        }
    }

    pub(super) fn counters(&self) -> Counters {
        Counters {
            states: self.places.len() as u64,
            states_exact: true,
            insertions: self.places.len() as u64,
            generated: self.edges.len() as u64,
            transitions: self.edges.len() as u64,
            stored: self.places.len() as u64,
            store_bytes: self.own_bytes(),
            path_bytes: self.solver_bytes,
            ..Counters::default()
        }
    }

    fn own_bytes(&self) -> usize {
        const PAIR: usize = 28;
        let met = match &self.vertices {
            Vertices::Dense(_) => 0,
            Vertices::Met { pairs, .. } => pairs.capacity() * PAIR,
        };
        self.store.bytes() + self.beside_store() + met
    }

    fn beside_store(&self) -> usize {
        8 * (self.places.capacity() + self.spans.capacity() + self.valuations.capacity())
            + 4 * (self.edges.capacity() + self.edge_kinds.capacity())
    }

    /// The number of a state.
    fn number(&mut self, state: &[u8]) -> Result<u32, Limit> {
        let hash = self.store.hash(state);
        self.number_of(state, hash)
    }

    fn number_of(&mut self, state: &[u8], hash: <Numbered as States>::Hash) -> Result<u32, Limit> {
        let bytes = self.budget.memory.saturating_sub(self.beside_store() + self.solver_bytes);
        match self.store.visit(state, hash, Room { bytes, depth: 0 })? {
            Visit::Known(Known { at, .. }) => Ok(self.store.number(at)),
            Visit::New(at) => {
                let number = self.places.len() as u32;
                if number >= self.most_states() {
                    return Err(Limit::Memory);
                }
                if self.places.len() as u64 >= self.budget.states {
                    return Err(Limit::States);
                }
                self.store.set_number(at, number);
                self.places.push(at);
                self.spans.push((UNKNOWN, 0));
                Ok(number)
            }
        }
    }

    /// Makes the edges of a state, unless they are there.
    fn make(&mut self, number: u32) -> Result<(), Limit> {
        if self.spans[number as usize].0 != UNKNOWN {
            return Ok(());
        }
        let (mut state, mut successors) =
            (std::mem::take(&mut self.state), std::mem::take(&mut self.successors));
        self.store.read(self.places[number as usize], &mut state);
        if self.looks {
            let valuation = self.stepper.valuation(&state);
            let doubtful = self.fallible & !valuation;
            let undefined =
                |bit: u32| doubtful >> bit & 1 == 1 && self.stepper.proposition_fault(&state, bit).is_some();
            self.undefined += u64::from(doubtful != 0 && (0..64).any(undefined));
            let at = number as usize;
            if at >= self.valuations.len() {
                self.valuations.resize((at + 1).max(self.places.len()), 0);
            }
            self.valuations[at] = valuation;
        }
        self.stepper.successors(&state, &mut successors);
        if successors.has_faults() {
            for fault in successors.iter().filter_map(|successor| successor.fault) {
                self.faults += 1;
                self.gave_up |= self.system.gave_up(fault);
            }
        }
        self.hashes.clear();
        for successor in successors.iter() {
            let hash = self.store.hash(successor.state);
            self.store.prefetch(hash);
            self.hashes.push(hash);
        }
        let start = u32::try_from(self.edges.len()).map_err(|_| Limit::Memory)?;
        let mut result = Ok(());
        for (index, successor) in successors.iter().enumerate() {
            match self.number_of(successor.state, self.hashes[index]) {
                Ok(to) => self.edges.push(to),
                Err(limit) => {
                    result = Err(limit);
                    break;
                }
            }
            if !self.kinds.is_trivial() {
                let action = self.stepper.action(&state, successor.transition);
                self.edge_kinds.push(self.kinds.of(self.system, action));
            }
        }
        (self.state, self.successors) = (state, successors);
        result?;
        self.spans[number as usize] = (start, self.edges.len() as u32 - start);
        Ok(())
    }

    fn holds(&self, state: u32, test: StateTest) -> bool {
        let value = match test.of {
            Tested::Deadlock => self.spans[state as usize].1 == 0,
            Tested::Proposition(number) => {
                let bit = self.formula.propositions[number as usize];
                self.valuations[state as usize] >> bit & 1 == 1
            }
        };
        value == test.holds
    }

    /// A proof with states as bytes instead of numbers.
    pub(super) fn named(&self, proof: &Proof) -> super::evidence::NamedProof {
        let mut states: HashMap<u32, u32> = HashMap::new();
        let mut bytes: Vec<Vec<u8>> = Vec::new();
        let mut name = |vertex: u32| {
            let (state, position) = self.pair(vertex);
            let number = *states.entry(state).or_insert_with(|| {
                let mut out = Vec::new();
                self.store.read(self.places[state as usize], &mut out);
                bytes.push(out);
                bytes.len() as u32 - 1
            });
            (number, position)
        };
        let vertices = proof
            .vertices
            .iter()
            .map(|(vertex, to)| (name(*vertex), to.iter().map(|&to| name(to)).collect()))
            .collect();
        super::evidence::NamedProof { value: proof.value, vertices, states: bytes }
    }

    /// The vertex of a state, given by its bytes, and a position.
    pub(super) fn vertex_of(&mut self, state: &[u8], position: u32) -> Result<u32, Limit> {
        let number = self.number(state)?;
        Ok(self.vertex(number, position))
    }
}

impl Arena for StateArena<'_, '_> {
    type Stop = Limit;

    fn expand(&mut self, vertex: u32, out: &mut Vec<u32>) -> Result<Expanded, Limit> {
        let (state, at) = self.pair(vertex);
        self.make(state)?;
        out.clear();
        let positions = self.formula.positions;
        let position = &positions.positions[at as usize];
        let all = position.all;
        if position.tests.iter().any(|&test| self.holds(state, test) != all) {
            return Ok(Expanded::Value(!all));
        }
        for &here in &position.here {
            out.push(self.vertex(state, here));
        }
        let (start, count) = self.spans[state as usize];
        for &(action, to) in &position.moves {
            if to == u32::from(all) {
                // It makes no difference.
                continue;
            }
            for edge in start as usize..(start + count) as usize {
                if !self.kinds.is_trivial() && !self.kinds.matches(self.edge_kinds[edge], action) {
                    continue;
                }
                if to < CONSTANTS {
                    return Ok(Expanded::Value(!all));
                }
                let target = self.edges[edge];
                let target = self.vertex(target, to);
                out.push(target);
            }
        }
        Ok(match (out.is_empty(), all) {
            (true, all) => Expanded::Value(all),
            (false, true) => Expanded::All,
            (false, false) => Expanded::Some,
        })
    }

    fn class(&self, vertex: u32) -> Class {
        let (_, at) = self.pair(vertex);
        let position = &self.formula.positions.positions[at as usize];
        Class {
            block: position.block,
            rule: self.rules[position.block as usize],
            priority: position.priority,
        }
    }

    fn occupy(&mut self, bytes: usize) -> Result<(), Limit> {
        self.solver_bytes = bytes;
        self.expanded += 1;
        if !self.expanded.is_multiple_of(WATCH_INTERVAL) && self.stepper.work() - self.watched < WATCH_WORK {
            return Ok(());
        }
        self.watched = self.stepper.work();
        if self.own_bytes() + bytes > self.budget.memory {
            return Err(Limit::Memory);
        }
        let counters = self.counters();
        (self.budget.watch)(&counters).map_or(Ok(()), Err)
    }
}
