//! Deadlocks: states without any transition. A graph says nothing about states in which a run may rightly end.

use crate::lts::Lts;
use crate::reach::StateSet;

/// Those of these states (the reachable ones, normally) that no transition leaves, in order.
pub fn deadlocks<'a>(lts: &'a Lts, states: &'a StateSet) -> impl Iterator<Item = u32> + 'a {
    states.iter().filter(|&state| lts.edges(state).is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Builder, reach::reachable};

    #[test]
    fn states_without_transitions() {
        let mut builder = Builder::new();
        builder.add(0, "a", 3);
        builder.add(0, "a", 1);
        builder.add(1, "b", 1);
        builder.add(2, "b", 4);
        let lts = builder.finish(0);
        assert_eq!(deadlocks(&lts, &reachable(&lts)).collect::<Vec<_>>(), [3], "4 is unreachable");
    }
}
