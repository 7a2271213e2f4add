//! Handing on: a system over a system says of what it does not change that the one beneath does it.
//!
//! Reductions, quotients, machine code and renaming have the states and transitions of what is beneath them, and change one or
//! two things. [`hand_on!`](crate::hand_on) writes the rest, a name for each method of [`System`](crate::System),
//! [`Stepper`](crate::Stepper) or [`Describe`](crate::Describe), so that what is *not* handed on can be seen; what is neither
//! written nor handed on does not compile. (A trait with a method `beneath()` and defaults would hand on new methods
//! without being asked, also those for which the answer from beneath is wrong.)
//!
//! A whole facet is handed on by its accessor: `hand_on! { engine: propositions, processes }`. Where a wrapper changes one
//! method of a facet, it has the facet itself, and `hand_on!` asks the one beneath for the others; that must then have
//! the facet too, or what its [lack](crate::facets) means is right for the wrapper.

/// Within an `impl` of a trait of the contract: these methods are the field's.
#[macro_export]
macro_rules! hand_on {
    ($beneath:ident: $($method:ident),+ $(,)?) => {
        $($crate::hand_on!(@ $beneath $method);)+
    };

    // Of a system.
    (@ $beneath:ident describe) => {
        fn describe(&self) -> &dyn $crate::Describe {
            self.$beneath.describe()
        }
    };
    (@ $beneath:ident bytes) => {
        fn bytes(&self) -> usize {
            self.$beneath.bytes()
        }
    };

    // Of its description.
    (@ $beneath:ident show_state) => {
        fn show_state(&self, state: &[u8]) -> String {
            self.$beneath.show_state(state)
        }
    };
    (@ $beneath:ident state_parts) => {
        fn state_parts(&self, state: &[u8]) -> Vec<$crate::event::StatePart> {
            self.$beneath.state_parts(state)
        }
    };
    (@ $beneath:ident fields) => {
        fn fields(&self, state: &[u8]) -> Vec<$crate::event::Field> {
            self.$beneath.fields(state)
        }
    };
    (@ $beneath:ident disabled) => {
        fn disabled(&self, state: &[u8]) -> Vec<$crate::event::Disabled> {
            self.$beneath.disabled(state)
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
    (@ $beneath:ident action) => {
        fn action(&mut self, state: &[u8], t: $crate::Transition) -> $crate::Action {
            self.$beneath.action(state, t)
        }
    };
    (@ $beneath:ident may_end) => {
        fn may_end(&mut self, state: &[u8]) -> bool {
            self.$beneath.may_end(state)
        }
    };
    (@ $beneath:ident transition_bits) => {
        fn transition_bits(&self) -> u32 {
            self.$beneath.transition_bits()
        }
    };
    (@ $beneath:ident propositions) => {
        fn propositions(&mut self) -> Option<&mut dyn $crate::facets::Propositions> {
            self.$beneath.propositions()
        }
    };
    (@ $beneath:ident acceptance) => {
        fn acceptance(&mut self) -> Option<&mut dyn $crate::facets::Acceptance> {
            self.$beneath.acceptance()
        }
    };
    (@ $beneath:ident processes) => {
        fn processes(&mut self) -> Option<&mut dyn $crate::facets::Processes> {
            self.$beneath.processes()
        }
    };
    (@ $beneath:ident tally) => {
        fn tally(&self) -> Option<&dyn $crate::facets::Tally> {
            self.$beneath.tally()
        }
    };

    // Of facets of a stepper.
    (@ $beneath:ident names) => {
        fn names(&mut self) -> Vec<String> {
            self.$beneath.propositions().map_or_else(Vec::new, |beneath| beneath.names())
        }
    };
    (@ $beneath:ident fallible) => {
        fn fallible(&mut self) -> u64 {
            self.$beneath.propositions().map_or(0, |beneath| beneath.fallible())
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
    (@ $beneath:ident operands) => {
        fn operands(&mut self, state: &[u8], number: u32) -> Vec<$crate::event::Operand> {
            self.$beneath.operands(state, number)
        }
    };
    (@ $beneath:ident mover) => {
        fn mover(&mut self, t: $crate::Transition) -> Option<u32> {
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
    (@ $beneath:ident locations) => {
        fn locations(&mut self, state: &[u8], out: &mut Vec<u64>) {
            self.$beneath.locations(state, out);
        }
    };
    (@ $beneath:ident work) => {
        fn work(&self) -> u64 {
            self.$beneath.work()
        }
    };
}

/// Within an `impl` of [`Stepper`](crate::Stepper): whose each [facet](crate::facets) is.
///
/// ```
/// # use elnath_kernel::facets::{Tally};
/// # use elnath_kernel::{Action, Fault, Stepper, Successors, Transition};
/// # struct Counting { engine: Box<dyn Stepper>, made: u64 }
/// impl Stepper for Counting {
///     elnath_kernel::hand_on! { engine: initial, enabled, fire, successors, action, may_end, transition_bits }
///     elnath_kernel::facets! { mine: tally; below engine: propositions, processes; none: acceptance }
/// }
/// # impl Tally for Counting {
/// #     fn work(&self) -> u64 { self.made }
/// #     fn unfired(&self) -> Vec<Action> { self.engine.unfired() }
/// # }
/// ```
///
/// A facet that is left out does not compile:
///
/// ```compile_fail,E0046
/// # use elnath_kernel::Stepper;
/// # struct Wrapper { engine: Box<dyn Stepper> }
/// impl Stepper for Wrapper {
///     elnath_kernel::hand_on! { engine: initial, enabled, fire, successors, action, may_end, transition_bits }
///     elnath_kernel::facets! { below engine: propositions, acceptance, processes }
/// }
/// ```
#[macro_export]
macro_rules! facets {
    (mine: $($facet:ident),+ $(; $($rest:tt)+)?) => {
        $($crate::facets!(@ mine $facet);)+
        $($crate::facets! { $($rest)+ })?
    };
    (below $beneath:ident: $($facet:ident),+ $(; $($rest:tt)+)?) => {
        $($crate::hand_on!(@ $beneath $facet);)+
        $($crate::facets! { $($rest)+ })?
    };
    (none: $($facet:ident),+ $(; $($rest:tt)+)?) => {
        $($crate::facets!(@ none $facet);)+
        $($crate::facets! { $($rest)+ })?
    };

    (@ mine propositions) => {
        fn propositions(&mut self) -> Option<&mut dyn $crate::facets::Propositions> {
            Some(self)
        }
    };
    (@ mine acceptance) => {
        fn acceptance(&mut self) -> Option<&mut dyn $crate::facets::Acceptance> {
            Some(self)
        }
    };
    (@ mine processes) => {
        fn processes(&mut self) -> Option<&mut dyn $crate::facets::Processes> {
            Some(self)
        }
    };
    (@ mine tally) => {
        fn tally(&self) -> Option<&dyn $crate::facets::Tally> {
            Some(self)
        }
    };

    (@ none propositions) => {
        fn propositions(&mut self) -> Option<&mut dyn $crate::facets::Propositions> {
            None
        }
    };
    (@ none acceptance) => {
        fn acceptance(&mut self) -> Option<&mut dyn $crate::facets::Acceptance> {
            None
        }
    };
    (@ none processes) => {
        fn processes(&mut self) -> Option<&mut dyn $crate::facets::Processes> {
            None
        }
    };
    (@ none tally) => {
        fn tally(&self) -> Option<&dyn $crate::facets::Tally> {
            None
        }
    };
}
