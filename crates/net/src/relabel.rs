//! A system whose labels have gone through [`Rules`]: hiding and renaming as a stepper over a stepper.
//!
//! States and transitions are those of the system below, so that its fast way of making all successors stays what it
//! was. Only [`Stepper::action`] has something to do, and it looks at the text of each action once: what became of it is
//! kept by its number, in a table per worker, behind which stands the one that all share.
//!
//! Rules warn of patterns that no label matches, but a search asks for actions only if its question is about them. A system
//! that [notices](Relabelled::noticing) labels looks at those of all transitions that are made, until each pattern has met one.

use crate::rules::Rules;
use elnath_kernel::{
    Action, ByAction, Describe, Event, Fault, Names, Stepper, Successors, System, Tally, Transition,
};
use std::sync::Arc;

/// A system with other labels. See the [module](self).
pub struct Relabelled<'a> {
    system: Arc<dyn System + 'a>,
    rules: Arc<Rules>,
    names: Names,
    notices: bool,
}

impl<'a> Relabelled<'a> {
    /// Puts the labels of `system` through `rules`. The same rules may serve several systems: they then remember
    /// together which of their patterns have met a label.
    pub fn new(system: Arc<dyn System + 'a>, rules: Arc<Rules>) -> Self {
        Self { system, rules, names: Names::new(), notices: false }
    }

    /// The same, where the rules meet the labels of all transitions that are made, whoever asks for them or not.
    #[must_use]
    pub fn noticing(self) -> Self {
        Self { notices: true, ..self }
    }

    /// The rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }
}

impl System for Relabelled<'_> {
    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(Relabeller {
            system: self,
            stepper: self.system.stepper(),
            known: ByAction::default(),
            notices: self.notices && !self.rules.all_met(),
        })
    }

    fn describe(&self) -> &dyn Describe {
        self
    }

    fn bytes(&self) -> usize {
        self.system.bytes() + self.names.bytes()
    }
}

impl Describe for Relabelled<'_> {
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

    fn action_name(&self, action: Action) -> String {
        self.names.text(action)
    }

    /// Actions of several places may have got one name.
    fn action_place(&self, _action: Action) -> Option<String> {
        None
    }

    elnath_kernel::hand_on! { system: show_state, state_parts, fields, actors, waiting, disabled, fault_name, gave_up }
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
    /// Whether each transition that is made is looked at.
    notices: bool,
}

impl Relabeller<'_> {
    #[cold]
    fn learn(&mut self, old: Action) -> Action {
        let label = self.system.system.action_name(old);
        let new = self.system.names.intern(&self.system.rules.apply(&label));
        self.known.set(old, new.0);
        self.notices = self.notices && !self.system.rules.all_met();
        new
    }
}

impl Stepper for Relabeller<'_> {
    fn action(&mut self, state: &[u8], t: Transition) -> Action {
        let old = self.stepper.action(state, t);
        match self.known.get(old) {
            Some(new) => Action(new),
            None => self.learn(old),
        }
    }

    fn fire(&mut self, state: &[u8], t: Transition, out: &mut Vec<u8>) -> Result<(), Fault> {
        if self.notices {
            self.action(state, t);
        }
        self.stepper.fire(state, t, out)
    }

    fn successors(&mut self, state: &[u8], out: &mut Successors) {
        self.stepper.successors(state, out);
        if self.notices {
            out.iter().for_each(|successor| _ = self.action(state, successor.transition));
        }
    }

    elnath_kernel::hand_on! { stepper: initial, enabled, may_end, transition_bits }
    elnath_kernel::facets! { mine: tally; below stepper: propositions, acceptance, processes }
}

impl Tally for Relabeller<'_> {
    /// The actions below have other numbers here.
    fn unfired(&self) -> Vec<Action> {
        Vec::new()
    }

    elnath_kernel::hand_on! { stepper: work }
}
