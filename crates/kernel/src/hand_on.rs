//! Handing on: a system over a system says of what it does not change that the one beneath does it.
//!
//! Reductions, quotients, machine code and renaming have the states and transitions of what is beneath them, and change one or
//! two things. [`hand_on!`](crate::hand_on) writes the rest, a name for each method of [`System`](crate::System) or
//! [`Stepper`](crate::Stepper), so that what is *not* handed on can be seen. (A trait with a method `beneath()` and defaults would hand
//! on new methods without being asked, also those whose default is right for the wrapper and the answer from beneath
//! is wrong.)

/// Within an `impl` of [`System`](crate::System) or [`Stepper`](crate::Stepper): these methods are the field's.
#[macro_export]
macro_rules! hand_on {
    ($beneath:ident: $($method:ident),+ $(,)?) => {
        $($crate::hand_on!(@ $beneath $method);)+
    };

    // Of a system.
    (@ $beneath:ident show_state) => {
        fn show_state(&self, state: &[u8]) -> String {
            self.$beneath.show_state(state)
        }
    };
    (@ $beneath:ident show_transition) => {
        fn show_transition(&self, state: &[u8], t: $crate::Transition) -> String {
            self.$beneath.show_transition(state, t)
        }
    };
    (@ $beneath:ident events) => {
        fn events(&self, state: &[u8], t: $crate::Transition) -> Vec<$crate::Event> {
            self.$beneath.events(state, t)
        }
    };
    (@ $beneath:ident actors) => {
        fn actors(&self, state: &[u8]) -> Vec<String> {
            self.$beneath.actors(state)
        }
    };
    (@ $beneath:ident waiting) => {
        fn waiting(&self, state: &[u8]) -> Vec<$crate::Event> {
            self.$beneath.waiting(state)
        }
    };
    (@ $beneath:ident action_name) => {
        fn action_name(&self, action: $crate::Action) -> String {
            self.$beneath.action_name(action)
        }
    };
    (@ $beneath:ident action_place) => {
        fn action_place(&self, action: $crate::Action) -> Option<String> {
            self.$beneath.action_place(action)
        }
    };
    (@ $beneath:ident fault_name) => {
        fn fault_name(&self, fault: $crate::Fault) -> String {
            self.$beneath.fault_name(fault)
        }
    };
    (@ $beneath:ident gave_up) => {
        fn gave_up(&self, fault: $crate::Fault) -> bool {
            self.$beneath.gave_up(fault)
        }
    };
    (@ $beneath:ident propositions) => {
        fn propositions(&self) -> Vec<String> {
            self.$beneath.propositions()
        }
    };
    (@ $beneath:ident fallible_propositions) => {
        fn fallible_propositions(&self) -> u64 {
            self.$beneath.fallible_propositions()
        }
    };
    (@ $beneath:ident acceptance_sets) => {
        fn acceptance_sets(&self) -> u32 {
            self.$beneath.acceptance_sets()
        }
    };
    (@ $beneath:ident bytes) => {
        fn bytes(&self) -> usize {
            self.$beneath.bytes()
        }
    };

    // Of a stepper.
    (@ $beneath:ident initial) => {
        fn initial(&mut self, out: &mut Vec<u8>) {
            self.$beneath.initial(out);
        }
    };
    (@ $beneath:ident enabled) => {
        fn enabled(&mut self, state: &[u8], out: &mut Vec<$crate::Transition>) {
            self.$beneath.enabled(state, out);
        }
    };
    (@ $beneath:ident fire) => {
        fn fire(&mut self, state: &[u8], t: $crate::Transition, out: &mut Vec<u8>) -> Result<(), $crate::Fault> {
            self.$beneath.fire(state, t, out)
        }
    };
    (@ $beneath:ident successors) => {
        fn successors(&mut self, state: &[u8], out: &mut $crate::Successors) {
            self.$beneath.successors(state, out);
        }
    };
    (@ $beneath:ident successors_of) => {
        fn successors_of(&mut self, state: &[u8], process: u32, out: &mut $crate::Successors) {
            self.$beneath.successors_of(state, process, out);
        }
    };
    (@ $beneath:ident action) => {
        fn action(&mut self, state: &[u8], t: $crate::Transition) -> $crate::Action {
            self.$beneath.action(state, t)
        }
    };
    (@ $beneath:ident valuation) => {
        fn valuation(&mut self, state: &[u8]) -> u64 {
            self.$beneath.valuation(state)
        }
    };
    (@ $beneath:ident proposition_fault) => {
        fn proposition_fault(&mut self, state: &[u8], number: u32) -> Option<$crate::Fault> {
            self.$beneath.proposition_fault(state, number)
        }
    };
    (@ $beneath:ident marks) => {
        fn marks(&mut self, state: &[u8], t: $crate::Transition) -> u64 {
            self.$beneath.marks(state, t)
        }
    };
    (@ $beneath:ident accepting) => {
        fn accepting(&mut self, state: &[u8]) -> bool {
            self.$beneath.accepting(state)
        }
    };
    (@ $beneath:ident mover) => {
        fn mover(&self, t: $crate::Transition) -> Option<u32> {
            self.$beneath.mover(t)
        }
    };
    (@ $beneath:ident movers) => {
        fn movers(&mut self, state: &[u8], t: $crate::Transition) -> u64 {
            self.$beneath.movers(state, t)
        }
    };
    (@ $beneath:ident owing) => {
        fn owing(&mut self, state: &[u8]) -> u64 {
            self.$beneath.owing(state)
        }
    };
    (@ $beneath:ident may_end) => {
        fn may_end(&mut self, state: &[u8]) -> bool {
            self.$beneath.may_end(state)
        }
    };
    (@ $beneath:ident unfired) => {
        fn unfired(&self) -> Vec<$crate::Action> {
            self.$beneath.unfired()
        }
    };
    (@ $beneath:ident work) => {
        fn work(&self) -> u64 {
            self.$beneath.work()
        }
    };
    (@ $beneath:ident transition_bits) => {
        fn transition_bits(&self) -> u32 {
            self.$beneath.transition_bits()
        }
    };
}
