//! A system watched by an automaton over infinite words: one product for formulas, automata in files and never claims.
//!
//! From (s, q) the automaton reads a letter, which propositions hold in s and which match the action of the transition
//! that is taken, and goes along one of its edges that admit it, while the system goes along the transition. A run of the
//! product is thus a run of the system with a run of the automaton on its word (SPIN's reading: propositions are those
//! of the *source*, so the first letter is the initial state's).
//!
//! **Runs that end.** A state without transitions would cut the word off, and an automaton over infinite words could say
//! nothing about it. With the *stutter extension* the last state is repeated for ever: the automaton goes on alone, and
//! no action matches. Without it only infinite runs count.
//!
//! **Fairness** is a matter of the system's transitions, so it lives here too, as more marks. Weak: a set for each
//! process, to which a transition belongs if the process moves or could not have moved. Strong: two bits for each, the
//! request that it could have moved and the response that it does. A process that does not exist cannot move. And where
//! processes are Büchi automata themselves, with acceptance labels of their own, a set for each of those, to which a
//! transition belongs if the process is at such a label or has none.
//!
//! A state is that of the system with the automaton's behind it, one byte or two; a transition is the system's with the
//! number of the automaton's edge above it. Nothing is allocated per state, and the system's successors are made once per
//! state, together, whatever computes them.

use elnath_kernel::{
    Action, Condition, Event, Fault, Run, Stepper, StreettPair, Successor, Successors, System, Transition,
};
use elnath_logic::Automaton;
use elnath_logic::automaton::{Edge, Letter, State};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a proposition of the automaton looks at.
#[derive(Clone)]
pub enum Watch {
    /// A proposition of the system: a bit of [`Stepper::valuation`].
    State(u32),
    /// The name of the action that is taken.
    Action(Arc<dyn Fn(&str) -> bool + Send + Sync>),
}

/// Which infinite runs of a system of processes count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fairness {
    /// All.
    #[default]
    None,
    /// Those in which no process is able to move from some point on without ever moving.
    Weak,
    /// Those in which every process that is able to move again and again does so.
    Strong,
    /// Those in which every process with acceptance labels is at one of them again and again: programs whose components are
    /// Büchi automata (memory-efficient-algorithms-1992, section 4).
    Live,
}

/// How the automaton's state says whether a run is accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Accepting {
    /// Those of its states.
    States(Vec<bool>),
    /// The system's own: [`Stepper::accepting`].
    System,
}

/// A system and the automaton that watches it. See the [module](self).
pub struct Product<'s> {
    system: Arc<dyn System + 's>,
    automaton: Automaton,
    accepting: Accepting,
    watches: Vec<Watch>,
    /// Whether the letter is the system's valuation as it is.
    plain: bool,
    /// The propositions that are about actions.
    actions: u64,
    stutter: bool,
    fairness: Fairness,
    /// How many low bits of a transition are the system's.
    bits: u32,
    /// Bytes of the automaton's state.
    width: usize,
    /// Whether there was a process for which there is no mark.
    too_many_processes: AtomicBool,
}

/// A product that cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TooLarge {
    /// The automaton has too many states or edges for a transition to name them.
    Automaton,
    /// The automaton has so many acceptance sets that fairness finds no room.
    Sets,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TooLarge::Automaton => "the automaton is too large to watch this system",
            TooLarge::Sets => "the automaton has too many acceptance sets for a check with fairness",
        })
    }
}

impl<'s> Product<'s> {
    pub(super) fn new(
        system: Arc<dyn System + 's>,
        automaton: Automaton,
        accepting: Accepting,
        watches: Vec<Watch>,
        stutter: bool,
        fairness: Fairness,
    ) -> Result<Self, TooLarge> {
        assert_eq!(automaton.propositions.len(), watches.len(), "every proposition looks at something");
        let bits = system.stepper().transition_bits();
        let most_edges = automaton.edges.iter().map(Vec::len).max().unwrap_or(0) as u64;
        if bits >= 64 || most_edges > 1 << (64 - bits) || automaton.states() > 1 << 16 {
            return Err(TooLarge::Automaton);
        }
        let plain = watches
            .iter()
            .enumerate()
            .all(|(i, watch)| matches!(watch, Watch::State(bit) if *bit as usize == i));
        let is_action = |(i, watch): (usize, &Watch)| u64::from(matches!(watch, Watch::Action(_))) << i;
        let actions = watches.iter().enumerate().map(is_action).fold(0, |all, bit| all | bit);
        let width = if automaton.states() <= 256 { 1 } else { 2 };
        let too_many_processes = AtomicBool::new(false);
        let product = Self {
            system,
            automaton,
            accepting,
            watches,
            plain,
            actions,
            stutter,
            fairness,
            bits,
            width,
            too_many_processes,
        };
        if product.fairness != Fairness::None && product.most_processes() < 2 {
            return Err(TooLarge::Sets);
        }
        Ok(product)
    }

