//! The game of states and positions, over a system that is walked as far as the game is.
//!
//! A state is expanded once: its successors are numbered, and their numbers and the kinds of their actions kept, since several positions look
//! at them. A *kind* of actions is a set of the formula's action formulas; labels are tested once for each action of the system.

use elnath_kernel::budget::{WATCH_INTERVAL, WATCH_WORK};
use elnath_kernel::store::{Known, Numbered, Numbers, Ref, Room, States, Store, Visit};
use elnath_kernel::{Action, Budget, Counters, Limit, Stepper, Successors, System};
use elnath_logic::branching::lower::{Position, StateTest, Tested};
use elnath_logic::branching::{ActionId, Positions};
use elnath_solve::proof::Proof;
use elnath_solve::table::{Hashed, PAGE_BITS, Table, mix};
use elnath_solve::{Account, Candidate, Class, Game, Obligation, Rule, Vertex};
use std::cell::RefCell;
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
    /// By page, position and state.
    Dense(Places),
    /// As they were met. To name a vertex is to number it, also where the game is only looked at.
    Met(RefCell<Hashed<StatePosition>>),
}

/// So many positions in each state. The vertices of a position in as many states as a page of [`Pages`] has places are numbered one after the other, so that what
/// is known of vertices takes no memory for positions that are not looked at.
#[derive(Clone, Copy)]
struct Places {
    count: u32,
    /// 2^64 / count, rounded up: to multiply with it is several times as fast as to divide (Lemire, Kaser and Kurz 2019).
    inverse: u64,
}

impl Places {
    fn new(count: u32) -> Self {
        Self { count, inverse: (u64::MAX / u64::from(count)).wrapping_add(1) }
    }

    #[inline]
    fn vertex(self, state: u32, place: u32) -> u32 {
        if self.count == 1 {
            return state;
        }
        let (page, at) = (state >> PAGE_BITS, state & ((1 << PAGE_BITS) - 1));
        (page * self.count + place) << PAGE_BITS | at
    }

    #[inline]
    fn split(self, vertex: u32) -> (u32, u32) {
        if self.count == 1 {
            return (vertex, 0);
        }
        let (page, at) = (vertex >> PAGE_BITS, vertex & ((1 << PAGE_BITS) - 1));
        let pages = ((u128::from(self.inverse) * u128::from(page)) >> 64) as u32;
        ((pages << PAGE_BITS) | at, page - pages * self.count)
    }

    /// So many states have vertices whose numbers are small enough, with one to spare.
    fn most_states(self) -> u32 {
        ((u32::MAX >> PAGE_BITS) / self.count) << PAGE_BITS
    }
}

/// A state and a position, by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct StatePosition(u32, u32);

impl Vertex for StatePosition {
    type Table = Hashed<Self>;

    const NONE: Self = StatePosition(u32::MAX, u32::MAX);

    fn mixed(self) -> u64 {
        mix(u64::from(self.0) << 32 | u64::from(self.1))
    }
}

/// Up to so many positions, a vertex is a place in a table of all.
const FEW: u32 = 16;
const CONSTANTS: u32 = 2;
const UNKNOWN: u32 = u32::MAX;

/// A glance looks at so many positions.
const LONGEST_GLANCE: u32 = 16;

const VALUED: u8 = 1;
const EXPANDED: u8 = 2;
/// Expanded, though nobody has asked for it yet.
const AHEAD: u8 = 4;

/// A graph with so many states is large.
const LARGE: usize = 1 << 14;
/// A group has states with so many numbers at most ...
const GROUP: u32 = 16;
/// ... and is complete with so many successors.
const ENOUGH: usize = 48;

/// States and transitions as far as they were walked: a formula goes on where another has stopped, if neither looks at actions.
#[derive(Default)]
pub struct StateGraph {
    store: Numbered,
    places: Vec<Ref>,
    /// By state: where its edges begin, and how many there are; `UNKNOWN` if it was not expanded.
    spans: Vec<(u32, u32)>,
    edges: Vec<u32>,
    /// By edge, unless there is only one.
    edge_kinds: Vec<u32>,
    /// By state, if there is a limit: how many steps led there when it was met.
    depths: Vec<u32>,
    gave_up: bool,
    faults: u64,
}

impl StateGraph {
    fn beside_store(&self) -> usize {
        8 * (self.places.capacity() + self.spans.capacity())
            + 4 * (self.edges.capacity() + self.edge_kinds.capacity() + self.depths.capacity())
    }
}

