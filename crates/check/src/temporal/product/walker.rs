//! Walking over a product.

use super::{Accepting, Fairness, Faults, Met, NO_ACTION, Observable, Product, ones};
use elnath_kernel::event::Operand;
use elnath_kernel::successors::Way;
use elnath_kernel::{
    Acceptance, Action, Fault, Processes, Propositions, Stepper, Successor, Successors, Tally, Transition,
};
use elnath_logic::automaton::{Cube, Edge, Letter, State};
use std::sync::atomic::Ordering;

pub(super) struct Walker<'p> {
    product: &'p Product<'p>,
    inner: Box<dyn Stepper + 'p>,
    /// The system's successors of the state in hand.
    successors: Successors,
    enabled: Vec<Transition>,
    /// The automaton's edges that the state's propositions admit, whatever the action.
    edges: Vec<usize>,
    /// The ways in which the automaton goes on, if those are not written down.
    ways: Vec<Way>,
    /// By action: the propositions that match it, as far as asked.
    actions: Vec<Option<u64>>,
    /// The processes that can move in `able_in`, a state of the system.
    able_in: Vec<u8>,
    able: u64,
    /// What was seen: letters, propositions that were true, states of the automaton.
    letters: u64,
    true_ones: u64,
    states: u64,
}

impl Drop for Walker<'_> {
    fn drop(&mut self) {
        let Met { letters, true_ones, states } = &self.product.met;
        letters.fetch_or(self.letters, Ordering::Relaxed);
        true_ones.fetch_or(self.true_ones, Ordering::Relaxed);
        states.fetch_or(self.states, Ordering::Relaxed);
    }
}

impl<'p> Walker<'p> {
    pub(super) fn new(product: &'p Product<'_>) -> Self {
        Self {
            product,
            inner: product.system.stepper(),
            successors: Successors::default(),
            enabled: Vec::new(),
            edges: Vec::new(),
            ways: Vec::new(),
            actions: Vec::new(),
            able_in: Vec::new(),
            able: 0,
            letters: 0,
            true_ones: 0,
            states: 0,
        }
    }

    /// Remembers that this letter was read.
    #[inline]
    fn look(&mut self, letter: Letter) {
        self.letters |= 1u64.wrapping_shl(letter as u32);
        self.true_ones |= letter;
    }

    /// The propositions about states that hold.
    fn letter(&mut self, state: &[u8]) -> Letter {
        let valuation = self.inner.valuation(state);
        if self.product.plain {
            return valuation;
        }
        let bit = |(i, watch): (usize, &Observable)| match watch {
            Observable::State(bit) => (valuation >> bit & 1) << i,
            Observable::Action(_) => 0,
        };
        self.product.watches.iter().enumerate().map(bit).fold(0, |letter, bit| letter | bit)
    }

    /// The propositions about actions that match that of a transition.
    fn action_letter(&mut self, state: &[u8], t: Transition) -> Letter {
        let action = self.inner.action(state, t);
        let index = action.0 as usize;
        if self.actions.len() <= index {
            self.actions.resize(index + 1, None);
        }
        if let Some(letter) = self.actions[index] {
            return letter;
        }
        let name = self.product.system.action_name(action);
        let bit = |(i, watch): (usize, &Observable)| match watch {
            Observable::State(_) => 0,
            Observable::Action(matches) => u64::from(matches(&name)) << i,
        };
        let letter = self.product.watches.iter().enumerate().map(bit).fold(0, |letter, bit| letter | bit);
        self.actions[index] = Some(letter);
        letter
    }

    /// Collects the edges that are possible in this state into `self.edges`; the letter without actions.
    ///
    /// # Errors
    /// What is wrong with a proposition whose value would have to be known.
    fn read(&mut self, state: &[u8], at: State) -> Result<Letter, Fault> {
        let letter = self.certain_letter(state, at)?;
        let actions = self.product.actions;
        let edges = self.product.automaton.leaving(at).iter().enumerate();
        self.edges.clear();
        // What an edge says about actions is looked at with each of them.
        self.edges.extend(edges.filter(|(_, edge)| admits(edge, letter, actions)).map(|(index, _)| index));
        Ok(letter)
    }

    /// The propositions about states that hold, as far as the automaton's edges there mention them.
    ///
    /// # Errors
    /// What is wrong with a proposition whose value would have to be known.
    #[inline]
    fn certain_letter(&mut self, state: &[u8], at: State) -> Result<Letter, Fault> {
        if self.product.mentioned[at.index()] & !self.product.actions == 0 {
            return Ok(0);
        }
        let letter = self.letter(state);
        if self.product.fallible != 0 {
            self.check_values(state, at, letter)?;
        }
        Ok(letter)
    }

