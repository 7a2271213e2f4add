//! Do the finite runs of a system satisfy a formula? The on-line check of on-line-model-checking-1989, section 4.
//!
//! The system is walked together with the automaton of the formula's derivatives, which grows with the walk. That
//! automaton is deterministic, so the product has the transitions of the system and nothing to choose: a state of it is a
//! state of the system with a number behind it. Whether the run so far satisfies the formula is then a matter of the pair,
//! and the question is one of [reachability](crate::reachability):
//! - of every finite computation ([`Reading::Prefix`], the paper's): an invariant of the pairs;
//! - of the runs that cannot go on ([`Reading::Maximal`]): a run may only end in a pair that is fine.
//!
//! So every walk and every store serves, the replacing one included.
//!
//! Two things are different from figure 5 of the paper (`docs/papers.md`, errata 3 and 4). It pushes the initial pair unchecked, and
//! tests only pairs that it meets later; here a pair is tested whenever it is expanded, the first one included. And it
//! never looks at the empty computation, though by its definition every formula that is false on the empty word, such as
//! `F a`, fails on every system. Here that is a choice ([`FiniteRuns::empty_word`]). Where the empty computation is left
//! out and would fail, the initial pair is a state of its own: a longer run may come back to what it stands for.
//!
//! # What a letter is
//!
//! If the propositions are all actions, then as in the paper a run of *n* steps is a word of *n* letters, the letter being
//! the action. An action that the formula does not name is `tau`, and counts as a step. If some proposition is about
//! states, then a run through *n* + 1 states is a word of as many letters: each state with the action by which it is left,
//! and the last one with no action.

use crate::plan::Plan;
use crate::reachability::{self, ErrorCounts, Safety, SafetyAnswer, Violation};
use crate::refusal::Refusal;
use elnath_kernel::event::{Disabled, Field, Operand, StatePart};
use elnath_kernel::{
    Action, Budget, Describe, Event, Fault, Propositions, Run, Stepper, Successors, System, Transition,
    Verdict, replay,
};
use elnath_logic::automaton::{Letter, State};
use elnath_logic::derivative::{Alphabet, Derivatives, EmptyWord, TooManyPropositions};
use elnath_logic::finite::Reading;
use elnath_logic::formula::{Formulas, Id};
use elnath_logic::word;
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a proposition of the formula is about.
pub enum Proposition {
    /// The state: this bit of its valuation.
    State(u32),
    /// The step that is taken: exactly this action, by its name.
    Action(String),
    /// The step that is taken: actions whose names satisfy this, several propositions of this kind maybe at once.
    Pattern(Box<dyn Fn(&str) -> bool + Send + Sync>),
    /// The step that is taken: an action that none of the others is about.
    #[doc(alias = "tau")]
    Other,
}

/// A formula to be held against the finite runs of a system.
pub struct FiniteRuns<'a> {
    /// Where the formula is.
    pub formulas: &'a Formulas,
    /// The formula.
    pub formula: Id,
    /// What its propositions mean, in the order of [`Formulas::propositions`].
    pub propositions: &'a [Proposition],
    /// Which runs must satisfy it.
    pub reading: Reading,
    /// Whether the run without steps is asked about too. It is a word only if all propositions are actions; otherwise
    /// there is nothing to choose.
    pub empty_word: bool,
}

impl FiniteRuns<'_> {
    /// Whether some proposition is about states, so that letters are read from them.
    pub fn reads_states(&self) -> bool {
        self.propositions.iter().any(|proposition| matches!(proposition, Proposition::State(_)))
    }

    /// The letters that can occur. Names exclude each other, patterns may not.
    fn alphabet(&self) -> Alphabet {
        let exclusive = |p: &Proposition| matches!(p, Proposition::Action(_) | Proposition::Other);
        if self.propositions.iter().all(exclusive) { Alphabet::Actions } else { Alphabet::Sets }
    }

    /// The bits that an action of this name sets.
    fn action(&self, name: &str) -> Letter {
        let bits = |test: &dyn Fn(&Proposition) -> bool| {
            (0..).zip(self.propositions).filter(|(_, p)| test(p)).fold(0, |set, (bit, _)| set | 1 << bit)
        };
        let named = bits(&|p| match p {
            Proposition::Action(this) => this == name,
            Proposition::Pattern(matches) => matches(name),
            Proposition::State(_) | Proposition::Other => false,
        });
        if named == 0 { bits(&|p| matches!(p, Proposition::Other)) } else { named }
    }

    /// The bits that the valuation of a state sets.
    fn state(&self, valuation: u64) -> Letter {
        let holds = |p: &Proposition| matches!(p, Proposition::State(bit) if valuation >> bit & 1 == 1);
        (0..).zip(self.propositions).filter(|(_, p)| holds(p)).fold(0, |set, (bit, _)| set | 1 << bit)
    }
}