    /// The system that is watched.
    pub fn system(&self) -> &Arc<dyn System + 's> {
        &self.system
    }

    /// The state of the system in a state of the product.
    pub fn inner<'b>(&self, state: &'b [u8]) -> &'b [u8] {
        self.split(state).0
    }

    /// The system's transition in one of the product's; `None` where the system stays in its last state.
    pub fn inner_transition(&self, t: Transition) -> Option<Transition> {
        let (_, inner) = self.decode(t);
        (inner != self.stays()).then_some(inner)
    }

    /// A run without the automaton: the states and steps of the system. It ends where the system does.
    pub fn alone(&self, run: &Run) -> Run {
        let steps: Vec<Transition> = run.steps.iter().map_while(|&t| self.inner_transition(t)).collect();
        let states = run.states[..=steps.len()].iter().map(|state| self.inner(state).to_vec()).collect();
        Run { states, steps, fault: run.fault }
    }

    /// The same infinite run of the system with its cycle as early as it can begin. The automaton often needs a step or
    /// two more to make up its mind, which is of no interest to those who want to see what the system does.
    pub fn roll_back(&self, run: &mut Run, loop_start: &mut usize) {
        let step = |run: &Run, at: usize| {
            (self.inner(&run.states[at]).to_vec(), self.inner_transition(run.steps[at]))
        };
        while *loop_start > 0 && step(run, *loop_start - 1) == step(run, run.steps.len() - 1) {
            *loop_start -= 1;
            run.steps.pop();
            run.states.pop();
        }
    }

    /// The acceptance of runs by the marks of transitions.
    pub(super) fn condition(&self) -> Condition {
        let own = self.own_sets();
        let mut sets = ones(own);
        let mut pairs = Vec::new();
        let processes = self.most_processes();
        match self.fairness {
            Fairness::None => {}
            Fairness::Weak | Fairness::Live => sets |= ones(processes) << own,
            Fairness::Strong => {
                let bit = |pid: u32, which: u32| 1u64 << (own + 2 * pid + which);
                pairs.extend(
                    (0..processes).map(|pid| StreettPair { request: bit(pid, 0), response: bit(pid, 1) }),
                );
            }
        }
        Condition { sets, pairs }
    }

    /// Whether fairness could not be told for some process, of which there were too many.
    pub(super) fn lost_processes(&self) -> bool {
        self.too_many_processes.load(Ordering::Relaxed)
    }

    /// For how many processes there are marks.
    pub(super) fn most_processes(&self) -> u32 {
        let room = 63 - self.own_sets();
        match self.fairness {
            Fairness::None => 0,
            Fairness::Weak | Fairness::Live => room,
            Fairness::Strong => room / 2,
        }
    }

    /// The marks that are not about fairness.
    fn own_sets(&self) -> u32 {
        self.automaton.sets + u32::from(self.accepting == Accepting::System)
    }

    fn split<'b>(&self, state: &'b [u8]) -> (&'b [u8], State) {
        let (system, automaton) = state.split_at(state.len() - self.width);
        let number = match *automaton {
            [low] => u32::from(low),
            [low, high] => u32::from(u16::from_le_bytes([low, high])),
            _ => unreachable!("the automaton's state has one byte or two"),
        };
        (system, State(number))
    }

    fn tail(&self, at: State) -> [u8; 2] {
        (at.0 as u16).to_le_bytes()
    }

    fn encode(&self, edge: usize, inner: Transition) -> Transition {
        Transition(if self.bits == 64 { inner.0 } else { (edge as u64) << self.bits | inner.0 })
    }

    fn decode(&self, t: Transition) -> (usize, Transition) {
        ((t.0 >> self.bits) as usize, Transition(t.0 & ones(self.bits)))
    }

    /// The number of the system's transition where it has none.
    fn stays(&self) -> Transition {
        Transition(ones(self.bits))
    }
}

