//! Facets: what a system may offer besides being walked. It has each of them, or has not.
//!
//! | facet | what | asked by |
//! |---|---|---|
//! | [`Describe`] | states, steps, actions and faults as text | reports, simulation, charts |
//! | [`Propositions`] | which atomic propositions hold in a state | invariants, temporal formulas |
//! | [`Acceptance`] | which infinite runs are accepted | searches for accepted cycles |
//! | [`Processes`] | who moves in a transition | fairness, sleep sets, partial order reduction |
//! | [`Tally`] | work done, actions never fired | limits, reports of dead parts |
//!
//! A system over a system says for each facet "mine", "that of the one below" or "none", and a facet has no method with
//! a default: what is forgotten does not compile. (Before, the contract had 40 methods, most of them with defaults, and
//! wrappers forgot to pass some on: such a mistake shows only where somebody looks, as a fault of a proposition that is
//! not reported.) A facet of a stepper is borrowed from it for one question; what the lack of it means is
//! decided once, in the methods of `dyn Stepper` and `dyn System` below: no proposition holds, no set is met, nobody moves.

use crate::event::{Content, Disabled, Event, Field, Operand, StatePart};
use crate::successors::Successors;
use crate::system::{Action, Fault, Stepper, System, Transition};

/// The texts for people.
pub trait Describe {
    /// The state for people, on one line.
    fn show_state(&self, state: &[u8]) -> String;

    /// The state as a table: what it consists of, in an order in which the parts of one owner stand together. None if the
    /// state has no parts.
    fn state_parts(&self, state: &[u8]) -> Vec<StatePart>;

    /// The same with values that a program can work with: variables, arrays, queues with their contents, locations, markings. In the
    /// order of [`state_parts`](Self::state_parts).
    fn fields(&self, state: &[u8]) -> Vec<Field>;

    /// The transition `t` of `state` for people.
    fn show_transition(&self, state: &[u8], t: Transition) -> String;

    /// What happens when `t` is fired in `state`, in order: several events where a transition is made of several
    /// statements. This is what counterexamples, simulations and charts are told with.
    fn events(&self, state: &[u8], t: Transition) -> Vec<Event>;

    /// Those that exist in `state` and may act, by the names that events use; none if the system is one actor without a
    /// name.
    fn actors(&self, state: &[u8]) -> Vec<String>;

    /// What each actor waits for in `state`: the statements it could execute next if they were possible. This explains a
    /// deadlock; none if nothing is known.
    fn waiting(&self, state: &[u8]) -> Vec<Event>;

    /// What the actors could do next in `state` and cannot do now, each with the reason; none if nothing is known.
    fn disabled(&self, state: &[u8]) -> Vec<Disabled>;

    /// The text of an action.
    fn action_name(&self, action: Action) -> String;

    /// Where an action is written in the model's text, as `file:line`.
    fn action_place(&self, action: Action) -> Option<String>;

    /// The text of a fault.
    fn fault_name(&self, fault: Fault) -> String;

    /// Whether this fault says that the system gave up computing something, rather than that the model is wrong: then
    /// nothing is violated, but nothing is proved either.
    fn gave_up(&self, fault: Fault) -> bool;
}

/// A system in which only states and actions have names, and firing runs into no fault: the rest of [`Describe`] follows.
pub trait Terse: System {
    /// See [`Describe::show_state`].
    fn state_text(&self, state: &[u8]) -> String;

    /// See [`Describe::action_name`].
    fn action_text(&self, action: Action) -> String;
}

impl<S: Terse> Describe for S {
    fn show_state(&self, state: &[u8]) -> String {
        self.state_text(state)
    }

    fn state_parts(&self, _state: &[u8]) -> Vec<StatePart> {
        Vec::new()
    }

    fn fields(&self, state: &[u8]) -> Vec<Field> {
        let (owner, name) = (String::new(), "state".to_owned());
        vec![Field { owner, name, content: Content::Text { value: self.state_text(state) } }]
    }

    fn show_transition(&self, state: &[u8], t: Transition) -> String {
        let action = self.stepper().action(state, t);
        self.action_text(action)
    }

    fn events(&self, state: &[u8], t: Transition) -> Vec<Event> {
        vec![Event::plain(self.show_transition(state, t))]
    }

    fn actors(&self, _state: &[u8]) -> Vec<String> {
        Vec::new()
    }

    fn waiting(&self, _state: &[u8]) -> Vec<Event> {
        Vec::new()
    }

    fn disabled(&self, _state: &[u8]) -> Vec<Disabled> {
        Vec::new()
    }

    fn action_name(&self, action: Action) -> String {
        self.action_text(action)
    }

    fn action_place(&self, _action: Action) -> Option<String> {
        None
    }