/// The answer, and what is to be known about it.
pub struct FiniteAnswer {
    /// The answer.
    pub answer: SafetyAnswer,
    /// How many states of the automaton were made.
    pub automaton_states: usize,
    /// Whether the walk met the end of a run: if not, [`Reading::Maximal`] asked about nothing.
    pub met_an_end: bool,
}

/// Asks whether the finite runs of `system` satisfy the property, and whether they run into a fault; with `all`, counts
/// the pairs in which they do not. A run that does not is checked against the definition before it is believed.
///
/// # Errors
/// If the plan makes no sense, or a diagnosis does not replay.
///
/// # Panics
/// If the formula has more propositions than a letter has bits, which [`FiniteProduct::new`] tells.
pub fn ask(
    system: &dyn System,
    property: &FiniteRuns<'_>,
    all: bool,
    plan: &Plan,
    budget: &mut Budget<'_>,
) -> Result<FiniteAnswer, Refusal> {
    let product = FiniteProduct::new(system, property).expect("few enough propositions");
    let (deadlocks, invariants) = match property.reading {
        Reading::Prefix => (false, 1),
        Reading::Maximal => (true, 0),
    };
    let question = Safety { deadlocks, invariants, all, ..Safety::DEADLOCKS };
    let mut answer = reachability::ask(&product, &question, plan, budget)?;
    let of_system = |violation: &mut Violation, run: &mut Run| -> Result<(), Refusal> {
        if let Violation::Fault(_) = violation {
            *run =
                stripped(std::mem::replace(run, Run { states: Vec::new(), steps: Vec::new(), fault: None }));
            return Ok(());
        }
        *run = replay(system, &run.steps)?;
        *violation = Violation::FiniteRun;
        confirm(system, property, Violation::FiniteRun, run)
    };
    if let Some((violation, run)) = &mut answer.violation {
        of_system(violation, run)?;
    }
    for error in &mut answer.distinct.list {
        match &mut error.run {
            Some(run) => of_system(&mut error.violation, run)?,
            None if matches!(error.violation, Violation::Fault(_)) => {}
            None => error.violation = Violation::FiniteRun,
        }
    }
    let errors = answer.errors;
    let errors =
        ErrorCounts { deadlocks: 0, invariants: 0, formula: errors.deadlocks + errors.invariants, ..errors };
    debug_assert!(answer.violation.is_some() == matches!(answer.verdict, Verdict::Fails(_)));
    answer.errors = errors;
    let met_an_end = product.met_an_end.into_inner();
    let automaton = product.automaton.into_inner().expect("no worker panics with it");
    Ok(FiniteAnswer { answer, automaton_states: automaton.states(), met_an_end })
}

/// Replays a run and looks whether it is a fault, or a finite run that does not satisfy the property: by the definition, without an
/// automaton.
///
/// # Errors
/// If it is not, which would be a bug of ours.
pub fn confirm(
    system: &dyn System,
    property: &FiniteRuns<'_>,
    violation: Violation,
    run: &Run,
) -> Result<(), Refusal> {
    let run = replay(system, &run.steps)?;
    let is_bad = match violation {
        Violation::Fault(fault) => run.fault == Some(fault),
        _ => {
            let counts = match property.reading {
                Reading::Prefix => true,
                Reading::Maximal => is_stuck(&mut *system.stepper(), run.last()),
            };
            counts && !word::holds(property.formulas, property.formula, &word_of(system, property, &run))
        }
    };
    if is_bad { Ok(()) } else { Err(Refusal::NO_VIOLATION) }
}

