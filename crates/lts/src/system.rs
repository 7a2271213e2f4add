//! An [`Lts`] as a system to search: its states are already there, so a stepper only looks them up.
//!
//! A state is its number in 4 bytes, little endian; a transition is its index in the table; an action is a label.

use elnath_kernel::{Action, Describe, Fault, Stepper, Successors, System, Terse, Transition};

use crate::lts::Lts;

impl System for Lts {
    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(TableStepper(self))
    }

    fn describe(&self) -> &dyn Describe {
        self
    }

    fn bytes(&self) -> usize {
        Lts::bytes(self)
    }
}

impl Terse for Lts {
    fn state_text(&self, state: &[u8]) -> String {
        format!("state {}", number(state))
    }

    fn action_text(&self, action: Action) -> String {
        self.label(action.0).to_owned()
    }
}

impl Lts {
    /// The number of a state, as a search knows it.
    ///
    /// # Panics
    /// If it is not a state of a graph.
    pub fn number_of(state: &[u8]) -> u32 {
        number(state)
    }
}

struct TableStepper<'a>(&'a Lts);

impl Stepper for TableStepper<'_> {
    fn initial(&mut self, out: &mut Vec<u8>) {
        put(self.0.initial(), out);
    }

    fn enabled(&mut self, state: &[u8], out: &mut Vec<Transition>) {
        let (start, end) = self.0.range(number(state));
        out.clear();
        out.extend((start..end).map(|index| Transition(index.into())));
    }

    fn fire(&mut self, _state: &[u8], t: Transition, out: &mut Vec<u8>) -> Result<(), Fault> {
        put(self.0.edge(t.0 as u32).target, out);
        Ok(())
    }

    fn action(&mut self, _state: &[u8], t: Transition) -> Action {
        Action(self.0.edge(t.0 as u32).label)
    }

    fn successors(&mut self, state: &[u8], out: &mut Successors) {
        out.fire_all(self, state);
    }

    fn may_end(&mut self, _state: &[u8]) -> bool {
        false
    }

    fn transition_bits(&self) -> u32 {
        32
    }

    elnath_kernel::facets! { none: propositions, acceptance, processes, tally }
}

fn number(state: &[u8]) -> u32 {
    u32::from_le_bytes(state.try_into().expect("a state of an LTS has 4 bytes"))
}

fn put(state: u32, out: &mut Vec<u8>) {
    out.clear();
    out.extend_from_slice(&state.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Builder;

    #[test]
    fn a_stepper_walks_the_table() {
        let mut builder = Builder::new();
        builder.add(1, "b", 2);
        builder.add(0, "a", 1);
        builder.add(1, "a", 0);
        let lts = builder.finish(1);
        let system: &dyn System = &lts;
        let mut stepper = system.stepper();
        let (mut state, mut next, mut enabled) = (Vec::new(), Vec::new(), Vec::new());
        stepper.initial(&mut state);
        assert_eq!(system.show_state(&state), "state 1");
        stepper.enabled(&state, &mut enabled);
        let steps: Vec<_> = enabled
            .iter()
            .map(|&t| {
                stepper.fire(&state, t, &mut next).expect("an LTS has no faults");
                (system.show_transition(&state, t), system.show_state(&next))
            })
            .collect();
        let expected = [("b", "state 2"), ("a", "state 0")].map(|(a, s)| (a.to_owned(), s.to_owned()));
        assert_eq!(steps, expected);
        stepper.fire(&state, enabled[0], &mut next).expect("an LTS has no faults");
        stepper.enabled(&next, &mut enabled);
        assert!(enabled.is_empty(), "state 2 is a deadlock");
    }
}
