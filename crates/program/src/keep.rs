//! What a question observes, and every reduction of a program must therefore preserve.

/// What a question observes besides deadlocks, faults, actions that are fired and the truth of propositions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keep {
    /// Which states are [accepting](elnath_kernel::Stepper::accepting).
    pub accepting: bool,
    /// Not only which faults there are, but also between which valuations.
    pub order_of_faults: bool,
    /// Nothing but deadlocks, also behind faults: faults and actions may be left out.
    pub only_deadlocks: bool,
    /// What comes behind a fault, as if nothing had happened.
    pub past_faults: bool,
    /// Which processes end, as other actions. Without this a process may be kept from ending by younger ones that are
    /// created sooner than they had to be.
    pub ends: bool,
    /// Propositions, one bit each, of which it does not matter when they change: those that stay false once they are, and those that
    /// are looked at only where no transition is possible.
    pub timeless: u64,
}