/// The word that a run of the system is, for this property.
pub fn word_of(system: &dyn System, property: &FiniteRuns<'_>, run: &Run) -> Vec<Letter> {
    let mut stepper = system.stepper();
    let mut word = Vec::with_capacity(run.states.len());
    for (state, &t) in run.states.iter().zip(&run.steps) {
        let action = stepper.action(state, t);
        word.push(property.state(stepper.valuation(state)) | property.action(&system.action_name(action)));
    }
    if property.reads_states() {
        word.push(property.state(stepper.valuation(run.last())));
    }
    word
}

fn is_stuck(stepper: &mut dyn Stepper, state: &[u8]) -> bool {
    let mut enabled = Vec::new();
    stepper.enabled(state, &mut enabled);
    enabled.is_empty()
}

/// A run of the product as one of the system.
fn stripped(run: Run) -> Run {
    Run { states: run.states.iter().map(|pair| split(pair).0.to_vec()).collect(), ..run }
}

/// The system with the automaton behind it. Its proposition 0, and where a run may end, are whether the run so far
/// satisfies the formula.
pub struct FiniteProduct<'a> {
    system: &'a dyn System,
    property: &'a FiniteRuns<'a>,
    /// Workers must agree on the numbers of states, and each remembers what it was told.
    automaton: Mutex<Derivatives>,
    initial: u32,
    reads_states: bool,
    /// Whether a worker has asked if a run may end where it must.
    met_an_end: AtomicBool,
}

/// A state of the automaton as the number in a pair: the lowest bit says whether it accepts, so that no worker has to
/// ask for that.
fn number(automaton: &Derivatives, state: State) -> u32 {
    state.0 << 1 | if automaton.accepting(state) { 1 } else { 0 }
}

/// The number of the initial pair where the empty computation is not asked about and would fail: it passes for accepting.
const START: u32 = u32::MAX;

impl<'a> FiniteProduct<'a> {
    /// The product, of which nothing is made yet.
    ///
    /// # Errors
    /// If the formula has too many propositions.
    pub fn new(system: &'a dyn System, property: &'a FiniteRuns<'a>) -> Result<Self, TooManyPropositions> {
        let FiniteRuns { formulas, formula, .. } = *property;
        let automaton = Derivatives::new(formulas, formula, property.alphabet(), EmptyWord::ByDefinition)?;
        let reads_states = property.reads_states();
        let apart = !reads_states && !property.empty_word && !automaton.accepting(automaton.initial());
        let initial = if apart { START } else { number(&automaton, automaton.initial()) };
        let (automaton, met_an_end) = (Mutex::new(automaton), AtomicBool::new(false));
        Ok(Self { system, property, automaton, initial, reads_states, met_an_end })
    }
}

fn split(pair: &[u8]) -> (&[u8], u32) {
    let (state, number) = pair.split_last_chunk().expect("a pair has a number behind its state");
    (state, u32::from_le_bytes(*number))
}

impl System for FiniteProduct<'_> {
    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(Pairs {
            product: self,
            inner: self.system.stepper(),
            successors: Successors::default(),
            actions: Vec::new(),
            known: HashMap::new(),
        })
    }

    fn describe(&self) -> &dyn Describe {
        self
    }

    elnath_kernel::hand_on! { system: bytes }
}

impl Describe for FiniteProduct<'_> {
    fn show_state(&self, pair: &[u8]) -> String {
        self.system.show_state(split(pair).0)
    }

    fn state_parts(&self, pair: &[u8]) -> Vec<StatePart> {
        self.system.state_parts(split(pair).0)
    }

    fn fields(&self, pair: &[u8]) -> Vec<Field> {
        self.system.fields(split(pair).0)
    }

    fn show_transition(&self, pair: &[u8], t: Transition) -> String {
        self.system.show_transition(split(pair).0, t)
    }

    fn events(&self, pair: &[u8], t: Transition) -> Vec<Event> {
        self.system.events(split(pair).0, t)
    }

    fn actors(&self, pair: &[u8]) -> Vec<String> {
        self.system.actors(split(pair).0)
    }

    fn waiting(&self, pair: &[u8]) -> Vec<Event> {
        self.system.waiting(split(pair).0)
    }

    fn disabled(&self, pair: &[u8]) -> Vec<Disabled> {
        self.system.disabled(split(pair).0)
    }

    elnath_kernel::hand_on! { system: action_name, action_place, fault_name, gave_up }
}

