//! What a model itself demands: the properties that its text states. Who checks a model without naming a property is told of all of
//! them, since a file that says `ltl p { [] (x == 0) }` and is reported to hold would be believed to satisfy `p`.
//!
//! | in the model | demand |
//! |---|---|
//! | any model | [safety](Demand::Safety): no deadlock, no failed assertion, no other fault |
//! | an `ltl` block | the formula holds |
//! | a never claim | no run is matched |
//! | labels that begin with `accept`, in processes | no acceptance cycle |
//! | labels that begin with `progress` | no non-progress cycle |
//! | communicating machines | instead of safety, that no machine is blocked and no message lost: see [`crate::machines`] |
//!
//! Acceptance labels are a demand of their own beside claims and formulas too: a formula does not look at them, and a claim
//! only on the runs that it follows.

use crate::frontend::Loaded;
use crate::property::Wanted;

/// A property that a model states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Demand {
    /// No deadlock, no failed assertion, no other fault.
    Safety,
    /// Something about infinite runs.
    Infinite(Wanted),
}

impl Demand {
    /// The name by which `--only` chooses it.
    pub fn name(&self) -> &str {
        match self {
            Demand::Safety => "safety",
            Demand::Infinite(Wanted::Claim(name)) => name,
            Demand::Infinite(Wanted::NonProgress) => "progress",
            Demand::Infinite(Wanted::AcceptanceCycles) => "acceptance",
            Demand::Infinite(Wanted::Ltl(text) | Wanted::Ltlf(text)) => text,
            Demand::Infinite(Wanted::Automaton(_)) => "automaton",
            Demand::Infinite(Wanted::Branching(_)) => "branching",
            Demand::Infinite(Wanted::EventualReception) => "eventual-reception",
        }
    }
}

impl Loaded {
    /// What the model demands, safety first.
    pub fn demands(&self) -> Vec<Demand> {
        let mut demands = vec![Demand::Safety];
        let named = self.formulas.iter().chain(&self.unreadable).chain(&self.claims);
        demands.extend(named.map(|name| Demand::Infinite(Wanted::Claim(name.clone()))));
        let Some(program) = &self.program else { return demands };
        let locations = || program.program().processes.iter().flat_map(|process| &process.locations);
        if locations().any(|location| location.accept) {
            demands.push(Demand::Infinite(Wanted::AcceptanceCycles));
        }
        if locations().any(|location| location.progress) {
            demands.push(Demand::Infinite(Wanted::NonProgress));
        }
        demands
    }
}
