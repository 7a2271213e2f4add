//! The names of the relations between two systems, which quotients and comparisons share.
//!
//! What a relation means is said where it is decided; here is only what a user may ask for, in the words of the field.
//! The order is from the finest to the coarsest, as far as there is one: strong, branching, delay, then weak and
//! tau*.a side by side (neither implies the other), then safety, then weak trace.

/// A behavioural relation. Each is an equivalence and has a preorder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Relation {
    /// Strong bisimulation; its preorder is strong simulation.
    Strong,
    /// Branching bisimulation that also tells who can be busy inside for ever.
    DivergenceBranching,
    /// Branching bisimulation.
    Branching,
    /// Delay bisimulation: internal steps before an action, none after it.
    Delay,
    /// Weak bisimulation, also called observational equivalence.
    #[doc(alias = "observational")]
    Weak,
    /// tau*.a bisimulation, the papers' w-bisimulation: internal steps are looked through and never answered.
    #[doc(alias = "w-bisimulation")]
    TauStarA,
    /// Simulation over tau*.a in both directions separately.
    Safety,
    /// Strong simulation, in both directions separately for the equivalence.
    Simulation,
    /// Weak simulation.
    WeakSimulation,
    /// Simulation between states that offer the same actions.
    ReadySimulation,
    /// The same finite traces, internal steps counted as actions.
    Trace,
    /// The same finite traces of visible actions.
    WeakTrace,
    /// Failures: traces and what may be refused after them.
    Failures,
    /// Failures and divergences, as in CSP.
    FailuresDivergences,
}

impl Relation {
    /// Every relation with the name by which a user asks for it.
    pub const NAMES: [(&str, Relation); 14] = [
        ("strong", Relation::Strong),
        ("divergence-branching", Relation::DivergenceBranching),
        ("branching", Relation::Branching),
        ("delay", Relation::Delay),
        ("weak", Relation::Weak),
        ("tau-star-a", Relation::TauStarA),
        ("safety", Relation::Safety),
        ("simulation", Relation::Simulation),
        ("weak-simulation", Relation::WeakSimulation),
        ("ready-simulation", Relation::ReadySimulation),
        ("trace", Relation::Trace),
        ("weak-trace", Relation::WeakTrace),
        ("failures", Relation::Failures),
        ("failures-divergences", Relation::FailuresDivergences),
    ];

    /// The name by which a user asks for it.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, relation)| *relation == self).expect("every relation has a name").0
    }
}

/// Whether each of two systems must match the other, or only the left one must be matched by the right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// The left system is below the right one: what it does, the right one can do.
    Preorder,
    /// Both ways.
    Equivalence,
}

/// Whether this is a name of the internal action: `i`, as CADP writes it, or `tau`, as mCRL2 does.
pub fn is_internal(label: &str) -> bool {
    label == "i" || label == "tau"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_leads_back_to_its_relation() {
        for (name, relation) in Relation::NAMES {
            assert_eq!(relation.name(), name);
        }
    }
}
