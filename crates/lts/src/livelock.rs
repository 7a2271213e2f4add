//! Livelocks: a system that can do internal steps for ever without ever saying anything.
//!
//! That is a cycle of tau transitions, hence a component of the graph of tau transitions that contains a cycle.

use crate::lts::Lts;
use crate::reach::StateSet;
use crate::scc;

/// How many of these states (the reachable ones, normally) lie on a cycle of tau transitions.
#[doc(alias = "divergence")]
pub fn livelocked(lts: &Lts, states: &StateSet) -> usize {
    let taus = |edge: crate::Edge| lts.is_tau(edge.label);
    let components = scc::components(lts, states.iter(), taus);
    let cyclic = components.cyclic(lts, taus);
    states.iter().filter(|&state| cyclic[components.of(state) as usize]).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Builder, reach::reachable};

    #[test]
    fn loops_and_cycles_of_tau_but_not_of_anything_else() {
        let mut builder = Builder::new();
        for (from, label, to) in [
            (0, "a", 1),
            (1, "i", 2),
            (2, "tau", 1),
            (2, "i", 3),
            (3, "a", 2),
            (3, "i", 4),
            (4, "i", 4),
            (4, "a", 0),
            (9, "i", 9),
        ] {
            builder.add(from, label, to);
        }
        let lts = builder.finish(0);
        assert_eq!(livelocked(&lts, &reachable(&lts)), 3, "1, 2 and 4; 9 is unreachable");
    }
}