/// The game.
pub(super) struct StateArena<'s, 'b> {
    system: &'s dyn System,
    formula: BranchingFormula<'s>,
    stepper: Box<dyn Stepper + 's>,
    budget: &'s mut Budget<'b>,
    kinds: Kinds<'s>,
    /// By position.
    classes: Vec<Class>,
    /// By position: whether a glance at it looks at a proposition.
    tells: Vec<bool>,
    /// What is walked.
    graph: StateGraph,
    /// By state, unless the formula has no propositions.
    valuations: Vec<u64>,
    /// By state: whether this formula has asked for its valuation (`VALUED`) and its successors (`EXPANDED`; `AHEAD` if they were made before that).
    asked: Vec<u8>,
    /// How many states were expanded for this formula, or by others and this one has asked for their successors; and how many of those nobody has asked for.
    expanded_states: u64,
    unused: u64,
    looks: bool,
    fallible: u64,
    vertices: Vertices,
    solver_bytes: usize,
    looked_at: u64,
    /// Work done, and how much of it when the caller was asked last.
    spent: u64,
    asked_at: u64,
    /// The work of the stepper then.
    watched: u64,
    pub(super) undefined: u64,
    /// The bytes of a state, and its number.
    state: Vec<u8>,
    state_is: u32,
    /// The depth of what is met now.
    depth: u32,
    successors: Successors,
    hashes: Vec<<Numbered as States>::Hash>,
    fired_kinds: Vec<u32>,
    /// States that are expanded together, each with how many successors it has.
    group: Vec<(u32, u32)>,
}

impl<'s, 'b> StateArena<'s, 'b> {
    pub(super) fn new(
        system: &'s dyn System,
        formula: &BranchingFormula<'s>,
        budget: &'s mut Budget<'b>,
    ) -> Self {
        Self::over(StateGraph::default(), system, formula, budget)
    }

