//! A question as reductions see it: what it observes, and so what they must preserve.
//!
//! A reduction keeps verdicts, not figures. So it is left out where the question is about something else: how many errors there
//! are, which run is the shortest, what is fair, what the next step is, which action is taken between which others.

use crate::property::TemporalProperty;
use crate::reductions::Reductions;
use elnath_check::temporal::{Bad, Fairness, Observable};
use elnath_program::Keep;
use elnath_program::symmetry::Notices;

/// Whether something may be done; or why not, in words that follow "because".
pub(crate) type Sound = Result<(), &'static str>;

/// What a question observes.
pub(crate) struct Asked<'q> {
    /// What kind of question it is.
    pub(crate) about: About<'q>,
    /// Whether all violations are counted.
    pub(crate) all: bool,
    /// Whether a shortest run is wanted.
    pub(crate) shortest: bool,
    /// Whether a swarm looks for it.
    pub(crate) swarm: bool,
    /// The reductions that are wanted, since some exclude each other.
    pub(crate) wanted: Reductions,
}

/// What a question is about.
#[derive(Clone, Copy)]
pub(crate) enum About<'q> {
    /// What can be reached.
    Reachability {
        /// Nothing but deadlocks counts.
        only_deadlocks: bool,
        /// Some actions are forbidden.
        forbids: bool,
        /// Propositions of which it does not matter when they change.
        timeless: u64,
    },
    /// Finite runs and a formula.
    FiniteRuns,
    /// Infinite runs.
    InfiniteRuns(&'q TemporalProperty),
}

const ALL: &str = "all errors are to be counted";
const SHORTEST: &str = "a shortest run is wanted";
const FINITE: &str = "the formula is about finite runs";
const AS_WRITTEN: &str = "symmetry is about the program as it is written";

impl Asked<'_> {
    /// What is observed besides deadlocks, faults, actions and propositions.
    pub(crate) fn keep(&self) -> Keep {
        match self.about {
            About::Reachability { only_deadlocks, forbids, timeless } => {
                Keep { only_deadlocks, ends: forbids, timeless, ..Keep::default() }
            }
            About::FiniteRuns => Keep::default(),
            About::InfiniteRuns(TemporalProperty { question, .. }) => Keep {
                accepting: question.labels || matches!(question.bad, Bad::System),
                order_of_faults: question.faults,
                past_faults: !question.faults,
                ..Keep::default()
            },
        }
    }

    /// Whether orders of steps may be left out.
    pub(crate) fn ignores_orders(&self) -> Sound {
        match self.about {
            About::Reachability { .. } if self.all => Err(ALL),
            About::FiniteRuns => Err(FINITE),
            _ if self.shortest => Err(SHORTEST),
            About::Reachability { .. } => Ok(()),
            About::InfiniteRuns(property) => ignores_orders(property),
        }
    }

    /// Whether several steps may become one.
    pub(crate) fn allows_merging(&self) -> Sound {
        self.ignores_orders()?;
        self.allows_other_programs()?;
        match self.about {
            About::Reachability { forbids: true, .. } => Err("actions are forbidden"),
            _ => Ok(()),
        }
    }

    /// Whether values that decide nothing may be left out of states.
    pub(crate) fn allows_forgetting(&self) -> Sound {
        self.allows_other_programs()?;
        match self.about {
            // A cycle closes later in the program as it was written, which remembers.
            About::InfiniteRuns(_) if self.shortest => Err(SHORTEST),
            About::InfiniteRuns(_) => Ok(()),
            _ if self.all => Err(ALL),
            _ => Ok(()),
        }
    }

    /// Whether a program may be walked in which processes, actions and faults are the same and the states are not.
    fn allows_other_programs(&self) -> Sound {
        match self.about {
            // What processes may do is looked at, and runs are found again, in the program as it was written.
            _ if self.wanted.has("symmetry") => Err(AS_WRITTEN),
            // Such a run of a simplified program cannot always be found again in the one that was written.
            About::Reachability { only_deadlocks: true, .. } => {
                Err("a run to a deadlock may go on after a fault")
            }
            About::InfiniteRuns(property) if !property.question.faults => Err("runs go on after a fault"),
            _ => Ok(()),
        }
    }

    /// Whether processes of one kind may be exchanged.
    pub(crate) fn ignores_identities(&self) -> Sound {
        match self.about {
            About::Reachability { .. } | About::FiniteRuns if self.all => Err(ALL),
            About::FiniteRuns => Err(FINITE),
            About::Reachability { .. } => Ok(()),
            About::InfiniteRuns(property) if property.question.fairness != Fairness::None => {
                Err("fairness tells processes apart")
            }
            // A cycle of the quotient may have to be followed several times before it closes.
            About::InfiniteRuns(_) if self.shortest => Err(SHORTEST),
            About::InfiniteRuns(_) => Ok(()),
        }
    }

    /// What is noticed when processes are exchanged.
    pub(crate) fn notices(&self) -> Notices {
        match self.about {
            About::Reachability { only_deadlocks, forbids, .. } => {
                Notices { every_step: self.shortest || forbids, past_faults: only_deadlocks }
            }
            About::FiniteRuns => Notices { every_step: true, past_faults: false },
            About::InfiniteRuns(property) => Notices {
                every_step: !property.stutter_invariant || watches_actions(property),
                past_faults: !property.question.faults,
            },
        }
    }
}

fn watches_actions(property: &TemporalProperty) -> bool {
    property.question.watches.iter().any(|watch| matches!(watch, Observable::Action(_)))
}

fn ignores_orders(property: &TemporalProperty) -> Sound {
    if property.question.fairness != Fairness::None {
        return Err("fairness is about the order in which processes move");
    }
    if watches_actions(property) {
        return Err("the property is about actions");
    }
    if !property.stutter_invariant {
        return Err(
            "the property may count steps (it has X, or was not shown to be insensitive to repeated states)",
        );
    }
    Ok(())
}