fn ones(bits: u32) -> u64 {
    1u64.checked_shl(bits).map_or(u64::MAX, |bit| bit - 1)
}

impl System for Product<'_> {
    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(Walker {
            product: self,
            inner: self.system.stepper(),
            successors: Successors::default(),
            enabled: Vec::new(),
            edges: Vec::new(),
            actions: Vec::new(),
            able_in: Vec::new(),
            able: 0,
        })
    }

    fn show_state(&self, state: &[u8]) -> String {
        self.system.show_state(self.inner(state))
    }

    fn show_transition(&self, state: &[u8], t: Transition) -> String {
        match self.inner_transition(t) {
            Some(t) => self.system.show_transition(self.inner(state), t),
            None => STAYS.to_owned(),
        }
    }

    fn events(&self, state: &[u8], t: Transition) -> Vec<Event> {
        match self.inner_transition(t) {
            Some(t) => self.system.events(self.inner(state), t),
            None => vec![Event { changes: Some(Vec::new()), ..Event::plain(STAYS.to_owned()) }],
        }
    }

    fn actors(&self, state: &[u8]) -> Vec<String> {
        self.system.actors(self.inner(state))
    }

    fn waiting(&self, state: &[u8]) -> Vec<Event> {
        self.system.waiting(self.inner(state))
    }

    fn action_name(&self, action: Action) -> String {
        if action == NO_ACTION { STAYS.to_owned() } else { self.system.action_name(action) }
    }

    fn action_place(&self, action: Action) -> Option<String> {
        if action == NO_ACTION { None } else { self.system.action_place(action) }
    }

    fn fault_name(&self, fault: Fault) -> String {
        self.system.fault_name(fault)
    }

    fn gave_up(&self, fault: Fault) -> bool {
        self.system.gave_up(fault)
    }

    /// One: that the automaton has not accepted, for searches that only look at states.
    fn propositions(&self) -> Vec<String> {
        vec!["not accepted".to_owned()]
    }

    fn acceptance_sets(&self) -> u32 {
        self.own_sets()
    }

    fn bytes(&self) -> usize {
        self.system.bytes()
    }
}

/// What is told where only the automaton goes on.
const STAYS: &str = "(nothing is possible any more: this state lasts for ever)";
const NO_ACTION: Action = Action(u32::MAX);

struct Walker<'p> {
    product: &'p Product<'p>,
    inner: Box<dyn Stepper + 'p>,
    /// The system's successors of the state in hand.
    successors: Successors,
    enabled: Vec<Transition>,
    /// The automaton's edges that the state's propositions admit, whatever the action.
    edges: Vec<usize>,
    /// By action: the propositions that match it, as far as asked.
    actions: Vec<Option<u64>>,
    /// The processes that can move in `able_in`, a state of the system.
    able_in: Vec<u8>,
    able: u64,
}