    fn fault_name(&self, fault: Fault) -> String {
        format!("fault {}", fault.0)
    }

    fn gave_up(&self, _fault: Fault) -> bool {
        false
    }
}

/// The atomic propositions about states, at most 64.
pub trait Propositions {
    /// Their names, that of bit 0 of a valuation first.
    fn names(&mut self) -> Vec<String>;

    /// Those, one bit each, that may have no value in some state: see [`proposition_fault`](Self::proposition_fault).
    fn fallible(&mut self) -> u64;

    /// Those that hold in `state`, one bit each.
    fn valuation(&mut self, state: &[u8]) -> u64;

    /// Why proposition `number` has no value in `state`, if it has none: then [`valuation`](Self::valuation) says that it
    /// is false.
    fn proposition_fault(&mut self, state: &[u8], number: u32) -> Option<Fault>;

    /// The values that proposition `number` reads in `state`, for people: why it is true or false. None if nothing is known.
    fn operands(&mut self, state: &[u8], number: u32) -> Vec<Operand>;
}

/// Which infinite runs are accepted.
pub trait Acceptance {
    /// The number of acceptance sets, at most 64: a run is accepted if it meets each of them again and again, as
    /// [`marks`](Self::marks) tells.
    fn sets(&mut self) -> u32;

    /// The acceptance sets that the transition `t` of `state` belongs to, one bit each.
    fn marks(&mut self, state: &[u8], t: Transition) -> u64;

    /// Whether `state` is accepting, for searches that know of one set of states only.
    fn accepting(&mut self, state: &[u8]) -> bool;

    /// Whether an accepted run may meet `state` again and again; true if nothing is known. If not, a search for accepted
    /// cycles need not look for one through it, and may take such states in any order.
    fn may_recur(&mut self, state: &[u8]) -> bool;

    /// The same by the last byte of a state, where that byte tells it: searches want to know it of every successor, and to
    /// call for each would take longer than everything else that is done with the answer.
    fn recurs_by_last_byte(&mut self) -> Option<Box<[bool; 256]>>;
}

/// The processes that a system is made of.
pub trait Processes {
    /// The number of the process that begins the transition `t`: this is what fairness is about. A process that only
    /// answers, at a rendez-vous, does not begin it.
    fn mover(&mut self, t: Transition) -> Option<u32>;

    /// All processes that move in the transition `t` of `state`, one bit each; those with numbers from 64 on have none.
    fn movers(&mut self, state: &[u8], t: Transition) -> u64;

    /// The processes that owe something in `state`, one bit each: each of those with a liveness condition of its own, an
    /// acceptance set, that is not in it now.
    fn owing(&mut self, state: &[u8]) -> u64;

    /// Where the processes are in `state`, replacing what was in `out`: for each that is not at its end a number for its kind
    /// and its location, in the order of the numbers. So two states have the same if they differ only in variables, or in
    /// which of several processes of one kind is where.
    fn locations(&mut self, state: &[u8], out: &mut Vec<u64>);

    /// [`Stepper::successors`] for the transitions that one process begins, as [`mover`](Self::mover) has it. Transitions
    /// that are enabled only because there are no others need not be among them; but all that are among them are enabled.
    fn successors_of(&mut self, state: &[u8], process: u32, out: &mut Successors);
}

/// What a stepper counts.
pub trait Tally {
    /// How many small steps were made so far, where one transition may be made of very many: a search that only counted
    /// states would not know when to look at the clock.
    fn work(&self) -> u64;

    /// The actions that this stepper knows of and has never fired: after a complete walk, dead parts of the model.
    fn unfired(&self) -> Vec<Action>;
}