    /// Fails if an edge is possible or not depending on a proposition that has no value. Those read as false, so only
    /// false ones are asked about.
    fn check_values(&mut self, state: &[u8], at: State, letter: Letter) -> Result<(), Fault> {
        let product = self.product;
        let doubtful = product.fallible & product.mentioned[at.index()] & !letter;
        let (mut without_value, mut first) = (0, None);
        for bit in (0..64).filter(|bit| doubtful >> bit & 1 == 1) {
            let Observable::State(number) = product.watches[bit] else { continue };
            if let Some(fault) = self.inner.proposition_fault(state, number) {
                without_value |= 1 << bit;
                first = first.or(Some(fault));
            }
        }
        let Some(fault) = first else { return Ok(()) };
        let settled = |edge: &Edge| {
            let mut cubes = edge.label.0.iter();
            let certain = cubes.any(|cube| {
                (cube.with | cube.without) & without_value == 0 && allows(cube, letter, product.actions)
            });
            certain || !admits(edge, letter, product.actions | without_value)
        };
        if product.automaton.leaving(at).iter().all(settled) { Ok(()) } else { Err(fault) }
    }

    /// Whether an edge is taken together with a transition of the system.
    fn takes(&mut self, edge: &Edge, letter: Letter, state: &[u8], t: Transition) -> bool {
        if self.product.actions == 0 {
            return true;
        }
        let letter = letter | self.action_letter(state, t);
        self.look(letter);
        edge.label.admits(letter)
    }

    /// The bit of the process that begins a transition.
    fn able_bit(&mut self, t: Transition) -> u64 {
        match self.inner.mover(t) {
            Some(pid) if pid < self.product.most_processes() => 1 << pid,
            Some(_) => {
                self.product.too_many_processes.store(true, Ordering::Relaxed);
                0
            }
            None => 0,
        }
    }

    /// Remembers which processes can move.
    fn note_able(&mut self, state: &[u8], able: u64) {
        self.able = able;
        self.able_in.clear();
        self.able_in.extend_from_slice(state);
    }

    /// The same, by the system's successors of the state.
    fn note_able_by(&mut self, state: &[u8], successors: &Successors) {
        let able = successors.iter().fold(0, |able, successor| able | self.able_bit(successor.transition));
        self.note_able(state, able);
    }

    /// The marks for fairness of a transition of the system.
    fn fair_marks(&mut self, state: &[u8], t: Option<Transition>) -> u64 {
        if self.able_in != state {
            let mut enabled = std::mem::take(&mut self.enabled);
            self.inner.enabled(state, &mut enabled);
            let able = enabled.iter().fold(0, |able, &t| able | self.able_bit(t));
            self.note_able(state, able);
            self.enabled = enabled;
        }
        let able = self.able;
        let moved = t.map_or(0, |t| self.inner.movers(state, t));
        let marks = match self.product.fairness {
            Fairness::None => 0,
            Fairness::Weak => (!able | moved) & ones(self.product.most_processes()),
            Fairness::Live => !self.inner.owing(state) & ones(self.product.most_processes()),
            Fairness::Strong => (0..self.product.most_processes()).fold(0, |bits, pid| {
                bits | (able >> pid & 1) << (2 * pid) | (moved >> pid & 1) << (2 * pid + 1)
            }),
        };
        marks << self.product.own_sets()
    }

    /// The product's successors of a state of the system from which the automaton goes on in these ways.
    #[inline]
    fn go_on(&mut self, system: &[u8], ways: &[Way], out: &mut Successors) {
        if ways.is_empty() {
            out.clear();
            return;
        }
        let product = self.product;
        out.with_room(product.width, |out| self.inner.successors(system, out));
        if product.fairness != Fairness::None {
            self.note_able_by(system, out);
        }
        if out.is_empty() && product.stutter {
            for way in ways {
                let t = Transition(way.bits | product.stays().0);
                out.push_joined(t, system, &way.tail[..product.width], None);
            }
            return;
        }
        let faulty = product.faults != Faults::Ignored && out.has_faults();
        out.join(product.width, ways);
        if faulty {
            let failed = product.tail(product.failed());
            out.for_each_fault_mut(|fault, state| {
                if product.counts(fault) {
                    let behind = state.len() - product.width;
                    state[behind..].copy_from_slice(&failed[..product.width]);
                }
            });
        }
    }