impl<'p> Walker<'p> {
    /// The propositions about states that hold.
    fn letter(&mut self, state: &[u8]) -> Letter {
        let valuation = self.inner.valuation(state);
        if self.product.plain {
            return valuation;
        }
        let bit = |(i, watch): (usize, &Watch)| match watch {
            Watch::State(bit) => (valuation >> bit & 1) << i,
            Watch::Action(_) => 0,
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
        let bit = |(i, watch): (usize, &Watch)| match watch {
            Watch::State(_) => 0,
            Watch::Action(matches) => u64::from(matches(&name)) << i,
        };
        let letter = self.product.watches.iter().enumerate().map(bit).fold(0, |letter, bit| letter | bit);
        self.actions[index] = Some(letter);
        letter
    }

    /// Collects the edges that are possible in this state into `self.edges`; the letter without actions.
    fn read(&mut self, state: &[u8], at: State) -> Letter {
        let letter = self.letter(state);
        let actions = self.product.actions;
        let edges = self.product.automaton.leaving(at).iter().enumerate();
        self.edges.clear();
        // What an edge says about actions is looked at with each of them.
        self.edges.extend(edges.filter(|(_, edge)| admits(edge, letter, actions)).map(|(index, _)| index));
        letter
    }

    /// Whether an edge is taken together with a transition of the system.
    fn takes(&mut self, edge: &Edge, letter: Letter, state: &[u8], t: Transition) -> bool {
        self.product.actions == 0 || edge.label.admits(letter | self.action_letter(state, t))
    }

    /// The bit of the process that begins a transition.
    fn able_bit(&self, t: Transition) -> u64 {
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
}

/// Whether some letter that differs from `letter` in the propositions `free` only satisfies the edge's label.
fn admits(edge: &Edge, letter: Letter, free: u64) -> bool {
    edge.label.0.iter().any(|cube| cube.with & !letter & !free == 0 && cube.without & letter & !free == 0)
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
        let letter = self.read(system, at);
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
        let (system, at) = self.product.split(state);
        let (edge, t) = self.product.decode(t);
        let to = self.product.automaton.leaving(at)[edge].to;
        let done = if t == self.product.stays() {
            out.clear();
            out.extend_from_slice(system);
            Ok(())
        } else {
            self.inner.fire(system, t, out)
        };
        out.extend_from_slice(&self.product.tail(to)[..self.product.width]);
        done
    }

    fn successors(&mut self, state: &[u8], out: &mut Successors) {
        out.clear();
        let product = self.product;
        let (system, at) = product.split(state);
        let letter = self.read(system, at);
        if self.edges.is_empty() {
            return;
        }
        let edges = std::mem::take(&mut self.edges);
        let mut successors = std::mem::take(&mut self.successors);
        self.inner.successors(system, &mut successors);
        if product.fairness != Fairness::None {
            let able =
                successors.iter().fold(0, |able, successor| able | self.able_bit(successor.transition));
            self.note_able(system, able);
        }
        for Successor { transition, state: to, fault } in successors.iter() {
            for &index in &edges {
                let edge = &product.automaton.leaving(at)[index];
                if self.takes(edge, letter, system, transition) {
                    let tail = product.tail(edge.to);
                    out.push_joined(product.encode(index, transition), to, &tail[..product.width], fault);
                }
            }
        }
        if successors.is_empty() && product.stutter {
            for &index in &edges {
                let edge = &product.automaton.leaving(at)[index];
                if edge.label.admits(letter) {
                    let tail = product.tail(edge.to);
                    out.push_joined(
                        product.encode(index, product.stays()),
                        system,
                        &tail[..product.width],
                        None,
                    );
                }
            }
        }
        (self.edges, self.successors) = (edges, successors);
    }

    fn action(&mut self, state: &[u8], t: Transition) -> Action {
        match self.product.inner_transition(t) {
            Some(t) => self.inner.action(self.product.inner(state), t),
            None => NO_ACTION,
        }
    }

    fn valuation(&mut self, state: &[u8]) -> u64 {
        u64::from(!self.accepting(state))
    }

    fn marks(&mut self, state: &[u8], t: Transition) -> u64 {
        let product = self.product;
        let (system, at) = product.split(state);
        let (edge, _) = product.decode(t);
        let mut marks = product.automaton.leaving(at)[edge].marks.0;
        if product.accepting == Accepting::System {
            marks |= u64::from(self.inner.accepting(system)) << product.automaton.sets;
        }
        if product.fairness != Fairness::None {
            marks |= self.fair_marks(system, product.inner_transition(t));
        }
        marks
    }

    fn accepting(&mut self, state: &[u8]) -> bool {
        let (system, at) = self.product.split(state);
        match &self.product.accepting {
            Accepting::States(accepting) => accepting[at.index()],
            Accepting::System => self.inner.accepting(system),
        }
    }

    /// An automaton cuts off the runs that it has nothing against.
    fn may_end(&mut self, _state: &[u8]) -> bool {
        true
    }

    fn mover(&self, t: Transition) -> Option<u32> {
        self.product.inner_transition(t).and_then(|t| self.inner.mover(t))
    }

    fn movers(&mut self, state: &[u8], t: Transition) -> u64 {
        let state = self.product.inner(state);
        self.product.inner_transition(t).map_or(0, |t| self.inner.movers(state, t))
    }

    fn work(&self) -> u64 {
        self.inner.work()
    }

    fn transition_bits(&self) -> u32 {
        64
    }
}
