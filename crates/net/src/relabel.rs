//! A system whose labels have gone through [`Rules`]: hiding and renaming as a stepper over a stepper.
//!
//! States and transitions are those of the system below, so that its fast way of making all successors stays what it
//! was. Only [`Stepper::action`] has something to do, and it looks at the text of each action once: what became of it is
//! kept by its number, in a table per worker, behind which stands the one that all share.

use crate::rules::Rules;
use elnath_kernel::{Action, ByAction, Event, Fault, Names, Stepper, Successors, System, Transition};
use std::sync::Arc;

/// A system with other labels. See the [module](self).
pub struct Relabelled<'a> {
    system: Arc<dyn System + 'a>,
    rules: Arc<Rules>,
    names: Names,
}

impl<'a> Relabelled<'a> {
    /// Puts the labels of `system` through `rules`. The same rules may serve several systems: they then remember
    /// together which of their patterns have met a label.
    pub fn new(system: Arc<dyn System + 'a>, rules: Arc<Rules>) -> Self {
        Self { system, rules, names: Names::new() }
    }

    /// The rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }
}

impl System for Relabelled<'_> {
    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(Relabeller { system: self, stepper: self.system.stepper(), known: ByAction::default() })
    }

    fn show_state(&self, state: &[u8]) -> String {
        self.system.show_state(state)
    }

    fn show_transition(&self, state: &[u8], t: Transition) -> String {
        let (old, new) = self.old_and_new(state, t);
        renamed(&self.system.show_transition(state, t), &old, &new)
    }

    fn events(&self, state: &[u8], t: Transition) -> Vec<Event> {
        let mut events = self.system.events(state, t);
        if let [event] = events.as_mut_slice() {
            let (old, new) = self.old_and_new(state, t);
            event.text = renamed(&event.text, &old, &new);
        }
        events
    }

    fn actors(&self, state: &[u8]) -> Vec<String> {
        self.system.actors(state)
    }

    fn waiting(&self, state: &[u8]) -> Vec<Event> {
        self.system.waiting(state)
    }

    fn action_name(&self, action: Action) -> String {
        self.names.text(action)
    }

    fn fault_name(&self, fault: Fault) -> String {
        self.system.fault_name(fault)
    }

    fn gave_up(&self, fault: Fault) -> bool {
        self.system.gave_up(fault)
    }

    fn propositions(&self) -> Vec<String> {
        self.system.propositions()
    }

    fn acceptance_sets(&self) -> u32 {
        self.system.acceptance_sets()
    }

    fn bytes(&self) -> usize {
        self.system.bytes() + self.names.bytes()
    }
}

impl Relabelled<'_> {
    fn old_and_new(&self, state: &[u8], t: Transition) -> (String, String) {
        let old = self.system.action_name(self.system.stepper().action(state, t));
        let new = self.rules.apply(&old).into_owned();
        (old, new)
    }
}

/// What is shown of a transition below, with its new name in front if all that is shown is its old one.
fn renamed(shown: &str, old: &str, new: &str) -> String {
    if shown == old && old != new { format!("{new} ({old})") } else { shown.to_owned() }
}

struct Relabeller<'a> {
    system: &'a Relabelled<'a>,
    stepper: Box<dyn Stepper + 'a>,
    /// What became of the actions of the system below.
    known: ByAction,
}

impl Relabeller<'_> {
    #[cold]
    fn learn(&mut self, old: Action) -> Action {
        let label = self.system.system.action_name(old);
        let new = self.system.names.intern(&self.system.rules.apply(&label));
        self.known.set(old, new.0);
        new
    }
}

impl Stepper for Relabeller<'_> {
    fn initial(&mut self, out: &mut Vec<u8>) {
        self.stepper.initial(out);
    }

    fn enabled(&mut self, state: &[u8], out: &mut Vec<Transition>) {
        self.stepper.enabled(state, out);
    }

    fn fire(&mut self, state: &[u8], t: Transition, out: &mut Vec<u8>) -> Result<(), Fault> {
        self.stepper.fire(state, t, out)
    }

    fn successors(&mut self, state: &[u8], out: &mut Successors) {
        self.stepper.successors(state, out);
    }

    fn action(&mut self, state: &[u8], t: Transition) -> Action {
        let old = self.stepper.action(state, t);
        match self.known.get(old) {
            Some(new) => Action(new),
            None => self.learn(old),
        }
    }

    fn valuation(&mut self, state: &[u8]) -> u64 {
        self.stepper.valuation(state)
    }

    fn marks(&mut self, state: &[u8], t: Transition) -> u64 {
        self.stepper.marks(state, t)
    }

    fn accepting(&mut self, state: &[u8]) -> bool {
        self.stepper.accepting(state)
    }

    fn mover(&self, t: Transition) -> Option<u32> {
        self.stepper.mover(t)
    }

    fn movers(&mut self, state: &[u8], t: Transition) -> u64 {
        self.stepper.movers(state, t)
    }

    fn owing(&mut self, state: &[u8]) -> u64 {
        self.stepper.owing(state)
    }

    fn may_end(&mut self, state: &[u8]) -> bool {
        self.stepper.may_end(state)
    }

    fn work(&self) -> u64 {
        self.stepper.work()
    }

    fn transition_bits(&self) -> u32 {
        self.stepper.transition_bits()
    }
}