/// The facets of a system, with what their lack means.
impl dyn System + '_ {
    /// See [`Describe::show_state`].
    pub fn show_state(&self, state: &[u8]) -> String {
        self.describe().show_state(state)
    }

    /// See [`Describe::state_parts`].
    pub fn state_parts(&self, state: &[u8]) -> Vec<StatePart> {
        self.describe().state_parts(state)
    }

    /// See [`Describe::fields`].
    pub fn fields(&self, state: &[u8]) -> Vec<Field> {
        self.describe().fields(state)
    }

    /// See [`Describe::disabled`].
    pub fn disabled(&self, state: &[u8]) -> Vec<Disabled> {
        self.describe().disabled(state)
    }

    /// See [`Describe::show_transition`].
    pub fn show_transition(&self, state: &[u8], t: Transition) -> String {
        self.describe().show_transition(state, t)
    }

    /// See [`Describe::events`].
    pub fn events(&self, state: &[u8], t: Transition) -> Vec<Event> {
        self.describe().events(state, t)
    }

    /// See [`Describe::actors`].
    pub fn actors(&self, state: &[u8]) -> Vec<String> {
        self.describe().actors(state)
    }

    /// See [`Describe::waiting`].
    pub fn waiting(&self, state: &[u8]) -> Vec<Event> {
        self.describe().waiting(state)
    }

    /// See [`Describe::action_name`].
    pub fn action_name(&self, action: Action) -> String {
        self.describe().action_name(action)
    }

    /// See [`Describe::action_place`].
    pub fn action_place(&self, action: Action) -> Option<String> {
        self.describe().action_place(action)
    }

    /// See [`Describe::fault_name`].
    pub fn fault_name(&self, fault: Fault) -> String {
        self.describe().fault_name(fault)
    }

    /// See [`Describe::gave_up`].
    pub fn gave_up(&self, fault: Fault) -> bool {
        self.describe().gave_up(fault)
    }

    /// The names of the propositions about its states; none if it has no such facet.
    pub fn propositions(&self) -> Vec<String> {
        self.stepper().propositions().map_or_else(Vec::new, |propositions| propositions.names())
    }

    /// See [`Propositions::fallible`].
    pub fn fallible_propositions(&self) -> u64 {
        self.stepper().propositions().map_or(0, |propositions| propositions.fallible())
    }

    /// The number of its acceptance sets: none unless it is an automaton over infinite runs.
    pub fn acceptance_sets(&self) -> u32 {
        self.stepper().acceptance().map_or(0, |acceptance| acceptance.sets())
    }
}

/// The facets of a stepper, with what their lack means.
impl dyn Stepper + '_ {
    /// The propositions that hold in `state`, one bit each.
    #[inline]
    pub fn valuation(&mut self, state: &[u8]) -> u64 {
        self.propositions().map_or(0, |propositions| propositions.valuation(state))
    }

    /// See [`Propositions::proposition_fault`].
    pub fn proposition_fault(&mut self, state: &[u8], number: u32) -> Option<Fault> {
        self.propositions()?.proposition_fault(state, number)
    }

    /// See [`Propositions::operands`].
    pub fn operands(&mut self, state: &[u8], number: u32) -> Vec<Operand> {
        self.propositions().map_or_else(Vec::new, |propositions| propositions.operands(state, number))
    }

    /// The acceptance sets that `t` belongs to, one bit each.
    #[inline]
    pub fn marks(&mut self, state: &[u8], t: Transition) -> u64 {
        self.acceptance().map_or(0, |acceptance| acceptance.marks(state, t))
    }

    /// Whether `state` is accepting.
    #[inline]
    pub fn accepting(&mut self, state: &[u8]) -> bool {
        self.acceptance().is_some_and(|acceptance| acceptance.accepting(state))
    }

    /// See [`Acceptance::may_recur`].
    pub fn may_recur(&mut self, state: &[u8]) -> bool {
        self.acceptance().is_none_or(|acceptance| acceptance.may_recur(state))
    }

    /// See [`Acceptance::recurs_by_last_byte`].
    pub fn recurs_by_last_byte(&mut self) -> Option<Box<[bool; 256]>> {
        self.acceptance()?.recurs_by_last_byte()
    }

    /// The process that begins `t`, if the system is made of processes.
    #[inline]
    pub fn mover(&mut self, t: Transition) -> Option<u32> {
        self.processes()?.mover(t)
    }

    /// The processes that move in `t`, one bit each.
    pub fn movers(&mut self, state: &[u8], t: Transition) -> u64 {
        self.processes().map_or(0, |processes| processes.movers(state, t))
    }

    /// See [`Processes::owing`].
    pub fn owing(&mut self, state: &[u8]) -> u64 {
        self.processes().map_or(0, |processes| processes.owing(state))
    }

    /// See [`Processes::locations`]; nothing if the system is not made of processes.
    pub fn locations(&mut self, state: &[u8], out: &mut Vec<u64>) {
        match self.processes() {
            Some(processes) => processes.locations(state, out),
            None => out.clear(),
        }
    }

    /// See [`Processes::successors_of`].
    pub fn successors_of(&mut self, state: &[u8], process: u32, out: &mut Successors) {
        match self.processes() {
            Some(processes) => processes.successors_of(state, process, out),
            None => out.clear(),
        }
    }

    /// See [`Tally::work`]; where nothing is counted, transitions are all alike, and this stays 0.
    #[inline]
    pub fn work(&self) -> u64 {
        self.tally().map_or(0, |tally| tally.work())
    }

    /// The actions that it knows of and has never fired.
    pub fn unfired(&self) -> Vec<Action> {
        self.tally().map_or_else(Vec::new, |tally| tally.unfired())
    }
}

/// The bit of a process in [`Processes::movers`], where no other process moves along.
pub fn only(mover: Option<u32>) -> u64 {
    mover.and_then(|pid| 1u64.checked_shl(pid)).unwrap_or(0)
}