    /// The product's successors of a state of the system where edges say something about actions.
    fn successors_by_action(&mut self, system: &[u8], at: State, out: &mut Successors) {
        out.clear();
        let product = self.product;
        let letter = match self.read(system, at) {
            Ok(letter) => letter,
            Err(fault) => {
                let failed = product.tail(product.failed());
                out.push_joined(product.unreadable(at), system, &failed[..product.width], Some(fault));
                return;
            }
        };
        if self.edges.is_empty() {
            return;
        }
        let edges = std::mem::take(&mut self.edges);
        let mut successors = std::mem::take(&mut self.successors);
        self.inner.successors(system, &mut successors);
        if product.fairness != Fairness::None {
            self.note_able_by(system, &successors);
        }
        for Successor { transition, state: to, fault } in successors.iter() {
            for &index in &edges {
                let edge = &product.automaton.leaving(at)[index];
                if self.takes(edge, letter, system, transition) {
                    let tail = product.tail(product.after(edge, fault));
                    out.push_joined(product.encode(index, transition), to, &tail[..product.width], fault);
                }
            }
        }
        if successors.is_empty() && product.stutter {
            for &index in &edges {
                let edge = &product.automaton.leaving(at)[index];
                if edge.label.admits(letter) {
                    let (t, tail) = (product.encode(index, product.stays()), product.tail(edge.to));
                    out.push_joined(t, system, &tail[..product.width], None);
                }
            }
        }
        (self.edges, self.successors) = (edges, successors);
    }
}

/// Whether some letter that differs from `letter` in the propositions `free` only satisfies the edge's label.
fn admits(edge: &Edge, letter: Letter, free: u64) -> bool {
    edge.label.0.iter().any(|cube| allows(cube, letter, free))
}

/// The same of one cube of it.
fn allows(cube: &Cube, letter: Letter, free: u64) -> bool {
    cube.with & !letter & !free == 0 && cube.without & letter & !free == 0
}

impl Stepper for Walker<'_> {
    fn initial(&mut self, out: &mut Vec<u8>) {
        self.inner.initial(out);
        out.extend_from_slice(&self.product.tail(self.product.automaton.initial)[..self.product.width]);
    }

    fn enabled(&mut self, state: &[u8], out: &mut Vec<Transition>) {
        out.clear();
        let product = self.product;
        let (system, at) = product.split(state);
        if at == product.failed() {
            out.push(product.stays());
            return;
        }
        let Ok(letter) = self.read(system, at) else {
            out.push(product.unreadable(at));
            return;
        };
        let edges = std::mem::take(&mut self.edges);
        let mut enabled = std::mem::take(&mut self.enabled);
        self.inner.enabled(system, &mut enabled);
        for &t in &enabled {
            for &edge in &edges {
                if self.takes(&product.automaton.leaving(at)[edge], letter, system, t) {
                    out.push(product.encode(edge, t));
                }
            }
        }
        if enabled.is_empty() && product.stutter {
            let admits = |edge: &&usize| product.automaton.leaving(at)[**edge].label.admits(letter);
            out.extend(edges.iter().filter(admits).map(|&edge| product.encode(edge, product.stays())));
        }
        (self.edges, self.enabled) = (edges, enabled);
    }

    fn fire(&mut self, state: &[u8], t: Transition, out: &mut Vec<u8>) -> Result<(), Fault> {
        let product = self.product;
        let (system, at) = product.split(state);
        let (edge, inner) = product.decode(t);
        let (done, to) = if inner != product.stays() {
            let done = self.inner.fire(system, inner, out);
            (done, product.after(&product.automaton.leaving(at)[edge], done.err()))
        } else {
            out.clear();
            out.extend_from_slice(system);
            if at == product.failed() {
                (Ok(()), at)
            } else if t == product.unreadable(at) {
                (self.read(system, at).map(|_| ()), product.failed())
            } else {
                (Ok(()), product.automaton.leaving(at)[edge].to)
            }
        };
        out.extend_from_slice(&product.tail(to)[..product.width]);
        done
    }

    fn successors(&mut self, state: &[u8], out: &mut Successors) {
        let product = self.product;
        let (system, at) = product.split(state);
        if at == product.failed() {
            out.clear();
            out.push_joined(product.stays(), system, &product.tail(at)[..product.width], None);
            return;
        }
        self.states |= 1 << at.index().min(63);
        if product.actions != 0 {
            self.successors_by_action(system, at, out);
            return;
        }
        let letter = match product.direct {
            true if product.mentioned[at.index()] == 0 => 0,
            true => self.inner.valuation(system),
            false => match self.certain_letter(system, at) {
                Ok(letter) => letter,
                Err(fault) => {
                    out.clear();
                    let failed = product.tail(product.failed());
                    out.push_joined(product.unreadable(at), system, &failed[..product.width], Some(fault));
                    return;
                }
            },
        };
        if product.mentioned[at.index()] != 0 {
            self.look(letter & ones(product.watches.len() as u32));
        }
        let mut own = Vec::new();
        let ways = match &product.ways {
            // Others may have asked the system about more than this automaton does.
            Some(ways) => {
                let letter = letter & ones(product.watches.len() as u32);
                &ways[at.index() << product.watches.len() | letter as usize]
            }
            None => {
                std::mem::swap(&mut own, &mut self.ways);
                own.clear();
                own.extend(product.ways(at, letter));
                &own
            }
        };
        self.go_on(system, ways, out);
        if product.ways.is_none() {
            self.ways = own;
        }
    }

    fn action(&mut self, state: &[u8], t: Transition) -> Action {
        match self.product.inner_transition(t) {
            Some(t) => self.inner.action(self.product.inner(state), t),
            None => NO_ACTION,
        }
    }

    /// An automaton cuts off the runs that it has nothing against.
    fn may_end(&mut self, _state: &[u8]) -> bool {
        true
    }

    fn transition_bits(&self) -> u32 {
        64
    }

    elnath_kernel::facets! { mine: propositions, acceptance, processes, tally }
}