struct Pairs<'p> {
    product: &'p FiniteProduct<'p>,
    inner: Box<dyn Stepper + 'p>,
    successors: Successors,
    /// The bits that an action sets, as far as asked.
    actions: Vec<Option<Letter>>,
    /// The automaton, as far as asked.
    known: HashMap<(u32, Letter), u32>,
}

impl Pairs<'_> {
    /// Where the automaton goes with `letter`.
    fn step(&mut self, from: u32, letter: Letter) -> u32 {
        let product = self.product;
        *self.known.entry((from, letter)).or_insert_with(|| {
            let mut automaton = product.automaton.lock().expect("no worker panics with it");
            let from = if from == START { automaton.initial() } else { State(from >> 1) };
            let to = automaton.successor(from, letter);
            number(&automaton, to)
        })
    }

    fn action_bits(&mut self, action: Action) -> Letter {
        let at = action.0 as usize;
        if self.actions.len() <= at {
            self.actions.resize(at + 1, None);
        }
        let product = self.product;
        *self.actions[at].get_or_insert_with(|| product.property.action(&product.system.action_name(action)))
    }

    fn state_bits(&mut self, state: &[u8]) -> Letter {
        if self.product.reads_states { self.product.property.state(self.inner.valuation(state)) } else { 0 }
    }

    /// Whether a run that ends in this pair satisfies the formula.
    fn fine(&mut self, pair: &[u8]) -> bool {
        let (state, number) = split(pair);
        let end = if self.product.reads_states {
            let letter = self.state_bits(state);
            self.step(number, letter)
        } else {
            number
        };
        end & 1 == 1
    }
}

impl Stepper for Pairs<'_> {
    fn initial(&mut self, out: &mut Vec<u8>) {
        self.inner.initial(out);
        out.extend_from_slice(&self.product.initial.to_le_bytes());
    }

    fn enabled(&mut self, pair: &[u8], out: &mut Vec<Transition>) {
        self.inner.enabled(split(pair).0, out);
    }

    fn fire(&mut self, pair: &[u8], t: Transition, out: &mut Vec<u8>) -> Result<(), Fault> {
        let (state, number) = split(pair);
        let action = self.inner.action(state, t);
        let letter = self.state_bits(state) | self.action_bits(action);
        let result = self.inner.fire(state, t, out);
        out.extend_from_slice(&self.step(number, letter).to_le_bytes());
        result
    }

    fn successors(&mut self, pair: &[u8], out: &mut Successors) {
        let (state, number) = split(pair);
        let mut inner = std::mem::take(&mut self.successors);
        self.inner.successors(state, &mut inner);
        out.clear();
        let here = self.state_bits(state);
        for successor in inner.iter() {
            let action = self.inner.action(state, successor.transition);
            let letter = here | self.action_bits(action);
            let to = self.step(number, letter);
            out.push_joined(successor.transition, successor.state, &to.to_le_bytes(), successor.fault);
        }
        self.successors = inner;
    }

    fn action(&mut self, pair: &[u8], t: Transition) -> Action {
        self.inner.action(split(pair).0, t)
    }

    fn may_end(&mut self, pair: &[u8]) -> bool {
        self.product.met_an_end.store(true, Ordering::Relaxed);
        self.fine(pair)
    }

    elnath_kernel::hand_on! { inner: transition_bits }
    elnath_kernel::facets! { mine: propositions; below inner: tally; none: acceptance, processes }
}

/// One: whether the run so far satisfies the formula.
impl Propositions for Pairs<'_> {
    fn names(&mut self) -> Vec<String> {
        vec!["the run so far satisfies the formula".to_owned()]
    }

    fn fallible(&mut self) -> u64 {
        0
    }

    fn valuation(&mut self, pair: &[u8]) -> u64 {
        u64::from(self.fine(pair))
    }

    fn proposition_fault(&mut self, _pair: &[u8], _number: u32) -> Option<Fault> {
        None
    }

    fn operands(&mut self, _pair: &[u8], _number: u32) -> Vec<Operand> {
        Vec::new()
    }
}