    /// Over what was walked before for a formula that does not look at actions, as this one does not.
    pub(super) fn over(
        graph: StateGraph,
        system: &'s dyn System,
        formula: &BranchingFormula<'s>,
        budget: &'s mut Budget<'b>,
    ) -> Self {
        let positions = formula.positions;
        let rules: Vec<Rule> = positions.blocks.iter().map(super::rule_of).collect();
        let class = |position: &Position| {
            let Position { block, priority, .. } = *position;
            Class { block, rule: rules[block as usize], priority }
        };
        let looks = !positions.propositions().is_empty();
        let count = positions.positions.len() as u32 - CONSTANTS;
        let met = || Vertices::Met(RefCell::new(Hashed::new()));
        let fallible = if looks { system.fallible_propositions() } else { 0 };
        Self {
            system,
            formula: *formula,
            stepper: system.stepper(),
            budget,
            kinds: Kinds::new(*formula),
            classes: positions.positions.iter().map(class).collect(),
            tells: telling(positions),
            graph,
            valuations: Vec::new(),
            asked: Vec::new(),
            expanded_states: 0,
            unused: 0,
            looks,
            fallible,
            vertices: if count <= FEW { Vertices::Dense(Places::new(count.max(1))) } else { met() },
            solver_bytes: 0,
            looked_at: 0,
            spent: 0,
            asked_at: 0,
            watched: 0,
            undefined: 0,
            state: Vec::new(),
            state_is: UNKNOWN,
            depth: 0,
            successors: Successors::default(),
            hashes: Vec::new(),
            fired_kinds: Vec::new(),
            group: Vec::new(),
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
        (self.state, self.state_is) = (state, UNKNOWN);
        let number = number?;
        Ok(Ok(self.vertex(number, root)))
    }

    /// The number of the state of a vertex: states are numbered in the order in which they are met.
    pub(super) fn state_of(&self, vertex: u32) -> u32 {
        self.pair(vertex).0
    }

    /// The state and the position of a vertex.
    #[inline]
    fn pair(&self, vertex: u32) -> (u32, u32) {
        match &self.vertices {
            Vertices::Dense(places) => {
                let (state, place) = places.split(vertex);
                (state, place + CONSTANTS)
            }
            Vertices::Met(met) => {
                let StatePosition(state, position) = met.borrow().vertex(vertex);
                (state, position)
            }
        }
    }

    #[inline]
    fn vertex(&self, state: u32, position: u32) -> u32 {
        match &self.vertices {
            // There are fewer states than `most_states`.
            Vertices::Dense(places) => places.vertex(state, position - CONSTANTS),
            Vertices::Met(met) => met.borrow_mut().insert(StatePosition(state, position)).0,
        }
    }

    fn most_states(&self) -> u32 {
        match &self.vertices {
            Vertices::Dense(places) => places.most_states(),
            Vertices::Met(_) => u32::MAX - 1,
        }
    }

    /// How many pairs there are.
    pub(super) fn pairs(&self) -> u64 {
        match &self.vertices {
            Vertices::Dense(_) => self.looked_at,
            Vertices::Met(met) => met.borrow().len() as u64,
        }
    }

    pub(super) fn counters(&self) -> Counters {
        Counters {
            states: self.graph.places.len() as u64,
            states_exact: true,
            insertions: self.graph.places.len() as u64,
            generated: self.graph.edges.len() as u64,
            transitions: self.graph.edges.len() as u64,
            stored: self.graph.places.len() as u64,
            store_bytes: self.own_bytes(),
            path_bytes: self.solver_bytes,
            ..Counters::default()
        }
    }

    /// How many states were expanded for the formula.
    pub(super) fn expanded_states(&self) -> u64 {
        self.expanded_states
    }

    /// Whether a part of what a transition leads to was left out.
    pub(super) fn gave_up(&self) -> bool {
        self.graph.gave_up
    }

    /// How many transitions ran into a fault.
    pub(super) fn faults(&self) -> u64 {
        self.graph.faults
    }

    /// What was walked.
    pub(super) fn into_graph(self) -> StateGraph {
        self.graph
    }

    /// Looks at the memory, and asks the caller whether to go on.
    #[cold]
    fn ask(&mut self) -> Result<(), Limit> {
        (self.watched, self.asked_at) = (self.stepper.work(), self.spent);
        if self.own_bytes() + self.solver_bytes > self.budget.memory {
            return Err(Limit::Memory);
        }
        let counters = self.counters();
        (self.budget.watch)(&counters).map_or(Ok(()), Err)
    }

    fn own_bytes(&self) -> usize {
        let met = match &self.vertices {
            Vertices::Dense(_) => 0,
            Vertices::Met(met) => met.borrow().bytes(),
        };
        self.graph.store.bytes() + self.beside_store() + met
    }

    fn beside_store(&self) -> usize {
        self.graph.beside_store() + 8 * self.valuations.capacity() + self.asked.capacity()
    }

    /// The number of a state.
    fn number(&mut self, state: &[u8]) -> Result<u32, Limit> {
        let hash = self.graph.store.hash(state);
        self.number_of(state, hash)
    }

    fn number_of(&mut self, state: &[u8], hash: <Numbered as States>::Hash) -> Result<u32, Limit> {
        let bytes = self.budget.memory.saturating_sub(self.beside_store() + self.solver_bytes);
        match self.graph.store.visit(state, hash, Room { bytes, depth: 0 })? {
            Visit::Known(Known { at, .. }) => Ok(self.graph.store.number(at)),
            Visit::New(at) => {
                let number = self.graph.places.len() as u32;
                if number >= self.most_states() {
                    return Err(Limit::Memory);
                }
                if self.graph.places.len() as u64 >= self.budget.states {
                    return Err(Limit::States);
                }
                self.graph.store.set_number(at, number);
                self.graph.places.push(at);
                self.graph.spans.push((UNKNOWN, 0));
                if self.budget.depth != usize::MAX {
                    self.graph.depths.push(self.depth);
                }
                Ok(number)
            }
        }
    }

    /// Notes that the formula asks a state for something; whether it did before.
    fn has_asked(&mut self, number: u32, what: u8) -> bool {
        let at = number as usize;
        if at >= self.asked.len() {
            self.asked.resize((at + 1).max(self.graph.places.len()), 0);
        }
        let before = self.asked[at] & what != 0;
        self.asked[at] |= what;
        before
    }

    /// Reads a state.
    fn read(&mut self, number: u32) {
        if self.state_is != number {
            self.graph.store.read(self.graph.places[number as usize], &mut self.state);
            self.state_is = number;
        }
    }

    /// Evaluates the propositions of a state, unless that was done.
    fn value(&mut self, number: u32) {
        if !self.looks || self.has_asked(number, VALUED) {
            return;
        }
        self.read(number);
        let valuation = self.stepper.valuation(&self.state);
        let doubtful = self.fallible & !valuation;
        let (stepper, state) = (&mut self.stepper, &self.state);
        let mut undefined =
            |bit: u32| doubtful >> bit & 1 == 1 && stepper.proposition_fault(state, bit).is_some();
        self.undefined += u64::from(doubtful != 0 && (0..64).any(&mut undefined));
        let at = number as usize;
        if at >= self.valuations.len() {
            self.valuations.resize((at + 1).max(self.graph.places.len()), 0);
        }
        self.valuations[at] = valuation;
    }

    /// Makes the edges of a state, unless they are there.
    ///
    /// In a large graph, those of the states that were met after it are made with it: what takes time is to wait for the table of states, and this way one
    /// waits once for several states, as breadth-first searches do. They count as expanded.
    fn make(&mut self, number: u32) -> Result<(), Limit> {
        if !self.has_asked(number, EXPANDED) {
            if self.asked[number as usize] & AHEAD == 0 {
                self.expanded_states += 1;
            } else {
                self.unused -= 1;
            }
        }
        if self.graph.spans[number as usize].0 != UNKNOWN {
            return Ok(());
        }
        if let Some(&depth) = self.graph.depths.get(number as usize) {
            if depth as usize >= self.budget.depth {
                return Err(Limit::Depth);
            }
            self.depth = depth + 1;
        }
        self.group.clear();
        self.hashes.clear();
        self.fired_kinds.clear();
        self.successors.forget();
        self.fire(number, true);
        if self.makes_ahead() {
            let last = number.saturating_add(GROUP).min(self.graph.places.len() as u32);
            for other in number + 1..last {
                if self.hashes.len() >= ENOUGH {
                    break;
                }
                if self.graph.spans[other as usize].0 == UNKNOWN {
                    self.fire(other, false);
                }
            }
            let states = self.successors.kept_states(0).zip(&self.hashes);
            states.for_each(|(state, &hash)| self.graph.store.prefetch_bytes(hash, state.len()));
        }
        let successors = std::mem::take(&mut self.successors);
        let result = self.number_all(&successors);
        self.successors = successors;
        match result {
            Err(limit) if self.graph.spans[number as usize].0 == UNKNOWN => Err(limit),
            _ => Ok(()),
        }
    }

    /// Whether states are expanded before they are asked for: in a large graph, as long as most of those were needed later.
    fn makes_ahead(&self) -> bool {
        self.graph.places.len() >= LARGE
            && self.graph.depths.is_empty()
            && self.unused <= LARGE as u64 / 16 + self.expanded_states / 4
    }

    /// Fires the transitions of a state and keeps its successors. One that nobody asked for is left alone if something is wrong with it.
    fn fire(&mut self, number: u32, is_asked: bool) {
        self.read(number);
        let Self { stepper, state, successors, .. } = self;
        stepper.successors(state, successors);
        if successors.has_faults() {
            if !is_asked {
                return;
            }
            for fault in successors.iter().filter_map(|successor| successor.fault) {
                self.graph.faults += 1;
                self.graph.gave_up |= self.system.gave_up(fault);
            }
        }
        for successor in self.successors.iter() {
            let hash = self.graph.store.hash(successor.state);
            self.graph.store.prefetch(hash);
            self.hashes.push(hash);
            if !self.kinds.is_trivial() {
                let action = self.stepper.action(&self.state, successor.transition);
                self.fired_kinds.push(self.kinds.of(self.system, action));
            }
        }
        self.group.push((number, self.successors.len() as u32));
        self.successors.keep();
    }

    /// Numbers the successors of the group, state by state, as far as there is room.
    fn number_all(&mut self, successors: &Successors) -> Result<(), Limit> {
        let mut states = successors.kept_states(0).enumerate();
        for at in 0..self.group.len() {
            let (number, count) = self.group[at];
            let start = u32::try_from(self.graph.edges.len()).map_err(|_| Limit::Memory)?;
            for (index, state) in states.by_ref().take(count as usize) {
                let to = self.number_of(state, self.hashes[index])?;
                self.graph.edges.push(to);
                if !self.kinds.is_trivial() {
                    self.graph.edge_kinds.push(self.fired_kinds[index]);
                }
            }
            self.graph.spans[number as usize] = (start, count);
            if at > 0 {
                self.has_asked(number, AHEAD);
                self.expanded_states += 1;
                self.unused += 1;
            }
        }
        Ok(())
    }

    fn holds(&self, state: u32, test: StateTest) -> bool {
        let value = match test.of {
            Tested::Deadlock => self.graph.spans[state as usize].1 == 0,
            Tested::Proposition(number) => {
                let bit = self.formula.propositions[number as usize];
                self.valuations[state as usize] >> bit & 1 == 1
            }
        };
        value == test.holds
    }

    /// The value of a position in a state, as far as the state itself and steps that are known tell it.
    fn glance_at(&mut self, state: u32, at: u32, left: &mut u32) -> Option<bool> {
        if at < CONSTANTS {
            return Some(at == Positions::TRUE);
        }
        if *left == 0 {
            return None;
        }
        *left -= 1;
        let positions = self.formula.positions;
        let position = &positions.positions[at as usize];
        let all = position.all;
        let (first, steps) = self.graph.spans[state as usize];
        let is_made = first != UNKNOWN;
        // A state without steps is no step further.
        let mut open = !position.moves.is_empty() && (!is_made || steps > 0);
        for &test in &position.tests {
            match test.of {
                Tested::Proposition(_) => self.value(state),
                Tested::Deadlock if is_made => {}
                Tested::Deadlock => {
                    open = true;
                    continue;
                }
            }
            if self.holds(state, test) != all {
                return Some(!all);
            }
        }
        for &here in &position.here {
            match self.glance_at(state, here, left) {
                Some(value) if value == all => {}
                Some(_) => return Some(!all),
                None => open = true,
            }
        }
        (!open).then_some(all)
    }

    /// The test that decides a vertex which was expanded, as it comes out, if one does.
    pub(super) fn deciding_test(&self, vertex: u32) -> Option<StateTest> {
        let (state, at) = self.pair(vertex);
        let position = &self.formula.positions.positions[at as usize];
        let decisive = position.tests.iter().find(|&&test| self.holds(state, test) != position.all)?;
        Some(StateTest { holds: decisive.holds != position.all, ..*decisive })
    }

    /// A proof with states as bytes instead of numbers.
    pub(super) fn named(&self, proof: &Proof) -> super::evidence::NamedProof {
        let mut states: HashMap<u32, u32> = HashMap::new();
        let mut bytes: Vec<Vec<u8>> = Vec::new();
        let mut name = |vertex: u32| {
            let (state, position) = self.pair(vertex);
            let number = *states.entry(state).or_insert_with(|| {
                let mut out = Vec::new();
                self.graph.store.read(self.graph.places[state as usize], &mut out);
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

/// Positions that look at a proposition of their own state. Blocks have ascending numbers from below; within one, a few rounds see as far as a glance does.
fn telling(positions: &Positions) -> Vec<bool> {
    let mut order: Vec<u32> = (0..positions.positions.len() as u32).collect();
    order.sort_unstable_by_key(|&at| positions.positions[at as usize].block);
    let mut tells = vec![false; order.len()];
    for _ in 0..4 {
        for &at in &order {
            let position = &positions.positions[at as usize];
            let own = position.tests.iter().any(|test| test.of != Tested::Deadlock);
            tells[at as usize] = own || position.here.iter().any(|&to| tells[to as usize]);
        }
    }
    tells
}

/// What decides a vertex without a look at others.
const NOTHING: Obligation = Obligation { code: 0, first: 0, len: 0 };

/// A vertex is a conjunction or a disjunction of vertices, which are numbered: first the positions in the same state, then, move by move, the edges of the
/// state, whether they are of the move's kind or not. So a candidate is found by its number alone.
impl Game for StateArena<'_, '_> {
    type Vertex = u32;

    const GLANCES: bool = true;

    fn glance(&mut self, vertex: u32) -> Result<Option<bool>, Limit> {
        let (state, position) = self.pair(vertex);
        if !self.tells[position as usize] {
            return Ok(None);
        }
        Ok(self.glance_at(state, position, &mut { LONGEST_GLANCE }))
    }

    fn obligations(&mut self, vertex: u32, value: bool, out: &mut Vec<Obligation>) -> Result<(), Limit> {
        let (state, at) = self.pair(vertex);
        out.clear();
        let positions = self.formula.positions;
        let position = &positions.positions[at as usize];
        let all = position.all;
        // What tells it without a step comes first: most states need not be left.
        let mut decided = false;
        for &test in &position.tests {
            match test.of {
                Tested::Proposition(_) => self.value(state),
                Tested::Deadlock => self.make(state)?,
            }
            if self.holds(state, test) != all {
                decided = true;
                break;
            }
        }
        if !decided && !position.moves.is_empty() {
            self.make(state)?;
        }
        let (start, count) = self.graph.spans[state as usize];
        let edges = start as usize..(start + count) as usize;
        let is_of = |edge: usize, action: ActionId| {
            self.kinds.is_trivial() || self.kinds.matches(self.graph.edge_kinds[edge], action)
        };
        // The value that one part decides, and whether one does.
        let decided = decided
            || position
                .moves
                .iter()
                .any(|&(action, to)| to == u32::from(!all) && edges.clone().any(|edge| is_of(edge, action)));
        let here = position.here.len() as u32;
        let len = here + count * position.moves.len() as u32;
        if decided {
            if value == all {
                out.push(NOTHING);
            }
        } else if value != all {
            // One of them.
            out.push(Obligation { code: 0, first: 0, len });
        } else {
            // Each of them. Which are none is seen here, once.
            out.extend((0..here).map(|first| Obligation { code: first, first, len: 1 }));
            let mut first = here;
            for &(action, to) in &position.moves {
                for edge in edges.clone() {
                    if to >= CONSTANTS && is_of(edge, action) {
                        out.push(Obligation { code: first, first, len: 1 });
                    }
                    first += 1;
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn candidate(&self, vertex: u32, obligation: Obligation, number: u32) -> Option<Candidate<u32>> {
        let (state, at) = self.pair(vertex);
        let position = &self.formula.positions.positions[at as usize];
        let number = (obligation.first + number) as usize;
        if let Some(&here) = position.here.get(number) {
            return Some(Candidate::one(self.vertex(state, here)));
        }
        let (start, count) = self.graph.spans[state as usize];
        let number = (number - position.here.len()) as u32;
        let (mover, edge) = if number < count { (0, number) } else { (number / count, number % count) };
        let (action, to) = position.moves[mover as usize];
        let edge = (start + edge) as usize;
        // A constant that decides has been seen to; the other one makes no difference.
        if to < CONSTANTS
            || !self.kinds.is_trivial() && !self.kinds.matches(self.graph.edge_kinds[edge], action)
        {
            return None;
        }
        Some(Candidate::one(self.vertex(self.graph.edges[edge], to)))
    }

    fn targets(&self, vertex: u32, obligation: Obligation, out: &mut Vec<u32>) {
        let (state, at) = self.pair(vertex);
        let position = &self.formula.positions.positions[at as usize];
        out.clear();
        if obligation.len == 0 {
            return;
        }
        if obligation.len == 1 {
            let only = self.candidate(vertex, obligation, 0);
            out.push(only.map_or(u32::NONE, |candidate| candidate.target));
            return;
        }
        debug_assert_eq!(obligation.first, 0, "one of them");
        out.extend(position.here.iter().map(|&to| self.vertex(state, to)));
        let (start, count) = self.graph.spans[state as usize];
        if position.moves.is_empty() || count == 0 {
            return;
        }
        let edges = start as usize..(start + count) as usize;
        for &(action, to) in &position.moves {
            if to < CONSTANTS {
                out.extend(edges.clone().map(|_| u32::NONE));
            } else if self.kinds.is_trivial() {
                out.extend(self.graph.edges[edges.clone()].iter().map(|&state| self.vertex(state, to)));
            } else {
                out.extend(edges.clone().map(|edge| {
                    let is_one = self.kinds.matches(self.graph.edge_kinds[edge], action);
                    if is_one { self.vertex(self.graph.edges[edge], to) } else { u32::NONE }
                }));
            }
        }
    }

    #[inline]
    fn class(&self, vertex: u32) -> Class {
        self.classes[self.pair(vertex).1 as usize]
    }
}

impl Account for StateArena<'_, '_> {
    type Stop = Limit;

    #[inline]
    fn work(&mut self, amount: usize) -> Result<(), Limit> {
        self.spent += amount as u64;
        if self.spent - self.asked_at < WATCH_WORK { Ok(()) } else { self.ask() }
    }

    #[inline]
    fn occupy(&mut self, bytes: usize, _: u64) -> Result<(), Limit> {
        self.solver_bytes = bytes;
        self.looked_at += 1;
        let due =
            self.looked_at.is_multiple_of(WATCH_INTERVAL) || self.stepper.work() - self.watched >= WATCH_WORK;
        if due { self.ask() } else { Ok(()) }
    }

    fn spent(&self) -> u64 {
        self.spent
    }
}