/// One: that the automaton has not accepted, for searches that only look at states.
impl Propositions for Walker<'_> {
    fn names(&mut self) -> Vec<String> {
        vec!["not accepted".to_owned()]
    }

    fn fallible(&mut self) -> u64 {
        0
    }

    fn valuation(&mut self, state: &[u8]) -> u64 {
        u64::from(!self.accepting(state))
    }

    fn proposition_fault(&mut self, _state: &[u8], _number: u32) -> Option<Fault> {
        None
    }

    fn operands(&mut self, _state: &[u8], _number: u32) -> Vec<Operand> {
        Vec::new()
    }
}

impl Acceptance for Walker<'_> {
    fn sets(&mut self) -> u32 {
        self.product.own_sets()
    }

    fn marks(&mut self, state: &[u8], t: Transition) -> u64 {
        let product = self.product;
        let (system, at) = product.split(state);
        if at == product.failed() {
            return product.all_marks();
        }
        if t == product.unreadable(at) {
            return 0;
        }
        let (edge, _) = product.decode(t);
        let mut marks = product.automaton.leaving(at)[edge].marks.0;
        if product.accepting == Accepting::System {
            marks |= u64::from(self.inner.accepting(system)) << product.automaton.sets;
        }
        if matches!(product.accepting, Accepting::Either(_)) && self.inner.accepting(system) {
            marks |= ones(product.automaton.sets);
        }
        if product.fairness != Fairness::None {
            marks |= self.fair_marks(system, product.inner_transition(t));
        }
        marks
    }

    fn accepting(&mut self, state: &[u8]) -> bool {
        let (system, at) = self.product.split(state);
        if at == self.product.failed() {
            return self.product.faults == Faults::Accepted;
        }
        match &self.product.accepting {
            Accepting::States(accepting) => accepting[at.index()],
            Accepting::System => self.inner.accepting(system),
            Accepting::Either(accepting) => accepting[at.index()] || self.inner.accepting(system),
        }
    }

    fn may_recur(&mut self, state: &[u8]) -> bool {
        self.product.may_recur(state)
    }

    fn recurs_by_last_byte(&mut self) -> Option<Box<[bool; 256]>> {
        let recurs = |at: usize| self.product.recurs.get(at).copied().unwrap_or(true);
        (self.product.width == 1).then(|| Box::new(std::array::from_fn(recurs)))
    }
}

impl Processes for Walker<'_> {
    fn mover(&mut self, t: Transition) -> Option<u32> {
        self.product.inner_transition(t).and_then(|t| self.inner.mover(t))
    }

    fn movers(&mut self, state: &[u8], t: Transition) -> u64 {
        let state = self.product.inner(state);
        self.product.inner_transition(t).map_or(0, |t| self.inner.movers(state, t))
    }

    fn owing(&mut self, state: &[u8]) -> u64 {
        self.inner.owing(self.product.inner(state))
    }

    fn locations(&mut self, state: &[u8], out: &mut Vec<u64>) {
        self.inner.locations(self.product.inner(state), out);
    }

    fn successors_of(&mut self, state: &[u8], process: u32, out: &mut Successors) {
        out.fire_some(self, state, |stepper, t| stepper.mover(t) == Some(process));
    }
}

impl Tally for Walker<'_> {
    /// An automaton may have cut off the runs in which they are fired.
    fn unfired(&self) -> Vec<Action> {
        Vec::new()
    }

    elnath_kernel::hand_on! { inner: work }
}
